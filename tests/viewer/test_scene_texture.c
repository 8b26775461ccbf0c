// Claims: textures go to the device once and are worn by whom the model says, in one draw call for all that share a mesh and a texture; a checked
// floor has its colours where MuJoCo's formula puts them in the world, wherever the camera is; a box has the picture upright on its faces, a ball
// around it, a cube's faces on theirs; the sky is behind everything; without textures there are colours alone.
#include "tests/viewer/viewer_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/read/mjcf/mjcf.h"
#include "tests/viewer/device_null.h"
#include "viewer/offscreen.h"
#include "viewer/view.h"
#include "viewer/viewer.h"

// OSMesa, where it stands in for EGL, keeps a few hundred bytes of its own until the process ends.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libOSMesa\n"; }

enum { SIZE = 240 };

// Red where a picture's upper left quarter is, and opposite; else blue. The cube is green, its lower face red; the sky is green below.
static const char head[] =
    "<mujoco><asset><texture name='check' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 0 1' width='64' "
    "height='64'/>"
    "<texture name='cube' builtin='flat' rgb1='0 1 0' rgb2='1 0 0' width='8'/>"
    "<texture type='skybox' builtin='flat' rgb1='1 0 1' rgb2='0 1 0' width='8'/>"
    "<texture name='unworn' builtin='flat' width='8'/>"
    "<material name='floor' texture='check' texrepeat='2 2' texuniform='true'/><material name='stretched' "
    "texture='check'/>"
    "<material name='check' texture='check'/><material name='cube' texture='cube'/></asset><worldbody>";

static fixture start(const char* bodies) {
    ts_text text = {0};
    ts_status status;
    fixture f;
    memset(&f, 0, sizeof f);
    ts_text_add(&text, "%s%s</worldbody></mujoco>", head, bodies);
    ts_code code = ts_mjcf_parse(ts_text_get(&text), text.length, "t.xml", NULL, NULL, &f.scene.model, &status);
    ts_text_free(&text);
    cr_assert(code == TS_OK, "%d: %s", status.line, status.message);
    memcpy(f.scene.name, "test", 5);
    f.scene.focus = -1;
    cr_assert(ts_sim_create(f.scene.model, 1, &f.sim, &status) == TS_OK);
    cr_assert(ts_sim_forward(f.sim, &status) == TS_OK);
    return f;
}

static void stop(fixture* f) {
    ts_sim_free(f->sim);
    ts_model_free(f->scene.model);
}

static const ts_draw_item* item_of(const ts_view* view, int geom) {
    for (int i = 0; i < view->list.items.count; ++i)
        if (view->list.items.data[i].source == geom) return &view->list.items.data[i];
    return NULL;
}

// `count` boxes with a texture, as many without, on a floor with one.
static int draw_calls(int count, int untextured) {
    ts_text bodies = {0};
    ts_status status;
    ts_text_add(&bodies, "<geom type='plane' size='0 0 1' material='floor'/>");
    for (int i = 0; i < 2 * count; ++i)
        ts_text_add(&bodies, "<body pos='%d 0 1'><freejoint/><geom type='box' size='.1 .1 .1'%s/></body>", i,
                    i % 2 ? " material='check'" : "");
    fixture f = start(ts_text_get(&bodies));
    ts_text_free(&bodies);
    ts_device* device = ts_device_null_create();
    ts_view view;
    cr_assert(ts_view_open(&view, f.sim, device, &status) == TS_OK, "%s", status.message);
    view.show = TS_SHOW_GEOMS | TS_SHOW_GRID;
    view.untextured = untextured;
    cr_assert(ts_view_draw(&view, 64, 64, NULL, &status) == TS_OK, "%s", status.message);
    const ts_device_null* null = (const ts_device_null*)device;
    cr_expect(null->texture_faces[0] == 1 && null->texture_faces[1] == 6 && null->texture_faces[2] == 6);
    cr_expect(null->texture_faces[3] == 0, "nobody wears it");
    cr_expect(null->last.sky == (untextured ? 0 : 3));
    const ts_draw_item *floor = item_of(&view, 0), *plain = item_of(&view, 1), *checked = item_of(&view, 2);
    cr_expect(plain->surface.mapping == TS_DRAW_NO_TEXTURE);
    cr_expect(checked->surface.mapping == (untextured ? TS_DRAW_NO_TEXTURE : TS_DRAW_MAP_BOX));
    cr_expect(floor->surface.mapping == (untextured ? TS_DRAW_NO_TEXTURE : TS_DRAW_MAP_FLAT));
    cr_expect((floor->flags & TS_DRAW_NO_GRID) == (untextured ? 0u : (unsigned)TS_DRAW_NO_GRID));
    int calls = null->draw_calls;
    ts_view_close(&view);
    ts_device_destroy(device);
    stop(&f);
    return calls;
}

Test(scene_texture, one_draw_call_for_all_that_share_a_mesh_and_a_texture) {
    cr_expect(draw_calls(1, 0) == 3 && draw_calls(30, 0) == 3);
    cr_expect(draw_calls(30, 1) == 2);
}

// --- pixels ----------------------------------------------------------------------------------------------------------

static void skip_without_opengl(void) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    if (ts_offscreen_create(&offscreen, &status)) cr_skip_test("%s", status.message);
    ts_offscreen_destroy(offscreen);
}

// Degrees and m.
static ts_camera look(double azimuth, double elevation, double distance, ts_vec3 target) {
    ts_camera camera = ts_camera_default();
    camera.azimuth = azimuth * 0.017453292519943295;
    camera.elevation = elevation * 0.017453292519943295;
    camera.distance = distance;
    camera.target = target;
    return camera;
}

static unsigned char* render(const fixture* f, const ts_camera* camera, int untextured) {
    ts_view_request request = ts_view_request_default();
    ts_status status;
    request.scene = &f->scene;
    request.sim = f->sim;
    request.width = request.height = SIZE;
    request.camera = camera;
    request.overlay = 0;
    request.show = TS_SHOW_GEOMS;
    request.untextured = untextured;
    unsigned char* pixels = malloc(3u * SIZE * SIZE);
    cr_assert(pixels && ts_viewer_render_pixels(&request, pixels, &status) == TS_OK, "%s", status.message);
    return pixels;
}

// Which of the three colours is strongest there: 'r', 'g', 'b'; '-' where none is by far.
static char colour_at(const unsigned char* pixels, const ts_camera* camera, ts_vec3 point) {
    double at[2];
    cr_assert(ts_camera_project(camera, SIZE, SIZE, point, at));
    cr_assert(at[0] >= 0.0 && at[0] < SIZE && at[1] >= 0.0 && at[1] < SIZE, "%g %g", at[0], at[1]);
    const unsigned char* p = pixels + 3 * ((int)at[1] * SIZE + (int)at[0]);
    for (int c = 0; c < 3; ++c)
        if (p[c] > p[(c + 1) % 3] + 60 && p[c] > p[(c + 2) % 3] + 60) return "rgb"[c];
    return '-';
}

// u and v count pictures to the right and down.
static char checker(double u, double v) { return (u - floor(u) < 0.5) == (v - floor(v) < 0.5) ? 'r' : 'b'; }

// One picture per metre, which begins at the origin; also seen from a place far off.
Test(scene_texture, a_checked_floor_has_its_colours_where_they_belong) {
    skip_without_opengl();
    fixture f = start("<geom type='plane' size='0 0 1' material='floor'/>");
    for (int far = 0; far < 2; ++far) {
        ts_vec3 middle = far ? ts_vec3_make(-77.3, 52.1, 0.0) : ts_vec3_zero();
        ts_camera camera = look(-70.0, 50.0, 7.0, middle);
        unsigned char* pixels = render(&f, &camera, 0);
        for (int i = -3; i <= 3; ++i)
            for (int j = -3; j <= 3; ++j) {
                // The middles of squares of half a metre.
                ts_vec3 at = ts_vec3_make(0.5 * (floor(2.0 * middle.x) + i) + 0.25,
                                          0.5 * (floor(2.0 * middle.y) + j) + 0.25, 0.0);
                cr_expect_eq(colour_at(pixels, &camera, at), checker(at.x, -at.y), "at %g %g", at.x, at.y);
            }
        free(pixels);
    }
    stop(&f);
}

// Once over a plane of 2 x 4 m, from its upper left corner on; and again beyond.
Test(scene_texture, a_floor_with_a_size_is_covered_once) {
    skip_without_opengl();
    fixture f = start("<geom type='plane' size='1 2 1' material='stretched'/>");
    ts_camera camera = look(-90.0, 60.0, 7.0, ts_vec3_zero());
    unsigned char* pixels = render(&f, &camera, 0);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            double x = i - 1.5, y = j - 1.5;
            cr_expect_eq(colour_at(pixels, &camera, ts_vec3_make(x, y, 0.0)),
                         checker(0.5 * (x + 1.0), 0.25 * (2.0 - y)));
        }
    free(pixels);
    stop(&f);
}

// A point of the face that looks along `face`, u to the right and v down as seen from outside.
static ts_vec3 on_box(int face, double u, double v) {
    double a = u - 0.5, b = 0.5 - v;
    const double at[6][3] = {{0.5, a, b}, {-0.5, -a, b}, {-a, 0.5, b}, {a, -0.5, b}, {a, b, 0.5}, {a, -b, -0.5}};
    return ts_vec3_make(at[face][0], at[face][1], at[face][2]);
}

Test(scene_texture, a_box_has_the_picture_upright_on_every_face) {
    skip_without_opengl();
    fixture f = start("<geom type='box' size='.5 .5 .5' material='check'/>");
    const double from[6][2] = {{20, 10}, {200, 10}, {110, 10}, {-70, 10}, {-80, 80}, {-80, -80}};
    for (int face = 0; face < 6; ++face) {
        ts_camera camera = look(from[face][0], from[face][1], 3.0, ts_vec3_zero());
        unsigned char* pixels = render(&f, &camera, 0);
        for (int k = 0; k < 4; ++k) {
            double u = k % 2 ? 0.7 : 0.3, v = k / 2 ? 0.7 : 0.3;
            cr_expect_eq(colour_at(pixels, &camera, on_box(face, u, v)), checker(u, v), "face %d, %d", face, k);
        }
        free(pixels);
    }
    stop(&f);
}

// Longitude to the right, from x on; latitude down.
Test(scene_texture, a_ball_has_the_picture_around_it) {
    skip_without_opengl();
    fixture f = start("<geom type='sphere' size='.5' material='check'/>");
    for (int k = 0; k < 8; ++k) {
        double turn = 0.125 + 0.125 * (k - k % 2), up = k % 2 ? 0.4 : -0.4, a = 6.283185307179586 * turn;
        ts_camera camera = look(360.0 * turn + 5.0, 5.0, 3.0, ts_vec3_zero());
        unsigned char* pixels = render(&f, &camera, 0);
        ts_vec3 at = ts_vec3_make(0.5 * cos(a) * cos(up), 0.5 * sin(a) * cos(up), 0.5 * sin(up));
        cr_expect_eq(colour_at(pixels, &camera, at), checker(turn, k % 2 ? 0.25 : 0.75), "%d", k);
        free(pixels);
    }
    stop(&f);
}

// Of a cube the face towards -y is the lower one; behind it is the sky, whose lower face is towards -z.
Test(scene_texture, a_cube_and_the_sky_have_their_faces) {
    skip_without_opengl();
    fixture f = start("<geom type='box' size='.5 .3 .2' material='cube'/>");
    ts_camera camera = look(-60.0, 30.0, 3.0, ts_vec3_zero());
    unsigned char* pixels = render(&f, &camera, 0);
    cr_expect_eq(colour_at(pixels, &camera, ts_vec3_make(0.0, -0.3, 0.0)), 'r');
    cr_expect_eq(colour_at(pixels, &camera, ts_vec3_make(0.0, 0.0, 0.2)), 'g');
    cr_expect_eq(colour_at(pixels, &camera, ts_vec3_make(0.5, 0.0, 0.0)), 'g');
    free(pixels);
    camera = look(-60.0, 80.0, 3.0, ts_vec3_zero());
    pixels = render(&f, &camera, 0);
    cr_expect(pixels[1] > 250 && pixels[0] < 5 && pixels[2] < 5, "the sky below");
    free(pixels);
    camera = look(-60.0, -10.0, 3.0, ts_vec3_zero());
    pixels = render(&f, &camera, 0);
    cr_expect(pixels[0] > 250 && pixels[1] < 5 && pixels[2] > 250, "the sky ahead");
    free(pixels);
    pixels = render(&f, &camera, 1);
    cr_expect_eq(colour_at(pixels, &camera, ts_vec3_make(0.0, -0.3, 0.0)), '-', "white without a texture");
    cr_expect(pixels[1] > 100, "the viewer's own sky");
    free(pixels);
    stop(&f);
}

Test(scene_texture, a_picture_that_is_gone_by_the_time_it_is_wanted_is_told) {
    fixture f = start("<geom type='box' size='.5 .3 .2' material='cube'/>");
    ts_texture* texture = (ts_texture*)f.scene.model->texture;
    texture[1].pattern = TS_TEXTURE_FILE;
    texture[1].file[0] = "/nonexistent/face.png";
    ts_device* device = ts_device_null_create();
    ts_view view;
    ts_status status;
    cr_assert(ts_view_open(&view, f.sim, device, &status) != TS_OK);
    cr_expect(strstr(status.message, "texture 'cube': /nonexistent/face.png"), "%s", status.message);
    cr_expect(strcmp(status.file, "t.xml") == 0 && status.line == 1);
    ts_view_close(&view);
    ts_device_destroy(device);
    stop(&f);
}
