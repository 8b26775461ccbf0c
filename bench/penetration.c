// Incremental penetration depth beside EPA: the experiments of Gao, "Efficient Incremental Penetration Depth Estimation
// between Convex Geometries".
//
// Pairs of balls and capsules of one metre at random overlapping poses, then a capsule against a polyhedral ball of ever
// more vertices. The search starts from the true normal turned by a given angle about a random axis across it, and asks
// for the whole shapes' supports, balls included, as the paper does; so does libccd. The truth is the closed form for the
// round pairs and certified bounds for the others. Times are of the whole query, relative pose included.
#include "bench/bench.h"
#include "bench/bench_list.h"
#include "bench/peer.h"

#include "base/rng.h"
#include "base/scalar.h"
#include "collision/distance/penetration/penetration.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static const double search_tolerance = 1e-6;  // m, of the search, as published
static const double wrong_above = 1e-4;       // m
static const double shallow_below = 1e-9;     // m: an answer that much below the truth under-estimates
static const double paper_error = 2e-6;  // m: what "the same accuracy" means, from the paper's Table I (0.4 to 1.7 um)

enum { MOST_WAYS = 24, SIZES = 8 };

// Pairs, the truth about them, and unit normals in A's frame to start from.
typedef struct question_set {
    ts_bench_pair* pair;
    ts_vec3* normal;
    int count;
} question_set;

// One way to answer, and its last answer.
typedef struct way {
    char name[64];
    char note[32];
    double degrees;  // of the start; NAN when there is none
    // the search
    ts_penetration_settings settings;
    ts_vec3* start;
    const question_set* set;
    ts_penetration_result found;
    // a peer
    ts_bench_solver solver;
    void* prepared;
    // what came of it
    double mean_error, worst_error;  // m, over answers that are not wrong
    int wrong, shallow;
    double supports, rays;
    int most_rays;
} way;

static ts_vec3 random_direction(ts_rng* rng) {
    double x = ts_rng_normal(rng), y = ts_rng_normal(rng);
    return ts_vec3_unit_or(ts_vec3_make(x, y, ts_rng_normal(rng)), ts_vec3_axis(0));
}

static ts_transform random_pose(ts_rng* rng, double reach) {
    ts_transform pose;
    double w = ts_rng_normal(rng), x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    pose.R = ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(w, x, y, z)));
    x = ts_rng_uniform_in(rng, -reach, reach);
    y = ts_rng_uniform_in(rng, -reach, reach);
    pose.p = ts_vec3_make(x, y, ts_rng_uniform_in(rng, -reach, reach));
    return pose;
}

// `count` random poses of a pair that overlap by more than a millimetre.
static int make_set(ts_shape a, ts_shape b, int count, uint64_t seed, question_set* out) {
    ts_rng rng = ts_rng_make(seed, 77);
    out->count = count;
    out->pair = (ts_bench_pair*)calloc((size_t)count, sizeof *out->pair);
    out->normal = (ts_vec3*)calloc((size_t)count, sizeof *out->normal);
    if (!out->pair || !out->normal) return 0;
    for (int i = 0; i < count;) {
        ts_bench_pair* p = &out->pair[i];
        p->a = a;
        p->b = b;
        p->pose_a = random_pose(&rng, 1.0);
        p->b_in_a = random_pose(&rng, 1.5);
        p->pose_b = ts_transform_mul(&p->pose_a, &p->b_in_a);
        ts_proximity truth;
        ts_proximity_query(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &truth);
        if (!(truth.found.upper < -1e-3)) continue;
        p->lower = truth.found.lower;
        p->upper = truth.found.upper;
        p->distance = truth.distance;
        out->normal[i++] = ts_transform_direction_inverse(&p->pose_a, truth.found.normal);
    }
    return 1;
}

static void free_set(question_set* set) {
    free(set->pair);
    free(set->normal);
}

// --- the ways -----------------------------------------------------------------------------------------------------------

static void run_search(void* context, int query) {
    way* w = (way*)context;
    const ts_bench_pair* p = &w->set->pair[query];
    ts_shape_pair asked = ts_shape_pair_make(&p->a, &p->pose_a, &p->b, &p->pose_b);
    ts_penetration_incremental(&asked, w->start[query], &w->settings, NULL, &w->found);
}

static void run_peer(void* context, int query) {
    way* w = (way*)context;
    w->solver.run(w->prepared, query);
}

static void turned_starts(const question_set* set, double degrees, uint64_t seed, ts_vec3* out) {
    ts_rng rng = ts_rng_make(seed, 78);
    double angle = degrees * TS_PI / 180.0;
    for (int i = 0; i < set->count; ++i) {
        ts_vec3 n = set->normal[i];
        ts_vec3 side = ts_vec3_unit_or(ts_vec3_cross(n, random_direction(&rng)), ts_vec3_axis(0));
        out[i] = ts_vec3_add_scaled(ts_vec3_scale(cos(angle), n), sin(angle), side);
    }
}

typedef struct way_list {
    way way[MOST_WAYS];
    int count;
} way_list;

typedef enum manner { CURVED, PUBLISHED, NO_SHORTCUT } manner;

static void add_search(way_list* list, const question_set* set, manner how, double degrees, uint64_t seed) {
    static const char* const name[] = {"incremental", "incremental as published", "published, no shortcut"};
    if (list->count == MOST_WAYS) return;
    way* w = &list->way[list->count];
    memset(w, 0, sizeof *w);
    snprintf(w->name, sizeof w->name, "%s", name[how]);
    snprintf(w->note, sizeof w->note, "1e-6 m");
    w->degrees = degrees;
    w->set = set;
    w->settings = ts_penetration_settings_default();
    w->settings.rounding = TS_PENETRATION_ROUNDED;
    w->settings.relative_tolerance = 0.0;
    w->settings.tolerance = search_tolerance;
    // Ours proves the overlap, as EPA does through GJK; the paper's takes it as given.
    if (how != CURVED) {
        w->settings.pace = TS_PENETRATION_PACE_PAPER;
        w->settings.proof = TS_PENETRATION_ASSUME_OVERLAP;
    }
    if (how == NO_SHORTCUT) w->settings.shortcut = TS_PENETRATION_NO_SHORTCUT;
    w->start = (ts_vec3*)malloc((size_t)set->count * sizeof *w->start);
    if (!w->start) return;
    turned_starts(set, degrees, seed, w->start);
    ++list->count;
}

// A peer's depth at a tolerance of our choosing (0: its own), if this build has it and it takes the pair.
static void add_peer(way_list* list, const question_set* set, const char* name, double tolerance) {
    if (list->count == MOST_WAYS) return;
    for (int i = 0; i < ts_bench_solver_count(); ++i) {
        const ts_bench_solver* s = ts_bench_solver_at(i);
        if (strcmp(s->name, name) != 0 || s->fragile) continue;
        if (!ts_bench_solver_takes(s, TS_BENCH_ASK_DEPTH, set->pair)) return;
        way* w = &list->way[list->count];
        memset(w, 0, sizeof *w);
        w->solver = *s;
        strncat(w->name, name, sizeof w->name - 1);
        strncat(w->note, s->note, sizeof w->note - 1);
        if (tolerance > 0.0) {
            w->solver.tolerance = tolerance;
            w->note[0] = 0;
            int exponent = (int)floor(log10(tolerance) + 0.5);
            snprintf(w->note, sizeof w->note, "EPA 1e-");
            w->note[7] = (char)('0' + -exponent / 10);
            w->note[8] = (char)('0' + -exponent % 10);
            w->note[9] = 0;
        }
        w->degrees = (double)NAN;
        w->set = set;
        w->prepared = w->solver.prepare(&w->solver, set->pair, set->count, TS_BENCH_ASK_DEPTH);
        if (w->prepared) ++list->count;
        return;
    }
}

static void free_ways(way_list* list) {
    for (int i = 0; i < list->count; ++i) {
        way* w = &list->way[i];
        free(w->start);
        if (w->prepared) w->solver.release(w->prepared);
    }
    list->count = 0;
}

// Errors of one way over all questions, before anybody is timed.
static void judge(way* w) {
    const question_set* set = w->set;
    int right = 0;
    for (int i = 0; i < set->count; ++i) {
        const ts_bench_pair* p = &set->pair[i];
        double answer;
        int failed = 0;
        if (w->start) {
            run_search(w, i);
            answer = w->found.found.lower;
            failed = w->found.status != TS_PENETRATION_CONVERGED;
            w->supports += (double)w->found.support_calls / set->count;
            w->rays += (double)w->found.outer / set->count;
            if (w->found.outer > w->most_rays) w->most_rays = w->found.outer;
        } else {
            run_peer(w, i);
            ts_bench_answer a = w->solver.answer(w->prepared);
            answer = a.distance;
            failed = a.failed;
        }
        double error = ts_bench_error(p, answer);
        w->shallow += answer > p->upper + shallow_below;
        if (failed || !(error <= wrong_above)) {
            ++w->wrong;
            continue;
        }
        ++right;
        w->mean_error += error;
        if (error > w->worst_error) w->worst_error = error;
    }
    w->mean_error = right ? w->mean_error / right : (double)NAN;
}

// The loosest of libccd's settings that is as accurate as the paper's EPA; -1 when there is none.
static int reference_of(const way_list* list) {
    int tightest = -1;
    for (int i = 0; i < list->count; ++i) {
        const way* w = &list->way[i];
        if (w->start || strncmp(w->name, "libccd", 6) != 0) continue;
        tightest = i;
        if (w->mean_error <= paper_error) return i;
    }
    return tightest;
}

static int time_ways(ts_bench_report* report, const ts_bench_options* options, way_list* list, ts_bench_timing* out) {
    ts_bench_contestant contestant[MOST_WAYS];
    for (int i = 0; i < list->count; ++i) {
        way* w = &list->way[i];
        contestant[i].name = w->name;
        contestant[i].run = w->start ? run_search : run_peer;
        contestant[i].context = w;
    }
    if (list->count == 0) return 0;
    ts_bench_time(report, options, &(ts_bench_race){contestant, list->count, list->way[0].set->count, 0, 0.0}, out,
                  NULL);
    return ts_bench_progress(report, -1.0, 1.0);
}

// --- tables -------------------------------------------------------------------------------------------------------------

static ts_bench_table* add_table(ts_bench_report* report, const char* stem, const char* title, const char* first) {
    ts_bench_table* t = ts_bench_add_table(report, stem, title);
    ts_bench_add_column(t, first, "");
    ts_bench_add_column(t, "method", "");
    ts_bench_add_column(t, "tolerance", "");
    ts_bench_add_column(t, "start off by", "deg");
    ts_bench_add_column(t, "wrong", "");
    ts_bench_add_column(t, "too shallow", "");
    ts_bench_add_column(t, "of", "");
    ts_bench_add_column(t, "mean error", "um");
    ts_bench_add_column(t, "max error", "um");
    ts_bench_add_column(t, "supports", "");
    ts_bench_add_column(t, "rays", "");
    ts_bench_add_column(t, "max rays", "");
    ts_bench_add_timing_columns(t);
    ts_bench_add_column(t, "libccd's time / this", "");
    return t;
}

static void add_rows(ts_bench_table* t, const char* label, const way_list* list, const ts_bench_timing* timing) {
    int reference = reference_of(list);
    for (int i = 0; i < list->count; ++i) {
        const way* w = &list->way[i];
        ts_bench_row(t);
        ts_bench_text(t, "%s", label);
        ts_bench_text(t, "%s", w->name);
        ts_bench_text(t, "%s", w->note);
        ts_bench_number(t, w->degrees);
        ts_bench_number(t, w->wrong);
        ts_bench_number(t, w->shallow);
        ts_bench_number(t, w->set->count);
        ts_bench_number(t, 1e6 * w->mean_error);
        ts_bench_number(t, 1e6 * w->worst_error);
        ts_bench_number(t, w->start ? w->supports : (double)NAN);
        ts_bench_number(t, w->start ? w->rays : (double)NAN);
        ts_bench_number(t, w->start ? w->most_rays : (double)NAN);
        ts_bench_timing_cells(t, &timing[i]);
        ts_bench_number(t, reference >= 0 ? timing[reference].median / timing[i].median : (double)NAN);
    }
}

// What the search may never do: give less than the depth, or not end.
static int ours_failed(const way_list* list) {
    int failed = 0;
    for (int i = 0; i < list->count; ++i) {
        const way* w = &list->way[i];
        if (w->start) failed |= w->shallow > 0 || w->most_rays >= w->settings.outer_limit;
    }
    return failed;
}

// Tables I and II of the paper.
static int round_pairs(const ts_bench_options* options, ts_bench_report* report, ts_bench_table* t) {
    static const char* const label[3] = {"ball, ball", "capsule, capsule", "ball, capsule"};
    static const double degrees[3] = {5.0, 25.0, 45.0};
    static const double tolerance[4] = {1e-6, 1e-8, 1e-10, 1e-12};
    ts_shape ball = ts_shape_sphere(0.5);
    ts_shape capsule = ts_shape_capsule(0.5, 0.5);
    ts_shape pair[3][2] = {{ball, ball}, {capsule, capsule}, {ball, capsule}};
    int result = TS_BENCH_DONE;
    for (int k = 0; k < 3; ++k) {
        question_set set;
        way_list list;
        ts_bench_timing timing[MOST_WAYS];
        list.count = 0;
        if (!make_set(pair[k][0], pair[k][1], options->quick ? 200 : 10000, options->seed + (uint64_t)k, &set)) {
            free_set(&set);
            return ts_bench_fail(report, "out of memory");
        }
        for (int p = CURVED; p <= NO_SHORTCUT; ++p)
            for (int i = 0; i < 3; ++i) add_search(&list, &set, (manner)p, degrees[i], options->seed);
        add_peer(&list, &set, "touchstone", 0.0);
        for (int i = 0; i < 4; ++i) add_peer(&list, &set, "libccd GJK, EPA", tolerance[i]);
        for (int i = 0; i < list.count; ++i) judge(&list.way[i]);
        int stopped = time_ways(report, options, &list, timing);
        add_rows(t, label[k], &list, timing);
        if (ours_failed(&list)) result = TS_BENCH_WRONG;
        free_ways(&list);
        free_set(&set);
        if (stopped || ts_bench_progress(report, k + 1.0, 5.0)) return TS_BENCH_STOPPED;
    }
    return result;
}

// --- polyhedra ----------------------------------------------------------------------------------------------------------

enum { POLY_WAYS = 10 };

typedef struct poly_curves {
    double vertices[SIZES];
    double time[POLY_WAYS][SIZES];      // us
    double supports[POLY_WAYS][SIZES];  // NAN for peers
    char label[POLY_WAYS][64];
    int ways, sizes;
} poly_curves;

static void remember(poly_curves* c, int size, const way_list* list, const ts_bench_timing* timing) {
    c->sizes = size + 1;
    c->ways = list->count < POLY_WAYS ? list->count : POLY_WAYS;
    for (int i = 0; i < c->ways; ++i) {
        const way* w = &list->way[i];
        c->time[i][size] = 1e-3 * timing[i].median;
        c->supports[i][size] = w->start ? w->supports : (double)NAN;
        const char* start = w->degrees < 10.0 ? ", 5 deg" : ", 45 deg";
        snprintf(c->label[i], sizeof c->label[i], "%.54s%s", w->name, w->start ? start : "");
    }
}

// A ball's hull: its vertices spread evenly along a spiral.
static ts_hull* ball_hull(int vertices) {
    ts_vec3* point = (ts_vec3*)malloc((size_t)vertices * sizeof *point);
    ts_hull* hull = NULL;
    if (!point) return NULL;
    for (int i = 0; i < vertices; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / vertices;
        double r = 0.5 * sqrt(1.0 - z * z);
        double angle = 2.39996322972865332 * i;
        point[i] = ts_vec3_make(r * cos(angle), r * sin(angle), 0.5 * z);
    }
    if (ts_hull_build(point, vertices, &hull, NULL)) hull = NULL;
    free(point);
    return hull;
}

static int polyhedra(const ts_bench_options* options, ts_bench_report* report, ts_bench_table* t, poly_curves* curves) {
    static const int size[SIZES] = {12, 24, 48, 96, 192, 384, 768, 1536};
    int result = TS_BENCH_DONE;
    int sizes = options->quick ? 2 : SIZES;
    for (int k = 0; k < sizes; ++k) {
        ts_hull* hull = ball_hull(size[k]);
        if (!hull) return ts_bench_fail(report, "no hull of %d vertices", size[k]);
        question_set set;
        way_list list;
        ts_bench_timing timing[MOST_WAYS];
        char label[32] = "";
        list.count = 0;
        ts_shape a = ts_shape_hull(hull);
        if (!make_set(a, ts_shape_capsule(0.5, 0.5), options->quick ? 100 : 2000, options->seed + 9, &set)) {
            free_set(&set);
            ts_hull_free(hull);
            return ts_bench_fail(report, "out of memory");
        }
        for (int p = CURVED; p <= PUBLISHED; ++p) {
            add_search(&list, &set, (manner)p, 5.0, options->seed);
            add_search(&list, &set, (manner)p, 45.0, options->seed);
        }
        add_search(&list, &set, NO_SHORTCUT, 45.0, options->seed);
        add_peer(&list, &set, "touchstone", 0.0);
        add_peer(&list, &set, "libccd GJK, EPA", 1e-10);
        add_peer(&list, &set, "coal default", 0.0);
        for (int i = 0; i < list.count; ++i) judge(&list.way[i]);
        int stopped = time_ways(report, options, &list, timing);
        label[0] = 0;
        for (int n = size[k], at = 0, digits = n > 999 ? 1000 : (n > 99 ? 100 : 10); digits; digits /= 10)
            label[at++] = (char)('0' + n / digits % 10);
        add_rows(t, label, &list, timing);
        curves->vertices[k] = size[k];
        remember(curves, k, &list, timing);
        if (ours_failed(&list)) result = TS_BENCH_WRONG;
        free_ways(&list);
        free_set(&set);
        ts_hull_free(hull);
        if (stopped || ts_bench_progress(report, 3.0 + (k + 1.0) / sizes, 5.0)) return TS_BENCH_STOPPED;
    }
    return result;
}

static void draw(ts_bench_report* report, const poly_curves* c) {
    ts_bench_figure* times =
        ts_bench_add_figure(report, "penetration-polyhedra", "Depth of a capsule in a polyhedral ball (Fig. 6)",
                            (ts_bench_axis){"vertices", "", TS_BENCH_LOG}, (ts_bench_axis){"time", "us", TS_BENCH_LOG});
    for (int i = 0; i < c->ways; ++i) ts_bench_add_curve(times, c->label[i], c->vertices, c->time[i], c->sizes);
    ts_bench_figure* supports = ts_bench_add_figure(
        report, "penetration-shortcut-supports", "Support calls with and without the shortcut (Fig. 5a)",
        (ts_bench_axis){"vertices", "", TS_BENCH_LOG}, (ts_bench_axis){"support calls", "", TS_BENCH_LINEAR});
    ts_bench_figure* shortcut = ts_bench_add_figure(
        report, "penetration-shortcut-time", "Time with and without the shortcut (Fig. 5b)",
        (ts_bench_axis){"vertices", "", TS_BENCH_LOG}, (ts_bench_axis){"time", "us", TS_BENCH_LINEAR});
    for (int i = 0; i < c->ways; ++i) {
        if (!strstr(c->label[i], "45 deg")) continue;
        ts_bench_add_curve(supports, c->label[i], c->vertices, c->supports[i], c->sizes);
        ts_bench_add_curve(shortcut, c->label[i], c->vertices, c->time[i], c->sizes);
    }
}

// --- local minima -------------------------------------------------------------------------------------------------------

// How often the search ends in a wrong minimum on boxes, by start.
static int minima(const ts_bench_options* options, ts_bench_report* report) {
    static const char* const start_name[] = {"exact last normal", "last normal, 25 degrees off", "centres", "random",
                                             "centres, wrong sign"};
    enum { STARTS = 5 };
    ts_bench_table* t = ts_bench_add_table(report, "penetration-minima",
                                           "Boxes: how often the search ends in a minimum that is not the lowest");
    ts_bench_add_column(t, "start", "");
    ts_bench_add_column(t, "pace", "");
    ts_bench_add_column(t, "wrong", "%");
    ts_bench_add_column(t, "mean ratio of wrong", "");
    ts_bench_add_column(t, "worst ratio", "");
    ts_bench_add_column(t, "supports", "");
    int count = options->quick ? 500 : 20000;
    int result = TS_BENCH_DONE;
    for (int k = 0; k < STARTS; ++k)
        for (int p = 0; p < 2; ++p) {
            ts_rng rng = ts_rng_make(options->seed, 79);
            int wrong = 0;
            double sum = 0.0;
            double worst = 1.0;
            double supports = 0.0;
            for (int i = 0; i < count;) {
                ts_vec3 half[2];
                for (int j = 0; j < 2; ++j) {
                    double x = ts_rng_uniform_in(&rng, 0.3, 1.0), y = ts_rng_uniform_in(&rng, 0.3, 1.0);
                    half[j] = ts_vec3_make(x, y, ts_rng_uniform_in(&rng, 0.3, 1.0));
                }
                ts_shape a = ts_shape_box(half[0]), b = ts_shape_box(half[1]);
                ts_transform here = ts_transform_identity(), pose = random_pose(&rng, 1.5);
                ts_vec3 axis = random_direction(&rng), other = random_direction(&rng);
                ts_proximity truth;
                ts_proximity_query(&a, &here, &b, &pose, NULL, NULL, &truth);
                if (!(truth.found.upper < -1e-3)) continue;
                ++i;
                ts_vec3 side = ts_vec3_unit_or(ts_vec3_cross(truth.found.normal, axis), axis);
                ts_vec3 start[STARTS] = {
                    truth.found.normal,
                    ts_vec3_add_scaled(ts_vec3_scale(0.90630779, truth.found.normal), 0.42261826, side), pose.p, other,
                    ts_vec3_neg(pose.p)};
                ts_penetration_settings settings = ts_penetration_settings_default();
                if (p) settings.pace = TS_PENETRATION_PACE_PAPER;
                settings.proof = TS_PENETRATION_ASSUME_OVERLAP;
                ts_shape_pair asked = {&a, &b, pose};
                ts_penetration_result r;
                ts_penetration_incremental(&asked, start[k], &settings, NULL, &r);
                supports += (double)r.support_calls / count;
                double ratio = -r.found.lower / -truth.distance;
                if (-r.found.lower < -truth.found.upper - shallow_below) result = TS_BENCH_WRONG;
                if (-r.found.lower <= -truth.found.lower + 1e-5) continue;
                ++wrong;
                sum += ratio;
                if (ratio > worst) worst = ratio;
            }
            ts_bench_row(t);
            ts_bench_text(t, "%s", start_name[k]);
            ts_bench_text(t, "%s", p ? "as published" : "curved");
            ts_bench_number(t, 100.0 * wrong / count);
            ts_bench_number(t, wrong ? sum / wrong : (double)NAN);
            ts_bench_number(t, worst);
            ts_bench_number(t, supports);
        }
    return result;
}

int ts_bench_penetration(const ts_bench_options* options, ts_bench_report* report) {
    int result = TS_BENCH_DONE;
    if (ts_bench_wanted(report, options, "round")) {
        int r =
            round_pairs(options, report,
                        add_table(report, "penetration-round", "Balls and capsules of 1 m (Tables I and II)", "pair"));
        if (r > TS_BENCH_WRONG) return r;
        if (r) result = r;
    }
    if (ts_bench_wanted(report, options, "polyhedra")) {
        poly_curves* curves = (poly_curves*)calloc(1, sizeof *curves);
        if (!curves) return ts_bench_fail(report, "out of memory");
        int r = polyhedra(options, report,
                          add_table(report, "penetration-polyhedra",
                                    "A capsule in a polyhedral ball of 1 m (Fig. 5 and 6)", "vertices"),
                          curves);
        if (r <= TS_BENCH_WRONG) draw(report, curves);
        free(curves);
        if (r > TS_BENCH_WRONG) return r;
        if (r) result = r;
    }
    if (ts_bench_wanted(report, options, "minima") && minima(options, report)) result = TS_BENCH_WRONG;
    ts_bench_note(report,
                  "Wrong: no answer, or more than 1e-4 m from the truth. Errors are means over the other answers. "
                  "Too shallow: less than the depth by more than 1e-9 m; of the search that may not happen.");
    ts_bench_note(report,
                  "libccd's time / this: against the loosest of libccd's tolerances whose mean error is at most "
                  "2 um, the accuracy of EPA in the paper, or the tightest if none is.");
    ts_bench_note(report,
                  "All searches and libccd see the whole shapes, balls included; touchstone is the library's own "
                  "query, which keeps balls out of the iteration. `incremental` proves the overlap with a second "
                  "portal; the published form takes it as given.");
    return result;
}
