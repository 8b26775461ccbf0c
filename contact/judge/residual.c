// The yardstick of every solver.
//
// Problem: given impulses lambda, how badly do they break a contact law? Rule: recompute u = (G+R) lambda + g and
// measure, per block, the distance of lambda to its set, of u (shifted for the exact law) to the dual set, and their
// work.
// Source: docs/contact.md (the exact law is Coulomb and Signorini in de Saxce's form).
// Guaranteed: all parts of a law are zero exactly when the law holds; a NaN anywhere makes the parts it touches NaN.
// Known to fail: the three parts carry different units, so their maximum depends on scale; `natural` does not.
#include "contact/judge/residual.h"

#include <math.h>

#include "contact/block_set_internal.h"
#include "contact/operator/stiffness_internal.h"

// m/s: |u_T| under which a direction of slip means nothing.
static const double least_slip_speed = 1e-6;
// m/s: free velocities under this are rest; against nothing but rounding a relative error would mean nothing.
static const double rest_speed = 1e-9;
// Friction this much smaller than the largest impulse is rounding or an interior iterate's remainder: no direction.
static const double least_friction = 1e-12;

// The larger of two numbers; a NaN wins and stays.
static double worse(double a, double b) { return (b > a || isnan(b)) ? b : a; }

static double positive(double x) { return worse(0.0, x); }

const char* ts_contact_law_name(ts_contact_law law) {
    switch (law) {
    case TS_LAW_LCP: return "LCP";
    case TS_LAW_CCP: return "CCP";
    case TS_LAW_NCP: return "NCP";
    case TS_LAW_RAISIM: return "RaiSim";
    }
    return "unknown";
}

static void worsen(ts_law_residual* r, double primal, double dual, double complementarity) {
    r->primal = worse(r->primal, primal);
    r->dual = worse(r->dual, dual);
    r->complementarity = worse(r->complementarity, fabs(complementarity));
}

// A frictional contact with the lengths that every law asks for.
typedef struct cone_state {
    double mu;
    ts_vec3 lambda;
    ts_vec3 u;
    double friction_squared;  // |lambda_T|^2
    double friction;
    double slip_squared;  // |u_T|^2
    double slip;
    double along;  // lambda_T . u_T
} cone_state;

static inline cone_state cone_state_of(double mu, const double* lambda, const double* u) {
    cone_state c = {mu, ts_vec3_load(lambda), ts_vec3_load(u), 0.0, 0.0, 0.0, 0.0, 0.0};
    c.friction_squared = c.lambda.x * c.lambda.x + c.lambda.y * c.lambda.y;
    c.friction = sqrt(c.friction_squared);
    c.slip_squared = c.u.x * c.u.x + c.u.y * c.u.y;
    c.slip = sqrt(c.slip_squared);
    c.along = c.lambda.x * c.u.x + c.lambda.y * c.u.y;
    return c;
}

// The same of a contact that also spins or rolls. Every law of a round cone sees lengths and one product only, so the plane
// spanned by slip and friction holds all of it: a contact with two tangents, the first along the slip.
static cone_state cone_state_of_rows(double mu, int rows, const double* lambda, const double* u) {
    double uu = 0.0, along = 0.0, ll = 0.0, across = 0.0;
    for (int r = 0; r < rows; ++r) {
        if (r == 2) continue;
        uu += u[r] * u[r];
        ll += lambda[r] * lambda[r];
        along += lambda[r] * u[r];
    }
    double slip = sqrt(uu);
    for (int r = 0; r < rows && slip != 0.0; ++r) {
        if (r == 2) continue;
        double rest = lambda[r] - along / slip * (u[r] / slip);
        across += rest * rest;
    }
    cone_state c = {mu, {0.0, 0.0, lambda[2]}, {slip, 0.0, u[2]}, ll, sqrt(ll), uu, slip, along};
    c.lambda.x = slip != 0.0 ? along / slip : c.friction;
    c.lambda.y = sqrt(across);
    return c;
}

static inline cone_state cone_state_of_block(const ts_block* block, const double* lambda, const double* u) {
    return block->rows == 3 ? cone_state_of(block->mu, lambda, u)
                            : cone_state_of_rows(block->mu, block->rows, lambda, u);
}

static inline double primal_of(const cone_state* c) {
    return ts_block_set_cone_distance(c->friction_squared, c->friction, c->lambda.z, c->mu);
}

// CCP, and NCP when the normal velocity is the shifted one.
static inline void cone_law(const cone_state* c, double primal, double normal_velocity, ts_law_residual* r) {
    worsen(r, primal, ts_block_set_dual_distance(c->slip_squared, c->slip, normal_velocity, c->mu),
           c->along + c->lambda.z * normal_velocity);
}

// De Saxce's shift makes the exact law look like a cone's.
static inline double shifted_normal(const cone_state* c) { return c->u.z + c->mu * c->slip; }

// The boxed form: each axis saturates against its own slip.
static inline void pyramid_axes(double bound, const double* l, const double* v, int count, ts_law_residual* r) {
    for (int a = 0; a < count; ++a) {
        r->primal = worse(r->primal, positive(fabs(l[a]) - bound));
        r->complementarity = worse(r->complementarity, fabs(positive(v[a]) * (l[a] + bound)));
        r->complementarity = worse(r->complementarity, fabs(positive(-v[a]) * (bound - l[a])));
    }
}

// Signorini in the normal, and the axes.
static inline void pyramid_law(const ts_block* block, const double* l, const double* v, ts_law_residual* r) {
    double bound = block->mu * l[2];
    worsen(r, positive(-l[2]), positive(-v[2]), l[2] * v[2]);
    pyramid_axes(bound, l, v, 2, r);
    pyramid_axes(bound, l + 3, v + 3, block->rows - 3, r);
}

static inline void cone_block(ts_contact_law law, const ts_block* block, const double* lambda, const double* u,
                              ts_law_residual* r) {
    if (law == TS_LAW_LCP) {
        pyramid_law(block, lambda, u, r);
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

// Sets that mean the same under every law.
static void other_block(const ts_block* block, const double* lambda, const double* u, ts_law_residual* r) {
    double low, high;
    if (block->set == TS_SET_HALF_LINE) {
        worsen(r, positive(-lambda[0]), positive(-u[0]), lambda[0] * u[0]);
        return;
    }
    ts_block_set_interval(block, &low, &high);
    for (int i = 0; i < block->rows; ++i) interval_row(low, high, lambda[i], u[i], r);
}

ts_law_residual ts_residual_of_law(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const double* u) {
    ts_law_residual r = {0.0, 0.0, 0.0};
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        if (block->set == TS_SET_CONE && law == TS_LAW_RAISIM && block->rows == 3)
            section_law(problem, b, impulse + block->row, u + block->row, &r);
        else if (block->set == TS_SET_CONE)
            cone_block(law, block, impulse + block->row, u + block->row, &r);
        else
            other_block(block, impulse + block->row, u + block->row, &r);
    }
    return r;
}

double ts_law_residual_in_force_units(ts_law_residual residual, double time_step) {
    double worst = worse(residual.primal / time_step, residual.dual / time_step);
    return worse(worst, residual.complementarity / (time_step * time_step));
}

// The largest angle so far between friction and the opposite of slip, in [0, pi]: its sine (>= 0) and cosine, scaled.
typedef struct slip_direction {
    double across;
    double opposed;
} slip_direction;

// Signorini, power gap, approach and alignment of one frictional contact.
static inline void physical_metrics(const cone_state* c, double friction_min, ts_residual* out,
                                    slip_direction* widest) {
    out->signorini = worse(out->signorini, fabs(c->lambda.z * c->u.z));
    out->dissipation = worse(out->dissipation, c->mu * c->lambda.z * c->slip + c->along);
    out->closing = worse(out->closing, positive(-c->u.z));
    out->pulling = worse(out->pulling, positive(-c->lambda.z));
    out->coulomb = worse(out->coulomb, positive(c->friction - c->mu * positive(c->lambda.z)));
    if (!(c->slip > least_slip_speed && c->friction > friction_min)) return;
    // In the upper half plane the wider of two directions lies counterclockwise of the other: no angle is needed but for
    // the widest. Opposite directions, 0 and pi, are the only ones whose product says nothing.
    double across = fabs(c->lambda.x * c->u.y - c->lambda.y * c->u.x), opposed = -c->along;
    double turn = widest->opposed * across - widest->across * opposed;
    if (turn > 0.0 || (turn == 0.0 && opposed < widest->opposed)) {
        widest->across = across;
        widest->opposed = opposed;
    }
}

// An upper bound of the largest eigenvalue of G_bb + R_b, tight for single rows and for contacts of three.
static inline double stiffness_of(const ts_contact_problem* problem, int b) {
    const ts_block* block = &problem->block[b];
    if (block->set != TS_SET_CONE || block->rows != 3) return ts_contact_problem_stiffness(problem, b);
    const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
    const double* R = problem->R ? problem->R + block->row : NULL;
    const double r[3] = {R ? R[0] : 0.0, R ? R[1] : 0.0, R ? R[2] : 0.0};
    return ts_stiffness_bound_3x3(D[0] + r[0], D[4] + r[1], D[8] + r[2], D[1], D[2], D[5]);
}

// |lambda - P(lambda - r w)|^2 of one block that is no cone.
static double natural_other(const ts_block* block, double r, const double* lambda, const double* u) {
    double sum = 0.0;
    for (int i = 0; i < block->rows; ++i) {
        double x = ts_block_set_clamp(block, lambda[i] - r * u[i]);
        sum += (lambda[i] - x) * (lambda[i] - x);
    }
    return sum;
}

// The same of a cone, w shifted for the exact law.
static inline double natural_cone(const cone_state* c, double r) {
    ts_vec3 w = ts_vec3_make(c->u.x, c->u.y, shifted_normal(c));
    ts_vec3 gap = ts_vec3_sub(c->lambda, ts_block_set_project_cone(ts_vec3_add_scaled(c->lambda, -r, w), c->mu));
    return ts_vec3_dot(gap, gap);
}

// What a pass over the blocks collects for the natural map.
typedef struct natural_map {
    double worst_squared;
    double step_sum;
    int moved;    // blocks in step_sum
    int unmoved;  // blocks that nothing can move (zero stiffness)
} natural_map;

// What a pass collects on top of the parts of the laws.
typedef struct tally {
    double friction_min;     // N s: less has no direction
    ts_law_residual others;  // of blocks that are no cones: one law for all
    slip_direction widest;
    natural_map natural;
} tally;

static inline void judge_block(const ts_contact_problem* problem, int b, const double* impulse, const double* u,
                               tally* t, ts_residual* out) {
    const ts_block* block = &problem->block[b];
    const double* l = impulse + block->row;
    const double* v = u + block->row;
    double stiffness = stiffness_of(problem, b);
    double step = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
    double gap;
    if (block->set == TS_SET_CONE) {
        cone_state c = cone_state_of_block(block, l, v);
        double primal = primal_of(&c);
        pyramid_law(block, l, v, &out->lcp);
        cone_law(&c, primal, c.u.z, &out->ccp);
        cone_law(&c, primal, shifted_normal(&c), &out->ncp);
        physical_metrics(&c, t->friction_min, out, &t->widest);
        gap = natural_cone(&c, step);
    } else {
        other_block(block, l, v, &t->others);
        if (block->set == TS_SET_HALF_LINE) {
            out->signorini = worse(out->signorini, fabs(l[0] * v[0]));
            out->closing = worse(out->closing, positive(-v[0]));
            out->pulling = worse(out->pulling, positive(-l[0]));
        }
        gap = natural_other(block, step, l, v);
    }
    if (stiffness > 0.0) {
        t->natural.step_sum += step;
        ++t->natural.moved;
        t->natural.worst_squared = worse(t->natural.worst_squared, gap);
    } else {
        ++t->natural.unmoved;
    }
}

static double natural_of_block(const ts_block* block, double step, const double* lambda, const double* u) {
    if (block->set != TS_SET_CONE) return natural_other(block, step, lambda, u);
    cone_state c = cone_state_of_block(block, lambda, u);
    return natural_cone(&c, step);
}

// The dimensionless natural map. Blocks that nothing can move take the mean step of the others, so that an impossible
// demand on them still shows.
static double finish_natural(const ts_contact_problem* problem, const double* impulse, const double* u,
                             natural_map* natural, double largest_impulse, double largest_g) {
    double mean = natural->moved > 0 ? natural->step_sum / natural->moved : 1.0;
    for (int b = 0; natural->unmoved > 0 && b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        if (stiffness_of(problem, b) > 0.0) continue;
        double gap = natural_of_block(block, mean, impulse + block->row, u + block->row);
        natural->worst_squared = worse(natural->worst_squared, gap);
        --natural->unmoved;
    }
    return sqrt(natural->worst_squared) / worse(largest_impulse, largest_g * mean);
}

void ts_law_residual_worsen(ts_law_residual* residual, const ts_law_residual* other) {
    worsen(residual, other->primal, other->dual, other->complementarity);
}

// Judges blocks [first, last) as one problem, all but the natural map, of which it gives the parts.
static natural_map judge(const ts_contact_problem* problem, int first, int last, const double* impulse, const double* u,
                         double largest_impulse, ts_residual* out_residual) {
    static const ts_residual zero;
    *out_residual = zero;
    tally t = {least_friction * largest_impulse, {0.0, 0.0, 0.0}, {0.0, 1.0}, {0.0, 0.0, 0, 0}};
    for (int b = first; b < last; ++b) judge_block(problem, b, impulse, u, &t, out_residual);
    ts_law_residual* const law[] = {&out_residual->lcp, &out_residual->ccp, &out_residual->ncp};
    for (int k = 0; k < 3; ++k) worsen(law[k], t.others.primal, t.others.dual, t.others.complementarity);
    out_residual->slip_angle = atan2(t.widest.across, t.widest.opposed);
    return t.natural;
}

static void largest_entries(const ts_contact_problem* problem, const double* impulse, double* out_impulse,
                            double* out_g) {
    *out_impulse = 0.0;
    *out_g = rest_speed;
    for (int i = 0; i < problem->row_count; ++i) {
        *out_impulse = worse(*out_impulse, fabs(impulse[i]));
        *out_g = worse(*out_g, fabs(problem->g[i]));
    }
}

ts_residual_scale ts_residual_scale_of(const ts_contact_problem* problem, const double* impulse) {
    ts_residual_scale scale = {0.0, 0.0, 0.0};
    int moved = 0;
    largest_entries(problem, impulse, &scale.impulse, &scale.g);
    for (int b = 0; b < problem->block_count; ++b) {
        double stiffness = stiffness_of(problem, b);
        if (!(stiffness > 0.0)) continue;
        scale.step += 1.0 / stiffness;
        ++moved;
    }
    scale.step = moved > 0 ? scale.step / moved : 1.0;
    return scale;
}

void ts_residual_of_block(const ts_contact_problem* problem, int b, const ts_residual_scale* scale,
                          const double* impulse, const double* u, ts_residual* out_residual) {
    natural_map natural = judge(problem, b, b + 1, impulse, u, scale->impulse, out_residual);
    if (natural.unmoved > 0) {
        const ts_block* block = &problem->block[b];
        natural.worst_squared = natural_of_block(block, scale->step, impulse + block->row, u + block->row);
    }
    out_residual->natural = sqrt(natural.worst_squared) / worse(scale->impulse, scale->g * scale->step);
}

void ts_residual_from_velocity(const ts_contact_problem* problem, const double* impulse, const double* u,
                               ts_residual* out_residual) {
    double largest_impulse, largest_g;
    largest_entries(problem, impulse, &largest_impulse, &largest_g);
    natural_map natural = judge(problem, 0, problem->block_count, impulse, u, largest_impulse, out_residual);
    out_residual->natural = finish_natural(problem, impulse, u, &natural, largest_impulse, largest_g);
}

void ts_residual_evaluate(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch, double* out_u,
                          ts_residual* out_residual) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* u = out_u ? out_u : TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (!u) {
        static const ts_residual zero;
        ts_law_residual unknown = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        *out_residual = zero;
        out_residual->lcp = out_residual->ccp = out_residual->ncp = unknown;
        out_residual->natural = HUGE_VAL;
        ts_arena_scope_end(scratch, scope);
        return;
    }
    ts_contact_problem_velocity(problem, impulse, u);
    ts_residual_from_velocity(problem, impulse, u, out_residual);
    ts_arena_scope_end(scratch, scope);
}
