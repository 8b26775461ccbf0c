// The import report: equal findings are counted, different ones kept, hostile numbers of them bounded.
#include "engine/read/import_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(import_report, counts_equal_findings) {
    ts_import_report r;
    memset(&r, 0, sizeof r);
    ts_import_report_add(&r, TS_IMPORT_IGNORED, 1, "geom@solref", "hard", "a.xml", 3);
    ts_import_report_add(&r, TS_IMPORT_IGNORED, 1, "geom@solref", "hard", "b.xml", 4);
    ts_import_report_add(&r, TS_IMPORT_IGNORED, 0, "texture", "looks", "a.xml", 5);
    ts_import_report_add(&r, TS_IMPORT_APPROXIMATED, 1, "geom@solref", "hard", "a.xml", 6);
    ts_import_report_add(NULL, TS_IMPORT_IGNORED, 1, "x", "y", "z", 1);
    cr_assert_eq(r.count, 3);
    cr_assert_eq(r.item[0].count, 2);
    cr_assert_str_eq(r.item[0].file, "a.xml");
    cr_assert_eq(r.item[0].line, 3);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_IGNORED, 1), 1);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_IGNORED, 0), 2);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_HONOURED, 0), 0);
    cr_assert_eq(ts_import_report_count(NULL, TS_IMPORT_HONOURED, 0), 0);
    ts_import_report_free(&r);
    cr_assert_eq(r.count, 0);
    ts_import_report_free(&r);
}

Test(import_report, long_texts_still_count_as_equal) {
    ts_import_report r;
    memset(&r, 0, sizeof r);
    char what[300], meaning[400];
    memset(what, 'w', sizeof what);
    memset(meaning, 'm', sizeof meaning);
    what[sizeof what - 1] = meaning[sizeof meaning - 1] = '\0';
    for (int i = 0; i < 3; ++i) ts_import_report_add(&r, TS_IMPORT_IGNORED, 0, what, meaning, NULL, 0);
    cr_assert_eq(r.count, 1);
    cr_assert_eq(r.item[0].count, 3);
    ts_import_report_free(&r);
}

Test(import_report, is_bounded) {
    ts_import_report r;
    memset(&r, 0, sizeof r);
    long total = 0;
    for (int i = 0; i < 5000; ++i) {
        char what[32];
        snprintf(what, sizeof what, "made up %d", i);
        ts_import_report_add(&r, TS_IMPORT_IGNORED, i == 4999, what, "nothing", "f", i);
    }
    cr_assert_leq(r.count, 1000);
    for (int i = 0; i < r.count; ++i) total += r.item[i].count;
    cr_assert_eq(total, 5000, "findings were lost");
    cr_assert_eq(r.item[r.count - 1].affects_physics, 1);
    ts_import_report_free(&r);
}

// Whoever finds it says what it says: what is in the model is not lost.
Test(import_report, what_is_honoured_or_kept_does_not_count_as_lost) {
    ts_import_report r;
    memset(&r, 0, sizeof r);
    ts_import_report_add(&r, TS_IMPORT_HONOURED, 1, "a", "as in MuJoCo", "f", 1);
    ts_import_report_add(&r, TS_IMPORT_KEPT, 1, "b", "used by soft laws", "f", 1);
    ts_import_report_add(&r, TS_IMPORT_IGNORED, 1, "c", "lost", "f", 1);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_HONOURED, 1), 0);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_KEPT, 1), 0);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_KEPT, 0), 1);
    cr_assert_eq(ts_import_report_count(&r, TS_IMPORT_IGNORED, 1), 1);
    ts_import_report_free(&r);
}

Test(import_report, levels_have_names) {
    cr_assert_str_eq(ts_import_level_name(TS_IMPORT_HONOURED), "honoured");
    cr_assert_str_eq(ts_import_level_name(TS_IMPORT_KEPT), "kept");
    cr_assert_str_eq(ts_import_level_name(TS_IMPORT_APPROXIMATED), "approximated");
    cr_assert_str_eq(ts_import_level_name(TS_IMPORT_IGNORED), "ignored");
}
