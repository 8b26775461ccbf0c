// What the surrounding medium presses on, for engine/dynamics/fluid.c: of every body that can move the box that has its inertia, or, where some of
// its geoms ask for it, their ellipsoids.
//
// The box: half sides sqrt(3 (I_j + I_k - I_i) / (2 m)) along the principal axes. Which axes those are is the user's to say where moments are
// equal: those of <inertial>, or of the only geom that weighs.
// Added mass and inertia of an ellipsoid: kappa_i = r_x r_y r_z int_0^inf dl / ((r_i^2 + l) sqrt(prod (r^2 + l))) = 2/3 r_x r_y r_z R_D(r_j^2,
// r_k^2; r_i^2), m_i = V kappa_i / (2 - kappa_i) and, about axis i, V/5 (r_j^2 - r_k^2)^2 |kappa_k - kappa_j| over |2 (r_j^2 - r_k^2) +
// (r_j^2 + r_k^2) (kappa_j - kappa_k)|, both per density.
// Source: Tuckerman 1925; MuJoCo's documentation, chapter Fluid forces; Carlson 1995 for R_D. MuJoCo sums kappa by 15 points: its added masses are
// off by 1e-7 for round shapes, by 1e-2 where an axis is a hundredth of another.
#include "engine/model/builder_internal.h"

#include "base/scalar.h"

#include <math.h>
#include <string.h>

// 1: of thinner ellipsoids the denominators are rounding.
static const double least_denominator = 1e-14;

// Carlson's R_D(x, y, z) by duplication, to rounding; x, y, z > 0.
static double carlson_rd(double x, double y, double z) {
    double sum = 0.0, factor = 1.0;
    // Each round brings the three four times as close; the series then leaves a sixth power.
    for (int i = 0; i < 60; ++i) {
        double mean = 0.2 * (x + y + 3.0 * z);
        if (fmax(fabs(mean - x), fmax(fabs(mean - y), fabs(mean - z))) < 1e-3 * mean) break;
        double l = sqrt(x * y) + sqrt(y * z) + sqrt(z * x);
        sum += factor / (sqrt(z) * (z + l));
        factor *= 0.25;
        x = 0.25 * (x + l);
        y = 0.25 * (y + l);
        z = 0.25 * (z + l);
    }
    double m = 0.2 * (x + y + 3.0 * z), X = (m - x) / m, Y = (m - y) / m, Z = (m - z) / m;
    double ea = X * Y, eb = Z * Z, ec = ea - eb, ed = ea - 6.0 * eb, ee = ed + 2.0 * ec;
    double series = 1.0 + ed * (-3.0 / 14.0 + 9.0 / 88.0 * ed - 4.5 / 26.0 * Z * ee) +
                    Z * (ee / 6.0 + Z * (-9.0 / 22.0 * ec + 3.0 / 26.0 * Z * ea));
    return 3.0 * sum + factor * series / (m * sqrt(m));
}

static void add_masses(ts_fluid_shape* shape) {
    double r[3], kappa[3], mass[3], turn[3];
    ts_vec3_store(shape->half, r);
    double product = r[0] * r[1] * r[2], volume = 4.0 / 3.0 * TS_PI * product;
    for (int i = 0; i < 3; ++i) {
        double j = r[(i + 1) % 3], k = r[(i + 2) % 3];
        kappa[i] = 2.0 / 3.0 * product * carlson_rd(j * j, k * k, r[i] * r[i]);
        mass[i] = volume * kappa[i] / fmax(least_denominator, 2.0 - kappa[i]);
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double p = r[j] * r[j], q = r[k] * r[k], between = kappa[j] - kappa[k];
        double below = fabs(2.0 * (p - q) + (p + q) * between);
        turn[i] = 0.2 * volume * (p - q) * (p - q) * fabs(between) / fmax(least_denominator * product, below);
    }
    shape->added_mass = ts_vec3_load(mass);
    shape->added_inertia = ts_vec3_load(turn);
}

// Half sides of the box of that mass with these moments.
static ts_vec3 box_of(double mass, ts_vec3 moment) {
    double i[3], half[3];
    ts_vec3_store(moment, i);
    for (int k = 0; k < 3; ++k) half[k] = sqrt(1.5 / mass * fmax(1e-15, i[(k + 1) % 3] + i[(k + 2) % 3] - i[k]));
    return ts_vec3_load(half);
}

ts_quat ts_builder_principal_axes(const ts_mat3* inertia) {
    ts_vec3 moment;
    ts_mat3 axes;
    const double(*I)[3] = inertia->m;
    if (I[0][1] == 0.0 && I[0][2] == 0.0 && I[1][2] == 0.0) return ts_quat_identity();
    ts_mat3_eigen_symmetric(inertia, &moment, &axes);
    if (ts_vec3_dot(ts_mat3_column(&axes, 0), ts_vec3_cross(ts_mat3_column(&axes, 1), ts_mat3_column(&axes, 2))) < 0.0)
        for (int r = 0; r < 3; ++r) axes.m[r][2] = -axes.m[r][2];
    return ts_quat_normalize(ts_quat_from_mat3(&axes));
}

static ts_vec3 moments_along(ts_mat3 inertia, ts_quat axes) {
    ts_mat3 turned = ts_mat3_rotate_tensor(ts_quat_to_mat3(ts_quat_conjugate(axes)), inertia);
    return ts_vec3_make(turned.m[0][0], turned.m[1][1], turned.m[2][2]);
}

// The ellipsoid that stands for a geom: its own numbers, or, of what is made of other things, that of the box with its inertia.
static ts_fluid_shape ellipsoid_of(const ts_builder_geom* geom) {
    const ts_geom_def* def = &geom->def;
    const ts_shape* shape = &def->shape;
    ts_fluid_shape out = {.pose = def->pose};
    double size[3];
    for (int i = 0; i < 3; ++i)
        size[i] = i < ts_shape_kind_info_of(shape->kind)->parameter_count ? ts_shape_value(shape, i) : 0.0;
    memcpy(out.coefficient, def->fluid_coefficient, sizeof out.coefficient);
    switch (shape->kind) {
    case TS_SHAPE_SPHERE: out.half = ts_vec3_make(size[0], size[0], size[0]); break;
    case TS_SHAPE_CAPSULE: out.half = ts_vec3_make(size[0], size[0], size[0] + size[1]); break;
    case TS_SHAPE_CYLINDER: out.half = ts_vec3_make(size[0], size[0], size[1]); break;
    case TS_SHAPE_BOX:
    case TS_SHAPE_ELLIPSOID: out.half = ts_vec3_load(size); break;
    default: {
        ts_mass_properties solid = geom->has_solid ? geom->solid : ts_shape_mass_properties(shape);
        ts_quat axes = ts_builder_principal_axes(&solid.inertia);
        out.pose = ts_pose_mul(def->pose, (ts_pose){solid.centre, axes});
        out.half = solid.volume > 0.0 ? box_of(solid.volume, moments_along(solid.inertia, axes)) : ts_vec3_zero();
    }
    }
    if (out.half.x > 0.0 && out.half.y > 0.0 && out.half.z > 0.0) add_masses(&out);
    return out;
}

int ts_builder_lay_out_fluid(const ts_builder* builder, ts_arena* arena, ts_model* model, ts_body* body) {
    int count = 0;
    ts_fluid_shape* shape = (ts_fluid_shape*)ts_arena_alloc_zeroed(
        arena, (size_t)(builder->body.count + builder->geom.count), sizeof *shape);
    const ts_builder_geom** of_geom = TS_ARENA_ARRAY(arena, const ts_builder_geom*, builder->geom.count);
    if (!shape || !of_geom) return 0;
    for (int i = 0; i < builder->geom.count; ++i) {
        const ts_builder_geom* geom = &builder->geom.data[i];
        of_geom[geom->index] = geom;
        if (geom->def.fluid_ellipsoid) ++body[geom->def.body].fluid_count;
    }
    for (int b = 1; b < builder->body.count; ++b) {
        const ts_body_def* def = &builder->body.data[b].def;
        int ellipsoids = body[b].fluid_count;
        body[b].fluid_first = count;
        body[b].fluid_count = 0;
        // What weighs nothing is let be, as MuJoCo does.
        if (body[b].tree < 0 || !(def->mass > 1e-15)) continue;
        if (!ellipsoids) {
            ts_quat axes = def->has_axes ? def->axes : ts_builder_principal_axes(&def->inertia);
            shape[count].pose = (ts_pose){def->centre, axes};
            shape[count].is_box = 1;
            shape[count].geom = -1;
            shape[count++].half = box_of(def->mass, moments_along(def->inertia, axes));
        } else {
            for (int g = body[b].geom_first; g < body[b].geom_first + body[b].geom_count; ++g) {
                if (!of_geom[g]->def.fluid_ellipsoid) continue;
                shape[count] = ellipsoid_of(of_geom[g]);
                shape[count++].geom = g;
            }
        }
        body[b].fluid_count = count - body[b].fluid_first;
    }
    model->fluid = shape;
    model->fluid_count = count;
    return 1;
}
