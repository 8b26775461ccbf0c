// The residual of one law.
//
// Problem: how badly do impulses lambda and velocities u break the law that a solver claims? Rule: per block, the distance of lambda to its set, of u
// (shifted for the exact law) to the dual set, and their work; the worst of all blocks.
// Source: docs/contact.md; of RaiSim's law Hwangbo, Lee and Hutter 2018, as Le Lidec et al. write it.
// Guaranteed: all parts of a law are zero exactly when the law holds; a NaN anywhere makes the parts it touches NaN.
// Known to fail: the three parts carry different units, so their maximum depends on scale; contact/judge/yardstick.c makes shares of them.
#include "contact/judge/block_law_internal.h"

const char* ts_contact_law_name(ts_contact_law law) {
    switch (law) {
    case TS_LAW_LCP: return "LCP";
    case TS_LAW_CCP: return "CCP";
    case TS_LAW_NCP: return "NCP";
    case TS_LAW_RAISIM: return "RaiSim";
    case TS_LAW_LCP8: return "LCP-8";
    case TS_LAW_LCP16: return "LCP-16";
    case TS_LAW_EXPLICIT: return "explicit";
    }
    return "unknown";
}

int ts_contact_law_facets(ts_contact_law law) {
    return law == TS_LAW_LCP ? 4 : law == TS_LAW_LCP8 ? 8 : law == TS_LAW_LCP16 ? 16 : 0;
}

// How far a vector leans beyond the middle of the nearest sector, for sectors whose middles are at multiples of `sector` and `offset`.
static double off_middle(double angle, double sector, double offset) { return fabs(remainder(angle - offset, sector)); }

// Signorini in the normal; friction within all facets, and such that no point within them resists the slip more. The farthest such point is a
// corner.
static void polygon_law(int facets, const ts_block* block, const double* l, const double* v, ts_law_residual* r) {
    double sector = 2.0 * TS_PI / facets, bound = block->mu * l[2], slip = hypot(v[0], v[1]);
    double across = hypot(l[0], l[1]) * cos(off_middle(atan2(l[1], l[0]), sector, 0.0));
    double most = slip * cos(off_middle(atan2(v[1], v[0]), sector, 0.5 * sector)) / cos(0.5 * sector);
    worsen(r, positive(-l[2]), positive(-v[2]), l[2] * v[2]);
    worsen(r, positive(across - bound), 0.0, bound * most + l[0] * v[0] + l[1] * v[1]);
    pyramid_axes(bound, l + 3, v + 3, block->rows - 3, r);
}

static inline void cone_block(ts_contact_law law, const ts_block* block, const double* lambda, const double* u,
                              ts_law_residual* r) {
    if (law == TS_LAW_LCP) {
        pyramid_law(block, lambda, u, r);
        return;
    }
    if (law == TS_LAW_LCP8 || law == TS_LAW_LCP16) {
        polygon_law(ts_contact_law_facets(law), block, lambda, u, r);
        return;
    }
    cone_state c = cone_state_of_block(block, lambda, u);
    cone_law(&c, primal_of(&c), law == TS_LAW_CCP ? c.u.z : shifted_normal(&c), r);
}

// What the per-contact bisection solves (contact/solvers/sweeps/raisim.c): Signorini, and the least energy within the section
// of the cone where u_N = 0. Its slip is u_T = -s a, s >= 0, with a = lambda_T + mu^2 lambda_N D_TN / D_NN (Hwangbo, Lee
// and Hutter 2018; eq. (21) of Le Lidec et al.), the one place where a law sees the contact's own D = G_bb + R_b. Without
// coupling a = lambda_T, and the gap below is the exact law's. Contacts that spin or roll are held to the exact law.
static void section_law(const ts_contact_problem* problem, int b, const double* lambda, const double* u,
                        ts_law_residual* r) {
    const ts_block* block = &problem->block[b];
    const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
    double stiffness = D[8] + (problem->R ? problem->R[block->row + 2] : 0.0);
    double scale = stiffness > 0.0 ? block->mu * block->mu * lambda[2] / stiffness : 0.0;
    double a0 = lambda[0] + scale * D[2], a1 = lambda[1] + scale * D[5];
    cone_state c = cone_state_of(block->mu, lambda, u);
    worsen(r, primal_of(&c), positive(-u[2]), lambda[2] * u[2]);
    worsen(r, 0.0, 0.0,
           (block->mu * lambda[2] - c.friction + sqrt(a0 * a0 + a1 * a1)) * c.slip + (a0 * u[0] + a1 * u[1]));
}

// No complementarity, and no u: the impulse is what block_set.c makes of the block's own free velocity and stiffness.
static void explicit_law(const ts_contact_problem* problem, int b, const double* lambda, ts_law_residual* r) {
    const ts_block* block = &problem->block[b];
    const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
    double stiffness[TS_BLOCK_ROWS_MAX], alone[TS_BLOCK_ROWS_MAX], sum = 0.0;
    for (int i = 0; i < block->rows; ++i)
        stiffness[i] = D[i * block->rows + i] + (problem->R ? problem->R[block->row + i] : 0.0);
    ts_block_set_push_alone(block, problem->g + block->row, stiffness, alone);
    for (int i = 0; i < block->rows; ++i) sum += (lambda[i] - alone[i]) * (lambda[i] - alone[i]);
    worsen(r, sqrt(sum), 0.0, 0.0);
}

static inline void law_block(const ts_contact_problem* problem, ts_contact_law law, int b, const double* impulse,
                             const double* u, ts_law_residual* r) {
    const ts_block* block = &problem->block[b];
    if (law == TS_LAW_EXPLICIT)
        explicit_law(problem, b, impulse + block->row, r);
    else if (block->set == TS_SET_CONE && law == TS_LAW_RAISIM && block->rows == 3)
        section_law(problem, b, impulse + block->row, u + block->row, r);
    else if (block->set == TS_SET_CONE)
        cone_block(law, block, impulse + block->row, u + block->row, r);
    else
        other_block(block, impulse + block->row, u + block->row, r);
}

ts_law_residual ts_residual_of_law_blocks(const ts_contact_problem* problem, ts_contact_law law, ts_block_range range,
                                          const double* impulse, const double* u) {
    ts_law_residual r = {0.0, 0.0, 0.0};
    ts_cone_lanes lanes;
    int lane[TS_CONE_LANES], is_round = law == TS_LAW_CCP || law == TS_LAW_NCP;
    for (int end = range.first + range.count, done; range.first < end; range.first += done) {
        range.count = end - range.first;
        done = is_round ? fill_lanes(problem, range, impulse, u, &lanes, lane) : 0;
        if (done > 0 && ts_cone_lanes_law(&lanes, law, &r)) continue;
        law_block(problem, law, range.list ? range.list[range.first] : range.first, impulse, u, &r);
        done = 1;
    }
    return r;
}

ts_law_residual ts_residual_of_law(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const double* u) {
    return ts_residual_of_law_blocks(problem, law, (ts_block_range){NULL, 0, problem->block_count}, impulse, u);
}

ts_law_residual ts_residual_of_law_block(const ts_contact_problem* problem, ts_contact_law law, int b,
                                         const double* impulse, const double* u) {
    ts_law_residual r = {0.0, 0.0, 0.0};
    law_block(problem, law, b, impulse, u, &r);
    return r;
}

double ts_law_residual_in_force_units(ts_law_residual residual, double time_step) {
    double worst = ts_worse(residual.primal / time_step, residual.dual / time_step);
    return ts_worse(worst, residual.complementarity / (time_step * time_step));
}

void ts_law_residual_worsen(ts_law_residual* residual, const ts_law_residual* other) {
    worsen(residual, other->primal, other->dual, other->complementarity);
}
