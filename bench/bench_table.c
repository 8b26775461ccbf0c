// The one table of benchmarks, and the peers that a build may know.
#include "bench/bench.h"
#include "bench/bench_list.h"

#include <string.h>

// Adding one: a file, its declaration in bench_list.h, and a line here.
static const ts_bench benches[] = {
    {"broad-phase", "all pairs of 10^2 to 10^5 moving boxes: ours, sweeping, trying all, peers", ts_bench_broad_phase},
    {"contact-scaling", "cost of a contact in piles of 10 to 10^5: sweeps, solvers, memory, threads",
     ts_bench_contact_scaling},
    {"derivatives", "derivatives of collision detection: time by method, and contact poses found with them",
     ts_bench_derivatives},
    {"dynamics",
     "kinematics, inertia, inverse and forward dynamics by number of joints and on robots, beside MuJoCo, Pinocchio",
     ts_bench_dynamics_run},
    {"engine",
     "scenes of many bodies: time per stage, memory, sag, overlap, residual, growth, threads, beside other engines",
     ts_bench_engine_run},
    {"gjk-ellipsoids", "ellipsoids: variants of GJK against distance, normalisation, peers", ts_bench_gjk_ellipsoids},
    {"gjk-meshes", "hulls: variants of GJK by size and distance, speed-ups, peers", ts_bench_gjk_meshes},
    {"gjk-primitives", "boxes, spheres, capsules: our query beside peers", ts_bench_gjk_primitives},
    {"gradients", "tasks with known answers, by gradients of rollouts, differences and samples: iterations and time",
     ts_bench_gradients},
    {"manifold", "contact manifolds at rest and anyhow: points, accuracy, time, beside Bullet", ts_bench_manifold},
    {"ncp-stages", "which stage of ncp solves what: recorded problems, variants, heaps, scenes, robots",
     ts_bench_ncp_stages},
    {"penetration", "incremental depth beside EPA: accuracy, time, polyhedra, local minima", ts_bench_penetration},
    {"planar", "polygons in the plane: distance and collision, the six tables, beside Box2D and axes", ts_bench_planar},
    {"qp", "distance of two meshes as a quadratic program: generic solvers beside GJK", ts_bench_qp},
    {"robot-compliance", "Solo-12 on contacts softened by R: loads, creep and open forces beside their closed form",
     ts_bench_robot_compliance},
    {"robot-contacts", "contact problems of Solo-12, Talos and a hand: every solver, cold and warm, locked and not",
     ts_bench_robot_contacts},
    {"robots", "time per step and per stage of whole robots, one and many, beside MuJoCo", ts_bench_robots},
    {"simplex", "iterations of GJK, Frank-Wolfe and NESMINO on ellipsoids and cubes", ts_bench_simplex},
    {"solvers", "contact solvers: profiles, time to 1e-4, 1e-6, 1e-8, failures, beside Siconos",
     ts_bench_contact_solvers},
    {"step", "time per step and per contact of whole scenes, beside Bullet", ts_bench_step},
    {"support", "a hull's farthest vertex: scans against lists", ts_bench_support},
    {"warm-start", "where GJK should begin: objects falling into a funnel", ts_bench_warm_start},
};

enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

int ts_bench_count(void) { return BENCH_COUNT; }

const ts_bench* ts_bench_at(int i) { return &benches[i]; }

const ts_bench* ts_bench_find(const char* name) {
    for (int i = 0; i < BENCH_COUNT; ++i)
        if (strcmp(benches[i].name, name) == 0) return &benches[i];
    return NULL;
}

#ifndef TS_PEER_BULLET
#define TS_PEER_BULLET NULL
#endif
#ifndef TS_PEER_CCD
#define TS_PEER_CCD NULL
#endif
#ifndef TS_PEER_FCL
#define TS_PEER_FCL NULL
#endif
#ifndef TS_PEER_BOX2D
#define TS_PEER_BOX2D NULL
#endif
#ifndef TS_PEER_COAL
#define TS_PEER_COAL NULL
#endif
#ifndef TS_PEER_PROXSUITE
#define TS_PEER_PROXSUITE NULL
#endif
#ifndef TS_PEER_MUJOCO
#define TS_PEER_MUJOCO NULL
#endif
#ifndef TS_PEER_PINOCCHIO
#define TS_PEER_PINOCCHIO NULL
#endif
#ifndef TS_PEER_SICONOS
#define TS_PEER_SICONOS NULL
#endif

static const ts_bench_peer peers[] = {
    {"bullet", TS_PEER_BULLET},   {"libccd", TS_PEER_CCD},    {"fcl", TS_PEER_FCL},
    {"box2d", TS_PEER_BOX2D},     {"coal", TS_PEER_COAL},     {"proxsuite", TS_PEER_PROXSUITE},
    {"siconos", TS_PEER_SICONOS}, {"mujoco", TS_PEER_MUJOCO}, {"pinocchio", TS_PEER_PINOCCHIO},
};

int ts_bench_peer_count(void) { return (int)(sizeof peers / sizeof peers[0]); }

const ts_bench_peer* ts_bench_peer_at(int i) { return &peers[i]; }
