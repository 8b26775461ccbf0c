// broad-phase: what all pairs of n moving boxes cost, from one hundred to one hundred thousand.
//
// Boxes of 0.2 to 0.6 m drift through a cube and turn back at its walls; there are about five neighbours to a box,
// whatever their number. Every contestant sees the same boxes in the same update, in turns; one that remembers starts
// from the same first update. The time is that of an update: all boxes moved, all pairs known. At the end the pairs are
// compared with those of sorting and sweeping, and up to ten thousand boxes with all pairs tried.
#include "bench/bench.h"
#include "bench/bench_list.h"
#include "bench/broad_peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"

enum { SIZES = 7, CONTESTANTS_MAX = 12, BRUTE_FORCE_LIMIT = 10000 };

static const int sizes[SIZES] = {100, 300, 1000, 3000, 10000, 30000, 100000};

typedef struct crowd {
    int count;
    double reach;  // m, half the side of the cube
    ts_vec3* centre;
    ts_vec3* half;
    ts_vec3* velocity;  // m/s
    ts_bounds* bounds;
} crowd;

// One row: a stateless way, ours with memory, or a peer.
typedef struct contestant {
    char name[48];
    const ts_broad_phase_method* method;
    const ts_bench_broad_peer* peer;
    ts_task_pool* pool;
    int count_limit;
    ts_broad_phase* broad;
    void* peer_state;
    ts_arena arena;
    ts_pair_list pairs;
    double cold;      // s, the first update
    double* seconds;  // of each later one
    double by_size[2][SIZES];
} contestant;

static void crowd_free(crowd* c) {
    free(c->centre);
    free(c->half);
    free(c->velocity);
    free(c->bounds);
}

static int crowd_make(crowd* c, int count, uint64_t seed) {
    ts_rng rng = ts_rng_make(seed, (uint64_t)count);
    c->count = count;
    c->reach = 0.23 * cbrt((double)count);
    c->centre = (ts_vec3*)calloc((size_t)count, sizeof(ts_vec3));
    c->half = (ts_vec3*)calloc((size_t)count, sizeof(ts_vec3));
    c->velocity = (ts_vec3*)calloc((size_t)count, sizeof(ts_vec3));
    c->bounds = (ts_bounds*)calloc((size_t)count, sizeof(ts_bounds));
    if (!c->centre || !c->half || !c->velocity || !c->bounds) return 0;
    for (int i = 0; i < count; ++i) {
        double v[9];
        for (int k = 0; k < 9; ++k) v[k] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        c->centre[i] = ts_vec3_scale(c->reach, ts_vec3_make(v[0], v[1], v[2]));
        c->velocity[i] = ts_vec3_make(v[3], v[4], v[5]);
        c->half[i] = ts_vec3_make(0.2 + 0.1 * v[6], 0.2 + 0.1 * v[7], 0.2 + 0.1 * v[8]);
    }
    return 1;
}

static void crowd_move(crowd* c, double time_step) {
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double x = ts_vec3_get(c->centre[i], k), v = ts_vec3_get(c->velocity[i], k);
            if (x * v > 0.0 && fabs(x) > c->reach) v = -v;
            c->velocity[i] = ts_vec3_with(c->velocity[i], k, v);
            c->centre[i] = ts_vec3_with(c->centre[i], k, x + time_step * v);
        }
        c->bounds[i].min = ts_vec3_sub(c->centre[i], c->half[i]);
        c->bounds[i].max = ts_vec3_add(c->centre[i], c->half[i]);
        c->bounds[i].group = i;
        c->bounds[i].category = c->bounds[i].mask = 1u;
    }
}

// One update; returns its seconds, or a negative number when it failed.
static double run_update(contestant* who, const crowd* c) {
    double start = ts_clock_seconds();
    ts_code code = TS_OK;
    if (who->peer) {
        who->peer->update(who->peer_state, c->bounds);
        return ts_clock_seconds() - start;
    }
    ts_arena_reset(&who->arena);
    if (who->method)
        code = who->method->pairs(c->bounds, c->count, &who->arena, &who->pairs, NULL);
    else
        code = ts_broad_phase_update(who->broad, c->bounds, c->count, NULL, who->pool, &who->arena, &who->pairs, NULL);
    return code ? -1.0 : ts_clock_seconds() - start;
}

// Nonzero when it can take part with this many boxes.
static int enter(contestant* who, const crowd* c) {
    if (c->count > who->count_limit) return 0;
    if (who->method) return 1;
    double start = ts_clock_seconds();
    if (who->peer)
        who->peer_state = who->peer->create(c->bounds, c->count);
    else
        who->broad = ts_broad_phase_create();
    who->cold = ts_clock_seconds() - start;
    return who->peer ? who->peer_state != NULL : who->broad != NULL;
}

static void leave(contestant* who) {
    if (who->peer) who->peer->release(who->peer_state);
    who->peer_state = NULL;
    ts_broad_phase_destroy(who->broad);
    who->broad = NULL;
    ts_arena_free(&who->arena);
    who->pairs.pair = NULL;
}

static int compare_pairs(const void* a, const void* b) {
    const ts_pair *p = (const ts_pair*)a, *q = (const ts_pair*)b;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return p->second < q->second ? -1 : p->second > q->second;
}

// Pairs that are missing, and when `exact` also those too many.
static int wrong_pairs(const ts_pair* found, int count, const ts_pair* expected, int expected_count, int exact) {
    int i = 0, missing = 0, extra = 0;
    for (int k = 0; k < expected_count; ++k) {
        while (i < count && compare_pairs(&found[i], &expected[k]) < 0) {
            ++i;
            ++extra;
        }
        if (i < count && compare_pairs(&found[i], &expected[k]) == 0)
            ++i;
        else
            ++missing;
    }
    extra += count - i;
    return missing + (exact ? extra : 0);
}

// Fills pairs.count; returns wrong pairs, or -1 when memory is short.
static int judge(contestant* who, const ts_pair* expected, int expected_count) {
    if (!who->peer) return wrong_pairs(who->pairs.pair, who->pairs.count, expected, expected_count, 1);
    int count = who->peer->pairs(who->peer_state, NULL, 0);
    ts_pair* found = (ts_pair*)malloc((size_t)count * sizeof(ts_pair) + 1);
    if (!found) return -1;
    who->peer->pairs(who->peer_state, found, count);
    qsort(found, (size_t)count, sizeof *found, compare_pairs);
    int wrong = wrong_pairs(found, count, expected, expected_count, who->peer->exact);
    who->pairs.count = count;
    free(found);
    return wrong;
}

#if defined(TS_PEER_BULLET) || defined(TS_PEER_FCL)
static void add_peers(contestant* who, int* count, const ts_bench_broad_peer* peers, int peer_count) {
    for (int i = 0; i < peer_count && *count < CONTESTANTS_MAX; ++i, ++*count) {
        strncpy(who[*count].name, peers[i].name, sizeof who->name - 1);
        who[*count].peer = &peers[i];
        who[*count].count_limit = peers[i].count_limit;
    }
}
#endif

static int gather(contestant* who) {
    int count = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int workers = cores > 8 ? 8 : (int)cores;
    strcpy(who[count].name, "touchstone, 1 thread");
    who[count++].count_limit = INT32_MAX;
    if (workers > 1 && (who[count].pool = ts_task_pool_create(workers))) {
        snprintf(who[count].name, sizeof who->name, "touchstone, %d threads", workers);
        who[count++].count_limit = INT32_MAX;
    }
    for (int i = 0; i < ts_broad_phase_method_count(); ++i, ++count) {
        who[count].method = ts_broad_phase_method_at(i);
        snprintf(who[count].name, sizeof who->name, "%s, no memory", who[count].method->name);
        who[count].count_limit = strcmp(who[count].method->name, "brute-force") ? INT32_MAX : BRUTE_FORCE_LIMIT;
    }
    const ts_bench_broad_peer* peers = NULL;
    int peer_count = 0;
    (void)peers;
    (void)peer_count;
#ifdef TS_PEER_BULLET
    peer_count = ts_bench_broad_bullet(&peers);
    add_peers(who, &count, peers, peer_count);
#endif
#ifdef TS_PEER_FCL
    peer_count = ts_bench_broad_fcl(&peers);
    add_peers(who, &count, peers, peer_count);
#endif
    return count;
}

typedef struct arena_run {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* table;
    contestant* who;
    int contestants;
    int wrong;  // of ours
} arena_run;

// What has no memory takes long for many boxes and varies little: it sits out all but the last updates.
static int sits_out(const contestant* who, const crowd* c, int left) {
    if (c->count > 10000 && who->method && left > 10) return 1;
    return who->count_limit == BRUTE_FORCE_LIMIT && who->method && c->count > 1000 && left > 5;
}

// The updates of one crowd; returns 0 when asked to stop or when something failed. Whoever remembers is first led to
// the state in which boxes leave their enlarged boxes at different times.
static int race(arena_run* run, crowd* c, double time_step, int steps, int* in) {
    int settling = (int)(0.05 / time_step);
    crowd_move(c, 0.0);
    for (int k = 0; k < run->contestants; ++k) {
        in[k] = enter(&run->who[k], c);
        if (!in[k]) continue;
        double first = run_update(&run->who[k], c);
        if (first < 0.0) return 0;
        run->who[k].cold += first;
    }
    for (int step = -settling; step < steps; ++step) {
        crowd_move(c, time_step);
        for (int turn = 0; turn < run->contestants; ++turn) {
            int k = (turn + step + settling) % run->contestants;
            contestant* who = &run->who[k];
            if (!in[k] || (step < 0 && who->method)) continue;
            double seconds = sits_out(who, c, steps - step) ? (double)NAN : run_update(who, c);
            if (seconds < 0.0) return 0;
            if (step >= 0) who->seconds[step] = seconds;
        }
        if (ts_bench_progress(run->report, -1.0, 1.0)) return 0;
    }
    return 1;
}

static int report_size(arena_run* run, int size, int motion, const char* motion_name, const int* in, int steps) {
    const contestant* reference = NULL;
    for (int k = 0; k < run->contestants; ++k)
        if (in[k] && run->who[k].method && (!reference || strcmp(run->who[k].method->name, "brute-force") == 0))
            reference = &run->who[k];
    if (!reference) return 0;
    int reference_count = reference->pairs.count;
    for (int k = 0; k < run->contestants; ++k) {
        contestant* who = &run->who[k];
        who->by_size[motion][size] = (double)NAN;
        if (!in[k]) continue;
        int wrong = judge(who, reference->pairs.pair, reference_count);
        int timed = 0;
        for (int i = 0; i < steps; ++i)
            if (isfinite(who->seconds[i])) who->seconds[timed++] = who->seconds[i];
        ts_bench_sample sample = ts_bench_summarise(who->seconds, timed);
        if (wrong != 0 && !who->peer) run->wrong = 1;
        who->by_size[motion][size] = sample.median * 1e3;
        ts_bench_row(run->table);
        ts_bench_text(run->table, "%s", motion_name);
        ts_bench_number(run->table, sizes[size]);
        ts_bench_text(run->table, "%s", who->name);
        ts_bench_number(run->table, sample.median * 1e3);
        ts_bench_number(run->table, sample.mean * 1e3);
        ts_bench_number(run->table, sample.least * 1e3);
        ts_bench_number(run->table, sample.p99 * 1e3);
        ts_bench_number(run->table, sample.median * 1e9 / (double)(reference_count + sizes[size]));
        ts_bench_number(run->table, who->method ? (double)NAN : who->cold * 1e3);
        ts_bench_number(run->table, who->pairs.count);
        ts_bench_number(run->table, wrong);
    }
    return 1;
}

static void add_columns(ts_bench_table* table) {
    ts_bench_add_column(table, "motion", "");
    ts_bench_add_column(table, "boxes", "");
    ts_bench_add_column(table, "who", "");
    ts_bench_add_column(table, "update", "ms");
    ts_bench_add_column(table, "mean", "ms");
    ts_bench_add_column(table, "least", "ms");
    ts_bench_add_column(table, "p99", "ms");
    ts_bench_add_column(table, "per box and pair", "ns");
    ts_bench_add_column(table, "first update", "ms");
    ts_bench_add_column(table, "pairs given", "");
    ts_bench_add_column(table, "wrong pairs", "");
}

static void add_figures(arena_run* run, int motion, const char* stem, const char* title) {
    double x[SIZES];
    ts_bench_figure* figure = ts_bench_add_figure(run->report, stem, title, (ts_bench_axis){"boxes", "", TS_BENCH_LOG},
                                                  (ts_bench_axis){"update", "ms", TS_BENCH_LOG});
    for (int i = 0; i < SIZES; ++i) x[i] = sizes[i];
    for (int k = 0; k < run->contestants; ++k)
        ts_bench_add_curve(figure, run->who[k].name, x, run->who[k].by_size[motion], SIZES);
}

int ts_bench_broad_phase(const ts_bench_options* options, ts_bench_report* report) {
    static const struct {
        const char* name;
        double time_step;  // s, at up to 1 m/s along each axis
        const char* stem;
        const char* title;
    } motions[2] = {
        {"2 mm", 0.002, "broad-phase-slow", "Broad phase: boxes that move up to 2 mm per axis and update"},
        {"16 mm", 0.016, "broad-phase-fast", "Broad phase: boxes that move up to 16 mm per axis and update"}};
    int steps = options->quick ? 12 : 40, end = TS_BENCH_DONE, largest = options->quick ? 5 : SIZES;
    contestant* who = (contestant*)calloc(CONTESTANTS_MAX, sizeof *who);
    double* seconds = (double*)calloc((size_t)CONTESTANTS_MAX * (size_t)steps, sizeof *seconds);
    if (!who || !seconds) {
        free(who);
        free(seconds);
        return ts_bench_fail(report, "out of memory");
    }
    arena_run run = {options, report, ts_bench_add_table(report, "updates", "All pairs of moving boxes"), who, 0, 0};
    add_columns(run.table);
    run.contestants = gather(who);
    for (int k = 0; k < run.contestants; ++k) {
        who[k].seconds = seconds + (size_t)k * (size_t)steps;
        for (int i = 0; i < 2 * SIZES; ++i) who[k].by_size[i / SIZES][i % SIZES] = (double)NAN;
    }
    for (int motion = 0; motion < 2 && end == TS_BENCH_DONE; ++motion) {
        if (!ts_bench_wanted(report, options, motions[motion].stem)) continue;
        for (int size = 0; size < largest && end == TS_BENCH_DONE; ++size) {
            crowd c;
            int in[CONTESTANTS_MAX] = {0};
            memset(&c, 0, sizeof c);
            if (!crowd_make(&c, sizes[size], options->seed))
                end = ts_bench_fail(report, "out of memory");
            else if (!race(&run, &c, motions[motion].time_step, steps, in))
                end = report->stopped ? TS_BENCH_STOPPED
                                      : ts_bench_fail(report, "%d boxes could not be run", sizes[size]);
            else
                report_size(&run, size, motion, motions[motion].name, in, steps);
            for (int k = 0; k < run.contestants; ++k) leave(&who[k]);
            crowd_free(&c);
            if (ts_bench_progress(report, motion * largest + size + 1.0, 2.0 * largest) && end == TS_BENCH_DONE)
                end = TS_BENCH_STOPPED;
        }
        add_figures(&run, motion, motions[motion].stem, motions[motion].title);
    }
    ts_bench_note(report,
                  "update: median of %d updates in turns, all boxes moved and all pairs known, once boxes leave their "
                  "enlarged boxes at different times; per box and pair: that over the sum of both numbers",
                  steps);
    ts_bench_note(report,
                  "wrong pairs: against brute force up to %d boxes, else against sort-and-sweep; missing ones, and "
                  "for ours also those too many. Peers keep enlarged boxes and give more pairs, unordered; ours come "
                  "exact and sorted",
                  BRUTE_FORCE_LIMIT);
    for (int k = 0; k < run.contestants; ++k) ts_task_pool_destroy(who[k].pool);
    free(who);
    free(seconds);
    return end == TS_BENCH_DONE && run.wrong ? TS_BENCH_WRONG : end;
}
