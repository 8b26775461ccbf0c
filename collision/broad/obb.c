// Oriented boxes: may they overlap?
//
// Rule: two boxes are apart exactly when one of 15 axes separates them: three face normals each and nine cross products
// of edges (Gottschalk, Lin, Manocha, SIGGRAPH 1996). For edges nearly parallel the cross product is rounding noise and
// would separate boxes that overlap (13 of 100 overlapping pairs with 1e-16 of noise), so every |R| entry is raised by
// a small constant. The axis that separated last time is tried first: one axis then costs a few dot products, where all
// fifteen need the whole relative pose. Before all others comes a point that both may have: boxes that rest on one another
// mostly do, and then no axis is asked. Axes are tried three at a time, side by side (base/linear/four.h), and this file is
// compiled again for AVX2 (obb_wide.c).
// Guaranteed: never "apart" for boxes that overlap; the price is a few wrong "may overlap". Each axis is judged by the
// same expressions whether tried first or in turn, and a common point lies deeper than these round, so a hint changes the
// time and not the verdict.
#include "collision/broad/obb_internal.h"

#include "base/linear/four.h"

// Far above rounding in a rotation matrix, far below any angle that matters.
static const double GUARD = 1e-9;

// 1: how much deeper than it must a common point lies, in sizes of both boxes: far above what rounding does to any axis.
static const double ROOM = 1e-12;

typedef struct boxes {
    const ts_mat3* a;
    const ts_mat3* b;
    ts_vec3 between;  // m, from the centre of a to that of b, world
    double ha[3];
    double hb[3];
    double R[3][3];       // axes of b in the frame of a, as far as needed
    double raised[3][3];  // |R| and the guard
    double t[3];          // `between` in the frame of a, as far as needed
} boxes;

// The cosine between axis i of a and axis j of b.
static inline void find_entry(boxes* s, int i, int j) {
    s->R[i][j] = s->a->m[0][i] * s->b->m[0][j] + s->a->m[1][i] * s->b->m[1][j] + s->a->m[2][i] * s->b->m[2][j];
    s->raised[i][j] = fabs(s->R[i][j]) + GUARD;
}

static inline double along_axis(const ts_mat3* axes, int i, ts_vec3 v) {
    return axes->m[0][i] * v.x + axes->m[1][i] * v.y + axes->m[2][i] * v.z;
}

static inline int face_of_a(const boxes* s, int i) {
    const double* r = s->raised[i];
    return fabs(s->t[i]) > s->ha[i] + (s->hb[0] * r[0] + s->hb[1] * r[1] + s->hb[2] * r[2]);
}

static inline int face_of_b(const boxes* s, int j) {
    double reach = s->hb[j] + (s->ha[0] * s->raised[0][j] + s->ha[1] * s->raised[1][j] + s->ha[2] * s->raised[2][j]);
    return fabs(along_axis(s->b, j, s->between)) > reach;
}

// Edge i of a and edge j of b; (i, i1, i2) and (j, j1, j2) are 0, 1, 2 in turn.
static inline int edges(const boxes* s, int i, int i1, int i2, int j, int j1, int j2) {
    double along = s->t[i2] * s->R[i1][j] - s->t[i1] * s->R[i2][j];
    double reach = (s->ha[i1] * s->raised[i2][j] + s->ha[i2] * s->raised[i1][j]) +
                   (s->hb[j1] * s->raised[i][j2] + s->hb[j2] * s->raised[i][j1]);
    return fabs(along) > reach;
}

static const int after[3] = {1, 2, 0}, before[3] = {2, 0, 1};

// One axis, with only as much of the relative pose as it needs.
static int separates(boxes* s, int axis) {
    if (axis < 3) {
        s->t[axis] = along_axis(s->a, axis, s->between);
        for (int j = 0; j < 3; ++j) find_entry(s, axis, j);
        return face_of_a(s, axis);
    }
    if (axis < 6) {
        for (int i = 0; i < 3; ++i) find_entry(s, i, axis - 3);
        return face_of_b(s, axis - 3);
    }
    int i = (axis - 6) / 3, j = (axis - 6) % 3;
    for (int k = 0; k < 3; ++k) {
        find_entry(s, i, k);
        find_entry(s, k, j);
        s->t[k] = along_axis(s->a, k, s->between);
    }
    return edges(s, i, after[i], before[i], j, after[j], before[j]);
}

// Three numbers, and a fourth that no comparison is won with.
static inline ts_four three(const double v[3]) { return ts_four_make(v[0], v[1], v[2], (double)INFINITY); }

// Which of three axes separates, where the way between the centres along it is farther than both boxes reach; TS_OBB_NONE: none.
static inline int first_beyond(ts_four along, ts_four reach) {
    ts_four beyond = ts_four_minus(ts_four_size(along), reach);
    double c[4];
    if (!ts_four_any(beyond)) return TS_OBB_NONE;
    ts_four_store(beyond, c);
    return c[0] > 0.0 ? 0 : (c[1] > 0.0 ? 1 : 2);
}

static inline ts_four weighed(const double h[3], ts_four x, ts_four y, ts_four z) {
    return ts_four_plus(ts_four_plus(ts_four_times(h[0], x), ts_four_times(h[1], y)), ts_four_times(h[2], z));
}

// All axes, by the same expressions, number by number.
static inline int all_axes(const boxes* s, const ts_transform* a, const ts_transform* b) {
    // Axes, row by row, and the centre lie one behind the other: four numbers from the beginning of any row are the box's.
    const double *from_a = (const double*)a, *from_b = (const double*)b;
    const ts_four a0 = ts_four_load(from_a), a1 = ts_four_load(from_a + 3), a2 = ts_four_load(from_a + 6);
    const ts_four b0 = ts_four_load(from_b), b1 = ts_four_load(from_b + 3), b2 = ts_four_load(from_b + 6);
    const ts_four guard = ts_four_all(GUARD), ha = three(s->ha), hb = three(s->hb);
    const double between[3] = {s->between.x, s->between.y, s->between.z};
    ts_four R[3], raised[3];
    for (int i = 0; i < 3; ++i) {
        const double column[3] = {from_a[i], from_a[3 + i], from_a[6 + i]};
        R[i] = weighed(column, b0, b1, b2);
        raised[i] = ts_four_plus(ts_four_size(R[i]), guard);
    }
    ts_four along = weighed(between, a0, a1, a2), c0 = raised[0], c1 = raised[1], c2 = raised[2], c3 = guard;
    ts_four_transpose(&c0, &c1, &c2, &c3);
    int found = first_beyond(along, ts_four_plus(ha, weighed(s->hb, c0, c1, c2)));
    if (found != TS_OBB_NONE) return found;
    found =
        first_beyond(weighed(between, b0, b1, b2), ts_four_plus(hb, weighed(s->ha, raised[0], raised[1], raised[2])));
    if (found != TS_OBB_NONE) return 3 + found;
    const ts_four hb1 = ts_four_turn(hb), hb2 = ts_four_turn(hb1);
    double t[4];
    ts_four_store(along, t);
    for (int i = 0; i < 3; ++i) {
        int i1 = after[i], i2 = before[i];
        ts_four r1 = ts_four_turn(raised[i]), r2 = ts_four_turn(r1);
        ts_four reach =
            ts_four_plus(ts_four_plus(ts_four_times(s->ha[i1], raised[i2]), ts_four_times(s->ha[i2], raised[i1])),
                         ts_four_plus(ts_four_product(hb1, r2), ts_four_product(hb2, r1)));
        found = first_beyond(ts_four_minus(ts_four_times(t[i2], R[i1]), ts_four_times(t[i1], R[i2])), reach);
        if (found != TS_OBB_NONE) return 6 + 3 * i + found;
    }
    return TS_OBB_NONE;
}

// Whether the point of a nearest to the centre of b lies in b, as it does where a face of one lies on the other: what has a point in common has no axis
// between.
static inline int have_common_point(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b,
                                    const ts_vec3* half_b, double margin) {
    const double *from_a = (const double*)a, *from_b = (const double*)b;
    const ts_vec3 d = ts_vec3_sub(b->p, a->p);
    const double between[3] = {d.x, d.y, d.z};
    const ts_four a0 = ts_four_load(from_a), a1 = ts_four_load(from_a + 3), a2 = ts_four_load(from_a + 6);
    const ts_four b0 = ts_four_load(from_b), b1 = ts_four_load(from_b + 3), b2 = ts_four_load(from_b + 6);
    // Not from `s`, which is still on its way to memory.
    ts_four grown = ts_four_all(0.5 * margin), t = weighed(between, a0, a1, a2);
    ts_four ha = ts_four_plus(ts_four_make(half_a->x, half_a->y, half_a->z, (double)INFINITY), grown);
    ts_four hb = ts_four_plus(ts_four_make(half_b->x, half_b->y, half_b->z, (double)INFINITY), grown);
    double out[4], left[3], size = half_a->x + half_a->y + half_a->z + half_b->x + half_b->y + half_b->z + 3.0 * margin;
    // From the point to the centre of b: in a's axes, then in the world's, then in b's.
    ts_four_store(ts_four_minus(t, ts_four_least(ts_four_most(t, ts_four_minus(ts_four_zero(), ha)), ha)), out);
    for (int i = 0; i < 3; ++i)
        left[i] = from_a[3 * i] * out[0] + from_a[3 * i + 1] * out[1] + from_a[3 * i + 2] * out[2];
    ts_four within =
        ts_four_minus(ts_four_minus(hb, ts_four_size(weighed(left, b0, b1, b2))), ts_four_all(ROOM * size));
    // A negative margin may leave nothing of a box.
    return ts_four_every(ts_four_least(within, ha));
}

static inline int separating_axis(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b,
                                  const ts_vec3* half_b, double margin, int first) {
    int is_hinted = first >= 0 && first < TS_OBB_AXES;
    if (!is_hinted && have_common_point(a, half_a, b, half_b, margin)) return TS_OBB_NONE;
    boxes s;
    s.a = &a->R;
    s.b = &b->R;
    s.between = ts_vec3_sub(b->p, a->p);
    ts_vec3_store(*half_a, s.ha);
    ts_vec3_store(*half_b, s.hb);
    for (int i = 0; i < 3; ++i) {
        s.ha[i] += 0.5 * margin;
        s.hb[i] += 0.5 * margin;
    }
    if (is_hinted && separates(&s, first)) return first;
    if (is_hinted && have_common_point(a, half_a, b, half_b, margin)) return TS_OBB_NONE;
    return all_axes(&s, a, b);
}

#if TS_WIDE

int ts_obb_separating_axis_wide(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b,
                                const ts_vec3* half_b, double margin, int first) {
    return separating_axis(a, half_a, b, half_b, margin, first);
}

#else

int ts_obb_separating_axis_narrow(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b,
                                  const ts_vec3* half_b, double margin, int first) {
    return separating_axis(a, half_a, b, half_b, margin, first);
}

int ts_obb_separating_axis(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b, const ts_vec3* half_b,
                           double margin, int first) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_obb_separating_axis_wide(a, half_a, b, half_b, margin, first);
#endif
    return separating_axis(a, half_a, b, half_b, margin, first);
}

int ts_obb_of_shape(const ts_shape* shape, ts_obb* out_box) {
    ts_obb box = {ts_transform_identity(), ts_vec3_zero()};
    if (shape->kind == TS_SHAPE_HULL) {
        ts_vec3 ball = ts_vec3_make(shape->radius, shape->radius, shape->radius);
        box.placed = shape->hull->box;
        box.half = ts_vec3_add(shape->hull->box_half, ball);
    } else {
        ts_vec3 low, high;
        ts_shape_local_box(shape, &low, &high);
        box.placed.p = ts_vec3_lerp(low, high, 0.5);
        box.half = ts_vec3_scale(0.5, ts_vec3_sub(high, low));
    }
    if (!ts_vec3_is_finite(box.half)) return 0;
    *out_box = box;
    return 1;
}

int ts_obb_overlap(const ts_obb* a, const ts_obb* b, double margin) {
    return ts_obb_separating_axis(&a->placed, &a->half, &b->placed, &b->half, margin, TS_OBB_NONE) == TS_OBB_NONE;
}

#endif
