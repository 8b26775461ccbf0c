// What is wrong with an answer in figures a person can read, each in a unit of its own. They decide nothing: whether an
// answer is good enough is contact/judge/yardstick.h's affair.
#ifndef TS_CONTACT_FIGURES_H
#define TS_CONTACT_FIGURES_H

#include "contact/judge/residual.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The figures, each the worst of all contacts.
typedef enum ts_figure {
    TS_FIGURE_APPROACH,         // m/s: bodies still approach each other at contacts
    TS_FIGURE_SINKS,            // m: how much deeper they get in this step by that
    TS_FIGURE_PULL,             // N: a contact pulls
    TS_FIGURE_OFF_CONE,         // N: friction beyond mu times the normal force
    TS_FIGURE_FRICTION_ANGLE,   // deg: between friction and the opposite of slip, each contact by its work
    TS_FIGURE_POWER,            // W: a contact drives the bodies
    TS_FIGURE_COMPLEMENTARITY,  // W: normal force times normal velocity
    TS_FIGURE_COUNT
} ts_figure;

/// How a figure is called: "off_cone", "force outside the cone", "N".
typedef struct ts_figure_kind {
    const char* key;
    const char* name;
    const char* unit;
} ts_figure_kind;

/// Never NULL for a figure.
const ts_figure_kind* ts_figure_kind_of(ts_figure figure);

/// A figure of an answer to a problem with that time step, s.
double ts_figure_of(const ts_residual* residual, ts_figure figure, double time_step);

#ifdef __cplusplus
}
#endif
#endif
