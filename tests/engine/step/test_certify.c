// Certificates of steps: what a ball in free fall, at rest, on a slope and under the wrong law is told to do.
#include "engine/step/certify.h"
#include "tests/engine/engine_fixture.h"

// A ball of 1 kg above a floor tilted by `angle` (gravity is), thrown along it with `speed`.
static fixture ball(const char* solver, double height, double angle, double speed) {
    ts_builder* builder = ts_builder_create("ball");
    ts_options* options = ts_builder_options(builder);
    options->gravity = ts_vec3_make(9.81 * sin(angle), 0.0, -9.81 * cos(angle));
    options->tolerance = 1e-9;
    strcpy(options->solver, solver);
    // So heavy to turn that it slides rather than rolls.
    ts_mat3 inertia = ts_mat3_diagonal(ts_vec3_make(1e3, 1e3, 1e3));
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1 + height), 1.0, inertia);
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.4);
    fixture_floor(builder, 0.4, 0.0);
    ts_builder_set_free_velocity(builder, body, ts_vec3_make(speed, 0.0, 0.0), ts_vec3_zero());
    return fixture_start(builder, 1);
}

static ts_contact_certificate certify(fixture* f, ts_arena* arena) {
    ts_contact_certificate c;
    cr_assert_eq(ts_certify_step(f->sim, TS_CERTIFICATE_FAST, arena, &c), TS_OK);
    cr_assert_eq(c.block_count, f->sim->problem.block_count);
    return c;
}

Test(certify, nothing_before_the_first_step_and_nothing_in_the_air) {
    ts_arena arena = {0};
    ts_contact_certificate c;
    fixture f = ball("ncp", 1.0, 0.0, 0.0);
    cr_expect_eq(ts_certify_step(f.sim, TS_CERTIFICATE_FAST, &arena, &c), TS_ERROR_VALUE);
    cr_expect_null(ts_certify_contacts(f.sim, &arena));
    fixture_run(&f, 1);
    c = certify(&f, &arena);
    cr_expect_eq(c.block_count, 0);
    cr_expect_eq(c.holds, (unsigned)(TS_HOLDS_LCP | TS_HOLDS_CCP | TS_HOLDS_NCP));
    cr_expect_eq(c.tolerance, ts_certificate_tolerance);
    ts_arena_free(&arena);
    fixture_end(&f);
}

// Two balls on the floor are two islands. One is lifted by hand: what touches then has been found, and nobody has solved it.
Test(certify, nothing_of_what_nobody_has_solved) {
    static const char* const accuracy[] = {"exact", "fast"};
    ts_arena arena = {0};
    for (int k = 0; k < 2; ++k) {
        ts_contact_certificate c;
        ts_status status;
        ts_builder* builder = ts_builder_create("two balls");
        for (int i = 0; i < 2; ++i) {
            int body = fixture_free_body(builder, ts_vec3_make(i, 0.0, 0.1), 1.0,
                                         ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0)));
            fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.4);
        }
        fixture_floor(builder, 0.4, 0.0);
        fixture f = fixture_start(builder, 1);
        cr_assert_eq(ts_sim_set(f.sim, "accuracy", accuracy[k], &status), TS_OK, "%s", status.message);
        fixture_run(&f, 2);
        cr_expect_eq(certify(&f, &arena).count[TS_MODE_STICK], 2);
        f.sim->qpos[2] = 1.0;
        cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK, "%s", status.message);
        cr_assert_eq(f.sim->contact_count, 1);
        cr_expect_eq(ts_certify_step(f.sim, TS_CERTIFICATE_FAST, &arena, &c), TS_ERROR_VALUE);
        const ts_contact_mode* mode = ts_certify_contacts(f.sim, &arena);
        cr_assert_not_null(mode);
        cr_expect_eq(mode[0], TS_MODE_OPEN);
        fixture_run(&f, 1);
        cr_expect_eq(certify(&f, &arena).count[TS_MODE_STICK], 1);
        ts_arena_reset(&arena);
        fixture_end(&f);
    }
    ts_arena_free(&arena);
}

Test(certify, modes_are_what_one_sees) {
    static const struct {
        double height, angle, speed;
        ts_contact_mode mode;
    } cases[] = {{0.0, 0.0, 0.0, TS_MODE_STICK},
                 {0.0, 0.2, 0.0, TS_MODE_STICK},  // tan 0.2 < 0.4
                 {0.0, 0.6, 0.0, TS_MODE_SLIDE},
                 {0.0, 0.0, 1.0, TS_MODE_SLIDE},
                 {5e-4, 0.0, 0.0, TS_MODE_OPEN}};
    ts_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        fixture f = ball("ncp", cases[i].height, cases[i].angle, cases[i].speed);
        fixture_run(&f, 1);
        ts_contact_certificate c = certify(&f, &arena);
        cr_assert_eq(c.block_count, 1);
        cr_expect_eq(c.verdict[0].mode, cases[i].mode, "case %zu: %s", i, ts_contact_mode_name(c.verdict[0].mode));
        cr_expect_eq(c.count[cases[i].mode], 1);
        cr_expect_eq(c.verdict[0].normal_impulse, f.sim->contact[0].impulse.z);
        const ts_contact_mode* of_contact = ts_certify_contacts(f.sim, &arena);
        cr_assert_not_null(of_contact);
        cr_expect_eq(of_contact[0], cases[i].mode);
        fixture_end(&f);
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
}

// What slides under the relaxed law lifts off with mu times its speed: the exact law is broken by just that.
Test(certify, the_wrong_law_is_told_by_how_much) {
    ts_arena arena = {0};
    fixture f = ball("ccp-pgs", 0.0, 0.0, 1.0);
    fixture_run(&f, 1);
    ts_contact_certificate c = certify(&f, &arena);
    const ts_contact_verdict* v = &c.verdict[0];
    cr_expect_eq(v->mode, TS_MODE_VIOLATED);
    cr_expect_eq(c.holds, (unsigned)TS_HOLDS_CCP);
    cr_expect_float_eq(v->normal_velocity, 0.4 * v->slip, 1e-9);
    cr_expect_float_eq(v->residual.signorini, v->normal_impulse * v->normal_velocity, 1e-12);
    ts_arena_free(&arena);
    fixture_end(&f);
}

// The own law block by block is what the step was judged by as a whole, for rigid and for softened laws, in several islands.
Test(certify, own_laws_of_blocks_are_those_of_the_step) {
    static const char* const solvers[] = {"ncp", "ccp-pgs", "lcp-pgs", "raisim", "mujoco", "sap"};
    ts_arena arena = {0};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        ts_builder* builder = ts_builder_create("two balls");
        strcpy(ts_builder_options(builder)->solver, solvers[i]);
        for (int k = 0; k < 2; ++k) {
            double mass = k ? 100.0 : 1.0;
            int body = fixture_free_body(builder, ts_vec3_make(k, 0.0, 0.0999), mass,
                                         ts_mat3_diagonal(ts_vec3_make(0.1 * mass, 0.1 * mass, 0.1 * mass)));
            fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.4);
            ts_builder_set_free_velocity(builder, body, ts_vec3_make(1.0, 0.5 * k, 0.0), ts_vec3_zero());
        }
        fixture_floor(builder, 0.4, 0.0);
        fixture f = fixture_start(builder, 1);
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->problem.block_count, 2, "%s", solvers[i]);
        const ts_own_verdict* own = ts_certify_own(f.sim, &arena);
        cr_assert_not_null(own);
        double unmet = fmax(own[0].unmet, own[1].unmet), dual = fmax(own[0].residual.dual, own[1].residual.dual);
        cr_expect_float_eq(unmet, f.sim->info.unmet, 1e-13, "%s: %g, %g", solvers[i], unmet, f.sim->info.unmet);
        cr_expect_float_eq(dual, f.sim->info.own.dual, 1e-13, "%s: %g, %g", solvers[i], dual, f.sim->info.own.dual);
        ts_arena_reset(&arena);
        fixture_end(&f);
    }
    ts_arena_free(&arena);
}

Test(certify, blocks_say_whose_they_are) {
    ts_builder* builder = ts_builder_create("all kinds");
    fixture_floor(builder, 0.4, 0.0);
    int ball = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 1.0, ts_mat3_identity());
    ts_geom_def sphere = ts_geom_def_default();
    sphere.name = "ball";
    sphere.body = ball;
    ts_builder_add_geom(builder, &sphere);
    ts_body_def arm = ts_body_def_default();
    arm.pose.position = ts_vec3_make(2.0, 0.0, 1.0);
    arm.mass = 1.0;
    arm.inertia = ts_mat3_identity();
    ts_joint_def elbow = ts_joint_def_default();
    elbow.name = "elbow";
    elbow.body = ts_builder_add_body(builder, &arm);
    elbow.limited = 1;
    elbow.range[0] = -1.0;
    elbow.range[1] = 1e-4;
    elbow.friction = 0.1;
    ts_builder_add_joint(builder, &elbow);
    ts_equality_def tie = ts_equality_def_default();
    tie.name = "tie";
    tie.kind = "connect";
    tie.body[0] = ball;
    ts_builder_add_equality(builder, &tie);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 1);
    static const char* const expected[] = {"contact: geom 0, geom 1 'ball'", "joint-limit: joint 1 'elbow', upper end",
                                           "joint-friction: joint 1 'elbow'", "connect: equality 0 'tie'"};
    cr_assert_eq(f.sim->problem.block_count, 4);
    for (int b = 0; b < 4; ++b) {
        char text[200];
        ts_certify_describe(f.sim, b, text, sizeof text);
        cr_expect_str_eq(text, expected[b], "'%s'", text);
    }
    fixture_end(&f);
}
