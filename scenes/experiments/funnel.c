// Convex objects of eleven shapes fall into a funnel of twelve boards, 2 m wide above and 0.5 m below, ten times as wide as they are: with friction of
// 0.3 none stays on its slope of 43 degrees (atan 0.3 is 17), nothing can block a mouth that wide, and nothing may leave but through it. `funnel:1000` is
// the experiment of the papers on collision detection with forces in it.
#include "base/rng.h"
#include "base/scalar.h"
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double top = 1.0, mouth = 0.25, high = 1.2, low = 0.5, thick = 0.04, size = 0.025, spacing = 0.1;
static const double counts[] = {60};

// More than so many get a budget, as engines for piles have one: what it leaves unmet is shown.
static const int crowd = 200;

enum { BOARDS = 12, MESHES = 8, CORNERS = 14, KINDS = MESHES + 3 };

static void write_board(int i, ts_text* mjcf) {
    double angle = 2.0 * TS_PI * i / BOARDS, c = cos(angle), s = sin(angle), slope = hypot(top - mouth, high - low);
    double up = (high - low) / slope, out = (top - mouth) / slope, radius = 0.5 * (top + mouth), z = 0.5 * (high + low);
    // x along the rim, y up the slope; the board lies behind its surface.
    double half = top * tan(TS_PI / BOARDS) + 0.02, x = radius + 0.5 * thick * up, h = z - 0.5 * thick * out;
    ts_text_add(
        mjcf,
        "<geom type=\"box\" size=\"%.17g %.17g %.17g\" pos=\"%.17g %.17g %.17g\" xyaxes=\"%.17g %.17g 0 %.17g %.17g "
        "%.17g\" rgba=\"0.7 0.75 0.8 0.35\"/>",
        half, 0.5 * slope, 0.5 * thick, x * c, x * s, h, -s, c, out * c, out * s, up);
}

static void write(double value, ts_text* mjcf) {
    static const char* const colour[] = {"0.93 0.55 0.18 1", "0.24 0.55 0.75 1", "0.45 0.68 0.36 1", "0.80 0.35 0.34 1",
                                         "0.58 0.45 0.70 1"};
    ts_rng rng = ts_rng_make(7, 0);
    int count = value >= 1.0 ? (int)fmin(value, 20000.0) : 1, side = (int)(1.2 / spacing);
    ts_text_add(
        mjcf,
        "<mujoco model=\"funnel\"><option timestep=\"%g\"/><custom>%s<numeric name=\"touchstone.contact_margin\" "
        "data=\"0.012\"/></custom><default><geom friction=\"0.3\"/></default><asset>",
        count > crowd ? 0.002 : 0.001,
        count > crowd
            ? "<numeric name=\"touchstone.iterations\" data=\"50\"/><text name=\"touchstone.solver\" data=\"ncp-pgs\"/>"
            : "");
    for (int k = 0; k < MESHES; ++k) {
        ts_text_add(mjcf, "<mesh name=\"stone%d\" vertex=\"", k);
        for (int i = 0; i < CORNERS; ++i) {
            double z = ts_rng_uniform_in(&rng, -1.0, 1.0), turn = ts_rng_uniform_in(&rng, 0.0, 2.0 * TS_PI),
                   r = sqrt(1.0 - z * z);
            ts_text_add(mjcf, "%.6g %.6g %.6g ", 1.2 * size * r * cos(turn), size * r * sin(turn), 0.9 * size * z);
        }
        ts_text_add(mjcf, "\"/>");
    }
    ts_text_add(mjcf, "</asset><worldbody><geom name=\"floor\" type=\"plane\" size=\"5 5 0.1\"/>");
    for (int i = 0; i < BOARDS; ++i) write_board(i, mjcf);
    for (int i = 0; i < count; ++i) {
        int layer = i / (side * side), row = i / side % side, column = i % side, kind = (i + layer + row) % KINDS;
        double q[4], sum = 0.0;
        for (int k = 0; k < 4; ++k) {
            q[k] = ts_rng_uniform_in(&rng, -1.0, 1.0);
            sum += q[k] * q[k];
        }
        ts_text_add(mjcf,
                    "<body name=\"object%d\" pos=\"%.6g %.6g %.6g\" quat=\"%.6g %.6g %.6g %.6g\"><freejoint/><geom "
                    "mass=\"0.1\" rgba=\"%s\" ",
                    i, spacing * (column - 0.5 * (side - 1)), spacing * (row - 0.5 * (side - 1)),
                    high + 0.1 + spacing * layer, q[0] + (sum == 0.0), q[1], q[2], q[3], colour[kind % 5]);
        if (kind < MESHES)
            ts_text_add(mjcf, "type=\"mesh\" mesh=\"stone%d\"", kind);
        else if (kind == MESHES)
            ts_text_add(mjcf, "type=\"box\" size=\"%g %g %g\"", size, 0.8 * size, 0.7 * size);
        else if (kind == MESHES + 1)
            ts_text_add(mjcf, "type=\"cylinder\" size=\"%g %g\"", 0.8 * size, 0.8 * size);
        else
            ts_text_add(mjcf, "type=\"capsule\" size=\"%g %g\"", 0.6 * size, 0.6 * size);
        ts_text_add(mjcf, "/></body>");
    }
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

// Whether a point is behind the funnel's boards, or under the floor.
static int is_out(ts_vec3 p) {
    double radius = mouth + (p.z - low) / (high - low) * (top - mouth);
    if (p.z < 0.0) return 1;
    return p.z > low && p.z < high && hypot(p.x, p.y) > radius / cos(TS_PI / BOARDS) + thick;
}

// numbers 0: most of them that were out at once, 1: deepest overlap, m, 2: how many are below the mouth.
static double observe(ts_lab_run* run, ts_sim* sim) {
    int out = 0, below = 0;
    for (int b = 1; b < sim->model->body_count; ++b) {
        ts_vec3 p = sim->kinematics.body_centre[b];
        out += is_out(p);
        below += p.z < low;
    }
    for (int i = 0; i < sim->contact_count; ++i) run->number[1] = fmax(run->number[1], -ts_sim_contact(sim, i).gap);
    run->number[0] = fmax(run->number[0], out);
    run->number[2] = below;
    return below;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    int count = sim->model->body_count - 1;
    for (int m = 0; m < 3 && run->traits & TS_TRAIT_STIFF; m += 2)
        ts_lab_spare(
            run, m, TS_TRAIT_SOFT,
            "a contact whose period is a step stops what falls within about one, and boards are eight steps thick");
    ts_lab_leave_open(run, 0, TS_TRAIT_ALONE | TS_TRAIT_FOREIGN,
                      "how deep a stone gets into a board before it is thrown back depends on how many contacts push");
    ts_lab_leave_open(run, 2, TS_TRAIT_FOREIGN, "how deep stones overlap depends on how many contacts push");
    ts_lab_tell(run, 0, run->number[0], 0.0, 0.5);
    ts_lab_tell(run, 1, count - run->number[2], 0.0, 0.5);
    ts_lab_tell(run, 2, 1e3 * run->number[1], 0.0, 5.0);
}

static const ts_measure measure[] = {
    {"objects beside it", "", "0: nothing goes through a board", TS_TRAIT_SOFT, NULL, 0},
    {"objects left in it", "", "0: the slope is steeper than friction, and the mouth is wide", 0, NULL, 0},
    {"deepest overlap", "mm", "no more than one step's fall at 5 m/s, 5 mm", TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_funnel_experiment = {
    .name = "funnel",
    .source = "GJK++ and its predecessors, the funnel, now with forces",
    .summary = "convex objects fall into a funnel, and out of its mouth",
    .write = write,
    .parameter = "objects",
    .values = counts,
    .value_count = 1,
    .solvers = "ncp,ncp-pgs,ccp-pgs,lcp-pgs,mujoco",
    .duration = 2.5,
    .slow = 1,
    .measure = measure,
    .measure_count = 3,
    .signal = "objects below the mouth",
    .observe = observe,
    .conclude = conclude,
};
