// EPA: penetration depth by an expanding polytope.
//
// Problem: depth = min over unit n of h(n), h the support function of D = A - B (van den Bergen, GDC 2001).
// Rule: hold a polytope inscribed in D, starting from GJK's simplex or around a normal known from before; take the face
// whose plane is nearest the origin (signed, so the origin may be on or a little outside the polytope); ask for D's
// support along its normal; when that is no farther the face is D's own and its normal attains the depth, else replace
// what the new point sees by a fan around it.
// Guaranteed: every normal tried gives an upper bound h(n), the nearest plane of the inscribed polytope a lower one, and
// both are returned; whatever goes wrong, the best normal so far keeps its certificate. All thresholds are relative to
// the size of D: with an absolute visibility threshold about half of all answers are wrong at micrometre scale.
// Known limits: for curved pairs convergence slows down near the solution (tens of iterations for nine digits), so they
// stop at four digits. No heap: the arena below lives on the stack.
#include "collision/epa.h"

#include "collision/proximity_internal.h"
#include "collision/subdistance.h"
#include "collision/support_internal.h"

#include <float.h>

enum { EPA_ITERATIONS = 128, EPA_VERTICES = 144, EPA_FACES = 320 };

// Faces this well aligned with a normal may give its witnesses.
static const double SAME_NORMAL = 0.999;

typedef struct epa_face {
    ts_vec3 normal;   // unit, outward; zero on a face too thin to have one
    double distance;  // signed distance of the plane from the origin; infinite on a thin face
    int vertex[3];    // counter-clockwise from outside
    int across[3];    // the face across edge vertex[k], vertex[k + 1]
    int alive;
    int stamp;  // iteration in which it was found visible
} epa_face;

typedef struct epa_edge {
    int from, to;
    int outside;       // the face that stays
    int outside_edge;  // which of its edges
} epa_edge;

typedef struct epa {
    const ts_shape* a;
    const ts_shape* b;
    const ts_transform* pose;
    double scale;
    int vertex_count;
    int face_count;
    int free_face;  // head of the list of dead faces, linked through across[0]; -1 when empty
    ts_gjk_vertex vertex[EPA_VERTICES];
    epa_face face[EPA_FACES];
} epa;

static ts_gjk_vertex support_along(epa* e, ts_vec3 n, int hint_a, int hint_b) {
    ts_support_point a = ts_support_core_inline(e->a, n, hint_a);
    ts_support_point b = ts_support_core_inline(e->b, ts_transform_direction_inverse(e->pose, ts_vec3_neg(n)), hint_b);
    ts_gjk_vertex v;
    v.a = a.point;
    v.b = ts_transform_point(e->pose, b.point);
    v.w = ts_vec3_sub(v.a, v.b);
    v.index_a = a.index;
    v.index_b = b.index;
    v.lambda = 0.0;
    double size = ts_vec3_norm(v.w);
    if (size > e->scale) e->scale = size;
    return v;
}

static int add_face(epa* e, int i, int j, int k) {
    int f = e->free_face;
    if (f >= 0) {
        e->free_face = e->face[f].across[0];
    } else {
        if (e->face_count >= EPA_FACES) return -1;
        f = e->face_count++;
    }
    epa_face* face = &e->face[f];
    face->vertex[0] = i;
    face->vertex[1] = j;
    face->vertex[2] = k;
    face->alive = 1;
    face->stamp = -1;
    ts_vec3 p = e->vertex[i].w, q = e->vertex[j].w, r = e->vertex[k].w;
    ts_vec3 pq = ts_vec3_sub(q, p), qr = ts_vec3_sub(r, q), rp = ts_vec3_sub(p, r);
    double pq2 = ts_vec3_norm_squared(pq), qr2 = ts_vec3_norm_squared(qr), rp2 = ts_vec3_norm_squared(rp);
    // The cross product of the two shortest edges is the best conditioned.
    double longest = pq2;
    ts_vec3 n;
    if (pq2 >= qr2 && pq2 >= rp2) {
        n = ts_vec3_cross(qr, rp);
    } else if (qr2 >= rp2) {
        longest = qr2;
        n = ts_vec3_cross(rp, pq);
    } else {
        longest = rp2;
        n = ts_vec3_cross(pq, qr);
    }
    double norm = ts_vec3_norm(n);
    if (!(norm > 1e-14 * longest)) {
        face->normal = ts_vec3_zero();
        face->distance = (double)INFINITY;
        return f;
    }
    face->normal = ts_vec3_scale(1.0 / norm, n);
    face->distance = (ts_vec3_dot(face->normal, p) + ts_vec3_dot(face->normal, q) + ts_vec3_dot(face->normal, r)) / 3.0;
    return f;
}

// Connects faces that share an edge. Only for the start polytope, which has at most six faces.
static void link_all(epa* e) {
    for (int f = 0; f < e->face_count; ++f)
        for (int k = 0; k < 3; ++k)
            for (int g = 0; g < e->face_count; ++g)
                for (int l = 0; l < 3; ++l)
                    if (e->face[g].vertex[l] == e->face[f].vertex[(k + 1) % 3] &&
                        e->face[g].vertex[(l + 1) % 3] == e->face[f].vertex[k])
                        e->face[f].across[k] = g;
}

// Directions in which to look for a second point: axes first, then diagonals.
static ts_vec3 scout_direction(int k) {
    if (k < 6) return ts_vec3_scale(k & 1 ? -1.0 : 1.0, ts_vec3_axis(k / 2));
    k -= 6;
    return ts_vec3_make(k & 1 ? -1.0 : 1.0, k & 2 ? -1.0 : 1.0, k & 4 ? -1.0 : 1.0);
}

static double line_distance(ts_vec3 p, ts_vec3 origin, ts_vec3 unit) {
    return ts_vec3_norm(ts_vec3_cross(ts_vec3_sub(p, origin), unit));
}

// Keeps of the vertices in store those that span the most, in order: two far apart, one off their line, one off the
// plane. Returns how many directions they span plus one (1 to 4).
static int independent_vertices(epa* e) {
    ts_gjk_vertex* v = e->vertex;
    int count = e->vertex_count, rank = 1;
    ts_vec3 unit = ts_vec3_zero(), normal = ts_vec3_zero();
    while (rank < 4 && rank < count) {
        int winner = -1;
        double best = (rank == 3 ? 1e-12 : 1e-9) * e->scale;
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
        if (rank == 3)
            normal = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w)),
                                     ts_vec3_zero());
    }
    e->vertex_count = rank;
    return rank;
}

// A unit vector orthogonal to a unit vector.
static ts_vec3 some_orthogonal(ts_vec3 n) {
    ts_vec3 m = ts_vec3_abs(n);
    int least = m.x <= m.y ? (m.x <= m.z ? 0 : 2) : (m.y <= m.z ? 1 : 2);
    return ts_vec3_unit_or(ts_vec3_cross(n, ts_vec3_axis(least)), ts_vec3_axis(least));
}

// Brings the start up to a triangle where D allows it. Returns the rank reached.
static int complete_to_triangle(epa* e, int rank) {
    ts_gjk_vertex* v = e->vertex;
    for (int k = 0; rank == 1 && k < 14; ++k) {
        ts_gjk_vertex w = support_along(e, scout_direction(k), -1, -1);
        if (ts_vec3_distance(w.w, v[0].w) >= 1e-9 * e->scale && ts_vec3_distance(w.w, v[0].w) > 0.0) v[rank++] = w;
    }
    if (rank == 2) {
        ts_vec3 unit = ts_vec3_unit_or(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_axis(0));
        ts_vec3 p = some_orthogonal(unit), q = ts_vec3_cross(unit, p);
        const double cosine[6] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5};
        const double sine[6] = {0.0, 0.8660254037844386,  0.8660254037844386,
                                0.0, -0.8660254037844386, -0.8660254037844386};
        for (int k = 0; rank == 2 && k < 6; ++k) {
            ts_vec3 d = ts_vec3_add(ts_vec3_scale(cosine[k], p), ts_vec3_scale(sine[k], q));
            ts_gjk_vertex w = support_along(e, d, -1, -1);
            double off = line_distance(w.w, v[0].w, unit);
            if (off >= 1e-9 * e->scale && off > 0.0) v[rank++] = w;
        }
    }
    e->vertex_count = rank;
    return rank;
}

// Builds a tetrahedron or, where D reaches out on both sides of a triangle, a double pyramid. Returns the rank of D
// found: 4 when there is a polytope to expand.
static int build_start(epa* e, const ts_gjk_result* start) {
    e->vertex_count = start->rank;
    for (int i = 0; i < start->rank; ++i) e->vertex[i] = start->simplex[i];
    int rank = independent_vertices(e);
    if (rank < 3) rank = complete_to_triangle(e, rank);
    if (rank < 3) return rank;
    ts_gjk_vertex* v = e->vertex;
    ts_vec3 n =
        ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w)), ts_vec3_zero());
    if (rank == 4) {
        // Orient so that the base faces away from the fourth vertex.
        if (ts_vec3_dot(n, ts_vec3_sub(v[3].w, v[0].w)) > 0.0) {
            ts_gjk_vertex swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
        add_face(e, 0, 1, 2);
        add_face(e, 0, 3, 1);
        add_face(e, 1, 3, 2);
        add_face(e, 2, 3, 0);
        link_all(e);
        return 4;
    }
    ts_gjk_vertex up = support_along(e, n, -1, -1), down = support_along(e, ts_vec3_neg(n), -1, -1);
    double high = ts_vec3_dot(n, ts_vec3_sub(up.w, v[0].w)), low = -ts_vec3_dot(n, ts_vec3_sub(down.w, v[0].w));
    double flat = 1e-12 * e->scale;
    if (!(high > flat) && !(low > flat)) return 3;
    int top = -1, bottom = -1;
    if (high > flat) {
        top = e->vertex_count;
        v[e->vertex_count++] = up;
    }
    if (low > flat) {
        bottom = e->vertex_count;
        v[e->vertex_count++] = down;
    }
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (top >= 0) add_face(e, k, next, top);
        if (bottom >= 0) add_face(e, next, k, bottom);
    }
    if (top < 0) add_face(e, 0, 1, 2);
    if (bottom < 0) add_face(e, 0, 2, 1);
    link_all(e);
    return 4;
}

static int sees(const epa* e, const epa_face* f, ts_vec3 w) {
    // A thin face has no side; it goes with whatever reaches it.
    if (!isfinite(f->distance)) return 1;
    return ts_vec3_dot(f->normal, ts_vec3_sub(w, e->vertex[f->vertex[0]].w)) > 8.0 * DBL_EPSILON * e->scale;
}

// Marks every face connected to `first` that sees w and lists the rim of the hole. Returns the rim's length.
static int find_horizon(epa* e, int first, ts_vec3 w, int stamp, int* visible, int* out_visible_count, epa_edge* rim) {
    int stack[EPA_FACES];
    int depth = 0, visible_count = 0, rim_count = 0;
    stack[depth++] = first;
    e->face[first].stamp = stamp;
    while (depth > 0) {
        int f = stack[--depth];
        visible[visible_count++] = f;
        for (int k = 0; k < 3; ++k) {
            int g = e->face[f].across[k];
            if (e->face[g].stamp == stamp) continue;
            if (!sees(e, &e->face[g], w)) continue;
            e->face[g].stamp = stamp;
            stack[depth++] = g;
        }
    }
    for (int i = 0; i < visible_count; ++i) {
        epa_face* f = &e->face[visible[i]];
        for (int k = 0; k < 3; ++k) {
            int g = f->across[k];
            if (e->face[g].stamp == stamp) continue;
            epa_edge edge = {f->vertex[k], f->vertex[(k + 1) % 3], g, 0};
            for (int l = 0; l < 3; ++l)
                if (e->face[g].vertex[l] == edge.to && e->face[g].vertex[(l + 1) % 3] == edge.from)
                    edge.outside_edge = l;
            rim[rim_count++] = edge;
        }
    }
    *out_visible_count = visible_count;
    return rim_count;
}

// Nonzero when the rim is one closed loop that passes each vertex once.
static int rim_is_loop(const epa* e, const epa_edge* rim, int count, int* edge_from) {
    if (count < 3) return 0;
    for (int i = 0; i < e->vertex_count; ++i) edge_from[i] = -1;
    for (int i = 0; i < count; ++i) {
        if (edge_from[rim[i].from] >= 0) return 0;
        edge_from[rim[i].from] = i;
    }
    int at = rim[0].from;
    for (int i = 0; i < count; ++i) {
        if (edge_from[at] < 0) return 0;
        at = rim[edge_from[at]].to;
        if (at == rim[0].from) return i + 1 == count;
    }
    return 0;
}

// Replaces what w sees by a fan around w. Returns the status to stop with, or CONVERGED to go on.
static ts_epa_status expand(epa* e, int first, const ts_gjk_vertex* w, int stamp) {
    int visible[EPA_FACES], edge_from[EPA_VERTICES], fan[EPA_FACES];
    epa_edge rim[EPA_FACES];
    if (e->vertex_count >= EPA_VERTICES) return TS_EPA_LIMIT;
    int visible_count;
    int rim_count = find_horizon(e, first, w->w, stamp, visible, &visible_count, rim);
    if (!rim_is_loop(e, rim, rim_count, edge_from)) return TS_EPA_BAD_HORIZON;
    if (e->face_count + rim_count - visible_count > EPA_FACES) return TS_EPA_LIMIT;
    for (int i = 0; i < visible_count; ++i) {
        e->face[visible[i]].alive = 0;
        e->face[visible[i]].across[0] = e->free_face;
        e->free_face = visible[i];
    }
    int tip = e->vertex_count++;
    e->vertex[tip] = *w;
    for (int i = 0; i < rim_count; ++i) {
        fan[i] = add_face(e, rim[i].from, rim[i].to, tip);
        if (fan[i] < 0) return TS_EPA_LIMIT;
    }
    for (int i = 0; i < rim_count; ++i) {
        int next = fan[edge_from[rim[i].to]];
        e->face[fan[i]].across[0] = rim[i].outside;
        e->face[rim[i].outside].across[rim[i].outside_edge] = fan[i];
        e->face[fan[i]].across[1] = next;
        e->face[next].across[2] = fan[i];
    }
    return TS_EPA_CONVERGED;
}

// Among the faces whose plane is as near as the nearest and that face the way of the chosen normal (boxes in the middle
// of each other have several directions of equal depth), the one that holds the origin's projection gives the witnesses.
static void find_witnesses(const epa* e, double nearest, ts_epa_result* out) {
    double best = (double)INFINITY;
    for (int f = 0; f < e->face_count; ++f) {
        const epa_face* face = &e->face[f];
        if (!face->alive || !(face->distance <= nearest + 1e-9 * e->scale)) continue;
        if (ts_vec3_dot(face->normal, out->normal) < SAME_NORMAL) continue;
        ts_vec3 w[3];
        for (int k = 0; k < 3; ++k) w[k] = e->vertex[face->vertex[k]].w;
        ts_subdistance closest;
        ts_subdistance_solve(w, 3, &closest);
        if (!(closest.distance_squared < best)) continue;
        best = closest.distance_squared;
        out->point_a = out->point_b = ts_vec3_zero();
        for (int k = 0; k < closest.count; ++k) {
            const ts_gjk_vertex* v = &e->vertex[face->vertex[closest.index[k]]];
            out->point_a = ts_vec3_add_scaled(out->point_a, closest.lambda[k], v->a);
            out->point_b = ts_vec3_add_scaled(out->point_b, closest.lambda[k], v->b);
        }
    }
}

// Moves the witnesses apart along the normal so that their difference is exactly the depth reported.
static void straighten(ts_epa_result* out) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(out->point_a, out->point_b));
    out->point_a = ts_vec3_add_scaled(middle, 0.5 * out->depth_upper, out->normal);
    out->point_b = ts_vec3_add_scaled(middle, -0.5 * out->depth_upper, out->normal);
}

// D without interior: the depth is zero up to rounding and the normal any one orthogonal to D. Of the candidates, in
// order: last time's normal, the direction between the frames, fixed axes.
static void finish_flat(epa* e, int rank, const ts_gjk_result* start, ts_vec3 previous, ts_epa_result* out) {
    ts_gjk_vertex* v = e->vertex;
    ts_vec3 spanned = ts_vec3_zero();
    if (rank == 2) spanned = ts_vec3_unit_or(ts_vec3_sub(v[1].w, v[0].w), spanned);
    if (rank == 3)
        spanned = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w)), spanned);
    const ts_vec3 wish[5] = {previous, e->pose->p, ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
    ts_vec3 n = ts_vec3_axis(0);
    for (int k = 0; k < 5; ++k) {
        ts_vec3 unit = ts_vec3_unit_or(wish[k], ts_vec3_zero());
        double along = ts_vec3_dot(unit, spanned);
        ts_vec3 candidate = rank == 3   ? ts_vec3_scale(along < 0.0 ? -1.0 : 1.0, spanned)
                            : rank == 2 ? ts_vec3_add_scaled(unit, -along, spanned)
                                        : unit;
        // For a plane the wish only picks a side and must not lie in it; else what is left must be long enough to trust.
        if (rank == 3 ? fabs(along) > 1e-9 : ts_vec3_norm(candidate) > 1e-3) {
            n = ts_vec3_unit_or(candidate, n);
            break;
        }
    }
    ts_gjk_vertex w = support_along(e, n, -1, -1);
    out->status = TS_EPA_FLAT;
    out->normal = n;
    out->depth_upper = ts_vec3_dot(n, w.w);
    out->depth_lower = start->status == TS_PROXIMITY_PENETRATING ? 0.0 : -start->upper;
    if (out->depth_lower > out->depth_upper) out->depth_lower = out->depth_upper;
    out->point_a = start->point_a;
    out->point_b = start->point_b;
    straighten(out);
}

static int nearest_face(const epa* e) {
    int best = -1;
    for (int f = 0; f < e->face_count; ++f)
        if (e->face[f].alive && (best < 0 || e->face[f].distance < e->face[best].distance)) best = f;
    return best;
}

void ts_epa_penetration(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, const ts_gjk_result* start,
                        ts_vec3 previous_normal, ts_epa_result* out) {
    // Curved faces are never reached exactly, and digits cost more and more; Newton steps (polish.c) find the rest.
    int polytopes = ts_support_is_polytope(a) && ts_support_is_polytope(b);
    ts_epa_penetration_to(a, b, b_in_a, start, previous_normal, polytopes ? 1e-12 : 1e-4, out);
}

static void begin(epa* e, const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, double scale) {
    e->a = a;
    e->b = b;
    e->pose = b_in_a;
    e->scale = scale;
    e->vertex_count = e->face_count = 0;
    e->free_face = -1;
}

// The loop. On entry out->depth_upper and out->normal hold the best normal known (an infinite depth when there is none)
// and out's points what to say if no face gives witnesses.
static void grow(epa* e, double relative_tolerance, ts_epa_result* out) {
    double upper = out->depth_upper, lower = -(double)INFINITY;
    ts_vec3 best = out->normal;
    ts_epa_status status = TS_EPA_LIMIT;
    out->iterations = 0;
    while (out->iterations < EPA_ITERATIONS) {
        int f = nearest_face(e);
        if (f < 0 || !isfinite(e->face[f].distance)) {
            status = TS_EPA_BAD_HORIZON;
            break;
        }
        const epa_face* face = &e->face[f];
        lower = face->distance;
        // The best normal may have been there before its face; that face must be there to give the witnesses.
        if (upper - lower <= relative_tolerance * fabs(lower) && ts_vec3_dot(face->normal, best) >= SAME_NORMAL) {
            status = TS_EPA_CONVERGED;
            break;
        }
        const ts_gjk_vertex* near = &e->vertex[face->vertex[0]];
        ts_gjk_vertex w = support_along(e, face->normal, near->index_a, near->index_b);
        double h = ts_vec3_dot(face->normal, w.w);
        ++out->iterations;
        // Of normals as good up to rounding the last one counts: its face is still there to give the witnesses.
        if (h <= upper + 8.0 * DBL_EPSILON * e->scale) {
            upper = h;
            best = face->normal;
        }
        if (upper - lower <= relative_tolerance * fabs(lower) || h - lower <= 8.0 * DBL_EPSILON * e->scale) {
            status = TS_EPA_CONVERGED;
            break;
        }
        ts_epa_status step = expand(e, f, &w, out->iterations);
        if (step != TS_EPA_CONVERGED) {
            status = step;
            break;
        }
    }
    out->status = status;
    out->normal = best;
    out->depth_upper = upper;
    out->depth_lower = lower < upper ? lower : upper;
    find_witnesses(e, lower, out);
    straighten(out);
}

void ts_epa_penetration_to(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, const ts_gjk_result* start,
                           ts_vec3 previous_normal, double relative_tolerance, ts_epa_result* out) {
    epa e;
    begin(&e, a, b, b_in_a, start->scale);
    out->iterations = 0;
    int rank = build_start(&e, start);
    if (rank < 4) {
        finish_flat(&e, rank, start, previous_normal, out);
        return;
    }
    out->depth_upper = (double)INFINITY;
    out->normal = ts_vec3_make(1.0, 0.0, 0.0);
    out->point_a = start->point_a;
    out->point_b = start->point_b;
    grow(&e, relative_tolerance, out);
}

static int same_point(ts_vec3 a, ts_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// The start around a normal: D's support point along it (or `touch`, a point of D known to attain it), along four directions tilted from it, and along its opposite.
// The surface they span is closed but neither convex nor sure to surround the origin; the loop makes that good. Once all
// planes have the origin on their inner side the surface winds around it (its faces, seen from the origin, all turn the
// same way), so the ball that touches the nearest plane lies in its convex hull and in D.
static int build_around(epa* e, ts_vec3 n, const ts_gjk_vertex* touch) {
    // rad: chords this short cost 4e-5 of the depth on curved faces, and normals move less than this from step to step.
    const double tilt = 0.0125;
    ts_vec3 u = some_orthogonal(n), v = ts_vec3_cross(n, u);
    ts_gjk_vertex* ring = e->vertex;
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        double t = k < 2 ? tilt : -tilt;
        ring[count] = support_along(e, ts_vec3_add_scaled(n, t, k & 1 ? v : u), -1, -1);
        int known = (count && same_point(ring[count].w, ring[count - 1].w)) || same_point(ring[count].w, ring[0].w);
        if (!count || !known) ++count;
    }
    if (count < 3) return 0;
    int top = count, bottom = count + 1, merged = -1;
    e->vertex[top] = touch ? *touch : support_along(e, n, -1, -1);
    e->vertex[bottom] = support_along(e, ts_vec3_neg(n), -1, -1);
    e->vertex_count = count + 2;
    for (int k = 0; k < count; ++k)
        if (same_point(ring[k].w, e->vertex[top].w)) merged = k;
    if (merged >= 0) top = merged;
    // Face k hangs from edge k of the ring to the bottom; those to the top follow, but for the two at the ring vertex
    // that is the top.
    int upper[4];
    for (int k = 0; k < count; ++k) add_face(e, (k + 1) % count, k, bottom);
    for (int k = 0; k < count; ++k)
        upper[k] = k == merged || (k + 1) % count == merged ? k : add_face(e, k, (k + 1) % count, top);
    for (int k = 0; k < count; ++k) {
        int next = (k + 1) % count, last = (k + count - 1) % count;
        epa_face* low = &e->face[k];
        low->across[0] = upper[k] != k ? upper[k] : upper[k == merged ? next : last];
        low->across[1] = last;
        low->across[2] = next;
        if (upper[k] == k) continue;
        epa_face* high = &e->face[upper[k]];
        high->across[0] = k;
        high->across[1] = upper[next];
        high->across[2] = upper[last];
    }
    return 1;
}

int ts_epa_penetration_near(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, ts_vec3 normal,
                            const ts_gjk_vertex* touch, double relative_tolerance, double* out_scale,
                            ts_epa_result* out) {
    epa e;
    begin(&e, a, b, b_in_a, 0.0);
    if (!build_around(&e, normal, touch)) return 0;
    const ts_gjk_vertex* top = &e.vertex[e.vertex_count - 2];
    out->depth_upper = ts_vec3_dot(normal, top->w);
    out->normal = normal;
    out->point_a = top->a;
    out->point_b = top->b;
    grow(&e, relative_tolerance, out);
    *out_scale = e.scale;
    return out->status == TS_EPA_CONVERGED && out->depth_lower > 0.0;
}
