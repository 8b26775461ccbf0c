// Claims about manifolds: how many points, where, with which gaps, and that labels last.
#include "tests/collision/collision_fixture.h"

#include "collision/manifold/manifold.h"
#include "collision/manifold/manifold_internal.h"

static const ts_manifold_settings usual = {0.02, 4, 0.0};

static ts_manifold collide(ts_shape a, ts_transform pa, ts_shape b, ts_transform pb) {
    ts_manifold m;
    ts_manifold_collide(&a, &pa, &b, &pb, &usual, 0, &m);
    return m;
}

// Every point has the gap and the normal expected, and labels differ.
static void expect_flat(const ts_manifold* m, int count, ts_vec3 normal, double gap, const char* what) {
    cr_expect_eq(m->count, count, "%s: %d points at gap %g", what, m->count, gap);
    cr_expect_leq(ts_vec3_distance(m->normal, normal), 1e-12, "%s: normal (%g %g %g)", what, m->normal.x, m->normal.y,
                  m->normal.z);
    for (int i = 0; i < m->count; ++i) {
        cr_expect_float_eq(m->point[i].gap, gap, 1e-12, "%s: gap %.17g, not %g", what, m->point[i].gap, gap);
        for (int j = 0; j < i; ++j) cr_expect_neq(m->point[i].feature, m->point[j].feature, "%s", what);
    }
}

typedef struct resting_case {
    const char* what;
    ts_shape lower, upper;
    double height;    // of the upper frame at gap 0
    int lying;        // the upper shape turned by 90 degrees about y
    int lower_lying;  // the lower one
    double dx;        // sideways offset
    int count;
} resting_case;

Test(manifold, resting_pairs_have_all_their_points_at_every_gap) {
    ts_hull* hull = box_hull(ts_vec3_make(1.0, 1.0, 1.0));
    ts_shape plane = ts_shape_plane(), box = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), cube = ts_shape_hull(hull);
    ts_shape small = ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), ball = ts_shape_sphere(0.4);
    ts_shape capsule = ts_shape_capsule(0.2, 0.5), cylinder = ts_shape_cylinder(0.3, 0.5);
    ts_shape egg = ts_shape_ellipsoid(ts_vec3_make(0.2, 0.3, 0.4));
    const resting_case cases[] = {
        {"sphere on plane", plane, ball, 0.4, 0, 0, 0.0, 1},
        {"capsule lying on plane", plane, capsule, 0.2, 1, 0, 0.0, 2},
        {"capsule standing on plane", plane, capsule, 0.7, 0, 0, 0.0, 1},
        {"ellipsoid on plane", plane, egg, 0.4, 0, 0, 0.0, 1},
        {"cylinder standing on plane", plane, cylinder, 0.5, 0, 0, 0.0, 4},
        {"cylinder lying on plane", plane, cylinder, 0.3, 1, 0, 0.0, 2},
        {"box on plane", plane, box, 1.0, 0, 0, 0.0, 4},
        {"hull on plane", plane, cube, 1.0, 0, 0, 0.0, 4},
        {"sphere on box", box, ball, 1.4, 0, 0, 0.1, 1},
        {"capsule lying on box", box, capsule, 1.2, 1, 0, 0.1, 2},
        {"capsule lying half beyond a box", box, capsule, 1.2, 1, 0, 0.8, 2},
        {"capsule standing on box", box, capsule, 1.7, 0, 0, 0.1, 1},
        {"ellipsoid on box", box, egg, 1.4, 0, 0, 0.1, 1},
        {"cylinder standing on box", box, cylinder, 1.5, 0, 0, 0.1, 4},
        {"cylinder lying on box", box, cylinder, 1.3, 1, 0, 0.1, 2},
        {"box on box", box, box, 2.0, 0, 0, 0.0, 4},
        {"box beside the middle of a box", box, box, 2.0, 0, 0, 0.7, 4},
        {"small box on box", box, small, 1.1, 0, 0, 0.5, 4},
        {"hull on box", box, cube, 2.0, 0, 0, 0.2, 4},
        {"hull on hull", cube, cube, 2.0, 0, 0, 0.3, 4},
        {"hull on hull, aligned", cube, cube, 2.0, 0, 0, 0.0, 4},
        {"capsule lying on hull", cube, capsule, 1.2, 1, 0, 0.1, 2},
        {"cylinder standing on hull", cube, cylinder, 1.5, 0, 0, 0.1, 4},
        {"cylinder lying on hull", cube, cylinder, 1.3, 1, 0, 0.1, 2},
        {"ellipsoid on hull", cube, egg, 1.4, 0, 0, 0.1, 1},
        {"sphere on hull", cube, ball, 1.4, 0, 0, 0.1, 1},
        {"cylinder standing on cylinder", cylinder, cylinder, 1.0, 0, 0, 0.1, 4},
        {"cylinder lying along cylinder", cylinder, cylinder, 0.6, 1, 1, 0.1, 2},
        {"capsule lying along capsule", capsule, capsule, 0.4, 1, 1, 0.1, 2},
        {"capsule lying along cylinder", cylinder, capsule, 0.5, 1, 1, 0.1, 2},
        {"sphere on sphere", ball, ball, 0.8, 0, 0, 0.0, 1},
    };
    const double gaps[8] = {-1e-2, -1e-4, -1e-9, -1e-15, 0.0, 1e-15, 1e-9, 1.9e-2};
    ts_rng rng = ts_rng_make(101, 0);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
        for (int g = 0; g < 8; ++g)
            for (int moved = 0; moved < 4; ++moved) {
                const resting_case* r = &cases[c];
                ts_transform pa = at(0.0, 0.0, 0.0), pb = at(r->dx, 0.0, r->height + gaps[g]);
                if (r->lower_lying) pa.R = turn(1, 1.5707963267948966);
                if (r->lying) pb.R = turn(1, 1.5707963267948966);
                ts_transform m = moved ? random_pose(&rng, 2.0) : ts_transform_identity();
                pa = ts_transform_mul(&m, &pa);
                pb = ts_transform_mul(&m, &pb);
                ts_vec3 up = ts_mat3_column(&m.R, 2);
                ts_manifold found = collide(r->lower, pa, r->upper, pb);
                expect_flat(&found, r->count, up, gaps[g], r->what);
                found = collide(r->upper, pb, r->lower, pa);
                expect_flat(&found, r->count, ts_vec3_neg(up), gaps[g], r->what);
            }
    ts_hull_free(hull);
}

Test(manifold, cubes_of_coal_issue_144) {
    ts_shape cube = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0));
    ts_manifold m = collide(cube, at(0, 0, 0), cube, at(0, 0, 1.9999));
    cr_assert_eq(m.count, 4);
    for (int i = 0; i < 4; ++i) {
        cr_expect_float_eq(m.point[i].gap, -1e-4, 1e-15);
        cr_expect_float_eq(fabs(m.point[i].position.x), 1.0, 1e-15);
        cr_expect_float_eq(fabs(m.point[i].position.y), 1.0, 1e-15);
        cr_expect_float_eq(m.point[i].position.z, 0.99995, 1e-15);
    }
}

Test(manifold, aligned_boxes_have_exactly_upright_normals) {
    ts_rng rng = ts_rng_make(102, 0);
    ts_hull* hull = box_hull(ts_vec3_make(0.5, 0.4, 0.3));
    ts_shape box = ts_shape_box(ts_vec3_make(0.5, 0.4, 0.3)), same = ts_shape_hull(hull);
    for (int trial = 0; trial < 1000; ++trial) {
        double gap = trial % 2 ? 1e-13 * ts_rng_normal(&rng) : 1e-3 * ts_rng_normal(&rng);
        ts_transform above = at(ts_rng_uniform_in(&rng, -0.4, 0.4), ts_rng_uniform_in(&rng, -0.3, 0.3), 0.6 + gap);
        ts_shape upper = trial % 3 ? box : same, lower = trial % 5 ? box : same;
        ts_manifold m = collide(lower, at(0, 0, 0), upper, above);
        cr_assert_eq(m.count, 4);
        cr_assert(m.normal.x == 0.0 && m.normal.y == 0.0 && m.normal.z == 1.0);
    }
    ts_hull_free(hull);
}

Test(manifold, aligned_edges_grow_no_slivers) {
    // Equal boxes in one column, seen from turned frames: corners within rounding of the clipping edges are the corners,
    // four and no more, though eight would be allowed, and rounding does not change what they are called.
    ts_rng rng = ts_rng_make(107, 0);
    ts_hull* hull = box_hull(ts_vec3_make(0.5, 0.4, 0.3));
    const ts_shape shapes[2] = {ts_shape_box(ts_vec3_make(0.5, 0.4, 0.3)), ts_shape_hull(hull)};
    ts_manifold_settings all = {0.02, 8, 0.0};
    uint32_t labels[4][4];
    for (int trial = 0; trial < 1000; ++trial) {
        ts_transform m = random_pose(&rng, 2.0), above = at(0.0, 0.0, 0.6 + 1e-5 * ts_rng_normal(&rng));
        ts_transform pb = ts_transform_mul(&m, &above);
        ts_manifold found;
        ts_manifold_collide(&shapes[trial % 2], &m, &shapes[trial / 2 % 2], &pb, &all, 0, &found);
        cr_assert_eq(found.count, 4, "trial %d: %d points", trial, found.count);
        for (int i = 0; i < 4; ++i) {
            if (trial < 4) labels[trial][i] = found.point[i].feature;
            int known = 0;
            for (int k = 0; k < 4; ++k) known |= labels[trial % 4][k] == found.point[i].feature;
            cr_assert(known, "trial %d: a new label", trial);
        }
    }
    ts_hull_free(hull);
}

Test(manifold, standing_cylinder_touches_at_fixed_azimuths) {
    ts_shape plane = ts_shape_plane(), cylinder = ts_shape_cylinder(0.5, 1.0);
    uint32_t labels[4] = {0, 0, 0, 0};
    for (int step = 0; step < 20; ++step) {
        // Turning about its axis and wobbling by less than the sagitta allowed keeps the same four points.
        ts_transform pose = at(0.0, 0.0, 1.0);
        pose.R = ts_mat3_mul(turn(0, 1e-6 * step), turn(2, 0.1 * step));
        ts_manifold m = collide(plane, at(0, 0, 0), cylinder, pose);
        cr_assert_eq(m.count, 4);
        for (int i = 0; i < 4; ++i) {
            if (step == 0) labels[i] = m.point[i].feature;
            cr_assert_eq(m.point[i].feature, labels[i]);
            ts_vec3 local = ts_transform_point_inverse(&pose, m.point[i].position);
            cr_assert_float_eq(sqrt(local.x * local.x + local.y * local.y), 0.5, 1e-5);
        }
    }
}

static int label_index(const ts_manifold* m, uint32_t label) {
    for (int i = 0; i < m->count; ++i)
        if (m->point[i].feature == label) return i;
    return -1;
}

Test(manifold, labels_survive_small_motion) {
    ts_rng rng = ts_rng_make(103, 0);
    ts_hull* hull = box_hull(ts_vec3_make(0.5, 0.4, 0.3));
    const ts_shape shapes[3] = {ts_shape_box(ts_vec3_make(0.5, 0.4, 0.3)), ts_shape_hull(hull),
                                ts_shape_cylinder(0.4, 0.3)};
    for (int trial = 0; trial < 1000; ++trial) {
        ts_shape a = shapes[trial % 2], b = shapes[trial % 3];
        ts_transform pose = at(ts_rng_uniform_in(&rng, 0.05, 0.3), ts_rng_uniform_in(&rng, 0.05, 0.2), 0.6 - 1e-4);
        pose.R = turn(2, ts_rng_uniform_in(&rng, 0.0, 6.28));
        ts_manifold_settings all = {0.02, 8, 0.0};
        ts_manifold_cache cache;
        memset(&cache, 0, sizeof cache);
        ts_transform origin = at(0, 0, 0);
        ts_manifold m, n;
        ts_manifold_collide(&a, &origin, &b, &pose, &all, &cache, &m);
        cr_assert_geq(m.count, 3);
        ts_transform nudged = pose;
        nudged.p = ts_vec3_add(pose.p, random_vector(&rng, 1e-8));
        nudged.R = ts_mat3_mul(pose.R, turn(trial % 3, 1e-8 * ts_rng_normal(&rng)));
        ts_manifold_collide(&a, &origin, &b, &nudged, &all, &cache, &n);
        cr_assert_eq(n.count, m.count);
        for (int i = 0; i < n.count; ++i) {
            int j = label_index(&m, n.point[i].feature);
            cr_assert_geq(j, 0, "a label changed");
            cr_assert_leq(ts_vec3_distance(n.point[i].position, m.point[j].position), 1e-6);
        }
    }
    ts_hull_free(hull);
}

Test(manifold, labels_and_points_do_not_depend_on_the_reference_side) {
    ts_rng rng = ts_rng_make(104, 0);
    ts_hull* hull = box_hull(ts_vec3_make(0.5, 0.4, 0.3));
    const ts_shape shapes[2] = {ts_shape_box(ts_vec3_make(0.5, 0.4, 0.3)), ts_shape_hull(hull)};
    for (int trial = 0; trial < 500; ++trial) {
        ts_transform pose = at(ts_rng_uniform_in(&rng, 0.05, 0.3), ts_rng_uniform_in(&rng, 0.05, 0.2), 0.6 - 1e-4);
        pose.R = ts_mat3_mul(turn(2, ts_rng_uniform_in(&rng, 0.0, 6.28)), turn(0, 1e-5 * ts_rng_normal(&rng)));
        ts_manifold_settings all = {0.02, 8, 0.0};
        ts_transform origin = at(0, 0, 0);
        ts_manifold m[2];
        for (int side = 0; side < 2; ++side) {
            ts_manifold_cache cache;
            memset(&cache, 0, sizeof cache);
            cache.reference = 1 + side;
            ts_manifold_collide(&shapes[trial % 2], &origin, &shapes[trial / 2 % 2], &pose, &all, &cache, &m[side]);
            cr_assert_eq(cache.reference, 1 + side, "the cached side was not kept");
        }
        cr_assert_eq(m[0].count, m[1].count);
        for (int i = 0; i < m[0].count; ++i) {
            int j = label_index(&m[1], m[0].point[i].feature);
            cr_assert_geq(j, 0, "trial %d", trial);
            cr_assert_leq(ts_vec3_distance(m[0].point[i].position, m[1].point[j].position), 1e-4);
            cr_assert_float_eq(m[0].point[i].gap, m[1].point[j].gap, 1e-4);
        }
    }
    ts_hull_free(hull);
}

Test(manifold, fewer_points_keep_the_deepest) {
    ts_rng rng = ts_rng_make(105, 0);
    ts_shape a = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.3)), b = a;
    for (int trial = 0; trial < 500; ++trial) {
        ts_transform origin = at(0, 0, 0), pose = at(0.1, 0.05, 0.6);
        pose.R = ts_mat3_mul(turn(2, ts_rng_uniform_in(&rng, 0.0, 6.28)),
                             ts_mat3_mul(turn(0, 0.01 * ts_rng_normal(&rng)), turn(1, 0.01 * ts_rng_normal(&rng))));
        ts_manifold_settings settings = {0.05, 8, 0.0};
        ts_manifold all;
        ts_manifold_collide(&a, &origin, &b, &pose, &settings, 0, &all);
        double lowest = 1.0;
        for (int i = 0; i < all.count; ++i) lowest = all.point[i].gap < lowest ? all.point[i].gap : lowest;
        for (int most = 1; most <= 8; ++most) {
            settings.max_points = most;
            ts_manifold m;
            ts_manifold_collide(&a, &origin, &b, &pose, &settings, 0, &m);
            cr_assert_eq(m.count, all.count < most ? all.count : most);
            double kept = 1.0;
            for (int i = 0; i < m.count; ++i) {
                kept = m.point[i].gap < kept ? m.point[i].gap : kept;
                cr_assert_geq(label_index(&all, m.point[i].feature), 0);
            }
            cr_assert_float_eq(kept, lowest, 1e-5);
        }
    }
}

// Area spanned by four points in the plane, as the largest of the three ways to order them.
static double spanned(const ts_manifold* m) {
    double best = 0.0;
    static const int order[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}};
    for (int k = 0; k < 3; ++k) {
        ts_vec3 d = ts_vec3_sub(m->point[order[k][2]].position, m->point[order[k][0]].position);
        ts_vec3 e = ts_vec3_sub(m->point[order[k][3]].position, m->point[order[k][1]].position);
        double area = 0.5 * ts_vec3_norm(ts_vec3_cross(d, e));
        best = area > best ? area : best;
    }
    return best;
}

Test(manifold, four_points_keep_most_of_the_area) {
    ts_rng rng = ts_rng_make(106, 0);
    double kept = 0.0;
    int trials = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        ts_shape a = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.3)), b = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.3));
        ts_transform origin = at(0, 0, 0);
        ts_transform pose = at(ts_rng_uniform_in(&rng, -0.3, 0.3), ts_rng_uniform_in(&rng, -0.3, 0.3), 0.6);
        pose.R = turn(2, ts_rng_uniform_in(&rng, 0.0, 6.28));
        ts_manifold_settings settings = {0.05, 8, 0.0};
        ts_manifold all, four;
        ts_manifold_collide(&a, &origin, &b, &pose, &settings, 0, &all);
        settings.max_points = 4;
        ts_manifold_collide(&a, &origin, &b, &pose, &settings, 0, &four);
        if (all.count <= 4) continue;
        cr_assert_eq(four.count, 4);
        // The polygon's area, its corners sorted by angle about their mean.
        ts_vec3 mean = ts_vec3_zero();
        for (int i = 0; i < all.count; ++i) mean = ts_vec3_add_scaled(mean, 1.0 / all.count, all.point[i].position);
        double angle[8];
        int order[8];
        for (int i = 0; i < all.count; ++i) {
            angle[i] = atan2(all.point[i].position.y - mean.y, all.point[i].position.x - mean.x);
            int j = i;
            for (; j > 0 && angle[order[j - 1]] > angle[i]; --j) order[j] = order[j - 1];
            order[j] = i;
        }
        double area = 0.0;
        for (int i = 0; i < all.count; ++i) {
            ts_vec3 p = all.point[order[i]].position, q = all.point[order[(i + 1) % all.count]].position;
            area += 0.5 * (p.x * q.y - p.y * q.x);
        }
        double part = spanned(&four) / area;
        cr_assert_geq(part, 0.45);
        kept += part;
        ++trials;
    }
    cr_assert_gt(trials, 500);
    cr_expect_geq(kept / trials, 0.85, "mean %g", kept / trials);
}

Test(manifold, bad_poses_give_nothing) {
    ts_shape box = ts_shape_box(ts_vec3_make(1, 1, 1)), plane = ts_shape_plane();
    ts_transform bad = at((double)NAN, 0.0, 0.0);
    ts_manifold m = collide(box, bad, box, at(0, 0, 0));
    cr_expect_eq(m.count, 0);
    cr_expect_eq(m.status, TS_PROXIMITY_INVALID_INPUT);
    cr_expect(ts_vec3_is_finite(m.normal));
    m = collide(plane, at(0, 0, 0), plane, at(0, 0, 0));
    cr_expect_eq(m.count, 0);
    cr_expect_eq(m.status, TS_PROXIMITY_INVALID_INPUT);
    bad = at(0, 0, 0);
    bad.R.m[2][2] = (double)INFINITY;
    m = collide(plane, at(0, 0, 0), box, bad);
    cr_expect_eq(m.count, 0);
}

Test(manifold, huge_plane_contact_of_a_round_hull_keeps_the_rim) {
    // A prism with 200 corners on its lower face: more low points than a list can hold.
    ts_vec3 points[400];
    for (int i = 0; i < 200; ++i) {
        double angle = 2.0 * 3.14159265358979323846 * i / 200.0;
        points[2 * i] = ts_vec3_make(cos(angle), sin(angle), 0.5);
        points[2 * i + 1] = ts_vec3_make(cos(angle), sin(angle), -0.5);
    }
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, 400, &hull, 0), TS_OK);
    ts_manifold m = collide(ts_shape_plane(), at(0, 0, 0), ts_shape_hull(hull), at(0, 0, 0.4999));
    cr_assert_eq(m.count, 4);
    cr_expect_gt(spanned(&m), 1.8);  // the square in a unit circle has area 2
    for (int i = 0; i < 4; ++i) cr_expect_float_eq(m.point[i].gap, -1e-4, 1e-14);
    ts_hull_free(hull);
}

// Of two points nearly as good the one kept last time stays; one that is clearly better takes its place.
Test(manifold, reduction_keeps_what_it_kept) {
    for (int better = 0; better < 2; ++better)
        for (int kept_last = 0; kept_last < 2; ++kept_last) {
            ts_contact_list list;
            list.count = 0;
            list.normal = ts_vec3_axis(2);
            ts_contact_list_add(&list, ts_vec3_make(-1.0, -1.0, 0.0), -1e-3, 1);
            ts_contact_list_add(&list, ts_vec3_make(1.0, 1.0, 0.0), 0.0, 2);
            ts_contact_list_add(&list, ts_vec3_make(-1.0, 1.0, 0.0), 0.0, 3);
            // Two candidates for the last corner: number 5 reaches 3 % or 20 % farther.
            ts_contact_list_add(&list, ts_vec3_make(1.0, -1.0, 0.0), 0.0, 4);
            double far = better ? 1.2 : 1.03;
            ts_contact_list_add(&list, ts_vec3_make(far, -far, 0.0), 0.0, 5);
            const uint32_t kept[4] = {1, 2, 3, kept_last ? 4 : 5};
            ts_contact_list_reduce(&list, 4, kept, 4);
            cr_assert_eq(list.count, 4);
            uint32_t last = 0;
            for (int k = 0; k < 4; ++k)
                if (list.point[k].feature > 3) last = list.point[k].feature;
            cr_expect_eq(last, kept_last && !better ? 4 : 5, "better %d, kept %d: %u", better, kept_last, last);
        }
}

// Points inside and on the sides of a square go, whatever the order and however nearly they are corners.
Test(manifold, pruning_keeps_corners) {
    ts_rng rng = ts_rng_make(109, 0);
    for (int trial = 0; trial < 2000; ++trial) {
        ts_mat3 turned = random_rotation(&rng);
        ts_contact_list list;
        list.count = 0;
        list.normal = ts_mat3_column(&turned, 2);
        int corner_at = (int)(ts_rng_uniform(&rng) * 20.0);
        for (int k = 0; k < 24; ++k) {
            int corner = (k - corner_at + 24) % 24;
            ts_vec3 p = ts_vec3_make(ts_rng_uniform_in(&rng, -1.0, 1.0), ts_rng_uniform_in(&rng, -1.0, 1.0), 0.0);
            if (k % 3 == 0) p.x = k % 2 ? 1.0 : -1.0;  // on a side
            if (corner < 4) p = ts_vec3_make(corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, 0.0);
            p = ts_vec3_add(p, random_vector(&rng, 1e-7));
            ts_contact_list_add(&list, ts_mat3_mul_vec(&turned, p), 0.0, corner < 4 ? 100u + (unsigned)corner : 1u + k);
        }
        ts_contact_list_prune(&list);
        int corners = 0;
        for (int k = 0; k < list.count; ++k) corners += list.point[k].feature >= 100;
        // A point next to a corner, within the tolerance, may stand in for it.
        cr_assert(list.count == 4, "trial %d: %d points", trial, list.count);
        cr_assert_geq(corners, 3, "trial %d", trial);
    }
}
