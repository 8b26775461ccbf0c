// The inner loops of base/linear/dense.c in plain C: what the vector versions must reproduce bit for bit.
#include "base/linear/dense_internal.h"

void ts_dense_dots_scalar(const double* const row[4], const double* x, int n, double out_dot[4]) {
    for (int r = 0; r < 4; ++r) {
        double even = 0.0, odd = 0.0;
        for (int k = 0; k < n; k += 2) {
            even += row[r][k] * x[k];
            odd += row[r][k + 1] * x[k + 1];
        }
        out_dot[r] = even + odd;
    }
}

void ts_dense_tile_scalar(const double* const row[4], const double* c0, const double* c1, int n, double out_dot[4][2]) {
    double first[4], second[4];
    ts_dense_dots_scalar(row, c0, n, first);
    ts_dense_dots_scalar(row, c1, n, second);
    for (int r = 0; r < 4; ++r) {
        out_dot[r][0] = first[r];
        out_dot[r][1] = second[r];
    }
}

void ts_dense_subtract_scalar(const double* const row[4], const double x[4], int n, double* y) {
    for (int k = 0; k < n; ++k) y[k] -= (row[0][k] * x[0] + row[1][k] * x[1]) + (row[2][k] * x[2] + row[3][k] * x[3]);
}
