// All columns of a step's Jacobian at once.
//
// The maps of step_apply.c on whole matrices, columns side by side: the velocity rows of the result are z while it is found, so that each map adds
// lines to lines (base/linear/dense.h). Impulses of trees are copied, not multiplied; the inertia's factor, and contacts with their law
// (contact/derivative/columns.c) are gone through once for all columns.
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/four.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"

// The matrix while it is found.
typedef struct columns {
    const ts_step_implicit* p;
    int count;
    double* position;      // (nv x count)
    double* z;             // (nv x count)
    double* asked;         // (unknowns of contacts x count), of ts_contact_derivative_ask
    double* dmu;           // (block_count x count); NULL: friction is asked for by nobody
    double* compact;       // (dofs of the largest tree x count)
    int* listed;           // (count)
    int* moved;            // (tree_count) how many columns move each tree
    int* place;            // (nv)
    int* of_position;      // (nv) the column of each position, or -1
    int* of_velocity;      // (nv) likewise
    unsigned char* moves;  // (tree_count x count) nonzero: column c moves tree t
    int repeats;  // nonzero: a position or velocity has several columns, of which the last is in of_position and of_velocity
} columns;

static int take_columns(const ts_step_implicit* p, int count, ts_arena* scratch, double* matrix, columns* out) {
    size_t n = (size_t)count, nv = (size_t)p->model->nv, most = 0;
    for (int t = 0; t < p->model->tree_count; ++t)
        if ((size_t)p->model->tree[t].dof_count > most) most = (size_t)p->model->tree[t].dof_count;
    *out = (columns){.p = p, .count = count};
    out->position = matrix;
    out->z = matrix + nv * n;
    if (p->has_contact)
        out->asked = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->contact.unknowns * n, sizeof(double));
    if (p->asks_friction)
        out->dmu = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->block_count * n, sizeof(double));
    out->compact = TS_ARENA_ARRAY(scratch, double, most* n);
    out->listed = TS_ARENA_ARRAY(scratch, int, n + 3 * nv + (size_t)p->model->tree_count);
    out->of_position = out->listed + n;
    out->of_velocity = out->of_position + nv;
    out->place = out->of_velocity + nv;
    out->moved = out->place + nv;
    out->moves = (unsigned char*)ts_arena_alloc_zeroed(scratch, n * (size_t)p->model->tree_count, 1);
    if (scratch->failed) return 0;
    memset(out->moved, 0, (size_t)p->model->tree_count * sizeof(int));
    return 1;
}

static double* line_of(const columns* m, double* lines, int row) { return lines + (size_t)row * (size_t)m->count; }

static void mark(const columns* m, int t, int c) {
    unsigned char* moves = m->moves + (size_t)t * (size_t)m->count + (size_t)c;
    m->moved[t] += !*moves;
    *moves = 1;
}

// Columns [c, c + count) from columns [d, d + count) of the matrix of a tree.
static void copy_columns(const columns* m, int c, int count, int d, const double* matrix) {
    const ts_model* model = m->p->model;
    int t = model->dof[d].tree, first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    for (int i = 0; i < n; ++i)
        memcpy(line_of(m, m->z, first + i) + c, matrix + i * n + d - first, (size_t)count * sizeof(double));
    unsigned char* moves = m->moves + (size_t)t * (size_t)m->count + (size_t)c;
    for (int k = 0; k < count; ++k) m->moved[t] += !moves[k];
    memset(moves, 1, (size_t)count);
}

// What a force f along dof d of a tree gives.
static void apply_force(const columns* m, int c, int d, double f) {
    const ts_step_implicit* p = m->p;
    int t = p->model->dof[d].tree, first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count;
    const double* by_force = p->tree[t].by_force;
    mark(m, t, c);
    if (!by_force) line_of(m, m->z, d)[c] += p->time_step * f;
    for (int r = 0; by_force && r < n; ++r) line_of(m, m->z, first + r)[c] += by_force[r * n + d - first] * f;
}

// What changes of u in the rows of a block ask of impulses.
static void ask(const columns* m, int row, int count, const double* du, const int* column) {
    ts_contact_derivative_ask(&m->p->contact, row, count, du, column, m->count, m->asked);
}

static void enter_wrench(const columns* m, int c) {
    int i = m->p->column[c].index;
    for (int d = m->p->model->body[i / 6].dof_last; d >= 0; d = m->p->model->dof[d].parent)
        apply_force(m, c, d, ts_step_wrench_share(m->p, i, d));
}

static void enter_control(const columns* m, int c) {
    const ts_step_implicit* p = m->p;
    int i = p->column[c].index, row = p->drive[i].row;
    for (int k = 0; k < p->lever[i].count; ++k)
        apply_force(m, c, p->lever[i].dof[k], p->drive[i].gain * p->lever[i].moment[k]);
    if (row >= 0) ask(m, row, 1, &p->drive[i].push, &c);
}

// How many columns from c on are of neighbouring positions or velocities of one tree.
static int run_of(const columns* m, int c) {
    const ts_step_implicit* p = m->p;
    const ts_step_column* column = p->column;
    int end = c + 1, tree = p->model->dof[column[c].index].tree;
    while (end < m->count && p->frozen_column[end] < 0 && column[end].kind == column[c].kind &&
           column[end].index == column[end - 1].index + 1 && p->model->dof[column[end].index].tree == tree)
        ++end;
    return end - c;
}

static void place_run(columns* m, int c, int run, int* place) {
    for (int k = 0; k < run; ++k) {
        m->repeats = m->repeats || place[k] >= 0;
        place[k] = c + k;
    }
}

// Impulses and du of every column, before M_hat has a say.
static void enter(columns* m) {
    const ts_step_implicit* p = m->p;
    const ts_model* model = p->model;
    for (int d = 0; d < model->nv; ++d) m->of_position[d] = m->of_velocity[d] = -1;
    for (int c = 0, run; c < m->count; c += run) {
        int i = p->column[c].index;
        run = 1;
        if (p->frozen_column[c] >= 0) continue;
        switch (p->column[c].kind) {
        case TS_STEP_BY_POSITION:
            run = run_of(m, c);
            place_run(m, c, run, m->of_position + i);
            copy_columns(m, c, run, i, p->tree[model->dof[i].tree].by_q);
            break;
        case TS_STEP_BY_VELOCITY:
            run = run_of(m, c);
            place_run(m, c, run, m->of_velocity + i);
            copy_columns(m, c, run, i, p->tree[model->dof[i].tree].by_v);
            break;
        case TS_STEP_BY_FORCE: apply_force(m, c, i, 1.0); break;
        case TS_STEP_BY_WRENCH: enter_wrench(m, c); break;
        case TS_STEP_BY_CONTROL: enter_control(m, c); break;
        default: break;
        }
    }
}

// What contacts between trees pass on, and the rows' own answer to positions.
static void add_blocks(const columns* m) {
    const ts_step_implicit* p = m->p;
    for (int b = 0; b < p->block_count; ++b) {
        const ts_step_block_slope* block = &p->block[b];
        if (block->by_q) {
            for (int k = 0; k < block->count; ++k) m->place[k] = m->of_position[block->dof[k]];
            ask(m, block->row, block->count, block->by_q, m->place);
        }
        for (int k = 0; block->force && k < block->count; ++k) {
            int c = m->of_position[block->dof[k]];
            for (int i = 0; c >= 0 && i < block->count; ++i) {
                line_of(m, m->z, block->dof[i])[c] += block->force[i * block->count + k];
                mark(m, p->model->dof[block->dof[i]].tree, c);
            }
        }
        if (!block->by_v) continue;
        for (int k = 0; k < block->count; ++k) m->place[k] = m->of_velocity[block->dof[k]];
        ask(m, block->row, block->count, block->by_v, m->place);
    }
}

// Columns that have rows, or friction, known by differences.
static void add_frozen_rows(const columns* m) {
    const ts_step_implicit* p = m->p;
    for (int c = 0; m->dmu && c < m->count; ++c) {
        if (p->frozen_column[c] >= 0) {
            const double* from = p->numbers + (size_t)p->frozen_column[c] * (size_t)p->frozen.size;
            for (int s = 0; s < p->rows.count; ++s) {
                int row = p->rows.run[s].row;
                if (s == 0 || row != p->rows.run[s - 1].row) ask(m, row, 1, from + p->frozen.row + row, &c);
            }
            for (int b = 0; b < p->block_count; ++b) line_of(m, m->dmu, b)[c] += from[p->frozen.friction + b];
        } else if (p->column[c].kind == TS_STEP_BY_FRICTION) {
            int geom = p->column[c].index;
            for (int b = 0; b < p->block_count; ++b)
                line_of(m, m->dmu, b)[c] += (p->geom[2 * b] == geom) + (p->geom[2 * b + 1] == geom);
        }
    }
}

// What ts_tree_factor_whiten_columns does, or its neighbours.
typedef void (*factor_change)(const ts_model* model, int tree, const double* L, const double* inverse, int columns,
                              double* X);

// Lines of z over one tree through its factor.
static void through_factor(const columns* m, int t, factor_change change) {
    const ts_step_implicit* p = m->p;
    int first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count, count = 0;
    const unsigned char* moves = m->moves + (size_t)t * (size_t)m->count;
    // Few columns are worth being listed.
    int whole = 2 * m->moved[t] >= m->count;
    for (int c = 0; c < m->count && !whole; ++c)
        if (moves[c]) m->listed[count++] = c;
    double* lines = whole ? line_of(m, m->z, first) : m->compact;
    if (whole) count = m->count;
    for (int i = 0; i < n && !whole; ++i)
        for (int k = 0; k < count; ++k) lines[i * count + k] = line_of(m, m->z, first + i)[m->listed[k]];
    change(p->model, t, p->L + p->mass_start[t], p->inverse + first, count, lines);
    for (int i = 0; i < n && !whole; ++i)
        for (int k = 0; k < count; ++k) line_of(m, m->z, first + i)[m->listed[k]] = lines[i * count + k];
}

// Adds what impulses do; where they are in doubt, in rounds (step_apply.c).
static ts_code push_contacts(const columns* m, ts_arena* scratch) {
    const ts_step_implicit* p = m->p;
    for (int s = 0; s < p->rows.count; ++s) {
        int t = p->model->dof[p->rows.run[s].column].tree;
        memset(m->moves + (size_t)t * (size_t)m->count, 1, (size_t)m->count);
        m->moved[t] = m->count;
    }
    return ts_contact_derivative_push(&p->contact, &p->rows, m->count, m->asked, m->dmu, ts_step_rounds(p), scratch,
                                      m->z);
}

// `to` = s `from`, a line each.
static void copy_scaled(int count, double s, const double* from, double* to) {
    int c = 0;
    for (; c + 4 <= count; c += 4) ts_four_store(ts_four_times(s, ts_four_load(from + c)), to + c);
    for (; c < count; ++c) to[c] = s * from[c];
}

// Where the velocities after the step, and those before it, take positions that do not coast; the others stay.
static void move_positions(const columns* m) {
    const ts_step_implicit* p = m->p;
    for (int j = 0; j < p->model->joint_count; ++j) {
        const ts_joint* joint = &p->model->joint[j];
        const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
        int first = joint->dof_first, turn = first + traits->numbers;
        size_t line = (size_t)m->count * sizeof(double);
        if (p->coasts[p->model->dof[first].tree]) {
            memset(line_of(m, m->position, first), 0, line * (size_t)ts_joint_type_nv(joint->type));
            continue;
        }
        for (int d = first; d < turn; ++d) {
            copy_scaled(m->count, p->time_step, line_of(m, m->z, d), line_of(m, m->position, d));
            if (m->of_position[d] >= 0) line_of(m, m->position, d)[m->of_position[d]] += 1.0;
        }
        if (!traits->quaternion) continue;
        memset(line_of(m, m->position, turn), 0, 3 * line);
        for (int i = 0; i < 3; ++i) {
            double* to = line_of(m, m->position, turn + i);
            ts_lines_add(m->count, 3, 1.0, p->turn_by_velocity + 9 * j + 3 * i, 1, line_of(m, m->z, turn), m->count,
                         to);
            for (int k = 0; k < 3; ++k)
                if (m->of_position[turn + k] >= 0) to[m->of_position[turn + k]] += p->turned[9 * j + 3 * i + k];
        }
    }
}

// Where columns are asked for twice, all of them are the last.
static void repeat_columns(const columns* m, int rows, double* matrix) {
    for (int c = 0; c < m->count; ++c) {
        const ts_step_column* column = &m->p->column[c];
        int by_position = column->kind == TS_STEP_BY_POSITION;
        if (m->p->frozen_column[c] >= 0 || (!by_position && column->kind != TS_STEP_BY_VELOCITY)) continue;
        int last = by_position ? m->of_position[column->index] : m->of_velocity[column->index];
        for (int r = 0; r < rows; ++r) line_of(m, matrix, r)[c] = line_of(m, matrix, r)[last];
    }
}

// What a column that is known by differences has beside.
static void add_frozen(const columns* m, int c) {
    const ts_step_implicit* p = m->p;
    const double* from = p->numbers + (size_t)p->frozen_column[c] * (size_t)p->frozen.size;
    int nv = p->model->nv;
    for (int k = 0; k < nv; ++k) line_of(m, m->position, k)[c] += from[p->frozen.position + k];
    for (int k = 0; k < nv; ++k) line_of(m, m->z, k)[c] += from[p->frozen.velocity + k];
    for (int k = 0; k < p->model->act_count; ++k)
        line_of(m, m->position, 2 * nv + k)[c] = from[p->frozen.activation + k];
}

ts_code ts_step_implicit_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix) {
    const ts_step_implicit* p = (const ts_step_implicit*)(const void*)derivative->parts;
    columns m;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    // Positions are written last.
    size_t positions = (size_t)p->model->nv * (size_t)derivative->columns;
    size_t all = (size_t)derivative->rows * (size_t)derivative->columns;
    memset(out_matrix + positions, 0, (all - positions) * sizeof(double));
    ts_code code = take_columns(p, derivative->columns, scratch, out_matrix, &m) ? TS_OK : TS_ERROR_MEMORY;
    if (!code) {
        enter(&m);
        add_blocks(&m);
        add_frozen_rows(&m);
        factor_change change = p->has_contact ? ts_tree_factor_whiten_columns : ts_tree_factor_solve_columns;
        for (int t = 0; t < p->model->tree_count; ++t) through_factor(&m, t, change);
        if (p->has_contact) code = push_contacts(&m, scratch);
    }
    if (!code) {
        for (int t = 0; p->has_contact && t < p->model->tree_count; ++t)
            through_factor(&m, t, ts_tree_factor_unwhiten_columns);
        move_positions(&m);
        int coasts = 0;
        for (int t = 0; t < p->model->tree_count; ++t) coasts = coasts || p->tree[t].coast;
        for (int c = 0; c < m.count && (coasts || p->frozen_count > 0); ++c) {
            if (p->frozen_column[c] >= 0)
                add_frozen(&m, c);
            else if (coasts)
                ts_step_add_coasting(p, c, m.count, m.position + c);
        }
        if (m.repeats) repeat_columns(&m, derivative->rows, out_matrix);
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}
