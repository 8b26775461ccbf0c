// Where the lists of a hull's cells begin to beat scanning it: time of one support point by number of vertices, for each
// width of vectors that the processor has, and by how far the direction turned since the last one (GJK turns by about 17
// degrees from step to step near its end, and a pair by a degree or two from one time step to the next).
#include "base/quat.h"
#include "base/rng.h"
#include "bench/bench_list.h"
#include "bench/workload.h"
#include "collision/shape/support.h"
#include "collision/shape/support_scan.h"

#include <math.h>
#include <stdio.h>

enum { DIRECTIONS = 512, TURNS = 3, MOST = 4, SIZES = 10 };

static const int sizes[SIZES] = {12, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
static const double turns[TURNS] = {180.0, 17.0, 1.7};  // degrees; the first means: anywhere, and nothing is known
static const char* const turn_names[TURNS] = {"cold", "17 degrees", "1.7 degrees"};

// The directions of one walk and who is asked.
typedef struct walk {
    const ts_hull* hull;
    ts_shape shape;
    ts_vec3 direction[DIRECTIONS];
    int cold;
    int last;  // vertex
} walk;

static void scan_scalar(void* context, int query) {
    walk* w = (walk*)context;
    w->last = ts_support_scan(w->hull, w->direction[query]);
}

#if defined(__x86_64__)
static void scan_sse2(void* context, int query) {
    walk* w = (walk*)context;
    w->last = ts_support_scan_sse2(w->hull, w->direction[query]);
}

static void scan_avx2(void* context, int query) {
    walk* w = (walk*)context;
    w->last = ts_support_scan_avx2(w->hull, w->direction[query]);
}
#endif

static void chosen(void* context, int query) {
    walk* w = (walk*)context;
    w->last = ts_support_core(&w->shape, w->direction[query], w->cold ? -1 : w->last).index;
}

typedef struct method {
    const char* name;
    void (*run)(void* context, int query);
    int width;  // doubles at once that it needs
} method;

static const method methods[] = {
    {"scan, scalar", scan_scalar, 1},
#if defined(__x86_64__)
    {"scan, SSE2", scan_sse2, 2},
    {"scan, AVX2", scan_avx2, 4},
#endif
    {"as chosen", chosen, 1},
};

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static ts_vec3 random_direction(ts_rng* rng) {
    for (;;) {
        double z = ts_rng_normal(rng), y = ts_rng_normal(rng), x = ts_rng_normal(rng);  // one by one: one order
        ts_vec3 v = ts_vec3_make(x, y, z);
        double length = ts_vec3_norm(v);
        if (length > 1e-3) return ts_vec3_scale(1.0 / length, v);
    }
}

static void make_walk(walk* w, int turn, uint64_t seed) {
    ts_rng rng = ts_rng_make(seed, 400u + (unsigned)turn);
    w->cold = turn == 0;
    w->last = 0;
    w->direction[0] = random_direction(&rng);
    for (int i = 1; i < DIRECTIONS; ++i) {
        ts_vec3 u = random_direction(&rng);
        if (turn == 0) {
            w->direction[i] = u;
            continue;
        }
        ts_vec3 axis = ts_vec3_cross(w->direction[i - 1], u);
        double length = ts_vec3_norm(axis);
        if (length < 1e-6) axis = ts_vec3_make(0.0, 0.0, length = 1.0);
        ts_quat by = ts_quat_from_axis_angle(ts_vec3_scale(1.0 / length, axis), turns[turn] * 0.017453292519943295);
        w->direction[i] = ts_quat_rotate(by, w->direction[i - 1]);
    }
}

// Vertices that are not among the farthest: scans must name the scalar scan's vertex, lists one as far to rounding.
static int wrong_answers(walk* w, const method* m) {
    int wrong = 0;
    int scan = m->run != chosen;
    for (int i = 0; i < DIRECTIONS; ++i) {
        m->run(w, i);
        int best = ts_support_scan(w->hull, w->direction[i]);
        double least = ts_vec3_dot(w->direction[i], w->hull->vertex[best]) - 1e-14;
        wrong += scan ? w->last != best : !(ts_vec3_dot(w->direction[i], w->hull->vertex[w->last]) >= least);
    }
    return wrong;
}

typedef struct results {
    double ns[TURNS][MOST][SIZES];
    int present[MOST];
} results;

static void add_figures(ts_bench_report* report, const results* r) {
    double x[SIZES];
    for (int s = 0; s < SIZES; ++s) x[s] = sizes[s];
    ts_bench_figure* f =
        ts_bench_add_figure(report, "support", "Time of one support point of a hull",
                            (ts_bench_axis){"vertices", "", TS_BENCH_LOG}, (ts_bench_axis){"time", "ns", TS_BENCH_LOG});
    for (int m = 0; m < COUNT(methods); ++m)
        if (r->present[m] && methods[m].run != chosen) ts_bench_add_curve(f, methods[m].name, x, r->ns[0][m], SIZES);
    for (int t = 0; t < TURNS; ++t) {
        for (int m = 0; m < COUNT(methods); ++m) {
            char label[64];
            if (methods[m].run != chosen) continue;
            snprintf(label, sizeof label, "as chosen, %s", turn_names[t]);
            ts_bench_add_curve(f, label, x, r->ns[t][m], SIZES);
        }
    }
}

static void add_crossovers(ts_bench_report* report, const results* r) {
    int widest = 0;
    int chooser = 0;
    for (int m = 0; m < COUNT(methods); ++m) {
        if (methods[m].run == chosen) chooser = m;
        if (r->present[m] && methods[m].run != chosen) widest = m;
    }
    for (int t = 0; t < TURNS; ++t) {
        int s = 0;
        while (s < SIZES && !(sizes[s] > TS_HULL_FEW && r->ns[t][chooser][s] < r->ns[t][widest][s])) ++s;
        if (s < SIZES)
            ts_bench_note(report, "%s: lists beat '%s' from %d vertices of those measured.", turn_names[t],
                          methods[widest].name, sizes[s]);
        else
            ts_bench_note(report, "%s: lists beat '%s' nowhere here.", turn_names[t], methods[widest].name);
    }
    ts_bench_note(report, "As chosen: scans up to %d vertices.", (int)TS_HULL_FEW);
}

int ts_bench_support(const ts_bench_options* options, ts_bench_report* report) {
    results r;
    int result = TS_BENCH_DONE;
    ts_bench_table* table = ts_bench_add_table(report, "support", "Time of one support point, one hull in cache");
    ts_bench_add_column(table, "vertices", "");
    ts_bench_add_column(table, "turn", "");
    for (int m = 0; m < COUNT(methods); ++m) {
        r.present[m] = methods[m].width <= ts_support_scan_width();
        for (int i = 0; i < TURNS * SIZES; ++i) r.ns[i / SIZES][m][i % SIZES] = (double)NAN;
        ts_bench_add_column(table, methods[m].name, "ns");
    }
    ts_bench_add_column(table, "wrong", "");
    for (int s = 0; s < SIZES && result < TS_BENCH_FAILED; ++s) {
        char part[16];
        snprintf(part, sizeof part, "hull-%d", sizes[s]);
        if (!ts_bench_wanted(report, options, part)) continue;
        ts_hull* hull =
            ts_bench_hull_on_ellipsoid(ts_vec3_make(0.3, 0.2, 0.25), sizes[s], options->seed, 300u + (unsigned)s);
        if (!hull) return ts_bench_fail(report, "a hull of %d vertices could not be made", sizes[s]);
        for (int t = 0; t < TURNS && result < TS_BENCH_FAILED; ++t) {
            static const walk nothing;
            walk w[MOST];
            ts_bench_contestant c[MOST];
            ts_bench_timing timing[MOST];
            int row[MOST];
            int n = 0;
            int wrong = 0;
            for (int m = 0; m < COUNT(methods); ++m) {
                if (!r.present[m]) continue;
                w[n] = nothing;
                w[n].hull = hull;
                w[n].shape = ts_shape_hull(hull);
                make_walk(&w[n], t, options->seed);
                wrong += wrong_answers(&w[n], &methods[m]);
                c[n] = (ts_bench_contestant){methods[m].name, methods[m].run, &w[n]};
                row[m] = n++;
            }
            if (wrong) result = TS_BENCH_WRONG;
            ts_bench_time(report, options, &(ts_bench_race){c, n, DIRECTIONS, 0, 0.0}, timing, NULL);
            ts_bench_row(table);
            ts_bench_number(table, hull->vertex_count);
            ts_bench_text(table, "%s", turn_names[t]);
            for (int m = 0; m < COUNT(methods); ++m) {
                r.ns[t][m][s] = r.present[m] ? timing[row[m]].median : (double)NAN;
                ts_bench_number(table, r.ns[t][m][s]);
            }
            ts_bench_number(table, wrong);
            if (ts_bench_progress(report, s * TURNS + t, SIZES * TURNS)) result = TS_BENCH_STOPPED;
        }
        ts_hull_free(hull);
    }
    if (result >= TS_BENCH_FAILED) return result;
    add_figures(report, &r);
    add_crossovers(report, &r);
    ts_bench_note(report, "Every scan must name the scalar scan's vertex, every list one that is as far to 1e-14 m.");
    return result;
}
