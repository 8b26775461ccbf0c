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

/// The contacts of a unit of the pairs.
typedef struct ts_pile_unit {
    const ts_manifold_point* point;  // (count) where they were found; gone when they are in the pairs
    int first, count;
    int run;     // of storage->contact_run
    int memory;  // the entry of sim->row_memory that its first contact goes on from, and its others from those behind it; -1: from others, or from none
} ts_pile_unit;

/// What a contact takes with it through a pile's step.
typedef struct ts_pile_contact {
    double mean;  // N s, that it has begun with (pile_start_internal.h); 0: none
    int steps;    // that this is of
    uint32_t feature;
} ts_pile_contact;

/// A contact that bounces.
typedef struct ts_pile_elastic {
    int contact;
    double restitution;
    double now;  // m/s, of its normal when the substep begins
} ts_pile_elastic;

/// A pile while its step goes on; lives in sim->scratch, its pairs in the first of storage->solve_scratch.
typedef struct ts_pile {
    ts_pairs* pairs;
    const ts_pile_unit* unit;  // by the pairs' numbers
    ts_pile_contact* contact;  // (contact_count)
    int* tree;                 // (pairs->body_count) of each body; -1 for what does not move
    unsigned char* flies_on;   // likewise; nonzero: TS_TREE_TOUCHED_ROUND
    ts_row_pause* pause;       // (contact_count) what the last step's memory says; NULL where it says nothing of any
    int elastic_count;
    ts_pile_elastic* elastic;  // (elastic_count) contacts that bounce
    double rest_speed;         // m/s, of its problem
} ts_pile;

/// Whether settings and model are those of a pile, whatever its contacts: then they may wait for it (storage->contacts_wait).
int ts_pile_may_be(const ts_sim* sim);

/// In place of kinematics in the first substep, where the step may be one of a pile: of lone bodies only where they and their geoms are. Returns 0, and
/// finds nothing, where it can't be one.
int ts_pile_begin(ts_sim* sim);

/// Looks at the contacts that the first substep has found: where the step is one of a pile (pile.c), its pairs are laid out; where it is not,
/// what ts_pile_begin left out is found. Returns 0 when memory
/// is short.
int ts_pile_open(ts_sim* sim);

/// What pairs are made of.
typedef struct ts_pile_layout {
    ts_sim* sim;
    ts_pile* pile;
    int* slot;            // (tree_count) the body of a tree; 0: none yet
    ts_pair_body* body;   // (tree_count + 1)
    double* velocity;     // (tree_count + 1) x TS_PAIR_SPEEDS, when the step begins
    ts_vec3* centre;      // (tree_count + 2) m, where levers on them begin; the last is nobody's
    ts_pair_unit* unit;   // likewise
    ts_pile_unit* whose;  // (unit_count) pile->unit
    int body_count;
    int unit_count;
} ts_pile_layout;

/// Contacts of a group of units into its lanes: ts_pair_source.fill, of a ts_pile_layout (pile_fill.c).
void ts_pile_fill_plain(void* layout, const int* unit, const ts_pair_seat* seat);
void ts_pile_fill_wide(void* layout, const int* unit, const ts_pair_seat* seat);

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
