// Newton on the exact law in the space of velocities, where few of them move: robots, hands, a handful of bodies.
//
// Problem: the exact law of blocks that move up to 64 velocities; most often a robot, from the impulses of the step before.
// Rule: every step asks what each row does: open or at a bound (its impulse moves there), sticking or pressing (u = 0), sliding
// (friction mu lambda_n along -u_T, linearised in both). That is the natural map in Alart's and Curnier's form, with the inverse
// stiffness of the block as its step. What sticks gives linear equations u + weight delta = 0 with a weight of 1e-5 stiffnesses, so that
// an answer exists where contacts are redundant: the nearest; passes with the same factor take back what that gave. A first step from close by
// gives by so little that none is needed. delta = c - K J dw takes impulses out, and leaves
//
//     (1 + J^T K J) dw = J^T c,      w = J^T lambda,
//
// symmetric, as sparse as the tree and no larger than its degrees of freedom however many rows there are (base/linear/tiles.c). The
// normals of sliding contacts make it unsymmetric; they stay unknowns of their own, in a dense system of that many rows, which is found halfway
// through H's factor: there their columns are still zero off their chains.
// What sticks and contradicts itself by more than the tolerance goes to where it gives (small_jam_internal.h).
// From a good start this ends after one step. So that noise in u does not take rows from their bounds, the first step leaves there
// what hardly wants to move, and lets slide on what slid. Whole steps have FREE_STEPS to get there; one after which the map has exploded,
// because what it took to stick cannot, is taken back and held near by a larger weight that no pass takes back. From then on steps are
// halved until the map falls, and every other three of them are held near: a proximal step gets past cycles of states. What has not come
// to an end after FIRST_STEPS, those not counted that make the weight fall, follows a central path (small_central.c), from beside which a
// few steps end. What jams there too is approached by proximal points: each is the answer where every block is held to the one before by
// a spring, weaker every time. With it the law has minima that are no solutions far more seldom, and single Newton steps that explode do not.
// Source: Alart and Curnier 1991; primal-dual active sets: Hintermueller, Ito and Kunisch 2002; elimination of impulses: as in the
// augmented Lagrangian. Proximal points: Rockafellar 1976, and natural_newton.c, whose rules they follow.
// Guaranteed: converged means the yardstick, on an admissible impulse and its own velocity; what does not converge stays as it was.
// Known to fail: one problem in ten thousand of robots that fall over themselves, where friction jams.
#include "contact/solvers/newton/small_newton_internal.h"

#include <string.h>

#include "base/linear/dense.h"
#include "contact/solvers/newton/small_central_internal.h"
#include "contact/solvers/newton/small_system_internal.h"
#include "contact/trace.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    N = TS_TILE,
    FREE_STEPS = 6,      // 3 to 10
    PROXIMAL_STEPS = 3,  // in turns with as many others. 3 to 6
    FIRST_STEPS = 12,    // from the given impulse: few come to an end later. 10 to 20
    CENTRAL_STEPS = 30,  // on a central path. 20 leave a third more
    END_STEPS = 5,       // from beside it. 4 to 8
    HELD_STEPS = 40,     // to one proximal point
    HELD_SYSTEMS = 200,  // to all of them from one start; 100 leave four times as many
    PATIENCE = 24,       // proximal points that come no nearer
    LEAPS = 1,           // whole steps at a kink that descent cannot pass
    BESIDE = 2,          // the first of the places that are tried last
    ELSEWHERE = 5        // all other places to begin at
};

// 1: what sticks may give, by its stiffness; further passes take that back. 3e-6 to 1e-4: less leaves rounding, more steps. Where masses
// are so far apart that passes do not suffice, it falls once whole steps have had their chance.
static const double first_weight = 1e-5, weight_fall = 0.3, least_weight = 1e-8;
// 1: the same of a first step from close by: by the map, in what the step may leave of it. And how many of these the map may be; from the square
// root of one over the rounding on, 6e7, more is rounded off than that.
static const double light_part = 0.3, light_reach = 1e7;
// 1: what the step may leave for that at most, of the problem's impulses: who asks for less than digits of the usual accuracy gets them all the same.
static const double light_enough = 1e-9;
// 1: the same while steps are proximal. 1e-3 to 1e-1. And what it rises by where that was not enough.
static const double proximal_weight = 1e-3, weight_rise = 30.0;
// 1: the sum of the squares of the map, by that before a whole step, above which it is taken back. Robots driven at random: of 2000 steps of
// talos, one in a hundred that end well passes 1e3 on the way, and half of those that do not. 10 to 1e5.
static const double explosion = 1e3;
// 1: of the problem's impulses: a map under it has not exploded, whatever it was before. 1e-9 to 0.1.
static const double large = 0.01;
// 1: of the problem's impulses: under it a row does not leave its bound in the first step. 1e-4 to 1e-3 of 0 to 1.
static const double margin = 3e-4;
// 1: tolerances, of Alart and Curnier's map, at which the yardstick is asked.
static const double near = 3.0;
// 1: tolerances, of the map, left by a linear system. 1e-4 to 1.
static const double few_digits = 1e-1;
// 1: by that, where the start was nearly good enough, `at_rest` tolerances: what rests has the same answer until what is left of it has moved it,
// for one over the root of that many steps. 1e-2 to 1e-4, but no less of the problem's impulses than `rounding`.
static const double all_digits = 1e-3, at_rest = 10.0, rounding = 1e-12;
// 1: the first spring of proximal points, by a block's stiffness (1e-5 to 1e-3), and the least; of the one before, unless that was too deep.
static const double first_spring = 1e-4, least_spring = 1e-12, deepest_fall = 0.03;
// 1: of the map where a proximal point is begun: what it need not be better than, and where it is as good as there.
static const double held_target = 0.02, held_enough = 0.5;
// 1: what passes may leave where springs hold.
static const double held_weight = 1e-10;
// 1: shortest part of a step.
static const double least_part = 0.01;

// Tolerances: the error at which Newton is tried from beside a central path, 1e3 to 1e5; and by what it falls before the next time, 0.01 to
// 0.3.
static const double central_reach = 1e3, central_fall = 0.1;
static void admit(const small* q, double* x) {
    const ts_block* block = q->problem->block;
    for (int b = 0; b < q->problem->block_count; ++b) {
        double* of_block = x + block[b].row;
        if (q->block[b].step > 0.0 && block[b].rows == 1 && block[b].set != TS_SET_CONE)
            *of_block = ts_block_set_clamp(&block[b], *of_block);
        else if (q->block[b].step > 0.0)
            ts_block_set_admit(&block[b], TS_FRICTION_DISC, of_block);
        else
            ts_block_set_least(&block[b], of_block);
    }
}

// 1: of the tolerance, that a bound of the natural map leaves for rounding.
static const double bound_part = 0.9;

// How much of the natural map there is at most by one unit of this one, of a block. With x' and u' that meet the law: where a contact slides they are
// y and what leads there, no farther from x and u than the map says; and the natural map, 0 there, grows by no more than 2 |x - x'| and the
// step times (1 + mu) |u - u'|.
static double natural_of(const ts_block* block) {
    return sqrt(block->rows) * (3.0 + (block->set == TS_SET_CONE ? block->mu : 0.0));
}

// Makes x admissible, finds its velocities, unless they are known and x was, and judges it, up to the first blocks that are not good. Where the map
// is known, too, the yardstick need not be asked if that is small enough.
static double judge(small* q, int is_known) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    int blocks = q->problem->block_count;
    double worst = 0.0;
    memcpy(q->x0, q->x, bytes);
    admit(q, q->x);
    int is_moved = memcmp(q->x0, q->x, bytes) != 0;
    if (!is_known || is_moved) small_find_velocities(q);
    double largest = small_largest(q->x, q->problem->row_count);
    double bound = is_known && !is_moved ? q->natural * q->worst : HUGE_VAL;
    double most = bound_part * q->yardstick->goal.tolerance * small_unit_by(q, largest);
    if (bound <= most) return most > 0.0 ? bound / most : 0.0;
    for (int first = 0, count = 1; first < blocks && worst <= 1.0; first += count, count *= 2) {
        int end = first + count < blocks ? first + count : blocks;
        worst = ts_worse(worst, ts_yardstick_excess_of(q->yardstick, first, end, largest, q->x, q->u));
    }
    return worst;
}

// Goes the whole step, or so much of it that the map falls.
static void go(small* q, int is_whole) {
    int n = q->problem->row_count;
    double before = q->squared, part = 1.0;
    for (int i = 0; i < n; ++i) {
        q->x0[i] = q->x[i];
        q->u0[i] = q->u[i];
        q->x[i] += q->dx[i];
    }
    small_find_velocities(q);
    if (is_whole) return;
    for (int i = 0; i < n; ++i) q->du[i] = q->u[i] - q->u0[i];
    for (;;) {
        small_linearise(q, 0.0);
        if (q->squared < before || (part *= 0.5) < least_part) break;
        q->w_is_of_x = 0;
        for (int i = 0; i < n; ++i) {
            q->x[i] = q->x0[i] + part * q->dx[i];
            q->u[i] = q->u0[i] + part * q->du[i];
        }
    }
}

// For whoever traces the solve.
static void note(small* q, int newtons) {
    double* x = q->yardstick->problem->trace->room;
    if (!x) return;
    memcpy(x, q->x, (size_t)q->problem->row_count * sizeof(double));
    admit(q, x);
    ts_trace_note(q->yardstick, newtons, x);
}

// Takes the last step back where the map has exploded: contacts that are redundant do that. Returns nonzero when it did.
static int recoil(small* q, double before) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    if (!q->has_cones || !(q->squared > explosion * before && q->worst > large * small_unit_of(q))) return 0;
    memcpy(q->x, q->x0, bytes);
    memcpy(q->u, q->u0, bytes);
    q->w_is_of_x = 0;
    if (q->is_proximal) q->near_weight *= weight_rise;
    q->is_proximal = 1;
    small_linearise(q, 0.0);
    return 1;
}

// Where little is missing from the law, the first step gives by so little that no pass need take it back: what a pass misses is the weight's part
// of the map, what is rounded off is the map's part of its inverse.
static void lighten(small* q, double enough) {
    double map = sqrt(q->squared), weight = light_part * enough / map;
    if (!(map < light_reach * enough) || !(weight < q->weight)) return;
    q->weight = weight;
}

// From the impulses in x, so many steps beside those that make the weight fall, and at most to `limit` systems in all; `enough_here`: excess up to
// which they are the answer without any. Returns their excess.
static double iterate(small* q, int steps, int limit, double enough_here, ts_arena* scratch, ts_small_report* report) {
    double before = HUGE_VAL;
    int step = 0, recoiled = 0;
    q->weight = first_weight;
    q->near_weight = proximal_weight;
    double here = judge(q, 0);
    report->excess = here > enough_here ? HUGE_VAL : here;
    for (; report->excess > 1.0 && step < steps && report->newtons < limit; ++step, ++report->newtons) {
        double unit = small_unit_of(q), hold = step == 0 ? margin * unit : 0.0;
        q->is_proximal = recoiled || (step >= FREE_STEPS && (step - FREE_STEPS) / PROXIMAL_STEPS % 2 != 0);
        small_linearise(q, hold);
        if (step > 0 && q->worst <= near * q->yardstick->goal.tolerance * unit) {
            report->excess = judge(q, 1);
            if (report->excess <= 1.0) break;
            small_linearise(q, 0.0);
        }
        recoiled = step > 0 && step < FREE_STEPS && !q->has_leapt && recoil(q, before);
        if (!recoiled) q->near_weight = proximal_weight;
        before = q->squared;
        int is_whole = step + 1 < FREE_STEPS;
        double enough = few_digits * q->yardstick->goal.tolerance * unit;
        if (step == 0 && here <= at_rest) enough = fmin(enough, fmax(all_digits * enough, rounding * unit));
        if (step == 0) lighten(q, fmin(enough, light_enough * unit));
        if (!small_find_step(q, enough, scratch)) break;
        if (step == 0) q->weight = first_weight;
        go(q, is_whole || q->has_leapt);
        if (q->is_coarse && step + 1 >= FREE_STEPS && q->weight > least_weight) {
            q->weight *= weight_fall;
            ++steps;
        }
        if (q->problem->trace) note(q, report->newtons + 1);
    }
    report->status = report->excess <= 1.0 ? TS_SOLVE_CONVERGED : TS_SOLVE_STALLED;
    return here;
}

// Along a central path, at most to `limit` systems in all; from beside it Newton ends the search, once it comes near.
static void follow(small* q, ts_small_way way, int limit, ts_arena* scratch, ts_small_report* report) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    double next = central_reach;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* kept = TS_ARENA_ARRAY(scratch, double, 2 * q->problem->row_count);
    ts_small_central* path = ts_small_central_begin(q, way, scratch);
    report->status = TS_SOLVE_STALLED;
    for (int step = 0; path && kept && step < CENTRAL_STEPS && report->newtons < limit; ++step) {
        ++report->newtons;
        if (!ts_small_central_step(path)) break;
        if (q->problem->trace) note(q, report->newtons);
        report->excess = ts_yardstick_excess(q->yardstick, q->x, q->u);
        if (report->excess <= 1.0) {
            report->status = TS_SOLVE_CONVERGED;
            break;
        }
        if (!(report->excess < next)) continue;
        next = central_fall * report->excess;
        memcpy(kept, q->x, bytes);
        memcpy(kept + q->problem->row_count, q->u, bytes);
        ts_small_central_settle(path);
        (void)iterate(q, END_STEPS, limit, 1.0, scratch, report);
        if (report->status == TS_SOLVE_CONVERGED) break;
        memcpy(q->x, kept, bytes);
        memcpy(q->u, kept + q->problem->row_count, bytes);
    }
    ts_arena_scope_end(scratch, scope);
}

// Where proximal points stand.
typedef struct held_law {
    ts_contact_problem problem;  // with springs
    double *g, *R;               // (rows) its own
    double* centre;              // (rows) where the springs hold
    double spring;
    double fall;  // of the spring after the next point that is found
    int failures;
} held_law;

// Holds every block where it is.
static void hold(const small* q, held_law* held) {
    const ts_contact_problem* p = q->problem;
    for (int b = 0; b < p->block_count; ++b) {
        const ts_block* block = &p->block[b];
        double stiffness = q->block[b].step > 0.0 ? held->spring / q->block[b].step : 0.0;
        for (int i = block->row; i < block->row + block->rows; ++i) {
            held->centre[i] = q->x[i];
            held->g[i] = p->g[i] - stiffness * q->x[i];
            held->R[i] = small_softness(p, i) + stiffness;
        }
    }
    held->problem = *p;
    held->problem.g = held->g;
    held->problem.R = held->R;
}

// u and the law at x.
static void look(small* q) {
    small_find_velocities(q);
    small_linearise(q, 0.0);
}

// Newton on the law that q has, until its map has fallen to `target`, squared. Returns whether it did, or nearly.
static int settle(small* q, double target, int limit, ts_arena* scratch, ts_small_report* report) {
    look(q);
    double start = q->squared, enough = few_digits * q->yardstick->goal.tolerance * small_unit_of(q);
    int leaps = 0;
    for (int k = 0; k < HELD_STEPS && report->newtons < limit && q->squared > target; ++k) {
        double before = q->squared;
        ++report->newtons;
        if (!small_find_step(q, enough, scratch)) break;
        go(q, 0);
        if (q->squared < before) continue;
        if (++leaps > LEAPS) break;
        for (int i = 0; i < q->problem->row_count; ++i) q->x[i] = q->x0[i] + q->dx[i];
        look(q);
    }
    return q->squared <= fmax(target, held_enough * held_enough * start);
}

// The next spring, after a point that was found or was not; `before`, `now`: squares of the map.
static void loosen(small* q, held_law* held, int is_found, double before, double now) {
    if (is_found) {
        held->failures = 0;
        // Where one point gains three digits, a weaker spring would only let internal forces drift over kinks.
        if (now > 1e-6 * before) held->spring = fmax(held->fall * held->spring, least_spring);
        held->fall = fmax(0.5 * held->fall, deepest_fall);
        return;
    }
    // The last fall was too deep, and would be again.
    held->fall = fmin(fmax(3.0 * held->fall, 0.1), 0.5);
    held->spring = fmin(held->spring * (++held->failures > 1 ? 10.0 : 30.0), 1.0);
    if (now <= before) return;
    memcpy(q->x, held->centre, (size_t)q->problem->row_count * sizeof(double));
    look(q);
}

// Proximal points, from the impulses in x; at most to `limit` systems in all.
static void approach(small* q, int limit, ts_arena* scratch, ts_small_report* report) {
    const ts_contact_problem* problem = q->problem;
    int n = problem->row_count, last = report->newtons + HELD_SYSTEMS, since_best = 0;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    held_law held = {.spring = first_spring, .fall = deepest_fall};
    double least = HUGE_VAL, *room = TS_ARENA_ARRAY(scratch, double, 3 * n);
    if (limit > last) limit = last;
    if (room) held.g = room, held.R = room + n, held.centre = room + 2 * n;
    q->weight = held_weight;
    q->is_proximal = 0;
    look(q);
    while (room && report->newtons < limit && since_best <= PATIENCE) {
        double before = q->squared;
        hold(q, &held);
        q->problem = &held.problem;
        int is_found = settle(q, held_target * held_target * before, limit, scratch, report);
        q->problem = problem;
        look(q);
        double now = q->squared;
        since_best = now < 0.81 * least ? 0 : since_best + 1;
        if (problem->trace) note(q, report->newtons);
        if (now < least) {
            least = now;
            report->excess = judge(q, 1);
            if (report->excess <= 1.0) break;
            small_linearise(q, 0.0);
        }
        loosen(q, &held, is_found, before, now);
    }
    report->status = report->excess <= 1.0 ? TS_SOLVE_CONVERGED : TS_SOLVE_STALLED;
    ts_arena_scope_end(scratch, scope);
}

static int is_over(const ts_small_report* report, int limit) {
    return report->status == TS_SOLVE_CONVERGED || report->newtons >= limit;
}

// Friction by so many quarters of a turn; of what spins and rolls half a turn only is another way.
static void turn_friction(small* q, int quarters) {
    const ts_contact_problem* p = q->problem;
    for (int b = 0; b < p->block_count; ++b) {
        double *x = q->x + p->block[b].row, first = x[0];
        if (p->block[b].set != TS_SET_CONE) continue;
        for (int r = 0; quarters == 2 && r < p->block[b].rows; ++r)
            if (r != 2) x[r] *= -1.0;
        if (quarters == 1) x[0] = -x[1], x[1] = first;
        if (quarters == 3) x[0] = x[1], x[1] = -first;
    }
}

// Another place to begin at than where the search did.
static void begin_elsewhere(small* q, int way) {
    switch (way) {
    case 0: memset(q->x, 0, (size_t)q->problem->row_count * sizeof(double)); break;
    case 1: turn_friction(q, 2); break;
    case 2: turn_friction(q, 3); break;
    case 3: turn_friction(q, 1); break;
    default:
        for (int i = 0; i < q->problem->row_count; ++i) q->x[i] *= 2.0;
    }
}

// From the impulses in x; then from the centre in one way and the other, and by proximal points from the first start, from where the
// other way ends, from nothing, and from the first start with friction the other way: the last two end half of what is left there. Beside that start,
// with friction to either side and from twice its impulses, most of the rest ends.
static void search(small* q, ts_small_start from, int limit, ts_arena* scratch, ts_small_report* report) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    int is_here = from.from == TS_SMALL_FROM_HERE;
    double* start = TS_ARENA_ARRAY(scratch, double, q->problem->row_count);
    if (start) memcpy(start, q->x, bytes);
    report->start_excess = is_here ? iterate(q, FIRST_STEPS, limit, from.enough, scratch, report) : HUGE_VAL;
    // What was good enough without any of it was to be better, and is not.
    if (report->start_excess <= 1.0 && start && report->status != TS_SOLVE_CONVERGED) {
        memcpy(q->x, start, bytes);
        report->excess = judge(q, 0);
        report->status = TS_SOLVE_CONVERGED;
    }
    for (int way = 0; is_here && start && way < TS_SMALL_WAYS && !is_over(report, limit); ++way) {
        follow(q, (ts_small_way)way, limit, scratch, report);
        if (is_over(report, limit)) break;
        if (way == 0) memcpy(q->x, start, bytes);
        approach(q, limit, scratch, report);
    }
    for (int way = is_here ? 0 : BESIDE; start && way < (is_here ? BESIDE : ELSEWHERE) && !is_over(report, limit);
         ++way) {
        memcpy(q->x, start, bytes);
        begin_elsewhere(q, way);
        approach(q, limit, scratch, report);
    }
}

// Returns 0 when memory is short.
static int prepare(small* q, const ts_velocity_form* form, ts_arena* scratch, const double* impulse) {
    const ts_contact_problem* p = q->problem;
    int tiles, numbers, n = p->row_count;
    q->block = TS_ARENA_ARRAY(scratch, small_block, p->block_count);
    q->lot = TS_ARENA_ARRAY(scratch, small_lot, p->block_count);
    q->slide = TS_ARENA_ARRAY(scratch, int, 2 * p->block_count);
    q->move = q->slide ? q->slide + p->block_count : NULL;
    q->H = TS_ARENA_ARRAY(scratch, ts_tiles, 1);
    if (!q->block || !q->lot || !q->slide || !q->H) return 0;
    small_make_lots(q, form, &tiles, &numbers);
    q->tile = TS_ARENA_ARRAY(scratch, const double*, tiles);
    q->place = TS_ARENA_ARRAY(scratch, unsigned char, tiles);
    double* at = TS_ARENA_ARRAY(scratch, double, numbers + 7 * n + 2 * N * q->tiles);
    if (!q->tile || !q->place || !at) return 0;
    // Tiles and what they are multiplied with begin where cache lines do.
    double** vector[] = {&q->x, &q->u, &q->x0, &q->u0, &q->c, &q->dx, &q->du};
    double* rest = at + 2 * N * q->tiles + numbers;
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; ++i, rest += n) *vector[i] = rest;
    q->w = at;
    q->dw = at + N * q->tiles;
    at += 2 * N * q->tiles;
    memcpy(q->x, impulse, (size_t)n * sizeof(double));
    for (int l = 0, next = 0; l < q->lots; ++l) small_pack(q, form, &q->lot[l], &next, &at);
    for (int b = 0; b < p->block_count; ++b) {
        q->block[b].state = SMALL_REST;
        q->block[b].step = small_inverse_stiffness(q, form, b);
        q->has_cones |= p->block[b].set == TS_SET_CONE;
        q->natural = fmax(q->natural, q->block[b].step > 0.0 ? natural_of(&p->block[b]) : HUGE_VAL);
    }
    if (q->yardstick->goal.force > 0.0 || q->yardstick->law != TS_LAW_NCP) q->natural = HUGE_VAL;
    return 1;
}

static ts_small_report solve(const ts_yardstick* yardstick, ts_small_start start, int limit, ts_arena* scratch,
                             double* impulse) {
    const ts_contact_problem* p = yardstick->problem;
    ts_small_report report = {TS_SOLVE_FAILED, 0, HUGE_VAL, HUGE_VAL};
    ts_velocity_form* form = ts_velocity_form_of(p->delassus);
    small q = {.problem = p, .yardstick = yardstick, .tiles = (form->velocity_count + N - 1) / N};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (prepare(&q, form, scratch, impulse)) {
        search(&q, start, limit, scratch, &report);
        if (report.status == TS_SOLVE_CONVERGED) {
            memcpy(impulse, q.x, (size_t)p->row_count * sizeof(double));
            if (q.w_is_of_x) ts_velocity_form_tell(form, impulse, q.w);
        }
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

#if TS_IS_WIDE

ts_small_report ts_small_newton_wide(const ts_yardstick* yardstick, ts_small_start start, int limit, ts_arena* scratch,
                                     double* impulse) {
    return solve(yardstick, start, limit, scratch, impulse);
}

#else

int ts_small_newton_takes(const ts_contact_problem* problem) {
    const ts_velocity_form* form = ts_velocity_form_of(problem->delassus);
    if (!form || form->velocity_count > TS_SMALL_VELOCITIES) return 0;
    for (int s = 0; s < form->segment_start[problem->block_count]; ++s)
        if (form->segment[s].J != form->segment[s].Y) return 0;
    return 1;
}

ts_small_report ts_small_newton_narrow(const ts_yardstick* yardstick, ts_small_start start, int limit,
                                       ts_arena* scratch, double* impulse) {
    return solve(yardstick, start, limit, scratch, impulse);
}

ts_small_report ts_small_newton(const ts_yardstick* yardstick, ts_small_start start, int limit, ts_arena* scratch,
                                double* impulse) {
    if (!ts_small_newton_takes(yardstick->problem)) return (ts_small_report){TS_SOLVE_FAILED, 0, HUGE_VAL, HUGE_VAL};
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_small_newton_wide(yardstick, start, limit, scratch, impulse);
#endif
    return solve(yardstick, start, limit, scratch, impulse);
}

#endif
