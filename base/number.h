// Reading and writing numbers in files and options: strictly, and the same in every locale.
#ifndef TS_BASE_NUMBER_H
#define TS_BASE_NUMBER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What ts_number_scan found.
typedef enum ts_number_result {
    TS_NUMBER_OK,
    TS_NUMBER_END,        // only white space was left
    TS_NUMBER_MALFORMED,  // something that is no decimal number
    TS_NUMBER_NOT_FINITE  // nan, inf, or too large for a double
} ts_number_result;

/// Reads the next decimal number of white-space separated text in [*cursor, end) and moves *cursor behind it. On MALFORMED
/// and NOT_FINITE *cursor stays at the offending word. Correctly rounded whatever the locale.
ts_number_result ts_number_scan(const char** cursor, const char* end, double* out_value);

/// Reads all numbers of a terminated text, at most `capacity`. Returns how many, or -1 with the reason in out_why
/// (e.g. "'1.2.3' is not a number"; "more than 3 numbers").
int ts_number_list(const char* text, double* out_values, int capacity, char* out_why, size_t why_size);

/// Writes the shortest decimal text (at least 15 digits tried first) that reads back to the same bits; needs 32 bytes.
void ts_number_print(double value, char* out_text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
