// <sensor>: one element for each. Its attributes follow from what its kind looks at.
#include "engine/read/mjcf/drafts_internal.h"
#include "engine/read/mjcf/mjcf_internal.h"
#include "engine/sensor/sensor_kind_internal.h"

#include <string.h>

// Slots of one sensor: few characters can ask for any number.
enum { SLOTS_MOST = 10000 };

// By the words of objtype and reftype, in the order of the schema.
static const ts_sensor_object_type frame_types[] = {TS_SENSOR_BODY_INERTIAL, TS_SENSOR_BODY, TS_SENSOR_GEOM,
                                                    TS_SENSOR_SITE, TS_SENSOR_CAMERA};

// The schema's table for a kind.
static const char* table_of(const ts_sensor_kind* kind) {
    if (kind->order) return "sensor/of contacts";
    if (kind->field) return "sensor/of a ray";
    if (kind->object[0] == TS_SENSOR_HAS_FRAME && kind->object[1] == TS_SENSOR_IS(SITE))
        return "sensor/of a frame in a site";
    if (kind->object[0] == TS_SENSOR_HAS_FRAME) return kind->object[1] ? "sensor/of two frames" : "sensor/of a frame";
    switch (kind->object[0]) {
    case TS_SENSOR_IS(JOINT): return "sensor/of a joint";
    case TS_SENSOR_IS(TENDON): return "sensor/of a tendon";
    case TS_SENSOR_IS(ACTUATOR): return "sensor/of an actuator";
    case TS_SENSOR_IS(SUBTREE): return "sensor/of a subtree";
    case TS_SENSOR_IS(SITE): return "sensor/of a site";
    case TS_SENSOR_IS(GEOM) | TS_SENSOR_IS(BODY): return "sensor/of two shapes";
    default: return "sensor/of the world";
    }
}

// The type of object k when the kind leaves no choice.
static ts_sensor_object_type only_type(unsigned types) {
    for (int t = 1; t < TS_SENSOR_OBJECT_TYPE_COUNT; ++t)
        if (types == 1u << t) return (ts_sensor_object_type)t;
    return TS_SENSOR_NOTHING;
}

static const ts_name_table* names_of(const ts_mjcf_reader* reader, ts_sensor_object_type type) {
    switch (type) {
    case TS_SENSOR_JOINT: return &reader->joint_name;
    case TS_SENSOR_TENDON: return &reader->tendon_name;
    case TS_SENSOR_ACTUATOR: return &reader->actuator_name;
    case TS_SENSOR_GEOM: return &reader->geom_name;
    case TS_SENSOR_SITE: return &reader->site_name;
    case TS_SENSOR_CAMERA: return &reader->camera_name;
    case TS_SENSOR_BODY:
    case TS_SENSOR_BODY_INERTIAL:
    case TS_SENSOR_SUBTREE:
    case TS_SENSOR_NOTHING:
    case TS_SENSOR_OBJECT_TYPE_COUNT: break;
    }
    return &reader->body_name;
}

static const char* word_of(ts_sensor_object_type type) {
    return type == TS_SENSOR_BODY_INERTIAL || type == TS_SENSOR_SUBTREE ? "body" : ts_sensor_object_type_name(type);
}

// The object of that name. Returns 0 where the file has it and the model not, or with a failure.
static int find_object(ts_mjcf_reader* reader, const ts_xml_node* node, ts_sensor_object_type type, const char* name,
                       ts_sensor_object* out_object) {
    int index = ts_name_table_find(names_of(reader, type), name);
    if (index == TS_MJCF_LEFT_OUT) return 0;
    if (index < 0) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "%s: there is no %s '%.80s'", node->name, word_of(type), name);
        return 0;
    }
    out_object->type = type;
    out_object->index = index;
    if (type == TS_SENSOR_GEOM && reader->builder->geom.data[index].def.shape.kind == TS_SHAPE_HULL)
        ts_mjcf_report(
            reader, node, TS_IMPORT_APPROXIMATED, 0, "sensor (of a mesh)",
            "its frame is that of the geom as written, not of the mesh's principal axes; its shape is the hull");
    if (type != TS_SENSOR_CAMERA) return 1;
    const ts_model_camera* camera = &reader->builder->camera.data[index].is;
    out_object->index = -1;
    out_object->body = camera->body;
    out_object->pose = camera->pose;
    if (camera->mode != TS_MODEL_CAMERA_FIXED)
        ts_mjcf_report(reader, node, TS_IMPORT_APPROXIMATED, 0, "sensor (of a camera that turns by itself)",
                       "the camera is taken as fixed to its body");
    return 1;
}

// Of several types the one that is named on side k. Returns 0 with a failure when there are several.
static int choose_side(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_sensor* sensor, int k,
                       ts_sensor_object_type* out_type, const char** out_name) {
    static const ts_sensor_object_type types[TS_MJCF_SENSOR_SIDE_TYPES] = {TS_SENSOR_GEOM, TS_SENSOR_BODY,
                                                                           TS_SENSOR_SUBTREE, TS_SENSOR_SITE};
    int count = 0;
    for (int i = 0; i < TS_MJCF_SENSOR_SIDE_TYPES; ++i) {
        if (!sensor->side[k][i]) continue;
        *out_type = types[i];
        *out_name = sensor->side[k][i];
        ++count;
    }
    if (count > 1)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "%s names several things where it looks at one", node->name);
    return count <= 1;
}

// What the sensor names as object k. Returns 0 when it cannot be measured.
static int settle_object(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_sensor_kind* kind, int k,
                         ts_mjcf_sensor* sensor) {
    ts_sensor_object_type type = only_type(kind->object[k]);
    const char* name = sensor->object[k];
    if (kind->object[k] == 0) return 1;
    if (!choose_side(reader, node, sensor, k, &type, &name)) return 0;
    if (!name && kind->object[k] & TS_SENSOR_IS(NOTHING)) return 1;
    if (sensor->type[k] >= 0) type = frame_types[sensor->type[k]];
    if (type == TS_SENSOR_NOTHING || !name) {
        // Without a reference, frames are seen from the world.
        if (k == 1 && kind->object[k] == TS_SENSOR_HAS_FRAME && sensor->type[k] < 0 && !name) return 1;
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "%s does not say what it measures: it needs %s", node->name,
                     kind->object[k] == TS_SENSOR_HAS_FRAME ? (k ? "reftype and refname" : "objtype and objname")
                     : type == TS_SENSOR_NOTHING            ? (k ? "geom2 or body2" : "geom1 or body1")
                                                            : word_of(type));
        return 0;
    }
    return find_object(reader, node, type, name, &sensor->def.is.object[k]);
}

// A list of words, each from `known` and after the one before, as bits.
static unsigned read_fields(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_sensor_kind* kind,
                            const char* text) {
    unsigned fields = 0;
    int last = -1;
    while (*(text += strspn(text, " \t\r\n"))) {
        size_t length = strcspn(text, " \t\r\n");
        int k = 0;
        while (k < kind->field_count && (strlen(kind->field[k]) != length || memcmp(kind->field[k], text, length) != 0))
            ++k;
        if (k == kind->field_count || k <= last) {
            ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "data of %s: '%.*s' is %s", node->name, (int)length, text,
                         k < kind->field_count ? "out of order" : "no field that it has");
            return 0;
        }
        fields |= 1u << k;
        last = k;
        text += length;
    }
    return fields;
}

// Fields and slots of kinds that have them.
static void settle_fields(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_sensor_kind* kind,
                          ts_mjcf_sensor* sensor) {
    ts_sensor* is = &sensor->def.is;
    if (sensor->data) is->fields = read_fields(reader, node, kind, sensor->data);
    if (is->fields == 0) is->fields = 1;
    if (is->slots < 1 || is->slots > SLOTS_MOST)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "num of %s must be between 1 and %d", node->name, SLOTS_MOST);
    for (int k = 0; sensor->order && k <= kind->order_count; ++k) {
        if (k == kind->order_count) {
            ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "reduce of %s cannot be '%.40s'", node->name, sensor->order);
        } else if (strcmp(sensor->order, kind->order[k]) == 0) {
            is->order = k;
            return;
        }
    }
}

// Whether an attribute asks for something else than the kind measures here; it is reported.
static int is_other(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_sensor* sensor) {
    if (!sensor->camera && !sensor->enclosed) return 0;
    ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, 0, sensor->camera ? "rangefinder@camera" : "insidesite@enclosed",
                   "the sensor is left out");
    return 1;
}

static void read_sensor(ts_mjcf_reader* reader, const ts_xml_node* node) {
    int index = ts_sensor_kind_find(node->name);
    if (index < 0) {
        if (!ts_mjcf_report_element(reader, node, "sensor")) ts_mjcf_unknown_element(reader, node);
        return;
    }
    const ts_sensor_kind* kind = ts_sensor_kind_at(index);
    ts_mjcf_sensor sensor = {.def = ts_sensor_def_default(), .type = {-1, -1}};
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_check(reader, node, table_of(kind));
    ts_mjcf_take(&e, table_of(kind), &sensor);
    if (reader->xml.code || is_other(reader, node, &sensor)) return;
    settle_fields(reader, node, kind, &sensor);
    for (int k = 0; k < 2 && !reader->xml.code; ++k) {
        if (settle_object(reader, node, kind, k, &sensor) || reader->xml.code) continue;
        ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, 0, "sensor (of something left out)", "it shows nothing");
        return;
    }
    sensor.def.kind = kind->name;
    sensor.def.is.name = ts_xml_value(node, "name");
    sensor.def.file = node->file;
    sensor.def.line = node->line;
    if (!reader->xml.code && ts_builder_add_sensor(reader->builder, &sensor.def) < 0)
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_read_sensor(ts_mjcf_reader* reader, const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        read_sensor(reader, child);
}
