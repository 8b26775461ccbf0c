// A problem is taken apart into blocks, some of them are chosen, and one kind of number is changed.
#include "bench/contact_variants.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/operator/delassus_block.h"

// Numbers in the largest matrix that is listed (512 MiB).
static const size_t most_numbers = (size_t)1 << 26;

// A problem whose numbers may be changed.
typedef struct draft {
    int blocks, rows;
    ts_block* block;
    int* block_row;  // (blocks + 1)
    int *start, *column;
    size_t* at;
    double *value, *g, *R;
    ts_rng rng;
} draft;

// --- changes ---------------------------------------------------------------------------------------------------------

static void leave(draft* d, double amount) {
    (void)d;
    (void)amount;
}

static void scale_friction(draft* d, double factor) {
    for (int b = 0; b < d->blocks; ++b) d->block[b].mu *= factor;
}

static void set_friction(draft* d, double mu) {
    for (int b = 0; b < d->blocks; ++b)
        if (d->block[b].set == TS_SET_CONE) d->block[b].mu = mu;
}

static void draw_friction(draft* d, double most) {
    for (int b = 0; b < d->blocks; ++b)
        if (d->block[b].set == TS_SET_CONE) d->block[b].mu = most * ts_rng_uniform(&d->rng);
}

static double typical_velocity(const draft* d) {
    double squares = 0.0;
    for (int i = 0; i < d->rows; ++i) squares += d->g[i] * d->g[i];
    return d->rows > 0 ? sqrt(squares / d->rows) : 0.0;
}

static void disturb_velocity(draft* d, double amount) {
    double size = amount * typical_velocity(d);
    for (int i = 0; i < d->rows; ++i) d->g[i] += size * ts_rng_normal(&d->rng);
}

// Turns free velocities about the normals.
static void turn_velocity(draft* d, double degrees) {
    double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
    for (int b = 0; b < d->blocks; ++b) {
        if (d->block[b].set != TS_SET_CONE) continue;
        double *g = d->g + d->block[b].row, x = g[0], y = g[1];
        g[0] = c * x - s * y;
        g[1] = s * x + c * y;
    }
}

// All contacts approach faster.
static void push(draft* d, double amount) {
    double size = amount * typical_velocity(d);
    for (int b = 0; b < d->blocks; ++b)
        if (d->block[b].set == TS_SET_CONE) d->g[d->block[b].row + 2] -= size;
}

static double stiffness_of(const draft* d, int b) {
    for (int e = d->start[b]; e < d->start[b + 1]; ++e) {
        double trace = 0.0;
        if (d->column[e] != b) continue;
        for (int r = 0; r < d->block[b].rows; ++r) trace += d->value[d->at[e] + (size_t)(r * (d->block[b].rows + 1))];
        return trace / d->block[b].rows;
    }
    return 0.0;
}

static void soften(draft* d, double amount) {
    for (int b = 0; b < d->blocks; ++b)
        for (int r = 0; r < d->block[b].rows; ++r) d->R[d->block[b].row + r] += amount * stiffness_of(d, b);
}

// All masses `factor` times as large.
static void scale_mass(draft* d, double factor) {
    for (size_t k = 0; k < d->at[d->start[d->blocks]]; ++k) d->value[k] /= factor;
    for (int i = 0; i < d->rows; ++i) d->R[i] /= factor;
}

// Every block in units of its own, over so many decades both ways: the same law for other numbers.
static void spread_units(draft* d, double decades) {
    for (int b = 0; b < d->blocks; ++b) {
        double unit = pow(10.0, ts_rng_uniform_in(&d->rng, -decades, decades));
        ts_block* block = &d->block[b];
        block->low /= unit;
        block->high /= unit;
        for (int r = block->row; r < block->row + block->rows; ++r) {
            d->g[r] *= unit;
            d->R[r] *= unit * unit;
        }
        for (int e = d->start[b]; e < d->start[b + 1]; ++e) {
            int other = d->column[e];
            for (size_t k = d->at[e]; k < d->at[e + 1]; ++k) d->value[k] *= other == b ? unit * unit : unit;
            for (int f = d->start[other]; f < d->start[other + 1] && other != b; ++f)
                for (size_t k = d->at[f]; k < d->at[f + 1] && d->column[f] == b; ++k) d->value[k] *= unit;
        }
    }
}

// --- the table -------------------------------------------------------------------------------------------------------

typedef enum choice { ALL, EVERY_SECOND, FIRST_HALF, ANY_HALF, TWICE } choice;

typedef struct variant {
    const char* name;
    choice keep;
    void (*change)(draft* d, double amount);
    double amount;
} variant;

static const variant variants[TS_CONTACT_VARIANTS] = {
    {"friction x 0", ALL, scale_friction, 0.0},
    {"friction x 0.1", ALL, scale_friction, 0.1},
    {"friction x 0.5", ALL, scale_friction, 0.5},
    {"friction x 2", ALL, scale_friction, 2.0},
    {"friction 1", ALL, set_friction, 1.0},
    {"friction 2", ALL, set_friction, 2.0},
    {"friction random", ALL, draw_friction, 1.0},
    {"load +- 0.1 %", ALL, disturb_velocity, 1e-3},
    {"load +- 10 %", ALL, disturb_velocity, 0.1},
    {"load +- 100 %", ALL, disturb_velocity, 1.0},
    {"load turned 90 degrees", ALL, turn_velocity, 90.0},
    {"load pushed", ALL, push, 1.0},
    {"load pulled", ALL, push, -0.5},
    {"compliance 1e-8", ALL, soften, 1e-8},
    {"compliance 1e-4", ALL, soften, 1e-4},
    {"compliance 0.1", ALL, soften, 0.1},
    {"mass x 1e-3", ALL, scale_mass, 1e-3},
    {"mass x 1e3", ALL, scale_mass, 1e3},
    {"units over 4 decades", ALL, spread_units, 2.0},
    {"every second contact", EVERY_SECOND, leave, 0.0},
    {"first half", FIRST_HALF, leave, 0.0},
    {"any half", ANY_HALF, leave, 0.0},
    {"half, friction 1", ANY_HALF, set_friction, 1.0},
    {"every contact twice", TWICE, leave, 0.0},
};

const char* ts_contact_variant_name(int number) { return variants[number].name; }

// --- taking apart ----------------------------------------------------------------------------------------------------

static int is_kept(choice keep, int b, int blocks, ts_rng* rng) {
    switch (keep) {
    case EVERY_SECOND: return b % 2 == 0;
    case FIRST_HALF: return 2 * b < blocks;
    case ANY_HALF: return b == 0 || ts_rng_uniform(rng) < 0.5;
    case ALL:
    case TWICE: break;
    }
    return 1;
}

// The entries of G whose blocks both are kept, `copies` times each way.
static void copy_matrix(const ts_contact_problem* problem, const ts_delassus_blocks* G, const int* place, int kept,
                        int copies, draft* d) {
    int entries = 0;
    size_t numbers = 0;
    for (int copy = 0; copy < copies; ++copy)
        for (int b = 0; b < problem->block_count; ++b) {
            if (place[b] < 0) continue;
            d->start[copy * kept + place[b]] = entries;
            for (int other = 0; other < copies; ++other)
                for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
                    int column = G->column[e];
                    if (place[column] < 0) continue;
                    size_t size = (size_t)problem->block[b].rows * (size_t)problem->block[column].rows;
                    memcpy(d->value + numbers, G->value + G->at[e], size * sizeof(double));
                    d->column[entries] = other * kept + place[column];
                    d->at[entries++] = numbers;
                    numbers += size;
                }
        }
    d->start[d->blocks] = entries;
    d->at[entries] = numbers;
}

static void copy_blocks(const ts_contact_problem* problem, const int* place, int copies, draft* d) {
    int k = 0;
    for (int copy = 0; copy < copies; ++copy)
        for (int b = 0; b < problem->block_count; ++b) {
            const ts_block* from = &problem->block[b];
            if (place[b] < 0) continue;
            d->block[k] = *from;
            d->block[k].row = d->block_row[k] = d->rows;
            for (int r = 0; r < from->rows; ++r) {
                d->g[d->rows] = problem->g[from->row + r];
                d->R[d->rows++] = problem->R ? problem->R[from->row + r] : 0.0;
            }
            ++k;
        }
    d->block_row[k] = d->rows;
}

static int take_apart(const ts_contact_problem* problem, choice keep, ts_arena* arena, draft* d) {
    ts_delassus_blocks G;
    int copies = keep == TWICE ? 2 : 1, kept = 0, blocks = problem->block_count;
    int* place = TS_ARENA_ARRAY(arena, int, blocks);
    if (!place || !problem->delassus->ops->blocks(problem->delassus, arena, most_numbers, &G)) return 0;
    for (int b = 0; b < blocks; ++b) place[b] = is_kept(keep, b, blocks, &d->rng) ? kept++ : -1;
    size_t numbers = 0, times = (size_t)copies, all = times * (size_t)kept,
           entries = times * times * (size_t)G.start[blocks];
    for (int b = 0; b < blocks; ++b)
        for (int e = G.start[b]; e < G.start[b + 1]; ++e)
            numbers += (size_t)problem->block[b].rows * (size_t)problem->block[G.column[e]].rows;
    numbers *= (size_t)(copies * copies);
    d->blocks = copies * kept;
    d->block = TS_ARENA_ARRAY(arena, ts_block, all);
    d->block_row = TS_ARENA_ARRAY(arena, int, all + 1);
    d->start = TS_ARENA_ARRAY(arena, int, all + 1);
    d->column = TS_ARENA_ARRAY(arena, int, entries);
    d->at = TS_ARENA_ARRAY(arena, size_t, entries + 1);
    d->value = TS_ARENA_ARRAY(arena, double, numbers);
    d->g = TS_ARENA_ARRAY(arena, double, copies * problem->row_count);
    d->R = TS_ARENA_ARRAY(arena, double, copies * problem->row_count);
    if (!d->block || !d->block_row || !d->start || !d->column || !d->at || !d->value || !d->g || !d->R) return 0;
    copy_blocks(problem, place, copies, d);
    copy_matrix(problem, &G, place, kept, copies, d);
    return 1;
}

int ts_contact_variant_make(const ts_contact_problem* problem, int number, uint64_t seed, ts_arena* arena,
                            ts_contact_problem* out_problem) {
    const variant* v = &variants[number];
    draft d = {.rng = ts_rng_make(seed, (uint64_t)number)};
    if (!take_apart(problem, v->keep, arena, &d)) return 0;
    v->change(&d, v->amount);
    ts_delassus_blocks G = {d.start, d.column, d.at, d.value};
    *out_problem = *problem;
    out_problem->block_count = d.blocks;
    out_problem->row_count = d.rows;
    out_problem->block = d.block;
    out_problem->g = d.g;
    out_problem->R = d.R;
    out_problem->push_out = NULL;
    out_problem->delassus = ts_delassus_block_sparse(arena, d.blocks, d.block_row, &G);
    return out_problem->delassus != NULL;
}
