// The motion as a whole: centre of mass, momentum about it, and how both hang on the degrees of freedom.
//
// Of one tree, or of everything that can move (tree = TS_CENTROIDAL_ALL). World axes; angular momentum and couples are about the centre of
// mass. Armature stands for rotors whose momentum points nowhere in particular: it has no part in this.
#ifndef TS_ENGINE_CENTROIDAL_H
#define TS_ENGINE_CENTROIDAL_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// In place of a tree: all of them.
enum { TS_CENTROIDAL_ALL = -1 };

/// A system as one body would be.
typedef struct ts_centroidal_state {
    double mass;       // kg
    ts_vec3 centre;    // m
    ts_vec3 velocity;  // m/s, of the centre of mass
    ts_vec3 linear;    // N s, momentum
    ts_vec3 angular;   // N m s, angular momentum about the centre of mass
    ts_mat3 inertia;   // kg m^2, locked: of all bodies as one, about the centre of mass
} ts_centroidal_state;

/// Centre of mass and momentum of the state of `kinematics`. All zero when nothing moves.
ts_centroidal_state ts_centroidal_find(const ts_model* model, const ts_kinematics* kinematics, int tree);

/// The centroidal momentum matrix A (6 x nv, row-major): rows 0 to 2 give the angular momentum about the centre of mass, rows 3 to 5 the
/// linear momentum, as A qvel. Zero for dofs of other trees.
void ts_centroidal_matrix(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                          double* out_A);

/// The Jacobian of the centre of mass (3 x nv, row-major), m/s. Zero for dofs of other trees.
void ts_centroidal_jacobian(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                            double* out_J);

/// (dA/dt) qvel: the rate of momentum when qvel is constant; with A qacc added, the rate it has. Gravity is not in it.
ts_force ts_centroidal_bias(const ts_model* model, const ts_kinematics* kinematics, int tree);

#ifdef __cplusplus
}
#endif
#endif
