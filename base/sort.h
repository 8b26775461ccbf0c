// Sorting of short lists of whole numbers, such as the places in a row of a sparse matrix.
#ifndef TS_BASE_SORT_H
#define TS_BASE_SORT_H

#ifdef __cplusplus
extern "C" {
#endif

/// Puts `count` numbers in ascending order, in place (Shell's method: no memory, quick on lists of up to some hundred
/// entries and on those nearly in order). A count below two does nothing.
void ts_sort_ints(int* value, int count);

#ifdef __cplusplus
}
#endif
#endif
