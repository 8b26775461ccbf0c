// The derivative of a step by its equations: what is kept of the step, and who fills it.
//
// With M_hat = L^T L, rows J' = J L^-1 and z = L dv+, a change dx of the inputs gives
//     z = L^-T (B dx) + L V dx               at frozen impulses: by impulses B dx over the dofs, or by velocities V dx directly
//     du = J' z + D dx                       of the rows, at frozen impulses; of columns in V, U dx alone
//     z += J'^T d lambda,                    d lambda from du and dmu by the law (contact/derivative/)
//     dq+ = T dx + K L^-1 z                  K: how a position answers to the velocity that moves it
// and backwards every line is transposed, in the opposite order.
#ifndef TS_ENGINE_STEP_IMPLICIT_INTERNAL_H
#define TS_ENGINE_STEP_IMPLICIT_INTERNAL_H

#include "collision/derivative/proximity_derivative.h"
#include "contact/derivative/derivative.h"
#include "contact/mujoco_softness.h"
#include "engine/derivative/step_derivative_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The columns that are to be found at frozen impulses.
typedef struct ts_step_column {
    ts_step_input_kind kind;
    int index;
} ts_step_column;

/// One column of what is known by differences at frozen impulses, and where its parts begin.
typedef struct ts_step_frozen {
    int velocity;    // (nv) dv+
    int position;    // (nv) dq+, all of it but for d lambda
    int activation;  // (act_count)
    int row;         // (row_count) du
    int friction;    // (block_count) dmu
    int size;        // of a column
} ts_step_frozen;

/// How the impulses that a step gives a tree without rows answer to the tree's own inputs, at fixed velocity after the step: M_hat dv_f - dM_hat (v+ - v_f).
typedef struct ts_step_tree_slope {
    double* by_q;      // (n x n), and with what rows of this tree alone make of it; NULL: not known here
    double* by_v;      // (n x n); NULL: not known here
    double* by_force;  // (n x n); NULL: the time step on the diagonal
    int plain;         // nonzero: its forces and controls are known, whatever its rows
    double* coast;     // (n x 3 n) of what no row touches: its position by q, v and force; NULL: it moves by v+
    const double*
        held;  // (6 x 12) of a lone body in a medium: by_force, and position by force, with what the medium does held; NULL: there is none
} ts_step_tree_slope;

/// The same of a block of rows, over the dofs that move it.
typedef struct ts_step_block_slope {
    int row;
    int rows;
    int count;            // 0: there is nothing
    const int* dof;       // (count)
    const double* by_q;   // (rows x count) of u at fixed impulses and velocities
    const double* force;  // (count x count) of J^T lambda; NULL where that is in by_q of the tree
    const double* by_v;   // (rows x count) of u by the velocity before the step; NULL: nothing
} ts_step_block_slope;

/// The same of a drive by the input of its actuator.
typedef struct ts_step_drive_slope {
    double gain;  // N s per unit: of the impulse along its lever
    int row;      // of the drive; -1: it is none
    double push;  // m/s per unit: of u of that row
} ts_step_drive_slope;

/// A lever, copied.
typedef struct ts_step_lever {
    int count;
    const int* dof;
    const double* moment;
} ts_step_lever;

/// The derivative.
typedef struct ts_step_implicit {
    ts_step_derivative_parts shared;
    const ts_model* model;
    double time_step;
    int row_count;
    int block_count;
    ts_contact_runs rows;   // J', of blocks that act
    const int* mass_start;  // (tree_count + 1)
    const double* L;        // factors of all trees
    const double* inverse;  // (nv) one over their diagonals
    const int* coasts;      // (tree_count) nonzero: the tree moves in the integrator's own way
    const double*
        turn_by_velocity;  // (joint_count x 9) of joints with a quaternion that do not coast: d(turn+) / d(omega+)
    int has_contact;       // nonzero: there are rows
    const double* own_R;   // (row_count) as the solver has softened them; NULL: nothing
    ts_contact_derivative contact;
    ts_step_frozen frozen;
    int frozen_count;              // columns of `numbers`
    int asks_friction;             // nonzero: some column may change friction
    const int* frozen_column;      // (columns) its place in `numbers`, or -1
    const double* numbers;         // columns by frozen.size
    const ts_step_column* column;  // (columns)
    ts_step_tree_slope* tree;      // (tree_count)
    ts_step_block_slope* block;    // (block_count)
    ts_step_drive_slope* drive;    // (actuator_count)
    ts_step_lever* lever;          // (actuator_count)
    const int* geom;               // (block_count x 2) of contacts; -1; where friction is asked for
    const double* contact_pull;    // (contacts) N: what pulls them together; NULL: nothing does
    const double* pull;            // (nv) N and N m: all of it
    const ts_motion* axis;         // (nv) dof axes, where wrenches are asked for
    const ts_vec3* arm;            // (body_count) centres of mass from their trees' origins, likewise
    const double* turned;      // (joint_count x 9) of joints with a quaternion that do not coast: d(turn+) / d(turn)
    ts_kinematics kinematics;  // of the positions before and the velocities after the step; only while it is made
} ts_step_implicit;

/// Central differences at the impulses of the step, for `count` columns, into out_numbers (count x p->frozen.size). Leaves the simulation
/// without a step. out_changed (count): nonzero where a block that pressed is not there nearby.
ts_code ts_step_frozen_find(const ts_step_task* task, const ts_step_implicit* p, const ts_step_column* column,
                            int count, double* out_numbers, unsigned char* out_changed, ts_status* out_status);

/// First dof whose axis turns with that of dof d: of its quaternion, or itself.
static inline int ts_step_turns_with(const ts_model* model, int d) {
    const ts_joint* joint = &model->joint[model->dof[d].joint];
    int turn = joint->type == TS_JOINT_FREE ? joint->dof_first + 3 : joint->dof_first;
    return (joint->type == TS_JOINT_FREE || joint->type == TS_JOINT_BALL) && d >= turn ? turn : d;
}

/// The deepest dof of the chain whose dofs turn or shift the axis of dof d: it and those before it, and all of its quaternion.
static inline int ts_step_carrier(const ts_model* model, int d) {
    const ts_joint* joint = &model->joint[model->dof[d].joint];
    int turn = ts_step_turns_with(model, d);
    return joint->type == TS_JOINT_BALL || turn < d || (joint->type == TS_JOINT_FREE && d == joint->dof_first + 3)
               ? turn + 2
               : d;
}

/// Twists of the bodies of a tree at other velocities (dof_count of the tree) than those of the state; poses stay.
void ts_step_move_tree(const ts_model* model, int tree, const double* velocity, ts_kinematics* io_kinematics);

/// Finds what is known of trees without rows: fills p->tree, p->drive, p->lever. `scratch` is given back. Returns 0 when memory is short.
int ts_step_trees_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch);

/// The poses of the step with room for other velocities. Returns 0 when memory is short.
int ts_step_share_poses(const ts_sim* sim, ts_arena* arena, ts_kinematics* out_kinematics);

/// Whether a tree is a lone free body that the integrator frees.
int ts_step_is_freed(const ts_sim* sim, int tree);

/// Whether the integrator takes Coriolis forces of a tree ahead by their slopes C.
int ts_step_is_implicit(const ts_sim* sim, int tree);

/// Then N = M_hat (M_hat + h C)^-1 (n x n): from impulses to those that the tree answers to. Returns 0 when memory is short.
int ts_step_response(const ts_sim* sim, int tree, const double* C, ts_arena* scratch, double* out_N);

/// That of a lone free body that the integrator frees; nothing where the step was solved in parts. Returns 0 when memory is short.
int ts_step_lone_find(const ts_step_task* task, const ts_step_implicit* p, int tree, ts_step_tree_slope* out_slope);

/// A change of what a lone body is made of, of gravity and of the time step.
typedef struct ts_step_body_change {
    double mass;
    ts_vec3 centre;
    ts_mat3 inertia;  // about the centre
    ts_vec3 gravity;
    double time;
} ts_step_body_change;

/// That of a column, for the lone body of a tree.
ts_step_body_change ts_step_lone_change(const ts_sim* sim, int tree, ts_step_column column);

/// Of such a body, by a mass, an inertia, gravity or the time step: adds to out_position (6) where it coasts to, and gives the velocity (6) without rows.
void ts_step_lone_by_parameter(const ts_sim* sim, const ts_step_implicit* p, int tree, ts_step_column column,
                               double* out_velocity, double* io_position);

/// X of step_tree.c of what a medium does to a tree, of a step or round to the velocity `next`, added to by_q and by_v (both n x n). Nothing where it is a force on a
/// lone body. Returns 0 when memory is short.
int ts_step_fluid_add(const ts_sim* sim, int tree, const double* next, ts_arena* scratch, double* by_q, double* by_v);

/// As ts_step_drives_add_inertia, of what slows down. Returns 0 when memory is short.
int ts_step_fluid_add_inertia(const ts_sim* sim, int tree, const double* w, double scale, ts_arena* scratch,
                              double* by_q, double* by_v);

/// Adds dM_hat/dh y of the medium to x (both of the tree).
void ts_step_fluid_stretch(const ts_sim* sim, int tree, const double* y, double* x);

/// The force (6) of a medium on a lone body by position, velocity and applied force (6 x 6 each).
void ts_step_fluid_lone_find(const ts_sim* sim, int tree, double out_slopes[108]);

/// The same by a change of the body.
void ts_step_fluid_lone_by(const ts_sim* sim, int tree, const ts_step_body_change* change, double out_force[6]);

/// J_r(x) = d log(exp(x)^-1 exp(x + dx)) / dx.
ts_mat3 ts_step_turn_slope(ts_vec3 x);

/// Its inverse: how log(exp(x) exp(d)) goes with d.
ts_mat3 ts_step_log_slope(ts_vec3 x);

/// The rotation vector of a joint that is a ball, from its reference.
ts_vec3 ts_step_ball_turn(const ts_sim* sim, const ts_joint* joint);

/// Whether a tendon is a sum of joints: its moments are constant.
int ts_step_tendon_is_sum(const ts_model* model, int tendon);

/// By how much drive i pulls less for each m or rad that it gets longer, >= 0.
double ts_step_drive_stiffness(const ts_sim* sim, int drive);

/// How the moments of a tendon turn, dm_r / dq_c over its lever (count x count; NULL: it is only asked). Returns 0 where that is not known.
int ts_step_tendon_bend(const ts_sim* sim, int tendon, double* out_bend);

/// Whether what drive i pulls has its equations.
int ts_step_drive_is_plain(const ts_sim* sim, int drive);

/// Adds what w^T M_hat w of a tree at fixed w (dof_count of the tree) changes by, as drives stiffen, times `scale`, by position and velocity (dof_count both).
void ts_step_drives_add_inertia(const ts_sim* sim, int tree, const double* w, double scale, ts_arena* scratch,
                                double* by_q, double* by_v);

/// Adds h df/dq and h df/dv of the drives of a tree, of a step or round to the velocity `next` (both n x n); what is taken ahead included.
void ts_step_drives_add(const ts_sim* sim, int tree, const double* next, ts_arena* scratch, double* by_q, double* by_v);

/// Fills p->drive and p->lever. Returns 0 when memory is short.
int ts_step_drives_find(const ts_step_task* task, ts_step_implicit* p);

/// Whether what of drive i is taken ahead goes by its input.
int ts_step_drive_stiffens(const ts_sim* sim, int drive);

/// N per unit of its input, along its length: what drive i pulls beside a row, in a step that turns its rate into `next`.
double ts_step_drive_pull(const ts_sim* sim, int drive, double rate, double next);

/// How what of drive i is taken ahead (ts_drive) goes by its input.
double ts_step_drive_stiffening(const ts_sim* sim, int drive);

/// Whether a control is within its range.
int ts_step_control_is_inside(const ts_sim* sim, int actuator);

/// Whether what drive i pulls has its equations, and its tree.
int ts_step_drive_is_known(const ts_sim* sim, const ts_step_implicit* p, int drive);

/// Whether the column of a control is known from p->drive.
int ts_step_control_is_known(const ts_sim* sim, const ts_step_implicit* p, int actuator);

/// Whether the solver has softened block b by a rule of its own.
int ts_step_block_is_softened(const ts_sim* sim, const ts_step_implicit* p, int b);

/// Whether the velocity of a block matters, and its impulse may change: it is neither open nor at a bound.
int ts_step_block_acts(const ts_sim* sim, const ts_step_implicit* p, int b);

/// Finds the slopes of blocks: fills p->block and adds to p->tree; where something of a block has none, the by_q of the trees that it moves becomes NULL.
int ts_step_blocks_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch, ts_step_report* report);

/// Slopes of the laws of a contact's rows (at most TS_BLOCK_ROWS_MAX). Returns 0, and fills nothing, when contacts are hard.
int ts_step_contact_softness(const ts_sim* sim, const ts_contact* contact, ts_mujoco_row_slopes* out_slope);

/// The same of a limit or dry friction of a joint with one number, at its speed before the step. Returns 0 when block b is none that the model makes soft.
int ts_step_joint_softness(const ts_sim* sim, int b, ts_mujoco_row_slopes* out_slope);

/// Whether the law of block b is known to step_rows.c where the model's softness is in force.
int ts_step_soft_row_is_known(const ts_sim* sim, int b);

/// Those of connections and welds. Returns 0 when memory is short.
int ts_step_ties_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch);

/// Whether block b is a tie of any kind: of bodies, joints or tendons.
int ts_step_is_tie(const ts_sim* sim, int b);

/// dc* / dh of row r of a tie of any kind; `start` has the velocities before the step.
double ts_step_tie_rate(const ts_sim* sim, const ts_kinematics* start, int b, int r);

/// The row of a tie whose G gives row r its R, and R over that; -1: block b is none.
int ts_step_tie_stiffest(const ts_sim* sim, int b, int r, double* out_give);

/// Whether the column of a mass, an inertia, gravity, the time step, a restitution or a compliance has its equations here.
int ts_step_parameter_is_known(const ts_step_task* task, const ts_step_implicit* p, ts_step_column column);

/// Finds `count` of those, out_numbers as of ts_step_frozen_find. Returns 0 when memory is short.
int ts_step_parameters_find(const ts_step_task* task, ts_step_implicit* p, const ts_step_column* column, int count,
                            double* out_numbers);

/// How the centre of mass of a body, in its frame, goes with a column by its inertia.
ts_vec3 ts_step_centre_slope(const ts_model* model, ts_step_column column);

/// Slopes of the `count` contacts of a pair, the first given, by a twist of B at its centre. Returns 0 where they have none.
int ts_step_manifold_slopes(const ts_sim* sim, const ts_contact* first, int count,
                            ts_manifold_derivative_point* out_slope, ts_step_report* report);

/// Those of contacts, likewise.
int ts_step_contacts_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch, ts_step_report* report);

/// How G of a row answers to positions (engine/derivative/step_leverage.c).
typedef struct ts_step_leverage {
    double G;          // 1 / kg, J M^-1 J^T
    double* velocity;  // (nv) M^-1 J^T, of the trees that the row moves
    double* slope;     // (nv) dG at fixed J, of those trees
    double* by_v;      // (nv) likewise by the velocity before the step, which M_hat may go by
    ts_arena* scratch;
    ts_force* momentum;  // (body_count)
    ts_kinematics k;     // their poses, at these velocities
} ts_step_leverage;

/// Takes the room. Returns 0 when memory is short.
int ts_step_leverage_take(const ts_sim* sim, const ts_step_implicit* p, ts_arena* scratch, ts_step_leverage* out);

/// Of the combination `along` (rows) of the rows of block b. Returns 0 when memory is short.
int ts_step_leverage_find(const ts_sim* sim, const ts_step_implicit* p, int b, const double* along,
                          ts_step_leverage* io_leverage);

/// Room of an application.
typedef struct ts_step_workplace {
    double* z;         // (nv)
    double* du;        // (row_count)
    double* dlambda;   // (row_count)
    double* left;      // (row_count) of the equations of impulses
    double* change;    // (row_count) of dlambda, to mend that
    double* dmu;       // (block_count)
    double* column;    // (frozen.size) sum of columns at frozen impulses, or what multiplies them
    double* input[3];  // (nv) position, velocity, force
    double* position;  // (nv) what these move by themselves
} ts_step_workplace;

/// Takes it, all zero. Returns 0 when memory is short.
int ts_step_workplace_take(const ts_step_implicit* p, ts_arena* scratch, ts_step_workplace* out);

/// How often impulses are mended once they are found: what they do to bodies is asked of the rows again (contact/derivative/derivative.h), forward and backward alike.
int ts_step_rounds(const ts_step_implicit* p);

/// z <- L^-T z.
void ts_step_whiten(const ts_step_implicit* p, double* z);

/// z <- L^-1 z.
void ts_step_unwhiten(const ts_step_implicit* p, double* z);

/// y += J' z.
void ts_step_add_rows(const ts_step_implicit* p, const double* z, double* y);

/// Adds x times column c to what goes in.
void ts_step_add_input(const ts_step_implicit* p, int c, double x, ts_step_workplace* io_work);

/// A wrench's share in the force of dof d: number `index` of the wrenches of all bodies.
double ts_step_wrench_share(const ts_step_implicit* p, int index, int d);

/// Adds where the velocities after the step (nv) take positions that do not coast.
void ts_step_move_positions(const ts_step_implicit* p, const double* velocity, double* io_position);

/// Adds where column c, which has its equations, takes what coasts by itself; positions are `ld` apart.
void ts_step_add_coasting(const ts_step_implicit* p, int c, int ld, double* io_position);

/// ts_step_derivative_matrix.
ts_code ts_step_implicit_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix);

/// From what goes in to the result.
ts_code ts_step_finish_forward(const ts_step_implicit* p, ts_step_workplace* io_work, ts_arena* scratch,
                               double* out_mismatch, double* out_dy);

/// Forward, backward and matrix.
extern const ts_step_operator ts_step_implicit_operator;

#ifdef __cplusplus
}
#endif
#endif
