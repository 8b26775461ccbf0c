// base/status.h: formatting, places, cutting of long text, and building a message out of the one it replaces.
#include <criterion/criterion.h>

#include <string.h>

#include "base/status.h"

Test(status, set_fills_every_field_and_returns_the_code) {
    ts_status status;
    memset(&status, 0x5a, sizeof status);
    cr_assert_eq(ts_status_set(&status, TS_ERROR_PARSE, "scene.xml", 12, "no <%s> with id %d", "body", 7),
                 TS_ERROR_PARSE);
    cr_assert_eq(status.code, TS_ERROR_PARSE);
    cr_assert_eq(status.line, 12);
    cr_assert_str_eq(status.file, "scene.xml");
    cr_assert_str_eq(status.message, "no <body> with id 7");
    cr_assert_eq(ts_status_ok(&status), TS_OK);
    cr_assert(status.code == TS_OK && status.line == 0 && !status.file[0] && !status.message[0]);
}

Test(status, null_status_still_returns_the_code) {
    cr_assert_eq(ts_status_set(NULL, TS_ERROR_VALUE, "f", 1, "%d", 3), TS_ERROR_VALUE);
    cr_assert_eq(ts_status_ok(NULL), TS_OK);
}

Test(status, message_may_quote_the_old_one) {
    ts_status status;
    ts_status_set(&status, TS_ERROR_FILE, "inner.obj", 3, "cannot open");
    ts_status_set(&status, TS_ERROR_FILE, status.file, status.line, "in the mesh: %s", status.message);
    cr_assert_str_eq(status.message, "in the mesh: cannot open");
    cr_assert_str_eq(status.file, "inner.obj");
    cr_assert_eq(status.line, 3);
}

Test(status, long_text_is_cut_and_terminated) {
    char longer[2000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    ts_status status;
    ts_status_set(&status, TS_ERROR_VALUE, longer, 1, "%s", longer);
    cr_assert_eq(strlen(status.file), sizeof status.file - 1);
    cr_assert_eq(strlen(status.message), sizeof status.message - 1);
}

Test(status, format_names_as_much_of_the_place_as_is_known) {
    ts_status status;
    char text[64];
    ts_status_set(&status, TS_ERROR_VALUE, "a.xml", 4, "bad");
    ts_status_format(&status, text, sizeof text);
    cr_assert_str_eq(text, "a.xml:4: bad");
    ts_status_set(&status, TS_ERROR_VALUE, "a.xml", 0, "bad");
    ts_status_format(&status, text, sizeof text);
    cr_assert_str_eq(text, "a.xml: bad");
    ts_status_set(&status, TS_ERROR_VALUE, NULL, 9, "bad");
    ts_status_format(&status, text, sizeof text);
    cr_assert_str_eq(text, "bad");
    char tiny[4] = {'q', 'q', 'q', 'q'};
    ts_status_format(&status, tiny, 3);
    cr_assert_str_eq(tiny, "ba");
    cr_assert_eq(tiny[3], 'q');
    ts_status_format(&status, tiny, 0);
    cr_assert_str_eq(tiny, "ba");
}

Test(status, every_code_has_its_own_name) {
    for (int a = TS_OK; a <= TS_ERROR_INTERRUPTED; ++a) {
        cr_assert_gt(strlen(ts_code_name((ts_code)a)), 0);
        for (int b = TS_OK; b < a; ++b) cr_assert_str_neq(ts_code_name((ts_code)a), ts_code_name((ts_code)b));
    }
    cr_assert_str_eq(ts_code_name((ts_code)1000), "unknown error");
}
