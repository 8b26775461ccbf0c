// Tendons of a model: lengths that follow from many joints at once.
//
// A fixed tendon is as long as a sum of coefficients times joint positions. A spatial one is the shortest way from site to site: straight, or around
// a sphere or a cylinder that stands between two sites; what follows a pulley counts its divisor less, and begins anew.
#ifndef TS_ENGINE_TENDON_H
#define TS_ENGINE_TENDON_H

#include "engine/model/actuator.h"
#include "engine/model/softness.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What of a spring and a damper is not linear: with x the stretch and v its rate the force is, beside the linear -k x - d v,
/// -spring[0] x^2 - spring[1] x^3 - damping[0] v |v| - damping[1] v^3. As in MuJoCo 4.
typedef struct ts_curve {
    int is_there;  // nonzero when one of the numbers is not zero
    double spring[2];
    double damping[2];
} ts_curve;

/// A curve's force at stretch x and rate v, and minus its slopes by both.
static inline double ts_curve_force(const ts_curve* curve, double x, double v, double* out_stiffness,
                                    double* out_damping) {
    double speed = v < 0.0 ? -v : v;
    *out_stiffness = (2.0 * curve->spring[0] + 3.0 * curve->spring[1] * x) * x;
    *out_damping = (2.0 * curve->damping[0] + 3.0 * curve->damping[1] * speed) * speed;
    return -(curve->spring[0] + curve->spring[1] * x) * x * x -
           (curve->damping[0] + curve->damping[1] * speed) * speed * v;
}

/// Its energy, J: of the spring alone.
static inline double ts_curve_energy(const ts_curve* curve, double x) {
    return (curve->spring[0] / 3.0 + 0.25 * curve->spring[1] * x) * x * x * x;
}

/// What a part of a tendon is.
typedef enum ts_tendon_part_kind {
    TS_TENDON_JOINT,   // `number` times a joint's position: of fixed tendons
    TS_TENDON_SITE,    // passes through a site
    TS_TENDON_PULLEY,  // from here on divided by `number`
    TS_TENDON_GEOM     // around a sphere or a cylinder, where it is in the way
} ts_tendon_part_kind;

/// A part of a tendon.
typedef struct ts_tendon_part {
    ts_tendon_part_kind kind;
    int index;      // joint, site or geom
    int side;       // geom: the site on the side of which it passes, or -1: the shorter way
    double number;  // coefficient or divisor
} ts_tendon_part;

/// A tendon. Forces are along it, N (or N m where it is an angle).
typedef struct ts_tendon {
    const char* name;
    int part_first;  // parts [part_first, part_first + part_count)
    int part_count;
    ts_limits limits;  // m or rad: of its length
    double spring;     // N/m
    double rest[2];    // m: the spring pulls outside of these lengths
    double damping;    // N s/m
    double friction;   // N, dry friction
    ts_curve curve;    // what of spring and damper is not linear
    ts_stop_softness softness;
    double length0;  // m, with all joints at their references
} ts_tendon;

#ifdef __cplusplus
}
#endif
#endif
