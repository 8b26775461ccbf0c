// Staggered projections on a contact problem: what ncp-staggered and lcp-staggered share.
#ifndef TS_CONTACT_SOLVERS_STAGGERED_INTERNAL_H
#define TS_CONTACT_SOLVERS_STAGGERED_INTERNAL_H

#include "contact/solvers/splitting/apgd_internal.h"
#include "contact/solvers/splitting/staggered_settings.h"

enum { TS_STAGGERED_SETTING_COUNT = 7 };

/// The fields of ts_staggered_settings by name.
extern const ts_setting ts_staggered_setting[];

/// Settings both solvers start from.
ts_staggered_settings ts_staggered_settings_default(void);

/// Scratch of a solve, bytes.
unsigned long ts_staggered_scratch_bytes(const ts_contact_problem* problem, const void* settings);

/// The solve. `friction` is TS_APGD_DISC for the exact law and TS_APGD_SQUARE for the LCP.
ts_solve_report ts_staggered_solve(ts_contact_law law, ts_apgd_part friction, const ts_contact_problem* problem,
                                   const ts_staggered_settings* settings, ts_arena* scratch, double* impulse);

#endif
