// The alternating direction method of multipliers on a contact problem: what ccp-admm and ncp-admm share.
#ifndef TS_CONTACT_SOLVERS_ADMM_INTERNAL_H
#define TS_CONTACT_SOLVERS_ADMM_INTERNAL_H

#include "base/linear/block_lu.h"
#include "base/linear/tridiagonal.h"
#include "contact/operator/delassus_factor_internal.h"
#include "contact/solvers/splitting/admm_settings.h"
#include "contact/solvers/newton/scaled_internal.h"

enum { TS_ADMM_SETTING_COUNT = 14 };

/// The fields of ts_admm_settings by name.
extern const ts_setting ts_admm_setting[];

/// Settings both solvers start from.
ts_admm_settings ts_admm_settings_default(void);

/// Scratch of a solve, bytes.
unsigned long ts_admm_scratch_bytes(const ts_contact_problem* problem, const void* settings);

/// The solve, for the relaxed law or the exact one.
ts_solve_report ts_admm_solve(ts_contact_law law, const ts_contact_problem* problem, const ts_admm_settings* settings,
                              ts_arena* scratch, double* impulse);

/// (G + R + shift I) x = b through the bodies, for velocity forms (admm_bodies.c). Memory belongs to the arena.
typedef struct ts_admm_bodies ts_admm_bodies;

/// Allocates; `system` is borrowed, its matrix not needed. NULL when memory is short or the operator is no velocity
/// form.
ts_admm_bodies* ts_admm_bodies_make(const ts_scaled* system, ts_arena* arena);

/// Another shift, > 0. Returns 0 when numbers are not finite.
int ts_admm_bodies_shift(ts_admm_bodies* bodies, double shift);

/// Solves in place, starting from `guess` (rows), until no residual is larger than `accuracy`, or to rounding.
void ts_admm_bodies_solve(ts_admm_bodies* bodies, const double* guess, double accuracy, double* x);

/// Bytes at most.
unsigned long ts_admm_bodies_bytes(const ts_contact_problem* problem);

/// (G + R + shift I) as a factor that can be made again for another shift, G and R in the units of a ts_scaled.
typedef struct ts_admm_factor {
    int rows;
    int symmetric;
    double* matrix;       // (rows x rows) when dense, else NULL: G + R
    double* dense;        // (rows x rows) its factor
    int* pivot;           // (rows) when not symmetric
    ts_tridiagonal form;  // in `dense` when `reduced`
    int reduced;
    int shifts;       // so far
    int solves;       // so far
    int rested;       // solves with the present shift, while reduced
    double shift;     // the present one, when dense
    ts_block_lu* lu;  // when sparse
    double* value;    // the shifted blocks
    const ts_scaled* system;
    ts_admm_bodies* bodies;  // through the bodies, else NULL
} ts_admm_factor;

/// Whether the problem is solved through its bodies. Then the matrix by blocks is not needed.
int ts_admm_factor_prefers_bodies(const ts_contact_problem* problem, ts_arena* scratch);

/// Chooses a form and allocates; `system` is borrowed. Without a list of the matrix (G.start NULL) through the bodies.
/// Returns 0 when memory is short or the factor would be too large.
int ts_admm_factor_make(const ts_scaled* system, ts_arena* arena, ts_admm_factor* out);

/// Factorises for a shift. Returns 0 when that breaks down.
int ts_admm_factor_shift(ts_admm_factor* factor, double shift);

/// Solves in place. Where that goes in steps they start from `guess` (rows) and end when no residual is larger than
/// `accuracy`.
void ts_admm_factor_solve(ts_admm_factor* factor, const double* guess, double accuracy, double* x);

/// Bytes of a factor at most.
unsigned long ts_admm_factor_bytes(const ts_contact_problem* problem);

#endif
