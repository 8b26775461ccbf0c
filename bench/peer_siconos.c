// Siconos behind our problem: storage, order of components, silence.
//
// NSGS walks by blocks, so it gets its sparse-block storage; the two that factorise get compressed columns, converted
// before the clock starts. Components go normal first. Its solvers print; standard output and error lead nowhere while
// they run.
#include "bench/contact_peer.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <siconos/numerics/fc3d_Solvers.h>
#include <siconos/numerics/fc3d_compute_error.h>

#include "bench/stopwatch.h"

const char* const ts_siconos_name[TS_SICONOS_SOLVERS] = {"siconos NSGS", "siconos NSN_AC", "siconos ADMM"};

static const int solver_id[TS_SICONOS_SOLVERS] = {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_NSN_AC,
                                                  SICONOS_FRICTION_3D_ADMM};

int ts_siconos_takes(const ts_contact_problem* problem) {
    if (!(problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS)) return 0;
    for (int b = 0; b < problem->block_count; ++b)
        if (problem->block[b].set != TS_SET_CONE || problem->block[b].rows != 3) return 0;
    return problem->block_count > 0;
}

// Standard output and error lead nowhere between the two.
typedef struct silence {
    int out;
    int err;
} silence;

static silence silence_begin(void) {
    fflush(NULL);
    silence s = {dup(1), dup(2)};
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        close(nowhere);
    }
    return s;
}

static void silence_end(silence s) {
    fflush(NULL);
    if (s.out >= 0) dup2(s.out, 1);
    if (s.err >= 0) dup2(s.err, 2);
    if (s.out >= 0) close(s.out);
    if (s.err >= 0) close(s.err);
}

// Theirs (normal, tangent 1, tangent 2) from ours (tangent 1, tangent 2, normal).
static int ours(int component) { return (component + 2) % 3; }

static double entry_of(const ts_contact_problem* p, const ts_delassus_blocks* G, int b, int e, int r, int c) {
    double value = G->value[G->at[e] + (size_t)(3 * ours(r) + ours(c))];
    if (p->R && G->column[e] == b && r == c) value += p->R[3 * b + ours(r)];
    return value;
}

// Memory of a block matrix is Siconos' to free, so it comes from malloc piece by piece.
static NumericsMatrix* make_block_matrix(const ts_contact_problem* p, const ts_delassus_blocks* G) {
    unsigned count = (unsigned)p->block_count, entries = (unsigned)G->start[p->block_count];
    NumericsMatrix* M = NM_create(NM_SPARSE_BLOCK, p->row_count, p->row_count);
    SparseBlockStructuredMatrix* S = M->matrix1;
    S->nbblocks = entries;
    S->blocknumber0 = S->blocknumber1 = count;
    S->filled1 = count + 1;
    S->filled2 = entries;
    S->block = (double**)calloc(entries, sizeof(double*));
    S->blocksize0 = (unsigned*)calloc(count, sizeof(unsigned));
    S->blocksize1 = (unsigned*)calloc(count, sizeof(unsigned));
    S->index1_data = (size_t*)calloc((size_t)count + 1, sizeof(size_t));
    S->index2_data = (size_t*)calloc(entries, sizeof(size_t));
    for (unsigned b = 0; b < count; ++b) {
        S->blocksize0[b] = S->blocksize1[b] = 3 * (b + 1);
        S->index1_data[b + 1] = (size_t)G->start[b + 1];
        for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
            S->index2_data[e] = (size_t)G->column[e];
            S->block[e] = (double*)malloc(9 * sizeof(double));
            for (int k = 0; k < 9; ++k) S->block[e][k] = entry_of(p, G, (int)b, e, k % 3, k / 3);
        }
    }
    return M;
}

static NumericsMatrix* make_column_matrix(const ts_contact_problem* p, const ts_delassus_blocks* G) {
    NumericsMatrix* M = NM_create(NM_SPARSE, p->row_count, p->row_count);
    NM_triplet_alloc(M, 9 * G->start[p->block_count]);
    M->matrix2->origin = NSM_TRIPLET;
    for (int b = 0; b < p->block_count; ++b)
        for (int e = G->start[b]; e < G->start[b + 1]; ++e)
            for (int k = 0; k < 9; ++k) {
                double value = entry_of(p, G, b, e, k / 3, k % 3);
                if (value != 0.0) NM_entry(M, 3 * b + k / 3, 3 * G->column[e] + k % 3, value);
            }
    NM_csc(M);
    return M;
}

// A problem of theirs. `q` and `mu` are theirs to free.
static FrictionContactProblem* make_problem(const ts_contact_problem* p, int blockwise, ts_arena* arena) {
    ts_delassus_blocks G;
    if (!p->delassus->ops->blocks(p->delassus, arena, (size_t)1 << 27, &G)) return NULL;
    double* q = (double*)calloc((size_t)p->row_count, sizeof(double));
    double* mu = (double*)calloc((size_t)p->block_count, sizeof(double));
    if (!q || !mu) {
        free(q);
        free(mu);
        return NULL;
    }
    for (int i = 0; i < p->row_count; ++i) q[i] = p->g[i - i % 3 + ours(i % 3)];
    for (int b = 0; b < p->block_count; ++b) mu[b] = p->block[b].mu;
    NumericsMatrix* M = blockwise ? make_block_matrix(p, &G) : make_column_matrix(p, &G);
    // The problem keeps q and mu. NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    return frictionContactProblem_new_with_data(3, p->block_count, M, q, mu);
}

int ts_siconos_solve(const ts_contact_problem* problem, int solver, double tolerance, int limit, double* out_impulse,
                     int* out_iterations, double* out_seconds) {
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    silence quiet = silence_begin();
    int reached = 0, n = problem->row_count;
    double* r = (double*)calloc((size_t)n, sizeof(double));
    double* u = (double*)calloc((size_t)n, sizeof(double));
    FrictionContactProblem* p = r && u ? make_problem(problem, solver == 0, &arena) : NULL;
    *out_iterations = 0;
    *out_seconds = HUGE_VAL;
    memset(out_impulse, 0, (size_t)n * sizeof(double));
    if (p) {
        SolverOptions* options = solver_options_create(solver_id[solver]);
        options->iparam[SICONOS_IPARAM_MAX_ITER] = limit;
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        ts_stopwatch watch = ts_stopwatch_begin();
        reached = fc3d_driver(p, r, u, options) == 0;
        *out_seconds = ts_stopwatch_seconds(watch);
        *out_iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
        solver_options_delete(options);
        for (int i = 0; i < n; ++i) {
            out_impulse[i - i % 3 + ours(i % 3)] = r[i];
            reached = reached && isfinite(r[i]);
        }
        frictionContactProblem_free(p);
    }
    free(r);
    free(u);
    ts_arena_free(&arena);
    silence_end(quiet);
    return reached;
}

double ts_siconos_error(const ts_contact_problem* problem, const double* impulse) {
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    silence quiet = silence_begin();
    double error = -1.0, squares = 0.0;
    int n = problem->row_count;
    double* r = (double*)calloc((size_t)n, sizeof(double));
    double* u = (double*)calloc((size_t)n, sizeof(double));
    FrictionContactProblem* p = r && u ? make_problem(problem, 0, &arena) : NULL;
    if (p) {
        SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
        for (int i = 0; i < n; ++i) {
            r[i] = impulse[i - i % 3 + ours(i % 3)];
            squares += p->q[i] * p->q[i];
        }
        fc3d_compute_error(p, r, u, 1e-8, options, sqrt(squares), &error);
        solver_options_delete(options);
        frictionContactProblem_free(p);
    }
    free(r);
    free(u);
    ts_arena_free(&arena);
    silence_end(quiet);
    return error;
}
