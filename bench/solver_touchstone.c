// Our own ways: the query for users, and GJK alone with each variant of momentum.
#include "bench/peer.h"

#include <stdlib.h>

enum { QUERY = -1 };  // settings: this, or a ts_gjk_variant

typedef struct prepared {
    const ts_bench_pair* pair;
    ts_bench_question question;
    ts_proximity_options options;
    ts_gjk_settings gjk;
    ts_proximity answer;
    ts_gjk_result result;
    int generic;
} prepared;

static void* prepare(const ts_bench_solver* self, const ts_bench_pair* pair, int count, ts_bench_question question) {
    (void)count;
    prepared* p = (prepared*)calloc(1, sizeof *p);
    if (!p) return NULL;
    p->pair = pair;
    p->question = question;
    p->options = ts_proximity_options_default();
    if (question == TS_BENCH_ASK_VERDICT) p->options.goal = TS_PROXIMITY_VERDICT;
    p->gjk = ts_gjk_settings_default();
    p->gjk.start = TS_GJK_START_CENTRES;
    p->gjk.relative_tolerance = self->tolerance;
    if (self->setting > 0) p->gjk.variant = (ts_gjk_variant)self->setting;
    return p;
}

static void run_query(void* context, int query) {
    prepared* p = (prepared*)context;
    const ts_bench_pair* pair = &p->pair[query];
    ts_proximity_query(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, &p->options, NULL, &p->answer);
}

static ts_bench_answer answer_query(const void* context) {
    const prepared* p = (const prepared*)context;
    ts_bench_answer a = {p->answer.distance, p->answer.distance <= 0.0, p->answer.iterations,
                         p->answer.status == TS_PROXIMITY_INVALID_INPUT || p->answer.status == TS_PROXIMITY_LIMIT};
    if (p->answer.status == TS_PROXIMITY_OVERLAP_EARLY || p->answer.status == TS_PROXIMITY_PENETRATING) a.overlap = 1;
    if (p->answer.status == TS_PROXIMITY_SEPARATED_EARLY) a.overlap = 0;
    return a;
}

static void run_gjk(void* context, int query) {
    prepared* p = (prepared*)context;
    const ts_bench_pair* pair = &p->pair[query];
    // From the poses, as the others are asked.
    ts_shape_pair asked = ts_shape_pair_make(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b);
    if (p->question == TS_BENCH_ASK_VERDICT)
        ts_gjk_overlap(&asked, 0.0, &p->gjk, NULL, &p->result);
    else
        ts_gjk_distance(&asked, &p->gjk, NULL, &p->result);
}

static ts_bench_answer answer_gjk(const void* context) {
    const prepared* p = (const prepared*)context;
    const ts_gjk_result* r = &p->result;
    ts_bench_answer a = {r->found.upper, 0, r->iterations, r->status == TS_PROXIMITY_LIMIT};
    a.overlap = r->status == TS_PROXIMITY_OVERLAP_EARLY || r->status == TS_PROXIMITY_PENETRATING ||
                r->status == TS_PROXIMITY_TOUCHING;
    return a;
}

static void release(void* context) { free(context); }

// What GJK alone can do: cores without balls.
#define CORES (1u << TS_SHAPE_ELLIPSOID | 1u << TS_SHAPE_BOX | 1u << TS_SHAPE_HULL)
#define ALL ((1u << TS_SHAPE_CONVEX_COUNT) - 1u)
#define EVERYTHING (TS_BENCH_ASK_DISTANCE | TS_BENCH_ASK_VERDICT | TS_BENCH_ASK_DEPTH)
#define NO_DEPTH (TS_BENCH_ASK_DISTANCE | TS_BENCH_ASK_VERDICT)

static const ts_bench_solver solvers[] = {
    {"touchstone", "certified to 1e-12", EVERYTHING, ALL, QUERY, 1e-12, prepare, run_query, answer_query, release, 0},
    {"touchstone GJK vanilla", "1e-12", NO_DEPTH, CORES, TS_GJK_VANILLA, 1e-12, prepare, run_gjk, answer_gjk, release,
     0},
    {"touchstone GJK Polyak", "1e-12", NO_DEPTH, CORES, TS_GJK_POLYAK, 1e-12, prepare, run_gjk, answer_gjk, release, 0},
    {"touchstone GJK Nesterov", "1e-12", NO_DEPTH, CORES, TS_GJK_NESTEROV, 1e-12, prepare, run_gjk, answer_gjk, release,
     0},
    {"touchstone GJK Nesterov normalised", "1e-12", NO_DEPTH, CORES, TS_GJK_NESTEROV_NORMALISED, 1e-12, prepare,
     run_gjk, answer_gjk, release, 0},
};

int ts_bench_solvers_touchstone(const ts_bench_solver** out_solvers) {
    *out_solvers = solvers;
    return (int)(sizeof solvers / sizeof solvers[0]);
}
