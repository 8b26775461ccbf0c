// Microseconds per step and per contact: one cube, a stack of ten, and a falling pile of a thousand mixed shapes,
// beside Bullet when it is built in. Engines take turns in short blocks of steps, so that a machine whose speed drifts
// slows all of them alike; quoted are medians over the later steps with the 10 % and 90 % points. Before any speed is
// compared the answers must agree: see `agrees`.
#include "base/clock.h"
#include "bench/harness.h"
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
#ifdef TS_HAVE_BULLET
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

static void print_case(const bench_case* c, const runner* r, int n, int bodies, int agreed) {
    printf("\n%s: %d bodies, answers %s (mean height within %g m)\n", c->scene, bodies,
           agreed ? "agree" : "DISAGREE, speeds are not comparable", c->height_tolerance);
    printf("  %-36s %10s %21s %9s %11s %8s %10s %10s\n", "engine", "us/step", "[10 % .. 90 %]", "contacts",
           "us/contact", "ratio", "worst pen.", "residual");
    for (int i = 0; i < n; ++i) {
        if (!r[i].alive) {
            printf("  %-36s stopped: the engine failed\n", r[i].label);
            continue;
        }
        char residual[32] = "-";
        if (r[i].residual >= 0.0) snprintf(residual, sizeof residual, "%.1e", r[i].residual);
        printf("  %-36s %10.2f [%9.2f %9.2f] %9.0f %11.3f %8.2f %8.3fmm %10s\n", r[i].label, 1e6 * r[i].step.median,
               1e6 * r[i].step.p10, 1e6 * r[i].step.p90, r[i].contacts, 1e6 * r[i].contact.median,
               r[i].step.median / r[n - 1].step.median, 1e3 * r[i].penetration, residual);
    }
}

static void write_case(ts_json* json, const bench_case* c, const runner* r, int n, int agreed) {
    for (int i = 0; i < n; ++i) {
        ts_json_object(json);
        ts_json_key(json, "scene");
        ts_json_string(json, c->scene);
        ts_json_key(json, "engine");
        ts_json_string(json, r[i].label);
        ts_json_key(json, "answers_agree");
        ts_json_bool(json, agreed);
        ts_json_key(json, "us_per_step");
        ts_json_number(json, 1e6 * r[i].step.median);
        ts_json_key(json, "us_per_step_p10");
        ts_json_number(json, 1e6 * r[i].step.p10);
        ts_json_key(json, "us_per_step_p90");
        ts_json_number(json, 1e6 * r[i].step.p90);
        ts_json_key(json, "us_per_contact");
        ts_json_number(json, 1e6 * r[i].contact.median);
        ts_json_key(json, "contacts");
        ts_json_number(json, r[i].contacts);
        ts_json_key(json, "worst_penetration_m");
        ts_json_number(json, r[i].penetration);
        ts_json_key(json, "worst_ncp_residual");
        ts_json_number(json, r[i].residual >= 0.0 ? r[i].residual : (double)NAN);
        ts_json_key(json, "mean_height_m");
        ts_json_number(json, r[i].mean_height);
        ts_json_key(json, "ratio_to_last");
        ts_json_number(json, r[i].step.median / r[n - 1].step.median);
        ts_json_object_end(json);
    }
}

static int run_case(const bench_case* c, int quick, ts_json* json) {
    ts_loaded_scene scene;
    ts_status status;
    if (ts_scene_load(c->scene, NULL, &scene, &status)) {
        fprintf(stderr, "%s: %s\n", c->scene, status.message);
        return 0;
    }
    runner r[RUNNER_MAX];
    int n = make_runners(scene.model, r);
    int bodies = free_count(scene.model);
    int warm = c->warm_steps;
    int timed = quick ? c->timed_steps / 10 : c->timed_steps;
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
    for (int done = 0; ready && done < warm + timed; done += BLOCK)
        for (int i = 0; i < n; ++i) time_block(&r[i], BLOCK, done >= warm);
    for (int i = 0; ready && i < n; ++i) {
        if (r[i].alive) r[i].mean_height = mean_height(&r[i], bodies);
        r[i].contacts /= r[i].timed > 0 ? r[i].timed : 1;
        r[i].step = ts_bench_summarise(r[i].seconds, r[i].timed);
        r[i].contact = ts_bench_summarise(r[i].per_contact, r[i].timed);
    }
    int agreed = ready && agrees(c, r, n);
    if (ready) {
        print_case(c, r, n, bodies, agreed);
        write_case(json, c, r, n, agreed);
    } else {
        fprintf(stderr, "%s: an engine could not be set up\n", c->scene);
    }
    for (int i = 0; i < n; ++i) {
        r[i].engine->destroy(r[i].world);
        free(r[i].seconds);
        free(r[i].per_contact);
    }
    ts_loaded_scene_free(&scene);
    return agreed;
}

int main(int argc, char** argv) {
    ts_bench_flags flags;
    int exit_code = 0;
    if (!ts_bench_parse(argc, argv,
                        "Time per step and per contact of whole scenes, one thread, beside Bullet when built in.",
                        &flags, &exit_code))
        return exit_code;
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_array(&json);
    int all_agreed = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        if (!flags.only || strstr(cases[i].scene, flags.only))
            all_agreed = run_case(&cases[i], flags.quick, &json) && all_agreed;
    ts_json_array_end(&json);
    printf("\nratio: time per step against the last line of its block. Time is wall clock of one thread.\n");
    exit_code = ts_bench_write_json(&flags, &text);
    ts_text_free(&text);
    return all_agreed ? exit_code : 1;
}
