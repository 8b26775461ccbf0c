// Push-outs that no motion can do together: they give way, are named, and nothing moves or gains energy for it. What can be
// pushed out still is, at once or as soon as the fight is over.
#include "engine/step/certify.h"
#include "tests/engine/engine_fixture.h"

static const double h = 0.002, overlap = 0.002;

// A cube of 0.2 m, weightless, between two walls that are 4 mm too close for it. The left one is high, the right one is not.
static fixture cube_in_a_slot(const char* solver) {
    ts_builder* builder = ts_builder_create("slot");
    ts_shape box = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
    int cube = fixture_free_body(builder, ts_vec3_zero(), -1.0, ts_mat3_zero());
    fixture_geom(builder, cube, box, ts_vec3_zero(), 0.5);
    fixture_geom(builder, 0, ts_shape_box(ts_vec3_make(0.1, 0.3, 1.0)), ts_vec3_make(-0.2 + overlap, 0.0, 0.0), 0.5);
    fixture_geom(builder, 0, ts_shape_box(ts_vec3_make(0.1, 0.3, 0.2)), ts_vec3_make(0.2 - overlap, 0.0, 0.0), 0.5);
    ts_builder_options(builder)->time_step = h;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set_solver(f.sim, solver, &status), TS_OK, "%s", status.message);
    return f;
}

static int contradicted(const ts_sim* sim) {
    int count = 0;
    for (int b = 0; b < sim->problem.block_count; ++b) count += sim->row_block[b].blocked == TS_ROW_CONTRADICTED;
    return count;
}

static const char* const solvers[] = {"ncp", "ncp-newton", "ncp-admm", "ncp-pgs", "ccp-pgs", "ccp-admm", "lcp-pgs"};

// It stays where it is: there is nowhere to go. Every step is solved, and the walls are named.
Test(contradicted, a_cube_between_two_walls_stays) {
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        fixture f = cube_in_a_slot(solvers[i]);
        char whose[128];
        int fights = 0;
        for (int k = 0; k < 40; ++k) {
            fixture_run(&f, 1);
            cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s, step %d: %s at %g", solvers[i], k,
                         ts_solve_status_name(f.sim->info.solve.status), f.sim->info.unmet);
            cr_expect_leq(fabs(f.sim->qpos[0]), 1e-6, "%s: at %g m", solvers[i], f.sim->qpos[0]);
            cr_expect_leq(fabs(f.sim->qvel[0]), 1e-6, "%s: %g m/s", solvers[i], f.sim->qvel[0]);
            for (int b = 0; b < f.sim->problem.block_count; ++b) {
                if (f.sim->row_block[b].blocked != TS_ROW_CONTRADICTED) continue;
                ++fights;
                ts_certify_describe(f.sim, b, whose, sizeof whose);
                cr_expect(strstr(whose, "contact") != NULL, "%s", whose);
            }
        }
        cr_expect_geq(fights, 40, "%s", solvers[i]);
        fixture_end(&f);
    }
}

// Above the right wall there is no contradiction: the left one pushes it out, once the pause is over.
Test(contradicted, what_can_be_pushed_out_again_is) {
    fixture f = cube_in_a_slot("ncp");
    fixture_run(&f, 20);
    cr_expect_gt(contradicted(f.sim), 0);
    f.sim->qpos[2] = 0.5;
    fixture_run(&f, 200);
    cr_expect_eq(contradicted(f.sim), 0);
    cr_expect_geq(f.sim->qpos[0], overlap - f.sim->options.slop - 1e-5, "at %g m", f.sim->qpos[0]);
    fixture_end(&f);
}

// One wall alone contradicts nobody.
Test(contradicted, one_wall_pushes) {
    fixture f = cube_in_a_slot("ncp");
    f.sim->qpos[2] = 0.5;
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->info.blocked, 0);
    const ts_options* o = &f.sim->options;
    double push = fmin(o->baumgarte * (overlap - o->slop) / h, o->push_out_speed);
    cr_expect_float_eq(f.sim->qvel[0], push, 1e-6 * push);
    fixture_end(&f);
}

// What is remembered of a fight belongs to the state: a restored run goes on to the same bits.
Test(contradicted, a_fight_is_part_of_the_state) {
    fixture f = cube_in_a_slot("ncp");
    ts_snapshot snapshot = {0};
    fixture_run(&f, 5);
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, NULL), TS_OK);
    fixture_run(&f, 30);
    uint64_t hash = ts_sim_hash(f.sim);
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, NULL), TS_OK);
    fixture_run(&f, 30);
    cr_expect_eq(ts_sim_hash(f.sim), hash);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
}

// A leg whose hull overlaps the trunk around its own hip, with a link between, as scanned robots come. No gravity, no ground: all
// motion comes from push-outs, and each can give no more than the whole's mass has at the speed of a push-out.
Test(contradicted, a_hip_that_overlaps_does_not_explode) {
    ts_builder* builder = ts_builder_create("hip");
    int trunk = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 1.0), -1.0, ts_mat3_zero());
    fixture_geom(builder, trunk, ts_shape_box(ts_vec3_make(0.2, 0.1, 0.03)), ts_vec3_zero(), 0.5);
    for (int side = -1; side <= 1; side += 2) {
        ts_body_def def = ts_body_def_default();
        ts_joint_def hip = ts_joint_def_default();
        def.parent = trunk;
        def.pose.position = ts_vec3_make(0.19, side * 0.102, 0.0);
        def.mass = 0.1;
        def.inertia = ts_mat3_scale(1e-4, ts_mat3_identity());
        hip.body = ts_builder_add_body(builder, &def);
        hip.axis = ts_vec3_axis(0);
        ts_builder_add_joint(builder, &hip);
        def.parent = hip.body;
        def.pose.position = ts_vec3_zero();
        hip.body = ts_builder_add_body(builder, &def);
        hip.axis = ts_vec3_axis(1);
        ts_builder_add_joint(builder, &hip);
        fixture_geom(builder, hip.body, ts_shape_box(ts_vec3_make(0.015, 0.006, 0.1)), ts_vec3_make(0.0, 0.0, -0.08),
                     0.5);
    }
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_builder_options(builder)->time_step = h;
    fixture f = fixture_start(builder, 1);
    double most = 0.0, mass = ts_model_total_mass(f.model);
    const ts_options* o = &f.sim->options;
    fixture_run(&f, 1);
    cr_assert_gt(f.sim->info.worst_penetration, 1e-3, "they overlap");
    int points = f.sim->contact_count;
    double push = fmin(o->baumgarte * (f.sim->info.worst_penetration - o->slop) / h, o->push_out_speed);
    for (int k = 0; k < 500; ++k) {
        fixture_run(&f, 1);
        cr_expect_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED, "step %d", k);
        ts_energy energy = ts_sim_energy(f.sim);
        if (energy.kinetic > most) most = energy.kinetic;
    }
    cr_expect_leq(most, points * 0.5 * mass * push * push, "%g J by %d points at %g m/s", most, points, push);
    fixture_end(&f);
}
