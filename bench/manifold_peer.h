// Other libraries' contact manifolds behind one face, for the benchmark manifold.
#ifndef TS_BENCH_MANIFOLD_PEER_H
#define TS_BENCH_MANIFOLD_PEER_H

#include "bench/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most points that are asked for.
enum { TS_BENCH_MANIFOLD_POINTS = 16 };

/// One pair of shapes as it is in two frames of a simulation, a hair apart.
typedef struct ts_bench_contact_pair {
    ts_shape a;
    ts_shape b;
    ts_transform pose_a;
    ts_transform pose_b[2];
    double lower[2];  // m, certified bounds of the signed distance
    double upper[2];
    int expected;  // points, or 0 where any number is right
} ts_bench_contact_pair;

/// The contact that a library found.
typedef struct ts_bench_contact {
    int count;
    double gap[TS_BENCH_MANIFOLD_POINTS];  // m
} ts_bench_contact;

/// A way to make manifolds. Each pair keeps its memory between calls unless the way forgets it first.
typedef struct ts_bench_manifold_peer {
    const char* name;
    unsigned kinds;  // bits 1 << ts_shape_kind that it takes
    int setting;     // its file knows what this means
    void* (*prepare)(const struct ts_bench_manifold_peer* self, const ts_bench_contact_pair* pair, int count,
                     double margin);                         // NULL when it cannot
    void (*run)(void* prepared, int query);                  // the pair of that number, in its two frames by turns
    ts_bench_contact (*contact)(void* prepared, int query);  // what the last run found for it
    void (*release)(void* prepared);                         // NULL is ignored
} ts_bench_manifold_peer;

/// The rows of each file.
int ts_bench_manifold_bullet(const ts_bench_manifold_peer** out_peers);

#ifdef __cplusplus
}
#endif
#endif
