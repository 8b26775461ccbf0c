// Convex polygons from points.
//
// Problem: the strictly convex, counter-clockwise hull of a point set, fit for hill climbing and for edge normals.
// Rule: Andrew's monotone chain (Inf. Process. Lett. 9, 1979) on lexicographically sorted points. A corner stays only
// when its turn is to the left by more than the rounding error of the turn itself, so points that are collinear to
// rounding, which make hill climbing stop too early, are dropped; so are points closer than 4 ulp of the extent.
// Guaranteed: no dropped point lies outside the kept core by more than a few ulp of the extent; the result does not
// depend on the order of the points.
// Known limit: a polygon thinner than that becomes a segment, one smaller a point.
#include "collision/planar/planar_polygon.h"

#include "base/assert.h"
#include "collision/planar/planar_support_internal.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double size_limit = 1e30;  // m: the sixth power of lengths must stay finite

static int by_x_then_y(const void* left, const void* right) {
    const ts_planar_vec *a = (const ts_planar_vec*)left, *b = (const ts_planar_vec*)right;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->y < b->y ? -1 : (a->y > b->y ? 1 : 0);
}

// Nonzero when a, b, c turn left by more than rounding can explain.
static int turns_left(ts_planar_vec a, ts_planar_vec b, ts_planar_vec c) {
    double abx = b.x - a.x, aby = b.y - a.y, bcx = c.x - b.x, bcy = c.y - b.y;
    double left = abx * bcy, right = aby * bcx;
    return left - right > 4.0 * DBL_EPSILON * (fabs(left) + fabs(right));
}

static int close_by(ts_planar_vec a, ts_planar_vec b, double merge) {
    return fabs(a.x - b.x) <= merge && fabs(a.y - b.y) <= merge;
}

// The hull of sorted points into `hull` (room for count + 1); returns its vertex count.
static int monotone_chain(const ts_planar_vec* point, int count, double merge, ts_planar_vec* hull) {
    int size = 0;
    for (int i = 0; i < count; ++i) {  // lower chain, left to right
        if (size > 0 && close_by(hull[size - 1], point[i], merge)) continue;
        while (size >= 2 && !turns_left(hull[size - 2], hull[size - 1], point[i])) --size;
        hull[size++] = point[i];
    }
    int lower = size;
    for (int i = count - 2; i >= 0; --i) {  // upper chain, right to left
        if (close_by(hull[size - 1], point[i], merge)) continue;
        while (size > lower && !turns_left(hull[size - 2], hull[size - 1], point[i])) --size;
        hull[size++] = point[i];
    }
    while (size > 1 && close_by(hull[size - 1], hull[0], merge)) --size;
    while (size > 2 && !turns_left(hull[size - 2], hull[size - 1], hull[0])) --size;
    while (size > 2 && !turns_left(hull[size - 1], hull[0], hull[1])) {
        --size;
        memmove(hull, hull + 1, (size_t)size * sizeof *hull);
    }
    return size;
}

static size_t padded(int count) { return ((size_t)count + 7) / 8 * 8; }

// One block holds the struct and its arrays, each on a 64-byte line.
static ts_planar_polygon* allocate(int count) {
    int stride = count > TS_PLANAR_SCAN_MAX ? (count + TS_PLANAR_SCAN_MAX - 1) / TS_PLANAR_SCAN_MAX : 0;
    int seeds = stride ? (count + stride - 1) / stride : 0;
    size_t line = (sizeof(ts_planar_polygon) + 63) / 64 * 64;
    size_t doubles = 2 * (padded(count) + 8) + 2 * padded(count) + 2 * padded(seeds);
    char* block = (char*)aligned_alloc(64, line + doubles * sizeof(double));
    if (!block) return NULL;
    memset(block, 0, line + doubles * sizeof(double));
    ts_planar_polygon* polygon = (ts_planar_polygon*)(void*)block;
    double* data = (double*)(void*)(block + line);
    polygon->count = count;
    polygon->padded_count = (int)padded(count);
    polygon->x = data;
    polygon->y = data + padded(count) + 8;
    polygon->coarse_stride = stride;
    polygon->coarse_count = seeds;
    polygon->normal_x = data + 2 * (padded(count) + 8);
    polygon->normal_y = polygon->normal_x + padded(count);
    polygon->coarse_x = polygon->normal_y + padded(count);
    polygon->coarse_y = polygon->coarse_x + padded(seeds);
    return polygon;
}

// The centroid, rounded to few digits so that subtracting it from whole numbers (or map coordinates) is exact.
static ts_planar_vec rounded_centroid(const ts_planar_vec* hull, int count, double extent) {
    double sum_x = 0.0, sum_y = 0.0, area = 0.0, step = 1.0;
    for (int i = 1; i + 1 < count; ++i) {
        double ax = hull[i].x - hull[0].x, ay = hull[i].y - hull[0].y;
        double bx = hull[i + 1].x - hull[0].x, by = hull[i + 1].y - hull[0].y;
        double part = ax * by - ay * bx;
        area += part;
        sum_x += part * (ax + bx);
        sum_y += part * (ay + by);
    }
    while (step > extent) step *= 0.5;
    while (step < extent) step *= 2.0;
    step /= 1048576.0;
    double x = hull[0].x + sum_x / (3.0 * area), y = hull[0].y + sum_y / (3.0 * area);
    return ts_planar_vec_make(floor(x / step + 0.5) * step, floor(y / step + 0.5) * step);
}

// Coordinates, normals, reach and inner disc about a centre.
static void place(ts_planar_polygon* polygon, const ts_planar_vec* hull, ts_planar_vec centre) {
    polygon->centre = centre;
    double *x = polygon->x, *y = polygon->y, reach = 0.0;
    for (int i = 0; i < polygon->padded_count + 8; ++i) {
        int from = i < polygon->count ? i : 0;
        x[i] = hull[from].x - centre.x;
        y[i] = hull[from].y - centre.y;
        reach = fmax(reach, x[i] * x[i] + y[i] * y[i]);
    }
    polygon->reach = sqrt(reach) * (1.0 + 4.0 * DBL_EPSILON);
    double inner = polygon->count > 2 ? polygon->reach : 0.0;
    for (int i = 0; i < polygon->count && polygon->count > 1; ++i) {
        double ex = x[i + 1] - x[i], ey = y[i + 1] - y[i], length = sqrt(ex * ex + ey * ey);
        polygon->normal_x[i] = ey / length;
        polygon->normal_y[i] = -ex / length;
        inner = fmin(inner, x[i] * polygon->normal_x[i] + y[i] * polygon->normal_y[i]);
    }
    inner -= 8.0 * DBL_EPSILON * polygon->reach;
    polygon->inner = inner > 0.0 ? inner : 0.0;
}

// Centre, reach, inner disc and box of a polygon whose vertices are given in the body frame.
static void measure(ts_planar_polygon* polygon, const ts_planar_vec* hull) {
    ts_planar_vec low = hull[0], high = hull[0];
    for (int i = 1; i < polygon->count; ++i) {
        low = ts_planar_vec_make(fmin(low.x, hull[i].x), fmin(low.y, hull[i].y));
        high = ts_planar_vec_make(fmax(high.x, hull[i].x), fmax(high.y, hull[i].y));
    }
    polygon->low = low;
    polygon->high = high;
    double extent = fmax(high.x - low.x, high.y - low.y);
    if (polygon->count > 2) place(polygon, hull, rounded_centroid(hull, polygon->count, extent));
    // Halves first: exact for whole numbers, and no overflow.
    if (polygon->count < 3 || polygon->inner <= 0.0)
        place(polygon, hull, ts_planar_vec_make(0.5 * low.x + 0.5 * high.x, 0.5 * low.y + 0.5 * high.y));
    for (int i = 0; i < (int)padded(polygon->coarse_count); ++i) {
        int from = i < polygon->coarse_count ? i * polygon->coarse_stride : 0;
        polygon->coarse_x[i] = polygon->x[from];
        polygon->coarse_y[i] = polygon->y[from];
    }
}

static ts_code check_input(const ts_planar_vec* points, int count, double radius, double* out_extent, ts_status* out) {
    *out_extent = 0.0;
    if (count < 1) return ts_status_set(out, TS_ERROR_VALUE, NULL, 0, "a polygon needs at least one point");
    if (!(radius >= 0.0) || !(radius <= size_limit))
        return ts_status_set(out, TS_ERROR_VALUE, NULL, 0, "the radius %g m is not in [0, %g]", radius, size_limit);
    for (int i = 0; i < count; ++i) {
        double size = fmax(fabs(points[i].x), fabs(points[i].y));
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || size > size_limit)
            return ts_status_set(out, TS_ERROR_VALUE, NULL, 0, "point %d (%g, %g) is not finite or over %g m", i,
                                 points[i].x, points[i].y, size_limit);
        *out_extent = fmax(*out_extent, fmax(fabs(points[i].x - points[0].x), fabs(points[i].y - points[0].y)));
    }
    return TS_OK;
}

ts_code ts_planar_polygon_build(const ts_planar_vec* points, int count, double radius, ts_planar_polygon** out_polygon,
                                ts_status* out_status) {
    TS_ASSERT(out_polygon && (points || count < 1));
    *out_polygon = NULL;
    double extent;
    if (check_input(points, count, radius, &extent, out_status)) return TS_ERROR_VALUE;
    ts_planar_vec* sorted = (ts_planar_vec*)malloc(2 * ((size_t)count + 1) * sizeof *sorted);
    if (!sorted) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for %d points", count);
    ts_planar_vec* hull = sorted + count + 1;
    // Adding zero turns -0 into +0: equal points then have equal bits.
    for (int i = 0; i < count; ++i) sorted[i] = ts_planar_vec_make(points[i].x + 0.0, points[i].y + 0.0);
    qsort(sorted, (size_t)count, sizeof *sorted, by_x_then_y);
    int size = monotone_chain(sorted, count, 4.0 * DBL_EPSILON * extent, hull);
    if (size > TS_PLANAR_COUNT_MAX) {
        free(sorted);
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the hull has %d vertices, more than %d", size,
                             (int)TS_PLANAR_COUNT_MAX);
    }
    ts_planar_polygon* polygon = allocate(size);
    if (!polygon) {
        free(sorted);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a polygon of %d vertices", size);
    }
    polygon->radius = radius;
    measure(polygon, hull);
    free(sorted);
    *out_polygon = polygon;
    return ts_status_ok(out_status);
}

ts_code ts_planar_polygon_circle(double radius, ts_planar_polygon** out_polygon, ts_status* out_status) {
    ts_planar_vec origin = {0.0, 0.0};
    return ts_planar_polygon_build(&origin, 1, radius, out_polygon, out_status);
}

ts_code ts_planar_polygon_capsule(ts_planar_vec a, ts_planar_vec b, double radius, ts_planar_polygon** out_polygon,
                                  ts_status* out_status) {
    ts_planar_vec ends[2] = {a, b};
    return ts_planar_polygon_build(ends, 2, radius, out_polygon, out_status);
}

ts_code ts_planar_polygon_box(ts_planar_vec half, double radius, ts_planar_polygon** out_polygon,
                              ts_status* out_status) {
    *out_polygon = NULL;
    if (!(half.x >= 0.0) || !(half.y >= 0.0))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "half-sizes (%g, %g) are not positive", half.x,
                             half.y);
    ts_planar_vec corners[4] = {{-half.x, -half.y}, {half.x, -half.y}, {half.x, half.y}, {-half.x, half.y}};
    return ts_planar_polygon_build(corners, 4, radius, out_polygon, out_status);
}

void ts_planar_polygon_free(ts_planar_polygon* polygon) { free(polygon); }

ts_planar_vec ts_planar_polygon_vertex(const ts_planar_polygon* polygon, int i) {
    TS_ASSERT(i >= 0 && i < polygon->count);
    return ts_planar_vec_make(polygon->centre.x + polygon->x[i], polygon->centre.y + polygon->y[i]);
}

void ts_planar_polygon_bounds(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec* out_low,
                              ts_planar_vec* out_high) {
    ts_planar_vec r = pose.rotation, middle = ts_planar_pose_point(pose, polygon->centre);
    double low_x = (double)INFINITY, low_y = low_x, high_x = -low_x, high_y = -low_x;
    for (int i = 0; i < polygon->count; ++i) {
        double x = r.x * polygon->x[i] - r.y * polygon->y[i], y = r.y * polygon->x[i] + r.x * polygon->y[i];
        low_x = x < low_x ? x : low_x;
        low_y = y < low_y ? y : low_y;
        high_x = x > high_x ? x : high_x;
        high_y = y > high_y ? y : high_y;
    }
    double grow = polygon->radius + 8.0 * DBL_EPSILON *
                                        (polygon->radius + polygon->reach + fabs(polygon->centre.x) +
                                         fabs(polygon->centre.y) + fabs(middle.x) + fabs(middle.y));
    *out_low = ts_planar_vec_make(middle.x + low_x - grow, middle.y + low_y - grow);
    *out_high = ts_planar_vec_make(middle.x + high_x + grow, middle.y + high_y + grow);
}
