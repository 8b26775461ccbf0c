// The picture of the README: nothing is measured that other experiments do not measure.
#include "scenes/experiments/experiment.h"

const ts_experiment ts_three_models_experiment = {
    .name = "three-models",
    .source = "the picture in the README of Touchstone",
    .summary = "one push: the convex relaxation flies, the exact law slides straight, the friction pyramid turns left",
    .scene = "fast-cube",
    .solvers = "ccp-pgs,ncp-pgs,lcp-pgs",
    .duration = 0.8,
};
