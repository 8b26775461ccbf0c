// EPA: penetration depth by an expanding polytope.
//
// Problem: depth = min over unit n of h(n), h the support function of D = A - B (van den Bergen, GDC 2001).
// Rule: hold a polytope inscribed in D, starting from GJK's simplex or around a normal known from before; take the face
// whose plane is nearest the origin (signed, so the origin may be on or a little outside the polytope); ask for D's
// support along its normal; when that is no farther the face is D's own and its normal attains the depth, else replace
// what the new point sees by a fan around it (epa_polytope.c; how it starts: epa_start.c).
// Guaranteed: every normal tried gives an upper bound h(n), the nearest plane of the inscribed polytope a lower one, and
// both are returned; whatever goes wrong, the best normal so far keeps its certificate, and is improved by a search over
// fixed directions. All thresholds are relative to the size of D.
// Known limits: for curved pairs convergence slows down near the solution (tens of iterations for nine digits), so they
// stop at four digits, and another normal may be better by less than that. No heap: the polytope lives on the stack.
#include "collision/distance/penetration/epa_internal.h"

#include "collision/distance/penetration/epa_polytope_internal.h"
#include "collision/distance/penetration/polish_internal.h"
#include "collision/distance/proximity_internal.h"
#include "collision/distance/gjk/subdistance_internal.h"

#include <float.h>
#include <stddef.h>

// Faces this well aligned with a normal may give its witnesses.
static const double SAME_NORMAL = 0.999;
// Of the size: bounds this close count as met for curved pairs. Where two tips touch the depth is the least of a cone's worth
// of normals, and to resolve it relative to itself when it is next to nothing would take hundreds of steps.
static const double CURVED_ROUNDING = 1e-12;
// A round rim around the origin has its depth all around, and the polygon that proves a digit of it has three times the
// corners of the one before. After this many steps a curved pair settles for three digits, then for two.
enum { THREE_DIGITS_AFTER = 96, TWO_DIGITS_AFTER = 176 };
// Planes of curved pairs this little deeper, as a share, may turn out less deep.
static const double UNRESOLVED = 1e-3;
// Cosine of the angle from which on two normals are two answers rather than two tries at one, whatever lies between.
static const double OTHER_NORMAL = 0.9;
// Planes that agree to this fraction of the size count as one when witnesses are looked for.
static const double SAME_PLANE = 1e-9;

// Among the faces whose plane is as near as the nearest and that face the way of the chosen normal (boxes in the middle
// of each other have several directions of equal depth), the one that holds the origin's projection gives the witnesses.
static void find_witnesses(const ts_epa_polytope* p, double nearest, ts_separation* out) {
    double reach = nearest + SAME_PLANE * p->scale, limit = reach * fabs(reach), best = (double)INFINITY;
    for (int f = 0; f < p->face_count; ++f) {
        const ts_epa_face* face = &p->face[f];
        if (!(p->key[f] <= limit)) continue;
        double along = ts_vec3_dot(face->normal, out->normal);
        if (along < SAME_NORMAL * ts_vec3_norm(face->normal)) continue;
        ts_vec3 w[3];
        for (int k = 0; k < 3; ++k) w[k] = p->vertex[face->vertex[k]].w;
        ts_subdistance closest;
        ts_subdistance_solve(w, 3, &closest);
        if (!(closest.distance_squared < best)) continue;
        best = closest.distance_squared;
        out->point_a = out->point_b = ts_vec3_zero();
        for (int k = 0; k < closest.count; ++k) {
            const ts_gjk_vertex* v = &p->vertex[face->vertex[closest.index[k]]];
            out->point_a = ts_vec3_add_scaled(out->point_a, closest.lambda[k], v->a);
            out->point_b = ts_vec3_add_scaled(out->point_b, closest.lambda[k], v->b);
        }
    }
}

// D without interior: the depth is zero up to rounding and the normal any one orthogonal to D. Of the candidates, in
// order: last time's normal, the direction between the frames, fixed axes.
static void finish_flat(ts_epa_polytope* p, int rank, const ts_gjk_result* start, ts_vec3 previous,
                        ts_epa_result* out) {
    ts_gjk_vertex* v = p->vertex;
    ts_vec3 spanned = ts_vec3_zero();
    if (rank == 2) spanned = ts_vec3_unit_or(ts_vec3_sub(v[1].w, v[0].w), spanned);
    if (rank == 3)
        spanned = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(v[1].w, v[0].w), ts_vec3_sub(v[2].w, v[0].w)), spanned);
    const ts_vec3 wish[5] = {previous, p->pair->b_in_a.p, ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
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
    ts_gjk_vertex w = ts_epa_polytope_support(p, n, -1, -1);
    out->status = TS_EPA_FLAT;
    out->found = start->found;
    out->found.normal = n;
    out->found.lower = -ts_vec3_dot(n, w.w);
    if (start->status == TS_PROXIMITY_PENETRATING) out->found.upper = 0.0;
    if (out->found.upper < out->found.lower) out->found.upper = out->found.lower;
    out->support_calls = p->support_calls;
    ts_separation_straighten(&out->found);
}

// What the loop looks at in a step; bounds are of the depth, m.
typedef struct ts_epa_look {
    ts_vec3 normal;  // of the nearest face, unit
    double nearest;  // m: of its plane from the origin
    const ts_gjk_vertex* w;
    double lower;
    double upper;
} ts_epa_look;

static int is_corner(const ts_epa_polytope* p, int face, const ts_gjk_vertex* w) {
    for (int k = 0; k < 3; ++k) {
        const ts_gjk_vertex* v = &p->vertex[p->face[face].vertex[k]];
        if (v->index_a == w->index_a && v->index_b == w->index_b) return 1;
    }
    return 0;
}

// A step as it is seen: every face of the polytope, the nearest one's normal and its support point, and the bounds before that is weighed.
static void watch(const ts_epa_polytope* p, ts_proximity_trace* trace, int iteration, const ts_epa_look* look) {
    ts_proximity_step* step = ts_proximity_trace_step(trace, TS_PROXIMITY_STAGE_EPA, iteration);
    if (!step) return;
    step->direction = look->normal;
    step->point_a = look->w->a;
    step->point_b = look->w->b;
    step->support = -ts_vec3_dot(look->normal, look->w->w);
    step->lower = -look->upper;
    step->upper = -look->lower;
    step->nearest = ts_vec3_scale(look->nearest, look->normal);
    step->triangle_first = trace->triangles;
    for (int f = 0; f < p->face_count; ++f) {
        if (!isfinite(p->key[f])) continue;
        if (trace->triangles >= trace->triangle_room) {
            trace->triangles = step->triangle_first;
            step->triangles = 0;
            ++trace->lost;
            return;
        }
        for (int k = 0; k < 3; ++k) trace->triangle[trace->triangles][k] = p->vertex[p->face[f].vertex[k]].w;
        ++trace->triangles;
        ++step->triangles;
    }
}

// Whether a face is beside what is known: part of the nearest face, or near a normal that is taken already.
static int is_taken(const ts_epa_polytope* p, int polytopes, int f, ts_vec3 unit, double depth,
                    const ts_epa_result* known) {
    const ts_epa_face* face = &p->face[f];
    double least = (double)INFINITY, along = ts_vec3_dot(unit, known->found.normal);
    if (polytopes) {
        for (int k = 0; k < 3; ++k) least = fmin(least, ts_vec3_dot(known->found.normal, p->vertex[face->vertex[k]].w));
        return least > depth - SAME_PLANE * p->scale;
    }
    int lowest = 1;
    for (int k = 0; k < 3; ++k) lowest &= !(p->key[face->across[k] / 4] < p->key[f]);
    lowest |= face->offset < (1.0 + UNRESOLVED) * depth * ts_vec3_norm(face->normal);
    double same = lowest ? SAME_NORMAL : OTHER_NORMAL;
    if (along >= same) return 1;
    for (int k = 0; k < known->other_count; ++k)
        if (ts_vec3_dot(unit, known->other[k].normal) >= same) return 1;
    return 0;
}

// Other ways out.
static void find_others(const ts_epa_polytope* p, int wanted, double depth, ts_epa_result* out) {
    int polytopes = ts_support_is_polytope(p->pair->a) && ts_support_is_polytope(p->pair->b);
    int most = polytopes ? wanted : TS_EPA_OTHERS;
    while (out->other_count < most) {
        ts_epa_other best = {ts_vec3_zero(), wanted ? (double)INFINITY : depth};
        for (int f = 0; f < p->face_count; ++f) {
            if (!(p->key[f] < best.depth * fabs(best.depth))) continue;
            double inverse = 1.0 / ts_vec3_norm(p->face[f].normal);
            ts_vec3 unit = ts_vec3_scale(inverse, p->face[f].normal);
            if (is_taken(p, polytopes, f, unit, depth, out)) continue;
            best.normal = unit;
            best.depth = inverse * p->face[f].offset;
        }
        if (!(ts_vec3_max_abs(best.normal) > 0.0)) return;
        out->other[out->other_count++] = best;
        if (best.depth > (1.0 + TS_EPA_NEAR) * depth) return;
    }
}

// Of the face that the loop ended with.
static ts_epa_corners corners_of(const ts_epa_polytope* p, int face) {
    ts_epa_corners out = {3, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        const ts_gjk_vertex* v = &p->vertex[p->face[face].vertex[k]];
        out.a[k] = v->index_a;
        out.b[k] = v->index_b;
    }
    return out;
}

// The loop. On entry out->found holds the best normal known (with an infinite depth when there is none), what bounds the
// depth from below without any face, and what points to give if no face gives better ones. Here bounds are of the depth.
static void grow(ts_epa_polytope* p, const ts_epa_settings* settings, ts_epa_result* out) {
    double relative_tolerance = settings->relative_tolerance;
    double upper = -out->found.lower, lower = -out->found.upper, nearest = 0.0;
    ts_vec3 best = out->found.normal;
    ts_epa_status status = TS_EPA_LIMIT;
    int polytopes = ts_support_is_polytope(p->pair->a) && ts_support_is_polytope(p->pair->b);
    double rounding = polytopes ? 8.0 * DBL_EPSILON : CURVED_ROUNDING;
    out->iterations = 0;
    out->other_count = out->nearest.count = 0;
    int f = -1;
    while (out->iterations < TS_EPA_ITERATIONS) {
        f = ts_epa_polytope_nearest(p);
        if (f < 0) {
            status = TS_EPA_NO_FACE;
            break;
        }
        ts_vec3 n = ts_epa_polytope_plane(p, f, &nearest);
        // With the origin outside a plane the planes say nothing of the distance to the polytope behind them.
        if (nearest > 0.0) lower = nearest;
        // The best normal may have been there before its face; that face must be there to give the witnesses.
        if (!polytopes && out->iterations == THREE_DIGITS_AFTER) relative_tolerance = fmax(relative_tolerance, 1e-3);
        if (!polytopes && out->iterations == TWO_DIGITS_AFTER) relative_tolerance = fmax(relative_tolerance, 1e-2);
        double enough = fmax(relative_tolerance * fabs(nearest), settings->tolerance);
        if (enough < rounding * p->scale) enough = rounding * p->scale;
        if (upper - nearest <= enough && ts_vec3_dot(n, best) >= SAME_NORMAL) {
            status = TS_EPA_CONVERGED;
            break;
        }
        ts_gjk_vertex w = ts_epa_polytope_support_of_face(p, f, n);
        double h = ts_vec3_dot(n, w.w);
        ++out->iterations;
        // Of normals as good up to rounding the last one counts: its face is still there to give the witnesses.
        if (h <= upper + 8.0 * DBL_EPSILON * p->scale) {
            upper = h;
            best = n;
        }
        if (settings->trace) watch(p, settings->trace, out->iterations, &(ts_epa_look){n, nearest, &w, lower, upper});
        if (upper - nearest <= enough || h - nearest <= 8.0 * DBL_EPSILON * p->scale ||
            (polytopes && is_corner(p, f, &w))) {
            status = TS_EPA_CONVERGED;
            break;
        }
        ts_epa_status step = ts_epa_polytope_expand(p, f, &w, out->iterations);
        if (step != TS_EPA_CONVERGED) {
            status = step;
            break;
        }
    }
    out->status = status;
    if (polytopes && status == TS_EPA_CONVERGED) out->nearest = corners_of(p, f);
    out->found.normal = best;
    out->found.lower = -upper;
    // The face found last may be D's own with the origin just outside: then both bounds are its distance.
    if (status == TS_EPA_CONVERGED && nearest <= 0.0 && nearest > lower) lower = nearest;
    out->found.upper = -(lower < upper ? lower : upper);
    if (status != TS_EPA_NO_FACE) find_witnesses(p, nearest, &out->found);
    find_others(p, settings->others != 0, upper, out);
    ts_separation_straighten(&out->found);
    out->support_calls = p->support_calls;
}

// When the loop failed: the best of 26 fixed directions and of what it had, polished. A bound that is attained by its
// normal, never a silent "no contact".
static void rescue(ts_epa_polytope* p, ts_epa_result* out) {
    ts_separation best = out->found;
    for (int k = 0; k < 27; ++k) {
        int layer = k / 9;
        ts_vec3 d = ts_vec3_make(k % 3 - 1.0, k / 3 % 3 - 1.0, layer - 1.0);
        if (k == 13) d = p->pair->b_in_a.p;  // the middle of the cube is no direction; the line of centres is
        ts_vec3 n = ts_vec3_unit_or(d, ts_vec3_axis(0));
        ts_gjk_vertex w = ts_epa_polytope_support(p, n, -1, -1);
        double h = ts_vec3_dot(n, w.w);
        if (!(-h > best.lower)) continue;
        best.lower = -h;
        best.normal = n;
        best.point_a = w.a;
        best.point_b = w.b;
    }
    ts_polish_normal(p->pair, &best);
    out->support_calls = p->support_calls;
    if (!(best.lower > out->found.lower)) return;
    out->rescued = 1;
    best.upper = fmax(out->found.upper, best.lower);
    out->found = best;
    ts_separation_straighten(&out->found);
}

void ts_epa_penetration_to(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                           double relative_tolerance, double tolerance, ts_epa_result* out) {
    const ts_epa_settings settings = {relative_tolerance, tolerance, 0, NULL};
    ts_epa_penetration_by(pair, start, previous_normal, &settings, out);
}

void ts_epa_penetration_by(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                           const ts_epa_settings* settings, ts_epa_result* out) {
    ts_epa_polytope p;
    ts_epa_polytope_init(&p, pair, start->scale);
    out->iterations = out->rescued = 0;
    out->other_count = out->nearest.count = 0;
    int rank = ts_epa_start_simplex(&p, start);
    if (rank < 4) {
        finish_flat(&p, rank, start, previous_normal, out);
        return;
    }
    out->found = start->found;
    out->found.lower = -(double)INFINITY;
    out->found.normal = ts_vec3_axis(0);
    if (start->status == TS_PROXIMITY_PENETRATING) out->found.upper = 0.0;
    grow(&p, settings, out);
    if (out->status != TS_EPA_CONVERGED) rescue(&p, out);
}

int ts_epa_penetration_near(const ts_shape_pair* pair, ts_vec3 normal, const ts_gjk_vertex* touch,
                            const ts_epa_settings* settings, double* out_scale, ts_epa_result* out) {
    ts_epa_polytope p;
    ts_epa_polytope_init(&p, pair, 0.0);
    out->rescued = 0;
    if (!ts_epa_start_around(&p, normal, touch)) return 0;
    const ts_gjk_vertex* top = &p.vertex[p.vertex_count - 2];
    ts_separation known = {-ts_vec3_dot(normal, top->w), (double)INFINITY, normal, top->a, top->b};
    out->found = known;
    grow(&p, settings, out);
    *out_scale = p.scale;
    return out->status == TS_EPA_CONVERGED && out->found.upper < 0.0;
}

int ts_epa_penetration_from(const ts_shape_pair* pair, ts_vec3 normal, const ts_epa_corners* corners,
                            const ts_epa_settings* settings, double* out_scale, ts_epa_result* out) {
    ts_epa_polytope p;
    ts_epa_polytope_init(&p, pair, 0.0);
    out->rescued = 0;
    if (!ts_epa_start_face(&p, normal, corners)) return 0;
    // Nothing is known but that these are points of D.
    ts_separation known = {-(double)INFINITY, (double)INFINITY, normal, p.vertex[0].a, p.vertex[0].b};
    out->found = known;
    grow(&p, settings, out);
    *out_scale = p.scale;
    return out->status == TS_EPA_CONVERGED && out->found.upper < 0.0;
}
