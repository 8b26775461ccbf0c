// Where everything is and how it moves: poses, dof axes, twists and inertias from qpos and qvel.
//
// Every spatial vector of a tree (axis, twist, momentum, inertia) is written in world axes about one point of that tree,
// ts_kinematics_origin. The other algorithms of engine/dynamics read a ts_model and a ts_kinematics of it, nothing else.
#ifndef TS_ENGINE_KINEMATICS_H
#define TS_ENGINE_KINEMATICS_H

#include "base/arena.h"
#include "base/spatial.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a frame sits in the one that carries it: most do so in a way that spares most of the work. 0: it is the same; else twice its place in
/// ts_kinematics.seated, and one more where its axes are not the same.
typedef int ts_seat;

/// How a joint turns its body: about which axis of the frame, and whether that goes through the frame's origin.
typedef enum ts_hinge_way {
    TS_HINGE_X,
    TS_HINGE_Y,
    TS_HINGE_Z,
    TS_HINGE_ASKEW,  // about none of the three
    TS_HINGE_WAYS = 3,
    TS_HINGE_CENTRED = 4,  // a bit beside these
    TS_HINGE_NONE = 8      // it is no hinge
} ts_hinge_way;

/// What of kinematics is wanted beside poses, centres and anchors: bits, each with those that it needs.
typedef enum ts_kinematics_part {
    TS_KINEMATICS_AXES = 1,    // ts_kinematics_axis: for Jacobians
    TS_KINEMATICS_TWISTS = 3,  // body_velocity: for velocities of points
    TS_KINEMATICS_BIAS =
        7,  // ts_kinematics_bias: for rates of Jacobians; with inertias for inverse and forward dynamics
    TS_KINEMATICS_INERTIAS = 9,  // ts_kinematics_inertia: for M
    TS_KINEMATICS_GEOMS = 16,    // ts_kinematics_geom: for collisions
    TS_KINEMATICS_ALL = 31
} ts_kinematics_part;

/// What a state looks like in space. Create with ts_kinematics_create; the arrays are the arena's.
typedef struct ts_kinematics {
    // constant
    ts_transform*
        seated;          // poses of bodies and geoms as matrices, where they are not trivial; the first one is nobody's
    ts_seat* body_seat;  // (body_count) body.pose; 0 where a free joint makes nothing of it
    ts_seat* geom_seat;  // (geom_count) geom.pose
    int* geom_place;     // (geom_count) which of body_pose is the geom's: most lie as their bodies do
    int pose_count;      // of body_pose
    int anchor_count;    // of joint_anchor
    int axis_first;      // the first of own_axis that is there
    int axis_count;
    int has_lone;              // nonzero: some tree is a lone body, whose axes follow from its pose
    unsigned char* hinge_way;  // (joint_count) a ts_hinge_way
    double* turn_zero;  // (up to the last hinge's coordinate) what a hinge's coordinate counts from, rad; 0 of others
    int* turn_range;    // (tree_count x 2) from a tree's first hinge: coordinates [begin, end)

    // from qpos; of bodies that cannot move constant, too
    double* turn_sine;        // (likewise) of the coordinates in such ranges
    double* turn_cosine;      // (likewise)
    ts_transform* body_pose;  // (pose_count) body frames in the world; behind them those of geoms that lie otherwise
    ts_vec3* body_centre;     // (body_count) centres of mass in the world, m
    // (up to the last one that is no lone body) world axes, about the tree's origin; of what cannot move about the world's: ts_kinematics_inertia
    ts_inertia* body_inertia;
    ts_vec3*
        joint_anchor;  // (anchor_count: up to the last one of no lone body) m, in the world, where the joint itself has left it: ts_kinematics_anchor
    // (axis_count, from own_axis[axis_first] on) motion per unit qvel, world axes, about the tree's origin; of lone bodies nothing: ts_kinematics_axis
    ts_motion* own_axis;

    // from qpos and qvel
    double* dof_velocity;      // (nv) qvel
    ts_motion* body_velocity;  // (body_count) twist, world axes, about the tree's origin
    // (up to the last one that is no lone body) spatial acceleration that velocities alone give, the same axes and point; no gravity: ts_kinematics_bias
    ts_motion* body_bias;
} ts_kinematics;

/// The pose of a geom in the world.
static inline const ts_transform* ts_kinematics_geom(const ts_kinematics* kinematics, int geom) {
    return &kinematics->body_pose[kinematics->geom_place[geom]];
}

/// m: the point that spatial vectors of a tree are about, the centre of mass of its root.
static inline ts_vec3 ts_kinematics_origin(const ts_model* model, const ts_kinematics* kinematics, int tree) {
    return kinematics->body_centre[model->tree[tree].root];
}

/// Whether a body is a tree of its own with a free joint.
static inline int ts_kinematics_is_lone(const ts_model* model, int body) {
    int tree = model->body[body].tree;
    return tree >= 0 && model->tree[tree].kind != TS_TREE_GENERAL;
}

/// m, in the world: where a joint itself has left what it holds its body by.
static inline ts_vec3 ts_kinematics_anchor(const ts_model* model, const ts_kinematics* kinematics, int joint) {
    int body = model->joint[joint].body;
    return ts_kinematics_is_lone(model, body) ? kinematics->body_pose[body].p : kinematics->joint_anchor[joint];
}

/// What a tree that is a lone body moves by per unit of its dof number i, 0 to 5.
ts_motion ts_kinematics_lone_axis(const ts_model* model, const ts_kinematics* kinematics, int tree, int i);

/// The inertia of a tree that is a lone body.
ts_inertia ts_kinematics_lone_inertia(const ts_model* model, const ts_kinematics* kinematics, int tree);

/// The inertia of a body, world axes, about its tree's origin; of one that cannot move about the world's.
static inline ts_inertia ts_kinematics_inertia(const ts_model* model, const ts_kinematics* kinematics, int body) {
    if (ts_kinematics_is_lone(model, body))
        return ts_kinematics_lone_inertia(model, kinematics, model->body[body].tree);
    return kinematics->body_inertia[body];
}

/// The spatial acceleration that velocities alone give a lone body.
ts_motion ts_kinematics_lone_bias(const ts_model* model, const ts_kinematics* kinematics, int tree);

/// The spatial acceleration that velocities alone give a body, world axes, about its tree's origin; no gravity.
static inline ts_motion ts_kinematics_bias(const ts_model* model, const ts_kinematics* kinematics, int body) {
    if (ts_kinematics_is_lone(model, body)) return ts_kinematics_lone_bias(model, kinematics, model->body[body].tree);
    return kinematics->body_bias[body];
}

/// Motion per unit of the velocity of a dof, world axes, about its tree's origin.
static inline ts_motion ts_kinematics_axis(const ts_model* model, const ts_kinematics* kinematics, int dof) {
    if (kinematics->has_lone) {
        int tree = model->dof[dof].tree;
        if (model->tree[tree].kind != TS_TREE_GENERAL)
            return ts_kinematics_lone_axis(model, kinematics, tree, dof - model->tree[tree].dof_first);
    }
    return kinematics->own_axis[dof];
}

/// The axes of all dofs of a tree, each at its number in the model; `room` is for those of a lone body.
const ts_motion* ts_kinematics_axes(const ts_model* model, const ts_kinematics* kinematics, int tree,
                                    ts_motion room[6]);

/// Makes the arrays and places what cannot move. Returns 0 when the arena has no memory. For a state that is anything yet, call
/// ts_kinematics_update.
int ts_kinematics_create(const ts_model* model, ts_arena* arena, ts_kinematics* out_kinematics);

/// Brings everything up to qpos (nq) and qvel (nv). Quaternions need not be of unit length.
void ts_kinematics_update(const ts_model* model, const double* qpos, const double* qvel, ts_kinematics* kinematics);

/// The same for one tree; different trees may be worked on at once.
void ts_kinematics_tree(const ts_model* model, const double* qpos, const double* qvel, int tree,
                        ts_kinematics* kinematics);

/// Poses, centres and anchors of bodies, and of the rest only what `parts` (ts_kinematics_part) names: the rest means nothing
/// afterwards. For Jacobians TS_KINEMATICS_AXES, for M TS_KINEMATICS_INERTIAS. `qvel` may be NULL without twists.
void ts_kinematics_find(const ts_model* model, const double* qpos, const double* qvel, unsigned parts,
                        ts_kinematics* kinematics);

/// The same for one tree; different trees may be worked on at once.
void ts_kinematics_find_tree(const ts_model* model, const double* qpos, const double* qvel, unsigned parts, int tree,
                             ts_kinematics* kinematics);

/// Puts the bodies that are moved from outside where `mocap` says (mocap_count x 7: position, quaternion of any length), and what hangs
/// on them without joints. Trees that hang on them need an update afterwards.
void ts_kinematics_place(const ts_model* model, const double* mocap, ts_kinematics* kinematics);

/// The pose of a site in the world.
ts_transform ts_kinematics_site(const ts_model* model, const ts_kinematics* kinematics, int site);

/// The velocity (m/s, world axes) of the point of `body` that is now at `point` (world).
ts_vec3 ts_kinematics_point_velocity(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
