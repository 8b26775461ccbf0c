// Text that grows, files in one piece, and a JSON writer.
//
// Numbers are written with the fewest of 15, 16 or 17 significant digits that read back as the same bits (17 always do),
// with a point whatever the program's locale says; decimal.c knows a quick way for nearly all of them. A file is written
// under a temporary name beside its target and then renamed over it (POSIX: atomic), so a reader sees the old file or the
// new one, never half of it; targets that are not regular files (a terminal, a pipe) are written directly. The JSON writer
// knows which container it is in; calls that would break the grammar stop a debug build and mark the text as failed in a
// release build, so that it is never saved.
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/decimal_internal.h"

// --- text ------------------------------------------------------------------------------------------------------------

// Makes room for `extra` more bytes and the terminator.
static int text_reserve(ts_text* text, size_t extra) {
    if (text->failed) return 0;
    if (extra >= SIZE_MAX / 2 - text->length) {
        text->failed = 1;
        return 0;
    }
    size_t wanted = text->length + extra + 1;
    if (wanted <= text->capacity) return 1;
    size_t grown = text->capacity + text->capacity / 2;
    if (grown < wanted) grown = wanted;
    if (grown < 64) grown = 64;
    char* moved = (char*)realloc(text->data, grown);
    if (!moved) {
        text->failed = 1;
        return 0;
    }
    text->data = moved;
    text->capacity = grown;
    return 1;
}

void ts_text_add_bytes(ts_text* text, const char* bytes, size_t length) {
    if (!text_reserve(text, length)) return;
    if (length) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void ts_text_add(ts_text* text, const char* format, ...) {
    char local[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(local, sizeof local, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = 1;
        return;
    }
    if ((size_t)length < sizeof local) {
        ts_text_add_bytes(text, local, (size_t)length);
        return;
    }
    if (!text_reserve(text, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

// Replaces whatever the locale uses as a decimal separator (one or more bytes) by a point.
static void force_point(char* number) {
    size_t before = strspn(number, "+-0123456789");
    size_t separator = strcspn(number + before, "+-0123456789eE");
    if (separator == 0) return;
    number[before] = '.';
    memmove(number + before + 1, number + before + separator, strlen(number + before + separator) + 1);
}

void ts_text_add_number(ts_text* text, double value) {
    if (isnan(value)) {
        ts_text_add_bytes(text, "nan", 3);
        return;
    }
    if (isinf(value)) {
        ts_text_add(text, "%s", value > 0.0 ? "inf" : "-inf");
        return;
    }
    char number[64];
    size_t length = ts_decimal_write(value, number);
    if (length > 0) {
        ts_text_add_bytes(text, number, length);
        return;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) break;
    }
    force_point(number);
    ts_text_add_bytes(text, number, strlen(number));
}

void ts_text_add_base64(ts_text* text, const void* bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char* b = (const unsigned char*)bytes;
    for (size_t i = 0; i < count; i += 3) {
        unsigned b1 = i + 1 < count ? b[i + 1] : 0u;
        unsigned b2 = i + 2 < count ? b[i + 2] : 0u;
        unsigned group = (unsigned)b[i] << 16 | b1 << 8 | b2;
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63u], i + 1 < count ? digits[group >> 6 & 63u] : '=',
                        i + 2 < count ? digits[group & 63u] : '='};
        ts_text_add_bytes(text, four, 4);
    }
}

const char* ts_text_get(const ts_text* text) { return text->data ? text->data : ""; }

size_t ts_text_mark(const char* text, size_t length) {
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

void ts_text_free(ts_text* text) {
    free(text->data);
    memset(text, 0, sizeof *text);
}

// --- files -----------------------------------------------------------------------------------------------------------

// Appends what is left of `fd`, at most `limit` bytes.
static ts_code read_all(int fd, const char* path, size_t limit, ts_text* text, ts_status* out_status) {
    char local[16384];
    size_t total = 0;
    for (;;) {
        ssize_t got = read(fd, local, sizeof local);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot read: %s", strerror(errno));
        if (got == 0) return ts_status_ok(out_status);
        if ((size_t)got > limit - total)
            return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "larger than the limit of %zu bytes", limit);
        total += (size_t)got;
        ts_text_add_bytes(text, local, (size_t)got);
        if (text->failed) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory while reading");
    }
}

void ts_text_list(ts_text_name name, const void* context, int count, size_t size, char* out_list) {
    size_t used = 0;
    out_list[0] = '\0';
    for (int i = 0; i < count; ++i) {
        const char* one = name(context, i);
        size_t comma = i > 0 ? 2 : 0, length = strlen(one);
        if (used + comma + length >= size) return;
        memcpy(out_list + used, ", ", comma);
        memcpy(out_list + used + comma, one, length + 1);
        used += comma + length;
    }
}

ts_code ts_text_read_file(const char* path, size_t limit, ts_text* out_text, ts_status* out_status) {
    if (out_text->failed) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory before reading");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot open: %s", strerror(errno));
    struct stat about;
    ts_code code;
    size_t before = out_text->length;
    if (fstat(fd, &about) != 0)
        code = ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot examine: %s", strerror(errno));
    else if (S_ISDIR(about.st_mode))
        code = ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot read: %s", strerror(EISDIR));
    else
        code = read_all(fd, path, limit, out_text, out_status);
    close(fd);
    if (code != TS_OK) {
        // Nothing half-done: the text is what it was.
        out_text->length = before;
        out_text->failed = 0;
        if (out_text->data) out_text->data[before] = '\0';
    }
    return code;
}

// Writes all bytes and closes fd; returns 0 or the errno of what failed.
static int write_and_close(int fd, const char* bytes, size_t length) {
    int problem = 0;
    while (length > 0 && !problem) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0) {
            if (errno != EINTR) problem = errno;
            continue;
        }
        bytes += put;
        length -= (size_t)put;
    }
    if (close(fd) != 0 && !problem) problem = errno;
    return problem;
}

// Creates a file that did not exist beside `path` and writes its name; -1 with errno when it cannot.
static int create_beside(const char* path, ts_text* out_name) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        out_name->length = 0;
        ts_text_add(out_name, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
        if (out_name->failed) {
            errno = ENOMEM;
            return -1;
        }
        int fd = open(out_name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

// Replaces the regular (or missing) file `path`; returns 0 or an errno. `mode` is the old file's, or 0.
static int replace_file(const char* path, mode_t mode, const char* bytes, size_t length) {
    ts_text name = {0};
    int fd = create_beside(path, &name);
    if (fd < 0) {
        int problem = errno;
        ts_text_free(&name);
        return problem;
    }
    if (mode) (void)fchmod(fd, mode);  // keeps permissions where it can; not worth failing for
    int problem = write_and_close(fd, bytes, length);
    if (!problem && rename(name.data, path) != 0) problem = errno;
    if (problem) (void)unlink(name.data);
    ts_text_free(&name);
    return problem;
}

// Writes into what `path` names, without a rename; returns 0 or an errno.
static int write_in_place(const char* path, int flags, const char* bytes, size_t length) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    return fd < 0 ? errno : write_and_close(fd, bytes, length);
}

ts_code ts_text_write_file(const ts_text* text, const char* path, ts_status* out_status) {
    if (text->failed) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "not written: the text is incomplete");
    const char* bytes = ts_text_get(text);
    struct stat about, link_about;
    int exists = stat(path, &about) == 0;
    int is_link = lstat(path, &link_about) == 0 && S_ISLNK(link_about.st_mode);
    int problem;
    if (exists && S_ISDIR(about.st_mode)) {
        problem = EISDIR;
    } else if (exists && !S_ISREG(about.st_mode)) {
        problem = write_in_place(path, 0, bytes, text->length);
    } else if (is_link) {
        // A rename would replace the link (think of /dev/stdout), so the file it leads to is replaced instead; where that
        // has no name, being deleted or not there yet, it is written in place.
        char* target = realpath(path, NULL);
        problem = target ? replace_file(target, about.st_mode & 07777, bytes, text->length)
                         : write_in_place(path, O_CREAT | O_TRUNC, bytes, text->length);
        free(target);
    } else {
        problem = replace_file(path, exists ? about.st_mode & 07777 : 0, bytes, text->length);
    }
    if (problem) return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot write: %s", strerror(problem));
    return ts_status_ok(out_status);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

enum { JSON_LEVELS = 32 };
// What has_item[level] remembers of the container at that level.
enum { LEVEL_HAS_ITEM = 1, LEVEL_IS_OBJECT = 2, LEVEL_BROKEN_LINES = 4 };
// What after_key can be.
enum { EXPECT_ITEM = 0, EXPECT_VALUE_OF_KEY = 1, ROOT_DONE = 2 };

// A call that would break the grammar is a programmer's mistake; the text must then never be taken for JSON.
static int json_refuse(ts_json* json) {
    TS_ASSERT(!"this call would make malformed JSON");
    json->text->failed = 1;
    return 0;
}

static void json_line(ts_json* json) { ts_text_add(json->text, "\n%*s", 2 * json->depth, ""); }

// Comma, line break and bookkeeping before a value. Plain values in an array share a line, containers start their own.
static int json_before_value(ts_json* json, int is_container) {
    if (json->depth == 0) {
        if (json->after_key == ROOT_DONE) return json_refuse(json);
        json->after_key = ROOT_DONE;
        return 1;
    }
    unsigned char* level = &json->has_item[json->depth - 1];
    if (*level & LEVEL_IS_OBJECT) {
        if (json->after_key != EXPECT_VALUE_OF_KEY) return json_refuse(json);
        json->after_key = EXPECT_ITEM;
        return 1;
    }
    if (*level & LEVEL_HAS_ITEM) ts_text_add_bytes(json->text, ",", 1);
    if (is_container) {
        *level |= LEVEL_BROKEN_LINES;
        json_line(json);
    } else if (*level & LEVEL_HAS_ITEM) {
        ts_text_add_bytes(json->text, " ", 1);
    }
    *level |= LEVEL_HAS_ITEM;
    return 1;
}

static void json_open(ts_json* json, const char* bracket, unsigned char level) {
    if (json->depth >= JSON_LEVELS) {
        (void)json_refuse(json);
        return;
    }
    if (!json_before_value(json, 1)) return;
    ts_text_add_bytes(json->text, bracket, 1);
    json->after_key = EXPECT_ITEM;
    json->has_item[json->depth++] = level;
}

static void json_close(ts_json* json, const char* bracket, unsigned char kind) {
    if (json->depth == 0 || (json->has_item[json->depth - 1] & LEVEL_IS_OBJECT) != kind ||
        json->after_key == EXPECT_VALUE_OF_KEY) {
        (void)json_refuse(json);
        return;
    }
    unsigned char level = json->has_item[--json->depth];
    if (level & LEVEL_BROKEN_LINES) json_line(json);
    ts_text_add_bytes(json->text, bracket, 1);
    if (json->depth == 0) json->after_key = ROOT_DONE;
}

// Length of the well-formed UTF-8 character at s (Unicode 15, table 3-7), or 0. Never reads past the terminator.
static size_t utf8_length(const unsigned char* s) {
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
    for (size_t k = 1; k < length; ++k)
        if ((s[k] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;  // longer than needed
    if (s[0] == 0xED && s[1] > 0x9F) return 0;  // surrogate halves
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;  // longer than needed
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;  // beyond U+10FFFF
    return length;
}

// A quoted, escaped string. Bytes that are no UTF-8 become U+FFFD, one each.
static void json_quote(ts_text* text, const char* value) {
    static const char plain_escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    ts_text_add_bytes(text, "\"", 1);
    const unsigned char* s = (const unsigned char*)value;
    while (*s) {
        const char* escape = NULL;
        for (const char* e = plain_escapes; *e && !escape; e += 2)
            if (*s == (unsigned char)*e) escape = e + 1;
        size_t length = utf8_length(s);
        if (escape)
            ts_text_add(text, "\\%c", *escape);
        else if (*s < 0x20)
            ts_text_add(text, "\\u%04x", *s);
        else if (length == 0)
            ts_text_add_bytes(text, "\xEF\xBF\xBD", 3);
        else
            ts_text_add_bytes(text, (const char*)s, length);
        s += length ? length : 1;
    }
    ts_text_add_bytes(text, "\"", 1);
}

ts_json ts_json_begin(ts_text* text) {
    ts_json json;
    memset(&json, 0, sizeof json);
    json.text = text;
    return json;
}

void ts_json_object(ts_json* json) { json_open(json, "{", LEVEL_IS_OBJECT | LEVEL_BROKEN_LINES); }

void ts_json_object_end(ts_json* json) {
    // An empty object stays on its line.
    if (json->depth > 0 && !(json->has_item[json->depth - 1] & LEVEL_HAS_ITEM))
        json->has_item[json->depth - 1] &= (unsigned char)~LEVEL_BROKEN_LINES;
    json_close(json, "}", LEVEL_IS_OBJECT);
}

void ts_json_array(ts_json* json) { json_open(json, "[", 0); }

void ts_json_array_end(ts_json* json) { json_close(json, "]", 0); }

void ts_json_key(ts_json* json, const char* key) {
    if (json->depth == 0 || !(json->has_item[json->depth - 1] & LEVEL_IS_OBJECT) || json->after_key != EXPECT_ITEM) {
        (void)json_refuse(json);
        return;
    }
    unsigned char* level = &json->has_item[json->depth - 1];
    if (*level & LEVEL_HAS_ITEM) ts_text_add_bytes(json->text, ",", 1);
    *level |= LEVEL_HAS_ITEM;
    json_line(json);
    json_quote(json->text, key);
    ts_text_add_bytes(json->text, ": ", 2);
    json->after_key = EXPECT_VALUE_OF_KEY;
}

void ts_json_string(ts_json* json, const char* value) {
    if (!json_before_value(json, 0)) return;
    if (value)
        json_quote(json->text, value);
    else
        ts_text_add_bytes(json->text, "null", 4);
}

void ts_json_number(ts_json* json, double value) {
    if (!json_before_value(json, 0)) return;
    if (isfinite(value))
        ts_text_add_number(json->text, value);
    else
        ts_text_add_bytes(json->text, "null", 4);
}

void ts_json_integer(ts_json* json, long long value) {
    if (json_before_value(json, 0)) ts_text_add(json->text, "%lld", value);
}

void ts_json_bool(ts_json* json, int value) {
    if (json_before_value(json, 0)) ts_text_add(json->text, "%s", value ? "true" : "false");
}
