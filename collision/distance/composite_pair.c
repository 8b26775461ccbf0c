// Shapes made of parts: the least over the parts.
//
// Problem: the signed distance of a height field or compound, which is the least of its parts' (see convex_parts.h for what that
// means in an overlap).
// Rule: the other shape's box, grown by a reach, chooses the parts that can matter; a part whose own box is farther than
// the best answer so far is passed over, and the rest are asked no further than that. When the best answer lies within
// the reach, no part outside can beat it; else the reach doubles.
// Guaranteed: the lower bound holds for every part, those not visited included; the upper one is the best part's own.
// Known limit: with neither shape convex all pairs of near parts are asked in turn.
#include "collision/shape/convex_parts.h"
#include "collision/distance/proximity_internal.h"

typedef struct parts_query {
    const ts_shape_pair* pair;  // A is made of parts
    ts_proximity_options options;
    const ts_gjk_cache* cache;
    ts_vec3 low, high;  // box of B in A's frame
    ts_proximity* out;  // the best so far, in A's frame
    ts_gjk_cache best_cache;
    double lower;  // least lower bound of the parts asked
    int found;
} parts_query;

static double box_distance(ts_vec3 low_a, ts_vec3 high_a, ts_vec3 low_b, ts_vec3 high_b) {
    double squared = 0.0;
    for (int i = 0; i < 3; ++i) {
        double below = ts_vec3_get(low_b, i) - ts_vec3_get(high_a, i);
        double above = ts_vec3_get(low_a, i) - ts_vec3_get(high_b, i);
        double gap = below > above ? below : above;
        if (gap > 0.0) squared += gap * gap;
    }
    return sqrt(squared);
}

static void add_counts(const ts_proximity* from, ts_proximity* to) {
    to->iterations += from->iterations;
    to->gjk_iterations += from->gjk_iterations;
    to->epa_iterations += from->epa_iterations;
    to->sqp_iterations += from->sqp_iterations;
    to->support_calls += from->support_calls;
}

// Makes `p` the answer, keeping the counts of all.
static void take(const ts_proximity* p, parts_query* q) {
    ts_proximity before = *q->out;
    *q->out = *p;
    q->out->iterations = before.iterations;
    q->out->gjk_iterations = before.gjk_iterations;
    q->out->epa_iterations = before.epa_iterations;
    q->out->sqp_iterations = before.sqp_iterations;
    q->out->support_calls = before.support_calls;
}

// Asks the parts within reach. Returns 0 when one of them refused to answer, which then is the answer.
static int ask_parts(parts_query* q, double reach) {
    ts_vec3 grown = ts_vec3_make(reach, reach, reach);
    ts_convex_part_walk walk;
    ts_convex_parts_begin(q->pair->a, ts_vec3_sub(q->low, grown), ts_vec3_add(q->high, grown), &walk);
    while (ts_convex_parts_next(&walk)) {
        ts_vec3 low, high;
        double best = q->found ? q->out->found.upper : q->options.give_up_distance;
        ts_shape_bounds(&walk.shape, &walk.placed, &low, &high);
        double boxes = box_distance(low, high, q->low, q->high);
        if (boxes > (best > 0.0 ? best : 0.0)) {
            if (boxes < q->lower) q->lower = boxes;
            continue;
        }
        ts_proximity p;
        ts_proximity_options options = q->options;
        options.give_up_distance = best;
        ts_gjk_cache cache = q->cache ? *q->cache : ts_gjk_cache_none();
        ts_proximity_query(&walk.shape, &walk.placed, q->pair->b, &q->pair->b_in_a, &options, &cache, &p);
        add_counts(&p, q->out);
        if (p.status == TS_PROXIMITY_INVALID_INPUT) {
            take(&p, q);
            return 0;
        }
        if (p.found.lower < q->lower) q->lower = p.found.lower;
        if (p.status == TS_PROXIMITY_SEPARATED_EARLY) continue;
        if (q->found && !(p.distance < q->out->distance)) continue;
        take(&p, q);
        q->best_cache = cache;
        q->found = 1;
        if (q->options.goal == TS_PROXIMITY_VERDICT && p.status == TS_PROXIMITY_OVERLAP_EARLY) return 1;
    }
    return 1;
}

// No part is nearer than `reach`; the normal is from box to box.
static void conclude_apart(const parts_query* q, double reach) {
    ts_vec3 low, high;
    ts_shape_local_box(q->pair->a, &low, &high);
    ts_vec3 between =
        ts_vec3_sub(ts_vec3_scale(0.5, ts_vec3_add(q->low, q->high)), ts_vec3_scale(0.5, ts_vec3_add(low, high)));
    q->out->status = TS_PROXIMITY_SEPARATED_EARLY;
    q->out->found.lower = q->out->distance = q->lower < reach ? q->lower : reach;
    q->out->found.upper = (double)INFINITY;
    q->out->found.normal = ts_vec3_is_finite(between) ? ts_vec3_unit_or(between, ts_vec3_axis(2)) : ts_vec3_axis(2);
    q->out->found.point_a = q->out->found.point_b = ts_vec3_zero();
}

// Enough to meet something soon, and to double from: the gap of the boxes and a part of their size.
static double first_reach(const parts_query* q) {
    ts_vec3 low, high;
    ts_shape_local_box(q->pair->a, &low, &high);
    double size = 0.01 * (ts_vec3_distance(low, high) + ts_vec3_distance(q->low, q->high));
    double reach = 1.0001 * box_distance(low, high, q->low, q->high) + size;
    return isfinite(reach) ? reach : (double)INFINITY;
}

void ts_composite_pair_query(const ts_shape_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                             ts_proximity* out) {
    parts_query q;
    q.pair = pair;
    q.options = *options;
    q.cache = cache;
    q.out = out;
    q.lower = (double)INFINITY;
    q.found = 0;
    ts_shape_bounds(pair->b, &pair->b_in_a, &q.low, &q.high);
    int verdict = options->goal == TS_PROXIMITY_VERDICT;
    double most = verdict ? options->margin : options->give_up_distance;
    double reach = verdict ? most : first_reach(&q);
    if (!(reach < most)) reach = most;
    for (;;) {
        if (!ask_parts(&q, reach)) return;
        // Whatever was not asked is farther than the reach.
        if (q.found && (verdict || q.out->found.upper <= reach)) break;
        if (!(reach < most)) break;
        reach = q.found ? q.out->found.upper : (reach < 1e300 ? 4.0 * reach : (double)INFINITY);
        if (!(reach < most)) reach = most;
    }
    if (!q.found) {
        conclude_apart(&q, reach);
        return;
    }
    if (cache) *cache = q.best_cache;
    if (verdict && q.out->status == TS_PROXIMITY_OVERLAP_EARLY) {
        q.out->found.lower = -(double)INFINITY;  // the rest was not asked
        return;
    }
    if (q.lower < q.out->found.lower) q.out->found.lower = q.lower;
    if (reach < q.out->found.lower) q.out->found.lower = reach;
}
