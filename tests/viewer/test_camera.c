// Claims: orbiting keeps target and distance, panning keeps direction, zooming keeps the target, framing contains the box
// and is tight, and the float matrices agree with the projection in double.
#include <criterion/criterion.h>

#include "viewer/camera.h"

static double apart(ts_vec3 a, ts_vec3 b) { return ts_vec3_distance(a, b); }

static ts_camera some_camera(void) {
    ts_camera camera = ts_camera_default();
    camera.target = ts_vec3_make(3.0, -2.0, 0.7);
    camera.distance = 4.2;
    return camera;
}

Test(camera, axes_are_right_handed_and_z_is_up) {
    ts_camera camera = some_camera();
    ts_mat3 axes = ts_camera_axes(&camera);
    ts_mat3 product = ts_mat3_transposed_mul(axes, axes);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) cr_assert(fabs(product.m[i][j] - (i == j ? 1.0 : 0.0)) < 1e-14);
    cr_assert(fabs(ts_mat3_determinant(axes) - 1.0) < 1e-14);
    cr_assert(fabs(axes.m[2][0]) < 1e-15, "right is horizontal");
    cr_assert(axes.m[2][1] > 0.0, "up goes up");
    ts_vec3 to_eye = ts_vec3_sub(ts_camera_eye(&camera), camera.target);
    cr_assert(apart(to_eye, ts_vec3_scale(4.2, ts_mat3_column(&axes, 2))) < 1e-14);
}

Test(camera, orbit_keeps_target_and_distance) {
    ts_camera camera = some_camera();
    for (int i = 0; i < 300; ++i) {
        ts_camera_orbit(&camera, 37.0, i % 50 < 25 ? 61.0 : -61.0, 480);
        cr_assert(apart(camera.target, some_camera().target) <= 0.0);
        cr_assert(fabs(apart(ts_camera_eye(&camera), camera.target) - 4.2) < 1e-12);
        cr_assert(fabs(camera.elevation) < 1.5707);
    }
    // A drag to the right turns the scene with the hand: the eye goes to the left.
    ts_camera before = some_camera(), after = some_camera();
    ts_camera_orbit(&after, 10.0, 0.0, 480);
    ts_mat3 axes = ts_camera_axes(&before);
    ts_vec3 moved = ts_vec3_sub(ts_camera_eye(&after), ts_camera_eye(&before));
    cr_assert(ts_vec3_dot(moved, ts_mat3_column(&axes, 0)) < 0.0);
}

Test(camera, pan_follows_the_mouse) {
    ts_camera camera = some_camera();
    ts_vec3 thing = camera.target;
    double before[2], after[2];
    cr_assert(ts_camera_project(&camera, 640, 480, thing, before));
    ts_camera_pan(&camera, 25.0, -40.0, 480);
    cr_assert(ts_camera_project(&camera, 640, 480, thing, after));
    cr_assert(fabs(after[0] - before[0] - 25.0) < 1e-9);
    cr_assert(fabs(after[1] - before[1] + 40.0) < 1e-9);
    cr_assert(fabs(camera.azimuth - some_camera().azimuth) <= 0.0);
    cr_assert(fabs(camera.distance - 4.2) <= 0.0);
}

Test(camera, zoom_keeps_the_target_and_undoes_itself) {
    ts_camera camera = some_camera();
    ts_camera_zoom(&camera, 3.0);
    cr_assert(camera.distance < 4.2);
    cr_assert(apart(camera.target, some_camera().target) <= 0.0);
    ts_camera_zoom(&camera, -3.0);
    cr_assert(fabs(camera.distance - 4.2) < 1e-12);
    ts_camera_zoom(&camera, 1e6);
    cr_assert(camera.distance > 0.0);
}

// Every corner inside the picture, and at least one within `slack` of its border (at margin 1).
static void check_framing(ts_vec3 low, ts_vec3 high, int width, int height) {
    for (int k = 0; k < 24; ++k) {
        ts_camera camera = ts_camera_default();
        camera.azimuth = 0.7 * k;
        camera.elevation = -1.4 + 0.12 * k;
        ts_camera_frame(&camera, low, high, (double)width / height, 1.0);
        double nearest_border = 1e9;
        for (int c = 0; c < 8; ++c) {
            ts_vec3 p = ts_vec3_make(c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z);
            double pixel[2];
            cr_assert(ts_camera_project(&camera, width, height, p, pixel));
            cr_assert(pixel[0] > -1e-6 && pixel[0] < width + 1e-6, "x %g", pixel[0]);
            cr_assert(pixel[1] > -1e-6 && pixel[1] < height + 1e-6, "y %g", pixel[1]);
            nearest_border =
                fmin(nearest_border, fmin(fmin(pixel[0], width - pixel[0]), fmin(pixel[1], height - pixel[1])));
        }
        cr_assert(nearest_border < 1e-6, "not tight: %g pixels of border", nearest_border);
    }
}

Test(camera, framing_contains_the_box_tightly) {
    check_framing(ts_vec3_make(-1.0, -1.0, 0.0), ts_vec3_make(1.0, 1.0, 3.0), 1280, 720);
    check_framing(ts_vec3_make(100.0, 5.0, -2.0), ts_vec3_make(100.1, 9.0, -1.9), 400, 900);
}

Test(camera, framing_refuses_nonsense) {
    ts_camera camera = some_camera();
    ts_camera_frame(&camera, ts_vec3_make(0.0, 0.0, 0.0), ts_vec3_make(-1.0, 1.0, 1.0), 1.0, 1.2);
    ts_camera_frame(&camera, ts_vec3_make(0.0, 0.0, (double)NAN), ts_vec3_make(1.0, 1.0, 1.0), 1.0, 1.2);
    cr_assert(fabs(camera.distance - 4.2) <= 0.0);
    ts_camera_frame(&camera, camera.target, camera.target, 1.0, 1.2);
    cr_assert(camera.distance > 0.0 && isfinite(camera.distance));
}

static void check_matrices(ts_camera camera) {
    ts_vec3 origin = ts_vec3_make(2.5, -2.5, 0.5);
    float view[16], projection[16];
    ts_camera_matrices(&camera, 640.0 / 480.0, origin, view, projection);
    for (int k = 0; k < 20; ++k) {
        ts_vec3 p = ts_vec3_add(camera.target, ts_vec3_make(0.1 * k - 1.0, 0.07 * (k % 7), 0.05 * (k % 5)));
        ts_vec3 r = ts_vec3_sub(p, origin);
        double in[4] = {r.x, r.y, r.z, 1.0}, eye[4] = {0}, clip[4] = {0};
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) eye[i] += (double)view[4 * j + i] * in[j];
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) clip[i] += (double)projection[4 * j + i] * eye[j];
        double pixel[2];
        cr_assert(ts_camera_project(&camera, 640, 480, p, pixel));
        cr_assert(fabs(320.0 * (1.0 + clip[0] / clip[3]) - pixel[0]) < 1e-2);
        cr_assert(fabs(240.0 * (1.0 - clip[1] / clip[3]) - pixel[1]) < 1e-2);
        cr_assert(fabs(clip[2] / clip[3]) < 1.0, "inside the depth range");
    }
}

Test(camera, matrices_agree_with_the_projection) {
    ts_camera camera = some_camera();
    check_matrices(camera);
    double pixel[2];
    ts_vec3 behind = ts_vec3_add(ts_camera_eye(&camera), ts_vec3_sub(ts_camera_eye(&camera), camera.target));
    cr_assert(!ts_camera_project(&camera, 640, 480, behind, pixel));
}

// Without perspective sizes do not depend on depth, and at the target's they are those with it.
Test(camera, parallel_rays_keep_sizes) {
    ts_camera camera = some_camera(), parallel = camera;
    parallel.parallel = 1;
    check_matrices(parallel);
    ts_mat3 axes = ts_camera_axes(&camera);
    ts_vec3 right = ts_mat3_column(&axes, 0), back = ts_mat3_column(&axes, 2);
    double a[2], b[2], with[2];
    for (double depth = -1.0; depth <= 1.0; depth += 0.5) {
        ts_vec3 from = ts_vec3_add_scaled(camera.target, depth, back);
        cr_assert(ts_camera_project(&parallel, 640, 480, from, a));
        cr_assert(ts_camera_project(&parallel, 640, 480, ts_vec3_add_scaled(from, 0.1, right), b));
        cr_assert(ts_camera_project(&camera, 640, 480, ts_vec3_add_scaled(camera.target, 0.1, right), with));
        cr_expect(fabs(a[0] - 320.0) < 1e-9 && fabs(a[1] - 240.0) < 1e-9);
        cr_expect(fabs(b[0] - with[0]) < 1e-9 && fabs(b[1] - with[1]) < 1e-9);
    }
}
