// Ways out of an overlap that lie a few degrees from the one found.
//
// Problem: where a core is curved the depth along a normal may have several minima close together: the two sides of an edge, two places
// of a rim, a corner beside a smooth side. The faces of a polytope do not tell them apart (epa.c takes normals of a few degrees, or 25
// where one is nearer between them, for one), and when such a minimum becomes the least deep one the answer jumps. Rule: Newton's method on the
// normal (polish.c) starts from rings of normals around the answer, each kept within less than its own angle, so that it cannot go back to
// the answer; where it settles on another minimum that counts.
// Guaranteed: what is returned is the depth along a normal, attained; nothing is missed that such a start leads to. Known failure:
// minima that none leads to, as they are narrower than half the angle at which they lie.
#include "collision/distance/penetration/polish_internal.h"
#include "collision/distance/proximity_internal.h"

enum { RINGS = 5, SPOKES = 8 };
// rad: of the first ring; and by how much each is wider than the last, up to 20 degrees, beyond which EPA's faces tell.
static const double FIRST_RING = 0.02;
static const double WIDER = 2.0;
// How far a start may go, as a share of its angle.
static const double REACH = 0.7;
// Cosine of the angle (a thousandth) up to which two normals that Newton has settled on are one, and of that up to which they are if they are
// as deep to this fraction.
static const double SAME = 1.0 - 5e-7;
static const double FLAT_SAME = 0.999;
static const double SAME_DEPTH = 1e-9;

// A direction across the answer, by two tangents.
typedef struct way {
    double u, v;
} way;

// Turned by the angle with that cosine and sine.
static way turned(way w, double c, double s) {
    way to = {c * w.u - s * w.v, s * w.u + c * w.v};
    return to;
}

double ts_rival_around(const ts_shape_pair* pair, ts_vec3 n, double depth) {
    double least = (double)INFINITY, angle = FIRST_RING;
    ts_vec3 u = ts_vec3_orthogonal(n), v = ts_vec3_cross(n, u);
    way w = {1.0, 0.0};
    for (int k = 0; k < RINGS * SPOKES; ++k) {
        ts_separation other;
        other.upper = (double)INFINITY;
        other.normal = ts_vec3_add(n, ts_vec3_scale(angle, ts_vec3_add(ts_vec3_scale(w.u, u), ts_vec3_scale(w.v, v))));
        other.normal = ts_vec3_unit_or(other.normal, n);
        other.lower = ts_shape_pair_gap(pair, other.normal, &other.point_a, &other.point_b);
        double near = 1.0 - 0.5 * (REACH * angle) * (REACH * angle);
        w = turned(w, sqrt(0.5), sqrt(0.5));
        if (k % SPOKES == SPOKES - 1) {  // the next ring's spokes lie between
            w = turned(w, 0.96, 0.28);
            angle *= WIDER;
        }
        if (ts_polish_normal_near(pair, near, &other) == TS_POLISH_UNSETTLED) continue;
        double deeper = fabs(-other.lower - depth), along = ts_vec3_dot(other.normal, n);
        if (along > SAME || (along > FLAT_SAME && deeper <= SAME_DEPTH * depth)) continue;
        least = fmin(least, deeper);
    }
    return least;
}
