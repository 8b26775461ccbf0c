// One time step, and its stages one by one. The stages are called in this order by ts_sim_step; each reads and writes only
// fields of ts_sim, so a user may call any of them alone, or put something of his own between two.
#ifndef TS_ENGINE_STEP_H
#define TS_ENGINE_STEP_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Advances by options.time_step, in options.substeps parts (engine/step/substep.c): sim->info is then the worst and the sum of them, impulses
/// of contacts are those of the whole step, and problem (ts_sim_problem), impulse, certificate and sensors of the step those of the last substep.
/// TS_ERROR_NUMERIC when the state left the finite numbers (the state is then that of the step's, or with substeps of the last
/// substep's, beginning), TS_ERROR_MEMORY when memory is short, TS_ERROR_VALUE when the time step
/// was set to nothing that advances. A solver that did not converge is no error: see sim->info.
ts_code ts_sim_step(ts_sim* sim, ts_status* out_status);

/// All of a step but its end: contacts and forces are found, sensors of what happens in a step are measured, state and time stay.
/// TS_ERROR_NUMERIC and TS_ERROR_MEMORY as ts_sim_step; TS_ERROR_UNSUPPORTED with substeps, whose end is not that of one solve.
ts_code ts_sim_foresee(ts_sim* sim, ts_status* out_status);

/// Generalised forces of a step by where they come from, N or N m, each (nv); any may be NULL. Their sum is M a + b, with a the
/// acceleration and b = sim->bias.
typedef struct ts_step_forces {
    double* acceleration;  // m/s^2, rad/s^2: (v+ - v) / h
    double* applied;       // force_applied and wrench_applied
    double* actuator;      // actuators, as they have acted
    double* fluid;         // of the surrounding medium
    double* constraint;    // contacts, limits, dry friction, equalities
    double*
        passive;  // springs and dampers of joints and tendons: what is left; of lone bodies also what their integrator makes of their turning
} ts_step_forces;

/// Finds them after ts_sim_foresee (ts_sim_step has gone on to the next state). TS_ERROR_MEMORY; TS_ERROR_UNSUPPORTED
/// where something sleeps, since nothing was solved for it.
ts_code ts_step_find_forces(ts_sim* sim, const ts_step_forces* out_forces);

/// Where energy goes in a step. Work is in J, and counts from the side of the bodies: > 0 gives them energy.
typedef enum ts_ledger_account {
    // between motion and potential energy
    TS_LEDGER_GRAVITY,
    TS_LEDGER_SPRING,  // of joints
    TS_LEDGER_TENDON_SPRING,
    // what may give or take
    TS_LEDGER_ACTUATOR,
    TS_LEDGER_APPLIED,         // force_applied and wrench_applied
    TS_LEDGER_ADHESION,        // of contacts that stick
    TS_LEDGER_SURFACE,         // what drives surfaces that run by themselves
    TS_LEDGER_FLUID,           // the surrounding medium
    TS_LEDGER_DAMPING,         // of joints
    TS_LEDGER_TENDON_DAMPING,  // of tendons
    TS_LEDGER_DRY_FRICTION,    // of joints and tendons
    TS_LEDGER_LIMIT,           // ends of ranges of joints and tendons: what they stop
    TS_LEDGER_EQUALITY,        // connections, welds, gears
    TS_LEDGER_FRICTION,        // of contacts that slide
    TS_LEDGER_ROLLING,         // of contacts that roll or spin
    TS_LEDGER_NORMAL,          // what contacts take of an approach, as if nothing came back
    TS_LEDGER_RESTITUTION,     // what of it comes back
    TS_LEDGER_STABILISATION,   // errors of position that are mended: push-outs, ties pulled together
    TS_LEDGER_SOFTNESS,        // compliance R, the model's and the solver's; of contacts that are springs, the springs
    TS_LEDGER_SLEEP,           // what motion was left to bodies that fell asleep
    TS_LEDGER_VIOLATION,  // rows that act though they open, or hold and yet move: a relaxed law, an unfinished solve
    // the integrator: zero in the limit of short steps
    TS_LEDGER_INTEGRATOR_KINETIC,    // inertia that changes along the way, Coriolis and gyroscopic forces
    TS_LEDGER_INTEGRATOR_POTENTIAL,  // potential energy along the way, beside what its forces gave
    TS_LEDGER_ACCOUNTS
} ts_ledger_account;

/// The books of steps. Every impulse p gives p . (v + v+) / 2, in full, so that with work[] of the last step
///     end.kinetic - start.kinetic = all work but INTEGRATOR_POTENTIAL, + remainder
///     end.potential - start.potential = INTEGRATOR_POTENTIAL - GRAVITY - SPRING - TENDON_SPRING
/// and remainder is rounding, under every solver and integrator, solved or not. docs/laboratory.md says what is in the accounts.
typedef struct ts_ledger {
    ts_energy start;  // J, of the last step; end.kinetic + end.potential is ts_sim_energy's
    ts_energy end;
    double work[TS_LEDGER_ACCOUNTS];  // J
    double outside;                   // J: what the state had gained since the step before, set from outside
    double remainder;                 // J
    double within;                    // J: what rows took of the motion without them; of what rests (g h)^2 m / 2
    // over all steps so far
    long long steps;
    ts_energy first;                    // J, at the beginning
    double total[TS_LEDGER_ACCOUNTS];   // J: sums of work
    double turned[TS_LEDGER_ACCOUNTS];  // J: sums of |work|
    double total_within;                // J
    double total_outside;               // J
    double total_remainder;             // J: sum of |remainder|
} ts_ledger;

/// From now on ts_sim_step keeps books in *ledger, which is emptied and stays the caller's; NULL: it keeps none, and they cost nothing. States
/// stay the same to the bit. A step that fails is not booked.
void ts_ledger_keep(ts_sim* sim, ts_ledger* ledger);

/// "contact_friction": the name of an account, and a line for people (NULL: not wanted).
const char* ts_ledger_name(ts_ledger_account account, const char** out_summary);

/// J: the energy turned over: what the first step had of motion, all |work|, and what rows take within steps. What rounding is relative to.
double ts_ledger_turnover(const ts_ledger* ledger);

/// 1: what the last step's remainder is of the energy that it turned over: its motion at the start, all |work|, and what rows took within it. 0 where
/// nothing moved, and before the first step; not a number where the books have none.
double ts_ledger_step_share(const ts_ledger* ledger);

/// Poses, centres, axes, velocities and inertias from qpos and qvel.
void ts_step_kinematics(ts_sim* sim);

/// Boxes around geoms, and pairs of geoms that may touch: *out_pairs lives in sim->scratch.
ts_code ts_step_broad_phase(ts_sim* sim, ts_pair** out_pairs, int* out_pair_count);

/// Contacts of those pairs into sim->contact, with persistent keys and frames; where the step may be one of a pile (pile.c), what they are made of.
ts_code ts_step_narrow_phase(ts_sim* sim, const ts_pair* pairs, int pair_count);

/// Mass matrix and its factor, bias, and the velocity without contacts as the integrator has it. TS_ERROR_NUMERIC when a mass
/// matrix is not positive definite, TS_ERROR_MEMORY.
ts_code ts_step_dynamics(ts_sim* sim);

/// The contact problem (sim->problem) from contacts, limits and dry friction, warm-started impulses in sim->impulse.
ts_code ts_step_assemble(ts_sim* sim);

/// Solves sim->problem; fills sim->impulse, sim->info.solve and .residual, and the contacts' impulses and velocities.
ts_code ts_step_solve(ts_sim* sim);

/// Takes over the new velocity, moves positions with it, and remembers impulses for the next step.
ts_code ts_step_integrate(ts_sim* sim, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
