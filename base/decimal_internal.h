// Doubles as decimal text: the quick way of ts_text_add_number.
#ifndef TS_BASE_DECIMAL_INTERNAL_H
#define TS_BASE_DECIMAL_INTERNAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Room for what ts_decimal_write writes: sign, 17 digits, point, and leading zeros or an exponent.
enum { TS_DECIMAL_SIZE = 32 };

/// Writes a finite number as printf's %.15g, %.16g or %.17g does in the C locale, whichever first reads back to the same
/// bits. Returns the length; 0, for numbers of unusual size and in rare doubtful cases, when the caller has to ask printf.
size_t ts_decimal_write(double value, char out_text[TS_DECIMAL_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
