// Recordings: choosing the format by the file's extension, and what both formats need.
#include "engine/record/record_internal.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ts_record_body_label(const ts_model* model, int body, char out_label[TS_RECORD_LABEL_BYTES]) {
    const char* name = model->body[body].name;
    if (name[0]) {
        snprintf(out_label, TS_RECORD_LABEL_BYTES, "%s", name);
        return;
    }
    snprintf(out_label, TS_RECORD_LABEL_BYTES, "body%d", body);
    size_t length = strlen(out_label);
    while (ts_model_find_body(model, out_label) >= 0 && length + 1 < TS_RECORD_LABEL_BYTES) {
        out_label[length++] = '_';
        out_label[length] = '\0';
    }
}

ts_code ts_record_open(const char* path, const char* scene, const ts_sim* sim, ts_record** out_record,
                       ts_status* out_status) {
    *out_record = NULL;
    const char* name = strrchr(path, '/');
    const char* extension = strrchr(name ? name : path, '.');
    int csv = extension && strcasecmp(extension, ".csv") == 0;
    int hdf5 = extension && (strcasecmp(extension, ".h5") == 0 || strcasecmp(extension, ".hdf5") == 0);
    if (!csv && !hdf5)
        return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                             "a recording is called something.h5, something.hdf5 or something.csv");
    ts_record* record = (ts_record*)calloc(1, sizeof *record);
    if (!record) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    record->model = sim->model;
    ts_code code = csv ? ts_record_csv_open(path, sim, record, out_status)
                       : ts_record_hdf5_open(path, scene, sim, record, out_status);
    if (code) {
        free(record);
        return code;
    }
    *out_record = record;
    return ts_status_ok(out_status);
}

ts_code ts_record_note(ts_record* record, const char* name, const char* text, ts_status* out_status) {
    return record->format->note ? record->format->note(record->file, name, text, out_status) : ts_status_ok(out_status);
}

ts_code ts_record_append(ts_record* record, ts_sim* sim, ts_status* out_status) {
    TS_ASSERT(sim->model == record->model);
    // Also brings poses and velocities up to date with qpos and qvel: a step leaves those of its beginning.
    ts_energy energy = ts_sim_energy(sim);
    ts_sim_measure(sim);
    record->last = sim;
    record->last_step = sim->step_count;
    return record->format->append(record->file, sim, energy, out_status);
}

ts_code ts_record_close(ts_record* record, int finished, ts_status* out_status) {
    if (!record) return ts_status_ok(out_status);
    int is_there = record->last && record->last->step_count == record->last_step;
    ts_code code = record->format->close(record->file, is_there ? record->last : NULL, finished, out_status);
    free(record);
    return code;
}
