// Rows of blocks that move few velocities, as they lie in memory: what small_newton.c and small_central.c multiply with.
//
// Problem: J w and J^T lambda of blocks of one to six rows, most of them of one.
// Rule: rows are copied once into tiles of four columns, those of zeros left out. Blocks of one row that move one chain, as dry friction and
// limits do, lie in them side by side, as a lot, so that a tile is read and written once for all of them.
// Guaranteed: same bits in files compiled for AVX2; a lot's sums are those of its blocks, one after the other. Functions are here, and static,
// because small_newton_wide.c compiles them a second time.
#ifndef TS_CONTACT_SOLVERS_SMALL_ROWS_INTERNAL_H
#define TS_CONTACT_SOLVERS_SMALL_ROWS_INTERNAL_H

#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/judge/yardstick.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "base/linear/tiles.h"

enum { SMALL_ROWS = TS_BLOCK_ROWS_MAX, SMALL_TILE = TS_TILE, SMALL_LOT_ROWS = 8 };

// What a block does at the present point.
typedef enum small_state {
    SMALL_REST,   // open, at a bound, or nothing moves it
    SMALL_STICK,  // u = 0
    SMALL_SLIDE
} small_state;

// Rows that lie together: a block, or several of one row each.
typedef struct small_lot {
    int block;  // the first
    int blocks;
    int row;
    int rows;
    uint32_t tiles;  // bit t: it moves columns [4 t, 4 t + 4)
    int first;       // of its tiles; tile k of the lot, rows x 4, is at tile[first + k]
    int count;
    int moving;  // blocks of it that do not rest
} small_lot;

// A block's rows in tiles, those of its lot, and its linearised law delta = c - K J dw.
typedef struct small_block {
    uint32_t tiles;
    int first;
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
    small_lot* lot;  // (lots)
    int lots;
    const double** tile;   // rows x 4 numbers each
    unsigned char* place;  // of each: which columns
    double *x, *u;         // (rows) impulses and their velocities, or a trial
    double *x0, *u0;       // (rows) where the present step began
    double* c;             // (rows)
    double *dx, *du;       // (rows) the step
    double* w;             // (SMALL_TILE * tiles) J^T x
    int w_is_of_x;         // 0: of an x before
    double* dw;
    int* slide;  // (slides) blocks
    int* move;   // (moving) lots that do not rest
    int moving;
    int slides;
    double weight;  // what sticks gives, by its stiffness
    int has_cones;
    int is_proximal;  // nonzero: what sticks gives near_weight, and passes leave it so
    double near_weight;
    int has_leapt;  // nonzero: the last step goes to where something gives (small_jam_internal.h), and is not to be shortened
    int is_coarse;     // nonzero: passes left more of the last step than they should
    double* Z;         // (slides x SMALL_TILE * tiles) L^-T of what each presses along, H = L^T D L
    double* look;      // (slides x SMALL_TILE * tiles) D^-1 L^-T of its normal
    uint32_t* spread;  // (slides) tiles of the two that may not be zero
    double* W;         // (slides^2) how that moves normals, factored
    int* pivot;        // (slides) of W
    double worst;      // of the map, a block each
    double natural;    // 1: the natural map is no more than that times `worst`; HUGE_VAL where that is not known
    double squared;
    ts_tiles* H;
} small;

// ts_largest (base/scalar.h): the largest |x[i]| of n numbers, 0 of none, and not a number where one of them is none.
static inline double small_largest(const double* x, int n) {
    ts_four most = ts_four_zero(), rest = most;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        ts_four v = ts_four_load(x + i);
        most = ts_four_most(ts_four_size(v), most);
        rest = ts_four_plus(rest, ts_four_product(ts_four_zero(), v));  // not zero where something is not finite
    }
    if (ts_four_sum(rest) != 0.0) i = 0;
    double v[4], largest = 0.0;
    ts_four_store(most, v);
    for (int k = 0; k < 4 && i > 0; ++k) largest = v[k] > largest ? v[k] : largest;
    for (; i < n; ++i)
        if (!(fabs(x[i]) <= largest) && !isnan(largest)) largest = fabs(x[i]);
    return largest;
}

// out[r] = row r of what lies in `count` tiles from `first` on, times w. Three rows together wait less.
static inline void small_read(const small* q, int first, int count, int rows, const double* w, double* out) {
    int r = 0;
    for (; r + 3 <= rows; r += 3) {
        ts_four x = ts_four_zero(), y = x, z = x;
        for (int k = first; k < first + count; ++k) {
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
    for (; r < rows; ++r) {
        ts_four x = ts_four_zero();
        for (int k = first; k < first + count; ++k)
            x = ts_four_plus(x, ts_four_product(ts_four_load(q->tile[k] + SMALL_TILE * r),
                                                ts_four_load(w + SMALL_TILE * q->place[k])));
        out[r] = ts_four_sum(x);
    }
}

static inline int small_all_zero(const double* f, int rows) {
    for (int r = 0; r < rows; ++r)
        if (f[r] != 0.0) return 0;
    return 1;
}

// The same sums of three rows, as contacts have them.
static inline void small_add_three(const small* q, int first, int count, const double* f, double* w) {
    ts_four f0 = ts_four_all(f[0]), f1 = ts_four_all(f[1]), f2 = ts_four_all(f[2]);
    for (int k = first; k < first + count; ++k) {
        const double* A = q->tile[k];
        double* v = w + SMALL_TILE * q->place[k];
        ts_four sum = ts_four_plus(ts_four_load(v), ts_four_product(f0, ts_four_load(A)));
        sum = ts_four_plus(sum, ts_four_product(f1, ts_four_load(A + SMALL_TILE)));
        ts_four_store(ts_four_plus(sum, ts_four_product(f2, ts_four_load(A + 2 * SMALL_TILE))), v);
    }
}

// w += J^T f of what lies there.
static inline void small_add(const small* q, int first, int count, int rows, const double* f, double* w) {
    // Limits that are not reached, contacts that are open.
    if (small_all_zero(f, rows)) return;
    if (rows == 3) {
        small_add_three(q, first, count, f, w);
        return;
    }
    for (int k = first; k < first + count; ++k) {
        const double* A = q->tile[k];
        double* v = w + SMALL_TILE * q->place[k];
        ts_four sum = ts_four_plus(ts_four_load(v), ts_four_times(f[0], ts_four_load(A)));
        for (int r = 1; r < rows; ++r) sum = ts_four_plus(sum, ts_four_times(f[r], ts_four_load(A + SMALL_TILE * r)));
        ts_four_store(sum, v);
    }
}

// The same of a block.
static inline void small_read_rows(const small* q, int b, const double* w, double* out) {
    small_read(q, q->block[b].first, q->block[b].count, q->problem->block[b].rows, w, out);
}

static inline void small_add_rows(const small* q, int b, const double* f, double* w) {
    small_add(q, q->block[b].first, q->block[b].count, q->problem->block[b].rows, f, w);
}

// The same of a lot; f and out of all rows of the problem.
static inline void small_read_lot(const small* q, const small_lot* lot, const double* w, double* out) {
    small_read(q, lot->first, lot->count, lot->rows, w, out + lot->row);
}

static inline void small_add_lot(const small* q, const small_lot* lot, const double* f, double* w) {
    small_add(q, lot->first, lot->count, lot->rows, f + lot->row, w);
}

static inline uint32_t small_all_tiles(const small* q) { return (1u << q->tiles) - 1; }

static inline double small_softness(const ts_contact_problem* p, int row) { return p->R ? p->R[row] : 0.0; }

// u of the impulses in x.
static inline void small_find_velocities(small* q) {
    const ts_contact_problem* p = q->problem;
    q->w_is_of_x = 1;
    memset(q->w, 0, (size_t)(SMALL_TILE * q->tiles) * sizeof(double));
    for (int l = 0; l < q->lots; ++l) small_add_lot(q, &q->lot[l], q->x, q->w);
    for (int l = 0; l < q->lots; ++l) small_read_lot(q, &q->lot[l], q->w, q->u);
    for (int i = 0; i < p->row_count; ++i) q->u[i] += p->g[i] + small_softness(p, i) * q->x[i];
}

// The columns of a segment's rows into their tiles, which lie one behind the other, `size` numbers each, from `to` on.
static inline void small_copy_segment(const ts_delassus_segment* s, int rows, int size, double* to) {
    const double* J = s->J;
    for (int slot = s->column % SMALL_TILE, left = s->count, width; left > 0; left -= width, J += width, to += size) {
        width = SMALL_TILE - slot < left ? SMALL_TILE - slot : left;
        const double* from = J;
        double* at = to + slot;
        for (int r = 0; r < rows; ++r, from += s->count, at += SMALL_TILE) {
            if (width == SMALL_TILE) {
                ts_four_store(ts_four_load(from), at);
                continue;
            }
            at[0] = from[0];
            if (width > 1) at[1] = from[1];
            if (width > 2) at[2] = from[2];
        }
        slot = 0;
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

// Whether block b joins a lot: a row of a chain of which the lot has more, or less, but no other.
static inline int small_joins(const small* q, const small_lot* lot, int b) {
    uint32_t both = lot->tiles | q->block[b].tiles;
    return lot->rows == lot->blocks && lot->rows < SMALL_LOT_ROWS && q->problem->block[b].rows == 1 &&
           q->problem->block[b].row == lot->row + lot->rows && (both == lot->tiles || both == q->block[b].tiles);
}

static inline void small_open_lot(small* q, int b) {
    small_lot* lot = &q->lot[q->lots++];
    memset(lot, 0, sizeof *lot);
    lot->block = b;
    lot->row = q->problem->block[b].row;
}

// Which blocks lie together, and how many tiles and numbers that takes at most.
static inline void small_make_lots(small* q, const ts_velocity_form* form, int* out_tiles, int* out_numbers) {
    const ts_contact_problem* p = q->problem;
    *out_tiles = *out_numbers = 0;
    for (int b = 0; b < p->block_count; ++b) {
        small_block* s = &q->block[b];
        s->tiles = 0;
        for (int k = form->segment_start[b]; k < form->segment_start[b + 1]; ++k)
            s->tiles |= small_tiles_of(&form->segment[k]);
        if (q->lots == 0 || !small_joins(q, &q->lot[q->lots - 1], b)) small_open_lot(q, b);
        small_lot* lot = &q->lot[q->lots - 1];
        ++lot->blocks;
        lot->rows += p->block[b].rows;
        lot->tiles |= s->tiles;
        *out_tiles += ts_tiles_bits(s->tiles);
    }
    for (int l = 0; l < q->lots; ++l) {
        *out_tiles += ts_tiles_bits(q->lot[l].tiles);
        *out_numbers += SMALL_TILE * q->lot[l].rows * ts_tiles_bits(q->lot[l].tiles);
    }
}

// The tiles of row i of a lot, as those of a block of their own.
static inline void small_list_lone(small* q, const small_lot* lot, int i, int* io_tile) {
    small_block* s = &q->block[lot->block + i];
    s->tiles = 0;
    s->first = *io_tile;
    for (int k = lot->first; k < lot->first + lot->count; ++k) {
        const double* at = q->tile[k] + SMALL_TILE * i;
        if (small_all_zero(at, SMALL_TILE)) continue;
        s->tiles |= 1u << q->place[k];
        q->place[*io_tile] = q->place[k];
        q->tile[(*io_tile)++] = at;
    }
    s->count = *io_tile - s->first;
}

// Copies the rows of a lot but for tiles of zeros; *io_at is the next free number, *io_tile the next tile.
static inline void small_pack(small* q, const ts_velocity_form* form, small_lot* lot, int* io_tile, double** io_at) {
    int size = SMALL_TILE * lot->rows, tile = *io_tile;
    double* at = *io_at;
    memset(at, 0, (size_t)(size * ts_tiles_bits(lot->tiles)) * sizeof(double));
    for (int i = 0; i < lot->blocks; ++i) {
        int b = lot->block + i;
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* k = &form->segment[s];
            int before = ts_tiles_bits(lot->tiles & ((1u << k->column / SMALL_TILE) - 1));
            small_copy_segment(k, q->problem->block[b].rows, size, at + size * before + SMALL_TILE * i);
        }
    }
    lot->first = tile;
    for (uint32_t left = lot->tiles; left; left &= left - 1, at += size) {
        int t = ts_tiles_first(left);
        if (at[0] == 0.0 && small_is_zero(at, size)) {
            lot->tiles ^= 1u << t;
            continue;
        }
        q->place[tile] = (unsigned char)t;
        q->tile[tile++] = at;
    }
    lot->count = tile - lot->first;
    small_block* own = &q->block[lot->block];
    own->tiles = lot->tiles;
    own->first = lot->first;
    own->count = lot->count;
    for (int i = 0; lot->blocks > 1 && i < lot->blocks; ++i) small_list_lone(q, lot, i, &tile);
    *io_tile = tile;
    *io_at = at;
}

#endif
