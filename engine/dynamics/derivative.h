// Derivatives of the dynamics of kinematic trees: of inverse dynamics tau = M a + b and of forward dynamics a = M^-1 (tau - b), with
// respect to configuration, velocity, acceleration or force, and gravity.
//
// The derivative with respect to the configuration q is along velocities: column j is the rate at which the result changes when q moves
// with unit velocity of dof j, as an integrator moves it (the numbers of a joint by q_j += h, the quaternion of a ball or of a free joint by a turn
// about an axis of the child; the point of a free joint along the world's axes). So it has nv columns, whatever nq is.
//
// Of the functions ..._tree: all matrices are n x n, row-major, of one tree (n = dof_count), row i for the result i. Different trees have nothing to do with each
// other. What is not in M and b (springs, dampers, actuators, contacts) is not in the derivatives.
#ifndef TS_ENGINE_DERIVATIVE_H
#define TS_ENGINE_DERIVATIVE_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_factor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Scratch of a body; from the sweep inwards on with all that hangs on it. Of four numbers, or of half of eight, the fourth means nothing; eight are
/// a motion, or a force with its couple first.
typedef struct ts_derivative_body {
    double acceleration[8];  // without gravity
    double force[8];         // I a + v x* I v
    double moment[4];        // kg m
    double inertia[3][4];    // kg m^2: columns
    double momentum[4];      // linear, kg m/s
    double turning[3][4];    // N of inverse_derivative.c, kg m^2/s: columns
    double mass;
    double buoyant_mass;  // what of mass and first moment has no weight
    double buoyant_moment[4];
} ts_derivative_body;

/// Scratch of a dof j, likewise. What carries it, with the dofs of the body before it, moves with the twist p and the acceleration A.
typedef struct ts_derivative_dof {
    double axis[8];    // S
    double second[8];  // (A - g) x S + p x (p x S)
    double rates[8];   // p x S + dS/dt
    double rate[4];    // angular part of p x S
    double weight[4];  // g x angular part of S
    int turns_with;    // first dof whose axis turns with this one: of its quaternion, or itself
} ts_derivative_dof;

/// Numbers of four dofs, laid out side by side.
enum { TS_DERIVATIVE_LANES = 96 };

/// Scratch of one model, entries per body and dof: different trees may be worked on at once with one. Create with
/// ts_derivative_scratch_create; the arrays are the arena's. Nothing in it means anything between calls.
typedef struct ts_derivative_scratch {
    ts_derivative_body* body;  // (body_count)
    ts_derivative_dof* dof;    // (nv)
    double* lane;              // (nv + 3 tree_count, of which each takes TS_DERIVATIVE_LANES / 4 numbers)
} ts_derivative_scratch;

/// Where those of a tree begin.
static inline double* ts_derivative_lanes(const ts_derivative_scratch* scratch, const ts_model* model, int tree) {
    return scratch->lane + TS_DERIVATIVE_LANES / 4 * (model->tree[tree].dof_first + 3 * tree);
}

/// Makes the arrays. Returns 0 when the arena has no memory.
int ts_derivative_scratch_create(const ts_model* model, ts_arena* arena, ts_derivative_scratch* out_scratch);

/// Where derivatives go; each may be NULL.
typedef struct ts_derivative_matrices {
    double* by_q;      // by configuration, per m or rad
    double* by_v;      // by velocity
    double* by_input;  // of inverse dynamics by acceleration: M, with armature; of forward dynamics by force: M^-1
} ts_derivative_matrices;

/// Derivatives of tau = M a + b (ts_rnea_tree) of a tree at the state of `kinematics` and the accelerations `acceleration` (n; NULL:
/// zero, so that they are those of the bias).
void ts_derivative_inverse_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                const double* acceleration, const ts_derivative_scratch* scratch,
                                const ts_derivative_matrices* out);

/// How derivatives of inverse dynamics enter those of a step.
typedef struct ts_derivative_share {
    double factor;  // of both
    const double*
        inertia;  // (n x n) lower triangle of what the one by velocity is added to, nonzero at pairs of dofs of one chain only; NULL: nothing
} ts_derivative_share;

/// Fills by_q and by_v of `out` with `share` of the derivatives that ts_derivative_inverse_tree finds; there is no by_input.
void ts_derivative_inverse_share_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                      const double* acceleration, const ts_derivative_scratch* scratch,
                                      const ts_derivative_share* share, const ts_derivative_matrices* out);

/// The same of the whole model: nv x nv matrices with those of the trees along the diagonal; acceleration (nv) or NULL.
void ts_derivative_inverse(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity,
                           const double* acceleration, const ts_derivative_scratch* scratch,
                           const ts_derivative_matrices* out);

/// Derivative of tau by gravity (n x 3, row-major; kg, kg m), that of the bias.
void ts_derivative_gravity_tree(const ts_model* model, const ts_kinematics* kinematics, int tree,
                                const ts_derivative_scratch* scratch, double* out_dg);

/// Derivatives of forward dynamics of a tree at constant forces, where `acceleration` (n) is its answer (ts_aba_acceleration): by configuration and
/// by velocity -M^-1 times those of inverse dynamics, by the forces M^-1. Of `factors` L and its inverse diagonal are read, which may be
/// those of M with something added along its diagonal: that then is the inertia that answers (M_hat of a step).
void ts_derivative_forward_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                const double* acceleration, const ts_tree_factors* factors,
                                const ts_derivative_scratch* scratch, const ts_derivative_matrices* out);

/// Derivative of tau of a body's tree by the body's ten inertial parameters (n x 10, row-major), in which tau is linear: mass (kg), mass times
/// centre (3, kg m), inertia about the origin of the body frame (xx, yy, zz, xy, xz, yz, kg m^2), in body axes; at the state of `kinematics` and the
/// accelerations `acceleration` (n; NULL: zero). Times the parameters of all bodies, with armature, it is tau.
void ts_derivative_regressor(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int body,
                             const double* acceleration, double* out_matrix);

/// One of those ten by itself, of a body with the axes R: an inertia about the origin of its frame, in world axes.
ts_inertia ts_derivative_unit_inertia(int parameter, const ts_mat3* R);

/// The ten parameters of a mass, with its centre and its inertia about that. Linear in mass and inertia: of mass 1 and no inertia they are the
/// derivative by the mass alone.
void ts_derivative_parameters(double mass, ts_vec3 centre, const ts_mat3* inertia, double out_parameters[10]);

/// Derivatives of the velocity J v of the point of `body` that is now at `point` (world), by configuration: 3 x nv each, row-major, linear
/// (m/s, world axes) and angular; either may be NULL. By velocity it is J, and so is the derivative of the point itself and of what turns with
/// the body (ts_jacobian_point).
void ts_derivative_velocity(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                            double* out_linear, double* out_angular);

/// What becomes of a wrench when bodies move.
typedef enum ts_wrench_carried {
    TS_WRENCH_FIXED,  // point, couple and force stay in the world
    TS_WRENCH_AT,     // the point moves with a body; couple and force stay
    TS_WRENCH_WITH    // all turn with a body
} ts_wrench_carried;

/// Adds to `matrix` (nv x nv, row-major) the derivative by configuration of the generalised forces J^T (couple, force) that a wrench at
/// `point` of `body` makes, couple about that point, all in the world. `carrier` is the body that it moves with, `body` or another, of another
/// tree, too; it has no say of what is fixed.
void ts_derivative_add_wrench(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                              ts_force wrench, ts_wrench_carried how, int carrier, double* matrix);

#ifdef __cplusplus
}
#endif
#endif
