// Joining flat neighbours: a box should have six faces however many triangles it was made of.
//
// Rule: from the largest face outwards, a neighbour joins when all its corners lie within a tolerance of the first
// face's plane (always that one plane, so that a finely divided sphere cannot creep into one face); the joined face is
// the loop of edges between different groups; a corner where fewer than three groups meet lies on a straight edge or
// inside a face and goes. Guaranteed: the result is a closed surface of simple loops, or nothing.
#include "collision/shape/hull_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct mesh {
    const ts_vec3* points;
    const ts_hull_faces* faces;
    int half_count;   // one half-edge per corner, numbered like the corners
    int* face_of;     // (half_count)
    int* twin;        // (half_count)
    int* group;       // (faces->count)
    int* order;       // (faces->count) by falling area
    double* area;     // (faces->count) twice the area
    ts_vec3* normal;  // (faces->count)
    int* keep;        // (point_count) nonzero: stays a corner
    int* first_out;   // (point_count + 1) half-edges leaving a point, as CSR
    int* out;         // (half_count)
} mesh;

static int next_half(const mesh* m, int h) {
    int f = m->face_of[h];
    return h + 1 < m->faces->start[f + 1] ? h + 1 : m->faces->start[f];
}

static int origin(const mesh* m, int h) { return m->faces->corner[h]; }

static int connect(mesh* m, int point_count) {
    for (int f = 0; f < m->faces->count; ++f)
        for (int h = m->faces->start[f]; h < m->faces->start[f + 1]; ++h) m->face_of[h] = f;
    memset(m->first_out, 0, ((size_t)point_count + 1) * sizeof(int));
    for (int h = 0; h < m->half_count; ++h) ++m->first_out[origin(m, h) + 1];
    for (int v = 0; v < point_count; ++v) m->first_out[v + 1] += m->first_out[v];
    int* fill = m->keep;  // not needed for its own purpose yet
    memcpy(fill, m->first_out, (size_t)point_count * sizeof(int));
    for (int h = 0; h < m->half_count; ++h) m->out[fill[origin(m, h)]++] = h;
    for (int h = 0; h < m->half_count; ++h) {
        int from = origin(m, h), to = origin(m, next_half(m, h)), found = 0;
        for (int k = m->first_out[to]; k < m->first_out[to + 1]; ++k) {
            if (origin(m, next_half(m, m->out[k])) != from) continue;
            m->twin[h] = m->out[k];
            ++found;
        }
        if (found != 1) return 0;
    }
    return 1;
}

static void measure_faces(mesh* m) {
    for (int f = 0; f < m->faces->count; ++f) {
        const int* c = m->faces->corner + m->faces->start[f];
        int count = m->faces->start[f + 1] - m->faces->start[f];
        ts_vec3 turn = ts_vec3_zero();
        for (int k = 1; k + 1 < count; ++k)
            turn = ts_vec3_add(turn, ts_vec3_cross(ts_vec3_sub(m->points[c[k]], m->points[c[0]]),
                                                   ts_vec3_sub(m->points[c[k + 1]], m->points[c[0]])));
        m->area[f] = ts_vec3_norm(turn);
        m->normal[f] = ts_vec3_unit_or(turn, ts_vec3_zero());
        m->group[f] = -1;
    }
}

typedef struct ranked_face {
    double area;
    int face;
} ranked_face;

static int larger_first(const void* a, const void* b) {
    const ranked_face *x = (const ranked_face*)a, *y = (const ranked_face*)b;
    if (x->area != y->area) return x->area > y->area ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

static int rank_faces(mesh* m) {
    ranked_face* ranked = (ranked_face*)malloc((size_t)m->faces->count * sizeof *ranked);
    if (!ranked) return 0;
    for (int f = 0; f < m->faces->count; ++f) {
        ranked[f].area = m->area[f];
        ranked[f].face = f;
    }
    qsort(ranked, (size_t)m->faces->count, sizeof *ranked, larger_first);
    for (int f = 0; f < m->faces->count; ++f) m->order[f] = ranked[f].face;
    free(ranked);
    return 1;
}

static int lies_in_plane(const mesh* m, int f, ts_vec3 normal, ts_vec3 on_plane, double tolerance) {
    if (ts_vec3_dot(m->normal[f], normal) < 0.0) return 0;
    for (int h = m->faces->start[f]; h < m->faces->start[f + 1]; ++h)
        if (!(fabs(ts_vec3_dot(normal, ts_vec3_sub(m->points[origin(m, h)], on_plane))) <= tolerance)) return 0;
    return 1;
}

// Numbers the groups. `stack` has room for every face.
static int group_faces(mesh* m, double tolerance, int* stack) {
    int groups = 0;
    for (int i = 0; i < m->faces->count; ++i) {
        int seed = m->order[i];
        if (m->group[seed] >= 0) continue;
        int depth = 0;
        stack[depth++] = seed;
        m->group[seed] = groups;
        ts_vec3 normal = m->normal[seed], on_plane = m->points[origin(m, m->faces->start[seed])];
        while (depth > 0) {
            int f = stack[--depth];
            for (int h = m->faces->start[f]; h < m->faces->start[f + 1]; ++h) {
                int g = m->face_of[m->twin[h]];
                if (m->group[g] >= 0 || !lies_in_plane(m, g, normal, on_plane, tolerance)) continue;
                m->group[g] = groups;
                stack[depth++] = g;
            }
        }
        ++groups;
    }
    return groups;
}

static void mark_corners(mesh* m, int point_count) {
    for (int v = 0; v < point_count; ++v) {
        int seen[3], distinct = 0;
        for (int k = m->first_out[v]; k < m->first_out[v + 1] && distinct < 3; ++k) {
            int g = m->group[m->face_of[m->out[k]]], known = 0;
            for (int s = 0; s < distinct; ++s) known |= seen[s] == g;
            if (!known) seen[distinct++] = g;
        }
        m->keep[v] = distinct >= 3;
    }
}

static int is_rim(const mesh* m, int h) { return m->group[m->face_of[h]] != m->group[m->face_of[m->twin[h]]]; }

// Walks each group's rim once. Fails when a group has two rims or fewer than three corners.
static int trace_loops(const mesh* m, int groups, int* rim_length, ts_hull_faces* out) {
    memset(rim_length, 0, (size_t)groups * sizeof(int));
    for (int h = 0; h < m->half_count; ++h)
        if (is_rim(m, h)) ++rim_length[m->group[m->face_of[h]]];
    int filled = 0;
    out->count = 0;
    for (int h = 0; h < m->half_count; ++h) {
        int group = m->group[m->face_of[h]];
        if (!is_rim(m, h) || rim_length[group] == 0) continue;
        int first = filled, walked = 0, at = h;
        do {
            if (m->keep[origin(m, at)]) out->corner[filled++] = origin(m, at);
            at = next_half(m, at);
            for (int turns = 0; !is_rim(m, at); ++turns) {
                if (turns > m->half_count) return 0;
                at = next_half(m, m->twin[at]);
            }
            if (++walked > rim_length[group]) return 0;
        } while (at != h);
        if (walked != rim_length[group] || filled - first < 3) return 0;
        rim_length[group] = 0;
        out->start[out->count++] = first;
    }
    out->start[out->count] = filled;
    return out->count == groups;
}

int ts_hull_faces_merge(const ts_vec3* points, int point_count, const ts_hull_faces* in, double tolerance,
                        ts_hull_faces* out) {
    mesh m;
    memset(&m, 0, sizeof m);
    memset(out, 0, sizeof *out);
    m.points = points;
    m.faces = in;
    m.half_count = in->start[in->count];
    size_t halves = (size_t)m.half_count, faces = (size_t)in->count, corners = (size_t)point_count;
    int* block = (int*)malloc((3 * halves + 4 * faces + 2 * corners + 1) * sizeof(int));
    m.area = (double*)malloc(faces * sizeof *m.area);
    m.normal = (ts_vec3*)malloc(faces * sizeof *m.normal);
    out->start = (int*)malloc((faces + 1) * sizeof(int));
    out->corner = (int*)malloc((halves + 1) * sizeof(int));
    int done = block && m.area && m.normal && out->start && out->corner;
    if (done) {
        m.face_of = block;
        m.twin = m.face_of + halves;
        m.out = m.twin + halves;
        m.group = m.out + halves;
        m.order = m.group + faces;
        int *stack = m.order + faces, *rim_length = stack + faces;
        m.keep = rim_length + faces;
        m.first_out = m.keep + corners;
        done = connect(&m, point_count);
        if (done) {
            measure_faces(&m);
            done = rank_faces(&m);
        }
        if (done) {
            int groups = group_faces(&m, tolerance, stack);
            mark_corners(&m, point_count);
            done = trace_loops(&m, groups, rim_length, out);
        }
    }
    free(block);
    free(m.area);
    free(m.normal);
    if (!done) ts_hull_faces_free(out);
    return done;
}
