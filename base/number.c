// Decimal text to double and back, independent of the locale.
//
// Problem: strtod obeys the process's locale, so "0.5" reads as 0 where the decimal sign is a comma; it also takes hex,
// "nan" and "inf", which no file format here means. Rule: the grammar [+-] digits [. digits] [e [+-] digits] is checked by
// hand. With at most 15 significant digits and a power of ten up to 22 both factors are exact doubles and one IEEE
// operation rounds correctly (Clinger, How to read floating point numbers accurately, PLDI 1990); anything else goes
// to strtod with the "C" locale set for the calling thread only.
// Guarantee: correctly rounded. Known to fail: words of more than 1000 characters are refused as malformed.
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LIMIT = 1000, FAST_DIGITS = 15, FAST_POWER = 22 };

static const double power_of_ten[FAST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

// The decimal number as it was spelt: digits without the point, and where the point goes.
typedef struct decimal {
    int negative;
    int digits;       // significant digits seen
    double mantissa;  // exact while digits <= 15
    long exponent;    // power of ten of the last digit
} decimal;

// Reads digits into d; digits behind the point lower the exponent.
static const char* read_digits(const char* p, const char* end, int behind_point, decimal* d, int* any) {
    for (; p < end && is_digit(*p); ++p) {
        *any = 1;
        if (d->digits > 0 || *p != '0') {
            ++d->digits;
            if (d->digits <= FAST_DIGITS) d->mantissa = d->mantissa * 10.0 + (double)(*p - '0');
        }
        if (behind_point) --d->exponent;
    }
    return p;
}

// Checks the grammar of [p, end); returns 1 and the decimal when it is a number.
static int parse_decimal(const char* p, const char* end, decimal* out) {
    decimal d = {0, 0, 0.0, 0};
    int any = 0;
    if (p < end && (*p == '+' || *p == '-')) d.negative = *p++ == '-';
    p = read_digits(p, end, 0, &d, &any);
    if (p < end && *p == '.') p = read_digits(p + 1, end, 1, &d, &any);
    if (!any) return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int negative = 0, have = 0;
        long e = 0;
        ++p;
        if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
        for (; p < end && is_digit(*p); ++p) {
            have = 1;
            if (e < 100000) e = e * 10 + (*p - '0');
        }
        if (!have) return 0;
        d.exponent += negative ? -e : e;
    }
    *out = d;
    return p == end;
}

// strtod with the "C" locale for this thread.
static double parse_slow(const char* word) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    double value = strtod(word, NULL);
    if (c) {
        uselocale(before);
        freelocale(c);
    }
    return value;
}

// Words that spell a number which is none: nan, inf, infinity, with or without sign.
static int spells_not_finite(const char* p, size_t length) {
    char word[16];
    if (length > 0 && (*p == '+' || *p == '-')) {
        ++p;
        --length;
    }
    if (length >= sizeof word) return 0;
    for (size_t i = 0; i < length; ++i) word[i] = (char)(p[i] >= 'A' && p[i] <= 'Z' ? p[i] - 'A' + 'a' : p[i]);
    word[length] = '\0';
    return strncmp(word, "nan", 3) == 0 || strcmp(word, "inf") == 0 || strcmp(word, "infinity") == 0;
}

ts_number_result ts_number_scan(const char** cursor, const char* end, double* out_value) {
    const char* p = *cursor;
    while (p < end && is_space(*p)) ++p;
    *cursor = p;
    if (p == end) return TS_NUMBER_END;
    const char* stop = p;
    while (stop < end && !is_space(*stop)) ++stop;
    size_t length = (size_t)(stop - p);
    decimal d;
    if (length > WORD_LIMIT) return TS_NUMBER_MALFORMED;
    if (!parse_decimal(p, stop, &d)) return spells_not_finite(p, length) ? TS_NUMBER_NOT_FINITE : TS_NUMBER_MALFORMED;
    double value;
    if (d.digits <= FAST_DIGITS && d.exponent >= -FAST_POWER && d.exponent <= FAST_POWER) {
        value = d.exponent < 0 ? d.mantissa / power_of_ten[-d.exponent] : d.mantissa * power_of_ten[d.exponent];
        if (d.negative) value = -value;
    } else {
        char word[WORD_LIMIT + 1];
        memcpy(word, p, length);
        word[length] = '\0';
        value = parse_slow(word);
        if (!isfinite(value)) return TS_NUMBER_NOT_FINITE;
    }
    *out_value = value;
    *cursor = stop;
    return TS_NUMBER_OK;
}

int ts_number_list(const char* text, double* out_values, int capacity, char* out_why, size_t why_size) {
    const char* cursor = text;
    const char* end = text + strlen(text);
    int count = 0;
    for (;;) {
        double value = 0.0;
        ts_number_result result = ts_number_scan(&cursor, end, &value);
        if (result == TS_NUMBER_END) return count;
        if (result != TS_NUMBER_OK) {
            int length = 0;
            while (length < 40 && cursor + length < end && !is_space(cursor[length])) ++length;
            snprintf(out_why, why_size, "'%.*s' is not a %snumber", length, cursor,
                     result == TS_NUMBER_NOT_FINITE ? "finite " : "");
            return -1;
        }
        if (count == capacity) {
            snprintf(out_why, why_size, "more than %d number%s", capacity, capacity == 1 ? "" : "s");
            return -1;
        }
        out_values[count++] = value;
    }
}

void ts_number_print(double value, char* out_text, size_t size) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(out_text, size, "%.*g", digits, value);
        if (strtod(out_text, NULL) == value) break;
    }
    if (c) {
        uselocale(before);
        freelocale(c);
    }
}
