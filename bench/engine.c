// Whole scenes of many bodies: time per step and per stage, memory, and how wrong the answer is, beside other engines.
//
// Standing scenes have a closed form: nothing moves. Sag is how far any body has sunk, sideways how far any has gone along the floor; a body
// that sank by half a box has fallen. Of what is dropped only the deepest overlap, the mean height (potential energy) and how fast centres still move
// over the last ten steps (kinetic energy, as a root mean square) can be compared.
// Engines take turns in short blocks of steps, so that a machine whose speed drifts slows all of them alike. An engine that needs longer than its
// share for a block is broken off after it, and its row says how many steps it made.
#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/engine_growth.h"
#include "bench/world.h"
#include "scenes/scene_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

enum { BLOCK = 10 };

// s: what an engine may spend on a scene.
static const double most_seconds = 20.0, most_seconds_quick = 1.0;

// An engine with settings.
typedef struct contender {
    const char* label;
    const char* solver;
    int iterations;  // < 0: to the model's tolerance; 0: as it comes
    int substeps;
    double omega;  // 0: as it comes
    const ts_bench_engine* (*engine)(void);
} contender;

static const contender contenders[] = {
    {"ncp-pgs, 10 sweeps", "ncp-pgs", 10, 0, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 50 sweeps", "ncp-pgs", 50, 0, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 2 substeps of 7", "ncp-pgs", 7, 2, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 2 substeps of 8", "ncp-pgs", 8, 2, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 2 substeps of 12", "ncp-pgs", 12, 2, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 4 substeps of 3", "ncp-pgs", 3, 4, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 4 substeps of 4", "ncp-pgs", 4, 4, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 4 substeps of 6", "ncp-pgs", 6, 4, 0.0, ts_bench_touchstone},
    {"ncp-pgs, 8 substeps of 2", "ncp-pgs", 2, 8, 0.0, ts_bench_touchstone},
    {"ncp", "ncp", -1, 0, 0.0, ts_bench_touchstone},
    {"mujoco (ours)", "mujoco", -1, 0, 0.0, ts_bench_touchstone},
#ifdef TS_PEER_BULLET
    {"Bullet, 10 sweeps", NULL, 10, 0, 0.0, ts_bench_bullet},
#endif
#ifdef TS_PEER_BOX3D
    {"Box3D", NULL, 0, 0, 0.0, ts_bench_box3d},
#endif
#ifdef TS_PEER_JOLT
    {"Jolt", NULL, 0, 0, 0.0, ts_bench_jolt},
#endif
#ifdef TS_PEER_MUJOCO
    {"MuJoCo, Newton", "newton", 0, 0, 0.0, ts_bench_mujoco_world},
    {"MuJoCo, CG", "cg", 0, 0, 0.0, ts_bench_mujoco_world},
#endif
};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

// A scene and what is to be seen of it.
typedef struct scene_case {
    const char* name;   // of the part
    const char* scene;  // what ts_scene_load knows
    double time_step;   // s
    double duration;    // s
    double from;        // s: steps are timed from here on
    int stands;         // nonzero: nothing should move
    int draws;          // nonzero: how it sinks is a figure
} scene_case;

static const scene_case cases[] = {
    {"cube-1ms", "pyramid:1", 1e-3, 4.0, 1.0, 1, 0},
    {"stack-1ms", "stack-10", 1e-3, 4.0, 1.0, 1, 0},
    {"stack-60hz", "stack-10", 1.0 / 60.0, 10.0, 1.0, 1, 0},
    {"pyramid-60hz", "pyramid:30", 1.0 / 60.0, 10.0, 1.0, 1, 1},
    {"pyramid-1ms", "pyramid:30", 1e-3, 1.0, 0.25, 1, 0},
    {"square-60hz", "square-pyramid:15", 1.0 / 60.0, 5.0, 1.0, 1, 0},
    {"boxes", "pile-boxes:1000", 4e-3, 3.0, 0.75, 0, 0},
    {"icosahedra", "pile-icosahedra:1000", 4e-3, 3.0, 0.75, 0, 0},
};

// One of them on a scene.
typedef struct runner {
    const contender* contender;
    ts_bench_world* world;
    double* start;      // (3 x bodies) m
    double* recent;     // (3 x bodies) m, when the last block began
    double* seconds;    // per timed step
    double *at, *sunk;  // (looks) s and mm: when a block began, how far any body had sunk
    int looks;
    double stage[TS_BENCH_WORLD_STAGES];
    double memory;  // bytes that it holds
    double spent;   // s
    double contacts, penetration, residual;
    double sag, sideways;          // m, of whatever block begins or ends from where they are timed on
    double block;                  // s, that the last block took in the scene
    int steps, seen, timed, told;  // all, from where they are timed on, of them with a time, and with its stages
    int alive;                     // 0: it failed, or was broken off
    int failed;
} runner;

int ts_bench_free_bodies(const ts_model* model) {
    int count = 0;
    for (int j = 0; j < model->joint_count; ++j) count += model->joint[j].type == TS_JOINT_FREE;
    return count;
}

double ts_bench_heap_bytes(void) {
#if defined(__GLIBC__)
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else
    return 0.0;
#endif
}

static int open_runner(runner* r, const ts_model* model, const scene_case* s, int most_steps) {
    const contender* c = r->contender;
    int bodies = ts_bench_free_bodies(model);
    ts_bench_settings settings = {s->time_step, c->iterations, c->solver, 1, c->substeps, c->omega};
    double before = ts_bench_heap_bytes();
    r->residual = -1.0;
    r->world = c->engine()->create(model, &settings);
    r->memory = ts_bench_heap_bytes() - before;
    r->start = (double*)calloc(3 * (size_t)bodies + 1, sizeof(double));
    r->recent = (double*)calloc(3 * (size_t)bodies + 1, sizeof(double));
    r->seconds = (double*)calloc((size_t)most_steps + BLOCK, sizeof(double));
    r->at = (double*)calloc((size_t)most_steps / BLOCK + 1, sizeof(double));
    r->sunk = (double*)calloc((size_t)most_steps / BLOCK + 1, sizeof(double));
    int has_room = r->start && r->recent && r->seconds && r->at && r->sunk;
    r->alive = r->world && has_room;
    r->failed = !r->alive;
    return has_room;
}

static void close_runner(runner* r) {
    if (r->contender) r->contender->engine()->destroy(r->world);
    free(r->start);
    free(r->recent);
    free(r->seconds);
    free(r->at);
    free(r->sunk);
}

// `tells`: an engine that reads the clock for stages where it is asked to has read it, and has taken longer for that.
static void note_step(runner* r, double seconds, int tells) {
    const ts_bench_engine* engine = r->contender->engine();
    ts_bench_state s = engine->state(r->world);
    if (!tells) r->seconds[r->timed++] = seconds;
    if (tells || !engine->tell_stages) {
        ++r->told;
        for (int k = 0; k < TS_BENCH_WORLD_STAGES; ++k) r->stage[k] += s.stage[k];
    }
    ++r->seen;
    r->contacts += s.contacts;
    if (s.penetration > r->penetration) r->penetration = s.penetration;
    if (s.residual > r->residual) r->residual = s.residual;
}

static void find_centres(runner* r, int bodies, double* out) {
    for (int b = 0; b < bodies; ++b) r->contender->engine()->centre(r->world, b, out + 3 * b);
}

// How far any of them has sunk, m.
static double sag_of(const runner* r, int bodies, const double* centre) {
    double sag = 0.0;
    for (int b = 0; b < bodies; ++b) sag = fmax(sag, r->start[3 * b + 2] - centre[3 * b + 2]);
    return sag;
}

// And gone aside.
static void note_places(runner* r, int bodies, const double* centre) {
    r->sag = fmax(r->sag, sag_of(r, bodies, centre));
    for (int b = 0; b < bodies; ++b) {
        const double *now = centre + 3 * b, *then = r->start + 3 * b;
        r->sideways = fmax(r->sideways, hypot(now[0] - then[0], now[1] - then[1]));
    }
}

static void run_block(runner* r, const scene_case* c, double most, int bodies) {
    const ts_bench_engine* engine = r->contender->engine();
    int first = r->steps;
    if (r->alive) {
        find_centres(r, bodies, r->recent);
        r->at[r->looks] = r->steps * c->time_step;
        r->sunk[r->looks++] = 1e3 * sag_of(r, bodies, r->recent);
        if (r->seen > 0) note_places(r, bodies, r->recent);
    }
    double before = ts_bench_heap_bytes();
    for (int i = 0; i < BLOCK && r->alive; ++i) {
        // Once in a block, where caches are warm: what is left out so is no slower than the rest.
        int tells = engine->tell_stages && i == BLOCK - 1;
        if (engine->tell_stages) engine->tell_stages(r->world, tells);
        double begin = ts_clock_seconds();
        r->alive = engine->step(r->world);
        double seconds = ts_clock_seconds() - begin;
        r->failed = !r->alive;
        r->spent += seconds;
        if (r->alive && r->steps++ * c->time_step >= c->from) note_step(r, seconds, tells);
    }
    r->memory += ts_bench_heap_bytes() - before;
    if (r->steps > first) r->block = (r->steps - first) * c->time_step;
    if (r->spent > most) r->alive = 0;
}

static ts_bench_table* add_table(ts_bench_report* report) {
    static const struct {
        const char *name, *unit;
    } column[] = {{"scene", ""},        {"engine", ""},       {"steps", ""},      {"step", "us"},  {"90 %", "us"},
                  {"broad", "us"},      {"narrow", "us"},     {"assemble", "us"}, {"solve", "us"}, {"integrate", "us"},
                  {"contacts", ""},     {"memory", "MB"},     {"overlap", "mm"},  {"sag", "mm"},   {"sideways", "mm"},
                  {"mean height", "m"}, {"restless", "mm/s"}, {"natural map", ""}};
    ts_bench_table* t = ts_bench_add_table(report, "engine", "Scenes of many bodies, one thread");
    for (size_t i = 0; i < sizeof column / sizeof column[0]; ++i)
        ts_bench_add_column(t, column[i].name, column[i].unit);
    return t;
}

static void add_row(ts_bench_table* t, const scene_case* c, runner* r, int bodies, double* centre) {
    double height = 0.0, way = 0.0, seen = r->seen > 0 ? r->seen : (double)NAN;
    if (r->world) {
        find_centres(r, bodies, centre);
        note_places(r, bodies, centre);
    }
    for (int b = 0; b < bodies; ++b) {
        const double* now = centre + 3 * b;
        height += now[2] / bodies;
        way += ts_vec3_norm_squared(ts_vec3_sub(ts_vec3_load(now), ts_vec3_load(r->recent + 3 * b))) / bodies;
    }
    ts_bench_sample step = ts_bench_summarise(r->seconds, r->timed);
    ts_bench_row(t);
    ts_bench_text(t, "%s", c->name);
    ts_bench_text(t, "%s", r->contender->label);
    if (r->failed)
        ts_bench_text(t, "FAILED after %d", r->steps);
    else
        ts_bench_text(t, r->alive ? "%d" : "%d, cut", r->steps);
    if (!r->world) return;
    ts_bench_number(t, 1e6 * step.median);
    ts_bench_number(t, 1e6 * step.p90);
    int tells = 0;
    for (int k = 0; k < TS_BENCH_WORLD_STAGES; ++k) tells |= r->stage[k] > 0.0;
    for (int k = 0; k < TS_BENCH_WORLD_STAGES; ++k)
        ts_bench_number(t, tells ? 1e6 * r->stage[k] / r->told : (double)NAN);
    ts_bench_number(t, r->contacts / seen);
    ts_bench_number(t, r->memory > 0.0 ? 1e-6 * r->memory : (double)NAN);
    ts_bench_number(t, 1e3 * r->penetration);
    ts_bench_number(t, c->stands ? 1e3 * r->sag : (double)NAN);
    ts_bench_number(t, c->stands ? 1e3 * r->sideways : (double)NAN);
    ts_bench_number(t, height);
    ts_bench_number(t, r->block > 0.0 ? 1e3 * sqrt(way) / r->block : (double)NAN);
    ts_bench_number(t, r->residual >= 0.0 ? r->residual : (double)NAN);
}

// How what stands sinks over time; what has fallen is not shown from there on.
static void draw_sag(ts_bench_report* report, const runner* r, int count) {
    static const double fallen = 100.0;  // mm
    ts_bench_axis time = {"time", "s", TS_BENCH_LINEAR}, sag = {"sag", "mm", TS_BENCH_LINEAR};
    ts_bench_figure* figure =
        ts_bench_add_figure(report, "engine-sag", "How far any box of the pyramid of 465 has sunk, 1/60 s", time, sag);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < r[i].looks; ++k)
            if (r[i].sunk[k] > fallen) r[i].sunk[k] = (double)NAN;
        ts_bench_add_curve(figure, r[i].contender->label, r[i].at, r[i].sunk, r[i].looks);
    }
}

// Which of them are asked for, by "SCENE ENGINE". Returns how many.
static int choose(const scene_case* c, const ts_bench_options* options, ts_bench_report* report, runner* r) {
    int count = 0;
    for (int i = 0; i < CONTENDERS; ++i) {
        char name[96];
        snprintf(name, sizeof name, "%s %s", c->name, contenders[i].label);
        if (ts_bench_wanted(report, options, name)) r[count++].contender = &contenders[i];
    }
    return count;
}

static int run_case(const scene_case* c, const ts_bench_options* options, ts_bench_table** io_table,
                    ts_bench_report* report) {
    ts_loaded_scene scene;
    ts_status status;
    runner r[CONTENDERS];
    memset(r, 0, sizeof r);
    int count = choose(c, options, report, r);
    if (count == 0) return TS_BENCH_DONE;
    if (!*io_table) *io_table = add_table(report);
    if (ts_scene_load(c->scene, NULL, &scene, &status))
        return ts_bench_fail(report, "%s: %s", c->scene, status.message);
    int bodies = ts_bench_free_bodies(scene.model), steps = (int)(c->duration / c->time_step + 0.5), ready = 1;
    double most = options->quick ? most_seconds_quick : most_seconds;
    double* centre = (double*)calloc(3 * (size_t)bodies + 1, sizeof(double));
    for (int i = 0; i < count; ++i) ready = open_runner(&r[i], scene.model, c, steps) && ready;
    int result = ready && centre ? TS_BENCH_DONE : ts_bench_fail(report, "%s: out of memory", c->scene);
    for (int i = 0; result == TS_BENCH_DONE && i < count; ++i)
        if (r[i].world) find_centres(&r[i], bodies, r[i].start);
    for (int done = 0; result == TS_BENCH_DONE && done < steps; done += BLOCK) {
        for (int i = 0; i < count; ++i) run_block(&r[i], c, most, bodies);
        if (ts_bench_progress(report, done, steps)) result = TS_BENCH_STOPPED;
    }
    for (int i = 0; result == TS_BENCH_DONE && i < count; ++i) add_row(*io_table, c, &r[i], bodies, centre);
    if (result == TS_BENCH_DONE && c->draws) draw_sag(report, r, count);
    for (int i = 0; i < count; ++i) close_runner(&r[i]);
    free(centre);
    ts_loaded_scene_free(&scene);
    return result;
}

int ts_bench_engine_run(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* table = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int result = run_case(&cases[i], options, &table, report);
        if (result >= TS_BENCH_FAILED) return result;
    }
    int growth = ts_bench_engine_growth(options, report);
    return growth >= TS_BENCH_FAILED ? growth : ts_bench_engine_threads(options, report) | growth;
}
