// Verdicts on trial: forty faults put into right answers, each of which the certificate has to find, at the contact where it is and by
// the name that it has; and forty steps without a fault, in which it must find none.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/step/certify.h"
#include "engine/step/judge_internal.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"
#include "tests/contact/dense_operator.h"

typedef struct bed {
    ts_loaded_scene scene;
    ts_sim* sim;
} bed;

static bed make_bed(const char* name, const char* solver, int steps) {
    bed b;
    ts_status status;
    cr_assert_eq(ts_scene_load(name, NULL, &b.scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(b.scene.model, 1, &b.sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(b.sim, solver, &status), TS_OK, "%s", status.message);
    for (int k = 0; k < steps; ++k) {
        ts_controller_act(&b.scene.control, b.sim);
        cr_assert_eq(ts_sim_step(b.sim, &status), TS_OK, "%s", status.message);
    }
    return b;
}

static void free_bed(bed* b) {
    ts_sim_free(b->sim);
    ts_loaded_scene_free(&b->scene);
}

static ts_contact_certificate judge(const bed* b, const double* impulse, ts_arena* arena) {
    ts_contact_certificate c;
    ts_contact_problem rigid;
    cr_assert(ts_step_rigid_problem(b->sim, arena, &rigid));
    cr_assert_eq(ts_certificate_make(&rigid, NULL, impulse, ts_certificate_tolerance, TS_CERTIFICATE_FAST, arena, &c),
                 TS_OK);
    return c;
}

// The frictional contact that carries most.
static int strongest(const ts_contact_problem* problem, const double* impulse) {
    int best = -1;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        if (block->set != TS_SET_CONE) continue;
        if (best < 0 || impulse[block->row + 2] > impulse[problem->block[best].row + 2]) best = b;
    }
    return best;
}

// --- faults ----------------------------------------------------------------------------------------------------------

typedef enum fault {
    WRONG_CONE,     // friction beyond mu times the normal
    DROPPED,        // a contact is forgotten
    SWAPPED,        // it pulls where it should push
    TOO_STRONG,     // twice the impulse
    TURNED,         // friction along the slip instead of against it
    WEAKENED,       // a tenth is missing
    SPURIOUS_TURN,  // friction across the slip
    BREATH,         // a hundredth too much
    FAULTS
} fault;

static const char* const names[FAULTS] = {"wrong cone", "dropped",  "swapped", "too strong",
                                          "turned",     "weakened", "across",  "a breath too much"};

// Which figure names it.
static const ts_figure figure_of[FAULTS] = {TS_FIGURE_OFF_CONE,       TS_FIGURE_APPROACH,       TS_FIGURE_PULL,
                                            TS_FIGURE_COUNT,          TS_FIGURE_FRICTION_ANGLE, TS_FIGURE_APPROACH,
                                            TS_FIGURE_FRICTION_ANGLE, TS_FIGURE_COUNT};

static void commit(fault kind, double mu, double* l) {
    double friction = hypot(l[0], l[1]), x = l[0];
    switch (kind) {
    case WRONG_CONE:
        l[0] = friction > 0.0 ? l[0] * 1.5 * mu * l[2] / friction : 1.5 * mu * l[2];
        l[1] = friction > 0.0 ? l[1] * 1.5 * mu * l[2] / friction : 0.0;
        break;
    case DROPPED: l[0] = l[1] = l[2] = 0.0; break;
    case SWAPPED: l[2] = -l[2]; break;
    case TOO_STRONG:
        for (int r = 0; r < 3; ++r) l[r] *= 2.0;
        break;
    case TURNED:
        l[0] = -l[0];
        l[1] = -l[1];
        break;
    case WEAKENED:
        for (int r = 0; r < 3; ++r) l[r] *= 0.9;
        break;
    case SPURIOUS_TURN:
        l[0] = -l[1];
        l[1] = x;
        break;
    case BREATH: l[2] *= 1.01; break;
    case FAULTS: break;
    }
}

// Where a figure is worst.
static int worst_of(const ts_contact_certificate* c, ts_figure figure) {
    int worst = 0;
    for (int b = 1; b < c->block_count; ++b)
        if (ts_figure_of(&c->verdict[b].residual, figure, c->time_step) >
            ts_figure_of(&c->verdict[worst].residual, figure, c->time_step))
            worst = b;
    return worst;
}

Test(verdicts, forty_faults_are_found_where_they_are, .timeout = 120) {
    static const char* const scenes[] = {
        "sliding-cube", "sliding-cube-rotated", "dragged-cube", "fast-cube", "stack-10", "incline"};
    int tried = 0;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
        bed b = make_bed(scenes[s], "ncp", 20);
        ts_arena arena = {0};
        const ts_contact_problem* problem = &b.sim->problem;
        static double impulse[4096];
        cr_assert_leq(problem->row_count, 4096);
        ts_contact_certificate healthy = judge(&b, b.sim->impulse, &arena);
        cr_assert_eq(healthy.count[TS_MODE_VIOLATED], 0, "%s: %d violated at first", scenes[s],
                     healthy.count[TS_MODE_VIOLATED]);
        int at = strongest(problem, b.sim->impulse), slides = healthy.verdict[at].mode == TS_MODE_SLIDE;
        for (int f = 0; f < FAULTS; ++f) {
            // Friction of a contact that sticks may point anywhere.
            if (!slides && (f == TURNED || f == SPURIOUS_TURN)) continue;
            memcpy(impulse, b.sim->impulse, (size_t)problem->row_count * sizeof(double));
            commit((fault)f, problem->block[at].mu, impulse + problem->block[at].row);
            ts_contact_certificate c = judge(&b, impulse, &arena);
            ++tried;
            cr_expect_eq(c.holds & TS_HOLDS_NCP, 0u, "%s, %s: the exact law is said to hold", scenes[s], names[f]);
            cr_expect_eq(c.verdict[at].mode, TS_MODE_VIOLATED, "%s, %s: contact %d is called %s", scenes[s], names[f],
                         at, ts_contact_mode_name(c.verdict[at].mode));
            cr_expect_gt(c.residual.natural, ts_certificate_tolerance, "%s, %s", scenes[s], names[f]);
            if (figure_of[f] != TS_FIGURE_COUNT)
                cr_expect_eq(worst_of(&c, figure_of[f]), at, "%s, %s: the worst %s is at %d, not %d", scenes[s],
                             names[f], ts_figure_kind_of(figure_of[f])->name, worst_of(&c, figure_of[f]), at);
            ts_arena_reset(&arena);
        }
        ts_arena_free(&arena);
        free_bed(&b);
    }
    cr_expect_geq(tried, 40, "%d", tried);
}

// Laws: what solves another one obeys that and breaks the exact one, and the step says so of all its sliding contacts.
Test(verdicts, the_wrong_law_is_named) {
    static const struct {
        const char* solver;
        unsigned holds;
    } cases[] = {
        {"ccp-pgs", TS_HOLDS_CCP}, {"lcp-lemke", TS_HOLDS_LCP}, {"ncp", TS_HOLDS_NCP}, {"sap", 0}, {"mujoco", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        bed b = make_bed("sliding-cube-rotated", cases[i].solver, 1);
        ts_arena arena = {0};
        ts_contact_certificate c = judge(&b, b.sim->impulse, &arena);
        cr_expect_eq(c.holds, cases[i].holds, "%s: %u, not %u", cases[i].solver, c.holds, cases[i].holds);
        cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s", cases[i].solver);
        ts_arena_free(&arena);
        free_bed(&b);
    }
    // One sweep is not enough, and nobody says that it was.
    bed b = make_bed("stack-10", "ncp-pgs", 0);
    ts_status status;
    cr_assert_eq(ts_sim_set(b.sim, "iterations", "1", &status), TS_OK);
    cr_assert_eq(ts_sim_step(b.sim, &status), TS_OK);
    ts_arena arena = {0};
    ts_contact_certificate c = judge(&b, b.sim->impulse, &arena);
    cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_ITERATION_LIMIT);
    cr_expect_gt(c.count[TS_MODE_VIOLATED], 0);
    ts_arena_free(&arena);
    free_bed(&b);
}

Test(verdicts, forty_healthy_steps_are_called_so, .timeout = 120) {
    static const char* const scenes[] = {
        "sliding-cube", "sliding-cube-rotated", "dragged-cube", "fast-cube", "stack-10", "incline", "tonne-on-gram"};
    static const char* const solvers[] = {"ncp", "ncp-newton", "ncp-admm"};
    static const int steps[] = {1, 30};
    int tried = 0;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s)
        for (size_t k = 0; k < 3; ++k)
            for (size_t n = 0; n < 2; ++n) {
                bed b = make_bed(scenes[s], solvers[k], steps[n]);
                ts_arena arena = {0};
                ts_contact_certificate c;
                cr_assert_eq(ts_certify_step(b.sim, TS_CERTIFICATE_FAST, &arena, &c), TS_OK);
                ++tried;
                cr_expect_eq(b.sim->info.solve.status, TS_SOLVE_CONVERGED, "%s, %s, step %d", scenes[s], solvers[k],
                             steps[n]);
                cr_expect_eq(c.count[TS_MODE_VIOLATED], 0, "%s, %s, step %d: %d violated, natural map %g", scenes[s],
                             solvers[k], steps[n], c.count[TS_MODE_VIOLATED], c.residual.natural);
                cr_expect(c.holds & TS_HOLDS_NCP, "%s, %s, step %d", scenes[s], solvers[k], steps[n]);
                ts_arena_free(&arena);
                free_bed(&b);
            }
    cr_expect_geq(tried, 40);
}

// --- units -----------------------------------------------------------------------------------------------------------

enum { MOST_ROWS = 128, MOST_BLOCKS = 48 };

// A step's problem counted in other units, with its matrix as numbers.
typedef struct scaled {
    ts_block block[MOST_BLOCKS];
    int block_row[MOST_BLOCKS + 1];
    double G[MOST_ROWS * MOST_ROWS], g[MOST_ROWS];
    ts_contact_problem problem;
} scaled;

static void make_scaled(const ts_contact_problem* p, double mass, double length, double time, ts_arena* arena,
                        scaled* out) {
    double unit[MOST_ROWS] = {0.0}, velocity = length / time;
    int n = p->row_count;
    cr_assert(n <= MOST_ROWS && p->block_count <= MOST_BLOCKS && !p->R);
    for (int b = 0; b < p->block_count; ++b) {
        out->block[b] = p->block[b];
        out->block[b].low *= mass * velocity;
        out->block[b].high *= mass * velocity;
        out->block_row[b] = p->block[b].row;
    }
    out->block_row[p->block_count] = n;
    for (int i = 0; i < n; ++i) {
        unit[i] = 1.0;
        p->delassus->ops->apply(p->delassus, unit, out->G + (size_t)i * (size_t)n);
        unit[i] = 0.0;
        out->g[i] = p->g[i] * velocity;
    }
    for (int i = 0; i < n * n; ++i) out->G[i] /= mass;
    out->problem = *p;
    out->problem.block = out->block;
    out->problem.delassus = dense_operator(arena, p->block_count, out->block_row, out->G);
    out->problem.g = out->g;
    out->problem.time_step = p->time_step * time;
    out->problem.rest_speed = p->rest_speed * velocity;
    out->problem.memory = NULL;  // of the scene's solver
}

static ts_solve_report solve_scaled(const ts_solver* solver, const scaled* s, ts_arena* arena, ts_contact_mode* modes) {
    double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)], impulse[MOST_ROWS] = {0.0};
    ts_contact_certificate c;
    ts_solver_default_settings(solver, settings);
    cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 300, NULL), TS_OK);
    ts_solve_report report = solver->solve(&s->problem, settings, arena, impulse);
    cr_assert_eq(
        ts_certificate_make(&s->problem, NULL, impulse, ts_certificate_tolerance, TS_CERTIFICATE_FAST, arena, &c),
        TS_OK);
    for (int b = 0; b < s->problem.block_count; ++b) modes[b] = c.verdict[b].mode;
    return report;
}

// What steps of scenes come to does not depend on units either: powers of two of a million change no bit.
Test(verdicts, scenes_in_other_units_get_the_same_verdicts, .timeout = 300) {
    static const char* const scenes[] = {
        "sliding-cube", "sliding-cube-rotated", "dragged-cube", "fast-cube", "stack-10",
        "incline",      "unequal-cubes",        "tonne-on-gram"};
    static const double unit[][3] = {{0x1p20, 1, 1},  {0x1p-20, 1, 1}, {1, 0x1p20, 1},
                                     {1, 0x1p-20, 1}, {1, 1, 0x1p20},  {1, 1, 0x1p-20}};
    static scaled one, other;
    int compared = 0;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s)
        for (int late = 0; late < 2; ++late) {
            bed b = make_bed(scenes[s], "ncp", late ? 20 : 1);
            ts_arena arena = {0};
            make_scaled(&b.sim->problem, 1.0, 1.0, 1.0, &arena, &one);
            for (int i = 0; i < ts_solver_count(); ++i) {
                const double* u = unit[(s + (size_t)i) % 6];
                ts_contact_mode modes[2][MOST_BLOCKS];
                make_scaled(&b.sim->problem, u[0], u[1], u[2], &arena, &other);
                ts_solve_report x = solve_scaled(ts_solver_at(i), &one, &arena, modes[0]);
                ts_solve_report y = solve_scaled(ts_solver_at(i), &other, &arena, modes[1]);
                ++compared;
                cr_expect_eq(x.status, y.status, "%s, %s", scenes[s], ts_solver_at(i)->name);
                cr_expect_eq(x.iterations, y.iterations, "%s, %s: %d and %d", scenes[s], ts_solver_at(i)->name,
                             x.iterations, y.iterations);
                cr_expect_eq(memcmp(modes[0], modes[1], (size_t)one.problem.block_count * sizeof modes[0][0]), 0,
                             "%s, %s: other modes", scenes[s], ts_solver_at(i)->name);
            }
            ts_arena_free(&arena);
            free_bed(&b);
        }
    cr_expect_eq(compared, 16 * ts_solver_count());
}
