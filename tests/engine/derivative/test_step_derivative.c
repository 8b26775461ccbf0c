// Derivatives of a step by central differences of the whole: closed forms, and nothing is left behind.
#include "engine/derivative/step_derivative.h"
#include "engine/step/integrate/integrator.h"

#include "tests/engine/derivative/body_fixture.h"

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
    // What solves leave open is over the increment in a difference.
    if (method == TS_STEP_DIFFERENCE) settings.tolerance = 1e-14;
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

// It slides on by a hair: slower starts stop, and differences between a faster and a slower one are half of what they should be.
Test(step_derivative, differences_across_a_change_are_told) {
    fixture f = box_on_floor(0.4 * g * h + 1e-9, 0.4);
    f.sim->qpos[2] -= 5e-6;  // between closed and pushed out
    ts_step_input input[] = {{TS_STEP_BY_VELOCITY, 0, 1}};
    jacobian J = take(f.sim, TS_STEP_DIFFERENCE, input, 1);
    cr_expect_gt(fabs(at(&J, 6, 0) - 1.0), 0.1);
    cr_expect_eq(J.of.report.changed, 1);
    cr_expect_eq(J.of.report.verdict, TS_STEP_NEAR_CHANGE);
    cr_expect(strstr(J.of.report.reason, "reach across"), "%s", J.of.report.reason);
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

Test(step_derivative, what_is_asked_for_twice_is_the_same) {
    fixture f = box_on_floor(0.5, 0.4);
    ts_step_input input[] = {ts_step_input_all(f.model, TS_STEP_BY_POSITION),
                             ts_step_input_all(f.model, TS_STEP_BY_VELOCITY),
                             {TS_STEP_BY_VELOCITY, 2, 3},
                             {TS_STEP_BY_POSITION, 1, 5}};
    // The contact's rows and the turning of the body have a say in the first of each.
    jacobian J = take(f.sim, TS_STEP_IMPLICIT, input, 4), once = take(f.sim, TS_STEP_IMPLICIT, input, 2);
    for (int r = 0; r < J.of.rows; ++r) {
        for (int c = 0; c < once.of.columns; ++c) cr_expect_eq(at(&J, r, c), at(&once, r, c), "%d, %d", r, c);
        for (int k = 0; k < 3; ++k) cr_expect_eq(at(&J, r, 12 + k), at(&once, r, 8 + k), "%d, velocity %d", r, 2 + k);
        for (int k = 0; k < 5; ++k) cr_expect_eq(at(&J, r, 15 + k), at(&once, r, 1 + k), "%d, position %d", r, 1 + k);
    }
    ts_arena_free(&J.arena);
    ts_arena_free(&once.arena);
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

// --- the equations of a step against differences ---

// The largest difference between both methods, of the largest entry of a column.
static double disagreement(ts_sim* sim, const ts_step_input* input, int count, unsigned* out_differenced) {
    jacobian one = take(sim, TS_STEP_IMPLICIT, input, count), two = take(sim, TS_STEP_DIFFERENCE, input, count);
    double worst = 0.0;
    cr_expect_eq(two.of.report.changed, 0);
    for (int c = 0; c < one.of.columns; ++c) {
        double off = 0.0, size = 0.0;
        for (int r = 0; r < one.of.rows; ++r) {
            off = fmax(off, fabs(at(&one, r, c) - at(&two, r, c)));
            size = fmax(size, fabs(at(&two, r, c)));
            cr_assert(isfinite(at(&one, r, c)));
        }
        // Some forces do nothing: what differences say of them is noise.
        if (fmax(off, size) > 1e-11) worst = fmax(worst, off / size);
    }
    *out_differenced = one.of.report.differenced;
    ts_arena_free(&one.arena);
    ts_arena_free(&two.arena);
    return worst;
}

// A body of any inertia with its centre off its frame, and a ball on it that may touch the floor.
static fixture top(double spin) {
    ts_builder* builder = ts_builder_create("top");
    ts_rng rng = ts_rng_make(5, 0);
    fixture_floor(builder, 0.5, 0.0);
    ts_body_def def = ts_body_def_default();
    def.pose.position = ts_vec3_make(0.1, 0.2, 1.0);
    def.mass = 1.7;
    def.centre = ts_vec3_make(0.05, -0.03, 0.1);
    def.inertia = fixture_random_inertia(&rng);
    int body = ts_builder_add_body(builder, &def);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = body;
    joint.type = TS_JOINT_FREE;
    cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_make(0.01, 0.02, -0.1), 0.5);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", NULL), TS_OK);
    const double velocity[6] = {0.3, -0.2, 0.1, 0.4 * spin, -0.3 * spin, spin};
    memcpy(f.sim->qvel, velocity, sizeof velocity);
    ts_quat_store(fixture_random_turn(&rng), f.sim->qpos + 3);
    const double force[6] = {0.4, 0.7, -0.9, 0.03, -0.02, 0.01};
    memcpy(f.sim->force_applied, force, sizeof force);
    f.sim->wrench_applied[1] = (ts_force){ts_vec3_make(0.02, 0.05, -0.01), ts_vec3_make(0.3, -0.5, 0.2)};
    return f;
}

static void expect_known(fixture* f, const char* what) {
    ts_step_input input[] = {
        ts_step_input_all(f->model, TS_STEP_BY_POSITION), ts_step_input_all(f->model, TS_STEP_BY_VELOCITY),
        ts_step_input_all(f->model, TS_STEP_BY_FORCE), ts_step_input_all(f->model, TS_STEP_BY_WRENCH)};
    unsigned differenced;
    // The world's wrench does nothing.
    input[3].first = 6;
    input[3].count = 6;
    double worst = disagreement(f->sim, input, 4, &differenced);
    cr_expect(worst <= 1e-6, "%s under %s: %g", what, f->sim->integrator->name, worst);
    cr_expect_eq(differenced & TS_PART_INPUTS, 0u, "%s under %s", what, f->sim->integrator->name);
}

// Lower until the ball is in the floor by `depth`.
static void touch_floor(fixture* f, double depth) {
    ts_sim_update_kinematics(f->sim);
    f->sim->qpos[2] += 0.1 - depth - ts_kinematics_geom(&f->sim->kinematics, 1)->p.z;
}

Test(step_derivative, of_a_body_that_spins) {
    static const char* const integrator[] = {"midpoint", "implicitfast", "euler"};
    static const double spin[] = {1e-3, 0.5, 30.0, 120.0};
    for (int i = 0; i < 3; ++i)
        for (int s = 0; s < 4; ++s) {
            fixture f = top(spin[s]);
            cr_assert_eq(ts_sim_set_integrator(f.sim, integrator[i], NULL), TS_OK);
            expect_known(&f, "a flight");
            touch_floor(&f, 3e-5);
            expect_known(&f, "a first touch");
            fixture_run(&f, 1);
            touch_floor(&f, 3e-5);
            fixture_run(&f, 1);
            touch_floor(&f, 3e-5);
            expect_known(&f, "a touch that lasts");
            f.sim->qpos[2] += 0.5;
            expect_known(&f, "a flight after a touch");
            fixture_end(&f);
        }
}

// Kinetic energy of the only body and its slopes by what moves it, from its twist: the frame's velocity in the world, spin in the body.
static double energy_of(const ts_sim* sim, double out_by_q[6], double out_by_v[6]) {
    const ts_body* body = &sim->model->body[1];
    ts_mat3 R = ts_quat_to_mat3(ts_quat_load(sim->qpos + 3));
    ts_vec3 spin = ts_vec3_load(sim->qvel + 3), swing = ts_vec3_cross(spin, body->centre);
    ts_vec3 velocity = ts_vec3_add(ts_vec3_load(sim->qvel), ts_mat3_mul_vec(&R, swing));
    ts_vec3 momentum = ts_vec3_scale(body->mass, velocity), inside = ts_mat3_mul_vec_transposed(&R, momentum);
    ts_vec3 turning = ts_mat3_mul_vec(&body->inertia, spin);
    ts_vec3_store(ts_vec3_zero(), out_by_q);
    ts_vec3_store(ts_vec3_cross(swing, inside), out_by_q + 3);
    ts_vec3_store(momentum, out_by_v);
    ts_vec3_store(ts_vec3_add(turning, ts_vec3_cross(body->centre, inside)), out_by_v + 3);
    return 0.5 * (ts_vec3_dot(velocity, momentum) + ts_vec3_dot(spin, turning));
}

// A free flight without weight keeps its energy, whatever it starts from: its slopes after the step, taken back through the step, are those before.
Test(step_derivative, what_a_flight_keeps_has_no_slope) {
    static const double spin[] = {1e-3, 0.5, 30.0};
    for (int s = 0; s < 3; ++s) {
        fixture f = top(spin[s]);
        memset(f.sim->force_applied, 0, 6 * sizeof(double));
        f.sim->wrench_applied[1] = (ts_force){ts_vec3_zero(), ts_vec3_zero()};
        f.sim->options.gravity = ts_vec3_zero();
        double before[12], after[12], back[12];
        ts_step_input input[] = {ts_step_input_all(f.model, TS_STEP_BY_POSITION),
                                 ts_step_input_all(f.model, TS_STEP_BY_VELOCITY)};
        jacobian J = take(f.sim, TS_STEP_IMPLICIT, input, 2);
        double start = energy_of(f.sim, before, before + 6);
        fixture_run(&f, 1);
        cr_assert_float_eq(energy_of(f.sim, after, after + 6), start, 1e-12 * start);
        cr_assert_eq(ts_step_derivative_reverse(&J.of, after, &J.arena, back), TS_OK);
        double size = 0.0;
        for (int c = 0; c < 12; ++c) size = fmax(size, fabs(before[c]));
        for (int c = 0; c < 12; ++c)
            cr_expect_float_eq(back[c], before[c], 1e-12 * size, "spin %g, column %d: %.15g, not %.15g", spin[s], c,
                               back[c], before[c]);
        ts_arena_free(&J.arena);
        fixture_end(&f);
    }
}

static int add_link(ts_builder* builder, int parent, ts_joint_type type, ts_vec3 at, int axis) {
    ts_body_def def = ts_body_def_default();
    def.parent = parent;
    def.pose.position = at;
    def.mass = 0.4;
    def.centre = ts_vec3_make(0.01, 0.005, -0.1);
    def.inertia = fixture_box_inertia(0.4, ts_vec3_make(0.02, 0.03, 0.1));
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &def);
    joint.type = type;
    joint.axis = ts_vec3_axis(axis);
    cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
    return joint.body;
}

// A leg that hangs straight down from a hinge stands on the floor, or on a free ball, pressed in: what it is pushed out with is slowed by its leverage, which goes
// by the pose of all its dofs, those of a second leg that hangs beside it as well.
static fixture pressed_leg(int on_ball) {
    ts_builder* builder = ts_builder_create("leg");
    fixture_floor(builder, 0.4, 0.0);
    double floor = on_ball ? 0.1 - 4e-6 : 0.0;
    int hip = add_link(builder, 0, TS_JOINT_HINGE, ts_vec3_make(0.0, 0.0, floor + 0.65 - 3e-4), 1);
    int knee = add_link(builder, hip, TS_JOINT_BALL, ts_vec3_make(0.004, 0.0, -0.2), 1);
    int foot = add_link(builder, knee, TS_JOINT_HINGE, ts_vec3_make(-0.003, 0.002, -0.2), 0);
    fixture_geom(builder, foot, ts_shape_sphere(0.05), ts_vec3_make(0.0, 0.0, -0.2), 0.4);
    add_link(builder, add_link(builder, hip, TS_JOINT_HINGE, ts_vec3_make(0.1, 0.0, 0.0), 0), TS_JOINT_BALL,
             ts_vec3_make(0.0, 0.02, -0.15), 0);
    if (on_ball) {
        int ball = fixture_free_body(builder, ts_vec3_make(-0.02, 0.01, 0.05 - 2e-6), 3.0,
                                     fixture_box_inertia(3.0, ts_vec3_make(0.03, 0.03, 0.03)));
        fixture_geom(builder, ball, ts_shape_sphere(0.05), ts_vec3_zero(), 0.4);
    }
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", NULL), TS_OK);
    ts_rng rng = ts_rng_make(8, 0);
    for (int i = 0; i < f.model->nv; ++i) f.sim->qvel[i] = ts_rng_uniform_in(&rng, -0.02, 0.02);
    return f;
}

Test(step_derivative, of_a_push_that_leverage_slows) {
    for (int on_ball = 0; on_ball < 2; ++on_ball) {
        fixture f = pressed_leg(on_ball);
        expect_known(&f, on_ball ? "a leg on a ball" : "a leg");
        fixture_end(&f);
    }
}

// A ball on the floor is pushed as hard as its friction bears, but for a little: F = mu m g (1 + m l^2 / I) with l the lever. The nearer to that, the sooner
// the report says that it is about to slip, or to stick.
Test(step_derivative, a_change_of_mode_is_told) {
    const double mass = 2.0, radius = 0.1, inertia = 0.4 * mass * radius * radius, mu = 0.3;
    ts_builder* builder = ts_builder_create("ball");
    fixture_floor(builder, mu, 0.0);
    ts_mat3 I = ts_mat3_diagonal(ts_vec3_make(inertia, inertia, inertia));
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, radius - 5e-6), mass, I);
    fixture_geom(builder, body, ts_shape_sphere(radius), ts_vec3_zero(), mu);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", NULL), TS_OK);
    // Contacts lie midway between the surfaces.
    double lever = radius - 2.5e-6, most = mu * mass * g * (1.0 + mass * lever * lever / inertia);
    ts_step_input input = ts_step_input_all(f.model, TS_STEP_BY_VELOCITY);
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_derivative d;
    ts_arena arena = {0};
    for (int sign = -1; sign <= 1; sign += 2)
        for (double off = 1e-2; off > 1e-17; off *= 0.1) {
            f.sim->force_applied[0] = most * (1.0 + sign * off);
            ts_arena_reset(&arena);
            ts_code code = ts_step_derivative_make(f.sim, &settings, &input, 1, &arena, &d, NULL);
            int said = d.report.verdict == TS_STEP_NEAR_CHANGE || d.report.verdict == TS_STEP_ONE_SIDED;
            cr_expect(code == TS_OK || said, "%g: %s", sign * off, d.report.reason);
            // A solve leaves 1e-12 open.
            cr_expect(off > 1e-12 || said, "%g: %s", sign * off, ts_step_verdict_name(d.report.verdict));
            cr_expect(off < 1e-9 || !said, "%g: %s", sign * off, d.report.reason);
            if (off < 1e-9) continue;
            cr_expect_eq(d.report.block[0].mode, sign < 0 ? TS_MODE_STICK : TS_MODE_SLIDE);
            cr_expect_eq(d.report.block[0].change, sign < 0 ? TS_CHANGE_SLIPS : TS_CHANGE_STICKS);
            double left = mu * mass * g * h * off;
            if (sign < 0)
                expect_near(d.report.block[0].impulse * sqrt(1.0 + mu * mu), left, 1e3 * left, "what is left");
        }
    ts_arena_free(&arena);
    fixture_end(&f);
}

// Restitution of a contact that has none: what bounces, bounces by it, and differences go upwards.
Test(step_derivative, of_a_bounce_by_restitution) {
    ts_builder* builder = ts_builder_create("bounce");
    fixture_floor(builder, 0.0, 0.0);
    int body =
        fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1001), 2.0, ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0)));
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.0);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", NULL), TS_OK);
    f.sim->qvel[2] = -3.0;
    cr_assert(ts_step_input_move(f.sim, TS_STEP_BY_RESTITUTION, 1, 0.5));
    ts_step_input input[] = {{TS_STEP_BY_RESTITUTION, 1, 1}, {TS_STEP_BY_VELOCITY, 2, 1}, {TS_STEP_BY_POSITION, 2, 1}};
    for (int method = TS_STEP_IMPLICIT; method <= TS_STEP_DIFFERENCE; ++method) {
        jacobian J = take(f.sim, (ts_step_method)method, input, 3);
        expect_near(at(&J, 6 + 2, 0), 3.0, 3.0, "speed by restitution");
        expect_near(at(&J, 6 + 2, 1), -0.5, 1.0, "speed by speed");
        expect_near(at(&J, 6 + 2, 2), 0.0, 1.0, "speed by height");
        ts_arena_free(&J.arena);
    }
    fixture_end(&f);
}

// Energy and momentum of a free rotation do not change, whatever the state: so their gradients are the same before and after.
Test(step_derivative, of_what_is_kept_is_nothing) {
    ts_builder* builder = ts_builder_create("free");
    ts_rng rng = ts_rng_make(9, 0);
    ts_mat3 I = fixture_random_inertia(&rng);
    fixture_free_body(builder, ts_vec3_zero(), 2.0, I);
    fixture f = fixture_start(builder, 1);
    f.sim->options.gravity = ts_vec3_zero();
    for (int i = 0; i < 6; ++i) f.sim->qvel[i] = ts_rng_uniform_in(&rng, -20.0, 20.0);
    ts_step_input input[] = {ts_step_input_all(f.model, TS_STEP_BY_POSITION),
                             ts_step_input_all(f.model, TS_STEP_BY_VELOCITY)};
    ts_step_derivative_settings settings = ts_step_derivative_default();
    ts_step_derivative d;
    ts_arena arena = {0};
    cr_assert_eq(ts_step_derivative_make(f.sim, &settings, input, 2, &arena, &d, NULL), TS_OK);
    // Gradients by (position, turn, velocity, spin): of the energy, and of three momenta R I w.
    double gradient[2][4][12] = {{{0.0}}};
    for (int after = 0; after < 2; ++after) {
        ts_mat3 R = f.sim->kinematics.body_pose[1].R;
        ts_vec3 omega = ts_vec3_load(f.sim->qvel + 3), momentum = ts_mat3_mul_vec(&I, omega);
        for (int i = 0; i < 3; ++i) gradient[after][0][6 + i] = 2.0 * f.sim->qvel[i];
        ts_vec3_store(momentum, gradient[after][0] + 9);
        for (int k = 0; k < 3; ++k) {
            ts_vec3 axis = ts_mat3_mul_vec_transposed(&R, ts_vec3_axis(k));
            ts_vec3_store(ts_vec3_cross(momentum, axis), gradient[after][1 + k] + 3);
            ts_vec3_store(ts_mat3_mul_vec(&I, axis), gradient[after][1 + k] + 9);
        }
        fixture_run(&f, !after);
        ts_sim_update_kinematics(f.sim);
    }
    for (int k = 0; k < 4; ++k) {
        double back[12];
        cr_assert_eq(ts_step_derivative_reverse(&d, gradient[1][k], &arena, back), TS_OK);
        for (int i = 0; i < 12; ++i) expect_near(1e3 * back[i], 1e3 * gradient[0][k][i], 1e-3, "what is kept");
    }
    ts_arena_free(&arena);
    fixture_end(&f);
}
