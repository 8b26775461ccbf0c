// For the thread sanitizer: a session with its stepping thread while somebody draws, drags, scrubs, changes solvers and loads other scenes,
// and then closes in the middle of a step. Returns 0 when all of it ends and nothing was said to be wrong.
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "tests/viewer/device_null.h"
#include "viewer/session/session_internal.h"

enum { FRAMES = 150 };

static void key(ts_session* session, int code, unsigned mods) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = code, .action = TS_ACTION_PRESS, .mods = mods};
    event.time = ts_clock_seconds();
    ts_session_event(session, &event);
}

static void mouse(ts_session* session, int frame) {
    ts_event event = {.kind = TS_EVENT_BUTTON, .code = TS_BUTTON_RIGHT, .mods = TS_MOD_CONTROL};
    event.time = ts_clock_seconds();
    event.x = 300.0 + frame % 40;
    event.y = 220.0 + frame % 30;
    event.action = frame % 20 == 0 ? TS_ACTION_PRESS : TS_ACTION_RELEASE;
    if (frame % 20 != 0 && frame % 20 != 15) event.kind = TS_EVENT_MOVE;
    ts_session_event(session, &event);
}

static void interfere(ts_session* session, int frame) {
    mouse(session, frame);
    if (frame % 9 == 0) key(session, TS_KEY_DOWN, TS_MOD_CONTROL);
    if (frame % 23 == 0) key(session, TS_KEY_SPACE, 0);
    if (frame % 31 == 0) key(session, TS_KEY_LEFT, TS_MOD_SHIFT);
    if (frame % 47 == 0) key(session, TS_KEY_BACKSPACE, 0);
    if (frame % 40 == 10)
        ts_session_ask(session, TS_ASK_LOAD, 0, 0.0, frame % 80 == 10 ? "double-pendulum" : "incline");
    if (frame % 50 == 30) key(session, 'L', TS_MOD_CONTROL | TS_MOD_SHIFT);
}

static int run(ts_session* session) {
    ts_status status;
    for (int frame = 0; frame < FRAMES; ++frame) {
        interfere(session, frame);
        (void)ts_session_tick(session, ts_clock_seconds());
        if (ts_session_draw(session, &status)) {
            fprintf(stderr, "frame %d: %s\n", frame, status.message);
            return 1;
        }
        const struct timespec rest = {0, 3000000};
        (void)nanosleep(&rest, NULL);
    }
    return 0;
}

int main(void) {
    ts_status status;
    ts_loaded_scene scene;
    ts_sim* sim = NULL;
    ts_session* session = NULL;
    ts_device* device = ts_device_null_create();
    ts_view_request request = ts_view_request_default();
    int bad = !device || ts_scene_load("stack-10", NULL, &scene, &status) != TS_OK;
    if (bad) return 1;
    bad = ts_sim_create(scene.model, 2, &sim, &status) || ts_sim_forward(sim, &status);
    request.scene = &scene;
    request.sim = sim;
    request.subject = "stack-10";
    request.width = 640;
    request.height = 480;
    if (!bad) bad = ts_session_open(&request, device, NULL, 1, &session, &status) != TS_OK;
    if (bad)
        fprintf(stderr, "%s\n", status.message);
    else
        bad = run(session);
    ts_session_close(session);
    ts_sim_free(sim);
    ts_loaded_scene_free(&scene);
    ts_device_destroy(device);
    return bad;
}
