// Rows that joints add to the contact problem: limits and dry friction.
#ifndef TS_ENGINE_JOINT_ROWS_H
#define TS_ENGINE_JOINT_ROWS_H

#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a row is; also the kind in ts_joint_memory.id.
typedef enum ts_joint_row_kind { TS_JOINT_ROW_LOWER, TS_JOINT_ROW_UPPER, TS_JOINT_ROW_FRICTION } ts_joint_row_kind;

/// One row: `count` coefficients on consecutive dofs from `dof` on.
typedef struct ts_joint_row {
    ts_joint_row_kind kind;
    int id;  // as in ts_joint_memory
    int dof;
    int count;  // 1, or the dofs of the joint that a limit concerns
    double coefficient[TS_JOINT_NV_MOST];
    double reference;  // c*, rad/s or m/s
    double bound;      // N s or N m s: box half width (friction)
} ts_joint_row;

/// Most rows the model's joints can ask for at once.
int ts_joint_rows_limit(const ts_model* model);

/// The rows that matter in this step, by ascending id, for the last kinematics and free velocity; returns how many.
int ts_joint_rows_collect(const ts_sim* sim, ts_joint_row* out_rows);

#ifdef __cplusplus
}
#endif
#endif
