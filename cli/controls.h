// What the command line says about controls: --ctrl NAME=VALUE and --ctrl-file FILE.csv.
#ifndef TS_CLI_CONTROLS_H
#define TS_CLI_CONTROLS_H

#include "cli/args.h"
#include "engine/sim.h"

/// Controls over time, of one model; the same for any number of simulations at once.
typedef struct ts_controls {
    int* actuator;   // (count) whose control each column is
    double* number;  // (rows, count + 1) row by row: from when on (s, ascending), and the controls
    int count;
    int rows;
} ts_controls;

/// Reads what was asked for; of actuators without a name the number counts. A file has a line "time,NAME,..." and rows that hold until the next one; before the
/// first row the model's own controls stay. Free with ts_controls_free, whatever is returned. TS_ERROR_VALUE is wrong use.
ts_code ts_controls_read(const ts_args* args, const ts_model* model, ts_controls* out_controls, ts_status* out_status);

/// Has a simulation of that model follow them; they must outlive it. Nothing where none were asked for.
void ts_controls_follow(const ts_controls* controls, ts_sim* sim);

/// Releases them.
void ts_controls_free(ts_controls* controls);

#endif
