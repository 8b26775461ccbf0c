// NCP-PGS: projected Gauss-Seidel on the exact law.
//
// Problem: Signorini in the normal and Coulomb in the tangent plane: lambda in K, w = u + (0, 0, mu |u_T|) in K*,
// lambda . w = 0.
// Rule, one contact at a time, u always current:
//     lambda_N <- max(0, lambda_N - omega u_N / D_NN)
//     lambda_T <- lambda_T - omega s u_T, then pulled radially to the disc of radius mu lambda_N
// with s = 1 / lambda_max(D_TT), D = G_bb + R_b. A fixed point with u_N = 0 or lambda_N = 0 and friction opposing slip
// is exactly a solution of the law: lambda_T = P_disc(lambda_T - s u_T).
// Source: Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Alg. 5. Its step 1 / min(D_11, D_22)
// overshoots when the tangent block is far from a multiple of the identity and is kept as step_rule 1.
// Guaranteed: any answer reported as converged meets the law. No proof of convergence.
// Known to fail: normal and tangent coupled strongly in one contact (mu |D_NT| > D_NN) makes a two-cycle; large mass
// ratios converge slowly, error times m_top / (m_top + m_bottom) per sweep; internal forces of a hyperstatic contact
// depend on the order of the sweep.
#include "contact/block_set_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"

static void choose_steps(ts_pgs_block* block, ts_pgs_step_rule rule) {
    double stiffness = rule == TS_PGS_STEP_SEED ? fmin(block->D00, block->D11) : ts_pgs_tangent_stiffness(block);
    block->step_normal = 1.0 / block->D22;
    block->step_tangent = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
}

// One update of a contact; u follows lambda where it is wanted again.
static inline void update(const ts_pgs_block* c, double omega, int again, ts_vec3* lambda, ts_vec3* u) {
    double normal = lambda->z - omega * c->step_normal * u->z;
    if (!(normal > 0.0)) normal = 0.0;
    double dn = normal - lambda->z;
    ts_vec3 v = ts_vec3_make(u->x + c->D02 * dn, u->y + c->D12 * dn, u->z + c->D22 * dn);

    double step = omega * c->step_tangent;
    ts_vec3 target = ts_vec3_make(lambda->x - step * v.x, lambda->y - step * v.y, normal);
    ts_vec3 next = ts_block_set_admit_cone(target, c->mu);
    if (again) {
        double dx = next.x - lambda->x, dy = next.y - lambda->y;
        *u = ts_vec3_make(v.x + c->D00 * dx + c->D01 * dy, v.y + c->D01 * dx + c->D11 * dy,
                          v.z + c->D02 * dx + c->D12 * dy);
    }
    *lambda = next;
}

static void sweep(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    ts_pgs_sweep(pgs, begin, end, movement, update);
}

static const ts_pgs_method method = {TS_LAW_NCP, choose_steps, sweep, 0, 1};

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_pgs_solve(&method, problem, (const ts_pgs_settings*)settings, scratch, impulse);
}

const ts_solver ts_ncp_pgs_solver = {
    .name = "ncp-pgs",
    .law = TS_LAW_NCP,
    .summary = "projected Gauss-Seidel on the exact law: normal first, then friction in its disc",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(ts_pgs_default, ts_pgs_setting),
};
