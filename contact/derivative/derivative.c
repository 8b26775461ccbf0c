// The derivative of a solved contact problem, by implicit differentiation.
//
// Problem: lambda solves u = (G + R) lambda + g with the exact law or its convex relaxation. How does it change with g, G,
// R and mu? Rule: say of every block what it does, which names the equations that hold with equality, and differentiate
// those. With t = u_T / |u_T| and Q an orthonormal basis of the tangent directions across t:
//     open         d lambda = 0
//     stick        du = 0, all rows free
//     slide        d lambda = e_s x_s + Q x_Q + l dmu,     e_s = (-mu t, 1) / sqrt(1 + mu^2),    l = -lambda_N t
//                  Q^T du_T + |u_T| / (mu lambda_N) x_Q = 0        (friction turns with the slip)
//                  exact law: du_N = 0;    relaxation: e_s . du = |u_T| dmu / sqrt(1 + mu^2)      (u_N = mu |u_T|)
// A half-line opens or sticks, a free block sticks, a box sticks inside and has d lambda = 0 at a bound; mu = 0 slides with
// x_s alone. Stacked, E holding what may change and P what is asked:
//     (P^T (G + R) E + D) x = -P^T du - W dmu,   du at frozen lambda,   d lambda = E x + L dmu.
// Backwards the same matrix is used transposed. Slip across t has rows - 2 dimensions, so that contacts with spinning and
// rolling rows are no special case.
// Source: Le Lidec, Kalevatykh, Laptev, Schmid, Carpentier, Differentiable simulation for physical system identification
// (2021), for differentiating through contact; the equations above are derived here.
//
// Hyperstatic contacts make the matrix A singular. We take the least-squares answer of least norm
// (contact/operator/linear_orthogonal.c) rather than a small shift of the diagonal: it has no parameter that trades
// accuracy for size, and the transpose of the pseudo-inverse is the pseudo-inverse of the transpose, so forward and
// backward stay adjoint to rounding. E's columns are orthonormal, so the
// norm is that of the change of impulse itself. Velocities do not depend on the choice: under the relaxation P = E, and
// A z = 0 gives 0 = z^T A z = |M^-1/2 J^T E z|^2 + z^T (R and D terms) z, each of them >= 0, hence J^T E z = 0: what is left
// open moves no body. The same holds for the exact law where nothing slides, or where feet of one friction slide in one
// direction. Feet that slide in different directions can share their load in ways that turn the body differently: there the
// exact law itself leaves v+ open, and the mismatch of the backward solve tells.
//
// Guaranteed: forward and backward are transposes of each other to rounding; refuses where the derivative has a jump.
// Known to fail: A is dense, so one large island is costly. With the exact law and large friction A can be singular though
// nothing is hyperstatic (Painleve's paradox: the answer itself is about to vanish); the mismatch tells. The rank is
// judged over all rows at once, so mass ratios beyond 1 / `rank` look hyperstatic.
#include "contact/derivative/derivative.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/linear/dense.h"
#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/derivative/derivative_internal.h"
#include "contact/derivative/mode_internal.h"

typedef struct ts_contact_derivative_parts parts;

// --- The equations of one block ---

static int unknowns_of(const ts_block* block, ts_contact_mode mode) {
    if (mode == TS_MODE_STICK) return block->rows;
    if (mode != TS_MODE_SLIDE || block->set != TS_SET_CONE) return 0;
    return block->mu > 0.0 ? block->rows - 1 : 1;
}

// The direction of slip in the tangent rows; row 2 is zero. Zero where mu = 0 and nothing slips.
static void slip_direction(const double* u, int rows, double slip, double* out_t) {
    for (int r = 0; r < rows; ++r) out_t[r] = r != 2 && slip > 0.0 ? u[r] / slip : 0.0;
}

// Number k of an orthonormal basis of the tangent rows across the unit vector t: what the reflection that takes the first
// tangent row to -+t makes of tangent row k, counted from 1 without row 2.
static void across(const double* t, int rows, int k, double* out_q) {
    int row = k < 2 ? k : k + 1;
    double sign = t[0] < 0.0 ? -1.0 : 1.0;
    double share = t[row] / (1.0 + fabs(t[0]));
    for (int r = 0; r < rows; ++r) out_q[r] = (r == row ? 1.0 : 0.0) - share * (t[r] + (r == 0 ? sign : 0.0));
}

static int write_stick(const ts_block* block, int b, ts_contact_unknown* x) {
    for (int r = 0; r < block->rows; ++r) {
        x[r].block = b;
        x[r].row = block->row;
        x[r].rows = block->rows;
        x[r].E[r] = x[r].P[r] = 1.0;
        x[r].normal = block->set != TS_SET_CONE || r == 2;
    }
    return block->rows;
}

static int write_slide(const ts_block* block, int b, int convex, const double* lambda, const double* u,
                       ts_contact_unknown* x, ts_contact_slider* s) {
    int rows = block->rows, count = unknowns_of(block, TS_MODE_SLIDE);
    double slip = ts_block_set_tangent_length(u, rows), t[TS_BLOCK_ROWS_MAX];
    double length = sqrt(1.0 + block->mu * block->mu);
    slip_direction(u, rows, slip, t);
    s->block = b;
    s->row = block->row;
    s->rows = rows;
    for (int k = 0; k < count; ++k) {
        x[k].block = b;
        x[k].row = block->row;
        x[k].rows = rows;
    }
    for (int r = 0; r < rows; ++r) {
        s->L[r] = -lambda[2] * t[r];
        x[0].E[r] = (r == 2 ? 1.0 : -block->mu * t[r]) / length;
        x[0].P[r] = convex ? x[0].E[r] : r == 2 ? 1.0 : 0.0;
    }
    x[0].normal = x[0].slides = 1;
    if (convex) x[0].lift = slip / length;
    for (int k = 1; k < count; ++k) {
        across(t, rows, k, x[k].E);
        memcpy(x[k].P, x[k].E, sizeof(x[k].P));
        x[k].curvature = slip / (block->mu * lambda[2]);
    }
    return count;
}

// --- The whole ---

static double ask(const ts_contact_unknown* x, const double* y) { return ts_dot(x->P, y + x->row, x->rows); }

// Vectors of which one after another is put down.
typedef struct vector_list {
    ts_delassus_vectors all;
    int* block;
    double* value;
} vector_list;

static int take_vectors(int most, ts_arena* arena, vector_list* out) {
    *out = (vector_list){.block = TS_ARENA_ARRAY(arena, int, most),
                         .value = TS_ARENA_ARRAY(arena, double, TS_BLOCK_ROWS_MAX* most)};
    out->all = (ts_delassus_vectors){0, out->block, out->value};
    return out->block && out->value;
}

static void put(vector_list* list, int block, const double value[TS_BLOCK_ROWS_MAX]) {
    int k = list->all.count++;
    list->block[k] = block;
    memcpy(list->value + (size_t)k * TS_BLOCK_ROWS_MAX, value, TS_BLOCK_ROWS_MAX * sizeof(double));
}

static double pair_of(const ts_block* block, const double* value, const double* y) {
    return ts_dot(value, y + block->row, block->rows);
}

// out = left^T G right, column by column where the operator knows no better. Returns 0 when memory is short.
static int between(const ts_contact_problem* problem, const ts_delassus_vectors* left, const ts_delassus_vectors* right,
                   ts_arena* scratch, double* out) {
    ts_delassus* G = problem->delassus;
    if (G->ops->between) return G->ops->between(G, left, right, scratch, out);
    double* x = TS_ARENA_ARRAY(scratch, double, G->row_count);
    double* y = TS_ARENA_ARRAY(scratch, double, G->row_count);
    for (int k = 0; x && y && k < right->count; ++k) {
        const ts_block* block = &problem->block[right->block[k]];
        memset(x, 0, (size_t)G->row_count * sizeof(double));
        memcpy(x + block->row, right->value + (size_t)k * TS_BLOCK_ROWS_MAX, (size_t)block->rows * sizeof(double));
        G->ops->apply(G, x, y);
        for (int i = 0; i < left->count; ++i)
            out[(size_t)i * (size_t)right->count + (size_t)k] =
                pair_of(&problem->block[left->block[i]], left->value + (size_t)i * TS_BLOCK_ROWS_MAX, y);
    }
    return x && y;
}

// x^T R y, both in the rows of one block.
static double softness_between(const ts_contact_problem* problem, const ts_block* block, const double* x,
                               const double* y) {
    double sum = 0.0;
    for (int r = 0; problem->R && r < block->rows; ++r) sum += x[r] * problem->R[block->row + r] * y[r];
    return sum;
}

// P^T (G + R) of the right into out (n x right). Returns 0 when memory is short.
static int project(const ts_contact_problem* problem, const parts* p, const ts_delassus_vectors* right,
                   ts_arena* scratch, double* out) {
    vector_list left;
    if (!take_vectors(p->A.n, scratch, &left)) return 0;
    for (int i = 0; i < p->A.n; ++i) put(&left, p->x[i].block, p->x[i].P);
    if (!between(problem, &left.all, right, scratch, out)) return 0;
    for (int k = 0, i = 0; problem->R && k < right->count; ++k) {
        // Vectors are in the order of blocks, but may begin anew.
        if (k > 0 && right->block[k] < right->block[k - 1]) i = 0;
        while (i < p->A.n && p->x[i].block < right->block[k]) ++i;
        for (int j = i; j < p->A.n && p->x[j].block == right->block[k]; ++j)
            out[(size_t)j * (size_t)right->count + (size_t)k] += softness_between(
                problem, &problem->block[right->block[k]], p->x[j].P, right->value + (size_t)k * TS_BLOCK_ROWS_MAX);
    }
    return 1;
}

// A by columns, and W. Returns 0 when memory is short.
static int fill(const ts_contact_problem* problem, parts* p, ts_arena* scratch) {
    int n = p->A.n, count = n + p->slide_count;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    vector_list right;
    double* all = TS_ARENA_ARRAY(scratch, double, (size_t)n*(size_t)count);
    int enough = all && take_vectors(count, scratch, &right);
    for (int j = 0; enough && j < n; ++j) put(&right, p->x[j].block, p->x[j].E);
    for (int k = 0; enough && k < p->slide_count; ++k) put(&right, p->slide[k].block, p->slide[k].L);
    enough = enough && project(problem, p, &right.all, scratch, all);
    for (int i = 0; enough && i < n; ++i) {
        const double* line = all + (size_t)i * (size_t)count;
        for (int j = 0; j < n; ++j) p->A.Q[(size_t)j * (size_t)n + (size_t)i] = line[j];
        p->A.Q[(size_t)i * (size_t)(n + 1)] += p->x[i].curvature;
        for (int k = 0; k < p->slide_count; ++k) {
            double lift = p->x[i].row == p->slide[k].row ? p->x[i].lift : 0.0;
            p->W[(size_t)k * (size_t)n + (size_t)i] = line[n + k] - lift;
        }
    }
    ts_arena_scope_end(scratch, scope);
    return enough;
}

// The system as a cascade has it, A filled. Returns 0 when memory is short.
static int fill_cascade(const ts_contact_problem* problem, parts* p, ts_arena* arena) {
    int n = p->A.n, normals = 0, count[2] = {0, 0};
    for (int i = 0; i < n; ++i) normals += p->x[i].normal;
    ts_cascade* c = ts_cascade_take(n, normals, arena);
    double* all = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)normals);
    vector_list right;
    if (!c || !all || !take_vectors(normals, arena, &right)) return 0;
    memcpy(c->A, p->A.Q, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        int group = !p->x[i].normal;
        c->member[group][count[group]++] = i;
    }
    for (int k = 0; k < normals; ++k) {
        const ts_contact_unknown* x = &p->x[c->member[0][k]];
        double E[TS_BLOCK_ROWS_MAX];
        memcpy(E, x->E, sizeof E);
        for (int r = 0; r < x->rows && x->slides; ++r)
            if (r != 2) E[r] = 0.0;
        put(&right, x->block, E);
    }
    if (!project(problem, p, &right.all, arena, all)) return 0;
    for (int i = 0; i < normals; ++i)
        for (int k = 0; k < normals; ++k)
            c->factor[0].Q[(size_t)(k * normals + i)] = all[(size_t)c->member[0][i] * (size_t)normals + (size_t)k];
    p->cascade = c;
    return 1;
}

static parts* take_parts(int n, int slides, ts_arena* arena) {
    parts* p = (parts*)ts_arena_alloc_zeroed(arena, 1, sizeof(parts));
    if (!p) return NULL;
    p->x = (ts_contact_unknown*)ts_arena_alloc_zeroed(arena, (size_t)n, sizeof(ts_contact_unknown));
    p->slide = (ts_contact_slider*)ts_arena_alloc_zeroed(arena, (size_t)slides, sizeof(ts_contact_slider));
    p->W = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)slides);
    return p->x && p->slide && p->W && ts_linear_orthogonal_make(n, arena, &p->A) ? p : NULL;
}

static int copy_softness(const ts_contact_problem* problem, ts_arena* arena, parts* p) {
    p->rows = problem->row_count;
    if (!problem->R) return 1;
    double* R = TS_ARENA_ARRAY(arena, double, problem->row_count);
    if (R) memcpy(R, problem->R, (size_t)problem->row_count * sizeof(double));
    p->R = R;
    return R != NULL;
}

// A problem with its answer.
typedef struct answer {
    const ts_contact_problem* problem;
    int convex;   // nonzero: of the relaxation
    int cascade;  // nonzero: normals and friction in turn
    const double* impulse;
    const double* u;
} answer;

// The modes of all blocks, and what follows from them: unknowns and, when a block has none, which was refused.
static ts_code judge_all(const answer* a, const ts_contact_derivative_tolerance* zero, ts_contact_mode* mode,
                         ts_contact_derivative* d, int* out_slides, ts_status* out_status) {
    for (int b = 0; b < a->problem->block_count; ++b) {
        const ts_block* block = &a->problem->block[b];
        ts_mode_judgement j = ts_mode_judge(block, a->convex, a->impulse + block->row, a->u + block->row, zero);
        if (j.code != TS_OK) {
            d->refused = b;
            return ts_status_set(out_status, j.code, NULL, 0, "block %d %s", b, j.why);
        }
        mode[b] = j.mode;
        d->unknowns += unknowns_of(block, j.mode);
        *out_slides += block->set == TS_SET_CONE && j.mode == TS_MODE_SLIDE;
    }
    return TS_OK;
}

static ts_code short_of_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of the contact problem");
}

// The rest of ts_contact_derivative_make once the modes are known.
static ts_code assemble(const answer* a, const ts_contact_mode* mode, double floor, ts_arena* arena, parts* p,
                        ts_status* out_status) {
    const ts_contact_problem* problem = a->problem;
    int n = 0, slides = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        if (unknowns_of(block, mode[b]) == 0) continue;
        if (mode[b] == TS_MODE_STICK)
            n += write_stick(block, b, p->x + n);
        else
            n += write_slide(block, b, a->convex, a->impulse + block->row, a->u + block->row, p->x + n,
                             &p->slide[slides++]);
    }
    p->slide_count = slides;
    if (!fill(problem, p, arena)) return short_of_memory(out_status);
    if (!a->cascade)
        return ts_linear_orthogonal_factor(&p->A, floor, arena) ? ts_status_ok(out_status)
                                                                : short_of_memory(out_status);
    int enough = fill_cascade(problem, p, arena) && ts_cascade_factor(p->cascade, floor, arena);
    int rests = enough && ts_cascade_rests(p->cascade, arena, &enough);
    if (!enough) return short_of_memory(out_status);
    if (!rests)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                             "normals and friction do not come to rest in %d rounds", p->cascade->rounds);
    // Each group may have directions that are left out.
    p->A.rank = p->cascade->factor[0].rank + p->cascade->factor[1].rank;
    return ts_status_ok(out_status);
}

// By the triangle that is left.
static double condition_of(const ts_linear_orthogonal* f) {
    double least = HUGE_VAL, most = 0.0;
    for (int k = 0; k < f->rank; ++k) {
        double length = fabs(ts_linear_orthogonal_diagonal(f, k));
        least = fmin(least, length);
        most = fmax(most, length);
    }
    return most > least ? most / least : 1.0;
}

// What was asked to be differentiated, and how.
typedef struct question {
    ts_contact_law law;
    int cascade;
    const ts_contact_derivative_tolerance* tolerance;
} question;

static ts_code make(const ts_contact_problem* problem, const question* wanted, const double* impulse, ts_arena* arena,
                    ts_contact_derivative* d, ts_status* out_status) {
    static const ts_contact_derivative nothing = {0, 0, 0, 0, 1.0, 0, -1, NULL, NULL};
    const ts_contact_derivative_tolerance* tolerance = wanted->tolerance;
    ts_contact_law law = wanted->law;
    *d = nothing;
    d->block_count = problem->block_count;
    d->row_count = problem->row_count;
    if (law != TS_LAW_NCP && law != TS_LAW_CCP)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "no derivative for the law %s",
                             ts_contact_law_name(law));
    if (!(problem->delassus->ops->abilities & TS_DELASSUS_APPLY))
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "the operator %s cannot apply",
                             problem->delassus->ops->name);
    if (!(tolerance->impulse >= 0.0 && tolerance->speed >= 0.0 && tolerance->rank >= 0.0))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a tolerance is negative or not a number");
    int rows = problem->row_count, slides = 0;
    double* u = TS_ARENA_ARRAY(arena, double, rows);
    ts_contact_mode* mode = TS_ARENA_ARRAY(arena, ts_contact_mode, problem->block_count);
    if (!u || !mode) return short_of_memory(out_status);
    ts_contact_problem_velocity(problem, impulse, u);
    answer a = {problem, law == TS_LAW_CCP, wanted->cascade, impulse, u};
    ts_code code = judge_all(&a, tolerance, mode, d, &slides, out_status);
    if (code != TS_OK) return code;
    if (d->unknowns > TS_CONTACT_DERIVATIVE_UNKNOWNS_MAX)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "%d unknowns; at most %d can be differentiated",
                             d->unknowns, (int)TS_CONTACT_DERIVATIVE_UNKNOWNS_MAX);
    parts* p = take_parts(d->unknowns, slides, arena);
    if (!p || !copy_softness(problem, arena, p)) return short_of_memory(out_status);
    code = assemble(&a, mode, tolerance->rank, arena, p, out_status);
    if (code != TS_OK) return code;
    d->rank = p->A.rank;
    d->condition = p->cascade ? fmax(condition_of(&p->cascade->factor[0]), condition_of(&p->cascade->factor[1]))
                              : condition_of(&p->A);
    d->rounds = p->cascade ? p->cascade->rounds : 0;
    d->mode = mode;
    d->parts = p;
    return TS_OK;
}

ts_code ts_contact_derivative_make(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const ts_contact_derivative_tolerance* tolerance, ts_arena* arena,
                                   ts_contact_derivative* out_derivative, ts_status* out_status) {
    return make(problem, &(question){law, 0, tolerance}, impulse, arena, out_derivative, out_status);
}

ts_code ts_contact_derivative_cascade(const ts_contact_problem* problem, const double* impulse,
                                      const ts_contact_derivative_tolerance* tolerance, ts_arena* arena,
                                      ts_contact_derivative* out_derivative, ts_status* out_status) {
    return make(problem, &(question){TS_LAW_NCP, 1, tolerance}, impulse, arena, out_derivative, out_status);
}

// Relative length of what was missed.
static double relative(double missed, double whole) { return whole > 0.0 ? missed / whole : 0.0; }

ts_code ts_contact_derivative_forward(const ts_contact_derivative* derivative, const double* du, const double* dmu,
                                      ts_arena* scratch, double* out_dlambda, double* out_mismatch) {
    const parts* p = derivative->parts;
    TS_ASSERT(p);
    int n = p->A.n;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* b = TS_ARENA_ARRAY(scratch, double, n);
    double* x = TS_ARENA_ARRAY(scratch, double, n);
    double* work = TS_ARENA_ARRAY(scratch, double, 4 * n);
    ts_code code = b && x && work ? TS_OK : TS_ERROR_MEMORY;
    if (code == TS_OK) {
        for (int i = 0; i < n; ++i) b[i] = -ask(&p->x[i], du);
        for (int k = 0; dmu && k < p->slide_count; ++k)
            for (int i = 0; i < n; ++i) b[i] -= p->W[(size_t)k * (size_t)n + (size_t)i] * dmu[p->slide[k].block];
        double whole = sqrt(ts_dot(b, b, n));
        double missed = p->cascade ? ts_cascade_solve(p->cascade, 0, b, work, x, NULL)
                                   : ts_linear_orthogonal_solve(&p->A, b, work, x);
        if (out_mismatch) *out_mismatch = relative(missed, whole);
        memset(out_dlambda, 0, (size_t)derivative->row_count * sizeof(double));
        for (int i = 0; i < n; ++i)
            for (int r = 0; r < p->x[i].rows; ++r) out_dlambda[p->x[i].row + r] += p->x[i].E[r] * x[i];
        for (int k = 0; dmu && k < p->slide_count; ++k)
            for (int r = 0; r < p->slide[k].rows; ++r)
                out_dlambda[p->slide[k].row + r] += p->slide[k].L[r] * dmu[p->slide[k].block];
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}

ts_code ts_contact_derivative_reverse(const ts_contact_derivative* derivative, const double* lambda_bar,
                                      ts_arena* scratch, double* out_g_bar, double* out_mu_bar, double* out_mismatch) {
    const parts* p = derivative->parts;
    TS_ASSERT(p);
    int n = p->A.n;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* c = TS_ARENA_ARRAY(scratch, double, n);
    double* w = TS_ARENA_ARRAY(scratch, double, n);
    double* work = TS_ARENA_ARRAY(scratch, double, 4 * n);
    ts_code code = c && w && work ? TS_OK : TS_ERROR_MEMORY;
    if (code == TS_OK) {
        for (int i = 0; i < n; ++i) c[i] = ts_dot(p->x[i].E, lambda_bar + p->x[i].row, p->x[i].rows);
        double missed = p->cascade ? ts_cascade_solve(p->cascade, 1, c, work, w, NULL)
                                   : ts_linear_orthogonal_solve_transposed(&p->A, c, work, w);
        if (out_mismatch) *out_mismatch = relative(missed, sqrt(ts_dot(c, c, n)));
        for (int b = 0; out_mu_bar && b < derivative->block_count; ++b) out_mu_bar[b] = 0.0;
        for (int k = 0; out_mu_bar && k < p->slide_count; ++k) {
            const ts_contact_slider* s = &p->slide[k];
            out_mu_bar[s->block] =
                ts_dot(s->L, lambda_bar + s->row, s->rows) - ts_dot(w, p->W + (size_t)k * (size_t)n, n);
        }
        memset(out_g_bar, 0, (size_t)derivative->row_count * sizeof(double));
        for (int i = 0; i < n; ++i)
            for (int r = 0; r < p->x[i].rows; ++r) out_g_bar[p->x[i].row + r] -= p->x[i].P[r] * w[i];
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}

// --- Improving a change ---

// E and P are orthonormal in a block, and one where there is curvature.
void ts_contact_derivative_add_law(const ts_contact_derivative* derivative, const double* dlambda, const double* dmu,
                                   double* io_du) {
    const parts* p = derivative->parts;
    TS_ASSERT(p);
    for (int i = 0; p->R && i < p->rows; ++i) io_du[i] += p->R[i] * dlambda[i];
    for (int i = 0; i < p->A.n; ++i) {
        const ts_contact_unknown* x = &p->x[i];
        if (x->curvature == 0.0) continue;
        double along = ts_dot(x->E, dlambda + x->row, x->rows);
        for (int r = 0; r < x->rows; ++r) io_du[x->row + r] += x->curvature * along * x->E[r];
    }
    for (int i = 0; dmu && i < p->A.n; ++i) {
        const ts_contact_unknown* x = &p->x[i];
        for (int r = 0; r < x->rows; ++r) io_du[x->row + r] -= x->P[r] * x->lift * dmu[x->block];
    }
}

void ts_contact_derivative_friction_bar(const ts_contact_derivative* derivative, const double* g_bar,
                                        const double* lambda_bar, double* out_mu_bar) {
    const parts* p = derivative->parts;
    TS_ASSERT(p);
    memset(out_mu_bar, 0, (size_t)derivative->block_count * sizeof(double));
    for (int k = 0; k < p->slide_count; ++k) {
        const ts_contact_slider* s = &p->slide[k];
        out_mu_bar[s->block] = ts_dot(s->L, lambda_bar + s->row, s->rows);
    }
    for (int i = 0, k = 0; i < p->A.n; ++i) {
        const ts_contact_unknown* x = &p->x[i];
        if (x->lift == 0.0) continue;
        while (p->slide[k].row != x->row) ++k;
        out_mu_bar[p->slide[k].block] -= x->lift * ask(x, g_bar);
    }
}

// --- Refining the answer ---

// What is left of the equations of a sliding contact whose friction is all it has: u_N, or u_N - mu |u_T| under the relaxation, and u_T as far as it
// is not along the friction.
static void left_of_slide(const ts_block* block, int convex, const double* lambda, const double* u, double* out) {
    double slip = ts_block_set_tangent_length(u, block->rows);
    double friction = ts_block_set_tangent_length(lambda, block->rows);
    for (int r = 0; r < block->rows; ++r)
        out[r] = r == 2           ? u[2] - (convex ? block->mu * slip : 0.0)
                 : friction > 0.0 ? u[r] + slip * lambda[r] / friction
                                  : 0.0;
}

static int slides(const ts_contact_derivative* d, const ts_contact_problem* problem, int b) {
    return d->mode[b] == TS_MODE_SLIDE && problem->block[b].set == TS_SET_CONE;
}

// Friction of what slides as large as it may be.
static void fill_cones(const ts_contact_derivative* d, const ts_contact_problem* problem, double* impulse) {
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        double *lambda = impulse + block->row, friction = ts_block_set_tangent_length(lambda, block->rows);
        for (int r = 0; slides(d, problem, b) && friction > 0.0 && r < block->rows; ++r)
            if (r != 2) lambda[r] *= block->mu * lambda[2] / friction;
    }
}

ts_code ts_contact_derivative_refine(const ts_contact_derivative* derivative, const ts_contact_problem* problem,
                                     ts_contact_law law, ts_arena* scratch, double* io_impulse) {
    size_t rows = (size_t)problem->row_count;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* u = (double*)ts_arena_alloc_zeroed(scratch, 3 * rows, sizeof(double));
    ts_code code = u ? TS_OK : TS_ERROR_MEMORY;
    double *left = u ? u + rows : NULL, *change = u ? left + rows : NULL;
    if (!code) {
        fill_cones(derivative, problem, io_impulse);
        ts_contact_problem_velocity(problem, io_impulse, u);
    }
    for (int b = 0; !code && b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        if (slides(derivative, problem, b))
            left_of_slide(block, law == TS_LAW_CCP, io_impulse + block->row, u + block->row, left + block->row);
        else if (derivative->mode[b] == TS_MODE_STICK)
            memcpy(left + block->row, u + block->row, (size_t)block->rows * sizeof(double));
    }
    if (!code) code = ts_contact_derivative_forward(derivative, left, NULL, scratch, change, NULL);
    for (size_t i = 0; !code && i < rows; ++i) io_impulse[i] += change[i];
    if (!code) fill_cones(derivative, problem, io_impulse);
    ts_arena_scope_end(scratch, scope);
    return code;
}
