// The quadratic program of two polytopes, and an interior-point method for it.
//
// Problem: min x H x / 2 with H = 2 [I -I; -I I], subject to C x <= u. Rule (Mehrotra, SIAM J. Optimization 1992): slacks
// s > 0 and multipliers l > 0 with C x + s = u; Newton's method on stationarity, feasibility and s_i l_i = sigma mu, first
// with sigma = 0, then with the sigma and the second-order term that this step suggests. Eliminating s and l leaves
// (H + C' diag(l / s) C) dx = r, six by six, whatever the number of faces; a step costs about 40 operations per face.
// Guaranteed: iterates stay strictly feasible in s and l. Known limit: the optimum need not be unique (faces that lie
// parallel); the last iterates are then badly conditioned, which the distance does not feel.
#include "bench/qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N TS_QP_VARIABLES

int ts_qp_make(const ts_bench_pair* pair, ts_qp* out) {
    const ts_hull* a = pair->a.hull;
    const ts_hull* b = pair->b.hull;
    out->rows = a->face_count + b->face_count;
    out->row = (double*)calloc((size_t)out->rows * N, sizeof *out->row);
    out->bound = (double*)calloc((size_t)out->rows, sizeof *out->bound);
    if (!out->row || !out->bound) {
        ts_qp_free(out);
        return 0;
    }
    for (int f = 0; f < a->face_count; ++f) {
        ts_vec3_store(a->face_normal[f], &out->row[f * N]);
        out->bound[f] = a->face_offset[f];
    }
    for (int f = 0; f < b->face_count; ++f) {
        int r = a->face_count + f;
        ts_vec3 n = ts_transform_direction(&pair->b_in_a, b->face_normal[f]);
        ts_vec3_store(n, &out->row[r * N + 3]);
        out->bound[r] = b->face_offset[f] + ts_vec3_dot(n, pair->b_in_a.p);
    }
    return 1;
}

void ts_qp_free(ts_qp* qp) {
    free(qp->row);
    free(qp->bound);
    qp->row = qp->bound = NULL;
    qp->rows = 0;
}

static void times_hessian(const double* x, double* out) {
    for (int i = 0; i < 3; ++i) {
        out[i] = 2.0 * (x[i] - x[i + 3]);
        out[i + 3] = -out[i];
    }
}

static double row_dot(const double* row, const double* x) {
    double sum = 0.0;
    for (int k = 0; k < N; ++k) sum += row[k] * x[k];
    return sum;
}

// Cholesky in place, lower half; a pivot that rounding has eaten is set large, which leaves its variable alone.
static void factorise(double m[N][N]) {
    for (int j = 0; j < N; ++j) {
        double pivot = m[j][j];
        for (int k = 0; k < j; ++k) pivot -= m[j][k] * m[j][k];
        m[j][j] = pivot > 0.0 ? sqrt(pivot) : 1e64;
        for (int i = j + 1; i < N; ++i) {
            double sum = m[i][j];
            for (int k = 0; k < j; ++k) sum -= m[i][k] * m[j][k];
            m[i][j] = sum / m[j][j];
        }
    }
}

static void back_substitute(double m[N][N], double* x) {
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = N - 1; i >= 0; --i) {
        for (int k = i + 1; k < N; ++k) x[i] -= m[k][i] * x[k];
        x[i] /= m[i][i];
    }
}

typedef struct iterate {
    const ts_qp* qp;
    double x[N];
    double* s;   // slacks
    double* l;   // multipliers
    double* p;   // C x + s - u
    double* c;   // what s l is to lose
    double* ds;  // the step
    double* dl;
    double stationarity[N];
    double matrix[N][N];
} iterate;

static void assemble(iterate* it) {
    times_hessian(it->x, it->stationarity);
    memset(it->matrix, 0, sizeof it->matrix);
    for (int i = 0; i < 3; ++i) {
        it->matrix[i][i] = it->matrix[i + 3][i + 3] = 2.0;
        it->matrix[i + 3][i] = -2.0;
    }
    for (int r = 0; r < it->qp->rows; ++r) {
        const double* row = &it->qp->row[r * N];
        double weight = it->l[r] / it->s[r];
        it->p[r] = row_dot(row, it->x) + it->s[r] - it->qp->bound[r];
        for (int i = 0; i < N; ++i) {
            it->stationarity[i] += it->l[r] * row[i];
            for (int j = 0; j <= i; ++j) it->matrix[i][j] += weight * row[i] * row[j];
        }
    }
    factorise(it->matrix);
}

// The step for the present c; returns how much of it keeps s and l positive.
static double step_for(iterate* it, double* dx) {
    for (int i = 0; i < N; ++i) dx[i] = -it->stationarity[i];
    for (int r = 0; r < it->qp->rows; ++r) {
        double weight = (it->c[r] - it->l[r] * it->p[r]) / it->s[r];
        for (int i = 0; i < N; ++i) dx[i] += weight * it->qp->row[r * N + i];
    }
    back_substitute(it->matrix, dx);
    double part = 1.0;
    for (int r = 0; r < it->qp->rows; ++r) {
        it->ds[r] = -it->p[r] - row_dot(&it->qp->row[r * N], dx);
        it->dl[r] = (-it->c[r] - it->l[r] * it->ds[r]) / it->s[r];
        if (it->ds[r] < 0.0 && -it->s[r] / it->ds[r] < part) part = -it->s[r] / it->ds[r];
        if (it->dl[r] < 0.0 && -it->l[r] / it->dl[r] < part) part = -it->l[r] / it->dl[r];
    }
    return part;
}

void ts_qp_interior_point(const ts_qp* qp, double tolerance, double* scratch, ts_qp_answer* out) {
    int m = qp->rows;
    iterate it;
    double dx[N];
    it.qp = qp;
    it.s = scratch;
    it.l = scratch + m;
    it.p = scratch + 2 * m;
    it.c = scratch + 3 * m;
    it.ds = scratch + 4 * m;
    it.dl = scratch + 5 * m;
    memset(it.x, 0, sizeof it.x);
    // The origin of A is inside A; B's slacks start infeasible, which the method repairs.
    for (int r = 0; r < m; ++r) {
        it.s[r] = fabs(qp->bound[r]) + 1e-2;
        it.l[r] = 1e-2;
    }
    out->converged = 0;
    for (out->iterations = 0; out->iterations < 100; ++out->iterations) {
        assemble(&it);
        double mu = 0.0;
        double worst = 0.0;
        for (int r = 0; r < m; ++r) {
            mu += it.s[r] * it.l[r];
            if (fabs(it.p[r]) > worst) worst = fabs(it.p[r]);
        }
        for (int i = 0; i < N; ++i)
            if (fabs(it.stationarity[i]) > worst) worst = fabs(it.stationarity[i]);
        if (worst <= tolerance && mu <= tolerance * tolerance) {
            out->converged = 1;
            break;
        }
        mu /= m;
        for (int r = 0; r < m; ++r) it.c[r] = it.s[r] * it.l[r];
        double part = step_for(&it, dx);
        double ahead = 0.0;
        for (int r = 0; r < m; ++r) ahead += (it.s[r] + part * it.ds[r]) * (it.l[r] + part * it.dl[r]);
        double ratio = ahead / (m * mu);
        double centre = ratio * ratio * ratio * mu;
        for (int r = 0; r < m; ++r) it.c[r] = it.s[r] * it.l[r] + it.ds[r] * it.dl[r] - centre;
        part = 0.99 * step_for(&it, dx);
        for (int i = 0; i < N; ++i) it.x[i] += part * dx[i];
        for (int r = 0; r < m; ++r) {
            it.s[r] += part * it.ds[r];
            it.l[r] += part * it.dl[r];
        }
    }
    memcpy(out->x, it.x, sizeof out->x);
}
