// A contact problem: plain data that every solver consumes. Find impulses lambda with
//
//     u = (G + R) lambda + g,      lambda in K,   and the law that ties u to lambda (docs/contact.md)
//
// where u is the contact velocity measured against the reference velocity c*: u = c - c* + R lambda, so that
// g = J v_free - c*. Impulses in N s, velocities in m/s (joint rows: N m s and rad/s).
#ifndef TS_CONTACT_PROBLEM_H
#define TS_CONTACT_PROBLEM_H

#include "base/task.h"
#include "contact/operator/delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The set a block's impulse lives in.
typedef enum ts_block_set {
    TS_SET_CONE,       // 3, 4 or 6 rows (t1, t2, n, spin, roll 1, roll 2): round cone with friction mu, see below
    TS_SET_HALF_LINE,  // 1 row: lambda >= 0 (frictionless contact, joint limit)
    TS_SET_BOX,        // 1 row: low <= lambda <= high (dry joint friction, limited motors)
    TS_SET_FREE        // any rows: bilateral constraint
} ts_block_set;

// Torsional and rolling friction. A contact that also resists spinning about its normal (4 rows) and rolling about its
// tangents (6 rows) has the set { lambda_n >= 0, |all rows but row 2| <= mu lambda_n }: one round cone, in which
// sliding, spinning and rolling share one budget. Their coefficients differ, and have other units: sliding mu (1),
// spinning mu_s (m), rolling mu_r (m). Whoever builds the problem therefore scales the extra rows of the Jacobian, and
// with them of g:
//
//     row 3:      mu_s / mu times n . (omega_B - omega_A)           m/s
//     row 4, 5:   mu_r / mu times t1, t2 . (omega_B - omega_A)      m/s
//
// so that G keeps its unit, kg^-1, and lambda its, N s: the angular impulses are mu_s / mu lambda_3 and mu_r / mu
// lambda_4,5, and |mu_s / mu lambda_3| <= mu_s lambda_n as it should be. A block without any of them has 3 rows; mu = 0
// with mu_s > 0 cannot be said in this way. Compliance R of these rows is of the scaled ones.
// Law by law: the exact one and the convex relaxation take |u_T| and |lambda_T| over all rows but row 2; the pyramid
// bounds every such row by mu lambda_n on its own.

/// One block of rows.
typedef struct ts_block {
    ts_block_set set;
    int row;      // first row
    int rows;     // number of rows
    double mu;    // friction, TS_SET_CONE
    double low;   // N s, TS_SET_BOX
    double high;  // N s, TS_SET_BOX
} ts_block;

/// A contact problem. Everything is borrowed and stays unchanged, except the operator's current impulse.
typedef struct ts_contact_problem {
    int block_count;
    int row_count;
    const ts_block* block;  // (block_count)
    ts_delassus* delassus;  // G, kg^-1 (row_count x row_count)
    const double* g;        // m/s (row_count)
    const double* R;        // kg^-1 (row_count), diagonal compliance >= 0; NULL means rigid
    double time_step;       // s: turns impulses into forces where a tolerance is in force units
    ts_task_pool* tasks;    // threads a solver may use inside this problem, NULL: the caller alone; never changes a bit
} ts_contact_problem;

/// Checks sizes, sets (a cone has 3, 4 or 6 rows), finite numbers, mu >= 0, R >= 0, low <= high: TS_ERROR_VALUE with
/// the block and the reason.
ts_code ts_contact_problem_validate(const ts_contact_problem* problem, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
