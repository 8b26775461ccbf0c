// Newton's method on the direction of least depth, with curvature read off support points.
//
// Problem: the depth along n is h(n), the support value of D = A - B; a minimum over unit n has its support point s(n) on
// the ray n. Rule: with o the part of s(n) across n, z = h(n) and C the curvature of D's surface there (normals turn by
// C times the way along the surface), the minimum is expected at n + t with t = -C (I - z C)^-1 o. C is the symmetric
// 2 x 2 matrix that fits, in the least squares sense, how the normals of three points nearby differ from n; they are the
// corners of the last portal, then the points of the last steps. No Hessians are asked of the shapes.
// Guaranteed: a step counts only if it lowers h, so the depth bound never gets worse and the rays of the search, which
// may then go on from here, still get shorter. Known limit: on polytopes, where curvature means nothing, and near maxima,
// where I - z C is not positive, no step is found.
#include "collision/distance/penetration/mpr_internal.h"

enum { STEPS = 8 };

// Where the ray met the portal is this much nearer to it than the support point, the latter lies along something flat.
static const double FLAT = 0.03;

typedef struct tangent2 {
    double x, y;
} tangent2;

// Components across n in the basis (t0, t1).
static tangent2 across(ts_vec3 v, ts_vec3 t0, ts_vec3 t1) {
    tangent2 c = {ts_vec3_dot(v, t0), ts_vec3_dot(v, t1)};
    return c;
}

typedef struct sample {
    ts_vec3 w;
    ts_vec3 direction;
} sample;

// The symmetric matrix (xx, xy, yy) that best takes ways to turns, between all pairs of the four points, each pair with
// the same say (on a cylinder, only the short ways across its axis tell its radius); 0 when the ways do not say.
static int fit_curvature(const sample from[3], ts_vec3 w, ts_vec3 n, ts_vec3 t0, ts_vec3 t1, double c[3]) {
    double pxx = 0.0, pxy = 0.0, pyy = 0.0, rx = 0.0, ry = 0.0, rm = 0.0;
    tangent2 place[4], normal[4];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        if (!(ts_vec3_dot(from[i].direction, n) > 0.5)) continue;
        place[count] = across(ts_vec3_sub(from[i].w, w), t0, t1);
        normal[count++] = across(from[i].direction, t0, t1);
    }
    place[count].x = place[count].y = normal[count].x = normal[count].y = 0.0;
    ++count;
    for (int i = 1; i < count; ++i)
        for (int j = 0; j < i; ++j) {
            tangent2 p = {place[i].x - place[j].x, place[i].y - place[j].y};
            tangent2 q = {normal[i].x - normal[j].x, normal[i].y - normal[j].y};
            double length = p.x * p.x + p.y * p.y;
            if (!(length > 0.0)) continue;
            double weight = 1.0 / length;
            pxx += weight * p.x * p.x;
            pxy += weight * p.x * p.y;
            pyy += weight * p.y * p.y;
            rx += weight * p.x * q.x;
            rm += weight * (p.x * q.y + p.y * q.x);
            ry += weight * p.y * q.y;
        }
    // Normal equations [pxx pxy 0; pxy pxx + pyy pxy; 0 pxy pyy] c = (rx, rm, ry), by elimination of the outer two.
    if (!(pxx > 1e-6) || !(pyy > 1e-6)) return 0;
    double middle = pxx + pyy - pxy * pxy * (1.0 / pxx + 1.0 / pyy);
    if (!(middle > 1e-6)) return 0;
    c[1] = (rm - pxy * (rx / pxx + ry / pyy)) / middle;
    c[0] = (rx - pxy * c[1]) / pxx;
    c[2] = (ry - pxy * c[1]) / pyy;
    return 1;
}

int ts_mpr_descend(ts_mpr_space* space, ts_mpr_portal* portal, int newest, ts_vec3 hit, ts_vec3* io_d) {
    // rad: a turn this large leaves the place where the curvature was measured.
    static const double longest = 0.5;
    const ts_mpr_vertex* top = ts_mpr_corner(portal, newest);
    ts_mpr_vertex kept;
    sample from[3];
    for (int i = 0, k = 0; i < 4; ++i) {
        if (i == newest) continue;
        from[k].w = ts_mpr_corner(portal, i)->w;
        from[k++].direction = ts_mpr_corner(portal, i)->direction;
    }
    // So far above the record the model is seldom good enough to pay for itself.
    if (ts_vec3_dot(*io_d, top->w) > 1.1 * space->best) return 0;
    int step = 0, from_hit = 0;
    for (; step < STEPS; ++step) {
        ts_vec3 n = *io_d;
        int axis = fabs(n.x) < fabs(n.y) ? (fabs(n.x) < fabs(n.z) ? 0 : 2) : (fabs(n.y) < fabs(n.z) ? 1 : 2);
        ts_vec3 t0 = ts_vec3_unit_or(ts_vec3_cross(n, ts_vec3_axis(axis)), n), t1 = ts_vec3_cross(n, t0);
        double z = ts_vec3_dot(n, top->w), c[3];
        if (!fit_curvature(from, top->w, n, t0, t1, c)) break;
        // I - z C must be positive definite, with some margin to divide by.
        double mxx = 1.0 - z * c[0], mxy = -z * c[1], myy = 1.0 - z * c[2], det = mxx * myy - mxy * mxy;
        if (!(mxx > 0.02) || !(det > 0.02 * mxx)) break;
        tangent2 o = across(top->w, t0, t1);
        if (step == 0) {
            tangent2 near = across(hit, t0, t1);
            if (near.x * near.x + near.y * near.y < FLAT * FLAT * (o.x * o.x + o.y * o.y)) {
                o = near;
                from_hit = 1;
            }
        }
        tangent2 way = {-(myy * o.x - mxy * o.y) / det, -(mxx * o.y - mxy * o.x) / det};
        tangent2 turn = {c[0] * way.x + c[1] * way.y, c[1] * way.x + c[2] * way.y};
        // What the quadratic model promises; not worth a support point if that is less than the tolerance, or no record.
        double promise = -0.5 * (o.x * turn.x + o.y * turn.y), size = turn.x * turn.x + turn.y * turn.y;
        double worth = 0.25 * ts_mpr_tolerance(space);
        if (!(promise > worth) || !(z - promise < space->best - worth)) break;
        double shrink = size > longest * longest ? longest / sqrt(size) : 1.0;
        ts_vec3 next = ts_vec3_add_scaled(ts_vec3_add_scaled(n, shrink * turn.x, t0), shrink * turn.y, t1);
        next = ts_vec3_unit_or(next, n);
        ts_mpr_vertex v;
        double value = ts_mpr_support(space, next, &v);
        if (!(value < z)) break;
        // The present point takes the place of the one that is farthest from the new.
        int farthest = 0;
        double most = -1.0;
        for (int i = 0; i < 3; ++i) {
            double distance = ts_vec3_norm_squared(ts_vec3_sub(from[i].w, v.w));
            if (distance > most) {
                most = distance;
                farthest = i;
            }
        }
        from[farthest].w = top->w;
        from[farthest].direction = n;
        kept = v;
        top = &kept;
        *io_d = next;
        if (from_hit || ts_mpr_not_inside(space)) {
            ++step;
            break;
        }
    }
    if (step) {
        *ts_mpr_corner(portal, 3) = kept;
        portal->top = 1;
    }
    return step;
}
