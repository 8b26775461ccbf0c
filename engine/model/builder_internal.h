// What a model under construction is made of, shared by the files builder*.c.
#ifndef TS_ENGINE_BUILDER_INTERNAL_H
#define TS_ENGINE_BUILDER_INTERNAL_H

#include "base/arena.h"
#include "base/array.h"
#include "base/text.h"
#include "engine/model/builder.h"
#include "engine/read/import_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A name and a place, as offsets into the builder's pool of text (which moves while it grows). Offset 0 is "".
typedef struct ts_builder_label {
    size_t name;
    size_t file;
    int line;
} ts_builder_label;

/// A body as described; the pointers in def are stale, label has them.
typedef struct ts_builder_body {
    ts_body_def def;
    ts_builder_label label;
    int free_joint;  // the joint that is free, or -1
    ts_vec3 free_linear;
    ts_vec3 free_angular;
} ts_builder_body;

/// A joint as described.
typedef struct ts_builder_joint {
    ts_joint_def def;
    ts_builder_label label;
    int index;  // in the model, once it is laid out
} ts_builder_joint;

/// A geom as described.
typedef struct ts_builder_geom {
    ts_geom_def def;
    ts_builder_label label;
    int index;                 // in the model, once it is laid out
    int has_solid;             // nonzero: `solid` stands in for the mass properties of the shape
    ts_mass_properties solid;  // at density 1, shape axes
} ts_builder_geom;

/// A site as described.
typedef struct ts_builder_site {
    ts_builder_label label;
    int body;
    ts_pose pose;
    ts_shape shape;
} ts_builder_site;

/// MJCF's words for the modes of cameras.
extern const char* const ts_builder_camera_modes[TS_MODEL_CAMERA_MODE_COUNT];

/// A camera as described.
typedef struct ts_builder_camera {
    ts_model_camera is;
    ts_builder_label label;
} ts_builder_camera;

/// A texture as described; files are offsets into the pool of text.
typedef struct ts_builder_texture {
    ts_texture is;
    ts_builder_label label;
    size_t file[TS_TEXTURE_FACES];
} ts_builder_texture;

/// A material as described.
typedef struct ts_builder_material {
    ts_visual_material is;
    ts_builder_label label;
} ts_builder_material;

/// An equality as described; kind is an offset into the pool of text.
typedef struct ts_builder_equality {
    ts_equality_def def;
    ts_builder_label label;
    size_t kind;
} ts_builder_equality;

/// A tendon as described; its parts lie in the builder's `part` array.
typedef struct ts_builder_tendon {
    ts_tendon_def def;
    ts_builder_label label;
    int part_first;
    int is_pulled;  // nonzero once an actuator was found at it
} ts_builder_tendon;

/// An actuator as described; transmission is an offset into the pool of text.
typedef struct ts_builder_actuator {
    ts_actuator_def def;
    ts_builder_label label;
    size_t transmission;
} ts_builder_actuator;

/// A sensor as described; kind is an offset into the pool of text.
typedef struct ts_builder_sensor {
    ts_sensor_def def;
    ts_builder_label label;
    size_t kind;
} ts_builder_sensor;

/// Numbers of a keyframe: `count` of the builder's `number` array from `first` on; count -1: initial values.
typedef struct ts_builder_numbers {
    int first;
    int count;
} ts_builder_numbers;

/// A keyframe as described; its numbers lie in the builder's `number` array.
typedef struct ts_builder_key {
    ts_builder_label label;
    double time;
    ts_builder_numbers qpos, qvel, ctrl, act, mocap_position, mocap_rotation;
} ts_builder_key;

/// Where a hull came from; the file is an offset into the pool of text.
typedef struct ts_builder_hull_source {
    size_t file;
    ts_mesh_placing placing;
    struct ts_mesh* mesh;  // owned; or NULL
} ts_builder_hull_source;

TS_ARRAY_DECLARE(ts_builder_hull_source_array, ts_builder_hull_source);
TS_ARRAY_DECLARE(ts_builder_body_array, ts_builder_body);
TS_ARRAY_DECLARE(ts_builder_joint_array, ts_builder_joint);
TS_ARRAY_DECLARE(ts_builder_geom_array, ts_builder_geom);
TS_ARRAY_DECLARE(ts_builder_site_array, ts_builder_site);
TS_ARRAY_DECLARE(ts_builder_camera_array, ts_builder_camera);
TS_ARRAY_DECLARE(ts_builder_texture_array, ts_builder_texture);
TS_ARRAY_DECLARE(ts_builder_material_array, ts_builder_material);
TS_ARRAY_DECLARE(ts_builder_equality_array, ts_builder_equality);
TS_ARRAY_DECLARE(ts_builder_tendon_array, ts_builder_tendon);
TS_ARRAY_DECLARE(ts_builder_part_array, ts_tendon_part);
TS_ARRAY_DECLARE(ts_builder_actuator_array, ts_builder_actuator);
TS_ARRAY_DECLARE(ts_builder_sensor_array, ts_builder_sensor);
TS_ARRAY_DECLARE(ts_builder_key_array, ts_builder_key);
TS_ARRAY_DECLARE(ts_builder_hull_array, ts_hull*);
TS_ARRAY_DECLARE(ts_builder_height_field_array, ts_height_field*);
TS_ARRAY_DECLARE(ts_builder_exclusion_array, ts_exclusion);
TS_ARRAY_DECLARE(ts_builder_pair_array, ts_contact_pair);
TS_ARRAY_DECLARE(ts_builder_number_array, double);

struct ts_builder {
    ts_options options;
    ts_text pool;  // terminated names and file names, one after the other
    size_t name;   // of the model, in the pool
    size_t last_file;
    ts_text source;
    ts_builder_body_array body;  // 0 is the world
    ts_builder_joint_array joint;
    ts_builder_geom_array geom;
    ts_builder_site_array site;
    ts_builder_camera_array camera;
    ts_builder_texture_array texture;
    ts_builder_material_array material;
    ts_builder_equality_array equality;
    ts_builder_tendon_array tendon;
    ts_builder_part_array part;
    ts_builder_actuator_array actuator;
    ts_builder_sensor_array sensor;
    ts_builder_key_array key;
    ts_builder_hull_array hull;
    ts_builder_hull_source_array hull_source;  // as many
    ts_builder_height_field_array height_field;
    ts_builder_exclusion_array exclusion;
    ts_builder_pair_array pair;
    ts_builder_number_array number;
    int initial_key;       // or -1
    const char* homeless;  // "geom": the first thing that was to go on a body that is not there; NULL when none was
    int homeless_body;
    // A reader of foreign files sets this: zero quaternions in keyframes then become no rotation, with a finding, instead
    // of an error.
    ts_import_report* report;
    int mend_keyframes;
    int any_inertia;  // nonzero: inertias need not be those of a body; the mass matrix must be positive definite all the same
};

/// Text at an offset of the pool.
static inline const char* ts_builder_string(const ts_builder* builder, size_t offset) {
    return offset == 0 || !builder->pool.data ? "" : builder->pool.data + offset;
}

/// Names, numbers and references of all definitions (builder_check.c). Quaternions and axes come out normalised.
ts_code ts_builder_check(ts_builder* builder, ts_status* out_status);

/// Copies text into the pool and returns its offset; NULL and "" are offset 0. A failed pool is noticed by ts_builder_finish.
size_t ts_builder_pool_add(ts_builder* builder, const char* text);

/// A definition's name and place.
ts_builder_label ts_builder_make_label(ts_builder* builder, const char* name, const char* file, int line);

/// Textures and materials that make no sense, and geoms without the material that they name.
ts_code ts_builder_check_looks(const ts_builder* builder, ts_status* out_status);

/// Textures and materials into the arena and the model. Returns 0 when memory is short.
int ts_builder_lay_out_looks(const ts_builder* builder, ts_arena* arena, const char* names, ts_model* model);

/// TS_ERROR_VALUE at a label's place: "kind 'name': why" or "kind 3: why".
ts_code ts_builder_refuse(const ts_builder* builder, const ts_builder_label* label, const char* kind, int index,
                          ts_status* out_status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/// Equalities from definitions into `out_equality` (as many as the builder has), once bodies and joints of the model are
/// laid out. `names` is the model's copy of the pool of text.
ts_code ts_builder_lay_out_equalities(const ts_builder* builder, const ts_model* model, const char* names,
                                      ts_equality* out_equality, ts_status* out_status);

/// No displacement, no rotation, scale 1.
ts_mesh_placing ts_mesh_placing_none(void);

/// Notes where the hull that was added last came from; `file` may be NULL. Returns 0 on short memory.
int ts_builder_set_hull_source(ts_builder* builder, const char* file, const ts_mesh_placing* placing);

/// The triangles of the hull that was added last, which no file has; they are the builder's from now on, and `mesh` is empty. Returns 0 on short memory.
int ts_builder_keep_mesh(ts_builder* builder, struct ts_mesh* mesh);

/// What a medium presses on, into the arena, the model and its bodies. Returns 0 when memory is short.
int ts_builder_lay_out_fluid(const ts_builder* builder, ts_arena* arena, ts_model* model, ts_body* body);

/// The principal axes of an inertia; the axes that it is given in where those are principal.
ts_quat ts_builder_principal_axes(const ts_mat3* inertia);

/// Tendons and their parts from definitions, likewise.
ts_code ts_builder_lay_out_tendons(const ts_builder* builder, const ts_model* model, const char* names,
                                   ts_tendon* out_tendon, ts_tendon_part* out_part, ts_status* out_status);

/// Actuators from definitions into `out_actuator`, likewise.
ts_code ts_builder_lay_out_actuators(const ts_builder* builder, const ts_model* model, const char* names,
                                     ts_actuator* out_actuator, ts_status* out_status);

/// Sensors from definitions into `out_sensor`, likewise, and how many numbers they give.
ts_code ts_builder_lay_out_sensors(const ts_builder* builder, ts_model* model, const char* names, ts_sensor* out_sensor,
                                   ts_status* out_status);

/// Numbers in act.
int ts_builder_act_count(const ts_builder* builder);

/// Adds the damping and inertia of what turns in actuators to the definitions of the joints that they pull at.
void ts_builder_settle_actuators(ts_builder* builder);

/// What is measured with all joints at their references, once the model is complete: lengths of tendons, and the damping that damping ratios
/// ask for.
ts_code ts_builder_settle_at_rest(const ts_builder* builder, const ts_model* model, ts_tendon* tendon,
                                  ts_actuator* actuator, ts_status* out_status);

/// The lengths that a transmission can have, where *io_range (2) says none yet: it is pulled to either end, slowly, of a model without
/// contacts, weight, springs, dampers and friction (builder_length_range.c). TS_ERROR_VALUE where it finds none.
ts_code ts_builder_find_length_range(const ts_model* model, int actuator, double* io_range, ts_status* out_status);

/// What is wrong with a curve's numbers, or NULL.
const char* ts_builder_curve_fault(const ts_curve* curve);

/// Lets a geom weigh like something else than its shape (a mesh that is not convex, say). `geom` as from
/// ts_builder_add_geom.
void ts_builder_set_geom_solid(ts_builder* builder, int geom, const ts_mass_properties* solid);

/// Works out mass, centre and inertia of every body whose definition leaves them to its geoms, and writes them into the
/// definitions.
ts_code ts_builder_settle_masses(ts_builder* builder, ts_status* out_status);

/// Refuses impossible masses and inertias; for settled bodies. Makes inertias exactly symmetric.
ts_code ts_builder_check_masses(ts_builder* builder, ts_status* out_status);

/// Springs and dampers of joints that are described by time constant and damping ratio, written into joints and dofs of the model.
ts_code ts_builder_settle_springs(const ts_builder* builder, const ts_model* model, ts_joint* joints, ts_dof* dofs,
                                  ts_status* out_status);

/// Refuses a model whose joint-space mass matrix is singular at the initial pose: a joint that moves nothing heavy.
ts_code ts_builder_check_inertia(const ts_builder* builder, const ts_model* model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
