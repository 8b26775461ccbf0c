// From a URDF file to a model: the tree first, then bodies and joints parents first, then what refers to them.
//
// Bodies come depth-first, children in the order of their joints in the file; the coordinates follow that order. A root link
// named `world` is the world. Links that one joint connects never touch; where both do not move with their own joints
// (a base that is fixed to the world), this takes an exclusion.
#include "engine/read/urdf/urdf.h"

#include "engine/read/urdf/urdf_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ts_xml_dialect dialect = {.name = "URDF", .takes_prefixes = 1};

static ts_pose pose_in_world(const ts_builder* builder, int body) {
    ts_pose pose = ts_pose_identity();
    for (; body > 0; body = builder->body.data[body].def.parent)
        pose = ts_pose_mul(builder->body.data[body].def.pose, pose);
    return pose;
}

// --- the root ---

static int has_mass(ts_urdf_reader* reader, const ts_urdf_link* link) {
    const ts_xml_node* inertial = ts_urdf_child(reader, link->node, "inertial");
    const ts_xml_node* mass = inertial ? ts_urdf_child(reader, inertial, "mass") : NULL;
    return mass && ts_urdf_real(reader, mass, "value", 0.0) > 0.0;
}

static int moves_otherwise(const ts_urdf_reader* reader) {
    for (int i = 0; i < reader->joint.count; ++i)
        if (reader->joint.data[i].type != TS_URDF_FIXED) return 1;
    return 0;
}

static void decide_root(ts_urdf_reader* reader) {
    const ts_urdf_link* root = &reader->link.data[reader->root];
    int is_world = strcmp(root->name, "world") == 0;
    int said = reader->srdf ? ts_urdf_srdf_root(reader) : -1;
    const char* because;
    if (reader->options->root != TS_ROOT_BY_FILE) {
        reader->root_floats = reader->options->root == TS_ROOT_FLOATING;
        because = reader->root_floats ? "floating, as asked for" : "fixed to the world, as asked for";
        if (is_world && reader->root_floats)
            ts_urdf_fail(reader, root->node, TS_ERROR_VALUE, "the root link is the world: it cannot float");
    } else if (is_world) {
        because = "the world";
    } else if (said >= 0) {
        reader->root_floats = said;
        because = said ? "floating: the SRDF says so (--root fixed changes that)"
                       : "fixed to the world: the SRDF says so (--root floating changes that)";
    } else if (!moves_otherwise(reader) && has_mass(reader, root)) {
        reader->root_floats = 1;
        because = "floating: nothing else moves (--root fixed changes that)";
    } else {
        because = "fixed to the world, since nothing says otherwise (--root floating changes that)";
    }
    char what[96];
    snprintf(what, sizeof what, "root link %.80s", root->name);
    ts_urdf_report(reader, root->node, TS_IMPORT_HONOURED, 1, what, because);
}

static void add_root(ts_urdf_reader* reader) {
    ts_urdf_link* link = &reader->link.data[reader->root];
    if (strcmp(link->name, "world") == 0) {
        link->body = 0;
        return;
    }
    link->body = ts_urdf_add_body(reader, link, 0, ts_pose_identity());
    if (!reader->root_floats || reader->xml.code) return;
    link->group = link->body;
    ts_joint_def def = ts_joint_def_default();
    def.type = TS_JOINT_FREE;
    def.name = ts_name_table_find(&reader->joint_name, "root_joint") < 0 ? "root_joint" : NULL;
    def.body = link->body;
    def.file = link->node->file;
    def.line = link->node->line;
    if (ts_builder_add_joint(reader->builder, &def) < 0)
        ts_urdf_fail(reader, link->node, TS_ERROR_MEMORY, "out of memory");
}

// --- the rest of the tree ---

static void add_child(ts_urdf_reader* reader, ts_urdf_joint* joint) {
    const ts_urdf_link* parent = &reader->link.data[joint->parent];
    ts_urdf_link* link = &reader->link.data[joint->child];
    ts_pose pose = ts_urdf_origin(reader, joint->node);
    int body = parent->body;
    if (joint->type == TS_URDF_FLOATING) {
        if (parent->group != 0)
            ts_urdf_fail(reader, joint->node, TS_ERROR_UNSUPPORTED,
                         "a floating joint must hang on the world or on what is fixed to it");
        pose = ts_pose_mul(pose_in_world(reader->builder, body), pose);
        body = 0;
    }
    if (reader->xml.code) return;
    link->body = ts_urdf_add_body(reader, link, body, pose);
    link->group = joint->type == TS_URDF_FIXED ? parent->group : link->body;
    if (!reader->xml.code) ts_urdf_add_joint(reader, joint, link->body);
}

static int has_collision(const ts_urdf_link* link) {
    for (const ts_xml_node* child = link->node->child; child; child = child->next)
        if (strcmp(child->name, "collision") == 0) return 1;
    return 0;
}

// The parent's shapes, or those of the link that it is fixed to when it has none, are what the child would rub against.
static void exclude_neighbour(ts_urdf_reader* reader, const ts_urdf_joint* joint) {
    const ts_urdf_link* parent = &reader->link.data[joint->parent];
    const ts_urdf_link* child = &reader->link.data[joint->child];
    if (parent->group != 0 || child->group == 0) return;
    while (!has_collision(parent) && parent->joint >= 0)
        parent = &reader->link.data[reader->joint.data[parent->joint].parent];
    if (!ts_builder_exclude(reader->builder, parent->body, child->body))
        ts_urdf_fail(reader, joint->node, TS_ERROR_MEMORY, "out of memory");
}

// Depth-first with a stack of joints of our own: a chain may be as long as the file.
static void add_tree(ts_urdf_reader* reader) {
    int* stack = (int*)malloc(((size_t)reader->joint.count + 1) * sizeof *stack);
    if (!stack) {
        ts_urdf_fail(reader, NULL, TS_ERROR_MEMORY, "out of memory");
        return;
    }
    add_root(reader);
    if (!reader->xml.code) ts_urdf_add_geoms(reader, &reader->link.data[reader->root]);
    int count = 0;
    if (reader->link.data[reader->root].first >= 0) stack[count++] = reader->link.data[reader->root].first;
    while (count > 0 && !reader->xml.code) {
        ts_urdf_joint* joint = &reader->joint.data[stack[--count]];
        add_child(reader, joint);
        if (!reader->xml.code) ts_urdf_add_geoms(reader, &reader->link.data[joint->child]);
        if (!reader->xml.code) exclude_neighbour(reader, joint);
        // The child's own children come first; every joint is on the stack once.
        if (joint->next >= 0) stack[count++] = joint->next;
        if (reader->link.data[joint->child].first >= 0) stack[count++] = reader->link.data[joint->child].first;
    }
    free(stack);
}

static void free_reader(ts_urdf_reader* r) {
    ts_urdf_link_array_free(&r->link);
    ts_urdf_joint_array_free(&r->joint);
    ts_urdf_mesh_array_free(&r->mesh);
    ts_urdf_material_array_free(&r->material);
    ts_name_table_free(&r->link_name);
    ts_name_table_free(&r->joint_name);
    ts_name_table_free(&r->geom_name);
    ts_name_table_free(&r->mesh_name);
    ts_name_table_free(&r->material_name);
    ts_xml_free(&r->xml);
    ts_builder_free(r->builder);
}

static void read_text(ts_urdf_reader* r, const ts_urdf_input* input, ts_model** out_model, ts_status* out_status) {
    const char* file = ts_xml_copy(&r->xml, input->name, strlen(input->name));
    const ts_xml_node* robot = ts_xml_parse(&r->xml, input->text, input->size, file);
    if (!robot) return;
    if (strcmp(robot->name, "robot") != 0) {
        ts_urdf_fail(r, robot, TS_ERROR_PARSE, "the root element is <%.40s>; URDF begins with <robot>", robot->name);
        return;
    }
    const char* name = ts_xml_value(robot, "name");
    r->builder = ts_builder_create(name ? name : "");
    // A zero byte cannot be in well-formed XML, so the text is all there is.
    const char* source = ts_xml_copy(&r->xml, input->text, input->size);
    if (!r->builder || !ts_builder_set_source(r->builder, source)) {
        ts_urdf_fail(r, NULL, TS_ERROR_MEMORY, "out of memory");
        return;
    }
    r->builder->any_inertia = 1;
    ts_urdf_read_tree(r, robot);
    if (!r->xml.code && input->srdf) ts_urdf_take_srdf(r, input->srdf, input->srdf_size, "srdf", name ? name : "");
    if (!r->xml.code && !input->srdf) ts_urdf_find_srdf(r, file, name ? name : "");
    if (!r->xml.code) decide_root(r);
    if (!r->xml.code) add_tree(r);
    if (!r->xml.code) ts_urdf_give_inertia(r);
    if (!r->xml.code) ts_urdf_exclude_overlaps(r);
    if (!r->xml.code) ts_urdf_add_mimics(r);
    if (!r->xml.code && r->srdf) ts_urdf_read_srdf(r);
    if (r->xml.code) return;
    ts_builder* builder = r->builder;
    r->builder = NULL;
    r->xml.code = ts_builder_finish(builder, out_model, out_status);
    if (r->xml.code) memset(&r->xml.problem, 0, sizeof r->xml.problem);  // the builder's message stands already
}

ts_code ts_urdf_parse_input(const ts_urdf_input* input, const ts_model_file_options* options, ts_import_report* report,
                            ts_model** out_model, ts_status* out_status) {
    static const ts_model_file_options none = {0};
    ts_urdf_reader r;
    ts_status status;
    memset(&r, 0, sizeof r);
    memset(&status, 0, sizeof status);
    r.xml.dialect = &dialect;
    r.xml.directory = input->directory;
    r.xml.report = report;
    r.options = options ? options : &none;
    *out_model = NULL;
    read_text(&r, input, out_model, &status);
    ts_code code = ts_xml_outcome(&r.xml, input->name, &status);
    free_reader(&r);
    if (out_status) *out_status = status;
    return code;
}

ts_code ts_urdf_parse(const char* text, unsigned long size, const char* name, const char* directory,
                      const ts_model_file_options* options, ts_import_report* report, ts_model** out_model,
                      ts_status* out_status) {
    ts_urdf_input input = {.text = text, .size = size, .name = name, .directory = directory};
    return ts_urdf_parse_input(&input, options, report, out_model, out_status);
}

ts_code ts_urdf_load(const char* path, const ts_model_file_options* options, ts_import_report* report,
                     ts_model** out_model, ts_status* out_status) {
    *out_model = NULL;
    ts_text text = {0};
    ts_code code = ts_xml_read_file(path, &text, out_status);
    char* directory = ts_xml_folder_of(path);
    if (!directory && !code) code = ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    if (!code)
        code = ts_urdf_parse(ts_text_get(&text), text.length, path, directory, options, report, out_model, out_status);
    free(directory);
    ts_text_free(&text);
    return code;
}
