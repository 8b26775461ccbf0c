// The ways to solve a linear system, behind linear_internal.h: what linear.c chooses from. Nobody else includes this.
#ifndef TS_CONTACT_LINEAR_WAYS_INTERNAL_H
#define TS_CONTACT_LINEAR_WAYS_INTERNAL_H

#include "base/assert.h"
#include "base/linear/block_lu.h"
#include "base/linear/panel.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/operator/linear_internal.h"

/// Up to so many rows one dense factor is quicker than a sparse one.
enum { TS_LINEAR_DENSE_ROWS = 96 };

/// A way. Analysing looks at the pattern and takes all memory; what it returns belongs to the arena.
typedef struct ts_linear_way {
    const char* name;
    /// Nonzero: `solve` gets the rows of unknown blocks one after another and what is known has been moved to the right.
    /// Zero: the whole of x, as ts_linear_solve.
    int over_contacts;
    /// NULL when memory is short, or a factor would hold more than `most` numbers.
    void* (*analyse)(const ts_linear* system, ts_arena* arena, size_t most);
    ts_linear_cost (*cost)(const void* analysed);
    /// C and E, or the shift, have changed. Returns 0 when the system is singular or not finite.
    int (*change)(void* analysed);
    /// Returns 0 when the digits did not suffice; over contacts this is not known.
    int (*solve)(void* analysed, const double* guess, double accuracy, double* x);
} ts_linear_way;

/// Dense LU with partial pivoting (linear_dense.c).
extern const ts_linear_way ts_linear_dense_way;
/// Dense, symmetric, under TS_LINEAR_SHIFT: Cholesky, or tridiagonal form while the shift keeps changing (linear_dense.c).
/// Refuses matrices that are not symmetric; `change` fails where A + S is not positive definite.
extern const ts_linear_way ts_linear_symmetric_way;
/// Block-sparse LU over the blocks (linear_blocks.c).
extern const ts_linear_way ts_linear_blocks_way;
/// Contacts of one pair of bodies together (linear_groups.c, linear_groups_solve.c). Needs room->groups.
extern const ts_linear_way ts_linear_groups_way;
/// Through the bodies (linear_bodies.c). Needs room->form; A's numbers are not read.
extern const ts_linear_way ts_linear_bodies_way;
/// Its `change` and `solve`, whatever the machine, and with AVX2: the same bits.
int ts_linear_bodies_change_plain(void* analysed);
int ts_linear_bodies_change_wide(void* analysed);
int ts_linear_bodies_solve_plain(void* analysed, double accuracy, double* x);
int ts_linear_bodies_solve_wide(void* analysed, double accuracy, double* x);
/// Under TS_LINEAR_SHIFT: conjugate gradients, and through the bodies once that pays (linear_steps.c). Needs room->form.
extern const ts_linear_way ts_linear_steps_way;

/// What the room knows of a system beside what its caller sees.
typedef struct ts_linear_room {
    ts_linear_use use;
    ts_arena* arena;
    ts_arena_scope scope;  // behind what lasts as long as the system
    size_t top;            // of the arena after the last analysis
    double shift;          // under TS_LINEAR_SHIFT
    // The unknown blocks.
    int* place;  // (blocks) number among them, or -1
    int* list;   // (blocks) ascending
    int* first;  // (blocks) first row among the unknown rows
    int count;
    int rows;
    double* right;  // (rows) right-hand side of unknown rows; NULL under TS_LINEAR_SHIFT
    // The way, and what it has analysed for these; NULL: nothing yet.
    const ts_linear_way* way;
    void* analysed;
    // What there is to choose from.
    ts_velocity_form* form;                 // NULL: the operator is no velocity form
    int columns;                            // degrees of freedom that its blocks use
    const struct ts_linear_groups* groups;  // NULL: nothing to gain by taking blocks together
    int through_bodies;                     // the way that was cheaper
    int compared_rows;                      // with so many unknown rows; 0: not compared yet
} ts_linear_room;

/// Rows of block b.
static inline int ts_linear_rows_of(const ts_linear* s, int b) {
    int rows = s->A->row[b + 1] - s->A->row[b];
    TS_ASSERT(rows > 0);
    return rows;
}

/// out = (A + more 1) x through the operator, for A without numbers.
void ts_linear_matrix_apply_shifted(const ts_linear_matrix* A, double more, const double* x, double* out);

/// Entry e of row b of C + E A, `out_ld` apart.
void ts_linear_form_entry(const ts_linear* s, int b, int e, double* out, int out_ld);

#endif
