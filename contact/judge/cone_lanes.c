// Judging contacts four at a time.
//
// Problem: a step asks of each of its contacts some twenty numbers (contact/judge/residual.h) that wait for square roots and quotients; one after
// the other that is a twentieth of a robot's step. Rule: the sums and comparisons of residual.c in lanes; what is a case there is a choice here
// between results that are all found.
// Source: contact/judge/residual.c, contact/block_set_internal.h. Guaranteed: the bits of residual.c, and the same with AVX2.
// Known to fail: what is not finite, or so large that its square is not; that is told, and residual.c judges it.
#include "contact/judge/cone_lanes_internal.h"

#include "base/linear/four.h"
#include "contact/operator/wide_internal.h"

// Eight numbers under this, one times the other, are finite.
static const double large = 1e30;

// Lanes of a contact, with the lengths that every law asks for.
typedef struct state {
    ts_four mu, lx, ly, lz, ux, uy, uz;
    ts_four friction_squared, friction, slip_squared, slip;
    ts_four along;      // lambda_T . u_T
    ts_four shifted;    // u_N + mu |u_T|
    ts_four steepness;  // sqrt(1 + mu^2)
} state;

static inline ts_four minus(ts_four a) { return ts_four_minus(ts_four_all(-0.0), a); }

static inline ts_four positive(ts_four a) { return ts_four_most(a, ts_four_zero()); }

static inline ts_four sum_of_two(ts_four a, ts_four b, ts_four c, ts_four d) {
    return ts_four_plus(ts_four_product(a, b), ts_four_product(c, d));
}

static inline state state_of(const ts_cone_lanes* c) {
    state s = {.mu = ts_four_load(c->mu),
               .lx = ts_four_load(c->lambda[0]),
               .ly = ts_four_load(c->lambda[1]),
               .lz = ts_four_load(c->lambda[2]),
               .ux = ts_four_load(c->u[0]),
               .uy = ts_four_load(c->u[1]),
               .uz = ts_four_load(c->u[2])};
    s.friction_squared = sum_of_two(s.lx, s.lx, s.ly, s.ly);
    s.friction = ts_four_root(s.friction_squared);
    s.slip_squared = sum_of_two(s.ux, s.ux, s.uy, s.uy);
    s.slip = ts_four_root(s.slip_squared);
    s.along = sum_of_two(s.lx, s.ux, s.ly, s.uy);
    s.shifted = ts_four_plus(s.uz, ts_four_product(s.mu, s.slip));
    s.steepness = ts_four_root(ts_four_plus(ts_four_all(1.0), ts_four_product(s.mu, s.mu)));
    return s;
}

static inline int is_usual(const ts_cone_lanes* c) {
    ts_four most = ts_four_size(ts_four_load(c->mu)), rest = ts_four_zero();
    const double* number[] = {c->lambda[0], c->lambda[1], c->lambda[2], c->u[0], c->u[1], c->u[2], c->step};
    for (int i = 0; i < 7; ++i) {
        ts_four x = ts_four_load(number[i]);
        most = ts_four_most(ts_four_size(x), most);
        rest = ts_four_plus(rest, ts_four_product(ts_four_zero(), x));  // a NaN stays here
    }
    rest = ts_four_plus(rest, ts_four_product(ts_four_zero(), ts_four_load(c->mu)));
    return !ts_four_any(ts_four_minus(most, ts_four_all(large))) && ts_four_sum(rest) == 0.0;
}

// The largest number of x, and no less than `least`.
static inline double worst(ts_four x, double least) {
    double v[TS_CONE_LANES];
    ts_four_store(x, v);
    double a = v[1] > v[0] ? v[1] : v[0], b = v[3] > v[2] ? v[3] : v[2];
    a = b > a ? b : a;
    return a > least ? a : least;
}

static inline void worsen(ts_law_residual* r, ts_four primal, ts_four dual, ts_four complementarity) {
    r->primal = worst(primal, r->primal);
    r->dual = worst(dual, r->dual);
    r->complementarity = worst(ts_four_size(complementarity), r->complementarity);
}

// ts_block_set_cone_distance. Where lambda_N < 0 friction is beyond mu lambda_N, too.
static inline ts_four primal_of(const state* s) {
    ts_four reach = ts_four_product(s->mu, s->lz), beyond = ts_four_minus(s->friction, reach);
    ts_four opposite = ts_four_plus(ts_four_product(s->mu, s->friction), s->lz);
    ts_four length = ts_four_root(ts_four_plus(s->friction_squared, ts_four_product(s->lz, s->lz)));
    ts_four outside = ts_four_where(opposite, ts_four_quotient(beyond, s->steepness), length);
    ts_four within = ts_four_where(beyond, outside, ts_four_zero());
    return ts_four_where(minus(s->lz), outside, within);
}

// ts_block_set_dual_distance of a velocity with that normal part.
static inline ts_four dual_of(const state* s, ts_four z) {
    ts_four missing = ts_four_minus(ts_four_product(s->mu, s->slip), z);
    ts_four opposite = ts_four_plus(s->slip, ts_four_product(s->mu, z));
    ts_four length = ts_four_root(ts_four_plus(s->slip_squared, ts_four_product(z, z)));
    ts_four outside = ts_four_where(opposite, ts_four_quotient(missing, s->steepness), length);
    return ts_four_where(missing, outside, ts_four_zero());
}

static inline ts_four pyramid_axis(ts_four bound, ts_four l, ts_four v) {
    ts_four forward = ts_four_size(ts_four_product(positive(v), ts_four_plus(l, bound)));
    ts_four back = ts_four_size(ts_four_product(positive(minus(v)), ts_four_minus(bound, l)));
    return ts_four_most(back, forward);
}

static inline void pyramid_law(const state* s, ts_law_residual* r) {
    ts_four bound = ts_four_product(s->mu, s->lz);
    ts_four most = ts_four_most(ts_four_size(s->ly), ts_four_size(s->lx));
    ts_four work = ts_four_most(pyramid_axis(bound, s->ly, s->uy), pyramid_axis(bound, s->lx, s->ux));
    worsen(r, ts_four_most(ts_four_minus(most, bound), positive(minus(s->lz))), positive(minus(s->uz)),
           ts_four_most(ts_four_size(ts_four_product(s->lz, s->uz)), work));
}

// |lambda - P(lambda - step w)|^2 with w shifted.
static inline ts_four natural_of(const state* s, ts_four step) {
    ts_four x = ts_four_minus(s->lx, ts_four_product(step, s->ux)),
            y = ts_four_minus(s->ly, ts_four_product(step, s->uy));
    ts_four z = ts_four_minus(s->lz, ts_four_product(step, s->shifted)), tt = sum_of_two(x, x, y, y);
    ts_four reach = ts_four_product(s->mu, z), mu2 = ts_four_product(s->mu, s->mu), one = ts_four_all(1.0);
    ts_four beyond = ts_four_minus(tt, ts_four_product(reach, reach));
    ts_four opposite = ts_four_minus(ts_four_product(mu2, tt), ts_four_product(z, z));
    ts_four t = ts_four_root(tt);
    ts_four normal = ts_four_quotient(ts_four_plus(ts_four_product(s->mu, t), z), ts_four_plus(one, mu2));
    ts_four factor = ts_four_quotient(ts_four_product(s->mu, normal), t);
    // At the tip all three answers agree; the last would be a quotient of nothing by nothing.
    ts_four is_polar = ts_four_where(z, ts_four_zero(), ts_four_where(opposite, ts_four_zero(), one));
    ts_four is_inside = ts_four_where(minus(z), ts_four_zero(), ts_four_where(beyond, ts_four_zero(), one));
    factor = ts_four_where(is_inside, one, ts_four_where(is_polar, ts_four_zero(), factor));
    normal = ts_four_where(is_inside, z, ts_four_where(is_polar, ts_four_zero(), normal));
    ts_four dx = ts_four_minus(s->lx, ts_four_product(factor, x)),
            dy = ts_four_minus(s->ly, ts_four_product(factor, y));
    ts_four dz = ts_four_minus(s->lz, normal);
    return ts_four_plus(sum_of_two(dx, dx, dy, dy), ts_four_product(dz, dz));
}

static inline void physical_metrics(const state* s, ts_residual* out, ts_cone_lanes_sums* out_sums) {
    ts_four pressed = ts_four_product(s->lz, s->uz);
    out->signorini = worst(ts_four_size(pressed), out->signorini);
    out->created = worst(ts_four_plus(s->along, pressed), out->created);
    out->dissipation =
        worst(ts_four_plus(ts_four_product(ts_four_product(s->mu, s->lz), s->slip), s->along), out->dissipation);
    out->closing = worst(minus(s->uz), out->closing);
    out->pulling = worst(minus(s->lz), out->pulling);
    out->coulomb = worst(ts_four_minus(s->friction, ts_four_product(s->mu, positive(s->lz))), out->coulomb);
    ts_four cross = ts_four_minus(ts_four_product(s->lx, s->uy), ts_four_product(s->ly, s->ux));
    ts_four_store(ts_four_size(cross), out_sums->across);
    ts_four_store(s->along, out_sums->opposed);
    ts_four_store(ts_four_product(s->friction, s->slip), out_sums->work);
}

static int judge_law(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law) {
    if (!is_usual(cones)) return 0;
    state s = state_of(cones);
    ts_four z = law == TS_LAW_CCP ? s.uz : s.shifted;
    worsen(io_law, primal_of(&s), dual_of(&s, z), ts_four_plus(s.along, ts_four_product(s.lz, z)));
    return 1;
}

static int judge(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                 ts_cone_lanes_sums* out_sums) {
    if (!is_usual(cones)) return 0;
    state s = state_of(cones);
    ts_four primal = primal_of(&s);
    pyramid_law(&s, &io_residual->lcp);
    worsen(&io_residual->ccp, primal, dual_of(&s, s.uz), ts_four_plus(s.along, ts_four_product(s.lz, s.uz)));
    worsen(&io_residual->ncp, primal, dual_of(&s, s.shifted), ts_four_plus(s.along, ts_four_product(s.lz, s.shifted)));
    physical_metrics(&s, io_residual, out_sums);
    *io_natural_squared = worst(natural_of(&s, ts_four_load(cones->step)), *io_natural_squared);
    return 1;
}

static int judge_natural(const ts_cone_lanes* cones, double* io_natural_squared) {
    if (!is_usual(cones)) return 0;
    state s = state_of(cones);
    *io_natural_squared = worst(natural_of(&s, ts_four_load(cones->step)), *io_natural_squared);
    return 1;
}

#if TS_IS_WIDE

int ts_cone_lanes_natural_wide(const ts_cone_lanes* cones, double* io_natural_squared) {
    return judge_natural(cones, io_natural_squared);
}

int ts_cone_lanes_law_wide(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law) {
    return judge_law(cones, law, io_law);
}

int ts_cone_lanes_judge_wide(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                             ts_cone_lanes_sums* out_sums) {
    return judge(cones, io_residual, io_natural_squared, out_sums);
}

#else

int ts_cone_lanes_natural_narrow(const ts_cone_lanes* cones, double* io_natural_squared) {
    return judge_natural(cones, io_natural_squared);
}

int ts_cone_lanes_natural(const ts_cone_lanes* cones, double* io_natural_squared) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_cone_lanes_natural_wide(cones, io_natural_squared);
#endif
    return judge_natural(cones, io_natural_squared);
}

int ts_cone_lanes_law_narrow(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law) {
    return judge_law(cones, law, io_law);
}

int ts_cone_lanes_law(const ts_cone_lanes* cones, ts_contact_law law, ts_law_residual* io_law) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_cone_lanes_law_wide(cones, law, io_law);
#endif
    return judge_law(cones, law, io_law);
}

int ts_cone_lanes_judge_narrow(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                               ts_cone_lanes_sums* out_sums) {
    return judge(cones, io_residual, io_natural_squared, out_sums);
}

int ts_cone_lanes_judge(const ts_cone_lanes* cones, ts_residual* io_residual, double* io_natural_squared,
                        ts_cone_lanes_sums* out_sums) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2"))
        return ts_cone_lanes_judge_wide(cones, io_residual, io_natural_squared, out_sums);
#endif
    return judge(cones, io_residual, io_natural_squared, out_sums);
}

#endif
