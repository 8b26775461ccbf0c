// The source of rows that contacts are, beyond the interface: its reference velocity, and what the narrow phase wants of its
// memory.
#ifndef TS_ENGINE_ROWS_CONTACT_INTERNAL_H
#define TS_ENGINE_ROWS_CONTACT_INTERNAL_H

#include "engine/rows/row_source_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What decides the reference velocity of a contact's normal row.
typedef struct ts_reference_input {
    double gap;          // m
    double restitution;  // 1
    double speed_now;    // m/s: normal relative velocity when the step begins, < 0 closing
    double speed_free;   // m/s: the same after the step without contacts
    int was_closed;      // nonzero when it carried an impulse in the last step
} ts_reference_input;

/// c*_N, m/s: the least separation velocity the step shall end with (docs/contact.md). *out_bounces is set to nonzero
/// when restitution decides.
double ts_contact_reference(const ts_options* options, const ts_reference_input* input, int* out_bounces);

/// Slower impacts than this do not bounce, m/s.
double ts_contact_bounce_threshold(const ts_options* options);

/// Where a contact's impulse begins (its rows): the remembered one in the frame of now, or nothing, where out_impulse stays as it is. speed_now:
/// m/s, of its normal when the step begins.
void ts_contact_start(const ts_sim* sim, const ts_contact* contact, const ts_row_memory* memory, double speed_now,
                      double* out_impulse);

/// Where in `own` of a remembered contact its vectors begin. impulse holds linear (N s) and angular (N m s, of spinning
/// and rolling friction) impulse on B, in world axes; key.whole is geom_a << 32 | geom_b, key.part ts_contact.key.
enum {
    TS_CONTACT_ON_A = 0,    // m, where on geom A, in its frame
    TS_CONTACT_ON_B = 3,    // m, where on geom B, in its frame
    TS_CONTACT_NORMAL = 6,  // world
    TS_CONTACT_TANGENT = 9  // world, tangent 1
};

/// What the next step shall know of a contact: impulse and own.
void ts_contact_remember(const ts_sim* sim, const ts_contact* contact, ts_row_memory* out_memory);

/// A vector of a remembered contact.
static inline ts_vec3 ts_contact_remembered(const ts_row_memory* memory, int which) {
    return ts_vec3_load(memory->own + which);
}

/// Turns a contact's tangents about its normal such that the first lies along `tangent`, projected (engine/step/narrow.c).
void ts_contact_turn_frame(const ts_sim* sim, ts_contact* contact, ts_vec3 tangent);

/// The contacts of the last step: entries [*out_first, *out_last) of sim->row_memory, sorted by pair.
void ts_contact_memory(const ts_sim* sim, int* out_first, int* out_last);

#ifdef __cplusplus
}
#endif
#endif
