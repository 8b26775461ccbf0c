// Hulls (Montaut et al., GJK++, Table I, Fig. 8 to 11, and "Collision Detection Accelerated", RSS 2022, Table I, Fig. 6 and
// 9): GJK's variants against distance, what normalising does, times by number of vertices, speed-ups query by query, and
// every library of the build on the same pairs. The objects are the YCB hulls where the data folder is set, else hulls of
// random points on ellipsoids with the same numbers of vertices; these also stand for the meshes of ShapeNet.
#include "base/rng.h"
#include "bench/bench_list.h"
#include "bench/contest.h"
#include "bench/variants.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const double distances[] = {-0.1, -0.01, -1e-3, -1e-4, 1e-4, 1e-3, 0.01, 0.03, 0.1, 1.0};
static const double near_ones[] = {1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1};
static const ts_gjk_variant variants[] = {
    TS_GJK_VANILLA,      TS_GJK_POLYAK, TS_GJK_POLYAK_PAPER, TS_GJK_NESTEROV, TS_GJK_NESTEROV_NORMALISED,
    TS_GJK_NESTEROV_COAL};
static const ts_gjk_variant with_and_without[] = {TS_GJK_VANILLA, TS_GJK_POLYAK_PAPER, TS_GJK_POLYAK_NORMALISED,
                                                  TS_GJK_NESTEROV, TS_GJK_NESTEROV_NORMALISED};
// The paper's three: it normalises on meshes.
static const ts_gjk_variant papers[] = {TS_GJK_VANILLA, TS_GJK_POLYAK_PAPER, TS_GJK_NESTEROV_NORMALISED};
// The two of the paper before it.
static const ts_gjk_variant before[] = {TS_GJK_VANILLA, TS_GJK_NESTEROV_NORMALISED};

enum { ROOM = 64 };

// The objects, ours or YCB's.
typedef struct objects {
    ts_hull* hull[ROOM];
    int count;
    int ycb;
} objects;

static int worse(int a, int b) { return a > b ? a : b; }

static int by_vertices(const void* a, const void* b) {
    int x = (*(ts_hull* const*)a)->vertex_count;
    int y = (*(ts_hull* const*)b)->vertex_count;
    return (x > y) - (x < y);
}

// `each` hulls of every size.
static void make_objects(const ts_bench_options* options, const int* size, int sizes, int each, objects* out) {
    ts_rng rng = ts_rng_make(options->seed, 5);
    out->count = out->ycb = 0;
    for (int i = 0; i < sizes * each; ++i) {
        double x = ts_rng_uniform_in(&rng, 0.02, 0.15);
        double y = ts_rng_uniform_in(&rng, 0.02, 0.15);
        ts_vec3 axes = ts_vec3_make(x, y, ts_rng_uniform_in(&rng, 0.02, 0.15));
        ts_hull* hull = ts_bench_hull_on_ellipsoid(axes, size[i % sizes], options->seed, 9000u + (unsigned)i);
        if (hull) out->hull[out->count++] = hull;
    }
    qsort(out->hull, (size_t)out->count, sizeof(ts_hull*), by_vertices);
}

static int gather(const ts_bench_options* options, objects* out) {
    static const int sizes[] = {240, 500, 1000, 1811, 3585};
    out->count = ts_bench_ycb_hulls(options->data_folder, out->hull, ROOM);
    out->ycb = out->count > 0;
    if (!out->ycb) make_objects(options, sizes, COUNT(sizes), options->quick ? 1 : 6, out);
    qsort(out->hull, (size_t)out->count, sizeof(ts_hull*), by_vertices);
    return out->count;
}

static void release(objects* o) {
    for (int i = 0; i < o->count; ++i) ts_hull_free(o->hull[i]);
}

// The few hulls whose number of vertices is nearest to `wanted`, as a run of the sorted list.
static int nearest(const objects* o, int wanted, int* out_first) {
    enum { FEW = 4 };
    int count = o->count < FEW ? o->count : FEW;
    int best = 0;
    for (int first = 0; first + count <= o->count; ++first) {
        int worst = 0;
        int best_worst = 0;
        for (int k = 0; k < count; ++k) {
            int off = abs(o->hull[first + k]->vertex_count - wanted);
            int best_off = abs(o->hull[best + k]->vertex_count - wanted);
            if (off > worst) worst = off;
            if (best_off > best_worst) best_worst = best_off;
        }
        if (worst < best_worst) best = first;
    }
    *out_first = best;
    return count;
}

// A table of times by number of vertices: every pair of sizes, distances drawn up to `reach` m to both sides of touching.
typedef struct time_table {
    const char* stem;
    const char* title;
    const int* size;
    int sizes;
    double reach;
    const ts_gjk_variant* variant;
    int variants;
} time_table;

static void add_time_rows(const ts_bench_options* options, ts_bench_report* report, const time_table* asked,
                          ts_bench_workload* w, const char* label, ts_bench_table* t) {
    for (int verdict = 0; verdict < 2; ++verdict) {
        double mean[COUNT(variants)];
        double deviation[COUNT(variants)];
        ts_bench_sweep sweep = {"", "", w, NULL, 0, asked->variant, asked->variants, verdict, 1e-8, 0};
        ts_bench_trimmed(report, options, &sweep, mean, deviation);
        ts_bench_row(t);
        ts_bench_text(t, "%s", label);
        ts_bench_text(t, "%s", verdict ? "verdict" : "distance");
        for (int v = 0; v < asked->variants; ++v) {
            ts_bench_number(t, 1e-3 * mean[v]);
            ts_bench_number(t, 1e-3 * deviation[v]);
        }
    }
}

// Every pair at its own distance, up to `reach` m to both sides of touching.
static void spread_out(const ts_bench_options* options, ts_bench_workload* w, double reach, uint64_t stream) {
    double* distance = (double*)calloc((size_t)w->count, sizeof(double));
    ts_rng rng = ts_rng_make(options->seed, stream);
    for (int k = 0; distance && k < w->count; ++k) distance[k] = ts_rng_uniform_in(&rng, -reach, reach);
    if (distance) ts_bench_workload_place_each(w, distance);
    free(distance);
}

static int times_by_vertices(const ts_bench_options* options, ts_bench_report* report, const objects* o,
                             const time_table* asked) {
    ts_bench_table* t = ts_bench_add_table(report, asked->stem, asked->title);
    ts_bench_add_column(t, "vertices", "");
    ts_bench_add_column(t, "question", "");
    for (int v = 0; v < asked->variants; ++v) {
        ts_bench_add_column(t, ts_gjk_variant_name(asked->variant[v]), "us");
        ts_bench_add_column(t, "deviation", "us");
    }
    for (int i = 0; i < asked->sizes; ++i) {
        for (int j = i; j < asked->sizes; ++j) {
            int first = 0;
            int second = 0;
            int first_count = nearest(o, asked->size[i], &first);
            int second_count = nearest(o, asked->size[j], &second);
            ts_bench_workload w;
            if (!ts_bench_workload_of_hulls((const ts_hull* const*)&o->hull[first], first_count,
                                            (const ts_hull* const*)&o->hull[second], second_count,
                                            options->quick ? 20 : 1000, options->seed, &w))
                return ts_bench_fail(report, "pairs could not be made");
            spread_out(options, &w, asked->reach, 31);
            char label[48];
            snprintf(label, sizeof label, "%d - %d", o->hull[first]->vertex_count, o->hull[second]->vertex_count);
            add_time_rows(options, report, asked, &w, label, t);
            ts_bench_workload_free(&w);
            if (ts_bench_progress(report, 0.1 * (i * asked->sizes + j), 4.0)) return TS_BENCH_STOPPED;
        }
    }
    ts_bench_note(report,
                  "%s: mean and deviation of the fastest 90 %% of queries, each the shortest of 7 (the paper's "
                  "measure is the same with 100); of each size the four nearest hulls, the smallest named.",
                  asked->stem);
    return TS_BENCH_DONE;
}

// Table I of both papers. The meshes of the earlier one are ShapeNet's, which are not ours to read: random points on
// ellipsoids, as many.
static int time_tables(const ts_bench_options* options, ts_bench_report* report, const objects* o) {
    static const int sizes[] = {240, 1811, 3585}, shapenet[] = {33, 141, 626, 2500};
    static const time_table table = {
        "table-1",    "Time by number of vertices, -0.01 to 0.01 m apart", sizes, COUNT(sizes), 0.01, papers,
        COUNT(papers)};
    static const time_table earlier = {"table-1-rss", "Random hulls: time by number of vertices, -0.1 to 0.1 m apart",
                                       shapenet,      COUNT(shapenet),
                                       0.1,           before,
                                       COUNT(before)};
    int result = TS_BENCH_DONE;
    if (ts_bench_wanted(report, options, table.stem)) result = times_by_vertices(options, report, o, &table);
    if (result >= TS_BENCH_FAILED || !ts_bench_wanted(report, options, earlier.stem)) return result;
    objects random;
    make_objects(options, shapenet, COUNT(shapenet), 4, &random);
    result = worse(result, times_by_vertices(options, report, &random, &earlier));
    release(&random);
    return result;
}

// Iterations and time against distance: Fig. 9 and 10 by all variants, and near touching Fig. 8 (RSS Fig. 6) with and
// without normalisation.
static int sweeps(const ts_bench_options* options, ts_bench_report* report, const objects* o, ts_bench_workload* w) {
    static const char* const stems[2][2] = {{"hulls-distance", "hulls-verdict"},
                                            {"normalisation-distance", "normalisation-verdict"}};
    static const char* const titles[2][2] = {
        {"Hulls of 240 to 3585", "YCB hulls"},
        {"Effect of normalisation, hulls of 240 to 3585", "Effect of normalisation, YCB hulls"}};
    int result = TS_BENCH_DONE;
    for (int near = 0; near < 2; ++near) {
        ts_bench_sweep sweep = {"",       titles[near][o->ycb], w, distances, COUNT(distances),
                                variants, COUNT(variants),      0, 1e-8,      0};
        if (near) {
            sweep.distance = near_ones;
            sweep.distance_count = COUNT(near_ones);
            sweep.variant = with_and_without;
            sweep.variant_count = COUNT(with_and_without);
        }
        for (int verdict = 0; verdict < 2 && result < TS_BENCH_FAILED; ++verdict) {
            sweep.stem = stems[near][verdict];
            sweep.verdict = verdict;
            if (ts_bench_wanted(report, options, sweep.stem))
                result = worse(result, ts_bench_sweep_run(report, options, &sweep));
            if (ts_bench_progress(report, 1.3 + 0.5 * near + 0.25 * verdict, 4.0)) result = TS_BENCH_STOPPED;
        }
    }
    return result;
}

static int figures(const ts_bench_options* options, ts_bench_report* report, const objects* o) {
    ts_bench_workload w;
    const ts_hull* const* hull = (const ts_hull* const*)o->hull;
    if (!ts_bench_workload_of_hulls(hull, o->count, hull, o->count, options->quick ? 20 : 1000, options->seed, &w))
        return ts_bench_fail(report, "pairs could not be made");
    int result = sweeps(options, report, o, &w);
    spread_out(options, &w, 0.01, 32);
    ts_bench_sweep sweep = {
        .workload = &w, .variant = variants, .variant_count = COUNT(variants), .gap_tolerance = 1e-8};
    // Fig. 11 (RSS Fig. 9): distributions of speed-up.
    for (int verdict = 0; verdict < 2 && result < TS_BENCH_FAILED; ++verdict) {
        sweep.stem = verdict ? "speedup-verdict" : "speedup-distance";
        sweep.title = verdict ? "Verdicts, -0.01 to 0.01 m" : "Distances, -0.01 to 0.01 m";
        sweep.verdict = verdict;
        if (ts_bench_wanted(report, options, sweep.stem))
            result = worse(result, ts_bench_speedups(report, options, &sweep));
    }
    ts_bench_workload_free(&w);
    return result;
}

static int peers(const ts_bench_options* options, ts_bench_report* report) {
    static const int sizes[] = {32, 128, 512, 2048};
    ts_bench_table* table = ts_bench_contest_table(report, "peers", "Hulls of random points on ellipsoids");
    int result = TS_BENCH_DONE;
    double part = 1.5 / COUNT(sizes);  // of the progress that is four for all
    for (int s = 0; s < COUNT(sizes) && result < TS_BENCH_FAILED; ++s) {
        char label[32];
        snprintf(label, sizeof label, "hulls of %d", sizes[s]);
        ts_bench_workload w;
        if (!ts_bench_workload_make(TS_BENCH_HULLS, sizes[s], options->quick ? 20 : 200, options->seed, &w))
            return ts_bench_fail(report, "%s could not be made", label);
        result = worse(result, ts_bench_contest_all(report, options, table, &w, label, 2.5 / part + s, 4.0 / part));
        ts_bench_workload_free(&w);
    }
    static const char* const labels[] = {"hulls of 32", "hulls of 128", "hulls of 512", "hulls of 2048"};
    static const double numbers[] = {32.0, 128.0, 512.0, 2048.0};
    const ts_bench_contest_axis axis = {"vertices", labels, numbers, COUNT(labels)};
    static const ts_bench_contest shown[] = {{"peers-distance", 1e-3, TS_BENCH_ASK_DISTANCE},
                                             {"peers-verdict", 1e-3, TS_BENCH_ASK_VERDICT},
                                             {"peers-depth", -0.1, TS_BENCH_ASK_DEPTH}};
    static const char* const titles[] = {"Distance of hulls 1 mm apart", "Verdict on hulls 1 mm apart",
                                         "Depth of hulls 0.1 m past touching"};
    for (int i = 0; i < COUNT(shown) && result < TS_BENCH_FAILED; ++i)
        ts_bench_contest_figure(report, table, titles[i], &shown[i], &axis);
    ts_bench_contest_notes(report);
    return result;
}

int ts_bench_gjk_meshes(const ts_bench_options* options, ts_bench_report* report) {
    objects o;
    if (gather(options, &o) < 2) return ts_bench_fail(report, "no hulls");
    int result = TS_BENCH_DONE;
    if (o.ycb)
        ts_bench_note(report, "%d YCB hulls of %d to %d vertices.", o.count, o.hull[0]->vertex_count,
                      o.hull[o.count - 1]->vertex_count);
    else
        ts_bench_note(report, "TOUCHSTONE_DATA is not set or has no ycb_hulls: hulls of random points on ellipsoids, "
                              "semi-axes 0.02 to 0.15 m, 240 to 3585 vertices.");
    result = worse(result, time_tables(options, report, &o));
    if (result < TS_BENCH_FAILED) result = worse(result, figures(options, report, &o));
    if (result < TS_BENCH_FAILED && ts_bench_wanted(report, options, "peers"))
        result = worse(result, peers(options, report));
    release(&o);
    return result;
}
