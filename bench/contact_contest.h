// What the parts of `touchstone bench solvers` share: who solves, what came of it, and the comparison with Siconos.
#ifndef TS_BENCH_CONTACT_CONTEST_H
#define TS_BENCH_CONTACT_CONTEST_H

#include "bench/bench.h"
#include "bench/contact_problems.h"
#include "contact/judge/relative.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_CONTEST_TOLERANCES = 3, TS_CONTEST_RUNNERS = 28 };

/// One who solves: a solver of our table, or one of Siconos'.
typedef struct ts_contest_runner {
    const char* name;
    const ts_solver* solver;  // NULL: Siconos
    int siconos;              // its number
    ts_contact_law law;
} ts_contest_runner;

/// What a runner did on a problem.
typedef struct ts_contest_outcome {
    double seconds[TS_CONTEST_TOLERANCES];  // the shortest time; NAN: not solved
    ts_relative_error error;                // at the tightest tolerance that was reached
    int iterations;
    int asked;
    int slow;     // it took longer than anyone is waited for
    int attempt;  // Siconos: it was given a tenth of the last tolerance this many times before that did
} ts_contest_outcome;

/// Everything of one run.
typedef struct ts_contest {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_contact_set set;
    ts_contest_runner runner[TS_CONTEST_RUNNERS];
    int runners;
    ts_contest_outcome* outcome;  // by problem, then runner
    ts_arena arena;
    ts_arena scratch;
    double worst_disagreement;  // between our error function and Siconos'
    int compared;
} ts_contest;

/// What runner k did on a problem.
static inline ts_contest_outcome* ts_contest_outcome_of(const ts_contest* c, int problem, int k) {
    return &c->outcome[problem * c->runners + k];
}

/// Fills a solver's settings for a problem (TS_SOLVER_SETTINGS_BYTES): its defaults, and iterations enough.
void ts_contest_settings(const ts_solver* solver, const ts_contact_problem* problem, void* out_settings);

/// Iterations that Siconos' solver number `siconos` gets.
int ts_contest_siconos_limit(int siconos, const ts_contact_problem* problem);

/// Adds the table `siconos` and its notes: ncp and the best of Siconos once more, in turn, to 1e-8. Does nothing
/// without Siconos.
void ts_contest_duel(ts_contest* c);

#ifdef __cplusplus
}
#endif
#endif
