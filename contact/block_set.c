// The sets that impulses live in: projection and its derivative, and what a set admits.
//
// Problem: the nearest point of { |x_T| <= mu x_N }, of x >= 0, of low <= x <= high, of all numbers to x, and how it changes
// with x.
// Rule: a circular cone has its answer in the plane through x and the axis; there the boundary is a ray, and the nearest
// point on it an ordinary projection on a line. Three zones: inside, in the polar cone (answer 0), between. In the last
// one, with t = |x_T| and w = x_T / t, P = z (mu w, 1) with z = (mu t + x_N) / (1 + mu^2), which is differentiated.
// Source: textbook convex analysis. The distance to the dual K* goes with it: x = P_K(x) - P_K*(-x) (Moreau).
// Guaranteed: mu = 0 needs no special case; a NaN is not lost. Known to fail: components beyond 1e153 overflow in t^2.
#include "contact/block_set_internal.h"

#include <string.h>

#include "base/scalar.h"

// Friction under it is none to methods that need an interior: the cone would be a needle.
static const double least_friction = 1e-7;

const char* ts_block_set_name(ts_block_set set) {
    static const char* const name[] = {"cone", "half-line", "box", "free"};
    return (unsigned)set <= TS_SET_FREE ? name[set] : "unknown";
}

const char* ts_block_set_fault(const ts_block* block) {
    switch (block->set) {
    case TS_SET_CONE:
        if (block->rows != 3 && block->rows != 4 && block->rows != 6) return "a friction cone needs 3, 4 or 6 rows";
        if (!isfinite(block->mu) || block->mu < 0.0) return "friction must be finite and not negative";
        return NULL;
    case TS_SET_HALF_LINE: return block->rows == 1 ? NULL : "a half-line needs exactly 1 row";
    case TS_SET_BOX:
        if (block->rows != 1) return "a box needs exactly 1 row";
        // A side may be open (infinite), but the box must hold at least one finite number.
        if (!(block->low <= block->high)) return "low must not exceed high";
        if (!(block->low < HUGE_VAL) || !(block->high > -HUGE_VAL)) return "the box holds no finite number";
        return NULL;
    case TS_SET_FREE:
        if (block->rows < 1 || block->rows > TS_BLOCK_ROWS_MAX) return "a free block has 1 to 6 rows";
        return NULL;
    }
    return "unknown set";
}

void ts_block_set_project(const ts_block* block, const double* x, double* out_x) {
    if (block->set != TS_SET_CONE) {
        for (int r = 0; r < block->rows; ++r) out_x[r] = ts_block_set_clamp(block, x[r]);
        return;
    }
    double z, s = ts_block_set_project_lengths(ts_block_set_tangent_squared(x, block->rows), x[2], block->mu, &z);
    for (int r = 0; r < block->rows; ++r) out_x[r] = r == 2 ? z : (s == 0.0 ? 0.0 : s * x[r]);
}

int ts_block_set_polygon(int sides, double radius, double* x, double* y) {
    // In the axes of the side whose sector the point is in: along its normal, and along itself.
    double sector = 2.0 * TS_PI / sides, normal = sector * round(atan2(*y, *x) / sector);
    double c = cos(normal), s = sin(normal), a = c * *x + s * *y, b = c * *y - s * *x;
    if (!(a > radius)) return 0;
    double half = radius * tan(0.5 * sector);
    b = b > half ? half : (b < -half ? -half : b);
    *x = c * radius - s * b;
    *y = s * radius + c * b;
    return 1;
}

int ts_block_set_limit_friction(const ts_block* block, ts_friction_shape shape, double* x) {
    if (block->set != TS_SET_CONE) return 0;
    double radius = block->mu * (x[2] > 0.0 ? x[2] : 0.0), s = 1.0;
    int moved = 0;
    if (shape == TS_FRICTION_DISC) {
        s = ts_block_set_disc(ts_block_set_tangent_squared(x, block->rows), radius);
        for (int r = 0; r < block->rows && s != 1.0; ++r)
            if (r != 2) x[r] *= s;
        return s != 1.0;
    }
    int polygon = shape != TS_FRICTION_SQUARE;
    if (polygon) moved = ts_block_set_polygon(shape == TS_FRICTION_OCTAGON ? 8 : 16, radius, x, x + 1);
    for (int r = polygon ? 3 : 0; r < block->rows; ++r) {
        if (r == 2 || !(fabs(x[r]) > radius)) continue;
        x[r] = copysign(radius, x[r]);
        moved = 1;
    }
    return moved;
}

void ts_block_set_admit(const ts_block* block, ts_friction_shape shape, double* x) {
    if (block->set != TS_SET_CONE) {
        ts_block_set_project(block, x, x);
        return;
    }
    x[2] = x[2] > 0.0 ? x[2] : 0.0;
    ts_block_set_limit_friction(block, shape, x);
}

void ts_block_set_least(const ts_block* block, double* out_x) {
    memset(out_x, 0, (size_t)block->rows * sizeof(double));
    ts_block_set_project(block, out_x, out_x);
}

// An impulse that stops an approach; none where nothing moves. A NaN stays.
static double stopping(double approach, double stiffness) { return stiffness <= 0.0 ? 0.0 : approach / stiffness; }

void ts_block_set_push_alone(const ts_block* block, const double* g, const double* stiffness, double* out_x) {
    double mu = block->mu, facets = 2.0 * (block->rows - 1);
    if (block->set != TS_SET_CONE) {
        for (int r = 0; r < block->rows; ++r) out_x[r] = ts_block_set_clamp(block, stopping(-g[r], stiffness[r]));
        return;
    }
    memset(out_x, 0, (size_t)block->rows * sizeof(double));
    for (int r = 0; r < block->rows; ++r) {
        if (r == 2) continue;
        double own = facets * (stiffness[2] + mu * mu * stiffness[r]);
        double with = stopping(ts_worse(0.0, -(g[2] + mu * g[r])), own);
        double against = stopping(ts_worse(0.0, -(g[2] - mu * g[r])), own);
        out_x[r] = mu * (with - against);
        out_x[2] += with + against;
    }
}

static void identity(int rows, double* out) {
    memset(out, 0, (size_t)(rows * rows) * sizeof(double));
    for (int r = 0; r < rows; ++r) out[r * rows + r] = 1.0;
}

static int cone_derivative(const ts_block* block, const double* x, double* out) {
    int rows = block->rows;
    double mu = block->mu, tt = ts_block_set_tangent_squared(x, rows), z = x[2], normal;
    double s = ts_block_set_project_lengths(tt, z, mu, &normal);
    if (s == 0.0 && normal == 0.0) return 0;
    // A cone of slope zero is a ray, and has no inside: then t may be zero.
    if (s == 1.0 && mu > 0.0) {
        identity(rows, out);
        return 1;
    }
    double t = sqrt(tt), share = 1.0 / (1.0 + mu * mu), along = mu * mu * share, inverse = t > 0.0 ? 1.0 / t : 0.0;
    double across = mu * (mu * t + z) * share * inverse;
    for (int i = 0; i < rows; ++i) {
        if (i == 2) continue;
        double wi = x[i] * inverse;
        out[i * rows + 2] = out[2 * rows + i] = mu * wi * share;
        for (int j = 0; j < rows; ++j)
            if (j != 2) out[i * rows + j] = (along - across) * wi * (x[j] * inverse) + (i == j ? across : 0.0);
    }
    out[2 * rows + 2] = share;
    return 1;
}

int ts_block_set_derivative(const ts_block* block, const double* x, double* out_derivative) {
    if (block->set == TS_SET_CONE) return cone_derivative(block, x, out_derivative);
    // Of one row, or free.
    if (ts_block_set_clamp(block, x[0]) != x[0]) return 0;
    identity(block->rows, out_derivative);
    return 1;
}

// Friction in a section of the cone, whose normal row stays.
static ts_friction_shape shape_of(ts_block_moving moving) {
    return moving == TS_MOVING_SQUARE ? TS_FRICTION_SQUARE : TS_FRICTION_DISC;
}

void ts_block_set_project_moving(const ts_block* block, ts_block_moving moving, const double* x, const double* y,
                                 double* out) {
    int cone = block->set == TS_SET_CONE;
    if (moving == TS_MOVING_ALL || (moving == TS_MOVING_NORMAL && !cone)) {
        ts_block_set_project(block, y, out);
        return;
    }
    for (int r = 0; r < block->rows; ++r) out[r] = cone && (r == 2) == (moving == TS_MOVING_NORMAL) ? y[r] : x[r];
    if (!cone) return;
    if (moving == TS_MOVING_NORMAL)
        out[2] = out[2] > 0.0 ? out[2] : 0.0;
    else
        ts_block_set_limit_friction(block, shape_of(moving), out);
}

int ts_block_set_derivative_moving(const ts_block* block, ts_block_moving moving, const double* x, const double* y,
                                   double* out) {
    int rows = block->rows, cone = block->set == TS_SET_CONE, any = 0;
    if (moving == TS_MOVING_ALL || (moving == TS_MOVING_NORMAL && !cone)) return ts_block_set_derivative(block, y, out);
    if (!cone) return 0;
    memset(out, 0, (size_t)(rows * rows) * sizeof(double));
    if (moving == TS_MOVING_NORMAL) {
        out[2 * rows + 2] = y[2] > 0.0 ? 1.0 : 0.0;
        return y[2] > 0.0;
    }
    double radius = block->mu * (x[2] > 0.0 ? x[2] : 0.0), tt = ts_block_set_tangent_squared(y, rows);
    double share = moving == TS_MOVING_DISC ? ts_block_set_disc(tt, radius) : 1.0;
    for (int i = 0; i < rows; ++i) {
        if (i == 2) continue;
        if (moving == TS_MOVING_DISC || fabs(y[i]) <= radius) out[i * rows + i] = share;
        for (int j = 0; j < rows && share < 1.0; ++j)
            if (j != 2) out[i * rows + j] -= share * y[i] * y[j] / tt;
        any = any || out[i * rows + i] != 0.0;
    }
    return radius > 0.0 && any;
}

ts_block ts_block_set_in_units(const ts_block* block, double normal, double tangent) {
    ts_block out = *block;
    if (normal != tangent) out.mu *= normal / tangent;
    out.low /= normal;
    out.high /= normal;
    return out;
}

ts_block_part ts_block_set_part(const ts_block* block, double thin) {
    switch (block->set) {
    case TS_SET_CONE: return block->mu >= least_friction ? TS_PART_CONE : TS_PART_LINE;
    case TS_SET_HALF_LINE: return TS_PART_LINE;
    case TS_SET_FREE: return TS_PART_FREE;
    case TS_SET_BOX: break;
    }
    if (isinf(block->low) && isinf(block->high)) return TS_PART_FREE;
    return block->high - block->low > thin ? TS_PART_BOX : TS_PART_FIXED;
}
