// Convergence within a step: what share of its own law every solver leaves unmet after each iteration, all on the same contact
// problem, from nothing (cold) and from what the step before remembers (warm).
#ifndef TS_CLI_CONVERGENCE_INTERNAL_H
#define TS_CLI_CONVERGENCE_INTERNAL_H

#include "base/text.h"
#include "contact/solver.h"

/// The most points that are kept of one solve: the first, the last, and some between, denser at the start.
enum { TS_CONVERGENCE_POINTS = 96 };

/// Problems that are looked at: two steps, each cold and warm.
enum { TS_CONVERGENCE_PANELS = 4 };

/// One solve.
typedef struct ts_convergence_curve {
    int count;  // points; 0: it was not tried, or nothing could be noted
    int cut;    // nonzero: it took too long and was stopped
    int iterations;
    ts_solve_status status;  // not of one that was cut
    double iteration[TS_CONVERGENCE_POINTS];
    double unmet[TS_CONVERGENCE_POINTS];  // 1: of the worst island
} ts_convergence_curve;

/// One problem and start.
typedef struct ts_convergence_panel {
    const char* what;  // "hardest" or "typical"
    int warm;
    long long step;
    double time;  // s, when the step begins
    int contact_count;
    double tolerance;             // 1: of the reference's solver
    ts_convergence_curve* curve;  // one for every run of the comparison; owned
} ts_convergence_panel;

struct ts_comparison;

/// Repeats the reference's run up to the step that cost it most iterations and up to a typical one, and solves both with every
/// solver of the comparison, each in a process of its own for a limited time. Fills comparison->panel and panel_count: none
/// when there is no reference, no contact, no memory, or the run was long. Nothing is printed.
void ts_convergence_measure(struct ts_comparison* comparison);

/// A list of objects: problem, start, step, time, contacts, and solvers: name, status, iterations, and the points.
void ts_convergence_json(const struct ts_comparison* comparison, ts_json* json);

/// Releases the curves.
void ts_convergence_free(struct ts_comparison* comparison);

#endif
