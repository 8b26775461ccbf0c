// Push-outs that a motion can do, but only one with absurd speeds: done more slowly, or not at all, and named. What bounces has its energy from
// before, and is nobody's push-out.
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/yield_internal.h"
#include "tests/engine/groove_fixture.h"

static const double h = 0.002, overlap = 0.002;

static int count_of(const ts_sim* sim, ts_row_blocked what) {
    int count = 0;
    for (int b = 0; b < sim->problem.block_count; ++b) count += sim->row_block[b].blocked == (int)what;
    return count;
}

static double push_of(const ts_sim* sim) {
    return fmin(sim->options.baumgarte * (overlap - sim->options.slop) / h, sim->options.push_out_speed);
}

static const char* const solvers[] = {"ncp", "ncp-newton", "ncp-pgs"};

// To leave both sides at c the ball rises with c / sin(angle). A ball alone may go twice as fast as it is asked to.
Test(slowed, a_ball_rises_from_a_groove_no_faster_than_twice_the_push) {
    static const struct {
        double angle, speed;  // degrees, shares of the push
        ts_row_blocked is;
    } cases[] = {{60.0, 1.1547005383792515, TS_ROW_FREE},
                 {31.0, 1.9416040264103546, TS_ROW_FREE},
                 {29.0, 2.0, TS_ROW_SLOWED},
                 {20.0, 2.0, TS_ROW_SLOWED},
                 {4.0, 2.0, TS_ROW_SLOWED},
                 {2.0, 0.0, TS_ROW_CONTRADICTED}};
    for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; ++s)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
            fixture f = ball_in_a_groove(h, cases[i].angle * TS_PI / 180.0, overlap, solvers[s]);
            double push = push_of(f.sim);
            fixture_run(&f, 1);
            cr_assert_eq(f.sim->contact_count, 2);
            cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s at %g deg", solvers[s], cases[i].angle);
            cr_expect_float_eq(f.sim->qvel[2], cases[i].speed * push, 1e-4 * push, "%s at %g deg: %g of the push",
                               solvers[s], cases[i].angle, f.sim->qvel[2] / push);
            cr_expect_eq(count_of(f.sim, cases[i].is), 2, "%s at %g deg", solvers[s], cases[i].angle);
            cr_expect_eq(f.sim->info.blocked, cases[i].is == TS_ROW_FREE ? 0 : 2);
            fixture_end(&f);
        }
}

// Who is to stop after ten sweeps is not kept for the hundreds that a proof may take: what the ten have found must prove it, in a few steps.
Test(slowed, ten_sweeps_a_step_prove_it_too) {
    enum { SOON = 5 };
    fixture f = ball_in_a_groove(h, 2.0 * TS_PI / 180.0, overlap, "ncp-pgs");
    f.sim->options.iterations = 10;
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp-pgs", NULL), TS_OK);
    double push = push_of(f.sim);
    int step = 0;
    for (; step < SOON && count_of(f.sim, TS_ROW_CONTRADICTED) < 2; ++step) {
        fixture_run(&f, 1);
        cr_expect_leq(fabs(f.sim->qvel[2]), 2.0 * push, "step %d: %g of the push", step, f.sim->qvel[2] / push);
    }
    cr_expect_eq(count_of(f.sim, TS_ROW_CONTRADICTED), 2);
    fixture_end(&f);
}

// An operator that counts what is read of it: a sweep reads every block once.
typedef struct counting {
    ts_delassus base;
    ts_delassus* whole;
    int reads;
} counting;

static void counted_set(ts_delassus* G, const double* impulse) {
    ts_delassus* whole = ((counting*)G)->whole;
    whole->ops->set_impulse(whole, impulse);
}

static void counted_add(ts_delassus* G, int b, const double* delta) {
    ts_delassus* whole = ((counting*)G)->whole;
    whole->ops->add_impulse(whole, b, delta);
}

static void counted_read(const ts_delassus* G, int b, double* out_velocity) {
    const ts_delassus* whole = ((const counting*)G)->whole;
    ++((counting*)G)->reads;
    whole->ops->velocity(whole, b, out_velocity);
}

static const double* counted_diagonal(const ts_delassus* G, int b) {
    const ts_delassus* whole = ((const counting*)G)->whole;
    return whole->ops->diagonal(whole, b);
}

static void counted_apply(ts_delassus* G, const double* x, double* out_y) {
    ts_delassus* whole = ((counting*)G)->whole;
    whole->ops->apply(whole, x, out_y);
}

static const ts_delassus_ops counted = {.name = "counting",
                                        .abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
                                        .set_impulse = counted_set,
                                        .add_impulse = counted_add,
                                        .velocity = counted_read,
                                        .diagonal = counted_diagonal,
                                        .apply = counted_apply};

// How often blocks are read where a solve of so many sweeps, which is over, is asked for a proof; negative where it was not cut off by its limit.
static int reads_of_a_proof_after(int sweeps) {
    fixture f = ball_in_a_groove(h, 10.0 * TS_PI / 180.0, overlap, "ncp-pgs");
    f.sim->options.iterations = sweeps;
    f.sim->options.tolerance = 1e-300;
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp-pgs", NULL), TS_OK);
    fixture_run(&f, 1);
    counting G = {*f.sim->problem.delassus, f.sim->problem.delassus, 0};
    G.base.ops = &counted;
    f.sim->problem.delassus = &G.base;
    int is_cut_off = f.sim->info.solve.status == TS_SOLVE_ITERATION_LIMIT && f.sim->info.solve.iterations == sweeps;
    cr_expect_geq(ts_step_yield(f.sim, 1), 0);
    f.sim->problem.delassus = G.whole;
    fixture_end(&f);
    return is_cut_off ? G.reads : -1;
}

// Who is to stop after few sweeps is not followed by hundreds of others. They are counted, not timed.
Test(slowed, few_sweeps_are_not_followed_by_many) {
    cr_expect_eq(reads_of_a_proof_after(10), 0);
    cr_expect_eq(reads_of_a_proof_after(99), 0);
    cr_expect_geq(reads_of_a_proof_after(100), 2 * 100, "two blocks, a hundred sweeps: else the test shows nothing");
}

// Slower, but all the way.
Test(slowed, what_is_slowed_comes_apart) {
    fixture f = ball_in_a_groove(h, 10.0 * TS_PI / 180.0, overlap, "ncp");
    fixture_run(&f, 1);
    cr_expect_eq(count_of(f.sim, TS_ROW_SLOWED), 2);
    fixture_run(&f, 300);
    cr_expect_leq(f.sim->info.worst_penetration, 1.1 * f.sim->options.slop, "%g m", f.sim->info.worst_penetration);
    fixture_end(&f);
}

// Two links, their ends `bend` from being in line, whose end is tied to a point that is off by `off`.
static fixture arm(double bend, ts_vec3 off) {
    ts_builder* builder = ts_builder_create("reach");
    ts_builder_options(builder)->time_step = h;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_body_def link = ts_body_def_default();
    ts_joint_def hinge = ts_joint_def_default();
    ts_equality_def tie = ts_equality_def_default();
    link.mass = 1.0;
    link.inertia = ts_mat3_scale(0.01, ts_mat3_identity());
    link.centre = ts_vec3_make(0.5, 0.0, 0.0);
    for (int k = 0; k < 2; ++k) {
        link.pose.position = ts_vec3_make(k, 0.0, 0.0);
        link.pose.rotation = ts_quat_from_axis_angle(ts_vec3_axis(2), k == 0 ? -0.5 * bend : bend);
        link.parent = hinge.body = ts_builder_add_body(builder, &link);
        hinge.axis = ts_vec3_axis(2);
        cr_assert(ts_builder_add_joint(builder, &hinge) >= 0);
    }
    tie.kind = "connect";
    tie.aligned = 0;
    tie.body[0] = 0;
    tie.body[1] = hinge.body;
    tie.frame[0].position = ts_vec3_add(ts_vec3_make(2.0 * cos(0.5 * bend), 0.0, 0.0), off);
    tie.frame[1].position = ts_vec3_make(1.0, 0.0, 0.0);
    cr_assert_geq(ts_builder_add_equality(builder, &tie), 0);
    return fixture_start(builder, 1);
}

// Almost stretched, it can follow along itself only by bending at great speed: that much of what the tie asks for is slowed down until the arm
// has the energy of its mass at the speed of a push-out (less a little, by which ties give). Across it follows at once, and bent it does altogether.
Test(slowed, an_arm_is_not_torn_out_of_its_reach) {
    static const struct {
        double bend;
        ts_vec3 off;
        ts_row_blocked is;
    } cases[] = {{0.02, {0.1, 0.0, 0.0}, TS_ROW_SLOWED},
                 {0.02, {0.1, 0.05, 0.0}, TS_ROW_SLOWED},
                 {0.02, {0.0, 0.05, 0.0}, TS_ROW_FREE},
                 {1.2, {0.1, 0.05, 0.0}, TS_ROW_FREE}};
    for (int i = 0; i < 4; ++i) {
        fixture f = arm(cases[i].bend, cases[i].off);
        const double push = f.sim->options.push_out_speed, size = ts_vec3_norm(cases[i].off);
        const double c = cos(0.5 * cases[i].bend), s = sin(0.5 * cases[i].bend), *v = f.sim->qvel;
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->problem.block_count, 1);
        cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
        cr_expect_eq(f.sim->row_block[0].blocked, (int)cases[i].is, "case %d", i);
        // The end's velocity.
        double along = -v[1] * s, across = (2.0 * v[0] + v[1]) * c;
        // What hardly moves is not quite the direction of the arm.
        double near = cases[i].is == TS_ROW_FREE ? 1e-3 : 0.03;
        cr_expect_float_eq(across, push * cases[i].off.y / size, near * push, "case %d: %g m/s across", i, across);
        if (cases[i].is == TS_ROW_FREE)
            cr_expect_float_eq(along, push * cases[i].off.x / size, 1e-3 * push, "case %d: %g m/s along", i, along);
        double kinetic = ts_sim_energy(f.sim).kinetic, most = 0.5 * ts_model_total_mass(f.model) * push * push;
        if (i == 0) cr_expect_float_eq(kinetic, most, 0.03 * most, "%g J of %g J", kinetic, most);
        fixture_end(&f);
    }
}

// A rod that turns about its end meets a stop near that end, where it has 30 times its own mass: it bounces as it should, by its own energy.
Test(slowed, a_bounce_on_a_lever_is_none_of_it) {
    ts_builder* builder = ts_builder_create("lever");
    ts_builder_options(builder)->time_step = 1e-4;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_body_def rod = ts_body_def_default();
    rod.mass = 1.0;
    rod.centre = ts_vec3_make(0.5, 0.0, 0.0);
    rod.inertia = ts_mat3_diagonal(ts_vec3_make(1e-3, 1.0 / 12.0, 1.0 / 12.0));
    ts_joint_def hinge = ts_joint_def_default();
    hinge.body = ts_builder_add_body(builder, &rod);
    hinge.axis = ts_vec3_axis(1);
    cr_assert(ts_builder_add_joint(builder, &hinge) >= 0);
    ts_geom_def geom = ts_geom_def_default();
    geom.surface.friction = 0.0;
    geom.surface.restitution = 1.0;
    geom.body = hinge.body;
    geom.shape = ts_shape_sphere(0.01);
    geom.pose.position = ts_vec3_make(0.1, 0.0, 0.0);
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    geom.body = 0;
    geom.shape = ts_shape_plane();
    geom.pose.position = ts_vec3_make(0.0, 0.0, -0.0105);
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[0] = 5.0;  // down, as the right-hand rule about y has it
    int bounced = 0;
    for (int k = 0; k < 40 && !bounced; ++k) {
        fixture_run(&f, 1);
        cr_expect_eq(f.sim->info.blocked, 0);
        bounced = f.sim->qvel[0] < 0.0;
    }
    cr_assert(bounced);
    cr_expect_float_eq(f.sim->qvel[0], -5.0, 1e-6);
    fixture_end(&f);
}

// A motor at its limit asks for as much speed as it likes: it pulls with its limit, is no push-out, and does not excuse one that is beside it.
Test(slowed, a_motor_is_no_push_out) {
    for (int limited = 0; limited < 2; ++limited) {
        ts_builder* builder = ts_builder_create("motor");
        ts_builder_options(builder)->time_step = h;
        ts_builder_options(builder)->gravity = ts_vec3_zero();
        ts_body_def cart = ts_body_def_default();
        ts_joint_def slide = ts_joint_def_default();
        cart.mass = 1.0;
        cart.inertia = ts_mat3_scale(0.01, ts_mat3_identity());
        slide.body = ts_builder_add_body(builder, &cart);
        slide.type = TS_JOINT_SLIDE;
        slide.axis = ts_vec3_axis(0);
        ts_actuator_def servo = ts_actuator_def_default();
        servo.is.target = ts_builder_add_joint(builder, &slide);
        servo.is.gain[0] = 1e9;
        servo.is.bias[1] = -1e9;
        if (limited) servo.is.force = (ts_limits){1, {-50.0, 50.0}};
        cr_assert(ts_builder_add_actuator(builder, &servo) >= 0);
        fixture f = fixture_start(builder, 1);
        f.sim->ctrl[0] = 1.0;
        fixture_run(&f, 1);
        double expected = limited ? h * 50.0 : h * 1e9 / (1.0 + h * h * 1e9);
        cr_expect_float_eq(f.sim->qvel[0], expected, 1e-9 * expected, "%g m/s", f.sim->qvel[0]);
        cr_expect_eq(f.sim->problem.row_count, limited);
        if (limited) cr_expect_eq(f.sim->problem.push_out[0], 0.0);
        cr_expect_eq(f.sim->info.blocked, 0);
        fixture_end(&f);
    }
}

// A body on two legs of two limbs each that falls over itself, rough enough for contacts to hold each other: friction reaches what push-outs ask for by
// impulses of tons, which pump energy into it. No step may leave more than gravity and push-outs of 1 m/s account for, whatever it was before.
Test(slowed, what_friction_jams_does_not_fly_apart, .timeout = 120) {
    static const char text[] =
        "<mujoco><option timestep='0.002'/><default><geom friction='2 0 0' density='1000'/></default><worldbody>"
        "<geom type='plane' size='5 5 1'/><body pos='0 0 0.4'><freejoint/><geom type='box' size='0.2 0.1 0.05'/>"
        "<body pos='0.2 0.1 0'><joint axis='1 0 0'/><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03'/><body pos='0 0 -0.25'><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.02'/></body></body>"
        "<body pos='-0.2 0.1 0'><joint axis='1 0 0'/><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03'/><body pos='0 0 -0.25'><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.02'/></body></body></body></worldbody></mujoco>";
    enum { FALLS = 450, STEPS = 15 };
    fixture f;
    ts_status status;
    cr_assert_eq(ts_mjcf_parse(text, sizeof text - 1, "legs", NULL, NULL, &f.model, &status), TS_OK, "%s",
                 status.message);
    cr_assert_eq(ts_sim_create(f.model, 1, &f.sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", &status), TS_OK, "%s", status.message);
    double worst = 0.0;
    for (int fall = 0; fall < FALLS; ++fall) {
        ts_rng rng = ts_rng_make(77, (uint64_t)fall);
        ts_sim_reset(f.sim);
        for (int q = 7; q < f.model->nq; ++q) f.sim->qpos[q] += ts_rng_normal(&rng);
        for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = 5.0 * ts_rng_normal(&rng);
        for (int k = 0; k < STEPS; ++k) {
            cr_assert_eq(ts_sim_forward(f.sim, NULL), TS_OK);
            double before = ts_sim_energy(f.sim).kinetic;
            fixture_run(&f, 1);
            double gain = ts_sim_energy(f.sim).kinetic / (before + 1.0);
            if (!(gain <= worst)) worst = gain;
        }
    }
    cr_expect_leq(worst, 5.0, "%g times as much", worst);
    fixture_end(&f);
}
