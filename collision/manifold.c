// Contact manifolds: which generator a pair goes to, and the generic one.
//
//              plane  sphere  capsule  ellipsoid  cylinder  box      hull
//   plane      -      low     low      low        low       low      low        low points of the shape (half_space.c)
//   sphere            one     one      one*       one       one      one*       one point; * by GJK and EPA
//   capsule                   ends     clip       clip      clip     clip       ends of the common part (clip.c)
//   ellipsoid                          clip       clip      clip     clip       clip: normal by GJK and EPA, then the
//   cylinder                                      clip      clip     clip       features that face each other are
//   box                                                     axes     clip       clipped; axes: box_box.c
//   hull                                                             clip
//
// Rule of the generic generator: take the support features of both shapes along the normal; when one is a polygon whose
// own normal is within three degrees and separates as well, its exact normal replaces the iterative one; clip; if the
// clipped points miss the deepest one, add it. There is always at least one point while the distance is within the
// margin. Labels name the corners and edges that meet (clip.c), so they last while the same features touch.
#include "collision/manifold_internal.h"

#include "collision/proximity_internal.h"

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

static double least(ts_vec3 v) {
    double m = v.x < v.y ? v.x : v.y;
    return m < v.z ? m : v.z;
}

// Half the thickness of a shape, what its tolerances are relative to.
static double shape_size(const ts_shape* s) {
    switch (s->kind) {
    case TS_SHAPE_HULL: return 0.5 * least(ts_vec3_sub(s->hull->box_max, s->hull->box_min));
    case TS_SHAPE_CAPSULE:
    case TS_SHAPE_SPHERE: return s->radius;
    default: return least(s->half);
    }
}

static void add_witness(const ts_proximity* p, ts_vec3 normal, ts_contact_list* list) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(p->point_a, p->point_b));
    ts_contact_list_add(list, middle, ts_vec3_dot(ts_vec3_sub(p->point_b, p->point_a), normal),
                        ts_contact_label(LABEL_SINGLE, -1, -1, -1, -1));
}

// The support feature of B along -normal, moved to A's frame.
static void feature_of_b(const ts_shape* b, const ts_transform* pose, ts_vec3 normal, ts_support_feature* out) {
    ts_support_feature_along(b, ts_transform_direction_inverse(pose, ts_vec3_neg(normal)), out);
    for (int k = 0; k < out->count; ++k) out->point[k] = ts_transform_point(pose, out->point[k]);
    out->normal = ts_transform_direction(pose, out->normal);
}

// The gap of the cores along a unit direction.
static double core_gap(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(ts_vec3_sub(ts_transform_point(pose, sb), sa), n);
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
static void snap_normal(const ts_shape* a, const ts_shape* b, const ts_transform* pose, double size, double distance,
                        ts_clip_input* in) {
    ts_vec3 face = in->reference == 1 ? in->a.normal : ts_vec3_neg(in->b.normal);
    if (ts_vec3_dot(face, in->normal) < SNAP_COS) return;
    double balls = in->radius_a + in->radius_b;
    double allowed = (balls > 0.0 ? SNAP_ROUND : SNAP_SHARP) * size;
    if (core_gap(a, b, pose, face) - balls < distance - allowed) return;
    in->normal = face;
    if (in->reference == 1 && b->kind == TS_SHAPE_CYLINDER) feature_of_b(b, pose, face, &in->b);
    if (in->reference == 2 && a->kind == TS_SHAPE_CYLINDER) ts_support_feature_along(a, face, &in->a);
}

// The generic generator, given the signed distance, its normal and witnesses.
static void clip_features(const ts_shape* a, const ts_shape* b, const ts_transform* pose, const ts_proximity* p,
                          double margin, int* reference, ts_vec3* out_normal, ts_contact_list* list) {
    ts_clip_input in;
    in.normal = p->normal;
    in.radius_a = a->radius;
    in.radius_b = b->radius;
    in.margin = margin;
    double size_a = shape_size(a), size_b = shape_size(b);
    double size = size_a < size_b ? size_a : size_b;
    in.tolerance = SAME_POINT * size;
    *out_normal = p->normal;
    ts_support_feature_along(a, p->normal, &in.a);
    feature_of_b(b, pose, p->normal, &in.b);
    if (in.a.count > 1 && in.b.count > 1) {
        in.reference = choose_reference(&in, *reference);
        *reference = in.reference;
        if (in.reference) {
            snap_normal(a, b, pose, size, p->distance, &in);
            if (in.a.count > 1 && in.b.count > 1) ts_clip_against_polygon(&in, list);
        } else {
            ts_clip_segments(&in, list);
        }
    }
    if (list->count == 0) {
        add_witness(p, p->normal, list);
        return;
    }
    *out_normal = in.normal;
    double lowest = list->point[0].gap;
    for (int k = 1; k < list->count; ++k)
        if (list->point[k].gap < lowest) lowest = list->point[k].gap;
    double witness_gap = ts_vec3_dot(ts_vec3_sub(p->point_b, p->point_a), in.normal);
    if (lowest > witness_gap + in.tolerance) add_witness(p, in.normal, list);
}

// Everything in A's frame, kinds sorted. Returns the status; the list is empty when the shapes are beyond the margin.
static ts_proximity_status collide(const ts_shape* a, const ts_shape* b, const ts_transform* pose, double margin,
                                   ts_manifold_cache* cache, ts_vec3* out_normal, int* out_iterations,
                                   ts_contact_list* list) {
    list->count = 0;
    if (a->kind == TS_SHAPE_PLANE) {
        *out_normal = ts_vec3_axis(2);
        ts_half_space_contacts(b, pose, margin, list);
        return TS_PROXIMITY_SEPARATED;
    }
    if (a->kind == TS_SHAPE_BOX && b->kind == TS_SHAPE_BOX) {
        switch (ts_box_box_contacts(a->half, b->half, pose, margin, &cache->reference, out_normal, list)) {
        case TS_BOX_BOX_SEPARATED: return TS_PROXIMITY_SEPARATED_EARLY;
        case TS_BOX_BOX_CONTACT: cache->gjk.normal = *out_normal; return TS_PROXIMITY_SEPARATED;
        case TS_BOX_BOX_UNDECIDED: break;
        }
    }
    ts_proximity p;
    ts_proximity_reset(&p);
    ts_transform here = ts_transform_identity();
    if (ts_closed_form_query(a, &here, b, pose, &cache->gjk, &p)) {
        cache->gjk.normal = p.normal;
    } else {
        ts_proximity_options options = ts_proximity_options_default();
        options.give_up_distance = margin;
        ts_core_query(a, b, pose, &options, &cache->gjk, &p);
    }
    *out_iterations = p.gjk_iterations + p.epa_iterations;
    *out_normal = p.normal;
    if (p.status == TS_PROXIMITY_INVALID_INPUT || p.status == TS_PROXIMITY_SEPARATED_EARLY) return p.status;
    if (p.distance > margin) return p.status;
    if (a->kind == TS_SHAPE_SPHERE)
        add_witness(&p, p.normal, list);
    else
        clip_features(a, b, pose, &p, margin, &cache->reference, out_normal, list);
    return p.status;
}

void ts_manifold_collide(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                         const ts_manifold_settings* settings, ts_manifold_cache* cache, ts_manifold* out) {
    out->count = 0;
    out->iterations = 0;
    out->normal = ts_vec3_axis(2);
    out->status = TS_PROXIMITY_INVALID_INPUT;
    if (!ts_pose_is_usable(pose_a) || !ts_pose_is_usable(pose_b)) return;
    if (a->kind == TS_SHAPE_PLANE && b->kind == TS_SHAPE_PLANE) return;
    int swapped = a->kind > b->kind;
    const ts_shape *first = swapped ? b : a, *second = swapped ? a : b;
    const ts_transform *pose_first = swapped ? pose_b : pose_a, *pose_second = swapped ? pose_a : pose_b;
    ts_transform relative = ts_transform_relative(pose_first, pose_second);
    ts_manifold_cache unknown = {ts_gjk_cache_none(), 0};
    ts_vec3 normal = out->normal;
    ts_contact_list list;
    ts_proximity_status status =
        collide(first, second, &relative, settings->margin, cache ? cache : &unknown, &normal, &out->iterations, &list);
    out->status = status;
    if (status == TS_PROXIMITY_INVALID_INPUT) return;
    out->normal = ts_transform_direction(pose_first, normal);
    if (swapped) out->normal = ts_vec3_neg(out->normal);
    if (list.count == 0) return;
    ts_contact_list_distinguish(&list);
    int most = settings->max_points < TS_MANIFOLD_CAPACITY ? settings->max_points : TS_MANIFOLD_CAPACITY;
    ts_contact_list_reduce(&list, normal, most);
    double lowest = list.point[0].gap;
    for (int k = 0; k < list.count; ++k) {
        out->point[k] = list.point[k];
        out->point[k].position = ts_transform_point(pose_first, list.point[k].position);
        if (list.point[k].gap < lowest) lowest = list.point[k].gap;
    }
    out->count = list.count;
    if (status == TS_PROXIMITY_SEPARATED && !(lowest > 0.0))
        out->status = lowest < 0.0 ? TS_PROXIMITY_PENETRATING : TS_PROXIMITY_TOUCHING;
}
