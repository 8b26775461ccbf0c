// base/log.h: what the listener hears, and silence where there is none.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "base/log.h"

typedef struct heard {
    int messages;
    ts_log_level level;
    char last[4096];
} heard;

static void listen(void* user, ts_log_level level, const char* message) {
    heard* h = (heard*)user;
    h->messages += 1;
    h->level = level;
    snprintf(h->last, sizeof h->last, "%s", message);
}

Test(log, hands_over_level_and_text) {
    heard h = {0};
    ts_log log = {listen, &h};
    ts_log_write(&log, TS_LOG_WARNING, "%d of %s", 3, "four");
    cr_assert_eq(h.messages, 1);
    cr_assert_eq(h.level, TS_LOG_WARNING);
    cr_assert_str_eq(h.last, "3 of four");
}

Test(log, silent_without_a_listener) {
    ts_log silent = {0};
    ts_log_write(NULL, TS_LOG_ERROR, "%s", "nobody");
    ts_log_write(&silent, TS_LOG_ERROR, "%s", "nobody");
}

Test(log, long_messages_are_cut) {
    heard h = {0};
    ts_log log = {listen, &h};
    char longer[3000];
    memset(longer, 'y', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    ts_log_write(&log, TS_LOG_INFO, "%s", longer);
    cr_assert_eq(h.messages, 1);
    size_t length = strlen(h.last);
    cr_assert(length >= 500 && length < sizeof longer);
    cr_assert_eq(strspn(h.last, "y"), length);
}
