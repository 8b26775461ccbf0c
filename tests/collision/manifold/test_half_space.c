// Contacts of large hulls with a half-space, which are found by spreading along edges, against a look at every vertex.
#include "tests/collision/collision_fixture.h"

#include "collision/manifold/manifold_internal.h"

enum { LISTED_MOST = TS_CONTACT_CAPACITY - 2, DIRECTIONS = 16 };

static int faces_down(const ts_hull* hull, int vertex, ts_vec3 up) {
    for (int f = 0; f < hull->face_count; ++f) {
        if (ts_vec3_dot(hull->face_normal[f], up) > -0.5) continue;
        for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; ++k)
            if (hull->face_corner[k] == vertex) return 1;
    }
    return hull->rank < 3;
}

// Which vertices are to touch, in order: the low ones that face down; of very many the extreme ones; and the lowest.
static int expected(const ts_hull* hull, double radius, const ts_transform* pose, double margin, int* out_vertex) {
    static const double a = 0.92387953251128674, b = 0.70710678118654752, d = 0.38268343236508977;
    const double cosine[DIRECTIONS] = {1.0, a, b, d, 0.0, -d, -b, -a, -1.0, -a, -b, -d, 0.0, d, b, a};
    ts_vec3 up = ts_mat3_row(&pose->R, 2);
    double base = pose->p.z + ts_vec3_dot(up, hull->centre), least = (double)INFINITY;
    int* low = malloc((size_t)hull->vertex_count * sizeof *low);
    int low_count = 0, count = 0, lowest = 0;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double height = up.x * hull->x[i] + up.y * hull->y[i] + up.z * hull->z[i] + base;
        if (height < least) lowest = i;
        least = height < least ? height : least;
        if (height - radius <= margin && faces_down(hull, i, up)) low[low_count++] = i;
    }
    for (int k = 0; k < low_count && low_count <= LISTED_MOST; ++k) out_vertex[count++] = low[k];
    for (int k = 0; k < DIRECTIONS && low_count > LISTED_MOST; ++k) {
        // Every 22.5 degrees; the sine is the cosine a quarter turn back.
        double c = cosine[k], s = cosine[(k + 12) % 16], best = -(double)INFINITY;
        int winner = -1, seen = 0;
        for (int j = 0; j < low_count; ++j) {
            ts_vec3 at = ts_mat3_mul_vec(&pose->R, hull->vertex[low[j]]);
            double along = c * at.x + s * at.y;
            if (along > best) winner = low[j];
            best = along > best ? along : best;
        }
        for (int j = 0; j < count; ++j) seen |= out_vertex[j] == winner;
        if (!seen) out_vertex[count++] = winner;
    }
    int seen = 0, kept = 0;
    for (int j = 0; j < count; ++j) seen |= out_vertex[j] == lowest;
    if (!seen) out_vertex[count++] = lowest;
    // Where rounding has the last word a point is placed once more.
    for (int j = 0; j < count; ++j)
        if (ts_transform_point(pose, hull->vertex[out_vertex[j]]).z - radius <= margin)
            out_vertex[kept++] = out_vertex[j];
    free(low);
    return kept;
}

static void check(const ts_hull* hull, double radius, ts_transform pose, double margin, const char* what) {
    ts_shape plane = ts_shape_plane(), shape = ts_shape_rounded(ts_shape_hull(hull), radius);
    ts_shape_pair pair = {&plane, &shape, pose};
    ts_contact_list list;
    int vertex[TS_CONTACT_CAPACITY + DIRECTIONS], count = expected(hull, radius, &pose, margin, vertex);
    ts_half_space_contacts(&pair, margin, &list);
    cr_assert_eq(list.count, count, "%s, margin %g: %d contacts, not %d", what, margin, list.count, count);
    for (int k = 0; k < count; ++k) {
        ts_vec3 at = ts_transform_point(&pose, hull->vertex[vertex[k]]);
        cr_assert_eq(list.point[k].feature, ts_contact_label(1, -1, -1, vertex[k], vertex[k]), "%s: contact %d", what,
                     k);
        cr_assert_eq(list.point[k].gap, at.z - radius, "%s: contact %d", what, k);
    }
}

// At every height that matters: in the air, touching by rounding, and deep.
static void check_at_heights(const ts_hull* hull, ts_mat3 R, double tolerance, const char* what) {
    static const double gap[] = {0.1, 1e-3, 1e-12, 0.0, -1e-12, -1e-7, -1e-4, -1e-3, -0.02, -0.3, -3.0};
    static const double margin[] = {0.0, 1e-3, 0.02};
    double least = (double)INFINITY;
    ts_transform pose = {R, ts_vec3_zero()};
    for (int i = 0; i < hull->vertex_count; ++i) least = fmin(least, ts_transform_point(&pose, hull->vertex[i]).z);
    for (size_t g = 0; g < sizeof gap / sizeof gap[0]; ++g)
        for (size_t m = 0; m < sizeof margin / sizeof margin[0]; ++m) {
            pose.p = ts_vec3_make(0.3, -2.0, gap[g] - least + tolerance);
            check(hull, 0.0, pose, margin[m], what);
            pose.p.z += 0.25;
            check(hull, 0.25, pose, margin[m], what);
        }
}

static ts_hull* hull_of(const ts_vec3* points, int count) {
    ts_hull* hull = 0;
    ts_status status;
    cr_assert_eq(ts_hull_build_any(points, count, &hull, 0, &status), TS_OK, "%s", status.message);
    cr_assert_gt(hull->vertex_count, TS_HULL_FEW, "too few: all are looked at");
    return hull;
}

Test(half_space, round_hulls) {
    enum { N = 3000 };
    static ts_vec3 points[N];
    ts_rng rng = ts_rng_make(181, 0);
    for (int trial = 0; trial < 6; ++trial) {
        int count = 200 + 500 * trial;
        ts_vec3 size = ts_vec3_make(0.5, trial % 3 ? 0.5 : 0.05, trial % 2 ? 0.3 : 0.6);
        for (int i = 0; i < count; ++i) points[i] = ts_vec3_mul(random_unit(&rng), size);
        ts_hull* hull = hull_of(points, count);
        for (int turn = 0; turn < 6; ++turn) check_at_heights(hull, random_pose(&rng, 1.0).R, 0.0, "round");
        ts_hull_free(hull);
    }
}

// A disk of many corners on its flat end, on its side and on an edge; its ends flat, or rough by what faces may be joined over.
Test(half_space, disks_on_their_ends) {
    enum { N = 400 };
    ts_rng rng = ts_rng_make(182, 0);
    for (int rough = 0; rough < 3; ++rough) {
        static ts_vec3 points[2 * N];
        double off = rough == 0 ? 0.0 : rough == 1 ? 1e-15 : 4e-8;
        for (int k = 0; k < N; ++k) {
            double angle = 6.283185307179586 * k / N;
            ts_vec3 rim = ts_vec3_make(cos(angle), sin(angle), 0.0);
            points[k] = ts_vec3_with(rim, 2, -0.4 + off * ts_rng_uniform_in(&rng, -1.0, 1.0));
            points[N + k] = ts_vec3_with(rim, 2, 0.4 + off * ts_rng_uniform_in(&rng, -1.0, 1.0));
        }
        ts_hull* hull = hull_of(points, 2 * N);
        for (int k = 0; k < 34; ++k) {
            // Lying on the lower or upper end but for a little tilt, about an axis that is turned as well.
            double tilt = (k % 2 ? 3.141592653589793 : 0.0) + (k % 4 < 2 ? 0.0 : pow(10.0, -(k % 17)));
            ts_mat3 about = turn(2, ts_rng_uniform_in(&rng, 0.0, 6.0)), over = turn(0, tilt);
            ts_mat3 R = ts_mat3_mul(over, about);
            check_at_heights(hull, R, 0.0, "disk on its end");
            check_at_heights(hull, R, off, "disk on its end, a little lower");
        }
        // On its side both ends reach equally far across: the lower number wins.
        const ts_mat3 side = {{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}};
        check_at_heights(hull, side, 0.0, "disk on its side");
        for (int k = 0; k < 10; ++k) check_at_heights(hull, random_pose(&rng, 1.0).R, 0.0, "disk anyhow");
        ts_hull_free(hull);
    }
}

// A flat hull has two faces back to back, and every corner counts on which it stands.
Test(half_space, flat_plates) {
    enum { N = 300 };
    ts_rng rng = ts_rng_make(183, 0);
    ts_vec3 points[N];
    for (int k = 0; k < N; ++k) points[k] = ts_vec3_make(cos(0.02094395 * k), 0.7 * sin(0.02094395 * k), 0.0);
    ts_hull* hull = hull_of(points, N);
    cr_assert_eq(hull->rank, 2);
    check_at_heights(hull, ts_mat3_identity(), 0.0, "plate lying");
    check_at_heights(hull, turn(0, 1.5707963267948966), 0.0, "plate standing");
    for (int k = 0; k < 20; ++k) check_at_heights(hull, random_pose(&rng, 1.0).R, 0.0, "plate anyhow");
    ts_hull_free(hull);
}
