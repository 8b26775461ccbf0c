// Mass properties of shapes with a ball around their cores, for `mass_rounded` of their kinds. Not for use outside collision/.
#ifndef TS_COLLISION_MASS_ROUNDED_INTERNAL_H
#define TS_COLLISION_MASS_ROUNDED_INTERNAL_H

#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of a shape of that kind.
ts_mass_properties ts_mass_rounded_box(const ts_shape* shape);
ts_mass_properties ts_mass_rounded_hull(const ts_shape* shape);
ts_mass_properties ts_mass_rounded_ellipsoid(const ts_shape* shape);
ts_mass_properties ts_mass_rounded_triangle(const ts_shape* shape);
ts_mass_properties ts_mass_rounded_cylinder(const ts_shape* shape);
ts_mass_properties ts_mass_rounded_cone(const ts_shape* shape);

#ifdef __cplusplus
}
#endif
#endif
