// An orbit camera: it looks at a target from a distance, z is up. Plain values; pictures are made elsewhere.
#ifndef TS_VIEWER_CAMERA_H
#define TS_VIEWER_CAMERA_H

#include "base/mat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the eye is and what it looks at.
typedef struct ts_camera {
    ts_vec3 target;        // m, what it turns about
    double distance;       // m, from target to eye
    double azimuth;        // rad, of the eye about z, from +x towards +y
    double elevation;      // rad, of the eye above the horizontal, within +-89 degrees
    double field_of_view;  // rad, vertical
    int parallel;  // nonzero: no perspective; what lies at the target's depth is as large as it would be with it
    int tilted;    // nonzero: it looks as `axes` says, whatever azimuth and elevation are, until it is turned
    ts_mat3 axes;  // columns: right, up, and backwards
} ts_camera;

/// Looks at the origin from 3 m, from the front right and above, with a field of view of 36 degrees.
ts_camera ts_camera_default(void);

/// Puts the eye somewhere, with those axes (columns: right, up, and backwards), tilted or not; the target is where it was in depth.
void ts_camera_place(ts_camera* camera, ts_vec3 eye, const ts_mat3* axes);

/// The eye's place.
ts_vec3 ts_camera_eye(const ts_camera* camera);

/// Columns: right, up, and backwards (from the target to the eye), in world axes.
ts_mat3 ts_camera_axes(const ts_camera* camera);

/// Turns about the target as a drag by (dx, dy) pixels asks, y downwards; a drag over the picture's height is half a turn.
void ts_camera_orbit(ts_camera* camera, double dx, double dy, int height);

/// Moves the target in the picture plane so that what lies at its depth follows a drag by (dx, dy) pixels, y downwards.
void ts_camera_pan(ts_camera* camera, double dx, double dy, int height);

/// Goes nearer by `notches` of a mouse wheel (negative: away). The target stays.
void ts_camera_zoom(ts_camera* camera, double notches);

/// Aims at the middle of the box and goes as near as all of it stays in a picture of width / height = aspect, times
/// `margin` >= 1. Direction and field of view stay. A box that is empty or not finite changes nothing.
void ts_camera_frame(ts_camera* camera, ts_vec3 box_min, ts_vec3 box_max, double aspect, double margin);

/// The matrices of OpenGL (column-major, looking along -z, clip z in [-1, 1]) for positions relative to `origin`.
void ts_camera_matrices(const ts_camera* camera, double aspect, ts_vec3 origin, float out_view[16],
                        float out_projection[16]);

/// The ray through a pixel (x to the right, y downwards, from the top left corner): where it starts, and its unit direction.
void ts_camera_ray(const ts_camera* camera, int width, int height, const double pixel[2], ts_vec3* out_from,
                   ts_vec3* out_direction);

/// Pixel coordinates (x to the right, y downwards, from the top left corner) of a point. Returns 0 for points behind the eye.
int ts_camera_project(const ts_camera* camera, int width, int height, ts_vec3 point, double out_pixel[2]);

#ifdef __cplusplus
}
#endif
#endif
