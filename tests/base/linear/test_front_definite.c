// Fronts of definite matrices: against long double, and wide vectors against narrow ones bit for bit.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/linear/front_internal.h"
#include "base/linear/panel.h"
#include "base/rng.h"

enum { MOST = 40, ALL = 2 * MOST };

typedef struct panels {
    double tall[MOST * MOST], wide[MOST * MOST], rest[MOST * MOST];
} panels;

static long double A[ALL][ALL];

// A = 1 + B B^T for a random B, and what elimination of its first `own` rows leaves.
static void make(ts_rng* rng, int own, int beside, panels* out) {
    static double B[ALL][ALL];
    int n = own + beside, tall_ld = ts_panel_padded(own), wide_ld = ts_panel_padded(beside);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) B[i][j] = ts_rng_normal(rng);
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) {
            double sum = i == j;
            for (int k = 0; k < n; ++k) sum += B[i][k] * B[j][k];
            A[i][j] = A[j][i] = (long double)sum;
            if (j < own) out->tall[i * tall_ld + j] = sum;
            if (i < own && j >= own) out->wide[i * wide_ld + j - own] = sum;
            if (i >= own) out->rest[(i - own) * wide_ld + j - own] = sum;
        }
    for (int k = 0; k < own; ++k)
        for (int i = k + 1; i < n; ++i)
            for (int j = k + 1; j < n; ++j) A[i][j] -= A[i][k] * A[k][j] / A[k][k];
}

static ts_front front_of(int own, int beside, panels* p) {
    return (ts_front){own, beside, p->tall, ts_panel_padded(own), p->wide, ts_panel_padded(beside), NULL};
}

Test(front_definite, leaves_what_long_double_leaves_and_the_same_bits_without_wide_vectors) {
    ts_rng rng = ts_rng_make(5, 0);
    static panels wide, narrow;
    for (int own = 1; own <= MOST - 4; ++own)
        for (int beside = 0; beside <= MOST - 4; beside += own % 3 + 1) {
            make(&rng, own, beside, &wide);
            narrow = wide;
            ts_front front = front_of(own, beside, &wide), other = front_of(own, beside, &narrow);
            cr_assert(ts_front_eliminate_definite(&front, wide.rest));
            cr_assert(ts_front_eliminate_definite_narrow(&other, narrow.rest));
            cr_assert_eq(memcmp(&wide, &narrow, sizeof wide), 0, "%d, %d", own, beside);
            for (int i = 0; i < own + beside; ++i)
                for (int j = i; j < own + beside; ++j) {
                    // Row k of U is what elimination leaves of row k over the root of its pivot.
                    long double root = i < own ? sqrtl(A[i][i]) : 1.0L,
                                want = i < own && j == i ? 1.0L / root : A[i][j] / root;
                    double is = i >= own  ? wide.rest[(i - own) * front.wide_ld + j - own]
                                : j < own ? wide.tall[i * front.tall_ld + j]
                                          : wide.wide[i * front.wide_ld + j - own];
                    cr_assert_float_eq(is, (double)want, 1e-11 * (own + beside), "%d, %d: (%d, %d)", own, beside, i, j);
                }
        }
}

Test(front_definite, refuses_what_is_not) {
    ts_rng rng = ts_rng_make(6, 0);
    static panels p;
    for (int own = 1; own < 12; ++own)
        for (int bad = 0; bad < own; ++bad)
            for (int k = 0; k < 3; ++k) {
                make(&rng, own, 7, &p);
                ts_front front = front_of(own, 7, &p);
                p.tall[bad * (front.tall_ld + 1)] = k == 0 ? -1.0 : k == 1 ? (double)NAN : (double)INFINITY;
                cr_expect(!ts_front_eliminate_definite(&front, p.rest), "%d of %d", bad, own);
            }
}
