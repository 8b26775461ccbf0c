// ts_sim: where the world is *now*. State, contacts, warm starts and scratch; step it (engine/step/step.h) without touching the
// heap once warm; snapshot, restore and hash it. Many simulations may share one model.
//
// Fields may be read by anyone at any time between calls. Writable from outside between steps: time, qpos, qvel, ctrl, act,
// equality_active, mocap, force_applied, wrench_applied and options; call ts_sim_forward to see derived quantities of a changed state.
#ifndef TS_ENGINE_SIM_H
#define TS_ENGINE_SIM_H

#include "base/arena.h"
#include "base/spatial.h"
#include "base/task.h"
#include "collision/broad/broad_phase.h"
#include "collision/manifold/manifold.h"
#include "contact/island.h"
#include "contact/judge/certificate.h"
#include "contact/judge/figures.h"
#include "engine/contact.h"
#include "engine/dynamics/kinematics.h"
#include "engine/model/model.h"
#include "engine/rows/row_block.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a pair of geoms remembers from step to step. Sorted by key; part of a snapshot.
typedef struct ts_pair_memory {
    uint64_t key;  // geom_a << 32 | geom_b
    // Of ts_manifold_cache; what only searches need is kept apart (ts_sim_storage.search).
    ts_vec3 normal;
    int reference;
    int kept_count;
    uint32_t kept[TS_MANIFOLD_CAPACITY];
} ts_pair_memory;

TS_ARRAY_DECLARE(ts_pair_memory_array, ts_pair_memory);

/// Numbers about the last step.
typedef struct ts_step_info {
    ts_solve_report solve;  // iterations and stage: the most of the islands; status: as judged, see `unmet`
    ts_island_report islands;
    double unmet;          // 1: share of the solver's own law that is unmet, of the worst island; decides the status
    ts_law_residual own;   // that law, softened where the solver softens it
    ts_residual residual;  // against rigid contact, whatever was solved: all laws, from scratch
    int contact_count;     // those that were solved: without the ones of sleeping bodies
    int row_count;
    int asleep;                // kinematic trees that sleep when the step is over
    int fell_asleep;           // those that fell asleep at its end
    int woken;                 // those that woke when it began
    int pair_count;            // pairs the broad phase gave: boxes overlap, along the axes of the world and their own
    int pair_limit_reached;    // nonzero: the step failed because too many boxes overlap (ts_broad_phase_pair_limit)
    int held_back;             // islands whose answer, no solution, would have added energy: it is shortened
    int blocked;               // blocks of whose demands something was left out, see ts_row_blocked
    int kept_pairs;            // pairs whose contacts are those of an earlier step, moved on (the option keep_contacts)
    int narrow_failures;       // pairs whose query hit a limit or bad input
    int bad_bounds;            // geoms left out because their box was not finite
    int unsolved_rotations;    // trees that turn too fast for the step: their integrator's equation was not solved
    double worst_penetration;  // m, >= 0
    double seconds_kinematics;  // wall clock; where `times` asks for it, else 0
    double seconds_broad;
    double seconds_narrow;
    double seconds_dynamics;
    double seconds_assemble;
    double seconds_solve;
    double seconds_integrate;
    double seconds_total;
} ts_step_info;

/// Which times of a step `info` tells, and the clock is read for: a reading costs 25 to 100 ns, a step of a cube two microseconds.
typedef enum ts_step_times {
    TS_STEP_TIMES_NONE,
    TS_STEP_TIMES_TOTAL,  // of the whole step
    TS_STEP_TIMES_STAGES  // and of each stage
} ts_step_times;

/// Energies in J.
typedef struct ts_energy {
    double kinetic;
    double potential;  // gravity (zero at world height 0) and springs
} ts_energy;

/// A way to integrate: engine/step/integrate/integrator.h.
typedef struct ts_integrator ts_integrator;

typedef struct ts_sim ts_sim;

/// Called before each step: sets controls or applied forces. `user` is what ts_sim_set_control was given.
typedef void (*ts_control)(ts_sim* sim, void* user);

/// A simulation. Create with ts_sim_create.
struct ts_sim {
    const ts_model* model;  // borrowed
    ts_options options;     // starts as the model's
    ts_task_pool* tasks;    // owned; NULL with one worker
    const ts_solver* solver;
    unsigned char solver_settings[TS_SOLVER_SETTINGS_BYTES];
    const ts_integrator* integrator;
    ts_control control;  // see ts_sim_set_control
    void* control_user;
    ts_step_times times;  // starts with none

    // Where the last solve of every step notes how it converged (contact/trace.h), begun anew each time; the caller's, NULL: nowhere. Never changes
    // a bit. Steps of piles (step/pile.c) note nothing.
    struct ts_trace* trace;

    // state
    double time;  // s
    long long step_count;
    int start_keyframe;    // where a reset goes; -1: the pose the model is described in, at rest
    double* qpos;          // (nq)
    double* qvel;          // (nv)
    double* ctrl;          // (actuator_count) controls; kept until changed
    double* act;           // (act_count) activations
    int* equality_active;  // (equality_count) nonzero: it holds; starts as the model's
    double* mocap;  // (mocap_count x 7) m, quaternion: where bodies are that are moved from outside; kept until changed
    double* force_applied;     // (nv) generalised forces from outside, N or N m; kept until changed
    ts_force* wrench_applied;  // (body_count) world axes, about the body's centre of mass; kept until changed

    ts_kinematics kinematics;  // of qpos and qvel: poses of bodies and geoms, twists, inertias

    // from actuators: lengths and their rates when the step begins; forces then (after ts_sim_forward) or as they have acted in
    // the step, N or N m
    double* tendon_length;      // (tendon_count) m or rad
    double* tendon_velocity;    // (tendon_count)
    double* actuator_length;    // (actuator_count)
    double* actuator_velocity;  // (actuator_count)
    double* actuator_force;     // (actuator_count)
    double* force_actuator;     // (nv) what they make at the degrees of freedom; NULL: nothing, as there are none
    double* force_fluid;        // (nv) what a surrounding medium does there; NULL: nothing, as there has been none

    // from sensors (engine/model/sensor.h): see ts_sim_measure
    double* sensor;  // (sensor_size)

    // from dynamics
    double*
        mass_matrix;  // M_hat of the integrator: joint-space inertia and what of h D + h^2 K it takes ahead, one full
                      // row-major block per tree, see mass_start
    // (tree_count + 1) start of each tree's block, which lone bodies that are alike share, if any; the last: all numbers
    int* mass_start;
    double* mass_factor;    // L with mass_matrix = L^T L, the same layout; nonzero along chains of dofs only
    double* bias;           // (nv) Coriolis, centrifugal and gravity at the beginning of the step
    double* free_velocity;  // (nv) velocity after the step without contacts

    // contacts of the last step: those that were solved, sorted by pair, then feature; behind them those of bodies that slept through it, as
    // they were solved last
    ts_contact* contact;  // (contact_count); NULL after steps of piles (step/pile.c): ts_sim_contact knows them, too
    ts_contact_rare* contact_rare;  // (contact_count) NULL: of none is there anything; see ts_sim_contact_rare
    int contact_count;
    int asleep_contacts;  // how many of them are of sleeping bodies
    // (contact_count) what each was certified to do, where they come from a recording (ts_recording_take); else NULL: ask the certificate
    const ts_contact_mode* contact_mode;

    // what was solved; until the next step. After steps of piles it is written when ts_sim_problem asks for it, and empty before
    ts_contact_problem problem;
    const ts_row_block* row_block;  // (problem.block_count) whose each block is
    double* impulse;                // (problem.row_count) what the solver answered

    // memory between steps
    ts_pair_memory_array pair_memory;
    ts_row_memory_array row_memory;
    ts_row_more_array row_more;  // of row_memory

    ts_step_info info;
    ts_arena scratch;  // emptied when a step begins
    void* storage;     // ts_sim_storage (sim_internal.h); owns the fixed-size arrays
};

/// Contact i of the last step, whatever kind of step it was. Of one of a pile it is put together anew each time.
ts_contact ts_sim_contact(const ts_sim* sim, int i);

/// What few contacts have (engine/contact.h), of contact i.
static inline const ts_contact_rare* ts_sim_contact_rare(const ts_sim* sim, int i) {
    static const ts_contact_rare nothing = {0.0, 0.0, {0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    return sim->contact_rare ? &sim->contact_rare[i] : &nothing;
}

/// A simulation at the model's initial state, with `workers` >= 1 threads. Free with ts_sim_free before the model.
ts_code ts_sim_create(const ts_model* model, int workers, ts_sim** out_sim, ts_status* out_status);

/// Releases a simulation; NULL is ignored.
void ts_sim_free(ts_sim* sim);

/// Resets to the keyframe of that name, now and at every later reset; "none": at rest in the pose the model is described in, unless
/// a keyframe is called so. TS_ERROR_VALUE for unknown names, and the message lists the known ones.
ts_code ts_sim_start_from(ts_sim* sim, const char* name, ts_status* out_status);

/// Back to the initial state, forgetting contacts, warm starts and applied forces; options stay.
void ts_sim_reset(ts_sim* sim);

/// Takes qpos, qvel, ctrl, act and time from a keyframe; contacts and warm starts are forgotten. TS_ERROR_VALUE for a bad index.
ts_code ts_sim_set_keyframe(ts_sim* sim, int keyframe, ts_status* out_status);

/// Chooses the solver by name and puts its settings to those of the options' accuracy (with their tolerance and iterations).
/// Unknown names are TS_ERROR_VALUE, and the message lists the known ones.
ts_code ts_sim_set_solver(ts_sim* sim, const char* name, ts_status* out_status);

/// Chooses the integrator by name, capitals or not. Unknown names are TS_ERROR_VALUE, and the message lists the known ones.
ts_code ts_sim_set_integrator(ts_sim* sim, const char* name, ts_status* out_status);

/// Has `control` called at the beginning of each step from now on; NULL: nothing. `user` is handed to it and stays the caller's.
void ts_sim_set_control(ts_sim* sim, ts_control control, void* user);

/// Sets by name an option (options.h) or, as "solver.NAME", a setting of the present solver.
ts_code ts_sim_set(ts_sim* sim, const char* name, const char* value, ts_status* out_status);

/// Recomputes everything derived from qpos and qvel (kinematics, contacts without solving, bias); time does not advance.
ts_code ts_sim_forward(ts_sim* sim, ts_status* out_status);

/// Brings `kinematics` to the present state and leaves all else as the last step left it, contacts too.
void ts_sim_update_kinematics(ts_sim* sim);

/// Measures those sensors that show the present state, into sim->sensor; those that show what happens in a step have been measured in the
/// last one (or by ts_sim_foresee), and are zero where there was none. Recomputes kinematics.
void ts_sim_measure(ts_sim* sim);

/// sim->problem, and with it row_block and impulse, of the last step. Steps of piles (step/pile.c) leave them to be written by the first call,
/// not by two threads at once; any other step has written them. NULL when memory is short.
const ts_contact_problem* ts_sim_problem(const ts_sim* sim);

/// Why a body is awake, or that it sleeps; and what woke it. Option `sleep`; docs/sleep.md.
typedef enum ts_sleep_reason {
    TS_SLEEP_NONE,        // of a cause: nothing has woken it
    TS_SLEEP_FIXED,       // it cannot move
    TS_SLEEP_ASLEEP,      // it sleeps
    TS_SLEEP_OFF,         // nothing falls asleep: the option `sleep` is 0
    TS_SLEEP_NEVER,       // the model says that it never sleeps
    TS_SLEEP_ACTIVATION,  // an actuator that pulls at it has an activation, which changes by itself
    TS_SLEEP_DRIVEN,      // a surface that runs touches it
    TS_SLEEP_MOVES,       // faster than sleep_speed; value: m/s
    TS_SLEEP_DRIFTS,      // slower, but by more than sleep_distance; value: m
    TS_SLEEP_SETTLES,     // quiet, but not for long enough; value: s for how long
    TS_SLEEP_PARTNER,     // long enough, but not all of its island; other: a body that is not
    TS_SLEEP_TOUCHED,     // woken: something that is awake touched its island; other: that body
    TS_SLEEP_MOVED,       // woken: what its island hangs on or lies on was moved from outside; other: that body
    TS_SLEEP_CONTROL,     // woken: a control changed; other: the actuator
    TS_SLEEP_FORCE,       // woken: a force from outside changed
    TS_SLEEP_STATE,       // woken: position or velocity was set
    TS_SLEEP_EQUALITY,    // woken: an equality was switched; other: the equality
    TS_SLEEP_OPTION,      // woken: an option, the solver or one of its settings changed
    TS_SLEEP_ASKED,       // woken by ts_sim_wake
    TS_SLEEP_REASON_COUNT
} ts_sleep_reason;

/// What there is to know of a body's sleep.
typedef struct ts_sleep_state {
    ts_sleep_reason reason;  // now
    double value;            // of it; of a sleeper how many kinematic trees its island has
    int other;               // of it, or -1
    ts_sleep_reason cause;   // what woke it last
    int cause_other;         // of that, or -1
    double since;            // s: when it fell asleep, or was woken; 0: neither
} ts_sleep_state;

/// Of a body, after the last step.
ts_sleep_state ts_sim_sleep(const ts_sim* sim, int body);

/// The same in words: "moves at 0.031 m/s; woken at 1.2 s: touched by 'box-12'". Returns the length, as snprintf does.
int ts_sim_sleep_text(const ts_sim* sim, int body, char* out_text, unsigned long size);

/// The same of a state that was asked for earlier.
int ts_sleep_state_text(const ts_model* model, const ts_options* options, const ts_sleep_state* state, char* out_text,
                        unsigned long size);

/// "moves", "touched", ...: a reason in one word.
const char* ts_sleep_reason_name(ts_sleep_reason reason);

/// Wakes the island of a body when the next step begins, or begins its quiet time anew. Nothing happens to what cannot move.
void ts_sim_wake(ts_sim* sim, int body);

/// Kinetic and potential energy of the present qpos and qvel. Recomputes kinematics.
ts_energy ts_sim_energy(ts_sim* sim);

/// Linear velocity of a body's frame origin and angular velocity, both in world axes, from the present qvel and the last
/// kinematics.
ts_motion ts_sim_body_velocity(const ts_sim* sim, int body);

/// How far equality number `equality` is from holding, active or not: m, and rad where it ties angles. For the last kinematics and, of
/// tendons, the last step or ts_sim_forward.
void ts_sim_equality_error(const ts_sim* sim, int equality, double* out_length, double* out_angle);

/// A 64-bit hash of time, state, applied forces and warm starts: with the same options and solver, equal hashes have equal
/// futures.
uint64_t ts_sim_hash(const ts_sim* sim);

/// A saved state. Zero-initialised is empty; free with ts_snapshot_free.
typedef struct ts_snapshot {
    unsigned char* data;
    unsigned long size;
    unsigned long capacity;
} ts_snapshot;

/// Saves time, state, applied forces and warm starts; options and solver are not part of it and stay what they are when it is
/// restored, so that one state can be continued under several. TS_ERROR_MEMORY when memory is short.
ts_code ts_sim_snapshot(const ts_sim* sim, ts_snapshot* out_snapshot, ts_status* out_status);

/// Puts a saved state back, bit for bit; TS_ERROR_VALUE when it belongs to a model of other sizes.
ts_code ts_sim_restore(ts_sim* sim, const ts_snapshot* snapshot, ts_status* out_status);

/// Bytes that the simulation holds beside its model: state, memory between steps, and room for the largest step so far.
size_t ts_sim_memory(const ts_sim* sim);

/// Releases the memory.
void ts_snapshot_free(ts_snapshot* snapshot);

#ifdef __cplusplus
}
#endif
#endif
