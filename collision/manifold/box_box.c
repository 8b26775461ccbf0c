// Two boxes: signed distance along 15 candidate axes, then a contact polygon by clipping face against face.
//
// Problem: delta = max over unit n of the gap between the boxes along n. For overlapping boxes the maximum is attained
// at a face normal of A, a face normal of B or a cross product of two edges (Gottschalk, Lin, Manocha, SIGGRAPH 1996,
// as a separation test); for separated boxes the best of these axes is a lower bound of the distance.
// Rule: take the face axis with the largest gap; take an edge axis only when it is better by a margin relative to the
// boxes, because a resting box that flickers between one edge contact and four face contacts never comes to rest. Then
// project the incident face of the other box into the reference face, clip the quadrilateral against the rectangle and
// measure gaps along the exact face normal.
// Guaranteed: nothing within the margin is missed (an axis gap is a lower bound); gaps of a face contact are exact to
// rounding; labels name corners and edges of the boxes and do not depend on which box holds the reference face.
// Known limits: cross products of edges closer to parallel than 1e-3 rad are skipped (their length would be rounding
// noise, and a face axis is then as good to the same order). Chosen face axes may be worse than the best edge axis by
// FACE_PREFERENCE of the smallest half extent.
#include "collision/distance/two_boxes_internal.h"
#include "collision/manifold/manifold_internal.h"

// Fractions of the smallest half extent by which an edge axis must win over the best face axis: nearly always the
// first; the second when the edge axis is within about 3 degrees of the face normal, so that both describe one contact.
static const double FACE_PREFERENCE = 1e-4;
static const double FACE_PREFERENCE_ALIGNED = 0.05;
static const double ALIGNED_COS = 0.9986;
// cross products of axes with 1 - cos^2 below this are skipped
static const double PARALLEL_EDGES = 1e-6;
// Corners within this fraction of the smallest half extent of a clipping edge count as on it.
static const double ON_EDGE = 1e-6;

typedef struct box_axis {
    double gap;
    double sign;   // the normal, A to B, is sign * axis
    int kind;      // 0..2 faces of A, 3..5 faces of B, 6..14 edges 3 i + j
    ts_vec3 axis;  // unit
} box_axis;

static void prepare(const ts_shape_pair* pair, ts_two_boxes* p) {
    ts_two_boxes_prepare(pair, p);
    p->size = p->a[0];
    for (int i = 0; i < 3; ++i) {
        p->size = p->a[i] < p->size ? p->a[i] : p->size;
        p->size = p->b[i] < p->size ? p->b[i] : p->size;
    }
}

// The best edge axis; gap -infinity when every pair of edges is parallel. Stops early at a gap above `enough`.
static box_axis best_edge(const ts_two_boxes* p, double enough) {
    box_axis best = {-(double)INFINITY, 1.0, -1, {0.0, 0.0, 0.0}};
    int kind = -1;
    double best_dot = 0.0, best_length = 1.0;
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double squared = p->R[i1][j] * p->R[i1][j] + p->R[i2][j] * p->R[i2][j];
            if (squared < PARALLEL_EDGES) continue;
            // e_i x (axis j of B) = (0, -R[i2][j], R[i1][j]) in the cyclic order i, i1, i2.
            double dot = p->t[i2] * p->R[i1][j] - p->t[i1] * p->R[i2][j];
            double reach =
                p->a[i1] * p->Q[i2][j] + p->a[i2] * p->Q[i1][j] + p->b[j1] * p->Q[i][j2] + p->b[j2] * p->Q[i][j1];
            double length = sqrt(squared);
            double gap = (fabs(dot) - reach) / length;
            if (gap > best.gap) {
                best.gap = gap;
                kind = 3 * i + j;
                best_dot = dot;
                best_length = length;
                if (gap > enough) break;
            }
        }
        if (best.gap > enough) break;
    }
    if (kind < 0) return best;
    int i = kind / 3, j = kind % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    double axis[3];
    axis[i] = 0.0;
    axis[i1] = -p->R[i2][j] / best_length;
    axis[i2] = p->R[i1][j] / best_length;
    best.axis = ts_vec3_load(axis);
    best.sign = best_dot < 0.0 ? -1.0 : 1.0;
    best.kind = 6 + kind;
    return best;
}

static box_axis face_axis(const ts_two_boxes* p, int kind, double gap) {
    box_axis face = {gap, 1.0, kind, {0.0, 0.0, 0.0}};
    if (kind < 3) {
        face.axis = ts_vec3_axis(kind);
        face.sign = p->t[kind] < 0.0 ? -1.0 : 1.0;
    } else {
        face.axis = ts_two_boxes_axis(p, kind - 3);
        face.sign = p->tb[kind - 3] < 0.0 ? -1.0 : 1.0;
    }
    return face;
}

// The face axes of largest gap, one per box.
static void best_faces(const ts_two_boxes* p, int* out_a, double* out_gap_a, int* out_b, double* out_gap_b) {
    *out_a = *out_b = 0;
    *out_gap_a = ts_two_boxes_gap_a(p, 0);
    *out_gap_b = ts_two_boxes_gap_b(p, 0);
    for (int i = 1; i < 3; ++i) {
        double ga = ts_two_boxes_gap_a(p, i), gb = ts_two_boxes_gap_b(p, i);
        if (ga > *out_gap_a) {
            *out_gap_a = ga;
            *out_a = i;
        }
        if (gb > *out_gap_b) {
            *out_gap_b = gb;
            *out_b = i;
        }
    }
}

// An edge in contact: the ones of A along i and of B along j that lie farthest along the normal.
static void edge_contact(const ts_two_boxes* p, const box_axis* edge, ts_contact_list* out) {
    int i = (edge->kind - 6) / 3, j = (edge->kind - 6) % 3;
    ts_vec3 n = ts_vec3_scale(edge->sign, edge->axis);
    double centre_a[3] = {0.0, 0.0, 0.0};
    ts_vec3 centre_b = ts_vec3_load(p->t);
    int bits_a = 0, bits_b = 0;
    for (int k = 0; k < 3; ++k) {
        if (k != i) {
            int positive = !(ts_vec3_get(n, k) < 0.0);
            centre_a[k] = positive ? p->a[k] : -p->a[k];
            bits_a |= positive << k;
        }
        if (k != j) {
            ts_vec3 axis = ts_two_boxes_axis(p, k);
            int positive = ts_vec3_dot(axis, n) < 0.0;
            centre_b = ts_vec3_add_scaled(centre_b, positive ? p->b[k] : -p->b[k], axis);
            bits_b |= positive << k;
        }
    }
    ts_vec3 ea = ts_vec3_axis(i), eb = ts_two_boxes_axis(p, j), pa = ts_vec3_load(centre_a);
    // Closest points of two lines with unit directions, the parameters clamped to the edges.
    ts_vec3 r = ts_vec3_sub(centre_b, pa);
    double c = ts_vec3_dot(ea, eb), d = ts_vec3_dot(ea, r), e = ts_vec3_dot(eb, r);
    double denominator = 1.0 - c * c;
    double s = denominator > 0.0 ? (d - c * e) / denominator : 0.0;
    s = s < -p->a[i] ? -p->a[i] : (s > p->a[i] ? p->a[i] : s);
    double u = c * s - e;
    u = u < -p->b[j] ? -p->b[j] : (u > p->b[j] ? p->b[j] : u);
    ts_vec3 middle =
        ts_vec3_scale(0.5, ts_vec3_add(ts_vec3_add_scaled(pa, s, ea), ts_vec3_add_scaled(centre_b, u, eb)));
    ts_contact_list_add(out, middle, edge->gap, ts_contact_label(4, bits_a, bits_a | 1 << i, bits_b, bits_b | 1 << j));
}

// A corner of the clipped incident face, in the reference face's own coordinates.
typedef struct face_point {
    double u, v, height;  // height above the reference face, along its normal
    int corner;           // incident corner, or -1 where an edge was cut
    int edge0, edge1;     // the incident edge the point lies on (its two corners), -1 for a reference corner
    int next0, next1;     // the incident edge that leaves towards the next point, -1 along a reference edge
} face_point;

static double cut_distance(const face_point* q, int axis, double sign, double half) {
    return half - sign * (axis ? q->v : q->u);
}

static face_point cut(const face_point* from, const face_point* to, double df, double dt) {
    double w = df / (df - dt);
    face_point q = *from;
    q.u = from->u + w * (to->u - from->u);
    q.v = from->v + w * (to->v - from->v);
    q.height = from->height + w * (to->height - from->height);
    q.corner = -1;
    q.edge0 = from->next0;
    q.edge1 = from->next1;
    return q;
}

// One Sutherland-Hodgman pass against sign * (u or v) <= half. Points within tol of the line count as on it and stand
// in for the cut, so that aligned boxes keep their corners instead of growing slivers.
static int clip_side(const face_point* in, int count, int axis, double sign, double half, double tol, face_point* out) {
    int made = 0;
    for (int k = 0; k < count; ++k) {
        const face_point *from = &in[k], *to = &in[k + 1 == count ? 0 : k + 1];
        double df = cut_distance(from, axis, sign, half), dt = cut_distance(to, axis, sign, half);
        int from_in = df >= -tol, to_in = dt >= -tol;
        if (from_in) {
            out[made] = *from;
            if (!to_in) {
                if (df > tol) out[++made] = cut(from, to, df, dt);
                out[made].next0 = out[made].next1 = -1;
            }
            ++made;
        } else if (to_in && dt > tol) {
            out[made++] = cut(from, to, df, dt);
        }
    }
    return made;
}

typedef struct face_frame {
    int box;         // 0: the reference face is A's, 1: B's
    int axis, u, v;  // of the reference box
    double sign;     // outward side of the face
    double hu, hv;
    double tol;
} face_frame;

// Names a clipped point by the corners and edges that meet there, whichever box holds the reference face.
static uint32_t face_label(const face_frame* f, const face_point* q) {
    int near_u = fabs(fabs(q->u) - f->hu) <= f->tol, near_v = fabs(fabs(q->v) - f->hv) <= f->tol;
    int corner_bits = (f->sign > 0.0 ? 1 << f->axis : 0) | (q->u > 0.0 ? 1 << f->u : 0) | (q->v > 0.0 ? 1 << f->v : 0);
    int r0 = -1, r1 = -1, i0 = -1, i1 = -1, kind;
    if (near_u && near_v) {
        r0 = r1 = corner_bits;
        if (q->corner >= 0) i0 = i1 = q->corner;
        kind = q->corner >= 0 ? 3 : 1;
    } else if (q->corner >= 0) {
        i0 = i1 = q->corner;
        kind = 1;
    } else {
        // A cut: the reference edge runs along the direction the point is free in.
        int free_bit = near_u ? 1 << f->v : 1 << f->u;
        r0 = corner_bits & ~free_bit;
        r1 = corner_bits | free_bit;
        i0 = q->edge0;
        i1 = q->edge1;
        kind = 4;
    }
    return f->box ? ts_contact_label(kind, i0, i1, r0, r1) : ts_contact_label(kind, r0, r1, i0, i1);
}

// The incident face of the other box as four points in the reference frame.
static int incident_face(const ts_two_boxes* p, const face_frame* f, face_point* out) {
    const double* half = f->box ? p->a : p->b;
    double M[3][3];  // M[r][k] = <reference axis r, incident axis k>
    double c[3];     // incident centre in reference axes, from the reference centre
    const int row[3] = {f->u, f->v, f->axis};
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) M[r][k] = f->box ? p->R[k][row[r]] : p->R[row[r]][k];
        c[r] = f->box ? -p->tb[row[r]] : p->t[row[r]];
    }
    // Most opposed to the reference normal; ties go to the lowest axis.
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(M[2][k]) > fabs(M[2][axis])) axis = k;
    int positive = f->sign * M[2][axis] < 0.0;
    int ku = (axis + 1) % 3, kv = (axis + 2) % 3;
    static const int loop[4] = {0, 1, 3, 2};
    double side = positive ? half[axis] : -half[axis];
    for (int k = 0; k < 4; ++k) {
        double su = loop[k] & 1 ? half[ku] : -half[ku], sv = loop[k] & 2 ? half[kv] : -half[kv];
        double x[3];
        for (int r = 0; r < 3; ++r) x[r] = c[r] + M[r][axis] * side + M[r][ku] * su + M[r][kv] * sv;
        out[k].u = x[0];
        out[k].v = x[1];
        out[k].height = f->sign * x[2];
        out[k].corner = positive << axis | (loop[k] & 1) << ku | (loop[k] >> 1) << kv;
    }
    for (int k = 0; k < 4; ++k) {
        out[k].edge0 = out[k].edge1 = -1;
        out[k].next0 = out[k].corner;
        out[k].next1 = out[(k + 1) % 4].corner;
    }
    return 4;
}

static void face_contact(const ts_two_boxes* p, const box_axis* face, double margin, ts_contact_list* out) {
    face_frame f;
    f.box = face->kind >= 3;
    f.axis = f.box ? face->kind - 3 : face->kind;
    f.u = (f.axis + 1) % 3;
    f.v = (f.axis + 2) % 3;
    f.sign = f.box ? -face->sign : face->sign;
    const double* half = f.box ? p->b : p->a;
    f.hu = half[f.u];
    f.hv = half[f.v];
    f.tol = ON_EDGE * p->size;
    face_point first[12], second[12];
    int count = incident_face(p, &f, first);
    count = clip_side(first, count, 0, 1.0, f.hu, f.tol, second);
    count = clip_side(second, count, 0, -1.0, f.hu, f.tol, first);
    count = clip_side(first, count, 1, 1.0, f.hv, f.tol, second);
    count = clip_side(second, count, 1, -1.0, f.hv, f.tol, first);
    ts_vec3 eu = f.box ? ts_two_boxes_axis(p, f.u) : ts_vec3_axis(f.u);
    ts_vec3 ev = f.box ? ts_two_boxes_axis(p, f.v) : ts_vec3_axis(f.v);
    ts_vec3 en = f.box ? ts_two_boxes_axis(p, f.axis) : ts_vec3_axis(f.axis);
    ts_vec3 origin = f.box ? ts_vec3_load(p->t) : ts_vec3_zero();
    for (int k = 0; k < count; ++k) {
        const face_point* q = &first[k];
        double gap = q->height - half[f.axis];
        if (gap > margin) continue;
        ts_vec3 at = ts_vec3_add_scaled(ts_vec3_add_scaled(origin, q->u, eu), q->v, ev);
        at = ts_vec3_add_scaled(at, f.sign * (q->height - 0.5 * gap), en);
        ts_contact_list_add(out, at, gap, face_label(&f, q));
    }
}

ts_box_box_outcome ts_box_box_contacts(const ts_shape_pair* pair, double margin, int* reference, ts_contact_list* out) {
    out->count = 0;
    ts_two_boxes p;
    prepare(pair, &p);
    int fa, fb;
    double ga, gb;
    best_faces(&p, &fa, &ga, &fb, &gb);
    out->apart = ga > gb ? ga : gb;
    if (out->apart > margin) return TS_BOX_BOX_SEPARATED;
    box_axis edge = best_edge(&p, margin);
    out->apart = edge.gap;
    if (edge.gap > margin) return TS_BOX_BOX_SEPARATED;
    // Last time's reference box keeps the job while the faces are nearly parallel and the gaps nearly equal.
    double loyal = p.Q[fa][fb] > ALIGNED_COS ? FACE_PREFERENCE * p.size : 0.0;
    double bias = *reference == 2 ? -loyal : (*reference == 1 ? loyal : 1e-10 * p.size);
    box_axis face = gb > ga + bias ? face_axis(&p, 3 + fb, gb) : face_axis(&p, fa, ga);
    ts_vec3 edge_normal = ts_vec3_scale(edge.sign, edge.axis), face_normal = ts_vec3_scale(face.sign, face.axis);
    double preference = edge.kind >= 0 && ts_vec3_dot(edge_normal, face_normal) > ALIGNED_COS ? FACE_PREFERENCE_ALIGNED
                                                                                              : FACE_PREFERENCE;
    if (edge.kind >= 0 && edge.gap > face.gap + preference * p.size) {
        // For boxes apart an edge axis is only a bound of the distance; whether the edges really face each other is for
        // GJK to say.
        if (edge.gap > 0.0) return TS_BOX_BOX_UNDECIDED;
        out->normal = edge_normal;
        *reference = 0;
        edge_contact(&p, &edge, out);
        return TS_BOX_BOX_CONTACT;
    }
    out->normal = face_normal;
    *reference = face.kind < 3 ? 1 : 2;
    face_contact(&p, &face, margin, out);
    return out->count > 0 ? TS_BOX_BOX_CONTACT : TS_BOX_BOX_UNDECIDED;
}
