// The growing polytope of EPA: planes of triangles, the nearest one, and cutting away what a new point sees.
//
// Rule: faces are triangles joined by half-edges. What a point sees is found by walking from a face known to be visible
// across edges, counter-clockwise, so that the rim comes out in order and the fan around the new point is joined as it is
// made (van den Bergen, Collision Detection in Interactive 3D Environments, 2003, section 4.3.8).
// Guaranteed: the surface stays closed; when the rim is not one loop (rounding made two visible regions meet) nothing is
// changed and the caller is told. The visibility threshold is relative to the size of D: an absolute one makes half of
// all answers wrong at micrometre scale. A face too thin to have a normal is never chosen and goes with whatever reaches
// it. No root and no division by one: faces are ordered by the square of their distance, with its sign.
#include "collision/distance/penetration/epa_polytope_internal.h"

#include "collision/shape/support_internal.h"

#include <float.h>

void ts_epa_polytope_init(ts_epa_polytope* p, const ts_shape_pair* pair, double scale) {
    p->pair = pair;
    p->scale = scale;
    p->support_calls = p->vertex_count = p->face_count = 0;
    p->free_face = -1;
}

ts_gjk_vertex ts_epa_polytope_support(ts_epa_polytope* p, ts_vec3 n, int hint_a, int hint_b) {
    const ts_shape_pair* pair = p->pair;
    ts_support_point a = ts_support_core_inline(pair->a, n, hint_a);
    ts_support_point b =
        ts_support_core_inline(pair->b, ts_transform_direction_inverse(&pair->b_in_a, ts_vec3_neg(n)), hint_b);
    ts_gjk_vertex v;
    v.a = a.point;
    v.b = ts_transform_point(&pair->b_in_a, b.point);
    v.w = ts_vec3_sub(v.a, v.b);
    v.index_a = a.index;
    v.index_b = b.index;
    v.lambda = 0.0;
    double size = ts_vec3_norm(v.w);
    if (size > p->scale) p->scale = size;
    ++p->support_calls;
    return v;
}

ts_gjk_vertex ts_epa_polytope_support_of_face(ts_epa_polytope* p, int face, ts_vec3 n) {
    const ts_epa_face* f = &p->face[face];
    // Directions jump from face to face, so of the corners' vertices the farthest one is the place to climb from.
    const ts_gjk_vertex* v = &p->vertex[f->vertex[0]];
    int hint_a = v->index_a, hint_b = v->index_b;
    double best_a = ts_vec3_dot(n, v->a), best_b = -ts_vec3_dot(n, v->b);
    for (int k = 1; k < 3; ++k) {
        v = &p->vertex[f->vertex[k]];
        double along_a = ts_vec3_dot(n, v->a), along_b = -ts_vec3_dot(n, v->b);
        hint_a = along_a > best_a ? v->index_a : hint_a;
        best_a = along_a > best_a ? along_a : best_a;
        hint_b = along_b > best_b ? v->index_b : hint_b;
        best_b = along_b > best_b ? along_b : best_b;
    }
    return ts_epa_polytope_support(p, n, hint_a, hint_b);
}

// Squares below this have lost digits to underflow, and a normal with them.
static const double LEAST_SQUARE = 1e-280;

// The cross product of a triangle's two shortest edges, the best conditioned; zero where even that is rounding.
static ts_vec3 careful_normal(ts_vec3 a, ts_vec3 b, ts_vec3 c) {
    ts_vec3 ab = ts_vec3_sub(b, a), bc = ts_vec3_sub(c, b), ca = ts_vec3_sub(a, c);
    double ab2 = ts_vec3_norm_squared(ab), bc2 = ts_vec3_norm_squared(bc), ca2 = ts_vec3_norm_squared(ca);
    double longest = ab2;
    ts_vec3 n;
    if (ab2 >= bc2 && ab2 >= ca2) {
        n = ts_vec3_cross(bc, ca);
    } else if (bc2 >= ca2) {
        longest = bc2;
        n = ts_vec3_cross(ca, ab);
    } else {
        longest = ca2;
        n = ts_vec3_cross(ab, bc);
    }
    double squared = ts_vec3_norm_squared(n);
    return squared > 1e-28 * longest * longest && squared > LEAST_SQUARE ? n : ts_vec3_zero();
}

static ts_vec3 careful_normal_of(const ts_epa_polytope* p, const ts_epa_face* f) {
    return careful_normal(p->vertex[f->vertex[0]].w, p->vertex[f->vertex[1]].w, p->vertex[f->vertex[2]].w);
}

// The plane of a face from the edges at its last corner: `ca` and `cb` lead from there to the first two. Angles below two
// degrees are left to the careful product.
static void set_plane(ts_epa_polytope* p, int slot, ts_vec3 ca, double ca2, ts_vec3 cb, double cb2) {
    ts_epa_face* f = &p->face[slot];
    ts_vec3 n = ts_vec3_cross(ca, cb);
    double squared = ts_vec3_norm_squared(n);
    if (!(squared > 1e-3 * ca2 * cb2 && squared > LEAST_SQUARE)) {
        n = careful_normal_of(p, f);
        squared = ts_vec3_norm_squared(n);
        if (!(squared > 0.0)) {
            f->normal = ts_vec3_zero();
            f->offset = 0.0;
            f->size = -1.0;
            p->key[slot] = (double)INFINITY;
            return;
        }
    }
    f->normal = n;
    f->offset = ts_vec3_dot(n, p->vertex[f->vertex[2]].w);
    f->size = fabs(n.x) + fabs(n.y) + fabs(n.z);
    p->key[slot] = f->offset * fabs(f->offset) / squared;
}

// A slot for a face; the caller has made sure that there is one.
static int take_slot(ts_epa_polytope* p) {
    int slot = p->free_face;
    if (slot < 0) return p->face_count++;
    p->free_face = p->face[slot].across[0] == UINT16_MAX ? -1 : p->face[slot].across[0];
    return slot;
}

// A face with its corners but no plane yet.
static int make_face(ts_epa_polytope* p, int i, int j, int k) {
    int slot = take_slot(p);
    ts_epa_face* f = &p->face[slot];
    f->vertex[0] = (uint16_t)i;
    f->vertex[1] = (uint16_t)j;
    f->vertex[2] = (uint16_t)k;
    f->stamp = -1;
    return slot;
}

void ts_epa_polytope_add_face(ts_epa_polytope* p, int i, int j, int k) {
    int slot = make_face(p, i, j, k);
    ts_vec3 c = p->vertex[k].w, ca = ts_vec3_sub(p->vertex[i].w, c), cb = ts_vec3_sub(p->vertex[j].w, c);
    set_plane(p, slot, ca, ts_vec3_norm_squared(ca), cb, ts_vec3_norm_squared(cb));
}

void ts_epa_polytope_link(ts_epa_polytope* p) {
    uint16_t half_edge[8][8];  // from each vertex to each
    for (int f = 0; f < p->face_count; ++f)
        for (int k = 0; k < 3; ++k)
            half_edge[p->face[f].vertex[k]][p->face[f].vertex[k == 2 ? 0 : k + 1]] = (uint16_t)(4 * f + k);
    for (int f = 0; f < p->face_count; ++f)
        for (int k = 0; k < 3; ++k)
            p->face[f].across[k] = half_edge[p->face[f].vertex[k == 2 ? 0 : k + 1]][p->face[f].vertex[k]];
}

static double least(double a, double b) { return a < b ? a : b; }

int ts_epa_polytope_nearest(const ts_epa_polytope* p) {
    // Four chains, so that the comparisons overlap.
    const double* key = p->key;
    double m0 = (double)INFINITY, m1 = m0, m2 = m0, m3 = m0;
    int count = p->face_count, f = 0;
    for (; f + 4 <= count; f += 4) {
        m0 = least(key[f], m0);
        m1 = least(key[f + 1], m1);
        m2 = least(key[f + 2], m2);
        m3 = least(key[f + 3], m3);
    }
    for (; f < count; ++f) m0 = least(key[f], m0);
    double m = least(least(m0, m1), least(m2, m3));
    if (!(m < (double)INFINITY)) return -1;
    f = 0;
    while (key[f] != m) ++f;
    return f;
}

ts_vec3 ts_epa_polytope_plane(const ts_epa_polytope* p, int face, double* out_distance) {
    const ts_epa_face* f = &p->face[face];
    ts_vec3 a = p->vertex[f->vertex[0]].w, b = p->vertex[f->vertex[1]].w, c = p->vertex[f->vertex[2]].w;
    ts_vec3 n = careful_normal(a, b, c);
    if (!(ts_vec3_max_abs(n) > 0.0)) n = f->normal;  // thin by one count and not by the other
    double inverse = 1.0 / ts_vec3_norm(n);
    *out_distance = inverse * ((ts_vec3_dot(n, a) + ts_vec3_dot(n, b) + ts_vec3_dot(n, c)) * (1.0 / 3.0));
    return ts_vec3_scale(inverse, n);
}

// What a point sees, and the half-edges around it in order, named from outside.
typedef struct horizon {
    int visible_count, rim_count;
    uint16_t visible[TS_EPA_FACES];
    uint16_t rim[TS_EPA_FACES];
} horizon;

// Walks what w sees from `first`. Returns 0 when the rim is not one loop.
static int find_horizon(ts_epa_polytope* p, int first, ts_vec3 w, int stamp, horizon* h) {
    uint16_t stack[TS_EPA_FACES + 4];
    const double threshold = 8.0 * DBL_EPSILON * p->scale;
    int depth = 0;
    h->visible_count = h->rim_count = 0;
    ts_epa_face* start = &p->face[first];
    start->stamp = stamp;
    h->visible[h->visible_count++] = (uint16_t)first;
    for (int k = 2; k >= 0; --k) stack[depth++] = start->across[k];
    while (depth > 0) {
        uint16_t entry = stack[--depth];
        ts_epa_face* f = &p->face[entry >> 2];
        if (f->stamp == stamp) continue;
        if (f->size >= 0.0 && !(ts_vec3_dot(f->normal, w) - f->offset > threshold * f->size)) {
            h->rim[h->rim_count++] = entry;
            continue;
        }
        f->stamp = stamp;
        h->visible[h->visible_count++] = entry >> 2;
        // The other two edges, counter-clockwise after the one entered by; the first of them on top.
        int in = entry & 3, next = in == 2 ? 0 : in + 1, last = in == 0 ? 2 : in - 1;
        stack[depth++] = f->across[last];
        stack[depth++] = f->across[next];
    }
    if (h->rim_count < 3) return 0;
    // From inside, rim edge i leads from the far to the near end of its half-edge and must be followed by the next one.
    const ts_epa_face* f = &p->face[h->rim[h->rim_count - 1] >> 2];
    int at = f->vertex[h->rim[h->rim_count - 1] & 3];
    for (int i = 0; i < h->rim_count; ++i) {
        f = &p->face[h->rim[i] >> 2];
        int k = h->rim[i] & 3;
        if (f->vertex[k == 2 ? 0 : k + 1] != at) return 0;
        at = f->vertex[k];
    }
    return 1;
}

ts_epa_status ts_epa_polytope_expand(ts_epa_polytope* p, int face, const ts_gjk_vertex* w, int stamp) {
    horizon h;
    if (p->vertex_count >= TS_EPA_VERTICES) return TS_EPA_FULL;
    if (!find_horizon(p, face, w->w, stamp, &h)) return TS_EPA_BAD_HORIZON;
    if (p->face_count + h.rim_count - h.visible_count > TS_EPA_FACES) return TS_EPA_FULL;
    for (int i = 0; i < h.visible_count; ++i) {
        int slot = h.visible[i];
        p->key[slot] = (double)INFINITY;
        p->face[slot].across[0] = p->free_face < 0 ? UINT16_MAX : (uint16_t)p->free_face;
        p->free_face = slot;
    }
    int tip = p->vertex_count++;
    p->vertex[tip] = *w;
    int first = -1, previous = -1;
    const ts_epa_face* last = &p->face[h.rim[h.rim_count - 1] >> 2];
    ts_vec3 to = ts_vec3_sub(p->vertex[last->vertex[h.rim[h.rim_count - 1] & 3]].w, w->w);
    double to2 = ts_vec3_norm_squared(to);
    for (int i = 0; i < h.rim_count; ++i) {
        ts_epa_face* outside = &p->face[h.rim[i] >> 2];
        int k = h.rim[i] & 3;
        int made = make_face(p, outside->vertex[k == 2 ? 0 : k + 1], outside->vertex[k], tip);
        ts_vec3 from = to;  // each rim vertex ends one edge and begins the next
        double from2 = to2;
        to = ts_vec3_sub(p->vertex[outside->vertex[k]].w, w->w);
        to2 = ts_vec3_norm_squared(to);
        set_plane(p, made, from, from2, to, to2);
        ts_epa_face* f = &p->face[made];
        f->across[0] = h.rim[i];
        outside->across[k] = (uint16_t)(4 * made);
        if (previous >= 0) {
            p->face[previous].across[1] = (uint16_t)(4 * made + 2);
            f->across[2] = (uint16_t)(4 * previous + 1);
        } else {
            first = made;
        }
        previous = made;
    }
    p->face[previous].across[1] = (uint16_t)(4 * first + 2);
    p->face[first].across[2] = (uint16_t)(4 * previous + 1);
    return TS_EPA_CONVERGED;
}
