// Where GJK should begin when it knows the last time step's answer (Montaut et al., GJK++, Fig. 12): the questions that
// two objects falling into a funnel ask, answered from every start by every variant.
//
// The paper's starts keep the sign that a separation vector has after an overlap, where it points the other way; ours
// turn it round. Both are here. Each query gets a copy of what its pair knew before, so times do not depend on order.
#include "bench/bench_list.h"
#include "bench/funnel.h"
#include "bench/workload.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const ts_gjk_variant variants[] = {TS_GJK_VANILLA, TS_GJK_POLYAK, TS_GJK_POLYAK_PAPER,
                                          TS_GJK_NESTEROV_NORMALISED};
static const ts_gjk_start starts[] = {TS_GJK_START_NONE,     TS_GJK_START_CENTRES,         TS_GJK_START_PREVIOUS_PAPER,
                                      TS_GJK_START_PREVIOUS, TS_GJK_START_WITNESSES_PAPER, TS_GJK_START_WITNESSES,
                                      TS_GJK_START_SIMPLEX};

enum { STARTS = COUNT(starts), VARIANTS = COUNT(variants), ROOM = 64 };

typedef struct runner {
    const ts_bench_problem* problem;
    ts_gjk_settings settings;
    ts_gjk_result result;
    int verdict;  // nonzero: whether they overlap, else how far they are apart
    int forget;   // nonzero: the start takes nothing from before
    int bare;     // nonzero: the direction only, as in the paper: no vertices to climb from
} runner;

static const ts_gjk_cache* remembered(const runner* r, const ts_bench_problem* p, ts_gjk_cache* out_copy) {
    *out_copy = p->before;
    if (r->bare) out_copy->hint_a = out_copy->hint_b = out_copy->rank = 0;
    return out_copy;
}

static void run_one(void* context, int query) {
    runner* r = (runner*)context;
    const ts_bench_problem* p = &r->problem[query];
    ts_shape a = ts_shape_hull(p->a);
    ts_shape b = ts_shape_hull(p->b);
    ts_shape_pair pair = {&a, &b, p->b_in_a};
    ts_gjk_cache copy;
    remembered(r, p, &copy);
    ts_gjk_cache* cache = r->forget ? NULL : &copy;
    if (r->verdict)
        ts_gjk_overlap(&pair, 0.0, &r->settings, cache, &r->result);
    else
        ts_gjk_distance(&pair, &r->settings, cache, &r->result);
}

static void make_runner(runner* r, const ts_bench_problem* problem, ts_gjk_variant variant, ts_gjk_start start) {
    memset(r, 0, sizeof *r);
    r->problem = problem;
    r->settings = ts_gjk_settings_default();
    r->settings.gap_tolerance = 1e-8;
    r->settings.variant = variant;
    r->settings.start = start;
    r->forget = start == TS_GJK_START_NONE || start == TS_GJK_START_CENTRES;
    r->bare = start == TS_GJK_START_PREVIOUS_PAPER || start == TS_GJK_START_WITNESSES_PAPER;
}

// Mean iterations, over all problems and over those in contact, and wrong verdicts.
typedef struct tally {
    double mean;
    double deviation;
    double touching;
    double apart;
    int wrong;
    int undecided;
} tally;

static tally count_iterations(runner* r, int count) {
    tally t = {0.0, 0.0, 0.0, 0.0, 0, 0};
    double squares = 0.0;
    int touching = 0;
    for (int q = 0; q < count; ++q) {
        const ts_bench_problem* p = &r->problem[q];
        run_one(r, q);
        double k = r->result.iterations;
        int overlap = r->result.status == TS_PROXIMITY_PENETRATING || r->result.status == TS_PROXIMITY_OVERLAP_EARLY ||
                      r->result.status == TS_PROXIMITY_TOUCHING;
        // The gap tolerance bounds the square of an error: a distance below its root may be called either way.
        double doubt = r->verdict ? 1e-12 : 1e-4;
        int undecided = r->result.status == TS_PROXIMITY_LIMIT;
        t.undecided += undecided;
        t.wrong += !undecided && (overlap ? p->lower > doubt : p->upper < -doubt);
        t.mean += k;
        squares += k * k;
        if (p->lower <= 0.0) {
            t.touching += k;
            ++touching;
        } else {
            t.apart += k;
        }
    }
    t.mean /= count;
    t.deviation = sqrt(fmax(0.0, squares / count - t.mean * t.mean));
    t.touching = touching ? t.touching / touching : (double)NAN;
    t.apart = touching < count ? t.apart / (count - touching) : (double)NAN;
    return t;
}

static ts_bench_table* add_table(ts_bench_report* report, const char* stem, const char* title) {
    ts_bench_table* t = ts_bench_add_table(report, stem, title);
    ts_bench_add_column(t, "question", "");
    ts_bench_add_column(t, "variant", "");
    ts_bench_add_column(t, "start", "");
    ts_bench_add_column(t, "wrong", "");
    ts_bench_add_column(t, "undecided", "");
    ts_bench_add_column(t, "iterations", "");
    ts_bench_add_column(t, "deviation", "");
    ts_bench_add_column(t, "apart", "");
    ts_bench_add_column(t, "in contact", "");
    ts_bench_add_timing_columns(t);
    return t;
}

// One variant from all starts, side by side; adds rows and, for verdicts, the figure of the paper.
static int run_variant(ts_bench_report* report, const ts_bench_options* options, ts_bench_table* table,
                       const ts_bench_trajectories* t, const char* stem, ts_gjk_variant variant, int verdict) {
    runner r[STARTS];
    ts_bench_contestant c[STARTS];
    ts_bench_timing timing[STARTS];
    double* each = (double*)calloc((size_t)STARTS * (size_t)t->count, sizeof(double));
    int result = TS_BENCH_DONE;
    if (!each) return ts_bench_fail(report, "memory ran out");
    for (int s = 0; s < STARTS; ++s) {
        make_runner(&r[s], t->problem, variant, starts[s]);
        r[s].verdict = verdict;
        c[s] = (ts_bench_contestant){ts_gjk_start_name(starts[s]), run_one, &r[s]};
    }
    ts_bench_time(report, options, &(ts_bench_race){c, STARTS, t->count, options->quick ? 3 : 7, 0.0}, timing, each);
    ts_bench_figure* figure = NULL;
    if (verdict && !report->stopped) {
        char name[64];
        char title[160];
        snprintf(name, sizeof name, "%s-%s", stem, ts_gjk_variant_name(variant));
        snprintf(title, sizeof title, "Verdicts in the funnel, %s: time by start", ts_gjk_variant_name(variant));
        figure = ts_bench_add_figure(report, name, title, (ts_bench_axis){"time", "ns", TS_BENCH_LOG},
                                     (ts_bench_axis){"part of the queries within this time", "", TS_BENCH_LINEAR});
    }
    for (int s = 0; s < STARTS && !report->stopped; ++s) {
        tally n = count_iterations(&r[s], t->count);
        // A gap tolerance promises little where shapes barely overlap: only verdicts are held to their word.
        if (verdict && n.wrong) result = TS_BENCH_WRONG;
        ts_bench_row(table);
        ts_bench_text(table, "%s", verdict ? "verdict" : "distance");
        ts_bench_text(table, "%s", ts_gjk_variant_name(variant));
        ts_bench_text(table, "%s", ts_gjk_start_name(starts[s]));
        ts_bench_number(table, n.wrong);
        ts_bench_number(table, n.undecided);
        ts_bench_number(table, n.mean);
        ts_bench_number(table, n.deviation);
        ts_bench_number(table, n.apart);
        ts_bench_number(table, n.touching);
        ts_bench_timing_cells(table, &timing[s]);
        if (figure) ts_bench_add_distribution(figure, ts_gjk_start_name(starts[s]), &each[s * t->count], t->count);
    }
    free(each);
    return report->stopped ? TS_BENCH_STOPPED : result;
}

// At most `most` of the questions, spread evenly: each carries what it needs.
static void thin(ts_bench_trajectories* t, int most) {
    if (t->count <= most) return;
    for (int i = 0; i < most; ++i) t->problem[i] = t->problem[(long long)i * t->count / most];
    t->count = most;
}

static int run_kind(ts_bench_report* report, const ts_bench_options* options, ts_bench_funnel_kind kind,
                    const ts_hull* const* hull, int hull_count) {
    int paper = kind == TS_BENCH_FUNNEL_PAPER;
    const char* stem = paper ? "funnel-paper" : "funnel-code";
    double done = paper ? 0.0 : 2.0;
    if (!ts_bench_wanted(report, options, stem)) return TS_BENCH_DONE;
    int pairs = options->quick ? 6 : (paper ? 1000 : 100);
    ts_bench_trajectories t;
    ts_bench_funnel funnel = {kind, hull, hull_count, pairs, options->seed};
    if (!ts_bench_funnel_run(report, &funnel, done, 4.0, &t)) {
        ts_bench_trajectories_free(&t);
        return ts_bench_fail(report, "memory ran out");
    }
    int all = t.count;
    thin(&t, options->quick ? 200 : 6000);
    int in_contact = 0;
    for (int i = 0; i < t.count; ++i) in_contact += t.problem[i].lower <= 0.0;
    ts_bench_note(
        report,
        "%s: %d pairs, %d steps, %d filtered by oriented boxes, %d left, %d of them asked here, %d of those in "
        "contact; %d trajectories ended early.",
        stem, t.pairs, t.steps, t.filtered, all, t.count, in_contact, t.failed);
    int result = t.count > 0 ? TS_BENCH_DONE : ts_bench_fail(report, "no step left the pair's boxes together");
    ts_bench_table* table = add_table(report, stem, paper ? "Funnel, random poses, 1 s" : "Funnel, side by side, 2 s");
    for (int verdict = 1; verdict >= 0; --verdict) {
        for (int v = 0; v < VARIANTS && result < TS_BENCH_FAILED; ++v) {
            int one = run_variant(report, options, table, &t, stem, variants[v], verdict);
            if (one > result) result = one;
            if (ts_bench_progress(report, done + 1.0 + (v + (1 - verdict) * VARIANTS) / (2.0 * VARIANTS), 4.0))
                result = TS_BENCH_STOPPED;
        }
    }
    ts_bench_trajectories_free(&t);
    return result;
}

int ts_bench_warm_start(const ts_bench_options* options, ts_bench_report* report) {
    ts_hull* hull[ROOM];
    int count = ts_bench_ycb_hulls(options->data_folder, hull, ROOM);
    if (count > 0) {
        ts_bench_note(report, "Objects: %d YCB hulls.", count);
    } else {
        static const int sizes[] = {200, 300, 500, 1000, 2000, 3500};
        ts_rng rng = ts_rng_make(options->seed, 8);
        for (int i = 0; i < (options->quick ? 6 : 36); ++i) {
            double x = ts_rng_uniform_in(&rng, 0.02, 0.08);
            double y = ts_rng_uniform_in(&rng, 0.02, 0.08);
            ts_vec3 axes = ts_vec3_make(x, y, ts_rng_uniform_in(&rng, 0.02, 0.08));
            ts_hull* h = ts_bench_hull_on_ellipsoid(axes, sizes[i % COUNT(sizes)], options->seed, 8000u + (unsigned)i);
            if (h) hull[count++] = h;
        }
        ts_bench_note(report,
                      "TOUCHSTONE_DATA is not set or has no ycb_hulls: objects are %d hulls of 200 to 3500 random "
                      "points on ellipsoids, semi-axes 0.02 to 0.08 m.",
                      count);
    }
    int result = count > 1 ? TS_BENCH_DONE : ts_bench_fail(report, "no hulls");
    for (int kind = 0; kind < 2 && result < TS_BENCH_FAILED; ++kind) {
        int one = run_kind(report, options, (ts_bench_funnel_kind)kind, (const ts_hull* const*)hull, count);
        if (one > result) result = one;
    }
    ts_bench_note(report,
                  "Gap tolerance 1e-8 m^2. '-paper' starts keep the sign of the separation vector after an overlap "
                  "and no vertices to climb from; the others turn it round and keep them. After a step in which "
                  "the boxes were apart every start falls back to the centres.");
    ts_bench_note(report,
                  "wrong: against certified bounds; verdicts to 1e-12 m. Distances stop at a gap tolerance that "
                  "bounds the square of the error, so shapes that overlap by 1e-4 m and more may still be called "
                  "apart. undecided: ended without an answer.");
    for (int i = 0; i < count; ++i) ts_hull_free(hull[i]);
    return result;
}
