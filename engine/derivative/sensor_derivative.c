// Sensors as results: how what they show answers to the state, and after a step to whatever the step goes by.
//
// Problem: y(q+, v+) of sensors that show a state. Rule: dy = S_q dq+ + S_v dv+ + what masses and gravity do to y itself; S by the equations of a kind
// (engine/sensor/), else by central differences of fourth order of the measuring alone, which solves nothing. What a sensor shows of a step (accelerations, forces) has
// its equations in sensor_step.c, or is differenced with the step: its contacts must do the same at both ends.
// Source: derived here. Known failure: sensors with kinks (the ends of ranges, rays over edges) have one-sided slopes that this does not tell from smooth ones where they are further away
// than the differences reach.
#include <math.h>
#include <string.h>

#include "engine/derivative/sensor_step_internal.h"
#include "engine/derivative/step_derivative_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/step.h"

// m, rad, m/s: of differences of measuring; the error goes with its fourth power.
static const double increment = 1e-4;

// 1: how far differences over one and over two increments may differ, as part of the largest.
static const double agreement = 1e-5;

// An input, and by how much it is moved.
typedef struct moved_input {
    ts_step_input_kind kind;
    int index;
    double increment;
} moved_input;

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of sensors");
}

static int is_of_step(const ts_sensor_kind* kind) { return kind->time == TS_SENSOR_OF_STEP || kind->stands; }

// What a sensor shows in the state that stands.
static void show(ts_sim* sim, const ts_sensor* sensor, double* out) {
    ts_sim_update_kinematics(sim);
    ts_sensor_kind_at(sensor->kind)->measure(sim, sensor, out);
}

// --- of a state ---

// (8 (f(e) - f(-e)) - (f(2 e) - f(-2 e))) / (12 e) of a sensor by an input, `stride` apart. Returns how far the two differ, relative.
static double difference(ts_sim* sim, const ts_sensor* sensor, moved_input input, const ts_step_saved* saved,
                         double* room, double* out, int stride) {
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0};
    double largest = 0.0, off = 0.0;
    int n = sensor->size;
    for (int k = 0; k < 4; ++k) {
        ts_step_input_move(sim, input.kind, input.index, at[k] * input.increment);
        show(sim, sensor, room + k * n);
        ts_step_saved_restore(sim, input.kind, input.index, saved);
    }
    for (int i = 0; i < n; ++i) {
        double near = room[2 * n + i] - room[n + i], far = room[3 * n + i] - room[i];
        out[i * stride] = (8.0 * near - far) / (12.0 * input.increment);
        largest = fmax(largest, fabs(near) / (2.0 * input.increment));
        off = fmax(off, fabs(near - 0.5 * far) / (2.0 * input.increment));
    }
    return off / fmax(largest, 1.0);
}

static int difference_slopes(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, double* by_q, double* by_v,
                             ts_step_column_verdict* out_verdict) {
    ts_step_saved saved;
    double* room = TS_ARENA_ARRAY(scratch, double, 4 * sensor->size);
    if (!room || !ts_step_saved_make(sim, scratch, &saved)) return 0;
    *out_verdict = TS_COLUMN_DIFFERENCE;
    for (int of = 0; of < 2; ++of)
        for (int d = 0; d < sim->model->nv; ++d) {
            moved_input input = {of ? TS_STEP_BY_VELOCITY : TS_STEP_BY_POSITION, d, increment};
            ts_step_saved_note(sim, input.kind, d, &saved);
            double off = difference(sim, sensor, input, &saved, room, (of ? by_v : by_q) + d, sim->model->nv);
            if (!(off <= agreement)) *out_verdict = TS_COLUMN_USELESS;
        }
    ts_sim_update_kinematics(sim);
    return 1;
}

// What is held at a cutoff does not move.
static void hold(const ts_sensor* sensor, const double* value, int nv, double* by_q, double* by_v) {
    ts_sensor_values values = ts_sensor_kind_at(sensor->kind)->values;
    if (!(sensor->cutoff > 0.0) || values == TS_SENSOR_EXACT) return;
    for (int i = 0; i < sensor->size; ++i) {
        int below = values == TS_SENSOR_REAL && value[i] <= -sensor->cutoff;
        if (!below && value[i] < sensor->cutoff) continue;
        memset(by_q + i * nv, 0, (size_t)nv * sizeof(double));
        memset(by_v + i * nv, 0, (size_t)nv * sizeof(double));
    }
}

static ts_code check_state(const ts_sim* sim, int index, ts_status* out_status) {
    if (index < 0 || index >= sim->model->sensor_count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "sensor %d: the model has %d", index,
                             sim->model->sensor_count);
    const ts_sensor_kind* kind = ts_sensor_kind_at(sim->model->sensor[index].kind);
    if (!is_of_step(kind)) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "sensor '%.60s' (%s) shows what a step does, and goes by more than the state",
                         sim->model->sensor[index].name, kind->name);
}

ts_code ts_sensor_slopes(ts_sim* sim, int index, ts_arena* scratch, double* by_q, double* by_v,
                         ts_step_column_verdict* out_verdict, ts_status* out_status) {
    ts_code code = check_state(sim, index, out_status);
    if (code) return code;
    const ts_sensor* sensor = &sim->model->sensor[index];
    const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
    size_t bytes = (size_t)sensor->size * (size_t)sim->model->nv * sizeof(double);
    ts_sim_update_kinematics(sim);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* value = TS_ARENA_ARRAY(scratch, double, sensor->size);
    memset(by_q, 0, bytes);
    memset(by_v, 0, bytes);
    ts_sensor_slope by = {by_q, by_v};
    *out_verdict = TS_COLUMN_EXACT;
    int fine = value && kind->slope && kind->slope(sim, sensor, scratch, &by);
    if (value && !fine && !scratch->failed) fine = difference_slopes(sim, sensor, scratch, by_q, by_v, out_verdict);
    if (fine) {
        show(sim, sensor, value);
        hold(sensor, value, sim->model->nv, by_q, by_v);
    }
    ts_arena_scope_end(scratch, scope);
    return fine ? ts_status_ok(out_status) : no_memory(out_status);
}

ts_code ts_sensor_by_input(ts_sim* sim, int index, ts_step_input_kind kind, int input, ts_arena* scratch, double* out,
                           ts_status* out_status) {
    ts_code code = check_state(sim, index, out_status);
    if (code) return code;
    const ts_sensor* sensor = &sim->model->sensor[index];
    memset(out, 0, (size_t)sensor->size * sizeof(double));
    if (kind != TS_STEP_BY_MASS && kind != TS_STEP_BY_INERTIA && kind != TS_STEP_BY_GRAVITY)
        return ts_status_ok(out_status);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_step_saved saved;
    double* room = TS_ARENA_ARRAY(scratch, double, 4 * sensor->size);
    int one_sided, enough = room && ts_step_saved_make(sim, scratch, &saved);
    if (enough) {
        // What is measured is linear in these, or as good as that.
        moved_input moved = {kind, input, 10.0 * ts_step_increment(sim, kind, input, &one_sided)};
        ts_step_saved_note(sim, kind, input, &saved);
        (void)difference(sim, sensor, moved, &saved, room, out, 1);
        ts_sim_update_kinematics(sim);
    }
    ts_arena_scope_end(scratch, scope);
    return enough ? ts_status_ok(out_status) : no_memory(out_status);
}

// --- after a step ---

// What is made.
typedef struct jacobian {
    ts_sim* sim;
    const ts_step_derivative_settings* settings;
    const ts_sensor_request* request;
    ts_arena* arena;
    ts_step_saved saved;
    int rows, columns;
    double* matrix;
    unsigned char* verdict;
    const double* step;      // (step_rows x columns)
    unsigned char* is_done;  // (rows) nonzero: by its equations, of a step
} jacobian;

// Adds S times the derivative of the step.
static ts_code add_slopes(jacobian* j, int sensor, int row, ts_status* out_status) {
    int nv = j->sim->model->nv, size = j->sim->model->sensor[sensor].size;
    double* by_q = TS_ARENA_ARRAY(j->arena, double, 2 * size * nv);
    ts_step_column_verdict verdict;
    if (!by_q) return no_memory(out_status);
    double* by_v = by_q + size * nv;
    ts_code code = ts_sensor_slopes(j->sim, sensor, j->arena, by_q, by_v, &verdict, out_status);
    for (int r = 0; !code && r < size; ++r) {
        double* to = j->matrix + (size_t)(row + r) * (size_t)j->columns;
        j->verdict[row + r] = (unsigned char)verdict;
        for (int d = 0; d < 2 * nv; ++d) {
            double slope = d < nv ? by_q[r * nv + d] : by_v[r * nv + d - nv];
            const double* line = j->step + (size_t)d * (size_t)j->columns;
            for (int c = 0; slope != 0.0 && c < j->columns; ++c) to[c] += slope * line[c];
        }
    }
    return code;
}

// What inputs do to a sensor beside moving the state.
static ts_code add_own(jacobian* j, int index, int row, ts_status* out_status) {
    const ts_sensor* sensor = &j->sim->model->sensor[index];
    double* own = TS_ARENA_ARRAY(j->arena, double, sensor->size);
    ts_code code = own ? TS_OK : no_memory(out_status);
    int column = 0, is_clock = strcmp(ts_sensor_kind_name(sensor->kind), "clock") == 0;
    for (int n = 0; n < j->request->input_count && !code; ++n)
        for (int i = 0; i < j->request->input[n].count && !code; ++i, ++column) {
            ts_step_input_kind kind = j->request->input[n].kind;
            double* to = j->matrix + (size_t)row * (size_t)j->columns + column;
            code = ts_sensor_by_input(j->sim, index, kind, j->request->input[n].first + i, j->arena, own, out_status);
            for (int r = 0; r < sensor->size && !code; ++r) to[(size_t)r * (size_t)j->columns] += own[r];
            if (is_clock && kind == TS_STEP_BY_TIME_STEP) *to += 1.0;
        }
    return code;
}

// Sensors of the state, where the step leads to.
static ts_code add_states(jacobian* j, ts_status* out_status) {
    ts_sim* sim = j->sim;
    const ts_model* model = sim->model;
    ts_step_saved before;
    double* qpos = TS_ARENA_ARRAY(j->arena, double, model->nq);
    double* act = TS_ARENA_ARRAY(j->arena, double, model->act_count);
    if (!qpos || !act || !ts_step_saved_make(sim, j->arena, &before) || !ts_integrate_end(sim, qpos, act) ||
        !ts_step_close_ties(sim, qpos))
        return no_memory(out_status);
    ts_step_saved_note(sim, TS_STEP_BY_POSITION, 0, &before);
    memcpy(sim->qpos, qpos, (size_t)model->nq * sizeof(double));
    memcpy(sim->qvel, ts_sim_storage_of(sim)->new_velocity, (size_t)model->nv * sizeof(double));
    if (model->act_count > 0) memcpy(sim->act, act, (size_t)model->act_count * sizeof(double));
    ts_code code = TS_OK;
    for (int s = 0, row = 0; s < j->request->sensor_count && !code; ++s) {
        const ts_sensor* sensor = &model->sensor[j->request->sensor[s]];
        if (!is_of_step(ts_sensor_kind_at(sensor->kind))) {
            code = add_slopes(j, j->request->sensor[s], row, out_status);
            if (!code) code = add_own(j, j->request->sensor[s], row, out_status);
        }
        row += sensor->size;
    }
    ts_step_saved_restore(sim, TS_STEP_BY_POSITION, 0, &before);
    ts_sim_update_kinematics(sim);
    return code;
}

// What all sensors of the step show in it.
static void show_step(const jacobian* j, double* out) {
    const ts_model* model = j->sim->model;
    for (int s = 0, row = 0; s < j->request->sensor_count; ++s) {
        const ts_sensor* sensor = &model->sensor[j->request->sensor[s]];
        const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
        if (kind->stands) kind->measure(j->sim, sensor, out + row);
        if (kind->time == TS_SENSOR_OF_STEP)
            memcpy(out + row, j->sim->sensor + sensor->first, (size_t)sensor->size * sizeof(double));
        row += sensor->size;
    }
}

// A column of sensors of the step; marks those rows as no good where blocks change.
static ts_code add_step_column(jacobian* j, ts_step_input_kind kind, int index, const ts_step_block_list* base,
                               double* room, double* to, const unsigned char* of_step, ts_status* out_status) {
    int one_sided = 0, same = 1, moved = 1;
    double e = ts_step_increment(j->sim, kind, index, &one_sided);
    const double at[3] = {one_sided ? 0.0 : -e, e, 2.0 * e};
    ts_step_saved_note(j->sim, kind, index, &j->saved);
    for (int k = 0; k < (one_sided ? 3 : 2); ++k) {
        ts_step_block_list now;
        moved = ts_step_input_move(j->sim, kind, index, at[k]);
        ts_code code = moved ? ts_sim_foresee(j->sim, out_status) : TS_OK;
        ts_arena_scope scope = ts_arena_scope_begin(j->arena);
        int listed = !moved || code || ts_step_list_blocks(j->sim, j->arena, &now);
        same = same && moved && !code && listed && ts_step_same_blocks(base, &now);
        ts_arena_scope_end(j->arena, scope);
        if (!code && moved) show_step(j, room + k * j->rows);
        ts_step_saved_restore(j->sim, kind, index, &j->saved);
        if (code || !listed) return code ? code : no_memory(out_status);
    }
    for (int r = 0; r < j->rows; ++r) {
        if (!of_step[r]) continue;
        double near = room[j->rows + r] - room[r], far = one_sided ? room[2 * j->rows + r] - room[r] : 0.0;
        if (moved) to[(size_t)r * (size_t)j->columns] = one_sided ? (2.0 * near - 0.5 * far) / e : 0.5 * near / e;
        if (!same) j->verdict[r] = TS_COLUMN_USELESS;
    }
    return TS_OK;
}

static ts_code add_steps(jacobian* j, ts_status* out_status) {
    const ts_model* model = j->sim->model;
    unsigned char* of_step = (unsigned char*)ts_arena_alloc_zeroed(j->arena, (size_t)j->rows, 1);
    double* room = (double*)ts_arena_alloc_zeroed(j->arena, 3 * (size_t)j->rows, sizeof(double));
    ts_step_block_list base;
    ts_step_strict strict;
    int any = 0;
    if (!of_step || !room) return no_memory(out_status);
    for (int s = 0, row = 0; s < j->request->sensor_count; ++s) {
        const ts_sensor* sensor = &model->sensor[j->request->sensor[s]];
        int is_it = is_of_step(ts_sensor_kind_at(sensor->kind)) && !j->is_done[row];
        for (int r = 0; r < sensor->size; ++r, ++row) {
            of_step[row] = (unsigned char)is_it;
            if (is_it) j->verdict[row] = TS_COLUMN_DIFFERENCE;
        }
        any = any || is_it;
    }
    if (!any) return TS_OK;
    ts_step_strict_begin(j->sim, 1e-15, &strict);
    ts_code code = ts_sim_foresee(j->sim, out_status);
    if (!code && !ts_step_list_blocks(j->sim, j->arena, &base)) code = no_memory(out_status);
    if (!code && !ts_step_saved_make(j->sim, j->arena, &j->saved)) code = no_memory(out_status);
    int column = 0;
    for (int n = 0; n < j->request->input_count && !code; ++n)
        for (int i = 0; i < j->request->input[n].count && !code; ++i, ++column)
            code = add_step_column(j, j->request->input[n].kind, j->request->input[n].first + i, &base, room,
                                   j->matrix + column, of_step, out_status);
    ts_step_strict_end(j->sim, &strict);
    return code;
}

static ts_code check(const ts_model* model, const ts_sensor_request* request, int* out_rows, ts_status* out_status) {
    *out_rows = 0;
    for (int s = 0; s < request->sensor_count; ++s) {
        int i = request->sensor[s];
        if (i < 0 || i >= model->sensor_count)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "sensor %d: the model has %d", i,
                                 model->sensor_count);
        *out_rows += model->sensor[i].size;
    }
    return TS_OK;
}

ts_code ts_sensor_jacobian_make(ts_sim* sim, const ts_step_derivative_settings* settings,
                                const ts_sensor_request* request, ts_arena* arena, ts_sensor_jacobian* out,
                                ts_status* out_status) {
    jacobian j = {.sim = sim, .settings = settings, .request = request, .arena = arena};
    ts_step_derivative step;
    memset(out, 0, sizeof *out);
    ts_code code = check(sim->model, request, &j.rows, out_status);
    if (!code)
        code = ts_step_derivative_make(sim, settings, request->input, request->input_count, arena, &step, out_status);
    if (code) return code;
    j.columns = step.columns;
    j.matrix = (double*)ts_arena_alloc_zeroed(arena, (size_t)j.rows * (size_t)j.columns, sizeof(double));
    j.verdict = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)j.rows, 1);
    j.is_done = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)j.rows, 1);
    double* of_step = TS_ARENA_ARRAY(arena, double, (size_t)step.rows*(size_t)step.columns);
    if (!j.matrix || !j.verdict || !j.is_done || !of_step) return no_memory(out_status);
    code = ts_step_derivative_matrix(&step, arena, of_step);
    j.step = of_step;
    const ts_sensor_step_rows done = {j.rows, j.matrix, j.is_done};
    if (!code && step.method == TS_STEP_IMPLICIT)
        code = ts_sensor_step_find(sim, &step, of_step, request, arena, &done);
    if (code) return no_memory(out_status);
    code = add_states(&j, out_status);
    if (!code) code = add_steps(&j, out_status);
    if (!code) code = ts_sim_foresee(sim, out_status);
    if (code) return code;
    *out = (ts_sensor_jacobian){j.rows, j.columns, j.matrix, j.verdict, step.report};
    return ts_status_ok(out_status);
}
