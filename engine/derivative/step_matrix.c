// All columns of a step's Jacobian at once.
//
// The maps of step_apply.c, with columns of the Jacobian as rows of numbers, so that each map is gone through once: impulses of trees are copied, not
// multiplied; the inertia's factor and the rows of contacts are read once for all of them.
#include <string.h>

#include "base/linear/four.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/tree_factor.h"

// The matrix while it is found. Row c of an array is column c of the Jacobian.
typedef struct columns {
    const ts_step_implicit* p;
    int count;
    double* z;             // (count x nv)
    double* du;            // (count x row_count)
    double* dlambda;       // (count x row_count)
    double* dmu;           // (block_count)
    double* compact;       // (count x dofs of the largest tree)
    int* listed;           // (count)
    int* of_position;      // (nv) the column of each position, or -1
    unsigned char* moves;  // (tree_count x count) nonzero: column c moves tree t
} columns;

static int take_columns(const ts_step_implicit* p, int count, ts_arena* scratch, columns* out) {
    size_t n = (size_t)count, nv = (size_t)p->model->nv, rows = (size_t)p->row_count, most = 0;
    for (int t = 0; t < p->model->tree_count; ++t)
        if ((size_t)p->model->tree[t].dof_count > most) most = (size_t)p->model->tree[t].dof_count;
    *out = (columns){.p = p, .count = count};
    out->z = (double*)ts_arena_alloc_zeroed(scratch, n * nv, sizeof(double));
    out->du = (double*)ts_arena_alloc_zeroed(scratch, n * rows, sizeof(double));
    out->dlambda = TS_ARENA_ARRAY(scratch, double, n* rows);
    out->dmu = TS_ARENA_ARRAY(scratch, double, p->block_count);
    out->compact = TS_ARENA_ARRAY(scratch, double, n* most);
    out->listed = TS_ARENA_ARRAY(scratch, int, n);
    out->of_position = TS_ARENA_ARRAY(scratch, int, nv);
    out->moves = (unsigned char*)ts_arena_alloc_zeroed(scratch, n * (size_t)p->model->tree_count, 1);
    return out->z && out->du && out->dlambda && out->dmu && out->compact && out->listed && out->of_position &&
           out->moves;
}

static double* z_of(const columns* m, int c) { return m->z + (size_t)c * (size_t)m->p->model->nv; }
static double* du_of(const columns* m, int c) { return m->du + (size_t)c * (size_t)m->p->row_count; }
static double* dlambda_of(const columns* m, int c) { return m->dlambda + (size_t)c * (size_t)m->p->row_count; }

static void mark(const columns* m, int t, int c) { m->moves[(size_t)t * (size_t)m->count + (size_t)c] = 1; }

// Column `d` of a tree's matrix.
static void copy_column(const columns* m, int c, int d, const double* matrix) {
    const ts_model* model = m->p->model;
    int t = model->dof[d].tree, first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double* z = z_of(m, c) + first;
    for (int i = 0; i < n; ++i) z[i] = matrix[i * n + d - first];
    mark(m, t, c);
}

// What forces f (nv) along the dofs of a tree give.
static void apply_forces(const columns* m, int c, int t, const double* f) {
    const ts_step_implicit* p = m->p;
    int first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count;
    const double* by_force = p->tree[t].by_force;
    double* z = z_of(m, c) + first;
    mark(m, t, c);
    for (int r = 0; r < n; ++r) {
        double sum = by_force ? 0.0 : p->time_step * f[first + r];
        for (int i = 0; by_force && i < n; ++i) sum += by_force[r * n + i] * f[first + i];
        z[r] = sum;
    }
}

static void enter_forces(const columns* m, int c, int tree, ts_step_workplace* w) {
    const ts_step_implicit* p = m->p;
    if (tree < 0) return;
    const ts_kinematic_tree* span = &p->model->tree[tree];
    memset(w->input[2] + span->dof_first, 0, (size_t)span->dof_count * sizeof(double));
    ts_step_add_input(p, c, 1.0, w);
    apply_forces(m, c, tree, w->input[2]);
}

static void enter_control(const columns* m, int c, ts_step_workplace* w) {
    const ts_step_implicit* p = m->p;
    int i = p->column[c].index, row = p->drive[i].row;
    enter_forces(m, c, p->lever[i].count > 0 ? p->model->dof[p->lever[i].dof[0]].tree : -1, w);
    if (row < 0) return;
    w->du[row] = 0.0;
    du_of(m, c)[row] += p->drive[i].push;
}

// Impulses and du of every column, before M_hat has a say.
static void enter(columns* m, ts_step_workplace* w) {
    const ts_step_implicit* p = m->p;
    const ts_model* model = p->model;
    for (int d = 0; d < model->nv; ++d) m->of_position[d] = -1;
    for (int c = 0; c < m->count; ++c) {
        int i = p->column[c].index;
        if (p->frozen_column[c] >= 0) continue;
        switch (p->column[c].kind) {
        case TS_STEP_BY_POSITION:
            m->of_position[i] = c;
            copy_column(m, c, i, p->tree[model->dof[i].tree].by_q);
            break;
        case TS_STEP_BY_VELOCITY: copy_column(m, c, i, p->tree[model->dof[i].tree].by_v); break;
        case TS_STEP_BY_FORCE: enter_forces(m, c, model->dof[i].tree, w); break;
        case TS_STEP_BY_WRENCH: enter_forces(m, c, model->body[i / 6].tree, w); break;
        case TS_STEP_BY_CONTROL: enter_control(m, c, w); break;
        default: break;
        }
    }
}

// What contacts between trees pass on, and the rows' own answer to positions.
static void add_blocks(const columns* m) {
    const ts_step_implicit* p = m->p;
    for (int b = 0; b < p->block_count; ++b) {
        const ts_step_block_slope* block = &p->block[b];
        for (int k = 0; k < block->count; ++k) {
            int c = m->of_position[block->dof[k]];
            if (c < 0) continue;
            for (int r = 0; r < block->rows; ++r) du_of(m, c)[block->row + r] += block->by_q[r * block->count + k];
            for (int i = 0; block->force && i < block->count; ++i) {
                z_of(m, c)[block->dof[i]] += block->force[i * block->count + k];
                mark(m, p->model->dof[block->dof[i]].tree, c);
            }
        }
    }
}

// Rows of z over one tree through its factor, forth or back.
static void through_factor(const columns* m, int t, int back) {
    const ts_step_implicit* p = m->p;
    int first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count, count = 0;
    const unsigned char* moves = m->moves + (size_t)t * (size_t)m->count;
    for (int c = 0; c < m->count; ++c)
        if (moves[c]) m->listed[count++] = c;
    int whole = count == m->count && n == p->model->nv;
    double* rows = whole ? m->z : m->compact;
    size_t size = (size_t)n * sizeof(double);
    for (int k = 0; !whole && k < count; ++k) memcpy(rows + (size_t)k * (size_t)n, z_of(m, m->listed[k]) + first, size);
    if (back)
        ts_tree_factor_unwhiten(p->model, t, p->L + p->mass_start[t], p->inverse + first, count, rows);
    else
        ts_tree_factor_whiten(p->model, t, p->L + p->mass_start[t], p->inverse + first, count, rows);
    for (int k = 0; !whole && k < count; ++k) memcpy(z_of(m, m->listed[k]) + first, rows + (size_t)k * (size_t)n, size);
}

static double dot(const double* a, const double* b, int n) {
    ts_four sums = ts_four_zero();
    int i = 0;
    for (; i + 4 <= n; i += 4) sums = ts_four_plus(sums, ts_four_product(ts_four_load(a + i), ts_four_load(b + i)));
    double sum = ts_four_sum(sums);
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// du += J' z, or with `back` z += J'^T dlambda.
static void through_rows(const columns* m, int back) {
    const ts_step_implicit* p = m->p;
    for (int s = 0; s < p->segment_count; ++s) {
        const ts_step_segment* g = &p->segment[s];
        int t = p->model->dof[g->column].tree;
        const unsigned char* moves = m->moves + (size_t)t * (size_t)m->count;
        for (int c = 0; c < m->count; ++c) {
            double* z = z_of(m, c) + g->column;
            if (!back && !moves[c]) continue;
            for (int r = 0; r < g->rows; ++r) {
                const double* J = g->J + r * g->count;
                if (!back) {
                    du_of(m, c)[g->row + r] += dot(J, z, g->count);
                    continue;
                }
                double share = dlambda_of(m, c)[g->row + r];
                if (share == 0.0) continue;
                mark(m, t, c);
                int i = 0;
                for (; i + 4 <= g->count; i += 4)
                    ts_four_store(ts_four_plus(ts_four_load(z + i), ts_four_times(share, ts_four_load(J + i))), z + i);
                for (; i < g->count; ++i) z[i] += share * J[i];
            }
        }
    }
}

// d lambda of all columns.
static ts_code answer(columns* m, ts_step_workplace* w, ts_arena* scratch) {
    const ts_step_implicit* p = m->p;
    for (int c = 0; c < m->count; ++c) {
        double *du = du_of(m, c), *dlambda = dlambda_of(m, c);
        int any = 0, friction = p->column[c].kind == TS_STEP_BY_FRICTION || p->frozen_column[c] >= 0;
        memset(w->dmu, 0, (size_t)p->block_count * sizeof(double));
        if (friction) {
            memset(w->column, 0, (size_t)p->frozen.size * sizeof(double));
            ts_step_add_input(p, c, 1.0, w);
            for (int i = 0; i < p->row_count; ++i) du[i] += w->column[p->frozen.row + i];
            for (int b = 0; b < p->block_count; ++b) w->dmu[b] += w->column[p->frozen.friction + b];
            for (int b = 0; b < p->block_count && !any; ++b) any = w->dmu[b] != 0.0;
        }
        for (int i = 0; i < p->row_count && !any; ++i) any = du[i] != 0.0;
        if (!any) {
            memset(dlambda, 0, (size_t)p->row_count * sizeof(double));
            continue;
        }
        ts_code code = ts_contact_derivative_forward(&p->contact, du, friction ? w->dmu : NULL, scratch, dlambda, NULL);
        if (code) return code;
    }
    return TS_OK;
}

// Column c of the result, (2 nv + act_count).
static void leave(const columns* m, int c, double* y) {
    const ts_step_implicit* p = m->p;
    const ts_step_frozen* part = &p->frozen;
    int nv = p->model->nv;
    memset(y, 0, (size_t)(2 * nv + p->model->act_count) * sizeof(double));
    ts_step_move_positions(p, z_of(m, c), y);
    memcpy(y + nv, z_of(m, c), (size_t)nv * sizeof(double));
    if (p->frozen_column[c] < 0) {
        ts_step_add_own_motion(p, c, y);
        return;
    }
    const double* column = p->numbers + (size_t)p->frozen_column[c] * (size_t)part->size;
    for (int k = 0; k < nv; ++k) y[k] += column[part->position + k];
    for (int k = 0; k < nv; ++k) y[nv + k] += column[part->velocity + k];
    memcpy(y + 2 * nv, column + part->activation, (size_t)p->model->act_count * sizeof(double));
}

ts_code ts_step_implicit_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix) {
    const ts_step_implicit* p = (const ts_step_implicit*)(const void*)derivative->parts;
    size_t count = (size_t)derivative->columns, rows = (size_t)derivative->rows;
    columns m;
    ts_step_workplace w;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* y = TS_ARENA_ARRAY(scratch, double, rows);
    ts_code code = y && take_columns(p, derivative->columns, scratch, &m) && ts_step_workplace_take(p, scratch, &w)
                       ? TS_OK
                       : TS_ERROR_MEMORY;
    if (!code) {
        enter(&m, &w);
        add_blocks(&m);
        for (int t = 0; t < p->model->tree_count; ++t) through_factor(&m, t, 0);
        if (p->has_contact) {
            through_rows(&m, 0);
            code = answer(&m, &w, scratch);
        }
    }
    if (!code) {
        if (p->has_contact) through_rows(&m, 1);
        for (int t = 0; t < p->model->tree_count; ++t) through_factor(&m, t, 1);
        for (size_t c = 0; c < count; ++c) {
            leave(&m, (int)c, y);
            for (size_t r = 0; r < rows; ++r) out_matrix[r * count + c] = y[r];
        }
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}
