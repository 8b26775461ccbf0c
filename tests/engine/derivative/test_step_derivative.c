// Derivatives of a step by central differences of the whole: closed forms, and nothing is left behind.
#include "engine/derivative/step_derivative.h"

#include "../engine_fixture.h"

static const double h = 0.002, g = 9.81;

// A Jacobian by everything that was asked for.
typedef struct jacobian {
    ts_arena arena;
    ts_step_derivative of;
    double* matrix;
} jacobian;

static jacobian take(ts_sim* sim, ts_step_method method, const ts_step_input* input, int count) {
    jacobian J = {0};
    ts_status status;
    ts_step_derivative_settings settings = ts_step_derivative_default();
    settings.method = method;
    ts_code code = ts_step_derivative_make(sim, &settings, input, count, &J.arena, &J.of, &status);
    cr_assert_eq(code, TS_OK, "%s", status.message);
    J.matrix = TS_ARENA_ARRAY(&J.arena, double, J.of.rows* J.of.columns);
    cr_assert_eq(ts_step_derivative_matrix(&J.of, &J.arena, J.matrix), TS_OK);
    return J;
}

static double at(const jacobian* J, int row, int column) { return J->matrix[row * J->of.columns + column]; }

static void expect_near(double found, double wanted, double scale, const char* what) {
    cr_expect(fabs(found - wanted) <= 1e-6 * scale, "%s: %.12g, not %.12g", what, found, wanted);
}

static fixture falling_body(void) {
    ts_builder* builder = ts_builder_create("scene");
    fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 2.0), 2.0, fixture_box_inertia(2.0, ts_vec3_make(0.1, 0.2, 0.3)));
    return fixture_start(builder, 1);
}

// A flat box on the ground, which slides along x at `speed`.
static fixture box_on_floor(double speed, double friction) {
    ts_builder* builder = ts_builder_create("scene");
    ts_vec3 half = ts_vec3_make(0.2, 0.2, 0.05);
    fixture_floor(builder, friction, 0.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.05), 3.0, fixture_box_inertia(3.0, half));
    fixture_geom(builder, body, ts_shape_box(half), ts_vec3_zero(), friction);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", NULL), TS_OK);
    f.sim->qvel[0] = speed;
    return f;
}

Test(step_derivative, of_a_body_that_falls) {
    fixture f = falling_body();
    f.sim->force_applied[1] = 4.0;
    ts_step_input input[] = {ts_step_input_all(f.model, TS_STEP_BY_POSITION),
                             ts_step_input_all(f.model, TS_STEP_BY_VELOCITY),
                             ts_step_input_all(f.model, TS_STEP_BY_FORCE),
                             ts_step_input_all(f.model, TS_STEP_BY_GRAVITY),
                             {TS_STEP_BY_MASS, 1, 1},
                             ts_step_input_all(f.model, TS_STEP_BY_TIME_STEP)};
    jacobian J = take(f.sim, TS_STEP_DIFFERENCE, input, 6);
    cr_assert_eq(J.of.rows, 12);
    cr_assert_eq(J.of.columns, 6 + 6 + 6 + 3 + 1 + 1);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double same = i == j;
            expect_near(at(&J, i, j), same, 1.0, "position by position");
            expect_near(at(&J, 6 + i, j), 0.0, 1.0, "velocity by position");
            expect_near(at(&J, i, 6 + j), h * same, h, "position by velocity");
            expect_near(at(&J, 6 + i, 6 + j), same, 1.0, "velocity by velocity");
            expect_near(at(&J, 6 + i, 12 + j), h / 2.0 * same, h, "velocity by force");
            expect_near(at(&J, 6 + i, 18 + j), h * same, h, "velocity by gravity");
        }
    expect_near(at(&J, 6 + 1, 21), -h * 4.0 / 4.0, h, "velocity by mass");
    expect_near(at(&J, 6 + 2, 22), -g, g, "velocity by time step");
    expect_near(at(&J, 2, 22), -2.0 * h * g, h * g, "position by time step");
    cr_expect_eq(J.of.report.verdict, TS_STEP_REGULAR, "%s", J.of.report.reason);
    ts_arena_free(&J.arena);
    fixture_end(&f);
}

Test(step_derivative, of_a_box_that_slides) {
    fixture f = box_on_floor(1.0, 0.4);
    ts_step_input input[] = {{TS_STEP_BY_FRICTION, 1, 1}, {TS_STEP_BY_VELOCITY, 0, 2}, {TS_STEP_BY_FORCE, 2, 1}};
    jacobian J = take(f.sim, TS_STEP_DIFFERENCE, input, 3);
    expect_near(at(&J, 6, 0), -g * h, g * h, "velocity by friction");
    expect_near(at(&J, 6, 1), 1.0, 1.0, "velocity by velocity along");
    // Friction turns with the slip: v+ = v (1 - mu g h / |v|).
    expect_near(at(&J, 7, 2), 1.0 - 0.4 * g * h, 1.0, "velocity by velocity across");
    expect_near(at(&J, 6, 3), 0.4 * h / 3.0, h, "velocity by load");
    for (int b = 0; b < J.of.report.block_count; ++b) {
        cr_expect_eq(J.of.report.block[b].mode, TS_MODE_SLIDE);
        cr_expect(J.of.report.block[b].speed > 0.9 || J.of.report.block[b].impulse > 1e-3);
    }
    cr_expect_eq(J.of.report.changed, 0);
    ts_arena_free(&J.arena);
    fixture_end(&f);
}

Test(step_derivative, of_a_box_that_sticks) {
    fixture f = box_on_floor(0.0, 0.4);
    // Between closed and pushed out.
    f.sim->qpos[2] -= 5e-6;
    ts_step_input input[] = {{TS_STEP_BY_FORCE, 0, 6}, {TS_STEP_BY_FRICTION, 0, 2}};
    jacobian J = take(f.sim, TS_STEP_DIFFERENCE, input, 2);
    for (int row = 0; row < J.of.rows; ++row)
        for (int column = 0; column < J.of.columns; ++column) expect_near(at(&J, row, column), 0.0, h, "what is stuck");
    for (int b = 0; b < J.of.report.block_count; ++b) {
        cr_expect_eq(J.of.report.block[b].mode, TS_MODE_STICK);
        cr_expect_eq(J.of.report.block[b].change, TS_CHANGE_SLIPS);
    }
    ts_arena_free(&J.arena);
    fixture_end(&f);
}

Test(step_derivative, leaves_the_simulation_as_it_was) {
    fixture one = box_on_floor(0.5, 0.4), two = box_on_floor(0.5, 0.4);
    fixture_run(&one, 5);
    fixture_run(&two, 5);
    ts_step_input input[TS_STEP_INPUT_KINDS];
    for (int k = 0; k < TS_STEP_INPUT_KINDS; ++k) input[k] = ts_step_input_all(one.model, (ts_step_input_kind)k);
    uint64_t before = ts_sim_hash(one.sim);
    jacobian J = take(one.sim, TS_STEP_DIFFERENCE, input, TS_STEP_INPUT_KINDS);
    cr_expect_eq(ts_sim_hash(one.sim), before);
    fixture_run(&one, 5);
    fixture_run(&two, 5);
    cr_expect_eq(ts_sim_hash(one.sim), ts_sim_hash(two.sim));
    ts_arena_free(&J.arena);
    fixture_end(&one);
    fixture_end(&two);
}

Test(step_derivative, forward_and_reverse_are_the_matrix) {
    fixture f = box_on_floor(0.5, 0.4);
    ts_step_input input[] = {ts_step_input_all(f.model, TS_STEP_BY_POSITION),
                             ts_step_input_all(f.model, TS_STEP_BY_VELOCITY)};
    jacobian J = take(f.sim, TS_STEP_DIFFERENCE, input, 2);
    double x[12], y[12], Jx[12], JTy[12], left = 0.0, right = 0.0;
    ts_rng rng = ts_rng_make(3, 0);
    for (int i = 0; i < 12; ++i) {
        x[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        y[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    }
    cr_assert_eq(ts_step_derivative_forward(&J.of, x, &J.arena, Jx), TS_OK);
    cr_assert_eq(ts_step_derivative_reverse(&J.of, y, &J.arena, JTy), TS_OK);
    for (int i = 0; i < 12; ++i) {
        double sum = 0.0;
        for (int j = 0; j < 12; ++j) sum += at(&J, i, j) * x[j];
        cr_expect(fabs(sum - Jx[i]) <= 1e-12 * (1.0 + fabs(sum)));
        left += y[i] * Jx[i];
        right += JTy[i] * x[i];
    }
    cr_expect(fabs(left - right) <= 1e-12 * fabs(left), "%.17g %.17g", left, right);
    ts_arena_free(&J.arena);
    fixture_end(&f);
}

Test(step_derivative, ranges_that_are_not_there_are_refused) {
    fixture f = falling_body();
    ts_arena arena = {0};
    ts_step_derivative derivative;
    ts_status status;
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_input beyond = {TS_STEP_BY_VELOCITY, 3, 4};
    cr_expect_eq(ts_step_derivative_make(f.sim, &settings, &beyond, 1, &arena, &derivative, &status), TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "qvel") != NULL, "%s", status.message);
    cr_expect_eq(ts_step_input_move(f.sim, TS_STEP_BY_VELOCITY, 6, 1.0), 0);
    cr_expect_eq(ts_step_input_move(f.sim, TS_STEP_BY_MASS, 1, -2.0), 0, "a body without mass");
    ts_arena_free(&arena);
    fixture_end(&f);
}

// Moved inputs act in steps: a box with more friction stops sooner, with the closed form of a heavier one.
Test(step_derivative, moved_inputs_stay_moved) {
    fixture f = box_on_floor(1.0, 0.4);
    cr_assert(ts_step_input_move(f.sim, TS_STEP_BY_FRICTION, 0, 0.1));
    cr_assert(ts_step_input_move(f.sim, TS_STEP_BY_MASS, 1, 3.0));
    f.sim->force_applied[2] = -6.0 * g;
    fixture_run(&f, 10);
    // mu (m g + m g) / m
    expect_near(f.sim->qvel[0], 1.0 - 10 * h * 0.5 * 2.0 * g, 1.0, "speed");
    cr_expect_float_eq(f.model->body[1].mass, 3.0, 1e-15, "the model is what it was");
    fixture_end(&f);
}
