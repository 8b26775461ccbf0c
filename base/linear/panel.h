// Dense panels of a sparse factor: the one product where its time goes, in a scalar form and with vectors.
#ifndef TS_BASE_PANEL_H
#define TS_BASE_PANEL_H

#ifdef __cplusplus
extern "C" {
#endif

/// Columns of C and B are computed in fours: leading dimensions and n are multiples of this.
enum { TS_PANEL_LANES = 4 };

/// The next multiple of that.
static inline int ts_panel_padded(int columns) {
    return (columns + TS_PANEL_LANES - 1) / TS_PANEL_LANES * TS_PANEL_LANES;
}

/// A matrix that is part of a larger one, row-major.
typedef struct ts_panel {
    const double* at;  // its first entry
    int ld;            // from row to row
} ts_panel;

/// C -= A B: A m x k, B k x n, C m x n with rows `ldc` apart, n a multiple of TS_PANEL_LANES. Every sum runs over k upwards
/// from zero and is then subtracted, in all versions alike, so all give the same bits.
void ts_panel_subtract(int m, int n, int k, ts_panel A, ts_panel B, double* C, int ldc);

/// The same, for comparison.
void ts_panel_subtract_scalar(int m, int n, int k, ts_panel A, ts_panel B, double* C, int ldc);

#ifdef __cplusplus
}
#endif
#endif
