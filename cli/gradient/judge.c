// What differences make of a gradient.
//
// Problem: differences err by curvature at long increments and by rounding at short ones, and are wrong altogether across a kink. What do they say as
// increments go to zero, and how well?
// Rule: only runs count whose contacts and rows do in every step what those of the shortest increment do: a kink further away is then no
// concern. Of those, Richardson's extrapolation of neighbours; of all of these the one that changes least to its neighbours, and its change is its error.
// Where left and right have the same modes, or the same limit, central differences decide; else both sides are told.
// Known to fail: a kink nearer than the shortest increment (3e-10 of the scale) is one at the start; a loss whose rounding hides its slope is told as
// useless when the gradient does not lie within the error of differences.
#include "cli/gradient/gradient_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = TS_GRADIENT_INCREMENTS };

// 1: gradient and differences agree when they are no more apart than this share, beside the error of differences; shares of the largest entry; sides
// part when they do by more than this.
static const double agree = 1e-6, agree_with_most = 1e-9, part_by = 1e-5;

// Of the loss, per scale of an input: slopes of less are none, nor are jumps.
static const double no_slope = 1e-20;

// 1: of the largest entry: what smaller ones are compared with.
static const double share_of_most = 1e-3;

// 1: what solves to 1e-12 leave in a loss.
static const double noise = 1e-12;

// 1: a part of a change that is open by more is more than rounding.
static const double open_share = 1e-8;

// 1: increments that are told of smoothing agree this well.
static const double roughly = 0.05;

// Fewest increments with the same modes that a limit is taken from; else all count.
enum { FEWEST = 4 };

// How many of the shortest increments, on the sides asked for, have modes as the very shortest has.
static int same_modes(const ts_gradient_entry* e, int left, int right) {
    int count = 0;
    for (int j = N - 1; j >= 0; --j, ++count) {
        if (left && e->modes[0][j] != e->modes[0][N - 1]) break;
        if (right && e->modes[1][j] != e->modes[1][N - 1]) break;
    }
    return count;
}

// `factor`: by how much errors of neighbours differ: the ratio of increments to the power of their order.
static ts_gradient_limit limit_of(const double* value, const double* increment, int count, double factor, double size) {
    ts_gradient_limit best = {(double)NAN, HUGE_VAL, 0.0};
    double previous = (double)NAN;
    for (int j = N - count; j + 1 < N; ++j) {
        double estimate = (factor * value[j + 1] - value[j]) / (factor - 1.0);
        double error = fabs(estimate - previous) + noise * size / increment[j + 1];
        if (error < best.error) best = (ts_gradient_limit){estimate, error, increment[j]};
        previous = estimate;
    }
    return best;
}

static void find_limits(const ts_gradient* self, ts_gradient_entry* e) {
    double most = fmax(fabs(e->left[0]), fabs(e->right[0])) * e->increment[0];
    double size = fmax(fabs(self->loss), isfinite(most) ? most : 0.0), ratio = e->increment[0] / e->increment[1];
    int both = same_modes(e, 1, 1), left = same_modes(e, 1, 0), right = same_modes(e, 0, 1);
    e->centre_limit = limit_of(e->central, e->increment, both < FEWEST ? N : both, ratio * ratio, size);
    e->left_limit = limit_of(e->left, e->increment, left < FEWEST ? N : left, ratio, size);
    e->right_limit = limit_of(e->right, e->increment, right < FEWEST ? N : right, ratio, size);
}

// The most that any input does to the loss: what is not a rounding of that is none of the loss.
static double range_of(const ts_gradient* self) {
    double range = 0.0;
    for (int i = 0; i < self->inputs.count; ++i) {
        const ts_gradient_entry* e = &self->entry[i];
        double most = fmax(fabs(e->left[0]), fabs(e->right[0])) * e->increment[0];
        if (isfinite(most)) range = fmax(range, most);
    }
    return range;
}

// The loss does not come back to its value however short the way: beyond rounding, beside all that the input does to it.
static int jumps(const ts_gradient* self, const ts_gradient_entry* e, const double* side) {
    double first = fabs(side[N - 1] * e->increment[N - 1]), second = fabs(side[N - 3] * e->increment[N - 3]);
    double most = fmax(fabs(e->left[0]), fabs(e->right[0])) * e->increment[0];
    return first > fmax(1e-7 * fmax(fabs(self->loss), most), fmax(noise * range_of(self), no_slope)) &&
           first > 0.9 * second;
}

// The longest increment from which on differences agree roughly, 0: none.
static double smooths_from(const ts_gradient_entry* e) {
    double from = 0.0;
    for (int j = 0; j < N - 5; ++j)
        if (fabs(e->central[j] - e->backward) <= roughly * fabs(e->backward)) from = e->increment[j];
    return from;
}

static void judge_sides(const ts_gradient* self, ts_gradient_entry* e, double slack) {
    double l = e->left_limit.value, r = e->right_limit.value, g = e->backward;
    double at_left = slack + agree * fabs(l) + 3.0 * e->left_limit.error,
           at_right = slack + agree * fabs(r) + 3.0 * e->right_limit.error;
    int is_left = fabs(g - l) <= at_left, is_right = fabs(g - r) <= at_right;
    int between = g >= fmin(l, r) - at_left - at_right && g <= fmax(l, r) + at_left + at_right;
    (void)self;
    e->verdict = between || is_left || is_right ? TS_GRADIENT_ONE_SIDED : TS_GRADIENT_USELESS;
    snprintf(e->reason, sizeof e->reason, "the slope is %.6g to the left and %.6g to the right; the gradient is %s", l,
             r,
             is_left && is_right ? "both"
             : is_left           ? "that to the left"
             : is_right          ? "that to the right"
             : between           ? "between them"
                                 : "neither");
}

static void judge_centre(ts_gradient_entry* e, double slack) {
    const ts_gradient_limit* c = &e->centre_limit;
    double apart = fabs(e->backward - c->value), from = 0.0;
    double size = fmax(fabs(e->backward), fabs(c->value));
    if (apart <= slack + agree * size + 3.0 * c->error) {
        e->verdict = TS_GRADIENT_EXACT;
        snprintf(e->reason, sizeof e->reason, "differences agree to %.1e", e->apart);
    } else if (e->backward != 0.0 && (from = smooths_from(e)) > 0.0) {
        e->verdict = TS_GRADIENT_SMOOTHED;
        snprintf(e->reason, sizeof e->reason,
                 "the slope here is %.6g; over increments of %.1g and more differences are the gradient's %.6g",
                 c->value, from, e->backward);
    } else {
        e->verdict = TS_GRADIENT_USELESS;
        snprintf(e->reason, sizeof e->reason, "the slope is %.6g, and the gradient says %.6g", c->value, e->backward);
    }
}

static void judge_entry(const ts_gradient* self, double slack, ts_gradient_entry* e) {
    find_limits(self, e);
    const ts_gradient_limit *l = &e->left_limit, *r = &e->right_limit;
    double bend = fabs(r->value - l->value);
    double size = fmax(fmax(fabs(e->backward), fabs(e->centre_limit.value)), slack * share_of_most / agree_with_most);
    e->apart = size > 0.0 ? fabs(e->backward - e->centre_limit.value) / size : 0.0;
    double rounding = part_by * fmax(fabs(l->value), fabs(r->value)) + slack + 3.0 * (l->error + r->error);
    if (!isfinite(e->backward)) {
        e->verdict = TS_GRADIENT_USELESS;
        snprintf(e->reason, sizeof e->reason, "there is no gradient: %.200s",
                 self->gradient.code ? self->gradient.message : "the loss, or its slope, is no finite number");
    } else if (jumps(self, e, e->left) || jumps(self, e, e->right)) {
        e->verdict = TS_GRADIENT_USELESS;
        snprintf(e->reason, sizeof e->reason, "the loss jumps here");
    } else if (bend > rounding || !isfinite(bend)) {
        judge_sides(self, e, slack);
    } else {
        judge_centre(e, slack);
    }
}

// The felt kink nearest to the start, or NULL.
static const ts_gradient_kink* nearest_felt(const ts_gradient* self) {
    const ts_gradient_kink* best = NULL;
    for (int k = 0; k < self->kink_count; ++k)
        if (self->kink[k].felt && (!best || fabs(self->kink[k].at) < fabs(best->at))) best = &self->kink[k];
    return best;
}

// What changes at the start, by the shortest increments of an input.
static void name_kink(ts_gradient* self, ts_crew* crew, int input, char out_what[TS_GRADIENT_WORDS]) {
    double change[2][TS_INPUTS_MOST];
    int step = -1;
    memset(change, 0, sizeof change);
    change[0][input] = -self->entry[input].increment[N - 1];
    change[1][input] = self->entry[input].increment[N - 1];
    char what[TS_GRADIENT_WORDS];
    ts_crew_name_difference(crew, change[0], change[1], &step, what);
    if (step >= 0)
        snprintf(out_what, TS_GRADIENT_WORDS, "%.170s in step %d (t = %.6g s)", what, step, step * self->time_step);
    else
        snprintf(out_what, TS_GRADIENT_WORDS, "%s", what);
}

static void conclude(ts_gradient* self, ts_crew* crew, int worst) {
    const ts_gradient_entry* e = &self->entry[worst];
    const ts_gradient_kink* kink = nearest_felt(self);
    char what[TS_GRADIENT_WORDS];
    self->verdict = e->verdict;
    if (!self->gradient.code && e->verdict == TS_GRADIENT_EXACT) {
        double apart = 0.0;
        for (int i = 0; i < self->inputs.count; ++i) apart = fmax(apart, self->entry[i].apart);
        int length = snprintf(self->reason, sizeof self->reason, "differences agree with it to %.1e; ", apart);
        if (kink)
            snprintf(self->reason + length, sizeof self->reason - (size_t)length,
                     "it holds along the line up to the kink at %+.3g, where %.200s", kink->at, kink->what);
        else
            snprintf(self->reason + length, sizeof self->reason - (size_t)length,
                     "the line has no kink within %.3g that the loss feels", self->span);
        return;
    }
    if (self->gradient.code) {
        snprintf(self->reason, sizeof self->reason, "%.250s", e->reason);
        return;
    }
    name_kink(self, crew, worst, what);
    if (e->verdict > TS_GRADIENT_ONE_SIDED && self->open > open_share)
        snprintf(
            what, sizeof what,
            "contacts are hyperstatic in step %d (t = %.6g s), and how they share their load turns %.2g of a change",
            self->open_step, self->open_step * self->time_step, self->open);
    snprintf(self->reason, sizeof self->reason, "by %s %s: %.200s", self->inputs.input[worst].label, e->reason, what);
}

void ts_gradient_judge(ts_gradient* self, ts_crew* crew) {
    int worst = 0;
    double most = 0.0;
    for (int i = 0; i < self->inputs.count; ++i)
        if (isfinite(self->entry[i].backward))
            most = fmax(most, self->inputs.input[i].scale * fabs(self->entry[i].backward));
    for (int i = 0; i < self->inputs.count; ++i) {
        double slack = (agree_with_most * most + no_slope) / self->inputs.input[i].scale;
        judge_entry(self, slack, &self->entry[i]);
        if (self->entry[i].verdict > self->entry[worst].verdict) worst = i;
    }
    conclude(self, crew, worst);
}
