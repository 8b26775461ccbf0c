// The certificate of a step. The step leaves its problem in place until the next one begins: what is judged is what was
// solved.
#include "engine/step/certify.h"

#include <math.h>
#include <string.h>

ts_code ts_certify_step(const ts_sim* sim, ts_certificate_extent extent, ts_arena* arena,
                        ts_contact_certificate* out_certificate) {
    static const ts_contact_certificate nothing;
    ts_solver_settings shared;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    *out_certificate = nothing;
    if (sim->step_count == 0) return TS_ERROR_VALUE;
    if (sim->problem.row_count == 0) {
        out_certificate->tolerance = shared.tolerance;
        out_certificate->time_step = sim->options.time_step;
        out_certificate->holds = TS_HOLDS_LCP | TS_HOLDS_CCP | TS_HOLDS_NCP;
        out_certificate->internal_force = (double)NAN;
        return TS_OK;
    }
    return ts_certificate_make(&sim->problem, sim->impulse, shared.tolerance, extent, arena, out_certificate);
}
