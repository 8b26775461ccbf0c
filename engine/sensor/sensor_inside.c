// Whether the origin of an object's frame is inside a site's volume: 1 or 0.
#include "collision/distance/proximity.h"
#include "engine/sensor/sensor_kind_internal.h"

static const char* fault(const ts_model* model, const ts_sensor* sensor) {
    if (sensor->object[1].type == TS_SENSOR_NOTHING) return "it needs a site";
    return ts_shape_validate(&model->site[sensor->object[1].index].shape, NULL) ? "its site has no volume" : NULL;
}

static void measure(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    const ts_site* site = &sim->model->site[sensor->object[1].index];
    ts_transform object = ts_sensor_frame(sim, &sensor->object[0]), at = ts_sensor_frame(sim, &sensor->object[1]);
    const ts_shape point = ts_shape_sphere(0.0);
    ts_proximity found;
    ts_proximity_query(&point, &object, &site->shape, &at, NULL, NULL, &found);
    out_values[0] = found.reason == TS_PROXIMITY_FINE && found.distance <= 0.0;
}

const ts_sensor_kind ts_sensor_insidesite = {.name = "insidesite",
                                             .summary = "1 while a frame's origin is inside a site, else 0",
                                             .size = 1,
                                             .values = TS_SENSOR_POSITIVE,
                                             .object = {TS_SENSOR_HAS_FRAME, TS_SENSOR_IS(SITE)},
                                             .fault = fault,
                                             .measure = measure};
