// Robots that stand: Solo-12, Talos and the Allegro hand from their own files, with a floor, and what lies on it. Shared by benchmarks on robots.
#ifndef TS_BENCH_ROBOT_STAND_H
#define TS_BENCH_ROBOT_STAND_H

#include "bench/bench.h"
#include "scenes/scene_table.h"

/// What a robot does.
typedef struct ts_bench_stand {
    const char* name;
    const char* file;  // under TOUCHSTONE_DATA/robots
    const char* key;   // the pose of its file that it is in, or NULL: all joints at zero
    const char*
        foot;  // what the names of its feet end in: balls of `sole` m at their origins touch, and nothing else of it; or NULL: all of it does
    double sole;
    double pose[16];  // rad: its hinges in their order, where `key` is NULL
    ts_root_choice root;
    const char* wrap;   // a body around all of it, or NULL
    const char* extra;  // bodies beside it, or ""
    double shake;       // N, amplitude at the base; 0: none
    double stiffness;   // N m/rad of the servos, for robots whose file has none; 0: their own
    double damping;     // N m s/rad
    int lift;           // nonzero: put on the floor
} ts_bench_stand;

/// Number i of them, or NULL.
const ts_bench_stand* ts_bench_stand_at(int i);

/// That robot of options->data_folder, furnished. NULL, and a note, where it is not there.
ts_model* ts_bench_stand_open(const ts_bench_options* options, ts_bench_report* report, const ts_bench_stand* stand);

/// Where it begins: its pose, and on the floor, its lowest point `depth` m in it.
void ts_bench_stand_begin(const ts_bench_stand* stand, ts_sim* sim, double depth);

/// Puts the first tree that floats on the floor z = 0, its lowest point `depth` m in it; the kinematics are new.
void ts_bench_put_down(ts_sim* sim, double depth);

#endif
