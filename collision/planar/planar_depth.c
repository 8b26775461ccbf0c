// Penetration depth of two overlapping convex polygons.
//
// Problem: the shortest translation that parts two convex cores, and its direction.
// Rule: the difference A - B is a convex polygon whose edges carry the normals of A's and of B's edges. The signed
// distance of the origin from it is the greatest separation over these normals (separating axes); each separation is
// one support point, and because normals and vertices both go around counter-clockwise the support point only moves
// forward: two linear walks (rotating calipers, Toussaint 1983).
// Guaranteed: the separation along any unit direction is a lower bound of the signed distance, and for overlapping
// cores the greatest over the edge normals is the signed distance itself; O(count_a + count_b), no iteration.
// Known limit: for separated cores it is only a lower bound (the closest features may be two vertices).
#include "collision/planar/planar_gjk_internal.h"

// The best axis found so far: separation along (nx, ny), not unit.
typedef struct axis {
    double separation, squared;  // times |n|, and |n|^2
    double nx, ny;
    int edge, vertex;
} axis;

// Nonzero when s / sqrt(n) > best.separation / sqrt(best.squared).
static int is_better(double s, double n, const axis* best) {
    if (best->squared <= 0.0) return 1;
    double left = s * fabs(s) * best->squared, right = best->separation * fabs(best->separation) * n;
    return left > right;
}

// The greatest separation along outward normals of `edges`, against `other` placed at turn (c, s) and offset (tx, ty)
// in the frame of `edges`.
static axis best_axis(const ts_planar_polygon* edges, const ts_planar_polygon* other, double c, double s, double tx,
                      double ty) {
    axis best = {0.0, 0.0, 0.0, 0.0, 0, 0};
    int vertex = -1;
    for (int i = 0; i < edges->count; ++i) {
        int next = i + 1 < edges->count ? i + 1 : 0;
        double nx = edges->y[next] - edges->y[i], ny = edges->x[i] - edges->x[next];
        double squared = nx * nx + ny * ny;
        if (squared <= 0.0) continue;
        // Farthest into the edge: along -n, in the frame of `other`.
        double dx = -(c * nx + s * ny), dy = s * nx - c * ny;
        if (vertex < 0) vertex = planar_scan(other->x, other->y, other->count, dx, dy);
        vertex = planar_climb(other, dx, dy, vertex);
        double ox = other->x[vertex], oy = other->y[vertex];
        double px = (c * ox - s * oy) + tx, py = (s * ox + c * oy) + ty;
        double separation = nx * (px - edges->x[i]) + ny * (py - edges->y[i]);
        if (is_better(separation, squared, &best)) {
            axis found = {separation, squared, nx, ny, i, vertex};
            best = found;
        }
    }
    return best;
}

// The point of edge i (in its own frame) nearest to p.
static ts_planar_vec on_edge(const ts_planar_polygon* polygon, int i, double px, double py) {
    int next = i + 1 < polygon->count ? i + 1 : 0;
    double ex = polygon->x[next] - polygon->x[i], ey = polygon->y[next] - polygon->y[i];
    double t = ((px - polygon->x[i]) * ex + (py - polygon->y[i]) * ey) / (ex * ex + ey * ey);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    return ts_planar_vec_make(polygon->x[i] + t * ex, polygon->y[i] + t * ey);
}

void planar_depth(const planar_query* query, planar_depth_result* out) {
    const ts_planar_polygon *a = query->a, *b = query->b;
    double c = query->c, s = query->s;
    axis on_a = best_axis(a, b, c, s, query->tx, query->ty);
    // A's centre in B's frame.
    double tx = -(c * query->tx + s * query->ty), ty = s * query->tx - c * query->ty;
    axis on_b = best_axis(b, a, c, -s, tx, ty);
    if (on_a.squared <= 0.0 && on_b.squared <= 0.0) {  // two points on top of each other
        planar_depth_result flat = {0.0, 1.0, 0.0, a->x[0], a->y[0]};
        *out = flat;
        return;
    }
    if (on_a.squared > 0.0 && (on_b.squared <= 0.0 || !is_better(on_b.separation, on_b.squared, &on_a))) {
        double length = sqrt(on_a.squared);
        out->nx = on_a.nx / length;
        out->ny = on_a.ny / length;
        out->distance = on_a.separation / length;
        double x = b->x[on_a.vertex], y = b->y[on_a.vertex];
        ts_planar_vec p = on_edge(a, on_a.edge, (c * x - s * y) + query->tx, (s * x + c * y) + query->ty);
        out->ax = p.x;
        out->ay = p.y;
        return;
    }
    double length = sqrt(on_b.squared);
    double nx = -on_b.nx / length, ny = -on_b.ny / length;  // from A to B, B's frame
    out->nx = c * nx - s * ny;
    out->ny = s * nx + c * ny;
    out->distance = on_b.separation / length;
    double x = a->x[on_b.vertex], y = a->y[on_b.vertex];
    ts_planar_vec q = on_edge(b, on_b.edge, (c * x + s * y) + tx, (c * y - s * x) + ty);
    out->ax = (c * q.x - s * q.y) + query->tx - out->distance * out->nx;
    out->ay = (s * q.x + c * q.y) + query->ty - out->distance * out->ny;
}
