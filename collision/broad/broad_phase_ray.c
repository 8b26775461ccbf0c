// Asking a broad phase what a ray meets.
//
// The trees hold enlarged boxes; each candidate is checked with the box as it is now, so answers are exact. Boxes that
// are in no tree (without ends, or when there are only a few at all) are looked at one by one.
#include "collision/broad/broad_phase_internal.h"

typedef struct wrapped {
    const ts_bounds* bounds;
    ts_box_ray ray;
    ts_box_ray_visit visit;
    void* context;
} wrapped;

static double ray_visit(void* context, int item, double enter, double limit) {
    const wrapped* w = (const wrapped*)context;
    const ts_bounds* b = &w->bounds[item];
    double low[3], high[3];
    (void)enter;
    if (!ts_bounds_valid(b)) return limit;
    ts_vec3_store(b->min, low);
    ts_vec3_store(b->max, high);
    double exact = ts_box_ray_enter(&w->ray, low, high, limit);
    return exact >= 0.0 ? w->visit(w->context, item, exact, limit) : limit;
}

// Nonzero for boxes that the trees do not know.
static int is_outside(const ts_broad_phase* broad, int i) {
    return broad->count == 0 || broad->stale || broad->state[i] < TS_BOX_STILL;
}

double ts_broad_phase_ray(const ts_broad_phase* broad, const ts_bounds* bounds, ts_vec3 from, ts_vec3 direction,
                          double limit, ts_box_ray_visit visit, void* context) {
    wrapped w = {bounds, ts_box_ray_make(from, direction), visit, context};
    if (!ts_vec3_is_finite(from) || !ts_vec3_is_finite(direction)) return limit;
    for (int i = 0; i < broad->seen && limit >= 0.0; ++i)
        if (is_outside(broad, i)) limit = ray_visit(&w, i, 0.0, limit);
    for (int t = 0; t < 2 && limit >= 0.0 && !broad->stale; ++t)
        limit = ts_box_tree_ray(&broad->tree[t], from, direction, limit, ray_visit, &w);
    return limit;
}
