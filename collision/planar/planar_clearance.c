// Clearance of sets of polygons.
//
// Problem: the nearest pair of two sets, and whether any pair collides.
// Rule: the disc around a polygon bounds its distance to others from below; a pair whose discs are farther apart than
// the best pair so far is not asked about. What is left gets the exact query.
// Guaranteed: the same answer as asking about all pairs, in the same order.
// Known limit: every pair is looked at, first_count * second_count disc tests; thousands of obstacles want a broad phase.
#include "collision/planar/planar_clearance.h"

#include "base/assert.h"
#include "collision/planar/planar_query_internal.h"

#include <stddef.h>

// A lower bound of the distance of two bodies from the discs around them; NAN when a pose is.
static double disc_gap(const ts_planar_body* a, const ts_planar_body* b) {
    ts_planar_vec p = ts_planar_pose_point(a->pose, a->polygon->centre);
    ts_planar_vec q = ts_planar_pose_point(b->pose, b->polygon->centre);
    double reach = (a->polygon->reach + a->polygon->radius) + (b->polygon->reach + b->polygon->radius);
    double apart = ts_planar_vec_norm(ts_planar_vec_sub(q, p));
    // Rotations may be off by a percent before they are put right; then the bound is looser.
    double loose = planar_poses_are_tidy(&a->pose, &b->pose)
                       ? 16.0 * DBL_EPSILON * (fabs(p.x) + fabs(p.y) + fabs(q.x) + fabs(q.y) + reach)
                       : 0.05 * (ts_planar_vec_norm(a->polygon->centre) + ts_planar_vec_norm(b->polygon->centre));
    return apart - reach - loose;
}

void ts_planar_clearance(const ts_planar_body* first, int first_count, const ts_planar_body* second, int second_count,
                         double give_up_distance, ts_planar_clearance_result* out_result) {
    TS_ASSERT(out_result && first_count >= 0 && second_count >= 0);
    ts_planar_clearance_result best = {-1,
                                       -1,
                                       {TS_PLANAR_SEPARATED_EARLY,
                                        0,
                                        0,
                                        give_up_distance,
                                        give_up_distance,
                                        (double)INFINITY,
                                        {1.0, 0.0},
                                        {0.0, 0.0},
                                        {0.0, 0.0}}};
    for (int i = 0; i < first_count; ++i)
        for (int j = 0; j < second_count; ++j) {
            if (disc_gap(&first[i], &second[j]) >= best.pair.distance) continue;
            ts_planar_result found;
            ts_planar_distance(first[i].polygon, first[i].pose, second[j].polygon, second[j].pose, NULL, NULL, &found);
            if (found.status != TS_PLANAR_INVALID_INPUT && !(found.distance < best.pair.distance)) continue;
            best.first = i;
            best.second = j;
            best.pair = found;
            if (found.status == TS_PLANAR_INVALID_INPUT) {
                *out_result = best;
                return;
            }
        }
    *out_result = best;
}

ts_planar_verdict ts_planar_clearance_collides(const ts_planar_body* first, int first_count,
                                               const ts_planar_body* second, int second_count, double margin,
                                               int* out_first, int* out_second) {
    for (int i = 0; i < first_count; ++i)
        for (int j = 0; j < second_count; ++j) {
            ts_planar_verdict verdict = ts_planar_overlap(first[i].polygon, first[i].pose, second[j].polygon,
                                                          second[j].pose, margin, TS_PLANAR_SUPPORT_AUTO, NULL);
            if (verdict == TS_PLANAR_APART) continue;
            if (out_first) *out_first = i;
            if (out_second) *out_second = j;
            return verdict;
        }
    if (out_first) *out_first = -1;
    if (out_second) *out_second = -1;
    return TS_PLANAR_APART;
}

void ts_planar_clearance_of_poses(const ts_planar_body* parts, int part_count, const ts_planar_pose* pose,
                                  int pose_count, const ts_planar_body* obstacles, int obstacle_count,
                                  double give_up_distance, double* out_clearance) {
    for (int k = 0; k < pose_count; ++k) {
        out_clearance[k] = give_up_distance;
        for (int i = 0; i < part_count && out_clearance[k] == out_clearance[k]; ++i) {
            ts_planar_body part = {parts[i].polygon, ts_planar_pose_compose(pose[k], parts[i].pose)};
            int valid = planar_tidy_pose(&part.pose);  // products of unit numbers drift from the circle
            ts_planar_clearance_result found;
            ts_planar_clearance(&part, 1, obstacles, obstacle_count, out_clearance[k], &found);
            int bad = !valid || (found.first >= 0 && found.pair.status == TS_PLANAR_INVALID_INPUT);
            if (bad || found.first >= 0) out_clearance[k] = bad ? (double)NAN : found.pair.distance;
        }
    }
}
