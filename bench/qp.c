// GJK beside generic solvers of quadratic programs, on the distance of two meshes (Montaut et al., "GJK++", Table II).
//
// The program has six variables and one row per flat face of either hull; the matrices are written down beforehand and
// only solving them is timed. Hulls keep faces merged, which spares the programs rows that a triangle mesh would have.
#include "bench/qp.h"
#include "bench/bench.h"
#include "bench/bench_list.h"

#include "collision/distance/gjk/gjk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double distance = 0.01;   // m, at which the pairs are placed
static const double tolerance = 1e-9;  // of the solvers: residuals; squared, complementarity
static const double agreement = 1e-6;  // m: answers farther from certified bounds are wrong
static const double gjk_gap = 1e-8;    // m^2, the papers' criterion

enum { SIZES = 5, METHODS = 6 };

typedef enum method { OURS, VANILLA, POLYAK, NESTEROV, INTERIOR_POINT, PROXQP } method;

typedef struct contestant {
    method method;
    const ts_bench_pair* pair;
    const ts_qp* program;
    double* scratch;
    ts_qp_proxqp* proxqp;
    double distance;
    int iterations;
    int failed;
} contestant;

static const char* const method_name[METHODS] = {"touchstone query",        "GJK vanilla",           "GJK Polyak",
                                                 "GJK Nesterov normalised", "interior point (ours)", "ProxQP"};

static void run_gjk(contestant* c, const ts_bench_pair* pair) {
    static const ts_gjk_variant variant[] = {TS_GJK_AUTO, TS_GJK_VANILLA, TS_GJK_POLYAK, TS_GJK_NESTEROV_NORMALISED};
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.variant = variant[c->method];
    settings.start = TS_GJK_START_CENTRES;
    settings.gap_tolerance = gjk_gap;
    ts_shape_pair asked = ts_shape_pair_make(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b);
    ts_gjk_result r;
    ts_gjk_distance(&asked, &settings, NULL, &r);
    c->distance = r.found.upper;
    c->iterations = r.iterations;
    c->failed = r.status == TS_PROXIMITY_LIMIT;
}

static void run(void* context, int query) {
    contestant* c = (contestant*)context;
    const ts_bench_pair* pair = &c->pair[query];
    if (c->method == OURS) {
        ts_proximity r;
        ts_proximity_query(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, NULL, NULL, &r);
        c->distance = r.distance;
        c->iterations = r.iterations;
        c->failed = r.status == TS_PROXIMITY_LIMIT || r.status == TS_PROXIMITY_INVALID_INPUT;
        return;
    }
    if (c->method < INTERIOR_POINT) {
        run_gjk(c, pair);
        return;
    }
    ts_qp_answer a = {{0.0}, 0, 0};
    if (c->method == INTERIOR_POINT) ts_qp_interior_point(&c->program[query], tolerance, c->scratch, &a);
#ifdef TS_PEER_PROXSUITE
    if (c->method == PROXQP) ts_qp_proxqp_solve(c->proxqp, &c->program[query], &a);
#endif
    ts_vec3 d = ts_vec3_make(a.x[0] - a.x[3], a.x[1] - a.x[4], a.x[2] - a.x[5]);
    c->distance = ts_vec3_norm(d);
    c->iterations = a.iterations;
    c->failed = !a.converged;
}

typedef struct verdict {
    int wrong;
    double worst;       // m
    double iterations;  // mean
} verdict;

// The papers' criterion stops GJK at a squared error of gjk_gap, so its answers are held to its root.
static verdict judge(contestant* c, int count) {
    double allowed = c->method == VANILLA || c->method == POLYAK || c->method == NESTEROV ? 1e-4 : agreement;
    verdict v = {0, 0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        run(c, i);
        double error = ts_bench_error(&c->pair[i], c->distance);
        if (c->failed || !(error <= allowed)) ++v.wrong;
        if (error > v.worst) v.worst = error;
        v.iterations += (double)c->iterations / count;
    }
    return v;
}

static ts_bench_table* add_table(ts_bench_report* report) {
    ts_bench_table* t =
        ts_bench_add_table(report, "qp", "Distance of two hulls: GJK beside solvers of quadratic programs (Table II)");
    ts_bench_add_column(t, "vertices", "");
    ts_bench_add_column(t, "faces", "");
    ts_bench_add_column(t, "method", "");
    ts_bench_add_column(t, "wrong", "");
    ts_bench_add_column(t, "of", "");
    ts_bench_add_column(t, "max error", "m");
    ts_bench_add_column(t, "iterations", "");
    ts_bench_add_column(t, "median", "us");
    ts_bench_add_column(t, "10 %", "us");
    ts_bench_add_column(t, "90 %", "us");
    ts_bench_add_column(t, "query p99", "us");
    ts_bench_add_column(t, "query max", "us");
    ts_bench_add_column(t, "times ours", "");
    return t;
}

typedef struct time_curves {
    double vertices[SIZES];
    double time[METHODS][SIZES];
} time_curves;

// One size: every method judged, then timed.
static int run_size(const ts_bench_options* options, ts_bench_report* report, ts_bench_table* t, const ts_hull* hull,
                    const ts_bench_workload* w, const ts_qp* program, time_curves* curves, int size) {
    contestant contestants[METHODS];
    ts_bench_contestant entry[METHODS];
    ts_bench_timing timing[METHODS];
    verdict verdicts[METHODS];
    int count = 0;
    int result = TS_BENCH_DONE;
    double* scratch = (double*)malloc((size_t)program[0].rows * 6 * sizeof *scratch);
    if (!scratch) return ts_bench_fail(report, "out of memory");
    for (int m = 0; m < METHODS; ++m) {
        contestant c = {(method)m, w->pair, program, scratch, NULL, 0.0, 0, 0};
#ifdef TS_PEER_PROXSUITE
        if (m == PROXQP) c.proxqp = ts_qp_proxqp_make(program[0].rows, tolerance);
#else
        if (m == PROXQP) continue;
#endif
        contestants[count] = c;
        verdicts[count] = judge(&contestants[count], w->count);
        if (m != PROXQP && verdicts[count].wrong) result = TS_BENCH_WRONG;
        entry[count].name = method_name[m];
        entry[count].run = run;
        entry[count].context = &contestants[count];
        ++count;
    }
    ts_bench_time(report, options, &(ts_bench_race){entry, count, w->count, 0, 0.0}, timing, NULL);
    curves->vertices[size] = hull->vertex_count;
    for (int i = 0; i < count; ++i) {
        curves->time[i][size] = 1e-3 * timing[i].median;
        ts_bench_row(t);
        ts_bench_number(t, hull->vertex_count);
        ts_bench_number(t, hull->face_count);
        ts_bench_text(t, "%s", entry[i].name);
        ts_bench_number(t, verdicts[i].wrong);
        ts_bench_number(t, w->count);
        ts_bench_number(t, verdicts[i].worst);
        ts_bench_number(t, verdicts[i].iterations);
        ts_bench_number(t, 1e-3 * timing[i].median);
        ts_bench_number(t, 1e-3 * timing[i].p10);
        ts_bench_number(t, 1e-3 * timing[i].p90);
        ts_bench_number(t, 1e-3 * timing[i].query_p99);
        ts_bench_number(t, 1e-3 * timing[i].query_most);
        ts_bench_number(t, timing[i].median / timing[0].median);
#ifdef TS_PEER_PROXSUITE
        if (contestants[i].proxqp) ts_qp_proxqp_free(contestants[i].proxqp);
#endif
    }
    free(scratch);
    return result;
}

static ts_hull* hull_of_size(int vertices, uint64_t seed) {
    if (vertices > 8) return ts_bench_hull_on_ellipsoid(ts_vec3_make(0.1, 0.08, 0.06), vertices, seed, 5);
    ts_vec3 corner[8];
    for (int i = 0; i < 8; ++i) corner[i] = ts_vec3_make(i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1);
    ts_hull* hull = NULL;
    return ts_hull_build(corner, 8, &hull, NULL) ? NULL : hull;
}

static int prepare_and_run(const ts_bench_options* options, ts_bench_report* report, ts_bench_table* t, int vertices,
                           int count, time_curves* curves, int size) {
    int result;
    ts_bench_workload w = {0};
    ts_hull* hull = hull_of_size(vertices, options->seed);
    const ts_hull* both[1] = {hull};
    ts_qp* program = (ts_qp*)calloc((size_t)count, sizeof *program);
    int made = program && hull && ts_bench_workload_of_hulls(both, 1, both, 1, count, options->seed, &w);
    if (made) ts_bench_workload_place(&w, distance);
    for (int i = 0; made && i < count; ++i) made = ts_qp_make(&w.pair[i], &program[i]);
    result = made ? run_size(options, report, t, hull, &w, program, curves, size) : ts_bench_fail(report, "no pairs");
    for (int i = 0; program && i < count; ++i) ts_qp_free(&program[i]);
    free(program);
    ts_bench_workload_free(&w);
    ts_hull_free(hull);
    return result;
}

int ts_bench_qp(const ts_bench_options* options, ts_bench_report* report) {
    static const int vertices[SIZES] = {8, 32, 128, 512, 2048};
    static const int pairs[SIZES] = {200, 200, 100, 40, 16};
    time_curves all = {{0.0}, {{0.0}}};
    int result = TS_BENCH_DONE;
    int sizes = options->quick ? 2 : SIZES;
    ts_bench_table* t = add_table(report);
    for (int k = 0; k < sizes; ++k) {
        char part[16];
        snprintf(part, sizeof part, "hull-%d", vertices[k]);
        all.vertices[k] = vertices[k];
        for (int m = 0; m < METHODS; ++m) all.time[m][k] = (double)NAN;
        if (!ts_bench_wanted(report, options, part)) continue;
        int r = prepare_and_run(options, report, t, vertices[k], options->quick ? 20 : pairs[k], &all, k);
        if (r > TS_BENCH_WRONG) return r;
        if (r) result = r;
        if (ts_bench_progress(report, k + 1.0, sizes)) return TS_BENCH_STOPPED;
    }
    ts_bench_figure* f =
        ts_bench_add_figure(report, "qp", "Distance of two hulls", (ts_bench_axis){"vertices", "", TS_BENCH_LOG},
                            (ts_bench_axis){"time", "us", TS_BENCH_LOG});
    for (int m = 0; m < METHODS; ++m)
        if (all.time[m][0] > 0.0) ts_bench_add_curve(f, method_name[m], all.vertices, all.time[m], sizes);
    ts_bench_note(report,
                  "Pairs of one hull with itself, 1 cm apart, random poses. Writing the matrices is not timed. Wrong: "
                  "more than 1e-6 m outside certified bounds (1e-4 m for the three variants of GJK that stop "
                  "where 2 <x, x - s> <= 1e-8 m^2), or no answer.");
    ts_bench_note(report,
                  "The interior-point method is ours and knows that there are six variables: a generic solver does "
                  "not get cheaper than that. ProxQP is the paper's choice (tolerance 1e-9); it is there when the "
                  "build found it.");
    return result;
}
