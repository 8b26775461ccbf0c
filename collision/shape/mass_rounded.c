// Mass properties of rounded shapes: a core and all points within r of it.
//
// Problem: integrals of 1, x and x x^T over a convex body plus a ball. Rule for polytopes: the body falls apart into the
// core, a slab of thickness r on each face, a wedge of a cylinder along each edge (between the normals of its faces), and
// a sector of a ball at each corner (between the normals of all its faces); this is Steiner's formula (1840) taken apart.
// A sector's solid angle is 2 pi less the angles of the faces at the corner, and the integral of the unit vectors in it is
// half the sum over its edges of (angle of the wedge) times (unit vector along the edge), so nothing need be known of how
// sectors look; over all corners they make one ball. Cylinders and cones are turned profiles of lines and arcs, integrated
// by Gauss's rule on arcs of at most 22.5 degrees, exact to rounding. Of an ellipsoid the shell between it and the
// parallel surface is integrated over the sphere with the curvatures of its surface (volume element (1 + t k1)(1 + t k2)).
// Guaranteed: rounding error only for all but the ellipsoid, whose elliptic integrals are taken on a fixed grid: 1e-9 for
// axes up to 1 to 5, 1e-6 up to 1 to 20. Angles come from square roots and a series, the same on every machine.
#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/moments_internal.h"
#include "collision/shape/shape_traits_internal.h"

#include <stddef.h>

// Gauss's rule on [-1, 1] with eight nodes: exact to degree 15.
static const double gauss_node[4] = {0.18343464249564981, 0.52553240991632899, 0.79666647741362674,
                                     0.96028985649753623};
static const double gauss_weight[4] = {0.36268378337836199, 0.31370664587788729, 0.22238103445337447,
                                       0.10122853629037626};

// Node k of eight on [0, 1] and its weight.
static double gauss_at(int k, double* out_weight) {
    *out_weight = 0.5 * gauss_weight[k % 4];
    return 0.5 + (k < 4 ? 0.5 : -0.5) * gauss_node[k % 4];
}

// The angle, 0 to pi / 2, with the given sine and cosine (to a common factor): halved four times, then the series of
// atan.
static double angle_of(double sine, double cosine) {
    double scale = sqrt(sine * sine + cosine * cosine);
    if (!(scale > 0.0)) return 0.0;
    double s = sine / scale, c = cosine / scale;
    for (int k = 0; k < 4; ++k) {
        double up = 1.0 + c, length = sqrt(up * up + s * s);
        s /= length;
        c = up / length;
    }
    double t = s / c, square = t * t, sum = 0.0;
    for (int k = 17; k >= 1; k -= 2) sum = 1.0 / k - square * sum;
    return 16.0 * t * sum;
}

// The angle, 0 to pi, between two unit vectors.
static double angle_between(ts_vec3 a, ts_vec3 b) {
    return 2.0 * angle_of(ts_vec3_norm(ts_vec3_sub(a, b)), ts_vec3_norm(ts_vec3_add(a, b)));
}

// A closed surface of polygons; vertex_face may be NULL, then every face is looked at.
typedef struct surface {
    const ts_vec3* vertex;
    const ts_vec3* normal;
    const int* face_start;
    const int* face_corner;
    const int* vertex_face_start;
    const int* vertex_face;
    int vertex_count;
    int face_count;
    ts_vec3 origin;  // subtracted from the vertices
} surface;

static ts_vec3 vertex_at(const surface* s, int v) { return ts_vec3_sub(s->vertex[v], s->origin); }

static void add_slab(ts_moments* sum, const surface* s, int face, double r) {
    const int* corner = s->face_corner + s->face_start[face];
    int count = s->face_start[face + 1] - s->face_start[face];
    ts_vec3 up = ts_vec3_scale(r, s->normal[face]);
    ts_vec3 a = vertex_at(s, corner[0]), above_a = ts_vec3_add(a, up);
    for (int k = 1; k + 1 < count; ++k) {
        ts_vec3 b = vertex_at(s, corner[k]), c = vertex_at(s, corner[k + 1]);
        ts_vec3 above_b = ts_vec3_add(b, up), above_c = ts_vec3_add(c, up);
        ts_moments_add_tetrahedron(sum, a, b, c, above_a);
        ts_moments_add_tetrahedron(sum, b, c, above_a, above_b);
        ts_moments_add_tetrahedron(sum, c, above_a, above_b, above_c);
    }
}

// The part of a corner's sector that its solid angle brings.
static void add_solid_angle(ts_moments* sum, ts_vec3 at, double angle, double r) {
    double volume = angle * r * r * r / 3.0;
    sum->volume += volume;
    sum->first = ts_vec3_add_scaled(sum->first, volume, at);
    sum->second = ts_mat3_add(sum->second, ts_mat3_scale(volume, ts_mat3_outer(at, at)));
}

// The wedge along an edge from p to q, `angle` wide on both sides of the unit vector `middle`, and the part of the sectors
// at its ends that depends on it.
static void add_wedge(ts_moments* sum, ts_vec3 p, ts_vec3 q, ts_vec3 middle, double angle, double sine_half,
                      double cosine_half, double r) {
    ts_vec3 along = ts_vec3_sub(q, p), centre = ts_vec3_lerp(p, q, 0.5);
    double length = ts_vec3_norm(along);
    if (!(length > 0.0)) return;
    ts_vec3 side = ts_vec3_cross(ts_vec3_scale(1.0 / length, along), middle);
    double area = 0.5 * angle * r * r;
    ts_vec3 lever = ts_vec3_scale(2.0 / 3.0 * sine_half * r * r * r, middle);
    double round = 0.5 * angle, oval = sine_half * cosine_half, fourth = 0.25 * r * r * r * r;
    ts_mat3 disk = ts_mat3_add(ts_mat3_scale(fourth * (round + oval), ts_mat3_outer(middle, middle)),
                               ts_mat3_scale(fourth * (round - oval), ts_mat3_outer(side, side)));
    sum->volume += area * length;
    sum->first = ts_vec3_add(sum->first, ts_vec3_add_scaled(ts_vec3_scale(area * length, centre), length, lever));
    ts_mat3 line = ts_mat3_add(ts_mat3_outer(centre, centre), ts_mat3_scale(1.0 / 12.0, ts_mat3_outer(along, along)));
    sum->second = ts_mat3_add(sum->second, ts_mat3_scale(area * length, line));
    sum->second = ts_mat3_add(sum->second, ts_mat3_scale(length, ts_moments_mixed(centre, lever)));
    sum->second = ts_mat3_add(sum->second, ts_mat3_scale(length, disk));
    // Unit vectors of the two sectors: angle / 2 along the edge, outwards at either end.
    ts_mat3 ends = ts_mat3_scale(angle / length * fourth, ts_mat3_outer(along, along));
    sum->second = ts_mat3_add(sum->second, ends);
}

// The face in which the edge runs from `from` to `to`; -1 when there is none.
static int face_with_edge(const surface* s, int from, int to) {
    int begin = s->vertex_face ? s->vertex_face_start[from] : 0;
    int end = s->vertex_face ? s->vertex_face_start[from + 1] : s->face_count;
    for (int i = begin; i < end; ++i) {
        int f = s->vertex_face ? s->vertex_face[i] : i, first = s->face_start[f], last = s->face_start[f + 1];
        for (int k = first; k < last; ++k)
            if (s->face_corner[k] == from && s->face_corner[k + 1 < last ? k + 1 : first] == to) return f;
    }
    return -1;
}

static void add_corner_and_edge(ts_moments* sum, const surface* s, int face, int k, double r) {
    int first = s->face_start[face], end = s->face_start[face + 1];
    int from = s->face_corner[k], to = s->face_corner[k + 1 < end ? k + 1 : first];
    int before = s->face_corner[k > first ? k - 1 : end - 1];
    ts_vec3 p = vertex_at(s, from), q = vertex_at(s, to), n = s->normal[face];
    ts_vec3 ahead = ts_vec3_unit_or(ts_vec3_sub(q, p), n);
    ts_vec3 behind = ts_vec3_unit_or(ts_vec3_sub(vertex_at(s, before), p), n);
    add_solid_angle(sum, p, -angle_between(ahead, behind), r);
    if (from > to) return;  // the other face sees to it
    int other = face_with_edge(s, to, from);
    if (other < 0) return;
    double sine = 0.5 * ts_vec3_norm(ts_vec3_sub(n, s->normal[other]));
    double cosine = 0.5 * ts_vec3_norm(ts_vec3_add(n, s->normal[other]));
    ts_vec3 outward = ts_vec3_cross(ahead, n);  // from this face towards the other one's normal
    ts_vec3 middle = ts_vec3_add_scaled(ts_vec3_scale(cosine, n), sine, outward);
    add_wedge(sum, p, q, middle, 2.0 * angle_of(sine, cosine), sine, cosine, r);
}

static void add_ball(ts_moments* sum, double r) {
    double square = 4.0 * TS_PI / 15.0 * r * r * r * r * r;
    sum->second = ts_mat3_add(sum->second, ts_mat3_diagonal(ts_vec3_make(square, square, square)));
}

static void add_surface(ts_moments* sum, const surface* s, double r) {
    for (int f = 0; f < s->face_count; ++f) {
        add_slab(sum, s, f, r);
        for (int k = s->face_start[f]; k < s->face_start[f + 1]; ++k) add_corner_and_edge(sum, s, f, k, r);
    }
    for (int v = 0; v < s->vertex_count; ++v) add_solid_angle(sum, vertex_at(s, v), 2.0 * TS_PI, r);
    add_ball(sum, r);
}

// A segment or a point.
static void add_thin(ts_moments* sum, const ts_vec3* vertex, int count, ts_vec3 origin, double r) {
    for (int v = 0; v < count; ++v) add_solid_angle(sum, ts_vec3_sub(vertex[v], origin), 4.0 * TS_PI / count, r);
    add_ball(sum, r);
    if (count < 2) return;
    ts_vec3 along = ts_vec3_unit_or(ts_vec3_sub(vertex[1], vertex[0]), ts_vec3_axis(2));
    add_wedge(sum, ts_vec3_sub(vertex[0], origin), ts_vec3_sub(vertex[1], origin), ts_vec3_orthogonal(along),
              2.0 * TS_PI, 0.0, -1.0, r);
}

// A shape without its ball, as moments about `from`.
static ts_moments begin_with(const ts_shape* shape, ts_vec3 from) {
    ts_moments sum = ts_moments_none();
    ts_transform moved = ts_transform_identity();
    moved.p = ts_vec3_neg(from);
    ts_shape core = *shape;
    core.radius = 0.0;
    ts_mass_properties mass = ts_shape_mass_properties(&core);
    ts_moments_add(&sum, &mass, &moved);
    return sum;
}

static ts_mass_properties end_with(const ts_moments* sum, ts_vec3 from) {
    ts_mass_properties mass = ts_moments_mass(sum);
    mass.centre = ts_vec3_add(mass.centre, from);
    return mass;
}

ts_mass_properties ts_mass_rounded_hull(const ts_shape* shape) {
    const ts_hull* hull = shape->hull;
    double r = shape->radius;
    ts_moments sum = begin_with(shape, hull->centre);
    if (hull->rank < 2) {
        add_thin(&sum, hull->vertex, hull->vertex_count, hull->centre, r);
    } else {
        surface s = {hull->vertex,       hull->face_normal,       hull->face_start,
                     hull->face_corner,  hull->vertex_face_start, hull->vertex_face,
                     hull->vertex_count, hull->face_count,        hull->centre};
        add_surface(&sum, &s, r);
    }
    return end_with(&sum, hull->centre);
}

ts_mass_properties ts_mass_rounded_box(const ts_shape* shape) {
    static const int start[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    ts_moments sum = begin_with(shape, ts_vec3_zero());
    ts_vec3 vertex[8], normal[6];
    for (int i = 0; i < 8; ++i) ts_shape_traits_of(shape)->vertex(shape, i, &vertex[i]);
    for (int f = 0; f < 6; ++f) normal[f] = ts_vec3_scale(f % 2 ? 1.0 : -1.0, ts_vec3_axis(f / 2));
    surface s = {vertex, normal, start, corner, NULL, NULL, 8, 6, ts_vec3_zero()};
    add_surface(&sum, &s, shape->radius);
    return end_with(&sum, ts_vec3_zero());
}

ts_mass_properties ts_mass_rounded_triangle(const ts_shape* shape) {
    const ts_vec3* vertex = shape->triangle;
    double r = shape->radius;
    static const int start[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 2, 1, 0};
    ts_moments sum = ts_moments_none();
    ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(vertex[1], vertex[0]), ts_vec3_sub(vertex[2], vertex[0]));
    ts_vec3 n = ts_vec3_unit_or(turn, ts_vec3_axis(2));
    const ts_vec3 normal[2] = {n, ts_vec3_neg(n)};
    surface s = {vertex, normal, start, corner, NULL, NULL, 3, 2, vertex[0]};
    add_surface(&sum, &s, r);
    return end_with(&sum, vertex[0]);
}

// A turned profile: integrals over the body of 1, z, z^2 and x^2 + y^2, from those of rho^2 dz and rho^4 dz along it.
typedef struct turned {
    double one, z, zz, across;
} turned;

static void add_profile_point(turned* sum, double rho, double z, double dz) {
    double disk = TS_PI * rho * rho * dz;
    sum->one += disk;
    sum->z += disk * z;
    sum->zz += disk * z * z;
    sum->across += 0.5 * disk * rho * rho;
}

static void add_line(turned* sum, double rho0, double z0, double rho1, double z1) {
    for (int k = 0; k < 8; ++k) {
        double weight, t = gauss_at(k, &weight);
        add_profile_point(sum, rho0 + t * (rho1 - rho0), z0 + t * (z1 - z0), weight * (z1 - z0));
    }
}

// The arc of radius r about (rho, z) from unit normal (u0, v0) to (u1, v1), halved until it is short.
static void add_arc(turned* sum, double rho, double z, double r, const double n0[2], const double n1[2], int halvings) {
    if (halvings > 0) {
        // The middle lies outwards: on a cone's rim the normals are more than a right angle apart, never half a turn.
        double u = n0[0] + n1[0], v = n0[1] + n1[1], length = sqrt(u * u + v * v);
        const double middle[2] = {u / length, v / length};
        add_arc(sum, rho, z, r, n0, middle, halvings - 1);
        add_arc(sum, rho, z, r, middle, n1, halvings - 1);
        return;
    }
    double du = n1[0] - n0[0], dv = n1[1] - n0[1];
    for (int k = 0; k < 8; ++k) {
        double weight, t = gauss_at(k, &weight), u = n0[0] + t * du, v = n0[1] + t * dv;
        double length = sqrt(u * u + v * v);
        u /= length;
        v /= length;
        double turn = (dv - v * (u * du + v * dv)) / length;  // dv/dt of the unit normal
        add_profile_point(sum, rho + r * u, z + r * v, weight * r * turn);
    }
}

static ts_mass_properties end_turned(const turned* t) {
    ts_moments sum = ts_moments_none();
    sum.volume = t->one;
    sum.first.z = t->z;
    sum.second = ts_mat3_diagonal(ts_vec3_make(0.5 * t->across, 0.5 * t->across, t->zz));
    return ts_moments_mass(&sum);
}

static const double down[2] = {0.0, -1.0}, out[2] = {1.0, 0.0}, up[2] = {0.0, 1.0};

ts_mass_properties ts_mass_rounded_cylinder(const ts_shape* shape) {
    ts_vec3 half = shape->half;
    double r = shape->radius;
    turned t = {0.0, 0.0, 0.0, 0.0};
    add_arc(&t, half.x, -half.z, r, down, out, 3);
    add_line(&t, half.x + r, -half.z, half.x + r, half.z);
    add_arc(&t, half.x, half.z, r, out, up, 3);
    return end_turned(&t);
}

ts_mass_properties ts_mass_rounded_cone(const ts_shape* shape) {
    double width = shape->half.x, h = shape->half.z, r = shape->radius, slant = sqrt(4.0 * h * h + width * width);
    turned t = {0.0, 0.0, 0.0, 0.0};
    const double side[2] = {2.0 * h / slant, width / slant};
    add_arc(&t, width, -h, r, down, side, 3);
    add_line(&t, width + r * side[0], -h + r * side[1], r * side[0], h + r * side[1]);
    add_arc(&t, 0.0, h, r, side, up, 3);
    return end_turned(&t);
}

// One point of the sphere, standing for `weight` of it in each of the eight octants.
static void add_shell_point(ts_moments* sum, ts_vec3 axes, ts_vec3 at, double weight, double r) {
    double abc = axes.x * axes.y * axes.z;
    ts_vec3 x = ts_vec3_mul(axes, at), w = ts_vec3_make(at.x / axes.x, at.y / axes.y, at.z / axes.z);
    double q = ts_vec3_norm(w);
    ts_vec3 n = ts_vec3_scale(1.0 / q, w);
    double area = 8.0 * weight * abc * q;
    double mean = (ts_vec3_norm_squared(axes) - ts_vec3_norm_squared(x)) / (abc * abc * q * q * q);  // k1 + k2
    double gauss = 1.0 / (abc * abc * q * q * q * q);                                                // k1 k2
    const double power[6] = {0.0, r, r * r / 2.0, r * r * r / 3.0, r * r * r * r / 4.0, r * r * r * r * r / 5.0};
    double one = area * (power[1] + mean * power[2] + gauss * power[3]);
    double two = area * (power[2] + mean * power[3] + gauss * power[4]);
    double three = area * (power[3] + mean * power[4] + gauss * power[5]);
    sum->volume += one;
    ts_vec3 squares = ts_vec3_add_scaled(ts_vec3_scale(one, ts_vec3_mul(x, x)), 2.0 * two, ts_vec3_mul(x, n));
    squares = ts_vec3_add_scaled(squares, three, ts_vec3_mul(n, n));
    sum->second = ts_mat3_add(sum->second, ts_mat3_diagonal(squares));
}

ts_mass_properties ts_mass_rounded_ellipsoid(const ts_shape* shape) {
    enum { PANELS = 16 };
    ts_moments sum = begin_with(shape, ts_vec3_zero());
    for (int i = 0; i < 8 * PANELS; ++i) {
        int ring = i / 8;
        double weight, z = (ring + gauss_at(i % 8, &weight)) / PANELS, across = sqrt(1.0 - z * z);
        for (int j = 0; j < 8 * PANELS; ++j) {
            int piece = j / 8;
            // The quarter turn as a chord from x to y, thrown onto the circle.
            double part, t = (piece + gauss_at(j % 8, &part)) / PANELS, u = 1.0 - t, square = u * u + t * t;
            double length = sqrt(square);
            ts_vec3 at = ts_vec3_make(across * u / length, across * t / length, z);
            add_shell_point(&sum, shape->half, at, weight * part / square / (PANELS * PANELS), shape->radius);
        }
    }
    return end_with(&sum, ts_vec3_zero());
}
