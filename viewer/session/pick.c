// Problem: which body is meant by a place on the screen. Rule: the ray through it against every shape that is drawn, by ts_proximity_ray;
// boxes around shapes spare most of the queries. Guaranteed: the nearest shape that the ray meets. Known to fail: a ray that grazes a
// shape may miss it.
#include "viewer/session/pick_internal.h"

#include "collision/distance/proximity.h"
#include "scenes/scene_look.h"

#include <math.h>

// Whether a ray comes near a box within `most`. Endless boxes are always near.
static int near_box(ts_vec3 low, ts_vec3 high, ts_vec3 from, ts_vec3 direction, double most) {
    double begin = 0.0, end = most;
    for (int k = 0; k < 3; ++k) {
        double d = ts_vec3_get(direction, k), p = ts_vec3_get(from, k);
        double a = ts_vec3_get(low, k), b = ts_vec3_get(high, k);
        if (!isfinite(a) || !isfinite(b)) continue;
        if (fabs(d) < 1e-300) {
            if (p < a || p > b) return 0;
            continue;
        }
        double t0 = (a - p) / d, t1 = (b - p) / d;
        begin = fmax(begin, fmin(t0, t1));
        end = fmin(end, fmax(t0, t1));
    }
    return begin <= end;
}

ts_pick ts_pick_ray(const ts_sim* sim, ts_vec3 from, ts_vec3 direction, int looks) {
    const ts_model* model = sim->model;
    ts_pick found = {-1, -1, HUGE_VAL, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int g = 0; g < model->geom_count; ++g) {
        const ts_geom* geom = &model->geom[g];
        const ts_transform* placed = ts_kinematics_geom(&sim->kinematics, g);
        if (ts_scene_look_is_hidden(model, g, !looks)) continue;
        ts_vec3 low, high, normal;
        ts_shape_bounds(&geom->shape, placed, &low, &high);
        if (!near_box(low, high, from, direction, found.distance)) continue;
        double t = ts_proximity_ray(&geom->shape, placed, from, direction, &normal);
        if (!(t >= 0.0) || t >= found.distance) continue;
        found.geom = g;
        found.body = geom->body;
        found.distance = t;
        found.normal = normal;
    }
    if (found.geom >= 0) found.point = ts_vec3_add_scaled(from, found.distance, direction);
    return found;
}
