// `touchstone distance`: the signed distance of two shapes with its proof, of one pair or of thousands from a file.
//
// A batch is all or nothing: every line is read, every mesh loaded and every pair answered before a byte is written.
#include "cli/commands/commands.h"

#include "base/array.h"
#include "cli/console.h"
#include "cli/pair_line_internal.h"
#include "cli/pair_picture_internal.h"
#include "cli/pair_trace_internal.h"
#include "cli/shape_text.h"
#include "cli/signals.h"
#include "collision/distance/proximity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes; a line is about a hundred.
#define BATCH_LIMIT ((size_t)1 << 30)

enum { ERRORS_SHOWN = 20, PICTURE_WIDTH = 1000, PICTURE_HEIGHT = 700 };

// --- one answer ------------------------------------------------------------------------------------------------------

static void add_number(ts_text* text, double value) {
    if (isfinite(value))
        ts_text_add_number(text, value);
    else
        ts_text_add(text, "null");
}

static void add_vector(ts_text* text, const char* key, ts_vec3 v) {
    ts_text_add(text, ", \"%s\": [", key);
    for (int i = 0; i < 3; ++i) {
        if (i) ts_text_add(text, ", ");
        add_number(text, ts_vec3_get(v, i) + 0.0);  // no -0
    }
    ts_text_add(text, "]");
}

static void add_json(ts_text* text, const ts_proximity* p) {
    ts_text_add(text, "{\"status\": \"%s\"", ts_proximity_status_name(p->status));
    const double number[3] = {p->found.lower, p->found.upper, p->distance};
    const char* const key[3] = {"lower", "upper", "distance"};
    for (int i = 0; i < 3; ++i) {
        ts_text_add(text, ", \"%s\": ", key[i]);
        add_number(text, number[i] + 0.0);
    }
    add_vector(text, "normal", p->found.normal);
    add_vector(text, "point_a", p->found.point_a);
    add_vector(text, "point_b", p->found.point_b);
    ts_text_add(text, ", \"iterations\": %d, \"support_calls\": %d}\n", p->iterations, p->support_calls);
}

static void add_words(ts_text* text, const ts_written_shape* a, const ts_written_shape* b, const char* method,
                      const ts_proximity* p) {
    ts_text_add(text, "A         ");
    ts_shape_text_describe(a, text);
    ts_text_add(text, "\nB         ");
    ts_shape_text_describe(b, text);
    ts_text_add(text, "\n\n%s", ts_proximity_status_name(p->status));
    if (p->status == TS_PROXIMITY_PENETRATING)
        ts_text_add(text, ": moving B by %.9g m along the normal parts them", -p->distance);
    if (p->status == TS_PROXIMITY_LIMIT) ts_text_add(text, ": the iterations ran out, but the bounds hold");
    ts_text_add(text, "\ndistance  %.17g m\nproven    between %.17g and %.17g m\n", p->distance, p->found.lower,
                p->found.upper);
    ts_text_add(text, "normal    %.12g %.12g %.12g (from A to B)%s\n", p->found.normal.x + 0.0, p->found.normal.y + 0.0,
                p->found.normal.z + 0.0,
                p->flags & TS_PROXIMITY_NORMAL_FALLBACK ? ", one of several that are as good" : "");
    ts_text_add(text, "on A      %.12g %.12g %.12g m\n", p->found.point_a.x + 0.0, p->found.point_a.y + 0.0,
                p->found.point_a.z + 0.0);
    ts_text_add(text, "on B      %.12g %.12g %.12g m\n", p->found.point_b.x + 0.0, p->found.point_b.y + 0.0,
                p->found.point_b.z + 0.0);
    ts_text_add(text, "work      method %s%s: %d iterations (%d GJK, %d EPA), %d support calls\n", method,
                p->flags & TS_PROXIMITY_USED_CLOSED_FORM ? ", closed form" : "", p->iterations, p->gjk_iterations,
                p->epa_iterations, p->support_calls);
}

// --- what both ways need ---------------------------------------------------------------------------------------------

static const char* method_name(const void* context, int i) {
    (void)context;
    return ts_proximity_method_name((ts_proximity_method)i);
}

static ts_code find_method(const char* name, ts_proximity_method* out_method, ts_status* out_status) {
    *out_method = name ? ts_proximity_method_find(name) : TS_PROXIMITY_AUTO;
    if (*out_method < TS_PROXIMITY_METHOD_COUNT) return TS_OK;
    char known[256];
    ts_text_list(method_name, NULL, TS_PROXIMITY_METHOD_COUNT, sizeof known, known);
    char room[TS_ARGS_HINT];
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "there is no method '%s'%s; there are %s", name,
                         ts_args_hint(name, method_name, NULL, TS_PROXIMITY_METHOD_COUNT, "", room), known);
}

static int exit_code_of(ts_code code) { return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED; }

static ts_code query(const ts_written_shape* a, const ts_transform* pose_a, const ts_written_shape* b,
                     const ts_transform* pose_b, ts_proximity_method method, ts_proximity_trace* trace,
                     ts_proximity* out_p, ts_status* out_status) {
    ts_proximity_options options = ts_proximity_options_default();
    options.method = method;
    options.trace = trace;
    ts_proximity_query(&a->shape, pose_a, &b->shape, pose_b, &options, NULL, out_p);
    if (out_p->status != TS_PROXIMITY_INVALID_INPUT) return ts_status_ok(out_status);
    if (out_p->reason == TS_PROXIMITY_OTHER_METHOD)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "method '%s' does not do %s and %s",
                             ts_proximity_method_name(method), ts_shape_kind_name(a->shape.kind),
                             ts_shape_kind_name(b->shape.kind));
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s", ts_proximity_reason_text(out_p->reason));
}

// Prints the result, or writes it to --output in one piece.
static int deliver(const ts_args* args, ts_text* text) {
    if (!args->out) return ts_console_print(text, TS_EXIT_DONE);
    ts_status status;
    ts_code code = ts_text_write_file(text, args->out, &status);
    ts_text_free(text);
    return code ? ts_console_error("distance", args->json, TS_EXIT_FAILED, &status) : TS_EXIT_DONE;
}

static void note_mended(const char* which) {
    ts_console_note("the quaternion of %s is not quite a unit; it was made one", which);
}

// --- one pair --------------------------------------------------------------------------------------------------------

typedef struct pair_job {
    const ts_args* args;
    ts_proximity_method method;
    ts_shape_store store;
    const ts_written_shape* a;
    const ts_written_shape* b;
    ts_transform pose_a;
    ts_transform pose_b;
    ts_proximity answer;
    ts_proximity_trace trace;  // of --explain
} pair_job;

static ts_code prepare_pair(pair_job* job, ts_status* out_status) {
    const ts_args* args = job->args;
    int mended_a = 0, mended_b = 0;
    ts_code code = find_method(args->method, &job->method, out_status);
    if (!code && args->pose_a) code = ts_pose_text_parse(args->pose_a, &job->pose_a, &mended_a, out_status);
    if (!code && args->pose_b) code = ts_pose_text_parse(args->pose_b, &job->pose_b, &mended_b, out_status);
    if (!code) code = ts_shape_store_get(&job->store, args->subject, &job->a, out_status);
    if (!code) code = ts_shape_store_get(&job->store, args->second, &job->b, out_status);
    if (code) return code;
    if (mended_a) note_mended("--pose-a");
    if (mended_b) note_mended("--pose-b");
    // What is to be watched needs steps.
    if (args->explain && !args->method) job->method = TS_PROXIMITY_GJK;
    if (args->explain && ts_pair_trace_open(&job->trace, out_status)) return out_status->code;
    return query(job->a, &job->pose_a, job->b, &job->pose_b, job->method, args->explain ? &job->trace : NULL,
                 &job->answer, out_status);
}

static ts_code draw_pair(const pair_job* job, const ts_pair_trace* seen, ts_status* out_status) {
    const ts_args* args = job->args;
    int width = args->width ? args->width : PICTURE_WIDTH, height = args->height ? args->height : PICTURE_HEIGHT;
    if (args->explain) return ts_pair_trace_png(seen, width, height, args->png, out_status);
    ts_pair_picture picture = {&job->a->shape, &job->b->shape, &job->pose_a, &job->pose_b, &job->answer, width, height};
    return ts_pair_picture_png(&picture, args->png, out_status);
}

// The answer, and with --explain the way to it.
static void add_pair(const pair_job* job, const ts_pair_trace* seen, ts_text* text) {
    const ts_args* args = job->args;
    if (!args->json) {
        add_words(text, job->a, job->b, ts_proximity_method_name(job->method), &job->answer);
        if (args->explain) ts_pair_trace_words(seen, text);
        return;
    }
    add_json(text, &job->answer);
    if (!args->explain) return;
    ts_text answer = *text;  // one line of an object, which becomes a member
    memset(text, 0, sizeof *text);
    ts_text_add(text, "{\n\"answer\": %s,\n\"explanation\": ", ts_text_get(&answer));
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_pair_trace_json(seen, &json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n}\n");
    ts_text_free(&answer);
}

static int run_pair(const ts_args* args) {
    pair_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    job.pose_a = job.pose_b = ts_transform_identity();
    ts_status status;
    ts_code code = prepare_pair(&job, &status);
    int exit_code = exit_code_of(code);
    ts_pair_trace seen = {NULL, NULL, &job.pose_a, &job.pose_b, &job.trace, &job.answer};
    if (!code) {
        seen.a = &job.a->shape;
        seen.b = &job.b->shape;
    }
    if (!code && args->png) {
        code = draw_pair(&job, &seen, &status);
        exit_code = TS_EXIT_FAILED;
    }
    ts_text text = {0};
    if (!code) add_pair(&job, &seen, &text);
    ts_shape_store_free(&job.store);
    ts_pair_trace_close(&job.trace);
    return code ? ts_console_error("distance", args->json, exit_code, &status) : deliver(args, &text);
}

// --- a batch ---------------------------------------------------------------------------------------------------------

typedef struct batch_pair {
    const ts_written_shape* a;
    const ts_written_shape* b;
    ts_transform pose_a;
    ts_transform pose_b;
    int line;
} batch_pair;

TS_ARRAY_DECLARE(batch_pairs, batch_pair);

typedef struct batch_job {
    const ts_args* args;
    const char* name;  // of the file, for messages
    ts_proximity_method method;
    ts_text input;
    ts_shape_store store;
    batch_pairs pairs;
    ts_text answers;
    ts_status first;  // the first error
    int errors;
    int mended;
} batch_job;

static void blame(batch_job* job, int line, const ts_status* why) {
    ts_status placed;
    // A mesh file that is bad has a place of its own.
    if (why->file[0] && why->line > 0)
        ts_status_set(&placed, why->code, job->name, line, "%s:%d: %s", why->file, why->line, why->message);
    else if (why->file[0])
        ts_status_set(&placed, why->code, job->name, line, "%s: %s", why->file, why->message);
    else
        ts_status_set(&placed, why->code, job->name, line, "%s", why->message);
    if (job->errors == 0) job->first = placed;
    // The first one is said last, by whoever ends the program.
    if (job->errors > 0 && job->errors < ERRORS_SHOWN) {
        char text[1024];
        ts_status_format(&placed, text, sizeof text);
        ts_console_note("%s", text);
    }
    ++job->errors;
}

static ts_code read_pair(batch_job* job, char* line, size_t length, batch_pair* out, ts_status* out_status) {
    ts_pair_line asked;
    int mended = 0;
    ts_code code = ts_pair_line_parse(line, length, &asked, out_status);
    out->pose_a = out->pose_b = ts_transform_identity();
    if (!code && asked.pose_a_count)
        code = ts_pose_numbers(asked.pose_a, asked.pose_a_count, &out->pose_a, &mended, out_status);
    if (!code && asked.pose_b_count)
        code = ts_pose_numbers(asked.pose_b, asked.pose_b_count, &out->pose_b, &mended, out_status);
    if (!code) code = ts_shape_store_get(&job->store, asked.a, &out->a, out_status);
    if (!code) code = ts_shape_store_get(&job->store, asked.b, &out->b, out_status);
    job->mended += mended;
    return code;
}

static ts_code read_batch(batch_job* job, ts_status* out_status) {
    const char* path = strcmp(job->args->batch, "-") == 0 ? "/dev/stdin" : job->args->batch;
    ts_code code = ts_text_read_file(path, BATCH_LIMIT, &job->input, out_status);
    if (code) return code;
    ts_text_add_bytes(&job->input, "\n", 1);
    if (job->input.failed) return ts_status_set(out_status, TS_ERROR_MEMORY, job->name, 0, "out of memory");
    char *at = job->input.data, *end = job->input.data + job->input.length;
    at += ts_text_mark(at, job->input.length);
    for (int line = 1; at < end && !ts_signals_caught(); ++line) {
        char* stop = (char*)memchr(at, '\n', (size_t)(end - at));
        size_t blank = 0;
        while (at + blank < stop && (at[blank] == ' ' || at[blank] == '\t' || at[blank] == '\r')) ++blank;
        if (at + blank < stop) {
            batch_pair pair;
            ts_status why;
            pair.line = line;
            if (read_pair(job, at, (size_t)(stop - at), &pair, &why))
                blame(job, line, &why);
            else if (!batch_pairs_push(&job->pairs, pair))
                return ts_status_set(out_status, TS_ERROR_MEMORY, job->name, line, "out of memory");
        }
        at = stop + 1;
    }
    return TS_OK;
}

static void answer_batch(batch_job* job) {
    for (int i = 0; i < job->pairs.count && !ts_signals_caught(); ++i) {
        const batch_pair* pair = &job->pairs.data[i];
        ts_proximity p;
        ts_status why;
        if (query(pair->a, &pair->pose_a, pair->b, &pair->pose_b, job->method, NULL, &p, &why))
            blame(job, pair->line, &why);
        else
            add_json(&job->answers, &p);
    }
}

static void free_batch(batch_job* job) {
    ts_text_free(&job->input);
    ts_text_free(&job->answers);
    ts_shape_store_free(&job->store);
    batch_pairs_free(&job->pairs);
}

static int run_batch(const ts_args* args) {
    batch_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    job.name = strcmp(args->batch, "-") == 0 ? "standard input" : args->batch;
    ts_status status;
    ts_code code = find_method(args->method, &job.method, &status);
    int exit_code = exit_code_of(code);
    ts_signals_begin();
    if (!code) {
        code = read_batch(&job, &status);
        exit_code = TS_EXIT_FAILED;
    }
    if (!code && job.errors == 0) answer_batch(&job);
    // Waiting for input ends with an error of its own then.
    if (ts_signals_caught()) {
        free_batch(&job);
        ts_console_note("stopped; nothing was written");
        return ts_signals_exit_code();
    }
    if (!code && job.errors > 0) {
        if (job.errors > ERRORS_SHOWN) ts_console_note("... and %d more lines", job.errors - ERRORS_SHOWN);
        code = job.first.code;
        status = job.first;
    }
    if (code) {
        free_batch(&job);
        return ts_console_error("distance", args->json, exit_code, &status);
    }
    if (job.mended) ts_console_note("%d quaternions are not quite units; they were made so", job.mended);
    ts_text answers = job.answers;
    memset(&job.answers, 0, sizeof job.answers);
    free_batch(&job);
    return deliver(args, &answers);
}

int ts_cmd_distance(const ts_args* args) {
    ts_status status;
    ts_code code = TS_OK;
    if (args->batch && args->subject)
        code = ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "--batch takes its pairs from the file: what is '%s'?",
                             args->subject);
    else if (args->batch && (args->png || args->explain || args->pose_a || args->pose_b))
        code = ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "%s is for a single pair, not for --batch",
                             args->png       ? "--png"
                             : args->explain ? "--explain"
                                             : (args->pose_a ? "--pose-a" : "--pose-b"));
    else if (!args->batch && !args->second)
        code = ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "'distance' needs %s, or --batch FILE",
                             args->subject ? "a second shape" : "two shapes");
    else if (args->width && !args->png)
        code = ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "--size is that of a picture: give --png FILE too");
    if (code) return ts_console_error("distance", args->json, TS_EXIT_USAGE, &status);
    return args->batch ? run_batch(args) : run_pair(args);
}
