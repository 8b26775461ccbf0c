// The law of blocks that move few velocities, linearised: what small_newton.c makes its systems of.
//
// Problem: rows of a block as they lie in memory, J lambda and J^T u of them, and at the present point delta = c - K J dw for each block.
// Rule: what a block does (rests, sticks, slides) is read off the natural map in Alart's and Curnier's form; c and K follow. Rows are
// copied once into tiles of four columns, those of zeros left out.
// Source: see small_newton.c. Guaranteed: same bits in files compiled for AVX2. Functions are here, and static, because
// small_newton_wide.c compiles them a second time.
#ifndef TS_CONTACT_SOLVERS_SMALL_LAW_INTERNAL_H
#define TS_CONTACT_SOLVERS_SMALL_LAW_INTERNAL_H

#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/judge/yardstick.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/operator/stiffness_internal.h"
#include "contact/operator/tiles_internal.h"

enum { SMALL_ROWS = TS_BLOCK_ROWS_MAX, SMALL_TILE = TS_TILE };

// What a block does at the present point.
typedef enum small_state {
    SMALL_REST,   // open, at a bound, or nothing moves it
    SMALL_STICK,  // u = 0
    SMALL_SLIDE
} small_state;

// A block's rows in tiles, and its linearised law delta = c - K J dw.
typedef struct small_block {
    uint32_t tiles;  // bit t: it moves columns [4 t, 4 t + 4)
    int first;       // of its tiles; tile k of the block, rows x 4, is at tile[first + k]
    int count;
    double step;  // kg: 1 / stiffness; 0: nothing moves it
    small_state state;
    double normal;            // K of a normal, and of rows that are no cone's
    double tangent;           // K of tangent rows, while sliding only across the slip
    double slip[SMALL_ROWS];  // direction of friction while sliding; 0 in the normal
} small_block;

typedef struct small {
    const ts_contact_problem* problem;
    const ts_yardstick* yardstick;
    int tiles;  // in a row of H
    small_block* block;
    const double** tile;   // rows x 4 numbers each
    unsigned char* place;  // of each: which columns
    double *x, *u;         // (rows) impulses and their velocities, or a trial
    double *x0, *u0;       // (rows) where the present step began
    double* c;             // (rows)
    double *dx, *du;       // (rows) the step
    double* w;             // (SMALL_TILE * tiles)
    double* dw;
    int* slide;  // (slides) blocks
    int* move;   // (moving) blocks that do not rest
    int moving;
    int slides;
    double weight;  // what sticks gives, by its stiffness
    int has_cones;
    int is_proximal;  // nonzero: what sticks gives near_weight, and passes leave it so
    double near_weight;
    int is_coarse;  // nonzero: passes left more of the last step than they should
    double* Z;      // (slides x SMALL_TILE * tiles) H^-1 of what each presses along
    double* W;      // (slides^2) how that moves normals, factored
    int* pivot;     // (slides) of W
    double worst;   // of the map, a block each
    double squared;
    ts_tiles* H;
} small;

// --- rows ----------------------------------------------------------------------------------------------------------------

// Row r of a block times w.
static inline double small_read_row(const small* q, const small_block* s, int r, const double* w) {
    ts_four sum = ts_four_zero();
    for (int k = s->first; k < s->first + s->count; ++k) {
        ts_four v = ts_four_load(w + SMALL_TILE * q->place[k]);
        sum = ts_four_plus(sum, ts_four_product(ts_four_load(q->tile[k] + SMALL_TILE * r), v));
    }
    return ts_four_sum(sum);
}

// out[r] = row r of a block times w. Three together wait less.
static inline void small_read_rows(const small* q, int b, const double* w, double* out) {
    const small_block* s = &q->block[b];
    int rows = q->problem->block[b].rows, r = 0;
    for (; r + 3 <= rows; r += 3) {
        ts_four x = ts_four_zero(), y = x, z = x;
        for (int k = s->first; k < s->first + s->count; ++k) {
            const double* A = q->tile[k] + SMALL_TILE * r;
            ts_four v = ts_four_load(w + SMALL_TILE * q->place[k]);
            x = ts_four_plus(x, ts_four_product(ts_four_load(A), v));
            y = ts_four_plus(y, ts_four_product(ts_four_load(A + SMALL_TILE), v));
            z = ts_four_plus(z, ts_four_product(ts_four_load(A + 2 * SMALL_TILE), v));
        }
        out[r] = ts_four_sum(x);
        out[r + 1] = ts_four_sum(y);
        out[r + 2] = ts_four_sum(z);
    }
    for (; r < rows; ++r) out[r] = small_read_row(q, s, r, w);
}

// Four vectors of n numbers each, a tile's multiple, that lie one behind the other: side by side.
static inline void small_turn_four(int n, const double* from, double* to) {
    for (int j = 0; j < n; j += SMALL_TILE, to += SMALL_TILE * SMALL_TILE) {
        ts_four a = ts_four_load(from + j), b = ts_four_load(from + n + j), c = ts_four_load(from + 2 * n + j),
                d = ts_four_load(from + 3 * n + j);
        ts_four_transpose(&a, &b, &c, &d);
        ts_four_store(a, to), ts_four_store(b, to + 4), ts_four_store(c, to + 8), ts_four_store(d, to + 12);
    }
}

// And back.
static inline void small_turn_four_back(int n, const double* from, double* to) {
    for (int j = 0; j < n; j += SMALL_TILE, from += SMALL_TILE * SMALL_TILE) {
        ts_four a = ts_four_load(from), b = ts_four_load(from + 4), c = ts_four_load(from + 8),
                d = ts_four_load(from + 12);
        ts_four_transpose(&a, &b, &c, &d);
        ts_four_store(a, to + j), ts_four_store(b, to + n + j), ts_four_store(c, to + 2 * n + j),
            ts_four_store(d, to + 3 * n + j);
    }
}

// out[0..3] = row r of a block times four vectors side by side, each as small_read_row has it.
static inline void small_read_row_four(const small* q, const small_block* s, int r, const double* w, double* out) {
    ts_four sum[SMALL_TILE] = {ts_four_zero(), ts_four_zero(), ts_four_zero(), ts_four_zero()};
    for (int k = s->first; k < s->first + s->count; ++k) {
        const double *A = q->tile[k] + SMALL_TILE * r, *v = w + SMALL_TILE * SMALL_TILE * q->place[k];
        for (int c = 0; c < SMALL_TILE; ++c)
            sum[c] = ts_four_plus(sum[c], ts_four_times(A[c], ts_four_load(v + SMALL_TILE * c)));
    }
    ts_four_store(ts_four_plus(ts_four_plus(sum[0], sum[2]), ts_four_plus(sum[1], sum[3])), out);
}

// w += J^T f of a block.
static inline void small_add_rows(const small* q, int b, const double* f, double* w) {
    const small_block* s = &q->block[b];
    int rows = q->problem->block[b].rows;
    // Limits that are not reached, contacts that are open: most of what there is.
    if (f[0] == 0.0 && (rows == 1 || (rows == 3 && f[1] == 0.0 && f[2] == 0.0))) return;
    for (int k = s->first; k < s->first + s->count; ++k) {
        const double* A = q->tile[k];
        double* v = w + SMALL_TILE * q->place[k];
        ts_four sum = ts_four_plus(ts_four_load(v), ts_four_times(f[0], ts_four_load(A)));
        for (int r = 1; r < rows; ++r) sum = ts_four_plus(sum, ts_four_times(f[r], ts_four_load(A + SMALL_TILE * r)));
        ts_four_store(sum, v);
    }
}

static inline double small_softness(const ts_contact_problem* p, int row) { return p->R ? p->R[row] : 0.0; }

// u of the impulses in x.
static inline void small_find_velocities(small* q) {
    const ts_contact_problem* p = q->problem;
    memset(q->w, 0, (size_t)(SMALL_TILE * q->tiles) * sizeof(double));
    for (int b = 0; b < p->block_count; ++b) small_add_rows(q, b, q->x + p->block[b].row, q->w);
    for (int b = 0; b < p->block_count; ++b) small_read_rows(q, b, q->w, q->u + p->block[b].row);
    for (int i = 0; i < p->row_count; ++i) q->u[i] += p->g[i] + small_softness(p, i) * q->x[i];
}

// The columns of a segment's rows into their tiles (rows x 4), which lie one behind the other from `to` on.
static inline void small_copy_segment(const ts_delassus_segment* s, int rows, double* to) {
    int lead = s->column % SMALL_TILE, n = s->count;
    for (int r = 0; r < rows; ++r) {
        const double* J = s->J + r * n;
        double* at = to + SMALL_TILE * r;
        int j = 0;
        for (int slot = lead; lead > 0 && slot < SMALL_TILE && j < n; ++slot) at[slot] = J[j++];
        if (lead > 0) at += SMALL_TILE * rows;
        for (; j + SMALL_TILE <= n; j += SMALL_TILE, at += SMALL_TILE * rows) ts_four_store(ts_four_load(J + j), at);
        for (int slot = 0; j < n; ++slot) at[slot] = J[j++];
    }
}

static inline int small_is_zero(const double* tile, int numbers) {
    ts_four sum = ts_four_zero();
    for (int i = 0; i < numbers; i += SMALL_TILE)
        sum = ts_four_plus(sum, ts_four_product(ts_four_load(tile + i), ts_four_load(tile + i)));
    return ts_four_sum(sum) == 0.0;
}

static inline uint32_t small_tiles_of(const ts_delassus_segment* s) {
    int first = s->column / SMALL_TILE, last = (s->column + s->count - 1) / SMALL_TILE;
    return s->count > 0 ? ((2u << last) - 1) & ~((1u << first) - 1) : 0;
}

// Copies the rows of block b but for tiles of zeros; *io_at is the next free number, *io_tile the next tile.
static inline void small_pack(small* q, const ts_velocity_form* form, int b, int* io_tile, double** io_at) {
    small_block* s = &q->block[b];
    const ts_delassus_segment *first = form->segment + form->segment_start[b],
                              *end = form->segment + form->segment_start[b + 1];
    int rows = q->problem->block[b].rows, tile = *io_tile, size = SMALL_TILE * rows;
    double* at = *io_at;
    s->tiles = 0;
    s->first = tile;
    for (const ts_delassus_segment* k = first; k < end; ++k) s->tiles |= small_tiles_of(k);
    memset(at, 0, (size_t)(size * ts_tiles_bits(s->tiles)) * sizeof(double));
    for (const ts_delassus_segment* k = first; k < end; ++k)
        small_copy_segment(k, rows, at + size * ts_tiles_bits(s->tiles & ((1u << k->column / SMALL_TILE) - 1)));
    for (uint32_t left = s->tiles; left; left &= left - 1, at += size) {
        int t = ts_tiles_first(left);
        if (small_is_zero(at, size)) {
            s->tiles ^= 1u << t;
            continue;
        }
        q->place[tile] = (unsigned char)t;
        q->tile[tile++] = at;
    }
    s->count = tile - s->first;
    *io_tile = tile;
    *io_at = at;
}

// --- the law -------------------------------------------------------------------------------------------------------------

// Of a smooth contact only the normal counts: nothing else of it can press.
static inline double small_inverse_stiffness(const small* q, const ts_velocity_form* form, int b) {
    const ts_contact_problem* p = q->problem;
    const ts_block* block = &p->block[b];
    double stiffness;
    const double* D = form->diagonal + form->diagonal_start[b];
    int row = block->row;
    if (block->set == TS_SET_CONE && !(block->mu > 0.0)) {
        stiffness = D[2 * block->rows + 2] + small_softness(p, row + 2);
    } else if (block->set == TS_SET_CONE && block->rows == 3) {
        stiffness = ts_stiffness_bound_3x3(D[0] + small_softness(p, row), D[4] + small_softness(p, row + 1),
                                           D[8] + small_softness(p, row + 2), D[1], D[2], D[5]);
    } else {
        stiffness = ts_contact_problem_stiffness(p, b);
    }
    return stiffness > 0.0 ? 1.0 / stiffness : 0.0;
}

// Rows that are no cone's. Returns the largest entry of the map. `hold`: how far y may leave a bound and be held there.
static inline double small_linearise_rows(small* q, int b, double hold) {
    double weight = q->is_proximal ? q->near_weight : q->weight;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    double worst = 0.0;
    for (int i = block->row; i < block->row + block->rows; ++i) {
        double x = q->x[i], away = -s->step * q->u[i];
        // At a bound, where the other way leads out: as if it wanted to go there.
        if (fabs(away) < hold && ts_block_set_clamp(block, x - away) == x) away = -away;
        double y = x + away, p = ts_block_set_clamp(block, y);
        int is_free = p == y;
        worst = ts_worse(worst, fabs(p - x));
        s->state = is_free ? SMALL_STICK : SMALL_REST;
        s->normal = s->tangent = 1.0 / (weight / s->step + small_softness(q->problem, i));
        q->c[i] = is_free ? -s->normal * q->u[i] : p - x;
    }
    return worst;
}

// A contact that slides: y is where the map looks, with a tangent part of that length.
static inline double small_linearise_slide(small* q, int b, const double* y, double length) {
    double weight = q->is_proximal ? q->near_weight : q->weight;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double* c = q->c + block->row;
    // Friction follows y's direction, which turns with the velocity across it: that is the last term of
    // (1 - part (1 - step R)) delta_across = -x_across - part step u_across.
    double radius = block->mu * y[2], part = radius / length, along = 0.0, worst = fabs(s->step * u[2]);
    double across = 1.0 / ((1.0 - part) + part * s->step * small_softness(q->problem, block->row) + weight);
    s->state = SMALL_SLIDE;
    s->tangent = part * s->step * across;
    for (int r = 0; r < block->rows; ++r) {
        s->slip[r] = r == 2 ? 0.0 : y[r] / length;
        along += x[r] * s->slip[r];
    }
    for (int r = 0; r < block->rows; ++r) {
        if (r == 2) continue;
        worst = ts_worse(worst, fabs(x[r] - radius * s->slip[r]));
        c[r] = (block->mu * x[2] - along) * s->slip[r] - across * (x[r] - along * s->slip[r]);
    }
    c[2] = 0.0;
    q->slide[q->slides++] = b;
    return worst;
}

// kg^-1: the s for which u_T is nearest to -s x_T, where a row counts by how little an impulse changes it.
static inline double small_slip(const small* q, int b) {
    const ts_block* block = &q->problem->block[b];
    const small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double against = 0.0, all = 0.0;
    for (int r = 0; r < block->rows; ++r) {
        double gives = small_softness(q->problem, block->row + r);
        for (int k = s->first; r != 2 && k < s->first + s->count; ++k) {
            ts_four J = ts_four_load(q->tile[k] + SMALL_TILE * r);
            gives += ts_four_sum(ts_four_product(J, J));
        }
        if (r == 2 || !(gives > 0.0)) continue;
        against -= x[r] * u[r] / gives;
        all += x[r] * x[r] / gives;
    }
    return all > 0.0 ? against / all : 0.0;
}

// A contact whose friction is at its bound has slid, and slides on if it creeps: friction stays at its bound, and turns with the velocity
// across it. u, by contrast, is not yet an answer's, and its direction says nothing of what creeps. With rolling friction that is the rule:
// its rows move a thousandth as fast as the others, and sliding keeps step with them. Returns 0 where it does not slide on.
static inline int small_slide_on(small* q, int b) {
    // 1: of the bound, where friction counts as there. 0.999 to 1 - 1e-7.
    static const double at_bound = 0.99999;
    // 1: of the speed that its friction would stop; what is faster shows in u. 0.01 to 1.
    static const double slow = 0.1;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double friction = ts_block_set_tangent_length(x, block->rows), along = 0.0;
    if (!(friction > 0.0 && friction >= at_bound * block->mu * x[2])) return 0;
    double slip = small_slip(q, b);
    if (!(slip > 0.0 && slip * s->step < slow)) return 0;
    s->state = SMALL_SLIDE;
    s->tangent = 1.0 / (slip + small_softness(q->problem, block->row));
    for (int r = 0; r < block->rows; ++r) {
        s->slip[r] = r == 2 ? 0.0 : x[r] / friction;
        along += s->slip[r] * u[r];
    }
    for (int r = 0; r < block->rows; ++r)
        q->c[block->row + r] =
            r == 2 ? 0.0 : (block->mu * x[2] - friction) * s->slip[r] - s->tangent * (u[r] - along * s->slip[r]);
    q->slide[q->slides++] = b;
    return 1;
}

// A frictional contact.
static inline double small_linearise_cone(small* q, int b, double hold) {
    double weight = q->is_proximal ? q->near_weight : q->weight;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    int rows = block->rows;
    const double *x = q->x + block->row, *u = q->u + block->row;
    double y[SMALL_ROWS] = {0.0}, worst = 0.0;
    for (int r = 0; r < rows; ++r) y[r] = x[r] - s->step * u[r];
    if (!(y[2] > (x[2] == 0.0 ? hold : 0.0))) {
        s->state = SMALL_REST;
        for (int r = 0; r < rows; ++r) {
            q->c[block->row + r] = -x[r];
            worst = ts_worse(worst, fabs(x[r]));
        }
        return worst;
    }
    double length = ts_block_set_tangent_length(y, rows);
    s->normal = 1.0 / (weight / s->step + small_softness(q->problem, block->row + 2));
    if (hold > 0.0 && small_slide_on(q, b)) return s->step * ts_largest(u, rows);
    if (length > block->mu * y[2]) return small_linearise_slide(q, b, y, length);
    s->state = SMALL_STICK;
    s->tangent = 1.0 / (weight / s->step + small_softness(q->problem, block->row));
    for (int r = 0; r < rows; ++r) {
        q->c[block->row + r] = -(r == 2 ? s->normal : s->tangent) * u[r];
        worst = ts_worse(worst, fabs(s->step * u[r]));
    }
    return worst;
}

// The law of all blocks at the present point.
static inline void small_linearise(small* q, double hold) {
    q->slides = q->moving = 0;
    q->worst = q->squared = 0.0;
    for (int b = 0; b < q->problem->block_count; ++b) {
        const ts_block* block = &q->problem->block[b];
        if (!(q->block[b].step > 0.0)) {
            memset(q->c + block->row, 0, (size_t)block->rows * sizeof(double));
            continue;
        }
        double gap = block->set == TS_SET_CONE ? small_linearise_cone(q, b, hold) : small_linearise_rows(q, b, hold);
        if (q->block[b].state != SMALL_REST) q->move[q->moving++] = b;
        q->worst = ts_worse(q->worst, gap);
        q->squared += gap * gap;
    }
}

// out = K f, without what sliding normals do.
static inline void small_times_K(const ts_block* block, const small_block* s, const double* f, double* out) {
    double along = 0.0;
    for (int r = 0; r < block->rows; ++r) out[r] = s->tangent * f[r];
    if (block->set != TS_SET_CONE) return;
    out[2] = s->normal * f[2];
    if (s->state != SMALL_SLIDE) return;
    for (int r = 0; r < block->rows; ++r) along += s->slip[r] * f[r];
    for (int r = 0; r < block->rows; ++r) out[r] -= s->tangent * along * s->slip[r];
    out[2] = 0.0;
}

#endif
