// Friction of greatest dissipation on a regular polygon is the corner nearest to the slip's direction, mu g / cos(pi / k) strong. It slows the slip down
// along that corner's direction alone, so that the slip turns away from it, until it is along the normal of the facet; there friction lies within the
// facet and opposes the slip, mu g strong, to the end. On four facets that is a slider of its own for each axis.
#include "scenes/experiments/pyramid_internal.h"

#include "base/scalar.h"

#include <math.h>

ts_vec3 ts_pyramid_slide(int facets, double angle, double speed, double mu, double gravity, double step) {
    double half = TS_PI / facets, corner = half + 2.0 * half * floor(angle / (2.0 * half)), b = angle - corner;
    double slowing = mu * gravity / cos(half), along = cos(b), across = fabs(sin(b));
    // In the corner's direction and away from it, to the facet's normal, and along that.
    double least = across / tan(half), time = speed * (along - least) / slowing, rest = speed * across / sin(half);
    double x = 0.5 * speed * speed * (along * along - least * least) / slowing, y = speed * across * time;
    double last = 0.5 * rest * rest / (mu * gravity), side = b < 0.0 ? -1.0 : 1.0;
    x += last * cos(half);
    y = side * (y + last * sin(half));
    // Positions follow the velocity at the end of a step: half a step's travel is missing.
    x -= 0.5 * step * speed * cos(b);
    y -= 0.5 * step * speed * sin(b);
    return ts_vec3_make(x * cos(corner) - y * sin(corner), x * sin(corner) + y * cos(corner), 0.0);
}

void ts_pyramid_foretell(ts_lab_run* run, double angle, double speed, double mu, double gravity, double step,
                         double leeway) {
    if (run->facets == 0 || run->traits & TS_TRAIT_SOFT) return;
    ts_vec3 at = ts_pyramid_slide(run->facets, angle, speed, mu, gravity, step);
    double c = cos(angle), s = sin(angle), stop = 0.5 * speed * speed / (mu * gravity) - 0.5 * step * speed;
    double along = at.x * c + at.y * s, aside = at.y * c - at.x * s;
    if (fabs(aside) < 1e-12) run->missed_by[0] &= ~(unsigned)TS_TRAIT_PYRAMID;
    if (fabs(along - stop) < 1e-12) run->missed_by[1] &= ~(unsigned)TS_TRAIT_PYRAMID;
    ts_lab_foretell(run, 0, 1e3 * aside, leeway);
    ts_lab_foretell(run, 1, 1e3 * along, leeway);
}
