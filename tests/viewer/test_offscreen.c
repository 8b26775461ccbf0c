// Claims: a picture needs no display; it is a PNG that libpng reads back to the pixels drawn; a body appears where the
// camera's projection says; the same request gives the same picture; bad requests and bad paths are refused.
#include "tests/viewer/viewer_fixture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/scalar.h"
#include "viewer/capture.h"
#include "viewer/offscreen.h"
#include "viewer/view.h"
#include "viewer/viewer.h"

// OSMesa, where it stands in for EGL, keeps a few hundred bytes of its own until the process ends.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libOSMesa\n"; }

static void skip_without_opengl(void) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    if (ts_offscreen_create(&offscreen, &status)) cr_skip_test("%s", status.message);
    ts_offscreen_destroy(offscreen);
}

// A red ball of 0.5 m above a floor.
static fixture red_ball(void) {
    ts_builder* builder = fixture_floor(0.5);
    ts_body_def body = ts_body_def_default();
    body.pose.position = ts_vec3_make(0.0, 0.0, 1.0);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.type = TS_JOINT_FREE;
    ts_builder_add_joint(builder, &joint);
    ts_geom_def geom = ts_geom_def_default();
    geom.body = joint.body;
    geom.shape = ts_shape_sphere(0.5);
    geom.rgba[0] = 0.9f;
    geom.rgba[1] = geom.rgba[2] = 0.1f;
    ts_builder_add_geom(builder, &geom);
    return fixture_start(builder);
}

static ts_camera look(void) {
    ts_camera camera = ts_camera_default();
    camera.target = ts_vec3_make(0.5, 0.5, 0.8);
    camera.distance = 6.0;
    return camera;
}

static ts_view_request request_for(const fixture* f, const ts_camera* camera) {
    ts_view_request request = ts_view_request_default();
    request.scene = &f->scene;
    request.sim = f->sim;
    request.width = 320;
    request.height = 200;
    request.camera = camera;
    request.overlay = 0;
    return request;
}

static unsigned char* render(const ts_view_request* request) {
    unsigned char* rgb = malloc(3u * (size_t)request->width * (size_t)request->height);
    ts_status status;
    cr_assert(ts_viewer_render_pixels(request, rgb, &status) == TS_OK, "%s", status.message);
    return rgb;
}

static const unsigned char* pixel_of(const unsigned char* rgb, const ts_view_request* r, ts_vec3 point) {
    double at[2];
    cr_assert(ts_camera_project(r->camera, r->width, r->height, point, at));
    cr_assert(at[0] > 0.0 && at[0] < r->width && at[1] > 0.0 && at[1] < r->height);
    return rgb + 3 * ((int)at[1] * r->width + (int)at[0]);
}

static int is_red(const unsigned char* p) { return p[0] > 2 * p[1] && p[0] > 2 * p[2]; }

Test(offscreen, the_ball_is_where_the_projection_says) {
    skip_without_opengl();
    fixture f = red_ball();
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    unsigned char* rgb = render(&request);
    ts_mat3 axes = ts_camera_axes(&camera);
    ts_vec3 centre = ts_vec3_make(0.0, 0.0, 1.0);
    cr_assert(is_red(pixel_of(rgb, &request, centre)));
    for (int k = 0; k < 8; ++k) {
        double c = cos(0.785398 * k), s = sin(0.785398 * k);
        ts_vec3 side =
            ts_vec3_add(ts_vec3_scale(c, ts_mat3_column(&axes, 0)), ts_vec3_scale(s, ts_mat3_column(&axes, 1)));
        cr_assert(is_red(pixel_of(rgb, &request, ts_vec3_add_scaled(centre, 0.45, side))), "inside, direction %d", k);
        cr_assert(!is_red(pixel_of(rgb, &request, ts_vec3_add_scaled(centre, 0.56, side))), "outside, direction %d", k);
    }
    free(rgb);
    fixture_end(&f);
}

static int brightness(const unsigned char* p) { return p[0] + p[1] + p[2]; }

Test(offscreen, the_ball_casts_a_shadow_away_from_the_sun) {
    skip_without_opengl();
    fixture f = red_ball();
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    request.show = TS_SHOW_GEOMS;
    unsigned char* rgb = render(&request);
    // The sun stands at (-0.30, -0.52, 0.95): the centre's shadow lies 1 m / 0.95 further along (0.30, 0.52).
    const unsigned char* dark = pixel_of(rgb, &request, ts_vec3_make(0.30 / 0.95, 0.52 / 0.95, 0.0));
    const unsigned char* light = pixel_of(rgb, &request, ts_vec3_make(1.6, 0.4, 0.0));
    cr_assert(brightness(dark) < brightness(light) - 60, "%d in the shadow, %d beside it", brightness(dark),
              brightness(light));
    free(rgb);
    fixture_end(&f);
}

// m: how far the edge of a ball's shadow takes from a quarter to three quarters of the light, `height` m above the floor.
static double edge_of_shadow(double height) {
    fixture f = red_ball();
    f.sim->qpos[2] = height;
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    ts_vec3 sun = ts_vec3_unit_or(ts_vec3_make(-0.30, -0.52, 0.95), ts_vec3_axis(2));
    ts_vec3 middle = ts_vec3_make(-height * sun.x / sun.z, -height * sun.y / sun.z, 0.0);
    // From above, beside the ball: along x, from the middle of the shadow outwards.
    camera.elevation = 89.0 * TS_PI / 180.0;
    camera.target = middle;
    request.show = TS_SHOW_GEOMS;
    request.width = 640;
    request.height = 400;
    unsigned char* rgb = render(&request);
    enum { PLACES = 400 };
    int most = brightness(pixel_of(rgb, &request, ts_vec3_add(middle, ts_vec3_make(1.2, 0.0, 0.0))));
    int least = brightness(pixel_of(rgb, &request, ts_vec3_add(middle, ts_vec3_make(0.25, 0.0, 0.0))));
    cr_assert(most > least + 60, "%d and %d", most, least);
    double from = 0.0, to = 0.0;
    for (int i = 0; i < PLACES; ++i) {
        double x = 0.25 + 0.95 * i / PLACES;
        int here = brightness(pixel_of(rgb, &request, ts_vec3_add(middle, ts_vec3_make(x, 0.0, 0.0))));
        double share = (double)(here - least) / (double)(most - least);
        if (share < 0.25) from = x;
        if (share < 0.75) to = x;
    }
    free(rgb);
    fixture_end(&f);
    return to - from;
}

Test(offscreen, a_shadow_is_soft_where_what_casts_it_is_far) {
    skip_without_opengl();
    double standing = edge_of_shadow(0.6), hanging = edge_of_shadow(3.0);
    cr_assert(hanging > 1.7 * standing, "%g m under a standing ball, %g m under a hanging one", standing, hanging);
}

Test(offscreen, the_same_request_gives_the_same_picture) {
    skip_without_opengl();
    fixture f = red_ball(), g = red_ball();
    ts_camera camera = look();
    ts_view_request first = request_for(&f, &camera), second = request_for(&g, &camera);
    first.time = second.time = 0.4;
    first.overlay = second.overlay = 1;
    unsigned char* a = render(&first);
    unsigned char* b = render(&second);
    cr_assert(fabs(f.sim->time - 0.4) < 1e-9, "t = %g", f.sim->time);
    cr_assert(memcmp(a, b, 3u * 320u * 200u) == 0);
    // Once more from the state reached: nothing is stepped again.
    unsigned char* c = render(&first);
    cr_assert(fabs(f.sim->time - 0.4) < 1e-9);
    free(a);
    free(b);
    free(c);
    fixture_end(&f);
    fixture_end(&g);
}

// Ink of a text in pixels, white on black, and how many pixels are neither black nor white.
static double ink_of(const char* text, double capital, int* out_between) {
    enum { WIDTH = 600, HEIGHT = 100 };
    static const float black[4] = {0.0f, 0.0f, 0.0f, 1.0f}, white[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    static unsigned char rgb[3 * WIDTH * HEIGHT];
    ts_offscreen* offscreen = NULL;
    ts_device* device = NULL;
    ts_status status;
    cr_assert(ts_offscreen_create(&offscreen, &status) == TS_OK);
    cr_assert(ts_device_gl_create(ts_offscreen_loader(offscreen), 1, TS_DEVICE_GL_FINE, &device, &status) == TS_OK);
    ts_draw_list list = {0};
    ts_overlay overlay = {0};
    ts_camera camera = ts_camera_default();
    cr_assert(ts_draw_list_batch(&list, ts_camera_eye(&camera)));
    ts_overlay_begin(&overlay, HEIGHT);
    ts_overlay_set_size(&overlay, capital);
    ts_overlay_add_rectangle(&overlay, 0.0, 0.0, WIDTH, HEIGHT, black);
    ts_overlay_add_text(&overlay, 20.0, 20.0, text, white);
    ts_device_frame frame = ts_view_frame(&camera, &list, WIDTH, HEIGHT);
    frame.shadow_radius = frame.fade = 1.0f;
    frame.overlay = &overlay;
    cr_assert(ts_device_draw(device, &frame, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_device_read(device, 3, rgb, &status) == TS_OK, "%s", status.message);
    double ink = 0.0;
    *out_between = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        ink += rgb[3 * i] / 255.0;
        *out_between += rgb[3 * i] > 0 && rgb[3 * i] < 255;
    }
    ts_overlay_free(&overlay);
    ts_device_destroy(device);
    ts_offscreen_destroy(offscreen);
    return ink;
}

// A vertical bar is a stroke of 9.6 units with round ends, one unit thick; its edges are smooth at any size.
Test(offscreen, letters_have_the_ink_of_their_strokes) {
    skip_without_opengl();
    for (double capital = 14.0; capital <= 42.0; capital += 14.0) {
        double unit = capital / 7.0;
        int between, curved;
        double ink = ink_of("|||", capital, &between) / 3.0;
        double expected = (9.6 + 0.25 * 3.14159265358979) * unit * unit;
        cr_expect(fabs(ink - expected) < 0.04 * expected, "%g: %g, not %g", capital, ink, expected);
        (void)ink_of("OOO", capital, &curved);
        cr_expect(curved > 3 * 20 * unit, "%g: %d pixels on the edges of round letters", capital, curved);
    }
}

// Reads a PNG into rows of RGB.
static unsigned char* read_png(const char* path, int* out_width, int* out_height) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    cr_assert(png_image_begin_read_from_file(&image, path), "%s", image.message);
    image.format = PNG_FORMAT_RGB;
    unsigned char* rgb = malloc(PNG_IMAGE_SIZE(image));
    cr_assert(png_image_finish_read(&image, NULL, rgb, 0, NULL), "%s", image.message);
    *out_width = (int)image.width;
    *out_height = (int)image.height;
    return rgb;
}

Test(offscreen, a_png_holds_the_pixels_drawn) {
    skip_without_opengl();
    char folder[] = "/tmp/ts_viewer_XXXXXX";
    cr_assert(mkdtemp(folder) != NULL);
    char path[128];
    snprintf(path, sizeof path, "%s/ball.png", folder);
    fixture f = red_ball();
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    unsigned char* expected = render(&request);
    request.png_path = path;
    ts_status status;
    cr_assert(ts_viewer_run(&request, &status) == TS_OK, "%s", status.message);
    int width, height;
    unsigned char* read = read_png(path, &width, &height);
    cr_assert(width == 320 && height == 200);
    cr_assert(memcmp(read, expected, 3u * 320u * 200u) == 0);
    free(read);
    free(expected);
    unlink(path);
    // Nothing temporary stays behind, or the folder could not be removed.
    cr_assert(rmdir(folder) == 0);
    fixture_end(&f);
}

Test(offscreen, png_of_any_pixels_round_trips) {
    char path[] = "/tmp/ts_capture_XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0);
    close(descriptor);
    unsigned char rgb[3 * 7 * 5];
    for (size_t i = 0; i < sizeof rgb; ++i) rgb[i] = (unsigned char)(i * 37u);
    ts_status status;
    ts_capture_pixels pixels = {7, 5, 3, rgb};
    cr_assert(ts_capture_write_png(path, pixels, &status) == TS_OK, "%s", status.message);
    int width, height;
    unsigned char* read = read_png(path, &width, &height);
    cr_assert(width == 7 && height == 5 && memcmp(read, rgb, sizeof rgb) == 0);
    free(read);
    unlink(path);
    cr_assert(ts_capture_write_png("/nonexistent/x.png", pixels, &status) == TS_ERROR_FILE);
    cr_assert(strstr(status.file, "/nonexistent/x.png") != NULL && status.message[0]);
}

Test(offscreen, a_companion_appears_at_its_offset) {
    skip_without_opengl();
    fixture f = red_ball();
    ts_sim* second = NULL;
    ts_status status;
    cr_assert(ts_sim_create(f.scene.model, 1, &second, &status) == TS_OK, "%s", status.message);
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    ts_view_companion companion = {second, {1.2, 0.0, 0.0}, {0.1f, 0.1f, 0.9f}, 0, NULL, NULL};
    request.companion = &companion;
    request.companion_count = 1;
    request.trail = 1;
    request.show = TS_SHOW_GEOMS;
    request.time = 0.1;
    unsigned char* rgb = render(&request);
    cr_assert(fabs(second->time - 0.1) < 1e-9);
    // Both fell g t^2 / 2 = 5 cm.
    cr_assert(is_red(pixel_of(rgb, &request, ts_vec3_make(0.1, 0.0, 0.9))));
    const unsigned char* blue = pixel_of(rgb, &request, ts_vec3_make(1.3, 0.0, 0.9));
    cr_assert(blue[2] > 2 * blue[0] && blue[2] > 2 * blue[1]);
    free(rgb);
    request.companion_count = 99;
    unsigned char pixel[3];
    cr_assert(ts_viewer_render_pixels(&request, pixel, &status) == TS_ERROR_VALUE);
    fixture g = red_ball();
    companion.sim = g.sim;
    request.companion_count = 1;
    cr_assert(ts_viewer_render_pixels(&request, pixel, &status) == TS_ERROR_VALUE, "another model");
    ts_sim_free(second);
    fixture_end(&f);
    fixture_end(&g);
}

Test(offscreen, a_direction_alone_frames_the_scene) {
    skip_without_opengl();
    fixture f = red_ball();
    ts_camera camera = ts_camera_default();
    camera.azimuth = 2.0;
    camera.distance = 0.0;
    ts_view_request request = request_for(&f, &camera);
    unsigned char* rgb = render(&request);
    const unsigned char* middle = rgb + 3 * (100 * 320 + 160);
    cr_assert(is_red(middle));
    free(rgb);
    fixture_end(&f);
}

Test(offscreen, bad_requests_are_refused) {
    fixture f = red_ball();
    ts_camera camera = look();
    ts_status status;
    unsigned char pixel[3];
    ts_view_request request = request_for(&f, &camera);
    request.width = 0;
    cr_assert(ts_viewer_render_pixels(&request, pixel, &status) == TS_ERROR_VALUE);
    request = request_for(&f, &camera);
    request.height = 100000;
    cr_assert(ts_viewer_render_pixels(&request, pixel, &status) == TS_ERROR_VALUE);
    request = request_for(&f, &camera);
    request.time = (double)NAN;
    cr_assert(ts_viewer_render_pixels(&request, pixel, &status) == TS_ERROR_VALUE);
    request = request_for(&f, &camera);
    cr_assert(ts_viewer_render_png(&request, &status) == TS_ERROR_VALUE, "no file name");
    request.sim = NULL;
    cr_assert(ts_viewer_render_pixels(&request, pixel, &status) == TS_ERROR_VALUE);
    fixture_end(&f);
}

Test(offscreen, a_window_without_a_display_names_the_way_out) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    fixture f = red_ball();
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    ts_status status;
    cr_assert(ts_viewer_run(&request, &status) == TS_ERROR_UNSUPPORTED);
    cr_assert(strstr(status.message, "--png") != NULL, "%s", status.message);
    fixture_end(&f);
}

static int stop_at_once(void* user) {
    ++*(int*)user;
    return 1;
}

Test(offscreen, a_long_run_can_be_stopped) {
    skip_without_opengl();
    fixture f = red_ball();
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    int asked = 0;
    request.time = 1e6;
    request.stop = stop_at_once;
    request.user = &asked;
    unsigned char* rgb = malloc(3u * 320u * 200u);
    ts_status status;
    cr_assert(ts_viewer_render_pixels(&request, rgb, &status) == TS_ERROR_INTERRUPTED);
    cr_assert(asked == 1);
    free(rgb);
    fixture_end(&f);
}

enum { FILM_MOST = 8, FILM_BYTES = 3 * 320 * 200 };

typedef struct film_notes {
    int frames;
    unsigned char* frame[FILM_MOST];
} film_notes;

static ts_code keep_frame(void* user, int frame, const unsigned char* pixels, ts_status* status) {
    film_notes* notes = user;
    (void)status;
    cr_assert(frame == notes->frames && frame < FILM_MOST);
    notes->frame[frame] = malloc(FILM_BYTES);
    memcpy(notes->frame[frame], pixels, FILM_BYTES);
    return ++notes->frames == FILM_MOST ? TS_ERROR_VALUE : TS_OK;
}

static void forget_frames(film_notes* notes) {
    for (int k = 0; k < notes->frames; ++k) free(notes->frame[k]);
    notes->frames = 0;
}

// A film looks ahead and comes back: its pictures are the stills of those moments, taken of a simulation that never looked ahead. It
// ends when its taker says so.
Test(offscreen, a_film_is_made_of_stills) {
    skip_without_opengl();
    fixture f = red_ball(), g = red_ball();
    ts_camera camera = look();
    ts_view_request request = request_for(&f, &camera);
    film_notes notes = {0};
    ts_status status;
    request.time = 0.3;
    cr_assert(ts_viewer_film(&request, 7, keep_frame, &notes, &status) == TS_OK, "%s", status.message);
    cr_expect_eq(notes.frames, 7);
    request.sim = g.sim;
    for (int k = 0; k < notes.frames; ++k) {
        request.time = 0.05 * k;
        unsigned char* rgb = render(&request);
        cr_expect_eq(memcmp(rgb, notes.frame[k], FILM_BYTES), 0, "picture %d", k);
        cr_expect(k == 0 || memcmp(notes.frame[k - 1], notes.frame[k], FILM_BYTES) != 0);
        free(rgb);
    }
    forget_frames(&notes);
    request.time = 0.8;
    cr_expect_eq(ts_viewer_film(&request, 11, keep_frame, &notes, &status), TS_ERROR_VALUE);
    cr_expect_eq(notes.frames, FILM_MOST);
    forget_frames(&notes);
    cr_expect_eq(ts_viewer_film(&request, 1, keep_frame, &notes, &status), TS_ERROR_VALUE);
    cr_expect_eq(notes.frames, 0);
    fixture_end(&f);
    fixture_end(&g);
}
