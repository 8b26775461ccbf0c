// Demands that joints block: a contact that presses where nothing can give gets no impulse, one whose push-out leans out of the
// plane of a planar body is asked for what the plane can do, both are named, and no impulse runs away.
#include "tests/engine/engine_fixture.h"

#include "engine/step/certify.h"

// A ball of 1 kg on slides along the given axes, its centre at `at`, beside a ball that is fixed at the origin; both of 0.1 m.
static fixture ball_on_rails(const ts_vec3* axis, int axes, ts_vec3 at, double friction, const char* solver) {
    ts_builder* builder = ts_builder_create("rails");
    ts_body_def def = ts_body_def_default();
    def.parent = 0;
    def.pose.position = at;
    def.mass = 1.0;
    def.inertia = ts_mat3_scale(0.004, ts_mat3_identity());
    int body = ts_builder_add_body(builder, &def);
    for (int i = 0; i < axes; ++i) {
        ts_joint_def joint = ts_joint_def_default();
        joint.type = TS_JOINT_SLIDE;
        joint.body = body;
        joint.axis = axis[i];
        cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
    }
    fixture_geom(builder, 0, ts_shape_sphere(0.1), ts_vec3_zero(), friction);
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), friction);
    ts_builder_options(builder)->time_step = 0.01;
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set_solver(f.sim, solver, &status), TS_OK, "%s", status.message);
    return f;
}

static const char* const solvers[] = {"ncp", "ncp-newton", "ncp-pgs", "ncp-admm", "ccp-admm", "lcp-pgs", "raisim"};

// On a rail along x, pressed from straight below: 2 cm deep, and nothing to be done about it.
Test(blocked, a_contact_square_to_its_rail_carries_nothing) {
    const ts_vec3 rail = ts_vec3_make(1.0, 0.0, 0.0);
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        fixture f = ball_on_rails(&rail, 1, ts_vec3_make(0.0, 0.0, 0.18), 1.0, solvers[i]);
        f.sim->qvel[0] = 0.25;
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->contact_count, 1);
        cr_expect_eq(f.sim->info.blocked, 1, "%s", solvers[i]);
        cr_expect_eq(ts_vec3_norm(f.sim->contact[0].impulse), 0.0, "%s", solvers[i]);
        cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s", solvers[i]);
        cr_expect_eq(f.sim->qvel[0], 0.25, "%s: friction without pressure", solvers[i]);
        fixture_end(&f);
    }
}

// In the plane z = 0.1, 45 degrees above the other ball, 2 cm deep: it is pushed out sideways, by impulses of the size of its mass
// times a speed of metres per second.
Test(blocked, a_push_out_that_leans_out_of_the_plane_stays_finite) {
    const ts_vec3 rails[2] = {ts_vec3_make(1.0, 0.0, 0.0), ts_vec3_make(0.0, 1.0, 0.0)};
    double s = 0.18 / sqrt(2.0);
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        fixture f = ball_on_rails(rails, 2, ts_vec3_make(s, 0.0, s), 1.5, solvers[i]);
        char whose[128];
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->contact_count, 1);
        cr_expect_eq(f.sim->info.blocked, 1, "%s", solvers[i]);
        cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s: %s at %g", solvers[i],
                     ts_solve_status_name(f.sim->info.solve.status), f.sim->info.unmet);
        cr_expect_leq(ts_vec3_norm(f.sim->contact[0].impulse), 10.0, "%s: %g N s", solvers[i],
                      ts_vec3_norm(f.sim->contact[0].impulse));
        cr_expect_gt(f.sim->qvel[0], 0.0, "%s", solvers[i]);
        ts_certify_describe(f.sim, 0, whose, sizeof whose);
        cr_expect_not_null(strstr(whose, "contact"), "%s", whose);
        fixture_run(&f, 200);
        cr_expect_leq(f.sim->qvel[0], 2.0, "%s: thrown out at %g m/s", solvers[i], f.sim->qvel[0]);
        fixture_end(&f);
    }
}

// A smooth rail that leans by a thousandth is a rail, not a wall; with friction it is one.
Test(blocked, what_can_move_a_little_is_not_blocked) {
    const ts_vec3 rail = ts_vec3_make(1.0, 0.0, 1e-3);
    for (int rough = 0; rough < 2; ++rough) {
        fixture f = ball_on_rails(&rail, 1, ts_vec3_make(0.0, 0.0, 0.18), rough ? 0.5 : 0.0, "ncp");
        fixture_run(&f, 1);
        cr_expect_eq(f.sim->info.blocked, rough);
        cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
        // It has to go far to get out, and does so with the energy that a push-out without leverage has, not with 100 m/s.
        const ts_options* o = &f.sim->options;
        double push = fmin(o->baumgarte * (0.02 - o->slop) / o->time_step, o->push_out_speed);
        if (!rough) cr_expect_float_eq(fabs(f.sim->qvel[0]), push, 1e-4 * push, "%g m/s", f.sim->qvel[0]);
        fixture_end(&f);
    }
}
