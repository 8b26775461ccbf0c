// The one list of contact solvers. Adding a solver is one file in contact/solvers/ and one line here.
#include <string.h>

#include "contact/solver.h"

// X(name) stands for the ts_solver called ts_name_solver. Menus and reports show them in this order.
#define SOLVERS(X)       \
    X(ncp_pgs)           \
    X(ccp_pgs)           \
    X(lcp_pgs)           \
    X(lcp8_pgs)          \
    X(lcp16_pgs)         \
    X(ncp_nsgs)          \
    X(ncp_newton)        \
    X(ncp)               \
    X(ccp_apgd)          \
    X(ccp_admm)          \
    X(ncp_admm)          \
    X(ncp_staggered)     \
    X(lcp_staggered)     \
    X(raisim)            \
    X(raisim_corrected)  \
    X(mujoco)            \
    X(sap)               \
    X(lcp_lemke)         \
    X(ccp_admm_anderson) \
    X(ncp_admm_anderson) \
    X(ncp_canal)         \
    X(ncp_subadmm)       \
    X(comfree)           \
    X(anchor)

#define DECLARE(name) extern const ts_solver ts_##name##_solver;
#define ADDRESS(name) &ts_##name##_solver,

SOLVERS(DECLARE)

static const ts_solver* const solver_table[] = {SOLVERS(ADDRESS)};

enum { SOLVER_COUNT = sizeof(solver_table) / sizeof(solver_table[0]) };

int ts_solver_count(void) { return SOLVER_COUNT; }

const ts_solver* ts_solver_at(int i) { return solver_table[i]; }

int ts_solver_number(const ts_solver* solver) {
    for (int i = 0; i < SOLVER_COUNT; ++i)
        if (solver_table[i] == solver) return i;
    return -1;
}

const ts_solver* ts_solver_find(const char* name) {
    for (int i = 0; i < SOLVER_COUNT; ++i)
        if (strcmp(solver_table[i]->name, name) == 0) return solver_table[i];
    return NULL;
}
