// GJK: the distance of two convex cores.
//
// Problem: min |x| over x in D = A - B (Gilbert, Johnson, Keerthi, IEEE J. Robotics and Automation 1988).
// Rule: keep the smallest simplex W whose hull holds the present x; add the support point of D along -d; project the
// origin on the new simplex; repeat. Vanilla takes for d the direction of x, from the feature of W (face normal, edge
// perpendicular) rather than from barycentric sums, which cancel when |x| is small. The variants with momentum (Montaut,
// Le Lidec, Petrik, Sivic, Carpentier, "GJK++", 2023) mix the last direction in; the first support point that shows no
// progress ends the momentum for good, is dropped, and is asked for again along x, so that only vanilla ever decides.
// Momentum ends after momentum_limit projections in any case: without a limit some overlapping pairs never finish. AUTO on
// hulls ends it sooner, see gjk_loop_internal.h.
// Guaranteed: lower = max <d, w>/|d| over all supports, momentum's included, is a separating-plane certificate and
// upper = |x| a witness, so lower <= distance <= upper however the loop ends. The distance strictly decreases from step
// to step once momentum is over, so the loop ends without a tolerance; in hard cases (aspect ratios of 1e6) that is the
// regular exit. All tolerances are relative to the largest |w| seen or to the distance, so scale does not matter. The
// last simplex is always solved again without trust in its history; when that finds another distance, the search goes on
// from there with that solver alone.
// Choice of variant (AUTO): by measurement, see ts_gjk_variant_for.
// Known limit: for smooth pairs convergence is linear; the relative accuracy of the normal is the square root of that of
// the distance.
#include "collision/distance/gjk/gjk.h"

#include "base/assert.h"
#include "collision/distance/gjk/gjk_internal.h"
#include "collision/distance/proximity_internal.h"

#include <float.h>
#include <stddef.h>

// A stop without a separating plane is a touch up to this distance, relative to the size of D.
static const double TOUCH = 1e-9;
// The same in a verdict whose simplex is too thin to prove an overlap.
static const double SLIVER = 1e-7;

ts_gjk_settings ts_gjk_settings_default(void) {
    ts_gjk_settings settings = {1e-12, (double)INFINITY, 0.0, 128, 16, TS_GJK_AUTO, TS_GJK_START_AUTO, NULL};
    return settings;
}

const char* ts_gjk_variant_name(ts_gjk_variant variant) {
    static const char* const name[TS_GJK_VARIANT_COUNT] = {
        "auto",         "vanilla", "polyak", "polyak-paper", "polyak-normalised", "nesterov", "nesterov-normalised",
        "nesterov-coal"};
    return (unsigned)variant < TS_GJK_VARIANT_COUNT ? name[variant] : "unknown";
}

const char* ts_gjk_start_name(ts_gjk_start start) {
    static const char* const name[TS_GJK_START_COUNT] = {"auto",      "none",           "centres",         "previous",
                                                         "witnesses", "previous-paper", "witnesses-paper", "simplex"};
    return (unsigned)start < TS_GJK_START_COUNT ? name[start] : "unknown";
}

static ts_gjk_kinds kinds_of(const ts_shape_pair* pair) {
    if (pair->a->kind != pair->b->kind) return TS_GJK_ANY;
    switch (pair->a->kind) {
    case TS_SHAPE_HULL: return TS_GJK_HULLS;
    case TS_SHAPE_BOX: return TS_GJK_BOXES;
    case TS_SHAPE_ELLIPSOID: return TS_GJK_ELLIPSOIDS;
    default: return TS_GJK_ANY;
    }
}

// Measured over 0.1 mm to 1 m apart and as deep. Two polytopes of which one is a hull: coal's weights, normalised, take a
// tenth to a quarter less time than vanilla and up to a fifth less than plain Nesterov. (Near each other two hulls of
// 2000 vertices and more each are apart as soon by plain Nesterov, which takes a tenth to a third off verdicts; but the
// simplex it leaves in an overlap costs EPA four more steps.) On smaller polytopes vanilla takes a tenth less than any
// other. Two ellipsoids: Nesterov takes half the time near each other. Any other curved pair: Nesterov wins up to a third
// apart and loses half in an overlap, Polyak gains a little everywhere.
ts_gjk_variant ts_gjk_variant_for(const ts_shape_pair* pair) {
    const ts_shape *a = pair->a, *b = pair->b;
    if (ts_support_is_polytope(a) && ts_support_is_polytope(b))
        return a->kind == TS_SHAPE_HULL || b->kind == TS_SHAPE_HULL ? TS_GJK_FOR_HULLS : TS_GJK_FOR_BOXES;
    return kinds_of(pair) == TS_GJK_ELLIPSOIDS ? TS_GJK_FOR_ELLIPSOIDS : TS_GJK_FOR_OTHERS;
}

static int run_loop(ts_gjk_run* run, ts_gjk_variant variant, ts_gjk_goal goal, const ts_gjk_order* order, ts_vec3 d,
                    ts_gjk_result* out) {
    ts_gjk_kinds kinds = kinds_of(run->pair);
    if (run->trace) return ts_gjk_run_watched(run, kinds, run->careful ? TS_GJK_VANILLA : variant, order, d, out);
    if (variant == TS_GJK_AUTO && !run->careful && (kinds == TS_GJK_HULLS || kinds == TS_GJK_BOXES))
        return ts_gjk_run_polytopes(run, kinds, goal, order, d, out);
    return ts_gjk_run_others(run, kinds, run->careful ? TS_GJK_VANILLA : variant, goal, order, d, out);
}

// Weights of the feature's vertices at its nearest point x. Returns 0 when x does not lie between them: the quick
// projection took a neighbour of the true feature, or the feature is a sliver.
static int weigh(const ts_gjk_run* run, double lambda[4]) {
    const ts_gjk_feature* f = run->feature;
    ts_vec3 x = ts_gjk_feature_point(f);
    lambda[0] = 1.0;
    if (f->rank == 1) return 1;
    ts_vec3 p = ts_vec3_sub(run->store[f->slot[0]].w, x), q = ts_vec3_sub(run->store[f->slot[1]].w, x);
    if (f->rank == 2) {
        ts_vec3 e = ts_vec3_sub(q, p);
        double length = ts_vec3_norm_squared(e), t = -ts_vec3_dot(p, e);
        lambda[1] = t / length;
        lambda[0] = 1.0 - lambda[1];
        return (t > 0.0) & (t < length);
    }
    if (f->rank != 3) return 0;
    ts_vec3 r = ts_vec3_sub(run->store[f->slot[2]].w, x);
    double area[3] = {ts_vec3_dot(f->d, ts_vec3_cross(q, r)), ts_vec3_dot(f->d, ts_vec3_cross(r, p)),
                      ts_vec3_dot(f->d, ts_vec3_cross(p, q))};
    double inverse = 1.0 / (area[0] + area[1] + area[2]);
    for (int i = 0; i < 3; ++i) lambda[i] = area[i] * inverse;
    return (lambda[0] > 0.0) & (lambda[1] > 0.0) & (lambda[2] > 0.0) & (fabs(inverse) < 1e300);
}

// Vertex, witnesses and weights of the feature; where they are doubtful, by the solver that trusts nothing. Returns 0,
// with the true feature in the run, when the quick projection had it wrong by more than rounding.
static int settle(ts_gjk_run* run, ts_gjk_result* out) {
    ts_gjk_feature* f = run->feature;
    ts_subdistance s = {f->rank, {0, 1, 2, 3}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, f->xx};
    // What the last digits of the largest |w| leave open.
    double rounding = 1e4 * DBL_EPSILON * DBL_EPSILON * run->scale_squared;
    if (!weigh(run, s.lambda)) {
        ts_vec3 w[4];
        for (int i = 0; i < f->rank; ++i) w[i] = run->store[f->slot[i]].w;
        ts_subdistance_solve(w, f->rank, &s);
        int differs = f->rank == 4 ? s.count < 4 : s.distance_squared > f->xx * (1.0 + 1e-12) + rounding;
        if (differs && !run->careful && ts_gjk_project_robustly(run, -1, ts_gjk_other_room(run))) {
            run->careful = 1;
            run->feature = ts_gjk_other_room(run);
            return 0;
        }
    }
    out->rank = s.count;
    out->found.point_a = out->found.point_b = ts_vec3_zero();
    for (int i = 0; i < s.count; ++i) {
        ts_gjk_vertex* v = &out->simplex[i];
        *v = run->store[f->slot[s.index[i]]];
        v->lambda = s.lambda[i];
        out->found.point_a = ts_vec3_add_scaled(out->found.point_a, v->lambda, v->a);
        out->found.point_b = ts_vec3_add_scaled(out->found.point_b, v->lambda, v->b);
    }
    // A sliver's plane may miss its triangle; what counts then is the triangle, or else the witnesses themselves.
    double apart = ts_vec3_norm_squared(ts_vec3_sub(out->found.point_a, out->found.point_b)), xx = f->xx;
    if (s.distance_squared > xx) xx = s.distance_squared;
    if (apart > xx + rounding + 64.0 * DBL_EPSILON * sqrt(run->scale_squared * xx)) xx = apart;
    out->found.upper = sqrt(xx);
    return 1;
}

// The best plane as bound and normal.
static void certificate(const ts_gjk_run* run, ts_gjk_result* out) {
    if (run->best_squared > 0.0) {
        double inverse = 1.0 / sqrt(run->best_squared);
        out->found.lower = run->best_value * inverse;
        out->found.normal = ts_vec3_scale(-inverse, run->best);
    } else {
        out->found.lower = -(double)INFINITY;
        out->found.normal = ts_vec3_unit_or(ts_vec3_neg(run->best), ts_vec3_make(1.0, 0.0, 0.0));
    }
    out->scale = sqrt(run->scale_squared);
}

static void remember(const ts_gjk_run* run, const ts_gjk_result* out, ts_gjk_cache* cache) {
    cache->normal = out->found.normal;
    cache->distance = out->found.lower > 0.0 ? out->found.upper : out->found.lower;
    cache->point_a = out->found.point_a;
    cache->point_b = ts_transform_point_inverse(&run->pair->b_in_a, out->found.point_b);
    cache->hint_a = run->hint_a + 1;
    cache->hint_b = run->hint_b + 1;
    cache->rank = out->rank;
    for (int i = 0; i < 4; ++i) {
        cache->simplex_a[i] = i < out->rank ? out->simplex[i].index_a : 0;
        cache->simplex_b[i] = i < out->rank ? out->simplex[i].index_b : 0;
    }
}

// Runs the loop until its answer stands. A stop that neither a plane nor a touch explains (a sliver of a simplex that
// momentum left behind) is answered by one more run, from the centres, without momentum or trust. Returns 0 when a warm
// start did not separate.
static int search(ts_gjk_run* run, ts_gjk_variant variant, ts_gjk_order* order, ts_vec3 d, ts_gjk_cache* cache,
                  ts_gjk_result* out) {
    if (!(run->best_squared > 0.0)) run->best = d;
    int status, again = 0;
    for (;;) {
        status = run_loop(run, variant, TS_GJK_DISTANCE, order, d, out);
        if (status == TS_GJK_NOT_SEPARATED) return 0;
        if (status == TS_PROXIMITY_INVALID_INPUT) break;
        if (settle(run, out)) {
            if (status != TS_PROXIMITY_SEPARATED || run->best_value > 0.0 ||
                out->found.upper * out->found.upper <= TOUCH * TOUCH * run->scale_squared)
                break;
            status = TS_PROXIMITY_LIMIT;
            if (again) break;
            again = run->careful = 1;
            run->feature->rank = 0;
            run->feature->mask = 0;
            d = ts_gjk_centre_difference(run);
        } else {
            d = run->feature->d;
        }
    }
    certificate(run, out);
    out->status = (ts_proximity_status)status;
    if (status == TS_PROXIMITY_INVALID_INPUT) {
        out->rank = 0;
        out->found.upper = (double)INFINITY;
        out->found.point_a = out->found.point_b = ts_vec3_zero();
        return 1;
    }
    if (out->found.upper < out->found.lower) out->found.upper = out->found.lower;  // equal but for rounding
    if (status == TS_PROXIMITY_SEPARATED && !(out->found.lower > 0.0)) out->status = TS_PROXIMITY_TOUCHING;
    if (cache) remember(run, out, cache);
    return 1;
}

static void prepare(ts_gjk_run* run, const ts_shape_pair* pair, const ts_gjk_cache* cache, ts_gjk_result* out) {
    run->pair = pair;
    run->feature = &run->room[0];
    run->feature->rank = 0;
    run->feature->mask = 0;
    run->best_value = run->best_squared = 0.0;
    run->best_ratio = -(double)INFINITY;
    run->scale_squared = 0.0;
    run->hint_a = cache && cache->hint_a > 0 ? cache->hint_a - 1 : -1;
    run->hint_b = cache && cache->hint_b > 0 ? cache->hint_b - 1 : -1;
    run->careful = 0;
    run->trace = NULL;
    out->iterations = out->support_calls = 0;
    out->switched_at = -1;
}

static ts_gjk_order order_of(const ts_gjk_settings* settings) {
    ts_gjk_order order = {settings->relative_tolerance, settings->gap_tolerance,  settings->give_up_distance,
                          settings->iteration_limit,    settings->momentum_limit, 0};
    return order;
}

void ts_gjk_distance(const ts_shape_pair* pair, const ts_gjk_settings* settings, ts_gjk_cache* cache,
                     ts_gjk_result* out) {
    TS_ASSERT(pair->a->kind != TS_SHAPE_PLANE && pair->b->kind != TS_SHAPE_PLANE);
    ts_gjk_run run;
    prepare(&run, pair, cache, out);
    run.trace = settings->trace;
    ts_gjk_order order = order_of(settings);
    ts_vec3 d;
    if (!cache && (settings->start == TS_GJK_START_AUTO || settings->start == TS_GJK_START_CENTRES)) {
        search(&run, settings->variant, &order, ts_gjk_centre_difference(&run), 0, out);
        return;
    }
    // Unless told where to start, last time's normal is used only while it separates: after that EPA probably follows,
    // and does better with the rounder simplex that a start from the centres gives than with one around the contact.
    order.warm = ts_gjk_begin(&run, settings->start, cache, &d) && settings->start == TS_GJK_START_AUTO;
    if (search(&run, settings->variant, &order, d, cache, out)) return;
    order.warm = 0;
    search(&run, settings->variant, &order, ts_gjk_centre_difference(&run), cache, out);
}

int ts_gjk_distance_warm(const ts_shape_pair* pair, const ts_gjk_settings* settings, ts_gjk_cache* cache,
                         ts_gjk_result* out) {
    ts_gjk_run run;
    prepare(&run, pair, cache, out);
    run.trace = settings->trace;
    ts_gjk_order order = order_of(settings);
    ts_vec3 d;
    order.warm = ts_gjk_begin(&run, TS_GJK_START_AUTO, cache, &d);
    return order.warm && search(&run, settings->variant, &order, d, cache, out);
}

void ts_gjk_restart(const ts_shape_pair* pair, const ts_gjk_settings* settings, ts_vec3 normal, ts_gjk_result* out) {
    ts_gjk_run run;
    prepare(&run, pair, 0, out);
    run.trace = settings->trace;
    ts_gjk_order order = order_of(settings);
    search(&run, settings->variant, &order, ts_vec3_neg(normal), 0, out);
}

// How near a mixture of the points comes to the origin.
static double weighted_norm(const ts_vec3* w, int count) {
    ts_subdistance s;
    ts_vec3 x = ts_vec3_zero();
    ts_subdistance_solve(w, count, &s);
    for (int i = 0; i < s.count; ++i) x = ts_vec3_add_scaled(x, s.lambda[i], w[s.index[i]]);
    return ts_vec3_norm(x);
}

// |x| for the feature's weights: a distance of two points of the cores, whatever rounding did to the weights. On
// slivers it is not the distance of the plane that the feature's own numbers describe.
static double witnessed_distance(const ts_gjk_run* run) {
    const ts_gjk_feature* f = run->feature;
    double lambda[4];
    ts_vec3 x = ts_vec3_zero();
    if (weigh(run, lambda)) {
        for (int i = 0; i < f->rank; ++i) x = ts_vec3_add_scaled(x, lambda[i], run->store[f->slot[i]].w);
        return ts_vec3_norm(x);
    }
    ts_vec3 w[4];
    for (int i = 0; i < f->rank; ++i) w[i] = run->store[f->slot[i]].w;
    return weighted_norm(w, f->rank);
}

// Zero where the origin is inside the tetrahedron by more than the rounding of its volumes; else its distance from the
// nearest face, all that is then known.
static double doubt_of_inside(const ts_gjk_run* run) {
    ts_vec3 w[4];
    double size[4];
    for (int i = 0; i < 4; ++i) {
        w[i] = run->store[run->feature->slot[i]].w;
        size[i] = fabs(w[i].x) + fabs(w[i].y) + fabs(w[i].z);
    }
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int doubtful = 0;
    for (int q = 0; q < 4; ++q) {
        const int* c = face[q];
        double volume = ts_vec3_dot(w[c[0]], ts_vec3_cross(w[c[1]], w[c[2]]));
        doubtful |= !(fabs(volume) > 8.0 * DBL_EPSILON * (size[c[0]] * size[c[1]] * size[c[2]]));
    }
    if (!doubtful) return 0.0;
    double nearest = (double)INFINITY;
    for (int q = 0; q < 4; ++q) {
        ts_vec3 corner[3] = {w[face[q][0]], w[face[q][1]], w[face[q][2]]};
        double distance = weighted_norm(corner, 3);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}

// An overlap is claimed only for points that prove it. Returns 0, with the true feature in the run, where they do not
// and the solver that trusts nothing knows better; else leaves in *status what is proven and in *apart the distance.
static int confirm_overlap(ts_gjk_run* run, double reach, ts_proximity_status* status, double* apart) {
    double size = sqrt(run->scale_squared), rounding = 8.0 * DBL_EPSILON * size;
    int solid = run->feature->rank == 4;
    *apart = solid ? doubt_of_inside(run) : witnessed_distance(run);
    if (*apart <= reach + rounding) return 1;
    // Slivers: the feature's plane says near, but no point of it that can be named with so few digits.
    double claimed = solid ? *apart : sqrt(run->feature->xx);
    *status = claimed - reach <= SLIVER * size ? TS_PROXIMITY_TOUCHING : TS_PROXIMITY_LIMIT;
    ts_gjk_feature* next = ts_gjk_other_room(run);
    if (run->careful || !ts_gjk_project_robustly(run, -1, next) || next->rank == 4) return 1;
    run->careful = 1;
    run->feature = next;
    return 0;
}

void ts_gjk_overlap(const ts_shape_pair* pair, double margin, const ts_gjk_settings* settings, ts_gjk_cache* cache,
                    ts_gjk_result* out) {
    TS_ASSERT(pair->a->kind != TS_SHAPE_PLANE && pair->b->kind != TS_SHAPE_PLANE);
    ts_gjk_run run;
    prepare(&run, pair, cache, out);
    double balls = ts_shape_pair_balls(pair), reach = balls + margin > 0.0 ? balls + margin : 0.0;
    ts_gjk_order order = {0.0, settings->gap_tolerance, reach, settings->iteration_limit, settings->momentum_limit, 0};
    ts_vec3 d;
    if (!cache && (settings->start == TS_GJK_START_AUTO || settings->start == TS_GJK_START_CENTRES))
        d = ts_gjk_centre_difference(&run);
    else
        ts_gjk_begin(&run, settings->start, cache, &d);
    run.best = d;
    ts_proximity_status status;
    double apart = (double)INFINITY;
    for (;;) {
        status = (ts_proximity_status)run_loop(&run, settings->variant, TS_GJK_VERDICT, &order, d, out);
        if (status == TS_PROXIMITY_SEPARATED_EARLY || status == TS_PROXIMITY_INVALID_INPUT || !run.feature->rank) break;
        if (status == TS_PROXIMITY_SEPARATED || status == TS_PROXIMITY_LIMIT) {
            apart = witnessed_distance(&run);
            break;
        }
        if (confirm_overlap(&run, reach, &status, &apart)) break;
        d = run.feature->d;
    }
    certificate(&run, out);
    // Neither plane nor point decided: the distance equals the reach to rounding, or the iterations ran out. A gap may end
    // the search with a point this near to the reach and no plane: then the distance may be less by anything.
    if (status == TS_PROXIMITY_TOUCHING && apart < reach) status = TS_PROXIMITY_OVERLAP_EARLY;
    if (status == TS_PROXIMITY_SEPARATED) {
        double near = (run.careful ? SLIVER : TOUCH) * out->scale;
        int met = fabs(sqrt(run.feature->xx) - reach) <= near;
        if (order.gap > 0.0) met &= out->found.lower >= reach - near;
        status = met ? TS_PROXIMITY_TOUCHING : TS_PROXIMITY_LIMIT;
    }
    out->status = status;
    if (status == TS_PROXIMITY_SEPARATED_EARLY && run.feature->rank) apart = sqrt(run.feature->xx);
    out->found.upper = (apart > out->found.lower ? apart : out->found.lower) - balls;
    out->found.lower -= balls;
    out->rank = 0;
    out->found.point_a = out->found.point_b = ts_vec3_zero();
    if (cache && status != TS_PROXIMITY_INVALID_INPUT) {
        cache->normal = out->found.normal;
        cache->hint_a = run.hint_a + 1;
        cache->hint_b = run.hint_b + 1;
    }
}
