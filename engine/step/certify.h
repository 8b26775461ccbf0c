// The certificate of a step: what every contact and joint row of it does, and which laws its impulses obey; and its contact problem as a
// file, for other solvers and for later.
#ifndef TS_ENGINE_CERTIFY_H
#define TS_ENGINE_CERTIFY_H

#include "contact/judge/certificate.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Judges the last step's impulses (sim->problem, sim->impulse) to the tolerance of the sim's solver (force units);
/// verdict i is of block i, and contact k's is that of block sim->contact[k].block. Memory from `arena`. A step without
/// contacts has no blocks, and all laws hold. TS_ERROR_VALUE before the first step and where only ts_sim_forward was called since the
/// last one, so that nobody has solved anything; TS_ERROR_MEMORY.
ts_code ts_certify_step(const ts_sim* sim, ts_certificate_extent extent, ts_arena* arena,
                        ts_contact_certificate* out_certificate);

/// The verdict of contact i of the last step, whose certificate this is. Of a contact that sleeps (ts_contact.asleep) it is that of the step in
/// which it fell asleep, its block is that step's, and `certificate` may be NULL. NULL for a contact that no block is of.
const ts_contact_verdict* ts_certify_contact(const ts_sim* sim, const ts_contact_certificate* certificate, int i);

/// By how much the solver's own law, with its own softness, is broken at one block.
typedef struct ts_own_verdict {
    double unmet;              // 1: share of its island's problem; the largest is info.unmet
    ts_law_residual residual;  // its parts
} ts_own_verdict;

/// The same of every block of the last step: problem.block_count of them in memory of `arena`, NULL when memory is short.
ts_own_verdict* ts_certify_own(const ts_sim* sim, ts_arena* arena);

/// Whose block b of the last step (of ts_sim_problem) is, in a few words: "contact: geom 0 'floor', geom 4", "joint-limit: joint 3 'knee', upper end".
void ts_certify_describe(const ts_sim* sim, int b, char* out_text, unsigned long size);

/// Whose block has an impulse that is not finite, or else the largest, in the words of ts_certify_describe; after a step that failed, the
/// one to look at. Empty when that step had no rows or did not get to them.
void ts_certify_suspect(const ts_sim* sim, char* out_text, unsigned long size);

/// What every contact of the last step does, by its certificate: contact_count modes in memory of `arena`, all open before
/// the first step and after ts_sim_forward, and those recorded where the simulation shows a recording. NULL when there are no contacts or memory is short.
const ts_contact_mode* ts_certify_contacts(const ts_sim* sim, ts_arena* arena);

/// Writes the problem of the last step (sim->problem) in the local form of FCLIB (contact/file/fclib.h), with R in W. `scene`
/// goes into the title. Impulses N s, velocities m/s: the file does not know the time step. TS_ERROR_VALUE when the step
/// had no contacts, TS_ERROR_UNSUPPORTED when it had rows that are no frictional contact or in a build without HDF5,
/// TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_problem_dump(const ts_sim* sim, const char* scene, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
