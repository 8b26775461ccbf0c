// How good the derivatives of collision detection are: of every two convex kinds, both ways round, in every regime, against differences
// of the query.
//
// bench/pair_reference_internal.h has the reference. Pairs of which it is worth less than 1e-8 are counted and not judged to 1e-7.
// Errors are relative to the column's largest number, and at least 1 (sizes are 0.2 m or so).
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "bench/derivative_parts.h"
#include "bench/pair_reference_internal.h"
#include "bench/workload.h"
#include "collision/derivative/proximity_derivative.h"

enum { REGIMES = 6, HULLS = 3, KINDS = TS_SHAPE_CONVEX_COUNT };

static const struct {
    const char* name;
    double gap;  // m: drawn between a fifth of it and all
} regimes[REGIMES] = {
    {"apart", 0.2},
    {"a millimetre apart", 1e-3},
    {"a nanometre apart", 1e-9},
    {"a nanometre deep", -1e-9},
    {"deep", -0.03},
    {"anyhow", 0.0},
};

typedef struct placed {
    ts_shape a, b;
    ts_transform pose_a, pose_b;
    ts_proximity found;
} placed;

typedef struct tally {
    int pairs, flagged, judged, beyond, far;  // beyond: of those judged, 1e-7; far: not flagged and beyond 1e-3
    double worst;
} tally;

static void ask(const placed* p, const ts_transform* pose_b, ts_proximity* out) {
    ts_proximity_query(&p->a, &p->pose_a, &p->b, pose_b, NULL, NULL, out);
}

static void judge(const placed* p, tally* io) {
    ts_proximity_derivative d;
    ts_proximity_differentiate(&p->a, &p->pose_a, &p->b, &p->pose_b, &p->found, NULL, &d);
    ++io->pairs;
    io->flagged += d.certificate.flags != 0;
    if (d.certificate.flags) return;
    double open, error = ts_pair_error(&(ts_pair_placed){&p->a, &p->b, &p->pose_a, &p->pose_b}, &d, &open);
    io->far += open <= 1e-5 && !(error <= 1e-3);
    if (open > 1e-8) return;
    ++io->judged;
    io->beyond += !(error <= 1e-7 + 10.0 * open);
    io->worst = fmax(io->worst, error);
}

static void place(placed* p, int regime, ts_rng* rng) {
    double gap = regimes[regime].gap * ts_rng_uniform_in(rng, 0.2, 1.0), first = gap < 0.0 ? 1e-3 : gap;
    for (int k = 0; k < 12 && regime < REGIMES - 1; ++k) {
        ask(p, &p->pose_b, &p->found);
        p->pose_b.p = ts_vec3_add_scaled(p->pose_b.p, first - p->found.distance, p->found.found.normal);
    }
    ask(p, &p->pose_b, &p->found);
    if (regime < REGIMES - 1 && gap < 0.0) {
        p->pose_b.p = ts_vec3_add_scaled(p->pose_b.p, gap - p->found.distance, p->found.found.normal);
        ask(p, &p->pose_b, &p->found);
    }
}

static void compare_two(ts_shape_kind a, ts_shape_kind b, ts_hull* const* hull, const ts_bench_options* options,
                        tally* io) {
    ts_rng rng = ts_rng_make(options->seed, 9700u + 16u * (unsigned)a + (unsigned)b);
    int pairs = options->quick ? 12 : 1000;
    for (int i = 0; i < pairs; ++i) {
        placed p;
        int regime = i % REGIMES, kind = i / REGIMES;
        p.a = ts_bench_random_shape(&rng, a, hull[kind % HULLS]);
        p.b = ts_bench_random_shape(&rng, b, hull[kind / HULLS % HULLS]);
        // One in three has balls around it, one in four is nearly aligned.
        if (kind % 3 == 0 && a != TS_SHAPE_PLANE) p.a.radius += 0.02;
        p.pose_a = ts_bench_random_place(&rng, 0.1);
        p.pose_b = ts_bench_random_place(&rng, regime == REGIMES - 1 ? 0.15 : 0.6);
        if (kind % 4 == 3) {
            ts_vec3 tilt = ts_vec3_make(ts_rng_normal(&rng), ts_rng_normal(&rng), 20.0 * ts_rng_normal(&rng));
            double angle = ts_vec3_norm(tilt);
            ts_quat turn = ts_quat_from_axis_angle(ts_vec3_scale(1.0 / angle, tilt), 0.05 * angle);
            p.pose_b.R = ts_mat3_mul(p.pose_a.R, ts_quat_to_mat3(turn));
        }
        place(&p, regime, &rng);
        judge(&p, &io[regime]);
    }
}

static void show(ts_bench_report* report, const tally* t) {
    static const char* const head[] = {"pairs", "flagged", "judged", "beyond 1e-7", "beyond 1e-3", "largest error"};
    ts_bench_table* table =
        ts_bench_add_table(report, "derivative-pairs", "Exact derivatives against differences, every two convex kinds");
    ts_bench_add_column(table, "regime", "");
    for (unsigned k = 0; k < sizeof head / sizeof *head; ++k) ts_bench_add_column(table, head[k], "");
    for (int k = 0; k < REGIMES; ++k) {
        ts_bench_row(table);
        ts_bench_text(table, "%s", regimes[k].name);
        ts_bench_number(table, t[k].pairs);
        ts_bench_number(table, t[k].flagged);
        ts_bench_number(table, t[k].judged);
        ts_bench_number(table, t[k].beyond);
        ts_bench_number(table, t[k].far);
        ts_bench_number(table, t[k].worst);
    }
}

int ts_bench_derivative_pairs(const ts_bench_options* options, ts_bench_report* report) {
    ts_hull* hull[HULLS];
    tally t[REGIMES] = {{0, 0, 0, 0, 0, 0.0}};
    int result = TS_BENCH_DONE;
    for (int k = 0; k < HULLS; ++k)
        hull[k] = ts_bench_hull_on_ellipsoid(ts_vec3_make(0.2 + 0.05 * k, 0.2, 0.25), 8 << 2 * k, options->seed,
                                             9310u + (unsigned)k);
    if (!hull[0] || !hull[1] || !hull[2]) result = ts_bench_fail(report, "a hull could not be made");
    for (int a = 0; result == TS_BENCH_DONE && a < KINDS; ++a) {
        for (int b = 0; b < KINDS; ++b)
            if (a + b > 0) compare_two((ts_shape_kind)a, (ts_shape_kind)b, hull, options, t);
        if (ts_bench_progress(report, a, KINDS)) result = TS_BENCH_STOPPED;
    }
    if (result == TS_BENCH_DONE) show(report, t);
    for (int k = 0; k < REGIMES; ++k)
        if (t[k].beyond + t[k].far > 0 && result == TS_BENCH_DONE) result = TS_BENCH_WRONG;
    for (int k = 0; k < HULLS; ++k) ts_hull_free(hull[k]);
    return result;
}
