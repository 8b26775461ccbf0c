// One row per solver and question.
//
// An answer is wrong when the solver says it has none, or when its verdict or distance lies more than 1e-4 m outside
// certified bounds (a thousandth of the shapes' size; the largest error stands beside). Of our own query more is asked:
// verdicts to 1e-12 m, distances to 1e-9 m, and depths to a ten-thousandth.
#include "bench/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const double wrong_above = 1e-4;
static const double own_wrong_above = 1e-9;
static const double own_wrong_depth = 1e-4;
static const double own_doubt = 1e-12;  // m: what touches to rounding may be called either way

enum { MOST_SOLVERS = 24 };

enum { PAIRS, QUESTION, DISTANCE, SOLVER, MEDIAN = 9 };  // columns

ts_bench_table* ts_bench_contest_table(ts_bench_report* report, const char* stem, const char* title) {
    ts_bench_table* t = ts_bench_add_table(report, stem, title);
    ts_bench_add_column(t, "pairs", "");
    ts_bench_add_column(t, "question", "");
    ts_bench_add_column(t, "distance", "m");
    ts_bench_add_column(t, "solver", "");
    ts_bench_add_column(t, "tolerance", "");
    ts_bench_add_column(t, "wrong", "");
    ts_bench_add_column(t, "of", "");
    ts_bench_add_column(t, "max error", "m");
    ts_bench_add_column(t, "iterations", "");
    ts_bench_add_timing_columns(t);
    ts_bench_add_column(t, "times ours", "");
    return t;
}

typedef struct entry {
    const ts_bench_solver* solver;
    void* prepared;
    int wrong;
    double worst;       // m
    double iterations;  // mean; < 0 unknown
} entry;

static const char* question_name(ts_bench_question question) {
    return question == TS_BENCH_ASK_DISTANCE ? "distance" : (question == TS_BENCH_ASK_VERDICT ? "verdict" : "depth");
}

static int is_wrong(const ts_bench_pair* pair, ts_bench_question question, const ts_bench_answer* a, double allowed,
                    double doubt, double* worst) {
    // Where the bounds hold zero either verdict is right.
    int wrong = a->failed || (a->overlap && pair->lower > doubt) || (!a->overlap && pair->upper < -doubt);
    if (question == TS_BENCH_ASK_VERDICT) return wrong;
    double error = ts_bench_error(pair, a->distance);
    if (error > *worst) *worst = error;
    return wrong || error > allowed;
}

static void judge(entry* e, const ts_bench_workload* w, ts_bench_question question, int ours) {
    double sum = 0.0;
    int known = 1;
    for (int i = 0; i < w->count; ++i) {
        const ts_bench_pair* pair = &w->pair[i];
        e->solver->run(e->prepared, i);
        ts_bench_answer a = e->solver->answer(e->prepared);
        double allowed = wrong_above;
        if (ours) allowed = own_wrong_above + (pair->lower < 0.0 ? -own_wrong_depth * pair->lower : 0.0);
        e->wrong += is_wrong(pair, question, &a, allowed, ours ? own_doubt : wrong_above, &e->worst);
        known = known && a.iterations >= 0;
        sum += a.iterations;
    }
    e->iterations = known ? sum / w->count : -1.0;
}

// Whether a solver lives through these queries. Asked in a child, because some libraries abort; what the child would say on
// the way is nobody's business.
static int survives(const ts_bench_solver* solver, void* prepared, int count) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return 0;
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        for (int i = 0; i < count; ++i) solver->run(prepared, i);
        _exit(0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void add_fatal_row(ts_bench_table* t, const ts_bench_workload* w, const ts_bench_contest* contest,
                          const ts_bench_solver* solver) {
    ts_bench_row(t);
    ts_bench_text(t, "%s", contest->label);
    ts_bench_text(t, "%s", question_name(contest->question));
    ts_bench_number(t, contest->distance);
    ts_bench_text(t, "%s (ends the process)", solver->name);
    ts_bench_text(t, "%s", solver->note);
    ts_bench_number(t, (double)NAN);
    ts_bench_number(t, w->count);
}

static void add_rows(ts_bench_table* t, const ts_bench_workload* w, const ts_bench_contest* contest, const entry* e,
                     const ts_bench_timing* timing, int n) {
    int verdict = contest->question == TS_BENCH_ASK_VERDICT;
    for (int i = 0; i < n; ++i) {
        ts_bench_row(t);
        ts_bench_text(t, "%s", contest->label);
        ts_bench_text(t, "%s", question_name(contest->question));
        ts_bench_number(t, contest->distance);
        ts_bench_text(t, "%s", e[i].solver->name);
        ts_bench_text(t, "%s", e[i].solver->note);
        ts_bench_number(t, e[i].wrong);
        ts_bench_number(t, w->count);
        ts_bench_number(t, verdict ? (double)NAN : e[i].worst);
        ts_bench_number(t, e[i].iterations >= 0.0 ? e[i].iterations : (double)NAN);
        ts_bench_timing_cells(t, &timing[i]);
        ts_bench_number(t, timing[i].median / timing[0].median);
    }
}

int ts_bench_contest_run(ts_bench_report* report, const ts_bench_options* options, ts_bench_table* table,
                         ts_bench_workload* workload, const ts_bench_contest* contest) {
    entry e[MOST_SOLVERS];
    ts_bench_contestant contestant[MOST_SOLVERS];
    ts_bench_timing timing[MOST_SOLVERS];
    const ts_bench_solver* fatal_solver[MOST_SOLVERS];
    int fatal = 0;
    int n = 0;
    int result = TS_BENCH_DONE;
    memset(e, 0, sizeof e);
    ts_bench_workload_place(workload, contest->distance);
    if (workload->contradictions > 0) {
        ts_bench_note(report, "%s at %g m: %d pairs with certified bounds that exclude each other.", contest->label,
                      contest->distance, workload->contradictions);
        result = TS_BENCH_WRONG;
    }
    for (int i = 0; i < ts_bench_solver_count() && n < MOST_SOLVERS; ++i) {
        const ts_bench_solver* solver = ts_bench_solver_at(i);
        if (!ts_bench_solver_takes(solver, contest->question, &workload->pair[0])) continue;
        void* prepared = solver->prepare(solver, workload->pair, workload->count, contest->question);
        if (!prepared) continue;
        if (solver->fragile && !survives(solver, prepared, workload->count)) {
            solver->release(prepared);
            if (fatal < MOST_SOLVERS) fatal_solver[fatal++] = solver;
            continue;
        }
        e[n].solver = solver;
        e[n].prepared = prepared;
        judge(&e[n], workload, contest->question, n == 0);
        contestant[n] = (ts_bench_contestant){solver->name, solver->run, prepared};
        ++n;
    }
    if (n > 0 && e[0].wrong > 0) result = TS_BENCH_WRONG;
    ts_bench_time(report, options, &(ts_bench_race){contestant, n, workload->count, 0, 0.0}, timing, NULL);
    if (report->stopped)
        result = TS_BENCH_STOPPED;
    else
        add_rows(table, workload, contest, e, timing, n);
    for (int i = 0; i < fatal && !report->stopped; ++i) add_fatal_row(table, workload, contest, fatal_solver[i]);
    for (int i = 0; i < n; ++i) e[i].solver->release(e[i].prepared);
    return result;
}

int ts_bench_contest_all(ts_bench_report* report, const ts_bench_options* options, ts_bench_table* table,
                         ts_bench_workload* workload, const char* label, double done, double total) {
    static const struct {
        double distance;
        ts_bench_question question;
    } ask[] = {
        {1e-3, TS_BENCH_ASK_DISTANCE}, {0.1, TS_BENCH_ASK_DISTANCE}, {1.0, TS_BENCH_ASK_DISTANCE},
        {1e-3, TS_BENCH_ASK_VERDICT},  {0.1, TS_BENCH_ASK_VERDICT},  {1.0, TS_BENCH_ASK_VERDICT},
        {-0.01, TS_BENCH_ASK_VERDICT}, {0.0, TS_BENCH_ASK_DEPTH},    {-0.01, TS_BENCH_ASK_DEPTH},
        {-0.1, TS_BENCH_ASK_DEPTH},
    };
    enum { COUNT = sizeof ask / sizeof ask[0] };
    int worst = TS_BENCH_DONE;
    for (int i = 0; i < COUNT && worst < TS_BENCH_FAILED; ++i) {
        ts_bench_contest contest = {label, ask[i].distance, ask[i].question};
        int result = ts_bench_contest_run(report, options, table, workload, &contest);
        if (result > worst) worst = result;
        if (ts_bench_progress(report, done + (double)i / COUNT, total)) worst = TS_BENCH_STOPPED;
    }
    return worst;
}

void ts_bench_contest_figure(ts_bench_report* report, const ts_bench_table* table, const char* title,
                             const ts_bench_contest* what, const ts_bench_contest_axis* axis) {
    enum { MOST_POINTS = 16 };
    int count = axis->count;
    if (!table || count > MOST_POINTS) return;
    ts_bench_figure* figure =
        ts_bench_add_figure(report, what->label, title, (ts_bench_axis){axis->name, "", TS_BENCH_LOG},
                            (ts_bench_axis){"time", "ns", TS_BENCH_LOG});
    for (int s = 0; s < ts_bench_solver_count(); ++s) {
        const char* name = ts_bench_solver_at(s)->name;
        double y[MOST_POINTS];
        int found = 0;
        for (int i = 0; i < count; ++i) y[i] = (double)NAN;
        for (int r = 0; r < table->row_count; ++r) {
            const ts_bench_cell* cell = &table->cell[r * table->column_count];
            if (strcmp(cell[SOLVER].text, name) != 0 || cell[DISTANCE].number != what->distance ||
                strcmp(cell[QUESTION].text, question_name(what->question)) != 0)
                continue;
            for (int i = 0; i < count; ++i) {
                if (strcmp(cell[PAIRS].text, axis->label[i]) != 0) continue;
                y[i] = cell[MEDIAN].number;
                ++found;
            }
        }
        if (found) ts_bench_add_curve(figure, name, axis->number, y, count);
    }
}

void ts_bench_contest_notes(ts_bench_report* report) {
    ts_bench_note(report,
                  "wrong: no answer, or a verdict or distance more than %g m outside certified bounds "
                  "(for 'touchstone' itself: verdicts %g m, distances %g m, depths a part of %g).",
                  wrong_above, own_doubt, own_wrong_above, own_wrong_depth);
    ts_bench_note(report,
                  "median, 10 %%, 90 %%: over interleaved rounds, mean processor time per cold query, relative pose "
                  "included. query: each query alone, shortest of 7, less the clock. times ours: above 1 is "
                  "slower than 'touchstone'.");
    ts_bench_note(report, "Negative distances are nominal: pairs slid that far past touching along their axis; the "
                          "least depth may lie elsewhere, and is what answers are judged by.");
}
