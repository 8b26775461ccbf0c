// Sorting: of short lists of whole numbers, such as the places in a row of a sparse matrix; and roughly, by strips of equal width.
#ifndef TS_BASE_SORT_H
#define TS_BASE_SORT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Puts `count` numbers in ascending order, in place (Shell's method: no memory, quick on lists of up to some hundred
/// entries and on those nearly in order). A count below two does nothing.
void ts_sort_ints(int* value, int count);

/// Strips of equal width from the least to the most of some numbers: sorted by strip they are sorted roughly, in one pass.
typedef struct ts_strips {
    double least;
    double per_width;  // strips a unit; 0 where all numbers are one
    int count;
} ts_strips;

/// `count` strips over `number_count` numbers, `stride` bytes from one to the next. What is no number does not count; where the first is none, all are in the first strip.
ts_strips ts_strips_over(const double* number, size_t stride, int number_count, int count);

/// The strip of a number, that of the nearest one where it lies beside all; of what is no number the first.
static inline int ts_strips_at(const ts_strips* strips, double number) {
    double at = (number - strips->least) * strips->per_width;
    if (!(at >= 0.0)) return 0;
    return at < strips->count - 1 ? (int)at : strips->count - 1;
}

#ifdef __cplusplus
}
#endif
#endif
