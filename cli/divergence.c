// Problem: two runs that should be the same are not; where does it begin? Rule: moments of the same time are compared number by number, in the
// order in which a step makes them, so that the first quantity of the first step that differs is the cause that is nearest to the
// truth. Contacts are matched by their keys; they belong to the step that led to a moment, and to the first of a recording, where a run
// that goes on from another begins, none has led. Guaranteed: with a tolerance of zero any changed bit is found. Known to fail: a difference that is
// older than both recordings shows at their first moment.
#include "cli/divergence_internal.h"

#include "base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct quantity_info {
    const char* name;
    const char* unit;
} quantity_info;

static const quantity_info info[TS_DIVERGENCE_COUNT] = {
    [TS_DIVERGENCE_CONTROL] = {"control", "of its actuator"},
    [TS_DIVERGENCE_CONTACTS] = {"contacts", "1"},
    [TS_DIVERGENCE_GAP] = {"contact gap", "m"},
    [TS_DIVERGENCE_IMPULSE] = {"contact impulse", "N s"},
    [TS_DIVERGENCE_MODE] = {"contact mode", "1"},
    [TS_DIVERGENCE_VELOCITY] = {"joint velocity", "m/s, rad/s"},
    [TS_DIVERGENCE_POSITION] = {"joint position", "m, rad, 1"},
    [TS_DIVERGENCE_PLACE] = {"body position", "m"},
    [TS_DIVERGENCE_TURN] = {"body orientation", "rad"},
};

const char* ts_divergence_name(ts_divergence_quantity quantity, const char** out_unit) {
    if (out_unit) *out_unit = info[quantity].unit;
    return info[quantity].name;
}

// One moment of both.
typedef struct moment {
    ts_divergence* out;
    const ts_sim* a;
    const ts_sim* b;
    double tolerance;
    int* order[2];  // contacts by key
    int capacity;
} moment;

static void name_of(const char* kind, const char* name, int index, char* out, size_t size) {
    if (name[0])
        snprintf(out, size, "%s '%.100s'", kind, name);
    else
        snprintf(out, size, "%s %d", kind, index);
}

// Whether a difference is worth keeping: the first, or the largest.
static int notice(moment* m, ts_divergence_quantity quantity, double by) {
    ts_divergence_line* line = &m->out->line[quantity];
    if (by == 0.0 || (by <= m->tolerance && !isnan(by))) return 0;
    return line->first.step < 0 || isnan(by) || by > line->most.by ||
           (line->first.step == m->a->step_count && by > line->first.by);
}

static void keep(moment* m, ts_divergence_quantity quantity, double by, const char* what) {
    ts_divergence_line* line = &m->out->line[quantity];
    ts_difference d = {m->a->step_count, m->a->time, isnan(by) ? HUGE_VAL : by, ""};
    snprintf(d.what, sizeof d.what, "%s", what);
    // Of the first moment the largest counts.
    if (line->first.step < 0 || (line->first.step == d.step && d.by > line->first.by)) line->first = d;
    if (line->most.step < 0 || d.by > line->most.by) line->most = d;
}

// Both not finite in the same way is the same.
static double off(double a, double b) {
    if (a == b || (isnan(a) && isnan(b))) return 0.0;
    return fabs(a - b);
}

// --- what is compared ------------------------------------------------------------------------------------------------

static void compare_controls(moment* m) {
    const ts_model* model = m->a->model;
    char what[128];
    for (int i = 0; i < model->actuator_count; ++i) {
        double by = off(m->a->ctrl[i], m->b->ctrl[i]);
        if (!notice(m, TS_DIVERGENCE_CONTROL, by)) continue;
        name_of("actuator", model->actuator[i].name, i, what, sizeof what);
        keep(m, TS_DIVERGENCE_CONTROL, by, what);
    }
}

static void compare_joints(moment* m) {
    const ts_model* model = m->a->model;
    char what[128];
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        double most[2] = {0.0, 0.0};
        for (int k = 0; k < ts_joint_type_nv(joint->type); ++k)
            most[0] = fmax(most[0], off(m->a->qvel[joint->dof_first + k], m->b->qvel[joint->dof_first + k]));
        for (int k = 0; k < ts_joint_type_nq(joint->type); ++k)
            most[1] = fmax(most[1], off(m->a->qpos[joint->qpos_first + k], m->b->qpos[joint->qpos_first + k]));
        for (int k = 0; k < 2; ++k) {
            ts_divergence_quantity quantity = k ? TS_DIVERGENCE_POSITION : TS_DIVERGENCE_VELOCITY;
            if (!notice(m, quantity, most[k])) continue;
            // A free joint without a name is known by its body.
            if (joint->name[0])
                name_of("joint", joint->name, j, what, sizeof what);
            else
                name_of("the joint of body", model->body[joint->body].name, joint->body, what, sizeof what);
            keep(m, quantity, most[k], what);
        }
    }
}

static void compare_bodies(moment* m) {
    const ts_model* model = m->a->model;
    char what[128];
    for (int b = 1; b < model->body_count; ++b) {
        const ts_transform *x = &m->a->kinematics.body_pose[b], *y = &m->b->kinematics.body_pose[b];
        // Of two rotations by an angle t against each other the matrices differ by 2 sqrt(2) sin(t / 2) in all.
        double square = 0.0;
        for (int k = 0; k < 9; ++k)
            square += (x->R.m[k / 3][k % 3] - y->R.m[k / 3][k % 3]) * (x->R.m[k / 3][k % 3] - y->R.m[k / 3][k % 3]);
        double by[2] = {ts_vec3_distance(x->p, y->p), 2.0 * asin(fmin(1.0, sqrt(0.125 * square)))};
        for (int k = 0; k < 2; ++k) {
            ts_divergence_quantity quantity = k ? TS_DIVERGENCE_TURN : TS_DIVERGENCE_PLACE;
            if (!notice(m, quantity, by[k])) continue;
            name_of("body", model->body[b].name, b, what, sizeof what);
            keep(m, quantity, by[k], what);
        }
    }
}

static void name_contact(const ts_model* model, const ts_contact* c, char* out, size_t size) {
    char a[64], b[64];
    snprintf(a, sizeof a, "geom %d", c->geom_a);
    snprintf(b, sizeof b, "geom %d", c->geom_b);
    const char *x = model->geom[c->geom_a].name, *y = model->geom[c->geom_b].name;
    if (x[0]) snprintf(a, sizeof a, "'%.60s'", x);
    if (y[0]) snprintf(b, sizeof b, "'%.60s'", y);
    snprintf(out, size, "contact %s - %s", a, b);
}

static void compare_contact(moment* m, int i, int j) {
    const ts_contact *c = &m->a->contact[i], *d = &m->b->contact[j];
    const ts_divergence_quantity quantity[3] = {TS_DIVERGENCE_GAP, TS_DIVERGENCE_IMPULSE, TS_DIVERGENCE_MODE};
    double by[3] = {off(c->gap, d->gap), 0.0, 0.0};
    if (c->impulse.x != d->impulse.x || c->impulse.y != d->impulse.y || c->impulse.z != d->impulse.z)
        // In the world's axes: tangents may have been chosen otherwise.
        by[1] = ts_vec3_distance(ts_mat3_mul_vec(&c->frame, c->impulse), ts_mat3_mul_vec(&d->frame, d->impulse));
    by[2] = m->a->contact_mode[i] != m->b->contact_mode[j] ? 1.0 : 0.0;
    char what[192];
    for (int k = 0; k < 3; ++k) {
        if (!notice(m, quantity[k], by[k])) continue;
        name_contact(m->a->model, c, what, sizeof what);
        keep(m, quantity[k], by[k], what);
    }
}

static void only_one_has(moment* m, const ts_contact* c, const char* which) {
    char name[192], what[192];
    if (!notice(m, TS_DIVERGENCE_CONTACTS, 1.0)) return;
    name_contact(m->a->model, c, name, sizeof name);
    snprintf(what, sizeof what, "%.160s, only in %s", name, which);
    keep(m, TS_DIVERGENCE_CONTACTS, 1.0, what);
}

// Places in an array of contacts by ascending key: by insertion, since few keys move from step to step.
static int sort_contacts(const ts_sim* sim, int* order) {
    for (int i = 0; i < sim->contact_count; ++i) {
        int at = i;
        for (; at > 0 && sim->contact[order[at - 1]].key > sim->contact[i].key; --at) order[at] = order[at - 1];
        order[at] = i;
    }
    return sim->contact_count;
}

static int make_room(moment* m) {
    int wanted = m->a->contact_count > m->b->contact_count ? m->a->contact_count : m->b->contact_count;
    for (int k = 0; k < 2; ++k) {
        void* data = m->order[k];
        int capacity = m->capacity;
        if (!ts_array_grow(&data, &capacity, sizeof(int), wanted)) return 0;
        m->order[k] = (int*)data;
        if (k == 1) m->capacity = capacity;
    }
    return 1;
}

static int compare_contacts(moment* m) {
    if (!make_room(m)) return 0;
    int n = sort_contacts(m->a, m->order[0]), k = sort_contacts(m->b, m->order[1]), i = 0, j = 0;
    while (i < n || j < k) {
        const ts_contact* c = i < n ? &m->a->contact[m->order[0][i]] : NULL;
        const ts_contact* d = j < k ? &m->b->contact[m->order[1][j]] : NULL;
        if (c && d && c->key == d->key)
            compare_contact(m, m->order[0][i++], m->order[1][j++]);
        else if (c && (!d || c->key < d->key))
            only_one_has(m, c, "the first"), ++i;
        else if (d)
            only_one_has(m, d, "the second"), ++j;
    }
    return 1;
}

// --- all moments -----------------------------------------------------------------------------------------------------

static ts_code compare_moment(moment* m, ts_recording* const recording[2], ts_sim* const sim[2], const long long row[2],
                              ts_status* out_status) {
    for (int k = 0; k < 2; ++k) {
        ts_code code = ts_recording_take(recording[k], row[k], sim[k], out_status);
        if (code) return code;
    }
    if (m->out->moments++ == 0) m->out->from = sim[0]->time;
    m->out->until = sim[0]->time;
    compare_controls(m);
    if ((row[0] > 0) == (row[1] > 0) && !compare_contacts(m))
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    compare_joints(m);
    compare_bodies(m);
    return TS_OK;
}

static int first_of(const ts_divergence* divergence) {
    int first = -1;
    for (int q = 0; q < TS_DIVERGENCE_COUNT; ++q) {
        long long step = divergence->line[q].first.step;
        if (step >= 0 && (first < 0 || step < divergence->line[first].first.step)) first = q;
    }
    return first;
}

ts_code ts_divergence_find(ts_recording* const recording[2], ts_sim* const sim[2], double tolerance,
                           int (*watch)(void* user, double done), void* user, ts_divergence* out,
                           ts_status* out_status) {
    const ts_recording_about *a = ts_recording_about_of(recording[0]), *b = ts_recording_about_of(recording[1]);
    moment m = {.out = out, .a = sim[0], .b = sim[1], .tolerance = tolerance};
    memset(out, 0, sizeof *out);
    for (int q = 0; q < TS_DIVERGENCE_COUNT; ++q) out->line[q].first.step = out->line[q].most.step = -1;
    long long row[2] = {0, 0};
    ts_code code = TS_OK;
    while (!code && row[0] < a->count && row[1] < b->count) {
        double off_by = a->time[row[0]] - b->time[row[1]];
        // Times of the same step are sums of the same numbers, or of numbers that were written with fewer digits.
        if (fabs(off_by) <= 1e-9 * fmax(1e-3, fabs(a->time[row[0]]))) {
            code = compare_moment(&m, recording, sim, row, out_status);
            ++row[0];
            ++row[1];
        } else {
            int late = off_by > 0.0;
            ++out->only_in[late];
            ++row[late];
        }
        if (!code && watch && watch(user, (double)row[0] / (double)a->count))
            code = ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", out->until);
    }
    out->only_in[0] += a->count - row[0];
    out->only_in[1] += b->count - row[1];
    out->first = first_of(out);
    ts_array_release(m.order[0]);
    ts_array_release(m.order[1]);
    return code ? code : ts_status_ok(out_status);
}

double ts_divergence_mark(ts_recording* const recording[2], const ts_model* model, char* out_words, size_t size) {
    ts_sim* sim[2] = {NULL, NULL};
    ts_divergence divergence;
    ts_code code = TS_OK;
    double mark = (double)NAN;
    out_words[0] = '\0';
    for (int k = 0; k < 2 && !code; ++k) code = ts_sim_create(model, 1, &sim[k], NULL);
    if (!code) code = ts_divergence_find(recording, sim, 0.0, NULL, NULL, &divergence, NULL);
    if (!code && divergence.first >= 0) {
        const ts_difference* part = &divergence.line[divergence.first].first;
        mark = part->time;
        snprintf(out_words, size, "first difference, step %lld: %s of %s", part->step,
                 ts_divergence_name((ts_divergence_quantity)divergence.first, NULL), part->what);
    } else if (!code && divergence.moments > 0) {
        snprintf(out_words, size, "the two are the same bit by bit");
    }
    for (int k = 0; k < 2; ++k) ts_sim_free(sim[k]);
    return mark;
}
