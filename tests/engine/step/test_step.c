// The stages of a step, called one by one, are the step; and each can be used alone.
#include "tests/engine/engine_fixture.h"

static fixture leaning_boxes(void) {
    ts_builder* builder = ts_builder_create("leaning");
    fixture_floor(builder, 0.5, 0.0);
    for (int i = 0; i < 4; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(0.04 * i, 0.0, 0.11 + 0.21 * i), -1.0, ts_mat3_zero());
        fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.5);
    }
    return fixture_start(builder, 1);
}

static void step_by_stages(ts_sim* sim) {
    ts_pair* pairs = NULL;
    int pair_count = 0;
    ts_status status;
    ts_step_kinematics(sim);
    cr_assert_eq(ts_step_broad_phase(sim, &pairs, &pair_count), TS_OK);
    cr_assert_eq(ts_step_narrow_phase(sim, pairs, pair_count), TS_OK);
    cr_assert_eq(ts_step_dynamics(sim), TS_OK);
    cr_assert_eq(ts_step_assemble(sim), TS_OK);
    cr_assert_eq(ts_step_solve(sim), TS_OK);
    cr_assert_eq(ts_step_integrate(sim, &status), TS_OK);
}

Test(step, stages_make_the_step) {
    fixture whole = leaning_boxes(), parts = leaning_boxes();
    for (int i = 0; i < 150; ++i) {
        fixture_run(&whole, 1);
        step_by_stages(parts.sim);
    }
    cr_assert_gt(whole.sim->contact_count, 4);
    cr_assert_eq(ts_sim_hash(whole.sim), ts_sim_hash(parts.sim));
    fixture_end(&whole);
    fixture_end(&parts);
}

// Only the last stage changes the state, so everything before it can be looked at and thrown away.
Test(step, nothing_moves_before_integration) {
    fixture f = leaning_boxes();
    fixture_run(&f, 60);
    uint64_t before = ts_sim_hash(f.sim);
    ts_pair* pairs = NULL;
    int pair_count = 0;
    ts_step_kinematics(f.sim);
    ts_step_broad_phase(f.sim, &pairs, &pair_count);
    ts_step_narrow_phase(f.sim, pairs, pair_count);
    ts_step_dynamics(f.sim);
    ts_step_assemble(f.sim);
    ts_step_solve(f.sim);
    cr_assert_eq(ts_sim_hash(f.sim), before);
    fixture_end(&f);
}

// The user's own hand between two stages: pairs left out are contacts left out.
Test(step, a_user_may_filter_pairs) {
    fixture f = leaning_boxes();
    ts_pair* pairs = NULL;
    int pair_count = 0;
    ts_status status;
    for (int i = 0; i < 100; ++i) {
        ts_step_kinematics(f.sim);
        ts_step_broad_phase(f.sim, &pairs, &pair_count);
        ts_step_narrow_phase(f.sim, pairs, 0);
        ts_step_dynamics(f.sim);
        ts_step_assemble(f.sim);
        ts_step_solve(f.sim);
        cr_assert_eq(ts_step_integrate(f.sim, &status), TS_OK);
    }
    double h = f.sim->options.time_step;
    cr_assert_float_eq(f.sim->qvel[2], -9.81 * 100 * h, 1e-12);
    fixture_end(&f);
}

Test(step, forward_shows_the_contacts_of_a_changed_state) {
    fixture f = leaning_boxes();
    ts_status status;
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    cr_assert_eq(f.sim->contact_count, 0);
    f.sim->qpos[2] = 0.0995;
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    cr_assert_eq(f.sim->contact_count, 4);
    for (int i = 0; i < 4; ++i) cr_assert_float_eq(f.sim->contact[i].gap, -0.0005, 1e-12);
    cr_assert_float_eq(f.sim->info.worst_penetration, 0.0005, 1e-12);
    cr_assert_eq(f.sim->time, 0.0);
    // Gravity is the whole bias of a body at rest.
    cr_assert_float_eq(f.sim->bias[2], 9.81 * f.model->body[1].mass, 1e-12);
    fixture_end(&f);
}
