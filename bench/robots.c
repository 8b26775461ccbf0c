// Microseconds per step of whole robots: the same file, start and time step in every engine, nothing driven.
//
// Before speed is compared the inertia of the start must agree with ours: else it is not the same robot. What the robot then does is
// each engine's own affair, for a robot that falls over is chaotic; so the depth of contacts and the residual of the exact law
// stand beside each time. Engines take turns in short blocks; quoted are medians over all steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/robot_peer.h"

// Steps of one engine before the next has its turn.
enum { BLOCK = 10, ENGINES = 2 };

// Entries of the inertia may differ by this share of their diagonals: MuJoCo keeps the vertices of meshes, of which some robots
// have their inertia, in single precision.
static const double inertia_tolerance = 1e-7;

// A robot, and where it is below the folder of robots.
typedef struct robot_file {
    const char* name;
    const char* path;
} robot_file;

static const robot_file robots[] = {
    {"panda", "franka_emika_panda/scene.xml"},
    {"allegro", "wonik_allegro/scene_right.xml"},
    {"go2", "unitree_go2/scene.xml"},
    {"anymal-c", "anybotics_anymal_c/scene.xml"},
    {"humanoid", "mujoco_model/humanoid/humanoid.xml"},
    {"h1", "unitree_h1/scene.xml"},
    {"cassie", "agility_cassie/scene.xml"},
    {"apollo", "apptronik_apollo/scene.xml"},
    {"talos", "pal_talos/scene_motor.xml"},
    {"22-humanoids", "mujoco_model/humanoid/22_humanoids.xml"},
};

// One engine on one robot.
typedef struct runner {
    const ts_bench_robot_engine* engine;
    ts_bench_robot* robot;  // NULL: it cannot
    char error[200];
    double* seconds;  // of every step
    int steps;
    int alive;
    double contacts;      // mean
    double* penetration;  // m, of every step
    double natural;       // worst; < 0 unknown
    double difference;    // of the inertia against ours
} runner;

static int list_engines(runner* r) {
    int n = 0;
    memset(r, 0, ENGINES * sizeof *r);
    r[n++].engine = ts_bench_robot_touchstone();
#ifdef TS_PEER_MUJOCO
    r[n++].engine = ts_bench_robot_mujoco();
#endif
    return n;
}

// The largest difference of two inertias, as a share of what the diagonal allows an entry to be.
static double difference(const double* ours, const double* theirs, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double scale = sqrt(fabs(ours[i * n + i] * ours[j * n + j]));
            double d = fabs(ours[i * n + j] - theirs[i * n + j]) / scale;
            if (!(d <= worst)) worst = d;
        }
    return worst;
}

// Compares everybody's inertia with ours, the first.
static void compare_inertias(runner* r, int n) {
    int dofs = r[0].engine->dofs(r[0].robot);
    double* ours = (double*)calloc(2 * (size_t)dofs * (size_t)dofs + 1, sizeof(double));
    double* theirs = ours ? ours + dofs * dofs : NULL;
    int known = ours && r[0].engine->inertia(r[0].robot, ours);
    for (int i = 1; i < n; ++i) {
        r[i].difference = (double)NAN;
        if (known && r[i].robot && r[i].engine->dofs(r[i].robot) == dofs && r[i].engine->inertia(r[i].robot, theirs))
            r[i].difference = difference(ours, theirs, dofs);
    }
    free(ours);
}

static void run_block(runner* r, int steps) {
    for (int i = 0; i < steps && r->alive; ++i) {
        double begin = ts_clock_seconds();
        r->alive = r->engine->step(r->robot);
        double seconds = ts_clock_seconds() - begin;
        if (!r->alive) break;
        ts_bench_robot_state s = r->engine->state(r->robot);
        r->contacts += s.contacts;
        r->penetration[r->steps] = s.penetration;
        r->natural = s.natural > r->natural ? s.natural : r->natural;
        r->seconds[r->steps++] = seconds;
    }
}

static ts_bench_table* add_table(ts_bench_report* report) {
    ts_bench_table* t = ts_bench_add_table(report, "robots", "Time per step of robots, nothing driven, one thread");
    ts_bench_add_column(t, "robot", "");
    ts_bench_add_column(t, "dofs", "");
    ts_bench_add_column(t, "engine", "");
    ts_bench_add_column(t, "inertia", "");
    ts_bench_add_column(t, "step", "us");
    ts_bench_add_column(t, "10 %", "us");
    ts_bench_add_column(t, "90 %", "us");
    ts_bench_add_column(t, "theirs / ours", "");
    ts_bench_add_column(t, "contacts", "");
    ts_bench_add_column(t, "overlap, median", "mm");
    ts_bench_add_column(t, "overlap, 99 %", "mm");
    ts_bench_add_column(t, "law unmet", "");
    return t;
}

static const char* agreement(const runner* r, int i) {
    if (i == 0) return "ours";
    return r[i].difference <= inertia_tolerance ? "agrees" : "DIFFERS";
}

// Fills the rows of a robot; adds the logarithm of the ratio to *log_sum and counts it.
static void add_rows(ts_bench_table* t, const robot_file* file, runner* r, int n, double* log_sum, int* rated) {
    ts_bench_sample ours = ts_bench_summarise(r[0].seconds, r[0].steps);
    for (int i = 0; i < n; ++i) {
        ts_bench_row(t);
        ts_bench_text(t, "%s", file->name);
        ts_bench_number(t, r[0].engine->dofs(r[0].robot));
        ts_bench_text(t, "%s", r[i].engine->name);
        ts_bench_text(t, "%s", !r[i].robot ? "cannot" : agreement(r, i));
        if (!r[i].robot || r[i].steps == 0) continue;
        ts_bench_sample sample = i == 0 ? ours : ts_bench_summarise(r[i].seconds, r[i].steps);
        ts_bench_sample depth = ts_bench_summarise(r[i].penetration, r[i].steps);
        ts_bench_number(t, 1e6 * sample.median);
        ts_bench_number(t, 1e6 * sample.p10);
        ts_bench_number(t, 1e6 * sample.p90);
        ts_bench_number(t, i == 0 ? (double)NAN : sample.median / ours.median);
        ts_bench_number(t, r[i].contacts / r[i].steps);
        ts_bench_number(t, 1e3 * depth.median);
        ts_bench_number(t, 1e3 * depth.p99);
        ts_bench_number(t, r[i].natural >= 0.0 ? r[i].natural : (double)NAN);
        if (i == 0 || !(r[i].difference <= inertia_tolerance)) continue;
        *log_sum += log(sample.median / ours.median);
        ++*rated;
    }
}

static int run_robot(const robot_file* file, const char* path, const ts_bench_options* options, ts_bench_table* table,
                     ts_bench_report* report, double* log_sum, int* rated) {
    runner r[ENGINES];
    int n = list_engines(r), steps = 0, result = TS_BENCH_DONE;
    for (int i = 0; i < n; ++i) r[i].robot = r[i].engine->open(path, r[i].error);
    if (!r[0].robot) return ts_bench_fail(report, "%s: %s", path, r[0].error);
    // A second: from standing to lying.
    steps = (int)ceil((options->quick ? 0.02 : 1.0) / r[0].engine->time_step(r[0].robot));
    compare_inertias(r, n);
    for (int i = 0; i < n; ++i) {
        r[i].natural = -1.0;
        r[i].seconds = (double*)calloc((size_t)steps + BLOCK, sizeof(double));
        r[i].penetration = (double*)calloc((size_t)steps + BLOCK, sizeof(double));
        r[i].alive = r[i].robot && r[i].seconds && r[i].penetration;
        if (!r[i].robot)
            ts_bench_note(report, "%s: %s cannot: %.150s", file->name, r[i].engine->name, r[i].error);
        else if (i > 0 && !(r[i].difference <= inertia_tolerance))
            ts_bench_note(report, "%s: the inertia in %s differs from ours by %.1e of it: not compared.", file->name,
                          r[i].engine->name, r[i].difference);
    }
    for (int done = 0; done < steps && result == TS_BENCH_DONE; done += BLOCK) {
        for (int i = 0; i < n; ++i) run_block(&r[i], BLOCK);
        if (ts_bench_progress(report, -1.0, 1.0)) result = TS_BENCH_STOPPED;
    }
    if (result == TS_BENCH_DONE && !r[0].alive) result = ts_bench_fail(report, "%s: a step of ours failed", file->name);
    if (result == TS_BENCH_DONE) add_rows(table, file, r, n, log_sum, rated);
    for (int i = 0; i < n; ++i) {
        r[i].engine->close(r[i].robot);
        free(r[i].seconds);
        free(r[i].penetration);
    }
    return result;
}

int ts_bench_robots(const ts_bench_options* options, ts_bench_report* report) {
    enum { COUNT = sizeof robots / sizeof robots[0] };
    static const robot_file own = {"double-pendulum", "double-pendulum"};
    ts_bench_table* table = add_table(report);
    double log_sum = 0.0;
    int rated = 0, result = TS_BENCH_DONE;
    if (!options->data_folder) {
        ts_bench_note(report, "TOUCHSTONE_DATA names no folder with robots/: a pendulum of our own stands in.");
        return run_robot(&own, own.path, options, table, report, &log_sum, &rated);
    }
    for (int i = 0; i < COUNT && result == TS_BENCH_DONE; ++i) {
        char path[1024];
        if (!ts_bench_wanted(report, options, robots[i].name)) continue;
        if (ts_bench_progress(report, i, COUNT)) return TS_BENCH_STOPPED;
        snprintf(path, sizeof path, "%s/robots/%s", options->data_folder, robots[i].path);
        result = run_robot(&robots[i], path, options, table, report, &log_sum, &rated);
    }
    if (rated > 0)
        ts_bench_note(report, "theirs / ours, geometric mean of %d robots: %.2f.", rated, exp(log_sum / rated));
    ts_bench_note(report,
                  "Nothing is driven; the start is the keyframe home where there is one. Inertias must agree to %g of "
                  "their diagonals. Time is wall clock of one thread.",
                  inertia_tolerance);
    return result;
}
