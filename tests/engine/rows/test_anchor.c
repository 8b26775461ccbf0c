// anchor: friction that gives way, holds, and remembers. Closed forms of one contact on springs; what is held does not creep, where the same
// softness without a memory does; and the answer depends on the past, which a snapshot carries.
#include "engine/sim_internal.h"
#include "tests/engine/engine_fixture.h"

static const double gravity = 9.81, h = 1e-3, mass = 2.0, mu = 0.6, period = 30.0;

// A sphere that cannot turn, on a floor: one contact, whose tangents see 1 / m.
static fixture particle(const char* solver, double pull) {
    ts_builder* builder = ts_builder_create("anchor");
    ts_options* options = ts_builder_options(builder);
    options->gravity = ts_vec3_make(pull, 0.0, -gravity);
    options->time_step = h;
    strcpy(options->solver, solver);
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    geom.surface.friction = mu;
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    ts_body_def def = ts_body_def_default();
    def.pose.position = ts_vec3_make(0.0, 0.0, 0.1);
    int body = ts_builder_add_body(builder, &def);
    for (int i = 0; i < 3; ++i) {
        ts_joint_def joint = ts_joint_def_default();
        joint.body = body;
        joint.type = TS_JOINT_SLIDE;
        joint.axis = ts_vec3_axis(i);
        cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
    }
    geom.shape = ts_shape_sphere(0.1);
    geom.mass = mass;
    geom.body = body;
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set(f.sim, "solver.tolerance", "1e-13", NULL), TS_OK);
    if (strcmp(solver, "anchor") == 0) cr_assert_eq(ts_sim_set(f.sim, "solver.period", "30", NULL), TS_OK);
    return f;
}

// N/m: swings once in `period` steps.
static double stiffness(void) {
    double w = 6.283185307179586 / (period * h);
    return mass * w * w;
}

// Every step is the implicit spring with a slider: v' = v + h (a - k x' / m), x' = x + h v', |k x'| <= mu m g; worked out here, step by
// step, through pulls that it holds, a pull that drags the anchor along, and letting go.
Test(anchor, is_a_spring_with_a_slider) {
    fixture f = particle("anchor", 0.0);
    static const double pulls[4] = {3.0, -2.0, 9.0, 0.0};
    double k = stiffness(), limit = mu * mass * gravity, x = 0.0, v = 0.0, at = 0.0;
    int slid = 0;
    for (int step = 0; step < 400; ++step) {
        double a = pulls[step / 100];
        f.sim->options.gravity.x = a;
        double before = v;
        v = (before + h * a - h * k / mass * x) / (1.0 + h * h * k / mass);
        double next = x + h * v;
        if (fabs(k * next) > limit) {
            next = copysign(limit / k, next);
            v = before + h * (a - k * next / mass);
            ++slid;
        }
        x = next;
        at += h * v;
        fixture_run(&f, 1);
        cr_assert_float_eq(f.sim->qpos[0], at, 1e-12, "step %d: %.15g, not %.15g", step, f.sim->qpos[0], at);
        cr_assert_float_eq(f.sim->qvel[0], v, 1e-10, "step %d", step);
    }
    cr_expect(slid > 50 && slid < 250, "it slid in %d steps", slid);
    // Let go, it came back from where the anchor was dragged to, and not to where it began.
    cr_expect_gt(at, 0.02);
    fixture_end(&f);
}

// A pull within friction is held at f / k, and stays there: to rounding for a minute. Soft friction without a memory, the same R, goes on at
// R f h for ever.
Test(anchor, holds_what_soft_friction_lets_creep) {
    double pull = 0.5 * mu * gravity, k = stiffness(), way = mass * pull / k;
    fixture f = particle("anchor", pull);
    fixture_run(&f, 2000);
    double settled = f.sim->qpos[0];
    cr_expect_float_eq(settled, way, 1e-9 * way, "%.12g, not %.12g", settled, way);
    fixture_run(&f, 20000);
    cr_expect_lt(fabs(f.sim->qpos[0] - settled), 1e-14, "%g in 20 s", f.sim->qpos[0] - settled);
    cr_expect_float_eq(f.sim->contact[0].impulse.x * f.sim->contact[0].frame.m[0][0] +
                           f.sim->contact[0].impulse.y * f.sim->contact[0].frame.m[0][1],
                       -mass * pull * h, 1e-12);
    fixture_end(&f);

    f = particle("sap", pull);
    char sigma[32];
    double R = 1.0 / (h * h * k), size = sqrt(3.0) / 3.0 / mass;
    snprintf(sigma, sizeof sigma, "%.17g", R / size);
    cr_assert_eq(ts_sim_set(f.sim, "solver.sigma", sigma, NULL), TS_OK);
    fixture_run(&f, 2000);
    settled = f.sim->qpos[0];
    fixture_run(&f, 1000);
    double creep = f.sim->qpos[0] - settled, expected = R * mass * pull * h;
    cr_expect_float_eq(creep, expected, 1e-6 * expected, "%g m/s, not %g", creep, expected);
    fixture_end(&f);
}

// Two of the same place and speed: one that was pulled there, and one that was put there. They go different ways, unless the memory goes with the
// state.
Test(anchor, answers_by_the_past) {
    double pull = 0.5 * mu * gravity;
    fixture pulled = particle("anchor", pull), put = particle("anchor", pull), ncp = particle("ncp", pull);
    fixture_run(&pulled, 2000);
    fixture_run(&ncp, 1);
    memcpy(put.sim->qpos, pulled.sim->qpos, 3 * sizeof(double));
    memcpy(put.sim->qvel, pulled.sim->qvel, 3 * sizeof(double));
    double from = pulled.sim->qpos[0];
    ts_snapshot snapshot = {0};
    ts_status status;
    cr_assert_eq(ts_sim_snapshot(pulled.sim, &snapshot, &status), TS_OK);
    fixture_run(&pulled, 500);
    fixture_run(&put, 500);
    cr_expect_lt(fabs(pulled.sim->qpos[0] - from), 1e-14);
    cr_expect_float_eq(put.sim->qpos[0] - from, mass * pull / stiffness(), 0.05 * mass * pull / stiffness());
    // The whole state, anchors and all, is a snapshot's.
    cr_expect_neq(ts_sim_hash(pulled.sim), ts_sim_hash(put.sim));
    cr_assert_eq(ts_sim_restore(put.sim, &snapshot, &status), TS_OK, "%s", status.message);
    fixture_run(&put, 500);
    cr_expect_eq(ts_sim_hash(pulled.sim), ts_sim_hash(put.sim));
    cr_expect_lt(fabs(ncp.sim->qpos[0]), 1e-12, "the exact law gives way: %g", ncp.sim->qpos[0]);
    ts_snapshot_free(&snapshot);
    fixture_end(&pulled);
    fixture_end(&put);
    fixture_end(&ncp);
}

// A contact that parts lets its anchor go.
Test(anchor, ends_with_the_contact) {
    double pull = 0.5 * mu * gravity;
    fixture f = particle("anchor", pull);
    fixture_run(&f, 1000);
    f.sim->qvel[2] = 1.0;
    fixture_run(&f, 100);
    cr_assert_eq(f.sim->contact_count, 0);
    f.sim->options.gravity.x = 0.0;
    f.sim->qvel[0] = 0.0;
    double from = f.sim->qpos[0];
    fixture_run(&f, 1000);
    cr_assert_eq(f.sim->contact_count, 1);
    cr_expect_lt(fabs(f.sim->qpos[0] - from), 1e-12, "it went back by %g", f.sim->qpos[0] - from);
    fixture_end(&f);
}

// Softness is along the slip alone: nothing sinks, and against rigid contact the answer of what is held is exact once it rests.
Test(anchor, does_not_sink_and_rests_as_the_exact_law_says) {
    fixture f = particle("anchor", 0.5 * mu * gravity);
    fixture_run(&f, 2000);
    cr_expect_float_eq(f.sim->qpos[2], 0.0, 1e-9);
    cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
    cr_expect_lt(f.sim->info.unmet, 1e-8);
    cr_expect_lt(f.sim->info.residual.natural, 1e-8, "%g", f.sim->info.residual.natural);
    fixture_end(&f);
}
