// Ellipsoids (Montaut et al., GJK++, Fig. 7) and the other shapes with few numbers: iterations and time of GJK's
// variants against distance, and every library of the build on the same pairs.
#include "bench/bench_list.h"
#include "bench/contest.h"
#include "bench/variants.h"

static const double apart_and_not[] = {-0.1, -0.03, -0.01, -1e-3, -1e-4, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0};
static const double near_ones[] = {1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1};
static const ts_gjk_variant all_variants[] = {TS_GJK_VANILLA,           TS_GJK_POLYAK,   TS_GJK_POLYAK_PAPER,
                                              TS_GJK_POLYAK_NORMALISED, TS_GJK_NESTEROV, TS_GJK_NESTEROV_NORMALISED,
                                              TS_GJK_NESTEROV_COAL};
static const ts_gjk_variant with_and_without[] = {TS_GJK_VANILLA, TS_GJK_POLYAK_PAPER, TS_GJK_POLYAK_NORMALISED,
                                                  TS_GJK_NESTEROV, TS_GJK_NESTEROV_NORMALISED};

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

typedef struct part {
    const char* name;
    ts_bench_family family;
} part;

static int worse(int a, int b) { return a > b ? a : b; }

// All questions about one family, at the distances where they make sense.
static int contests(ts_bench_report* report, const ts_bench_options* options, ts_bench_table* table, const part* p,
                    double done, double total) {
    ts_bench_workload w;
    if (!ts_bench_workload_make(p->family, 0, options->quick ? 40 : 300, options->seed, &w))
        return ts_bench_fail(report, "%s could not be made", p->name);
    int result = ts_bench_contest_all(report, options, table, &w, ts_bench_family_name(p->family), done, total);
    ts_bench_workload_free(&w);
    return result;
}

static int sweeps(ts_bench_report* report, const ts_bench_options* options, double done, double total) {
    ts_bench_workload w;
    int result = TS_BENCH_DONE;
    if (!ts_bench_workload_make(TS_BENCH_ELLIPSOIDS_PAPER, 0, options->quick ? 40 : 1000, options->seed, &w))
        return ts_bench_fail(report, "ellipsoids could not be made");
    ts_bench_sweep sweep = {"ellipsoids-distance", "Ellipsoids of 0.1 m", &w, apart_and_not, COUNT(apart_and_not),
                            all_variants,          COUNT(all_variants),   0,  1e-8,          0};
    if (ts_bench_wanted(report, options, sweep.stem))
        result = worse(result, ts_bench_sweep_run(report, options, &sweep));
    if (ts_bench_progress(report, done + 0.4, total)) result = TS_BENCH_STOPPED;
    sweep.stem = "ellipsoids-verdict";
    sweep.verdict = 1;
    if (result < TS_BENCH_FAILED && ts_bench_wanted(report, options, sweep.stem))
        result = worse(result, ts_bench_sweep_run(report, options, &sweep));
    if (ts_bench_progress(report, done + 0.7, total)) result = TS_BENCH_STOPPED;
    // The papers make the two directions unit vectors on meshes only (gjk-meshes); here is what it does on curved shapes.
    ts_bench_sweep effect = {"normalisation-ellipsoids",
                             "Effect of normalisation, ellipsoids",
                             &w,
                             near_ones,
                             COUNT(near_ones),
                             with_and_without,
                             COUNT(with_and_without),
                             0,
                             1e-8,
                             0};
    if (result < TS_BENCH_FAILED && ts_bench_wanted(report, options, effect.stem))
        result = worse(result, ts_bench_sweep_run(report, options, &effect));
    ts_bench_workload_free(&w);
    return result;
}

int ts_bench_gjk_ellipsoids(const ts_bench_options* options, ts_bench_report* report) {
    static const part ellipsoids = {"ellipsoids", TS_BENCH_ELLIPSOIDS};
    int result = TS_BENCH_DONE;
    if (ts_bench_wanted(report, options, "peers")) {
        ts_bench_table* table = ts_bench_contest_table(report, "peers", "Ellipsoids, semi-axes 0.02 to 0.5 m");
        result = worse(result, contests(report, options, table, &ellipsoids, 0.0, 2.0));
        ts_bench_contest_notes(report);
    }
    if (result < TS_BENCH_FAILED) result = worse(result, sweeps(report, options, 1.0, 2.0));
    ts_bench_note(report,
                  "Variants: start at the difference of the centres, gap tolerance 1e-8 m^2 on 2 <x, x - s> as in "
                  "the papers, momentum for at most 16 iterations; one iteration is one projection.");
    return result;
}

int ts_bench_gjk_primitives(const ts_bench_options* options, ts_bench_report* report) {
    static const part parts[] = {{"boxes", TS_BENCH_BOXES},
                                 {"spheres", TS_BENCH_SPHERES},
                                 {"sphere-capsule", TS_BENCH_SPHERE_CAPSULE},
                                 {"capsules", TS_BENCH_CAPSULES},
                                 {"box-ellipsoid", TS_BENCH_BOX_ELLIPSOID}};
    int result = TS_BENCH_DONE;
    for (int i = 0; i < COUNT(parts) && result < TS_BENCH_FAILED; ++i) {
        if (!ts_bench_wanted(report, options, parts[i].name)) continue;
        ts_bench_table* table = ts_bench_contest_table(report, parts[i].name, ts_bench_family_name(parts[i].family));
        result = worse(result, contests(report, options, table, &parts[i], i, COUNT(parts)));
    }
    ts_bench_contest_notes(report);
    return result;
}
