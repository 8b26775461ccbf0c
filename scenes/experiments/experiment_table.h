// Experiments: one figure or table of the literature each, as a scene with the solvers to compare on it.
#ifndef TS_SCENES_EXPERIMENT_TABLE_H
#define TS_SCENES_EXPERIMENT_TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

/// An experiment. `touchstone compare NAME` runs it.
typedef struct ts_experiment {
    const char* name;     // "lcp-anisotropy"
    const char* source;   // what it reproduces
    const char* summary;  // one line: what to look at
    const char* scene;    // a scene of the scene table, or a file of this folder without its extension
    const char* solvers;  // comma-separated names, or "all"
    double duration;      // s
} ts_experiment;

/// How many experiments there are.
int ts_experiment_count(void);

/// Experiment number i.
const ts_experiment* ts_experiment_at(int i);

/// The experiment of that name, or NULL.
const ts_experiment* ts_experiment_find(const char* name);

#ifdef __cplusplus
}
#endif
#endif
