// Kinematics, the walk outwards, one body after the other: sines and cosines of the tree's hinges, four at a time; then poses, axes of degrees of
// freedom about the tree's origin, twists, bias accelerations, inertias and geoms, as far as they are asked for.
//
// Problem, rule and source: kinematics.c. What a body hands on to the next stays in registers where that hangs on it. Hinges, which most joints
// are, are placed here; others by their row of the table.
// Guaranteed: same bits with and without AVX2, since every number is its own sum.
#include "engine/dynamics/kinematics_walk_internal.h"

#include "engine/model/joint/sine_internal.h"
#include "engine/dynamics/kinematics_frame_internal.h"
#include "engine/dynamics/tree_motion_internal.h"

enum { N = 4 };

static inline int asks(unsigned parts, ts_kinematics_part part) { return (parts & part) == (unsigned)part; }

// Where a walk is: the body's frame, and how it moves.
typedef struct place {
    ts_frame_four frame;
    ts_four origin;
    ts_spatial_four velocity, bias;
} place;

// Sines and cosines of `count` coordinates less what they count from, fewer than four.
static inline void find_few(const double* q, const double* zero, int count, double* sine, double* cosine) {
    double angle[N] = {0.0}, s[N], c[N];
    ts_four of_sine, of_cosine;
    for (int i = 0; i < count; ++i) angle[i] = q[i] - zero[i];
    ts_sine_four(ts_four_load(angle), &of_sine, &of_cosine);
    ts_four_store(of_sine, s);
    ts_four_store(of_cosine, c);
    memcpy(sine, s, (size_t)count * sizeof(double));
    memcpy(cosine, c, (size_t)count * sizeof(double));
}

// Those of coordinates from a tree's first hinge to its last; what else lies there is not asked about.
static inline void find_turns(const double* qpos, int tree, ts_kinematics* k) {
    int at = k->turn_range[2 * tree], end = k->turn_range[2 * tree + 1];
    for (; at + N <= end; at += N) {
        ts_four sine, cosine;
        ts_sine_four(ts_four_minus(ts_four_load(qpos + at), ts_four_load(k->turn_zero + at)), &sine, &cosine);
        ts_four_store(sine, k->turn_sine + at);
        ts_four_store(cosine, k->turn_cosine + at);
    }
    if (at < end) find_few(qpos + at, k->turn_zero + at, end - at, k->turn_sine + at, k->turn_cosine + at);
}

// Turns the frame; returns where the hinge is held.
static inline ts_four turn(const ts_joint* joint, const ts_kinematics* k, ts_hinge_way way, ts_frame_four* f) {
    double c = k->turn_cosine[joint->qpos_first], s = k->turn_sine[joint->qpos_first];
    if (way & TS_HINGE_CENTRED) {
        ts_frame_four_turn(f, joint->axis, way & TS_HINGE_WAYS, c, s);
        return f->p;
    }
    ts_four anchor = ts_frame_four_point(f, joint->anchor);
    ts_frame_four_turn(f, joint->axis, way & TS_HINGE_WAYS, c, s);
    f->p = ts_four_minus(anchor, ts_frame_four_direction(f, joint->anchor));
    return anchor;
}

// A joint of any kind; its axes are about its anchor for now, which this returns.
static inline ts_vec3 place_joint(const ts_model* model, int j, const double* qpos, ts_motion* axis, ts_frame_four* f,
                                  const ts_kinematics* k) {
    const ts_joint* joint = &model->joint[j];
    ts_vec3 anchor;
    if (k->hinge_way[j] != TS_HINGE_NONE) {
        ts_four_store_three(ts_frame_four_direction(f, joint->axis), &axis->angular.x);
        axis->linear = ts_vec3_zero();
        ts_four_store_three(turn(joint, k, (ts_hinge_way)k->hinge_way[j], f), &anchor.x);
        return anchor;
    }
    ts_transform placed;
    ts_frame_four_store(*f, &placed);
    anchor = ts_joint_traits_of(joint->type)->place(joint, qpos + joint->qpos_first, &placed, axis);
    *f = ts_frame_four_load(&placed);
    return anchor;
}

// Its axes from the anchor to the tree's origin, a lever away, and what it adds to the twist.
static inline void move_joint(const ts_model* model, int j, ts_vec3 lever, unsigned parts, ts_motion* axis, place* at,
                              ts_kinematics* k) {
    const ts_joint* joint = &model->joint[j];
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    int count = traits->numbers + 3 * traits->quaternion;
    // So it is with a lone body that turns about its centre of mass.
    if (lever.x == 0.0 && lever.y == 0.0 && lever.z == 0.0) count = 0;
    for (int d = 0; d < count; ++d) axis[d].linear = ts_motion_at(axis[d], lever);
    if (asks(parts, TS_KINEMATICS_TWISTS))
        ts_tree_move_joint(joint, axis, k->dof_velocity + joint->dof_first, &at->velocity, &at->bias);
}

// A hinge of a tree whose origin is known: axis and twist without a detour through memory.
static inline void hinge(const ts_model* model, int j, unsigned parts, place* at, ts_kinematics* k) {
    const ts_joint* joint = &model->joint[j];
    ts_four direction = ts_frame_four_direction(&at->frame, joint->axis);
    ts_four anchor = turn(joint, k, (ts_hinge_way)k->hinge_way[j], &at->frame);
    ts_four_store_three(anchor, &k->joint_anchor[j].x);
    if (!asks(parts, TS_KINEMATICS_AXES)) return;
    ts_spatial_four S = {direction, ts_four_cross(direction, ts_four_minus(at->origin, anchor))};
    ts_spatial_four_put(S, &k->own_axis[joint->dof_first]);
    if (!asks(parts, TS_KINEMATICS_TWISTS)) return;
    ts_spatial_four own = ts_spatial_four_times(k->dof_velocity[joint->dof_first], S);
    if (asks(parts, TS_KINEMATICS_BIAS))
        at->bias = ts_spatial_four_plus(at->bias, ts_spatial_four_cross(at->velocity, own));
    at->velocity = ts_spatial_four_plus(at->velocity, own);
}

// What hangs on the body visited before goes on from there, anything else from its parent.
static inline void start(const ts_model* model, const ts_body* body, unsigned parts, place* at,
                         const ts_kinematics* k) {
    int parent = body->parent;
    at->frame = ts_frame_four_load(&k->body_pose[parent]);
    int moves = model->body[parent].tree >= 0;
    if (asks(parts, TS_KINEMATICS_TWISTS))
        at->velocity = moves ? ts_spatial_four_of(&k->body_velocity[parent]) : ts_spatial_four_zero();
    if (asks(parts, TS_KINEMATICS_BIAS))
        at->bias = moves ? ts_spatial_four_of(&k->body_bias[parent]) : ts_spatial_four_zero();
}

static inline void walk(const ts_model* model, int tree, const double* qpos, unsigned parts, ts_kinematics* k) {
    const int* list = model->tree_body + model->tree[tree].body_first;
    int count = model->tree[tree].body_count;
    place at = {0};
    // A lone body's are wanted here only.
    int first = model->tree[tree].dof_first, is_lone = model->tree[tree].kind != TS_TREE_GENERAL;
    ts_motion room[6], *axis = is_lone ? room : &k->own_axis[first];
    ts_vec3 lone_anchor;
    find_turns(qpos, tree, k);
    for (int i = 0, before = -1; i < count; before = list[i++]) {
        int b = list[i];
        const ts_body* body = &model->body[b];
        ts_frame_four* f = &at.frame;
        int joints = body->joint_first + body->joint_count;
        if (body->parent != before) start(model, body, parts, &at, k);
        *f = ts_frame_four_seated(f, k->seated, k->body_seat[b]);
        for (int j = body->joint_first; j < joints; ++j) {
            // The root's centre is not known before it is placed.
            if (i > 0 && k->hinge_way[j] != TS_HINGE_NONE) {
                hinge(model, j, parts, &at, k);
                continue;
            }
            ts_motion* own = axis + (model->joint[j].dof_first - first);
            ts_vec3* anchor = is_lone ? &lone_anchor : &k->joint_anchor[j];
            *anchor = place_joint(model, j, qpos, own, f, k);
            if (i > 0 && asks(parts, TS_KINEMATICS_AXES))
                move_joint(model, j, ts_vec3_sub(k->body_centre[list[0]], *anchor), parts, own, &at, k);
        }
        ts_frame_four_store(*f, &k->body_pose[b]);
        ts_four centre = ts_frame_four_point(f, body->centre);
        ts_four_store_three(centre, &k->body_centre[b].x);
        if (i == 0 && asks(parts, TS_KINEMATICS_AXES)) {
            at.origin = centre;
            for (int j = body->joint_first; j < joints; ++j) {
                ts_vec3 lever = ts_vec3_sub(k->body_centre[b], is_lone ? lone_anchor : k->joint_anchor[j]);
                move_joint(model, j, lever, parts, axis + (model->joint[j].dof_first - first), &at, k);
            }
        }
        if (asks(parts, TS_KINEMATICS_TWISTS)) ts_spatial_four_put(at.velocity, &k->body_velocity[b]);
        if (asks(parts, TS_KINEMATICS_BIAS) && !is_lone) ts_spatial_four_put(at.bias, &k->body_bias[b]);
        if (asks(parts, TS_KINEMATICS_INERTIAS) && !is_lone)
            ts_frame_four_inertia(f, body, ts_four_minus(centre, at.origin), &k->body_inertia[b]);
        for (int g = body->geom_first; asks(parts, TS_KINEMATICS_GEOMS) && g < body->geom_first + body->geom_count; ++g)
            ts_frame_four_place_geom(f, g, k);
    }
}

// How a lone body moves by the rates of all six; its axes of turning are seen from its centre of mass.
static inline void move_lone(const ts_frame_four* f, ts_four lever, const double* rate, ts_motion* out_velocity) {
    const ts_four angular[3] = {f->x, f->y, f->z}, zero = ts_four_zero();
    int is_apart = ts_four_any(ts_four_size(lever));
    ts_spatial_four own = ts_spatial_four_zero();
    for (int i = 0; i < 3; ++i) {
        ts_spatial_four S = {angular[i], zero};
        if (is_apart) S.linear = ts_four_plus(zero, ts_four_cross(S.angular, lever));
        ts_spatial_four part = ts_spatial_four_times(rate[3 + i], S);
        own = i == 0 ? part : ts_spatial_four_plus(own, part);
    }
    ts_spatial_four v = {zero, ts_four_plus(zero, ts_four_vec3(ts_vec3_load(rate)))};
    ts_spatial_four_put(ts_spatial_four_plus(v, own), out_velocity);
}

// The walk through a tree that is one body with a free joint: what the other finds, to the bit, without a detour through memory.
static inline void walk_lone(const ts_model* model, int tree, const double* qpos, ts_kinematics* k) {
    int b = model->tree[tree].root;
    const ts_body* body = &model->body[b];
    const ts_joint* joint = &model->joint[body->joint_first];
    const double* q = qpos + joint->qpos_first;
    ts_transform pose = {ts_quat_to_mat3(ts_quat_normalize(ts_quat_load(q + 3))), ts_vec3_load(q)};
    ts_frame_four f = {ts_four_vec3(ts_mat3_column(&pose.R, 0)), ts_four_vec3(ts_mat3_column(&pose.R, 1)),
                       ts_four_vec3(ts_mat3_column(&pose.R, 2)), ts_four_vec3(pose.p)};
    k->body_pose[b] = pose;
    ts_four centre = ts_frame_four_point(&f, body->centre);
    ts_four_store_three(centre, &k->body_centre[b].x);
    move_lone(&f, ts_four_minus(centre, f.p), k->dof_velocity + joint->dof_first, &k->body_velocity[b]);
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) ts_frame_four_place_geom(&f, g, k);
}

// What a step asks for has a walk of its own, in which there is nothing to ask.
static inline void run(const ts_model* model, int tree, const double* qpos, unsigned parts, ts_kinematics* k) {
    if (parts == TS_KINEMATICS_ALL && model->tree[tree].kind != TS_TREE_GENERAL)
        walk_lone(model, tree, qpos, k);
    else if (parts == TS_KINEMATICS_ALL)
        walk(model, tree, qpos, TS_KINEMATICS_ALL, k);
    else
        walk(model, tree, qpos, parts, k);
}

#if TS_WIDE

void ts_kinematics_walk_wide(const ts_model* model, int tree, const double* qpos, unsigned parts,
                             ts_kinematics* kinematics) {
    run(model, tree, qpos, parts, kinematics);
}

#else

void ts_kinematics_walk_narrow(const ts_model* model, int tree, const double* qpos, unsigned parts,
                               ts_kinematics* kinematics) {
    run(model, tree, qpos, parts, kinematics);
}

void ts_kinematics_walk(const ts_model* model, int tree, const double* qpos, unsigned parts,
                        ts_kinematics* kinematics) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_kinematics_walk_wide(model, tree, qpos, parts, kinematics);
        return;
    }
#endif
    run(model, tree, qpos, parts, kinematics);
}

#endif
