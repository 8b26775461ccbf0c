// What a simulation keeps for itself: constant tables made at creation, scratch of a step that outlives a single stage,
// and the next step's memory while it is being written.
#ifndef TS_ENGINE_SIM_INTERNAL_H
#define TS_ENGINE_SIM_INTERNAL_H

#include "collision/broad/obb.h"
#include "engine/dynamics/tree_scratch.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A geom that can touch another one.
typedef struct ts_collider {
    int geom;
    int has_box;    // zero for planes, and spheres: their boxes tell nothing that the broad phase does not know
    double margin;  // m: the most that this geom adds to that of a contact
    ts_vec3 half;   // m, of its box
    const ts_transform* placed;  // where its box is, in the geom's frame; NULL: there, and straight
    int turned;                  // of these none, else its place in ts_sim_storage.oriented
    int is_box;                  // nonzero: the geom is its box
    int is_fixed;                // nonzero: nothing ever moves it
    int dof;                     // the first of its body's six, where that is a lone one; else -1
    double size;                 // m: how far from its origin the geom's surface is at most
    double radius;               // m: how far from that of its body
} ts_collider;

/// How a geom moves while a step with substeps goes on (step/foresee_internal.h).
typedef struct ts_foreseen {
    double reach;    // m: how far it comes; 0 in other steps
    double turning;  // m/s: how fast its surface moves by turning at most; zero where its body is no lone one
} ts_foreseen;

/// What a lone body's rotation remembers of the last step (step/integrate/touched_rotation.c).
typedef struct ts_spin_memory {
    ts_vec3 torque;  // N m, world axes, about the centre of mass: what rows gave it
    int steady;      // nonzero: it was nearly the same in the step before
    double late;     // s: how long ago its velocity was that of the state; half a step where a contact was, else 0
} ts_spin_memory;

TS_ARRAY_DECLARE(ts_manifold_kept_array, ts_manifold_kept);
TS_ARRAY_DECLARE(ts_pair_search_array, ts_gjk_cache);

/// Whether a kinematic tree sleeps (step/sleep.c).
typedef enum ts_tree_sleep {
    TS_TREE_AWAKE,
    TS_TREE_LIES,  // and its poses and boxes are those of where it lies
    TS_TREE_FELL   // since the last step: they are not yet
} ts_tree_sleep;

/// What a simulation adds to the friction and restitution of all contacts of a geom (engine/derivative/step_input.c).
typedef struct ts_surface_move {
    double friction;
    double restitution;
} ts_surface_move;

/// A surface between two, and what it was made of.
typedef struct ts_known_surface {
    int is_known;
    int runs;                 // nonzero: one of the two does
    const ts_surface *a, *b;  // where these two are, while a search for contacts goes on
    ts_surface of_a, of_b, between;
} ts_known_surface;

/// A model whose masses are the simulation's own: all else is shared with the model that it was created for.
typedef struct ts_own_masses {
    ts_model model;
    ts_body* body;            // (body_count) model.body, writable
    ts_kinematic_tree* tree;  // (tree_count) model.tree, writable
} ts_own_masses;

/// What is known of a tree's mass matrix: bits (dynamics/mass_matrices.c).
enum {
    TS_TREE_MATRIX_STEADY = 1,   // but for what pulls at it ahead, it is the same in every pose and at every time step
    TS_TREE_MATRIX_FACTORED = 2  // it and its factor have been made, and nothing has pulled ahead then
};

/// How a tree has contacts.
typedef enum ts_tree_touch {
    TS_TREE_TOUCHED = 1,
    TS_TREE_TOUCHED_ROUND =
        2  // in a pile: a centred round body with all its weight, which between contacts flies and turns on
} ts_tree_touch;

/// Private part of a ts_sim.
typedef struct ts_sim_storage {
    ts_arena fixed;  // owns every array whose size the model decides

    // constant after creation
    int* body_tree;               // (body_count) model.body[].tree, one behind the other
    unsigned char* tree_is_lone;  // (tree_count) nonzero: one free body without armature and damping
    unsigned char* tree_matrix;   // (tree_count) what is known of its matrix: ts_tree_matrix
    int matrices_are_shared;  // nonzero: lone bodies that are alike have one matrix and factor (dynamics/mass_matrices.c)
    int constants_are_known;  // nonzero: all matrices and factors that are shared have been made
    int dof_most;             // most dofs of a tree
    int is_loose;  // nonzero: nothing but free joints without limits and dry friction, and no sensors of what happens in a step
    int collider_count;
    ts_collider* collider;  // (collider_count) by ascending geom
    int has_margins;        // nonzero: some geom or contact pair has one
    int pairs_search;  // nonzero: of some two kinds that are there touch is found by a search (ts_manifold_searches)
    double* dof_inverse_weight;     // (nv) kg^-1 or the like, see ts_row_weigh; NULL where nobody asks
    double* tendon_inverse_weight;  // (tendon_count) kg^-1, likewise
    double* inverse_weight;         // (body_count) kg^-1, likewise
    double* inverse_turn_weight;    // (body_count) kg^-1 m^-2, likewise; zero without equalities

    struct ts_lever* tendon_lever;  // (tendon_count)
    struct ts_drive* drive;         // (actuator_count + tendon_count) see actuation/actuation_internal.h
    int* tree_drive;                // those that pull at one tree, tree by tree
    int* tree_drive_first;          // (tree_count + 1) where those of a tree begin
    double* joint_excess;           // (nv) what limits of joints take of those that pull there, N or N m
    double* act_rate;               // (act_count) 1/s, of activations, over the present step
    int trees_are_joined;           // nonzero: something pulls at several trees, or there are activations
    int* joint_puller;              // (joint_count) the only actuator that pulls at it, -1: none, -2: several
    int joints_limit;               // nonzero: some joint limits what actuators pull at it
    int joints_share_limits;        // nonzero: at one of these several pull
    int all_are_motors;             // nonzero: no actuator's force depends on where it is or how fast
    int some_are_held;              // nonzero: something pulls at several trees, or at a lone body

    ts_surface_move* surface_move;  // (geom_count); NULL: none
    ts_own_masses* own_masses;      // sim->model is of it; NULL: none

    ts_tree_scratch tree_scratch;

    struct ts_sensor_motion* sensor_motion;  // what sensors know of a step; NULL where no sensor tells of one

    unsigned char* tree_asleep;  // (tree_count) ts_tree_sleep
    int asleep_count;            // trees that sleep
    struct ts_bed*
        bed;  // what is kept of sleep (step/sleep_internal.h); NULL until the option `sleep` is first more than 0

    // scratch of the dynamics, by trees and coordinates so that trees can be worked on at the same time
    unsigned char* tree_failed;    // (tree_count) nonzero: mass matrix not positive definite
    unsigned char* tree_unsolved;  // (tree_count) nonzero: see ts_step_info.unsolved_rotations
    ts_quat* turn;  // (tree_count) of a lone body that no row touches, over the step; not of every integrator
    unsigned char*
        tree_touched;          // (tree_count) nonzero: it has a contact, ts_tree_touch; only where the integrator asks
    int* midpoint_rounds;      // (tree_count) how often midpoint has found the bias anew
    double* thrust;            // (tree_count) what accelerates a tree without rows, a . M_hat a
    double* late_next;         // (tree_count) s: `late` of the next step's spin_memory
    double* inverse_diagonal;  // one over the diagonal of mass_factor, where trees have it: ts_sim_inverse_diagonal
    int* inverse_start;        // (tree_count + 1) where that is; the last: all numbers
    double* applied;  // (nv) generalised forces from outside: own_applied, or force_applied where there is nothing else
    double* own_applied;  // (nv) NULL until it is needed
    double*
        coast_position;  // (nq) where trees go that no row touches; NULL until an integrator of several stages needs it
    double* new_velocity;  // (nv) velocity at the end of the step
    double*
        plain_velocity;  // (up to the last dof of a tree that is more than a lone body) what midpoint improves: free velocity for the bias at the beginning

    ts_broad_phase* broad;  // remembers boxes and pairs for speed only: what it answers depends on the present boxes

    ts_arena*
        solve_scratch;  // one per worker; emptied before each stage that begins in them: pairs, contacts, a pile that is kept for whoever asks for its problem, a solve
    ts_known_surface* known_surface;  // one per worker: the last one that was asked for
    struct ts_row_plan* row_plan;     // the blocks of the present step; its arrays grow

    // boxes of the present step
    ts_bounds* bounds;      // (collider_count)
    double fixed_margin;    // m: the margin that those of fixed colliders have been made with; NaN: they have not
    ts_obb* oriented;       // boxes that do not lie as their geoms do
    ts_foreseen* foreseen;  // (geom_count) of colliders

    // of the present step; arrays live in sim->scratch
    int* contact_memory_index;  // (contact_count) entry of row_memory, or -1
    struct ts_contact_run*
        contact_run;  // (run_count) the contacts of one pair of geoms each (rows/contact_order_internal.h), as the search has found them
    int run_count;
    struct ts_found*
        found;  // what the search has found, until it is known whose contacts it becomes (step/found_internal.h); NULL: it is known
    struct ts_contact_note*
        contact_note;      // (contact_count) of a pile, and where one may be (step/pile_start_internal.h)
    int contact_softness;  // ts_soft_contact
    int has_means;  // nonzero: normal impulses of lone bodies begin towards their means (step/pile_start_internal.h)
    double leak;    // 1: so far, in the present substep; else zero
    double* reference;  // (row_count) c*, m/s
    double* push_out;   // (row_count) the same, 0 of rows that drive; `reference` itself where there are none
    // The same and R of the step as if nothing was soft; NULL where nothing is. Ties keep the give that no one can see.
    double* rigid_reference;
    double* rigid_R;
    ts_islands
        islands;  // of the problem; one without a list where nobody asked, none of a problem that nobody has solved
    double
        push_excess;  // of the step: how many times too much push-outs asked for (engine/step/push_excess.c); beyond 1 they are slowed down
    int closed_ties;  // connections and welds that the step left open, and whose error was taken out after it

    // of a step in substeps (step/substep.c), while it goes on
    int substep;                         // which, from 0
    int substep_count;                   // of them; 0 where there are none
    struct ts_carried_contact* carried;  // (contact_count); lives in sim->scratch
    ts_arena_scope after_contacts;       // what scratch holds when contacts are found
    int lacks_twists;                    // nonzero: of lone bodies the first substep knows no more than where they are
    struct ts_pile* pile;                // of a step of a pile (step/pile.c), else NULL; lives in solve_scratch[0]
    struct ts_pile*
        unshown;  // of the last step, while nobody has asked for its problem (ts_sim_problem), else NULL; likewise
    struct ts_pile* left;  // of the last step, whose contacts it has (ts_sim_contact), else NULL; likewise

    // of the books (step/ledger.c); NULL while none are kept
    struct ts_ledger* ledger;
    double* explicit_velocity;   // (nv) free_velocity before the integrator has seen it; lives in sim->scratch
    double* row_before;          // (row_count) J v, m/s; likewise
    const double* row_after;     // (row_count) J v+, m/s; there without books, too
    const double* row_softness;  // (row_count) R as the solver has had it, its own included; NULL: none

    // the memory the step leaves behind; swapped in by ts_step_integrate only, so a failed step changes nothing. Steps in substeps, which have moved on
    // when they fail, do without where they can
    int renews_pairs;  // nonzero: the present step writes pair_memory and kept themselves (pair_memory.c)
    ts_pair_memory_array pair_next;
    ts_row_memory_array row_next;      // not of piles (pile.c)
    ts_row_more_array more_next;       // likewise
    ts_manifold_kept_array kept;       // one of every pair in sim->pair_memory, or none at all; part of a snapshot
    ts_manifold_kept_array kept_next;  // likewise of pair_next
    ts_pair_search_array
        search;  // of the last search of every pair in sim->pair_memory, where pairs_search, else empty; part of a snapshot
    ts_pair_search_array search_next;  // likewise of pair_next
    ts_spin_memory* spin_memory;       // (tree_count) of the last step, and part of the state
} ts_sim_storage;

/// Finds the geoms that can touch another one. Returns 0 when memory is short (step/pairs.c).
int ts_sim_find_colliders(ts_sim* sim);

/// Whose ts_row_memory.solver the present solver reads and writes: ts_row_memory.keeper; 0 where it remembers nothing.
int ts_sim_keeper(const ts_sim* sim);

/// Drops the contacts, problem and impulses of the last step.
void ts_sim_forget_step(ts_sim* sim);

/// Brings kinematics and lengths to the present state, for the stages of a step.
void ts_sim_move_on(ts_sim* sim);

/// Puts what sensors show to zero.
void ts_sim_forget_sensors(ts_sim* sim);

/// The private part.
static inline ts_sim_storage* ts_sim_storage_of(const ts_sim* sim) { return (ts_sim_storage*)sim->storage; }

/// One over the diagonal of a tree's factor (dof_count); trees that share that share this.
static inline double* ts_sim_inverse_diagonal(const ts_sim* sim, int tree) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    return storage->inverse_diagonal + storage->inverse_start[tree];
}

/// Whether a tree (-1: none) sleeps.
static inline int ts_sim_tree_sleeps(const ts_sim* sim, int tree) {
    return tree >= 0 && ts_sim_storage_of(sim)->tree_asleep[tree] != TS_TREE_AWAKE;
}

/// Whether a body does.
static inline int ts_sim_body_sleeps(const ts_sim* sim, int body) {
    return ts_sim_tree_sleeps(sim, ts_sim_storage_of(sim)->body_tree[body]);
}

#ifdef __cplusplus
}
#endif
#endif
