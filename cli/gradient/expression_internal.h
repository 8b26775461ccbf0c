// A loss as people write it: an expression over numbers of the final state, or of others, that is read once, evaluated and differentiated.
#ifndef TS_CLI_EXPRESSION_INTERNAL_H
#define TS_CLI_EXPRESSION_INTERNAL_H

#include "cli/gradient/quantity_internal.h"

/// Most operations of an expression, most numbers of states that it asks for, and how deep it may be nested.
enum { TS_EXPRESSION_NODES = 512, TS_EXPRESSION_QUANTITIES = 128, TS_EXPRESSION_DEPTH = 48 };

/// What a node does with those below it.
typedef enum ts_expression_kind {
    TS_EXPRESSION_NUMBER,
    TS_EXPRESSION_QUANTITY,
    TS_EXPRESSION_FUNCTION,  // of one or two
    TS_EXPRESSION_AT,        // what stands below it, in another state
    TS_EXPRESSION_INTEGRAL   // that, over all time, by trapezoids
} ts_expression_kind;

/// An operation. Those below it have smaller numbers.
typedef struct ts_expression_node {
    ts_expression_kind kind;
    int below[2];
    int which;      // quantity, function or state
    double number;  // of TS_EXPRESSION_NUMBER
} ts_expression_node;

/// An expression; its last node is the whole.
typedef struct ts_expression {
    int count;
    ts_expression_node node[TS_EXPRESSION_NODES];
    int quantity_count;
    ts_quantity quantity[TS_EXPRESSION_QUANTITIES];
    double time_step;  // s
    int steps;         // states 0..steps
} ts_expression;

/// Reads one. TS_ERROR_VALUE says at which character what is wrong.
ts_code ts_expression_read(const char* text, const ts_model* model, double time_step, int steps,
                           ts_expression* out_expression, ts_status* out_status);

/// Its value, from those of its quantities in all states, ((steps + 1) x quantity_count).
double ts_expression_value(const ts_expression* self, const double* table);

/// Its derivative by every entry of that table, into out_by of that size; *out_by_step: by the time step.
void ts_expression_differentiate(const ts_expression* self, const double* table, double* out_by, double* out_by_step);

/// Appends the grammar, for --help.
void ts_expression_add_help(ts_text* text);

#endif
