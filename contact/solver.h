// The solver interface, and the one table of solvers. A solver is one file in contact/solvers/ and one line in
// solver_table.c; the command line, tests, benchmarks, reports and the viewer's menu iterate the table
// (docs/extend/solver.md).
#ifndef TS_CONTACT_SOLVER_H
#define TS_CONTACT_SOLVER_H

#include <stddef.h>

#include "contact/judge/yardstick.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a solve ended. Only CONVERGED is success.
typedef enum ts_solve_status {
    TS_SOLVE_CONVERGED,        // the solver's own law holds to the tolerance, by contact/judge/yardstick.h
    TS_SOLVE_STALLED,          // iterates stopped moving before the tolerance was met
    TS_SOLVE_ITERATION_LIMIT,  // still moving when the iterations ran out
    TS_SOLVE_FAILED            // not-finite numbers, or the operator cannot do what the solver needs
} ts_solve_status;

/// What a solve reports. How good the answer is, others say (contact/judge/).
typedef struct ts_solve_report {
    ts_solve_status status;
    int iterations;
    int stage;  // of a solver that works in stages: the one that found the answer, from 1; 0: there is none
} ts_solve_report;

/// The report of a solve that could not begin: failed, nothing known.
extern const ts_solve_report ts_solve_not_begun;

/// Settings that every solver has, and puts first in its own. What an iteration is (a sweep, a linear system, a gradient
/// step) is the solver's business.
typedef struct ts_solver_settings {
    double tolerance;     // share of the problem that may stay unmet (contact/judge/yardstick.h); usually 1e-8
    double stall;         // relative change of lambda per iteration under which the solver has stalled; usually 1e-12
    int iteration_limit;  // most iterations
    double force;         // force units: largest residual of the law, in addition; 0: as large as it likes
} ts_solver_settings;

/// What they ask of an answer.
static inline ts_goal ts_solver_goal(const ts_solver_settings* settings) {
    ts_goal goal = {settings->tolerance, settings->force};
    return goal;
}

/// A typed field of a solver's settings, so that names on a command line reach it.
typedef struct ts_setting {
    const char* name;
    const char* summary;
    enum { TS_SETTING_DOUBLE, TS_SETTING_INT } type;
    unsigned long offset;  // within the settings struct
    double low;            // smallest allowed value
    double high;           // largest allowed value
} ts_setting;

/// The row of a field of type double, or int, of a settings struct.
#define TS_SETTING_REAL(settings, field, low, high, summary) \
    { #field, summary, TS_SETTING_DOUBLE, offsetof(settings, field), low, high }
#define TS_SETTING_WHOLE(settings, field, low, high, summary) \
    { #field, summary, TS_SETTING_INT, offsetof(settings, field), low, high }

/// Settings of a solver by a name that several solvers may know: how much work for how good an answer.
typedef struct ts_accuracy {
    const char* name;               // "balanced", "fast"
    const char* summary;            // one line
    void (*adapt)(void* settings);  // makes them of the defaults, which are "exact"
} ts_accuracy;

/// Largest settings struct a solver may have, bytes; lets callers keep any solver's settings in a buffer.
enum { TS_SOLVER_SETTINGS_BYTES = 256 };

/// A solver.
typedef struct ts_solver {
    const char* name;     // "ncp-pgs"
    ts_contact_law law;   // what it truly solves
    const char* summary;  // one line for people
    unsigned needs;       // ts_delassus_ability bits
    /// Solves. `impulse` (row_count) is the warm start on entry and the answer on return. Scratch is given back.
    ts_solve_report (*solve)(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse);
    const void* defaults;          // its settings as they are unless somebody sets them; ts_solver_settings comes first
    unsigned long settings_bytes;  // of that struct
    const ts_setting* setting;     // its own fields, setting_count of them; the shared ones are not among them
    int setting_count;
    const ts_accuracy* accuracy;  // beside the defaults; accuracy_count of them
    int accuracy_count;
    /// Fills out_R (row_count) with the compliance of the law that the solver truly solves, for solvers that soften
    /// what the problem leaves rigid; NULL when it is the problem's own.
    void (*compliance)(const ts_contact_problem* problem, const void* settings, double* out_R);
    /// What it reads from and leaves in problem->memory, in a few words: one number for each block, > 0, so that blocks may come and
    /// go and islands part and meet; 0 is a block that is new. The caller keeps it with the block's impulse and does not
    /// scale it. NULL: nothing, and the memory stays as it is.
    const char* remembers;
    /// Of a solver that gives a start back which is good enough: up to which excess (contact/judge/yardstick.h) `solve` would do so
    /// now; 0 where only `solve` can tell. The start as it would come back goes to out_impulse (row_count), and what the report would be.
    /// Memory would stay as it is. Who judges every answer asks this first, so that a start which holds is judged once. NULL: never.
    double (*keeps_start)(const ts_contact_problem* problem, const void* settings, const double* impulse,
                          double* out_impulse, ts_solve_report* out_report);
    /// Nonzero when its law is that of contacts with a spring and a damper of their own: an engine gives it those that
    /// the model has, as R and c*, in place of hard contacts.
    int takes_softness;
    /// Nonzero when friction is a spring from where a contact took hold, an anchor, that R of its tangents makes soft: an engine keeps how
    /// far each contact is from its anchor, and asks, as c* of the tangents, for what brings it back there within the step.
    int anchors;
    /// Nonzero when it works contact by contact, so that what a sweep reaches shrinks with the ratio of the masses; 2: body by body as well.
    int sweeps;
    /// Nonzero when it follows gradients: the iterations that it takes grow with the root of the ratio of the masses.
    int gradients;
    /// Nonzero: it pivots, and of answers that are not unique it gives a corner.
    int pivots;
    /// In a few words, why the solver cannot do what its name says on a problem of these blocks (of `problem` only sets
    /// and sizes are read) and another one answers in its place; NULL when it can. The field may be NULL: it always
    /// can.
    const char* (*obstacle)(const ts_contact_problem* problem, const void* settings);
    /// Of a solver that works in stages, one after the other until the answer is there: how many there are, and the
    /// name of stage 1 to stage_count. 0 and NULL otherwise.
    int stage_count;
    const char* (*stage_name)(int stage);
} ts_solver;

/// The fields that say what a solver's settings are: a struct of defaults, and an array of ts_setting, its own.
#define TS_SOLVER_SETTINGS(default_settings, settings)                                                  \
    .defaults = &(default_settings), .settings_bytes = sizeof(default_settings), .setting = (settings), \
    .setting_count = sizeof(settings) / sizeof((settings)[0])

/// How many solvers there are.
int ts_solver_count(void);

/// Solver number i, 0 <= i < ts_solver_count().
const ts_solver* ts_solver_at(int i);

/// The number of a solver of the table, or -1.
int ts_solver_number(const ts_solver* solver);

/// The solver of that name, or NULL.
const ts_solver* ts_solver_find(const char* name);

/// Fills out_settings (settings_bytes) with the solver's defaults.
void ts_solver_default_settings(const ts_solver* solver, void* out_settings);

/// Fills out_settings (settings_bytes) with those of an accuracy: "exact", "balanced" or "fast". Where the solver has none of that name they
/// are its defaults. TS_ERROR_VALUE for another name.
ts_code ts_solver_accuracy_settings(const ts_solver* solver, const char* accuracy, void* out_settings,
                                    ts_status* out_status);

/// How many settings a solver has: the shared ones, which come first, and its own.
int ts_solver_setting_count(const ts_solver* solver);

/// Setting number i, 0 <= i < ts_solver_setting_count(solver).
const ts_setting* ts_solver_setting_at(const ts_solver* solver, int i);

/// The setting of that name, or NULL.
const ts_setting* ts_solver_setting_find(const ts_solver* solver, const char* name);

/// Sets one field of a solver's settings by name. TS_ERROR_VALUE for an unknown name (the message lists the known ones)
/// or a value out of range.
ts_code ts_solver_set(const ts_solver* solver, void* settings, const char* name, double value, ts_status* out_status);

/// Reads one field of a solver's settings by name; NaN when it has none of that name.
double ts_solver_get(const ts_solver* solver, const void* settings, const char* name);

/// Of an impulse with lambda . g = asked and lambda . (G + R) lambda = made: 1 where its dual cost asked + made / 2 is no worse than
/// that of none, else the part of it with the least cost, -asked / made, and 0 where that is none or the cost is not finite. Every
/// solution of every law is worth keeping whole, for lambda . u <= 0 makes its cost -made / 2 or less; and parts of what is admissible
/// are admissible.
double ts_solver_part(double asked, double made);

/// Makes a warm start of any numbers one to begin from: admissible under the law, for the relaxed one the nearest, else normals
/// first; or what is smallest, where the given impulse is not finite or its dual cost 1/2 lambda^T (G + R) lambda +
/// g^T lambda is worse than that of none. Leaves its velocity in out_u (row_count). Needs ROWS and APPLY.
void ts_solver_start(const ts_contact_problem* problem, ts_contact_law law, double* impulse, double* out_u);

/// Solves by solver->solve, and notes start and end where the problem has a trace (contact/trace.h).
ts_solve_report ts_solver_solve(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                ts_arena* scratch, double* impulse);

/// How a solve ended, by what was judged of its answer: converged when no more than the tolerance is `unmet` (and the law's
/// residual `own` is within `force` where that is asked for), whoever said what; else as `said`, but a solver that thinks it is
/// there and is not has stalled.
ts_solve_status ts_solver_verdict(ts_solve_status said, const ts_solver_settings* settings, double unmet,
                                  ts_law_residual own, double time_step);

/// The name of a status in plain words. Never NULL.
const char* ts_solve_status_name(ts_solve_status status);

/// The name of the stage in a report of this solver: "newton". "-" for none. Never NULL.
const char* ts_solver_stage_name(const ts_solver* solver, int stage);

#ifdef __cplusplus
}
#endif
#endif
