// Forward kinematics.
//
// Problem: poses of bodies and geoms, the motion each degree of freedom causes, twists and inertias, from qpos and qvel.
// Rule: every spatial quantity of a tree is written in world axes about one point of that tree, the centre of mass of
// its root body. With a common frame, composite inertias and momenta simply add up: neither CRBA nor RNEA needs a
// transform. The point moves with the tree, so numbers stay small however far the tree is from the world's origin. For
// the dynamics the point counts as fixed in space at the instant considered.
// Source: standard; Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 2 and 5, in this choice of frame.
//
// Joints of one body act in order, each in the frame that the ones before have left: a hinge turns the body about the
// world line through its anchor, a slide shifts it. Rotations are rebuilt from the coordinates every time and so do not
// drift.
#include "engine/dynamics/kinematics.h"

#include <math.h>
#include <string.h>

#include "engine/dynamics/kinematics_frame_internal.h"
#include "engine/dynamics/kinematics_walk_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

static int is_turned(const ts_transform* local) {
    ts_mat3 I = ts_mat3_identity();
    return memcmp(&local->R, &I, sizeof I) != 0;
}

static int is_trivial(const ts_transform* local) { return !is_turned(local) && ts_vec3_max_abs(local->p) == 0.0; }

// Whether a joint puts the body somewhere, wherever its pose is.
static int is_placed(const ts_model* model, const ts_body* body) {
    return body->joint_count > 0 && model->joint[body->joint_first].type == TS_JOINT_FREE;
}

// Those that are not trivial, and of what is moved from outside all that it may become; counted, and noted where there is room for them.
static int seat_all(const ts_model* model, ts_kinematics* k) {
    int count = 1;
    for (int b = 0; b < model->body_count; ++b) {
        ts_transform local = ts_transform_from_pose(model->body[b].pose);
        if (model->body[b].mocap < 0 && (is_placed(model, &model->body[b]) || is_trivial(&local))) continue;
        if (k->seated) k->seated[count] = local;
        k->body_seat[b] = 2 * count++ + is_turned(&local);
    }
    for (int g = 0; g < model->geom_count; ++g) {
        ts_transform local = ts_transform_from_pose(model->geom[g].pose);
        if (is_trivial(&local)) continue;
        if (k->seated) k->seated[count] = local;
        k->geom_seat[g] = 2 * count++ + is_turned(&local);
    }
    return count;
}

// Where the poses of geoms are: with their bodies, but for those that are seated. Returns how many poses there are.
static int place_geoms(const ts_model* model, ts_kinematics* k) {
    k->pose_count = model->body_count;
    for (int g = 0; g < model->geom_count; ++g)
        k->geom_place[g] = k->geom_seat[g] ? k->pose_count++ : model->geom[g].body;
    return k->pose_count;
}

// How the joint turns its body.
static ts_hinge_way way_of(const ts_joint* joint) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    if (!traits->has_axis || !traits->is_angle) return TS_HINGE_NONE;
    ts_vec3 axis = joint->axis;
    int way = axis.y == 0.0 && axis.z == 0.0   ? TS_HINGE_X
              : axis.z == 0.0 && axis.x == 0.0 ? TS_HINGE_Y
              : axis.x == 0.0 && axis.y == 0.0 ? TS_HINGE_Z
                                               : TS_HINGE_ASKEW;
    return (ts_hinge_way)(ts_vec3_max_abs(joint->anchor) == 0.0 ? way | TS_HINGE_CENTRED : way);
}

// Coordinates up to the last hinge's: many free bodies have none.
static int count_turns(const ts_model* model) {
    int count = 0;
    for (int j = 0; j < model->joint_count; ++j)
        if (way_of(&model->joint[j]) != TS_HINGE_NONE && model->joint[j].qpos_first >= count)
            count = model->joint[j].qpos_first + 1;
    return count;
}

// Bodies up to the last one that is no lone body.
static int count_bodies(const ts_model* model) {
    int count = 0;
    for (int b = 0; b < model->body_count; ++b)
        if (!ts_kinematics_is_lone(model, b)) count = b + 1;
    return count;
}

// Joints up to the last one of such a body.
static int count_anchors(const ts_model* model) {
    int count = 0;
    for (int j = 0; j < model->joint_count; ++j)
        if (!ts_kinematics_is_lone(model, model->joint[j].body)) count = j + 1;
    return count;
}

// Which dofs have axes of their own: from the first to the last of trees that are more than a lone body.
static void find_axes(const ts_model* model, ts_kinematics* k) {
    for (int t = 0; t < model->tree_count; ++t) {
        const ts_kinematic_tree* tree = &model->tree[t];
        if (tree->kind != TS_TREE_GENERAL) {
            k->has_lone = 1;
            continue;
        }
        if (k->axis_count == 0) k->axis_first = tree->dof_first;
        k->axis_count = tree->dof_first + tree->dof_count - k->axis_first;
    }
}

// Where the hinges of all trees are.
static void find_hinges(const ts_model* model, ts_kinematics* k) {
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        int *range = k->turn_range + 2 * model->body[joint->body].tree, at = joint->qpos_first;
        k->hinge_way[j] = (unsigned char)way_of(joint);
        if (k->hinge_way[j] == TS_HINGE_NONE) continue;
        k->turn_zero[at] = joint->reference;
        if (range[0] == range[1]) range[0] = at;
        range[0] = at < range[0] ? at : range[0];
        range[1] = at + 1 > range[1] ? at + 1 : range[1];
    }
}

void ts_kinematics_find_tree(const ts_model* model, const double* qpos, const double* qvel, unsigned parts, int tree,
                             ts_kinematics* kinematics) {
    int first = model->tree[tree].dof_first;
    if ((parts & TS_KINEMATICS_TWISTS) == TS_KINEMATICS_TWISTS)
        memcpy(kinematics->dof_velocity + first, qvel + first, (size_t)model->tree[tree].dof_count * sizeof(double));
    ts_kinematics_walk(model, tree, qpos, parts, kinematics);
}

void ts_kinematics_find(const ts_model* model, const double* qpos, const double* qvel, unsigned parts,
                        ts_kinematics* kinematics) {
    for (int t = 0; t < model->tree_count; ++t) ts_kinematics_find_tree(model, qpos, qvel, parts, t, kinematics);
}

void ts_kinematics_tree(const ts_model* model, const double* qpos, const double* qvel, int tree,
                        ts_kinematics* kinematics) {
    ts_kinematics_find_tree(model, qpos, qvel, TS_KINEMATICS_ALL, tree, kinematics);
}

void ts_kinematics_update(const ts_model* model, const double* qpos, const double* qvel, ts_kinematics* kinematics) {
    ts_kinematics_find(model, qpos, qvel, TS_KINEMATICS_ALL, kinematics);
}

// What has no joints above it hangs on the world only: it is placed before all trees, once for ever unless it is moved from outside.
static void place_fixed_bodies(const ts_model* model, ts_kinematics* k) {
    for (int b = 0; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        if (body->tree >= 0) continue;
        const ts_transform world = {ts_mat3_identity(), ts_vec3_zero()};
        ts_frame_four f = ts_frame_four_load(body->parent < 0 ? &world : &k->body_pose[body->parent]);
        if (body->parent >= 0) f = ts_frame_four_seated(&f, k->seated, k->body_seat[b]);
        ts_frame_four_store(f, &k->body_pose[b]);
        ts_four_store_three(ts_frame_four_point(&f, body->centre), &k->body_centre[b].x);
        for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) ts_frame_four_place_geom(&f, g, k);
        ts_mat3 turned = ts_mat3_rotate_tensor(k->body_pose[b].R, body->inertia);
        k->body_inertia[b] = ts_inertia_make(body->mass, k->body_centre[b], turned);
    }
}

void ts_kinematics_place(const ts_model* model, const double* mocap, ts_kinematics* kinematics) {
    for (int b = 0; b < model->body_count; ++b) {
        if (model->body[b].mocap < 0) continue;
        const double* at = mocap + 7 * model->body[b].mocap;
        ts_quat rotation = ts_quat_load(at + 3);
        double norm = ts_quat_norm(rotation);
        if (fabs(norm - 1.0) > 1e-15) rotation = norm > 1e-10 ? ts_quat_normalize(rotation) : ts_quat_identity();
        ts_transform* local = &kinematics->seated[kinematics->body_seat[b] >> 1];
        *local = ts_transform_from_pose((ts_pose){ts_vec3_load(at), rotation});
        kinematics->body_seat[b] = (kinematics->body_seat[b] & ~1) | is_turned(local);
    }
    place_fixed_bodies(model, kinematics);
}

// Zeroed array from the arena.
#define ARRAY(arena, type, count) ((type*)ts_arena_alloc_zeroed((arena), (size_t)(count), sizeof(type)))

int ts_kinematics_create(const ts_model* model, ts_arena* arena, ts_kinematics* out_kinematics) {
    int turns = count_turns(model), bodies = count_bodies(model);
    ts_kinematics k = {
        .body_seat = ARRAY(arena, ts_seat, model->body_count),
        .geom_seat = ARRAY(arena, ts_seat, model->geom_count),
        .geom_place = ARRAY(arena, int, model->geom_count),
        .hinge_way = ARRAY(arena, unsigned char, model->joint_count),
        .turn_zero = ARRAY(arena, double, turns),
        .turn_range = ARRAY(arena, int, 2 * model->tree_count),
        .turn_sine = ARRAY(arena, double, turns),
        .turn_cosine = ARRAY(arena, double, turns),
        .body_centre = ARRAY(arena, ts_vec3, model->body_count),
        .body_inertia = ARRAY(arena, ts_inertia, bodies),
        .anchor_count = count_anchors(model),
        .joint_anchor = ARRAY(arena, ts_vec3, count_anchors(model)),
        .dof_velocity = ARRAY(arena, double, model->nv),
        .body_bias = ARRAY(arena, ts_motion, bodies),
        .body_velocity = ARRAY(arena, ts_motion, model->body_count),
    };
    find_axes(model, &k);
    k.own_axis = ARRAY(arena, ts_motion, k.axis_count);
    if (k.own_axis) k.own_axis -= k.axis_first;
    if (!arena->failed) k.seated = ARRAY(arena, ts_transform, seat_all(model, &k));
    if (!arena->failed) k.body_pose = ARRAY(arena, ts_transform, place_geoms(model, &k));
    *out_kinematics = k;
    if (arena->failed) return 0;
    (void)seat_all(model, &k);
    find_hinges(model, &k);
    place_fixed_bodies(model, &k);
    return 1;
}

ts_transform ts_kinematics_site(const ts_model* model, const ts_kinematics* kinematics, int site) {
    ts_transform local = ts_transform_from_pose(model->site[site].pose);
    return ts_transform_mul(&kinematics->body_pose[model->site[site].body], &local);
}

ts_inertia ts_kinematics_lone_inertia(const ts_model* model, const ts_kinematics* kinematics, int tree) {
    int b = model->tree[tree].root;
    ts_frame_four frame = ts_frame_four_load(&kinematics->body_pose[b]);
    ts_inertia inertia;
    ts_frame_four_inertia(&frame, &model->body[b], ts_four_zero(), &inertia);
    return inertia;
}

// The axes that turn it do so with it, and change nothing along their own velocity; carried along they pass by the origin.
ts_motion ts_kinematics_lone_bias(const ts_model* model, const ts_kinematics* kinematics, int tree) {
    ts_motion shift = {ts_vec3_zero(), ts_vec3_load(kinematics->dof_velocity + model->tree[tree].dof_first)};
    ts_motion bias = ts_motion_cross(shift, kinematics->body_velocity[model->tree[tree].root]);
    return ts_motion_add(ts_motion_zero(), bias);
}

ts_motion ts_kinematics_lone_axis(const ts_model* model, const ts_kinematics* kinematics, int tree, int i) {
    int b = model->tree[tree].root;
    const ts_transform* pose = &kinematics->body_pose[b];
    if (i < 3) return (ts_motion){ts_vec3_zero(), ts_vec3_axis(i)};
    ts_motion axis = {ts_mat3_column(&pose->R, i - 3), ts_vec3_zero()};
    ts_vec3 lever = ts_vec3_sub(kinematics->body_centre[b], pose->p);
    if (lever.x != 0.0 || lever.y != 0.0 || lever.z != 0.0) axis.linear = ts_motion_at(axis, lever);
    return axis;
}

const ts_motion* ts_kinematics_axes(const ts_model* model, const ts_kinematics* kinematics, int tree,
                                    ts_motion room[6]) {
    if (model->tree[tree].kind == TS_TREE_GENERAL) return kinematics->own_axis;
    for (int i = 0; i < 6; ++i) room[i] = ts_kinematics_lone_axis(model, kinematics, tree, i);
    return room - model->tree[tree].dof_first;
}

ts_vec3 ts_kinematics_point_velocity(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point) {
    int tree = model->body[body].tree;
    if (tree < 0) return ts_vec3_zero();
    return ts_motion_at(kinematics->body_velocity[body],
                        ts_vec3_sub(point, ts_kinematics_origin(model, kinematics, tree)));
}
