// Every row of the table of kinds against what follows from its own support function, and that against points known to lie inside.
// The tests name no kind: one that is added is tested as well.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/shape_traits_internal.h"

#include <stdio.h>
#include <string.h>

enum { SHAPES = 12, DIRECTIONS = 60 };

typedef void (*checked_by)(const ts_shape* shape, ts_rng* rng, const char* name);

// Some shapes of every kind that has support points, without a ball but where the kind is made of one.
static void for_cores(uint64_t seed, checked_by check) {
    ts_rng rng = ts_rng_make(seed, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.3, 0.7));
    for (int kind = 0; kind < TS_SHAPE_CONVEX_COUNT; ++kind) {
        if (!ts_shape_table[kind]->support) continue;
        for (int k = 0; k < SHAPES; ++k) {
            ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, hull);
            check(&shape, &rng, ts_shape_kind_name(shape.kind));
        }
    }
    ts_hull_free(hull);
}

static double value_along(const ts_shape* shape, ts_vec3 d) {
    return ts_vec3_dot(d, ts_support_core(shape, d, -1).point);
}

static void check_support(const ts_shape* shape, ts_rng* rng, const char* name) {
    ts_shape core = *shape;
    core.radius = 0.0;
    for (int k = 0; k < DIRECTIONS; ++k) {
        ts_vec3 d = random_unit(rng);
        ts_support_point top = ts_support_core(shape, d, -1), row = ts_shape_traits_of(shape)->support(shape, d, -1);
        cr_assert(ts_vec3_distance(top.point, row.point) == 0.0 && top.index == row.index, "%s: inlined otherwise",
                  name);
        cr_assert_leq(fabs(outside_core(&core, top.point)), 1e-12, "%s: a support point off the surface", name);
        // Points of the core: other support points, and those between them.
        ts_vec3 other = ts_support_core(shape, random_unit(rng), -1).point;
        for (int j = 0; j < 300; ++j) {
            ts_vec3 next = ts_support_core(shape, random_unit(rng), -1).point;
            cr_assert_leq(ts_vec3_dot(d, next), ts_vec3_dot(d, top.point) + 1e-14, "%s: farther along", name);
            other = ts_vec3_lerp(other, next, ts_rng_uniform(rng));
            cr_assert_leq(outside_core(&core, other), 1e-12, "%s: not convex", name);
        }
    }
}

Test(shape_kinds, nothing_is_farther_than_the_support_point) { for_cores(171, check_support); }

static void check_extents(const ts_shape* shape, ts_rng* rng, const char* name) {
    ts_transform placed = random_pose(rng, 2.0);
    ts_shape rounded = ts_shape_rounded(*shape, ts_rng_uniform(rng));
    ts_vec3 low, high, here_low, here_high;
    ts_shape_bounds(&rounded, &placed, &low, &high);
    ts_shape_local_box(&rounded, &here_low, &here_high);
    double reach = ts_shape_bounding_radius(&rounded), farthest = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        for (int side = -1; side <= 1; side += 2) {
            ts_vec3 d = ts_vec3_scale(side, ts_vec3_axis(axis));
            double here = value_along(shape, d) + rounded.radius;
            double there = value_along(shape, ts_transform_direction_inverse(&placed, d)) + rounded.radius;
            double at = side * ts_vec3_get(placed.p, axis) + there;
            cr_assert_float_eq(side * ts_vec3_get(side > 0 ? here_high : here_low, axis), here, 1e-13, "%s: box", name);
            cr_assert_float_eq(side * ts_vec3_get(side > 0 ? high : low, axis), at, 1e-13, "%s: bounds", name);
        }
    // The farthest point is the support point along itself: from any start the search along what was found climbs there.
    for (int k = 0; k < DIRECTIONS; ++k) {
        ts_vec3 d = random_unit(rng);
        for (int step = 0; step < 300; ++step) {
            ts_vec3 point = ts_support_core(shape, d, -1).point;
            farthest = fmax(farthest, ts_vec3_norm(point));
            d = ts_vec3_unit_or(point, d);
        }
    }
    cr_assert_geq(reach, farthest + rounded.radius - 1e-13, "%s: a point beyond the reach", name);
    if (!ts_shape_traits_of(shape)->reach)
        farthest = ts_vec3_norm(ts_vec3_max(ts_vec3_abs(here_low), ts_vec3_abs(here_high)));
    cr_assert_leq(reach, farthest + rounded.radius + 1e-4, "%s: reach %g of %g", name, reach,
                  farthest + rounded.radius);
    ts_vec3 middle = ts_shape_middle(shape);
    cr_assert_leq(ts_vec3_distance(middle, ts_vec3_lerp(here_low, here_high, 0.5)), 1e-13, "%s: middle", name);
}

Test(shape_kinds, extents_are_those_of_the_support_function) { for_cores(172, check_extents); }

// Sums over random points of the box, by distances that know nothing of mass.
static void check_mass(const ts_shape* shape, ts_rng* rng, const char* name) {
    enum { N = 400000 };
    ts_vec3 low, high, first = ts_vec3_zero();
    ts_mat3 second = ts_mat3_zero();
    ts_shape_local_box(shape, &low, &high);
    ts_vec3 size = ts_vec3_sub(high, low);
    double box = size.x * size.y * size.z, count = 0.0;
    if (ts_shape_traits_of(shape)->rank + (shape->radius > 0.0 ? 3 : 0) < 3) {
        cr_assert_eq(ts_shape_mass_properties(shape).volume, 0.0, "%s: flat", name);
        return;
    }
    for (int i = 0; i < N; ++i) {
        double u = ts_rng_uniform(rng), v = ts_rng_uniform(rng), w = ts_rng_uniform(rng);
        ts_vec3 p = ts_vec3_add(low, ts_vec3_mul(size, ts_vec3_make(u, v, w)));
        if (outside(shape, p) > 0.0) continue;
        count += 1.0;
        first = ts_vec3_add(first, p);
        second = ts_mat3_add(second, ts_mat3_outer(p, p));
    }
    ts_mass_properties m = ts_shape_mass_properties(shape);
    // A mean of n draws is off by their spread over sqrt(n) in one of three cases; by five times that never.
    double doubt = 5.0 / sqrt(count);
    ts_vec3 centre = ts_vec3_scale(1.0 / count, first);
    cr_assert_float_eq(m.volume, box * count / N, doubt * m.volume, "%s: volume %g, not %g", name, m.volume,
                       box * count / N);
    cr_assert_leq(ts_vec3_distance(m.centre, centre), doubt * ts_vec3_norm(size), "%s: centre", name);
    second = ts_mat3_sub(ts_mat3_scale(1.0 / count, second), ts_mat3_outer(centre, centre));
    double trace = ts_mat3_trace(&second);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double wanted = (i == j ? trace : 0.0) - second.m[i][j];
            cr_assert_float_eq(m.inertia.m[i][j] / m.volume, wanted, doubt * trace, "%s: inertia %d %d is %g, not %g",
                               name, i, j, m.inertia.m[i][j] / m.volume, wanted);
        }
}

Test(shape_kinds, masses_are_those_of_random_points_inside) { for_cores(173, check_mass); }

// A closed form with a ball against the hull of support points, which lies inside by about a thousandth.
static void check_rounded_mass(const ts_shape* shape, ts_rng* rng, const char* name) {
    ts_shape rounded = ts_shape_rounded(*shape, ts_rng_uniform_in(rng, 0.1, 0.5));
    ts_mass_properties m = ts_shape_mass_properties(&rounded), n = ts_shape_sampled_mass(&rounded);
    cr_assert_float_eq(n.volume, m.volume, 4e-3 * m.volume, "%s: volume %g, not %g", name, m.volume, n.volume);
    cr_assert_leq(n.volume, m.volume * (1.0 + 1e-12), "%s: the hull inside is larger", name);
    cr_assert_leq(ts_vec3_distance(m.centre, n.centre), 1e-3 * ts_shape_bounding_radius(&rounded), "%s: centre", name);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            cr_assert_float_eq(n.inertia.m[i][j], m.inertia.m[i][j], 6e-3 * ts_mat3_trace(&m.inertia),
                               "%s: inertia %d %d", name, i, j);
}

Test(shape_kinds, rounded_masses_are_those_of_support_points) { for_cores(174, check_rounded_mass); }

static void check_vertices(const ts_shape* shape, ts_rng* rng, const char* name) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    ts_vec3 vertex;
    for (int k = 0; k < DIRECTIONS && traits->vertex; ++k) {
        ts_support_point top = ts_support_core(shape, random_unit(rng), -1);
        cr_assert(traits->vertex(shape, top.index, &vertex), "%s: vertex %d is missing", name, top.index);
        cr_assert_eq(ts_vec3_distance(vertex, top.point), 0.0, "%s: vertex %d", name, top.index);
    }
    cr_assert(!traits->vertex || !traits->vertex(shape, 1 << 20, &vertex), "%s: too many vertices", name);
    cr_assert(traits->polytope || !traits->vertex, "%s: vertices of a round shape", name);
}

Test(shape_kinds, vertices_are_where_support_points_say) { for_cores(175, check_vertices); }

// Derivative of the support point along v at n, seen along u.
static double bend(const ts_shape* shape, ts_vec3 n, ts_vec3 u, ts_vec3 v, double step) {
    ts_vec3 ahead = ts_support_core(shape, ts_vec3_add_scaled(n, step, v), -1).point;
    ts_vec3 behind = ts_support_core(shape, ts_vec3_add_scaled(n, -step, v), -1).point;
    return ts_vec3_dot(u, ts_vec3_sub(ahead, behind)) / (2.0 * step);
}

static void check_hessian(const ts_shape* shape, ts_rng* rng, const char* name) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (!traits->add_hessian && !traits->polytope) return;  // does not know
    for (int k = 0; k < DIRECTIONS; ++k) {
        ts_vec3 n = random_unit(rng), u = ts_vec3_unit_or(ts_vec3_cross(n, random_unit(rng)), n),
                v = ts_vec3_cross(n, u);
        ts_tangent_form form = {1.0, 2.0, 3.0};
        if (traits->add_hessian) traits->add_hessian(shape, n, u, v, &form);
        const double had[3] = {form.uu - 1.0, form.uv - 2.0, form.vv - 3.0};
        const double wanted[3] = {bend(shape, n, u, u, 1e-4), bend(shape, n, u, v, 1e-4), bend(shape, n, v, v, 1e-4)};
        const double again[3] = {bend(shape, n, u, u, 5e-5), bend(shape, n, u, v, 5e-5), bend(shape, n, v, v, 5e-5)};
        for (int i = 0; i < 3; ++i) {
            double noise = fabs(wanted[i] - again[i]);
            if (noise > 1e-3) continue;  // a kink near by
            cr_assert_float_eq(had[i], again[i], 1e-6 + 2.0 * noise, "%s: %d is %g, not %g", name, i, had[i], again[i]);
        }
    }
}

Test(shape_kinds, hessians_are_how_support_points_move) { for_cores(176, check_hessian); }

// The distance of a point is the most by which it lies beyond any support plane, and it lies as far beyond the one across
// `outward`: this says all, inside and out.
static void check_point(const ts_shape* shape, ts_rng* rng, const char* name) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (!traits->point) return;
    for (int k = 0; k < 40 * DIRECTIONS; ++k) {
        ts_vec3 p = random_vector(rng, k % 3 ? 1.2 : 0.4), outward;
        double distance = traits->point(shape, p, &outward), size = 1.0 + ts_vec3_norm(p);
        cr_assert_float_eq(ts_vec3_norm(outward), 1.0, 1e-14, "%s", name);
        cr_assert_float_eq(ts_vec3_dot(outward, p) - value_along(shape, outward), distance, 1e-14 * size, "%s", name);
        for (int j = 0; j < 50; ++j) {
            ts_vec3 d = random_unit(rng);
            cr_assert_leq(ts_vec3_dot(d, p) - value_along(shape, d), distance + 1e-14 * size, "%s: farther out", name);
        }
    }
}

Test(shape_kinds, distances_of_points_are_those_of_support_planes) { for_cores(179, check_point); }

// A point that lies t out along the normal of a support plane is t away.
static void check_excess(const ts_shape* shape, ts_rng* rng, const char* name) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (!traits->excess) return;
    for (int k = 0; k < DIRECTIONS; ++k) {
        ts_vec3 d = random_unit(rng), top = ts_support_core(shape, d, -1).point;
        double t = pow(10.0, ts_rng_uniform_in(rng, -6.0, 1.0));
        double at = traits->excess(shape, top), out = traits->excess(shape, ts_vec3_add_scaled(top, t, d));
        cr_assert_leq(fabs(at), 1e-13, "%s: a point of the surface is off by %g", name, at);
        cr_assert(out >= 0.02 * t && out <= 50.0 * t, "%s: %g out gives %g", name, t, out);
        ts_vec3 inside = ts_vec3_lerp(top, ts_support_core(shape, random_unit(rng), -1).point, ts_rng_uniform(rng));
        cr_assert_leq(traits->excess(shape, inside), 1e-13, "%s: a point between two of the surface", name);
    }
}

Test(shape_kinds, an_excess_is_zero_on_the_surface_and_a_length_outside) { for_cores(177, check_excess); }

// The other end is on the surface, and so is all between: a plane through both holds the shape on one side.
static void check_edge(const ts_shape* shape, ts_rng* rng, const char* name) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (!traits->edge) return;
    ts_shape core = *shape;
    core.radius = 0.0;
    for (int k = 0; k < DIRECTIONS; ++k) {
        ts_vec3 d = random_unit(rng), to;
        if (traits->edge_normals) {
            ts_normal_circle circle = traits->edge_normals(shape);
            ts_vec3 across = ts_vec3_unit_or(ts_vec3_add_scaled(d, -ts_vec3_dot(circle.axis, d), circle.axis), d);
            d = ts_vec3_add_scaled(ts_vec3_scale(circle.level, circle.axis), sqrt(1.0 - circle.level * circle.level),
                                   across);
        }
        ts_support_point top = ts_support_core(shape, d, -1);
        cr_assert(traits->edge(shape, d, top, &to), "%s: no edge", name);
        double length = ts_vec3_distance(top.point, to), slope = ts_vec3_dot(d, ts_vec3_sub(top.point, to)) / length;
        cr_assert_gt(length, 1e-3, "%s: an edge without length", name);
        cr_assert_leq(fabs(outside_core(&core, to)), 1e-12, "%s: its end is off the surface", name);
        cr_assert_leq(fabs(outside_core(&core, ts_vec3_lerp(top.point, to, 0.4))), 1e-12, "%s: leaves the surface",
                      name);
        if (traits->excess)
            cr_assert_leq(fabs(traits->excess(shape, ts_vec3_lerp(top.point, to, 0.4))), 1e-12, "%s: excess", name);
        if (traits->edge_normals) cr_assert_leq(fabs(slope), 1e-12, "%s: falls away along its own normal", name);
        // Whatever lies in the cone of a corner's edges falls away no less than the flattest of them.
        for (int j = 0; j < 100 && traits->polytope; ++j) {
            ts_vec3 e = ts_vec3_sub(top.point, ts_support_core(shape, random_unit(rng), -1).point);
            if (ts_vec3_norm(e) > 0.0)
                cr_assert_geq(ts_vec3_dot(e, d) / ts_vec3_norm(e), slope - 1e-12, "%s: a flatter edge", name);
        }
    }
}

Test(shape_kinds, edges_run_along_the_surface) { for_cores(178, check_edge); }

// Numbers go in and come out, and each that is wrong is refused by its name.
Test(shape_kinds, numbers_are_kept_and_checked) {
    static const double wrong[4] = {0.0, -1.0, (double)INFINITY, (double)NAN};
    for (int kind = 0; kind < TS_SHAPE_KIND_COUNT; ++kind) {
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)kind);
        const double value[TS_SHAPE_PARAMETERS_MOST] = {0.25, 0.5, 0.75, 1.25};
        ts_shape shape = ts_shape_make((ts_shape_kind)kind, value);
        ts_status status;
        cr_assert_eq(shape.kind, (ts_shape_kind)kind);
        for (int i = 0; i < info->parameter_count; ++i)
            cr_expect_eq(ts_shape_value(&shape, i), value[i], "%s: %s", info->name, info->parameter[i].name);
        if (info->made_of) {
            cr_expect_eq(ts_shape_validate(&shape, &status), TS_ERROR_VALUE, "%s of nothing", info->name);
            cr_expect(strstr(status.message, info->made_of), "%s: %s", info->name, status.message);
            continue;
        }
        cr_expect_eq(ts_shape_validate(&shape, &status), TS_OK, "%s", info->name);
        for (int i = 0; i < info->parameter_count; ++i)
            for (int k = 0; k < 4; ++k) {
                double bad[TS_SHAPE_PARAMETERS_MOST];
                memcpy(bad, value, sizeof bad);
                bad[i] = wrong[k];
                shape = ts_shape_make((ts_shape_kind)kind, bad);
                cr_expect_eq(ts_shape_validate(&shape, &status), TS_ERROR_VALUE, "%s of %g", info->name, wrong[k]);
                cr_expect(strstr(status.message, info->parameter[i].name), "%s: %s", info->name, status.message);
            }
    }
}

// What people read: one name for one kind, without what separates words in a text; letters for each number.
Test(shape_kinds, names_and_words) {
    for (int kind = 0; kind < TS_SHAPE_KIND_COUNT; ++kind) {
        cr_assert_not_null(ts_shape_table[kind], "kind %d has no row", kind);
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)kind);
        cr_expect_null(strpbrk(info->name, " :,+./"), "%s", info->name);
        for (int other = 0; other < kind; ++other)
            cr_expect_str_neq(info->name, ts_shape_kind_name((ts_shape_kind)other));
        cr_expect((info->made_of == NULL) == (info->help != NULL),
                  "%s: made of numbers, with help, or of something else", info->name);
        cr_expect(!info->made_of || !info->parameter_count, "%s", info->name);
        for (int i = 0; i < info->parameter_count; ++i)
            cr_expect(info->parameter[i].letters && info->parameter[i].name, "%s: number %d", info->name, i);
    }
}
