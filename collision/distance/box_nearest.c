// Two boxes apart: their closest points.
//
// Problem: minimise over y in B half the squared distance of w = t + R y from A, whose gradient is g = R' (w - clamp(w)).
// Rule: coordinates that a unit step would take over their bound are held there, the others make a Newton step (the
// primal-dual active set method, Hintermueller, Ito, Kunisch, SIAM J. Optim. 2002), kept if it comes nearer.
// Guaranteed: it ends when nothing moves, and the plane across the segment found proves the answer. Known to fail: boxes
// that touch to the last bits, whose segment has no direction; then the caller is told.
#include "collision/distance/two_boxes_internal.h"

#include <float.h>

#include "base/scalar.h"

enum { ACTIVE_SET_LIMIT = 12 };

// Relative to the boxes: the segment may miss the normal sideways by this.
static const double SAME = 1e-13;

static double row_times(const ts_two_boxes* p, int i, const double y[3]) {
    return p->R[i][0] * y[0] + p->R[i][1] * y[1] + p->R[i][2] * y[2];
}

static double column_times(const double (*m)[3], int j, const double r[3]) {
    return m[0][j] * r[0] + m[1][j] * r[1] + m[2][j] * r[2];
}

// The Newton step of the free coordinates: least squares of F dy + e, where F holds the rows of R that count (those along
// which B's point sticks out of A) and e is what will be left of its excess when the other coordinates have moved. Two rows
// and two columns are solved as they stand, because their squares lose what tells nearly parallel faces apart. Where F is
// singular, or three are free, the best step down the gradient.
static void solve_free(const double (*F)[3], const int* row, int row_count, const int* free_index, int free_count,
                       const double e[3], double dy[3]) {
    double rhs[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < free_count; ++k) rhs[k] = -column_times(F, free_index[k], e);
    if (free_count == 1) {
        int j = free_index[0];
        double h = F[0][j] * F[0][j] + F[1][j] * F[1][j] + F[2][j] * F[2][j];
        dy[j] = h > 0.0 ? rhs[0] / h : 0.0;
        return;
    }
    if (free_count == 2 && row_count > 1) {
        int j = free_index[0], k = free_index[1];
        if (row_count == 2) {
            const double *p = F[row[0]], *q = F[row[1]];
            double det = p[j] * q[k] - p[k] * q[j];
            if (det != 0.0) {
                dy[j] = (p[k] * e[row[1]] - q[k] * e[row[0]]) / det;
                dy[k] = (q[j] * e[row[0]] - p[j] * e[row[1]]) / det;
                return;
            }
        } else {  // two orthonormal columns
            dy[j] = rhs[0];
            dy[k] = rhs[1];
            return;
        }
    }
    double top = 0.0, along[3] = {0.0, 0.0, 0.0};
    for (int f = 0; f < free_count; ++f) {
        top += rhs[f] * rhs[f];
        for (int i = 0; i < 3; ++i) along[i] += F[i][free_index[f]] * rhs[f];
    }
    double bottom = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
    double step = bottom > 0.0 ? top / bottom : 0.0;
    for (int f = 0; f < free_count; ++f) dy[free_index[f]] = step * rhs[f];
}

// A point of B and how it sticks out of A.
typedef struct foot {
    double y[3];     // in B's frame
    double w[3];     // in A's
    double x[3];     // the point of A nearest to it
    double r[3];     // w - x
    double g[3];     // R' r, the gradient of |r|^2 / 2 over y
    double squared;  // |r|^2
} foot;

// Written out, here and below: these few lines are most of the time of a query.
static void set_foot(const ts_two_boxes* p, foot* f) {
    f->w[0] = p->t[0] + row_times(p, 0, f->y);
    f->w[1] = p->t[1] + row_times(p, 1, f->y);
    f->w[2] = p->t[2] + row_times(p, 2, f->y);
    f->x[0] = ts_clamp(f->w[0], -p->a[0], p->a[0]);
    f->x[1] = ts_clamp(f->w[1], -p->a[1], p->a[1]);
    f->x[2] = ts_clamp(f->w[2], -p->a[2], p->a[2]);
    f->r[0] = f->w[0] - f->x[0];
    f->r[1] = f->w[1] - f->x[1];
    f->r[2] = f->w[2] - f->x[2];
    f->squared = f->r[0] * f->r[0] + f->r[1] * f->r[1] + f->r[2] * f->r[2];
    f->g[0] = column_times((const double(*)[3])p->R, 0, f->r);
    f->g[1] = column_times((const double(*)[3])p->R, 1, f->r);
    f->g[2] = column_times((const double(*)[3])p->R, 2, f->r);
}

// How far to go along dy, at most `most`, to come nearest: the root of the derivative, which is piecewise linear and
// increasing. Never so far that the distance grows again.
static double best_length(const ts_two_boxes* p, const foot* f, const double dy[3], double most) {
    const double m[3] = {row_times(p, 0, dy), row_times(p, 1, dy), row_times(p, 2, dy)};
    double low = 0.0, high = most, at = most;
    for (int step = 0; step < 12; ++step) {
        double w0 = f->w[0] + at * m[0], w1 = f->w[1] + at * m[1], w2 = f->w[2] + at * m[2];
        double r0 = w0 - ts_clamp(w0, -p->a[0], p->a[0]), r1 = w1 - ts_clamp(w1, -p->a[1], p->a[1]);
        double r2 = w2 - ts_clamp(w2, -p->a[2], p->a[2]);
        double slope = r0 * m[0] + r1 * m[1] + r2 * m[2];
        double curvature = (r0 != 0.0 ? m[0] * m[0] : 0.0) + (r1 != 0.0 ? m[1] * m[1] : 0.0);
        curvature += r2 != 0.0 ? m[2] * m[2] : 0.0;
        if (slope <= 0.0) {
            low = at;
            if (at == most) break;
        } else {
            high = at;
        }
        double next = curvature > 0.0 ? at - slope / curvature : low;
        if (fabs(next - at) <= 4.0 * DBL_EPSILON * most) return next < most ? next : most;
        at = next > low && next < high ? next : 0.5 * (low + high);
    }
    return low;
}

// The direction of a step: where the unit step `plain` leaves free coordinates, Newton's. A coordinate at its bound that
// Newton would push out is not free after all.
static void choose_direction(const ts_two_boxes* p, const foot* f, const double plain[3], double still, double dy[3]) {
    double F[3][3], e[3];
    int is_free[3], free_index[3], row[3], row_count = 0;
    for (int j = 0; j < 3; ++j) {
        is_free[j] = fabs(plain[j]) < p->b[j];
        dy[j] = is_free[j] ? 0.0 : plain[j] - f->y[j];
    }
    for (int i = 0; i < 3; ++i) {
        int counts = f->r[i] != 0.0;
        if (counts) row[row_count++] = i;
        for (int j = 0; j < 3; ++j) F[i][j] = counts ? p->R[i][j] : 0.0;
        e[i] = f->r[i] + (F[i][0] * dy[0] + F[i][1] * dy[1] + F[i][2] * dy[2]);
    }
    for (int pass = 0, again = 1; again && pass < 3; ++pass) {
        int free_count = 0;
        for (int j = 0; j < 3; ++j)
            if (is_free[j]) free_index[free_count++] = j;
        if (free_count == 0) return;
        solve_free((const double(*)[3])F, row, row_count, free_index, free_count, e, dy);
        again = 0;
        for (int k = 0; k < free_count; ++k) {
            int j = free_index[k];
            if (!(p->b[j] - fabs(f->y[j]) <= still) || !(f->y[j] * dy[j] > 0.0)) continue;
            is_free[j] = 0;
            dy[j] = 0.0;
            again = 1;
        }
    }
}

// One step of the active set method. Returns 0, leaving *f, where nothing moves.
static int improve_foot(const ts_two_boxes* p, double still, foot* f) {
    double dy[3], plain[3];
    int moving = 0;
    for (int j = 0; j < 3; ++j) {
        plain[j] = ts_clamp(f->y[j] - f->g[j], -p->b[j], p->b[j]);
        moving |= fabs(plain[j] - f->y[j]) > still;
    }
    if (!moving) return 0;
    choose_direction(p, f, plain, still, dy);
    foot next;
    if (f->g[0] * dy[0] + f->g[1] * dy[1] + f->g[2] * dy[2] < 0.0) {
        double most = 1.0;
        for (int j = 0; j < 3; ++j) {
            double room = dy[j] > 0.0 ? p->b[j] - f->y[j] : p->b[j] + f->y[j];
            room = room > 0.0 ? room : 0.0;
            if (most * fabs(dy[j]) > room) most = room / fabs(dy[j]);
        }
        double length = best_length(p, f, dy, most);
        for (int j = 0; j < 3; ++j) next.y[j] = ts_clamp(f->y[j] + length * dy[j], -p->b[j], p->b[j]);
        set_foot(p, &next);
        // The square cannot tell the last half of the digits of y. A step that a bound stops at once is none.
        double moved = 0.0;
        for (int j = 0; j < 3; ++j) moved = fmax(moved, fabs(next.y[j] - f->y[j]));
        if (moved > still && next.squared <= f->squared * (1.0 + 8.0 * DBL_EPSILON)) {
            *f = next;
            return 1;
        }
    }
    // The projected unit step cannot fail to come nearer but for rounding.
    for (int j = 0; j < 3; ++j) next.y[j] = plain[j];
    set_foot(p, &next);
    if (!(next.squared < f->squared)) return 0;
    *f = next;
    return 1;
}

// The unit direction of r. When the boxes nearly touch r is little more than rounding, but its directions are not free: r is
// zero where w lies in A's slab, and orthogonal to the axes of B along which y could still move. Rounding along those is
// what a plane across the contact cannot bear, so it is taken out.
static ts_vec3 foot_normal(const ts_two_boxes* p, double still, const foot* f) {
    ts_vec3 r = ts_vec3_load(f->r), c;
    int loose[3], loose_count = 0, out_count = 0;
    for (int j = 0; j < 3; ++j)
        if (p->b[j] - fabs(f->y[j]) > still) loose[loose_count++] = j;
    for (int i = 0; i < 3; ++i) out_count += f->r[i] != 0.0;
    if (loose_count == 1 && out_count > 1) {
        c = ts_two_boxes_axis(p, loose[0]);
        c = ts_vec3_make(f->r[0] != 0.0 ? c.x : 0.0, f->r[1] != 0.0 ? c.y : 0.0, f->r[2] != 0.0 ? c.z : 0.0);
        // Where they are parallel, c is nothing but rounding.
        double cc = ts_vec3_norm_squared(c), rc = ts_vec3_dot(r, c);
        if (rc * rc < 1e-6 * cc * f->squared) r = ts_vec3_add_scaled(r, -rc / cc, c);
    } else if (loose_count == 2 && out_count == 3) {
        c = ts_two_boxes_axis(p, 3 - loose[0] - loose[1]);
        r = ts_vec3_dot(c, r) < 0.0 ? ts_vec3_neg(c) : c;
    }
    return ts_vec3_scale(1.0 / ts_vec3_norm(r), r);
}

int ts_two_boxes_nearest(const ts_two_boxes* p, ts_separation* out) {
    const double still = 8.0 * DBL_EPSILON * p->size;
    foot f;
    for (int j = 0; j < 3; ++j) f.y[j] = ts_clamp(-p->tb[j], -p->b[j], p->b[j]);
    set_foot(p, &f);
    for (int step = 0; step < ACTIVE_SET_LIMIT && improve_foot(p, still, &f); ++step) {
    }
    double apart = sqrt(f.squared);
    if (!(apart > 0.0)) return 0;
    ts_vec3 n = foot_normal(p, still, &f);
    double reach = 0.0;
    for (int j = 0; j < 3; ++j) reach += p->b[j] * fabs(ts_vec3_dot(ts_two_boxes_axis(p, j), n));
    reach += p->a[0] * fabs(n.x) + p->a[1] * fabs(n.y) + p->a[2] * fabs(n.z);
    double gap = ts_vec3_dot(n, ts_vec3_load(p->t)) - reach;
    ts_vec3 off = ts_vec3_sub(ts_vec3_load(f.r), ts_vec3_scale(apart, n));
    if (!(apart - gap <= still && ts_vec3_max_abs(off) <= SAME * p->size)) return 0;
    out->lower = gap < apart ? gap : apart;
    out->upper = apart;
    out->normal = n;
    out->point_a = ts_vec3_load(f.x);
    out->point_b = ts_vec3_load(f.w);
    return 1;
}
