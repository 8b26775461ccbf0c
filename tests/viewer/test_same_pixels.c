// Claim: what the window shows and what `view --png` writes are the same pixels: a session on a device of the same quality, with the words off, draws
// the picture that a request makes without a window, with the layers and the theme that the keys of the window switch.
#include "tests/viewer/desk_fixture.h"

#include <stdlib.h>

#include "scenes/run.h"
#include "viewer/device_gl.h"
#include "viewer/offscreen.h"
#include "viewer/scene_draw.h"
#include "viewer/viewer.h"

// OSMesa, where it stands in for EGL, keeps a few hundred bytes of its own until the process ends.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libOSMesa\n"; }

enum { WIDTH = 160, HEIGHT = 96, STEPS = 40 };

static void press(desk* d, int key, unsigned mods) {
    ts_event event = {.kind = TS_EVENT_KEY, .code = key, .action = TS_ACTION_PRESS, .mods = mods, .time = d->now};
    ts_session_event(d->session, &event);
    desk_tick(d, 0.01);
}

// A window's picture, with cones and in the dark by its keys.
static void by_keys(const ts_camera* camera, unsigned char* out_pixels, ts_offscreen* offscreen) {
    desk d;
    ts_status status;
    desk_prepare(&d, desk_scene("fast-cube"));
    ts_device_destroy(d.device);
    ts_code code = ts_device_gl_create(ts_offscreen_loader(offscreen), 4, TS_DEVICE_GL_FINE, &d.device, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    d.request.width = WIDTH;
    d.request.height = HEIGHT;
    d.request.overlay = 0;
    // Opened at that moment, as by --time: how large a scene is taken to be is measured then.
    double time = (STEPS - 0.5) * d.f.sim->options.time_step;
    cr_assert(ts_run_scene(&d.f.scene, d.f.sim, time, NULL, NULL, &status) == TS_OK, "%s", status.message);
    desk_open(&d, NULL);
    press(&d, 'K', 0);
    press(&d, 'D', TS_MOD_SHIFT);
    press(&d, 'L', 0);
    d.session->view.camera = *camera;
    d.session->dirty = 1;
    desk_tick(&d, 60.0);
    ts_overlay_begin(&d.session->overlay, HEIGHT);
    cr_assert(d.session->shadow->sim.step_count == STEPS);
    code = ts_view_draw(&d.session->view, WIDTH, HEIGHT, NULL, &status);
    if (!code) code = ts_device_read(d.device, 3, out_pixels, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    desk_close(&d);
}

static void by_request(const ts_camera* camera, unsigned show, unsigned char* out_pixels) {
    ts_status status;
    fixture f = desk_scene("fast-cube");
    ts_view_request request = ts_view_request_default();
    request.scene = &f.scene;
    request.sim = f.sim;
    request.width = WIDTH;
    request.height = HEIGHT;
    request.overlay = 0;
    request.camera = camera;
    request.show = show;
    request.dark = 1;
    request.time = (STEPS - 0.5) * f.sim->options.time_step;
    ts_code code = ts_viewer_render_pixels(&request, out_pixels, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    cr_assert_eq(f.sim->step_count, STEPS);
    fixture_end(&f);
}

Test(same_pixels, in_the_window_and_in_a_file) {
    static unsigned char window[3 * WIDTH * HEIGHT], file[3 * WIDTH * HEIGHT], other[3 * WIDTH * HEIGHT];
    ts_offscreen* offscreen = NULL;
    ts_status status;
    if (ts_offscreen_create(&offscreen, &status)) cr_skip_test("%s", status.message);
    ts_camera camera = ts_camera_default();
    camera.target = ts_vec3_make(0.0, 0.2, 0.1);
    camera.distance = 1.5;
    by_keys(&camera, window, offscreen);
    ts_offscreen_destroy(offscreen);
    by_request(&camera, ts_view_default_show() | TS_SHOW_CONES, file);
    by_request(&camera, ts_view_default_show(), other);
    cr_expect_neq(memcmp(file, other, sizeof file), 0, "cones are seen");
    int apart = 0;
    for (size_t i = 0; i < sizeof file; ++i) apart += window[i] != file[i];
    cr_expect_eq(apart, 0, "%d of %zu bytes differ", apart, sizeof file);
}
