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

#include "engine/dynamics/kinematics_walk_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

// What of a constant pose is not trivial.
static ts_seat seat_of(const ts_transform* local) {
    ts_mat3 I = ts_mat3_identity();
    if (memcmp(&local->R, &I, sizeof I) != 0) return TS_SEAT_TURNED;
    return ts_vec3_max_abs(local->p) == 0.0 ? TS_SEAT_SAME : TS_SEAT_SHIFTED;
}

void ts_kinematics_tree(const ts_model* model, const double* qpos, const double* qvel, int tree,
                        ts_kinematics* kinematics) {
    const int* body = model->tree_body + model->tree[tree].body_first;
    int dof_first = model->tree[tree].dof_first;
    memcpy(kinematics->dof_velocity + dof_first, qvel + dof_first,
           (size_t)model->tree[tree].dof_count * sizeof(double));
    // The root comes first, and its centre of mass is the origin.
    ts_kinematics_poses(model, body, model->tree[tree].body_count, qpos, kinematics);
    kinematics->tree_origin[tree] = kinematics->body_centre[body[0]];
    ts_kinematics_walk(model, tree, kinematics);
}

void ts_kinematics_place_tree(const ts_model* model, const double* qpos, int tree, ts_kinematics* kinematics) {
    const int* body = model->tree_body + model->tree[tree].body_first;
    ts_kinematics_poses(model, body, model->tree[tree].body_count, qpos, kinematics);
}

void ts_kinematics_update(const ts_model* model, const double* qpos, const double* qvel, ts_kinematics* kinematics) {
    for (int t = 0; t < model->tree_count; ++t) ts_kinematics_tree(model, qpos, qvel, t, kinematics);
}

// What has no joints above it hangs on the world only: it is placed before all trees, once for ever unless it is moved from outside.
static void place_fixed_bodies(const ts_model* model, ts_kinematics* k) {
    for (int b = 0; b < model->body_count; ++b) {
        if (model->body[b].tree >= 0) continue;
        ts_kinematics_poses(model, &b, 1, NULL, k);
        const ts_body* body = &model->body[b];
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
        kinematics->body_local[b] = ts_transform_from_pose((ts_pose){ts_vec3_load(at), rotation});
        kinematics->body_seat[b] = seat_of(&kinematics->body_local[b]);
    }
    place_fixed_bodies(model, kinematics);
}

// Zeroed array from the arena.
#define ARRAY(arena, type, count) ((type*)ts_arena_alloc_zeroed((arena), (size_t)(count), sizeof(type)))

int ts_kinematics_create(const ts_model* model, ts_arena* arena, ts_kinematics* out_kinematics) {
    ts_kinematics k = {
        .body_local = ARRAY(arena, ts_transform, model->body_count),
        .geom_local = ARRAY(arena, ts_transform, model->geom_count),
        .body_seat = ARRAY(arena, ts_seat, model->body_count),
        .geom_seat = ARRAY(arena, ts_seat, model->geom_count),
        .body_pose = ARRAY(arena, ts_transform, model->body_count),
        .body_centre = ARRAY(arena, ts_vec3, model->body_count),
        .body_inertia = ARRAY(arena, ts_inertia, model->body_count),
        .geom_pose = ARRAY(arena, ts_transform, model->geom_count),
        .joint_anchor = ARRAY(arena, ts_vec3, model->joint_count),
        .tree_origin = ARRAY(arena, ts_vec3, model->tree_count),
        .dof_axis = ARRAY(arena, ts_motion, model->nv),
        .dof_velocity = ARRAY(arena, double, model->nv),
        .body_bias = ARRAY(arena, ts_motion, model->body_count),
        .body_velocity = ARRAY(arena, ts_motion, model->body_count),
    };
    *out_kinematics = k;
    if (arena->failed) return 0;
    for (int b = 0; b < model->body_count; ++b) k.body_local[b] = ts_transform_from_pose(model->body[b].pose);
    for (int g = 0; g < model->geom_count; ++g) k.geom_local[g] = ts_transform_from_pose(model->geom[g].pose);
    for (int b = 0; b < model->body_count; ++b) k.body_seat[b] = seat_of(&k.body_local[b]);
    for (int g = 0; g < model->geom_count; ++g) k.geom_seat[g] = seat_of(&k.geom_local[g]);
    place_fixed_bodies(model, &k);
    return 1;
}

ts_transform ts_kinematics_site(const ts_model* model, const ts_kinematics* kinematics, int site) {
    ts_transform local = ts_transform_from_pose(model->site[site].pose);
    return ts_transform_mul(&kinematics->body_pose[model->site[site].body], &local);
}

ts_vec3 ts_kinematics_point_velocity(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point) {
    int tree = model->body[body].tree;
    if (tree < 0) return ts_vec3_zero();
    return ts_motion_at(kinematics->body_velocity[body], ts_vec3_sub(point, kinematics->tree_origin[tree]));
}
