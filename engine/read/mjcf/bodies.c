// <worldbody>: the tree of bodies, with frames folded into plain poses: a frame is no body, its pose is multiplied onto
// whatever stands inside of it.
#include "base/scalar.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/read/mjcf/mjcf_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_contents(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope);

void ts_mjcf_note(ts_mjcf_reader* reader, const ts_xml_node* node, ts_name_table* names, const char* name, int index) {
    if (index < 0 || (name && ts_name_table_find(names, name) < 0 && !ts_name_table_put(names, name, index)))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

// Words of site@type; a mesh is seen as a ball.
enum { SITE_TYPES = 6 };
static const char* const site_types[SITE_TYPES] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
static const ts_shape_kind site_kinds[SITE_TYPES] = {TS_SHAPE_SPHERE,   TS_SHAPE_CAPSULE, TS_SHAPE_ELLIPSOID,
                                                     TS_SHAPE_CYLINDER, TS_SHAPE_BOX,     TS_SHAPE_SPHERE};

static void read_site(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    ts_mjcf_check(reader, node, "site");
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_SITE, scope->childclass);
    double size[3] = {0.005, 0.005, 0.005}, half = 0.0;
    ts_pose pose = ts_mjcf_pose(&e);
    ts_mjcf_reals(&e, "size", size, 1, 3);
    ts_shape_kind kind = site_kinds[ts_mjcf_word(&e, "type", site_types, SITE_TYPES, 0)];
    if (ts_mjcf_from_to(&e, &pose, &half)) {
        int solid = kind == TS_SHAPE_BOX || kind == TS_SHAPE_ELLIPSOID;
        size[1] = solid ? size[0] : half;
        size[2] = half;
    }
    ts_shape shape = ts_shape_make(kind, size);
    if (size[0] < 0.0 || size[1] < 0.0 || size[2] < 0.0)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "size of site is negative");
    if (reader->xml.code) return;
    const char* name = ts_xml_value(node, "name");
    int index = ts_builder_add_site(reader->builder, name, scope->body, ts_pose_mul(scope->frame, pose), shape,
                                    node->file, node->line);
    ts_mjcf_note(reader, node, &reader->site_name, name, index);
}

// The angle of a picture's height, rad. One without perspective has a height in metres there, which is of no use to an eye.
static double read_field_of_view(const ts_mjcf_element* e) {
    static const char* const projections[] = {"perspective", "orthographic"};
    static const double usual = 45.0;
    double degrees = ts_mjcf_real(e, "fovy", usual);
    if (ts_mjcf_word(e, "projection", projections, 2, 0) == 1) degrees = usual;
    if (!(degrees > 0.0 && degrees < 180.0))
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "fovy of camera must lie between 0 and 180 degrees");
    return degrees * TS_PI / 180.0;
}

static void read_camera(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    ts_mjcf_check(reader, node, "camera");
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_CAMERA, scope->childclass);
    ts_model_camera camera = {
        ts_xml_value(node, "name"),
        scope->body,
        ts_pose_mul(scope->frame, ts_mjcf_pose(&e)),
        (ts_model_camera_mode)ts_mjcf_word(&e, "mode", ts_builder_camera_modes, TS_MODEL_CAMERA_MODE_COUNT, 0),
        -1,
        read_field_of_view(&e)};
    if (reader->xml.code) return;
    int index = ts_builder_add_camera(reader->builder, &camera, node->file, node->line);
    ts_mjcf_note(reader, node, &reader->camera_name, camera.name, index);
    if (camera.mode != TS_MODEL_CAMERA_TARGET && camera.mode != TS_MODEL_CAMERA_TARGET_CENTRE) return;
    ts_mjcf_aim aim = {node, ts_mjcf_text(&e, "target", NULL), index};
    if (!aim.target) {
        reader->builder->camera.data[index].is.mode = TS_MODEL_CAMERA_FIXED;
        ts_mjcf_report(reader, node, TS_IMPORT_APPROXIMATED, 0, "camera without target",
                       "looks where it is turned (as in MuJoCo)");
        return;
    }
    if (!ts_mjcf_aim_array_push(&reader->aims, aim)) ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_aim_cameras(ts_mjcf_reader* reader) {
    for (int i = 0; i < reader->aims.count && !reader->xml.code; ++i) {
        const ts_mjcf_aim* aim = &reader->aims.data[i];
        int body = ts_name_table_find(&reader->body_name, aim->target);
        if (body < 0)
            ts_mjcf_fail(reader, aim->node, TS_ERROR_VALUE, "camera: there is no body '%.80s' that it could look at",
                         aim->target);
        reader->builder->camera.data[aim->camera].is.target = body;
    }
}

// --- joints ---

static void add_joint(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope, ts_joint_def* def) {
    if (scope->body == 0) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "the world cannot have joints");
    def->name = ts_xml_value(node, "name");
    def->body = scope->body;
    def->file = node->file;
    def->line = node->line;
    if (reader->xml.code) return;
    ts_mjcf_note(reader, node, &reader->joint_name, def->name, ts_builder_add_joint(reader->builder, def));
}

// The first of up to three numbers; the others make springs and dampers of hinges and slides nonlinear.
static double read_coefficients(const ts_mjcf_element* e, const char* name, const char* what, ts_joint_type type,
                                double* out_more) {
    double value[3] = {0.0, 0.0, 0.0};
    ts_mjcf_reals(e, name, value, 1, 3);
    if (ts_joint_type_nv(type) == 1)
        memcpy(out_more, value + 1, 2 * sizeof *out_more);
    else if (value[1] != 0.0 || value[2] != 0.0)
        ts_mjcf_report(e->reader, e->node, TS_IMPORT_APPROXIMATED, 1, what, "only the linear coefficient counts");
    return value[0];
}

// Whether a range is to be kept: when it is said, or when there is one and nothing is said.
static int is_limited(const ts_mjcf_element* e, const char* attribute, const char* range, int needs_range) {
    static const char* const words[] = {"false", "true", "auto"};
    int has_range = ts_mjcf_text(e, range, NULL) != NULL, limited = ts_mjcf_word(e, attribute, words, 3, 2);
    if (limited == 1 && !has_range && needs_range)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "the joint is %s but has no %s", attribute, range);
    return limited == 1 || (limited == 2 && has_range && ts_mjcf_compiler_of(e->reader, e->node)->auto_limits);
}

// rad: of a ball that may not turn.
static const double least_ball_turn = 1e-6;

static void read_limits(const ts_mjcf_element* e, ts_joint_def* def, double unit) {
    def->range[0] *= unit;
    def->range[1] *= unit;
    // A class hands it to free joints, too, which have none. A ball that is limited without a range may not turn, as in MuJoCo.
    def->limited = is_limited(e, "limited", "range", def->type != TS_JOINT_FREE && def->type != TS_JOINT_BALL);
    if (e->reader->switches.no_limit) def->limited = 0;
    if (!def->limited || def->type != TS_JOINT_BALL || def->range[0] != 0.0 || def->range[1] != 0.0) return;
    def->range[1] = least_ball_turn;
    ts_mjcf_report(e->reader, e->node, TS_IMPORT_APPROXIMATED, 0, "joint@limited (ball joint without a range)",
                   "it may not turn; a millionth of a radian is taken for that");
}

static void drop(const ts_mjcf_element* e, const ts_joint_def* def, const char* attribute, const char* what) {
    char place[96], meaning[96];
    snprintf(place, sizeof place, "joint@%s (%s joint)", attribute, ts_joint_type_name(def->type));
    snprintf(meaning, sizeof meaning, "a %s joint has no %s", ts_joint_type_name(def->type), what);
    ts_mjcf_report(e->reader, e->node, TS_IMPORT_IGNORED, 1, place, meaning);
}

// What joints of this type cannot have, though a class may hand it to them.
static void drop_impossible(const ts_mjcf_element* e, ts_joint_def* def) {
    const ts_joint_traits* traits = ts_joint_traits_of(def->type);
    if (def->limited && !traits->stops) {
        drop(e, def, "range", "limits");
        def->limited = 0;
    }
    if (def->spring > 0.0 && traits->floats) {
        drop(e, def, "stiffness", "springs");
        def->spring = 0.0;
    }
}

static void read_joint(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    const char* types[TS_JOINT_TYPE_COUNT];
    for (int t = 0; t < TS_JOINT_TYPE_COUNT; ++t) types[t] = ts_joint_type_name((ts_joint_type)t);
    ts_mjcf_check(reader, node, "joint");
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_JOINT, scope->childclass);
    const ts_mjcf_switches* c = &reader->switches;
    ts_joint_def def = ts_joint_def_default();
    def.type = (ts_joint_type)ts_mjcf_word(&e, "type", types, TS_JOINT_TYPE_COUNT, TS_JOINT_HINGE);
    double unit = ts_joint_traits_of(def.type)->is_angle ? ts_mjcf_compiler_of(reader, node)->angle : 1.0;
    ts_mjcf_take(&e, "joint", &def);
    if (ts_vec3_norm(def.axis) < 1e-10) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "axis of joint is zero");
    def.anchor = ts_pose_apply(scope->frame, def.anchor);
    def.axis = ts_quat_rotate(scope->frame.rotation, def.axis);
    def.reference *= unit;
    def.spring_rest *= unit;
    def.spring = read_coefficients(&e, "stiffness", "joint@stiffness (nonlinear)", def.type, def.curve.spring);
    def.damping = read_coefficients(&e, "damping", "joint@damping (nonlinear)", def.type, def.curve.damping);
    double oscillator[2];
    if (ts_mjcf_reals(&e, "springdamper", oscillator, 2, 2) && oscillator[0] > 0.0 && oscillator[1] > 0.0) {
        def.spring_time = oscillator[0];
        def.spring_ratio = oscillator[1];
    }
    read_limits(&e, &def, unit);
    def.actuation.limited = is_limited(&e, "actuatorfrclimited", "actuatorfrcrange", 1);
    if (ts_mjcf_bool(&e, "actuatorgravcomp", 0))
        ts_mjcf_report(reader, node, TS_IMPORT_APPROXIMATED, def.actuation.limited, "joint@actuatorgravcomp",
                       "what compensates gravity counts as no force of actuators and has no limit");
    if (c->no_passive) def.spring_time = 0.0;
    if (c->no_spring || c->no_passive) def.spring = 0.0;
    if (c->no_damper || c->no_passive) def.damping = 0.0;
    if (c->no_friction) def.friction = 0.0;
    ts_mjcf_settle_curve(c, &def.curve);
    drop_impossible(&e, &def);
    add_joint(reader, node, scope, &def);
}

static void read_free_joint(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    ts_mjcf_check(reader, node, "freejoint");
    ts_joint_def def = ts_joint_def_default();
    def.type = TS_JOINT_FREE;
    add_joint(reader, node, scope, &def);
}

// --- bodies ---

static void read_inertial(ts_mjcf_reader* reader, const ts_xml_node* node, ts_body_def* def) {
    ts_mjcf_check(reader, node, "inertial");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_pose pose = ts_mjcf_pose(&e);
    double mass = 0.0, diagonal[3] = {0.0, 0.0, 0.0}, full[6];
    if (!ts_mjcf_reals(&e, "mass", &mass, 1, 1)) ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "inertial needs a mass");
    if (mass < 0.0) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "mass of inertial is negative");
    def->mass = mass;
    def->centre = pose.position;
    int has_diagonal = ts_mjcf_reals(&e, "diaginertia", diagonal, 3, 3);
    if (ts_mjcf_reals(&e, "fullinertia", full, 6, 6)) {
        if (has_diagonal) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "inertial has both diaginertia and fullinertia");
        if (ts_xml_value(node, "quat") || ts_xml_value(node, "euler") || ts_xml_value(node, "axisangle") ||
            ts_xml_value(node, "xyaxes") || ts_xml_value(node, "zaxis"))
            ts_mjcf_fail(reader, node, TS_ERROR_VALUE,
                         "fullinertia is in the body's axes: no orientation can be given");
        def->inertia =
            ts_mat3_from_rows(ts_vec3_make(full[0], full[3], full[4]), ts_vec3_make(full[3], full[1], full[5]),
                              ts_vec3_make(full[4], full[5], full[2]));
        return;
    }
    for (int i = 0; i < 3; ++i)
        if (diagonal[i] < 0.0) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "diaginertia of inertial is negative");
    def->has_axes = 1;
    def->axes = pose.rotation;
    def->inertia = ts_mat3_rotate_tensor(ts_quat_to_mat3(pose.rotation), ts_mat3_diagonal(ts_vec3_load(diagonal)));
}

// Whether the body that `node` opens has joints of its own, be it inside of frames.
static int has_joints(const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child; child = child->next) {
        if (strcmp(child->name, "joint") == 0 || strcmp(child->name, "freejoint") == 0) return 1;
        if (strcmp(child->name, "frame") == 0 && has_joints(child)) return 1;
    }
    return 0;
}

static int child_class(ts_mjcf_reader* reader, const ts_xml_node* node, int inherited) {
    const char* name = ts_xml_value(node, "childclass");
    return name ? ts_mjcf_find_class(reader, node, name) : inherited;
}

// What the file says of a body's sleep. Of policies only "never" changes something here.
static void read_sleep(const ts_mjcf_element* e, ts_body_def* out_def) {
    static const char* const policy[] = {"auto", "allowed", "never", "init"};
    int chosen = ts_mjcf_word(e, "sleep", policy, 4, 0);
    out_def->stays_awake = chosen == 2;
    if (chosen == 3)
        ts_mjcf_report(e->reader, e->node, TS_IMPORT_APPROXIMATED, 1, "body@sleep",
                       "init: it begins awake, and sleeps once it was quiet");
}

static void read_body(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    ts_mjcf_check(reader, node, "body");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_body_def def = ts_body_def_default();
    ts_mjcf_take(&e, "body", &def);
    read_sleep(&e, &def);
    if (def.is_mocap && (has_joints(node) || scope->body != 0))
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "a mocap body must be a child of the world and cannot have joints");
    def.name = ts_xml_value(node, "name");
    def.parent = scope->body;
    def.pose = ts_pose_mul(scope->frame, ts_mjcf_pose(&e));
    def.file = node->file;
    def.line = node->line;
    const ts_xml_node* inertial = NULL;
    for (const ts_xml_node* child = node->child; child; child = child->next) {
        if (strcmp(child->name, "inertial") != 0) continue;
        if (inertial) ts_mjcf_fail(reader, child, TS_ERROR_PARSE, "a second <inertial> in the same body");
        inertial = child;
    }
    int mode = ts_mjcf_compiler_of(reader, node)->inertia_from_geom;
    if (inertial && mode != 1) {
        read_inertial(reader, inertial, &def);
    } else if (inertial) {
        ts_body_def unused = def;
        read_inertial(reader, inertial, &unused);
    } else if (mode == 0) {
        def.mass = 0.0;
    }
    if (reader->xml.code) return;
    ts_mjcf_scope inside = *scope;
    inside.mass_from_geoms = def.mass < 0.0;
    inside.moves = scope->moves || has_joints(node);
    inside.childclass = child_class(reader, node, scope->childclass);
    inside.frame = ts_pose_identity();
    inside.body = ts_builder_add_body(reader->builder, &def);
    ts_mjcf_note(reader, node, &reader->body_name, def.name, inside.body);
    if (!reader->xml.code) read_contents(reader, node, &inside);
}

// --- frames ---

static void read_frame(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    ts_mjcf_check(reader, node, "frame");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_scope inside = *scope;
    inside.frame = ts_pose_mul(scope->frame, ts_mjcf_pose(&e));
    inside.childclass = child_class(reader, node, scope->childclass);
    read_contents(reader, node, &inside);
}

static void read_contents(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope) {
    static const struct {
        const char* name;
        void (*read)(ts_mjcf_reader*, const ts_xml_node*, const ts_mjcf_scope*);
    } readers[] = {
        {"body", read_body}, {"geom", ts_mjcf_read_geom}, {"joint", read_joint}, {"freejoint", read_free_joint},
        {"site", read_site}, {"camera", read_camera},     {"frame", read_frame}};
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        ts_mjcf_scope inside = *scope;
        // What comes from another document knows nothing of the classes around it.
        if (child->document != node->document) inside.childclass = 0;
        size_t i = 0;
        while (i < sizeof readers / sizeof readers[0] && strcmp(readers[i].name, child->name) != 0) ++i;
        if (i < sizeof readers / sizeof readers[0]) {
            readers[i].read(reader, child, &inside);
        } else if (strcmp(child->name, "inertial") == 0) {
            // Read with its body already; nowhere else does it mean anything.
            if (strcmp(node->name, "body") != 0) ts_mjcf_unknown_element(reader, child);
        } else if (!ts_mjcf_report_element(reader, child, "body")) {
            ts_mjcf_unknown_element(reader, child);
        }
    }
}

void ts_mjcf_read_world(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_scope scope;
    memset(&scope, 0, sizeof scope);
    scope.frame = ts_pose_identity();
    scope.childclass = child_class(reader, node, 0);
    ts_mjcf_check(reader, node, "worldbody");
    read_contents(reader, node, &scope);
}
