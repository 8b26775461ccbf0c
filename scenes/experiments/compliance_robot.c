// Fig. 13 on a robot: the quadruped stands with its joints locked, as the paper's program has its own, every row is softened by R = epsilon, and it is pushed
// sideways with 2 N at its centre (gravity leans by that much); friction 0.8 holds, as any would. All is known of the first step (stand.c): with four equal feet
// the load is m g / (1 + epsilon m / 4), feet sink and creep by R times their force, and no force is open any more. All of it lies within the
// cones, where relaxations and pyramids are the exact law.
#include "scenes/experiments/experiment.h"

#include "engine/write/mjcf_writer.h"

#include <math.h>

static const double compliances[] = {1e-1, 0.0, 1e-3, 1e-2, 1.0};

enum { LOAD, SINKS, CREEPS, OFF };

// Down to where the lowest foot touches the floor.
static void put_down(ts_sim* sim) {
    double low = HUGE_VAL;
    ts_sim_update_kinematics(sim);
    for (int g = 0; g < sim->model->geom_count; ++g) {
        const ts_geom* geom = &sim->model->geom[g];
        ts_vec3 least, most;
        if (!geom->body || !geom->mask) continue;
        ts_shape_bounds(&geom->shape, ts_kinematics_geom(&sim->kinematics, g), &least, &most);
        low = fmin(low, least.z);
    }
    sim->qpos[2] -= low;
    ts_sim_update_kinematics(sim);
}

static void set_up(double value, ts_model* m) {
    double mass = ts_model_total_mass(m);
    m->options.time_step = 1e-3;
    m->options.gravity = ts_vec3_make(2.0 / mass, 0.0, -9.81);
    m->options.compliance_normal = m->options.compliance_tangent = value;
    m->options.tolerance = 1e-10;
    m->options.iterations = 100000;
}

static void write(double value, ts_text* mjcf) {
    ts_loaded_scene scene;
    ts_status status;
    ts_sim* sim = NULL;
    ts_model* locked = NULL;
    ts_code code = ts_scene_load("quadruped", NULL, &scene, &status);
    if (code == TS_OK) code = ts_sim_create(scene.model, 1, &sim, &status);
    if (code == TS_OK) {
        put_down(sim);
        code = ts_scene_lock(sim, &locked, &status);
    }
    if (code == TS_OK) {
        set_up(value, locked);
        code = ts_mjcf_writer_text(locked, NULL, mjcf, &status);
    }
    if (code) mjcf->failed = 1;
    ts_model_free(locked);
    ts_sim_free(sim);
    ts_loaded_scene_free(&scene);
}

// Of the first step: number[0], N, what the floor carries; [1] and [2], m/s, the fastest approach and slip of a foot; the closed form of these
// from [3] on, [6] N forces off it; [7] nonzero where it holds.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double load = 0.0, sinks = 0.0, creeps = 0.0;
    int body = ts_lab_body(run, sim, 0, "base");
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        load += c.impulse.z / sim->options.time_step;
        sinks = fmax(sinks, -c.velocity.z);
        creeps = fmax(creeps, hypot(c.velocity.x, c.velocity.y));
    }
    if (run->steps != 1) return load;
    ts_lab_stand known;
    run->number[0] = load, run->number[1] = sinks, run->number[2] = creeps;
    if (ts_lab_stand_on(sim, body, run->value, &known, &run->status)) return load;
    run->number[3] = known.load, run->number[4] = known.sinks, run->number[5] = known.creeps;
    run->number[6] = known.off, run->number[7] = known.holds;
    return load;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double normal, tangent;
    ts_lab_softness(sim, &normal, &tangent);
    if (run->value > 0.0 && fabs(4.0 * normal - run->value) + fabs(4.0 * tangent - run->value) < 1e-9 * run->value)
        for (int m = LOAD; m <= OFF; ++m) {
            ts_lab_spare(run, m, TS_TRAIT_SOFT, "softer than its own floor, the law is the one that is asked for");
            ts_lab_spare(run, m, TS_TRAIT_ANCHOR, "where the scene gives R, its springs are of that R");
        }
    if (run->number[7] == 0.0) return;
    ts_lab_tell(run, LOAD, run->number[0], run->number[3], 1e-6);
    ts_lab_tell(run, SINKS, 1e6 * run->number[1], 1e6 * run->number[4], 1e-3);
    ts_lab_tell(run, CREEPS, 1e6 * run->number[2], 1e6 * run->number[5], 1e-3);
    // What a solver leaves of velocities, at most ten times 1e-10 of a step's fall, is force times epsilon times the step.
    double left = run->value > 0.0 ? 1e-9 * 9.81 / run->value : 0.0;
    ts_lab_tell(run, OFF, run->number[6], 0.0, 1e-6 + left);
}

static const ts_measure measure[] = {
    {"load in the first step", "N", "m g / (1 + epsilon m / 4): R shares the weight with the mass",
     TS_TRAIT_SOFT | TS_TRAIT_ALONE, NULL, 0},
    {"a foot sinks at", "um/s", "epsilon times its normal impulse", TS_TRAIT_SOFT | TS_TRAIT_ALONE, NULL, 0},
    {"a foot creeps at", "um/s", "epsilon times its friction: nothing sticks on R",
     TS_TRAIT_SOFT | TS_TRAIT_ALONE | TS_TRAIT_ANCHOR, NULL, 0},
    {"forces off", "N", "0, against -(G + R)^-1 g, which is unique; without R less their internal part",
     TS_TRAIT_SOFT | TS_TRAIT_ALONE | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_compliance_robot_experiment = {
    .name = "compliance-robot",
    .source = "Contact Models in Robotics, Fig. 13",
    .summary =
        "a quadruped on contacts softened by R, pushed with 2 N: what it loses in stiction, and forces that are unique",
    .write = write,
    .parameter = "epsilon [1/kg]",
    .values = compliances,
    .value_count = 5,
    .solvers = "all",
    .duration = 0.01,
    .measure = measure,
    .measure_count = 4,
    .signal = "load of the floor [N]",
    .observe = observe,
    .conclude = conclude,
};
