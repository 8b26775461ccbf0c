// What a step costs from ten bodies to a hundred thousand, and on several threads.
//
// Standing scenes, so that sizes can be compared: a pyramid is one heap, columns of ten are as many islands as there are columns. Before a time
// is told every body must be where it was, to half a box: else the engine's row says that it fell, and where the engine is ours the benchmark fails.
// On one scene engines and numbers of threads take turns step by step, so that a machine whose speed drifts slows all of them alike.
#include "bench/engine_growth.h"

#include "base/clock.h"
#include "base/task.h"
#include "bench/world.h"
#include "scenes/scene_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 4, STEPS = 12, THREAD_STEPS = 60, SIZES = 5, THREADS = 3 };

static const double time_step = 1.0 / 60.0;  // s
static const double fallen = 0.5;            // m: half a box
// s that a step may take before an engine is left out of the next size.
static const double patience = 3.0;

static const char* const heaps[SIZES] = {"pyramid:4", "pyramid:14", "pyramid:44", "pyramid:141", "pyramid:446"};
static const char* const columns[SIZES] = {"columns:1", "columns:10", "columns:100", "columns:1000", "columns:10000"};

// An engine with settings.
typedef struct entry {
    const char* label;
    ts_bench_settings settings;
    const ts_bench_engine* (*engine)(void);
} entry;

static const entry entries[] = {
    {"ncp-pgs, 4 substeps of 6", {time_step, 6, "ncp-pgs", 1, 4, 0.0}, ts_bench_touchstone},
#ifdef TS_PEER_BULLET
    {"Bullet, 10 sweeps", {time_step, 10, NULL, 1, 0, 0.0}, ts_bench_bullet},
#endif
#ifdef TS_PEER_MUJOCO
    {"MuJoCo, CG", {time_step, 0, "cg", 1, 0, 0.0}, ts_bench_mujoco_world},
#endif
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

// One on its way.
typedef struct runner {
    const ts_bench_engine* engine;
    ts_bench_world* world;
    double seconds[THREAD_STEPS];
    int timed;
    double memory;    // bytes
    double contacts;  // of the last step
} runner;

static void open_runner(runner* r, const ts_model* model, const ts_bench_engine* engine,
                        const ts_bench_settings* settings) {
    double before = ts_bench_heap_bytes();
    memset(r, 0, sizeof *r);
    r->engine = engine;
    r->world = engine->create(model, settings);
    r->memory = ts_bench_heap_bytes() - before;
}

static void close_runner(runner* r) {
    if (r->world) r->engine->destroy(r->world);
    r->world = NULL;
}

// A step; what is broken has no world afterwards.
static void step_runner(runner* r, int is_timed) {
    if (!r->world) return;
    double before = ts_bench_heap_bytes(), begin = ts_clock_seconds();
    int is_well = r->engine->step(r->world);
    double seconds = ts_clock_seconds() - begin;
    r->memory += ts_bench_heap_bytes() - before;
    if (!is_well) {
        close_runner(r);
        return;
    }
    if (is_timed) r->seconds[r->timed++] = seconds;
    r->contacts = r->engine->state(r->world).contacts;
}

// m: how far any body has gone from where the model has it; not finite where there is no world.
static double farthest(const runner* r, const ts_model* model, int bodies) {
    double most = r->world ? 0.0 : HUGE_VAL;
    for (int b = 0; r->world && b < bodies; ++b) {
        double now[3];
        const ts_body* body = &model->body[1 + b];
        r->engine->centre(r->world, b, now);
        ts_vec3 moved = ts_vec3_sub(ts_vec3_load(now), body->pose.position);
        most = fmax(most, ts_vec3_norm(moved));
    }
    return most;
}

// --- growth ------------------------------------------------------------------------------------------------------------

typedef struct growth {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* table;
    double bodies[SIZES];
    double us[2][ENTRIES][SIZES];      // a step
    double memory[2][ENTRIES][SIZES];  // bytes of a body
    int is_out[2][ENTRIES];            // too slow for the next size
    int result;
} growth;

static void add_row(growth* g, int kind, int size, int e, runner* r, const ts_model* model) {
    int bodies = ts_bench_free_bodies(model);
    double moved = farthest(r, model, bodies);
    ts_bench_sample step = ts_bench_summarise(r->seconds, r->timed);
    int stands = moved < fallen;
    if (!stands && entries[e].engine == ts_bench_touchstone) g->result = TS_BENCH_WRONG;
    ts_bench_row(g->table);
    ts_bench_text(g->table, "%s", kind ? columns[size] : heaps[size]);
    ts_bench_text(g->table, "%s", entries[e].label);
    ts_bench_number(g->table, bodies);
    ts_bench_number(g->table, r->contacts);
    ts_bench_number(g->table, stands ? 1e6 * step.median : (double)NAN);
    ts_bench_number(g->table, stands && r->contacts > 0.0 ? 1e9 * step.median / r->contacts : (double)NAN);
    ts_bench_number(g->table, r->memory > 0.0 ? r->memory / bodies : (double)NAN);
    ts_bench_number(g->table, r->memory > 0.0 ? r->memory / (2e3 * bodies + 5e2 * r->contacts) : (double)NAN);
    ts_bench_number(g->table, 1e3 * moved);
    g->us[kind][e][size] = stands ? 1e6 * step.median : (double)NAN;
    g->memory[kind][e][size] = r->memory > 0.0 ? r->memory / bodies : (double)NAN;
    g->is_out[kind][e] = !stands || !(step.median < patience / 10.0);
}

static int run_size(growth* g, int kind, int size) {
    ts_loaded_scene scene;
    ts_status status;
    const char* name = kind ? columns[size] : heaps[size];
    if (ts_scene_load(name, NULL, &scene, &status)) return ts_bench_fail(g->report, "%s: %s", name, status.message);
    g->bodies[size] = ts_bench_free_bodies(scene.model);
    // One engine's world at a time, for memory's sake; each is large enough to have the caches to itself anyway.
    for (int e = 0; e < ENTRIES; ++e) {
        runner r;
        g->us[kind][e][size] = g->memory[kind][e][size] = (double)NAN;
        if (g->is_out[kind][e]) continue;
        open_runner(&r, scene.model, entries[e].engine(), &entries[e].settings);
        for (int i = 0; i < WARM; ++i) step_runner(&r, 0);
        for (int i = 0; i < STEPS; ++i) step_runner(&r, 1);
        add_row(g, kind, size, e, &r, scene.model);
        close_runner(&r);
    }
    ts_loaded_scene_free(&scene);
    return TS_BENCH_DONE;
}

static void draw(growth* g, int sizes) {
    ts_bench_axis bodies = {"bodies", "", TS_BENCH_LOG};
    ts_bench_figure* time = ts_bench_add_figure(g->report, "engine-growth", "A step, one thread", bodies,
                                                (ts_bench_axis){"time", "us", TS_BENCH_LOG});
    ts_bench_figure* memory = ts_bench_add_figure(g->report, "engine-memory", "Memory of a body with its contacts",
                                                  bodies, (ts_bench_axis){"memory", "B", TS_BENCH_LOG});
    for (int kind = 0; kind < 2; ++kind)
        for (int e = 0; e < ENTRIES; ++e) {
            char label[64];
            snprintf(label, sizeof label, "%s, %s", kind ? "columns" : "pyramid", entries[e].label);
            ts_bench_add_curve(time, label, g->bodies, g->us[kind][e], sizes);
            ts_bench_add_curve(memory, label, g->bodies, g->memory[kind][e], sizes);
        }
}

int ts_bench_engine_growth(const ts_bench_options* options, ts_bench_report* report) {
    static const struct {
        const char *name, *unit;
    } column[] = {{"scene", ""},
                  {"engine", ""},
                  {"bodies", ""},
                  {"contacts", ""},
                  {"step", "us"},
                  {"per contact", "ns"},
                  {"per body", "B"},
                  {"of 2 kB a body and 0.5 kB a contact", ""},
                  {"farthest from its place", "mm"}};
    if (!ts_bench_wanted(report, options, "growth")) return TS_BENCH_DONE;
    growth g = {.options = options, .report = report};
    int sizes = options->quick ? 2 : SIZES;
    g.table = ts_bench_add_table(report, "engine-growth", "From ten bodies to a hundred thousand, one thread, 1/60 s");
    for (size_t i = 0; i < sizeof column / sizeof column[0]; ++i)
        ts_bench_add_column(g.table, column[i].name, column[i].unit);
    for (int kind = 0; kind < 2; ++kind)
        for (int size = 0; size < sizes; ++size) {
            int result = run_size(&g, kind, size);
            if (result >= TS_BENCH_FAILED) return result;
            if (ts_bench_progress(report, kind * sizes + size, 2 * sizes)) return TS_BENCH_STOPPED;
        }
    draw(&g, sizes);
    return g.result;
}

// --- threads -----------------------------------------------------------------------------------------------------------

static int run_threads(ts_bench_report* report, ts_bench_table* table, const char* name, int steps, double* out_us) {
    ts_loaded_scene scene;
    ts_status status;
    runner r[THREADS];
    double before[3], now[3];
    int result = TS_BENCH_DONE;
    if (ts_scene_load(name, NULL, &scene, &status)) return ts_bench_fail(report, "%s: %s", name, status.message);
    int bodies = ts_bench_free_bodies(scene.model);
    for (int t = 0; t < THREADS; ++t) {
        ts_bench_settings settings = {time_step, 6, "ncp-pgs", 1 << t, 4, 0.0};
        open_runner(&r[t], scene.model, ts_bench_touchstone(), &settings);
    }
    for (int i = 0; i < WARM + steps; ++i)
        for (int t = 0; t < THREADS; ++t) step_runner(&r[t], i >= WARM);
    // The same bits, or no time is worth telling.
    for (int b = 0; b < bodies && result == TS_BENCH_DONE; ++b)
        for (int t = 0; t < THREADS; ++t) {
            if (!r[t].world) {
                result = TS_BENCH_WRONG;
                break;
            }
            r[t].engine->centre(r[t].world, b, t ? now : before);
            for (int k = 0; t && k < 3; ++k)
                if (now[k] != before[k]) result = TS_BENCH_WRONG;
        }
    for (int t = 0; t < THREADS; ++t) {
        out_us[t] = 1e6 * ts_bench_summarise(r[t].seconds, r[t].timed).median;
        ts_bench_row(table);
        ts_bench_text(table, "%s", name);
        ts_bench_number(table, 1 << t);
        ts_bench_number(table, out_us[t]);
        ts_bench_number(table, out_us[0] / out_us[t]);
    }
    for (int t = 0; t < THREADS; ++t) close_runner(&r[t]);
    ts_loaded_scene_free(&scene);
    return result;
}

int ts_bench_engine_threads(const ts_bench_options* options, ts_bench_report* report) {
    static const char* const scenes[] = {"pyramid:30", "square-pyramid:15", "columns:200", "pyramid:141",
                                         "columns:1000"};
    static const double threads[THREADS] = {1.0, 2.0, 4.0};
    if (!ts_bench_wanted(report, options, "threads")) return TS_BENCH_DONE;
    ts_bench_table* table = ts_bench_add_table(report, "engine-threads", "Threads, ncp-pgs, 4 substeps of 6, 1/60 s");
    ts_bench_add_column(table, "scene", "");
    ts_bench_add_column(table, "threads", "");
    ts_bench_add_column(table, "step", "us");
    ts_bench_add_column(table, "over one", "");
    ts_bench_figure* figure = ts_bench_add_figure(report, "engine-threads", "Threads on one heap and on many islands",
                                                  (ts_bench_axis){"threads", "", TS_BENCH_LINEAR},
                                                  (ts_bench_axis){"step", "us", TS_BENCH_LOG});
    int worst = TS_BENCH_DONE, count = options->quick ? 1 : (int)(sizeof scenes / sizeof scenes[0]);
    for (int i = 0; i < count; ++i) {
        double us[THREADS];
        int result = run_threads(report, table, scenes[i], options->quick ? 8 : THREAD_STEPS, us);
        if (result >= TS_BENCH_FAILED) return result;
        if (result > worst) worst = result;
        ts_bench_add_curve(figure, scenes[i], threads, us, THREADS);
    }
    return worst;
}
