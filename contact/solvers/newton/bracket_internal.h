// Where a convex cost is least along a line, by its slope.
#ifndef TS_CONTACT_BRACKET_INTERNAL_H
#define TS_CONTACT_BRACKET_INTERNAL_H

#include <math.h>

/// Steps between which the slope changes its sign; high is infinite until one has been seen to rise. Begins as {0, HUGE_VAL}.
typedef struct ts_bracket {
    double low, high;
} ts_bracket;

/// The step to try next, after one with that slope and curvature: Newton's, where it lies in the bracket, else its middle; while the bracket is open, Newton's may
/// run ahead tenfold. The step itself where there is none between.
static inline double ts_bracket_next(ts_bracket* bracket, double step, double slope, double curvature) {
    if (slope < 0.0)
        bracket->low = step;
    else
        bracket->high = step;
    double next = curvature > 0.0 ? step - slope / curvature : HUGE_VAL;
    if (isinf(bracket->high)) return fmin(fmax(next, 1.1 * step), 10.0 * step);
    return next > bracket->low && next < bracket->high ? next : 0.5 * (bracket->low + bracket->high);
}

#endif
