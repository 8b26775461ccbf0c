// Open addressing with linear probing; doubled when half full. Keys are borrowed.
#include "engine/read/name_table_internal.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static int name_place(const ts_name_table* names, const char* key) {
    uint64_t hash = ts_hash_bytes(TS_HASH_START, key, strlen(key));
    int at = (int)((hash ^ (hash >> 32)) & (uint64_t)(names->capacity - 1));
    while (names->key[at] && strcmp(names->key[at], key) != 0) at = (at + 1) & (names->capacity - 1);
    return at;
}

int ts_name_table_find(const ts_name_table* names, const char* key) {
    if (names->count == 0) return -1;
    int at = name_place(names, key);
    return names->key[at] ? names->value[at] : -1;
}

int ts_name_table_put(ts_name_table* names, const char* key, int value) {
    if (2 * names->count >= names->capacity) {
        ts_name_table bigger = {NULL, NULL, names->count, names->capacity ? 2 * names->capacity : 64};
        bigger.key = (const char**)calloc((size_t)bigger.capacity, sizeof *bigger.key);
        bigger.value = (int*)calloc((size_t)bigger.capacity, sizeof *bigger.value);
        if (!bigger.key || !bigger.value) {
            free(bigger.key);
            free(bigger.value);
            return 0;
        }
        for (int i = 0; i < names->capacity; ++i) {
            if (!names->key[i]) continue;
            int at = name_place(&bigger, names->key[i]);
            bigger.key[at] = names->key[i];
            bigger.value[at] = names->value[i];
        }
        free(names->key);
        free(names->value);
        *names = bigger;
    }
    int at = name_place(names, key);
    if (!names->key[at]) ++names->count;
    names->key[at] = key;
    names->value[at] = value;
    return 1;
}

void ts_name_table_free(ts_name_table* names) {
    free(names->key);
    free(names->value);
    memset(names, 0, sizeof *names);
}
