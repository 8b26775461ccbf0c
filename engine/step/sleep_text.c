// What there is to say of a body's sleep.
#include <stdio.h>

#include "engine/step/sleep_internal.h"

// --- words -------------------------------------------------------------------------------------------------------------

static const char* const reason_name[TS_SLEEP_REASON_COUNT] = {
    [TS_SLEEP_NONE] = "none",           [TS_SLEEP_FIXED] = "fixed",
    [TS_SLEEP_ASLEEP] = "asleep",       [TS_SLEEP_OFF] = "off",
    [TS_SLEEP_NEVER] = "never",         [TS_SLEEP_ACTIVATION] = "activation",
    [TS_SLEEP_DRIVEN] = "driven",       [TS_SLEEP_MOVES] = "moves",
    [TS_SLEEP_DRIFTS] = "drifts",       [TS_SLEEP_SETTLES] = "settles",
    [TS_SLEEP_PARTNER] = "partner",     [TS_SLEEP_TOUCHED] = "touched",
    [TS_SLEEP_MOVED] = "support-moved", [TS_SLEEP_CONTROL] = "control",
    [TS_SLEEP_FORCE] = "force",         [TS_SLEEP_STATE] = "state",
    [TS_SLEEP_EQUALITY] = "equality",   [TS_SLEEP_OPTION] = "option",
    [TS_SLEEP_ASKED] = "asked",
};

const char* ts_sleep_reason_name(ts_sleep_reason reason) {
    return reason >= 0 && reason < TS_SLEEP_REASON_COUNT ? reason_name[reason] : "unknown";
}

// "'box-12'", or "body 12" where it has no name.
static void label(const char* kind, const char* name, int index, char* out, size_t size) {
    if (index >= 0 && name && name[0])
        snprintf(out, size, "'%s'", name);
    else if (index >= 0)
        snprintf(out, size, "%s %d", kind, index);
    else
        snprintf(out, size, "something");
}

static void label_of(const ts_model* model, ts_sleep_reason reason, int other, char* out, size_t size) {
    if (reason == TS_SLEEP_CONTROL)
        label("actuator", other >= 0 ? model->actuator[other].name : NULL, other, out, size);
    else if (reason == TS_SLEEP_EQUALITY)
        label("equality", other >= 0 ? model->equality[other].name : NULL, other, out, size);
    else
        label("body", other >= 0 ? model->body[other].name : NULL, other, out, size);
}

static void put_reason(const ts_model* model, const ts_options* o, const ts_sleep_state* state, char* out,
                       size_t size) {
    char name[96];
    double value = state->value;
    label_of(model, state->reason, state->other, name, sizeof name);
    switch (state->reason) {
    case TS_SLEEP_FIXED: snprintf(out, size, "does not move"); break;
    case TS_SLEEP_ASLEEP: snprintf(out, size, "asleep, with %.0f trees in its island", value); break;
    case TS_SLEEP_OFF: snprintf(out, size, "the option sleep is 0"); break;
    case TS_SLEEP_NEVER: snprintf(out, size, "the model says that it never sleeps"); break;
    case TS_SLEEP_ACTIVATION: snprintf(out, size, "an actuator that pulls at it has an activation"); break;
    case TS_SLEEP_DRIVEN: snprintf(out, size, "a surface that runs touches it"); break;
    case TS_SLEEP_MOVES: snprintf(out, size, "moves at %.3g m/s, more than %.3g", value, o->sleep_speed); break;
    case TS_SLEEP_DRIFTS: snprintf(out, size, "has moved by %.3g m, more than %.3g", value, o->sleep_distance); break;
    case TS_SLEEP_SETTLES: snprintf(out, size, "quiet for %.3g s of %.3g", value, o->sleep); break;
    case TS_SLEEP_PARTNER: snprintf(out, size, "quiet, but %s of its island is not", name); break;
    case TS_SLEEP_TOUCHED: snprintf(out, size, "touched by %s", name); break;
    case TS_SLEEP_MOVED: snprintf(out, size, "%s was moved under it", name); break;
    case TS_SLEEP_CONTROL: snprintf(out, size, "the control of %s changed", name); break;
    case TS_SLEEP_FORCE: snprintf(out, size, "a force from outside changed"); break;
    case TS_SLEEP_STATE: snprintf(out, size, "its position or velocity was set"); break;
    case TS_SLEEP_EQUALITY: snprintf(out, size, "%s was switched", name); break;
    case TS_SLEEP_OPTION: snprintf(out, size, "an option or the solver changed"); break;
    case TS_SLEEP_ASKED: snprintf(out, size, "somebody woke it"); break;
    case TS_SLEEP_NONE:
    case TS_SLEEP_REASON_COUNT: snprintf(out, size, "nothing"); break;
    }
}

// --- questions ---------------------------------------------------------------------------------------------------------

ts_sleep_state ts_sim_sleep(const ts_sim* sim, int body) {
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    int tree = body >= 0 && body < sim->model->body_count ? sim->model->body[body].tree : -1;
    ts_sleep_state state = {TS_SLEEP_OFF, 0.0, -1, TS_SLEEP_NONE, -1, 0.0};
    if (bed && tree >= 0) state = bed->tree[tree].state;
    if (tree < 0)
        state.reason = TS_SLEEP_FIXED;
    else if (!(sim->options.sleep > 0.0) && state.reason != TS_SLEEP_ASLEEP)
        state.reason = TS_SLEEP_OFF;
    return state;
}

int ts_sleep_state_text(const ts_model* model, const ts_options* options, const ts_sleep_state* state, char* out_text,
                        unsigned long size) {
    char now[160], cause[160], since[32] = "";
    ts_sleep_state woken = {state->cause, 0.0, state->cause_other, TS_SLEEP_NONE, -1, 0.0};
    put_reason(model, options, state, now, sizeof now);
    if (state->reason == TS_SLEEP_ASLEEP) snprintf(since, sizeof since, " since %.6g s", state->since);
    if (state->cause == TS_SLEEP_NONE || state->reason == TS_SLEEP_ASLEEP || state->reason == state->cause)
        return snprintf(out_text, size, "%s%s", now, since);
    put_reason(model, options, &woken, cause, sizeof cause);
    return snprintf(out_text, size, "%s; woken at %.6g s: %s", now, state->since, cause);
}

int ts_sim_sleep_text(const ts_sim* sim, int body, char* out_text, unsigned long size) {
    ts_sleep_state state = ts_sim_sleep(sim, body);
    return ts_sleep_state_text(sim->model, &sim->options, &state, out_text, size);
}

ts_code ts_sleep_refuse(const ts_sim* sim, const char* what, ts_status* out_status) {
    int asleep = ts_sim_storage_of(sim)->asleep_count;
    if (asleep == 0) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "%s of a step in which %d kinematic tree%s: set sleep to 0, or wake %s", what, asleep,
                         asleep == 1 ? " sleeps" : "s sleep", asleep == 1 ? "it" : "them");
}
