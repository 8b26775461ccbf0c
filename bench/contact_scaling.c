// What a contact costs, from ten contacts to a hundred thousand: generated piles handed to the solvers as problems, without
// a simulation around them. Boxes in columns that do not touch (many islands), a wall of bricks and a heap of spheres on a
// cubic grid (one island each), all at rest under gravity for one step of a millisecond.
#include "base/clock.h"
#include "bench/bench_list.h"
#include "contact/island.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 20, ROUNDS = 5, SIZES = 5 };

#define STEP 1e-3       // s
#define MASS 1.0        // kg
#define INERTIA 0.1     // kg m^2
#define LIMIT 4.0       // s: a solver that took longer is not shown the next size
#define TOLERANCE 1e-4  // N: of those that solve to the end

// Read by a sweep for one contact between two bodies: 36 numbers of Jacobian, 17 about the contact, 3 of its impulse.
#define SWEEP_BYTES (56 * sizeof(double))

typedef struct pile {
    int bodies, contacts, room;
    ts_block* block;
    int* block_row;
    int* segment_start;
    ts_delassus_segment* segment;
    double* J;  // 36 per contact
    double* g;
    double* impulse;
    ts_arena arena;
    ts_contact_problem problem;
} pile;

static void free_pile(pile* p) {
    free(p->block);
    free(p->block_row);
    free(p->segment_start);
    free(p->segment);
    free(p->J);
    free(p->g);
    free(p->impulse);
    ts_arena_free(&p->arena);
    memset(p, 0, sizeof *p);
}

static int make_room(pile* p, int contacts) {
    size_t n = (size_t)contacts;
    memset(p, 0, sizeof *p);
    p->room = contacts;
    p->block = (ts_block*)calloc(n, sizeof *p->block);
    p->block_row = (int*)calloc(n + 1, sizeof(int));
    p->segment_start = (int*)calloc(n + 1, sizeof(int));
    p->segment = (ts_delassus_segment*)calloc(2 * n, sizeof *p->segment);
    p->J = (double*)calloc(36 * n, sizeof(double));
    p->g = (double*)calloc(3 * n, sizeof(double));
    p->impulse = (double*)calloc(3 * n, sizeof(double));
    return p->block && p->block_row && p->segment_start && p->segment && p->J && p->g && p->impulse;
}

// One side's rows in whitened coordinates: sign [frame^T, (r x frame)^T], divided by the roots of mass and inertia. Also
// adds what gravity makes of the approach within a step.
static void fill_side(double* J, double* g, double frame[3][3], const double r[3], double sign) {
    for (int k = 0; k < 3; ++k, J += 6) {
        const double* d = frame[k];
        const double moment[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]};
        for (int j = 0; j < 3; ++j) {
            J[j] = sign * d[j] / sqrt(MASS);
            J[3 + j] = sign * moment[j] / sqrt(INERTIA);
        }
        g[k] += sign * d[2] * (-9.81 * STEP);
    }
}

// A contact from body a (-1: the ground) to body b along `axis`, at places given relative to their centres.
static void add_contact(pile* p, int a, int b, int axis, const double on_a[3], const double on_b[3]) {
    if (p->contacts == p->room) return;
    int c = p->contacts++, s = p->segment_start[c];
    double frame[3][3] = {{0.0}};
    for (int k = 0; k < 3; ++k) frame[k][(axis + 1 + k) % 3] = 1.0;
    double *J = p->J + 36 * (size_t)c, *g = p->g + 3 * (size_t)c;
    int bodies[2] = {b, a};
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] < 0) continue;
        double* rows = J + 18 * side;
        fill_side(rows, g, frame, side ? on_a : on_b, side ? -1.0 : 1.0);
        ts_delassus_segment segment = {6 * bodies[side], 6, rows, rows};
        p->segment[s++] = segment;
        if (bodies[side] >= p->bodies) p->bodies = bodies[side] + 1;
    }
    ts_block block = {TS_SET_CONE, 3 * c, 3, 0.6, 0.0, 0.0};
    p->block[c] = block;
    p->block_row[c + 1] = 3 * c + 3;
    p->segment_start[c + 1] = s;
}

// Columns of ten boxes (fewer for a few contacts), four contacts under each, from the top down.
static void add_columns(pile* p, int contacts) {
    int height = contacts < 40 ? (contacts + 3) / 4 : 10;
    for (int column = 0; p->contacts < contacts; ++column)
        for (int k = height - 1; k >= 0; --k)
            for (int corner = 0; corner < 4; ++corner) {
                double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5;
                const double under[3] = {x, y, 0.5}, above[3] = {x, y, -0.5};
                add_contact(p, k > 0 ? height * column + k - 1 : -1, height * column + k, 2, under, above);
            }
}

// Bricks of length two, each on halves of two others: two contacts on each half.
static void add_wall(pile* p, int contacts) {
    int layers = 1;
    while (8 * layers * layers < contacts + 4 * layers) ++layers;  // twice as many bricks to a layer as layers
    int length = 2 * layers;
    for (int z = layers - 1; z >= 0; --z)
        for (int x = 0; x < length; ++x)
            for (int k = 0; k < 4; ++k) {
                double half = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
                int below = z % 2 ? x + (k & 1) : x - 1 + (k & 1);
                const double under[3] = {-half, y, 0.5}, above[3] = {half, y, -0.5};
                if (z > 0 && (below < 0 || below >= length)) continue;
                add_contact(p, z > 0 ? (z - 1) * length + below : -1, z * length + x, 2, under, above);
            }
}

// Spheres on a cubic grid, each touching six others.
static void add_heap(pile* p, int contacts) {
    int n = 1;
    while (3 * n * n * n - 2 * n * n < contacts) ++n;
    for (int z = n - 1; z >= 0; --z)
        for (int i = 0; i < n * n; ++i) {
            int me = z * n * n + i;
            const double up[3][3] = {{0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.5}};
            const double down[3][3] = {{-0.5, 0.0, 0.0}, {0.0, -0.5, 0.0}, {0.0, 0.0, -0.5}};
            if (i % n > 0) add_contact(p, me - 1, me, 0, up[0], down[0]);
            if (i / n > 0) add_contact(p, me - n, me, 1, up[1], down[1]);
            add_contact(p, z > 0 ? me - n * n : -1, me, 2, up[2], down[2]);
        }
}

typedef struct scene {
    const char* name;
    void (*add)(pile* p, int contacts);
} scene;

static const scene scenes[] = {{"columns", add_columns}, {"wall", add_wall}, {"heap", add_heap}};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

static int make_pile(pile* p, const scene* s, int contacts) {
    // Piles are whole: they end with the first column, layer or cube that has enough.
    if (!make_room(p, 2 * contacts + 64)) return 0;
    s->add(p, contacts);
    p->problem.block_count = p->contacts;
    p->problem.row_count = 3 * p->contacts;
    p->problem.block = p->block;
    p->problem.g = p->g;
    p->problem.time_step = STEP;
    p->problem.delassus = ts_delassus_velocity_form_borrow(&p->arena, 6 * p->bodies, p->contacts, p->block_row,
                                                           p->segment_start, p->segment);
    return p->problem.delassus != NULL;
}

// One way to solve: a solver with its settings.
typedef struct way {
    const ts_solver* solver;
    double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)];
    int sweeps;  // fixed number, or 0: to TOLERANCE
} way;

static way make_way(const char* name, int sweeps) {
    way w;
    ts_status status;
    memset(&w, 0, sizeof w);
    w.solver = ts_solver_find(name);
    w.sweeps = sweeps;
    if (!w.solver) return w;
    w.solver->settings_default(w.settings);
    ts_solver_set(w.solver, w.settings, "tolerance", sweeps ? 0.0 : TOLERANCE, &status);
    if (sweeps) {
        ts_solver_set(w.solver, w.settings, "stall", 0.0, &status);
        ts_solver_set(w.solver, w.settings, "iteration_limit", sweeps, &status);
    }
    return w;
}

// The shortest wall-clock time of a solve from zero. `apart`: by islands.
static double time_solve(pile* p, const way* w, int apart, ts_task_pool* pool, int rounds, ts_arena* scratch,
                         ts_solve_report* out_report) {
    double best = HUGE_VAL;
    for (int round = 0; round <= rounds; ++round) {
        memset(p->impulse, 0, (size_t)p->problem.row_count * sizeof(double));
        double start = ts_clock_seconds();
        *out_report = apart ? ts_island_solve(w->solver, &p->problem, w->settings, pool, scratch, p->impulse, NULL)
                            : w->solver->solve(&p->problem, w->settings, scratch, p->impulse);
        double seconds = ts_clock_seconds() - start;
        if (round > 0 || seconds > 0.5) best = fmin(best, seconds);
        for (int i = 0; i < ts_task_pool_workers(pool); ++i) ts_arena_reset(&scratch[i]);
        if (seconds > 0.5) break;  // long enough to be its own warm-up
    }
    return best;
}

#if defined(__GNUC__)
typedef double lanes __attribute__((vector_size(32)));
#else
typedef double lanes;
#endif

// Seconds to read `bytes` once, in order: the shortest of several.
static double time_read(size_t bytes) {
    size_t n = bytes / (4 * sizeof(lanes)) + 1;
    lanes* data = (lanes*)aligned_alloc(64, (n * 4 * sizeof(lanes) + 63) / 64 * 64);
    lanes sum[4];
    double best = HUGE_VAL, seen = 0.0;
    if (!data) return best;
    memset(data, 0, n * 4 * sizeof(lanes));
    memset(sum, 0, sizeof sum);
    // What fits a cache is read over and over for as long as the clock needs.
    int repeats = (int)(1 + 2000000 / bytes);
    for (int round = 0; round < 4 * ROUNDS; ++round) {
        double start = ts_clock_seconds();
        for (int r = 0; r < repeats; ++r) {
            lanes a = sum[0], b = sum[1], c = sum[2], d = sum[3];
            for (size_t i = 0; i < 4 * n; i += 4) {
                a += data[i];
                b += data[i + 1];
                c += data[i + 2];
                d += data[i + 3];
            }
            sum[0] = a, sum[1] = b, sum[2] = c, sum[3] = d;
        }
        best = fmin(best, (ts_clock_seconds() - start) / repeats);
    }
    // The sums are used, so that the loop cannot go.
    memcpy(&seen, sum, sizeof seen);
    free(data);
    return seen == 0.0 ? best : HUGE_VAL;
}

typedef struct bench {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* sweeps;
    ts_bench_table* solves;
    ts_bench_table* threads;
    double ns[SCENES][SIZES];
    double floor[SIZES];
    double slowest[SCENES][16];  // s that each solver took at the size before
    int wrong;
} bench;

static void run_sweeps(bench* b, const char* scene_name, pile* p, double floor, double* out_ns) {
    const char* const names[] = {"ncp-pgs", "ccp-pgs"};
    for (int k = 0; k < 2; ++k) {
        way w = make_way(names[k], SWEEPS);
        ts_arena scratch = {0};
        ts_solve_report report;
        double seconds = time_solve(p, &w, 0, NULL, ROUNDS, &scratch, &report);
        double ns = 1e9 * seconds / SWEEPS / p->contacts;
        size_t memory =
            p->arena.peak + scratch.peak + (size_t)p->contacts * (36 * sizeof(double) + 2 * sizeof(*p->segment));
        ts_bench_row(b->sweeps);
        ts_bench_text(b->sweeps, "%s", scene_name);
        ts_bench_text(b->sweeps, "%s", names[k]);
        ts_bench_number(b->sweeps, p->contacts);
        ts_bench_number(b->sweeps, ns);
        ts_bench_number(b->sweeps, floor);
        ts_bench_number(b->sweeps, ns / floor);
        ts_bench_number(b->sweeps, (double)memory / p->contacts);
        if (k == 0) *out_ns = ns;
        ts_arena_free(&scratch);
    }
}

static void run_solves(bench* b, int scene_index, pile* p) {
    static const char* const names[] = {"ncp", "ncp-pgs", "ccp-pgs", "ccp-apgd", "ccp-admm", "ncp-admm"};
    for (int k = 0; k < (int)(sizeof names / sizeof names[0]); ++k) {
        way w = make_way(names[k], 0);
        if (!w.solver || b->slowest[scene_index][k] > LIMIT) continue;
        ts_arena scratch = {0};
        ts_solve_report report;
        double seconds = time_solve(p, &w, 1, NULL, b->options->quick ? 1 : 3, &scratch, &report);
        b->slowest[scene_index][k] = seconds;
        ts_residual residual;
        ts_residual_evaluate(&p->problem, p->impulse, &scratch, NULL, &residual);
        double own = ts_law_residual_in_force_units(w.solver->law == TS_LAW_CCP ? residual.ccp : residual.ncp, STEP);
        int wrong = report.status == TS_SOLVE_CONVERGED && !(own <= 1.01 * TOLERANCE);
        b->wrong += wrong;
        ts_bench_row(b->solves);
        ts_bench_text(b->solves, "%s", scenes[scene_index].name);
        ts_bench_text(b->solves, "%s", names[k]);
        ts_bench_number(b->solves, p->contacts);
        ts_bench_text(b->solves, "%s%s", ts_solve_status_name(report.status), wrong ? " (WRONG)" : "");
        ts_bench_number(b->solves, report.iterations);
        ts_bench_number(b->solves, own);
        ts_bench_number(b->solves, 1e3 * seconds);
        ts_bench_number(b->solves, 1e6 * seconds / p->contacts);
        ts_bench_number(b->solves, (double)scratch.peak / p->contacts);
        ts_arena_free(&scratch);
    }
}

static void run_threads(bench* b, const char* scene_name, pile* p) {
    way w = make_way("ncp-pgs", 5 * SWEEPS);
    ts_arena scratch[2] = {{0}};
    ts_solve_report report;
    ts_task_pool* pool = ts_task_pool_create(2);
    size_t bytes = (size_t)p->problem.row_count * sizeof(double);
    double* alone = (double*)malloc(bytes);
    double one = time_solve(p, &w, 1, NULL, ROUNDS, scratch, &report);
    if (alone) memcpy(alone, p->impulse, bytes);
    double two = time_solve(p, &w, 1, pool, ROUNDS, scratch, &report);
    int same = alone && memcmp(alone, p->impulse, bytes) == 0;
    b->wrong += !same;
    ts_bench_row(b->threads);
    ts_bench_text(b->threads, "%s", scene_name);
    ts_bench_number(b->threads, p->contacts);
    ts_bench_number(b->threads, 1e3 * one);
    ts_bench_number(b->threads, 1e3 * two);
    ts_bench_number(b->threads, one / two);
    ts_bench_text(b->threads, "%s", same ? "same" : "DIFFERENT");
    free(alone);
    ts_task_pool_destroy(pool);
    ts_arena_free(&scratch[0]);
    ts_arena_free(&scratch[1]);
}

static void add_tables(bench* b) {
    b->sweeps = ts_bench_add_table(b->report, "sweeps", "One Gauss-Seidel sweep, beside reading its bytes once");
    b->solves = ts_bench_add_table(b->report, "solves", "Solved from zero to 1e-4 N, by islands, one thread");
    b->threads = ts_bench_add_table(b->report, "threads", "100 sweeps of ncp-pgs on one and on two threads");
    ts_bench_add_column(b->sweeps, "pile", "");
    ts_bench_add_column(b->sweeps, "solver", "");
    ts_bench_add_column(b->sweeps, "contacts", "");
    ts_bench_add_column(b->sweeps, "per contact", "ns");
    ts_bench_add_column(b->sweeps, "floor", "ns");
    ts_bench_add_column(b->sweeps, "ratio", "");
    ts_bench_add_column(b->sweeps, "memory", "B/contact");
    ts_bench_add_column(b->solves, "pile", "");
    ts_bench_add_column(b->solves, "solver", "");
    ts_bench_add_column(b->solves, "contacts", "");
    ts_bench_add_column(b->solves, "status", "");
    ts_bench_add_column(b->solves, "iterations", "");
    ts_bench_add_column(b->solves, "own residual", "N");
    ts_bench_add_column(b->solves, "time", "ms");
    ts_bench_add_column(b->solves, "per contact", "us");
    ts_bench_add_column(b->solves, "scratch", "B/contact");
    ts_bench_add_column(b->threads, "pile", "");
    ts_bench_add_column(b->threads, "contacts", "");
    ts_bench_add_column(b->threads, "one thread", "ms");
    ts_bench_add_column(b->threads, "two threads", "ms");
    ts_bench_add_column(b->threads, "speed-up", "");
    ts_bench_add_column(b->threads, "bits", "");
}

int ts_bench_contact_scaling(const ts_bench_options* options, ts_bench_report* report) {
    static const int contacts[SIZES] = {10, 100, 1000, 10000, 100000};
    int sizes = options->quick ? 3 : SIZES;
    bench b;
    memset(&b, 0, sizeof b);
    b.options = options;
    b.report = report;
    add_tables(&b);
    for (int k = 0; k < SIZES; ++k) b.floor[k] = (double)NAN;
    for (int k = 0; k < sizes; ++k) b.floor[k] = 1e9 * time_read((size_t)contacts[k] * SWEEP_BYTES) / contacts[k];
    for (int s = 0; s < SCENES; ++s) {
        for (int k = 0; k < SIZES; ++k) b.ns[s][k] = (double)NAN;
        if (!ts_bench_wanted(options, scenes[s].name)) continue;
        for (int k = 0; k < sizes; ++k) {
            pile p;
            if (!make_pile(&p, &scenes[s], contacts[k])) {
                free_pile(&p);
                return ts_bench_fail(report, "no memory for %d contacts", contacts[k]);
            }
            run_sweeps(&b, scenes[s].name, &p, b.floor[k], &b.ns[s][k]);
            run_solves(&b, s, &p);
            if (contacts[k] >= 1000) run_threads(&b, scenes[s].name, &p);
            free_pile(&p);
            if (ts_bench_progress(report, s * sizes + k + 1, SCENES * sizes)) return TS_BENCH_STOPPED;
        }
    }
    ts_bench_figure* f = ts_bench_add_figure(report, "contact-scaling", "A contact's part of one sweep of ncp-pgs",
                                             "contacts", "", TS_BENCH_LOG, "per contact and sweep", "ns", TS_BENCH_LOG);
    double x[SIZES];
    for (int k = 0; k < SIZES; ++k) x[k] = contacts[k];
    for (int s = 0; s < SCENES; ++s) ts_bench_add_curve(f, scenes[s].name, x, b.ns[s], SIZES);
    ts_bench_add_curve(f, "reading the same bytes", x, b.floor, SIZES);
    ts_bench_note(
        report,
        "The floor is one thread reading %d bytes per contact in order: 36 numbers of Jacobian, 17 about the "
        "contact, 3 of its impulse. Bodies' velocities come on top and are mostly in cache. A sweep's time has "
        "its share of the start and of looks at the residual (%d sweeps to a solve).",
        (int)SWEEP_BYTES, SWEEPS);
    ts_bench_note(report,
                  "A solver that took more than %g s is not shown the next size. An answer that claims to have "
                  "converged is judged again: %d were wrong.",
                  LIMIT, b.wrong);
    return b.wrong ? TS_BENCH_WRONG : TS_BENCH_DONE;
}
