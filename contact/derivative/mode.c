// Problem: an answer of a contact problem can be differentiated only where it is one, and where every block knows what it does. Rule: each law's own
// conditions, with numbers below a tolerance taken as zero: what breaks one is no answer; what meets two of them with equality is about to change, and has a
// derivative to one side at most. Guaranteed: a mode that is told is the only one within the tolerance, unless `one_sided` asks for the side that holds or
// opens. Known to fail: a tolerance above the numbers themselves calls everything undecided.
#include "contact/derivative/mode_internal.h"

#include <math.h>

#include "contact/block_set_internal.h"

static ts_mode_judgement holds(ts_contact_mode mode) { return (ts_mode_judgement){TS_OK, mode, ""}; }
static ts_mode_judgement wrong(const char* why) { return (ts_mode_judgement){TS_ERROR_VALUE, TS_MODE_VIOLATED, why}; }
static ts_mode_judgement no_number(const char* why) {
    return (ts_mode_judgement){TS_ERROR_NUMERIC, TS_MODE_VIOLATED, why};
}

// On the border of `side` and another mode.
static ts_mode_judgement edge(const char* why, ts_contact_mode side, const ts_contact_derivative_tolerance* zero) {
    return zero->one_sided ? holds(side) : no_number(why);
}

// lambda >= 0, w >= 0, not both zero.
static ts_mode_judgement judge_pair(double lambda, double w, const ts_contact_derivative_tolerance* zero) {
    if (lambda < -zero->impulse) return wrong("pulls");
    if (w < -zero->speed) return wrong("closes");
    if (lambda > zero->impulse) return w > zero->speed ? wrong("pushes while it opens") : holds(TS_MODE_STICK);
    return w > zero->speed ? holds(TS_MODE_OPEN) : edge("touches without force", TS_MODE_OPEN, zero);
}

static ts_mode_judgement judge_cone(const ts_block* block, int convex, const double* lambda, const double* u,
                                    const ts_contact_derivative_tolerance* zero) {
    double slip = ts_block_set_tangent_length(u, block->rows);
    double friction = ts_block_set_tangent_length(lambda, block->rows);
    double limit = block->mu * lambda[2];
    ts_mode_judgement normal = judge_pair(lambda[2], u[2] - (convex ? block->mu * slip : 0.0), zero);
    if (normal.code == TS_OK && friction > fmax(limit, 0.0) + zero->impulse)
        return wrong("has friction beyond its cone");
    if (normal.code != TS_OK || normal.mode == TS_MODE_OPEN) return normal;
    if (slip <= zero->speed) {
        if (block->mu == 0.0) return holds(TS_MODE_SLIDE);
        return friction < limit - zero->impulse ? holds(TS_MODE_STICK) : edge("is about to slip", TS_MODE_STICK, zero);
    }
    // Friction opposes slip; the direction of slip is known to speed / slip.
    double off = 0.0;
    for (int r = 0; r < block->rows; ++r)
        if (r != 2) off += pow(lambda[r] + limit * u[r] / slip, 2);
    if (sqrt(off) > zero->impulse + limit * zero->speed / slip) return wrong("slips against no full friction");
    return holds(TS_MODE_SLIDE);
}

static ts_mode_judgement judge_box(const ts_block* block, double lambda, double u,
                                   const ts_contact_derivative_tolerance* zero) {
    if (lambda < block->low - zero->impulse || lambda > block->high + zero->impulse)
        return wrong("is out of its bounds");
    if (block->low == block->high) return holds(TS_MODE_SLIDE);
    int low = lambda <= block->low + zero->impulse;
    int high = lambda >= block->high - zero->impulse;
    if (fabs(u) <= zero->speed)
        return low || high ? edge("holds with all it has", TS_MODE_STICK, zero) : holds(TS_MODE_STICK);
    return (u > 0.0 ? low : high) ? holds(TS_MODE_SLIDE) : wrong("moves within its bounds");
}

ts_mode_judgement ts_mode_judge(const ts_block* block, int convex, const double* lambda, const double* u,
                                const ts_contact_derivative_tolerance* zero) {
    for (int r = 0; r < block->rows; ++r)
        if (!isfinite(lambda[r]) || !isfinite(u[r])) return no_number("has numbers that are not finite");
    switch (block->set) {
    case TS_SET_CONE: return judge_cone(block, convex, lambda, u, zero);
    case TS_SET_HALF_LINE: return judge_pair(lambda[0], u[0], zero);
    case TS_SET_BOX: return judge_box(block, lambda[0], u[0], zero);
    case TS_SET_FREE: break;
    }
    for (int r = 0; r < block->rows; ++r)
        if (fabs(u[r]) > zero->speed) return wrong("is bilateral and moves");
    return holds(TS_MODE_STICK);
}
