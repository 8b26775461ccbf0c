// Patches: what sweeps leave of a large island is mended where it is.
//
// Problem: a heap that falls is solved nearly everywhere after some hundred sweeps. What is left sits in some places: a body that is wedged, where
// normal and friction swing in turn for ever, and around it all that its swinging moves. More sweeps do not help there, and a linear system of the
// whole heap costs a hundred times as much as one of such a place.
// Rule: in turn
// 1. The blocks that are not good enough fall into patches that do not act on each other. Of one that is too large the worse part is left. Each
//    grows by what it acts on unless it gets too large by that: what wedges a body pushes around what is just beside it, and to hold that is to
//    push the error there. Each is a problem of its own, the impulses around it held, which `ncp` solves with all it has.
// 2. Half a round of sweeps with momentum spreads what that changed.
// Where neither the number of blocks that are not good nor the worst of them has fallen for some rounds, patches may be twice as large, and twice
// more; then it ends. Where nearly all blocks are not good after the first round it ends there.
// Source: nonlinear domain decomposition (Schwarz), its domains chosen by the residual; docs/ncp.md shows what it wins.
// Guaranteed: the point that is left is the best of all rounds, judged as a whole.
// Known to fail: some steps of a heap that has come together, where sweeps break again what patches have mended.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/island.h"
#include "contact/solvers/hybrid/ncp_internal.h"
#include "contact/solvers/sweeps/momentum_internal.h"

enum {
    PATCH_LEAST = 100,  // blocks of the largest patch, to begin with: 50 to 200
    PATCH_MOST = 400,   // and in the end: 200 to 800
    PATCH_RINGS = 2,    // how often a patch grows by what it acts on: 1 to 3
    PATCH_SWEEPS = 50,  // between two rounds of patches: 50, 100 take longer
    WINDOW = 6,         // rounds within which something must fall
};

// Share of what there was a window before that counts as fallen.
static const double fallen = 0.8;

// 1: of the blocks: where more are not good after a round, what is left does not sit in places (a structure all of which hangs together, from
// nothing). Of heaps that fall three in five are not, at the worst. 0.7 to 0.95.
static const double everywhere = 0.8;

// Fewer iterations that are left are Newton's.
static const int least_left = WINDOW * TS_MOMENTUM_ROUND;

// Multiplications that the paths of a patch may take. Larger ones go on from a patch's best point in the next round.
static const double patch_work = 1e8;

typedef struct patches {
    const ts_contact_problem* problem;
    ts_arena* scratch;
    int most;               // blocks of a patch
    double* excess;         // (blocks)
    double* u;              // (rows)
    double* held;           // (rows)
    unsigned char* chosen;  // (blocks) nonzero: in a patch
    unsigned char* grown;   // (blocks)
    int* list;              // (blocks)
    int* start;             // (blocks + 1)
    int* block;             // (blocks)
} patches;

static int take_room(patches* m) {
    int rows = m->problem->row_count, blocks = m->problem->block_count;
    m->u = TS_ARENA_ARRAY(m->scratch, double, rows);
    m->held = TS_ARENA_ARRAY(m->scratch, double, rows);
    m->chosen = TS_ARENA_ARRAY(m->scratch, unsigned char, blocks);
    m->grown = TS_ARENA_ARRAY(m->scratch, unsigned char, blocks);
    m->excess = TS_ARENA_ARRAY(m->scratch, double, blocks);
    m->list = TS_ARENA_ARRAY(m->scratch, int, blocks);
    m->start = TS_ARENA_ARRAY(m->scratch, int, blocks + 1);
    m->block = TS_ARENA_ARRAY(m->scratch, int, blocks);
    return m->excess && m->u && m->held && m->chosen && m->grown && m->list && m->start && m->block;
}

// Judges the present impulse block by block and chooses those that are not good enough; returns how many.
static int choose_bad(ts_ncp_search* s, patches* m) {
    const ts_contact_problem* p = s->problem;
    double largest = ts_largest(s->at.impulse, p->row_count), worst = 0.0;
    int bad = 0;
    ts_contact_problem_velocity(p, s->at.impulse, m->u);
    for (int b = 0; b < p->block_count; ++b) {
        double excess = ts_yardstick_excess_of(&s->yardstick, b, b + 1, largest, s->at.impulse, m->u);
        m->excess[b] = excess;
        m->chosen[b] = !(excess <= 1.0);
        bad += m->chosen[b];
        worst = ts_worse(worst, excess);
    }
    s->at.excess = worst;
    s->at.status = worst <= 1.0 ? TS_SOLVE_CONVERGED : TS_SOLVE_ITERATION_LIMIT;
    return bad;
}

// The patches of chosen blocks: islands among these alone. Numbers of blocks are the whole's. Returns 0 when memory is short.
static int find_patches(patches* m, const unsigned char* chosen, ts_islands* out) {
    ts_delassus *G = m->problem->delassus, *part = NULL;
    int count = 0, all[2] = {0, 0};
    for (int b = 0; b < m->problem->block_count; ++b)
        if (chosen[b]) m->list[count++] = b;
    all[1] = count;
    ts_arena_scope scope = ts_arena_scope_begin(m->scratch);
    ts_islands whole = {1, all, m->list}, found;
    ts_contact_problem among = *m->problem;
    int ok = G->ops->split(G, m->scratch, &whole, &part);
    if (ok) {
        among.block_count = count;
        among.row_count = part->row_count;
        among.delassus = part;
        ok = ts_islands_find(&among, m->scratch, &found) == TS_OK;
    }
    if (ok) {
        memcpy(m->start, found.start, ((size_t)found.count + 1) * sizeof(int));
        for (int k = 0; k < count; ++k) m->block[k] = m->list[found.block[k]];
        *out = (ts_islands){found.count, m->start, m->block};
    }
    ts_arena_scope_end(m->scratch, scope);
    return ok;
}

static int size_of(const ts_islands* patch, int i) { return patch->start[i + 1] - patch->start[i]; }

static int largest_of(const ts_islands* patch) {
    int most = 0;
    for (int i = 0; i < patch->count; ++i)
        if (size_of(patch, i) > most) most = size_of(patch, i);
    return most;
}

// Into `grown` comes what is chosen, and all blocks that an impulse there moves.
static void reach(patches* m) {
    const ts_contact_problem* p = m->problem;
    memset(m->held, 0, (size_t)p->row_count * sizeof(double));
    for (int b = 0; b < p->block_count; ++b)
        for (int i = 0; m->chosen[b] && i < p->block[b].rows; ++i) m->held[p->block[b].row + i] = 1.0 + 0.1 * i;
    p->delassus->ops->apply(p->delassus, m->held, m->u);
    for (int b = 0; b < p->block_count; ++b) {
        m->grown[b] = m->chosen[b];
        for (int i = 0; i < p->block[b].rows; ++i)
            if (m->u[p->block[b].row + i] != 0.0) m->grown[b] = 1;
    }
}

// Every patch grows by what it acts on, but those that would get too large by it: half as large again as what is chosen may be (as large to twice as
// large). Patches that meet become one. Returns 0 when memory is short.
static int grow(patches* m, ts_islands* room) {
    reach(m);
    if (!find_patches(m, m->grown, room)) return 0;
    for (int i = 0; i < room->count; ++i)
        for (int k = room->start[i]; k < room->start[i + 1] && size_of(room, i) > m->most + m->most / 2; ++k)
            m->grown[room->block[k]] = m->chosen[room->block[k]];
    memcpy(m->chosen, m->grown, (size_t)m->problem->block_count);
    return 1;
}

// Finds patches of chosen blocks none of which is too large: of those that are, the worse part is left, ten times, a hundred times as bad as
// what is good enough, and so on. Returns 0 when memory is short.
static int choose_worse(patches* m, ts_islands* out) {
    for (double excess = 10.0;; excess *= 10.0) {
        if (!find_patches(m, m->chosen, out)) return 0;
        if (largest_of(out) <= m->most) return 1;
        for (int i = 0; i < out->count; ++i)
            for (int k = out->start[i]; k < out->start[i + 1] && size_of(out, i) > m->most; ++k)
                if (!(m->excess[out->block[k]] > excess)) m->chosen[out->block[k]] = 0;
    }
}

// Solves all patches, the impulses around them held. Returns how many there were.
static int mend(ts_ncp_search* s, patches* m) {
    const ts_contact_problem* p = s->problem;
    ts_islands patch;
    if (!choose_worse(m, &patch)) return 0;
    for (int ring = 0; ring < PATCH_RINGS; ++ring)
        if (!grow(m, &patch)) return 0;
    if (!find_patches(m, m->chosen, &patch)) return 0;
    if (patch.count == 0) return 0;

    // What acts on a patch from outside it is part of its g.
    memcpy(m->held, s->at.impulse, (size_t)p->row_count * sizeof(double));
    for (int k = 0; k < patch.start[patch.count]; ++k) {
        const ts_block* block = &p->block[patch.block[k]];
        memset(m->held + block->row, 0, (size_t)block->rows * sizeof(double));
    }
    ts_contact_problem_velocity(p, m->held, m->u);
    ts_contact_problem part = *p;
    part.g = m->u;
    part.push_out = NULL;
    part.memory = NULL;
    part.trace = NULL;
    part.tasks = NULL;
    part.is_part = 1;
    ts_ncp_settings settings = *s->settings;
    settings.shared.iteration_limit -= s->spent.iterations;
    settings.work = fmin(settings.work, patch_work);
    settings.least_norm = 0;
    settings.stages = TS_NCP_ALL_STAGES;
    settings.large_island = settings.patched_island = INT_MAX;
    ts_solve_report report =
        ts_island_solve(&ts_ncp_solver, &part, &patch, &settings, NULL, m->scratch, s->at.impulse, NULL);
    s->spent.iterations += report.iterations;
    return patch.count;
}

// The least that was left so far, and for how many rounds it has not fallen.
typedef struct fall {
    double bad, excess;
    int since;
} fall;

static int has_stalled(fall* f, int bad, double excess) {
    ++f->since;
    if (bad < fallen * f->bad) {
        f->bad = bad;
        f->since = 0;
    }
    if (excess < fallen * f->excess) {
        f->excess = excess;
        f->since = 0;
    }
    return f->since > WINDOW;
}

int ts_ncp_patches(ts_ncp_search* s, int which, int limit) {
    patches m = {.problem = s->problem, .scratch = s->scratch, .most = PATCH_LEAST};
    size_t bytes = (size_t)s->problem->row_count * sizeof(double);
    double* impulse = TS_ARENA_ARRAY(s->scratch, double, s->problem->row_count);
    fall left = {HUGE_VAL, HUGE_VAL, 0};
    (void)which;
    // From where they stalled they would stall again.
    if (!(s->at.excess < s->patched)) return 0;
    if (s->settings->shared.iteration_limit - s->spent.iterations < least_left || !impulse || !take_room(&m)) return 0;
    memcpy(impulse, s->at.impulse, bytes);
    ts_ncp_point best = s->at;
    for (int k = 0; k < limit && s->at.status != TS_SOLVE_FAILED; ++k) {
        int bad = choose_bad(s, &m);
        if (s->at.excess < best.excess) {
            best = s->at;
            memcpy(impulse, best.impulse, bytes);
        }
        if (ts_ncp_is_over(s)) break;
        if (k == 1 && bad > everywhere * s->problem->block_count) break;
        if (!has_stalled(&left, bad, s->at.excess) && mend(s, &m)) {
            ts_ncp_glide(s, PATCH_SWEEPS);
            continue;
        }
        if (m.most >= PATCH_MOST) break;
        m.most *= 2;
        left.since = 0;
    }
    s->at = best;
    s->patched = best.excess;
    memcpy(best.impulse, impulse, bytes);
    return 1;
}
