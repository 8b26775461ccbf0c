// Derivatives of normal, distance and witness points of two cores.
//
// Problem: the answer about a pair is core_b - core_a = distance * normal with core_a on a feature of A that has the normal n, and
// core_b on one of B that has -n. Each feature is flat along k directions T (0 corner or smooth, 1 edge or ruling, 2 face) and
// bends with the Hessian H of its support function along the others. Rule: differentiated, on the plane across n,
//     (H_A + H_B + distance) dn + T_A x_A - T_B x_B = v + w x core_b + H_B (w x n),    T_A . dn = 0,    T_B . (dn - w x n) = 0,
// for B moving with the twist (v, w): dn is the turning of the normal, x how far the points slide along their features. So
// flat directions enter as constraints, which is what an infinite curvature would do. With k_A + k_B = 0 this is the
// formula of Montaut, Le Lidec, Bambade, Petrik, Sivic and Carpentier (Differentiable collision detection: a randomized smoothing
// approach, ICRA 2023, eq. 19 and 29, put right and carried through overlaps); its flat features have H = 0, which is
// wrong for edges and faces: a ball that slides over a face does not turn the normal. The distance needs none of this:
// its derivative is that of core_b along n.
// Guaranteed: exact to rounding of the witness where the certificate is regular. Where k_A + k_B > 2 (an edge along a face, two
// faces) the points are not unique; then the flatter side holds the normal, the other counts as a corner, and SINGULAR is set. It is
// set as well where K is not positive along the free directions: in an overlap that is no maximum.
// Known limit: in an overlap another feature may be as good as this one, far away from it; nothing here looks there (proximity_derivative.c
// has it from the query).
#include "collision/derivative/witness_rates_internal.h"

// Free curvatures below this share of the size, and crossings below this sine, multiply rounding of the witness (1e-12 of the size,
// at times 1e-10) up to what users would notice.
static const double LEAST_CURVATURE = 1e-6;
static const double LEAST_CROSSING = 1e-6;
// Room below this share of the size and turns below this angle are the end of a feature.
static const double LEAST_ROOM = 1e-8;

// What K is given at least, as a share of the size, where it is smoothed.
static const double LEAST_SMOOTHED = 1e-9;

ts_derivative_certificate ts_derivative_certificate_least(ts_derivative_certificate a, ts_derivative_certificate b) {
    ts_derivative_certificate least = {a.flags | b.flags, fmin(a.curvature, b.curvature), fmin(a.crossing, b.crossing),
                                       fmin(a.room, b.room), fmin(a.turn, b.turn)};
    return least;
}

void ts_derivative_certificate_judge(double size, ts_derivative_certificate* io) {
    if (!(io->room > LEAST_ROOM * size) || !(io->turn > LEAST_ROOM)) io->flags |= TS_DERIVATIVE_BORDER;
}

ts_moving_pair ts_moving_pair_make(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                                   const ts_transform* pose_b) {
    ts_moving_pair pair = {a, b, {pose_a->R, ts_vec3_sub(pose_a->p, pose_b->p)}, {pose_b->R, ts_vec3_zero()}};
    return pair;
}

// The smaller of two, neither NaN: no call.
static inline double lesser(double a, double b) { return a < b ? a : b; }

// A vector across the normal, by its components along u and v.
typedef struct flat2 {
    double u, v;
} flat2;

static flat2 flat2_make(double u, double v) {
    flat2 a = {u, v};
    return a;
}
static double dot2(flat2 a, flat2 b) { return a.u * b.u + a.v * b.v; }
static double cross2(flat2 a, flat2 b) { return a.u * b.v - a.v * b.u; }
static flat2 bend2(const ts_tangent_form* h, flat2 a) {
    return flat2_make(h->uu * a.u + h->uv * a.v, h->uv * a.u + h->vv * a.v);
}

// A side's feature across the normal.
typedef struct flat_side {
    int flat;
    flat2 along;  // unit, where flat is 1
    ts_tangent_form bend;
    int bent;  // where it is not flat it bends
} flat_side;

// A 2 x 2 matrix, rows first.
typedef struct square2 {
    double uu, uv, vu, vv;
} square2;

static square2 square2_make(double uu, double uv, double vu, double vv) {
    square2 m = {uu, uv, vu, vv};
    return m;
}
static square2 outer2(double s, flat2 a, flat2 b) {
    return square2_make(s * a.u * b.u, s * a.u * b.v, s * a.v * b.u, s * a.v * b.v);
}
static square2 form2(const ts_tangent_form* h) { return square2_make(h->uu, h->uv, h->uv, h->vv); }
static square2 plus2(square2 a, square2 b) { return square2_make(a.uu + b.uu, a.uv + b.uv, a.vu + b.vu, a.vv + b.vv); }
static square2 minus2(square2 a, square2 b) { return square2_make(a.uu - b.uu, a.uv - b.uv, a.vu - b.vu, a.vv - b.vv); }
static square2 times2(square2 a, square2 b) {
    return square2_make(a.uu * b.uu + a.uv * b.vu, a.uu * b.uv + a.uv * b.vv, a.vu * b.uu + a.vv * b.vu,
                        a.vu * b.uv + a.vv * b.vv);
}

// The system of one pair, and its answer: dn = push r + carry c, where r is the right-hand side and c = w x n.
typedef struct system_2d {
    flat_side a, b;
    ts_tangent_form k;  // H_A + H_B + distance
    double inverse;     // of the determinant of k, of the free direction's curvature, or of the crossing
    square2 push, carry;
} system_2d;

static int is_point(const ts_shape* shape) { return ts_shape_traits_of(shape)->rank == 0; }

static void read_side(const ts_shape* shape, const ts_witness_side* side, flat_side* out,
                      ts_derivative_certificate* io) {
    ts_active_feature f;
    out->flat = shape->kind == TS_SHAPE_PLANE ? 2 : 0;
    out->bent = 0;
    out->along = flat2_make(0.0, 0.0);
    out->bend.uu = out->bend.uv = out->bend.vv = 0.0;
    if (out->flat || is_point(shape)) return;  // neither ends
    ts_active_feature_at(shape, &side->at, &f);
    out->flat = f.flat;
    io->room = lesser(io->room, f.room);
    io->turn = lesser(io->turn, f.turn);
    if (f.flat > 2) {
        io->flags |= TS_DERIVATIVE_UNKNOWN;
        out->flat = 0;
    }
    if (f.flat == 1) {
        double tu = ts_vec3_dot(f.along, side->u), tv = ts_vec3_dot(f.along, side->v), square = tu * tu + tv * tv;
        // It lies across the normal but for rounding, where its length needs no root.
        double inverse = fabs(square - 1.0) < 1e-8 ? 1.5 - 0.5 * square : 1.0 / sqrt(square);
        out->along = square > 0.0 ? flat2_make(inverse * tu, inverse * tv) : flat2_make(1.0, 0.0);
    }
    if (f.flat > 1) return;
    if (f.smooth) {
        out->bent = 1;
        ts_shape_traits_of(shape)->add_hessian(shape, side->at.n, side->u, side->v, &out->bend);
    } else if (f.bend > 0.0 && isfinite(f.bend)) {
        double ru = ts_vec3_dot(f.round, side->u), rv = ts_vec3_dot(f.round, side->v);
        out->bent = 1;
        out->bend.uu = f.bend * ru * ru;
        out->bend.uv = f.bend * ru * rv;
        out->bend.vv = f.bend * rv * rv;
    } else if (f.bend > 0.0) {  // the normal along the axis of a rim: any of its points is as good
        io->flags |= TS_DERIVATIVE_SINGULAR;
    }
}

// Sets up what the columns share and the certificate's curvature and crossing.
static void factor(system_2d* s, double size, ts_derivative_certificate* io) {
    flat_side *a = &s->a, *b = &s->b;
    if (a->flat + b->flat > 2) {
        io->flags |= TS_DERIVATIVE_SINGULAR;
        if (a->flat >= b->flat)
            b->flat = 0;
        else
            a->flat = 0;
    }
    int held = a->flat + b->flat;
    if (held == 0 && !a->bent && !b->bent) {
        io->curvature = s->k.uu;
        s->inverse = 1.0 / (s->k.uu * s->k.uu);
    } else if (held == 0) {
        double mean = 0.5 * (s->k.uu + s->k.vv), half = 0.5 * (s->k.uu - s->k.vv);
        io->curvature = mean - sqrt(half * half + s->k.uv * s->k.uv);
        s->inverse = 1.0 / (s->k.uu * s->k.vv - s->k.uv * s->k.uv);
    } else if (held == 1) {
        flat2 along = a->flat ? a->along : b->along, free = flat2_make(-along.v, along.u);
        io->curvature = dot2(free, bend2(&s->k, free));
        s->inverse = 1.0 / io->curvature;
    } else if (a->flat == 1) {
        double crossing = cross2(a->along, b->along);
        io->crossing = fabs(crossing);
        s->inverse = 1.0 / crossing;
    }
    if (!(io->curvature > LEAST_CURVATURE * size) || !(io->crossing > LEAST_CROSSING))
        io->flags |= TS_DERIVATIVE_SINGULAR;
    if (!isfinite(s->inverse)) s->inverse = 0.0;
}

// How the normal turns, by the sides' flat directions, where neither holds it whole.
static void solve_turning(system_2d* s) {
    int flat_a = s->a.flat, flat_b = s->b.flat;
    s->push = s->carry = square2_make(0.0, 0.0, 0.0, 0.0);
    if (flat_a == 1 && flat_b == 1) {  // across A's edge, turned with B's
        s->carry = outer2(s->inverse, flat2_make(-s->a.along.v, s->a.along.u), s->b.along);
    } else if (flat_a + flat_b == 1) {
        flat2 along = flat_a ? s->a.along : s->b.along, free = flat2_make(-along.v, along.u);
        s->push = outer2(s->inverse, free, free);
        double back = s->inverse * dot2(free, bend2(&s->k, along));
        if (flat_b) s->carry = outer2(1.0, flat2_make(along.u - back * free.u, along.v - back * free.v), along);
    } else {
        s->push =
            square2_make(s->inverse * s->k.vv, -s->inverse * s->k.uv, -s->inverse * s->k.uv, s->inverse * s->k.uu);
    }
}

// How the point of A slides along its edge, for the rest r - k dn that bending leaves: T_A x_A - T_B x_B = rest.
static square2 solve_sliding(const system_2d* s) {
    if (s->b.flat == 1) return outer2(s->inverse, s->a.along, flat2_make(s->b.along.v, -s->b.along.u));
    return outer2(1.0, s->a.along, s->a.along);
}

// The twist's part in every column, on u and v: what it does to B's point, and to a normal that B carries, <u, w x n>.
typedef struct twist_rows {
    ts_row push[2], carry[2];
} twist_rows;

// Two rows of rates by m of the push.
static inline void push_rows(square2 m, const twist_rows* t, ts_row out[2]) {
    out[0] = ts_row_sum(m.uu, t->push[0], m.uv, t->push[1]);
    out[1] = ts_row_sum(m.vu, t->push[0], m.vv, t->push[1]);
}

// Adds what m makes of the turning.
static inline void carry_rows(square2 m, const twist_rows* t, ts_row io[2]) {
    io[0] = ts_row_add(io[0], ts_row_sum(m.uu, t->carry[0], m.uv, t->carry[1]));
    io[1] = ts_row_add(io[1], ts_row_sum(m.vu, t->carry[0], m.vv, t->carry[1]));
}

// Straight edges across each other: K is the distance. The normal turns across A's edge by one row, and A's point slides along it by another.
static inline void solve_crossed(const system_2d* s, const twist_rows* t, ts_row turn[2], ts_row slide[2]) {
    flat2 a = s->a.along, b = s->b.along;
    double bu = s->inverse * b.u, bv = s->inverse * b.v;
    ts_row across = ts_row_sum(bu, t->carry[0], bv, t->carry[1]);
    ts_row along = ts_row_sum(bv, t->push[0], -bu, t->push[1]);
    along = ts_row_add(along, ts_row_scale(s->k.uu * (bu * a.u + bv * a.v), across));
    turn[0] = ts_row_scale(-a.v, across);
    turn[1] = ts_row_scale(a.u, across);
    slide[0] = ts_row_scale(a.u, along);
    slide[1] = ts_row_scale(a.v, along);
}

// The rows where no face holds or carries the normal.
static inline void solve_rows(system_2d* s, const twist_rows* t, ts_row turn[2], ts_row slide[2]) {
    int crossed = s->a.flat && s->b.flat;  // nothing is pushed round
    if (crossed && !s->a.bent && !s->b.bent) {
        solve_crossed(s, t, turn, slide);
        return;
    }
    solve_turning(s);
    if (!crossed) push_rows(s->push, t, turn);
    square2 bend = form2(&s->b.bend), nc = s->carry;
    if (s->b.bent) nc = plus2(times2(s->push, bend), nc);
    int carried = s->b.bent || s->b.flat;
    if (carried) carry_rows(nc, t, turn);
    if (!s->a.bent && !s->a.flat) return;
    square2 bent = form2(&s->a.bend), xp, xc = square2_make(0.0, 0.0, 0.0, 0.0);
    if (s->a.flat) {
        square2 along = solve_sliding(s);
        bent = minus2(bent, times2(along, form2(&s->k)));
        xp = crossed ? along : plus2(times2(bent, s->push), along);
        if (s->b.bent) xc = times2(along, bend);
    } else {
        xp = times2(bent, s->push);
    }
    push_rows(xp, t, slide);
    if (carried) carry_rows(plus2(times2(bent, nc), xc), t, slide);
}

// The columns, all at once. With p = v + w x core_b and c = w x n on the tangents: r = p + H_B c, dn = push r + carry c, x_A = turn dn +
// slide r.
static void fill_rates(system_2d* s, const ts_witness_view* w, ts_witness_rates* out) {
    ts_row u = w->push_u, v = w->push_v;
    twist_rows t = {{u, v}, {ts_row_behind(v), ts_row_scale(-1.0, ts_row_behind(u))}};
    ts_row turn[2] = {ts_row_zero(), ts_row_zero()}, slide[2] = {ts_row_zero(), ts_row_zero()};
    ts_row_store(w->push, out->distance);
    out->turns = s->a.flat < 2;
    out->slides = s->a.flat || s->a.bent;
    if (s->a.flat == 2) {  // A's face holds the normal, and the point goes with B
        memcpy(slide, t.push, sizeof slide);
        if (s->b.bent) carry_rows(form2(&s->b.bend), &t, slide);
    } else if (s->b.flat == 2) {  // B's face carries the normal, and A's point glides under it
        memcpy(turn, t.carry, sizeof turn);
        if (s->a.bent) carry_rows(form2(&s->a.bend), &t, slide);
    } else {
        solve_rows(s, &t, turn, slide);
    }
    for (int k = 0; k < 2; ++k) {
        ts_row_store(turn[k], out->turn[k]);
        ts_row_store(slide[k], out->slide[k]);
    }
}

// How near a flat difference of cores comes to the other side of itself, where the normal turns round.
static double room_of_flat(const ts_witness_view* w, double distance) {
    const ts_shape_traits *a = ts_shape_traits_of(w->a), *b = ts_shape_traits_of(w->b);
    if (w->a->kind == TS_SHAPE_PLANE || w->b->kind == TS_SHAPE_PLANE) return (double)INFINITY;
    int rank_a = w->a->kind == TS_SHAPE_HULL ? w->a->hull->rank : a->rank;
    int rank_b = w->b->kind == TS_SHAPE_HULL ? w->b->hull->rank : b->rank;
    return rank_a + rank_b <= 2 ? fabs(distance) : (double)INFINITY;
}

// m: about how far a point is from the origin, for what only tells sizes; a root would take a twentieth of the whole.
static double size_at(ts_vec3 c) { return fabs(c.x) + fabs(c.y) + fabs(c.z); }

void ts_witness_rates_solve(const ts_witness_view* w, const ts_tangent_form* bend, ts_witness_rates* out) {
    system_2d s;
    double distance = w->gap, size = fabs(distance);
    out->certificate = ts_derivative_certificate_fine();
    if (w->a->kind != TS_SHAPE_PLANE) size += size_at(w->in_a.at.c) + w->a->radius;
    if (w->b->kind != TS_SHAPE_PLANE) size += size_at(w->in_b.at.c) + w->b->radius;
    if (bend) {
        s.a.flat = s.b.flat = 0;
        s.a.bent = s.b.bent = 1;
        s.a.bend = bend[0];
        s.b.bend = bend[1];
        out->certificate.flags = TS_DERIVATIVE_SMOOTHED;
    } else {
        read_side(w->a, &w->in_a, &s.a, &out->certificate);
        read_side(w->b, &w->in_b, &s.b, &out->certificate);
        out->certificate.room = lesser(out->certificate.room, room_of_flat(w, distance));
        // A ball's centre inside: as deep under the faces beside this one, where they stand at right angles to it.
        if (distance < 0.0 && s.a.flat + s.b.flat == 2 && (is_point(w->a) || is_point(w->b)))
            out->certificate.room = fmax(out->certificate.room + distance, 0.0);
    }
    // Smoothed, an overlap's K is kept positive: a direction to go.
    double curved = bend ? fmax(fabs(distance), LEAST_SMOOTHED * size) : distance;
    s.k.uu = s.a.bend.uu + s.b.bend.uu + curved;
    s.k.uv = s.a.bend.uv + s.b.bend.uv;
    s.k.vv = s.a.bend.vv + s.b.bend.vv + curved;
    s.inverse = 0.0;
    factor(&s, size, &out->certificate);
    ts_derivative_certificate_judge(size, &out->certificate);
    fill_rates(&s, w, out);
    out->gap = distance;
}

static ts_witness_side turned_side(const ts_mat3* R, const ts_witness_side* side, ts_vec3 origin) {
    ts_witness_side in;
    in.at.n = ts_mat3_mul_vec_transposed(R, side->at.n);
    in.at.c = ts_mat3_mul_vec_transposed(R, ts_vec3_sub(side->at.c, origin));
    in.u = ts_mat3_mul_vec_transposed(R, side->u);
    in.v = ts_mat3_mul_vec_transposed(R, side->v);
    return in;
}

ts_witness_side ts_witness_view_make(const ts_moving_pair* pair, const ts_core_witness* w, ts_vec3 u,
                                     const ts_mat3* axes, ts_witness_view* out) {
    ts_witness_side on_a = {{w->normal, w->core_a}, u, ts_vec3_cross(w->normal, u)}, on_b = on_a;
    on_b.at.n = ts_vec3_neg(w->normal);
    on_b.at.c = w->core_b;
    out->a = pair->a;
    out->b = pair->b;
    out->in_a = turned_side(&pair->a_at.R, &on_a, pair->a_at.p);
    out->in_b = turned_side(&pair->b_at.R, &on_b, pair->b_at.p);
    ts_witness_side twist = axes ? turned_side(axes, &on_b, ts_vec3_zero()) : on_b;
    out->push = ts_row_of_point(twist.at.c, ts_vec3_neg(twist.at.n));
    out->push_u = ts_row_of_point(twist.at.c, twist.u);
    out->push_v = ts_row_of_point(twist.at.c, twist.v);
    out->gap = ts_vec3_dot(w->normal, ts_vec3_sub(w->core_b, w->core_a));
    return on_a;
}

void ts_witness_rates_find(const ts_moving_pair* pair, const ts_core_witness* w, ts_vec3 u, ts_witness_rates* out) {
    ts_witness_view view;
    ts_witness_side on_a = ts_witness_view_make(pair, w, u, 0, &view);
    ts_witness_rates_solve(&view, 0, out);
    out->n = on_a.at.n;
    out->u = on_a.u;
    out->v = on_a.v;
}

ts_vec3 ts_bend_along(const ts_shape* shape, const ts_transform* at, ts_vec3 d, ts_vec3 c, ts_vec3 turning) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    ts_vec3 t = ts_transform_direction_inverse(at, turning), local = ts_transform_point_inverse(at, c);
    if (traits->turning) {
        double across = sqrt(d.x * d.x + d.y * d.y), radius = sqrt(local.x * local.x + local.y * local.y);
        if (!(across > 0.0)) return ts_vec3_zero();
        ts_vec3 round = ts_vec3_make(-d.y / across, d.x / across, 0.0);
        return ts_transform_direction(at, ts_vec3_scale(radius / across * ts_vec3_dot(round, t), round));
    }
    if (!traits->add_hessian) return ts_vec3_zero();
    ts_tangent_form h = {0.0, 0.0, 0.0};
    ts_vec3 u, v;
    ts_rates_tangents(d, &u, &v);
    traits->add_hessian(shape, d, u, v, &h);
    double tu = ts_vec3_dot(t, u), tv = ts_vec3_dot(t, v);
    ts_vec3 glide = ts_vec3_add(ts_vec3_scale(h.uu * tu + h.uv * tv, u), ts_vec3_scale(h.uv * tu + h.vv * tv, v));
    return ts_transform_direction(at, glide);
}
