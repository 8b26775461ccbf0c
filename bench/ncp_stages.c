// Which stage of `ncp` solves what, and what each costs.
//
// Problem: `ncp` is a table of stages, tried one after the other; every one of them must win something that no cheaper
// one wins. Rule: families of problems, each solved from nothing to 1e-8 (contact/judge/relative.c: natural map and
// two-norm error of the answer, recomputed). The stage that found the answer is in the report. What a stage costs is
// told by solving again with the stages up to it and with those before it (setting "stages"): the difference is its own;
// a stage was tried when that costs iterations. Problems that sweeps and Newton leave are then given to each later stage
// alone behind these two: what another one would have solved too.
// Times are of the solves alone, the shorter of wall clock and processor time.
// Known to fail: differences of times of small problems are noise; the parts of a family's time are sums over hundreds.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_list.h"
#include "bench/contact_problems.h"
#include "bench/contact_random.h"
#include "bench/contact_variants.h"
#include "bench/stopwatch.h"
#include "contact/judge/relative.h"
#include "scenes/scene_table.h"

enum { STAGES = 24, FAMILIES = 6, UNSOLVED_NAMED = 8, ROBOT_FILES = 256, DEPTH = 4 };

static const double tolerance = 1e-8;
// m/s: free velocities under this are rounding.
static const double rest_speed = 1e-9;

// What came of a stage.
typedef struct stage_tally {
    int tried, won, alone;
    double seconds, iterations;
    double seconds_alone;
} stage_tally;

// What came of a family.
typedef struct tally {
    int problems;
    int solved;
    int most_blocks;
    int left;  // by sweeps and Newton
    double iterations;
    double seconds;
    stage_tally stage[STAGES];
    int named;  // unsolved ones that the notes name
} tally;

typedef struct bench {
    const ts_bench_options* options;
    ts_bench_report* report;
    const ts_solver* ncp;
    int newton;  // number of that stage
    tally* now;  // of the family at work
    ts_arena arena, scratch;
} bench;

// --- one problem -----------------------------------------------------------------------------------------------------

static ts_relative_report solve(bench* b, const ts_contact_problem* p, int stages, double* impulse) {
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(b->ncp, settings);
    ts_solver_set(b->ncp, settings, "stages", stages, NULL);
    ts_stopwatch watch = ts_stopwatch_begin();
    ts_relative_report report = ts_relative_solve(b->ncp, p, settings, tolerance, NULL, &b->scratch, impulse);
    report.seconds = fmin(report.seconds, ts_stopwatch_seconds(watch));
    ts_arena_reset(&b->scratch);
    return report;
}

static int up_to(int stage) { return (1 << stage) - 1; }

// What a stage adds to those before it.
static void count_stage(stage_tally* stage, const ts_relative_report* with, int iterations, double seconds) {
    ++stage->tried;
    stage->iterations += with->iterations - iterations;
    stage->seconds += fmax(with->seconds - seconds, 0.0);
}

// Every stage that was tried. Sweeps run whether or not they may: what the first stage costs in vain shows against sweeps alone.
// Returns nonzero when all up to Newton leave the problem.
static int count_stages(bench* b, const ts_contact_problem* p, const ts_relative_report* whole, double* impulse) {
    int last = whole->status == TS_SOLVE_CONVERGED ? whole->stage : b->ncp->stage_count, iterations = 0;
    double seconds = 0.0;
    if (last == 1) {
        count_stage(&b->now->stage[0], whole, 0, 0.0);
    } else {
        ts_relative_report sweeps = solve(b, p, 2, impulse), both = solve(b, p, up_to(2), impulse);
        if (both.iterations != sweeps.iterations)
            count_stage(&b->now->stage[0], &both, sweeps.iterations, sweeps.seconds);
        iterations = both.iterations - sweeps.iterations;
        seconds = both.seconds - sweeps.seconds;
    }
    for (int k = 2; k <= last; ++k) {
        ts_relative_report with = k == last ? *whole : solve(b, p, up_to(k), impulse);
        if (with.iterations == iterations) continue;
        count_stage(&b->now->stage[k - 1], &with, iterations, seconds);
        iterations = with.iterations;
        seconds = with.seconds;
    }
    if (whole->status == TS_SOLVE_CONVERGED) ++b->now->stage[last - 1].won;
    return last > b->newton;
}

// Each later stage alone behind sweeps and Newton.
static void count_alone(bench* b, const ts_contact_problem* p, double* impulse) {
    ++b->now->left;
    for (int k = b->newton + 1; k <= b->ncp->stage_count; ++k) {
        ts_relative_report report = solve(b, p, up_to(b->newton) | 1 << (k - 1), impulse);
        b->now->stage[k - 1].alone += report.status == TS_SOLVE_CONVERGED;
        b->now->stage[k - 1].seconds_alone += report.seconds;
    }
}

// Whether nothing moves: then every answer's error is relative to nothing.
static int is_at_rest(const ts_contact_problem* problem) {
    double largest = 0.0;
    for (int i = 0; i < problem->row_count; ++i) largest = fmax(largest, fabs(problem->g[i]));
    return largest < rest_speed;
}

static int measure(bench* b, const char* name, const ts_contact_problem* problem) {
    if (is_at_rest(problem)) return 1;
    double* impulse = TS_ARENA_ARRAY(&b->arena, double, problem->row_count);
    if (!impulse) return 0;
    ts_relative_report whole = solve(b, problem, up_to(b->ncp->stage_count), impulse);
    tally* t = b->now;
    ++t->problems;
    t->solved += whole.status == TS_SOLVE_CONVERGED;
    t->iterations += whole.iterations;
    t->seconds += whole.seconds;
    if (problem->block_count > t->most_blocks) t->most_blocks = problem->block_count;
    if (whole.status != TS_SOLVE_CONVERGED && t->named++ < UNSOLVED_NAMED)
        ts_bench_note(b->report, "Not solved: %s (%d blocks), natural map %.1e, two-norm error %.1e.", name,
                      problem->block_count, whole.error.natural, whole.error.two_norm);
    if (count_stages(b, problem, &whole, impulse)) count_alone(b, problem, impulse);
    return 1;
}

// --- families --------------------------------------------------------------------------------------------------------

static int run_set(bench* b, const ts_bench_contact_set* set) {
    for (int i = 0; i < set->count && !ts_bench_progress(b->report, -1.0, 1.0); ++i) {
        if (!measure(b, set->problem[i].name, &set->problem[i].problem)) return 0;
        ts_arena_reset(&b->arena);
    }
    return 1;
}

// All recorded problems: what is asked for is families.
static int read_recorded(const bench* b, ts_bench_contact_set* out) {
    ts_bench_options options = *b->options;
    options.only = NULL;
    return ts_bench_contact_set_read(&options, b->report, out);
}

static int run_recorded(bench* b) {
    ts_bench_contact_set set = {0};
    int ok = read_recorded(b, &set) && run_set(b, &set);
    ts_bench_contact_set_free(&set);
    return ok;
}

static int run_variants(bench* b) {
    ts_bench_contact_set set = {0};
    int ok = read_recorded(b, &set), step = b->options->quick ? 7 : 1;
    for (int i = 0; i < set.count && ok; ++i)
        for (int v = 0; v < TS_CONTACT_VARIANTS && ok && !ts_bench_progress(b->report, -1.0, 1.0); v += step) {
            char name[128];
            ts_contact_problem problem;
            snprintf(name, sizeof name, "%s, %s", set.problem[i].name, ts_contact_variant_name(v));
            ok = ts_contact_variant_make(&set.problem[i].problem, v, b->options->seed, &b->arena, &problem) &&
                 measure(b, name, &problem);
            ts_arena_reset(&b->arena);
        }
    ts_bench_contact_set_free(&set);
    return ok;
}

static int run_heaps(bench* b) {
    ts_rng rng = ts_rng_make(b->options->seed, 0);
    int ok = 1;
    for (int i = 0; i < (b->options->quick ? 50 : 1000) && ok && !ts_bench_progress(b->report, -1.0, 1.0); ++i) {
        char name[32];
        ts_contact_problem problem;
        snprintf(name, sizeof name, "heap %d", i);
        ok = ts_random_heap(&rng, &b->arena, &problem) && measure(b, name, &problem);
        ts_arena_reset(&b->arena);
    }
    return ok;
}

static int run_known(bench* b) {
    ts_rng rng = ts_rng_make(b->options->seed, 1);
    int ok = 1;
    for (int i = 0; i < (b->options->quick ? 25 : 250) && ok && !ts_bench_progress(b->report, -1.0, 1.0); ++i) {
        char name[32];
        ts_random_known known;
        snprintf(name, sizeof name, "known answer %d", i);
        ok = ts_random_known_make(&rng, 60, &b->arena, &known) && measure(b, name, &known.problem);
        ts_arena_reset(&b->arena);
    }
    return ok;
}

static int run_scene(bench* b, const char* path, const char* name, const int* step) {
    ts_bench_contact_set set = {0};
    int ok = ts_bench_contact_set_record(b->report, path, name, step, &set) && run_set(b, &set);
    ts_bench_contact_set_free(&set);
    return ok;
}

static int run_scenes(bench* b) {
    static const int steps[] = {1, 10, 30, 60, 100, 140, 200, 300, 0}, quick[] = {1, 10, 0};
    // What a pile's last steps add is more of the same.
    static const int pile[] = {60, 100, 140, 0};
    for (int i = 0; i < ts_scene_count() && !ts_bench_progress(b->report, -1.0, 1.0); ++i) {
        const ts_scene* scene = ts_scene_at(i);
        int is_pile = strcmp(scene->name, "pile-1000") == 0;
        if (is_pile && b->options->quick) continue;
        if (!run_scene(b, scene->name, scene->name, b->options->quick ? quick : (is_pile ? pile : steps))) return 0;
    }
    return 1;
}

// All MJCF files below a folder: paths into `path`, which are the caller's to free. Returns how many there are now.
static int find_models(const char* folder, int depth, char** path, int count) {
    DIR* directory = opendir(folder);
    if (!directory) return count;
    for (struct dirent* e = readdir(directory); e && count < ROBOT_FILES; e = readdir(directory)) {
        char inside[1200];
        size_t length = strlen(e->d_name);
        if (e->d_name[0] == '.') continue;
        snprintf(inside, sizeof inside, "%s/%s", folder, e->d_name);
        if (length > 4 && strcmp(e->d_name + length - 4, ".xml") == 0) {
            size_t room = strlen(inside) + 1;
            path[count] = (char*)malloc(room);
            // They are the caller's. NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
            if (path[count]) memcpy(path[count++], inside, room);
        } else if (depth > 0) {
            count = find_models(inside, depth - 1, path, count);
        }
    }
    closedir(directory);
    return count;
}

static int by_path(const void* a, const void* b) { return strcmp(*(const char* const*)a, *(const char* const*)b); }

static int run_robots(bench* b) {
    static const int steps[] = {1, 10, 50, 100, 200, 0};
    char folder[1024], *path[ROBOT_FILES];
    int ok = 1;
    if (!b->options->data_folder) {
        ts_bench_note(b->report, "Robots are left out: TOUCHSTONE_DATA is not set.");
        return 1;
    }
    snprintf(folder, sizeof folder, "%s/robots", b->options->data_folder);
    int count = find_models(folder, DEPTH, path, 0);
    qsort(path, (size_t)count, sizeof *path, by_path);
    for (int i = 0; i < count; ++i) {
        int skip = b->options->quick && i % 8 != 0;
        if (ok && !skip && !ts_bench_progress(b->report, -1.0, 1.0))
            ok = run_scene(b, path[i], path[i] + strlen(folder) + 1, steps);
        free(path[i]);
    }
    return ok;
}

static const struct {
    const char* name;
    const char* what;
    int (*run)(bench* b);
} families[FAMILIES] = {
    {"recorded", "problems recorded by others (the data folder's contact_problems)", run_recorded},
    {"variants", "24 variants of each of them (bench/contact_variants.c)", run_variants},
    {"heaps", "1000 random heaps with mass ratios up to 1e6 (bench/contact_random.c)", run_heaps},
    {"known", "250 random problems whose answer was chosen first (bench/contact_random.c)", run_known},
    {"scenes", "steps of every scene of the table", run_scenes},
    {"robots", "steps of every MJCF file below the data folder's robots", run_robots},
};

// --- what is told ----------------------------------------------------------------------------------------------------

static void tell_families(bench* b, const tally* t) {
    ts_bench_table* table = ts_bench_add_table(b->report, "families", "Families: problems solved to 1e-8 from nothing");
    static const char* const column[][2] = {{"family", ""},      {"problems", ""},   {"solved", ""},
                                            {"most blocks", ""}, {"iterations", ""}, {"time", "ms"}};
    for (size_t i = 0; i < sizeof column / sizeof column[0]; ++i)
        ts_bench_add_column(table, column[i][0], column[i][1]);
    for (int f = 0; f < FAMILIES; ++f) {
        if (t[f].problems == 0) continue;
        ts_bench_row(table);
        ts_bench_text(table, "%s", families[f].name);
        ts_bench_number(table, t[f].problems);
        ts_bench_number(table, t[f].solved);
        ts_bench_number(table, t[f].most_blocks);
        ts_bench_number(table, t[f].iterations / t[f].problems);
        ts_bench_number(table, 1e3 * t[f].seconds / t[f].problems);
    }
    ts_bench_note(b->report, "Iterations and time: mean of a problem.");
    for (int f = 0; f < FAMILIES; ++f)
        if (t[f].problems > 0) ts_bench_note(b->report, "%s: %s.", families[f].name, families[f].what);
}

static double share_of(const tally* t, int k) {
    double sum = 0.0;
    for (int i = 0; i < STAGES; ++i) sum += t->stage[i].seconds;
    return sum > 0.0 ? 100.0 * t->stage[k].seconds / sum : (double)NAN;
}

static double tried(const tally* t, int k) { return t->stage[k].tried; }
static double won(const tally* t, int k) { return t->stage[k].won; }
static double alone(const tally* t, int k) { return t->stage[k].alone; }
static double milliseconds_alone(const tally* t, int k) { return 1e3 * t->stage[k].seconds_alone / t->left; }

// A table of stages by families; stages from `first` on.
static void tell_stages(bench* b, const tally* t, const char* stem, const char* title, const char* unit, int first,
                        double (*value)(const tally*, int)) {
    ts_bench_table* table = ts_bench_add_table(b->report, stem, title);
    ts_bench_add_column(table, "stage", "");
    for (int f = 0; f < FAMILIES; ++f)
        if (t[f].problems > 0) ts_bench_add_column(table, families[f].name, unit);
    for (int k = first; k < b->ncp->stage_count; ++k) {
        ts_bench_row(table);
        ts_bench_text(table, "%s", ts_solver_stage_name(b->ncp, k + 1));
        for (int f = 0; f < FAMILIES; ++f)
            if (t[f].problems > 0) ts_bench_number(table, value(&t[f], k));
    }
}

static void tell(bench* b, const tally* t) {
    tell_families(b, t);
    tell_stages(b, t, "tried", "Tried: problems that a stage was asked about", "", 0, tried);
    tell_stages(b, t, "won", "Won: problems whose answer the stage found", "", 0, won);
    tell_stages(b, t, "time", "Share of the family's time", "%", 0, share_of);
    tell_stages(b, t, "alone", "Alone behind sweeps and Newton: how many of what these leave a stage solves", "",
                b->newton, alone);
    tell_stages(b, t, "alone-time", "Alone: time for each of them, with sweeps and Newton", "ms", b->newton,
                milliseconds_alone);
    for (int f = 0; f < FAMILIES; ++f)
        if (t[f].left > 0)
            ts_bench_note(b->report, "%s: %d of %d were left by sweeps and Newton.", families[f].name, t[f].left,
                          t[f].problems);
}

int ts_bench_ncp_stages(const ts_bench_options* options, ts_bench_report* report) {
    static const tally none;
    tally* t = (tally*)calloc(FAMILIES, sizeof *t);
    bench b = {.options = options, .report = report, .ncp = ts_solver_find("ncp")};
    int ok = t != NULL;
    while (b.newton < b.ncp->stage_count && strcmp(ts_solver_stage_name(b.ncp, b.newton), "newton") != 0) ++b.newton;
    for (int f = 0; f < FAMILIES && ok && !ts_bench_progress(report, f, FAMILIES); ++f) {
        b.now = &t[f];
        t[f] = none;
        if (ts_bench_wanted(report, options, families[f].name)) ok = families[f].run(&b);
    }
    if (!ok) report->out_of_memory = 1;
    if (ok && !report->stopped) tell(&b, t);
    free(t);
    ts_arena_free(&b.arena);
    ts_arena_free(&b.scratch);
    return report->stopped ? TS_BENCH_STOPPED : TS_BENCH_DONE;
}
