// <joint>: what moves a link against its parent. The link's frame is the joint's frame, so a joint acts at the origin of its
// child's body.
//
// planar: two slides across the axis, then a hinge about it, as NAME_TX, NAME_TY and NAME_RZ. floating: a free joint, which
// must hang on something that does not move.
#include "engine/read/urdf/urdf_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What `lower` and `upper` mean, as in MuJoCo: an interval of no length is no limit, since files that bound nothing say 0 0.
static void read_limits(ts_urdf_reader* reader, const ts_urdf_joint* joint, ts_joint_def* def) {
    const ts_xml_node* limit = ts_urdf_child(reader, joint->node, "limit");
    int bounded = joint->type == TS_URDF_REVOLUTE || joint->type == TS_URDF_PRISMATIC;
    if (limit) ts_urdf_check(reader, limit);
    if (!bounded) return;
    if (!limit) {
        ts_urdf_report(reader, joint->node, TS_IMPORT_APPROXIMATED, 1, "joint without limit",
                       "revolute and prismatic joints must have one; the joint moves without end");
        return;
    }
    // What all motors together may pull; nothing says nothing.
    double effort = ts_urdf_real(reader, limit, "effort", 0.0);
    if (effort > 0.0) def->actuation = (ts_limits){1, {-effort, effort}};
    def->range[0] = ts_urdf_real(reader, limit, "lower", 0.0);
    def->range[1] = ts_urdf_real(reader, limit, "upper", 0.0);
    def->limited = def->range[0] < def->range[1];
    if (!def->limited)
        ts_urdf_report(reader, limit, TS_IMPORT_APPROXIMATED, 1, "limit (upper not above lower)",
                       "the joint moves without end (as in MuJoCo)");
}

static void read_dynamics(ts_urdf_reader* reader, const ts_urdf_joint* joint, ts_joint_def* def) {
    const ts_xml_node* dynamics = ts_urdf_child(reader, joint->node, "dynamics");
    if (!dynamics) return;
    ts_urdf_check(reader, dynamics);
    def->damping = ts_urdf_real(reader, dynamics, "damping", 0.0);
    def->friction = ts_urdf_real(reader, dynamics, "friction", 0.0);
    if (def->damping < 0.0 || def->friction < 0.0)
        ts_urdf_fail(reader, dynamics, TS_ERROR_VALUE, "damping and friction of dynamics cannot be negative");
}

static ts_vec3 read_axis(ts_urdf_reader* reader, const ts_urdf_joint* joint) {
    const ts_xml_node* axis = ts_urdf_child(reader, joint->node, "axis");
    double xyz[3] = {1.0, 0.0, 0.0};
    if (axis) ts_urdf_check(reader, axis);
    ts_urdf_reals(reader, axis, "xyz", xyz, 3);
    ts_vec3 direction = ts_vec3_load(xyz);
    int counts = joint->type != TS_URDF_FIXED && joint->type != TS_URDF_FLOATING;
    if (counts && !(ts_vec3_norm(direction) > 1e-10))
        ts_urdf_fail(reader, axis ? axis : joint->node, TS_ERROR_VALUE, "axis of joint is zero");
    return direction;
}

static void add(ts_urdf_reader* reader, ts_urdf_joint* joint, const ts_joint_def* def, const char* suffix) {
    char name[512];
    ts_joint_def named = *def;
    snprintf(name, sizeof name, "%.490s%s", joint->name, suffix);
    named.name = name;
    if (reader->xml.code) return;
    joint->def = ts_builder_add_joint(reader->builder, &named);
    if (joint->def < 0) ts_urdf_fail(reader, joint->node, TS_ERROR_MEMORY, "out of memory");
}

static void add_planar(ts_urdf_reader* reader, ts_urdf_joint* joint, ts_joint_def* def) {
    ts_vec3 normal = ts_vec3_unit_or(def->axis, ts_vec3_axis(2));
    // For the usual normal, z, the slides are x and y.
    ts_vec3 x = ts_quat_rotate(ts_quat_between(ts_vec3_axis(2), normal), ts_vec3_axis(0));
    def->type = TS_JOINT_SLIDE;
    def->axis = x;
    add(reader, joint, def, "_TX");
    def->axis = ts_vec3_cross(normal, x);
    add(reader, joint, def, "_TY");
    def->type = TS_JOINT_HINGE;
    def->axis = normal;
    add(reader, joint, def, "_RZ");
}

static void read_mimic(ts_urdf_reader* reader, ts_urdf_joint* joint) {
    const ts_xml_node* mimic = ts_urdf_child(reader, joint->node, "mimic");
    if (!mimic) return;
    ts_urdf_check(reader, mimic);
    const char* name = ts_xml_value(mimic, "joint");
    if (!name || !name[0]) {
        ts_urdf_fail(reader, mimic, TS_ERROR_PARSE, "mimic needs the attribute 'joint'");
        return;
    }
    joint->multiplier = ts_urdf_real(reader, mimic, "multiplier", 1.0);
    joint->offset = ts_urdf_real(reader, mimic, "offset", 0.0);
    joint->mimics = ts_name_table_find(&reader->joint_name, name);
    if (joint->mimics < 0) {
        ts_urdf_report(reader, mimic, TS_IMPORT_IGNORED, 1, "mimic (unknown joint)",
                       "the robot has no such joint: this one moves by itself");
    } else if (joint->type == TS_URDF_FIXED) {
        ts_urdf_report(reader, mimic, TS_IMPORT_IGNORED, 0, "mimic (fixed joint)", "a fixed joint follows nobody");
        joint->mimics = -1;
    } else if (joint->type == TS_URDF_FLOATING || joint->type == TS_URDF_PLANAR) {
        ts_urdf_fail(reader, mimic, TS_ERROR_VALUE, "a floating or planar joint cannot mimic another");
    }
}

void ts_urdf_add_joint(ts_urdf_reader* reader, ts_urdf_joint* joint, int body) {
    ts_joint_def def = ts_joint_def_default();
    def.body = body;
    def.file = joint->node->file;
    def.line = joint->node->line;
    def.axis = read_axis(reader, joint);
    read_limits(reader, joint, &def);
    read_dynamics(reader, joint, &def);
    read_mimic(reader, joint);
    switch (joint->type) {
    case TS_URDF_REVOLUTE:
    case TS_URDF_CONTINUOUS: add(reader, joint, &def, ""); break;
    case TS_URDF_PRISMATIC:
        def.type = TS_JOINT_SLIDE;
        add(reader, joint, &def, "");
        break;
    case TS_URDF_PLANAR: add_planar(reader, joint, &def); break;
    case TS_URDF_FLOATING:
        def.type = TS_JOINT_FREE;
        add(reader, joint, &def, "");
        break;
    case TS_URDF_FIXED:
    case TS_URDF_JOINT_TYPE_COUNT: break;
    }
}

// kg m^2 and kg: of a joint that moves nothing with mass, so that its motion is defined; a thousandth of a fingertip's.
static const double least_armature[] = {1e-7, 1e-4};

void ts_urdf_give_inertia(ts_urdf_reader* reader) {
    const ts_builder_body_array* body = &reader->builder->body;
    double* carried = (double*)calloc((size_t)body->count, sizeof *carried);
    if (!carried) {
        ts_urdf_fail(reader, NULL, TS_ERROR_MEMORY, "out of memory");
        return;
    }
    // Any mass or inertia will do. Parents stand before their children.
    for (int i = body->count - 1; i > 0; --i) {
        carried[i] += body->data[i].def.mass + fabs(ts_mat3_trace(&body->data[i].def.inertia));
        carried[body->data[i].def.parent] += carried[i];
    }
    for (int j = 0; j < reader->builder->joint.count; ++j) {
        ts_joint_def* def = &reader->builder->joint.data[j].def;
        if (def->type == TS_JOINT_FREE || carried[def->body] > 0.0) continue;
        def->armature = least_armature[def->type == TS_JOINT_SLIDE];
        const ts_builder_label* label = &reader->builder->joint.data[j].label;
        ts_import_report_add(reader->xml.report, TS_IMPORT_APPROXIMATED, 1, "joint that moves no mass",
                             "gets an inertia of its own: 1e-7 kg m^2, or 1e-4 kg along a slide",
                             ts_builder_string(reader->builder, label->file), label->line);
    }
    free(carried);
}

void ts_urdf_add_mimics(ts_urdf_reader* reader) {
    for (int i = 0; i < reader->joint.count && !reader->xml.code; ++i) {
        const ts_urdf_joint* joint = &reader->joint.data[i];
        if (joint->mimics < 0) continue;
        const ts_urdf_joint* other = &reader->joint.data[joint->mimics];
        const ts_xml_node* place = ts_urdf_child(reader, joint->node, "mimic");
        if (other == joint || other->type == TS_URDF_FLOATING || other->type == TS_URDF_PLANAR) {
            ts_urdf_fail(reader, place, TS_ERROR_VALUE, "joint '%.80s' cannot be mimicked by '%.80s'", other->name,
                         joint->name);
            return;
        }
        ts_equality_def def = ts_equality_def_default();
        def.kind = "joint-equality";
        def.name = joint->name;
        def.joint[0] = joint->def;
        // A fixed joint stands at zero.
        def.joint[1] = other->def;
        def.coefficient[0] = joint->offset;
        def.coefficient[1] = other->def < 0 ? 0.0 : joint->multiplier;
        def.file = place->file;
        def.line = place->line;
        if (ts_builder_add_equality(reader->builder, &def) < 0)
            ts_urdf_fail(reader, place, TS_ERROR_MEMORY, "out of memory");
    }
}
