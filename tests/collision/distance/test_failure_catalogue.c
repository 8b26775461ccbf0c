// Inputs that break collision libraries, one named test per class of input. Every answer is judged as in query_fuzz.h besides
// what is expected of it.
#include "tests/collision/distance/judged_query.h"

#include "base/text.h"
#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "tests/collision/distance/narrow_phase_fixtures.h"

#include <stdlib.h>

// --- fixtures --------------------------------------------------------------------------------------------------------

// The same pairs from the data folder, in case its numbers and ours part.
Test(catalogue, fixtures_of_the_data_folder) {
    const char* folder = getenv("TOUCHSTONE_DATA");
    if (!folder || !folder[0]) cr_skip("TOUCHSTONE_DATA is not set");
    char path[1024];
    ts_text text = {0};
    snprintf(path, sizeof path, "%s/narrow_phase_fixtures.json", folder);
    if (ts_text_read_file(path, 1 << 24, &text, 0)) cr_skip("TOUCHSTONE_DATA holds no narrow_phase_fixtures.json");
    // Numbers as they stand, in order: enough to tell whether a fixture of ours is one of theirs.
    int seen = 0, count = (int)(sizeof fixture_pairs / sizeof fixture_pairs[0]);
    for (int i = 0; i < count; ++i) {
        char name[80];
        snprintf(name, sizeof name, "\"name\": \"%s\"", fixture_pairs[i].name);
        const char* at = strstr(ts_text_get(&text), name);
        cr_expect_not_null(at, "the data folder lacks %s", fixture_pairs[i].name);
        if (!at) continue;
        const char* distance = strstr(at, "\"signed_distance\":");
        cr_assert_not_null(distance);
        cr_expect_eq(strtod(distance + 18, 0), fixture_pairs[i].distance, "%s", fixture_pairs[i].name);
        const char* position = strstr(at, "\"p\": [");
        cr_assert_not_null(position);
        cr_expect_eq(strtod(position + 6, 0), fixture_pairs[i].side[0].p[0], "%s", fixture_pairs[i].name);
        ++seen;
    }
    int theirs = 0;
    for (const char* at = strstr(ts_text_get(&text), "\"name\": "); at; at = strstr(at + 1, "\"name\": ")) ++theirs;
    cr_expect_eq(seen, theirs, "the data folder has %d fixtures, %d of them here", theirs, seen);
    ts_text_free(&text);
}

static ts_shape fixture_shape(const fixture_side* s) {
    ts_vec3 size = ts_vec3_load(s->size);
    if (s->kind == TS_SHAPE_BOX) return ts_shape_box(size);
    if (s->kind == TS_SHAPE_CYLINDER) return ts_shape_cylinder(size.x, size.z);
    return ts_shape_sphere(size.x);
}

// By every method and with every start, warm from itself, and as hulls.
Test(catalogue, fixtures_by_every_way) {
    for (size_t i = 0; i < sizeof fixture_pairs / sizeof fixture_pairs[0]; ++i) {
        const fixture_pair* f = &fixture_pairs[i];
        ts_shape shape[2];
        ts_transform pose[2];
        ts_hull* hull[2] = {0, 0};
        for (int k = 0; k < 2; ++k) {
            shape[k] = fixture_shape(&f->side[k]);
            for (int j = 0; j < 9; ++j) pose[k].R.m[j / 3][j % 3] = f->side[k].R[j];
            pose[k].p = ts_vec3_load(f->side[k].p);
        }
        double size = fuzz_reach(&shape[0]) + fuzz_reach(&shape[1]) + ts_vec3_norm(pose[0].p) + ts_vec3_norm(pose[1].p);
        for (int way = 0; way < 3 * TS_GJK_START_COUNT; ++way) {
            ts_proximity_options options = ts_proximity_options_default();
            options.start = (ts_gjk_start)(way / 3);
            options.method = way % 3 ? TS_PROXIMITY_GJK : TS_PROXIMITY_AUTO;
            if (way % 3 == 2)
                for (int k = 0; k < 2; ++k)
                    if (shape[k].kind == TS_SHAPE_BOX) {
                        if (!hull[k]) hull[k] = box_hull(shape[k].half);
                        shape[k] = ts_shape_hull(hull[k]);
                    }
            ts_gjk_cache cache = ts_gjk_cache_none();
            for (int again = 0; again < 3; ++again) {
                ts_proximity p;
                ts_proximity_query(&shape[0], &pose[0], &shape[1], &pose[1], &options, &cache, &p);
                double slack = f->tolerance + 4.0 * DBL_EPSILON * size + 1e-3 * (p.found.upper - p.found.lower);
                cr_expect(fabs(p.distance - f->distance) <= slack, "%s, way %d, time %d: %.17g, not %.17g", f->name,
                          way, again, p.distance, f->distance);
                cr_expect(p.found.lower <= f->distance + slack && p.found.upper >= f->distance - slack,
                          "%s: [%.17g, %.17g]", f->name, p.found.lower, p.found.upper);
            }
            for (int k = 0; k < 2; ++k)
                if (hull[k]) shape[k] = fixture_shape(&f->side[k]);
        }
        ts_hull_free(hull[0]);
        ts_hull_free(hull[1]);
    }
}

// --- the classes of input --------------------------------------------------------------------------------------------

Test(catalogue, not_finite_poses_are_refused_for_every_pair) {
    ts_hull* hull = sample_hull();
    const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int ka = 0; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = 0; kb < TS_SHAPE_CONVEX_COUNT; ++kb)
            for (int i = 0; i < 36; ++i) {
                ts_shape a = ka ? sample(ka, hull) : ts_shape_plane(), b = kb ? sample(kb, hull) : ts_shape_plane();
                ts_transform good = at(0.0, 0.0, 1.0), broken = good;
                if (i % 12 < 9)
                    broken.R.m[i % 12 / 3][i % 3] = bad[i / 12];
                else
                    (&broken.p.x)[i % 12 - 9] = bad[i / 12];
                ts_gjk_cache cache = ts_gjk_cache_none();
                ts_proximity p = ask(&a, good, &b, broken, &cache);
                cr_assert_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
                cr_assert_eq(p.reason, TS_PROXIMITY_BAD_POSE);
                cr_assert(fuzz_finite(&p));
                cr_assert(ts_vec3_is_finite(cache.normal), "nothing bad may be remembered");
            }
    ts_hull_free(hull);
}

Test(catalogue, quaternions_pass_the_gate_or_are_refused) {
    const struct {
        double w;
        ts_proximity_placing expected;
    } row[] = {{1.0, TS_PROXIMITY_PLACED},
               {1.0 + 4e-7, TS_PROXIMITY_PLACED},
               {1.0 + 6e-7, TS_PROXIMITY_MADE_UNIT},
               {0.9952, TS_PROXIMITY_MADE_UNIT},
               {1.006, TS_PROXIMITY_NOT_A_ROTATION},
               {0.0, TS_PROXIMITY_NOT_A_ROTATION},
               {1e200, TS_PROXIMITY_NOT_A_ROTATION},
               {(double)NAN, TS_PROXIMITY_NOT_FINITE},
               {(double)INFINITY, TS_PROXIMITY_NOT_FINITE}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        ts_pose pose = {{1.0, 2.0, 3.0}, {row[i].w * 0.6, 0.0, row[i].w * 0.8, 0.0}};
        ts_transform placed;
        cr_expect_eq(ts_proximity_place(pose, &placed), row[i].expected, "w = %g", row[i].w);
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
                double d = ts_vec3_dot(ts_mat3_row(&placed.R, r), ts_mat3_row(&placed.R, s));
                cr_expect_float_eq(d, r == s ? 1.0 : 0.0, 1e-15);
            }
    }
    ts_pose away = {{0.0, (double)NAN, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    ts_transform placed;
    cr_expect_eq(ts_proximity_place(away, &placed), TS_PROXIMITY_NOT_FINITE);
}

Test(catalogue, impossible_dimensions_are_refused_at_creation) {
    const double bad[5] = {0.0, -1.0, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 5; ++i) {
        ts_shape shapes[] = {ts_shape_sphere(bad[i]),
                             ts_shape_capsule(bad[i], 1.0),
                             ts_shape_cylinder(1.0, bad[i]),
                             ts_shape_cone(bad[i], 1.0),
                             ts_shape_ellipsoid(ts_vec3_make(1.0, bad[i], 1.0)),
                             ts_shape_box(ts_vec3_make(1.0, 1.0, bad[i]))};
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
            ts_status why;
            cr_expect_neq(ts_shape_validate(&shapes[k], &why), TS_OK, "%s with %g", ts_shape_kind_name(shapes[k].kind),
                          bad[i]);
        }
    }
}

// Whoever did not ask for that check still gets no NaN: numbers that are not finite are named.
Test(catalogue, dimensions_that_are_not_finite_end_as_invalid_input) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, (double)NAN, 1.0)), ball = ts_shape_sphere((double)INFINITY);
    ts_shape good = unit_box(1.0), cylinder = ts_shape_cylinder((double)NAN, 1.0);
    ts_transform o = ts_transform_identity();
    ts_proximity p = ask(&box, o, &good, at(3.0, 0.0, 0.0), 0);
    cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
    cr_expect_eq(p.reason, TS_PROXIMITY_BAD_SHAPE);
    p = ask(&ball, o, &good, at(3.0, 0.0, 0.0), 0);
    cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
    p = ask(&good, o, &cylinder, at(3.0, 0.0, 0.0), 0);
    cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
    cr_expect(fuzz_finite(&p));
}

Test(catalogue, flat_hulls_and_triangles_through_solids) {
    ts_hull* flat = 0;
    ts_vec3 square[4] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}};
    cr_assert_eq(ts_hull_build_any(square, 4, &flat, 0, 0), TS_OK);
    ts_shape sheet = ts_shape_hull(flat);
    ts_shape t = ts_shape_triangle(square);
    ts_transform o = ts_transform_identity();
    cr_expect_float_eq(sure(sheet, o, unit_box(0.5), at(0.0, 0.0, 0.7)).distance, 0.2, 1e-15);
    cr_expect_float_eq(sure(sheet, o, unit_box(0.5), at(0.0, 0.0, 0.3)).distance, -0.2, 1e-15);
    cr_expect_float_eq(sure(t, o, unit_box(0.1), at(0.5, -0.5, 0.05)).distance, -0.05, 1e-15);
    // A sheet in its own plane, and one through another: no depth at all, and still a normal.
    ts_proximity p = sure(sheet, o, sheet, at(0.5, 0.5, 0.0));
    cr_expect_float_eq(p.distance, 0.0, 1e-15);
    cr_expect_float_eq(fabs(p.found.normal.z), 1.0, 1e-12);
    ts_transform upright = at(0.0, 0.0, 0.5);
    upright.R = turn(0, 1.5707963267948966);
    p = sure(sheet, o, sheet, upright);
    cr_expect_float_eq(p.distance, -0.5, 1e-12);
    ts_hull_free(flat);
}

Test(catalogue, a_flat_normal_follows_the_previous_one) {
    ts_vec3 corner[3] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {0.0, 1.0, 0.0}};
    ts_shape t = ts_shape_triangle(corner);
    for (int sign = -1; sign <= 1; sign += 2) {
        ts_gjk_cache cache = ts_gjk_cache_none();
        cache.normal = ts_vec3_make(0.1, 0.0, sign);
        ts_proximity p = ask(&t, ts_transform_identity(), &t, at(0.2, 0.1, 0.0), &cache);
        cr_expect_float_eq(p.found.normal.z, sign, 1e-12, "asked for %d, got %g", sign, p.found.normal.z);
        cr_expect(p.flags & TS_PROXIMITY_NORMAL_FALLBACK);
    }
}

Test(catalogue, slivers_duplicates_and_collinear_points) {
    ts_rng rng = ts_rng_make(32, 0);
    for (int trial = 0; trial < 60; ++trial) {
        ts_vec3 points[60];
        for (int i = 0; i < 30; ++i) {
            points[i] = random_vector(&rng, 1.0);
            if (trial % 3 == 0) points[i].z *= 1e-9;
            if (trial % 3 == 1 && i % 2) points[i] = ts_vec3_lerp(points[i - 1], points[0], 0.5);
            points[59 - i] = points[i];
        }
        ts_hull *hull = 0, *round = random_hull(&rng, 20, ts_vec3_make(0.3, 0.3, 0.3));
        cr_assert_eq(ts_hull_build_any(points, 60, &hull, 0, 0), TS_OK);
        for (int k = 0; k < 20; ++k)
            sure(ts_shape_hull(hull), random_pose(&rng, 0.7), ts_shape_hull(round), random_pose(&rng, 0.7));
        ts_hull_free(hull);
        ts_hull_free(round);
    }
}

Test(catalogue, points_and_segments_as_hulls) {
    ts_vec3 ends[2] = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
    ts_hull *segment = 0, *point = 0;
    cr_assert_eq(ts_hull_build_any(ends, 2, &segment, 0, 0), TS_OK);
    cr_assert_eq(ts_hull_build_any(ends, 1, &point, 0, 0), TS_OK);
    ts_transform o = ts_transform_identity();
    ts_shape capsule = ts_shape_rounded(ts_shape_hull(segment), 0.25),
             ball = ts_shape_rounded(ts_shape_hull(point), 0.5);
    cr_expect_float_eq(sure(capsule, o, unit_box(0.5), at(1.5, 0.0, 0.0)).distance, 0.75, 1e-14);
    cr_expect_float_eq(sure(ball, at(0.0, 0.0, 4.0), ts_shape_sphere(0.5), o).distance, 2.0, 1e-14);
    ts_transform across = o;
    across.R = turn(0, 1.0);
    cr_expect_float_eq(sure(capsule, o, capsule, across).distance, -0.5, 1e-12);
    ts_hull_free(segment);
    ts_hull_free(point);
}

Test(catalogue, concentric_and_coincident_shapes_of_every_kind) {
    ts_hull* hull = sample_hull();
    for (int ka = TS_SHAPE_SPHERE; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = TS_SHAPE_SPHERE; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            ts_transform o = ts_transform_identity();
            ts_proximity p = sure(sample(ka, hull), o, sample(kb, hull), o);
            cr_expect(p.distance <= 1e-12);
            cr_expect_leq(p.gjk_iterations, 128);
            // The same twice: same bits.
            ts_shape a = sample(ka, hull), b = sample(kb, hull);
            ts_proximity q = ask(&a, o, &b, o, 0);
            cr_expect(p.distance == q.distance && ts_vec3_distance(p.found.normal, q.found.normal) <= 0.0);
        }
    cr_expect_float_eq(sure(ts_shape_sphere(0.5), at(0, 0, 0), ts_shape_sphere(0.3), at(0, 0, 0)).distance, -0.8,
                       1e-15);
    cr_expect_float_eq(sure(ts_shape_box(ts_vec3_make(1, 0.8, 0.6)), at(0, 0, 0),
                            ts_shape_box(ts_vec3_make(0.5, 0.4, 0.3)), at(0, 0, 0))
                           .distance,
                       -0.9, 1e-14);
    ts_hull_free(hull);
}

Test(catalogue, aspect_ratios_of_a_million) {
    ts_rng rng = ts_rng_make(33, 0);
    for (int trial = 0; trial < 3000; ++trial) {
        double thin = log_uniform(&rng, 1e-6, 1e-5);
        ts_shape needle[5] = {ts_shape_box(ts_vec3_make(thin, thin, 1.0)), ts_shape_box(ts_vec3_make(1.0, 1.0, thin)),
                              ts_shape_cylinder(thin, 1.0), ts_shape_cylinder(1.0, thin), ts_shape_capsule(thin, 1.0)};
        sure(needle[trial % 5], random_pose(&rng, 0.5), needle[trial / 5 % 5], random_pose(&rng, 0.5));
    }
}

// Scaling by a power of two changes no bit but the exponents, so the answers must scale exactly; in between, nearly.
Test(catalogue, micrometres_and_megametres) {
    ts_rng rng = ts_rng_make(34, 0);
    ts_hull* hull = sample_hull();
    for (int trial = 0; trial < 2000; ++trial) {
        int ka = TS_SHAPE_SPHERE + trial % 7, kb = TS_SHAPE_SPHERE + trial / 7 % 7;
        ts_shape a = random_shape(&rng, (ts_shape_kind)(ka >= TS_SHAPE_TRIANGLE ? ka + 1 : ka), 1.0, hull);
        ts_shape b = random_shape(&rng, (ts_shape_kind)(kb >= TS_SHAPE_TRIANGLE ? kb + 1 : kb), 1.0, hull);
        if (a.kind == TS_SHAPE_HULL || b.kind == TS_SHAPE_HULL) continue;
        ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
        ts_proximity p = ask(&a, pa, &b, pb, 0);
        for (int k = 0; k < 4; ++k) {
            const double scales[4] = {1.0 / 1048576.0, 1048576.0, 1e-6, 1e6};
            double s = scales[k];
            ts_shape sa = a, sb = b;
            sa.half = ts_vec3_scale(s, a.half);
            sb.half = ts_vec3_scale(s, b.half);
            sa.radius *= s;
            sb.radius *= s;
            ts_transform qa = pa, qb = pb;
            qa.p = ts_vec3_scale(s, pa.p);
            qb.p = ts_vec3_scale(s, pb.p);
            ts_proximity q = ask(&sa, qa, &sb, qb, 0);
            if (k < 2)
                cr_assert_eq(q.distance, s * p.distance, "%s-%s times %g: %.17g, not %.17g", ts_shape_kind_name(a.kind),
                             ts_shape_kind_name(b.kind), s, q.distance, s * p.distance);
            else
                cr_assert_float_eq(q.distance / s, p.distance, 1e-12 + (p.found.upper - p.found.lower),
                                   "%s-%s times %g", ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), s);
        }
    }
    ts_hull_free(hull);
}

Test(catalogue, far_from_the_origin) {
    ts_rng rng = ts_rng_make(35, 0);
    ts_hull* hull = sample_hull();
    for (int trial = 0; trial < 2000; ++trial) {
        ts_shape a = sample(TS_SHAPE_SPHERE + trial % 8, hull), b = sample(TS_SHAPE_SPHERE + trial / 8 % 8, hull);
        ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
        // Coordinates with few bits, so that a shift loses none.
        for (int i = 0; i < 3; ++i) {
            (&pa.p.x)[i] = floor((&pa.p.x)[i] * 1024.0) / 1024.0;
            (&pb.p.x)[i] = floor((&pb.p.x)[i] * 1024.0) / 1024.0;
        }
        ts_proximity here = ask(&a, pa, &b, pb, 0);
        pa.p = ts_vec3_add(pa.p, ts_vec3_make(1e6, -1e5, 1e3));
        pb.p = ts_vec3_add(pb.p, ts_vec3_make(1e6, -1e5, 1e3));
        ts_proximity there = ask(&a, pa, &b, pb, 0);
        cr_assert_float_eq(here.distance, there.distance, 1e-15);
    }
    ts_hull_free(hull);
}

Test(catalogue, balls_a_million_times_their_core) {
    ts_rng rng = ts_rng_make(36, 0);
    ts_hull* hull = sample_hull();
    for (int trial = 0; trial < 1000; ++trial) {
        ts_shape a = sample(TS_SHAPE_ELLIPSOID + trial % 6, hull), b = sample(TS_SHAPE_ELLIPSOID + trial / 6 % 6, hull);
        ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
        ts_proximity cores = ask(&a, pa, &b, pb, 0);
        ts_proximity p = sure(ts_shape_rounded(a, 1e6), pa, b, pb);
        cr_assert_float_eq(p.distance, cores.distance - 1e6, 1e-3 * (cores.found.upper - cores.found.lower) + 1e-9);
        if (cores.distance > 1e-3) cr_assert_leq(ts_vec3_distance(p.found.normal, cores.found.normal), 1e-6);
    }
    ts_hull_free(hull);
}

Test(catalogue, two_half_spaces_are_refused_by_name) {
    ts_shape plane = ts_shape_plane();
    ts_proximity p = ask(&plane, at(0, 0, 0), &plane, at(0, 0, 1), 0);
    cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
    cr_expect_eq(p.reason, TS_PROXIMITY_TWO_PLANES);
    cr_expect(strstr(ts_proximity_reason_text(p.reason), "half-space") != 0);
}

Test(catalogue, methods_that_cannot_do_a_pair_say_so) {
    ts_shape a = unit_box(1.0), b = ts_shape_cone(1.0, 1.0);
    ts_transform pa = at(0, 0, 0), pb = at(5, 0, 0);
    ts_proximity_options options = ts_proximity_options_default();
    options.method = TS_PROXIMITY_CLOSED_FORM;
    ts_proximity p;
    ts_proximity_query(&a, &pa, &b, &pb, &options, 0, &p);
    cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
    cr_expect_eq(p.reason, TS_PROXIMITY_OTHER_METHOD);
    options.method = TS_PROXIMITY_SAT;
    ts_proximity_query(&a, &pa, &b, &pb, &options, 0, &p);
    cr_expect_eq(p.reason, TS_PROXIMITY_OTHER_METHOD);
    for (int m = 0; m < TS_PROXIMITY_METHOD_COUNT; ++m)
        cr_expect_eq((int)ts_proximity_method_find(ts_proximity_method_name((ts_proximity_method)m)), m);
    cr_expect_eq(ts_proximity_method_find("no such"), TS_PROXIMITY_METHOD_COUNT);
}

// Every method that does a pair finds the same, and its bounds hold what the others found.
Test(catalogue, methods_agree_where_they_answer) {
    ts_rng rng = ts_rng_make(39, 0);
    ts_hull* hull = sample_hull();
    int answered[TS_PROXIMITY_METHOD_COUNT] = {0};
    for (int trial = 0; trial < 8000; ++trial) {
        ts_shape a = sample(TS_SHAPE_SPHERE + trial % 8, hull), b = sample(TS_SHAPE_SPHERE + trial / 8 % 8, hull);
        if (trial % 4 == 0) a = ts_shape_rounded(a, 0.1);
        ts_transform pa = random_pose(&rng, 0.6), pb = random_pose(&rng, 0.6);
        ts_proximity first = ask(&a, pa, &b, pb, 0);
        for (int m = 0; m < TS_PROXIMITY_METHOD_COUNT; ++m) {
            ts_proximity_options options = ts_proximity_options_default();
            options.method = (ts_proximity_method)m;
            ts_proximity p;
            ts_proximity_query(&a, &pa, &b, &pb, &options, 0, &p);
            if (p.status == TS_PROXIMITY_INVALID_INPUT) {
                cr_assert_eq(p.reason, TS_PROXIMITY_OTHER_METHOD);
                continue;
            }
            ++answered[m];
            const char* name = ts_proximity_method_name((ts_proximity_method)m);
            double slack = 1e-11 + (p.found.upper - p.found.lower) + (first.found.upper - first.found.lower);
            if (m == TS_PROXIMITY_INCREMENTAL && first.distance < 0.0)
                cr_assert(p.found.lower <= first.found.upper + 1e-11, "%s", name);  // may be another local minimum
            else
                cr_assert_float_eq(p.distance, first.distance, slack, "%s: %s-%s %.17g, auto %.17g", name,
                                   ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), p.distance, first.distance);
            cr_assert(p.found.lower <= first.found.upper + 1e-11 && p.found.upper >= first.found.lower - 1e-11,
                      "%s: [%.17g, %.17g]", name, p.found.lower, p.found.upper);
        }
    }
    for (int m = 0; m < TS_PROXIMITY_METHOD_COUNT; ++m) cr_expect_gt(answered[m], 50);
    ts_hull_free(hull);
}

// Below a height field's surface the way out is up, not down through the floor.
Test(catalogue, nothing_is_pushed_through_the_ground) {
    double height[16] = {0};
    ts_height_field* field = 0;
    cr_assert_eq(ts_height_field_build(height, 4, 4, 1.0, 1.0, -2.0, &field, 0), TS_OK);
    ts_shape ground = ts_shape_height_field(field), ball = ts_shape_sphere(0.3);
    for (int k = 0; k < 20; ++k) {
        ts_proximity p = ask(&ball, at(0.31, 0.17, 0.25 - 0.03 * k), &ground, at(0, 0, 0), 0);
        cr_expect(p.distance < 0.0);
        cr_expect(p.found.normal.z <= 1e-9, "at depth %g: normal (%g, %g, %g)", 0.05 + 0.03 * k, p.found.normal.x,
                  p.found.normal.y, p.found.normal.z);
    }
    ts_height_field_free(field);
}

Test(catalogue, teleports_and_stale_normals_cost_only_iterations) {
    ts_rng rng = ts_rng_make(37, 0);
    ts_hull* hull = sample_hull();
    for (int trial = 0; trial < 4000; ++trial) {
        ts_shape a = sample(TS_SHAPE_SPHERE + trial % 8, hull), b = sample(TS_SHAPE_SPHERE + trial / 8 % 8, hull);
        ts_gjk_cache cache = ts_gjk_cache_none();
        ask(&a, random_pose(&rng, 1.0), &b, random_pose(&rng, 1.0), &cache);
        ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
        ts_proximity warm = ask(&a, pa, &b, pb, &cache), cold = ask(&a, pa, &b, pb, 0);
        double open = warm.found.upper - warm.found.lower + cold.found.upper - cold.found.lower;
        cr_assert(fabs(warm.distance - cold.distance) <= 1e-12 + open, "%s-%s: %.17g warm, %.17g cold",
                  ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), warm.distance, cold.distance);
    }
    ts_hull_free(hull);
}

// A cache whose vertex numbers belong to another, larger mesh.
Test(catalogue, a_mesh_replaced_by_a_smaller_one) {
    ts_rng rng = ts_rng_make(38, 0);
    ts_hull* large = random_hull(&rng, 400, ts_vec3_make(1.0, 1.0, 1.0));
    ts_hull* little = random_hull(&rng, 6, ts_vec3_make(1.0, 1.0, 1.0));
    ts_shape before = ts_shape_hull(large), after = ts_shape_hull(little);
    for (int trial = 0; trial < 2000; ++trial) {
        ts_gjk_cache cache = ts_gjk_cache_none();
        ts_transform pa = random_pose(&rng, 1.2), pb = random_pose(&rng, 1.2);
        ask(&before, pa, &before, pb, &cache);
        for (int start = 0; start < TS_GJK_START_COUNT; ++start) {
            ts_proximity_options options = ts_proximity_options_default();
            options.start = (ts_gjk_start)start;
            ts_gjk_cache copy = cache;
            ts_proximity warm, cold;
            ts_proximity_query(&after, &pa, &after, &pb, &options, &copy, &warm);
            ts_proximity_query(&after, &pa, &after, &pb, 0, 0, &cold);
            cr_assert_float_eq(warm.distance, cold.distance, 1e-11, "start %s", ts_gjk_start_name((ts_gjk_start)start));
        }
    }
    ts_hull_free(large);
    ts_hull_free(little);
}
