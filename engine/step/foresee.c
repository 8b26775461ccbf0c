// Foresight of steps with substeps.
//
// Problem: such a step finds its contacts once, at its beginning. What is then farther apart than the margin and comes together within the step
// overlaps by all it has come when the next one looks: 10 mm at 2.5 m/s in 4 ms.
// Rule: a pair has contacts from where its surfaces may come together before the step ends: the difference of the two bodies' velocities, and how fast
// the geoms turn times how far their surfaces are from their bodies' origins, over the whole step. No more than the size of both, since what
// flies on through another in one step is not what this is for. The margin is never less than without.
// Guaranteed: two lone bodies whose velocities do not grow within the step and which touch in it have a contact; the broad phase's boxes, grown by each one's
// own share, hold every such pair, as a share is at most the sum of two.
// Known to fail: what gravity adds within the step, and trees of several bodies, which have the margin alone.
#include "engine/step/foresee_internal.h"

#include <math.h>

#include "engine/sim_internal.h"

// The velocity of a lone body, NULL of others.
static const double* velocity_of(const ts_sim* sim, int geom) {
    int tree = ts_sim_storage_of(sim)->body_tree[sim->model->geom[geom].body];
    if (tree < 0 || sim->model->tree[tree].kind == TS_TREE_GENERAL) return NULL;
    return sim->qvel + sim->model->tree[tree].dof_first;
}

// m/s: how fast turning moves a geom's surface at most.
static double turning(const ts_geom* geom, const double* velocity) {
    double radius = ts_shape_bounding_radius(&geom->shape) + ts_vec3_norm(geom->pose.position);
    return radius * ts_vec3_norm(ts_vec3_load(velocity + 3));
}

double ts_foresee_speed(const ts_sim* sim, int geom) {
    const double* v = velocity_of(sim, geom);
    if (v) return ts_vec3_norm(ts_vec3_load(v)) + turning(&sim->model->geom[geom], v);
    return ts_sim_storage_of(sim)->body_tree[sim->model->geom[geom].body] < 0 ? 0.0 : (double)INFINITY;
}

void ts_foresee_note_of_substeps(const ts_sim* sim, const ts_collider* collider, ts_foreseen* out) {
    out->reach = out->turning = 0.0;
    if (collider->dof < 0) return;
    const double* v = sim->qvel + collider->dof;
    out->turning = collider->radius * ts_vec3_norm(ts_vec3_load(v + 3));
    if (sim->options.contact_margin < 0.0) return;
    double step = sim->options.time_step * ts_sim_storage_of(sim)->substep_count;
    double way = (ts_vec3_norm(ts_vec3_load(v)) + out->turning) * step;
    out->reach = !isfinite(way) ? 0.0 : way < collider->size ? way : collider->size;
}

double ts_foresee_margin_within(const ts_sim* sim, int geom_a, int geom_b, double margin, double reach) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const double *a = velocity_of(sim, geom_a), *b = velocity_of(sim, geom_b);
    ts_vec3 closing = b ? ts_vec3_load(b) : ts_vec3_zero();
    if (a) closing = ts_vec3_sub(closing, ts_vec3_load(a));
    double speed = ts_vec3_norm(closing) + storage->foreseen[geom_a].turning + storage->foreseen[geom_b].turning;
    double way = speed * (sim->options.time_step * storage->substep_count);
    if (!(way < reach)) way = reach;
    return way > margin ? way : margin;
}
