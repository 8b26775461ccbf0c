// <sensor>. A frame that MJCF would find in its own way, or that is of a camera, which may have no name, is said by a site
// in its place.
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/write/mjcf_writer_internal.h"

#include <stdio.h>

ts_mjcf_named ts_mjcf_writer_object_kind(ts_sensor_object_type type) {
    switch (type) {
    case TS_SENSOR_JOINT: return TS_MJCF_NAMED_JOINT;
    case TS_SENSOR_TENDON: return TS_MJCF_NAMED_TENDON;
    case TS_SENSOR_ACTUATOR: return TS_MJCF_NAMED_ACTUATOR;
    case TS_SENSOR_BODY:
    case TS_SENSOR_BODY_INERTIAL:
    case TS_SENSOR_SUBTREE: return TS_MJCF_NAMED_BODY;
    case TS_SENSOR_GEOM: return TS_MJCF_NAMED_GEOM;
    case TS_SENSOR_SITE: return TS_MJCF_NAMED_SITE;
    case TS_SENSOR_CAMERA:
    case TS_SENSOR_NOTHING:
    case TS_SENSOR_OBJECT_TYPE_COUNT: break;
    }
    return TS_MJCF_NAMED_COUNT;
}

static int is_frame(const ts_sensor* sensor, int side) {
    return ts_sensor_kind_at(sensor->kind)->object[side] == TS_SENSOR_HAS_FRAME;
}

int ts_mjcf_writer_has_sensor_site(const ts_sensor* sensor, int side) {
    ts_sensor_object_type type = sensor->object[side].type;
    return is_frame(sensor, side) && (type == TS_SENSOR_BODY_INERTIAL || type == TS_SENSOR_CAMERA);
}

static void write_frame(ts_mjcf_writer* w, int index, int side) {
    const ts_sensor_object* object = &w->model->sensor[index].object[side];
    const char* type = side ? "reftype" : "objtype";
    const char* name = side ? "refname" : "objname";
    if (ts_mjcf_writer_has_sensor_site(&w->model->sensor[index], side)) {
        ts_mjcf_writer_string(w, type, "site");
        ts_mjcf_writer_sensor_site(w, name, index, side);
        return;
    }
    ts_mjcf_writer_string(w, type, object->type == TS_SENSOR_BODY ? "xbody" : ts_sensor_object_type_name(object->type));
    ts_mjcf_writer_name(w, name, ts_mjcf_writer_object_kind(object->type), object->index);
}

// What is not a frame, by its type; with a number where the kind looks at one of several types.
static void write_object(ts_mjcf_writer* w, const ts_sensor* sensor, int side) {
    const ts_sensor_object* object = &sensor->object[side];
    unsigned types = ts_sensor_kind_at(sensor->kind)->object[side];
    char attribute[32];
    const char* type = types == TS_SENSOR_IS(SUBTREE) ? "body" : ts_sensor_object_type_name(object->type);
    if ((types & (types - 1)) && object->type != TS_SENSOR_SITE)
        snprintf(attribute, sizeof attribute, "%s%d", type, side + 1);
    else
        snprintf(attribute, sizeof attribute, "%s", type);
    ts_mjcf_writer_name(w, attribute, ts_mjcf_writer_object_kind(object->type), object->index);
}

static void write_fields(ts_mjcf_writer* w, const ts_sensor* sensor) {
    const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
    if (!kind->field) return;
    ts_text_add(w->text, " data=\"");
    for (int k = 0, any = 0; k < kind->field_count; ++k)
        if (sensor->fields >> k & 1u) ts_text_add(w->text, "%s%s", any++ ? " " : "", kind->field[k]);
    ts_text_add(w->text, "\"");
    if (!kind->order) return;
    ts_mjcf_writer_whole(w, "num", sensor->slots);
    ts_mjcf_writer_string(w, "reduce", kind->order[sensor->order]);
}

void ts_mjcf_writer_sensor(ts_mjcf_writer* w, int index) {
    const ts_sensor* sensor = &w->model->sensor[index];
    ts_mjcf_writer_open(w, ts_sensor_kind_name(sensor->kind));
    if (sensor->name[0]) ts_mjcf_writer_string(w, "name", sensor->name);
    for (int k = 0; k < 2; ++k) {
        const ts_sensor_object* object = &sensor->object[k];
        if (object->type == TS_SENSOR_NOTHING) continue;
        if (is_frame(sensor, k))
            write_frame(w, index, k);
        else
            write_object(w, sensor, k);
    }
    write_fields(w, sensor);
    if (sensor->cutoff != 0.0) ts_mjcf_writer_numbers(w, "cutoff", &sensor->cutoff, 1);
    if (sensor->noise != 0.0) ts_mjcf_writer_numbers(w, "noise", &sensor->noise, 1);
    ts_mjcf_writer_end(w);
}
