// Factors of the velocity form: against G formed in long double, through the bodies and by rows; and a large pile.
#include "contact/operator/delassus_factor_internal.h"
#include "tests/contact/contact_fixture.h"

enum { TREES = 6, MOST = 40, ROWS = 3 * MOST };

// Trees of one to nine dofs; contacts take one or two of them, or runs within one.
typedef struct robots {
    int first[TREES + 1];
    double inverse[TREES][81];  // M^-1 of a tree
    int block_row[MOST + 1], segment_start[MOST + 1];
    ts_delassus_segment segment[2 * MOST];
    double J[2 * MOST][27], Y[2 * MOST][27];
    int blocks;
    long double G[ROWS][ROWS];
} robots;

static void add_segment(robots* s, ts_rng* rng, int tree, int rows, int whitened, int* k) {
    int dofs = s->first[tree + 1] - s->first[tree];
    // Rows may stop short of the last dofs, as those of a body in mid-chain do. M^-1 would fill the rest in, so only
    // whitened coordinates allow it.
    int count = whitened ? 1 + (int)((dofs - 1e-9) * ts_rng_uniform(rng)) : dofs;
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < count; ++j) s->J[*k][r * count + j] = ts_rng_normal(rng);
    for (int r = 0; r < rows && !whitened; ++r)
        for (int j = 0; j < count; ++j) {
            double sum = 0.0;
            for (int l = 0; l < count; ++l) sum += s->inverse[tree][j * 9 + l] * s->J[*k][r * count + l];
            s->Y[*k][r * count + j] = sum;
        }
    ts_delassus_segment segment = {s->first[tree], count, s->J[*k], whitened ? s->J[*k] : s->Y[*k]};
    s->segment[(*k)++] = segment;
}

static void make_robots(robots* s, ts_rng* rng, int blocks, int whitened) {
    memset(s, 0, sizeof(*s));
    s->blocks = blocks;
    for (int t = 0; t < TREES; ++t) {
        int n = t % 2 ? 6 : 1 + (int)(9.0 * ts_rng_uniform(rng));
        s->first[t + 1] = s->first[t] + n;
        double A[81];
        for (int i = 0; i < 81; ++i) A[i] = ts_rng_normal(rng);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int l = 0; l < n; ++l) s->inverse[t][i * 9 + j] += A[i * 9 + l] * A[j * 9 + l] / n;
    }
    int k = 0;
    for (int b = 0; b < blocks; ++b) {
        int rows = b % 4 == 3 ? 1 : 3;
        s->block_row[b + 1] = s->block_row[b] + rows;
        int one = (int)(TREES * ts_rng_uniform(rng)), two = (int)(TREES * ts_rng_uniform(rng));
        add_segment(s, rng, one, rows, whitened, &k);
        if (two != one) add_segment(s, rng, two, rows, whitened, &k);
        s->segment_start[b + 1] = k;
    }
    for (int a = 0; a < blocks; ++a)
        for (int b = 0; b < blocks; ++b)
            for (int x = s->segment_start[a]; x < s->segment_start[a + 1]; ++x)
                for (int y = s->segment_start[b]; y < s->segment_start[b + 1]; ++y) {
                    const ts_delassus_segment *p = &s->segment[x], *q = &s->segment[y];
                    if (p->column != q->column) continue;
                    int shared = p->count < q->count ? p->count : q->count;
                    for (int i = 0; i < s->block_row[a + 1] - s->block_row[a]; ++i)
                        for (int j = 0; j < s->block_row[b + 1] - s->block_row[b]; ++j)
                            for (int l = 0; l < shared; ++l)
                                s->G[s->block_row[a] + i][s->block_row[b] + j] +=
                                    (long double)p->J[i * p->count + l] * q->Y[j * q->count + l];
                }
}

// |(G + S) x - b| against |b|, and against what the largest entries could round to.
static void expect_solution(const robots* s, const double* shift, const double* x, const double* b) {
    int n = s->block_row[s->blocks];
    for (int i = 0; i < n; ++i) {
        long double r = (long double)shift[i] * x[i] - b[i], size = fabsl((long double)shift[i] * x[i]) + fabs(b[i]);
        for (int j = 0; j < n; ++j) {
            r += s->G[i][j] * x[j];
            size += fabsl(s->G[i][j] * x[j]);
        }
        cr_assert_leq(fabsl(r), 1e-12L * size + 1e-13L, "row %d of %d: %Lg of %Lg", i, n, r, size);
    }
}

Test(delassus_factor, solves_what_long_double_multiplies) {
    ts_rng rng = ts_rng_make(11, 0);
    static robots s;
    int seen[2] = {0, 0};
    for (int trial = 0; trial < 120; ++trial) {
        make_robots(&s, &rng, 1 + trial % MOST, trial / MOST % 2);
        int n = s.block_row[s.blocks];
        ++seen[n > s.first[TREES]];
        ts_arena arena = {0};
        ts_delassus* G =
            ts_delassus_velocity_form(&arena, s.first[TREES], s.blocks, s.block_row, s.segment_start, s.segment);
        ts_velocity_form* form = ts_velocity_form_of(G);
        ts_velocity_factor* factor = ts_velocity_factor_make(form, &arena, 1 << 20);
        cr_assert_not_null(factor);
        // The shift changes; the analysis stays, and the current impulse is not touched.
        double kept[ROWS], before[TREES * 9], shift[ROWS], x[ROWS], b[ROWS];
        for (int i = 0; i < n; ++i) kept[i] = ts_rng_normal(&rng);
        G->ops->set_impulse(G, kept);
        memcpy(before, ts_delassus_velocity_change(G), (size_t)s.first[TREES] * sizeof(double));
        size_t used = arena.used;
        for (double scale = 1e-5; scale < 20.0; scale *= 10.0) {
            for (int i = 0; i < n; ++i) {
                shift[i] = scale * (0.5 + ts_rng_uniform(&rng));
                x[i] = b[i] = ts_rng_normal(&rng);
            }
            cr_assert_eq(ts_velocity_factor_update(factor, form, shift), TS_OK);
            ts_velocity_factor_solve(factor, form, x);
            expect_solution(&s, shift, x, b);
        }
        cr_expect_eq(arena.used, used);
        cr_expect_eq(memcmp(before, ts_delassus_velocity_change(G), (size_t)s.first[TREES] * sizeof(double)), 0);
        ts_arena_free(&arena);
    }
    cr_assert(seen[0] > 10 && seen[1] > 10);
}

// A wall of 2,500 bodies, four contacts under each: rows by blocks would be few, yet one body that all of them touch
// couples every pair. Through the bodies it stays sparse.
Test(delassus_factor, ten_thousand_contacts_on_one_body_stay_sparse) {
    enum { BODIES = 2500, BLOCKS = 4 * BODIES };
    static int block_row[BLOCKS + 1], segment_start[BLOCKS + 1];
    static ts_delassus_segment segment[2 * BLOCKS];
    static double J[BLOCKS][36], shift[3 * BLOCKS], x[3 * BLOCKS], b[3 * BLOCKS], y[3 * BLOCKS];
    ts_rng rng = ts_rng_make(13, 0);
    for (int k = 0; k < BLOCKS; ++k) {
        for (int i = 0; i < 36; ++i) J[k][i] = ts_rng_normal(&rng);
        ts_delassus_segment one = {6 + 6 * (k / 4), 6, J[k], J[k]}, all = {0, 6, J[k] + 18, J[k] + 18};
        segment[2 * k] = one;
        segment[2 * k + 1] = all;
        block_row[k + 1] = 3 * k + 3;
        segment_start[k + 1] = 2 * k + 2;
    }
    ts_arena arena = {0};
    ts_delassus* G = ts_delassus_velocity_form(&arena, 6 * BODIES + 6, BLOCKS, block_row, segment_start, segment);
    ts_velocity_form* form = ts_velocity_form_of(G);
    ts_velocity_factor* factor = ts_velocity_factor_make(form, &arena, (size_t)1 << 22);
    cr_assert_not_null(factor);
    cr_expect_lt(arena.peak, (size_t)64 << 20, "%zu bytes", arena.peak);
    for (int i = 0; i < 3 * BLOCKS; ++i) {
        shift[i] = 1e-3;
        x[i] = b[i] = ts_rng_normal(&rng);
    }
    cr_assert_eq(ts_velocity_factor_update(factor, form, shift), TS_OK);
    ts_velocity_factor_solve(factor, form, x);
    G->ops->apply(G, x, y);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < 3 * BLOCKS; ++i) {
        worst = fmax(worst, fabs(y[i] + shift[i] * x[i] - b[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    // Every contact pushes the one body: sums of 3 BLOCKS terms.
    cr_expect_lt(worst, 2.3e-16 * 3 * BLOCKS * largest, "%g with impulses of %g", worst, largest);
    ts_arena_free(&arena);
}

// K = [[-S, J], [J^T, M]] = U D U^T with U unit upper triangular: the bodies are eliminated first, and what they leave
// to the rows is -(G + S).
enum { CORNER = 42, COLUMNS = 24, ALL = CORNER + COLUMNS };

typedef struct constrained {
    double J[CORNER][COLUMNS], M[COLUMNS][COLUMNS], S[CORNER];
    double U[ALL][ALL], D[ALL];
} constrained;

static double entry_of_K(const constrained* k, int i, int j) {
    if (i < CORNER && j < CORNER) return i == j ? -k->S[i] : 0.0;
    if (i < CORNER) return k->J[i][j - CORNER];
    return j < CORNER ? k->J[j][i - CORNER] : k->M[i - CORNER][j - CORNER];
}

// Unit lower triangular L, and D on the diagonal, of a matrix that needs no pivoting.
static void factorise_plainly(double A[ALL * ALL]) {
    for (int i = 0; i < ALL; ++i)
        for (int j = 0; j <= i; ++j) {
            long double sum = A[i * ALL + j];
            for (int l = 0; l < j; ++l) sum -= (long double)A[i * ALL + l] * A[l * ALL + l] * A[j * ALL + l];
            A[i * ALL + j] = (double)(i == j ? sum : sum / A[j * ALL + j]);
        }
}

// X = M^-1 X for X (6), M 6 x 6 positive definite, by Gauss and Jordan. M is used up.
static void solve_six(double M[36], double* x) {
    for (int p = 0; p < 6; ++p)
        for (int i = 0; i < 6; ++i) {
            double l = M[6 * i + p] / M[7 * p];
            if (i == p) continue;
            for (int j = p; j < 6; ++j) M[6 * i + j] -= l * M[6 * p + j];
            x[i] -= l * x[p];
        }
    for (int i = 0; i < 6; ++i) x[i] /= M[7 * i];
}

// Unit lower triangular L D L^T of K with its order turned round is the same as U D U^T.
static void factorise_constrained(constrained* k) {
    static double A[ALL * ALL];
    for (int i = 0; i < ALL; ++i)
        for (int j = 0; j < ALL; ++j) A[i * ALL + j] = entry_of_K(k, ALL - 1 - i, ALL - 1 - j);
    factorise_plainly(A);
    for (int i = 0; i < ALL; ++i) {
        k->D[i] = A[(ALL - 1 - i) * (ALL + 1)];
        for (int j = 0; j < ALL; ++j) k->U[i][j] = j < i ? 0.0 : j == i ? 1.0 : A[(ALL - 1 - i) * ALL + (ALL - 1 - j)];
    }
}

// out = U_part D_part U_part^T over rows and columns [0, n), summed over [0, last).
static double product_of_factor(const constrained* k, int i, int j, int last) {
    long double sum = 0.0L;
    for (int l = 0; l < last; ++l) sum += (long double)k->U[i][l] * (long double)k->D[l] * (long double)k->U[j][l];
    return (double)sum;
}

// Four bodies of six dofs, M block by block; blocks of three rows between two of them.
static ts_delassus* make_constrained(constrained* k, ts_arena* arena) {
    enum { SIDES = 2 * CORNER / 3 };
    static double rows[SIDES][18], Y[SIDES][18];
    static int block_row[CORNER / 3 + 1], start[CORNER / 3 + 1];
    static ts_delassus_segment segment[SIDES];
    ts_rng rng = ts_rng_make(23, 0);
    memset(k, 0, sizeof(*k));
    for (int body = 0; body < COLUMNS / 6; ++body) {
        double B[6][6];
        for (int i = 0; i < 36; ++i) B[i / 6][i % 6] = ts_rng_normal(&rng);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
                for (int l = 0; l < 6; ++l)
                    k->M[6 * body + i][6 * body + j] += B[i][l] * B[j][l] + (i == j ? 1.0 / 3.0 : 0.0);
    }
    for (int c = 0, s = 0; c < CORNER / 3; ++c) {
        block_row[c + 1] = 3 * c + 3;
        start[c] = s;
        for (int side = 0; side < 2; ++side, ++s) {
            int column = 6 * ((c + side * (1 + c % 3)) % (COLUMNS / 6));
            for (int r = 0; r < 3; ++r) {
                double M[36];
                for (int i = 0; i < 36; ++i) M[i] = k->M[column + i / 6][column + i % 6];
                for (int j = 0; j < 6; ++j)
                    k->J[3 * c + r][column + j] = rows[s][6 * r + j] = Y[s][6 * r + j] = ts_rng_normal(&rng);
                solve_six(M, Y[s] + 6 * r);
            }
            segment[s] = (ts_delassus_segment){column, 6, rows[s], Y[s]};
        }
        start[c + 1] = s;
    }
    for (int i = 0; i < CORNER; ++i) k->S[i] = 0.5 + ts_rng_uniform(&rng);
    return ts_delassus_velocity_form(arena, COLUMNS, CORNER / 3, block_row, start, segment);
}

Test(delassus_factor, T23_constrained_cholesky_and_woodbury) {
    static constrained k;
    static double G[CORNER * CORNER], before[ALL][ALL];
    ts_arena arena = {0};
    ts_delassus* op = make_constrained(&k, &arena);
    dense_operator_matrix(op, &arena, G);
    factorise_constrained(&k);
    double size = 0.0;
    for (int i = 0; i < ALL; ++i)
        for (int j = 0; j < ALL; ++j) size = fmax(size, fabs(entry_of_K(&k, i, j)));
    for (int i = 0; i < CORNER * CORNER; ++i) size = fmax(size, fabs(G[i]));
    for (int i = 0; i < ALL; ++i) {
        cr_expect_eq(k.D[i] < 0.0, i < CORNER, "inertia, %d", i);
        for (int j = 0; j < ALL; ++j)
            cr_expect_float_eq(product_of_factor(&k, i, j, ALL), entry_of_K(&k, i, j), 1e-13 * size, "K, %d %d", i, j);
    }
    for (int i = 0; i < CORNER; ++i)
        for (int j = 0; j < CORNER; ++j)
            cr_expect_float_eq(-product_of_factor(&k, i, j, CORNER), G[i * CORNER + j] + (i == j ? k.S[i] : 0.0),
                               1e-13 * size, "corner, %d %d", i, j);
    // Through the bodies, as rows outnumber columns; against the corner, solved as U1 (-D1) U1^T.
    ts_velocity_form* form = ts_velocity_form_of(op);
    ts_velocity_factor* factor = ts_velocity_factor_make(form, &arena, 1 << 20);
    cr_assert_not_null(factor);
    memcpy(before, k.U, sizeof(before));
    for (int change = 0; change < 2; ++change) {
        double x[CORNER], y[CORNER], b[CORNER], largest = 0.0;
        for (int i = 0; i < CORNER; ++i) x[i] = y[i] = b[i] = cos(i);
        cr_assert_eq(ts_velocity_factor_update(factor, form, k.S), TS_OK);
        ts_velocity_factor_solve(factor, form, x);
        for (int i = CORNER - 1; i >= 0; --i)
            for (int j = i + 1; j < CORNER; ++j) y[i] -= k.U[i][j] * y[j];
        for (int i = 0; i < CORNER; ++i) y[i] /= -k.D[i];
        for (int i = 0; i < CORNER; ++i)
            for (int j = 0; j < i; ++j) y[i] -= k.U[j][i] * y[j];
        for (int i = 0; i < CORNER; ++i) largest = fmax(largest, fabs(y[i]));
        for (int i = 0; i < CORNER; ++i)
            cr_expect_float_eq(x[i], y[i], 1e-13 * size * largest, "%d: %.17g, not %.17g", i, x[i], y[i]);
        // Another S changes the corner alone.
        for (int i = 0; i < CORNER; ++i) k.S[i] = 2.0 + sin(i);
        factorise_constrained(&k);
        for (int i = 0; i < ALL; ++i)
            for (int j = CORNER; j < ALL; ++j) cr_expect_eq(k.U[i][j], before[i][j], "%d %d", i, j);
    }
    ts_arena_free(&arena);
}
