// Problem: frame what swings so that it stays in the picture. Rule: what hangs on the world is let go in a copy of the simulation, some
// seconds ahead, and all its places count. Guaranteed: the simulation itself is not touched, and the same state gives the same
// answer; free bodies alone cost nothing. Known to fail: what controllers or people do meanwhile is not foreseen, and large
// robots are followed for a shorter time.
#include "scenes/scene_sizes.h"

#include "engine/step/step.h"

#include <string.h>

static const double ahead = 10.0;  // s

// Steps times degrees of freedom that may be spent on it: well under a tenth of a second for the robots and scenes at hand.
enum { MOST_WORK = 60000, STEPS_BETWEEN = 10 };

static int hangs_on_the_world(const ts_model* model, int tree) {
    const ts_body* root = &model->body[model->tree[tree].root];
    for (int j = root->joint_first; j < root->joint_first + root->joint_count; ++j)
        if (model->joint[j].type == TS_JOINT_FREE) return 0;
    return 1;
}

static void add_what_hangs(ts_scene_box* box, const ts_sim* sim) {
    const ts_model* model = sim->model;
    for (int g = 0; g < model->geom_count; ++g) {
        int tree = model->body[model->geom[g].body].tree;
        if (tree >= 0 && hangs_on_the_world(model, tree))
            ts_scene_box_add_shape(box, &model->geom[g].shape, ts_kinematics_geom(&sim->kinematics, g));
    }
}

// Makes room for what the copy does. A step that fails ends it: what has been seen until then is good.
static void follow(ts_scene_box* box, ts_sim* copy) {
    long long steps = (long long)fmin(ahead / copy->options.time_step, (double)MOST_WORK / (1.0 + copy->model->nv));
    for (long long i = 0; i < steps && ts_sim_step(copy, NULL) == TS_OK; ++i)
        if (i % STEPS_BETWEEN == 0) add_what_hangs(box, copy);
}

void ts_scene_sizes_reach(const ts_sim* sim, ts_vec3* out_min, ts_vec3* out_max) {
    ts_scene_box box = ts_scene_box_empty();
    ts_sim* copy = NULL;
    ts_snapshot state;
    memset(&state, 0, sizeof state);
    add_what_hangs(&box, sim);
    // Without memory the present pose must do.
    if (box.count && sim->options.time_step > 0.0 && ts_sim_create(sim->model, 1, &copy, NULL) == TS_OK) {
        copy->options = sim->options;
        if (ts_sim_snapshot(sim, &state, NULL) == TS_OK && ts_sim_restore(copy, &state, NULL) == TS_OK)
            follow(&box, copy);
        ts_snapshot_free(&state);
    }
    ts_sim_free(copy);
    ts_vec3 low, high;
    ts_scene_sizes_bounds(sim, &low, &high);
    ts_scene_box_add(&box, low, high);
    *out_min = box.low;
    *out_max = box.high;
}
