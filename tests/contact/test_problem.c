// Problems that make no sense are refused, with the block and the reason.
#include "tests/contact/contact_fixture.h"

typedef struct sample {
    ts_arena arena;
    ts_block block[3];
    double g[5];
    double R[5];
    ts_contact_problem problem;
} sample;

static void make_sample(sample* s) {
    memset(s, 0, sizeof(*s));
    const int block_row[4] = {0, 3, 4, 5};
    double G[25] = {0};
    for (int i = 0; i < 5; ++i) G[6 * i] = 1.0;
    s->block[0] = fixture_cone(0, 0.5);
    ts_block half = {.set = TS_SET_HALF_LINE, .row = 3, .rows = 1};
    ts_block box = {.set = TS_SET_BOX, .row = 4, .rows = 1, .low = -1.0, .high = 1.0};
    s->block[1] = half;
    s->block[2] = box;
    s->problem.block_count = 3;
    s->problem.row_count = 5;
    s->problem.block = s->block;
    s->problem.delassus = dense_operator(&s->arena, 3, block_row, G);
    s->problem.g = s->g;
    s->problem.R = s->R;
    s->problem.time_step = 1e-3;
}

static void expect_refused(sample* s, const char* word, int line) {
    ts_status status;
    cr_expect_eq(ts_contact_problem_validate(&s->problem, &status), TS_ERROR_VALUE, "line %d", line);
    cr_expect_eq(status.code, TS_ERROR_VALUE);
    cr_expect_not_null(strstr(status.message, word), "line %d: '%s' is not in '%s'", line, word, status.message);
    cr_expect_eq(ts_contact_problem_validate(&s->problem, NULL), TS_ERROR_VALUE);
    ts_arena_free(&s->arena);
    make_sample(s);
}

Test(validate, accepts_a_sound_problem) {
    sample s;
    make_sample(&s);
    ts_status status;
    cr_expect_eq(ts_contact_problem_validate(&s.problem, &status), TS_OK, "%s", status.message);
    s.problem.R = NULL;
    s.block[2].low = -HUGE_VAL;
    cr_expect_eq(ts_contact_problem_validate(&s.problem, &status), TS_OK, "%s", status.message);
    ts_arena_free(&s.arena);
}

Test(validate, refuses_numbers_that_are_not_numbers) {
    sample s;
    make_sample(&s);
    s.g[3] = NAN;
    expect_refused(&s, "block 1", __LINE__);
    s.g[1] = HUGE_VAL;
    expect_refused(&s, "block 0", __LINE__);
    s.R[4] = NAN;
    expect_refused(&s, "compliance", __LINE__);
    s.R[4] = -1e-9;
    expect_refused(&s, "compliance", __LINE__);
    s.block[0].mu = -0.1;
    expect_refused(&s, "friction", __LINE__);
    s.block[0].mu = NAN;
    expect_refused(&s, "friction", __LINE__);
    s.block[2].low = 2.0;
    expect_refused(&s, "low", __LINE__);
    s.block[2].high = NAN;
    expect_refused(&s, "low", __LINE__);
    s.block[2].low = s.block[2].high = HUGE_VAL;
    expect_refused(&s, "finite", __LINE__);
    s.problem.time_step = 0.0;
    expect_refused(&s, "time step", __LINE__);
    s.problem.time_step = NAN;
    expect_refused(&s, "time step", __LINE__);
    ts_arena_free(&s.arena);
}

Test(validate, refuses_sizes_and_sets_that_do_not_fit) {
    sample s;
    make_sample(&s);
    s.block[0].rows = 2;
    expect_refused(&s, "3, 4 or 6 rows", __LINE__);
    s.block[1].rows = 2;
    expect_refused(&s, "1 row", __LINE__);
    s.block[1].set = TS_SET_FREE;
    s.block[1].rows = 7;
    expect_refused(&s, "1 to 6", __LINE__);
    s.block[1].set = (ts_block_set)17;
    expect_refused(&s, "unknown set", __LINE__);
    s.block[1].row = 2;
    expect_refused(&s, "block 1", __LINE__);
    s.problem.block_count = 2;
    expect_refused(&s, "operator", __LINE__);
    s.problem.row_count = 4;
    expect_refused(&s, "operator", __LINE__);
    s.problem.block_count = -1;
    expect_refused(&s, "negative", __LINE__);
    s.problem.delassus = NULL;
    expect_refused(&s, "missing", __LINE__);
    ts_arena_free(&s.arena);
}

Test(validate, refuses_an_operator_with_a_broken_diagonal) {
    const int block_row[2] = {0, 3};
    double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, g[3] = {0};
    const ts_block block = fixture_cone(0, 0.5);
    for (int k = 0; k < 2; ++k) {
        ts_arena arena = {0};
        if (k == 1) G[8] = NAN;
        ts_contact_problem problem = {.block_count = 1,
                                      .row_count = 3,
                                      .block = &block,
                                      .delassus = dense_operator(&arena, 1, block_row, G),
                                      .g = g,
                                      .time_step = 1e-3};
        ts_status status;
        cr_expect_eq(ts_contact_problem_validate(&problem, &status), TS_ERROR_VALUE);
        cr_expect_not_null(strstr(status.message, "diagonal"));
        ts_arena_free(&arena);
    }
}
