// What MuJoCo's contacts move, for those who judge or show them.
#ifndef TS_BENCH_PEER_MUJOCO_ROWS_H
#define TS_BENCH_PEER_MUJOCO_ROWS_H

struct mjModel_;
struct mjData_;
struct mjContact_;

/// The velocity of a contact's points, of the second geom against the first, along its tangents and normal, per unit of each dof:
/// (3 x nv) into `out_rows`. `jacobian` is room for as much.
void ts_peer_mujoco_contact_rows(const struct mjModel_* m, const struct mjData_* d, const struct mjContact_* contact,
                                 double* jacobian, double* out_rows);

#endif
