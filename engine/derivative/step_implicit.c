// The derivative of a step by its equations (step_implicit_internal.h).
//
// Problem: M_hat (v+ - v_f) = J^T lambda with lambda of the contact law, q+ = q (+) h v+ . Rule: differentiate at frozen impulses, the law by its
// implicit derivative, and put both together.
// Source: the structure of docs/contact.md, as of Le Lidec et al. (2021) for contacts; derived here for all rows.
// Guaranteed: forward and backward are transposes of each other to rounding. Refuses where a mode changes, where the contact problem was not solved, or where its
// law has no derivative here.
#include "engine/derivative/step_implicit_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/step/certify.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/step.h"

// --- applied ---

static const ts_step_implicit* implicit_of(const ts_step_derivative* derivative) {
    return (const ts_step_implicit*)(const void*)derivative->parts;
}

// z <- L^-T z, or back.
static void whiten(const ts_step_implicit* p, double* z) {
    for (int t = 0; t < p->model->tree_count; ++t) {
        int first = p->model->tree[t].dof_first;
        ts_tree_factor_whiten(p->model, t, p->L + p->mass_start[t], p->inverse + first, 1, z + first);
    }
}

static void unwhiten(const ts_step_implicit* p, double* z) {
    for (int t = 0; t < p->model->tree_count; ++t) {
        int first = p->model->tree[t].dof_first;
        ts_tree_factor_unwhiten(p->model, t, p->L + p->mass_start[t], p->inverse + first, 1, z + first);
    }
}

// y += J' z
static void add_rows(const ts_step_implicit* p, const double* z, double* y) {
    for (int s = 0; s < p->segment_count; ++s) {
        const ts_step_segment* g = &p->segment[s];
        for (int r = 0; r < g->rows; ++r) {
            double sum = 0.0;
            for (int i = 0; i < g->count; ++i) sum += g->J[r * g->count + i] * z[g->column + i];
            y[g->row + r] += sum;
        }
    }
}

// z += J'^T y
static void add_rows_transposed(const ts_step_implicit* p, const double* y, double* z) {
    for (int s = 0; s < p->segment_count; ++s) {
        const ts_step_segment* g = &p->segment[s];
        for (int r = 0; r < g->rows; ++r)
            for (int i = 0; i < g->count; ++i) z[g->column + i] += g->J[r * g->count + i] * y[g->row + r];
    }
}

// dq += K dv, or with `back` dv += K^T dq.
static void add_motion(const ts_step_implicit* p, const double* from, int back, double* to) {
    for (int j = 0; j < p->model->joint_count; ++j) {
        const ts_joint* joint = &p->model->joint[j];
        const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
        if (p->coasts[p->model->dof[joint->dof_first].tree]) continue;
        for (int i = 0; i < traits->numbers; ++i) to[joint->dof_first + i] += p->time_step * from[joint->dof_first + i];
        if (!traits->quaternion) continue;
        const double* K = p->turn_by_velocity + 9 * j;
        int first = joint->dof_first + traits->numbers;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                if (back)
                    to[first + c] += K[3 * r + c] * from[first + r];
                else
                    to[first + r] += K[3 * r + c] * from[first + c];
            }
    }
}

// Room of an application.
typedef struct workplace {
    double* z;        // (nv)
    double* du;       // (row_count)
    double* dlambda;  // (row_count)
    double* dmu;      // (block_count)
    double* column;   // (frozen.size) sum of columns at frozen impulses, or what multiplies them
} workplace;

static int take_workplace(const ts_step_implicit* p, ts_arena* scratch, workplace* out) {
    out->z = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->model->nv, sizeof(double));
    out->du = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->row_count, sizeof(double));
    out->dlambda = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->row_count, sizeof(double));
    out->dmu = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->block_count, sizeof(double));
    out->column = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->frozen.size, sizeof(double));
    return out->z && out->du && out->dlambda && out->dmu && out->column;
}

// From what is known at frozen impulses to the result.
static ts_code finish_forward(const ts_step_implicit* p, workplace* w, ts_arena* scratch, double* out_mismatch,
                              double* out_dy) {
    const ts_step_frozen* part = &p->frozen;
    int nv = p->model->nv, act = p->model->act_count;
    double *position = out_dy, *velocity = out_dy + nv;
    for (int i = 0; i < p->row_count; ++i) w->du[i] += w->column[part->row + i];
    for (int b = 0; b < p->block_count; ++b) w->dmu[b] += w->column[part->friction + b];
    if (p->has_contact) {
        ts_code code = ts_contact_derivative_forward(&p->contact, w->du, w->dmu, scratch, w->dlambda, out_mismatch);
        if (code) return code;
        add_rows_transposed(p, w->dlambda, w->z);
    }
    unwhiten(p, w->z);
    memcpy(position, w->column + part->position, (size_t)nv * sizeof(double));
    add_motion(p, w->z, 0, position);
    for (int i = 0; i < nv; ++i) velocity[i] = w->column[part->velocity + i] + w->z[i];
    for (int i = 0; i < act; ++i) out_dy[2 * nv + i] = w->column[part->activation + i];
    return TS_OK;
}

// Adds x times column c, where it is known at frozen impulses.
static void add_column(const ts_step_implicit* p, int c, double x, double* sum) {
    if (p->frozen_column[c] < 0 || x == 0.0) return;
    const double* column = p->numbers + (size_t)p->frozen_column[c] * (size_t)p->frozen.size;
    for (int i = 0; i < p->frozen.size; ++i) sum[i] += x * column[i];
}

static ts_code forward(const ts_step_derivative* derivative, const double* dx, ts_arena* scratch, double* out_dy) {
    const ts_step_implicit* p = implicit_of(derivative);
    workplace w;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_code code = take_workplace(p, scratch, &w) ? TS_OK : TS_ERROR_MEMORY;
    for (int c = 0; !code && c < derivative->columns; ++c) add_column(p, c, dx[c], w.column);
    if (!code) code = finish_forward(p, &w, scratch, NULL, out_dy);
    ts_arena_scope_end(scratch, scope);
    return code;
}

static ts_code reverse(const ts_step_derivative* derivative, const double* y_bar, ts_arena* scratch,
                       double* out_x_bar) {
    const ts_step_implicit* p = implicit_of(derivative);
    const ts_step_frozen* part = &p->frozen;
    int nv = p->model->nv, act = p->model->act_count;
    workplace w;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_code code = take_workplace(p, scratch, &w) ? TS_OK : TS_ERROR_MEMORY;
    if (!code) {
        memcpy(w.z, y_bar + nv, (size_t)nv * sizeof(double));
        add_motion(p, y_bar, 1, w.z);
        memcpy(w.column + part->position, y_bar, (size_t)nv * sizeof(double));
        memcpy(w.column + part->velocity, y_bar + nv, (size_t)nv * sizeof(double));
        memcpy(w.column + part->activation, y_bar + 2 * nv, (size_t)act * sizeof(double));
        whiten(p, w.z);
        if (p->has_contact) {
            add_rows(p, w.z, w.dlambda);
            code = ts_contact_derivative_reverse(&p->contact, w.dlambda, scratch, w.du, w.dmu, NULL);
        }
        memcpy(w.column + part->row, w.du, (size_t)p->row_count * sizeof(double));
        memcpy(w.column + part->friction, w.dmu, (size_t)p->block_count * sizeof(double));
    }
    for (int c = 0; !code && c < derivative->columns; ++c) {
        if (p->frozen_column[c] < 0) continue;
        const double* column = p->numbers + (size_t)p->frozen_column[c] * (size_t)p->frozen.size;
        double sum = 0.0;
        for (int i = 0; i < p->frozen.size; ++i) sum += column[i] * w.column[i];
        out_x_bar[c] = sum;
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}

static ts_code as_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix) {
    size_t columns = (size_t)derivative->columns, rows = (size_t)derivative->rows;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* x = (double*)ts_arena_alloc_zeroed(scratch, columns, sizeof(double));
    double* y = TS_ARENA_ARRAY(scratch, double, rows);
    ts_code code = x && y ? TS_OK : TS_ERROR_MEMORY;
    for (size_t c = 0; !code && c < columns; ++c) {
        x[c] = 1.0;
        code = forward(derivative, x, scratch, y);
        x[c] = 0.0;
        for (size_t r = 0; !code && r < rows; ++r) out_matrix[r * columns + c] = y[r];
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}

const ts_step_operator ts_step_implicit_operator = {forward, reverse, as_matrix};

// --- made ---

static int copy_rows(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    p->segment_count = sim->problem.block_count > 0 ? plan->segment_count : 0;
    ts_step_segment* segment = TS_ARENA_ARRAY(arena, ts_step_segment, p->segment_count);
    double* data = TS_ARENA_ARRAY(arena, double, plan->number_count);
    if (!segment || !data) return 0;
    p->segment = segment;
    for (int b = 0; p->segment_count > 0 && b < plan->block_count; ++b)
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* from = &plan->segment[s];
            size_t size = (size_t)plan->block[b].rows * (size_t)from->count;
            memcpy(data, from->J, size * sizeof(double));
            segment[s] = (ts_step_segment){plan->block_row[b], plan->block[b].rows, from->column, from->count, data};
            data += size;
        }
    return 1;
}

static int copy_factor(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_model* model = sim->model;
    size_t size = (size_t)sim->mass_start[model->tree_count], nv = (size_t)model->nv;
    double* L = TS_ARENA_ARRAY(arena, double, size);
    double* inverse = TS_ARENA_ARRAY(arena, double, nv);
    if (!L || !inverse) return 0;
    memcpy(L, sim->mass_factor, size * sizeof(double));
    memcpy(inverse, ts_sim_storage_of(sim)->inverse_diagonal, nv * sizeof(double));
    p->mass_start = sim->mass_start;
    p->L = L;
    p->inverse = inverse;
    return 1;
}

// d log(exp(x)^-1 exp(x + dx)) / dx = 1 - (1 - cos t) / t^2 X + (t - sin t) / t^3 X^2.
static ts_mat3 turn_slope(ts_vec3 x) {
    double square = ts_vec3_norm_squared(x), t = sqrt(square);
    double a = t > 1e-2 ? (1.0 - cos(t)) / square : 0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0));
    double b = t > 1e-2 ? (t - sin(t)) / (square * t)
                        : 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0));
    ts_mat3 X = ts_mat3_skew(x), one = ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0));
    return ts_mat3_add(ts_mat3_sub(one, ts_mat3_scale(a, X)), ts_mat3_scale(b, ts_mat3_mul(X, X)));
}

// How positions answer to the velocities that move them.
static int find_motion(const ts_sim* sim, ts_arena* arena, ts_step_implicit* p) {
    const ts_model* model = sim->model;
    const double* velocity = ts_sim_storage_of(sim)->new_velocity;
    int* coasts = TS_ARENA_ARRAY(arena, int, model->tree_count);
    double* slope = TS_ARENA_ARRAY(arena, double, 9 * model->joint_count);
    if (!coasts || !slope) return 0;
    for (int t = 0; t < model->tree_count; ++t) coasts[t] = sim->integrator->coast != NULL;
    for (int s = 0; s < p->segment_count; ++s) coasts[model->dof[p->segment[s].column].tree] = 0;
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        if (!traits->quaternion) continue;
        ts_vec3 omega = ts_vec3_load(velocity + model->joint[j].dof_first + traits->numbers);
        ts_mat3 K = ts_mat3_scale(p->time_step, turn_slope(ts_vec3_scale(p->time_step, omega)));
        for (int i = 0; i < 9; ++i) slope[9 * j + i] = K.m[i / 3][i % 3];
    }
    p->coasts = coasts;
    p->turn_by_velocity = slope;
    return 1;
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
}

// Notes why there is no derivative.
static ts_code refuse(ts_step_report* report, ts_code code, ts_step_verdict verdict, const char* reason,
                      ts_status* out_status) {
    report->verdict = verdict;
    snprintf(report->reason, sizeof report->reason, "%.190s", reason);
    return ts_status_set(out_status, code, NULL, 0, "%s", reason);
}

// 1: how far the answer of a solve may be from its law, in what it leaves open itself, and what is no direction.
static const double slack = 10.0, rank = 1e-10;

// 1: share of a contact problem that may stay unmet for its answer to be differentiated.
static const double most_unmet = 1e-7;

static double largest_of(const double* x, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static ts_code differentiate_law(const ts_sim* sim, const ts_contact_problem* own, ts_arena* arena, ts_step_implicit* p,
                                 ts_step_report* report, ts_status* out_status) {
    char text[sizeof report->reason], whose[120];
    if (sim->info.held_back > 0 || !(sim->info.unmet <= most_unmet))
        return refuse(report, TS_ERROR_UNSUPPORTED, TS_STEP_UNSUPPORTED, "the contact problem was not solved",
                      out_status);
    double share = fmax(sim->info.unmet, 1e-12) * slack,
           speed = fmax(largest_of(own->g, own->row_count), own->rest_speed);
    ts_contact_derivative_tolerance tolerance = {share * largest_of(sim->impulse, own->row_count), share * speed, rank};
    ts_status status;
    ts_code code =
        ts_contact_derivative_make(own, sim->solver->law, sim->impulse, &tolerance, arena, &p->contact, &status);
    report->unknowns = p->contact.unknowns;
    report->rank = p->contact.rank;
    if (!code) return TS_OK;
    if (code == TS_ERROR_MEMORY) return no_memory(out_status);
    if (p->contact.refused < 0) return refuse(report, code, TS_STEP_UNSUPPORTED, status.message, out_status);
    ts_certify_describe(sim, p->contact.refused, whose, sizeof whose);
    snprintf(text, sizeof text, "%.110s: %.70s", whose, status.message);
    return refuse(report, code, code == TS_ERROR_NUMERIC ? TS_STEP_ONE_SIDED : TS_STEP_UNSUPPORTED, text, out_status);
}

// Something that is no more in the way of one thing than of another.
static double any_number(int i) { return sin(1.0 + 1.7 * i) + 0.3 * cos(2.3 * i); }

// Where contacts are hyperstatic, asks once whether velocities notice (J'^T of what impulses are free to do; contact/derivative/derivative.c says when), and once
// whether bodies can follow where the inputs move the contacts.
static ts_code probe_rank(const ts_step_implicit* p, int columns, ts_arena* arena, ts_step_report* report) {
    workplace w;
    double open = 0.0, missed = 0.0;
    if (!p->has_contact || report->rank == report->unknowns) return TS_OK;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* y = TS_ARENA_ARRAY(arena, double, 2 * p->model->nv + p->model->act_count);
    ts_code code = y && take_workplace(p, arena, &w) ? TS_OK : TS_ERROR_MEMORY;
    if (!code) {
        for (int i = 0; i < p->model->nv; ++i) w.z[i] = any_number(i);
        add_rows(p, w.z, w.dlambda);
        code = ts_contact_derivative_reverse(&p->contact, w.dlambda, arena, w.du, w.dmu, &open);
    }
    if (!code) {
        memset(w.z, 0, (size_t)p->model->nv * sizeof(double));
        memset(w.du, 0, (size_t)p->row_count * sizeof(double));
        memset(w.dmu, 0, (size_t)p->block_count * sizeof(double));
        for (int c = 0; c < columns; ++c) add_column(p, c, any_number(c), w.column);
        code = finish_forward(p, &w, arena, &missed, y);
    }
    report->mismatch = fmax(open, missed);
    ts_arena_scope_end(arena, scope);
    return code;
}

static void place_parts(ts_step_implicit* p) {
    ts_step_frozen* part = &p->frozen;
    part->velocity = 0;
    part->position = p->model->nv;
    part->activation = 2 * p->model->nv;
    part->row = part->activation + p->model->act_count;
    part->friction = part->row + p->row_count;
    part->size = part->friction + p->block_count;
}

// All columns that are to be found at frozen impulses.
static ts_code find_frozen(const ts_step_task* task, ts_step_implicit* p, int columns, ts_step_report* report,
                           ts_status* out_status) {
    int count = 0, at = 0;
    int* place = TS_ARENA_ARRAY(task->arena, int, columns);
    ts_step_column* column = TS_ARENA_ARRAY(task->arena, ts_step_column, columns);
    if (!place || !column) return no_memory(out_status);
    for (int n = 0; n < task->input_count; ++n)
        for (int i = 0; i < task->input[n].count; ++i, ++at) {
            place[at] = count;
            column[count++] = (ts_step_column){task->input[n].kind, task->input[n].first + i};
        }
    double* numbers = TS_ARENA_ARRAY(task->arena, double, (size_t)count*(size_t)p->frozen.size);
    if (!numbers) return no_memory(out_status);
    p->frozen_column = place;
    p->numbers = numbers;
    if (count == 0) return TS_OK;
    report->differenced |= TS_PART_INPUTS;
    ts_code code = ts_step_frozen_find(task, p, column, count, numbers, report, out_status);
    return code ? code : ts_sim_foresee(task->sim, out_status);
}

ts_code ts_step_implicit_make(const ts_step_task* task, const ts_contact_problem* own, ts_step_derivative* out,
                              ts_status* out_status) {
    ts_sim* sim = task->sim;
    ts_arena* arena = task->arena;
    ts_step_implicit* p = (ts_step_implicit*)ts_arena_alloc_zeroed(arena, 1, sizeof *p);
    if (!p) return no_memory(out_status);
    p->shared.ops = &ts_step_implicit_operator;
    p->model = sim->model;
    p->time_step = sim->options.time_step;
    p->row_count = own->row_count;
    p->block_count = own->block_count;
    p->has_contact = own->row_count > 0;
    place_parts(p);
    if (!copy_rows(sim, arena, p) || !copy_factor(sim, arena, p) || !find_motion(sim, arena, p))
        return no_memory(out_status);
    ts_code code = TS_OK;
    if (p->has_contact) code = differentiate_law(sim, own, arena, p, &out->report, out_status);
    if (!code) code = find_frozen(task, p, out->columns, &out->report, out_status);
    if (!code && probe_rank(p, out->columns, arena, &out->report)) return no_memory(out_status);
    if (code) return code;
    out->parts = &p->shared;
    return TS_OK;
}
