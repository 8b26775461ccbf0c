// Derivatives of the points of a manifold.
//
// Problem: ts_manifold_collide makes points in several ways, and a solver that is differentiated needs to know how each moves.
// Rule: a point's label, place and normal say how it was made; that way is differentiated (half_space_rates.c, clip_rates.c,
// edge_rates.c; a witness point by witness_rates.c). Where the normal is that of a face or a plane it moves with that shape. Only where
// the normal came from an iteration and the point from clipping is the query asked again, for the points that belong to the
// normal.
// Guaranteed: exact to rounding while the same features touch; the certificate says how far that reaches. A point that is not found
// again is UNKNOWN and has zero derivatives. Tested for every pair of kinds against differences of ts_manifold_collide itself.
// Known limits: what a height field's own rules turned away from every face's normal is UNKNOWN (composite_rates.c). Which of many points
// a manifold keeps, and what it does at its margin, is not part of a point's derivative.
#include "collision/derivative/manifold_rates_internal.h"

#include "collision/distance/proximity.h"

#include <float.h>
#include <string.h>

// The label of a witness point (manifold.c) and of the ends of segments (clip.c).
enum { LABEL_SEGMENT = 5, LABEL_SINGLE = 6 };

uint32_t ts_contact_source_label(const ts_contact_source* source, int kind, const int a[2], const int b[2]) {
    int swapped = source->pair->a->kind > source->pair->b->kind;
    return swapped ? ts_contact_label(kind, b[0], b[1], a[0], a[1]) : ts_contact_label(kind, a[0], a[1], b[0], b[1]);
}

void ts_contact_rates_hold(ts_contact_rates* rates, int side, ts_vec3 normal) {
    for (int j = 0; j < 6; ++j) rates->normal[j] = side == 2 ? ts_rate_of_direction(j, normal) : ts_vec3_zero();
}

int ts_contact_source_query(ts_contact_source* source) {
    if (source->queried) return source->queried > 0;
    const ts_moving_pair* pair = source->pair;
    ts_gjk_cache cache;
    if (source->gjk) cache = *source->gjk;
    ts_proximity p;
    ts_proximity_query(pair->a, &pair->a_at, pair->b, &pair->b_at, 0, source->gjk ? &cache : 0, &p);
    source->queried = p.status == TS_PROXIMITY_INVALID_INPUT ? -1 : 1;
    if (source->queried < 0) return 0;
    source->witness.normal = p.found.normal;
    source->witness.core_a = ts_vec3_add_scaled(p.found.point_a, -pair->a->radius, p.found.normal);
    source->witness.core_b = ts_vec3_add_scaled(p.found.point_b, pair->b->radius, p.found.normal);
    ts_witness_rates_find(pair, &source->witness, ts_vec3_orthogonal(source->witness.normal), &source->rates);
    for (int j = 0; j < 6; ++j) source->turning[j] = ts_witness_rates_normal(&source->rates, j);
    return 1;
}

// A point midway between the witness points, its gap along its own normal.
static void take_witness(const ts_contact_source* source, const ts_core_witness* w, const ts_witness_rates* rates,
                         const ts_contact_point* point, ts_contact_rates* io) {
    const ts_moving_pair* pair = source->pair;
    double ra = pair->a->radius, rb = pair->b->radius;
    ts_vec3 apart = ts_vec3_add_scaled(ts_vec3_sub(w->core_b, w->core_a), -ra - rb, w->normal);
    for (int j = 0; j < 6; ++j) {
        ts_vec3 dn = ts_witness_rates_normal(rates, j);
        ts_vec3 da = ts_vec3_add_scaled(ts_witness_rates_core_a(rates, j), ra, dn);
        ts_vec3 db = ts_vec3_add_scaled(ts_witness_rates_core_b(rates, j), -rb, dn);
        io->position[j] = ts_vec3_scale(0.5, ts_vec3_add(da, db));
        io->gap[j] = ts_vec3_dot(ts_vec3_sub(db, da), point->normal) + ts_vec3_dot(apart, io->normal[j]);
    }
    io->certificate = rates->certificate;
}

// A manifold's only point: the witness points lie on its normal, half a gap away.
static void differentiate_alone(const ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    const ts_moving_pair* pair = source->pair;
    ts_witness_rates rates;
    ts_core_witness w = {point->normal,
                         ts_vec3_add_scaled(point->position, -0.5 * point->gap - pair->a->radius, point->normal),
                         ts_vec3_add_scaled(point->position, 0.5 * point->gap + pair->b->radius, point->normal)};
    ts_witness_rates_find(pair, &w, ts_vec3_orthogonal(w.normal), &rates);
    for (int j = 0; j < 6; ++j) out->normal[j] = ts_witness_rates_normal(&rates, j);
    take_witness(source, &w, &rates, point, out);
}

// The polygon whose own normal replaced the query's: 1 A's, 2 B's, 0 neither is near.
static int side_of_normal(const ts_contact_source* source, ts_vec3 n) {
    const ts_moving_pair* pair = source->pair;
    ts_support_feature a, b;
    ts_support_feature_along(pair->a, ts_transform_direction_inverse(&pair->a_at, n), &a);
    ts_support_feature_along(pair->b, ts_transform_direction_inverse(&pair->b_at, ts_vec3_neg(n)), &b);
    double off_a = a.count > 2 ? ts_vec3_distance(ts_transform_direction(&pair->a_at, a.normal), n) : 1.0;
    double off_b = b.count > 2 ? ts_vec3_norm(ts_vec3_add(ts_transform_direction(&pair->b_at, b.normal), n)) : 1.0;
    if (fmin(off_a, off_b) > 1e-9) return 0;
    if (fabs(off_a - off_b) <= 1e-12 && source->reference) return source->reference;
    return off_a <= off_b ? 1 : 2;
}

// The witness point beside clipped ones.
static int differentiate_witness(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    if (!ts_contact_source_query(source)) return 0;
    memcpy(out->normal, source->turning, sizeof out->normal);
    if (ts_vec3_distance(source->witness.normal, point->normal) > 1e-12) {
        int side = side_of_normal(source, point->normal);
        if (side) ts_contact_rates_hold(out, side, point->normal);
    }
    take_witness(source, &source->witness, &source->rates, point, out);
    return 1;
}

static int is_sharp_box(const ts_shape* shape) { return shape->kind == TS_SHAPE_BOX && shape->radius == 0.0; }

int ts_contact_source_differentiate(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    const ts_shape *a = source->pair->a, *b = source->pair->b;
    if (a->kind == TS_SHAPE_PLANE || b->kind == TS_SHAPE_PLANE) return ts_half_space_rates(source, point, out);
    int one = a->kind == TS_SHAPE_SPHERE || b->kind == TS_SHAPE_SPHERE;
    if (one || point->feature == ts_contact_label(LABEL_SINGLE, -1, -1, -1, -1)) {
        if (!source->alone) return differentiate_witness(source, point, out);
        differentiate_alone(source, point, out);
        return 1;
    }
    for (int k = 0; k < 2; ++k)
        if (point->feature == ts_contact_label(LABEL_SEGMENT, k, k, k, k)) return ts_segment_rates(source, point, out);
    if (source->alone && is_sharp_box(a) && is_sharp_box(b) && ts_box_edge_rates(source, point, out)) return 1;
    return ts_clip_rates(source, point, out);
}

static ts_contact_point contact_point(const ts_manifold_point* from, ts_vec3 origin) {
    ts_contact_point point = {ts_vec3_sub(from->position, origin), from->normal, from->gap, from->feature};
    return point;
}

static void store(const ts_contact_rates* rates, ts_manifold_derivative_point* out) {
    for (int j = 0; j < 6; ++j) {
        out->gap[j] = rates->gap[j];
        for (int i = 0; i < 3; ++i) {
            out->position[i][j] = ts_vec3_get(rates->position[j], i);
            out->normal[i][j] = ts_vec3_get(rates->normal[j], i);
        }
    }
    out->certificate = rates->certificate;
}

ts_contact_source ts_contact_source_make(const ts_moving_pair* pair, const ts_manifold_cache* cache, double rounding) {
    ts_contact_source source;
    int swapped = pair->a->kind > pair->b->kind;
    memset(&source, 0, sizeof source);
    source.pair = pair;
    source.gjk = cache ? &cache->gjk : 0;
    source.reference = !cache || !cache->reference ? 0 : (swapped ? 3 - cache->reference : cache->reference);
    source.rounding = rounding;
    return source;
}

int ts_manifold_derivative(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                           const ts_manifold* manifold, const ts_manifold_cache* cache,
                           ts_manifold_derivative_point* out_points) {
    if (manifold->count == 0) return 0;
    ts_moving_pair pair = ts_moving_pair_make(a, pose_a, b, pose_b);
    int convex = ts_shape_is_convex(a) && ts_shape_is_convex(b), regular = 0, lowest = 0;
    double rounding = 64.0 * DBL_EPSILON * (ts_vec3_max_abs(pose_a->p) + ts_vec3_max_abs(pose_b->p));
    ts_contact_source source = ts_contact_source_make(&pair, cache, rounding);
    for (int k = 1; k < manifold->count; ++k)
        if (manifold->point[k].gap < manifold->point[lowest].gap) lowest = k;
    source.alone = manifold->count == 1;
    source.lowest = contact_point(&manifold->point[lowest], pose_b->p);
    for (int k = 0; k < manifold->count; ++k) {
        ts_contact_point point = contact_point(&manifold->point[k], pose_b->p);
        ts_contact_rates rates;
        if (convex ? ts_contact_source_differentiate(&source, &point, &rates)
                   : ts_composite_rates(&pair, &point, rounding, &rates)) {
            store(&rates, &out_points[k]);
        } else {
            memset(&out_points[k], 0, sizeof out_points[k]);
            out_points[k].certificate.flags = TS_DERIVATIVE_UNKNOWN;
        }
        regular += out_points[k].certificate.flags == 0;
    }
    return regular;
}
