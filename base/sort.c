// Problem: lists of up to some hundred integers, often nearly in order, inside code that may not allocate.
// Rule: insertion sort over every gap-th entry, for gaps that halve down to one.
// Source: Shell, A high-speed sorting procedure, 1959, with his gaps.
// Guarantee: ascending, in place. Known failure: quadratic on long lists made against these gaps.
#include "base/sort.h"

void ts_sort_ints(int* value, int count) {
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; ++i) {
            int v = value[i], j = i;
            for (; j >= gap && value[j - gap] > v; j -= gap) value[j] = value[j - gap];
            value[j] = v;
        }
    }
}

ts_strips ts_strips_over(const double* number, size_t stride, int number_count, int count) {
    const char* at = (const char*)number;
    double least = number_count > 0 ? *number : 0.0, most = least;
    for (int i = 1; i < number_count; ++i) {
        double x = *(const double*)(at += stride);
        if (x < least) least = x;
        if (x > most) most = x;
    }
    return (ts_strips){least, most > least ? count / (most - least) : 0.0, count};
}
