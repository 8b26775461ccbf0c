// The step of a run that breaks the exact law most, contact by contact: what the report's tables and cones are drawn from.
#ifndef TS_CLI_WORST_STEP_INTERNAL_H
#define TS_CLI_WORST_STEP_INTERNAL_H

#include "base/array.h"
#include "base/text.h"
#include "engine/step/certify.h"

/// Room for what a row is called, terminator included; longer names are cut.
enum { TS_CONTACT_ROW_NAME = 96 };

/// The most rows that are kept of a step: the worst.
enum { TS_WORST_STEP_ROWS = 200 };

/// A contact, or a block of joint rows, of one step. Forces are impulses over the step, in the contact's frame.
typedef struct ts_contact_row {
    char name[TS_CONTACT_ROW_NAME];  // "floor - cube", or whose joint rows they are
    int is_contact;
    int blocked;       // ts_row_blocked
    ts_vec3 position;  // m, world; of contacts, as is the gap
    double gap;        // m
    double mu;         // of cones; 0 of others
    ts_vec3 force;     // N: friction along both tangents, then the normal one; joint rows: z only, the largest entry
    double friction;   // N: of all rows that friction has, spin and roll among them
    double slip;       // m/s
    ts_contact_mode mode;
    double exact_unmet;  // 1: share by which the exact law on rigid contacts is broken here
    double figure[TS_FIGURE_COUNT];
    double own_unmet;     // 1: share by which the solver's own law is broken here
    double own_force;     // N: impulse off its set, over the step
    double own_velocity;  // m/s: velocity off its set
    double own_power;     // W: complementarity over the step
} ts_contact_row;

/// A growing list of rows.
TS_ARRAY_DECLARE(ts_contact_row_array, ts_contact_row);

/// The worst step so far. Zero-initialised: none; free with ts_worst_step_free.
typedef struct ts_worst_step {
    long long step;   // 0: none
    double time;      // s, at its end
    double natural;   // 1: share of the exact law that is unmet
    int block_count;  // of that step; more than row.count when not all are kept
    int mode_count[TS_MODE_COUNT];
    ts_contact_row_array row;  // worst first
} ts_worst_step;

/// What a side of a contact is called: its geom's own name, with that of its body where they differ, else the body's; in `room` where
/// it is put together.
const char* ts_contact_side_name(const ts_model* model, int geom, char room[TS_CONTACT_ROW_NAME]);

/// Looks at the step just done and keeps it when it is worse than all before. Returns 0 when memory is short.
int ts_worst_step_see(ts_worst_step* worst, ts_sim* sim);

/// An object: step, time, natural, modes, and of every row kept its names and numbers. Null when there was no step with contacts.
void ts_worst_step_json(const ts_worst_step* worst, ts_json* json);

/// Releases the memory.
void ts_worst_step_free(ts_worst_step* worst);

#endif
