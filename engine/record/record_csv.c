// CSV recordings: one row per recorded moment, numbers that read back to the same bits, RFC 4180 quotes around names that
// need them. Columns: docs/recording.md.
//
// Rows are collected in memory and written whole, so that whatever interrupts the program, the file ends with a complete
// row (unless the machine stops in the middle of one write).
#include "engine/record/record_internal.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes collected before a write: large against a row, small against memory.
enum { CSV_BUFFER_BYTES = 1 << 18 };

typedef struct csv_file {
    int fd;
    double flushed;  // s, wall clock
    ts_text text;
    char path[256];
} csv_file;

// After `written` bytes of the text and then no more: takes back the row that is not whole. Where the file cannot be cut
// (a pipe, a device) there is nothing to do.
static void cut_broken_row(csv_file* file, ptrdiff_t written) {
    const char* data = ts_text_get(&file->text);
    ptrdiff_t whole = written;
    while (whole > 0 && data[whole - 1] != '\n') --whole;
    off_t end = lseek(file->fd, 0, SEEK_CUR);
    if (end >= (off_t)(written - whole)) (void)!ftruncate(file->fd, end - (off_t)(written - whole));
    file->text.length = 0;  // the rows are lost; closing must not write their ends after what was cut
}

static ts_code flush_rows(csv_file* file, ts_status* out_status) {
    if (file->text.failed) return ts_status_set(out_status, TS_ERROR_MEMORY, file->path, 0, "out of memory");
    const char* data = ts_text_get(&file->text);
    size_t left = file->text.length;
    while (left > 0) {
        ssize_t wrote = write(file->fd, data, left);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            int problem = errno;
            cut_broken_row(file, data - ts_text_get(&file->text));
            return ts_status_set(out_status, TS_ERROR_FILE, file->path, 0, "cannot write: %s", strerror(problem));
        }
        data += wrote;
        left -= (size_t)wrote;
    }
    file->text.length = 0;
    file->flushed = ts_clock_seconds();
    return TS_OK;
}

static void add_column(ts_text* text, const char* name, const char* suffix) {
    int quoted = strpbrk(name, ",\"\r\n") != NULL;
    ts_text_add(text, ",%s", quoted ? "\"" : "");
    for (const char* c = name; *c; ++c) {
        if (*c == '"') ts_text_add_bytes(text, "\"", 1);
        ts_text_add_bytes(text, c, 1);
    }
    ts_text_add(text, ".%s%s", suffix, quoted ? "\"" : "");
}

// "NAME.suffix", or "kind3.suffix" for what has no name.
static void add_named(ts_text* text, const char* name, const char* kind, int index, const char* suffix) {
    char label[TS_RECORD_LABEL_BYTES];
    snprintf(label, sizeof label, "%s%d", kind, index);
    add_column(text, name[0] ? name : label, suffix);
}

// Joints of one number; what balls and free bodies do, their bodies' columns tell.
static int is_scalar(const ts_joint* joint) { return ts_joint_type_nv(joint->type) == 1; }

static void add_joint_header(ts_text* text, const ts_model* model) {
    for (int j = 0; j < model->joint_count; ++j) {
        if (!is_scalar(&model->joint[j])) continue;
        add_named(text, model->joint[j].name, "joint", j, "q");
        add_named(text, model->joint[j].name, "joint", j, "v");
    }
}

static void add_sensor_header(ts_text* text, const ts_model* model) {
    for (int i = 0; i < model->sensor_count; ++i)
        for (int k = 0; k < model->sensor[i].size; ++k) {
            char suffix[32];
            snprintf(suffix, sizeof suffix, "sensor%d", k);
            add_named(text, model->sensor[i].name, "sensor", i, suffix);
        }
}

static void add_header(ts_text* text, const ts_model* model) {
    static const char* const suffixes[] = {"px", "py", "pz", "qw", "qx", "qy", "qz",
                                           "vx", "vy", "vz", "wx", "wy", "wz"};
    ts_text_add(text, "time,kinetic_energy,potential_energy,contacts,worst_penetration,residual_natural,own_unmet");
    for (int f = 0; f < TS_FIGURE_COUNT; ++f) ts_text_add(text, ",%s", ts_figure_kind_of((ts_figure)f)->key);
    ts_text_add(text, ",iterations,status,step_seconds");
    for (int b = 1; b < model->body_count; ++b) {
        char label[TS_RECORD_LABEL_BYTES];
        ts_record_body_label(model, b, label);
        for (size_t s = 0; s < sizeof suffixes / sizeof suffixes[0]; ++s) add_column(text, label, suffixes[s]);
    }
    for (int i = 0; i < model->actuator_count; ++i) {
        add_named(text, model->actuator[i].name, "actuator", i, "ctrl");
        add_named(text, model->actuator[i].name, "actuator", i, "force");
    }
    add_joint_header(text, model);
    add_sensor_header(text, model);
    ts_text_add(text, "\n");
}

static void add_numbers(ts_text* text, const double* value, int count) {
    for (int i = 0; i < count; ++i) {
        ts_text_add_bytes(text, ",", 1);
        ts_text_add_number(text, value[i]);
    }
}

static ts_code csv_append(void* handle, ts_sim* sim, ts_energy energy, ts_status* out_status) {
    csv_file* file = (csv_file*)handle;
    const ts_step_info* info = &sim->info;
    ts_text* text = &file->text;
    ts_text_add_number(text, sim->time);
    double energies[2] = {energy.kinetic, energy.potential};
    add_numbers(text, energies, 2);
    ts_text_add(text, ",%d", sim->contact_count);
    double quality[3 + TS_FIGURE_COUNT] = {info->worst_penetration, info->residual.natural, info->unmet};
    for (int f = 0; f < TS_FIGURE_COUNT; ++f)
        quality[3 + f] = ts_figure_of(&info->residual, (ts_figure)f, sim->options.time_step / sim->options.substeps);
    add_numbers(text, quality, 3 + TS_FIGURE_COUNT);
    ts_text_add(text, ",%d,%s", info->solve.iterations, ts_solve_status_name(info->solve.status));
    add_numbers(text, &info->seconds_total, 1);
    for (int b = 1; b < sim->model->body_count; ++b) {
        double row[13];
        ts_motion velocity = ts_sim_body_velocity(sim, b);
        ts_vec3_store(sim->kinematics.body_pose[b].p, row);
        ts_quat_store(ts_quat_from_mat3(&sim->kinematics.body_pose[b].R), row + 3);
        ts_vec3_store(velocity.linear, row + 7);
        ts_vec3_store(velocity.angular, row + 10);
        add_numbers(text, row, 13);
    }
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const double pull[2] = {sim->ctrl[i], sim->actuator_force[i]};
        add_numbers(text, pull, 2);
    }
    for (int j = 0; j < sim->model->joint_count; ++j) {
        const ts_joint* joint = &sim->model->joint[j];
        const double motion[2] = {sim->qpos[joint->qpos_first], sim->qvel[joint->dof_first]};
        if (is_scalar(joint)) add_numbers(text, motion, 2);
    }
    add_numbers(text, sim->sensor, sim->model->sensor_size);
    ts_text_add_bytes(text, "\n", 1);
    if (text->length < CSV_BUFFER_BYTES && ts_clock_seconds() - file->flushed < ts_record_flush_seconds) return TS_OK;
    return flush_rows(file, out_status);
}

static ts_code csv_close(void* handle, const ts_sim* last, int finished, ts_status* out_status) {
    (void)last;
    (void)finished;  // a plain table has no place for it: the last time tells
    csv_file* file = (csv_file*)handle;
    ts_code code = flush_rows(file, out_status);
    if (close(file->fd) != 0 && code == TS_OK)
        code = ts_status_set(out_status, TS_ERROR_FILE, file->path, 0, "cannot write: %s", strerror(errno));
    ts_text_free(&file->text);
    free(file);
    return code;
}

ts_code ts_record_csv_open(const char* path, const ts_sim* sim, ts_record* record, ts_status* out_status) {
    static const ts_record_format format = {csv_append, NULL, csv_close};
    csv_file* file = (csv_file*)calloc(1, sizeof *file);
    if (!file) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    strncpy(file->path, path, sizeof file->path - 1);
    file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->fd < 0) {
        free(file);
        return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot write: %s", strerror(errno));
    }
    record->format = &format;
    record->file = file;
    add_header(&file->text, sim->model);
    // The header goes out at once: an unwritable disk is noticed before the first step is computed.
    ts_code code = flush_rows(file, out_status);
    if (code) {
        close(file->fd);
        ts_text_free(&file->text);
        free(file);
    }
    return code;
}
