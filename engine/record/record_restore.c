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

#include "engine/step/step.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A dataset of numbers: its rank and extents.
typedef struct numbers {
    hid_t dataset;  // negative: none
    int rank;
    hsize_t extent[2];
} numbers;

static numbers open_numbers(hid_t file, const char* path) {
    numbers n = {-1, 0, {0, 0}};
    n.dataset = H5Lexists(file, path, H5P_DEFAULT) > 0 ? H5Dopen2(file, path, H5P_DEFAULT) : -1;
    hid_t space = n.dataset >= 0 ? H5Dget_space(n.dataset) : -1;
    n.rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if (n.rank == 1 || n.rank == 2) H5Sget_simple_extent_dims(space, n.extent, NULL);
    if (space >= 0) H5Sclose(space);
    return n;
}

static void close_numbers(numbers* n) {
    if (n->dataset >= 0) H5Dclose(n->dataset);
}

// All of a list, in memory of malloc; NULL when that did not work.
static void* read_list(const numbers* n, hid_t type, size_t size) {
    void* list = n->dataset >= 0 && n->rank == 1 && n->extent[0] > 0 ? malloc((size_t)n->extent[0] * size) : NULL;
    if (list && H5Dread(n->dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) >= 0) return list;
    free(list);
    return NULL;
}

// Row `row` of a table that is `count` wide. Nonzero when it worked.
static int read_row(hid_t file, const char* path, hsize_t row, int count, double* out) {
    numbers n = open_numbers(file, path);
    hsize_t start[2] = {row, 0}, size[2] = {1, (hsize_t)count};
    int ok = n.dataset >= 0 && n.rank == 2 && row < n.extent[0] && n.extent[1] == (hsize_t)count;
    if (ok && count > 0) {
        hid_t there = H5Dget_space(n.dataset), here = H5Screate_simple(2, size, NULL);
        ok = there >= 0 && here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
             H5Dread(n.dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, out) >= 0;
        if (there >= 0) H5Sclose(there);
        if (here >= 0) H5Sclose(here);
    }
    close_numbers(&n);
    return ok;
}

// The state of that row, without anything remembered. Nonzero when it worked; else `sim` stays as it was.
static int take_row(hid_t file, hsize_t row, double time, ts_sim* sim) {
    const ts_model* model = sim->model;
    const char* const path[] = {"/state/qpos", "/state/qvel", "/state/ctrl", "/state/act"};
    const int count[] = {model->nq, model->nv, model->actuator_count, model->act_count};
    double* state = (double*)malloc((size_t)(count[0] + count[1] + count[2] + count[3] + 1) * sizeof *state);
    numbers n = open_numbers(file, "/state/step");
    long long* step = (long long*)read_list(&n, H5T_NATIVE_LLONG, sizeof *step);
    int ok = state && step && row < n.extent[0];
    double* at = state;
    for (int i = 0; i < 4; at += count[i++]) ok = ok && read_row(file, path[i], row, count[i], at);
    close_numbers(&n);
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

static ts_code take_snapshot(hid_t file, ts_sim* sim, int* out_found, ts_status* out_status) {
    numbers n = open_numbers(file, "/snapshot");
    ts_snapshot snapshot = {0};
    snapshot.data = (unsigned char*)read_list(&n, H5T_NATIVE_UINT8, 1);
    snapshot.size = snapshot.capacity = (unsigned long)n.extent[0];
    *out_found = snapshot.data != NULL;
    ts_code code = *out_found ? ts_sim_restore(sim, &snapshot, out_status) : TS_OK;
    ts_snapshot_free(&snapshot);
    close_numbers(&n);
    return code;
}

// The moment nearest to `time`; -1 when the recording does not reach that far.
static long long find_row(const double* moment, hsize_t count, double time, double step) {
    long long best = 0;
    if (isnan(time)) return (long long)count - 1;
    for (hsize_t i = 1; i < count; ++i)
        if (fabs(moment[i] - time) < fabs(moment[best] - time)) best = (long long)i;
    return fabs(moment[best] - time) <= step ? best : -1;
}

static ts_code take(hid_t file, const char* path, double time, ts_sim* sim, ts_status* out_status) {
    numbers n = open_numbers(file, "/state/time");
    double* moment = (double*)read_list(&n, H5T_NATIVE_DOUBLE, sizeof *moment);
    hsize_t count = n.extent[0];
    close_numbers(&n);
    if (!moment)
        return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "this is no recording of a run: no states in it");
    long long row = find_row(moment, count, time, sim->options.time_step);
    double at = row >= 0 ? moment[row] : 0.0, last = moment[count - 1], first = moment[0];
    free(moment);
    if (row < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "the recording goes from t = %g s to t = %g s", first,
                             last);
    int found = 0;
    ts_code code = (hsize_t)row + 1 == count ? take_snapshot(file, sim, &found, out_status) : TS_OK;
    if (!code && !found && !take_row(file, (hsize_t)row, at, sim))
        code = ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                             "the recording is of another model: here %d positions, %d velocities, %d actuators",
                             sim->model->nq, sim->model->nv, sim->model->actuator_count);
    return code ? code : ts_sim_forward(sim, out_status);
}

ts_code ts_record_restore(const char* path, double time, ts_sim* sim, ts_status* out_status) {
    ts_code code = TS_OK;
    // In these braces HDF5 does not print its errors.
    H5E_BEGIN_TRY {
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (file >= 0)
            code = take(file, path, time, sim, out_status);
        else
            code = ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot read this as an HDF5 recording");
        if (file >= 0) H5Fclose(file);
    }
    H5E_END_TRY
    return code;
}

#endif
