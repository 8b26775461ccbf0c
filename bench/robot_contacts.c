// Contact problems of robots, cold and warm: "Contact Models in Robotics", Fig. 16, on Solo-12, Talos and the Allegro hand.
//
// A robot stands (servos hold its pose) while a force shakes its base, or a hand has a ball dropped into it; `ncp` drives. In steps along the way every solver is
// given that step's problem, from nothing and from the impulses the step before ended with, ten times each; the fastest eight are averaged, as the
// paper does. Once articulated, and once locked: all bodies one, as in the paper's program. All solvers see the same problems, so that none is slow because it
// has fallen over; one that would take longer than its patience over all of them is asked about every second, fourth, ... along the whole way, and a solve that
// takes a tenth of the patience alone is not repeated. An answer counts as solved when its solver says so, which tests certify from outside.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/robot_stand.h"
#include "bench/stopwatch.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"

enum { REPEATS = 10, COUNTED = 8, STEPS = 400, SAMPLES = 100, QUICK_SAMPLES = 4 };

// What each solver did.
typedef struct tally {
    double seconds[2][SAMPLES];  // cold, warm
    double iterations[2];        // sums
    int solved[2];
    int count;
    int stride;    // problems from one that it is asked about to the next
    double spent;  // s of processor time, all repeats
} tally;

// How far all of it is.
typedef struct journey {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* table;
    int done, steps;  // of all stands together
    int stopped;      // somebody has had enough
} journey;

typedef struct stand {
    const ts_bench_stand* robot;
    ts_sim* sim;
    double* rest;  // (nq) where servos hold it
    int base;      // the body that is shaken, or -1
} stand;

// s of processor time that a solver may take of a robot.
static const double patience = 1.5;

// --- the run ---------------------------------------------------------------------------------------------------------------

static void open_stand(stand* s, const ts_bench_stand* c, ts_sim* sim) {
    const ts_model* m = sim->model;
    s->robot = c;
    s->sim = sim;
    s->base = -1;
    for (int b = 1; b < m->body_count && s->base < 0; ++b)
        if (m->body[b].joint_count > 0 && m->joint[m->body[b].joint_first].type == TS_JOINT_FREE) s->base = b;
    s->rest = (double*)malloc(((size_t)m->nq + 1) * sizeof(double));
    if (s->rest) memcpy(s->rest, sim->qpos, (size_t)m->nq * sizeof(double));
}

// Servos where the file has none, and what shakes the base.
static void drive(const stand* s) {
    const ts_model* m = s->sim->model;
    double t = s->sim->time;
    for (int j = 0; j < m->joint_count && s->robot->stiffness > 0.0; ++j) {
        const ts_joint* joint = &m->joint[j];
        if (joint->type != TS_JOINT_HINGE && joint->type != TS_JOINT_SLIDE) continue;
        s->sim->force_applied[joint->dof_first] =
            s->robot->stiffness * (s->rest[joint->qpos_first] - s->sim->qpos[joint->qpos_first]) -
            s->robot->damping * s->sim->qvel[joint->dof_first];
    }
    if (s->base >= 0 && s->robot->shake > 0.0)
        s->sim->wrench_applied[s->base].force =
            ts_vec3_scale(s->robot->shake, ts_vec3_make(sin(2.0 * t), sin(2.0 * t + 1.0), sin(2.0 * t + 2.0)));
}

// The mean of the fastest eight of ten solves from that start, s. The last answer is left in `impulse`.
static double solve_repeatedly(const ts_solver* solver, const ts_contact_problem* problem, const double* start,
                               ts_arena* scratch, double* impulse, tally* t, ts_solve_report* out_report) {
    double seconds[REPEATS], sum = 0.0;
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(solver, settings);
    ts_solver_set(solver, settings, "tolerance", 1e-6, NULL);
    int repeats = REPEATS, counted = COUNTED;
    double start_of_all = ts_clock_thread_seconds();
    for (int k = 0; k < repeats; ++k) {
        memcpy(impulse, start, (size_t)problem->row_count * sizeof(double));
        ts_stopwatch watch = ts_stopwatch_begin();
        *out_report = ts_solver_solve(solver, problem, settings, scratch, impulse);
        seconds[k] = ts_stopwatch_seconds(watch);
        if (seconds[0] > 0.1 * patience) repeats = counted = 1;
    }
    t->spent += ts_clock_thread_seconds() - start_of_all;
    for (int k = 0; k < counted; ++k) {
        int least = k;
        for (int i = k + 1; i < repeats; ++i) least = seconds[i] < seconds[least] ? i : least;
        double swap = seconds[k];
        seconds[k] = seconds[least];
        seconds[least] = swap;
        sum += seconds[k];
    }
    return sum / counted;
}

// Lets it skip problems so that all that are left of its share are answered in time.
static void plan(tally* t, int left) {
    if (t->stride == 0) t->stride = 1;
    while (t->count > 0 && t->spent + t->spent / t->count * left / t->stride > patience && t->stride < 2 * SAMPLES)
        t->stride *= 2;
}

// All solvers on the problem that the simulation stands before, number `which` of `samples`. `warm` (row_count) and `cold`, zeros, are starts.
static void ask_all(const ts_sim* sim, const int which[2], double* numbers, ts_arena* scratch, tally* all) {
    int n = sim->problem.row_count;
    double *warm = numbers, *cold = numbers + n, *impulse = numbers + 2 * n;
    memcpy(warm, sim->impulse, (size_t)n * sizeof(double));
    memset(cold, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < ts_solver_count(); ++k) {
        tally* t = &all[k];
        plan(t, which[1] - which[0]);
        if (which[0] % t->stride != 0 || t->count == SAMPLES) continue;
        for (int is_warm = 0; is_warm < 2; ++is_warm) {
            ts_solve_report report;
            t->seconds[is_warm][t->count] =
                solve_repeatedly(ts_solver_at(k), &sim->problem, is_warm ? warm : cold, scratch, impulse, t, &report);
            t->iterations[is_warm] += report.iterations;
            t->solved[is_warm] += report.status == TS_SOLVE_CONVERGED;
        }
        ++t->count;
    }
}

static int samples_of(const journey* trip) { return trip->options->quick ? QUICK_SAMPLES : SAMPLES; }

// Along the way; returns the contacts of the steps that were asked about, summed, or -1.
static double run_stand(const stand* s, journey* trip, tally* all, ts_status* status) {
    ts_arena scratch = {0};
    double *numbers = NULL, contacts = 0.0;
    int room = 0, samples = samples_of(trip);
    for (int step = 0; step < STEPS && contacts >= 0.0 && !trip->stopped; ++step) {
        drive(s);
        if (step % (STEPS / samples) == STEPS / samples - 1) {
            if (ts_sim_forward(s->sim, status)) contacts = -1.0;
            int n = contacts < 0.0 ? 0 : s->sim->problem.row_count;
            if (n > room) {
                free(numbers);
                numbers = (double*)calloc(3 * (size_t)n, sizeof *numbers);
                room = numbers ? n : 0;
            }
            if (n > 0 && n <= room) {
                const int which[2] = {step / (STEPS / samples), samples};
                ask_all(s->sim, which, numbers, &scratch, all);
                contacts += s->sim->contact_count;
            }
            trip->stopped = ts_bench_progress(trip->report, trip->done + step, trip->steps);
        }
        if (contacts >= 0.0 && ts_sim_step(s->sim, status)) contacts = -1.0;
    }
    trip->done += STEPS;
    free(numbers);
    ts_arena_free(&scratch);
    return contacts;
}

static void add_rows(ts_bench_table* t, const char* name, tally* all) {
    for (int k = 0; k < ts_solver_count(); ++k) {
        tally* a = &all[k];
        if (a->count == 0) continue;
        ts_bench_sample cold = ts_bench_summarise(a->seconds[0], a->count);
        ts_bench_sample warm = ts_bench_summarise(a->seconds[1], a->count);
        ts_bench_row(t);
        ts_bench_text(t, "%s", name);
        ts_bench_text(t, "%s", ts_solver_at(k)->name);
        const double numbers[] = {a->count,
                                  1e6 * cold.median,
                                  1e6 * cold.p90,
                                  a->iterations[0] / a->count,
                                  (double)a->solved[0] / a->count,
                                  1e6 * warm.median,
                                  1e6 * warm.p90,
                                  a->iterations[1] / a->count,
                                  (double)a->solved[1] / a->count,
                                  cold.median / warm.median};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) ts_bench_number(t, numbers[i]);
    }
}

static void race(journey* trip, const ts_bench_stand* c, const char* name, ts_sim* sim) {
    stand s;
    ts_status status;
    tally* all = (tally*)calloc((size_t)ts_solver_count(), sizeof *all);
    memset(&s, 0, sizeof s);
    ts_status_ok(&status);
    open_stand(&s, c, sim);
    if (all && s.rest) {
        double contacts = run_stand(&s, trip, all, &status);
        if (contacts < 0.0)
            ts_bench_note(trip->report, "%s: %s", name, status.message);
        else if (!trip->stopped)
            ts_bench_note(trip->report, "%s: %d degrees of freedom, %.1f contacts on average.", name, sim->model->nv,
                          contacts / samples_of(trip));
        if (!trip->stopped) add_rows(trip->table, name, all);
    }
    free(all);
    free(s.rest);
}

// One robot, articulated and then locked.
static void try_robot(journey* trip, const ts_bench_stand* c, const ts_model* model) {
    char name[64];
    ts_status status;
    ts_sim *sim = NULL, *locked_sim = NULL;
    ts_model* locked = NULL;
    if (ts_sim_create(model, 1, &sim, &status)) {
        ts_bench_note(trip->report, "%s: %s", c->name, status.message);
        return;
    }
    ts_bench_stand_begin(c, sim, 1e-6);
    ts_code code = ts_scene_lock(sim, &locked, &status);
    sim->options.time_step = 1e-3;
    race(trip, c, c->name, sim);
    if (!code) code = ts_sim_create(locked, 1, &locked_sim, &status);
    snprintf(name, sizeof name, "%s, locked", c->name);
    if (code) {
        ts_bench_note(trip->report, "%s: %s", name, status.message);
    } else {
        locked_sim->options.time_step = 1e-3;
        race(trip, c, name, locked_sim);
    }
    ts_sim_free(locked_sim);
    ts_model_free(locked);
    ts_sim_free(sim);
}

// Scenes of our own, where there is no folder of robots.
static void try_own(journey* trip) {
    static const char* const own[] = {"quadruped", "biped", "hand"};
    for (int i = 0; i < 3 && !trip->stopped; ++i) {
        ts_bench_stand c = {.name = own[i], .extra = "", .shake = i < 2 ? 5.0 : 0.0};
        ts_loaded_scene scene;
        ts_status status;
        if (!ts_bench_wanted(trip->report, trip->options, own[i])) continue;
        if (ts_scene_load(own[i], NULL, &scene, &status)) {
            ts_bench_note(trip->report, "%s: %s", own[i], status.message);
            continue;
        }
        try_robot(trip, &c, scene.model);
        ts_loaded_scene_free(&scene);
    }
}

static void try_all(journey* trip) {
    const ts_bench_stand* c;
    for (int i = 0; (c = ts_bench_stand_at(i)) != NULL && !trip->stopped; ++i) {
        if (!ts_bench_wanted(trip->report, trip->options, c->name)) continue;
        ts_model* model = ts_bench_stand_open(trip->options, trip->report, c);
        if (model) try_robot(trip, c, model);
        ts_model_free(model);
    }
}

int ts_bench_robot_contacts(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* t =
        ts_bench_add_table(report, "robot-contacts", "Contact problems of robots, share of the problem unmet 1e-6");
    static const char* const names[] = {"robot", "solver", "problems"};
    for (int i = 0; i < 3; ++i) ts_bench_add_column(t, names[i], "");
    for (int i = 0; i < 2; ++i) {
        ts_bench_add_column(t, i ? "warm" : "cold", "us");
        ts_bench_add_column(t, "90 %", "us");
        ts_bench_add_column(t, "iterations", "");
        ts_bench_add_column(t, "solved", "");
    }
    ts_bench_add_column(t, "cold / warm", "");
    journey trip = {.options = options, .report = report, .table = t, .steps = 3 * 2 * STEPS};
    if (options->data_folder) {
        try_all(&trip);
    } else {
        try_own(&trip);
        ts_bench_note(
            report,
            "TOUCHSTONE_DATA names no folder: our own robots stand in for Solo-12, Talos and the Allegro hand.");
    }
    ts_bench_note(
        report,
        "Every %d-th of %d steps of 1 ms, the same problem for all; means of the fastest %d of %d solves. Who "
        "would take longer than %g s of processor time over a robot's problems is asked about a part of them, evenly "
        "along the way.",
        STEPS / SAMPLES, STEPS, COUNTED, REPEATS, patience);
    return trip.stopped ? TS_BENCH_STOPPED : TS_BENCH_DONE;
}
