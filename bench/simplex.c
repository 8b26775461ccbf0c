// What the simplex of GJK is worth: iterations of GJK, with and without Nesterov's momentum, beside Frank-Wolfe and
// NESMINO, which keep no simplex (Montaut et al., "GJK++", Table III).
#include "bench/bench.h"
#include "bench/bench_list.h"
#include "bench/frank_wolfe.h"
#include "bench/nesmino.h"

#include "base/rng.h"
#include "collision/distance/gjk/gjk.h"

#include <math.h>
#include <stdlib.h>

static const double gap_tolerance = 1e-8;  // m^2, on 2 <x, x - s>
static const double agreement = 1e-4;      // m: the root of that, which is what it promises

enum { FRANK_WOLFE, OPEN_LOOP, NESMINO, GJK, NESTEROV, METHODS, FRANK_WOLFE_LIMIT = 100000, NESMINO_LIMIT = 100000 };

typedef struct category {
    const char* name;
    double from, to;  // m, distances drawn uniformly
    double published[2][METHODS];
    double spread[2][METHODS];
} category;

// What the paper reports, ellipsoids then cubes: mean and standard deviation. It has no open-loop Frank-Wolfe: 0.
static const category categories[] = {
    {"overlapping", -0.1, 0.0, {{73, 0, 50, 6, 6}, {5400, 0, 922, 6, 5}}, {{62, 0, 18, 2, 3}, {4800, 0, 244, 1, 1}}},
    {"close", 0.0, 0.1, {{48, 0, 74, 16, 7}, {14300, 0, 828, 5, 4}}, {{42, 0, 29, 5, 2}, {9700, 0, 225, 1, 1}}},
    {"distant", 0.5, 1.5, {{4, 0, 18, 4, 13}, {13100, 0, 623, 4, 3}}, {{1, 0, 2, 1, 4}, {13500, 0, 219, 1, 1}}},
};

enum { CATEGORIES = sizeof categories / sizeof categories[0] };

typedef struct outcome {
    double* count[METHODS];  // iterations of each problem
    int failed[METHODS];     // stopped by a cap
    int wrong[METHODS];      // farther from the certified bounds than the tolerance promises
} outcome;

static ts_gjk_result run_gjk(const ts_bench_pair* pair, ts_gjk_variant variant, double gap) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.variant = variant;
    settings.start = TS_GJK_START_CENTRES;
    settings.gap_tolerance = gap;
    ts_shape_pair asked = {&pair->a, &pair->b, pair->b_in_a};
    ts_gjk_result r;
    ts_gjk_distance(&asked, &settings, NULL, &r);
    return r;
}

static void note_answer(outcome* o, int method, int problem, int iterations, int converged, double distance,
                        const ts_bench_pair* pair) {
    o->count[method][problem] = iterations;
    o->failed[method] += !converged;
    // What overlaps has distance zero here; a bound on the squared norm says little more than its root near zero.
    double low = pair->lower > 0.0 ? pair->lower : 0.0;
    double high = pair->upper > 0.0 ? pair->upper : 0.0;
    if (converged && !(distance >= low - agreement && distance <= high + agreement)) ++o->wrong[method];
}

static void solve(const ts_bench_pair* pair, int problem, outcome* o) {
    // The answer that NESMINO is to reach.
    ts_gjk_result sharp = run_gjk(pair, TS_GJK_VANILLA, 0.0);
    ts_vec3 target = sharp.status == TS_PROXIMITY_PENETRATING ? ts_vec3_zero()
                                                              : ts_vec3_sub(sharp.found.point_a, sharp.found.point_b);
    for (int k = 0; k < 2; ++k) {
        ts_frank_wolfe_result r = ts_frank_wolfe(pair, k ? TS_FRANK_WOLFE_OPEN_LOOP : TS_FRANK_WOLFE_LINE_SEARCH,
                                                 gap_tolerance, FRANK_WOLFE_LIMIT);
        note_answer(o, k ? OPEN_LOOP : FRANK_WOLFE, problem, r.iterations, r.converged, ts_vec3_norm(r.x), pair);
    }
    ts_nesmino_schedule schedule = ts_nesmino_schedule_default();
    int steps = ts_nesmino(pair, target, agreement, NESMINO_LIMIT, &schedule);
    note_answer(o, NESMINO, problem, steps < 0 ? NESMINO_LIMIT : steps, steps >= 0, ts_vec3_norm(target), pair);
    // The variant of the paper for each family: plain where both shapes are strictly convex, normalised elsewhere.
    ts_gjk_variant momentum = pair->a.kind == TS_SHAPE_ELLIPSOID ? TS_GJK_NESTEROV : TS_GJK_NESTEROV_NORMALISED;
    for (int k = 0; k < 2; ++k) {
        ts_gjk_result r = run_gjk(pair, k ? momentum : TS_GJK_VANILLA, gap_tolerance);
        double distance = r.status == TS_PROXIMITY_PENETRATING ? 0.0 : r.found.upper;
        note_answer(o, k ? NESTEROV : GJK, problem, r.iterations,
                    r.iterations < ts_gjk_settings_default().iteration_limit, distance, pair);
    }
}

static void add_rows(ts_bench_table* t, int family, const category* c, outcome* o, int count) {
    static const char* const name[] = {"Frank-Wolfe", "Frank-Wolfe, open loop", "NESMINO", "GJK", "GJK, Nesterov"};
    for (int m = 0; m < METHODS; ++m) {
        ts_bench_sample s = ts_bench_summarise(o->count[m], count);
        ts_bench_row(t);
        ts_bench_text(t, "%s", family ? "cubes" : "ellipsoids");
        ts_bench_text(t, "%s", c->name);
        ts_bench_text(t, "%s", name[m]);
        ts_bench_number(t, s.mean);
        ts_bench_number(t, s.deviation);
        ts_bench_number(t, s.median);
        ts_bench_number(t, s.p99);
        ts_bench_number(t, s.most);
        ts_bench_number(t, o->failed[m]);
        ts_bench_number(t, o->wrong[m]);
        ts_bench_number(t, count);
        ts_bench_number(t, m == OPEN_LOOP ? (double)NAN : c->published[family][m]);
        ts_bench_number(t, m == OPEN_LOOP ? (double)NAN : c->spread[family][m]);
    }
}

static void add_figure(ts_bench_report* report, int family, const category* c, const outcome* o, int count) {
    static const char* const name[] = {"Frank-Wolfe", "open loop", "NESMINO", "GJK", "Nesterov"};
    static const char* const stem[2][CATEGORIES] = {
        {"simplex-ellipsoids-overlapping", "simplex-ellipsoids-close", "simplex-ellipsoids-distant"},
        {"simplex-cubes-overlapping", "simplex-cubes-close", "simplex-cubes-distant"}};
    ts_bench_figure* f = ts_bench_add_figure(
        report, stem[family][c - categories], "Iterations, as a distribution over the problems",
        (ts_bench_axis){"iterations", "", TS_BENCH_LOG}, (ts_bench_axis){"part of the problems", "", TS_BENCH_LINEAR});
    for (int m = 0; m < METHODS; ++m) {
        if (m == OPEN_LOOP) continue;
        // A logarithmic axis has no zero.
        for (int i = 0; i < count; ++i)
            if (o->count[m][i] < 1.0) o->count[m][i] = 1.0;
        ts_bench_add_distribution(f, name[m], o->count[m], count);
    }
}

// Nesterov's and the plain GJK must end, and be right.
static int ours_failed(const outcome* o) {
    return o->failed[GJK] || o->failed[NESTEROV] || o->wrong[GJK] || o->wrong[NESTEROV];
}

static int run_family(const ts_bench_options* options, ts_bench_report* report, ts_bench_table* t, int family,
                      ts_bench_workload* w, outcome* o, double* distance) {
    int result = TS_BENCH_DONE;
    for (int k = 0; k < CATEGORIES; ++k) {
        const category* c = &categories[k];
        ts_rng rng = ts_rng_make(options->seed, 300 + (uint64_t)k);
        for (int i = 0; i < w->count; ++i) distance[i] = ts_rng_uniform_in(&rng, c->from, c->to);
        ts_bench_workload_place_each(w, distance);
        for (int m = 0; m < METHODS; ++m) o->failed[m] = o->wrong[m] = 0;
        for (int i = 0; i < w->count; ++i) {
            solve(&w->pair[i], i, o);
            if (ts_bench_progress(report, family * CATEGORIES + k + (double)i / w->count, 2.0 * CATEGORIES))
                return TS_BENCH_STOPPED;
        }
        if (ours_failed(o)) result = TS_BENCH_WRONG;
        add_rows(t, family, c, o, w->count);
        add_figure(report, family, c, o, w->count);
    }
    return result;
}

static ts_hull* cube_hull(double half) {
    ts_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] = ts_vec3_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    ts_hull* hull = NULL;
    return ts_hull_build(corner, 8, &hull, NULL) ? NULL : hull;
}

static ts_bench_table* add_table(ts_bench_report* report) {
    ts_bench_table* t = ts_bench_add_table(report, "simplex", "Iterations with and without a simplex (Table III)");
    ts_bench_add_column(t, "shapes", "");
    ts_bench_add_column(t, "distance", "");
    ts_bench_add_column(t, "method", "");
    ts_bench_add_column(t, "mean", "");
    ts_bench_add_column(t, "deviation", "");
    ts_bench_add_column(t, "median", "");
    ts_bench_add_column(t, "p99", "");
    ts_bench_add_column(t, "max", "");
    ts_bench_add_column(t, "at the cap", "");
    ts_bench_add_column(t, "wrong", "");
    ts_bench_add_column(t, "of", "");
    ts_bench_add_column(t, "published mean", "");
    ts_bench_add_column(t, "published deviation", "");
    return t;
}

int ts_bench_simplex(const ts_bench_options* options, ts_bench_report* report) {
    int count = options->quick ? 50 : 1000;
    int result = TS_BENCH_DONE;
    outcome o;
    double* store = (double*)malloc((size_t)(METHODS + 1) * (size_t)count * sizeof *store);
    if (!store) return ts_bench_fail(report, "out of memory");
    for (int m = 0; m < METHODS; ++m) o.count[m] = store + m * count;
    ts_bench_table* t = add_table(report);
    for (int family = 0; family < 2 && result <= TS_BENCH_WRONG; ++family) {
        if (!ts_bench_wanted(report, options, family ? "cubes" : "ellipsoids")) continue;
        ts_bench_workload w = {0};
        // As large as the ellipsoids; the paper does not say.
        ts_hull* cube = family ? cube_hull(0.1) : NULL;
        const ts_hull* both[1] = {cube};
        int made = family ? cube && ts_bench_workload_of_hulls(both, 1, both, 1, count, options->seed, &w)
                          : ts_bench_workload_make(TS_BENCH_ELLIPSOIDS_PAPER, 0, count, options->seed, &w);
        int r = made ? run_family(options, report, t, family, &w, &o, store + METHODS * count)
                     : ts_bench_fail(report, "no pairs");
        if (r) result = r;
        ts_bench_workload_free(&w);
        ts_hull_free(cube);
    }
    free(store);
    ts_bench_note(report,
                  "All start at the difference of the centres. All but NESMINO stop where 2 <x, x - s> <= 1e-8 m^2; "
                  "NESMINO stops within 1e-4 m of GJK's answer, as in the paper. Distances are drawn from -0.1 to 0 "
                  "(nominal), 0 to 0.1 and 0.5 to 1.5 m. At the cap: %d iterations without an answer, counted as such.",
                  FRANK_WOLFE_LIMIT);
    ts_bench_note(report, "NESMINO's smoothing starts at 0.1 and falls by 5 %% a step, to 1e-6 at the least; the "
                          "publications do not give theirs, so its counts compare in order of magnitude only.");
    ts_bench_note(report,
                  "Wrong: the distance is more than 1e-4 m outside certified bounds, overlap counting as zero.");
    return result;
}
