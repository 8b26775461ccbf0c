// What laws ask of one block, for who judges by one law (residual_law.c) and by all (residual.c). Not for use outside contact/judge/.
//
// A cone's laws read lengths and one product only; they are found once for all laws. Contacts of three rows are judged four side by side where they
// lie together (cone_lanes_internal.h).
#ifndef TS_CONTACT_BLOCK_LAW_INTERNAL_H
#define TS_CONTACT_BLOCK_LAW_INTERNAL_H

#include <math.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/judge/cone_lanes_internal.h"
#include "contact/judge/residual.h"

static inline double positive(double x) { return ts_worse(0.0, x); }

static inline void worsen(ts_law_residual* r, double primal, double dual, double complementarity) {
    r->primal = ts_worse(r->primal, primal);
    r->dual = ts_worse(r->dual, dual);
    r->complementarity = ts_worse(r->complementarity, fabs(complementarity));
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
static inline cone_state cone_state_of_rows(double mu, int rows, const double* lambda, const double* u) {
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
        r->primal = ts_worse(r->primal, positive(fabs(l[a]) - bound));
        r->complementarity = ts_worse(r->complementarity, fabs(positive(v[a]) * (l[a] + bound)));
        r->complementarity = ts_worse(r->complementarity, fabs(positive(-v[a]) * (bound - l[a])));
    }
}

// Signorini in the normal, and the axes.
static inline void pyramid_law(const ts_block* block, const double* l, const double* v, ts_law_residual* r) {
    double bound = block->mu * l[2];
    worsen(r, positive(-l[2]), positive(-v[2]), l[2] * v[2]);
    pyramid_axes(bound, l, v, 2, r);
    pyramid_axes(bound, l + 3, v + 3, block->rows - 3, r);
}

// An interval: u > 0 needs lambda = low, u < 0 needs lambda = high. Against an open side u itself is the violation.
static inline void interval_row(double low, double high, double lambda, double u, ts_law_residual* r) {
    r->primal = ts_worse(r->primal, ts_worse(positive(low - lambda), positive(lambda - high)));
    if (isinf(low))
        r->dual = ts_worse(r->dual, positive(u));
    else
        r->complementarity = ts_worse(r->complementarity, fabs(positive(u) * (lambda - low)));
    if (isinf(high))
        r->dual = ts_worse(r->dual, positive(-u));
    else
        r->complementarity = ts_worse(r->complementarity, fabs(positive(-u) * (high - lambda)));
}

// Sets that mean the same under every law.
static inline void other_block(const ts_block* block, const double* lambda, const double* u, ts_law_residual* r) {
    double low, high;
    if (block->set == TS_SET_HALF_LINE) {
        worsen(r, positive(-lambda[0]), positive(-u[0]), lambda[0] * u[0]);
        return;
    }
    ts_block_set_interval(block, &low, &high);
    for (int i = 0; i < block->rows; ++i) interval_row(low, high, lambda[i], u[i], r);
}

static inline int is_lane(const ts_block* block) { return block->set == TS_SET_CONE && block->rows == 3; }

// The block that is the k-th of a range.
static inline int block_at(ts_block_range range, int k) {
    return range.list ? range.list[range.first + k] : range.first + k;
}

static inline void fill_lane(const ts_block* block, const double* lambda, const double* u, ts_cone_lanes* lanes,
                             int k) {
    lanes->mu[k] = block->mu;
    lanes->lambda[0][k] = lambda[0], lanes->lambda[1][k] = lambda[1], lanes->lambda[2][k] = lambda[2];
    lanes->u[0][k] = u[0], lanes->u[1][k] = u[1], lanes->u[2][k] = u[2];
    lanes->step[k] = 0.0;
}

// Fills the lanes with the first blocks of a range, as far as they are contacts of three rows; the first again where there are fewer. Returns
// how many there are: none where one by one is the better way. lane[k]: which.
static inline int fill_lanes(const ts_contact_problem* problem, ts_block_range range, const double* impulse,
                             const double* u, ts_cone_lanes* lanes, int* lane) {
    enum { LANES = TS_CONE_LANES, FEW = 2 };
    int found = 0;
    int most = range.count < LANES ? range.count : LANES;
    for (; found < most; ++found) {
        lane[found] = block_at(range, found);
        const ts_block* b = &problem->block[lane[found]];
        if (!is_lane(b)) break;
        fill_lane(b, impulse + b->row, u + b->row, lanes, found);
    }
    if (found < FEW) return 0;
    const ts_block* b = &problem->block[lane[0]];
    for (int k = found; k < LANES; ++k) fill_lane(b, impulse + b->row, u + b->row, lanes, k);
    return found;
}

#endif
