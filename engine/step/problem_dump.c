// The last step's problem as a file. The step leaves its problem in place until the next one begins, so nothing is
// assembled again: what is written is what was solved.
#include "engine/step/certify.h"

#include <stdio.h>

#include "contact/file/fclib.h"

ts_code ts_problem_dump(const ts_sim* sim, const char* scene, const char* path, ts_status* out_status) {
    char title[256];
    if (!ts_sim_problem(sim)) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "no memory for the problem");
    if (sim->step_count == 0 || sim->problem.block_count == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "step %lld has no contacts to write",
                             sim->step_count);
    snprintf(title, sizeof title, "%.128s, step %lld, t = %.9g s, h = %.9g s", scene, sim->step_count, sim->time,
             sim->problem.time_step);
    return ts_fclib_write(path, title, &sim->problem, out_status);
}
