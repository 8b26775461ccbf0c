// The figures, one row each: how it is called, and which number of the residual by which power of the time step.
#include "contact/judge/figures.h"

#include <stddef.h>

#include "base/scalar.h"

typedef struct figure_row {
    ts_figure_kind kind;
    size_t offset;  // in ts_residual
    enum { AS_IS, TIMES_STEP, PER_STEP, IN_DEGREES } scale;
} figure_row;

static const double degrees = 180.0 / TS_PI;

#define FIGURE(key, name, unit, field, scale) \
    { {key, name, unit}, offsetof(ts_residual, field), scale }

static const figure_row figures[TS_FIGURE_COUNT] = {
    [TS_FIGURE_APPROACH] = FIGURE("approach", "approach", "m/s", closing, AS_IS),
    [TS_FIGURE_SINKS] = FIGURE("sinks", "deeper per step", "m", closing, TIMES_STEP),
    [TS_FIGURE_PULL] = FIGURE("pull", "pull", "N", pulling, PER_STEP),
    [TS_FIGURE_OFF_CONE] = FIGURE("off_cone", "friction off the cone", "N", coulomb, PER_STEP),
    [TS_FIGURE_FRICTION_ANGLE] = FIGURE("friction_angle", "friction off slip", "deg", slip_angle, IN_DEGREES),
    [TS_FIGURE_POWER] = FIGURE("power", "power created", "W", created, PER_STEP),
    [TS_FIGURE_COMPLEMENTARITY] = FIGURE("complementarity", "complementarity", "W", signorini, PER_STEP),
};

const ts_figure_kind* ts_figure_kind_of(ts_figure figure) { return &figures[figure].kind; }

double ts_figure_of(const ts_residual* residual, ts_figure figure, double time_step) {
    double value = *(const double*)(const void*)((const char*)residual + figures[figure].offset);
    switch (figures[figure].scale) {
    case AS_IS: break;
    case TIMES_STEP: return value * time_step;
    case PER_STEP: return value / time_step;
    case IN_DEGREES: return value * degrees;
    }
    return value;
}
