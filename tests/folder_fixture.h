// A folder of its own for every test: TestSuite(name, .init = make_folder, .fini = remove_folder).
#ifndef TS_TESTS_FOLDER_FIXTURE_H
#define TS_TESTS_FOLDER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

static char folder[64];

static inline void make_folder(void) {
    snprintf(folder, sizeof folder, "/tmp/touchstone-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static inline void remove_folder(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

// The path of a name in the folder; good until the fourth call after this one.
static inline const char* in_folder(const char* name) {
    static char path[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

#endif
