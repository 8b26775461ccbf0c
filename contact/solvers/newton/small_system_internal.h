// One Newton step of small_newton.c: the linear system of a law that is linearised, and its passes.
//
// Problem: delta = c - K J dw of each block and (1 + J^T K J) dw = J^T c, where normals of what slides make the matrix unsymmetric.
// Rule: H = 1 + J^T K J in tiles (base/linear/tiles.c), of blocks that move; normals of what slides stay unknowns in a dense system of that many rows,
// found halfway through H's factor. What sticks gives by a weight; passes with the same factor take that back, until they miss no more than they may or
// show that what sticks contradicts itself (small_jam_internal.h).
// Source: small_newton.c.
// Guaranteed: same bits in files compiled for AVX2. Functions are here, and static, because small_newton_wide.c compiles them a second time.
// Known failure: none; a matrix without a factor gives no step, and that is told.
#ifndef TS_CONTACT_SOLVERS_SMALL_SYSTEM_INTERNAL_H
#define TS_CONTACT_SOLVERS_SMALL_SYSTEM_INTERNAL_H

#include <stdalign.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/solvers/newton/small_jam_internal.h"
#include "contact/solvers/newton/small_law_internal.h"

enum { SMALL_PASSES = 4 };  // 2 to 4

// 1: of what a pass missed: what sticks contradicts itself where the next misses that much, too. 0.5 to 0.99.
static const double small_jammed = 0.9;

// N s: what the natural map is relative to; `largest`: of x.
static inline double small_unit_by(const small* q, double largest) {
    ts_residual_scale scale = q->yardstick->scale;
    ts_residual_scale_impulse(&scale, largest);
    return ts_worse(scale.impulse, scale.velocity * scale.step);
}

static inline double small_unit_of(const small* q) {
    return small_unit_by(q, small_largest(q->x, q->problem->row_count));
}

// H += J^T K J of so many rows, known where it is called, that lie in the tiles of `at`, a block or a whole lot. K is that of each row where
// nothing slides.
static inline void small_couple_rows(small* q, const small_block* at, int rows, const double* K, int slides) {
    alignas(32) double KJ[TS_TILES_MOST][TS_TILE * SMALL_LOT_ROWS];
    for (int k = 0; k < at->count; ++k) {
        const double* A = q->tile[at->first + k];
        ts_four along = ts_four_zero();
        for (int r = 0; r < rows; ++r) {
            if (slides) along = ts_four_plus(along, ts_four_times(at->slip[r], ts_four_load(A + TS_TILE * r)));
            ts_four_store(ts_four_times(K[r], ts_four_load(A + TS_TILE * r)), KJ[k] + TS_TILE * r);
        }
        if (!slides) continue;
        for (int r = 0; r < rows; ++r) {
            ts_four across = ts_four_minus(ts_four_load(A + TS_TILE * r), ts_four_times(at->slip[r], along));
            ts_four_store(ts_four_times(r == 2 ? 0.0 : at->tangent, across), KJ[k] + TS_TILE * r);
        }
    }
    for (int i = 0; i < at->count; ++i) {
        double* row = ts_tiles_at(q->H, q->place[at->first + i], 0);
        const double* A = q->tile[at->first + i];
        for (int j = 0; j <= i; ++j) ts_tile_add(row + TS_TILE * TS_TILE * q->place[at->first + j], A, KJ[j], rows);
    }
}

static inline void small_couple_block(small* q, int b) {
    const small_block* s = &q->block[b];
    int rows = q->problem->block[b].rows, slides = s->state == SMALL_SLIDE;
    double K[TS_BLOCK_ROWS_MAX];
    for (int r = 0; r < rows; ++r) K[r] = rows > 1 && r == 2 ? s->normal : s->tangent;
    if (rows == 1)
        small_couple_rows(q, s, 1, K, 0);
    else if (rows == 3)
        small_couple_rows(q, s, 3, K, slides);
    else
        small_couple_rows(q, s, rows, K, slides);
}

// A lot of which everything moves.
static inline void small_couple_lot(small* q, const small_lot* lot) {
    small_block all;
    double K[SMALL_LOT_ROWS];
    memset(&all, 0, sizeof all);
    all.tiles = lot->tiles;
    all.first = lot->first;
    all.count = lot->count;
    for (int r = 0; r < lot->rows; ++r) K[r] = q->block[lot->block + r].normal;
    small_couple_rows(q, &all, lot->rows, K, 0);
}

static inline int small_make_system(small* q) {
    ts_tiles_begin(q->H, q->tiles);
    for (int k = 0; k < q->moving; ++k) {
        const small_lot* lot = &q->lot[q->move[k]];
        for (int b = lot->block; b < lot->block + lot->blocks; ++b)
            if (q->block[b].state != SMALL_REST) ts_tiles_couple(q->H, q->block[b].tiles);
    }
    ts_tiles_clear(q->H);
    for (int k = 0; k < q->moving; ++k) {
        const small_lot* lot = &q->lot[q->move[k]];
        if (lot->moving > 1 && lot->moving == lot->blocks) {
            small_couple_lot(q, lot);
            continue;
        }
        for (int b = lot->block; b < lot->block + lot->blocks; ++b)
            if (q->block[b].state != SMALL_REST) small_couple_block(q, b);
    }
    return ts_tiles_factor(q->H);
}

// What the normal of a sliding contact presses along.
static inline void small_press(const small* q, int b, double* out) {
    const ts_block* block = &q->problem->block[b];
    for (int r = 0; r < block->rows; ++r) out[r] = r == 2 ? 1.0 : block->mu * q->block[b].slip[r];
}

// What the normals of sliding contacts do to each other through H: n_i . H^-1 p_k, on the way down, where both are still zero but for their
// chains. Returns 0 where there is no factor.
static inline int small_make_slides(small* q, ts_arena* scratch) {
    int s = q->slides, n = TS_TILE * q->tiles, ld = ts_panel_padded(s);
    q->Z = TS_ARENA_ARRAY(scratch, double, 2 * s * n);
    q->spread = TS_ARENA_ARRAY(scratch, uint32_t, s);
    q->W = TS_ARENA_ARRAY(scratch, double, s* ld + s);
    q->pivot = TS_ARENA_ARRAY(scratch, int, s);
    if (!q->Z || !q->spread || !q->W || !q->pivot) return 0;
    static const double normal[TS_BLOCK_ROWS_MAX] = {0.0, 0.0, 1.0};
    double f[TS_BLOCK_ROWS_MAX];
    q->look = q->Z + s * n;
    memset(q->Z, 0, (size_t)(2 * s * n) * sizeof(double));
    for (int k = 0; k < s; ++k) {
        double *z = q->Z + k * n, *look = q->look + k * n;
        uint32_t tiles = q->block[q->slide[k]].tiles;
        small_press(q, q->slide[k], f);
        small_add_rows(q, q->slide[k], f, z);
        small_add_rows(q, q->slide[k], normal, look);
        ts_tiles_descend(q->H, tiles, z);
        q->spread[k] = ts_tiles_descend(q->H, tiles, look);
        ts_tiles_unpivot(q->H, q->spread[k], look);
    }
    for (int i = 0; i < s; ++i) {
        for (int k = 0; k < s; ++k)
            q->W[i * ld + k] = ts_tiles_dot(q->spread[i] & q->spread[k], q->look + i * n, q->Z + k * n);
        q->W[i * ld + i] += 1.0 / q->block[q->slide[i]].normal;
    }
    return ts_lu_factor(q->W, s, ld, q->pivot);
}

// Adds to dw, on its way down, and to c what sliding contacts press, so that their normal velocities vanish.
static inline void small_press_slides(small* q) {
    const ts_contact_problem* p = q->problem;
    int s = q->slides, n = TS_TILE * q->tiles, ld = ts_panel_padded(s);
    double *by = q->W + s * ld, f[TS_BLOCK_ROWS_MAX];
    for (int i = 0; i < s; ++i) {
        int row = p->block[q->slide[i]].row + 2;
        by[i] = -(q->u[row] + q->du[row]) - ts_tiles_dot(q->spread[i], q->look + i * n, q->dw);
    }
    ts_lu_solve(q->W, s, ld, q->pivot, by);
    for (int k = 0; k < s; ++k) {
        double* c = q->c + p->block[q->slide[k]].row;
        small_press(q, q->slide[k], f);
        ts_tiles_move(q->spread[k], by[k], q->Z + k * n, q->dw);
        for (int r = 0; r < p->block[q->slide[k]].rows; ++r) c[r] += by[k] * f[r];
    }
}

// Adds to the step of block b, whose so many rows dw moves by `change`, what c asks for, and leaves in c what that has missed by the weight. Returns
// the largest of it.
static inline double small_add_step_of(small* q, int b, int rows, const double* change) {
    const ts_contact_problem* p = q->problem;
    const ts_block* block = &p->block[b];
    const small_block* s = &q->block[b];
    double back[TS_BLOCK_ROWS_MAX], missed = 0.0;
    small_times_K(block, s, rows, change, back);
    for (int r = 0, i = block->row; r < rows; ++r, ++i) {
        double dx = q->c[i] - back[r];
        q->dx[i] += dx;
        q->du[i] += change[r] + small_softness(p, i) * dx;
        q->c[i] = 0.0;
        double u = q->u[i] + q->du[i];
        // What slides has its normal asked anew by every pass.
        if (s->state == SMALL_SLIDE && r == 2) missed = ts_worse(missed, fabs(s->step * u));
        if (s->state != SMALL_STICK) continue;
        q->c[i] = -(block->set == TS_SET_CONE && r == 2 ? s->normal : s->tangent) * u;
        missed = ts_worse(missed, fabs(s->step * u));
    }
    return missed;
}

// The same of all that moves.
static inline double small_add_step(small* q) {
    double missed = 0.0;
    ts_tiles_descend(q->H, small_all_tiles(q), q->dw);
    if (q->slides > 0) small_press_slides(q);
    ts_tiles_ascend(q->H, q->dw);
    for (int k = 0; k < q->moving; ++k) {
        const small_lot* lot = &q->lot[q->move[k]];
        double change[SMALL_LOT_ROWS] = {0.0};
        small_read(q, lot->first, lot->count, lot->rows, q->dw, change);
        int rows = lot->blocks > 1 ? 1 : lot->rows;
        for (int b = lot->block, i = 0; i < lot->blocks; ++b, ++i) {
            if (q->block[b].state == SMALL_REST) continue;
            double most = rows == 1   ? small_add_step_of(q, b, 1, change + i)
                          : rows == 3 ? small_add_step_of(q, b, 3, change + i)
                                      : small_add_step_of(q, b, rows, change + i);
            missed = ts_worse(missed, most);
        }
    }
    return missed;
}

// Newton's step into dx, from the law as it was linearised, to `enough` of its map. Returns 0 where there is none.
static inline int small_find_step(small* q, double enough, ts_arena* scratch) {
    const ts_contact_problem* p = q->problem;
    size_t bytes = (size_t)p->row_count * sizeof(double);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    small_weigh(q);
    if (!small_make_system(q) || (q->slides > 0 && !small_make_slides(q, scratch))) {
        ts_arena_scope_end(scratch, scope);
        return 0;
    }
    memset(q->dx, 0, bytes);
    memset(q->du, 0, bytes);
    memset(q->dw, 0, (size_t)(TS_TILE * q->tiles) * sizeof(double));
    for (int l = 0; l < q->lots; ++l) small_add_lot(q, &q->lot[l], q->c, q->dw);
    // What rests goes to its bound, and no pass adds to that.
    for (int b = 0; b < p->block_count; ++b) {
        const ts_block* block = &p->block[b];
        if (q->block[b].state != SMALL_REST) continue;
        for (int i = block->row; i < block->row + block->rows; ++i) {
            q->dx[i] = q->c[i];
            q->c[i] = 0.0;
        }
    }
    double missed = small_add_step(q);
    q->has_leapt = 0;
    for (int pass = 1; pass < (q->is_proximal ? 1 : SMALL_PASSES) && missed > enough && !q->has_leapt; ++pass) {
        double before = missed;
        memcpy(q->x0, q->dx, bytes);
        memset(q->dw, 0, (size_t)(TS_TILE * q->tiles) * sizeof(double));
        for (int k = 0; k < q->moving; ++k) small_add_lot(q, &q->lot[q->move[k]], q->c, q->dw);
        missed = small_add_step(q);
        q->has_leapt = missed > enough && missed >= small_jammed * before &&
                       missed > q->yardstick->goal.tolerance * small_unit_of(q) && small_leap(q, pass + 1, q->x0);
    }
    q->is_coarse = missed > enough && !q->is_proximal && !q->has_leapt;
    ts_arena_scope_end(scratch, scope);
    return 1;
}

#endif
