// Any step's contact problem as a file, for other solvers and for later.
#ifndef TS_ENGINE_PROBLEM_DUMP_H
#define TS_ENGINE_PROBLEM_DUMP_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the problem of the last step (sim->problem) in the local form of FCLIB (contact/file/fclib.h), with R in W. `scene`
/// goes into the title. Impulses N s, velocities m/s: the file does not know the time step. TS_ERROR_VALUE when the step
/// had no contacts, TS_ERROR_UNSUPPORTED when it had rows that are no frictional contact or in a build without HDF5,
/// TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_problem_dump(const ts_sim* sim, const char* scene, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
