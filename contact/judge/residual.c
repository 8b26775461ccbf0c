// The yardstick of every solver.
//
// Problem: given impulses lambda, how badly do they break a contact law? Rule: recompute u = (G+R) lambda + g and
// measure, per block, the distance of lambda to its set, of u (shifted for the exact law) to the dual set, and their
// work.
// Source: docs/contact.md (the exact law is Coulomb and Signorini in de Saxce's form).
// Guaranteed: all parts of a law are zero exactly when the law holds; a NaN anywhere makes the parts it touches NaN.
// Known to fail: the three parts carry different units, so their maximum depends on scale; `natural` and what
// contact/judge/yardstick.c makes of them do not.
#include "contact/judge/residual.h"

#include <math.h>

#include "base/linear/four.h"
#include "contact/judge/block_law_internal.h"
#include "contact/judge/residual_internal.h"
#include "contact/operator/stiffness_internal.h"

// Internal forces this many times larger than the impulses that the problem asks for are taken at face value: an answer
// whose internal forces have run away would otherwise count as a good one.
static const double large_impulse = 1e4;

// Friction against slip, contact by contact: sums of |lambda_T x u_T|, of -lambda_T . u_T and of |lambda_T| |u_T|.
typedef struct slip_direction {
    double across;
    double opposed;
    double work;
} slip_direction;

// Signorini, power gap, approach and alignment of one frictional contact.
static inline void physical_metrics(const cone_state* c, ts_residual* out, slip_direction* direction) {
    out->signorini = ts_worse(out->signorini, fabs(c->lambda.z * c->u.z));
    out->created = ts_worse(out->created, positive(c->along + c->lambda.z * c->u.z));
    out->dissipation = ts_worse(out->dissipation, c->mu * c->lambda.z * c->slip + c->along);
    out->closing = ts_worse(out->closing, positive(-c->u.z));
    out->pulling = ts_worse(out->pulling, positive(-c->lambda.z));
    out->coulomb = ts_worse(out->coulomb, positive(c->friction - c->mu * positive(c->lambda.z)));
    direction->across += fabs(c->lambda.x * c->u.y - c->lambda.y * c->u.x);
    direction->opposed -= c->along;
    direction->work += c->friction * c->slip;
}

// An upper bound of the largest eigenvalue of G_bb + R_b, tight for single rows and for contacts of three.
static inline double stiffness_of(const ts_contact_problem* problem, int b) {
    const ts_block* block = &problem->block[b];
    if (block->rows != 1 && (block->set != TS_SET_CONE || block->rows != 3))
        return ts_contact_problem_stiffness(problem, b);
    const double* R = problem->R ? problem->R + block->row : NULL;
    if (block->rows == 1) return fabs(problem->delassus->ops->diagonal(problem->delassus, b)[0]) + (R ? R[0] : 0.0);
    // The same R on all rows moves all eigenvalues alike.
    if (problem->delassus->bound && (!R || (R[0] == R[1] && R[0] == R[2])))
        return problem->delassus->bound[b] + (R ? R[0] : 0.0);
    const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
    const double r[3] = {R ? R[0] : 0.0, R ? R[1] : 0.0, R ? R[2] : 0.0};
    return ts_stiffness_bound_3x3(D[0] + r[0], D[4] + r[1], D[8] + r[2], D[1], D[2], D[5]);
}

// |lambda - P(lambda - r w)|^2 of one block that is no cone.
static inline double natural_other(const ts_block* block, double r, const double* lambda, const double* u) {
    double sum = 0.0;
    for (int i = 0; i < block->rows; ++i) {
        double x = ts_block_set_clamp(block, lambda[i] - r * u[i]);
        sum += (lambda[i] - x) * (lambda[i] - x);
    }
    return sum;
}

// The same of a cone, w shifted for the exact law.
static inline double natural_cone(const cone_state* c, double r) {
    ts_vec3 w = ts_vec3_make(c->u.x, c->u.y, shifted_normal(c));
    ts_vec3 gap = ts_vec3_sub(c->lambda, ts_block_set_project_cone(ts_vec3_add_scaled(c->lambda, -r, w), c->mu));
    return ts_vec3_dot(gap, gap);
}

// |lambda - P(lambda - step w)|^2 of one block.
static inline double natural_squared(const ts_block* block, double step, const double* lambda, const double* u) {
    if (block->set != TS_SET_CONE) return natural_other(block, step, lambda, u);
    cone_state c = cone_state_of_block(block, lambda, u);
    return natural_cone(&c, step);
}

// What a pass over blocks of one scale collects: what is large in them, and what is wrong.
typedef struct tally {
    double impulse;
    double velocity;
    double step_sum;
    int moved;               // blocks in step_sum
    int unmoved;             // blocks that nothing can move (zero stiffness)
    double natural_squared;  // (N s)^2, of blocks that move
    ts_law_residual others;  // of blocks that are no cones: one law for all
    slip_direction direction;
} tally;

static ts_residual_scale scale_of(const ts_contact_problem* problem, const tally* t) {
    ts_residual_scale scale = {0.0, ts_worse(problem->rest_speed, t->velocity),
                               t->moved > 0 ? t->step_sum / t->moved : 1.0};
    ts_residual_scale_impulse(&scale, t->impulse);
    return scale;
}

// The worst of `worst` and the sizes of three numbers: a NaN stays.
static inline double worst_of_three(double worst, const double* x) {
    double a = fabs(x[0]), b = fabs(x[1]), c = fabs(x[2]), most = a > b ? a : b, sum = a + b + c;
    most = c > most ? c : most;
    return ts_worse(worst, isnan(sum) ? sum : most);
}

// How large block b is. Returns its step, 1 / stiffness; zero where nothing can move it.
static inline double note_size(const ts_contact_problem* problem, int b, const double* impulse, tally* t) {
    int first = problem->block[b].row, last = first + problem->block[b].rows;
    double stiffness = stiffness_of(problem, b);
    if (last - first == 3) {
        t->velocity = worst_of_three(t->velocity, problem->g + first);
        if (impulse) t->impulse = worst_of_three(t->impulse, impulse + first);
    } else {
        for (int i = first; i < last; ++i) t->velocity = ts_worse(t->velocity, fabs(problem->g[i]));
        for (int i = first; impulse && i < last; ++i) t->impulse = ts_worse(t->impulse, fabs(impulse[i]));
    }
    if (stiffness <= 0.0) {
        ++t->unmoved;
        return 0.0;
    }
    ++t->moved;
    t->step_sum += 1.0 / stiffness;
    return 1.0 / stiffness;
}

// The largest size of twelve numbers; a NaN where it may not be one.
static inline double largest_of_twelve(const double* x) {
    ts_four a = ts_four_size(ts_four_load(x)), b = ts_four_size(ts_four_load(x + 4)),
            c = ts_four_size(ts_four_load(x + 8));
    double most[4];
    ts_four_store(ts_four_most(ts_four_most(a, b), c), most);
    double low = most[0] > most[1] ? most[0] : most[1], high = most[2] > most[3] ? most[2] : most[3];
    double sum = ts_four_sum(ts_four_plus(ts_four_plus(a, b), c));
    return sum < HUGE_VAL ? (low > high ? low : high) : (double)NAN;
}

// note_size of four contacts of three rows that lie one behind the other, of known bounds, where nothing gives. Returns 0, with nothing done, for others.
static int note_four(const ts_contact_problem* problem, const int* lane, const double* impulse, tally* t,
                     double* out_step) {
    const ts_block* block = problem->block;
    const double* bound = problem->delassus->bound;
    int row = block[lane[0]].row;
    if (!bound || problem->R || block[lane[1]].row != row + 3 || block[lane[2]].row != row + 6 ||
        block[lane[3]].row != row + 9)
        return 0;
    double velocity = largest_of_twelve(problem->g + row), largest = impulse ? largest_of_twelve(impulse + row) : 0.0;
    const double stiffness[4] = {bound[lane[0]], bound[lane[1]], bound[lane[2]], bound[lane[3]]};
    int are_moved = stiffness[0] > 0.0 && stiffness[1] > 0.0 && stiffness[2] > 0.0 && stiffness[3] > 0.0;
    if (!are_moved || isnan(velocity) || isnan(largest)) return 0;
    ts_four_store(ts_four_quotient(ts_four_all(1.0), ts_four_load(stiffness)), out_step);
    t->velocity = ts_worse(t->velocity, velocity);
    if (impulse) t->impulse = ts_worse(t->impulse, largest);
    t->moved += 4;
    for (int k = 0; k < 4; ++k) t->step_sum += out_step[k];
    return 1;
}

static inline void judge_block(const ts_contact_problem* problem, int b, const double* impulse, const double* u,
                               tally* t, ts_residual* out) {
    const ts_block* block = &problem->block[b];
    const double* l = impulse + block->row;
    const double* v = u + block->row;
    double step = note_size(problem, b, impulse, t), gap;
    if (block->set == TS_SET_CONE) {
        cone_state c = cone_state_of_block(block, l, v);
        double primal = primal_of(&c);
        pyramid_law(block, l, v, &out->lcp);
        cone_law(&c, primal, c.u.z, &out->ccp);
        cone_law(&c, primal, shifted_normal(&c), &out->ncp);
        physical_metrics(&c, out, &t->direction);
        gap = natural_cone(&c, step);
    } else {
        other_block(block, l, v, &t->others);
        if (block->set == TS_SET_HALF_LINE) {
            out->signorini = ts_worse(out->signorini, fabs(l[0] * v[0]));
            out->created = ts_worse(out->created, positive(l[0] * v[0]));
            out->closing = ts_worse(out->closing, positive(-v[0]));
            out->pulling = ts_worse(out->pulling, positive(-l[0]));
        }
        gap = natural_other(block, step, l, v);
    }
    t->natural_squared = ts_worse(t->natural_squared, gap);
}

// judge_block of the first four of a range side by side, of all if there are fewer, but no more than are contacts of three rows. Returns how
// many those were: none where one by one is the better way.
static int judge_four(const ts_contact_problem* problem, ts_block_range range, const double* impulse, const double* u,
                      tally* t, ts_residual* out) {
    ts_cone_lanes lanes;
    ts_cone_lanes_sums sums;
    int lane[TS_CONE_LANES], found = fill_lanes(problem, range, impulse, u, &lanes, lane);
    if (found == 0) return 0;
    tally sizes = *t;
    if (found < TS_CONE_LANES || !note_four(problem, lane, impulse, &sizes, lanes.step))
        for (int k = 0; k < TS_CONE_LANES; ++k)
            lanes.step[k] = k < found ? note_size(problem, lane[k], impulse, &sizes) : lanes.step[0];
    if (!ts_cone_lanes_judge(&lanes, out, &sizes.natural_squared, &sums)) return 0;
    for (int k = 0; k < found; ++k) {
        sizes.direction.across += sums.across[k];
        sizes.direction.opposed -= sums.opposed[k];
        sizes.direction.work += sums.work[k];
    }
    *t = sizes;
    return found;
}

ts_residual_scale ts_residual_scale_of(const ts_contact_problem* problem, const int* block, int count,
                                       const double* impulse) {
    static const tally nothing;
    tally t = nothing;
    for (int k = 0, done; k < count; k += done) {
        int lane[TS_CONE_LANES], found = 0;
        double step[TS_CONE_LANES];
        for (; found < TS_CONE_LANES && k + found < count; ++found) {
            lane[found] = block ? block[k + found] : k + found;
            if (!is_lane(&problem->block[lane[found]])) break;
        }
        done = found == TS_CONE_LANES && note_four(problem, lane, impulse, &t, step) ? found : 1;
        if (done == 1) (void)note_size(problem, block ? block[k] : k, impulse, &t);
    }
    return scale_of(problem, &t);
}

void ts_residual_scale_impulse(ts_residual_scale* scale, double largest) {
    double most = large_impulse * scale->velocity * scale->step;
    scale->impulse = largest > most && most > 0.0 ? most : largest;
    // Where nothing moves and something pushes all the same, what it could move is the scale.
    if (scale->velocity == 0.0) scale->velocity = largest / scale->step;
}

double ts_residual_natural(const ts_contact_problem* problem, int b, const ts_residual_scale* scale,
                           const double* impulse, const double* u) {
    const ts_block* block = &problem->block[b];
    double stiffness = stiffness_of(problem, b), step = stiffness > 0.0 ? 1.0 / stiffness : scale->step;
    if (isnan(stiffness)) return stiffness;
    return ts_share(sqrt(natural_squared(block, step, impulse + block->row, u + block->row)), ts_residual_unit(scale));
}

// The natural map of the first blocks of a range side by side, squared, on top of what io_squared holds. Returns how many those were: none where one by
// one is the better way, or something has no stiffness.
static int natural_four(const ts_contact_problem* problem, ts_block_range range, const double* impulse, const double* u,
                        double* io_squared) {
    ts_cone_lanes lanes;
    int lane[TS_CONE_LANES], found = fill_lanes(problem, range, impulse, u, &lanes, lane);
    for (int k = 0; k < found; ++k) {
        lanes.step[k] = stiffness_of(problem, lane[k]);
        if (!(lanes.step[k] > 0.0)) return 0;
        lanes.step[k] = 1.0 / lanes.step[k];
    }
    for (int k = found; found > 0 && k < TS_CONE_LANES; ++k) lanes.step[k] = lanes.step[0];
    return found > 0 && ts_cone_lanes_natural(&lanes, io_squared) ? found : 0;
}

double ts_residual_natural_of_blocks(const ts_contact_problem* problem, ts_block_range range,
                                     const ts_residual_scale* scale, const double* impulse, const double* u) {
    double squared = 0.0, worst = 0.0;
    for (int end = range.first + range.count, done; range.first < end; range.first += done) {
        range.count = end - range.first;
        done = natural_four(problem, range, impulse, u, &squared);
        if (done > 0) continue;
        int b = range.list ? range.list[range.first] : range.first;
        worst = ts_worse(worst, ts_residual_natural(problem, b, scale, impulse, u));
        done = 1;
    }
    return ts_worse(worst, ts_share(sqrt(squared), ts_residual_unit(scale)));
}

// Judges blocks of one scale (block: which; NULL: the first `count`) on top of what out holds. `given` is the scale, or NULL:
// that of these blocks. Blocks that nothing can move take the mean step of the others, so that an impossible demand on
// them still shows.
static void judge(const ts_contact_problem* problem, const int* block, int count, const ts_residual_scale* given,
                  const double* impulse, const double* u, slip_direction* direction, ts_residual* out) {
    static const tally nothing;
    tally t = nothing;
    int others = 0;
    for (int k = 0, done; k < count; k += done) {
        done = judge_four(problem, (ts_block_range){block, k, count - k}, impulse, u, &t, out);
        if (done > 0) continue;
        others = 1;
        judge_block(problem, block ? block[k] : k, impulse, u, &t, out);
        done = 1;
    }
    ts_residual_scale scale = given ? *given : scale_of(problem, &t);
    for (int k = 0; k < count && t.unmoved > 0; ++k) {
        int b = block ? block[k] : k;
        if (!(stiffness_of(problem, b) > 0.0))
            out->natural = ts_worse(out->natural, ts_residual_natural(problem, b, &scale, impulse, u));
    }
    if (others) {
        ts_law_residual_worsen(&out->lcp, &t.others);
        ts_law_residual_worsen(&out->ccp, &t.others);
        ts_law_residual_worsen(&out->ncp, &t.others);
    }
    out->natural = ts_worse(out->natural, ts_share(sqrt(t.natural_squared), ts_residual_unit(&scale)));
    if (t.direction.work <= ts_residual_least_work * ts_residual_unit(&scale) * scale.velocity) return;
    direction->across += t.direction.across;
    direction->opposed += t.direction.opposed;
}

// rad; of nothing, which begins at 0 and only grows, 0.
static double angle_of(const slip_direction* direction) {
    if (direction->across == 0.0 && direction->opposed == 0.0) return 0.0;
    return atan2(direction->across, direction->opposed);
}

void ts_residual_of_block(const ts_contact_problem* problem, int b, const ts_residual_scale* scale,
                          const double* impulse, const double* u, ts_residual* out_residual) {
    static const ts_residual zero;
    slip_direction direction = {0.0, 0.0, 0.0};
    *out_residual = zero;
    judge(problem, &b, 1, scale, impulse, u, &direction, out_residual);
    out_residual->slip_angle = angle_of(&direction);
}

void ts_residual_from_velocity(const ts_contact_problem* problem, const ts_islands* islands, const double* impulse,
                               const double* u, ts_residual* out_residual) {
    static const ts_residual zero;
    slip_direction direction = {0.0, 0.0, 0.0};
    int apart = islands && islands->block;
    *out_residual = zero;
    for (int i = 0; i < (apart ? islands->count : 1); ++i) {
        const int* block = apart ? islands->block + islands->start[i] : NULL;
        int count = apart ? islands->start[i + 1] - islands->start[i] : problem->block_count;
        judge(problem, block, count, NULL, impulse, u, &direction, out_residual);
    }
    out_residual->slip_angle = angle_of(&direction);
}

void ts_residual_evaluate(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch, double* out_u,
                          ts_residual* out_residual) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* u = out_u ? out_u : TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (!u) {
        static const ts_residual zero;
        ts_law_residual unknown = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        *out_residual = zero;
        out_residual->lcp = out_residual->ccp = out_residual->ncp = unknown;
        out_residual->natural = HUGE_VAL;
        ts_arena_scope_end(scratch, scope);
        return;
    }
    ts_contact_problem_velocity(problem, impulse, u);
    ts_residual_from_velocity(problem, NULL, impulse, u, out_residual);
    ts_arena_scope_end(scratch, scope);
}
