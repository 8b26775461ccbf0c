// The sweeps' rule for contacts that also resist spinning and rolling.
//
// Problem: one block of 4 or 6 rows (contact/problem.h), everything else as it stands. Rule, u always current:
//     NCP  lambda_N <- max(0, lambda_N - omega u_N / D_NN), then lambda_T <- lambda_T - omega s u_T pulled to the ball of
//          radius mu lambda_N, s = 1 / L(D_TT)
//     CCP  lambda <- P_K(lambda - omega s u), s = 1 / L(D)
//     LCP  the normal, then row by row lambda_r <- clamp(lambda_r - omega u_r / D_rr, +-mu lambda_N); with eight or sixteen
//          facets as NCP, pulled to them
// with L the largest row sum, never less than the largest eigenvalue; or, where the sweep asks for it, the exact
// solution of the one-contact law (contact/coulomb.c). These are the rules of ncp_pgs.c, ccp_pgs.c, lcp_pgs.c and
// ncp_nsgs.c with more tangents; step_rule is not asked, for nothing was published.
// Guaranteed and known to fail: as there. The extra rows are usually much softer than the others, so that one step
// length for all makes spin and roll converge slowly; local_iterations helps.
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/coulomb_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"

enum { MAX = TS_BLOCK_ROWS_MAX };

// The largest sum of sizes in a row of D, over all rows or over the tangent rows only.
static double row_sum(const double* D, int rows, int skip) {
    double most = 0.0;
    for (int r = 0; r < rows; ++r) {
        double sum = 0.0;
        for (int c = 0; c < rows; ++c)
            if (r != skip && c != skip) sum += fabs(D[r * rows + c]);
        most = fmax(most, sum);
    }
    return most;
}

static void move_row(const double* D, int rows, int r, double to, double* lambda, double* u) {
    double delta = to - lambda[r];
    lambda[r] = to;
    for (int i = 0; i < rows; ++i) u[i] += D[i * rows + r] * delta;
}

static void step_normal(const double* D, int rows, double omega, double* lambda, double* u) {
    double to = lambda[2] - omega * u[2] / D[2 * rows + 2];
    move_row(D, rows, 2, to > 0.0 ? to : 0.0, lambda, u);
}

// Signorini, and friction pulled to its shape.
static void step_friction(const ts_block* block, ts_friction_shape shape, const double* D, double omega, double* lambda,
                          double* u) {
    int rows = block->rows;
    step_normal(D, rows, omega, lambda, u);
    double stiffness = row_sum(D, rows, 2), to[MAX];
    double step = stiffness > 0.0 ? omega / stiffness : 0.0;
    for (int r = 0; r < rows; ++r) to[r] = r == 2 ? lambda[2] : lambda[r] - step * u[r];
    ts_block_set_admit(block, shape, to);
    for (int r = 0; r < rows; ++r) move_row(D, rows, r, to[r], lambda, u);
}

static void step_relaxation(const ts_block* block, const double* D, double omega, double* lambda, double* u) {
    int rows = block->rows;
    double step = omega / row_sum(D, rows, -1), to[MAX];
    for (int r = 0; r < rows; ++r) to[r] = lambda[r] - step * u[r];
    ts_block_set_project(block, to, to);
    for (int r = 0; r < rows; ++r) move_row(D, rows, r, to[r], lambda, u);
}

static void step_pyramid(const ts_block* block, const double* D, double omega, double* lambda, double* u) {
    int rows = block->rows;
    step_normal(D, rows, omega, lambda, u);
    double bound = block->mu * lambda[2];
    for (int r = 0; r < rows; ++r) {
        if (r == 2) continue;
        double own = D[(rows + 1) * r], to = own > 0.0 ? lambda[r] - omega * u[r] / own : lambda[r];
        move_row(D, rows, r, to > bound ? bound : (to < -bound ? -bound : to), lambda, u);
    }
}

static void step_to_solution(const ts_block* block, const double* D, double omega, double* lambda, double* u) {
    int rows = block->rows;
    double b[MAX], to[MAX];
    for (int r = 0; r < rows; ++r) {
        b[r] = u[r];
        for (int c = 0; c < rows; ++c) b[r] -= D[r * rows + c] * lambda[c];
    }
    ts_coulomb_solve_rows(D, rows, b, block->mu, to);
    if (omega != 1.0) {
        for (int r = 0; r < rows; ++r) to[r] = lambda[r] + omega * (to[r] - lambda[r]);
        ts_block_set_admit(block, TS_FRICTION_DISC, to);
    }
    for (int r = 0; r < rows; ++r) move_row(D, rows, r, to[r], lambda, u);
}

void ts_pgs_update_rows(ts_pgs* pgs, int b, ts_pgs_movement* movement) {
    const ts_block* block = &pgs->problem->block[b];
    int rows = block->rows, local = pgs->exact_rows ? 1 : pgs->settings->local_iterations;
    const double* R = pgs->problem->R ? pgs->problem->R + block->row : NULL;
    double D[MAX * MAX], u[MAX], lambda[MAX], delta[MAX];
    memcpy(D, pgs->G->ops->diagonal(pgs->G, b), (size_t)(rows * rows) * sizeof(double));
    memcpy(lambda, pgs->lambda + block->row, (size_t)rows * sizeof(double));
    pgs->G->ops->velocity(pgs->G, b, u);
    for (int r = 0; r < rows; ++r) {
        D[(rows + 1) * r] += R ? R[r] : 0.0;
        u[r] += pgs->problem->g[block->row + r] + (R ? R[r] * lambda[r] : 0.0);
    }
    for (int k = 0; k < local; ++k) {
        if (pgs->exact_rows)
            step_to_solution(block, D, pgs->omega, lambda, u);
        else if (pgs->law == TS_LAW_CCP)
            step_relaxation(block, D, pgs->omega, lambda, u);
        else if (pgs->law == TS_LAW_LCP)
            step_pyramid(block, D, pgs->omega, lambda, u);
        else
            step_friction(block, ts_friction_shape_of(ts_contact_law_facets(pgs->law)), D, pgs->omega, lambda, u);
    }
    for (int r = 0; r < rows; ++r) {
        delta[r] = lambda[r] - pgs->lambda[block->row + r];
        pgs->lambda[block->row + r] = lambda[r];
        movement->impulse = ts_pgs_larger(fabs(delta[r]), movement->impulse);
        movement->velocity = ts_pgs_larger(fabs(delta[r]) * D[(rows + 1) * r], movement->velocity);
    }
    pgs->G->ops->add_impulse(pgs->G, b, delta);
}
