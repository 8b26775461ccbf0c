// Creating, resetting and setting up simulations; what a step reports; what happens when numbers leave the finite.
#include "tests/engine/engine_fixture.h"

#include "contact/trace.h"

static ts_builder* box_on_floor(void) {
    ts_builder* builder = ts_builder_create("box");
    fixture_floor(builder, 0.5, 0.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.5);
    double qpos[7] = {1.0, 2.0, 0.5, 1.0, 0.0, 0.0, 0.0}, qvel[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    ts_builder_add_keyframe(
        builder, &(ts_keyframe_def){
                     .name = "lifted", .time = 3.5, .qpos = qpos, .qpos_count = 7, .qvel = qvel, .qvel_count = 6});
    return builder;
}

Test(sim, starts_and_resets_to_the_models_state) {
    fixture f = fixture_start(box_on_floor(), 1);
    uint64_t start = ts_sim_hash(f.sim);
    cr_assert_eq(f.sim->time, 0.0);
    cr_assert_eq(f.sim->step_count, 0);
    cr_assert_eq(f.sim->qpos[2], 0.1);
    f.sim->force_applied[0] = 3.0;
    f.sim->wrench_applied[1].force.y = 1.0;
    fixture_run(&f, 30);
    cr_assert_neq(ts_sim_hash(f.sim), start);
    cr_assert_eq(f.sim->step_count, 30);
    ts_sim_reset(f.sim);
    cr_assert_eq(ts_sim_hash(f.sim), start);
    cr_assert_eq(f.sim->contact_count, 0);
    fixture_end(&f);
}

Test(sim, keyframes) {
    fixture f = fixture_start(box_on_floor(), 1);
    ts_status status;
    fixture_run(&f, 10);
    cr_assert_eq(ts_sim_set_keyframe(f.sim, 0, &status), TS_OK);
    cr_assert_eq(f.sim->time, 3.5);
    cr_assert_eq(f.sim->qpos[1], 2.0);
    cr_assert_eq(f.sim->qvel[5], 0.6);
    cr_assert_eq(f.sim->row_memory.count, 0);
    cr_assert_eq(ts_sim_set_keyframe(f.sim, 1, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_set_keyframe(f.sim, -1, &status), TS_ERROR_VALUE);
    fixture_end(&f);
}

Test(sim, solvers_and_settings_by_name) {
    fixture f = fixture_start(box_on_floor(), 1);
    ts_status status;
    ts_solver_settings shared;
    cr_assert_eq(ts_sim_set(f.sim, "iterations", "77", &status), TS_OK);
    memcpy(&shared, f.sim->solver_settings, sizeof shared);
    cr_assert_eq(shared.iteration_limit, 77);
    cr_assert_eq(ts_sim_set(f.sim, "solver", "ccp-pgs", &status), TS_OK);
    cr_assert_str_eq(f.sim->solver->name, "ccp-pgs");
    cr_assert_str_eq(f.sim->options.solver, "ccp-pgs");
    memcpy(&shared, f.sim->solver_settings, sizeof shared);
    cr_assert_eq(shared.iteration_limit, 77, "options outlive a change of solver");
    cr_assert_eq(ts_sim_set(f.sim, "iterations", "0", &status), TS_OK);
    memcpy(&shared, f.sim->solver_settings, sizeof shared);
    cr_assert_eq(shared.iteration_limit, 1000, "the solver's own limit");
    cr_assert_eq(ts_sim_set(f.sim, "tolerance", "1e-5", &status), TS_OK);
    memcpy(&shared, f.sim->solver_settings, sizeof shared);
    cr_assert_eq(shared.tolerance, 1e-5);
    // Any setting of the solver, by the names the solver gives.
    const char* name = f.sim->solver->setting[0].name;
    char full[128];
    snprintf(full, sizeof full, "solver.%s", name);
    double value = f.sim->solver->setting[0].low > 0.0 ? 2.0 * f.sim->solver->setting[0].low : 1e-3;
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    cr_assert_eq(ts_sim_set(f.sim, full, text, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_solver_get(f.sim->solver, f.sim->solver_settings, name), value);
    cr_assert_eq(ts_sim_set(f.sim, full, "many", &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_set(f.sim, full, "1 2", &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_set(f.sim, full, "", &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_solver_get(f.sim->solver, f.sim->solver_settings, name), value);
    cr_assert_eq(ts_sim_set(f.sim, "solver.no_such_thing", "1", &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_set(f.sim, "no_such_option", "1", &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_set(f.sim, "solver", "magic", &status), TS_ERROR_VALUE);
    cr_assert(strstr(status.message, "ncp-pgs"), "the message must list solvers: %s", status.message);
    cr_assert_str_eq(f.sim->solver->name, "ccp-pgs");
    cr_assert_eq(ts_sim_set(f.sim, "time_step", "0.005", &status), TS_OK);
    cr_assert_eq(f.sim->options.time_step, 0.005);
    fixture_end(&f);
}

Test(sim, workers_and_solver_names_are_checked) {
    fixture f = fixture_start(box_on_floor(), 3);
    cr_assert_eq(ts_task_pool_workers(f.sim->tasks), 3);
    ts_status status;
    ts_sim* sim = f.sim;
    cr_assert_eq(ts_sim_create(f.model, 0, &sim, &status), TS_ERROR_VALUE);
    cr_assert_null(sim);
    fixture_end(&f);
    ts_sim_free(NULL);
}

Test(sim, a_step_reports_on_itself) {
    fixture f = fixture_start(box_on_floor(), 1);
    f.sim->qpos[2] -= 0.003;
    f.sim->times = TS_STEP_TIMES_STAGES;
    fixture_run(&f, 1);
    const ts_step_info* info = &f.sim->info;
    cr_assert_eq(info->contact_count, 4);
    cr_assert_eq(info->row_count, 12);
    cr_assert_eq(info->pair_count, 1);
    cr_assert_eq(info->narrow_failures, 0);
    cr_assert_eq(info->bad_bounds, 0);
    cr_assert_float_eq(info->worst_penetration, 0.003, 1e-12);
    cr_assert_eq(info->solve.status, TS_SOLVE_CONVERGED);
    cr_assert_geq(info->solve.iterations, 1);
    cr_assert_lt(info->residual.ncp.dual, 1e-8);
    double parts = info->seconds_kinematics + info->seconds_broad + info->seconds_narrow + info->seconds_dynamics +
                   info->seconds_assemble + info->seconds_solve + info->seconds_integrate;
    cr_assert_gt(parts, 0.0);
    cr_assert_leq(parts, info->seconds_total * (1.0 + 1e-9));
    f.sim->times = TS_STEP_TIMES_TOTAL;
    fixture_run(&f, 1);
    cr_assert_eq(info->seconds_solve, 0.0);
    cr_assert_gt(info->seconds_total, 0.0);
    f.sim->times = TS_STEP_TIMES_NONE;
    fixture_run(&f, 1);
    cr_assert_eq(info->seconds_solve, 0.0);
    cr_assert_eq(info->seconds_total, 0.0);
    fixture_end(&f);
}

// Notes of the last solve alone: from its start to what the step says is unmet; none where nothing was solved; and the same bits.
Test(sim, a_step_can_be_traced) {
    ts_trace_entry entry[1000];
    ts_trace trace = {.entry = entry, .capacity = 1000};
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        fixture f = fixture_start(box_on_floor(), 1), plain = fixture_start(box_on_floor(), 1);
        ts_status status;
        f.sim->options.substeps = plain.sim->options.substeps = substeps;
        f.sim->qvel[0] = plain.sim->qvel[0] = 0.3;
        f.sim->trace = &trace;
        for (int i = 0; i < 5; ++i) {
            fixture_run(&f, 1);
            fixture_run(&plain, 1);
            cr_assert_eq(ts_sim_hash(f.sim), ts_sim_hash(plain.sim), "%d substeps, step %d", substeps, i);
            cr_assert_geq(trace.count, 1);
            cr_assert_eq(entry[0].iteration, 0);
            // Of one solve: a start, its iterations, and an end.
            for (int k = 1; k < trace.count; ++k) cr_assert_geq(entry[k].iteration, entry[k - 1].iteration);
            cr_assert_leq(trace.count, entry[trace.count - 1].iteration + 2, "more than one solve");
            if (substeps == 1)
                cr_assert_float_eq(entry[trace.count - 1].unmet, f.sim->info.unmet, 1e-14 + 1e-6 * f.sim->info.unmet);
        }
        f.sim->qpos[2] += 1.0;
        cr_assert_eq(ts_sim_step(f.sim, &status), TS_OK);
        cr_assert_eq(trace.count, 0);
        fixture_end(&f);
        fixture_end(&plain);
    }
}

// Of an integrator that moves what no row touches in its own way, and of one that does not.
static void expect_no_change(const char* integrator) {
    fixture f = fixture_start(box_on_floor(), 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "integrator", integrator, &status), TS_OK);
    fixture_run(&f, 20);
    uint64_t before = ts_sim_hash(f.sim);
    double keep = f.sim->force_applied[2];
    f.sim->force_applied[2] = 1e308;
    f.sim->force_applied[3] = -1e308;
    f.sim->options.time_step = 1e10;
    cr_assert_eq(ts_sim_step(f.sim, &status), TS_ERROR_NUMERIC, "%s", integrator);
    cr_assert(strlen(status.message) > 10);
    f.sim->force_applied[2] = keep;
    f.sim->force_applied[3] = 0.0;
    f.sim->options.time_step = f.model->options.time_step;
    cr_assert_eq(ts_sim_hash(f.sim), before);
    fixture_run(&f, 20);
    cr_assert_float_eq(f.sim->qpos[2], 0.1, 1e-5);
    fixture_end(&f);
}

Test(sim, a_failed_step_changes_nothing) {
    expect_no_change("midpoint");
    expect_no_change("implicitfast");
}

Test(sim, a_bad_geom_is_counted_not_followed) {
    fixture f = fixture_start(box_on_floor(), 1);
    ts_status status;
    f.sim->qpos[0] = (double)NAN;
    cr_assert_eq(ts_sim_step(f.sim, &status), TS_ERROR_NUMERIC);
    cr_assert_eq(f.sim->info.bad_bounds, 1);
    cr_assert_eq(f.sim->step_count, 0);
    fixture_end(&f);
}

Test(sim, restoring_also_brings_back_the_poses) {
    fixture f = fixture_start(box_on_floor(), 1);
    ts_snapshot snapshot = {NULL, 0, 0};
    ts_status status;
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
    f.sim->qpos[2] = 4.0;
    fixture_run(&f, 3);
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_OK);
    cr_assert_eq(f.sim->kinematics.body_pose[1].p.z, 0.1);
    cr_assert_eq(ts_kinematics_geom(&f.sim->kinematics, 1)->p.z, 0.1);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
}

Test(sim, snapshots_refuse_strangers) {
    fixture f = fixture_start(box_on_floor(), 1);
    fixture g = fixture_menagerie(1);
    ts_snapshot snapshot = {NULL, 0, 0}, empty = {NULL, 0, 0};
    ts_status status;
    fixture_run(&f, 5);
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
    uint64_t other = ts_sim_hash(g.sim);
    cr_assert_eq(ts_sim_restore(g.sim, &snapshot, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_restore(g.sim, &empty, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_hash(g.sim), other);
    // Cut short, or with a head that is none.
    snapshot.size -= 8;
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_ERROR_VALUE);
    snapshot.size += 8;
    snapshot.data[0] ^= 1;
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_ERROR_VALUE);
    ts_snapshot_free(&snapshot);
    cr_assert_null(snapshot.data);
    fixture_end(&f);
    fixture_end(&g);
}

Test(sim, an_empty_world_passes_time) {
    fixture f = fixture_start(ts_builder_create("nothing"), 2);
    fixture_run(&f, 100);
    cr_assert_float_eq(f.sim->time, 100 * f.sim->options.time_step, 1e-12);
    ts_energy energy = ts_sim_energy(f.sim);
    cr_assert_eq(energy.kinetic + energy.potential, 0.0);
    fixture_end(&f);
}

// Warm starts carry an answer over: the second solve of a resting box is done at once, and a longer step scales impulses.
Test(sim, warm_starts) {
    fixture f = fixture_start(box_on_floor(), 1);
    ts_status status;
    // Without its first stage, which needs an iteration or two from anywhere.
    cr_assert_eq(ts_sim_set(f.sim, "solver.stages", "2", &status), TS_OK);
    fixture_run(&f, 50);
    cr_assert_leq(f.sim->info.solve.iterations, 2);
    cr_assert_eq(ts_sim_set(f.sim, "warm_start", "0", &status), TS_OK);
    fixture_run(&f, 1);
    int cold = f.sim->info.solve.iterations;
    cr_assert_gt(cold, 3);
    cr_assert_eq(ts_sim_set(f.sim, "warm_start", "1", &status), TS_OK);
    fixture_run(&f, 20);
    cr_assert_eq(ts_sim_set(f.sim, "time_step", "0.004", &status), TS_OK);
    fixture_run(&f, 1);
    cr_assert_leq(f.sim->info.solve.iterations, 2);
    // An impulse of a failed solve is known but not used.
    for (int i = 0; i < f.sim->row_memory.count; ++i) f.sim->row_memory.data[i].valid = 0;
    fixture_run(&f, 1);
    cr_assert_gt(f.sim->info.solve.iterations, 3);
    fixture_end(&f);
}

// Remembered impulses live in world axes: on a slope whose friction axes are turned, the start of the next solve is the last
// answer, in the contact frame again.
Test(sim, warm_starts_come_back_in_the_contact_frame) {
    ts_builder* builder = ts_builder_create("slope");
    fixture_floor(builder, 0.9, 0.7);
    ts_builder_options(builder)->gravity = ts_vec3_make(2.0, -1.0, -9.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), -1.0, ts_mat3_zero());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.9);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 300);
    cr_assert_eq(f.sim->contact_count, 4);
    ts_vec3 last[4];
    double largest = 0.0, along = 0.0;
    for (int i = 0; i < 4; ++i) {
        last[i] = f.sim->contact[i].impulse;
        largest = fmax(largest, ts_vec3_norm(last[i]));
        along = fmax(along, fabs(ts_mat3_column(&f.sim->contact[i].frame, 0).x));
    }
    cr_assert_lt(along, 0.9, "the frame shall differ from the world's");
    ts_status status;
    cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
    cr_assert_eq(f.sim->contact_count, 4);
    for (int i = 0; i < 4; ++i) {
        ts_vec3 start = ts_vec3_load(f.sim->impulse + f.sim->problem.block[f.sim->contact[i].block].row);
        cr_expect_lt(ts_vec3_distance(start, last[i]), 1e-9 * largest, "contact %d starts elsewhere", i);
    }
    fixture_end(&f);
}

// 6 + 65530 dofs: the square is 2^32, which an int would wrap around to nothing at all. It must be refused instead.
Test(sim, a_tree_too_large_for_a_dense_matrix_is_refused) {
    enum { CHILDREN = 65530 };
    ts_builder* builder = ts_builder_create("wide");
    int hub = fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
    for (int i = 0; i < CHILDREN; ++i) {
        ts_body_def body = ts_body_def_default();
        body.parent = hub;
        body.mass = 1.0;
        body.inertia = ts_mat3_identity();
        ts_joint_def joint = ts_joint_def_default();
        joint.body = ts_builder_add_body(builder, &body);
        cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
    }
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_OK, "%s", status.message);
    ts_sim* sim = NULL;
    cr_expect_eq(ts_sim_create(model, 1, &sim, &status), TS_ERROR_MEMORY);
    cr_expect_null(sim);
    cr_expect_neq(status.message[0], '\0');
    ts_model_free(model);
}

// Options are plain fields: whoever writes a time step that leads nowhere must hear of it, and nothing may change.
Test(sim, a_time_step_that_does_not_advance_is_refused) {
    static const double bad[] = {0.0, -1.0, -1e-3};
    for (int i = 0; i < 4; ++i) {
        ts_builder* builder = ts_builder_create("ball");
        fixture_free_body(builder, ts_vec3_zero(), 1.0, ts_mat3_identity());
        fixture f = fixture_start(builder, 1);
        f.sim->options.time_step = i < 3 ? bad[i] : (double)NAN;
        uint64_t before = ts_sim_hash(f.sim);
        ts_status status;
        cr_expect_eq(ts_sim_step(f.sim, &status), TS_ERROR_VALUE);
        cr_expect_not_null(strstr(status.message, "time_step"), "%s", status.message);
        cr_expect_eq(ts_sim_hash(f.sim), before);
        cr_expect_eq(f.sim->time, 0.0);
        fixture_end(&f);
    }
}
