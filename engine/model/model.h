// ts_model: what the world *is*. Built once, by ts_builder or from a file, and constant afterwards, so that any number
// of simulations and threads share it. Everything is plain arrays to read.
//
// Generalised coordinates, per joint type (dofs / numbers in qpos):
//   free   6 / 7   qpos = position of the body frame, quaternion (w, x, y, z)
//                  qvel = velocity of the body frame's origin in world axes, then angular velocity in body axes
//   ball   3 / 4   qpos = quaternion; qvel = angular velocity in the child body's axes
//   hinge  1 / 1   angle, rad
//   slide  1 / 1   displacement, m
#ifndef TS_ENGINE_MODEL_H
#define TS_ENGINE_MODEL_H

#include <stdint.h>

#include "base/pose.h"
#include "collision/shape/shape.h"
#include "engine/model/actuator.h"
#include "engine/model/options.h"
#include "engine/model/sensor.h"
#include "engine/model/surface.h"
#include "engine/model/tendon.h"
#include "engine/model/texture.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a body may move against its parent.
typedef enum ts_joint_type {
    TS_JOINT_FREE,
    TS_JOINT_BALL,
    TS_JOINT_HINGE,
    TS_JOINT_SLIDE,
    TS_JOINT_TYPE_COUNT
} ts_joint_type;

/// A rigid body. Body 0 is the world. Parents come before children.
typedef struct ts_body {
    const char* name;  // never NULL; "" when unnamed
    int parent;        // -1 for the world
    int tree;          // index of its kinematic tree; -1 when it cannot move
    int weld;          // first body up the chain that is rigidly the same as this one (itself when it has joints)
    int joint_first;   // joints [joint_first, joint_first + joint_count)
    int joint_count;
    int dof_first;  // dofs [dof_first, dof_first + dof_count)
    int dof_count;
    int dof_last;    // the deepest dof that moves this body, or -1: start of the walk over dof_parent
    int geom_first;  // geoms [geom_first, geom_first + geom_count)
    int geom_count;
    int fluid_first;  // what a medium presses on [fluid_first, fluid_first + fluid_count)
    int fluid_count;
    ts_pose pose;     // body frame in the parent's frame, all joints at their reference
    double mass;      // kg
    ts_vec3 centre;   // m, centre of mass in the body frame
    ts_mat3 inertia;  // kg m^2 about the centre of mass, body axes
    int mocap;        // number among the bodies that are moved from outside (ts_sim.mocap), or -1
    double buoyancy;  // 1: the share of its weight that a force at its centre takes away
    int stays_awake;  // nonzero: neither it nor what hangs together with it ever sleeps (option `sleep`)
} ts_body;

/// A joint between a body and its parent. Several joints of one body act in order.
typedef struct ts_joint {
    const char* name;
    ts_joint_type type;
    int body;
    int qpos_first;
    int dof_first;
    ts_vec3 anchor;      // m, in the body frame
    ts_vec3 axis;        // unit, in the body frame (hinge, slide)
    int limited;         // nonzero: range holds
    double range[2];     // rad or m; ball: [0, largest angle]
    double reference;    // rad or m: qpos at the model's initial pose
    double spring;       // N m/rad or N/m
    double spring_rest;  // rad or m
    double damping;      // N m s/rad or N s/m
    double armature;     // kg m^2 or kg added to the dof's inertia
    double friction;     // N m or N, dry friction
    ts_curve curve;      // what of spring and damper is not linear; of hinges and slides
    ts_stop_softness softness;
    ts_limits actuation;  // N or N m: of what all actuators together pull at it, where it is one number
} ts_joint;

/// A degree of freedom.
typedef struct ts_dof {
    int body;
    int joint;
    int parent;  // next dof towards the root, or -1: M_ij != 0 only along such chains
    int depth;   // dofs that it hangs on
    int run;     // first dof of the longest run c, c+1, ..., this one in which each hangs on the one before
    int tree;
    // Of every fourth dof of its tree, up to the 64th. Bit k: it or one of the next three hangs on some of dofs 4 k to 4 k + 3 before it.
    uint32_t tiles;
    double damping;
    double armature;
    double friction;
} ts_dof;

/// How the dynamics of a tree are computed.
typedef enum ts_tree_kind {
    TS_TREE_GENERAL,    // by the recursions over bodies and dofs
    TS_TREE_FREE_BODY,  // one body with a free joint: closed forms
    TS_TREE_CENTRED     // such a body, its frame in its centre of mass: the same with fewer terms
} ts_tree_kind;

/// Coefficients of what a medium does to an ellipsoid.
enum {
    TS_FLUID_BLUNT,    // drag of the area that the medium sees
    TS_FLUID_SLENDER,  // drag of the rest of the largest area
    TS_FLUID_ANGULAR,  // drag of spin
    TS_FLUID_KUTTA,    // lift of what stands across the stream
    TS_FLUID_MAGNUS,   // lift of spin
    TS_FLUID_COEFFICIENTS
};

/// What a surrounding medium presses on: the box that has a body's inertia, or an ellipsoid in place of a geom.
typedef struct ts_fluid_shape {
    int is_box;
    int geom;               // of an ellipsoid; -1: a box
    ts_pose pose;           // in the body frame
    ts_vec3 half;           // m: half sides, or half axes
    ts_vec3 added_mass;     // m^3: mass of the medium that an ellipsoid takes along each axis, per density
    ts_vec3 added_inertia;  // m^5: about each axis, likewise
    double coefficient[TS_FLUID_COEFFICIENTS];
} ts_fluid_shape;

/// A kinematic tree: bodies that hang together by joints and can move. Its dofs are contiguous.
typedef struct ts_kinematic_tree {
    ts_tree_kind kind;
    double mass;  // kg
    int root;     // its first body
    int dof_first;
    int dof_count;
    int body_first;  // bodies tree_body[body_first .. body_first + body_count)
    int body_count;
} ts_kinematic_tree;

/// A shape on a body.
typedef struct ts_geom {
    const char* name;
    int body;
    ts_shape shape;
    ts_pose pose;  // in the body frame
    ts_surface surface;
    unsigned category;  // MJCF contype
    unsigned mask;      // MJCF conaffinity
    int group;          // 0 to 5 in most files: what may be hidden together; of no consequence
    float rgba[4];
    int material;          // -1: none
    double plane_half[2];  // m: how far a material's texture goes on an endless plane; 0: it goes by metres
} ts_geom;

/// A named frame on a body.
typedef struct ts_site {
    const char* name;
    int body;
    ts_pose pose;    // in the body frame
    ts_shape shape;  // its volume, for sensors
} ts_site;

/// How a camera moves.
typedef enum ts_model_camera_mode {
    TS_MODEL_CAMERA_FIXED,  // with its body
    TS_MODEL_CAMERA_TRACK,  // with its body's place, as far from it as in the model's pose and looking the same way
    TS_MODEL_CAMERA_TRACK_CENTRE,   // likewise with the centre of mass of all that hangs on its body
    TS_MODEL_CAMERA_TARGET,         // with its body, looking at the frame of another
    TS_MODEL_CAMERA_TARGET_CENTRE,  // likewise at the centre of mass of all that hangs on the other
    TS_MODEL_CAMERA_MODE_COUNT
} ts_model_camera_mode;

/// A named view; sensors may refer to its frame. It looks along -z, y is up.
typedef struct ts_model_camera {
    const char* name;
    int body;
    ts_pose pose;  // in the body frame
    ts_model_camera_mode mode;
    int target;            // body that it looks at; -1 where the mode has none
    double field_of_view;  // rad, from the lower edge of the picture to the upper one
} ts_model_camera;

/// A named state.
typedef struct ts_keyframe {
    const char* name;
    double time;             // s
    double* qpos;            // (nq)
    double* qvel;            // (nv)
    double* ctrl;            // (actuator_count)
    double* act;             // (act_count)
    double* mocap_position;  // (mocap_count x 3) m
    double* mocap_rotation;  // (mocap_count x 4) quaternions
} ts_keyframe;

/// A pair of bodies whose geoms never touch, beside parent and child, which never do.
typedef struct ts_exclusion {
    int body_a;
    int body_b;
} ts_exclusion;

/// Two geoms that touch whatever their categories, masks and bodies say, but for being rigidly one, with a surface of the
/// pair's own.
typedef struct ts_contact_pair {
    int geom_a;  // < geom_b
    int geom_b;
    ts_surface surface;
} ts_contact_pair;

/// How the vertices of a mesh file are placed before its hull is taken: v becomes scale * R^T (v - position), components
/// alone.
typedef struct ts_mesh_placing {
    ts_vec3 position;  // m
    ts_quat rotation;
    ts_vec3 scale;  // 1
} ts_mesh_placing;

struct ts_mesh;

/// Where a hull came from.
typedef struct ts_hull_source {
    const char* file;  // of its mesh, "" when it is of no file
    ts_mesh_placing placing;
    struct ts_mesh* mesh;  // its triangles, placed, where the model file has them itself; else NULL
} ts_hull_source;

/// Numbers of an equality.
enum { TS_EQUALITY_COEFFICIENTS = 5 };

/// What shall hold at all times between two bodies or two joints: a closed loop, a gear. Which rows it makes, and what its
/// frames and numbers mean, is said by its source (engine/rows/).
typedef struct ts_equality {
    const char* name;
    int source;                                    // see ts_row_source_name
    int active;                                    // whether it holds in a new simulation; see ts_sim.equality_active
    int body[2];                                   // what the frames are on: 0 is the world, -1 means none
    ts_pose frame[2];                              // in the body frames
    int joint[2];                                  // -1: none
    int tendon[2];                                 // -1: none
    double coefficient[TS_EQUALITY_COEFFICIENTS];  // of a polynomial, or as the source says
    ts_mujoco_softness softness;                   // where soft contacts are in force (docs/contact.md)
} ts_equality;

/// The world. Read everything, change nothing.
typedef struct ts_model {
    const char* name;    // never NULL
    ts_options options;  // what a new simulation starts with
    int nq;              // numbers in qpos
    int nv;              // numbers in qvel: degrees of freedom
    int body_count;
    int joint_count;
    int tree_count;
    int geom_count;
    int site_count;
    int camera_count;
    int texture_count;
    int material_count;
    int hull_count;
    int ground_count;
    int fluid_count;
    int keyframe_count;
    int exclusion_count;
    int pair_count;
    int equality_count;
    int tendon_count;
    int tendon_part_count;
    int actuator_count;
    int mocap_count;  // bodies that are moved from outside
    int act_count;    // numbers in act: activations of actuators
    int sensor_count;
    int sensor_size;                     // numbers that all sensors give
    int step_sensor_count;               // how many of them measure in the step (TS_SENSOR_OF_STEP)
    const ts_body* body;                 // (body_count)
    const ts_joint* joint;               // (joint_count)
    const ts_dof* dof;                   // (nv)
    const ts_kinematic_tree* tree;       // (tree_count)
    const int* tree_body;                // bodies that can move, tree by tree, parents first
    const ts_geom* geom;                 // (geom_count)
    const ts_site* site;                 // (site_count)
    const ts_model_camera* camera;       // (camera_count)
    const ts_texture* texture;           // (texture_count)
    const ts_visual_material* material;  // (material_count)
    ts_hull* const* hull;                // (hull_count), owned
    const ts_hull_source* hull_source;   // (hull_count)
    const ts_fluid_shape* fluid;         // (fluid_count) by body
    ts_height_field* const* ground;      // (ground_count) height fields, owned
    const ts_keyframe* keyframe;         // (keyframe_count)
    const ts_exclusion* exclusion;
    const ts_contact_pair* pair;        // (pair_count) by geom_a, then geom_b
    const ts_equality* equality;        // (equality_count)
    const ts_tendon* tendon;            // (tendon_count)
    const ts_tendon_part* tendon_part;  // (tendon_part_count)
    const ts_actuator* actuator;        // (actuator_count)
    const ts_sensor* sensor;            // (sensor_count)
    const double* qpos_rest;            // (nq) pose as the model is described, joints at their references
    int initial_keyframe;               // where new simulations start; -1: at rest in that pose
    const double* qpos0;                // (nq) initial pose
    const double* qvel0;                // (nv) initial velocity
    const char* source;                 // text of the file it came from, or NULL
    void* storage;                      // owns the arrays
} ts_model;

/// Releases a model; NULL is ignored. No simulation of it may be used afterwards.
void ts_model_free(ts_model* model);

/// The index of the body, joint, geom, site, camera, keyframe, tendon, actuator or sensor of that name, or -1.
int ts_model_find_body(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_joint(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_geom(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_site(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_camera(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_keyframe(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_tendon(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_actuator(const ts_model* model, const char* name);
/// See ts_model_find_body.
int ts_model_find_sensor(const ts_model* model, const char* name);

/// The name of what an actuator pulls at: of a joint, a tendon or a site.
const char* ts_actuator_target_name(const ts_model* model, const ts_actuator* actuator);

/// The name of an object of a sensor; "" where it has none.
const char* ts_sensor_object_name(const ts_model* model, const ts_sensor_object* object);

/// Numbers a joint type takes in qpos: 7, 4, 1, 1.
int ts_joint_type_nq(ts_joint_type type);

/// Degrees of freedom of a joint type: 6, 3, 1, 1.
int ts_joint_type_nv(ts_joint_type type);

/// "free", "ball", "hinge", "slide".
const char* ts_joint_type_name(ts_joint_type type);

/// Nonzero when geoms a and b can ever make contact: different rigid bodies, not parent and child (unless the parent is
/// the world), categories and masks agree, not excluded; or a contact pair of rigid bodies. Two planes never do.
int ts_model_geoms_can_touch(const ts_model* model, int geom_a, int geom_b);

/// The surface between two geoms that touch: of their contact pair, else of both combined.
ts_surface ts_model_surface_between(const ts_model* model, int geom_a, int geom_b);

/// How soft contacts between them are: ts_surface_softness_of that surface.
ts_surface_softness ts_model_softness_between(const ts_model* model, int geom_a, int geom_b);

/// Its margin, m.
double ts_model_margin_between(const ts_model* model, int geom_a, int geom_b);

/// Sum of the masses of all bodies, kg.
double ts_model_total_mass(const ts_model* model);

#ifdef __cplusplus
}
#endif
#endif
