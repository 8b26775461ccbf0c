// Derivatives of forward dynamics.
//
// Problem: d a / d q, d a / d v, d a / d tau of a = M^-1 (tau - b). Rule: inverse dynamics takes a back to tau, so at constant tau
// M da + (d tau / d q) dq + (d tau / d v) dv = 0, with the derivatives of inverse dynamics at that a; columns are solved for by the factor along
// the tree. Source: Carpentier and Mansard (2018), section V; Featherstone (2008), section 6.5 for the factor.
// Guaranteed: exact up to rounding times the condition of M; cost n times the sum of the depths. Known to fail: nothing; L says what has no mass.
#include <string.h>

#include "engine/dynamics/derivative.h"

void ts_derivative_forward_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                const double* acceleration, const ts_tree_factors* factors,
                                const ts_derivative_scratch* scratch, const ts_derivative_matrices* out) {
    int rows = model->tree[tree].dof_count;
    size_t n = (size_t)rows;
    const double* L = factors->L + factors->start[tree];
    const double* inverse = factors->inverse + model->tree[tree].dof_first;
    ts_derivative_matrices of_forces = {out->by_q, out->by_v, NULL};
    if (out->by_q || out->by_v)
        ts_derivative_inverse_tree(model, kinematics, gravity, tree, acceleration, scratch, &of_forces);
    double* matrix[2] = {out->by_q, out->by_v};
    for (int i = 0; i < 2; ++i) {
        if (!matrix[i]) continue;
        for (size_t k = 0; k < n * n; ++k) matrix[i][k] = -matrix[i][k];
        ts_tree_factor_solve_columns(model, tree, L, inverse, rows, matrix[i]);
    }
    if (!out->by_input) return;
    memset(out->by_input, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; ++i) out->by_input[i * (n + 1)] = 1.0;
    ts_tree_factor_solve(model, tree, L, inverse, rows, out->by_input);
}
