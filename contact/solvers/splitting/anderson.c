// Anderson acceleration of the sweeps.
//
// Problem: x = s(x), where s is one sweep of a projected Gauss-Seidel solver: it converges linearly, with a rate near 1 on
// stacks and hyperstatic contacts.
// Rule: f = s(x) - x. From the last few differences of f and s take the combination gamma that makes |f - dF gamma| least,
// and go on from s - dS gamma, made admissible. In the norm that weighs every row by its own stiffness D_rr.
// Safeguard: a proposal stands if a sweep moves it no more than a sweep moved the iterate before; that sweep is the next one
// anyway, so an accepted proposal costs no more than its own sums. A refused one costs a sweep: the iteration goes on from
// the plain s, with an empty memory, and waits for twice as many plain sweeps as the last time. The same after a few
// proposals in a row without progress.
// Source: Anderson 1965; Walker and Ni 2011 (type II); safeguard and memory of 5 as is usual for projected maps.
// Guaranteed: |f| never grows by a proposal; with patience p about one sweep in p is lost, and p doubles with every loss.
// Known to fail: where contacts keep switching between open, stick and slide the differences mislead, and it gains nothing.
#include "contact/solvers/splitting/anderson_internal.h"

#include <math.h>
#include <string.h>

enum { PATIENCE_MIN = 2, PATIENCE_MAX = 64, IDLE_MAX = 5 };

// Added to the diagonal of the least squares, relative to its largest entry: differences turn parallel near the end.
static const double ridge = 1e-12;
// Progress is a new low of |f|, by this factor. An iteration can go round in circles whose proposals, made admissible, are
// all the same point: no movement ever grows, and nothing comes of it.
static const double progress = 0.99;

static void forget(ts_anderson* a) { a->count = a->next = a->has_previous = a->proposed = 0; }

void ts_anderson_forget(ts_anderson* anderson) {
    forget(anderson);
    anderson->least = HUGE_VAL;
    anderson->idle = 0;
}

int ts_anderson_make(ts_anderson* anderson, int rows, int memory, const double* weight, ts_arena* scratch) {
    ts_anderson* a = anderson;
    memset(a, 0, sizeof(*a));
    a->rows = rows;
    a->memory = memory;
    a->weight = weight;
    a->patience = PATIENCE_MIN;
    a->least = HUGE_VAL;
    for (int k = 0; k < memory; ++k) {
        a->change_of_f[k] = TS_ARENA_ARRAY(scratch, double, rows);
        a->change_of_s[k] = TS_ARENA_ARRAY(scratch, double, rows);
        if (!a->change_of_f[k] || !a->change_of_s[k]) return 0;
    }
    a->previous_f = TS_ARENA_ARRAY(scratch, double, rows);
    a->previous_s = TS_ARENA_ARRAY(scratch, double, rows);
    a->x = TS_ARENA_ARRAY(scratch, double, rows);
    a->proposal = TS_ARENA_ARRAY(scratch, double, rows);
    forget(a);
    return a->previous_f && a->previous_s && a->x && a->proposal;
}

static double product(const ts_anderson* a, const double* x, const double* y) {
    double sum[2] = {0.0, 0.0};
    int i = 0;
    for (; i + 2 <= a->rows; i += 2)
        for (int k = 0; k < 2; ++k) sum[k] += a->weight[i + k] * x[i + k] * y[i + k];
    if (i < a->rows) sum[0] += a->weight[i] * x[i] * y[i];
    return sum[0] + sum[1];
}

int ts_anderson_start(ts_anderson* anderson, double* x) {
    ts_anderson* a = anderson;
    if (!a->proposed) return 0;
    memcpy(x, a->proposal, (size_t)a->rows * sizeof(double));
    return 1;
}

void ts_anderson_started(ts_anderson* anderson, const double* x) {
    memcpy(anderson->x, x, (size_t)anderson->rows * sizeof(double));
}

// gamma of the least squares. Returns 0 when it cannot be told.
static int combine(const ts_anderson* a, const double* f, double gamma[TS_ANDERSON_MEMORY_MAX]) {
    double L[TS_ANDERSON_MEMORY_MAX][TS_ANDERSON_MEMORY_MAX] = {{0.0}}, largest = 0.0;
    int m = a->count;
    for (int i = 0; i < m; ++i) largest = fmax(largest, a->gram[i][i]);
    if (!(largest > 0.0)) return 0;
    for (int i = 0; i < m; ++i) {
        gamma[i] = product(a, a->change_of_f[i], f);
        for (int j = 0; j <= i; ++j) {
            double sum = a->gram[i][j] + (i == j ? ridge * largest : 0.0);
            for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0.0)) return 0;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < i; ++k) gamma[i] -= L[i][k] * gamma[k];
        gamma[i] /= L[i][i];
    }
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) gamma[i] -= L[k][i] * gamma[k];
        gamma[i] /= L[i][i];
    }
    return 1;
}

// Remembers how f and s changed since the pair before.
static void learn(ts_anderson* a, const double* f, const double* s) {
    int slot = a->next;
    for (int i = 0; i < a->rows; ++i) {
        a->change_of_f[slot][i] = f[i] - a->previous_f[i];
        a->change_of_s[slot][i] = s[i] - a->previous_s[i];
    }
    if (a->count < a->memory) ++a->count;
    a->next = (slot + 1) % a->memory;
    for (int k = 0; k < a->count; ++k)
        a->gram[slot][k] = a->gram[k][slot] = product(a, a->change_of_f[slot], a->change_of_f[k]);
}

static void propose(ts_anderson* a, const double* f, const double* s) {
    double gamma[TS_ANDERSON_MEMORY_MAX];
    a->proposed = 0;
    if (a->count == 0 || !combine(a, f, gamma)) return;
    memcpy(a->proposal, s, (size_t)a->rows * sizeof(double));
    for (int k = 0; k < a->count; ++k)
        for (int i = 0; i < a->rows; ++i) a->proposal[i] -= gamma[k] * a->change_of_s[k][i];
    a->proposed = 1;
}

int ts_anderson_finish(ts_anderson* anderson, double* s) {
    ts_anderson* a = anderson;
    size_t bytes = (size_t)a->rows * sizeof(double);
    double* f = a->x;  // no longer needed once f is known
    for (int i = 0; i < a->rows; ++i) f[i] = s[i] - a->x[i];
    double norm = sqrt(product(a, f, f));
    int worse = a->proposed && !(norm <= a->norm);
    if (a->proposed) ++a->idle;
    if (norm < progress * a->least) {
        a->least = norm;
        a->idle = 0;
    }
    if (worse || a->idle > IDLE_MAX) {
        if (worse) memcpy(s, a->previous_s, bytes);
        forget(a);
        a->rest = a->patience;
        if (a->patience < PATIENCE_MAX) a->patience *= 2;
        return !worse;
    }
    a->norm = norm;
    if (a->has_previous) learn(a, f, s);
    memcpy(a->previous_f, f, bytes);
    memcpy(a->previous_s, s, bytes);
    a->has_previous = 1;
    a->proposed = 0;
    if (a->rest > 0)
        --a->rest;
    else
        propose(a, f, s);
    return 1;
}
