// Files of elevations: pictures (PNG), and MuJoCo's binary format.
#ifndef TS_ENGINE_ELEVATION_FILE_INTERNAL_H
#define TS_ENGINE_ELEVATION_FILE_INTERNAL_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most samples of a field in a file: 4096 by 4096.
enum { TS_ELEVATION_SAMPLE_LIMIT = 1 << 24 };

/// A grid of numbers, the first row at least y.
typedef struct ts_elevation {
    int rows;
    int columns;
    double* value;  // (rows * columns), owned
} ts_elevation;

/// Room for a grid of zeros. TS_ERROR_VALUE for one too small or too large, with the reason.
ts_code ts_elevation_make(int rows, int columns, ts_elevation* out_elevation, ts_status* out_status);

/// Reads a file. A PNG's grey, or the red of a coloured one, counts from 0 to 255, its last row at least y. Else the file is two
/// numbers, rows and columns (32 bit, little-endian), and so many floats.
ts_code ts_elevation_load(const char* path, int is_png, ts_elevation* out_elevation, ts_status* out_status);

/// Releases the numbers.
void ts_elevation_free(ts_elevation* elevation);

#ifdef __cplusplus
}
#endif
#endif
