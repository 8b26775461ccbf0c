// What `compare` keeps of one solver's run: the motion of the body in focus, energies, and the solver's quality over time.
#ifndef TS_CLI_SERIES_INTERNAL_H
#define TS_CLI_SERIES_INTERNAL_H

#include "cli/report/stats_internal.h"
#include "cli/report/worst_step_internal.h"

/// One moment. Velocities and forces are those after the step that led here.
typedef struct ts_sample {
    long long step;
    double time;       // s
    ts_vec3 position;  // m, centre of mass of the focus body
    ts_quat rotation;  // of the focus body
    ts_vec3 velocity;  // m/s, of the centre of mass
    ts_vec3 spin;      // rad/s, world axes
    double kinetic;    // J
    double potential;  // J
    int contacts;
    int iterations;      // most since the sample before
    int status;          // ts_solve_status, worst since the sample before
    double penetration;  // m, worst since the sample before; so are the residuals
    double natural;      // 1: of the exact law, on rigid contacts
    double unmet;        // 1: of the solver's own law
    double figure[TS_FIGURE_COUNT];
    ts_contact_motion motion;
    double inner_friction;  // N: friction forces on the focus body that cancel one another
    double seconds;         // wall clock of this step
} ts_sample;

/// A growing list of samples.
TS_ARRAY_DECLARE(ts_sample_array, ts_sample);

/// Room for the name of a run.
enum { TS_SERIES_LABEL = 132 };

/// A long run keeps every second, fourth, ... step, so that there are never more samples than this.
enum { TS_SERIES_SAMPLES = 16384 };

/// One solver's run. Zero-initialised plus solver, law and focus; free with ts_series_free.
typedef struct ts_series {
    char solver[64];
    char integrator[64];  // "": the scene's
    ts_contact_law law;
    int focus;  // body, or -1
    ts_stats stats;
    ts_sample_array sample;
    ts_worst_step worst;
    int stride;         // steps between samples; 0 before the first
    ts_sample pending;  // the latest, with the worst values since the last sample kept
    int pending_waits;  // nonzero while `pending` is not in the list
    double wall;        // s
    ts_code code;       // how the run ended
    ts_status status;
} ts_series;

/// Takes in the present state, at the start and after every step. Returns 0 when memory is short.
int ts_series_add(ts_series* series, ts_sim* sim);

/// Puts the last moment into the list when it is not there yet. Returns 0 when memory is short.
int ts_series_finish(ts_series* series);

/// "ncp", or "ncp+rk4" where integrators are compared as well, of at most TS_SERIES_LABEL bytes.
void ts_series_label(const ts_series* series, char* out_label);

/// The last sample, or NULL without any.
const ts_sample* ts_series_last(const ts_series* series);

/// Releases the memory.
void ts_series_free(ts_series* series);

/// Appends a finished series as bytes, for another process of this program.
void ts_series_pack(const ts_series* series, ts_text* text);

/// Reads what ts_series_pack wrote. Returns how many bytes it took; 0, with an empty series, when they are not what they
/// should be or memory is short.
size_t ts_series_unpack(const char* bytes, size_t length, ts_series* out_series);

/// All series in one table, one row per solver and moment: data.csv.
void ts_series_csv(const ts_series* series, int count, ts_text* text);

#endif
