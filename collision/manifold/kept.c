// Manifolds that are kept from step to step.
//
// Problem: what rests is asked for its contacts in every step, and gives the same answer. Rule: where B has hardly moved against A, its manifold is the
// one of before: every surface point moves with its own shape, the normal with A, and gaps are the distances of the surface points along it. How far the
// points of B's surface have moved against A is at most the way of its origin, plus what its turn by an angle t moves a point at its radius: 2 sin(t / 2)
// times that, where 2 sin(t / 2) is the change of its axes (Frobenius norm) by the root of 2. Shapes that were farther apart than the margin have no
// contact before they have moved by as much as they were beyond it.
// Source: contact recycling, Catto, Box2D 3 (2024); the bounds are our own.
// Guaranteed: what is kept was made from shapes as they were, never from what was kept, so errors do not add up. Distance, and depth, change by at most as
// much as the points of a surface move, and so do the gaps along a fixed normal: the deepest gap is off by twice that at most, where a corner or an edge lies on a
// face by a second power of it. The four points go side by side (base/linear/four.h); this file is compiled again for AVX2 (kept_wide.c).
// Known to fail: a corner that has come within the margin is seen when the shapes have moved by what is allowed.
#include "collision/manifold/kept_internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/linear/four.h"

// Of B in the frame of A: rows of R, and the origin; the fourth number of each means nothing.
typedef struct seen_from_a {
    ts_four R[3];
    ts_four p;
} seen_from_a;

static inline seen_from_a relative(const ts_transform* a, const ts_transform* b) {
    // R, row by row, and p lie one behind the other: four numbers from the beginning of any row are a transform's.
    const double *from_a = (const double*)a, *from_b = (const double*)b;
    const ts_four b0 = ts_four_load(from_b), b1 = ts_four_load(from_b + 3), b2 = ts_four_load(from_b + 6);
    const ts_four a0 = ts_four_load(from_a), a1 = ts_four_load(from_a + 3), a2 = ts_four_load(from_a + 6);
    ts_vec3 d = ts_vec3_sub(b->p, a->p);
    seen_from_a out;
    for (int i = 0; i < 3; ++i)
        out.R[i] = ts_four_plus(ts_four_plus(ts_four_times(from_a[i], b0), ts_four_times(from_a[3 + i], b1)),
                                ts_four_times(from_a[6 + i], b2));
    out.p = ts_four_plus(ts_four_plus(ts_four_times(d.x, a0), ts_four_times(d.y, a1)), ts_four_times(d.z, a2));
    return out;
}

static inline double sum_of_three(ts_four a) {
    double s[4];
    ts_four_store(a, s);
    return s[0] + s[1] + s[2];
}

// At least how far any point of B's surface is from where it was.
static inline double way_of(const ts_manifold_kept* kept, const seen_from_a* now) {
    ts_four turned = ts_four_zero();
    for (int i = 0; i < 3; ++i) {
        ts_four e = ts_four_minus(now->R[i], ts_four_load(kept->pose + 3 * i));
        turned = ts_four_plus(turned, ts_four_product(e, e));
    }
    // The origin is what `pose` ends with.
    ts_four gone = ts_four_minus(now->p, ts_four_next(ts_four_load(kept->pose + 8)));
    return sqrt(sum_of_three(ts_four_product(gone, gone))) + sqrt(0.5 * sum_of_three(turned)) * kept->radius;
}

// Three numbers of each of the points.
typedef struct four_vectors {
    ts_four x, y, z;
} four_vectors;

static inline four_vectors load_vectors(const double from[3][TS_MANIFOLD_KEPT]) {
    return (four_vectors){ts_four_load(from[0]), ts_four_load(from[1]), ts_four_load(from[2])};
}

// R v + p, one row of it.
static inline ts_four row_times(const double* R, const four_vectors* v, double p) {
    return ts_four_plus(
        ts_four_plus(ts_four_plus(ts_four_times(R[0], v->x), ts_four_times(R[1], v->y)), ts_four_times(R[2], v->z)),
        ts_four_all(p));
}

static inline ts_four middle(ts_four a, ts_four b) { return ts_four_times(0.5, ts_four_plus(a, b)); }

// Where the points are now.
static inline ts_proximity_status move_points(const ts_manifold_kept* kept, const ts_transform* pose_a,
                                              const seen_from_a* now, ts_manifold_point* out) {
    double R[3][4], p[4], depth[4];
    const double *n = kept->normal, *from_a = (const double*)pose_a;
    ts_vec3 normal = ts_mat3_mul_vec(&pose_a->R, ts_vec3_load(kept->normal));
    for (int i = 0; i < 3; ++i) ts_four_store(now->R[i], R[i]);
    ts_four_store(now->p, p);
    four_vectors a = load_vectors(kept->on_a), on_b = load_vectors(kept->on_b);
    four_vectors b = {row_times(R[0], &on_b, p[0]), row_times(R[1], &on_b, p[1]), row_times(R[2], &on_b, p[2])};
    ts_four gap = ts_four_plus(
        ts_four_plus(ts_four_times(n[0], ts_four_minus(b.x, a.x)), ts_four_times(n[1], ts_four_minus(b.y, a.y))),
        ts_four_times(n[2], ts_four_minus(b.z, a.z)));
    four_vectors m = {middle(a.x, b.x), middle(a.y, b.y), middle(a.z, b.z)};
    ts_four x = row_times(from_a, &m, pose_a->p.x), y = row_times(from_a + 3, &m, pose_a->p.y);
    ts_four z = row_times(from_a + 6, &m, pose_a->p.z), rest = ts_four_zero();
    ts_four nx = ts_four_all(normal.x), ny = ts_four_all(normal.y), nz = ts_four_all(normal.z);
    ts_four_store(gap, depth);
    ts_four_transpose(&x, &y, &z, &rest);
    ts_four_transpose(&nx, &ny, &nz, &gap);
    const ts_four at[4] = {x, y, z, rest}, along[4] = {nx, ny, nz, gap};
    ts_proximity_status status = TS_PROXIMITY_SEPARATED;
    _Static_assert(offsetof(ts_manifold_point, gap) == 6 * sizeof(double),
                   "position, normal and gap lie one behind the other");
    for (int k = 0; k < kept->count; ++k) {
        double* to = (double*)&out[k];
        // One number too far, which the normal takes.
        ts_four_store(at[k], to);
        ts_four_store(along[k], to + 3);
        out[k].feature = kept->feature[k];
        if (depth[k] < 0.0) status = TS_PROXIMITY_PENETRATING;
    }
    return status;
}

static inline int take(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                       double most, ts_manifold_point* out_point, ts_proximity_status* out_status) {
    if (!kept->is_kept || (kept->margin != margin && kept->count > 0)) return 0;
    seen_from_a now = relative(pose_a, pose_b);
    // Of what is not finite nothing is kept. A clearance counts where there are no points, and is zero where there are; it is that of another
    // margin less what this one is wider.
    double beyond = kept->clearance + (kept->margin - margin);
    if (kept->margin == margin && !(beyond > most)) beyond = most;
    if (!(way_of(kept, &now) <= beyond)) return 0;
    ++kept->age;
    *out_status = kept->count > 0 ? move_points(kept, pose_a, &now, out_point) : TS_PROXIMITY_SEPARATED_EARLY;
    return 1;
}

#if TS_WIDE

int ts_manifold_take_wide(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                          double most, ts_manifold_point* out_point, ts_proximity_status* out_status) {
    return take(kept, pose_a, pose_b, margin, most, out_point, out_status);
}

#else

int ts_manifold_take_narrow(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b,
                            double margin, double most, ts_manifold_point* out_point, ts_proximity_status* out_status) {
    return take(kept, pose_a, pose_b, margin, most, out_point, out_status);
}

int ts_manifold_take(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                     double most, ts_manifold_point* out_point, ts_proximity_status* out_status) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2"))
        return ts_manifold_take_wide(kept, pose_a, pose_b, margin, most, out_point, out_status);
#endif
    return take(kept, pose_a, pose_b, margin, most, out_point, out_status);
}

static int has_one_normal(const ts_manifold* manifold) {
    for (int k = 1; k < manifold->count; ++k) {
        ts_vec3 a = manifold->point[k].normal, b = manifold->point[0].normal;
        if (a.x != b.x || a.y != b.y || a.z != b.z) return 0;
    }
    return 1;
}

static void put(ts_vec3 v, int k, double to[3][TS_MANIFOLD_KEPT]) {
    to[0][k] = v.x;
    to[1][k] = v.y;
    to[2][k] = v.z;
}

void ts_manifold_keep(const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b, double margin,
                      const ts_manifold* manifold, ts_manifold_kept* out) {
    memset(out, 0, sizeof *out);
    if (manifold->count > TS_MANIFOLD_KEPT || !has_one_normal(manifold)) return;
    if (manifold->status == TS_PROXIMITY_LIMIT || manifold->status == TS_PROXIMITY_INVALID_INPUT) return;
    seen_from_a r = relative(pose_a, pose_b);
    out->is_kept = 1;
    out->count = (short)manifold->count;
    out->margin = margin;
    out->radius = ts_shape_bounding_radius(b);
    out->clearance = manifold->count > 0 ? 0.0 : manifold->clearance;
    for (int i = 0; i < 3; ++i) ts_four_store_three(r.R[i], out->pose + 3 * i);
    ts_four_store_three(r.p, out->pose + 9);
    for (int k = 0; k < manifold->count; ++k) {
        const ts_manifold_point* point = &manifold->point[k];
        ts_vec3 half = ts_vec3_scale(0.5 * point->gap, point->normal);
        put(ts_transform_point_inverse(pose_a, ts_vec3_sub(point->position, half)), k, out->on_a);
        put(ts_transform_point_inverse(pose_b, ts_vec3_add(point->position, half)), k, out->on_b);
        out->feature[k] = point->feature;
    }
    if (out->count > 0) ts_vec3_store(ts_mat3_mul_vec_transposed(&pose_a->R, manifold->point[0].normal), out->normal);
}

#endif
