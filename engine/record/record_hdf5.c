// HDF5 recordings: state, bodies, energies, solver numbers, contacts and timings as extendable datasets (what they are:
// record_table.c), and as attributes everything needed to run the same again. Datasets: docs/recording.md.
//
// Appending must not dominate a step: rows collect in memory, one chunk per dataset, and go to the file when the chunk
// is full or about once a second.
//
// Interruptions. A file closed on a signal is complete. After a kill that cannot be caught it is readable as of the
// last flush, because nothing that a flush wrote is moved or freed afterwards:
// - metadata reaches the disk in flushes only, all of it together (the metadata cache may not evict);
// - a chunk that a flush wrote is never moved (record_column.c).
// The format of HDF5 1.8 is used: newer ones carry an "open for writing" mark that would make readers refuse, and older ones no
// checksums, without which a damaged header makes HDF5 1.10 crash. Not covered: a kill in the middle of a flush, which takes a
// few milliseconds of every second.
#include "engine/record/record_internal.h"

#ifndef TS_HAVE_HDF5

ts_code ts_record_hdf5_open(const char* path, const char* scene, const ts_sim* sim, ts_record* record,
                            ts_status* out_status) {
    (void)scene;
    (void)sim;
    (void)record;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                         "this build has no HDF5 (build with TS_HDF5=ON); record to a .csv file instead");
}

#else

#include "base/clock.h"
#include "base/text.h"
#include "engine/record/record_output_internal.h"
#include "engine/record/record_table_internal.h"
#include "engine/rows/row_source_internal.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TS_VERSION
#define TS_VERSION "unknown"
#endif

typedef struct hdf5_file {
    hid_t file;
    ts_record_output output;
    double flushed;  // s, wall clock
    ts_record_table table;
    char path[256];
} hdf5_file;

static int flush_all(hdf5_file* file, int last) {
    int ok = ts_record_table_flush(&file->table, last) && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0 &&
             !file->output.problem;
    file->flushed = ts_clock_seconds();
    return ok;
}

static ts_code cannot_write(const char* path, int problem, ts_status* out_status) {
    const char* why = problem == EINVAL        ? "HDF5 needs a regular file"
                      : problem == EWOULDBLOCK ? "another program has it open"
                      : problem                ? strerror(problem)
                                               : "the HDF5 library failed";
    return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot write: %s", why);
}

static ts_code hdf5_append(void* handle, ts_sim* sim, ts_energy energy, ts_status* out_status) {
    hdf5_file* file = (hdf5_file*)handle;
    // In these braces HDF5 does not print its errors.
    H5E_BEGIN_TRY {
        ts_record_table_append(&file->table, sim, energy);
        if (ts_clock_seconds() - file->flushed >= ts_record_flush_seconds && !flush_all(file, 0))
            file->table.failed = 1;
    }
    H5E_END_TRY
    if (file->table.failed || file->output.problem) return cannot_write(file->path, file->output.problem, out_status);
    return TS_OK;
}

// --- opening and closing ---------------------------------------------------------------------------------------------

static int write_number_attribute(hid_t object, const char* name, hid_t memory, const void* value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, memory, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

static hid_t make_group(hid_t parent, const char* name) {
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

// A dataset of strings of `bytes` each, one behind the other in `text`: one when `count` is 0, else a list.
static int write_texts(hid_t parent, const char* name, const char* text, size_t bytes, int count) {
    hsize_t size = (hsize_t)count;
    hid_t type = ts_record_text_type(bytes);
    hid_t space = count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

// A list of `count` names, each with the room of the longest; none where there are none.
static int write_names(hid_t parent, const char* name, ts_text_name name_at, const void* context, int count) {
    if (count <= 0) return 1;
    size_t bytes = 1;
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(name_at(context, i)) + 1;
        if (length > bytes) bytes = length;
    }
    char* text = (char*)calloc((size_t)count, bytes);
    for (int i = 0; text && i < count; ++i) snprintf(text + (size_t)i * bytes, bytes, "%s", name_at(context, i));
    int ok = text && write_texts(parent, name, text, bytes, count);
    free(text);
    return ok;
}

typedef char label[TS_RECORD_LABEL_BYTES];

static const char* label_at(const void* context, int b) { return ((const label*)context)[b]; }

static const char* geom_at(const void* context, int g) { return ((const ts_model*)context)->geom[g].name; }

static const char* actuator_at(const void* context, int i) { return ((const ts_model*)context)->actuator[i].name; }

static const char* tendon_at(const void* context, int t) { return ((const ts_model*)context)->tendon[t].name; }

static const char* joint_at(const void* context, int j) { return ((const ts_model*)context)->joint[j].name; }

static const char* sensor_at(const void* context, int i) { return ((const ts_model*)context)->sensor[i].name; }

static const char* sensor_kind_at(const void* context, int i) {
    return ts_sensor_kind_name(((const ts_model*)context)->sensor[i].kind);
}

static const char* source_at(const void* context, int i) {
    (void)context;
    return ts_row_source_name(i);
}

static int write_body_names(hid_t parent, const ts_model* model) {
    label* labels = (label*)calloc((size_t)model->body_count, sizeof *labels);
    if (!labels) return 0;
    for (int b = 0; b < model->body_count; ++b) ts_record_body_label(model, b, labels[b]);
    if (!model->body[0].name[0]) memcpy(labels[0], "world", sizeof "world");
    int ok = write_names(parent, "body_names", label_at, labels, model->body_count);
    free(labels);
    return ok;
}

// The first number of each sensor in a row of /sensors/value, or of each joint in one of /state/qpos.
static int write_firsts(hid_t parent, const char* name, const ts_model* model, int of_sensors) {
    hsize_t count = (hsize_t)(of_sensors ? model->sensor_count : model->joint_count);
    if (count == 0) return 1;
    int* first = (int*)calloc((size_t)count, sizeof *first);
    for (int i = 0; first && i < (int)count; ++i)
        first[i] = of_sensors ? model->sensor[i].first : model->joint[i].qpos_first;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t dataset = H5Dcreate2(parent, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = first && dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, first) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    if (space >= 0) H5Sclose(space);
    free(first);
    return ok;
}

static int write_model(hid_t file, const ts_model* model) {
    hid_t group = make_group(file, "/model");
    const char* source = model->source ? model->source : "";
    int ok = group >= 0 && ts_record_text_attribute(group, "name", model->name) &&
             write_texts(group, "source", source, strlen(source) + 1, 0) && write_body_names(group, model) &&
             write_names(group, "geom_names", geom_at, model, model->geom_count) &&
             write_names(group, "actuator_names", actuator_at, model, model->actuator_count) &&
             write_names(group, "tendon_names", tendon_at, model, model->tendon_count) &&
             write_names(group, "joint_names", joint_at, model, model->joint_count) &&
             write_firsts(group, "joint_qpos", model, 0) &&
             write_names(group, "sensor_names", sensor_at, model, model->sensor_count) &&
             write_names(group, "sensor_kinds", sensor_kind_at, model, model->sensor_count) &&
             write_firsts(group, "sensor_first", model, 1) &&
             write_names(group, "row_sources", source_at, NULL, ts_row_source_count());
    if (group >= 0) H5Gclose(group);
    return ok;
}

static int write_options(hid_t file, const ts_sim* sim) {
    hid_t group = make_group(file, "/options");
    int ok = group >= 0;
    for (int i = 0; ok && i < ts_option_count(); ++i) {
        char value[256];
        ts_options_get(&sim->options, i, value, sizeof value);
        ok = ts_record_text_attribute(group, ts_option_at(i)->name, value);
    }
    if (group >= 0) H5Gclose(group);
    return ok;
}

static int write_solver(hid_t file, const ts_sim* sim) {
    hid_t group = make_group(file, "/solver");
    int ok = group >= 0 && ts_record_text_attribute(group, "name", sim->solver->name) &&
             ts_record_text_attribute(group, "law", ts_contact_law_name(sim->solver->law));
    hid_t settings = ok ? make_group(group, "settings") : -1;
    ok = settings >= 0;
    for (int i = 0; ok && i < ts_solver_setting_count(sim->solver); ++i) {
        const char* name = ts_solver_setting_at(sim->solver, i)->name;
        double value = ts_solver_get(sim->solver, sim->solver_settings, name);
        ok = write_number_attribute(settings, name, H5T_NATIVE_DOUBLE, &value);
    }
    if (settings >= 0) H5Gclose(settings);
    if (group >= 0) H5Gclose(group);
    return ok;
}

static int create_contents(hdf5_file* file, const char* scene, const ts_sim* sim) {
    int finished = 0;
    int version = TS_RECORD_FORMAT_VERSION;
    int ok = ts_record_text_attribute(file->file, "format", "touchstone recording") &&
             write_number_attribute(file->file, "format_version", H5T_NATIVE_INT, &version) &&
             ts_record_text_attribute(file->file, "touchstone_version", TS_VERSION) &&
             ts_record_text_attribute(file->file, "scene", scene) &&
             write_number_attribute(file->file, "finished", H5T_NATIVE_INT, &finished) &&
             write_model(file->file, sim->model) && write_options(file->file, sim) && write_solver(file->file, sim);
    for (int i = 0; ok && ts_record_table_group(i); ++i) {
        hid_t group = make_group(file->file, ts_record_table_group(i));
        ok = group >= 0;
        if (ok) H5Gclose(group);
    }
    ok = ok && ts_record_table_create(&file->table, file->file, sim->model);
    return ok;
}

// Closes and frees; returns whether all is in the file, with the errno (or 0) of what is not.
static int release(hdf5_file* file, int* out_problem) {
    int ok = ts_record_table_close(&file->table);
    if (file->file >= 0) ok = H5Fclose(file->file) >= 0 && ok;
    *out_problem = ts_record_output_close(&file->output);
    free(file);
    return ok && !*out_problem;
}

// The last state with all that it remembers, as bytes that only this program reads. Nonzero when it worked.
static int write_snapshot(hid_t file, const ts_sim* last) {
    ts_snapshot snapshot = {0};
    int ok = ts_sim_snapshot(last, &snapshot, NULL) == TS_OK;
    hsize_t size = snapshot.size;
    hid_t space = ok ? H5Screate_simple(1, &size, NULL) : -1;
    hid_t dataset =
        space >= 0 ? H5Dcreate2(file, "/snapshot", H5T_NATIVE_UINT8, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = dataset >= 0 && ts_record_text_attribute(dataset, "unit", "1") &&
         H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, snapshot.data) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    if (space >= 0) H5Sclose(space);
    ts_snapshot_free(&snapshot);
    return ok;
}

static ts_code hdf5_note(void* handle, const char* name, const char* text, ts_status* out_status) {
    hdf5_file* file = (hdf5_file*)handle;
    int ok;
    H5E_BEGIN_TRY { ok = ts_record_text_attribute(file->file, name, text); }
    H5E_END_TRY
    return ok ? ts_status_ok(out_status) : cannot_write(file->path, file->output.problem, out_status);
}

static ts_code hdf5_close(void* handle, const ts_sim* last, int finished, ts_status* out_status) {
    hdf5_file* file = (hdf5_file*)handle;
    char path[256];
    memcpy(path, file->path, sizeof path);
    int ok, problem;
    H5E_BEGIN_TRY {
        ok = !file->table.failed && !file->output.problem && flush_all(file, 1);
        if (ok && last) ok = write_snapshot(file->file, last);
        hid_t attribute = H5Aopen(file->file, "finished", H5P_DEFAULT);
        int mark = finished && ok;
        ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &mark) >= 0 && ok;
        if (attribute >= 0) H5Aclose(attribute);
        ok = release(file, &problem) && ok;
    }
    H5E_END_TRY
    return ok ? ts_status_ok(out_status) : cannot_write(path, problem, out_status);
}

// Properties that keep the file readable as of the last flush; see the head of this file.
static hid_t access_properties(void) {
    hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    if (properties < 0) return properties;
    H5AC_cache_config_t config;
    config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    if (H5Pget_mdc_config(properties, &config) >= 0) {
        config.evictions_enabled = 0;
        config.incr_mode = H5C_incr__off;
        config.flash_incr_mode = H5C_flash_incr__off;
        config.decr_mode = H5C_decr__off;
        H5Pset_mdc_config(properties, &config);
    }
    return properties;
}

ts_code ts_record_hdf5_open(const char* path, const char* scene, const ts_sim* sim, ts_record* record,
                            ts_status* out_status) {
    static const ts_record_format format = {hdf5_append, hdf5_note, hdf5_close};
    hdf5_file* file = (hdf5_file*)calloc(1, sizeof *file);
    if (!file) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    int problem = ts_record_output_open(path, &file->output);
    if (problem) {
        free(file);
        return cannot_write(path, problem, out_status);
    }
    snprintf(file->path, sizeof file->path, "%s", path);
    int ok;
    H5E_BEGIN_TRY {
        hid_t properties = access_properties();
        ok = properties >= 0 && H5Pset_libver_bounds(properties, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
             ts_record_output_use(&file->output, properties);
        file->file = ok ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, properties) : -1;
        if (properties >= 0) H5Pclose(properties);
        ok = file->file >= 0 && create_contents(file, scene, sim) && flush_all(file, 0);
        if (!ok) {
            release(file, &problem);
            struct stat about;
            if (lstat(path, &about) == 0 && S_ISREG(about.st_mode)) (void)unlink(path);  // but no link or device
        }
    }
    H5E_END_TRY
    if (!ok) return cannot_write(path, problem, out_status);
    record->format = &format;
    record->file = file;
    return TS_OK;
}

#endif
