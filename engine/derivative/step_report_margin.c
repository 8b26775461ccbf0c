// Whether a contact is about to appear that acts as soon as it is there.
//
// Problem: contacts are made from a margin on. What comes nearer in a step than what is left of its gap is stopped within the margin and not beyond it: the step jumps there, and
// no block tells of a contact that is not made. Rule: pairs whose shapes may come that fast are asked again with a little more margin. A point whose gap is at the
// margin and which the velocities after the step close, or would close, is told.
// How fast they come is asked another way than in engine/step/foresee.c, which bounds what finite turns of lone bodies do within a step: here a step is a straight
// line, so the difference of both spins does, about the smaller shape, and trees have it, too.
// Guaranteed: what cannot close in a step is not asked for. Known to fail: where soft contacts begin (they have no margin), and contacts that are kept over substeps.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "collision/manifold/manifold.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/rows/soft_contact_internal.h"

// 1: part of the way at rest in a step that is a rounding of a gap; and of the gap in which a contact that acts is found closed.
static const double gap_share = 1e-8, closed = 1e-6;

// The pair, and what its points would do.
typedef struct approach {
    const ts_sim* sim;
    const ts_kinematics* k;  // with the velocities after the step
    int a, b;                // geoms
    double margin;
} approach;

static ts_vec3 closing(const approach* p, ts_vec3 at) {
    const ts_model* model = p->sim->model;
    return ts_vec3_sub(ts_kinematics_point_velocity(model, p->k, model->geom[p->b].body, at),
                       ts_kinematics_point_velocity(model, p->k, model->geom[p->a].body, at));
}

// m/s, at most. Points of contact are on both shapes: the smaller says where.
static double fastest(const approach* p) {
    const ts_geom* geom = p->sim->model->geom;
    double reach_a = ts_shape_bounding_radius(&geom[p->a].shape), reach_b = ts_shape_bounding_radius(&geom[p->b].shape);
    ts_vec3 at = ts_kinematics_geom(&p->sim->kinematics, reach_a < reach_b ? p->a : p->b)->p;
    ts_vec3 turning =
        ts_vec3_sub(p->k->body_velocity[geom[p->b].body].angular, p->k->body_velocity[geom[p->a].body].angular);
    return ts_vec3_norm(closing(p, at)) + ts_vec3_norm(turning) * (fmin(reach_a, reach_b) + p->margin);
}

static void judge_point(const approach* p, const ts_manifold_point* point, double nearness, ts_step_report* report) {
    const ts_sim* sim = p->sim;
    double h = sim->options.time_step, off = fabs(point->gap - p->margin);
    double unit = fmax(gap_share * sim->problem.rest_speed * h, DBL_EPSILON * (1.0 + ts_vec3_norm(point->position)));
    double way = h * ts_vec3_dot(point->normal, closing(p, point->position));
    char text[sizeof report->reason];
    if (off > nearness * unit || point->gap + way > closed * point->gap) return;
    snprintf(text, sizeof text, "contact: geom %d '%.60s', geom %d '%.60s' is made at its margin, %.2g m from here",
             p->a, sim->model->geom[p->a].name, p->b, sim->model->geom[p->b].name, off);
    ts_step_report_say(report, off <= unit ? TS_STEP_ONE_SIDED : TS_STEP_NEAR_CHANGE, text);
}

// Whether a pair has one point at most: a ball against what is convex.
static int has_one_point(const ts_model* model, int a, int b) {
    const ts_shape *one = &model->geom[a].shape, *other = &model->geom[b].shape;
    return (one->kind == TS_SHAPE_SPHERE && ts_shape_is_convex(other)) ||
           (other->kind == TS_SHAPE_SPHERE && ts_shape_is_convex(one));
}

int ts_step_report_margin(ts_sim* sim, double nearness, ts_arena* scratch, ts_step_report* report) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_model* model = sim->model;
    const double* velocity = storage->new_velocity;
    if (storage->pair_next.count == 0 || ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_NONE) return 1;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_kinematics k;
    int fine = ts_step_share_poses(sim, scratch, &k);
    for (int t = 0; fine && t < model->tree_count; ++t)
        ts_step_move_tree(model, t, velocity + model->tree[t].dof_first, &k);
    for (int i = 0, c = 0; fine && i < storage->pair_next.count; ++i) {
        uint64_t key = storage->pair_next.data[i].key;
        double deepest = HUGE_VAL;
        approach p = {sim, &k, (int)(key >> 32), (int)(key & 0xffffffffu), sim->options.contact_margin};
        for (; c < sim->contact_count && sim->contact[c].geom_a == p.a && sim->contact[c].geom_b == p.b; ++c)
            deepest = fmin(deepest, sim->contact[c].gap);
        if (deepest < 0.5 * p.margin && has_one_point(model, p.a, p.b)) continue;
        if (storage->has_margins) p.margin = fmax(p.margin + ts_model_margin_between(model, p.a, p.b), 0.0);
        if (!(sim->options.time_step * fastest(&p) >= p.margin * (1.0 - closed))) continue;
        // As much more as is asked for, and what rounding of a query takes.
        ts_manifold_settings settings = {p.margin * (1.0 + 1e-6), sim->options.manifold_points,
                                         sim->options.narrow_tolerance};
        ts_manifold manifold = {.count = 0};
        ts_manifold_collide(&model->geom[p.a].shape, ts_kinematics_geom(&sim->kinematics, p.a), &model->geom[p.b].shape,
                            ts_kinematics_geom(&sim->kinematics, p.b), &settings, NULL, &manifold);
        for (int n = 0; n < manifold.count; ++n) judge_point(&p, &manifold.point[n], nearness, report);
    }
    ts_arena_scope_end(scratch, scope);
    return fine;
}
