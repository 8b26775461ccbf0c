// Building a model by calls: describe bodies, joints and geoms with plain definitions that a default function fills,
// then ts_builder_finish checks everything and gives the constant model. Readers of files end here too, so there is one
// place where a model is judged sound.
#ifndef TS_ENGINE_BUILDER_H
#define TS_ENGINE_BUILDER_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model under construction.
typedef struct ts_builder ts_builder;

/// A body to add. mass < 0 means: take mass, centre and inertia from the geoms.
typedef struct ts_body_def {
    const char* name;
    int parent;  // body index; 0 is the world
    ts_pose pose;
    double mass;
    ts_vec3 centre;
    ts_mat3 inertia;  // about the centre, body axes
    int has_axes;  // nonzero: `axes` are the principal ones that count where moments are equal (ts_fluid_shape), and for sensors
    ts_quat axes;
    double buoyancy;   // see ts_body
    int stays_awake;   // see ts_body
    int is_mocap;      // nonzero: moved from outside; a child of the world without joints
    const char* file;  // for messages, may be NULL
    int line;
} ts_body_def;

/// A joint to add to a body.
typedef struct ts_joint_def {
    const char* name;
    int body;
    ts_joint_type type;
    ts_vec3 anchor;
    ts_vec3 axis;
    int limited;
    double range[2];
    double reference;
    double spring;
    double spring_rest;
    double damping;
    double armature;
    double friction;
    ts_curve curve;  // of hinges and slides
    ts_stop_softness softness;
    double spring_time;   // s: > 0: spring and damping are as of an oscillator of this time constant and
    double spring_ratio;  // this damping ratio (> 0), and the inertia of the joint at rest
    ts_limits actuation;
    const char* file;
    int line;
} ts_joint_def;

/// A geom to add to a body. mass >= 0 overrides density.
typedef struct ts_geom_def {
    const char* name;
    int body;
    ts_shape shape;
    ts_pose pose;
    ts_surface surface;
    unsigned category;
    unsigned mask;
    int group;
    double density;       // kg/m^3
    double mass;          // kg; < 0: from density
    int fluid_ellipsoid;  // nonzero: a medium presses on its ellipsoid, and not on the box of the body's inertia
    double fluid_coefficient[TS_FLUID_COEFFICIENTS];
    float rgba[4];
    int material;          // number of ts_builder_add_material; -1: none
    double plane_half[2];  // m, see ts_geom
    const char* file;
    int line;
} ts_geom_def;

/// A keyframe to add. The numbers are in the model's order.
typedef struct ts_keyframe_def {
    const char* name;
    double time;
    const double* qpos;  // NULL: initial values
    int qpos_count;      // must be nq of the finished model
    const double* qvel;  // NULL: initial values
    int qvel_count;
    const double* ctrl;  // NULL: zero
    int ctrl_count;
    const double* act;  // NULL: zero
    int act_count;
    const double* mocap_position;  // NULL: as the model is described
    int mocap_position_count;      // 3 for each body that is moved from outside
    const double* mocap_rotation;
    int mocap_rotation_count;
    int is_initial;  // nonzero: new simulations start from it
    const char* file;
    int line;
} ts_keyframe_def;

/// An equality to add.
typedef struct ts_equality_def {
    const char* name;
    const char* kind;  // the source of its rows: "connect", "joint-equality"
    int active;
    int body[2];       // -1: none; 0 is the world
    ts_pose frame[2];  // in those bodies
    int aligned;       // nonzero: frame[1] is put where frame[0] is while all joints are at their reference
    int joint[2];      // numbers of ts_builder_add_joint; -1: none
    int tendon[2];     // -1: none
    double coefficient[TS_EQUALITY_COEFFICIENTS];
    ts_mujoco_softness softness;
    const char* file;
    int line;
} ts_equality_def;

/// A tendon to add.
typedef struct ts_tendon_def {
    ts_tendon is;                // name is copied, parts are counted, length0 is found
    const ts_tendon_part* part;  // copied; indices are numbers of adding
    int part_count;
    int rest_at_springs;  // nonzero: the spring rests as long as the tendon is with all joints where their own springs rest
    ts_limits actuation;  // N: becomes a limit of every actuator that pulls at it
    const char* file;
    int line;
} ts_tendon_def;

/// An actuator to add.
typedef struct ts_actuator_def {
    ts_actuator is;  // target and reference are numbers of adding; name is copied, transmission and act are found
    const char* transmission;  // "joint", "site", ...
    double
        damping_ratio;  // > 0: bias[2] is as of an oscillator of stiffness -bias[1] and the mass that it feels at rest
    double damping_more[2];  // of a square and a cube of its rate, as ts_curve
    double damping;   // N s/m or the like, and inertia, kg or the like, of what turns in it: gear[0]^2 times as much
    double armature;  // is added to the joint (damping also to the tendon) that it pulls at
    const char* file;
    int line;
} ts_actuator_def;

/// A sensor to add.
typedef struct ts_sensor_def {
    ts_sensor
        is;  // objects are numbers of adding; name is copied, kind, first and size are found, and so are frames but a camera's
    const char* kind;  // "jointpos", "gyro", ...
    const char* file;
    int line;
} ts_sensor_def;

/// No joints, mass from geoms, at the parent's origin, child of the world.
ts_body_def ts_body_def_default(void);

/// A hinge about z at the body's origin, without spring, damping, friction or limits.
ts_joint_def ts_joint_def_default(void);

/// A sphere of 0.1 m with the default surface, density 1000, category and mask 1, grey; MuJoCo's coefficients in a medium.
ts_geom_def ts_geom_def_default(void);

/// Active, no body and the world, frames aligned at the body's origin, no joints, coefficients 0 1 0 0 0 (x = x), MuJoCo's
/// default softness, no kind.
ts_equality_def ts_equality_def_default(void);

/// Without parts, limits, damping and friction, with a spring of no stiffness that rests where those of the joints do.
ts_tendon_def ts_tendon_def_default(void);

/// A motor of gear 1 on joint 0: gain 1, no bias, no activation, no limits.
ts_actuator_def ts_actuator_def_default(void);

/// A clock without a name: no objects, no cutoff, one slot of the first field.
ts_sensor_def ts_sensor_def_default(void);

/// An empty world with default options; NULL when memory is short. Free with ts_builder_free or ts_builder_finish.
ts_builder* ts_builder_create(const char* name);

/// Gives up a model under construction; NULL is ignored.
void ts_builder_free(ts_builder* builder);

/// The options the model will carry; change them freely.
ts_options* ts_builder_options(ts_builder* builder);

/// Adds a body (copied) and returns its index, or -1 when memory is short or the parent does not exist.
int ts_builder_add_body(ts_builder* builder, const ts_body_def* def);

/// Adds a joint and returns its number in the order of adding, or -1. In the model joints are ordered by body.
int ts_builder_add_joint(ts_builder* builder, const ts_joint_def* def);

/// Adds a geom and returns its number in the order of adding, or -1. In the model geoms are ordered by body.
int ts_builder_add_geom(ts_builder* builder, const ts_geom_def* def);

/// Adds a site of that shape (a kind made of numbers); `file` (may be NULL) and `line` are for messages. Returns its number or -1.
int ts_builder_add_site(ts_builder* builder, const char* name, int body, ts_pose pose, ts_shape shape, const char* file,
                        int line);

/// Adds a camera (name is copied) and returns its number, or -1; `file` (may be NULL) and `line` are for messages. Its target may be a
/// body that is added later.
int ts_builder_add_camera(ts_builder* builder, const ts_model_camera* camera, const char* file, int line);

/// Adds a texture (its text is copied) and returns its number, or -1. Names need not differ.
int ts_builder_add_texture(ts_builder* builder, const ts_texture* texture);

/// Adds a material (name is copied) and returns its number, or -1; `file` (may be NULL) and `line` are for messages. Geoms have colours of their own.
int ts_builder_add_material(ts_builder* builder, const ts_visual_material* material, const char* file, int line);

/// Adds an equality and returns its number, or -1.
int ts_builder_add_equality(ts_builder* builder, const ts_equality_def* def);

/// Adds a tendon and returns its number, or -1.
int ts_builder_add_tendon(ts_builder* builder, const ts_tendon_def* def);

/// Adds an actuator and returns its number, or -1.
int ts_builder_add_actuator(ts_builder* builder, const ts_actuator_def* def);

/// Adds a sensor and returns its number, or -1.
int ts_builder_add_sensor(ts_builder* builder, const ts_sensor_def* def);

/// Hands over a hull that geoms refer to: the model will own it (the builder frees it when given up). Returns 0 on
/// short memory (the hull is then still the caller's), else 1.
int ts_builder_add_hull(ts_builder* builder, ts_hull* hull);

/// The same with a height field.
int ts_builder_add_height_field(ts_builder* builder, ts_height_field* field);

/// Two geoms (as from ts_builder_add_geom) that touch though their masks or bodies forbid it, with that surface; of several pairs of the
/// same two the first counts. Returns 0 on short memory, bad indices or numbers.
int ts_builder_add_pair(ts_builder* builder, int geom_a, int geom_b, const ts_surface* surface);

/// Two bodies whose geoms shall never touch. Returns 0 on short memory or bad indices.
int ts_builder_exclude(ts_builder* builder, int body_a, int body_b);

/// Initial velocity of a body with a free joint: of its origin in world axes (m/s), angular in body axes (rad/s).
/// Returns 0 when the body has no free joint.
int ts_builder_set_free_velocity(ts_builder* builder, int body, ts_vec3 linear, ts_vec3 angular);

/// Adds a keyframe (copied). Returns 0 on short memory. Sizes are checked by ts_builder_finish.
int ts_builder_add_keyframe(ts_builder* builder, const ts_keyframe_def* def);

/// The text of the file the model is read from; copied. Returns 0 on short memory.
int ts_builder_set_source(ts_builder* builder, const char* text);

/// Checks everything and gives the model; the builder is gone afterwards, whether it worked or not. An add that failed
/// is remembered: rather than a model that lacks something there is none. Refuses, with the definition's file and line:
/// numbers that are not finite, unknown parents, bad shapes, negative or impossible masses and inertias (triangle
/// inequality broken by more than rounding), a moving body without mass, free joints that are not the only joint or not
/// on a child of the world, equalities of a kind that there is not or that lack what it needs, duplicate names within a kind, wrong keyframe sizes, zero axes or quaternions.
ts_code ts_builder_finish(ts_builder* builder, ts_model** out_model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
