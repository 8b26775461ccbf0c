// A recording in place of a simulation: the same session steps, scrubs and resets it, all of it is in reach at once, and what is drawn are the
// contacts that were recorded.
#include "tests/viewer/viewer_fixture.h"

#include <unistd.h>

#include "engine/step/certify.h"
#include "scenes/run.h"
#include "tests/viewer/device_null.h"
#include "viewer/session/playback_internal.h"
#include "viewer/session/session_internal.h"
#include "viewer/session/world_internal.h"

#ifdef TS_HAVE_HDF5

static const ts_push nothing = {-1, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};

static int append(void* user, ts_sim* sim) {
    ts_record** record = (ts_record**)user;
    ts_status status;
    cr_assert_eq(ts_record_append(*record, sim, &status), TS_OK);
    return 0;
}

// Records a push of the fast cube under a solver, from `aside` beside its place; returns where the cube was at first, after 30 and after 100 steps.
static void record_push(const char* path, const char* solver, double aside, double out_y[3]) {
    ts_status status;
    ts_loaded_scene scene;
    ts_sim* sim = NULL;
    ts_record* record = NULL;
    cr_assert_eq(ts_scene_load("fast-cube", NULL, &scene, &status), TS_OK);
    cr_assert_eq(ts_sim_create(scene.model, 1, &sim, &status), TS_OK);
    cr_assert_eq(ts_sim_set_solver(sim, solver, &status), TS_OK);
    sim->qpos[1] += aside;
    out_y[0] = sim->qpos[1];
    cr_assert_eq(ts_record_open(path, scene.name, sim, &record, &status), TS_OK);
    cr_assert_eq(ts_run_scene(&scene, sim, 30.0 * sim->options.time_step, append, &record, &status), TS_OK);
    out_y[1] = sim->qpos[1];
    cr_assert_eq(ts_run_scene(&scene, sim, 70.0 * sim->options.time_step, append, &record, &status), TS_OK);
    out_y[2] = sim->qpos[1];
    cr_assert_eq(ts_record_close(record, 1, &status), TS_OK);
    ts_sim_free(sim);
    ts_loaded_scene_free(&scene);
}

Test(recorded, steps_scrubs_and_ends) {
    char path[] = "/tmp/touchstone-recorded-XXXXXX.h5";
    int fd = mkstemps(path, 3);
    cr_assert(fd >= 0);
    close(fd);
    ts_status status;
    double y[3];
    record_push(path, "ncp-pgs", 0.0, y);
    double end = y[2];

    ts_world* world = NULL;
    cr_assert_eq(ts_world_load(path, 1, &world, &status), TS_OK, "%s", status.message);
    cr_expect_str_eq(world->sim->solver->name, "ncp-pgs");
    ts_history history;
    cr_assert_eq(ts_history_open(&history, world->sim, 1 << 20, &status), TS_OK);
    history.recording = world->scene->recording;
    cr_assert_not_null(history.recording);
    long long first, last;
    ts_history_range(&history, world->sim, &first, &last);
    cr_expect(first == 0 && last == 100);
    for (int i = 1; i <= 30; ++i) {
        cr_assert_eq(ts_history_step(&history, world->scene, world->sim, nothing, &status), TS_OK);
        cr_expect_eq(world->sim->step_count, i);
    }
    ts_arena arena = {0};
    cr_assert_gt(world->sim->contact_count, 0);
    const ts_contact_mode* mode = ts_certify_contacts(world->sim, &arena);
    for (int c = 0; c < world->sim->contact_count; ++c) cr_expect_eq(mode[c], world->sim->contact_mode[c]);
    ts_arena_free(&arena);
    cr_assert_eq(ts_history_seek(&history, world->scene, world->sim, 100, &status), TS_OK);
    cr_expect_eq(world->sim->qpos[1], end);
    cr_assert_eq(ts_history_seek(&history, world->scene, world->sim, 3, &status), TS_OK);
    cr_expect_eq(world->sim->step_count, 3);
    // Beyond the end there is nothing, and it says so; a run of it stops there.
    cr_assert_eq(ts_history_seek(&history, world->scene, world->sim, 1000, &status), TS_OK);
    cr_expect_eq(world->sim->step_count, 100);
    cr_expect_neq(ts_history_step(&history, world->scene, world->sim, nothing, &status), TS_OK);
    cr_expect_not_null(strstr(status.message, "recording ends"));
    cr_assert_eq(ts_recording_take(history.recording, 0, world->sim, &status), TS_OK);
    cr_expect_eq(ts_run_scene(world->scene, world->sim, 5.0, NULL, NULL, &status), TS_OK);
    cr_expect_eq(world->sim->qpos[1], end);
    ts_history_free(&history);
    ts_world_free(world);
    unlink(path);
}

// Two recordings in one window go on, back and to the start together, each as it was recorded, under their own names.
Test(recorded, two_are_seen_beside_each_other) {
    char path[2][40];
    double y[2][3];
    static const char* const solver[2] = {"ncp-pgs", "ccp-pgs"};
    ts_status status;
    ts_loaded_scene scene[2];
    ts_sim* sim[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
        memcpy(path[k], "/tmp/touchstone-recorded-XXXXXX.h5", 35);
        int fd = mkstemps(path[k], 3);
        cr_assert(fd >= 0);
        close(fd);
        record_push(path[k], solver[k], 0.01 * k, y[k]);
    }
    for (int m = 0; m < 3; ++m) cr_assert(fabs(y[0][m] - y[1][m]) > 1e-6);
    cr_assert_eq(ts_scene_load_recording(path[0], NULL, NULL, NULL, &scene[0], &status), TS_OK);
    scene[1] = scene[0];
    cr_assert_eq(ts_recording_open(path[1], &scene[1].recording, &status), TS_OK);
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(ts_sim_create(scene[0].model, 1, &sim[k], &status), TS_OK);
        cr_assert_eq(ts_recording_configure(scene[k].recording, sim[k], &status), TS_OK);
        cr_assert_eq(ts_recording_take(scene[k].recording, 0, sim[k], &status), TS_OK);
    }
    ts_view_companion companion = {.sim = sim[1], .name = "second"};
    const ts_loaded_scene* beside[1] = {&scene[1]};
    ts_view_request request = ts_view_request_default();
    request.scene = &scene[0];
    request.sim = sim[0];
    request.name = "first";
    request.paused = 1;
    request.layout = TS_LAYOUT_PANES;
    request.companion = &companion;
    request.companion_count = 1;
    request.companion_scene = beside;
    request.mark_text = "they part here";
    ts_device* device = ts_device_null_create();
    ts_session* session = NULL;
    cr_assert_eq(ts_session_open(&request, device, NULL, 0, &session, &status), TS_OK, "%s", status.message);
    cr_expect(strcmp(session->ui.message, "they part here") == 0);
    // By the timeline, step by step, from the start again, and by running to the end.
    static const struct {
        ts_ask_kind kind;
        long long index, step;
    } ask[6] = {{TS_ASK_SEEK, 100, 100}, {TS_ASK_SEEK, 28, 28}, {TS_ASK_STEP, 2, 30},
                {TS_ASK_RESET, 0, 0},    {TS_ASK_STEP, 30, 30}, {TS_ASK_RUN, 1, 100}};
    for (int i = 0; i < 6; ++i) {
        ts_session_ask(session, ask[i].kind, ask[i].index, 0.0, NULL);
        for (int turn = 0; turn < 4; ++turn) {
            ts_worker_turn(session->worker, i + 0.2 * turn);
            (void)ts_session_tick(session, i + 0.2 * turn);
        }
        cr_assert_eq(ts_session_draw(session, &status), TS_OK);
        for (int k = 0; k < 2; ++k) {
            const ts_look* look = &session->shadow->look[k];
            cr_expect_eq(look->sim.step_count, ask[i].step, "%d, %d: %lld", i, k, look->sim.step_count);
            if (ask[i].step != 28)
                cr_expect_eq(look->sim.qpos[1], y[k][ask[i].step == 100 ? 2 : ask[i].step == 30], "%d, %d", i, k);
            cr_expect_str_eq(look->name, k ? "second" : "first");
        }
    }
    ts_session_close(session);
    ts_device_destroy(device);
    for (int k = 0; k < 2; ++k) {
        ts_sim_free(sim[k]);
        unlink(path[k]);
    }
    ts_recording_close(scene[1].recording);
    ts_loaded_scene_free(&scene[0]);
}

#endif
