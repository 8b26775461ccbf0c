// Reads MJCF in passes over the sections of the file, since any section may stand anywhere: settings first, then default
// classes, assets, bodies, and what refers to bodies. The order inside of each kind is that of the file.
#include "engine/read/mjcf/mjcf.h"

#include "engine/read/mjcf/assets_internal.h"
#include "engine/read/mjcf/compose_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ts_xml_dialect dialect = {"MJCF", "include", {"mujoco", "mujocoinclude"}, 0, 0};

ts_code ts_mjcf_fail(ts_mjcf_reader* reader, const ts_xml_node* node, ts_code code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ts_xml_fail_list(&reader->xml, node, code, format, arguments);
    va_end(arguments);
    return reader->xml.code;
}

static int node_is(const ts_xml_node* node, const char* name) { return strcmp(node->name, name) == 0; }

// A section that is passed over, child by child.
static void pass_over(ts_mjcf_reader* r, const ts_xml_node* section) {
    for (const ts_xml_node* child = section->child; child; child = child->next)
        ts_mjcf_report_element(r, child, section->name);
}

enum { PREPARING_PASSES = 3, PASSES = 7 };

// Who reads a section, and in which pass. The first passes are made for every document; what it says for the whole counts
// in the first document alone.
static const struct section {
    const char* name;
    int pass;
    int for_the_whole;
    void (*read)(ts_mjcf_reader* r, const ts_xml_node* section);
} sections[] = {{"compiler", 0, 0, ts_mjcf_read_compiler}, {"option", 0, 1, ts_mjcf_read_option},
                {"custom", 0, 1, ts_mjcf_read_custom},     {"default", 1, 0, ts_mjcf_read_default},
                {"asset", 2, 0, ts_mjcf_read_asset},       {"worldbody", 3, 0, ts_mjcf_read_world},
                {"contact", 4, 0, ts_mjcf_read_contact},   {"keyframe", 6, 0, ts_mjcf_read_keyframe},
                {"equality", 5, 0, ts_mjcf_read_equality}, {"tendon", 4, 0, ts_mjcf_read_tendon},
                {"actuator", 5, 0, ts_mjcf_read_actuator}, {"sensor", 6, 0, ts_mjcf_read_sensor},
                {"deformable", 5, 0, pass_over},           {"extension", 5, 0, pass_over}};

static void read_section(ts_mjcf_reader* r, const ts_xml_node* section, int pass) {
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i) {
        if (!node_is(section, sections[i].name)) continue;
        int counts = !sections[i].for_the_whole || section->document == 0;
        if (sections[i].pass == pass && counts) sections[i].read(r, section);
        return;
    }
    if (pass == 0 && !ts_mjcf_report_element(r, section, "mujoco")) ts_mjcf_unknown_element(r, section);
}

static void read_pass(ts_mjcf_reader* r, const ts_xml_node* root, int pass) {
    for (const ts_xml_node* section = root->child; section && !r->xml.code; section = section->next)
        read_section(r, section, pass);
}

void ts_mjcf_prepare_document(ts_mjcf_reader* reader, int document) {
    const ts_xml_node* root = reader->documents.data[document]->root;
    ts_mjcf_check(reader, root, "mujoco");
    for (int pass = 0; pass < PREPARING_PASSES; ++pass) read_pass(reader, root, pass);
    if (!reader->xml.code) ts_mjcf_compose(reader, document);
}

static void read_sections(ts_mjcf_reader* r) {
    const ts_mjcf_switches* c = &r->switches;
    const ts_xml_node* root = r->documents.data[0]->root;
    ts_mjcf_prepare_document(r, 0);
    ts_mjcf_settle_materials(r);
    for (int pass = PREPARING_PASSES; pass < PASSES; ++pass) read_pass(r, root, pass);
    if (r->xml.code) return;
    ts_mjcf_aim_cameras(r);
    ts_mjcf_set_restitution(r);
    ts_mjcf_set_sleep(r);
    if (c->no_gravity) ts_builder_options(r->builder)->gravity = ts_vec3_zero();
    if (c->initial_keyframe >= r->keyframe_count)
        ts_mjcf_fail(r, c->initial_keyframe_node, TS_ERROR_VALUE,
                     "touchstone.initial_keyframe is %d, but the file has %d keyframes", c->initial_keyframe,
                     r->keyframe_count);
    ts_mjcf_adjust_masses(r);
}

static void free_document(ts_mjcf_document* document) {
    ts_name_table_free(&document->class_name);
    ts_name_table_free(&document->mesh_name);
    ts_name_table_free(&document->height_field_name);
    ts_name_table_free(&document->material_name);
    ts_name_table_free(&document->texture_name);
    ts_name_table_free(&document->model_name);
    ts_mjcf_name_set_free(&document->known);
}

static void free_reader(ts_mjcf_reader* r) {
    for (int i = 0; i < r->classes.count; ++i)
        for (int k = 0; k < TS_MJCF_KIND_COUNT; ++k) ts_xml_node_array_free(&r->classes.data[i].node[k]);
    ts_mjcf_class_array_free(&r->classes);
    ts_mjcf_mesh_array_free(&r->meshes);
    ts_mjcf_material_array_free(&r->materials);
    ts_mjcf_height_field_array_free(&r->height_fields);
    ts_xml_node_array_free(&r->height_notes);
    for (int i = 0; i < r->documents.count; ++i) free_document(r->documents.data[i]);
    ts_mjcf_document_array_free(&r->documents);
    ts_name_table_free(&r->body_name);
    ts_name_table_free(&r->joint_name);
    ts_name_table_free(&r->site_name);
    ts_name_table_free(&r->geom_name);
    ts_name_table_free(&r->tendon_name);
    ts_name_table_free(&r->actuator_name);
    ts_name_table_free(&r->camera_name);
    ts_mjcf_aim_array_free(&r->aims);
    ts_mjcf_flag_array_free(&r->control_is_read);
    ts_mjcf_flag_array_free(&r->act_is_read);
    ts_xml_free(&r->xml);
    ts_builder_free(r->builder);
}

// `path` is the file's real one, or NULL.
static void read_text(ts_mjcf_reader* r, const char* text, size_t size, const char* file, const char* path,
                      ts_model** out_model, ts_status* out_status) {
    ts_xml_node* root = ts_xml_parse(&r->xml, text, size, file);
    if (!root) return;
    if (!node_is(root, "mujoco")) {
        ts_mjcf_fail(r, root, TS_ERROR_PARSE, "the root element is <%.40s>; MJCF begins with <mujoco>", root->name);
        return;
    }
    const char* name = ts_xml_value(root, "model");
    r->builder = ts_builder_create(name ? name : "");
    // A zero byte cannot be in well-formed XML, so the text is all there is.
    const char* source = ts_xml_copy(&r->xml, text, size);
    if (!r->builder || !ts_builder_set_source(r->builder, source)) {
        ts_mjcf_fail(r, NULL, TS_ERROR_MEMORY, "out of memory");
        return;
    }
    r->switches.initial_keyframe = -1;
    if (!ts_name_table_put(&r->body_name, "world", 0) || ts_mjcf_add_document(r, NULL, r->xml.directory, -1) < 0)
        ts_mjcf_fail(r, NULL, TS_ERROR_MEMORY, "out of memory");
    if (r->xml.code) return;
    r->documents.data[0]->root = root;
    r->documents.data[0]->path = path;
    read_sections(r);
    if (r->xml.code) return;
    ts_builder* builder = r->builder;
    r->builder = NULL;
    builder->report = r->xml.report;
    builder->mend_keyframes = 1;
    r->xml.code = ts_builder_finish(builder, out_model, out_status);
    if (r->xml.code) memset(&r->xml.problem, 0, sizeof r->xml.problem);  // the builder's message stands already
}

static ts_code parse(const char* text, size_t size, const char* name, const char* directory, const char* path,
                     ts_import_report* report, ts_model** out_model, ts_status* out_status) {
    ts_mjcf_reader r;
    memset(&r, 0, sizeof r);
    r.xml.dialect = &dialect;
    r.xml.directory = directory;
    r.xml.report = report;
    *out_model = NULL;
    ts_status status;
    memset(&status, 0, sizeof status);
    char* real = path ? realpath(path, NULL) : NULL;
    if (real && !ts_name_table_put(&r.xml.seen_file, real, 1)) ts_mjcf_fail(&r, NULL, TS_ERROR_MEMORY, "out of memory");
    if (!r.xml.code) read_text(&r, text, size, ts_xml_copy(&r.xml, name, strlen(name)), real, out_model, &status);
    ts_code code = ts_xml_outcome(&r.xml, name, &status);
    free_reader(&r);
    free(real);
    if (out_status) *out_status = status;
    return code;
}

ts_code ts_mjcf_parse(const char* text, unsigned long size, const char* name, const char* directory,
                      ts_import_report* report, ts_model** out_model, ts_status* out_status) {
    return parse(text, size, name, directory, NULL, report, out_model, out_status);
}

ts_code ts_mjcf_load(const char* path, ts_import_report* report, ts_model** out_model, ts_status* out_status) {
    *out_model = NULL;
    ts_text text;
    memset(&text, 0, sizeof text);
    ts_code code = ts_xml_read_file(path, &text, out_status);
    char* directory = ts_xml_folder_of(path);
    if (!directory && !code) code = ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    if (!code) code = parse(ts_text_get(&text), text.length, path, directory, path, report, out_model, out_status);
    free(directory);
    ts_text_free(&text);
    return code;
}
