// Manifolds that are kept: against asking anew, within the bound that they state; and what they refuse.
#include "tests/collision/collision_fixture.h"

#include "collision/manifold/kept_internal.h"

static const double margin = 0.05;

static void collide_within(double within, const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                           const ts_transform* pose_b, ts_manifold* out) {
    const ts_manifold_settings settings = {within, 4, 0.0};
    memset(out, 0, sizeof *out);
    ts_manifold_collide(a, pose_a, b, pose_b, &settings, NULL, out);
}

static void collide(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                    ts_manifold* out) {
    collide_within(margin, a, pose_a, b, pose_b, out);
}

static double deepest(const ts_manifold* m) {
    double gap = 1e9;
    for (int k = 0; k < m->count; ++k) gap = fmin(gap, m->point[k].gap);
    return gap;
}

typedef int taker(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                  double most, ts_manifold_point* out_point, ts_proximity_status* out_status);

// As a manifold. No point is written beyond the last.
static int take(taker* by, ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b,
                double within, double most, ts_manifold* out) {
    ts_manifold_point point[TS_MANIFOLD_KEPT + 1];
    unsigned char mark[sizeof point];
    memset(point, 0x5a, sizeof point);
    memset(mark, 0x5a, sizeof mark);
    if (!by(kept, pose_a, pose_b, within, most, point, &out->status)) return 0;
    out->count = kept->count;
    for (int k = 0; k < out->count; ++k) out->point[k] = point[k];
    if (out->count > 0) out->normal = point[0].normal;
    cr_assert_eq(memcmp(&point[out->count], mark, sizeof point - (size_t)out->count * sizeof *point), 0);
    return 1;
}

// Moved by at most `way` and turned by at most `angle`.
static ts_transform moved(ts_rng* rng, const ts_transform* pose, double way, double angle) {
    ts_vec3 spin = random_vector(rng, angle / sqrt(3.0));
    ts_transform out = *pose;
    out.p = ts_vec3_add(pose->p, random_vector(rng, way / sqrt(3.0)));
    out.R = ts_mat3_mul(ts_quat_to_mat3(ts_quat_from_rotation_vector(spin)), pose->R);
    return out;
}

// Both turn and travel together as far as they like; what counts is how they move against each other.
static ts_transform carried(const ts_transform* by, const ts_transform* pose) {
    return (ts_transform){.p = ts_transform_point(by, pose->p), .R = ts_mat3_mul(by->R, pose->R)};
}

Test(manifold_kept, errs_by_no_more_than_it_says) {
    const ts_shape shape[] = {ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), ts_shape_sphere(0.25),
                              ts_shape_capsule(0.1, 0.3), ts_shape_cylinder(0.2, 0.15)};
    ts_rng rng = ts_rng_make(7, 0);
    int taken = 0, refused = 0;
    for (int n = 0; n < 4000; ++n) {
        const ts_shape *a = &shape[n % 4], *b = &shape[n / 4 % 4];
        const double most = 2e-3;
        ts_manifold first, kept, anew;
        ts_manifold_kept memory;
        ts_transform origin = at(0.0, 0.0, 0.0), pose_a = moved(&rng, &origin, 1.0, 3.0);
        ts_transform pose_b = moved(&rng, &pose_a, 0.5, 3.0);
        collide(a, &pose_a, b, &pose_b, &first);
        ts_manifold_keep(&pose_a, b, &pose_b, margin, &first, &memory);
        ts_transform away = moved(&rng, &origin, 5.0, 3.0), next = moved(&rng, &pose_b, 2.5e-3, 2.5e-3);
        ts_transform far_a = carried(&away, &pose_a), far_b = carried(&away, &next);
        if (!take(ts_manifold_take, &memory, &far_a, &far_b, margin, most, &kept)) {
            ++refused;
            continue;
        }
        collide(a, &far_a, b, &far_b, &anew);
        cr_assert_eq(kept.count, first.count);
        if (kept.count == 0) cr_expect(anew.count == 0 || deepest(&anew) > margin - most, "%d", n);
        if (kept.count == 0) continue;
        ++taken;
        double gap = anew.count > 0 ? deepest(&anew) : margin;
        cr_expect_leq(fabs(deepest(&kept) - gap), 2.0 * most, "%d: %g, %g", n, deepest(&kept), gap);
        for (int k = 0; k < kept.count; ++k) {
            cr_expect_eq(kept.point[k].feature, first.point[k].feature);
            ts_vec3 was = carried(&away, &(ts_transform){.p = first.point[k].position, .R = pose_a.R}).p;
            cr_expect_leq(ts_vec3_distance(kept.point[k].position, was), most, "%d", n);
        }
    }
    cr_expect_gt(taken, 300, "%d", taken);
    cr_expect_gt(refused, 300, "%d", refused);
}

// Corners over a face: what is left of the error is of second order.
Test(manifold_kept, corners_on_a_face_are_followed) {
    const ts_shape floor = ts_shape_box(ts_vec3_make(2.0, 2.0, 0.5)), box = ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1));
    ts_rng rng = ts_rng_make(11, 0);
    for (int n = 0; n < 200; ++n) {
        const double most = 1e-3;
        ts_manifold first, kept, anew;
        ts_manifold_kept memory;
        ts_transform ground = at(0.0, 0.0, -0.5), rest = at(0.2, -0.1, 0.1 + 1e-3 * (n % 3 - 1));
        collide(&floor, &ground, &box, &rest, &first);
        cr_assert_eq(first.count, 4);
        ts_manifold_keep(&ground, &box, &rest, margin, &first, &memory);
        ts_transform next = moved(&rng, &rest, 5e-4, 5e-4);
        cr_assert(take(ts_manifold_take, &memory, &ground, &next, margin, most, &kept), "%d", n);
        collide(&floor, &ground, &box, &next, &anew);
        cr_expect_float_eq(deepest(&kept), deepest(&anew), 10.0 * most * most, "%d", n);
        cr_expect_gt(fabs(deepest(&anew) - deepest(&first)), 0.0);
    }
}

Test(manifold_kept, refuses_what_it_cannot_answer_for) {
    const ts_shape a = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), b = ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1));
    ts_transform pose_a = at(0.0, 0.0, 0.0), pose_b = at(0.0, 0.0, 1.1), up = at(0.0, 0.0, 1.1011);
    double radius = sqrt(0.3 * 0.3 + 0.2 * 0.2 + 0.1 * 0.1);
    ts_manifold m;
    ts_manifold_kept memory = {.is_kept = 0};
    cr_expect_not(take(ts_manifold_take, &memory, &pose_a, &pose_b, margin, 1e-3, &m), "nothing was kept");
    collide(&a, &pose_a, &b, &pose_b, &m);
    ts_manifold_keep(&pose_a, &b, &pose_b, margin, &m, &memory);
    cr_expect(take(ts_manifold_take, &memory, &pose_a, &pose_b, margin, 1e-3, &m));
    cr_expect_not(take(ts_manifold_take, &memory, &pose_a, &pose_b, 2.0 * margin, 1e-3, &m), "another margin");
    cr_expect_not(take(ts_manifold_take, &memory, &pose_a, &up, margin, 1e-3, &m), "it has moved by more");
    cr_expect_not(take(ts_manifold_take, &memory, &up, &pose_b, margin, 1e-3, &m), "A has");
    // A turn moves the corners by the angle times the radius.
    ts_transform turned = pose_b;
    turned.R = turn(2, 1.1e-3 / radius);
    cr_expect_not(take(ts_manifold_take, &memory, &pose_a, &turned, margin, 1e-3, &m), "it has turned by more");
    turned.R = turn(2, 0.9e-3 / radius);
    cr_expect(take(ts_manifold_take, &memory, &pose_a, &turned, margin, 1e-3, &m));
    cr_expect_eq(memory.age, 2);
    turned.p.x = (double)NAN;
    cr_expect_not(take(ts_manifold_take, &memory, &pose_a, &turned, margin, 1e-3, &m), "not finite");
    // More points than are kept, and more than one normal.
    m.count = TS_MANIFOLD_KEPT + 1;
    ts_manifold_keep(&pose_a, &b, &pose_b, margin, &m, &memory);
    cr_expect_eq(memory.is_kept, 0);
    m.count = 2;
    m.point[1].normal = ts_vec3_axis(0);
    ts_manifold_keep(&pose_a, &b, &pose_b, margin, &m, &memory);
    cr_expect_eq(memory.is_kept, 0);
}

// Shapes apart are asked again when they may have come within the margin, and not before they have gone most of the way that is known to be between them.
Test(manifold_kept, what_is_apart_is_known_to_be_until_it_has_come_near) {
    const ts_shape shape[] = {ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), ts_shape_sphere(0.25),
                              ts_shape_capsule(0.1, 0.3), ts_shape_cylinder(0.2, 0.15)};
    ts_rng rng = ts_rng_make(17, 0);
    int taken = 0, near = 0, others = 0;
    for (int n = 0; n < 4000; ++n) {
        const ts_shape *a = &shape[n % 4], *b = &shape[n / 4 % 4];
        ts_manifold first, kept, anew;
        ts_manifold_kept memory;
        ts_transform pose_a = random_pose(&rng, 0.6), pose_b = random_pose(&rng, 0.6);
        collide(a, &pose_a, b, &pose_b, &first);
        if (first.count > 0) {
            cr_assert_eq(first.clearance, 0.0);
            continue;
        }
        ts_manifold_keep(&pose_a, b, &pose_b, margin, &first, &memory);
        // Towards A by nearly all of it.
        ts_vec3 towards = ts_vec3_unit_or(ts_vec3_sub(pose_a.p, pose_b.p), ts_vec3_axis(0));
        ts_transform next = pose_b;
        next.p = ts_vec3_add_scaled(pose_b.p, 0.999 * first.clearance, towards);
        cr_expect(take(ts_manifold_take, &memory, &pose_a, &next, margin, 0.0, &kept), "%d", n);
        next = moved(&rng, &pose_b, 0.1, 0.1);
        if (!take(ts_manifold_take, &memory, &pose_a, &next, margin, 0.0, &kept)) continue;
        cr_expect_eq(kept.count, 0);
        collide(a, &pose_a, b, &next, &anew);
        cr_assert_eq(anew.count, 0, "%d: within the margin", n);
        ++taken;
        near += first.clearance < 0.1;
        // By another margin than it was made with.
        double other = margin * ts_rng_uniform_in(&rng, 0.0, 4.0);
        if (!take(ts_manifold_take, &memory, &pose_a, &next, other, 1e-3, &kept)) continue;
        collide_within(other, a, &pose_a, b, &next, &anew);
        cr_assert_eq(anew.count, 0, "%d: within another margin", n);
        ++others;
    }
    cr_expect_gt(taken, 1000, "%d", taken);
    cr_expect_gt(others, 500, "%d", others);
    cr_expect_gt(near, 100, "%d", near);
}

Test(manifold_kept, has_one_set_of_bits) {
    const ts_shape a = ts_shape_box(ts_vec3_make(2.0, 2.0, 0.5)), b = ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1));
    ts_rng rng = ts_rng_make(23, 0);
    int taken = 0;
    for (int n = 0; n < 2000; ++n) {
        ts_transform origin = at(0.0, 0.0, 0.0), pose_a = moved(&rng, &origin, 1.0, 3.0);
        ts_transform lies = at(0.2, -0.1, 0.59), pose_b = carried(&pose_a, &lies);
        ts_manifold first, one, two;
        ts_manifold_kept memory[2];
        pose_b = moved(&rng, &pose_b, 0.02, 0.05);
        collide(&a, &pose_a, &b, &pose_b, &first);
        ts_manifold_keep(&pose_a, &b, &pose_b, margin, &first, &memory[0]);
        memory[1] = memory[0];
        memset(&one, 0, sizeof one);
        memset(&two, 0, sizeof two);
        ts_transform next = moved(&rng, &pose_b, 2e-3, 2e-3);
        int is_taken = take(ts_manifold_take_narrow, &memory[0], &pose_a, &next, margin, 1e-3, &one);
        cr_assert_eq(take(ts_manifold_take, &memory[1], &pose_a, &next, margin, 1e-3, &two), is_taken, "%d", n);
        cr_assert_eq(memcmp(&memory[0], &memory[1], sizeof memory[0]), 0, "%d", n);
        cr_assert_eq(memcmp(&one, &two, sizeof one), 0, "%d", n);
        taken += is_taken && one.count == 4;
    }
    cr_expect_gt(taken, 100, "%d", taken);
}
