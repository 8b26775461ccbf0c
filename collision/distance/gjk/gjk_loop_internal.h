// The loop of GJK, once, to be specialised by constant arguments: kinds of shapes, variant, and whether a distance or a
// verdict is asked for. See gjk.c. Not for use outside gjk*.c.
#ifndef TS_COLLISION_GJK_LOOP_INTERNAL_H
#define TS_COLLISION_GJK_LOOP_INTERNAL_H

#include "collision/distance/gjk/gjk_internal.h"

#include <float.h>

#if defined(__GNUC__) || defined(__clang__)
#define TS_GJK_INLINE static inline __attribute__((always_inline))
#else
#define TS_GJK_INLINE static inline
#endif

TS_GJK_INLINE ts_support_point ts_gjk_support_of(ts_gjk_kinds kinds, const ts_shape* shape, ts_vec3 d, int hint) {
    if (kinds == TS_GJK_HULLS) {
        int index = ts_support_hull_xyz(shape->hull, d.x, d.y, d.z, hint);
        return ts_support_point_make(shape->hull->vertex[index], index);
    }
    if (kinds == TS_GJK_BOXES) {
        // As in ts_support_core, without a branch: the signs of a direction are not predictable.
        static const double sign[2] = {-1.0, 1.0};
        int x = !(d.x < 0.0), y = !(d.y < 0.0), z = !(d.z < 0.0);
        ts_vec3 h = shape->half;
        return ts_support_point_make(ts_vec3_make(sign[x] * h.x, sign[y] * h.y, sign[z] * h.z), x | y << 1 | z << 2);
    }
    if (kinds == TS_GJK_ELLIPSOIDS) return ts_support_ellipsoid(shape, d, -1);
    return ts_support_core_inline(shape, d, hint);
}

/// The point of A - B farthest along -d, into a slot of the store. Returns |w|^2.
TS_GJK_INLINE double ts_gjk_support(ts_gjk_run* run, ts_gjk_kinds kinds, ts_vec3 d, int slot) {
    const ts_shape_pair* pair = run->pair;
    ts_gjk_vertex* v = &run->store[slot];
    ts_support_point a = ts_gjk_support_of(kinds, pair->a, ts_vec3_neg(d), run->hint_a);
    ts_support_point b =
        ts_gjk_support_of(kinds, pair->b, ts_transform_direction_inverse(&pair->b_in_a, d), run->hint_b);
    run->hint_a = a.index;
    run->hint_b = b.index;
    v->a = a.point;
    v->b = ts_transform_point(&pair->b_in_a, b.point);
    v->w = ts_vec3_sub(v->a, v->b);
    v->index_a = a.index;
    v->index_b = b.index;
    run->key[slot] = ts_gjk_key(a.index, b.index);
    return ts_vec3_norm_squared(v->w);
}

/// Remembers the plane orthogonal to d through its support point if it proves more than the best so far.
TS_GJK_INLINE void ts_gjk_certify(ts_gjk_run* run, ts_vec3 d, double value) {
    double squared = ts_vec3_norm_squared(d);
    if (!ts_support_is_tame(squared)) return;
    double ratio = value * fabs(value) / squared;
    if (ratio > run->best_ratio) {
        run->best = d;
        run->best_value = value;
        run->best_squared = squared;
        run->best_ratio = ratio;
    }
}

/// (k + 1) / (k + 3): how much of the last direction the published variants keep.
TS_GJK_INLINE double ts_gjk_weight(int k) { return ((double)k + 1.0) / ((double)k + 3.0); }

/// d / |d|; d itself where that cannot be squared.
TS_GJK_INLINE ts_vec3 ts_gjk_unit(ts_vec3 d) {
    double squared = ts_vec3_norm_squared(d);
    return ts_support_is_tame(squared) ? ts_vec3_scale(1.0 / sqrt(squared), d) : ts_vec3_unit_or(d, d);
}

/// The next search direction with momentum; `last` is the last one, s the last support point.
TS_GJK_INLINE ts_vec3 ts_gjk_momentum(ts_gjk_variant variant, int k, ts_vec3 last, const ts_gjk_feature* f, ts_vec3 s) {
    ts_vec3 x = ts_gjk_feature_point(f);
    double weight = ts_gjk_weight(k);
    if (variant == TS_GJK_POLYAK) weight = 1.0 / ((double)k + 1.0);
    if (variant == TS_GJK_NESTEROV_COAL) weight = ((double)k + 2.0) / ((double)k + 3.0);
    if (variant >= TS_GJK_NESTEROV) x = ts_vec3_lerp(s, x, weight);  // Nesterov's come last
    if (variant == TS_GJK_POLYAK_NORMALISED || variant == TS_GJK_NESTEROV_NORMALISED ||
        variant == TS_GJK_NESTEROV_COAL) {
        last = ts_gjk_unit(last);
        x = ts_gjk_unit(x);
    }
    ts_vec3 d = ts_vec3_lerp(x, last, weight);
    return ts_vec3_norm_squared(d) > 0.0 ? d : f->d;  // momentum that cancels x leaves no direction
}

/// The feature already has the vertex pair of a slot. Looks at all slots at once: how many are in use cannot be foretold.
TS_GJK_INLINE int ts_gjk_is_member(const ts_gjk_run* run, int slot) {
    uint64_t key = run->key[slot];
    unsigned equal = (unsigned)(run->key[0] == key) | (unsigned)(run->key[1] == key) << 1 |
                     (unsigned)(run->key[2] == key) << 2 | (unsigned)(run->key[3] == key) << 3;
    return (equal & run->feature->mask) != 0 && run->store[slot].index_a >= 0 && run->store[slot].index_b >= 0;
}

/// A slot that the feature does not use.
TS_GJK_INLINE int ts_gjk_free_slot(const ts_gjk_feature* f) {
    static const signed char lowest_clear[16] = {0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 0};
    return lowest_clear[f->mask];
}

/// Is <d, w> / |d| beyond reach?
TS_GJK_INLINE int ts_gjk_is_beyond(double value, ts_vec3 d, double reach) {
    double theirs = value * value, ours = reach * reach * ts_vec3_norm_squared(d);
    return reach < 0.0 ? value >= 0.0 || theirs < ours : value > 0.0 && theirs > ours;
}

/// The first support point as the feature, for a search that it ends.
TS_GJK_INLINE void ts_gjk_take_first(ts_gjk_run* run, int slot) {
    ts_gjk_feature* feature = ts_gjk_other_room(run);
    ts_gjk_project(run, slot, feature);
    run->feature = feature;
}

/// The support point, whose value along the feature's direction is `fw`, does not improve on the feature.
TS_GJK_INLINE int ts_gjk_has_stalled(const ts_gjk_run* run, const ts_gjk_order* order, const ts_gjk_feature* f,
                                     double fw, int slot) {
    if (order->gap > 0.0) return 2.0 * (f->h / f->dd) * (f->h - fw) <= order->gap;
    return f->h - fw <= order->tolerance * f->h || ts_gjk_is_member(run, slot);
}

/// Whether a new feature ends the search by itself, and with which status.
TS_GJK_INLINE int ts_gjk_ends_at(const ts_gjk_run* run, ts_gjk_goal goal, const ts_gjk_order* order, int named,
                                 const ts_gjk_feature* f, int* out_status) {
    *out_status = TS_PROXIMITY_TOUCHING;
    if (!named) return 1;
    *out_status = TS_PROXIMITY_PENETRATING;
    if (f->rank == 4) return 1;
    *out_status = TS_PROXIMITY_TOUCHING;
    if (f->xx <= 64.0 * DBL_EPSILON * DBL_EPSILON * run->scale_squared) return 1;
    *out_status = TS_PROXIMITY_OVERLAP_EARLY;
    return goal == TS_GJK_VERDICT && f->xx <= order->reach * order->reach;
}

/// Lets whoever watches see a step. Always 1.
TS_GJK_INLINE int ts_gjk_show(const ts_gjk_run* run, int watched, ts_vec3 d, double value, int slot, int k) {
    if (watched) ts_gjk_watch(run, d, value, slot, k);
    return 1;
}

/// AUTO on hulls ends momentum once a support point could lower the distance by no more than this part, or after so many
/// projections: what is left is found as soon without, and the first plane along x is the proof. Measured on hulls of
/// random points and of YCB's objects: together a tenth fewer support points apart and in overlaps; a half instead of the
/// part, or four projections, cost a twentieth more near touching.
static const double little_gain = 0.05;
enum { TS_GJK_HULL_MOMENTUM = 6 };

/// Runs until something is known and returns a ts_proximity_status. The feature, the best plane and the counters are
/// left in run and out. `watched` is a constant: loops that nobody watches have no trace of it.
TS_GJK_INLINE int ts_gjk_loop_of(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_variant variant, ts_gjk_goal goal,
                                 const ts_gjk_order* order, int watched, ts_vec3 d, ts_gjk_result* out) {
    ts_gjk_feature *f = run->feature, *next;
    int momentum = variant != TS_GJK_VANILLA, fades = 0, k = out->iterations, calls = 0, status;
    double value = 0.0;
    for (;;) {
        int slot = ts_gjk_free_slot(f);
        ts_gjk_vertex* v = &run->store[slot];
        double size = ts_gjk_support(run, kinds, d, slot);
        ++calls;
        status = TS_PROXIMITY_INVALID_INPUT;
        if (!(size <= DBL_MAX)) break;
        run->scale_squared = size > run->scale_squared ? size : run->scale_squared;
        value = ts_vec3_dot(d, v->w);
        // Only the first plane, those near the end and the last one are weighed as proofs: the others prove less.
        if (!f->rank || (!momentum && f->h - value <= 0.1 * f->h)) ts_gjk_certify(run, d, value);
        if (ts_gjk_is_beyond(value, d, order->reach)) {
            if (!f->rank) ts_gjk_take_first(run, slot);
            status = TS_PROXIMITY_SEPARATED_EARLY;
            break;
        }
        if (f->rank) {
            double fw = momentum ? ts_vec3_dot(f->d, v->w) : value;
            int stop = ts_gjk_has_stalled(run, order, f, fw, slot) && ts_gjk_show(run, watched, d, value, slot, k);
            if (stop && momentum) {
                // This point belongs to the momentum's direction; the decision needs the one along x.
                momentum = 0;
                out->switched_at = k;
                d = f->d;
                continue;
            }
            status = TS_PROXIMITY_SEPARATED;
            if (stop) break;
            fades = kinds == TS_GJK_HULLS && (k + 1 >= TS_GJK_HULL_MOMENTUM || f->h - fw <= little_gain * f->h);
        } else if (order->warm && !(value > 0.0)) {
            status = TS_GJK_NOT_SEPARATED;
            break;
        }
        status = TS_PROXIMITY_LIMIT;
        if (k >= order->iteration_limit) break;
        next = ts_gjk_other_room(run);
        int named = ts_gjk_project(run, slot, next);
        ++k;
        if (named && next->rank < 4 && f->rank && !(next->xx < f->xx)) {
            // The distance must fall. Where it does not, rounding has the last word, unless the quick projection erred.
            if (momentum) {
                momentum = 0;
                out->switched_at = k;
                d = f->d;
                continue;
            }
            named = !run->careful && ts_gjk_project_robustly(run, slot, next);
            if (run->careful || (named && next->rank < 4 && !(next->xx < f->xx))) {
                status = TS_PROXIMITY_SEPARATED;
                break;
            }
        }
        run->feature = f = next;
        if (ts_gjk_show(run, watched, d, value, slot, k) && ts_gjk_ends_at(run, goal, order, named, f, &status)) break;
        if (momentum && (k >= order->momentum_limit || fades)) {
            momentum = 0;
            out->switched_at = k;
        }
        d = momentum ? ts_gjk_momentum(variant, k, d, f, v->w) : f->d;
    }
    if (status != TS_PROXIMITY_INVALID_INPUT) ts_gjk_certify(run, d, value);
    out->iterations = k;
    out->support_calls += calls;
    return status;
}

/// The same while nobody watches.
TS_GJK_INLINE int ts_gjk_loop(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_variant variant, ts_gjk_goal goal,
                              const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop_of(run, kinds, variant, goal, order, 0, d, out);
}

#endif
