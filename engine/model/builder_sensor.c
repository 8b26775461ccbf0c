// Sensors of a model under construction: their objects with the model's indices, the frames of those that have one, and where their
// numbers lie. What a kind needs, it knows itself.
#include "engine/model/builder_internal.h"
#include "engine/sensor/sensor_kind_internal.h"

#include <math.h>

// How many there are of what an object is one of.
static int count_of(const ts_builder* builder, ts_sensor_object_type type) {
    switch (type) {
    case TS_SENSOR_JOINT: return builder->joint.count;
    case TS_SENSOR_TENDON: return builder->tendon.count;
    case TS_SENSOR_ACTUATOR: return builder->actuator.count;
    case TS_SENSOR_BODY:
    case TS_SENSOR_BODY_INERTIAL:
    case TS_SENSOR_SUBTREE: return builder->body.count;
    case TS_SENSOR_GEOM: return builder->geom.count;
    case TS_SENSOR_SITE: return builder->site.count;
    case TS_SENSOR_CAMERA:
    case TS_SENSOR_NOTHING:
    case TS_SENSOR_OBJECT_TYPE_COUNT: break;
    }
    return 0;
}

// Whether the body's own axes are principal ones, the largest moment first.
static int is_sorted_diagonal(const ts_mat3* inertia) {
    const double(*I)[3] = inertia->m;
    return I[0][1] == 0.0 && I[0][2] == 0.0 && I[1][2] == 0.0 && I[0][0] >= I[1][1] && I[1][1] >= I[2][2];
}

// The frame of a body's principal moments, the largest first. Which way its axes point is anybody's choice.
static ts_pose principal_frame(const ts_builder_body* body, const ts_body* finished) {
    ts_vec3 moments;
    ts_mat3 axes;
    ts_pose pose = {finished->centre, ts_quat_identity()};
    if (body->def.has_axes) pose.rotation = body->def.axes;
    if (body->def.has_axes || is_sorted_diagonal(&finished->inertia)) return pose;
    ts_mat3_eigen_symmetric(&finished->inertia, &moments, &axes);
    ts_vec3 x = ts_mat3_column(&axes, 2), y = ts_mat3_column(&axes, 1);
    ts_mat3 frame = ts_mat3_from_columns(x, y, ts_vec3_cross(x, y));
    pose.rotation = ts_quat_normalize(ts_quat_from_mat3(&frame));
    return pose;
}

// Index and frame of an object, as the model has them.
static void take_object(const ts_builder* builder, const ts_model* model, ts_sensor_object* object) {
    switch (object->type) {
    case TS_SENSOR_JOINT: object->index = builder->joint.data[object->index].index; break;
    case TS_SENSOR_GEOM:
        object->index = builder->geom.data[object->index].index;
        object->body = model->geom[object->index].body;
        object->pose = model->geom[object->index].pose;
        break;
    case TS_SENSOR_SITE:
        object->body = model->site[object->index].body;
        object->pose = model->site[object->index].pose;
        break;
    case TS_SENSOR_BODY:
    case TS_SENSOR_SUBTREE:
        object->body = object->index;
        object->pose = ts_pose_identity();
        break;
    case TS_SENSOR_BODY_INERTIAL:
        object->body = object->index;
        object->pose = principal_frame(&builder->body.data[object->index], &model->body[object->index]);
        break;
    case TS_SENSOR_CAMERA:
    case TS_SENSOR_TENDON:
    case TS_SENSOR_ACTUATOR:
    case TS_SENSOR_NOTHING:
    case TS_SENSOR_OBJECT_TYPE_COUNT: break;
    }
}

static const char* object_fault(const ts_builder* builder, const ts_sensor_kind* kind, const ts_sensor* sensor, int k) {
    const ts_sensor_object* object = &sensor->object[k];
    if ((unsigned)object->type >= (unsigned)TS_SENSOR_OBJECT_TYPE_COUNT) return "an object is of no known type";
    if (object->type == TS_SENSOR_NOTHING)
        return k == 0 && kind->object[0] && !(kind->object[0] & TS_SENSOR_IS(NOTHING)) ? "it has nothing to look at"
                                                                                       : NULL;
    if (!(kind->object[k] >> object->type & 1u)) return "it cannot look at an object of that type";
    if (object->type == TS_SENSOR_CAMERA) {
        double n = ts_quat_norm(object->pose.rotation);
        int there = object->body >= 0 && object->body < builder->body.count;
        return there && ts_vec3_is_finite(object->pose.position) && fabs(n - 1.0) < 1e-6 ? NULL
                                                                                         : "its camera has no frame";
    }
    return object->index < 0 || object->index >= count_of(builder, object->type) ? "there is no such object" : NULL;
}

// NULL, or why this sensor cannot be.
static const char* take(const ts_builder* builder, const ts_model* model, const ts_sensor_kind* kind,
                        ts_sensor* sensor) {
    if (!isfinite(sensor->cutoff) || !isfinite(sensor->noise)) return "a number is not finite";
    if (sensor->cutoff < 0.0 || sensor->noise < 0.0) return "its cutoff or noise is negative";
    for (int k = 0; k < 2; ++k) {
        const char* why = object_fault(builder, kind, sensor, k);
        if (why) return why;
    }
    for (int k = 0; k < 2; ++k) take_object(builder, model, &sensor->object[k]);
    return kind->fault ? kind->fault(model, sensor) : NULL;
}

// Numbers of all sensors together.
enum { NUMBERS_MOST = 10000000 };

ts_code ts_builder_lay_out_sensors(const ts_builder* builder, ts_model* model, const char* names, ts_sensor* out_sensor,
                                   ts_status* out_status) {
    model->sensor = out_sensor;
    for (int i = 0; i < builder->sensor.count; ++i) {
        const ts_builder_sensor* entry = &builder->sensor.data[i];
        ts_sensor* sensor = &out_sensor[i];
        *sensor = entry->def.is;
        sensor->name = names + entry->label.name;
        sensor->kind = ts_sensor_kind_find(names + entry->kind);
        if (sensor->kind < 0)
            return ts_builder_refuse(builder, &entry->label, "sensor", i, out_status, "there is no kind '%.60s'",
                                     names + entry->kind);
        const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
        const char* why = take(builder, model, kind, sensor);
        if (!why) {
            sensor->first = model->sensor_size;
            sensor->size = kind->count ? kind->count(sensor) : kind->size;
            if (sensor->size < 0 || sensor->size > NUMBERS_MOST - model->sensor_size) why = "it gives too many numbers";
        }
        if (why) return ts_builder_refuse(builder, &entry->label, "sensor", i, out_status, "%s", why);
        model->sensor_size += sensor->size;
        model->step_sensor_count += kind->time == TS_SENSOR_OF_STEP;
        ++model->sensor_count;
    }
    return TS_OK;
}
