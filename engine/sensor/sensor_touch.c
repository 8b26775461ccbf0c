// Touch: the sum of the normal forces of contacts in the zone of a site, of geoms on the site's body.
//
// A contact counts when its point lies in the site's volume, or when the ray from it, along the normal out of the body, meets that
// volume: a point that lies a little deep in the body is behind a flat zone and still its own. So it is in MuJoCo.
#include "collision/distance/proximity.h"
#include "engine/sensor/sensor_kind_internal.h"

static const char* fault(const ts_model* model, const ts_sensor* sensor) {
    return ts_shape_validate(&model->site[sensor->object[0].index].shape, NULL) ? "its site has no volume" : NULL;
}

static int is_in_zone(const ts_sim* sim, const ts_sensor* sensor, const ts_contact* contact) {
    const ts_site* site = &sim->model->site[sensor->object[0].index];
    if ((contact->block < 0 && !contact->asleep) || (contact->body_a != site->body && contact->body_b != site->body))
        return 0;
    ts_transform at = ts_sensor_frame(sim, &sensor->object[0]);
    // The normal points from A to B.
    ts_vec3 normal = ts_mat3_column(&contact->frame, 2);
    ts_vec3 outward = contact->body_a == site->body ? normal : ts_vec3_neg(normal);
    return ts_proximity_ray(&site->shape, &at, contact->position, outward, NULL) >= 0.0;
}

static void measure(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double impulse = 0.0;
    for (int i = 0; i < sim->contact_count; ++i)
        if (is_in_zone(sim, sensor, &sim->contact[i])) impulse += sim->contact[i].impulse.z;
    out_values[0] = impulse / sim->options.time_step;
}

static int slope(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    (void)scratch;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        if (contact->block < 0 || !is_in_zone(sim, sensor, contact)) continue;
        int normal = contact->surface.dimension == 1 ? 0 : 2;
        ts_sensor_add_row(sim, sim->problem.block[contact->block].row + normal, by);
    }
    return 1;
}

const ts_sensor_kind ts_sensor_touch = {.name = "touch",
                                        .summary = "normal force of contacts in a site's volume, N",
                                        .size = 1,
                                        .time = TS_SENSOR_OF_STEP,
                                        .values = TS_SENSOR_POSITIVE,
                                        .object = {TS_SENSOR_IS(SITE)},
                                        .fault = fault,
                                        .measure = measure,
                                        .step_slope = slope};
