// Defaults and soundness of the softness of limits and dry friction.
#include "engine/model/softness.h"

#include <math.h>
#include <stddef.h>

ts_stop_softness ts_stop_softness_default(void) {
    ts_stop_softness softness = {0.0, ts_mujoco_softness_default(), ts_mujoco_softness_default()};
    return softness;
}

static double sum_of(const ts_mujoco_softness* softness) {
    double sum = softness->solref[0] + softness->solref[1];
    for (int i = 0; i < 5; ++i) sum += softness->solimp[i];
    return sum;
}

const char* ts_stop_softness_fault(const ts_stop_softness* softness) {
    if (!isfinite(softness->margin)) return "the margin of its limits is not finite";
    if (!isfinite(sum_of(&softness->limit)) || !isfinite(sum_of(&softness->friction)))
        return "solref and solimp of its limits and of its friction must be finite";
    return NULL;
}
