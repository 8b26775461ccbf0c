// Fig. 12, both panels: a cube on one of 1 g, of 1 to a million times its mass, a hundred iterations a step to a tolerance of 1e-12, warm start.
// Nothing moves: the floor carries (m1 + m2) g h, the light cube m2 g h. After K sweeps from nothing Gauss-Seidel leaves (m2 / (m1 + m2))^K of
// the weight: at a million to one the heavy cube falls freely, g T (T + h) / 2 = 49.54 mm in 0.1 s.
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/paper_cube_internal.h"

#include <math.h>

static const double ratios[] = {1e6, 1e3, 1e2, 10.0, 1.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(
        mjcf,
        "<mujoco model=\"stacked-cubes\"><option timestep=\"0.001\"/><custom>"
        "<numeric name=\"touchstone.iterations\" data=\"100\"/><numeric name=\"touchstone.tolerance\" data=\"1e-12\"/>"
        "<numeric name=\"touchstone.baumgarte\" data=\"0\"/></custom><worldbody>\n");
    ts_paper_cube_floor(0.9, mjcf);
    ts_paper_cube_add("light", TS_PAPER_CUBE_HEIGHT, 1e-3, 0.9, 0.95, mjcf);
    ts_paper_cube_add("heavy", 3.0 * TS_PAPER_CUBE_HEIGHT, 1e-3 * value, 0.95, 0.95, mjcf);
    ts_text_add(mjcf, "</worldbody></mujoco>\n");
}

static double sinking(const ts_lab_run* run, const ts_sim* sim) {
    return 1e3 * (sim->kinematics.body_centre[run->body[0]].z - 3.0 * TS_PAPER_CUBE_HEIGHT);
}

// numbers 0: the worst step's natural map; 1: nonzero when there was a step that told; 2: how far the loads of the first step are from statics, a share.
static double observe(ts_lab_run* run, ts_sim* sim) {
    int heavy = ts_lab_body(run, sim, 0, "heavy"), light = ts_lab_body(run, sim, 1, "light");
    if (run->steps == 1) {
        double weight = 1e-3 * run->value * 9.81, all = 1e-3 * 9.81 + weight;
        double carried = ts_lab_contact_force(sim, heavy).z, floor = carried + ts_lab_contact_force(sim, light).z;
        run->number[2] = fmax(fabs(carried / weight - 1.0), fabs(floor / all - 1.0));
    }
    // Another engine tells nothing of its steps.
    if (sim->info.row_count > 0) {
        run->number[0] = fmax(run->number[0], sim->info.residual.natural);
        run->number[1] = 1.0;
    }
    return sinking(run, sim);
}

enum { HEIGHT, UNMET, LOADS };

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double left = ts_lab_gradient_share(run->value, 100);
    static const char share[] = "a hundred iterations leave exp(-100 / sqrt r) of the error, less than the tolerance";
    static const char lost[] = "what a pivot loses in rounding has no size that is known beforehand";
    static const char sunk[] = "the weight is a few grams, and how far a foot sinks under it is a matter of settings";
    if (run->value <= 10.0) {
        ts_lab_spare(run, HEIGHT, TS_TRAIT_SWEEPS,
                     "(r / (1 + r))^100 of the weight is missing after a step, and the next begins where it ended");
        ts_lab_spare(run, LOADS, TS_TRAIT_SWEEPS, "(r / (1 + r))^100 of the weight is missing after a step");
        ts_lab_leave_open(run, HEIGHT, TS_TRAIT_FOREIGN, sunk);
        ts_lab_leave_open(run, LOADS, TS_TRAIT_FOREIGN, sunk);
    }
    // Eigenvalues are 4 r apart (ts_lab_gradient_share).
    double off = ts_lab_left_at_most(run, 4.0 * run->value);
    static const char bound[] =
        "what the steps left unmet of the law, times how far eigenvalues are apart, 4 r, is less than the tolerance";
    if (1e3 * (double)run->unsolved * off * 9.81 * 1e-6 < 1e-3) ts_lab_spare(run, HEIGHT, TS_TRAIT_SWEEPS, bound);
    if (off < 1e-2) ts_lab_spare(run, LOADS, TS_TRAIT_SWEEPS, bound);
    if (left < 1e-3) ts_lab_spare(run, HEIGHT, TS_TRAIT_GRADIENT, share);
    if (left < 1e-2) ts_lab_spare(run, LOADS, TS_TRAIT_GRADIENT, share);
    if (left < 1e-8) ts_lab_spare(run, UNMET, TS_TRAIT_GRADIENT, share);
    if (run->value < 1e6) {
        ts_lab_spare(run, UNMET, TS_TRAIT_CORNER, "sixteen digits outlast such a ratio in a pivot");
    } else {
        ts_lab_leave_open(run, HEIGHT, TS_TRAIT_CORNER, lost);
        ts_lab_leave_open(run, LOADS, TS_TRAIT_CORNER, lost);
    }
    ts_lab_tell(run, HEIGHT, sinking(run, sim), 0.0, 1e-3);
    if (run->number[1] > 0.0) ts_lab_tell(run, UNMET, run->number[0], 0.0, 1e-8);
    ts_lab_tell(run, LOADS, 1e2 * run->number[2], 0.0, 1.0);
    if (run->traits == TS_TRAIT_SWEEPS && run->value >= 1e6) {
        ts_lab_foretell(run, HEIGHT, -0.5e3 * 9.81 * 0.1 * 0.101, 0.25);
        ts_lab_foretell(run, LOADS, 1e2 * pow(run->value / (1.0 + run->value), 100.0), 0.1);
    }
}

static const ts_measure measure[] = {
    [HEIGHT] = {"height of the heavy cube", "mm",
                "0: statics; contact by contact at a million to one -49.54, free fall",
                TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_SOFT, NULL, 0},
    [UNMET] = {"worst natural map of the exact law", "", "0: every step is solved",
               TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_CORNER | TS_TRAIT_SOFT, NULL, 0},
    [LOADS] = {"loads off statics in the first step", "%",
               "0: (m1 + m2) g and m2 g; contact by contact (m2 / (m1 + m2))^100 of the latter is missing",
               TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_stacked_cubes_experiment = {
    .name = "stacked-cubes",
    .source = "Contact Models in Robotics, Fig. 12, both panels",
    .summary = "a heavy cube on one of a gram, by the ratio of the masses: who carries it, and what is left unsolved",
    .write = write,
    .parameter = "ratio of the masses",
    .values = ratios,
    .value_count = 5,
    .solvers = "all",
    .duration = 0.1,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
    .signal = "height of the heavy cube, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
};
