// Ways out of an overlap beside the one found.
//
// Problem: where a core is curved the depth along a normal may have several minima close together: the two sides of an edge, two places
// of a rim, a corner beside a smooth side. The faces of a polytope do not tell them apart (epa.c takes normals of a few degrees, or 25
// where one is nearer between them, for one), and when such a minimum becomes the least deep one the answer jumps. Rule: Newton's method on the
// normal (polish.c) starts from rings of normals around the answer, each kept within less than its own angle, so that it cannot go back to
// the answer; where it settles on another minimum that counts. Farther off faces tell, but for those that are too coarse: there it starts from the 26 directions of a cube as well, less those
// around which no normal is shallow (the support point of one bounds the depth along all others from below).
// Guaranteed: what is returned is the depth along a normal, attained; nothing is missed that such a start leads to. Known failure:
// minima that none leads to, as they are narrower than half the angle at which they lie (docs/collision.md has how often).
#include "collision/distance/penetration/polish_internal.h"
#include "collision/distance/proximity_internal.h"

enum { RINGS = 5, SPOKES = 8, CUBE = 27 };
// rad: of the first ring; and by how much each is wider than the last, up to 20 degrees, beyond which EPA's faces tell.
static const double FIRST_RING = 0.02;
static const double WIDER = 2.0;
// How far a start may go, as a share of its angle.
static const double REACH = 0.7;
// rad: how far one of those far off may go; they are 45 degrees apart at most. And by how much of its size in that direction a difference may be deeper there before it is left out.
static const double FAR_REACH = 0.6;
static const double FAR_DEEPER = 0.1;
// Cosine of the angle to the answer within which rings have looked.
static const double LOOKED_AT = 0.9;
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

// Newton from `start`, kept within `reach` of it: how much deeper than `depth` along n it settles; infinite where it does not, or on the answer itself.
static double settle(const ts_shape_pair* pair, ts_vec3 n, double depth, ts_vec3 start, double reach) {
    ts_separation other;
    other.upper = (double)INFINITY;
    other.normal = ts_vec3_unit_or(start, n);
    other.lower = ts_shape_pair_gap(pair, other.normal, &other.point_a, &other.point_b);
    if (ts_polish_normal_near(pair, 1.0 - 0.5 * reach * reach, &other) == TS_POLISH_UNSETTLED) return (double)INFINITY;
    double deeper = fabs(-other.lower - depth), along = ts_vec3_dot(other.normal, n);
    if (along > SAME || (along > FLAT_SAME && deeper <= SAME_DEPTH * depth)) return (double)INFINITY;
    return deeper;
}

// Whether all normals within FAR_REACH of d are much deeper than the answer.
static int is_deep(const ts_shape_pair* pair, ts_vec3 d, double depth) {
    ts_vec3 a, b;
    double h = -ts_shape_pair_gap(pair, d, &a, &b);
    ts_vec3 w = ts_vec3_sub(a, b);
    double size = ts_vec3_norm(w), across = sqrt(fmax(size * size - h * h, 0.0));
    return h * cos(FAR_REACH) - across * sin(FAR_REACH) > depth + FAR_DEEPER * size;
}

double ts_rival_around(const ts_shape_pair* pair, ts_vec3 n, double depth) {
    double least = (double)INFINITY, angle = FIRST_RING;
    ts_vec3 u = ts_vec3_orthogonal(n), v = ts_vec3_cross(n, u);
    way w = {1.0, 0.0};
    for (int k = 0; k < RINGS * SPOKES; ++k) {
        ts_vec3 across = ts_vec3_add(ts_vec3_scale(w.u, u), ts_vec3_scale(w.v, v));
        least = fmin(least, settle(pair, n, depth, ts_vec3_add_scaled(n, angle, across), REACH * angle));
        w = turned(w, sqrt(0.5), sqrt(0.5));
        if (k % SPOKES == SPOKES - 1) {  // the next ring's spokes lie between
            w = turned(w, 0.96, 0.28);
            angle *= WIDER;
        }
    }
    for (int k = 0; k < CUBE; ++k) {
        ts_vec3 d = ts_vec3_make(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        if (k == CUBE / 2) continue;  // its middle is no direction
        d = ts_vec3_unit_or(d, n);
        if (ts_vec3_dot(d, n) > LOOKED_AT || is_deep(pair, d, depth)) continue;
        least = fmin(least, settle(pair, n, depth, d, FAR_REACH));
    }
    return least;
}
