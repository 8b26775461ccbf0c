// Linear systems through the bodies: against dense elimination in long double, on random bodies and contacts.
#include "contact/operator/linear_ways_internal.h"

#include "contact/solvers/newton/natural_newton_internal.h"
#include "contact/rescaled_problem_internal.h"
#include "tests/contact/contact_fixture.h"

enum { BODIES = 14, MOST = 60, ROWS = 6 * MOST, COLUMNS = 6 * BODIES };

// How the bodies are joined.
typedef enum shape { PILE, HUB, CHAIN } shape;

typedef struct world {
    ts_arena arena;
    int block_row[MOST + 1], segment_start[MOST + 1];
    ts_block block[MOST];
    ts_delassus_segment segment[2 * MOST];
    double J[2 * MOST * 36], Y[2 * MOST * 36];  // one behind the other, as the engine has them
    int numbers;
    int blocks, rows;
    double row_scale[ROWS], row_shift[ROWS];
    double J_all[ROWS][COLUMNS], Y_all[ROWS][COLUMNS];
    ts_contact_problem problem;
    ts_linear_matrix A;
    ts_linear* system;
} world;

// Masses from 1 to `ratio`; the first body is the heaviest. `whitened`: Y = J, else Y = J M^-1.
static void add_segment(world* w, ts_rng* rng, int body, int rows, double ratio, int whitened, int* k) {
    double mass = body == 0 ? ratio : pow(ratio, ts_rng_uniform_in(rng, 0.0, 1.0) * (body % 3 == 0));
    double *J = w->J + w->numbers, *Y = w->Y + w->numbers;
    for (int i = 0; i < 6 * rows; ++i) {
        double own = ts_rng_normal(rng);
        J[i] = whitened ? own / sqrt(mass) : own;
        Y[i] = whitened ? own / sqrt(mass) : own / mass;
    }
    w->numbers += 6 * rows;
    w->segment[(*k)++] = (ts_delassus_segment){6 * body, 6, J, whitened ? J : Y};
}

static void make_world(world* w, ts_rng* rng, int blocks, shape how, double ratio, int whitened, int compliant) {
    static const int sizes[] = {3, 3, 1, 4, 3, 6};
    memset(w, 0, sizeof(*w));
    w->blocks = blocks;
    int k = 0;
    for (int b = 0; b < blocks; ++b) {
        int rows = sizes[b % 6];
        ts_block block = {rows == 1 ? TS_SET_HALF_LINE : TS_SET_CONE, w->block_row[b], rows, 0.7, 0.0, 0.0};
        w->block[b] = block;
        w->block_row[b + 1] = w->block_row[b] + rows;
        int one = (int)(BODIES * ts_rng_uniform(rng)), two = (int)(BODIES * ts_rng_uniform(rng));
        if (how == HUB) two = 0;
        if (how == CHAIN) {
            one = b % BODIES;
            two = one + 1;
        }
        // Body 13 is at rest, and so is whatever lies behind the end of the chain.
        if (one < BODIES - 1) add_segment(w, rng, one, rows, ratio, whitened, &k);
        if (two < BODIES - 1 && two != one) add_segment(w, rng, two, rows, ratio, whitened, &k);
        w->segment_start[b + 1] = k;
    }
    w->rows = w->block_row[blocks];
    for (int b = 0; b < blocks; ++b) {
        double stiffness = 0.0;
        for (int s = w->segment_start[b]; s < w->segment_start[b + 1]; ++s)
            for (int r = 0; r < w->block[b].rows; ++r)
                for (int j = 0; j < 6; ++j) {
                    int row = w->block_row[b] + r, column = w->segment[s].column + j;
                    w->J_all[row][column] = w->segment[s].J[r * 6 + j];
                    w->Y_all[row][column] = w->segment[s].Y[r * 6 + j];
                    stiffness += w->segment[s].J[r * 6 + j] * w->segment[s].Y[r * 6 + j];
                }
        for (int row = w->block_row[b]; row < w->block_row[b + 1]; ++row) {
            w->row_scale[row] = stiffness > 0.0 ? 1.0 / sqrt(stiffness) : 0.0;
            w->row_shift[row] = compliant ? 1e-3 * ts_rng_uniform(rng) : 0.0;
        }
    }
    w->problem.block_count = blocks;
    w->problem.row_count = w->rows;
    w->problem.block = w->block;
    w->problem.delassus =
        ts_delassus_velocity_form(&w->arena, COLUMNS, blocks, w->block_row, w->segment_start, w->segment);
    cr_assert(ts_linear_matrix_make_products(w->problem.delassus, w->row_scale, compliant ? w->row_shift : NULL,
                                             &w->arena, &w->A));
    w->system = ts_linear_make(&w->A, TS_LINEAR_BLOCKS, &w->arena);
    cr_assert_not_null(w->system);
}

// C and E of the natural map with proximal weight eps: sticking, sliding, open. Open blocks are not active.
static void fill_system(world* w, ts_rng* rng, double eps) {
    ts_linear* s = w->system;
    for (int b = 0; b < w->blocks; ++b) {
        int n = w->block[b].rows;
        double *C = s->C + s->square[b], *E = s->E + s->square[b];
        double DP[36] = {0.0}, shift[6] = {0.0}, kind = ts_rng_uniform(rng);
        s->active[b] = kind > 0.2;
        for (int r = 0; r < n; ++r) DP[r * n + r] = 1.0;
        if (n > 1 && kind > 0.6) {
            // Sliding: the derivative of the projection on a cone of slope mu, between the cone and its polar.
            double mu = w->block[b].mu, t[6], sum = 0.0, share = 1.0 / (1.0 + mu * mu), across = ts_rng_uniform(rng);
            for (int r = 0; r < n; ++r) {
                t[r] = r == 2 ? 0.0 : ts_rng_normal(rng);
                sum += t[r] * t[r];
            }
            for (int r = 0; r < n; ++r) t[r] /= sqrt(sum);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    double own = (mu * mu * share - across) * t[i] * t[j] + (i == j ? across : 0.0);
                    if (i == 2 || j == 2) own = i == j ? share : mu * share * t[i == 2 ? j : i];
                    DP[i * n + j] = own;
                }
            for (int r = 0; r < n; ++r) shift[r] = r == 2 ? 0.0 : -mu * t[r];
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                E[i * n + j] = DP[i * n + j] + (n > 1 ? DP[i * n + 2] * shift[j] : 0.0);
                C[i * n + j] = (i == j ? 1.0 : 0.0) - DP[i * n + j] + eps * E[i * n + j];
            }
    }
}

// A in long double.
static long double entry(const world* w, int i, int j) {
    long double sum = 0.0L;
    for (int k = 0; k < COLUMNS; ++k) sum += (long double)w->J_all[i][k] * (long double)w->Y_all[j][k];
    sum *= (long double)w->row_scale[i] * (long double)w->row_scale[j];
    return sum + (i == j && w->A.shift ? (long double)w->row_shift[i] : 0.0L);
}

static int block_of(const world* w, int row) {
    int b = 0;
    while (w->block_row[b + 1] <= row) ++b;
    return b;
}

static long double (*whole_matrix(const world* w))[ROWS] {
    long double(*A)[ROWS] = malloc(sizeof(long double) * ROWS * ROWS);
    cr_assert_not_null(A);
    for (int i = 0; i < w->rows; ++i)
        for (int j = 0; j < w->rows; ++j) A[i][j] = entry(w, i, j);
    return A;
}

// Row i of the system: C d + E A d for an active block, d for a known one.
static void system_row(const world* w, long double (*A)[ROWS], int i, long double* out) {
    const ts_linear* s = w->system;
    int b = block_of(w, i), first = w->block_row[b], n = w->block[b].rows;
    for (int j = 0; j < w->rows; ++j) out[j] = i == j ? 1.0L : 0.0L;
    if (!s->active[b]) return;
    out[i] = 0.0L;
    for (int k = 0; k < n; ++k) {
        out[first + k] += (long double)s->C[s->square[b] + (i - first) * n + k];
        for (int j = 0; j < w->rows; ++j)
            out[j] += (long double)s->E[s->square[b] + (i - first) * n + k] * A[first + k][j];
    }
}

// Elimination with row exchanges; x holds the right-hand side.
static void eliminate(long double (*M)[ROWS], int n, long double* x) {
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(M[i][k]) > fabsl(M[p][k])) p = i;
        for (int j = 0; j < n && p != k; ++j) {
            long double t = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = t;
        }
        long double t = x[k];
        x[k] = x[p];
        x[p] = t;
        for (int i = k + 1; i < n; ++i) {
            long double f = M[i][k] / M[k][k];
            for (int j = k; j < n && f != 0.0L; ++j) M[i][j] -= f * M[k][j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= M[i][j] * x[j];
        x[i] /= M[i][i];
    }
}

// Solves, and checks what is left of the right-hand side, the step, and the bodies' motion that belongs to it.
static void check(world* w, ts_rng* rng, double eps, const char* what) {
    double d[ROWS], r[ROWS];
    static long double M[ROWS][ROWS], x[ROWS];
    fill_system(w, rng, eps);
    for (int i = 0; i < w->rows; ++i) x[i] = (long double)(d[i] = r[i] = ts_rng_normal(rng));
    cr_assert(ts_linear_change(w->system));
    cr_assert_str_eq(w->system->room->way->name, "bodies");
    cr_assert(ts_linear_solve(w->system, NULL, 0.0, d), "%s, eps %g", what, eps);
    long double(*A)[ROWS] = whole_matrix(w);
    double worst = 0.0, error = 0.0, size = 0.0, motion_error = 0.0, motion = 0.0;
    for (int i = 0; i < w->rows; ++i) {
        long double left = (long double)r[i];
        system_row(w, A, i, M[i]);
        for (int j = 0; j < w->rows; ++j) left -= M[i][j] * (long double)d[j];
        worst = fmax(worst, (double)fabsl(left));
    }
    eliminate(M, w->rows, x);
    for (int k = 0; k < COLUMNS; ++k) {
        long double ours = 0.0L, theirs = 0.0L;
        for (int i = 0; i < w->rows; ++i) {
            long double weight = (long double)w->Y_all[i][k] * (long double)w->row_scale[i];
            ours += weight * (long double)d[i];
            theirs += weight * x[i];
        }
        motion = fmax(motion, (double)fabsl(theirs));
        motion_error = fmax(motion_error, (double)fabsl(ours - theirs));
    }
    for (int i = 0; i < w->rows; ++i) {
        size = fmax(size, (double)fabsl(x[i]));
        error = fmax(error, (double)fabsl(x[i] - (long double)d[i]));
    }
    // Rounding of the step alone leaves this much; where contacts outnumber motions the step is as large as 1 / eps.
    cr_expect_leq(worst, 1e-12 + 3e-15 * size, "%s, eps %g: %g left of a step of %g", what, eps, worst, size);
    cr_expect_leq(error, (1e-12 + 1e-14 / eps) * size, "%s, eps %g: step off by %g of %g", what, eps, error, size);
    cr_expect_leq(motion_error, (1e-12 + 1e-14 / eps) * motion, "%s, eps %g: motion off by %g of %g", what, eps,
                  motion_error, motion);
    free(A);
}

static void check_all(shape how, const char* what) {
    static world w;
    ts_rng rng = ts_rng_make(31, (uint64_t)how);
    for (int k = 0; k < 12; ++k) {
        double ratio = pow(10.0, (double)(k % 4) * 2.0);
        make_world(&w, &rng, how == CHAIN ? 2 * BODIES : MOST, how, ratio, k % 2, k % 3 == 2);
        for (double eps = 1.0; eps > 5e-11; eps *= 0.01) check(&w, &rng, eps, what);
        ts_arena_free(&w.arena);
    }
}

Test(linear_bodies, solves_a_pile_like_dense_elimination) { check_all(PILE, "pile"); }

Test(linear_bodies, solves_around_a_hub_like_dense_elimination) { check_all(HUB, "hub"); }

Test(linear_bodies, solves_a_chain_like_dense_elimination) { check_all(CHAIN, "chain"); }

// C the identity and E a projection's derivative, as of an energy: the matrix over bodies is symmetric.
static void fill_hessian(world* w, ts_rng* rng) {
    fill_system(w, rng, 1.0);
    for (int b = 0; b < w->blocks; ++b) {
        int n = w->block[b].rows;
        double *C = w->system->C + w->system->square[b], *E = w->system->E + w->system->square[b], along[6];
        double least = ts_rng_uniform(rng), more = ts_rng_uniform(rng);
        for (int r = 0; r < n; ++r) along[r] = ts_rng_normal(rng);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                C[i * n + j] = i == j;
                E[i * n + j] = (i == j ? least : 0.0) + more * along[i] * along[j];
            }
    }
}

Test(linear_bodies, solves_a_symmetric_system_like_dense_elimination) {
    static world w;
    ts_rng rng = ts_rng_make(32, 0);
    for (int k = 0; k < 24; ++k) {
        double d[ROWS], r[ROWS];
        static long double M[ROWS][ROWS], x[ROWS];
        // Y other than J, or a shift, and it is not symmetric: said to be a Hessian all the same, it must be solved.
        make_world(&w, &rng, MOST, k % 3 == 0 ? HUB : PILE, 100.0, k % 4 != 3, k % 5 == 4);
        w.system->is_hessian = 1;
        for (int i = 0; i < w.rows; ++i) w.row_shift[i] *= 1e3;
        int six = 0;
        for (int b = 0; b < w.blocks; ++b) six += w.system->room->form->block[b].kernel != TS_VELOCITY_ANY;
        cr_expect_gt(six, 10, "too few contacts as free bodies have them");
        fill_hessian(&w, &rng);
        for (int i = 0; i < w.rows; ++i) x[i] = (long double)(d[i] = r[i] = ts_rng_normal(&rng));
        cr_assert(ts_linear_change(w.system));
        cr_assert_str_eq(w.system->room->way->name, "bodies");
        cr_assert(ts_linear_solve(w.system, NULL, 0.0, d));
        long double(*A)[ROWS] = whole_matrix(&w);
        for (int i = 0; i < w.rows; ++i) system_row(&w, A, i, M[i]);
        eliminate(M, w.rows, x);
        for (int i = 0; i < w.rows; ++i) cr_assert_float_eq(d[i], (double)x[i], 1e-11, "%d: row %d", k, i);
        free(A);
        ts_arena_free(&w.arena);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
Test(linear_bodies, have_one_set_of_bits) {
    static world w;
    ts_rng rng = ts_rng_make(33, 0);
    if (!__builtin_cpu_supports("avx2")) return;
    for (int k = 0; k < 24; ++k) {
        double plain[ROWS], wide[ROWS];
        make_world(&w, &rng, MOST, k % 3 == 0 ? HUB : PILE, 100.0, k % 4 != 3, k % 5 == 4);
        w.system->is_hessian = k % 2;
        if (k % 2)
            fill_hessian(&w, &rng);
        else
            fill_system(&w, &rng, 1.0);
        for (int i = 0; i < w.rows; ++i) plain[i] = wide[i] = ts_rng_normal(&rng);
        cr_assert(ts_linear_change(w.system));
        cr_assert_str_eq(w.system->room->way->name, "bodies");
        void* analysed = w.system->room->analysed;
        cr_assert(ts_linear_bodies_change_plain(analysed));
        cr_assert(ts_linear_bodies_solve_plain(analysed, 0.0, plain));
        cr_assert(ts_linear_bodies_change_wide(analysed));
        cr_assert(ts_linear_bodies_solve_wide(analysed, 0.0, wide));
        cr_expect_eq(memcmp(plain, wide, (size_t)w.rows * sizeof(double)), 0, "world %d", k);
        ts_arena_free(&w.arena);
    }
}
#endif

// Blocks that become known stay in what was analysed, and are solved as dense elimination does without them; where many have, or others become
// unknown, it is made anew.
Test(linear_bodies, keeps_its_analysis_while_few_blocks_become_known) {
    static world w;
    ts_rng rng = ts_rng_make(33, 0);
    int kept = 0, remade = 0;
    for (int k = 0; k < 8; ++k) {
        make_world(&w, &rng, MOST, k % 3 == 0 ? HUB : PILE, 100.0, k % 4 != 3, k % 5 == 4);
        w.system->is_hessian = 1;
        for (int i = 0; i < w.rows; ++i) w.row_shift[i] *= 1e3;
        for (int round = 0; round < 6; ++round) {
            double d[ROWS];
            static long double M[ROWS][ROWS], x[ROWS];
            int before = w.system->room->count;
            fill_hessian(&w, &rng);
            // In odd rounds one block in ten has become known, in the fourth one in two.
            for (int b = 0; b < w.blocks; ++b)
                w.system->active[b] = round == 4 ? b % 2 : !(round % 2) || b % 10 != round;
            for (int i = 0; i < w.rows; ++i) x[i] = (long double)(d[i] = ts_rng_normal(&rng));
            cr_assert(ts_linear_change(w.system));
            cr_assert_str_eq(w.system->room->way->name, "bodies");
            cr_assert(ts_linear_solve(w.system, NULL, 0.0, d));
            kept += round > 0 && w.system->room->count == before && round % 2;
            remade += round == 4 && w.system->room->count < before;
            long double(*A)[ROWS] = whole_matrix(&w);
            for (int i = 0; i < w.rows; ++i) system_row(&w, A, i, M[i]);
            eliminate(M, w.rows, x);
            for (int i = 0; i < w.rows; ++i)
                cr_assert_float_eq(d[i], (double)x[i], 1e-11, "%d, round %d: row %d", k, round, i);
            free(A);
        }
        ts_arena_free(&w.arena);
    }
    cr_expect_geq(kept, 16, "%d", kept);
    cr_expect_eq(remade, 8, "%d", remade);
}

Test(linear_bodies, refuses_a_factor_that_is_too_large) {
    static world w;
    ts_rng rng = ts_rng_make(7, 0);
    make_world(&w, &rng, MOST, PILE, 1.0, 1, 0);
    fill_system(&w, &rng, 1e-3);
    cr_assert(ts_linear_change(w.system));
    cr_expect_null(ts_linear_bodies_way.analyse(w.system, &w.arena, 500));
    ts_arena_free(&w.arena);
}

Test(linear_bodies, only_velocity_forms_have_products_alone) {
    static const double G[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, one[3] = {1.0, 1.0, 1.0};
    static const int row[2] = {0, 3};
    ts_arena arena = {0};
    ts_linear_matrix A;
    ts_delassus* operator_ = dense_operator(&arena, 1, row, G);
    cr_expect_not(ts_linear_matrix_make_products(operator_, one, NULL, &arena, &A));
    cr_expect_not(ts_linear_prefers_bodies(operator_, &arena));
    ts_arena_free(&arena);
}

// --- a plate with so many things on it that its matrix by blocks is refused -------------------------------------------

enum { THINGS = 1500, PLATE_CONTACTS = THINGS + 4 };

typedef struct plate {
    ts_arena arena;
    ts_block block[PLATE_CONTACTS];
    int row[PLATE_CONTACTS + 1], start[PLATE_CONTACTS + 1];
    ts_delassus_segment segment[2 * PLATE_CONTACTS];
    double J[2 * PLATE_CONTACTS][18];
    double g[3 * PLATE_CONTACTS], impulse[3 * PLATE_CONTACTS];
    ts_contact_problem problem;
} plate;

// Rows of a point at (x, y, z) from the centre of a body of unit mass and inertia; t1, t2, n are the axes.
static void point_rows(double x, double y, double z, double sign, double* J) {
    const double rows[18] = {1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0};
    for (int i = 0; i < 18; ++i) J[i] = sign * rows[i];
}

static void make_plate(plate* p) {
    memset(p, 0, sizeof(*p));
    int k = 0;
    for (int b = 0; b < PLATE_CONTACTS; ++b) {
        int thing = b < THINGS, corner = b - THINGS;
        double x = thing ? cos(b) * 0.9 : (corner & 1 ? 1.0 : -1.0);
        double y = thing ? sin(b) * 0.9 : (corner & 2 ? 1.0 : -1.0);
        p->block[b] = fixture_cone(3 * b, 0.5);
        p->row[b + 1] = 3 * b + 3;
        point_rows(x, y, thing ? 0.1 : -0.1, thing ? -1.0 : 1.0, p->J[k]);
        ts_delassus_segment on_plate = {0, 6, p->J[k], p->J[k]};
        p->segment[k++] = on_plate;
        if (thing) {
            point_rows(0.0, 0.0, -0.5, 1.0, p->J[k]);
            ts_delassus_segment own = {6 + 6 * b, 6, p->J[k], p->J[k]};
            p->segment[k++] = own;
        }
        p->start[b + 1] = k;
        // Everything falls alike: things do not approach the plate, the plate approaches the ground.
        p->g[3 * b + 2] = thing ? 0.0 : -GRAVITY * TIME_STEP;
    }
    p->problem.block_count = PLATE_CONTACTS;
    p->problem.row_count = 3 * PLATE_CONTACTS;
    p->problem.block = p->block;
    p->problem.g = p->g;
    p->problem.time_step = TIME_STEP;
    p->problem.delassus =
        ts_delassus_velocity_form(&p->arena, 6 + 6 * THINGS, PLATE_CONTACTS, p->row, p->start, p->segment);
}

Test(linear_bodies, carries_fifteen_hundred_things_on_one_plate) {
    static plate p;
    ts_arena scratch = {0};
    ts_rescaled_problem s;
    make_plate(&p);
    cr_assert_not(ts_rescaled_problem_make(&p.problem, TS_UNITS_STIFFNESS, TS_MATRIX_NUMBERS, &scratch, &s),
                  "the matrix was thought to be too large");
    ts_arena_reset(&scratch);
    ts_natural_settings settings = {
        .goal = {1e-10, 1e-6}, .newton_limit = 300, .proximal_limit = 300, .proximal = 1e-3, .sweeps = 5};
    ts_natural_report report = ts_natural_newton(&p.problem, &settings, &scratch, p.impulse);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(report.newtons, 100);
    // Unit masses: each thing presses with its weight, and the corners carry all of it.
    double corners = 0.0, weight = GRAVITY * TIME_STEP;
    for (int b = 0; b < THINGS; ++b) cr_expect_float_eq(p.impulse[3 * b + 2], weight, 1e-8 * weight);
    for (int b = THINGS; b < PLATE_CONTACTS; ++b) corners += p.impulse[3 * b + 2];
    cr_expect_float_eq(corners, (THINGS + 1) * weight, 1e-8 * THINGS * weight);
    ts_arena_free(&scratch);
    ts_arena_free(&p.arena);
}

// x changes block by block as in a sweep; both ways read the same rows and the same diagonal.
Test(linear_bodies, products_without_a_matrix_are_those_with_it) {
    static world w;
    ts_rng rng = ts_rng_make(5, 0);
    ts_arena arena = {0};
    ts_rescaled_problem with, without;
    double g[ROWS], x[ROWS], u[ROWS], v[ROWS];
    make_world(&w, &rng, MOST, PILE, 100.0, 0, 1);
    for (int i = 0; i < w.rows; ++i) {
        g[i] = ts_rng_normal(&rng);
        x[i] = ts_rng_normal(&rng);
    }
    w.problem.g = g;
    w.problem.R = w.row_shift;
    cr_assert(ts_rescaled_problem_make(&w.problem, TS_UNITS_STIFFNESS, TS_MATRIX_EITHER, &arena, &with));
    cr_assert(ts_rescaled_problem_make(&w.problem, TS_UNITS_STIFFNESS, TS_MATRIX_PRODUCTS, &arena, &without));
    cr_assert(with.A.start && !without.A.start);
    ts_rescaled_problem_velocity(&with, x, u);
    ts_rescaled_problem_velocity(&without, x, v);
    for (int i = 0; i < w.rows; ++i) cr_expect_float_eq(u[i], v[i], 1e-13 * (1.0 + fabs(u[i])));
    ts_rescaled_problem_load(&without, x);
    for (int k = 0; k < 3 * MOST; ++k) {
        int b = k % MOST;
        double change[6], D[2][36];
        for (int r = 0; r < w.block[b].rows; ++r) x[w.block[b].row + r] += change[r] = ts_rng_normal(&rng);
        ts_rescaled_problem_change(&without, b, change);
        int other = (7 * k) % MOST, rows = w.block[other].rows;
        ts_rescaled_problem_read(&with, other, x, u, D[0]);
        ts_rescaled_problem_read(&without, other, x, v, D[1]);
        for (int r = 0; r < rows; ++r) cr_expect_float_eq(u[r], v[r], 1e-12 * (1.0 + fabs(u[r])));
        for (int i = 0; i < rows * rows; ++i) cr_expect_float_eq(D[0][i], D[1][i], 1e-14);
    }
    ts_arena_free(&arena);
    ts_arena_free(&w.arena);
}
