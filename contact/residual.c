// The yardstick of every solver.
//
// Problem: given impulses lambda, how badly do they break a contact law? Rule: recompute u = (G+R) lambda + g and
// measure, per block, the distance of lambda to its set, of u (shifted for the exact law) to the dual set, and their
// work.
// Source: docs/contact.md (the exact law is Coulomb and Signorini in de Saxce's form).
// Guaranteed: all parts of a law are zero exactly when the law holds; a NaN anywhere makes the parts it touches NaN.
// Known to fail: the three parts carry different units, so their maximum depends on scale; `natural` does not.
#include "contact/residual.h"

#include <math.h>

#include "contact/cone.h"
#include "contact/stiffness_internal.h"

// |u_T| under which a direction of slip means nothing, m/s.
#define SLIP_SPEED_MIN 1e-6
// Free velocities under this are rest, m/s: against nothing but rounding a relative error would mean nothing.
#define REST_SPEED 1e-9
// Friction this much smaller than the largest impulse is rounding or an interior iterate's remainder: no direction.
#define FRICTION_RELATIVE_MIN 1e-12

// The larger of two numbers; a NaN wins and stays.
static double worse(double a, double b) { return (b > a || isnan(b)) ? b : a; }

static double positive(double x) { return worse(0.0, x); }

const char* ts_contact_law_name(ts_contact_law law) {
    switch (law) {
    case TS_LAW_LCP: return "LCP";
    case TS_LAW_CCP: return "CCP";
    case TS_LAW_NCP: return "NCP";
    }
    return "unknown";
}

static void worsen(ts_law_residual* r, double primal, double dual, double complementarity) {
    r->primal = worse(r->primal, primal);
    r->dual = worse(r->dual, dual);
    r->complementarity = worse(r->complementarity, fabs(complementarity));
}

// Coulomb's cone under one law. LCP is the boxed form: Signorini in the normal, and each tangent axis saturates against
// its own slip.
static void cone_block(ts_contact_law law, double mu, ts_vec3 lambda, ts_vec3 u, ts_law_residual* r) {
    if (law == TS_LAW_CCP) {
        worsen(r, ts_cone_distance(lambda, mu), ts_cone_distance_dual(u, mu), ts_vec3_dot(lambda, u));
    } else if (law == TS_LAW_NCP) {
        ts_vec3 w = ts_vec3_add(u, ts_cone_shift(u, mu));
        worsen(r, ts_cone_distance(lambda, mu), ts_cone_distance_dual(w, mu), ts_vec3_dot(lambda, w));
    } else {
        double bound = mu * lambda.z;
        worsen(r, positive(-lambda.z), positive(-u.z), lambda.z * u.z);
        for (int a = 0; a < 2; ++a) {
            double l = ts_vec3_get(lambda, a), v = ts_vec3_get(u, a);
            worsen(r, positive(fabs(l) - bound), 0.0, positive(v) * (l + bound));
            worsen(r, 0.0, 0.0, positive(-v) * (bound - l));
        }
    }
}

// An interval: u > 0 needs lambda = low, u < 0 needs lambda = high. Against an open side u itself is the violation.
static void interval_row(double low, double high, double lambda, double u, ts_law_residual* r) {
    worsen(r, worse(positive(low - lambda), positive(lambda - high)), 0.0, 0.0);
    if (isinf(low))
        worsen(r, 0.0, positive(u), 0.0);
    else
        worsen(r, 0.0, 0.0, positive(u) * (lambda - low));
    if (isinf(high))
        worsen(r, 0.0, positive(-u), 0.0);
    else
        worsen(r, 0.0, 0.0, positive(-u) * (high - lambda));
}

static void block_residual(const ts_block* block, ts_contact_law law, const double* lambda, const double* u,
                           ts_law_residual* r) {
    switch (block->set) {
    case TS_SET_CONE: cone_block(law, block->mu, ts_vec3_load(lambda), ts_vec3_load(u), r); break;
    case TS_SET_HALF_LINE: worsen(r, positive(-lambda[0]), positive(-u[0]), lambda[0] * u[0]); break;
    case TS_SET_BOX: interval_row(block->low, block->high, lambda[0], u[0], r); break;
    case TS_SET_FREE:
        for (int i = 0; i < block->rows; ++i) worsen(r, 0.0, fabs(u[i]), 0.0);
        break;
    }
}

ts_law_residual ts_residual_of_law(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const double* u) {
    ts_law_residual r = {0.0, 0.0, 0.0};
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        block_residual(block, law, impulse + block->row, u + block->row, &r);
    }
    return r;
}

double ts_law_residual_in_force_units(ts_law_residual residual, double time_step) {
    double worst = worse(residual.primal / time_step, residual.dual / time_step);
    return worse(worst, residual.complementarity / (time_step * time_step));
}

// Signorini, power gap, approach and alignment of one frictional contact.
static void physical_metrics(double mu, ts_vec3 lambda, ts_vec3 u, double friction_min, ts_residual* out) {
    double slip = sqrt(u.x * u.x + u.y * u.y);
    double along = lambda.x * u.x + lambda.y * u.y;
    out->signorini = worse(out->signorini, fabs(lambda.z * u.z));
    out->dissipation = worse(out->dissipation, mu * lambda.z * slip + along);
    out->closing = worse(out->closing, positive(-u.z));
    double friction = sqrt(lambda.x * lambda.x + lambda.y * lambda.y);
    if (slip > SLIP_SPEED_MIN && friction > friction_min) {
        double across = lambda.x * u.y - lambda.y * u.x;
        out->slip_angle = worse(out->slip_angle, atan2(fabs(across), -along));
    }
}

// An upper bound of the largest eigenvalue of G_bb + R_b, tight for cones and single rows.
static double block_stiffness(const ts_block* block, const double* D, const double* R) {
    if (block->set == TS_SET_CONE) {
        const double r[3] = {R ? R[0] : 0.0, R ? R[1] : 0.0, R ? R[2] : 0.0};
        return ts_stiffness_3x3(D[0] + r[0], D[4] + r[1], D[8] + r[2], D[1], D[2], D[5]);
    }
    double largest = 0.0;
    for (int i = 0; i < block->rows; ++i) {
        double row = R ? R[i] : 0.0;
        for (int j = 0; j < block->rows; ++j) row += fabs(D[block->rows * i + j]);
        largest = worse(largest, row);
    }
    return largest;
}

// |lambda - P(lambda - r w)| of one block, w shifted for the exact law.
static double natural_block(const ts_block* block, double r, const double* lambda, const double* u) {
    if (block->set == TS_SET_CONE) {
        ts_vec3 l = ts_vec3_load(lambda), v = ts_vec3_load(u);
        ts_vec3 w = ts_vec3_add(v, ts_cone_shift(v, block->mu));
        return ts_vec3_distance(l, ts_cone_project(ts_vec3_add_scaled(l, -r, w), block->mu));
    }
    double sum = 0.0;
    for (int i = 0; i < block->rows; ++i) {
        double x = lambda[i] - r * u[i];
        if (block->set == TS_SET_HALF_LINE) x = positive(x);
        if (block->set == TS_SET_BOX) {
            if (x < block->low) x = block->low;
            if (x > block->high) x = block->high;
        }
        sum += (lambda[i] - x) * (lambda[i] - x);
    }
    return sqrt(sum);
}

// The dimensionless natural map. Blocks that nothing can move (zero stiffness) take the mean step of the others, so that
// an impossible demand on them still shows. `step` (block_count) is scratch: finding a stiffness costs more than using it.
static double natural_map(const ts_contact_problem* problem, const double* impulse, const double* u,
                          double largest_impulse, double* step) {
    const ts_delassus* G = problem->delassus;
    double step_sum = 0.0, largest_g = REST_SPEED, worst = 0.0;
    int moved = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* R = problem->R ? problem->R + block->row : NULL;
        double stiffness = block_stiffness(block, G->ops->diagonal(G, b), R);
        step[b] = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
        if (stiffness > 0.0) step_sum += step[b], ++moved;
        for (int i = 0; i < block->rows; ++i) largest_g = worse(largest_g, fabs(problem->g[block->row + i]));
    }
    double mean = moved > 0 ? step_sum / moved : 1.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int row = problem->block[b].row;
        double r = step[b] > 0.0 ? step[b] : mean;
        worst = worse(worst, natural_block(&problem->block[b], r, impulse + row, u + row));
    }
    return worst / worse(largest_impulse, largest_g * mean);
}

void ts_residual_evaluate(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch, double* out_u,
                          ts_residual* out_residual) {
    static const ts_residual zero;
    *out_residual = zero;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* u = out_u ? out_u : TS_ARENA_ARRAY(scratch, double, problem->row_count);
    double* step = TS_ARENA_ARRAY(scratch, double, problem->block_count);
    if (!u || !step) {
        ts_law_residual unknown = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        out_residual->lcp = out_residual->ccp = out_residual->ncp = unknown;
        out_residual->natural = HUGE_VAL;
        ts_arena_scope_end(scratch, scope);
        return;
    }
    problem->delassus->ops->apply(problem->delassus, impulse, u);
    double largest_impulse = 0.0;
    for (int i = 0; i < problem->row_count; ++i) {
        u[i] += problem->g[i] + (problem->R ? problem->R[i] * impulse[i] : 0.0);
        largest_impulse = worse(largest_impulse, fabs(impulse[i]));
    }
    out_residual->lcp = ts_residual_of_law(problem, TS_LAW_LCP, impulse, u);
    out_residual->ccp = ts_residual_of_law(problem, TS_LAW_CCP, impulse, u);
    out_residual->ncp = ts_residual_of_law(problem, TS_LAW_NCP, impulse, u);
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* l = impulse + block->row;
        const double* v = u + block->row;
        if (block->set == TS_SET_CONE)
            physical_metrics(block->mu, ts_vec3_load(l), ts_vec3_load(v), FRICTION_RELATIVE_MIN * largest_impulse,
                             out_residual);
        if (block->set == TS_SET_HALF_LINE) {
            out_residual->signorini = worse(out_residual->signorini, fabs(l[0] * v[0]));
            out_residual->closing = worse(out_residual->closing, positive(-v[0]));
        }
    }
    out_residual->natural = natural_map(problem, impulse, u, largest_impulse, step);
    ts_arena_scope_end(scratch, scope);
}
