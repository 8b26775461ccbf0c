// What is remembered of the contacts of a step.
//
// Rule: ts_contact_remember of each, in the order of blocks; those of a pair of geoms follow each other, and its poses are read once for them.
// Guaranteed: the same bits with and without AVX2, as every lane is a sum of its own.
#include "engine/rows/contact_internal.h"

#include <string.h>

#include "engine/sim_internal.h"

// The mean of normal impulses, which a step changes once, behind its last substep.
static void remember_mean(const ts_sim* sim, const ts_row_block* owner, const ts_contact* contact,
                          ts_row_memory* out_memory) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double mean = 0.0, steps = 0.0;
    if (owner->memory >= 0) {
        const ts_row_memory* old = &sim->row_memory.data[owner->memory];
        mean = ts_pile_mean_of(old);
        if (storage->substep == 0) {
            // As it was started from.
            double share = ts_contact_start_share(sim, old, ts_mat3_column(&contact->frame, 2));
            double last = share * ts_mat3_mul_vec_transposed(&contact->frame, ts_vec3_load(old->impulse)).z;
            mean *= share;
            (void)ts_pile_start_at(last, 0.0, &mean);
        }
        steps = mean > 0.0 ? old->steps : 0.0;
    }
    if (storage->substep + 1 < storage->substep_count)
        ts_pile_note(mean, steps, out_memory);
    else
        ts_pile_note_next(mean, steps, contact->impulse.z, out_memory);
}

static inline void remember(const ts_sim* sim, int b, int end, ts_row_memory* out_memory, ts_row_more* out_more) {
    const ts_row_block* owner = sim->row_block;
    ts_contact_geom on_a, on_b;
    for (int k = b; k < end; ++k) {
        const ts_contact* contact = &sim->contact[owner[k].item];
        if (k == b || owner[k].key.whole != owner[k - 1].key.whole) {
            on_a = ts_contact_geom_of(ts_kinematics_geom(&sim->kinematics, contact->geom_a));
            on_b = ts_contact_geom_of(ts_kinematics_geom(&sim->kinematics, contact->geom_b));
        }
        ts_contact_axes axes = ts_contact_axes_of(&contact->frame);
        ts_row_memory* memory = &out_memory[owner[k].item];
        ts_contact_remember(&axes, &on_a, &on_b, ts_four_load(&contact->position.x), contact->impulse, memory);
        ts_contact_remember_axes(&axes, &out_more[memory->more]);
        if (memory->more_count > 1) {
            ts_vec3 turning = ts_sim_contact_rare(sim, (int)(contact - sim->contact))->angular_impulse;
            double* number = out_more[memory->more + 1].number;
            memset(number, 0, sizeof out_more->number);
            ts_four_store_three(ts_contact_along(&axes, turning), number);
        }
        if (ts_sim_storage_of(sim)->has_means) remember_mean(sim, &owner[k], contact, memory);
    }
}

#if TS_WIDE

void ts_contact_remember_blocks_wide(const ts_sim* sim, int b, int end, ts_row_memory* out_memory,
                                     ts_row_more* out_more) {
    remember(sim, b, end, out_memory, out_more);
}

#else

void ts_contact_remember_blocks_narrow(const ts_sim* sim, int b, int end, ts_row_memory* out_memory,
                                       ts_row_more* out_more) {
    remember(sim, b, end, out_memory, out_more);
}

void ts_contact_remember_blocks(const ts_sim* sim, int b, int end, ts_row_memory* out_memory, ts_row_more* out_more) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_contact_remember_blocks_wide(sim, b, end, out_memory, out_more);
        return;
    }
#endif
    remember(sim, b, end, out_memory, out_more);
}

#endif
