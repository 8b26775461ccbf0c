// For every cell of directions, the vertices that can be farthest along one of them.
//
// Problem: the farthest vertex of a hull of hundreds or thousands is asked for a dozen times per pair. A climb along edges
// takes steps that nobody can foretell, each of which waits for the one before.
// Rule: directions are divided into cells, about as many as there are vertices, and each cell lists the vertices whose
// cones of normals reach into it; the farthest of the list is the answer. Cones border on each other along the arcs
// between the normals of neighbouring faces. So a list begins with the vertex that is farthest along the middle of the
// cell and grows across every edge whose arc meets the cell, which is a matter of five linear inequalities; since a cell
// is convex, nothing is missed. For short lists whatever the hull's proportions, cells divide directions seen through the
// root of its second moments (a Cholesky factor), which makes long and flat hulls as round as balls.
// Guaranteed: a list of two or more holds a vertex that is farthest to rounding, for every direction of the cell and a
// little beyond. Where that cannot be promised (corners of faces that are flat only within a tolerance, flat hulls) or
// would be too long (a disc has as many corners as it likes along its axis), the list is one vertex to climb from.
#include "collision/shape/hull_internal.h"
#include "collision/shape/support_internal.h"

#include <stdlib.h>

// How far beyond its cell a list still holds, in parts of an octant: far more than rounding, far less than a cell.
static const double slack = 1e-6;

// The least width that counts, in parts of the largest, squared: what rounding leaves of the moments of thinner hulls is
// no measure of their shape.
static const double least_moment = 1e-12;

// On average a list has four or five vertices. From about this many on a climb is as quick.
enum { LIST_MOST = 32 };

// What the making of the lists needs to know.
typedef struct cell_maker {
    const ts_hull* hull;
    ts_vec3* normal;  // (face_count) unit, as mapped
    int* seen;        // (vertex_count) the last cell whose list a vertex was put on, plus one
    char* unsure;     // (vertex_count) corner of a face that is not flat to rounding
} cell_maker;

// One cell: in an octant, given by its signs, low <= (|x|, |y|) / (|x| + |y| + |z|) <= high.
typedef struct cell {
    ts_vec3 sign;
    double low[2], high[2];
} cell;

static void choose_map(ts_hull* hull) {
    double* m = hull->to_cells;
    const ts_mat3* inertia = &hull->second_moment;
    double half = 0.5 * ts_mat3_trace(inertia), scale = 1.0 / half;
    m[0] = m[3] = m[5] = 1.0;
    m[1] = m[2] = m[4] = 0.0;
    if (!(half > 0.0) || !isfinite(half) || !isfinite(scale)) return;
    m[0] = sqrt(fmax(1.0 - scale * inertia->m[0][0], least_moment));
    m[1] = -scale * inertia->m[0][1] / m[0];
    m[2] = -scale * inertia->m[0][2] / m[0];
    m[3] = sqrt(fmax(1.0 - scale * inertia->m[1][1] - m[1] * m[1], least_moment));
    m[4] = (-scale * inertia->m[1][2] - m[1] * m[2]) / m[3];
    m[5] = sqrt(fmax(1.0 - scale * inertia->m[2][2] - m[2] * m[2] - m[4] * m[4], least_moment));
}

static ts_vec3 from_cells(const ts_hull* hull, ts_vec3 mapped) {
    const double* m = hull->to_cells;
    double z = mapped.z / m[5], y = (mapped.y - m[4] * z) / m[3];
    return ts_vec3_make((mapped.x - m[1] * y - m[2] * z) / m[0], y, z);
}

static cell cell_of(int n, int octant, int column, int row) {
    cell c = {ts_vec3_make(octant & 1 ? -1.0 : 1.0, octant & 2 ? -1.0 : 1.0, octant & 4 ? -1.0 : 1.0),
              {(double)column / n, (double)row / n},
              {(column + 1.0) / n, (row + 1.0) / n}};
    return c;
}

// A direction inside.
static ts_vec3 middle_of(const cell* c) {
    // Cells at the octant's long edge are triangles; beyond it only their corner is there.
    double part = c->low[0] + c->low[1] < 1.0 ? 1.0 / 3.0 : 0.0;
    double x = c->low[0] + part * (c->high[0] - c->low[0]), y = c->low[1] + part * (c->high[1] - c->low[1]);
    return ts_vec3_mul(c->sign, ts_vec3_make(x, y, 1.0 - x - y));
}

// Shortens the way from `from` to `to`, parts of the way from p to q, to where a linear function that is p and q at its ends
// is not negative, or hardly. Returns 0 when nothing is left.
static int clip(double p, double q, double* from, double* to) {
    p += slack;
    q += slack;
    if (p < 0.0 && q < 0.0) return 0;
    if (p < 0.0) *from = fmax(*from, p / (p - q));
    if (q < 0.0) *to = fmin(*to, p / (p - q));
    return *from <= *to;
}

// Does the arc from p to q, by the shorter way, meet the cell?
static int meets(const cell* c, ts_vec3 p, ts_vec3 q) {
    p = ts_vec3_mul(p, c->sign);
    q = ts_vec3_mul(q, c->sign);
    double p_sum = p.x + p.y + p.z, q_sum = q.x + q.y + q.z, from = 0.0, to = 1.0;
    return clip(p.x - c->low[0] * p_sum, q.x - c->low[0] * q_sum, &from, &to) &&
           clip(c->high[0] * p_sum - p.x, c->high[0] * q_sum - q.x, &from, &to) &&
           clip(p.y - c->low[1] * p_sum, q.y - c->low[1] * q_sum, &from, &to) &&
           clip(c->high[1] * p_sum - p.y, c->high[1] * q_sum - q.y, &from, &to) && clip(p.z, q.z, &from, &to);
}

// The face beyond the edge that leaves v in place k: the one in which the edge runs back. -1 when there is none.
static int face_beyond(const ts_hull* hull, int v, int k) {
    int other = hull->neighbour[k];
    for (int e = hull->neighbour_start[other]; e < hull->neighbour_start[other + 1]; ++e)
        if (hull->neighbour[e] == v) return hull->vertex_face[e];
    return -1;
}

// The list of a cell, given its first vertex; returns its length, 1 where no more can be promised. `mark` is new.
static int grow(const cell_maker* maker, const cell* c, int mark, int* list) {
    const ts_hull* hull = maker->hull;
    int length = 1;
    maker->seen[list[0]] = mark;
    for (int i = 0; i < length; ++i) {
        int v = list[i];
        if (maker->unsure[v]) return 1;
        for (int k = hull->neighbour_start[v]; k < hull->neighbour_start[v + 1]; ++k) {
            int other = hull->neighbour[k];
            if (maker->seen[other] == mark) continue;
            int beyond = face_beyond(hull, v, k);
            if (beyond < 0) return 1;
            if (!meets(c, maker->normal[hull->vertex_face[k]], maker->normal[beyond])) continue;
            if (length == LIST_MOST) return 1;
            maker->seen[other] = mark;
            list[length++] = other;
        }
    }
    return length;
}

static int by_number(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int append(ts_hull* hull, int filled, int* room, const int* list, int length) {
    if (filled + length > *room) {
        int more = 2 * *room + LIST_MOST;
        int* grown = (int*)realloc(hull->cell_vertex, (size_t)more * sizeof(int));
        if (!grown) return 0;
        hull->cell_vertex = grown;
        *room = more;
    }
    for (int i = 0; i < length; ++i) hull->cell_vertex[filled + i] = list[i];
    return 1;
}

static int make_lists(const cell_maker* maker, ts_hull* hull) {
    int n = hull->cells, filled = 0, room = 0, list[LIST_MOST], last = 0;
    for (int at = 0; at < 8 * n * n; ++at) {
        int column = at / n % n, row = at % n, length = 1;
        list[0] = last;
        // Farther from the octant's corner there are no directions; whatever asks there climbs.
        if (column + row <= n) {
            cell c = cell_of(n, at / (n * n), column, row);
            list[0] = last = ts_support_climb_from(hull, from_cells(hull, middle_of(&c)), last);
            if (hull->face_count > 2) length = grow(maker, &c, at + 1, list);
            qsort(list, (size_t)length, sizeof(int), by_number);
        }
        hull->cell_start[at] = filled;
        if (!append(hull, filled, &room, list, length)) return 0;
        filled += length;
    }
    hull->cell_start[8 * n * n] = filled;
    return 1;
}

int ts_hull_fill_cells(ts_hull* hull) {
    if (hull->vertex_count <= TS_HULL_FEW) return 1;
    int n = 1;
    while (4 * (n + 1) * (n + 2) <= hull->vertex_count) ++n;
    cell_maker maker = {hull, (ts_vec3*)malloc((size_t)hull->face_count * sizeof(ts_vec3)),
                        (int*)calloc((size_t)hull->vertex_count, sizeof(int)),
                        (char*)calloc((size_t)hull->vertex_count, 1)};
    hull->cell_start = (int*)malloc((8 * (size_t)n * (size_t)n + 1) * sizeof(int));
    int made = maker.normal && maker.seen && maker.unsure && hull->cell_start;
    if (made) {
        hull->cells = n;
        choose_map(hull);
        for (int f = 0; f < hull->face_count; ++f) {
            maker.normal[f] = ts_vec3_unit_or(ts_hull_to_cells(hull, hull->face_normal[f]), ts_vec3_zero());
            int first = hull->face_start[f], end = hull->face_start[f + 1];
            // The plane of a long triangle is uncertain, but no more than three corners can lie off it.
            if (end - first == 3 || !(hull->face_hollow[f] > 0.0)) continue;
            for (int k = first; k < end; ++k) maker.unsure[hull->face_corner[k]] = 1;
        }
        made = make_lists(&maker, hull);
    }
    free(maker.normal);
    free(maker.seen);
    free(maker.unsure);
    return made;
}
