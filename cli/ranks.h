// One program on several processors or machines: the ranks of an MPI job. Started the ordinary way, or built without
// TS_MPI, it is one rank and all of this costs nothing.
#ifndef TS_CLI_RANKS_H
#define TS_CLI_RANKS_H

#include "base/status.h"
#include "base/text.h"

/// Where this process is in the job, and what the ranks told one another.
typedef struct ts_ranks {
    int rank;    // 0..count-1; rank 0 speaks and writes for all
    int count;   // 1 without MPI
    int told;    // nonzero: this rank told the others to stop
    int heard;   // how many others have
    int reason;  // the first reason, 0: nobody has
} ts_ranks;

/// Joins the job when mpirun or srun started one. Built without TS_MPI it refuses one of several (TS_ERROR_UNSUPPORTED): each would do all of the work, into
/// the same files; out_ranks then says which of them this is.
ts_code ts_ranks_begin(ts_ranks* out_ranks, ts_status* out_status);

/// This rank in the job joined before.
ts_ranks ts_ranks_here(void);

/// Tells all ranks, this one among them, to stop; not zero: a signal, or anything else that only says "stop".
void ts_ranks_tell(ts_ranks* ranks, int reason);

/// Why to stop, 0 for going on. Quick enough to ask after every step.
int ts_ranks_reason(ts_ranks* ranks);

/// Waits until all ranks are here, and meanwhile passes on signals that this one gets. Afterwards all know the same.
void ts_ranks_meet(ts_ranks* ranks);

/// The first rank with a nonzero exit code decides: all get its exit code and status.
int ts_ranks_agree(const ts_ranks* ranks, int exit_code, ts_status* status);

/// Sends `own` to rank 0, which finds it in out_all (count entries, empty before; its own stays empty).
void ts_ranks_gather(const ts_ranks* ranks, const ts_text* own, ts_text* out_all);

/// The exit code of rank 0, for all.
int ts_ranks_share(const ts_ranks* ranks, int exit_code);

/// Leaves the job.
void ts_ranks_end(void);

#endif
