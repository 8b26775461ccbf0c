// Actuators against closed forms: what a servo does to a wheel in a step, at its limits and away from them; activations;
// wrenches at sites; limits of joints; and that a simulation's future holds controls and activations.
#include "tests/engine/engine_fixture.h"

static const double inertia = 0.3, step = 0.005;

// Wheels about z, without gravity, one for each actuator.
static fixture wheels(const ts_actuator_def* def, int count, const ts_limits* joint_limits) {
    ts_builder* builder = ts_builder_create("wheels");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_builder_options(builder)->time_step = step;
    ts_builder_options(builder)->tolerance = 1e-12;
    for (int i = 0; i < count; ++i) {
        ts_body_def body = ts_body_def_default();
        body.pose.position = ts_vec3_make(i, 0.0, 0.0);
        body.mass = 1.0;
        body.inertia = ts_mat3_scale(inertia, ts_mat3_identity());
        ts_joint_def joint = ts_joint_def_default();
        joint.body = ts_builder_add_body(builder, &body);
        if (joint_limits) joint.actuation = *joint_limits;
        ts_actuator_def pulls = def[i];
        pulls.is.target = ts_builder_add_joint(builder, &joint);
        cr_assert_eq(ts_builder_add_actuator(builder, &pulls), i);
    }
    return fixture_start(builder, 1);
}

static ts_actuator_def servo(double kp, double kv) {
    ts_actuator_def def = ts_actuator_def_default();
    def.is.gain[0] = kp;
    def.is.bias[1] = -kp;
    def.is.bias[2] = -kv;
    return def;
}

static ts_limits limits(double low, double high) { return (ts_limits){1, {low, high}}; }

// v+ of a servo with gear g that pulls with its force at the end of the step, limits aside.
static double exact_velocity(double kp, double kv, double g, double u, double q, double v) {
    double h = step;
    return (inertia * v + h * g * kp * (u - g * q)) / (inertia + h * g * g * (kv + h * kp));
}

Test(actuation, a_stiff_servo_is_implicit_and_stable) {
    const double kp = 1e5, kv = 2.0, gear = -1.5, u = 0.7;
    ts_actuator_def def = servo(kp, kv);
    def.is.gear[0] = gear;
    fixture f = wheels(&def, 1, NULL);
    f.sim->ctrl[0] = u;
    f.sim->qvel[0] = 0.4;
    for (int n = 0; n < 400; ++n) {
        double q = f.sim->qpos[0], v = exact_velocity(kp, kv, gear, u, q, f.sim->qvel[0]);
        double force = kp * (u - gear * (q + step * v)) - kv * gear * v;
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->problem.row_count, 0, "without limits it needs no row");
        cr_assert_float_eq(f.sim->qvel[0], v, 1e-12, "%g against %g", f.sim->qvel[0], v);
        cr_assert_float_eq(f.sim->actuator_force[0], force, 1e-10 * (1.0 + fabs(force)));
        cr_assert_float_eq(f.sim->force_actuator[0], gear * force, 1e-9 * (1.0 + fabs(force)));
    }
    cr_assert_float_eq(f.sim->qpos[0], u / gear, 1e-6);
    fixture_end(&f);
}

// At its limit a servo is a motor of that force, and the box is left in the step in which the exact force is inside.
Test(actuation, limits_hold_to_rounding_at_the_end_of_the_step) {
    const double kp = 400.0, kv = 25.0, most = 6.0, u = 0.3;
    ts_actuator_def def = servo(kp, kv);
    def.is.force = limits(-most, most);
    fixture f = wheels(&def, 1, NULL);
    f.sim->ctrl[0] = u;
    int at_limit = 0, inside = 0, surprised = 0;
    for (int n = 0; n < 400; ++n) {
        double q = f.sim->qpos[0], before = f.sim->qvel[0];
        double now = kp * (u - q) - kv * before;
        double v = exact_velocity(kp, kv, 1.0, u, q, before), force = kp * (u - q - step * v) - kv * v;
        int is_inside = fabs(force) <= most;
        if (!is_inside) {
            force = copysign(most, force);
            v = before + step * force / inertia;
        }
        // Inside when the step begins, not at its end: what the second attempt is for.
        surprised += fabs(now) < most && !is_inside;
        is_inside ? ++inside : ++at_limit;
        fixture_run(&f, 1);
        cr_assert_float_eq(f.sim->qvel[0], v, 1e-9 * (fabs(v) + 1e-3), "step %d: %.12g against %.12g", n,
                           f.sim->qvel[0], v);
        cr_assert_float_eq(f.sim->actuator_force[0], force, 1e-6, "step %d", n);
    }
    cr_assert(at_limit > 10 && inside > 10 && surprised > 0, "%d %d %d", at_limit, inside, surprised);
    fixture_end(&f);
}

Test(actuation, the_limit_of_a_joint_is_that_of_its_only_actuator) {
    const ts_limits most = limits(-3.0, 2.0);
    ts_actuator_def def = servo(1e4, 10.0);
    def.is.gear[0] = -2.0;
    fixture f = wheels(&def, 1, &most);
    ts_status status;
    f.sim->ctrl[0] = 1.0;
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    cr_assert_eq(f.sim->actuator_force[0], 1e4, "the actuator knows of no limit");
    cr_assert_eq(f.sim->force_actuator[0], -3.0);
    fixture_run(&f, 1);
    cr_assert_float_eq(f.sim->qvel[0], -3.0 * step / inertia, 1e-9);
    fixture_end(&f);
}

// Two motors at one joint: the limit is that of their sum.
Test(actuation, the_limit_of_a_joint_holds_for_the_sum) {
    ts_builder* builder = ts_builder_create("sum");
    ts_body_def body = ts_body_def_default();
    body.mass = 1.0;
    body.inertia = ts_mat3_identity();
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.actuation = limits(-1.0, 5.0);
    ts_actuator_def def = ts_actuator_def_default();
    def.is.target = ts_builder_add_joint(builder, &joint);
    ts_builder_add_actuator(builder, &def);
    def.is.gear[0] = 2.0;
    ts_builder_add_actuator(builder, &def);
    fixture f = fixture_start(builder, 1);
    f.sim->ctrl[0] = 4.0;
    f.sim->ctrl[1] = 3.0;
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->force_actuator[0], 5.0);
    cr_assert_float_eq(f.sim->qvel[0], 5.0 * f.model->options.time_step, 1e-15);
    fixture_end(&f);
}

Test(actuation, activations_follow_their_controls) {
    ts_actuator_def def[4];
    for (int i = 0; i < 4; ++i) {
        def[i] = ts_actuator_def_default();
        def[i].is.activation = (ts_activation)(i % 3 + 1);
        def[i].is.time_constant = 0.1;
        def[i].is.control = limits(-1.0, 1.0);
    }
    def[3].is.act_limits = limits(-1.0, 0.02);
    fixture f = wheels(def, 4, NULL);
    cr_assert_eq(f.model->act_count, 4);
    for (int i = 0; i < 4; ++i) f.sim->ctrl[i] = 2.0;
    const int n = 40;
    fixture_run(&f, n);
    cr_assert_float_eq(f.sim->act[0], n * step, 1e-14, "of a clamped control");
    cr_assert_float_eq(f.sim->act[1], 1.0 - pow(1.0 - step / 0.1, n), 1e-14);
    cr_assert_float_eq(f.sim->act[2], 1.0 - exp(-n * step / 0.1), 1e-14);
    cr_assert_eq(f.sim->act[3], 0.02);
    // The force of a step is that of the activation when it begins.
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += k * step;
    cr_assert_float_eq(f.sim->qvel[0], step * sum / inertia, 1e-13);
    fixture_end(&f);
}

// A jet: a force along the body's x and a couple about its z, on a body that is turned by a quarter.
Test(actuation, a_site_of_a_free_body_is_pulled_by_a_wrench) {
    ts_builder* builder = ts_builder_create("jet");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    int body = fixture_free_body(builder, ts_vec3_zero(), 2.0, ts_mat3_scale(0.5, ts_mat3_identity()));
    ts_pose at = {ts_vec3_make(0.0, 0.3, 0.0), ts_quat_identity()};
    ts_actuator_def def = ts_actuator_def_default();
    def.transmission = "site";
    def.is.target = ts_builder_add_site(builder, "nozzle", body, at, ts_shape_sphere(0.01), NULL, 0);
    const double gear[TS_GEAR_SIZE] = {3.0, 0.0, 0.0, 0.0, 0.0, 1.5};
    memcpy(def.is.gear, gear, sizeof gear);
    ts_builder_add_actuator(builder, &def);
    fixture f = fixture_start(builder, 1);
    ts_quat_store(ts_quat_from_axis_angle(ts_vec3_axis(2), acos(0.0)), f.sim->qpos + 3);
    f.sim->ctrl[0] = 2.0;
    fixture_run(&f, 1);
    double h = f.model->options.time_step, couple = 1.5 * 2.0 - 0.3 * 6.0;
    cr_assert_float_eq(f.sim->qvel[1], 6.0 * h / 2.0, 1e-12, "its x is the world's y: %g", f.sim->qvel[1]);
    cr_assert_float_eq(f.sim->qvel[0], 0.0, 1e-12);
    cr_assert_float_eq(f.sim->qvel[5], couple * h / 0.5, 1e-12);
    fixture_end(&f);
}

// Explicit under euler, with the derivative by the velocity under implicitfast: MuJoCo's meanings.
Test(actuation, integrators_say_when_a_servo_acts) {
    const double kp = 50.0, kv = 4.0, u = 0.2, q = 0.1, v = -0.3, force = kp * (u - q) - kv * v;
    const struct {
        const char* name;
        double velocity;
    } cases[] = {{"euler", v + step * force / inertia},
                 {"implicitfast", v + step * force / (inertia + step * kv)},
                 {"implicit", v + step * force / (inertia + step * kv)},
                 {"discrete", v + step * (force - step * kp * v) / (inertia + step * kv + step * step * kp)}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ts_actuator_def def = servo(kp, kv);
        fixture f = wheels(&def, 1, NULL);
        ts_status status;
        cr_assert_eq(ts_sim_set_integrator(f.sim, cases[i].name, &status), TS_OK);
        f.sim->ctrl[0] = u;
        f.sim->qpos[0] = q;
        f.sim->qvel[0] = v;
        fixture_run(&f, 1);
        cr_assert_float_eq(f.sim->qvel[0], cases[i].velocity, 1e-14, "%s", cases[i].name);
        fixture_end(&f);
    }
}

// The exact solution of a spring and a damper that drive a wheel, to the order of the integrator: with half the step a sixteenth of
// the error.
Test(actuation, runge_kutta_asks_servos_at_every_stage) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const double kp = 12.0, u = 0.5, end = 0.8;
        ts_actuator_def def = servo(kp, 0.0);
        fixture f = wheels(&def, 1, NULL);
        ts_status status;
        cr_assert_eq(ts_sim_set_integrator(f.sim, "rk4", &status), TS_OK);
        int steps = k ? 40 : 20;
        f.sim->options.time_step = end / steps;
        f.sim->ctrl[0] = u;
        fixture_run(&f, steps);
        error[k] = fabs(f.sim->qpos[0] - u * (1.0 - cos(sqrt(kp / inertia) * end)));
        fixture_end(&f);
    }
    cr_assert(error[0] > 1e-9 && error[0] / error[1] > 14.0 && error[0] / error[1] < 18.0, "%g %g", error[0], error[1]);
}

// A damping ratio of 1: the slowest motion without overshoot, of the reflected mass (inertia + armature) / gear^2.
Test(actuation, damping_ratios) {
    ts_actuator_def def = servo(80.0, 0.0);
    def.is.gear[0] = 2.0;
    def.damping_ratio = 0.5;
    def.armature = 0.05;
    fixture f = wheels(&def, 1, NULL);
    double mass = (inertia + 4.0 * 0.05) / 4.0;
    cr_assert_float_eq(f.model->actuator[0].bias[2], -2.0 * 0.5 * sqrt(80.0 * mass), 1e-12);
    fixture_end(&f);
}

Test(actuation, futures_hold_controls_and_activations) {
    ts_actuator_def def = ts_actuator_def_default();
    def.is.activation = TS_ACTIVATION_FILTER;
    fixture f = wheels(&def, 1, NULL);
    ts_snapshot snapshot = {NULL, 0, 0};
    ts_status status;
    f.sim->ctrl[0] = 0.8;
    fixture_run(&f, 5);
    uint64_t hash = ts_sim_hash(f.sim);
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
    f.sim->ctrl[0] = 0.7;
    cr_assert_neq(ts_sim_hash(f.sim), hash);
    fixture_run(&f, 5);
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_OK);
    cr_assert_eq(f.sim->ctrl[0], 0.8);
    cr_assert_eq(ts_sim_hash(f.sim), hash);
    f.sim->act[0] += 1e-9;
    cr_assert_neq(ts_sim_hash(f.sim), hash);
    ts_sim_reset(f.sim);
    cr_assert(f.sim->ctrl[0] == 0.0 && f.sim->act[0] == 0.0);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
}

static void push(ts_sim* sim, void* user) {
    ++*(int*)user;
    sim->ctrl[0] = sim->time > 0.012 ? 1.0 : 0.0;
}

Test(actuation, a_callback_sets_controls_before_every_step) {
    ts_actuator_def def = ts_actuator_def_default();
    fixture f = wheels(&def, 1, NULL);
    int calls = 0;
    ts_sim_set_control(f.sim, push, &calls);
    fixture_run(&f, 5);
    cr_assert_eq(calls, 5);
    // Steps 0, 1, 2 begin before that time.
    cr_assert_float_eq(f.sim->qvel[0], 2.0 * step / inertia, 1e-15);
    fixture_end(&f);
}

static void refuse(const ts_actuator_def* def, const char* wanted) {
    ts_builder* builder = ts_builder_create("bad");
    ts_model* model = NULL;
    ts_status status;
    int body = fixture_free_body(builder, ts_vec3_zero(), 2.0, ts_mat3_identity());
    ts_builder_add_site(builder, "s", body, ts_pose_identity(), ts_shape_sphere(0.01), NULL, 0);
    ts_builder_add_actuator(builder, def);
    cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_ERROR_VALUE);
    cr_assert_not_null(strstr(status.message, wanted), "%s", status.message);
    cr_assert_eq(status.line, 7);
    cr_assert_str_eq(status.file, "m.xml");
}

Test(actuation, what_is_refused) {
    ts_actuator_def good = ts_actuator_def_default(), def;
    good.file = "m.xml";
    good.line = 7;
    (def = good, def.transmission = "belt", refuse(&def, "no transmission 'belt'"));
    (def = good, def.is.target = 1, refuse(&def, "nothing that it pulls at"));
    (def = good, def.is.gear[2] = NAN, refuse(&def, "a number is not finite"));
    (def = good, def.is.force = limits(1.0, -1.0), refuse(&def, "range of its force is empty"));
    (def = good, def.is.control.range[1] = HUGE_VAL, refuse(&def, "a range is not finite"));
    (def = good, def.is.time_constant = -1.0, refuse(&def, "time constant is negative"));
    (def = good, def.damping_ratio = -1.0, refuse(&def, "damping ratio is negative"));
    def = good;
    def.transmission = "site";
    def.is.reference = 0;
    refuse(&def, "two sites are on one body");
}
