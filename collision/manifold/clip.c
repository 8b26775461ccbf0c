// Contact points of two facing features: polygon against polygon, segment against polygon, segment along segment.
//
// Problem: shapes that touch along a face touch in a region; a solver wants its corners. Rule: clip the incident feature
// against the planes through the edges of the reference polygon (Sutherland, Hodgman, CACM 1974) and measure each
// point's gap along the contact normal. Each point is placed midway between the two surfaces, so it does not move when
// the reference changes sides.
// Guaranteed: gaps are exact to rounding for flat features; labels name the corners and edges that meet at the point
// (corner of A, corner of B, both, or edge of A with edge of B), so they survive small motion and a change of reference.
// Known limit: corners within `tolerance` of a clipping plane count as on it, so a point may lie that far outside.
#include "collision/manifold/manifold_internal.h"

enum { POLYGON_CAPACITY = 40 };  // 16 corners and at most one more per clipping plane

typedef struct clip_point {
    ts_vec3 at;
    int corner;      // incident corner, or -1
    int edge, next;  // incident edge the point lies on, and the one that leaves it; -1 along the reference
} clip_point;

typedef struct side_plane {
    ts_vec3 inward;  // unit
    double offset;   // inside: <inward, x> - offset >= 0
} side_plane;

static clip_point cut(const clip_point* from, const clip_point* to, double df, double dt, int next) {
    double w = df / (df - dt);
    clip_point q = {ts_vec3_lerp(from->at, to->at, w), -1, from->next, next};
    return q;
}

// One clipping pass. A point within tol of the plane counts as on it and stands in for the cut, so that aligned edges
// keep their corners instead of growing slivers. `closed` is 0 for a segment.
static int clip_plane(const clip_point* in, int count, const side_plane* plane, double tol, int closed,
                      clip_point* out) {
    int made = 0;
    for (int k = 0; k < count && made < POLYGON_CAPACITY - 2; ++k) {
        const clip_point* from = &in[k];
        double df = ts_vec3_dot(plane->inward, from->at) - plane->offset;
        if (!closed && k + 1 == count) {
            if (df >= -tol) out[made++] = *from;
            break;
        }
        const clip_point* to = &in[k + 1 == count ? 0 : k + 1];
        double dt = ts_vec3_dot(plane->inward, to->at) - plane->offset;
        int from_in = df >= -tol, to_in = dt >= -tol;
        if (from_in) {
            out[made++] = *from;
            if (!to_in) {
                if (df > tol) out[made++] = cut(from, to, df, dt, -1);
                out[made - 1].next = -1;
            }
        } else if (to_in && dt > tol) {
            out[made++] = cut(from, to, df, dt, from->next);
        }
    }
    return made;
}

// The planes through the polygon's edges along the contact normal (not the polygon's own: then a point inside them has
// its partner across the gap inside the polygon).
static int side_planes(const ts_support_feature* reference, ts_vec3 outward, side_plane* out) {
    int made = 0;
    for (int j = 0; j < reference->count; ++j) {
        ts_vec3 a = reference->point[j], b = reference->point[(j + 1) % reference->count];
        ts_vec3 inward = ts_vec3_unit_or(ts_vec3_cross(outward, ts_vec3_sub(b, a)), ts_vec3_zero());
        out[made].inward = inward;
        out[made].offset = ts_vec3_dot(inward, a);
        ++made;
    }
    return made;
}

// The label of a clipped point; see ts_contact_label.
static uint32_t label_of(const ts_clip_input* in, const clip_point* q, const side_plane* planes, int plane_count) {
    const ts_support_feature* reference = in->reference == 1 ? &in->a : &in->b;
    const ts_support_feature* incident = in->reference == 1 ? &in->b : &in->a;
    int near_count = 0, near[2] = {-1, -1};
    for (int j = 0; j < plane_count; ++j) {
        if (fabs(ts_vec3_dot(planes[j].inward, q->at) - planes[j].offset) > in->tolerance) continue;
        if (near_count < 2) near[near_count] = j;
        ++near_count;
    }
    int r0 = -1, r1 = -1, i0 = -1, i1 = -1;
    int kind = 1;
    if (near_count >= 2) {
        // Plane j runs from corner j to corner j + 1; neighbouring planes share one.
        int shared = near[1] == near[0] + 1 ? near[1] : near[0];
        r0 = r1 = reference->vertex[shared];
        if (q->corner >= 0) {
            i0 = i1 = incident->vertex[q->corner];
            kind = 3;
        }
    } else if (q->corner >= 0) {
        i0 = i1 = incident->vertex[q->corner];
    } else {
        kind = 4;
        if (near_count == 1) {
            r0 = reference->vertex[near[0]];
            r1 = reference->vertex[(near[0] + 1) % reference->count];
        }
        if (q->edge >= 0) {
            i0 = incident->vertex[q->edge];
            i1 = incident->vertex[(q->edge + 1) % incident->count];
        }
    }
    return in->reference == 1 ? ts_contact_label(kind, r0, r1, i0, i1) : ts_contact_label(kind, i0, i1, r0, r1);
}

void ts_clip_against_polygon(const ts_clip_input* in, ts_contact_list* out) {
    const ts_support_feature* reference = in->reference == 1 ? &in->a : &in->b;
    const ts_support_feature* incident = in->reference == 1 ? &in->b : &in->a;
    double facing = ts_vec3_dot(reference->normal, in->normal);
    if (in->reference == 2) facing = -facing;
    if (!(facing > 0.0)) return;
    side_plane planes[16];
    int plane_count = side_planes(reference, in->reference == 1 ? in->normal : ts_vec3_neg(in->normal), planes);
    clip_point first[POLYGON_CAPACITY], second[POLYGON_CAPACITY];
    clip_point *from = first, *to = second;
    int count = incident->count, closed = incident->count > 2;
    for (int k = 0; k < count; ++k) {
        clip_point corner = {incident->point[k], k, -1, k};
        from[k] = corner;
    }
    for (int j = 0; j < plane_count && count > 0; ++j) {
        count = clip_plane(from, count, &planes[j], in->tolerance, closed, to);
        clip_point* swap = from;
        from = to;
        to = swap;
    }
    if (!closed && count == 2 && ts_vec3_distance(from[0].at, from[1].at) <= in->tolerance) count = 1;
    double offset = ts_vec3_dot(reference->normal, reference->point[0]);
    double balls = in->radius_a + in->radius_b;
    for (int k = 0; k < count; ++k) {
        ts_vec3 p = from[k].at;
        double core_gap = (ts_vec3_dot(reference->normal, p) - offset) / facing;
        double gap = core_gap - balls;
        if (gap > in->margin) continue;
        // From the incident core point, half the core gap back towards the reference; then to the middle of the balls.
        double shift = (in->reference == 1 ? -0.5 : 0.5) * core_gap + 0.5 * (in->radius_a - in->radius_b);
        ts_contact_list_add(out, ts_vec3_add_scaled(p, shift, in->normal), gap,
                            label_of(in, &from[k], planes, plane_count));
    }
}

// A segment seen along the normal: where its ends lie along a common direction u and sideways.
typedef struct flat_segment {
    ts_vec3 from, along;  // from + w along, w in [0, 1]
    double s0, ds;        // <u, .> of the same
    double side0, dside;  // sideways
} flat_segment;

static flat_segment flatten(const ts_support_feature* f, ts_vec3 u, ts_vec3 side) {
    flat_segment q;
    q.from = f->point[0];
    q.along = ts_vec3_sub(f->point[1], f->point[0]);
    q.s0 = ts_vec3_dot(u, q.from);
    q.ds = ts_vec3_dot(u, q.along);
    q.side0 = ts_vec3_dot(side, q.from);
    q.dside = ts_vec3_dot(side, q.along);
    return q;
}

void ts_clip_segments(const ts_clip_input* in, ts_contact_list* out) {
    ts_vec3 n = in->normal, ea = ts_vec3_sub(in->a.point[1], in->a.point[0]);
    ts_vec3 u = ts_vec3_unit_or(ts_vec3_add_scaled(ea, -ts_vec3_dot(ea, n), n), ts_vec3_zero());
    ts_vec3 side = ts_vec3_cross(n, u);
    flat_segment a = flatten(&in->a, u, side), b = flatten(&in->b, u, side);
    if (!(a.ds > 0.0) || !(fabs(b.dside) <= 0.05 * fabs(b.ds))) return;
    double b_low = b.ds > 0.0 ? b.s0 : b.s0 + b.ds, b_high = b.ds > 0.0 ? b.s0 + b.ds : b.s0;
    double low = a.s0 > b_low ? a.s0 : b_low, high = a.s0 + a.ds < b_high ? a.s0 + a.ds : b_high;
    // Away from where the lines cross they drift apart sideways; stay where that changes no gap that matters.
    double shorter = a.ds < fabs(b.ds) ? a.ds : fabs(b.ds);
    double drift = 1e-3 * (in->radius_a + in->radius_b) + 1e-4 * shorter;
    double slope = b.dside / b.ds;  // A's own is zero
    if (fabs(slope) * shorter > 1e-9 * drift) {
        double meet = b.s0 + (a.side0 - b.side0) / slope, reach = drift / fabs(slope);
        low = low > meet - reach ? low : meet - reach;
        high = high < meet + reach ? high : meet + reach;
    }
    if (!(high - low > 1e-2 * shorter)) return;
    const double end[2] = {low, high};
    for (int k = 0; k < 2; ++k) {
        ts_vec3 pa = ts_vec3_add_scaled(a.from, (end[k] - a.s0) / a.ds, a.along);
        ts_vec3 pb = ts_vec3_add_scaled(b.from, (end[k] - b.s0) / b.ds, b.along);
        double gap = ts_vec3_dot(ts_vec3_sub(pb, pa), n) - in->radius_a - in->radius_b;
        if (gap > in->margin) continue;
        ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(pa, pb));
        ts_contact_list_add(out, ts_vec3_add_scaled(middle, 0.5 * (in->radius_a - in->radius_b), n), gap,
                            ts_contact_label(5, k, k, k, k));
    }
}
