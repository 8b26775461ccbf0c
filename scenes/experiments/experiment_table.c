// The list of experiments, and finding one. An experiment is one file in this folder and one name here.
#include "scenes/experiments/experiment.h"

#include <stdlib.h>
#include <string.h>

// X(name) stands for the ts_experiment called ts_name_experiment. Lists and scorecards show them in this order.
#define EXPERIMENTS(X)    \
    X(creep)              \
    X(stack)              \
    X(heavy_on_light)     \
    X(sliding_lift)       \
    X(isotropy)           \
    X(free_spin)          \
    X(pinch_creep)        \
    X(friction_ramp)      \
    X(restitution)        \
    X(conveyor)           \
    X(billiard)           \
    X(four_feet)          \
    X(wedge)              \
    X(painleve)           \
    X(drum)               \
    X(cradle)             \
    X(seams)              \
    X(kapla)              \
    X(leaning_cards)      \
    X(card_house)         \
    X(arch)               \
    X(dominoes)           \
    X(funnel)             \
    X(lcp_anisotropy)     \
    X(ccp_lift_off)       \
    X(ccp_bounce)         \
    X(three_models)       \
    X(hyperstatic_forces) \
    X(mass_ratio)         \
    X(million_to_one)     \
    X(stacked_cubes)      \
    X(compliance)         \
    X(compliance_robot)   \
    X(step_size)          \
    X(stopping)

#define DECLARE(name) extern const ts_experiment ts_##name##_experiment;
#define ADDRESS(name) &ts_##name##_experiment,

EXPERIMENTS(DECLARE)

static const ts_experiment* const table[] = {EXPERIMENTS(ADDRESS)};

int ts_experiment_count(void) { return (int)(sizeof table / sizeof table[0]); }

const ts_experiment* ts_experiment_at(int i) { return i >= 0 && i < ts_experiment_count() ? table[i] : NULL; }

const ts_experiment* ts_experiment_find(const char* name) {
    for (int i = 0; i < ts_experiment_count(); ++i)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

const char* ts_experiment_scene(const ts_experiment* experiment) {
    return experiment->scene ? experiment->scene : experiment->name;
}

int ts_experiment_runs(const ts_experiment* experiment) {
    return experiment->value_count > 0 ? experiment->value_count : 1;
}

double ts_experiment_value(const ts_experiment* experiment, int i) {
    return i < experiment->value_count ? experiment->values[i] : 0.0;
}

const ts_experiment* ts_experiment_of_scene(const char* name, double* out_value) {
    char plain[128];
    size_t length = strcspn(name, ":");
    if (length >= sizeof plain) return NULL;
    memcpy(plain, name, length);
    plain[length] = '\0';
    const ts_experiment* experiment = ts_experiment_find(plain);
    if (!experiment || !experiment->write) return NULL;
    *out_value = ts_experiment_value(experiment, 0);
    if (name[length] == '\0') return experiment;
    char* end;
    *out_value = strtod(name + length + 1, &end);
    return end != name + length + 1 && *end == '\0' && *out_value - *out_value == 0.0 ? experiment : NULL;
}
