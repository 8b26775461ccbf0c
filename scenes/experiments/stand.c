// Problem: the first step of a rigid body on points that all hold and give way by R = epsilon I. Rule: with the body's twist v about its centre and
// contact velocities J v, v = v_free + M^-1 J^T lambda and J v = -epsilon lambda give (epsilon M + J^T J) v = epsilon M v_free, six equations however
// many points there are. lambda is in the range of J, so that J (J^T J)^-1 of the wrench M (v - v_free) is it, also in the limit of no
// epsilon, where it is the least of all answers. Source: contact_problem and rigid-body dynamics alone; nothing is asked of a solver or of the
// assembly of rows. Guarantee: exact where the answer lies within all cones, which it says. Known failure: points in a line.
#include "scenes/experiments/experiment.h"

#include "base/linear/dense.h"

#include <math.h>
#include <string.h>

// Three rows of J: the velocity of a point at r from the centre.
static void point_rows(ts_vec3 r, double J[3][6]) {
    memset(J, 0, 3 * sizeof *J);
    J[0][0] = J[1][1] = J[2][2] = 1.0;
    J[0][4] = r.z, J[0][5] = -r.y;
    J[1][3] = -r.z, J[1][5] = r.x;
    J[2][3] = r.y, J[2][4] = -r.x;
}

static ts_vec3 times(double J[3][6], const double v[6]) {
    double u[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 6; ++k) u[i] += J[i][k] * v[k];
    return ts_vec3_make(u[0], u[1], u[2]);
}

static void add_transposed(double J[3][6], ts_vec3 f, double out[6]) {
    for (int k = 0; k < 6; ++k) out[k] += J[0][k] * f.x + J[1][k] * f.y + J[2][k] * f.z;
}

// What the body is at the start: its centre, and momenta of a twist.
typedef struct rigid {
    double mass;
    ts_vec3 centre;
    double inertia[3][3];
} rigid;

static ts_code at_start(const ts_sim* sim, int body, rigid* out, ts_status* out_status) {
    ts_sim* first = NULL;
    ts_code code = ts_sim_create(sim->model, 1, &first, out_status);
    if (code) return code;
    ts_sim_update_kinematics(first);
    ts_mat3 inertia = ts_mat3_rotate_tensor(first->kinematics.body_pose[body].R, sim->model->body[body].inertia);
    out->mass = sim->model->body[body].mass;
    out->centre = first->kinematics.body_centre[body];
    for (int k = 0; k < 3; ++k) {
        ts_vec3 column = ts_mat3_column(&inertia, k);
        out->inertia[0][k] = column.x, out->inertia[1][k] = column.y, out->inertia[2][k] = column.z;
    }
    ts_sim_free(first);
    return TS_OK;
}

static int is_of(const ts_contact* c, int body) { return c->body_a == body || c->body_b == body; }

// Signs are those of what acts on the body.
static ts_vec3 push_on(const ts_contact* c, int body) {
    return ts_vec3_scale(c->body_b == body ? 1.0 : -1.0, ts_mat3_mul_vec(&c->frame, c->impulse));
}

// Both matrices, row by row: epsilon M + J^T J and J^T J, factored; and epsilon M v_free. Zero where the points are in a line.
static int equations(const ts_sim* sim, int body, const rigid* b, double epsilon, double A[2][36], double rhs[6]) {
    double h = sim->options.time_step;
    memset(A, 0, 2 * sizeof *A);
    for (int i = 0; i < sim->contact_count; ++i) {
        double J[3][6];
        const ts_contact contact = ts_sim_contact(sim, i);
        if (!is_of(&contact, body)) continue;
        point_rows(ts_vec3_sub(contact.position, b->centre), J);
        for (int r = 0; r < 36; ++r)
            for (int k = 0; k < 3; ++k) A[1][r] += J[k][r / 6] * J[k][r % 6];
    }
    memcpy(A[0], A[1], sizeof A[0]);
    for (int i = 0; i < 3; ++i) {
        A[0][7 * i] += epsilon * b->mass;
        for (int k = 0; k < 3; ++k) A[0][6 * (i + 3) + k + 3] += epsilon * b->inertia[i][k];
    }
    const double fall[3] = {sim->options.gravity.x * h, sim->options.gravity.y * h, sim->options.gravity.z * h};
    for (int i = 0; i < 6; ++i) rhs[i] = i < 3 ? epsilon * b->mass * fall[i] : 0.0;
    return ts_cholesky_factor(A[0], 6, 6) && ts_cholesky_factor(A[1], 6, 6);
}

ts_code ts_lab_stand_on(const ts_sim* sim, int body, double epsilon, ts_lab_stand* out, ts_status* out_status) {
    rigid b;
    double A[2][36], v[6], wrench[6], pressed[6] = {0.0}, h = sim->options.time_step;
    ts_code code = at_start(sim, body, &b, out_status);
    memset(out, 0, sizeof *out);
    if (code) return code;
    if (!equations(sim, body, &b, epsilon, A, v))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "points in a line hold nothing upright");
    ts_cholesky_solve(A[0], 6, 6, v);
    for (int k = 0; k < 3; ++k) {
        wrench[k] = b.mass * v[k];
        wrench[k + 3] = b.inertia[k][0] * v[3] + b.inertia[k][1] * v[4] + b.inertia[k][2] * v[5];
    }
    wrench[0] -= b.mass * h * sim->options.gravity.x;
    wrench[1] -= b.mass * h * sim->options.gravity.y;
    wrench[2] -= b.mass * h * sim->options.gravity.z;
    out->load = wrench[2] / h;
    ts_cholesky_solve(A[1], 6, 6, wrench);
    for (int i = 0; i < sim->contact_count; ++i) {
        double J[3][6];
        const ts_contact contact = ts_sim_contact(sim, i);
        if (!is_of(&contact, body)) continue;
        point_rows(ts_vec3_sub(contact.position, b.centre), J);
        add_transposed(J, push_on(&contact, body), pressed);
    }
    ts_cholesky_solve(A[1], 6, 6, pressed);
    out->holds = 1;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        double J[3][6], sign = c.body_b == body ? 1.0 : -1.0;
        if (!is_of(&c, body)) continue;
        point_rows(ts_vec3_sub(c.position, b.centre), J);
        ts_vec3 u = ts_vec3_scale(sign, ts_mat3_mul_vec_transposed(&c.frame, times(J, v)));
        ts_vec3 force = times(J, wrench), seen = push_on(&c, body), moving = times(J, pressed);
        ts_vec3 inside = ts_vec3_sub(seen, moving),
                own = ts_vec3_scale(sign, ts_mat3_mul_vec_transposed(&c.frame, force));
        out->sinks = fmax(out->sinks, -u.z);
        out->creeps = fmax(out->creeps, hypot(u.x, u.y));
        out->off = fmax(out->off, ts_vec3_distance(epsilon > 0.0 ? seen : moving, force) / h);
        out->internal += ts_vec3_dot(inside, inside) / (h * h);
        out->holds &= hypot(own.x, own.y) < c.surface.friction * own.z;
    }
    out->internal = sqrt(out->internal);
    return TS_OK;
}
