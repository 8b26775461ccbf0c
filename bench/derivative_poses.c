// Poses in which two given points touch, found by derivatives of collision detection: what Montaut, Le Lidec, Bambade, Petrik, Sivic and
// Carpentier (Differentiable collision detection: a randomized smoothing approach, ICRA 2023) measure in their Table I.
//
// Pairs of polyhedra with 12 corners (a regular icosahedron's, stretched by 0.05 to 0.15 m along each axis), for each pair targets: a
// corner of either. Wanted is a pose of B in A whose witness points are the targets and touch: the residuals x1 - x1d, x2 - x2d (a
// target that moves with B) and x1 - x2, nine numbers. Gauss-Newton with damping 1e-6 of the trace, Armijo's rule with 1e-4 and up to
// 20 halvings, 50 iterations, from a random pose. Targets are corners because the witness of a polytope in general
// position is one: a point within a face can only be met while faces are parallel.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/rng.h"
#include "bench/derivative_parts.h"
#include "bench/stopwatch.h"
#include "bench/workload.h"
#include "collision/derivative/proximity_derivative.h"

enum { ITERATIONS = 50, HALVINGS = 20, RESIDUALS = 9, WAYS = 9, PAIRS_MOST = 100 };

// One way to differentiate, and how its scale changes with the iterations.
typedef struct way {
    const char* name;
    double first, factor, least;                    // increment, spread or temperature: max(first * factor^k, least)
    enum { AS_IT_IS, OVER_DISTANCE, METRES } unit;  // a temperature's: of the size; over the distance, as printed; m
    ts_derivative_method method;
    int count;  // samples, or rings
    int tries;  // temperatures tried in an iteration, each four times the last; the best counts
} way;

static const way ways[WAYS] = {
    {"differences, 1e-6", 1e-6, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_DIFFERENCE, 0, 1},
    {"differences, 1e-3", 1e-3, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_DIFFERENCE, 0, 1},
    {"gaussian-0, M = 50, 1e-2", 1e-2, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_0, 50, 1},
    {"gaussian-1, M = 20, 1e-3", 1e-3, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_1, 20, 1},
    {"gaussian-1, M = 20, 1e-1", 1e-1, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_1, 20, 1},
    {"gumbel, 1 ring, 1e-4 / distance", 1e-4, 1.0, 0.0, OVER_DISTANCE, TS_DERIVATIVE_GUMBEL, 1, 1},
    {"gumbel, 1 ring, 1e-2 m", 1e-2, 1.0, 0.0, METRES, TS_DERIVATIVE_GUMBEL, 1, 1},
    {"gumbel, 1 ring, falling to 2e-3 m", 0.05, 0.9, 2e-3, METRES, TS_DERIVATIVE_GUMBEL, 1, 1},
    {"gumbel, falling, best of 3", 0.05, 0.9, 2e-3, METRES, TS_DERIVATIVE_GUMBEL, 1, 3},
};

// A pair with its targets, and where the search stands.
typedef struct problem {
    ts_shape a, b;
    ts_vec3 target_a, target_b;  // in their own frames
    ts_transform start;          // of B in A
} problem;

static ts_vec3 random_direction(ts_rng* rng) {
    double x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    return ts_vec3_unit_or(ts_vec3_make(x, y, z), ts_vec3_axis(0));
}

static ts_hull* stretched_icosahedron(ts_rng* rng) {
    double a = ts_rng_uniform_in(rng, 0.05, 0.15), b = ts_rng_uniform_in(rng, 0.05, 0.15),
           c = ts_rng_uniform_in(rng, 0.05, 0.15);
    const double golden = 1.6180339887498949, unit = 1.0 / sqrt(1.0 + golden * golden);
    ts_vec3 corner[12];
    for (int k = 0; k < 12; ++k) {
        double s = (k & 1 ? 1.0 : -1.0) * unit, g = (k & 2 ? golden : -golden) * unit;
        int axis = k / 4;
        double v[3];
        v[axis] = 0.0;
        v[(axis + 1) % 3] = s;
        v[(axis + 2) % 3] = g;
        corner[k] = ts_vec3_make(a * v[0], b * v[1], c * v[2]);
    }
    ts_hull* hull = NULL;
    return ts_hull_build(corner, 12, &hull, NULL) == TS_OK ? hull : NULL;
}

static problem random_problem(ts_rng* rng, const ts_hull* a, const ts_hull* b) {
    problem p;
    p.a = ts_shape_hull(a);
    p.b = ts_shape_hull(b);
    p.target_a = a->vertex[(int)ts_rng_uniform_in(rng, 0.0, a->vertex_count)];
    p.target_b = b->vertex[(int)ts_rng_uniform_in(rng, 0.0, b->vertex_count)];
    double w = ts_rng_normal(rng), x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    p.start.R = ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(w, x, y, z)));
    p.start.p = ts_vec3_scale(ts_rng_uniform_in(rng, 0.0, 0.4), random_direction(rng));
    return p;
}

// The residuals, and half their squared norm. The answer stays in *out_found.
static double cost_at(const problem* p, const ts_transform* pose, ts_proximity* out_found,
                      double out_residual[RESIDUALS]) {
    ts_transform here = ts_transform_identity();
    ts_proximity_query(&p->a, &here, &p->b, pose, NULL, NULL, out_found);
    ts_vec3 x1 = out_found->found.point_a, x2 = out_found->found.point_b;
    ts_vec3_store(ts_vec3_sub(x1, p->target_a), out_residual);
    ts_vec3_store(ts_vec3_sub(x2, ts_transform_point(pose, p->target_b)), out_residual + 3);
    ts_vec3_store(ts_vec3_sub(x1, x2), out_residual + 6);
    double sum = 0.0;
    for (int i = 0; i < RESIDUALS; ++i) sum += out_residual[i] * out_residual[i];
    return 0.5 * sum;
}

static double half_diagonal(const ts_shape* shape) {
    return 0.5 * ts_vec3_distance(shape->hull->box_min, shape->hull->box_max);
}

static ts_derivative_options options_of(const way* w, const problem* p, const ts_proximity* found, int iteration) {
    ts_derivative_options options = ts_derivative_options_default();
    double scale = fmax(w->first * pow(w->factor, iteration), w->least);
    options.method = w->method;
    options.increment = options.spread = scale;
    options.samples = w->count;
    options.rings = w->count;
    options.variance = TS_DERIVATIVE_BASELINE;
    options.seed = (uint64_t)iteration + 1;
    if (w->unit == OVER_DISTANCE) scale /= fmax(fabs(found->distance), 1e-12);
    options.temperature = w->unit == AS_IT_IS ? scale : scale / fmax(half_diagonal(&p->a), half_diagonal(&p->b));
    return options;
}

// The Jacobian of the residuals by B's twist in its own axes.
static void jacobian_at(const problem* p, const ts_transform* pose, const ts_proximity* found,
                        const ts_derivative_options* options, double J[RESIDUALS][6]) {
    ts_transform here = ts_transform_identity();
    ts_proximity_derivative d;
    ts_proximity_differentiate(&p->a, &here, &p->b, pose, found, options, &d);
    for (int j = 0; j < 6; ++j) {
        // The target of B moves with it.
        ts_vec3 axis = ts_vec3_axis(j % 3), local = j < 3 ? axis : ts_vec3_cross(axis, p->target_b);
        ts_vec3 carried = ts_mat3_mul_vec(&pose->R, local);
        for (int i = 0; i < 3; ++i) {
            J[i][j] = d.point_a[i][j];
            J[3 + i][j] = d.point_b[i][j] - ts_vec3_get(carried, i);
            J[6 + i][j] = d.point_a[i][j] - d.point_b[i][j];
        }
    }
}

// The Gauss-Newton step; returns its slope on the cost (negative), 0 where there is none.
static double gauss_newton(double J[RESIDUALS][6], const double r[RESIDUALS], double out_step[6]) {
    double A[6][6], gradient[6], trace = 0.0, slope = 0.0;
    for (int i = 0; i < 6; ++i) {
        gradient[i] = 0.0;
        for (int k = 0; k < RESIDUALS; ++k) gradient[i] += J[k][i] * r[k];
        for (int j = 0; j < 6; ++j) {
            A[i][j] = 0.0;
            for (int k = 0; k < RESIDUALS; ++k) A[i][j] += J[k][i] * J[k][j];
        }
        trace += A[i][i];
    }
    if (!(trace > 0.0) || !isfinite(trace)) return 0.0;
    for (int i = 0; i < 6; ++i) A[i][i] += 1e-6 * trace;
    if (!ts_cholesky_factor(&A[0][0], 6, 6)) return 0.0;
    for (int i = 0; i < 6; ++i) out_step[i] = -gradient[i];
    ts_cholesky_solve(&A[0][0], 6, 6, out_step);
    for (int i = 0; i < 6; ++i) slope += gradient[i] * out_step[i];
    return slope;
}

static ts_transform moved_by(const ts_transform* pose, const double step[6], double share) {
    ts_vec3 turn = ts_vec3_scale(share, ts_vec3_load(step + 3));
    double angle = ts_vec3_norm(turn);
    ts_transform moved = *pose;
    moved.p = ts_transform_point(pose, ts_vec3_scale(share, ts_vec3_load(step)));
    if (angle > 0.0)
        moved.R =
            ts_mat3_mul(pose->R, ts_quat_to_mat3(ts_quat_from_axis_angle(ts_vec3_scale(1.0 / angle, turn), angle)));
    return moved;
}

// One iteration; returns the new cost, which is no larger.
static double iterate(const problem* p, const ts_derivative_options* options, ts_transform* io_pose, double cost,
                      ts_proximity* io_found, double io_residual[RESIDUALS]) {
    double J[RESIDUALS][6], step[6];
    jacobian_at(p, io_pose, io_found, options, J);
    double slope = gauss_newton(J, io_residual, step), share = 1.0;
    if (!(slope < 0.0)) return cost;
    for (int half = 0; half <= HALVINGS; ++half, share *= 0.5) {
        ts_transform moved = moved_by(io_pose, step, share);
        ts_proximity found;
        double residual[RESIDUALS], now = cost_at(p, &moved, &found, residual);
        if (!(now <= cost + 1e-4 * share * slope)) continue;
        *io_pose = moved;
        *io_found = found;
        memcpy(io_residual, residual, sizeof residual);
        return now;
    }
    return cost;
}

// The cost after every iteration.
static void search(const way* w, const problem* p, double out_cost[ITERATIONS + 1]) {
    ts_transform pose = p->start;
    ts_proximity found;
    double residual[RESIDUALS], cost = cost_at(p, &pose, &found, residual);
    out_cost[0] = cost;
    for (int k = 0; k < ITERATIONS; ++k) {
        ts_derivative_options options = options_of(w, p, &found, k);
        const ts_transform from = pose;
        const ts_proximity before = found;
        double off[RESIDUALS];
        memcpy(off, residual, sizeof off);
        for (int t = 0; t < w->tries; ++t, options.temperature *= 4.0) {
            ts_transform at = from;
            ts_proximity answer = before;
            double r[RESIDUALS];
            memcpy(r, off, sizeof r);
            double now = iterate(p, &options, &at, out_cost[k], &answer, r);
            if (t > 0 && !(now < cost)) continue;
            cost = now;
            pose = at;
            found = answer;
            memcpy(residual, r, sizeof r);
        }
        out_cost[k + 1] = cost;
    }
}

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// What a way did on all problems.
typedef struct outcome {
    double* last;                // (problems) the terminal costs
    double* at[ITERATIONS + 1];  // (problems) the costs after so many iterations
    double upper_quartile[ITERATIONS + 1];
    double seconds;
} outcome;

static double quantile_of(double* sorted, int count, double share) { return sorted[(int)(share * (count - 1))]; }

static void add_row(ts_bench_table* table, const way* w, outcome* o, int problems) {
    static const double share[5] = {0.1, 0.25, 0.5, 0.75, 0.9};
    int solved = 0;
    for (int i = 0; i < problems; ++i) solved += o->last[i] <= 1e-12;
    qsort(o->last, (size_t)problems, sizeof(double), by_size);
    ts_bench_row(table);
    ts_bench_text(table, "%s", w->name);
    for (int q = 0; q < 5; ++q) ts_bench_number(table, quantile_of(o->last, problems, share[q]));
    ts_bench_number(table, 100.0 * solved / problems);
    ts_bench_number(table, 1e6 * o->seconds / (ITERATIONS * (double)problems));
}

// Runs a way on all problems. Returns nonzero when asked to stop.
static int run_way(const way* w, const problem* problems, int count, ts_bench_report* report, outcome* out) {
    double cost[ITERATIONS + 1];
    int number = (int)(w - ways);
    for (int i = 0; i < count; ++i) {
        ts_stopwatch watch = ts_stopwatch_begin();
        search(w, &problems[i], cost);
        out->seconds += ts_stopwatch_seconds(watch);
        for (int k = 0; k <= ITERATIONS; ++k) out->at[k][i] = cost[k];
        out->last[i] = cost[ITERATIONS];
        if (i % 100 == 0 && ts_bench_progress(report, number * count + i, WAYS * count)) return 1;
    }
    for (int k = 0; k <= ITERATIONS; ++k) {
        qsort(out->at[k], (size_t)count, sizeof(double), by_size);
        out->upper_quartile[k] = quantile_of(out->at[k], count, 0.75);
    }
    return 0;
}

static void draw(ts_bench_report* report, const outcome* o) {
    double x[ITERATIONS + 1], y[ITERATIONS + 1];
    ts_bench_figure* f = ts_bench_add_figure(report, "poses-progress", "Upper quartile of the cost",
                                             (ts_bench_axis){"iteration", "", TS_BENCH_LINEAR},
                                             (ts_bench_axis){"cost", "m^2", TS_BENCH_LOG});
    for (int w = 0; w < WAYS; ++w) {
        for (int k = 0; k <= ITERATIONS; ++k) {
            x[k] = k;
            y[k] = fmax(o[w].upper_quartile[k], 1e-34);
        }
        ts_bench_add_curve(f, ways[w].name, x, y, ITERATIONS + 1);
    }
}

// Problems: each pair with its targets. The hulls are the caller's to free.
static int make_problems(const ts_bench_options* options, int pairs, int targets, ts_hull** out_hull, problem* out) {
    for (int i = 0; i < pairs; ++i) {
        ts_rng rng = ts_rng_make(options->seed, 9000u + (unsigned)i);
        out_hull[2 * i] = stretched_icosahedron(&rng);
        out_hull[2 * i + 1] = stretched_icosahedron(&rng);
        if (!out_hull[2 * i] || !out_hull[2 * i + 1]) return 0;
        for (int k = 0; k < targets; ++k)
            out[i * targets + k] = random_problem(&rng, out_hull[2 * i], out_hull[2 * i + 1]);
    }
    return 1;
}

static ts_bench_table* add_table(ts_bench_report* report, int pairs, int targets) {
    char title[160];
    static const char* const head[5] = {"D1", "Q1", "median", "Q3", "D9"};
    snprintf(title, sizeof title,
             "Cost after %d iterations of Gauss-Newton: %d pairs of 12-corner polyhedra, %d targets each",
             (int)ITERATIONS, pairs, targets);
    ts_bench_table* table = ts_bench_add_table(report, "poses", title);
    ts_bench_add_column(table, "derivative", "");
    for (int q = 0; q < 5; ++q) ts_bench_add_column(table, head[q], "m^2");
    ts_bench_add_column(table, "to 1e-12", "%");
    ts_bench_add_column(table, "time", "us / iteration");
    return table;
}

// --- the cost as it falls: Fig. 3 and 5 on real meshes, Fig. 6 with more and less noise ---

enum { PROGRESS_MOST = 500, YCB_MOST = 64 };

static const way mesh_ways[] = {
    {"differences, 1e-6", 1e-6, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_DIFFERENCE, 0, 1},
    {"differences, 1e-3", 1e-3, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_DIFFERENCE, 0, 1},
    {"gaussian-0, M = 50, 1e-2", 1e-2, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_0, 50, 1},
    {"gaussian-1, M = 20, 1e-1", 1e-1, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_1, 20, 1},
    {"gumbel, 3 rings, falling to 2e-4 m", 0.05, 0.8, 2e-4, METRES, TS_DERIVATIVE_GUMBEL, 3, 1},
};

static const way noise_ways[] = {
    {"gaussian-0, M = 50, 1e-1", 1e-1, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_0, 50, 1},
    {"gaussian-0, M = 50, 1e-2", 1e-2, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_0, 50, 1},
    {"gaussian-0, M = 50, 1e-3", 1e-3, 1.0, 0.0, AS_IT_IS, TS_DERIVATIVE_GAUSSIAN_0, 50, 1},
    {"gumbel, 1 ring, 1e-1 m", 1e-1, 1.0, 0.0, METRES, TS_DERIVATIVE_GUMBEL, 1, 1},
    {"gumbel, 1 ring, 1e-2 m", 1e-2, 1.0, 0.0, METRES, TS_DERIVATIVE_GUMBEL, 1, 1},
    {"gumbel, 1 ring, 1e-3 m", 1e-3, 1.0, 0.0, METRES, TS_DERIVATIVE_GUMBEL, 1, 1},
};

static ts_bench_table* add_progress_table(ts_bench_report* report, const char* stem, const char* title) {
    static const int shown[4] = {5, 10, 20, 50};
    char head[32];
    ts_bench_table* table = ts_bench_add_table(report, stem, title);
    ts_bench_add_column(table, "derivative", "");
    for (int q = 0; q < 4; ++q) {
        snprintf(head, sizeof head, "after %d", shown[q]);
        ts_bench_add_column(table, head, "m^2");
    }
    ts_bench_add_column(table, "to 1e-12", "%");
    return table;
}

// The median cost by iteration: a table and a figure.
static int show_progress(const char* stem, const char* title, const way* list, int list_count, const problem* problems,
                         int count, ts_bench_report* report) {
    static double at[ITERATIONS + 1][PROGRESS_MOST];
    double x[ITERATIONS + 1], y[ITERATIONS + 1], cost[ITERATIONS + 1];
    ts_bench_table* table = add_progress_table(report, stem, title);
    ts_bench_figure* f = ts_bench_add_figure(report, stem, title, (ts_bench_axis){"iteration", "", TS_BENCH_LINEAR},
                                             (ts_bench_axis){"cost, median", "m^2", TS_BENCH_LOG});
    for (int w = 0; w < list_count; ++w) {
        int solved = 0;
        for (int i = 0; i < count; ++i) {
            search(&list[w], &problems[i], cost);
            solved += cost[ITERATIONS] <= 1e-12;
            for (int k = 0; k <= ITERATIONS; ++k) at[k][i] = cost[k];
            if (i % 20 == 0 && ts_bench_progress(report, w * count + i, list_count * count)) return TS_BENCH_STOPPED;
        }
        for (int k = 0; k <= ITERATIONS; ++k) {
            qsort(at[k], (size_t)count, sizeof(double), by_size);
            x[k] = k;
            y[k] = fmax(quantile_of(at[k], count, 0.5), 1e-34);
        }
        ts_bench_add_curve(f, list[w].name, x, y, ITERATIONS + 1);
        ts_bench_row(table);
        ts_bench_text(table, "%s", list[w].name);
        ts_bench_number(table, y[5]);
        ts_bench_number(table, y[10]);
        ts_bench_number(table, y[20]);
        ts_bench_number(table, y[50]);
        ts_bench_number(table, 100.0 * solved / count);
    }
    return TS_BENCH_DONE;
}

static int show_meshes(const ts_bench_options* options, ts_bench_report* report) {
    static problem problems[PROGRESS_MOST];
    ts_hull* hull[YCB_MOST] = {NULL};
    ts_rng rng = ts_rng_make(options->seed, 9200);
    int hulls = ts_bench_ycb_hulls(options->data_folder, hull, YCB_MOST), count = options->quick ? 4 : 100;
    if (hulls == 0) {
        ts_bench_note(report, "Fig. 3 and 5 need YCB's hulls: TOUCHSTONE_DATA names no folder with them.");
        return TS_BENCH_DONE;
    }
    for (int i = 0; i < count; ++i) {
        const ts_hull* a = hull[(int)ts_rng_uniform_in(&rng, 0.0, hulls)];
        problems[i] = random_problem(&rng, a, hull[(int)ts_rng_uniform_in(&rng, 0.0, hulls)]);
    }
    int result = show_progress("poses-ycb", "Median cost on pairs of YCB's hulls (Fig. 3 and 5)", mesh_ways,
                               (int)(sizeof mesh_ways / sizeof *mesh_ways), problems, count, report);
    for (int i = 0; i < hulls; ++i) ts_hull_free(hull[i]);
    return result;
}

static int show_noise(const problem* problems, int count, ts_bench_report* report) {
    return show_progress("poses-noise", "Median cost with more and less noise (Fig. 6)", noise_ways,
                         (int)(sizeof noise_ways / sizeof *noise_ways), problems,
                         count < PROGRESS_MOST ? count : PROGRESS_MOST, report);
}

int ts_bench_derivative_poses(const ts_bench_options* options, ts_bench_report* report) {
    int pairs = options->quick ? 10 : PAIRS_MOST, targets = options->quick ? 5 : 100, count = pairs * targets;
    problem* problems = (problem*)calloc((size_t)count, sizeof *problems);
    ts_hull* hull[2 * PAIRS_MOST] = {NULL};
    outcome outcomes[WAYS] = {{0}};
    double* numbers = (double*)calloc((ITERATIONS + 2) * (size_t)count, sizeof *numbers);
    int result = TS_BENCH_DONE;
    if (!problems || !numbers)
        result = ts_bench_fail(report, "out of memory");
    else if (!make_problems(options, pairs, targets, hull, problems))
        result = ts_bench_fail(report, "a hull could not be made");
    ts_bench_table* table = result == TS_BENCH_DONE ? add_table(report, pairs, targets) : NULL;
    ts_bench_figure* f =
        ts_bench_add_figure(report, "poses", "Problems by terminal cost", (ts_bench_axis){"cost", "m^2", TS_BENCH_LOG},
                            (ts_bench_axis){"part of the problems", "", TS_BENCH_LINEAR});
    for (int w = 0; w < WAYS && result == TS_BENCH_DONE; ++w) {
        outcome* o = &outcomes[w];
        o->last = numbers;
        for (int k = 0; k <= ITERATIONS; ++k) o->at[k] = numbers + (size_t)(k + 1) * (size_t)count;
        if (run_way(&ways[w], problems, count, report, o)) result = TS_BENCH_STOPPED;
        add_row(table, &ways[w], o, count);
        for (int i = 0; i < count; ++i) o->last[i] = fmax(o->last[i], 1e-36);
        ts_bench_add_distribution(f, ways[w].name, o->last, count);
    }
    if (result == TS_BENCH_DONE) draw(report, outcomes);
    if (result == TS_BENCH_DONE) result = show_noise(problems, count, report);
    if (result == TS_BENCH_DONE) result = show_meshes(options, report);
    for (int i = 0; i < 2 * pairs; ++i) ts_hull_free(hull[i]);
    free(problems);
    free(numbers);
    ts_bench_note(
        report,
        "Targets are corners. Temperatures are of unit normals: in metres, or, as printed, of normals as long as the "
        "distance.");
    return result;
}
