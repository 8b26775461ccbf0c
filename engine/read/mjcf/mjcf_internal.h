// What the readers of MJCF share. Reading goes in two strides: text becomes a tree of plain nodes with their places
// (engine/read/xml.c), includes already spliced in; then the tree is walked section by section and fed to a builder.
//
// Errors are sticky: the first one is kept in reader->xml, and callers look at its code where it matters.
#ifndef TS_ENGINE_MJCF_INTERNAL_H
#define TS_ENGINE_MJCF_INTERNAL_H

#include "base/array.h"
#include "collision/shape/mesh_file.h"
#include "engine/model/builder_internal.h"
#include "engine/read/xml_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The elements whose defaults are read.
typedef enum ts_mjcf_kind {
    TS_MJCF_MESH,
    TS_MJCF_MATERIAL,
    TS_MJCF_JOINT,
    TS_MJCF_GEOM,
    TS_MJCF_SITE,
    TS_MJCF_CAMERA,
    TS_MJCF_EQUALITY,
    TS_MJCF_PAIR,
    TS_MJCF_TENDON,
    TS_MJCF_ACTUATOR,  // all of its shortcuts
    TS_MJCF_KIND_COUNT
} ts_mjcf_kind;

TS_ARRAY_DECLARE(ts_xml_node_array, const ts_xml_node*);

/// A default class. node[k] are its elements of kind k: one, but for main, where several <default> sections add up.
typedef struct ts_mjcf_class {
    const char* name;
    int parent;
    ts_xml_node_array node[TS_MJCF_KIND_COUNT];
} ts_mjcf_class;

TS_ARRAY_DECLARE(ts_mjcf_class_array, ts_mjcf_class);

/// How a mesh's mass properties are had.
typedef enum ts_mjcf_mesh_inertia {
    TS_MJCF_MESH_LEGACY,
    TS_MJCF_MESH_EXACT,
    TS_MJCF_MESH_CONVEX,
    TS_MJCF_MESH_SHELL
} ts_mjcf_mesh_inertia;

/// A mesh asset, read when a geom first asks for it.
typedef struct ts_mjcf_mesh {
    const ts_xml_node* node;
    int tried;            // nonzero once reading was attempted
    ts_status problem;    // why there is no hull
    const ts_hull* hull;  // NULL: not had; owned by the builder
    ts_mass_properties solid;
} ts_mjcf_mesh;

TS_ARRAY_DECLARE(ts_mjcf_mesh_array, ts_mjcf_mesh);

/// A height field asset, made when a geom first asks for it.
typedef struct ts_mjcf_height_field {
    const ts_xml_node* node;
    const ts_height_field* field;  // NULL: not asked for yet; owned by the builder
} ts_mjcf_height_field;

TS_ARRAY_DECLARE(ts_mjcf_height_field_array, ts_mjcf_height_field);

/// A material: number k is the builder's number k.
typedef struct ts_mjcf_material {
    const ts_xml_node* node;
    ts_visual_material is;  // its texture once all are known
    const char* texture;    // name, or NULL
    float rgba[4];
} ts_mjcf_material;

TS_ARRAY_DECLARE(ts_mjcf_material_array, ts_mjcf_material);

/// A camera that looks at a body, which may stand further down in the file.
typedef struct ts_mjcf_aim {
    const ts_xml_node* node;
    const char* target;  // NULL: it names none
    int camera;          // number in the builder
} ts_mjcf_aim;

TS_ARRAY_DECLARE(ts_mjcf_aim_array, ts_mjcf_aim);

/// <compiler>: how a document is to be understood.
typedef struct ts_mjcf_compiler {
    double angle;  // rad per unit of an angle in the file
    char euler[4];
    const char* mesh_directory;     // "" when not given
    const char* asset_directory;    // "" when not given
    const char* texture_directory;  // "" when not given
    int strip_path;
    int auto_limits;
    int inertia_from_geom;  // 0 never, 1 always, 2 where <inertial> is missing
    int group_low, group_high;
    double bound_mass;
    double bound_inertia;
    double total_mass;
    int balance_inertia;
    int fit_box;         // meshes are fitted by the boxes around them, not by those of their inertia
    int exact_mesh;      // meshes that do not say weigh by exact integrals
    int merges_options;  // what the models that it attaches say about options is to change its own
} ts_mjcf_compiler;

/// The switches of <option>'s <flag>, and what <custom> says about the reading; of the first document alone.
typedef struct ts_mjcf_switches {
    int no_constraint, no_contact, no_limit, no_friction, no_spring, no_damper, no_passive, no_gravity, no_warm_start,
        no_equality;
    int sleeps;
    int no_actuation, no_clamp_control;
    unsigned actuator_groups_off;         // a bit for each group
    const ts_xml_node* restitution_node;  // of custom, or NULL
    int initial_keyframe;                 // -1: none
    const ts_xml_node* initial_keyframe_node;
} ts_mjcf_switches;

/// What names belong to, as far as other elements refer to it by them.
typedef enum ts_mjcf_name_kind {
    TS_MJCF_NAMES_BODY,
    TS_MJCF_NAMES_JOINT,
    TS_MJCF_NAMES_GEOM,
    TS_MJCF_NAMES_SITE,
    TS_MJCF_NAMES_FRAME,
    TS_MJCF_NAMES_CAMERA,
    TS_MJCF_NAMES_TENDON,
    TS_MJCF_NAMES_ACTUATOR,
    TS_MJCF_NAMES_COUNT
} ts_mjcf_name_kind;

/// Names of things, by what they name; the values do not matter.
typedef struct ts_mjcf_name_set {
    ts_name_table of[TS_MJCF_NAMES_COUNT];
} ts_mjcf_name_set;

/// A file (with its includes), and what counts for its elements alone, wherever they end up: a model that is attached to
/// another keeps its angles, its classes and its assets. Nodes say which document they are of.
typedef struct ts_mjcf_document {
    ts_xml_node* root;
    const char* directory;  // where names of files begin; NULL: no file may be opened
    const char* path;       // the real one, or NULL
    int parent;             // the document that asked for it; -1: none
    int nesting;
    ts_mjcf_compiler compiler;
    int main_class;
    ts_name_table class_name;
    ts_name_table mesh_name;
    ts_name_table height_field_name;
    ts_name_table material_name;
    ts_name_table texture_name;  // numbers of the builder; TS_MJCF_LEFT_OUT
    ts_name_table model_name;    // documents to attach
    ts_mjcf_name_set known;      // names in use, as far as the tree is composed
} ts_mjcf_document;

TS_ARRAY_DECLARE(ts_mjcf_document_array, ts_mjcf_document*);
TS_ARRAY_DECLARE(ts_mjcf_flag_array, int);

/// The index of what has a name in the file and is not read.
enum { TS_MJCF_LEFT_OUT = -2 };

/// The whole undertaking.
typedef struct ts_mjcf_reader {
    ts_xml xml;
    int copy_count;  // elements made by <replicate> and <attach>
    int look_count;
    int keyframe_count;
    ts_mjcf_switches switches;
    ts_mjcf_document_array documents;  // in the arena of `xml`; 0 is the one that is read
    ts_mjcf_class_array classes;       // of all documents; 0 is main of the first
    ts_mjcf_mesh_array meshes;
    ts_mjcf_height_field_array height_fields;
    ts_xml_node_array height_notes;  // entries of <custom> about height fields
    ts_mjcf_material_array materials;
    ts_name_table body_name;  // indices of the builder
    ts_name_table joint_name;
    ts_name_table site_name;
    ts_name_table geom_name;
    ts_name_table tendon_name;
    ts_name_table actuator_name;  // TS_MJCF_LEFT_OUT: the file has it, the model not
    ts_name_table camera_name;
    ts_mjcf_aim_array aims;
    // of every control and activation that the file has: whether it is one here
    ts_mjcf_flag_array control_is_read;
    ts_mjcf_flag_array act_is_read;
    ts_builder* builder;
} ts_mjcf_reader;

/// An element together with the class its missing attributes come from.
typedef struct ts_mjcf_element {
    ts_mjcf_reader* reader;
    const ts_xml_node* node;
    ts_mjcf_kind kind;
    int class_index;  // -1: no defaults
} ts_mjcf_element;

/// Takes the first failure. node may be NULL. Always returns reader->xml.code.
ts_code ts_mjcf_fail(ts_mjcf_reader* reader, const ts_xml_node* node, ts_code code, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/// The document that a node is of.
static inline ts_mjcf_document* ts_mjcf_document_of(const ts_mjcf_reader* reader, const ts_xml_node* node) {
    return reader->documents.data[node->document];
}

/// How an element's document is to be understood.
static inline ts_mjcf_compiler* ts_mjcf_compiler_of(const ts_mjcf_reader* reader, const ts_xml_node* node) {
    return &ts_mjcf_document_of(reader, node)->compiler;
}

// --- mjcf.c ---

/// What a document needs before anything is made of it: its compiler, classes and assets, the models that it attaches, and
/// its tree composed.
void ts_mjcf_prepare_document(ts_mjcf_reader* reader, int document);

// --- mjcf_values.c ---

/// The element with the defaults of its class: its own class attribute, else `childclass` (index; 0: main of its document).
ts_mjcf_element ts_mjcf_element_make(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_kind kind,
                                     int childclass);

/// An element without defaults.
ts_mjcf_element ts_mjcf_element_plain(ts_mjcf_reader* reader, const ts_xml_node* node);

/// An attribute's text, or NULL; *out_node (may be NULL) is the element that has it.
const char* ts_mjcf_text(const ts_mjcf_element* element, const char* name, const ts_xml_node** out_node);

/// Reads `least` to `most` numbers. Returns how many, 0 when the attribute is missing or wrong.
int ts_mjcf_reals(const ts_mjcf_element* element, const char* name, double* out_values, int least, int most);

/// One number, or `fallback`.
double ts_mjcf_real(const ts_mjcf_element* element, const char* name, double fallback);

/// One whole number, or `fallback`.
int ts_mjcf_integer(const ts_mjcf_element* element, const char* name, int fallback);

/// One of `count` words as its index, or `fallback`.
int ts_mjcf_word(const ts_mjcf_element* element, const char* name, const char* const* words, int count, int fallback);

/// "true" or "false" as 1 or 0.
int ts_mjcf_bool(const ts_mjcf_element* element, const char* name, int fallback);

/// Any number of numbers, appended. Returns 0 when the attribute is missing or wrong.
int ts_mjcf_real_array(const ts_mjcf_element* element, const char* name, ts_builder_number_array* out_values);

/// pos and one of quat, axisangle, xyaxes, zaxis, euler.
ts_pose ts_mjcf_pose(const ts_mjcf_element* element);

/// euler with every angle multiplied by `times`; no rotation when it is missing.
ts_quat ts_mjcf_euler(const ts_mjcf_element* element, double times);

/// The pose and half length of fromto="..."; returns 0 when there is none.
int ts_mjcf_from_to(const ts_mjcf_element* element, ts_pose* out_pose, double* out_half_length);

// --- mjcf_schema.c ---

/// Checks a node's attributes against the table of its element and reports those that are not taken over exactly.
/// `element` is the table's name: "geom", "joint", ...
void ts_mjcf_check(ts_mjcf_reader* reader, const ts_xml_node* node, const char* element);

/// Writes the attributes of the table that say where they land into the struct that they name; what is given neither by
/// the element nor by its class keeps its value.
void ts_mjcf_take(const ts_mjcf_element* element, const char* table, void* out_fields);

/// The source of rows (engine/rows/) that a table of <equality> asks for, "equality/connect" say; NULL when it is not known.
const char* ts_mjcf_equality_kind(const char* table);

/// Reports an element that is not read, with what that means. Returns 0 when MJCF has no such element there.
int ts_mjcf_report_element(ts_mjcf_reader* reader, const ts_xml_node* node, const char* section);

/// Adds a finding at a node's place.
void ts_mjcf_report(ts_mjcf_reader* reader, const ts_xml_node* node, ts_import_level level, int affects_physics,
                    const char* what, const char* meaning);

/// Fails: no such element here.
void ts_mjcf_unknown_element(ts_mjcf_reader* reader, const ts_xml_node* node);

// --- mjcf_settings.c ---

/// <compiler>, <option> and <custom>.
void ts_mjcf_read_compiler(ts_mjcf_reader* reader, const ts_xml_node* node);
/// See ts_mjcf_read_compiler.
void ts_mjcf_read_option(ts_mjcf_reader* reader, const ts_xml_node* node);
/// See ts_mjcf_read_compiler.
void ts_mjcf_read_custom(ts_mjcf_reader* reader, const ts_xml_node* node);

/// What <flag sleep="enable"/> means, unless the file has its own option for it: quiet for ten steps is asleep.
void ts_mjcf_set_sleep(ts_mjcf_reader* reader);

/// Hands out what the custom numeric touchstone.restitution says, once all geoms are there.
void ts_mjcf_set_restitution(ts_mjcf_reader* reader);

/// Hands an attribute's text to the table of options, which knows counts and bounds.
void ts_mjcf_set_option(ts_mjcf_reader* reader, const ts_xml_node* node, const char* attribute, const char* option);

// --- mjcf_defaults.c ---

/// A top-level <default>.
void ts_mjcf_read_default(ts_mjcf_reader* reader, const ts_xml_node* node);

/// The nodes an element inherits from, nearest first: start with {element->class_index, 0}; NULL at the end.
typedef struct ts_mjcf_default_cursor {
    int class_index;
    int passed;
} ts_mjcf_default_cursor;

/// See ts_mjcf_default_cursor.
const ts_xml_node* ts_mjcf_next_default(const ts_mjcf_element* element, ts_mjcf_default_cursor* cursor);

/// A class by name, or -1 with a failure at `node`.
int ts_mjcf_find_class(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name);

// --- tendons.c ---

/// Drops what <flag> switches off, and says whether something is left.
void ts_mjcf_settle_curve(const ts_mjcf_switches* switches, ts_curve* curve);

// --- mjcf_bodies.c, mjcf_geoms.c ---

/// Where in the tree of bodies the reader is.
typedef struct ts_mjcf_scope {
    int body;
    ts_pose frame;  // of the innermost <frame>, in the body
    int childclass;
    int depth;
    int moves;            // nonzero below a joint
    int mass_from_geoms;  // nonzero when the body's mass comes from its geoms
} ts_mjcf_scope;

/// <worldbody>.
void ts_mjcf_read_world(ts_mjcf_reader* reader, const ts_xml_node* node);

/// Once all bodies are known: what cameras look at.
void ts_mjcf_aim_cameras(ts_mjcf_reader* reader);

/// <geom>.
void ts_mjcf_read_geom(ts_mjcf_reader* reader, const ts_xml_node* node, const ts_mjcf_scope* scope);

/// What the builder made of a definition (< 0: it had no memory) can be found by its name; the builder refuses a second one.
void ts_mjcf_note(ts_mjcf_reader* reader, const ts_xml_node* node, ts_name_table* names, const char* name, int index);

// --- mjcf_sections.c ---

/// <contact>.
void ts_mjcf_read_contact(ts_mjcf_reader* reader, const ts_xml_node* node);

/// <equality>.
void ts_mjcf_read_equality(ts_mjcf_reader* reader, const ts_xml_node* node);

// --- mjcf_tendons.c ---

/// <tendon>.
void ts_mjcf_read_tendon(ts_mjcf_reader* reader, const ts_xml_node* node);

// --- mjcf_actuators.c ---

/// Whether a range is kept: `limited` is 0 no, 1 yes, 2 when it is not empty.
void ts_mjcf_settle_limits(const ts_mjcf_reader* reader, const ts_xml_node* node, int limited, ts_limits* limits);

/// <actuator>.
void ts_mjcf_read_actuator(ts_mjcf_reader* reader, const ts_xml_node* node);

// --- mjcf_sensors.c ---

/// <sensor>.
void ts_mjcf_read_sensor(ts_mjcf_reader* reader, const ts_xml_node* node);

/// Whether an element of that name tells of an actuator that is read.
int ts_mjcf_is_actuator(const char* name);

/// <keyframe>, counted over all such sections.
void ts_mjcf_read_keyframe(ts_mjcf_reader* reader, const ts_xml_node* node);

/// boundmass, boundinertia, balanceinertia and settotalmass, once all bodies are there.
void ts_mjcf_adjust_masses(ts_mjcf_reader* reader);

#ifdef __cplusplus
}
#endif
#endif
