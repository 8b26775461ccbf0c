// base/text.h, text and files: growth, numbers that come back bit for bit in any locale, reading with its refusals, and
// writing that leaves the old file or the new one and never a stray temporary. The heap and the rename can be refused.
#include <criterion/criterion.h>

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t largest_allowed = (size_t)-1;
static int refuse_rename, refuse_write;

static void* limited_realloc(void* data, size_t size) { return size > largest_allowed ? NULL : realloc(data, size); }

static int fallible_rename(const char* from, const char* to);
static ssize_t fallible_write(int fd, const void* bytes, size_t size);

#define realloc limited_realloc
#define rename fallible_rename
#define write fallible_write
#include "base/text.c"
#undef realloc
#undef rename
#undef write

static int fallible_rename(const char* from, const char* to) {
    if (!refuse_rename) return rename(from, to);
    errno = EACCES;
    return -1;
}

// Gives a few bytes at a time, interrupted now and then; when refusing, fails after the first piece as a full disk does.
static ssize_t fallible_write(int fd, const void* bytes, size_t size) {
    static int calls;
    if (++calls % 3 == 0) {
        errno = refuse_write ? ENOSPC : EINTR;
        return -1;
    }
    return write(fd, bytes, size < 7 ? size : 7);
}

#include "base/rng.h"

static char folder[64];

static void make_folder(void) {
    snprintf(folder, sizeof folder, "/tmp/ts_text_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

// How many files the folder holds.
static int files_in_folder(void) {
    DIR* directory = opendir(folder);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void remove_folder(void) {
    DIR* directory = opendir(folder);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(path) != 0) rmdir(path);
    }
    closedir(directory);
    rmdir(folder);
}

static const char* in_folder(const char* name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

TestSuite(text_file, .init = make_folder, .fini = remove_folder);

Test(text, adds_pieces_of_every_size) {
    ts_text text = {0};
    cr_assert_str_eq(ts_text_get(&text), "");
    ts_text_add(&text, "%d-%s", 12, "ab");
    ts_text_add_bytes(&text, "xyz", 2);
    ts_text_add_bytes(&text, NULL, 0);
    cr_assert_str_eq(ts_text_get(&text), "12-abxy");
    cr_assert_eq(text.length, 7);
    char piece[3000];
    size_t expected = text.length;
    for (size_t length = 0; length < sizeof piece; length += 37) {
        memset(piece, 'a' + (int)(length % 26), length);
        piece[length] = '\0';
        ts_text_add(&text, "%s", piece);
        cr_assert_eq(memcmp(text.data + expected, piece, length + 1), 0);
        expected += length;
        cr_assert_eq(text.length, expected);
    }
    ts_text_free(&text);
    cr_assert(text.data == NULL && text.length == 0);
    ts_text_add(&text, "again");
    cr_assert_str_eq(ts_text_get(&text), "again");
    ts_text_free(&text);
}

static const char* weekday(const void* context, int i) { return ((const char* const*)context)[i]; }

// Whole names only: every size from one byte on gives the longest list that fits.
Test(text, lists_take_the_names_that_find_room) {
    static const char* const name[] = {"Mo", "Tue", "", "Thursday"};
    static const char* const wanted[] = {"", "Mo", "Mo, Tue", "Mo, Tue, ", "Mo, Tue, , Thursday"};
    for (size_t size = 1; size < 30; ++size) {
        char list[40];
        memset(list, '#', sizeof list);
        ts_text_list(weekday, name, 4, size, list);
        int longest = 0;
        for (int k = 1; k < 5; ++k)
            if (strlen(wanted[k]) < size) longest = k;
        cr_assert_str_eq(list, wanted[longest], "size %zu", size);
        for (size_t i = size; i < sizeof list; ++i) cr_assert_eq(list[i], '#');
    }
}

Test(text, short_memory_is_remembered) {
    ts_text text = {0};
    ts_text_add(&text, "kept");
    largest_allowed = 100;
    for (int k = 0; k < 50; ++k) ts_text_add(&text, "0123456789");
    cr_assert(text.failed);
    largest_allowed = (size_t)-1;
    size_t length = text.length;
    ts_text_add(&text, "ignored");
    ts_text_add_number(&text, 1.5);
    cr_assert_eq(text.length, length);
    cr_assert_eq(strncmp(ts_text_get(&text), "kept0123456789", 14), 0);
    ts_status status;
    cr_assert_eq(ts_text_write_file(&text, "/tmp/never-written", &status), TS_ERROR_MEMORY);
    cr_assert_eq(access("/tmp/never-written", F_OK), -1);
    ts_text_free(&text);
    cr_assert_not(text.failed);
    ts_text_add_bytes(&text, "", (size_t)-1);
    cr_assert(text.failed);
    ts_text_free(&text);
}

// Writes a number and reads it back; the bits must be the same.
static void check_round_trip(double value) {
    ts_text text = {0};
    ts_text_add_number(&text, value);
    double back = strtod(ts_text_get(&text), NULL);
    cr_assert_eq(memcmp(&back, &value, sizeof value), 0, "%s is not %a", ts_text_get(&text), value);
    ts_text_free(&text);
}

Test(text, numbers_come_back_bit_for_bit) {
    const double edges[] = {0.0,
                            -0.0,
                            1.0,
                            0.1,
                            1.0 / 3.0,
                            5e-324,
                            2.2250738585072014e-308,
                            1e22,
                            1e23,
                            123456,
                            1e15 + 1,
                            9007199254740993.0,
                            1.7976931348623157e308,
                            -2.5e-10};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k) check_round_trip(edges[k]);
    ts_rng rng = ts_rng_make(61, 0);
    for (int trial = 0; trial < 20000; ++trial) {
        uint64_t bits = ts_rng_bits(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) check_round_trip(value);
        check_round_trip(ts_rng_normal(&rng));
    }
}

static void check_number(double value, const char* expected) {
    ts_text text = {0};
    ts_text_add_number(&text, value);
    cr_assert_str_eq(ts_text_get(&text), expected);
    ts_text_free(&text);
}

Test(text, numbers_are_as_short_as_they_can_be) {
    check_number(0.1, "0.1");
    check_number(1.0, "1");
    check_number(-0.0, "-0");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(1e300, "1e+300");
    check_number((double)NAN, "nan");
    check_number(HUGE_VAL, "inf");
    check_number(-HUGE_VAL, "-inf");
}

Test(text, numbers_have_a_point_in_every_locale) {
    // The separator that a comma locale would have written, whether or not such a locale is installed.
    char number[32] = "-12,5e+10";
    force_point(number);
    cr_assert_str_eq(number, "-12.5e+10");
    strcpy(number, "3\xD9\xAB"
                   "25");
    force_point(number);
    cr_assert_str_eq(number, "3.25");
    strcpy(number, "1e+22");
    force_point(number);
    cr_assert_str_eq(number, "1e+22");
    const char* names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "nl_NL.UTF-8"};
    for (int k = 0; k < 4; ++k)
        if (setlocale(LC_NUMERIC, names[k])) check_number(0.1 + 0.2, "0.30000000000000004");
}

Test(text_file, what_is_written_is_read) {
    ts_text text = {0}, back = {0};
    ts_status status;
    for (int k = 0; k < 30000; ++k) ts_text_add_bytes(&text, k % 7 ? "a" : "\0\n\xff", k % 7 ? 1 : 3);
    const char* path = in_folder("file.bin");
    cr_assert_eq(ts_text_write_file(&text, path, &status), TS_OK, "%s", status.message);
    cr_assert_eq(files_in_folder(), 1);
    ts_text_add(&back, "before:");
    cr_assert_eq(ts_text_read_file(path, text.length, &back, &status), TS_OK, "%s", status.message);
    cr_assert_eq(back.length, 7 + text.length);
    cr_assert_eq(memcmp(back.data, "before:", 7), 0);
    cr_assert_eq(memcmp(back.data + 7, text.data, text.length), 0);
    ts_text_free(&text);
    ts_text_free(&back);
}

Test(text_file, empty_text_makes_an_empty_file) {
    ts_text text = {0};
    cr_assert_eq(ts_text_write_file(&text, in_folder("empty"), NULL), TS_OK);
    cr_assert_eq(ts_text_read_file(in_folder("empty"), 0, &text, NULL), TS_OK);
    cr_assert_eq(text.length, 0);
    cr_assert_str_eq(ts_text_get(&text), "");
    ts_text_free(&text);
}

Test(text_file, over_the_limit_is_refused_and_leaves_the_text_alone) {
    ts_text text = {0}, back = {0};
    ts_status status;
    for (int k = 0; k < 5000; ++k) ts_text_add(&text, "0123456789");
    cr_assert_eq(ts_text_write_file(&text, in_folder("big"), &status), TS_OK);
    ts_text_add(&back, "kept");
    cr_assert_eq(ts_text_read_file(in_folder("big"), 49999, &back, &status), TS_ERROR_MEMORY);
    cr_assert_not_null(strstr(status.message, "49999"));
    cr_assert_str_eq(ts_text_get(&back), "kept");
    cr_assert_eq(ts_text_read_file("/dev/zero", 100000, &back, &status), TS_ERROR_MEMORY);
    cr_assert_str_eq(ts_text_get(&back), "kept");
    ts_text_free(&back);  // its room from the attempts above would do
    ts_text_add(&back, "kept");
    largest_allowed = 30000;
    cr_assert_eq(ts_text_read_file(in_folder("big"), 50000, &back, &status), TS_ERROR_MEMORY);
    largest_allowed = (size_t)-1;
    cr_assert(strcmp(ts_text_get(&back), "kept") == 0 && !back.failed);
    cr_assert_eq(ts_text_read_file(in_folder("big"), 50000, &back, &status), TS_OK);
    cr_assert_eq(back.length, 50004);
    ts_text_free(&text);
    ts_text_free(&back);
}

Test(text_file, refusals_name_the_file_and_the_reason) {
    ts_text text = {0};
    ts_status status;
    cr_assert_eq(ts_text_read_file(in_folder("missing"), 100, &text, &status), TS_ERROR_FILE);
    cr_assert_str_eq(status.file, in_folder("missing"));
    cr_assert_not_null(strstr(status.message, strerror(ENOENT)), "%s", status.message);
    cr_assert_eq(ts_text_read_file(folder, 100, &text, &status), TS_ERROR_FILE);
    cr_assert_not_null(strstr(status.message, strerror(EISDIR)), "%s", status.message);
    cr_assert_eq(ts_text_read_file("", 100, &text, NULL), TS_ERROR_FILE);
    cr_assert_null(text.data);
    ts_text_add(&text, "x");
    cr_assert_eq(ts_text_write_file(&text, folder, &status), TS_ERROR_FILE);
    cr_assert_not_null(strstr(status.message, strerror(EISDIR)), "%s", status.message);
    cr_assert_eq(ts_text_write_file(&text, in_folder("no/such/place"), &status), TS_ERROR_FILE);
    cr_assert_not_null(strstr(status.message, strerror(ENOENT)), "%s", status.message);
    ts_text_free(&text);
}

Test(text_file, a_failed_write_keeps_the_old_file_and_no_other) {
    ts_text text = {0}, back = {0};
    ts_status status;
    ts_text_add(&text, "the old contents");
    cr_assert_eq(ts_text_write_file(&text, in_folder("file"), &status), TS_OK);
    ts_text_add(&text, ", replaced by something longer than one piece");
    refuse_rename = 1;
    cr_assert_eq(ts_text_write_file(&text, in_folder("file"), &status), TS_ERROR_FILE);
    cr_assert_not_null(strstr(status.message, strerror(EACCES)), "%s", status.message);
    refuse_rename = 0;
    refuse_write = 1;
    cr_assert_eq(ts_text_write_file(&text, in_folder("file"), &status), TS_ERROR_FILE);
    cr_assert_not_null(strstr(status.message, strerror(ENOSPC)), "%s", status.message);
    refuse_write = 0;
    cr_assert_eq(files_in_folder(), 1, "a temporary file was left behind");
    cr_assert_eq(ts_text_read_file(in_folder("file"), 1000, &back, &status), TS_OK);
    cr_assert_str_eq(ts_text_get(&back), "the old contents");
    ts_text_free(&text);
    ts_text_free(&back);
}

Test(text_file, replacing_keeps_permissions_and_skips_taken_names) {
    ts_text text = {0}, name = {0}, back = {0};
    ts_text_add(&text, "one");
    cr_assert_eq(ts_text_write_file(&text, in_folder("file"), NULL), TS_OK);
    cr_assert_eq(chmod(in_folder("file"), 0640), 0);
    // Someone else's file sits where the temporary one would go: it must survive.
    ts_text_add(&name, "file.%ld-0.tmp", (long)getpid());
    FILE* taken = fopen(in_folder(ts_text_get(&name)), "w");
    fclose(taken);
    cr_assert_eq(ts_text_write_file(&text, in_folder("file"), NULL), TS_OK);
    struct stat about;
    cr_assert_eq(stat(in_folder("file"), &about), 0);
    cr_assert_eq(about.st_mode & 07777, 0640);
    cr_assert_eq(files_in_folder(), 2);
    // A target that is no regular file is written to, not replaced.
    cr_assert_eq(ts_text_write_file(&text, "/dev/null", NULL), TS_OK);
    cr_assert_eq(stat("/dev/null", &about), 0);
    cr_assert(S_ISCHR(about.st_mode));
    ts_text_free(&text);
    ts_text_free(&name);
    ts_text_free(&back);
}

Test(text_file, links_stay_links) {
    ts_text text = {0}, back = {0};
    ts_text_add(&text, "through the link");
    char link_path[256], other[256];
    snprintf(link_path, sizeof link_path, "%s", in_folder("link"));
    snprintf(other, sizeof other, "%s", in_folder("file"));
    cr_assert_eq(symlink(other, link_path), 0);
    for (int round = 0; round < 2; ++round) {  // first to a file that is not there yet, then to one that is
        cr_assert_eq(ts_text_write_file(&text, link_path, NULL), TS_OK);
        struct stat about;
        cr_assert_eq(lstat(link_path, &about), 0);
        cr_assert(S_ISLNK(about.st_mode));
        cr_assert_eq(lstat(other, &about), 0);
        cr_assert(S_ISREG(about.st_mode));
        ts_text_free(&back);
        cr_assert_eq(ts_text_read_file(other, 100, &back, NULL), TS_OK);
        cr_assert_str_eq(ts_text_get(&back), ts_text_get(&text));
        cr_assert_eq(files_in_folder(), 2);
        ts_text_add(&text, ", again");
    }
    ts_text_free(&text);
    ts_text_free(&back);
}

// The vectors of RFC 4648, section 10, and bytes that are no letters.
Test(text, base64_is_that_of_the_rfc) {
    static const char* const vector[][2] = {{"", ""},
                                            {"f", "Zg=="},
                                            {"fo", "Zm8="},
                                            {"foo", "Zm9v"},
                                            {"foob", "Zm9vYg=="},
                                            {"fooba", "Zm9vYmE="},
                                            {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; ++i) {
        ts_text text = {0};
        ts_text_add_base64(&text, vector[i][0], strlen(vector[i][0]));
        cr_expect_str_eq(ts_text_get(&text), vector[i][1]);
        ts_text_free(&text);
    }
    ts_text text = {0};
    ts_text_add_base64(&text, "\xff\xfe\x00\xfb", 4);
    cr_expect_str_eq(ts_text_get(&text), "//4A+w==");
    ts_text_free(&text);
}
