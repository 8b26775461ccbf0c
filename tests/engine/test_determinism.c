// Same model, same inputs: the same bits, whatever the number of workers, and after going back to a snapshot.
#include "tests/engine/engine_fixture.h"

// A heap of all convex shapes, a pendulum with limits and dry friction among them, a chain on a free body, and one of
// bodies that are connected and fall on the heap.
static ts_builder* heap(const char* solver, int substeps) {
    ts_builder* builder = ts_builder_create("heap");
    ts_options* options = ts_builder_options(builder);
    memcpy(options->solver, solver, strlen(solver) + 1);
    options->iterations = 30;
    options->substeps = substeps;
    fixture_floor(builder, 0.6, 0.1);
    ts_rng rng = ts_rng_make(2024, 0);
    for (int i = 0; i < 40; ++i) {
        ts_vec3 p = ts_vec3_make(0.16 * (i % 3) + ts_rng_uniform_in(&rng, -0.02, 0.02),
                                 0.16 * (i / 3 % 3) + ts_rng_uniform_in(&rng, -0.02, 0.02), 0.12 + 0.2 * (i / 9));
        int body = fixture_free_body(builder, p, -1.0, ts_mat3_zero());
        ts_shape shape[] = {ts_shape_box(ts_vec3_make(0.08, 0.06, 0.05)), ts_shape_sphere(0.07),
                            ts_shape_capsule(0.04, 0.05), ts_shape_cylinder(0.06, 0.05),
                            ts_shape_ellipsoid(ts_vec3_make(0.08, 0.06, 0.05))};
        int geom = fixture_geom(builder, body, shape[i % 5], ts_vec3_zero(), 0.5);
        cr_assert_geq(geom, 0);
    }
    ts_joint_def joint = ts_joint_def_default();
    ts_body_def body = ts_body_def_default();
    body.pose.position = ts_vec3_make(-0.3, 0.16, 0.9);
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_axis(1);
    joint.limited = 1;
    joint.range[0] = -0.5;
    joint.range[1] = 0.4;
    joint.friction = 0.05;
    ts_builder_add_joint(builder, &joint);
    fixture_geom(builder, joint.body, ts_shape_box(ts_vec3_make(0.04, 0.04, 0.3)), ts_vec3_make(0.1, 0.0, -0.3), 0.5);
    int chain = fixture_free_body(builder, ts_vec3_make(0.2, 0.2, 1.6), -1.0, ts_mat3_zero());
    fixture_geom(builder, chain, ts_shape_capsule(0.03, 0.1), ts_vec3_zero(), 0.5);
    body.parent = chain;
    body.pose.position = ts_vec3_make(0.0, 0.0, 0.15);
    joint = ts_joint_def_default();
    joint.type = TS_JOINT_BALL;
    joint.limited = 1;
    joint.range[1] = 0.8;
    joint.body = ts_builder_add_body(builder, &body);
    ts_builder_add_joint(builder, &joint);
    fixture_geom(builder, joint.body, ts_shape_capsule(0.03, 0.1), ts_vec3_make(0.0, 0.0, 0.15), 0.5);
    ts_equality_def link = ts_equality_def_default();
    link.kind = "connect";
    link.frame[0].position = ts_vec3_make(0.0, 0.0, 0.15);
    for (int i = 0; i < 4; ++i) {
        link.body[0] = fixture_free_body(builder, ts_vec3_make(0.1, 0.1, 2.0 + 0.3 * i), -1.0, ts_mat3_zero());
        fixture_geom(builder, link.body[0], ts_shape_capsule(0.03, 0.1), ts_vec3_zero(), 0.5);
        link.body[1] = link.body[0] + 1;
        if (i < 3) ts_builder_add_equality(builder, &link);
    }
    return builder;
}

static void check_workers(const char* solver, int substeps) {
    static const int workers[] = {1, 2, 4};
    uint64_t hash[3][4];
    for (int w = 0; w < 3; ++w) {
        fixture f = fixture_start(heap(solver, substeps), workers[w]);
        for (int k = 0; k < 4; ++k) {
            fixture_run(&f, 100);
            hash[w][k] = ts_sim_hash(f.sim);
        }
        cr_assert_gt(f.sim->contact_count, 60, "the heap must be one");
        fixture_end(&f);
    }
    for (int w = 1; w < 3; ++w)
        for (int k = 0; k < 4; ++k)
            cr_assert_eq(hash[w][k], hash[0][k], "%s, %d workers, block %d: %016llx, not %016llx", solver, workers[w],
                         k, (unsigned long long)hash[w][k], (unsigned long long)hash[0][k]);
    cr_assert_neq(hash[0][0], hash[0][1]);
}

// With a solver that remembers something itself as well.
Test(determinism, workers_do_not_change_a_bit) {
    check_workers("ncp-pgs", 1);
    check_workers("ncp-pgs", 3);
    check_workers("ncp-admm", 1);
}

Test(determinism, a_snapshot_brings_everything_back) {
    static const char* const solver[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-admm", "ccp-admm", "ncp-pgs"};
    for (int s = 0; s < 6; ++s) {
        fixture f = fixture_start(heap(solver[s], s < 5 ? 1 : 2), 2);
        ts_snapshot snapshot = {NULL, 0, 0};
        ts_status status;
        fixture_run(&f, 150);
        f.sim->force_applied[3] = 0.25;
        f.sim->wrench_applied[2].force.x = 1.5;
        uint64_t middle = ts_sim_hash(f.sim);
        cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
        fixture_run(&f, 100);
        uint64_t end = ts_sim_hash(f.sim);
        cr_assert_neq(middle, end);
        // Back in the same simulation, whose scratch and memory have seen other things meanwhile.
        cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_OK);
        cr_assert_eq(ts_sim_hash(f.sim), middle);
        fixture_run(&f, 100);
        cr_assert_eq(ts_sim_hash(f.sim), end, "%s: another way after restoring", solver[s]);
        // And in a new one.
        ts_sim* other = NULL;
        cr_assert_eq(ts_sim_create(f.model, 1, &other, &status), TS_OK);
        cr_assert_eq(ts_sim_restore(other, &snapshot, &status), TS_OK);
        for (int i = 0; i < 100; ++i) cr_assert_eq(ts_sim_step(other, &status), TS_OK);
        cr_assert_eq(ts_sim_hash(other), end, "%s: another way in another simulation", solver[s]);
        ts_sim_free(other);
        ts_snapshot_free(&snapshot);
        fixture_end(&f);
    }
}

Test(determinism, looking_does_not_disturb) {
    fixture f = fixture_start(heap("ncp-pgs", 1), 1);
    fixture g = fixture_start(heap("ncp-pgs", 1), 1);
    ts_status status;
    for (int i = 0; i < 120; ++i) {
        fixture_run(&f, 1);
        fixture_run(&g, 1);
        if (i % 7 == 0) cr_assert_eq(ts_sim_forward(g.sim, &status), TS_OK);
        if (i % 5 == 0) ts_sim_energy(g.sim);
    }
    cr_assert_eq(ts_sim_hash(f.sim), ts_sim_hash(g.sim));
    ts_sim_reset(f.sim);
    fixture_run(&f, 120);
    cr_assert_eq(ts_sim_hash(f.sim), ts_sim_hash(g.sim), "a reset must start afresh");
    fixture_end(&f);
    fixture_end(&g);
}

Test(determinism, every_part_of_the_state_counts_in_the_hash) {
    fixture f = fixture_start(heap("ncp-admm", 1), 1);
    fixture_run(&f, 200);
    uint64_t hash = ts_sim_hash(f.sim);
    cr_assert_gt(f.sim->pair_memory.count, 0);
    ts_row_memory* memory = f.sim->row_memory.data;
    int last = f.sim->row_memory.count - 1;
    cr_assert_str_eq(ts_row_source_name(memory[0].source), "contact");
    cr_assert_str_eq(ts_row_source_name(memory[last].source), "connect");
    double* place[] = {&f.sim->time,
                       &f.sim->qpos[5],
                       &f.sim->qvel[7],
                       &f.sim->force_applied[1],
                       &f.sim->wrench_applied[3].couple.y,
                       &memory[0].impulse[2],
                       &f.sim->row_more.data[memory[0].more].number[4],
                       &memory[last].impulse[2],
                       &memory[last].time_step,
                       &memory[0].solver,
                       &f.sim->pair_memory.data[0].normal.x};
    for (size_t i = 0; i < sizeof place / sizeof place[0]; ++i) {
        double keep = *place[i];
        *place[i] = keep + 1.0;
        cr_assert_neq(ts_sim_hash(f.sim), hash, "place %zu", i);
        *place[i] = keep;
        cr_assert_eq(ts_sim_hash(f.sim), hash);
    }
    memory[0].place[5] += 1.0f;
    cr_assert_neq(ts_sim_hash(f.sim), hash, "where a contact was");
    fixture_end(&f);
}
