// HDF5 recordings: state, bodies, energies, solver numbers, contacts and timings as extendable datasets, and as
// attributes everything needed to run the same again. Datasets: docs/recording.md.
//
// Appending must not dominate a step: rows collect in memory, one chunk per dataset, and go to the file when the chunk
// is full or about once a second. Contacts are ragged: flat arrays, with the first index and the count per recorded
// moment.
//
// Interruptions. A file closed on a signal is complete. After a kill that cannot be caught it is readable as of the
// last flush, because nothing that a flush wrote is moved or freed afterwards:
// - metadata reaches the disk in flushes only, all of it together (the metadata cache may not evict);
// - a chunk that a flush wrote is never moved (record_column.c).
// The old superblock is used, which carries no "open for writing" mark that would make readers refuse. Not covered: a
// kill in the middle of a flush, which takes a few milliseconds of every second.
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
#include "engine/rows/row_source_internal.h"
#include "engine/step/certify.h"
#include "engine/record/record_column_internal.h"
#include "engine/record/record_output_internal.h"

#include <errno.h>
#include <hdf5.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TS_VERSION
#define TS_VERSION "unknown"
#endif

// --- what is recorded ------------------------------------------------------------------------------------------------

// Sizes of a row that the model decides.
enum { ALL_QPOS = -1, ALL_QVEL = -2, ALL_BODIES = -3 };

// Columns that are filled by name; those after them are numbers of ts_step_info.
typedef enum column_id {
    TIME,
    QPOS,
    QVEL,
    BODY_POSITION,
    BODY_QUATERNION,
    BODY_LINEAR,
    BODY_ANGULAR,
    ENERGY_KINETIC,
    ENERGY_POTENTIAL,
    CONTACT_FIRST,
    CONTACT_COUNT,
    CONTACT_POSITION,
    CONTACT_FRAME,
    CONTACT_IMPULSE,
    CONTACT_VELOCITY,
    CONTACT_GAP,
    CONTACT_FRICTION,
    CONTACT_GEOM_A,
    CONTACT_GEOM_B,
    CONTACT_KEY,
    CONTACT_MODE,
    CONTACT_LAWS,
    CONTACT_NATURAL,
    ROW_FIRST,
    ROW_COUNT,
    ROW_SOURCE,
    ROW_KEY,
    ROW_IMPULSE,
    NAMED_COUNT
} column_id;

// What stands in ts_step_info, and how it is written.
typedef enum info_kind {
    INFO_NUMBER,  // double
    INFO_WHOLE,   // int, or an enum
    INFO_FIGURE   // ts_figure, of the residual
} info_kind;

typedef struct column_definition {
    const char* path;
    const char* unit;
    ts_record_type type;
    int shape[2];         // numbers, or one of the sizes above; 0: no such dimension
    const char* meaning;  // attribute that explains numbers that are codes, or NULL
    info_kind kind;       // from NAMED_COUNT on
    size_t offset;        // in ts_step_info, likewise; or the ts_figure
} column_definition;

#define NUMBER(path, unit, field) \
    { path, unit, TS_RECORD_DOUBLE, {0}, NULL, INFO_NUMBER, offsetof(ts_step_info, field) }
#define WHOLE(path, field, meaning) \
    { path, "1", TS_RECORD_INT32, {0}, meaning, INFO_WHOLE, offsetof(ts_step_info, field) }
#define FIGURE(path, unit, figure) \
    { path, unit, TS_RECORD_DOUBLE, {0}, NULL, INFO_FIGURE, figure }

static const column_definition definitions[] = {
    [TIME] = {.path = "/state/time", .unit = "s"},
    [QPOS] = {.path = "/state/qpos", .unit = "m, rad, 1", .shape = {ALL_QPOS}},
    [QVEL] = {.path = "/state/qvel", .unit = "m/s, rad/s", .shape = {ALL_QVEL}},
    [BODY_POSITION] = {.path = "/bodies/position", .unit = "m", .shape = {ALL_BODIES, 3}},
    [BODY_QUATERNION] = {.path = "/bodies/quaternion", .unit = "1", .shape = {ALL_BODIES, 4}},
    [BODY_LINEAR] = {.path = "/bodies/linear_velocity", .unit = "m/s", .shape = {ALL_BODIES, 3}},
    [BODY_ANGULAR] = {.path = "/bodies/angular_velocity", .unit = "rad/s", .shape = {ALL_BODIES, 3}},
    [ENERGY_KINETIC] = {.path = "/energy/kinetic", .unit = "J"},
    [ENERGY_POTENTIAL] = {.path = "/energy/potential", .unit = "J"},
    [CONTACT_FIRST] = {.path = "/contacts/first", .unit = "1", .type = TS_RECORD_INT64},
    [CONTACT_COUNT] = {.path = "/contacts/count", .unit = "1", .type = TS_RECORD_INT32},
    [CONTACT_POSITION] = {.path = "/contacts/position", .unit = "m", .shape = {3}},
    [CONTACT_FRAME] = {.path = "/contacts/frame", .unit = "1", .shape = {3, 3}},
    [CONTACT_IMPULSE] = {.path = "/contacts/impulse", .unit = "N s", .shape = {3}},
    [CONTACT_VELOCITY] = {.path = "/contacts/velocity", .unit = "m/s", .shape = {3}},
    [CONTACT_GAP] = {.path = "/contacts/gap", .unit = "m"},
    [CONTACT_FRICTION] = {.path = "/contacts/friction", .unit = "1"},
    [CONTACT_GEOM_A] = {.path = "/contacts/geom_a", .unit = "1", .type = TS_RECORD_INT32},
    [CONTACT_GEOM_B] = {.path = "/contacts/geom_b", .unit = "1", .type = TS_RECORD_INT32},
    [CONTACT_KEY] = {.path = "/contacts/key", .unit = "1", .type = TS_RECORD_UINT64},
    [CONTACT_MODE] = {"/contacts/mode", "1", TS_RECORD_INT32,
                      .meaning = "0 open, 1 stick, 2 slide, 3 violated: breaks the exact law by more than a millionth"},
    [CONTACT_LAWS] = {"/contacts/laws", "1", TS_RECORD_INT32, .meaning = "sum of 1 LCP, 2 CCP, 4 NCP that hold"},
    [CONTACT_NATURAL] = {.path = "/contacts/natural", .unit = "1"},
    [ROW_FIRST] = {.path = "/rows/first", .unit = "1", .type = TS_RECORD_INT64},
    [ROW_COUNT] = {.path = "/rows/count", .unit = "1", .type = TS_RECORD_INT32},
    [ROW_SOURCE] = {"/rows/source", "1", TS_RECORD_INT32, .meaning = "index in /model/row_sources"},
    [ROW_KEY] = {.path = "/rows/key", .unit = "1", .type = TS_RECORD_UINT64, .shape = {2}},
    [ROW_IMPULSE] = {.path = "/rows/impulse", .unit = "N s, N m s", .shape = {6}},
    WHOLE("/solver/iterations", solve.iterations, NULL),
    WHOLE("/solver/status", solve.status, "0 converged, 1 stalled, 2 iteration limit, 3 failed"),
    NUMBER("/solver/own_unmet", "1", unmet),
    FIGURE("/figures/approach", "m/s", TS_FIGURE_APPROACH),
    FIGURE("/figures/sinks", "m", TS_FIGURE_SINKS),
    FIGURE("/figures/pull", "N", TS_FIGURE_PULL),
    FIGURE("/figures/off_cone", "N", TS_FIGURE_OFF_CONE),
    FIGURE("/figures/friction_angle", "deg", TS_FIGURE_FRICTION_ANGLE),
    FIGURE("/figures/power", "W", TS_FIGURE_POWER),
    FIGURE("/figures/complementarity", "W", TS_FIGURE_COMPLEMENTARITY),
    NUMBER("/solver/ncp_primal", "N s", residual.ncp.primal),
    NUMBER("/solver/ncp_dual", "m/s", residual.ncp.dual),
    NUMBER("/solver/ncp_complementarity", "J", residual.ncp.complementarity),
    NUMBER("/solver/natural", "1", residual.natural),
    NUMBER("/solver/signorini", "J", residual.signorini),
    NUMBER("/solver/dissipation", "J", residual.dissipation),
    NUMBER("/solver/closing", "m/s", residual.closing),
    NUMBER("/solver/slip_angle", "rad", residual.slip_angle),
    NUMBER("/contacts/worst_penetration", "m", worst_penetration),
    WHOLE("/contacts/narrow_failures", narrow_failures, NULL),
    NUMBER("/timing/kinematics", "s", seconds_kinematics),
    NUMBER("/timing/broad_phase", "s", seconds_broad),
    NUMBER("/timing/narrow_phase", "s", seconds_narrow),
    NUMBER("/timing/assemble", "s", seconds_assemble),
    NUMBER("/timing/solve", "s", seconds_solve),
    NUMBER("/timing/integrate", "s", seconds_integrate),
    NUMBER("/timing/total", "s", seconds_total),
};

enum { COLUMN_COUNT = sizeof definitions / sizeof definitions[0] };

// --- columns ---------------------------------------------------------------------------------------------------------

typedef struct hdf5_file {
    hid_t file;
    ts_record_output output;
    double flushed;  // s, wall clock
    long long contacts;
    long long rows;
    int failed;
    ts_record_column column[COLUMN_COUNT];
    ts_arena arena;  // of a certificate
    char path[256];
} hdf5_file;

// Dimensions of a row; returns how many there are.
static int row_shape(const int shape[2], const ts_model* model, uint64_t out_size[2]) {
    int rank = 0;
    for (int i = 0; i < 2; ++i) {
        int size = shape[i] == ALL_QPOS     ? model->nq
                   : shape[i] == ALL_QVEL   ? model->nv
                   : shape[i] == ALL_BODIES ? model->body_count
                                            : shape[i];
        rank += shape[i] != 0;
        out_size[i] = shape[i] ? (uint64_t)size : 1;
    }
    return rank;
}

static int write_number_attribute(hid_t object, const char* name, hid_t memory, const void* value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, memory, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return ok;
}

// Room for one more row. Where those before it could not be written, the append that follows says so.
static void* next_row(hdf5_file* file, column_id id) { return ts_record_column_row(&file->column[id], &file->failed); }

static void put(hdf5_file* file, column_id id, double value) { *(double*)next_row(file, id) = value; }

static void put_int(hdf5_file* file, column_id id, int value) { *(int32_t*)next_row(file, id) = value; }

static void put_numbers(hdf5_file* file, column_id id, const double* values) {
    void* row = next_row(file, id);
    if (file->column[id].row_bytes > 0) memcpy(row, values, file->column[id].row_bytes);
}

// --- one moment ------------------------------------------------------------------------------------------------------

static void append_bodies(hdf5_file* file, const ts_sim* sim) {
    double* position = (double*)next_row(file, BODY_POSITION);
    double* quaternion = (double*)next_row(file, BODY_QUATERNION);
    double* linear = (double*)next_row(file, BODY_LINEAR);
    double* angular = (double*)next_row(file, BODY_ANGULAR);
    for (int b = 0; b < sim->model->body_count; ++b) {
        ts_motion velocity = ts_sim_body_velocity(sim, b);
        ts_vec3_store(sim->body_pose[b].p, position + 3 * b);
        ts_quat_store(ts_quat_from_mat3(&sim->body_pose[b].R), quaternion + 4 * b);
        ts_vec3_store(velocity.linear, linear + 3 * b);
        ts_vec3_store(velocity.angular, angular + 3 * b);
    }
}

// What every contact is certified to do. Without memory for that, nothing is known of it.
static void append_verdicts(hdf5_file* file, const ts_sim* sim) {
    ts_contact_certificate certificate;
    if (sim->contact_count == 0) return;
    ts_arena_reset(&file->arena);
    int known = ts_certify_step(sim, TS_CERTIFICATE_FAST, &file->arena, &certificate) == TS_OK;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact_verdict* verdict = known ? &certificate.verdict[sim->contact[i].block] : NULL;
        put_int(file, CONTACT_MODE, verdict ? (int)verdict->mode : -1);
        put_int(file, CONTACT_LAWS, verdict ? (int)verdict->holds : 0);
        put(file, CONTACT_NATURAL, verdict ? verdict->residual.natural : (double)NAN);
    }
}

static void append_contacts(hdf5_file* file, const ts_sim* sim) {
    *(int64_t*)next_row(file, CONTACT_FIRST) = file->contacts;
    put_int(file, CONTACT_COUNT, sim->contact_count);
    file->contacts += sim->contact_count;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        ts_vec3_store(contact->position, (double*)next_row(file, CONTACT_POSITION));
        memcpy(next_row(file, CONTACT_FRAME), contact->frame.m, sizeof contact->frame.m);
        ts_vec3_store(contact->impulse, (double*)next_row(file, CONTACT_IMPULSE));
        ts_vec3_store(contact->velocity, (double*)next_row(file, CONTACT_VELOCITY));
        put(file, CONTACT_GAP, contact->gap);
        put(file, CONTACT_FRICTION, contact->surface.friction);
        put_int(file, CONTACT_GEOM_A, contact->geom_a);
        put_int(file, CONTACT_GEOM_B, contact->geom_b);
        *(uint64_t*)next_row(file, CONTACT_KEY) = contact->key;
    }
    append_verdicts(file, sim);
}

// Blocks of rows that nobody else tells of.
static void append_rows(hdf5_file* file, const ts_sim* sim) {
    int count = 0;
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_row_block* owner = &sim->row_block[b];
        const ts_block* block = &sim->problem.block[b];
        if (ts_row_source_at(owner->source)->answer) continue;
        put_int(file, ROW_SOURCE, owner->source);
        uint64_t* key = (uint64_t*)next_row(file, ROW_KEY);
        key[0] = owner->key.whole;
        key[1] = owner->key.part;
        double* impulse = (double*)next_row(file, ROW_IMPULSE);
        for (int r = 0; r < TS_BLOCK_ROWS_MAX; ++r) impulse[r] = r < block->rows ? sim->impulse[block->row + r] : 0.0;
        ++count;
    }
    *(int64_t*)next_row(file, ROW_FIRST) = file->rows;
    put_int(file, ROW_COUNT, count);
    file->rows += count;
}

// The numbers of the last step.
static void append_info(hdf5_file* file, const ts_sim* sim) {
    for (int id = NAMED_COUNT; id < COLUMN_COUNT; ++id) {
        const char* source = (const char*)&sim->info + definitions[id].offset;
        void* row = ts_record_column_row(&file->column[id], &file->failed);
        double figure;
        switch (definitions[id].kind) {
        case INFO_NUMBER: memcpy(row, source, sizeof(double)); break;
        case INFO_WHOLE: memcpy(row, source, sizeof(int32_t)); break;
        case INFO_FIGURE:
            figure = ts_figure_of(&sim->info.residual, (ts_figure)definitions[id].offset, sim->options.time_step);
            memcpy(row, &figure, sizeof figure);
            break;
        }
    }
}

static int flush_all(hdf5_file* file, int last) {
    int ok = 1;
    for (int id = 0; id < COLUMN_COUNT; ++id) ok = ts_record_column_flush(&file->column[id], last) && ok;
    ok = ok && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0 && !file->output.problem;
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
        put(file, TIME, sim->time);
        put_numbers(file, QPOS, sim->qpos);
        put_numbers(file, QVEL, sim->qvel);
        append_bodies(file, sim);
        put(file, ENERGY_KINETIC, energy.kinetic);
        put(file, ENERGY_POTENTIAL, energy.potential);
        append_info(file, sim);
        append_contacts(file, sim);
        append_rows(file, sim);
        if (ts_clock_seconds() - file->flushed >= ts_record_flush_seconds && !flush_all(file, 0)) file->failed = 1;
    }
    H5E_END_TRY
    if (file->failed || file->output.problem) return cannot_write(file->path, file->output.problem, out_status);
    return TS_OK;
}

// --- opening and closing ---------------------------------------------------------------------------------------------

static hid_t make_group(hid_t parent, const char* name) {
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

// A dataset of strings of any length: one when `count` is 0, else a list.
static int write_texts(hid_t parent, const char* name, const char* const* text, int count) {
    hsize_t size = (hsize_t)count;
    hid_t type = ts_record_text_type();
    hid_t space = count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

// A list of `count` names; none where there are none.
static int write_names(hid_t parent, const char* name, ts_text_name name_at, const void* context, int count) {
    if (count == 0) return 1;
    const char** text = (const char**)calloc((size_t)count, sizeof *text);
    for (int i = 0; text && i < count; ++i) text[i] = name_at(context, i);
    int ok = text && write_texts(parent, name, text, count);
    free(text);
    return ok;
}

typedef char label[TS_RECORD_LABEL_BYTES];

static const char* label_at(const void* context, int b) { return ((const label*)context)[b]; }

static const char* geom_at(const void* context, int g) { return ((const ts_model*)context)->geom[g].name; }

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

static int write_model(hid_t file, const ts_model* model) {
    hid_t group = make_group(file, "/model");
    const char* source = model->source ? model->source : "";
    int ok = group >= 0 && ts_record_text_attribute(group, "name", model->name) &&
             write_texts(group, "source", &source, 0) && write_body_names(group, model) &&
             write_names(group, "geom_names", geom_at, model, model->geom_count) &&
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
    int version = 1;
    int ok = ts_record_text_attribute(file->file, "format", "touchstone recording") &&
             write_number_attribute(file->file, "format_version", H5T_NATIVE_INT, &version) &&
             ts_record_text_attribute(file->file, "touchstone_version", TS_VERSION) &&
             ts_record_text_attribute(file->file, "scene", scene) &&
             write_number_attribute(file->file, "finished", H5T_NATIVE_INT, &finished) &&
             write_model(file->file, sim->model) && write_options(file->file, sim) && write_solver(file->file, sim);
    static const char* const groups[] = {"/state", "/bodies", "/energy", "/contacts", "/rows", "/figures", "/timing"};
    for (size_t i = 0; ok && i < sizeof groups / sizeof groups[0]; ++i) {
        hid_t group = make_group(file->file, groups[i]);
        ok = group >= 0;
        if (ok) H5Gclose(group);
    }
    for (int id = 0; ok && id < COLUMN_COUNT; ++id) {
        const column_definition* definition = &definitions[id];
        uint64_t row[2];
        int rank = row_shape(definition->shape, sim->model, row);
        ok = ts_record_column_create(&file->column[id], file->file, definition->path, definition->unit,
                                     definition->type, rank, row);
        if (ok && definition->meaning)
            ok = ts_record_text_attribute(file->column[id].dataset, "meaning", definition->meaning);
    }
    return ok;
}

// Closes and frees; returns whether all is in the file, with the errno (or 0) of what is not.
static int release(hdf5_file* file, int* out_problem) {
    int ok = 1;
    for (int id = 0; id < COLUMN_COUNT; ++id) ok = ts_record_column_close(&file->column[id]) && ok;
    if (file->file >= 0) ok = H5Fclose(file->file) >= 0 && ok;
    ts_arena_free(&file->arena);
    *out_problem = ts_record_output_close(&file->output);
    free(file);
    return ok && !*out_problem;
}

static ts_code hdf5_close(void* handle, int finished, ts_status* out_status) {
    hdf5_file* file = (hdf5_file*)handle;
    char path[256];
    memcpy(path, file->path, sizeof path);
    int ok, problem;
    H5E_BEGIN_TRY {
        ok = !file->failed && !file->output.problem && flush_all(file, 1);
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
    static const ts_record_format format = {hdf5_append, hdf5_close};
    hdf5_file* file = (hdf5_file*)calloc(1, sizeof *file);
    if (!file) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    int problem = ts_record_output_open(path, &file->output);
    if (problem) {
        free(file);
        return cannot_write(path, problem, out_status);
    }
    for (int id = 0; id < COLUMN_COUNT; ++id) file->column[id].dataset = -1;
    snprintf(file->path, sizeof file->path, "%s", path);
    int ok;
    H5E_BEGIN_TRY {
        hid_t properties = access_properties();
        ok = properties >= 0 && ts_record_output_use(&file->output, properties);
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
