// mujoco: softened convex contact.
//
// Problem: the relaxed law (CCP) with u = (G + R) lambda + g and R > 0 on every row. R is the problem's own where it
// has one; a row left rigid gets R = (1 - d) / d G_ii, d the impedance, and friction R_T = R_N / impratio. Friction
// keeps its slope mu: the cone is round in the metric of R, with slope mu sqrt(R_T / R_N).
// Rule: primal_newton.c. ts_mujoco_row maps solref and solimp to R and c*: the constraint is a spring and damper that
// asks for the acceleration -b c - k gap, and gets the share d of it.
// Source: Todorov 2011; MuJoCo's documentation, chapters Computation and Modeling (solver parameters).
// Guaranteed: one answer, without internal forces between rows of equal R; converges from any start.
// Known to fail: by design nothing is held quite still (u = -R lambda), sliding contacts lift off, and the answer
// depends on R. MuJoCo takes G_ii at the reference pose; here it is that of the present one.
#include "contact/solvers/newton/mujoco.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "contact/solvers/newton/primal_internal.h"

// Impedances MuJoCo allows.
#define IMPEDANCE_LEAST 1e-4
#define IMPEDANCE_MOST 0.9999
// The hardest this solver allows: R = 1e-10 G_ii leaves six digits to an impulse.
#define SETTING_MOST (1.0 - 1e-10)

static const ts_setting setting[] = {
    {"tolerance", "own residual in force units that counts as converged", TS_SETTING_DOUBLE,
     offsetof(ts_mujoco_settings, shared.tolerance), 0.0, DBL_MAX},
    {"stall", "relative change per iteration under which the solver has stalled", TS_SETTING_DOUBLE,
     offsetof(ts_mujoco_settings, shared.stall), 0.0, 1.0},
    {"iteration_limit", "most linear systems", TS_SETTING_INT, offsetof(ts_mujoco_settings, shared.iteration_limit),
     0.0, 1e9},
    {"impedance", "d of rows without compliance of their own: R = (1 - d) / d times the diagonal", TS_SETTING_DOUBLE,
     offsetof(ts_mujoco_settings, impedance), IMPEDANCE_LEAST, SETTING_MOST},
    {"impratio", "how much harder friction is than the normal, where the problem does not say", TS_SETTING_DOUBLE,
     offsetof(ts_mujoco_settings, impratio), 1e-6, 1e6},
};

ts_mujoco_settings ts_mujoco_settings_default(void) {
    ts_mujoco_settings settings = {
        .shared = ts_solver_settings_default(), .impedance = IMPEDANCE_MOST, .impratio = 1.0};
    settings.shared.iteration_limit = 100;
    return settings;
}

static void settings_default(void* out_settings) { *(ts_mujoco_settings*)out_settings = ts_mujoco_settings_default(); }

static void compliance(const ts_contact_problem* problem, const void* settings, double* out_R) {
    const ts_mujoco_settings* s = (const ts_mujoco_settings*)settings;
    double share = (1.0 - s->impedance) / s->impedance;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        double row_default[TS_BLOCK_ROWS_MAX] = {0.0};
        for (int r = 0; r < block->rows; ++r) row_default[r] = share * D[r * block->rows + r];
        ts_primal_softness softness = {block->set == TS_SET_CONE ? row_default[2] : 0.0, 0.0, 1.0 / s->impratio};
        ts_primal_block_compliance(problem, b, softness, row_default, out_R + block->row);
    }
}

static unsigned long scratch_bytes(const ts_contact_problem* problem, const void* settings) {
    (void)settings;
    return ts_primal_scratch_bytes(problem);
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    const ts_mujoco_settings* s = (const ts_mujoco_settings*)settings;
    ts_solve_report report = {TS_SOLVE_FAILED, 0, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (R) {
        compliance(problem, settings, R);
        report = ts_primal_newton(problem, R, &s->shared, scratch, impulse);
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

ts_mujoco_softness ts_mujoco_softness_default(void) {
    ts_mujoco_softness softness = {{0.02, 1.0}, {0.9, 0.95, 0.001, 0.5, 2.0}};
    return softness;
}

static double clamp(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

double ts_mujoco_impedance(const double solimp[5], double gap) {
    double d0 = clamp(solimp[0], IMPEDANCE_LEAST, IMPEDANCE_MOST),
           dw = clamp(solimp[1], IMPEDANCE_LEAST, IMPEDANCE_MOST);
    double width = fmax(solimp[2], 0.0), mid = clamp(solimp[3], IMPEDANCE_LEAST, IMPEDANCE_MOST);
    double power = fmax(solimp[4], 1.0);
    // A width of nothing is a step of no particular height: MuJoCo takes the middle.
    if (d0 == dw || width <= DBL_MIN) return 0.5 * (d0 + dw);
    double x = fabs(gap) / width;
    if (x >= 1.0) return dw;
    if (x == 0.0) return d0;
    double y =
        x <= mid ? pow(x, power) / pow(mid, power - 1.0) : 1.0 - pow(1.0 - x, power) / pow(1.0 - mid, power - 1.0);
    return d0 + y * (dw - d0);
}

void ts_mujoco_row(const ts_mujoco_softness* softness, double d, double diagonal, double gap, double speed,
                   double time_step, double* out_R, double* out_reference) {
    double dw = clamp(softness->solimp[1], IMPEDANCE_LEAST, IMPEDANCE_MOST), k, b;
    if (softness->solref[0] > 0.0) {
        double constant = fmax(softness->solref[0], 2.0 * time_step), ratio = softness->solref[1];
        b = 2.0 / (dw * constant);
        k = d / (dw * dw * constant * constant * ratio * ratio);
    } else {
        k = -softness->solref[0] * d / (dw * dw);
        b = -softness->solref[1] / dw;
    }
    *out_R = (1.0 - d) / d * diagonal;
    *out_reference = speed - time_step * (b * speed + k * gap);
}

const ts_solver ts_mujoco_solver = {
    .name = "mujoco",
    .law = TS_LAW_CCP,
    .summary = "primal Newton with exact line search on contacts softened as MuJoCo does",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_BLOCKS,
    .settings_bytes = sizeof(ts_mujoco_settings),
    .settings_default = settings_default,
    .setting = setting,
    .setting_count = sizeof(setting) / sizeof(setting[0]),
    .scratch_bytes = scratch_bytes,
    .solve = solve,
    .compliance = compliance,
    .takes_softness = 1,
};
