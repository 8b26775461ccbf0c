// Problem: see what becomes of the same moment under another law, while the first one goes on. Rule: simulations of one model step to the same
// times; one that parts from another takes over its state, bit for bit, when the next step is made, and before that moment it is looked at as
// the one it came from. Guaranteed: a run that nothing was changed in makes the steps of the one it parted from, to the bit. Known to fail: what
// warm starts a solver keeps outside of the saved state is not taken over.
#include "viewer/session/runs_internal.h"

#include "contact/trace.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Notes of one solve; a step of more than that is noted in part, and says so.
enum { MOST_NOTES = 20000 };

static void stop_trace(ts_run* run) {
    if (run->trace && run->sim) run->sim->trace = NULL;
    free(run->trace);
    run->trace = NULL;
}

static ts_code start_trace(ts_run* run, ts_status* out_status) {
    if (run->trace) return TS_OK;
    run->trace = malloc(sizeof *run->trace + MOST_NOTES * sizeof(ts_trace_entry));
    if (!run->trace)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory to note how solves converge");
    *run->trace = (ts_trace){.entry = (ts_trace_entry*)(run->trace + 1), .capacity = MOST_NOTES};
    run->sim->trace = run->trace;
    return TS_OK;
}

ts_code ts_runs_trace(ts_runs* runs, int on, ts_status* out_status) {
    ts_code code = TS_OK;
    runs->traced = on;
    for (int i = 0; i < runs->count && !code; ++i) {
        if (on)
            code = start_trace(&runs->run[i], out_status);
        else
            stop_trace(&runs->run[i]);
    }
    return code;
}

static void clear_run(ts_run* run) {
    stop_trace(run);
    if (run->owned) ts_sim_free(run->sim);
    ts_history_free(&run->history);
    free(run->strip);
    memset(run, 0, sizeof *run);
}

ts_code ts_runs_add(ts_runs* runs, ts_sim* sim, int owned, unsigned long bytes, ts_status* out_status) {
    if (runs->count >= TS_RUNS) {
        if (owned) ts_sim_free(sim);
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d simulations side by side are the most",
                             (int)TS_RUNS);
    }
    ts_run* run = &runs->run[runs->count];
    memset(run, 0, sizeof *run);
    run->sim = sim;
    run->owned = owned;
    run->parent = -1;
    run->since = -HUGE_VAL;
    run->strip = calloc(1, sizeof *run->strip);
    ts_code code = ts_history_open(&run->history, sim, bytes, out_status);
    if (!code && !run->strip) code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for charts");
    if (!code && runs->traced) code = start_trace(run, out_status);
    if (code)
        clear_run(run);
    else
        ++runs->count;
    return code;
}

ts_sim* ts_runs_sim(const ts_runs* runs) { return runs->run[runs->chosen].sim; }

const ts_run* ts_runs_seen(const ts_runs* runs, int i) {
    const ts_run* run = &runs->run[i];
    while (run->with_parent) run = &runs->run[run->parent];
    return run;
}

// Solver, settings and options of another simulation of the same model.
ts_code ts_runs_take_settings(const ts_sim* from, ts_sim* to, ts_status* out_status) {
    to->options = from->options;
    ts_code code = from->solver ? ts_sim_set_solver(to, from->solver->name, out_status) : TS_OK;
    if (code) return code;
    memcpy(to->solver_settings, from->solver_settings, sizeof to->solver_settings);
    to->integrator = from->integrator;
    to->start_keyframe = from->start_keyframe;
    to->options = from->options;
    ts_sim_set_control(to, from->control, from->control_user);
    return TS_OK;
}

static ts_code take_state(const ts_sim* from, ts_sim* to, ts_status* out_status) {
    ts_snapshot state;
    memset(&state, 0, sizeof state);
    ts_code code = ts_sim_snapshot(from, &state, out_status);
    if (!code) code = ts_sim_restore(to, &state, out_status);
    ts_snapshot_free(&state);
    return code;
}

ts_code ts_runs_part(ts_runs* runs, unsigned long bytes, ts_status* out_status) {
    const ts_run* parent = &runs->run[runs->chosen];
    const ts_sim* from = ts_runs_seen(runs, runs->chosen)->sim;
    ts_sim* sim = NULL;
    if (parent->history.recording)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a recording goes on as it was recorded");
    ts_code code = ts_sim_create(from->model, ts_task_pool_workers(parent->sim->tasks), &sim, out_status);
    if (!code) code = ts_runs_take_settings(parent->sim, sim, out_status);
    if (!code) code = take_state(from, sim, out_status);
    if (!code) code = ts_sim_forward(sim, out_status);
    if (code) {
        ts_sim_free(sim);
        return code;
    }
    code = ts_runs_add(runs, sim, 1, bytes, out_status);
    if (code) return code;
    ts_run* run = &runs->run[runs->count - 1];
    run->parent = runs->chosen;
    run->with_parent = 1;
    run->since = from->time;
    *run->strip = *parent->strip;
    memcpy(run->note, parent->note, sizeof run->note);
    runs->chosen = runs->count - 1;
    return ts_status_ok(out_status);
}

ts_code ts_runs_settle(ts_runs* runs, int i, ts_status* out_status) {
    ts_run* run = &runs->run[i];
    if (!run->with_parent) return TS_OK;
    const ts_sim* from = ts_runs_seen(runs, i)->sim;
    ts_code code = take_state(from, run->sim, out_status);
    if (code) return code;
    run->with_parent = 0;
    run->since = from->time;
    run->fault[0] = '\0';
    ts_history_clear(&run->history);
    return TS_OK;
}

void ts_runs_changed(ts_runs* runs) {
    ts_run* run = &runs->run[runs->chosen];
    if (!run->with_parent) {
        ts_history_branch(&run->history, run->sim);
        return;
    }
    run->since = ts_runs_seen(runs, runs->chosen)->sim->time;
    ts_history_clear(&run->history);
}

ts_code ts_runs_follow(ts_runs* runs, int i, ts_status* out_status) {
    ts_code code = take_state(runs->run[0].sim, runs->run[i].sim, out_status);
    return code ? code : ts_sim_forward(runs->run[i].sim, out_status);
}

ts_code ts_runs_remove(ts_runs* runs, ts_status* out_status) {
    int gone = runs->chosen;
    if (runs->count < 2)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "this is the only simulation there is");
    if (!runs->run[gone].owned)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "only what parted here can be taken away");
    for (int i = 0; i < runs->count; ++i) {
        ts_run* run = &runs->run[i];
        if (run->parent != gone) continue;
        int joins = run->with_parent;
        ts_code code = ts_runs_settle(runs, i, out_status);
        if (!code && joins) code = ts_sim_forward(run->sim, out_status);
        if (code) return code;
        run->parent = -1;
    }
    clear_run(&runs->run[gone]);
    for (int i = gone; i + 1 < runs->count; ++i) runs->run[i] = runs->run[i + 1];
    --runs->count;
    memset(&runs->run[runs->count], 0, sizeof runs->run[0]);
    for (int i = 0; i < runs->count; ++i)
        if (runs->run[i].parent > gone) --runs->run[i].parent;
    runs->chosen = gone > 0 ? gone - 1 : 0;
    return ts_status_ok(out_status);
}

static ts_code step_run(ts_run* run, const ts_loaded_scene* scene, const ts_grab* grab, const ts_grab_load* load,
                        ts_status* out_status) {
    if (grab->kind != TS_GRAB_NONE) ts_sim_update_kinematics(run->sim);
    ts_push push = ts_grab_push(run->sim, grab, load);
    ts_code code = ts_history_step(&run->history, run->scene ? run->scene : scene, run->sim, push, out_status);
    run->advanced |= !code;
    return code;
}

ts_code ts_runs_step(ts_runs* runs, const ts_loaded_scene* scene, const ts_grab* grab, const ts_grab_load* load,
                     ts_status* out_status) {
    // Whoever stands at its parent takes over a state that both have to leave first.
    for (int i = 0; i < runs->count; ++i) {
        runs->run[i].advanced = 0;
        ts_code code = ts_runs_settle(runs, i, out_status);
        if (code) return code;
    }
    ts_run* chosen = &runs->run[runs->chosen];
    ts_code code = step_run(chosen, scene, grab, load, out_status);
    if (code) return code;
    chosen->fault[0] = '\0';
    for (int i = 0; i < runs->count; ++i) {
        ts_run* run = &runs->run[i];
        ts_status status;
        if (run == chosen) continue;
        while (!run->fault[0] && run->sim->time + 0.5 * run->sim->options.time_step <= chosen->sim->time)
            if (step_run(run, scene, grab, load, &status))
                snprintf(run->fault, sizeof run->fault, "%.150s", status.message);
    }
    return ts_status_ok(out_status);
}

static long long step_at(const ts_sim* sim, double time) {
    double h = sim->options.time_step;
    return h > 0.0 ? sim->step_count + llround((time - sim->time) / h) : sim->step_count;
}

ts_code ts_runs_seek(ts_runs* runs, const ts_loaded_scene* scene, long long step, ts_status* out_status) {
    const ts_sim* seen = ts_runs_seen(runs, runs->chosen)->sim;
    double h = seen->options.time_step;
    double time = seen->time + (double)(step - seen->step_count) * h;
    ts_code code = TS_OK;
    for (int i = 0; i < runs->count && !code; ++i) {
        ts_run* run = &runs->run[i];
        run->with_parent = run->parent >= 0 && time <= run->since + 0.5 * h;
        run->fault[0] = '\0';
        if (!run->with_parent)
            code = ts_history_seek(&run->history, run->scene ? run->scene : scene, run->sim,
                                   run->history.recording && !run->scene ? step : step_at(run->sim, time), out_status);
    }
    return code;
}

void ts_runs_range(const ts_runs* runs, long long* out_first, long long* out_last) {
    const ts_run* run = &runs->run[runs->chosen];
    const ts_run* seen = ts_runs_seen(runs, runs->chosen);
    ts_history_range(&run->history, run->sim, out_first, out_last);
    // One that has no future of its own yet is at its end, whatever is known of its parent's.
    if (run->with_parent && !run->history.count) *out_first = *out_last = seen->sim->step_count;
    for (int p = run->parent; p >= 0; p = runs->run[p].parent) {
        long long first, last;
        ts_history_range(&runs->run[p].history, runs->run[p].sim, &first, &last);
        if (first < *out_first) *out_first = first;
    }
}

void ts_runs_reset(ts_runs* runs) {
    for (int i = 0; i < runs->count; ++i) {
        ts_run* run = &runs->run[i];
        ts_sim_reset(run->sim);
        ts_history_clear(&run->history);
        run->with_parent = 0;
        run->parent = -1;
        run->since = -HUGE_VAL;
        run->fault[0] = '\0';
    }
}

void ts_runs_name(const ts_run* run, char* out_name, size_t size) {
    if (run->title[0]) {
        snprintf(out_name, size, "%s", run->title);
        return;
    }
    const char* solver = run->sim->solver ? run->sim->solver->name : run->sim->options.solver;
    snprintf(out_name, size, "%.40s%s%s", solver, run->note[0] ? ", " : "", run->note);
}

void ts_runs_note(ts_runs* runs, const char* change) {
    ts_run* run = &runs->run[runs->chosen];
    if (runs->count < 2) return;
    // A knob that is turned tells many values: the last one of each counts.
    size_t name = strcspn(change, "=") + 1;
    char rest[sizeof run->note] = "";
    for (const char* at = run->note; *at;) {
        size_t length = strcspn(at, ",");
        if (strncmp(at, change, name) != 0)
            snprintf(rest + strlen(rest), sizeof rest - strlen(rest), "%s%.*s", rest[0] ? ", " : "", (int)length, at);
        at += length;
        at += strspn(at, ", ");
    }
    snprintf(run->note, sizeof run->note, "%.30s%s%.30s", rest, rest[0] ? ", " : "", change);
}

void ts_runs_free(ts_runs* runs) {
    for (int i = 0; i < runs->count; ++i) clear_run(&runs->run[i]);
    memset(runs, 0, sizeof *runs);
}
