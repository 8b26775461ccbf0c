// Writing MJCF: elements and attributes, names for what is referred to, and the file in one piece.
//
// Everything is said where it stands: no classes, angles in radians, masses as <inertial>, every option that is not the
// default. Numbers are written so that they read back to the same bits. Before the file is made the text is read back, and
// must give as many of everything.
#include "engine/write/mjcf_writer_internal.h"

#include "base/number.h"
#include "engine/read/mjcf/mjcf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ts_mjcf_writer_refuse(ts_mjcf_writer* w, const char* format, ...) {
    char why[400];
    if (w->code) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    w->code = ts_status_set(w->status, TS_ERROR_UNSUPPORTED, NULL, 0, "%s", why);
}

// --- elements and attributes ---

void ts_mjcf_writer_open(ts_mjcf_writer* w, const char* name) {
    ts_text_add(w->text, "%*s<%s", 2 * w->depth, "", name);
}

void ts_mjcf_writer_inside(ts_mjcf_writer* w) {
    ts_text_add(w->text, ">\n");
    ++w->depth;
}

void ts_mjcf_writer_end(ts_mjcf_writer* w) { ts_text_add(w->text, "/>\n"); }

void ts_mjcf_writer_close(ts_mjcf_writer* w, const char* name) {
    --w->depth;
    ts_text_add(w->text, "%*s</%s>\n", 2 * w->depth, "", name);
}

void ts_mjcf_writer_string(ts_mjcf_writer* w, const char* name, const char* value) {
    ts_text_add(w->text, " %s=\"", name);
    for (const char* c = value; *c; ++c) {
        // Blanks other than spaces would become spaces.
        if (strchr("&<>\"\t\n\r", *c))
            ts_text_add(w->text, "&#%d;", (int)*c);
        else
            ts_text_add_bytes(w->text, c, 1);
    }
    ts_text_add(w->text, "\"");
}

void ts_mjcf_writer_numbers(ts_mjcf_writer* w, const char* name, const double* values, int count) {
    char number[32];
    ts_text_add(w->text, " %s=\"", name);
    for (int i = 0; i < count; ++i) {
        ts_number_print(values[i], number, sizeof number);
        ts_text_add(w->text, "%s%s", i ? " " : "", number);
    }
    ts_text_add(w->text, "\"");
}

void ts_mjcf_writer_whole(ts_mjcf_writer* w, const char* name, int value) {
    ts_text_add(w->text, " %s=\"%d\"", name, value);
}

void ts_mjcf_writer_pose(ts_mjcf_writer* w, ts_pose pose) {
    double position[3], rotation[4];
    ts_vec3_store(pose.position, position);
    ts_quat_store(pose.rotation, rotation);
    if (ts_vec3_norm(pose.position) != 0.0) ts_mjcf_writer_numbers(w, "pos", position, 3);
    if (rotation[0] != 1.0 || rotation[1] != 0.0 || rotation[2] != 0.0 || rotation[3] != 0.0)
        ts_mjcf_writer_numbers(w, "quat", rotation, 4);
}

void ts_mjcf_writer_limits(ts_mjcf_writer* w, const char* name, const ts_limits* limits) {
    char attribute[32];
    if (!limits->limited) return;
    snprintf(attribute, sizeof attribute, "%slimited", name);
    ts_mjcf_writer_string(w, attribute, "true");
    snprintf(attribute, sizeof attribute, "%srange", name);
    ts_mjcf_writer_numbers(w, attribute, limits->range, 2);
}

// --- names ---

static int count_of(const ts_model* m, ts_mjcf_named kind) {
    const int count[] = {m->body_count, m->joint_count,  m->geom_count,
                         m->site_count, m->tendon_count, m->actuator_count};
    return count[kind];
}

static const char* name_of(const ts_model* m, ts_mjcf_named kind, int index) {
    switch (kind) {
    case TS_MJCF_NAMED_BODY: return m->body[index].name;
    case TS_MJCF_NAMED_JOINT: return m->joint[index].name;
    case TS_MJCF_NAMED_GEOM: return m->geom[index].name;
    case TS_MJCF_NAMED_SITE: return m->site[index].name;
    case TS_MJCF_NAMED_TENDON: return m->tendon[index].name;
    case TS_MJCF_NAMED_ACTUATOR: return m->actuator[index].name;
    case TS_MJCF_NAMED_COUNT: break;
    }
    return "";
}

// What has no name is called by its kind and number when something refers to it. A name that is taken already (by what the
// file calls so) is refused when the text is read back.
void ts_mjcf_writer_name(ts_mjcf_writer* w, const char* attribute, ts_mjcf_named kind, int index) {
    static const char* const words[] = {"body", "joint", "geom", "site", "tendon", "actuator"};
    const char* name = name_of(w->model, kind, index);
    char made[64];
    snprintf(made, sizeof made, "%s %d", words[kind], index);
    if (name[0] || w->named[kind][index]) ts_mjcf_writer_string(w, attribute, name[0] ? name : made);
}

void ts_mjcf_writer_equality_site(ts_mjcf_writer* w, const char* name, int equality, int side) {
    char made[64];
    snprintf(made, sizeof made, "equality %d side %d", equality, side);
    ts_mjcf_writer_string(w, name, made);
}

void ts_mjcf_writer_sensor_site(ts_mjcf_writer* w, const char* name, int sensor, int side) {
    char made[64];
    snprintf(made, sizeof made, "sensor %d side %d", sensor, side);
    ts_mjcf_writer_string(w, name, made);
}

static void note(ts_mjcf_writer* w, ts_mjcf_named kind, int index) {
    if (index >= 0) w->named[kind][index] = 1;
}

static ts_mjcf_named kind_of_part(ts_tendon_part_kind kind) {
    return kind == TS_TENDON_JOINT  ? TS_MJCF_NAMED_JOINT
           : kind == TS_TENDON_GEOM ? TS_MJCF_NAMED_GEOM
                                    : TS_MJCF_NAMED_SITE;
}

ts_mjcf_named ts_mjcf_writer_target_kind(const ts_actuator* actuator) {
    const char* transmission = ts_transmission_name(actuator->transmission);
    if (strcmp(transmission, "site") == 0 || strcmp(transmission, "cranksite") == 0) return TS_MJCF_NAMED_SITE;
    if (strcmp(transmission, "body") == 0) return TS_MJCF_NAMED_BODY;
    if (strcmp(transmission, "tendon") == 0) return TS_MJCF_NAMED_TENDON;
    return strncmp(transmission, "joint", 5) == 0 ? TS_MJCF_NAMED_JOINT : TS_MJCF_NAMED_COUNT;
}

static void find_names(ts_mjcf_writer* w) {
    const ts_model* m = w->model;
    for (int i = 0; i < m->exclusion_count; ++i) {
        note(w, TS_MJCF_NAMED_BODY, m->exclusion[i].body_a);
        note(w, TS_MJCF_NAMED_BODY, m->exclusion[i].body_b);
    }
    for (int i = 0; i < m->camera_count; ++i) note(w, TS_MJCF_NAMED_BODY, m->camera[i].target);
    for (int i = 0; i < m->pair_count; ++i) {
        note(w, TS_MJCF_NAMED_GEOM, m->pair[i].geom_a);
        note(w, TS_MJCF_NAMED_GEOM, m->pair[i].geom_b);
    }
    for (int i = 0; i < m->equality_count; ++i)
        for (int k = 0; k < 2; ++k) {
            note(w, TS_MJCF_NAMED_BODY, m->equality[i].body[k]);
            note(w, TS_MJCF_NAMED_JOINT, m->equality[i].joint[k]);
            note(w, TS_MJCF_NAMED_TENDON, m->equality[i].tendon[k]);
        }
    for (int i = 0; i < m->tendon_part_count; ++i) {
        const ts_tendon_part* part = &m->tendon_part[i];
        if (part->kind != TS_TENDON_PULLEY) note(w, kind_of_part(part->kind), part->index);
        if (part->kind == TS_TENDON_GEOM) note(w, TS_MJCF_NAMED_SITE, part->side);
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        ts_mjcf_named kind = ts_mjcf_writer_target_kind(&m->actuator[i]);
        if (kind != TS_MJCF_NAMED_COUNT) note(w, kind, m->actuator[i].target);
        note(w, TS_MJCF_NAMED_SITE, m->actuator[i].reference);
    }
    for (int i = 0; i < m->sensor_count; ++i)
        for (int k = 0; k < 2; ++k) {
            ts_mjcf_named kind = ts_mjcf_writer_object_kind(m->sensor[i].object[k].type);
            if (kind != TS_MJCF_NAMED_COUNT) note(w, kind, m->sensor[i].object[k].index);
        }
}

// --- the whole ---

static void write_model(ts_mjcf_writer* w) {
    ts_mjcf_writer_open(w, "mujoco");
    if (w->model->name[0]) ts_mjcf_writer_string(w, "model", w->model->name);
    ts_mjcf_writer_inside(w);
    ts_mjcf_writer_settings(w);
    ts_mjcf_writer_assets(w);
    ts_mjcf_writer_world(w);
    ts_mjcf_writer_relations(w);
    ts_mjcf_writer_close(w, "mujoco");
}

ts_code ts_mjcf_writer_text(const ts_model* model, const char* folder, ts_text* out_text, ts_status* out_status) {
    ts_mjcf_writer w = {.model = model, .folder = folder, .text = out_text, .status = out_status};
    size_t total = 1;
    for (int k = 0; k < TS_MJCF_NAMED_COUNT; ++k) total += (size_t)count_of(model, (ts_mjcf_named)k);
    char* named = (char*)calloc(total, 1);
    if (named) {
        for (int k = 0; k < TS_MJCF_NAMED_COUNT; ++k)
            w.named[k] = k ? w.named[k - 1] + count_of(model, (ts_mjcf_named)(k - 1)) : named;
        find_names(&w);
        write_model(&w);
    }
    free(named);
    if (!w.code && (!named || out_text->failed))
        w.code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    return w.code ? w.code : ts_status_ok(out_status);
}

// Whether the text gives the same model back, as far as counting tells.
static ts_code read_back(const ts_model* model, const ts_text* text, const char* path, const char* folder,
                         ts_status* out_status) {
    ts_model* back = NULL;
    ts_code code = ts_mjcf_parse(ts_text_get(text), text->length, path, folder, NULL, &back, out_status);
    if (code) return code;
    const int counts[][2] = {{model->nq, back->nq},
                             {model->nv, back->nv},
                             {model->body_count, back->body_count},
                             {model->geom_count, back->geom_count},
                             {model->equality_count, back->equality_count},
                             {model->exclusion_count, back->exclusion_count},
                             {model->pair_count, back->pair_count},
                             {model->tendon_count, back->tendon_count},
                             {model->tendon_part_count, back->tendon_part_count},
                             {model->actuator_count, back->actuator_count},
                             {model->sensor_count, back->sensor_count},
                             {model->sensor_size, back->sensor_size},
                             {model->keyframe_count, back->keyframe_count}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        if (counts[i][0] != counts[i][1])
            code =
                ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                              "the file would not give the same model back: %d became %d", counts[i][0], counts[i][1]);
    ts_model_free(back);
    return code;
}

ts_code ts_mjcf_writer_save(const ts_model* model, const char* path, ts_status* out_status) {
    ts_text text = {0};
    const char* slash = strrchr(path, '/');
    char* folder = (char*)calloc(strlen(path) + 2, 1);
    if (!folder) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    if (slash) memcpy(folder, path, slash == path ? 1 : (size_t)(slash - path));
    ts_code code = ts_mjcf_writer_text(model, folder, &text, out_status);
    if (!code) code = read_back(model, &text, path, folder, out_status);
    if (!code) code = ts_text_write_file(&text, path, out_status);
    free(folder);
    ts_text_free(&text);
    return code;
}
