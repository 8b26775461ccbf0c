// ncp beside the best of Siconos, problem by problem.
//
// Problem: say how much faster one is, on a machine whose speed drifts and that others use. Rule: whoever of Siconos
// came within twice its best time to 1e-8 in the contest, and ncp, solve the problem in turn, again and again; who
// begins moves on from round to round. Quoted are medians; "best" is the Siconos solver with the lowest one, chosen per
// problem. The spread is that of the ratio of a round (10 % and 90 %), in which both saw the same machine. Both start
// from nothing and must reach the same two measures: our natural map and Siconos' own error function. Ours is timed
// over all its attempts, Siconos over its last one only, with the tolerance that is known to do.
// Known to fail: a Siconos solver that failed or was given up in the contest is not asked again.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/contact_contest.h"
#include "bench/contact_peer.h"
#include "bench/stopwatch.h"

#ifdef TS_PEER_SICONOS

enum { LAST = TS_CONTEST_TOLERANCES - 1, ROUNDS = 31, ROUNDS_LEAST = 5, RIVALS = TS_SICONOS_SOLVERS };

static const double tightest = 1e-8;

// Rounds go on for about this long on a problem, s.
static const double duel_seconds = 1.5;
// A Siconos solver this much slower than the best of them is not asked again.
static const double rival_factor = 2.0;

// The two sides on one problem.
typedef struct duel {
    int rival[RIVALS];  // runners
    int rivals;
    int rounds;
    double ours[ROUNDS];
    double theirs[RIVALS][ROUNDS];
} duel;

// What a problem came to.
typedef struct verdict {
    ts_bench_sample ours;
    ts_bench_sample theirs;
    ts_bench_sample ratio;  // theirs / ours, round by round
    int best;               // runner; -1: none of Siconos' got there
} verdict;

static int find_runner(const ts_contest* c, const char* name) {
    for (int k = 0; k < c->runners; ++k)
        if (strcmp(c->runner[k].name, name) == 0) return k;
    return -1;
}

static void choose_rivals(const ts_contest* c, int problem, duel* d) {
    double best = HUGE_VAL;
    d->rivals = 0;
    for (int k = 0; k < c->runners; ++k)
        if (!c->runner[k].solver) best = fmin(best, ts_contest_outcome_of(c, problem, k)->seconds[LAST]);
    for (int k = 0; k < c->runners && d->rivals < RIVALS; ++k)
        if (!c->runner[k].solver && ts_contest_outcome_of(c, problem, k)->seconds[LAST] <= rival_factor * best)
            d->rival[d->rivals++] = k;
}

static double solve_ours(ts_contest* c, const ts_contest_runner* r, const ts_contact_problem* p, double* impulse) {
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_contest_settings(r->solver, p, settings);
    ts_stopwatch watch = ts_stopwatch_begin();
    ts_relative_report report = ts_relative_solve(r->solver, p, settings, tightest, NULL, &c->scratch, impulse);
    // Judging is in nobody's time; the processor's may be less than the wall clock's.
    double seconds = fmin(report.seconds, ts_stopwatch_seconds(watch));
    ts_arena_reset(&c->scratch);
    return seconds;
}

static double solve_theirs(const ts_contest* c, int problem, int k, double* impulse) {
    const ts_contact_problem* p = &c->set.problem[problem].problem;
    int attempt = ts_contest_outcome_of(c, problem, k)->attempt, siconos = c->runner[k].siconos, iterations = 0;
    double seconds = HUGE_VAL;
    ts_siconos_solve(p, siconos, tightest * pow(0.1, attempt), ts_contest_siconos_limit(siconos, p), impulse,
                     &iterations, &seconds);
    return seconds;
}

// Everyone in turn. Returns 0 when memory is short or it was stopped.
static int fight(ts_contest* c, int problem, int ours, duel* d) {
    const ts_contact_problem* p = &c->set.problem[problem].problem;
    const ts_contest_runner* r = &c->runner[ours];
    double* impulse = TS_ARENA_ARRAY(&c->arena, double, p->row_count);
    if (!impulse) return 0;
    double begin = ts_clock_seconds();
    int sides = d->rivals + 1;
    for (d->rounds = 0; d->rounds < ROUNDS; ++d->rounds) {
        if (d->rounds >= ROUNDS_LEAST && ts_clock_seconds() - begin > duel_seconds) break;
        if (ts_bench_progress(c->report, -1.0, 1.0)) return 0;
        for (int turn = 0; turn < sides; ++turn) {
            int side = (turn + d->rounds) % sides;
            if (side == d->rivals)
                d->ours[d->rounds] = solve_ours(c, r, p, impulse);
            else
                d->theirs[side][d->rounds] = solve_theirs(c, problem, d->rival[side], impulse);
        }
    }
    return 1;
}

static verdict judge(duel* d) {
    verdict v;
    double ratio[ROUNDS];
    int side = -1;
    memset(&v, 0, sizeof v);
    v.best = -1;
    v.theirs.median = HUGE_VAL;
    for (int s = 0; s < d->rivals; ++s) {
        double sorted[ROUNDS];
        memcpy(sorted, d->theirs[s], sizeof sorted);
        ts_bench_sample sample = ts_bench_summarise(sorted, d->rounds);
        if (!(sample.median < v.theirs.median)) continue;
        v.theirs = sample;
        v.best = d->rival[s];
        side = s;
    }
    for (int k = 0; k < d->rounds && side >= 0; ++k) ratio[k] = d->theirs[side][k] / d->ours[k];
    v.ratio = ts_bench_summarise(ratio, side >= 0 ? d->rounds : 0);
    v.ours = ts_bench_summarise(d->ours, d->rounds);
    return v;
}

static ts_bench_table* begin_table(const ts_contest* c) {
    static const char* const head[][2] = {{"problem", ""},
                                          {"contacts", ""},
                                          {"ncp", "us"},
                                          {"best of Siconos", "us"},
                                          {"which", ""},
                                          {"ratio", ""},
                                          {"10 %", ""},
                                          {"90 %", ""},
                                          {"rounds", ""},
                                          {"natural", ""},
                                          {"Siconos' error", ""},
                                          {"natural, theirs", ""},
                                          {"Siconos' error, theirs", ""}};
    ts_bench_table* table =
        ts_bench_add_table(c->report, "siconos", "ncp beside the best of Siconos, to 1e-8: medians of rounds in turn");
    for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i) ts_bench_add_column(table, head[i][0], head[i][1]);
    return table;
}

static void add_row(const ts_contest* c, ts_bench_table* table, int problem, int ours, const verdict* v) {
    const ts_bench_contact_problem* p = &c->set.problem[problem];
    const ts_contest_outcome *o = ts_contest_outcome_of(c, problem, ours),
                             *t = v->best >= 0 ? ts_contest_outcome_of(c, problem, v->best) : NULL;
    double unknown = (double)NAN;
    ts_bench_row(table);
    ts_bench_text(table, "%s", p->name);
    ts_bench_number(table, p->problem.block_count);
    ts_bench_number(table, 1e6 * v->ours.median);
    ts_bench_number(table, t ? 1e6 * v->theirs.median : unknown);
    ts_bench_text(table, "%s", t ? c->runner[v->best].name : "none got there");
    ts_bench_number(table, t ? v->theirs.median / v->ours.median : unknown);
    ts_bench_number(table, v->ratio.p10);
    ts_bench_number(table, v->ratio.p90);
    ts_bench_number(table, v->ours.count);
    ts_bench_number(table, o->error.natural);
    ts_bench_number(table, o->error.two_norm);
    ts_bench_number(table, t ? t->error.natural : unknown);
    ts_bench_number(table, t ? t->error.two_norm : unknown);
}

// A geometric mean and the lowest ratio above ten contacts.
typedef struct tally {
    double logs;
    int count;
    double worst;
    int worst_at;
    int missed;  // problems that ncp did not solve
    int alone;   // and that only ncp solved
} tally;

static void count_in(tally* t, const ts_bench_contact_problem* p, int problem, int solved, const verdict* v) {
    if (!solved) {
        ++t->missed;
        return;
    }
    if (v->best < 0) {
        ++t->alone;
        return;
    }
    double ratio = v->theirs.median / v->ours.median;
    t->logs += log(ratio);
    ++t->count;
    if (p->problem.block_count <= 10 || ratio >= t->worst) return;
    t->worst = ratio;
    t->worst_at = problem;
}

static void tell(const ts_contest* c, const char* which, const tally* t) {
    if (t->count + t->missed + t->alone == 0) return;
    if (t->count > 0)
        ts_bench_note(c->report,
                      "%s: ncp is %.2f times as fast as the best of Siconos per problem (geometric mean of %d).", which,
                      exp(t->logs / t->count), t->count);
    if (t->worst_at >= 0)
        ts_bench_note(c->report, "%s: the lowest ratio above ten contacts is %.2f, on %s.", which, t->worst,
                      c->set.problem[t->worst_at].name);
    if (t->missed > 0)
        ts_bench_note(c->report, "%s: ncp did not get to 1e-8 on %d, which no mean counts.", which, t->missed);
    if (t->alone > 0)
        ts_bench_note(c->report, "%s: none of Siconos' got to 1e-8 on %d, which no mean counts.", which, t->alone);
}

void ts_contest_duel(ts_contest* c) {
    ts_bench_table* table = begin_table(c);
    int ours = find_runner(c, "ncp");
    tally files = {0.0, 0, HUGE_VAL, -1, 0, 0}, all = files;
    for (int p = 0; p < c->set.count && ours >= 0 && !c->report->stopped; ++p) {
        const ts_bench_contact_problem* problem = &c->set.problem[p];
        if (!ts_siconos_takes(&problem->problem)) continue;
        duel d = {.rivals = 0};
        verdict v = {.best = -1};
        int solved = isfinite(ts_contest_outcome_of(c, p, ours)->seconds[LAST]);
        choose_rivals(c, p, &d);
        if (solved && !fight(c, p, ours, &d)) d.rounds = 0;
        ts_arena_reset(&c->arena);
        v = judge(&d);
        add_row(c, table, p, ours, &v);
        if (problem->from_file) count_in(&files, problem, p, solved, &v);
        count_in(&all, problem, p, solved, &v);
    }
    tell(c, "Recorded files", &files);
    tell(c, "All problems", &all);
}

#else

void ts_contest_duel(ts_contest* c) { (void)c; }

#endif
