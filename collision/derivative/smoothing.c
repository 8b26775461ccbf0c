// Hessians of support functions, smoothed, and derivatives that need nothing but queries.
//
// Problem: the support point of a polytope jumps from corner to corner, so that its derivative is zero almost everywhere and the
// exact derivative sees nothing of the next corner. Rules, from Montaut, Le Lidec, Bambade, Petrik, Sivic and Carpentier
// (Differentiable collision detection: a randomized smoothing approach, ICRA 2023), sections III.B and III.C:
//   Gaussian, 0th order: E[x(T Exp(e z)) z^T] / e over normal z, of the whole answer x; with M queries its scatter falls as M^-1/2.
//   Gaussian, 1st order: H = E[s(n + e z) z^T] / e of a support point s.
//   Gumbel: weights a = softmax(<v_i, n> / e) over the corners v_i near the support point, H = V (diag a - a a^T) V^T / e: the Hessian
//   of e log sum exp, which is the mean of the maximum of <v_i, n> + e g_i with g_i standard Gumbel noise (variance pi^2 / 6).
// Mended: of M samples the mean is over M; without a baseline or pairs the 0th order scatters like 1 / e; n has unit length, so that
// e is an angle or, of Gumbel, a length, told as a share of the shape's size; estimates are made symmetric and their
// negative curvatures are left out, for a support function is convex.
// Guaranteed: the estimates' means are the derivatives of the smoothed functions (but for what leaving out negative curvatures adds);
// the same seed gives the same bits. Known limit: the Gumbel sum is cut off after `rings` edges.
#include "collision/derivative/smoothing_internal.h"

#include "collision/shape/support_internal.h"

#include <string.h>

// --- Hessians ---

void ts_gaussian_hessian(const ts_shape* shape, const ts_vec3 nuv[3], int samples, double spread, ts_rng* rng,
                         ts_tangent_form* out) {
    ts_vec3 n = nuv[0], u = nuv[1], v = nuv[2], here = ts_support_core_inline(shape, n, -1).point;
    double uu = 0.0, uv = 0.0, vv = 0.0;
    for (int k = 0; k < samples; ++k) {
        double x = ts_rng_normal(rng), y = ts_rng_normal(rng);
        ts_vec3 z = ts_vec3_make(x, y, ts_rng_normal(rng));
        ts_vec3 d = ts_vec3_sub(ts_support_core_inline(shape, ts_vec3_add_scaled(n, spread, z), -1).point, here);
        double du = ts_vec3_dot(d, u), dv = ts_vec3_dot(d, v), zu = ts_vec3_dot(z, u), zv = ts_vec3_dot(z, v);
        uu += du * zu;
        vv += dv * zv;
        uv += 0.5 * (du * zv + dv * zu);
    }
    double scale = samples > 0 ? 1.0 / (samples * spread) : 0.0;
    uu *= scale;
    uv *= scale;
    vv *= scale;
    // Without what is negative: of the eigenvalues mean +- reach along (c, s) and across it.
    double mean = 0.5 * (uu + vv), half = 0.5 * (uu - vv), reach = sqrt(half * half + uv * uv);
    double high = fmax(mean + reach, 0.0), low = fmax(mean - reach, 0.0);
    double share = reach > 0.0 ? 0.5 * (high - low) / reach : 0.0;
    out->uu = 0.5 * (high + low) + share * half;
    out->vv = 0.5 * (high + low) - share * half;
    out->uv = share * uv;
}

// Most corners that are looked at; five rings of a fine mesh have fewer than 100.
enum { CORNERS_MOST = 256 };

// Places of corners that were reached, by hashing; most are never taken.
enum { PLACES = 1024 };

// Nonzero when the corner had not been reached before.
static int reach(int place[PLACES], int corner) {
    unsigned at = (unsigned)corner * 2654435761u >> 22;
    for (; place[at]; at = (at + 1) % PLACES)
        if (place[at] == corner + 1) return 0;
    place[at] = corner + 1;
    return 1;
}

// The corners of a hull up to so many edges away from the first.
static int ring_corners(const ts_hull* hull, int first, int rings, int out_corner[CORNERS_MOST]) {
    int count = 1, done = 0, begin = hull->neighbour_start[first];
    out_corner[0] = first;
    if (rings == 1) {  // no corner is another's neighbour twice
        for (int k = begin; k < hull->neighbour_start[first + 1] && count < CORNERS_MOST; ++k)
            out_corner[count++] = hull->neighbour[k];
        return count;
    }
    int place[PLACES] = {0};
    reach(place, first);
    for (int ring = 0; ring < rings; ++ring) {
        int end = count;
        for (; done < end; ++done) {
            int from = out_corner[done];
            for (int k = hull->neighbour_start[from]; k < hull->neighbour_start[from + 1] && count < CORNERS_MOST; ++k)
                if (reach(place, hull->neighbour[k])) out_corner[count++] = hull->neighbour[k];
        }
    }
    return count;
}

// The corners relative to the first, and how much less far out along n they are. Returns how many.
static int corners_about(const ts_shape* shape, ts_vec3 n, int rings, ts_vec3 out[CORNERS_MOST], double* out_size) {
    int count = 0;
    if (shape->kind == TS_SHAPE_HULL) {
        int corner[CORNERS_MOST];
        const ts_hull* hull = shape->hull;
        count = ring_corners(hull, ts_support_hull(hull, n, -1), rings, corner);
        for (int i = 0; i < count; ++i) out[i] = ts_vec3_sub(hull->vertex[corner[i]], hull->vertex[corner[0]]);
        *out_size = 0.5 * ts_vec3_distance(hull->box_min, hull->box_max);
        return count;
    }
    ts_vec3 top = ts_support_core_inline(shape, n, -1).point, low, high;
    while (count < CORNERS_MOST && ts_shape_traits_of(shape)->vertex(shape, count, &out[count])) {
        out[count] = ts_vec3_sub(out[count], top);
        ++count;
    }
    ts_shape_local_box(shape, &low, &high);
    *out_size = 0.5 * ts_vec3_distance(low, high);
    return count;
}

void ts_gumbel_hessian(const ts_shape* shape, const ts_vec3 nuv[3], int rings, double temperature,
                       ts_tangent_form* out) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    out->uu = out->uv = out->vv = 0.0;
    if (!traits->polytope || !traits->vertex) {
        if (traits->add_hessian) traits->add_hessian(shape, nuv[0], nuv[1], nuv[2], out);
        return;
    }
    ts_vec3 corner[CORNERS_MOST];
    double size, sum = 0.0, u = 0.0, v = 0.0, uu = 0.0, uv = 0.0, vv = 0.0;
    int count = corners_about(shape, nuv[0], rings, corner, &size);
    double length = temperature * size;
    if (!(length > 0.0)) return;
    for (int i = 0; i < count; ++i) {
        double weight = exp(ts_vec3_dot(corner[i], nuv[0]) / length);
        double cu = ts_vec3_dot(corner[i], nuv[1]), cv = ts_vec3_dot(corner[i], nuv[2]);
        sum += weight;
        u += weight * cu;
        v += weight * cv;
        uu += weight * cu * cu;
        uv += weight * cu * cv;
        vv += weight * cv * cv;
    }
    u /= sum;
    v /= sum;
    out->uu = fmax(uu / sum - u * u, 0.0) / length;
    out->uv = (uv / sum - u * v) / length;
    out->vv = fmax(vv / sum - v * v, 0.0) / length;
}

// --- by queries ---

static void answer_of(const ts_transform* pose_a, const ts_proximity* p, double out[TS_ANSWER_NUMBERS]) {
    out[0] = p->distance;
    ts_vec3_store(ts_transform_direction_inverse(pose_a, p->found.normal), out + 1);
    ts_vec3_store(ts_transform_point_inverse(pose_a, p->found.point_a), out + 4);
    ts_vec3_store(ts_transform_point_inverse(pose_a, p->found.point_b), out + 7);
}

// The answer with B's pose times Exp(xi).
static unsigned ask(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                    const double xi[6], double out[TS_ANSWER_NUMBERS]) {
    ts_vec3 turn = ts_vec3_load(xi + 3);
    double angle = ts_vec3_norm(turn);
    ts_transform moved = *pose_b;
    moved.p = ts_transform_point(pose_b, ts_vec3_load(xi));
    if (angle > 0.0) {
        ts_quat q = ts_quat_from_axis_angle(ts_vec3_scale(1.0 / angle, turn), angle);
        moved.R = ts_mat3_mul(pose_b->R, ts_quat_to_mat3(q));
    }
    ts_proximity p;
    ts_proximity_query(a, pose_a, b, &moved, 0, 0, &p);
    if (p.status == TS_PROXIMITY_INVALID_INPUT) return TS_DERIVATIVE_UNKNOWN;
    answer_of(pose_a, &p, out);
    return 0;
}

unsigned ts_answer_derivatives(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                               const ts_transform* pose_b, const ts_proximity* found,
                               const ts_derivative_options* options, double out[TS_ANSWER_NUMBERS][6]) {
    int difference = options->method == TS_DERIVATIVE_DIFFERENCE;
    int pairs = difference || options->variance == TS_DERIVATIVE_ANTITHETIC;
    int count = difference ? 6 : (pairs ? (options->samples + 1) / 2 : options->samples);
    double step = difference ? options->increment : options->spread, here[TS_ANSWER_NUMBERS] = {0.0};
    unsigned flags = difference ? 0 : TS_DERIVATIVE_SMOOTHED;
    ts_rng rng = ts_rng_make(options->seed, 0);
    if (!pairs && options->variance == TS_DERIVATIVE_BASELINE) answer_of(pose_a, found, here);
    memset(out, 0, sizeof(double[TS_ANSWER_NUMBERS][6]));
    for (int k = 0; k < count; ++k) {
        double z[6], xi[6], high[TS_ANSWER_NUMBERS] = {0.0}, low[TS_ANSWER_NUMBERS] = {0.0};
        for (int j = 0; j < 6; ++j) {
            z[j] = difference ? (j == k ? 1.0 : 0.0) : ts_rng_normal(&rng);
            xi[j] = step * z[j];
        }
        flags |= ask(a, pose_a, b, pose_b, xi, high);
        if (pairs) {
            for (int j = 0; j < 6; ++j) xi[j] = -xi[j];
            flags |= ask(a, pose_a, b, pose_b, xi, low);
        }
        double scale = 1.0 / ((difference ? 1 : count) * (pairs ? 2.0 : 1.0) * step);
        for (int i = 0; i < TS_ANSWER_NUMBERS; ++i) {
            double change = scale * (high[i] - (pairs ? low[i] : here[i]));
            for (int j = 0; j < 6; ++j) out[i][j] += change * z[j];
        }
    }
    return flags;
}
