// How contacts and their rows answer to positions, at fixed velocities. See step_contact_rows.c.
#ifndef TS_ENGINE_STEP_CONTACT_INTERNAL_H
#define TS_ENGINE_STEP_CONTACT_INTERNAL_H

#include "collision/derivative/proximity_derivative.h"
#include "engine/derivative/step_implicit_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers of a motion, and twice that: by a motion, and by the change of twist that it makes of those beyond.
enum { TS_CONTACT_UNITS = 6, TS_CONTACT_CHAIN = 2 * TS_CONTACT_UNITS };

/// How a dof moves a contact.
typedef struct ts_step_contact_motion {
    int dof;
    int on_a;
    int on_b;
    ts_vec3 point;   // dp
    ts_vec3 turn;    // dw
    double gap;      // dgap
    ts_motion push;  // of u: linear and angular, dv_B - dv_A at the moving point
} ts_step_contact_motion;

/// A contact whose rows are looked for.
typedef struct ts_step_contact_sought {
    const ts_contact* contact;
    const ts_manifold_derivative_point* slope;
    int by_units;  // nonzero: it is with the world, of three rows or one, and known by what it does by the six units
    int on_b;      // then: the side of it that moves
    ts_step_contact_motion unit[TS_CONTACT_UNITS];
} ts_step_contact_sought;

/// Number i of a motion, the three of its turn first.
static inline double ts_step_contact_number(ts_motion S, int i) {
    return i < 3 ? ts_vec3_get(S.angular, i) : ts_vec3_get(S.linear, i - 3);
}

/// Lists the dofs of both chains, descending, with no motion yet. Returns how many.
int ts_step_contact_list(const ts_model* model, const ts_contact* contact, ts_step_contact_motion* out);

/// Adds the other dofs of the trees that a contact moves to the `count` of its chains. Returns how many there are then.
int ts_step_contact_list_others(const ts_model* model, const ts_contact* contact, ts_step_contact_motion* motion,
                                int count);

/// Finds how every listed dof moves a contact and its rows, at the velocities of `k`.
void ts_step_contact_move(const ts_sim* sim, const ts_kinematics* k, const ts_contact* contact,
                          const ts_manifold_derivative_point* slope, ts_step_contact_motion* motion, int count);

/// Finds how the law of each row goes with the gap and the speeds before, and whether leverage has slowed a hard one's push, so that it goes by G as well. Returns 0 when that
/// is not known here.
int ts_step_contact_law(const ts_sim* sim, const ts_contact* contact, ts_mujoco_row_slopes* out, int* out_slowed);

/// Fills in d(J v) at the velocities of `k`, (rows x count).
void ts_step_contact_fill_rows(const ts_sim* sim, const ts_kinematics* k, const ts_contact* contact,
                               const ts_step_contact_motion* motion, int count, double* out);

/// Adds what the law adds: dR lambda - dc*, with what `before` says of the speeds before the step (NULL: nothing), and by the velocity before into by_v.
void ts_step_contact_add_law(const ts_sim* sim, const ts_contact* contact, const ts_mujoco_row_slopes* law,
                             const ts_step_contact_motion* motion, int count, const double* before, double* by_q,
                             double* by_v);

/// The impulse in the world, about the contact.
ts_force ts_step_contact_impulse(const ts_sim* sim, const ts_contact* contact, const double* lambda);

/// Finds what a contact of something with the world does by the six units of a motion about `origin`, that of its tree.
void ts_step_contact_units(const ts_kinematics* k, const ts_contact* contact, const ts_manifold_derivative_point* slope,
                           int on_b, ts_vec3 origin, ts_step_contact_motion out_unit[TS_CONTACT_UNITS]);

/// What the dofs that carry a body are and do to it, the last first, at the velocities of `k`: their axes, and S x twist beyond.
void ts_step_contact_fill_chain(const ts_model* model, const ts_kinematics* k, int body,
                                double (*out_numbers)[TS_CONTACT_CHAIN]);

/// Fills in rows of a contact known by units over the `count` dofs of a chain, `ld` apart, at the velocities of `k`: each is twelve numbers times those of the dof, all rows at
/// once. `law`: hard, or soft by the gap alone; NULL: d(J v) only.
void ts_step_contact_fill_chain_rows(const ts_sim* sim, const ts_kinematics* k, const ts_step_contact_sought* w,
                                     const ts_mujoco_row_slopes* law, double (*numbers)[TS_CONTACT_CHAIN], int count,
                                     int ld, double* by_q);

#ifdef __cplusplus
}
#endif
#endif
