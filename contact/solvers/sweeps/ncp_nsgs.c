// NCP-NSGS: nonsmooth Gauss-Seidel on the exact law.
//
// Problem: Signorini and Coulomb for all contacts, as in ncp_pgs.c.
// Rule, one contact at a time, u always current: with b = u - D lambda, D = G_bb + R_b, what the contact sees of the
// others, lambda <- the exact solution of the one-contact law (contact/coulomb.c); omega relaxes towards it, and the
// relaxed point is pulled back to the cone. Of the sweeps' settings step_rule and local_iterations mean nothing here.
// Source: Jourdan, Alart, Jean 1998 (nonsmooth contact dynamics); Acary and Brogliato 2008, ch. 13.
// Guaranteed: any answer reported as converged meets the law. No proof of convergence in general.
// Known to fail: like all Gauss-Seidel methods on large mass ratios (error times m_top / (m_top + m_bottom) a sweep)
// and slowly on hyperstatic piles, where it leaves internal forces that depend on the order.
#include "contact/block_set_internal.h"
#include "contact/coulomb_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"

static inline void update(const ts_pgs_block* c, double omega, int again, ts_vec3* lambda, ts_vec3* u) {
    ts_vec3 l = *lambda, b = ts_pgs_bias(c, l, *u);
    ts_vec3 next = ts_coulomb_solve(c->D00, c->D01, c->D11, c->D02, c->D12, c->D22, b, c->mu);
    if (omega != 1.0) next = ts_block_set_admit_cone(ts_vec3_add_scaled(l, omega, ts_vec3_sub(next, l)), c->mu);
    (void)again;  // exact once is exact: u is not needed again
    *lambda = next;
}

static void sweep(ts_pgs* pgs, int begin, int end, ts_pgs_movement* movement) {
    ts_pgs_sweep(pgs, begin, end, movement, update);
}

static const ts_pgs_method method = {TS_LAW_NCP, NULL, sweep, 1, 1};

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    ts_pgs_settings once = *(const ts_pgs_settings*)settings;
    once.local_iterations = 1;
    return ts_pgs_solve(&method, problem, &once, scratch, impulse);
}

const ts_solver ts_ncp_nsgs_solver = {
    .name = "ncp-nsgs",
    .law = TS_LAW_NCP,
    .summary = "nonsmooth Gauss-Seidel on the exact law: every contact solved exactly in turn",
    .needs = TS_DELASSUS_ROWS,
    .solve = solve,
    .sweeps = 1,
    TS_SOLVER_SETTINGS(ts_pgs_default, ts_pgs_setting),
};
