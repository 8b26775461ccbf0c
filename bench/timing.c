// Medians, and a clock that is fair.
//
// Problem: compare answers of a few nanoseconds on a machine whose speed drifts. Rule: contestants take turns in short
// blocks, each round gives one time per contestant, quoted is the median over rounds with its 10 % and 90 % points; who
// begins moves on, so that nobody always follows the same neighbour. Rounds count the thread's own processor time, which
// other programs can slow (caches, clock rate) but not stop. For tails every query is timed alone several times
// and its shortest time kept, less what the clock itself costs; an interrupt would have to hit every repeat to show.
// Known failure: a query timed alone is warm in cache and branch predictor, so tails are those of warm code.
#include "base/clock.h"
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 7, MOST_ROUNDS = 101 };

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double part(const double* sorted, int count, double q) {
    double at = q * (count - 1);
    int below = (int)at;
    if (below >= count - 1) return sorted[count - 1];
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

ts_bench_sample ts_bench_summarise(double* value, int count) {
    double unknown = (double)NAN;
    ts_bench_sample s = {0, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown};
    if (count < 1) return s;
    qsort(value, (size_t)count, sizeof *value, ascending);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += value[i];
    s.count = count;
    s.mean = sum / count;
    double squares = 0.0;
    for (int i = 0; i < count; ++i) squares += (value[i] - s.mean) * (value[i] - s.mean);
    s.deviation = sqrt(squares / count);
    s.least = value[0];
    s.p10 = part(value, count, 0.1);
    s.median = part(value, count, 0.5);
    s.p90 = part(value, count, 0.9);
    s.p99 = part(value, count, 0.99);
    s.most = value[count - 1];
    return s;
}

// The clock's own time: the shortest of many pairs of readings.
static double clock_cost(void) {
    double least = 1.0;
    for (int i = 0; i < 1000; ++i) {
        double begin = ts_clock_seconds();
        double end = ts_clock_seconds();
        if (end - begin < least) least = end - begin;
    }
    return least;
}

static double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double pass(const ts_bench_contestant* c, int queries, int repeats) {
    double begin = thread_seconds();
    for (int r = 0; r < repeats; ++r)
        for (int q = 0; q < queries; ++q) c->run(c->context, q);
    return (thread_seconds() - begin) / ((double)repeats * queries);
}

// Shortest time of each query alone, ns.
static void alone(const ts_bench_contestant* c, int queries, double cost, double* out_ns) {
    for (int q = 0; q < queries; ++q) {
        double least = 1e9;
        for (int r = 0; r < REPEATS; ++r) {
            double begin = ts_clock_seconds();
            c->run(c->context, q);
            double seconds = ts_clock_seconds() - begin;
            if (seconds < least) least = seconds;
        }
        out_ns[q] = least > cost ? 1e9 * (least - cost) : 0.0;
    }
}

static void fill_tail(double* sorted_ns, int queries, ts_bench_timing* t) {
    ts_bench_sample s = ts_bench_summarise(sorted_ns, queries);
    t->query_p50 = s.median;
    t->query_p99 = s.p99;
    t->query_most = s.most;
    int kept = (9 * queries + 9) / 10;
    s = ts_bench_summarise(sorted_ns, kept);
    t->query_trim = s.mean;
    t->query_trim_deviation = s.deviation;
}

void ts_bench_time(ts_bench_report* report, const ts_bench_options* options, const ts_bench_race* race,
                   ts_bench_timing* out_timing, double* per_query) {
    const ts_bench_contestant* contestant = race->contestant;
    int contestants = race->contestants, queries = race->queries;
    int rounds = race->rounds > 0 ? race->rounds : options->quick ? 3 : 11;
    double least_seconds = race->least_seconds > 0.0 ? race->least_seconds : options->quick ? 1e-4 : 1e-3;
    double unknown = (double)NAN;
    for (int c = 0; c < contestants; ++c)
        out_timing[c] =
            (ts_bench_timing){unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown};
    for (int i = 0; per_query && i < contestants * queries; ++i) per_query[i] = unknown;
    if (contestants < 1 || queries < 1) return;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    double* seconds = (double*)calloc((size_t)contestants * (size_t)rounds, sizeof(double));
    int* repeats = (int*)calloc((size_t)contestants, sizeof(int));
    double* each = (double*)calloc((size_t)queries, sizeof(double));
    if (!seconds || !repeats || !each) {
        report->out_of_memory = 1;
        rounds = 0;
    }
    for (int c = 0; c < contestants && rounds > 0 && !report->stopped; ++c) {
        // The first pass warms caches and says how often to repeat.
        double once = pass(&contestant[c], queries, 1) * queries;
        double wanted = once > 0.0 ? ceil(least_seconds / once) : 1000.0;
        repeats[c] = wanted < 1.0 ? 1 : (wanted > 1000.0 ? 1000 : (int)wanted);
    }
    int done = 0;
    for (; done < rounds && !report->stopped; ++done) {
        for (int k = 0; k < contestants; ++k) {
            int c = (k + done) % contestants;
            // Once untimed: else whoever follows another library finds that one's data in the caches, and whoever
            // follows a sibling finds its own.
            pass(&contestant[c], queries, 1);
            seconds[c * rounds + done] = pass(&contestant[c], queries, repeats[c]);
        }
        if (report->progress && report->progress(report->watcher, -1.0)) report->stopped = 1;
    }
    double cost = clock_cost();
    for (int c = 0; c < contestants && rounds > 0 && !report->stopped; ++c) {
        ts_bench_timing* t = &out_timing[c];
        ts_bench_sample s = ts_bench_summarise(&seconds[c * rounds], done);
        t->least = 1e9 * s.least;
        t->p10 = 1e9 * s.p10;
        t->median = 1e9 * s.median;
        t->p90 = 1e9 * s.p90;
        alone(&contestant[c], queries, cost, each);
        if (per_query) memcpy(&per_query[(size_t)c * (size_t)queries], each, (size_t)queries * sizeof(double));
        fill_tail(each, queries, t);
    }
    free(seconds);
    free(repeats);
    free(each);
}

static void nothing(void* context, int query) { *(volatile int*)context = query; }

double ts_bench_floor(void) {
    int sink = 0;
    ts_bench_contestant empty = {"nothing", nothing, &sink};
    double least = 1.0;
    for (int i = 0; i < 20; ++i) {
        double seconds = pass(&empty, 1000, 10);
        if (seconds < least) least = seconds;
    }
    return 1e9 * least;
}
