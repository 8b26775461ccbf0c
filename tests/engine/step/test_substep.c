// Substeps: held to small steps where both are the same, to closed forms, and to what must not change.
#include "scenes/scene_table.h"
#include "tests/engine/engine_fixture.h"

static const double g = 9.81;

static fixture box_on_floor(double height, double friction, double restitution) {
    ts_builder* builder = ts_builder_create("box");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 60.0;
    memcpy(options->solver, "ncp", sizeof "ncp");
    options->tolerance = 1e-12;
    fixture_floor(builder, friction, 0.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, height), 2.0, ts_mat3_diagonal(ts_vec3_make(1, 1, 1)));
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = ts_shape_box(ts_vec3_make(0.2, 0.2, 0.1));
    geom.surface.friction = friction;
    geom.surface.restitution = restitution;
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    return fixture_start(builder, 1);
}

Test(substep, options_of_a_part) {
    ts_options options = ts_options_default();
    options.substeps = 4;
    ts_options part = ts_options_of_substep(&options);
    cr_expect_float_eq(4.0 * part.time_step, options.time_step, 1e-18);
    cr_expect_float_eq(4.0 * part.baumgarte, options.baumgarte, 1e-16);
    cr_expect_eq(part.substeps, 1);
}

// A box that slides flat on the floor does not turn: its contacts, carried along, are those that a search would find.
Test(substep, are_small_steps_where_nothing_turns) {
    enum { PARTS = 5, STEPS = 30 };
    fixture whole = box_on_floor(0.1, 0.1, 0.0), small = box_on_floor(0.1, 0.1, 0.0);
    whole.sim->options.substeps = PARTS;
    ts_options part = ts_options_of_substep(&whole.sim->options);
    small.sim->options = part;
    whole.sim->qvel[0] = small.sim->qvel[0] = 0.9;
    for (int i = 0; i < STEPS; ++i) {
        fixture_run(&whole, 1);
        fixture_run(&small, PARTS);
        cr_assert_eq(whole.sim->contact_count, 4);
        cr_assert_eq(whole.sim->info.solve.status, TS_SOLVE_CONVERGED);
        for (int d = 0; d < 6; ++d) cr_expect_float_eq(whole.sim->qvel[d], small.sim->qvel[d], 1e-11, "%d: %d", i, d);
        for (int q = 0; q < 7; ++q) cr_expect_float_eq(whole.sim->qpos[q], small.sim->qpos[q], 1e-11, "%d: %d", i, q);
    }
    cr_expect_eq(whole.sim->step_count, STEPS);
    cr_expect_float_eq(whole.sim->time, STEPS * whole.sim->options.time_step, 1e-12);
    cr_expect_eq(whole.sim->options.substeps, PARTS);
    fixture_end(&whole);
    fixture_end(&small);
}

// What contacts report is the impulse of the whole step: it carries the weight for as long.
Test(substep, impulses_are_those_of_the_step) {
    fixture f = box_on_floor(0.1, 0.5, 0.0);
    f.sim->options.substeps = 6;
    fixture_run(&f, 5);
    double sum = 0.0;
    for (int i = 0; i < f.sim->contact_count; ++i) sum += f.sim->contact[i].impulse.z;
    cr_expect_float_eq(sum, 2.0 * g / 60.0, 1e-9);
    fixture_end(&f);
}

// Without weight a penetration d beyond the slop s shrinks by the factor (1 - b / n)^n in a step; to give back what moves it is the next one's
// affair, so each step begins at rest here.
Test(substep, push_out_is_done_once) {
    enum { PARTS = 4 };
    fixture f = box_on_floor(0.1 - 2e-3, 0.5, 0.0);
    f.sim->options.gravity = ts_vec3_zero();
    f.sim->options.substeps = PARTS;
    double slop = f.sim->options.slop, depth = 2e-3 - slop, speed = 0.0, share = f.sim->options.baumgarte / PARTS;
    double h = f.sim->options.time_step / PARTS;
    fixture_run(&f, 1);
    // The speed of one substep is kept until a larger one is asked for.
    for (int k = 0; k < PARTS; ++k) {
        speed = fmax(speed, share * depth / h);
        depth -= h * speed;
    }
    cr_expect_float_eq(f.sim->qpos[2], 0.1 - slop - depth, 1e-12);
    cr_expect_leq(2e-3 - slop - depth, 1.0001 * f.sim->options.baumgarte * 2e-3, "no more than a step's share");
    fixture_end(&f);
}

// It bounces once, with the speed it has then, and flies on: e^2 of the height it fell, to what one substep of gravity is.
Test(substep, restitution_is_done_once) {
    const double drop = 0.8, e = 0.7;
    fixture f = box_on_floor(0.1 + drop, 0.5, e);
    fixture_expect_bounce(&f, drop, e);
    fixture_end(&f);
}

// What comes together within a step is seen when it begins, wherever it is then, on the floor and in flight; the bounce has the speed of the impact.
Test(substep, what_comes_fast_is_seen_in_time) {
    for (int offset = 0; offset < 12; ++offset) {
        for (int bounces = 0; bounces < 2; ++bounces) {
            double height = 0.1 + 1e-3 + 3.5e-3 * offset, speed = 2.5, e = bounces ? 0.5 : 0.0;
            fixture f = box_on_floor(height, 0.3, e);
            f.sim->options.gravity = ts_vec3_zero();
            f.sim->options.substeps = 4;
            f.sim->qvel[2] = -speed;
            double deepest = 0.0;
            for (int i = 0; i < 4; ++i) {
                fixture_run(&f, 1);
                deepest = fmax(deepest, 0.1 - f.sim->qpos[2]);
            }
            cr_expect_leq(deepest, 1e-6, "offset %d: %g", offset, deepest);
            cr_expect_float_eq(f.sim->qvel[2], e * speed, 1e-9, "offset %d: %g", offset, f.sim->qvel[2]);
            fixture_end(&f);
        }
    }
}

Test(substep, what_meets_in_flight_is_seen_in_time) {
    for (int offset = 0; offset < 12; ++offset) {
        ts_builder* builder = ts_builder_create("two");
        ts_options* options = ts_builder_options(builder);
        options->time_step = 4e-3;
        options->substeps = 4;
        options->gravity = ts_vec3_zero();
        for (int k = 0; k < 2; ++k) {
            ts_vec3 at = ts_vec3_make(0.0, 0.0, k * (0.222 + 1e-3 * offset));
            ts_geom_def geom = ts_geom_def_default();
            geom.body = fixture_free_body(builder, at, 1.0, ts_mat3_diagonal(ts_vec3_make(0.01, 0.01, 0.01)));
            geom.shape = ts_shape_sphere(0.1);
            geom.surface.friction = 0.0;
            cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
        }
        fixture f = fixture_start(builder, 1);
        f.sim->qvel[2] = 1.5;
        f.sim->qvel[8] = -1.0;
        double deepest = 0.0;
        for (int i = 0; i < 12; ++i) {
            fixture_run(&f, 1);
            deepest = fmax(deepest, 0.2 - (f.sim->qpos[9] - f.sim->qpos[2]));
        }
        cr_expect_leq(deepest, 1e-6, "offset %d: %g", offset, deepest);
        cr_expect_float_eq(f.sim->qvel[2], 0.25, 1e-9);
        cr_expect_float_eq(f.sim->qvel[8], 0.25, 1e-9);
        fixture_end(&f);
    }
}

// A corner that comes round at 8 m/s, 30 mm a step: what is left is what it turns within a substep, w^2 r h^2 / 2.
Test(substep, what_turns_is_seen_in_time) {
    for (int offset = 0; offset < 12; ++offset) {
        fixture f = box_on_floor(0.15 + 5e-3 * offset, 0.0, 0.0);
        double turning = 40.0, deepest = 0.0, h = 1e-3;
        f.sim->options.gravity = ts_vec3_zero();
        f.sim->options.time_step = 4.0 * h;
        f.sim->options.substeps = 4;
        f.sim->qvel[4] = turning;
        for (int i = 0; i < 20; ++i) {
            fixture_run(&f, 1);
            ts_mat3 R = ts_quat_to_mat3(ts_quat_load(f.sim->qpos + 3));
            double reach = fabs(R.m[2][0]) * 0.2 + fabs(R.m[2][1]) * 0.2 + fabs(R.m[2][2]) * 0.1;
            deepest = fmax(deepest, reach - f.sim->qpos[2]);
        }
        cr_expect_leq(deepest, turning * turning * sqrt(0.05) * h * h / 2.0, "offset %d: %g", offset, deepest);
        fixture_end(&f);
    }
}

Test(substep, books_balance) {
    fixture f = box_on_floor(0.1, 0.3, 0.0);
    ts_ledger ledger;
    f.sim->options.substeps = 3;
    f.sim->qvel[0] = 1.0;
    ts_ledger_keep(f.sim, &ledger);
    double friction = 0.0;
    for (int i = 0; i < 10; ++i) {
        ts_energy before = ts_sim_energy(f.sim);
        fixture_run(&f, 1);
        double sum = 0.0;
        for (int k = 0; k < TS_LEDGER_ACCOUNTS; ++k) sum += ledger.work[k];
        sum -= ledger.work[TS_LEDGER_INTEGRATOR_POTENTIAL];
        cr_expect_float_eq(ledger.start.kinetic, before.kinetic, 1e-12);
        cr_expect_float_eq(ledger.end.kinetic - ledger.start.kinetic, sum, 1e-12);
        friction += ledger.work[TS_LEDGER_FRICTION];
    }
    cr_expect_eq(ledger.steps, 10);
    cr_expect_float_eq(ledger.total[TS_LEDGER_FRICTION], friction, 1e-12);
    cr_expect_lt(friction, -0.3);
    fixture_end(&f);
}

static fixture load(const char* scene, int substeps, int sweeps, int workers, ts_loaded_scene* out_scene) {
    fixture f = {NULL, NULL};
    ts_status status;
    cr_assert_eq(ts_scene_load(scene, NULL, out_scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(out_scene->model, workers, &f.sim, &status), TS_OK, "%s", status.message);
    f.sim->options.time_step = 1.0 / 60.0;
    f.sim->options.substeps = substeps;
    f.sim->options.iterations = sweeps;
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp-pgs", &status), TS_OK);
    return f;
}

// How far the body that has sunk most has, m.
static double sag_of(const ts_sim* sim) {
    double most = 0.0;
    for (int j = 0; j < sim->model->joint_count; ++j) {
        int q = sim->model->joint[j].qpos_first + 2;
        most = fmax(most, sim->model->qpos0[q] - sim->qpos[q]);
    }
    return most;
}

// Ten boxes of 0.2 m for ten seconds at 1/60 s. Nothing should move, and 1.5 % of a box is forgiven; with as many sweeps in one long step they lie on the floor.
Test(substep, a_stack_stands_at_sixty_hertz) {
    ts_loaded_scene scene;
    fixture f = load("stack-10", 8, 4, 1, &scene);
    fixture_run(&f, 600);
    cr_expect_lt(sag_of(f.sim), 3e-3, "%g", sag_of(f.sim));
    for (int j = 0; j < f.sim->model->joint_count; ++j) {
        const double* q = f.sim->qpos + f.sim->model->joint[j].qpos_first;
        cr_expect_lt(hypot(q[0], q[1]), 0.05, "box %d went %g", j, hypot(q[0], q[1]));
    }
    ts_sim_free(f.sim);
    ts_loaded_scene_free(&scene);
    f = load("stack-10", 1, 10, 1, &scene);
    fixture_run(&f, 600);
    cr_expect_gt(sag_of(f.sim), 0.2, "the test shows nothing");
    ts_sim_free(f.sim);
    ts_loaded_scene_free(&scene);
}

// The same of 465 boxes of a metre, for its first half second: what does not hold by then is on its way down. A millimetre a layer is forgiven.
Test(substep, a_pyramid_stands_at_sixty_hertz) {
    ts_loaded_scene scene;
    fixture f = load("pyramid:30", 4, 4, 1, &scene);
    cr_assert_eq(scene.model->joint_count, 465);
    fixture_run(&f, 30);
    cr_expect_lt(sag_of(f.sim), 0.03, "%g", sag_of(f.sim));
    ts_sim_free(f.sim);
    ts_loaded_scene_free(&scene);
}

Test(substep, cannot_be_foreseen) {
    fixture f = box_on_floor(0.1, 0.5, 0.0);
    ts_status status;
    f.sim->options.substeps = 2;
    cr_expect_eq(ts_sim_foresee(f.sim, &status), TS_ERROR_UNSUPPORTED);
    cr_expect(strstr(status.message, "substeps") != NULL);
    f.sim->options.substeps = 0;
    cr_expect_eq(ts_sim_step(f.sim, &status), TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "substeps") != NULL);
    fixture_end(&f);
}
