// Numbers over a whole run: what `run` prints and what the table of `compare` shows.
#ifndef TS_CLI_STATS_INTERNAL_H
#define TS_CLI_STATS_INTERNAL_H

#include "base/array.h"
#include "base/text.h"
#include "engine/sim.h"

/// A growing list of numbers.
TS_ARRAY_DECLARE(ts_number_array, double);

/// How contacts moved in one step, weighted by their normal impulses; bounces are left out. The exact law has opening 0;
/// the convex relaxation has opening = cone.
typedef struct ts_contact_motion {
    double impulse;  // N s: sum of the normal impulses
    double opening;  // m/s: normal velocity, less what gaps that close and penetrations pushed out account for
    double slip;     // m/s: tangential speed
    double cone;     // m/s: mu times tangential speed
    // Of contacts that slide, faster than gravity drives anything in a tenth of a step. The angle between friction and the opposite
    // of slip is atan2(across, against): a contact counts by the work its friction could do.
    double across;   // J: friction across slip, sum of magnitudes
    double against;  // J: friction against slip
} ts_contact_motion;

/// Stages of a solver that are told apart; later ones count as the last.
enum { TS_STATS_STAGES = 16 };

/// The statistics. Zero-initialised is empty; free with ts_stats_free.
typedef struct ts_stats {
    long long steps;
    long long status_count[4];                   // by ts_solve_status
    long long stage_count[TS_STATS_STAGES + 1];  // by the stage of the solver, see ts_solve_report
    int contacts_most;
    int iterations_most;
    int limit;           // iterations a step may take, where scene or user set one; 0: the solver's own
    int limit_of_scene;  // nonzero: the scene did
    double iterations_sum;
    double worst_penetration;  // m
    double worst_natural;      // 1: share of the exact law unmet, on rigid contacts
    double worst_unmet;        // 1: share of the solver's own law unmet
    double worst_figure[TS_FIGURE_COUNT];
    long long narrow_failures;
    long long unsolved_rotations;  // see ts_step_info
    long long held_back_steps;     // with islands held back, see ts_step_info
    long long blocked_steps[3];    // with blocks of whose demands something was left out, by ts_row_blocked less 1
    char blocked[3][192];          // what the first of them was
    ts_energy energy_first;
    ts_energy energy_last;
    double energy_gained;  // J: sum of all rises from one step to the next
    double energy_highest;
    double kinetic_most;  // J
    double fall;          // J: what gravity does to all bodies in one step from rest; integration errs by no less
    double drift;         // J: energy less what contacts put in and took out, since the start
    double drift_most;    // J: highest so far
    double drift_time;    // s, when it first was too high; 0: never
    double contact_work;  // J: sum of what contacts put in, in steps in which they did
    int is_driven;        // nonzero: forces from outside act, energy may come from there
    double time_last;     // s
    double opening_sum;   // over impulse: N s m/s
    double slip_sum;
    double cone_sum;
    double impulse_sum;       // N s
    double across_sum;        // J, as in ts_contact_motion, of steps whose solve converged
    double against_sum;       // J
    ts_number_array seconds;  // of every step, wall clock
    int started;
} ts_stats;

/// Takes in the present state; the first call is the start (no step done yet). Returns the energy it computed, which also
/// brings the sim's kinematics up to date.
ts_energy ts_stats_add(ts_stats* stats, ts_sim* sim);

/// rad: between friction and the opposite of slip; 0 where nothing slides.
double ts_contact_motion_askew(const ts_contact_motion* motion);

/// How the contacts moved in the last step.
ts_contact_motion ts_stats_contact_motion(const ts_sim* sim);

/// Steps whose solve did not converge.
long long ts_stats_unconverged(const ts_stats* stats);

/// Mean iterations per step, 0 without steps.
double ts_stats_iterations_mean(const ts_stats* stats);

/// Median wall-clock seconds per step, 0 without steps.
double ts_stats_seconds_median(const ts_stats* stats);

/// A line "stages 20 sweeps, 30 newton": those of `solver` that found answers. Nothing where none had to, or it has none.
void ts_stats_stages(const ts_stats* stats, const ts_solver* solver, ts_text* text);

/// "12 converged, 3 stalled": statuses that occurred.
void ts_stats_statuses(const ts_stats* stats, ts_text* text);

/// "stopped by the scene's limit of 50 iterations in 3 of 100 steps: not solved": where a limit stopped the solver, else
/// nothing.
void ts_stats_limit(const ts_stats* stats, ts_text* text);

/// Nonzero when energy has come from nowhere: more than a twentieth of the most there was of motion, and more than a step of
/// falling from rest gives, by the integration.
int ts_stats_energy_alarm(const ts_stats* stats);

/// "energy rose by 3.2 J without a cause, in the integration of motion (from t = 0.4 s)": where it did, else nothing.
void ts_stats_alarm(const ts_stats* stats, ts_text* text);

/// A sentence for each way in which something that contacts or rows ask for was left out, between `before` and `after`.
void ts_stats_left_out(const ts_stats* stats, const char* before, const char* after, ts_text* text);

/// How well the answers obey the law that the solver claims and the exact one, and what is wrong with them, two lines.
void ts_stats_verdicts(const ts_stats* stats, ts_text* text);

/// The keys that run and compare share, into an open JSON object. `solver` names its stages.
void ts_stats_json(const ts_stats* stats, const ts_solver* solver, ts_json* json);

/// Who sleeps, how many are awake for which reason, and why the first of them is; nothing where nothing may sleep.
void ts_stats_sleep(const ts_sim* sim, ts_text* text);

/// The same as "sleep" into an open JSON object, with the first hundred that are awake.
void ts_stats_sleep_json(const ts_sim* sim, ts_json* json);

/// Releases the memory.
void ts_stats_free(ts_stats* stats);

/// "1.234 um", "12 mm": a length, time or other quantity with an SI prefix; three significant digits.
void ts_stats_add_quantity(ts_text* text, double value, const char* unit);

#endif
