// Attributes to values, as the parsers of ROS take them: what is missing has a default, and what is empty counts as missing.
#include "base/number.h"
#include "engine/read/urdf/urdf_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ts_code ts_urdf_fail(ts_urdf_reader* reader, const ts_xml_node* node, ts_code code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ts_xml_fail_list(&reader->xml, node, code, format, arguments);
    va_end(arguments);
    return reader->xml.code;
}

void ts_urdf_report(ts_urdf_reader* reader, const ts_xml_node* node, ts_import_level level, int affects_physics,
                    const char* what, const char* meaning) {
    ts_import_report_add(reader->xml.report, level, affects_physics, what, meaning, node->file, node->line);
}

const ts_xml_node* ts_urdf_child(ts_urdf_reader* reader, const ts_xml_node* node, const char* name) {
    const ts_xml_node* found = NULL;
    for (const ts_xml_node* child = node->child; child; child = child->next) {
        if (strcmp(child->name, name) != 0) continue;
        if (found)
            ts_urdf_fail(reader, child, TS_ERROR_PARSE, "a second <%.40s> in <%.40s>", name, node->name);
        else
            found = child;
    }
    return found;
}

static int is_empty(const char* text) { return text[strspn(text, " \t\r\n")] == '\0'; }

int ts_urdf_reals(ts_urdf_reader* reader, const ts_xml_node* node, const char* name, double* out_values, int count) {
    double value[7];  // the most that anything takes: a pose
    char why[100] = "";
    const char* text = node ? ts_xml_value(node, name) : NULL;
    if (!text) return 0;
    if (is_empty(text)) {
        char what[96];
        snprintf(what, sizeof what, "%.40s@%.40s (empty)", node->name, name);
        ts_urdf_report(reader, node, TS_IMPORT_APPROXIMATED, 0, what, "taken as if the attribute were not there");
        return 0;
    }
    int found = ts_number_list(text, value, count, why, sizeof why);
    if (found < 0) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "%s of %.40s: %s", name, node->name, why);
        return 0;
    }
    if (found != count) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "%s of %.40s needs %d number%s, not %d", name, node->name, count,
                     count == 1 ? "" : "s", found);
        return 0;
    }
    memcpy(out_values, value, (size_t)count * sizeof *value);
    return 1;
}

double ts_urdf_real(ts_urdf_reader* reader, const ts_xml_node* node, const char* name, double fallback) {
    double value = fallback;
    ts_urdf_reals(reader, node, name, &value, 1);
    return value;
}

double ts_urdf_need(ts_urdf_reader* reader, const ts_xml_node* node, const char* name) {
    double value = 0.0;
    if (!ts_urdf_reals(reader, node, name, &value, 1))
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "%.40s needs the attribute '%s'", node->name, name);
    return value;
}

ts_quat ts_urdf_rotation(const double rpy[3]) {
    ts_quat roll = ts_quat_from_axis_angle(ts_vec3_axis(0), rpy[0]);
    ts_quat pitch = ts_quat_from_axis_angle(ts_vec3_axis(1), rpy[1]);
    ts_quat yaw = ts_quat_from_axis_angle(ts_vec3_axis(2), rpy[2]);
    return ts_quat_mul(yaw, ts_quat_mul(pitch, roll));
}

ts_pose ts_urdf_origin(ts_urdf_reader* reader, const ts_xml_node* node) {
    ts_pose pose = ts_pose_identity();
    const ts_xml_node* origin = ts_urdf_child(reader, node, "origin");
    double xyz[3], rpy[3], q[4];
    if (!origin) return pose;
    ts_urdf_check(reader, origin);
    if (ts_urdf_reals(reader, origin, "xyz", xyz, 3)) pose.position = ts_vec3_load(xyz);
    int turns = ts_urdf_reals(reader, origin, "rpy", rpy, 3);
    if (turns) pose.rotation = ts_urdf_rotation(rpy);
    // URDF 1.2 knows quaternions, x y z w.
    if (!ts_urdf_reals(reader, origin, "quat_xyzw", q, 4)) return pose;
    pose.rotation = ts_quat_make(q[3], q[0], q[1], q[2]);
    if (turns) ts_urdf_fail(reader, origin, TS_ERROR_VALUE, "origin has both rpy and quat_xyzw");
    if (!(ts_quat_norm(pose.rotation) > 1e-10))
        ts_urdf_fail(reader, origin, TS_ERROR_VALUE, "quat_xyzw of origin is zero");
    else
        pose.rotation = ts_quat_normalize(pose.rotation);
    return pose;
}
