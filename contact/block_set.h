// The sets that impulses live in. What depends on the kind of a set is here, in block_set.c and in block_set_internal.h.
#ifndef TS_CONTACT_BLOCK_SET_H
#define TS_CONTACT_BLOCK_SET_H

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

/// Most rows one block can have.
enum { TS_BLOCK_ROWS_MAX = 6 };

/// One block of rows: its place in the problem, and its set.
typedef struct ts_block {
    ts_block_set set;
    int row;      // first row
    int rows;     // number of rows
    double mu;    // friction, TS_SET_CONE
    double low;   // N s, TS_SET_BOX
    double high;  // N s, TS_SET_BOX
} ts_block;

/// The name of a kind of set: "cone", "half-line", "box", "free". Never NULL.
const char* ts_block_set_name(ts_block_set set);

/// What is wrong with a block's set or its number of rows, in a few words; NULL when nothing is.
const char* ts_block_set_fault(const ts_block* block);

/// The nearest point to x (rows) of a block's set; out_x may be x.
void ts_block_set_project(const ts_block* block, const double* x, double* out_x);

#ifdef __cplusplus
}
#endif
#endif
