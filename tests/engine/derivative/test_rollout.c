// Gradients of rollouts: closed forms, central differences of the loss, forward against backward, and bits.
#include "engine/derivative/rollout.h"

#include "tests/engine/derivative/body_fixture.h"

static const double h = 0.002, g = 9.81;

// A ball that is thrown at the ground with spin and bounces on.
static fixture bouncing_ball(void) {
    ts_builder* builder = ts_builder_create("scene");
    fixture_floor(builder, 0.3, 0.0);
    int body =
        fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.13), 0.5, ts_mat3_diagonal(ts_vec3_make(2e-3, 2e-3, 2e-3)));
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.3);
    fixture f = fixture_start(builder, 1);
    const double v[6] = {1.5, 0.3, -2.0, 3.0, 8.0, -1.0};
    memcpy(f.sim->qvel, v, sizeof v);
    return f;
}

// Where the body along x, y and z ends: coefficients of its position and velocity, and of qpos of all states.
typedef struct weights {
    double qpos[3];
    double qvel[3];
    double path;  // times x of every state before the last
    int steps;
    int asked_value, asked_pull;
} weights;

static double weighed(void* user, ts_sim* sim, int state, ts_rollout_pull* pull) {
    weights* w = (weights*)user;
    int last = state == w->steps;
    double sum = 0.0;
    pull ? ++w->asked_pull : ++w->asked_value;
    for (int i = 0; i < 3; ++i) {
        double by_q = last ? w->qpos[i] : i == 0 ? w->path : 0.0, by_v = last ? w->qvel[i] : 0.0;
        sum += by_q * sim->qpos[i] + by_v * sim->qvel[i];
        if (!pull) continue;
        // Tangent positions of a free body are in world axes for its translation.
        pull->qpos[i] += by_q;
        pull->qvel[i] += by_v;
    }
    return sum;
}

static ts_rollout rollout_of(weights* w, int steps) {
    ts_rollout rollout = {.steps = steps, .settings = ts_step_derivative_default(), .loss = weighed, .user = w};
    w->steps = steps;
    return rollout;
}

static void backward(ts_sim* sim, const ts_rollout* rollout, ts_rollout_gradient* io_gradient) {
    ts_arena arena = {0};
    ts_status status;
    ts_code code = ts_rollout_backward(sim, rollout, &arena, io_gradient, &status);
    cr_assert_eq(code, TS_OK, "%s", status.message);
    ts_arena_free(&arena);
}

static void expect_near(double found, double wanted, double scale, const char* what) {
    cr_expect(fabs(found - wanted) <= 2e-7 * scale, "%s: %.12g, not %.12g", what, found, wanted);
}

Test(rollout, of_a_body_that_falls) {
    enum { N = 10 };
    fixture f = falling_body();
    weights w = {{0.0, 0.0, 1.0}, {0.5, 0.0, 0.0}, 0.25, 0, 0, 0};
    ts_rollout rollout = rollout_of(&w, N);
    ts_step_input by[] = {ts_step_input_all(f.model, TS_STEP_BY_GRAVITY), {TS_STEP_BY_MASS, 1, 1}};
    double qpos[6], qvel[6], force[N * 6], parameter[4];
    ts_rollout_gradient d = {.qpos = qpos, .qvel = qvel, .force = force, .parameter = parameter};
    rollout.parameter = by;
    rollout.parameter_count = 2;
    f.sim->qvel[0] = 2.0;
    f.sim->force_applied[2] = 1.0;
    uint64_t before = ts_sim_hash(f.sim);
    backward(f.sim, &rollout, &d);
    // z = z0 - (g - F/m) h^2 N (N + 1) / 2,  x_k = x0 + v h k
    double fall = h * h * N * (N + 1) / 2.0;
    expect_near(d.loss, 2.0 - (g - 0.5) * fall + 1.0 + 0.25 * 2.0 * h * N * (N - 1) / 2.0, 1.0, "loss");
    expect_near(qpos[2], 1.0, 1.0, "by height");
    expect_near(qpos[0], 0.25 * N, 1.0, "by place along x, on all of the path");
    expect_near(qvel[2], N * h, h, "by velocity");
    expect_near(qvel[0], 0.5 + 0.25 * h * N * (N - 1) / 2.0, 1.0, "by velocity along x");
    for (int k = 0; k < N; ++k) expect_near(force[6 * k + 2], h * h * (N - k) / 2.0, h * h, "by force");
    expect_near(parameter[2], fall, fall, "by gravity");
    expect_near(parameter[3], -1.0 / 4.0 * fall, fall, "by mass");
    cr_expect_eq(ts_sim_hash(f.sim), before, "the simulation is put back");
    cr_expect_eq(w.asked_value, N + 1);
    cr_expect_eq(w.asked_pull, N + 1);
    cr_expect_eq(d.report.verdict, TS_STEP_REGULAR, "%s", d.report.reason);
    cr_expect_eq(d.report.count[TS_STEP_REGULAR], N);
    fixture_end(&f);
}

// Slides for n steps, the last of which ends at rest: x = n v h - mu g h^2 n (n - 1) / 2 over those that end in motion.
Test(rollout, of_a_box_that_slides_until_it_stops) {
    fixture f = box_on_floor(0.2, 0.4);
    double slowed = 0.4 * g * h;
    int moving = (int)floor(0.2 / slowed), N = moving + 15;
    weights w = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, 0, 0, 0};
    ts_rollout rollout = rollout_of(&w, N);
    ts_step_input by[] = {{TS_STEP_BY_FRICTION, 1, 1}, {TS_STEP_BY_GRAVITY, 2, 1}};
    double qvel[6], parameter[2];
    ts_rollout_gradient d = {.qvel = qvel, .parameter = parameter};
    rollout.parameter = by;
    rollout.parameter_count = 2;
    backward(f.sim, &rollout, &d);
    double sum = h * h * moving * (moving + 1) / 2.0;
    expect_near(d.loss, 0.2 * moving * h - 0.4 * g * sum, 0.01, "distance");
    expect_near(qvel[0], moving * h, 0.1, "by speed");
    expect_near(parameter[0], -g * sum, 0.1, "by friction");
    expect_near(parameter[1], 0.4 * sum, 0.01, "by gravity");
    // Of order h beside v^2 / (2 mu g).
    cr_expect(fabs(qvel[0] - 0.2 / (0.4 * g)) <= h && fabs(parameter[0] + 0.04 / (2 * 0.16 * g)) <= 0.2 * h / 0.4);
    fixture_end(&f);
}

// A cart on a rail with a motor: every control acts from its step on.
Test(rollout, by_the_controls_of_every_step) {
    enum { N = 12 };
    ts_builder* builder = ts_builder_create("scene");
    ts_body_def body = ts_body_def_default();
    body.mass = 4.0;
    body.inertia = ts_mat3_identity();
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.type = TS_JOINT_SLIDE;
    joint.axis = ts_vec3_axis(0);
    ts_actuator_def motor = ts_actuator_def_default();
    motor.is.target = ts_builder_add_joint(builder, &joint);
    motor.is.gain[0] = 3.0;
    cr_assert(ts_builder_add_actuator(builder, &motor) >= 0);
    fixture f = fixture_start(builder, 1);
    double ctrl[N], by_ctrl[N], state[2], loss[1], ones[N];
    for (int k = 0; k < N; ++k) {
        ctrl[k] = 0.1 * k;
        ones[k] = 1.0;
    }
    weights w = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, 0, 0, 0};
    ts_rollout rollout = rollout_of(&w, N);
    // A cart has one coordinate: the others of `weighed` are not there.
    rollout.loss = NULL;
    rollout.ctrl = ctrl;
    ts_arena arena = {0};
    ts_rollout_tangents t = {.count = 1, .ctrl = ones, .state = state, .loss = loss};
    cr_assert_eq(ts_rollout_forward(f.sim, &rollout, &arena, &t, NULL, NULL), TS_OK);
    expect_near(state[0], 0.75 * h * h * N * (N + 1) / 2.0, h * h, "position by all controls");
    expect_near(state[1], 0.75 * h * N, h, "velocity by all controls");
    ts_rollout_gradient d = {.ctrl = by_ctrl};
    backward(f.sim, &rollout, &d);
    for (int k = 0; k < N; ++k) cr_expect_eq(by_ctrl[k], 0.0, "no loss, no gradient");
    ts_arena_free(&arena);
    fixture_end(&f);
}

// Distance, spin and height after impacts with friction, against differences of the loss and against forward columns.
Test(rollout, of_a_ball_that_bounces) {
    enum { N = 40 };
    fixture f = bouncing_ball();
    weights w = {{1.0, -0.5, 0.7}, {0.2, 0.1, 0.3}, 0.05, 0, 0, 0};
    ts_rollout rollout = rollout_of(&w, N);
    ts_step_input by[] = {{TS_STEP_BY_FRICTION, 1, 1}, {TS_STEP_BY_MASS, 1, 1}, {TS_STEP_BY_TIME_STEP, 0, 1}};
    double qpos[6], qvel[6], parameter[3];
    ts_rollout_gradient d = {.qpos = qpos, .qvel = qvel, .parameter = parameter};
    rollout.parameter = by;
    rollout.parameter_count = 3;
    backward(f.sim, &rollout, &d);

    double start[2 * 12] = {0}, change[2 * 3] = {0}, state[2 * 12], loss[2];
    ts_rng rng = ts_rng_make(5, 0);
    for (int i = 0; i < 24; ++i) start[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    for (int i = 3; i < 6; ++i) change[i] = ts_rng_uniform_in(&rng, -0.1, 0.1);
    ts_arena arena = {0};
    ts_rollout_tangents t = {.count = 2, .start = start, .parameter = change, .state = state, .loss = loss};
    double value = 0.0;
    cr_assert_eq(ts_rollout_forward(f.sim, &rollout, &arena, &t, &value, NULL), TS_OK);
    cr_expect_eq(value, d.loss, "the same bits");
    for (int c = 0; c < 2; ++c) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < 6; ++i) sum += qpos[i] * start[12 * c + i] + qvel[i] * start[12 * c + 6 + i];
        for (int i = 0; i < 3; ++i) sum += parameter[i] * change[3 * c + i];
        for (int i = 0; i < 6; ++i) size += fabs(qpos[i]) + fabs(qvel[i]);
        cr_expect(fabs(sum - loss[c]) <= 1e-12 * size, "%.17g %.17g", sum, loss[c]);
    }

    const double e = 1e-6;
    double high = 0.0, low = 0.0;
    for (int i = 0; i < 3; ++i) {
        f.sim->qvel[i] += e;
        cr_assert_eq(ts_rollout_run(f.sim, &rollout, &high, NULL), TS_OK);
        f.sim->qvel[i] -= 2.0 * e;
        cr_assert_eq(ts_rollout_run(f.sim, &rollout, &low, NULL), TS_OK);
        f.sim->qvel[i] += e;
        cr_expect(fabs((high - low) / (2.0 * e) - qvel[i]) <= 1e-5, "%d: %.9g %.9g", i, (high - low) / (2.0 * e),
                  qvel[i]);
    }
    ts_arena_free(&arena);
    fixture_end(&f);
}

static int questions;

static int after_two_questions(void* user) {
    (void)user;
    return ++questions > 2;
}

// Eight balls, on one and on four threads.
Test(rollout, many_are_the_same_bits_on_any_number_of_threads) {
    enum { COUNT = 8, N = 25 };
    double qvel[2][COUNT][6], loss[2][COUNT];
    for (int round = 0; round < 2; ++round) {
        ts_task_pool* pool = ts_task_pool_create(round == 0 ? 1 : 4);
        fixture f[COUNT];
        ts_rollout_job job[COUNT];
        weights w[COUNT];
        memset(job, 0, sizeof job);
        for (int i = 0; i < COUNT; ++i) {
            f[i] = bouncing_ball();
            f[i].sim->qvel[0] += 0.1 * i;
            w[i] = (weights){{1.0, -0.5, 0.7}, {0.2, 0.1, 0.3}, 0.05, 0, 0, 0};
            job[i].sim = f[i].sim;
            job[i].rollout = rollout_of(&w[i], N);
            job[i].gradient.qvel = qvel[round][i];
        }
        cr_assert_eq(ts_rollout_batch(pool, job, COUNT), 0);
        for (int i = 0; i < COUNT; ++i) loss[round][i] = job[i].gradient.loss;
        for (int i = 0; i < COUNT; ++i) fixture_end(&f[i]);
        ts_task_pool_destroy(pool);
    }
    cr_expect_eq(memcmp(qvel[0], qvel[1], sizeof qvel[0]), 0);
    cr_expect_eq(memcmp(loss[0], loss[1], sizeof loss[0]), 0);
    cr_expect(loss[0][0] != loss[0][1]);
}

Test(rollout, what_cannot_be_is_refused_and_nothing_changes) {
    fixture f = falling_body();
    weights w = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, 0, 0, 0};
    ts_rollout rollout = rollout_of(&w, 3);
    ts_step_input wrong = {TS_STEP_BY_VELOCITY, 0, 1};
    ts_rollout_gradient d = {0};
    ts_arena arena = {0};
    ts_status status;
    uint64_t before = ts_sim_hash(f.sim);
    rollout.parameter = &wrong;
    rollout.parameter_count = 1;
    cr_expect_eq(ts_rollout_backward(f.sim, &rollout, &arena, &d, &status), TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "qvel") != NULL, "%s", status.message);
    wrong = (ts_step_input){TS_STEP_BY_MASS, 0, 5};
    cr_expect_eq(ts_rollout_backward(f.sim, &rollout, &arena, &d, &status), TS_ERROR_VALUE);
    rollout.parameter_count = 0;
    rollout.steps = 0;
    cr_expect_eq(ts_rollout_backward(f.sim, &rollout, &arena, &d, &status), TS_OK);
    // A step that leaves the finite numbers is told with its number, and the simulation is where it was.
    rollout.steps = 3;
    double force[18] = {0};
    force[12] = (double)INFINITY;
    rollout.force = force;
    cr_expect_eq(ts_rollout_backward(f.sim, &rollout, &arena, &d, &status), TS_ERROR_NUMERIC);
    cr_expect(strstr(status.message, "step 2") != NULL, "%s", status.message);
    cr_expect_eq(ts_sim_hash(f.sim), before);
    // So it is when somebody stops it.
    rollout.force = NULL;
    rollout.stop = after_two_questions;
    questions = 0;
    cr_expect_eq(ts_rollout_backward(f.sim, &rollout, &arena, &d, &status), TS_ERROR_INTERRUPTED);
    cr_expect_eq(questions, 3);
    cr_expect_eq(ts_sim_hash(f.sim), before);
    ts_arena_free(&arena);
    fixture_end(&f);
}
