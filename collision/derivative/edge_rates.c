// Derivatives of contacts of two edges: of overlapping boxes (box_box.c) and along nearly parallel segments (clip.c).
//
// Rule: two edges that cross hold the normal between them, across both; the point lies midway between their nearest points,
// each clamped to its edge. The two ends of the common part of nearly parallel segments are computed again with a rate beside every
// number (forward differentiation), one column of B's twist at a time, along the branches that the manifold took.
// Guaranteed: exact to rounding while the same ends, clamps and limits count.
#include "collision/derivative/manifold_rates_internal.h"

// A number and a vector with their rates.
typedef struct moving1 {
    double x, d;
} moving1;

typedef struct moving3 {
    ts_vec3 x, d;
} moving3;

static moving3 moving3_make(ts_vec3 x, ts_vec3 d) {
    moving3 a = {x, d};
    return a;
}
static moving3 sub3(moving3 a, moving3 b) { return moving3_make(ts_vec3_sub(a.x, b.x), ts_vec3_sub(a.d, b.d)); }
static moving3 scale3(moving1 s, moving3 a) {
    return moving3_make(ts_vec3_scale(s.x, a.x), ts_vec3_add_scaled(ts_vec3_scale(s.x, a.d), s.d, a.x));
}
static moving3 add3(moving3 a, moving3 b) { return moving3_make(ts_vec3_add(a.x, b.x), ts_vec3_add(a.d, b.d)); }
static moving3 cross3(moving3 a, moving3 b) {
    return moving3_make(ts_vec3_cross(a.x, b.x), ts_vec3_add(ts_vec3_cross(a.d, b.x), ts_vec3_cross(a.x, b.d)));
}
static moving1 dot3(moving3 a, moving3 b) {
    moving1 s = {ts_vec3_dot(a.x, b.x), ts_vec3_dot(a.d, b.x) + ts_vec3_dot(a.x, b.d)};
    return s;
}
static moving3 unit3(moving3 a) {
    double length = ts_vec3_norm(a.x);
    ts_vec3 u = ts_vec3_scale(1.0 / length, a.x);
    return moving3_make(u, ts_vec3_scale(1.0 / length, ts_vec3_add_scaled(a.d, -ts_vec3_dot(u, a.d), u)));
}
static moving1 sum1(moving1 a, double s, moving1 b) {
    moving1 c = {a.x + s * b.x, a.d + s * b.d};
    return c;
}
static moving1 divide1(moving1 a, moving1 b) {
    moving1 c = {a.x / b.x, (a.d - a.x / b.x * b.d) / b.x};
    return c;
}
static moving1 multiply1(moving1 a, moving1 b) {
    moving1 c = {a.x * b.x, a.d * b.x + a.x * b.d};
    return c;
}
static moving1 fixed1(double x) {
    moving1 c = {x, 0.0};
    return c;
}

// --- two edges of boxes ---

// The edge of a box that lies farthest along a direction (in its frame) at right angles to it: its axis, its middle, its lower corner.
typedef struct box_edge {
    int axis, low;
    ts_vec3 middle;
} box_edge;

static box_edge edge_along(const ts_shape* box, ts_vec3 d) {
    box_edge e;
    e.axis = ts_vec3_least(ts_vec3_abs(d));
    e.low = 0;
    e.middle = ts_vec3_zero();
    for (int k = 0; k < 3; ++k) {
        if (k == e.axis) continue;
        int positive = !(ts_vec3_get(d, k) < 0.0);
        e.low |= positive << k;
        e.middle = ts_vec3_with(e.middle, k, positive ? ts_vec3_get(box->half, k) : -ts_vec3_get(box->half, k));
    }
    return e;
}

static moving1 clamp1(moving1 s, double half, ts_derivative_certificate* io) {
    io->room = fmin(io->room, fabs(fabs(s.x) - half));
    return s.x < -half ? fixed1(-half) : (s.x > half ? fixed1(half) : s);
}

int ts_box_edge_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    const ts_moving_pair* pair = source->pair;
    ts_vec3 n = point->normal;
    box_edge ea = edge_along(pair->a, ts_transform_direction_inverse(&pair->a_at, n));
    box_edge eb = edge_along(pair->b, ts_transform_direction_inverse(&pair->b_at, ts_vec3_neg(n)));
    const int names_a[2] = {ea.low, ea.low | 1 << ea.axis}, names_b[2] = {eb.low, eb.low | 1 << eb.axis};
    if (ts_contact_source_label(source, 4, names_a, names_b) != point->feature) return 0;
    double half_a = ts_vec3_get(pair->a->half, ea.axis), half_b = ts_vec3_get(pair->b->half, eb.axis);
    ts_vec3 axis_a = ts_mat3_column(&pair->a_at.R, ea.axis), axis_b = ts_mat3_column(&pair->b_at.R, eb.axis);
    ts_vec3 middle_a = ts_transform_point(&pair->a_at, ea.middle),
            middle_b = ts_transform_point(&pair->b_at, eb.middle);
    if (!(fabs(ts_vec3_dot(axis_a, n)) + fabs(ts_vec3_dot(axis_b, n)) <= 1e-9)) return 0;
    double sign = ts_vec3_dot(ts_vec3_cross(axis_a, axis_b), n) < 0.0 ? -1.0 : 1.0;
    out->certificate = ts_derivative_certificate_fine();
    for (int j = 0; j < 6; ++j) {
        moving3 ua = moving3_make(axis_a, ts_vec3_zero()), ub = moving3_make(axis_b, ts_rate_of_direction(j, axis_b));
        moving3 pa = moving3_make(middle_a, ts_vec3_zero()), pb = moving3_make(middle_b, ts_rate_of_point(j, middle_b));
        moving3 across = unit3(scale3(fixed1(sign), cross3(ua, ub))), r = sub3(pb, pa);
        moving1 c = dot3(ua, ub), d = dot3(ua, r), e = dot3(ub, r);
        moving1 s = divide1(sum1(d, -1.0, multiply1(c, e)), sum1(fixed1(1.0), -1.0, multiply1(c, c)));
        s = clamp1(s, half_a, &out->certificate);
        moving1 w = clamp1(sum1(multiply1(c, s), -1.0, e), half_b, &out->certificate);
        moving3 whole = add3(add3(pa, scale3(s, ua)), add3(pb, scale3(w, ub)));
        out->normal[j] = across.d;
        out->gap[j] = dot3(across, r).d;
        out->position[j] = ts_vec3_scale(0.5, whole.d);
    }
    out->certificate.crossing = ts_vec3_norm(ts_vec3_cross(axis_a, axis_b));
    ts_derivative_certificate_judge(half_a + half_b, &out->certificate);
    return 1;
}

// --- nearly parallel segments ---

// Two segments, first kinds first, and the normal from the first to the second.
typedef struct segments {
    moving3 from_a, along_a, from_b, along_b, n;
    double balls;  // m: both radii together
} segments;

// The two ends of the common part along the first segment; see ts_clip_segments. out_room: how near another limit is.
static void common_part(const segments* g, moving3 u, moving1 out_end[2], double* out_room) {
    moving3 side = cross3(g->n, u);
    moving1 a0 = dot3(u, g->from_a), a1 = sum1(a0, 1.0, dot3(u, g->along_a));
    moving1 b0 = dot3(u, g->from_b), db = dot3(u, g->along_b), b1 = sum1(b0, 1.0, db);
    moving1 b_low = db.x > 0.0 ? b0 : b1, b_high = db.x > 0.0 ? b1 : b0;
    out_end[0] = a0.x > b_low.x ? a0 : b_low;
    out_end[1] = a1.x < b_high.x ? a1 : b_high;
    *out_room = fmin(fabs(a0.x - b_low.x), fabs(a1.x - b_high.x));
    double length_a = a1.x - a0.x, shorter = length_a < fabs(db.x) ? length_a : fabs(db.x);
    int a_is_shorter = length_a < fabs(db.x);
    moving1 length = a_is_shorter ? sum1(a1, -1.0, a0) : (db.x > 0.0 ? db : sum1(fixed1(0.0), -1.0, db));
    moving1 drift = sum1(fixed1(1e-3 * g->balls), 1e-4, length), slope = divide1(dot3(side, g->along_b), db);
    if (!(fabs(slope.x) * shorter > 1e-9 * drift.x)) return;
    moving1 steep = slope.x < 0.0 ? sum1(fixed1(0.0), -1.0, slope) : slope;
    moving1 meet = sum1(b0, 1.0, divide1(sum1(dot3(side, g->from_a), -1.0, dot3(side, g->from_b)), slope));
    moving1 reach = divide1(drift, steep), low = sum1(meet, -1.0, reach), high = sum1(meet, 1.0, reach);
    *out_room = fmin(*out_room, fmin(fabs(low.x - out_end[0].x), fabs(high.x - out_end[1].x)));
    if (low.x > out_end[0].x) out_end[0] = low;
    if (high.x < out_end[1].x) out_end[1] = high;
}

// A side's segment in common axes, its two ends by label; 0 where the feature is none.
static int segment_of(const ts_shape* shape, const ts_transform* at, ts_vec3 direction, ts_vec3 out_end[2]) {
    ts_support_feature f;
    ts_support_feature_along(shape, ts_transform_direction_inverse(at, direction), &f);
    if (f.count != 2) return 0;
    for (int k = 0; k < 2; ++k) out_end[k] = ts_transform_point(at, f.point[k]);
    return 1;
}

// The rate of an end: with its shape, and over it where the feature turns with the normal.
static ts_vec3 rate_of_end(const ts_contact_source* source, int side, ts_vec3 end, int j) {
    const ts_moving_pair* pair = source->pair;
    const ts_shape* shape = side == 1 ? pair->a : pair->b;
    const ts_transform* at = side == 1 ? &pair->a_at : &pair->b_at;
    ts_vec3 n = source->witness.normal, rate = side == 1 ? ts_vec3_zero() : ts_rate_of_point(j, end);
    if (!ts_shape_traits_of(shape)->turning) return rate;
    ts_vec3 turning = source->turning[j];
    if (side == 2) turning = ts_vec3_sub(ts_rate_of_direction(j, n), turning);
    ts_vec3 d = ts_transform_direction_inverse(at, side == 1 ? n : ts_vec3_neg(n));
    return ts_vec3_add(rate, ts_bend_along(shape, at, d, end, turning));
}

int ts_segment_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    const ts_moving_pair* pair = source->pair;
    if (!ts_contact_source_query(source)) return 0;
    ts_vec3 n = source->witness.normal, a[2], b[2];
    if (!segment_of(pair->a, &pair->a_at, n, a) || !segment_of(pair->b, &pair->b_at, ts_vec3_neg(n), b)) return 0;
    const int first[2] = {0, 0};
    int end = ts_contact_source_label(source, 5, first, first) == point->feature ? 0 : 1;
    int swapped = pair->a->kind > pair->b->kind;
    double radius_first = swapped ? pair->b->radius : pair->a->radius,
           radius_second = swapped ? pair->a->radius : pair->b->radius;
    out->certificate = source->rates.certificate;
    for (int j = 0; j < 6; ++j) {
        moving3 pa = moving3_make(a[0], rate_of_end(source, 1, a[0], j)),
                qa = moving3_make(a[1], rate_of_end(source, 1, a[1], j));
        moving3 pb = moving3_make(b[0], rate_of_end(source, 2, b[0], j)),
                qb = moving3_make(b[1], rate_of_end(source, 2, b[1], j));
        moving3 normal = moving3_make(n, source->turning[j]), back = scale3(fixed1(-1.0), normal);
        segments g = {pa, sub3(qa, pa), pb, sub3(qb, pb), normal, pair->a->radius + pair->b->radius};
        if (swapped) {
            segments seen = {pb, sub3(qb, pb), pa, sub3(qa, pa), back, g.balls};
            g = seen;
        }
        moving3 u = unit3(sub3(g.along_a, scale3(dot3(g.along_a, g.n), g.n)));
        moving1 ends[2];
        double room;
        common_part(&g, u, ends, &room);
        out->certificate.room = fmin(out->certificate.room, room);
        moving1 wa = divide1(sum1(ends[end], -1.0, dot3(u, g.from_a)), dot3(u, g.along_a));
        moving1 wb = divide1(sum1(ends[end], -1.0, dot3(u, g.from_b)), dot3(u, g.along_b));
        moving3 xa = add3(g.from_a, scale3(wa, g.along_a)), xb = add3(g.from_b, scale3(wb, g.along_b));
        out->gap[j] = dot3(sub3(xb, xa), g.n).d;
        out->normal[j] = source->turning[j];
        out->position[j] = ts_vec3_add(ts_vec3_scale(0.5, ts_vec3_add(xa.d, xb.d)),
                                       ts_vec3_scale(0.5 * (radius_first - radius_second), g.n.d));
    }
    ts_derivative_certificate_judge(ts_vec3_distance(a[0], a[1]), &out->certificate);
    return 1;
}
