// Connections against closed forms: a mass on a point is a pendulum, a parallelogram has one degree of freedom.
#include "tests/engine/engine_fixture.h"

#include "engine/record/record.h"

// --- oracles, in long double ---

// theta'' = -k sin(theta), classical Runge-Kutta.
static void swing(long double k, long double duration, int steps, long double* theta, long double* rate) {
    long double h = duration / steps;
    for (int i = 0; i < steps; ++i) {
        long double a1 = *rate, b1 = -k * sinl(*theta);
        long double a2 = *rate + h / 2 * b1, b2 = -k * sinl(*theta + h / 2 * a1);
        long double a3 = *rate + h / 2 * b2, b3 = -k * sinl(*theta + h / 2 * a2);
        long double a4 = *rate + h * b3, b4 = -k * sinl(*theta + h * a3);
        *theta += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        *rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
}

// --- models ---

static const double length = 0.5, mass = 2.0, inertia = 0.01;

static void connect(ts_builder* builder, int a, int b, ts_vec3 on_a) {
    ts_equality_def def = ts_equality_def_default();
    def.kind = "connect";
    def.body[0] = a;
    def.body[1] = b;
    def.frame[0].position = on_a;
    cr_assert_geq(ts_builder_add_equality(builder, &def), 0);
}

// A free body whose point `length` away is held in the world, at the horizontal.
static fixture pendulum(double h, const char* solver) {
    ts_builder* builder = ts_builder_create("pendulum");
    ts_builder_options(builder)->time_step = h;
    int body =
        fixture_free_body(builder, ts_vec3_make(length, 0.0, 0.0), mass, ts_mat3_scale(inertia, ts_mat3_identity()));
    connect(builder, body, 0, ts_vec3_make(-length, 0.0, 0.0));
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "solver", solver, &status), TS_OK);
    return f;
}

// How far the connection is from being kept.
static double gap_of(const ts_sim* sim) {
    const ts_equality* c = &sim->model->equality[0];
    return ts_vec3_distance(ts_transform_point(&sim->kinematics.body_pose[c->body[0]], c->frame[0].position),
                            ts_transform_point(&sim->kinematics.body_pose[c->body[1]], c->frame[1].position));
}

static double worst_gap(fixture* f, int steps) {
    double worst = 0.0;
    for (int i = 0; i < steps; ++i) {
        fixture_run(f, 1);
        ts_sim_energy(f->sim);
        worst = fmax(worst, gap_of(f->sim));
    }
    return worst;
}

// --- tests ---

Test(connect, a_mass_on_a_point_is_a_pendulum) {
    double error[2];
    long double k = (long double)(mass * 9.81 * length) / (long double)(mass * length * length + inertia);
    for (int fine = 0; fine < 2; ++fine) {
        double h = fine ? 0.0005 : 0.001;
        fixture f = pendulum(h, "ncp");
        fixture_run(&f, (int)(1.0 / h + 0.5));
        // theta from straight down.
        long double theta = 2.0L * atanl(1.0L), rate = 0.0L;
        swing(k, 1.0L, 20000, &theta, &rate);
        double x = f.sim->qpos[0], z = f.sim->qpos[2];
        error[fine] = fabs(atan2(x, -z) - (double)theta);
        // The rod's pull is along it, and the rest of the body's force is gravity.
        cr_assert_eq(f.sim->problem.block_count, 1);
        cr_assert_str_eq(ts_row_source_name(f.sim->row_block[0].source), "connect");
        ts_vec3 pull = ts_vec3_scale(-1.0 / h, ts_vec3_load(f.sim->impulse));
        ts_vec3 rod = ts_vec3_make(-x / length, 0.0, -z / length);
        double expected = mass * (9.81 * rod.z + length * (double)(rate * rate));
        cr_assert_float_eq(ts_vec3_dot(pull, rod), expected, 40.0 * h * mass * 9.81, "%g against %g",
                           ts_vec3_dot(pull, rod), expected);
        fixture_end(&f);
    }
    // First order, as semi-implicit steps are.
    cr_assert_lt(error[1], 1e-3);
    cr_assert_float_eq(error[0] / error[1], 2.0, 0.2, "%g and %g", error[0], error[1]);
}

Test(connect, drift_is_of_third_order_and_every_solver_keeps_it) {
    double gap[2];
    for (int fine = 0; fine < 2; ++fine) {
        fixture f = pendulum(fine ? 0.001 : 0.002, "ncp");
        gap[fine] = worst_gap(&f, fine ? 2000 : 1000);
        fixture_end(&f);
    }
    cr_assert_lt(gap[1], 1e-6);
    cr_assert_gt(gap[0] / gap[1], 6.0, "%g and %g", gap[0], gap[1]);
    for (int i = 0; i < ts_solver_count(); ++i) {
        // What sap holds is as soft as it likes, and so is what is held without iterations.
        if (strcmp(ts_solver_at(i)->name, "sap") == 0 || ts_solver_at(i)->law == TS_LAW_EXPLICIT) continue;
        fixture f = pendulum(0.001, ts_solver_at(i)->name);
        cr_expect_lt(worst_gap(&f, 500), ts_solver_at(i)->takes_softness ? 2e-2 : 2e-6, "%s", ts_solver_at(i)->name);
        fixture_end(&f);
    }
}

// Two cranks of length a and a bar between them: the bar keeps its direction, and all moves as a pendulum of length a. The
// rows across the plane have nothing to hold.
Test(connect, a_parallelogram_is_a_pendulum) {
    const double a = 0.4, bar = 0.7, crank_mass = 1.0, bar_mass = 2.0, h = 0.0005;
    ts_builder* builder = ts_builder_create("parallelogram");
    ts_builder_options(builder)->time_step = h;
    int body[3];
    for (int i = 0; i < 3; ++i) {
        ts_body_def def = ts_body_def_default();
        def.parent = i == 1 ? body[0] : 0;
        def.pose.position = i == 1 ? ts_vec3_make(0.0, 0.0, -a) : ts_vec3_make(i ? bar : 0.0, 0.0, 0.0);
        def.mass = i == 1 ? bar_mass : crank_mass;
        def.centre = i == 1 ? ts_vec3_make(0.5 * bar, 0.0, 0.0) : ts_vec3_make(0.0, 0.0, -0.5 * a);
        double moment = i == 1 ? bar_mass * bar * bar / 12.0 : crank_mass * a * a / 12.0;
        def.inertia = ts_mat3_scale(moment, ts_mat3_identity());
        body[i] = ts_builder_add_body(builder, &def);
        ts_joint_def joint = ts_joint_def_default();
        joint.body = body[i];
        joint.axis = ts_vec3_axis(1);
        ts_builder_add_joint(builder, &joint);
    }
    connect(builder, body[1], body[2], ts_vec3_make(bar, 0.0, 0.0));
    fixture f = fixture_start(builder, 1);
    double rate0 = 3.0;
    f.sim->qvel[0] = f.sim->qvel[2] = rate0;
    f.sim->qvel[1] = -rate0;
    double gap = worst_gap(&f, 2000);
    long double k = (long double)((crank_mass + bar_mass) * 9.81 * a) /
                    (long double)(2.0 * crank_mass * a * a / 3.0 + bar_mass * a * a);
    long double theta = 0.0L, rate = rate0;
    swing(k, 1.0L, 20000, &theta, &rate);
    cr_assert_lt(gap, 1e-6);
    cr_assert_float_eq(f.sim->qpos[0], (double)theta, 2e-3, "%g against %Lg", f.sim->qpos[0], theta);
    cr_assert_float_eq(f.sim->qpos[2], f.sim->qpos[0], 1e-5);
    cr_assert_float_eq(f.sim->qpos[1], -f.sim->qpos[0], 1e-5);
    cr_assert_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
    fixture_end(&f);
}

Test(connect, what_is_held_together_keeps_its_momentum) {
    ts_builder* builder = ts_builder_create("pair");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_builder_options(builder)->time_step = 0.001;
    ts_mat3 moment = ts_mat3_diagonal(ts_vec3_make(0.01, 0.02, 0.03));
    int one = fixture_free_body(builder, ts_vec3_zero(), 1.0, moment);
    int two = fixture_free_body(builder, ts_vec3_make(0.5, 0.0, 0.0), 3.0, moment);
    connect(builder, one, two, ts_vec3_make(0.2, 0.1, 0.0));
    fixture f = fixture_start(builder, 1);
    ts_rng rng = ts_rng_make(5, 5);
    for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    fixture_run(&f, 1);
    double p[3];
    for (int i = 0; i < 3; ++i) p[i] = f.sim->qvel[i] + 3.0 * f.sim->qvel[6 + i];
    cr_assert_lt(worst_gap(&f, 1000), 1e-6);
    for (int i = 0; i < 3; ++i) cr_assert_float_eq(f.sim->qvel[i] + 3.0 * f.sim->qvel[6 + i], p[i], 1e-11);
    fixture_end(&f);
}

// An error that is there from the start goes as fast as push_out_speed allows, and what is left of it in one step.
Test(connect, errors_are_mended_at_the_speed_of_the_options) {
    ts_builder* builder = ts_builder_create("apart");
    ts_options* options = ts_builder_options(builder);
    options->gravity = ts_vec3_zero();
    options->time_step = 0.01;
    options->push_out_speed = 0.5;
    options->tolerance = 1e-12;
    int body = fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
    connect(builder, body, 0, ts_vec3_zero());
    fixture f = fixture_start(builder, 1);
    double x = f.sim->qpos[0] = 0.013;
    for (int i = 0; i < 10; ++i) {
        x = fmax(x - 0.005, 0.0);
        fixture_run(&f, 1);
        cr_assert_float_eq(f.sim->qpos[0], x, 1e-7, "step %d: %g against %g", i, f.sim->qpos[0], x);
    }
    fixture_end(&f);
}

// A connection that is not active, or of what is one body anyway, makes no rows.
Test(connect, nothing_to_hold_makes_no_rows) {
    ts_builder* builder = ts_builder_create("none");
    int body = fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
    ts_body_def def = ts_body_def_default();
    def.parent = body;
    def.mass = 1.0;
    def.inertia = ts_mat3_identity();
    int fixed = ts_builder_add_body(builder, &def);
    connect(builder, body, fixed, ts_vec3_zero());
    ts_equality_def off = ts_equality_def_default();
    off.kind = "connect";
    off.body[0] = body;
    off.active = 0;
    ts_builder_add_equality(builder, &off);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 1);
    cr_assert_eq(f.model->equality_count, 2);
    cr_assert_eq(f.sim->problem.block_count, 0);
    fixture_end(&f);
}

// Let go it falls like a stone, exactly: positions move by h v at the end of each step, so after n steps by h^2 g n (n + 1) / 2.
Test(connect, is_let_go_and_taken_up_again) {
    const double h = 1e-3, g = 9.81;
    fixture f = pendulum(h, "ncp");
    ts_snapshot held = {0};
    ts_status status;
    fixture_run(&f, 10);
    cr_assert(gap_of(f.sim) < 1e-6);
    cr_assert_eq(ts_sim_snapshot(f.sim, &held, &status), TS_OK);
    uint64_t hash = ts_sim_hash(f.sim);
    f.sim->equality_active[0] = 0;
    cr_assert(ts_sim_hash(f.sim) != hash);
    double height = f.sim->qpos[2], speed = f.sim->qvel[2];
    fixture_run(&f, 100);
    double fallen = f.sim->qpos[2] - height, want = 100 * h * speed - h * h * g * 5050.0;
    cr_assert(fabs(fallen - want) < 1e-9, "%.12g, not %.12g", fallen, want);
    cr_assert_eq(f.sim->problem.row_count, 0);
    // A state holds what held then.
    cr_assert_eq(ts_sim_restore(f.sim, &held, &status), TS_OK);
    cr_assert(f.sim->equality_active[0] && ts_sim_hash(f.sim) == hash);
    fixture_run(&f, 100);
    cr_assert(gap_of(f.sim) < 1e-6);
    f.sim->equality_active[0] = 0;
    ts_sim_reset(f.sim);
    cr_assert(f.sim->equality_active[0]);
    ts_snapshot_free(&held);
    fixture_end(&f);
}
