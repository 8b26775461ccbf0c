// Two surfaces become one. The rules are MuJoCo's (chapters Modeling: contact parameters, and Computation: constraint
// model), and for restitution, which it does not have, the larger of both.
#include "engine/model/surface.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// 1: weights under this count as nothing.
static const double least_mix = 1e-15;

ts_surface ts_surface_default(void) {
    ts_surface surface = {.dimension = 3, .friction = 1.0, .friction_spin = 0.005, .friction_roll = 0.0001};
    surface.softness = ts_mujoco_softness_default();
    surface.solmix = 1.0;
    return surface;
}

static int is_length(double x) { return x >= 0.0 && !isinf(x); }

const char* ts_surface_fault(const ts_surface* surface) {
    const ts_mujoco_softness* softness = &surface->softness;
    double sum = 0.0;
    if (!is_length(surface->friction)) return "its friction must be finite and not negative";
    if (!(surface->restitution >= 0.0 && surface->restitution <= 1.0)) return "its restitution must be between 0 and 1";
    if (!is_length(surface->friction_spin) || !is_length(surface->friction_roll))
        return "its spinning and rolling friction must be finite and not negative";
    for (int i = 0; i < 2; ++i) sum += softness->solref[i];
    for (int i = 0; i < 5; ++i) sum += softness->solimp[i];
    sum += surface->friction_solref[0] + surface->friction_solref[1];
    if (!isfinite(surface->margin) || !isfinite(surface->gap)) return "its margin and gap must be finite";
    if (!isfinite(sum) || !is_length(surface->solmix))
        return "its solref, solimp and solmix must be finite, and solmix not negative";
    if (!is_length(surface->adhesion)) return "its adhesion must be finite and not negative";
    for (int i = 0; i < 6; ++i)
        if (!isfinite(surface->motion[i])) return "the motion of its surface must be finite";
    int d = surface->dimension;
    return d == 1 || d == 3 || d == 4 || d == 6 ? NULL : "its contact dimension must be 1, 3, 4 or 6";
}

static double larger(double a, double b) { return a > b ? a : b; }

static double smaller(double a, double b) { return a < b ? a : b; }

// The weight of a against b.
static double weight(double a, double b) {
    if (a >= least_mix && b >= least_mix) return a / (a + b);
    if (a < least_mix && b < least_mix) return 0.5;
    return a < least_mix ? 0.0 : 1.0;
}

static int same(const double* a, const double* b, int n) {
    int count = 0;
    while (count < n && a[count] == b[count]) ++count;
    return count == n;
}

static ts_mujoco_softness mix(const ts_surface* a, const ts_surface* b) {
    const ts_mujoco_softness *p = &a->softness, *q = &b->softness;
    ts_mujoco_softness softness;
    // Two halves of the same are the same, to the bit.
    if (a->solmix == b->solmix && same(p->solref, q->solref, 2) && same(p->solimp, q->solimp, 5)) return *p;
    double w = weight(a->solmix, b->solmix);
    int standard = p->solref[0] > 0.0 && q->solref[0] > 0.0;
    for (int i = 0; i < 2; ++i)
        softness.solref[i] =
            standard ? w * p->solref[i] + (1.0 - w) * q->solref[i] : smaller(p->solref[i], q->solref[i]);
    for (int i = 0; i < 5; ++i) softness.solimp[i] = w * p->solimp[i] + (1.0 - w) * q->solimp[i];
    return softness;
}

// The softness of both, or of the one that speaks alone.
static ts_mujoco_softness softness_between(const ts_surface* a, const ts_surface* b) {
    ts_mujoco_softness softness = a->priority == b->priority  ? mix(a, b)
                                  : a->priority > b->priority ? a->softness
                                                              : b->softness;
    if ((softness.solref[0] > 0.0) != (softness.solref[1] > 0.0)) {
        ts_mujoco_softness usual = ts_mujoco_softness_default();
        memcpy(softness.solref, usual.solref, sizeof usual.solref);
    }
    return softness;
}

ts_surface_softness ts_surface_softness_of(const ts_surface* surface) {
    const double *own = surface->friction_solref, *shared = surface->softness.solref;
    const double* solref = own[0] != 0.0 || own[1] != 0.0 ? own : shared;
    return (ts_surface_softness){surface->softness, {solref[0], solref[1]}};
}

ts_surface_softness ts_surface_softness_between(const ts_surface* a, const ts_surface* b) {
    const double* own = (a->priority > b->priority ? a : b)->friction_solref;
    ts_surface_softness both = {softness_between(a, b), {own[0], own[1]}};
    if (own[0] == 0.0 && own[1] == 0.0) memcpy(both.friction_solref, both.normal.solref, sizeof both.friction_solref);
    return both;
}

// Rows without friction are left out. Spin and roll are measured by mu (contact/problem.h): without it there are none.
static void drop_idle_rows(ts_surface* surface) {
    if (surface->dimension == 1) surface->friction = 0.0;
    if (surface->dimension == 6 && !(surface->friction_roll > 0.0)) surface->dimension = 4;
    if (surface->dimension == 4 && !(surface->friction_spin > 0.0)) surface->dimension = 3;
    if (surface->dimension > 3 && !(surface->friction > 0.0)) surface->dimension = 3;
    if (surface->dimension < 4) surface->friction_spin = 0.0;
    if (surface->dimension < 6) surface->friction_roll = 0.0;
}

ts_surface ts_surface_combine(const ts_surface* a, const ts_surface* b) {
    ts_surface surface = a->priority > b->priority ? *a : *b;
    if (a->priority == b->priority) {
        surface.dimension = a->dimension > b->dimension ? a->dimension : b->dimension;
        surface.friction = larger(a->friction, b->friction);
        surface.friction_spin = larger(a->friction_spin, b->friction_spin);
        surface.friction_roll = larger(a->friction_roll, b->friction_roll);
        surface.adhesion = a->adhesion + b->adhesion;
    }
    surface.restitution = larger(a->restitution, b->restitution);
    surface.margin = a->margin + b->margin;
    surface.gap = a->gap + b->gap;
    memset(surface.motion, 0, sizeof surface.motion);
    surface.softness = softness_between(a, b);
    drop_idle_rows(&surface);
    return surface;
}
