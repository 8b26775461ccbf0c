// Where along the line some contact or joint row does something else.
//
// Problem: the loss along a line is smooth between places where a mode changes in some step. Where are they, and does the loss feel them?
// Rule: between two places whose runs differ in modes a change is found by bisection, the first from the side of the start; then what is left of that piece is searched
// on. Beside each, slopes come from two differences to either side, and the jump from what they leave.
// Known to fail: two changes between neighbouring places that undo each other are not seen, nor are more than a few in one piece.
#include "cli/gradient/gradient_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// 1: of the line: how exactly a kink is found, and how far from it slopes are taken.
static const double exactly = 1e-13, beside = 1e-5;

// 1: of the line: kinks that are nearer than this are one.
static const double same_place = 1e-8;

// 1: a change of slope by less than this share is not told from noise; so is a jump by less than this share of the loss.
static const double felt_slope = 1e-4, felt_jump = 1e-9;

enum { ROUNDS = 45, IN_PIECE = 3 };

// A piece of the line that has a change in it.
typedef struct piece {
    double from;  // the end nearer to the start
    double to;
    double end;  // of what is to be searched
    uint64_t modes_from;
    uint64_t modes_end;
    int found;
} piece;

typedef struct search {
    ts_gradient* audit;
    ts_crew* crew;
    double* change;  // (trials x inputs)
    ts_trial* trial;
} search;

// Runs at these places of the line.
static int ask(search* s, const double* place, int count) {
    int inputs = s->audit->inputs.count;
    memset(s->trial, 0, (size_t)count * sizeof *s->trial);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < inputs; ++i) s->change[k * inputs + i] = place[k] * s->audit->direction[i];
        s->trial[k].change = s->change + k * inputs;
    }
    return ts_crew_run(s->crew, s->trial, count);
}

static int nearer(const void* a, const void* b) {
    double x = fabs(((const piece*)a)->from), y = fabs(((const piece*)b)->from);
    return (x > y) - (x < y);
}

// Pieces between neighbouring places that differ, the nearest to the start first.
static int list_pieces(const ts_gradient* self, const uint64_t* modes, piece* out) {
    int count = 0;
    for (int k = 0; k + 1 < TS_GRADIENT_PLACES; ++k) {
        if (modes[k] == modes[k + 1] || !isfinite(self->course[k]) || !isfinite(self->course[k + 1])) continue;
        int up = self->place[k] >= 0.0, from = up ? k : k + 1, to = up ? k + 1 : k;
        out[count++] = (piece){self->place[from], self->place[to], self->place[to], modes[from], modes[to], 0};
    }
    qsort(out, (size_t)count, sizeof *out, nearer);
    return count < TS_GRADIENT_KINKS ? count : TS_GRADIENT_KINKS;
}

// Halves all pieces at once. Returns 0 when interrupted.
static int bisect(search* s, piece* all, int count) {
    double place[TS_GRADIENT_KINKS];
    for (int round = 0; round < ROUNDS; ++round) {
        int index[TS_GRADIENT_KINKS], open = 0;
        for (int p = 0; p < count; ++p)
            if (!all[p].found && fabs(all[p].to - all[p].from) > exactly * s->audit->span) {
                index[open] = p;
                place[open++] = 0.5 * (all[p].from + all[p].to);
            }
        if (open == 0) break;
        if (!ask(s, place, open)) return 0;
        for (int k = 0; k < open; ++k) {
            piece* p = &all[index[k]];
            if (s->trial[k].modes == p->modes_from)
                p->from = place[k];
            else
                p->to = place[k];
        }
    }
    return 1;
}

// Slopes to both sides of a kink that is found, and its name.
static int look_at(search* s, double before, double after, ts_gradient_kink* out) {
    double e = beside * s->audit->span, at = 0.5 * (before + after), low = fmin(before, after);
    double place[4] = {at - 2.0 * e, at - e, at + e, at + 2.0 * e};
    if (!ask(s, place, 4)) return 0;
    double f[4], size = fabs(s->audit->loss), slope = s->audit->slope;
    for (int k = 0; k < 4; ++k) f[k] = s->trial[k].loss;
    for (int k = 0; k < 4; ++k) size = fmax(size, fabs(f[k]));
    memset(out, 0, sizeof *out);
    out->at = at;
    out->slope[0] = (f[1] - f[0]) / e;
    out->slope[1] = (f[3] - f[2]) / e;
    out->jump = f[2] - f[1] - e * (out->slope[0] + out->slope[1]);
    double bend = fabs(out->slope[1] - out->slope[0]), most = fmax(fabs(out->slope[0]), fabs(out->slope[1]));
    // A jump takes its size within the bisection, a bend what is left of it over 2 e.
    int jumps = fabs(out->jump) > felt_jump * size && fabs(out->jump) > 4.0 * e * bend;
    out->felt = jumps ||
                bend > fmax(felt_slope * fmax(most, isfinite(slope) ? slope : 0.0), 1e3 * DBL_EPSILON * size / e) ||
                !isfinite(bend);
    if (!jumps) out->jump = 0.0;
    int inputs = s->audit->inputs.count;
    for (int i = 0; i < inputs; ++i) {
        s->change[i] = low * s->audit->direction[i];
        s->change[inputs + i] = fmax(before, after) * s->audit->direction[i];
    }
    ts_crew_name_difference(s->crew, s->change, s->change + inputs, &out->step, out->what);
    return 1;
}

static int by_place(const void* a, const void* b) {
    double x = ((const ts_gradient_kink*)a)->at, y = ((const ts_gradient_kink*)b)->at;
    return (x > y) - (x < y);
}

// Keeps the newest kink unless it is one that is known.
static void keep_newest(ts_gradient* self) {
    ts_gradient_kink* newest = &self->kink[self->kink_count];
    for (int k = 0; k < self->kink_count; ++k)
        if (fabs(self->kink[k].at - newest->at) <= same_place * self->span) {
            ++self->kink[k].also;
            self->kink[k].felt |= newest->felt;
            return;
        }
    ++self->kink_count;
}

static int search_all(search* s, piece* all, int count) {
    ts_gradient* self = s->audit;
    for (int pass = 0; pass < IN_PIECE && self->kink_count < TS_GRADIENT_KINKS; ++pass) {
        int open = 0;
        if (!bisect(s, all, count)) return 0;
        for (int p = 0; p < count && self->kink_count < TS_GRADIENT_KINKS; ++p) {
            if (all[p].found) continue;
            if (!look_at(s, all[p].from, all[p].to, &self->kink[self->kink_count])) return 0;
            keep_newest(self);
            // What is left of the piece.
            double next = all[p].to;
            if (!ask(s, &next, 1)) return 0;
            all[p].from = next;
            all[p].modes_from = s->trial[0].modes;
            all[p].to = all[p].end;
            all[p].found = all[p].modes_from == all[p].modes_end;
            open += !all[p].found;
        }
        if (open == 0) break;
    }
    return 1;
}

ts_code ts_gradient_find_kinks(ts_gradient* self, ts_crew* crew, const uint64_t* modes, ts_status* out_status) {
    piece all[TS_GRADIENT_PLACES];
    size_t inputs = (size_t)self->inputs.count;
    search s = {.audit = self, .crew = crew};
    s.change = (double*)calloc(inputs * (TS_GRADIENT_KINKS + 4), sizeof *s.change);
    s.trial = (ts_trial*)calloc(TS_GRADIENT_KINKS + 4, sizeof *s.trial);
    int fine = s.change && s.trial;
    ts_code code = TS_OK;
    if (!fine)
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    else if (!search_all(&s, all, list_pieces(self, modes, all)))
        code = ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "interrupted");
    qsort(self->kink, (size_t)self->kink_count, sizeof *self->kink, by_place);
    free(s.change);
    free(s.trial);
    return code;
}
