// What each block of an answer does, or why that cannot be told. Not for use outside contact/derivative/.
#ifndef TS_CONTACT_DERIVATIVE_MODE_INTERNAL_H
#define TS_CONTACT_DERIVATIVE_MODE_INTERNAL_H

#include "contact/derivative/derivative.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A block's mode.
typedef struct ts_mode_judgement {
    ts_code code;          // TS_ERROR_VALUE: it is no answer; TS_ERROR_NUMERIC: it has no derivative
    ts_contact_mode mode;  // where the code is TS_OK
    const char* why;       // "block 3 ..." goes on like this; "" where the code is TS_OK
} ts_mode_judgement;

/// Judges a block by its impulse and its velocity (rows each). `convex` nonzero: by the relaxation's law.
ts_mode_judgement ts_mode_judge(const ts_block* block, int convex, const double* lambda, const double* u,
                                const ts_contact_derivative_tolerance* zero);

#ifdef __cplusplus
}
#endif
#endif
