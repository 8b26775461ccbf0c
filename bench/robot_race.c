// Problem: times of engines whose robots go different ways: what falls over is chaotic. Rule: the same file, start, time step and
// controls. Engines take turns in short blocks, pass after pass from the start; a pass repeats the one before to the bit, so that a step's time
// is the shortest of its passes, and what the machine did beside is left out. What is slow to know is asked in a pass of its own.
#include "bench/robot_race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/scalar.h"

// Steps of one engine before the next has its turn, and steps between new random controls.
enum { BLOCK = 10, HOLD_STEPS = 50 };

// N m/rad, N m s/rad: of the motors that make a robot stand.
static const double stand_stiffness = 60.0, stand_damping = 3.0;

// What everybody starts from, and is driven by.
typedef struct start {
    const ts_bench_robot_case* robot;
    const ts_bench_runner* first;  // whose ranges count
    double* qpos;
    double* qvel;
    double* ctrl;
} start;

static double* copy(const double* from, int count) {
    double* to = (double*)malloc(((size_t)count + 1) * sizeof(double));
    if (to) memcpy(to, from, (size_t)count * sizeof(double));
    return to;
}

static void close_start(start* s) {
    free(s->qpos);
    free(s->qvel);
    free(s->ctrl);
}

static int open_start(const ts_bench_robot_case* robot, const ts_bench_runner* first, start* out) {
    first->engine->reset(first->robot, NULL, NULL);
    ts_bench_robot_view v = first->engine->view(first->robot);
    *out = (start){robot, first, copy(v.qpos, v.nq), copy(v.qvel, v.nv), copy(v.ctrl, v.nu)};
    if (out->qpos && out->qvel && out->ctrl) return 1;
    close_start(out);
    return 0;
}

static void reset(const start* s, ts_bench_runner* r) {
    r->engine->reset(r->robot, s->qpos, s->qvel);
    ts_bench_robot_view v = r->engine->view(r->robot);
    memcpy(v.ctrl, s->ctrl, (size_t)v.nu * sizeof(double));
}

// The controls of step k.
static void drive(const start* s, ts_bench_runner* r, int k) {
    ts_bench_robot_view v = r->engine->view(r->robot);
    if (s->robot->drive == TS_BENCH_DRIVE_HOLD) return;
    if (s->robot->drive == TS_BENCH_DRIVE_REST) {
        memset(v.ctrl, 0, (size_t)v.nu * sizeof(double));
        return;
    }
    for (int i = 0; i < v.nu; ++i) {
        double range[2] = {-1.0, 1.0}, value = s->ctrl[i];
        int position, velocity, limited = s->first->engine->range(s->first->robot, i, range);
        if (s->robot->drive == TS_BENCH_DRIVE_RANDOM) {
            ts_rng rng = ts_rng_make((uint64_t)(k / HOLD_STEPS), (uint64_t)i);
            if (!limited) range[0] = -1.0, range[1] = 1.0;
            value += s->robot->part * (range[1] - range[0]) * (ts_rng_uniform(&rng) - 0.5);
            v.ctrl[i] = ts_clamp(value, range[0], range[1]);
        } else if (r->engine->driven(r->robot, i, &position, &velocity)) {
            value = stand_stiffness * (s->qpos[position] - v.qpos[position]) - stand_damping * v.qvel[velocity];
            v.ctrl[i] = limited ? ts_clamp(value, range[0], range[1]) : value;
        }
    }
}

static void time_block(const start* s, ts_bench_runner* r, int from, int to) {
    for (int k = from; k < to && !r->failed; ++k) {
        drive(s, r, k);
        double begin = ts_clock_seconds();
        r->failed = !r->engine->step(r->robot);
        double seconds = ts_clock_seconds() - begin;
        if (r->failed) break;
        if (k >= r->steps || seconds < r->seconds[k]) r->seconds[k] = seconds;
        if (k >= r->steps) r->steps = k + 1;
    }
}

int ts_bench_robot_time(ts_bench_report* report, const ts_bench_robot_case* robot, ts_bench_runner* runner, int count,
                        int steps, int passes) {
    start s;
    int stop = 0;
    if (!open_start(robot, &runner[0], &s)) return 1;
    for (int pass = 0; pass < passes && !stop; ++pass) {
        for (int i = 0; i < count; ++i)
            if (runner[i].robot) reset(&s, &runner[i]);
        for (int from = 0; from < steps && !stop; from += BLOCK) {
            for (int i = 0; i < count; ++i)
                if (runner[i].robot) time_block(&s, &runner[i], from, from + BLOCK < steps ? from + BLOCK : steps);
            stop = ts_bench_progress(report, -1.0, 1.0);
        }
    }
    close_start(&s);
    return stop;
}

// Sums of the pass that is watched.
typedef struct tally {
    double* before;  // (nv) the velocity when the step began
    double* centre;  // (6 x bodies) centres of mass where the last quarter began, and now
    double put_in;   // J: by actuators so far
    double lowest;   // J: of the energy less that
} tally;

static void note(ts_bench_runner* r, tally* t, int k, int steps, const ts_bench_robot_step* step) {
    ts_bench_robot_view v = r->engine->view(r->robot);
    double own = step->energy - t->put_in;
    if (k == 0 || own < t->lowest) t->lowest = own;
    r->gained = fmax(r->gained, own - t->lowest);
    for (int d = 0; d < v.nv; ++d) t->put_in += 0.5 * v.time_step * v.force[d] * (t->before[d] + v.qvel[d]);
    for (int i = 0; i < TS_BENCH_STAGES; ++i) r->stage[i * steps + k] = step->seconds[i];
    r->contacts += (double)step->contacts / steps;
    r->penetration = fmax(r->penetration, step->penetration);
    r->natural = fmax(r->natural, step->natural);
    r->unsolved += !step->converged;
    if (k == steps * 3 / 4) r->engine->centres(r->robot, t->centre);
}

// How far the farthest has come since the last quarter began.
static double moved(ts_bench_runner* r, const tally* t, int bodies) {
    double most = 0.0, *now = t->centre + 3 * bodies;
    r->engine->centres(r->robot, now);
    for (int b = 0; b < bodies; ++b) {
        const double *from = t->centre + 3 * b, *to = now + 3 * b;
        double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        most = fmax(most, sqrt(ts_dot(d, d, 3)));
    }
    return most;
}

static int watch(const start* s, ts_bench_runner* r, int steps) {
    ts_bench_robot_view v = r->engine->view(r->robot);
    tally t = {(double*)calloc((size_t)v.nv + 1, sizeof(double)), (double*)calloc(6 * (size_t)v.bodies, sizeof(double)),
               0.0, 0.0};
    int enough = t.before && t.centre, done = 0;
    if (enough) reset(s, r);
    for (int k = 0; enough && k < steps; ++k, ++done) {
        ts_bench_robot_step step;
        drive(s, r, k);
        v = r->engine->view(r->robot);
        memcpy(t.before, v.qvel, (size_t)v.nv * sizeof(double));
        if (!r->engine->watch(r->robot, &step)) break;
        note(r, &t, k, steps, &step);
    }
    if (done < steps) r->failed = 1;
    if (enough && done == steps) r->moved = moved(r, &t, v.bodies);
    free(t.before);
    free(t.centre);
    return !enough;
}

int ts_bench_robot_watch(const ts_bench_robot_case* robot, ts_bench_runner* runner, int count, int steps) {
    start s;
    int is_short = 0;
    if (!open_start(robot, &runner[0], &s)) return 1;
    for (int i = 0; i < count; ++i)
        if (runner[i].robot && !runner[i].failed) is_short |= watch(&s, &runner[i], steps);
    close_start(&s);
    return is_short;
}
