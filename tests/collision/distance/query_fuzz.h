// Random queries that are hard on purpose, and a judge that believes nothing: every bound of an answer is recomputed here
// in extended precision, from support values written out per kind. A case is made from a seed and a number alone, so any
// one of millions can be had again.
#ifndef TS_TESTS_QUERY_FUZZ_H
#define TS_TESTS_QUERY_FUZZ_H

#include "collision/distance/proximity.h"
#include "tests/collision/collision_fixture.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { FUZZ_HULLS = 160, FUZZ_WHY = 400 };

/// Hulls to draw from, made once per process.
typedef struct fuzz_pool {
    ts_hull* hull[FUZZ_HULLS];
} fuzz_pool;

/// What a case remembers before its query.
typedef enum fuzz_memory {
    FUZZ_NO_CACHE,
    FUZZ_ZERO,
    FUZZ_EXACT,    // of the same query
    FUZZ_NEAR,     // of the same pair, moved a little
    FUZZ_FOREIGN,  // of another pair
    FUZZ_GARBAGE,  // numbers of any size
    FUZZ_NAN,
    FUZZ_MEMORY_COUNT
} fuzz_memory;

typedef struct fuzz_case {
    ts_shape a, b;
    ts_transform pa, pb;
    double size;      // m: what rounding is relative to, within the pair
    double far;       // m: the same for world coordinates
    wide3 n;          // a unit direction along which the gap is known
    long double gap;  // m: that gap; the signed distance is no less
    int opposite;     // the support points along n face each other: the distance is no more either, if apart
    fuzz_memory memory;
    ts_gjk_cache cache;
    ts_proximity_options options;
} fuzz_case;

// --- extended precision ----------------------------------------------------------------------------------------------

static inline wide3 wide_transposed(const ts_mat3* R, wide3 v) {
    wide3 r = {R->m[0][0] * v.x + R->m[1][0] * v.y + R->m[2][0] * v.z,
               R->m[0][1] * v.x + R->m[1][1] * v.y + R->m[2][1] * v.z,
               R->m[0][2] * v.x + R->m[1][2] * v.y + R->m[2][2] * v.z};
    return r;
}

static inline long double wide_norm(wide3 v) { return sqrtl(wide_dot(v, v)); }

/// The support value of a core in its own frame.
static inline long double wide_core_support(const ts_shape* s, wide3 d) {
    long double x = s->half.x, y = s->half.y, z = s->half.z, best = -INFINITY;
    switch (s->kind) {
    case TS_SHAPE_CAPSULE: return z * fabsl(d.z);
    case TS_SHAPE_ELLIPSOID: return sqrtl(x * x * d.x * d.x + y * y * d.y * d.y + z * z * d.z * d.z);
    case TS_SHAPE_CYLINDER: return x * sqrtl(d.x * d.x + d.y * d.y) + z * fabsl(d.z);
    case TS_SHAPE_CONE: {
        long double base = x * sqrtl(d.x * d.x + d.y * d.y) - z * d.z, apex = z * d.z;
        return base > apex ? base : apex;
    }
    case TS_SHAPE_BOX: return x * fabsl(d.x) + y * fabsl(d.y) + z * fabsl(d.z);
    case TS_SHAPE_TRIANGLE:
        for (int i = 0; i < 3; ++i) {
            long double value = wide_dot(wide(s->triangle[i]), d);
            best = value > best ? value : best;
        }
        return best;
    case TS_SHAPE_HULL:
        for (int i = 0; i < s->hull->vertex_count; ++i) {
            long double value = wide_dot(wide(s->hull->vertex[i]), d);
            best = value > best ? value : best;
        }
        return best;
    case TS_SHAPE_SPHERE:
    case TS_SHAPE_PLANE: return 0.0L;
    default: {  // a kind that somebody added: its own farthest point, which others compare with its neighbours
        ts_vec3 towards = ts_vec3_make((double)d.x, (double)d.y, (double)d.z);
        return wide_dot(wide(ts_support_core(s, towards, -1).point), d);
    }
    }
}

/// The gap of the placed shapes along a unit direction of the world: no more than their signed distance.
static inline long double wide_gap(const fuzz_case* c, wide3 n) {
    wide3 back = {-n.x, -n.y, -n.z};
    long double between = wide_dot(n, wide_sub(wide(c->pb.p), wide(c->pa.p)));
    long double of_a = wide_core_support(&c->a, wide_transposed(&c->pa.R, n)) + c->a.radius;
    return between - of_a - wide_core_support(&c->b, wide_transposed(&c->pb.R, back)) - c->b.radius;
}

/// How far a point lies outside a core as seen along many directions: no more than its distance.
static inline double flat_outside(const ts_shape* s, wide3 w) {
    ts_rng rng = ts_rng_make(5, 0);
    double worst = 0.0;
    for (int k = 0; k < 40; ++k) {
        wide3 d = wide(k < 6 ? ts_vec3_scale(k % 2 ? 1.0 : -1.0, ts_vec3_axis(k / 2)) : random_unit(&rng));
        double off = (double)((wide_dot(w, d) - wide_core_support(s, d)) / wide_norm(d));
        worst = off > worst ? off : worst;
    }
    return worst;
}

/// How far a witness lies outside the core of its shape, its ball taken off along the normal.
static inline double witness_outside(const ts_shape* s, const ts_transform* pose, ts_vec3 point, wide3 n,
                                     double radius) {
    wide3 w = wide_sub(wide(point), wide(pose->p));
    w.x -= radius * n.x;
    w.y -= radius * n.y;
    w.z -= radius * n.z;
    w = wide_transposed(&pose->R, w);
    ts_vec3 p = ts_vec3_make((double)w.x, (double)w.y, (double)w.z), h = s->half;
    switch (s->kind) {
    case TS_SHAPE_ELLIPSOID: break;
    case TS_SHAPE_PLANE:
    case TS_SHAPE_SPHERE:
    case TS_SHAPE_CAPSULE:
    case TS_SHAPE_CYLINDER:
    case TS_SHAPE_CONE:
    case TS_SHAPE_TRIANGLE:
    case TS_SHAPE_BOX: return outside_core(s, p);
    case TS_SHAPE_HULL: return s->hull->rank < 3 ? flat_outside(s, w) : outside_core(s, p);
    default: return flat_outside(s, w);  // a kind that somebody added
    }
    // To first order, the distance.
    long double u = w.x / h.x, v = w.y / h.y, t = w.z / h.z, r = sqrtl(u * u + v * v + t * t);
    long double slope = sqrtl(u * u / h.x / h.x + v * v / h.y / h.y + t * t / h.z / h.z) / r;
    return r > 1.0L ? (double)((r - 1.0L) / slope) : (double)((r - 1.0L) * h.x);
}

// --- making cases ----------------------------------------------------------------------------------------------------

static inline double log_uniform(ts_rng* rng, double low, double high) {
    return low * pow(high / low, ts_rng_uniform_in(rng, 0.0, 1.0));
}

static inline int choose(ts_rng* rng, int count) {
    int i = (int)ts_rng_uniform_in(rng, 0.0, (double)count);
    return i < count ? i : count - 1;
}

/// Three lengths of a common size whose ratio goes up to a million.
static inline ts_vec3 random_lengths(ts_rng* rng, double size) {
    double aspect = choose(rng, 2) ? 10.0 : log_uniform(rng, 10.0, 1e6);
    double v[3];
    for (int i = 0; i < 3; ++i) v[i] = size * (choose(rng, 3) ? log_uniform(rng, 1.0 / aspect, 1.0) : 1.0);
    v[choose(rng, 3)] = size;
    return ts_vec3_make(v[0], v[1], v[2]);
}

static inline ts_hull* fuzz_hull(ts_rng* rng) {
    static const int counts[8] = {4, 5, 8, 16, 32, 64, 150, 400};
    ts_vec3 points[400], size = random_lengths(rng, log_uniform(rng, 1e-4, 1e3));
    int count = counts[choose(rng, 8)], kind = choose(rng, 4);
    for (int i = 0; i < count; ++i) {
        ts_vec3 p = random_unit(rng);
        if (kind == 1) p = ts_vec3_make(choose(rng, 5) - 2.0, choose(rng, 5) - 2.0, choose(rng, 5) - 2.0);
        if (kind == 2) p = random_vector(rng, 1.0);
        points[i] = ts_vec3_mul(p, size);
    }
    // A few are flat, straight, or a point.
    if (choose(rng, 8) == 0)
        for (int i = 0, flat = choose(rng, 3) + 1; i < count; ++i)
            points[i] = ts_vec3_make(flat > 2 ? size.x : points[i].x, flat > 1 ? 0.0 : points[i].y, 0.0);
    ts_hull* hull = 0;
    return ts_hull_build_any(points, count, &hull, 0, 0) == TS_OK ? hull : 0;
}

static inline void fuzz_pool_make(fuzz_pool* pool, unsigned long long seed) {
    ts_rng rng = ts_rng_make(seed, 0);
    for (int i = 0; i < FUZZ_HULLS; ++i) do
            pool->hull[i] = fuzz_hull(&rng);
        while (!pool->hull[i]);
}

static inline void fuzz_pool_free(fuzz_pool* pool) {
    for (int i = 0; i < FUZZ_HULLS; ++i) ts_hull_free(pool->hull[i]);
}

static inline ts_shape fuzz_shape(ts_rng* rng, const fuzz_pool* pool, ts_shape_kind kind, double size) {
    ts_vec3 h = random_lengths(rng, size);
    ts_shape shape;
    switch (kind) {
    case TS_SHAPE_SPHERE: return ts_shape_sphere(h.x);
    case TS_SHAPE_CAPSULE: return ts_shape_capsule(h.x, h.y);
    case TS_SHAPE_ELLIPSOID: shape = ts_shape_ellipsoid(h); break;
    case TS_SHAPE_CYLINDER: shape = ts_shape_cylinder(h.x, h.y); break;
    case TS_SHAPE_CONE: shape = ts_shape_cone(h.x, h.y); break;
    case TS_SHAPE_TRIANGLE: {
        ts_vec3 p = ts_vec3_mul(random_vector(rng, 1.0), h), q = ts_vec3_mul(random_vector(rng, 1.0), h);
        shape = ts_shape_triangle(borrow_corners(p, q, ts_vec3_mul(random_vector(rng, 1.0), h)));
        break;
    }
    case TS_SHAPE_BOX: shape = ts_shape_box(h); break;
    case TS_SHAPE_HULL: shape = ts_shape_hull(pool->hull[choose(rng, FUZZ_HULLS)]); break;
    case TS_SHAPE_PLANE: return ts_shape_plane();
    default: {
        const double value[TS_SHAPE_PARAMETERS_MOST] = {h.x, h.y, h.z};
        shape = ts_shape_make(kind, value);
    }
    }
    if (choose(rng, 4) == 0) shape.radius = size * log_uniform(rng, 1e-6, choose(rng, 3) ? 1.0 : 1e6);
    return shape;
}

static inline ts_mat3 fuzz_rotation(ts_rng* rng) {
    static const double right = 1.5707963267948966;
    switch (choose(rng, 6)) {
    case 0: return ts_mat3_identity();
    case 1: return turn(choose(rng, 3), right * choose(rng, 4));
    case 2: return turn(choose(rng, 3), log_uniform(rng, 1e-12, 1e-2));
    default: return random_rotation(rng);
    }
}

/// A direction along which features tend to face each other: an axis or a face of one of the two, or any.
static inline ts_vec3 fuzz_direction(ts_rng* rng, const fuzz_case* c) {
    double sign = choose(rng, 2) ? 1.0 : -1.0;
    const ts_shape* shape = choose(rng, 2) ? &c->a : &c->b;
    const ts_mat3* R = shape == &c->a ? &c->pa.R : &c->pb.R;
    switch (choose(rng, 3)) {
    case 0:
        if (shape->kind == TS_SHAPE_HULL && shape->hull->face_count > 0)
            return ts_vec3_scale(sign,
                                 ts_mat3_mul_vec(R, shape->hull->face_normal[choose(rng, shape->hull->face_count)]));
        return ts_vec3_scale(sign, ts_mat3_column(R, choose(rng, 3)));
    default: return random_unit(rng);
    }
}

static inline double fuzz_gap(ts_rng* rng, double deep, double size) {
    static const double small[5] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15};
    double sign = choose(rng, 2) ? 1.0 : -1.0;
    switch (choose(rng, 5)) {
    case 0: return 0.0;
    case 1: return -deep * ts_rng_uniform_in(rng, 0.0, 1.5);
    case 2: return size * log_uniform(rng, 1e-3, 100.0);
    default: return sign * size * small[choose(rng, 5)];
    }
}

static inline double fuzz_reach(const ts_shape* s) {
    return s->kind == TS_SHAPE_PLANE ? 0.0 : ts_shape_bounding_radius(s);
}

static inline void fuzz_place(ts_rng* rng, fuzz_case* c) {
    double ra = fuzz_reach(&c->a), rb = fuzz_reach(&c->b);
    c->pa.R = fuzz_rotation(rng);
    c->pb.R = choose(rng, 3) ? fuzz_rotation(rng) : c->pa.R;
    c->pa.p = c->pb.p = ts_vec3_zero();
    if (choose(rng, 3) == 0) c->pa.p = random_vector(rng, ra + rb);
    if (choose(rng, 12) == 0) c->pa.p = random_vector(rng, log_uniform(rng, 1.0, 1e6));
    ts_vec3 n = fuzz_direction(rng, c);
    if (c->a.kind == TS_SHAPE_PLANE) n = ts_mat3_column(&c->pa.R, 2);
    if (c->b.kind == TS_SHAPE_PLANE) n = ts_vec3_neg(ts_mat3_column(&c->pb.R, 2));
    ts_vec3 sa = ts_vec3_zero(), sb = ts_vec3_zero();
    if (c->a.kind != TS_SHAPE_PLANE)
        sa = ts_mat3_mul_vec(&c->pa.R, ts_support_core(&c->a, ts_transform_direction_inverse(&c->pa, n), -1).point);
    if (c->b.kind != TS_SHAPE_PLANE)
        sb = ts_mat3_mul_vec(&c->pb.R,
                             ts_support_core(&c->b, ts_transform_direction_inverse(&c->pb, ts_vec3_neg(n)), -1).point);
    double deep = (ra < rb ? ra : rb) + (ra < rb ? rb : ra) * 0.1;
    double gap = fuzz_gap(rng, deep, ra + rb) + c->a.radius + c->b.radius;
    c->opposite = choose(rng, 3) > 0;
    ts_vec3 offset = ts_vec3_add_scaled(ts_vec3_sub(sa, sb), gap, n);
    if (!c->opposite) {
        ts_vec3 aside = random_vector(rng, ra + rb);
        offset = ts_vec3_add(offset, ts_vec3_add_scaled(aside, -ts_vec3_dot(aside, n), n));
    }
    if (choose(rng, 25) == 0) offset = ts_vec3_zero();  // concentric
    c->pb.p = ts_vec3_add(c->pa.p, offset);
    ts_vec3 apart = ts_vec3_sub(c->pb.p, c->pa.p);
    if (ts_vec3_distance(apart, offset) > 0.0 || ts_vec3_max_abs(offset) <= 0.0) c->opposite = 0;
    c->size = ra + rb + ts_vec3_norm(apart);
    c->far = ts_vec3_norm(c->pa.p) + ts_vec3_norm(c->pb.p);
    long double length = wide_norm(wide(n));
    c->n = wide(n);
    c->n.x /= length;
    c->n.y /= length;
    c->n.z /= length;
    int planes = c->a.kind == TS_SHAPE_PLANE || c->b.kind == TS_SHAPE_PLANE;
    c->gap = planes ? -(long double)INFINITY : wide_gap(c, c->n);
}

static inline double garbage_number(ts_rng* rng) {
    static const double odd[10] = {0.0, -0.0, 1e-310, 1e-160, 1e160, 1e308, -1e308, 1.0, -1.0, 1e-8};
    int k = choose(rng, 12);
    return k < 10 ? odd[k] : ts_rng_normal(rng);
}

static inline int garbage_integer(ts_rng* rng) {
    static const int odd[10] = {0, 1, -1, 2, 7, 400, 1000000, -1000000, 2147483647, -2147483647 - 1};
    return odd[choose(rng, 10)];
}

static inline void fuzz_garbage(ts_rng* rng, int nan, ts_gjk_cache* cache) {
    double v[10];
    for (int i = 0; i < 10; ++i) {
        v[i] = garbage_number(rng);
        if (nan && choose(rng, 2)) v[i] = choose(rng, 2) ? (double)NAN : (choose(rng, 2) ? INFINITY : -INFINITY);
    }
    cache->normal = ts_vec3_make(v[0], v[1], v[2]);
    cache->distance = v[3];
    cache->point_a = ts_vec3_make(v[4], v[5], v[6]);
    cache->point_b = ts_vec3_make(v[7], v[8], v[9]);
    cache->hint_a = garbage_integer(rng);
    cache->hint_b = garbage_integer(rng);
    cache->rank = garbage_integer(rng);
    for (int i = 0; i < 4; ++i) {
        cache->simplex_a[i] = garbage_integer(rng);
        cache->simplex_b[i] = garbage_integer(rng);
    }
}

static inline void fuzz_pair(ts_rng* rng, const fuzz_pool* pool, fuzz_case* c) {
    int ka, kb;
    do {
        ka = choose(rng, TS_SHAPE_CONVEX_COUNT);
        kb = choose(rng, TS_SHAPE_CONVEX_COUNT);
    } while (ka == TS_SHAPE_PLANE && kb == TS_SHAPE_PLANE);
    double size = log_uniform(rng, 1e-4, 1e3);
    double other = choose(rng, 3) ? size * log_uniform(rng, 0.1, 10.0) : log_uniform(rng, 1e-4, 1e3);
    c->a = fuzz_shape(rng, pool, (ts_shape_kind)ka, size);
    c->b = fuzz_shape(rng, pool, (ts_shape_kind)kb, other);
    fuzz_place(rng, c);
}

/// Case `number` of a seed. It runs queries of its own to fill the cache.
static inline void fuzz_make(const fuzz_pool* pool, unsigned long long seed, unsigned long long number, fuzz_case* c) {
    ts_rng rng = ts_rng_make(seed, number + 1);
    ts_proximity ignored;
    c->options = ts_proximity_options_default();
    c->cache = ts_gjk_cache_none();
    c->memory = (fuzz_memory)choose(&rng, FUZZ_MEMORY_COUNT);
    if (c->memory == FUZZ_FOREIGN) {
        fuzz_case other;
        fuzz_pair(&rng, pool, &other);
        ts_proximity_query(&other.a, &other.pa, &other.b, &other.pb, 0, &c->cache, &ignored);
    }
    fuzz_pair(&rng, pool, c);
    if (c->memory == FUZZ_EXACT || c->memory == FUZZ_NEAR) {
        ts_transform moved = c->pb;
        if (c->memory == FUZZ_NEAR) {
            double step = c->size * log_uniform(&rng, 1e-12, 1.0);
            moved.p = ts_vec3_add_scaled(moved.p, step, random_unit(&rng));
            moved.R = ts_mat3_mul(moved.R, turn(choose(&rng, 3), log_uniform(&rng, 1e-9, 1.0)));
        }
        ts_proximity_query(&c->a, &c->pa, &c->b, &moved, 0, &c->cache, &ignored);
    }
    if (c->memory == FUZZ_GARBAGE || c->memory == FUZZ_NAN) fuzz_garbage(&rng, c->memory == FUZZ_NAN, &c->cache);
    if (choose(&rng, 2)) c->options.start = (ts_gjk_start)choose(&rng, TS_GJK_START_COUNT);
    if (choose(&rng, 2)) c->options.variant = (ts_gjk_variant)choose(&rng, TS_GJK_VARIANT_COUNT);
    if (choose(&rng, 3) == 0) c->options.method = TS_PROXIMITY_GJK;
}

// --- judging answers -------------------------------------------------------------------------------------------------

#define FUZZ_BLAME(...)                       \
    do {                                      \
        snprintf(why, FUZZ_WHY, __VA_ARGS__); \
        return 0;                             \
    } while (0)

static inline int is_curved(const ts_shape* s) { return s->kind != TS_SHAPE_PLANE && !ts_support_is_polytope(s); }

static inline int fuzz_finite(const ts_proximity* p) {
    return isfinite(p->distance) && isfinite(p->found.lower) && isfinite(p->found.upper) &&
           ts_vec3_is_finite(p->found.normal) && ts_vec3_is_finite(p->found.point_a) &&
           ts_vec3_is_finite(p->found.point_b);
}

/// Directions that may beat the answer's: axes of both shapes and random ones near the normal and anywhere.
static inline long double fuzz_best_of_others(const fuzz_case* c, ts_vec3 normal, unsigned long long number) {
    ts_rng rng = ts_rng_make(number, 99);
    long double best = -(long double)INFINITY;
    for (int k = 0; k < 12; ++k) {
        ts_vec3 d = k < 3 ? ts_mat3_column(&c->pa.R, k) : k < 6 ? ts_mat3_column(&c->pb.R, k - 3) : random_unit(&rng);
        if (k >= 9) d = ts_vec3_add_scaled(normal, pow(0.01, k - 8), d);
        long double length = wide_norm(wide(d));
        wide3 n = {d.x / length, d.y / length, d.z / length}, m = {-n.x, -n.y, -n.z};
        long double value = wide_gap(c, n), other = wide_gap(c, m);
        best = value > best ? value : best;
        best = other > best ? other : best;
    }
    return best;
}

/// How far apart the bounds may stay, relative to the distance. In deep overlaps of round shapes EPA proves two digits; the
/// lower bound, which is the answer, has all of them.
static inline double fuzz_relative(const fuzz_case* c, const ts_proximity* p) {
    int plane = c->a.kind == TS_SHAPE_PLANE || c->b.kind == TS_SHAPE_PLANE;
    int curved = !plane && (is_curved(&c->a) || is_curved(&c->b));
    return p->distance > 0.0 ? 1e-8 : (curved ? 2e-2 : 1e-9);
}

/// Nonzero when the witnesses belong to the shapes as closely as the bounds allow.
static inline int fuzz_witnesses_belong(const fuzz_case* c, const ts_proximity* p, char* why) {
    double L = c->size;
    wide3 n = wide(p->found.normal), back = {-n.x, -n.y, -n.z};
    double off_a = witness_outside(&c->a, &c->pa, p->found.point_a, n, c->a.radius);
    double off_b = witness_outside(&c->b, &c->pb, p->found.point_b, back, c->b.radius);
    double off = off_a > off_b ? off_a : off_b;
    // The nearest point of a convex set is as far off as the root of what the bounds leave open, and no more.
    double cores = fabs(p->distance) + c->a.radius + c->b.radius, apart = p->distance + c->a.radius + c->b.radius;
    double root = 4.0 * sqrt(cores * (p->found.upper - p->found.lower + 8.0 * DBL_EPSILON * (L + c->far)));
    // Two curved surfaces that nearly touch do so anywhere within the root of rounding.
    double smooth = is_curved(&c->a) && is_curved(&c->b) ? 5e-8 * L : 0.0;
    double allowed = 1e-10 * L + smooth + (apart > 0.0 ? root : 1e-6 * L);
    if (!(off <= allowed + 16.0 * DBL_EPSILON * c->far)) FUZZ_BLAME("member: a witness is %g L outside", off / L);
    return 1;
}

/// Nonzero when the bounds meet and the witnesses belong to the shapes. Slivers and features parallel to rounding keep a
/// few answers in a hundred thousand from that; their bounds are true all the same. Else 0 and the reason.
static inline int fuzz_is_sharp(const fuzz_case* c, const ts_proximity* p, char* why) {
    if (!(p->found.upper - p->found.lower <= fuzz_relative(c, p) * fabs(p->distance) + 1e-12 * c->size))
        FUZZ_BLAME("open: [%.17g, %.17g], %g of it, %g L", p->found.lower, p->found.upper,
                   (p->found.upper - p->found.lower) / fabs(p->distance), (p->found.upper - p->found.lower) / c->size);
    return fuzz_witnesses_belong(c, p, why);
}

/// What every answer to the distance question must satisfy. Returns 0 and writes what is wrong into `why` (FUZZ_WHY).
static inline int fuzz_judge(const fuzz_case* c, const ts_proximity* p, unsigned long long number, char* why) {
    double L = c->size, rounding = 1e-12 * L + 16.0 * DBL_EPSILON * c->far;
    int plane = c->a.kind == TS_SHAPE_PLANE || c->b.kind == TS_SHAPE_PLANE;
    if (p->status != TS_PROXIMITY_SEPARATED && p->status != TS_PROXIMITY_TOUCHING &&
        p->status != TS_PROXIMITY_PENETRATING)
        FUZZ_BLAME("status: %s", ts_proximity_status_name(p->status));
    if (!fuzz_finite(p)) FUZZ_BLAME("finite: distance %g", p->distance);
    if (!(p->found.lower <= p->distance && p->distance <= p->found.upper))
        FUZZ_BLAME("order: %.17g <= %.17g <= %.17g", p->found.lower, p->distance, p->found.upper);
    long double length = wide_norm(wide(p->found.normal));
    if (!(fabsl(length - 1.0L) <= 1e-14L)) FUZZ_BLAME("unit: |n| - 1 = %Lg", length - 1.0L);
    wide3 n = {p->found.normal.x / length, p->found.normal.y / length, p->found.normal.z / length};
    // The witnesses span the distance along the normal.
    wide3 rest = wide_sub(wide(p->found.point_a), wide(p->found.point_b));
    rest.x += p->distance * n.x;
    rest.y += p->distance * n.y;
    rest.z += p->distance * n.z;
    if (!(wide_norm(rest) <= 1e-10L * L + 16.0 * DBL_EPSILON * c->far)) FUZZ_BLAME("span: %Lg L", wide_norm(rest) / L);
    // The lower bound is the gap along the normal.
    if (!plane) {
        long double value = wide_gap(c, n);
        if (!(p->found.lower <= value + rounding))
            FUZZ_BLAME("lower: %.17g, plane %.17Lg, %Lg L", p->found.lower, value, (p->found.lower - value) / L);
        // Nothing else does better than the upper bound.
        long double best = fuzz_best_of_others(c, p->found.normal, number);
        if (c->gap > best) best = c->gap;
        // (Of EPA's upper bound, planes through three points of a sliver, rounding takes more digits.)
        double inscribed = p->distance > 0.0 ? rounding : 1e-10 * L + rounding;
        if (!(best <= p->found.upper + inscribed))
            FUZZ_BLAME("upper: %.17g, another plane %.17Lg, %Lg L", p->found.upper, best, (best - p->found.upper) / L);
        if (c->opposite && c->gap > 0.0L && !(p->found.lower <= c->gap + rounding))
            FUZZ_BLAME("known: lower %.17g, known %.17Lg", p->found.lower, c->gap);
        // Verdicts.
        if (best > 1e-12L * L + rounding && p->status == TS_PROXIMITY_PENETRATING)
            FUZZ_BLAME("verdict: overlap claimed, %Lg L apart", best / L);
    }
    return 1;
}

/// A verdict against a judged distance.
static inline int fuzz_judge_verdict(const fuzz_case* c, const ts_proximity* p, const ts_proximity* v, char* why) {
    double slack = 1e-12 * c->size + 16.0 * DBL_EPSILON * c->far;
    if (v->status == TS_PROXIMITY_TOUCHING && p->found.lower <= slack && p->found.upper >= -slack) return 1;
    if (v->status != TS_PROXIMITY_SEPARATED_EARLY && v->status != TS_PROXIMITY_OVERLAP_EARLY)
        FUZZ_BLAME("verdict status: %s at %g L", ts_proximity_status_name(v->status), p->distance / c->size);
    if (v->status == TS_PROXIMITY_SEPARATED_EARLY && p->found.upper < -slack)
        FUZZ_BLAME("false apart: %g L", p->found.upper / c->size);
    if (v->status == TS_PROXIMITY_OVERLAP_EARLY && p->found.lower > slack)
        FUZZ_BLAME("false overlap: %g L", p->found.lower / c->size);
    if (!(v->found.lower <= p->found.upper + slack && v->found.upper >= p->found.lower - slack))
        FUZZ_BLAME("verdict bounds: [%g, %g] against [%g, %g]", v->found.lower, v->found.upper, p->found.lower,
                   p->found.upper);
    return 1;
}

// --- saying what a case was ------------------------------------------------------------------------------------------

static inline void fuzz_print_side(FILE* out, const char* name, const ts_shape* s, const ts_transform* pose) {
    fprintf(out, "  %s: %s radius %.17g half {%.17g, %.17g, %.17g}", name, ts_shape_kind_name(s->kind), s->radius,
            s->half.x, s->half.y, s->half.z);
    if (s->kind == TS_SHAPE_TRIANGLE)
        for (int i = 0; i < 3; ++i)
            fprintf(out, " (%.17g, %.17g, %.17g)", s->triangle[i].x, s->triangle[i].y, s->triangle[i].z);
    if (s->kind == TS_SHAPE_HULL) fprintf(out, " hull of %d vertices", s->hull->vertex_count);
    fprintf(out, "\n     R {");
    for (int i = 0; i < 9; ++i) fprintf(out, "%.17g%s", pose->R.m[i / 3][i % 3], i < 8 ? ", " : "}");
    fprintf(out, " p {%.17g, %.17g, %.17g}\n", pose->p.x, pose->p.y, pose->p.z);
}

static inline void fuzz_print(FILE* out, const fuzz_case* c) {
    static const char* const memory[FUZZ_MEMORY_COUNT] = {"none", "zero", "exact", "near", "foreign", "garbage", "nan"};
    fuzz_print_side(out, "A", &c->a, &c->pa);
    fuzz_print_side(out, "B", &c->b, &c->pb);
    fprintf(out, "     size %g far %g known gap %Lg%s; cache %s, start %s, variant %s, method %s\n", c->size, c->far,
            c->gap, c->opposite ? " (opposite)" : "", memory[c->memory], ts_gjk_start_name(c->options.start),
            ts_gjk_variant_name(c->options.variant), ts_proximity_method_name(c->options.method));
}

#endif
