// A device that draws nothing: it remembers what it was asked for, and refuses what a real device could only draw wrongly (a
// mesh never uploaded, numbers that are not finite, runs that do not cover the instances, an empty picture). So a picture can
// be checked without a GPU, if not how it looks.
#ifndef TS_TESTS_DEVICE_NULL_H
#define TS_TESTS_DEVICE_NULL_H

#include <math.h>
#include <stdlib.h>

#include "viewer/device.h"

/// Mesh and texture numbers a null device knows.
enum { TS_DEVICE_NULL_MESHES = 4096, TS_DEVICE_NULL_TEXTURES = 64 };

/// What was asked for.
typedef struct ts_device_null {
    ts_device device;
    int uploads;                                 // meshes given
    int frames;                                  // pictures drawn, or panes of one
    ts_device_frame last;                        // the last one; its list and overlay are gone
    int triangles;                               // of the last picture
    int draw_calls;                              // of the last picture
    int instances;                               // of the last picture
    int overlay_quads;                           // of the last picture
    int mesh_triangles[TS_DEVICE_NULL_MESHES];   // triangles by mesh number, 0 for none
    int texture_faces[TS_DEVICE_NULL_TEXTURES];  // faces by texture number, 0 for none
} ts_device_null;

static ts_code null_upload(ts_device* device, int mesh, const ts_geometry_mesh* data, ts_status* out_status) {
    ts_device_null* null = (ts_device_null*)device;
    if (mesh < 0 || mesh >= TS_DEVICE_NULL_MESHES)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "mesh number %d is out of range", mesh);
    null->mesh_triangles[mesh] = data->index_count / 3;
    ++null->uploads;
    return ts_status_ok(out_status);
}

static ts_code null_paint(ts_device* device, int texture, const ts_texture_picture* picture, ts_status* out_status) {
    ts_device_null* null = (ts_device_null*)device;
    if (texture < 0 || texture >= TS_DEVICE_NULL_TEXTURES || (picture->faces != 1 && picture->faces != 6))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "texture %d of %d faces", texture, picture->faces);
    null->texture_faces[texture] = picture->faces;
    return ts_status_ok(out_status);
}

// Whether the texture of an instance is there and has as many faces as its mapping needs.
static int has_texture(const ts_device_null* null, const ts_draw_instance* instance, int texture) {
    int mapping = (int)instance->surface[3];
    if (mapping == TS_DRAW_NO_TEXTURE) return texture == -1;
    if (texture < 0 || texture >= TS_DEVICE_NULL_TEXTURES) return 0;
    int six = mapping == TS_DRAW_MAP_CUBE || mapping == TS_DRAW_MAP_CUBE_FROM;
    return null->texture_faces[texture] == (six ? 6 : 1);
}

static int all_finite(const float* values, int count) {
    for (int i = 0; i < count; ++i)
        if (!isfinite(values[i])) return 0;
    return 1;
}

static ts_code check_batch(const ts_device_null* null, const ts_draw_list* list, int b, int first,
                           ts_status* out_status) {
    const ts_draw_batch* batch = &list->batches.data[b];
    if (batch->first != first || batch->count < 1 || batch->first + batch->count > list->instances.count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "run %d does not continue the one before", b);
    if (batch->mesh < 0 || batch->mesh >= TS_DEVICE_NULL_MESHES || !null->mesh_triangles[batch->mesh])
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "mesh %d was never uploaded", batch->mesh);
    for (int i = batch->first; i < batch->first + batch->count; ++i)
        if (!all_finite(&list->instances.data[i].row[0][0], (int)(sizeof(ts_draw_instance) / sizeof(float))))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "instance %d is not finite", i);
    for (int i = batch->first; i < batch->first + batch->count; ++i)
        if (!has_texture(null, &list->instances.data[i], batch->texture))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "instance %d wears texture %d", i,
                                 batch->texture);
    return TS_OK;
}

static ts_code null_draw(ts_device* device, const ts_device_frame* frame, ts_status* out_status) {
    ts_device_null* null = (ts_device_null*)device;
    const ts_draw_list* list = frame->list;
    if (frame->width < 1 || frame->height < 1)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a picture of %d x %d pixels", frame->width,
                             frame->height);
    if (!all_finite(frame->view, 16) || !all_finite(frame->projection, 16) || !(frame->shadow_radius > 0.0f))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the camera is not finite");
    if (frame->sky > 0 && null->texture_faces[frame->sky - 1] != 6)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the sky has no six faces");
    null->triangles = null->instances = null->draw_calls = 0;
    for (int b = 0; b < list->batches.count; ++b) {
        ts_code code = check_batch(null, list, b, null->instances, out_status);
        if (code) return code;
        const ts_draw_batch* batch = &list->batches.data[b];
        null->triangles += batch->count * null->mesh_triangles[batch->mesh];
        null->instances += batch->count;
        ++null->draw_calls;
    }
    if (null->instances != list->instances.count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d of %d instances are in no run",
                             list->instances.count - null->instances, list->instances.count);
    null->overlay_quads = frame->overlay ? frame->overlay->quads.count : 0;
    if (frame->place.width > 0 &&
        (frame->place.left < 0 || frame->place.top < 0 || frame->place.left + frame->width > frame->place.width ||
         frame->place.top + frame->height > frame->place.height))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a pane sticks out of its picture");
    null->last = *frame;
    ++null->frames;
    return ts_status_ok(out_status);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the signature is the table's
static ts_code null_read(ts_device* device, int channels, unsigned char* out_pixels, ts_status* out_status) {
    (void)device;
    (void)channels;
    (void)out_pixels;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "the null device has no picture");
}

static void null_show(ts_device* device, int left, int bottom) {
    (void)device;
    (void)left;
    (void)bottom;
}

static void null_destroy(ts_device* device) { free(device); }

static const ts_device_ops null_ops = {"null", null_upload, null_paint, null_draw, null_read, null_show, null_destroy};

/// A null device, or NULL when memory is short. Cast the result to ts_device_null to look inside.
static inline ts_device* ts_device_null_create(void) {
    ts_device_null* null = calloc(1, sizeof *null);
    if (!null) return NULL;
    null->device.ops = &null_ops;
    return &null->device;
}

#endif
