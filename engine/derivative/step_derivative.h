// The derivative of a time step: how the state after it answers to the state before it, to controls and applied forces, and to what
// the world is made of. docs/gradients.md has the mathematics, and what each method can do.
//
// Coordinates are tangent: a change of position is a velocity along which it moves for a second (ts_step_input_move), so that there are nv
// of them, whatever nq is. The rows of a Jacobian are
//     [0, nv)             position after the step, in axes of the position after it
//     [nv, 2 nv)          velocity after it
//     [2 nv, 2 nv + na)   activations after it
// and its columns those of the inputs that were asked for, in their order. Warm starts and what contacts and spins remember of the last step
// are held fixed, and the callback of ts_sim_set_control is not called: controls and forces are those in the simulation.
//
// A step is smooth while its contacts and joint rows keep their modes. Every derivative says how far that is away, what it could not
// take into account, and whether to trust it (ts_step_report).
#ifndef TS_ENGINE_STEP_DERIVATIVE_H
#define TS_ENGINE_STEP_DERIVATIVE_H

#include "contact/judge/certificate.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a step can be differentiated by. Inputs of a kind are numbered.
typedef enum ts_step_input_kind {
    TS_STEP_BY_POSITION,     // nv: position before the step, tangent
    TS_STEP_BY_VELOCITY,     // nv
    TS_STEP_BY_CONTROL,      // actuator_count
    TS_STEP_BY_ACTIVATION,   // act_count
    TS_STEP_BY_FORCE,        // nv: force_applied, N or N m
    TS_STEP_BY_WRENCH,       // 6 body_count: wrench_applied, of each body couple (N m), then force (N)
    TS_STEP_BY_FRICTION,     // geom_count: added to mu of all contacts of the geom
    TS_STEP_BY_RESTITUTION,  // geom_count: likewise
    TS_STEP_BY_MASS,         // body_count: kg; centre and inertia about it stay
    TS_STEP_BY_INERTIA,  // 10 body_count: the parameters of ts_derivative_regressor, mass, mass times centre, inertia about the origin
    TS_STEP_BY_TIME_STEP,   // 1: s
    TS_STEP_BY_GRAVITY,     // 3: m/s^2
    TS_STEP_BY_COMPLIANCE,  // 2: options compliance_normal and compliance_tangent, kg^-1
    TS_STEP_INPUT_KINDS
} ts_step_input_kind;

/// Inputs [first, first + count) of a kind.
typedef struct ts_step_input {
    ts_step_input_kind kind;
    int first;
    int count;
} ts_step_input;

/// "qpos", "qvel", "ctrl", "act", "force", "wrench", "friction", "restitution", "mass", "inertia", "time_step", "gravity", "compliance".
const char* ts_step_input_name(ts_step_input_kind kind);

/// How many inputs of a kind a model has.
int ts_step_input_size(const ts_model* model, ts_step_input_kind kind);

/// All inputs of a kind.
ts_step_input ts_step_input_all(const ts_model* model, ts_step_input_kind kind);

/// Moves an input of a simulation by `amount`. State, controls and forces are changed as if written; positions move as an integrator
/// moves them. The others change what the steps of this simulation, not of others of its model, take for them from now on,
/// which is no part of a snapshot: friction and restitution act as zero below that. Returns 0, and changes nothing, when there is no such input, when a body that moves would
/// be left without mass, or when memory is short.
int ts_step_input_move(ts_sim* sim, ts_step_input_kind kind, int index, double amount);

/// How a derivative is found.
typedef enum ts_step_method {
    TS_STEP_IMPLICIT,    // by the equations of the step, contacts by the implicit derivative of their law
    TS_STEP_DIFFERENCE,  // by central differences of the whole step: the reference
    TS_STEP_CASCADE  // as TS_STEP_IMPLICIT, contacts by the cascade of staggered projections (ts_contact_derivative_cascade)
} ts_step_method;

/// "implicit", "difference", "cascade".
const char* ts_step_method_name(ts_step_method method);

/// How to differentiate.
typedef struct ts_step_derivative_settings {
    ts_step_method method;
    double tolerance;  // 1: share of the contact problem that may stay unmet in the step that is differentiated
    double increment;  // 1: scale of increments where something is differenced
    double
        nearness;  // 1: a change of mode that is no more roundings away is near, see ts_step_block_report; times the condition of the contacts (most 1e6, and that where they are hyperstatic)
    int foreseen;  // nonzero: ts_sim_foresee has been called and nothing was changed since; that step is taken as it is
} ts_step_derivative_settings;

/// implicit, tolerance 1e-12, increments 1, nearness 10.
ts_step_derivative_settings ts_step_derivative_default(void);

/// What would change first at a block.
typedef enum ts_step_change {
    TS_CHANGE_NONE,    // nothing: it holds whatever comes
    TS_CHANGE_CLOSES,  // it is open, and would press
    TS_CHANGE_OPENS,   // it presses, and would open
    TS_CHANGE_SLIPS,   // it sticks or holds, and would slip
    TS_CHANGE_STICKS,  // it slips or is at its bound, and would hold
    TS_CHANGE_PUSHES   // it presses where its gap turns: closed and left alone, or pushed out; or a stop that is passed
} ts_step_change;

/// "none", "closes", "opens", "slips", "sticks", "is pushed".
const char* ts_step_change_name(ts_step_change change);

/// What a block of rows does in the step, and how far it is from doing something else. Whose it is: ts_certify_describe.
typedef struct ts_step_block_report {
    ts_contact_mode mode;
    ts_step_change change;  // what is nearest
    double impulse;         // N s to that change; infinite where it is one of velocities
    double speed;           // m/s to that change; infinite where it is one of impulses
    double
        gap;  // m (rad): of what is open, what is left of the gap at the end of the step; of what presses, how far its gap is from where its
              // reference velocity has a kink (ts_contact_reference); else infinite
    double roundings;  // 1: the nearest in units of what solves leave open
} ts_step_block_report;

/// Whether to trust a derivative, from good to bad.
typedef enum ts_step_verdict {
    TS_STEP_REGULAR,         // it is the derivative
    TS_STEP_NEAR_CHANGE,     // it is, but a mode changes nearby; of differences those in `column_changed` are not
    TS_STEP_RANK_DEFICIENT,  // contacts are moved as bodies cannot follow: the least-squares answer
    TS_STEP_ONE_SIDED,       // a mode changes here: there is no derivative, but one to each side, and it is that to one
    TS_STEP_UNSUPPORTED      // something in the step has no derivative here: `reason`
} ts_step_verdict;

/// "regular", "near a change", "rank-deficient", "one-sided", "unsupported".
const char* ts_step_verdict_name(ts_step_verdict verdict);

/// What the numbers of a column are worth, from good to bad.
typedef enum ts_step_column_verdict {
    TS_COLUMN_EXACT,       // by equations
    TS_COLUMN_DIFFERENCE,  // a difference, of the step or of its stages, within which nothing changes
    TS_COLUMN_ONE_SIDED,   // the input ends here, or is taken to: it is the derivative to one side
    TS_COLUMN_USELESS      // a difference across a change of mode, or where the law jumps
} ts_step_column_verdict;

/// "exact", "difference", "one-sided", "useless".
const char* ts_step_column_verdict_name(ts_step_column_verdict verdict);

/// What there is to say about a derivative.
typedef struct ts_step_report {
    ts_step_verdict verdict;
    char reason[200];                   // for people; empty when regular
    int block_count;                    // of the step's problem
    const ts_step_block_report* block;  // (block_count), in memory of the arena
    int nearest;                        // the block nearest to a change, or -1
    int unknowns;                       // of the contact problem's linear system; 0 under TS_STEP_DIFFERENCE
    int rank;                           // less where contacts are hyperstatic
    double condition;  // 1: of that system; what a solve leaves open, impulses may be off by so many times of it
    double mismatch;   // 1: largest part of a right-hand side that no impulses meet
    double unmet;      // 1: largest share of a contact problem that stayed unmet
    int changed;  // columns in whose differences some contact, its feature or a mode changed, or the law was answered otherwise
    const unsigned char* column_changed;  // (columns) nonzero: this one; NULL: none was differenced
    unsigned differenced;                 // ts_step_part bits: what was differenced locally, at frozen impulses
    const unsigned char*
        column_verdict;  // (columns) ts_step_column_verdict, away from changes of mode: those are in `verdict`
    unsigned char input_verdict[TS_STEP_INPUT_KINDS];  // the worst of the columns of each kind
} ts_step_report;

/// What may have to be differenced.
typedef enum ts_step_part {
    TS_PART_STEP = 1,       // the step as a whole
    TS_PART_INPUTS = 2,     // all of it at frozen impulses, for some columns
    TS_PART_COLLISION = 4,  // where contacts of some pairs are
} ts_step_part;

/// The derivative of one step. It lives in the arena that it was made in. Several threads may use it, each with its own scratch.
typedef struct ts_step_derivative {
    int rows;     // 2 nv + act_count
    int columns;  // of all inputs
    ts_step_method method;
    ts_step_report report;
    const struct ts_step_derivative_parts* parts;
} ts_step_derivative;

/// Differentiates the step that ts_sim_step would make now, by `input_count` ranges of inputs. The simulation is left as ts_sim_foresee leaves
/// it, to the tolerance of the settings. TS_ERROR_VALUE: a range that the model does not have; TS_ERROR_UNSUPPORTED, TS_ERROR_NUMERIC: there is no derivative (the
/// report says why, `parts` is NULL); and what ts_sim_foresee returns.
ts_code ts_step_derivative_make(ts_sim* sim, const ts_step_derivative_settings* settings, const ts_step_input* input,
                                int input_count, ts_arena* arena, ts_step_derivative* out_derivative,
                                ts_status* out_status);

/// The Jacobian (rows x columns, row-major). Scratch is given back. TS_ERROR_MEMORY when it is short.
ts_code ts_step_derivative_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix);

/// Forward: the change of the result (rows) by a change `dx` of the inputs (columns). Scratch likewise.
ts_code ts_step_derivative_forward(const ts_step_derivative* derivative, const double* dx, ts_arena* scratch,
                                   double* out_dy);

/// Backward: from the gradient `y_bar` (rows) of a loss by the result that by the inputs (columns). Scratch likewise.
ts_code ts_step_derivative_reverse(const ts_step_derivative* derivative, const double* y_bar, ts_arena* scratch,
                                   double* out_x_bar);

// --- sensors ---

/// How the numbers of a sensor that shows the present state answer to it: out_by_q and out_by_v (numbers x nv, row-major, tangent). Most kinds have
/// equations; others (distances, rays, energies, ...) are differenced, which is told in *out_verdict: TS_COLUMN_USELESS where differences do not agree with each other. What a
/// cutoff holds has no slope. Recomputes kinematics. TS_ERROR_UNSUPPORTED: it shows what a step does, or the
/// force that the last one has left; TS_ERROR_VALUE: there is no such sensor; TS_ERROR_MEMORY.
ts_code ts_sensor_slopes(ts_sim* sim, int sensor, ts_arena* scratch, double* out_by_q, double* out_by_v,
                         ts_step_column_verdict* out_verdict, ts_status* out_status);

/// What an input does to the numbers of such a sensor itself, at a state that stays: masses, inertias and gravity, which centres of mass and energies go by; nothing for others. Same errors.
ts_code ts_sensor_by_input(ts_sim* sim, int sensor, ts_step_input_kind kind, int index, ts_arena* scratch,
                           double* out_slope, ts_status* out_status);

/// Sensors by inputs.
typedef struct ts_sensor_request {
    const ts_step_input* input;  // (input_count)
    int input_count;
    const int* sensor;  // (sensor_count) their numbers in the model
    int sensor_count;
} ts_sensor_request;

/// The Jacobian of what sensors show after a step, in memory of the arena.
typedef struct ts_sensor_jacobian {
    int rows;              // numbers of all sensors, in their order
    int columns;           // of all inputs
    const double* matrix;  // (rows x columns) row-major
    const unsigned char*
        row_verdict;  // (rows) ts_step_column_verdict of what is a sensor's own; columns have theirs in the report
    ts_step_report report;  // of the step
} ts_sensor_jacobian;

/// Differentiates what sensors show after the step that ts_sim_step would make now. Those of the state by their slopes there (ts_sensor_slopes) and the derivative of the step;
/// those of the step (accelerations, forces, touch, ...) by its velocity and impulses under TS_STEP_IMPLICIT where they have slopes, else by central differences of the whole step:
/// TS_COLUMN_USELESS where a contact changes within them. The
/// simulation is left as ts_step_derivative_make leaves it, whose errors are those of this.
ts_code ts_sensor_jacobian_make(ts_sim* sim, const ts_step_derivative_settings* settings,
                                const ts_sensor_request* request, ts_arena* arena, ts_sensor_jacobian* out_jacobian,
                                ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
