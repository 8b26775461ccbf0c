// What gradients of rollouts are for: tasks with known answers, from many starts, by Levenberg's damped Gauss-Newton with derivatives of three kinds.
//
// Problem: find unknowns x whose motion is where it shall be: r(x) = 0.
// Rule: (J^T J + d diag(J^T J)) dx = -J^T r in units of the spread of starts; d falls by 10 where |r| does, else grows by 10 and the step is
// tried again. J is that of the motion, forward through every step (first order); central differences of whole runs; or that of r smoothed
// by a Gaussian, from antithetic pairs, which knows nothing of x but runs (0th order: mean of (r(x + s z) - r(x - s z)) z / 2 s).
// An iteration is one J. A start has got there when all unknowns are within 1e-6 of the answer, in units of their spread.
// Known to fail: where r is at a kink or flat the same holds for all three; the report of the steps then says what is in the way.
#include "bench/bench_list.h"
#include "bench/gradient_tasks.h"
#include "bench/stopwatch.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 20,
    QUICK_STARTS = 3,
    SAMPLED_STARTS = 5,
    PATIENCE = 4,
    ITERATIONS = 50,
    TRIES = 12,
    PAIRS_EACH = 8,
    PAIRS_MOST = 16
};

// 1: of the spread of starts: what has got there; increments of differences; the width of the Gaussian.
static const double there = 1e-6, increment = 1e-6, width = 1e-4;

typedef enum way { WAY_FIRST, WAY_DIFFERENCES, WAY_ZEROTH, WAYS } way;

static const char* const way_names[WAYS] = {"first order", "differences", "0th order"};

// One start under one way.
typedef struct course {
    int arrived;                      // iterations until it was there; -1: never
    double distance[ITERATIONS + 1];  // 1: of the unknown that is farthest off, after each
    double seconds;
    char reason[256];  // what stopped it
} course;

static double spread_of(const ts_task* task, int c) { return task->unknown[c].high - task->unknown[c].low; }

static double distance_of(const ts_task* task, const double* x) {
    double most = 0.0;
    for (int c = 0; c < task->unknown_count; ++c)
        most = fmax(most, fabs(x[c] - task->unknown[c].answer) / spread_of(task, c));
    return most;
}

static double size_of(const double* r, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += r[i] * r[i];
    return sqrt(sum);
}

// --- derivatives ---

// Half of r(x + dx) - r(x - dx).
static ts_code half_difference(ts_task_bench* bench, const double* x, const double* dx, double* out,
                               ts_status* status) {
    const ts_task* task = bench->task;
    double y[TS_TASK_UNKNOWNS] = {0.0}, below[TS_TASK_ASKED];
    for (int c = 0; c < task->unknown_count; ++c) y[c] = x[c] + dx[c];
    ts_code code = ts_task_run(bench, y, out, status);
    for (int c = 0; c < task->unknown_count; ++c) y[c] = x[c] - dx[c];
    if (!code) code = ts_task_run(bench, y, below, status);
    for (int i = 0; i < task->asked_count && !code; ++i) out[i] = 0.5 * (out[i] - below[i]);
    return code;
}

static ts_code by_differences(ts_task_bench* bench, const double* x, double* J, ts_status* status) {
    int n = bench->task->unknown_count;
    ts_code code = TS_OK;
    for (int c = 0; c < n && !code; ++c) {
        double dx[TS_TASK_UNKNOWNS] = {0.0}, half[TS_TASK_ASKED];
        dx[c] = increment * spread_of(bench->task, c);
        code = half_difference(bench, x, dx, half, status);
        for (int i = 0; i < bench->task->asked_count && !code; ++i) J[i * n + c] = half[i] / dx[c];
    }
    return code;
}

static ts_code by_samples(ts_task_bench* bench, const double* x, ts_rng* rng, double* J, ts_status* status) {
    int n = bench->task->unknown_count, m = bench->task->asked_count;
    int pairs = PAIRS_EACH * n < PAIRS_MOST ? PAIRS_EACH * n : PAIRS_MOST;
    ts_code code = TS_OK;
    memset(J, 0, (size_t)(m * n) * sizeof *J);
    for (int s = 0; s < pairs && !code; ++s) {
        double z[TS_TASK_UNKNOWNS], dx[TS_TASK_UNKNOWNS] = {0.0}, half[TS_TASK_ASKED];
        for (int c = 0; c < n; ++c) {
            z[c] = ts_rng_normal(rng);
            dx[c] = width * spread_of(bench->task, c) * z[c];
        }
        code = half_difference(bench, x, dx, half, status);
        for (int i = 0; i < m && !code; ++i)
            for (int c = 0; c < n; ++c) J[i * n + c] += half[i] * z[c] / (width * spread_of(bench->task, c) * pairs);
    }
    return code;
}

// Residual and J by one of the ways.
static ts_code differentiate(ts_task_bench* bench, way how, const double* x, ts_rng* rng, double* r, double* J,
                             ts_status* status) {
    if (how == WAY_FIRST) return ts_task_differentiate(bench, x, r, J, status);
    ts_code code = ts_task_run(bench, x, r, status);
    if (code) return code;
    return how == WAY_DIFFERENCES ? by_differences(bench, x, J, status) : by_samples(bench, x, rng, J, status);
}

// --- Gauss-Newton ---

// Solves A x = b (n x n, positive definite) in place by elimination. Returns 0 when it is singular.
static int solve_small(double* A, double* b, int n) {
    for (int k = 0; k < n; ++k) {
        if (!(A[k * n + k] > 0.0)) return 0;
        for (int i = k + 1; i < n; ++i) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return 1;
}

// The damped step, in dx. Returns 0 where J leaves it open.
static int step_of(const ts_task* task, const double* J, const double* r, double damping, double* dx) {
    int n = task->unknown_count;
    double A[TS_TASK_UNKNOWNS * TS_TASK_UNKNOWNS] = {0.0};
    for (int c = 0; c < n; ++c) {
        dx[c] = 0.0;
        for (int i = 0; i < task->asked_count; ++i) {
            dx[c] -= J[i * n + c] * r[i] * spread_of(task, c);
            for (int d = 0; d < n; ++d)
                A[c * n + d] += J[i * n + c] * J[i * n + d] * spread_of(task, c) * spread_of(task, d);
        }
    }
    for (int c = 0; c < n; ++c) A[c * n + c] *= 1.0 + damping;
    if (!solve_small(A, dx, n)) return 0;
    for (int c = 0; c < n; ++c) dx[c] *= spread_of(task, c);
    return 1;
}

// Goes to where |r| is less, more and more carefully. Returns 0 when nothing nearby is.
static int go_on(ts_task_bench* bench, const double* J, const double* r, double* damping, double* x) {
    const ts_task* task = bench->task;
    double before = size_of(r, task->asked_count);
    for (int t = 0; t < TRIES; ++t) {
        double dx[TS_TASK_UNKNOWNS] = {0.0}, y[TS_TASK_UNKNOWNS] = {0.0}, s[TS_TASK_ASKED];
        if (!step_of(task, J, r, *damping, dx)) return 0;
        for (int c = 0; c < task->unknown_count; ++c) y[c] = x[c] + dx[c];
        if (ts_task_run(bench, y, s, NULL) == TS_OK && size_of(s, task->asked_count) < before) {
            memcpy(x, y, (size_t)task->unknown_count * sizeof *x);
            *damping = fmax(0.1 * *damping, 1e-12);
            return 1;
        }
        *damping = fmax(10.0 * *damping, 1e-6);
    }
    return 0;
}

// What is in the way, by the reports of the steps.
static void give_reason(ts_task_bench* bench, const double* x, int iterations, course* out) {
    double r[TS_TASK_ASKED], J[TS_TASK_ASKED * TS_TASK_UNKNOWNS];
    ts_status status;
    int step = 0;
    if (ts_task_differentiate(bench, x, r, J, &status)) {
        snprintf(out->reason, sizeof out->reason, "%.200s", status.message);
        return;
    }
    const ts_rollout_report* report = &bench->report;
    step = report->step;
    if (iterations >= ITERATIONS)
        snprintf(out->reason, sizeof out->reason, "%d iterations were not enough", iterations);
    else if (report->verdict >= TS_STEP_NEAR_CHANGE)
        snprintf(out->reason, sizeof out->reason, "|r| = %.2g falls no more: step %d: %.160s",
                 size_of(r, bench->task->asked_count), step, report->reason);
    else
        snprintf(out->reason, sizeof out->reason, "|r| = %.2g falls no more; no mode is about to change",
                 size_of(r, bench->task->asked_count));
}

static void solve(ts_task_bench* bench, way how, const double* start, ts_rng* rng, course* out) {
    const ts_task* task = bench->task;
    double x[TS_TASK_UNKNOWNS] = {0.0}, r[TS_TASK_ASKED], J[TS_TASK_ASKED * TS_TASK_UNKNOWNS], damping = 1e-3;
    ts_status status;
    int k = 0, moves = 1, failed = 0;
    ts_stopwatch watch = ts_stopwatch_begin();
    memcpy(x, start, sizeof x);
    out->arrived = -1;
    for (; k <= ITERATIONS; ++k) {
        out->distance[k] = distance_of(task, x);
        if (out->distance[k] <= there) out->arrived = k;
        if (out->arrived >= 0 || k == ITERATIONS) break;
        if (differentiate(bench, how, x, rng, r, J, &status)) break;
        moves = go_on(bench, J, r, &damping, x);
        // Other samples may show a way.
        failed = moves ? 0 : failed + 1;
        if (failed >= (how == WAY_ZEROTH ? PATIENCE : 1)) break;
    }
    out->seconds = ts_stopwatch_seconds(watch);
    for (int i = k + 1; i <= ITERATIONS; ++i) out->distance[i] = out->distance[k];
    if (out->arrived < 0) give_reason(bench, x, k, out);
}

// --- what is told ---

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median_of(double* value, int count) {
    qsort(value, (size_t)count, sizeof *value, by_size);
    return count > 0 ? 0.5 * (value[(count - 1) / 2] + value[count / 2]) : (double)NAN;
}

// Samples take long, and fewer starts show how long.
static int starts_of(way how, int starts) {
    return how == WAY_ZEROTH && starts > SAMPLED_STARTS ? SAMPLED_STARTS : starts;
}

static void add_row(ts_bench_table* table, const ts_task* task, way how, const course* c, int starts) {
    double iterations[STARTS], seconds[STARTS], most = 0.0;
    int arrived = 0;
    const char* reason = "";
    for (int s = 0; s < starts; ++s) {
        seconds[s] = 1e3 * c[s].seconds;
        if (c[s].arrived < 0) {
            reason = c[s].reason;
            continue;
        }
        most = fmax(most, c[s].arrived);
        iterations[arrived++] = c[s].arrived;
    }
    ts_bench_row(table);
    ts_bench_text(table, "%s", task->name);
    ts_bench_text(table, "%s", way_names[how]);
    ts_bench_text(table, "%d of %d", arrived, starts);
    ts_bench_number(table, median_of(iterations, arrived));
    ts_bench_number(table, arrived > 0 ? most : (double)NAN);
    ts_bench_number(table, median_of(seconds, starts));
    ts_bench_text(table, "%s", reason);
}

// The median of the distance over iterations, of every way.
static void draw(ts_bench_report* report, const ts_task* task, course (*all)[STARTS], int starts) {
    char stem[64], title[160];
    snprintf(stem, sizeof stem, "gradients-%s", task->name);
    snprintf(title, sizeof title, "%s: distance to the answer", task->name);
    ts_bench_figure* figure =
        ts_bench_add_figure(report, stem, title, (ts_bench_axis){"iteration", "", TS_BENCH_LINEAR},
                            (ts_bench_axis){"distance, of the spread of starts", "", TS_BENCH_LOG});
    for (int w = 0; w < WAYS; ++w) {
        double x[ITERATIONS + 1], y[ITERATIONS + 1], at[STARTS];
        for (int k = 0; k <= ITERATIONS; ++k) {
            for (int s = 0; s < starts_of((way)w, starts); ++s) at[s] = all[w][s].distance[k];
            x[k] = k;
            y[k] = fmax(median_of(at, starts_of((way)w, starts)), 1e-16);
        }
        ts_bench_add_curve(figure, way_names[w], x, y, ITERATIONS / 2 + 1);
    }
}

static ts_bench_table* add_table(ts_bench_report* report, int starts) {
    char title[200];
    snprintf(title, sizeof title,
             "Iterations and time from %d random starts to the known answer, to 1e-6 of the spread of starts", starts);
    ts_bench_table* table = ts_bench_add_table(report, "gradients", title);
    ts_bench_add_column(table, "task", "");
    ts_bench_add_column(table, "derivatives", "");
    ts_bench_add_column(table, "there", "");
    ts_bench_add_column(table, "iterations", "");
    ts_bench_add_column(table, "most", "");
    ts_bench_add_column(table, "time", "ms");
    ts_bench_add_column(table, "else", "");
    return table;
}

static int run_task(const ts_bench_options* options, ts_bench_report* report, ts_bench_table* table, int number) {
    const ts_task* task = ts_task_at(number);
    int starts = options->quick ? QUICK_STARTS : STARTS, result = TS_BENCH_DONE;
    ts_task_bench bench;
    ts_status status;
    course(*all)[STARTS] = (course(*)[STARTS])calloc(WAYS, sizeof *all);
    if (!all || ts_task_begin(task, &bench, &status))
        result = ts_bench_fail(report, "%s: %s", task->name, all ? status.message : "out of memory");
    for (int s = 0; s < starts && result == TS_BENCH_DONE; ++s) {
        ts_rng rng = ts_rng_make(options->seed, 500u + (unsigned)(100 * number + s));
        double x[TS_TASK_UNKNOWNS] = {0.0};
        for (int c = 0; c < task->unknown_count; ++c)
            x[c] = ts_rng_uniform_in(&rng, task->unknown[c].low, task->unknown[c].high);
        for (int w = 0; w < WAYS; ++w)
            if (s < starts_of((way)w, starts)) solve(&bench, (way)w, x, &rng, &all[w][s]);
        if (ts_bench_progress(report, number * starts + s, ts_task_count() * starts)) result = TS_BENCH_STOPPED;
    }
    for (int w = 0; w < WAYS && result == TS_BENCH_DONE; ++w)
        add_row(table, task, (way)w, all[w], starts_of((way)w, starts));
    if (result == TS_BENCH_DONE) draw(report, task, all, starts);
    for (int s = 0; s < starts && result == TS_BENCH_DONE; ++s)
        if (all[WAY_FIRST][s].arrived < 0 && !all[WAY_FIRST][s].reason[0]) result = TS_BENCH_WRONG;
    if (all) ts_task_end(&bench);
    free(all);
    return result;
}

int ts_bench_gradients(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* table = add_table(report, options->quick ? QUICK_STARTS : STARTS);
    int worst = TS_BENCH_DONE;
    for (int t = 0; t < ts_task_count(); ++t) {
        if (!ts_bench_wanted(report, options, ts_task_at(t)->name)) continue;
        int result = run_task(options, report, table, t);
        if (result > TS_BENCH_WRONG) return result;
        if (result > worst) worst = result;
        ts_bench_note(report, "%s: %s.", ts_task_at(t)->name, ts_task_at(t)->summary);
    }
    ts_bench_note(report,
                  "Iterations are medians of the starts that got there; time is the median of all, of one start. The "
                  "samples of 0th order have %d starts.",
                  starts_of(WAY_ZEROTH, options->quick ? QUICK_STARTS : STARTS));
    return worst;
}
