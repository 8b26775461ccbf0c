// Where GJK begins: a first direction, or a whole simplex remembered from last time.
//
// Rule: any direction will do for correctness, so whatever a cache holds is checked only for being usable: finite, not
// zero, an index in range. The published strategies (Montaut et al., "GJK++", 2023) start from the last separation vector
// or from the last witnesses carried along by the bodies; after an overlap those point the other way than the direction
// GJK needs, because a penetration vector leads out of the overlap. The corrected strategies turn them round; the ones
// named PAPER do not, and are there to reproduce published counts.
// Guaranteed: a direction that is finite and not zero.
#include "collision/distance/gjk/gjk_internal.h"

static int is_direction(ts_vec3 d) { return ts_vec3_is_finite(d) && ts_vec3_max_abs(d) > 0.0; }

ts_vec3 ts_gjk_centre_difference(const ts_gjk_run* run) {
    ts_vec3 x = ts_vec3_sub(ts_shape_middle(run->pair->a),
                            ts_transform_point(&run->pair->b_in_a, ts_shape_middle(run->pair->b)));
    return is_direction(x) ? x : ts_vec3_make(1.0, 0.0, 0.0);
}

// Last time's vertices at the present pose. Returns 0, with nothing in the run, when one of them does not exist.
static int begin_with_simplex(ts_gjk_run* run, const ts_gjk_cache* cache, ts_vec3* out_d) {
    if (cache->rank < 1 || cache->rank > 4) return 0;
    double largest = 0.0;
    for (int i = 0; i < cache->rank; ++i) {
        ts_gjk_vertex* v = &run->store[i];
        if (!ts_support_vertex(run->pair->a, cache->simplex_a[i], &v->a) ||
            !ts_support_vertex(run->pair->b, cache->simplex_b[i], &v->b))
            return 0;
        v->b = ts_transform_point(&run->pair->b_in_a, v->b);
        v->w = ts_vec3_sub(v->a, v->b);
        v->index_a = cache->simplex_a[i];
        v->index_b = cache->simplex_b[i];
        run->key[i] = ts_gjk_key(v->index_a, v->index_b);
        double size = ts_vec3_norm_squared(v->w);
        if (!isfinite(size)) return 0;
        largest = size > largest ? size : largest;
        run->feature->slot[i] = i;
    }
    ts_gjk_feature* next = ts_gjk_other_room(run);
    run->feature->rank = cache->rank;
    int named = ts_gjk_project_robustly(run, -1, next);
    run->feature->rank = 0;
    run->feature->mask = 0;
    // A simplex around the origin would end the search before it began; the search shall prove an overlap itself.
    if (!named || next->rank == 4) return 0;
    run->feature = next;
    run->scale_squared = largest;
    *out_d = next->d;
    return 1;
}

int ts_gjk_begin(ts_gjk_run* run, ts_gjk_start start, const ts_gjk_cache* cache, ts_vec3* out_d) {
    ts_vec3 d = ts_vec3_zero();
    if (start == TS_GJK_START_NONE) d = ts_vec3_make(1.0, 0.0, 0.0);
    if (cache) {
        double turned = cache->distance < 0.0 ? -1.0 : 1.0;
        switch (start) {
        case TS_GJK_START_SIMPLEX:
            if (begin_with_simplex(run, cache, out_d)) return 1;
            d = ts_vec3_neg(cache->normal);
            break;
        case TS_GJK_START_AUTO:
        case TS_GJK_START_PREVIOUS: d = ts_vec3_neg(cache->normal); break;
        case TS_GJK_START_PREVIOUS_PAPER:
            d = ts_vec3_scale(cache->distance != 0.0 ? -cache->distance : -1.0, cache->normal);
            break;
        case TS_GJK_START_WITNESSES:
        case TS_GJK_START_WITNESSES_PAPER:
            // Without a normal there was no last time.
            if (!is_direction(cache->normal)) break;
            d = ts_vec3_sub(cache->point_a, ts_transform_point(&run->pair->b_in_a, cache->point_b));
            if (start == TS_GJK_START_WITNESSES) d = ts_vec3_scale(turned, d);
            break;
        default: break;
        }
    }
    int known = is_direction(d);
    *out_d = known ? d : ts_gjk_centre_difference(run);
    // Squares and products of a damaged cache's lengths would vanish or overflow, and prove anything.
    if (known && !ts_support_is_tame(ts_vec3_norm_squared(d))) *out_d = ts_vec3_unit_or(d, ts_vec3_make(1.0, 0.0, 0.0));
    return known;
}
