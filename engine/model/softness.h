// How limits and dry friction of joints and tendons give, where the softness of the model is in force (docs/contact.md), and from
// where on limits act.
#ifndef TS_ENGINE_SOFTNESS_H
#define TS_ENGINE_SOFTNESS_H

#include "contact/mujoco_softness.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a joint or a tendon says about its limits and its dry friction.
typedef struct ts_stop_softness {
    double margin;                // m or rad: limits act this far before the ends of the range, under every law
    ts_mujoco_softness limit;     // of the limits
    ts_mujoco_softness friction;  // of dry friction: there is nothing to spring back to, only damping
} ts_stop_softness;

/// No margin, MuJoCo's default softness.
ts_stop_softness ts_stop_softness_default(void);

/// What is wrong with its numbers, or NULL.
const char* ts_stop_softness_fault(const ts_stop_softness* softness);

#ifdef __cplusplus
}
#endif
#endif
