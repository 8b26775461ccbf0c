// How EPA's polytope begins: from GJK's simplex, completed where it is too small, around a normal known from before, or behind a face of polytopes
// known from before.
//
// Rule for a simplex: two points far apart, one off their line, one off their plane; where the simplex lacks a dimension
// support points are asked for in fixed directions, and a triangle gets an apex on each side that D has.
// Guaranteed: deterministic; a rank below 4 means that D is flat to 1e-12 of its size in the missing directions (1e-9
// for the first two), and then EPA says so instead of growing a polytope out of rounding.
#include "collision/distance/penetration/epa_polytope_internal.h"

#include "collision/shape/support_internal.h"

// Relative to the size of D: below this a point counts as on the line or on the plane of the others.
static const double OFF_LINE = 1e-9;
static const double OFF_PLANE = 1e-12;
// The same of a face from before: those of slivers are left to a start from nothing.
static const double FLAT_START = 1e-3;
// rad: chords this short cost 4e-5 of the depth on curved faces, and normals move less than this from step to step.
static const double TILT = 0.0125;

// Directions in which to look for a second point: axes first, then diagonals.
static ts_vec3 scout_direction(int k) {
    if (k < 6) return ts_vec3_scale(k & 1 ? -1.0 : 1.0, ts_vec3_axis(k / 2));
    k -= 6;
    return ts_vec3_make(k & 1 ? -1.0 : 1.0, k & 2 ? -1.0 : 1.0, k & 4 ? -1.0 : 1.0);
}

static double line_distance(ts_vec3 p, ts_vec3 origin, ts_vec3 unit) {
    return ts_vec3_norm(ts_vec3_cross(ts_vec3_sub(p, origin), unit));
}

static ts_vec3 triangle_normal(const ts_gjk_vertex* v) {
    return ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w)), ts_vec3_zero());
}

// Keeps of the vertices in store those that span the most, in order: two far apart, one off their line, one off the
// plane. Returns how many directions they span plus one (1 to 4).
static int independent_vertices(ts_epa_polytope* p) {
    ts_gjk_vertex* v = p->vertex;
    int count = p->vertex_count, rank = 1;
    ts_vec3 unit = ts_vec3_zero(), normal = ts_vec3_zero();
    if (count == 4) {
        // As GJK leaves it: nearly always good enough to be taken as it is.
        ts_vec3 n = ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w));
        double area = ts_vec3_max_abs(n), height = fabs(ts_vec3_dot(n, ts_vec3_sub(v[3].w, v[0].w)));
        if (area > 1e-5 * p->scale * p->scale && height > 1e-5 * p->scale * area) return 4;
    }
    while (rank < 4 && rank < count) {
        int winner = -1;
        double best = (rank == 3 ? OFF_PLANE : OFF_LINE) * p->scale;
        for (int i = rank; i < count; ++i) {
            double off;
            if (rank == 1)
                off = ts_vec3_distance(v[i].w, v[0].w);
            else if (rank == 2)
                off = line_distance(v[i].w, v[0].w, unit);
            else
                off = fabs(ts_vec3_dot(normal, ts_vec3_sub(v[i].w, v[0].w)));
            if (off >= best) {
                best = off;
                winner = i;
            }
        }
        if (winner < 0) break;
        ts_gjk_vertex swap = v[rank];
        v[rank] = v[winner];
        v[winner] = swap;
        ++rank;
        if (rank == 2) unit = ts_vec3_unit_or(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_zero());
        if (rank == 3) normal = triangle_normal(v);
    }
    p->vertex_count = rank;
    return rank;
}

// Brings the start up to a triangle where D allows it. Returns the rank reached.
static int complete_to_triangle(ts_epa_polytope* p, int rank) {
    ts_gjk_vertex* v = p->vertex;
    for (int k = 0; rank == 1 && k < 14; ++k) {
        ts_gjk_vertex w = ts_epa_polytope_support(p, scout_direction(k), -1, -1);
        double off = ts_vec3_distance(w.w, v[0].w);
        if (off >= OFF_LINE * p->scale && off > 0.0) v[rank++] = w;
    }
    if (rank == 2) {
        ts_vec3 unit = ts_vec3_unit_or(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_axis(0));
        ts_vec3 x = ts_vec3_orthogonal(unit), y = ts_vec3_cross(unit, x);
        const double cosine[6] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5};
        const double sine[6] = {0.0, 0.8660254037844386,  0.8660254037844386,
                                0.0, -0.8660254037844386, -0.8660254037844386};
        for (int k = 0; rank == 2 && k < 6; ++k) {
            ts_vec3 d = ts_vec3_add(ts_vec3_scale(cosine[k], x), ts_vec3_scale(sine[k], y));
            ts_gjk_vertex w = ts_epa_polytope_support(p, d, -1, -1);
            double off = line_distance(w.w, v[0].w, unit);
            if (off >= OFF_LINE * p->scale && off > 0.0) v[rank++] = w;
        }
    }
    p->vertex_count = rank;
    return rank;
}

int ts_epa_start_simplex(ts_epa_polytope* p, const ts_gjk_result* start) {
    p->vertex_count = start->rank;
    for (int i = 0; i < start->rank; ++i) p->vertex[i] = start->simplex[i];
    int rank = independent_vertices(p);
    if (rank < 3) rank = complete_to_triangle(p, rank);
    if (rank < 3) return rank;
    ts_gjk_vertex* v = p->vertex;
    if (rank == 4) {
        ts_vec3 n = ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w));
        // Orient so that the base faces away from the fourth vertex.
        if (ts_vec3_dot(n, ts_vec3_sub(v[3].w, v[0].w)) > 0.0) {
            ts_gjk_vertex swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
        static const uint16_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
        for (int f = 0; f < 4; ++f) ts_epa_polytope_add_face(p, corner[f][0], corner[f][1], corner[f][2]);
        ts_epa_polytope_link(p);
        return 4;
    }
    ts_vec3 n = triangle_normal(v);
    ts_gjk_vertex up = ts_epa_polytope_support(p, n, -1, -1);
    ts_gjk_vertex down = ts_epa_polytope_support(p, ts_vec3_neg(n), -1, -1);
    double high = ts_vec3_dot(n, ts_vec3_sub(up.w, v[0].w)), low = -ts_vec3_dot(n, ts_vec3_sub(down.w, v[0].w));
    double flat = OFF_PLANE * p->scale;
    if (!(high > flat) && !(low > flat)) return 3;
    int top = -1, bottom = -1;
    if (high > flat) {
        top = p->vertex_count;
        v[p->vertex_count++] = up;
    }
    if (low > flat) {
        bottom = p->vertex_count;
        v[p->vertex_count++] = down;
    }
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (top >= 0) ts_epa_polytope_add_face(p, k, next, top);
        if (bottom >= 0) ts_epa_polytope_add_face(p, next, k, bottom);
    }
    if (top < 0) ts_epa_polytope_add_face(p, 0, 1, 2);
    if (bottom < 0) ts_epa_polytope_add_face(p, 0, 2, 1);
    ts_epa_polytope_link(p);
    return 4;
}

static int same_point(ts_vec3 a, ts_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// D's support point along the normal (or `touch`), along four directions tilted from it, and along its opposite. The
// surface they span is closed but neither convex nor sure to surround the origin; the loop makes that good. Once all
// planes have the origin on their inner side the surface winds around it (its faces, seen from the origin, all turn the
// same way), so the ball that touches the nearest plane lies in its convex hull and in D.
int ts_epa_start_around(ts_epa_polytope* p, ts_vec3 n, const ts_gjk_vertex* touch) {
    ts_vec3 u = ts_vec3_orthogonal(n), v = ts_vec3_cross(n, u);
    ts_gjk_vertex* ring = p->vertex;
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        double t = k < 2 ? TILT : -TILT;
        ring[count] = ts_epa_polytope_support(p, ts_vec3_add_scaled(n, t, k & 1 ? v : u), -1, -1);
        int known = (count && same_point(ring[count].w, ring[count - 1].w)) || same_point(ring[count].w, ring[0].w);
        if (!count || !known) ++count;
    }
    if (count < 3) return 0;
    int top = count, bottom = count + 1;
    p->vertex[top] = touch ? *touch : ts_epa_polytope_support(p, n, -1, -1);
    p->vertex[bottom] = ts_epa_polytope_support(p, ts_vec3_neg(n), -1, -1);
    p->vertex_count = count + 2;
    int merged = -1;  // the ring vertex that is the top
    for (int k = 0; k < count; ++k)
        if (same_point(ring[k].w, ring[top].w)) merged = k;
    if (merged >= 0) top = merged;
    for (int k = 0; k < count; ++k) {
        int next = k + 1 == count ? 0 : k + 1;
        ts_epa_polytope_add_face(p, next, k, bottom);
        if (k != merged && next != merged) ts_epa_polytope_add_face(p, k, next, top);
    }
    ts_epa_polytope_link(p);
    return 1;
}

// A tetrahedron: what was the nearest face of D, where its corners are now, and D's support point the other way. As long as
// the shapes have not turned far, the face is still D's own, and the loop has that to find out.
int ts_epa_start_face(ts_epa_polytope* p, ts_vec3 normal, const ts_epa_corners* corners) {
    const ts_shape_pair* pair = p->pair;
    ts_gjk_vertex* v = p->vertex;
    if (corners->count != 3) return 0;
    for (int k = 0; k < 3; ++k) {
        v[k].index_a = corners->a[k];
        v[k].index_b = corners->b[k];
        v[k].lambda = 0.0;
        if (!ts_support_vertex(pair->a, v[k].index_a, &v[k].a) || !ts_support_vertex(pair->b, v[k].index_b, &v[k].b))
            return 0;
        v[k].b = ts_transform_point(&pair->b_in_a, v[k].b);
        v[k].w = ts_vec3_sub(v[k].a, v[k].b);
        double size = ts_vec3_norm(v[k].w);
        if (size > p->scale) p->scale = size;
    }
    ts_vec3 n = triangle_normal(v);
    int turned = ts_vec3_dot(n, normal) < 0.0;
    if (turned) n = ts_vec3_neg(n);
    v[3] = ts_epa_polytope_support(p, ts_vec3_neg(n), -1, -1);
    // Thinner ones would be grown from rounding; what has no normal has no height.
    if (!(ts_vec3_dot(n, ts_vec3_sub(v[0].w, v[3].w)) > FLAT_START * p->scale)) return 0;
    p->vertex_count = 4;
    static const uint16_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int f = 0; f < 4; ++f)
        ts_epa_polytope_add_face(p, corner[f][0], corner[f][turned ? 2 : 1], corner[f][turned ? 1 : 2]);
    ts_epa_polytope_link(p);
    return 1;
}
