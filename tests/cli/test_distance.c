// `touchstone distance` end to end: answers against formulas, JSON, batches, pictures, and every wrong use by name.
#include "tests/cli/cli_fixture.h"

#include "collision/shape/shape.h"

TestSuite(distance, .init = make_folder, .fini = remove_folder, .timeout = 120);

static const char cube[] = "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n"
                           "f 1 2 3\nf 2 4 3\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 3 4 7\nf 1 3 5\nf 2 4 6\n";

Test(distance, help_tells_shapes_and_methods) {
    outcome result = run("distance --help");
    cr_expect_eq(result.code, 0);
    static const char* const words[] = {"sphere:R", "HALF extents", "capsule:R,H", "ellipsoid:A,B,C", "cylinder:R,H",
                                        "cone:R,H", "triangle:",    "plane",       "FILE.obj",        "closed-form",
                                        "--batch",  "--json",       "examples:"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) cr_expect(has(&result.out, words[i]), "%s", words[i]);
    outcome_free(&result);
}

Test(distance, words_for_people) {
    outcome result = run("distance sphere:0.5 box:1,1,1 --pose-b 3,0,0");
    cr_expect_eq(result.code, 0);
    cr_expect_eq(result.err.length, 0u);
    cr_expect(has(&result.out, "separated"));
    cr_expect(has(&result.out, "distance  1.5 m"));
    cr_expect(has(&result.out, "half extents 1, 1, 1"));
    outcome_free(&result);
}

Test(distance, json_has_the_keys_and_the_numbers) {
    outcome result = run("distance sphere:0.5 box:1,1,1 --pose-b 3,0,0 --json");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out, "assert list(d) == ['status', 'lower', 'upper', 'distance', 'normal', 'point_a', "
                                      "'point_b', 'iterations', 'support_calls']\n"
                                      "assert d['status'] == 'separated' and abs(d['distance'] - 1.5) < 1e-14\n"
                                      "assert d['lower'] <= d['distance'] <= d['upper']\n"
                                      "assert d['normal'] == [1, 0, 0] and d['point_a'] == [0.5, 0, 0]\n"
                                      "assert d['point_b'] == [2, 0, 0]\n"));
    outcome_free(&result);
}

// Pairs with distances that can be written down.
Test(distance, every_shape_against_a_formula) {
    static const struct {
        const char* arguments;
        double distance;
    } pair[] = {
        {"sphere:1 sphere:2 --pose-b 3,4,0", 2.0},
        {"sphere:1 sphere:2", -3.0},
        {"box:1,1,1 box:1,1,1 --pose-a 0,0,5 --pose-b 0,0,1.5", 1.5},
        {"box:1,2,3 box:1,1,1 --pose-b 1.5,0,0", -0.5},
        {"capsule:0.5,1 sphere:0.5 --pose-b 0,0,3", 1.0},
        {"cylinder:1,2 box:1,1,1 --pose-b 0,0,4", 1.0},
        {"cone:1,1 box:1,1,1 --pose-b 0,0,3", 1.0},
        {"cone:1,1+0.25 box:1,1,1+0.25 --pose-b 0,0,3", 0.5},
        {"ellipsoid:1,2,3 sphere:1 --pose-b 0,0,6", 2.0},
        {"triangle:0,0,0,1,0,0,0,1,0 sphere:0.5 --pose-b 0.2,0.2,2", 1.5},
        {"triangle:0,0,0,1,0,0,0,1,0+0.1 plane --pose-a 0,0,2", 1.9},
        {"plane sphere:1 --pose-b 7,8,0.5", -0.5},
        {"cube.obj cube.obj --pose-b 2.5,0.3,0.2", 0.5},
        {"cube.obj+0.1 sphere:0.1+0.1 --pose-b 0,0,3", 1.7},
        // A quarter turn about y lays the cylinder down.
        {"cylinder:1,2 plane --pose-a 0,0,5,0.70710678118654752,0,0.70710678118654752,0", 4.0},
        // Signs and exponents.
        {"sphere:1e+0+1e-1 sphere:1 --pose-b -3,0,0", 0.9},
    };
    write_text("cube.obj", cube);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; ++i) {
        char arguments[256], script[256];
        snprintf(arguments, sizeof arguments, "distance %s --json", pair[i].arguments);
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0, "%s: %s", arguments, ts_text_get(&result.err));
        snprintf(script, sizeof script, "assert abs(d['distance'] - %.17g) < 1e-12, d", pair[i].distance);
        cr_expect(json_holds(&result.out, script), "%s", arguments);
        outcome_free(&result);
    }
}

// Every kind that is made of numbers is written as it is listed, and told back with the numbers it was given.
Test(distance, every_kind_of_the_table_is_read_and_told) {
    static const char* const number[TS_SHAPE_PARAMETERS_MOST] = {"0.25", "0.5", "0.75", "1.25"};
    outcome help = run("distance --help"), list = run("list shapes");
    for (int kind = TS_SHAPE_PLANE + 1; kind < TS_SHAPE_KIND_COUNT; ++kind) {
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)kind);
        cr_expect(has(&list.out, info->name) && has(&list.out, info->summary), "%s", info->name);
        if (info->made_of) continue;
        char arguments[256], form[64];
        int used = snprintf(arguments, sizeof arguments, "distance %s:", info->name);
        int letters = snprintf(form, sizeof form, "%s:", info->name);
        for (int i = 0; i < info->parameter_count; ++i) {
            const char* comma = i ? "," : "";
            used += snprintf(arguments + used, sizeof arguments - (size_t)used, "%s%s", comma, number[i]);
            letters +=
                snprintf(form + letters, sizeof form - (size_t)letters, "%s%s", comma, info->parameter[i].letters);
        }
        cr_expect(has(&help.out, form) && has(&help.out, info->help), "%s", form);
        snprintf(arguments + used, sizeof arguments - (size_t)used, " sphere:1 --pose-b 5,0,0");
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0, "%s: %s", arguments, ts_text_get(&result.err));
        const char* from = strstr(ts_text_get(&result.out), info->name);
        for (int i = 0; i < info->parameter_count && from; ++i) {
            int repeated = i && strcmp(info->parameter[i].name, info->parameter[i - 1].name) == 0;
            // An axis is told as axes where there are several: its first letters are the same.
            snprintf(form, sizeof form, "%.*s", (int)strlen(info->parameter[i].name) - 2, info->parameter[i].name);
            if (!repeated) from = strstr(from, form);
            if (from) from = strstr(from, number[i]);
        }
        cr_expect_not_null(from, "%s: %s", arguments, ts_text_get(&result.out));
        outcome_free(&result);
    }
    outcome_free(&help);
    outcome_free(&list);
}

Test(distance, methods_agree_and_those_that_cannot_say_so) {
    static const char* const methods[] = {"auto", "gjk", "closed-form"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "distance capsule:0.5,1 sphere:1 --pose-b 3,1,0.5 --json --method %s",
                 methods[i]);
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0);
        cr_expect(json_holds(&result.out, "assert abs(d['distance'] - (10 ** 0.5 - 1.5)) < 1e-12"));
        outcome_free(&result);
    }
    expect_refusal("distance box:1,1,1 box:1,1,1 --method closed-form", 2, "does not do box and box");
    expect_refusal("distance box:1,1,1 box:1,1,1 --method autoo", 2, "did you mean 'auto'");
    expect_refusal("distance box:1,1,1 box:1,1,1 --method newton", 2, "there are auto, gjk");
}

Test(distance, wrong_shapes) {
    expect_refusal("distance", 2, "needs two shapes");
    expect_refusal("distance sphere:1", 2, "a second shape");
    expect_refusal("distance sphere:1 sphere:1 sphere:1", 2, "what is 'sphere:1'");
    expect_refusal("distance boks:1,1,1 sphere:1", 2, "did you mean 'box'");
    expect_refusal("distance box sphere:1", 2, "needs its dimensions");
    expect_refusal("distance box:1,1 sphere:1", 2, "takes 3 numbers");
    expect_refusal("distance box:1,1,1,1 sphere:1", 2, "takes 3 numbers");
    expect_refusal("distance box: sphere:1", 2, "takes 3 numbers");
    expect_refusal("distance box:1,,1 sphere:1", 2, "is no number");
    expect_refusal("distance box:1,1,1, sphere:1", 2, "is no number");
    expect_refusal("distance box:1,nan,1 sphere:1", 2, "is no number");
    expect_refusal("distance sphere:inf sphere:1", 2, "is no number");
    expect_refusal("distance sphere:1e999 sphere:1", 2, "is no number");
    expect_refusal("distance sphere:0x10 sphere:1", 2, "is no number");
    expect_refusal("distance sphere:0 sphere:1", 2, "must be positive");
    expect_refusal("distance box:1,-1,1 sphere:1", 2, "not -1");
    expect_refusal("distance sphere:1+-0.5 sphere:1", 2, "cannot be negative");
    expect_refusal("distance sphere:1+x sphere:1", 2, "is no radius");
    expect_refusal("distance plane:1 sphere:1", 2, "takes 0 numbers");
    expect_refusal("distance plane plane", 2, "two half-spaces");
    expect_refusal("distance triangle:0,0,0,1,1,1,2,2,2 sphere:1", 2, "triangle");
    expect_refusal("distance nothing sphere:1", 2, "is no shape");
}

Test(distance, wrong_poses_and_flags) {
    expect_refusal("distance sphere:1 sphere:1 --pose-a 1,2", 2, "3 numbers");
    expect_refusal("distance sphere:1 sphere:1 --pose-b 1,2,3,1,0,0,0,0", 2, "3 numbers");
    expect_refusal("distance sphere:1 sphere:1 --pose-b 1,x,3", 2, "is no number");
    expect_refusal("distance sphere:1 sphere:1 --pose-b 1,nan,3", 2, "is no number");
    expect_refusal("distance sphere:1 sphere:1 --pose-b 0,0,0,0,0,0,0", 2, "is no rotation");
    expect_refusal("distance sphere:1 sphere:1 --pose-b 0,0,0,1,1,0,0", 2, "is no rotation");
    expect_refusal("distance sphere:1 sphere:1 --pose-b", 2, "needs a value");
    expect_refusal("distance sphere:1 sphere:1 --size 100x100", 2, "--png");
    expect_refusal("distance sphere:1 sphere:1 --posea 1,2,3", 2, "did you mean --pose-a");
    // Nearly a unit: used, and said.
    outcome result = run("distance sphere:1 sphere:1 --pose-b 5,0,0,1.001,0,0,0 --json");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.err, "not quite a unit"));
    cr_expect(json_holds(&result.out, "assert abs(d['distance'] - 3) < 1e-12"));
    outcome_free(&result);
    result = run("distance sphere:1 sphere:1 --pose-b 5,0,0,1.0000001,0,0,0");
    cr_expect_eq(result.err.length, 0u);
    outcome_free(&result);
}

Test(distance, bad_meshes) {
    write_text("flat.obj", "v 0 0 0\nv 1 0 x\n");
    write_text("empty.obj", "");
    expect_refusal("distance none.obj sphere:1", 1, "none.obj");
    expect_refusal("distance flat.obj sphere:1", 1, "flat.obj:2");
    expect_refusal("distance empty.obj sphere:1", 1, "empty.obj");
}

Test(distance, a_batch_answers_line_by_line_like_single_pairs) {
    write_text("cube.obj", cube);
    write_text("pairs.jsonl",
               "\xEF\xBB\xBF{\"a\": \"sphere:1\", \"b\": \"cube.obj\", \"pose_b\": [4, 0, 0]}\n"
               "\n"
               " {\"pose_b\":[0,0,3,1,0,0,0] , \"b\":\"box:1,1,1\",\"a\":\"cube.obj\",\"pose_a\":[0,0,0]}\r\n"
               "{\"a\":\"\\u0070lane\",\"b\":\"sphere:1\",\"pose_b\":[0,0,2e0]}");
    outcome batch = run("distance --batch pairs.jsonl");
    cr_expect_eq(batch.code, 0, "%s", ts_text_get(&batch.err));
    // run() gives no standard input, so a shell in between does.
    outcome piped = run("--version >/dev/null; (cat pairs.jsonl | '" TS_TEST_CLI "' distance --batch -)");
    cr_expect_str_eq(ts_text_get(&piped.out), ts_text_get(&batch.out));
    outcome filed = run("distance --batch pairs.jsonl --output answers.jsonl");
    cr_expect_eq(filed.out.length, 0u);
    ts_text written = read_text("answers.jsonl");
    cr_expect_str_eq(ts_text_get(&written), ts_text_get(&batch.out));
    static const char* const single[3] = {"distance sphere:1 cube.obj --pose-b 4,0,0 --json",
                                          "distance cube.obj box:1,1,1 --pose-b 0,0,3 --json",
                                          "distance plane sphere:1 --pose-b 0,0,2 --json"};
    ts_text all = {0};
    for (int i = 0; i < 3; ++i) {
        outcome one = run(single[i]);
        ts_text_add(&all, "%s", ts_text_get(&one.out));
        outcome_free(&one);
    }
    cr_expect_str_eq(ts_text_get(&batch.out), ts_text_get(&all));
    ts_text_free(&all);
    ts_text_free(&written);
    outcome_free(&batch);
    outcome_free(&piped);
    outcome_free(&filed);
}

Test(distance, ten_thousand_pairs_in_order) {
    ts_text lines = {0};
    for (int i = 0; i < 10000; ++i)
        ts_text_add(&lines, "{\"a\":\"sphere:%d\",\"b\":\"box:1,1,1\",\"pose_b\":[%d,0,0]}\n", 1 + i % 50, 1000 + i);
    write_text("many.jsonl", ts_text_get(&lines));
    ts_text_free(&lines);
    outcome result = run("distance --batch many.jsonl --output many.out");
    cr_expect_eq(result.code, 0);
    ts_text answers = read_text("many.out");
    const char* at = ts_text_get(&answers);
    for (int i = 0; i < 10000; ++i) {
        const char* found = strstr(at, "\"distance\": ");
        cr_assert_not_null(found, "answer %d", i);
        cr_assert_float_eq(strtod(found + 12, NULL), 1000.0 + i - (1 + i % 50) - 1.0, 1e-9, "answer %d", i);
        at = strchr(at, '\n') + 1;
    }
    cr_expect_eq(*at, 0);
    ts_text_free(&answers);
    outcome_free(&result);
}

// Ctrl-C while a batch waits for its pairs, and in the middle of answering: nothing is written.
Test(distance, an_interrupted_batch_leaves_nothing) {
    char path[96];
    snprintf(path, sizeof path, "%s/pairs", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
    const char* const waiting[] = {"touchstone", "distance", "--batch", "pairs", "--output", "answers.jsonl", NULL};
    static const int signals[2] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; ++i) {
        outcome result = interrupt(waiting, signals[i]);
        cr_expect_eq(result.code, 128 + signals[i], "%d: %s", result.code, ts_text_get(&result.err));
        cr_expect(has(&result.err, "nothing was written"), "%s", ts_text_get(&result.err));
        cr_expect_eq(result.out.length, 0u);
        cr_expect_eq(file_count(), 1);
        outcome_free(&result);
    }
    // Several times the two seconds after which the signal comes.
    ts_text lines = {0};
    for (int i = 0; i < 1000000; ++i)
        ts_text_add(&lines, "{\"a\":\"cone:1,2\",\"b\":\"cylinder:1,2+.1\",\"pose_b\":[.%d,2.7,1,.8,.6,0,0]}\n", i);
    write_text("many", ts_text_get(&lines));
    ts_text_free(&lines);
    const char* const busy[] = {"touchstone", "distance", "--batch", "many", "--output", "answers.jsonl", NULL};
    outcome result = interrupt(busy, SIGINT);
    cr_expect_eq(result.code, 130, "%d: %s", result.code, ts_text_get(&result.err));
    cr_expect(has(&result.err, "nothing was written"), "%s", ts_text_get(&result.err));
    cr_expect_eq(file_count(), 2);
    outcome_free(&result);
}

Test(distance, a_bad_line_leaves_nothing) {
    static const char* const bad[][2] = {
        {"hello", "starts with a brace"},
        {"{\"a\":\"sphere:1\"}", "'b' is missing"},
        {"{\"a\":\"sphere:1\",\"b\":3}", "a shape is a string"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\",\"pose_b\":[1,2]}", "3 numbers"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\",\"pose_b\":[1,2,NaN]}", "finite numbers"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\",\"pose_b\":[]}", "finite numbers"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\",\"pose\":[1,2,3]}", "no key 'pose'"},
        {"{\"a\":\"sphere:1\",\"a\":\"sphere:1\",\"b\":\"sphere:1\"}", "comes twice"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\"} x", "nothing may follow"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\"", "the line ends"},
        {"{\"a\":\"sphere:1\",\"b\":\"spher", "end with a quote"},
        {"{\"a\":\"sphere:1\",\"b\":\"\\x\"}", "escapes nothing"},
        {"{\"a\":\"sphere:-1\",\"b\":\"sphere:1\"}", "not -1"},
        {"{\"a\":\"missing.stl\",\"b\":\"sphere:1\"}", "missing.stl"},
        {"{\"a\":\"plane\",\"b\":\"plane\"}", "two half-spaces"},
        {"{\"a\":\"sphere:1\",\"b\":\"sphere:1\",\"pose_a\":[0,0,0,0,0,0,1.2]}", "is no rotation"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "{\"a\":\"sphere:1\",\"b\":\"sphere:1\"}\n%s\n", bad[i][0]);
        write_text("bad.jsonl", text);
        expect_refusal("distance --batch bad.jsonl --output answers.jsonl", 1, bad[i][1]);
        outcome result = run("distance --batch bad.jsonl");
        cr_expect(has(&result.err, "bad.jsonl:2:"), "%s", ts_text_get(&result.err));
        outcome_free(&result);
    }
    // All bad lines are named.
    write_text("bad.jsonl", "1\n2\n{\"a\":\"sphere:1\",\"b\":\"sphere:1\"}\n4\n");
    outcome result = run("distance --batch bad.jsonl --json");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "bad.jsonl:1:") && has(&result.err, "bad.jsonl:2:") && has(&result.err, "bad.jsonl:4:"));
    cr_expect(json_holds(&result.out, "assert d['error']['line'] == 1 and d['error']['exit_code'] == 1"));
    outcome_free(&result);
}

Test(distance, batches_take_no_pair_and_no_picture) {
    expect_refusal("distance sphere:1 --batch x", 2, "what is 'sphere:1'");
    expect_refusal("distance --batch x --png y.png", 2, "--png");
    expect_refusal("distance --batch x --pose-a 1,2,3", 2, "--pose-a");
    expect_refusal("distance --batch missing.jsonl", 1, "missing.jsonl");
    write_text("one.jsonl", "{\"a\":\"sphere:1\",\"b\":\"sphere:1\"}\n");
    expect_refusal("distance --batch one.jsonl --output no/such/folder.jsonl", 1, "no/such");
}

Test(distance, an_empty_batch_has_no_answers) {
    write_text("none.jsonl", "\n  \n");
    outcome result = run("distance --batch none.jsonl");
    cr_expect_eq(result.code, 0);
    cr_expect_eq(result.out.length, 0u);
    outcome_free(&result);
}

Test(distance, a_picture_or_a_reason) {
    outcome result = run("distance cone:0.5,1 box:1,0.5,0.7+0.2 --pose-b 0,0,2.5 --png pair.png --size 200x150");
    if (result.code == 0) {
        ts_text png = read_text("pair.png");
        const unsigned char* b = (const unsigned char*)png.data;
        cr_assert(png.length > 1000 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0);
        cr_expect(b[18] == 0 && b[19] == 200 && b[22] == 0 && b[23] == 150, "size");
        ts_text_free(&png);
    } else {
        cr_expect_eq(result.code, 1);
        cr_expect(has(&result.err, "touchstone: "));
        cr_expect(!exists("pair.png"));
    }
    outcome_free(&result);
}

// The steps in words, as JSON, and as a strip of pictures: bounds that hold the answer at every step and meet in the end, simplices before
// polytopes; what has no steps says so.
Test(distance, the_way_is_explained) {
    outcome result = run("distance box:1,1,1 box:0.4,0.6,0.8 --pose-b 1.2,0.3,0.1,0.9,0.1,0.3,0.3 --explain --json");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(
        &result.out,
        "a, e = d['answer'], d['explanation']\n"
        "steps = e['steps']\n"
        "assert a['status'] == 'penetrating' and e['balls'] == 0 and e['frame'] == 'a' and e['lost'] == 0\n"
        "kinds = [s['search'] for s in steps]\n"
        "assert kinds == sorted(kinds, reverse=True) and set(kinds) == {'gjk', 'epa'}, kinds\n"
        "for s in steps:\n"
        "    assert s['lower'] <= a['distance'] + 1e-9 and (s['upper'] is None or s['upper'] >= a['distance'] - 1e-9), "
        "s\n"
        "    assert abs(sum(n * (q - p) for n, p, q in zip(s['direction'], s['point_a'], s['point_b'])) - s['gap']) < "
        "1e-9\n"
        "    assert (len(s['corners']) > 0) == (s['search'] == 'gjk') and (len(s['faces']) >= 4) == (s['search'] == "
        "'epa')\n"
        "assert steps[-1]['upper'] - steps[-1]['lower'] < 1e-9 and abs(steps[-1]['lower'] - a['distance']) < 1e-9\n"));
    outcome_free(&result);
    result = run("distance cone:0.5,1 ellipsoid:1,0.6,0.4 --pose-b 0.9,0.3,0.2 --method incremental --explain");
    cr_expect(has(&result.out, "portal") && has(&result.out, "in the frame of B"));
    outcome_free(&result);
    result = run("distance sphere:1 sphere:1 --pose-b 3,0,0 --method auto --explain");
    cr_expect(has(&result.out, "no steps: this pair has a closed form"));
    outcome_free(&result);
    expect_refusal("distance --batch x --explain", 2, "--explain");
    result = run("distance box:1,1,1 cone:0.5,1 --pose-b 1.2,0,0 --explain --png steps.png --size 640x400");
    cr_expect(result.code == 0 ? exists("steps.png") : has(&result.err, "touchstone: "));
    outcome_free(&result);
}
