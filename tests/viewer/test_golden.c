// Claims: pictures look as they did when somebody looked at them and found them good. Tolerance: drivers round differently, so blocks of 8 x 8 pixels
// are compared by their means; none may differ by more than 12 of 255 levels, nor all of them by more than 1.5 in the mean. TS_GOLDEN=1 in the
// environment writes the pictures anew: look at them before they are kept.
#include "tests/viewer/viewer_fixture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "viewer/capture.h"
#include "viewer/offscreen.h"
#include "viewer/viewer.h"

enum { WIDTH = 192, HEIGHT = 120, BLOCK = 8 };

static void skip_without_opengl(void) {
    ts_offscreen* offscreen = NULL;
    ts_status status;
    ts_code code = ts_offscreen_create(&offscreen, &status);
    ts_offscreen_destroy(offscreen);
    if (code) cr_skip_test("no OpenGL 3.3 on this machine: %s", status.message);
}

static double block_mean(const unsigned char* rgb, int x, int y, int channel) {
    double sum = 0.0;
    for (int j = 0; j < BLOCK; ++j)
        for (int i = 0; i < BLOCK; ++i) sum += rgb[3 * ((y + j) * WIDTH + x + i) + channel];
    return sum / (BLOCK * BLOCK);
}

static void compare(const unsigned char* rgb, const char* name) {
    char path[128];
    ts_status status;
    snprintf(path, sizeof path, "tests/viewer/golden/%s.png", name);
    if (getenv("TS_GOLDEN")) {
        ts_capture_pixels pixels = {WIDTH, HEIGHT, 3, rgb};
        cr_assert(ts_capture_write_png(path, pixels, &status) == TS_OK, "%s", status.message);
        return;
    }
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    cr_assert(png_image_begin_read_from_file(&image, path), "%s: %s", path, image.message);
    image.format = PNG_FORMAT_RGB;
    cr_assert(image.width == WIDTH && image.height == HEIGHT);
    unsigned char* wanted = malloc(3u * WIDTH * HEIGHT);
    cr_assert(wanted && png_image_finish_read(&image, NULL, wanted, 0, NULL));
    double most = 0.0, sum = 0.0;
    for (int y = 0; y < HEIGHT; y += BLOCK)
        for (int x = 0; x < WIDTH; x += BLOCK)
            for (int c = 0; c < 3; ++c) {
                double difference = fabs(block_mean(rgb, x, y, c) - block_mean(wanted, x, y, c));
                most = fmax(most, difference);
                sum += difference;
            }
    double mean = sum / (3.0 * (WIDTH / BLOCK) * (HEIGHT / BLOCK));
    cr_expect(most <= 12.0 && mean <= 1.5, "%s: a block differs by %g levels, all by %g in the mean", name, most, mean);
    free(wanted);
}

// A scene at a time, with layers, under one or two solvers.
static void check(const char* name, const char* scene, double time, const char* layers, const char* second) {
    skip_without_opengl();
    ts_status status;
    ts_loaded_scene loaded;
    ts_view_companion companion = {0};
    ts_sim* sim = NULL;
    cr_assert(ts_scene_load(scene, NULL, &loaded, &status) == TS_OK, "%s", status.message);
    cr_assert(ts_sim_create(loaded.model, 1, &sim, &status) == TS_OK);
    ts_view_request request = ts_view_request_default();
    request.scene = &loaded;
    request.sim = sim;
    request.width = WIDTH;
    request.height = HEIGHT;
    request.time = time;
    // Words are a matter of tests/viewer/test_overlay.c.
    request.overlay = 0;
    cr_assert(ts_viewer_read_layers(layers, &request, &status) == TS_OK, "%s", status.message);
    if (second) {
        cr_assert(ts_sim_create(loaded.model, 1, &companion.sim, &status) == TS_OK);
        cr_assert(ts_sim_set_solver(companion.sim, second, &status) == TS_OK);
        request.companion = &companion;
        request.companion_count = 1;
        request.layout = TS_LAYOUT_PANES;
    }
    unsigned char* rgb = malloc(3u * WIDTH * HEIGHT);
    cr_assert(rgb);
    ts_code code = ts_viewer_render_pixels(&request, rgb, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    compare(rgb, name);
    free(rgb);
    ts_sim_free(companion.sim);
    ts_sim_free(sim);
    ts_loaded_scene_free(&loaded);
}

Test(golden, contacts_with_cones) { check("incline", "incline", 0.2, "cones", NULL); }
Test(golden, two_laws_in_panes) { check("panes", "fast-cube", 0.1, "patches", "ccp-pgs"); }
Test(golden, a_robot_in_the_dark) { check("hand", "hand", 0.05, "dark,-forces", NULL); }

// Instancing: what is drawn grows with a scene, the number of draw calls does not; and frame after frame costs the same.
Test(golden, draw_calls_do_not_grow_with_bodies) {
    skip_without_opengl();
    long long calls[2], bytes[2];
    for (int k = 0; k < 2; ++k) {
        ts_status status;
        ts_builder* builder = fixture_floor(0.5);
        for (int i = 0; i < (k ? 400 : 4); ++i)
            fixture_body(builder, i % 2 ? ts_shape_sphere(0.1) : ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)),
                         ts_vec3_make(0.3 * (i % 20), 0.3 * (double)(i / 20), 1.0), ts_vec3_zero(), 0.5);
        fixture f = fixture_start(builder);
        ts_view_request request = ts_view_request_default();
        request.scene = &f.scene;
        request.sim = f.sim;
        request.width = 64;
        request.height = 64;
        ts_viewer_cost cost;
        ts_code code = ts_viewer_measure(&request, 3, &cost, &status);
        cr_assert(code == TS_OK, "%s", status.message);
        cr_assert(cost.frame.frames == 1 && cost.draw > 0.0 && cost.list > 0.0 && cost.open.uploads > 0);
        calls[k] = cost.frame.draw_calls;
        bytes[k] = cost.frame.bytes;
        fixture_end(&f);
    }
    cr_assert_eq(calls[0], calls[1]);
    // 96 bytes a body.
    cr_assert(bytes[1] - bytes[0] >= 396 * 96 && bytes[1] - bytes[0] < 396 * 200, "%lld and %lld", bytes[0], bytes[1]);
}

Test(golden, the_gallery_has_every_scene) {
    ts_text page = {0};
    ts_status status;
    cr_assert(ts_text_read_file("docs/gallery.md", 1u << 20, &page, &status) == TS_OK, "%s", status.message);
    for (int i = 0; i < ts_scene_count(); ++i) {
        char picture[160];
        snprintf(picture, sizeof picture, "(pictures/gallery/%s.png)", ts_scene_at(i)->name);
        cr_expect(strstr(ts_text_get(&page), picture) != NULL, "%s is missing", picture);
    }
    ts_text_free(&page);
}
