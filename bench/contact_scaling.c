// What a contact costs, from ten contacts to a hundred thousand: generated piles handed to the solvers as problems,
// without a simulation around them. Boxes in columns that do not touch (many islands), a wall of bricks and a heap of
// spheres on a cubic grid (one island each), all at rest under gravity for one step of a millisecond.
#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/contact_piles.h"
#include "contact/island.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 20, MORE_SWEEPS = 100, ROUNDS = 5, SIZES = 5, SCENES = 3, THREAD_SWEEPS = 100, THREAD_ROUNDS = 11 };

static const double patience = 4.0;          // s: a solver that took longer is not shown the next size
static const double force_tolerance = 1e-4;  // N: of those that solve to the end

// Read by a sweep for one contact between two bodies: 36 numbers of Jacobian, 17 about the contact, 3 of its impulse.
enum { SWEEP_BYTES = 56 * sizeof(double) };

// One way to solve: a solver with its settings.
typedef struct way {
    const ts_solver* solver;
    double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)];
    int sweeps;  // fixed number, or 0: to force_tolerance
} way;

static way make_way(const char* name, int sweeps) {
    way w;
    ts_status status;
    memset(&w, 0, sizeof w);
    w.solver = ts_solver_find(name);
    w.sweeps = sweeps;
    if (!w.solver) return w;
    ts_solver_default_settings(w.solver, w.settings);
    ts_solver_set(w.solver, w.settings, "tolerance", sweeps ? 0.0 : DBL_MAX, &status);
    ts_solver_set(w.solver, w.settings, "force", sweeps ? 0.0 : force_tolerance, &status);
    if (sweeps) {
        ts_solver_set(w.solver, w.settings, "stall", 0.0, &status);
        ts_solver_set(w.solver, w.settings, "iteration_limit", sweeps, &status);
    }
    return w;
}

// The shortest wall-clock time of a solve from zero. `apart`: by islands.
static double time_solve(ts_bench_pile* p, const way* w, int apart, ts_task_pool* pool, int rounds, ts_arena* scratch,
                         ts_solve_report* out_report) {
    double best = HUGE_VAL;
    for (int round = 0; round <= rounds; ++round) {
        memset(p->impulse, 0, (size_t)p->problem.row_count * sizeof(double));
        double start = ts_clock_seconds();
        *out_report = apart
                          ? ts_island_solve(w->solver, &p->problem, NULL, w->settings, pool, scratch, p->impulse, NULL)
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

static void run_sweeps(bench* b, const char* scene_name, ts_bench_pile* p, double* io_floor, double* out_ns) {
    const char* const names[] = {"ncp-pgs", "ccp-pgs"};
    for (int k = 0; k < 2; ++k) {
        way w = make_way(names[k], SWEEPS), more = make_way(names[k], MORE_SWEEPS);
        ts_arena scratch = {0};
        ts_solve_report report;
        // What it takes to start and to end is in both.
        double few = time_solve(p, &w, 0, NULL, ROUNDS, &scratch, &report);
        double many = time_solve(p, &more, 0, NULL, ROUNDS, &scratch, &report);
        double floor = 1e9 * time_read((size_t)p->contacts * SWEEP_BYTES) / p->contacts;
        double ns = 1e9 * (many - few) / (MORE_SWEEPS - SWEEPS) / p->contacts;
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
        *io_floor = fmin(*io_floor, floor);
        ts_arena_free(&scratch);
    }
}

static void run_solves(bench* b, int scene_index, ts_bench_pile* p) {
    static const char* const names[] = {"ncp", "ncp-pgs", "ccp-pgs", "ccp-apgd", "ccp-admm", "ncp-admm"};
    for (int k = 0; k < (int)(sizeof names / sizeof names[0]); ++k) {
        way w = make_way(names[k], 0);
        if (!w.solver || b->slowest[scene_index][k] > patience) continue;
        ts_arena scratch = {0};
        ts_solve_report report;
        double seconds = time_solve(p, &w, 1, NULL, b->options->quick ? 1 : 3, &scratch, &report);
        b->slowest[scene_index][k] = seconds;
        ts_residual residual;
        ts_residual_evaluate(&p->problem, p->impulse, &scratch, NULL, &residual);
        double own = ts_law_residual_in_force_units(w.solver->law == TS_LAW_CCP ? residual.ccp : residual.ncp,
                                                    ts_bench_pile_step);
        int wrong = report.status == TS_SOLVE_CONVERGED && !(own <= 1.01 * force_tolerance);
        b->wrong += wrong;
        ts_bench_row(b->solves);
        ts_bench_text(b->solves, "%s", ts_bench_pile_name((ts_bench_pile_kind)scene_index));
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

// Fills `value` with the times of solves on one and on two threads, taken in turn so that a busy spell of the machine
// hits both. Returns nonzero when the impulses were the same bits in all rounds.
static int time_threads(ts_bench_pile* p, const way* w, int rounds, ts_task_pool* pool, ts_arena* scratch,
                        double* out_one, double* out_two, ts_island_report* out_islands) {
    size_t bytes = (size_t)p->problem.row_count * sizeof(double);
    double* first = (double*)malloc(bytes);
    int same = first != NULL;
    for (int round = -1; round < rounds; ++round) {
        for (int threads = 1; threads <= 2; ++threads) {
            memset(p->impulse, 0, bytes);
            double start = ts_clock_seconds();
            ts_island_solve(w->solver, &p->problem, NULL, w->settings, threads == 1 ? NULL : pool, scratch, p->impulse,
                            out_islands);
            double seconds = ts_clock_seconds() - start;
            if (round >= 0) (threads == 1 ? out_one : out_two)[round] = seconds;
            if (first && round < 0 && threads == 1)
                memcpy(first, p->impulse, bytes);
            else
                same = same && memcmp(first, p->impulse, bytes) == 0;
            for (int i = 0; i < 2; ++i) ts_arena_reset(&scratch[i]);
        }
    }
    free(first);
    return same;
}

static void run_threads(bench* b, const char* scene_name, const char* solver_name, ts_bench_pile* p) {
    way w = make_way(solver_name, THREAD_SWEEPS);
    ts_arena scratch[2] = {{0}};
    ts_task_pool* pool = ts_task_pool_create(2);
    ts_island_report islands;
    double one[THREAD_ROUNDS], two[THREAD_ROUNDS], ratio[THREAD_ROUNDS];
    int rounds = b->options->quick ? 3 : THREAD_ROUNDS;
    int same = pool && time_threads(p, &w, rounds, pool, scratch, one, two, &islands);
    b->wrong += !same;
    for (int k = 0; k < rounds && same; ++k) ratio[k] = one[k] / two[k];
    if (same) {
        ts_bench_sample alone = ts_bench_summarise(one, rounds), both = ts_bench_summarise(two, rounds),
                        gain = ts_bench_summarise(ratio, rounds);
        ts_bench_row(b->threads);
        ts_bench_text(b->threads, "%s", scene_name);
        ts_bench_text(b->threads, "%s", solver_name);
        ts_bench_number(b->threads, p->contacts);
        ts_bench_number(b->threads, islands.islands);
        ts_bench_number(b->threads, 1e3 * alone.median);
        ts_bench_number(b->threads, 1e3 * both.median);
        ts_bench_number(b->threads, gain.median);
        ts_bench_number(b->threads, gain.p10);
        ts_bench_number(b->threads, gain.p90);
        ts_bench_number(b->threads, alone.least / both.least);
        ts_bench_number(b->threads, (double)(scratch[0].peak + scratch[1].peak) / p->contacts);
        ts_bench_text(b->threads, "same");
    } else {
        ts_bench_fail(b->report, "%s, %s, %d contacts: two threads gave other bits, or could not be had", scene_name,
                      solver_name, p->contacts);
    }
    ts_task_pool_destroy(pool);
    ts_arena_free(&scratch[0]);
    ts_arena_free(&scratch[1]);
}

// All sizes and solvers on one kind of pile. Returns 0 when memory was short.
static int run_all_threads(bench* b, ts_bench_pile_kind kind) {
    static const int contacts[] = {1000, 4000, 10000, 100000};
    for (int k = 0; k < (b->options->quick ? 2 : 4); ++k) {
        ts_bench_pile p;
        int made = ts_bench_pile_make(&p, kind, contacts[k]);
        if (made) {
            run_threads(b, ts_bench_pile_name(kind), "ncp-pgs", &p);
            if (contacts[k] <= 10000) run_threads(b, ts_bench_pile_name(kind), "ncp-nsgs", &p);
        }
        ts_bench_pile_free(&p);
        if (!made) return ts_bench_fail(b->report, "no memory for %d contacts", contacts[k]), 0;
    }
    return 1;
}

static void add_tables(bench* b) {
    b->sweeps = ts_bench_add_table(b->report, "sweeps", "One Gauss-Seidel sweep, beside reading its bytes once");
    b->solves = ts_bench_add_table(b->report, "solves", "Solved from zero to 1e-4 N, by islands, one thread");
    b->threads = ts_bench_add_table(b->report, "threads", "100 sweeps by islands, on one and on two threads in turn");
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
    static const char* const threads[][2] = {
        {"pile", ""},         {"solver", ""},         {"contacts", ""},         {"islands", ""},
        {"one thread", "ms"}, {"two threads", "ms"},  {"speed-up", ""},         {"p10", ""},
        {"p90", ""},          {"of the fastest", ""}, {"scratch", "B/contact"}, {"bits", ""}};
    for (size_t k = 0; k < sizeof threads / sizeof threads[0]; ++k)
        ts_bench_add_column(b->threads, threads[k][0], threads[k][1]);
}

int ts_bench_contact_scaling(const ts_bench_options* options, ts_bench_report* report) {
    static const int contacts[SIZES] = {10, 100, 1000, 10000, 100000};
    int sizes = options->quick ? 3 : SIZES;
    bench b;
    memset(&b, 0, sizeof b);
    b.options = options;
    b.report = report;
    add_tables(&b);
    for (int k = 0; k < SIZES; ++k) b.floor[k] = (double)NAN;  // fmin prefers numbers
    for (int s = 0; s < SCENES; ++s) {
        for (int k = 0; k < SIZES; ++k) b.ns[s][k] = (double)NAN;
        if (!ts_bench_wanted(report, options, ts_bench_pile_name((ts_bench_pile_kind)s))) continue;
        for (int k = 0; k < sizes; ++k) {
            ts_bench_pile p;
            if (!ts_bench_pile_make(&p, (ts_bench_pile_kind)s, contacts[k])) {
                ts_bench_pile_free(&p);
                return ts_bench_fail(report, "no memory for %d contacts", contacts[k]);
            }
            run_sweeps(&b, ts_bench_pile_name((ts_bench_pile_kind)s), &p, &b.floor[k], &b.ns[s][k]);
            run_solves(&b, s, &p);
            ts_bench_pile_free(&p);
            if (ts_bench_progress(report, s * sizes + k + 1, SCENES * sizes + TS_BENCH_PILE_KINDS))
                return TS_BENCH_STOPPED;
        }
    }
    for (int s = 0; s < TS_BENCH_PILE_KINDS && ts_bench_wanted(report, options, "threads"); ++s) {
        if (!run_all_threads(&b, (ts_bench_pile_kind)s)) return TS_BENCH_WRONG;
        if (ts_bench_progress(report, SCENES * sizes + s + 1, SCENES * sizes + TS_BENCH_PILE_KINDS))
            return TS_BENCH_STOPPED;
    }
    ts_bench_figure* f = ts_bench_add_figure(report, "contact-scaling", "A contact's part of one sweep of ncp-pgs",
                                             (ts_bench_axis){"contacts", "", TS_BENCH_LOG},
                                             (ts_bench_axis){"per contact and sweep", "ns", TS_BENCH_LOG});
    double x[SIZES];
    for (int k = 0; k < SIZES; ++k) x[k] = contacts[k];
    for (int s = 0; s < SCENES; ++s)
        ts_bench_add_curve(f, ts_bench_pile_name((ts_bench_pile_kind)s), x, b.ns[s], SIZES);
    ts_bench_add_curve(f, "reading the same bytes", x, b.floor, SIZES);
    ts_bench_note(
        report,
        "The floor is one thread reading %d bytes per contact in order: 36 numbers of Jacobian, 17 about the "
        "contact, 3 of its impulse; taken right after the sweeps. Places of the numbers (40 bytes) and bodies' "
        "velocities "
        "(48 bytes a body) come on top. A sweep's time is the difference of solves of %d and %d sweeps, so it has its "
        "share of looks at the residual, but not the start.",
        SWEEP_BYTES, MORE_SWEEPS, SWEEPS);
    ts_bench_note(
        report,
        "Threads: one and two in turn, median of %d; speed-ups are of neighbours in time. Islands of %d contacts "
        "and more are cut and rewritten for threads whether or not there are any, and that is in the time.",
        options->quick ? 3 : THREAD_ROUNDS, 1024);
    ts_bench_note(report,
                  "A solver that took more than %g s is not shown the next size. An answer that claims to have "
                  "converged is judged again: %d were wrong.",
                  patience, b.wrong);
    return b.wrong ? TS_BENCH_WRONG : TS_BENCH_DONE;
}
