// Random contact problems with solutions.
//
// Heaps: bodies in space that touch along the lines between their centres, and the ground below. Velocities that grow
// from a point far under the ground separate all bodies without slip and lift them from the ground almost without, so
// some velocity is strictly inside all dual cones, and the exact law has a solution whatever the friction (the criterion
// of Klarbring and Pang 1998, and of Cadoux 2009).
// Known answers: G = J M^-1 J^T with J random and not of full rank, an impulse r and a velocity u that satisfy every
// block's law by construction, and g = u - (G + R) r. The solution need not be the only one.
// Guaranteed: the same numbers from the same state of `rng`: nothing is drawn among the arguments of a call, whose order
// compilers choose.
#include "bench/contact_random.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "contact/operator/delassus_block.h"

// --- heaps -----------------------------------------------------------------------------------------------------------

enum { CONTACTS = TS_RANDOM_HEAP_MOST, BODIES = 120 };

static const double gravity = 9.81;    // m/s^2
static const double time_step = 1e-3;  // s
static const double arm_length = 0.3;  // m, from a body's centre to its contacts

typedef struct heap {
    int bodies, contacts, rows, segments;
    int* block_row;      // (contacts + 1)
    int* segment_start;  // (contacts + 1)
    ts_delassus_segment* segment;
    ts_block* block;
    double *g, *R;
    double inverse_mass[6 * BODIES], velocity[6 * BODIES];
    ts_vec3 centre[BODIES];
} heap;

static ts_vec3 random_unit(ts_rng* rng) {
    double z = ts_rng_normal(rng), y = ts_rng_normal(rng), x = ts_rng_normal(rng);
    return ts_vec3_unit_or(ts_vec3_make(x, y, z), ts_vec3_axis(2));
}

static void make_bodies(heap* h, ts_rng* rng, double spread) {
    for (int i = 0; i < h->bodies; ++i) {
        double mass = pow(10.0, ts_rng_uniform_in(rng, -spread, spread)), size = ts_rng_uniform_in(rng, 0.05, 0.5);
        double z = ts_rng_uniform_in(rng, 0.5, 6.0), y = ts_rng_normal(rng), x = ts_rng_normal(rng);
        h->centre[i] = ts_vec3_make(3.0 * x, 3.0 * y, z);
        for (int j = 0; j < 6; ++j) {
            h->inverse_mass[6 * i + j] = 1.0 / (j < 3 ? mass : mass * size * size * ts_rng_uniform_in(rng, 0.2, 0.6));
            h->velocity[6 * i + j] = ts_rng_uniform(rng) < 0.3 ? ts_rng_normal(rng) : 0.0;
        }
        h->velocity[6 * i + 2] -= gravity * time_step;
    }
}

// One side of a contact: rows of the point at `arm` from the body's centre, with sign +1 or -1.
static int add_side(heap* h, ts_arena* arena, int b, int body, double sign, ts_vec3 arm, const ts_vec3* axis) {
    int rows = h->block[b].rows;
    double* J = TS_ARENA_ARRAY(arena, double, 6 * (size_t)rows);
    double* Y = TS_ARENA_ARRAY(arena, double, 6 * (size_t)rows);
    if (!J || !Y) return 0;
    for (int r = 0; r < rows; ++r) {
        ts_vec3 d = axis[rows == 1 ? 2 : r], turn = ts_vec3_cross(arm, d);
        const double row[6] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
        for (int j = 0; j < 6; ++j) {
            J[6 * r + j] = sign * row[j];
            Y[6 * r + j] = sign * row[j] * h->inverse_mass[6 * body + j];
            h->g[h->block[b].row + r] += sign * row[j] * h->velocity[6 * body + j];
        }
    }
    ts_delassus_segment segment = {6 * body, 6, J, Y};
    h->segment[h->segments++] = segment;
    return 1;
}

static void choose_set(ts_block* block, ts_rng* rng, int mixed, double friction) {
    double pick = mixed ? ts_rng_uniform(rng) : 1.0;
    block->rows = 1;
    if (pick < 0.1) {
        block->set = TS_SET_HALF_LINE;
    } else if (pick < 0.2) {
        block->set = TS_SET_BOX;
        block->high = 0.01 * ts_rng_uniform(rng);
        block->low = -block->high;
    } else {
        block->set = TS_SET_CONE;
        block->rows = 3;
        block->mu = ts_rng_uniform(rng) < 0.1 ? 0.0 : friction * ts_rng_uniform(rng);
    }
}

static int make_room(heap* h, ts_arena* arena) {
    size_t n = (size_t)h->contacts;
    h->block = (ts_block*)ts_arena_alloc_zeroed(arena, n, sizeof(ts_block));
    h->block_row = TS_ARENA_ARRAY(arena, int, n + 1);
    h->segment_start = TS_ARENA_ARRAY(arena, int, n + 1);
    h->segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, 2 * n);
    h->g = (double*)ts_arena_alloc_zeroed(arena, 3 * n, sizeof(double));
    h->R = (double*)ts_arena_alloc_zeroed(arena, 3 * n, sizeof(double));
    return h->block && h->block_row && h->segment_start && h->segment && h->g && h->R;
}

// Groups of up to four contacts between the same two bodies with one normal, as boxes make them: rank-deficient.
static int add_contacts(heap* h, ts_rng* rng, ts_arena* arena, int mixed, double friction, int group) {
    int upper = 0, lower = -1;
    ts_vec3 axis[3] = {{0}};
    for (int b = 0; b < h->contacts; ++b) {
        ts_block* block = &h->block[b];
        if (b % group == 0) {
            upper = (int)(ts_rng_uniform(rng) * h->bodies);
            lower = ts_rng_uniform(rng) < 0.3 ? -1 : (int)(ts_rng_uniform(rng) * h->bodies);
            if (lower == upper) lower = -1;
            axis[2] = lower < 0 ? ts_vec3_axis(2)
                                : ts_vec3_unit_or(ts_vec3_sub(h->centre[upper], h->centre[lower]), ts_vec3_axis(2));
            axis[0] = ts_vec3_unit_or(ts_vec3_cross(random_unit(rng), axis[2]), ts_vec3_axis(0));
            axis[1] = ts_vec3_cross(axis[2], axis[0]);
        }
        choose_set(block, rng, mixed, friction);
        block->row = h->rows;
        h->block_row[b] = h->rows;
        h->segment_start[b] = h->segments;
        ts_vec3 arm = ts_vec3_scale(arm_length, random_unit(rng));
        if (!add_side(h, arena, b, upper, 1.0, arm, axis)) return 0;
        if (lower >= 0) {
            arm = ts_vec3_scale(arm_length, random_unit(rng));
            if (!add_side(h, arena, b, lower, -1.0, arm, axis)) return 0;
        }
        h->rows += block->rows;
    }
    h->block_row[h->contacts] = h->rows;
    h->segment_start[h->contacts] = h->segments;
    return 1;
}

int ts_random_heap(ts_rng* rng, ts_arena* arena, ts_contact_problem* out_problem) {
    heap h;
    memset(&h, 0, sizeof h);
    h.contacts = 1 + (int)(pow((double)CONTACTS, ts_rng_uniform(rng)) - 1e-9);
    h.bodies = 1 + (int)(ts_rng_uniform(rng) * (h.contacts < BODIES ? h.contacts : BODIES - 1));
    int compliant = ts_rng_uniform(rng) < 0.3;
    double friction = ts_rng_uniform(rng) < 0.5 ? 1.0 : 2.0;
    int mixed = ts_rng_uniform(rng) < 0.4, group = ts_rng_uniform(rng) < 0.5 ? 4 : 1;
    if (!make_room(&h, arena)) return 0;
    make_bodies(&h, rng, 3.0 * ts_rng_uniform(rng));
    if (!add_contacts(&h, rng, arena, mixed, friction, group)) return 0;
    for (int i = 0; i < h.rows && compliant; ++i)
        h.R[i] = ts_rng_uniform(rng) < 0.5 ? 0.0 : pow(10.0, ts_rng_uniform_in(rng, -6.0, 0.0));
    ts_delassus* G =
        ts_delassus_velocity_form(arena, 6 * h.bodies, h.contacts, h.block_row, h.segment_start, h.segment);
    ts_contact_problem problem = {.block_count = h.contacts,
                                  .row_count = h.rows,
                                  .block = h.block,
                                  .delassus = G,
                                  .g = h.g,
                                  .time_step = time_step};
    problem.R = compliant ? h.R : NULL;
    *out_problem = problem;
    return G != NULL;
}

// --- known answers ---------------------------------------------------------------------------------------------------

typedef struct known {
    int blocks, rows;
    ts_block* block;
    int* block_row;  // (blocks + 1)
    double *G, *g, *R;
    double *r, *u;
} known;

static void choose_blocks(known* k, ts_rng* rng, int mixed, double friction) {
    k->rows = 0;
    for (int b = 0; b < k->blocks; ++b) {
        double pick = mixed ? ts_rng_uniform(rng) : 1.0;
        ts_block block = {.set = TS_SET_CONE, .row = k->rows, .rows = 3};
        if (pick < 0.12) block.set = TS_SET_HALF_LINE;
        if (pick >= 0.12 && pick < 0.24) block.set = TS_SET_BOX;
        if (pick >= 0.24 && pick < 0.3) block.set = TS_SET_FREE;
        if (pick < 0.24) block.rows = 1;
        if (pick >= 0.24 && pick < 0.3) block.rows = 1 + (int)(ts_rng_uniform(rng) * 5.99);
        if (pick >= 0.3 && pick < 0.4) block.rows = 4;
        if (pick >= 0.4 && pick < 0.5) block.rows = 6;
        if (block.set == TS_SET_CONE && ts_rng_uniform(rng) > 0.1) block.mu = friction * ts_rng_uniform(rng);
        k->block[b] = block;
        k->block_row[b] = k->rows;
        k->rows += block.rows;
    }
    k->block_row[k->blocks] = k->rows;
}

// `rank`: columns of J per row.
static int make_operator(known* k, ts_rng* rng, ts_arena* arena, double rank, double spread) {
    int n = k->rows, columns = 1 + (int)(rank * (n - 1));
    double density = ts_rng_uniform_in(rng, 0.05, 1.0);
    k->G = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)n);
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* J = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)columns);
    double* inverse_mass = TS_ARENA_ARRAY(arena, double, columns);
    if (!k->G || !J || !inverse_mass) return 0;
    for (int j = 0; j < columns; ++j) inverse_mass[j] = pow(10.0, ts_rng_uniform_in(rng, -spread, spread));
    for (int i = 0; i < n * columns; ++i) J[i] = ts_rng_uniform(rng) < density || n < 12 ? ts_rng_normal(rng) : 0.0;
    for (int i = 0; i < n; ++i)
        for (int c = 0; c <= i; ++c) {
            double sum = 0.0;
            for (int j = 0; j < columns; ++j) sum += J[i * columns + j] * inverse_mass[j] * J[c * columns + j];
            k->G[i * n + c] = k->G[c * n + i] = sum;
        }
    ts_arena_scope_end(arena, scope);
    return 1;
}

// G by blocks, all of them listed.
static ts_delassus* make_blocks(const known* k, ts_arena* arena) {
    size_t n = (size_t)k->rows, pairs = (size_t)k->blocks * (size_t)k->blocks, numbers = 0;
    int* start = TS_ARENA_ARRAY(arena, int, k->blocks + 1);
    int* column = TS_ARENA_ARRAY(arena, int, pairs);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, pairs);
    double* value = TS_ARENA_ARRAY(arena, double, n* n);
    ts_delassus_blocks blocks = {start, column, at, value};
    if (!start || !column || !at || !value) return NULL;
    for (int a = 0; a < k->blocks; ++a) {
        start[a] = a * k->blocks;
        for (int b = 0; b < k->blocks; ++b) {
            column[start[a] + b] = b;
            at[start[a] + b] = numbers;
            for (int r = k->block_row[a]; r < k->block_row[a + 1]; ++r)
                for (int c = k->block_row[b]; c < k->block_row[b + 1]; ++c)
                    value[numbers++] = k->G[(size_t)r * n + (size_t)c];
        }
    }
    start[k->blocks] = (int)pairs;
    return ts_delassus_block_sparse(arena, k->blocks, k->block_row, &blocks);
}

// Impulse and velocity of a cone: open, sliding, or sticking anywhere in the cone, its boundary included.
static void choose_cone(const ts_block* block, ts_rng* rng, double impulse, double velocity, double* r, double* u) {
    double direction[TS_BLOCK_ROWS_MAX] = {0.0}, length = 0.0, pick = ts_rng_uniform(rng);
    for (int i = 0; i < block->rows; ++i)
        if (i != 2) direction[i] = ts_rng_normal(rng);
    for (int i = 0; i < block->rows; ++i) length += direction[i] * direction[i];
    length = sqrt(length);
    double share = pick < 0.5 ? -1.0 : (ts_rng_uniform(rng) < 0.2 ? 1.0 : sqrt(ts_rng_uniform(rng)));
    double slip = pick < 0.5 ? velocity * ts_rng_uniform(rng) : 0.0;
    for (int i = 0; i < block->rows; ++i) {
        if (i != 2) u[i] = slip * direction[i] / length;
        if (i != 2 && pick >= 0.25) r[i] = share * block->mu * impulse * direction[i] / length;
    }
    if (pick < 0.25)
        u[2] = velocity * ts_rng_uniform(rng);
    else
        r[2] = impulse;
}

static void choose_answer(known* k, ts_rng* rng) {
    double typical = pow(10.0, ts_rng_uniform_in(rng, -2.0, 2.0));
    for (int b = 0; b < k->blocks; ++b) {
        ts_block* block = &k->block[b];
        double *r = k->r + block->row, *u = k->u + block->row, pick = ts_rng_uniform(rng);
        double impulse = typical * pow(10.0, ts_rng_uniform_in(rng, -1.0, 1.0));
        double velocity = impulse * k->G[block->row * k->rows + block->row];
        if (block->set == TS_SET_CONE) choose_cone(block, rng, impulse, velocity, r, u);
        if (block->set == TS_SET_HALF_LINE) *(pick < 0.4 ? u : r) = pick < 0.4 ? velocity : impulse;
        for (int i = 0; i < block->rows && block->set == TS_SET_FREE; ++i) r[i] = impulse * ts_rng_normal(rng);
        if (block->set == TS_SET_BOX) {
            block->low = -impulse;
            block->high = 0.5 * impulse;
            r[0] = pick < 0.3 ? block->low : (pick < 0.6 ? block->high : 0.0);
            u[0] = pick < 0.3 ? velocity : (pick < 0.6 ? -velocity : 0.0);
        }
    }
    for (int i = 0; i < k->rows; ++i) {
        double sum = k->R[i] * k->r[i];
        for (int j = 0; j < k->rows; ++j) sum += k->G[i * k->rows + j] * k->r[j];
        k->g[i] = k->u[i] - sum;
    }
}

int ts_random_known_make(ts_rng* rng, int most, ts_arena* arena, ts_random_known* out_known) {
    known k = {.blocks = 1 + (int)(pow((double)most, ts_rng_uniform(rng)) - 1e-9)};
    k.block = TS_ARENA_ARRAY(arena, ts_block, k.blocks);
    k.block_row = TS_ARENA_ARRAY(arena, int, k.blocks + 1);
    if (!k.block || !k.block_row) return 0;
    double friction = ts_rng_uniform(rng) < 0.5 ? 1.0 : 2.0;
    int mixed = ts_rng_uniform(rng) < 0.4;
    choose_blocks(&k, rng, mixed, friction);
    double** vector[] = {&k.g, &k.R, &k.r, &k.u};
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; ++i) {
        *vector[i] = (double*)ts_arena_alloc_zeroed(arena, (size_t)k.rows, sizeof(double));
        if (!*vector[i]) return 0;
    }
    double spread = ts_rng_uniform_in(rng, 0.0, 3.0), rank = ts_rng_uniform_in(rng, 0.3, 1.0);
    if (!make_operator(&k, rng, arena, rank, spread)) return 0;
    int compliant = ts_rng_uniform(rng) < 0.3;
    for (int i = 0; i < k.rows; ++i)
        k.R[i] = compliant && ts_rng_uniform(rng) < 0.5 ? pow(10.0, ts_rng_uniform_in(rng, -6.0, 0.0)) : 0.0;
    choose_answer(&k, rng);
    ts_contact_problem problem = {.block_count = k.blocks,
                                  .row_count = k.rows,
                                  .block = k.block,
                                  .delassus = make_blocks(&k, arena),
                                  .g = k.g,
                                  .R = k.R,
                                  .time_step = 1.0};
    out_known->problem = problem;
    out_known->impulse = k.r;
    out_known->velocity = k.u;
    return problem.delassus != NULL;
}
