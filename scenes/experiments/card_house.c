// Cards of round edges (radius r, edges L apart) that lean against each other in pairs, at an angle a from the vertical. One card of weight W
// stands on N = W; the other holds its top with H, and moments about the foot say H (L cos a + r) = W L sin a / 2. The foot needs that H as
// friction: the pair stands from mu* = L sin a / (2 (L cos a + r)) on, else its feet run out at an angle that obeys an equation of one
// degree of freedom, with N = m g + m z'' (fall() below; the tops do not rub, by symmetry). In a house a pair that carries a load P needs
// (W + P) / (2 W + P) of 2 mu*, less than tan a however heavy P; and its topmost pair carries nothing, so below mu* it falls.
// The lone pair is kept in its plane: in space its fall is not unique. A card's two feet share N as they like, the one with more is braked
// more, and the pair turns about the vertical or not: sweeps find the one, Newton's method one of the others, and all obey the law.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mass = 0.002, gravity = 9.81, length = 0.09, radius = 0.001, lean = 0.3490658503988659, wide = 0.06;
static const double shares[] = {1.02, 0.5, 0.9, 0.98, 1.5};
static const double house_frictions[] = {0.5, 0.15};

enum { STOREYS = 3 };

static const char planar[] = "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/><joint "
                             "type=\"hinge\" axis=\"0 1 0\"/>";

static double least_friction(void) { return 0.5 * length * sin(lean) / (length * cos(lean) + radius); }

static double inertia(void) { return mass * length * length / 12.0; }

static void begin(const char* name, double friction, double h, double tolerance, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"%s\"><option timestep=\"%g\"/><custom><numeric name=\"touchstone.tolerance\" "
                "data=\"%g\"/></custom><default><geom friction=\"%.17g\" rgba=\"0.9 0.9 0.8 1\"/></default>"
                "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\" rgba=\"0.2 0.4 0.3 1\"/>",
                name, h, tolerance, friction);
}

// Two cards whose tops touch at x, on ground of height z.
static void pair(double x, double z, const char* joints, ts_text* mjcf) {
    for (int side = -1; side <= 1; side += 2) {
        double dx = 0.5 * length * sin(lean) * side, dz = -0.5 * length * cos(lean);
        ts_text_add(mjcf,
                    "<body pos=\"%.17g 0 %.17g\">%s<inertial pos=\"0 0 0\" mass=\"%g\" diaginertia=\"%.17g "
                    "%.17g %.17g\"/>",
                    x + side * radius + dx, z + radius - dz, joints, mass, inertia() + mass * wide * wide / 12.0,
                    inertia(), mass * wide * wide / 12.0);
        for (int end = -1; end <= 1; end += 2)
            ts_text_add(mjcf, "<geom type=\"capsule\" size=\"%g\" fromto=\"%.17g %g %.17g %.17g %g %.17g\"/>", radius,
                        end * dx, -0.5 * wide, end * dz, end * dx, 0.5 * wide, end * dz);
        ts_text_add(
            mjcf,
            "<geom type=\"box\" size=\"%g %g %.17g\" euler=\"0 %.17g 0\" contype=\"0\" conaffinity=\"0\"/></body>",
            0.5 * radius, 0.5 * wide, 0.5 * length, -side * lean * 57.29577951308232);
    }
}

static void write_pair(double value, ts_text* mjcf) {
    begin("leaning-cards", value * least_friction(), 5e-4, 1e-12, mjcf);
    pair(0.0, 0.0, planar, mjcf);
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

static void write_house(double value, ts_text* mjcf) {
    double pitch = 2.0 * length * sin(lean) + 6.0 * radius, storey = length * cos(lean) + 4.0 * radius;
    begin("card-house", value, 2e-3, 1e-9, mjcf);
    for (int s = 0; s < STOREYS; ++s) {
        for (int i = s; i < STOREYS; ++i)
            pair(pitch * (i - 0.5 * s - 0.5 * (STOREYS - 1)), s * storey, "<freejoint/>", mjcf);
        if (s + 1 < STOREYS)
            ts_text_add(mjcf,
                        "<body pos=\"0 0 %.17g\"><freejoint/><geom type=\"box\" size=\"%.17g %g %g\" "
                        "mass=\"%.17g\" rgba=\"0.8 0.3 0.3 1\"/></body>",
                        (s + 1) * storey - radius, 0.5 * pitch * (STOREYS - s), 0.5 * wide, radius,
                        mass * (STOREYS - s));
    }
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

// The angle's acceleration while the feet run out.
static double fall(double mu, double angle, double rate) {
    double s = sin(angle), c = cos(angle), half = 0.5 * length, arm = mu * (length * c + radius);
    double torque = mass * gravity * half * s - arm * (mass * gravity - mass * half * c * rate * rate);
    return torque / (mass * half * half + inertia() - arm * mass * half * s);
}

// How far the tops have come down after t, m, and how fast they do.
static double drop_after(double mu, double t, double* out_speed) {
    double angle = lean, rate = 0.0, dt = t / 2000.0;
    for (int i = 0; i < 2000; ++i) {
        double r1 = rate, a1 = fall(mu, angle, r1);
        double r2 = rate + 0.5 * dt * a1, a2 = fall(mu, angle + 0.5 * dt * r1, r2);
        double r3 = rate + 0.5 * dt * a2, a3 = fall(mu, angle + 0.5 * dt * r2, r3);
        double r4 = rate + dt * a3, a4 = fall(mu, angle + dt * r3, r4);
        angle += dt / 6.0 * (r1 + 2.0 * r2 + 2.0 * r3 + r4);
        rate += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    *out_speed = length * sin(angle) * rate;
    return length * (cos(lean) - cos(angle));
}

// number[0]: height of the last body, the topmost, at the start.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double height = sim->kinematics.body_centre[sim->model->body_count - 1].z;
    if (run->steps == 0) run->number[0] = height;
    return 1e3 * (height - run->number[0]);
}

static void conclude_pair(ts_lab_run* run, ts_sim* sim) {
    double fallen = 2.0 * (run->number[0] - sim->kinematics.body_centre[sim->model->body_count - 1].z), speed = 0.0;
    double drop = run->value < 1.0 ? drop_after(run->value * least_friction(), sim->time, &speed) : 0.0;
    if (run->value < 1.0 && !(run->traits & TS_TRAIT_ALONE))
        ts_lab_leave_open(run, 0, TS_TRAIT_SOFT | TS_TRAIT_ANCHOR,
                          "once the feet run friction is Coulomb's; what was lost before, while contacts gave way, has "
                          "no closed form");
    // Of first order in the step: a step's travel.
    ts_lab_tell(run, 0, 1e3 * fallen, 1e3 * drop, 1e3 * sim->options.time_step * speed + 1e-6);
}

static void conclude_house(ts_lab_run* run, ts_sim* sim) {
    double fallen = 1e3 * (run->number[0] - sim->kinematics.body_centre[sim->model->body_count - 1].z);
    // Either not at all, or a third of a card at least.
    if (run->value > tan(lean))
        ts_lab_tell(run, 0, fallen, 0.0, 1e-5);
    else
        ts_lab_tell(run, 0, fallen, 1e3 * length * STOREYS, 1e3 * length * (STOREYS - 1.0 / 3.0));
    if (run->value < least_friction())
        ts_lab_spare(run, 0, ~0U, "what cannot stand falls under any law, and falling is all that is asked");
}

static const ts_measure measure_pair[] = {
    {"tops come down by", "mm", "0, or what one degree of freedom does", TS_TRAIT_SOFT | TS_TRAIT_ANCHOR, NULL, 0},
};

static const ts_measure measure_house[] = {
    {"the topmost card comes down by", "mm", "0, or all", TS_TRAIT_SOFT | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_leaning_cards_experiment = {
    .name = "leaning-cards",
    .source = "statics: the ladder against its likeness",
    .summary = "two cards lean against each other: friction decides whether their feet run out, and how",
    .write = write_pair,
    .parameter = "friction over what it takes",
    .values = shares,
    .value_count = 5,
    .solvers = "all",
    .duration = 0.2,
    .measure = measure_pair,
    .measure_count = 1,
    .signal = "height, against the start [mm]",
    .observe = observe,
    .conclude = conclude_pair,
};

const ts_experiment ts_card_house_experiment = {
    .name = "card-house",
    .source = "houses of cards",
    .summary = "a house of cards of three storeys stands on friction, and without it falls",
    .write = write_house,
    .parameter = "friction",
    .values = house_frictions,
    .value_count = 2,
    .solvers = "all",
    .duration = 0.4,
    .measure = measure_house,
    .measure_count = 1,
    .signal = "height of the topmost card, against the start [mm]",
    .observe = observe,
    .conclude = conclude_house,
};
