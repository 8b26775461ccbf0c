// The certificate of a step. The step leaves its problem in place until the next one begins: what is judged is what was
// solved.
#include "engine/step/certify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/judge_internal.h"
#include "engine/step/sleep_internal.h"

ts_code ts_certify_step(const ts_sim* sim, ts_certificate_extent extent, ts_arena* arena,
                        ts_contact_certificate* out_certificate) {
    static const ts_contact_certificate nothing;
    *out_certificate = nothing;
    if (sim->step_count == 0) return TS_ERROR_VALUE;
    if (!ts_sim_problem(sim)) return TS_ERROR_MEMORY;
    if (sim->problem.row_count == 0) {
        out_certificate->tolerance = ts_certificate_tolerance;
        out_certificate->time_step = sim->options.time_step;
        out_certificate->holds = TS_HOLDS_LCP | TS_HOLDS_CCP | TS_HOLDS_NCP;
        out_certificate->internal_force = (double)NAN;
        return TS_OK;
    }
    if (ts_sim_storage_of(sim)->islands.count == 0) return TS_ERROR_VALUE;
    ts_contact_problem rigid;
    if (!ts_step_rigid_problem(sim, arena, &rigid)) return TS_ERROR_MEMORY;
    return ts_certificate_make(&rigid, &ts_sim_storage_of(sim)->islands, sim->impulse, ts_certificate_tolerance, extent,
                               arena, out_certificate);
}

static void judge_island(const ts_contact_problem* own, const ts_sim* sim, const double* u, const int* block, int count,
                         ts_own_verdict* verdict) {
    ts_contact_law law = sim->solver->law;
    ts_residual_scale scale = ts_residual_scale_of(own, block, count, sim->impulse);
    for (int n = 0; n < count; ++n) {
        int b = block ? block[n] : n;
        verdict[b].unmet = ts_yardstick_unmet_of_block(own, law, b, &scale, sim->impulse, u);
        verdict[b].residual = ts_residual_of_law_block(own, law, b, sim->impulse, u);
    }
}

ts_own_verdict* ts_certify_own(const ts_sim* sim, ts_arena* arena) {
    if (!ts_sim_problem(sim)) return NULL;
    ts_contact_problem own = sim->problem;
    const ts_islands* islands = &ts_sim_storage_of(sim)->islands;
    ts_own_verdict* verdict = TS_ARENA_ARRAY(arena, ts_own_verdict, own.block_count);
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    double* u = TS_ARENA_ARRAY(arena, double, own.row_count);
    double* R = sim->solver->compliance ? TS_ARENA_ARRAY(arena, double, own.row_count) : NULL;
    int room = verdict && u && (R || !sim->solver->compliance);
    if (room && R) sim->solver->compliance(&sim->problem, sim->solver_settings, R);
    if (room && R) own.R = R;
    if (room) ts_contact_problem_velocity(&own, sim->impulse, u);
    int apart = islands->block != NULL;
    for (int i = 0; room && i < (apart ? islands->count : 1); ++i) {
        const int* block = apart ? islands->block + islands->start[i] : NULL;
        int count = apart ? islands->start[i + 1] - islands->start[i] : own.block_count;
        judge_island(&own, sim, u, block, count, verdict);
    }
    ts_arena_scope_end(arena, scope);
    return room ? verdict : NULL;
}

const ts_contact_verdict* ts_certify_contact(const ts_sim* sim, const ts_contact_certificate* certificate, int i) {
    const ts_contact contact = ts_sim_contact(sim, i);
    if (contact.asleep) return ts_sleep_verdict(sim, i);
    return contact.block >= 0 ? &certificate->verdict[contact.block] : NULL;
}

const ts_contact_mode* ts_certify_contacts(const ts_sim* sim, ts_arena* arena) {
    ts_contact_certificate certificate;
    ts_contact_mode* mode = sim->contact_count > 0 ? TS_ARENA_ARRAY(arena, ts_contact_mode, sim->contact_count) : NULL;
    if (!mode) return NULL;
    for (int i = 0; i < sim->contact_count; ++i) mode[i] = sim->contact_mode ? sim->contact_mode[i] : TS_MODE_OPEN;
    if (sim->contact_mode) return mode;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    ts_code code = ts_certify_step(sim, TS_CERTIFICATE_FAST, arena, &certificate);
    for (int i = 0; !code && i < sim->contact_count; ++i) {
        const ts_contact_verdict* verdict = ts_certify_contact(sim, &certificate, i);
        if (verdict) mode[i] = verdict->mode;
    }
    ts_arena_scope_end(arena, scope);
    return code == TS_ERROR_MEMORY ? NULL : mode;
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

void ts_certify_suspect(const ts_sim* sim, char* out_text, unsigned long size) {
    int suspect = -1;
    double most = -1.0;
    (void)ts_sim_problem(sim);
    for (int b = 0; sim->impulse && b < sim->problem.block_count && !isnan(most); ++b) {
        const ts_block* block = &sim->problem.block[b];
        double largest = ts_largest(sim->impulse + block->row, block->rows);
        if (largest <= most) continue;
        most = largest;
        suspect = b;
    }
    if (size > 0) out_text[0] = '\0';
    if (suspect >= 0) ts_certify_describe(sim, suspect, out_text, size);
}
