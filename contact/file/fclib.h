// Contact problems in files: the local form of the FCLIB format (HDF5), in which the field keeps its recorded problems.
//
// A file holds W, q and mu of u = W r + q with r in Coulomb's cone, three components per contact, the normal first. Inside
// it is a ts_contact_problem with G = W, g = q, the normal last. Files carry no time step: impulses and velocities are
// taken as they are, with a step of 1 s.
#ifndef TS_CONTACT_FCLIB_H
#define TS_CONTACT_FCLIB_H

#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A problem read from a file. Zero-initialised is empty; free with ts_fclib_free.
typedef struct ts_fclib_problem {
    ts_contact_problem problem;  // cones only, a block-sparse operator, R NULL, time step 1 s
    double asymmetry;            // |W - W^T| / |W|, Frobenius norms
    ts_arena arena;              // owns all of it
} ts_fclib_problem;

/// Reads a local problem of spatial contacts. W may be stored by columns (nz = -1), by rows (nz = -2) or entry by entry
/// (nz >= 0; entries at the same place are added), and is used as it stands: not quite symmetric is normal. Errors name
/// the file and the dataset: TS_ERROR_FILE when it cannot be opened, TS_ERROR_PARSE when it is not such a file (damaged,
/// missing or wrongly shaped datasets), TS_ERROR_VALUE for numbers that make no problem (not finite, negative friction,
/// indices out of range or stored twice, no contacts, |W - W^T| > 0.01 |W|, a clearly negative diagonal),
/// TS_ERROR_UNSUPPORTED for planar or mixed problems and in a build without HDF5, TS_ERROR_MEMORY. On an error
/// *out_problem is empty.
ts_code ts_fclib_read(const char* path, ts_fclib_problem* out_problem, ts_status* out_status);

/// Gives the memory back; the problem is empty again. An empty one is ignored.
void ts_fclib_free(ts_fclib_problem* problem);

/// Writes a problem of frictional contacts (3 rows each), W = G + R, by columns, in one piece: what was at `path` stays
/// until all is written. `title` goes into the file. TS_ERROR_UNSUPPORTED for other blocks (the message says which), for
/// an operator that cannot list its blocks and in a build without HDF5; TS_ERROR_VALUE for an empty problem, numbers that
/// are not finite, or more entries than the format counts; TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_fclib_write(const char* path, const char* title, const ts_contact_problem* problem, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
