// What sensors show of a step, by equations: accelerations, forces between bodies, touch, forces of limits.
//
// Problem: y(x, v+, lambda) of the step's state and parameters x, its velocity v+ and its impulses lambda. Rule:
//     dy = Y_x dx + Y_v+ dv+ + Y_lambda dlambda,
// Y of each kind with the others held (engine/sensor/), dv+ and dlambda of the derivative of the step, which makes no difference of solves.
// Source: derived here. Guaranteed: as good as the derivative of the step. Known failure: where contacts are hyperstatic, a sum of impulses that bodies do not feel is left to differences, which
// have the answers that the solver chooses; so are kinds without slopes, and lone bodies that nothing touches under integrators that free them.
#include "engine/derivative/sensor_step_internal.h"

#include <math.h>
#include <string.h>

#include "engine/derivative/step_implicit_internal.h"
#include "engine/derivative/step_parameter_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/sensor/sensor_kind_internal.h"

// 1: part of a sum of impulses that may be asked of what bodies do not feel.
static const double most_open = 1e-9;

// A sensor that has slopes.
typedef struct found_sensor {
    int size;
    int row;
    ts_sensor_step_slope by;
} found_sensor;

// All of them, and the derivative that they go by.
typedef struct found_sensors {
    const ts_step_derivative* step;
    const double* by_step;  // its matrix
    const ts_step_implicit* p;
    found_sensor* sensor;
    int count;
    int impulses;  // nonzero: some of them ask for impulses
} found_sensors;

static int take_slope(const ts_sim* sim, int size, ts_arena* arena, ts_sensor_step_slope* out) {
    const ts_model* model = sim->model;
    size_t n = (size_t)size, nv = (size_t)model->nv, bodies = (size_t)model->body_count,
           actuators = (size_t)model->actuator_count;
    size_t rows = (size_t)sim->problem.row_count,
           line = 3 * nv + rows + 4 + actuators + (6 + TS_SENSOR_PARAMETERS) * bodies;
    double* room = (double*)ts_arena_alloc_zeroed(arena, n * line, sizeof(double));
    if (!room) return 0;
    out->q = room;
    out->v = out->q + n * nv;
    out->next = out->v + n * nv;
    out->impulse = out->next + n * nv;
    out->gravity = out->impulse + n * rows;
    out->time_step = out->gravity + 3 * n;
    out->control = out->time_step + n;
    out->wrench = out->control + n * actuators;
    out->inertia = out->wrench + 6 * n * bodies;
    return 1;
}

// Whether impulses that bodies do not feel have a say in it. Below zero: memory is short.
static int is_open(const ts_step_implicit* p, const found_sensor* s, ts_arena* scratch) {
    if (!p->has_contact || p->contact.rank == p->contact.unknowns) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* bar = TS_ARENA_ARRAY(scratch, double, p->row_count);
    int open = bar ? 0 : -1;
    for (int r = 0; r < s->size && open == 0; ++r) {
        double missed = 0.0;
        const double* asked = s->by.impulse + (size_t)r * (size_t)p->row_count;
        if (ts_contact_derivative_reverse(&p->contact, asked, scratch, bar, NULL, &missed))
            open = -1;
        else
            open = missed > most_open;
    }
    ts_arena_scope_end(scratch, scope);
    return open;
}

// What is held at a cutoff does not move.
static int is_held(ts_sim* sim, const ts_sensor* sensor, int r) {
    const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
    ts_sensor_values values = kind->values;
    double value = sim->sensor[sensor->first + r];
    // One number, of the step that stands.
    if (kind->stands) kind->measure(sim, sensor, &value);
    if (!(sensor->cutoff > 0.0) || values == TS_SENSOR_EXACT) return 0;
    return value >= sensor->cutoff || (values == TS_SENSOR_REAL && value <= -sensor->cutoff);
}

static double product(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// What a column does to number r of a sensor by itself.
static double own_of(const ts_model* model, const found_sensor* s, int r, ts_step_column c) {
    const ts_mat3 none = ts_mat3_zero();
    double mass[TS_SENSOR_PARAMETERS];
    const double* inertia = s->by.inertia + (size_t)r * (size_t)(TS_SENSOR_PARAMETERS * model->body_count);
    switch (c.kind) {
    case TS_STEP_BY_POSITION: return s->by.q[r * model->nv + c.index];
    case TS_STEP_BY_VELOCITY: return s->by.v[r * model->nv + c.index];
    case TS_STEP_BY_CONTROL: return s->by.control[r * model->actuator_count + c.index];
    case TS_STEP_BY_WRENCH: return s->by.wrench[r * 6 * model->body_count + c.index];
    case TS_STEP_BY_GRAVITY: return s->by.gravity[3 * r + c.index];
    case TS_STEP_BY_TIME_STEP: return s->by.time_step[r];
    case TS_STEP_BY_INERTIA: return inertia[c.index];
    case TS_STEP_BY_MASS:
        ts_derivative_parameters(1.0, model->body[c.index].centre, &none, mass);
        return product(TS_SENSOR_PARAMETERS, inertia + TS_SENSOR_PARAMETERS * c.index, mass);
    default: return 0.0;
    }
}

// Column c of the step goes into all sensors: from the matrix, or with impulses from the equations once more.
static ts_code add_column(const found_sensors* all, int c, ts_arena* scratch, double* matrix) {
    const ts_step_derivative* step = all->step;
    const ts_step_implicit* p = all->p;
    int nv = p->model->nv, rows = p->row_count;
    ts_step_workplace w;
    ts_code code = TS_OK;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* dy = TS_ARENA_ARRAY(scratch, double, step->rows);
    if (!dy || !ts_step_workplace_take(p, scratch, &w)) code = TS_ERROR_MEMORY;
    for (int d = 0; !code && d < step->rows; ++d) dy[d] = all->by_step[(size_t)d * (size_t)step->columns + (size_t)c];
    if (!code && all->impulses) {
        ts_step_add_input(p, c, 1.0, &w);
        code = ts_step_finish_forward(p, &w, scratch, NULL, dy);
    }
    for (int k = 0; !code && k < all->count; ++k)
        for (int r = 0; r < all->sensor[k].size; ++r) {
            const found_sensor* s = &all->sensor[k];
            double sum = own_of(p->model, s, r, p->column[c]) + product(nv, s->by.next + r * nv, dy + nv);
            if (all->impulses) sum += product(rows, s->by.impulse + r * rows, w.dlambda);
            matrix[(size_t)(s->row + r) * (size_t)step->columns + (size_t)c] = sum;
        }
    ts_arena_scope_end(scratch, scope);
    return code;
}

// Whether it goes by the velocity of a lone body that nothing touches and that the integrator turns by itself: what is shown is of before that.
static int is_early(const ts_sim* sim, const ts_step_implicit* p, const found_sensor* s) {
    int nv = sim->model->nv;
    for (int i = 0; i < s->size * nv; ++i) {
        int t = sim->model->dof[i % nv].tree;
        if (s->by.next[i] != 0.0 && ts_step_is_freed(sim, t) && p->coasts[t]) return 1;
    }
    return 0;
}

// All that have slopes. Returns 0 when memory is short.
static int list(ts_sim* sim, const ts_sensor_request* request, ts_arena* arena, found_sensors* all) {
    const ts_sensor_contact_motion* motion = NULL;
    int asked = 0;
    for (int i = 0, row = 0; i < request->sensor_count; ++i) {
        const ts_sensor* sensor = &sim->model->sensor[request->sensor[i]];
        const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
        found_sensor* s = &all->sensor[all->count];
        *s = (found_sensor){.size = sensor->size, .row = row};
        row += sensor->size;
        if (!kind->step_slope) continue;
        if (!asked && !ts_step_contact_motions_find(sim, arena, &motion)) return 0;
        asked = 1;
        if (!take_slope(sim, s->size, arena, &s->by)) return 0;
        s->by.contact = motion;
        int fine = kind->step_slope(sim, sensor, arena, &s->by) && !is_early(sim, all->p, s),
            open = fine ? is_open(all->p, s, arena) : 0;
        if (arena->failed || open < 0) return 0;
        if (!fine || open) continue;
        ++all->count;
        for (int k = 0; k < s->size * sim->problem.row_count; ++k)
            all->impulses = all->impulses || s->by.impulse[k] != 0.0;
    }
    return 1;
}

// Zeroes what is held, and says what is done.
static void close_rows(ts_sim* sim, const found_sensors* all, const ts_sensor_request* request,
                       const ts_sensor_step_rows* out) {
    for (int i = 0, row = 0, k = 0; i < request->sensor_count && k < all->count; ++i) {
        const ts_sensor* of = &sim->model->sensor[request->sensor[i]];
        int found = all->sensor[k].row == row;
        for (int r = 0; found && r < of->size; ++r) {
            size_t columns = (size_t)all->step->columns;
            out->is_done[row + r] = 1;
            if (is_held(sim, of, r)) memset(out->matrix + (size_t)(row + r) * columns, 0, columns * sizeof(double));
        }
        k += found;
        row += of->size;
    }
}

ts_code ts_sensor_step_find(ts_sim* sim, const ts_step_derivative* step, const double* by_step,
                            const ts_sensor_request* request, ts_arena* arena, const ts_sensor_step_rows* out) {
    found_sensors all = {.step = step, .by_step = by_step, .p = (const ts_step_implicit*)(const void*)step->parts};
    all.sensor = TS_ARENA_ARRAY(arena, found_sensor, request->sensor_count + 1);
    if (!all.sensor || !list(sim, request, arena, &all)) return TS_ERROR_MEMORY;
    ts_code code = TS_OK;
    for (int c = 0; all.count > 0 && c < step->columns && !code; ++c) code = add_column(&all, c, arena, out->matrix);
    close_rows(sim, &all, request, out);
    return code;
}
