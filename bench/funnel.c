// Two objects fall into a funnel of a floor and four planes that lean outwards by 30 degrees from the vertical, 0.05 m from
// the middle at the floor (GJK++, Fig. 12 and 13; what the text leaves out is as in the authors' published program:
// friction 0.4, restitution 0.2, 1 kg, contacts from 1 mm, velocities uniform in [0, 1) m/s and rad/s). The simulator is
// ours, so trajectories are like theirs, not theirs.
#include "bench/funnel.h"

#include "base/rng.h"
#include "collision/broad/obb.h"
#include "engine/model/builder.h"
#include "engine/sim.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double margin = 1e-3;  // m

static int add_plane(ts_builder* builder, ts_vec3 position, ts_vec3 normal) {
    ts_geom_def def = ts_geom_def_default();
    def.shape = ts_shape_plane();
    def.pose.position = position;
    def.pose.rotation = ts_quat_between(ts_vec3_axis(2), normal);
    def.surface.friction = 0.4;
    def.surface.restitution = 0.2;
    return ts_builder_add_geom(builder, &def) >= 0;
}

static int add_funnel(ts_builder* builder) {
    const double c = 0.86602540378443865;
    const double s = 0.5;
    const double w = 0.05;
    return add_plane(builder, ts_vec3_zero(), ts_vec3_axis(2)) &&
           add_plane(builder, ts_vec3_make(w, 0.0, 0.0), ts_vec3_make(-c, 0.0, s)) &&
           add_plane(builder, ts_vec3_make(-w, 0.0, 0.0), ts_vec3_make(c, 0.0, s)) &&
           add_plane(builder, ts_vec3_make(0.0, w, 0.0), ts_vec3_make(0.0, -c, s)) &&
           add_plane(builder, ts_vec3_make(0.0, -w, 0.0), ts_vec3_make(0.0, c, s));
}

// The hull's centroid goes to `centre`: scanned objects do not sit at their origin.
static int add_object(ts_builder* builder, const ts_hull* hull, ts_vec3 centre, ts_quat rotation, ts_rng* rng) {
    ts_body_def body = ts_body_def_default();
    body.pose.rotation = rotation;
    body.pose.position = ts_vec3_sub(centre, ts_quat_rotate(rotation, hull->centroid));
    int index = ts_builder_add_body(builder, &body);
    if (index < 0) return 0;
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_FREE;
    ts_geom_def geom = ts_geom_def_default();
    geom.body = index;
    geom.shape = ts_shape_hull(hull);
    geom.mass = 1.0;
    geom.surface.friction = 0.4;
    geom.surface.restitution = 0.2;
    double v[6];
    for (int k = 0; k < 6; ++k) v[k] = ts_rng_uniform(rng);
    return ts_builder_add_joint(builder, &joint) >= 0 && ts_builder_add_geom(builder, &geom) >= 0 &&
           ts_builder_set_free_velocity(builder, index, ts_vec3_make(v[0], v[1], v[2]), ts_vec3_make(v[3], v[4], v[5]));
}

static double reach(const ts_hull* hull) {
    double most = 0.0;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double d = ts_vec3_norm(ts_vec3_sub(hull->vertex[i], hull->centroid));
        if (d > most) most = d;
    }
    return most;
}

static ts_quat random_rotation(ts_rng* rng) {
    for (;;) {
        double w = ts_rng_normal(rng);
        double x = ts_rng_normal(rng);
        double y = ts_rng_normal(rng);
        ts_quat q = ts_quat_make(w, x, y, ts_rng_normal(rng));
        if (ts_quat_norm(q) > 1e-3) return ts_quat_normalize(q);
    }
}

static ts_model* make_model(ts_bench_funnel_kind kind, const ts_hull* a, const ts_hull* b, ts_rng* rng) {
    ts_builder* builder = ts_builder_create("funnel");
    if (!builder) return NULL;
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 120.0;
    options->contact_margin = margin;
    options->tolerance = 1e-8;
    options->iterations = 1000;
    ts_vec3 at_a = ts_vec3_make(0.0, -0.1, 0.3);
    ts_vec3 at_b = ts_vec3_make(0.0, 0.1, 0.3);
    ts_quat turn_a = ts_quat_identity();
    ts_quat turn_b = ts_quat_identity();
    if (kind == TS_BENCH_FUNNEL_PAPER) {
        double xa = ts_rng_uniform_in(rng, -0.05, 0.05);
        double ya = ts_rng_uniform_in(rng, -0.05, 0.05);
        double xb = ts_rng_uniform_in(rng, -0.05, 0.05);
        double yb = ts_rng_uniform_in(rng, -0.05, 0.05);
        at_a = ts_vec3_make(xa, ya, 0.1 + reach(a));
        // Above the other, so that nothing overlaps at the start.
        at_b = ts_vec3_make(xb, yb, at_a.z + reach(a) + reach(b) + 0.01);
        turn_a = random_rotation(rng);
        turn_b = random_rotation(rng);
    }
    int fits =
        add_funnel(builder) && add_object(builder, a, at_a, turn_a, rng) && add_object(builder, b, at_b, turn_b, rng);
    if (!fits) {
        ts_builder_free(builder);
        return NULL;
    }
    ts_model* model = NULL;
    return ts_builder_finish(builder, &model, NULL) ? NULL : model;
}

static ts_obb box_of(const ts_hull* hull, const ts_transform* placed) {
    ts_obb box;
    ts_vec3 centre = ts_vec3_scale(0.5, ts_vec3_add(hull->box_min, hull->box_max));
    box.half = ts_vec3_scale(0.5, ts_vec3_sub(hull->box_max, hull->box_min));
    box.placed.R = placed->R;
    box.placed.p = ts_transform_point(placed, centre);
    return box;
}

static ts_bench_problem* next_problem(ts_bench_trajectories* t) {
    if (t->count == t->room) {
        int room = t->room ? 2 * t->room : 4096;
        ts_bench_problem* problem = (ts_bench_problem*)realloc(t->problem, (size_t)room * sizeof *problem);
        if (!problem) return NULL;
        t->problem = problem;
        t->room = room;
    }
    return &t->problem[t->count++];
}

// What the pair asks at this step; `cache` goes along the trajectory.
static int log_step(ts_bench_trajectories* t, const ts_hull* a, const ts_hull* b, const ts_transform* pose_a,
                    const ts_transform* pose_b, ts_gjk_cache* cache) {
    ts_obb box_a = box_of(a, pose_a);
    ts_obb box_b = box_of(b, pose_b);
    ++t->steps;
    if (!ts_obb_overlap(&box_a, &box_b, margin)) {
        ++t->filtered;
        *cache = ts_gjk_cache_none();
        return 1;
    }
    ts_bench_problem* p = next_problem(t);
    if (!p) return 0;
    p->a = a;
    p->b = b;
    p->b_in_a.R = ts_mat3_mul(ts_mat3_transpose(pose_a->R), pose_b->R);
    p->b_in_a.p = ts_transform_point_inverse(pose_a, pose_b->p);
    p->before = *cache;
    ts_proximity_options options = ts_proximity_options_default();
    ts_shape shape_a = ts_shape_hull(a);
    ts_shape shape_b = ts_shape_hull(b);
    ts_transform here = ts_transform_identity();
    ts_proximity answer;
    options.method = TS_PROXIMITY_GJK;
    ts_proximity_query(&shape_a, &here, &shape_b, &p->b_in_a, &options, cache, &answer);
    p->lower = answer.found.lower;
    p->upper = answer.found.upper;
    return 1;
}

static int drop(ts_bench_trajectories* t, ts_bench_funnel_kind kind, const ts_hull* a, const ts_hull* b, ts_rng* rng) {
    ts_model* model = make_model(kind, a, b, rng);
    ts_sim* sim = NULL;
    if (!model || ts_sim_create(model, 1, &sim, NULL)) {
        ts_model_free(model);
        ++t->failed;
        return 1;
    }
    int geom[2] = {-1, -1};
    for (int g = 0; g < model->geom_count; ++g)
        if (model->geom[g].shape.kind == TS_SHAPE_HULL) geom[geom[0] >= 0] = g;
    int steps = kind == TS_BENCH_FUNNEL_PAPER ? 120 : 240;
    ts_gjk_cache cache = ts_gjk_cache_none();
    int ok = geom[1] >= 0;
    for (int i = 0; i < steps && ok; ++i) {
        if (ts_sim_step(sim, NULL)) {
            ++t->failed;
            break;
        }
        ok = log_step(t, a, b, ts_kinematics_geom(&sim->kinematics, geom[0]),
                      ts_kinematics_geom(&sim->kinematics, geom[1]), &cache);
    }
    ts_sim_free(sim);
    ts_model_free(model);
    return ok;
}

int ts_bench_funnel_run(ts_bench_report* report, const ts_bench_funnel* funnel, double done, double total,
                        ts_bench_trajectories* out_trajectories) {
    ts_bench_trajectories* t = out_trajectories;
    memset(t, 0, sizeof *t);
    ts_rng rng = ts_rng_make(funnel->seed, 600u + (unsigned)funnel->kind);
    for (int i = 0; i < funnel->pairs; ++i) {
        const ts_hull* a = funnel->hull[ts_rng_bits(&rng) % (uint64_t)funnel->hull_count];
        const ts_hull* b = funnel->hull[ts_rng_bits(&rng) % (uint64_t)funnel->hull_count];
        ++t->pairs;
        if (!drop(t, funnel->kind, a, b, &rng)) return 0;
        if (ts_bench_progress(report, done + (double)i / funnel->pairs, total)) break;
    }
    return 1;
}

void ts_bench_trajectories_free(ts_bench_trajectories* trajectories) {
    free(trajectories->problem);
    memset(trajectories, 0, sizeof *trajectories);
}
