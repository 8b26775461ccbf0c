// What the methods of differentiating a step share.
#ifndef TS_ENGINE_STEP_DERIVATIVE_INTERNAL_H
#define TS_ENGINE_STEP_DERIVATIVE_INTERNAL_H

#include "contact/derivative/derivative.h"
#include "engine/derivative/step_derivative.h"
#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a probe may change, as it was.
typedef struct ts_step_saved {
    double* qpos;
    double* qvel;
    double* ctrl;
    double* act;
    double* force;
    ts_force* wrench;
    ts_options options;
    // of the input that is being moved
    ts_surface_move surface;
    ts_body body;
    ts_kinematic_tree tree;
} ts_step_saved;

/// Copies of the state in memory of the arena. Returns 0 when memory is short.
int ts_step_saved_make(const ts_sim* sim, ts_arena* arena, ts_step_saved* out_saved);

/// Notes what is special to an input before it is moved.
void ts_step_saved_note(const ts_sim* sim, ts_step_input_kind kind, int index, ts_step_saved* io_saved);

/// Takes back all moves of an input, to the bit.
void ts_step_saved_restore(ts_sim* sim, ts_step_input_kind kind, int index, const ts_step_saved* saved);

/// By how much to move an input for a difference, and whether it must not be moved down.
double ts_step_increment(const ts_sim* sim, ts_step_input_kind kind, int index, int* out_one_sided);

/// A solver that is asked for more while a derivative is found, and what else must not act meanwhile.
typedef struct ts_step_strict {
    unsigned char solver_settings[TS_SOLVER_SETTINGS_BYTES];
    ts_control control;
    struct ts_ledger* ledger;
} ts_step_strict;

/// Sets it up, and back.
void ts_step_strict_begin(ts_sim* sim, double tolerance, ts_step_strict* out_strict);
/// See ts_step_strict_begin.
void ts_step_strict_end(ts_sim* sim, const ts_step_strict* strict);

/// Modes of the step's blocks and distances to their changes, in memory of the arena; `u` (row_count) are the velocities of the law
/// whose problem it is, R as that has it. Returns NULL when memory is short.
ts_step_block_report* ts_step_report_blocks(const ts_sim* sim, const ts_contact_problem* problem, const double* u,
                                            ts_arena* arena);

/// The same in short: a number for each block, equal for equal modes and equal branches of its law.
void ts_step_report_modes(const ts_sim* sim, const ts_contact_problem* problem, const double* u, int* out_mode);

/// What the blocks of a step were and did.
typedef struct ts_step_block_list {
    int count;
    ts_row_key* key;
    int* source;
    int* blocked;  // ts_row_blocked
    int* mode;
} ts_step_block_list;

/// Those of the step that stands, in memory of the arena. Returns 0 when that is short.
int ts_step_list_blocks(const ts_sim* sim, ts_arena* arena, ts_step_block_list* out_list);

/// Whether two steps have the same blocks, which do the same.
int ts_step_same_blocks(const ts_step_block_list* a, const ts_step_block_list* b);

/// The problem of the step as its solver has softened it; out_u (row_count) its velocities. Returns 0 when memory is short.
int ts_step_own_problem(const ts_sim* sim, ts_arena* arena, ts_contact_problem* out_problem, double** out_u);

/// Says in the report what its numbers are worth, but for what is said already.
void ts_step_report_judge(const ts_sim* sim, double nearness, ts_step_report* io_report);

/// Says something in the report, unless worse has been said.
void ts_step_report_say(ts_step_report* io_report, ts_step_verdict verdict, const char* text);

/// Says what each column is worth: `verdict` (columns) says already whether it is exact or a difference.
void ts_step_report_columns(const ts_sim* sim, const ts_step_input* input, int count, unsigned char* verdict,
                            ts_step_report* io_report);

/// Says which of the controls that are asked for are at the end of their range.
void ts_step_report_controls(const ts_sim* sim, const ts_step_input* input, int count, ts_step_report* io_report);

/// Says which actuators, activations and tendons of the step that stands are where what they do has a kink, beside blocks of rows.
void ts_step_report_drives(const ts_sim* sim, ts_step_report* io_report);

/// Says whether all push-outs are about to be slowed down, or to give way (engine/step/push_excess.c).
void ts_step_report_push(const ts_sim* sim, double nearness, ts_step_report* io_report);

/// Says whether a contact is about to appear that acts at once. Returns 0 when memory is short.
int ts_step_report_margin(ts_sim* sim, double nearness, ts_arena* scratch, ts_step_report* io_report);

/// How a derivative is applied.
typedef struct ts_step_operator {
    ts_code (*forward)(const ts_step_derivative* derivative, const double* dx, ts_arena* scratch, double* out_dy);
    ts_code (*reverse)(const ts_step_derivative* derivative, const double* y_bar, ts_arena* scratch, double* out_x_bar);
    ts_code (*matrix)(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix);
} ts_step_operator;

/// Parts of every derivative; what a method has beside follows in a struct that begins with this.
typedef struct ts_step_derivative_parts {
    const ts_step_operator* ops;
} ts_step_derivative_parts;

/// What is to be differentiated.
typedef struct ts_step_task {
    ts_sim* sim;  // foreseen
    const ts_step_derivative_settings* settings;
    const ts_step_input* input;
    int input_count;
    ts_arena* arena;
    int one_sided;  // nonzero: what stands between two modes is taken to be in one of them
} ts_step_task;

/// The law's derivative at the impulses of the step that stands, of whose problem `own` is what its solver made. ts_contact_derivative_make says what it returns.
ts_code ts_step_law_make(const ts_step_task* task, const ts_contact_problem* own, ts_contact_derivative* out_derivative,
                         ts_status* out_status);

/// Whether contacts hardly feel some of their load, so that rounding of it is seen: light links of a loop, without it, move a million times as far as with it, and what
/// is left are the last digits.
int ts_step_law_is_doubtful(const ts_contact_derivative* law);

/// Where contacts hardly feel some of their load, what a solve leaves open is much of that load: where that times the condition is more than `doubt`, Newton's step on
/// the equations that hold takes it out, as long as that is better. Returns nonzero when the impulses have changed, and the step with them; below zero, memory is short.
int ts_step_law_refine(const ts_step_task* task, const ts_contact_problem* own, const ts_contact_derivative* law,
                       double doubt);

/// A method: fills report and parts. The simulation has been foreseen and is strict; it may be left in any step that begins at the same state.
ts_code ts_step_difference_make(const ts_step_task* task, ts_step_derivative* out_derivative, ts_status* out_status);
/// See ts_step_difference_make; `own` is the problem of the step as its solver has softened it.
ts_code ts_step_implicit_make(const ts_step_task* task, const ts_contact_problem* own,
                              ts_step_derivative* out_derivative, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
