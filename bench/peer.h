// Who answers the narrow phase's questions: our own ways and other libraries', behind one face. Libraries are here only
// when the build found them (TS_PEERS); each lives in a file of its own, peer_NAME.
#ifndef TS_BENCH_PEER_H
#define TS_BENCH_PEER_H

#include "bench/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is asked about a pair; bits, so that a solver can say what it answers.
typedef enum ts_bench_question {
    TS_BENCH_ASK_DISTANCE = 1,  // signed distance of shapes that are apart
    TS_BENCH_ASK_VERDICT = 2,   // whether they overlap
    TS_BENCH_ASK_DEPTH = 4      // signed distance of shapes that overlap
} ts_bench_question;

/// What came back.
typedef struct ts_bench_answer {
    double distance;  // m, signed; not meaningful for a verdict
    int overlap;
    int iterations;  // -1 unknown
    int failed;      // nonzero when the solver says that it has no answer
} ts_bench_answer;

/// A solver of one library with one setting. `prepare` builds what a library needs to answer about these pairs, so that
/// only answering is timed; NULL when it cannot.
// The order is that of the rows of the tables, not of sizes. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
typedef struct ts_bench_solver {
    const char* name;  // "coal Nesterov"
    const char* note;  // its tolerance
    int questions;     // ts_bench_question bits
    unsigned kinds;    // bits 1 << ts_shape_kind that it takes
    int setting;       // its file knows what this means
    double tolerance;  // its file knows what this means
    void* (*prepare)(const struct ts_bench_solver* self, const ts_bench_pair* pair, int count,
                     ts_bench_question question);
    void (*run)(void* prepared, int query);           // answers query number `query`
    ts_bench_answer (*answer)(const void* prepared);  // the last answer
    void (*release)(void* prepared);                  // NULL is ignored
    int fragile;  // nonzero: may end the process on some input, so it is tried in a child first
} ts_bench_solver;

/// How many solvers this build has; ours come first.
int ts_bench_solver_count(void);

/// Solver number i.
const ts_bench_solver* ts_bench_solver_at(int i);

/// Nonzero when the solver answers this question about such a pair.
int ts_bench_solver_takes(const ts_bench_solver* solver, ts_bench_question question, const ts_bench_pair* pair);

/// The rows of each file.
int ts_bench_solvers_touchstone(const ts_bench_solver** out_solvers);
int ts_bench_solvers_coal(const ts_bench_solver** out_solvers);
int ts_bench_solvers_fcl(const ts_bench_solver** out_solvers);
int ts_bench_solvers_ccd(const ts_bench_solver** out_solvers);
int ts_bench_solvers_bullet(const ts_bench_solver** out_solvers);

#ifdef __cplusplus
}
#endif
#endif
