// Problem: a small JSON object per line, thousands of them. Rule: recursive descent over the few forms that occur (an object
// of strings and arrays of numbers); strings are decoded in place, which never makes them longer. Guaranteed: whatever the
// bytes, either the object is understood as a whole or the line is refused with the reason.
#include "cli/pair_line_internal.h"

#include "cli/args.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 63, MOST_NUMBERS = 7 };

typedef struct reader {
    char* at;
    char* end;
    ts_status* status;
} reader;

static ts_code refuse(reader* r, const char* why) {
    if (r->at >= r->end) return ts_status_set(r->status, TS_ERROR_PARSE, NULL, 0, "%s, but the line ends", why);
    unsigned char c = (unsigned char)*r->at;
    if (c < 0x20 || c >= 0x7F)
        return ts_status_set(r->status, TS_ERROR_PARSE, NULL, 0, "%s, not the byte 0x%02X", why, c);
    int length = (int)(r->end - r->at);
    return ts_status_set(r->status, TS_ERROR_PARSE, NULL, 0, "%s, not '%.*s'", why, length < 20 ? length : 20, r->at);
}

static void skip_blanks(reader* r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) ++r->at;
}

static int take(reader* r, char c) {
    skip_blanks(r);
    if (r->at >= r->end || *r->at != c) return 0;
    ++r->at;
    return 1;
}

// Four hexadecimal digits, or -1.
static long hex4(const reader* r, const char* at) {
    if (r->end - at < 4) return -1;
    long value = 0;
    for (int i = 0; i < 4; ++i) {
        const char* digits = "0123456789abcdef";
        const char* found = at[i] ? strchr(digits, at[i] >= 'A' && at[i] <= 'F' ? at[i] | 0x20 : at[i]) : NULL;
        if (!found) return -1;
        value = 16 * value + (long)(found - digits);
    }
    return value;
}

static char* put_utf8(char* to, long c) {
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    }
    return to;
}

// What follows a backslash, from r->at; the decoded bytes go to *to. Returns 0 when it is no escape.
static int unescape(reader* r, char** to) {
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    if (r->at >= r->end) return 0;
    char c = *r->at++;
    if (c != 'u') {
        const char* found = c ? strchr(from, c) : NULL;
        if (!found) return 0;
        *(*to)++ = into[found - from];
        return 1;
    }
    long code = hex4(r, r->at);
    if (code <= 0) return 0;
    r->at += 4;
    if (code >= 0xD800 && code < 0xE000) {
        long low = r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u' ? hex4(r, r->at + 2) : -1;
        if (code >= 0xDC00 || low < 0xDC00 || low >= 0xE000) return 0;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        r->at += 6;
    }
    *to = put_utf8(*to, code);
    return 1;
}

// A string, decoded in place and terminated where its closing quote was or before.
static ts_code read_string(reader* r, const char* what, const char** out_text) {
    if (!take(r, '"')) return refuse(r, what);
    char* to = r->at;
    *out_text = to;
    for (;;) {
        if (r->at >= r->end || (unsigned char)*r->at < 0x20) return refuse(r, "a string must end with a quote");
        char c = *r->at++;
        if (c == '"') break;
        if (c != '\\')
            *to++ = c;
        else if (!unescape(r, &to))
            return ts_status_set(r->status, TS_ERROR_PARSE, NULL, 0, "a string has a backslash that escapes nothing");
    }
    *to = 0;
    return TS_OK;
}

static ts_code read_number(reader* r, double* out_value) {
    skip_blanks(r);
    char word[LONGEST_NUMBER + 1];
    size_t length = 0;
    while (r->at + length < r->end && r->at[length] && strchr("+-.0123456789eE", r->at[length])) ++length;
    if (length == 0 || length > LONGEST_NUMBER) return refuse(r, "a pose holds finite numbers");
    memcpy(word, r->at, length);
    word[length] = 0;
    if (!ts_args_number(word, out_value)) return refuse(r, "a pose holds finite numbers");
    r->at += length;
    return TS_OK;
}

static ts_code read_pose(reader* r, double* out_number, int* out_count) {
    if (!take(r, '[')) return refuse(r, "a pose is an array of numbers");
    int count = 0;
    do {
        double value = 0.0;
        ts_code code = read_number(r, &value);
        if (code) return code;
        if (count < MOST_NUMBERS) out_number[count] = value;
        ++count;
    } while (take(r, ','));
    if (!take(r, ']')) return refuse(r, "an array goes on with a comma or ends with a bracket");
    *out_count = count;
    return TS_OK;
}

static ts_code read_member(reader* r, ts_pair_line* out) {
    const char* key = "";
    ts_code code = read_string(r, "a key in quotes should come here", &key);
    if (code) return code;
    // The key ends where its quote was, so the colon is still there.
    if (!take(r, ':')) return refuse(r, "a colon should follow the key");
    int repeated = (strcmp(key, "a") == 0 && out->a) || (strcmp(key, "b") == 0 && out->b) ||
                   (strcmp(key, "pose_a") == 0 && out->pose_a_count) ||
                   (strcmp(key, "pose_b") == 0 && out->pose_b_count);
    if (repeated) return ts_status_set(r->status, TS_ERROR_PARSE, NULL, 0, "the key '%s' comes twice", key);
    if (strcmp(key, "a") == 0) return read_string(r, "a shape is a string", &out->a);
    if (strcmp(key, "b") == 0) return read_string(r, "a shape is a string", &out->b);
    if (strcmp(key, "pose_a") == 0) return read_pose(r, out->pose_a, &out->pose_a_count);
    if (strcmp(key, "pose_b") == 0) return read_pose(r, out->pose_b, &out->pose_b_count);
    return ts_status_set(r->status, TS_ERROR_PARSE, NULL, 0,
                         "there is no key '%.40s': a pair has a, b, pose_a and pose_b", key);
}

// The reader writes into the line. NOLINTNEXTLINE(readability-non-const-parameter)
ts_code ts_pair_line_parse(char* line, size_t length, ts_pair_line* out, ts_status* out_status) {
    reader r = {line, line + length, out_status};
    memset(out, 0, sizeof *out);
    if (!take(&r, '{')) return refuse(&r, "a pair is a JSON object that starts with a brace");
    if (!take(&r, '}')) {
        do {
            ts_code code = read_member(&r, out);
            if (code) return code;
        } while (take(&r, ','));
        if (!take(&r, '}')) return refuse(&r, "an object goes on with a comma or ends with a brace");
    }
    skip_blanks(&r);
    if (r.at < r.end) return refuse(&r, "nothing may follow the object");
    if (!out->a || !out->b)
        return ts_status_set(out_status, TS_ERROR_PARSE, NULL, 0, "the shape '%s' is missing", out->a ? "b" : "a");
    return ts_status_ok(out_status);
}
