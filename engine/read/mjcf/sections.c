// <contact>, <keyframe>, and what <compiler> wants done to the masses once all bodies are known.
#include "engine/read/mjcf/mjcf_internal.h"

#include <math.h>
#include <string.h>

static int named_body(ts_mjcf_reader* reader, const ts_mjcf_node* node, const char* attribute) {
    const char* name = ts_mjcf_own(node, attribute);
    if (!name) {
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "exclude needs body1 and body2");
        return -1;
    }
    if (strcmp(name, "world") == 0) return 0;
    int index = ts_mjcf_names_find(&reader->body_name, name);
    if (index < 0) ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "exclude: there is no body '%.80s'", name);
    return index;
}

void ts_mjcf_read_contact(ts_mjcf_reader* reader, const ts_mjcf_node* node) {
    for (const ts_mjcf_node* child = node->child; child && !reader->code; child = child->next) {
        if (strcmp(child->name, "exclude") != 0) {
            if (!ts_mjcf_report_element(reader, child, "contact")) ts_mjcf_unknown_element(reader, child);
            continue;
        }
        ts_mjcf_check(reader, child, "exclude");
        int a = named_body(reader, child, "body1");
        int b = named_body(reader, child, "body2");
        if (!reader->code && !ts_builder_exclude(reader->builder, a, b))
            ts_mjcf_fail(reader, child, TS_ERROR_MEMORY, "out of memory");
    }
}

void ts_mjcf_read_keyframe(ts_mjcf_reader* reader, const ts_mjcf_node* node) {
    for (const ts_mjcf_node* child = node->child; child && !reader->code; child = child->next) {
        if (strcmp(child->name, "key") != 0) {
            ts_mjcf_unknown_element(reader, child);
            return;
        }
        ts_mjcf_check(reader, child, "key");
        ts_mjcf_element e = ts_mjcf_element_plain(reader, child);
        ts_builder_number_array qpos = {NULL, 0, 0}, qvel = {NULL, 0, 0};
        ts_keyframe_def def = {.name = ts_mjcf_own(child, "name"), .file = child->file, .line = child->line};
        def.time = ts_mjcf_real(&e, "time", 0.0);
        ts_mjcf_real_array(&e, "qpos", &qpos);
        ts_mjcf_real_array(&e, "qvel", &qvel);
        // Empty text is no state at all, as if the attribute were missing.
        if (qpos.count) def.qpos = qpos.data;
        if (qvel.count) def.qvel = qvel.data;
        def.qpos_count = qpos.count;
        def.qvel_count = qvel.count;
        def.is_initial = reader->keyframe_count == reader->compiler.initial_keyframe;
        if (!reader->code && !ts_builder_add_keyframe(reader->builder, &def))
            ts_mjcf_fail(reader, child, TS_ERROR_MEMORY, "out of memory");
        ts_builder_number_array_free(&qpos);
        ts_builder_number_array_free(&qvel);
        ++reader->keyframe_count;
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
    const ts_mjcf_compiler* c = &reader->compiler;
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
