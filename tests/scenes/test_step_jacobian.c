// The derivative of a step by its equations against central differences of the step itself, over states that scenes pass through, away
// from changes of mode.
#include "engine/derivative/step_derivative_internal.h"
#include "base/rng.h"
#include "engine/model/builder.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 1: the largest difference allowed, of the largest entry of a column.
static const double tolerance = 1e-6;

typedef struct stage {
    ts_loaded_scene scene;
    ts_sim* sim;
    ts_arena arena;
    double open;   // 1: the share of velocities that solves to 1e-12 of the problem leave open
    int known;     // nonzero: all columns but those of restitution have their equations
    int compared;  // columns
    int doubtful;  // of them, those whose differences do not agree to the tolerance
    double worst;
} stage;

static stage open_stage(const char* name) {
    stage at;
    ts_status status;
    memset(&at, 0, sizeof at);
    cr_assert_eq(ts_scene_load(name, NULL, &at.scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(at.scene.model, 1, &at.sim, &status), TS_OK, "%s", status.message);
    if (strcmp(at.sim->solver->name, "ncp") != 0)
        cr_assert_eq(ts_sim_set_solver(at.sim, "ncp", &status), TS_OK, "%s", status.message);
    return at;
}

static void close_stage(stage* at) {
    ts_sim_free(at->sim);
    ts_loaded_scene_free(&at->scene);
    ts_arena_free(&at->arena);
}

static void advance(stage* at, int steps) {
    ts_status status;
    for (int i = 0; i < steps; ++i) {
        ts_controller_act(&at->scene.control, at->sim);
        cr_assert_eq(ts_sim_step(at->sim, &status), TS_OK, "%s", status.message);
    }
    ts_controller_act(&at->scene.control, at->sim);
}

// Away from where steps like to end: gaps that are closed exactly are where the law of contacts has a kink.
static void perturb(stage* at, double position, double velocity, ts_rng* rng) {
    for (int i = 0; i < at->sim->model->nv; ++i) {
        ts_step_input_move(at->sim, TS_STEP_BY_POSITION, i, ts_rng_uniform_in(rng, -position, position));
        ts_step_input_move(at->sim, TS_STEP_BY_VELOCITY, i, ts_rng_uniform_in(rng, -velocity, velocity));
    }
}

// Boxes on one another: each is pressed into the one below by less than what is left alone.
static void press(stage* at) {
    for (int t = 0; t < at->sim->model->tree_count; ++t)
        ts_step_input_move(at->sim, TS_STEP_BY_POSITION, at->sim->model->tree[t].dof_first + 2, -4e-6 * (t + 1));
}

// The Jacobian by `method`, differences by `increment`, or NULL where it is refused.
static double* jacobian(stage* at, ts_step_method method, double increment, ts_step_input input,
                        ts_step_derivative* out) {
    ts_status status;
    ts_step_derivative_settings settings = ts_step_derivative_default();
    settings.method = method;
    settings.increment = increment;
    ts_code code = ts_step_derivative_make(at->sim, &settings, &input, 1, &at->arena, out, &status);
    if (code) return NULL;
    double* matrix = TS_ARENA_ARRAY(&at->arena, double, (size_t)out->rows*(size_t)out->columns);
    cr_assert_eq(ts_step_derivative_matrix(out, &at->arena, matrix), TS_OK);
    return matrix;
}

// What differences cannot resolve: the solve leaves a share of the speeds open.
static double noise_of(const stage* at, ts_step_input_kind kind, int index) {
    int one_sided = 0;
    double speed = at->sim->options.time_step * ts_vec3_norm(at->sim->options.gravity);
    for (int i = 0; i < at->sim->model->nv; ++i) speed = fmax(speed, fabs(at->sim->qvel[i]));
    return at->open * speed / ts_step_increment(at->sim, kind, index, &one_sided);
}

// Of columns in which nothing changed. Differences are as good as they agree with wider ones.
static void compare_columns(stage* at, ts_step_input input, const double* one, const double* two, const double* wide,
                            const ts_step_derivative* d, const ts_step_derivative* wider) {
    for (int c = 0; c < d->columns; ++c) {
        double size = 0.0, off = 0.0, noise = noise_of(at, input.kind, input.first + c), doubt = 0.0;
        int row = 0;
        if (d->report.column_changed[c] || wider->report.column_changed[c]) continue;
        for (int r = 0; r < d->rows; ++r) {
            double a = one[r * d->columns + c], b = two[r * d->columns + c];
            size = fmax(size, fabs(b));
            doubt = fmax(doubt, fabs(b - wide[r * d->columns + c]));
            if (fabs(a - b) > off) row = r;
            off = fmax(off, fabs(a - b));
        }
        for (int r = 0; r < d->rows; ++r) cr_assert(isfinite(one[r * d->columns + c]));
        ++at->compared;
        noise += doubt;
        if (size > 0.0) at->worst = fmax(at->worst, (off - noise) / size);
        at->doubtful += doubt > tolerance * size;
        double a = one[row * d->columns + c], b = two[row * d->columns + c];
        cr_expect(off <= tolerance * size + noise,
                  "%s at %g s, %s %d, row %d: %.9g, not %.9g; the column's largest: %g", at->scene.name, at->sim->time,
                  ts_step_input_name(input.kind), input.first + c, row, a, b, size);
    }
}

// J x is the matrix times x, and y . (J x) = (J^T y) . x, to rounding.
static void expect_adjoint(stage* at, const ts_step_derivative* d, const double* matrix) {
    double *x = TS_ARENA_ARRAY(&at->arena, double, d->columns), *y = TS_ARENA_ARRAY(&at->arena, double, d->rows);
    double *Jx = TS_ARENA_ARRAY(&at->arena, double, d->rows), *JTy = TS_ARENA_ARRAY(&at->arena, double, d->columns);
    double left = 0.0, right = 0.0, size = 0.0;
    ts_rng rng = ts_rng_make(11, 0);
    for (int c = 0; c < d->columns; ++c) x[c] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    for (int r = 0; r < d->rows; ++r) y[r] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    cr_assert_eq(ts_step_derivative_forward(d, x, &at->arena, Jx), TS_OK);
    cr_assert_eq(ts_step_derivative_reverse(d, y, &at->arena, JTy), TS_OK);
    for (int r = 0; r < d->rows; ++r) {
        double sum = 0.0, total = 0.0;
        for (int c = 0; c < d->columns; ++c) sum += matrix[r * d->columns + c] * x[c];
        for (int c = 0; c < d->columns; ++c) total += fabs(matrix[r * d->columns + c] * x[c]);
        cr_expect(fabs(sum - Jx[r]) <= 1e-11 * total + 1e-13, "%s, row %d: %.17g, the matrix: %.17g", at->scene.name, r,
                  Jx[r], sum);
    }
    for (int r = 0; r < d->rows; ++r) left += y[r] * Jx[r];
    for (int r = 0; r < d->rows; ++r) size += fabs(y[r] * Jx[r]);
    for (int c = 0; c < d->columns; ++c) right += JTy[c] * x[c];
    for (int c = 0; c < d->columns; ++c) size += fabs(JTy[c] * x[c]);
    cr_expect(fabs(left - right) <= 1e-12 * size, "%s at %g s: %.17g, transposed %.17g", at->scene.name, at->sim->time,
              left, right);
}

// Compares both at the present state. Returns nonzero when there was something to compare.
static int compare_range(stage* at, ts_step_input input) {
    ts_step_input_kind kind = input.kind;
    ts_step_derivative one, two, three;
    if (input.count == 0) return 0;
    ts_arena_reset(&at->arena);
    double* analytic = jacobian(at, TS_STEP_IMPLICIT, 1.0, input, &one);
    if (!analytic || one.report.verdict != TS_STEP_REGULAR || one.report.changed) return 0;
    if (at->known && kind != TS_STEP_BY_RESTITUTION)
        cr_expect(!(one.report.differenced & TS_PART_INPUTS), "%s by %s", at->scene.name, ts_step_input_name(kind));
    // Where all is stuck both sides are what cancels to nothing.
    if (at->open < 1e-10) expect_adjoint(at, &one, analytic);
    double *numeric = jacobian(at, TS_STEP_DIFFERENCE, 1.0, input, &two),
           *wider = jacobian(at, TS_STEP_DIFFERENCE, 3.0, input, &three);
    cr_assert(numeric && wider);
    compare_columns(at, input, analytic, numeric, wider, &two, &three);
    return 1;
}

// The cascade is another way to the same derivative. Returns nonzero where both are there and something slides or holds.
static int compare_cascade(stage* at, ts_step_input input) {
    ts_step_derivative one, two;
    double most = 0.0, size = 0.0;
    ts_arena_reset(&at->arena);
    double* analytic = jacobian(at, TS_STEP_IMPLICIT, 1.0, input, &one);
    if (!analytic || one.report.verdict != TS_STEP_REGULAR || one.report.unknowns == 0) return 0;
    if (one.report.rank < one.report.unknowns) return 0;
    double* cascade = jacobian(at, TS_STEP_CASCADE, 1.0, input, &two);
    if (!cascade) return 0;
    for (int i = 0; i < one.rows * one.columns; ++i) {
        size = fmax(size, fabs(analytic[i]));
        most = fmax(most, fabs(analytic[i] - cascade[i]));
    }
    cr_expect(most <= 1e-9 * size, "%s at %g s: %g of %g", at->scene.name, at->sim->time, most, size);
    expect_adjoint(at, &two, cascade);
    return 1;
}

// Both over states of a scene.
static void expect_cascade(const char* name, int states, int between) {
    stage at = open_stage(name);
    ts_rng rng = ts_rng_make(8, 0);
    int met = 0;
    for (int n = 0; n < states; ++n) {
        advance(&at, between);
        ts_snapshot before = {0};
        cr_assert_eq(ts_sim_snapshot(at.sim, &before, NULL), TS_OK);
        perturb(&at, 1e-4, 1e-1, &rng);
        met += compare_cascade(&at, ts_step_input_all(at.sim->model, TS_STEP_BY_VELOCITY));
        met += compare_cascade(&at, ts_step_input_all(at.sim->model, TS_STEP_BY_FRICTION));
        cr_assert_eq(ts_sim_restore(at.sim, &before, NULL), TS_OK);
        ts_snapshot_free(&before);
    }
    cr_expect_gt(met, states / 3, "%s: only %d comparisons", name, met);
    close_stage(&at);
}

// A loop of light links that is closed once too often: without it they move a million times as far.
Test(step_jacobian, forward_and_backward_of_a_loop) {
    stage at = open_stage("gripper");
    ts_rng rng = ts_rng_make(7, 8);
    int met = 0;
    for (int n = 0; n < 150; ++n) {
        ts_snapshot before = {0};
        advance(&at, 7);
        cr_assert_eq(ts_sim_snapshot(at.sim, &before, NULL), TS_OK);
        perturb(&at, 1e-4, 1e-1, &rng);
        for (int k = 0; k < 2; ++k) {
            ts_step_input input = ts_step_input_all(at.sim->model, k ? TS_STEP_BY_CONTROL : TS_STEP_BY_FORCE);
            ts_step_derivative d;
            ts_arena_reset(&at.arena);
            double* matrix = jacobian(&at, TS_STEP_IMPLICIT, 1.0, input, &d);
            if (!matrix || d.report.verdict != TS_STEP_REGULAR) continue;
            expect_adjoint(&at, &d, matrix);
            ++met;
        }
        cr_assert_eq(ts_sim_restore(at.sim, &before, NULL), TS_OK);
        ts_snapshot_free(&before);
    }
    cr_expect_gt(met, 40, "only %d", met);
    close_stage(&at);
}

static int compare(stage* at, ts_step_input_kind kind) {
    return compare_range(at, ts_step_input_all(at->sim->model, kind));
}

// Of a scene as it is set up by options (a list of names and values, ended by NULL).
static void expect_equal_with(const char* name, const char* const* option, int states, int between, double position,
                              double velocity) {
    stage at = open_stage(name);
    ts_status status;
    at.known = !option[0] && !strchr(name, '/') && strcmp(name, "stack-10") != 0;
    for (; option[0]; option += 2)
        cr_assert_eq(ts_sim_set(at.sim, option[0], option[1], &status), TS_OK, "%s", status.message);
    at.open = position == 0.0 ? 1e-9 : strchr(name, '/') ? 1e-10 : 3e-12;
    ts_rng rng = ts_rng_make(7, 0);
    int met = 0;
    for (int n = 0; n < states; ++n) {
        advance(&at, between);
        ts_snapshot before = {0};
        cr_assert_eq(ts_sim_snapshot(at.sim, &before, NULL), TS_OK);
        if (position > 0.0)
            perturb(&at, position, velocity, &rng);
        else
            press(&at);
        for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k) met += compare(&at, (ts_step_input_kind)k);
        cr_assert_eq(ts_sim_restore(at.sim, &before, NULL), TS_OK);
        ts_snapshot_free(&before);
    }
    cr_expect_gt(met, states, "%s: only %d comparisons", name, met);
    close_stage(&at);
}

static void expect_equal(const char* name, int states, int between, double position, double velocity) {
    static const char* const as_it_is[] = {NULL};
    expect_equal_with(name, as_it_is, states, between, position, velocity);
}

TestSuite(step_jacobian, .timeout = 600);

Test(step_jacobian, double_pendulum) { expect_equal("double-pendulum", 5, 100, 1e-3, 1e-1); }
Test(step_jacobian, sliding_cube) { expect_equal("sliding-cube", 5, 17, 1e-3, 1e-1); }
Test(step_jacobian, incline) { expect_equal("incline", 5, 50, 1e-3, 1e-1); }
Test(step_jacobian, stack_of_ten) { expect_equal("stack-10", 1, 50, 0.0, 0.0); }
Test(step_jacobian, arm_that_pushes) { expect_equal("arm-push", 5, 150, 1e-3, 1e-1); }
Test(step_jacobian, quadruped) { expect_equal("quadruped", 5, 97, 1e-3, 1e-1); }
Test(step_jacobian, hand_with_ball) { expect_equal("hand", 5, 97, 1e-3, 1e-1); }
Test(step_jacobian, biped) { expect_equal("biped", 5, 97, 1e-3, 1e-1); }
Test(step_jacobian, gripper) { expect_equal("gripper", 5, 97, 1e-3, 1e-1); }
Test(step_jacobian, four_bar) { expect_equal("four-bar", 5, 97, 1e-3, 1e-1); }

// Every way to integrate, on trees and on lone bodies.
Test(step_jacobian, integrators) {
    for (int i = 0; i < ts_integrator_count(); ++i) {
        const char* const option[] = {"integrator", ts_integrator_at(i)->name, NULL};
        expect_equal_with("double-pendulum", option, 2, 150, 1e-3, 1e-1);
        expect_equal_with("quadruped", option, 2, 150, 1e-3, 1e-1);
        expect_equal_with("hand", option, 2, 150, 1e-3, 3.0);
        expect_equal_with("incline", option, 2, 50, 1e-3, 1.0);
    }
}

// The relaxed law, and softened ones by theirs.
Test(step_jacobian, laws) {
    static const char* const solver[] = {"ccp-admm", "sap", "mujoco", "ncp-newton"};
    for (int i = 0; i < 4; ++i) {
        const char* const option[] = {"solver", solver[i], NULL};
        expect_equal_with("sliding-cube", option, 2, 20, 1e-3, 1e-1);
        expect_equal_with("arm-push", option, 2, 150, 1e-3, 1e-1);
        expect_equal_with("quadruped", option, 2, 150, 1e-3, 1e-1);
    }
}

Test(step_jacobian, cascade) {
    expect_cascade("arm-push", 5, 150);
    expect_cascade("quadruped", 10, 47);
    expect_cascade("hand", 5, 97);
}

// Robots as they come.
static void expect_robot_equal(const char* file) {
    const char* data = getenv("TOUCHSTONE_DATA");
    char path[512];
    if (!data || !data[0]) cr_skip_test("TOUCHSTONE_DATA is not set");
    snprintf(path, sizeof path, "%s/robots/%s", data, file);
    expect_equal(path, 3, 150, 1e-3, 1e-1);
}

Test(step_jacobian, go2) { expect_robot_equal("unitree_go2/scene.xml"); }
Test(step_jacobian, panda) { expect_robot_equal("franka_emika_panda/scene.xml"); }
Test(step_jacobian, anymal) { expect_robot_equal("anybotics_anymal_c/scene.xml"); }
Test(step_jacobian, h1) { expect_robot_equal("unitree_h1/scene.xml"); }

// Fifty round bodies in a heap, which share no load as they like: some columns of each kind.
Test(step_jacobian, pile_of_fifty) {
    enum { BODIES = 50, COLUMNS = 24 };
    stage at;
    ts_status status;
    ts_rng rng = ts_rng_make(21, 0);
    memset(&at, 0, sizeof at);
    ts_builder* builder = ts_builder_create("pile");
    ts_geom_def floor = ts_geom_def_default();
    floor.shape = ts_shape_plane();
    cr_assert(ts_builder_add_geom(builder, &floor) >= 0);
    for (int i = 0; i < BODIES; ++i) {
        ts_body_def body = ts_body_def_default();
        ts_joint_def joint = ts_joint_def_default();
        ts_geom_def geom = ts_geom_def_default();
        body.pose.position = ts_vec3_make(0.15 * (i % 3) + ts_rng_uniform_in(&rng, -0.02, 0.02), 0.15 * (i / 3 % 3),
                                          0.12 + 0.2 * (i / 9));
        joint.body = geom.body = ts_builder_add_body(builder, &body);
        joint.type = TS_JOINT_FREE;
        geom.surface.friction = 0.5;
        geom.shape = i % 3 == 0   ? ts_shape_sphere(0.07)
                     : i % 3 == 1 ? ts_shape_ellipsoid(ts_vec3_make(0.06, 0.07, 0.05))
                                  : ts_shape_capsule(0.04, 0.05);
        cr_assert(ts_builder_add_joint(builder, &joint) >= 0 && ts_builder_add_geom(builder, &geom) >= 0);
    }
    cr_assert_eq(ts_builder_finish(builder, &at.scene.model, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(at.scene.model, 1, &at.sim, &status), TS_OK);
    cr_assert_eq(ts_sim_set_solver(at.sim, "ncp", &status), TS_OK);
    snprintf(at.scene.name, sizeof at.scene.name, "pile");
    at.open = 1e-10;
    advance(&at, 250);
    int met = 0;
    for (int n = 0; n < 4; ++n) {
        advance(&at, 20);
        ts_snapshot before = {0};
        cr_assert_eq(ts_sim_snapshot(at.sim, &before, NULL), TS_OK);
        perturb(&at, 1e-4, 1e-1, &rng);
        for (int k = 0; k < 3; ++k) {
            static const ts_step_input_kind kind[3] = {TS_STEP_BY_POSITION, TS_STEP_BY_VELOCITY, TS_STEP_BY_FORCE};
            met += compare_range(&at, (ts_step_input){kind[k], 66 * n, COLUMNS});
        }
        cr_assert_eq(ts_sim_restore(at.sim, &before, NULL), TS_OK);
        ts_snapshot_free(&before);
    }
    cr_expect_gt(met, 3, "only %d comparisons", met);
    close_stage(&at);
}
