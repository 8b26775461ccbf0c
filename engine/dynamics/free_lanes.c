// Free joints, four side by side.
//
// Problem: bodies of a pile are moved on and placed in every substep, and of each that is three roots and twelve quotients that wait for one another. Rule:
// the lanes are bodies, and every lane is the sum that base/quat.h and base/quat.c write for one: quaternions brought to one, q exp(h w) with the
// polynomials of sine and cosine, and the matrix of a quaternion. Where one of the four is none that these are for (a norm whose square is out of
// reach, more than a radian in a step, what is no number), all four go one by one.
// Source: base/quat.c. Guaranteed: the bits of one by one. Nothing is known to fail.
#include "engine/dynamics/free_lanes_internal.h"

#include "base/linear/four.h"
#include "engine/model/joint/joint_traits_internal.h"

enum { N = TS_FREE_LANES };

// Quaternions, and three numbers, of four bodies.
typedef struct four_quats {
    ts_four w, x, y, z;
} four_quats;

typedef struct four_vectors {
    ts_four x, y, z;
} four_vectors;

// The four numbers of each body from number `first` on.
static inline four_quats gather(const double* const from[N], int first) {
    four_quats q = {ts_four_load(from[0] + first), ts_four_load(from[1] + first), ts_four_load(from[2] + first),
                    ts_four_load(from[3] + first)};
    ts_four_transpose(&q.w, &q.x, &q.y, &q.z);
    return q;
}

static inline ts_four dot_of(ts_four a, ts_four b, ts_four c) {
    return ts_four_plus(ts_four_plus(ts_four_product(a, a), ts_four_product(b, b)), ts_four_product(c, c));
}

// ts_quat_normalize of each; *io_fits becomes 0 where that goes another way.
static inline four_quats normalized(four_quats q, int* io_fits) {
    ts_four n = ts_four_root(ts_four_plus(dot_of(q.w, q.x, q.y), ts_four_product(q.z, q.z)));
    *io_fits = *io_fits && ts_four_every(ts_four_minus(n, ts_four_all(1e-140))) &&
               ts_four_every(ts_four_minus(ts_four_all(1e140), n));
    return (four_quats){ts_four_quotient(q.w, n), ts_four_quotient(q.x, n), ts_four_quotient(q.y, n),
                        ts_four_quotient(q.z, n)};
}

// a + y b
static inline ts_four then(double a, ts_four y, ts_four b) {
    return ts_four_plus(ts_four_all(a), ts_four_product(y, b));
}

// ts_quat_from_rotation_vector of each, up to a radian.
static inline four_quats turn_of(four_vectors rotation, int* io_fits) {
    ts_four square = dot_of(rotation.x, rotation.y, rotation.z), y = ts_four_times(0.25, square);
    // Not more than one, that is: where it is one they go one by one, to the same end.
    *io_fits = *io_fits && ts_four_every(ts_four_minus(ts_four_all(1.0), square));
    const double s1 = -1.0 / 6.0, s2 = 1.0 / 120.0, s3 = -1.0 / 5040.0, s4 = 1.0 / 362880.0;
    const double s5 = -1.0 / 39916800.0, s6 = 1.0 / 6227020800.0, s7 = -1.0 / 1307674368000.0;
    const double w1 = -1.0 / 2.0, w2 = 1.0 / 24.0, w3 = -1.0 / 720.0, w4 = 1.0 / 40320.0;
    const double w5 = -1.0 / 3628800.0, w6 = 1.0 / 479001600.0, w7 = -1.0 / 87178291200.0;
    ts_four sine = then(s4, y, then(s5, y, then(s6, y, ts_four_all(s7))));
    sine = then(0.5, ts_four_times(0.5, y), then(s1, y, then(s2, y, then(s3, y, sine))));
    ts_four cosine = then(w4, y, then(w5, y, then(w6, y, ts_four_all(w7))));
    cosine = then(1.0, y, then(w1, y, then(w2, y, then(w3, y, cosine))));
    return (four_quats){cosine, ts_four_product(sine, rotation.x), ts_four_product(sine, rotation.y),
                        ts_four_product(sine, rotation.z)};
}

// ts_quat_mul of each.
static inline four_quats product_of(const four_quats* a, const four_quats* b) {
#define P(i, j) ts_four_product(a->i, b->j)
    return (four_quats){
        ts_four_minus(ts_four_minus(ts_four_minus(P(w, w), P(x, x)), P(y, y)), P(z, z)),
        ts_four_minus(ts_four_plus(ts_four_plus(P(w, x), P(x, w)), P(y, z)), P(z, y)),
        ts_four_plus(ts_four_plus(ts_four_minus(P(w, y), P(x, z)), P(y, w)), P(z, x)),
        ts_four_plus(ts_four_minus(ts_four_plus(P(w, z), P(x, y)), P(y, x)), P(z, w)),
    };
#undef P
}

static void integrate_one_by_one(const double* const q[N], const double* const v[N], double h, double* const out_q[N]) {
    for (int k = 0; k < N; ++k) ts_joint_integrate(TS_JOINT_FREE, q[k], v[k], h, out_q[k]);
}

static inline void integrate(const double* const q[N], const double* const v[N], double h, double* const out_q[N]) {
    int fits = 1;
    four_quats speed = gather(v, 2), from = normalized(gather(q, 3), &fits);
    four_vectors rotation = {ts_four_times(h, speed.x), ts_four_times(h, speed.y), ts_four_times(h, speed.z)};
    four_quats turn = turn_of(rotation, &fits);
    four_quats to = normalized(normalized(product_of(&from, &turn), &fits), &fits);
    if (!fits) {
        integrate_one_by_one(q, v, h, out_q);
        return;
    }
    ts_four_transpose(&to.w, &to.x, &to.y, &to.z);
    const ts_four turned[N] = {to.w, to.x, to.y, to.z};
    for (int k = 0; k < N; ++k) {
        // One number too far, which the quaternion takes.
        ts_four_store(ts_four_plus(ts_four_load(q[k]), ts_four_times(h, ts_four_load(v[k]))), out_q[k]);
        ts_four_store(turned[k], out_q[k] + 3);
    }
}

// 2 (a b + c d), 2 (a b - c d), and 1 - 2 (a a + b b).
static inline ts_four twice_sum(ts_four a, ts_four b, ts_four c, ts_four d) {
    return ts_four_times(2.0, ts_four_plus(ts_four_product(a, b), ts_four_product(c, d)));
}

static inline ts_four twice_difference(ts_four a, ts_four b, ts_four c, ts_four d) {
    return ts_four_times(2.0, ts_four_minus(ts_four_product(a, b), ts_four_product(c, d)));
}

static inline ts_four one_less(ts_four a, ts_four b) { return ts_four_minus(ts_four_all(1.0), twice_sum(a, a, b, b)); }

// Numbers first to first + 3 of each pose.
static inline void scatter(ts_four a, ts_four b, ts_four c, ts_four d, int first, ts_transform* const to[N]) {
    ts_four_transpose(&a, &b, &c, &d);
    const ts_four of[N] = {a, b, c, d};
    for (int k = 0; k < N; ++k) ts_four_store(of[k], (double*)to[k] + first);
}

static inline void place(const double* const q[N], ts_transform* const out_pose[N]) {
    _Static_assert(sizeof(ts_transform) == 12 * sizeof(double), "R, row by row, and p lie one behind the other");
    int fits = 1;
    four_quats at = gather(q, 0), t = normalized(gather(q, 3), &fits);
    if (!fits) {
        for (int k = 0; k < N; ++k) *out_pose[k] = ts_free_lanes_place_one(q[k]);
        return;
    }
    scatter(one_less(t.y, t.z), twice_difference(t.x, t.y, t.w, t.z), twice_sum(t.x, t.z, t.w, t.y),
            twice_sum(t.x, t.y, t.w, t.z), 0, out_pose);
    scatter(one_less(t.x, t.z), twice_difference(t.y, t.z, t.w, t.x), twice_difference(t.x, t.z, t.w, t.y),
            twice_sum(t.y, t.z, t.w, t.x), 4, out_pose);
    // Of what was gathered the first three are the position.
    scatter(one_less(t.x, t.y), at.w, at.x, at.y, 8, out_pose);
}

#if TS_WIDE

void ts_free_lanes_integrate_wide(const double* const q[N], const double* const v[N], double h,
                                  double* const out_q[N]) {
    integrate(q, v, h, out_q);
}

void ts_free_lanes_place_wide(const double* const q[N], ts_transform* const out_pose[N]) { place(q, out_pose); }

#else

void ts_free_lanes_integrate_narrow(const double* const q[N], const double* const v[N], double h,
                                    double* const out_q[N]) {
    integrate(q, v, h, out_q);
}

void ts_free_lanes_place_narrow(const double* const q[N], ts_transform* const out_pose[N]) { place(q, out_pose); }

void ts_free_lanes_integrate(const double* const q[N], const double* const v[N], double h, double* const out_q[N]) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_free_lanes_integrate_wide(q, v, h, out_q);
        return;
    }
#endif
    integrate(q, v, h, out_q);
}

void ts_free_lanes_place(const double* const q[N], ts_transform* const out_pose[N]) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_free_lanes_place_wide(q, out_pose);
        return;
    }
#endif
    place(q, out_pose);
}

ts_transform ts_free_lanes_place_one(const double* q) {
    ts_pose pose = {ts_vec3_load(q), ts_quat_normalize(ts_quat_load(q + 3))};
    return ts_transform_from_pose(pose);
}

#endif
