// Signed distances of two shapes, and their derivatives, for the Python package.
#include "collision/derivative/proximity_derivative.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python/facade_internal.h"

struct ts_python_shape {
    ts_shape shape;
    ts_hull* hull;
    ts_vec3 corner[3];
};

static ts_code make_hull(ts_python_shape* s, const double* number, int count, ts_status* status) {
    ts_vec3* point = calloc(count > 0 ? (size_t)count : 1, sizeof *point);
    if (!point) return ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    for (int i = 0; i < count / 3; ++i) point[i] = ts_vec3_load(number + 3 * (size_t)i);
    ts_code code = ts_hull_build_any(point, count / 3, &s->hull, NULL, status);
    free(point);
    if (!code) s->shape = ts_shape_hull(s->hull);
    return code;
}

static ts_code make_shape(ts_python_shape* s, const char* kind, const double* number, int count, ts_status* status) {
    for (int k = 0; k < TS_SHAPE_CONVEX_COUNT; ++k) {
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)k);
        if (strcmp(info->name, kind) != 0) continue;
        if (k == TS_SHAPE_HULL) return make_hull(s, number, count, status);
        int wanted = k == TS_SHAPE_TRIANGLE ? 9 : info->parameter_count;
        if (count != wanted)
            return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s takes %d numbers, not %d", kind, wanted, count);
        for (int i = 0; k == TS_SHAPE_TRIANGLE && i < 3; ++i) s->corner[i] = ts_vec3_load(number + 3 * (size_t)i);
        s->shape = k == TS_SHAPE_TRIANGLE ? ts_shape_triangle(s->corner) : ts_shape_make((ts_shape_kind)k, number);
        return ts_status_ok(status);
    }
    return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "'%.60s' is no convex shape", kind);
}

ts_python_shape* ts_python_shape_open(const char* kind, const double* number, int count, double rounding,
                                      char* out_error, unsigned long size) {
    ts_status status;
    ts_python_shape* s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(out_error, size, "out of memory");
        return NULL;
    }
    ts_code code = make_shape(s, kind, number, count, &status);
    if (!code && rounding != 0.0) {
        if (!(rounding > 0.0) || s->shape.kind == TS_SHAPE_PLANE)
            code = ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "%s cannot be rounded by %g", kind, rounding);
        else
            s->shape = ts_shape_rounded(s->shape, rounding);
    }
    if (!code) code = ts_shape_validate(&s->shape, &status);
    if (!code) return s;
    ts_status_format(&status, out_error, size);
    ts_python_shape_close(s);
    return NULL;
}

void ts_python_shape_close(ts_python_shape* shape) {
    if (!shape) return;
    ts_hull_free(shape->hull);
    free(shape);
}

static int place(const double* seven, ts_transform* out_placed, char* out_error, unsigned long size) {
    ts_pose pose = {ts_vec3_load(seven), ts_quat_load(seven + 3)};
    ts_proximity_placing placing = ts_proximity_place(pose, out_placed);
    if (placing == TS_PROXIMITY_PLACED || placing == TS_PROXIMITY_MADE_UNIT) return 1;
    snprintf(out_error, size, "a pose is not finite, or its quaternion is no rotation");
    return 0;
}

static void store_derivative(const ts_proximity_derivative* d, ts_python_distance* io) {
    double* to = io->derivative;
    const struct {
        const void* from;
        size_t bytes;
    } part[] = {{d->distance, sizeof d->distance},
                {d->normal, sizeof d->normal},
                {d->point_a, sizeof d->point_a},
                {d->point_b, sizeof d->point_b},
                {d->tangent, sizeof d->tangent}};
    for (size_t k = 0; k < sizeof part / sizeof *part; ++k) {
        memcpy(to, part[k].from, part[k].bytes);
        to += part[k].bytes / sizeof(double);
    }
    const ts_derivative_certificate* c = &d->certificate;
    const double certificate[4] = {c->curvature, c->crossing, c->room, c->turn};
    memcpy(to, certificate, sizeof certificate);
    io->flags = c->flags;
}

// The options that were given; 0 where the method is none.
static int options_of(const ts_python_distance* given, ts_derivative_options* out) {
    *out = ts_derivative_options_default();
    out->method = ts_derivative_method_find(given->method);
    if (out->method == TS_DERIVATIVE_METHOD_COUNT) return 0;
    out->increment = given->increment;
    out->samples = given->samples;
    out->spread = given->spread;
    out->seed = given->seed;
    out->rings = given->rings;
    out->temperature = given->temperature;
    return 1;
}

int ts_python_distance_find(const ts_python_shape* a, const double* pose_a, const ts_python_shape* b,
                            const double* pose_b, ts_python_distance* io, char* out_error, unsigned long size) {
    ts_transform at_a, at_b;
    ts_derivative_options options;
    ts_proximity found;
    if (!place(pose_a, &at_a, out_error, size) || !place(pose_b, &at_b, out_error, size)) return 1;
    if (io->method && !options_of(io, &options)) {
        snprintf(out_error, size, "'%.60s' is no method of derivatives", io->method);
        return 1;
    }
    ts_proximity_options query = ts_proximity_options_default();
    query.rivals = io->method != NULL;
    ts_proximity_query(&a->shape, &at_a, &b->shape, &at_b, &query, NULL, &found);
    if (found.status == TS_PROXIMITY_INVALID_INPUT) {
        snprintf(out_error, size, "%s", ts_proximity_reason_text(found.reason));
        return 1;
    }
    io->status = ts_proximity_status_name(found.status);
    io->answer[0] = found.distance;
    io->answer[1] = found.found.lower;
    io->answer[2] = found.found.upper;
    ts_vec3_store(found.found.normal, io->answer + 3);
    ts_vec3_store(found.found.point_a, io->answer + 6);
    ts_vec3_store(found.found.point_b, io->answer + 9);
    if (io->method) {
        ts_proximity_derivative d;
        ts_proximity_differentiate(&a->shape, &at_a, &b->shape, &at_b, &found, &options, &d);
        store_derivative(&d, io);
    }
    return 0;
}
