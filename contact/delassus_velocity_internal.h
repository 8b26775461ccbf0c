// The velocity form of the Delassus operator, open to the sweeps of contact/solvers/: a call through a table for every
// block costs as much as the arithmetic of a contact between free bodies. Everyone else uses contact/delassus.h; what is
// inline here is exactly what those functions do, so both ways give the same bits.
#ifndef TS_CONTACT_DELASSUS_VELOCITY_INTERNAL_H
#define TS_CONTACT_DELASSUS_VELOCITY_INTERNAL_H

#include "contact/delassus.h"

/// Which code reads and changes a block.
typedef enum ts_velocity_kernel {
    TS_VELOCITY_PAIR,  // 3 rows, two segments of 6 columns: contact between two free bodies
    TS_VELOCITY_ONE,   // 3 rows, one segment of 6 columns: free body on something fixed
    TS_VELOCITY_ANY    // everything else, also no segments at all
} ts_velocity_kernel;

/// Where a block's numbers are.
typedef struct ts_velocity_block {
    const double* J;  // first segment's J; for TS_VELOCITY_PAIR the second's follows
    const double* Y;  // likewise
    int column[2];    // first column of the first two segments
    int rows;
    int kernel;
} ts_velocity_block;

/// The operator.
typedef struct ts_velocity_form {
    ts_delassus base;
    int velocity_count;
    double* V;                 // (velocity_count) M^-1 J^T lambda
    double* V_apply;           // (velocity_count) the same for the x of `apply`
    ts_velocity_block* block;  // (block_count)
    const ts_delassus_segment* segment;
    const int* segment_start;  // (block_count + 1)
    double* diagonal;          // blocks G_bb one after another
    size_t* diagonal_start;    // (block_count)
} ts_velocity_form;

/// The velocity form behind an operator, or NULL when it is another kind.
ts_velocity_form* ts_velocity_form_of(ts_delassus* G);

// Six columns of one row times six velocities. Pairs first: contacts of one body follow each other, so a sweep waits
// for this sum, and a tree of additions is shorter than a chain.
static inline double ts_velocity_dot6(const double* J, const double* V) {
    return ((J[0] * V[0] + J[1] * V[1]) + (J[2] * V[2] + J[3] * V[3])) + (J[4] * V[4] + J[5] * V[5]);
}

// V += Y^T delta on six columns. Solvers know the normal part first, so it is added first.
static inline void ts_velocity_add6(const double* Y, const double* delta, double* V) {
    double d0 = delta[0], d1 = delta[1], d2 = delta[2];
    double v0 = (V[0] + Y[12] * d2) + (Y[0] * d0 + Y[6] * d1);
    double v1 = (V[1] + Y[13] * d2) + (Y[1] * d0 + Y[7] * d1);
    double v2 = (V[2] + Y[14] * d2) + (Y[2] * d0 + Y[8] * d1);
    double v3 = (V[3] + Y[15] * d2) + (Y[3] * d0 + Y[9] * d1);
    double v4 = (V[4] + Y[16] * d2) + (Y[4] * d0 + Y[10] * d1);
    double v5 = (V[5] + Y[17] * d2) + (Y[5] * d0 + Y[11] * d1);
    V[0] = v0;
    V[1] = v1;
    V[2] = v2;
    V[3] = v3;
    V[4] = v4;
    V[5] = v5;
}

/// The rows of a block with kernel PAIR or ONE times V.
static inline void ts_velocity_read_six(const ts_velocity_block* block, const double* V, double* out_velocity) {
    const double* J = block->J;
    const double* V0 = V + block->column[0];
    double u0 = ts_velocity_dot6(J, V0), u1 = ts_velocity_dot6(J + 6, V0), u2 = ts_velocity_dot6(J + 12, V0);
    if (block->kernel == TS_VELOCITY_PAIR) {
        const double* V1 = V + block->column[1];
        u0 += ts_velocity_dot6(J + 18, V1);
        u1 += ts_velocity_dot6(J + 24, V1);
        u2 += ts_velocity_dot6(J + 30, V1);
    }
    out_velocity[0] = u0;
    out_velocity[1] = u1;
    out_velocity[2] = u2;
}

/// V += Y^T delta of a block with kernel PAIR or ONE.
static inline void ts_velocity_change_six(const ts_velocity_block* block, const double* delta, double* V) {
    ts_velocity_add6(block->Y, delta, V + block->column[0]);
    if (block->kernel == TS_VELOCITY_PAIR) ts_velocity_add6(block->Y + 18, delta, V + block->column[1]);
}

#endif
