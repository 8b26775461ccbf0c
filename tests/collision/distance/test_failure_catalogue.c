// Inputs that break collision libraries, one named test per class of input, and the touching cases on which coal, FCL,
// Bullet and Jolt are known to fail. Every answer is judged as in query_fuzz.h besides what is expected of it.
#include "tests/collision/distance/query_fuzz.h"

#include "base/text.h"
#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "tests/collision/distance/narrow_phase_fixtures.h"

#include <stdlib.h>

static ts_proximity ask(const ts_shape* a, ts_transform pa, const ts_shape* b, ts_transform pb, ts_gjk_cache* cache) {
    ts_proximity p;
    ts_proximity_query(a, &pa, b, &pb, 0, cache, &p);
    return p;
}

// Asks and judges, both ways round.
static ts_proximity sure(ts_shape a, ts_transform pa, ts_shape b, ts_transform pb) {
    ts_proximity first = ask(&a, pa, &b, pb, 0), second = ask(&b, pb, &a, pa, 0);
    fuzz_case c;
    char why[FUZZ_WHY];
    memset(&c, 0, sizeof c);
    c.a = a;
    c.b = b;
    c.pa = pa;
    c.pb = pb;
    c.size = fuzz_reach(&a) + fuzz_reach(&b) + ts_vec3_distance(pa.p, pb.p);
    c.far = ts_vec3_norm(pa.p) + ts_vec3_norm(pb.p);
    c.gap = -(long double)INFINITY;
    cr_expect(fuzz_judge(&c, &first, 7, why) && fuzz_is_sharp(&c, &first, why), "%s-%s: %s", ts_shape_kind_name(a.kind),
              ts_shape_kind_name(b.kind), why);
    double slack = 1e-12 * c.size + 1e-3 * (first.found.upper - first.found.lower) + 16.0 * DBL_EPSILON * c.far;
    cr_expect(fabs(first.distance - second.distance) <= slack + (first.found.upper - first.found.lower),
              "%s-%s swapped: %.17g and %.17g", ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), first.distance,
              second.distance);
    return first;
}

static ts_shape unit_box(double h) { return ts_shape_box(ts_vec3_make(h, h, h)); }

// A solid or flat shape of every convex kind but the plane, about a unit large.
static ts_shape sample(int kind, const ts_hull* hull) {
    switch (kind) {
    case TS_SHAPE_SPHERE: return ts_shape_sphere(0.5);
    case TS_SHAPE_CAPSULE: return ts_shape_capsule(0.25, 0.5);
    case TS_SHAPE_ELLIPSOID: return ts_shape_ellipsoid(ts_vec3_make(0.5, 0.3, 0.7));
    case TS_SHAPE_CYLINDER: return ts_shape_cylinder(0.5, 0.4);
    case TS_SHAPE_CONE: return ts_shape_cone(0.5, 0.6);
    case TS_SHAPE_TRIANGLE:
        return ts_shape_triangle(
            borrow_corners(ts_vec3_make(-0.5, -0.4, 0.0), ts_vec3_make(0.6, -0.3, 0.1), ts_vec3_make(-0.1, 0.7, -0.1)));
    case TS_SHAPE_BOX: return unit_box(0.5);
    default: return ts_shape_hull(hull);
    }
}

static ts_hull* sample_hull(void) {
    ts_rng rng = ts_rng_make(31, 0);
    return random_hull(&rng, 24, ts_vec3_make(0.5, 0.4, 0.6));
}

// --- fixtures --------------------------------------------------------------------------------------------------------

// The same pairs from the data folder, in case its numbers and ours part.
Test(catalogue, fixtures_of_the_data_folder) {
    const char* folder = getenv("TOUCHSTONE_DATA");
    if (!folder) cr_skip("TOUCHSTONE_DATA is not set");
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

// --- what the fuzzer found, by name ---------------------------------------------------------------------------------

static ts_transform tilted(int axis, double angle, double x, double y, double z) {
    ts_transform pose = at(x, y, z);
    pose.R = turn(axis, angle);
    return pose;
}

// Capsules at angles where the lines have no crossing to speak of: at their ends, along each other, through each other.
Test(found_by_fuzzing, nearly_parallel_capsules) {
    ts_shape stub = ts_shape_capsule(0.0003116707147982417, 0.00078503435270478171);
    ts_shape rod = ts_shape_capsule(0.0056566481198878464, 0.12122929833569765);
    ts_proximity p =
        sure(stub, tilted(0, 2.1877833451e-6, 0, 0, 0), rod, at(0, -1.7174850822102552e-09, 0.12811063417460972));
    cr_expect_float_eq(p.distance, 0.00012798265, 1e-11);
    ts_shape one = ts_shape_capsule(1.3595993020338939, 1.3595993020338939);
    ts_shape two = ts_shape_capsule(0.23961517782824268, 6.4379263383648624);
    sure(one, at(0, 0, 0), two, tilted(0, 8.2158263016909059e-09, 0, 2.3693231503535346, -7.7975256209328094));
    one = ts_shape_capsule(0.35286208618025716, 190.08582804892819);
    two = ts_shape_capsule(203.47537109284272, 2629.6993044074165);
    sure(one, tilted(0, -1.5707963267948966, 0, 0, 0), two,
         at(6.03204160094e-08, 171.17364756330798, -2629.6993044074165));
    for (double angle = 1e-15; angle < 1e-3; angle *= 3.0) {
        ts_shape c = ts_shape_capsule(0.1, 1.0);
        for (int k = 0; k < 6; ++k) {
            const double z[6] = {0.0, 0.3, 1.9999999, 2.0, 2.0000001, 2.1};
            sure(c, at(0, 0, 0), c, tilted(0, angle, 0.0, 0.0, z[k]));
            sure(c, at(0, 0, 0), c, tilted(0, angle, 1e-7, 0.0, z[k]));
            sure(c, at(0, 0, 0), c, tilted(0, angle, 0.0, 1e-7, z[k]));
            sure(c, at(0, 0, 0), c, tilted(0, angle, 0.0, 0.3, z[k]));
        }
    }
}

// The line from a ball to a cone's apex is the cone's axis: the circle of normals about it has no nearest one.
Test(found_by_fuzzing, on_the_axis_of_a_cone) {
    for (int flip = 0; flip < 2; ++flip)
        for (double tilt = 0.0; tilt<1e-2; tilt = tilt> 0.0 ? 10.0 * tilt : 1e-17) {
            ts_transform below = tilted(0, tilt, 0.0, 0.0, flip ? -3.0 : 3.0);
            sure(ts_shape_cone(0.5, 1.0), at(0, 0, 0), ts_shape_sphere(0.25), below);
            sure(ts_shape_cone(0.5, 1.0), at(0, 0, 0), ts_shape_capsule(0.25, 0.5), below);
            sure(ts_shape_cone(2.0, 0.01), at(0, 0, 0), ts_shape_ellipsoid(ts_vec3_make(0.5, 0.4, 0.3)), below);
            sure(ts_shape_cone(1e-5, 1.0), at(0, 0, 0), ts_shape_cone(0.3, 1.0), below);
        }
}

// Directions so short that their squares vanish, and vertex numbers out of range: a verdict must not come of it.
Test(found_by_fuzzing, verdicts_with_damaged_caches) {
    ts_rng rng = ts_rng_make(40, 0);
    ts_hull* hull = sample_hull();
    for (int trial = 0; trial < 20000; ++trial) {
        ts_shape a = sample(TS_SHAPE_SPHERE + trial % 8, hull), b = sample(TS_SHAPE_SPHERE + trial / 8 % 8, hull);
        ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
        ts_proximity cold = ask(&a, pa, &b, pb, 0), verdict;
        if (fabs(cold.distance) < 1e-9) continue;
        ts_proximity_options options = ts_proximity_options_default();
        options.goal = TS_PROXIMITY_VERDICT;
        options.start = (ts_gjk_start)(trial / 64 % TS_GJK_START_COUNT);
        ts_gjk_cache cache;
        fuzz_garbage(&rng, trial % 3 == 0, &cache);
        ts_proximity_query(&a, &pa, &b, &pb, &options, &cache, &verdict);
        cr_assert_eq(verdict.status, cold.distance > 0.0 ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_OVERLAP_EARLY,
                     "%s-%s at %g: %s", ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), cold.distance,
                     ts_proximity_status_name(verdict.status));
    }
    ts_hull_free(hull);
}

// --- exact touch: where peers fail -----------------------------------------------------------------------------------

static void touches(const ts_proximity* p, double size, const char* what) {
    cr_expect(fabs(p->distance) <= 1e-14 * size, "%s: distance %.17g", what, p->distance);
    cr_expect_neq(p->status, TS_PROXIMITY_LIMIT, "%s", what);
    cr_expect(fuzz_finite(p), "%s", what);
}

// coal after accelerated GJK: -DBL_MAX with NaN witnesses on stacked cubes and random boxes at exact touch.
Test(touching, coal_stacked_cubes_by_every_variant) {
    for (int variant = 0; variant < TS_GJK_VARIANT_COUNT; ++variant)
        for (int k = 0; k < 300; ++k) {
            ts_rng rng = ts_rng_make(41, (unsigned)k);
            ts_shape cube = unit_box(0.5);
            ts_transform below = at(0, 0, 0), above = at(0, 0, 1.0);
            if (k % 3)
                above.p = ts_vec3_make(ts_rng_uniform_in(&rng, -1.0, 1.0), ts_rng_uniform_in(&rng, -1.0, 1.0), 1.0);
            ts_proximity_options options = ts_proximity_options_default();
            options.variant = (ts_gjk_variant)variant;
            options.method = TS_PROXIMITY_GJK;
            ts_proximity p;
            ts_proximity_query(&cube, &below, &cube, &above, &options, 0, &p);
            touches(&p, 2.0, ts_gjk_variant_name((ts_gjk_variant)variant));
            cr_expect_float_eq(p.found.normal.z, 1.0, 1e-9, "%s: normal (%g, %g, %g)",
                               ts_gjk_variant_name((ts_gjk_variant)variant), p.found.normal.x, p.found.normal.y,
                               p.found.normal.z);
        }
}

// coal's EPA below its tolerance of 1e-6 and Bullet's on its 128 vertices: deep overlaps of ellipsoids.
Test(touching, coal_and_bullet_deep_ellipsoids) {
    ts_rng rng = ts_rng_make(42, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_shape a =
            ts_shape_ellipsoid(ts_vec3_make(0.02 + 0.48 * ts_rng_uniform(&rng), 0.02 + 0.48 * ts_rng_uniform(&rng),
                                            0.02 + 0.48 * ts_rng_uniform(&rng)));
        ts_shape b =
            ts_shape_ellipsoid(ts_vec3_make(0.02 + 0.48 * ts_rng_uniform(&rng), 0.02 + 0.48 * ts_rng_uniform(&rng),
                                            0.02 + 0.48 * ts_rng_uniform(&rng)));
        sure(a, random_pose(&rng, 0.1), b, random_pose(&rng, 0.1));
    }
}

// FCL on smooth shapes: assertions, crashes and NaN at exact touch of capsules and of spheres with them.
Test(touching, fcl_capsules_and_spheres_at_touch) {
    ts_rng rng = ts_rng_make(43, 0);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_shape a = ts_shape_capsule(0.25, 0.5), b = trial % 2 ? ts_shape_capsule(0.5, 0.75) : ts_shape_sphere(0.5);
        ts_transform pa = at(0, 0, 0), pb = at(0.75, 0, 0);
        if (trial % 2) pb.R = turn(0, ts_rng_uniform_in(&rng, 0.0, 6.0));
        if (trial % 4 >= 2) pb.p.z = ts_rng_uniform_in(&rng, -0.4, 0.4);
        ts_proximity p = sure(a, pa, b, pb);
        touches(&p, 2.0, "capsule");
        cr_expect_float_eq(p.found.normal.x, 1.0, 1e-12);
    }
}

// Jolt: exact touch of smooth shapes, where EPA on a degenerate simplex answers centimetres of depth.
Test(touching, jolt_smooth_shapes_at_touch) {
    ts_rng rng = ts_rng_make(44, 0);
    const ts_shape smooth[4] = {ts_shape_ellipsoid(ts_vec3_make(0.5, 0.25, 1.0)), ts_shape_cylinder(0.5, 0.75),
                                ts_shape_sphere(0.5), ts_shape_ellipsoid(ts_vec3_make(0.125, 0.75, 0.5))};
    for (int trial = 0; trial < 2000; ++trial) {
        ts_shape a = smooth[trial % 4], b = smooth[trial / 4 % 4];
        // Along a common axis the extents are known to the bit.
        int axis = trial / 16 % 3;
        ts_vec3 ha = a.kind == TS_SHAPE_SPHERE ? ts_vec3_make(0.5, 0.5, 0.5) : a.half;
        ts_vec3 hb = b.kind == TS_SHAPE_SPHERE ? ts_vec3_make(0.5, 0.5, 0.5) : b.half;
        ts_transform pb = ts_transform_identity();
        pb.p = ts_vec3_scale(ts_vec3_get(ha, axis) + ts_vec3_get(hb, axis), ts_vec3_axis(axis));
        ts_transform m = trial < 48 ? ts_transform_identity() : random_pose(&rng, 0.5);
        ts_proximity p = sure(a, m, b, ts_transform_mul(&m, &pb));
        cr_expect(fabs(p.distance) <= (trial < 48 ? 1e-15 : 8e-15), "%s-%s: %.17g", ts_shape_kind_name(a.kind),
                  ts_shape_kind_name(b.kind), p.distance);
    }
}

// Bullet's pair detector: distances up to 0.8 m for boxes and cubes that touch exactly; its box-box test prefers faces by
// five percent.
Test(touching, bullet_boxes_at_touch) {
    ts_rng rng = ts_rng_make(45, 0);
    for (int trial = 0; trial < 2000; ++trial) {
        double s = ts_rng_uniform_in(&rng, 0.05, 0.5);
        ts_shape a = unit_box(0.25), b = unit_box(s);
        // Faces, then an edge on a face, then a vertex on a face, all turned together.
        ts_transform pb = at(ts_rng_uniform_in(&rng, -0.2, 0.2), ts_rng_uniform_in(&rng, -0.2, 0.2), 0.25 + s);
        if (trial % 3 == 1) {
            pb.R = turn(0, 0.78539816339744831);
            pb.p.z = 0.25 + s * sqrt(2.0);
        } else if (trial % 3 == 2) {
            ts_mat3 first = turn(0, 0.78539816339744831), second = turn(1, 0.61547970867038737);
            pb.R = ts_mat3_mul(second, first);
            double reach = 0.0;
            ts_vec3 up = ts_mat3_row(&pb.R, 2);
            reach = s * (fabs(up.x) + fabs(up.y) + fabs(up.z));
            pb.p.z = 0.25 + reach;
        }
        ts_transform m = random_pose(&rng, 1.0);
        ts_proximity p = sure(a, m, b, ts_transform_mul(&m, &pb));
        cr_expect(fabs(p.distance) <= 4e-15, "case %d: %.17g", trial % 3, p.distance);
    }
}

// libccd's MPR and FCL's own solver: hulls at exact touch called centimetres apart or deep.
Test(touching, libccd_hulls_at_touch) {
    ts_rng rng = ts_rng_make(46, 0);
    for (int trial = 0; trial < 200; ++trial) {
        ts_hull* hull = random_hull(&rng, 32 + trial % 3 * 100, ts_vec3_make(0.5, 0.4, 0.3));
        ts_shape a = ts_shape_hull(hull);
        for (int k = 0; k < 10; ++k) {
            // A mirror image across a face's own plane touches it all over.
            int f = (int)ts_rng_uniform_in(&rng, 0.0, hull->face_count);
            ts_vec3 n = hull->face_normal[f];
            ts_shape box = unit_box(0.25);
            ts_transform pb;
            ts_vec3 corner = hull->vertex[hull->face_corner[hull->face_start[f]]];
            ts_vec3 side =
                ts_vec3_unit_or(ts_vec3_cross(n, fabs(n.x) < 0.5 ? ts_vec3_axis(0) : ts_vec3_axis(1)), ts_vec3_axis(0));
            ts_vec3 third = ts_vec3_cross(n, side);
            for (int r = 0; r < 3; ++r) {
                pb.R.m[r][0] = ts_vec3_get(side, r);
                pb.R.m[r][1] = ts_vec3_get(third, r);
                pb.R.m[r][2] = ts_vec3_get(n, r);
            }
            pb.p = ts_vec3_add_scaled(corner, 0.25, n);
            ts_proximity p = sure(a, at(0, 0, 0), box, pb);
            cr_expect(fabs(p.distance) <= 1e-15, "%.17g", p.distance);
            cr_expect(ts_vec3_dot(p.found.normal, n) > 0.0);
        }
        ts_hull_free(hull);
    }
}
