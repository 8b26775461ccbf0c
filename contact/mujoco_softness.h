// How soft contacts and limits are in the parameters of MJCF (contact/mujoco_softness.c).
#ifndef TS_CONTACT_MUJOCO_SOFTNESS_H
#define TS_CONTACT_MUJOCO_SOFTNESS_H

#ifdef __cplusplus
extern "C" {
#endif

/// How soft a contact or limit is, in the parameters of MJCF.
typedef struct ts_mujoco_softness {
    double solref[2];  // time constant (s) and damping ratio (1); both negative: -stiffness (s^-2), -damping (s^-1)
    double solimp[5];  // d0, d_width (1), width (m), midpoint, power (1)
} ts_mujoco_softness;

/// MuJoCo's defaults: solref (0.02, 1), solimp (0.9, 0.95, 0.001, 0.5, 2).
ts_mujoco_softness ts_mujoco_softness_default(void);

/// The impedance d in [1e-4, 0.9999] at distance `gap` (m; its sign does not matter).
double ts_mujoco_impedance(const double solimp[5], double gap);

/// The compliance R (kg^-1) and the reference velocity c* (m/s) of one row with diagonal G_ii (kg^-1), violation `gap`
/// (m; 0 for friction), present speed `speed` (m/s) and impedance d, for a step of time_step (s). A time constant under
/// two steps is raised to that, as MuJoCo does.
void ts_mujoco_row(const ts_mujoco_softness* softness, double d, double diagonal, double gap, double speed,
                   double time_step, double* out_R, double* out_reference);

#ifdef __cplusplus
}
#endif
#endif
