// <tendon>: fixed ones, and spatial ones with sites, pulleys and geoms to pass around.
#include "engine/read/mjcf/drafts_internal.h"
#include "engine/read/mjcf/mjcf_internal.h"

#include <string.h>

// Parts, with the schema's tables for them and the attribute that they cannot be without.
static const struct part_word {
    const char* element;
    ts_tendon_part_kind kind;
    int is_fixed;
    const char* table;
    const char* needs;
} part_words[] = {{"joint", TS_TENDON_JOINT, 1, "fixed/joint", "joint"},
                  {"site", TS_TENDON_SITE, 0, "spatial/site", "site"},
                  {"geom", TS_TENDON_GEOM, 0, "spatial/geom", "geom"},
                  {"pulley", TS_TENDON_PULLEY, 0, "spatial/pulley", "divisor"}};

static const struct part_word* find_part(const ts_xml_node* node, int is_fixed) {
    for (size_t i = 0; i < sizeof part_words / sizeof part_words[0]; ++i)
        if (part_words[i].is_fixed == is_fixed && strcmp(part_words[i].element, node->name) == 0) return &part_words[i];
    return NULL;
}

static void read_part(ts_mjcf_reader* reader, const ts_xml_node* node, int is_fixed, ts_builder_part_array* parts) {
    const struct part_word* word = find_part(node, is_fixed);
    if (!word) {
        ts_mjcf_unknown_element(reader, node);
        return;
    }
    ts_tendon_part part = {.kind = word->kind, .index = -1, .side = -1, .number = 1.0};
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    ts_mjcf_check(reader, node, word->table);
    if (!ts_xml_value(node, word->needs))
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "%s of a tendon needs %s", node->name, word->needs);
    ts_mjcf_take(&e, word->table, &part);
    if (!reader->xml.code && !ts_builder_part_array_push(parts, part))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_settle_curve(const ts_mjcf_switches* switches, ts_curve* curve) {
    if (switches->no_spring || switches->no_passive) curve->spring[0] = curve->spring[1] = 0.0;
    if (switches->no_damper || switches->no_passive) curve->damping[0] = curve->damping[1] = 0.0;
    curve->is_there =
        curve->spring[0] != 0.0 || curve->spring[1] != 0.0 || curve->damping[0] != 0.0 || curve->damping[1] != 0.0;
}

static void settle(const ts_mjcf_element* e, ts_mjcf_tendon* tendon) {
    const ts_mjcf_switches* c = &e->reader->switches;
    ts_tendon* is = &tendon->def.is;
    is->spring = tendon->stiffness[0];
    is->damping = tendon->damping[0];
    memcpy(is->curve.spring, tendon->stiffness + 1, sizeof is->curve.spring);
    memcpy(is->curve.damping, tendon->damping + 1, sizeof is->curve.damping);
    ts_mjcf_settle_curve(c, &is->curve);
    ts_mjcf_settle_limits(e->reader, e->node, tendon->limited, &is->limits);
    // One number is both ends; -1: the length where the springs of joints rest.
    if (tendon->rest[1] == -1.0) tendon->rest[1] = tendon->rest[0];
    memcpy(is->rest, tendon->rest, sizeof is->rest);
    tendon->def.rest_at_springs = tendon->rest[0] == -1.0;
    if (tendon->def.rest_at_springs) is->rest[0] = is->rest[1] = 0.0;
    if (c->no_limit) is->limits.limited = 0;
    if (c->no_spring || c->no_passive) is->spring = 0.0;
    if (c->no_damper || c->no_passive) is->damping = 0.0;
    if (c->no_friction) is->friction = 0.0;
}

static void read_tendon(ts_mjcf_reader* reader, const ts_xml_node* node) {
    int is_fixed = strcmp(node->name, "fixed") == 0;
    if (!is_fixed && strcmp(node->name, "spatial") != 0) {
        ts_mjcf_unknown_element(reader, node);
        return;
    }
    ts_mjcf_tendon tendon = {
        .def = ts_tendon_def_default(), .limited = 2, .actuation_limited = 2, .rest = {-1.0, -1.0}};
    ts_builder_part_array parts = {NULL, 0, 0};
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_TENDON, 0);
    ts_mjcf_check(reader, node, "tendon");
    ts_mjcf_take(&e, "tendon", &tendon);
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        read_part(reader, child, is_fixed, &parts);
    settle(&e, &tendon);
    tendon.def.is.name = ts_xml_value(node, "name");
    tendon.def.part = parts.data;
    tendon.def.part_count = parts.count;
    ts_mjcf_settle_limits(reader, node, tendon.actuation_limited, &tendon.def.actuation);
    tendon.def.file = node->file;
    tendon.def.line = node->line;
    if (!reader->xml.code) {
        int index = ts_builder_add_tendon(reader->builder, &tendon.def);
        ts_mjcf_note(reader, node, &reader->tendon_name, tendon.def.is.name, index);
    }
    ts_builder_part_array_free(&parts);
}

void ts_mjcf_read_tendon(ts_mjcf_reader* reader, const ts_xml_node* node) {
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next)
        read_tendon(reader, child);
}
