// LCP-PGS: projected Gauss-Seidel on friction as a box per contact.
//
// Problem: lambda_N >= 0, u_N >= 0, lambda_N u_N = 0, and per tangent axis |lambda_a| <= mu lambda_N with lambda_a
// saturated against its own slip u_a: a four-sided pyramid around the cone.
// Rule, one contact at a time, u always current:
//     lambda_N <- max(0, lambda_N - omega u_N / D_NN)
//     lambda_a <- clamp(lambda_a - omega u_a / D_aa, +-mu lambda_N),  a = 1, then 2
// With eight or sixteen facets around the cone both tangents step at once, lambda_T <- the point of the polygon of radius mu lambda_N that is
// nearest to lambda_T - omega u_T / L, L the largest eigenvalue of D_TT.
// With eight or sixteen facets around the cone both tangents step at once, lambda_T <- the point of the polygon of radius mu lambda_N that is
// nearest to lambda_T - omega u_T / L, L the largest eigenvalue of D_TT.
// Source: Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Alg. 1. Its form steps both axes at
// once with 1 / min(D_11, D_22) and can overshoot, it is kept as step_rule 1.
// Guaranteed: each row's step minimises along that row when the bounds stand still; they move with lambda_N, so there
// is no proof of convergence. An answer reported as converged meets the law.
// Known to fail: the law is anisotropic: up to sqrt(2) too much friction between the axes, not opposed to slip; large
// mass ratios converge slowly; internal forces depend on the order of the sweep. Four feet of which one stands higher by 1e-11 m
// cannot all be closed; sweeps unload one of them by the same tiny amount each, at a residual that stays as it is until it
// is open: a million sweeps where 1e-8 is asked and 1.4e-8 is left (sliding-cube-rotated, 32 of 300 steps). Alternating
// order or Anderson acceleration goes another way there (24 and 8 sweeps a step, all converge).
#include "contact/block_set_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"

static double clamp(double x, double bound) { return x > bound ? bound : (x < -bound ? -bound : x); }

// step_tangent is used by the published rule only; zero asks for each axis' own diagonal.
static void choose_steps(ts_pgs_block* block, ts_pgs_step_rule rule) {
    double least = fmin(block->D00, block->D11);
    block->step_normal = 1.0 / block->D22;
    block->step_tangent = rule == TS_PGS_STEP_SEED && least > 0.0 ? 1.0 / least : 0.0;
}

// One update of a contact; u follows lambda where it is wanted again.
static inline void update(const ts_pgs_block* c, double omega, int again, ts_vec3* lambda, ts_vec3* u) {
    double normal = lambda->z - omega * c->step_normal * u->z;
    if (!(normal > 0.0)) normal = 0.0;
    double dn = normal - lambda->z;
    ts_vec3 v = ts_vec3_make(u->x + c->D02 * dn, u->y + c->D12 * dn, u->z + c->D22 * dn);
    double bound = c->mu * normal;

    double step0 = c->step_tangent > 0.0 ? c->step_tangent : (c->D00 > 0.0 ? 1.0 / c->D00 : 0.0);
    double d0 = clamp(lambda->x - omega * step0 * v.x, bound) - lambda->x;
    // The second axis sees the first one's change, except under the published rule, which steps both at once.
    double slip1 = c->step_tangent > 0.0 ? v.y : v.y + c->D01 * d0;
    double step1 = c->step_tangent > 0.0 ? c->step_tangent : (c->D11 > 0.0 ? 1.0 / c->D11 : 0.0);
    double d1 = clamp(lambda->y - omega * step1 * slip1, bound) - lambda->y;

    if (again)
        *u = ts_vec3_make(v.x + c->D00 * d0 + c->D01 * d1, v.y + c->D01 * d0 + c->D11 * d1,
                          v.z + c->D02 * d0 + c->D12 * d1);
    *lambda = ts_vec3_make(lambda->x + d0, lambda->y + d1, normal);
}

static void sweep(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    ts_pgs_sweep(pgs, begin, end, movement, update);
}

// --- eight and sixteen facets ------------------------------------------------------------------------------------------

static void choose_polygon_steps(ts_pgs_block* block, ts_pgs_step_rule rule) {
    double stiffness = rule == TS_PGS_STEP_SEED ? fmin(block->D00, block->D11) : ts_pgs_tangent_stiffness(block);
    block->step_normal = 1.0 / block->D22;
    block->step_tangent = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
}

static inline void update_polygon(int facets, const ts_pgs_block* c, double omega, int again, ts_vec3* lambda,
                                  ts_vec3* u) {
    double normal = lambda->z - omega * c->step_normal * u->z;
    if (!(normal > 0.0)) normal = 0.0;
    double dn = normal - lambda->z, step = omega * c->step_tangent;
    ts_vec3 v = ts_vec3_make(u->x + c->D02 * dn, u->y + c->D12 * dn, u->z + c->D22 * dn);
    ts_vec3 to = ts_vec3_make(lambda->x - step * v.x, lambda->y - step * v.y, normal);
    ts_block_set_polygon(facets, c->mu * normal, &to.x, &to.y);
    double d0 = to.x - lambda->x, d1 = to.y - lambda->y;
    if (again)
        *u = ts_vec3_make(v.x + c->D00 * d0 + c->D01 * d1, v.y + c->D01 * d0 + c->D11 * d1,
                          v.z + c->D02 * d0 + c->D12 * d1);
    *lambda = to;
}

static void update_eight(const ts_pgs_block* c, double omega, int again, ts_vec3* lambda, ts_vec3* u) {
    update_polygon(8, c, omega, again, lambda, u);
}

static void update_sixteen(const ts_pgs_block* c, double omega, int again, ts_vec3* lambda, ts_vec3* u) {
    update_polygon(16, c, omega, again, lambda, u);
}

static void sweep_eight(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    ts_pgs_sweep(pgs, begin, end, movement, update_eight);
}

static void sweep_sixteen(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    ts_pgs_sweep(pgs, begin, end, movement, update_sixteen);
}

// --- the solvers ---------------------------------------------------------------------------------------------------------

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    static const ts_pgs_method method = {TS_LAW_LCP, choose_steps, sweep, 0, 1};
    return ts_pgs_solve(&method, problem, (const ts_pgs_settings*)settings, scratch, impulse);
}

static ts_solve_report solve_eight(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                   double* impulse) {
    static const ts_pgs_method method = {TS_LAW_LCP8, choose_polygon_steps, sweep_eight, 0, 1};
    return ts_pgs_solve(&method, problem, (const ts_pgs_settings*)settings, scratch, impulse);
}

static ts_solve_report solve_sixteen(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                     double* impulse) {
    static const ts_pgs_method method = {TS_LAW_LCP16, choose_polygon_steps, sweep_sixteen, 0, 1};
    return ts_pgs_solve(&method, problem, (const ts_pgs_settings*)settings, scratch, impulse);
}

const ts_solver ts_lcp_pgs_solver = {
    .name = "lcp-pgs",
    .law = TS_LAW_LCP,
    .summary = "projected Gauss-Seidel on pyramidal friction: one row at a time, clamped axis by axis",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(ts_pgs_default, ts_pgs_setting),
};

const ts_solver ts_lcp8_pgs_solver = {
    .name = "lcp8-pgs",
    .law = TS_LAW_LCP8,
    .summary = "the same with eight facets: friction up to 8 % too strong, and off the slip by up to 22.5 degrees",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve_eight,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(ts_pgs_default, ts_pgs_setting),
};

const ts_solver ts_lcp16_pgs_solver = {
    .name = "lcp16-pgs",
    .law = TS_LAW_LCP16,
    .summary = "the same with sixteen facets: friction up to 2 % too strong, and off the slip by up to 11.25 degrees",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve_sixteen,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(ts_pgs_default, ts_pgs_setting),
};
