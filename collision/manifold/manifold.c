// Contact manifolds: which generator a pair goes to, and the generic one.
//
// Rule of the generic generator: take the support features of both shapes along the normal; when one is a polygon whose
// own normal is within three degrees and separates as well, its exact normal replaces the iterative one; clip; if the
// clipped points miss the deepest one, add it. There is always at least one point while the distance is within the
// margin. Labels name the corners and edges that meet (clip.c), so they last while the same features touch.
#include "collision/manifold/manifold_internal.h"

#include "collision/distance/proximity_internal.h"
#include "collision/shape/shape_traits_internal.h"

#include <string.h>

// cos 3 degrees: within this a face normal may stand in for the normal of GJK or EPA.
static const double SNAP_COS = 0.99862953475457387;
// Relative lengths, of the size of the smaller shape: what a face normal may lose against the best normal when both
// features are sharp, the same when a ball is involved (where the normal is well defined), and what counts as "the same
// point".
static const double SNAP_SHARP = 1e-3;
static const double SNAP_ROUND = 1e-6;
static const double SAME_POINT = 1e-6;
// Alignments closer than this do not make the reference change sides.
static const double LOYALTY = 1e-3;

enum { LABEL_SINGLE = 6 };

enum generator {
    RULE,  // none of its own
    NONE,  // no contact
    LOW,   // the low points of the other shape (half_space.c)
    ONE,   // one point
    AXES,  // axes and faces of two boxes, where they are sharp; else CLIP (box_box.c)
    CLIP,  // normal by the query, then the features that face each other: ends of a common part, corners of a clipped face
    PARTS  // part by part (composite.c)
};

// clang-format off
static const unsigned char picture[TS_SHAPE_KIND_COUNT][TS_SHAPE_KIND_COUNT] = {
    //              plane  sphere  capsule  ellipsoid  cylinder  cone  triangle  box   hull
    /* plane     */ {NONE, LOW,    LOW,     LOW,       LOW,      LOW,  LOW,      LOW,  LOW},
    /* sphere    */ {0,    ONE,    ONE,     ONE,       ONE,      ONE,  ONE,      ONE,  ONE},
    /* capsule   */ {0,    0,      CLIP,    CLIP,      CLIP,     CLIP, CLIP,     CLIP, CLIP},
    /* ellipsoid */ {0,    0,      0,       CLIP,      CLIP,     CLIP, CLIP,     CLIP, CLIP},
    /* cylinder  */ {0,    0,      0,       0,         CLIP,     CLIP, CLIP,     CLIP, CLIP},
    /* cone      */ {0,    0,      0,       0,         0,        CLIP, CLIP,     CLIP, CLIP},
    /* triangle  */ {0,    0,      0,       0,         0,        0,    CLIP,     CLIP, CLIP},
    /* box       */ {0,    0,      0,       0,         0,        0,    0,        AXES, CLIP},
    /* hull      */ {0,    0,      0,       0,         0,        0,    0,        0,    CLIP},
};
// clang-format on
_Static_assert(TS_SHAPE_HULL == 8, "the picture's columns are in the order of the kinds");

// Of kinds, sorted; those that are not in the picture go by rule.
static enum generator generator_of(ts_shape_kind a, ts_shape_kind b) {
    enum generator generator = (enum generator)picture[a][b];
    if (generator != RULE) return generator;
    if (b >= TS_SHAPE_CONVEX_COUNT) return PARTS;
    return a == TS_SHAPE_PLANE ? LOW : a == TS_SHAPE_SPHERE ? ONE : CLIP;
}

int ts_manifold_searches(const ts_shape* a, const ts_shape* b) {
    ts_shape_kind first = a->kind < b->kind ? a->kind : b->kind, second = a->kind < b->kind ? b->kind : a->kind;
    switch (generator_of(first, second)) {
    case NONE:
    case LOW:
    case PARTS: return 0;
    case AXES: return a->radius + b->radius > 0.0;
    default: return !ts_pair_method_of(first, second)->closed_form;
    }
}

// Half the thickness of a shape, what its tolerances are relative to.
static double shape_size(const ts_shape* s) {
    const ts_shape_traits* traits = ts_shape_traits_of(s);
    return (traits->thickness ? traits->thickness(s) : ts_vec3_get(s->half, ts_vec3_least(s->half))) + s->radius;
}

static int is_turned(const ts_shape* s) { return ts_shape_traits_of(s)->turning; }

static void add_witness(const ts_separation* found, ts_vec3 normal, ts_contact_list* list) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(found->point_a, found->point_b));
    ts_contact_list_add(list, middle, ts_vec3_dot(ts_vec3_sub(found->point_b, found->point_a), normal),
                        ts_contact_label(LABEL_SINGLE, -1, -1, -1, -1));
}

// The support feature of B along -normal, moved to A's frame.
static void feature_of_b(const ts_shape_pair* pair, ts_vec3 normal, ts_support_feature* out) {
    const ts_transform* pose = &pair->b_in_a;
    ts_support_feature_along(pair->b, ts_transform_direction_inverse(pose, ts_vec3_neg(normal)), out);
    for (int k = 0; k < out->count; ++k) out->point[k] = ts_transform_point(pose, out->point[k]);
    out->normal = ts_transform_direction(pose, out->normal);
}

// Which polygon to clip against: 0 when there is none.
static int choose_reference(const ts_clip_input* in, int last) {
    int polygon_a = in->a.count > 2, polygon_b = in->b.count > 2;
    if (!polygon_a || !polygon_b) return polygon_a ? 1 : (polygon_b ? 2 : 0);
    double aligned_a = ts_vec3_dot(in->a.normal, in->normal), aligned_b = -ts_vec3_dot(in->b.normal, in->normal);
    double loyal = last == 1 ? LOYALTY : (last == 2 ? -LOYALTY : 1e-12);
    return aligned_b > aligned_a + loyal ? 2 : 1;
}

// Exchanges the normal for the reference polygon's own where that is as good; refreshes a curved partner's feature.
static void snap_normal(const ts_shape_pair* pair, double size, double distance, ts_clip_input* in) {
    ts_vec3 face = in->reference == 1 ? in->a.normal : ts_vec3_neg(in->b.normal);
    if (ts_vec3_dot(face, in->normal) < SNAP_COS) return;
    double balls = in->radius_a + in->radius_b;
    double allowed = (balls > 0.0 ? SNAP_ROUND : SNAP_SHARP) * size;
    ts_vec3 on_a, on_b;
    if (ts_shape_pair_gap(pair, face, &on_a, &on_b) - balls < distance - allowed) return;
    in->normal = face;
    if (in->reference == 1 && is_turned(pair->b)) feature_of_b(pair, face, &in->b);
    if (in->reference == 2 && is_turned(pair->a)) ts_support_feature_along(pair->a, face, &in->a);
}

static void relabel(ts_support_feature* feature, const int* label) {
    for (int k = 0; label && k < feature->count; ++k) feature->vertex[k] = label[feature->vertex[k]];
}

// The generic generator, given the signed distance, its normal and witnesses.
static void clip_features(const ts_shape_pair* pair, const ts_proximity* p, const ts_manifold_query* query,
                          int* reference, ts_contact_list* list) {
    ts_clip_input in;
    in.normal = p->found.normal;
    in.radius_a = pair->a->radius;
    in.radius_b = pair->b->radius;
    in.margin = query->margin;
    double size_a = shape_size(pair->a), size_b = shape_size(pair->b);
    double size = size_a < size_b ? size_a : size_b;
    in.tolerance = SAME_POINT * size;
    list->normal = p->found.normal;
    ts_support_feature_along(pair->a, p->found.normal, &in.a);
    feature_of_b(pair, p->found.normal, &in.b);
    if (in.a.count > 1 && in.b.count > 1) {
        in.reference = choose_reference(&in, *reference);
        *reference = in.reference;
        if (in.reference) snap_normal(pair, size, p->distance, &in);
        relabel(&in.a, query->label_a);
        relabel(&in.b, query->label_b);
        if (in.reference) {
            if (in.a.count > 1 && in.b.count > 1) ts_clip_against_polygon(&in, list);
        } else {
            ts_clip_segments(&in, list);
        }
    }
    if (list->count == 0) {
        add_witness(&p->found, p->found.normal, list);
        return;
    }
    list->normal = in.normal;
    double lowest = list->point[0].gap;
    for (int k = 1; k < list->count; ++k)
        if (list->point[k].gap < lowest) lowest = list->point[k].gap;
    double witness_gap = ts_vec3_dot(ts_vec3_sub(p->found.point_b, p->found.point_a), in.normal);
    if (lowest > witness_gap + in.tolerance) add_witness(&p->found, in.normal, list);
}

// Everything in A's frame, kinds sorted, the list empty. Returns the status; the list stays empty when the shapes are beyond
// the margin.
static ts_proximity_status collide(const ts_shape_pair* pair, const ts_manifold_query* query, ts_manifold_cache* cache,
                                   int* out_iterations, ts_contact_list* list) {
    double margin = query->margin;
    ts_shape_kind kind_a = pair->a->kind, kind_b = pair->b->kind;
    enum generator generator = generator_of(kind_a, kind_b);
    if (generator == LOW) {
        ts_half_space_contacts(pair, margin, list);
        return TS_PROXIMITY_SEPARATED;
    }
    if (generator == AXES && ts_shape_pair_balls(pair) == 0.0) {
        switch (ts_box_box_contacts(pair, margin, &cache->reference, list)) {
        case TS_BOX_BOX_SEPARATED: return TS_PROXIMITY_SEPARATED_EARLY;
        case TS_BOX_BOX_CONTACT: cache->gjk.normal = list->normal; return TS_PROXIMITY_SEPARATED;
        case TS_BOX_BOX_UNDECIDED: break;
        }
    }
    ts_proximity p;
    ts_proximity_reset(&p);
    const ts_pair_method* method = ts_pair_method_of(kind_a, kind_b);
    if (method->closed_form) {
        ts_transform here = ts_transform_identity();
        ts_placed_pair placed = {pair->a, &here, pair->b, &pair->b_in_a};
        method->closed_form(&placed, &cache->gjk, &p);
        cache->gjk.normal = p.found.normal;
    } else {
        ts_proximity_options options = ts_proximity_options_default();
        options.give_up_distance = margin;
        options.tolerance = query->tolerance;
        ts_core_pair_query(pair, &options, &cache->gjk, &p);
    }
    *out_iterations = p.gjk_iterations + p.epa_iterations;
    list->normal = p.found.normal;
    list->apart = p.found.lower;
    if (p.status == TS_PROXIMITY_INVALID_INPUT || p.status == TS_PROXIMITY_SEPARATED_EARLY) return p.status;
    if (p.distance > margin) return p.status;
    if (generator == ONE)
        add_witness(&p.found, list->normal, list);
    else
        clip_features(pair, &p, query, &cache->reference, list);
    return p.status;
}

// The list of the swapped pair, seen from A again.
static void turn_round(const ts_transform* b_in_a, ts_contact_list* list) {
    list->normal = ts_vec3_neg(ts_transform_direction(b_in_a, list->normal));
    for (int k = 0; k < list->count; ++k) list->point[k].position = ts_transform_point(b_in_a, list->point[k].position);
}

ts_proximity_status ts_manifold_convex(const ts_shape_pair* pair, const ts_manifold_query* query,
                                       ts_manifold_cache* cache, int* out_iterations, ts_contact_list* list) {
    list->count = *out_iterations = 0;
    list->normal = ts_vec3_axis(2);
    list->apart = query->margin;
    if (pair->a->kind <= pair->b->kind) return collide(pair, query, cache, out_iterations, list);
    ts_shape_pair swapped = ts_shape_pair_swapped(pair);
    ts_manifold_query theirs = {query->margin, query->label_b, query->label_a, query->tolerance};
    ts_proximity_status status = collide(&swapped, &theirs, cache, out_iterations, list);
    turn_round(&pair->b_in_a, list);
    return status;
}

// Along the list's normal; kinds sorted, the list empty.
static void clip_along(const ts_shape_pair* pair, int reference, int whole, const ts_manifold_query* query,
                       ts_contact_list* list) {
    ts_vec3 normal = list->normal;
    ts_clip_input in;
    double size_a = shape_size(pair->a), size_b = shape_size(pair->b);
    in.normal = normal;
    in.radius_a = pair->a->radius;
    in.radius_b = pair->b->radius;
    in.margin = query->margin;
    in.tolerance = SAME_POINT * (size_a < size_b ? size_a : size_b);
    in.reference = reference;
    ts_support_feature_along(pair->a, normal, &in.a);
    feature_of_b(pair, normal, &in.b);
    relabel(&in.a, query->label_a);
    relabel(&in.b, query->label_b);
    if ((reference == 1 ? in.a.count : in.b.count) > 2) ts_clip_against_polygon(&in, list);
    if (list->count > 0 || !whole) return;
    ts_vec3 sa, sb;
    double gap = ts_shape_pair_gap(pair, normal, &sa, &sb) - in.radius_a - in.radius_b;
    if (gap > query->margin) return;
    ts_vec3 middle = reference == 1 ? ts_vec3_add_scaled(sb, -in.radius_b - 0.5 * gap, normal)
                                    : ts_vec3_add_scaled(sa, in.radius_a + 0.5 * gap, normal);
    ts_contact_list_add(list, middle, gap, ts_contact_label(LABEL_SINGLE, -1, -1, -1, -1));
}

void ts_manifold_along(const ts_shape_pair* pair, ts_vec3 normal, int reference, int whole,
                       const ts_manifold_query* query, ts_contact_list* list) {
    list->count = 0;
    list->normal = normal;
    if (pair->a->kind <= pair->b->kind) {
        clip_along(pair, reference, whole, query, list);
        return;
    }
    // Labels name the smaller kind first, as everywhere.
    ts_shape_pair swapped = ts_shape_pair_swapped(pair);
    ts_manifold_query theirs = {query->margin, query->label_b, query->label_a, query->tolerance};
    list->normal = ts_vec3_neg(ts_transform_direction_inverse(&pair->b_in_a, normal));
    clip_along(&swapped, 3 - reference, whole, &theirs, list);
    turn_round(&pair->b_in_a, list);
    list->normal = normal;  // not rounded twice
}

// What the pair remembers of the points that were chosen.
static void remember(ts_manifold_cache* cache, const ts_manifold* manifold) {
    memset(cache->kept, 0, sizeof cache->kept);
    cache->kept_count = manifold->count;
    for (int k = 0; k < manifold->count; ++k) cache->kept[k] = manifold->point[k].feature;
}

// From A's frame to the world, and from the first shape's view to the caller's.
static void place(ts_manifold* manifold, const ts_transform* pose, int swapped) {
    // Mostly all points have one normal.
    ts_vec3 seen = manifold->normal, normal = ts_transform_direction(pose, seen);
    if (swapped) normal = ts_vec3_neg(normal);
    manifold->normal = normal;
    for (int k = 0; k < manifold->count; ++k) {
        ts_manifold_point* point = &manifold->point[k];
        point->position = ts_transform_point(pose, point->position);
        if (point->normal.x != seen.x || point->normal.y != seen.y || point->normal.z != seen.z) {
            seen = point->normal;
            normal = ts_transform_direction(pose, seen);
            if (swapped) normal = ts_vec3_neg(normal);
        }
        point->normal = normal;
    }
}

static void collide_convex(const ts_shape_pair* pair, const ts_manifold_settings* settings, ts_manifold_cache* cache,
                           ts_manifold* out) {
    ts_contact_list list;
    ts_manifold_query query = {settings->margin, 0, 0, settings->tolerance};
    out->status = ts_manifold_convex(pair, &query, cache, &out->iterations, &list);
    out->normal = list.normal;
    if (out->status == TS_PROXIMITY_INVALID_INPUT) return;
    if (list.count == 0) {
        out->clearance = fmax(list.apart - settings->margin, 0.0);
        return;
    }
    ts_contact_list_distinguish(&list);
    int most = settings->max_points < TS_MANIFOLD_CAPACITY ? settings->max_points : TS_MANIFOLD_CAPACITY;
    ts_contact_list_reduce(&list, most, cache->kept, cache->kept_count);
    for (int k = 0; k < list.count; ++k) {
        out->point[k] = list.point[k];
        out->point[k].normal = out->normal;
    }
    out->count = list.count;
}

void ts_manifold_collide(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                         const ts_manifold_settings* settings, ts_manifold_cache* cache, ts_manifold* out) {
    out->count = 0;
    out->iterations = 0;
    out->clearance = 0.0;
    out->normal = ts_vec3_axis(2);
    out->status = TS_PROXIMITY_INVALID_INPUT;
    if (!ts_pose_is_usable(pose_a) || !ts_pose_is_usable(pose_b)) return;
    int swapped = a->kind > b->kind;
    const ts_shape *first = swapped ? b : a, *second = swapped ? a : b;
    const ts_transform *pose_first = swapped ? pose_b : pose_a, *pose_second = swapped ? pose_a : pose_b;
    enum generator generator = generator_of(first->kind, second->kind);
    if (generator == NONE) return;
    ts_shape_pair pair = ts_shape_pair_make(first, pose_first, second, pose_second);
    ts_manifold_cache unknown;
    if (!cache) {
        memset(&unknown, 0, sizeof unknown);
        cache = &unknown;
    }
    if (generator == PARTS)
        ts_manifold_composite(&pair, settings, cache, out);
    else
        collide_convex(&pair, settings, cache, out);
    place(out, pose_first, swapped);
    remember(cache, out);
    if (out->count == 0) return;
    double lowest = out->point[0].gap;
    for (int k = 1; k < out->count; ++k) lowest = out->point[k].gap < lowest ? out->point[k].gap : lowest;
    if (out->status == TS_PROXIMITY_SEPARATED && !(lowest > 0.0))
        out->status = lowest < 0.0 ? TS_PROXIMITY_PENETRATING : TS_PROXIMITY_TOUCHING;
}
