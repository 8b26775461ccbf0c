// The JSON writer of base/text.h: exact text for small documents; for random ones a strict reader, written here from the
// grammar of RFC 8259, must accept every document and find the numbers that went in.
#include <criterion/criterion.h>

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

// --- a strict reader -------------------------------------------------------------------------------------------------

typedef struct reader {
    const char* at;
    int bad;
    double sum;  // of all numbers
    int values;
} reader;

static void read_value(reader* r, int depth);

static void skip_space(reader* r) { r->at += strspn(r->at, " \t\r\n"); }

static int take(reader* r, char c) {
    skip_space(r);
    if (*r->at != c) return 0;
    ++r->at;
    return 1;
}

static void read_string(reader* r) {
    if (!take(r, '"')) r->bad = 1;
    while (!r->bad && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20) {
            r->bad = 1;  // the end of the text included
        } else if (*r->at == '\\') {
            ++r->at;
            if (*r->at == 'u') {
                if (strspn(r->at + 1, "0123456789abcdefABCDEF") < 4) r->bad = 1;
                r->at += r->bad ? 0 : 5;
            } else if (*r->at && strchr("\"\\/bfnrt", *r->at)) {
                ++r->at;
            } else {
                r->bad = 1;
            }
        } else {
            ++r->at;
        }
    }
    if (!r->bad) ++r->at;
}

static void read_digits(reader* r) {
    size_t digits = strspn(r->at, "0123456789");
    if (digits == 0) r->bad = 1;
    r->at += digits;
}

static void read_number(reader* r) {
    const char* start = r->at;
    if (*r->at == '-') ++r->at;
    if (r->at[0] == '0' && r->at[1] >= '0' && r->at[1] <= '9') r->bad = 1;
    read_digits(r);
    if (*r->at == '.') {
        ++r->at;
        read_digits(r);
    }
    if (*r->at == 'e' || *r->at == 'E') {
        ++r->at;
        if (*r->at == '+' || *r->at == '-') ++r->at;
        read_digits(r);
    }
    r->sum += strtod(start, NULL);
}

static void read_members(reader* r, char end, int keyed, int depth) {
    ++r->at;
    if (take(r, end)) return;
    do {
        if (keyed) {
            read_string(r);
            if (!take(r, ':')) r->bad = 1;
        }
        read_value(r, depth + 1);
    } while (!r->bad && take(r, ','));
    if (!take(r, end)) r->bad = 1;
}

static void read_value(reader* r, int depth) {
    skip_space(r);
    r->values += 1;
    if (r->bad || depth > 40) {
        r->bad = 1;
    } else if (*r->at == '{') {
        read_members(r, '}', 1, depth);
    } else if (*r->at == '[') {
        read_members(r, ']', 0, depth);
    } else if (*r->at == '"') {
        read_string(r);
    } else if (strncmp(r->at, "true", 4) == 0 || strncmp(r->at, "null", 4) == 0) {
        r->at += 4;
    } else if (strncmp(r->at, "false", 5) == 0) {
        r->at += 5;
    } else {
        read_number(r);
    }
}

// Reads one whole document; nothing may follow.
static reader read_document(const char* text) {
    reader r = {text, 0, 0.0, 0};
    read_value(&r, 0);
    skip_space(&r);
    if (*r.at) r.bad = 1;
    return r;
}

Test(json, the_reader_itself_is_strict) {
    const char* good[] = {"1", "-0.5e+3", "[]", "{}", "[1, [2]]", "{\"a\": null}", "\"\\u00e9\\n\"", " true "};
    const char* bad[] = {"",       "01",  "1.",    "+1",  "[1,]",    "{\"a\"}", "{a: 1}",
                         "\"\n\"", "nan", "[1 2]", "1 2", "\"\\x\"", "[",       "\"a"};
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k) cr_assert_not(read_document(good[k]).bad, "%s", good[k]);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) cr_assert(read_document(bad[k]).bad, "%s", bad[k]);
}

// --- the writer ------------------------------------------------------------------------------------------------------

Test(json, a_small_document_looks_like_this) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_object(&json);
    ts_json_key(&json, "name");
    ts_json_string(&json, "box");
    ts_json_key(&json, "sizes");
    ts_json_array(&json);
    ts_json_number(&json, 0.1);
    ts_json_integer(&json, -3);
    ts_json_bool(&json, 1);
    ts_json_bool(&json, 0);
    ts_json_string(&json, NULL);
    ts_json_array_end(&json);
    ts_json_key(&json, "rows");
    ts_json_array(&json);
    for (int row = 0; row < 2; ++row) {
        ts_json_array(&json);
        ts_json_integer(&json, row);
        ts_json_array_end(&json);
    }
    ts_json_array_end(&json);
    ts_json_key(&json, "nothing");
    ts_json_object(&json);
    ts_json_object_end(&json);
    ts_json_key(&json, "none");
    ts_json_array(&json);
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    cr_assert_str_eq(ts_text_get(&text), "{\n"
                                         "  \"name\": \"box\",\n"
                                         "  \"sizes\": [0.1, -3, true, false, null],\n"
                                         "  \"rows\": [\n"
                                         "    [0],\n"
                                         "    [1]\n"
                                         "  ],\n"
                                         "  \"nothing\": {},\n"
                                         "  \"none\": []\n"
                                         "}");
    cr_assert_not(text.failed);
    ts_text_free(&text);
}

Test(json, a_key_and_its_value_in_one_call) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_object(&json);
    ts_json_add_string(&json, "name", NULL);
    ts_json_add_object(&json, "inner");
    ts_json_add_number(&json, "x", 0.5);
    ts_json_add_integer(&json, "n", -7);
    ts_json_add_bool(&json, "yes", 2);
    ts_json_object_end(&json);
    ts_json_add_array(&json, "list");
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    cr_assert_str_eq(ts_text_get(&text), "{\n"
                                         "  \"name\": null,\n"
                                         "  \"inner\": {\n"
                                         "    \"x\": 0.5,\n"
                                         "    \"n\": -7,\n"
                                         "    \"yes\": true\n"
                                         "  },\n"
                                         "  \"list\": []\n"
                                         "}");
    cr_assert_not(text.failed);
    ts_text_free(&text);
}

Test(json, a_document_may_be_a_single_value) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_integer(&json, INT64_MIN);
    cr_assert_str_eq(ts_text_get(&text), "-9223372036854775808");
    ts_text_free(&text);
}

// What a string becomes, quotes included.
static void check_string(const char* value, const char* expected) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_string(&json, value);
    cr_assert_str_eq(ts_text_get(&text), expected, "%s", ts_text_get(&text));
    cr_assert_not(read_document(ts_text_get(&text)).bad);
    ts_text_free(&text);
}

#define REPLACED "\xEF\xBF\xBD"

Test(json, strings_are_escaped) {
    check_string("", "\"\"");
    check_string("plain", "\"plain\"");
    check_string("say \"hi\"", "\"say \\\"hi\\\"\"");
    check_string("C:\\dir/file", "\"C:\\\\dir/file\"");
    check_string("a\nb\tc\rd\be\ff", "\"a\\nb\\tc\\rd\\be\\ff\"");
    check_string("\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\"");
    // Characters of two, three and four bytes pass unchanged; so do the last ones of each length.
    check_string("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
    check_string("\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF", "\"\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\"");
    check_string("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"");
    check_string("\xED\x9F\xBF\xEE\x80\x80", "\"\xED\x9F\xBF\xEE\x80\x80\"");
}

Test(json, bytes_that_are_no_utf8_are_replaced_one_by_one) {
    check_string("a\x80z", "\"a" REPLACED "z\"");                        // a lone continuation
    check_string("\xC3z", "\"" REPLACED "z\"");                          // cut short by a letter
    check_string("\xE2\x82", "\"" REPLACED REPLACED "\"");               // cut short by the end
    check_string("\xF0\x9F\x98", "\"" REPLACED REPLACED REPLACED "\"");  // the same, four bytes
    check_string("\xC0\xAF", "\"" REPLACED REPLACED "\"");               // an overlong slash
    check_string("\xE0\x9F\xBF", "\"" REPLACED REPLACED REPLACED "\"");  // overlong, three bytes
    check_string("\xF0\x8F\xBF\xBF", "\"" REPLACED REPLACED REPLACED REPLACED "\"");
    check_string("\xED\xA0\x80", "\"" REPLACED REPLACED REPLACED "\"");  // half of a surrogate pair
    check_string("\xF4\x90\x80\x80", "\"" REPLACED REPLACED REPLACED REPLACED "\"");
    check_string("\xFF\xFE", "\"" REPLACED REPLACED "\"");
    check_string("\xF5\x80\x80\x80", "\"" REPLACED REPLACED REPLACED REPLACED "\"");
}

Test(json, keys_are_escaped_like_strings) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_object(&json);
    ts_json_key(&json, "a\"\n\x80");
    ts_json_bool(&json, 1);
    ts_json_object_end(&json);
    cr_assert_str_eq(ts_text_get(&text), "{\n  \"a\\\"\\n" REPLACED "\": true\n}");
    ts_text_free(&text);
}

Test(json, numbers_that_json_lacks_become_null) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_array(&json);
    ts_json_number(&json, (double)NAN);
    ts_json_number(&json, HUGE_VAL);
    ts_json_number(&json, -HUGE_VAL);
    ts_json_number(&json, -0.0);
    ts_json_array_end(&json);
    cr_assert_str_eq(ts_text_get(&text), "[null, null, null, -0]");
    ts_text_free(&text);
}

Test(json, thirty_two_levels_deep) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    for (int level = 0; level < 32; ++level) {
        if (level % 2) {
            ts_json_object(&json);
            ts_json_key(&json, "k");
        } else {
            ts_json_array(&json);
        }
    }
    ts_json_integer(&json, 5);
    for (int level = 31; level >= 0; --level) level % 2 ? ts_json_object_end(&json) : ts_json_array_end(&json);
    cr_assert_not(text.failed);
    reader r = read_document(ts_text_get(&text));
    cr_assert(!r.bad && r.sum == 5.0 && r.values == 33);
    ts_text_free(&text);
}

typedef struct expected {
    double sum;
    int values;
} expected;

// Writes a random value; strings are random bytes.
static void write_random(ts_json* json, ts_rng* rng, int depth, expected* e) {
    e->values += 1;
    switch (ts_rng_bits(rng) % (depth < 6 ? 7 : 5)) {
    case 0: {
        double value = ldexp(1.0, (int)(ts_rng_bits(rng) % 40) - 20);  // sums of these are exact
        e->sum += value;
        ts_json_number(json, value);
        break;
    }
    case 1:
        e->sum += depth;
        ts_json_integer(json, depth);
        break;
    case 2: ts_json_bool(json, (int)(ts_rng_bits(rng) & 1)); break;
    case 3: ts_json_string(json, NULL); break;
    case 4: {
        char bytes[20];
        for (int k = 0; k < 19; ++k) bytes[k] = (char)ts_rng_bits(rng);
        bytes[19] = '\0';
        ts_json_string(json, bytes);
        break;
    }
    case 5:
        ts_json_array(json);
        for (uint64_t n = ts_rng_bits(rng) % 6; n > 0; --n) write_random(json, rng, depth + 1, e);
        ts_json_array_end(json);
        break;
    default:
        ts_json_object(json);
        for (uint64_t n = ts_rng_bits(rng) % 6; n > 0; --n) {
            ts_json_key(json, n % 2 ? "key" : "\\\"");
            write_random(json, rng, depth + 1, e);
        }
        ts_json_object_end(json);
    }
}

Test(json, random_documents_are_well_formed_and_complete) {
    for (uint64_t stream = 0; stream < 3000; ++stream) {
        ts_rng rng = ts_rng_make(71, stream);
        ts_text text = {0};
        ts_json json = ts_json_begin(&text);
        expected e = {0.0, 0};
        write_random(&json, &rng, 0, &e);
        reader r = read_document(ts_text_get(&text));
        cr_assert(!r.bad && !text.failed, "stream %d:\n%s", (int)stream, ts_text_get(&text));
        cr_assert(r.sum == e.sum && r.values == e.values, "stream %d:\n%s", (int)stream, ts_text_get(&text));
        ts_text_free(&text);
    }
}

// --- misuse: an assertion in a debug build, a text marked as failed in a release build ---------------------------------

#ifdef NDEBUG
#define MISUSE(name) Test(json_misuse, name)
#else
#define MISUSE(name) Test(json_misuse, name, .signal = SIGABRT)
#endif

MISUSE(value_without_key) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_object(&json);
    ts_json_integer(&json, 1);
    cr_assert(text.failed);
    ts_text_free(&text);
}

MISUSE(key_in_an_array) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_array(&json);
    ts_json_key(&json, "k");
    cr_assert(text.failed);
    ts_text_free(&text);
}

MISUSE(wrong_end) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_array(&json);
    ts_json_object_end(&json);
    cr_assert(text.failed);
    ts_text_free(&text);
}

MISUSE(key_without_value) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_object(&json);
    ts_json_key(&json, "k");
    ts_json_object_end(&json);
    cr_assert(text.failed);
    ts_text_free(&text);
}

MISUSE(second_document) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_json_integer(&json, 1);
    ts_json_integer(&json, 2);
    cr_assert(text.failed);
    ts_text_free(&text);
}

MISUSE(too_deep) {
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    for (int level = 0; level < 33; ++level) ts_json_array(&json);
    cr_assert(text.failed);
    ts_text_free(&text);
}
