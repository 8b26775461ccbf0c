// Tables of `touchstone check`: sensors, tendons, loops, and lists of notes; as text and as JSON.
#include "cli/check/check_internal.h"

#include "cli/report/stats_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ts_check_note_add(ts_check_note_array* notes, const char* key, const char* about, double value, const char* unit,
                       const char* format, ...) {
    ts_check_note note;
    memset(&note, 0, sizeof note);
    snprintf(note.key, sizeof note.key, "%s", key);
    snprintf(note.about, sizeof note.about, "%s", about);
    note.value = value;
    note.unit = unit;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note.sentence, sizeof note.sentence, format, arguments);
    va_end(arguments);
    (void)ts_check_note_array_push(notes, note);
}

void ts_check_name(const char* kind, const char* name, int index, char out_text[140]) {
    if (name[0])
        snprintf(out_text, 140, "%s '%.100s'", kind, name);
    else
        snprintf(out_text, 140, "%s %d", kind, index);
}

static void object_text(const ts_model* model, const ts_sensor_object* object, char out_text[140]) {
    const char* type = ts_sensor_object_type_name(object->type);
    ts_check_name(type, ts_sensor_object_name(model, object), object->index, out_text);
    if (object->type == TS_SENSOR_CAMERA) snprintf(out_text, 140, "a camera");
    if (object->type == TS_SENSOR_NOTHING) out_text[0] = '\0';
}

void ts_check_add_sensors(ts_text* text, const ts_model* model) {
    if (model->sensor_count == 0) return;
    ts_text_add(text, "\nSensors (%d numbers in all)\n", model->sensor_size);
    for (int i = 0; i < model->sensor_count; ++i) {
        const ts_sensor* s = &model->sensor[i];
        char object[2][140];
        for (int k = 0; k < 2; ++k) object_text(model, &s->object[k], object[k]);
        ts_text_add(text, "  %3d %-24s %s", i, s->name, ts_sensor_kind_name(s->kind));
        if (object[0][0]) ts_text_add(text, " of %s", object[0]);
        if (object[1][0]) ts_text_add(text, " and %s", object[1]);
        ts_text_add(text, ": %s", ts_sensor_kind_summary(s->kind));
        if (s->size != 1) ts_text_add(text, "; %d numbers from %d", s->size, s->first);
        if (s->cutoff > 0.0) ts_text_add(text, "; cutoff %.4g", s->cutoff);
        if (s->noise > 0.0) ts_text_add(text, "; noise %.4g (none is added)", s->noise);
        ts_text_add(text, "\n");
    }
}

void ts_check_json_sensors(ts_json* json, const ts_model* model) {
    ts_json_add_array(json, "sensors");
    for (int i = 0; i < model->sensor_count; ++i) {
        const ts_sensor* s = &model->sensor[i];
        ts_json_object(json);
        ts_json_add_string(json, "name", s->name);
        ts_json_add_string(json, "kind", ts_sensor_kind_name(s->kind));
        ts_json_add_string(json, "measures", ts_sensor_kind_summary(s->kind));
        ts_json_add_bool(json, "of_a_step", ts_sensor_kind_time(s->kind) == TS_SENSOR_OF_STEP);
        for (int k = 0; k < 2; ++k) {
            char object[140];
            object_text(model, &s->object[k], object);
            ts_json_add_string(json, k ? "second_object" : "object", object[0] ? object : NULL);
        }
        ts_json_add_integer(json, "first", s->first);
        ts_json_add_integer(json, "size", s->size);
        ts_json_add_number(json, "cutoff", s->cutoff);
        ts_json_add_number(json, "noise", s->noise);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

// A fixed tendon of hinges alone is an angle; one that has parts of both is neither.
static const char* tendon_unit(const ts_model* model, const ts_tendon* tendon) {
    int hinges = 0, others = 0;
    for (int i = tendon->part_first; i < tendon->part_first + tendon->part_count; ++i) {
        const ts_tendon_part* part = &model->tendon_part[i];
        int hinge = part->kind == TS_TENDON_JOINT && model->joint[part->index].type == TS_JOINT_HINGE;
        hinges += hinge;
        others += !hinge;
    }
    return !others ? "rad" : hinges ? "m and rad" : "m";
}

void ts_check_add_tendons(ts_text* text, const ts_sim* sim) {
    const ts_model* model = sim->model;
    if (model->tendon_count == 0) return;
    ts_text_add(text, "\nTendons\n");
    for (int t = 0; t < model->tendon_count; ++t) {
        const ts_tendon* tendon = &model->tendon[t];
        char name[140];
        ts_check_name("tendon", tendon->name, t, name);
        ts_text_add(text, "  %-24s %.6g %s long at the start, %.6g at the reference pose", name, sim->tendon_length[t],
                    tendon_unit(model, tendon), tendon->length0);
        if (tendon->limits.limited)
            ts_text_add(text, "; limits %.4g to %.4g", tendon->limits.range[0], tendon->limits.range[1]);
        if (tendon->spring > 0.0)
            ts_text_add(text, "; spring %.4g, slack from %.4g to %.4g", tendon->spring, tendon->rest[0],
                        tendon->rest[1]);
        if (tendon->damping > 0.0) ts_text_add(text, "; damping %.4g", tendon->damping);
        ts_text_add(text, "\n");
    }
}

void ts_check_json_tendons(ts_json* json, const ts_sim* sim) {
    ts_json_add_array(json, "tendons");
    for (int t = 0; t < sim->model->tendon_count; ++t) {
        const ts_tendon* tendon = &sim->model->tendon[t];
        ts_json_object(json);
        ts_json_add_string(json, "name", tendon->name);
        ts_json_add_string(json, "unit", tendon_unit(sim->model, tendon));
        ts_json_add_number(json, "length", sim->tendon_length[t]);
        ts_json_add_number(json, "reference_length", tendon->length0);
        ts_json_add_number(json, "stiffness", tendon->spring);
        ts_json_add_number(json, "damping", tendon->damping);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

// "1.2 mm and 0.01 rad", of what is not zero; or "0".
static void add_error(ts_text* text, double length, double angle) {
    if (length > 0.0 || angle == 0.0) ts_stats_add_quantity(text, length, "m");
    if (angle > 0.0) ts_text_add(text, "%s%.3g rad", length > 0.0 ? " and " : "", angle);
}

void ts_check_add_loops(ts_text* text, const ts_model* model, const ts_check_loop_array* loops) {
    if (model->equality_count == 0) return;
    ts_text_add(text, "\nEqualities: how far they are from holding at the start, after a step, after %d\n",
                TS_CHECK_LOOP_STEPS);
    for (int i = 0; i < loops->count; ++i) {
        const ts_check_loop* loop = &loops->data[i];
        const ts_equality* e = &model->equality[loop->equality];
        char name[140];
        ts_check_name(ts_row_source_name(e->source), e->name, loop->equality, name);
        ts_text_add(text, "  %-32s ", name);
        for (int k = 0; k < 3; ++k) {
            if (k) ts_text_add(text, ", ");
            add_error(text, loop->length[k], loop->angle[k]);
        }
        ts_text_add(text, ": %s\n", e->active ? ts_check_loop_verdict(loop) : "switched off");
    }
    if (loops->count == 0) ts_text_add(text, "  not known: a step fails\n");
}

void ts_check_json_loops(ts_json* json, const ts_model* model, const ts_check_loop_array* loops) {
    static const char* const moments[] = {"start", "after_one_step", "after_all_steps"};
    ts_json_add_array(json, "equalities");
    for (int i = 0; i < loops->count; ++i) {
        const ts_check_loop* loop = &loops->data[i];
        const ts_equality* e = &model->equality[loop->equality];
        ts_json_object(json);
        ts_json_add_string(json, "name", e->name);
        ts_json_add_string(json, "kind", ts_row_source_name(e->source));
        ts_json_add_bool(json, "active", e->active);
        for (int k = 0; k < 3; ++k) {
            ts_json_key(json, moments[k]);
            ts_json_object(json);
            ts_json_add_number(json, "length", loop->length[k]);
            ts_json_add_number(json, "angle", loop->angle[k]);
            ts_json_object_end(json);
        }
        ts_json_add_string(json, "verdict", e->active ? ts_check_loop_verdict(loop) : "switched off");
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

void ts_check_add_notes(ts_text* text, const char* title, const ts_check_note_array* notes, const char* none) {
    ts_text_add(text, "\n%s\n", title);
    for (int i = 0; i < notes->count; ++i) {
        const ts_check_note* note = &notes->data[i];
        ts_text_add(text, "  %s%s%s\n", note->about, note->about[0] ? ": " : "", note->sentence);
    }
    if (notes->count == 0) ts_text_add(text, "  %s\n", none);
}

void ts_check_json_notes(ts_json* json, const char* key, const ts_check_note_array* notes) {
    ts_json_add_array(json, key);
    for (int i = 0; i < notes->count; ++i) {
        const ts_check_note* note = &notes->data[i];
        ts_json_object(json);
        ts_json_add_string(json, "key", note->key);
        ts_json_add_string(json, "about", note->about[0] ? note->about : NULL);
        if (isfinite(note->value)) {
            ts_json_add_number(json, "value", note->value);
            ts_json_add_string(json, "unit", note->unit);
        }
        ts_json_add_string(json, "sentence", note->sentence);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}
