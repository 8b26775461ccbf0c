// <contact>, <equality>, <keyframe>, and what <compiler> wants done to the masses once all bodies are known.
#include "engine/read/mjcf/drafts_internal.h"
#include "engine/read/mjcf/mjcf_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_exclude(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_exclusion pair = {-1, -1};
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_check(reader, node, "exclude");
    ts_mjcf_take(&e, "exclude", &pair);
    if (!reader->xml.code && (pair.body_a < 0 || pair.body_b < 0))
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "exclude needs body1 and body2");
    if (!reader->xml.code && !ts_builder_exclude(reader->builder, pair.body_a, pair.body_b))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

// A pair has its own numbers, or the usual ones; what its geoms say counts for nothing.
static void read_pair(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_pair pair = {.geom = {-1, -1}, .surface = ts_surface_default()};
    const ts_surface usual = pair.surface;
    const double friction[5] = {usual.friction, usual.friction, usual.friction_spin, usual.friction_roll,
                                usual.friction_roll};
    memcpy(pair.friction, friction, sizeof friction);
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_PAIR, 0);
    ts_mjcf_check(reader, node, "pair");
    ts_mjcf_take(&e, "pair", &pair);
    if (!reader->xml.code && (pair.geom[0] < 0 || pair.geom[1] < 0))
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "pair needs geom1 and geom2");
    pair.surface.friction = pair.friction[0];
    pair.surface.friction_spin = pair.friction[2];
    pair.surface.friction_roll = pair.friction[3];
    if (pair.friction[0] != pair.friction[1] || pair.friction[3] != pair.friction[4])
        ts_mjcf_report(reader, node, TS_IMPORT_APPROXIMATED, 1, "pair@friction (of two kinds)",
                       "the first number counts in all directions");
    const char* why = ts_surface_fault(&pair.surface);
    if (!reader->xml.code && why) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "pair: %s", why);
    if (!reader->xml.code && pair.geom[0] == pair.geom[1])
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "pair needs two different geoms");
    if (!reader->xml.code && !reader->switches.no_contact &&
        !ts_builder_add_pair(reader->builder, pair.geom[0], pair.geom[1], &pair.surface))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_read_contact(ts_mjcf_reader* reader, const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        if (strcmp(child->name, "exclude") == 0)
            read_exclude(reader, child);
        else if (strcmp(child->name, "pair") == 0)
            read_pair(reader, child);
        else
            ts_mjcf_unknown_element(reader, child);
    }
}

// Sites instead of bodies: both of them, where they are.
static void take_sites(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_equality* equality) {
    if (equality->site[0] < 0 && equality->site[1] < 0) return;
    if (equality->site[0] < 0 || equality->site[1] < 0) {
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "%s needs site1 and site2, or neither", node->name);
        return;
    }
    equality->def.aligned = 0;
    for (int k = 0; k < 2; ++k) {
        const ts_builder_site* site = &reader->builder->site.data[equality->site[k]];
        equality->def.body[k] = site->body;
        equality->def.frame[k] = site->pose;
    }
}

// A weld is told from its second body, in whose frame its anchor is. Without a relative pose it holds what the model's reference pose has.
static void take_weld(ts_mjcf_equality* equality) {
    ts_pose pose = {ts_vec3_load(equality->relative), ts_quat_load(equality->relative + 3)};
    if (ts_quat_norm(pose.rotation) == 0.0 || equality->site[0] >= 0) return;
    pose.rotation = ts_quat_normalize(pose.rotation);
    equality->def.frame[1] = pose;
    equality->def.aligned = 0;
}

static void read_equality(ts_mjcf_reader* reader, const ts_xml_node* node) {
    char table[64];
    snprintf(table, sizeof table, "equality/%.50s", node->name);
    ts_mjcf_equality equality = {.def = ts_equality_def_default(), .site = {-1, -1}};
    equality.def.kind = ts_mjcf_equality_kind(table);
    if (!equality.def.kind) {
        ts_mjcf_report_element(reader, node, "equality");
        return;
    }
    int is_weld = strcmp(equality.def.kind, "weld") == 0;
    if (is_weld) {
        equality.def.body[0] = 0;
        equality.def.body[1] = -1;
    }
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_EQUALITY, 0);
    ts_mjcf_check(reader, node, table);
    ts_mjcf_take(&e, table, &equality);
    take_sites(reader, node, &equality);
    if (is_weld) take_weld(&equality);
    equality.def.name = ts_xml_value(node, "name");
    equality.def.active = equality.def.active && !reader->switches.no_equality;
    equality.def.file = node->file;
    equality.def.line = node->line;
    if (!reader->xml.code && ts_builder_add_equality(reader->builder, &equality.def) < 0)
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_read_equality(ts_mjcf_reader* reader, const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        read_equality(reader, child);
}

// Of numbers for all that the file has, or the first of them, keeps those for what is read.
static void keep_read(const ts_mjcf_flag_array* is_read, ts_builder_number_array* numbers) {
    int count = numbers->count;
    if (count > is_read->count) return;
    numbers->count = 0;
    for (int i = 0; i < count; ++i)
        if (is_read->data[i]) numbers->data[numbers->count++] = numbers->data[i];
}

// The arrays of a <key>, each with where it lands in the definition.
enum { KEY_QPOS, KEY_QVEL, KEY_CTRL, KEY_ACT, KEY_MPOS, KEY_MQUAT, KEY_ARRAYS };

static void read_key(ts_mjcf_reader* reader, const ts_xml_node* node) {
    static const char* const name[KEY_ARRAYS] = {"qpos", "qvel", "ctrl", "act", "mpos", "mquat"};
    ts_builder_number_array x[KEY_ARRAYS];
    ts_keyframe_def def = {.name = ts_xml_value(node, "name"), .file = node->file, .line = node->line};
    const double** numbers[KEY_ARRAYS] = {&def.qpos, &def.qvel,           &def.ctrl,
                                          &def.act,  &def.mocap_position, &def.mocap_rotation};
    int* counts[KEY_ARRAYS] = {&def.qpos_count, &def.qvel_count,           &def.ctrl_count,
                               &def.act_count,  &def.mocap_position_count, &def.mocap_rotation_count};
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_check(reader, node, "key");
    def.time = ts_mjcf_real(&e, "time", 0.0);
    memset(x, 0, sizeof x);
    for (int k = 0; k < KEY_ARRAYS; ++k) ts_mjcf_real_array(&e, name[k], &x[k]);
    keep_read(&reader->control_is_read, &x[KEY_CTRL]);
    keep_read(&reader->act_is_read, &x[KEY_ACT]);
    for (int k = 0; k < KEY_ARRAYS; ++k) {
        if (x[k].count) *numbers[k] = x[k].data;
        *counts[k] = x[k].count;
    }
    // The file says which to begin with, or one is called what everybody calls it.
    int wanted = reader->switches.initial_keyframe;
    def.is_initial = wanted >= 0 ? reader->keyframe_count == wanted : def.name && strcmp(def.name, "home") == 0;
    if (!reader->xml.code && !ts_builder_add_keyframe(reader->builder, &def))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    for (int k = 0; k < KEY_ARRAYS; ++k) ts_builder_number_array_free(&x[k]);
    ++reader->keyframe_count;
}

void ts_mjcf_read_keyframe(ts_mjcf_reader* reader, const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        if (strcmp(child->name, "key") == 0)
            read_key(reader, child);
        else
            ts_mjcf_unknown_element(reader, child);
    }
}

// Principal moments pushed up to the bound, or all to their mean when no body could have them.
static void adjust_inertia(const ts_mjcf_compiler* c, ts_mat3* inertia) {
    ts_vec3 m;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(inertia, &m, &axes);
    int small = m.x < c->bound_inertia;
    m = ts_vec3_make(fmax(m.x, c->bound_inertia), fmax(m.y, c->bound_inertia), fmax(m.z, c->bound_inertia));
    int impossible = c->balance_inertia && m.x + m.y < m.z;
    if (impossible) {
        double mean = (m.x + m.y + m.z) / 3.0;
        m = ts_vec3_make(mean, mean, mean);
    }
    if (small || impossible) *inertia = ts_mat3_rotate_tensor(axes, ts_mat3_diagonal(m));
}

void ts_mjcf_adjust_masses(ts_mjcf_reader* reader) {
    const ts_mjcf_compiler* c = &reader->documents.data[0]->compiler;
    if (!(c->bound_mass > 0.0) && !(c->bound_inertia > 0.0) && !(c->total_mass > 0.0) && !c->balance_inertia) return;
    ts_builder_body_array* bodies = &reader->builder->body;
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_code code = ts_builder_settle_masses(reader->builder, &status);
    if (code) {
        ts_mjcf_fail(reader, NULL, code, "%s", status.message);
        return;
    }
    double total = 0.0;
    for (int i = 1; i < bodies->count; ++i) {
        ts_body_def* def = &bodies->data[i].def;
        def->mass = fmax(def->mass, c->bound_mass);
        adjust_inertia(c, &def->inertia);
        total += def->mass;
    }
    if (!(c->total_mass > 0.0)) return;
    if (!(total > 0.0)) {
        ts_mjcf_fail(reader, NULL, TS_ERROR_VALUE, "settotalmass cannot scale a model without mass");
        return;
    }
    for (int i = 1; i < bodies->count; ++i) {
        ts_body_def* def = &bodies->data[i].def;
        def->mass *= c->total_mass / total;
        def->inertia = ts_mat3_scale(c->total_mass / total, def->inertia);
    }
}
