// Whoever asks for a derivative where a contact is about to do something else is told so: changes of mode of scenes, found by halving, in every case.
#include "engine/derivative/step_derivative_internal.h"
#include "base/rng.h"
#include "engine/step/step.h"
#include "engine/sim_internal.h"
#include "scenes/scene_table.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { ROWS = 64 };

typedef struct stage {
    ts_loaded_scene scene;
    ts_sim* sim;
    ts_arena arena;
    ts_rng rng;
    double* start;      // (nv) velocities
    double* toward;     // (nv)
    double* answer[2];  // (nv + ROWS) of the steps on both sides
    int found, jumps;
} stage;

static stage open_stage(const char* name) {
    stage at;
    ts_status status;
    memset(&at, 0, sizeof at);
    at.rng = ts_rng_make(17, 0);
    cr_assert_eq(ts_scene_load(name, NULL, &at.scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(at.scene.model, 1, &at.sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(at.sim, "ncp", NULL), TS_OK);
    return at;
}

static void close_stage(stage* at) {
    ts_sim_free(at->sim);
    ts_loaded_scene_free(&at->scene);
    ts_arena_free(&at->arena);
}

// Which blocks do what, as a number; velocities a share `s` of the way. *out_told: nonzero where the derivative is refused or said to be near something.
static uint64_t modes_at(stage* at, double s, int* out_told) {
    const ts_sim* sim = at->sim;
    ts_step_input input = ts_step_input_all(sim->model, TS_STEP_BY_VELOCITY);
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_derivative d;
    uint64_t sum = 0;
    size_t used = at->arena.used;
    for (int i = 0; i < sim->model->nv; ++i) at->sim->qvel[i] = at->start[i] + s * (at->toward[i] - at->start[i]);
    ts_arena_scope scope = ts_arena_scope_begin(&at->arena);
    ts_code code = ts_step_derivative_make(at->sim, &settings, &input, 1, &at->arena, &d, NULL);
    *out_told = code != TS_OK || d.report.verdict != TS_STEP_REGULAR;
    for (int b = 0; d.report.block && b < d.report.block_count; ++b) {
        const ts_row_block* owner = &sim->row_block[b];
        if (d.report.block[b].mode == TS_MODE_OPEN) continue;
        uint64_t word = (uint64_t)owner->source + 31u * (uint64_t)owner->key.whole + 1009u * (uint64_t)owner->key.part;
        word = (word + 1u) * 0x9e3779b97f4a7c15u + (uint64_t)d.report.block[b].mode;
        sum += (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9u;
    }
    ts_arena_scope_end(&at->arena, scope);
    cr_assert_eq(at->arena.used, used);
    return sum;
}

// Velocities after the step, and the impulses of its first rows.
static void note_answer(stage* at, int side) {
    const ts_sim* sim = at->sim;
    int nv = sim->model->nv, rows = sim->problem.row_count < ROWS ? sim->problem.row_count : ROWS;
    memset(at->answer[side], 0, (size_t)(nv + ROWS) * sizeof(double));
    memcpy(at->answer[side], ts_sim_storage_of(sim)->new_velocity, (size_t)nv * sizeof(double));
    memcpy(at->answer[side] + nv, sim->impulse, (size_t)rows * sizeof(double));
}

static int differ(const double* a, const double* b, int count) {
    double apart = 0.0, most = 0.0;
    for (int i = 0; i < count; ++i) {
        apart = fmax(apart, fabs(a[i] - b[i]));
        most = fmax(most, fabs(a[i]));
    }
    return apart > 1e-6 * most;
}

// From velocities of the scene to others: where its modes change, to rounding.
static void expect_told(stage* at) {
    double low = 0.0, high = 1.0;
    int told;
    uint64_t first = modes_at(at, low, &told);
    if (modes_at(at, high, &told) == first) return;
    while (high - low > 2e-16 && 0.5 * (low + high) > low && 0.5 * (low + high) < high) {
        double middle = 0.5 * (low + high);
        if (modes_at(at, middle, &told) == first)
            low = middle;
        else
            high = middle;
    }
    int told_before, told_after;
    modes_at(at, low, &told_before);
    note_answer(at, 0);
    modes_at(at, high, &told_after);
    note_answer(at, 1);
    ++at->found;
    // Hyperstatic contacts, friction and grip can have several answers; where the solver goes from one to another no mode has to be near its change.
    if (differ(at->answer[0], at->answer[1], at->sim->model->nv) ||
        differ(at->answer[0] + at->sim->model->nv, at->answer[1] + at->sim->model->nv, ROWS)) {
        ++at->jumps;
        return;
    }
    cr_expect(told_before, "%s at %g s, before the change at %.17g", at->scene.name, at->sim->time, low);
    cr_expect(told_after, "%s at %g s, after the change at %.17g", at->scene.name, at->sim->time, high);
}

static void expect_changes_told(const char* name, int states, int between, double position, double velocity) {
    stage at = open_stage(name);
    int nv = at.sim->model->nv;
    at.start = TS_ARENA_ARRAY(&at.arena, double, nv);
    at.toward = TS_ARENA_ARRAY(&at.arena, double, nv);
    for (int k = 0; k < 2; ++k) at.answer[k] = TS_ARENA_ARRAY(&at.arena, double, nv + ROWS);
    for (int n = 0; n < states; ++n) {
        ts_snapshot before = {0};
        for (int i = 0; i < between; ++i) {
            ts_controller_act(&at.scene.control, at.sim);
            cr_assert_eq(ts_sim_step(at.sim, NULL), TS_OK);
        }
        ts_controller_act(&at.scene.control, at.sim);
        cr_assert_eq(ts_sim_snapshot(at.sim, &before, NULL), TS_OK);
        for (int i = 0; i < nv; ++i) {
            ts_step_input_move(at.sim, TS_STEP_BY_POSITION, i, ts_rng_uniform_in(&at.rng, -position, position));
            at.start[i] = at.sim->qvel[i];
            at.toward[i] = at.start[i] + ts_rng_uniform_in(&at.rng, -velocity, velocity);
        }
        expect_told(&at);
        cr_assert_eq(ts_sim_restore(at.sim, &before, NULL), TS_OK);
        ts_snapshot_free(&before);
    }
    cr_expect_gt(at.found, states / 4, "%s: %d changes", name, at.found);
    cr_expect_leq(3 * at.jumps, 2 * at.found, "%s: %d of %d jumps", name, at.jumps, at.found);
    cr_log_info("%s: %d changes, %d jumps", name, at.found, at.jumps);
    close_stage(&at);
}

TestSuite(step_changes, .timeout = 300);

Test(step_changes, sliding_cube) { expect_changes_told("sliding-cube", 30, 3, 1e-5, 0.3); }
Test(step_changes, arm_push) { expect_changes_told("arm-push", 20, 71, 1e-5, 0.3); }
Test(step_changes, quadruped) { expect_changes_told("quadruped", 20, 37, 1e-4, 0.5); }
Test(step_changes, hand) { expect_changes_told("hand", 20, 37, 1e-4, 1.0); }
Test(step_changes, biped) { expect_changes_told("biped", 15, 37, 1e-4, 0.5); }
Test(step_changes, gripper) { expect_changes_told("gripper", 15, 67, 1e-4, 0.5); }
