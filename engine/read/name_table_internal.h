// Names to numbers, for readers: what a file calls something, and which of the things read that is.
#ifndef TS_ENGINE_NAME_TABLE_INTERNAL_H
#define TS_ENGINE_NAME_TABLE_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// Names to numbers: open addressing; keys are borrowed. Zero-initialised is empty.
typedef struct ts_name_table {
    const char** key;
    int* value;
    int count;
    int capacity;
} ts_name_table;

/// Finds a name; -1 when it is not there.
int ts_name_table_find(const ts_name_table* names, const char* key);

/// Adds or replaces a name. Returns 0 on short memory.
int ts_name_table_put(ts_name_table* names, const char* key, int value);

/// Releases the memory.
void ts_name_table_free(ts_name_table* names);

#ifdef __cplusplus
}
#endif
#endif
