// A render device: a table of functions behind which OpenGL hides, or nothing at all (for tests).
#ifndef TS_VIEWER_DEVICE_H
#define TS_VIEWER_DEVICE_H

#include "engine/model/texture.h"
#include "viewer/draw_list.h"
#include "viewer/geometry_mesh.h"
#include "viewer/overlay.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is behind things.
typedef enum ts_background {
    TS_BACKGROUND_SKY,    // and floors as they are
    TS_BACKGROUND_WHITE,  // as on paper: of floors there are the grid and what shadows fall on them
    TS_BACKGROUND_CLEAR,  // the same, and see-through, so that it suits pages of any colour
} ts_background;

/// Where a frame goes in a picture that holds several. All zero: the frame is the whole picture.
typedef struct ts_device_place {
    int left;     // pixels, from the picture's left edge
    int top;      // pixels, from its upper edge
    int width;    // pixels, of the picture
    int height;   // pixels, of the picture
    int goes_on;  // nonzero: what was drawn before stays where this frame is not; zero: a new picture begins
} ts_device_place;

/// One picture, or one pane of it. Positions are relative to list->origin; matrices are column-major, as OpenGL wants them.
typedef struct ts_device_frame {
    int width;   // pixels
    int height;  // pixels
    ts_device_place place;
    float view[16];
    float projection[16];
    float eye[3];               // m
    float sun[3];               // unit, towards the sun
    float shadow_centre[3];     // m, middle of the region in which things cast shadows
    float shadow_radius;        // m
    float fade;                 // m, distance from the eye at which floors have faded away
    float corner;               // m, how far corners are shaded by what stands near
    int dark;                   // nonzero: floors and sky of a dark theme
    int sky;                    // 1 + number of the texture that is behind everything; 0: a plain sky
    int wireframe;              // nonzero: only edges of solid shapes
    ts_background background;   //
    const ts_draw_list* list;   // after ts_draw_list_batch
    const ts_overlay* overlay;  // or NULL
} ts_device_frame;

typedef struct ts_device ts_device;

/// What a device can do. Call through the ts_device_* functions below.
typedef struct ts_device_ops {
    const char* name;
    ts_code (*upload)(ts_device* device, int mesh, const ts_geometry_mesh* data, ts_status* out_status);
    ts_code (*paint)(ts_device* device, int texture, const ts_texture_picture* picture, ts_status* out_status);
    ts_code (*draw)(ts_device* device, const ts_device_frame* frame, ts_status* out_status);
    ts_code (*read)(ts_device* device, int channels, unsigned char* out_pixels, ts_status* out_status);
    void (*show)(ts_device* device, int left, int bottom);
    void (*destroy)(ts_device* device);
} ts_device_ops;

/// What a device has done since it was made.
typedef struct ts_device_counts {
    long long frames;
    long long draw_calls;
    long long uploads;  // buffers that were filled
    long long bytes;    // that went into them
} ts_device_counts;

/// A device. Concrete devices have this as their first member.
struct ts_device {
    const ts_device_ops* ops;
    ts_device_counts counts;
};

/// Gives the device the triangles of mesh number `mesh` (see ts_draw_mesh), replacing earlier ones.
static inline ts_code ts_device_upload(ts_device* device, int mesh, const ts_geometry_mesh* data,
                                       ts_status* out_status) {
    return device->ops->upload(device, mesh, data, out_status);
}

/// Gives the device the pixels of texture number `texture`, replacing earlier ones. TS_ERROR_UNSUPPORTED where they are too many for it.
static inline ts_code ts_device_paint(ts_device* device, int texture, const ts_texture_picture* picture,
                                      ts_status* out_status) {
    return device->ops->paint(device, texture, picture, out_status);
}

/// Draws a picture, or a pane of one, into the device's own memory.
static inline ts_code ts_device_draw(ts_device* device, const ts_device_frame* frame, ts_status* out_status) {
    return device->ops->draw(device, frame, out_status);
}

/// Copies the last picture: rows from top to bottom, sRGB in three bytes per pixel, or with `channels` of 4 and alpha (not
/// multiplied into the colours) in four. TS_ERROR_UNSUPPORTED without one.
static inline ts_code ts_device_read(ts_device* device, int channels, unsigned char* out_pixels,
                                     ts_status* out_status) {
    return device->ops->read(device, channels, out_pixels, out_status);
}

/// Copies the last picture to the window's framebuffer, with its lower left corner there, pixels.
static inline void ts_device_show(ts_device* device, int left, int bottom) { device->ops->show(device, left, bottom); }

/// Releases the device; NULL is ignored.
static inline void ts_device_destroy(ts_device* device) {
    if (device) device->ops->destroy(device);
}

#ifdef __cplusplus
}
#endif
#endif
