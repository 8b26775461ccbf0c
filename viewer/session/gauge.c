// Problem: watch any number while a simulation runs. Rule: a table of fields, each with what may stand in its brackets: a number, or the name of
// the joint, actuator, tendon or sensor whose first number is meant. Guaranteed: nothing outside of a field is read. Known to fail: no sums,
// no functions of numbers.
#include "viewer/session/gauge_internal.h"

#include <stdlib.h>
#include <string.h>

// What names stand for.
typedef enum namesake { OF_NOTHING, OF_POSITION, OF_VELOCITY, OF_ACTUATOR, OF_TENDON, OF_SENSOR } namesake;

typedef struct gauge_field {
    const char* name;
    const double* number;
    int count;
    namesake by;
} gauge_field;

// The place of the first number of what has that name, or -1.
static int place_of(const ts_model* m, namesake by, const char* name) {
    int i = -1;
    switch (by) {
    case OF_POSITION:
    case OF_VELOCITY:
        i = ts_model_find_joint(m, name);
        if (i < 0) return -1;
        return by == OF_POSITION ? m->joint[i].qpos_first : m->joint[i].dof_first;
    case OF_ACTUATOR: return ts_model_find_actuator(m, name);
    case OF_TENDON: return ts_model_find_tendon(m, name);
    case OF_SENSOR: i = ts_model_find_sensor(m, name); return i < 0 ? -1 : m->sensor[i].first;
    case OF_NOTHING: break;
    }
    return -1;
}

const char* ts_gauge_read(const ts_sim* sim, const ts_contact_facts* facts, const char* text, double* out_value) {
    const ts_model* m = sim->model;
    if (strncmp(text, "contact[", 8) == 0) return ts_gauge_read_contact(sim, facts, text + 7, out_value);
    const gauge_field field[] = {{"qpos", sim->qpos, m->nq, OF_POSITION},
                                 {"qvel", sim->qvel, m->nv, OF_VELOCITY},
                                 {"ctrl", sim->ctrl, m->actuator_count, OF_ACTUATOR},
                                 {"act", sim->act, m->act_count, OF_NOTHING},
                                 {"actuator_force", sim->actuator_force, m->actuator_count, OF_ACTUATOR},
                                 {"tendon_length", sim->tendon_length, m->tendon_count, OF_TENDON},
                                 {"sensor", sim->sensor, m->sensor_size, OF_SENSOR}};
    if (strcmp(text, "time") == 0) {
        *out_value = sim->time;
        return NULL;
    }
    size_t length = strcspn(text, "["), whole = strlen(text);
    char inside[64];
    if (!text[length] || text[whole - 1] != ']' || whole - length - 2 >= sizeof inside) return "FIELD[NUMBER or NAME]";
    memcpy(inside, text + length + 1, whole - length - 2);
    inside[whole - length - 2] = '\0';
    for (size_t k = 0; k < sizeof field / sizeof field[0]; ++k) {
        if (strlen(field[k].name) != length || strncmp(field[k].name, text, length) != 0) continue;
        char* end;
        long place = strtol(inside, &end, 10);
        if (!inside[0] || *end) place = place_of(m, field[k].by, inside);
        if (place < 0 || place >= field[k].count || !field[k].number) return "there is no such number";
        *out_value = field[k].number[place];
        return NULL;
    }
    return "qpos, qvel, ctrl, act, actuator_force, tendon_length, sensor, contact, or time";
}

int ts_gauge_word(const char* words, int n, char out_word[TS_GAUGE_WORD]) {
    for (const char* at = words + strspn(words, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (n-- == 0 && length < TS_GAUGE_WORD) {
            memcpy(out_word, at, length);
            out_word[length] = '\0';
            return 1;
        }
        at += length;
    }
    out_word[0] = '\0';
    return 0;
}
