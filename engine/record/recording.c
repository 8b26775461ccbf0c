// Problem: a recording is to be looked at as the run was: scrubbed, drawn, compared. Rule: a moment of the file becomes the state of a
// simulation of the same model, with the contacts, modes and numbers that were recorded, and nothing is computed but kinematics.
// Guaranteed: whatever the file holds, an index outside of the model, a number missing or a dataset too short ends in an error that names
// the file. Known to fail: bodies that are moved from outside are where they were, but how the run went on from there is not known.
#include "engine/record/record.h"

#ifndef TS_HAVE_HDF5

ts_code ts_recording_open(const char* path, ts_recording** out_recording, ts_status* out_status) {
    *out_recording = NULL;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                         "this build has no HDF5 to read recordings with (build with TS_HDF5=ON)");
}

// None can be opened.
const ts_recording_about* ts_recording_about_of(const ts_recording* recording) {
    (void)recording;
    return NULL;
}

long long ts_recording_nearest(const ts_recording* recording, double time) {
    (void)recording;
    (void)time;
    return 0;
}

long long ts_recording_after(const ts_recording* recording, long long step) {
    (void)recording;
    (void)step;
    return -1;
}

ts_code ts_recording_configure(const ts_recording* recording, ts_sim* sim, ts_status* out_status) {
    return ts_recording_take((ts_recording*)recording, 0, sim, out_status);
}

ts_code ts_recording_take(ts_recording* recording, long long row, ts_sim* sim, ts_status* out_status) {
    (void)recording;
    (void)row;
    (void)sim;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "this build has no HDF5");
}

void ts_recording_close(ts_recording* recording) { (void)recording; }

#else

#include "engine/record/record_read_internal.h"
#include "engine/record/record_table_internal.h"
#include "engine/sim_internal.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Datasets that are kept open, those of ts_step_info after them.
typedef enum source {
    QPOS,
    QVEL,
    CTRL,
    ACT,
    ACTUATOR_LENGTH,
    ACTUATOR_VELOCITY,
    ACTUATOR_FORCE,
    TENDON_LENGTH,
    SENSORS,
    STATE_COUNT,
    BODY_POSITION = STATE_COUNT,
    BODY_QUATERNION,
    CONTACT_FIRST,
    CONTACT_NUMBER,
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
    INFO,
    SOURCE_COUNT = INFO + 40
} source;

static const char* const paths[INFO] = {
    [QPOS] = "/state/qpos",
    [QVEL] = "/state/qvel",
    [CTRL] = "/state/ctrl",
    [ACT] = "/state/act",
    [ACTUATOR_LENGTH] = "/actuators/length",
    [ACTUATOR_VELOCITY] = "/actuators/velocity",
    [ACTUATOR_FORCE] = "/actuators/force",
    [TENDON_LENGTH] = "/tendons/length",
    [SENSORS] = "/sensors/value",
    [BODY_POSITION] = "/bodies/position",
    [BODY_QUATERNION] = "/bodies/quaternion",
    [CONTACT_FIRST] = "/contacts/first",
    [CONTACT_NUMBER] = "/contacts/count",
    [CONTACT_POSITION] = "/contacts/position",
    [CONTACT_FRAME] = "/contacts/frame",
    [CONTACT_IMPULSE] = "/contacts/impulse",
    [CONTACT_VELOCITY] = "/contacts/velocity",
    [CONTACT_GAP] = "/contacts/gap",
    [CONTACT_FRICTION] = "/contacts/friction",
    [CONTACT_GEOM_A] = "/contacts/geom_a",
    [CONTACT_GEOM_B] = "/contacts/geom_b",
    [CONTACT_KEY] = "/contacts/key",
    [CONTACT_MODE] = "/contacts/mode",
};

struct ts_recording {
    hid_t file;
    ts_record_numbers source[SOURCE_COUNT];
    ts_recording_about about;
    char* text[6];  // what `about` points to
    double* time;
    long long* step;
    ts_arena arena;  // of the rows being read
};

const ts_recording_about* ts_recording_about_of(const ts_recording* recording) { return &recording->about; }

// --- opening ---------------------------------------------------------------------------------------------------------

static const char* text_of(ts_recording* r, int slot, const char* path, const char* attribute) {
    r->text[slot] = ts_record_read_text(r->file, path, attribute);
    return r->text[slot] ? r->text[slot] : "";
}

static int whole_attribute(hid_t file, const char* name) {
    int32_t value = 0;
    return ts_record_read_number(file, name, TS_RECORD_INT32, &value) ? value : 0;
}

static double option_number(ts_recording* r, const char* name) {
    char* text = ts_record_read_text(r->file, "/options", name);
    double value = text ? strtod(text, NULL) : (double)NAN;
    free(text);
    return value;
}

static ts_code refuse(const ts_recording* r, const char* why, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_FILE, r->text[0], 0, "%s", why);
}

// Moments, in order.
static ts_code read_times(ts_recording* r, ts_status* out_status) {
    ts_record_numbers time = ts_record_numbers_open(r->file, "/state/time");
    ts_record_numbers step = ts_record_numbers_open(r->file, "/state/step");
    r->time = (double*)ts_record_numbers_list(&time, TS_RECORD_DOUBLE);
    r->step = (long long*)ts_record_numbers_list(&step, TS_RECORD_INT64);
    uint64_t count = time.extent[0], steps = step.extent[0];
    ts_record_numbers_close(&time);
    ts_record_numbers_close(&step);
    if (!r->time || !r->step) return refuse(r, "this is no recording of a run: there are no states in it", out_status);
    if (steps != count)
        return refuse(r, "the recording is damaged: /state/time and /state/step differ in length", out_status);
    for (uint64_t i = 0; i < count; ++i)
        if (!isfinite(r->time[i]) || (i > 0 && !(r->time[i] >= r->time[i - 1])))
            return ts_status_set(out_status, TS_ERROR_FILE, r->text[0], 0,
                                 "the recording is damaged: time %g s of row %llu does not follow on the one before",
                                 r->time[i], (unsigned long long)i);
    r->about.time = r->time;
    r->about.step = r->step;
    r->about.count = (long long)count;
    return TS_OK;
}

static ts_code read_about(ts_recording* r, ts_status* out_status) {
    ts_recording_about* about = &r->about;
    about->path = r->text[0];
    about->scene = text_of(r, 1, "/", "scene");
    about->model_file = text_of(r, 2, "/", "model_file");
    about->source = text_of(r, 3, "/model/source", NULL);
    about->solver = text_of(r, 4, "/solver", "name");
    about->law = text_of(r, 5, "/solver", "law");
    about->finished = whole_attribute(r->file, "finished");
    about->time_step = option_number(r, "time_step");
    char* format = ts_record_read_text(r->file, "/", "format");
    int known = format && strcmp(format, "touchstone recording") == 0;
    free(format);
    int version = whole_attribute(r->file, "format_version");
    if (!known && version == 1)
        return refuse(r,
                      "a recording of format version 1: its texts are of variable length, which HDF5 cannot read "
                      "safely from every "
                      "file; repeat the run, or change them (docs/recording.md says how)",
                      out_status);
    if (!known)
        return refuse(r, "this is no recording of a run: its 'format' is not 'touchstone recording'", out_status);
    if (version != TS_RECORD_FORMAT_VERSION)
        return refuse(r, "a recording of a format version that this program does not know", out_status);
    for (int i = 0; i < INFO; ++i) r->source[i] = ts_record_numbers_open(r->file, paths[i]);
    ts_record_info_column column;
    for (int i = 0; INFO + i < SOURCE_COUNT && ts_record_table_info(i, &column); ++i)
        r->source[INFO + i] = ts_record_numbers_open(r->file, column.path);
    about->nq = (int)ts_record_numbers_width(&r->source[QPOS]);
    about->nv = (int)ts_record_numbers_width(&r->source[QVEL]);
    about->body_count = (int)r->source[BODY_POSITION].extent[1];
    return read_times(r, out_status);
}

ts_code ts_recording_open(const char* path, ts_recording** out_recording, ts_status* out_status) {
    *out_recording = NULL;
    ts_recording* r = (ts_recording*)calloc(1, sizeof *r);
    if (!r) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    for (int i = 0; i < SOURCE_COUNT; ++i) r->source[i].dataset = -1;
    r->text[0] = strdup(path);
    ts_code code = TS_OK;
    // In these braces HDF5 does not print its errors.
    H5E_BEGIN_TRY {
        // Of a damaged file, what the library could not close itself goes with the file.
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
        r->file = ts_record_read_open(path, access, out_status);
        code = r->file >= 0 ? read_about(r, out_status) : TS_ERROR_FILE;
        H5Pclose(access);
    }
    H5E_END_TRY
    if (code) {
        ts_recording_close(r);
        return code;
    }
    *out_recording = r;
    return ts_status_ok(out_status);
}

void ts_recording_close(ts_recording* r) {
    if (!r) return;
    H5E_BEGIN_TRY {
        for (int i = 0; i < SOURCE_COUNT; ++i) ts_record_numbers_close(&r->source[i]);
        if (r->file >= 0) H5Fclose(r->file);
    }
    H5E_END_TRY
    for (int i = 0; i < 6; ++i) free(r->text[i]);
    free(r->time);
    free(r->step);
    ts_arena_free(&r->arena);
    free(r);
}

long long ts_recording_nearest(const ts_recording* r, double time) {
    long long low = 0, high = r->about.count - 1;
    if (isnan(time) || time >= r->time[high]) return high;
    // The last moment that is not later than `time`.
    while (low < high) {
        long long middle = low + (high - low + 1) / 2;
        if (r->time[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low + 1 < r->about.count && r->time[low + 1] - time < time - r->time[low] ? low + 1 : low;
}

long long ts_recording_after(const ts_recording* r, long long step) {
    long long low = 0, high = r->about.count;
    while (low < high) {
        long long middle = low + (high - low) / 2;
        if (r->step[middle] > step)
            high = middle;
        else
            low = middle + 1;
    }
    return low < r->about.count ? low : -1;
}

// --- what it was run with --------------------------------------------------------------------------------------------

static void set_option(const ts_recording* r, const char* name, ts_sim* sim) {
    char* value = ts_record_read_text(r->file, "/options", name);
    if (value) (void)ts_sim_set(sim, name, value, NULL);
    free(value);
}

static void set_setting(hid_t settings, const char* name, ts_sim* sim) {
    double value;
    char text[64], key[128];
    if (!ts_record_read_number(settings, name, TS_RECORD_DOUBLE, &value)) return;
    snprintf(text, sizeof text, "%.17g", value);
    snprintf(key, sizeof key, "solver.%s", name);
    (void)ts_sim_set(sim, key, text, NULL);
}

ts_code ts_recording_configure(const ts_recording* r, ts_sim* sim, ts_status* out_status) {
    H5E_BEGIN_TRY {
        for (int i = 0; i < ts_option_count(); ++i) set_option(r, ts_option_at(i)->name, sim);
        if (r->about.solver[0]) (void)ts_sim_set_solver(sim, r->about.solver, NULL);
        int known = strcmp(sim->solver->name, r->about.solver) == 0;
        hid_t settings = known && H5Lexists(r->file, "/solver/settings", H5P_DEFAULT) > 0
                             ? H5Gopen2(r->file, "/solver/settings", H5P_DEFAULT)
                             : -1;
        for (int i = 0; settings >= 0 && i < ts_solver_setting_count(sim->solver); ++i)
            set_setting(settings, ts_solver_setting_at(sim->solver, i)->name, sim);
        if (settings >= 0) H5Gclose(settings);
    }
    H5E_END_TRY
    return ts_status_ok(out_status);
}

// --- one moment ------------------------------------------------------------------------------------------------------

static int read_doubles(const ts_recording* r, source which, long long first, int count, int width, double* out) {
    return ts_record_numbers_read(&r->source[which], (uint64_t)first, (uint64_t)count, (uint64_t)width,
                                  TS_RECORD_DOUBLE, out);
}

static int read_wholes(const ts_recording* r, source which, long long first, int count, int32_t* out) {
    return ts_record_numbers_read(&r->source[which], (uint64_t)first, (uint64_t)count, 1, TS_RECORD_INT32, out);
}

static ts_code damaged(const ts_recording* r, const char* what, long long row, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_FILE, r->text[0], 0,
                         "the recording is damaged: %s of row %lld cannot be read", what, row);
}

static ts_code take_state(ts_recording* r, long long row, ts_sim* sim, ts_status* out_status) {
    const ts_model* model = sim->model;
    double* const target[STATE_COUNT] = {[QPOS] = sim->qpos,
                                         [QVEL] = sim->qvel,
                                         [CTRL] = sim->ctrl,
                                         [ACT] = sim->act,
                                         [ACTUATOR_LENGTH] = sim->actuator_length,
                                         [ACTUATOR_VELOCITY] = sim->actuator_velocity,
                                         [ACTUATOR_FORCE] = sim->actuator_force,
                                         [TENDON_LENGTH] = sim->tendon_length,
                                         [SENSORS] = sim->sensor};
    const int width[STATE_COUNT] = {model->nq,
                                    model->nv,
                                    model->actuator_count,
                                    model->act_count,
                                    model->actuator_count,
                                    model->actuator_count,
                                    model->actuator_count,
                                    model->tendon_count,
                                    model->sensor_size};
    for (int i = 0; i < STATE_COUNT; ++i)
        if (!read_doubles(r, (source)i, row, 1, width[i], target[i])) return damaged(r, paths[i], row, out_status);
    for (int i = 0; i < model->nq; ++i)
        if (!isfinite(sim->qpos[i])) return damaged(r, "a finite position", row, out_status);
    return TS_OK;
}

// Bodies that are moved from outside are not in the state.
static ts_code take_mocap(ts_recording* r, long long row, ts_sim* sim, ts_status* out_status) {
    const ts_model* model = sim->model;
    if (model->mocap_count == 0) return TS_OK;
    double* position = TS_ARENA_ARRAY(&r->arena, double, 7 * model->body_count);
    double* turn = position ? position + 3 * model->body_count : NULL;
    if (!position || !read_doubles(r, BODY_POSITION, row, 1, 3 * model->body_count, position) ||
        !read_doubles(r, BODY_QUATERNION, row, 1, 4 * model->body_count, turn))
        return damaged(r, "the bodies' poses", row, out_status);
    for (int b = 0; b < model->body_count; ++b) {
        int m = model->body[b].mocap;
        if (m < 0) continue;
        memcpy(sim->mocap + 7 * m, position + 3 * b, 3 * sizeof(double));
        memcpy(sim->mocap + 7 * m + 3, turn + 4 * b, 4 * sizeof(double));
    }
    return TS_OK;
}

static ts_code take_info(ts_recording* r, long long row, ts_sim* sim, ts_status* out_status) {
    ts_record_info_column column;
    for (int i = 0; INFO + i < SOURCE_COUNT && ts_record_table_info(i, &column); ++i)
        if (!ts_record_numbers_read(&r->source[INFO + i], (uint64_t)row, 1, 1, column.type,
                                    (char*)&sim->info + column.offset))
            return damaged(r, column.path, row, out_status);
    if ((int)sim->info.solve.status < 0 || (int)sim->info.solve.status > 3)
        return damaged(r, "the solver's status", row, out_status);
    return TS_OK;
}

static ts_code fill_contacts(ts_recording* r, long long row, long long first, int count, ts_sim* sim,
                             ts_status* out_status) {
    const ts_model* model = sim->model;
    ts_contact* contact = (ts_contact*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)count, sizeof *contact);
    ts_contact_mode* modes = TS_ARENA_ARRAY(&sim->scratch, ts_contact_mode, count);
    double* number = TS_ARENA_ARRAY(&r->arena, double, 20 * (size_t)count);
    int32_t* whole = TS_ARENA_ARRAY(&r->arena, int32_t, 3 * (size_t)count);
    uint64_t* key = TS_ARENA_ARRAY(&r->arena, uint64_t, count);
    if (!contact || !modes || !number || !whole || !key)
        return ts_status_set(out_status, TS_ERROR_MEMORY, r->text[0], 0, "out of memory for %d contacts", count);
    size_t n = (size_t)count;
    double *position = number, *frame = position + 3 * n, *impulse = frame + 9 * n, *velocity = impulse + 3 * n,
           *gap = velocity + 3 * n, *friction = gap + n;
    int ok =
        read_doubles(r, CONTACT_POSITION, first, count, 3, position) &&
        read_doubles(r, CONTACT_FRAME, first, count, 9, frame) &&
        read_doubles(r, CONTACT_IMPULSE, first, count, 3, impulse) &&
        read_doubles(r, CONTACT_VELOCITY, first, count, 3, velocity) &&
        read_doubles(r, CONTACT_GAP, first, count, 1, gap) &&
        read_doubles(r, CONTACT_FRICTION, first, count, 1, friction) &&
        read_wholes(r, CONTACT_GEOM_A, first, count, whole) &&
        read_wholes(r, CONTACT_GEOM_B, first, count, whole + n) &&
        read_wholes(r, CONTACT_MODE, first, count, whole + 2 * n) &&
        ts_record_numbers_read(&r->source[CONTACT_KEY], (uint64_t)first, (uint64_t)count, 1, TS_RECORD_UINT64, key);
    for (int i = 0; ok && i < count; ++i) {
        ts_contact* c = &contact[i];
        int a = whole[i], b = whole[n + (size_t)i], mode = whole[2 * n + (size_t)i];
        ok = a >= 0 && a < model->geom_count && b >= 0 && b < model->geom_count && mode >= -1 && mode < TS_MODE_COUNT;
        if (!ok) break;
        c->geom_a = a;
        c->geom_b = b;
        c->body_a = model->geom[a].body;
        c->body_b = model->geom[b].body;
        c->key = key[i];
        c->position = ts_vec3_load(position + 3 * i);
        memcpy(c->frame.m, frame + 9 * i, sizeof c->frame.m);
        c->impulse = ts_vec3_load(impulse + 3 * i);
        c->velocity = ts_vec3_load(velocity + 3 * i);
        c->gap = gap[i];
        c->surface.friction = friction[i];
        c->block = -1;
        modes[i] = mode < 0 ? TS_MODE_OPEN : (ts_contact_mode)mode;
    }
    if (!ok) return damaged(r, "a contact", row, out_status);
    sim->contact = contact;
    sim->contact_rare = NULL;
    sim->contact_mode = modes;
    sim->contact_count = count;
    sim->asleep_contacts = 0;
    sim->info.contact_count = count;
    sim->info.row_count = 3 * count;
    return TS_OK;
}

static ts_code take_contacts(ts_recording* r, long long row, ts_sim* sim, ts_status* out_status) {
    int32_t count = 0;
    int64_t first = 0;
    if (!read_wholes(r, CONTACT_NUMBER, row, 1, &count) ||
        !ts_record_numbers_read(&r->source[CONTACT_FIRST], (uint64_t)row, 1, 1, TS_RECORD_INT64, &first))
        return damaged(r, "the number of contacts", row, out_status);
    if (count < 0 || first < 0 || (uint64_t)first > r->source[CONTACT_KEY].extent[0] ||
        (uint64_t)count > r->source[CONTACT_KEY].extent[0] - (uint64_t)first)
        return damaged(r, "the number of contacts", row, out_status);
    return count > 0 ? fill_contacts(r, row, first, count, sim, out_status) : TS_OK;
}

static ts_code take(ts_recording* r, long long row, ts_sim* sim, ts_status* out_status) {
    ts_arena_reset(&r->arena);
    ts_arena_reset(&sim->scratch);
    ts_code code = take_state(r, row, sim, out_status);
    if (!code) code = take_mocap(r, row, sim, out_status);
    if (!code) code = take_info(r, row, sim, out_status);
    if (!code) code = take_contacts(r, row, sim, out_status);
    if (code) return code;
    sim->time = r->time[row];
    sim->step_count = r->step[row];
    ts_sim_update_kinematics(sim);
    return TS_OK;
}

ts_code ts_recording_take(ts_recording* r, long long row, ts_sim* sim, ts_status* out_status) {
    const ts_recording_about* about = &r->about;
    if (row < 0 || row >= about->count)
        return ts_status_set(out_status, TS_ERROR_VALUE, about->path, 0, "row %lld of %lld", row, about->count);
    if (about->nq != sim->model->nq || about->nv != sim->model->nv || about->body_count != sim->model->body_count)
        return ts_status_set(
            out_status, TS_ERROR_VALUE, about->path, 0,
            "the recording is of another model, with %d positions, %d velocities, %d bodies; here are %d, %d, %d",
            about->nq, about->nv, about->body_count, sim->model->nq, sim->model->nv, sim->model->body_count);
    ts_sim_reset(sim);
    ts_code code;
    H5E_BEGIN_TRY { code = take(r, row, sim, out_status); }
    H5E_END_TRY
    if (code) ts_sim_reset(sim);
    return code ? code : ts_status_ok(out_status);
}

#endif
