// Options by name, and the strict numbers underneath: every value must come back to the same bits, whatever is not a
// number in range must be refused and change nothing.
#include "base/number.h"
#include "engine/model/options.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(options, defaults_are_allowed_and_named) {
    ts_options o = ts_options_default();
    ts_status status;
    cr_assert_eq(ts_options_check(&o, &status), TS_OK);
    cr_assert_eq(o.time_step, 0.002);
    cr_assert_eq(o.gravity.z, -9.81);
    cr_assert_str_eq(o.solver, "ncp");
    cr_assert_null(ts_option_at(-1));
    cr_assert_null(ts_option_at(ts_option_count()));
    for (int i = 0; i < ts_option_count(); ++i) {
        cr_assert(ts_option_at(i)->name[0] && ts_option_at(i)->summary[0]);
        for (int k = 0; k < i; ++k) cr_assert_str_neq(ts_option_at(i)->name, ts_option_at(k)->name);
    }
}

Test(options, every_value_reads_back_to_the_same_bits) {
    ts_rng rng = ts_rng_make(7, 1);
    for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < ts_option_count(); ++i) {
            const ts_option* option = ts_option_at(i);
            char text[128] = "";
            if (option->count == 0) {
                strcpy(text, round % 2 ? "lcp-pgs" : "ccp.admm_2");
            } else {
                size_t used = 0;
                for (int k = 0; k < option->count; ++k) {
                    double span = option->high - option->low;
                    double value = option->low + span * ts_rng_uniform(&rng);
                    int whole = strcmp(option->name, "iterations") == 0 || strcmp(option->name, "warm_start") == 0 ||
                                strcmp(option->name, "manifold_points") == 0 ||
                                strcmp(option->name, "soft_contacts") == 0 || strcmp(option->name, "least_norm") == 0 ||
                                strcmp(option->name, "substeps") == 0;
                    used += (size_t)snprintf(text + used, sizeof text - used, whole ? "%.0f " : "%.17g ", value);
                }
            }
            ts_options a = ts_options_default(), b = ts_options_default();
            ts_status status;
            char back[128];
            cr_assert_eq(ts_options_set(&a, option->name, text, &status), TS_OK, "%s = %s: %s", option->name, text,
                         status.message);
            ts_options_get(&a, i, back, sizeof back);
            cr_assert_eq(ts_options_set(&b, option->name, back, &status), TS_OK, "%s = %s", option->name, back);
            cr_assert_eq(memcmp(&a, &b, sizeof a), 0, "%s: %s became %s", option->name, text, back);
        }
    }
}

Test(options, nonsense_is_refused_and_changes_nothing) {
    static const char* const bad[][2] = {{"time_step", "0"},
                                         {"time_step", "-1"},
                                         {"time_step", "nan"},
                                         {"time_step", "inf"},
                                         {"time_step", ""},
                                         {"time_step", "0.1 0.1"},
                                         {"time_step", "0.1x"},
                                         {"time_step", "0x1p-4"},
                                         {"time_step", "1e999"},
                                         {"gravity", "0 0"},
                                         {"gravity", "0 0 0 0"},
                                         {"gravity", "0,0,0"},
                                         {"baumgarte", "1.1"},
                                         {"manifold_points", "9"},
                                         {"manifold_points", "2.5"},
                                         {"warm_start", "yes"},
                                         {"solver", ""},
                                         {"solver", "a b"},
                                         {"solver", "0123456789012345678901234567890123"},
                                         {"slop", "-1"},
                                         {"contact_margin", "-0.1"},
                                         {"iterations", "1e10"},
                                         {"time_step", "--1"},
                                         {"time_step", "1e"},
                                         {"time_step", "."},
                                         {"time_step", "+"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        ts_options o = ts_options_default(), before = o;
        ts_status status;
        cr_assert_eq(ts_options_set(&o, bad[i][0], bad[i][1], &status), TS_ERROR_VALUE, "%s = '%s' was taken",
                     bad[i][0], bad[i][1]);
        cr_assert_eq(memcmp(&o, &before, sizeof o), 0);
        cr_assert(strstr(status.message, bad[i][0]), "%s", status.message);
    }
    ts_options o = ts_options_default();
    ts_status status;
    cr_assert_eq(ts_options_set(&o, "gravitation", "1", &status), TS_ERROR_VALUE);
    // The message teaches: every known name is in it.
    for (int i = 0; i < ts_option_count(); ++i) cr_assert(strstr(status.message, ts_option_at(i)->name));
}

Test(options, check_finds_what_assignment_broke) {
    ts_status status;
    ts_options o = ts_options_default();
    o.time_step = (double)NAN;
    cr_assert_eq(ts_options_check(&o, &status), TS_ERROR_VALUE);
    cr_assert(strstr(status.message, "time_step"));
    o = ts_options_default();
    o.gravity.y = (double)INFINITY;
    cr_assert_eq(ts_options_check(&o, &status), TS_ERROR_VALUE);
    o = ts_options_default();
    o.manifold_points = 0;
    cr_assert_eq(ts_options_check(&o, &status), TS_ERROR_VALUE);
    o = ts_options_default();
    memset(o.solver, 'x', sizeof o.solver);
    cr_assert_eq(ts_options_check(&o, &status), TS_ERROR_VALUE);
}

// The oracle is the C library's strtod in the "C" locale.
Test(number, reads_what_strtod_reads) {
    static const char* const fixed[] = {"0",
                                        "-0",
                                        "1",
                                        "+1.5",
                                        ".5",
                                        "5.",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "123456789012345",
                                        "1234567890123456",
                                        "9007199254740993",
                                        "0.1",
                                        "1e-5",
                                        "2.2250738585072014e-308",
                                        "4.9e-324",
                                        "1e-400",
                                        "1.7976931348623157e308",
                                        "0.000000000000000000000000000001e40",
                                        "00000000000000000000000000000012"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) {
        const char* p = fixed[i];
        double value = (double)NAN, wanted = strtod(fixed[i], NULL);
        cr_assert_eq(ts_number_scan(&p, p + strlen(p), &value), TS_NUMBER_OK, "%s", fixed[i]);
        cr_assert_eq(memcmp(&value, &wanted, sizeof value), 0, "%s: %.17g, not %.17g", fixed[i], value, wanted);
        cr_assert_eq(*p, '\0');
    }
    ts_rng rng = ts_rng_make(3, 9);
    for (int round = 0; round < 100000; ++round) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", 1 + (int)(17.0 * ts_rng_uniform(&rng)),
                 (ts_rng_uniform(&rng) - 0.5) * pow(10.0, 60.0 * ts_rng_uniform(&rng) - 30.0));
        const char* p = text;
        double value = (double)NAN, wanted = strtod(text, NULL);
        cr_assert_eq(ts_number_scan(&p, p + strlen(p), &value), TS_NUMBER_OK, "%s", text);
        cr_assert_eq(value, wanted, "%s", text);
        ts_number_print(wanted, text, sizeof text);
        cr_assert_eq(strtod(text, NULL), wanted);
    }
}

Test(number, tells_malformed_from_not_finite) {
    static const char* const malformed[] = {"1.2.3", "abc", "1,5", "0x10", "1e", "1e+", "-", "1f", "infinit"};
    static const char* const not_finite[] = {"nan", "NaN", "-nan", "inf", "-Infinity", "1e309", "-1e400", "nan(7)"};
    double value;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; ++i) {
        const char* p = malformed[i];
        cr_assert_eq(ts_number_scan(&p, p + strlen(p), &value), TS_NUMBER_MALFORMED, "%s", malformed[i]);
    }
    for (size_t i = 0; i < sizeof not_finite / sizeof not_finite[0]; ++i) {
        const char* p = not_finite[i];
        cr_assert_eq(ts_number_scan(&p, p + strlen(p), &value), TS_NUMBER_NOT_FINITE, "%s", not_finite[i]);
    }
    const char* p = " \t\n";
    cr_assert_eq(ts_number_scan(&p, p + 3, &value), TS_NUMBER_END);
}

Test(number, is_deaf_to_the_locale) {
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        cr_skip("no locale with a decimal comma is installed");
    const char* p = "0.1234567890123456789";
    double value = 0.0;
    cr_assert_eq(ts_number_scan(&p, p + strlen(p), &value), TS_NUMBER_OK);
    cr_assert_eq(value, 0.1234567890123456789);
    char text[32];
    ts_number_print(0.5, text, sizeof text);
    cr_assert_str_eq(text, "0.5");
}
