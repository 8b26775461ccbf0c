// "last" is not known before the run is over, and the state then is still that after its last step; "worst" is written
// anew whenever a step is worse than all before, which is seldom.
#include "cli/step_certificate_internal.h"

#include "cli/args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ts_code ts_step_certificate_parse(const char* text, ts_step_certificate* out, ts_status* out_status) {
    const char* colon = strchr(text, ':');
    char when[32];
    double step = 0.0;
    snprintf(when, sizeof when, "%.*s", colon && colon - text < 31 ? (int)(colon - text) : 0, text);
    memset(out, 0, sizeof *out);
    out->worst = -1.0;
    out->file = colon ? colon + 1 : "";
    if (strcmp(when, "last") == 0)
        out->when = TS_CERTIFICATE_LAST;
    else if (strcmp(when, "worst") == 0)
        out->when = TS_CERTIFICATE_WORST;
    else if (ts_args_number(when, &step) && step == floor(step) && step >= 1.0 && step <= 1e15)
        out->when = TS_CERTIFICATE_STEP;
    out->step = (long long)step;
    if (out->when != TS_CERTIFICATE_NEVER && out->file[0]) return ts_status_ok(out_status);
    out->when = TS_CERTIFICATE_NEVER;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "--certificate takes STEP:FILE, last:FILE or worst:FILE, such as worst:why.json, not '%s'",
                         text);
}

static void add_contact(ts_json* json, const ts_sim* sim, const ts_contact* contact) {
    const ts_model* model = sim->model;
    ts_json_object(json);
    ts_json_add_integer(json, "block", contact->block);
    ts_json_add_string(json, "geom_a", model->geom[contact->geom_a].name);
    ts_json_add_string(json, "geom_b", model->geom[contact->geom_b].name);
    ts_json_add_string(json, "body_a", contact->body_a ? model->body[contact->body_a].name : "world");
    ts_json_add_string(json, "body_b", contact->body_b ? model->body[contact->body_b].name : "world");
    ts_json_add_number(json, "gap", contact->gap);
    ts_json_add_bool(json, "blocked", contact->block >= 0 && sim->row_block[contact->block].blocked);
    // Of sleepers nothing was solved, and what is known of them is of the step in which they fell asleep.
    if (contact->asleep) ts_json_add_bool(json, "asleep", 1);
    ts_json_add_array(json, "position");
    ts_json_number(json, contact->position.x);
    ts_json_number(json, contact->position.y);
    ts_json_number(json, contact->position.z);
    ts_json_array_end(json);
    ts_json_object_end(json);
}

// The whole text anew, for the step just done.
static ts_code write_step(ts_step_certificate* request, const ts_sim* sim, ts_status* out_status) {
    ts_contact_certificate certificate;
    ts_arena_reset(&request->arena);
    ts_code code = ts_certify_step(sim, TS_CERTIFICATE_FAST, &request->arena, &certificate);
    if (code) return ts_status_set(out_status, code, request->file, 0, "no certificate: out of memory");
    ts_text_free(&request->text);
    ts_json json = ts_json_begin(&request->text);
    ts_json_object(&json);
    ts_json_add_string(&json, "scene", request->scene);
    ts_json_add_string(&json, "solver", sim->solver->name);
    ts_json_add_string(&json, "law", ts_contact_law_name(sim->solver->law));
    ts_json_add_integer(&json, "step", sim->step_count);
    ts_json_add_number(&json, "time", sim->time);
    ts_json_add_string(&json, "status", ts_solve_status_name(sim->info.solve.status));
    int stage = sim->info.solve.stage;
    ts_json_add_string(&json, "stage", stage > 0 ? ts_solver_stage_name(sim->solver, stage) : NULL);
    ts_json_add_array(&json, "contacts");
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        add_contact(&json, sim, &contact);
    }
    ts_json_array_end(&json);
    ts_json_add_array(&json, "rows");
    for (int b = 0; b < sim->problem.block_count; ++b) {
        char whose[320];
        ts_certify_describe(sim, b, whose, sizeof whose);
        ts_json_string(&json, whose);
    }
    ts_json_array_end(&json);
    ts_json_key(&json, "certificate");
    ts_certificate_write(&certificate, &json);
    ts_json_object_end(&json);
    ts_text_add(&request->text, "\n");
    request->found = 1;
    request->step = sim->step_count;
    return TS_OK;
}

ts_code ts_step_certificate_see(ts_step_certificate* request, const ts_sim* sim, ts_status* out_status) {
    if (sim->step_count == 0) return TS_OK;
    if (request->when == TS_CERTIFICATE_STEP && sim->step_count == request->step)
        return write_step(request, sim, out_status);
    // A natural map that is not a number is the worst there is.
    double natural = isnan(sim->info.residual.natural) ? HUGE_VAL : sim->info.residual.natural;
    if (request->when != TS_CERTIFICATE_WORST || natural <= request->worst) return TS_OK;
    request->worst = natural;
    return write_step(request, sim, out_status);
}

ts_code ts_step_certificate_write(ts_step_certificate* request, const ts_sim* sim, ts_status* out_status) {
    ts_code code = TS_OK;
    if (request->when == TS_CERTIFICATE_LAST && sim->step_count > 0) code = write_step(request, sim, out_status);
    if (code) return code;
    if (!request->found)
        return ts_status_set(out_status, TS_ERROR_VALUE, request->file, 0, "not written: the run had only %lld steps",
                             sim->step_count);
    return ts_text_write_file(&request->text, request->file, out_status);
}

static void law(ts_json* json, const char* key, unsigned holds, ts_law_holds bit) {
    ts_json_add_bool(json, key, (holds & (unsigned)bit) != 0);
}

void ts_step_certificate_summary(const ts_sim* sim, ts_json* json) {
    ts_contact_certificate certificate;
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    if (ts_certify_step(sim, TS_CERTIFICATE_FAST, &arena, &certificate)) {
        ts_json_string(json, NULL);
    } else {
        ts_json_object(json);
        ts_json_add_integer(json, "step", sim->step_count);
        ts_json_add_integer(json, "contacts", sim->contact_count);
        law(json, "lcp", certificate.holds, TS_HOLDS_LCP);
        law(json, "ccp", certificate.holds, TS_HOLDS_CCP);
        law(json, "ncp", certificate.holds, TS_HOLDS_NCP);
        ts_json_add_number(json, "natural", certificate.residual.natural);
        ts_json_add_object(json, "modes");
        for (int m = 0; m < TS_MODE_COUNT; ++m) {
            ts_json_add_integer(json, ts_contact_mode_name((ts_contact_mode)m), certificate.count[m]);
        }
        ts_json_object_end(json);
        ts_json_object_end(json);
    }
    ts_arena_free(&arena);
}

void ts_step_certificate_blame(const ts_sim* sim, ts_status* status) {
    char suspect[192];
    size_t length = strlen(status->message);
    if (status->code != TS_ERROR_NUMERIC) return;
    ts_certify_suspect(sim, suspect, sizeof suspect);
    if (suspect[0])
        snprintf(status->message + length, sizeof status->message - length, "; its largest impulse is at %s", suspect);
}

void ts_step_certificate_free(ts_step_certificate* request) {
    ts_text_free(&request->text);
    ts_arena_free(&request->arena);
}
