// The derivative of a step by its equations: what is kept of the step, and who fills it.
//
// With M_hat = L^T L, rows J' = J L^-1 and z = L dv+, a change dx of the inputs gives
//     z = L^-T (B dx) + L V dx               at frozen impulses: by impulses B dx over the dofs, or by velocities V dx directly
//     du = J' z + D dx                       of the rows, at frozen impulses; of columns in V, U dx alone
//     z += J'^T d lambda,                    d lambda from du and dmu by the law (contact/derivative/)
//     dq+ = T dx + K L^-1 z                  K: how a position answers to the velocity that moves it
// and backwards every line is transposed, in the opposite order.
#ifndef TS_ENGINE_STEP_IMPLICIT_INTERNAL_H
#define TS_ENGINE_STEP_IMPLICIT_INTERNAL_H

#include "contact/derivative/derivative.h"
#include "engine/derivative/step_derivative_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rows of a block over a run of columns, whitened: J' (rows x count).
typedef struct ts_step_segment {
    int row;
    int rows;
    int column;
    int count;
    const double* J;
} ts_step_segment;

/// One column of what is known by differences at frozen impulses, and where its parts begin.
typedef struct ts_step_frozen {
    int velocity;    // (nv) dv+
    int position;    // (nv) dq+, all of it but for d lambda
    int activation;  // (act_count)
    int row;         // (row_count) du
    int friction;    // (block_count) dmu
    int size;        // of a column
} ts_step_frozen;

/// The derivative.
typedef struct ts_step_implicit {
    ts_step_derivative_parts shared;
    const ts_model* model;
    double time_step;
    int row_count;
    int block_count;
    int segment_count;
    const ts_step_segment* segment;
    const int* mass_start;  // (tree_count + 1)
    const double* L;        // factors of all trees
    const double* inverse;  // (nv) one over their diagonals
    const int* coasts;      // (tree_count) nonzero: the tree moves in the integrator's own way
    const double*
        turn_by_velocity;  // (joint_count x 9) of joints with a quaternion that do not coast: d(turn+) / d(omega+)
    int has_contact;       // nonzero: there are rows
    ts_contact_derivative contact;
    ts_step_frozen frozen;
    const int* frozen_column;  // (columns) its place in `numbers`, or -1
    const double* numbers;     // columns by frozen.size
} ts_step_implicit;

/// The columns that are to be found at frozen impulses.
typedef struct ts_step_column {
    ts_step_input_kind kind;
    int index;
} ts_step_column;

/// Central differences at the impulses of the step, for `count` columns, into out_numbers (count x p->frozen.size). Leaves the simulation
/// without a step. Adds to the report what changed.
ts_code ts_step_frozen_find(const ts_step_task* task, const ts_step_implicit* p, const ts_step_column* column,
                            int count, double* out_numbers, ts_step_report* report, ts_status* out_status);

/// Forward, backward and matrix.
extern const ts_step_operator ts_step_implicit_operator;

#ifdef __cplusplus
}
#endif
#endif
