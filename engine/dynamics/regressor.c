// The regressor: inverse dynamics as a linear function of a body's ten inertial parameters.
//
// Problem: d tau / d (mass, mass times centre, inertia about the frame's origin). Rule: the wrench I a + v x* I v about that origin for each
// unit of the inertia, then along the chain, tau_i = S_i . f. Source: Atkeson, An and Hollerbach, "Estimation of Inertial Parameters of
// Manipulator Loads and Links" (1986). Guaranteed: exact up to rounding. Known to fail: nothing.
#include <string.h>

#include "engine/dynamics/derivative.h"

enum { PARAMETERS = 10 };

ts_inertia ts_derivative_unit_inertia(int parameter, const ts_mat3* R) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    ts_inertia unit = {0.0, ts_vec3_zero(), ts_mat3_zero()};
    if (parameter == 0)
        unit.mass = 1.0;
    else if (parameter < 4)
        unit.moment = ts_mat3_column(R, parameter - 1);
    else {
        int i = row[parameter - 4], j = column[parameter - 4];
        unit.rotation.m[i][j] = unit.rotation.m[j][i] = 1.0;
        unit.rotation = ts_mat3_rotate_tensor(*R, unit.rotation);
    }
    return unit;
}

void ts_derivative_regressor(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int body,
                             const double* acceleration, double* out_matrix) {
    const ts_kinematics* k = kinematics;
    int tree = model->body[body].tree;
    if (tree < 0) return;
    int first = model->tree[tree].dof_first;
    memset(out_matrix, 0, (size_t)model->tree[tree].dof_count * PARAMETERS * sizeof(double));
    ts_motion v = k->body_velocity[body], a = ts_kinematics_bias(model, k, body);
    for (int d = model->body[body].dof_last; acceleration && d >= 0; d = model->dof[d].parent)
        a = ts_motion_add_scaled(a, acceleration[d - first], ts_kinematics_axis(model, k, d));
    ts_vec3 lever = ts_vec3_sub(k->body_pose[body].p, ts_kinematics_origin(model, k, tree));
    v.linear = ts_motion_at(v, lever);
    a.linear = ts_vec3_add_scaled(ts_motion_at(a, lever), model->body[body].buoyancy - 1.0, gravity);
    for (int p = 0; p < PARAMETERS; ++p) {
        ts_inertia unit = ts_derivative_unit_inertia(p, &k->body_pose[body].R);
        ts_force f = ts_force_add(ts_inertia_mul(&unit, a), ts_motion_cross_force(v, ts_inertia_mul(&unit, v)));
        f.couple = ts_vec3_add(f.couple, ts_vec3_cross(lever, f.force));
        for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent)
            out_matrix[(d - first) * PARAMETERS + p] = ts_motion_dot_force(ts_kinematics_axis(model, k, d), f);
    }
}

void ts_derivative_parameters(double mass, ts_vec3 centre, const ts_mat3* inertia, double out_parameters[10]) {
    ts_inertia about = ts_inertia_make(mass, centre, *inertia);
    out_parameters[0] = mass;
    ts_vec3_store(about.moment, out_parameters + 1);
    for (int i = 0; i < 3; ++i) out_parameters[4 + i] = about.rotation.m[i][i];
    out_parameters[7] = about.rotation.m[0][1];
    out_parameters[8] = about.rotation.m[0][2];
    out_parameters[9] = about.rotation.m[1][2];
}
