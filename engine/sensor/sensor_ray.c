// Rangefinder: what a ray from a site along its z axis meets first, of all geoms that can be seen and are not on the site's body. Meshes are
// met where their hulls are, planes from the front and without end.
#include "collision/distance/proximity.h"
#include "engine/sensor/sensor_kind_internal.h"

// Fields, as bits of ts_sensor.fields and in the order in which they are given.
enum { DISTANCE, DIRECTION, ORIGIN, POINT, NORMAL, DEPTH, FIELDS };

static const char* const field_name[FIELDS] = {"dist", "dir", "origin", "point", "normal", "depth"};
static const int field_size[FIELDS] = {1, 3, 3, 3, 3, 1};

static int count(const ts_sensor* sensor) { return ts_sensor_fields_size(sensor->fields, field_size, FIELDS); }

// Nearest hit, or -1.
static double cast(const ts_sim* sim, int but_body, ts_vec3 from, ts_vec3 direction, ts_vec3* out_normal) {
    double nearest = -1.0;
    for (int g = 0; g < sim->model->geom_count; ++g) {
        const ts_geom* geom = &sim->model->geom[g];
        ts_vec3 normal;
        if (geom->body == but_body || geom->rgba[3] == 0.0f) continue;
        double t = ts_proximity_ray(&geom->shape, ts_kinematics_geom(&sim->kinematics, g), from, direction, &normal);
        if (t < 0.0 || (nearest >= 0.0 && t >= nearest)) continue;
        nearest = t;
        *out_normal = normal;
    }
    return nearest;
}

static void measure(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    ts_vec3 along = ts_mat3_column(&site.R, 2), normal = ts_vec3_zero();
    double t = cast(sim, sensor->object[0].body, site.p, along, &normal);
    ts_vec3 point = t < 0.0 ? ts_vec3_zero() : ts_vec3_add_scaled(site.p, t, along);
    const ts_vec3 vector[FIELDS] = {
        [DIRECTION] = t < 0.0 ? ts_vec3_zero() : along, [ORIGIN] = site.p, [POINT] = point, [NORMAL] = normal};
    for (int k = 0; k < FIELDS; ++k) {
        if (!(sensor->fields >> k & 1u)) continue;
        if (field_size[k] == 1)
            *out_values = t;
        else
            ts_vec3_store(vector[k], out_values);
        out_values += field_size[k];
    }
}

const ts_sensor_kind ts_sensor_rangefinder = {.name = "rangefinder",
                                              .summary =
                                                  "what a ray along a site's z axis meets: distance, m (-1: nothing)",
                                              .object = {TS_SENSOR_IS(SITE)},
                                              .field = field_name,
                                              .field_count = FIELDS,
                                              .count = count,
                                              .measure = measure};
