// Contacts as soft as the model says: rest depths, bounces, creep and lift-off against the documented spring law,
// worked out here from scratch.
#include "engine/sim_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "tests/engine/engine_fixture.h"
#include "tests/engine/read/mjcf_sample.h"

static const double gravity = 9.81;

// What a geom says, and the law that follows (MuJoCo's documentation), in long double.
typedef ts_mujoco_softness law;

static const law usual = {{0.02, 1.0}, {0.9, 0.95, 0.001, 0.5, 2.0}};

static long double share(const law* l, long double gap) {
    long double x = fabsl(gap) / (long double)l->solimp[2], mid = l->solimp[3], power = l->solimp[4], y;
    if (x >= 1.0L)
        y = 1.0L;
    else if (x <= mid)
        y = powl(x, power) / powl(mid, power - 1.0L);
    else
        y = 1.0L - powl(1.0L - x, power) / powl(1.0L - mid, power - 1.0L);
    return l->solimp[0] + y * ((long double)l->solimp[1] - l->solimp[0]);
}

static long double damping(const law* l, double h) {
    long double dw = l->solimp[1];
    if (l->solref[0] < 0.0) return -l->solref[1] / dw;
    return 2.0L / (dw * fmaxl(l->solref[0], 2.0L * h));
}

// Without the factor d.
static long double stiffness(const law* l, double h) {
    long double dw = l->solimp[1], constant = fmaxl(l->solref[0], 2.0L * h), ratio = l->solref[1];
    if (l->solref[0] < 0.0) return -l->solref[0] / (dw * dw);
    return 1.0L / (dw * dw * constant * constant * ratio * ratio);
}

// At rest the share d of the spring's acceleration, d k x, and what is lost by R, (1 - d) / d g, are equal.
static double rest_depth(const law* l, double g, double h) {
    long double low = 0.0L, high = 1.0L;
    for (int i = 0; i < 200; ++i) {
        long double x = 0.5L * (low + high), d = share(l, x);
        if (d * stiffness(l, h) * x < (1.0L - d) / d * g)
            low = x;
        else
            high = x;
    }
    return (double)high;
}

// The last `count` of the sliders along x, y, z.
static void add_sliders(ts_builder* builder, int body, int count) {
    for (int i = 3 - count; i < 3; ++i) {
        ts_joint_def joint = ts_joint_def_default();
        joint.body = body;
        joint.type = TS_JOINT_SLIDE;
        joint.axis = ts_vec3_axis(i);
        cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
    }
}

// A ball of 0.1 m on three sliders: it cannot turn, so it is a point mass. The floor is z = 0.
static fixture point(const char* solver, const law* l, double mass, double mu, double height, double h,
                     const ts_vec3* pull) {
    ts_builder* builder = ts_builder_create("point");
    ts_options* options = ts_builder_options(builder);
    options->time_step = h;
    options->tolerance = 1e-10;
    options->gravity = *pull;
    strcpy(options->solver, solver);
    ts_body_def body = ts_body_def_default();
    body.pose.position = ts_vec3_make(0.0, 0.0, 0.1 + height);
    body.mass = mass;
    body.inertia = ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0));
    int index = ts_builder_add_body(builder, &body);
    add_sliders(builder, index, 3);
    for (int i = 0; i < 2; ++i) {
        ts_geom_def geom = ts_geom_def_default();
        geom.body = i ? index : 0;
        geom.shape = i ? ts_shape_sphere(0.1) : ts_shape_plane();
        geom.surface.friction = mu;
        geom.surface.softness = *l;
        cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    }
    return fixture_start(builder, 1);
}

static const ts_vec3 down = {0.0, 0.0, -9.81};

static void set(fixture* f, const char* name, const char* value) {
    ts_status status;
    cr_assert_eq(ts_sim_set(f->sim, name, value, &status), TS_OK, "%s", status.message);
}

Test(soft_contact, rests_where_the_spring_carries_the_weight) {
    static const law cases[] = {{{0.02, 1.0}, {0.9, 0.95, 0.001, 0.5, 2.0}},
                                {{0.05, 0.8}, {0.5, 0.9, 0.02, 0.3, 3.0}},
                                {{0.001, 1.0}, {0.9, 0.99, 0.01, 0.5, 2.0}},  // a time constant under two steps
                                {{-5000.0, -150.0}, {0.8, 0.8, 0.01, 0.5, 2.0}}};
    static const char* const solvers[] = {"mujoco", "ncp", "ncp-pgs", "ccp-admm", "lcp-pgs", "raisim"};
    for (int c = 0; c < 4; ++c) {
        double depth = rest_depth(&cases[c], gravity, 0.002);
        for (int s = 0; s < 6; ++s) {
            fixture f = point(solvers[s], &cases[c], 1.7, 0.5, 0.0, 0.002, &down);
            if (s > 0) set(&f, "soft_contacts", "2");
            fixture_run(&f, 3000);
            cr_expect_float_eq(-f.sim->qpos[2], depth, 1e-9, "%s, case %d: %.12g, not %.12g", solvers[s], c,
                               -f.sim->qpos[2], depth);
            fixture_end(&f);
        }
    }
    cr_expect_float_eq(rest_depth(&usual, gravity, 0.002), 3.671818e-4, 1e-10);  // MuJoCo's own figure
}

// The whole flight of a weakly damped ball, by the recurrence v' = v - g h + d h max(0, g - b v - d k phi).
Test(soft_contact, bounces_as_the_recurrence_says) {
    static const law cases[] = {{{0.02, 0.1}, {0.9, 0.95, 0.001, 0.5, 2.0}},
                                {{-9000.0, -10.0}, {0.3, 0.9, 0.05, 0.6, 2.5}}};
    for (int c = 0; c < 2; ++c) {
        double h = 0.001;
        fixture f = point("mujoco", &cases[c], 2.5, 0.3, 0.05, h, &down);
        long double z = 0.05L, v = 0.0L, b = damping(&cases[c], h), k = stiffness(&cases[c], h), lowest = 0.0L;
        int hits = 0;
        for (int i = 0; i < 1500; ++i) {
            long double d = share(&cases[c], z), push = gravity - b * v - d * k * z, before = v;
            v -= h * (long double)gravity;
            if (z < 0.0L && push > 0.0L) v += d * h * push;
            z += h * v;
            hits += before <= 0.0L && v > 0.0L;
            lowest = fminl(lowest, z);
            fixture_run(&f, 1);
            cr_assert_float_eq(0.05 + f.sim->qpos[2], (double)z, 1e-11, "case %d, step %d: %.15g, not %.15Lg", c, i,
                               0.05 + f.sim->qpos[2], z);
            cr_assert_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
        }
        cr_expect(hits >= 2 && lowest < -1e-3L, "it bounced %d times, %Lg deep", hits, lowest);
        fixture_end(&f);
    }
}

// Two balls of unlike mass meet in mid-air: between them acts what the sum of their weights says, a third of which it
// is where they can only move along z.
Test(soft_contact, both_bodies_count) {
    const double mass[2] = {0.5, 3.0}, h = 0.001;
    for (int sliders = 1; sliders <= 3; sliders += 2) {
        ts_builder* builder = ts_builder_create("two");
        ts_options* options = ts_builder_options(builder);
        options->time_step = h;
        options->gravity = ts_vec3_zero();
        options->tolerance = 1e-10;
        strcpy(options->solver, "mujoco");
        for (int i = 0; i < 2; ++i) {
            ts_body_def body = ts_body_def_default();
            body.pose.position = ts_vec3_make(0.0, 0.0, 0.21 * i);
            body.mass = mass[i];
            body.inertia = ts_mat3_identity();
            int index = ts_builder_add_body(builder, &body);
            add_sliders(builder, index, sliders);
            fixture_geom(builder, index, ts_shape_sphere(0.1), ts_vec3_zero(), 0.5);
        }
        fixture f = fixture_start(builder, 1);
        f.sim->qvel[sliders - 1] = 2.0;
        long double gap = 0.01L, v = -2.0L, b = damping(&usual, h), k = stiffness(&usual, h),
                    G = 1.0L / 0.5L + 1.0L / 3.0L;
        for (int n = 0; n < 200; ++n) {
            long double d = share(&usual, gap), R = (1.0L - d) / d * G * sliders / 3.0L;
            long double impulse = -h * (b * v + d * k * gap) / (G + R);
            if (gap < 0.0L && impulse > 0.0L) v += G * impulse;
            gap += h * v;
            fixture_run(&f, 1);
            double now = 0.01 + f.sim->qpos[2 * sliders - 1] - f.sim->qpos[sliders - 1];
            cr_assert_float_eq(now, (double)gap, 1e-12, "step %d: %.15g, not %.15Lg", n, now, gap);
        }
        double momentum = mass[0] * f.sim->qvel[sliders - 1] + mass[1] * f.sim->qvel[2 * sliders - 1];
        cr_expect_float_eq(momentum, 1.0, 1e-12);
        cr_expect_gt((double)v, 0.0);
        fixture_end(&f);
    }
}

// What holds creeps, where damping and R are in balance: b c = R_T times the force it holds.
Test(soft_contact, creeps_as_impratio_says) {
    static const double impratio[2] = {1.0, 10.0};
    double angle = 0.2, h = 0.002, gn = gravity * cos(angle), gt = gravity * sin(angle);
    ts_vec3 pull = ts_vec3_make(gt, 0.0, -gn);
    double depth = rest_depth(&usual, gn, h), d = (double)share(&usual, depth);
    for (int i = 0; i < 2; ++i) {
        fixture f = point("mujoco", &usual, 0.6, 0.5, 0.0, h, &pull);
        set(&f, "impratio", i ? "10" : "1");
        fixture_run(&f, 3000);
        double creep = (1.0 - d) / d / impratio[i] * gt / (double)damping(&usual, h);
        cr_expect_float_eq(f.sim->qvel[0], creep, 1e-9, "%.12g, not %.12g", f.sim->qvel[0], creep);
        cr_expect_float_eq(-f.sim->qpos[2], depth, 1e-9);
        fixture_end(&f);
    }
}

// What slides is lifted: the relaxed law asks u_N = mu |u_T|. On a slope of tan = mu it keeps its speed.
Test(soft_contact, sliding_lifts_as_the_relaxed_law_says) {
    double mu = 0.4, h = 0.002, angle = atan(mu), gn = gravity * cos(angle);
    ts_vec3 pull = ts_vec3_make(gravity * sin(angle), 0.0, -gn);
    fixture f = point("mujoco", &usual, 0.6, mu, -2e-4, h, &pull);
    f.sim->qvel[0] = 0.012;
    fixture_run(&f, 4000);
    double gap = -2e-4 + f.sim->qpos[2], slip = f.sim->qvel[0], d = (double)share(&usual, gap), R = (1.0 - d) / d;
    double lifted =
        (mu * (double)damping(&usual, h) * slip - (1.0 + mu * mu) * R * gn) / (d * (double)stiffness(&usual, h));
    cr_expect_gt(slip, 1.5 * R * mu * gn / (double)damping(&usual, h), "it does not slide, it creeps: %g", slip);
    cr_expect_float_eq(gap, lifted, 1e-10, "%.12g, not %.12g", gap, lifted);
    cr_expect_gt(gap, -0.85 * rest_depth(&usual, gn, h));
    cr_expect_float_eq(f.sim->qvel[2], 0.0, 1e-9);
    fixture_end(&f);
}

// The same spring everywhere: it rests at m g / k, whatever the step, and moves by f = -k (phi + (h + tau) v').
Test(soft_contact, springs_of_one_stiffness) {
    static const char* const solvers[] = {"sap", "ncp", "ncp-pgs", "ccp-apgd", "lcp-lemke"};
    static const double steps[2] = {0.001, 0.005};
    for (int s = 0; s < 5; ++s)
        for (int i = 0; i < 2; ++i) {
            double h = steps[i], m = 1.7, k = 2000.0, tau = 0.02;
            fixture f = point(solvers[s], &usual, m, 0.5, 0.002, h, &down);
            set(&f, "contact_stiffness", "2000");
            set(&f, "contact_dissipation", "0.02");
            long double z = 0.002L, v = 0.0L;
            for (int n = 0; n < 400; ++n) {
                long double free_velocity = v - h * (long double)gravity;
                v = free_velocity;
                if (z < 0.0L) v = (m * free_velocity - h * k * z) / (m + h * k * ((long double)h + tau));
                v = fmaxl(v, free_velocity);
                z += h * v;
                fixture_run(&f, 1);
                cr_assert_float_eq(0.002 + f.sim->qpos[2], (double)z, 1e-9, "%s, step %d: %.12g, not %.12Lg",
                                   solvers[s], n, 0.002 + f.sim->qpos[2], z);
            }
            fixture_run(&f, 4000);
            cr_expect_float_eq(-(0.002 + f.sim->qpos[2]), m * gravity / k, 1e-9, "%s: %.12g", solvers[s],
                               0.002 + f.sim->qpos[2]);
            fixture_end(&f);
        }
}

// Drake's: no contact is stiffer than a period of beta steps, so it rests at depth (h + tau) R_N m g h; what holds on a
// slope creeps at sigma |G_ii| times the impulse that it holds. |G_ii| of a point mass is sqrt(3) / (3 m).
Test(soft_contact, sap_is_as_stiff_as_a_step_can_show) {
    double h = 0.004, tau = 0.02, m = 1.7, angle = 0.2, pi = acos(-1.0), size = sqrt(3.0) / (3.0 * m);
    double gn = gravity * cos(angle), gt = gravity * sin(angle);
    ts_vec3 pull = ts_vec3_make(gt, 0.0, -gn);
    static const double beta[2] = {1.0, 2.5}, sigma[2] = {1e-3, 0.1};
    for (int i = 0; i < 2; ++i) {
        fixture f = point("sap", &usual, m, 0.5, 0.0, h, &pull);
        set(&f, "contact_stiffness", "1e14");
        set(&f, "contact_dissipation", "0.02");
        set(&f, "solver.beta", i ? "2.5" : "1");
        set(&f, "solver.sigma", i ? "0.1" : "0.001");
        fixture_run(&f, 2000);
        double depth = (h + tau) * beta[i] * beta[i] / (4.0 * pi * pi) * size * m * gn * h;
        double creep = sigma[i] * size * h * m * gt;
        cr_expect_float_eq(-f.sim->qpos[2], depth, 1e-9, "%.12g, not %.12g", -f.sim->qpos[2], depth);
        cr_expect_float_eq(f.sim->qvel[0], creep, 1e-9, "%.12g, not %.12g", f.sim->qvel[0], creep);
        fixture_end(&f);
    }
}

Test(soft_contact, only_where_it_is_asked_for) {
    fixture f = point("mujoco", &usual, 1.0, 0.5, 5e-4, 0.002, &down);
    cr_expect_eq(ts_soft_contact_kind(f.sim), TS_SOFT_CONTACT_MODEL);
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->contact_count, 0, "there is no margin");
    set(&f, "soft_contacts", "0");
    cr_expect_eq(ts_soft_contact_kind(f.sim), TS_SOFT_CONTACT_NONE);
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->contact_count, 1);
    set(&f, "soft_contacts", "1");
    set(&f, "solver", "sap");
    cr_expect_eq(ts_soft_contact_kind(f.sim), TS_SOFT_CONTACT_NONE);
    set(&f, "contact_stiffness", "10");
    cr_expect_eq(ts_soft_contact_kind(f.sim), TS_SOFT_CONTACT_SPRING);
    fixture_end(&f);
}

// How easily bodies move at their centres: 1 / m when free; on a hinge at distance L only one way of three, against the
// inertia about the axis.
Test(soft_contact, bodies_weigh_what_their_centres_feel) {
    ts_model* model =
        mjcf_read("<mujoco><worldbody><body><freejoint/><geom type='box' size='.1 .2 .3' mass='4'/></body>"
                  "<body><joint type='hinge' axis='0 1 0'/><inertial pos='.5 0 0' mass='2' "
                  "diaginertia='.3 .1 .3'/></body></worldbody></mujoco>");
    ts_sim* sim;
    cr_assert_eq(ts_sim_create(model, 1, &sim, NULL), TS_OK);
    const double* w = ts_sim_storage_of(sim)->inverse_weight;
    cr_expect_eq(w[0], 0.0);
    cr_expect_float_eq(w[1], 0.25, 1e-15);
    cr_expect_float_eq(w[2], 0.25 / (2.0 * 0.25 + 0.1) / 3.0, 1e-15, "%g", w[2]);
    ts_sim_free(sim);
    ts_model_free(model);
}

Test(soft_contact, mjcf_says_how_soft) {
    ts_model* m =
        mjcf_read("<mujoco><option impratio='7'/><default><geom solimp='.5 .6' solmix='2'/></default><worldbody>"
                  "<geom size='1'/><geom size='1' solref='-10 -3' solimp='.1 .2 .3 .4 5' solmix='0'/>"
                  "</worldbody></mujoco>");
    static const double first[5] = {0.5, 0.6, 0.001, 0.5, 2.0}, second[5] = {0.1, 0.2, 0.3, 0.4, 5.0};
    cr_expect_eq(m->options.impratio, 7.0);
    cr_expect(m->geom[0].surface.softness.solref[0] == 0.02 && m->geom[0].surface.softness.solref[1] == 1.0 &&
              m->geom[0].surface.solmix == 2.0);
    cr_expect(m->geom[1].surface.softness.solref[0] == -10.0 && m->geom[1].surface.softness.solref[1] == -3.0 &&
              m->geom[1].surface.solmix == 0.0);
    for (int i = 0; i < 5; ++i) {
        cr_expect_eq(m->geom[0].surface.softness.solimp[i], first[i]);
        cr_expect_eq(m->geom[1].surface.softness.solimp[i], second[i]);
    }
    ts_model_free(m);
    mjcf_refuse("<mujoco><worldbody>\n<geom size='1' solmix='-1'/></worldbody></mujoco>", 2, "solmix");
    mjcf_refuse("<mujoco><worldbody>\n<geom size='1' solref='1 2 3'/></worldbody></mujoco>", 2, "solref");
    mjcf_refuse("<mujoco>\n<option impratio='0'/></mujoco>", 2, "impratio");
}

// Ten balls that share nothing but the floor: softness does not spoil determinism, and a restored state goes on as
// before.
Test(soft_contact, same_bits_for_any_number_of_workers) {
    double last[2][3] = {{0.0}};
    for (int workers = 1; workers <= 2; ++workers) {
        ts_builder* builder = ts_builder_create("balls");
        strcpy(ts_builder_options(builder)->solver, "mujoco");
        for (int i = 0; i < 10; ++i) {
            int body = fixture_free_body(builder, ts_vec3_make(0.3 * i, 0.0, 0.12 + 0.01 * i), 0.0, ts_mat3_identity());
            fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.5);
        }
        fixture_floor(builder, 0.5, 0.3);
        fixture f = fixture_start(builder, workers);
        fixture_run(&f, 300);
        memcpy(last[workers - 1], f.sim->qpos + 7 * 9, sizeof last[0]);
        fixture_end(&f);
    }
    cr_expect_eq(memcmp(last[0], last[1], sizeof last[0]), 0);
    cr_expect_lt(last[0][2], 0.1);
}
