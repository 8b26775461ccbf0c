// How velocities and accelerations of bodies in a step answer to the state, with the velocities after the step held.
//
// Problem: the derivative of v_b = sum S_d v_d and a_b = -g + sum (S_d a_d + v_p x S_d v_d), a_d = (v+_d - v_d) / h, p what carries the joint of dof d. Rule: a unit of dof j
// turns what its joint carries, by S_j; seen from what carries the joint, the rest moves as before, so that with u = v_b - v_p
//     dv_b = S_j x u,    da_b = v_p x dv_b + S_j x (a_b - a_p - v_p x u)    by position,
//     dv_b = S_j,        da_b = -S_j / h + v_p x S_j + S_j x (v_b - v_j)    by velocity, v_j of what the joint carries.
// The three axes of a quaternion are beyond each other. Source: derived here, twists as in engine/dynamics/kinematics_derivative.c. Guaranteed: exact up to rounding, about points at
// rest. Known to fail: nothing.
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sensor/sensor_step_slope_internal.h"
#include "engine/sim_internal.h"

static ts_motion scaled(double s, ts_motion a) { return ts_motion_add_scaled(ts_motion_zero(), s, a); }

static ts_motion less(ts_motion a, ts_motion b) { return ts_motion_add_scaled(a, -1.0, b); }

// How many dofs from d on turn with each other.
static int together(const ts_model* model, int d) {
    const ts_joint* joint = &model->joint[model->dof[d].joint];
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    return traits->quaternion && d == joint->dof_first + traits->numbers ? 3 : 1;
}

static double rate_of(const ts_sim* sim, int d) {
    return (ts_sim_storage_of(sim)->new_velocity[d] - sim->qvel[d]) / sim->options.time_step;
}

const ts_sensor_link* ts_sensor_links_find(const ts_sim* sim, ts_arena* arena) {
    const ts_model* model = sim->model;
    ts_sensor_link* link = TS_ARENA_ARRAY(arena, ts_sensor_link, model->nv);
    if (!link) return NULL;
    for (int first = 0, count; first < model->nv; first += count) {
        int parent = model->dof[first].parent;
        ts_motion u = ts_motion_zero(), a = ts_motion_zero();
        ts_sensor_link at = {.v_before = ts_motion_zero(),
                             .a_before = {ts_vec3_zero(), ts_vec3_neg(sim->options.gravity)}};
        if (parent >= 0) {
            at.v_before = link[parent].v_after;
            at.a_before = link[parent].a_after;
        }
        count = together(model, first);
        for (int d = first; d < first + count; ++d) {
            u = ts_motion_add_scaled(u, sim->qvel[d], ts_kinematics_axis(sim->model, &sim->kinematics, d));
            a = ts_motion_add_scaled(a, rate_of(sim, d), ts_kinematics_axis(sim->model, &sim->kinematics, d));
        }
        at.v_after = ts_motion_add(at.v_before, u);
        at.a_after = ts_motion_add(ts_motion_add(at.a_before, a), ts_motion_cross(at.v_before, u));
        for (int d = first; d < first + count; ++d) link[d] = at;
    }
    return link;
}

ts_motion ts_sensor_body_acceleration(const ts_sim* sim, const ts_sensor_link* link, int body) {
    int last = sim->model->body[body].tree < 0 ? -1 : sim->model->body[body].dof_last;
    if (last >= 0) return link[last].a_after;
    return (ts_motion){ts_vec3_zero(), ts_vec3_neg(sim->options.gravity)};
}

ts_sensor_body_slope ts_sensor_body_slope_find(const ts_sim* sim, const ts_sensor_link* link, int body, int d) {
    const ts_sensor_link *of = &link[sim->model->body[body].dof_last], *at = &link[d];
    ts_motion S = ts_kinematics_axis(sim->model, &sim->kinematics, d), u = less(of->v_after, at->v_before);
    ts_motion left = less(less(of->a_after, at->a_before), ts_motion_cross(at->v_before, u));
    ts_sensor_body_slope slope;
    slope.v_by_q = ts_motion_cross(S, u);
    slope.a_by_q = ts_motion_add(ts_motion_cross(at->v_before, slope.v_by_q), ts_motion_cross(S, left));
    slope.a_by_v = ts_motion_add(ts_motion_cross(at->v_before, S), ts_motion_cross(S, less(of->v_after, at->v_after)));
    slope.a_by_v = ts_motion_add_scaled(slope.a_by_v, -1.0 / sim->options.time_step, S);
    return slope;
}

ts_motion ts_sensor_body_by_time(const ts_sim* sim, int body) {
    ts_motion sum = ts_motion_zero();
    if (sim->model->body[body].tree < 0) return sum;
    for (int d = sim->model->body[body].dof_last; d >= 0; d = sim->model->dof[d].parent)
        sum = ts_motion_add_scaled(sum, rate_of(sim, d), ts_kinematics_axis(sim->model, &sim->kinematics, d));
    return scaled(-1.0 / sim->options.time_step, sum);
}

// --- what accelerometers show ---

// The point of a body at `arm` from the origin of its tree, and what is shown of its acceleration.
typedef struct shown {
    ts_sensor_acceleration_part part;
    ts_vec3 arm;
    ts_motion v, a;
    ts_mat3 R;  // the axes
    ts_vec3 x;  // in the world
} shown;

// How x changes by changes of v and a of the body, and of where the point is.
static ts_vec3 change_of(const shown* s, ts_motion dv, ts_motion da, ts_vec3 moved) {
    if (s->part == TS_SENSOR_OF_TURNING) return da.angular;
    ts_vec3 velocity = ts_motion_at(s->v, s->arm), change = ts_motion_at(dv, s->arm);
    change = ts_vec3_add(change, ts_vec3_cross(s->v.angular, moved));
    ts_vec3 x = ts_vec3_add(ts_motion_at(da, s->arm), ts_vec3_cross(s->a.angular, moved));
    x = ts_vec3_add(x, ts_vec3_cross(dv.angular, velocity));
    return ts_vec3_add(x, ts_vec3_cross(s->v.angular, change));
}

static shown shown_of(const ts_sim* sim, const ts_sensor* sensor, ts_sensor_acceleration_part part,
                      const ts_sensor_link* link) {
    int body = sensor->object[0].body;
    ts_transform frame = ts_sensor_frame(sim, &sensor->object[0]);
    shown s = {.part = part, .arm = ts_vec3_sub(frame.p, ts_sensor_origin(sim, body)), .R = ts_mat3_identity()};
    s.v = sim->model->body[body].tree < 0 ? ts_motion_zero() : sim->kinematics.body_velocity[body];
    s.a = ts_sensor_body_acceleration(sim, link, body);
    if (part == TS_SENSOR_OF_INSTRUMENT) s.R = frame.R;
    s.x = ts_vec3_add(ts_motion_at(s.a, s.arm), ts_vec3_cross(s.v.angular, ts_motion_at(s.v, s.arm)));
    return s;
}

int ts_sensor_acceleration_slope(const ts_sim* sim, const ts_sensor* sensor, ts_sensor_acceleration_part part,
                                 ts_arena* scratch, const ts_sensor_step_slope* by) {
    const ts_model* model = sim->model;
    int body = sensor->object[0].body, nv = model->nv;
    const ts_motion none = ts_motion_zero();
    const ts_vec3 still = ts_vec3_zero();
    const ts_sensor_link* link = ts_sensor_links_find(sim, scratch);
    if (!link) return 0;
    shown s = shown_of(sim, sensor, part, link);
    for (int d = model->body[body].tree < 0 ? -1 : model->body[body].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_motion S = ts_kinematics_axis(sim->model, &sim->kinematics, d);
        ts_sensor_body_slope slope = ts_sensor_body_slope_find(sim, link, body, d);
        ts_vec3 moved = change_of(&s, slope.v_by_q, slope.a_by_q, ts_motion_at(S, s.arm));
        if (part == TS_SENSOR_OF_INSTRUMENT) moved = ts_vec3_sub(moved, ts_vec3_cross(S.angular, s.x));
        ts_sensor_add_column(&s.R, moved, nv, d, by->q);
        ts_sensor_add_column(&s.R, change_of(&s, S, slope.a_by_v, still), nv, d, by->v);
        ts_motion next = scaled(1.0 / sim->options.time_step, S);
        ts_sensor_add_column(&s.R, change_of(&s, none, next, still), nv, d, by->next);
    }
    ts_sensor_add_column(&s.R, change_of(&s, none, ts_sensor_body_by_time(sim, body), still), 1, 0, by->time_step);
    for (int k = 0; k < 3 && part != TS_SENSOR_OF_TURNING; ++k)
        ts_sensor_add_column(&s.R, ts_vec3_neg(ts_vec3_axis(k)), 3, k, by->gravity);
    return 1;
}
