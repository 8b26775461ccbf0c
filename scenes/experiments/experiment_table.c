// The experiments. Protocols and expected figures: "Contact Models in Robotics: a Comparative Analysis".
#include "scenes/experiments/experiment_table.h"

#include <string.h>

static const ts_experiment experiments[] = {
    {"lcp-anisotropy", "Contact Models in Robotics, Fig. 9",
     "friction pyramids pull a sliding cube sideways and stop it early; cones do not", "sliding-cube-rotated", "all",
     1.098},
    {"ccp-lift-off", "Contact Models in Robotics, Fig. 10",
     "the convex relaxation lifts a sliding cube off the floor and dissipates too much at once", "sliding-cube", "all",
     0.3},
    {"three-models", "the picture in the README of Touchstone",
     "one push: the convex relaxation flies, the exact law slides straight, the friction pyramid turns left",
     "fast-cube", "ccp-pgs,ncp-pgs,lcp-pgs", 0.8},
    {"hyperstatic-forces", "Contact Models in Robotics, Fig. 11",
     "contact forces of a dragged cube are not unique while it sticks; it slips at 0.225 s", "dragged-cube", "all",
     0.6},
    {"mass-ratio", "Contact Models in Robotics, Fig. 12",
     "Gauss-Seidel leaves a light cube under a heavy one short of force", "unequal-cubes", "all", 0.1},
    {"million-to-one", "the worst case of Touchstone's own tests",
     "a million to one: who gets there, and who says that not", "tonne-on-gram", "all", 0.05},
};

int ts_experiment_count(void) { return (int)(sizeof experiments / sizeof experiments[0]); }

const ts_experiment* ts_experiment_at(int i) { return i >= 0 && i < ts_experiment_count() ? &experiments[i] : NULL; }

const ts_experiment* ts_experiment_find(const char* name) {
    for (int i = 0; i < ts_experiment_count(); ++i)
        if (strcmp(experiments[i].name, name) == 0) return &experiments[i];
    return NULL;
}
