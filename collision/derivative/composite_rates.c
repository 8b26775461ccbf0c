// Derivatives of points of height fields and compounds (composite.c).
//
// Problem: such a point was made by two convex parts, which it does not name. Rule: the parts whose boxes reach its two surface points
// are put together again, as the manifold did; the pair that makes this very point is differentiated (manifold_derivative.c). On
// a height field that is the clipped contact over a triangle along its own normal, or the convex pair with the prism.
// Guaranteed: as for convex pairs. Where two pairs make the point and disagree about how it moves it is on a seam: BORDER.
// Known limits: a normal that a height field turned away from all its faces' is not found again. That a neighbouring triangle is about to
// take the contact over, with another normal, is not foreseen.
#include "collision/derivative/manifold_rates_internal.h"
#include "collision/shape/convex_parts.h"
#include "collision/shape/support.h"

#include <string.h>

// 1: of the parts' size: how far a point that is made again may be off, and in how far two seams' rates may differ.
static const double SAME = 1e-9;
static const double SAME_RATE = 1e-6;

// What is looked for, and what was found.
typedef struct search {
    const ts_moving_pair* whole;
    const ts_contact_point* point;
    double rounding;  // m
    int found;
    ts_contact_rates* rates;
} search;

// A pair of parts in the axes of the whole pair.
typedef struct part_pair {
    ts_moving_pair moving;
    ts_shape_pair seen;
    double size;  // m
} part_pair;

static double size_of(const ts_shape* shape) {
    if (shape->kind == TS_SHAPE_PLANE) return (double)INFINITY;
    ts_vec3 low, high;
    ts_shape_local_box(shape, &low, &high);
    return ts_vec3_max_abs(ts_vec3_sub(high, low));
}

// The point of a list, from A's frame, that is the one looked for; -1 where there is none.
static int find_again(const search* s, const part_pair* parts, const ts_contact_list* list) {
    double allowed = SAME * parts->size + s->rounding;
    ts_vec3 n = ts_transform_direction(&parts->moving.a_at, list->normal);
    if (!(ts_vec3_distance(n, s->point->normal) <= SAME)) return -1;
    for (int k = 0; k < list->count; ++k) {
        ts_vec3 p = ts_transform_point(&parts->moving.a_at, list->point[k].position);
        if (fabs(list->point[k].gap - s->point->gap) <= allowed && ts_vec3_distance(p, s->point->position) <= allowed)
            return k;
    }
    return -1;
}

static void take(search* s, const ts_contact_rates* rates) {
    if (s->found++ == 0) {
        *s->rates = *rates;
        return;
    }
    for (int j = 0; j < 6; ++j)
        if (fabs(rates->gap[j] - s->rates->gap[j]) > SAME_RATE * (1.0 + fabs(rates->gap[j])) ||
            ts_vec3_distance(rates->position[j], s->rates->position[j]) > SAME_RATE ||
            ts_vec3_distance(rates->normal[j], s->rates->normal[j]) > SAME_RATE)
            s->rates->certificate.flags |= TS_DERIVATIVE_BORDER;
    s->rates->certificate = ts_derivative_certificate_least(s->rates->certificate, rates->certificate);
}

// Differentiates the point where it is in the list. `ground`: 0, or the side whose own normal the list has by rule.
static int take_list(search* s, const part_pair* parts, const ts_contact_list* list, const ts_manifold_cache* cache,
                     int ground) {
    int at = find_again(s, parts, list), lowest = 0;
    if (at < 0) return 0;
    for (int k = 1; k < list->count; ++k)
        if (list->point[k].gap < list->point[lowest].gap) lowest = k;
    ts_contact_source source = ts_contact_source_make(&parts->moving, cache, s->rounding);
    source.alone = list->count == 1 && !ground;
    source.lowest = *s->point;
    source.lowest.position = ts_transform_point(&parts->moving.a_at, list->point[lowest].position);
    source.lowest.gap = list->point[lowest].gap;
    source.lowest.feature = list->point[lowest].feature;
    ts_contact_point point = *s->point;
    point.feature = list->point[at].feature;
    if (ground) {
        source.reference = ground;
        source.snap_known = 1;
        source.snap = ts_derivative_certificate_fine();
    }
    ts_contact_rates rates;
    int known =
        ground ? ts_clip_rates(&source, &point, &rates) : ts_contact_source_differentiate(&source, &point, &rates);
    if (known) take(s, &rates);
    return known;
}

static int is_ground(const ts_convex_part_walk* part) { return part->parent->kind == TS_SHAPE_HEIGHT_FIELD; }

static void try_parts(search* s, const ts_convex_part_walk* a, const ts_convex_part_walk* b) {
    const ts_moving_pair* whole = s->whole;
    part_pair parts;
    parts.moving.a = &a->shape;
    parts.moving.b = &b->shape;
    parts.moving.a_at = ts_transform_mul(&whole->a_at, &a->placed);
    parts.moving.b_at = ts_transform_mul(&whole->b_at, &b->placed);
    parts.seen = ts_shape_pair_make(&a->shape, &parts.moving.a_at, &b->shape, &parts.moving.b_at);
    parts.size = fmin(size_of(&a->shape), size_of(&b->shape));
    ts_manifold_query query = {fmax(s->point->gap, 0.0) + SAME * parts.size + s->rounding, 0, 0, 0.0};
    ts_contact_list list;
    const ts_convex_part_walk* other = is_ground(a) ? b : a;
    if ((is_ground(a) || is_ground(b)) && other->shape.kind != TS_SHAPE_PLANE) {
        int side = is_ground(a) ? 1 : 2;
        ts_vec3 face = (side == 1 ? a : b)->prism.face_normal[0];
        ts_vec3 n = side == 1 ? face : ts_vec3_neg(ts_transform_direction(&parts.seen.b_in_a, face));
        ts_manifold_along(&parts.seen, n, side, 0, &query, &list);
        if (take_list(s, &parts, &list, 0, side)) return;
    }
    ts_manifold_cache cache;
    int iterations;
    memset(&cache, 0, sizeof cache);
    if (ts_manifold_convex(&parts.seen, &query, &cache, &iterations, &list) == TS_PROXIMITY_INVALID_INPUT) return;
    take_list(s, &parts, &list, &cache, 0);
}

int ts_composite_rates(const ts_moving_pair* pair, const ts_contact_point* point, double rounding,
                       ts_contact_rates* out) {
    search s = {pair, point, rounding, 0, out};
    // The surfaces are half a gap away; parts of either side are those around there.
    double around = fabs(point->gap) + 1e-6 * (1.0 + fabs(point->gap)) + rounding;
    ts_vec3 room = ts_vec3_make(around, around, around);
    ts_vec3 on_a = ts_transform_point_inverse(&pair->a_at, point->position);
    ts_vec3 on_b = ts_transform_point_inverse(&pair->b_at, point->position);
    ts_convex_part_walk a, b;
    ts_convex_parts_begin(pair->a, ts_vec3_sub(on_a, room), ts_vec3_add(on_a, room), &a);
    while (ts_convex_parts_next(&a)) {
        ts_convex_parts_begin(pair->b, ts_vec3_sub(on_b, room), ts_vec3_add(on_b, room), &b);
        while (ts_convex_parts_next(&b)) try_parts(&s, &a, &b);
    }
    return s.found > 0;
}
