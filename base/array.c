// Growth of the typed array: capacity grows by half, so n pushes cost O(n) copies and at most a third is idle.
#include "base/array.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

int ts_array_grow(void** data, int* capacity, size_t size, int wanted) {
    if (wanted < 0) return 0;
    if (wanted <= *capacity) return 1;
    int grown = *capacity <= INT_MAX - *capacity / 2 ? *capacity + *capacity / 2 : INT_MAX;
    if (grown < wanted) grown = wanted;
    if (grown < 8) grown = 8;
    // The generous size may overflow, or not be had, where the size asked for is fine: fall back to it.
    void* moved = (size_t)grown <= SIZE_MAX / size ? realloc(*data, (size_t)grown * size) : NULL;
    if (!moved) {
        grown = wanted;
        if ((size_t)grown > SIZE_MAX / size) return 0;
        moved = realloc(*data, (size_t)grown * size);
        if (!moved) return 0;
    }
    *data = moved;
    *capacity = grown;
    return 1;
}

void ts_array_release(void* data) { free(data); }
