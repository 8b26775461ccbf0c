// A recording in place of a simulation: the same session steps, scrubs and resets it, all of it is in reach at once, and what is drawn are the
// contacts that were recorded.
#include "tests/viewer/viewer_fixture.h"

#include <unistd.h>

#include "engine/step/certify.h"
#include "scenes/run.h"
#include "viewer/session/playback_internal.h"
#include "viewer/session/world_internal.h"

#ifdef TS_HAVE_HDF5

static const ts_push nothing = {-1, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};

static int append(void* user, ts_sim* sim) {
    ts_record** record = (ts_record**)user;
    ts_status status;
    cr_assert_eq(ts_record_append(*record, sim, &status), TS_OK);
    return 0;
}

Test(recorded, steps_scrubs_and_ends) {
    char path[] = "/tmp/touchstone-recorded-XXXXXX.h5";
    int fd = mkstemps(path, 3);
    cr_assert(fd >= 0);
    close(fd);
    ts_status status;
    ts_loaded_scene scene;
    ts_sim* sim = NULL;
    ts_record* record = NULL;
    cr_assert_eq(ts_scene_load("fast-cube", NULL, &scene, &status), TS_OK);
    cr_assert_eq(ts_sim_create(scene.model, 1, &sim, &status), TS_OK);
    cr_assert_eq(ts_sim_set_solver(sim, "ncp-pgs", &status), TS_OK);
    cr_assert_eq(ts_record_open(path, scene.name, sim, &record, &status), TS_OK);
    cr_assert_eq(ts_run_scene(&scene, sim, 0.1, append, &record, &status), TS_OK);
    double end = sim->qpos[1];
    cr_assert_eq(ts_record_close(record, 1, &status), TS_OK);
    ts_sim_free(sim);

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
    ts_loaded_scene_free(&scene);
    unlink(path);
}

#endif
