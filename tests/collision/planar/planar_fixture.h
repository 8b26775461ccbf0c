// What the planar tests share: polygons from random families, and the signed distance by brute force in long double.
#ifndef TS_TESTS_PLANAR_FIXTURE_H
#define TS_TESTS_PLANAR_FIXTURE_H

#include "base/rng.h"
#include "collision/planar/planar_distance.h"

#include <criterion/criterion.h>
#include <float.h>

typedef struct exact_point {
    long double x, y;
} exact_point;

enum { EXACT_MAX = 256 };

// The core of a polygon in the world, to the last bit of its doubles.
typedef struct exact_polygon {
    int count;
    exact_point v[EXACT_MAX];
} exact_polygon;

// Whole heading circle without a sine: a random direction.
static inline ts_planar_pose random_pose(ts_rng* rng, double range) {
    double c, s;
    do {
        c = ts_rng_uniform_in(rng, -1.0, 1.0);
        s = ts_rng_uniform_in(rng, -1.0, 1.0);
    } while (c * c + s * s > 1.0 || c * c + s * s < 1e-3);
    double x = ts_rng_uniform_in(rng, -range, range);
    return ts_planar_pose_make(x, ts_rng_uniform_in(rng, -range, range), c, s);
}

static inline ts_planar_polygon* built(const ts_planar_vec* points, int count, double radius) {
    ts_planar_polygon* polygon;
    ts_status status;
    cr_assert_eq(ts_planar_polygon_build(points, count, radius, &polygon, &status), TS_OK, "%s", status.message);
    return polygon;
}

static inline exact_polygon exactly(const ts_planar_polygon* polygon, ts_planar_pose pose) {
    exact_polygon out;
    cr_assert(polygon->count <= EXACT_MAX);
    out.count = polygon->count;
    long double c = pose.rotation.x, s = pose.rotation.y;
    for (int i = 0; i < polygon->count; ++i) {
        long double x = (long double)polygon->centre.x + polygon->x[i];
        long double y = (long double)polygon->centre.y + polygon->y[i];
        out.v[i].x = pose.position.x + (c * x - s * y);
        out.v[i].y = pose.position.y + (s * x + c * y);
    }
    return out;
}

// The least product of (nx, ny) with the points of p relative to o.
static inline long double least_along(const exact_polygon* p, exact_point o, long double nx, long double ny) {
    long double least = (long double)INFINITY;
    for (int i = 0; i < p->count; ++i) {
        long double value = nx * (p->v[i].x - o.x) + ny * (p->v[i].y - o.y);
        if (value < least) least = value;
    }
    return least;
}

// Greatest separation of q from p along the unit normals of p's edges; and, when `along`, along its edges too.
static inline long double separation_along_edges(const exact_polygon* p, const exact_polygon* q, int along) {
    long double greatest = -(long double)INFINITY;
    for (int i = 0; i < p->count; ++i) {
        exact_point a = p->v[i], b = p->v[(i + 1) % p->count];
        long double ex = b.x - a.x, ey = b.y - a.y, length = sqrtl(ex * ex + ey * ey);
        if (length <= 0.0L) continue;
        long double value = least_along(q, a, ey / length, -ex / length);
        if (value > greatest) greatest = value;
        if (!along) continue;
        value = least_along(q, b, ex / length, ey / length);
        if (value > greatest) greatest = value;
        value = least_along(q, a, -ex / length, -ey / length);
        if (value > greatest) greatest = value;
    }
    return greatest;
}

static inline long double point_to_segment(exact_point p, exact_point a, exact_point b) {
    long double ex = b.x - a.x, ey = b.y - a.y, px = p.x - a.x, py = p.y - a.y, ee = ex * ex + ey * ey;
    long double t = ee > 0.0L ? (px * ex + py * ey) / ee : 0.0L;
    if (t < 0.0L) t = 0.0L;
    if (t > 1.0L) t = 1.0L;
    long double x = px - t * ex, y = py - t * ey;
    return sqrtl(x * x + y * y);
}

static inline long double nearest_pair(const exact_polygon* p, const exact_polygon* q) {
    long double least = (long double)INFINITY;
    for (int i = 0; i < p->count; ++i)
        for (int j = 0; j < q->count; ++j) {
            long double value = point_to_segment(p->v[i], q->v[j], q->v[(j + 1) % q->count]);
            if (value < least) least = value;
            value = point_to_segment(q->v[j], p->v[i], p->v[(i + 1) % p->count]);
            if (value < least) least = value;
        }
    return least;
}

// Signed distance of two convex cores: all vertex-edge pairs when an axis parts them, else the least depth.
static inline long double exact_distance(const exact_polygon* p, const exact_polygon* q) {
    int thin = p->count <= 2 && q->count <= 2;
    if (p->count == 1 && q->count == 1) return nearest_pair(p, q);
    long double depth = separation_along_edges(p, q, 0), other = separation_along_edges(q, p, 0);
    if (other > depth) depth = other;
    long double parted = depth;
    if (thin) {
        long double value = separation_along_edges(p, q, 1);
        if (value > parted) parted = value;
        value = separation_along_edges(q, p, 1);
        if (value > parted) parted = value;
    }
    return parted > 0.0L ? nearest_pair(p, q) : depth;
}

// Distance of a world point from a core (0 inside).
static inline long double exact_point_distance(const exact_polygon* p, double x, double y) {
    exact_polygon point = {1, {{x, y}}};
    long double value = exact_distance(p, &point);
    return value > 0.0L ? value : 0.0L;
}

// Corners of random families, in the body frame.
typedef enum planar_family {
    FAMILY_ROUND,       // random points on an ellipse
    FAMILY_CLOUD,       // hull of a random cloud with duplicates
    FAMILY_GRID,        // small whole numbers
    FAMILY_SLIVER,      // aspect ratio up to 1e6
    FAMILY_BOX,         // axis-aligned boxes: parallel edges
    FAMILY_SHORT_EDGE,  // a corner cut off by 1e-3 ... 1e-12 of the size
    FAMILY_THIN,        // points and segments
    FAMILY_COUNT
} planar_family;

static inline int random_points(ts_rng* rng, planar_family family, ts_planar_vec* out) {
    int count = 3 + (int)(ts_rng_bits(rng) % 22);
    double size = family == FAMILY_GRID ? 1.0 : ts_rng_uniform_in(rng, 0.2, 2.0);
    switch (family) {
    case FAMILY_ROUND:
    case FAMILY_SLIVER: {
        double flat = family == FAMILY_ROUND ? ts_rng_uniform_in(rng, 0.2, 1.0) : 1.0;
        if (family == FAMILY_SLIVER)
            for (int k = (int)(ts_rng_bits(rng) % 7); k > 0; --k) flat *= 0.1;
        for (int i = 0; i < count; ++i) {
            ts_planar_pose turn = random_pose(rng, 0.0);
            out[i] = ts_planar_vec_make(size * turn.rotation.x, size * flat * turn.rotation.y);
        }
        return count;
    }
    case FAMILY_CLOUD:
        for (int i = 0; i < count; ++i) {
            out[i] = ts_planar_vec_make(ts_rng_uniform_in(rng, -size, size), ts_rng_uniform_in(rng, -size, size));
            if (i > 0 && ts_rng_bits(rng) % 3 == 0) out[i] = out[ts_rng_bits(rng) % (unsigned)i];
        }
        return count;
    case FAMILY_GRID:
        for (int i = 0; i < count; ++i)
            out[i] = ts_planar_vec_make((double)(ts_rng_bits(rng) % 9) - 4.0, (double)(ts_rng_bits(rng) % 9) - 4.0);
        return count;
    case FAMILY_BOX: {
        double x = size, y = ts_rng_uniform_in(rng, 0.1, 2.0);
        ts_planar_vec box[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
        for (int i = 0; i < 4; ++i) out[i] = box[i];
        return 4;
    }
    case FAMILY_SHORT_EDGE: {
        double cut = size;
        for (int k = 3 + (int)(ts_rng_bits(rng) % 10); k > 0; --k) cut *= 0.1;
        ts_planar_vec house[5] = {
            {-size, -size}, {size - cut, -size}, {size, -size + 0.7 * cut}, {size, size}, {-size, size}};
        for (int i = 0; i < 5; ++i) out[i] = house[i];
        return 5;
    }
    default:
        count = 1 + (int)(ts_rng_bits(rng) % 3);
        for (int i = 0; i < count; ++i)
            out[i] = ts_planar_vec_make(ts_rng_uniform_in(rng, -size, size), ts_rng_uniform_in(rng, -size, size));
        return count;
    }
}

static inline ts_planar_polygon* random_polygon(ts_rng* rng, planar_family family) {
    ts_planar_vec points[64];
    int count = random_points(rng, family, points);
    return built(points, count, 0.0);
}

#endif
