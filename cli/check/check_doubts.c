// Doubts about units and signs: nothing here is impossible, but nearly always a slip. Each is a sentence with the numbers that it turns on.
#include "cli/check/check_internal.h"

#include <math.h>
#include <stdio.h>

// kg/m^3: osmium has 22600, air 1.2.
static const double densest = 25000.0;
static const double lightest = 1.0;

// m: of a geom that moves; m/s^2: nobody's gravity.
static const double too_large = 20.0;
static const double too_heavy = 100.0;

// rad: three turns and a bit; ranges in degrees are beyond it.
static const double too_many_turns = 20.0;

// rad/s and s: slower than a servo, and slower to arrive.
static const double too_weak = 0.2;
static const double too_slow = 10.0;
static const double too_stiff = 1e4;

// m: overlap at the start.
static const double too_deep = 2e-3;

// Volume of a body's solid geoms, and how far the largest reaches from its own middle.
static double volume_of(const ts_model* model, const ts_body* body, double* out_reach) {
    double volume = 0.0;
    *out_reach = 0.0;
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) {
        const ts_shape* shape = &model->geom[g].shape;
        double radius = ts_shape_bounding_radius(shape);
        if (!isfinite(radius)) continue;
        volume += ts_shape_mass_properties(shape).volume;
        *out_reach = fmax(*out_reach, radius);
    }
    return volume;
}

static void doubt_bodies(const ts_model* model, ts_check_note_array* notes) {
    for (int b = 1; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        char name[140];
        double reach, volume = volume_of(model, body, &reach), density = volume > 0.0 ? body->mass / volume : 0.0;
        ts_check_name("body", body->name, b, name);
        if (density > densest)
            ts_check_note_add(
                notes, "density", name, density, "kg/m^3",
                "weighs %.4g kg, but its geoms fill %.3g m^3 and reach %.3g m: %.3g kg/m^3, where osmium has "
                "22600. Is the mass in grams, or are lengths in another unit?",
                body->mass, volume, reach, density);
        if (density > 0.0 && density < lightest && body->tree >= 0)
            ts_check_note_add(
                notes, "density", name, density, "kg/m^3",
                "weighs %.4g kg, but its geoms fill %.3g m^3: %.3g kg/m^3, less than air. Are its geoms in "
                "millimetres, or its mass in tonnes?",
                body->mass, volume, density);
        if (reach > too_large && body->tree >= 0)
            ts_check_note_add(notes, "size", name, reach, "m",
                              "has a geom that reaches %.4g m from its middle, and moves. Is a mesh in millimetres?",
                              reach);
    }
}

static void doubt_gravity(const ts_sim* sim, ts_check_note_array* notes) {
    double g = ts_vec3_norm(sim->options.gravity);
    if (sim->model->nv == 0) return;
    if (g == 0.0)
        ts_check_note_add(notes, "gravity", "", 0.0, "m/s^2", "Gravity is zero: nothing falls.");
    else if (g > too_heavy)
        ts_check_note_add(notes, "gravity", "", g, "m/s^2",
                          "Gravity is %.5g m/s^2. 9.81 m/s^2 are 9810 mm/s^2: are lengths in millimetres?", g);
}

static void doubt_joints(const ts_model* model, ts_check_note_array* notes) {
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        char name[140];
        double most = fmax(fabs(joint->range[0]), fabs(joint->range[1]));
        ts_check_name("joint", joint->name, j, name);
        if (joint->limited && joint->type == TS_JOINT_HINGE && most > too_many_turns)
            ts_check_note_add(notes, "range", name, most, "rad",
                              "is limited from %.4g to %.4g rad, %.3g turns. Are these degrees?", joint->range[0],
                              joint->range[1], (joint->range[1] - joint->range[0]) / 6.283185307179586);
    }
}

// The inertia that a joint of one number feels with all others held, armature included, kg m^2 or kg.
static double inertia_at(const ts_sim* sim, int dof) {
    int tree = sim->model->dof[dof].tree, n = sim->model->tree[tree].dof_count;
    int i = dof - sim->model->tree[tree].dof_first;
    return sim->mass_matrix[sim->mass_start[tree] + i * n + i];
}

// Signs of a law that feed on motion.
static void doubt_signs(const ts_actuator* a, const char* name, ts_check_note_array* notes) {
    if (a->bias[2] > 0.0)
        ts_check_note_add(
            notes, "damping sign", name, a->bias[2], "N s/m or N m s/rad",
            "pulls harder the faster it already moves (bias %+.4g l'): that adds energy. A damper has the "
            "opposite sign.",
            a->bias[2]);
    if (a->bias[1] > 0.0)
        ts_check_note_add(
            notes, "stiffness sign", name, a->bias[1], "N/m or N m/rad",
            "pushes away from where it is, the harder the farther (bias %+.4g l). A spring has the opposite "
            "sign.",
            a->bias[1]);
}

// A servo on a joint of one number against the inertia there. `sim` has the mass matrix of the masses alone.
static void doubt_servo(const ts_sim* sim, const ts_actuator* a, const ts_joint* joint, const char* name,
                        ts_check_note_array* notes) {
    double gear = a->gear[0] * a->gear[0], inertia = inertia_at(sim, joint->dof_first);
    double stiffness = gear * -a->bias[1], damping = gear * -a->bias[2] + joint->damping;
    double frequency = sqrt(stiffness / inertia);
    if (frequency < too_weak)
        ts_check_note_add(
            notes, "gain", name, frequency, "rad/s",
            "has a stiffness of %.3g against an inertia of %.3g: it would swing once in %.3g s. Is the gain per "
            "degree, or the inertia in other units?",
            stiffness, inertia, 6.283185307179586 / frequency);
    if (frequency > too_stiff)
        ts_check_note_add(
            notes, "gain", name, frequency, "rad/s",
            "has a stiffness of %.3g against an inertia of %.3g: %.3g oscillations per second, more than any "
            "drive can follow. Is the inertia too small, or an armature missing?",
            stiffness, inertia, frequency / 6.283185307179586);
    if (damping > too_slow * stiffness)
        ts_check_note_add(
            notes, "damping", name, damping / stiffness, "s",
            "is damped by %.3g against a stiffness of %.3g: it needs %.3g s to come near what it is asked for", damping,
            stiffness, damping / stiffness);
}

static void doubt_strength(const ts_sim* sim, const ts_actuator* a, const ts_joint* joint, const char* name,
                           ts_check_note_array* notes) {
    double most = fmax(fabs(a->force.range[0]), fabs(a->force.range[1])) * fabs(a->gear[0]);
    double wanted = fabs(sim->bias[joint->dof_first]);
    if (!a->force.limited || most >= 0.2 * wanted) return;
    ts_check_note_add(notes, "strength", name, most, "N m or N",
                      "may pull %.3g, but gravity asks for %.3g at its joint at the start", most, wanted);
}

static void doubt_actuators(const ts_sim* sim, ts_check_note_array* notes) {
    const ts_model* model = sim->model;
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* a = &model->actuator[i];
        char name[140];
        ts_check_name("actuator", a->name, i, name);
        doubt_signs(a, name, notes);
        const char* transmission = ts_transmission_name(a->transmission);
        int on_joint = transmission[0] == 'j';
        const ts_joint* joint = on_joint ? &model->joint[a->target] : NULL;
        if (!joint || ts_joint_type_nv(joint->type) != 1 || a->gear[0] == 0.0) continue;
        if (a->bias[1] < 0.0) doubt_servo(sim, a, joint, name, notes);
        doubt_strength(sim, a, joint, name, notes);
    }
}

static void doubt_overlaps(const ts_sim* sim, ts_check_note_array* notes) {
    ts_contact deepest = {.gap = 0.0};
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        if (contact.gap < deepest.gap) deepest = contact;
    }
    if (deepest.gap > -too_deep) return;
    char a[140], b[140];
    ts_check_name("geom", sim->model->geom[deepest.geom_a].name, deepest.geom_a, a);
    ts_check_name("geom", sim->model->geom[deepest.geom_b].name, deepest.geom_b, b);
    ts_check_note_add(notes, "overlap", a, -deepest.gap, "m",
                      "overlaps %s by %.3g mm at the start: the first steps push them out at up to %.3g m/s", b,
                      -1e3 * deepest.gap, sim->options.push_out_speed);
}

void ts_check_doubts_find(ts_sim* sim, ts_check_note_array* out_notes) {
    ts_sim* plain = NULL;
    ts_status status;
    doubt_bodies(sim->model, out_notes);
    doubt_gravity(sim, out_notes);
    doubt_joints(sim->model, out_notes);
    // The integrator that takes nothing ahead has the plain mass matrix.
    if (ts_sim_create(sim->model, 1, &plain, &status) == TS_OK && !ts_sim_set_integrator(plain, "rk4", &status) &&
        !ts_sim_forward(plain, &status))
        doubt_actuators(plain, out_notes);
    ts_sim_free(plain);
    doubt_overlaps(sim, out_notes);
}
