// Signed distance by iteration: GJK on the cores, EPA where the cores overlap, Newton where they are curved.
//
// Problem: delta = max over unit n of (gap along n), one definition for both regimes. Rule: with cores apart by d, the
// rounded shapes are at d minus both radii, exactly, even when that is negative; with cores overlapping by p they are at
// -(p + radii), exactly, because the depth of a sum with a ball is additive. So the iterations never see a ball.
// A pair that remembers its normal starts there: if it still separates, GJK or Newton go on from it; if not, EPA starts
// around it. Either way the answer needs the same proof as one from nothing, and without it there is a start from
// nothing. Where several normals give depths within what the proof leaves open (1e-4 of the depth for curved pairs,
// nothing but rounding for polytopes) the one remembered stays. With a tolerance all of this is left out but GJK and EPA.
// Guaranteed: lower <= delta <= upper, a unit normal, and point_a - point_b = -distance * normal by construction.
#include "collision/distance/proximity_internal.h"

#include "collision/distance/penetration/penetration.h"
#include "collision/distance/penetration/polish_internal.h"

#include <float.h>
#include <string.h>

// What GJK is asked for on curved pairs, relative to the distance: a normal good to a few degrees, from where Newton's
// method has the rest of the digits cheaper. (GJK converges linearly there and needs some forty steps at a gap of a
// thousandth of the size.)
static const double CURVED_TOLERANCE = 3e-3;
// Bounds this close count as met, relative to the distance and to the size of the shapes.
static const double CURVED_GAP = 1e-12;
static const double CURVED_ROUNDING = 256.0 * DBL_EPSILON;
// What EPA is asked for, relative to the depth: polytopes are finished exactly; of curved faces more digits cost more and
// more, and Newton has them cheaper.
static const double POLYTOPE_DEPTH = 1e-12;
static const double CURVED_DEPTH = 1e-4;
// Cylinders and cones have edges along which depths may have two maxima a few degrees apart, but EPA closes in on edges fast:
// twice the steps for twice the digits.
static const double EDGED_DEPTH = 1e-9;
// The same where that start was too coarse; about one curved pair in two thousand.
static const double FINE_DEPTH = 1e-9;
// Depths below this, relative to the size of the difference, are touches as far as witnesses are concerned.
static const double TOUCH = 1e-11;
// Differences without interior that stay away from the origin by more than this, relative to their size, are apart.
static const double THIN = 1e-12;
// Overlaps shallower than this, relative to the size, are decided by the distance.
static const double VERDICT_DOUBT = 1e-8;
// What incremental depth is asked for, relative to the size of the difference.
static const double INCREMENTAL_TOLERANCE = 1e-9;
// Cosine of the angle up to which two normals are the same way out.
static const double SAME_WAY = 0.999;
// The same of a normal on its way to the maximum near it.
static const double SAME_PEAK = 0.9;

// How much sideways a witness can be moved and still be on its surface: not at all on corners and edges, with a second
// order error on a smooth one.
static int smoothness(const ts_shape* s) {
    if (ts_support_is_polytope(s)) return 0;
    return ts_support_is_strictly_convex(s) ? 2 : 1;
}

// Puts the witnesses on one line along the normal so that they differ by exactly -distance * normal. What they differ by
// sideways (the root of what the bounds leave open) is taken up by the smoother surface, or by both.
static void straighten(const ts_shape_pair* pair, double core_distance, ts_proximity* out) {
    int order = smoothness(pair->a) - smoothness(pair->b);
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(out->found.point_a, out->found.point_b));
    if (order != 0) {
        ts_vec3 kept = order > 0 ? out->found.point_b : out->found.point_a;
        middle = ts_vec3_add_scaled(kept, ts_vec3_dot(ts_vec3_sub(middle, kept), out->found.normal), out->found.normal);
    }
    double half = 0.5 * core_distance;
    out->found.point_a = ts_vec3_add_scaled(middle, pair->a->radius - half, out->found.normal);
    out->found.point_b = ts_vec3_add_scaled(middle, half - pair->b->radius, out->found.normal);
}

// Sharpens a curved pair's answer in place.
static ts_polish_outcome polish(const ts_shape_pair* pair, ts_proximity* out) {
    ts_separation sharper = out->found;
    ts_polish_outcome outcome = ts_polish_normal(pair, &sharper);
    if (outcome != TS_POLISH_UNSETTLED) {
        out->flags |= TS_PROXIMITY_POLISHED;
    } else if (!(sharper.upper < out->found.upper) && out->found.upper > 0.0) {
        // Apart, the points are what proves the upper bound: new ones count only where they were looked up or prove a
        // better one.
        sharper.point_a = out->found.point_a;
        sharper.point_b = out->found.point_b;
    }
    out->found = sharper;
    return outcome;
}

// Copies what GJK knows of the cores.
static void take_gjk(const ts_gjk_result* gjk, ts_proximity* out) {
    out->status = gjk->status;
    out->gjk_iterations += gjk->iterations;
    out->support_calls += gjk->support_calls;
    out->switched_at = gjk->switched_at;
    out->found = gjk->found;
    // On a sliver of a simplex the projection can fall short of its own point; the points are the shapes' and do not.
    double apart = ts_vec3_distance(out->found.point_a, out->found.point_b);
    if (gjk->rank > 0 && apart > out->found.upper + 16.0 * DBL_EPSILON * gjk->scale) out->found.upper = apart;
}

static void take_epa(const ts_epa_result* epa, ts_proximity* out) {
    out->epa_iterations += epa->iterations;
    out->support_calls += epa->support_calls;
    if (epa->status == TS_EPA_FLAT) out->flags |= TS_PROXIMITY_FLAT | TS_PROXIMITY_NORMAL_FALLBACK;
    out->found = epa->found;
    if (out->rival >= 0.0 && epa->other_count) out->rival = fmax(epa->other[0].depth + epa->found.lower, 0.0);
}

static ts_gjk_settings settings_for(int curved, const ts_proximity_options* options, double balls) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.give_up_distance = options->give_up_distance + balls;
    settings.variant = options->variant;
    settings.start = options->start;
    settings.trace = options->trace;
    if (curved) settings.relative_tolerance = CURVED_TOLERANCE;
    return settings;
}

// Other ways out of a curved pair. Where they are too close to tell each gets its own Newton steps; one that turns out better becomes
// the answer where that is `open` to change. How much deeper they are counts where it was asked for.
static void meet_others(const ts_shape_pair* pair, const ts_epa_result* epa, int open, ts_proximity* out) {
    double depth = -out->found.lower, least = (double)INFINITY;
    ts_vec3 n = out->found.normal;
    for (int k = 0; k < epa->other_count; ++k) {
        double rival = epa->other[k].depth - depth;
        ts_separation other = out->found;
        other.normal = epa->other[k].normal;
        if (rival < TS_EPA_NEAR * depth) {
            other.lower = ts_shape_pair_gap(pair, other.normal, &other.point_a, &other.point_b);
            if (ts_polish_normal_near(pair, SAME_PEAK, &other) != TS_POLISH_UNSETTLED) {
                if (ts_vec3_dot(other.normal, n) > SAME_WAY) continue;
                rival = -other.lower - depth;
                if (open && other.lower > out->found.lower) out->found = other;
            }
        }
        least = fmin(least, fabs(rival));
    }
    if (out->rival >= 0.0) out->rival = fmin(least, ts_rival_around(pair, out->found.normal, -out->found.lower));
}

static int is_closed(const ts_proximity* p, double scale) {
    return isfinite(p->found.upper) &&
           p->found.upper - p->found.lower <= CURVED_GAP * p->found.upper + CURVED_ROUNDING * scale;
}

// Curved cores that overlapped or nearly touched last time along `previous`: polish that normal, then let EPA prove from
// around it that no other is better. Returns 0 when that does not settle everything.
static int query_curved_again(const ts_shape_pair* pair, ts_vec3 previous, double give_up_distance, ts_proximity* out,
                              double* out_scale) {
    out->found.normal = previous;
    ++out->support_calls;
    out->found.lower = ts_shape_pair_gap(pair, previous, &out->found.point_a, &out->found.point_b);
    ts_vec3 apart = ts_vec3_sub(out->found.point_b, out->found.point_a);
    if (!isfinite(out->found.lower)) return 0;
    *out_scale = ts_vec3_norm(out->found.point_a) + ts_vec3_norm(out->found.point_b);
    out->found.upper = out->found.lower > 0.0 ? ts_vec3_norm(apart) : (double)INFINITY;
    if (out->found.lower > give_up_distance) {
        out->status = TS_PROXIMITY_SEPARATED_EARLY;
        return 1;
    }
    ts_polish_outcome outcome = polish(pair, out);
    if (outcome == TS_POLISH_UNSETTLED) return 0;
    if (out->found.lower > 0.0) {
        if (!is_closed(out, *out_scale)) return 0;
        out->distance = out->found.upper;
        out->status = TS_PROXIMITY_SEPARATED;
        return 1;
    }
    ts_gjk_vertex touch = {
        ts_vec3_sub(out->found.point_a, out->found.point_b), out->found.point_a, out->found.point_b, -1, -1, 0.0};
    ts_epa_result epa;
    const ts_epa_settings asked = {CURVED_DEPTH, 0.0, out->rival >= 0.0, 0};
    if (!ts_epa_penetration_near(pair, out->found.normal, outcome == TS_POLISH_EXACT ? &touch : 0, &asked, out_scale,
                                 &epa))
        return 0;
    out->found.upper = epa.found.upper;
    out->epa_iterations += epa.iterations;
    out->support_calls += epa.support_calls;
    if (out->found.upper < out->found.lower)
        out->found.upper = out->found.lower;  // by rounding: the plane through the touching point
    if (epa.found.lower > out->found.lower + 8.0 * DBL_EPSILON * *out_scale) {
        // A better normal than last time's.
        take_epa(&epa, out);
        if (polish(pair, out) == TS_POLISH_UNSETTLED) return 0;
    }
    if (out->rival >= 0.0) meet_others(pair, &epa, 0, out);
    out->distance = out->found.lower;
    out->status = TS_PROXIMITY_PENETRATING;
    return 1;
}

// Polytopes, from last time's normal. Returns 0 when it neither separates nor leads EPA to the answer.
static int query_polytopes_again(const ts_shape_pair* pair, ts_vec3 previous, const ts_gjk_settings* settings,
                                 ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    ts_gjk_result gjk;
    ts_epa_result epa;
    const ts_epa_settings asked = {POLYTOPE_DEPTH, 0.0, out->rival >= 0.0, 0};
    cache->normal = previous;
    // What overlapped mostly does so still, over the same face.
    int overlapped = cache->distance < 0.0 && cache->rank == 3;
    if (overlapped) {
        ts_epa_corners corners = {3, {0, 0, 0}, {0, 0, 0}};
        memcpy(corners.a, cache->simplex_a, sizeof corners.a);
        memcpy(corners.b, cache->simplex_b, sizeof corners.b);
        overlapped = ts_epa_penetration_from(pair, previous, &corners, &asked, out_scale, &epa);
    }
    if (!overlapped && ts_gjk_distance_warm(pair, settings, cache, &gjk)) {
        if (gjk.status != TS_PROXIMITY_SEPARATED_EARLY && !(gjk.found.lower > 0.0)) return 0;
        take_gjk(&gjk, out);
        *out_scale = gjk.scale;
        out->distance = out->found.upper;
        return 1;
    }
    if (!overlapped && !ts_epa_penetration_near(pair, previous, 0, &asked, out_scale, &epa)) return 0;
    // At a touch GJK knows better where.
    if (-epa.found.lower <= TOUCH * *out_scale) return 0;
    take_epa(&epa, out);
    cache->rank = epa.nearest.count;
    for (int k = 0; k < 4; ++k) {
        cache->simplex_a[k] = k < epa.nearest.count ? epa.nearest.a[k] : 0;
        cache->simplex_b[k] = k < epa.nearest.count ? epa.nearest.b[k] : 0;
    }
    out->distance = out->found.lower;
    out->status = TS_PROXIMITY_PENETRATING;
    return 1;
}

// From what the pair remembers, if anything. Returns 0, with nothing but counts in *out, when that leads nowhere.
static int query_again(const ts_shape_pair* pair, int curved, ts_vec3 previous, const ts_gjk_settings* settings,
                       ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    if (!(ts_vec3_max_abs(previous) > 0.0) || settings->start != TS_GJK_START_AUTO) return 0;
    int done = curved ? query_curved_again(pair, previous, settings->give_up_distance, out, out_scale)
                      : query_polytopes_again(pair, previous, settings, cache, out, out_scale);
    out->flags = done ? out->flags | TS_PROXIMITY_WARM : 0;
    return done;
}

// Lets GJK go all the way from the normal there is, and keeps the better of both bounds.
static void close_apart(const ts_shape_pair* pair, ts_gjk_settings settings, ts_proximity* out) {
    ts_proximity known = *out;
    ts_gjk_result fine;
    settings.relative_tolerance = ts_gjk_settings_default().relative_tolerance;
    settings.variant = TS_GJK_AUTO;
    ts_gjk_restart(pair, &settings, known.found.normal, &fine);
    take_gjk(&fine, out);
    if (known.found.lower > out->found.lower) {
        out->found.lower = known.found.lower;
        out->found.normal = known.found.normal;
    }
    if (known.found.upper < out->found.upper) {
        out->found.upper = known.found.upper;
        out->found.point_a = known.found.point_a;
        out->found.point_b = known.found.point_b;
    }
    if (out->found.lower > out->found.upper) out->found.lower = out->found.upper;
}

// Signed distance of cores that lie apart, from where GJK stopped.
static void finish_apart(const ts_shape_pair* pair, int curved, ts_gjk_settings settings, const ts_gjk_result* gjk,
                         ts_proximity* out) {
    if (curved) polish(pair, out);
    // Where Newton did not close the gap (a kink it could not name).
    if (curved && !is_closed(out, gjk->scale)) {
        close_apart(pair, settings, out);
        polish(pair, out);
    }
    out->distance = out->found.upper;
}

static double curved_depth(const ts_shape_pair* pair) {
    int smooth = ts_support_is_strictly_convex(pair->a) || ts_support_is_strictly_convex(pair->b);
    return smooth ? CURVED_DEPTH : EDGED_DEPTH;
}

// A difference without interior that keeps away from the origin: apart, if only by so much less than its length that GJK's
// direction says nothing. Of the directions known the one counts whose plane proves most.
static void finish_thin(const ts_shape_pair* pair, const ts_gjk_result* gjk, ts_proximity* out) {
    ts_vec3 across = ts_vec3_unit_or(ts_vec3_sub(gjk->found.point_b, gjk->found.point_a), out->found.normal);
    const ts_vec3 choice[4] = {out->found.normal, ts_vec3_neg(out->found.normal), gjk->found.normal, across};
    out->found.lower = -(double)INFINITY;
    for (int k = 0; k < 4; ++k) {
        ts_vec3 n = ts_vec3_unit_or(choice[k], across), on_a, on_b;
        double gap = ts_shape_pair_gap(pair, n, &on_a, &on_b);
        if (!(gap > out->found.lower)) continue;
        out->found.lower = gap;
        out->found.normal = n;
    }
    out->found.upper = gjk->found.upper > out->found.lower ? gjk->found.upper : out->found.lower;
    out->found.point_a = gjk->found.point_a;
    out->found.point_b = gjk->found.point_b;
    out->distance = out->found.upper;
    out->status = TS_PROXIMITY_SEPARATED;
}

// Depth of cores that overlap or touch, from where GJK stopped.
static void finish_overlapping(const ts_shape_pair* pair, int curved, ts_vec3 previous, ts_gjk_settings settings,
                               const ts_gjk_result* gjk, ts_proximity* out) {
    ts_epa_settings asked = {curved ? curved_depth(pair) : POLYTOPE_DEPTH, 0.0, out->rival >= 0.0, settings.trace};
    ts_epa_result epa;
    ts_epa_penetration_by(pair, gjk, previous, &asked, &epa);
    take_epa(&epa, out);
    if (epa.status == TS_EPA_FLAT && gjk->found.upper > THIN * gjk->scale) {
        finish_thin(pair, gjk, out);
        return;
    }
    if (curved && polish(pair, out) == TS_POLISH_UNSETTLED) {
        // A kink that Newton could not name; from nearer by it can, or need not.
        asked.relative_tolerance = FINE_DEPTH;
        ts_epa_penetration_by(pair, gjk, previous, &asked, &epa);
        if (epa.found.lower >= out->found.lower) {
            take_epa(&epa, out);
            polish(pair, out);
        }
    }
    if (curved) meet_others(pair, &epa, 1, out);
    if (out->found.lower > 16.0 * DBL_EPSILON * gjk->scale && out->found.lower < gjk->found.upper) {
        // They are apart after all, by less than GJK could tell. A polytope that leaves the origin outside proves no upper
        // bound; two points do.
        out->found.upper = gjk->found.upper;
        out->found.point_a = gjk->found.point_a;
        out->found.point_b = gjk->found.point_b;
        if (!is_closed(out, gjk->scale)) close_apart(pair, settings, out);
        out->distance = out->found.upper;
        out->status = TS_PROXIMITY_SEPARATED;
        return;
    }
    // At a touch many faces pass the origin, and rounding chooses among them; GJK's points belong to both shapes and meet.
    double near = TOUCH * gjk->scale;
    if (out->found.lower >= -near && ts_vec3_distance(gjk->found.point_a, gjk->found.point_b) <= near) {
        out->found.point_a = gjk->found.point_a;
        out->found.point_b = gjk->found.point_b;
    }
    out->distance = out->found.lower;
    // Only where the iterations ran out on both counts is there no answer to full accuracy.
    if (gjk->status != TS_PROXIMITY_LIMIT || epa.status == TS_EPA_CONVERGED) out->status = TS_PROXIMITY_PENETRATING;
}

// The same by incremental depth, from the normal remembered or GJK's. That no better normal exists is not proven, so all
// that is certain from the other side is that the cores overlap.
static void finish_incremental(const ts_shape_pair* pair, ts_vec3 previous, const ts_gjk_result* gjk,
                               ts_proximity_trace* trace, ts_proximity* out) {
    ts_penetration_settings settings = ts_penetration_settings_default();
    settings.relative_tolerance = INCREMENTAL_TOLERANCE;
    settings.proof = TS_PENETRATION_ASSUME_OVERLAP;
    settings.trace = trace;
    int known = ts_vec3_max_abs(previous) > 0.0;
    if (known) settings.start = TS_PENETRATION_START_PREVIOUS;
    ts_penetration_result found;
    ts_penetration_incremental(pair, known ? previous : gjk->found.normal, &settings, 0, &found);
    out->sqp_iterations += found.outer + found.inner;
    out->support_calls += found.support_calls;
    if (found.status == TS_PENETRATION_INVALID_INPUT) {
        out->status = TS_PROXIMITY_INVALID_INPUT;
        return;
    }
    out->found = found.found;
    out->found.upper = fmax(gjk->found.upper, out->found.lower);
    out->distance = out->found.lower;
    out->status = found.status == TS_PENETRATION_LIMIT ? TS_PROXIMITY_LIMIT : TS_PROXIMITY_PENETRATING;
}

// Last time's normal, or zero.
static ts_vec3 previous_normal(const ts_gjk_cache* cache) {
    if (!cache || !ts_vec3_is_finite(cache->normal)) return ts_vec3_zero();
    return ts_vec3_unit_or(cache->normal, ts_vec3_zero());
}

// What is left of the cache when its normal has been tried in vain: hints and simplex.
static ts_gjk_cache without_normal(const ts_gjk_cache* cache) {
    ts_gjk_cache rest = cache ? *cache : ts_gjk_cache_none();
    rest.normal = ts_vec3_zero();
    return rest;
}

// The narrow phase that most engines have: GJK until the gap of its duality says that the nearest point is known to the tolerance,
// EPA until its bounds are that close, and no more. Nothing is taken up from last time but hints at vertices.
static void query_loosely(const ts_shape_pair* pair, double balls, const ts_proximity_options* options,
                          ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    ts_gjk_settings settings = settings_for(0, options, balls);
    ts_gjk_cache hints = without_normal(cache);
    ts_vec3 previous = previous_normal(cache);
    ts_gjk_result gjk;
    settings.gap_tolerance = options->tolerance * options->tolerance;
    ts_gjk_distance(pair, &settings, &hints, &gjk);
    if (gjk.status == TS_PROXIMITY_LIMIT || (gjk.status == TS_PROXIMITY_SEPARATED && !(gjk.found.lower > 0.0))) {
        // Nearer than the tolerance, or overlapping by anything: that has to be known.
        take_gjk(&gjk, out);
        settings.gap_tolerance = 0.0;
        ts_gjk_distance(pair, &settings, &hints, &gjk);
    }
    take_gjk(&gjk, out);
    *out_scale = gjk.scale;
    if (gjk.status == TS_PROXIMITY_INVALID_INPUT) return;
    if (cache) *cache = hints;
    if (gjk.status == TS_PROXIMITY_SEPARATED_EARLY) return;
    out->distance = out->found.upper;
    if (gjk.found.lower > 0.0) return;
    ts_epa_result epa;
    const ts_epa_settings asked = {POLYTOPE_DEPTH, options->tolerance, options->rivals, options->trace};
    ts_epa_penetration_by(pair, &gjk, previous, &asked, &epa);
    take_epa(&epa, out);
    out->distance = out->found.lower;
}

// Signed distance of the cores; overlap by EPA. Leaves in *out_scale what rounding is relative to.
static void query_cores(const ts_shape_pair* pair, double balls, const ts_proximity_options* options,
                        ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    ts_vec3 previous = previous_normal(cache);
    const ts_pair_method* method = ts_pair_method_of(pair->a->kind, pair->b->kind);
    int curved = !ts_support_is_polytope(pair->a) || !ts_support_is_polytope(pair->b);
    if (options->tolerance > 0.0 && options->goal == TS_PROXIMITY_DISTANCE && (curved || !method->distance)) {
        query_loosely(pair, balls, options, cache, out, out_scale);
        return;
    }
    if (method->distance && (options->method == TS_PROXIMITY_AUTO || options->method == TS_PROXIMITY_SAT) &&
        method->distance(pair, previous, options->give_up_distance + balls, out, out_scale))
        return;
    ts_gjk_settings settings = settings_for(curved, options, balls);
    if (options->method == TS_PROXIMITY_INCREMENTAL) settings.start = TS_GJK_START_PREVIOUS;
    if (cache && query_again(pair, curved, previous, &settings, cache, out, out_scale)) return;
    ts_gjk_cache hints = cache && settings.start != TS_GJK_START_AUTO ? *cache : without_normal(cache);
    ts_gjk_result gjk;
    ts_gjk_distance(pair, &settings, &hints, &gjk);
    if (gjk.status == TS_PROXIMITY_INVALID_INPUT || gjk.status == TS_PROXIMITY_LIMIT) {
        // Once more, plainly and from nothing: what the cache held or the momentum did is no fault of the pair.
        take_gjk(&gjk, out);
        hints = ts_gjk_cache_none();
        settings.variant = TS_GJK_VANILLA;
        settings.start = TS_GJK_START_CENTRES;
        ts_gjk_distance(pair, &settings, &hints, &gjk);
    }
    if (cache && gjk.status != TS_PROXIMITY_INVALID_INPUT) *cache = hints;
    take_gjk(&gjk, out);
    *out_scale = gjk.scale;
    if (gjk.status == TS_PROXIMITY_INVALID_INPUT || gjk.status == TS_PROXIMITY_SEPARATED_EARLY) return;
    if (gjk.found.lower > 0.0)
        finish_apart(pair, curved, settings, &gjk, out);
    else if (options->method == TS_PROXIMITY_INCREMENTAL)
        finish_incremental(pair, previous, &gjk, options->trace, out);
    else
        finish_overlapping(pair, curved, previous, settings, &gjk, out);
}

// What the pair remembers of this answer: of the cores, since that is where the next search begins.
static void remember(const ts_shape_pair* pair, const ts_proximity* cores, ts_gjk_cache* cache) {
    cache->normal = cores->found.normal;
    cache->distance = cores->distance;
    cache->point_a = cores->found.point_a;
    cache->point_b = ts_transform_point_inverse(&pair->b_in_a, cores->found.point_b);
}

// Only whether the shapes come within the margin, by what the pair's own method knows. Returns 0 when that stayed open.
static int query_verdict_directly(const ts_shape_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                                  ts_proximity* out) {
    const ts_pair_method* method = ts_pair_method_of(pair->a->kind, pair->b->kind);
    if (!method->verdict || options->method != TS_PROXIMITY_AUTO || !(options->margin >= 0.0)) return 0;
    double balls = ts_shape_pair_balls(pair);
    ts_pair_verdict verdict = method->verdict(pair, previous_normal(cache), balls + options->margin, &out->found);
    if (verdict == TS_PAIR_OPEN) return 0;
    int apart = verdict == TS_PAIR_APART;
    out->status = apart ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_OVERLAP_EARLY;
    if (out->found.upper < out->found.lower) out->found.lower = out->found.upper;
    out->found.lower -= balls;
    out->found.upper -= balls;
    out->distance = apart ? out->found.lower : out->found.upper;
    out->found.point_a = out->found.point_b = ts_vec3_zero();
    if (cache) cache->normal = out->found.normal;
    return 1;
}

// The same by GJK.
static int query_verdict(const ts_shape_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                         ts_proximity* out) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.variant = options->variant;
    settings.start = options->start;
    ts_gjk_result gjk;
    ts_gjk_overlap(pair, options->margin, &settings, cache, &gjk);
    take_gjk(&gjk, out);
    double size = gjk.scale + pair->a->radius + pair->b->radius + fabs(options->margin),
           rounding = 8.0 * DBL_EPSILON * size;
    switch (out->status) {
    case TS_PROXIMITY_SEPARATED_EARLY:
        if (!(out->found.lower > options->margin)) return 0;
        out->distance = out->found.lower;
        out->found.upper = (double)INFINITY;
        return 1;
    case TS_PROXIMITY_TOUCHING:
        // An origin on the simplex need not be on the surface: touching is proven by a plane that says so.
        if (out->found.lower >= options->margin - rounding) {
            out->distance = out->found.lower;
            return out->found.upper <= options->margin + rounding;
        }
        if (!(out->found.upper <= options->margin + rounding)) return 0;
        out->found.upper = options->margin + rounding;
        break;
    case TS_PROXIMITY_OVERLAP_EARLY:
        // On a sliver of a simplex its nearest point is not known to the last digits.
        if (!(out->found.upper < options->margin - VERDICT_DOUBT * size)) return 0;
        break;
    case TS_PROXIMITY_PENETRATING: break;
    default: return 0;
    }
    out->status = TS_PROXIMITY_OVERLAP_EARLY;
    out->distance = out->found.upper;
    return 1;
}

// A verdict that fell back on the distance, with bounds on both sides of the margin, has proven nothing: once more, plainly
// and from nothing, and the narrower bounds count.
static void settle_verdict(const ts_shape_pair* pair, double balls, const ts_proximity_options* options,
                           ts_proximity* out, double* out_scale) {
    double margin = options->margin + balls;
    if (!(out->found.lower <= margin && margin < out->found.upper)) return;
    if (out->found.upper - out->found.lower <= 8.0 * DBL_EPSILON * (*out_scale + balls)) return;
    ts_proximity_options plain = *options;
    plain.variant = TS_GJK_AUTO;
    plain.start = TS_GJK_START_AUTO;
    ts_proximity again;
    double scale = *out_scale;
    ts_proximity_reset(&again);
    query_cores(pair, balls, &plain, 0, &again, &scale);
    again.gjk_iterations += out->gjk_iterations;
    again.epa_iterations += out->epa_iterations;
    again.sqp_iterations += out->sqp_iterations;
    again.support_calls += out->support_calls;
    if (again.status == TS_PROXIMITY_INVALID_INPUT ||
        again.found.upper - again.found.lower >= out->found.upper - out->found.lower)
        return;
    *out = again;
    *out_scale = scale;
}

void ts_core_pair_query(const ts_shape_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                        ts_proximity* out) {
    if (options->goal == TS_PROXIMITY_VERDICT) {
        if (query_verdict_directly(pair, options, cache, out)) return;
        if (query_verdict(pair, options, cache, out)) return;
    }
    double balls = ts_shape_pair_balls(pair), scale = 0.0;
    if (options->rivals) out->rival = (double)INFINITY;
    query_cores(pair, balls, options, cache, out, &scale);
    if (options->method == TS_PROXIMITY_INCREMENTAL && out->distance < 0.0) out->rival = -1.0;  // a local search
    if (out->status == TS_PROXIMITY_INVALID_INPUT) return;
    if (options->goal == TS_PROXIMITY_VERDICT) settle_verdict(pair, balls, options, out, &scale);
    if (out->status == TS_PROXIMITY_SEPARATED_EARLY) out->distance = out->found.lower;
    if (cache) remember(pair, out, cache);
    straighten(pair, out->distance, out);
    out->found.lower -= balls;
    out->found.upper -= balls;
    out->distance -= balls;
    // Bounds that met in the last iteration allowed have met; so have those of a touch that both say so.
    double whole = scale + balls, off = fmax(fabs(out->found.lower), fabs(out->found.upper));
    if (out->status == TS_PROXIMITY_LIMIT && off <= TOUCH * whole) {
        out->status = TS_PROXIMITY_TOUCHING;
        return;
    }
    if (out->status == TS_PROXIMITY_LIMIT && out->found.upper - out->found.lower > CURVED_ROUNDING * whole) return;
    if (out->status == TS_PROXIMITY_SEPARATED_EARLY) return;
    if (fabs(out->distance) <= 8.0 * DBL_EPSILON * whole)
        out->status = TS_PROXIMITY_TOUCHING;
    else
        out->status = out->distance > 0.0 ? TS_PROXIMITY_SEPARATED : TS_PROXIMITY_PENETRATING;
}
