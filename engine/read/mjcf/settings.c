// <compiler>, <option> and <custom>: how the file is to be read, and the options of the model.
//
// Touchstone's own options are carried by <custom>: <numeric name="touchstone.contact_margin" data="0.001"/> sets the
// option contact_margin, <text name="touchstone.solver" data="ccp-pgs"/> the solver. More names exist:
// touchstone.restitution (of all geoms, or one number for each), touchstone.initial_keyframe (index of the keyframe to begin with) and
// touchstone.any_inertia (1: moments that break the triangle inequality are taken, as readers of URDF do), touchstone.elevation.NAME and
// touchstone.waves.NAME (of height fields: height_fields.c).
#include "engine/read/mjcf/mjcf_internal.h"
#include "engine/step/integrate/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_euler_sequence(const ts_mjcf_element* e) {
    ts_mjcf_reader* r = e->reader;
    const ts_xml_node* node;
    const char* text = ts_mjcf_text(e, "eulerseq", &node);
    if (!text) return;
    int fine = strlen(text) == 3;
    for (int i = 0; fine && i < 3; ++i) fine = strchr("xyzXYZ", text[i]) != NULL;
    if (fine)
        memcpy(ts_mjcf_compiler_of(r, e->node)->euler, text, 4);
    else
        ts_mjcf_fail(r, node, TS_ERROR_VALUE, "eulerseq must be three letters of xyzXYZ, not '%.20s'", text);
}

void ts_mjcf_read_compiler(ts_mjcf_reader* reader, const ts_xml_node* node) {
    static const char* const angle_words[] = {"degree", "radian"};
    static const char* const coordinate_words[] = {"local", "global"};
    static const char* const conflict_words[] = {"warning", "merge", "error"};
    ts_mjcf_check(reader, node, "compiler");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_compiler* c = ts_mjcf_compiler_of(reader, node);
    int unit = ts_mjcf_word(&e, "angle", angle_words, 2, -1);
    if (unit >= 0) c->angle = unit ? 1.0 : 0.017453292519943295;
    if (ts_mjcf_word(&e, "coordinate", coordinate_words, 2, 0) == 1)
        ts_mjcf_fail(reader, node, TS_ERROR_UNSUPPORTED, "coordinate='global' is not read (MuJoCo gave it up, too)");
    read_euler_sequence(&e);
    c->merges_options = ts_mjcf_word(&e, "conflict", conflict_words, 3, c->merges_options);
    ts_mjcf_take(&e, "compiler", c);
    double range[2];
    if (ts_mjcf_reals(&e, "inertiagrouprange", range, 2, 2)) {
        // Groups are small whole numbers; the comparison stays in doubles until then.
        c->group_low = (int)fmax(-1000.0, fmin(1000.0, ceil(range[0])));
        c->group_high = (int)fmax(-1000.0, fmin(1000.0, floor(range[1])));
    }
    if (c->bound_mass < 0.0 || c->bound_inertia < 0.0)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "boundmass and boundinertia cannot be negative");
    for (const ts_xml_node* child = node->child; child; child = child->next)
        if (!ts_mjcf_report_element(reader, child, "compiler")) ts_mjcf_unknown_element(reader, child);
}

static void read_flags(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "flag");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_take(&e, "flag", &reader->switches);
    ts_mjcf_switches* c = &reader->switches;
    if (c->no_constraint) c->no_contact = c->no_limit = c->no_friction = c->no_equality = 1;
    static const char* const disable_enable[] = {"disable", "enable"};
    c->sleeps = ts_mjcf_word(&e, "sleep", disable_enable, 2, c->sleeps);
    if (reader->switches.no_warm_start) ts_builder_options(reader->builder)->warm_start = 0;
}

// Refused here, where the file and its line are known.
static void check_integrator(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_options* options = ts_builder_options(reader->builder);
    ts_status status;
    if (reader->xml.code || ts_integrator_find(options->integrator)) return;
    ts_code code = ts_integrator_unknown(options->integrator, &status);
    ts_mjcf_fail(reader, node, code, "%s", status.message);
}

void ts_mjcf_set_option(ts_mjcf_reader* reader, const ts_xml_node* node, const char* attribute, const char* option) {
    const char* value = ts_xml_value(node, attribute);
    ts_status status;
    memset(&status, 0, sizeof status);
    if (!value || reader->xml.code) return;
    ts_code code = ts_options_set(ts_builder_options(reader->builder), option, value, &status);
    if (code) ts_mjcf_fail(reader, node, code, "%s", status.message);
}

// Groups of actuators that are switched off, as bits.
static void read_actuator_groups(const ts_mjcf_element* e) {
    ts_builder_number_array group = {NULL, 0, 0};
    ts_mjcf_real_array(e, "actuatorgroupdisable", &group);
    for (int i = 0; i < group.count && !e->reader->xml.code; ++i) {
        if (group.data[i] >= 0.0 && group.data[i] <= 30.0 && group.data[i] == floor(group.data[i]))
            e->reader->switches.actuator_groups_off |= 1u << (unsigned)group.data[i];
        else
            ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "actuatorgroupdisable takes groups from 0 to 30");
    }
    ts_builder_number_array_free(&group);
}

void ts_mjcf_read_option(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "option");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_take(&e, "option", &reader->switches);
    check_integrator(reader, node);
    read_actuator_groups(&e);
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        if (strcmp(child->name, "flag") == 0)
            read_flags(reader, child);
        else
            ts_mjcf_unknown_element(reader, child);
    }
}

void ts_mjcf_set_sleep(ts_mjcf_reader* reader) {
    enum { QUIET_STEPS = 10 };  // as MuJoCo has it
    ts_options* options = ts_builder_options(reader->builder);
    if (reader->switches.sleeps && options->sleep == 0.0) options->sleep = QUIET_STEPS * options->time_step;
}

void ts_mjcf_set_restitution(ts_mjcf_reader* reader) {
    const ts_xml_node* node = reader->switches.restitution_node;
    ts_builder_geom_array* geom = &reader->builder->geom;
    ts_builder_number_array value = {NULL, 0, 0};
    if (!node) return;
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_real_array(&e, "data", &value);
    for (int i = 0; i < value.count; ++i)
        if (!(value.data[i] >= 0.0 && value.data[i] <= 1.0))
            ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "touchstone.restitution must be between 0 and 1");
    if (value.count != 1 && value.count != geom->count)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE,
                     "touchstone.restitution is one number, or one for each of the %d geoms, not %d", geom->count,
                     value.count);
    for (int i = 0; i < geom->count && !reader->xml.code; ++i)
        geom->data[i].def.surface.restitution = value.data[value.count == 1 ? 0 : i];
    // Between two surfaces it is the larger one, for pairs, too.
    ts_builder_pair_array* pair = &reader->builder->pair;
    for (int i = 0; i < pair->count; ++i)
        pair->data[i].surface.restitution = fmax(geom->data[pair->data[i].geom_a].def.surface.restitution,
                                                 geom->data[pair->data[i].geom_b].def.surface.restitution);
    ts_builder_number_array_free(&value);
}

static void read_own(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name) {
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    if (!ts_xml_value(node, "data")) {
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "touchstone.%.60s has no data", name);
    } else if (strncmp(name, "elevation.", 10) == 0 || strncmp(name, "waves.", 6) == 0) {
        if (!ts_xml_node_array_push(&reader->height_notes, node))
            ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    } else if (strcmp(name, "restitution") == 0) {
        reader->switches.restitution_node = node;
    } else if (strcmp(name, "any_inertia") == 0) {
        reader->builder->any_inertia = ts_mjcf_integer(&e, "data", 0) != 0;
    } else if (strcmp(name, "initial_keyframe") == 0) {
        reader->switches.initial_keyframe = ts_mjcf_integer(&e, "data", 0);
        reader->switches.initial_keyframe_node = node;
        if (reader->switches.initial_keyframe < 0)
            ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "touchstone.initial_keyframe is an index from 0");
    } else {
        ts_mjcf_set_option(reader, node, "data", name);
    }
}

void ts_mjcf_read_custom(ts_mjcf_reader* reader, const ts_xml_node* node) {
    static const char prefix[] = "touchstone.";
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        int numeric = strcmp(child->name, "numeric") == 0;
        if (!numeric && strcmp(child->name, "text") != 0) {
            if (!ts_mjcf_report_element(reader, child, "custom")) ts_mjcf_unknown_element(reader, child);
            continue;
        }
        ts_mjcf_check(reader, child, child->name);
        const char* name = ts_xml_value(child, "name");
        if (!name)
            ts_mjcf_fail(reader, child, TS_ERROR_PARSE, "%s needs a name", child->name);
        else if (strncmp(name, prefix, sizeof prefix - 1) == 0)
            read_own(reader, child, name + sizeof prefix - 1);
        else
            ts_mjcf_report(reader, child, TS_IMPORT_IGNORED, 0, numeric ? "custom/numeric" : "custom/text",
                           "no meaning for the simulation");
    }
}
