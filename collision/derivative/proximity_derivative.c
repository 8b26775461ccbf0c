// The derivative of an answer about a pair: which way, and to whose axes.
//
// Rule: the first-order methods differentiate the system that the witness points solve (witness_rates.c), with features as they are or
// with smoothed Hessians (smoothing.c), in A's axes at B's origin; the columns are turned into B's axes at the end. The others ask
// queries. Of a shape made of parts the part that holds the witness point is taken.
// Guaranteed: EXACT is exact to rounding of the answer where the certificate is regular. In an overlap the smoothed methods use the
// depth's magnitude in K, so that it is positive: a direction to go, no derivative.
#include "collision/derivative/part_internal.h"
#include "collision/derivative/row_internal.h"
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

// The other axes of the contact frame: a tangent's part across n, made unit, and n x that.
typedef struct contact_tangent {
    ts_vec3 t;
    double along, inverse;  // <t, n>, and 1 / |t's part across n|
    double slope;           // t's part along n over that across it, by which the frame turns about n
} contact_tangent;

static inline contact_tangent tangent_of(ts_vec3 n, ts_vec3 wanted) {
    contact_tangent c;
    if (!(ts_vec3_max_abs(wanted) > 0.0)) {
        int axis = ts_vec3_least(ts_vec3_abs(n));
        c.t = ts_vec3_axis(axis);
        c.along = ts_vec3_get(n, axis);
        c.inverse = 1.0 / sqrt(1.0 - c.along * c.along);
        c.slope = c.along * c.inverse;
        return c;
    }
    c.t = wanted;
    c.along = ts_vec3_dot(wanted, n);
    double length = ts_vec3_norm(ts_vec3_add_scaled(wanted, -c.along, n)), least = 1e-9 * ts_vec3_norm(wanted);
    c.inverse = 1.0 / length;
    c.slope = c.along * c.inverse;
    if (length > least) return c;
    c.t = ts_vec3_orthogonal(n);
    c.along = 0.0;
    c.inverse = 1.0;
    c.slope = (double)INFINITY;
    return c;
}

// The contact's tangents, in axes in which its normal is n and the tangent t.
static inline void set_tangents(ts_vec3 n, ts_vec3 t, const contact_tangent* c, ts_witness_side* out) {
    out->u = ts_vec3_scale(c->inverse, ts_vec3_add_scaled(t, -c->along, n));
    out->v = ts_vec3_scale(c->inverse, ts_vec3_cross(n, t));
}

// Three rows a x + b y, by the three numbers of a and b.
static inline void store_sum(ts_vec3 a, ts_row x, ts_vec3 b, ts_row y, double out[3][6]) {
    ts_row_store(ts_row_sum(a.x, x, b.x, y), out[0]);
    ts_row_store(ts_row_sum(a.y, x, b.y, y), out[1]);
    ts_row_store(ts_row_sum(a.z, x, b.z, y), out[2]);
}

// t1 = across / |across| with across = t - <t, n> n: along n it turns with the normal, along t2 by the slope; t2 stays across both.
static inline void store_frame(const ts_witness_side* at, double slope, const ts_row along[2],
                               ts_proximity_derivative* out) {
    if (!isfinite(slope)) {
        out->certificate.flags |= TS_DERIVATIVE_BORDER;
        slope = 0.0;
    }
    ts_vec3 back = ts_vec3_neg(at->at.n), both = ts_vec3_add_scaled(back, slope, at->u);
    store_sum(back, along[0], ts_vec3_scale(-slope, at->v), along[1], out->tangent[0]);
    ts_row_store(ts_row_scale(both.x, along[1]), out->tangent[1][0]);
    ts_row_store(ts_row_scale(both.y, along[1]), out->tangent[1][1]);
    ts_row_store(ts_row_scale(both.z, along[1]), out->tangent[1][2]);
}

// Row i of both points: of A's what its core's slides and its ball turns, of B's that and the gap's turning and growth along n.
static inline void store_points(ts_row slide, ts_row turn, const double ball_and_gap[2], ts_row along_n,
                                double out_a[6], double out_b[6]) {
    ts_row on_a = ts_row_add(slide, ts_row_scale(ball_and_gap[0], turn));
    ts_row_store(on_a, out_a);
    ts_row_store(ts_row_add(ts_row_add(on_a, ts_row_scale(ball_and_gap[1], turn)), along_n), out_b);
}

static void store_rates(const ts_witness_view* w, const ts_witness_side* at, const ts_witness_rates* r, double slope,
                        ts_proximity_derivative* out) {
    const double n[3] = {at->at.n.x, at->at.n.y, at->at.n.z}, u[3] = {at->u.x, at->u.y, at->u.z},
                 v[3] = {at->v.x, at->v.y, at->v.z};
    const double by[2] = {w->a->radius, r->gap - w->b->radius - w->a->radius};
    ts_row distance = ts_row_load(r->distance);
    const ts_row turn[2] = {ts_row_load(r->turn[0]), ts_row_load(r->turn[1])};
    out->certificate = r->certificate;
    ts_row_store(distance, out->distance);
    if (r->turns && r->slides) {
        const ts_row slide[2] = {ts_row_load(r->slide[0]), ts_row_load(r->slide[1])};
        for (int i = 0; i < 3; ++i) {
            ts_row normal = ts_row_sum(u[i], turn[0], v[i], turn[1]);
            ts_row_store(normal, out->normal[i]);
            store_points(ts_row_sum(u[i], slide[0], v[i], slide[1]), normal, by, ts_row_scale(n[i], distance),
                         out->point_a[i], out->point_b[i]);
        }
        store_frame(at, slope, turn, out);
    } else if (r->turns) {
        for (int i = 0; i < 3; ++i) {
            ts_row normal = ts_row_sum(u[i], turn[0], v[i], turn[1]), on_a = ts_row_scale(by[0], normal);
            ts_row_store(normal, out->normal[i]);
            ts_row_store(on_a, out->point_a[i]);
            ts_row_store(ts_row_add(on_a, ts_row_sum(by[1], normal, n[i], distance)), out->point_b[i]);
        }
        store_frame(at, slope, turn, out);
    } else {
        const ts_row slide[2] = {ts_row_load(r->slide[0]), ts_row_load(r->slide[1])};
        for (int i = 0; i < 3; ++i) {
            ts_row_store(ts_row_zero(), out->normal[i]);
            ts_row_store(ts_row_zero(), out->tangent[0][i]);
            ts_row_store(ts_row_zero(), out->tangent[1][i]);
            ts_row on_a = ts_row_sum(u[i], slide[0], v[i], slide[1]);
            ts_row_store(on_a, out->point_a[i]);
            ts_row_store(ts_row_add(on_a, ts_row_scale(n[i], distance)), out->point_b[i]);
        }
        if (!isfinite(slope)) out->certificate.flags |= TS_DERIVATIVE_BORDER;
    }
}

// A side's smoothed Hessian on the tangents.
static void smooth_side(const ts_shape* shape, const ts_witness_side* at, const ts_derivative_options* options,
                        uint64_t stream, ts_tangent_form* out) {
    const ts_vec3 nuv[3] = {at->at.n, at->u, at->v};
    ts_rng rng = ts_rng_make(options->seed, stream);
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
    ts_witness_side at;
    ts_vec3 n = ts_transform_direction_inverse(pose_a, found->found.normal);
    contact_tangent tangent = tangent_of(n, options->tangent);
    at.at.n = n;
    set_tangents(n, tangent.t, &tangent, &at);
    ts_row row[3] = {ts_row_load(out->normal[0]), ts_row_load(out->normal[1]), ts_row_load(out->normal[2])};
    const ts_vec3 axis[2] = {at.u, at.v};
    ts_row turn[2];
    for (int k = 0; k < 2; ++k)
        turn[k] = ts_row_add(ts_row_sum(axis[k].x, row[0], axis[k].y, row[1]), ts_row_scale(axis[k].z, row[2]));
    store_frame(&at, tangent.slope, turn, out);
}

// By the features, or by smoothed Hessians where the options ask for them. `whole`: the contact's frame in A's axes, which are not
// those of a part of A.
static void first_order(const ts_witness_view* view, const ts_witness_side* whole, double slope,
                        const ts_derivative_options* options, ts_proximity_derivative* out) {
    ts_witness_rates rates;
    ts_tangent_form bend[2];
    int smoothed =
        options->method != TS_DERIVATIVE_EXACT && view->a->kind != TS_SHAPE_PLANE && view->b->kind != TS_SHAPE_PLANE;
    if (smoothed) {
        smooth_side(view->a, &view->in_a, options, 1, &bend[0]);
        smooth_side(view->b, &view->in_b, options, 2, &bend[1]);
    }
    ts_witness_rates_solve(view, smoothed ? bend : 0, &rates);
    store_rates(view, whole, &rates, slope, out);
}

// Of two convex shapes. Positions are subtracted before anything is rotated.
static void of_convex(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                      const ts_separation* found, const ts_derivative_options* options, ts_proximity_derivative* out) {
    ts_witness_view view;
    ts_vec3 n = ts_transform_direction_inverse(pose_a, found->normal);
    contact_tangent tangent = tangent_of(n, options->tangent);
    view.a = a;
    view.b = b;
    view.gap = ts_vec3_dot(found->normal, ts_vec3_sub(found->point_b, found->point_a)) + a->radius + b->radius;
    set_tangents(n, tangent.t, &tangent, &view.in_a);
    view.in_a.at.n = n;
    view.in_a.at.c = ts_vec3_add_scaled(ts_transform_point_inverse(pose_a, found->point_a), -a->radius, n);
    ts_vec3 t = ts_transform_direction_inverse(pose_b, ts_transform_direction(pose_a, tangent.t));
    n = ts_transform_direction_inverse(pose_b, found->normal);
    ts_vec3 c = ts_vec3_add_scaled(ts_transform_point_inverse(pose_b, found->point_b), b->radius, n);
    set_tangents(n, t, &tangent, &view.in_b);
    view.in_b.at.n = ts_vec3_neg(n);
    view.in_b.at.c = c;
    view.push = ts_row_of_point(c, n);
    view.push_u = ts_row_of_point(c, view.in_b.u);
    view.push_v = ts_row_of_point(c, view.in_b.v);
    first_order(&view, &view.in_a, tangent.slope, options, out);
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
    ts_witness_view view;
    ts_witness_side side;
    contact_tangent tangent = tangent_of(n, options->tangent);
    set_tangents(n, tangent.t, &tangent, &side);
    side = ts_witness_view_make(&pair, &w, side.u, &b_in_a->R, &view);
    first_order(&view, &side, tangent.slope, options, out);
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
    if (options->method == TS_DERIVATIVE_DIFFERENCE || options->method == TS_DERIVATIVE_GAUSSIAN_0) {
        by_queries(a, pose_a, b, pose_b, found, options, out);
    } else if (ts_shape_is_convex(a) && ts_shape_is_convex(b)) {
        of_convex(a, pose_a, b, pose_b, &found->found, options, out);
    } else {
        ts_shape_pair pair = ts_shape_pair_make(a, pose_a, b, pose_b);
        ts_core_witness surface = {ts_transform_direction_inverse(pose_a, found->found.normal),
                                   ts_transform_point_inverse(pose_a, found->found.point_a),
                                   ts_transform_point_inverse(pose_a, found->found.point_b)};
        if (!by_parts(&pair, &surface, options, out)) {
            unknown(out);
            return;
        }
    }
    double rival = (double)INFINITY;
    if (options->method == TS_DERIVATIVE_EXACT) rival = rival_of(a, pose_a, b, pose_b, found);
    if (0.5 * rival < out->certificate.room) {
        out->certificate.room = 0.5 * rival;
        ts_derivative_certificate_judge(fmin(extent_of(a), extent_of(b)), &out->certificate);
    }
    if (found->flags & TS_PROXIMITY_NORMAL_FALLBACK) out->certificate.flags |= TS_DERIVATIVE_SINGULAR;
}
