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
#include "engine/dynamics/kinematics_internal.h"

#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"

static void place_body(ts_sim* sim, int b) {
    const ts_model* model = sim->model;
    const ts_body* body = &model->body[b];
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_transform placed = ts_transform_identity();
    if (body->parent >= 0) placed = ts_transform_mul(&sim->body_pose[body->parent], &storage->body_local[b]);
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        // Axes are about the anchor for now; move_body takes them to the tree's origin once that is known.
        storage->joint_anchor[j] =
            ts_joint_traits_of(joint->type)
                ->place(joint, sim->qpos + joint->qpos_first, &placed, sim->dof_axis + joint->dof_first);
    }
    sim->body_pose[b] = placed;
    sim->body_centre[b] = ts_transform_point(&placed, body->centre);
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g)
        sim->geom_pose[g] = ts_transform_mul(&placed, &storage->geom_local[g]);
}

static void move_body(ts_sim* sim, int b, ts_vec3 origin) {
    const ts_model* model = sim->model;
    const ts_body* body = &model->body[b];
    ts_motion velocity = ts_motion_zero();
    if (model->body[body->parent].tree >= 0) velocity = sim->body_velocity[body->parent];
    ts_vec3 lever = ts_vec3_zero();
    for (int d = body->dof_first, joint = -1; d < body->dof_first + body->dof_count; ++d) {
        if (model->dof[d].joint != joint) {
            joint = model->dof[d].joint;
            lever = ts_vec3_sub(origin, ts_sim_storage_of(sim)->joint_anchor[joint]);
        }
        sim->dof_axis[d].linear = ts_motion_at(sim->dof_axis[d], lever);
        velocity = ts_motion_add_scaled(velocity, sim->qvel[d], sim->dof_axis[d]);
    }
    sim->body_velocity[b] = velocity;
    sim->body_inertia[b] = ts_inertia_make(body->mass, ts_vec3_sub(sim->body_centre[b], origin),
                                           ts_mat3_rotate_tensor(sim->body_pose[b].R, body->inertia));
}

void ts_kinematics_tree(ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    for (int i = first; i < last; ++i) place_body(sim, model->tree_body[i]);
    ts_vec3 origin = sim->body_centre[model->tree[tree].root];
    sim->tree_origin[tree] = origin;
    for (int i = first; i < last; ++i) move_body(sim, model->tree_body[i], origin);
}

static void update_trees(void* context, int begin, int end, int worker) {
    (void)worker;
    for (int t = begin; t < end; ++t) ts_kinematics_tree((ts_sim*)context, t);
}

// What cannot move hangs on the world only: it is placed before all trees, once for ever.
static void place_fixed_bodies(ts_sim* sim) {
    const ts_model* model = sim->model;
    for (int b = 0; b < model->body_count; ++b) {
        if (model->body[b].tree >= 0) continue;
        place_body(sim, b);
        sim->body_velocity[b] = ts_motion_zero();
        sim->body_inertia[b] = ts_inertia_make(model->body[b].mass, sim->body_centre[b],
                                               ts_mat3_rotate_tensor(sim->body_pose[b].R, model->body[b].inertia));
    }
    ts_sim_storage_of(sim)->fixed_placed = 1;
}

void ts_kinematics_update(ts_sim* sim) {
    if (!ts_sim_storage_of(sim)->fixed_placed) place_fixed_bodies(sim);
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, 64, update_trees, sim);
}

ts_vec3 ts_kinematics_point_velocity(const ts_sim* sim, int body, ts_vec3 point) {
    int tree = sim->model->body[body].tree;
    if (tree < 0) return ts_vec3_zero();
    return ts_motion_at(sim->body_velocity[body], ts_vec3_sub(point, sim->tree_origin[tree]));
}
