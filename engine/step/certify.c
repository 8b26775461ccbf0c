// The certificate of a step. The step leaves its problem in place until the next one begins: what is judged is what was
// solved.
#include "engine/step/certify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/judge_internal.h"

ts_code ts_certify_step(const ts_sim* sim, ts_certificate_extent extent, ts_arena* arena,
                        ts_contact_certificate* out_certificate) {
    static const ts_contact_certificate nothing;
    *out_certificate = nothing;
    if (sim->step_count == 0) return TS_ERROR_VALUE;
    if (sim->problem.row_count == 0) {
        out_certificate->tolerance = ts_certificate_tolerance;
        out_certificate->time_step = sim->options.time_step;
        out_certificate->holds = TS_HOLDS_LCP | TS_HOLDS_CCP | TS_HOLDS_NCP;
        out_certificate->internal_force = (double)NAN;
        return TS_OK;
    }
    ts_contact_problem rigid;
    if (!ts_step_rigid_problem(sim, arena, &rigid)) return TS_ERROR_MEMORY;
    return ts_certificate_make(&rigid, &ts_sim_storage_of(sim)->islands, sim->impulse, ts_certificate_tolerance, extent,
                               arena, out_certificate);
}

const ts_contact_mode* ts_certify_contacts(const ts_sim* sim, ts_arena* arena) {
    ts_contact_certificate certificate;
    ts_contact_mode* mode = sim->contact_count > 0 ? TS_ARENA_ARRAY(arena, ts_contact_mode, sim->contact_count) : NULL;
    if (!mode) return NULL;
    for (int i = 0; i < sim->contact_count; ++i) mode[i] = TS_MODE_OPEN;
    if (sim->step_count == 0) return mode;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    ts_code code = ts_certify_step(sim, TS_CERTIFICATE_FAST, arena, &certificate);
    for (int i = 0; !code && i < sim->contact_count; ++i) mode[i] = certificate.verdict[sim->contact[i].block].mode;
    ts_arena_scope_end(arena, scope);
    return code ? NULL : mode;
}

void ts_certify_describe(const ts_sim* sim, int b, char* out_text, unsigned long size) {
    const ts_row_block* block = &sim->row_block[b];
    const ts_row_source* source = ts_row_source_at(block->source);
    char what[256] = "";
    if (source->describe)
        source->describe(sim->model, block->key, what, sizeof what);
    else if (source->fault)
        ts_row_label("equality", (int)block->key.whole, ts_row_equality_of(sim, b)->name, what, sizeof what);
    snprintf(out_text, size, "%s%s%s", source->name, what[0] ? ": " : "", what);
}
