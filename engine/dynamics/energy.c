// Kinetic and potential energy.
//
// Kinetic: sum over bodies of half of twist times momentum, plus half of armature times rate squared, which stands for
// rotors geared to the joint. Potential: -m g . centre, and springs. Friction, dampers and applied forces have none.
#include "engine/dynamics/dynamics.h"
#include "engine/dynamics/kinematics.h"
#include "engine/sim_internal.h"

static double spring_energy(const ts_sim* sim, const ts_joint* joint) {
    if (joint->type == TS_JOINT_FREE || joint->spring == 0.0) return 0.0;
    if (joint->type == TS_JOINT_BALL)
        return 0.5 * joint->spring * ts_vec3_norm_squared(ts_dynamics_ball_rotation(sim, joint));
    double stretch = sim->qpos[joint->qpos_first] - joint->spring_rest;
    return 0.5 * joint->spring * stretch * stretch;
}

ts_energy ts_sim_energy(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_kinematics_update(sim);
    ts_energy energy = {0.0, 0.0};
    for (int b = 1; b < model->body_count; ++b) {
        // What cannot move would only add a constant.
        if (model->body[b].tree < 0) continue;
        ts_force momentum = ts_inertia_mul(&sim->body_inertia[b], sim->body_velocity[b]);
        energy.kinetic += 0.5 * ts_motion_dot_force(sim->body_velocity[b], momentum);
        energy.potential -= model->body[b].mass * ts_vec3_dot(sim->options.gravity, sim->body_centre[b]);
    }
    for (int d = 0; d < model->nv; ++d) energy.kinetic += 0.5 * model->dof[d].armature * sim->qvel[d] * sim->qvel[d];
    for (int j = 0; j < model->joint_count; ++j) energy.potential += spring_energy(sim, &model->joint[j]);
    return energy;
}
