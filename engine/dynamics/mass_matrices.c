// Where mass matrices and their factors stand.
//
// Problem: of ten thousand stones of one kind each would keep the same 72 numbers. Rule: the matrix of a lone body with its frame in its centre of mass is
// the same in every pose; bodies of the same mass and inertia, to the bit, share the block of the first of them, and one over its factor's diagonal. It is made once, by one thread
// (dynamics.c). Where something may pull ahead, which changes matrices, or masses may change, every tree has a block of its own.
// Source: none.
// Guaranteed: a block holds what its tree's own would; linear time.
// Known to fail: bodies that differ by a bit share nothing.
#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/free_body_internal.h"
#include "engine/sim_internal.h"

static int is_steady(const ts_sim* sim, int t) {
    const ts_model* model = sim->model;
    return ts_sim_storage_of(sim)->tree_is_lone[t] && ts_free_body_is_centred(model, t) &&
           model->joint[model->dof[model->tree[t].dof_first].joint].spring == 0.0;
}

// Whether two bodies have the same masses. A zero of another sign counts as another number.
static int are_alike(const ts_body* a, const ts_body* b) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return !memcmp(&a->mass, &b->mass, sizeof a->mass) && !memcmp(&a->inertia, &b->inertia, sizeof a->inertia);
}

// The first steady tree of the same masses: t itself where there was none. `place` (size, a power of two) holds those met so far, plus 1.
static int first_alike(const ts_model* model, int t, int* place, size_t size) {
    const ts_body* body = &model->body[model->tree[t].root];
    uint64_t hash = ts_hash_bytes(TS_HASH_START, &body->mass, sizeof body->mass);
    hash = ts_hash_bytes(hash, &body->inertia, sizeof body->inertia);
    for (size_t at = (size_t)(hash ^ hash >> 32) & (size - 1);; at = (at + 1) & (size - 1)) {
        if (place[at] == 0) place[at] = t + 1;
        if (are_alike(&model->body[model->tree[place[at] - 1].root], body)) return place[at] - 1;
    }
}

// Where the block of every tree begins, and how many numbers there are. Mass matrices are dense per tree: a tree of fifty thousand dofs would not fit any
// machine, nor an int. Returns 0 then, and where memory is short.
static int lay_out(ts_sim* sim, int shares) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_model* model = sim->model;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    size_t size = 1;
    while (size < 2 * (size_t)model->tree_count) size *= 2;
    int* place = (int*)ts_arena_alloc_zeroed(&sim->scratch, size, sizeof(int));
    long long at = 0;
    int row = 0;
    for (int t = 0; place && t < model->tree_count && at <= INT_MAX; ++t) {
        long long n = model->tree[t].dof_count;
        int steady = storage->tree_matrix[t] & TS_TREE_MATRIX_STEADY;
        int first = steady && shares ? first_alike(model, t, place, size) : t;
        sim->mass_start[t] = first < t ? sim->mass_start[first] : (int)at;
        storage->inverse_start[t] = first < t ? storage->inverse_start[first] : row;
        if (first != t) continue;
        at += n * n;
        row += (int)n;
    }
    if (at <= INT_MAX) sim->mass_start[model->tree_count] = (int)at;
    storage->inverse_start[model->tree_count] = row;
    ts_arena_scope_end(&sim->scratch, scope);
    return place && at <= INT_MAX;
}

static double* take_numbers(ts_sim* sim, const int* start) {
    return (double*)ts_arena_alloc_zeroed(&ts_sim_storage_of(sim)->fixed, (size_t)start[sim->model->tree_count],
                                          sizeof(double));
}

int ts_mass_matrices_create(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_model* model = sim->model;
    sim->mass_start = TS_ARENA_ARRAY(&storage->fixed, int, model->tree_count + 1);
    storage->tree_matrix = TS_ARENA_ARRAY(&storage->fixed, unsigned char, model->tree_count);
    storage->inverse_start = TS_ARENA_ARRAY(&storage->fixed, int, model->tree_count + 1);
    if (!sim->mass_start || !storage->tree_matrix || !storage->inverse_start) return 0;
    for (int t = 0; t < model->tree_count; ++t)
        storage->tree_matrix[t] = (unsigned char)(is_steady(sim, t) ? TS_TREE_MATRIX_STEADY : 0);
    storage->matrices_are_shared = !storage->drive;
    if (!lay_out(sim, storage->matrices_are_shared)) return 0;
    sim->mass_matrix = take_numbers(sim, sim->mass_start);
    sim->mass_factor = take_numbers(sim, sim->mass_start);
    storage->inverse_diagonal = take_numbers(sim, storage->inverse_start);
    return sim->mass_matrix && sim->mass_factor && storage->inverse_diagonal;
}

int ts_mass_matrices_part(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_model* model = sim->model;
    const double *M = sim->mass_matrix, *L = sim->mass_factor, *inverse = storage->inverse_diagonal;
    memset(storage->tree_matrix, 0, (size_t)model->tree_count);
    if (!storage->matrices_are_shared) return 1;
    int* start = TS_ARENA_ARRAY(&storage->fixed, int, model->tree_count + 1);
    int* row = TS_ARENA_ARRAY(&storage->fixed, int, model->tree_count + 1);
    if (!start || !row) return 0;
    int *shared = sim->mass_start, *shared_row = storage->inverse_start;
    sim->mass_start = start;
    storage->inverse_start = row;
    double *own_M = NULL, *own_L = NULL, *own_inverse = NULL;
    if (lay_out(sim, 0)) {
        own_M = take_numbers(sim, start);
        own_L = take_numbers(sim, start);
        own_inverse = take_numbers(sim, row);
    }
    if (!own_M || !own_L || !own_inverse) {
        sim->mass_start = shared;
        storage->inverse_start = shared_row;
        return 0;
    }
    for (int t = 0; t < model->tree_count; ++t) {
        size_t bytes = (size_t)model->tree[t].dof_count * (size_t)model->tree[t].dof_count * sizeof(double);
        memcpy(own_M + start[t], M + shared[t], bytes);
        memcpy(own_L + start[t], L + shared[t], bytes);
        memcpy(own_inverse + row[t], inverse + shared_row[t], (size_t)model->tree[t].dof_count * sizeof(double));
    }
    sim->mass_matrix = own_M;
    sim->mass_factor = own_L;
    storage->inverse_diagonal = own_inverse;
    storage->matrices_are_shared = 0;
    return 1;
}
