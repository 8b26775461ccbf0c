// The shortest way from point to point around a sphere or a cylinder.
#ifndef TS_ENGINE_TENDON_WRAP_INTERNAL_H
#define TS_ENGINE_TENDON_WRAP_INTERNAL_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether ways around this geom are known: spheres, and cylinders, which count as endless.
int ts_tendon_can_wrap(const ts_geom* geom);

/// The length of the curved part of the way from a to b around a geom at `pose`, and where it begins and ends (world); negative where the way is
/// straight. `side` is a point on whose side it shall pass, or NULL: the shorter way.
double ts_tendon_wrap(const ts_geom* geom, const ts_transform* pose, ts_vec3 a, ts_vec3 b, const ts_vec3* side,
                      ts_vec3 out_touch[2]);

/// The point at a share t, 0 to 1, of that curved part: `from` is the a of ts_tendon_wrap, `touch` and `length` what it gave.
ts_vec3 ts_tendon_arc(const ts_geom* geom, const ts_transform* pose, ts_vec3 from, const ts_vec3 touch[2],
                      double length, double t);

#ifdef __cplusplus
}
#endif
#endif
