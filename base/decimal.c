// Problem: the fewest of 15, 16 or 17 significant digits that read back to the same double. Asking printf and strtod for
// each count in turn is what writing a table of numbers then spends its time on.
//
// Rule: a double is m 2^q with 2^52 <= m < 2^53. With k = 16 - floor(log10 |v|) the product m 5^k 2^(q + k) is the number
// scaled to 17 digits before the point. It is computed exactly, in words of 32 bits, so that all roundings are those of
// printf (to nearest, ties to even). A candidate reads back when it is nearer to the number than half the gap to the next
// double; the gap is |v| / m.
//
// Guaranteed: the characters that printf gives. Left to the caller: numbers outside [1e-38, 2^53), powers of two that
// need more than 15 digits (the gap below them is half the gap above), and candidates within rounding of half a gap.
#include "base/decimal_internal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// m < 2^53, eight spare bits and 5^54 < 2^126 make 187 bits.
enum { WORDS = 6, MOST_FIVES = 54 };

// The number scaled to 17 digits: whole + fraction / 2^64, and a little more where `more` is not zero.
typedef struct scaled {
    uint64_t whole;
    uint64_t fraction;
    int more;
} scaled;

static void multiply(uint32_t* word, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; ++i) {
        carry += (uint64_t)word[i] * factor;
        word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// 64 bits from bit `from` on, which may be negative.
static uint64_t bits_from(const uint32_t* word, int from) {
    uint64_t bits = 0;
    for (int i = 0; i < WORDS; ++i) {
        int up = 32 * i - from;
        if (up > -32 && up < 64) bits |= up >= 0 ? (uint64_t)word[i] << up : (uint64_t)(word[i] >> -up);
    }
    return bits;
}

static int any_below(const uint32_t* word, int end) {
    for (int i = 0; 32 * i < end; ++i) {
        int count = end - 32 * i;
        uint32_t mask = count < 32 ? ((uint32_t)1 << count) - 1u : UINT32_MAX;
        if (word[i] & mask) return 1;
    }
    return 0;
}

// m 2^exponent 10^fives.
static scaled scale(uint64_t m, int exponent, int fives) {
    static const uint32_t power[] = {1,     5,      25,      125,     625,      3125,      15625,
                                     78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125};
    // The spare bits make sure that the point lies inside or below the words.
    uint32_t word[WORDS] = {(uint32_t)(m << 8), (uint32_t)(m >> 24), 0, 0, 0, 0};
    for (int left = fives; left > 0; left -= 13) multiply(word, power[left < 13 ? left : 13]);
    int point = 8 - exponent - fives;
    scaled result = {bits_from(word, point), bits_from(word, point - 64), any_below(word, point - 64)};
    return result;
}

// To the nearest multiple of `unit` (1, 10 or 100), divided by it; ties to even.
static uint64_t round_to(scaled x, unsigned unit) {
    uint64_t kept = x.whole / unit;
    uint64_t left = x.whole % unit;
    const uint64_t half = UINT64_C(1) << 63;
    int beyond;  // -1, 0, 1: what is cut off is below, at, above half a unit
    if (unit == 1)
        beyond = x.fraction > half || (x.fraction == half && x.more) ? 1 : (x.fraction == half ? 0 : -1);
    else if (left == unit / 2)
        beyond = x.fraction || x.more ? 1 : 0;
    else
        beyond = left > unit / 2 ? 1 : -1;
    return kept + (beyond > 0 || (beyond == 0 && kept % 2 == 1));
}

// "%.*g" of digits * 10^(exponent + 1 - count), where `digits` has `count` digits. Returns the length.
static size_t format(int negative, uint64_t digits, int count, int exponent, char* out_text) {
    char digit[20];
    for (int i = count - 1; i >= 0; --i, digits /= 10) digit[i] = (char)('0' + (int)(digits % 10));
    int used = count;
    while (used > 1 && digit[used - 1] == '0') --used;
    char* c = out_text;
    if (negative) *c++ = '-';
    int fixed = exponent >= -4 && exponent < count;
    int before = fixed ? exponent + 1 : 1;  // digits in front of the point
    if (before <= 0) *c++ = '0';
    for (int i = 0; i < before; ++i) *c++ = i < used ? digit[i] : '0';
    if (used > before) {
        *c++ = '.';
        for (int i = before; i < 0; ++i) *c++ = '0';
        for (int i = before > 0 ? before : 0; i < used; ++i) *c++ = digit[i];
    }
    if (!fixed) {
        int magnitude = exponent < 0 ? -exponent : exponent;
        *c++ = 'e';
        *c++ = exponent < 0 ? '-' : '+';
        *c++ = (char)('0' + magnitude / 10);
        *c++ = (char)('0' + magnitude % 10);
    }
    *c = '\0';
    return (size_t)(c - out_text);
}

size_t ts_decimal_write(double value, char out_text[TS_DECIMAL_SIZE]) {
    static const uint64_t ten_to_17 = UINT64_C(100000000000000000);
    double size = fabs(value);
    int negative = signbit(value) != 0;
    if (size == 0.0) return format(negative, 0, 1, 0, out_text);
    if (!(size >= 1e-38 && size < 0x1p53)) return 0;
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int q = (int)(bits >> 52) - 1075;
    // log10 from the exponent alone is right or one too small.
    int exponent = (int)floor(0.30102999566398120 * (double)(q + 52));
    scaled x = scale(m, q, 16 - exponent);
    if (x.whole >= ten_to_17) x = scale(m, q, 16 - ++exponent);

    // Half the gap to the next double, in units of the 17th digit.
    double half_gap = 0.5 * (double)x.whole / (double)m;
    unsigned unit = 100;
    for (int count = 15; count <= 17; ++count, unit /= 10) {
        uint64_t candidate = round_to(x, unit);
        int64_t apart = (int64_t)(candidate * unit - x.whole);
        double distance = fabs((double)apart - (double)x.fraction * 0x1p-64);
        // The numbers compared are below 60 and rounded a few times.
        if (count < 17 && distance > half_gap + 1e-12) continue;
        if (count < 17 && (distance > half_gap - 1e-12 || m == UINT64_C(1) << 52)) {
            if (distance > 0.0) return 0;
        }
        int carried = candidate * unit >= ten_to_17;
        return format(negative, carried ? candidate / 10 : candidate, count, exponent + carried, out_text);
    }
    return 0;
}
