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
#include "contact/judge/residual_internal.h"

// A tolerance of nothing is never met but by what is exactly right; the excess of the rest stays a number.
static const double least_tolerance = 1e-250;

ts_yardstick ts_yardstick_make(const ts_contact_problem* problem, ts_contact_law law, ts_goal goal) {
    ts_yardstick yardstick = {problem, law, goal, ts_residual_scale_of(problem, NULL, problem->block_count, NULL)};
    return yardstick;
}

// What the parts of a law's residual are of what is large.
static double share_of_law(ts_law_residual own, const ts_residual_scale* scale) {
    double I = ts_worse(scale->impulse, scale->velocity * scale->step);
    double worst = ts_worse(ts_share(own.primal, I), ts_share(own.dual, scale->velocity));
    return ts_worse(worst, ts_share(own.complementarity, I * scale->velocity));
}

double ts_yardstick_unmet_of_block(const ts_contact_problem* problem, ts_contact_law law, int b,
                                   const ts_residual_scale* scale, const double* impulse, const double* u) {
    if (law == TS_LAW_NCP) return ts_residual_natural(problem, b, scale, impulse, u);
    return share_of_law(ts_residual_of_law_block(problem, law, b, impulse, u), scale);
}

// The largest share of blocks of one scale; their law's residual is at hand. What is largest in it is the largest share, too.
static double unmet_of(const ts_contact_problem* problem, ts_contact_law law, ts_block_range range,
                       const ts_residual_scale* scale, const double* impulse, const double* u, ts_law_residual own) {
    if (law != TS_LAW_NCP) return share_of_law(own, scale);
    return ts_residual_natural_of_blocks(problem, range, scale, impulse, u);
}

double ts_yardstick_gate(const ts_yardstick* y) {
    double gate = y->goal.tolerance * y->scale.velocity;
    return y->goal.force > 0.0 ? fmin(gate, y->goal.force * y->problem->time_step) : gate;
}

double ts_goal_excess(ts_goal goal, double unmet, ts_law_residual own, double time_step) {
    double force = goal.force > 0.0 ? ts_law_residual_in_force_units(own, time_step) : 0.0;
    return ts_worse(ts_share(unmet, fmax(goal.tolerance, least_tolerance)), ts_share(force, goal.force));
}

double ts_yardstick_excess_of(const ts_yardstick* y, int first, int last, double largest, const double* impulse,
                              const double* u) {
    static const ts_law_residual nothing;
    ts_residual_scale scale = y->scale;
    ts_block_range range = {NULL, first, last - first};
    ts_residual_scale_impulse(&scale, largest);
    int by_law = y->law != TS_LAW_NCP || y->goal.force > 0.0;
    ts_law_residual own = by_law ? ts_residual_of_law_blocks(y->problem, y->law, range, impulse, u) : nothing;
    double unmet = unmet_of(y->problem, y->law, range, &scale, impulse, u, own);
    return ts_goal_excess(y->goal, unmet, own, y->problem->time_step);
}

double ts_yardstick_excess(const ts_yardstick* y, const double* impulse, const double* u) {
    double largest = ts_largest(impulse, y->problem->row_count);
    return ts_yardstick_excess_of(y, 0, y->problem->block_count, largest, impulse, u);
}

double ts_yardstick_judge(const ts_contact_problem* problem, ts_contact_law law, const ts_islands* islands,
                          const double* impulse, const double* u, ts_law_residual* out_own) {
    static const ts_law_residual nothing;
    double unmet = 0.0;
    int apart = islands && islands->block;
    *out_own = nothing;
    for (int i = 0; i < (apart ? islands->count : 1); ++i) {
        ts_block_range range = {NULL, 0, problem->block_count};
        if (apart)
            range = (ts_block_range){islands->block, islands->start[i], islands->start[i + 1] - islands->start[i]};
        ts_residual_scale scale =
            ts_residual_scale_of(problem, apart ? range.list + range.first : NULL, range.count, impulse);
        ts_law_residual own = ts_residual_of_law_blocks(problem, law, range, impulse, u);
        unmet = ts_worse(unmet, unmet_of(problem, law, range, &scale, impulse, u, own));
        ts_law_residual_worsen(out_own, &own);
    }
    return unmet;
}

double ts_yardstick_unmet(const ts_contact_problem* problem, ts_contact_law law, const ts_islands* islands,
                          const double* impulse, const double* u) {
    ts_law_residual own;
    return ts_yardstick_judge(problem, law, islands, impulse, u, &own);
}
