// A device that draws nothing and remembers what it was asked for, so that tests can check a picture without a GPU.
#ifndef TS_VIEWER_DEVICE_NULL_H
#define TS_VIEWER_DEVICE_NULL_H

#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Mesh numbers a null device knows.
enum { TS_DEVICE_NULL_MESHES = 4096 };

/// What was asked for.
typedef struct ts_device_null {
    ts_device device;
    int uploads;                                // meshes given
    int frames;                                 // pictures drawn
    int triangles;                              // of the last picture
    int draw_calls;                             // of the last picture
    int instances;                              // of the last picture
    int overlay_quads;                          // of the last picture
    int mesh_triangles[TS_DEVICE_NULL_MESHES];  // triangles by mesh number, 0 for none
} ts_device_null;

/// A null device, or NULL when memory is short. Cast the result to ts_device_null to look inside.
///
/// Its draw function refuses what a real device could only draw wrongly: a mesh never uploaded, numbers that are not
/// finite, runs that do not cover the instances, an empty picture.
ts_device* ts_device_null_create(void);

#ifdef __cplusplus
}
#endif
#endif
