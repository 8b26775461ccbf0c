// Taking up a recording where it was. Its last state is there with all that it remembers, as a snapshot; of other moments
// there are positions, velocities, controls and activations. A recording that was cut hard has no snapshot: its last moment
// is one like the others.
#include "engine/record/record.h"

#ifndef TS_HAVE_HDF5

ts_code ts_record_restore(const char* path, double time, ts_sim* sim, ts_status* out_status) {
    (void)time;
    (void)sim;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                         "this build has no HDF5 to read recordings with (build with TS_HDF5=ON)");
}

#else

#include "engine/record/record_read_internal.h"
#include "engine/step/step.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Row `row` of a table that is `count` wide. Nonzero when it worked.
static int read_row(int64_t file, const char* path, uint64_t row, int count, double* out) {
    ts_record_numbers n = ts_record_numbers_open(file, path);
    int ok = ts_record_numbers_read(&n, row, 1, (uint64_t)count, TS_RECORD_DOUBLE, out);
    ts_record_numbers_close(&n);
    return ok;
}

// The state of that row, without anything remembered. Nonzero when it worked; else `sim` stays as it was.
static int take_row(hid_t file, uint64_t row, double time, ts_sim* sim) {
    const ts_model* model = sim->model;
    const char* const path[] = {"/state/qpos", "/state/qvel", "/state/ctrl", "/state/act"};
    const int count[] = {model->nq, model->nv, model->actuator_count, model->act_count};
    double* state = (double*)malloc((size_t)(count[0] + count[1] + count[2] + count[3] + 1) * sizeof *state);
    ts_record_numbers n = ts_record_numbers_open(file, "/state/step");
    long long* step = (long long*)ts_record_numbers_list(&n, TS_RECORD_INT64);
    int ok = state && step && row < n.extent[0];
    double* at = state;
    for (int i = 0; i < 4; at += count[i++]) ok = ok && read_row(file, path[i], row, count[i], at);
    ts_record_numbers_close(&n);
    if (ok) {
        double* const target[] = {sim->qpos, sim->qvel, sim->ctrl, sim->act};
        ts_sim_reset(sim);
        at = state;
        for (int i = 0; i < 4; at += count[i++])
            if (count[i] > 0) memcpy(target[i], at, (size_t)count[i] * sizeof *at);
        sim->time = time;
        sim->step_count = step[row];
    }
    free(state);
    free(step);
    return ok;
}

static ts_code take_snapshot(hid_t file, const char* path, ts_sim* sim, int* out_found, ts_status* out_status) {
    ts_record_numbers n = ts_record_numbers_open(file, "/snapshot");
    ts_snapshot snapshot = {0};
    snapshot.data = (unsigned char*)ts_record_numbers_list(&n, TS_RECORD_UINT8);
    snapshot.size = snapshot.capacity = (unsigned long)n.extent[0];
    *out_found = snapshot.data != NULL;
    ts_status why;
    ts_code code = *out_found ? ts_sim_restore(sim, &snapshot, &why) : TS_OK;
    if (code) ts_status_set(out_status, code, path, 0, "%s", why.message);
    ts_snapshot_free(&snapshot);
    ts_record_numbers_close(&n);
    return code;
}

// The moment nearest to `time`; -1 when the recording does not reach that far.
static long long find_row(const double* moment, uint64_t count, double time, double step) {
    long long best = 0;
    if (isnan(time)) return (long long)count - 1;
    for (uint64_t i = 1; i < count; ++i)
        if (fabs(moment[i] - time) < fabs(moment[best] - time)) best = (long long)i;
    return fabs(moment[best] - time) <= step ? best : -1;
}

static ts_code take(hid_t file, const char* path, double time, ts_sim* sim, ts_status* out_status) {
    ts_record_numbers n = ts_record_numbers_open(file, "/state/time");
    double* moment = (double*)ts_record_numbers_list(&n, TS_RECORD_DOUBLE);
    uint64_t count = n.extent[0];
    ts_record_numbers_close(&n);
    if (!moment)
        return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "this is no recording of a run: no states in it");
    long long row = find_row(moment, count, time, sim->options.time_step);
    double at = row >= 0 ? moment[row] : 0.0, last = moment[count - 1], first = moment[0];
    free(moment);
    if (row < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "the recording goes from t = %g s to t = %g s", first,
                             last);
    int found = 0;
    ts_code code = (uint64_t)row + 1 == count ? take_snapshot(file, path, sim, &found, out_status) : TS_OK;
    if (!code && !found && !take_row(file, (uint64_t)row, at, sim))
        code = ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                             "the recording is of another model: here %d positions, %d velocities, %d actuators",
                             sim->model->nq, sim->model->nv, sim->model->actuator_count);
    return code ? code : ts_sim_forward(sim, out_status);
}

ts_code ts_record_restore(const char* path, double time, ts_sim* sim, ts_status* out_status) {
    ts_code code = TS_OK;
    // In these braces HDF5 does not print its errors.
    H5E_BEGIN_TRY {
        hid_t file = ts_record_read_open(path, H5P_DEFAULT, out_status);
        code = file >= 0 ? take(file, path, time, sim, out_status) : TS_ERROR_FILE;
        if (file >= 0) H5Fclose(file);
    }
    H5E_END_TRY
    return code;
}

#endif
