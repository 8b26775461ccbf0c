// Newton on the exact law in the space of velocities, where few of them move: robots, hands, a handful of bodies.
//
// Problem: the exact law of blocks that move up to 64 velocities; most often a robot, from the impulses of the step before.
// Rule: every step asks what each row does: open or at a bound (its impulse moves there), sticking or pressing (u = 0), sliding
// (friction mu lambda_n along -u_T, linearised in both). That is the natural map in Alart's and Curnier's form, with the inverse
// stiffness of the block as its step. What sticks gives linear equations u + weight delta = 0 with a weight of 1e-5 stiffnesses, so that
// an answer exists where contacts are redundant: the nearest; passes with the same factor take back what that gave. delta = c - K J dw takes impulses out, and leaves
//
//     (1 + J^T K J) dw = J^T c,      w = J^T lambda,
//
// symmetric, as sparse as the tree and no larger than its degrees of freedom however many rows there are (contact/operator/tiles.c). The
// normals of sliding contacts make it unsymmetric; they stay unknowns of their own, in a dense system of that many rows.
// From a good start this ends after one step. So that noise in u does not take rows from their bounds, the first step leaves there
// what hardly wants to move. Whole steps have FREE_STEPS to get there; one after which the map has exploded, because what it took to stick
// cannot, is taken back and held near by a larger weight that no pass takes back. From then on steps are halved until the map falls, and
// every other three of them are held near: a proximal step gets past cycles of states. What has not come anywhere so is begun again from nothing.
// Source: Alart and Curnier 1991; primal-dual active sets: Hintermueller, Ito and Kunisch 2002; elimination of impulses: as in the
// augmented Lagrangian.
// Guaranteed: converged means the yardstick, on an admissible impulse and its own velocity; what does not converge stays as it was.
// Known to fail: one problem in a hundred of robots that fall over themselves, mostly where contacts close or let go in numbers.
#include "contact/solvers/newton/small_newton_internal.h"

#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/operator/tiles_internal.h"
#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/operator/stiffness_internal.h"
#include "contact/trace.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    N = TS_TILE,
    FREE_STEPS = 6,      // 3 to 10
    PROXIMAL_STEPS = 3,  // in turns with as many others. 3 to 6
    PASSES = 4,          // 2 to 4
    STEPS = 40           // from one start
};

// 1: what sticks may give, by its stiffness; further passes take that back. 3e-6 to 1e-4: less leaves rounding, more steps. Where masses
// are so far apart that passes do not suffice, it falls once whole steps have had their chance.
static const double first_weight = 1e-5, weight_fall = 0.3, least_weight = 1e-8;
// 1: the same while steps are proximal. 1e-3 to 1e-1. And what it rises by where that was not enough.
static const double proximal_weight = 1e-3, weight_rise = 30.0;
// 1: the sum of the squares of the map, by that before a whole step, above which it is taken back. Robots driven at random: of 2000 steps of
// talos, one in a hundred that end well passes 1e3 on the way, and half of those that do not. 10 to 1e5.
static const double explosion = 1e3;
// 1: of the problem's impulses: a map under it has not exploded, whatever it was before. 1e-9 to 0.1.
static const double large = 0.01;
// 1: of the problem's impulses: under it a row does not leave its bound in the first step. 1e-4 to 1e-3 of 0 to 1.
static const double margin = 3e-4;
// 1: tolerances, of Alart and Curnier's map, at which the yardstick is asked.
static const double near = 3.0;
// 1: tolerances, of the map, left by a linear system. 1e-4 to 1.
static const double few_digits = 1e-1;
// 1: shortest part of a step.
static const double least_part = 0.01;

// What a block does at the present point.
typedef enum block_state {
    REST,   // open, at a bound, or nothing moves it
    STICK,  // u = 0
    SLIDE
} block_state;

// A block's rows in tiles, and its linearised law delta = c - K J dw.
typedef struct small_block {
    uint32_t tiles;  // bit t: it moves columns [4 t, 4 t + 4)
    int first;       // of its tiles; tile k of the block, rows x 4, is at tile[first + k]
    int count;
    double step;  // kg: 1 / stiffness; 0: nothing moves it
    block_state state;
    double normal;     // K of a normal, and of rows that are no cone's
    double tangent;    // K of tangent rows, while sliding only across the slip
    double slip[MAX];  // direction of friction while sliding; 0 in the normal
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
    double* w;             // (N * tiles)
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
    double *Z, *W;  // (slides x N * tiles) H^-1 of what each presses along; (slides^2) how that moves normals, factored
    int* pivot;     // (slides) of W
    double worst;   // of the map, a block each
    double squared;
    ts_tiles* H;
} small;

// --- rows ----------------------------------------------------------------------------------------------------------------

// Row r of a block times w.
static inline double read_row(const small* q, const small_block* s, int r, const double* w) {
    ts_four sum = ts_four_zero();
    for (int k = s->first; k < s->first + s->count; ++k) {
        ts_four v = ts_four_load(w + N * q->place[k]);
        sum = ts_four_plus(sum, ts_four_product(ts_four_load(q->tile[k] + N * r), v));
    }
    return ts_four_sum(sum);
}

// out[r] = row r of a block times w. Three together wait less.
static inline void read_rows(const small* q, int b, const double* w, double* out) {
    const small_block* s = &q->block[b];
    int rows = q->problem->block[b].rows, r = 0;
    for (; r + 3 <= rows; r += 3) {
        ts_four x = ts_four_zero(), y = x, z = x;
        for (int k = s->first; k < s->first + s->count; ++k) {
            const double* A = q->tile[k] + N * r;
            ts_four v = ts_four_load(w + N * q->place[k]);
            x = ts_four_plus(x, ts_four_product(ts_four_load(A), v));
            y = ts_four_plus(y, ts_four_product(ts_four_load(A + N), v));
            z = ts_four_plus(z, ts_four_product(ts_four_load(A + 2 * N), v));
        }
        out[r] = ts_four_sum(x);
        out[r + 1] = ts_four_sum(y);
        out[r + 2] = ts_four_sum(z);
    }
    for (; r < rows; ++r) out[r] = read_row(q, s, r, w);
}

// w += J^T f of a block.
static inline void add_rows(const small* q, int b, const double* f, double* w) {
    const small_block* s = &q->block[b];
    int rows = q->problem->block[b].rows;
    // Limits that are not reached, contacts that are open: most of what there is.
    if (f[0] == 0.0 && (rows == 1 || (rows == 3 && f[1] == 0.0 && f[2] == 0.0))) return;
    for (int k = s->first; k < s->first + s->count; ++k) {
        const double* A = q->tile[k];
        double* v = w + N * q->place[k];
        ts_four sum = ts_four_plus(ts_four_load(v), ts_four_times(f[0], ts_four_load(A)));
        for (int r = 1; r < rows; ++r) sum = ts_four_plus(sum, ts_four_times(f[r], ts_four_load(A + N * r)));
        ts_four_store(sum, v);
    }
}

static double softness(const ts_contact_problem* p, int row) { return p->R ? p->R[row] : 0.0; }

// u of the impulses in x.
static void find_velocities(small* q) {
    const ts_contact_problem* p = q->problem;
    memset(q->w, 0, (size_t)(N * q->tiles) * sizeof(double));
    for (int b = 0; b < p->block_count; ++b) add_rows(q, b, q->x + p->block[b].row, q->w);
    for (int b = 0; b < p->block_count; ++b) read_rows(q, b, q->w, q->u + p->block[b].row);
    for (int i = 0; i < p->row_count; ++i) q->u[i] += p->g[i] + softness(p, i) * q->x[i];
}

// The columns of a segment's rows into their tiles (rows x 4), which lie one behind the other from `to` on.
static inline void copy_segment(const ts_delassus_segment* s, int rows, double* to) {
    int lead = s->column % N, n = s->count;
    for (int r = 0; r < rows; ++r) {
        const double* J = s->J + r * n;
        double* at = to + N * r;
        int j = 0;
        for (int slot = lead; lead > 0 && slot < N && j < n; ++slot) at[slot] = J[j++];
        if (lead > 0) at += N * rows;
        for (; j + N <= n; j += N, at += N * rows) ts_four_store(ts_four_load(J + j), at);
        for (int slot = 0; j < n; ++slot) at[slot] = J[j++];
    }
}

static int is_zero(const double* tile, int numbers) {
    ts_four sum = ts_four_zero();
    for (int i = 0; i < numbers; i += N)
        sum = ts_four_plus(sum, ts_four_product(ts_four_load(tile + i), ts_four_load(tile + i)));
    return ts_four_sum(sum) == 0.0;
}

static inline uint32_t tiles_of(const ts_delassus_segment* s) {
    int first = s->column / N, last = (s->column + s->count - 1) / N;
    return s->count > 0 ? ((2u << last) - 1) & ~((1u << first) - 1) : 0;
}

// Copies the rows of block b but for tiles of zeros; *io_at is the next free number, *io_tile the next tile.
static void pack(small* q, const ts_velocity_form* form, int b, int* io_tile, double** io_at) {
    small_block* s = &q->block[b];
    const ts_delassus_segment *first = form->segment + form->segment_start[b],
                              *end = form->segment + form->segment_start[b + 1];
    int rows = q->problem->block[b].rows, tile = *io_tile, size = N * rows;
    double* at = *io_at;
    s->tiles = 0;
    s->first = tile;
    for (const ts_delassus_segment* k = first; k < end; ++k) s->tiles |= tiles_of(k);
    memset(at, 0, (size_t)(size * ts_tiles_bits(s->tiles)) * sizeof(double));
    for (const ts_delassus_segment* k = first; k < end; ++k)
        copy_segment(k, rows, at + size * ts_tiles_bits(s->tiles & ((1u << k->column / N) - 1)));
    for (uint32_t left = s->tiles; left; left &= left - 1, at += size) {
        int t = ts_tiles_first(left);
        if (is_zero(at, size)) {
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

static double inverse_stiffness(const small* q, const ts_velocity_form* form, int b) {
    const ts_contact_problem* p = q->problem;
    const ts_block* block = &p->block[b];
    double stiffness;
    if (block->set == TS_SET_CONE && block->rows == 3) {
        const double* D = form->diagonal + form->diagonal_start[b];
        int row = block->row;
        stiffness = ts_stiffness_bound_3x3(D[0] + softness(p, row), D[4] + softness(p, row + 1),
                                           D[8] + softness(p, row + 2), D[1], D[2], D[5]);
    } else {
        stiffness = ts_contact_problem_stiffness(p, b);
    }
    return stiffness > 0.0 ? 1.0 / stiffness : 0.0;
}

// Rows that are no cone's. Returns the largest entry of the map. `hold`: how far y may leave a bound and be held there.
static double linearise_rows(small* q, int b, double hold) {
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
        s->state = is_free ? STICK : REST;
        s->normal = s->tangent = 1.0 / (weight / s->step + softness(q->problem, i));
        q->c[i] = is_free ? -s->normal * q->u[i] : p - x;
    }
    return worst;
}

// A contact that slides: y is where the map looks, with a tangent part of that length.
static double linearise_slide(small* q, int b, const double* y, double length) {
    double weight = q->is_proximal ? q->near_weight : q->weight;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double* c = q->c + block->row;
    // Friction follows y's direction, which turns with the velocity across it: that is the last term of
    // (1 - part (1 - step R)) delta_across = -x_across - part step u_across.
    double radius = block->mu * y[2], part = radius / length, along = 0.0, worst = fabs(s->step * u[2]);
    double across = 1.0 / ((1.0 - part) + part * s->step * softness(q->problem, block->row) + weight);
    s->state = SLIDE;
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

// A frictional contact.
static double linearise_cone(small* q, int b, double hold) {
    double weight = q->is_proximal ? q->near_weight : q->weight;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    int rows = block->rows;
    const double *x = q->x + block->row, *u = q->u + block->row;
    double y[MAX] = {0.0}, worst = 0.0;
    for (int r = 0; r < rows; ++r) y[r] = x[r] - s->step * u[r];
    if (!(y[2] > (x[2] == 0.0 ? hold : 0.0))) {
        s->state = REST;
        for (int r = 0; r < rows; ++r) {
            q->c[block->row + r] = -x[r];
            worst = ts_worse(worst, fabs(x[r]));
        }
        return worst;
    }
    double length = ts_block_set_tangent_length(y, rows);
    s->normal = 1.0 / (weight / s->step + softness(q->problem, block->row + 2));
    if (length > block->mu * y[2]) return linearise_slide(q, b, y, length);
    s->state = STICK;
    s->tangent = 1.0 / (weight / s->step + softness(q->problem, block->row));
    for (int r = 0; r < rows; ++r) {
        q->c[block->row + r] = -(r == 2 ? s->normal : s->tangent) * u[r];
        worst = ts_worse(worst, fabs(s->step * u[r]));
    }
    return worst;
}

// The law of all blocks at the present point.
static void linearise(small* q, double hold) {
    q->slides = q->moving = 0;
    q->worst = q->squared = 0.0;
    for (int b = 0; b < q->problem->block_count; ++b) {
        const ts_block* block = &q->problem->block[b];
        if (!(q->block[b].step > 0.0)) {
            memset(q->c + block->row, 0, (size_t)block->rows * sizeof(double));
            continue;
        }
        double gap = block->set == TS_SET_CONE ? linearise_cone(q, b, hold) : linearise_rows(q, b, hold);
        if (q->block[b].state != REST) q->move[q->moving++] = b;
        q->worst = ts_worse(q->worst, gap);
        q->squared += gap * gap;
    }
}

// out = K f, without what sliding normals do.
static inline void times_K(const ts_block* block, const small_block* s, const double* f, double* out) {
    double along = 0.0;
    for (int r = 0; r < block->rows; ++r) out[r] = s->tangent * f[r];
    if (block->set != TS_SET_CONE) return;
    out[2] = s->normal * f[2];
    if (s->state != SLIDE) return;
    for (int r = 0; r < block->rows; ++r) along += s->slip[r] * f[r];
    for (int r = 0; r < block->rows; ++r) out[r] -= s->tangent * along * s->slip[r];
    out[2] = 0.0;
}

// --- the system ------------------------------------------------------------------------------------------------------------

// H += J^T K J of a block of so many rows; known where it is called.
static inline void add_block(small* q, int b, int rows) {
    const small_block* s = &q->block[b];
    _Alignas(32) double KJ[TS_TILES_MOST][N * MAX];
    for (int k = 0; k < s->count; ++k) {
        const double* A = q->tile[s->first + k];
        ts_four along = ts_four_zero();
        for (int r = 0; r < rows; ++r) {
            double K = rows > 1 && r == 2 ? s->normal : s->tangent;
            if (s->state == SLIDE) along = ts_four_plus(along, ts_four_times(s->slip[r], ts_four_load(A + N * r)));
            ts_four_store(ts_four_times(K, ts_four_load(A + N * r)), KJ[k] + N * r);
        }
        if (s->state != SLIDE) continue;
        for (int r = 0; r < rows; ++r) {
            ts_four across = ts_four_minus(ts_four_load(A + N * r), ts_four_times(s->slip[r], along));
            ts_four_store(ts_four_times(r == 2 ? 0.0 : s->tangent, across), KJ[k] + N * r);
        }
    }
    for (int i = 0; i < s->count; ++i)
        for (int j = 0; j <= i; ++j)
            ts_tile_add(ts_tiles_at(q->H, q->place[s->first + i], q->place[s->first + j]), q->tile[s->first + i], KJ[j],
                        rows);
}

static int make_system(small* q) {
    const ts_contact_problem* p = q->problem;
    ts_tiles_begin(q->H, q->tiles);
    for (int k = 0; k < q->moving; ++k) ts_tiles_couple(q->H, q->block[q->move[k]].tiles);
    ts_tiles_clear(q->H);
    for (int k = 0; k < q->moving; ++k) {
        int b = q->move[k];
        if (p->block[b].rows == 1)
            add_block(q, b, 1);
        else if (p->block[b].rows == 3)
            add_block(q, b, 3);
        else
            add_block(q, b, p->block[b].rows);
    }
    return ts_tiles_factor(q->H);
}

// What the normal of a sliding contact presses along.
static void press(const small* q, int b, double* out) {
    const ts_block* block = &q->problem->block[b];
    for (int r = 0; r < block->rows; ++r) out[r] = r == 2 ? 1.0 : block->mu * q->block[b].slip[r];
}

// What the normals of sliding contacts do to each other through H. Returns 0 where there is no factor.
static int make_slides(small* q, ts_arena* scratch) {
    int s = q->slides, n = N * q->tiles, ld = ts_panel_padded(s);
    q->Z = TS_ARENA_ARRAY(scratch, double, s* n);
    q->W = TS_ARENA_ARRAY(scratch, double, s* ld + s);
    q->pivot = TS_ARENA_ARRAY(scratch, int, s);
    if (!q->Z || !q->W || !q->pivot) return 0;
    double f[MAX];
    for (int k = 0; k < s; ++k) {
        double* z = q->Z + k * n;
        press(q, q->slide[k], f);
        memset(z, 0, (size_t)n * sizeof(double));
        add_rows(q, q->slide[k], f, z);
        ts_tiles_solve(q->H, z);
    }
    for (int i = 0; i < s; ++i) {
        for (int k = 0; k < s; ++k) {
            read_rows(q, q->slide[i], q->Z + k * n, f);
            q->W[i * ld + k] = f[2];
        }
        q->W[i * ld + i] += 1.0 / q->block[q->slide[i]].normal;
    }
    return ts_lu_factor(q->W, s, ld, q->pivot);
}

// Adds to dw and c what sliding contacts press, so that their normal velocities vanish.
static void press_slides(small* q) {
    const ts_contact_problem* p = q->problem;
    int s = q->slides, n = N * q->tiles, ld = ts_panel_padded(s);
    double *by = q->W + s * ld, f[MAX];
    for (int i = 0; i < s; ++i) {
        int row = p->block[q->slide[i]].row + 2;
        read_rows(q, q->slide[i], q->dw, f);
        by[i] = -(q->u[row] + q->du[row]) - f[2];
    }
    ts_lu_solve(q->W, s, ld, q->pivot, by);
    for (int k = 0; k < s; ++k) {
        double* c = q->c + p->block[q->slide[k]].row;
        press(q, q->slide[k], f);
        for (int j = 0; j < n; ++j) q->dw[j] += by[k] * q->Z[k * n + j];
        for (int r = 0; r < p->block[q->slide[k]].rows; ++r) c[r] += by[k] * f[r];
    }
}

// Adds to the step what c asks for, and leaves in c what that has missed by the weight. Returns the largest of it.
static double add_step(small* q) {
    const ts_contact_problem* p = q->problem;
    double missed = 0.0;
    ts_tiles_solve(q->H, q->dw);
    if (q->slides > 0) press_slides(q);
    for (int k = 0; k < q->moving; ++k) {
        int b = q->move[k];
        const ts_block* block = &p->block[b];
        const small_block* s = &q->block[b];
        double change[MAX] = {0.0}, back[MAX] = {0.0};
        read_rows(q, b, q->dw, change);
        times_K(block, s, change, back);
        for (int r = 0, i = block->row; r < block->rows; ++r, ++i) {
            double dx = q->c[i] - back[r];
            q->dx[i] += dx;
            q->du[i] += change[r] + softness(p, i) * dx;
            q->c[i] = 0.0;
            if (s->state != STICK) continue;
            double u = q->u[i] + q->du[i];
            q->c[i] = -(block->set == TS_SET_CONE && r == 2 ? s->normal : s->tangent) * u;
            missed = ts_worse(missed, fabs(s->step * u));
        }
    }
    return missed;
}

// Newton's step into dx, from the law as it was linearised, to `enough` of its map. Returns 0 where there is none.
static int find_step(small* q, double enough, ts_arena* scratch) {
    const ts_contact_problem* p = q->problem;
    size_t bytes = (size_t)p->row_count * sizeof(double);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (!make_system(q) || (q->slides > 0 && !make_slides(q, scratch))) {
        ts_arena_scope_end(scratch, scope);
        return 0;
    }
    // What rests goes to its bound, and no pass adds to that.
    memcpy(q->dx, q->c, bytes);
    memset(q->du, 0, bytes);
    memset(q->dw, 0, (size_t)(N * q->tiles) * sizeof(double));
    for (int b = 0; b < p->block_count; ++b) add_rows(q, b, q->c + p->block[b].row, q->dw);
    for (int k = 0; k < q->moving; ++k) {
        const ts_block* block = &p->block[q->move[k]];
        memset(q->dx + block->row, 0, (size_t)block->rows * sizeof(double));
    }
    double missed = add_step(q);
    for (int pass = 1; pass < (q->is_proximal ? 1 : PASSES) && missed > enough; ++pass) {
        memset(q->dw, 0, (size_t)(N * q->tiles) * sizeof(double));
        for (int k = 0; k < q->moving; ++k) add_rows(q, q->move[k], q->c + p->block[q->move[k]].row, q->dw);
        missed = add_step(q);
    }
    q->is_coarse = missed > enough && !q->is_proximal;
    ts_arena_scope_end(scratch, scope);
    return 1;
}

// --- the search ------------------------------------------------------------------------------------------------------------

static void admit(const small* q, double* x) {
    const ts_block* block = q->problem->block;
    for (int b = 0; b < q->problem->block_count; ++b) {
        if (q->block[b].step > 0.0)
            ts_block_set_admit(&block[b], TS_FRICTION_DISC, x + block[b].row);
        else
            ts_block_set_least(&block[b], x + block[b].row);
    }
}

// Makes x admissible, finds its velocities, unless they are known and x was, and judges it, up to the first blocks that are not good.
static double judge(small* q, int is_known) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    int blocks = q->problem->block_count;
    double worst = 0.0;
    memcpy(q->x0, q->x, bytes);
    admit(q, q->x);
    if (!is_known || memcmp(q->x0, q->x, bytes) != 0) find_velocities(q);
    double largest = ts_largest(q->x, q->problem->row_count);
    for (int first = 0, count = 1; first < blocks && worst <= 1.0; first += count, count *= 2) {
        int end = first + count < blocks ? first + count : blocks;
        worst = ts_worse(worst, ts_yardstick_excess_of(q->yardstick, first, end, largest, q->x, q->u));
    }
    return worst;
}

// Goes the whole step, or so much of it that the map falls.
static void go(small* q, int is_whole) {
    int n = q->problem->row_count;
    double before = q->squared, part = 1.0;
    for (int i = 0; i < n; ++i) {
        q->x0[i] = q->x[i];
        q->u0[i] = q->u[i];
        q->x[i] += q->dx[i];
    }
    find_velocities(q);
    if (is_whole) return;
    for (int i = 0; i < n; ++i) q->du[i] = q->u[i] - q->u0[i];
    for (;;) {
        linearise(q, 0.0);
        if (q->squared < before || (part *= 0.5) < least_part) break;
        for (int i = 0; i < n; ++i) {
            q->x[i] = q->x0[i] + part * q->dx[i];
            q->u[i] = q->u0[i] + part * q->du[i];
        }
    }
}

// For whoever traces the solve.
static void note(small* q, int newtons) {
    memcpy(q->x0, q->x, (size_t)q->problem->row_count * sizeof(double));
    admit(q, q->x0);
    ts_trace_note(q->yardstick, newtons, q->x0);
}

// N s: what the natural map is relative to.
static double unit_of(const small* q) {
    ts_residual_scale scale = q->yardstick->scale;
    ts_residual_scale_impulse(&scale, ts_largest(q->x, q->problem->row_count));
    return ts_worse(scale.impulse, scale.velocity * scale.step);
}

// Takes the last step back where the map has exploded: contacts that are redundant do that. Returns nonzero when it did.
static int recoil(small* q, double before) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    if (!q->has_cones || !(q->squared > explosion * before && q->worst > large * unit_of(q))) return 0;
    memcpy(q->x, q->x0, bytes);
    memcpy(q->u, q->u0, bytes);
    if (q->is_proximal) q->near_weight *= weight_rise;
    q->is_proximal = 1;
    linearise(q, 0.0);
    return 1;
}

// From the impulses in x, at most `limit` steps.
static void iterate(small* q, int limit, ts_arena* scratch, ts_small_report* report) {
    double before = HUGE_VAL;
    int step = 0, recoiled = 0;
    q->weight = first_weight;
    q->near_weight = proximal_weight;
    report->excess = judge(q, 0);
    for (; report->excess > 1.0 && step < limit; ++step, ++report->newtons) {
        double unit = unit_of(q), hold = step == 0 ? margin * unit : 0.0;
        q->is_proximal = recoiled || (step >= FREE_STEPS && (step - FREE_STEPS) / PROXIMAL_STEPS % 2 != 0);
        linearise(q, hold);
        if (step > 0 && q->worst <= near * q->yardstick->goal.tolerance * unit) {
            report->excess = judge(q, 1);
            if (report->excess <= 1.0) break;
            linearise(q, 0.0);
        }
        recoiled = step > 0 && step < FREE_STEPS && recoil(q, before);
        if (!recoiled) q->near_weight = proximal_weight;
        before = q->squared;
        if (!find_step(q, few_digits * q->yardstick->goal.tolerance * unit, scratch)) break;
        go(q, step + 1 < FREE_STEPS);
        if (q->is_coarse && step + 1 >= FREE_STEPS && q->weight > least_weight) q->weight *= weight_fall;
        if (q->problem->trace) note(q, report->newtons + 1);
    }
    report->status = report->excess <= 1.0 ? TS_SOLVE_CONVERGED : TS_SOLVE_STALLED;
}

// Returns 0 when memory is short.
static int prepare(small* q, const ts_velocity_form* form, ts_arena* scratch, const double* impulse) {
    const ts_contact_problem* p = q->problem;
    int tiles = 0, numbers = 0, n = p->row_count;
    for (int b = 0; b < p->block_count; ++b) {
        int most = 0;
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s)
            most += form->segment[s].count / N + 2;
        if (most > q->tiles) most = q->tiles;
        tiles += most;
        numbers += most * N * p->block[b].rows;
    }
    q->block = TS_ARENA_ARRAY(scratch, small_block, p->block_count);
    q->slide = TS_ARENA_ARRAY(scratch, int, 2 * p->block_count);
    q->move = q->slide ? q->slide + p->block_count : NULL;
    q->tile = TS_ARENA_ARRAY(scratch, const double*, tiles);
    q->place = TS_ARENA_ARRAY(scratch, unsigned char, tiles);
    q->H = TS_ARENA_ARRAY(scratch, ts_tiles, 1);
    double* at = TS_ARENA_ARRAY(scratch, double, numbers + 7 * n + 2 * N * q->tiles);
    if (!q->block || !q->slide || !q->tile || !q->place || !q->H || !at) return 0;
    // Tiles and what they are multiplied with begin where cache lines do.
    double** vector[] = {&q->x, &q->u, &q->x0, &q->u0, &q->c, &q->dx, &q->du};
    double* rest = at + 2 * N * q->tiles + numbers;
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; ++i, rest += n) *vector[i] = rest;
    q->w = at;
    q->dw = at + N * q->tiles;
    at += 2 * N * q->tiles;
    memcpy(q->x, impulse, (size_t)n * sizeof(double));
    for (int b = 0, next = 0; b < p->block_count; ++b) {
        pack(q, form, b, &next, &at);
        q->block[b].state = REST;
        q->block[b].step = inverse_stiffness(q, form, b);
        q->has_cones |= p->block[b].set == TS_SET_CONE;
    }
    return 1;
}

static ts_small_report solve(const ts_yardstick* yardstick, int limit, ts_arena* scratch, double* impulse) {
    const ts_contact_problem* p = yardstick->problem;
    ts_small_report report = {TS_SOLVE_FAILED, 0, HUGE_VAL};
    const ts_velocity_form* form = ts_velocity_form_of(p->delassus);
    small q = {.problem = p, .yardstick = yardstick, .tiles = (form->velocity_count + N - 1) / N};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (prepare(&q, form, scratch, impulse)) {
        iterate(&q, limit < STEPS ? limit : STEPS, scratch, &report);
        if (report.status != TS_SOLVE_CONVERGED && report.newtons < limit) {
            memset(q.x, 0, (size_t)p->row_count * sizeof(double));
            iterate(&q, limit - report.newtons < STEPS ? limit - report.newtons : STEPS, scratch, &report);
        }
        if (report.status == TS_SOLVE_CONVERGED) memcpy(impulse, q.x, (size_t)p->row_count * sizeof(double));
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

#if TS_IS_WIDE

ts_small_report ts_small_newton_wide(const ts_yardstick* yardstick, int limit, ts_arena* scratch, double* impulse) {
    return solve(yardstick, limit, scratch, impulse);
}

#else

int ts_small_newton_takes(const ts_contact_problem* problem) {
    const ts_velocity_form* form = ts_velocity_form_of(problem->delassus);
    if (!form || form->velocity_count > TS_SMALL_VELOCITIES) return 0;
    for (int s = 0; s < form->segment_start[problem->block_count]; ++s)
        if (form->segment[s].J != form->segment[s].Y) return 0;
    return 1;
}

ts_small_report ts_small_newton_narrow(const ts_yardstick* yardstick, int limit, ts_arena* scratch, double* impulse) {
    return solve(yardstick, limit, scratch, impulse);
}

ts_small_report ts_small_newton(const ts_yardstick* yardstick, int limit, ts_arena* scratch, double* impulse) {
    if (!ts_small_newton_takes(yardstick->problem)) return (ts_small_report){TS_SOLVE_FAILED, 0, HUGE_VAL};
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_small_newton_wide(yardstick, limit, scratch, impulse);
#endif
    return solve(yardstick, limit, scratch, impulse);
}

#endif
