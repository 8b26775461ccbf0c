// Asking a broad phase: what overlaps a box, what does a ray meet, what is near.
//
// The trees hold enlarged boxes; each candidate is checked with the box as it is now, so answers are exact. Boxes that
// are in no tree (without ends, or when there are only a few at all) are looked at one by one.
#include "collision/broad/broad_phase_internal.h"

typedef struct wrapped {
    const ts_bounds* bounds;
    ts_box box;
    ts_vec3 from, direction;
    ts_box_visit visit;
    ts_box_ray_visit visit_ray;
    void* context;
} wrapped;

static int box_visit(void* context, int item) {
    const wrapped* w = (const wrapped*)context;
    const ts_bounds* b = &w->bounds[item];
    ts_bounds box = *b;
    box.min = w->box.min;
    box.max = w->box.max;
    return !ts_bounds_valid(b) || !ts_bounds_meet(b, &box) || w->visit(w->context, item);
}

// Nonzero for boxes that the trees do not know.
static int is_outside(const ts_broad_phase* broad, int i) {
    return broad->count == 0 || broad->stale || broad->state[i] < TS_BOX_STILL;
}

int ts_broad_phase_overlap(const ts_broad_phase* broad, const ts_bounds* bounds, ts_box box, ts_box_visit visit,
                           void* context) {
    wrapped w = {.bounds = bounds, .box = box, .visit = visit, .context = context};
    for (int i = 0; i < broad->seen; ++i)
        if (is_outside(broad, i) && !box_visit(&w, i)) return 0;
    if (broad->stale) return 1;
    return ts_box_tree_overlap(&broad->tree[0], box, box_visit, &w) &&
           ts_box_tree_overlap(&broad->tree[1], box, box_visit, &w);
}

// The parameter at which the ray enters the box, or -1 when it misses it up to `limit`.
static double ray_enter(const ts_bounds* b, ts_vec3 from, ts_vec3 direction, double limit) {
    double enter = 0.0, leave = limit;
    if (!ts_bounds_valid(b)) return -1.0;
    for (int k = 0; k < 3; ++k) {
        double low = ts_vec3_get(b->min, k) - ts_vec3_get(from, k),
               high = ts_vec3_get(b->max, k) - ts_vec3_get(from, k);
        double d = ts_vec3_get(direction, k), inverse = 1.0 / d;
        if (!isfinite(inverse)) {
            if (!(low <= 0.0 && high >= 0.0)) return -1.0;
            continue;
        }
        double near = (d > 0.0 ? low : high) * inverse, far = (d > 0.0 ? high : low) * inverse;
        near -= fabs(near) * 0x1p-50;
        far += fabs(far) * 0x1p-50;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave ? enter : -1.0;
}

static double ray_visit(void* context, int item, double enter, double limit) {
    const wrapped* w = (const wrapped*)context;
    double exact = ray_enter(&w->bounds[item], w->from, w->direction, limit);
    (void)enter;
    return exact >= 0.0 ? w->visit_ray(w->context, item, exact, limit) : limit;
}

double ts_broad_phase_ray(const ts_broad_phase* broad, const ts_bounds* bounds, ts_vec3 from, ts_vec3 direction,
                          double limit, ts_box_ray_visit visit, void* context) {
    wrapped w = {.bounds = bounds, .from = from, .direction = direction, .visit_ray = visit, .context = context};
    if (!ts_vec3_is_finite(from) || !ts_vec3_is_finite(direction)) return limit;
    for (int i = 0; i < broad->seen && limit >= 0.0; ++i)
        if (is_outside(broad, i)) limit = ray_visit(&w, i, 0.0, limit);
    for (int t = 0; t < 2 && limit >= 0.0 && !broad->stale; ++t)
        limit = ts_box_tree_ray(&broad->tree[t], from, direction, limit, ray_visit, &w);
    return limit;
}

static double near_visit(void* context, int item, double lower, double limit) {
    const wrapped* w = (const wrapped*)context;
    const ts_bounds* b = &w->bounds[item];
    double squared = 0.0;
    (void)lower;
    if (!ts_bounds_valid(b)) return limit;
    for (int k = 0; k < 3; ++k) {
        double below = ts_vec3_get(b->min, k) - ts_vec3_get(w->box.max, k);
        double above = ts_vec3_get(w->box.min, k) - ts_vec3_get(b->max, k);
        double gap = below > above ? below : above;
        if (gap > 0.0) squared += gap * gap;
    }
    double distance = sqrt(squared) * (1.0 - 0x1p-49);
    return distance <= limit ? w->visit_ray(w->context, item, distance, limit) : limit;
}

double ts_broad_phase_nearest(const ts_broad_phase* broad, const ts_bounds* bounds, ts_box box, double limit,
                              ts_box_nearest_visit visit, void* context) {
    wrapped w = {.bounds = bounds, .box = box, .visit_ray = visit, .context = context};
    if (!(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z)) return limit;
    for (int i = 0; i < broad->seen && limit >= 0.0; ++i)
        if (is_outside(broad, i)) limit = near_visit(&w, i, 0.0, limit);
    for (int t = 0; t < 2 && limit >= 0.0 && !broad->stale; ++t)
        limit = ts_box_tree_nearest(&broad->tree[t], box, limit, near_visit, &w);
    return limit;
}
