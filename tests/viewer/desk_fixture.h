// A session at a window that draws nothing, as a user sits before it: what scripted input tests share.
#ifndef TS_TESTS_DESK_FIXTURE_H
#define TS_TESTS_DESK_FIXTURE_H

#include "tests/viewer/device_null.h"
#include "tests/viewer/viewer_fixture.h"

#include "viewer/session/session_internal.h"

typedef struct desk {
    fixture f;
    ts_view_request request;
    ts_device* device;
    ts_session* session;
    ts_kit* kit;  // of its panels; NULL: none
    double now;
} desk;

// The scene of that name, at its beginning.
static inline fixture desk_scene(const char* name) {
    fixture f;
    ts_status status;
    memset(&f, 0, sizeof f);
    cr_assert(ts_scene_load(name, NULL, &f.scene, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(f.scene.model, 1, &f.sim, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_forward(f.sim, &status) == TS_OK, "%s", status.message);
    return f;
}

// Paused, and not opened yet: the request may be changed. The desk owns what `f` holds.
static inline void desk_prepare(desk* d, fixture f) {
    memset(d, 0, sizeof *d);
    d->f = f;
    d->request = ts_view_request_default();
    d->request.scene = &d->f.scene;
    d->request.sim = d->f.sim;
    d->request.paused = 1;
    d->device = ts_device_null_create();
    cr_assert(d->device);
}

static inline void desk_open(desk* d, ts_kit* kit) {
    ts_status status;
    d->kit = kit;
    ts_code code = ts_session_open(&d->request, d->device, kit, 0, &d->session, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

static inline void desk_close(desk* d) {
    ts_session_close(d->session);
    ts_device_destroy(d->device);
    fixture_end(&d->f);
}

// The session goes on by so many seconds, and is drawn where it says that there is something new, as a window does.
static inline void desk_tick(desk* d, double seconds) {
    ts_status status;
    d->now += seconds;
    ts_worker_turn(d->session->worker, d->now);
    if (ts_session_tick(d->session, d->now) != TS_REDRAW_ALL) return;
    ts_code code = ts_session_draw(d->session, &status);
    cr_assert(code == TS_OK, "%s", status.message);
}

#endif
