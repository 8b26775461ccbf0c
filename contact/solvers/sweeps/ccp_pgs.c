// CCP-PGS: projected Gauss-Seidel on the convex relaxation of friction.
//
// Problem: lambda in K, u in K*, lambda . u = 0, the optimality condition of min 1/2 lambda^T (G+R) lambda + g^T lambda
// over the cones.
// Rule, one contact at a time, u always current:
//     lambda_b <- P_K(lambda_b - omega s u_b),   s = 1 / lambda_max(D), D = G_bb + R_b
// Source: Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Alg. 2. Its step 3 / trace(D) exceeds 2
// / lambda_max when one direction dominates and then diverges; it is kept as step_rule 1.
// Guaranteed (safe step, 0 < omega < 2): the dual cost falls with every update, as each is a projected gradient step no
// longer than 2 / L on a convex block problem; limit points are solutions.
// Known to fail: the law itself lets a sliding contact lift off, u_N = mu |u_T|; large mass ratios converge slowly;
// internal forces of a hyperstatic contact depend on the order of the sweep.
#include "contact/block_set_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"
#include "contact/operator/stiffness_internal.h"

static void choose_steps(ts_pgs_block* block, ts_pgs_step_rule rule) {
    double mean = (block->D00 + block->D11 + block->D22) / 3.0;
    double stiffness = rule == TS_PGS_STEP_SEED
                           ? mean
                           : ts_stiffness_3x3(block->D00, block->D11, block->D22, block->D01, block->D02, block->D12);
    block->step_normal = block->step_tangent = 1.0 / stiffness;
}

// One update of a contact; u follows lambda where it is wanted again.
static inline void update(const ts_pgs_block* c, double omega, int again, ts_vec3* lambda, ts_vec3* u) {
    ts_vec3 next = ts_block_set_project_cone(ts_vec3_add_scaled(*lambda, -omega * c->step_normal, *u), c->mu);
    if (again) {
        ts_vec3 d = ts_vec3_sub(next, *lambda);
        *u = ts_vec3_make(u->x + c->D00 * d.x + c->D01 * d.y + c->D02 * d.z,
                          u->y + c->D01 * d.x + c->D11 * d.y + c->D12 * d.z,
                          u->z + c->D02 * d.x + c->D12 * d.y + c->D22 * d.z);
    }
    *lambda = next;
}

static void sweep(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    ts_pgs_sweep(pgs, begin, end, movement, update);
}

static const ts_pgs_method method = {TS_LAW_CCP, choose_steps, sweep, 0, 1};

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_pgs_solve(&method, problem, (const ts_pgs_settings*)settings, scratch, impulse);
}

const ts_solver ts_ccp_pgs_solver = {
    .name = "ccp-pgs",
    .law = TS_LAW_CCP,
    .summary = "projected Gauss-Seidel on the convex relaxation: sliding contacts lift off",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(ts_pgs_default, ts_pgs_setting),
};
