// Kinetic and potential energy.
//
// Kinetic: sum over bodies of half of twist times momentum, plus half of armature times rate squared, which stands for
// rotors geared to the joint. Potential: -m g . centre, but for what buoyancy takes away, and springs. Friction, dampers and applied forces have none.
#include "engine/actuation/tendon_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"

static double spring_energy(const ts_sim* sim, const ts_joint* joint) {
    double stretch[TS_JOINT_NV_MOST], squared = 0.0;
    if (joint->spring == 0.0 && !joint->curve.is_there) return 0.0;
    ts_joint_stretch(joint, sim->qpos + joint->qpos_first, stretch);
    for (int i = 0; i < ts_joint_type_nv(joint->type); ++i) squared += stretch[i] * stretch[i];
    return 0.5 * joint->spring * squared + (joint->curve.is_there ? ts_curve_energy(&joint->curve, stretch[0]) : 0.0);
}

// Of a lone body whose velocity belongs to half a step ago: the one that it has now.
static double late_kinetic(const ts_sim* sim, int b) {
    const ts_body* body = &sim->model->body[b];
    ts_vec3 velocity, omega;
    ts_touched_rotation_start(sim, body->tree, &velocity, &omega);
    ts_vec3 flight = ts_mat3_mul_vec(&sim->kinematics.body_pose[b].R, ts_vec3_cross(omega, body->centre));
    flight = ts_vec3_add(velocity, flight);
    return 0.5 *
           (body->mass * ts_vec3_norm_squared(flight) + ts_vec3_dot(omega, ts_mat3_mul_vec(&body->inertia, omega)));
}

double ts_dynamics_kinetic_energy(const ts_sim* sim) {
    const ts_model* model = sim->model;
    double energy = 0.0;
    for (int b = 1; b < model->body_count; ++b) {
        if (model->body[b].tree < 0) continue;
        ts_inertia inertia = ts_kinematics_inertia(model, &sim->kinematics, b);
        ts_force momentum = ts_inertia_mul(&inertia, sim->kinematics.body_velocity[b]);
        energy += ts_sim_storage_of(sim)->spin_memory[model->body[b].tree].late > 0.0
                      ? late_kinetic(sim, b)
                      : 0.5 * ts_motion_dot_force(sim->kinematics.body_velocity[b], momentum);
    }
    for (int d = 0; d < model->nv; ++d) energy += 0.5 * model->dof[d].armature * sim->qvel[d] * sim->qvel[d];
    return energy;
}

ts_energy ts_sim_energy(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_update_kinematics(sim);
    ts_energy energy = {ts_dynamics_kinetic_energy(sim), 0.0};
    for (int b = 1; b < model->body_count; ++b) {
        // What cannot move would only add a constant.
        if (model->body[b].tree < 0) continue;
        energy.potential -= (1.0 - model->body[b].buoyancy) * model->body[b].mass *
                            ts_vec3_dot(sim->options.gravity, sim->kinematics.body_centre[b]);
    }
    for (int j = 0; j < model->joint_count; ++j) energy.potential += spring_energy(sim, &model->joint[j]);
    for (int t = 0; t < model->tendon_count; ++t) {
        const ts_tendon* tendon = &model->tendon[t];
        if (tendon->spring == 0.0 && !tendon->curve.is_there) continue;
        double length = ts_tendon_measure(sim, tendon, &ts_sim_storage_of(sim)->tendon_lever[t]);
        double stretch = ts_tendon_stretch(tendon, length);
        energy.potential += 0.5 * tendon->spring * stretch * stretch + ts_curve_energy(&tendon->curve, stretch);
    }
    return energy;
}
