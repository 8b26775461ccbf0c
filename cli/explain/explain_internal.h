// Why a run ends up elsewhere than the exact one, or another: what differs between them, exchanged in every combination.
#ifndef TS_CLI_EXPLAIN_INTERNAL_H
#define TS_CLI_EXPLAIN_INTERNAL_H

#include "base/text.h"
#include "cli/args.h"
#include "scenes/scene_table.h"

/// What a run may owe its difference to.
typedef enum ts_ingredient {
    TS_INGREDIENT_LAW,            // the cone: relaxed, pyramid, nearly opposed friction; exact when exchanged
    TS_INGREDIENT_SOFTNESS,       // contacts that give way; rigid
    TS_INGREDIENT_SOLVE,          // tolerance and iterations; solved to rounding
    TS_INGREDIENT_ORDER,          // in which contacts are swept; exact: forward and backward in turn
    TS_INGREDIENT_STABILISATION,  // push-out of penetrations; none
    TS_INGREDIENT_NARROW,         // tolerance of the narrow phase; to rounding
    TS_INGREDIENT_MANIFOLD,       // contact points per pair; as many as there may be
    TS_INGREDIENT_INTEGRATOR,     // the way to integrate; rk4
    TS_INGREDIENT_STEP,           // time step; an eighth
    TS_INGREDIENT_COUNT
} ts_ingredient;

/// What is looked at.
typedef enum ts_effect {
    TS_EFFECT_ALONG,    // m, of the body in focus at the end, along its motion in the other run (or its first velocity)
    TS_EFFECT_SIDE,     // m, to the left of that
    TS_EFFECT_HEIGHT,   // m, against gravity
    TS_EFFECT_CLIMB,    // m, most above the start at any time
    TS_EFFECT_ENERGY,   // J, at the end
    TS_EFFECT_OVERLAP,  // m, worst
    TS_EFFECT_COUNT
} ts_effect;

/// One of the two runs: what of it may differ from the other.
typedef struct ts_explained {
    const ts_solver* solver;
    ts_options options;  // soft_contacts is 0 or 2: whether they are so
    double tolerance;
    double limit;  // of iterations
    double order;  // of its sweeps, see the solver's setting
} ts_explained;

/// An explanation. Zero-initialised plus args and scene.
typedef struct ts_explanation {
    const ts_args* args;
    ts_loaded_scene* scene;
    double duration;     // s
    ts_explained run;    // that is explained
    ts_explained other;  // the exact one, or that of --against
    ts_snapshot start;   // of --from, where all begin; empty: where the scene does
    int active_count;
    ts_ingredient active[TS_INGREDIENT_COUNT];  // those that differ
    char own[TS_INGREDIENT_COUNT][64];          // how it is in the run
    char exchanged[TS_INGREDIENT_COUNT][64];    // and in the other
    int law_and_softness;                       // nonzero: they cannot be told apart, LAW stands for both
    double value[1 << TS_INGREDIENT_COUNT]
                [TS_EFFECT_COUNT];                       // by which active ones are exchanged; NaN: that run failed
    char solver_of[1 << TS_INGREDIENT_COUNT][64];        // who solved it
    double share[TS_INGREDIENT_COUNT][TS_EFFECT_COUNT];  // of active ones: they add up to value[0] - value[all]
    int runs;                                            // that were made: combinations that come to the same are one
    int failed;                                          // combinations that did not reach their end
    int interrupted;
} ts_explanation;

/// Frees what it owns.
void ts_explanation_free(ts_explanation* self);

/// Finds out what differs, and where the runs begin. TS_ERROR_VALUE where nothing moves, or nothing differs, or --against asks for what is no ingredient.
ts_code ts_explanation_plan(ts_explanation* self, ts_status* out_status);

/// Makes all runs, on that many threads, and the shares.
ts_code ts_explanation_make(ts_explanation* self, int threads, ts_status* out_status);

/// "law", "softness".
const char* ts_ingredient_name(ts_ingredient ingredient);

/// What an effect is called, and its unit.
const char* ts_effect_name(ts_effect effect);

/// See ts_effect_name.
const char* ts_effect_unit(ts_effect effect);

#endif
