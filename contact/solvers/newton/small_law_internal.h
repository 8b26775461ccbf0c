// The law of blocks that move few velocities, linearised: what small_newton.c makes its systems of.
//
// Problem: at the present point delta = c - K J dw for each block.
// Rule: what a block does (rests, sticks, slides) is read off the natural map in Alart's and Curnier's form; c and K follow.
// Source: see small_newton.c. Guaranteed: same bits in files compiled for AVX2. Functions are here, and static, because
// small_newton_wide.c compiles them a second time.
#ifndef TS_CONTACT_SOLVERS_SMALL_LAW_INTERNAL_H
#define TS_CONTACT_SOLVERS_SMALL_LAW_INTERNAL_H

#include "contact/operator/stiffness_internal.h"
#include "contact/solvers/newton/small_rows_internal.h"

// Of a smooth contact only the normal counts: nothing else of it can press.
static inline double small_inverse_stiffness(const small* q, const ts_velocity_form* form, int b) {
    const ts_contact_problem* p = q->problem;
    const ts_block* block = &p->block[b];
    double stiffness;
    int is_known = !p->R && p->delassus->bound != NULL;
    const double* D = form->diagonal + form->diagonal_start[b];
    int row = block->row;
    if (block->set == TS_SET_CONE && !(block->mu > 0.0)) {
        stiffness = D[2 * block->rows + 2] + small_softness(p, row + 2);
    } else if (block->set == TS_SET_CONE && block->rows == 3 && is_known) {
        stiffness = p->delassus->bound[b];
    } else if (block->set == TS_SET_CONE && block->rows == 3) {
        stiffness = ts_stiffness_bound_3x3(D[0] + small_softness(p, row), D[4] + small_softness(p, row + 1),
                                           D[8] + small_softness(p, row + 2), D[1], D[2], D[5]);
    } else {
        stiffness = ts_contact_problem_stiffness(p, b);
    }
    return stiffness > 0.0 ? 1.0 / stiffness : 0.0;
}

// What sticks gives so much, by its stiffness.
static inline double small_weight(const small* q) { return q->is_proximal ? q->near_weight : q->weight; }

// Rows that are no cone's, but for what small_weigh adds. Returns the largest entry of the map. `hold`: how far y may leave a bound and be held
// there.
static inline double small_linearise_rows(small* q, int b, double hold) {
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    double worst = 0.0;
    for (int i = block->row; i < block->row + block->rows; ++i) {
        double x = q->x[i], away = -s->step * q->u[i];
        // At a bound, where the other way leads out: as if it wanted to go there.
        if (fabs(away) < hold && ts_block_set_clamp(block, x - away) == x) away = -away;
        double y = x + away, p = ts_block_set_clamp(block, y);
        int is_free = p == y;
        worst = ts_worse(worst, fabs(p - x));
        s->state = is_free ? SMALL_STICK : SMALL_REST;
        q->c[i] = p - x;
        if (block->rows == 1) continue;
        s->normal = s->tangent = 1.0 / (small_weight(q) / s->step + small_softness(q->problem, i));
        if (is_free) q->c[i] = -s->normal * q->u[i];
    }
    return worst;
}

// A contact that slides: y is where the map looks, with a tangent part of that length.
static inline double small_linearise_slide(small* q, int b, int rows, const double* y, double length) {
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double* c = q->c + block->row;
    // Friction follows y's direction, which turns with the velocity across it: that is the last term of
    // (1 - part (1 - step R)) delta_across = -x_across - part step u_across.
    double radius = block->mu * y[2], part = radius / length, along = 0.0, worst = fabs(s->step * u[2]);
    double across = 1.0 / ((1.0 - part) + part * s->step * small_softness(q->problem, block->row) + small_weight(q));
    s->state = SMALL_SLIDE;
    s->tangent = part * s->step * across;
    for (int r = 0; r < rows; ++r) {
        s->slip[r] = r == 2 ? 0.0 : y[r] / length;
        along += x[r] * s->slip[r];
    }
    for (int r = 0; r < rows; ++r) {
        if (r == 2) continue;
        worst = ts_worse(worst, fabs(x[r] - radius * s->slip[r]));
        c[r] = (block->mu * x[2] - along) * s->slip[r] - across * (x[r] - along * s->slip[r]);
    }
    c[2] = 0.0;
    q->slide[q->slides++] = b;
    return worst;
}

// kg^-1: the s for which u_T is nearest to -s x_T, where a row counts by how little an impulse changes it.
static inline double small_slip(const small* q, int b) {
    const ts_block* block = &q->problem->block[b];
    const small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double against = 0.0, all = 0.0;
    for (int r = 0; r < block->rows; ++r) {
        double gives = small_softness(q->problem, block->row + r);
        for (int k = s->first; r != 2 && k < s->first + s->count; ++k) {
            ts_four J = ts_four_load(q->tile[k] + SMALL_TILE * r);
            gives += ts_four_sum(ts_four_product(J, J));
        }
        if (r == 2 || !(gives > 0.0)) continue;
        against -= x[r] * u[r] / gives;
        all += x[r] * x[r] / gives;
    }
    return all > 0.0 ? against / all : 0.0;
}

// A contact whose friction is at its bound has slid, and slides on if it creeps: friction stays at its bound, and turns with the velocity
// across it. u, by contrast, is not yet an answer's, and its direction says nothing of what creeps. With rolling friction that is the rule:
// its rows move a thousandth as fast as the others, and sliding keeps step with them. Returns 0 where it does not slide on.
static inline int small_slide_on(small* q, int b, int rows) {
    // 1: of the bound, where friction counts as there. 0.999 to 1 - 1e-7.
    static const double at_bound = 0.99999;
    // 1: of the speed that its friction would stop; what is faster shows in u. 0.01 to 1.
    static const double slow = 0.1;
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double friction = ts_block_set_tangent_length(x, rows), along = 0.0;
    if (!(friction > 0.0 && friction >= at_bound * block->mu * x[2])) return 0;
    double slip = small_slip(q, b);
    if (!(slip > 0.0 && slip * s->step < slow)) return 0;
    s->state = SMALL_SLIDE;
    s->tangent = 1.0 / (slip + small_softness(q->problem, block->row));
    for (int r = 0; r < rows; ++r) {
        s->slip[r] = r == 2 ? 0.0 : x[r] / friction;
        along += s->slip[r] * u[r];
    }
    for (int r = 0; r < rows; ++r)
        q->c[block->row + r] =
            r == 2 ? 0.0 : (block->mu * x[2] - friction) * s->slip[r] - s->tangent * (u[r] - along * s->slip[r]);
    q->slide[q->slides++] = b;
    return 1;
}

// A frictional contact of so many rows, but for what small_weigh adds.
static inline double small_linearise_cone(small* q, int b, int rows, double hold) {
    const ts_block* block = &q->problem->block[b];
    small_block* s = &q->block[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double y[SMALL_ROWS] = {0.0}, worst = 0.0;
    for (int r = 0; r < rows; ++r) y[r] = x[r] - s->step * u[r];
    if (!(y[2] > (x[2] == 0.0 ? hold : 0.0))) {
        s->state = SMALL_REST;
        for (int r = 0; r < rows; ++r) {
            q->c[block->row + r] = -x[r];
            worst = ts_worse(worst, fabs(x[r]));
        }
        return worst;
    }
    double length = ts_block_set_tangent_length(y, rows);
    if (hold > 0.0 && small_slide_on(q, b, rows)) return s->step * ts_largest(u, rows);
    if (length > block->mu * y[2]) return small_linearise_slide(q, b, rows, y, length);
    s->state = SMALL_STICK;
    for (int r = 0; r < rows; ++r) worst = ts_worse(worst, fabs(s->step * u[r]));
    return worst;
}

// The law of a block. Returns whether it moves.
static inline int small_linearise_block(small* q, int b, double hold) {
    const ts_block* block = &q->problem->block[b];
    if (!(q->block[b].step > 0.0)) {
        memset(q->c + block->row, 0, (size_t)block->rows * sizeof(double));
        return 0;
    }
    double gap = block->set != TS_SET_CONE ? small_linearise_rows(q, b, hold)
                 : block->rows == 3        ? small_linearise_cone(q, b, 3, hold)
                                           : small_linearise_cone(q, b, block->rows, hold);
    q->worst = ts_worse(q->worst, gap);
    q->squared += gap * gap;
    return q->block[b].state != SMALL_REST;
}

// The law of all blocks at the present point.
static inline void small_linearise(small* q, double hold) {
    q->slides = q->moving = 0;
    q->worst = q->squared = 0.0;
    for (int l = 0; l < q->lots; ++l) {
        small_lot* lot = &q->lot[l];
        lot->moving = 0;
        for (int b = lot->block; b < lot->block + lot->blocks; ++b) lot->moving += small_linearise_block(q, b, hold);
        if (lot->moving > 0) q->move[q->moving++] = l;
    }
}

// The law of what sticks or presses: what it gives, and by which impulse. Only who makes a system asks for it.
static inline void small_weigh(small* q) {
    double weight = small_weight(q);
    for (int k = 0; k < q->moving; ++k) {
        const small_lot* lot = &q->lot[q->move[k]];
        for (int b = lot->block; b < lot->block + lot->blocks; ++b) {
            const ts_block* block = &q->problem->block[b];
            small_block* s = &q->block[b];
            int row = block->row, is_cone = block->set == TS_SET_CONE;
            if (s->state == SMALL_REST || (!is_cone && block->rows > 1)) continue;
            s->normal = 1.0 / (weight / s->step + small_softness(q->problem, is_cone ? row + 2 : row));
            if (s->state == SMALL_SLIDE) continue;
            s->tangent = is_cone ? 1.0 / (weight / s->step + small_softness(q->problem, row)) : s->normal;
            double *c = q->c + row, *u = q->u + row;
            if (is_cone) {
                c[0] = -s->tangent * u[0];
                c[1] = -s->tangent * u[1];
                c[2] = -s->normal * u[2];
            }
            for (int r = is_cone ? 3 : 0; r < block->rows; ++r) c[r] = -s->tangent * u[r];
        }
    }
}

// out = K f of so many rows, without what sliding normals do.
static inline void small_times_K(const ts_block* block, const small_block* s, int rows, const double* f, double* out) {
    double along = 0.0;
    for (int r = 0; r < rows; ++r) out[r] = s->tangent * f[r];
    if (block->set != TS_SET_CONE) return;
    out[2] = s->normal * f[2];
    if (s->state != SMALL_SLIDE) return;
    for (int r = 0; r < rows; ++r) along += s->slip[r] * f[r];
    for (int r = 0; r < rows; ++r) out[r] -= s->tangent * along * s->slip[r];
    out[2] = 0.0;
}

#endif
