// What the readers of URDF and SRDF share. Text becomes nodes (engine/read/xml.c); links and joints are listed and named;
// their tree is found; then bodies are added to a builder parents first, and what refers to them follows.
//
// Errors are sticky: the first one is kept in reader->xml, and callers look at its code where it matters.
#ifndef TS_ENGINE_URDF_INTERNAL_H
#define TS_ENGINE_URDF_INTERNAL_H

#include "base/array.h"
#include "engine/model/builder_internal.h"
#include "engine/read/model_file.h"
#include "engine/read/xml_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A <link>.
typedef struct ts_urdf_link {
    const ts_xml_node* node;
    const char* name;
    int joint;       // that holds it, or -1: the root
    int first;       // first joint that it holds, or -1
    int body;        // of the builder; 0 is the world
    int group;       // first body up the chain that is rigidly the same
    ts_pose offset;  // of the link in that body's frame: not trivial only for links that are the world
} ts_urdf_link;

/// What a <joint> may be.
typedef enum ts_urdf_joint_type {
    TS_URDF_REVOLUTE,
    TS_URDF_CONTINUOUS,
    TS_URDF_PRISMATIC,
    TS_URDF_FIXED,
    TS_URDF_FLOATING,
    TS_URDF_PLANAR,
    TS_URDF_JOINT_TYPE_COUNT
} ts_urdf_joint_type;

/// A <joint>.
typedef struct ts_urdf_joint {
    const ts_xml_node* node;
    const char* name;
    ts_urdf_joint_type type;
    int parent;  // link
    int child;   // link
    int next;    // next joint that the parent holds, or -1
    int def;     // number of the builder of its (last) joint, or -1: fixed
    int mimics;  // joint, or -1
    double multiplier;
    double offset;
} ts_urdf_joint;

/// A mesh file at a scale, read once.
typedef struct ts_urdf_mesh {
    ts_status problem;    // why there is no hull
    const ts_hull* hull;  // NULL: not had; owned by the builder
} ts_urdf_mesh;

/// A named colour.
typedef struct ts_urdf_material {
    float rgba[4];
} ts_urdf_material;

TS_ARRAY_DECLARE(ts_urdf_link_array, ts_urdf_link);
TS_ARRAY_DECLARE(ts_urdf_joint_array, ts_urdf_joint);
TS_ARRAY_DECLARE(ts_urdf_mesh_array, ts_urdf_mesh);
TS_ARRAY_DECLARE(ts_urdf_material_array, ts_urdf_material);

/// The whole undertaking.
typedef struct ts_urdf_reader {
    ts_xml xml;
    const ts_model_file_options* options;  // never NULL
    ts_builder* builder;
    ts_name_table link_name;
    ts_urdf_link_array link;
    ts_name_table joint_name;
    ts_urdf_joint_array joint;
    ts_name_table material_name;
    ts_urdf_material_array material;
    ts_name_table geom_name;
    ts_name_table mesh_name;  // "path scale"
    ts_urdf_mesh_array mesh;
    int root;                  // link
    int root_floats;           // nonzero: it has a free joint
    const ts_xml_node* srdf;   // <robot> of the semantic file, or NULL
    const char* root_because;  // why it floats or not
} ts_urdf_reader;

/// What a robot is read from: the same as ts_urdf_parse takes, and text for an SRDF (NULL: looked up).
typedef struct ts_urdf_input {
    const char* text;
    size_t size;
    const char* name;
    const char* directory;
    const char* srdf;
    size_t srdf_size;
} ts_urdf_input;

/// ts_urdf_parse of an input.
ts_code ts_urdf_parse_input(const ts_urdf_input* input, const ts_model_file_options* options, ts_import_report* report,
                            ts_model** out_model, ts_status* out_status);

// --- overlaps.c ---

/// Where no SRDF says which links never touch: those that overlap in the pose of the file do not.
void ts_urdf_exclude_overlaps(ts_urdf_reader* reader);

// --- values.c ---

/// Takes the first failure. node may be NULL. Always returns reader->xml.code.
ts_code ts_urdf_fail(ts_urdf_reader* reader, const ts_xml_node* node, ts_code code, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/// Adds a finding at a node's place.
void ts_urdf_report(ts_urdf_reader* reader, const ts_xml_node* node, ts_import_level level, int affects_physics,
                    const char* what, const char* meaning);

/// The first child of that name, or NULL; further ones are an error.
const ts_xml_node* ts_urdf_child(ts_urdf_reader* reader, const ts_xml_node* node, const char* name);

/// Reads exactly `count` numbers of an attribute. Returns 0 when it is missing, empty (which is reported) or wrong.
int ts_urdf_reals(ts_urdf_reader* reader, const ts_xml_node* node, const char* name, double* out_values, int count);

/// One number, or `fallback`; node may be NULL.
double ts_urdf_real(ts_urdf_reader* reader, const ts_xml_node* node, const char* name, double fallback);

/// One number that must be there.
double ts_urdf_need(ts_urdf_reader* reader, const ts_xml_node* node, const char* name);

/// The pose of <origin> inside of node; no such element is no displacement.
ts_pose ts_urdf_origin(ts_urdf_reader* reader, const ts_xml_node* node);

/// A rotation by roll, pitch and yaw: Rz(yaw) Ry(pitch) Rx(roll).
ts_quat ts_urdf_rotation(const double rpy[3]);

// --- schema.c ---

/// Reports attributes and children of a node that are not taken over exactly, by the table of its element's name.
void ts_urdf_check(ts_urdf_reader* reader, const ts_xml_node* node);

// --- tree.c ---

/// Lists links and joints and finds the tree.
void ts_urdf_read_tree(ts_urdf_reader* reader, const ts_xml_node* robot);

// --- joints.c ---

/// Adds a joint to the body of its child link.
void ts_urdf_add_joint(ts_urdf_reader* reader, ts_urdf_joint* joint, int body);

/// Gives joints that move no mass an inertia of their own; for all bodies and joints added.
void ts_urdf_give_inertia(ts_urdf_reader* reader);

/// Adds what mimicking joints shall keep.
void ts_urdf_add_mimics(ts_urdf_reader* reader);

// --- links.c ---

/// Adds a link's body: at `pose` in `parent`.
int ts_urdf_add_body(ts_urdf_reader* reader, const ts_urdf_link* link, int parent, ts_pose pose);

/// Adds the geoms of a link.
void ts_urdf_add_geoms(ts_urdf_reader* reader, const ts_urdf_link* link);

/// A <material> of the robot.
void ts_urdf_read_material(ts_urdf_reader* reader, const ts_xml_node* node);

// --- meshes.c ---

/// The hull of the file that <mesh> names; NULL with *out_problem when it cannot be had, or with a failure.
const ts_hull* ts_urdf_mesh_hull(ts_urdf_reader* reader, const ts_xml_node* node, ts_status* out_problem);

// --- packages.c ---

/// The real path of what a URI means, in the arena; NULL with the reason, also when it lies outside of the folders that
/// the user named.
const char* ts_urdf_resolve(ts_urdf_reader* reader, const ts_xml_node* node, const char* uri, ts_status* out_problem);

/// The folder that the names of files in the URDF may not leave. Returns 0 when there is none.
int ts_urdf_home(const ts_urdf_reader* reader, char* out_folder, size_t size);

// --- srdf.c ---

/// Finds and parses the semantic file: the one that was asked for, or one for this robot beside the file.
void ts_urdf_find_srdf(ts_urdf_reader* reader, const char* path, const char* robot);

/// Parses the semantic file's text; `file` stands in messages.
void ts_urdf_take_srdf(ts_urdf_reader* reader, const char* text, size_t size, const char* file, const char* robot);

/// Nonzero when the semantic file says that the root moves, 0 when that it is fixed, -1 when it says nothing.
int ts_urdf_srdf_root(ts_urdf_reader* reader);

/// Adds exclusions and keyframes once all bodies and joints are there.
void ts_urdf_read_srdf(ts_urdf_reader* reader);

#ifdef __cplusplus
}
#endif
#endif
