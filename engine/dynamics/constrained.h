// Dynamics under bilateral constraints: closed loops, feet that hold.
#ifndef TS_ENGINE_CONSTRAINED_H
#define TS_ENGINE_CONSTRAINED_H

#include "engine/dynamics/tree_factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rows J a = target that an acceleration has to meet. For a point that stays: J from ts_jacobian_point, target the negative of
/// ts_jacobian_bias; for two points that stay together the differences of both.
typedef struct ts_constraint_rows {
    int count;
    const double* J;       // (count x nv), row-major
    const double* target;  // (count)
} ts_constraint_rows;

/// How well the rows are met.
typedef struct ts_constrained_report {
    int rank;         // rows that say something of their own; the others follow from them, or contradict them
    double residual;  // the most by which a row is missed, in its unit: rounding, unless rows contradict each other
} ts_constrained_report;

/// Accelerations a (nv) and multipliers (rows.count) with M a = force + J^T multiplier and J a = target; `force` (nv) is what is
/// applied less the bias (ts_rnea_forces). Rows that follow from others get no multiplier; where rows contradict each other the first
/// independent ones are met and the residual says so. Works in `scratch` and leaves it as it was. Returns 0 when that has no memory.
int ts_constrained_acceleration(const ts_model* model, const ts_tree_factors* factors, const double* force,
                                const ts_constraint_rows* rows, ts_arena* scratch, double* out_acceleration,
                                double* out_multiplier, ts_constrained_report* out_report);

#ifdef __cplusplus
}
#endif
#endif
