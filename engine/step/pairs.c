// The broad stage of a step: a box around every geom, the pairs of boxes that overlap, and a second look at those.
//
// Boxes grow by half the contact margin, so that two shapes a margin apart still pair. Geoms of bodies that are welded
// together share a group and never pair. What the broad phase remembers from step to step makes it fast and changes no
// answer, so it is no part of a snapshot; neither is the separating axis that the second look notes for each pair.
#include "engine/sim_internal.h"
#include "engine/step/step.h"

void ts_sim_measure_geoms(ts_sim* sim) {
    ts_transform identity = ts_transform_identity();
    for (int g = 0; g < sim->model->geom_count; ++g) {
        const ts_shape* shape = &sim->model->geom[g].shape;
        ts_geom_box* box = &ts_sim_storage_of(sim)->geom_box[g];
        ts_vec3 min, max;
        if (shape->kind == TS_SHAPE_PLANE || shape->kind == TS_SHAPE_SPHERE) continue;
        ts_shape_bounds(shape, &identity, &min, &max);
        box->centre = ts_vec3_lerp(min, max, 0.5);
        box->half = ts_vec3_scale(0.5, ts_vec3_sub(max, min));
        box->useful = ts_vec3_is_finite(box->half);
    }
}

static void update_bounds(void* context, int begin, int end, int worker) {
    const ts_sim* sim = (const ts_sim*)context;
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double grow = 0.5 * sim->options.contact_margin;
    ts_vec3 margin = ts_vec3_make(grow, grow, grow);
    ts_bounds* bounds = storage->bounds;
    (void)worker;
    for (int g = begin; g < end; ++g) {
        const ts_geom* geom = &model->geom[g];
        const ts_geom_box* box = &storage->geom_box[g];
        ts_shape_bounds(&geom->shape, &sim->geom_pose[g], &bounds[g].min, &bounds[g].max);
        bounds[g].min = ts_vec3_sub(bounds[g].min, margin);
        bounds[g].max = ts_vec3_add(bounds[g].max, margin);
        bounds[g].group = model->body[geom->body].weld;
        bounds[g].category = geom->category;
        bounds[g].mask = geom->mask;
        if (!box->useful) continue;
        storage->oriented[g].placed.R = sim->geom_pose[g].R;
        storage->oriented[g].placed.p = ts_transform_point(&sim->geom_pose[g], box->centre);
        storage->oriented[g].half = box->half;
    }
}

// Whether the box comes within the margin of a half-space: its lowest corner along the normal, with room for rounding.
static int may_touch_plane(const ts_transform* plane, const ts_obb* box, double margin) {
    ts_vec3 n = ts_mat3_column(&plane->R, 2);
    double height = ts_vec3_dot(n, ts_vec3_sub(box->placed.p, plane->p));
    double reach = ts_vec3_dot(ts_vec3_abs(ts_transform_direction_inverse(&box->placed, n)), box->half);
    return height - reach <= margin + 1e-9 * (fabs(height) + reach);
}

// Zero when a cheap test proves the pair farther apart than the margin. The note is one more than the axis that
// separated the pair last.
static int may_touch(void* context, int first, int second, unsigned char* note) {
    const ts_sim* sim = (const ts_sim*)context;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_geom* geom = sim->model->geom;
    double margin = sim->options.contact_margin;
    int useful_first = storage->geom_box[first].useful, useful_second = storage->geom_box[second].useful;
    if (geom[first].shape.kind == TS_SHAPE_PLANE)
        return !useful_second || may_touch_plane(&sim->geom_pose[first], &storage->oriented[second], margin);
    if (geom[second].shape.kind == TS_SHAPE_PLANE)
        return !useful_first || may_touch_plane(&sim->geom_pose[second], &storage->oriented[first], margin);
    if (!useful_first || !useful_second) return 1;
    int axis = ts_obb_separating_axis(&storage->oriented[first], &storage->oriented[second], margin, *note - 1);
    if (axis == TS_OBB_NONE) return 1;
    *note = (unsigned char)(axis + 1);
    return 0;
}

ts_code ts_step_broad_phase(ts_sim* sim, ts_pair** out_pairs, int* out_pair_count) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_broad_phase_settings settings = ts_broad_phase_settings_default();
    ts_broad_phase_info info;
    *out_pairs = NULL;
    *out_pair_count = 0;
    settings.filter = may_touch;
    settings.filter_context = sim;
    storage->bounds = TS_ARENA_ARRAY(&sim->scratch, ts_bounds, model->geom_count);
    storage->oriented = TS_ARENA_ARRAY(&sim->scratch, ts_obb, model->geom_count);
    if (!storage->bounds || !storage->oriented) return TS_ERROR_MEMORY;
    ts_task_parallel_for(sim->tasks, model->geom_count, 128, update_bounds, sim);
    ts_code code = ts_broad_phase_update(storage->broad, storage->bounds, model->geom_count, &settings, sim->tasks,
                                         &sim->scratch, out_pairs, out_pair_count, &info);
    sim->info.bad_bounds = info.invalid;
    sim->info.pair_count = *out_pair_count;
    sim->info.pair_limit_reached = info.limit_reached;
    return code;
}
