// Two boxes: signed distance along 15 axes, with witnesses that prove it.
//
// Problem: delta = max over unit n of the gap between the boxes along n. For overlapping boxes the maximum is attained at
// a face normal of A, a face normal of B or a cross product of two edges (Gottschalk, Lin, Manocha, SIGGRAPH 1996, as a
// separation test). For boxes apart it is the length of the shortest segment between them.
// Rule when apart: the closest points, proved by the plane across them (box_nearest.c).
// Rule when not: six face axes, then nine edge axes compared by squares of their unnormalised gaps, so that one root and
// one division serve all nine. On the best axis look for a point of each box that differ by the gap along the axis: the
// corner (or the middle of what a parallel edge or face has in common) over the reference face, or the closest points of
// the two edges. If they belong to the boxes the gap is the distance and the answer is settled.
// Guaranteed: every gap is a lower bound; a settled answer is exact to rounding. Edges down to 1e-13 rad from parallel
// are tried, since between long boxes even those can be the best by more than rounding; below, a face axis is as good.
// A face wins a tie, so that resting boxes have face normals.
// Known limit: where two parallel edges compete to within rounding the edge chosen may be the wrong one; then the
// witnesses do not fit, and the answer is left open.
#include "collision/distance/box_pair_internal.h"
#include "base/scalar.h"
#include "collision/distance/two_boxes_internal.h"

#include <float.h>

// Cross products of edges with squared sine below this are not tried.
static const double PARALLEL = 1e-26;
// Below this squared sine the shortcut for the boxes' extents loses digits.
static const double NEARLY_PARALLEL = 1e-2;
// Relative to the boxes: features that leave the contact plane by less than this count as parallel to it.
static const double FLAT = 8.0 * DBL_EPSILON;
// The same for boxes that overlap, whose edges are not tried when they are as parallel as PARALLEL says: a corner that falls
// outside of the face stands for the edge or face that it belongs to.
static const double TILTED = 2e-13;
// Relative to the boxes: witnesses may miss by this.
static const double SAME = 1e-13;

typedef struct axis {
    double gap;
    int kind;  // 0..2 faces of A, 3..5 faces of B, 6..14 edges 6 + 3 i + j
} axis;

static int after(int i) { return i == 2 ? 0 : i + 1; }

static void prepare(const ts_shape_pair* pair, ts_two_boxes* p) {
    ts_two_boxes_prepare(pair, p);
    p->size = p->a[0] + p->a[1] + p->a[2] + p->b[0] + p->b[1] + p->b[2] + fabs(p->t[0]) + fabs(p->t[1]) + fabs(p->t[2]);
}

static axis best_face(const ts_two_boxes* p) {
    axis best = {-(double)INFINITY, 0};
    for (int i = 0; i < 3; ++i) {
        double gap = ts_two_boxes_gap_a(p, i);
        best.kind = gap > best.gap ? i : best.kind;
        best.gap = gap > best.gap ? gap : best.gap;
    }
    for (int j = 0; j < 3; ++j) {
        double gap = ts_two_boxes_gap_b(p, j);
        best.kind = gap > best.gap ? 3 + j : best.kind;
        best.gap = gap > best.gap ? gap : best.gap;
    }
    return best;
}

// Extent of both boxes along e_i x (axis j of B), unnormalised.
static double edge_reach(const ts_two_boxes* p, int i, int j, double squared) {
    int i1 = after(i), i2 = after(i1), j1 = after(j), j2 = after(j1);
    double of_a = p->a[i1] * p->Q[i2][j] + p->a[i2] * p->Q[i1][j];
    if (squared > NEARLY_PARALLEL) return of_a + p->b[j1] * p->Q[i][j2] + p->b[j2] * p->Q[i][j1];
    double n1 = -p->R[i2][j], n2 = p->R[i1][j];
    double along1 = n1 * p->R[i1][j1] + n2 * p->R[i2][j1], along2 = n1 * p->R[i1][j2] + n2 * p->R[i2][j2];
    return of_a + p->b[j1] * fabs(along1) + p->b[j2] * fabs(along2);
}

static axis best_edge(const ts_two_boxes* p) {
    axis best = {-(double)INFINITY, -1};
    double best_value = -(double)INFINITY, best_squared = 1.0;  // signed square of the unnormalised gap, of the length
    for (int i = 0; i < 3; ++i) {
        int i1 = after(i), i2 = after(i1);
        for (int j = 0; j < 3; ++j) {
            double squared = p->R[i1][j] * p->R[i1][j] + p->R[i2][j] * p->R[i2][j];
            if (!(squared > PARALLEL)) continue;
            double gap = fabs(p->t[i2] * p->R[i1][j] - p->t[i1] * p->R[i2][j]) - edge_reach(p, i, j, squared);
            double value = gap * fabs(gap);
            if (best.kind >= 0 && !(value * best_squared > best_value * squared)) continue;
            best_value = value;
            best_squared = squared;
            best.gap = gap;
            best.kind = 6 + 3 * i + j;
        }
    }
    if (best.kind >= 0) best.gap /= sqrt(best_squared);
    return best;
}

// One pass of clipping a polygon in the plane against sign * coordinate <= half.
static int clip(const double (*in)[2], int count, int axis_of_cut, double sign, double half, double (*out)[2]) {
    int made = 0;
    for (int k = 0; k < count; ++k) {
        const double *from = in[k], *to = in[k + 1 == count ? 0 : k + 1];
        double df = half - sign * from[axis_of_cut], dt = half - sign * to[axis_of_cut];
        if (df >= 0.0) {
            out[made][0] = from[0];
            out[made++][1] = from[1];
        }
        if ((df > 0.0 && dt < 0.0) || (df < 0.0 && dt > 0.0)) {
            double s = df / (df - dt);
            out[made][0] = from[0] + s * (to[0] - from[0]);
            out[made++][1] = from[1] + s * (to[1] - from[1]);
        }
    }
    return made;
}

// The middle of what a rectangle (centre c, half edges d and e, in face coordinates) has in common with the face. Returns 0
// when that is nothing.
static int middle_of_common(const double c[2], const double d[2], const double e[2], double hu, double hv,
                            double out[2]) {
    double first[12][2], second[12][2];
    for (int k = 0; k < 4; ++k) {
        double sd = k == 0 || k == 3 ? 1.0 : -1.0, se = k < 2 ? 1.0 : -1.0;
        for (int r = 0; r < 2; ++r) first[k][r] = c[r] + sd * d[r] + se * e[r];
    }
    int count = clip((const double(*)[2])first, 4, 0, 1.0, hu, second);
    count = clip((const double(*)[2])second, count, 0, -1.0, hu, first);
    count = clip((const double(*)[2])first, count, 1, 1.0, hv, second);
    count = clip((const double(*)[2])second, count, 1, -1.0, hv, first);
    if (count == 0) return 0;
    out[0] = out[1] = 0.0;
    for (int k = 0; k < count; ++k) {
        out[0] += first[k][0] / count;
        out[1] += first[k][1] / count;
    }
    return 1;
}

// The middle of the part of the segment c + s d, |s| <= 1, that lies over the face; clamped where it misses the face by
// rounding. In face coordinates.
static void middle_of_segment(const double c[2], const double d[2], const double h[2], double out[2]) {
    double low = -1.0, high = 1.0;
    for (int r = 0; r < 2; ++r) {
        if (!(fabs(d[r]) > 0.0)) continue;
        double s0 = (-h[r] - c[r]) / d[r], s1 = (h[r] - c[r]) / d[r];
        double near = s0 < s1 ? s0 : s1, far = s0 < s1 ? s1 : s0;
        low = near > low ? near : low;
        high = far < high ? far : high;
    }
    double s = ts_clamp(0.5 * (low + high), -1.0, 1.0);
    out[0] = c[0] + s * d[0];
    out[1] = c[1] + s * d[1];
}

// The reference face and the other box, seen from the reference box: M's column k is axis k of the other box.
typedef struct face_view {
    const double *own, *other;  // half extents
    double M[3][3];
    double t[3];  // centre of the other box
    int axis;
    double sign;  // the face's outward normal is sign * axis
} face_view;

// A point of the other box (in the reference box's frame) that lies over the reference face and nearest to its plane.
// Returns 0 when none does.
static int point_over_face(const face_view* f, double flat, double slack, double out[3]) {
    int i = f->axis, iu = after(i), iv = after(iu), loose[3], loose_count = 0;
    double corner[3] = {f->t[0], f->t[1], f->t[2]};
    for (int k = 0; k < 3; ++k) {
        double along = f->sign * f->M[i][k];
        if (!(fabs(along) * f->other[k] > flat)) {
            loose[loose_count++] = k;
            continue;
        }
        double s = along > 0.0 ? -f->other[k] : f->other[k];
        for (int r = 0; r < 3; ++r) corner[r] += s * f->M[r][k];
    }
    double at[2] = {corner[iu], corner[iv]};
    const double h[2] = {f->own[iu], f->own[iv]};
    if (loose_count == 1) {
        int k = loose[0];
        const double d[2] = {f->other[k] * f->M[iu][k], f->other[k] * f->M[iv][k]};
        const double c[2] = {at[0], at[1]};
        middle_of_segment(c, d, h, at);
    } else if (loose_count > 1) {
        int k = loose[0], l = loose[1];
        const double d[2] = {f->other[k] * f->M[iu][k], f->other[k] * f->M[iv][k]};
        const double e[2] = {f->other[l] * f->M[iu][l], f->other[l] * f->M[iv][l]};
        const double c[2] = {at[0], at[1]};
        if (!middle_of_common(c, d, e, h[0], h[1], at)) return 0;
    }
    out[i] = corner[i];
    out[iu] = at[0];
    out[iv] = at[1];
    return fabs(at[0]) <= h[0] + slack && fabs(at[1]) <= h[1] + slack;
}

static void view_face(const ts_two_boxes* p, int kind, face_view* f) {
    int of_b = kind >= 3;
    f->axis = of_b ? kind - 3 : kind;
    f->own = of_b ? p->b : p->a;
    f->other = of_b ? p->a : p->b;
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) f->M[r][k] = of_b ? p->R[k][r] : p->R[r][k];
        f->t[r] = of_b ? -p->tb[r] : p->t[r];
    }
    // As face_normal has it: for a face of B it points at A.
    f->sign = of_b ? (p->tb[f->axis] < 0.0 ? 1.0 : -1.0) : (p->t[f->axis] < 0.0 ? -1.0 : 1.0);
}

static ts_vec3 face_normal(const ts_two_boxes* p, int kind) {
    if (kind < 3) return ts_vec3_scale(p->t[kind] < 0.0 ? -1.0 : 1.0, ts_vec3_axis(kind));
    return ts_vec3_scale(p->tb[kind - 3] < 0.0 ? -1.0 : 1.0, ts_two_boxes_axis(p, kind - 3));
}

// How far witnesses may miss their boxes. Overlapping, the depth is the axis's whatever they do; apart, they prove it.
static double slack_of(const ts_two_boxes* p, const axis* best) { return (best->gap > 0.0 ? FLAT : SAME) * p->size; }

// Normal and, where there are any, witnesses on a face axis.
static int settle_face(const ts_two_boxes* p, const axis* best, ts_separation* out) {
    face_view f;
    view_face(p, best->kind, &f);
    int of_b = best->kind >= 3;
    out->normal = face_normal(p, best->kind);
    double at[3];
    if (!point_over_face(&f, (best->gap > 0.0 ? FLAT : TILTED) * p->size, slack_of(p, best), at)) return 0;
    double on_face[3] = {at[0], at[1], at[2]};
    on_face[f.axis] = f.sign * f.own[f.axis];
    ts_vec3 other = ts_vec3_load(at), own = ts_vec3_load(on_face);
    if (of_b) {
        ts_vec3 t = ts_vec3_load(p->t), *point[2] = {&other, &own};
        for (int k = 0; k < 2; ++k) {
            ts_vec3 x = *point[k];
            *point[k] = ts_vec3_add_scaled(
                ts_vec3_add_scaled(ts_vec3_add_scaled(t, x.x, ts_two_boxes_axis(p, 0)), x.y, ts_two_boxes_axis(p, 1)),
                x.z, ts_two_boxes_axis(p, 2));
        }
    }
    out->point_a = of_b ? other : own;
    out->point_b = of_b ? own : other;
    return 1;
}

static ts_vec3 edge_normal(const ts_two_boxes* p, int kind) {
    int i = (kind - 6) / 3, j = (kind - 6) % 3, i1 = after(i), i2 = after(i1);
    double inverse = 1.0 / sqrt(p->R[i1][j] * p->R[i1][j] + p->R[i2][j] * p->R[i2][j]), n[3];
    if (p->t[i2] * p->R[i1][j] - p->t[i1] * p->R[i2][j] < 0.0) inverse = -inverse;
    n[i] = 0.0;
    n[i1] = -p->R[i2][j] * inverse;
    n[i2] = p->R[i1][j] * inverse;
    return ts_vec3_load(n);
}

// The same on an edge axis.
static int settle_edge(const ts_two_boxes* p, const axis* best, ts_separation* out) {
    int i = (best->kind - 6) / 3, j = (best->kind - 6) % 3, i1 = after(i), i2 = after(i1);
    double squared = p->R[i1][j] * p->R[i1][j] + p->R[i2][j] * p->R[i2][j], n[3], ca[3];
    out->normal = edge_normal(p, best->kind);
    ts_vec3_store(out->normal, n);
    ca[i] = 0.0;
    ca[i1] = n[i1] < 0.0 ? -p->a[i1] : p->a[i1];
    ca[i2] = n[i2] < 0.0 ? -p->a[i2] : p->a[i2];
    ts_vec3 centre_a = ts_vec3_load(ca), centre_b = ts_vec3_load(p->t), v = ts_two_boxes_axis(p, j);
    for (int k = 0; k < 3; ++k) {
        if (k == j) continue;
        double along = n[i1] * p->R[i1][k] + n[i2] * p->R[i2][k];
        centre_b = ts_vec3_add_scaled(centre_b, along < 0.0 ? p->b[k] : -p->b[k], ts_two_boxes_axis(p, k));
    }
    // Closest points of two lines with unit directions e_i and v.
    ts_vec3 r = ts_vec3_sub(centre_b, centre_a);
    double c = p->R[i][j], d = ts_vec3_get(r, i), e = ts_vec3_dot(v, r);
    double s = (d - c * e) / squared, u = c * s - e;
    double slack = slack_of(p, best);
    if (!(fabs(s) <= p->a[i] + slack && fabs(u) <= p->b[j] + slack)) return 0;
    out->point_a = ts_vec3_add_scaled(centre_a, s, ts_vec3_axis(i));
    out->point_b = ts_vec3_add_scaled(centre_b, u, v);
    // On edges nearly parallel the parameters may be rounding: the points must face each other along the axis.
    ts_vec3 apart = ts_vec3_sub(out->point_b, out->point_a);
    return ts_vec3_distance(apart, ts_vec3_scale(best->gap, out->normal)) <= slack;
}

// The best of the faces, and where none of them separates of all axes. Nonzero in *out_by_face for a face.
static axis best_axis(const ts_two_boxes* p, int* out_by_face) {
    axis best = best_face(p);
    *out_by_face = 1;
    if (best.gap > 0.0) return best;
    axis edge = best_edge(p);
    *out_by_face = !(edge.kind >= 0 && edge.gap > best.gap + 8.0 * DBL_EPSILON * p->size);
    return *out_by_face ? best : edge;
}

ts_pair_verdict ts_box_pair_verdict(const ts_shape_pair* pair, ts_vec3 previous, double reach, ts_separation* out) {
    (void)previous;
    ts_two_boxes p;
    prepare(pair, &p);
    int by_face;
    axis best = best_axis(&p, &by_face);
    out->lower = out->upper = best.gap;
    int apart = best.gap > reach && best.gap > FLAT * p.size;
    // Edges too parallel to be tried could separate boxes that are this near.
    if (!apart && !(best.gap < -TILTED * p.size)) return TS_PAIR_OPEN;
    out->normal = by_face ? face_normal(&p, best.kind) : edge_normal(&p, best.kind);
    if (!apart) return TS_PAIR_OVERLAP;
    out->upper = (double)INFINITY;
    return TS_PAIR_APART;
}

// How much deeper the next best of all axes both ways is.
static double rival_of(const ts_two_boxes* p, const axis* best) {
    double least = (double)INFINITY, middle = 0.0;  // m: from centre to centre along the best axis
    for (int kind = 0; kind < 15; ++kind) {
        double gap, along;
        if (kind < 6) {
            gap = kind < 3 ? ts_two_boxes_gap_a(p, kind) : ts_two_boxes_gap_b(p, kind - 3);
            along = fabs(kind < 3 ? p->t[kind] : p->tb[kind - 3]);
        } else {
            int i = (kind - 6) / 3, j = (kind - 6) % 3, i1 = after(i), i2 = after(i1);
            double squared = p->R[i1][j] * p->R[i1][j] + p->R[i2][j] * p->R[i2][j], inverse = 1.0 / sqrt(squared);
            if (!(squared > PARALLEL)) continue;
            along = fabs(p->t[i2] * p->R[i1][j] - p->t[i1] * p->R[i2][j]) * inverse;
            gap = along - edge_reach(p, i, j, squared) * inverse;
        }
        if (kind == best->kind)
            middle = along;
        else
            least = fmin(least, best->gap - gap);
    }
    return fmax(fmin(least, 2.0 * middle), 0.0);
}

// *io_rival: as in ts_proximity; left alone where it is negative.
static ts_box_pair_outcome solve(const ts_shape_pair* pair, double give_up_distance, ts_separation* out,
                                 double* io_rival) {
    ts_two_boxes p;
    prepare(pair, &p);
    int by_face;
    axis best = best_axis(&p, &by_face);
    if (best.gap < 0.0 && *io_rival >= 0.0) *io_rival = rival_of(&p, &best);
    if (best.gap > give_up_distance) {
        out->lower = best.gap;
        out->upper = (double)INFINITY;
        out->normal = by_face ? face_normal(&p, best.kind) : edge_normal(&p, best.kind);
        return TS_BOX_PAIR_EARLY;
    }
    if (best.gap > 0.0 && ts_two_boxes_nearest(&p, out)) return TS_BOX_PAIR_SETTLED;
    out->lower = out->upper = best.gap;
    if (by_face ? settle_face(&p, &best, out) : settle_edge(&p, &best, out)) {
        // Apart, two points of the boxes bound the distance from above, and they may miss the axis a little.
        double between = ts_vec3_distance(out->point_a, out->point_b);
        if (best.gap > 0.0 && between > best.gap) out->upper = between;
        ts_separation_straighten(out);
        return TS_BOX_PAIR_SETTLED;
    }
    out->upper = (double)INFINITY;
    return TS_BOX_PAIR_OPEN;
}

ts_box_pair_outcome ts_box_pair_solve(const ts_shape_pair* pair, double give_up_distance, ts_separation* out) {
    double rival = -1.0;
    return solve(pair, give_up_distance, out, &rival);
}

int ts_box_pair_query(const ts_shape_pair* pair, ts_vec3 previous, double give_up_distance, ts_proximity* out,
                      double* out_scale) {
    ts_separation found;
    double rival = out->rival;
    ts_box_pair_outcome outcome = solve(pair, give_up_distance, &found, &rival);
    if (outcome == TS_BOX_PAIR_OPEN || !isfinite(found.lower)) return 0;
    double scale = ts_vec3_norm(pair->a->half) + ts_vec3_norm(pair->b->half) + ts_vec3_norm(pair->b_in_a.p);
    if (outcome == TS_BOX_PAIR_SETTLED && found.lower <= 0.0 && ts_vec3_max_abs(previous) > 0.0 &&
        ts_vec3_dot(previous, found.normal) < 0.999) {
        ts_vec3 on_a, on_b;
        double gap = ts_shape_pair_gap(pair, previous, &on_a, &on_b);
        if (gap >= found.lower - 8.0 * DBL_EPSILON * scale) return 0;
    }
    out->status = outcome == TS_BOX_PAIR_EARLY ? TS_PROXIMITY_SEPARATED_EARLY
                  : found.lower > 0.0          ? TS_PROXIMITY_SEPARATED
                                               : TS_PROXIMITY_PENETRATING;
    out->found = found;
    out->rival = rival;
    out->distance = found.lower > 0.0 ? found.upper : found.lower;
    *out_scale = scale;
    return 1;
}
