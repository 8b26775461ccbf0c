// The one typed, growable array. TS_ARRAY_DECLARE(ts_int_array, int) gives a struct `ts_int_array` with `data`, `count`
// and `capacity`, and the functions ts_int_array_reserve, _reserve_little, _push, _resize, _clear and _free. Zero-initialised is empty.
#ifndef TS_BASE_ARRAY_H
#define TS_BASE_ARRAY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Grows *data (elements of `size` bytes, *capacity of them) to hold at least `wanted`. Returns 0 when memory is short or
/// the size overflows (nothing changes), else 1.
int ts_array_grow(void** data, int* capacity, size_t size, int wanted);

/// Bytes that what is large has to spare at most: 64 KB, of very much a 128th.
static inline size_t ts_array_most_spare(size_t bytes) {
    size_t much = (size_t)1 << 16;
    return bytes / 128 > much ? bytes / 128 : much;
}

/// The same for who asks for all at once: room for `wanted`, a thirty-second of that, or what is large may have to spare, and eight more. For what is so large
/// that half would be much.
int ts_array_grow_little(void** data, int* capacity, size_t size, int wanted);

/// Releases the memory of an array.
void ts_array_release(void* data);

#ifdef __cplusplus
}
#endif

// Not every file that declares an array uses all of its functions.
#if defined(__GNUC__)
#define TS_ARRAY_FUNCTION static inline __attribute__((unused))
#else
#define TS_ARRAY_FUNCTION static inline
#endif

#define TS_ARRAY_DECLARE(name, type)                                                     \
    typedef struct name {                                                                \
        type* data;                                                                      \
        int count;                                                                       \
        int capacity;                                                                    \
    } name;                                                                              \
    TS_ARRAY_FUNCTION int name##_reserve(name* array, int wanted) {                      \
        if (wanted >= 0 && wanted <= array->capacity) return 1;                          \
        void* data = array->data;                                                        \
        int grown = ts_array_grow(&data, &array->capacity, sizeof(type), wanted);        \
        array->data = (type*)data;                                                       \
        return grown;                                                                    \
    }                                                                                    \
    TS_ARRAY_FUNCTION int name##_reserve_little(name* array, int wanted) {               \
        if (wanted >= 0 && wanted <= array->capacity) return 1;                          \
        void* data = array->data;                                                        \
        int grown = ts_array_grow_little(&data, &array->capacity, sizeof(type), wanted); \
        array->data = (type*)data;                                                       \
        return grown;                                                                    \
    }                                                                                    \
    TS_ARRAY_FUNCTION int name##_push(name* array, type value) {                         \
        if (!name##_reserve(array, array->count + 1)) return 0;                          \
        array->data[array->count++] = value;                                             \
        return 1;                                                                        \
    }                                                                                    \
    TS_ARRAY_FUNCTION int name##_resize(name* array, int count) {                        \
        if (!name##_reserve(array, count)) return 0;                                     \
        array->count = count;                                                            \
        return 1;                                                                        \
    }                                                                                    \
    TS_ARRAY_FUNCTION void name##_clear(name* array) { array->count = 0; }               \
    TS_ARRAY_FUNCTION void name##_free(name* array) {                                    \
        ts_array_release(array->data);                                                   \
        array->data = NULL;                                                              \
        array->count = array->capacity = 0;                                              \
    }                                                                                    \
    struct name

#endif
