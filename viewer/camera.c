// Problem: a camera that mouse drags steer and that frames any box. Rule: spherical coordinates of the eye about a target;
// framing asks every corner of the box for the least distance at which it is inside the picture and takes the largest.
// Guaranteed: orbiting keeps target and distance, panning keeps direction and distance, framing contains the box. Known to
// fail: it cannot look straight up or down (the horizon would be undefined), which the elevation's bounds prevent.
#include "viewer/camera.h"

#include <cglm/cglm.h>

#include "base/scalar.h"

ts_camera ts_camera_default(void) {
    ts_camera camera;
    camera.target = ts_vec3_zero();
    camera.distance = 3.0;
    camera.azimuth = -60.0 * TS_PI / 180.0;
    camera.elevation = 20.0 * TS_PI / 180.0;
    camera.field_of_view = 36.0 * TS_PI / 180.0;
    camera.parallel = 0;
    camera.tilted = 0;
    camera.axes = ts_mat3_identity();
    return camera;
}

static ts_vec3 camera_backwards(const ts_camera* camera) {
    if (camera->tilted) return ts_mat3_column(&camera->axes, 2);
    double c = cos(camera->elevation);
    return ts_vec3_make(c * cos(camera->azimuth), c * sin(camera->azimuth), sin(camera->elevation));
}

void ts_camera_place(ts_camera* camera, ts_vec3 eye, const ts_mat3* axes) {
    ts_vec3 back = ts_mat3_column(axes, 2);
    camera->tilted = 1;
    camera->axes = *axes;
    camera->target = ts_vec3_add_scaled(eye, -camera->distance, back);
}

// Upright again, from the same side, about the same target.
static void set_upright(ts_camera* camera) {
    ts_vec3 back = camera_backwards(camera);
    if (!camera->tilted) return;
    if (hypot(back.x, back.y) > 1e-6) camera->azimuth = atan2(back.y, back.x);
    camera->elevation = asin(ts_clamp(back.z, -1.0, 1.0));
    camera->tilted = 0;
}

ts_vec3 ts_camera_eye(const ts_camera* camera) {
    return ts_vec3_add_scaled(camera->target, camera->distance, camera_backwards(camera));
}

ts_mat3 ts_camera_axes(const ts_camera* camera) {
    if (camera->tilted) return camera->axes;
    ts_vec3 back = camera_backwards(camera);
    ts_vec3 right = ts_vec3_make(-sin(camera->azimuth), cos(camera->azimuth), 0.0);
    return ts_mat3_from_columns(right, ts_vec3_cross(back, right), back);
}

void ts_camera_orbit(ts_camera* camera, double dx, double dy, int height) {
    double per_pixel = TS_PI / (double)(height > 0 ? height : 1);
    double limit = 89.0 * TS_PI / 180.0;
    set_upright(camera);
    camera->azimuth = remainder(camera->azimuth - dx * per_pixel, 2.0 * TS_PI);
    camera->elevation = fmin(limit, fmax(-limit, camera->elevation + dy * per_pixel));
}

void ts_camera_pan(ts_camera* camera, double dx, double dy, int height) {
    double metres_per_pixel =
        2.0 * camera->distance * tan(0.5 * camera->field_of_view) / (double)(height > 0 ? height : 1);
    ts_mat3 axes = ts_camera_axes(camera);
    ts_vec3 right = ts_mat3_column(&axes, 0);
    ts_vec3 up = ts_mat3_column(&axes, 1);
    camera->target = ts_vec3_add_scaled(camera->target, -dx * metres_per_pixel, right);
    camera->target = ts_vec3_add_scaled(camera->target, dy * metres_per_pixel, up);
}

void ts_camera_zoom(ts_camera* camera, double notches) {
    // A tenth per notch; bounds keep the matrices inside what floats can hold.
    camera->distance = fmin(1e6, fmax(1e-4, camera->distance * pow(0.9, notches)));
}

void ts_camera_frame(ts_camera* camera, ts_vec3 box_min, ts_vec3 box_max, double aspect, double margin) {
    if (!ts_vec3_is_finite(box_min) || !ts_vec3_is_finite(box_max)) return;
    if (box_min.x > box_max.x || box_min.y > box_max.y || box_min.z > box_max.z) return;
    ts_vec3 middle = ts_vec3_lerp(box_min, box_max, 0.5);
    ts_mat3 axes = ts_camera_axes(camera);
    double tan_y = tan(0.5 * camera->field_of_view);
    double tan_x = tan_y * aspect;
    double distance = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        ts_vec3 p = ts_vec3_make(corner & 1 ? box_max.x : box_min.x, corner & 2 ? box_max.y : box_min.y,
                                 corner & 4 ? box_max.z : box_min.z);
        // In camera axes the corner's depth at distance d is d - z: it is inside when |x| <= tan_x (d - z), same for y.
        ts_vec3 c = ts_mat3_mul_vec_transposed(&axes, ts_vec3_sub(p, middle));
        distance = fmax(distance, (camera->parallel ? 0.0 : c.z) + fmax(fabs(c.x) / tan_x, fabs(c.y) / tan_y));
    }
    camera->target = middle;
    // A single point has no extent to frame: stay near enough to see something of a millimetre.
    camera->distance = fmax(distance * margin, 1e-3);
}

static void store_mat4(mat4 m, float out[16]) {
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row) out[4 * column + row] = m[column][row];
}

void ts_camera_matrices(const ts_camera* camera, double aspect, ts_vec3 origin, float out_view[16],
                        float out_projection[16]) {
    ts_mat3 axes = ts_camera_axes(camera);
    // Subtract in double before rounding to float: a scene a kilometre from the origin must not shake.
    ts_vec3 eye = ts_mat3_mul_vec_transposed(&axes, ts_vec3_sub(ts_camera_eye(camera), origin));
    mat4 view = GLM_MAT4_IDENTITY_INIT;
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row) view[column][row] = (float)axes.m[column][row];
    ts_vec3_store_floats(ts_vec3_neg(eye), view[3]);
    mat4 projection;
    float near_plane = (float)(0.02 * camera->distance);
    float far_plane = (float)(400.0 * camera->distance);
    if (camera->parallel) {
        // Things are as sharp at any depth, those beside and behind the eye included.
        float up = (float)(camera->distance * tan(0.5 * camera->field_of_view)), right = up * (float)aspect;
        float deep = 8.0f * (float)camera->distance;
        glm_ortho(-right, right, -up, up, -deep, deep, projection);
    } else {
        glm_perspective((float)camera->field_of_view, (float)aspect, near_plane, far_plane, projection);
    }
    store_mat4(view, out_view);
    store_mat4(projection, out_projection);
}

int ts_camera_project(const ts_camera* camera, int width, int height, ts_vec3 point, double out_pixel[2]) {
    ts_mat3 axes = ts_camera_axes(camera);
    ts_vec3 c = ts_mat3_mul_vec_transposed(&axes, ts_vec3_sub(point, ts_camera_eye(camera)));
    double depth = camera->parallel ? camera->distance : -c.z;
    if (!(depth > 0.0)) return 0;
    double tan_y = tan(0.5 * camera->field_of_view);
    double tan_x = tan_y * (double)width / (double)height;
    out_pixel[0] = 0.5 * (double)width * (1.0 + c.x / (depth * tan_x));
    out_pixel[1] = 0.5 * (double)height * (1.0 - c.y / (depth * tan_y));
    return 1;
}

void ts_camera_ray(const ts_camera* camera, int width, int height, const double pixel[2], ts_vec3* out_from,
                   ts_vec3* out_direction) {
    ts_mat3 axes = ts_camera_axes(camera);
    double tan_y = tan(0.5 * camera->field_of_view);
    double tan_x = tan_y * (double)width / (double)height;
    double x = tan_x * (2.0 * pixel[0] / (double)width - 1.0);
    double y = tan_y * (1.0 - 2.0 * pixel[1] / (double)height);
    ts_vec3 eye = ts_camera_eye(camera);
    if (camera->parallel) {
        *out_from = ts_vec3_add(eye, ts_mat3_mul_vec(&axes, ts_vec3_scale(camera->distance, ts_vec3_make(x, y, 0.0))));
        *out_direction = ts_vec3_neg(ts_mat3_column(&axes, 2));
    } else {
        *out_from = eye;
        *out_direction = ts_vec3_unit_or(ts_mat3_mul_vec(&axes, ts_vec3_make(x, y, -1.0)), ts_vec3_axis(2));
    }
}
