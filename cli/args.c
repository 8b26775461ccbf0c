// Parsing against a table of flags, help from the same table, and the nearest known name for a mistyped one.
//
// Nearness is the edit distance with swaps of neighbours (optimal string alignment): one row of the usual table per
// letter. A name is offered when at most a third of its letters, or two, would have to change, or when a quarter of the word's would to make a beginning of it.
#include "cli/args.h"

#include "cli/video/video_internal.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NAME = 63 };

// Nothing given.
static ts_args no_args(void) {
    ts_args args;
    memset(&args, 0, sizeof args);
    args.time = (double)NAN;
    args.dt = (double)NAN;
    args.png_time = args.rate = args.slow = (double)NAN;
    args.tolerance = (double)NAN;
    args.time_limit = (double)NAN;
    args.span = args.spread = args.stiffness = args.damping = args.restitution = args.mu = args.mass = (double)NAN;
    args.seed = -1;
    return args;
}

static int minimum(int a, int b) { return a < b ? a : b; }

// How far a word is from a name, and from the nearest beginning of it.
typedef struct nearness {
    int whole;
    int beginning;
} nearness;

static nearness edit_distance(const char* word, const char* name) {
    int la = (int)strlen(word);
    int lb = (int)strlen(name);
    nearness near = {LONGEST_NAME, LONGEST_NAME};
    if (la > LONGEST_NAME || lb > LONGEST_NAME) return near;
    int row[3][LONGEST_NAME + 1] = {{0}};  // the last three rows of the table, in turn
    for (int j = 0; j <= lb; ++j) row[0][j] = j;
    for (int i = 1; i <= la; ++i) {
        int* now = row[i % 3];
        const int* before = row[(i + 2) % 3];
        const int* earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= lb; ++j) {
            int cost = word[i - 1] != name[j - 1];
            now[j] = minimum(minimum(before[j] + 1, now[j - 1] + 1), before[j - 1] + cost);
            if (i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1])
                now[j] = minimum(now[j], earlier[j - 2] + 1);
        }
    }
    near.whole = row[la % 3][lb];
    for (int j = 0; j <= lb; ++j) near.beginning = minimum(near.beginning, row[la % 3][j]);
    return near;
}

// How many letters would have to change, or LONGEST_NAME where that is too many. What was left out counts as one: "pile" for "pile-1000", "lemke" for "lcp-lemke".
static int changes(const char* word, const char* name) {
    int length = (int)strlen(word);
    int most = (int)strlen(name) / 3;
    nearness near = edit_distance(word, name);
    int found = LONGEST_NAME;
    // A short word is near to everything: at least one letter must stay.
    if (near.whole <= (most < 2 ? 2 : most) && near.whole < length) found = near.whole;
    if (length > 1 && near.beginning <= length / 4) found = minimum(found, near.beginning + 1);
    if (length > 2 && strstr(name, word)) found = minimum(found, 1);
    return found;
}

static int common_start(const char* a, const char* b) {
    int n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

// The nearest name, or NULL when none is near. Of several the one that begins in the same way longest, then the first.
static const char* nearest_name(const char* wanted, ts_text_name name, const void* context, int count) {
    const char* best = NULL;
    int least = LONGEST_NAME, start = 0;
    for (int i = 0; i < count; ++i) {
        const char* candidate = name(context, i);
        int distance = changes(wanted, candidate), common = common_start(wanted, candidate);
        if (distance > least || distance == LONGEST_NAME || (distance == least && common <= start)) continue;
        best = candidate;
        least = distance;
        start = common;
    }
    return best;
}

const char* ts_args_hint(const char* wanted, ts_text_name name, const void* context, int count, const char* otherwise,
                         char room[TS_ARGS_HINT]) {
    const char* nearest = nearest_name(wanted, name, context, count);
    if (nearest) snprintf(room, TS_ARGS_HINT, "; did you mean '%s'?", nearest);
    return nearest ? room : otherwise;
}

// A decimal number at the beginning of a text; returns what follows it, NULL where there is none.
static const char* take_decimal(const char* text, double* out_value) {
    // strtod would also take hexadecimal, "inf" and leading blanks.
    if (!text[0] || !strchr("+-.0123456789", text[0])) return NULL;
    char* end = NULL;
    *out_value = strtod(text, &end);
    if (end == text || strspn(text, "+-.0123456789eE") < (size_t)(end - text)) return NULL;
    return end;
}

int ts_args_number(const char* text, double* out_value) {
    double above = 0.0, below = 1.0;
    const char* rest = take_decimal(text, &above);
    if (rest && rest[0] == '/') rest = take_decimal(rest + 1, &below);
    if (!rest || rest[0] || !isfinite(above / below)) return 0;
    *out_value = above / below;
    return 1;
}

static const char* flag_name(const void* context, int i) { return ((const ts_flag*)context)[i].name; }

static const ts_flag* find_flag(const ts_command* command, const char* name, size_t length) {
    for (int i = 0; i < command->flag_count; ++i)
        if (strlen(command->flag[i].name) == length && strncmp(command->flag[i].name, name, length) == 0)
            return &command->flag[i];
    return NULL;
}

static ts_code unknown_flag(const ts_command* command, const char* text, size_t length, ts_status* out_status) {
    char name[LONGEST_NAME + 1];
    snprintf(name, sizeof name, "%.*s", (int)(length > LONGEST_NAME ? LONGEST_NAME : length), text);
    const char* nearest = nearest_name(name, flag_name, command->flag, command->flag_count);
    if (nearest)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' has no flag %s; did you mean %s?",
                             command->name, name, nearest);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' has no flag %s", command->name, name);
}

static ts_code set_number(const ts_flag* flag, const char* value, void* target, ts_status* out_status) {
    double number = 0.0;
    int whole = flag->kind == TS_FLAG_INTEGER;
    if (!ts_args_number(value, &number) || (whole && number != floor(number)))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes %s, not '%s'", flag->name,
                             whole ? "a whole number" : "a number", value);
    if (number < flag->low || number > flag->high)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s %s is out of range (%g to %g)", flag->name, value,
                             flag->low, flag->high);
    if (whole)
        *(int*)target = (int)number;
    else
        *(double*)target = number;
    return TS_OK;
}

static ts_code set_size(const ts_flag* flag, const char* value, ts_args* args, ts_status* out_status) {
    int width = 0;
    int height = 0;
    int used = 0;
    if (strspn(value, "0123456789x") != strlen(value) || strlen(value) > 11 ||
        sscanf(value, "%dx%d%n", &width, &height, &used) != 2 || value[used])
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes WIDTHxHEIGHT, such as 1280x720, not '%s'",
                             flag->name, value);
    if (width < flag->low || height < flag->low || width > flag->high || height > flag->high)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s %s is out of range (each %g to %g)", flag->name,
                             value, flag->low, flag->high);
    args->width = width;
    args->height = height;
    return TS_OK;
}

// Bytes of one kind under the name of another serve nobody. `endings` is a list such as ".csv or .h5".
static ts_code set_file(const ts_flag* flag, const char* value, const char* endings, int may_lack, const char** target,
                        ts_status* out_status) {
    const char* slash = strrchr(value, '/');
    const char* suffix = strrchr(slash ? slash : value, '.');
    size_t length = suffix ? strlen(suffix) : 0;
    int known = !suffix && may_lack;
    for (const char* at = endings; suffix && *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        known = known || (size == length && strncasecmp(at, suffix, size) == 0);
        at += size;
    }
    if (!known)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s: '%s' should end in %s", flag->name, value,
                             endings);
    *target = value;
    return TS_OK;
}

static ts_code set_video(const ts_flag* flag, const char* value, const char** target, ts_status* out_status) {
    if (!ts_video_is_name(value))
        return ts_status_set(
            out_status, TS_ERROR_VALUE, NULL, 0,
            "%s writes .gif, .png, .mp4, .webm, .mkv or .mov, by the end of its name, which '%s' does not have",
            flag->name, value);
    *target = value;
    return TS_OK;
}

static ts_code add_pair(const ts_flag* flag, const char* value, const char** pair, int* count, ts_status* out_status) {
    if (value[0] == '=' || !strchr(value, '='))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes %s, not '%s'", flag->name, flag->value,
                             value);
    if (*count == TS_ARGS_PAIRS)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "more than %d times %s", (int)TS_ARGS_PAIRS,
                             flag->name);
    pair[(*count)++] = value;
    return TS_OK;
}

static ts_code set_flag(const ts_flag* flag, const char* value, ts_args* args, ts_status* out_status) {
    void* target = (char*)args + flag->offset;
    switch (flag->kind) {
    case TS_FLAG_SWITCH: *(int*)target = 1; return TS_OK;
    case TS_FLAG_TEXT:
    case TS_FLAG_PICTURE:
    case TS_FLAG_PAGE:
    case TS_FLAG_SHEET:
    case TS_FLAG_LOG:
    case TS_FLAG_VIDEO:
        if (!value[0]) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes a value", flag->name);
        if (flag->kind == TS_FLAG_PICTURE) return set_file(flag, value, ".png", 1, target, out_status);
        if (flag->kind == TS_FLAG_PAGE) return set_file(flag, value, ".html or .htm", 0, target, out_status);
        if (flag->kind == TS_FLAG_SHEET) return set_file(flag, value, ".csv", 1, target, out_status);
        if (flag->kind == TS_FLAG_LOG) return set_file(flag, value, ".csv or .h5 or .hdf5", 1, target, out_status);
        if (flag->kind == TS_FLAG_VIDEO) return set_video(flag, value, target, out_status);
        *(const char**)target = value;
        return TS_OK;
    case TS_FLAG_NUMBER:
    case TS_FLAG_INTEGER: return set_number(flag, value, target, out_status);
    case TS_FLAG_SIZE: return set_size(flag, value, args, out_status);
    case TS_FLAG_PAIR: return add_pair(flag, value, args->pair, &args->pair_count, out_status);
    case TS_FLAG_CONTROL: return add_pair(flag, value, args->ctrl, &args->ctrl_count, out_status);
    case TS_FLAG_VARY: return add_pair(flag, value, args->vary, &args->vary_count, out_status);
    }
    return TS_OK;
}

static ts_code set_subject(const ts_command* command, char** argv, char* text, ts_args* args, ts_status* out_status) {
    if (!command->subject && find_flag(command, "--only", strlen("--only")))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' takes no '%s'; did you mean --only %s?",
                             command->name, text, text);
    if (!command->subject)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' takes no '%s'", command->name, text);
    if (strstr(command->subject, "...")) {
        // Gathered at the front of argv, which has been read up to here.
        args->file = argv;
        argv[args->file_count++] = text;
        args->subject = argv[0];
        return TS_OK;
    }
    int pair = strchr(command->subject, ' ') != NULL;
    if (args->second)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' takes two of them: what is '%s'?",
                             command->name, text);
    if (args->subject && !pair)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' takes one %s: what is '%s'?", command->name,
                             command->subject, text);
    if (args->subject)
        args->second = text;
    else
        args->subject = text;
    return TS_OK;
}

ts_code ts_args_parse(const ts_command* command, int argc, char** argv, ts_args* out_args, ts_status* out_status) {
    *out_args = no_args();
    out_args->word = argv;
    out_args->word_count = argc;
    int flags_end = 0;
    for (int i = 0; i < argc; ++i) {
        const char* text = argv[i];
        ts_code code = TS_OK;
        if (flags_end || text[0] != '-' || !text[1]) {
            code = set_subject(command, argv, argv[i], out_args, out_status);
        } else if (strcmp(text, "--") == 0) {
            flags_end = 1;
        } else {
            if (strcmp(text, "-h") == 0) text = "--help";
            size_t length = strcspn(text, "=");
            const ts_flag* flag = find_flag(command, text, length);
            if (!flag) return unknown_flag(command, text, length, out_status);
            const char* value = text[length] ? text + length + 1 : NULL;
            if (flag->kind == TS_FLAG_SWITCH && value)
                return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s takes no value", flag->name);
            if (flag->kind != TS_FLAG_SWITCH && !value) {
                if (i + 1 == argc)
                    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s needs a value (%s)", flag->name,
                                         flag->value);
                value = argv[++i];
            }
            code = set_flag(flag, value, out_args, out_status);
        }
        if (code) return code;
    }
    if (command->subject && command->subject[0] != '[' && !out_args->subject && !out_args->help)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' needs %s", command->name, command->subject);
    return ts_status_ok(out_status);
}

// "usage: touchstone run SCENE [--solver NAME] ...", wrapped.
static void add_usage(const ts_command* command, ts_text* text) {
    size_t line = text->length;
    ts_text_add(text, "usage: touchstone %s", command->name);
    if (command->subject) ts_text_add(text, " %s", command->subject);
    for (int i = 0; i < command->flag_count; ++i) {
        const ts_flag* flag = &command->flag[i];
        char piece[64];
        snprintf(piece, sizeof piece, "[%s%s%s]%s", flag->name, flag->value ? " " : "", flag->value ? flag->value : "",
                 flag->kind == TS_FLAG_PAIR || flag->kind == TS_FLAG_CONTROL || flag->kind == TS_FLAG_VARY ? "..."
                                                                                                           : "");
        if (text->length - line + strlen(piece) > 90) {
            ts_text_add(text, "\n      ");
            line = text->length - 6;
        }
        ts_text_add(text, " %s", piece);
    }
}

void ts_args_help(const ts_command* command, ts_text* text) {
    ts_text_add(text, "touchstone %s - %s\n\n", command->name, command->summary);
    add_usage(command, text);
    ts_text_add(text, "\n\n%s\n\nflags:\n", command->description);
    int width = 20;
    for (int i = 0; i < command->flag_count; ++i) {
        const ts_flag* flag = &command->flag[i];
        int length = (int)strlen(flag->name) + (flag->value ? 1 + (int)strlen(flag->value) : 0);
        if (length > width) width = length;
    }
    for (int i = 0; i < command->flag_count; ++i) {
        const ts_flag* flag = &command->flag[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", flag->name, flag->value ? " " : "", flag->value ? flag->value : "");
        ts_text_add(text, "  %-*s %s\n", width, left, flag->summary);
    }
    ts_text_add(text, "\nexamples:\n%s", command->examples);
}
