// One time step, as a table of contents.
//
// With substeps (substep.c) all but the search for contacts is done several times; of piles (pile.c) pairs of bodies take the place of
// assemble and solve.
//
//     kinematics  -> where everything is                      kinematics.c
//     broad       -> which geoms may touch                    pairs.c
//     narrow      -> where they touch                         narrow.c, found.c
//     dynamics    -> mass matrix, bias, forces                dynamics.c, crba.c, rnea.c
//     advance     -> velocity without contacts                integrate/
//     assemble    -> the contact problem                      assemble.c, rows/
//     solve       -> impulses                                 solve.c, contact/
//     integrate   -> the new state                            integrate.c, integrate/
#include "engine/step/step.h"

#include <string.h>

#include "base/clock.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/ledger_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/substep_internal.h"

void ts_step_kinematics(ts_sim* sim) {
    // A step begins: what the last one left in scratch goes.
    ts_arena_reset(&sim->scratch);
    ts_sim_forget_step(sim);
    memset(&sim->info, 0, sizeof sim->info);
    if (!ts_sleep_begin(sim)) sim->scratch.failed = 1;
    if (!ts_pile_begin(sim)) ts_sim_move_on(sim);
}

// Sleepers are where they were.
static void update_awake(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    (void)worker;
    for (int t = begin; t < end; ++t)
        if (ts_sim_storage_of(sim)->tree_asleep[t] != TS_TREE_LIES)
            ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, t, &sim->kinematics);
}

void ts_sim_move_on(ts_sim* sim) {
    if (sim->model->mocap_count > 0) ts_kinematics_place(sim->model, sim->mocap, &sim->kinematics);
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, 64, update_awake, sim);
    ts_actuation_begin(sim);
}

ts_code ts_step_dynamics(ts_sim* sim) {
    if (!ts_dynamics_take_applied(sim)) return TS_ERROR_MEMORY;
    if (ts_dynamics_update(sim) >= 0) return TS_ERROR_NUMERIC;
    return ts_ledger_open(sim) ? ts_integrate_velocity(sim) : TS_ERROR_MEMORY;
}

static ts_code no_memory(const ts_sim* sim, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory in step %lld", sim->step_count);
}

static ts_code no_pairs(const ts_sim* sim, ts_status* out_status) {
    if (!sim->info.pair_limit_reached) return no_memory(sim, out_status);
    return ts_status_set(
        out_status, TS_ERROR_MEMORY, NULL, 0,
        "in step %lld more than %lld pairs of geoms have overlapping boxes: are many bodies in one place?",
        sim->step_count, ts_broad_phase_pair_limit(sim->model->geom_count));
}

static ts_code bad_mass(const ts_sim* sim, ts_status* out_status) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int tree = 0;
    while (tree + 1 < sim->model->tree_count && !storage->tree_failed[tree]) ++tree;
    return ts_status_set(
        out_status, TS_ERROR_NUMERIC, NULL, 0,
        "at t = %.6g s the mass matrix of the tree of body \"%s\" is not positive definite: a degree of "
        "freedom moves no mass, or the state is not finite",
        sim->time, sim->model->body[sim->model->tree[tree].root].name);
}

// Now, where somebody asks how long something takes.
static double now_if(const ts_sim* sim, ts_step_times asked) { return sim->times >= asked ? ts_clock_seconds() : 0.0; }

// Seconds since *mark, which moves on to now; 0 where nobody asks.
static double lap(const ts_sim* sim, double* mark) {
    if (sim->times < TS_STEP_TIMES_STAGES) return 0.0;
    double now = ts_clock_seconds(), passed = now - *mark;
    *mark = now;
    return passed;
}

// The stages from where things touch to the contact problem.
static ts_code pose_problem(ts_sim* sim, double* mark, ts_status* out_status) {
    ts_code code = ts_step_dynamics(sim);
    if (code) return code == TS_ERROR_MEMORY ? no_memory(sim, out_status) : bad_mass(sim, out_status);
    sim->info.seconds_dynamics += lap(sim, mark);
    if (ts_pile_is_on(sim)) return TS_OK;
    if (ts_step_assemble(sim)) return no_memory(sim, out_status);
    sim->info.seconds_assemble += lap(sim, mark);
    return TS_OK;
}

// Where everything is, and where it touches; once more where that wakes somebody.
static ts_code collide(ts_sim* sim, double* mark, ts_status* out_status) {
    ts_pair* pairs = NULL;
    int pair_count = 0;
    ts_step_kinematics(sim);
    sim->info.seconds_kinematics = lap(sim, mark);
    do {
        if (ts_step_broad_phase(sim, &pairs, &pair_count)) return no_pairs(sim, out_status);
        sim->info.seconds_broad += lap(sim, mark);
        if (ts_step_narrow_phase(sim, pairs, pair_count)) return no_memory(sim, out_status);
        sim->info.seconds_narrow += lap(sim, mark);
    } while (ts_sleep_touched(sim) > 0);
    return !sim->scratch.failed && ts_substep_note(sim) ? TS_OK : no_memory(sim, out_status);
}

// All stages up to the contact problem.
static ts_code prepare(ts_sim* sim, double* mark, ts_status* out_status) {
    if (ts_substep_is_later(sim)) {
        ts_substep_carry(sim);
        sim->info.seconds_kinematics = lap(sim, mark);
    } else {
        ts_code code = collide(sim, mark, out_status);
        if (code) return code;
    }
    return pose_problem(sim, mark, out_status);
}

// All stages up to the velocity at the end of the step, and what sensors tell of it.
static ts_code find_velocity(ts_sim* sim, double* io_mark, ts_status* out_status) {
    double mark = *io_mark;
    ts_code code = prepare(sim, &mark, out_status);
    if (code) return code;
    if (ts_pile_is_on(sim) ? ts_pile_solve(sim) : ts_step_solve(sim)) return no_memory(sim, out_status);
    sim->info.seconds_solve += lap(sim, &mark);
    // Actuators that were expected to stay within their limits and have not become rows; at the latest all of them are.
    while (ts_actuation_overran(sim, ts_sim_storage_of(sim)->new_velocity)) {
        code = pose_problem(sim, &mark, out_status);
        if (code) return code;
        if (ts_step_solve(sim)) return no_memory(sim, out_status);
        sim->info.seconds_solve += lap(sim, &mark);
    }
    if (sim->model->step_sensor_count > 0) {
        ts_sleep_show(sim);
        ts_sensor_measure_step(sim);
        ts_sleep_hide(sim);
    }
    *io_mark = mark;
    return TS_OK;
}

// Options may be written directly. All else that is wrong in them ends in numbers that are not finite; time would
// quietly run backwards, or a step have no end. Controls may write them, too.
static ts_code begin(ts_sim* sim, ts_status* out_status) {
    if (!(sim->options.time_step > 0.0)) return ts_options_check(&sim->options, out_status);
    if (sim->control) sim->control(sim, sim->control_user);
    int right = sim->options.time_step > 0.0 && sim->options.substeps >= 1;
    return right ? TS_OK : ts_options_check(&sim->options, out_status);
}

ts_code ts_sim_foresee(ts_sim* sim, ts_status* out_status) {
    double mark = now_if(sim, TS_STEP_TIMES_STAGES);
    ts_code code = begin(sim, out_status);
    if (!code && sim->options.substeps > 1)
        code = ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                             "a step of %d substeps cannot be foreseen or differentiated: set substeps to 1",
                             sim->options.substeps);
    if (!code) code = find_velocity(sim, &mark, out_status);
    if (code) return code;
    ts_sleep_show(sim);
    return ts_status_ok(out_status);
}

// A step, or a substep of one.
static ts_code advance(ts_sim* sim, ts_status* out_status) {
    double start = now_if(sim, TS_STEP_TIMES_TOTAL), mark = start;
    ts_code code = find_velocity(sim, &mark, out_status);
    if (code) return code;
    if (!ts_ledger_book(sim)) return no_memory(sim, out_status);
    code = ts_step_integrate(sim, out_status);
    if (!code) ts_ledger_close(sim);
    sim->info.seconds_integrate = lap(sim, &mark);
    sim->info.seconds_total = (sim->times == TS_STEP_TIMES_STAGES ? mark : now_if(sim, TS_STEP_TIMES_TOTAL)) - start;
    return code;
}

ts_code ts_sim_step(ts_sim* sim, ts_status* out_status) {
    ts_code code = begin(sim, out_status);
    if (code) return code;
    code = sim->options.substeps > 1 ? ts_substep_run(sim, advance, out_status) : advance(sim, out_status);
    if (code) return code;
    ts_sleep_show(sim);
    return ts_sleep_end(sim) ? no_memory(sim, out_status) : TS_OK;
}

ts_code ts_sim_forward(ts_sim* sim, ts_status* out_status) {
    double mark = now_if(sim, TS_STEP_TIMES_STAGES);
    ts_code code = prepare(sim, &mark, out_status);
    if (code) return code;
    ts_sleep_show(sim);
    return ts_status_ok(out_status);
}
