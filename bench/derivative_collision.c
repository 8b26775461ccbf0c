// Derivatives of collision detection: time per method for every pair of kinds and for hulls, beside the query and differences of it
// (Montaut, Le Lidec, Bambade, Petrik, Sivic and Carpentier, ICRA 2023, Table II).
//
// Before anything is timed the exact derivative of every pair must agree with differences to 1e-4 where its certificate is regular
// and has room to stand on. Queries start cold, the twelve or more of differences and of the 0th order as well; the paper starts them
// warm.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "bench/derivative_parts.h"
#include "bench/workload.h"
#include "collision/derivative/proximity_derivative.h"

enum { PAIRS = 64, METHODS = 5, KINDS = TS_SHAPE_CONVEX_COUNT, YCB_MOST = 64 };

// Placed pairs with their answers, and who is asked about them.
typedef struct question {
    ts_shape a[PAIRS], b[PAIRS];
    ts_transform pose_a[PAIRS], pose_b[PAIRS];
    ts_proximity found[PAIRS];
    ts_derivative_options options;
    ts_proximity_derivative derivative;
    ts_proximity answer;
} question;

static void run_query(void* context, int i) {
    question* q = (question*)context;
    ts_proximity_query(&q->a[i], &q->pose_a[i], &q->b[i], &q->pose_b[i], NULL, NULL, &q->answer);
}

static void run_derivative(void* context, int i) {
    question* q = (question*)context;
    ts_proximity_differentiate(&q->a[i], &q->pose_a[i], &q->b[i], &q->pose_b[i], &q->found[i], &q->options,
                               &q->derivative);
}

ts_transform ts_bench_random_place(ts_rng* rng, double reach) {
    ts_transform pose;
    double w = ts_rng_normal(rng), x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    pose.R = ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(w, x, y, z)));
    x = ts_rng_uniform_in(rng, -reach, reach);
    y = ts_rng_uniform_in(rng, -reach, reach);
    pose.p = ts_vec3_make(x, y, ts_rng_uniform_in(rng, -reach, reach));
    return pose;
}

ts_shape ts_bench_random_shape(ts_rng* rng, ts_shape_kind kind, const ts_hull* hull) {
    static const ts_vec3 corner[3] = {{0.3, -0.1, 0.0}, {-0.2, 0.3, 0.1}, {-0.1, -0.3, -0.1}};
    double a = ts_rng_uniform_in(rng, 0.1, 0.3), b = ts_rng_uniform_in(rng, 0.1, 0.3),
           c = ts_rng_uniform_in(rng, 0.1, 0.3);
    switch (kind) {
    case TS_SHAPE_PLANE: return ts_shape_plane();
    case TS_SHAPE_TRIANGLE: return ts_shape_triangle(corner);
    case TS_SHAPE_HULL: return ts_shape_hull(hull);
    default: {
        const double value[TS_SHAPE_PARAMETERS_MOST] = {a, b, c};
        return ts_shape_make(kind, value);
    }
    }
}

// Slides B until the signed distance is about `gap`: from 1 mm apart, pushed on.
static void place_near(question* q, int i, double gap) {
    ts_proximity* p = &q->found[i];
    for (int k = 0; k < 8; ++k) {
        run_query(q, i);
        *p = q->answer;
        q->pose_b[i].p = ts_vec3_add_scaled(q->pose_b[i].p, 1e-3 - p->distance, p->found.normal);
    }
    q->pose_b[i].p = ts_vec3_add_scaled(q->pose_b[i].p, gap - 1e-3, p->found.normal);
    ts_proximity_options options = ts_proximity_options_default();
    options.rivals = 1;  // for the certificate, which asks again otherwise
    ts_proximity_query(&q->a[i], &q->pose_a[i], &q->b[i], &q->pose_b[i], &options, NULL, p);
}

static void fill_kinds(question* q, ts_shape_kind a, ts_shape_kind b, const ts_hull* hull, uint64_t seed) {
    ts_rng rng = ts_rng_make(seed, 9100u + 16u * (unsigned)a + (unsigned)b);
    for (int i = 0; i < PAIRS; ++i) {
        q->a[i] = ts_bench_random_shape(&rng, a, hull);
        q->b[i] = ts_bench_random_shape(&rng, b, hull);
        q->pose_a[i] = ts_bench_random_place(&rng, 0.1);
        q->pose_b[i] = ts_bench_random_place(&rng, 0.6);
        place_near(q, i, i % 2 ? 0.01 : -0.01);
    }
}

static double most_apart(const ts_proximity_derivative* a, const ts_proximity_derivative* b) {
    double most = 0.0;
    for (int j = 0; j < 6; ++j) {
        most = fmax(most, fabs(a->distance[j] - b->distance[j]));
        for (int i = 0; i < 3; ++i) {
            double scale = fmax(1.0, fabs(a->normal[i][j]));
            most = fmax(most, fabs(a->normal[i][j] - b->normal[i][j]) / scale);
            most = fmax(most, fabs(a->point_a[i][j] - b->point_a[i][j]) / scale);
            most = fmax(most, fabs(a->point_b[i][j] - b->point_b[i][j]) / scale);
        }
    }
    return most;
}

// How many pairs the exact derivative gets wrong by the best of three differences, of those to be judged.
static int wrong_ones(question* q, int* out_judged) {
    static const double increment[3] = {1e-4, 1e-5, 1e-6};
    int wrong = 0;
    for (int i = 0; i < PAIRS; ++i) {
        q->options = ts_derivative_options_default();
        run_derivative(q, i);
        ts_proximity_derivative exact = q->derivative;
        const ts_derivative_certificate* c = &exact.certificate;
        if (c->flags || c->room < 1e-2 || c->turn < 1e-2 || c->curvature < 1e-3 || c->crossing < 1e-2) continue;
        ++*out_judged;
        double least = (double)INFINITY;
        for (int k = 0; k < 3; ++k) {
            q->options.method = TS_DERIVATIVE_DIFFERENCE;
            q->options.increment = increment[k];
            run_derivative(q, i);
            least = fmin(least, most_apart(&exact, &q->derivative));
        }
        wrong += !(least <= 1e-4);
    }
    return wrong;
}

static ts_derivative_options options_of(ts_derivative_method method, int count) {
    ts_derivative_options options = ts_derivative_options_default();
    options.method = method;
    options.samples = count;
    options.rings = count;
    options.variance = TS_DERIVATIVE_BASELINE;
    return options;
}

// Every pair of kinds.
static int compare_kinds(const ts_bench_options* options, ts_bench_report* report, const ts_hull* hull) {
    ts_bench_table* table =
        ts_bench_add_table(report, "derivative-kinds", "Time of one derivative, 1 cm apart and 1 cm deep, one thread");
    static const char* const head[] = {"query",       "exact", "gumbel, 1 ring", "gaussian-1, M = 20",
                                       "differences", "ratio"};
    static const ts_derivative_method method[4] = {TS_DERIVATIVE_EXACT, TS_DERIVATIVE_GUMBEL, TS_DERIVATIVE_GAUSSIAN_1,
                                                   TS_DERIVATIVE_DIFFERENCE};
    static question q[METHODS];
    int wrong = 0, judged = 0;
    ts_bench_add_column(table, "A", "");
    ts_bench_add_column(table, "B", "");
    for (int k = 0; k < 6; ++k) ts_bench_add_column(table, head[k], k < 5 ? "ns" : "");
    for (int a = 0; a < KINDS; ++a)
        for (int b = a > 0 ? a : 1; b < KINDS; ++b) {
            fill_kinds(&q[0], (ts_shape_kind)a, (ts_shape_kind)b, hull, options->seed);
            wrong += wrong_ones(&q[0], &judged);
            ts_bench_contestant c[METHODS] = {{"query", run_query, &q[0]}};
            for (int m = 1; m < METHODS; ++m) {
                q[m] = q[0];
                q[m].options = options_of(method[m - 1], method[m - 1] == TS_DERIVATIVE_GUMBEL ? 1 : 20);
                c[m] = (ts_bench_contestant){head[m], run_derivative, &q[m]};
            }
            ts_bench_timing timing[METHODS];
            ts_bench_time(report, options, &(ts_bench_race){c, METHODS, PAIRS, 0, 0.0}, timing, NULL);
            ts_bench_row(table);
            ts_bench_text(table, "%s", ts_shape_kind_name((ts_shape_kind)a));
            ts_bench_text(table, "%s", ts_shape_kind_name((ts_shape_kind)b));
            for (int m = 0; m < METHODS; ++m) ts_bench_number(table, timing[m].median);
            ts_bench_number(table, timing[4].median / timing[1].median);
            if (ts_bench_progress(report, a, KINDS)) return TS_BENCH_STOPPED;
        }
    ts_bench_note(
        report, "%d of %d exact derivatives that have room agree with differences to 1e-4; ratio: differences / exact.",
        judged - wrong, judged);
    return wrong ? TS_BENCH_WRONG : TS_BENCH_DONE;
}

// The rows of Table II.
static const struct {
    ts_derivative_method method;
    int count;
    const char *name, *paper_deep, *paper_apart;
} rows[] = {
    {TS_DERIVATIVE_EXACT, 0, "exact", "-", "-"},
    {TS_DERIVATIVE_DIFFERENCE, 12, "differences, M = 12", "78", "11"},
    {TS_DERIVATIVE_GAUSSIAN_0, 10, "gaussian-0, M = 10", "65", "9"},
    {TS_DERIVATIVE_GAUSSIAN_0, 20, "gaussian-0, M = 20", "122", "17"},
    {TS_DERIVATIVE_GAUSSIAN_0, 50, "gaussian-0, M = 50", "338", "47"},
    {TS_DERIVATIVE_GAUSSIAN_0, 100, "gaussian-0, M = 100", "613", "86"},
    {TS_DERIVATIVE_GAUSSIAN_1, 10, "gaussian-1, M = 10", "4.8", "3.1"},
    {TS_DERIVATIVE_GAUSSIAN_1, 20, "gaussian-1, M = 20", "8.9", "5.8"},
    {TS_DERIVATIVE_GAUSSIAN_1, 50, "gaussian-1, M = 50", "22", "15"},
    {TS_DERIVATIVE_GAUSSIAN_1, 100, "gaussian-1, M = 100", "42", "27"},
    {TS_DERIVATIVE_GUMBEL, 1, "gumbel, 1 ring", "1.7", "1.6"},
    {TS_DERIVATIVE_GUMBEL, 3, "gumbel, 3 rings", "4.1", "3.9"},
    {TS_DERIVATIVE_GUMBEL, 5, "gumbel, 5 rings", "9.6", "9.7"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void time_rows(const ts_bench_options* options, ts_bench_report* report, const question* at,
                      double out_us[ROWS]) {
    static question q[ROWS];
    ts_bench_contestant c[ROWS];
    ts_bench_timing timing[ROWS];
    for (int k = 0; k < ROWS; ++k) {
        q[k] = *at;
        q[k].options = options_of(rows[k].method, rows[k].count);
        c[k] = (ts_bench_contestant){rows[k].name, run_derivative, &q[k]};
    }
    ts_bench_time(report, options, &(ts_bench_race){c, ROWS, PAIRS, 0, 0.0}, timing, NULL);
    for (int k = 0; k < ROWS; ++k) out_us[k] = 1e-3 * timing[k].median;
}

static void compare_hulls(const ts_bench_options* options, ts_bench_report* report, ts_hull* const* hull, int hulls) {
    static question q;
    double us[2][ROWS];
    for (int apart = 0; apart < 2; ++apart) {
        ts_rng rng = ts_rng_make(options->seed, 9500);
        for (int i = 0; i < PAIRS; ++i) {
            q.a[i] = ts_shape_hull(hull[(int)ts_rng_uniform_in(&rng, 0.0, hulls)]);
            q.b[i] = ts_shape_hull(hull[(int)ts_rng_uniform_in(&rng, 0.0, hulls)]);
            q.pose_a[i] = ts_bench_random_place(&rng, 0.1);
            q.pose_b[i] = ts_bench_random_place(&rng, 0.6);
            place_near(&q, i, apart ? 0.01 : -0.01);
        }
        time_rows(options, report, &q, us[apart]);
    }
    ts_bench_table* table = ts_bench_add_table(report, "derivative-hulls",
                                               "Time of one derivative of two hulls, beside the paper's Table II");
    static const char* const head[] = {"deep", "deep, paper", "apart", "apart, paper"};
    ts_bench_add_column(table, "derivative", "");
    for (int k = 0; k < 4; ++k) ts_bench_add_column(table, head[k], "us");
    for (int k = 0; k < ROWS; ++k) {
        ts_bench_row(table);
        ts_bench_text(table, "%s", rows[k].name);
        ts_bench_number(table, us[0][k]);
        ts_bench_text(table, "%s", rows[k].paper_deep);
        ts_bench_number(table, us[1][k]);
        ts_bench_text(table, "%s", rows[k].paper_apart);
    }
}

int ts_bench_derivative_collision(const ts_bench_options* options, ts_bench_report* report) {
    ts_hull* hull[YCB_MOST] = {NULL};
    int count = ts_bench_ycb_hulls(options->data_folder, hull, YCB_MOST), ycb = count;
    if (count == 0) hull[count++] = ts_bench_hull_on_ellipsoid(ts_vec3_make(0.3, 0.2, 0.25), 200, options->seed, 9300);
    ts_hull* small = ts_bench_hull_on_ellipsoid(ts_vec3_make(0.3, 0.2, 0.25), 32, options->seed, 9301);
    int result = TS_BENCH_DONE;
    if (!hull[0] || !small) {
        result = ts_bench_fail(report, "a hull could not be made");
    } else {
        result = compare_kinds(options, report, small);
        if (result <= TS_BENCH_WRONG) compare_hulls(options, report, hull, count);
        ts_bench_note(report, "The hulls beside Table II are %s.",
                      ycb ? "YCB's" : "one of 200 random points on an ellipsoid: TOUCHSTONE_DATA has YCB's");
    }
    for (int k = 0; k < count; ++k) ts_hull_free(hull[k]);
    ts_hull_free(small);
    return result;
}
