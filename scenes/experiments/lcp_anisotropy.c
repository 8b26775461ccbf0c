// Fig. 9: the cube slides along y at 1 m/s, mu 0.4, with the friction axes turned by 22.5 degrees. In discrete time it stops after
// v^2 / (2 mu g) less half a step's travel, 126.921 mm. A pyramid of four facets ends 24.38 mm to the side and 107.12 mm ahead; of eight,
// along an edge, straight ahead at 117.2 mm; of sixteen, across a facet, where it should.
#include "base/scalar.h"
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/pyramid_internal.h"

static double observe(ts_lab_run* run, ts_sim* sim) {
    return 1e3 * sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")].x;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    ts_vec3 at = sim->kinematics.body_centre[run->body[0]];
    double stop = 1.0 / (2.0 * 0.4 * 9.81) - 0.5 * sim->options.time_step;
    ts_lab_tell(run, 0, 1e3 * at.x, 0.0, 0.1);
    ts_lab_tell(run, 1, 1e3 * at.y, 1e3 * stop, 0.127);
    double normal, tangent;
    ts_lab_softness(sim, &normal, &tangent);
    if (run->traits & TS_TRAIT_STIFF && 0.4 * ts_lab_sinkage(sim, normal, 9.81) < 1.27e-4)
        ts_lab_spare(run, 1, TS_TRAIT_SOFT,
                     "while friction is mu N, the way is off by mu times the sinkage, some micrometres");
    for (int m = 0; m < 2; ++m)
        ts_lab_leave_open(run, m, TS_TRAIT_FOREIGN, "another engine chooses the axes of its contacts itself");
    if (run->traits & TS_TRAIT_SOFT) return;  // what is foretold is of rigid contacts
    if (run->traits & TS_TRAIT_ASIDE) ts_lab_foretell(run, 1, 128.498, 0.128);
    // Its signs are those of the axes, which are turned the other way round.
    ts_pyramid_foretell(run, 22.5 * TS_PI / 180.0, 1.0, 0.4, 9.81, sim->options.time_step, 0.024);
}

static const ts_measure measure[] = {
    {"sideways", "mm", "0; on four facets -24.38", TS_TRAIT_PYRAMID, NULL, 0},
    {"stopping distance", "mm", "v^2 / (2 mu g) less half a step's travel; on four facets 107.12",
     TS_TRAIT_PYRAMID | TS_TRAIT_ASIDE | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_lcp_anisotropy_experiment = {
    .name = "lcp-anisotropy",
    .source = "Contact Models in Robotics, Fig. 9",
    .summary = "friction pyramids pull a sliding cube sideways and stop it early; cones do not",
    .scene = "sliding-cube-rotated",
    .solvers = "all",
    .duration = 1.098,
    .signal = "sideways [mm]",
    .observe = observe,
    .conclude = conclude,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
};
