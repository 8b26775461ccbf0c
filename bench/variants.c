// The papers' protocol: gap tolerance 1e-8 on 2 <x, x - s>, start at the difference of the centres, one iteration is one
// projection.
#include "bench/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DISTANCES = 24 };

typedef struct runner {
    const ts_bench_pair* pair;
    ts_gjk_settings settings;
    ts_gjk_result result;
} runner;

static void run_distance(void* context, int query) {
    runner* r = (runner*)context;
    const ts_bench_pair* p = &r->pair[query];
    ts_shape_pair pair = {&p->a, &p->b, p->b_in_a};
    ts_gjk_distance(&pair, &r->settings, NULL, &r->result);
}

static void run_overlap(void* context, int query) {
    runner* r = (runner*)context;
    const ts_bench_pair* p = &r->pair[query];
    ts_shape_pair pair = {&p->a, &p->b, p->b_in_a};
    ts_gjk_overlap(&pair, 0.0, &r->settings, NULL, &r->result);
}

static void make_runners(const ts_bench_sweep* sweep, runner* r, ts_bench_contestant* c) {
    for (int v = 0; v < sweep->variant_count; ++v) {
        r[v].pair = sweep->workload->pair;
        r[v].settings = ts_gjk_settings_default();
        r[v].settings.variant = sweep->variant[v];
        r[v].settings.start = TS_GJK_START_CENTRES;
        r[v].settings.gap_tolerance = sweep->gap_tolerance;
        if (sweep->momentum_limit > 0) r[v].settings.momentum_limit = sweep->momentum_limit;
        c[v] = (ts_bench_contestant){ts_gjk_variant_name(sweep->variant[v]),
                                     sweep->verdict ? run_overlap : run_distance, &r[v]};
    }
}

// What one variant did at one distance.
typedef struct tally {
    double mean;       // iterations
    double deviation;  // iterations
    double limit;      // part of the queries that ended undecided
    double worst;      // m, outside certified bounds; verdicts: count of wrong ones
    double ns;
    double trim;
    double trim_deviation;
} tally;

static int overlaps(const ts_gjk_result* r) {
    return r->status == TS_PROXIMITY_PENETRATING || r->status == TS_PROXIMITY_OVERLAP_EARLY ||
           r->status == TS_PROXIMITY_TOUCHING;
}

static tally count_iterations(const ts_bench_sweep* sweep, runner* r, void (*run)(void*, int)) {
    tally t;
    memset(&t, 0, sizeof t);
    double sum = 0.0;
    double squares = 0.0;
    int n = sweep->workload->count;
    for (int q = 0; q < n; ++q) {
        const ts_bench_pair* pair = &sweep->workload->pair[q];
        run(r, q);
        sum += r->result.iterations;
        squares += (double)r->result.iterations * r->result.iterations;
        t.limit += r->result.status == TS_PROXIMITY_LIMIT;
        if (sweep->verdict) {
            int wrong = overlaps(&r->result) ? pair->lower > 0.0 : pair->upper < 0.0;
            t.worst += wrong && r->result.status != TS_PROXIMITY_LIMIT;
        } else if (pair->lower > 0.0) {
            t.worst = fmax(t.worst, ts_bench_error(pair, r->result.found.upper));
        }
    }
    t.mean = sum / n;
    t.deviation = sqrt(fmax(0.0, squares / n - t.mean * t.mean));
    t.limit /= n;
    return t;
}

static ts_bench_table* sweep_table(ts_bench_report* report, const ts_bench_sweep* sweep) {
    char title[200];
    snprintf(title, sizeof title, "%s: %s, %s", sweep->title, sweep->verdict ? "verdict" : "distance",
             sweep->gap_tolerance > 0.0 ? "gap tolerance of the papers" : "to 1e-12");
    ts_bench_table* t = ts_bench_add_table(report, sweep->stem, title);
    ts_bench_add_column(t, "distance", "m");
    ts_bench_add_column(t, "variant", "");
    ts_bench_add_column(t, "iterations", "");
    ts_bench_add_column(t, "deviation", "");
    ts_bench_add_column(t, "undecided", "%");
    ts_bench_add_column(t, sweep->verdict ? "wrong" : "max error", sweep->verdict ? "" : "m");
    ts_bench_add_column(t, "median", "ns");
    ts_bench_add_column(t, "fastest 90 %", "ns");
    ts_bench_add_column(t, "deviation", "ns");
    return t;
}

static void sweep_figures(ts_bench_report* report, const ts_bench_sweep* sweep, const tally* t) {
    for (int f = 0; f < 2; ++f) {
        char stem[64];
        char title[160];
        snprintf(stem, sizeof stem, "%s-%s", sweep->stem, f ? "time" : "iterations");
        snprintf(title, sizeof title, "%s: %s of a %s", sweep->title, f ? "time" : "iterations",
                 sweep->verdict ? "verdict" : "distance");
        ts_bench_figure* figure = ts_bench_add_figure(
            report, stem, title,
            (ts_bench_axis){"distance", "m", sweep->distance[0] > 0.0 ? TS_BENCH_LOG : TS_BENCH_SIGNED_LOG},
            (ts_bench_axis){f ? "time" : "iterations", f ? "ns" : "", TS_BENCH_LINEAR});
        for (int v = 0; v < sweep->variant_count; ++v) {
            double x[MOST_DISTANCES];
            double y[MOST_DISTANCES];
            for (int d = 0; d < sweep->distance_count; ++d) {
                const tally* cell = &t[d * TS_GJK_VARIANT_COUNT + v];
                x[d] = sweep->distance[d];
                y[d] = f ? cell->ns : cell->mean;
            }
            ts_bench_add_curve(figure, ts_gjk_variant_name(sweep->variant[v]), x, y, sweep->distance_count);
        }
    }
}

int ts_bench_sweep_run(ts_bench_report* report, const ts_bench_options* options, const ts_bench_sweep* sweep) {
    static const tally none;
    tally t[MOST_DISTANCES * TS_GJK_VARIANT_COUNT];
    runner r[TS_GJK_VARIANT_COUNT];
    ts_bench_contestant c[TS_GJK_VARIANT_COUNT];
    ts_bench_timing timing[TS_GJK_VARIANT_COUNT];
    int result = TS_BENCH_DONE;
    if (sweep->distance_count > MOST_DISTANCES) return ts_bench_fail(report, "too many distances");
    make_runners(sweep, r, c);
    ts_bench_table* table = sweep_table(report, sweep);
    for (int d = 0; d < sweep->distance_count; ++d) {
        ts_bench_workload_place(sweep->workload, sweep->distance[d]);
        ts_bench_time(report, options, &(ts_bench_race){c, sweep->variant_count, sweep->workload->count, 0, 0.0},
                      timing, NULL);
        if (report->stopped) return TS_BENCH_STOPPED;
        for (int v = 0; v < sweep->variant_count; ++v) {
            tally* cell = &t[d * TS_GJK_VARIANT_COUNT + v];
            *cell = none;
            *cell = count_iterations(sweep, &r[v], c[v].run);
            cell->ns = timing[v].median;
            if (sweep->verdict && cell->worst > 0.0) result = TS_BENCH_WRONG;
            ts_bench_row(table);
            ts_bench_number(table, sweep->distance[d]);
            ts_bench_text(table, "%s", ts_gjk_variant_name(sweep->variant[v]));
            ts_bench_number(table, cell->mean);
            ts_bench_number(table, cell->deviation);
            ts_bench_number(table, 100.0 * cell->limit);
            ts_bench_number(table, sweep->verdict || sweep->distance[d] > 0.0 ? cell->worst : (double)NAN);
            ts_bench_number(table, timing[v].median);
            ts_bench_number(table, timing[v].query_trim);
            ts_bench_number(table, timing[v].query_trim_deviation);
        }
    }
    sweep_figures(report, sweep, t);
    return result;
}

// How often, and by how much, each variant needed less than vanilla on the same query; `each` holds what they needed, by
// variant, and is used up.
static void add_ratios(ts_bench_report* report, const ts_bench_sweep* sweep, int timed, double* each) {
    static const char* const name[] = {"iterations", "time"};
    static const char* const axis[] = {"iterations of vanilla / iterations of the variant",
                                       "time of vanilla / time of the variant"};
    int n = sweep->workload->count;
    char stem[64];
    char title[160];
    snprintf(stem, sizeof stem, "%s-%s", sweep->stem, name[timed]);
    snprintf(title, sizeof title, "%s: %s", sweep->title, axis[timed]);
    ts_bench_table* t = ts_bench_add_table(report, stem, title);
    ts_bench_add_column(t, "variant", "");
    ts_bench_add_column(t, "10 %", "");
    ts_bench_add_column(t, "median", "");
    ts_bench_add_column(t, "90 %", "");
    ts_bench_add_column(t, "vanilla needs less", "%");
    ts_bench_add_column(t, "vanilla needs more", "%");
    ts_bench_figure* figure =
        ts_bench_add_figure(report, stem, title, (ts_bench_axis){axis[timed], "", TS_BENCH_LOG},
                            (ts_bench_axis){"part of the queries with at most this", "", TS_BENCH_LINEAR});
    for (int v = 1; v < sweep->variant_count; ++v) {
        double* ratio = &each[v * n];
        int less = 0;
        int more = 0;
        for (int q = 0; q < n; ++q) {
            ratio[q] = ratio[q] > 0.0 ? each[q] / ratio[q] : 1.0;
            less += ratio[q] < 1.0;
            more += ratio[q] > 1.0;
        }
        ts_bench_sample s = ts_bench_summarise(ratio, n);
        ts_bench_row(t);
        ts_bench_text(t, "%s", ts_gjk_variant_name(sweep->variant[v]));
        ts_bench_number(t, s.p10);
        ts_bench_number(t, s.median);
        ts_bench_number(t, s.p90);
        ts_bench_number(t, 100.0 * less / n);
        ts_bench_number(t, 100.0 * more / n);
        ts_bench_add_distribution(figure, ts_gjk_variant_name(sweep->variant[v]), ratio, n);
    }
}

int ts_bench_speedups(ts_bench_report* report, const ts_bench_options* options, const ts_bench_sweep* sweep) {
    runner r[TS_GJK_VARIANT_COUNT];
    ts_bench_contestant c[TS_GJK_VARIANT_COUNT];
    ts_bench_timing timing[TS_GJK_VARIANT_COUNT];
    int n = sweep->workload->count;
    double* each = (double*)calloc((size_t)n * (size_t)sweep->variant_count, sizeof(double));
    if (!each) return ts_bench_fail(report, "memory ran out");
    make_runners(sweep, r, c);
    for (int v = 0; v < sweep->variant_count; ++v)
        for (int q = 0; q < n; ++q) {
            c[v].run(c[v].context, q);
            // A verdict that its first plane decides has projected nothing, and counts as one.
            each[v * n + q] = r[v].result.iterations > 0 ? r[v].result.iterations : 1.0;
        }
    add_ratios(report, sweep, 0, each);
    ts_bench_time(report, options, &(ts_bench_race){c, sweep->variant_count, n, 3, 0.0}, timing, each);
    if (!report->stopped) add_ratios(report, sweep, 1, each);
    free(each);
    return report->stopped ? TS_BENCH_STOPPED : TS_BENCH_DONE;
}

int ts_bench_trimmed(ts_bench_report* report, const ts_bench_options* options, const ts_bench_sweep* sweep,
                     double* out_mean, double* out_deviation) {
    runner r[TS_GJK_VARIANT_COUNT];
    ts_bench_contestant c[TS_GJK_VARIANT_COUNT];
    ts_bench_timing timing[TS_GJK_VARIANT_COUNT];
    make_runners(sweep, r, c);
    ts_bench_time(report, options, &(ts_bench_race){c, sweep->variant_count, sweep->workload->count, 1, 0.0}, timing,
                  NULL);
    for (int v = 0; v < sweep->variant_count; ++v) {
        out_mean[v] = timing[v].query_trim;
        out_deviation[v] = timing[v].query_trim_deviation;
    }
    return report->stopped ? TS_BENCH_STOPPED : TS_BENCH_DONE;
}
