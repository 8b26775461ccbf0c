// Whether an answer is good enough.
//
// Problem: a tolerance that means the same for a gram and for a mountain. Rule: for the exact law the natural map, block by
// block, relative to the impulses that there are or that would stop what moves; for the others the three parts of the law's
// residual by that impulse I, by the largest free velocity V, and by I V. The excess is the largest of these by the tolerance,
// and of the residual in force units by the absolute tolerance, where one is asked for.
// Source: natural map: Facchinei and Pang 2003, ch. 1.5. Guaranteed: masses, lengths and times in other units change nothing but
// rounding; zero exactly when the law holds; a NaN stays. Known to fail: an island that carries loads 1e8 times those of its
// lightest contact leaves that contact to rounding, as it does in the arithmetic itself.
#include "contact/judge/yardstick.h"

#include <math.h>

#include "base/scalar.h"

// A tolerance of nothing is never met but by what is exactly right; the excess of the rest stays a number.
static const double least_tolerance = 1e-250;

ts_yardstick ts_yardstick_make(const ts_contact_problem* problem, ts_contact_law law, ts_goal goal) {
    ts_yardstick yardstick = {problem, law, goal, ts_residual_scale_of(problem, NULL, problem->block_count, NULL)};
    return yardstick;
}

double ts_yardstick_unmet_of_block(const ts_contact_problem* problem, ts_contact_law law, int b,
                                   const ts_residual_scale* scale, const double* impulse, const double* u) {
    if (law == TS_LAW_NCP) return ts_residual_natural(problem, b, scale, impulse, u);
    ts_law_residual own = ts_residual_of_law_block(problem, law, b, impulse, u);
    double I = ts_worse(scale->impulse, scale->velocity * scale->step);
    double worst = ts_worse(ts_share(own.primal, I), ts_share(own.dual, scale->velocity));
    return ts_worse(worst, ts_share(own.complementarity, I * scale->velocity));
}

double ts_yardstick_gate(const ts_yardstick* y) {
    double gate = y->goal.tolerance * y->scale.velocity;
    return y->goal.force > 0.0 ? fmin(gate, y->goal.force * y->problem->time_step) : gate;
}

double ts_yardstick_excess_of(const ts_yardstick* y, int first, int last, double largest, const double* impulse,
                              const double* u) {
    ts_residual_scale scale = y->scale;
    double unmet = 0.0, force = 0.0;
    ts_residual_scale_impulse(&scale, largest);
    for (int b = first; b < last; ++b) {
        unmet = ts_worse(unmet, ts_yardstick_unmet_of_block(y->problem, y->law, b, &scale, impulse, u));
        if (!(y->goal.force > 0.0)) continue;
        ts_law_residual own = ts_residual_of_law_block(y->problem, y->law, b, impulse, u);
        force = ts_worse(force, ts_law_residual_in_force_units(own, y->problem->time_step));
    }
    return ts_worse(ts_share(unmet, fmax(y->goal.tolerance, least_tolerance)), ts_share(force, y->goal.force));
}

double ts_yardstick_excess(const ts_yardstick* y, const double* impulse, const double* u) {
    double largest = ts_largest(impulse, y->problem->row_count);
    return ts_yardstick_excess_of(y, 0, y->problem->block_count, largest, impulse, u);
}

double ts_yardstick_unmet(const ts_contact_problem* problem, ts_contact_law law, const ts_islands* islands,
                          const double* impulse, const double* u) {
    double unmet = 0.0;
    int apart = islands && islands->block;
    for (int i = 0; i < (apart ? islands->count : 1); ++i) {
        const int* block = apart ? islands->block + islands->start[i] : NULL;
        int count = apart ? islands->start[i + 1] - islands->start[i] : problem->block_count;
        ts_residual_scale scale = ts_residual_scale_of(problem, block, count, impulse);
        for (int k = 0; k < count; ++k)
            unmet =
                ts_worse(unmet, ts_yardstick_unmet_of_block(problem, law, block ? block[k] : k, &scale, impulse, u));
    }
    return unmet;
}
