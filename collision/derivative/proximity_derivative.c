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

// The other axes of the contact frame: the wanted tangent's part across n, made unit, and n x that. *out_slope: the wanted tangent's
// part along n over that across it, by which the frame turns about n.
static void contact_frame(ts_vec3 n, ts_vec3 wanted, ts_vec3 out_axis[2], double* out_slope) {
    ts_vec3 t = ts_vec3_max_abs(wanted) > 0.0 ? wanted : ts_vec3_axis(ts_vec3_least(ts_vec3_abs(n)));
    double along = ts_vec3_dot(t, n);
    ts_vec3 across = ts_vec3_add_scaled(t, -along, n);
    double length = ts_vec3_norm(across), least = 1e-9 * ts_vec3_norm(t);
    *out_slope = length > least ? along / length : (double)INFINITY;
    out_axis[0] = length > least ? ts_vec3_scale(1.0 / length, across) : ts_vec3_orthogonal(n);
    out_axis[1] = ts_vec3_cross(n, out_axis[0]);
}

static void store_row(double a, const double x[restrict 6], double b, const double y[restrict 6],
                      double out[restrict 6]) {
    for (int j = 0; j < 6; ++j) out[j] = a * x[j] + b * y[j];
}

static void store_sum(ts_vec3 a, const double x[restrict 6], ts_vec3 b, const double y[restrict 6],
                      double out[restrict 3][6]) {
    store_row(a.x, x, b.x, y, out[0]);
    store_row(a.y, x, b.y, y, out[1]);
    store_row(a.z, x, b.z, y, out[2]);
}

// t1 = across / |across| with across = t - <t, n> n: along n it turns with the normal, along t2 by the slope; t2 stays across both.
static void store_frame(ts_vec3 n, const ts_vec3 axis[2], double slope, const double along_1[6],
                        const double along_2[6], ts_proximity_derivative* out) {
    if (!isfinite(slope)) {
        out->certificate.flags |= TS_DERIVATIVE_BORDER;
        slope = 0.0;
    }
    ts_vec3 back = ts_vec3_neg(n);
    store_sum(back, along_1, ts_vec3_scale(-slope, axis[1]), along_2, out->tangent[0]);
    store_sum(back, along_2, ts_vec3_scale(slope, axis[0]), along_2, out->tangent[1]);
}

// Row i of a point's rates: of what it does along u, v and n.
static void add_along(double n, const double x[restrict 6], double io[restrict 6]) {
    for (int j = 0; j < 6; ++j) io[j] += n * x[j];
}

static void store_rates(const ts_moving_pair* pair, const ts_witness_rates* r, double slope,
                        ts_proximity_derivative* out) {
    double on_a[2][6], on_b[2][6], ball = pair->a->radius, across = r->gap - pair->b->radius;
    for (int k = 0; k < 2; ++k) {
        store_row(1.0, r->slide[k], ball, r->turn[k], on_a[k]);
        store_row(1.0, r->slide[k], across, r->turn[k], on_b[k]);
    }
    const ts_vec3 axis[2] = {r->u, r->v};
    memcpy(out->distance, r->distance, sizeof out->distance);
    store_sum(r->u, r->turn[0], r->v, r->turn[1], out->normal);
    store_sum(r->u, on_a[0], r->v, on_a[1], out->point_a);
    store_sum(r->u, on_b[0], r->v, on_b[1], out->point_b);
    add_along(r->n.x, r->distance, out->point_b[0]);
    add_along(r->n.y, r->distance, out->point_b[1]);
    add_along(r->n.z, r->distance, out->point_b[2]);
    out->certificate = r->certificate;
    store_frame(r->n, axis, slope, r->turn[0], r->turn[1], out);
}

// A side's smoothed Hessian on the tangents u and v of (n, u, v); sign: of the outward normal.
static void smooth_side(const ts_shape* shape, const ts_transform* at, const ts_vec3 frame[3],
                        const ts_derivative_options* options, double sign, ts_tangent_form* out) {
    ts_vec3 n = frame[0], u = frame[1], v = frame[2];
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
    ts_vec3 n = ts_transform_direction_inverse(pose_a, found->found.normal), axis[2];
    double slope, turn[2][6];
    contact_frame(n, options->tangent, axis, &slope);
    for (int k = 0; k < 2; ++k)
        for (int j = 0; j < 6; ++j)
            turn[k][j] = axis[k].x * out->normal[0][j] + axis[k].y * out->normal[1][j] + axis[k].z * out->normal[2][j];
    store_frame(n, axis, slope, turn[0], turn[1], out);
}

// By the features, or by smoothed Hessians where the options ask for them.
static void first_order(const ts_mat3* R, const ts_moving_pair* pair, const ts_core_witness* w,
                        const ts_derivative_options* options, ts_proximity_derivative* out) {
    ts_witness_rates rates;
    ts_tangent_form bend[2];
    ts_vec3 axis[2];
    double slope;
    contact_frame(w->normal, options->tangent, axis, &slope);
    int smoothed =
        options->method != TS_DERIVATIVE_EXACT && pair->a->kind != TS_SHAPE_PLANE && pair->b->kind != TS_SHAPE_PLANE;
    if (smoothed) {
        const ts_vec3 frame[3] = {w->normal, axis[0], axis[1]};
        smooth_side(pair->a, &pair->a_at, frame, options, 1.0, &bend[0]);
        smooth_side(pair->b, &pair->b_at, frame, options, -1.0, &bend[1]);
    }
    ts_witness_rates_find(pair, w, axis[0], R, smoothed ? bend : 0, &rates);
    store_rates(pair, &rates, slope, out);
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

static double extent_of(const ts_shape* shape) {
    if (shape->kind == TS_SHAPE_PLANE) return (double)INFINITY;
    ts_vec3 low, high;
    ts_shape_local_box(shape, &low, &high);
    return ts_vec3_max_abs(ts_vec3_sub(high, low));
}

// How much deeper another way out of an overlap is, which comes nearer by no more than twice what the shapes move. Where the query was not
// asked it is asked again.
static double rival_of(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                       const ts_proximity* found) {
    if (found->rival >= 0.0) return found->rival;
    if (!(found->distance + a->radius + b->radius < 0.0)) return (double)INFINITY;
    ts_proximity_options options = ts_proximity_options_default();
    ts_proximity again;
    options.rivals = 1;
    ts_proximity_query(a, pose_a, b, pose_b, &options, 0, &again);
    return again.rival >= 0.0 ? again.rival : 0.0;
}

// How far another pair of parts is from being the nearest instead: half of what it is farther apart, as far as is looked, a tenth of the
// smaller shape. Its answer is another one, however far away.
static double room_of_rivals(const ts_shape_pair* whole, const ts_convex_part_walk* part_a,
                             const ts_convex_part_walk* part_b, double distance) {
    double size = fmin(extent_of(whole->a), extent_of(whole->b)), least = 0.1 * size;
    ts_proximity_options options = ts_proximity_options_default();
    options.give_up_distance = distance + least;
    double reach = fmax(options.give_up_distance, 0.0);
    ts_vec3 low, high, room = ts_vec3_make(reach, reach, reach);
    ts_convex_part_walk a, b;
    ts_shape_bounds(whole->b, &whole->b_in_a, &low, &high);
    ts_convex_parts_begin(whole->a, ts_vec3_sub(low, room), ts_vec3_add(high, room), &a);
    while (ts_convex_parts_next(&a)) {
        ts_transform a_in_b = ts_transform_relative(&whole->b_in_a, &a.placed);
        ts_shape_bounds(&a.shape, &a_in_b, &low, &high);
        ts_convex_parts_begin(whole->b, ts_vec3_sub(low, room), ts_vec3_add(high, room), &b);
        while (ts_convex_parts_next(&b)) {
            ts_transform at_b = ts_transform_mul(&whole->b_in_a, &b.placed);
            ts_proximity p;
            if (a.index == part_a->index && b.index == part_b->index) continue;
            ts_proximity_query(&a.shape, &a.placed, &b.shape, &at_b, &options, 0, &p);
            if (p.status != TS_PROXIMITY_SEPARATED_EARLY && p.status != TS_PROXIMITY_INVALID_INPUT)
                least = fmin(least, fmax(p.distance - distance, 0.0));
        }
    }
    return 0.5 * least;
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
    double distance = ts_vec3_dot(n, ts_vec3_sub(surface->core_b, surface->core_a));
    out->certificate.room = fmin(out->certificate.room, room_of_rivals(whole, &part_a, &part_b, distance));
    ts_derivative_certificate_judge(fmin(extent_of(whole->a), extent_of(whole->b)), &out->certificate);
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
    double rival = (double)INFINITY;
    if (options->method == TS_DERIVATIVE_EXACT) rival = rival_of(a, pose_a, b, pose_b, found);
    if (rival < (double)INFINITY) {
        out->certificate.room = fmin(out->certificate.room, 0.5 * rival);
        ts_derivative_certificate_judge(fmin(extent_of(a), extent_of(b)), &out->certificate);
    }
    if (found->flags & TS_PROXIMITY_NORMAL_FALLBACK) out->certificate.flags |= TS_DERIVATIVE_SINGULAR;
}
