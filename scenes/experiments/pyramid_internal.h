// What slides on a friction pyramid, in closed form.
#ifndef TS_SCENES_PYRAMID_INTERNAL_H
#define TS_SCENES_PYRAMID_INTERNAL_H

#include "base/vec.h"
#include "scenes/experiments/experiment.h"

/// Where a cube stops, m, that slides from the origin with this speed (m/s) in a direction `angle` (rad) against the normal of facet 0, its friction
/// a regular polygon of so many sides around the disc of radius mu; in steps of `step` s. x: along that normal.
ts_vec3 ts_pyramid_slide(int facets, double angle, double speed, double mu, double gravity, double step);

/// Foretells measures 0 (sideways) and 1 (stopping distance), mm within `leeway` mm, of a run that began in that direction, and takes back that a pyramid
/// misses them where this one does not. Nothing for round or soft friction.
void ts_pyramid_foretell(ts_lab_run* run, double angle, double speed, double mu, double gravity, double step,
                         double leeway);

#endif
