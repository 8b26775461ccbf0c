// MPI stays in this file. Ranks work alone and meet at the end; only a request to stop travels in between, as one message
// to each of the others, of which every rank sends at most one kind. Since all learn at the meeting who told, all those
// messages are received, and nobody waits for one that was not sent.
#include "cli/ranks.h"

#ifndef TS_HAVE_MPI

#include <stdlib.h>

// The number that a launcher left in the environment under one of these names; `otherwise` where there is none.
static int from_launcher(const char* const* name, int count, int otherwise) {
    for (int i = 0; i < count; ++i) {
        const char* found = getenv(name[i]);
        if (found) return (int)strtol(found, NULL, 10);
    }
    return otherwise;
}

ts_code ts_ranks_begin(ts_ranks* out_ranks, ts_status* out_status) {
    // Open MPI, MPICH and Intel MPI, srun.
    static const char* const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    static const char* const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    int count = from_launcher(size, 3, 1);
    *out_ranks = ts_ranks_here();
    if (count <= 1) return ts_status_ok(out_status);
    out_ranks->rank = from_launcher(rank, 3, 0);
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "built without MPI (TS_MPI=ON), each of %d processes would do all of the work, into the same "
                         "files; start one, which takes all cores with --threads",
                         count);
}

ts_ranks ts_ranks_here(void) {
    ts_ranks ranks = {0, 1, 0, 0, 0};
    return ranks;
}

void ts_ranks_tell(ts_ranks* ranks, int reason) {
    if (ranks->reason == 0) ranks->reason = reason;
}

int ts_ranks_reason(ts_ranks* ranks) { return ranks->reason; }

void ts_ranks_meet(ts_ranks* ranks) { (void)ranks; }

int ts_ranks_agree(const ts_ranks* ranks, int exit_code, ts_status* status) {
    (void)ranks;
    (void)status;
    return exit_code;
}

void ts_ranks_gather(const ts_ranks* ranks, const ts_text* own, ts_text* out_all) {
    (void)ranks;
    (void)own;
    (void)out_all;
}

int ts_ranks_share(const ts_ranks* ranks, int exit_code) {
    (void)ranks;
    return exit_code;
}

void ts_ranks_end(void) {}

#else

#include "cli/signals.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_STOP = 1, TAG_SIZE = 2, TAG_BYTES = 3 };

// Pieces in which bytes travel: MPI counts in int.
enum { PIECE = 1 << 20 };

// What mpirun (Open MPI, MPICH, Intel MPI) and srun leave in the environment of what they start. Asking MPI itself would
// start it, which takes a good part of a second and more than a program run alone should need.
static int started_by_launcher(void) {
    static const char* const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",           "PMI_RANK", "PMI_SIZE",
                                        "MPI_LOCALRANKID",      "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i)
        if (getenv(marks[i])) return 1;
    return 0;
}

static int joined(void) {
    int begun = 0;
    int over = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    return begun && !over;
}

ts_ranks ts_ranks_here(void) {
    ts_ranks ranks = {0, 1, 0, 0, 0};
    if (joined()) {
        MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    }
    return ranks;
}

ts_code ts_ranks_begin(ts_ranks* out_ranks, ts_status* out_status) {
    int threads = 0;
    if (!joined() && started_by_launcher()) MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    *out_ranks = ts_ranks_here();
    return ts_status_ok(out_status);
}

void ts_ranks_end(void) {
    if (joined()) MPI_Finalize();
}

void ts_ranks_tell(ts_ranks* ranks, int reason) {
    if (ranks->reason == 0) ranks->reason = reason;
    if (ranks->told) return;
    ranks->told = 1;
    // An int is sent without waiting for the one who gets it.
    for (int other = 0; other < ranks->count; ++other)
        if (other != ranks->rank) MPI_Send(&reason, 1, MPI_INT, other, TAG_STOP, MPI_COMM_WORLD);
}

static void hear(ts_ranks* ranks) {
    int reason = 0;
    MPI_Recv(&reason, 1, MPI_INT, MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ranks->heard++;
    if (ranks->reason == 0) ranks->reason = reason;
}

int ts_ranks_reason(ts_ranks* ranks) {
    int there = 0;
    if (ranks->count == 1) return ranks->reason;
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there) return ranks->reason;
        hear(ranks);
    }
}

// Waits without keeping a processor busy that another rank could use.
static void sleep_until_done(MPI_Request* request, ts_ranks* ranks) {
    for (int done = 0;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        if (ranks && ts_signals_caught()) ts_ranks_tell(ranks, ts_signals_caught());
        if (ranks) (void)ts_ranks_reason(ranks);
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}

void ts_ranks_meet(ts_ranks* ranks) {
    if (ranks->count == 1) return;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    sleep_until_done(&request, ranks);
    int tellers = 0;
    MPI_Allreduce(&ranks->told, &tellers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (ranks->heard < tellers - ranks->told) hear(ranks);
}

int ts_ranks_agree(const ts_ranks* ranks, int exit_code, ts_status* status) {
    if (ranks->count == 1) return exit_code;
    // The lowest rank with something to say; its number is less than the count, which stands for nobody.
    int mine = exit_code ? ranks->rank : ranks->count;
    int first = 0;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ranks->count) return 0;
    MPI_Bcast(&exit_code, 1, MPI_INT, first, MPI_COMM_WORLD);
    MPI_Bcast(status, (int)sizeof *status, MPI_BYTE, first, MPI_COMM_WORLD);
    return exit_code;
}

static void receive(int other, ts_text* out_text) {
    // A text that runs out of memory says so and takes no more, but all is received.
    static const size_t piece = PIECE;
    uint64_t length = 0;
    MPI_Recv(&length, 1, MPI_UINT64_T, other, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char* buffer = (char*)malloc(piece);
    if (!buffer) MPI_Abort(MPI_COMM_WORLD, 1);
    for (uint64_t done = 0; done < length;) {
        int count = (int)(length - done < piece ? length - done : piece);
        MPI_Recv(buffer, count, MPI_BYTE, other, TAG_BYTES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ts_text_add_bytes(out_text, buffer, (size_t)count);
        done += (uint64_t)count;
    }
    free(buffer);
}

void ts_ranks_gather(const ts_ranks* ranks, const ts_text* own, ts_text* out_all) {
    for (int other = 1; ranks->rank == 0 && other < ranks->count; ++other) receive(other, &out_all[other]);
    if (ranks->rank == 0) return;
    uint64_t length = own->length;
    MPI_Send(&length, 1, MPI_UINT64_T, 0, TAG_SIZE, MPI_COMM_WORLD);
    for (uint64_t done = 0; done < length;) {
        int count = (int)(length - done < PIECE ? length - done : PIECE);
        MPI_Send(own->data + done, count, MPI_BYTE, 0, TAG_BYTES, MPI_COMM_WORLD);
        done += (uint64_t)count;
    }
}

int ts_ranks_share(const ts_ranks* ranks, int exit_code) {
    if (ranks->count == 1) return exit_code;
    MPI_Request request;
    MPI_Ibcast(&exit_code, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    sleep_until_done(&request, NULL);
    return exit_code;
}

#endif
