// FCLIB files: round trips, the three forms of storage, order of components, and every way a file can be wrong. Bad
// files are made with the writer's own lower half, which writes what it is given, and by cutting and flipping bytes.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/text.h"
#include "contact/file/fclib.h"
#include "contact/file/fclib_internal.h"
#include "tests/contact/dense_operator.h"
#include "tests/folder_fixture.h"

static char path[96];

static void make_folder_and_path(void) {
    make_folder();
    snprintf(path, sizeof path, "%s/problem.hdf5", folder);
}

TestSuite(fclib, .init = make_folder_and_path, .fini = remove_folder, .timeout = 120);

#ifndef TS_HAVE_HDF5

Test(fclib, without_hdf5_says_which_option_is_off) {
    ts_fclib_problem problem;
    ts_status status;
    cr_expect_eq(ts_fclib_read(path, &problem, &status), TS_ERROR_UNSUPPORTED);
    cr_expect_not_null(strstr(status.message, "TS_HDF5"));
}

#else

// Two contacts by columns, in the file's order (n, t1, t2): W = [A B; C D], B and C not quite transposed.
enum { ROWS = 6, ENTRIES = 36 };

typedef struct sample {
    ts_fclib_raw raw;
    int p[2 * ENTRIES];
    int i[2 * ENTRIES];
    double x[2 * ENTRIES];
    double q[ROWS];
    double mu[2];
    double W[ROWS][ROWS];
} sample;

static void make_sample(sample* s) {
    ts_rng rng = ts_rng_make(11, 1);
    memset(s, 0, sizeof *s);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < ROWS; ++c) {
            double x = ts_rng_normal(&rng);
            s->W[r][c] += x + 1e-4 * ts_rng_normal(&rng) + (r == c ? 6.0 : 0.0);
            s->W[c][r] += x;
        }
    int e = 0;
    for (int c = 0; c < ROWS; ++c) {
        s->p[c] = e;
        for (int r = 0; r < ROWS; ++r, ++e) {
            s->i[e] = r;
            s->x[e] = s->W[r][c];
        }
        s->q[c] = ts_rng_normal(&rng);
    }
    s->p[ROWS] = e;
    s->mu[0] = 0.25;
    s->mu[1] = 0.75;
    s->raw = (ts_fclib_raw){3, ROWS, 2, TS_FCLIB_COLUMNS, ENTRIES, s->p, s->i, s->x, s->q, s->mu};
}

static void save(const sample* s) {
    ts_status status;
    cr_assert_eq(ts_fclib_save(path, "sample", &s->raw, &status), TS_OK, "%s", status.message);
}

// Where component r of the file (normal, tangent 1, tangent 2) is among ours.
static int ours(int row) { return row - row % 3 + (row % 3 + 2) % 3; }

static void expect_sample(const sample* s, const char* what) {
    ts_fclib_problem f;
    ts_status status;
    ts_arena scratch = {0};
    double G[ROWS * ROWS];
    cr_assert_eq(ts_fclib_read(path, &f, &status), TS_OK, "%s: %s", what, status.message);
    cr_assert_eq(f.problem.block_count, 2);
    cr_assert_eq(f.problem.row_count, ROWS);
    cr_assert_eq(ts_contact_problem_validate(&f.problem, &status), TS_OK, "%s", status.message);
    dense_operator_matrix(f.problem.delassus, &scratch, G);
    for (int r = 0; r < ROWS; ++r) {
        cr_expect_eq(f.problem.g[ours(r)], s->q[r], "%s", what);
        for (int c = 0; c < ROWS; ++c)
            cr_expect_eq(G[ROWS * ours(r) + ours(c)], s->W[r][c], "%s: entry %d %d", what, r, c);
    }
    for (int c = 0; c < 2; ++c) {
        cr_expect_eq(f.problem.block[c].mu, s->mu[c]);
        cr_expect_eq(f.problem.block[c].set, TS_SET_CONE);
    }
    double difference = 0.0, sum = 0.0;
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < ROWS; ++c) {
            sum += s->W[r][c] * s->W[r][c];
            difference += (s->W[r][c] - s->W[c][r]) * (s->W[r][c] - s->W[c][r]);
        }
    cr_expect_float_eq(f.asymmetry, sqrt(difference / sum), 1e-15);
    ts_arena_free(&scratch);
    ts_fclib_free(&f);
}

Test(fclib, reads_the_three_forms_of_storage) {
    sample s;
    make_sample(&s);
    save(&s);
    expect_sample(&s, "by columns");
    sample rows = s;
    rows.raw.form = TS_FCLIB_ROWS;
    rows.raw.x = rows.x;
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < ROWS; ++c) rows.x[ROWS * r + c] = s.W[r][c];
    save(&rows);
    expect_sample(&s, "by rows");
    // Entry by entry, from the back, every number in two parts that sum exactly; and room for more than there is.
    sample each = s;
    each.raw.form = 2 * ENTRIES;
    each.raw.entries = 2 * ENTRIES;
    each.raw.p = each.p;
    each.raw.i = each.i;
    each.raw.x = each.x;
    for (int e = 0; e < 2 * ENTRIES; ++e) {
        int k = (2 * ENTRIES - 1 - e) % ENTRIES;
        each.p[e] = k / ROWS;
        each.i[e] = k % ROWS;
        each.x[e] = (e < ENTRIES ? 0.25 : 0.75) * s.W[k / ROWS][k % ROWS];
        if (e >= ENTRIES) each.x[e] = s.W[k / ROWS][k % ROWS] - each.x[e - ENTRIES];
    }
    save(&each);
    ts_fclib_problem f;
    ts_arena scratch = {0};
    double G[ROWS * ROWS];
    cr_assert_eq(ts_fclib_read(path, &f, NULL), TS_OK);
    dense_operator_matrix(f.problem.delassus, &scratch, G);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < ROWS; ++c) cr_expect_float_eq(G[ROWS * ours(r) + ours(c)], s.W[r][c], 1e-15);
    ts_arena_free(&scratch);
    ts_fclib_free(&f);
}

// Only one half of an off-diagonal pair is stored: the pattern is completed with zeros, the numbers stay.
Test(fclib, completes_the_pattern) {
    static int p[] = {0, 1, 2, 3, 4, 5, 7}, i[] = {0, 1, 2, 3, 4, 5, 0};
    static double x[] = {1, 2, 3, 4, 5, 6, 1e-3}, q[6] = {0}, mu[2] = {0};
    sample s;
    make_sample(&s);
    s.raw = (ts_fclib_raw){3, 6, 2, TS_FCLIB_COLUMNS, 7, p, i, x, q, mu};
    save(&s);
    ts_fclib_problem f;
    ts_status status;
    cr_assert_eq(ts_fclib_read(path, &f, &status), TS_OK, "%s", status.message);
    ts_arena scratch = {0};
    double G[36];
    dense_operator_matrix(f.problem.delassus, &scratch, G);
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) {
            double expected = r == c ? r + 1.0 : (r == 0 && c == 5 ? 1e-3 : 0.0);
            cr_expect_eq(G[6 * ours(r) + ours(c)], expected, "entry %d %d", r, c);
        }
    ts_delassus_blocks blocks;
    cr_assert(f.problem.delassus->ops->blocks(f.problem.delassus, &scratch, 1000, &blocks));
    cr_expect_eq(blocks.start[2], 4);
    ts_arena_free(&scratch);
    ts_fclib_free(&f);
}

// What is written comes back, bit for bit, with R in the diagonal.
Test(fclib, writes_what_it_reads) {
    sample s;
    make_sample(&s);
    save(&s);
    ts_fclib_problem f;
    ts_status status;
    cr_assert_eq(ts_fclib_read(path, &f, NULL), TS_OK);
    cr_assert_eq(ts_fclib_write(path, "again", &f.problem, &status), TS_OK, "%s", status.message);
    expect_sample(&s, "written");
    const double R[ROWS] = {0.5, 0.25, 1.0, 0.0, 2.0, 4.0};
    f.problem.R = R;
    cr_assert_eq(ts_fclib_write(path, "with R", &f.problem, &status), TS_OK, "%s", status.message);
    for (int r = 0; r < ROWS; ++r) s.W[r][r] += R[ours(r)];
    expect_sample(&s, "with R");
    ts_fclib_free(&f);
}

Test(fclib, a_dense_problem_is_written_without_its_zeros) {
    ts_arena arena = {0};
    ts_block block[2] = {{TS_SET_CONE, 0, 3, 0.5, 0.0, 0.0}, {TS_SET_CONE, 3, 3, 0.0, 0.0, 0.0}};
    const int block_row[3] = {0, 3, 6};
    const double g[6] = {1, 2, 3, 4, 5, 6};
    double G[36] = {0};
    for (int r = 0; r < 5; ++r) G[7 * r] = r + 1.0;  // the last diagonal entry is zero, and written all the same
    ts_contact_problem problem = {.block_count = 2,
                                  .row_count = 6,
                                  .block = block,
                                  .delassus = dense_operator(&arena, 2, block_row, G),
                                  .g = g,
                                  .time_step = 1e-3};
    cr_assert_eq(ts_fclib_write(path, "dense", &problem, NULL), TS_OK);
    ts_fclib_raw raw;
    cr_assert_eq(ts_fclib_load(path, &arena, &raw, NULL), TS_OK);
    cr_expect_eq(raw.entries, 6);
    for (int k = 0; k < 6; ++k) {
        cr_expect_eq(raw.p[k], k);
        cr_expect_eq(raw.i[k], k);
        cr_expect_eq(raw.q[k], g[ours(k)]);
    }
    ts_arena_free(&arena);
}

Test(fclib, other_blocks_cannot_be_written_and_nothing_is_left) {
    ts_arena arena = {0};
    const int cone_then_line[3] = {0, 3, 4};
    const double g[4] = {0};
    double G[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    ts_block block[2] = {{TS_SET_CONE, 0, 3, 0.5, 0.0, 0.0}, {TS_SET_HALF_LINE, 3, 1, 0.0, 0.0, 0.0}};
    ts_contact_problem problem = {.block_count = 2,
                                  .row_count = 4,
                                  .block = block,
                                  .delassus = dense_operator(&arena, 2, cone_then_line, G),
                                  .g = g,
                                  .time_step = 1.0};
    ts_status status;
    cr_expect_eq(ts_fclib_write(path, "x", &problem, &status), TS_ERROR_UNSUPPORTED);
    cr_expect_not_null(strstr(status.message, "block 1"), "%s", status.message);
    cr_expect_not_null(strstr(status.message, "half-line"), "%s", status.message);
    problem.block_count = problem.row_count = 0;
    cr_expect_eq(ts_fclib_write(path, "x", &problem, &status), TS_ERROR_VALUE);
    problem.block_count = 1;
    problem.row_count = 3;
    const double bad[3] = {0, NAN, 0};
    const int one[2] = {0, 3};
    problem.delassus = dense_operator(&arena, 1, one, G);
    problem.g = bad;
    cr_expect_eq(ts_fclib_write(path, "x", &problem, &status), TS_ERROR_VALUE);
    cr_expect_eq(access(path, F_OK), -1);
    problem.g = g;
    cr_expect_eq(ts_fclib_write("/nonexistent/x.hdf5", "x", &problem, &status), TS_ERROR_FILE);
    // An old file survives what cannot be written.
    sample s;
    make_sample(&s);
    save(&s);
    problem.g = bad;
    cr_expect_eq(ts_fclib_write(path, "x", &problem, &status), TS_ERROR_VALUE);
    expect_sample(&s, "the old file");
    ts_arena_free(&arena);
}

// --- files that are wrong ------------------------------------------------------------------------------------------------

static void expect_refusal(const sample* s, ts_code code, const char* piece) {
    ts_fclib_problem f;
    ts_status status;
    save(s);
    cr_expect_eq(ts_fclib_read(path, &f, &status), code, "%s: %s", piece, status.message);
    cr_expect_not_null(strstr(status.message, piece), "'%s' is not in: %s", piece, status.message);
    cr_expect_str_eq(status.file, path);
    cr_expect_null(f.problem.delassus);
    cr_expect_null(f.arena.chunk);
    ts_fclib_free(&f);
}

Test(fclib, numbers_that_make_no_problem_are_refused_by_name) {
    static const struct {
        char array;  // w: x, q: q, m: mu, i: i, p: p
        int at;
        double value;
        const char* piece;
    } bad[] = {
        {'w', 7, NAN, "/fclib_local/W/x: entry 7"},
        {'w', 7, INFINITY, "/fclib_local/W/x: entry 7 is inf"},
        {'q', 2, NAN, "/fclib_local/vectors/q: entry 2"},
        {'q', 5, -INFINITY, "/fclib_local/vectors/q: entry 5 is -inf"},
        {'m', 1, NAN, "vectors/mu: friction"},
        {'m', 1, INFINITY, "contact 1 has inf"},
        {'m', 0, -0.5, "contact 0 has -0.5"},
        {'i', 3, 6, "/fclib_local/W/i: entry 3 is 6"},
        {'i', 3, -1, "/fclib_local/W/i: entry 3 is -1"},
        {'i', 3, 2, "row 2, column 0 is stored twice"},
        {'p', 0, 1, "/fclib_local/W/p: entry 0 is 1"},
        {'p', 2, 40, "/fclib_local/W/p: entry 2 is 40"},
        {'p', 2, 3, "/fclib_local/W/p: entry 2 is 3"},
        {'p', 6, 37, "/fclib_local/W/p: entry 6 is 37"},
        {'w', 0, -3.0, "diagonal of a Delassus matrix is not negative; row 0"},
        {'w', 28, -3.0, "row 4"},
        {'w', 6, 40.0, "far from symmetric"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        sample s;
        make_sample(&s);
        int at = bad[k].at;
        switch (bad[k].array) {
        case 'w': s.x[at] = bad[k].value; break;
        case 'q': s.q[at] = bad[k].value; break;
        case 'm': s.mu[at] = bad[k].value; break;
        case 'i': s.i[at] = (int)bad[k].value; break;
        default: s.p[at] = (int)bad[k].value; break;
        }
        expect_refusal(&s, TS_ERROR_VALUE, bad[k].piece);
    }
}

Test(fclib, shapes_that_do_not_fit_are_refused_by_name) {
    static const struct {
        int spacedim, rows, contacts, form, entries;
        ts_code code;
        const char* piece;
    } bad[] = {
        {2, 6, 3, -1, 36, TS_ERROR_UNSUPPORTED, "planar"},
        {7, 6, 2, -1, 36, TS_ERROR_VALUE, "spacedim: it is 7"},
        {3, 0, 0, -1, 0, TS_ERROR_VALUE, "no contacts"},
        {3, 5, 2, -1, 25, TS_ERROR_VALUE, "5 rows are no whole number"},
        {3, 6, 1, -1, 36, TS_ERROR_PARSE, "vectors/mu: it holds 1 numbers, not 2"},
        {3, 6, 2, -3, 36, TS_ERROR_VALUE, "nz: -3"},
        {3, 6, 2, 40, 36, TS_ERROR_VALUE, "nzmax: 36 with nz 40"},
        {3, 6, 2, 0, 0, TS_OK, NULL},  // nothing but zeros is a matrix
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        sample s;
        make_sample(&s);
        s.raw.spacedim = bad[k].spacedim;
        s.raw.rows = bad[k].rows;
        s.raw.contacts = bad[k].contacts;
        s.raw.form = bad[k].form;
        s.raw.entries = bad[k].entries;
        if (bad[k].code) {
            expect_refusal(&s, bad[k].code, bad[k].piece);
            continue;
        }
        ts_fclib_problem f;
        ts_status status;
        save(&s);
        cr_expect_eq(ts_fclib_read(path, &f, &status), TS_OK, "%s", status.message);
        ts_fclib_free(&f);
    }
}

// Recorded matrices: 1e-3 of the norm is normal, and so are eigenvalues a little below zero.
Test(fclib, slightly_wrong_matrices_pass_as_they_are) {
    sample s;
    make_sample(&s);
    double norm = 0.0;
    for (int e = 0; e < ENTRIES; ++e) norm += s.x[e] * s.x[e];
    s.x[6] += 1e-3 * sqrt(norm);
    s.W[0][1] = s.x[6];
    save(&s);
    expect_sample(&s, "asymmetric by 1e-3");
    make_sample(&s);
    for (int k = 0; k < ROWS; ++k) {
        s.x[ROWS * k] = s.x[k] = k ? 1e-9 : -1e-16;
        s.W[0][k] = s.W[k][0] = s.x[k];
    }
    save(&s);
    ts_fclib_problem f;
    ts_status status;
    cr_assert_eq(ts_fclib_read(path, &f, &status), TS_OK, "%s", status.message);
    cr_expect_eq(f.problem.delassus->ops->diagonal(f.problem.delassus, 0)[8], -1e-16);
    ts_fclib_free(&f);
}

static void write_bytes(const char* bytes, size_t length) {
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

// Cut anywhere, a file is refused; nothing is printed by anyone (the runner would show it) and nothing leaks.
Test(fclib, cut_files_are_refused) {
    sample s;
    make_sample(&s);
    save(&s);
    ts_text whole = {0};
    cr_assert_eq(ts_text_read_file(path, 1 << 24, &whole, NULL), TS_OK);
    for (size_t length = 0; length < whole.length; length += length < 64 ? 1 : 211) {
        ts_fclib_problem f;
        ts_status status;
        write_bytes(whole.data, length);
        ts_code code = ts_fclib_read(path, &f, &status);
        cr_expect_eq(code, TS_ERROR_PARSE, "%zu bytes of %zu: %s", length, whole.length, status.message);
        ts_fclib_free(&f);
    }
    ts_text_free(&whole);
    ts_fclib_problem f;
    ts_status status;
    cr_expect_eq(ts_fclib_read(folder, &f, &status), TS_ERROR_FILE);
    cr_expect_eq(ts_fclib_read("/nonexistent/x.hdf5", &f, &status), TS_ERROR_FILE);
}

// The optional data: every recorded problem is read, and written and read again without a change.
Test(fclib, recorded_problems_survive_a_round_trip) {
    const char* data = getenv("TOUCHSTONE_DATA");
    if (!data || !data[0]) cr_skip("TOUCHSTONE_DATA is not set");
    static const struct {
        const char* name;
        int contacts;
    } file[] = {{"BoxesStack1-i100000-32", 52}, {"Capsules-i100-1090", 276},
                {"KaplasTower-i1061-4", 570},   {"Rover4396", 2},
                {"FC3D_Example1", 3},           {"OneObject-i100000-316", 25}};
    for (size_t k = 0; k < sizeof file / sizeof file[0]; ++k) {
        char from[512];
        ts_fclib_problem a, b;
        ts_status status;
        snprintf(from, sizeof from, "%s/contact_problems/%s.hdf5", data, file[k].name);
        if (access(from, R_OK) != 0) continue;
        cr_assert_eq(ts_fclib_read(from, &a, &status), TS_OK, "%s", status.message);
        cr_expect_eq(a.problem.block_count, file[k].contacts);
        cr_assert_eq(ts_fclib_write(path, file[k].name, &a.problem, &status), TS_OK, "%s", status.message);
        cr_assert_eq(ts_fclib_read(path, &b, &status), TS_OK, "%s", status.message);
        cr_expect_eq(a.asymmetry, b.asymmetry);
        int n = a.problem.row_count;
        ts_arena arena = {0};
        double* x = TS_ARENA_ARRAY(&arena, double, n);
        double* y = TS_ARENA_ARRAY(&arena, double, n);
        double* z = TS_ARENA_ARRAY(&arena, double, n);
        for (int i = 0; i < n; ++i) x[i] = sin(i);
        a.problem.delassus->ops->apply(a.problem.delassus, x, y);
        b.problem.delassus->ops->apply(b.problem.delassus, x, z);
        cr_expect_arr_eq(y, z, (size_t)n * sizeof(double));
        cr_expect_arr_eq(a.problem.g, b.problem.g, (size_t)n * sizeof(double));
        ts_arena_free(&arena);
        ts_fclib_free(&a);
        ts_fclib_free(&b);
    }
}

#endif
