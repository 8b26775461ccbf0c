// Momentum of the sweeps.
//
// Problem: x = s(x), where s is one sweep of a projected Gauss-Seidel solver. In heaps of thousands what is left after the first sweeps is
// wide and smooth, and goes by a little with each sweep.
// Rule: the sweep k after a rest begins at x_k + m_k (x_k - x_k-1), m_k = (k - 1) / (k + 2), at most `most`. V = M^-1 J^T x is linear in x, so
// it moves on in the same way, and nothing is summed anew. Every TS_MOMENTUM_ROUND sweeps it begins from rest: contacts that swing lose it.
// Source: Nesterov 1983; rests: O'Donoghue and Candes 2015; on Gauss-Seidel sweeps of contacts: our own trials on recorded heaps of 1000
// boxes (docs/ncp.md), where 0.9 needs an eighth of the sweeps that none needs, 0.8 a sixth, and 0.95 swings.
// Guaranteed: a fixed point of the sweeps stays one; after every sweep the impulse is admissible.
// Known to fail: no proof for sweeps, and none for the exact law. Whoever uses it keeps the best point.
#include "contact/solvers/sweeps/momentum_internal.h"

#include <math.h>
#include <string.h>

int ts_momentum_make(ts_momentum* momentum, ts_delassus* G, double most, ts_arena* scratch) {
    ts_velocity_form* form = ts_velocity_form_of(G);
    *momentum = (ts_momentum){.most = most, .G = G, .form = form, .rows = G->row_count};
    momentum->impulse = TS_ARENA_ARRAY(scratch, double, G->row_count);
    momentum->V = TS_ARENA_ARRAY(scratch, double, form ? form->velocity_count : 0);
    return momentum->impulse && momentum->V;
}

// x goes on by a part of how it came from `before`, which becomes x.
static void go_on(int n, double part, double* before, double* x) {
    for (int i = 0; i < n; ++i) {
        double here = x[i];
        x[i] = here + part * (here - before[i]);
        before[i] = here;
    }
}

void ts_momentum_push(ts_momentum* momentum, double* impulse) {
    ts_momentum* m = momentum;
    int k = m->sweeps++;
    if (m->sweeps == TS_MOMENTUM_ROUND) m->sweeps = 0;
    if (k == 0) {
        memcpy(m->impulse, impulse, (size_t)m->rows * sizeof(double));
        if (m->form) memcpy(m->V, m->form->V, (size_t)m->form->velocity_count * sizeof(double));
        return;
    }
    double part = fmin(m->most, (k - 1) / (k + 2.0));
    go_on(m->rows, part, m->impulse, impulse);
    if (m->form)
        go_on(m->form->velocity_count, part, m->V, m->form->V);
    else
        m->G->ops->set_impulse(m->G, impulse);
}

void ts_momentum_set(ts_momentum* momentum, const double* impulse) {
    ts_momentum* m = momentum;
    int count = m->form && m->sweeps > 0 ? m->form->velocity_count : 0;
    for (int j = 0; j < count; ++j) m->V[j] -= m->form->V[j];
    m->G->ops->set_impulse(m->G, impulse);
    for (int j = 0; j < count; ++j) m->V[j] += m->form->V[j];
}
