// From many contact points to a few.
//
// Rule: keep the deepest point, then the one farthest from it, then the one that makes the largest triangle, then,
// again and again, the one that lies farthest outside what is kept. Measured against brute force over all
// quadrilaterals this gives up a few percent of the area; keeping the deepest point always is worth that, because it is
// the one a solver must not lose. Ties (a flat contact has nothing but ties) are broken by a fixed direction in the
// contact plane and then by label, never by the order the points came in or by the last bits of their gaps. A point that
// was kept last time counts five percent more (after Box3D), so that nearly equal choices do not alternate.
#include "collision/manifold/manifold_internal.h"

#include "base/assert.h"

void ts_contact_list_add(ts_contact_list* list, ts_vec3 position, double gap, uint32_t feature) {
    if (list->count >= TS_CONTACT_CAPACITY) return;
    ts_manifold_point* point = &list->point[list->count++];
    point->position = position;
    point->gap = gap;
    point->feature = feature;
}

void ts_contact_list_distinguish(ts_contact_list* list) {
    for (int i = 1; i < list->count; ++i) {
        for (int j = 0; j < i; ++j) {
            if (list->point[j].feature != list->point[i].feature) continue;
            list->point[i].feature += 0x9e3779b9u;
            j = -1;  // the new label may clash as well
        }
    }
}

typedef struct flat_point {
    double u, v;
} flat_point;

static double cross2(flat_point a, flat_point b, flat_point c) {
    return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

static double distance2(flat_point a, flat_point b) { return (a.u - b.u) * (a.u - b.u) + (a.v - b.v) * (a.v - b.v); }

// Two fixed directions spanning the contact plane: the coordinate axis least along the normal, made orthogonal.
static void plane_axes(ts_vec3 n, ts_vec3* out_u, ts_vec3* out_v) {
    ts_vec3 axis = ts_vec3_axis(ts_vec3_least(ts_vec3_abs(n)));
    *out_u = ts_vec3_unit_or(ts_vec3_add_scaled(axis, -ts_vec3_dot(axis, n), n), axis);
    *out_v = ts_vec3_cross(n, *out_u);
}

// How much point i adds to the kept ones: what the convex region gains, seen from the kept edge it lies outside of.
static double gain(const flat_point* flat, const int* kept, int kept_count, int i, flat_point centre) {
    if (kept_count == 1) return distance2(flat[kept[0]], flat[i]);
    if (kept_count == 2) return fabs(cross2(flat[kept[0]], flat[kept[1]], flat[i]));
    double best = 0.0;
    if (kept_count == 3) {  // the usual last step, without looking for edges
        double turn = cross2(flat[kept[0]], flat[kept[1]], flat[kept[2]]) < 0.0 ? 1.0 : -1.0;
        for (int a = 0; a < 3; ++a) {
            double out = turn * cross2(flat[kept[a]], flat[kept[(a + 1) % 3]], flat[i]);
            if (out > best) best = out;
        }
        return best;
    }
    for (int a = 0; a < kept_count; ++a) {
        for (int b = a + 1; b < kept_count; ++b) {
            double inside = cross2(flat[kept[a]], flat[kept[b]], centre);
            double area = cross2(flat[kept[a]], flat[kept[b]], flat[i]);
            double out = inside > 0.0 ? -area : area;
            // Only edges of the hull of the kept points count; across a diagonal the gain is not a gain.
            int edge = 1;
            for (int c = 0; c < kept_count && edge; ++c) {
                double side = cross2(flat[kept[a]], flat[kept[b]], flat[kept[c]]);
                if (inside > 0.0 ? side < 0.0 : side > 0.0) edge = 0;
            }
            if (edge && out > best) best = out;
        }
    }
    return best;
}

// Points kept last time count this much more.
static const double LOYALTY = 1.0 / 0.95;

static int is_kept(uint32_t feature, const uint32_t* kept, int kept_count) {
    for (int i = 0; i < kept_count; ++i)
        if (kept[i] == feature) return 1;
    return 0;
}

static int deepest(const ts_contact_list* list, const flat_point* flat, double tie, const int* loyal) {
    double lowest = list->point[0].gap;
    for (int i = 1; i < list->count; ++i)
        if (list->point[i].gap < lowest) lowest = list->point[i].gap;
    int winner = -1, known = 0;
    double best = 0.0;
    for (int i = 0; i < list->count; ++i)
        if (!(list->point[i].gap > lowest + tie)) known |= loyal[i];
    for (int i = 0; i < list->count; ++i) {
        if (list->point[i].gap > lowest + tie || (known && !loyal[i])) continue;
        // An oblique direction, so that the corners of an aligned rectangle do not tie.
        double along = flat[i].u + 0.618 * flat[i].v;
        if (winner < 0 || along > best + tie ||
            (along > best - tie && list->point[i].feature < list->point[winner].feature)) {
            winner = i;
            best = along;
        }
    }
    return winner;
}

// The points in the plane, relative to the first, so that positions far from the origin keep their digits. Returns the
// largest coordinate.
static double flatten(const ts_contact_list* list, flat_point* out) {
    ts_vec3 u, v;
    plane_axes(list->normal, &u, &v);
    double extent = 0.0;
    for (int i = 0; i < list->count; ++i) {
        ts_vec3 r = ts_vec3_sub(list->point[i].position, list->point[0].position);
        out[i].u = ts_vec3_dot(r, u);
        out[i].v = ts_vec3_dot(r, v);
        if (fabs(out[i].u) > extent) extent = fabs(out[i].u);
        if (fabs(out[i].v) > extent) extent = fabs(out[i].v);
    }
    return extent;
}

// The next corner around the convex region, counter-clockwise from corner `at`: the farthest of the points that lie
// within `tolerance` of the line to the one most to the right. -1 when all points are at `at`. Of two points of which the
// nearer lies within the tolerance of the line to the other, the farther counts as more to the right: the direction to a
// point close by says little.
static int next_corner(const flat_point* flat, int count, int at, double tolerance) {
    int next = -1;
    double reach = 0.0;  // squared distance of `next`
    for (int i = 0; i < count; ++i) {
        double away = distance2(flat[at], flat[i]);
        if (away <= tolerance * tolerance) continue;
        int better = next < 0;
        if (!better) {
            double turn = cross2(flat[at], flat[next], flat[i]);
            double longer = away > reach ? away : reach;
            better = turn * turn <= tolerance * tolerance * longer ? away > reach : turn < 0.0;
        }
        if (!better) continue;
        next = i;
        reach = away;
    }
    if (next < 0) return -1;
    double du = flat[next].u - flat[at].u, dv = flat[next].v - flat[at].v;
    double length = sqrt(du * du + dv * dv), best = 0.0;
    int farthest = next;
    for (int i = 0; i < count; ++i) {
        double along = ((flat[i].u - flat[at].u) * du + (flat[i].v - flat[at].v) * dv) / length;
        if (!(along > best) || !(cross2(flat[at], flat[next], flat[i]) <= tolerance * length)) continue;
        best = along;
        farthest = i;
    }
    return farthest;
}

// Marks the corners of the convex region (Jarvis's march), from the point farthest from the middle.
static void mark_corners(const flat_point* flat, int count, double tolerance, int* out_corner) {
    flat_point middle = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        middle.u += flat[i].u / count;
        middle.v += flat[i].v / count;
        out_corner[i] = 0;
    }
    int at = 0;
    for (int i = 1; i < count; ++i)
        if (distance2(flat[i], middle) > distance2(flat[at], middle)) at = i;
    while (at >= 0 && !out_corner[at]) {
        out_corner[at] = 1;
        at = next_corner(flat, count, at, tolerance);
    }
}

void ts_contact_list_prune(ts_contact_list* list) {
    if (list->count < 3) return;
    flat_point flat[TS_CONTACT_CAPACITY] = {{0.0, 0.0}};
    int corner[TS_CONTACT_CAPACITY] = {0};
    double extent = flatten(list, flat), lowest = (double)INFINITY;
    mark_corners(flat, list->count, 1e-4 * extent, corner);
    for (int i = 0; i < list->count; ++i)
        if (corner[i] && list->point[i].gap < lowest) lowest = list->point[i].gap;
    int deepest_inside = -1;
    for (int i = 0; i < list->count; ++i) {
        double least = deepest_inside < 0 ? lowest - 1e-6 * extent : list->point[deepest_inside].gap;
        if (!corner[i] && list->point[i].gap < least) deepest_inside = i;
    }
    int filled = 0;
    for (int i = 0; i < list->count; ++i)
        if (corner[i] || i == deepest_inside) list->point[filled++] = list->point[i];
    list->count = filled;
}

void ts_contact_list_reduce(ts_contact_list* list, int max_points, const uint32_t* known, int known_count) {
    if (max_points < 1) max_points = 1;
    if (list->count <= max_points) return;
    flat_point flat[TS_CONTACT_CAPACITY] = {{0.0, 0.0}};
    double extent = flatten(list, flat);
    int kept[TS_CONTACT_CAPACITY];
    int taken[TS_CONTACT_CAPACITY] = {0};
    int loyal[TS_CONTACT_CAPACITY];
    for (int i = 0; i < list->count; ++i) loyal[i] = is_kept(list->point[i].feature, known, known_count);
    kept[0] = deepest(list, flat, 1e-6 * extent, loyal);
    taken[kept[0]] = 1;
    flat_point centre = flat[kept[0]];
    int count = 1;
    while (count < max_points) {
        int winner = -1;
        double best = 0.0, tie = 1e-9 * extent * extent;
        for (int i = 0; i < list->count; ++i) {
            if (taken[i]) continue;
            double value = gain(flat, kept, count, i, centre);
            if (loyal[i]) value *= LOYALTY;
            if (winner < 0 || value > best + tie ||
                (value > best - tie && list->point[i].feature < list->point[winner].feature)) {
                winner = i;
                best = value;
            }
        }
        TS_ASSERT(winner >= 0);
        kept[count++] = winner;
        taken[winner] = 1;
        centre.u = centre.v = 0.0;
        for (int k = 0; k < count; ++k) {
            centre.u += flat[kept[k]].u / count;
            centre.v += flat[kept[k]].v / count;
        }
    }
    ts_manifold_point chosen[TS_CONTACT_CAPACITY];
    for (int k = 0; k < count; ++k) chosen[k] = list->point[kept[k]];
    for (int k = 0; k < count; ++k) list->point[k] = chosen[k];
    list->count = count;
}
