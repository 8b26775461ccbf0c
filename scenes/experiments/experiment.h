// Experiments: a scene, what is measured on it, what the closed form says, and which kinds of contact models theory expects to miss it.
// One file each in this folder and one line in experiment_table.c; `touchstone compare` shows one, `touchstone scorecard` runs them all,
// under our solvers and under whatever other engine is linked (a ts_lab_engine).
#ifndef TS_SCENES_EXPERIMENT_H
#define TS_SCENES_EXPERIMENT_H

#include "base/text.h"
#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Ways in which a contact model departs from Signorini's and Coulomb's laws; a bit set.
typedef enum ts_trait {
    TS_TRAIT_RELAXED = 1,    // the convex relaxation: what slides, lifts
    TS_TRAIT_PYRAMID = 2,    // friction of four facets: it depends on the direction, and does not oppose the slip
    TS_TRAIT_SOFT = 4,       // contacts give way: they sink, and friction creeps
    TS_TRAIT_SWEEPS = 8,     // contact by contact: what one sweep reaches shrinks with the ratio of the masses
    TS_TRAIT_ASIDE = 16,     // friction opposes the slip only nearly
    TS_TRAIT_EXPLICIT = 32,  // spin is integrated to first order: free motion drifts
    TS_TRAIT_CORNER =
        64,  // pivots: where forces are not unique, those at a corner of what they could be; lost in rounding at a million to one
    TS_TRAIT_APART =
        128,  // body by body, beside TS_TRAIT_SWEEPS: slow by the ratio of the masses, at a rate without a closed form
    TS_TRAIT_ALONE =
        256,  // contacts know nothing of each other within a step: their pushes add up, and others' come a step late
    TS_TRAIT_ANCHOR =
        512,  // friction gives way before it holds, and remembers where: no creep, but what depends on the past
    TS_TRAIT_GRADIENT = 1024,  // along gradients: iterations grow with the root of the ratio of the masses
    TS_TRAIT_STIFF = 2048,     // beside TS_TRAIT_SOFT: soft by no more than a step can show, for about a step
    TS_TRAIT_FOREIGN = 4096    // another engine: its narrow phase and its order of work are its own
} ts_trait;

/// What theory says of a measure of a run before it is made.
typedef enum ts_outlook {
    TS_OUTLOOK_PASSES,
    TS_OUTLOOK_MISSES,
    TS_OUTLOOK_OPEN,  // nothing
    TS_OUTLOOK_COUNT
} ts_outlook;

/// The traits of a solver of ours, from its law and how it works.
unsigned ts_traits_of(const ts_solver* solver);

/// One thing that is measured. Values are in `unit`.
typedef struct ts_measure {
    const char* name;    // "creep"
    const char* unit;    // "mm"; "" for numbers without
    const char* rule;    // what it should be, and why, in a line
    unsigned missed_by;  // ts_trait bits: models that theory expects to miss it
    const char*
        column;  // heading in the conjunction, the table of what no other engine does all of, "%g" standing for the parameter
    int column_values;  // for how many values of the parameter, from the first on, there is such a column
} ts_measure;

/// What came out of one measure.
typedef struct ts_measured {
    int told;  // 0: the run ended before it could be
    double value;
    double reference;  // the closed form
    double tolerance;  // it passes within this
    int foretold;      // nonzero: theory says what comes out instead under this kind of model
    double theory;     // that value
    double leeway;     // how near to it is as foretold
} ts_measured;

/// Most measures of an experiment, numbers and bodies that one may keep during a run, and samples of its signal.
enum { TS_LAB_MEASURES = 9, TS_LAB_NUMBERS = 32, TS_LAB_SAMPLES = 512 };

typedef struct ts_experiment ts_experiment;

/// A step, and what it cost.
typedef struct ts_lab_step {
    double time;             // s: when it ended
    double seconds;          // of processor time
    int iterations;          // most of its islands', by a solver of ours
    int blocks;              // in the largest island; 0: another engine's step, or there was nothing to solve
    ts_solve_status status;  // of the whole step
} ts_lab_step;

/// One run of an experiment.
typedef struct ts_lab_run {
    // what it is of
    const ts_experiment* experiment;
    double value;        // of the parameter
    const char* engine;  // "ncp", "mujoco-4"
    unsigned traits;
    int facets;                           // of its friction pyramid; 0: it is round, or nobody says
    unsigned missed_by[TS_LAB_MEASURES];  // the measures' own; `conclude` may know better for this value: ts_lab_spare
    int open[TS_LAB_MEASURES];            // nonzero: theory says nothing of it: ts_lab_leave_open
    const char* why[TS_LAB_MEASURES];     // of a forecast finer than the traits; NULL: there is none
    ts_outlook why_so[TS_LAB_MEASURES];   // the forecast that it is the reason of
    // the experiment's own, zero at the start
    double number[TS_LAB_NUMBERS];
    int body[TS_LAB_NUMBERS];
    // what came out
    ts_measured measured[TS_LAB_MEASURES];
    long long steps;     // that were made
    long long unsolved;  // of these, not converged; of other engines, which do not say, 0
    double worst_unmet;  // 1: largest share of the solver's own law unmet in a step
    double
        ledger_share;  // 1: most that a step's books of energy have left over, of what it turned over; of other engines 0
    long long ledger_step;  // in which
    double seconds;         // wall clock
    double time;            // s that were simulated
    double processor;       // s of processor time in the steps
    ts_lab_step dearest;    // the step that took most of it
    ts_code code;           // how it ended; a run that was broken off has measured nothing
    ts_status status;
    int samples;  // of the experiment's signal
    int stride;   // steps between two of them
    double sample_time[TS_LAB_SAMPLES];
    double sample[TS_LAB_SAMPLES];
} ts_lab_run;

/// An experiment. Of `scene` and `write` one is given; the callbacks may be NULL where nothing is measured. They see a simulation whose
/// state, contacts (with impulses of the last step) and kinematics are those of the engine that runs, whichever it is.
struct ts_experiment {
    const char* name;     // "lcp-anisotropy"
    const char* source;   // what it reproduces, or who complains
    const char* summary;  // one line: what to look at
    const char* scene;    // a scene of the scene table, or a file of this folder without its extension
    void (*write)(double value, ts_text* mjcf);  // the scene's MJCF at a value of the parameter
    const char* controller;                      // with `write`: acts before every step; NULL: nothing
    const char* parameter;                       // "ratio of the masses"; NULL: there is none
    const double* values;  // (value_count) that a scorecard tries; the first is the one that is shown
    int value_count;
    const char* solvers;  // comma-separated names, or "all"; for `compare`
    double duration;      // s
    int slow;             // nonzero: left out of the short form of a scorecard
    const ts_measure* measure;
    int measure_count;
    const char* signal;  // "height [mm]": what `observe` returns, as a curve over time; NULL: no curve
    /// At the start, and after every step.
    double (*observe)(ts_lab_run* run, ts_sim* sim);
    /// At the end of a run that was not broken off: tells all measures.
    void (*conclude)(ts_lab_run* run, ts_sim* sim);
};

/// How many experiments there are.
int ts_experiment_count(void);

/// Experiment number i.
const ts_experiment* ts_experiment_at(int i);

/// The experiment of that name, or NULL.
const ts_experiment* ts_experiment_find(const char* name);

/// How many runs one engine makes of it: one for each value of the parameter, or one.
int ts_experiment_runs(const ts_experiment* experiment);

/// The parameter's value in run i; 0 without a parameter.
double ts_experiment_value(const ts_experiment* experiment, int i);

/// The experiment and the value that a scene is called by: "NAME" (the first value), "NAME:VALUE". NULL for other names, and for
/// experiments whose scene has a name of its own.
const ts_experiment* ts_experiment_of_scene(const char* name, double* out_value);

/// The name that ts_scene_load knows its scene by.
const char* ts_experiment_scene(const ts_experiment* experiment);

/// Its scene at a value. Free with ts_loaded_scene_free.
ts_code ts_experiment_load(const ts_experiment* experiment, double value, ts_loaded_scene* out_scene,
                           ts_status* out_status);

/// What was measured, from `conclude`: passes when |value - reference| <= tolerance.
void ts_lab_tell(ts_lab_run* run, int measure, double value, double reference, double tolerance);

/// The same for a model that theory expects to miss the measure, and says by how much: it does as foreseen only when
/// |value - theory| <= leeway.
void ts_lab_foretell(ts_lab_run* run, int measure, double theory, double leeway);

/// From `conclude`: at this value these traits alone do not make a run miss the measure. `why` is a sentence that the scorecard prints,
/// without a full stop, and outlives the run.
void ts_lab_spare(ts_lab_run* run, int measure, unsigned traits, const char* why);

/// From `conclude`: theory has no statement about this measure for runs with any of these traits, at this value; `why` as in ts_lab_spare. For what
/// is chaotic, for rates without a closed form, for what others do not publish: sparingly.
void ts_lab_leave_open(ts_lab_run* run, int measure, unsigned traits, const char* why);

/// What theory says of the measure, after `conclude`; in *out_why (may be NULL) the sentence, or NULL where the traits are the reason.
ts_outlook ts_lab_outlook(const ts_lab_run* run, int measure, const char** out_why);

/// "passes", "misses", "no forecast".
const char* ts_outlook_name(ts_outlook outlook);

/// R with which the contacts of the last step together carry and hold a body, 1 / sum 1 / R, 1/kg: of their normals and of their tangents (each the
/// mean of both), under the solver's own law. Zeros where one is hard, or there is none.
void ts_lab_softness(const ts_sim* sim, double* out_normal, double* out_tangent);

/// From `conclude`: spares a measure of those who come to their answer by iterations (`traits`) in a run whose every step met its tolerance: nothing was cut.
void ts_lab_spare_solved(ts_lab_run* run, int measure, unsigned traits);

/// 1: the most by which contact velocities, as a share of a step's fall, or contact forces, as a share of themselves, are off in a step that left the run's
/// worst share of its law unmet, where the eigenvalues of G are `kappa` apart: a natural map times the condition.
double ts_lab_left_at_most(const ts_lab_run* run, double kappa);

/// m: how far contacts of that R (1/kg) have been pressed in by a load (N), where the law has no depth of its own: they give way at R times the load's
/// impulse, until a step's push-out balances it.
double ts_lab_sinkage(const ts_sim* sim, double normal, double load);

/// A body that stands on points which hold it and give way by R = epsilon: its first step, and what is known of it.
typedef struct ts_lab_stand {
    double load;    // N: what all points together carry
    double sinks;   // m/s: the fastest normal approach
    double creeps;  // m/s: the fastest slip
    double
        off;  // N: contacts' forces from the closed form, the largest; without R less their internal part, since that is open
    double internal;  // N: norm of the part of the contacts' forces that moves nothing
    int holds;        // nonzero: the closed form lies within all cones
} ts_lab_stand;

/// The closed form for the contacts of a simulation's first step, (epsilon M + J^T J) v = epsilon M v_free and lambda = J (J^T J)^-1 M (v - v_free): body
/// moves alone, from rest, under gravity, and three points at least are not in line. `off` and `internal` are of the contacts as they are.
ts_code ts_lab_stand_on(const ts_sim* sim, int body, double epsilon, ts_lab_stand* out, ts_status* out_status);

/// 1: about the share of the error that accelerated gradients leave after so many iterations, exp(-2 n / sqrt kappa), where a body rests on one
/// `ratio` times as light: there the eigenvalues of G are kappa = 4 ratio apart.
double ts_lab_gradient_share(double ratio, int iterations);

/// The body of that name, looked up at the start of a run and kept as run->body[k]. A name that is not there is a mistake.
int ts_lab_body(ts_lab_run* run, const ts_sim* sim, int k, const char* name);

/// What all contacts together did to a body in the last step, N, world axes.
ts_vec3 ts_lab_contact_force(const ts_sim* sim, int body);

/// Another engine. It steps, and `shadow`, a simulation of the same model, shows what it did.
typedef struct ts_lab_engine {
    const char* name;     // "mujoco-4"
    const char* summary;  // version and settings
    unsigned traits;
    /// Reads the MJCF. The shadow's state is already the initial one.
    ts_code (*create)(const struct ts_lab_engine* engine, const char* mjcf, size_t size, const ts_sim* shadow,
                      void** out_state, ts_status* out_status);
    /// One step, with what the shadow's controls and applied forces ask for; afterwards shadow's qpos, qvel, time and contacts are new.
    ts_code (*step)(void* state, ts_sim* shadow, ts_status* out_status);
    void (*free)(void* state);
} ts_lab_engine;

/// Who runs: a solver of ours, or another engine.
typedef struct ts_lab_entrant {
    const ts_solver* solver;      // NULL: `engine`
    const ts_lab_engine* engine;  // NULL: `solver`
} ts_lab_entrant;

/// Its name, and its traits.
const char* ts_lab_entrant_name(const ts_lab_entrant* entrant);

/// See ts_lab_entrant_name.
unsigned ts_lab_entrant_traits(const ts_lab_entrant* entrant);

/// Runs an experiment at a value of its parameter. `stop` (may be NULL) is asked after every step; nonzero ends the run with
/// TS_ERROR_INTERRUPTED. How the run went is in out_run->code: an engine that blows up is a result.
void ts_lab_run_one(const ts_experiment* experiment, double value, const ts_lab_entrant* entrant,
                    int (*stop)(void* user), void* user, ts_lab_run* out_run);

/// Where the time of a run went that did not reach its end, in one phrase: "reached 0.3 of 2.5 s, 51 ms a step, ...".
void ts_lab_why_long(const ts_lab_run* run, ts_text* text);

/// How a measure came out, beside what theory expects.
typedef enum ts_verdict {
    TS_VERDICT_PASS,        // within the tolerance
    TS_VERDICT_FORESEEN,    // misses, as theory says such a model does, and by as much where it says that
    TS_VERDICT_FAIL,        // misses, though nothing in its law says so, or by something else than foretold
    TS_VERDICT_LUCKY,       // within the tolerance, though theory expects otherwise
    TS_VERDICT_BROKEN_OFF,  // the run did not reach its end
    TS_VERDICT_NOT_RUN,     // the engine has not what the scene takes, or does not tell it
    TS_VERDICT_OPEN,        // told, and theory had nothing to say
    TS_VERDICT_COUNT
} ts_verdict;

/// Whether the measure is told and lies within its tolerance.
int ts_lab_is_within(const ts_lab_run* run, int measure);

/// The verdict about a measure of a run.
ts_verdict ts_lab_verdict(const ts_lab_run* run, int measure);

/// "pass", "fails as foreseen", "FAIL", "passes unforeseen", "broken off", "not run", "no forecast".
const char* ts_verdict_name(ts_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
