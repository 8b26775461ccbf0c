// Points, rays, sweeps and clearances of sets, against brute force, closed forms and dense sampling.
#include "tests/collision/planar/planar_fixture.h"

#include "collision/planar/planar_clearance.h"
#include "collision/planar/planar_point.h"
#include "collision/planar/planar_sweep.h"

static ts_planar_polygon* rounded(ts_rng* rng, int k) {
    ts_planar_vec points[64];
    int count = random_points(rng, (planar_family)(k % FAMILY_COUNT), points);
    return built(points, count, k % 2 ? 0.3 : 0.0);
}

Test(planar_point, distance_is_that_of_brute_force) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int k = 0; k < 60000; ++k) {
        ts_planar_polygon* p = rounded(&rng, k);
        ts_planar_pose pose = random_pose(&rng, 2.0);
        ts_planar_vec at = {ts_rng_uniform_in(&rng, -3.0, 3.0), ts_rng_uniform_in(&rng, -3.0, 3.0)};
        if (k % 5 == 0) at = ts_planar_pose_point(pose, ts_planar_polygon_vertex(p, k % p->count));
        exact_polygon core = exactly(p, pose), point = {1, {{at.x, at.y}}};
        long double right = exact_distance(&core, &point) - p->radius;
        ts_planar_point_result r;
        cr_assert(ts_planar_point_distance(p, pose, at, &r));
        cr_assert(fabsl(r.distance - right) <= 64.0 * DBL_EPSILON * (p->reach + 6.0), "%.17g %.17Lg", r.distance,
                  right);
        cr_assert(fabs(ts_planar_vec_norm(r.normal) - 1.0) <= 1e-14);
        // The closest point is on the boundary, and the normal leads from it to the point.
        ts_planar_point_result on;
        cr_assert(ts_planar_point_distance(p, pose, r.closest, &on));
        cr_assert(fabs(on.distance) <= 1e-14, "%g (%g before, radius %g, %d vertices)", on.distance, r.distance,
                  p->radius, p->count);
        cr_assert(fabs(ts_planar_vec_dot(ts_planar_vec_sub(at, r.closest), r.normal) - r.distance) <= 1e-14);
        ts_planar_polygon_free(p);
    }
}

Test(planar_ray, hits_are_on_the_boundary_and_nothing_lies_before_them) {
    ts_rng rng = ts_rng_make(37, 0);
    int hits = 0, misses = 0;
    for (int k = 0; k < 60000; ++k) {
        ts_planar_polygon* p = rounded(&rng, k);
        ts_planar_pose pose = random_pose(&rng, 2.0);
        ts_planar_vec o = {ts_rng_uniform_in(&rng, -5.0, 5.0), ts_rng_uniform_in(&rng, -5.0, 5.0)};
        ts_planar_vec d = {ts_rng_uniform_in(&rng, -6.0, 6.0), ts_rng_uniform_in(&rng, -6.0, 6.0)};
        ts_planar_ray_hit hit;
        int found = ts_planar_ray_cast(p, pose, o, d, 1.0, &hit);
        double until = found ? hit.fraction : 1.0;
        ts_planar_point_result r;
        if (found) {
            ++hits;
            cr_assert(ts_planar_point_distance(p, pose, hit.point, &r));
            cr_assert(hit.starts_inside ? r.distance <= 0.0 : fabs(r.distance) <= 2e-13, "%g", r.distance);
            cr_assert(ts_planar_vec_dot(hit.normal, d) <= 1e-12);
            if (!hit.starts_inside && p->radius > 0.0)
                cr_assert(fabs(r.normal.x - hit.normal.x) + fabs(r.normal.y - hit.normal.y) <= 1e-6);
        } else {
            ++misses;
        }
        // The segment up to there, as a polygon of its own, is apart or just touches.
        ts_planar_vec ends[2] = {o, ts_planar_vec_add_scaled(o, until, d)};
        if (until > 1e-6) {
            ts_planar_polygon* segment = built(ends, 2, 0.0);
            ts_planar_result apart;
            ts_planar_distance(p, pose, segment, ts_planar_pose_identity(), NULL, NULL, &apart);
            cr_assert(apart.distance >= -1e-12, "%.17g before the hit at %g", apart.distance, until);
            ts_planar_polygon_free(segment);
        }
        ts_planar_polygon_free(p);
    }
    cr_assert(hits > 5000 && misses > 5000);
}

Test(planar_ray, limits_and_bad_input) {
    ts_planar_polygon* box;
    cr_assert_eq(ts_planar_polygon_box(ts_planar_vec_make(1.0, 1.0), 0.0, &box, NULL), TS_OK);
    ts_planar_pose pose = ts_planar_pose_make(5.0, 0.0, 1.0, 0.0), broken = pose;
    broken.rotation.x = (double)NAN;
    ts_planar_vec o = {0.0, 0.0}, d = {2.0, 0.0}, nan = {(double)NAN, 0.0};
    ts_planar_ray_hit hit;
    cr_assert(ts_planar_ray_cast(box, pose, o, d, 2.0, &hit));
    cr_assert_eq(hit.fraction, 2.0);
    cr_assert_eq(hit.normal.x, -1.0);
    cr_assert_not(ts_planar_ray_cast(box, pose, o, d, 1.999, &hit));
    cr_assert_not(ts_planar_ray_cast(box, broken, o, d, 2.0, &hit));
    cr_assert_not(ts_planar_ray_cast(box, pose, nan, d, 2.0, &hit));
    cr_assert_not(ts_planar_ray_cast(box, pose, o, nan, 2.0, &hit));
    cr_assert_not(ts_planar_ray_cast(box, pose, o, d, (double)NAN, &hit));
    ts_planar_point_result r;
    cr_assert_not(ts_planar_point_distance(box, broken, o, &r));
    cr_assert_not(ts_planar_point_distance(box, pose, nan, &r));
    ts_planar_polygon_free(box);
}

// A motion between two random poses a quarter turn apart at most.
static ts_planar_motion random_motion(ts_rng* rng, double range) {
    ts_planar_motion m;
    do {
        m.start = random_pose(rng, range);
        m.end = random_pose(rng, range);
    } while (ts_planar_vec_dot(m.start.rotation, m.end.rotation) < 0.05);
    return m;
}

Test(planar_sweep, nothing_touches_before_the_reported_contact) {
    ts_rng rng = ts_rng_make(41, 0);
    int hits = 0, clear = 0;
    for (int k = 0; k < 4000; ++k) {
        ts_planar_polygon *a = rounded(&rng, k), *b = rounded(&rng, k / 3);
        ts_planar_motion ma = random_motion(&rng, 4.0), mb = random_motion(&rng, 4.0);
        if (k % 4 == 0) ma.end.rotation = ma.start.rotation, mb.end.rotation = mb.start.rotation;
        ts_planar_sweep_settings settings = ts_planar_sweep_settings_default();
        settings.target = k % 5 ? 0.0 : 0.05;
        settings.iteration_limit = 1000;
        ts_planar_sweep_result r;
        ts_planar_sweep(a, &ma, b, &mb, &settings, &r);
        cr_assert(r.status != TS_PLANAR_SWEEP_INVALID && r.status != TS_PLANAR_SWEEP_LIMIT, "%d", (int)r.status);
        ts_planar_result at;
        for (int i = 0; i <= 200 && r.status != TS_PLANAR_SWEEP_OVERLAP; ++i) {
            double t = r.fraction * i / 200.0;
            ts_planar_distance(a, ts_planar_motion_at(&ma, t), b, ts_planar_motion_at(&mb, t), NULL, NULL, &at);
            cr_assert(at.distance >= settings.target - 1e-12, "%g at %g of %g", at.distance, t, r.fraction);
        }
        if (r.status == TS_PLANAR_SWEEP_HIT) {
            ++hits;
            cr_assert(r.near.distance <= settings.target + 1e-6 + 1e-12);
            if (k % 4 == 0) cr_assert(r.iterations <= 12, "%d", r.iterations);
        }
        clear += r.status == TS_PLANAR_SWEEP_CLEAR;
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
    cr_assert(hits > 500 && clear > 500, "%d %d", hits, clear);
}

Test(planar_sweep, a_box_falls_on_the_floor_when_it_should) {
    ts_planar_polygon *box, *floor;
    cr_assert_eq(ts_planar_polygon_box(ts_planar_vec_make(0.5, 0.5), 0.0, &box, NULL), TS_OK);
    cr_assert_eq(ts_planar_polygon_box(ts_planar_vec_make(10.0, 1.0), 0.0, &floor, NULL), TS_OK);
    ts_planar_motion still = {ts_planar_pose_make(0.0, -1.0, 1.0, 0.0), ts_planar_pose_make(0.0, -1.0, 1.0, 0.0)};
    ts_planar_motion fall = {ts_planar_pose_make(0.0, 4.5, 1.0, 0.0), ts_planar_pose_make(0.0, -3.5, 1.0, 0.0)};
    ts_planar_sweep_result r;
    ts_planar_sweep(box, &fall, floor, &still, NULL, &r);
    cr_assert_eq(r.status, TS_PLANAR_SWEEP_HIT);
    cr_assert_float_eq(r.fraction, 0.5, 1e-6);
    cr_assert(r.iterations <= 3);
    fall.end.rotation = ts_planar_vec_make(-1.0, 0.0);
    ts_planar_sweep(box, &fall, floor, &still, NULL, &r);
    cr_assert_eq(r.status, TS_PLANAR_SWEEP_INVALID, "half a turn has no short way");
    fall.end.rotation = ts_planar_vec_make((double)NAN, 0.0);
    ts_planar_sweep(box, &fall, floor, &still, NULL, &r);
    cr_assert_eq(r.status, TS_PLANAR_SWEEP_INVALID);
    ts_planar_polygon_free(box);
    ts_planar_polygon_free(floor);
}

Test(planar_clearance, is_the_least_of_all_pairs) {
    ts_rng rng = ts_rng_make(43, 0);
    enum { PARTS = 4, OBSTACLES = 30 };
    for (int k = 0; k < 300; ++k) {
        ts_planar_body part[PARTS], obstacle[OBSTACLES];
        for (int i = 0; i < PARTS; ++i) {
            part[i].polygon = rounded(&rng, k + i);
            part[i].pose = random_pose(&rng, 1.0);
        }
        for (int i = 0; i < OBSTACLES; ++i) {
            obstacle[i].polygon = rounded(&rng, k + 3 * i);
            obstacle[i].pose = random_pose(&rng, 12.0);
        }
        ts_planar_pose robot[3] = {random_pose(&rng, 8.0), random_pose(&rng, 8.0), {{0.0, 0.0}, {(double)NAN, 0.0}}};
        double clearance[3];
        ts_planar_clearance_of_poses(part, PARTS, robot, 3, obstacle, OBSTACLES, 2.0, clearance);
        for (int m = 0; m < 2; ++m) {
            ts_planar_body placed[PARTS];
            double least = (double)INFINITY;
            int which[2] = {-1, -1}, first_hit[2] = {-1, -1};
            for (int i = 0; i < PARTS; ++i) {
                placed[i].polygon = part[i].polygon;
                placed[i].pose = ts_planar_pose_compose(robot[m], part[i].pose);
                for (int j = 0; j < OBSTACLES; ++j) {
                    ts_planar_result r;
                    ts_planar_distance(placed[i].polygon, placed[i].pose, obstacle[j].polygon, obstacle[j].pose, NULL,
                                       NULL, &r);
                    if (r.distance <= 0.1 && first_hit[0] < 0) first_hit[0] = i, first_hit[1] = j;
                    if (r.distance < least) least = r.distance, which[0] = i, which[1] = j;
                }
            }
            cr_assert(fabs(clearance[m] - fmin(least, 2.0)) <= 1e-13);
            ts_planar_clearance_result found;
            ts_planar_clearance(placed, PARTS, obstacle, OBSTACLES, (double)INFINITY, &found);
            cr_assert(found.first == which[0] && found.second == which[1] && found.pair.distance == least);
            int hit[2];
            ts_planar_verdict verdict =
                ts_planar_clearance_collides(placed, PARTS, obstacle, OBSTACLES, 0.1, &hit[0], &hit[1]);
            cr_assert_eq(verdict, first_hit[0] < 0 ? TS_PLANAR_APART : TS_PLANAR_OVERLAP);
            cr_assert(hit[0] == first_hit[0] && hit[1] == first_hit[1]);
        }
        cr_assert(isnan(clearance[2]));
        for (int i = 0; i < PARTS; ++i) ts_planar_polygon_free((ts_planar_polygon*)part[i].polygon);
        for (int i = 0; i < OBSTACLES; ++i) ts_planar_polygon_free((ts_planar_polygon*)obstacle[i].polygon);
    }
}
