// Running an experiment, under a solver of ours or in another engine.
#include "scenes/experiments/experiment.h"

#include "base/clock.h"
#include "contact/judge/obstacle.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/step.h"
#include "engine/write/mjcf_writer.h"
#include "scenes/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ts_code ts_experiment_load(const ts_experiment* experiment, double value, ts_loaded_scene* out_scene,
                           ts_status* out_status) {
    if (!experiment->write) return ts_scene_load(experiment->scene, NULL, out_scene, out_status);
    memset(out_scene, 0, sizeof *out_scene);
    out_scene->focus = -1;
    ts_text text = {0};
    experiment->write(value, &text);
    ts_code code = TS_ERROR_MEMORY;
    if (text.failed)
        ts_status_set(out_status, code, NULL, 0, "out of memory");
    else
        code =
            ts_mjcf_parse(ts_text_get(&text), text.length, experiment->name, NULL, NULL, &out_scene->model, out_status);
    ts_text_free(&text);
    if (code) return code;
    if (experiment->parameter)
        snprintf(out_scene->name, sizeof out_scene->name, "%s:%g", experiment->name, value);
    else
        snprintf(out_scene->name, sizeof out_scene->name, "%s", experiment->name);
    out_scene->duration = experiment->duration;
    out_scene->focus = ts_scene_default_focus(out_scene->model);
    return experiment->controller
               ? ts_controller_choose(experiment->controller, out_scene->model, &out_scene->control, out_status)
               : ts_status_ok(out_status);
}

void ts_lab_tell(ts_lab_run* run, int measure, double value, double reference, double tolerance) {
    ts_measured* m = &run->measured[measure];
    m->told = 1;
    m->value = value;
    m->reference = reference;
    m->tolerance = tolerance;
}

int ts_lab_body(ts_lab_run* run, const ts_sim* sim, int k, const char* name) {
    if (run->steps == 0) run->body[k] = ts_model_find_body(sim->model, name);
    return run->body[k];
}

ts_vec3 ts_lab_contact_force(const ts_sim* sim, int body) {
    ts_vec3 sum = ts_vec3_zero();
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        double sign = (c.body_b == body) - (c.body_a == body);
        sum = ts_vec3_add(sum, ts_vec3_scale(sign, ts_mat3_mul_vec(&c.frame, c.impulse)));
    }
    return ts_vec3_scale(1.0 / sim->options.time_step, sum);
}

const char* ts_lab_entrant_name(const ts_lab_entrant* entrant) {
    return entrant->solver ? entrant->solver->name : entrant->engine->name;
}

unsigned ts_lab_entrant_traits(const ts_lab_entrant* entrant) {
    return entrant->solver ? ts_traits_of(entrant->solver) : entrant->engine->traits | TS_TRAIT_FOREIGN;
}

// Everything that a run needs.
typedef struct stage {
    ts_loaded_scene scene;
    ts_sim* sim;
    ts_ledger ledger;             // kept where sim steps by itself
    const ts_lab_engine* engine;  // NULL: sim steps by itself
    void* state;                  // the other engine's
    int (*stop)(void* user);
    void* user;
} stage;

static ts_code open_engine(const ts_experiment* experiment, double value, stage* at, ts_status* out_status) {
    ts_text text = {0};
    ts_code code = TS_OK;
    if (experiment->write)
        experiment->write(value, &text);
    else
        code = ts_mjcf_writer_text(at->scene.model, NULL, &text, out_status);
    if (code == TS_OK)
        code = at->engine->create(at->engine, ts_text_get(&text), text.length, at->sim, &at->state, out_status);
    ts_text_free(&text);
    return code;
}

static ts_code open_stage(const ts_lab_run* run, const ts_lab_entrant* entrant, stage* at, ts_status* out_status) {
    ts_code code = ts_experiment_load(run->experiment, run->value, &at->scene, out_status);
    if (code == TS_OK) code = ts_sim_create(at->scene.model, 1, &at->sim, out_status);
    if (code) return code;
    at->engine = entrant->engine;
    // A solver keeps the settings that the scene gave it.
    if (entrant->solver) {
        if (strcmp(at->sim->solver->name, entrant->solver->name) != 0)
            return ts_sim_set_solver(at->sim, entrant->solver->name, out_status);
        return TS_OK;
    }
    return open_engine(run->experiment, run->value, at, out_status);
}

static void close_stage(stage* at) {
    if (at->state) at->engine->free(at->state);
    ts_sim_free(at->sim);
    if (at->scene.model) ts_loaded_scene_free(&at->scene);
}

// Keeps every stride-th sample; when there is no room left every second one goes.
static void keep_sample(ts_lab_run* run, double time, double value) {
    if (run->steps % run->stride != 0) return;
    if (run->samples == TS_LAB_SAMPLES) {
        for (int i = 0; i < TS_LAB_SAMPLES / 2; ++i) {
            run->sample[i] = run->sample[2 * i];
            run->sample_time[i] = run->sample_time[2 * i];
        }
        run->samples = TS_LAB_SAMPLES / 2;
        run->stride *= 2;
        if (run->steps % run->stride != 0) return;
    }
    run->sample_time[run->samples] = time;
    run->sample[run->samples++] = value;
}

static void observe(ts_lab_run* run, const stage* at) {
    if (!run->experiment->observe) return;
    ts_sim_update_kinematics(at->sim);
    double value = run->experiment->observe(run, at->sim);
    if (run->experiment->signal) keep_sample(run, at->sim->time, value);
}

static int is_finite_state(const ts_sim* sim) {
    for (int i = 0; i < sim->model->nq; ++i)
        if (!isfinite(sim->qpos[i])) return 0;
    return 1;
}

// A problem that is too large for its solver is answered by another one, which sweeps; so is one in which pivots lose their way. Sweeps that
// come to an end, by the law or by rounding, miss nothing by being sweeps; those that are cut do, unless what they leave of the law is no more
// than what a body falls by in a second in rounding.
static void note_stand_in(ts_lab_run* run, const ts_sim* sim) {
    ts_arena arena;
    const double rounding = 1e-10;
    if (sim->solver->pivots && sim->info.solve.status == TS_SOLVE_ITERATION_LIMIT && sim->info.unmet > rounding)
        run->traits |= TS_TRAIT_SWEEPS;
    if ((run->traits & TS_TRAIT_SWEEPS) || !sim->solver->obstacle) return;
    if (!sim->solver->obstacle(&sim->problem, sim->solver_settings)) return;
    ts_arena_init(&arena, 0);
    if (ts_obstacle_of(sim->solver, &sim->problem, sim->solver_settings, &arena)) run->traits |= TS_TRAIT_SWEEPS;
    ts_arena_free(&arena);
}

static void note_ledger(ts_lab_run* run, const ts_ledger* ledger) {
    double share = ts_ledger_step_share(ledger);
    if (share <= run->ledger_share || isnan(run->ledger_share)) return;
    run->ledger_share = share;
    run->ledger_step = run->steps;
}

static void note_cost(ts_lab_run* run, const stage* at, double seconds) {
    const ts_step_info* info = &at->sim->info;
    run->time = at->sim->time;
    run->processor += seconds;
    if (!(seconds > run->dearest.seconds)) return;
    run->dearest = (ts_lab_step){at->sim->time, seconds, 0, 0, TS_SOLVE_CONVERGED};
    if (at->engine || info->row_count == 0) return;
    run->dearest.iterations = info->solve.iterations;
    run->dearest.blocks = info->islands.largest;
    run->dearest.status = info->solve.status;
}

static ts_code step(ts_lab_run* run, const stage* at) {
    ts_sim* sim = at->sim;
    ts_controller_act(&at->scene.control, sim);
    double start = ts_clock_thread_seconds();
    ts_code code = at->engine ? at->engine->step(at->state, sim, &run->status) : ts_sim_step(sim, &run->status);
    if (code) return code;
    note_cost(run, at, ts_clock_thread_seconds() - start);
    if (!is_finite_state(sim))
        return ts_status_set(&run->status, TS_ERROR_NUMERIC, NULL, 0, "positions are not finite at t = %g s",
                             sim->time);
    run->steps++;
    if (!at->engine) note_ledger(run, &at->ledger);
    if (!at->engine && sim->info.row_count > 0) {
        run->unsolved += sim->info.solve.status != TS_SOLVE_CONVERGED;
        run->worst_unmet = fmax(run->worst_unmet, sim->info.unmet);
        note_stand_in(run, sim);
    }
    observe(run, at);
    if (at->stop && at->stop(at->user))
        return ts_status_set(&run->status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", sim->time);
    return TS_OK;
}

void ts_lab_run_one(const ts_experiment* experiment, double value, const ts_lab_entrant* entrant,
                    int (*stop)(void* user), void* user, ts_lab_run* out_run) {
    memset(out_run, 0, sizeof *out_run);
    out_run->experiment = experiment;
    out_run->value = value;
    out_run->engine = ts_lab_entrant_name(entrant);
    out_run->traits = ts_lab_entrant_traits(entrant);
    out_run->facets = entrant->solver ? ts_contact_law_facets(entrant->solver->law) : 0;
    out_run->stride = 1;
    for (int m = 0; m < experiment->measure_count; ++m) out_run->missed_by[m] = experiment->measure[m].missed_by;
    stage at = {.stop = stop, .user = user};
    double start = ts_clock_seconds();
    out_run->code = open_stage(out_run, entrant, &at, &out_run->status);
    if (out_run->code == TS_OK) {
        if (!at.engine) ts_ledger_keep(at.sim, &at.ledger);
        long long steps = ts_run_steps(experiment->duration, at.sim->options.time_step);
        observe(out_run, &at);
        for (long long i = 0; i < steps && out_run->code == TS_OK; ++i) out_run->code = step(out_run, &at);
        if (out_run->code == TS_OK && experiment->conclude) experiment->conclude(out_run, at.sim);
    }
    out_run->seconds = ts_clock_seconds() - start;
    close_stage(&at);
}

void ts_lab_why_long(const ts_lab_run* run, ts_text* text) {
    const ts_lab_step* dearest = &run->dearest;
    const char* work = run->traits & TS_TRAIT_CORNER   ? "pivots and sweeps"
                       : run->traits & TS_TRAIT_SWEEPS ? "sweeps"
                                                       : "iterations";
    ts_text_add(text, "reached %.3g of %g s, %.3g ms a step", run->time, run->experiment->duration,
                1e3 * run->processor / fmax(1.0, (double)run->steps));
    if (run->unsolved > 0) ts_text_add(text, ", %lld of %lld steps unsolved", run->unsolved, run->steps);
    ts_text_add(text, "; the dearest took %.3g s at %.3g s", dearest->seconds, dearest->time);
    if (dearest->blocks > 0)
        ts_text_add(text, ": %d %s, %d blocks in the largest island, %s", dearest->iterations, work, dearest->blocks,
                    ts_solve_status_name(dearest->status));
}
