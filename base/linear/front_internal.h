// Elimination of a dense front: some rows with their columns, and what lies beside them.
#ifndef TS_BASE_FRONT_INTERNAL_H
#define TS_BASE_FRONT_INTERNAL_H

/// A front
///     [ A  B ]   `own` rows
///     [ C  D ]   `beside` rows
/// of which A over C is the tall panel, (own + beside) x own, and B the wide one, own x beside. Both are row-major with
/// leading dimensions that are multiples of TS_PANEL_LANES; columns behind a panel's last one may hold anything finite.
typedef struct ts_front {
    int own;
    int beside;
    double* tall;
    int tall_ld;
    double* wide;
    int wide_ld;
    int* swap;  // (own) the row that each changed places with
} ts_front;

/// Factors A = L U with pivots among the front's own rows; L is left below the diagonal of the tall panel (unit, in A)
/// and in C, U on and above it and in the wide panel. rest (beside x wide_ld) -= C A^-1 B. Returns 1, or 0 when a pivot
/// is zero or a number is not finite.
int ts_front_eliminate(const ts_front* front, double* rest);

/// The same of a symmetric, positive definite front: tall is own x own, C is not there. Factors A = U^T U; U is left in A with the inverse of
/// each diagonal entry in its place, U^-T B in the wide panel, and of rest, too, what lies left of the diagonal may hold anything. Panels and
/// rest have an even number of rows, one that is not asked for zero. `swap` is not used. Returns 1, or 0 when a pivot is not positive or not finite.
int ts_front_eliminate_definite(const ts_front* front, double* rest);

/// The same without wide vectors, for comparison.
int ts_front_eliminate_definite_narrow(const ts_front* front, double* rest);

#endif
