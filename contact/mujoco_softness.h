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

/// What a row of impedance d is held by in a step: a spring and a damper for each unit of mass. A time constant under two steps is raised to
/// that, as MuJoCo does.
typedef struct ts_mujoco_spring {
    double stiffness;  // s^-2
    double damping;    // s^-1
} ts_mujoco_spring;

/// The spring of a row in a step of time_step (s).
ts_mujoco_spring ts_mujoco_spring_of(const ts_mujoco_softness* softness, double d, double time_step);

/// c* (m/s) of a row with that spring, violation `gap` (m; 0 for friction) and present speed `speed` (m/s).
static inline double ts_mujoco_reference(ts_mujoco_spring spring, double gap, double speed, double time_step) {
    return speed - time_step * (spring.damping * speed + spring.stiffness * gap);
}

/// R (kg^-1) of a row of impedance d with diagonal G_ii (kg^-1).
static inline double ts_mujoco_compliance(double d, double diagonal) { return (1.0 - d) / d * diagonal; }

/// The compliance R (kg^-1) and the reference velocity c* (m/s) of one row with diagonal G_ii (kg^-1), violation `gap`
/// (m; 0 for friction), present speed `speed` (m/s) and impedance d, for a step of time_step (s).
void ts_mujoco_row(const ts_mujoco_softness* softness, double d, double diagonal, double gap, double speed,
                   double time_step, double* out_R, double* out_reference);

/// The slope of the impedance by `gap`, 1/m. It has two sides where the gap is 0 or the width, and at the midpoint under a power of 1.
double ts_mujoco_impedance_slope(const double solimp[5], double gap);

/// How R and c* of ts_mujoco_row answer.
typedef struct ts_mujoco_row_slopes {
    double R_by_gap;          // kg^-1 m^-1
    double reference_by_gap;  // 1/s
    double reference_by_speed;
    double R_by_time;          // by the time step
    double reference_by_time;  // m/s^2
} ts_mujoco_row_slopes;

/// Slopes of a row whose impedance is that of its gap; `d_slope` is ts_mujoco_impedance_slope of that, for friction too, whose own gap is 0. A time constant that was
/// raised to two steps moves with the time step.
ts_mujoco_row_slopes ts_mujoco_row_slope(const ts_mujoco_softness* softness, double d, double d_slope, double diagonal,
                                         double gap, double speed, double time_step);

#ifdef __cplusplus
}
#endif
#endif
