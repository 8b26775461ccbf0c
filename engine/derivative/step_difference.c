// The reference: central differences of the whole step.
//
// Every input is moved up and down, the step is made again as far as the new velocity, from the same memory, with a solver that is asked for
// all it can give, and where it would end is compared in tangent space. Nothing is known of what is inside. Three-point differences on one
// side where an input must not go below zero.
// Known failure: where a contact comes, goes, changes its feature or its mode between the two ends, the difference is the mean of two
// derivatives; where the law has several answers an end may be beside another one than the base. The report counts such columns.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/derivative/step_derivative_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/step.h"

// 1: of the largest velocity, or of 1 m/s: what is left alone between a base and the mean of two ends.
static const double roundings = 1e-8;

// Where a step ends.
typedef struct end_state {
    double* qpos;      // (nq)
    double* velocity;  // (nv)
    double* act;       // (act_count)
} end_state;

typedef struct difference {
    ts_step_task task;
    ts_step_saved saved;
    ts_step_block_list base;
    double* base_velocity;  // (nv) after the step
    ts_step_report* report;
    end_state at[3];
    int doubtful;     // nonzero: contacts hardly feel some of their load
    double* tangent;  // (nv) scratch
    double* matrix;   // columns x rows: column by column
    int rows;
} difference;

// The derivative: its matrix.
typedef struct difference_parts {
    ts_step_derivative_parts shared;
    double* matrix;
} difference_parts;

int ts_step_list_blocks(const ts_sim* sim, ts_arena* arena, ts_step_block_list* out) {
    double* u = NULL;
    ts_contact_problem own;
    int count = out->count = sim->problem.block_count;
    out->key = TS_ARENA_ARRAY(arena, ts_row_key, count);
    out->source = TS_ARENA_ARRAY(arena, int, count);
    out->blocked = TS_ARENA_ARRAY(arena, int, count);
    out->mode = TS_ARENA_ARRAY(arena, int, count);
    if (!out->key || !out->source || !out->blocked || !out->mode || !ts_step_own_problem(sim, arena, &own, &u))
        return 0;
    for (int b = 0; b < count; ++b) {
        out->key[b] = sim->row_block[b].key;
        out->source[b] = sim->row_block[b].source;
        out->blocked[b] = sim->row_block[b].blocked;
    }
    ts_step_report_modes(sim, &own, u, out->mode);
    return 1;
}

int ts_step_same_blocks(const ts_step_block_list* a, const ts_step_block_list* b) {
    if (a->count != b->count) return 0;
    for (int i = 0; i < a->count; ++i)
        if (a->key[i].whole != b->key[i].whole || a->key[i].part != b->key[i].part || a->source[i] != b->source[i] ||
            a->blocked[i] != b->blocked[i] || a->mode[i] != b->mode[i])
            return 0;
    return 1;
}

// Where contacts hardly feel some of their load, takes out what the solve of the step that stands has left open of it. Returns -1 when memory is short, else whether
// they are such.
static int settle(const ts_step_task* task) {
    ts_sim* sim = task->sim;
    ts_contact_problem own;
    ts_contact_derivative law;
    double* u = NULL;
    if (sim->problem.row_count == 0) return 0;
    if (!ts_step_own_problem(sim, task->arena, &own, &u)) return -1;
    ts_code code = ts_step_law_make(task, &own, &law, NULL);
    // Between two modes, or where it was not solved, it stays as it is.
    if (code || !ts_step_law_is_doubtful(&law)) return code == TS_ERROR_MEMORY ? -1 : 0;
    return ts_step_law_refine(task, &own, &law, 0.0) < 0 ? -1 : 1;
}

// The step from where the simulation is now; *io_changed becomes nonzero where its blocks are not those of the base.
static ts_code find_end(difference* d, const end_state* out, int* io_changed, ts_status* out_status) {
    ts_sim* sim = d->task.sim;
    ts_code code = ts_sim_foresee(sim, out_status);
    if (code) return code;
    ts_arena_scope scope = ts_arena_scope_begin(d->task.arena);
    ts_step_block_list now;
    int enough = (!d->doubtful || settle(&d->task) >= 0) && ts_step_list_blocks(sim, d->task.arena, &now);
    d->report->unmet = fmax(d->report->unmet, sim->info.unmet);
    if (enough && !ts_step_same_blocks(&d->base, &now)) *io_changed = 1;
    ts_arena_scope_end(d->task.arena, scope);
    if (!enough || !ts_integrate_end(sim, out->qpos, out->act) || !ts_step_close_ties(sim, out->qpos))
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    memcpy(out->velocity, ts_sim_storage_of(sim)->new_velocity, (size_t)sim->model->nv * sizeof(double));
    return TS_OK;
}

// Adds weight * (where `to` is from `from`), over e.
static void add_difference(const difference* d, const end_state* from, const end_state* to, double weight,
                           double* column) {
    const ts_model* model = d->task.sim->model;
    ts_integrate_difference(model, from->qpos, to->qpos, 1.0, d->tangent);
    for (int i = 0; i < model->nv; ++i) column[i] += weight * d->tangent[i];
    for (int i = 0; i < model->nv; ++i) column[model->nv + i] += weight * (to->velocity[i] - from->velocity[i]);
    for (int i = 0; i < model->act_count; ++i) column[2 * model->nv + i] += weight * (to->act[i] - from->act[i]);
}

// Whether an end is beside another answer than the base: the law may have several. Then the mean of both is off by a part of what they are apart, or by more;
// curvature makes less of that by as much as the increment is small.
static int is_another_answer(const difference* d) {
    double apart = 0.0, off = 0.0, largest = 0.0;
    for (int i = 0; i < d->task.sim->model->nv; ++i) {
        double low = d->at[0].velocity[i], high = d->at[1].velocity[i];
        apart = fmax(apart, fabs(high - low));
        off = fmax(off, fabs(0.5 * (low + high) - d->base_velocity[i]));
        largest = fmax(largest, fabs(d->base_velocity[i]));
    }
    return off > 0.1 * apart + roundings * fmax(largest, 1.0);
}

static ts_code find_column(difference* d, ts_step_input_kind kind, int index, double* column, int* out_changed,
                           ts_status* out_status) {
    ts_sim* sim = d->task.sim;
    int one_sided = 0, moved = 1;
    *out_changed = 0;
    double e = d->task.settings->increment * ts_step_increment(sim, kind, index, &one_sided);
    const double at[3] = {one_sided ? 0.0 : -1.0, 1.0, 2.0};
    ts_step_saved_note(sim, kind, index, &d->saved);
    for (int k = 0; k < (one_sided ? 3 : 2) && moved; ++k) {
        moved = ts_step_input_move(sim, kind, index, at[k] * e);
        ts_code code = moved ? find_end(d, &d->at[k], out_changed, out_status) : TS_OK;
        ts_step_saved_restore(sim, kind, index, &d->saved);
        if (code) return code;
    }
    if (!moved)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "input %s %d cannot be moved",
                             ts_step_input_name(kind), index);
    if (one_sided) {
        // (4 f(e) - f(2 e) - 3 f(0)) / (2 e)
        add_difference(d, &d->at[0], &d->at[1], 2.0 / e, column);
        add_difference(d, &d->at[0], &d->at[2], -0.5 / e, column);
    } else {
        add_difference(d, &d->at[0], &d->at[1], 0.5 / e, column);
        if (is_another_answer(d)) *out_changed = 1;
    }
    return TS_OK;
}

// Where the step ends from which others are moved.
static int note_base(difference* d) {
    ts_sim* sim = d->task.sim;
    if (!ts_integrate_end(sim, d->at[0].qpos, d->at[0].act)) return 0;
    memcpy(d->base_velocity, ts_sim_storage_of(sim)->new_velocity, (size_t)sim->model->nv * sizeof(double));
    return 1;
}

static int take_room(difference* d, int columns) {
    const ts_model* model = d->task.sim->model;
    ts_arena* arena = d->task.arena;
    int room = 1;
    for (int k = 0; k < 3; ++k) {
        d->at[k].qpos = TS_ARENA_ARRAY(arena, double, model->nq);
        d->at[k].velocity = TS_ARENA_ARRAY(arena, double, model->nv);
        d->at[k].act = TS_ARENA_ARRAY(arena, double, model->act_count);
        room = room && d->at[k].qpos && d->at[k].velocity && d->at[k].act;
    }
    d->tangent = TS_ARENA_ARRAY(arena, double, model->nv);
    d->base_velocity = TS_ARENA_ARRAY(arena, double, model->nv);
    d->matrix = (double*)ts_arena_alloc_zeroed(arena, (size_t)d->rows * (size_t)columns, sizeof(double));
    return room && d->tangent && d->base_velocity && d->matrix && ts_step_saved_make(d->task.sim, arena, &d->saved) &&
           ts_step_list_blocks(d->task.sim, arena, &d->base) && note_base(d);
}

static const double* matrix_of(const ts_step_derivative* derivative) {
    return ((const difference_parts*)(const void*)derivative->parts)->matrix;
}

static ts_code forward(const ts_step_derivative* derivative, const double* dx, ts_arena* scratch, double* out_dy) {
    const double* matrix = matrix_of(derivative);
    (void)scratch;
    memset(out_dy, 0, (size_t)derivative->rows * sizeof(double));
    for (int c = 0; c < derivative->columns; ++c)
        for (int r = 0; r < derivative->rows; ++r)
            out_dy[r] += matrix[(size_t)c * (size_t)derivative->rows + (size_t)r] * dx[c];
    return TS_OK;
}

static ts_code reverse(const ts_step_derivative* derivative, const double* y_bar, ts_arena* scratch,
                       double* out_x_bar) {
    const double* matrix = matrix_of(derivative);
    (void)scratch;
    for (int c = 0; c < derivative->columns; ++c) {
        double sum = 0.0;
        for (int r = 0; r < derivative->rows; ++r)
            sum += matrix[(size_t)c * (size_t)derivative->rows + (size_t)r] * y_bar[r];
        out_x_bar[c] = sum;
    }
    return TS_OK;
}

static ts_code as_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix) {
    const double* matrix = matrix_of(derivative);
    size_t rows = (size_t)derivative->rows, columns = (size_t)derivative->columns;
    (void)scratch;
    for (size_t c = 0; c < columns; ++c)
        for (size_t r = 0; r < rows; ++r) out_matrix[r * columns + c] = matrix[c * rows + r];
    return TS_OK;
}

static const ts_step_operator difference_operator = {forward, reverse, as_matrix};

ts_code ts_step_difference_make(const ts_step_task* task, ts_step_derivative* out, ts_status* out_status) {
    difference d = {.task = *task, .report = &out->report, .rows = out->rows};
    difference_parts* parts = TS_ARENA_ARRAY(task->arena, difference_parts, 1);
    d.doubtful = settle(task);
    if (!parts || d.doubtful < 0 || !take_room(&d, out->columns))
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    double* column = d.matrix;
    unsigned char* flag = (unsigned char*)ts_arena_alloc_zeroed(task->arena, (size_t)out->columns, 1);
    if (!flag) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    d.report->column_changed = flag;
    for (int n = 0; n < task->input_count; ++n) {
        const ts_step_input* input = &task->input[n];
        for (int i = input->first; i < input->first + input->count; ++i, column += d.rows) {
            int changed = 0;
            ts_code code = find_column(&d, input->kind, i, column, &changed, out_status);
            if (code) return code;
            d.report->changed += changed;
            flag[(column - d.matrix) / d.rows] = (unsigned char)changed;
        }
    }
    out->report.differenced |= TS_PART_STEP;
    unsigned char* verdict = TS_ARENA_ARRAY(task->arena, unsigned char, out->columns);
    if (!verdict) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    memset(verdict, TS_COLUMN_DIFFERENCE, (size_t)out->columns);
    ts_step_report_columns(task->sim, task->input, task->input_count, verdict, &out->report);
    if (d.report->changed > 0) {
        char text[sizeof d.report->reason];
        snprintf(text, sizeof text, "differences of %d of %d columns reach across a change of contacts",
                 d.report->changed, out->columns);
        ts_step_report_say(d.report, TS_STEP_NEAR_CHANGE, text);
    }
    parts->shared.ops = &difference_operator;
    parts->matrix = d.matrix;
    out->parts = &parts->shared;
    // The step that was differentiated is the one that is left.
    return ts_sim_foresee(task->sim, out_status);
}
