// Loads the peers that cannot live beside the others: a module with its own copies of what it links, whose names are
// looked up in itself first. Left loaded until the process ends.
#define _GNU_SOURCE  // RTLD_DEEPBIND
#include "bench/peer.h"

#include <dlfcn.h>
#include <string.h>

int ts_bench_solvers_coal(const ts_bench_solver** out_solvers) {
    int (*rows)(const ts_bench_solver**) = NULL;
    void* module = dlopen(TS_PEER_COAL_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void* symbol = module ? dlsym(module, "ts_peer_coal_solvers") : NULL;
    // The standard knows no cast from an object's address to a function's.
    if (symbol) memcpy(&rows, &symbol, sizeof rows);
    return rows ? rows(out_solvers) : 0;
}
