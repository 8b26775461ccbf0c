// What the narrow stage has found while nobody has made contacts of it: pairs of geoms and their points.
#ifndef TS_ENGINE_STEP_NARROW_INTERNAL_H
#define TS_ENGINE_STEP_NARROW_INTERNAL_H

#include "engine/rows/contact_order_internal.h"
#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A frame, and what it was made of: contacts one after another mostly share it. All zero: nobody's.
typedef struct ts_known_frame {
    ts_vec3 normal, wanted;  // zero: no tangent of the last step
    ts_mat3 frame;
} ts_known_frame;

/// Makes *io_known the frame of a contact of this run; `old` is what was remembered of it, or NULL.
void ts_narrow_frame(const ts_sim* sim, const ts_contact_run* run, ts_vec3 normal, const ts_row_memory* old,
                     ts_known_frame* io_known);

/// What tangents begin as where none is remembered, in the direction of this axis of geom A.
ts_vec3 ts_narrow_fresh_tangent(const ts_sim* sim, int geom_a, ts_vec3 normal);

/// 1: normals closer than this keep their tangents. Far above rounding, far below what friction could notice.
static const double ts_narrow_same_normal = 1e-6;

/// A label that people and recordings can follow, of the feature 0 of a pair of geoms; others are added to it: the pair's key scrambled to 32 bits,
/// then the feature. Matching never relies on the scrambled half being unique.
static inline uint64_t ts_narrow_label(int geom_a, int geom_b) {
    uint64_t x = ((uint64_t)(uint32_t)geom_a << 32 | (uint32_t)geom_b) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    return (x * UINT64_C(0xbf58476d1ce4e5b9)) >> 32 << 32;
}

/// Why sim->contact has not been written yet (ts_sim_storage.contacts_wait); 0: it has.
enum {
    TS_CONTACTS_WAIT = 1,  // for what the step is found to be one of
    TS_CONTACTS_HOLD_POINTS =
        2  // for a pile to end; until then the points that they are made of stand there, one behind the other
};

/// Writes sim->contact, where storage->contacts_wait.
void ts_narrow_write(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
