// A batch is many simulations that know nothing of each other.
#include "engine/batch.h"

#include "tests/engine/engine_fixture.h"

enum { COPIES = 7, STEPS = 60 };

static ts_model* finish(ts_builder* builder) {
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(ts_builder_finish(builder, &model, &status), TS_OK, "%s", status.message);
    return model;
}

// A box that falls on a floor.
static ts_model* falling_box(double mass) {
    ts_builder* builder = ts_builder_create("box");
    fixture_floor(builder, 0.5, 0.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.14), mass,
                                 ts_mat3_diagonal(ts_vec3_make(0.01, 0.02, 0.03)));
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.08, 0.06)), ts_vec3_zero(), 0.5);
    return finish(builder);
}

// Where simulation i starts: each elsewhere and one in its own gravity.
static void push(ts_sim* sim, int i) {
    for (int d = 0; d < 6; ++d) sim->qvel[d] = 0.3 * sin(1.0 + i + 2.0 * d);
    if (i == 3) sim->options.gravity.z = -1.6;
}

static ts_batch* batch_of(const ts_model* model, int workers) {
    ts_batch* batch = NULL;
    cr_assert_eq(ts_batch_create(&model, 1, COPIES, workers, &batch, NULL), TS_OK);
    for (int i = 0; i < COPIES; ++i) push(batch->sim[i], i);
    return batch;
}

Test(batch, steps_as_each_would_alone) {
    ts_model* model = falling_box(2.0);
    for (int workers = 1; workers <= 3; ++workers) {
        ts_batch* batch = batch_of(model, workers);
        // In pieces: how a run is cut makes no difference.
        cr_assert_eq(ts_batch_step(batch, STEPS / 3, NULL, NULL, NULL), 0);
        cr_assert_eq(ts_batch_step(batch, STEPS - STEPS / 3, NULL, NULL, NULL), 0);
        for (int i = 0; i < COPIES; ++i) {
            ts_sim* alone = NULL;
            cr_assert_eq(ts_sim_create(model, 1, &alone, NULL), TS_OK);
            push(alone, i);
            for (int k = 0; k < STEPS; ++k) cr_assert_eq(ts_sim_step(alone, NULL), TS_OK);
            cr_assert_eq(ts_sim_hash(alone), ts_sim_hash(batch->sim[i]), "simulation %d, %d workers", i, workers);
            cr_assert_arr_eq(alone->qpos, batch->qpos + 7 * i, 7 * sizeof(double));
            cr_assert_arr_eq(alone->qvel, batch->qvel + 6 * i, 6 * sizeof(double));
            ts_sim_free(alone);
        }
        ts_batch_free(batch);
    }
    ts_model_free(model);
}

Test(batch, state_is_live_in_both_directions) {
    ts_model* model = falling_box(2.0);
    ts_batch* batch = batch_of(model, 2);
    ts_batch_reset(batch);
    batch->qpos[7 * 4 + 2] = 5.0;  // the fifth box, high up: it falls freely
    batch->force_applied[6 * 4] = 4.0;
    cr_assert_eq(ts_batch_step(batch, 10, NULL, NULL, NULL), 0);
    double h = model->options.time_step, t = 10.0 * h;
    cr_assert_float_eq(batch->qvel[6 * 4 + 2], model->options.gravity.z * t, 1e-12);
    cr_assert_float_eq(batch->qvel[6 * 4], 4.0 / 2.0 * t, 1e-12);
    cr_assert_float_eq(batch->qvel[6 * 5], 0.0, 1e-12);
    ts_batch_free(batch);
    ts_model_free(model);
}

Test(batch, a_failure_stays_alone) {
    ts_model* model = falling_box(2.0);
    ts_batch* batch = batch_of(model, 2);
    batch->qvel[6 * 2] = (double)NAN;
    cr_assert_eq(ts_batch_step(batch, 5, NULL, NULL, NULL), 1);
    for (int i = 0; i < COPIES; ++i) {
        cr_assert_eq(batch->status[i].code != TS_OK, i == 2);
        cr_assert_eq(batch->sim[i]->step_count, i == 2 ? 0 : 5);
    }
    ts_batch_reset(batch);
    cr_assert_eq(ts_batch_step(batch, 5, NULL, NULL, NULL), 0);
    cr_assert_eq(batch->sim[2]->step_count, 5);
    ts_batch_free(batch);
    ts_model_free(model);
}

Test(batch, a_model_for_each) {
    ts_model* models[3] = {falling_box(1.0), falling_box(2.0), falling_box(4.0)};
    const ts_model* constant[3] = {models[0], models[1], models[2]};
    ts_batch* batch = NULL;
    cr_assert_eq(ts_batch_create(constant, 3, 3, 2, &batch, NULL), TS_OK);
    for (int i = 0; i < 3; ++i) batch->qpos[7 * i + 2] = 5.0;
    for (int i = 0; i < 3; ++i) batch->force_applied[6 * i] = 8.0;
    cr_assert_eq(ts_batch_step(batch, 10, NULL, NULL, NULL), 0);
    for (int i = 0; i < 3; ++i)
        cr_assert_float_eq(batch->qvel[6 * i], 8.0 / (1 << i) * 10.0 * models[0]->options.time_step, 1e-12);
    ts_batch_free(batch);
    cr_assert_eq(ts_batch_create(constant, 2, 3, 1, &batch, NULL), TS_ERROR_VALUE);
    cr_assert_null(batch);
    ts_builder* other = ts_builder_create("two");
    for (int i = 0; i < 2; ++i) {
        int body = fixture_free_body(other, ts_vec3_make(i, 0.0, 1.0), -1.0, ts_mat3_zero());
        fixture_geom(other, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.5);
    }
    ts_model* two = finish(other);
    const ts_model* mixed[2] = {models[0], two};
    cr_assert_eq(ts_batch_create(mixed, 2, 2, 1, &batch, NULL), TS_ERROR_VALUE);
    cr_assert_eq(ts_batch_create(constant, 1, 0, 1, &batch, NULL), TS_ERROR_VALUE);
    ts_model_free(two);
    for (int i = 0; i < 3; ++i) ts_model_free(models[i]);
}

static int stop_at_three(void* user, ts_sim* sim, int index) {
    ((int*)user)[index]++;
    return sim->step_count == 3 && index == 1;
}

Test(batch, hooks_see_every_step_and_may_stop_one) {
    ts_model* model = falling_box(2.0);
    ts_batch* batch = batch_of(model, 2);
    int seen[COPIES] = {0};
    cr_assert_eq(ts_batch_step(batch, 6, NULL, stop_at_three, seen), 0);
    for (int i = 0; i < COPIES; ++i) {
        cr_assert_eq(batch->sim[i]->step_count, i == 1 ? 3 : 6);
        cr_assert_eq(seen[i], i == 1 ? 3 : 6);
    }
    ts_batch_free(batch);
    ts_model_free(model);
}
