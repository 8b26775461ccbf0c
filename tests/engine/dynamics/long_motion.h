// An oracle for kinematics in long double that shares nothing with the engine but the model's numbers: where bodies are after moving
// along a velocity, and by differences of that how fast.
#ifndef TS_TESTS_LONG_MOTION_H
#define TS_TESTS_LONG_MOTION_H

#include <math.h>
#include <string.h>

#include "engine/model/model.h"

typedef struct lvec {
    long double x[3];
} lvec;

typedef struct lmat {
    long double m[3][3];
} lmat;

typedef struct lpose {
    lmat R;
    lvec p;
} lpose;

static inline lvec lvec_of(ts_vec3 v) { return (lvec){{v.x, v.y, v.z}}; }

static inline lvec lvec_sum(lvec a, long double s, lvec b) {
    return (lvec){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}

static inline long double lvec_dot(lvec a, lvec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

static inline lvec lvec_cross(lvec a, lvec b) {
    return (lvec){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline lvec lmat_apply(const lmat* A, lvec v) {
    lvec r;
    for (int i = 0; i < 3; ++i) r.x[i] = A->m[i][0] * v.x[0] + A->m[i][1] * v.x[1] + A->m[i][2] * v.x[2];
    return r;
}

static inline lmat lmat_mul(const lmat* A, const lmat* B) {
    lmat C;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
    return C;
}

// Of a quaternion of any length, w first.
static inline lmat lmat_of(const long double* q) {
    long double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 2.0L / n;
    long double w = q[0], x = q[1], y = q[2], z = q[3];
    return (lmat){{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                   {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                   {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

// The turn by the vector v.
static inline lmat lmat_turn(lvec v) {
    long double angle = sqrtl(lvec_dot(v, v)), c = cosl(0.5L * angle),
                s = angle > 0 ? sinl(0.5L * angle) / angle : 0.5L;
    long double q[4] = {c, s * v.x[0], s * v.x[1], s * v.x[2]};
    return lmat_of(q);
}

static inline lpose lpose_mul(const lpose* a, const lpose* b) {
    return (lpose){lmat_mul(&a->R, &b->R), lvec_sum(a->p, 1, lmat_apply(&a->R, b->p))};
}

// Moves `placed` through one joint, its coordinates q moved by t times the velocities v.
static inline void long_joint(const ts_joint* joint, const double* q, const double* v, long double t, lpose* placed) {
    lvec anchor = lvec_of(joint->anchor), axis = lvec_of(joint->axis),
         before = lvec_sum(placed->p, 1, lmat_apply(&placed->R, anchor));
    long double quaternion[4];
    lmat turn;
    switch (joint->type) {
    case TS_JOINT_SLIDE:
        placed->p = lvec_sum(placed->p, q[0] + t * v[0] - joint->reference, lmat_apply(&placed->R, axis));
        return;
    case TS_JOINT_HINGE: {
        lvec by = {{0, 0, 0}};
        turn = lmat_turn(lvec_sum(by, q[0] + t * v[0] - joint->reference, axis));
        break;
    }
    case TS_JOINT_BALL: {
        for (int i = 0; i < 4; ++i) quaternion[i] = q[i];
        lmat now = lmat_of(quaternion), more = lmat_turn((lvec){{t * v[0], t * v[1], t * v[2]}});
        turn = lmat_mul(&now, &more);
        break;
    }
    default: {
        for (int i = 0; i < 4; ++i) quaternion[i] = q[3 + i];
        lmat now = lmat_of(quaternion), more = lmat_turn((lvec){{t * v[3], t * v[4], t * v[5]}});
        placed->R = lmat_mul(&now, &more);
        for (int i = 0; i < 3; ++i) placed->p.x[i] = q[i] + t * v[i];
        return;
    }
    }
    placed->R = lmat_mul(&placed->R, &turn);
    placed->p = lvec_sum(before, -1, lmat_apply(&placed->R, anchor));
}

// Poses of all bodies (body_count) after the coordinates have moved along v for a time t.
static inline void long_poses(const ts_model* model, const double* qpos, const double* v, long double t,
                              lpose* out_pose) {
    for (int b = 0; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        ts_quat turn = body->pose.rotation;
        long double q[4] = {turn.w, turn.x, turn.y, turn.z};
        lpose local = {lmat_of(q), lvec_of(body->pose.position)};
        out_pose[b] = body->parent >= 0 ? lpose_mul(&out_pose[body->parent], &local) : local;
        for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j)
            long_joint(&model->joint[j], qpos + model->joint[j].qpos_first, v + model->joint[j].dof_first, t,
                       &out_pose[b]);
    }
}

// How a body moves: velocity and acceleration of a point of it, angular velocity and acceleration, at constant v.
typedef struct long_rates {
    lvec velocity, acceleration, turn, turn_rate;
} long_rates;

// Rates of the point at `point` (body frame) of every body (body_count), by differences of eighth order in steps of 2^-6: their error
// is below 1e-15 for motions with rates of order one.
static inline void long_differences(const ts_model* model, const double* qpos, const double* v, lvec point,
                                    lpose* scratch, long_rates* out_rates) {
    static const long double first[5] = {0, 4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    static const long double second[5] = {-205.0L / 72, 8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
    long double h = 1.0L / 64;
    memset(out_rates, 0, (size_t)model->body_count * sizeof *out_rates);
    // R' and R'' of every body, first in scratch's second half.
    lmat* rate = (lmat*)(scratch + model->body_count);
    lmat* rate_rate = rate + model->body_count;
    lmat* now = rate_rate + model->body_count;
    memset(rate, 0, 3 * (size_t)model->body_count * sizeof(lmat));
    for (int k = -4; k <= 4; ++k) {
        int m = k < 0 ? -k : k;
        long double one = (k < 0 ? -first[m] : first[m]) / h, two = second[m] / (h * h);
        long_poses(model, qpos, v, k * h, scratch);
        for (int b = 0; b < model->body_count; ++b) {
            lvec at = lvec_sum(scratch[b].p, 1, lmat_apply(&scratch[b].R, point));
            out_rates[b].velocity = lvec_sum(out_rates[b].velocity, one, at);
            out_rates[b].acceleration = lvec_sum(out_rates[b].acceleration, two, at);
            for (int i = 0; i < 9; ++i) {
                (&rate[b].m[0][0])[i] += one * (&scratch[b].R.m[0][0])[i];
                (&rate_rate[b].m[0][0])[i] += two * (&scratch[b].R.m[0][0])[i];
            }
            if (k == 0) now[b] = scratch[b].R;
        }
    }
    for (int b = 0; b < model->body_count; ++b) {
        lmat back;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) back.m[i][j] = now[b].m[j][i];
        // R' R^T = [w]x, R'' R^T = [dw/dt]x + [w]x [w]x, whose skew part is [dw/dt]x.
        lmat W = lmat_mul(&rate[b], &back), A = lmat_mul(&rate_rate[b], &back);
        out_rates[b].turn =
            (lvec){{0.5L * (W.m[2][1] - W.m[1][2]), 0.5L * (W.m[0][2] - W.m[2][0]), 0.5L * (W.m[1][0] - W.m[0][1])}};
        out_rates[b].turn_rate =
            (lvec){{0.5L * (A.m[2][1] - A.m[1][2]), 0.5L * (A.m[0][2] - A.m[2][0]), 0.5L * (A.m[1][0] - A.m[0][1])}};
    }
}

// Room for long_differences and its answers.
enum { LONG_BODIES = 40 };
typedef struct long_room {
    lpose scratch[LONG_BODIES * 4];
    long_rates rates[LONG_BODIES];
    lpose pose[LONG_BODIES];
} long_room;

// The inertia of a body about its centre of mass, world axes.
static inline lmat long_inertia(const ts_body* body, const lmat* R) {
    lmat I, back;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            I.m[i][j] = body->inertia.m[i][j];
            back.m[i][j] = R->m[j][i];
        }
    lmat half = lmat_mul(R, &I);
    return lmat_mul(&half, &back);
}

#endif
