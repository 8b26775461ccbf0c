// GJK: the distance of two convex cores.
//
// Problem: min |x| over x in D = A - B (Gilbert, Johnson, Keerthi, IEEE J. Robotics and Automation 1988).
// Rule: keep the smallest simplex W whose hull holds the present x; add the support point of D along -d, where d is x
// recomputed from the feature of W (face normal, or edge perpendicular) rather than from barycentric sums, which cancel
// when |x| is small; project the origin on the new simplex; repeat.
// Guaranteed: lower = max <d, w>/|d| over all supports is a separating-plane certificate and upper = |x| a witness, so
// lower <= distance <= upper however the loop ends. The distance strictly decreases from step to step, so the loop ends
// without a tolerance; in hard cases (aspect ratios of 1e6) that is the regular exit. All tolerances are relative to the
// largest |w| seen or to the distance, so scale does not matter.
// Known limit: for smooth pairs convergence is linear; the relative accuracy of the normal is the square root of that of
// the distance.
#include "collision/gjk.h"

#include "base/assert.h"
#include "collision/proximity_internal.h"
#include "collision/subdistance.h"
#include "collision/support_internal.h"

#include <float.h>

ts_gjk_settings ts_gjk_settings_default(void) {
    ts_gjk_settings settings = {1e-12, (double)INFINITY, 0.0, 128, 16, TS_GJK_AUTO, TS_GJK_START_AUTO};
    return settings;
}

const char* ts_gjk_variant_name(ts_gjk_variant variant) {
    static const char* const name[TS_GJK_VARIANT_COUNT] = {
        "auto", "vanilla", "polyak", "polyak-paper", "nesterov", "nesterov-normalised", "nesterov-coal"};
    return (unsigned)variant < TS_GJK_VARIANT_COUNT ? name[variant] : "unknown";
}

const char* ts_gjk_start_name(ts_gjk_start start) {
    static const char* const name[TS_GJK_START_COUNT] = {"auto",      "none",           "centres",         "previous",
                                                         "witnesses", "previous-paper", "witnesses-paper", "simplex"};
    return (unsigned)start < TS_GJK_START_COUNT ? name[start] : "unknown";
}

ts_gjk_variant ts_gjk_variant_for(const ts_shape* a, const ts_shape* b) {
    (void)a;
    (void)b;
    return TS_GJK_VANILLA;
}

// What one query carries around. Vertices stay in their slots of `store`; the simplex is an ordered list of slots, with
// the points that the projection needs side by side.
typedef struct gjk_run {
    const ts_shape* a;
    const ts_shape* b;
    const ts_transform* pose;
    int hint_a, hint_b;
    int polytopes;
    int rank;
    int slot[4];
    ts_vec3 w[4];
    double lambda[4];
    ts_gjk_vertex store[4];
    ts_gjk_result* out;
} gjk_run;

static ts_vec3 core_centre(const ts_shape* shape) {
    return shape->kind == TS_SHAPE_HULL ? shape->hull->centroid : ts_vec3_zero();
}

// The point of A - B farthest along -d, into the given vertex.
static ts_vec3 support_against(gjk_run* run, ts_vec3 d, ts_gjk_vertex* out) {
    ts_support_point a = ts_support_core_inline(run->a, ts_vec3_neg(d), run->hint_a);
    ts_support_point b = ts_support_core_inline(run->b, ts_transform_direction_inverse(run->pose, d), run->hint_b);
    ++run->out->support_calls;
    run->hint_a = a.index;
    run->hint_b = b.index;
    out->a = a.point;
    out->b = ts_transform_point(run->pose, b.point);
    out->w = ts_vec3_sub(out->a, out->b);
    out->index_a = a.index;
    out->index_b = b.index;
    return out->w;
}

// The direction from the origin to the affine hull of the simplex, free of cancellation, of any length; x where the
// simplex degenerates.
static ts_vec3 feature_direction(const gjk_run* run, ts_vec3 x) {
    const ts_vec3* w = run->w;
    ts_vec3 d = x;
    if (run->rank == 1) {
        d = w[0];
    } else if (run->rank == 2) {
        ts_vec3 e = ts_vec3_sub(w[1], w[0]);
        d = ts_vec3_cross(e, ts_vec3_cross(run->lambda[0] >= run->lambda[1] ? w[0] : w[1], e));
    } else if (run->rank == 3) {
        ts_vec3 n = ts_vec3_cross(ts_vec3_sub(w[1], w[0]), ts_vec3_sub(w[2], w[0]));
        double h = ts_vec3_dot(n, w[0]) + ts_vec3_dot(n, w[1]) + ts_vec3_dot(n, w[2]);
        d = ts_vec3_scale(h > 0.0 ? 1.0 : (h < 0.0 ? -1.0 : 0.0), n);
    }
    // Too short or too long to be squared, or zero: x says the same with fewer digits.
    return ts_support_is_tame(ts_vec3_norm_squared(d)) ? d : x;
}

static ts_vec3 unit_of(ts_vec3 d, ts_vec3 fallback) {
    double squared = ts_vec3_norm_squared(d);
    return ts_support_is_tame(squared) ? ts_vec3_scale(1.0 / sqrt(squared), d) : ts_vec3_unit_or(d, fallback);
}

static int already_in_simplex(const gjk_run* run, const ts_gjk_vertex* v) {
    if (!run->polytopes) return 0;
    for (int i = 0; i < run->rank; ++i) {
        const ts_gjk_vertex* old = &run->store[run->slot[i]];
        if (old->index_a == v->index_a && old->index_b == v->index_b) return 1;
    }
    return 0;
}

// Simplex, witness points and normal into the result.
static void finish(gjk_run* run, ts_proximity_status status, ts_vec3 best_direction, ts_gjk_cache* cache) {
    ts_gjk_result* out = run->out;
    out->status = status;
    out->rank = run->rank;
    out->point_a = out->point_b = ts_vec3_zero();
    for (int i = 0; i < run->rank; ++i) {
        ts_gjk_vertex* v = &out->simplex[i];
        *v = run->store[run->slot[i]];
        v->lambda = run->lambda[i];
        out->point_a = ts_vec3_add_scaled(out->point_a, v->lambda, v->a);
        out->point_b = ts_vec3_add_scaled(out->point_b, v->lambda, v->b);
    }
    out->normal = ts_vec3_unit_or(ts_vec3_neg(best_direction), ts_vec3_make(1.0, 0.0, 0.0));
    // On a sliver of a simplex the projection can fall short of the distance; the plane's value does not lie, and the
    // witnesses are points of the cores.
    if (out->lower > out->upper) {
        double apart = ts_vec3_distance(out->point_a, out->point_b);
        out->upper = apart > out->lower ? apart : out->lower;
    }
    if (cache) {
        cache->normal = out->normal;
        cache->hint_a = run->hint_a + 1;
        cache->hint_b = run->hint_b + 1;
    }
}

// Where to look first without better knowledge: from centre to centre.
static ts_vec3 centre_difference(const gjk_run* run) {
    ts_vec3 x = ts_vec3_sub(core_centre(run->a), ts_transform_point(run->pose, core_centre(run->b)));
    return ts_vec3_is_finite(x) && ts_vec3_max_abs(x) > 0.0 ? x : ts_vec3_make(1.0, 0.0, 0.0);
}

// Resets the result. Returns 1 and last time's direction in *out_x when the cache knows one, else 0 and the centres'.
static int start(gjk_run* run, const ts_gjk_cache* cache, ts_vec3* out_x) {
    ts_gjk_result* out = run->out;
    run->rank = out->iterations = out->support_calls = 0;
    out->switched_at = -1;
    out->lower = -(double)INFINITY;
    out->upper = (double)INFINITY;
    out->scale = 0.0;
    run->polytopes = ts_support_is_polytope(run->a) && ts_support_is_polytope(run->b);
    run->hint_a = cache ? cache->hint_a - 1 : -1;
    run->hint_b = cache ? cache->hint_b - 1 : -1;
    ts_vec3 x = cache ? ts_vec3_neg(cache->normal) : ts_vec3_zero();
    int warm = ts_vec3_is_finite(x) && ts_vec3_max_abs(x) > 0.0;
    *out_x = warm ? x : centre_difference(run);
    return warm;
}

// A slot that the simplex does not use.
static int free_slot(const gjk_run* run) {
    unsigned used = 0;
    for (int i = 0; i < run->rank; ++i) used |= 1u << run->slot[i];
    int slot = 0;
    while (used >> slot & 1u) ++slot;
    return slot;
}

// Appends a vertex to the simplex and keeps what holds the closest point to the origin.
static void project(gjk_run* run, int slot, ts_vec3 w, ts_subdistance* next) {
    run->w[run->rank] = w;
    run->slot[run->rank] = slot;
    ts_subdistance_solve(run->w, run->rank + 1, next);
}

static void keep(gjk_run* run, const ts_subdistance* next) {
    run->rank = next->count;
    for (int i = 0; i < next->count; ++i) {  // indices ascend, so this may be done in place
        run->w[i] = run->w[next->index[i]];
        run->slot[i] = run->slot[next->index[i]];
        run->lambda[i] = next->lambda[i];
    }
}

// The loop, from direction x. `warm` says that x comes from last time: if it does not separate, 0 is returned, because
// the cores probably overlap, and EPA does better with the rounder simplex that a start from the centres gives than with
// one huddled around the contact.
static int search(gjk_run* run, const ts_gjk_settings* settings, ts_gjk_cache* cache, ts_vec3 x, int warm) {
    ts_gjk_result* out = run->out;
    ts_vec3 best = x;  // the direction that certifies `lower`
    double xx = (double)INFINITY;
    for (;;) {
        ts_vec3 d = run->rank ? feature_direction(run, x) : x;
        int slot = free_slot(run);
        ts_gjk_vertex* v = &run->store[slot];
        ts_vec3 w = support_against(run, d, v);
        double size = ts_vec3_norm(w);
        if (!isfinite(size)) {
            finish(run, TS_PROXIMITY_INVALID_INPUT, best, 0);
            return 1;
        }
        if (size > out->scale) out->scale = size;
        ts_vec3 unit = unit_of(d, best);
        double omega = ts_vec3_dot(unit, w);
        if (omega > out->lower) {
            out->lower = omega;
            best = unit;
        }
        if (omega > settings->give_up_distance) {
            if (!run->rank) {
                run->slot[0] = slot;
                run->lambda[0] = 1.0;
                run->rank = 1;
                out->upper = size;
            }
            finish(run, TS_PROXIMITY_SEPARATED_EARLY, best, cache);
            return 1;
        }
        if (warm && !run->rank && !(omega > 0.0)) return 0;
        if (run->rank) {
            int converged = out->upper - out->lower <= settings->relative_tolerance * out->upper;
            if (converged || already_in_simplex(run, v)) {
                // An old vertex ends the search only where it proves something; else the plane is not separating.
                finish(run, out->lower > 0.0 ? TS_PROXIMITY_SEPARATED : TS_PROXIMITY_TOUCHING, best, cache);
                return 1;
            }
        }
        if (out->iterations >= settings->iteration_limit) {
            finish(run, TS_PROXIMITY_LIMIT, best, cache);
            return 1;
        }
        ts_subdistance next;
        project(run, slot, w, &next);
        ++out->iterations;
        if (run->rank && next.count < 4 && !(next.distance_squared < xx)) {
            finish(run, out->lower > 0.0 ? TS_PROXIMITY_SEPARATED : TS_PROXIMITY_TOUCHING, best, cache);
            return 1;
        }
        keep(run, &next);
        x = next.point;
        xx = next.distance_squared;
        out->upper = sqrt(xx);
        if (next.count == 4 || out->upper <= 8.0 * DBL_EPSILON * out->scale) {
            finish(run, next.count == 4 ? TS_PROXIMITY_PENETRATING : TS_PROXIMITY_TOUCHING, best, cache);
            return 1;
        }
    }
}

static void prepare(gjk_run* run, const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a,
                    ts_gjk_result* out) {
    run->a = a;
    run->b = b;
    run->pose = b_in_a;
    run->out = out;
}

void ts_gjk_distance(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, const ts_gjk_settings* settings,
                     ts_gjk_cache* cache, ts_gjk_result* out) {
    TS_ASSERT(a->kind != TS_SHAPE_PLANE && b->kind != TS_SHAPE_PLANE);
    gjk_run run;
    prepare(&run, a, b, b_in_a, out);
    ts_vec3 x;
    int warm = start(&run, cache, &x);
    if (!search(&run, settings, cache, x, warm)) search(&run, settings, cache, centre_difference(&run), 0);
}

int ts_gjk_distance_warm(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a,
                         const ts_gjk_settings* settings, ts_gjk_cache* cache, ts_gjk_result* out) {
    gjk_run run;
    prepare(&run, a, b, b_in_a, out);
    ts_vec3 x;
    return start(&run, cache, &x) && search(&run, settings, cache, x, 1);
}

void ts_gjk_restart(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, const ts_gjk_settings* settings,
                    ts_vec3 normal, ts_gjk_result* out) {
    gjk_run run;
    prepare(&run, a, b, b_in_a, out);
    ts_vec3 x;
    start(&run, 0, &x);
    search(&run, settings, 0, ts_vec3_neg(normal), 0);
}

void ts_gjk_overlap(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, double margin,
                    const ts_gjk_settings* settings, ts_gjk_cache* cache, ts_gjk_result* out) {
    ts_gjk_settings own = *settings;
    double reach = a->radius + b->radius + margin;
    own.give_up_distance = reach;
    ts_gjk_distance(a, b, b_in_a, &own, cache, out);
    out->lower -= a->radius + b->radius;
    out->upper -= a->radius + b->radius;
    if (out->status == TS_PROXIMITY_SEPARATED) out->status = TS_PROXIMITY_OVERLAP_EARLY;
}
