// When incremental depth may be trusted.
//
// Problem: the depth as a function of the direction has many minima, and a search that follows it sees one. Measured on
// random overlapping boxes, the search ends in a wrong minimum in a third of all cases from the centres, in one of
// thirteen from a start 25 degrees off, never from the exact last normal; on ellipsoids in one of a hundred from the
// centres. EPA, which grows a polytope inscribed in all of A - B, does not err, and on polytopes costs the same.
//
// Policy, in this order:
//   1. Two polytopes: EPA. The search is never their only method.
//   2. A curved pair of which nothing is remembered: EPA, to a few digits, then Newton's method on its normal.
//   3. A curved pair that is remembered: the search from the last normal and the last portal, to a few digits, then
//      Newton. Its answer stands unless one of these says that another minimum may have become the lowest:
//      - it did not converge, or the depth grew by more than a fifth since last time;
//      - it is the turn of EPA: every 16th answer, so that a switch of minima without growth is found before long.
//        A caller that keeps no count sets age to -1: then the bits of the pose decide, one pose in 16 on average.
//      Then EPA runs as well and the shallower of the two answers counts.
// Guaranteed: depth_upper is attained by the normal whichever way it came; depth_lower is EPA's where it ran, else 0.
// Known limit: between two turns of EPA a curved pair may follow a minimum that is no longer the lowest one; it then
// over-estimates the depth, by less than a fifth of growth per query.
#include "collision/distance/penetration/penetration.h"

#include "collision/distance/penetration/epa.h"
#include "collision/distance/penetration/polish.h"
#include "collision/distance/proximity_internal.h"

#include <stdint.h>
#include <string.h>

enum { EPA_EVERY = 16 };

// Growth that calls EPA: more than this factor, and more than this part of the size of A - B, below which the minima of
// a shallow pair do not trade places.
static const double GROWTH = 1.2, GROWTH_FLOOR = 1e-3;

// Of the size, respectively the depth: enough for Newton's method to finish, and for pairs that it does not settle.
static const double COARSE = 1e-4, FINE = 1e-9, COARSE_DEPTH = 1e-3, FINE_DEPTH = 1e-9;

static int turn_of_epa(const ts_penetration_memory* memory, const ts_transform* pose) {
    if (memory->age >= 0) return memory->age + 1 >= EPA_EVERY;
    const double number[4] = {pose->p.x, pose->p.y, pose->p.z, pose->R.m[0][1]};
    uint64_t mixed = 0;
    for (int i = 0; i < 4; ++i) {
        uint64_t bits;
        memcpy(&bits, &number[i], sizeof bits);
        mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15u;
        mixed ^= mixed >> 29;
    }
    return mixed % EPA_EVERY == 0;
}

// Newton's method on an answer; 1 when its normal is settled. Never makes the depth larger by more than rounding.
static int polish(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_penetration_result* found) {
    ts_polish_state state = {-found->depth_upper, -found->depth_lower, found->normal, found->point_a, found->point_b};
    ts_polish_outcome outcome = ts_polish_normal(a, b, pose, &state);
    found->depth_upper = -state.lower;
    found->normal = state.normal;
    found->point_a = state.point_a;
    found->point_b = state.point_b;
    return outcome != TS_POLISH_UNSETTLED;
}

static void search(const ts_shape* a, const ts_shape* b, const ts_transform* pose, const ts_gjk_result* overlap,
                   ts_penetration_memory* memory, ts_penetration_result* found) {
    ts_penetration_settings settings = ts_penetration_settings_default();
    settings.start = TS_PENETRATION_START_PREVIOUS;
    settings.relative_tolerance = COARSE;
    if (overlap) settings.proof = TS_PENETRATION_ASSUME_OVERLAP;
    ts_penetration_incremental(a, b, pose, memory->normal, &settings, &memory->portal, found);
    if (found->status != TS_PENETRATION_CONVERGED || polish(a, b, pose, found)) return;
    ts_penetration_result coarse = *found;
    settings.relative_tolerance = FINE;
    ts_penetration_incremental(a, b, pose, coarse.normal, &settings, &memory->portal, found);
    found->outer += coarse.outer;
    found->inner += coarse.inner;
    found->support_calls += coarse.support_calls;
}

// EPA's answer in the same form. SEPARATED when GJK, asked because nobody had, says so.
static void expand(const ts_shape* a, const ts_shape* b, const ts_transform* pose, const ts_gjk_result* overlap,
                   ts_vec3 previous, ts_penetration_answer* answer) {
    ts_penetration_result* found = &answer->found;
    ts_gjk_result gjk;
    found->outer = found->inner = found->support_calls = 0;
    if (!overlap) {
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_distance(a, b, pose, &settings, 0, &gjk);
        overlap = &gjk;
        found->support_calls = gjk.support_calls;
    }
    found->scale = overlap->scale;
    found->normal = found->ray = overlap->normal;
    found->point_a = overlap->point_a;
    found->point_b = overlap->point_b;
    found->depth_upper = -overlap->lower;
    found->depth_lower = -(double)INFINITY;
    found->depth_ray = 0.0;
    if (overlap->status == TS_PROXIMITY_INVALID_INPUT) {
        found->status = TS_PENETRATION_INVALID_INPUT;
        return;
    }
    if (overlap->status != TS_PROXIMITY_PENETRATING && overlap->status != TS_PROXIMITY_TOUCHING) {
        found->status = overlap->lower > 0.0 ? TS_PENETRATION_SEPARATED : TS_PENETRATION_LIMIT;
        return;
    }
    int curved = !(ts_support_is_polytope(a) && ts_support_is_polytope(b));
    double tolerance = curved ? COARSE_DEPTH : FINE_DEPTH;
    for (;;) {
        ts_epa_result epa;
        ts_epa_penetration_to(a, b, pose, overlap, previous, tolerance, &epa);
        answer->iterations_epa += epa.iterations;
        found->status = epa.status == TS_EPA_CONVERGED ? TS_PENETRATION_CONVERGED
                        : epa.status == TS_EPA_FLAT    ? TS_PENETRATION_TOUCHING
                                                       : TS_PENETRATION_LIMIT;
        found->depth_upper = epa.depth_upper;
        found->depth_lower = epa.depth_lower;
        found->depth_ray = epa.depth_lower;
        found->normal = found->ray = epa.normal;
        found->point_a = epa.point_a;
        found->point_b = epa.point_b;
        if (!curved || epa.status == TS_EPA_FLAT || polish(a, b, pose, found) || tolerance == FINE_DEPTH) return;
        tolerance = FINE_DEPTH;
    }
}

static void remember(const ts_penetration_answer* answer, ts_penetration_memory* memory) {
    const ts_penetration_result* found = &answer->found;
    int overlap = found->status != TS_PENETRATION_SEPARATED && found->status != TS_PENETRATION_INVALID_INPUT;
    memory->known = overlap;
    if (!overlap) {
        memory->portal.count = 0;
        return;
    }
    memory->normal = found->normal;
    memory->depth = found->depth_upper;
    if (memory->age >= 0) memory->age = answer->source == TS_PENETRATION_FROM_INCREMENTAL ? memory->age + 1 : 0;
}

void ts_penetration_query(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a,
                          const ts_gjk_result* overlap, ts_penetration_memory* memory, ts_penetration_answer* out) {
    int polytopes = ts_support_is_polytope(a) && ts_support_is_polytope(b);
    ts_vec3 previous = memory && memory->known ? memory->normal : ts_vec3_zero();
    out->iterations_epa = 0;
    out->source = TS_PENETRATION_FROM_EPA;
    int searched = 0;
    if (!polytopes && memory && memory->known) {
        search(a, b, b_in_a, overlap, memory, &out->found);
        const ts_penetration_result* found = &out->found;
        out->source = TS_PENETRATION_FROM_INCREMENTAL;
        int certain = found->status == TS_PENETRATION_SEPARATED || found->status == TS_PENETRATION_TOUCHING ||
                      found->status == TS_PENETRATION_INVALID_INPUT;
        int calm = found->status == TS_PENETRATION_CONVERGED && found->depth_lower >= 0.0 &&
                   found->depth_upper <= GROWTH * memory->depth + GROWTH_FLOOR * found->scale;
        if (certain || (calm && !turn_of_epa(memory, b_in_a))) {
            remember(out, memory);
            return;
        }
        searched = 1;
    }
    ts_penetration_result tried;
    if (searched) tried = out->found;
    expand(a, b, b_in_a, overlap, previous, out);
    if (searched) {
        out->source = TS_PENETRATION_FROM_BOTH;
        ts_penetration_result* found = &out->found;
        found->outer += tried.outer;
        found->inner += tried.inner;
        found->support_calls += tried.support_calls;
        if (tried.depth_upper < found->depth_upper && found->status != TS_PENETRATION_SEPARATED) {
            tried.depth_lower = found->depth_lower < tried.depth_upper ? found->depth_lower : tried.depth_upper;
            tried.outer = found->outer;
            tried.inner = found->inner;
            tried.support_calls = found->support_calls;
            *found = tried;
        }
    }
    if (memory) remember(out, memory);
}
