// Steps of piles in substeps: contacts between lone free bodies and what does not move, and nothing else.
#ifndef TS_ENGINE_STEP_PILE_INTERNAL_H
#define TS_ENGINE_STEP_PILE_INTERNAL_H

#include "contact/pairs/pairs.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"
#include "engine/step/yield_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A pile while its step goes on; lives in sim->scratch, its pairs in the first of storage->solve_scratch.
typedef struct ts_pile {
    ts_pairs* pairs;
    int* tree;                // (pairs->body_count) of each body; -1 for what does not move
    unsigned char* flies_on;  // likewise; nonzero: TS_TREE_TOUCHED_ROUND
    ts_row_pause* pause;      // (contact_count) what the last step's memory says; NULL where it says nothing of any
    int elastic_count;
    int* elastic;         // contacts that bounce
    double* elastic_now;  // (elastic_count) m/s, of their normals when the substep begins
    double rest_speed;    // m/s, of its problem
} ts_pile;

/// In place of kinematics in the first substep, where the step may be one of a pile: of lone bodies only where they and their geoms are. Returns 0, and
/// finds nothing, where it can't be one.
int ts_pile_begin(ts_sim* sim);

/// Looks at the contacts that the first substep has found: where the step is one of a pile (pile.c), its pairs are laid out; where it is not,
/// what ts_pile_begin left out is found. Returns 0 when memory
/// is short.
int ts_pile_open(ts_sim* sim);

/// Nonzero while the step is one of a pile.
static inline int ts_pile_is_on(const ts_sim* sim) { return ts_sim_storage_of(sim)->pile != NULL; }

/// Nonzero where the present substep leaves what the next step remembers: the last one of a pile, every other.
int ts_pile_remembers(const ts_sim* sim);

/// In place of kinematics in later substeps: all of it in the last one and where wrenches act, else only where lone bodies are.
void ts_pile_move_on(ts_sim* sim);

/// In place of assembly and solve: from sim->free_velocity to the new velocity and sim->info. The last substep leaves contacts, with the impulses of all
/// substeps, and what the next step remembers; the problem is written when somebody asks for it (pile_problem.c). TS_ERROR_MEMORY.
ts_code ts_pile_solve(ts_sim* sim);

/// What the last substep leaves, pair by pair of geoms (pile_leave.c). Returns 0 when memory is short.
int ts_pile_leave(ts_sim* sim, ts_pile* pile);

/// Ends the step; the pile is there for whoever asks what was solved.
void ts_pile_close(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
