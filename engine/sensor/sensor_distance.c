// Distance of two geoms, or of the nearest two of two bodies: signed (negative: how deep they overlap), the direction from the first
// surface to the second, or the two points. Beyond the cutoff there is nothing to see: the distance is the cutoff, the others are zero. Masks and
// exclusions do not matter.
#include "collision/distance/proximity.h"
#include "engine/sensor/sensor_kind_internal.h"

// The geoms of an object, [*out_first, *out_last).
static void geoms_of(const ts_model* model, const ts_sensor_object* object, int* out_first, int* out_last) {
    if (object->type == TS_SENSOR_GEOM) {
        *out_first = object->index;
        *out_last = object->index + 1;
        return;
    }
    const ts_body* body = &model->body[object->index];
    *out_first = body->geom_first;
    *out_last = body->geom_first + body->geom_count;
}

static const char* fault(const ts_model* model, const ts_sensor* sensor) {
    for (int k = 0; k < 2; ++k) {
        int first, last;
        if (sensor->object[k].type == TS_SENSOR_NOTHING) return "it needs two geoms or bodies";
        geoms_of(model, &sensor->object[k], &first, &last);
        if (first == last) return "a body of it has no geoms";
    }
    return NULL;
}

// The nearest pair within the cutoff; `order` 1 where the query's first is the sensor's second. Returns 0 where there is none.
static int find_nearest(const ts_sim* sim, const ts_sensor* sensor, ts_proximity* out_found) {
    int first[2], last[2], found = 0;
    for (int k = 0; k < 2; ++k) geoms_of(sim->model, &sensor->object[k], &first[k], &last[k]);
    for (int g = first[0]; g < last[0]; ++g)
        for (int h = first[1]; h < last[1]; ++h) {
            ts_proximity one;
            if (g == h) continue;
            ts_proximity_query(&sim->model->geom[g].shape, ts_kinematics_geom(&sim->kinematics, g),
                               &sim->model->geom[h].shape, ts_kinematics_geom(&sim->kinematics, h), NULL, NULL, &one);
            if (one.reason != TS_PROXIMITY_FINE || !(one.distance < sensor->cutoff)) continue;
            if (found && one.distance >= out_found->distance) continue;
            *out_found = one;
            found = 1;
        }
    return found;
}

static void measure_distance(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_proximity found;
    out_values[0] = find_nearest(sim, sensor, &found) ? found.distance : sensor->cutoff;
}

static void measure_normal(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_proximity found;
    ts_vec3 normal = ts_vec3_zero();
    // From the first surface to the second: where they overlap that is back into the first.
    if (find_nearest(sim, sensor, &found))
        normal = ts_vec3_scale(found.distance < 0.0 ? -1.0 : 1.0, found.found.normal);
    ts_vec3_store(normal, out_values);
}

static void measure_points(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_proximity found;
    int any = find_nearest(sim, sensor, &found);
    ts_vec3_store(any ? found.found.point_a : ts_vec3_zero(), out_values);
    ts_vec3_store(any ? found.found.point_b : ts_vec3_zero(), out_values + 3);
}

#define OF_TWO \
    .object = {TS_SENSOR_IS(GEOM) | TS_SENSOR_IS(BODY), TS_SENSOR_IS(GEOM) | TS_SENSOR_IS(BODY)}, .fault = fault

const ts_sensor_kind ts_sensor_distance = {.name = "distance",
                                           .summary = "signed distance of two geoms up to the cutoff, m",
                                           .size = 1,
                                           .values = TS_SENSOR_EXACT,
                                           OF_TWO,
                                           .measure = measure_distance};

const ts_sensor_kind ts_sensor_normal = {.name = "normal",
                                         .summary = "normal from one geom to another, within the cutoff",
                                         .size = 3,
                                         .values = TS_SENSOR_EXACT,
                                         OF_TWO,
                                         .measure = measure_normal};

const ts_sensor_kind ts_sensor_fromto = {.name = "fromto",
                                         .summary = "nearest points of two geoms, within the cutoff, m",
                                         .size = 6,
                                         .values = TS_SENSOR_EXACT,
                                         OF_TWO,
                                         .measure = measure_points};
