// What pairs of tests are made of, and what their order is held to.
#ifndef TS_TESTS_CONTACT_PAIRS_CONTENT_H
#define TS_TESTS_CONTACT_PAIRS_CONTENT_H

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/pairs/pairs.h"
#include "contact/pairs/pairs_order_internal.h"

// What a unit is made of, in world axes.
typedef struct content {
    ts_vec3 normal, tangent, offset;
    double friction;
} content;

// Of all units, for whoever lays them out.
typedef struct contents {
    const ts_pair_unit* unit;
    const content* of_unit;
    const ts_vec3 *lever, *impulse;  // of contacts; no impulse: none
    const double* gap;
    char* told;  // of units: bits of how far off they were, 4 when they are filled
} contents;

static inline void fill(void* context, int u, const ts_pair_seat* seat) {
    const contents* all = (const contents*)context;
    const content* one = &all->of_unit[u];
    ts_pair_vector_put(&seat->group->normal, seat->lane, one->normal);
    ts_pair_vector_put(&seat->group->tangent, seat->lane, one->tangent);
    ts_pair_vector_put(&seat->group->offset, seat->lane, one->offset);
    seat->group->friction[seat->lane] = one->friction;
    if (all->told) all->told[u] |= 4;
    for (int k = 0, i = all->unit[u].first; k < all->unit[u].count; ++k, ++i) {
        ts_pair_vector_put(&seat->point[k].lever, seat->lane, all->lever[i]);
        if (all->impulse) ts_pair_vector_put(&seat->point[k].lambda, seat->lane, all->impulse[i]);
        if (all->gap) seat->track[k].gap[seat->lane] = all->gap[i];
    }
}

// From afar, from near, then it is filled.
static inline void expect(void* context, int u, int how_far) {
    char* told = ((const contents*)context)->told + u;
    cr_expect(how_far == 0 ? !(*told & 5) : how_far == 1 && *told == 0, "%d: %d", u, *told);
    *told |= 1 << how_far;
}

static inline void store_tensor(ts_mat3 I, double* out) {
    const double e[6] = {I.m[0][0], I.m[0][1], I.m[0][2], I.m[1][1], I.m[1][2], I.m[2][2]};
    memcpy(out, e, sizeof e);
}

static inline ts_vec3 any_vector(ts_rng* rng) {
    double x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    return ts_vec3_make(x, y, z);
}

// One in two heaps is of bodies without axes of their own.
static inline void make_body(ts_rng* rng, int is_round, ts_pair_body* body) {
    body->mass = exp(ts_rng_normal(rng));
    body->inverse_mass = 1.0 / body->mass;
    ts_vec3 a = any_vector(rng), b = any_vector(rng);
    ts_mat3 I = ts_mat3_add(ts_mat3_identity(), ts_mat3_add(ts_mat3_outer(a, a), ts_mat3_outer(b, b)));
    if (is_round) I = ts_mat3_scale(1.0 + ts_vec3_norm_squared(a), ts_mat3_identity());
    I = ts_mat3_scale(0.1 * body->mass, I);
    ts_mat3 inverse = ts_mat3_from_columns(ts_mat3_solve(&I, ts_vec3_axis(0)), ts_mat3_solve(&I, ts_vec3_axis(1)),
                                           ts_mat3_solve(&I, ts_vec3_axis(2)));
    store_tensor(I, body->inertia);
    store_tensor(inverse, body->inverse_inertia);
}

static inline int share_a_body(const ts_pair_unit* u, const ts_pair_unit* w) {
    for (int k = 0; k < 4; ++k)
        if (u->body[k / 2] && u->body[k / 2] == w->body[k % 2]) return 1;
    return 0;
}

// Units that share a body are swept as they come.
static inline void expect_order(const ts_pair_order* order, const ts_pair_unit* unit, int units) {
    for (int u = 0; u < units; ++u)
        for (int w = 0; w < u; ++w) {
            cr_assert_neq(order->place[u], order->place[w]);
            if (!share_a_body(&unit[u], &unit[w])) continue;
            int first = order->place[w] / TS_PAIR_LANES, second = order->place[u] / TS_PAIR_LANES;
            cr_assert_lt(first, second, "units %d and %d", w, u);
        }
}

static inline ts_pair_bodies bodies_of(const ts_pairs* pairs) {
    ts_pair_bodies bodies = {pairs->island_count, pairs->island_of};
    return bodies;
}
#endif
