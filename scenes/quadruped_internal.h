// The quadruped of quadruped.xml on other ground.
#ifndef TS_SCENES_QUADRUPED_INTERNAL_H
#define TS_SCENES_QUADRUPED_INTERNAL_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// On a floor with friction 0.3.
ts_code ts_quadruped_build_slippery(ts_model** out_model, ts_status* out_status);

/// On waves of up to 0.1 m from hollow to crest that begin 0.5 m ahead of it, with friction 0.8.
ts_code ts_quadruped_build_bumpy(ts_model** out_model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
