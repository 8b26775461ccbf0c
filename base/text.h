// A growable piece of text, and a JSON writer on top of it that cannot produce malformed JSON.
#ifndef TS_BASE_TEXT_H
#define TS_BASE_TEXT_H

#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Text that grows. Zero-initialised is empty. `data` is terminated once something was added (NULL before).
typedef struct ts_text {
    char* data;
    size_t length;
    size_t capacity;
    int failed;  // nonzero once memory ran out; later additions are ignored
} ts_text;

/// Appends a printf-style piece.
void ts_text_add(ts_text* text, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// Appends `length` bytes as they are.
void ts_text_add_bytes(ts_text* text, const char* bytes, size_t length);

/// Appends a double so that reading it back gives the same bits (%.17g, shortened when shorter suffices); "nan", "inf".
void ts_text_add_number(ts_text* text, double value);

/// Appends bytes in base 64 (RFC 4648), padded.
void ts_text_add_base64(ts_text* text, const void* bytes, size_t count);

/// The text, never NULL.
const char* ts_text_get(const ts_text* text);

/// Bytes of the byte order mark that some programs put before UTF-8: 3, or 0 where `text` begins with none.
size_t ts_text_mark(const char* text, size_t length);

/// Gives the memory back; the text is empty and usable again.
void ts_text_free(ts_text* text);

/// A name by its index.
typedef const char* (*ts_text_name)(const void* context, int i);

/// The names with commas between them, terminated, in `size` > 0 bytes; those that find no room are left out.
void ts_text_list(ts_text_name name, const void* context, int count, size_t size, char* out_list);

/// Reads a whole file into *out_text (appended). At most `limit` bytes, else TS_ERROR_MEMORY. Directories are refused.
ts_code ts_text_read_file(const char* path, size_t limit, ts_text* out_text, ts_status* out_status);

/// Writes the text to `path` in one piece: a temporary file beside it, then a rename, so that nothing half-written stays.
ts_code ts_text_write_file(const ts_text* text, const char* path, ts_status* out_status);

/// A JSON writer: commas, indentation and escapes are its business. At most 32 levels deep.
typedef struct ts_json {
    ts_text* text;
    int depth;
    unsigned char has_item[32];
    int after_key;
} ts_json;

/// A writer that appends to `text` (borrowed).
ts_json ts_json_begin(ts_text* text);

/// Opens an object.
void ts_json_object(ts_json* json);

/// Closes the innermost object.
void ts_json_object_end(ts_json* json);

/// Opens an array.
void ts_json_array(ts_json* json);

/// Closes the innermost array.
void ts_json_array_end(ts_json* json);

/// The key of the next value.
void ts_json_key(ts_json* json, const char* key);

/// A string value, escaped; NULL gives null.
void ts_json_string(ts_json* json, const char* value);

/// A number; not-finite gives null, since JSON has no such numbers.
void ts_json_number(ts_json* json, double value);

/// A whole number.
void ts_json_integer(ts_json* json, long long value);

/// true or false.
void ts_json_bool(ts_json* json, int value);

/// A key and its value, as above.
static inline void ts_json_add_string(ts_json* json, const char* key, const char* value) {
    ts_json_key(json, key);
    ts_json_string(json, value);
}

/// A key and its number.
static inline void ts_json_add_number(ts_json* json, const char* key, double value) {
    ts_json_key(json, key);
    ts_json_number(json, value);
}

/// A key and its whole number.
static inline void ts_json_add_integer(ts_json* json, const char* key, long long value) {
    ts_json_key(json, key);
    ts_json_integer(json, value);
}

/// A key with true or false.
static inline void ts_json_add_bool(ts_json* json, const char* key, int value) {
    ts_json_key(json, key);
    ts_json_bool(json, value);
}

/// A key, and opens its object.
static inline void ts_json_add_object(ts_json* json, const char* key) {
    ts_json_key(json, key);
    ts_json_object(json);
}

/// A key, and opens its array.
static inline void ts_json_add_array(ts_json* json, const char* key) {
    ts_json_key(json, key);
    ts_json_array(json);
}

#ifdef __cplusplus
}
#endif
#endif
