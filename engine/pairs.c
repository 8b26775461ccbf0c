// The broad stage of a step: a box around every geom, and the pairs of boxes that overlap.
//
// Boxes grow by half the contact margin, so that two shapes a margin apart still pair. Geoms of bodies that are welded
// together share a group and never pair.
#include "engine/sim_internal.h"
#include "engine/step.h"

static void update_bounds(void* context, int begin, int end, int worker) {
    const ts_sim* sim = (const ts_sim*)context;
    const ts_model* model = sim->model;
    double grow = 0.5 * sim->options.contact_margin;
    ts_vec3 margin = ts_vec3_make(grow, grow, grow);
    ts_bounds* bounds = ts_sim_storage_of(sim)->bounds;
    (void)worker;
    for (int g = begin; g < end; ++g) {
        const ts_geom* geom = &model->geom[g];
        ts_shape_bounds(&geom->shape, &sim->geom_pose[g], &bounds[g].min, &bounds[g].max);
        bounds[g].min = ts_vec3_sub(bounds[g].min, margin);
        bounds[g].max = ts_vec3_add(bounds[g].max, margin);
        bounds[g].group = model->body[geom->body].weld;
        bounds[g].category = geom->category;
        bounds[g].mask = geom->mask;
    }
}

ts_code ts_step_broad_phase(ts_sim* sim, ts_pair** out_pairs, int* out_pair_count) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    *out_pairs = NULL;
    *out_pair_count = 0;
    storage->bounds = TS_ARENA_ARRAY(&sim->scratch, ts_bounds, model->geom_count);
    if (!storage->bounds) return TS_ERROR_MEMORY;
    ts_task_parallel_for(sim->tasks, model->geom_count, 128, update_bounds, sim);
    ts_code code = ts_broad_phase_pairs(storage->bounds, model->geom_count, &sim->scratch, out_pairs, out_pair_count,
                                        &sim->info.bad_bounds);
    sim->info.pair_count = *out_pair_count;
    return code;
}
