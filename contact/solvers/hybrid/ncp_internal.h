// What the stages of `ncp` work on: a search, split into the point where it stands and what it has cost.
#ifndef TS_CONTACT_SOLVERS_NCP_INTERNAL_H
#define TS_CONTACT_SOLVERS_NCP_INTERNAL_H

#include "contact/solver.h"

/// Every constant of the strategy. Defaults, and where each number comes from, stand in ncp.c.
typedef struct ts_ncp_settings {
    ts_solver_settings shared;  // an iteration is a sweep, a linear system or a step of alternating directions
    int stages;                 // which stages may run: the sum of 2^(number - 1)
    int small_limit;            // most steps of stage `small`; 0: its own
    // Sweeps.
    int sweeps_are_last;     // nonzero: they go on to the iteration limit, and shorten a start worse than none
    int first_sweeps;        // before it is judged whether more of them will do
    double system_sweeps;    // a linear system costs as much as so many sweeps,
    double block_sweeps;     // and so many for each block
    int least_last_sweeps;   // where no linear system can be had: so many,
    double row_last_sweeps;  // and so many divided by the rows
    // Large islands.
    int large_island;    // blocks from which on sweeps with momentum and alternating directions come before Newton
    int patched_island;  // and from which on sweeps that stall are mended where they do
    double momentum;     // as of ts_pgs_settings
    // Alternating directions.
    int least_alternations;   // most in one go: so many,
    double row_alternations;  // and so many divided by the rows
    // Newton.
    double proximal;         // first weight of the proximal term, relative to a contact's stiffness
    double polish_proximal;  // the same where Newton begins close to an answer
    int recovery_sweeps;     // after a proximal step that Newton could not solve
    int least_systems;       // most in one go, of paths and of Newton after them: so many,
    double row_systems;      // and so many divided by the rows
    // Paths.
    double path_end;       // their parameter where Newton takes over
    double path_nearness;  // of their points, relative to the smoothing
    double path_bend;      // smallest cosine between the directions at the two ends of a step
    double work;           // multiplications in the factors of all paths and of Newton after them
    double small_work;     // the same where few velocities move: nobody who drives a robot waits for seconds
    double path_share;     // part of them that one path may take
    int least_norm;        // rows up to which internal forces are taken out, contact/least_norm_internal.h
} ts_ncp_settings;

/// How many stages there are, and the bits of all of them.
enum { TS_NCP_STAGES = 14, TS_NCP_ALL_STAGES = (1 << TS_NCP_STAGES) - 1 };

/// "ncp", settings ts_ncp_settings, and the names of its stages, from 1: for those that call it.
extern const ts_solver ts_ncp_solver;
const char* ts_ncp_stage_name(int number);

/// A point of the search.
typedef struct ts_ncp_point {
    double* impulse;  // (row_count)
    ts_solve_status status;
    double excess;  // contact/judge/yardstick.h; HUGE_VAL: not judged yet
} ts_ncp_point;

/// What a search has cost, whatever came of it.
typedef struct ts_ncp_spent {
    int iterations;
    double work;         // multiplications after the first stall
    double system_work;  // multiplications in the factor of one linear system, as far as known
} ts_ncp_spent;

/// A search in progress.
typedef struct ts_ncp_search {
    const ts_contact_problem* problem;
    const ts_ncp_settings* settings;
    ts_arena* scratch;
    ts_yardstick yardstick;
    int refused;          // nonzero: there is no linear system, the matrix would be too large
    int stage;            // number of the stage that led to `at`
    double start_enough;  // 1: excess up to which the start is the answer where few velocities move
    int start_held;       // nonzero: it was good enough as it stood, if not by start_enough
    double patched;       // excess that patches left the last time, HUGE_VAL before
    ts_ncp_point at;      // the best so far; inside a stage, where the stage stands
    ts_ncp_spent spent;
} ts_ncp_search;

/// A way to look for the answer. It starts from s->at or anywhere else, leaves what it finds there, judged or not, and adds
/// what it cost to s->spent. Returns 0 when it found nothing. `which` of its kind, at most `limit` of its steps.
typedef int ts_ncp_way(ts_ncp_search* s, int which, int limit);

/// Newton in the space of velocities, where few of them move.
ts_ncp_way ts_ncp_small;

/// Whether it is seen at once what a start misses: contacts of free bodies, whose rows are six numbers for each.
int ts_ncp_sees_start(const ts_contact_problem* problem);

/// A start, admissible.
void ts_ncp_admit(const ts_contact_problem* problem, const double* impulse, double* out_impulse);

/// Gauss-Seidel sweeps, for as long as they promise to end soon.
ts_ncp_way ts_ncp_sweeps;

/// Sweeps with momentum, for as long as they promise to end soon.
ts_ncp_way ts_ncp_momentum;

/// Where sweeps stall: solves the places that are not good enough by themselves, in turn with sweeps.
ts_ncp_way ts_ncp_patches;

/// Sweeps to the end: what is left when no linear system can be had.
ts_ncp_way ts_ncp_last_sweeps;

/// Newton on the natural map, from where the search stands.
ts_ncp_way ts_ncp_newton;

/// The same, from close to an answer, as long as the work lasts.
ts_ncp_way ts_ncp_polish;

/// Alternating directions from rest. `which` chooses the penalty.
ts_ncp_way ts_ncp_alternate;

/// A smooth path from beside where the search stands. `which` chooses how far beside.
ts_ncp_way ts_ncp_path;

/// No impulse at all, for paths to begin beside it.
ts_ncp_way ts_ncp_rest;

/// So many sweeps with momentum from where the search stands, or fewer where the answer is there; how many there were.
int ts_ncp_glide(ts_ncp_search* s, int sweeps);

/// Multiplications after the first stall that this search may take.
double ts_ncp_work(const ts_ncp_search* s);

/// Nonzero on an island large enough for sweeps with momentum, where `stages` lets them run.
int ts_ncp_glides(const ts_ncp_search* s);

/// Nonzero when the answer is there, or the iterations have run out.
int ts_ncp_is_over(const ts_ncp_search* s);

#endif
