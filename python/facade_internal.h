// The C side of the Python package: a handle and plain numbers, so that Python never has to know how a struct is laid out.
#ifndef TS_PYTHON_FACADE_INTERNAL_H
#define TS_PYTHON_FACADE_INTERNAL_H

#include "engine/step/step.h"
#include "scenes/scene_table.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scene with a simulation on it.
typedef struct ts_python_world ts_python_world;

/// Sizes of a world.
typedef struct ts_python_sizes {
    int nq;
    int nv;
    int bodies;
    int geoms;
} ts_python_sizes;

/// Numbers of the last step.
typedef struct ts_python_report {
    double natural;      // 1: share of the exact law unmet, on rigid contacts
    double own_unmet;    // 1: share of the solver's own law unmet; decides the status
    double penetration;  // m
    double kinetic;      // J
    double potential;    // J
    double seconds;      // wall clock
    int contacts;
    int iterations;
    int status;  // ts_solve_status
} ts_python_report;

/// Loads a scene by name or a model file by path. NULL on failure, with the reason in out_error (size bytes).
ts_python_world* ts_python_open(const char* name_or_path, int workers, char* out_error, unsigned long size);

/// The same from MJCF text; includes and mesh files are not available.
ts_python_world* ts_python_open_text(const char* text, int workers, char* out_error, unsigned long size);

/// Releases a world; NULL is ignored.
void ts_python_close(ts_python_world* world);

/// Sizes of the model.
ts_python_sizes ts_python_get_sizes(const ts_python_world* world);

/// The name of thing i of a kind ("body", "joint", "dof", "geom", "site", "tendon", "equality", "actuator",
/// "sensor", "keyframe"; a degree of freedom is called by its joint), or NULL where there is none.
const char* ts_python_name(const ts_python_world* world, const char* kind, int i);

/// A live array of the simulation and how many numbers it has; NULL for a result that is all zero, and for a name that is not known. "qpos", "qvel", "ctrl", "act" and
/// "force" may be written between steps, the others are results.
double* ts_python_array(ts_python_world* world, const char* name, int* out_count);

/// Which equalities hold (nonzero), live, and how many there are; may be written between steps.
int* ts_python_equality_active(ts_python_world* world, int* out_count);

/// Measures the sensors; the live array "sensor" has what they show.
void ts_python_measure(ts_python_world* world);

/// Where the numbers of sensor i lie in that array, and how many they are. Returns 0 where there is no such sensor.
int ts_python_sensor_range(const ts_python_world* world, int i, int* out_first, int* out_size);

/// Everything of a step but its end: state and time stay. 0 when all went well.
int ts_python_foresee(ts_python_world* world, char* out_error, unsigned long size);

/// Generalised forces of the step that begins in the present state, 6 times nv numbers: acceleration, applied, actuator, fluid, constraint,
/// passive. State and time stay. 0 when all went well.
int ts_python_forces(ts_python_world* world, double* out_forces, char* out_error, unsigned long size);

/// Has the world keep a ledger from now on, which begins empty; 0: it keeps none.
void ts_python_keep_ledger(ts_python_world* world, int keep);

/// Its numbers, J: the work of the last step by account, the sums of all steps, those of magnitudes, then the energy turned over, the sums of remainders'
/// magnitudes and of what was set between steps, and the count of steps. Returns the number of accounts; 0 where none is kept. NULL: only that.
int ts_python_ledger(const ts_python_world* world, double* out_numbers);

/// The name of an account; NULL past the end.
const char* ts_python_ledger_name(int i);

/// Bytes of a saved state; it is written where `size` is enough. 0 when memory is short.
unsigned long ts_python_save(const ts_python_world* world, unsigned char* out_bytes, unsigned long size);

/// Puts a saved state back. 0 when all went well.
int ts_python_restore(ts_python_world* world, const unsigned char* bytes, unsigned long count, char* out_error,
                      unsigned long size);

/// Finds everything that follows from the state, without a step. 0 when all went well, else the reason is in out_error.
int ts_python_forward(ts_python_world* world, char* out_error, unsigned long size);

/// Simulated time, s.
double ts_python_time(const ts_python_world* world);

/// Steps n times, with the scene's controller. 0 when all went well, else the reason is in out_error.
int ts_python_step(ts_python_world* world, int n, char* out_error, unsigned long size);

/// Back to the initial state.
void ts_python_reset(ts_python_world* world);

/// Sets an option, "solver", or "solver.NAME". 0 when it worked.
int ts_python_set(ts_python_world* world, const char* name, const char* value, char* out_error, unsigned long size);

/// Numbers of the last step and the present energies.
ts_python_report ts_python_get_report(ts_python_world* world);

/// Position (3) and quaternion (4, w first) of every body: 7 numbers each, from the present state.
void ts_python_body_poses(ts_python_world* world, double* out_poses);

/// Contacts of the last step, 13 numbers each: position, normal, impulse on B in world axes, velocity of B against A
/// the step in world axes, gap. out_geoms: 2 each. Both hold as many as the report says.
void ts_python_contacts(const ts_python_world* world, double* out_numbers, int* out_geoms);

/// The body that a geom is on.
int ts_python_geom_body(const ts_python_world* world, int geom);

/// Why a body is awake, or that it sleeps, in words; returns the reason in one.
const char* ts_python_sleep(const ts_python_world* world, int body, char* out_text, unsigned long size);

/// Wakes the island of a body.
void ts_python_wake(ts_python_world* world, int body);

/// 64-bit hash of everything the future depends on.
uint64_t ts_python_hash(const ts_python_world* world);

// --- dynamics of the present state (dynamics.c, docs/dynamics.md): 0 when all went well, 1 when memory is short, 2 when there is no answer ---

/// M (nv x nv), armature included.
int ts_python_mass_matrix(ts_python_world* world, double* out_M);
/// M a + b (nv); a NULL: the bias.
int ts_python_inverse_dynamics(ts_python_world* world, const double* acceleration, double* out_force);
/// a (nv) with M a + b = force; 2 when a degree of freedom moves no mass.
int ts_python_forward_dynamics(ts_python_world* world, const double* force, double* out_acceleration);
/// Derivatives of inverse dynamics, nv x nv each: by configuration, velocity, acceleration; acceleration (nv), NULL: zero.
int ts_python_inverse_derivatives(ts_python_world* world, const double* acceleration, double* out_dq, double* out_dv,
                                  double* out_M);
/// Derivatives of forward dynamics at its answer (nv), nv x nv each: by configuration, velocity, force.
int ts_python_forward_derivatives(ts_python_world* world, const double* acceleration, double* out_dq, double* out_dv,
                                  double* out_inverse);
/// Jacobians (3 x nv each) of a "body", a "site", or the "centre" of mass of a body; `rate` nonzero: their time derivatives.
int ts_python_jacobian(ts_python_world* world, const char* kind, int index, int rate, double* out_linear,
                       double* out_angular);
/// (dJ/dt) qvel of the same: linear (3), angular (3).
int ts_python_jacobian_bias(ts_python_world* world, const char* kind, int index, double* out_six);
/// Of everything that can move: mass, centre (3), its velocity (3), momentum (6) and bias (6), both angular first; centroidal momentum
/// matrix (6 x nv) and Jacobian of the centre (3 x nv).
int ts_python_centroidal(ts_python_world* world, double* out_numbers, double* out_A, double* out_J);

// --- derivatives of a step (gradient.c, docs/gradients.md) ---

/// How to differentiate: ts_step_derivative_settings.
typedef struct ts_python_derivative_settings {
    int method;  // ts_step_method
    double tolerance;
    double increment;
    double nearness;
} ts_python_derivative_settings;

/// The derivative of the step that would come next; it must be closed before anything else is asked of its world.
typedef struct ts_python_derivative ts_python_derivative;

/// What there is to say about it; texts and bytes are the derivative's.
typedef struct ts_python_derivative_report {
    const char* verdict;
    const char* reason;
    const unsigned char* column_changed;  // (columns), or NULL
    const unsigned char* column_verdict;  // (columns): ts_step_column_verdict
    double mismatch;
    double unmet;
    int rows;
    int columns;
    int block_count;
    int nearest;
    int unknowns;
    int rank;
    unsigned differenced;
} ts_python_derivative_report;

/// What a block of rows does: ts_step_block_report. `who` is good until the next block is asked about.
typedef struct ts_python_block {
    const char* who;
    const char* mode;
    const char* change;
    double impulse;
    double speed;
    double gap;
    double roundings;
} ts_python_block;

/// The name of a kind of input, and how many of it a world has; NULL past the last.
const char* ts_python_input_name(int kind);
/// See ts_python_input_name.
int ts_python_input_size(const ts_python_world* world, int kind);
/// The name of a verdict; NULL past the last.
const char* ts_python_verdict_name(int verdict);

/// Differentiates by `count` ranges, three numbers each: kind, first, count. NULL on failure, with the reason.
ts_python_derivative* ts_python_derivative_make(ts_python_world* world, const ts_python_derivative_settings* settings,
                                                const int* range, int count, char* out_error, unsigned long size);
/// Releases it and puts the world back to where it was, to the bit; NULL is ignored.
void ts_python_derivative_close(ts_python_derivative* derivative);
/// Its report.
ts_python_derivative_report ts_python_derivative_get_report(const ts_python_derivative* derivative);
/// What block i does. Returns 0 where there is no such block.
int ts_python_derivative_block(ts_python_derivative* derivative, int i, ts_python_block* out_block);
/// The Jacobian (rows x columns). This and the next two: 0 when all went well, 1 when memory is short.
int ts_python_derivative_matrix(ts_python_derivative* derivative, double* out_matrix);
/// The Jacobian of what sensors show after the step (numbers of all of them, in their order, x columns), and of each number a ts_step_column_verdict. Returns 0, else there is an error.
int ts_python_derivative_sensors(ts_python_derivative* derivative, const int* sensor, int count, double* out_matrix,
                                 unsigned char* out_verdict, char* out_error, unsigned long size);
/// Of a change of the inputs (columns) that of the result (rows).
int ts_python_derivative_forward(ts_python_derivative* derivative, const double* dx, double* out_dy);
/// Of a gradient by the result (rows) that by the inputs (columns).
int ts_python_derivative_reverse(ts_python_derivative* derivative, const double* y_bar, double* out_x_bar);

/// A rollout with its loss and gradients: ts_rollout, ts_rollout_gradient and ts_rollout_report in one.
typedef struct ts_python_rollout {
    int steps;
    int value_only;  // nonzero: the loss alone
    ts_python_derivative_settings settings;
    const double* ctrl;   // (steps x actuators), or NULL
    const double* force;  // (steps x nv), or NULL
    const int* range;     // of parameters, as for ts_python_derivative_make
    int range_count;
    // What a state adds to the loss; `pull` is NULL, or has five arrays to be filled: by qpos, qvel, act, ctrl, parameters.
    double (*loss)(int state, double* const* pull);
    double* by_qpos;  // NULL where not wanted
    double* by_qvel;
    double* by_act;
    double* by_ctrl;
    double* by_force;
    double* by_parameter;
    double total;  // the loss; it and what follows is written
    double roundings;
    double unmet;
    int verdict;
    int step;
    int nearest_step;
    unsigned differenced;
    int count[5];  // steps of each verdict
    char reason[200];
} ts_python_rollout;

/// Runs it; the world is back where it was. 0 when all went well, else the reason is in out_error.
int ts_python_rollout_run(ts_python_world* world, ts_python_rollout* io_rollout, char* out_error, unsigned long size);

// --- distances of two shapes (distance.c, docs/collision.md) ---

/// A convex shape.
typedef struct ts_python_shape ts_python_shape;

/// A shape of a kind ("box") from its numbers: those of its kind, three corners of a triangle, points of a hull; grown by a ball of
/// radius `rounding`, m. NULL on failure, with the reason.
ts_python_shape* ts_python_shape_open(const char* kind, const double* number, int count, double rounding,
                                      char* out_error, unsigned long size);
/// Releases a shape; NULL is ignored.
void ts_python_shape_close(ts_python_shape* shape);

/// What is asked about two shapes, and the answer.
typedef struct ts_python_distance {
    const char* method;  // of the derivative (ts_derivative_options); NULL: none is wanted
    double increment;
    double spread;
    double temperature;
    uint64_t seed;
    int samples;
    int rings;
    unsigned flags;      // written: TS_DERIVATIVE_ bits
    const char* status;  // written
    double answer[12];   // written: distance, lower, upper, normal, point on A, point on B
    // Written: the numbers of ts_proximity_derivative in their order (distance 6, normal 18, points 18 and 18, tangents 36), then curvature,
    // crossing, room, turn.
    double derivative[100];
} ts_python_distance;

/// The distance of two shapes at poses of seven numbers (position, quaternion). 0 when all went well, else the reason is in out_error.
int ts_python_distance_find(const ts_python_shape* a, const double* pose_a, const ts_python_shape* b,
                            const double* pose_b, ts_python_distance* io_distance, char* out_error, unsigned long size);

/// Many simulations of a world's model at once (engine/batch.h).
typedef struct ts_python_batch ts_python_batch;

/// `count` simulations with the options that the world has now, on `workers` threads. The world must outlive it. NULL on
/// failure, with the reason in out_error.
ts_python_batch* ts_python_batch_open(ts_python_world* world, int count, int workers, char* out_error,
                                      unsigned long size);

/// Releases a batch; NULL is ignored.
void ts_python_batch_close(ts_python_batch* batch);

/// The live state: (count x nq), (count x nv), (count x nv) numbers that may be read and written between steps.
double* ts_python_batch_qpos(ts_python_batch* batch);
/// See ts_python_batch_qpos.
double* ts_python_batch_qvel(ts_python_batch* batch);
/// Likewise controls (count x actuators) and activations.
double* ts_python_batch_ctrl(ts_python_batch* batch);
/// See ts_python_batch_ctrl.
double* ts_python_batch_act(ts_python_batch* batch);
/// What sensors show (count x numbers), once they are measured.
double* ts_python_batch_sensor(ts_python_batch* batch);
/// Generalised forces from outside; see ts_python_batch_qpos.
double* ts_python_batch_force(ts_python_batch* batch);

/// Steps each n times, with the scene's controller. Returns how many have failed so far.
int ts_python_batch_step(ts_python_batch* batch, int n);

/// Why simulation i failed, or NULL.
const char* ts_python_batch_failure(const ts_python_batch* batch, int i);

/// All back to the initial state.
void ts_python_batch_reset(ts_python_batch* batch);

/// As ts_python_set, of simulation i, or of all (-1).
int ts_python_batch_set(ts_python_batch* batch, int i, const char* name, const char* value, char* out_error,
                        unsigned long size);

/// 64-bit hash of everything the future of simulation i depends on.
uint64_t ts_python_batch_hash(const ts_python_batch* batch, int i);

/// Names of solvers and scenes by index; NULL past the end.
const char* ts_python_solver_name(int i);
/// See ts_python_solver_name.
const char* ts_python_scene_name(int i);
/// The name of a solve status.
const char* ts_python_status_name(int status);

/// What a handle of Python's points at.
struct ts_python_world {
    ts_loaded_scene scene;
    ts_sim* sim;
    ts_ledger ledger;
    int keeps_ledger;
    struct ts_python_dynamics* dynamics;  // NULL until it is asked for (dynamics.c)
};

/// Releases what dynamics.c keeps for a world.
void ts_python_dynamics_free(ts_python_world* world);

#ifdef __cplusplus
}
#endif
#endif
