// What `touchstone check` finds beside what a file contains: tables, loops, doubts, and where MuJoCo would compute otherwise.
#ifndef TS_CLI_CHECK_INTERNAL_H
#define TS_CLI_CHECK_INTERNAL_H

#include "base/array.h"
#include "base/text.h"
#include "engine/sim.h"

/// A sentence about something, with the number that it turns on.
typedef struct ts_check_note {
    char key[40];        // what it is, for programs: "density"
    char about[140];     // "body 'base'"
    double value;        // NAN: none
    const char* unit;    // of the value
    char sentence[420];  // why, with numbers
} ts_check_note;

TS_ARRAY_DECLARE(ts_check_note_array, ts_check_note);

/// Adds a note. Memory that is short loses it.
void ts_check_note_add(ts_check_note_array* notes, const char* key, const char* about, double value, const char* unit,
                       const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/// "joint 'knee'", or "joint 3" for what has no name.
void ts_check_name(const char* kind, const char* name, int index, char out_text[140]);

/// An equality at the start and later.
typedef struct ts_check_loop {
    int equality;
    double length[3];  // m: at the start, after one step, after all of them
    double angle[3];   // rad
} ts_check_loop;

TS_ARRAY_DECLARE(ts_check_loop_array, ts_check_loop);

/// Has a simulation step without contacts. A model whose description puts bodies deep inside each other would keep a report
/// waiting for minutes, and what is asked here is asked of joints and ties.
void ts_check_without_contacts(ts_sim* sim);

/// Steps after which loops are looked at again.
enum { TS_CHECK_LOOP_STEPS = 100 };

/// The loops of a model from its initial state on. Returns 0 when a step fails.
int ts_check_loops_find(const ts_model* model, ts_check_loop_array* out_loops);

/// What of a loop becomes: "closed", "closes" or "stays open".
const char* ts_check_loop_verdict(const ts_check_loop* loop);

/// Doubts about units and signs, of a simulation after ts_sim_forward.
void ts_check_doubts_find(ts_sim* sim, ts_check_note_array* out_notes);

/// What MuJoCo would compute otherwise, and why; of a simulation after ts_sim_forward.
void ts_check_mujoco_find(ts_sim* sim, ts_check_note_array* out_notes);

/// Writes the pairs of bodies that are kept from touching as an SRDF.
ts_code ts_check_write_srdf(const ts_model* model, const char* path, ts_status* out_status);

/// The tables as text and as JSON. `sim` is after ts_sim_forward.
void ts_check_add_sensors(ts_text* text, const ts_model* model);
/// See ts_check_add_sensors.
void ts_check_add_tendons(ts_text* text, const ts_sim* sim);
/// See ts_check_add_sensors.
void ts_check_add_loops(ts_text* text, const ts_model* model, const ts_check_loop_array* loops);
/// See ts_check_add_sensors.
void ts_check_add_notes(ts_text* text, const char* title, const ts_check_note_array* notes, const char* none);
/// See ts_check_add_sensors.
void ts_check_json_sensors(ts_json* json, const ts_model* model);
/// See ts_check_add_sensors.
void ts_check_json_tendons(ts_json* json, const ts_sim* sim);
/// See ts_check_add_sensors.
void ts_check_json_loops(ts_json* json, const ts_model* model, const ts_check_loop_array* loops);
/// See ts_check_add_sensors.
void ts_check_json_notes(ts_json* json, const char* key, const ts_check_note_array* notes);

#endif
