// Problem: see when something happened, not only that it did. Rule: one row of a table per number, one sample per step; a step that is made
// again replaces what it was before. Guaranteed: the simulation is not changed.
#include "viewer/session/strip_internal.h"

#include "viewer/scene_contacts_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ts_quantity_row row[TS_QUANTITY_COUNT] = {
    [TS_QUANTITY_KINETIC] = {"energy", "kinetic", "J", 0, TS_INK_BLUE},
    [TS_QUANTITY_POTENTIAL] = {"energy", "potential", "J", 0, TS_INK_ORANGE},
    [TS_QUANTITY_TOTAL] = {"energy", "sum", "J", 0, TS_INK_WHITE},
    [TS_QUANTITY_OWN] = {"law unmet", "own law", "", 1, TS_INK_BLUE},
    [TS_QUANTITY_EXACT] = {"law unmet", "exact law", "", 1, TS_INK_ORANGE},
    [TS_QUANTITY_ITERATIONS] = {"iterations", "iterations", "", 0, TS_INK_BLUE},
    [TS_QUANTITY_COLLISION] = {"time per step", "collision", "ms", 0, TS_INK_GREEN},
    [TS_QUANTITY_ASSEMBLE] = {"time per step", "assemble", "ms", 0, TS_INK_PINK},
    [TS_QUANTITY_SOLVE] = {"time per step", "solve", "ms", 0, TS_INK_ORANGE},
    [TS_QUANTITY_STEP] = {"time per step", "all", "ms", 0, TS_INK_WHITE},
    [TS_QUANTITY_PENETRATION] = {"deepest penetration", "penetration", "mm", 0, TS_INK_ORANGE},
    [TS_QUANTITY_CONTACTS] = {"contacts", "contacts", "", 0, TS_INK_GREEN},
    [TS_QUANTITY_ROWS] = {"contacts", "rows", "", 0, TS_INK_BLUE},
    [TS_QUANTITY_HEIGHT] = {"height of the body", "height", "m", 0, TS_INK_BLUE},
    [TS_QUANTITY_SPEED] = {"speed of the body", "speed", "m/s", 0, TS_INK_GREEN},
    [TS_QUANTITY_FORCE] = {"contact force on the body", "force", "N", 0, TS_INK_ORANGE},
    [TS_QUANTITY_WATCHED] = {"first watched number", "", "", 0, TS_INK_BLUE},
    [TS_QUANTITY_WATCHED + 1] = {"second watched number", "", "", 0, TS_INK_ORANGE},
    [TS_QUANTITY_WATCHED + 2] = {"third watched number", "", "", 0, TS_INK_GREEN},
    [TS_QUANTITY_WATCHED + 3] = {"fourth watched number", "", "", 0, TS_INK_PINK},
    [TS_QUANTITY_WATCHED + 4] = {"fifth watched number", "", "", 0, TS_INK_BLUE},
    [TS_QUANTITY_WATCHED + 5] = {"sixth watched number", "", "", 0, TS_INK_ORANGE},
    [TS_QUANTITY_WATCHED + 6] = {"seventh watched number", "", "", 0, TS_INK_GREEN},
    [TS_QUANTITY_WATCHED + 7] = {"eighth watched number", "", "", 0, TS_INK_PINK},
    [TS_QUANTITY_WATCHED + 8] = {"ninth watched number", "", "", 0, TS_INK_BLUE},
    [TS_QUANTITY_WATCHED + 9] = {"tenth watched number", "", "", 0, TS_INK_ORANGE},
};

const ts_quantity_row* ts_quantity_at(int quantity) { return &row[quantity]; }

const ts_sample* ts_strip_at(const ts_strip* strip, int i) {
    return &strip->sample[(strip->first + i) % TS_STRIP_SAMPLES];
}

static void note_body(const ts_sim* sim, int body, float* value) {
    value[TS_QUANTITY_HEIGHT] = value[TS_QUANTITY_SPEED] = value[TS_QUANTITY_FORCE] = NAN;
    if (body < 0 || body >= sim->model->body_count) return;
    ts_vec3 centre = sim->kinematics.body_centre[body];
    ts_vec3 velocity = ts_kinematics_point_velocity(sim->model, &sim->kinematics, body, centre);
    ts_vec3 force = ts_vec3_zero();
    double per_step = sim->options.time_step > 0.0 ? 1.0 / sim->options.time_step : 0.0;
    for (int c = 0; c < sim->contact_count; ++c) {
        const ts_contact contact = ts_sim_contact(sim, c);
        double side = (contact.body_b == body ? 1.0 : 0.0) - (contact.body_a == body ? 1.0 : 0.0);
        force = ts_vec3_add_scaled(force, side * per_step, ts_mat3_mul_vec(&contact.frame, contact.impulse));
    }
    value[TS_QUANTITY_HEIGHT] = (float)centre.z;
    value[TS_QUANTITY_SPEED] = (float)ts_vec3_norm(velocity);
    value[TS_QUANTITY_FORCE] = (float)ts_vec3_norm(force);
}

void ts_strip_add(ts_strip* strip, ts_sample sample) {
    while (strip->count && ts_strip_at(strip, strip->count - 1)->step >= sample.step) --strip->count;
    if (strip->count == TS_STRIP_SAMPLES) {
        strip->first = (strip->first + 1) % TS_STRIP_SAMPLES;
        --strip->count;
    }
    strip->sample[(strip->first + strip->count++) % TS_STRIP_SAMPLES] = sample;
}

static void note_watched(ts_sim* sim, const char* watched, float* value) {
    char word[TS_GAUGE_WORD];
    ts_arena arena = {0};
    ts_contact_facts facts = {0};
    int shares = 0;
    for (int n = 0; ts_gauge_word(watched, n, word); ++n) shares |= ts_gauge_is_share(word);
    if (watched[0] && sim->model->sensor_count > sim->model->step_sensor_count) ts_sim_measure(sim);
    if (shares) facts = ts_scene_contacts_judge(sim, 0, &arena);
    for (int q = TS_QUANTITY_WATCHED; q < TS_QUANTITY_COUNT; ++q) {
        double number = 0.0;
        int known = ts_gauge_word(watched, q - TS_QUANTITY_WATCHED, word) && !ts_gauge_read(sim, &facts, word, &number);
        value[q] = known ? (float)number : NAN;
    }
    ts_arena_free(&arena);
}

void ts_strip_measure_asked(ts_sim* sim, int body, const char* watched, float out_value[TS_QUANTITY_COUNT]) {
    note_body(sim, body, out_value);
    note_watched(sim, watched, out_value);
}

void ts_strip_watch(ts_strip* strip, const char* watched) {
    snprintf(strip->watched, sizeof strip->watched, "%s", watched);
    for (int i = 0; i < TS_STRIP_SAMPLES; ++i)
        for (int q = TS_QUANTITY_WATCHED; q < TS_QUANTITY_COUNT; ++q) strip->sample[i].value[q] = NAN;
}

void ts_strip_forget_body(ts_strip* strip) {
    for (int i = 0; i < TS_STRIP_SAMPLES; ++i)
        for (int q = TS_QUANTITY_HEIGHT; q < TS_QUANTITY_WATCHED; ++q) strip->sample[i].value[q] = NAN;
}

void ts_strip_name(const ts_strip* strip, int quantity, char out_name[TS_GAUGE_WORD]) {
    if (quantity < TS_QUANTITY_WATCHED)
        snprintf(out_name, TS_GAUGE_WORD, "%s", row[quantity].name);
    else
        (void)ts_gauge_word(strip->watched, quantity - TS_QUANTITY_WATCHED, out_name);
}

int ts_strip_is_logarithmic(const ts_strip* strip, int quantity) {
    char name[TS_GAUGE_WORD];
    if (quantity < TS_QUANTITY_WATCHED) return row[quantity].logarithmic;
    ts_strip_name(strip, quantity, name);
    return ts_gauge_is_share(name);
}

int ts_strip_find(const ts_strip* strip, long long step) {
    int low = 0, high = strip->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ts_strip_at(strip, middle)->step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

ts_sample ts_strip_measure(ts_sim* sim, int body, const char* watched) {
    const ts_step_info* info = &sim->info;
    ts_sample sample;
    ts_energy energy = ts_sim_energy(sim);
    float* value = sample.value;
    sample.step = sim->step_count;
    sample.time = sim->time;
    value[TS_QUANTITY_KINETIC] = (float)energy.kinetic;
    value[TS_QUANTITY_POTENTIAL] = (float)energy.potential;
    value[TS_QUANTITY_TOTAL] = (float)(energy.kinetic + energy.potential);
    // Without rows nothing was solved, and there is no residual to speak of.
    int solved = info->row_count > 0;
    value[TS_QUANTITY_OWN] = solved ? (float)info->unmet : NAN;
    value[TS_QUANTITY_EXACT] = solved ? (float)info->residual.natural : NAN;
    value[TS_QUANTITY_ITERATIONS] = solved ? (float)info->solve.iterations : NAN;
    value[TS_QUANTITY_COLLISION] = (float)(1e3 * (info->seconds_broad + info->seconds_narrow));
    value[TS_QUANTITY_ASSEMBLE] = (float)(1e3 * (info->seconds_dynamics + info->seconds_assemble));
    value[TS_QUANTITY_SOLVE] = (float)(1e3 * info->seconds_solve);
    value[TS_QUANTITY_STEP] = (float)(1e3 * info->seconds_total);
    value[TS_QUANTITY_PENETRATION] = (float)(1e3 * info->worst_penetration);
    value[TS_QUANTITY_CONTACTS] = (float)info->contact_count;
    value[TS_QUANTITY_ROWS] = (float)info->row_count;
    ts_strip_measure_asked(sim, body, watched, value);
    return sample;
}

// Of simulations side by side steps may differ, times do not.
static int find_time(const ts_strip* strip, double time) {
    int low = 0, high = strip->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ts_strip_at(strip, middle)->time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

float ts_strips_value(const ts_strips* strips, int i, int at, int quantity) {
    const ts_sample* here = ts_strip_at(ts_strips_chosen(strips), at);
    const ts_strip* strip = strips->strip[i];
    if (i == strips->chosen) return here->value[quantity];
    // Times that were added up differently differ by rounding.
    double slack = 1e-9 * fmax(1.0, fabs(here->time));
    int there = find_time(strip, here->time - slack);
    if (there >= strip->count || ts_strip_at(strip, there)->time > here->time + slack) return NAN;
    return ts_strip_at(strip, there)->value[quantity];
}

void ts_strip_add_heading(ts_text* text, const char* name) {
    const char* quote = strpbrk(name, ",\"") ? "\"" : "";
    ts_text_add(text, "%s", quote);
    for (const char* c = name; *c; ++c) {
        if (*c == '"') ts_text_add(text, "\"");
        ts_text_add_bytes(text, c, 1);
    }
    ts_text_add(text, "%s", quote);
}

static void add_headings(const ts_strips* strips, int columns, ts_text* text) {
    char name[TS_GAUGE_WORD], whole[TS_GAUGE_WORD + 128];
    ts_text_add(text, "step,time [s]");
    for (int i = 0; i < strips->count; ++i)
        for (int k = 0; k < columns; ++k) {
            // The chosen one stands first, whatever its place.
            int which = i == 0 ? strips->chosen : i <= strips->chosen ? i - 1 : i;
            if (i > 0 && k < TS_QUANTITY_WATCHED) continue;
            ts_strip_name(ts_strips_chosen(strips), k, name);
            snprintf(whole, sizeof whole, i ? "%s of %s" : "%s", name, strips->name[which]);
            ts_text_add(text, ",");
            ts_strip_add_heading(text, whole);
            if (row[k].unit[0]) ts_text_add(text, " [%s]", row[k].unit);
        }
    ts_text_add(text, "\n");
}

ts_code ts_strip_write_csv(const ts_strips* strips, const char* path, ts_status* out_status) {
    const ts_strip* strip = ts_strips_chosen(strips);
    ts_text text = {0};
    char name[TS_GAUGE_WORD];
    int columns = TS_QUANTITY_WATCHED;
    while (columns < TS_QUANTITY_COUNT && ts_gauge_word(strip->watched, columns - TS_QUANTITY_WATCHED, name)) ++columns;
    add_headings(strips, columns, &text);
    for (int at = 0; at < strip->count; ++at) {
        const ts_sample* sample = ts_strip_at(strip, at);
        ts_text_add(&text, "%lld,", sample->step);
        ts_text_add_number(&text, sample->time);
        for (int i = 0; i < strips->count; ++i)
            for (int k = i ? TS_QUANTITY_WATCHED : 0; k < columns; ++k) {
                int which = i == 0 ? strips->chosen : i <= strips->chosen ? i - 1 : i;
                float value = ts_strips_value(strips, which, at, k);
                ts_text_add(&text, ",");
                if (isfinite(value)) ts_text_add(&text, "%.7g", (double)value);
            }
        ts_text_add(&text, "\n");
    }
    ts_code code = ts_text_write_file(&text, path, out_status);
    ts_text_free(&text);
    return code;
}
