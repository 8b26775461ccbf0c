// Claims: bodies of one colour are told apart by their outlines, and those of a companion by their shades too; a ghost is an outline on
// top of everything and changes nothing else; a clear background is see-through where nothing is; walls are outlined inside of each
// other and not drawn as endless floors; what hangs on the world stays in the picture while it swings,
// and so do the far ends of tendons that are shown.
#include "tests/viewer/viewer_fixture.h"

#include <stdlib.h>

#include "engine/read/mjcf/mjcf.h"
#include "scenes/pile_internal.h"
#include "tests/viewer/device_null.h"
#include "viewer/offscreen.h"
#include "viewer/view.h"
#include "viewer/viewer.h"

// OSMesa, where it stands in for EGL, keeps a few hundred bytes of its own until the process ends.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libOSMesa\n"; }

enum { WIDTH = 320, HEIGHT = 240 };

static void skip_without_opengl(void) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    if (ts_offscreen_create(&offscreen, &status)) cr_skip_test("%s", status.message);
    ts_offscreen_destroy(offscreen);
}

static void add_box(ts_builder* builder, ts_vec3 position) {
    fixture_body(builder, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), position, ts_vec3_zero(), 0.5);
}

// Two boxes on one another, in two different colours unless a companion gives them one.
static fixture two_boxes(void) {
    ts_builder* builder = fixture_floor(0.5);
    add_box(builder, ts_vec3_make(0.0, 0.0, 0.1));
    add_box(builder, ts_vec3_make(0.0, 0.0, 0.3));
    return fixture_start(builder);
}

static ts_camera from_the_front(void) {
    ts_camera camera = ts_camera_default();
    camera.target = ts_vec3_make(0.0, 0.0, 0.2);
    camera.distance = 1.2;
    camera.azimuth = -1.5707963267948966;
    camera.elevation = 0.0;
    return camera;
}

static ts_view_request request_for(const fixture* f, const ts_camera* camera) {
    ts_view_request request = ts_view_request_default();
    request.scene = &f->scene;
    request.sim = f->sim;
    request.width = WIDTH;
    request.height = HEIGHT;
    request.camera = camera;
    request.overlay = 0;
    request.show = TS_SHOW_GEOMS;
    return request;
}

static unsigned char* render(const ts_view_request* request) {
    unsigned char* pixels = calloc(WIDTH * HEIGHT, 4);
    ts_status status;
    cr_assert(ts_viewer_render_pixels(request, pixels, &status) == TS_OK, "%s", status.message);
    return pixels;
}

static double brightness(const unsigned char* pixels, int channels, int x, int y) {
    const unsigned char* p = pixels + (size_t)channels * (size_t)(y * WIDTH + x);
    return (p[0] + p[1] + p[2]) / 3.0;
}

static void pixel_of(const ts_camera* camera, ts_vec3 point, int out[2]) {
    double at[2];
    cr_assert(ts_camera_project(camera, WIDTH, HEIGHT, point, at));
    out[0] = (int)at[0];
    out[1] = (int)at[1];
}

Test(look, bodies_of_one_colour_have_outlines_and_shades) {
    skip_without_opengl();
    fixture f = two_boxes();
    ts_camera camera = from_the_front();
    ts_view_request request = request_for(&f, &camera);
    static const float grey[3] = {0.6f, 0.6f, 0.6f};
    request.color = grey;
    unsigned char* rgb = render(&request);
    int seam[2], upper[2], lower[2];
    pixel_of(&camera, ts_vec3_make(0.03, -0.1, 0.2), seam);
    pixel_of(&camera, ts_vec3_make(0.03, -0.1, 0.3), upper);
    pixel_of(&camera, ts_vec3_make(0.03, -0.1, 0.1), lower);
    double above = brightness(rgb, 3, upper[0], upper[1]), below = brightness(rgb, 3, lower[0], lower[1]);
    double darkest = 255.0;
    for (int y = seam[1] - 3; y <= seam[1] + 3; ++y) darkest = fmin(darkest, brightness(rgb, 3, seam[0], y));
    cr_expect(fabs(above - below) > 0.1 * fmax(above, below), "shades %g and %g", above, below);
    cr_expect(darkest < 0.75 * fmin(above, below), "a line of %g between %g and %g", darkest, above, below);
    free(rgb);
    fixture_end(&f);
}

Test(look, a_ghost_is_an_outline_and_nothing_else) {
    skip_without_opengl();
    fixture f = two_boxes();
    ts_sim* second = NULL;
    cr_assert(ts_sim_create(f.scene.model, 1, &second, NULL) == TS_OK);
    ts_camera camera = from_the_front();
    ts_view_request request = request_for(&f, &camera);
    request.background = TS_BACKGROUND_CLEAR;
    unsigned char* plain = render(&request);
    // As large as the boxes are, half hidden behind them and half beside them.
    ts_view_companion ghost = {second, {0.1, 0.05, 0.0}, {0.0f, 0.0f, 0.0f}, 1, NULL, NULL};
    request.companion = &ghost;
    request.companion_count = 1;
    unsigned char* both = render(&request);
    int changed = 0;
    double most = 0.0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) changed += memcmp(plain + 4 * i, both + 4 * i, 4) != 0;
    int edge[2], inside[2];
    pixel_of(&camera, ts_vec3_make(0.0, -0.05, 0.1), edge);
    pixel_of(&camera, ts_vec3_make(0.15, -0.05, 0.1), inside);
    for (int x = edge[0] - 3; x <= edge[0] + 3; ++x) {
        double difference = brightness(both, 4, x, edge[1]) - brightness(plain, 4, x, edge[1]);
        most = fmax(most, fabs(difference));
    }
    // Outlines of two squares, some 55 pixels wide: far less than their faces.
    cr_expect(changed > 150 && changed < 3000, "%d pixels changed", changed);
    cr_expect(most > 60.0, "its edge over a body differs by %g", most);
    cr_expect_eq(both[4 * (inside[1] * WIDTH + inside[0]) + 3], plain[4 * (inside[1] * WIDTH + inside[0]) + 3],
                 "its inside stays clear");
    free(plain);
    free(both);
    ts_sim_free(second);
    fixture_end(&f);
}

Test(look, a_clear_background_is_see_through) {
    skip_without_opengl();
    fixture f = two_boxes();
    ts_camera camera = from_the_front();
    camera.elevation = 0.4;
    ts_view_request request = request_for(&f, &camera);
    request.show = TS_SHOW_GEOMS;
    request.background = TS_BACKGROUND_CLEAR;
    unsigned char* clear = render(&request);
    request.background = TS_BACKGROUND_WHITE;
    unsigned char* white = render(&request);
    int body[2], shadow[2];
    pixel_of(&camera, ts_vec3_make(0.03, -0.1, 0.15), body);
    // The sun stands at (-0.30, -0.52, 0.95): shadows fall to the right and back.
    pixel_of(&camera, ts_vec3_make(0.16, 0.12, 0.0), shadow);
    const unsigned char *at_body = clear + 4 * (body[1] * WIDTH + body[0]),
                        *corner = clear + 4 * (WIDTH * HEIGHT - WIDTH);
    const unsigned char* at_shadow = clear + 4 * (shadow[1] * WIDTH + shadow[0]);
    cr_expect_eq(at_body[3], 255);
    cr_expect_eq(corner[3], 0);
    cr_expect(at_shadow[3] > 30 && at_shadow[3] < 160, "alpha %d in the shadow", at_shadow[3]);
    // On a white page the one looks like the other.
    int worst = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
        for (int c = 0; c < 3; ++c) {
            int alpha = clear[4 * i + 3], shown = (clear[4 * i + c] * alpha + 255 * (255 - alpha)) / 255;
            int difference = abs(shown - (int)white[3 * i + c]);
            worst = difference > worst ? difference : worst;
        }
    cr_expect(worst <= 6, "they differ by %d of 255", worst);
    free(clear);
    free(white);
    fixture_end(&f);
}

// The container of the pile: four walls, each an outline that touches the floor and its neighbours.
Test(look, walls_are_outlines_inside_of_each_other) {
    fixture f;
    memset(&f, 0, sizeof f);
    ts_status status;
    cr_assert(ts_pile_build(TS_PILE_MIXED, 120, 1, &f.scene.model, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(f.scene.model, 1, &f.sim, &status) == TS_OK);
    cr_assert(ts_sim_forward(f.sim, &status) == TS_OK);
    ts_device* device = ts_device_null_create();
    ts_view view;
    cr_assert(ts_view_open(&view, f.sim, device, &status) == TS_OK);
    view.show = TS_SHOW_GEOMS;
    cr_assert(ts_view_draw(&view, 640, 480, NULL, &status) == TS_OK, "%s", status.message);
    cr_assert_eq(view.list.lines.count, 16, "%d lines", view.list.lines.count);
    int floors = 0, faces = 0;
    for (int i = 0; i < view.list.items.count; ++i) {
        floors += view.list.items.data[i].pass == TS_DRAW_PASS_FLOOR;
        faces += view.list.items.data[i].pass == TS_DRAW_PASS_GLASS;
    }
    cr_expect_eq(floors, 1);
    cr_expect_eq(faces, 2, "from the front right the left and the back wall are seen from inside, not %d", faces);
    for (int i = 0; i < view.list.lines.count; ++i)
        for (int end = 0; end < 2; ++end) {
            const ts_draw_line* line = &view.list.lines.data[i];
            const float* p = end ? line->to : line->from;
            ts_vec3 at = ts_vec3_add(view.list.origin, ts_vec3_make((double)p[0], (double)p[1], (double)p[2]));
            cr_expect(fabs(fabs(at.x) - 1.5) < 1e-5 && fabs(fabs(at.y) - 1.5) < 1e-5 && at.z > -1e-5,
                      "corners of the container, not %g, %g, %g", at.x, at.y, at.z);
            double pixel[2];
            cr_assert(ts_camera_project(&view.camera, 640, 360, at, pixel));
            cr_expect(pixel[0] > 0.0 && pixel[0] < 640.0 && pixel[1] > 0.0 && pixel[1] < 360.0, "in the picture");
        }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

Test(look, a_pendulum_stays_in_the_picture) {
    fixture f;
    ts_status status;
    memset(&f, 0, sizeof f);
    cr_assert(ts_scene_load("double-pendulum", NULL, &f.scene, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(f.scene.model, 1, &f.sim, &status) == TS_OK);
    cr_assert(ts_sim_forward(f.sim, &status) == TS_OK);
    ts_device* device = ts_device_null_create();
    ts_view view;
    cr_assert(ts_view_open(&view, f.sim, device, &status) == TS_OK);
    unsigned long long before = ts_sim_hash(f.sim);
    ts_view_frame_scene(&view, 640, 360, 1);
    cr_expect_eq(ts_sim_hash(f.sim), before, "looking ahead leaves the simulation alone");
    int tip = ts_model_find_body(f.scene.model, "lower");
    for (int step = 0; step < 12000; ++step) {
        fixture_run(&f, 1);
        double pixel[2];
        ts_vec3 end = ts_transform_point(&f.sim->kinematics.body_pose[tip], ts_vec3_make(0.4, 0.0, 0.0));
        cr_assert(ts_camera_project(&view.camera, 640, 360, end, pixel));
        cr_assert(pixel[0] > 0.0 && pixel[0] < 640.0 && pixel[1] > 0.0 && pixel[1] < 360.0, "at %g s: %g, %g",
                  f.sim->time, pixel[0], pixel[1]);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    fixture_end(&f);
}

// A ball on a long string, whose upper end is at no shape.
Test(look, the_ends_of_tendons_are_in_the_picture_where_tendons_are_shown) {
    static const char text[] =
        "<mujoco><worldbody><site name='top' pos='1 0 6'/><body><freejoint/><geom size='.1'/><site name='end'/></body>"
        "</worldbody><tendon><spatial><site site='top'/><site site='end'/></spatial></tendon></mujoco>";
    const ts_vec3 top = ts_vec3_make(1.0, 0.0, 6.0);
    ts_model* model = NULL;
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert(ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &model, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(model, 1, &sim, &status) == TS_OK && ts_sim_forward(sim, &status) == TS_OK);
    ts_device* device = ts_device_null_create();
    ts_view view;
    cr_assert(ts_view_open(&view, sim, device, &status) == TS_OK);
    for (int shown = 0; shown < 2; ++shown) {
        double at[2] = {-1.0, -1.0};
        view.show = TS_SHOW_GEOMS | (shown ? TS_SHOW_TENDONS : 0);
        ts_view_aim(&view, NULL, WIDTH, HEIGHT, 0);
        int ahead = ts_camera_project(&view.camera, WIDTH, HEIGHT, top, at);
        int inside = ahead && at[0] > 0.0 && at[0] < WIDTH && at[1] > 0.0 && at[1] < HEIGHT;
        cr_expect_eq(inside, shown, "%g %g", at[0], at[1]);
    }
    ts_view_close(&view);
    ts_device_destroy(device);
    ts_sim_free(sim);
    ts_model_free(model);
}
