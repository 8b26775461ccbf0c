// Factors of G + S, S = diag(shift) > 0, for the velocity form.
//
// Problem: a pile has more contact rows than degrees of freedom, and one heavy body couples all its contacts: G by
// blocks is then nearly dense, and what it is made of, G = J Y^T with Y = J M^-1, is not.
// Rule: where rows outnumber the columns in use, through the bodies (Woodbury):
//     (S + J Y^T)^-1 = S^-1 - S^-1 J W^-1 Y^T S^-1,   W = I + Y^T S^-1 J,
// with W block-sparse over groups of at most six columns: two groups meet where a contact has both. Else G is listed by
// blocks of rows, unless it is too large for that. Either way block LU (base/linear/block_lu.h), whose order and pattern are
// kept when the shift changes. Both eliminate from K = [[-S, J], [Y^T, I]]: rows first leaves W, bodies first leaves
// -(G + S).
// Source: Woodbury 1950; Hager 1989. Bodies first: Carpentier, Budhiraja and Mansard 2021.
// Guaranteed: memory is linear in contacts plus the factor of W.
// Known to fail: with a shift far below the stiffness, S^-1 b - S^-1 J y is a difference of large numbers, and digits
// of about the ratio are lost. Where that matters, rounds of refinement with the operator itself win them back until
// the ratio nears 1e-14; a caller who needs to know looks at the residual.
#include "contact/operator/delassus_factor_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/block_lu.h"
#include "contact/operator/body_graph_internal.h"

// Stiffness over shift beyond which a solve is refined once, and twice.
#define REFINE_ONCE 1e4
#define REFINE_TWICE 1e7

struct ts_velocity_factor {
    int through_bodies;
    ts_block_lu* lu;
    ts_delassus_blocks matrix;  // W, or G: pattern, and for G its numbers
    ts_body_graph bodies;       // W's, through the bodies
    double* value;              // what is factorised
    size_t numbers;
    int refinements;
    double* shift;    // (rows)
    double* right;    // (rows)
    double* asked;    // (rows)
    double* reduced;  // (rows of W)
    double* V;        // (velocity_count)
};

static int by_rows(ts_velocity_factor* f, const ts_velocity_form* form, ts_arena* arena, size_t most) {
    const ts_delassus* G = &form->base;
    int* size = TS_ARENA_ARRAY(arena, int, G->block_count);
    if (!size || !G->ops->blocks(G, arena, most, &f->matrix)) return 0;
    for (int a = 0; a < G->block_count; ++a) {
        size[a] = form->block[a].rows;
        for (int e = f->matrix.start[a]; e < f->matrix.start[a + 1]; ++e)
            f->numbers += (size_t)size[a] * (size_t)form->block[f->matrix.column[e]].rows;
    }
    f->value = TS_ARENA_ARRAY(arena, double, f->numbers);
    f->lu = ts_block_lu_analyse(arena, G->block_count, size, f->matrix.start, f->matrix.column, most);
    return f->value && f->lu;
}

static int by_bodies(ts_velocity_factor* f, const ts_velocity_form* form, ts_arena* arena, size_t most) {
    ts_body_graph* graph = &f->bodies;
    if (!ts_body_graph_make(form, 0, NULL, arena, graph)) return 0;
    f->through_bodies = 1;
    f->matrix.start = graph->start;
    f->matrix.column = graph->column;
    f->matrix.at = graph->at;
    f->numbers = graph->numbers;
    f->value = TS_ARENA_ARRAY(arena, double, f->numbers);
    f->reduced = TS_ARENA_ARRAY(arena, double, graph->place[graph->groups]);
    f->V = TS_ARENA_ARRAY(arena, double, form->velocity_count);
    f->lu = ts_block_lu_analyse(arena, graph->groups, graph->size, f->matrix.start, f->matrix.column, most);
    return f->value && f->reduced && f->V && f->lu;
}

int ts_velocity_factor_prefers_bodies(const ts_velocity_form* form, ts_arena* scratch) {
    int columns = 0, rows = form->base.row_count;
    if (rows > form->velocity_count) return 1;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    unsigned char* used = (unsigned char*)ts_arena_alloc_zeroed(scratch, (size_t)form->velocity_count, 1);
    for (int s = 0; used && s < form->segment_start[form->base.block_count]; ++s)
        memset(used + form->segment[s].column, 1, (size_t)form->segment[s].count);
    for (int j = 0; used && j < form->velocity_count; ++j) columns += used[j];
    ts_arena_scope_end(scratch, scope);
    return used && rows > columns;
}

ts_velocity_factor* ts_velocity_factor_make(ts_velocity_form* form, ts_arena* arena, size_t most) {
    ts_velocity_factor* f = (ts_velocity_factor*)ts_arena_alloc_zeroed(arena, 1, sizeof(*f));
    int rows = form->base.row_count;
    if (!f) return NULL;
    f->shift = TS_ARENA_ARRAY(arena, double, rows);
    f->right = TS_ARENA_ARRAY(arena, double, rows);
    f->asked = TS_ARENA_ARRAY(arena, double, rows);
    if (!f->shift || !f->right || !f->asked) return NULL;
    if (!ts_velocity_factor_prefers_bodies(form, arena)) {
        ts_arena_scope scope = ts_arena_scope_begin(arena);
        if (by_rows(f, form, arena, most)) return f;
        ts_arena_scope_end(arena, scope);
    }
    return by_bodies(f, form, arena, most) ? f : NULL;
}

// W += Y_s^T S^-1 J_t for one pair of segments of a block.
static void add_segments(ts_velocity_factor* f, const ts_delassus_segment* s, const ts_delassus_segment* t, int rows,
                         const double* shift) {
    for (int i = 0, g; i < s->count; i += f->bodies.size[g]) {
        g = f->bodies.group_of[s->column + i];
        for (int k = 0, h; k < t->count; k += f->bodies.size[h]) {
            h = f->bodies.group_of[t->column + k];
            double* W = ts_body_graph_entry(&f->bodies, f->value, g, h);
            for (int r = 0; r < rows; ++r) {
                const double* Y = s->Y + (size_t)r * (size_t)s->count + i;
                const double* J = t->J + (size_t)r * (size_t)t->count + k;
                double weight = 1.0 / shift[r];
                for (int a = 0; a < f->bodies.size[g]; ++a)
                    for (int c = 0; c < f->bodies.size[h]; ++c) W[a * f->bodies.size[h] + c] += weight * Y[a] * J[c];
            }
        }
    }
}

static int refinements_for(const ts_velocity_form* form, const double* shift) {
    double ratio = 0.0;
    for (int b = 0; b < form->base.block_count; ++b) {
        const double* D = form->diagonal + form->diagonal_start[b];
        int rows = form->block[b].rows;
        for (int r = 0; r < rows; ++r) ratio = fmax(ratio, D[r * rows + r] / shift[form->base.block_row[b] + r]);
    }
    return ratio > REFINE_TWICE ? 2 : ratio > REFINE_ONCE;
}

ts_code ts_velocity_factor_update(ts_velocity_factor* f, ts_velocity_form* form, const double* shift) {
    const int* row = form->base.block_row;
    memcpy(f->shift, shift, (size_t)form->base.row_count * sizeof(double));
    f->refinements = f->through_bodies ? refinements_for(form, shift) : 0;
    if (f->through_bodies) {
        memset(f->value, 0, f->numbers * sizeof(double));
        for (int g = 0; g < f->bodies.groups; ++g) {
            double* D = ts_body_graph_entry(&f->bodies, f->value, g, g);
            for (int a = 0; a < f->bodies.size[g]; ++a) D[a * f->bodies.size[g] + a] = 1.0;
        }
        for (int b = 0; b < form->base.block_count; ++b)
            for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s)
                for (int t = form->segment_start[b]; t < form->segment_start[b + 1]; ++t)
                    add_segments(f, &form->segment[s], &form->segment[t], form->block[b].rows, shift + row[b]);
    } else {
        memcpy(f->value, f->matrix.value, f->numbers * sizeof(double));
        for (int b = 0; b < form->base.block_count; ++b) {
            int e = f->matrix.start[b];
            while (f->matrix.column[e] != b) ++e;
            double* D = f->value + f->matrix.at[e];
            for (int r = 0; r < form->block[b].rows; ++r) D[r * form->block[b].rows + r] += shift[row[b] + r];
        }
    }
    int good = ts_block_lu_factor(f->lu, f->matrix.start, f->matrix.column, f->matrix.at, f->value);
    return good ? TS_OK : TS_ERROR_NUMERIC;
}

// V = Y^T x, for the columns in use.
static void gather_velocity(const ts_velocity_form* form, const double* x, double* V) {
    const int* row = form->base.block_row;
    memset(V, 0, (size_t)form->velocity_count * sizeof(double));
    for (int b = 0; b < form->base.block_count; ++b) {
        const double* own = x + row[b];
        if (form->block[b].kernel != TS_VELOCITY_ANY) {
            ts_velocity_change_six(&form->block[b], own[0], own[1], own[2], V);
            continue;
        }
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &form->segment[s];
            const double* Y = segment->Y;
            for (int r = 0; r < form->block[b].rows; ++r, Y += segment->count)
                for (int j = 0; j < segment->count; ++j) V[segment->column + j] += Y[j] * own[r];
        }
    }
}

// out = J V of block b.
static void read_velocity(const ts_velocity_form* form, int b, const double* V, double* out) {
    if (form->block[b].kernel != TS_VELOCITY_ANY) {
        ts_velocity_read_six(&form->block[b], V, out);
        return;
    }
    for (int r = 0; r < form->block[b].rows; ++r) out[r] = 0.0;
    for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &form->segment[s];
        const double* J = segment->J;
        for (int r = 0; r < form->block[b].rows; ++r, J += segment->count)
            for (int j = 0; j < segment->count; ++j) out[r] += J[j] * V[segment->column + j];
    }
}

// x = (G + S)^-1 x, once.
static void solve_once(ts_velocity_factor* f, const ts_velocity_form* form, double* x) {
    const ts_body_graph* bodies = &f->bodies;
    const int* row = form->base.block_row;
    if (!f->through_bodies) {
        ts_block_lu_solve(f->lu, x);
        return;
    }
    for (int i = 0; i < form->base.row_count; ++i) x[i] /= f->shift[i];
    gather_velocity(form, x, f->V);
    for (int g = 0; g < bodies->groups; ++g)
        for (int j = 0; j < bodies->size[g]; ++j) f->reduced[bodies->place[g] + j] = f->V[bodies->first[g] + j];
    ts_block_lu_solve(f->lu, f->reduced);
    for (int g = 0; g < bodies->groups; ++g)
        for (int j = 0; j < bodies->size[g]; ++j) f->V[bodies->first[g] + j] = f->reduced[bodies->place[g] + j];
    for (int b = 0; b < form->base.block_count; ++b) {
        double moved[TS_BLOCK_ROWS_MAX];
        read_velocity(form, b, f->V, moved);
        for (int r = 0; r < form->block[b].rows; ++r) x[row[b] + r] -= moved[r] / f->shift[row[b] + r];
    }
}

void ts_velocity_factor_solve(ts_velocity_factor* f, ts_velocity_form* form, double* x) {
    int n = form->base.row_count;
    double* b = f->asked;
    memcpy(b, x, (size_t)n * sizeof(double));
    solve_once(f, form, x);
    for (int k = 0; k < f->refinements; ++k) {
        form->base.ops->apply(&form->base, x, f->right);
        for (int i = 0; i < n; ++i) f->right[i] = b[i] - (f->right[i] + f->shift[i] * x[i]);
        solve_once(f, form, f->right);
        for (int i = 0; i < n; ++i) x[i] += f->right[i];
    }
}

double ts_velocity_factor_work(const ts_velocity_factor* f) { return ts_block_lu_work(f->lu); }

double ts_velocity_factor_solve_work(const ts_velocity_factor* f) { return (double)ts_block_lu_numbers(f->lu); }
