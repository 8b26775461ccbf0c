// Every definition by itself: finite numbers, unit axes and quaternions, sane signs, unique names, free joints where
// they may be. What depends on several bodies (masses, sizes of keyframes) is judged later in builder_mass.c and
// builder_finish.c.
#include "base/scalar.h"
#include "engine/model/builder_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ts_code ts_builder_refuse(const ts_builder* builder, const ts_builder_label* label, const char* kind, int index,
                          ts_status* out_status, const char* format, ...) {
    char why[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    const char* name = ts_builder_string(builder, label->name);
    const char* file = label->file ? ts_builder_string(builder, label->file) : NULL;
    if (name[0]) return ts_status_set(out_status, TS_ERROR_VALUE, file, label->line, "%s '%.80s': %s", kind, name, why);
    return ts_status_set(out_status, TS_ERROR_VALUE, file, label->line, "%s %d (unnamed): %s", kind, index, why);
}

// Rounding of quaternions typed with few digits is mended silently; zero or not finite is no rotation at all.
static int normalise(ts_pose* pose) {
    double n = ts_quat_norm(pose->rotation);
    if (!ts_vec3_is_finite(pose->position) || !isfinite(n) || n < 1e-10) return 0;
    if (fabs(n - 1.0) > 1e-15) pose->rotation = ts_quat_normalize(pose->rotation);
    return 1;
}

static const char pose_message[] = "its position is not finite or its quaternion is zero or not finite";

static int is_finite_mat3(const ts_mat3* a) {
    for (int i = 0; i < 3; ++i)
        if (!ts_vec3_is_finite(ts_mat3_row(a, i))) return 0;
    return 1;
}

static ts_code check_bodies(ts_builder* builder, ts_status* out_status) {
    for (int i = 1; i < builder->body.count; ++i) {
        ts_builder_body* b = &builder->body.data[i];
        const char* why = NULL;
        if (!normalise(&b->def.pose))
            why = pose_message;
        else if (isnan(b->def.mass) || isinf(b->def.mass))
            why = "its mass is not finite";
        else if (b->def.is_mocap && b->def.parent != 0)
            why = "it is moved from outside, and so must be a child of the world";
        else if (!isfinite(b->def.buoyancy))
            why = "its buoyancy is not finite";
        else if (b->def.mass >= 0.0 && (!ts_vec3_is_finite(b->def.centre) || !is_finite_mat3(&b->def.inertia)))
            why = "its centre of mass or inertia is not finite";
        else if (!ts_vec3_is_finite(b->free_linear) || !ts_vec3_is_finite(b->free_angular))
            why = "its initial velocity is not finite";
        if (why) return ts_builder_refuse(builder, &b->label, "body", i, out_status, "%s", why);
    }
    return TS_OK;
}

static const char* joint_range_fault(const ts_joint_def* def) {
    if (!def->limited) return NULL;
    if (!isfinite(def->range[0]) || !isfinite(def->range[1])) return "its range is not finite";
    return ts_joint_traits_of(def->type)->range_fault(def->range);
}

static const char* joint_number_fault(const ts_joint_def* def) {
    const double number[] = {def->reference, def->spring,   def->spring_rest, def->damping,
                             def->armature,  def->friction, def->spring_time, def->spring_ratio};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i)
        if (!isfinite(number[i])) return "a number is not finite";
    if (def->spring < 0.0) return "its spring stiffness is negative";
    if (ts_builder_curve_fault(&def->curve)) return ts_builder_curve_fault(&def->curve);
    if (def->curve.is_there && ts_joint_type_nv(def->type) != 1)
        return "only springs and dampers of hinges and slides can have curves";
    if (def->damping < 0.0) return "its damping is negative";
    if (def->armature < 0.0) return "its armature is negative";
    if (def->friction < 0.0) return "its dry friction is negative";
    if (ts_stop_softness_fault(&def->softness)) return ts_stop_softness_fault(&def->softness);
    if (!def->actuation.limited) return NULL;
    return def->actuation.range[0] <= def->actuation.range[1] ? NULL
                                                              : "the range of its actuation is empty or no number";
}

// What joints of this type cannot have, as the end of "a hinge joint cannot".
static const char* joint_trait_fault(const ts_joint_def* def) {
    const ts_joint_traits* traits = ts_joint_traits_of(def->type);
    if (def->limited && !traits->stops) return "be limited";
    return traits->floats && def->spring > 0.0 ? "have a spring" : NULL;
}

static const char* joint_axis_fault(ts_joint_def* def) {
    if (!ts_joint_traits_of(def->type)->has_axis) {
        def->axis = ts_vec3_axis(2);
        return NULL;
    }
    if (!ts_vec3_is_finite(def->axis)) return "its axis is not finite";
    if (ts_vec3_norm(def->axis) < 1e-10) return "its axis is zero";
    if (fabs(ts_vec3_norm(def->axis) - 1.0) > 1e-15) def->axis = ts_vec3_unit_or(def->axis, def->axis);
    return NULL;
}

static const char* joint_fault(const ts_builder* builder, ts_joint_def* def, int index) {
    const char* why = joint_number_fault(def);
    if (!why) why = joint_range_fault(def);
    if (why) return why;
    if (!ts_vec3_is_finite(def->anchor)) return "its anchor is not finite";
    const ts_builder_body* body = &builder->body.data[def->body];
    if (body->def.is_mocap) return "its body is moved from outside, and so cannot have joints";
    if (body->free_joint >= 0 && body->free_joint != index) return "a free joint must be its body's only joint";
    if (ts_joint_traits_of(def->type)->floats) {
        if (body->def.parent != 0) return "a free joint must be on a child of the world";
        // A free joint moves the body's frame itself.
        def->anchor = ts_vec3_zero();
    }
    return joint_axis_fault(def);
}

static ts_code check_joints(ts_builder* builder, ts_status* out_status) {
    for (int i = 0; i < builder->joint.count; ++i) {
        ts_builder_joint* j = &builder->joint.data[i];
        const char* why = NULL;
        if (j->def.body == 0) why = "the world cannot have joints";
        if (!why && (unsigned)j->def.type >= (unsigned)TS_JOINT_TYPE_COUNT) why = "its type is unknown";
        if (why) return ts_builder_refuse(builder, &j->label, "joint", i, out_status, "%s", why);
        why = joint_trait_fault(&j->def);
        if (why)
            return ts_builder_refuse(builder, &j->label, "joint", i, out_status, "a %s joint cannot %s",
                                     ts_joint_type_name(j->def.type), why);
        why = joint_fault(builder, &j->def, i);
        if (why) return ts_builder_refuse(builder, &j->label, "joint", i, out_status, "%s", why);
    }
    return TS_OK;
}

static const char* geom_fault(ts_geom_def* def) {
    if (!normalise(&def->pose)) return pose_message;
    const char* why = ts_surface_fault(&def->surface);
    if (why) return why;
    if (!isfinite(def->mass)) return "its mass is not finite";
    if (def->mass < 0.0 && (!(def->density >= 0.0) || isinf(def->density)))
        return "its density must be finite and not negative";
    for (int k = 0; k < 4; ++k)
        if (!isfinite((double)def->rgba[k])) return "its colour is not finite";
    return NULL;
}

static ts_code check_geoms(ts_builder* builder, ts_status* out_status) {
    for (int i = 0; i < builder->geom.count; ++i) {
        ts_builder_geom* g = &builder->geom.data[i];
        const char* why = geom_fault(&g->def);
        if (why) return ts_builder_refuse(builder, &g->label, "geom", i, out_status, "%s", why);
        ts_status shape;
        memset(&shape, 0, sizeof shape);
        if (ts_shape_validate(&g->def.shape, &shape))
            return ts_builder_refuse(builder, &g->label, "geom", i, out_status, "%s", shape.message);
    }
    return TS_OK;
}

static ts_code check_sites(ts_builder* builder, ts_status* out_status) {
    for (int i = 0; i < builder->site.count; ++i) {
        ts_builder_site* s = &builder->site.data[i];
        if (!normalise(&s->pose)) return ts_builder_refuse(builder, &s->label, "site", i, out_status, pose_message);
        double size[] = {s->shape.radius, s->shape.half.x, s->shape.half.y, s->shape.half.z}, sum = 0.0;
        for (int k = 0; k < 4; ++k) sum += size[k] >= 0.0 ? size[k] : (double)NAN;
        if (!isfinite(sum) || ts_shape_kind_info_of(s->shape.kind)->made_of)
            return ts_builder_refuse(builder, &s->label, "site", i, out_status,
                                     "its size must be finite and not negative");
    }
    return TS_OK;
}

static ts_code check_cameras(ts_builder* builder, ts_status* out_status) {
    for (int i = 0; i < builder->camera.count; ++i) {
        ts_builder_camera* c = &builder->camera.data[i];
        int aims = c->is.mode == TS_MODEL_CAMERA_TARGET || c->is.mode == TS_MODEL_CAMERA_TARGET_CENTRE;
        const char* why = NULL;
        if (!normalise(&c->is.pose)) why = pose_message;
        if ((int)c->is.mode < 0 || c->is.mode >= TS_MODEL_CAMERA_MODE_COUNT) why = "there is no such mode";
        if (aims && (c->is.target < 0 || c->is.target >= builder->body.count))
            why = "there is no body that it looks at";
        if (!(c->is.field_of_view > 0.0 && c->is.field_of_view < TS_PI))
            why = "its field of view must lie between 0 and 180 degrees";
        if (why) return ts_builder_refuse(builder, &c->label, "camera", i, out_status, "%s", why);
        if (!aims) c->is.target = -1;
    }
    return TS_OK;
}

// A name with the definition it belongs to.
typedef struct named {
    const char* name;
    int index;
} named;

static int compare_named(const void* a, const void* b) {
    const named* x = (const named*)a;
    const named* y = (const named*)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

// `first` is the label of definition 0, `stride` the bytes from one to the next.
static ts_code check_names(const ts_builder* builder, const char* kind, const void* first, size_t stride, int count,
                           ts_status* out_status) {
    if (count < 2) return TS_OK;
    named* list = (named*)malloc((size_t)count * sizeof *list);
    if (!list) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    int used = 0;
    for (int i = 0; i < count; ++i) {
        const ts_builder_label* label = (const ts_builder_label*)((const char*)first + (size_t)i * stride);
        if (label->name == 0) continue;
        list[used].name = ts_builder_string(builder, label->name);
        list[used++].index = i;
    }
    qsort(list, (size_t)used, sizeof *list, compare_named);
    ts_code code = TS_OK;
    for (int i = 1; i < used && !code; ++i) {
        if (strcmp(list[i - 1].name, list[i].name) != 0) continue;
        const ts_builder_label* label = (const ts_builder_label*)((const char*)first + (size_t)list[i].index * stride);
        code = ts_builder_refuse(builder, label, kind, list[i].index, out_status, "another %s has the same name", kind);
    }
    free(list);
    return code;
}

static ts_code check_all_names(const ts_builder* b, ts_status* out_status) {
    ts_code code = check_names(b, "body", &b->body.data->label, sizeof *b->body.data, b->body.count, out_status);
    if (!code && b->joint.count)
        code = check_names(b, "joint", &b->joint.data->label, sizeof *b->joint.data, b->joint.count, out_status);
    if (!code && b->geom.count)
        code = check_names(b, "geom", &b->geom.data->label, sizeof *b->geom.data, b->geom.count, out_status);
    if (!code && b->site.count)
        code = check_names(b, "site", &b->site.data->label, sizeof *b->site.data, b->site.count, out_status);
    if (!code && b->camera.count)
        code = check_names(b, "camera", &b->camera.data->label, sizeof *b->camera.data, b->camera.count, out_status);
    if (!code && b->equality.count)
        code = check_names(b, "equality", &b->equality.data->label, sizeof *b->equality.data, b->equality.count,
                           out_status);
    if (!code && b->tendon.count)
        code = check_names(b, "tendon", &b->tendon.data->label, sizeof *b->tendon.data, b->tendon.count, out_status);
    if (!code && b->actuator.count)
        code = check_names(b, "actuator", &b->actuator.data->label, sizeof *b->actuator.data, b->actuator.count,
                           out_status);
    if (!code && b->sensor.count)
        code = check_names(b, "sensor", &b->sensor.data->label, sizeof *b->sensor.data, b->sensor.count, out_status);
    if (!code && b->key.count)
        code = check_names(b, "keyframe", &b->key.data->label, sizeof *b->key.data, b->key.count, out_status);
    return code;
}

ts_code ts_builder_check(ts_builder* builder, ts_status* out_status) {
    if (builder->pool.failed || builder->source.failed)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    if (builder->homeless)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s: there was no body %d when it was added",
                             builder->homeless, builder->homeless_body);
    ts_code code = ts_options_check(&builder->options, out_status);
    ts_builder_settle_actuators(builder);
    if (!code) code = check_bodies(builder, out_status);
    if (!code) code = check_joints(builder, out_status);
    if (!code) code = check_geoms(builder, out_status);
    if (!code) code = check_sites(builder, out_status);
    if (!code) code = check_cameras(builder, out_status);
    if (!code) code = ts_builder_check_looks(builder, out_status);
    if (!code) code = check_all_names(builder, out_status);
    return code;
}
