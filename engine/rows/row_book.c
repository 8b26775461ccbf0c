// Whose the work of a row is.
//
// Problem: a row's impulse p works p (c + c+) / 2, with c and c+ the velocity of the row before and after the step; the books want to know
// whether that is an impact, a push-out, friction or a spring.
// Rule: the law says what the speed at the end is made of, c+ = c* - R p + u: what mends (c* > 0), what gives (-R p), and u, which is
// an opening or a slip. The speed at the beginning is shared out among the same: each takes what goes its way, no more than its own
// speed, for a steady push-out, creep or slip had it in the last step, too. What is left is new to the row: an approach that is stopped. So a
// push-out is no impact at any time, a body that creeps on soft contacts loses nothing to friction, and nothing is left over: the parts add
// up to p (c + c+) / 2 exactly.
// Where softness is a spring and damper, c* and R are both of it, and so is the approach; its friction is the spring's while it is within
// its bound.
// Known arbitrariness: where several causes act at a row, which one had the speed at the beginning; the order is that above.
#include <math.h>

#include "engine/rows/row_source_internal.h"

// What of `speed` goes the way of `own`, no more than that.
static double share(double speed, double own) {
    return own >= 0.0 ? fmax(0.0, fmin(speed, own)) : fmin(0.0, fmax(speed, own));
}

static double give_of(const ts_row_work* work, int r) {
    return (work->R ? -work->R[r] * work->impulse[r] : 0.0) + (work->soft ? work->reference[r] : 0.0);
}

// c+ less what the law makes of it.
static double rest_of(const ts_row_work* work, int r) {
    return work->after[r] - give_of(work, r) - (work->soft ? 0.0 : work->reference[r]);
}

void ts_row_book_push(const ts_row_work* work, int r, int bounces, ts_ledger_account stop, double* account) {
    double half = 0.5 * work->impulse[r], reference = work->soft ? 0.0 : work->reference[r];
    if (half == 0.0) return;
    double push = fmax(reference, 0.0), open = rest_of(work, r), give = give_of(work, r), left = work->before[r];
    double pushed = bounces ? 0.0 : share(left, push);
    left -= pushed;
    double opened = share(left, open);
    left -= opened;
    double given = work->soft ? left : share(left, give);
    left -= given;
    account[bounces ? TS_LEDGER_RESTITUTION : TS_LEDGER_STABILISATION] += half * (push + pushed);
    account[TS_LEDGER_VIOLATION] += half * (open + opened);
    account[TS_LEDGER_SOFTNESS] += half * (give + given);
    account[stop] += half * (fmin(reference, 0.0) + left);
}

// Of springs: what slides is friction, what holds is the spring.
static void book_soft_friction(const ts_row_work* work, int first, int count, const double* drive, int slides,
                               ts_ledger_account friction, double* account) {
    for (int r = first; r < first + count; ++r) {
        double p = work->impulse[r], run = drive ? drive[r] : 0.0;
        account[TS_LEDGER_SURFACE] += p * run;
        account[slides ? friction : TS_LEDGER_SOFTNESS] += p * (0.5 * (work->before[r] + work->after[r]) - run);
    }
}

void ts_row_book_friction(const ts_row_work* work, int first, int count, const double* drive, int slides,
                          ts_ledger_account friction, double* account) {
    double along = 0.0, squared = 0.0;
    if (work->soft) {
        book_soft_friction(work, first, count, drive, slides, friction, account);
        return;
    }
    for (int r = first; r < first + count; ++r) {
        double give = give_of(work, r);
        along += (work->before[r] - (drive ? drive[r] : 0.0)) * give;
        squared += give * give;
    }
    double part = squared > 0.0 ? fmax(0.0, fmin(along / squared, 1.0)) : 0.0;
    for (int r = first; r < first + count; ++r) {
        double p = work->impulse[r], run = drive ? drive[r] : 0.0, give = give_of(work, r);
        account[TS_LEDGER_SURFACE] += p * run;
        account[TS_LEDGER_STABILISATION] += 0.5 * p * (work->reference[r] - run);
        account[TS_LEDGER_SOFTNESS] += 0.5 * p * (1.0 + part) * give;
        account[friction] += 0.5 * p * (work->before[r] - run - part * give + rest_of(work, r));
    }
}

// A row that holds both ways.
static void book_tie(const ts_row_work* work, int r, double* account) {
    double half = 0.5 * work->impulse[r], mend = work->soft ? 0.0 : work->reference[r];
    double give = give_of(work, r), rest = rest_of(work, r), left = work->before[r];
    double mended = share(left, mend);
    left -= mended;
    double rested = share(left, rest);
    left -= rested;
    double given = work->soft ? left : share(left, give);
    account[TS_LEDGER_STABILISATION] += half * (mend + mended);
    account[TS_LEDGER_VIOLATION] += half * (rest + rested);
    account[TS_LEDGER_SOFTNESS] += half * (give + given);
    account[TS_LEDGER_EQUALITY] += half * (left - given);
}

void ts_row_book_block(const ts_sim* sim, int b, const ts_row_work* work, double* account) {
    const ts_row_source* source = ts_row_source_at(sim->row_block[b].source);
    const ts_block* block = &sim->problem.block[b];
    if (source->book) {
        source->book(sim, b, work, account);
        return;
    }
    if (block->set == TS_SET_HALF_LINE) {
        ts_row_book_push(work, 0, 0, TS_LEDGER_LIMIT, account);
    } else if (block->set == TS_SET_BOX) {
        int slides = ts_row_is_at_bound(fabs(work->impulse[0]), work->impulse[0] < 0.0 ? -block->low : block->high);
        ts_row_book_friction(work, 0, 1, NULL, slides, TS_LEDGER_DRY_FRICTION, account);
    } else {
        for (int r = 0; r < block->rows; ++r) book_tie(work, r, account);
    }
}
