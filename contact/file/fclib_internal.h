// A local problem as a file holds it: between the checks (fclib.c) and HDF5 (fclib_hdf5.c).
#ifndef TS_CONTACT_FCLIB_INTERNAL_H
#define TS_CONTACT_FCLIB_INTERNAL_H

#include "base/arena.h"
#include "base/status.h"

/// How W is stored.
enum { TS_FCLIB_COLUMNS = -1, TS_FCLIB_ROWS = -2 };

/// W, q and mu, components in the order of the file.
typedef struct ts_fclib_raw {
    int spacedim;
    int rows;      // of W, and its columns
    int contacts;  // rows / spacedim
    int form;      // TS_FCLIB_COLUMNS, TS_FCLIB_ROWS, or how many entries there are one by one
    int entries;   // in i and x
    int* p;        // compressed: (rows + 1) where a column or row begins; one by one: (form) row indices
    int* i;        // compressed: (entries) row or column indices; one by one: (form) column indices
    double* x;     // (entries)
    double* q;     // (rows)
    double* mu;    // (contacts)
} ts_fclib_raw;

/// Reads datasets whose shapes fit together, into memory of the arena; numbers are not looked at.
ts_code ts_fclib_load(const char* path, ts_arena* arena, ts_fclib_raw* out_raw, ts_status* out_status);

/// Writes them, by way of a temporary file.
ts_code ts_fclib_save(const char* path, const char* title, const ts_fclib_raw* raw, ts_status* out_status);

#endif
