// Microseconds per step and per contact: one cube, a stack of ten, and a falling pile of a thousand mixed shapes,
// beside Bullet when it is built in. Engines take turns in short blocks of steps, so that a machine whose speed drifts
// slows all of them alike; quoted are medians over the later steps with the 10 % and 90 % points. Before any speed is
// compared the answers must agree: see `agrees`.
#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/world.h"
#include "scenes/scene_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNNER_MAX = 4, BLOCK = 10 };

// One engine with its settings on one scene.
typedef struct runner {
    char label[64];
    const ts_bench_engine* engine;
    ts_bench_settings settings;
    ts_bench_world* world;
    double* seconds;      // per timed step
    double* per_contact;  // per timed step
    int timed;
    int alive;
    double mean_height;
    double contacts;     // mean over timed steps
    double penetration;  // worst over timed steps, m
    double residual;     // worst over timed steps; < 0 unknown
    ts_bench_sample step;
    ts_bench_sample contact;
} runner;

// What to run: steps before timing starts, steps timed, and how far mean heights may differ for answers to agree.
typedef struct bench_case {
    const char* scene;
    int warm_steps;
    int timed_steps;
    double height_tolerance;  // m
} bench_case;

static const bench_case cases[] = {
    {"sliding-cube", 20, 200, 1e-3},
    {"stack-10", 500, 1500, 1e-3},
    // Piles are chaotic: only their mean height is comparable. 750 steps of 4 ms; the first quarter falls freely.
    {"pile-1000", 190, 560, 0.1},
};

static int free_count(const ts_model* model) {
    int count = 0;
    for (int j = 0; j < model->joint_count; ++j) count += model->joint[j].type == TS_JOINT_FREE;
    return count;
}

static double mean_height(runner* r, int bodies) {
    double sum = 0.0;
    for (int b = 0; b < bodies; ++b) {
        double p[3];
        r->engine->centre(r->world, b, p);
        sum += p[2];
    }
    return sum / bodies;
}

static int make_runners(const ts_model* model, runner* r) {
    int n = 0;
    memset(r, 0, RUNNER_MAX * sizeof *r);
    snprintf(r[n].label, sizeof r[n].label, "touchstone %s, scene settings", model->options.solver);
    r[n++].engine = ts_bench_touchstone();
    snprintf(r[n].label, sizeof r[n].label, "touchstone %s, 10 sweeps", model->options.solver);
    r[n].settings.iterations = 10;
    r[n++].engine = ts_bench_touchstone();
#ifdef TS_PEER_BULLET
    snprintf(r[n].label, sizeof r[n].label, "bullet double, 10 sweeps");
    r[n].settings.iterations = 10;
    r[n++].engine = ts_bench_bullet();
#endif
    return n;
}

static void time_block(runner* r, int steps, int timed) {
    for (int i = 0; i < steps && r->alive; ++i) {
        double begin = ts_clock_seconds();
        r->alive = r->engine->step(r->world);
        double seconds = ts_clock_seconds() - begin;
        if (!timed || !r->alive) continue;
        ts_bench_state s = r->engine->state(r->world);
        r->seconds[r->timed] = seconds;
        r->per_contact[r->timed] = seconds / (s.contacts > 0 ? s.contacts : 1);
        r->contacts += s.contacts;
        if (s.penetration > r->penetration) r->penetration = s.penetration;
        if (s.residual > r->residual) r->residual = s.residual;
        ++r->timed;
    }
}

// The answers agree when every engine's mean height is within the case's tolerance of the first one's.
static int agrees(const bench_case* c, const runner* r, int n) {
    int all = 1;
    for (int i = 0; i < n; ++i)
        all = all && r[i].alive && fabs(r[i].mean_height - r[0].mean_height) <= c->height_tolerance;
    return all;
}

static ts_bench_table* add_table(ts_bench_report* report) {
    ts_bench_table* t = ts_bench_add_table(report, "step", "Time per step and per contact, one thread");
    ts_bench_add_column(t, "scene", "");
    ts_bench_add_column(t, "engine", "");
    ts_bench_add_column(t, "answers", "");
    ts_bench_add_column(t, "step", "us");
    ts_bench_add_column(t, "10 %", "us");
    ts_bench_add_column(t, "90 %", "us");
    ts_bench_add_column(t, "contacts", "");
    ts_bench_add_column(t, "per contact", "us");
    ts_bench_add_column(t, "ratio", "");
    ts_bench_add_column(t, "worst overlap", "mm");
    ts_bench_add_column(t, "natural map", "");
    ts_bench_add_column(t, "mean height", "m");
    return t;
}

static void add_case(ts_bench_table* t, const bench_case* c, const runner* r, int n, int agreed) {
    for (int i = 0; i < n; ++i) {
        ts_bench_row(t);
        ts_bench_text(t, "%s", c->scene);
        ts_bench_text(t, "%s", r[i].label);
        ts_bench_text(t, "%s", !r[i].alive ? "FAILED" : (agreed ? "agree" : "DIFFER"));
        if (!r[i].alive) continue;
        ts_bench_number(t, 1e6 * r[i].step.median);
        ts_bench_number(t, 1e6 * r[i].step.p10);
        ts_bench_number(t, 1e6 * r[i].step.p90);
        ts_bench_number(t, r[i].contacts);
        ts_bench_number(t, 1e6 * r[i].contact.median);
        ts_bench_number(t, r[i].step.median / r[n - 1].step.median);
        ts_bench_number(t, 1e3 * r[i].penetration);
        ts_bench_number(t, r[i].residual >= 0.0 ? r[i].residual : (double)NAN);
        ts_bench_number(t, r[i].mean_height);
    }
}

static int run_case(const bench_case* c, const ts_bench_options* options, ts_bench_table* table,
                    ts_bench_report* report) {
    ts_loaded_scene scene;
    ts_status status;
    if (ts_scene_load(c->scene, NULL, &scene, &status))
        return ts_bench_fail(report, "%s: %s", c->scene, status.message);
    runner r[RUNNER_MAX];
    int n = make_runners(scene.model, r);
    int bodies = free_count(scene.model);
    int warm = c->warm_steps;
    int timed = options->quick ? c->timed_steps / 10 : c->timed_steps;
    int ready = 1;
    for (int i = 0; i < n; ++i) {
        r[i].settings.time_step = scene.model->options.time_step;
        r[i].settings.solver = scene.model->options.solver;
        r[i].residual = -1.0;
        r[i].world = r[i].engine->create(scene.model, &r[i].settings);
        r[i].seconds = calloc((size_t)timed + BLOCK, sizeof(double));
        r[i].per_contact = calloc((size_t)timed + BLOCK, sizeof(double));
        r[i].alive = r[i].world != NULL;
        ready = ready && r[i].alive && r[i].seconds && r[i].per_contact;
    }
    int result = ready ? TS_BENCH_DONE : ts_bench_fail(report, "%s: an engine could not be set up", c->scene);
    for (int done = 0; result == TS_BENCH_DONE && done < warm + timed; done += BLOCK) {
        for (int i = 0; i < n; ++i) time_block(&r[i], BLOCK, done >= warm);
        if (ts_bench_progress(report, done, warm + timed)) result = TS_BENCH_STOPPED;
    }
    for (int i = 0; result == TS_BENCH_DONE && i < n; ++i) {
        if (r[i].alive) r[i].mean_height = mean_height(&r[i], bodies);
        r[i].contacts /= r[i].timed > 0 ? r[i].timed : 1;
        r[i].step = ts_bench_summarise(r[i].seconds, r[i].timed);
        r[i].contact = ts_bench_summarise(r[i].per_contact, r[i].timed);
    }
    if (result == TS_BENCH_DONE) {
        int agreed = agrees(c, r, n);
        add_case(table, c, r, n, agreed);
        ts_bench_note(report, "%s: %d bodies, answers %s (mean height within %g m).", c->scene, bodies,
                      agreed ? "agree" : "DIFFER, so speeds are not comparable", c->height_tolerance);
        if (!agreed) result = TS_BENCH_WRONG;
    }
    for (int i = 0; i < n; ++i) {
        r[i].engine->destroy(r[i].world);
        free(r[i].seconds);
        free(r[i].per_contact);
    }
    ts_loaded_scene_free(&scene);
    return result;
}

int ts_bench_step(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* table = add_table(report);
    int worst = TS_BENCH_DONE;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (!ts_bench_wanted(report, options, cases[i].scene)) continue;
        int result = run_case(&cases[i], options, table, report);
        if (result > worst) worst = result;
        if (worst >= TS_BENCH_FAILED) return worst;
    }
    ts_bench_note(report, "ratio: time per step against the last line of the scene. Time is wall clock of one thread.");
    return worst;
}
