// Time of contact by conservative advancement.
//
// Problem: the least t in [0, 1] at which two moving convex polygons are within `target` of each other.
// Rule: at time t, with distance d along the separating direction n, no point of either body closes that gap faster
// than v = <n, dp_a - dp_b> + w_a r_a + w_b r_b, so t + (d - target) / v is still clear; go there and ask again
// (Mirtich, PhD thesis, Berkeley 1996). For a heading on the chord between unit complex numbers an angle D apart, the
// angular rate is at most 2 tan(D / 2) = 2 |cross| / (1 + dot): no trigonometry.
// Guaranteed: `fraction` is never past the contact. Without turning, each step reaches the separating line exactly, so
// few steps suffice.
// Known limit: with turning the approach is linear; a graze slows it down, hence the tolerance and LIMIT.
#include "collision/planar/planar_sweep.h"

#include "base/assert.h"
#include "collision/planar/planar_query_internal.h"

#include <stddef.h>

ts_planar_sweep_settings ts_planar_sweep_settings_default(void) {
    ts_planar_sweep_settings settings = {0.0, 1e-6, 64};
    return settings;
}

ts_planar_pose ts_planar_motion_at(const ts_planar_motion* motion, double fraction) {
    double f = fraction, g = 1.0 - fraction;
    const ts_planar_pose *s = &motion->start, *e = &motion->end;
    return ts_planar_pose_make(g * s->position.x + f * e->position.x, g * s->position.y + f * e->position.y,
                               g * s->rotation.x + f * e->rotation.x, g * s->rotation.y + f * e->rotation.y);
}

// Puts the rotations right; the fastest that a core vertex moves by turning, m per unit of fraction, or -1.
static double turning_speed(const ts_planar_polygon* polygon, ts_planar_motion* motion) {
    if (!planar_tidy_pose(&motion->start) || !planar_tidy_pose(&motion->end)) return -1.0;
    double dot = ts_planar_vec_dot(motion->start.rotation, motion->end.rotation);
    if (!(dot >= -1e-9)) return -1.0;
    double rate = 2.0 * fabs(ts_planar_vec_cross(motion->start.rotation, motion->end.rotation)) / (1.0 + dot);
    return rate * (ts_planar_vec_norm(polygon->centre) + polygon->reach);
}

void ts_planar_sweep(const ts_planar_polygon* a, const ts_planar_motion* motion_a, const ts_planar_polygon* b,
                     const ts_planar_motion* motion_b, const ts_planar_sweep_settings* settings,
                     ts_planar_sweep_result* out_result) {
    TS_ASSERT(a && b && motion_a && motion_b && out_result);
    ts_planar_sweep_settings chosen = settings ? *settings : ts_planar_sweep_settings_default();
    ts_planar_sweep_result out = {TS_PLANAR_SWEEP_INVALID,
                                  0,
                                  0.0,
                                  {TS_PLANAR_INVALID_INPUT, 0, 0, 0.0, 0.0, 0.0, {1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}};
    *out_result = out;
    ts_planar_motion ma = *motion_a, mb = *motion_b;
    double turn_a = turning_speed(a, &ma), turn_b = turning_speed(b, &mb);
    if (turn_a < 0.0 || turn_b < 0.0 || !(chosen.tolerance > 0.0) || !(fabs(chosen.target) <= 1e30)) return;
    ts_planar_vec closing = ts_planar_vec_sub(ts_planar_vec_sub(ma.end.position, ma.start.position),
                                              ts_planar_vec_sub(mb.end.position, mb.start.position));
    out.status = TS_PLANAR_SWEEP_LIMIT;
    while (out.iterations < chosen.iteration_limit) {
        ts_planar_distance(a, ts_planar_motion_at(&ma, out.fraction), b, ts_planar_motion_at(&mb, out.fraction), NULL,
                           NULL, &out.near);
        ++out.iterations;
        if (out.near.status == TS_PLANAR_INVALID_INPUT) {
            out.status = TS_PLANAR_SWEEP_INVALID;
            break;
        }
        double left = out.near.lower - chosen.target;
        if (left <= chosen.tolerance) {
            int at_start = out.iterations == 1 && left <= 0.0;
            out.status = at_start ? TS_PLANAR_SWEEP_OVERLAP : TS_PLANAR_SWEEP_HIT;
            break;
        }
        double speed = ts_planar_vec_dot(out.near.normal, closing) + turn_a + turn_b;
        double step = left / speed;
        if (out.fraction >= 1.0 || speed <= 0.0 || !(out.fraction + step < 1.0)) {
            // The last stretch is clear too: say so with the pair as it is at the end.
            out.fraction = 1.0;
            ts_planar_distance(a, ma.end, b, mb.end, NULL, NULL, &out.near);
            ++out.iterations;
            out.status = TS_PLANAR_SWEEP_CLEAR;
            break;
        }
        out.fraction += step;
    }
    *out_result = out;
}
