// Steps of piles in substeps: contacts between lone free bodies and what does not move, and nothing else.
#ifndef TS_ENGINE_STEP_PILE_INTERNAL_H
#define TS_ENGINE_STEP_PILE_INTERNAL_H

#include "contact/pairs/pairs.h"
#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"
#include "engine/step/yield_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_PILE_GRAIN = 128 };  // bodies or trees that a thread takes at a time

/// A contact that bounces.
typedef struct ts_pile_bounce {
    int contact;
    double restitution;
    double now;  // m/s, of its normal when the substep begins
} ts_pile_bounce;

/// A pile while its step goes on, and until another step begins: what is of its contacts is known here and by their notes (storage->contact_note).
/// Lives with its pairs in the first of storage->solve_scratch.
typedef struct ts_pile {
    ts_pairs* pairs;
    double* before;           // (pairs->body_count x TS_PAIR_SPEEDS) velocities when the step begins
    ts_vec3* centre;          // (pairs->body_count) m, centres of mass when the last substep begins; NULL before
    int* tree;                // (pairs->body_count) of each body; -1 for what does not move
    unsigned char* flies_on;  // likewise; nonzero: TS_TREE_TOUCHED_ROUND
    ts_row_pause* pause;      // (contact_count) what the last step's memory says; NULL where it says nothing of any
    int elastic_count;
    ts_pile_bounce* elastic;
    double rest_speed;  // m/s, of its problem
} ts_pile;

/// Generalised velocities are those of the frame's origin in world axes, and of turning in the body's; pairs' are those of the centre of mass, all in
/// the world's.
static inline void ts_pile_take_speed(const ts_sim* sim, int tree, const double* from, double* to) {
    const ts_kinematic_tree* t = &sim->model->tree[tree];
    const ts_mat3* R = &sim->kinematics.body_pose[t->root].R;
    ts_vec3 v = ts_vec3_load(from + t->dof_first), omega = ts_vec3_load(from + t->dof_first + 3);
    if (t->kind != TS_TREE_CENTRED)
        v = ts_vec3_add(v, ts_mat3_mul_vec(R, ts_vec3_cross(omega, sim->model->body[t->root].centre)));
    ts_vec3_store(v, to);
    ts_vec3_store(ts_mat3_mul_vec(R, omega), to + 3);
    to[6] = to[7] = 0.0;
}

/// Half-way between where a lever of contact i, in its pair's frame with these axes, would be on A and on B.
static inline ts_four ts_pile_middle(const ts_pile* pile, int i, const ts_contact_axes* axes) {
    const ts_pairs* pairs = pile->pairs;
    ts_vec3 both = ts_vec3_add(pile->centre[ts_pairs_body(pairs, i, 0)], pile->centre[ts_pairs_body(pairs, i, 1)]);
    ts_four sum =
        ts_four_plus(ts_four_make(both.x, both.y, both.z, 0.0), ts_contact_along(axes, ts_pairs_offset(pairs, i)));
    return ts_four_times(0.5, sum);
}

/// Whether the present step may be one, as far as it is known before contacts are.
int ts_pile_may_be(const ts_sim* sim);

/// What there is to be counted of a pile.
typedef struct ts_pile_counts {
    int units;
    int elastic;  // contacts that bounce
    int pauses;   // nonzero: something is remembered of push-outs that stay away
} ts_pile_counts;

/// Whether the step is one (pile_layout.c), now that its contacts are found; and what there is of it.
int ts_pile_fits(const ts_sim* sim, ts_pile_counts* out);

/// Its pairs, in the first of storage->solve_scratch, where the search for contacts had what it found; that is still read. NULL when memory is short.
ts_pile* ts_pile_lay_out(ts_sim* sim, const ts_pile_counts* counts);

/// In place of kinematics in the first substep, where the step may be one of a pile: of lone bodies only where they and their geoms are. Returns 0, and
/// finds nothing, where it can't be one.
int ts_pile_begin(ts_sim* sim);

/// Looks at the contacts that the first substep has found: where the step is one of a pile (ts_pile_fits), its pairs are laid out; where it is not,
/// what ts_pile_begin left out is found. Returns 0 when memory
/// is short.
int ts_pile_open(ts_sim* sim);

/// Nonzero while the step is one of a pile.
static inline int ts_pile_is_on(const ts_sim* sim) { return ts_sim_storage_of(sim)->pile != NULL; }

/// Nonzero where the present substep leaves what the next step remembers: the last one of a pile, every other.
int ts_pile_remembers(const ts_sim* sim);

/// In place of kinematics in later substeps: all of it in the last one and where wrenches act, else only where lone bodies are.
void ts_pile_move_on(ts_sim* sim);

/// In place of assembly and solve: from sim->free_velocity to the new velocity and sim->info. The last substep leaves what the next step remembers;
/// contacts and the problem are there for whoever asks (pile_contact.c, pile_problem.c). TS_ERROR_MEMORY.
ts_code ts_pile_solve(ts_sim* sim);

/// What the last substep leaves, pair by pair of geoms (pile_leave.c). Returns 0 when memory is short.
int ts_pile_leave(ts_sim* sim, ts_pile* pile);

/// Ends the step; the pile is there for whoever asks what was solved.
void ts_pile_close(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
