// A four-bar linkage whose crank strikes the end of its range, against the closed form of the linkage: one degree of freedom, so that all of it
// stands still then, and where the rocker is follows from the crank.
#include "tests/engine/engine_fixture.h"

#include "engine/derivative/step_derivative.h"
#include "engine/sim_internal.h"

static const double crank = 0.1, coupler = 0.36, rocker = 0.3, ground = 0.4;

// The angles of coupler (against the crank) and rocker, and their rates at one of the crank, as loops close: the tip of the crank, and a circle
// around each end. All turn about y from z towards x; in the pose of no angles crank and rocker stand up and the coupler lies along x.
static void close_loop(double angle, double* out_coupler, double* out_rocker, double* out_rates) {
    double ax = crank * sin(angle), az = crank * cos(angle), dx = ground - ax, dz = -az, d = hypot(dx, dz);
    // From the line between both ends by the angle at the rocker's foot, upwards.
    double at_foot = acos((d * d + rocker * rocker - coupler * coupler) / (2.0 * d * rocker));
    double back = atan2(-dx, -dz);  // from the foot to the crank's tip
    double r = back + at_foot, bx = ground + rocker * sin(r), bz = rocker * cos(r);
    double along = atan2(-(bz - az), bx - ax);
    *out_rocker = r;
    *out_coupler = along - angle;
    if (!out_rates) return;
    // Speeds of both ends along the coupler are equal, and across it they turn it.
    double ux = (bx - ax) / coupler, uz = (bz - az) / coupler;
    double a_speed = crank * (cos(angle) * ux - sin(angle) * uz), b_speed = rocker * (cos(r) * ux - sin(r) * uz);
    double rocks = a_speed / b_speed;
    double across =
        (rocker * rocks * cos(r) - crank * cos(angle)) * -uz + (-rocker * rocks * sin(r) + crank * sin(angle)) * ux;
    out_rates[0] = 1.0;
    out_rates[1] = -across / coupler - 1.0;
    out_rates[2] = rocks;
}

static int link_of(ts_builder* builder, int parent, ts_vec3 at, ts_vec3 centre, double mass) {
    ts_body_def def = ts_body_def_default();
    def.parent = parent;
    def.pose.position = at;
    def.mass = mass;
    def.centre = centre;
    def.inertia = ts_mat3_scale(0.003 * mass, ts_mat3_identity());
    int body = ts_builder_add_body(builder, &def);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = body;
    joint.axis = ts_vec3_axis(1);
    if (parent == 0 && at.x == 0.0) {
        joint.limited = 1;
        joint.range[0] = -10.0;
        joint.range[1] = 1.0;
    }
    cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
    return body;
}

// Turning at `rate`, to strike at 1 rad.
static fixture linkage(const char* kind, double rate, double start) {
    ts_builder* builder = ts_builder_create("four-bar");
    ts_builder_options(builder)->time_step = 1e-3;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    int one = link_of(builder, 0, ts_vec3_zero(), ts_vec3_make(0.0, 0.0, 0.5 * crank), 0.3);
    int two = link_of(builder, one, ts_vec3_make(0.0, 0.0, crank), ts_vec3_make(0.5 * coupler, 0.0, 0.0), 0.5);
    int three = link_of(builder, 0, ts_vec3_make(ground, 0.0, 0.0), ts_vec3_make(0.0, 0.0, 0.5 * rocker), 0.4);
    int end = three;
    if (strcmp(kind, "weld") == 0) {  // a pin on the rocker, welded to the coupler
        ts_body_def def = ts_body_def_default();
        def.parent = three;
        def.pose.position = ts_vec3_make(0.0, 0.0, rocker);
        def.mass = 0.01;
        def.inertia = ts_mat3_scale(1e-5, ts_mat3_identity());
        end = ts_builder_add_body(builder, &def);
        ts_joint_def joint = ts_joint_def_default();
        joint.body = end;
        joint.axis = ts_vec3_axis(1);
        cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
    }
    ts_equality_def def = ts_equality_def_default();
    def.kind = kind;
    def.aligned = 0;
    def.coefficient[1] = 1.0;
    def.body[0] = two;
    def.body[1] = end;
    def.frame[0].position = ts_vec3_make(coupler, 0.0, 0.0);
    def.frame[1].position = end == three ? ts_vec3_make(0.0, 0.0, rocker) : ts_vec3_zero();
    cr_assert_geq(ts_builder_add_equality(builder, &def), 0);
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "solver", "ncp", &status), TS_OK);
    double rates[3];
    f.sim->qpos[0] = start;
    close_loop(start, &f.sim->qpos[1], &f.sim->qpos[2], rates);
    for (int d = 0; d < 3; ++d) f.sim->qvel[d] = rate * rates[d];
    if (f.model->nv == 4) {  // the pin turns as the coupler does
        f.sim->qpos[3] = f.sim->qpos[0] + f.sim->qpos[1] - f.sim->qpos[2];
        f.sim->qvel[3] = f.sim->qvel[0] + f.sim->qvel[1] - f.sim->qvel[2];
    }
    return f;
}

// How far coupler and rocker are from where the crank wants them, rad.
static double off(const ts_sim* sim) {
    double want[2];
    close_loop(sim->qpos[0], &want[0], &want[1], NULL);
    return fmax(fabs(sim->qpos[1] - want[0]), fabs(sim->qpos[2] - want[1]));
}

static void strike(const char* kind) {
    fixture f = linkage(kind, 6.0, 0.9);
    int struck = 0, closed = 0;
    cr_assert_lt(off(f.sim), 1e-14);
    for (int i = 0; i < 60; ++i) {
        double before = fabs(f.sim->qvel[0]);
        fixture_run(&f, 1);
        int strikes = fabs(f.sim->qvel[0]) < 0.1 * before;
        struck += strikes && before > 1.0;
        closed += ts_sim_storage_of(f.sim)->closed_ties;
        // Before it strikes a step leaves what is of third order in 6 rad/s for a millisecond.
        cr_assert_lt(off(f.sim) * rocker, struck ? 1e-8 : 5e-8, "%s, step %d: %g rad", kind, i, off(f.sim));
        if (struck) cr_assert_lt(ts_sim_energy(f.sim).kinetic, 1e-6);
    }
    cr_assert_eq(struck, 1);
    cr_assert(closed == 1 || closed == 2, "%d", closed);
    cr_assert_float_eq(f.sim->qpos[0], 1.0, 1e-5);
    fixture_end(&f);
}

Test(close_ties, a_linkage_that_strikes_stays_closed) {
    strike("connect");
    strike("weld");
}

// The energy that the motion of the correction needs is in the books.
Test(close_ties, books_balance) {
    fixture f = linkage("connect", 6.0, 0.9);
    ts_ledger ledger;
    f.sim->options.gravity.z = -9.81;
    ts_ledger_keep(f.sim, &ledger);
    int closed = 0;
    for (int i = 0; i < 60; ++i) {
        fixture_run(&f, 1);
        closed += ts_sim_storage_of(f.sim)->closed_ties;
        cr_assert_lt(ts_ledger_step_share(&ledger), 1e-12, "step %d: %g", i, ts_ledger_step_share(&ledger));
    }
    cr_assert_gt(closed, 0);
    // All of it is work, or change of potential.
    ts_energy end = ts_sim_energy(f.sim);
    double gained = end.kinetic + end.potential - ledger.first.kinetic - ledger.first.potential, sum = 0.0;
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i)
        if (i != TS_LEDGER_GRAVITY && i != TS_LEDGER_SPRING && i != TS_LEDGER_TENDON_SPRING) sum += ledger.total[i];
    cr_assert_float_eq(gained, sum, 1e-11, "%g against %g", gained, sum);
    fixture_end(&f);
}

// A derivative knows nothing of the correction, and says so; differences do.
Test(close_ties, derivatives_by_equations_refuse) {
    const ts_step_input input = {TS_STEP_BY_VELOCITY, 0, 3};
    int refused = 0;  // the end of a range is met in two steps
    fixture f = linkage("connect", 6.0, 0.9);
    for (int i = 0; i < 30; ++i) {
        ts_step_derivative_settings settings = ts_step_derivative_default();
        ts_step_derivative derivative = {0};
        ts_arena arena = {0};
        ts_status status;
        ts_code code = ts_step_derivative_make(f.sim, &settings, &input, 1, &arena, &derivative, &status);
        settings.method = TS_STEP_DIFFERENCE;
        cr_assert_eq(ts_step_derivative_make(f.sim, &settings, &input, 1, &arena, &derivative, NULL), TS_OK);
        fixture_run(&f, 1);
        cr_assert_eq(code, ts_sim_storage_of(f.sim)->closed_ties ? TS_ERROR_UNSUPPORTED : TS_OK, "step %d", i);
        refused += code != TS_OK;
        ts_arena_free(&arena);
    }
    cr_assert(refused == 1 || refused == 2, "%d", refused);
    fixture_end(&f);
}
