// Convex polygons in the plane: the six tables of "Barycode-based GJK Algorithm" (Zhang, Wu, Wang, Zhou, 2020), one per
// number of vertices, distance and collision of distant, overlapping and touching pairs; our ways, a separating-axis
// test, and Box2D. Every answer is first compared with all vertex-edge pairs in long double.
#include "base/rng.h"
#include "bench/bench_list.h"
#include "bench/planar_peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 6, CASES = 3, PAIRS = 1000, MOST_VERTICES = 24, METHODS = 11 };

static const int sizes[SIZES] = {4, 8, 12, 16, 20, 24};
static const char* const case_names[CASES] = {"distant", "overlapping", "touching"};

// One set of pairs with the right answers.
typedef struct pair_set {
    ts_bench_planar_pair pair[PAIRS];
    double reference[PAIRS];  // m, signed when apart; <= 0 when they overlap
    int count;
    void* box2d;
} pair_set;

// Who answers, and the last answer.
typedef struct asker {
    const pair_set* set;
    ts_planar_support_rule rule;
    int overlap;
    double distance;
    ts_planar_cache* cache;  // of each pair, when warm
} asker;

typedef enum method_kind { KIND_DISTANCE, KIND_VERDICT, KIND_BOX2D, KIND_AXES } method_kind;

typedef struct method {
    const char* name;
    method_kind kind;
    ts_planar_support_rule rule;
} method;

static const method methods[METHODS] = {
    {"box2d b2Distance (float)", KIND_BOX2D, TS_PLANAR_SUPPORT_AUTO},
    {"separating axes", KIND_AXES, TS_PLANAR_SUPPORT_AUTO},
    {"ours, barycode, vector scan", KIND_DISTANCE, TS_PLANAR_SUPPORT_SCAN},
    {"ours, barycode, scan one by one", KIND_DISTANCE, TS_PLANAR_SUPPORT_PLAIN_SCAN},
    {"ours, barycode, with climbing", KIND_DISTANCE, TS_PLANAR_SUPPORT_CLIMB},
    {"ours, as chosen", KIND_DISTANCE, TS_PLANAR_SUPPORT_AUTO},
    {"ours, barycode, vector scan", KIND_VERDICT, TS_PLANAR_SUPPORT_SCAN},
    {"ours, barycode, scan one by one", KIND_VERDICT, TS_PLANAR_SUPPORT_PLAIN_SCAN},
    {"ours, barycode, with climbing", KIND_VERDICT, TS_PLANAR_SUPPORT_CLIMB},
    {"ours, as chosen", KIND_VERDICT, TS_PLANAR_SUPPORT_AUTO},
    {"ours, warm", KIND_DISTANCE, TS_PLANAR_SUPPORT_AUTO},
};

enum { METHOD_WARM = METHODS - 1 };

// --- the pairs -----------------------------------------------------------------------------------------------------

// `count` corners at random on an ellipse, in single precision so that Box2D has the same ones.
static ts_planar_polygon* random_polygon(ts_rng* rng, int count) {
    for (;;) {
        ts_planar_vec point[MOST_VERTICES];
        double wide = ts_rng_uniform_in(rng, 0.4, 1.0), high = ts_rng_uniform_in(rng, 0.4, 1.0);
        for (int i = 0; i < count; ++i) {
            double c = ts_rng_normal(rng), s = ts_rng_normal(rng), length = sqrt(c * c + s * s);
            point[i] = ts_planar_vec_make((double)(float)(wide * c / length), (double)(float)(high * s / length));
        }
        ts_planar_polygon* polygon;
        if (ts_planar_polygon_build(point, count, 0.0, &polygon, NULL)) return NULL;
        if (polygon->count == count) return polygon;
        ts_planar_polygon_free(polygon);
    }
}

static ts_planar_pose random_pose(ts_rng* rng, double range) {
    double x = (double)(float)ts_rng_uniform_in(rng, -range, range);
    double y = (double)(float)ts_rng_uniform_in(rng, -range, range);
    double c = ts_rng_normal(rng);
    return ts_planar_pose_make(x, y, c, ts_rng_normal(rng));
}

typedef long double real;

static void world_vertices(const ts_planar_polygon* polygon, ts_planar_pose pose, real out[][2]) {
    for (int i = 0; i < polygon->count; ++i) {
        real x = (real)polygon->centre.x + (real)polygon->x[i], y = (real)polygon->centre.y + (real)polygon->y[i];
        real c = (real)pose.rotation.x, s = (real)pose.rotation.y;
        out[i][0] = (real)pose.position.x + (c * x - s * y);
        out[i][1] = (real)pose.position.y + (s * x + c * y);
    }
}

// Greatest separation of q from p along p's edge normals, and in *nearest the least vertex-edge distance.
static real separation(real p[][2], int np, real q[][2], int nq, real* nearest) {
    real greatest = -1e30L;
    for (int i = 0; i < np; ++i) {
        const real *a = p[i], *b = p[(i + 1) % np];
        real ex = b[0] - a[0], ey = b[1] - a[1], length = sqrtl(ex * ex + ey * ey), least = 1e30L;
        for (int j = 0; j < nq; ++j) {
            real x = q[j][0] - a[0], y = q[j][1] - a[1];
            real along = (x * ex + y * ey) / length, out = (x * ey - y * ex) / length;
            real beside = along < 0.0L ? along : (along > length ? along - length : 0.0L);
            real distance = sqrtl(out * out + beside * beside);
            if (out < least) least = out;
            if (distance < *nearest) *nearest = distance;
        }
        if (least > greatest) greatest = least;
    }
    return greatest;
}

static double reference_distance(const ts_bench_planar_pair* pair) {
    real p[MOST_VERTICES][2], q[MOST_VERTICES][2], nearest = 1e30L;
    world_vertices(pair->a, pair->pose_a, p);
    world_vertices(pair->b, pair->pose_b, q);
    real of_a = separation(p, pair->a->count, q, pair->b->count, &nearest);
    real of_b = separation(q, pair->b->count, p, pair->a->count, &nearest);
    real most = of_a > of_b ? of_a : of_b;
    return (double)(most > 0.0L ? nearest : most);
}

// Moves B by the separating vector that Box2D sees, or ours in single precision.
static void make_touch(ts_bench_planar_pair* pair) {
    ts_planar_result found;
    ts_planar_distance(pair->a, pair->pose_a, pair->b, pair->pose_b, NULL, NULL, &found);
    double vector[2] = {(double)(float)(found.distance * found.normal.x),
                        (double)(float)(found.distance * found.normal.y)};
#ifdef TS_PEER_BOX2D
    void* state = ts_bench_box2d_prepare(pair, 1);
    if (state) {
        ts_bench_box2d_run(state, 0);
        ts_bench_box2d_answer(state, vector);
    }
    ts_bench_box2d_release(state);
#endif
    pair->pose_b.position.x -= vector[0];
    pair->pose_b.position.y -= vector[1];
}

static void release_set(pair_set* set) {
    for (int i = 0; i < set->count; ++i) {
        ts_planar_polygon_free((ts_planar_polygon*)(uintptr_t)set->pair[i].a);
        ts_planar_polygon_free((ts_planar_polygon*)(uintptr_t)set->pair[i].b);
    }
#ifdef TS_PEER_BOX2D
    ts_bench_box2d_release(set->box2d);
#endif
    set->count = 0;
    set->box2d = NULL;
}

// Returns 0 when memory is short.
static int make_set(pair_set* set, int vertices, int which, int count, uint64_t seed) {
    ts_rng rng = ts_rng_make(seed, 700u + 10u * (unsigned)vertices + (unsigned)which);
    set->count = 0;
    set->box2d = NULL;
    double range = which == 1 ? 1.0 : 4.0;
    while (set->count < count) {
        ts_bench_planar_pair* pair = &set->pair[set->count];
        ts_planar_polygon *a = random_polygon(&rng, vertices), *b = random_polygon(&rng, vertices);
        pair->a = a;
        pair->b = b;
        if (!a || !b) {
            ts_planar_polygon_free(a);
            ts_planar_polygon_free(b);
            return 0;
        }
        double found;
        do {
            pair->pose_a = random_pose(&rng, range);
            pair->pose_b = random_pose(&rng, range);
            found = reference_distance(pair);
        } while (which == 1 ? found > -1e-3 : found < 0.05);
        if (which == 2) make_touch(pair);
        set->reference[set->count++] = reference_distance(pair);
    }
#ifdef TS_PEER_BOX2D
    set->box2d = ts_bench_box2d_prepare(set->pair, count);
    if (!set->box2d) return 0;
#endif
    return 1;
}

// --- those who answer ----------------------------------------------------------------------------------------------

static void run_distance(void* context, int query) {
    asker* self = (asker*)context;
    const ts_bench_planar_pair* pair = &self->set->pair[query];
    ts_planar_options options = {self->rule, TS_PLANAR_DEPTH_NONE, 0.0};
    ts_planar_result found;
    ts_planar_distance(pair->a, pair->pose_a, pair->b, pair->pose_b, &options, self->cache ? &self->cache[query] : NULL,
                       &found);
    self->distance = found.distance;
    self->overlap = found.status == TS_PLANAR_TOUCHING || found.status == TS_PLANAR_PENETRATING;
}

static void run_verdict(void* context, int query) {
    asker* self = (asker*)context;
    const ts_bench_planar_pair* pair = &self->set->pair[query];
    self->overlap =
        ts_planar_overlap(pair->a, pair->pose_a, pair->b, pair->pose_b, 0.0, self->rule, NULL) == TS_PLANAR_OVERLAP;
}

#ifdef TS_PEER_BOX2D
static void run_box2d(void* context, int query) {
    asker* self = (asker*)context;
    double vector[2];
    ts_bench_box2d_run(self->set->box2d, query);
    self->distance = ts_bench_box2d_answer(self->set->box2d, vector);
    self->overlap = self->distance <= 0.0;
}
#endif

// The textbook test: vertices into the world, all edges of both, out at the first that separates.
static int an_edge_separates(double p[][2], int np, double q[][2], int nq) {
    for (int i = 0; i < np; ++i) {
        int next = i + 1 < np ? i + 1 : 0, j = 0;
        double nx = p[next][1] - p[i][1], ny = p[i][0] - p[next][0];
        while (j < nq && nx * (q[j][0] - p[i][0]) + ny * (q[j][1] - p[i][1]) > 0.0) ++j;
        if (j == nq) return 1;
    }
    return 0;
}

static void place(const ts_planar_polygon* polygon, ts_planar_pose pose, double out[][2]) {
    for (int i = 0; i < polygon->count; ++i) {
        ts_planar_vec v = ts_planar_pose_point(pose, ts_planar_polygon_vertex(polygon, i));
        out[i][0] = v.x;
        out[i][1] = v.y;
    }
}

static void run_axes(void* context, int query) {
    asker* self = (asker*)context;
    const ts_bench_planar_pair* pair = &self->set->pair[query];
    double p[MOST_VERTICES][2], q[MOST_VERTICES][2];
    place(pair->a, pair->pose_a, p);
    place(pair->b, pair->pose_b, q);
    self->overlap = !an_edge_separates(p, pair->a->count, q, pair->b->count) &&
                    !an_edge_separates(q, pair->b->count, p, pair->a->count);
}

static void (*runner_of(const method* m))(void*, int) {
    switch (m->kind) {
    case KIND_DISTANCE: return run_distance;
    case KIND_VERDICT: return run_verdict;
    case KIND_AXES: return run_axes;
    default: break;
    }
#ifdef TS_PEER_BOX2D
    return run_box2d;
#else
    return NULL;
#endif
}

// --- judging and timing --------------------------------------------------------------------------------------------

// What one method did on one set.
typedef struct outcome {
    int present;
    int wrong;
    double error;  // m, largest
    ts_bench_timing time;
} outcome;

// Positions are up to 6 m and polygons up to 1 m: a float knows them to 5e-7 m, a double to 1e-15.
static void judge(const method* m, asker* self, void (*run)(void*, int), outcome* out) {
    double fine = m->kind == KIND_BOX2D ? 2e-6 : 2e-14;
    out->wrong = 0;
    out->error = 0.0;
    for (int i = 0; i < self->set->count; ++i) {
        double right = self->set->reference[i];
        run(self, i);
        int wrong = fabs(right) > fine && self->overlap != (right < 0.0);
        // Overlap is 0 for a distance routine that was not asked for the depth. A gap that b2Distance takes for none, or
        // the reverse, is judged as a distance.
        if (m->kind == KIND_DISTANCE || m->kind == KIND_BOX2D) {
            double error = fabs((self->distance > 0.0 ? self->distance : 0.0) - (right > 0.0 ? right : 0.0));
            if (m->kind == KIND_BOX2D) wrong = 0;
            wrong |= !(error <= fine);
            if (!(error <= out->error)) out->error = error;
        }
        out->wrong += wrong;
    }
}

static int run_set(const ts_bench_options* options, ts_bench_report* report, const pair_set* set,
                   outcome out[METHODS]) {
    static const ts_planar_cache empty;
    asker askers[METHODS];
    ts_bench_contestant contestants[METHODS];
    ts_bench_timing timing[METHODS];
    int of[METHODS], count = 0, ours_wrong = 0;
    ts_planar_cache* caches = (ts_planar_cache*)malloc((size_t)set->count * sizeof *caches);
    if (!caches) return -1;
    for (int i = 0; i < set->count; ++i) caches[i] = empty;
    for (int k = 0; k < METHODS; ++k) {
        void (*run)(void*, int) = runner_of(&methods[k]);
        out[k].present = run != NULL;
        if (!run) continue;
        asker self = {set, methods[k].rule, 0, 0.0, k == METHOD_WARM ? caches : NULL};
        askers[k] = self;
        judge(&methods[k], &askers[k], run, &out[k]);
        if (methods[k].kind != KIND_BOX2D && methods[k].kind != KIND_AXES) ours_wrong += out[k].wrong;
        ts_bench_contestant one = {methods[k].name, run, &askers[k]};
        contestants[count] = one;
        of[count++] = k;
    }
    ts_bench_time(report, options, &(ts_bench_race){contestants, count, set->count, 0, 0.0}, timing, NULL);
    for (int c = 0; c < count; ++c) out[of[c]].time = timing[c];
    free(caches);
    return ours_wrong;
}

// --- tables --------------------------------------------------------------------------------------------------------

static void add_paper_table(ts_bench_report* report, int vertices, outcome out[CASES][METHODS]) {
    char stem[48], title[120];
    snprintf(stem, sizeof stem, "planar-%d", vertices);
    snprintf(title, sizeof title, "Polygons of %d vertices: median time of one query, by case", vertices);
    ts_bench_table* t = ts_bench_add_table(report, stem, title);
    ts_bench_add_column(t, "method", "");
    ts_bench_add_column(t, "answers", "");
    for (int c = 0; c < CASES; ++c) ts_bench_add_column(t, case_names[c], "ns");
    ts_bench_add_column(t, "wrong", "");
    ts_bench_add_column(t, "largest error", "m");
    for (int c = 0; c < CASES; ++c) {
        char name[48];
        snprintf(name, sizeof name, "%s p99", case_names[c]);
        ts_bench_add_column(t, name, "ns");
    }
    ts_bench_add_column(t, "longest", "ns");
    for (int k = 0; k < METHODS; ++k) {
        if (!out[0][k].present) continue;
        int gives_distance = methods[k].kind == KIND_DISTANCE || methods[k].kind == KIND_BOX2D, wrong = 0;
        double error = 0.0, longest = 0.0;
        for (int c = 0; c < CASES; ++c) {
            wrong += out[c][k].wrong;
            error = fmax(error, out[c][k].error);
            longest = fmax(longest, out[c][k].time.query_most);
        }
        ts_bench_row(t);
        ts_bench_text(t, "%s", methods[k].name);
        ts_bench_text(t, gives_distance ? "distance" : "collision");
        for (int c = 0; c < CASES; ++c) ts_bench_number(t, out[c][k].time.median);
        ts_bench_number(t, wrong);
        ts_bench_number(t, gives_distance ? error : (double)NAN);
        for (int c = 0; c < CASES; ++c) ts_bench_number(t, out[c][k].time.query_p99);
        ts_bench_number(t, longest);
    }
}

// Geometric mean over the sizes of another's time over ours.
static void add_ratios(ts_bench_report* report, outcome (*all)[CASES][METHODS], int done) {
    ts_bench_table* t =
        ts_bench_add_table(report, "planar-ratios", "Times relative to ours, geometric mean over sizes");
    ts_bench_add_column(t, "other", "");
    ts_bench_add_column(t, "ours", "");
    for (int c = 0; c < CASES; ++c) ts_bench_add_column(t, case_names[c], "");
    for (int other = 0; other < 2; ++other)
        for (int k = 2; k < METHODS; ++k) {
            if (!all[0][0][other].present || (other == 1 && methods[k].kind != KIND_VERDICT)) continue;
            ts_bench_row(t);
            ts_bench_text(t, "%s", methods[other].name);
            ts_bench_text(t, "%s, %s", methods[k].name, methods[k].kind == KIND_VERDICT ? "collision" : "distance");
            for (int c = 0; c < CASES; ++c) {
                double sum = 0.0;
                for (int s = 0; s < done; ++s) sum += log(all[s][c][other].time.median / all[s][c][k].time.median);
                ts_bench_number(t, exp(sum / done));
            }
        }
}

static void add_figures(ts_bench_report* report, outcome (*all)[CASES][METHODS], const int* vertices, int done) {
    static const char* const kinds[2] = {"distance", "collision"};
    for (int c = 0; c < CASES; ++c)
        for (int kind = 0; kind < 2; ++kind) {
            char stem[64], title[120];
            snprintf(stem, sizeof stem, "planar-%s-%s", kinds[kind], case_names[c]);
            snprintf(title, sizeof title, "Polygons: %s of %s pairs", kinds[kind], case_names[c]);
            ts_bench_figure* f =
                ts_bench_add_figure(report, stem, title, (ts_bench_axis){"vertices", "", TS_BENCH_LINEAR},
                                    (ts_bench_axis){"time", "ns", TS_BENCH_LOG});
            for (int k = 0; k < METHODS; ++k) {
                int verdict = methods[k].kind == KIND_VERDICT || methods[k].kind == KIND_AXES;
                if (!all[0][0][k].present || (methods[k].kind != KIND_BOX2D && verdict != kind)) continue;
                double x[SIZES], y[SIZES];
                for (int s = 0; s < done; ++s) {
                    x[s] = vertices[s];
                    y[s] = all[s][c][k].time.median;
                }
                ts_bench_add_curve(f, methods[k].name, x, y, done);
            }
        }
}

static void add_notes(ts_bench_report* report, int pairs) {
    ts_bench_note(
        report,
        "%d random pairs per case and size; touching: distant pairs moved by the separating vector that Box2D "
        "found (single precision, so gaps are some 1e-7 m of either sign). All start cold, except the row that "
        "says warm, which remembers each pair from the round before.",
        pairs);
    ts_bench_note(report,
                  "Right means within 2e-14 m of all vertex-edge pairs in long double, and the verdict right where the "
                  "gap is more than that; within 2e-6 m for b2Distance, which computes in single precision and knows "
                  "the same corners. Box2D has no cheaper collision routine, so its distance stands in both columns.");
    ts_bench_note(
        report, "Distance here is with witnesses and separating direction, and without the depth of overlapping pairs, "
                "as in the paper. As chosen: one support point and a walk along the boundary of the difference; "
                "verdicts of few vertices by all axes side by side; discs around and inside decide what they can, "
                "which is most of what is distant or deep.");
    ts_bench_note(report, "The clock itself costs %.1f ns per query here.", ts_bench_floor());
}

int ts_bench_planar(const ts_bench_options* options, ts_bench_report* report) {
    pair_set* set = (pair_set*)malloc(sizeof *set);
    outcome(*all)[CASES][METHODS] = (outcome(*)[CASES][METHODS])calloc(SIZES, sizeof *all);
    int pairs = options->quick ? PAIRS / 5 : PAIRS, wrong = 0, done = 0, code = TS_BENCH_DONE;
    int vertices[SIZES];
    if (!set || !all) code = ts_bench_fail(report, "no memory for %d pairs", pairs);
    for (int s = 0; set && all && s < SIZES && code == TS_BENCH_DONE; ++s) {
        char part[16];
        snprintf(part, sizeof part, "planar-%d", sizes[s]);
        if (!ts_bench_wanted(report, options, part)) continue;
        for (int c = 0; c < CASES && code == TS_BENCH_DONE; ++c) {
            if (make_set(set, sizes[s], c, pairs, options->seed)) {
                int bad = run_set(options, report, set, all[done][c]);
                if (bad < 0) code = ts_bench_fail(report, "no memory for %d caches", pairs);
                wrong += bad > 0 ? bad : 0;
            } else {
                code = ts_bench_fail(report, "no memory for %d pairs", pairs);
            }
            release_set(set);
            if (code == TS_BENCH_DONE && ts_bench_progress(report, s * CASES + c + 1, SIZES * CASES))
                code = TS_BENCH_STOPPED;
        }
        if (code != TS_BENCH_DONE) break;
        vertices[done] = sizes[s];
        add_paper_table(report, sizes[s], all[done++]);
    }
    if (done > 0) {
        add_ratios(report, all, done);
        add_figures(report, all, vertices, done);
        add_notes(report, pairs);
    }
    free(set);
    free(all);
    return code == TS_BENCH_DONE && wrong > 0 ? TS_BENCH_WRONG : code;
}
