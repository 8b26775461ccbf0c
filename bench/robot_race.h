// Robots under the same controls in several engines: how long each step takes, and what becomes of contacts and energy meanwhile.
#ifndef TS_BENCH_ROBOT_RACE_H
#define TS_BENCH_ROBOT_RACE_H

#include "bench/bench.h"
#include "bench/robot_peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the controls of a robot do.
typedef enum ts_bench_drive {
    TS_BENCH_DRIVE_HOLD,   // they stay those of the start
    TS_BENCH_DRIVE_REST,   // they are zero
    TS_BENCH_DRIVE_STAND,  // motors pull the joints to where they started
    TS_BENCH_DRIVE_RANDOM  // every 50 steps new ones: those of the start and a part of their range to either side
} ts_bench_drive;

/// A robot and its controls.
typedef struct ts_bench_robot_case {
    const char* name;
    const char* path;  // below the folder of robots, or a scene's name
    ts_bench_drive drive;
    double part;  // RANDOM: of the range
} ts_bench_robot_case;

/// One engine on one robot. The robot and the arrays are whoever's who opened it.
typedef struct ts_bench_runner {
    const ts_bench_robot_engine* engine;
    ts_bench_robot* robot;  // NULL: it cannot
    char error[200];
    double difference;  // of the inertia against the first's

    double* seconds;  // (steps) the shortest of the passes
    int steps;        // that all passes have done
    int failed;       // nonzero: a step did

    // from the pass that is watched
    double* stage;       // (TS_BENCH_STAGES x steps) s
    double contacts;     // mean
    double penetration;  // m, worst
    double natural;      // worst share of the exact law unmet; < 0: not known
    int unsolved;        // steps that did not converge
    double gained;       // J: the largest rise of the energy less what actuators have put in
    double moved;        // m: the most that a centre of mass moves in the last quarter
} ts_bench_runner;

/// Times `steps` steps, `passes` times from the start, engines in turns. The first runner's start and ranges are everybody's.
/// Returns nonzero when asked to stop.
int ts_bench_robot_time(ts_bench_report* report, const ts_bench_robot_case* robot, ts_bench_runner* runner, int count,
                        int steps, int passes);

/// One more pass of each, watched. Returns nonzero when memory is short.
int ts_bench_robot_watch(const ts_bench_robot_case* robot, ts_bench_runner* runner, int count, int steps);

#ifdef __cplusplus
}
#endif
#endif
