// The derivative of a step applied, forward and backward (step_implicit_internal.h says what is what).
#include <string.h>

#include "base/linear/dense.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"

static const ts_step_implicit* implicit_of(const ts_step_derivative* derivative) {
    return (const ts_step_implicit*)(const void*)derivative->parts;
}

int ts_step_workplace_take(const ts_step_implicit* p, ts_arena* scratch, ts_step_workplace* out) {
    size_t nv = (size_t)p->model->nv, rows = (size_t)p->row_count, blocks = (size_t)p->block_count;
    size_t total = 5 * nv + 4 * rows + blocks + (size_t)p->frozen.size;
    double* numbers = (double*)ts_arena_alloc_zeroed(scratch, total, sizeof(double));
    if (!numbers) return 0;
    out->z = numbers;
    for (int k = 0; k < 3; ++k) out->input[k] = numbers + (size_t)(1 + k) * nv;
    out->position = numbers + 4 * nv;
    out->du = out->position + nv;
    out->dlambda = out->du + rows;
    out->left = out->dlambda + rows;
    out->change = out->left + rows;
    out->dmu = out->change + rows;
    out->column = out->dmu + blocks;
    return 1;
}

// --- linear maps, and their transposes ---

void ts_step_whiten(const ts_step_implicit* p, double* z) {
    for (int t = 0; t < p->model->tree_count; ++t) {
        int first = p->model->tree[t].dof_first;
        ts_tree_factor_whiten(p->model, t, p->L + p->mass_start[t], p->inverse + first, 1, z + first);
    }
}

void ts_step_unwhiten(const ts_step_implicit* p, double* z) {
    for (int t = 0; t < p->model->tree_count; ++t) {
        int first = p->model->tree[t].dof_first;
        ts_tree_factor_unwhiten(p->model, t, p->L + p->mass_start[t], p->inverse + first, 1, z + first);
    }
}

void ts_step_add_rows(const ts_step_implicit* p, const double* z, double* y) {
    for (int s = 0; s < p->rows.count; ++s) {
        const ts_contact_run* g = &p->rows.run[s];
        for (int r = 0; r < g->rows; ++r) {
            double sum = 0.0;
            for (int i = 0; i < g->count; ++i) sum += g->J[r * g->count + i] * z[g->column + i];
            y[g->row + r] += sum;
        }
    }
}

// z += J'^T y
static void add_rows_transposed(const ts_step_implicit* p, const double* y, double* z) {
    for (int s = 0; s < p->rows.count; ++s) {
        const ts_contact_run* g = &p->rows.run[s];
        for (int r = 0; r < g->rows; ++r)
            for (int i = 0; i < g->count; ++i) z[g->column + i] += g->J[r * g->count + i] * y[g->row + r];
    }
}

// y += A x, or y += A^T x with `back`; A is `rows` x `columns`, rows `ld` apart.
static void add_product(const double* A, int rows, int columns, int ld, int back, const double* x, double* y) {
    if (back) {
        ts_lines_add(columns, rows, 1.0, x, 1, A, ld, y);
        return;
    }
    for (int r = 0; r < rows; ++r) {
        const double* row = A + (size_t)r * (size_t)ld;
        double sum = 0.0;
        for (int c = 0; c < columns; ++c) sum += row[c] * x[c];
        y[r] += sum;
    }
}

// Positions by what moves them: `by_velocity`: dq += K dv, else dq += T dq. With `back` transposed.
static void add_motion(const ts_step_implicit* p, int by_velocity, int back, const double* from, double* to) {
    double plain = by_velocity ? p->time_step : 1.0;
    for (int j = 0; j < p->model->joint_count; ++j) {
        const ts_joint* joint = &p->model->joint[j];
        const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
        if (p->coasts[p->model->dof[joint->dof_first].tree]) continue;
        for (int i = 0; i < traits->numbers; ++i) to[joint->dof_first + i] += plain * from[joint->dof_first + i];
        int first = joint->dof_first + traits->numbers;
        const double* turn = (by_velocity ? p->turn_by_velocity : p->turned) + 9 * j;
        if (traits->quaternion) add_product(turn, 3, 3, 3, back, from + first, to + first);
    }
}

// Impulses of trees and blocks by positions, velocities and forces, or back.
static void add_impulses(const ts_step_implicit* p, int back, double* const input[3], double* z) {
    for (int t = 0; t < p->model->tree_count; ++t) {
        const ts_step_tree_slope* tree = &p->tree[t];
        int first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count;
        const double* by[3] = {tree->by_q, tree->by_v, tree->by_force};
        for (int k = 0; k < 3; ++k)
            if (by[k]) add_product(by[k], n, n, n, back, (back ? z : input[k]) + first, (back ? input[k] : z) + first);
        if (tree->by_force || !tree->plain) continue;
        for (int d = first; d < first + n; ++d) {
            if (back)
                input[2][d] += p->time_step * z[d];
            else
                z[d] += p->time_step * input[2][d];
        }
    }
    for (int b = 0; b < p->block_count; ++b) {
        const ts_step_block_slope* block = &p->block[b];
        if (!block->force) continue;
        for (int r = 0; r < block->count; ++r)
            for (int c = 0; c < block->count; ++c) {
                double slope = block->force[r * block->count + c];
                if (back)
                    input[0][block->dof[c]] += slope * z[block->dof[r]];
                else
                    z[block->dof[r]] += slope * input[0][block->dof[c]];
            }
    }
}

// Where coasting trees go, or back.
static void add_coasting(const ts_step_implicit* p, int back, double* const input[3], double* position) {
    for (int t = 0; t < p->model->tree_count; ++t) {
        const ts_step_tree_slope* tree = &p->tree[t];
        int first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count;
        for (int k = 0; tree->coast && k < 3; ++k)
            add_product(tree->coast + k * n, n, n, 3 * n, back, (back ? position : input[k]) + first,
                        (back ? input[k] : position) + first);
    }
}

// u of blocks by positions (of = 0) or velocities (1), or back.
static void add_block_rows(const ts_step_implicit* p, int of, int back, double* q, double* du) {
    for (int b = 0; b < p->block_count; ++b) {
        const ts_step_block_slope* block = &p->block[b];
        const double* by = of ? block->by_v : block->by_q;
        for (int r = 0; by && r < block->rows; ++r)
            for (int c = 0; c < block->count; ++c) {
                double slope = by[r * block->count + c];
                if (back)
                    q[block->dof[c]] += slope * du[block->row + r];
                else
                    du[block->row + r] += slope * q[block->dof[c]];
            }
    }
}

void ts_step_move_positions(const ts_step_implicit* p, const double* velocity, double* io_position) {
    add_motion(p, 1, 0, velocity, io_position);
}

// --- inputs ---

double ts_step_wrench_share(const ts_step_implicit* p, int index, int d) {
    ts_vec3 axis = ts_vec3_axis(index % 3);
    if (index % 6 < 3) return ts_vec3_dot(axis, p->axis[d].angular);
    return ts_vec3_dot(axis, ts_motion_at(p->axis[d], p->arm[index / 6]));
}

void ts_step_add_input(const ts_step_implicit* p, int c, double x, ts_step_workplace* w) {
    int i = p->column[c].index;
    if (x == 0.0) return;
    if (p->frozen_column[c] >= 0) {
        const double* column = p->numbers + (size_t)p->frozen_column[c] * (size_t)p->frozen.size;
        for (int k = 0; k < p->frozen.size; ++k) w->column[k] += x * column[k];
        return;
    }
    switch (p->column[c].kind) {
    case TS_STEP_BY_POSITION: w->input[0][i] += x; break;
    case TS_STEP_BY_VELOCITY: w->input[1][i] += x; break;
    case TS_STEP_BY_FORCE: w->input[2][i] += x; break;
    case TS_STEP_BY_WRENCH:
        for (int d = p->model->body[i / 6].dof_last; d >= 0; d = p->model->dof[d].parent)
            w->input[2][d] += ts_step_wrench_share(p, i, d) * x;
        break;
    case TS_STEP_BY_CONTROL:
        for (int k = 0; k < p->lever[i].count; ++k)
            w->input[2][p->lever[i].dof[k]] += p->drive[i].gain * p->lever[i].moment[k] * x;
        if (p->drive[i].row >= 0) w->du[p->drive[i].row] += p->drive[i].push * x;
        break;
    case TS_STEP_BY_FRICTION:
        for (int b = 0; b < p->block_count; ++b) w->dmu[b] += x * ((p->geom[2 * b] == i) + (p->geom[2 * b + 1] == i));
        break;
    default: break;
    }
}

// Adds column `of` (position, velocity, force) of dof d in where a coasting tree goes; positions are `ld` apart.
static void add_coast_column(const ts_step_implicit* p, int of, int d, double x, int ld, double* position) {
    int t = p->model->dof[d].tree, first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count;
    const double* coast = p->tree[t].coast;
    for (int r = 0; coast && r < n; ++r)
        position[(size_t)(first + r) * (size_t)ld] += coast[3 * n * r + of * n + d - first] * x;
}

void ts_step_add_coasting(const ts_step_implicit* p, int c, int ld, double* io_position) {
    int i = p->column[c].index;
    switch (p->column[c].kind) {
    case TS_STEP_BY_POSITION: add_coast_column(p, 0, i, 1.0, ld, io_position); break;
    case TS_STEP_BY_VELOCITY: add_coast_column(p, 1, i, 1.0, ld, io_position); break;
    case TS_STEP_BY_FORCE: add_coast_column(p, 2, i, 1.0, ld, io_position); break;
    case TS_STEP_BY_WRENCH:
        for (int d = p->model->body[i / 6].dof_last; d >= 0; d = p->model->dof[d].parent)
            add_coast_column(p, 2, d, ts_step_wrench_share(p, i, d), ld, io_position);
        break;
    case TS_STEP_BY_CONTROL:
        for (int k = 0; k < p->lever[i].count; ++k)
            add_coast_column(p, 2, p->lever[i].dof[k], p->drive[i].gain * p->lever[i].moment[k], ld, io_position);
        break;
    default: break;
    }
}

// The transpose: what input c gets.
static double take_input(const ts_step_implicit* p, int c, const ts_step_workplace* w) {
    int i = p->column[c].index;
    double sum = 0.0;
    if (p->frozen_column[c] >= 0) {
        const double* column = p->numbers + (size_t)p->frozen_column[c] * (size_t)p->frozen.size;
        for (int k = 0; k < p->frozen.size; ++k) sum += column[k] * w->column[k];
        return sum;
    }
    switch (p->column[c].kind) {
    case TS_STEP_BY_POSITION: return w->input[0][i];
    case TS_STEP_BY_VELOCITY: return w->input[1][i];
    case TS_STEP_BY_FORCE: return w->input[2][i];
    case TS_STEP_BY_WRENCH:
        for (int d = p->model->body[i / 6].dof_last; d >= 0; d = p->model->dof[d].parent)
            sum += ts_step_wrench_share(p, i, d) * w->input[2][d];
        break;
    case TS_STEP_BY_CONTROL:
        for (int k = 0; k < p->lever[i].count; ++k)
            sum += p->drive[i].gain * p->lever[i].moment[k] * w->input[2][p->lever[i].dof[k]];
        if (p->drive[i].row >= 0) sum += p->drive[i].push * w->du[p->drive[i].row];
        break;
    case TS_STEP_BY_FRICTION:
        for (int b = 0; b < p->block_count; ++b) sum += w->dmu[b] * ((p->geom[2 * b] == i) + (p->geom[2 * b + 1] == i));
        break;
    default: break;
    }
    return sum;
}

// --- forward and backward ---

int ts_step_rounds(const ts_step_implicit* p) { return p->has_contact && ts_step_law_is_doubtful(&p->contact) ? 2 : 0; }

// The velocities before impulses are in z; adds what impulses do.
static ts_code push_contacts(const ts_step_implicit* p, ts_step_workplace* w, ts_arena* scratch, double* out_mismatch) {
    size_t rows = (size_t)p->row_count;
    memcpy(w->left, w->du, rows * sizeof(double));
    ts_step_add_rows(p, w->z, w->left);
    ts_code code = ts_contact_derivative_forward(&p->contact, w->left, w->dmu, scratch, w->dlambda, out_mismatch);
    if (code) return code;
    add_rows_transposed(p, w->dlambda, w->z);
    for (int k = ts_step_rounds(p); k > 0 && !code; --k) {
        memcpy(w->left, w->du, rows * sizeof(double));
        ts_step_add_rows(p, w->z, w->left);
        ts_contact_derivative_add_law(&p->contact, w->dlambda, w->dmu, w->left);
        code = ts_contact_derivative_forward(&p->contact, w->left, NULL, scratch, w->change, NULL);
        if (code) return code;
        for (size_t i = 0; i < rows; ++i) w->dlambda[i] += w->change[i];
        add_rows_transposed(p, w->change, w->z);
    }
    return code;
}

// The transpose: du and dmu get what rows and friction are worth.
static ts_code pull_contacts(const ts_step_implicit* p, ts_step_workplace* w, ts_arena* scratch) {
    size_t rows = (size_t)p->row_count;
    ts_step_add_rows(p, w->z, w->left);
    ts_code code = ts_contact_derivative_reverse(&p->contact, w->left, scratch, w->du, w->dmu, NULL);
    if (code) return code;
    add_rows_transposed(p, w->du, w->z);
    int rounds = ts_step_rounds(p);
    for (int k = 0; k <= rounds && rounds > 0; ++k) {
        memset(w->left, 0, rows * sizeof(double));
        ts_step_add_rows(p, w->z, w->left);
        ts_contact_derivative_add_law(&p->contact, w->du, NULL, w->left);
        if (k == rounds) break;
        code = ts_contact_derivative_reverse(&p->contact, w->left, scratch, w->change, NULL, NULL);
        if (code) return code;
        for (size_t i = 0; i < rows; ++i) w->du[i] += w->change[i];
        add_rows_transposed(p, w->change, w->z);
    }
    if (rounds > 0) ts_contact_derivative_friction_bar(&p->contact, w->du, w->left, w->dmu);
    return TS_OK;
}

ts_code ts_step_finish_forward(const ts_step_implicit* p, ts_step_workplace* w, ts_arena* scratch, double* out_mismatch,
                               double* out_dy) {
    const ts_step_frozen* part = &p->frozen;
    int nv = p->model->nv, act = p->model->act_count;
    double *position = out_dy, *velocity = out_dy + nv;
    add_impulses(p, 0, w->input, w->z);
    ts_step_whiten(p, w->z);
    if (p->has_contact) {
        for (int i = 0; i < p->row_count; ++i) w->du[i] += w->column[part->row + i];
        for (int b = 0; b < p->block_count; ++b) w->dmu[b] += w->column[part->friction + b];
        for (int of = 0; of < 2; ++of) add_block_rows(p, of, 0, w->input[of], w->du);
        ts_code code = push_contacts(p, w, scratch, out_mismatch);
        if (code) return code;
    }
    ts_step_unwhiten(p, w->z);
    memcpy(position, w->column + part->position, (size_t)nv * sizeof(double));
    add_motion(p, 1, 0, w->z, position);
    add_motion(p, 0, 0, w->input[0], position);
    add_coasting(p, 0, w->input, position);
    for (int i = 0; i < nv; ++i) velocity[i] = w->column[part->velocity + i] + w->z[i];
    for (int i = 0; i < act; ++i) out_dy[2 * nv + i] = w->column[part->activation + i];
    return TS_OK;
}

static ts_code forward(const ts_step_derivative* derivative, const double* dx, ts_arena* scratch, double* out_dy) {
    const ts_step_implicit* p = implicit_of(derivative);
    ts_step_workplace w;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_code code = ts_step_workplace_take(p, scratch, &w) ? TS_OK : TS_ERROR_MEMORY;
    for (int c = 0; !code && c < derivative->columns; ++c) ts_step_add_input(p, c, dx[c], &w);
    if (!code) code = ts_step_finish_forward(p, &w, scratch, NULL, out_dy);
    ts_arena_scope_end(scratch, scope);
    return code;
}

static ts_code reverse(const ts_step_derivative* derivative, const double* y_bar, ts_arena* scratch,
                       double* out_x_bar) {
    const ts_step_implicit* p = implicit_of(derivative);
    const ts_step_frozen* part = &p->frozen;
    int nv = p->model->nv, act = p->model->act_count;
    ts_step_workplace w;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_code code = ts_step_workplace_take(p, scratch, &w) ? TS_OK : TS_ERROR_MEMORY;
    if (!code) {
        memcpy(w.z, y_bar + nv, (size_t)nv * sizeof(double));
        memcpy(w.position, y_bar, (size_t)nv * sizeof(double));
        memcpy(w.column + part->position, y_bar, (size_t)nv * sizeof(double));
        memcpy(w.column + part->velocity, y_bar + nv, (size_t)nv * sizeof(double));
        memcpy(w.column + part->activation, y_bar + 2 * nv, (size_t)act * sizeof(double));
        add_coasting(p, 1, w.input, w.position);
        add_motion(p, 0, 1, y_bar, w.input[0]);
        add_motion(p, 1, 1, y_bar, w.z);
        ts_step_whiten(p, w.z);
        if (p->has_contact) {
            code = pull_contacts(p, &w, scratch);
            for (int of = 0; of < 2; ++of) add_block_rows(p, of, 1, w.input[of], w.du);
            memcpy(w.column + part->row, w.du, (size_t)p->row_count * sizeof(double));
            memcpy(w.column + part->friction, w.dmu, (size_t)p->block_count * sizeof(double));
        }
        ts_step_unwhiten(p, w.z);
        add_impulses(p, 1, w.input, w.z);
    }
    for (int c = 0; !code && c < derivative->columns; ++c) out_x_bar[c] = take_input(p, c, &w);
    ts_arena_scope_end(scratch, scope);
    return code;
}

const ts_step_operator ts_step_implicit_operator = {forward, reverse, ts_step_implicit_matrix};
