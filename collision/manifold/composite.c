// Manifolds of height fields and compounds: part by part, then taken together.
//
// Problem: a box on ground made of triangles touches dozens of parts, each of which knows nothing of the others. Alone
// they give too many points, points twice, and contacts with sides that are inside the whole (ghost collisions).
// Rule: every pair of parts whose boxes are within the margin is collided as a convex pair. Where the part is the prism of
// a height field the normal is kept within what the surface allows (height_field.h); if that changes it, the contact is
// made again along the allowed one, of the points above the triangle. Where it is a child of a compound, points whose
// places, moved out of the child by a hair, are all in or on other children are on an inner side and are dropped; so is a
// point on an edge where another child's face, touched at least as deep, goes on (after Jolt's internal edges). What is
// left is put into groups of normals within five degrees, equal labels and equal places once; points between others go,
// and each group is reduced like the contact of a convex pair.
// Labels: samples of a field name its corners, so that triangles which share them agree; a compound's child goes into the
// label. Guaranteed: the deepest point of each group stays; there is a point when a pair of parts is within the margin.
// Known limit: children that merely touch along curved sides have inner sides too thin for the test of the hair.
#include "collision/manifold/manifold_internal.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/shape/convex_parts.h"
#include "collision/shape/support.h"

#include <string.h>

// cos 5 degrees: normals this near belong to one surface.
static const double SAME_SURFACE = 0.99619469809174555;
// Normals that differ by less are the same but for rounding.
static const double SAME_NORMAL = 1e-9;
// Of a part's size: how far a point is moved out to see whether it is inside another, and what counts as the same place.
static const double HAIR = 1e-3;
static const double SAME_PLACE = 1e-6;
// Of a part's size: points of one surface that are nearer than this are one.
static const double ONE_POINT = 1e-4;
// Of the smallest part's size: how far faces of two children may be out of one plane and still be one face.
static const double SEAM = 1e-4;

enum { GROUP_CAPACITY = TS_MANIFOLD_CAPACITY, GROUP_ROOM = 40, GROUP_REST = 16 };

typedef struct part_run {
    const ts_shape_pair* pair;
    const ts_manifold_settings* settings;
    const ts_manifold_cache* cache;
    int group_count;
    ts_contact_list group[GROUP_CAPACITY];  // points of nearly one normal, in A's frame
    double least_size;                      // m, of the smallest part met
    int spare;                              // nonzero: a point for when nothing else is left
    ts_manifold_point spare_point;
    ts_proximity_status status;
    int iterations;
} part_run;

// A pair of parts and what is known of it; poses in A's frame.
typedef struct part_pair {
    const ts_convex_part_walk* a;
    const ts_convex_part_walk* b;
    ts_transform pose_a;
    ts_transform pose_b;
    ts_shape_pair seen;  // from part A
    double size;         // of the smaller part's box
} part_pair;

static uint32_t mix(uint32_t label, int part_a, int part_b) {
    uint64_t x = label;
    x = (x ^ (uint64_t)(uint32_t)(part_a + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29 ^ (uint64_t)(uint32_t)(part_b + 1) << 7) * UINT64_C(0xbf58476d1ce4e5b9);
    label = (uint32_t)(x ^ x >> 32);
    return label ? label : 1u;
}

// The names of a prism's vertices: samples of the field, and the same again for the floor below them.
static void name_prism(const ts_height_field* field, int triangle, int out_label[6]) {
    int cells = field->columns - 1, cell = triangle / 2;
    int first = cell / cells * field->columns + cell % cells, opposite = first + field->columns + 1;
    out_label[0] = first;
    out_label[1] = triangle % 2 ? opposite : first + 1;
    out_label[2] = triangle % 2 ? opposite - 1 : opposite;
    for (int k = 0; k < 3; ++k) out_label[k + 3] = out_label[k] + field->rows * field->columns;
}

// Puts a point into the group of its normal.
static void add_point(part_run* run, const ts_manifold_point* point, double size) {
    int nearest = -1;
    for (int g = 0; g < run->group_count; ++g)
        if (nearest < 0 ||
            ts_vec3_dot(run->group[g].normal, point->normal) > ts_vec3_dot(run->group[nearest].normal, point->normal))
            nearest = g;
    if (nearest < 0 ||
        (ts_vec3_dot(run->group[nearest].normal, point->normal) < SAME_SURFACE && run->group_count < GROUP_CAPACITY)) {
        nearest = run->group_count++;
        run->group[nearest].normal = point->normal;
        run->group[nearest].count = 0;
    }
    ts_contact_list* group = &run->group[nearest];
    for (int k = 0; k < group->count; ++k) {
        ts_manifold_point* known = &group->point[k];
        if (known->feature != point->feature &&
            !(ts_vec3_distance(known->position, point->position) <= ONE_POINT * size))
            continue;
        if (point->gap < known->gap - SAME_PLACE * size) *known = *point;
        return;
    }
    if (group->count >= GROUP_ROOM) {
        ts_contact_list_prune(group);
        ts_contact_list_reduce(group, GROUP_REST, run->cache->kept, run->cache->kept_count);
    }
    group->point[group->count++] = *point;
}

// Keeps the deepest of the points that were left out.
static void set_aside(part_run* run, const ts_manifold_point* point) {
    if (run->spare && !(point->gap < run->spare_point.gap)) return;
    run->spare = 1;
    run->spare_point = *point;
}

// Nonzero when a point of a compound's child, moved out of it by a hair, is in or on another child. Compound's frame.
static int is_inner(const ts_shape* whole, const ts_convex_part_walk* part, ts_vec3 on_part, ts_vec3 outward,
                    double size) {
    if (whole->kind != TS_SHAPE_COMPOUND || whole->compound->count < 2) return 0;
    ts_transform place = ts_transform_identity();
    place.p = ts_vec3_add_scaled(on_part, HAIR * size, outward);
    ts_shape point = ts_shape_sphere(0.0);
    ts_vec3 room = ts_vec3_make(SAME_PLACE * size, SAME_PLACE * size, SAME_PLACE * size);
    ts_convex_part_walk other;
    ts_convex_parts_begin(whole, ts_vec3_sub(place.p, room), ts_vec3_add(place.p, room), &other);
    while (ts_convex_parts_next(&other)) {
        if (other.index == part->index) continue;
        ts_proximity p;
        ts_proximity_query(&point, &place, &other.shape, &other.placed, 0, 0, &p);
        if (p.status != TS_PROXIMITY_INVALID_INPUT && p.found.upper <= SAME_PLACE * size) return 1;
    }
    return 0;
}

// Points of a pair of parts, in part A's frame, to A's frame and into their group.
static void take_points(part_run* run, const part_pair* parts, ts_contact_list* list, int whole) {
    ts_vec3 n = ts_transform_direction(&parts->pose_a, list->normal);
    ts_vec3 back = ts_transform_direction_inverse(&run->pair->b_in_a, ts_vec3_neg(n));
    int is_field = run->pair->a->kind == TS_SHAPE_HEIGHT_FIELD || run->pair->b->kind == TS_SHAPE_HEIGHT_FIELD;
    uint32_t single = ts_contact_label(6, -1, -1, -1, -1);
    int inner = 0;
    for (int k = 0; k < list->count; ++k) {
        ts_manifold_point* point = &list->point[k];
        point->position = ts_transform_point(&parts->pose_a, point->position);
        point->normal = n;
        if (!is_field || point->feature == single)
            point->feature = mix(point->feature, parts->a->index, parts->b->index);
        // The surfaces are half a gap away, A's behind the point.
        ts_vec3 on_a = ts_vec3_add_scaled(point->position, -0.5 * point->gap, n);
        ts_vec3 on_b =
            ts_transform_point_inverse(&run->pair->b_in_a, ts_vec3_add_scaled(point->position, 0.5 * point->gap, n));
        inner += is_inner(run->pair->a, parts->a, on_a, n, parts->size) ||
                 is_inner(run->pair->b, parts->b, on_b, back, parts->size);
    }
    // A wall that goes on below the floor has some points inside; a side between tiles has nothing else.
    for (int k = 0; k < list->count; ++k) {
        if (whole || inner == list->count)
            set_aside(run, &list->point[k]);
        else
            add_point(run, &list->point[k], parts->size);
    }
}

// The contact again along the normal that a height field allows: `ground` is its prism, the other shape is above it.
// Returns 0 when the normal was allowed as it was. Everything in the parts' own frames.
static int take_allowed(part_run* run, const part_pair* parts, ts_vec3 normal, const ts_manifold_point* deepest,
                        const ts_manifold_query* query) {
    int ground_is_a = run->pair->a->kind == TS_SHAPE_HEIGHT_FIELD;
    if (!ground_is_a && run->pair->b->kind != TS_SHAPE_HEIGHT_FIELD) return 0;
    const ts_convex_part_walk* ground = ground_is_a ? parts->a : parts->b;
    if ((ground_is_a ? parts->b : parts->a)->shape.kind == TS_SHAPE_PLANE) return 0;  // nothing lies above a half-space
    ts_vec3 out = ground_is_a ? normal : ts_vec3_neg(ts_transform_direction_inverse(&parts->seen.b_in_a, normal));
    ts_vec3 at = ts_vec3_add_scaled(deepest->position, (ground_is_a ? -0.5 : 0.5) * deepest->gap, normal);
    if (!ground_is_a) at = ts_transform_point_inverse(&parts->seen.b_in_a, at);
    ts_vec3 allowed = ts_height_field_limit_normal(ground->parent->height_field, ground->index, at, out);
    if (ts_vec3_distance(allowed, out) <= SAME_NORMAL) return 0;
    ts_vec3 n = ground_is_a ? allowed : ts_vec3_neg(ts_transform_direction(&parts->seen.b_in_a, allowed));
    for (int whole = 0; whole < 2; ++whole) {
        ts_contact_list list;
        ts_manifold_along(&parts->seen, n, ground_is_a ? 1 : 2, whole, query, &list);
        if (list.count == 0) continue;
        take_points(run, parts, &list, whole);
        break;
    }
    return 1;
}

// What one support point tells of a height field's triangle. Returns nonzero when that settles the pair: the other shape
// is above the triangle's plane by more than the margin, or the surface around is level or hollow, so that only the
// triangle's own normal is allowed, and the contact is what lies above it along that.
static int settle_triangle(part_run* run, const part_pair* parts, const ts_manifold_query* query) {
    int ground_is_a = run->pair->a->kind == TS_SHAPE_HEIGHT_FIELD;
    if (!ground_is_a && run->pair->b->kind != TS_SHAPE_HEIGHT_FIELD) return 0;
    const ts_convex_part_walk* ground = ground_is_a ? parts->a : parts->b;
    const ts_convex_part_walk* other = ground_is_a ? parts->b : parts->a;
    if (other->shape.kind == TS_SHAPE_PLANE) return 0;
    ts_vec3 face = ground->prism.face_normal[0];
    ts_vec3 n = ground_is_a ? face : ts_vec3_neg(ts_transform_direction(&parts->seen.b_in_a, face));  // A to B, in A
    ts_vec3 down = ground_is_a ? ts_vec3_neg(ts_transform_direction_inverse(&parts->seen.b_in_a, n)) : n;
    ts_vec3 lowest = ts_support_core(&other->shape, down, -1).point;
    if (ground_is_a)
        lowest = ts_transform_point(&parts->seen.b_in_a, lowest);
    else
        lowest = ts_transform_point_inverse(&parts->seen.b_in_a, lowest);
    double gap = ts_vec3_dot(face, ts_vec3_sub(lowest, ground->prism.vertex[0]));
    if (gap - other->shape.radius - ground->shape.radius > query->margin) return 1;
    if (ground->parent->height_field->sharp[ground->index]) return 0;
    ts_contact_list list;
    ts_manifold_along(&parts->seen, n, ground_is_a ? 1 : 2, 0, query, &list);
    take_points(run, parts, &list, 0);
    return 1;
}

static double box_size(const ts_shape* shape) {
    if (shape->kind == TS_SHAPE_PLANE) return (double)INFINITY;
    ts_vec3 low, high;
    ts_shape_local_box(shape, &low, &high);
    return 0.5 * ts_vec3_max_abs(ts_vec3_sub(high, low));
}

static void collide_parts(part_run* run, const ts_convex_part_walk* a, const ts_convex_part_walk* b) {
    part_pair parts;
    parts.a = a;
    parts.b = b;
    parts.pose_a = a->placed;
    parts.pose_b = ts_transform_mul(&run->pair->b_in_a, &b->placed);
    parts.seen = ts_shape_pair_make(&a->shape, &parts.pose_a, &b->shape, &parts.pose_b);
    double size_a = box_size(&a->shape), size_b = box_size(&b->shape);
    parts.size = size_a < size_b ? size_a : size_b;
    if (parts.size < run->least_size) run->least_size = parts.size;
    int label_a[6], label_b[6];
    ts_manifold_query query = {run->settings->margin, 0, 0, run->settings->tolerance};
    if (run->pair->a->kind == TS_SHAPE_HEIGHT_FIELD) {
        name_prism(run->pair->a->height_field, a->index, label_a);
        query.label_a = label_a;
    }
    if (run->pair->b->kind == TS_SHAPE_HEIGHT_FIELD) {
        name_prism(run->pair->b->height_field, b->index, label_b);
        query.label_b = label_b;
    }
    if (settle_triangle(run, &parts, &query)) return;
    ts_manifold_cache unknown;
    memset(&unknown, 0, sizeof unknown);
    ts_contact_list list;
    int iterations;
    ts_proximity_status status = ts_manifold_convex(&parts.seen, &query, &unknown, &iterations, &list);
    run->iterations += iterations;
    if (status == TS_PROXIMITY_INVALID_INPUT || status == TS_PROXIMITY_LIMIT) run->status = status;
    if (list.count == 0) return;
    int deepest = 0;
    for (int k = 1; k < list.count; ++k)
        if (list.point[k].gap < list.point[deepest].gap) deepest = k;
    if (!take_allowed(run, &parts, list.normal, &list.point[deepest], &query)) take_points(run, &parts, &list, 0);
}

// Parts of B near one part of A.
static void collide_with_part(part_run* run, const ts_convex_part_walk* a) {
    ts_transform a_in_b = ts_transform_relative(&run->pair->b_in_a, &a->placed);
    ts_vec3 low, high, margin = ts_vec3_make(run->settings->margin, run->settings->margin, run->settings->margin);
    ts_shape_bounds(&a->shape, &a_in_b, &low, &high);
    ts_convex_part_walk b;
    ts_convex_parts_begin(run->pair->b, ts_vec3_sub(low, margin), ts_vec3_add(high, margin), &b);
    while (ts_convex_parts_next(&b)) collide_parts(run, a, &b);
}

static double lowest_gap(const ts_contact_list* group) {
    double lowest = (double)INFINITY;
    for (int k = 0; k < group->count; ++k) lowest = group->point[k].gap < lowest ? group->point[k].gap : lowest;
    return lowest;
}

// Nonzero when `other`, of another part and deeper, lies on a face that goes on through the place of `point`: what the
// part of `point` shows there is an edge or a corner inside that face.
static int continues(const part_run* run, const ts_manifold_point* other, const ts_manifold_point* point) {
    double along = ts_vec3_dot(other->normal, point->normal), tie = SEAM * run->least_size;
    if (!(along > 0.05) || along > 1.0 - SAME_NORMAL || !(other->gap < point->gap)) return 0;
    // The surface of the compound on either side; which of the two shapes it is does not matter for flat contacts.
    for (int side = 0; side < 2; ++side) {
        const ts_shape* whole = side ? run->pair->b : run->pair->a;
        if (whole->kind != TS_SHAPE_COMPOUND) continue;
        double half = side ? 0.5 : -0.5;
        ts_vec3 here = ts_vec3_add_scaled(point->position, half * point->gap, point->normal);
        ts_vec3 there = ts_vec3_add_scaled(other->position, half * other->gap, other->normal);
        if (fabs(ts_vec3_dot(other->normal, ts_vec3_sub(here, there))) <= tie) return 1;
    }
    return 0;
}

// Drops points on seams between children of a compound.
static void drop_seams(part_run* run) {
    if (run->pair->a->kind != TS_SHAPE_COMPOUND && run->pair->b->kind != TS_SHAPE_COMPOUND) return;
    int keep[GROUP_CAPACITY][TS_CONTACT_CAPACITY];
    for (int g = 0; g < run->group_count; ++g)
        for (int k = 0; k < run->group[g].count; ++k) {
            const ts_manifold_point* point = &run->group[g].point[k];
            keep[g][k] = 1;
            for (int h = 0; h < run->group_count && keep[g][k]; ++h)
                for (int j = 0; j < run->group[h].count; ++j)
                    if (continues(run, &run->group[h].point[j], point)) keep[g][k] = 0;
        }
    int groups = 0;
    for (int g = 0; g < run->group_count; ++g) {
        ts_contact_list* group = &run->group[g];
        int filled = 0;
        for (int k = 0; k < group->count; ++k)
            if (keep[g][k]) group->point[filled++] = group->point[k];
        group->count = filled;
        if (filled > 0 && groups++ != g) run->group[groups - 1] = *group;
    }
    run->group_count = groups;
}

// Groups by falling depth, each reduced to its share.
static void gather(part_run* run, ts_manifold* out) {
    int order[GROUP_CAPACITY] = {0};
    for (int g = 0; g < run->group_count; ++g) {
        int at = g;
        double gap = lowest_gap(&run->group[g]);
        for (; at > 0 && gap < lowest_gap(&run->group[order[at - 1]]); --at) order[at] = order[at - 1];
        order[at] = g;
    }
    int share = TS_MANIFOLD_CAPACITY / run->group_count;
    int most = run->settings->max_points < share ? run->settings->max_points : share;
    ts_contact_list all;
    all.count = 0;
    for (int g = 0; g < run->group_count; ++g) {
        ts_contact_list* group = &run->group[order[g]];
        ts_contact_list_prune(group);
        ts_contact_list_reduce(group, most, run->cache->kept, run->cache->kept_count);
        for (int k = 0; k < group->count && all.count < TS_MANIFOLD_CAPACITY; ++k)
            all.point[all.count++] = group->point[k];
    }
    ts_contact_list_distinguish(&all);
    double lowest = (double)INFINITY;
    for (int k = 0; k < all.count; ++k) {
        out->point[k] = all.point[k];
        if (!(all.point[k].gap < lowest)) continue;
        lowest = all.point[k].gap;
        out->normal = all.point[k].normal;
    }
    out->count = all.count;
}

void ts_manifold_composite(const ts_shape_pair* pair, const ts_manifold_settings* settings, ts_manifold_cache* cache,
                           ts_manifold* out) {
    part_run run;
    run.pair = pair;
    run.settings = settings;
    run.cache = cache;
    run.least_size = (double)INFINITY;
    run.group_count = run.spare = run.iterations = 0;
    run.status = TS_PROXIMITY_SEPARATED;
    ts_vec3 low, high, margin = ts_vec3_make(settings->margin, settings->margin, settings->margin);
    ts_shape_bounds(pair->b, &pair->b_in_a, &low, &high);
    ts_convex_part_walk walk;
    ts_convex_parts_begin(pair->a, ts_vec3_sub(low, margin), ts_vec3_add(high, margin), &walk);
    while (ts_convex_parts_next(&walk)) collide_with_part(&run, &walk);
    if (run.group_count == 0 && run.spare) add_point(&run, &run.spare_point, 0.0);
    out->status = run.status;
    out->iterations = run.iterations;
    drop_seams(&run);
    if (run.group_count > 0) gather(&run, out);
}
