// NCP: a hybrid that sees when it stalls.
//
// Problem: Signorini and Coulomb for all contacts, as in ncp_pgs.c.
// Rule: stages, in the order of the table below. Where few velocities move, Newton among them (small_newton.c), which ends most
// steps of robots in one or two linear systems. Sweeps of exact one-contact solves (ncp_nsgs.c), for as long as the fall
// of the residual promises that they cost less than a linear system. On islands of a thousand blocks and more, they go
// on with momentum (momentum.c) where that promises to do, else a few steps of alternating directions (admm.c). Newton on the natural map with proximal steps (natural_newton.c), which closes the
// rest in a handful of linear systems whatever the mass ratios. Where Newton ends in a minimum that is no solution: short
// smooth paths from beside it (homotopy.c), and, since another place to begin is as good a chance again, from beside
// other places: where alternating directions end, and rest. Each ends with Newton, and all that is cut off after a given
// number of multiplications. Where no linear system can be had, sweeps to the limit. Where push-outs are proven to contradict each other the
// search ends: there is no answer.
// Between the stages the better point is kept; what was reached is reported, and which stage got there.
// Source: hybrids of this kind: Acary, Bremond and Huber 2018 (NSN-AC after NSGS). The stages and their order follow
// `touchstone bench ncp-stages`; docs/ncp.md shows its numbers.
// Guaranteed: the answer is admissible and finite; converged means the law's residual, recomputed.
// Known to fail: where friction is so strong that no solution exists, or none that the local search can find.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "contact/least_norm_internal.h"
#include "contact/solvers/hybrid/ncp_internal.h"
#include "contact/solvers/newton/natural_newton_internal.h"
#include "contact/solvers/newton/small_newton_internal.h"
#include "contact/trace.h"

// --- the table of stages ---------------------------------------------------------------------------------------------

// When a stage is due.
typedef enum ncp_when {
    WHEN_SMALL,     // not converged, and few velocities move
    WHEN_UNSOLVED,  // not converged
    WHEN_LARGE,     // not converged, and the island is large
    WHEN_MANY,      // not converged, and the island has room for patches
    WHEN_REFUSED,   // there is no linear system
    WHEN_STALLED    // not converged, there are linear systems, and work is left
} ncp_when;

enum { SMALL_LIMIT = 900, NEWTON_LIMIT = 300, PATH_LIMIT = 500 };

typedef struct ncp_stage {
    const char* name;
    ts_ncp_way* find;
    int which;      // of its kind
    int limit;      // of its steps
    ncp_when when;  // it is due
    int polished;   // nonzero: Newton follows,
    int paths;      // and so many paths from beside where it ends, each with Newton
} ncp_stage;

static const ncp_stage stages[TS_NCP_STAGES] = {
    {"small", ts_ncp_small, 0, SMALL_LIMIT, WHEN_SMALL, 0, 0},
    {"sweeps", ts_ncp_sweeps, 0, INT_MAX, WHEN_UNSOLVED, 0, 0},
    {"momentum", ts_ncp_momentum, 0, INT_MAX, WHEN_LARGE, 0, 0},
    {"patches", ts_ncp_patches, 0, INT_MAX, WHEN_MANY, 0, 0},
    {"alternate-large", ts_ncp_alternate, 1, 60, WHEN_LARGE, 0, 0},
    {"newton", ts_ncp_newton, 0, NEWTON_LIMIT, WHEN_UNSOLVED, 0, 0},
    {"patches-2", ts_ncp_patches, 0, INT_MAX, WHEN_MANY, 0, 0},
    {"sweeps-only", ts_ncp_last_sweeps, 0, INT_MAX, WHEN_REFUSED, 0, 0},
    {"path-1", ts_ncp_path, 0, PATH_LIMIT, WHEN_STALLED, 1, 0},
    {"path-2", ts_ncp_path, 1, PATH_LIMIT, WHEN_STALLED, 1, 0},
    {"path-3", ts_ncp_path, 2, PATH_LIMIT, WHEN_STALLED, 1, 0},
    {"alternate-1", ts_ncp_alternate, 0, 3000, WHEN_STALLED, 1, 3},
    {"rest", ts_ncp_rest, 0, 0, WHEN_STALLED, 0, 3},
    {"alternate-2", ts_ncp_alternate, 1, 200, WHEN_STALLED, 1, 3},
};

enum { SMALL = 0, SWEEPS = 1, MOMENTUM = 2, NEWTON = 5, PATH = 8 };

// What begins elsewhere where there may be an answer: a system of `newton` costs ten times as much.
static const ncp_stage beside = {"small", ts_ncp_small, TS_SMALL_FROM_BESIDE, SMALL_LIMIT, WHEN_SMALL, 0, 0};

// What follows other ways.
static const ncp_stage polish = {"polish", ts_ncp_polish, 0, NEWTON_LIMIT, WHEN_UNSOLVED, 0, 0};
static const ncp_stage* const path = &stages[PATH];

const char* ts_ncp_stage_name(int number) { return stages[number - 1].name; }

static int is_large(const ts_ncp_search* s) { return s->problem->block_count >= s->settings->large_island; }

int ts_ncp_glides(const ts_ncp_search* s) { return is_large(s) && s->settings->stages >> MOMENTUM & 1; }

// --- settings --------------------------------------------------------------------------------------------------------

static const ts_setting setting[] = {
    TS_SETTING_WHOLE(ts_ncp_settings, stages, 0.0, TS_NCP_ALL_STAGES,
                     "which stages may run: the sum of 2^(number - 1), see docs/ncp.md"),
    TS_SETTING_WHOLE(ts_ncp_settings, first_sweeps, 1.0, 1e6,
                     "Gauss-Seidel sweeps before it is judged whether they will do"),
    TS_SETTING_WHOLE(ts_ncp_settings, large_island, 0.0, 1e9,
                     "blocks from which on sweeps with momentum and alternating directions come before Newton"),
    TS_SETTING_WHOLE(ts_ncp_settings, patched_island, 0.0, 1e9,
                     "blocks from which on places where sweeps stall are solved by themselves"),
    TS_SETTING_REAL(ts_ncp_settings, proximal, 1e-14, 1.0,
                    "first weight of Newton's proximal term, relative to a contact's stiffness"),
    TS_SETTING_REAL(ts_ncp_settings, work, 0.0, DBL_MAX, "most multiplications after Newton's first stall"),
    TS_SETTING_WHOLE(ts_ncp_settings, least_norm, 0.0, 1000.0,
                     "rows up to which forces that move nothing are taken out of the answer; 0: never"),
};

// Ranges: random heaps and known answers of `touchstone bench ncp-stages`; all within them solves as many problems, for as
// many systems to a tenth. Numbers by rows and `work` end a search after some seconds.
static const ts_ncp_settings defaults = {
    .shared = {1e-8, 1e-12, 100000, 0.0},
    .stages = TS_NCP_ALL_STAGES,
    .first_sweeps = 4,     // 1 to 4
    .system_sweeps = 8.0,  // 0 to 16
    .block_sweeps = 0.25,  // 0 to 1
    .least_last_sweeps = 1000,
    .row_last_sweeps = 3e8,
    .large_island = 1000,   // see docs/ncp.md
    .patched_island = 400,  // 200 to 1000
    .momentum = 0.9,        // 0.8 to 0.9; see docs/ncp.md
    .least_alternations = 200,
    .row_alternations = 2e7,
    .proximal = 1e-3,         // 1e-5 to 1e-2
    .polish_proximal = 1e-6,  // 1e-8 to 1e-4
    .recovery_sweeps = 5,     // to 10; without them Newton leaves an eighth more to the paths
    .least_systems = 50,
    .row_systems = 1e6,
    .path_end = 1e-5,       // 1e-7 to 1e-3
    .path_nearness = 0.03,  // 0.01 to 0.1
    .path_bend = 0.5,       // 0.3 to 0.7
    .work = 1e11,
    .small_work = 4e8,   // no step of 1.2 million of robots needs a fifth of it; all of it takes a tenth of a second
    .path_share = 0.25,  // 0.1 to 1
    .least_norm = 0,
};

// --- accuracies ------------------------------------------------------------------------------------------------------

static void be_balanced(void* settings) { ((ts_ncp_settings*)settings)->shared.tolerance = 1e-4; }

// A bounded amount of work: at most 20 steps of `small` where few velocities move, whose systems are small, and sweeps until there were 30 in
// all. What is not done by then is the next step's, which begins from there.
static void be_fast(void* settings) {
    ts_ncp_settings* s = (ts_ncp_settings*)settings;
    s->shared.tolerance = 1e-4;
    s->shared.iteration_limit = 30;
    s->stages = 1 | 1 << SWEEPS;
    s->small_limit = 20;
    s->sweeps_are_last = 1;
}

static const ts_accuracy accuracies[] = {
    {"balanced", "all stages, to 1e-4 of the problem", be_balanced},
    {"fast", "at most 30 sweeps a step, or small linear systems; it ends at 1e-4 of the problem", be_fast},
};

// --- the walk --------------------------------------------------------------------------------------------------------

static int is_due(const ts_ncp_search* s, ncp_when when) {
    switch (when) {
    case WHEN_SMALL: return !ts_ncp_is_over(s) && ts_small_newton_takes(s->problem);
    case WHEN_UNSOLVED: return !ts_ncp_is_over(s);
    case WHEN_LARGE: return !ts_ncp_is_over(s) && is_large(s);
    case WHEN_MANY: return !ts_ncp_is_over(s) && s->problem->block_count >= s->settings->patched_island;
    case WHEN_REFUSED: return s->refused;
    case WHEN_STALLED: break;
    }
    return !s->refused && !ts_ncp_is_over(s) && s->spent.work < ts_ncp_work(s);
}

// Runs a stage, and leaves the search at the better of where it stood and what was found; what that cost stays spent.
// Returns nonzero when it has moved.
static int attempt(ts_ncp_search* s, const ncp_stage* stage, int which) {
    if (!is_due(s, stage->when)) return 0;
    size_t bytes = (size_t)s->problem->row_count * sizeof(double);
    ts_arena_scope scope = ts_arena_scope_begin(s->scratch);
    double* impulse = TS_ARENA_ARRAY(s->scratch, double, s->problem->row_count);
    int better = 0;
    if (impulse) {
        ts_ncp_point start = s->at;
        memcpy(impulse, start.impulse, bytes);
        int found = stage->find(s, which, stage->limit);
        if (found && stage->polished) attempt(s, &polish, 0);
        for (int k = 0; k < stage->paths && found; ++k) attempt(s, path, k);
        better =
            found && (s->at.status == TS_SOLVE_CONVERGED || start.excess == HUGE_VAL || s->at.excess < start.excess);
        if (!better) {
            s->at = start;
            memcpy(start.impulse, impulse, bytes);
        }
    }
    ts_arena_scope_end(s->scratch, scope);
    return better;
}

// Whether push-outs that contradict each other leave no answer to look for, where few velocities move and the proof is cheap: most of what
// the first stages leave there has an answer that some linear systems more will find, the rest has none. Before Newton that is to be
// certain. After it friction that jams is enough: paths would take ten times as long to find nothing.
static int has_no_answer(const ts_ncp_search* s, int stage) {
    int with_friction = stage >= PATH;
    if ((stage != NEWTON && stage < PATH) || ts_ncp_is_over(s) || !s->problem->push_out) return 0;
    if (!ts_small_newton_takes(s->problem)) return 0;
    if (ts_contact_problem_contradicts(s->problem, with_friction, s->at.impulse, s->scratch)) return 1;
    if (stage > PATH) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(s->scratch);
    double* impulse = TS_ARENA_ARRAY(s->scratch, double, s->problem->row_count);
    int is_proven = impulse && ts_contact_problem_seek_contradiction(s->problem, with_friction, s->scratch, impulse);
    ts_arena_scope_end(s->scratch, scope);
    return is_proven;
}

// What is remembered of a block: whether the start of its island's last solve was good enough.
static const double has_held = 1.0, has_moved = 2.0;

// 1: of the accuracy, what a start may miss after one that was not good enough. What comes to rest swings: contacts that have opened by h v close
// in a step, which takes as large an impulse and another one to stop. Held to 1 like all others, the start after these two would be let pass by a
// hair, fall, and so on: two steps of three would be solved for ever. Once only, as what creeps keeps being this far from its start. 0.01 to 0.3.
static const double after_move = 0.1;

static double start_enough(const ts_contact_problem* problem) {
    for (int b = 0; problem->memory && b < problem->block_count; ++b)
        if (problem->memory[b] == has_moved) return after_move;
    return 1.0;
}

// What stage `small` would see first, where it would run and the last start was good enough: then this one mostly is. The start of an island is held to 1
// (start_enough), as no block of it has moved.
static double keeps_start(const ts_contact_problem* problem, const void* settings, const double* impulse,
                          double* out_impulse, ts_solve_report* out_report) {
    const ts_ncp_settings* s = (const ts_ncp_settings*)settings;
    int runs = s->stages >> SMALL & 1 && s->shared.iteration_limit > 0 && problem->row_count > s->least_norm;
    if (!runs || problem->trace || !problem->memory) return 0.0;
    for (int b = 0; b < problem->block_count; ++b)
        if (problem->memory[b] != has_held) return 0.0;
    if (!ts_ncp_sees_start(problem) || !ts_small_newton_takes(problem)) return 0.0;
    ts_ncp_admit(problem, impulse, out_impulse);
    *out_report = (ts_solve_report){TS_SOLVE_CONVERGED, 0, SMALL + 1};
    return 1.0;
}

// The search's point writes through `impulse`.
static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {  // NOLINT(readability-non-const-parameter)
    // What moves nothing is taken out of an answer that has something to spare, and it is to be good enough then.
    const ts_ncp_settings* used = (const ts_ncp_settings*)settings;
    int polished = problem->row_count <= used->least_norm;
    ts_ncp_settings strict;
    if (polished) {
        strict = *used;
        strict.shared.tolerance =
            ts_least_norm_goal(ts_solver_goal(&used->shared), problem->row_count, used->least_norm).tolerance;
        used = &strict;
    }
    ts_ncp_search s = {.problem = problem,
                       .settings = used,
                       .scratch = scratch,
                       .yardstick = ts_yardstick_make(problem, TS_LAW_NCP, ts_solver_goal(&used->shared)),
                       .start_enough = start_enough(problem),
                       .patched = HUGE_VAL,
                       .at = {impulse, TS_SOLVE_ITERATION_LIMIT, HUGE_VAL}};
    ts_trace unread, *trace = problem->trace ? problem->trace : &unread;
    for (int i = 0; i < TS_NCP_STAGES && s.at.status != TS_SOLVE_FAILED && !ts_ncp_is_over(&s); ++i) {
        if (has_no_answer(&s, i)) break;
        if (i == NEWTON && s.settings->stages >> SMALL & 1 && attempt(&s, &beside, beside.which)) s.stage = SMALL + 1;
        trace->stage = i + 1;
        if ((s.settings->stages >> i & 1 || i == SWEEPS) && attempt(&s, &stages[i], stages[i].which)) s.stage = i + 1;
    }
    s.yardstick.goal = ts_solver_goal((const ts_solver_settings*)settings);
    if (polished && s.at.status == TS_SOLVE_CONVERGED) ts_least_norm(&s.yardstick, used->least_norm, scratch, impulse);
    ts_solve_report report = {s.at.status, s.spent.iterations, s.stage};
    for (int b = 0; problem->memory && b < problem->block_count; ++b)
        problem->memory[b] = s.start_held ? has_held : has_moved;
    int is_left = report.iterations < s.settings->shared.iteration_limit && !s.refused;
    if (is_left && (report.status == TS_SOLVE_ITERATION_LIMIT)) report.status = TS_SOLVE_STALLED;
    return report;
}

const ts_solver ts_ncp_solver = {
    .name = "ncp",
    .law = TS_LAW_NCP,
    .summary = "the one to use: sweeps on the exact law, Newton when they stall",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
    .remembers = "whether the last start was the answer",
    .keeps_start = keeps_start,
    .accuracy = accuracies,
    .accuracy_count = sizeof accuracies / sizeof accuracies[0],
    .stage_count = TS_NCP_STAGES,
    .stage_name = ts_ncp_stage_name,
};
