// What a medium does to one shape, in the shape's axes, and how that answers.
//
// Problem: force and couple from velocity and spin against the medium, what of them slows down as a matrix, and the slopes of all these.
// Rule: a force f at its centre and a couple g from its velocity v less the wind's and its spin w. The box of half sides r that has a body's inertia:
//
//     f_i = -6 pi beta s v_i - 2 rho r_j r_k |v_i| v_i,   g_i = -8 pi beta s^3 w_i - rho/2 r_i (r_j^4 + r_k^4) |w_i| w_i,   s = mean of r.
//
// An ellipsoid of half axes r, with coefficients c: drag and viscosity, Magnus' and Kutta's lift, and of the medium's own inertia
// (m_A, I_A per density) what depends on velocities:
//
//     f = -(6 pi beta s + rho |v| (c_blunt A + c_slender (A_max - A))) v + c_magnus rho V w x v + f_K + rho (m_A v) x w
//     g = -(8 pi beta s^3 + rho |(c_angular I + c_slender (I_max - I)) w|) w + rho (m_A v) x v + rho (I_A w) x w
//     f_K = c_kutta rho cos(alpha) A (n x v) x v,
//
// A the area that v sees, n the normal there, not of unit length, I_i = 8/15 pi r_i max(r_j, r_k)^4.
// Slopes are taken along a direction, term by term.
// Source: MuJoCo's documentation, chapter Fluid forces; Andersen, Pesavento and Wang 2005 for the terms. Slopes: derived here.
// Known failure: where a velocity is zero |v| v is smooth once, and what slows down has a kink.
#include <math.h>

#include "base/scalar.h"
#include "engine/dynamics/fluid_internal.h"

static double fourth(double x) { return x * x * x * x; }

static ts_fluid_pressure press_box(const ts_options* o, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w) {
    double r[3], speed[3], spin[3], force[3], couple[3], drag[3], turn[3];
    ts_vec3_store(shape->half, r);
    ts_vec3_store(v, speed);
    ts_vec3_store(w, spin);
    double s = (r[0] + r[1] + r[2]) / 3.0;
    double slow = 6.0 * TS_PI * o->viscosity * s, slow_turn = 8.0 * TS_PI * o->viscosity * s * s * s;
    for (int i = 0; i < 3; ++i) {
        double p = r[(i + 1) % 3], q = r[(i + 2) % 3];
        double quadratic = 2.0 * o->density * p * q * fabs(speed[i]);
        double quadratic_turn = 0.5 * o->density * r[i] * (fourth(p) + fourth(q)) * fabs(spin[i]);
        force[i] = -(slow + quadratic) * speed[i];
        couple[i] = -(slow_turn + quadratic_turn) * spin[i];
        drag[i] = slow + 2.0 * quadratic;
        turn[i] = slow_turn + 2.0 * quadratic_turn;
    }
    return (ts_fluid_pressure){ts_vec3_load(force), ts_vec3_load(couple), ts_mat3_diagonal(ts_vec3_load(drag)),
                               ts_mat3_diagonal(ts_vec3_load(turn))};
}

// slow + fast |x|, as the derivative of (slow + fast |x|) x with fast held: never negative.
static ts_mat3 slope(double slow, double fast, ts_vec3 x) {
    double size = ts_vec3_norm(x);
    ts_mat3 D = ts_mat3_diagonal(ts_vec3_make(slow + fast * size, slow + fast * size, slow + fast * size));
    return size > 0.0 ? ts_mat3_add(D, ts_mat3_scale(fast / size, ts_mat3_outer(x, x))) : D;
}

// Drag of an ellipsoid's spin, per density: |(c_angular I + c_slender (I_max - I)) w|.
static double spin_drag(const ts_fluid_shape* shape, const double r[3], double middle, double most, ts_vec3 w) {
    double spin[3], moment[3], greatest = 8.0 / 15.0 * TS_PI * middle * fourth(most);
    ts_vec3_store(w, spin);
    for (int i = 0; i < 3; ++i) {
        double own = 8.0 / 15.0 * TS_PI * r[i] * fourth(fmax(r[(i + 1) % 3], r[(i + 2) % 3]));
        moment[i] = spin[i] * (shape->coefficient[TS_FLUID_ANGULAR] * own +
                               shape->coefficient[TS_FLUID_SLENDER] * (greatest - own));
    }
    return ts_vec3_norm(ts_vec3_load(moment));
}

static ts_fluid_pressure press_ellipsoid(const ts_options* o, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w) {
    const double *c = shape->coefficient, rho = o->density;
    double r[3];
    ts_vec3_store(shape->half, r);
    double most = fmax(r[0], fmax(r[1], r[2])), least = fmin(r[0], fmin(r[1], r[2]));
    double middle = r[0] + r[1] + r[2] - most - least, s = (r[0] + r[1] + r[2]) / 3.0, speed = ts_vec3_norm(v);
    double volume = 4.0 / 3.0 * TS_PI * r[0] * r[1] * r[2], widest = TS_PI * most * middle;
    ts_vec3 across = ts_vec3_make(r[1] * r[2], r[2] * r[0], r[0] * r[1]);
    ts_vec3 squared = ts_vec3_mul(across, across), n = ts_vec3_mul(squared, v);
    double above = ts_vec3_dot(n, n), below = ts_vec3_dot(n, v);
    double area = below > 0.0 ? TS_PI * sqrt(above / below) : 0.0;
    double cosine = speed * above > 0.0 ? below / (speed * above) : 0.0;
    ts_vec3 circulation = ts_vec3_scale(c[TS_FLUID_KUTTA] * rho * cosine * area, ts_vec3_cross(n, v));
    ts_vec3 momentum = ts_vec3_scale(rho, ts_vec3_mul(shape->added_mass, v));
    ts_vec3 spin_momentum = ts_vec3_scale(rho, ts_vec3_mul(shape->added_inertia, w));
    double slow = 6.0 * TS_PI * s * o->viscosity, slow_turn = 8.0 * TS_PI * s * s * s * o->viscosity;
    double drag = rho * (c[TS_FLUID_BLUNT] * area + c[TS_FLUID_SLENDER] * (widest - area));
    double turn_drag = rho * spin_drag(shape, r, middle, most, w), turn = ts_vec3_norm(w);
    ts_fluid_pressure out;
    out.force = ts_vec3_scale(-slow - drag * speed, v);
    out.force = ts_vec3_add_scaled(out.force, c[TS_FLUID_MAGNUS] * rho * volume, ts_vec3_cross(w, v));
    out.force = ts_vec3_add(out.force, ts_vec3_cross(circulation, v));
    out.force = ts_vec3_add(out.force, ts_vec3_cross(momentum, w));
    out.couple = ts_vec3_scale(-slow_turn - turn_drag, w);
    out.couple = ts_vec3_add(out.couple, ts_vec3_cross(momentum, v));
    out.couple = ts_vec3_add(out.couple, ts_vec3_cross(spin_momentum, w));
    out.drag = slope(slow, fmax(drag, 0.0), v);
    out.turn_drag = slope(slow_turn, turn > 0.0 ? turn_drag / turn : 0.0, w);
    return out;
}

ts_fluid_pressure ts_fluid_press(const ts_options* options, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w) {
    return shape->is_box ? press_box(options, shape, v, w) : press_ellipsoid(options, shape, v, w);
}

// --- slopes ---

static ts_fluid_pressure box_slope(const ts_options* o, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w, ts_vec3 dv,
                                   ts_vec3 dw) {
    ts_fluid_pressure at = press_box(o, shape, v, w);
    ts_vec3 force = ts_vec3_neg(ts_mat3_mul_vec(&at.drag, dv)),
            couple = ts_vec3_neg(ts_mat3_mul_vec(&at.turn_drag, dw));
    double r[3], drag[3], turn[3];
    ts_vec3_store(shape->half, r);
    for (int i = 0; i < 3; ++i) {
        double p = r[(i + 1) % 3], q = r[(i + 2) % 3], vi = ts_vec3_get(v, i), wi = ts_vec3_get(w, i);
        drag[i] = 4.0 * o->density * p * q * (vi < 0.0 ? -1.0 : 1.0) * ts_vec3_get(dv, i);
        turn[i] = o->density * r[i] * (fourth(p) + fourth(q)) * (wi < 0.0 ? -1.0 : 1.0) * ts_vec3_get(dw, i);
    }
    return (ts_fluid_pressure){force, couple, ts_mat3_diagonal(ts_vec3_load(drag)),
                               ts_mat3_diagonal(ts_vec3_load(turn))};
}

// Of slope(slow, fast, x), by x and by fast.
static ts_mat3 slope_slope(double fast, double fast_slope, ts_vec3 x, ts_vec3 dx) {
    double size = ts_vec3_norm(x);
    if (!(size > 0.0)) return ts_mat3_zero();
    double rate = ts_vec3_dot(x, dx) / size, plain = fast_slope * size + fast * rate;
    ts_mat3 D = ts_mat3_diagonal(ts_vec3_make(plain, plain, plain));
    ts_mat3 both = ts_mat3_add(ts_mat3_outer(x, dx), ts_mat3_outer(dx, x));
    D = ts_mat3_add(D, ts_mat3_scale(fast_slope / size - fast * rate / (size * size), ts_mat3_outer(x, x)));
    return ts_mat3_add(D, ts_mat3_scale(fast / size, both));
}

// An area that v sees, the cosine of what it is seen under, and their slopes along dv.
typedef struct sight {
    ts_vec3 n, n_slope;
    double area, area_slope, cosine, cosine_slope;
} sight;

static sight look(const double r[3], ts_vec3 v, ts_vec3 dv) {
    sight s = {ts_vec3_zero(), ts_vec3_zero(), 0.0, 0.0, 0.0, 0.0};
    ts_vec3 across = ts_vec3_make(r[1] * r[2], r[2] * r[0], r[0] * r[1]), squared = ts_vec3_mul(across, across);
    s.n = ts_vec3_mul(squared, v);
    s.n_slope = ts_vec3_mul(squared, dv);
    double above = ts_vec3_dot(s.n, s.n), below = ts_vec3_dot(s.n, v), speed = ts_vec3_norm(v);
    if (!(below > 0.0) || !(speed * above > 0.0)) return s;
    double by_above = 2.0 * ts_vec3_dot(s.n, s.n_slope) / above, by_below = 2.0 * ts_vec3_dot(s.n, dv) / below;
    s.area = TS_PI * sqrt(above / below);
    s.area_slope = 0.5 * s.area * (by_above - by_below);
    s.cosine = below / (speed * above);
    s.cosine_slope = s.cosine * (by_below - by_above - ts_vec3_dot(v, dv) / (speed * speed));
    return s;
}

// |K w| and its slope along dw, K as in spin_drag.
static double spin_slope(const ts_fluid_shape* shape, const double r[3], double middle, double most, ts_vec3 w,
                         ts_vec3 dw, double* out_size) {
    double size = spin_drag(shape, r, middle, most, w), sum = 0.0;
    *out_size = size;
    for (int i = 0; i < 3 && size > 0.0; ++i) {
        double own = spin_drag(shape, r, middle, most, ts_vec3_axis(i));
        sum += own * own * ts_vec3_get(w, i) * ts_vec3_get(dw, i) / size;
    }
    return sum;
}

static ts_fluid_pressure ellipsoid_slope(const ts_options* o, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w,
                                         ts_vec3 dv, ts_vec3 dw) {
    const double *c = shape->coefficient, rho = o->density;
    double r[3], turn_size;
    ts_vec3_store(shape->half, r);
    double most = fmax(r[0], fmax(r[1], r[2])), least = fmin(r[0], fmin(r[1], r[2]));
    double middle = r[0] + r[1] + r[2] - most - least, s = (r[0] + r[1] + r[2]) / 3.0;
    double magnus = c[TS_FLUID_MAGNUS] * rho * 4.0 / 3.0 * TS_PI * r[0] * r[1] * r[2];
    double slow = 6.0 * TS_PI * s * o->viscosity, slow_turn = 8.0 * TS_PI * s * s * s * o->viscosity;
    double speed = ts_vec3_norm(v), turn = ts_vec3_norm(w);
    double speed_slope = speed > 0.0 ? ts_vec3_dot(v, dv) / speed : 0.0;
    sight seen = look(r, v, dv);
    double wide = TS_PI * most * middle - seen.area;
    double drag = rho * (c[TS_FLUID_BLUNT] * seen.area + c[TS_FLUID_SLENDER] * wide);
    double drag_slope = rho * (c[TS_FLUID_BLUNT] - c[TS_FLUID_SLENDER]) * seen.area_slope;
    ts_vec3 lift = ts_vec3_cross(seen.n, v);
    ts_vec3 lift_slope = ts_vec3_add(ts_vec3_cross(seen.n_slope, v), ts_vec3_cross(seen.n, dv));
    double kutta = c[TS_FLUID_KUTTA] * rho;
    ts_vec3 circulation = ts_vec3_scale(kutta * seen.cosine * seen.area, lift);
    ts_vec3 circulation_slope = ts_vec3_scale(kutta * seen.cosine * seen.area, lift_slope);
    circulation_slope = ts_vec3_add_scaled(
        circulation_slope, kutta * (seen.cosine_slope * seen.area + seen.cosine * seen.area_slope), lift);
    ts_vec3 p = ts_vec3_scale(rho, ts_vec3_mul(shape->added_mass, v));
    ts_vec3 dp = ts_vec3_scale(rho, ts_vec3_mul(shape->added_mass, dv));
    ts_vec3 l = ts_vec3_scale(rho, ts_vec3_mul(shape->added_inertia, w));
    ts_vec3 dl = ts_vec3_scale(rho, ts_vec3_mul(shape->added_inertia, dw));
    double turn_slope = rho * spin_slope(shape, r, middle, most, w, dw, &turn_size), turn_drag = rho * turn_size;
    ts_fluid_pressure out;
    out.force = ts_vec3_scale(-slow - drag * speed, dv);
    out.force = ts_vec3_add_scaled(out.force, -drag_slope * speed - drag * speed_slope, v);
    out.force = ts_vec3_add_scaled(out.force, magnus, ts_vec3_add(ts_vec3_cross(dw, v), ts_vec3_cross(w, dv)));
    out.force =
        ts_vec3_add(out.force, ts_vec3_add(ts_vec3_cross(circulation_slope, v), ts_vec3_cross(circulation, dv)));
    out.force = ts_vec3_add(out.force, ts_vec3_add(ts_vec3_cross(dp, w), ts_vec3_cross(p, dw)));
    out.couple = ts_vec3_scale(-slow_turn - turn_drag, dw);
    out.couple = ts_vec3_add_scaled(out.couple, -turn_slope, w);
    out.couple = ts_vec3_add(out.couple, ts_vec3_add(ts_vec3_cross(dp, v), ts_vec3_cross(p, dv)));
    out.couple = ts_vec3_add(out.couple, ts_vec3_add(ts_vec3_cross(dl, w), ts_vec3_cross(l, dw)));
    out.drag = slope_slope(fmax(drag, 0.0), drag > 0.0 ? drag_slope : 0.0, v, dv);
    // fast = |K w| / |w|
    double fast = turn > 0.0 ? turn_drag / turn : 0.0;
    double fast_slope = turn > 0.0 ? (turn_slope - fast * ts_vec3_dot(w, dw) / turn) / turn : 0.0;
    out.turn_drag = slope_slope(fast, fast_slope, w, dw);
    return out;
}

ts_fluid_pressure ts_fluid_press_slope(const ts_options* options, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w,
                                       ts_vec3 dv, ts_vec3 dw) {
    return shape->is_box ? box_slope(options, shape, v, w, dv, dw) : ellipsoid_slope(options, shape, v, w, dv, dw);
}
