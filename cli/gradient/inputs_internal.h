// What a loss is differentiated by: inputs of a rollout, by name.
#ifndef TS_CLI_INPUTS_INTERNAL_H
#define TS_CLI_INPUTS_INTERNAL_H

#include "cli/gradient/quantity_internal.h"

/// Most ranges of inputs, and most inputs.
enum { TS_INPUTS_RANGES = 32, TS_INPUTS_MOST = 256 };

/// One input.
typedef struct ts_input {
    ts_step_input_kind kind;
    int index;
    double scale;    // what a change of one part of it is measured by, in its unit
    char label[64];  // "qvel[3]"
    char of[64];     // whose it is: a joint, a geom, a body; or ""
} ts_input;

/// A list of them.
typedef struct ts_inputs {
    int count;
    ts_input input[TS_INPUTS_MOST];
} ts_inputs;

/// Reads "qvel[cube],friction[floor],mass[1]". TS_ERROR_VALUE says what of it is wrong.
ts_code ts_inputs_read(const char* text, const ts_sim* sim, ts_inputs* out_inputs, ts_status* out_status);

/// Nonzero for one of the first state; the others are the same in all steps.
int ts_input_is_start(const ts_input* input);

/// Its place among the changes of a first state (2 nv + na).
int ts_input_place(const ts_model* model, const ts_input* input);

#endif
