// What is wrong with the contacts of a run, in the units of what is seen: metres a second of creep and of lift, newtons beyond the cone.
//
// A contact is looked at only where its certificate says that it breaks the exact law; then each finding counts that is more than the
// certificate's tolerance of the step's largest impulse and velocity.
#include "cli/judge/judge_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct finding_kind {
    const char* key;
    const char* name;
    const char* unit;
    const char* law;  // that is broken
} finding_kind;

static const finding_kind kinds[TS_FINDING_COUNT] = {
    [TS_FINDING_APPROACH] = {"approach", "surfaces that touch still approach", "m/s", "Signorini"},
    [TS_FINDING_PULL] = {"pull", "the normal force pulls", "N", "Signorini"},
    [TS_FINDING_LIFT] = {"lift", "they part though they press", "m/s", "Signorini"},
    [TS_FINDING_OFF_CONE] = {"off_cone", "friction beyond mu times the normal force", "N", "Coulomb"},
    [TS_FINDING_CREEP] = {"creep", "slip though friction has more to give", "m/s", "Coulomb"},
    [TS_FINDING_SHORT] = {"short", "of mu times the normal force, friction against that slip lacks", "%", "Coulomb"},
    [TS_FINDING_OFF_SLIP] = {"off_slip", "friction does not oppose the slip", "deg", "Coulomb"},
    [TS_FINDING_POWER] = {"power", "the contact drives the bodies", "W", "energy"},
};

// How much of each there is at a contact; 0: not found.
static void look_at(const ts_logged_contact* c, const ts_logged_scale* s, double dt, double out[TS_FINDING_COUNT]) {
    const ts_contact_verdict* v = &c->verdict;
    double speed = ts_certificate_tolerance * s->speed, impulse = ts_certificate_tolerance * s->impulse;
    double spare = v->mu * fmax(v->normal_impulse, 0.0) - v->friction;
    memset(out, 0, TS_FINDING_COUNT * sizeof *out);
    if (v->holds & TS_HOLDS_NCP) return;
    if (-v->normal_velocity > speed) out[TS_FINDING_APPROACH] = -v->normal_velocity;
    if (-v->normal_impulse > impulse) out[TS_FINDING_PULL] = -v->normal_impulse / dt;
    if (v->normal_impulse > impulse && v->normal_velocity > speed) out[TS_FINDING_LIFT] = v->normal_velocity;
    if (-spare > impulse) out[TS_FINDING_OFF_CONE] = -spare / dt;
    if (spare > impulse && v->normal_impulse > impulse && v->slip > speed) {
        out[TS_FINDING_CREEP] = v->slip;
        out[TS_FINDING_SHORT] = 100.0 * spare / (v->mu * v->normal_impulse);
    }
    double angle = ts_figure_of(&v->residual, TS_FIGURE_FRICTION_ANGLE, dt);
    if (v->slip > speed && v->friction > impulse && angle > 180.0 * ts_certificate_tolerance)
        out[TS_FINDING_OFF_SLIP] = angle;
    double power = ts_figure_of(&v->residual, TS_FIGURE_POWER, dt);
    if (power > ts_certificate_tolerance * s->speed * s->impulse / dt) out[TS_FINDING_POWER] = power;
}

static int keep(ts_found* found, double value) {
    if ((size_t)found->steps == found->room) {
        size_t room = found->room ? 2 * found->room : 256;
        double* grown = (double*)realloc(found->value, room * sizeof *grown);
        if (!grown) return 0;
        found->value = grown;
        found->room = room;
    }
    found->value[found->steps++] = value;
    return 1;
}

static ts_code add_found(ts_found* found, const ts_logged_step* step, int worst, double value, ts_status* out_status) {
    const ts_logged_contact* c = &step->contact.data[worst];
    if (found->steps == 0) {
        found->first_step = step->step;
        found->first_time = step->time;
    }
    if (!keep(found, value)) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    if (value <= found->worst) return TS_OK;
    double admissible = c->verdict.mu * c->verdict.normal_impulse / step->dt;
    found->worst = value;
    found->worst_share = admissible > 0.0 ? value / admissible : 0.0;
    found->worst_step = step->step;
    found->worst_time = step->time;
    if (c->a[0] || c->b[0]) snprintf(found->who, sizeof found->who, "%s - %s", c->a, c->b);
    return TS_OK;
}

ts_code ts_findings_add(ts_findings* findings, const ts_logged_step* step, ts_status* out_status) {
    static const unsigned bit[3] = {TS_HOLDS_LCP, TS_HOLDS_CCP, TS_HOLDS_NCP};
    int worst[TS_FINDING_COUNT] = {0};
    double most[TS_FINDING_COUNT] = {0.0}, value[TS_FINDING_COUNT];
    ts_logged_scale s = ts_logged_step_scale(step);
    findings->last_time = step->time;
    if (step->contact.count == 0) return ts_status_ok(out_status);
    findings->steps++;
    findings->contacts += step->contact.count;
    if (step->contact.count > findings->most) findings->most = step->contact.count;
    for (int i = 0; i < step->contact.count; ++i) {
        const ts_logged_contact* c = &step->contact.data[i];
        look_at(c, &s, step->dt, value);
        findings->deepest = fmax(findings->deepest, -c->gap);
        for (int k = 0; k < 3; ++k) findings->holds[k] += (c->verdict.holds & bit[k]) != 0;
        for (int k = 0; k < TS_FINDING_COUNT; ++k) {
            findings->found[k].contacts += value[k] > 0.0;
            if (value[k] <= most[k]) continue;
            most[k] = value[k];
            worst[k] = i;
        }
    }
    for (int k = 0; k < TS_FINDING_COUNT; ++k) {
        if (!(most[k] > 0.0)) continue;
        ts_code code = add_found(&findings->found[k], step, worst[k], most[k], out_status);
        if (code) return code;
    }
    return ts_status_ok(out_status);
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Of the steps in which it was found. Sorts them.
static double median_of(const ts_found* found) {
    if (found->steps == 0) return 0.0;
    qsort(found->value, (size_t)found->steps, sizeof *found->value, ascending);
    long long half = found->steps / 2;
    return found->steps % 2 ? found->value[half] : 0.5 * (found->value[half - 1] + found->value[half]);
}

long long ts_findings_first(const ts_findings* findings) {
    long long first = 0;
    for (int k = 0; k < TS_FINDING_COUNT; ++k) {
        const ts_found* found = &findings->found[k];
        if (found->steps > 0 && (first == 0 || found->first_step < first)) first = found->first_step;
    }
    return first;
}

void ts_findings_text(const ts_findings* findings, const char* indent, ts_text* text) {
    static const char* const laws[3] = {"LCP", "CCP", "NCP"};
    ts_text_add(text,
                "%s%lld steps with contacts to t = %g s, %lld contacts, at most %d at once; deepest overlap %.3g m\n",
                indent, findings->steps, findings->last_time, findings->contacts, findings->most, findings->deepest);
    for (int k = 0; k < 3; ++k)
        ts_text_add(text, "%s%s obeyed to %g by %.4g %% of them\n", indent, laws[k], ts_certificate_tolerance,
                    findings->contacts ? 100.0 * (double)findings->holds[k] / (double)findings->contacts : 100.0);
    int any = 0;
    for (int k = 0; k < TS_FINDING_COUNT; ++k) {
        const ts_found* found = &findings->found[k];
        if (found->steps == 0) continue;
        any = 1;
        ts_text_add(text, "%s%s: %s: in %lld steps, median %.4g %s, worst %.4g %s", indent, kinds[k].law, kinds[k].name,
                    found->steps, median_of(found), kinds[k].unit, found->worst, kinds[k].unit);
        if (k == TS_FINDING_OFF_CONE) ts_text_add(text, " (%.3g %% of what is admissible)", 100.0 * found->worst_share);
        ts_text_add(text, " in step %lld (%g s%s%s), first in step %lld\n", found->worst_step, found->worst_time,
                    found->who[0] ? ", " : "", found->who, found->first_step);
    }
    if (!any) ts_text_add(text, "%snothing is wrong with any of them\n", indent);
}

void ts_findings_json(const ts_findings* findings, ts_json* json) {
    static const char* const laws[3] = {"lcp", "ccp", "ncp"};
    ts_json_object(json);
    ts_json_add_integer(json, "steps", findings->steps);
    ts_json_add_integer(json, "contacts", findings->contacts);
    ts_json_add_integer(json, "contacts_at_most", findings->most);
    ts_json_add_number(json, "time", findings->last_time);
    ts_json_add_number(json, "deepest_overlap", findings->deepest);
    ts_json_add_number(json, "tolerance", ts_certificate_tolerance);
    ts_json_add_object(json, "obeyed_by");
    for (int k = 0; k < 3; ++k) ts_json_add_integer(json, laws[k], findings->holds[k]);
    ts_json_object_end(json);
    ts_json_add_array(json, "findings");
    for (int k = 0; k < TS_FINDING_COUNT; ++k) {
        const ts_found* found = &findings->found[k];
        if (found->steps == 0) continue;
        ts_json_object(json);
        ts_json_add_string(json, "finding", kinds[k].key);
        ts_json_add_string(json, "meaning", kinds[k].name);
        ts_json_add_string(json, "law", kinds[k].law);
        ts_json_add_string(json, "unit", kinds[k].unit);
        ts_json_add_integer(json, "steps", found->steps);
        ts_json_add_integer(json, "contacts", found->contacts);
        ts_json_add_number(json, "median", median_of(found));
        ts_json_add_number(json, "worst", found->worst);
        if (k == TS_FINDING_OFF_CONE) ts_json_add_number(json, "worst_share", found->worst_share);
        ts_json_add_integer(json, "worst_step", found->worst_step);
        ts_json_add_number(json, "worst_time", found->worst_time);
        ts_json_add_string(json, "who", found->who);
        ts_json_add_integer(json, "first_step", found->first_step);
        ts_json_add_number(json, "first_time", found->first_time);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

void ts_findings_free(ts_findings* findings) {
    for (int k = 0; k < TS_FINDING_COUNT; ++k) free(findings->found[k].value);
    memset(findings, 0, sizeof *findings);
}
