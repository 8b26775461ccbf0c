// What is remembered of the contacts of a step.
//
// Rule: ts_contact_remember of each, in the order of blocks; those of a pair of geoms follow each other, and its poses are read once for them.
// Guaranteed: the same bits with and without AVX2, as every lane is a sum of its own.
#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"

static inline void remember(const ts_sim* sim, int b, int end, ts_row_memory* out_memory) {
    const ts_transform* pose = sim->kinematics.geom_pose;
    const ts_row_block* owner = sim->row_block;
    ts_contact_geom on_a, on_b;
    for (int k = b; k < end; ++k) {
        const ts_contact* contact = &sim->contact[owner[k].item];
        if (k == b || owner[k].key.whole != owner[k - 1].key.whole) {
            on_a = ts_contact_geom_of(&pose[contact->geom_a]);
            on_b = ts_contact_geom_of(&pose[contact->geom_b]);
        }
        ts_contact_axes axes = ts_contact_axes_of(&contact->frame);
        ts_four turning = ts_four_zero();
        if (contact->surface.dimension > 3)
            turning = ts_contact_along(&axes, ts_sim_contact_rare(sim, contact)->angular_impulse);
        ts_contact_remember(&axes, &on_a, &on_b, ts_four_load(&contact->position.x), contact->impulse, turning,
                            &out_memory[owner[k].item]);
    }
}

#if TS_WIDE

void ts_contact_remember_blocks_wide(const ts_sim* sim, int b, int end, ts_row_memory* out_memory) {
    remember(sim, b, end, out_memory);
}

#else

void ts_contact_remember_blocks_narrow(const ts_sim* sim, int b, int end, ts_row_memory* out_memory) {
    remember(sim, b, end, out_memory);
}

void ts_contact_remember_blocks(const ts_sim* sim, int b, int end, ts_row_memory* out_memory) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_contact_remember_blocks_wide(sim, b, end, out_memory);
        return;
    }
#endif
    remember(sim, b, end, out_memory);
}

#endif
