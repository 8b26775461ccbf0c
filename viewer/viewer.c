// Problem: pictures from a command line, a test or a notebook, on machines without display or GPU. Rule: step exactly as
// the headless runner does, then draw once into memory. Guaranteed: the same request on the same machine gives the same
// bytes. Known to fail: different drivers round differently, so pictures of two machines may differ in last bits.
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/step.h"
#include "scenes/run.h"
#include "viewer/capture.h"
#include "viewer/offscreen.h"
#include "viewer/ui.h"
#include "viewer/view.h"
#include "viewer/window.h"

ts_view_request ts_view_request_default(void) {
    ts_view_request request;
    memset(&request, 0, sizeof request);
    request.width = 1280;
    request.height = 720;
    request.samples = 4;
    request.show = ts_view_default_show();
    request.overlay = 1;
    request.speed = 1.0;
    return request;
}

static ts_code check_request(const ts_view_request* request, ts_status* out_status) {
    if (!request->scene || !request->sim)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a view needs a scene and a simulation");
    if (request->width < 16 || request->height < 16 || request->width > 16384 || request->height > 16384)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "a picture of %d x %d pixels: both must be from 16 to 16384", request->width,
                             request->height);
    if (!isfinite(request->time) || !isfinite(request->speed))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "time and speed must be finite numbers");
    return TS_OK;
}

// What the observer of a run needs.
typedef struct run_notes {
    const ts_view_request* request;
    ts_ui* ui;
} run_notes;

static int note_step(void* user, ts_sim* sim) {
    run_notes* notes = user;
    if (sim->step_count > 0 && notes->ui) ts_ui_note_step(notes->ui, sim);
    return notes->request->stop ? notes->request->stop(notes->request->user) : 0;
}

static ts_code step_to_time(const ts_view_request* request, ts_ui* ui, ts_status* out_status) {
    ts_sim* sim = request->sim;
    double left = request->time - sim->time;
    // Derived quantities of a state that nobody stepped yet are not there.
    if (!(left > 0.0)) return sim->step_count > 0 ? TS_OK : ts_sim_forward(sim, out_status);
    run_notes notes = {request, ui};
    return ts_run_scene(request->scene, sim, left, note_step, &notes, out_status);
}

static ts_code draw_offscreen(const ts_view_request* request, ts_ui* ui, ts_device* device, unsigned char* out_rgb,
                              ts_status* out_status) {
    ts_view view;
    ts_overlay overlay;
    memset(&overlay, 0, sizeof overlay);
    ts_code code = ts_view_open(&view, request->sim, device, out_status);
    if (!code) {
        view.show = request->show;
        ts_view_frame_scene(&view, (double)request->width / (double)request->height);
        if (request->overlay) ts_view_make_room(&view, request->width, request->height);
        if (request->camera) view.camera = *request->camera;
        if (request->overlay) ts_ui_fill(ui, request->sim, request->width, request->height, &overlay);
        code = ts_view_draw(&view, request->width, request->height, request->overlay ? &overlay : NULL, out_status);
    }
    if (!code) code = ts_device_read(device, out_rgb, out_status);
    ts_overlay_free(&overlay);
    ts_view_close(&view);
    return code;
}

ts_code ts_viewer_render_pixels(const ts_view_request* request, unsigned char* out_rgb, ts_status* out_status) {
    ts_code code = check_request(request, out_status);
    if (code) return code;
    ts_ui* ui = calloc(1, sizeof *ui);
    if (!ui) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    ui->scene = request->scene->name;
    ui->legend = 1;
    // The context first: a machine that cannot draw says so before it has simulated for an hour.
    ts_offscreen* offscreen = NULL;
    ts_device* device = NULL;
    code = ts_offscreen_create(&offscreen, out_status);
    if (!code)
        code = ts_device_gl_create(ts_offscreen_loader(offscreen), request->samples, TS_DEVICE_GL_FINE, &device,
                                   out_status);
    if (!code) code = step_to_time(request, ui, out_status);
    if (!code) code = draw_offscreen(request, ui, device, out_rgb, out_status);
    ts_device_destroy(device);
    ts_offscreen_destroy(offscreen);
    free(ui);
    return code;
}

ts_code ts_viewer_render_png(const ts_view_request* request, ts_status* out_status) {
    ts_code code = check_request(request, out_status);
    if (code) return code;
    if (!request->png_path) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a picture needs a file name");
    unsigned char* rgb = malloc(3u * (size_t)request->width * (size_t)request->height);
    if (!rgb) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    code = ts_viewer_render_pixels(request, rgb, out_status);
    if (!code) code = ts_capture_write_png(request->png_path, request->width, request->height, rgb, out_status);
    free(rgb);
    return code;
}

ts_code ts_viewer_run(const ts_view_request* request, ts_status* out_status) {
    if (request->png_path) return ts_viewer_render_png(request, out_status);
    ts_code code = check_request(request, out_status);
    return code ? code : ts_window_run(request, out_status);
}
