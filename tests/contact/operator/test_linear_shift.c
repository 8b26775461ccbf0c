// Systems with a shift that changes: over contacts against the products with them; through the bodies against G formed
// in long double, by a factor and in steps; and a large pile.
#include "contact/operator/linear_ways_internal.h"
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

// A system without numbers that is solved through the bodies, and its factor for a shift.
typedef struct factor {
    double one[ROWS];
    ts_linear_matrix A;
    ts_linear* system;
    void* bodies;
} factor;

static void make_factor(factor* f, ts_delassus* G, const double* scale, const double* diagonal, ts_arena* arena) {
    cr_assert(ts_linear_matrix_make_products(G, scale, diagonal, arena, &f->A));
    f->system = ts_linear_make(&f->A, TS_LINEAR_SHIFT, arena);
    cr_assert_not_null(f->system);
    cr_assert(ts_linear_shift(f->system, 1.0));
    cr_assert_str_eq(f->system->room->way->name, "steps");
    f->bodies = ts_linear_bodies_way.analyse(f->system, arena, (size_t)1 << 22);
    cr_assert_not_null(f->bodies);
}

static void change_factor(factor* f, double shift) {
    f->system->room->shift = shift;
    cr_assert(ts_linear_bodies_way.change(f->bodies));
}

Test(linear_shift, solves_what_long_double_multiplies) {
    ts_rng rng = ts_rng_make(11, 0);
    static robots s;
    static factor f;
    for (int i = 0; i < ROWS; ++i) f.one[i] = 1.0;
    for (int trial = 0; trial < 120; ++trial) {
        make_robots(&s, &rng, 1 + trial % MOST, trial / MOST % 2);
        int n = s.block_row[s.blocks];
        ts_arena arena = {0};
        ts_delassus* G =
            ts_delassus_velocity_form(&arena, s.first[TREES], s.blocks, s.block_row, s.segment_start, s.segment);
        double kept[ROWS], before[TREES * 9], diagonal[ROWS] = {0.0}, shift[ROWS], x[ROWS], b[ROWS];
        make_factor(&f, G, f.one, diagonal, &arena);
        // The shift changes; the analysis stays, and the current impulse is not touched.
        for (int i = 0; i < n; ++i) kept[i] = ts_rng_normal(&rng);
        G->ops->set_impulse(G, kept);
        memcpy(before, ts_delassus_velocity_change(G), (size_t)s.first[TREES] * sizeof(double));
        size_t used = arena.used;
        for (double scale = 1e-5; scale < 20.0; scale *= 10.0) {
            for (int i = 0; i < n; ++i) {
                diagonal[i] = scale * ts_rng_uniform(&rng);
                shift[i] = diagonal[i] + 0.5 * scale;
                x[i] = b[i] = ts_rng_normal(&rng);
            }
            change_factor(&f, 0.5 * scale);
            cr_assert(ts_linear_bodies_way.solve(f.bodies, NULL, 0.0, x));
            expect_solution(&s, shift, x, b);
        }
        cr_expect_eq(arena.used, used);
        cr_expect_eq(memcmp(before, ts_delassus_velocity_change(G), (size_t)s.first[TREES] * sizeof(double)), 0);
        ts_arena_free(&arena);
    }
}

// A wall of 2,500 bodies, four contacts under each: rows by blocks would be few, yet one body that all of them touch
// couples every pair. Through the bodies it stays sparse.
Test(linear_shift, ten_thousand_contacts_on_one_body_stay_sparse) {
    enum { BODIES = 2500, BLOCKS = 4 * BODIES };
    static int block_row[BLOCKS + 1], segment_start[BLOCKS + 1];
    static ts_delassus_segment segment[2 * BLOCKS];
    static double J[BLOCKS][36], ones[3 * BLOCKS], x[3 * BLOCKS], b[3 * BLOCKS], y[3 * BLOCKS];
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
    static factor f;
    for (int i = 0; i < 3 * BLOCKS; ++i) ones[i] = 1.0;
    make_factor(&f, G, ones, NULL, &arena);
    cr_expect_lt(arena.peak, (size_t)64 << 20, "%zu bytes", arena.peak);
    for (int i = 0; i < 3 * BLOCKS; ++i) x[i] = b[i] = ts_rng_normal(&rng);
    change_factor(&f, 1e-3);
    cr_assert(ts_linear_bodies_way.solve(f.bodies, NULL, 0.0, x));
    G->ops->apply(G, x, y);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < 3 * BLOCKS; ++i) {
        worst = fmax(worst, fabs(y[i] + 1e-3 * x[i] - b[i]));
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

Test(linear_shift, T23_constrained_cholesky_and_woodbury) {
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
    static factor f;
    static double diagonal[CORNER];
    for (int i = 0; i < CORNER; ++i) f.one[i] = 1.0;
    make_factor(&f, op, f.one, diagonal, &arena);
    memcpy(before, k.U, sizeof(before));
    for (int change = 0; change < 2; ++change) {
        double x[CORNER], y[CORNER], b[CORNER], largest = 0.0;
        for (int i = 0; i < CORNER; ++i) x[i] = y[i] = b[i] = cos(i);
        for (int i = 0; i < CORNER; ++i) diagonal[i] = k.S[i] - 0.25;
        change_factor(&f, 0.25);
        cr_assert(ts_linear_bodies_way.solve(f.bodies, NULL, 0.0, x));
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

// --- over contacts -----------------------------------------------------------------------------------------------------

enum { LONGEST = 60 };

typedef struct chain {
    ts_arena arena;
    double one[3 * LONGEST];
    ts_linear_matrix A;
    ts_linear* system;
    ts_rng rng;
} chain;

// A chain of `count` blocks, or all of them coupled; symmetric but for `skew`.
static void make_chain(chain* c, int count, double skew, int full, double diagonal) {
    int n = 3 * count, block_row[LONGEST + 1];
    static double G[9 * LONGEST * LONGEST];
    memset(c, 0, sizeof(*c));
    memset(G, 0, sizeof(G));
    c->rng = ts_rng_make(71, 0);
    for (int b = 0; b <= count; ++b) block_row[b] = 3 * b;
    for (int i = 0; i < n; ++i) c->one[i] = 1.0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (!full && abs(i / 3 - j / 3) > 1) continue;
            G[i * n + j] = (i == j ? diagonal : sin(1.0 + i + j)) + (i < j ? skew : 0.0);
        }
    ts_delassus* operator_ = dense_operator(&c->arena, count, block_row, G);
    cr_assert(ts_linear_matrix_make(operator_, c->one, NULL, &c->arena, &c->A));
    c->system = ts_linear_make(&c->A, TS_LINEAR_SHIFT, &c->arena);
    cr_assert_not_null(c->system);
}

// The solution of a system against the product with it.
static void check_solution(chain* c, double shift) {
    double x[3 * LONGEST], y[3 * LONGEST], right[3 * LONGEST];
    for (int i = 0; i < c->A.rows; ++i) x[i] = right[i] = ts_rng_normal(&c->rng);
    cr_assert(ts_linear_solve(c->system, right, 0.0, x));
    ts_linear_matrix_apply(&c->A, x, y);
    for (int i = 0; i < c->A.rows; ++i)
        cr_expect_float_eq(y[i] + shift * x[i], right[i], 1e-9, "%d rows, shift %g, row %d", c->A.rows, shift, i);
}

static void check_chain(int count, double skew, int full, const char* way) {
    static chain c;
    make_chain(&c, count, skew, full, full ? 3.0 * count : 6.0);
    const double shift[3] = {0.5, 1e-3, 10.0};
    for (int k = 0; k < 3; ++k) {
        cr_assert(ts_linear_shift(c.system, shift[k]));
        cr_expect_str_eq(c.system->room->way->name, way);
        check_solution(&c, shift[k]);
        check_solution(&c, shift[k]);
    }
    ts_arena_free(&c.arena);
}

Test(linear_shift, dense_sparse_and_asymmetric) {
    check_chain(5, 0.0, 0, "symmetric");
    check_chain(5, 1e-3, 0, "dense");
    check_chain(60, 0.0, 0, "blocks");
    check_chain(60, 1e-3, 0, "blocks");
    check_chain(40, 0.0, 1, "symmetric");
    check_chain(40, 1e-3, 1, "dense");
}

// Where the shift changes all the time the matrix becomes tridiagonal, once, and a change costs next to nothing; where it
// rests, or the matrix is not symmetric, it does not.
Test(linear_shift, many_shifts) {
    for (int k = 0; k < 3; ++k) {
        static chain c;
        make_chain(&c, 12, k == 2 ? 1e-3 : 0.0, 0, 6.0);
        int reductions = 0, cheap = 0;
        for (int i = 0; i < 30; ++i) {
            double shift = pow(0.8, i % 17);
            cr_assert(ts_linear_shift(c.system, shift));
            int now = ts_linear_cost_of(c.system).change < 10.0 * c.A.rows;
            reductions += now && !cheap;
            cheap = now;
            for (int solve = 0; solve < (k == 1 ? 10 : 2); ++solve) check_solution(&c, shift);
        }
        cr_expect_eq(reductions, k == 0, "%d", k);
        // It rests: back to a Cholesky factor of the same shift.
        for (int solve = 0; solve < 20; ++solve) check_solution(&c, pow(0.8, 29 % 17));
        cr_expect_gt(ts_linear_cost_of(c.system).change, 10.0 * c.A.rows);
        ts_arena_free(&c.arena);
    }
}

// A matrix that has become indefinite by rounding, as recorded ones have: LU takes over, also from the tridiagonal form.
Test(linear_shift, slightly_indefinite) {
    for (int shifts = 1; shifts <= 12; shifts += 11) {
        static chain c;
        make_chain(&c, 4, 0.0, 1, 0.4);
        for (int i = 0; i < shifts; ++i) cr_assert(ts_linear_shift(c.system, 10.0 + i));
        cr_expect_str_eq(c.system->room->way->name, "symmetric");
        cr_expect_eq(ts_linear_cost_of(c.system).change<10.0 * c.A.rows, shifts> 8);
        cr_assert(ts_linear_shift(c.system, 1e-3));
        cr_expect_str_eq(c.system->room->way->name, "dense");
        check_solution(&c, 1e-3);
        cr_assert(ts_linear_shift(c.system, 2e-3));
        check_solution(&c, 2e-3);
        ts_arena_free(&c.arena);
    }
}

// --- in steps ----------------------------------------------------------------------------------------------------------

// Free bodies in a heap, each touching several others.
enum { BODIES = 14, TOUCHING = 70 };

// First in steps from a guess, then, when that has cost enough, with a factor: the same answer.
Test(linear_shift, in_steps_through_the_bodies) {
    static double J[2 * TOUCHING][18];
    static ts_delassus_segment segment[2 * TOUCHING];
    int block_row[TOUCHING + 1] = {0}, start[TOUCHING + 1] = {0};
    for (int k = 0; k < 8; ++k) {
        double heaviest = k & 1 ? 1e4 : 1.0, scale[3 * TOUCHING], R[3 * TOUCHING];
        ts_rng rng = ts_rng_make(5, (uint64_t)k);
        for (int c = 0, s = 0; c < TOUCHING; ++c) {
            int side[2] = {c % BODIES, (c + 1 + c / BODIES) % BODIES};
            block_row[c + 1] = 3 * c + 3;
            // Every fifth contact is with the ground.
            for (int i = 0; i < (c % 5 ? 2 : 1); ++i, ++s) {
                double mass = pow(heaviest, (double)side[i] / (BODIES - 1));
                for (int j = 0; j < 18; ++j) J[s][j] = ts_rng_normal(&rng) / sqrt(mass);
                segment[s] = (ts_delassus_segment){6 * side[i], 6, J[s], J[s]};
            }
            start[c + 1] = s;
            for (int r = 3 * c; r < 3 * c + 3; ++r) {
                scale[r] = k & 4 ? 0.3 + 0.01 * c : 1.0;
                R[r] = 0.3 * (1.0 + 0.1 * c) * scale[r] * scale[r];
            }
        }
        ts_arena arena = {0};
        // Columns that nobody uses do not count.
        ts_delassus* G = ts_delassus_velocity_form(&arena, 6 * BODIES + (k & 2 ? 3 * TOUCHING : 0), TOUCHING, block_row,
                                                   start, segment);
        cr_assert(ts_linear_prefers_bodies(G, &arena));
        ts_linear_matrix A, numbers;
        cr_assert(ts_linear_matrix_make_products(G, scale, k & 2 ? R : NULL, &arena, &A));
        cr_assert(ts_linear_matrix_make(G, scale, k & 2 ? R : NULL, &arena, &numbers));
        ts_linear* system = ts_linear_make(&A, TS_LINEAR_SHIFT, &arena);
        cr_assert_not_null(system);
        const double shift[3] = {5.0, 1e-2, 30.0};
        double x[3 * TOUCHING], y[3 * TOUCHING], right[3 * TOUCHING], guess[3 * TOUCHING] = {0.0};
        for (int i = 0; i < 90; ++i) {
            double size = 0.0;
            if (i % 30 == 0) cr_assert(ts_linear_shift(system, shift[i / 30]));
            for (int r = 0; r < 3 * TOUCHING; ++r) {
                x[r] = right[r] = ts_rng_normal(&rng);
                size = fmax(size, fabs(right[r]));
            }
            cr_assert(ts_linear_solve(system, i % 7 ? guess : NULL, 0.0, x));
            ts_linear_matrix_apply(&numbers, x, y);
            for (int r = 0; r < 3 * TOUCHING; ++r)
                cr_expect_float_eq(y[r] + shift[i / 30] * x[r], right[r], 1e-9 * size, "%d, solve %d", k, i);
            memcpy(guess, x, sizeof(guess));
        }
        ts_arena_free(&arena);
    }
}
