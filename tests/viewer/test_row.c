// Claims: simulations in a row stand side by side in the order asked for, equally far apart, none behind another, all
// inside the picture, whatever they do meanwhile.
#include "tests/viewer/viewer_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "viewer/offscreen.h"
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

enum { WIDTH = 480, HEIGHT = 240 };

// The columns in which a primary colour (0 red, 1 green, 2 blue) dominates.
typedef struct columns {
    int first;
    int last;
    int pixels;
} columns;

static columns find_color(const unsigned char* rgb, int which) {
    columns found = {WIDTH, -1, 0};
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const unsigned char* p = rgb + 3 * i;
        if (p[which] < 60 || p[which] < 2 * p[(which + 1) % 3] || p[which] < 2 * p[(which + 2) % 3]) continue;
        int x = i % WIDTH;
        if (x < found.first) found.first = x;
        if (x > found.last) found.last = x;
        found.pixels++;
    }
    return found;
}

// A red ball that moves to the side at `speed`, and two companions of it, seen from behind.
static void check_row(double speed, int place, const int order[3]) {
    ts_builder* builder = fixture_floor(0.0);
    ts_body_def body = ts_body_def_default();
    body.pose.position = ts_vec3_make(0.0, 0.0, 0.5);
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
    fixture f = fixture_start(builder);
    f.scene.focus = joint.body;

    ts_status status;
    ts_view_companion companion[2] = {{NULL, {0.0, 0.0, 0.0}, {0.1f, 0.9f, 0.1f}, 0, NULL, NULL},
                                      {NULL, {0.0, 0.0, 0.0}, {0.1f, 0.1f, 0.9f}, 0, NULL, NULL}};
    f.sim->qvel[0] = speed;
    for (int i = 0; i < 2; ++i) {
        cr_assert(ts_sim_create(f.scene.model, 1, &companion[i].sim, &status) == TS_OK, "%s", status.message);
        companion[i].sim->qvel[0] = -speed * (double)i;
    }
    ts_camera camera = ts_camera_default();
    camera.azimuth = -0.5 * acos(-1.0);
    camera.distance = 0.0;
    ts_view_request request = ts_view_request_default();
    request.scene = &f.scene;
    request.sim = f.sim;
    request.width = WIDTH;
    request.height = HEIGHT;
    request.camera = &camera;
    request.overlay = 0;
    request.show = TS_SHOW_GEOMS;
    request.companion = companion;
    request.companion_count = 2;
    request.row = ts_vec3_make(3.0, 0.0, 0.0);
    request.row_place = place;
    request.trail = 1;
    request.time = 0.3;
    unsigned char* rgb = malloc(3u * WIDTH * HEIGHT);
    cr_assert(rgb != NULL);
    cr_assert(ts_viewer_render_pixels(&request, rgb, &status) == TS_OK, "%s", status.message);
    int end = 0;
    for (int k = 0; k < 3; ++k) {
        columns c = find_color(rgb, order[k]);
        cr_expect_gt(c.pixels, 200, "colour %d", order[k]);
        cr_expect_gt(c.first, end, "colour %d is in place %d", order[k], k);
        end = c.last;
    }
    cr_expect_lt(end, WIDTH - 1);
    free(rgb);
    for (int i = 0; i < 2; ++i) ts_sim_free(companion[i].sim);
    fixture_end(&f);
}

Test(row, stands_in_the_order_asked_for) {
    skip_without_opengl();
    static const int first[] = {0, 1, 2}, middle[] = {1, 0, 2}, last[] = {1, 2, 0};
    check_row(0.0, 0, first);
    check_row(0.0, 1, middle);
    check_row(0.0, 2, last);
}

Test(row, leaves_room_for_what_moves_towards_its_neighbour) {
    skip_without_opengl();
    static const int middle[] = {1, 0, 2};
    check_row(8.0, 1, middle);
    check_row(-8.0, 1, middle);
}

Test(row, places_outside_of_it_are_refused) {
    fixture f = fixture_start(fixture_floor(0.5));
    ts_view_request request = ts_view_request_default();
    unsigned char pixel[3];
    ts_status status;
    request.scene = &f.scene;
    request.sim = f.sim;
    request.row_place = 1;
    cr_expect_eq(ts_viewer_render_pixels(&request, pixel, &status), TS_ERROR_VALUE);
    request.row_place = 0;
    request.row.x = (double)NAN;
    cr_expect_eq(ts_viewer_render_pixels(&request, pixel, &status), TS_ERROR_VALUE);
    fixture_end(&f);
}
