// Microseconds per step of whole robots: the same file, start, time step and controls in every engine (robot_race.c).
//
// Before speed is compared the inertia of the start must agree with ours: else it is not the same robot. Beside each time stands what it
// buys: how deep contacts are, what share of the exact law they leave unmet, what energy came from nowhere, how far a robot that
// should stand still has crept.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_list.h"
#include "bench/robot_race.h"
#include "scenes/scene_table.h"

enum { ENGINES = 2 };

// Entries of the inertia may differ by this share of their diagonals: MuJoCo keeps the vertices of meshes, of which some robots
// have their inertia, in single precision.
static const double inertia_tolerance = 1e-7;

// 1: how much of the exact law our steps may leave unmet.
static const double law_tolerance = 1e-8;

static const ts_bench_robot_case robots[] = {
    {"panda", "franka_emika_panda/scene.xml", TS_BENCH_DRIVE_HOLD, 0.0},
    {"panda-random", "franka_emika_panda/scene.xml", TS_BENCH_DRIVE_RANDOM, 0.3},
    {"allegro", "wonik_allegro/scene_right.xml", TS_BENCH_DRIVE_HOLD, 0.0},
    {"allegro-random", "wonik_allegro/scene_right.xml", TS_BENCH_DRIVE_RANDOM, 0.3},
    {"humanoid", "mujoco_model/humanoid/humanoid.xml", TS_BENCH_DRIVE_REST, 0.0},
    {"humanoid-random", "mujoco_model/humanoid/humanoid.xml", TS_BENCH_DRIVE_RANDOM, 1.0},
    {"go2-stand", "unitree_go2/scene.xml", TS_BENCH_DRIVE_STAND, 0.0},
    {"go2-passive", "unitree_go2/scene.xml", TS_BENCH_DRIVE_REST, 0.0},
    {"go2-random", "unitree_go2/scene.xml", TS_BENCH_DRIVE_RANDOM, 0.3},
    {"anymal-c", "anybotics_anymal_c/scene.xml", TS_BENCH_DRIVE_HOLD, 0.0},
    {"anymal-c-random", "anybotics_anymal_c/scene.xml", TS_BENCH_DRIVE_RANDOM, 0.3},
    {"h1", "unitree_h1/scene.xml", TS_BENCH_DRIVE_HOLD, 0.0},
    {"h1-random", "unitree_h1/scene.xml", TS_BENCH_DRIVE_RANDOM, 0.3},
    {"cassie", "agility_cassie/scene.xml", TS_BENCH_DRIVE_HOLD, 0.0},
    {"apollo", "apptronik_apollo/scene.xml", TS_BENCH_DRIVE_HOLD, 0.0},
    {"talos", "pal_talos/scene_motor.xml", TS_BENCH_DRIVE_REST, 0.0},
    {"talos-random", "pal_talos/scene_motor.xml", TS_BENCH_DRIVE_RANDOM, 0.05},
    {"22-humanoids", "mujoco_model/humanoid/22_humanoids.xml", TS_BENCH_DRIVE_REST, 0.0},
};

// Scenes of our own, where there is no folder of robots.
static const ts_bench_robot_case own[] = {
    {"double-pendulum", "double-pendulum", TS_BENCH_DRIVE_HOLD, 0.0},
    {"quadruped", "quadruped", TS_BENCH_DRIVE_HOLD, 0.0},
    {"biped", "biped", TS_BENCH_DRIVE_HOLD, 0.0},
    {"hand", "hand", TS_BENCH_DRIVE_HOLD, 0.0},
    {"four-bar", "four-bar", TS_BENCH_DRIVE_HOLD, 0.0},
    {"arm", "arm", TS_BENCH_DRIVE_HOLD, 0.0},
};

// What the tables and their last lines are made of.
typedef struct survey {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* time;
    ts_bench_table* stages;
    ts_bench_table* batch;
    double log_median;  // sums of logarithms of theirs / ours
    double log_mean;
    double least;  // smallest of the ratios of medians
    int rated;
    int wrong;  // nonzero: an answer of ours was not what it claims to be
} survey;

static int list_engines(ts_bench_runner* r) {
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

// Whether a robot is ours: as many coordinates and controls, and from our start our inertia, to `difference`.
static void compare(const ts_bench_runner* ours, ts_bench_runner* other) {
    ts_bench_robot_view a = ours->engine->view(ours->robot), b = other->engine->view(other->robot);
    other->difference = (double)NAN;
    if (a.nq != b.nq || a.nv != b.nv || a.nu != b.nu || a.time_step != b.time_step) return;
    size_t n = (size_t)a.nv;
    double* matrix = (double*)calloc(2 * n * n + 1, sizeof(double));
    ours->engine->reset(ours->robot, NULL, NULL);
    other->engine->reset(other->robot, a.qpos, a.qvel);
    if (matrix && ours->engine->inertia(ours->robot, matrix) && other->engine->inertia(other->robot, matrix + n * n))
        other->difference = difference(matrix, matrix + n * n, a.nv);
    free(matrix);
}

static int agrees(const ts_bench_runner* r) { return r->difference <= inertia_tolerance; }

static ts_bench_table* add_times(ts_bench_report* report) {
    ts_bench_table* t = ts_bench_add_table(report, "robots", "Time per step of robots, one thread");
    ts_bench_add_column(t, "robot", "");
    ts_bench_add_column(t, "dofs", "");
    ts_bench_add_column(t, "engine", "");
    ts_bench_add_column(t, "inertia", "");
    ts_bench_add_column(t, "step", "us");
    ts_bench_add_column(t, "10 %", "us");
    ts_bench_add_column(t, "90 %", "us");
    ts_bench_add_column(t, "mean", "us");
    ts_bench_add_column(t, "theirs / ours", "");
    ts_bench_add_column(t, "of means", "");
    ts_bench_add_column(t, "contacts", "");
    ts_bench_add_column(t, "worst overlap", "mm");
    ts_bench_add_column(t, "law unmet", "");
    ts_bench_add_column(t, "unsolved", "");
    ts_bench_add_column(t, "from nowhere", "J");
    ts_bench_add_column(t, "last quarter", "mm");
    return t;
}

static ts_bench_table* add_stages(ts_bench_report* report) {
    static const char* const name[TS_BENCH_STAGES] = {"kinematics", "broad", "narrow",   "dynamics",
                                                      "assemble",   "solve", "integrate"};
    ts_bench_table* t = ts_bench_add_table(report, "robot-stages", "Where the time goes, by each engine's own clocks");
    ts_bench_add_column(t, "robot", "");
    ts_bench_add_column(t, "engine", "");
    for (int i = 0; i < TS_BENCH_STAGES; ++i) ts_bench_add_column(t, name[i], "us");
    return t;
}

static ts_bench_table* add_batches(ts_bench_report* report) {
    ts_bench_table* t = ts_bench_add_table(report, "robot-batches", "Many at once");
    ts_bench_add_column(t, "robot", "");
    ts_bench_add_column(t, "engine", "");
    ts_bench_add_column(t, "worlds", "");
    ts_bench_add_column(t, "1 thread", "steps/s");
    ts_bench_add_column(t, "2 threads", "steps/s");
    ts_bench_add_column(t, "2 / 1", "");
    return t;
}

// A robot's rows of both tables.
static void add_rows(survey* s, const char* name, ts_bench_runner* r, int n, int steps) {
    ts_bench_sample ours = ts_bench_summarise(r[0].seconds, r[0].steps);
    for (int i = 0; i < n; ++i) {
        ts_bench_row(s->time);
        ts_bench_text(s->time, "%s", name);
        ts_bench_number(s->time, r[0].engine->view(r[0].robot).nv);
        ts_bench_text(s->time, "%s", r[i].engine->name);
        ts_bench_text(s->time, "%s", !r[i].robot ? "cannot" : i == 0 ? "ours" : agrees(&r[i]) ? "agrees" : "DIFFERS");
        if (!r[i].robot || r[i].steps == 0) continue;
        ts_bench_sample sample = i == 0 ? ours : ts_bench_summarise(r[i].seconds, r[i].steps);
        double ratio = i == 0 ? (double)NAN : sample.median / ours.median;
        const double numbers[] = {1e6 * sample.median,
                                  1e6 * sample.p10,
                                  1e6 * sample.p90,
                                  1e6 * sample.mean,
                                  ratio,
                                  i == 0 ? (double)NAN : sample.mean / ours.mean,
                                  r[i].contacts,
                                  1e3 * r[i].penetration,
                                  r[i].natural >= 0.0 ? r[i].natural : (double)NAN,
                                  i == 0 ? r[i].unsolved : (double)NAN,
                                  r[i].gained,
                                  1e3 * r[i].moved};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) ts_bench_number(s->time, numbers[k]);
        ts_bench_row(s->stages);
        ts_bench_text(s->stages, "%s", name);
        ts_bench_text(s->stages, "%s", r[i].engine->name);
        for (int k = 0; k < TS_BENCH_STAGES; ++k)
            ts_bench_number(s->stages,
                            1e6 * ts_bench_summarise(r[i].stage + k * steps, r[i].failed ? 0 : steps).median);
        if (i == 0 || !agrees(&r[i])) continue;
        s->log_median += log(ratio);
        s->log_mean += log(sample.mean / ours.mean);
        if (s->rated == 0 || ratio < s->least) s->least = ratio;
        ++s->rated;
    }
}

// What must be said of a robot beside its rows.
static void add_notes(survey* s, const char* name, const ts_bench_runner* r, int n) {
    for (int i = 0; i < n; ++i) {
        if (!r[i].robot)
            ts_bench_note(s->report, "%s: %s cannot: %.150s", name, r[i].engine->name, r[i].error);
        else if (i > 0 && !agrees(&r[i]))
            ts_bench_note(s->report, "%s: the inertia in %s differs from ours by %.1e of it: not compared.", name,
                          r[i].engine->name, r[i].difference);
        if (r[i].robot && r[i].failed)
            ts_bench_note(s->report, "%s: step %d of %s failed.", name, r[i].steps, r[i].engine->name);
    }
    if (r[0].failed || (r[0].unsolved == 0 && r[0].natural > law_tolerance)) s->wrong = 1;
}

static void add_batch(survey* s, const char* name, const ts_bench_runner* r, int n) {
    int worlds = s->options->quick ? 4 : 32, steps = s->options->quick ? 5 : 200;
    for (int i = 0; i < n; ++i) {
        if (!r[i].robot) continue;
        double best[2] = {HUGE_VAL, HUGE_VAL};
        for (int pass = 0; pass < (s->options->quick ? 1 : 3); ++pass)
            for (int threads = 1; threads <= 2; ++threads) {
                double seconds = r[i].engine->batch(r[i].robot, worlds, steps, threads);
                if (seconds > 0.0 && seconds < best[threads - 1]) best[threads - 1] = seconds;
            }
        ts_bench_row(s->batch);
        ts_bench_text(s->batch, "%s", name);
        ts_bench_text(s->batch, "%s", r[i].engine->name);
        ts_bench_number(s->batch, worlds);
        ts_bench_number(s->batch, worlds * steps / best[0]);
        ts_bench_number(s->batch, worlds * steps / best[1]);
        ts_bench_number(s->batch, best[0] / best[1]);
    }
}

static int race(survey* s, const ts_bench_robot_case* robot, ts_bench_runner* r, int n, int with_batch) {
    ts_bench_robot_view view = r[0].engine->view(r[0].robot);
    // A second: from standing to lying.
    int steps = (int)ceil((s->options->quick ? 0.02 : 1.0) / view.time_step), enough = 1;
    for (int i = 0; i < n; ++i) {
        r[i].seconds = (double*)calloc((size_t)steps, sizeof(double));
        r[i].stage = (double*)calloc(TS_BENCH_STAGES * (size_t)steps, sizeof(double));
        enough = enough && r[i].seconds && r[i].stage;
        r[i].natural = -1.0;
        if (i > 0 && r[i].robot) compare(&r[0], &r[i]);
    }
    if (!enough) return ts_bench_fail(s->report, "out of memory");
    if (ts_bench_robot_time(s->report, robot, r, n, steps, s->options->quick ? 1 : 3)) return TS_BENCH_STOPPED;
    if (ts_bench_robot_watch(robot, r, n, steps)) return ts_bench_fail(s->report, "out of memory");
    add_rows(s, robot->name, r, n, steps);
    add_notes(s, robot->name, r, n);
    if (with_batch) add_batch(s, robot->name, r, n);
    return TS_BENCH_DONE;
}

// Loads a robot everywhere and races it. What we cannot load is told, and no reason to leave out the others.
static int run_robot(survey* s, const ts_bench_robot_case* robot, const char* path, int with_batch) {
    ts_bench_runner r[ENGINES];
    int n = list_engines(r), result = TS_BENCH_DONE;
    ts_loaded_scene scene = {0};
    const char* text = ts_scene_is_known(path) && !ts_scene_load(path, NULL, &scene, NULL) ? scene.model->source : NULL;
    for (int i = 0; i < n; ++i) r[i].robot = r[i].engine->open(path, text, r[i].error);
    if (r[0].robot)
        result = race(s, robot, r, n, with_batch);
    else
        ts_bench_note(s->report, "%s: left out: %.300s", robot->name, r[0].error);
    for (int i = 0; i < n; ++i) {
        r[i].engine->close(r[i].robot);
        free(r[i].seconds);
        free(r[i].stage);
    }
    ts_loaded_scene_free(&scene);
    return result;
}

static int run_list(survey* s, const ts_bench_robot_case* list, int count, const char* folder) {
    int result = TS_BENCH_DONE;
    for (int i = 0; i < count && result == TS_BENCH_DONE; ++i) {
        char path[1024];
        if (!folder && !ts_scene_is_known(list[i].path)) continue;
        if (!ts_bench_wanted(s->report, s->options, list[i].name)) continue;
        if (ts_bench_progress(s->report, i, count)) return TS_BENCH_STOPPED;
        snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/robots/" : "", list[i].path);
        int with_batch = strcmp(list[i].name, "humanoid") == 0 || strcmp(list[i].name, "go2-passive") == 0 || !folder;
        result = run_robot(s, &list[i], path, with_batch);
    }
    return result;
}

int ts_bench_robots(const ts_bench_options* options, ts_bench_report* report) {
    survey s = {options, report, add_times(report), add_stages(report), add_batches(report), 0.0, 0.0, 0.0, 0, 0};
    int result;
    if (options->model) {
        const ts_bench_robot_case robot = {"model", options->model, TS_BENCH_DRIVE_HOLD, 0.0};
        result = run_robot(&s, &robot, options->model, 1);
    } else if (options->data_folder) {
        result = run_list(&s, robots, sizeof robots / sizeof robots[0], options->data_folder);
    } else {
        ts_bench_note(report, "TOUCHSTONE_DATA names no folder with robots/: scenes of our own stand in.");
        result = run_list(&s, own, sizeof own / sizeof own[0], NULL);
    }
    if (s.rated > 0)
        ts_bench_note(report, "theirs / ours of %d robots: geometric mean %.2f, least %.2f; of means %.2f.", s.rated,
                      exp(s.log_median / s.rated), s.least, exp(s.log_mean / s.rated));
    ts_bench_note(
        report,
        "The start is the keyframe home where there is one. Inertias must agree to %g of their diagonals. Time is wall "
        "clock; of a step, the least of its passes. 'law unmet': the worst natural map of the exact law on rigid "
        "contacts; "
        "for MuJoCo of its contacts alone. 'from nowhere': the largest rise of the energy less what actuators put in; "
        "soft "
        "contacts give back what they have stored. 'last quarter': the most that a body moved in it.",
        inertia_tolerance);
    return result == TS_BENCH_DONE && s.wrong ? TS_BENCH_WRONG : result;
}
