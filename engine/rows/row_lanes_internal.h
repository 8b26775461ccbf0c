// Rows of a block over the degrees of freedom of one tree, side by side: what moves a dof is four numbers, one for each of four rows, so
// that all rows of a contact go through the factor of the inertia at once.
//
// Entry (r, d) stands at [((r / 4) n + d) 4 + r % 4], n dofs; lanes without a row are zero, or hold those of other blocks: lone rows share.
#ifndef TS_ENGINE_ROW_LANES_INTERNAL_H
#define TS_ENGINE_ROW_LANES_INTERNAL_H

#include "base/spatial.h"
#include "contact/operator/delassus.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_ROW_LANES = 4, TS_ROW_LANES_MOST = 8 };

/// Numbers that `rows` rows over n dofs take.
static inline size_t ts_row_lanes_size(int rows, int n) {
    return (size_t)((rows + TS_ROW_LANES - 1) / TS_ROW_LANES * TS_ROW_LANES) * (size_t)n;
}

/// Where entry (r, d) stands, from the first.
static inline size_t ts_row_lanes_at(int n, int r, int d) {
    return ((size_t)(r / TS_ROW_LANES) * (size_t)n + (size_t)d) * TS_ROW_LANES + (size_t)(r % TS_ROW_LANES);
}

/// Adds to all dofs from `last` (a number of the model, or -1) to the root: row r gets wrench_r . axis of the dof. `wrench` has for each four rows six times four
/// numbers: couples' x of these rows, y, z, forces' x, y, z.
typedef struct ts_row_lanes_wrench {
    const ts_model* model;
    const ts_motion* axis;  // (nv)
    const double* wrench;   // (groups x 6 x 4)
    int groups;             // fours of rows; 0: a lone row; other lanes are not touched
    int first;              // the tree's first dof
    int count;              // and how many it has
} ts_row_lanes_wrench;

void ts_row_lanes_add(const ts_row_lanes_wrench* by, int last, double* J);

/// What is to become of rows that are complete.
typedef struct ts_row_lanes {
    const ts_model* model;
    double* J;
    int rows;
    int first;                           // the tree's first dof
    int count;                           // and how many it has
    const double* L;                     // the factor of its inertia (count x count)
    const double* inverse;               // one over its diagonal
    const ts_delassus_segment* segment;  // which columns are stored, those of leaves first; off them rows are zero
    int segments;
    const double* now;  // (count) two velocities of the tree
    const double* free;
} ts_row_lanes;

/// Adds the rows' speeds at both velocities, whitens the rows, L^-T j, and stores them segment by segment, row by row, from `out_rows` on
/// (NULL: leaves them).
void ts_row_lanes_close(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows);

/// Rows from those of the six components of a chain's axes: row r is the sum of wrench[6 r + k] times component k.
typedef struct ts_row_lanes_mix {
    const ts_delassus_segment* segment;
    int segments;
    const double* component;  // six rows, stored segment by segment
    const double* wrench;     // (rows x 6)
    int rows;
} ts_row_lanes_mix;

/// Stores them segment by segment, row by row, from `out_rows` on.
void ts_row_lanes_combine(const ts_row_lanes_mix* mix, double* out_rows);

/// Three rows of a contact over the six columns of a centred lone body (engine/dynamics/free_body_internal.h): velocities of the body's point there.
typedef struct ts_row_lanes_lone {
    const ts_transform* pose;  // of the body
    ts_vec3 point;             // m
    const ts_mat3* frame;      // columns: along what
    double sign;               // 1, or -1: of their opposites
    const double* L;           // the factor of its inertia (6 x 6)
    const double* inverse;     // one over its diagonal
    const double* now;         // (6) two velocities of the body
    const double* free;
} ts_row_lanes_lone;

/// ts_free_body_row of each, of one body or of two that share the contact; adds its speeds at both velocities (of four numbers that are read the last
/// stays), and stores it whitened, row by row, body by body: the bits of doing one after the other.
void ts_row_lanes_three(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free, double* out_rows);

/// The same four, whatever the machine, and with AVX2: the same bits.
void ts_row_lanes_three_narrow(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free,
                               double* out_rows);
void ts_row_lanes_three_wide(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free,
                             double* out_rows);
void ts_row_lanes_add_narrow(const ts_row_lanes_wrench* by, int last, double* J);
void ts_row_lanes_close_narrow(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows);
void ts_row_lanes_combine_narrow(const ts_row_lanes_mix* mix, double* out_rows);
void ts_row_lanes_combine_wide(const ts_row_lanes_mix* mix, double* out_rows);
void ts_row_lanes_add_wide(const ts_row_lanes_wrench* by, int last, double* J);
void ts_row_lanes_close_wide(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows);

#ifdef __cplusplus
}
#endif
#endif
