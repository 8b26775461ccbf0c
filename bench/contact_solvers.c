// Contact solvers on a set of problems: time to 1e-4, 1e-6 and 1e-8, failures, performance profiles, and Siconos
// beside.
//
// Every answer is judged afresh (contact/judge/relative.c) before its time counts, Siconos' too; and our error function is
// compared with Siconos' own on the same answers. A time is the shortest of several solves, from nothing to the
// tolerance, all attempts of a solver included; converting matrices is in nobody's time.
// Profiles: Dolan and More 2002. The part of the problems that a solver solves within a factor tau of the fastest
// solver. Solvers of the exact law and of others have a profile each for their tolerance: they answer different
// questions.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/contact_contest.h"
#include "bench/contact_peer.h"
#include "bench/stopwatch.h"

enum { TOLERANCES = TS_CONTEST_TOLERANCES, REPEATS = 10 };

static const double tolerance[TOLERANCES] = {1e-4, 1e-6, 1e-8};

// Short solves are repeated for about this long, s.
static const double repeat_seconds = 0.02;
// A solver that took longer on a problem, s, is not asked about larger ones of its family.
static const double patience_seconds = 15.0;
// Blocks times iterations that a solver with an iteration limit may spend.
static const double work_most = 4e6;

static void add_runner(ts_contest* c, const char* name, const ts_solver* solver, int siconos, ts_contact_law law) {
    if (c->runners == TS_CONTEST_RUNNERS) return;
    ts_contest_runner r = {name, solver, siconos, law};
    c->runner[c->runners++] = r;
}

static void choose_runners(ts_contest* c) {
    for (int i = 0; i < ts_solver_count(); ++i)
        add_runner(c, ts_solver_at(i)->name, ts_solver_at(i), 0, ts_solver_at(i)->law);
#ifdef TS_PEER_SICONOS
    for (int i = 0; i < TS_SICONOS_SOLVERS; ++i) add_runner(c, ts_siconos_name[i], NULL, i, TS_LAW_NCP);
#endif
}

// Iterations that are given to whoever counts them; Siconos' gets as many.
static int iteration_limit(const ts_contact_problem* problem) {
    double limit = work_most / (problem->block_count > 0 ? problem->block_count : 1);
    return limit > 10000.0 ? 10000 : (limit < 500.0 ? 500 : (int)limit);
}

void ts_contest_settings(const ts_solver* solver, const ts_contact_problem* problem, void* out_settings) {
    ts_solver_default_settings(solver, out_settings);
    ts_solver_set(solver, out_settings, "iteration_limit", iteration_limit(problem), NULL);
}

// Its Newton either gets there in tens of iterations or not at all.
int ts_contest_siconos_limit(int siconos, const ts_contact_problem* problem) {
    return siconos == 1 ? 500 : iteration_limit(problem);
}

// --- one solve ---------------------------------------------------------------------------------------------------------

#ifdef TS_PEER_SICONOS
// What rounding may add to the error function: products are summed in another order there.
static double rounding_of(const ts_contact_problem* problem, const double* impulse) {
    double stiffest = 0.0, largest = 0.0, squares = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        for (int k = 0; k < 9; ++k) stiffest = fmax(stiffest, fabs(D[k]));
    }
    for (int i = 0; i < problem->row_count; ++i) {
        largest = fmax(largest, fabs(impulse[i]));
        squares += problem->g[i] * problem->g[i];
    }
    return 64.0 * DBL_EPSILON * sqrt(problem->row_count) * largest * (1.0 + stiffest) / fmax(sqrt(squares), DBL_MIN);
}

// |g| by what Siconos divides by: the largest of |g|, |u| and |lambda|.
static double scaling_of(const ts_contact_problem* problem, const double* impulse, const double* u) {
    double g = 0.0, v = 0.0, l = 0.0;
    for (int i = 0; i < problem->row_count; ++i) {
        g += problem->g[i] * problem->g[i];
        v += u[i] * u[i];
        l += impulse[i] * impulse[i];
    }
    return sqrt(g) / sqrt(fmax(g, fmax(v, l)));
}

// What answers of the exact law are asked for: our natural map, and Siconos' own error function.
static ts_relative_error judge(ts_contest* c, const ts_contact_problem* problem, const double* impulse) {
    ts_residual residual;
    double* u = TS_ARENA_ARRAY(&c->arena, double, problem->row_count);
    ts_relative_error error = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    if (!u) return error;
    ts_residual_evaluate(problem, impulse, &c->arena, u, &residual);
    error = ts_relative_error_of(problem, TS_LAW_NCP, impulse, u, &residual);
    double theirs = ts_siconos_error(problem, impulse), noise = rounding_of(problem, impulse);
    if (theirs >= 0.0 && isfinite(theirs)) {
        double ours = error.two_norm * scaling_of(problem, impulse, u), apart = fabs(theirs - ours) - noise;
        c->worst_disagreement = fmax(c->worst_disagreement, apart / fmax(theirs, ours));
        ++c->compared;
        error.two_norm = theirs;
    }
    return error;
}
#endif

static void run_ours(ts_contest* c, const ts_contest_runner* r, const ts_contact_problem* problem,
                     ts_contest_outcome* out) {
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    double* impulse = TS_ARENA_ARRAY(&c->arena, double, problem->row_count);
    ts_contest_settings(r->solver, problem, settings);
    if (!impulse) return;
    out->asked = 1;
    for (int t = 0; t < TOLERANCES && !c->report->stopped; ++t) {
        double begin = ts_clock_seconds(), shortest = HUGE_VAL;
        ts_relative_report report;
        for (int k = 0; k < REPEATS; ++k) {
            ts_stopwatch watch = ts_stopwatch_begin();
            report = ts_relative_solve(r->solver, problem, settings, tolerance[t], NULL, &c->scratch, impulse);
            shortest = fmin(shortest, fmin(report.seconds, ts_stopwatch_seconds(watch)));
            ts_arena_reset(&c->scratch);
            if (ts_clock_seconds() - begin + shortest > repeat_seconds) break;
        }
        out->iterations = report.iterations;
        out->error = report.error;
        if (report.status != TS_SOLVE_CONVERGED) return;
#ifdef TS_PEER_SICONOS
        // By the same measures as theirs: their error function is asked about our answers, too.
        if (r->law == TS_LAW_NCP && ts_siconos_takes(problem)) {
            out->error = judge(c, problem, impulse);
            if (!ts_relative_is_reached(&out->error, TS_LAW_NCP, tolerance[t])) return;
        }
#endif
        out->seconds[t] = shortest;
        if (shortest > patience_seconds) return;
    }
}

#ifdef TS_PEER_SICONOS
static void run_siconos(ts_contest* c, const ts_contest_runner* r, const ts_contact_problem* problem,
                        ts_contest_outcome* out) {
    double* impulse = TS_ARENA_ARRAY(&c->arena, double, problem->row_count);
    if (!impulse || !ts_siconos_takes(problem)) return;
    out->asked = 1;
    int limit = ts_contest_siconos_limit(r->siconos, problem);
    for (int t = 0; t < TOLERANCES && !c->report->stopped; ++t) {
        // Its own test need not mean that our natural map is as small: the first of three tolerances that does it
        // counts.
        double shortest = HUGE_VAL;
        for (int attempt = 0; attempt < 3 && !isfinite(out->seconds[t]); ++attempt) {
            double begin = ts_clock_seconds();
            shortest = HUGE_VAL;
            int reached = 0;
            for (int k = 0; k < REPEATS; ++k) {
                double seconds = 0.0;
                reached = ts_siconos_solve(problem, r->siconos, tolerance[t] * pow(0.1, attempt), limit, impulse,
                                           &out->iterations, &seconds);
                shortest = fmin(shortest, seconds);
                if (ts_clock_seconds() - begin + seconds > repeat_seconds) break;
            }
            out->error = judge(c, problem, impulse);
            out->attempt = attempt;
            if (ts_relative_is_reached(&out->error, TS_LAW_NCP, tolerance[t])) out->seconds[t] = shortest;
            if (!reached || shortest > patience_seconds) break;
        }
        if (!isfinite(out->seconds[t]) || shortest > patience_seconds) return;
    }
}
#endif

// The scene a problem is a step of; a file is its own family.
static int same_family(const ts_bench_contact_problem* a, const ts_bench_contact_problem* b) {
    size_t length = strcspn(a->name, " ");
    return !a->from_file && !b->from_file && length == strcspn(b->name, " ") && memcmp(a->name, b->name, length) == 0;
}

// Being slow on one family says nothing about another: only smaller problems of the same one count.
static int is_given_up(const ts_contest* c, int problem, int k) {
    for (int p = 0; p < problem; ++p)
        if (ts_contest_outcome_of(c, p, k)->slow && same_family(&c->set.problem[p], &c->set.problem[problem])) return 1;
    return 0;
}

static void run_one(ts_contest* c, int problem, int k) {
    ts_contest_outcome* out = ts_contest_outcome_of(c, problem, k);
    ts_contest_runner* r = &c->runner[k];
    for (int t = 0; t < TOLERANCES; ++t) out->seconds[t] = (double)NAN;
    if (is_given_up(c, problem, k)) {
        out->asked = 1;
        return;
    }
    double begin = ts_clock_seconds();
    if (r->solver) run_ours(c, r, &c->set.problem[problem].problem, out);
#ifdef TS_PEER_SICONOS
    else
        run_siconos(c, r, &c->set.problem[problem].problem, out);
#endif
    ts_arena_reset(&c->arena);
    ts_arena_reset(&c->scratch);
    if (ts_clock_seconds() - begin > patience_seconds) {
        out->slow = 1;
        ts_bench_note(c->report, "%s took more than %g s on %s and is not asked about larger ones of its kind.",
                      r->name, patience_seconds, c->set.problem[problem].name);
    }
}

// --- what is told ------------------------------------------------------------------------------------------------------

static void times_table(const ts_contest* c, int t) {
    char stem[48], title[200];
    snprintf(stem, sizeof stem, "times-%g", tolerance[t]);
    snprintf(title, sizeof title, "Time to %g, us (-: not solved, or not asked)", tolerance[t]);
    ts_bench_table* table = ts_bench_add_table(c->report, stem, title);
    ts_bench_add_column(table, "problem", "");
    ts_bench_add_column(table, "blocks", "");
    for (int k = 0; k < c->runners; ++k) ts_bench_add_column(table, c->runner[k].name, "us");
    for (int p = 0; p < c->set.count; ++p) {
        ts_bench_row(table);
        ts_bench_text(table, "%s", c->set.problem[p].name);
        ts_bench_number(table, c->set.problem[p].problem.block_count);
        for (int k = 0; k < c->runners; ++k) ts_bench_number(table, 1e6 * ts_contest_outcome_of(c, p, k)->seconds[t]);
    }
}

static void summary_table(const ts_contest* c) {
    ts_bench_table* table = ts_bench_add_table(c->report, "solvers", "Solvers: problems solved, failures, mean time");
    ts_bench_add_column(table, "solver", "");
    ts_bench_add_column(table, "law", "");
    ts_bench_add_column(table, "asked", "");
    char name[48];
    for (int t = 0; t < TOLERANCES; ++t) {
        snprintf(name, sizeof name, "to %g", tolerance[t]);
        ts_bench_add_column(table, name, "");
    }
    ts_bench_add_column(table, "failures", "");
    ts_bench_add_column(table, "mean time to 1e-8", "us");
    for (int k = 0; k < c->runners; ++k) {
        int asked = 0, solved[TOLERANCES] = {0};
        double logs = 0.0;
        for (int p = 0; p < c->set.count; ++p) {
            const ts_contest_outcome* o = ts_contest_outcome_of(c, p, k);
            asked += o->asked;
            for (int t = 0; t < TOLERANCES; ++t) solved[t] += isfinite(o->seconds[t]) != 0;
            if (isfinite(o->seconds[TOLERANCES - 1])) logs += log(o->seconds[TOLERANCES - 1]);
        }
        int best = solved[TOLERANCES - 1];
        ts_bench_row(table);
        ts_bench_text(table, "%s", c->runner[k].name);
        ts_bench_text(table, "%s", ts_contact_law_name(c->runner[k].law));
        ts_bench_number(table, asked);
        for (int t = 0; t < TOLERANCES; ++t) ts_bench_number(table, solved[t]);
        ts_bench_number(table, asked - best);
        ts_bench_number(table, best > 0 ? 1e6 * exp(logs / best) : (double)NAN);
    }
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// A curve of steps: the part of `count` problems whose ratio is at most tau. `ratio` is sorted here.
static void add_profile(ts_bench_figure* figure, const char* label, double* ratio, int solved, int count, double most,
                        double* x, double* y) {
    int n = 0;
    qsort(ratio, (size_t)solved, sizeof *ratio, ascending);
    for (int i = 0; i < solved; ++i) {
        x[n] = ratio[i];
        y[n++] = (double)i / count;
        x[n] = ratio[i];
        y[n++] = (double)(i + 1) / count;
    }
    x[n] = most;
    y[n++] = (double)solved / count;
    ts_bench_add_curve(figure, label, x, y, n);
}

static void profile(const ts_contest* c, int t, int exact) {
    char stem[64], title[160];
    int count = c->set.count;
    double* ratio = (double*)calloc((size_t)count * (size_t)c->runners, sizeof(double));
    double* x = (double*)calloc(2 * (size_t)count + 1, sizeof(double));
    double* y = (double*)calloc(2 * (size_t)count + 1, sizeof(double));
    int* solved = (int*)calloc((size_t)c->runners, sizeof(int));
    double most = 1.0;
    int problems = 0;
    for (int p = 0; p < count && ratio && x && y && solved; ++p) {
        double best = HUGE_VAL;
        int taken = 1;
        for (int k = 0; k < c->runners; ++k) {
            const ts_contest_outcome* o = ts_contest_outcome_of(c, p, k);
            if ((c->runner[k].law == TS_LAW_NCP) != exact) continue;
            // Siconos takes contacts only: profiles of the exact law are over what all can be asked.
            taken = taken && (o->asked || c->runner[k].solver);
            if (isfinite(o->seconds[t])) best = fmin(best, o->seconds[t]);
        }
        if (!taken) continue;
        ++problems;
        for (int k = 0; k < c->runners && isfinite(best); ++k) {
            const ts_contest_outcome* o = ts_contest_outcome_of(c, p, k);
            if ((c->runner[k].law == TS_LAW_NCP) != exact || !isfinite(o->seconds[t])) continue;
            double r = o->seconds[t] / best;
            most = fmax(most, r);
            ratio[(size_t)k * (size_t)count + (size_t)solved[k]++] = r;
        }
    }
    snprintf(stem, sizeof stem, "profile-%s-%g", exact ? "exact" : "other", tolerance[t]);
    snprintf(title, sizeof title, "%s, to %g: problems solved within a factor of the fastest",
             exact ? "Exact law" : "Other laws, each its own", tolerance[t]);
    if (problems > 0) {
        ts_bench_figure* figure =
            ts_bench_add_figure(c->report, stem, title, (ts_bench_axis){"time / fastest", "", TS_BENCH_LOG},
                                (ts_bench_axis){"part of the problems", "", TS_BENCH_LINEAR});
        for (int k = 0; k < c->runners; ++k)
            if ((c->runner[k].law == TS_LAW_NCP) == exact)
                add_profile(figure, c->runner[k].name, &ratio[(size_t)k * (size_t)count], solved[k], problems, most, x,
                            y);
    }
    free(ratio);
    free(x);
    free(y);
    free(solved);
}

static int tell(ts_contest* c) {
    int wrong = 0;
    ts_contest_duel(c);
#ifdef TS_PEER_SICONOS
    if (c->compared > 0)
        ts_bench_note(c->report,
                      "Our error function and Siconos' own agree on %d answers to %.1e of their value and rounding.",
                      c->compared, c->worst_disagreement);
    // The two judge the same answers by the same formula; only rounding may differ.
    wrong = c->worst_disagreement > 1e-3;
#endif
    summary_table(c);
    for (int t = 0; t < TOLERANCES; ++t) times_table(c, t);
    for (int t = 0; t < TOLERANCES; ++t) {
        profile(c, t, 1);
        profile(c, t, 0);
    }
    ts_bench_note(c->report, "Times are wall clock, or processor time where that is less. Solved: natural map and "
                             "|lambda - P(lambda - w)| / |g| within the tolerance for the exact "
                             "law, else the residual of the solver's own law, relative; recomputed from every answer.");
    ts_bench_note(c->report,
                  "Iterations: at most 10000, fewer above 400 blocks (%g in all, never under 500); Siconos' "
                  "NSN_AC at most 500.",
                  work_most);
    return wrong ? TS_BENCH_WRONG : TS_BENCH_DONE;
}

int ts_bench_contact_solvers(const ts_bench_options* options, ts_bench_report* report) {
    ts_contest c;
    memset(&c, 0, sizeof c);
    c.options = options;
    c.report = report;
    choose_runners(&c);
    int result = TS_BENCH_DONE;
    if (!ts_bench_contact_set_make(options, report, &c.set)) {
        report->out_of_memory = 1;
    } else if (c.set.count == 0) {
        result = ts_bench_fail(report, "there is no problem to solve");
    } else {
        c.outcome = (ts_contest_outcome*)calloc((size_t)c.set.count * (size_t)c.runners, sizeof *c.outcome);
        int total = c.set.count * c.runners;
        for (int i = 0; c.outcome && i < total && !ts_bench_progress(report, i, total); ++i)
            run_one(&c, i / c.runners, i % c.runners);
        if (!c.outcome)
            report->out_of_memory = 1;
        else
            result = report->stopped ? TS_BENCH_STOPPED : tell(&c);
    }
    free(c.outcome);
    ts_bench_contact_set_free(&c.set);
    ts_arena_free(&c.arena);
    ts_arena_free(&c.scratch);
    return result;
}
