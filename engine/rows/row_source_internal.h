// What makes rows of the contact problem: a source.
//
// Contacts, joint limits, dry friction, closed loops, gears: each is one file of engine/rows/ and one line of the table in
// row_table.c. A step asks every source in turn, in the order of the table:
//
//     plan      which blocks are there in this step: for each its key, set and bounds, rows, and what it moves
//     jacobian  the rows of a block over the degrees of freedom that it moves
//     law       reference velocity c*, compliance R and warm start of a block, from its velocities now and without rows
//     answer    (after the solve) what the solver said
//     remember  (after a successful step) what the next step shall know
//
// Assembly, islands, warm starts, snapshots, certificates, dumps of problems and recordings walk over blocks and ask the
// table; none of them knows a source by name. plan runs alone; the others may run on any thread, one block at a time, and
// write nowhere but where they are told and into what the source keeps of that very block.
//
// A source never sees how its rows are kept. It says "velocity of this point along this direction" or "this degree of
// freedom", into dense pieces, one per tree; whether assembly stores those run by run (long chains), as a whole tree (small
// robots, dense problems) or together with the rows of its neighbours (piles: blocks of equal key.whole that follow each
// other move the same bodies), whitened or not, is assembly's affair alone.
// jacobian and law are functions of the state, of options and of the block, without a memory of their own: their
// derivatives can stand beside them. What moves more than two chains of dofs (a tendon) names one dof per chain, in any
// number of trees. A set is any that contact/problem.h has, so an actuator with implicit gain is a box with c* and R, a
// weld six free rows.
#ifndef TS_ENGINE_ROW_SOURCE_INTERNAL_H
#define TS_ENGINE_ROW_SOURCE_INTERNAL_H

#include "engine/actuation/lever_internal.h"
#include "engine/rows/row_lanes_internal.h"
#include "engine/step/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The blocks of a step while they are being listed.
typedef struct ts_row_plan ts_row_plan;

/// A dense piece of a block's rows, over all degrees of freedom of one tree: ts_row_entry reads it.
typedef struct ts_row_piece {
    double* J;  // of a lone free body (rows x 6), row-major; of other trees side by side (row_lanes_internal.h)
    int tree;
    int is_free_body;  // nonzero: the tree is a lone free body
    int dof_first;
    int dof_count;
    int segment_first;  // the first segment that stores it, and the only one of a lone free body
    unsigned written;   // of a lone free body: a bit for each row that has been written to; the others hold nothing yet
    int rows;           // of other trees: of the block
    int segment_count;  // how many segments store it
    int may_stand_still;  // nonzero where joints could be such that nothing moves what the rows read
    double fastest;       // then: the largest velocity per unit of a whitened dof in its rows, kg^-1/2
    double*
        wrench;  // NULL, or (rows x 6): there are no entries in J yet, but couples and forces on the dofs of one chain
    const ts_delassus_segment* stored;  // NULL, or (segment_count) where entries stand, instead of J
} ts_row_piece;

/// Velocities of a block's rows, m/s or rad/s.
typedef struct ts_row_speeds {
    double now[TS_BLOCK_ROWS_MAX];   // J v when the step begins
    double free[TS_BLOCK_ROWS_MAX];  // J v_f, after the step without any rows
} ts_row_speeds;

/// Hears where the forces of a block's rows act, instead of the rows.
typedef struct ts_row_listener {
    const double* force;                                                       // (rows) N or N m
    void (*act)(const ts_sim* sim, int body, ts_vec3 point, ts_force wrench);  // on a body; world axes, at `point`
    double*
        pull;  // (tendon_count) N along each tendon, added up. Forces along degrees of freedom and actuators are not told.
} ts_row_listener;

/// The rows of a block while their source fills them (ts_row_add_point and its like).
typedef struct ts_row_jacobian {
    const ts_sim* sim;
    ts_row_piece* piece;  // (piece_count), one for each tree that the block moves
    int piece_count;
    // NULL: rows stay as they are; else rows of lone free bodies are whitened as they are added, and the speeds that they add
    // are noted: piles spend their assembly here.
    ts_row_speeds* speeds;
    const ts_row_listener* listener;  // NULL; else there are no pieces, and it is told
} ts_row_jacobian;

/// Row r's entry for dof d of the tree, of a piece that is stored.
double ts_row_stored_entry(const ts_row_piece* piece, int r, int d);

/// Row r's entry for dof d of the tree.
static inline double ts_row_entry(const ts_row_piece* piece, int r, int d) {
    if (piece->stored) return ts_row_stored_entry(piece, r, d);
    return piece->J[piece->is_free_body ? (size_t)(6 * r + d) : ts_row_lanes_at(piece->dof_count, r, d)];
}

/// The sum of the squares of row r: G_rr once rows are whitened.
double ts_row_squared(const ts_row_jacobian* J, int r);

/// The products of rows r to r + 2 with each other: their G once rows are whitened, 1 / kg.
ts_mat3 ts_row_products(const ts_row_jacobian* J, int r);

/// The mass of the lightest tree that the rows move, kg; infinite where they move none.
double ts_row_lightest(const ts_row_jacobian* J);

/// What decides how a block's rows shall move. Arrays have one entry per row.
typedef struct ts_row_law {
    const ts_row_speeds* speeds;
    const ts_row_jacobian* J;  // the rows, whitened
    double* reference;         // c*, to be filled; arrives zero
    double* R;                 // compliance, to be filled; arrives zero
    double* impulse;  // warm start; arrives zero where the source remembers in its own way, else as last step's
    int rigid;        // nonzero: as if nothing was soft, for a judge; R arrives zero and is left so
    int*
        slowed;  // set where less is asked for than is off, because joints could do it with absurd speeds only; arrives zero
} ts_row_law;

/// What a block's rows did in a step, for the books. Arrays have one entry per row.
typedef struct ts_row_work {
    const double* impulse;    // N s or N m s
    const double* before;     // J v, m/s or rad/s
    const double* after;      // J v+
    const double* reference;  // c*
    const double* R;          // as the solver has had it; NULL: rigid
    int soft;                 // nonzero: reference and R together are a spring and damper
} ts_row_work;

/// Where what blocks become stands, one behind the other from the first of their rows on.
typedef struct ts_row_place {
    double* J;          // whitened, segment by segment
    double* g;          // J v_f - c*
    double* reference;  // c*; arrives zero
    double* impulse;    // where it begins; arrives zero
    double* before;     // J v; NULL: nobody asks
} ts_row_place;

/// A source of rows. Block b is sim->row_block[b] and sim->problem.block[b].
typedef struct ts_row_source {
    const char* name;

    /// Whether a model can ever have rows of it: only then is it asked. NULL: yes, of equalities where some are of it.
    int (*fits)(const ts_model* model);

    /// Lists the blocks of this step (ts_row_plan_add), keys ascending.
    void (*plan)(ts_sim* sim, ts_row_plan* plan);

    /// Adds up the rows of block b, which arrive zero.
    void (*jacobian)(const ts_sim* sim, int b, ts_row_jacobian* J);

    /// See ts_row_law; NULL: hard rows without reference velocity.
    void (*law)(ts_sim* sim, int b, const ts_row_law* law);

    /// jacobian and law at once, for the blocks of a heap, of three rows, in a step in which nothing is soft: of [b, end) as many from b on as are alike.
    /// The bits of both. Returns how many; 0, with nothing done, for other blocks. NULL: there are none.
    int (*lone)(ts_sim* sim, const ts_row_plan* plan, int b, int end, const ts_row_place* place);

    /// Hears velocities J v+ and impulses of the problem's rows after the solve, and keeps those of blocks [b, end), all that it has, where users and
    /// recordings find them. NULL: recordings take the impulses as they are.
    void (*answer)(ts_sim* sim, int b, int end, const double* velocity, const double* impulse);

    /// Fills impulse and place of what is remembered of blocks [b, end), all that it has, each by its item, and their entries of `out_more`; all of these.
    /// NULL: the impulses of the rows are remembered as they are, and the next step starts from them, scaled by the ratio of time steps.
    void (*remember)(const ts_sim* sim, int b, int end, ts_row_memory* out_memory, ts_row_more* out_more);

    /// How many entries of sim->row_more blocks are remembered with, beside one for rows behind the third: two at most.
    int more;

    /// Books the work of block b (row_book.c). NULL: as its set suggests.
    void (*book)(const ts_sim* sim, int b, const ts_row_work* work, double* account);

    /// What a block belongs to, in a few words for people (ts_row_label). NULL: the equality, or nothing.
    void (*describe)(const ts_model* model, ts_row_key key, char* out_text, size_t size);

    /// Nonzero where all that its rows read are points and turns of bodies, at most one of a tree.
    int reads_bodies;

    /// Nonzero where the speeds that rows ask for are meant, however fast: motors. Zero: they mend what is off, and may be too much to ask.
    int drives;

    /// For a source of equalities (ts_equality.source): why it cannot make rows of this one, or NULL when it can. Asked
    /// once, while the model is built. NULL: no equality can be of this kind.
    const char* (*fault)(const ts_model* model, const ts_equality* equality);

    /// Likewise: how far an equality is from holding, for the last kinematics and lengths. Both arrive zero.
    void (*error)(const ts_sim* sim, const ts_equality* equality, double* out_length, double* out_angle);

    /// Likewise: what is to vanish, row by row, with its sign, m; the rows are its rate. NULL: it is mended by velocities only, never after a step
    /// (engine/step/close_ties.c).
    void (*offset)(const ts_sim* sim, const ts_equality* equality, double* out_offset);
} ts_row_source;

/// The table, by the number of a source (row_table.c).
extern const ts_row_source* const ts_row_source_table[];

/// Source i of the table.
static inline const ts_row_source* ts_row_source_at(int i) { return ts_row_source_table[i]; }

/// Sources that others know, of row_table.c.
extern const ts_row_source ts_row_contact, ts_row_joint_limit, ts_row_joint_friction, ts_row_tendon_limit,
    ts_row_tendon_friction, ts_row_servo, ts_row_connect, ts_row_weld, ts_row_joint_equality, ts_row_tendon_equality;

/// Whether block b of the step's problem is of that source.
static inline int ts_row_is(const ts_sim* sim, int b, const ts_row_source* source) {
    return ts_row_source_at(sim->row_block[b].source) == source;
}

// --- for plan ---

/// Lists a block: `block` gives set, bounds and rows (its first row is found), `chain` one degree of freedom for each chain
/// of dofs that it moves: that one and all it hangs on (ts_dof.parent). Chains of -1 are left out, so a body's dof_last
/// may be given as it is. What was remembered under that key is found by walking old and new together.
void ts_row_plan_add(ts_row_plan* plan, ts_row_key key, const ts_block* block, const int* chain, int chain_count);

/// Memory was short while blocks were being listed.
void ts_row_plan_fail(ts_row_plan* plan);

/// The same for a source that finds for itself what was remembered, and lists blocks in another order than it remembers
/// them in: `owner` gives key, item and memory. Returns 0 where it is not listed: it sleeps, or memory is short.
int ts_row_plan_add_matched(ts_row_plan* plan, const ts_row_block* owner, const ts_block* block, const int* chain,
                            int chain_count);

/// `count` more like the block that was listed last: but for key, item and memory of their owners, and friction, which the caller writes over, they
/// are that one. Returns 0, and lists none, where memory is short.
int ts_row_plan_add_alike(ts_row_plan* plan, int count);

/// Lists `count` blocks of `rows` rows where the last plan has such ones of the same source and whole, and they move nothing but lone free bodies: all that
/// ts_row_plan_add_matched and ts_row_plan_add_alike would write is there, but for part of the key, item, memory and `blocked` of their owners, and friction,
/// which the caller writes. What is listed by one whole moves the same chains in every step. Returns 0, and lists none, otherwise.
int ts_row_plan_keep(ts_row_plan* plan, uint64_t whole, int rows, int count);

/// The next active equality after number `e` (-1: the first) that is of the source whose turn it is, or -1.
int ts_row_next_equality(const ts_row_plan* plan, int e);

/// The equality that block b is of: key.whole is its number.
static inline const ts_equality* ts_row_equality_of(const ts_sim* sim, int b) {
    return &sim->model->equality[sim->row_block[b].key.whole];
}

/// Where the frame of side k (0, 1) of an equality is in the world, m.
static inline ts_vec3 ts_row_equality_point(const ts_sim* sim, const ts_equality* equality, int k) {
    return ts_transform_point(&sim->kinematics.body_pose[equality->body[k]], equality->frame[k].position);
}

/// The part [*out_first, *out_last) of sim->row_memory that belongs to a source of the table.
void ts_row_memory_range(const ts_sim* sim, int source, int* out_first, int* out_last);

// --- for jacobian ---

/// Adds sign * (direction . velocity of the point of `body` at `point`) to rows [row, row + rows), one direction each;
/// point and directions in world axes. A body that cannot move adds nothing.
void ts_row_add_point(ts_row_jacobian* J, int row, int rows, int body, ts_vec3 point, const ts_vec3* direction,
                      double sign);

/// Adds sign * (direction . angular velocity of `body`), likewise.
void ts_row_add_turn(ts_row_jacobian* J, int row, int rows, int body, const ts_vec3* direction, double sign);

/// Adds coefficient * qvel[dof] to a row.
void ts_row_add_dof(ts_row_jacobian* J, int row, int dof, double coefficient);

/// Adds coefficient * the rate of a lever to a row.
void ts_row_add_lever(ts_row_jacobian* J, int row, const ts_lever* lever, double coefficient);

// --- for book ---

/// Row r of what only pushes, in accounts (TS_LEDGER_ACCOUNTS): what takes the approach is of `stop`; a reference velocity that opens belongs to
/// restitution where it `bounces`, else to stabilisation.
void ts_row_book_push(const ts_row_work* work, int r, int bounces, ts_ledger_account stop, double* account);

/// Rows [first, first + count) of friction against something that runs at the speeds `drive` (one per row of the block; NULL: stands),
/// likewise. `slides`: the impulse is at its bound.
void ts_row_book_friction(const ts_row_work* work, int first, int count, const double* drive, int slides,
                          ts_ledger_account friction, double* account);

/// Whether an impulse is at its bound, but for what solvers leave.
static inline int ts_row_is_at_bound(double impulse, double bound) { return impulse >= (1.0 - 1e-6) * bound; }

/// All rows of block b, by its source or as its set suggests.
void ts_row_book_block(const ts_sim* sim, int b, const ts_row_work* work, double* account);

// --- for describe ---

/// "joint 3 'knee'", or "joint 3" when it has no name. Returns the length as snprintf does.
int ts_row_label(const char* kind, int index, const char* name, char* out_text, size_t size);

// --- for law ---

/// How fast an error of position (>= 0, m or rad) is to vanish, m/s or rad/s: by the share `baumgarte` per step, no faster than
/// push_out_speed.
double ts_row_mend_speed(const ts_options* options, double error);

/// The same for an angle (rad; rad/s), bounded by push_out_turn.
double ts_row_mend_turn(const ts_options* options, double error);

/// The acceleration of the point of `body` at `point` (world) while its joints do not accelerate, m/s^2: with J from
/// ts_row_add_point this is the part (dJ/dt) v of d(J v)/dt. Of the last ts_step_dynamics.
ts_vec3 ts_row_point_bias(const ts_sim* sim, int body, ts_vec3 point);

/// P(x), the polynomial of an equality's coefficients, and P'(x).
double ts_row_polynomial(const ts_equality* equality, double x, double* out_slope);

/// What rows that hold things together are to do.
typedef struct ts_row_tie {
    int turns;                           // nonzero: the error is an angle
    double error[TS_BLOCK_ROWS_MAX];     // m or rad: what is to vanish; the rows are its rate
    double bias[TS_BLOCK_ROWS_MAX];      // (dJ/dt) v, m/s^2 or rad/s^2
    const ts_mujoco_softness* softness;  // where the softness of the model is in force
    double weight;                       // MuJoCo's estimate of G_ii, kg^-1 or the like, for that
    double turn_weight;                  // the same of turns, kg^-1 m^-2
    int turn_first;                      // the first row of turns; 0: there are none
} ts_row_tie;

/// Their law: hard, but for a give that no one can see, and mended whole in a step, no faster than push_out_speed or _turn; or as soft as the model says
/// (row_tie.c).
void ts_row_tie_law(const ts_sim* sim, int rows, const ts_row_tie* tie, const ts_row_law* law);

#ifdef __cplusplus
}
#endif
#endif
