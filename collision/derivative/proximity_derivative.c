// The derivative of an answer about a pair: which way, and to whose axes.
//
// Rule: the first-order methods differentiate the system that the witness points solve (witness_rates.c), with features as they are or
// with smoothed Hessians (smoothing.c), in A's axes at B's origin; the columns are turned into B's axes at the end. The others ask
// queries. Of a shape made of parts the part that holds the witness point is taken.
// Guaranteed: EXACT is exact to rounding of the answer where the certificate is regular. In an overlap the smoothed methods use the
// depth's magnitude in K, so that it is positive: a direction to go, no derivative.
#include "collision/derivative/part_internal.h"
#include "collision/derivative/smoothing_internal.h"

#include <string.h>

ts_derivative_options ts_derivative_options_default(void) {
    ts_derivative_options options;
    options.method = TS_DERIVATIVE_EXACT;
    options.increment = 1e-6;
    options.samples = 50;
    options.spread = 1e-2;
    options.variance = TS_DERIVATIVE_ANTITHETIC;
    options.seed = 1;
    options.rings = 1;
    options.temperature = 1e-2;
    options.tangent = ts_vec3_zero();
    return options;
}

static const char* const method_names[TS_DERIVATIVE_METHOD_COUNT] = {
    [TS_DERIVATIVE_EXACT] = "exact",           [TS_DERIVATIVE_DIFFERENCE] = "difference",
    [TS_DERIVATIVE_GAUSSIAN_0] = "gaussian-0", [TS_DERIVATIVE_GAUSSIAN_1] = "gaussian-1",
    [TS_DERIVATIVE_GUMBEL] = "gumbel",
};

const char* ts_derivative_method_name(ts_derivative_method method) {
    return (unsigned)method < TS_DERIVATIVE_METHOD_COUNT ? method_names[method] : "unknown";
}

ts_derivative_method ts_derivative_method_find(const char* name) {
    for (int k = 0; k < TS_DERIVATIVE_METHOD_COUNT; ++k)
        if (strcmp(method_names[k], name) == 0) return (ts_derivative_method)k;
    return TS_DERIVATIVE_METHOD_COUNT;
}

// A vector's derivative, columns for B's twist in A's axes, to columns for B's own axes.
static void store_turned(const ts_mat3* R, const ts_vec3 column[6], double out[3][6]) {
    for (int j = 0; j < 6; ++j) {
        const ts_vec3* c = column + j / 3 * 3;
        int k = j % 3;
        ts_vec3 sum = ts_vec3_add(ts_vec3_scale(R->m[0][k], c[0]),
                                  ts_vec3_add(ts_vec3_scale(R->m[1][k], c[1]), ts_vec3_scale(R->m[2][k], c[2])));
        out[0][j] = sum.x;
        out[1][j] = sum.y;
        out[2][j] = sum.z;
    }
}

static void store_rates(const ts_mat3* R, const ts_moving_pair* pair, const ts_witness_rates* rates,
                        ts_proximity_derivative* out) {
    ts_vec3 on_a[6], on_b[6];
    for (int j = 0; j < 6; ++j) {
        on_a[j] = ts_vec3_add_scaled(rates->core_a[j], pair->a->radius, rates->normal[j]);
        on_b[j] = ts_vec3_add_scaled(rates->core_b[j], -pair->b->radius, rates->normal[j]);
    }
    store_turned(R, rates->normal, out->normal);
    store_turned(R, on_a, out->point_a);
    store_turned(R, on_b, out->point_b);
    for (int j = 0; j < 6; ++j) {
        const double* d = rates->distance + j / 3 * 3;
        int k = j % 3;
        out->distance[j] = R->m[0][k] * d[0] + R->m[1][k] * d[1] + R->m[2][k] * d[2];
    }
    out->certificate = rates->certificate;
}

// The frame's other axes turn with the normal: t1 = the wanted tangent's part across n, made unit; t2 = n x t1.
static void differentiate_frame(ts_vec3 n, ts_vec3 wanted, ts_proximity_derivative* io) {
    ts_vec3 t = ts_vec3_max_abs(wanted) > 0.0 ? wanted : ts_vec3_axis(ts_vec3_least(ts_vec3_abs(n)));
    double along = ts_vec3_dot(t, n);
    ts_vec3 across = ts_vec3_add_scaled(t, -along, n), t1 = ts_vec3_unit_or(across, ts_vec3_orthogonal(n));
    double length = ts_vec3_norm(across);
    if (!(length > 1e-9 * ts_vec3_norm(t))) io->certificate.flags |= TS_DERIVATIVE_BORDER;
    for (int j = 0; j < 6; ++j) {
        ts_vec3 dn = ts_vec3_make(io->normal[0][j], io->normal[1][j], io->normal[2][j]);
        ts_vec3 moved = ts_vec3_sub(ts_vec3_scale(-ts_vec3_dot(t, dn), n), ts_vec3_scale(along, dn));
        ts_vec3 d1 = length > 0.0 ? ts_vec3_scale(1.0 / length, ts_vec3_add_scaled(moved, -ts_vec3_dot(moved, t1), t1))
                                  : ts_vec3_zero();
        ts_vec3 d2 = ts_vec3_add(ts_vec3_cross(dn, t1), ts_vec3_cross(n, d1));
        const ts_vec3 axis[2] = {d1, d2};
        for (int i = 0; i < 2; ++i) {
            io->tangent[i][0][j] = axis[i].x;
            io->tangent[i][1][j] = axis[i].y;
            io->tangent[i][2][j] = axis[i].z;
        }
    }
}

// A side's smoothed Hessian on the tangents u and v; sign: of the outward normal.
static void smooth_side(const ts_shape* shape, const ts_transform* at, ts_vec3 n, const ts_derivative_options* options,
                        double sign, ts_tangent_form* out) {
    ts_vec3 u, v;
    ts_rates_tangents(n, &u, &v);
    const ts_vec3 nuv[3] = {ts_transform_direction_inverse(at, ts_vec3_scale(sign, n)),
                            ts_transform_direction_inverse(at, u), ts_transform_direction_inverse(at, v)};
    ts_rng rng = ts_rng_make(options->seed, sign > 0.0 ? 1 : 2);
    if (options->method == TS_DERIVATIVE_GUMBEL)
        ts_gumbel_hessian(shape, nuv, options->rings, options->temperature, out);
    else
        ts_gaussian_hessian(shape, nuv, options->samples, options->spread, &rng, out);
}

static void by_queries(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                       const ts_proximity* found, const ts_derivative_options* options, ts_proximity_derivative* out) {
    double d[TS_ANSWER_NUMBERS][6];
    out->certificate = ts_derivative_certificate_fine();
    out->certificate.flags = ts_answer_derivatives(a, pose_a, b, pose_b, found, options, d);
    memcpy(out->distance, d[0], sizeof out->distance);
    memcpy(out->normal, d[1], sizeof out->normal);
    memcpy(out->point_a, d[4], sizeof out->point_a);
    memcpy(out->point_b, d[7], sizeof out->point_b);
}

// By the features, or by smoothed Hessians where the options ask for them.
static void first_order(const ts_mat3* R, const ts_moving_pair* pair, const ts_core_witness* w,
                        const ts_derivative_options* options, ts_proximity_derivative* out) {
    ts_witness_rates rates;
    int smoothed =
        options->method != TS_DERIVATIVE_EXACT && pair->a->kind != TS_SHAPE_PLANE && pair->b->kind != TS_SHAPE_PLANE;
    ts_tangent_form bend[2];
    if (smoothed) {
        smooth_side(pair->a, &pair->a_at, w->normal, options, 1.0, &bend[0]);
        smooth_side(pair->b, &pair->b_at, w->normal, options, -1.0, &bend[1]);
    }
    ts_witness_rates_find(pair, w, smoothed ? bend : 0, &rates);
    store_rates(R, pair, &rates, out);
}

static void unknown(ts_proximity_derivative* out) {
    memset(out, 0, sizeof *out);
    out->certificate = ts_derivative_certificate_fine();
    out->certificate.flags = TS_DERIVATIVE_UNKNOWN;
}

static int is_answered(const ts_proximity* found) {
    return found->status == TS_PROXIMITY_SEPARATED || found->status == TS_PROXIMITY_TOUCHING ||
           found->status == TS_PROXIMITY_PENETRATING || found->status == TS_PROXIMITY_LIMIT;
}

// Returns 0 where no part holds the points.
static int by_parts(const ts_shape_pair* whole, const ts_core_witness* surface, const ts_derivative_options* options,
                    ts_proximity_derivative* out) {
    const ts_transform* b_in_a = &whole->b_in_a;
    ts_vec3 n = surface->normal, nb = ts_transform_direction_inverse(b_in_a, ts_vec3_neg(n));
    ts_convex_part_walk part_a, part_b;
    int found_a = ts_part_holding(whole->a, surface->core_a, n, &part_a);
    int found_b = ts_part_holding(whole->b, ts_transform_point_inverse(b_in_a, surface->core_b), nb, &part_b);
    if (found_a == 0 || found_b == 0) return 0;
    ts_transform turned = {b_in_a->R, ts_vec3_zero()};
    ts_moving_pair pair = {&part_a.shape, &part_b.shape, part_a.placed, ts_transform_mul(&turned, &part_b.placed)};
    pair.a_at.p = ts_vec3_sub(part_a.placed.p, b_in_a->p);
    ts_core_witness w = {n, ts_vec3_sub(ts_vec3_add_scaled(surface->core_a, -part_a.shape.radius, n), b_in_a->p),
                         ts_vec3_sub(ts_vec3_add_scaled(surface->core_b, part_b.shape.radius, n), b_in_a->p)};
    first_order(&b_in_a->R, &pair, &w, options, out);
    if (found_a > 1 || found_b > 1) out->certificate.flags |= TS_DERIVATIVE_BORDER;
    return 1;
}

void ts_proximity_differentiate(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                                const ts_transform* pose_b, const ts_proximity* found,
                                const ts_derivative_options* options, ts_proximity_derivative* out) {
    static const ts_derivative_options exact = {.method = TS_DERIVATIVE_EXACT};
    if (!options) options = &exact;
    if (!is_answered(found)) {
        unknown(out);
        return;
    }
    // In A's frame; positions are subtracted before anything is rotated.
    ts_vec3 n = ts_transform_direction_inverse(pose_a, found->found.normal);
    if (options->method == TS_DERIVATIVE_DIFFERENCE || options->method == TS_DERIVATIVE_GAUSSIAN_0) {
        by_queries(a, pose_a, b, pose_b, found, options, out);
    } else if (ts_shape_is_convex(a) && ts_shape_is_convex(b)) {
        ts_mat3 R = ts_mat3_transposed_mul(pose_a->R, pose_b->R);
        ts_moving_pair pair = {
            a,
            b,
            {ts_mat3_identity(), ts_transform_direction_inverse(pose_a, ts_vec3_sub(pose_a->p, pose_b->p))},
            {R, ts_vec3_zero()}};
        ts_vec3 on_a = ts_transform_direction_inverse(pose_a, ts_vec3_sub(found->found.point_a, pose_b->p));
        ts_vec3 on_b = ts_transform_direction_inverse(pose_a, ts_vec3_sub(found->found.point_b, pose_b->p));
        ts_core_witness w = {n, ts_vec3_add_scaled(on_a, -a->radius, n), ts_vec3_add_scaled(on_b, b->radius, n)};
        first_order(&R, &pair, &w, options, out);
    } else {
        ts_shape_pair pair = ts_shape_pair_make(a, pose_a, b, pose_b);
        ts_core_witness surface = {n, ts_transform_point_inverse(pose_a, found->found.point_a),
                                   ts_transform_point_inverse(pose_a, found->found.point_b)};
        if (!by_parts(&pair, &surface, options, out)) {
            unknown(out);
            return;
        }
    }
    if (found->flags & TS_PROXIMITY_NORMAL_FALLBACK) out->certificate.flags |= TS_DERIVATIVE_SINGULAR;
    differentiate_frame(n, options->tangent, out);
}
