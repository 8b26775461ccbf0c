// Growth of the typed array: capacity grows by half, so n pushes cost O(n) copies and at most a third is idle; or, where all is asked for at once, by a
// thirty-second of it at most.
#include "base/array.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

// To `grown` elements, or to what is wanted.
static int grow_to(void** data, int* capacity, size_t size, int grown, int wanted) {
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

int ts_array_grow(void** data, int* capacity, size_t size, int wanted) {
    if (wanted < 0) return 0;
    if (wanted <= *capacity) return 1;
    int grown = *capacity <= INT_MAX - *capacity / 2 ? *capacity + *capacity / 2 : INT_MAX;
    if (grown < wanted) grown = wanted;
    return grow_to(data, capacity, size, grown < 8 ? 8 : grown, wanted);
}

int ts_array_grow_little(void** data, int* capacity, size_t size, int wanted) {
    if (wanted < 0) return 0;
    if (wanted <= *capacity) return 1;
    size_t most = ts_array_most_spare((size_t)wanted * size) / size;
    int more = 8 + ((size_t)wanted / 32 < most ? wanted / 32 : (int)most);
    return grow_to(data, capacity, size, wanted <= INT_MAX - more ? wanted + more : INT_MAX, wanted);
}

void ts_array_release(void* data) { free(data); }
