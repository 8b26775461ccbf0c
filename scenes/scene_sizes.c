// Problem: marks that read well on a grasped nut and on a falling house. Rule: lengths come from boxes around bodies and
// around whole kinematic trees, forces from the average weight of a tree. Guaranteed: every size is finite and positive,
// but for the arrows' scale, which is zero when nothing has mass. Known to fail: averages fit nobody when bodies differ
// by orders of magnitude.
#include "scenes/scene_sizes.h"

#include <stdlib.h>

// More bodies than this and full-length arrows would hide everything else.
enum { crowd = 30 };

ts_scene_box ts_scene_box_empty(void) {
    ts_scene_box box = {ts_vec3_zero(), ts_vec3_zero(), 0};
    return box;
}

void ts_scene_box_add(ts_scene_box* box, ts_vec3 low, ts_vec3 high) {
    if (!ts_vec3_is_finite(low) || !ts_vec3_is_finite(high)) return;
    box->low = box->count ? ts_vec3_min(box->low, low) : low;
    box->high = box->count ? ts_vec3_max(box->high, high) : high;
    ++box->count;
}

void ts_scene_box_add_shape(ts_scene_box* box, const ts_shape* shape, const ts_transform* placed) {
    ts_vec3 low, high;
    ts_shape_bounds(shape, placed, &low, &high);
    ts_scene_box_add(box, low, high);
}

static void box_add_geom(ts_scene_box* box, const ts_sim* sim, int g) {
    ts_scene_box_add_shape(box, &sim->model->geom[g].shape, ts_kinematics_geom(&sim->kinematics, g));
}

static double box_radius(const ts_scene_box* b) { return 0.5 * ts_vec3_distance(b->low, b->high); }

void ts_scene_sizes_bounds(const ts_sim* sim, ts_vec3* out_min, ts_vec3* out_max) {
    const ts_model* model = sim->model;
    ts_scene_box all = ts_scene_box_empty();
    for (int g = 0; g < model->geom_count; ++g)
        if (model->body[model->geom[g].body].tree >= 0) box_add_geom(&all, sim, g);
    double limit = all.count ? 3.0 * box_radius(&all) : HUGE_VAL;
    for (int g = 0; g < model->geom_count; ++g) {
        if (model->body[model->geom[g].body].tree >= 0) continue;
        ts_scene_box still = ts_scene_box_empty();
        box_add_geom(&still, sim, g);
        if (still.count && 2.0 * box_radius(&still) < limit) ts_scene_box_add(&all, still.low, still.high);
    }
    *out_min = all.count ? all.low : ts_vec3_make(-1.0, -1.0, 0.0);
    *out_max = all.count ? all.high : ts_vec3_make(1.0, 1.0, 1.0);
}

// Average radius of the boxes that hold anything, or `otherwise`.
static double mean_radius(const ts_scene_box* boxes, int count, double otherwise) {
    double sum = 0.0;
    int used = 0;
    for (int i = 0; i < count; ++i) {
        if (!boxes[i].count) continue;
        sum += box_radius(&boxes[i]);
        ++used;
    }
    return used && sum > 0.0 ? sum / (double)used : otherwise;
}

ts_scene_sizes ts_scene_sizes_measure(const ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_scene_sizes sizes;
    ts_vec3 low, high;
    ts_scene_sizes_bounds(sim, &low, &high);
    sizes.low = low;
    sizes.high = high;
    sizes.radius = fmax(0.5 * ts_vec3_distance(low, high), 1e-4);
    sizes.body_radius = 0.2 * sizes.radius;
    double tree_radius = sizes.body_radius;

    // Short memory only costs the better estimate.
    int trees = model->tree_count;
    ts_scene_box* boxes = calloc((size_t)model->body_count + (size_t)trees, sizeof *boxes);
    if (boxes) {
        for (int g = 0; g < model->geom_count; ++g) {
            int body = model->geom[g].body;
            if (model->body[body].tree < 0) continue;
            box_add_geom(&boxes[trees + body], sim, g);
            box_add_geom(&boxes[model->body[body].tree], sim, g);
        }
        sizes.body_radius = mean_radius(boxes + trees, model->body_count, sizes.body_radius);
        tree_radius = mean_radius(boxes, trees, sizes.body_radius);
        free(boxes);
    }

    double mass = 0.0;
    for (int i = 1; i < model->body_count; ++i)
        if (model->body[i].tree >= 0) mass += model->body[i].mass;
    double gravity = ts_vec3_norm(sim->options.gravity);
    // Without gravity a body has no weight to compare forces with; what it would weigh on Earth serves as well.
    double weight = mass * (gravity > 0.0 ? gravity : 9.81) / (double)(trees > 0 ? trees : 1);
    double weight_length = (trees > crowd ? 0.5 : 3.0) * tree_radius;
    sizes.metres_per_newton = weight > 0.0 ? weight_length / weight : 0.0;
    // Impacts are forces of thousands of weights for one step, and the bottom of a pile carries many: arrows end here.
    sizes.longest_arrow = trees > crowd ? 3.0 * tree_radius : 2.0 * sizes.radius;
    sizes.grid_cell = pow(10.0, floor(log10(0.6 * sizes.radius)));
    return sizes;
}
