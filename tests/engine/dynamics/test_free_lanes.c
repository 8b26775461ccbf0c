// Free joints side by side against one by one: the same bits, on any machine, whatever stands in the other lanes.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "engine/dynamics/free_lanes_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

enum { N = TS_FREE_LANES, NQ = 7, NV = 6, GUARD = 1 };

// What is strange about a lane.
enum { PLAIN, SMALL, LARGE, NOTHING, NO_NUMBER, FAST, ONE_RADIAN, STILL, KINDS };

static void fill(ts_rng* rng, int kind, double* q, double* v) {
    static const double scale[KINDS] = {[PLAIN] = 1.0,     [SMALL] = 1e-200, [LARGE] = 1e200,    [NOTHING] = 0.0,
                                        [NO_NUMBER] = NAN, [FAST] = 1.0,     [ONE_RADIAN] = 1.0, [STILL] = 1.0};
    for (int i = 0; i < NQ; ++i) q[i] = ts_rng_normal(rng) * (i < 3 ? 1.0 : scale[kind]);
    for (int i = 0; i < NV; ++i) v[i] = ts_rng_normal(rng) * (kind == FAST ? 1e3 : 10.0);
    if (kind == ONE_RADIAN) v[3] = 64.0, v[4] = v[5] = 0.0;
    if (kind == STILL) memset(v, 0, NV * sizeof *v);
}

static void one_by_one(const double* q, const double* v, double h, double* out_q, ts_transform* out_pose) {
    ts_pose pose = {ts_vec3_load(q), ts_quat_normalize(ts_quat_load(q + 3))};
    ts_joint_integrate(TS_JOINT_FREE, q, v, h, out_q);
    *out_pose = ts_transform_from_pose(pose);
}

// NaN is NaN, whatever its sign; else bits are bits.
static int same(const double* a, const double* b, int count) {
    for (int i = 0; i < count; ++i)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return 0;
    return 1;
}

static void check(const double q[N][NQ], const double v[N][NV], double h) {
    typedef void integrate(const double* const q[N], const double* const v[N], double h, double* const out_q[N]);
    typedef void place(const double* const q[N], ts_transform* const out_pose[N]);
    integrate* const integrates[2] = {ts_free_lanes_integrate, ts_free_lanes_integrate_narrow};
    place* const places[2] = {ts_free_lanes_place, ts_free_lanes_place_narrow};
    const double *from[N] = {q[0], q[1], q[2], q[3]}, *speed[N] = {v[0], v[1], v[2], v[3]};
    for (int way = 0; way < 2; ++way) {
        double to[N][NQ + GUARD];
        ts_transform pose[N + GUARD];
        for (int k = 0; k < N; ++k) to[k][NQ] = 17.0;
        pose[N].R.m[0][0] = 17.0;
        integrates[way](from, speed, h, (double* const[N]){to[0], to[1], to[2], to[3]});
        places[way](from, (ts_transform* const[N]){&pose[0], &pose[1], &pose[2], &pose[3]});
        for (int k = 0; k < N; ++k) {
            double wanted[NQ];
            ts_transform placed;
            one_by_one(q[k], v[k], h, wanted, &placed);
            cr_assert(same(to[k], wanted, NQ), "way %d, lane %d", way, k);
            cr_assert(same((double*)&pose[k], (double*)&placed, 12), "way %d, lane %d", way, k);
            cr_assert_eq(to[k][NQ], 17.0, "written beyond the last");
        }
        cr_assert_eq(pose[N].R.m[0][0], 17.0, "written beyond the last");
    }
}

Test(free_lanes, are_one_by_one_to_the_bit) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int n = 0; n < 4000; ++n) {
        double q[N][NQ], v[N][NV];
        // Mostly all four are plain; else one of them is not.
        int odd = n % KINDS, where = n / KINDS % N;
        for (int k = 0; k < N; ++k) fill(&rng, k == where ? odd : PLAIN, q[k], v[k]);
        check((const double(*)[NQ])q, (const double(*)[NV])v, 1.0 / 64.0);
    }
}
