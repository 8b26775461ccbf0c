// Whole scenes in other units: a scene whose masses, lengths and times are all multiplied by constants is the same scene, and every
// step of it has to come to the same status, after as many iterations, with the same verdict for every contact.
//
// Powers of two change no bit: the scaled run is compared number by number. Powers of ten change the rounding, and an iteration that
// ends because a number is just below a limit may end one earlier or later. Where they differ, the scene is run in units that differ
// from its own by per cents, which moves no number across a limit in kg, m or s but rounds everything anew. Only what differs from
// the scene there as well, and no later, is a tie, and ties are counted: an eighth of the runs may be ties, all others are equal.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/joint/joint_traits_internal.h"
#include "engine/step/certify.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"
#include "tests/engine/read/mjcf_sample.h"

enum { STEPS = 12, MOST_CONTACTS = 64, NEAR = 40 };

// What a unit of the scene is multiplied by.
typedef struct units {
    double mass, length, time;
} units;

// What a quantity of kg^a m^b s^c is multiplied by.
static double factor(const units* u, int mass, int length, int time) {
    return pow(u->mass, mass) * pow(u->length, length) * pow(u->time, time);
}

static void scale_vec(ts_vec3* v, double by) { *v = ts_vec3_scale(by, *v); }

// Multiplies count numbers of a model, which is constant to all others.
static void scale_numbers(const double* x, int count, double by) {
    double* numbers = (double*)(uintptr_t)x;
    for (int i = 0; i < count; ++i) numbers[i] *= by;
}

static void scale_options(ts_options* o, const units* u) {
    o->time_step *= u->time;
    scale_vec(&o->gravity, factor(u, 0, 1, -2));
    o->contact_margin *= u->length;
    o->slop *= u->length;
    o->push_out_speed *= factor(u, 0, 1, -1);
    o->push_out_turn /= u->time;
    o->restitution_speed *= factor(u, 0, 1, -1);
    o->compliance_normal *= factor(u, -1, 0, 0);
    o->compliance_tangent *= factor(u, -1, 0, 0);
    o->contact_stiffness *= factor(u, 1, 0, -2);
    o->contact_dissipation *= u->time;
}

// `violation` is the unit of what is violated.
static void scale_softness(ts_mujoco_softness* softness, double violation, const units* u) {
    for (int i = 0; i < 2; ++i) {
        double* solref = &softness->solref[i];
        if (*solref < 0.0)
            *solref *= factor(u, 0, 0, i - 2);
        else if (i == 0)
            *solref *= u->time;
    }
    softness->solimp[2] *= violation;
}

static void scale_surface(ts_surface* surface, const units* u) {
    surface->friction_spin *= u->length;
    surface->friction_roll *= u->length;
    surface->margin *= u->length;
    surface->gap *= u->length;
    scale_softness(&surface->softness, u->length, u);
}

// A joint's forces are couples about a hinge or a ball, forces along a slide.
static void scale_joint(ts_joint* joint, const units* u) {
    int slides = joint->type == TS_JOINT_SLIDE, arm = slides ? 0 : 2;
    scale_vec(&joint->anchor, u->length);
    if (slides) {
        joint->range[0] *= u->length;
        joint->range[1] *= u->length;
        joint->reference *= u->length;
        joint->spring_rest *= u->length;
    }
    joint->spring *= factor(u, 1, arm, -2);
    joint->damping *= factor(u, 1, arm, -1);
    joint->armature *= factor(u, 1, arm, 0);
    joint->friction *= factor(u, 1, slides ? 1 : 2, -2);
    joint->softness.margin *= slides ? u->length : 1.0;
    scale_softness(&joint->softness.limit, slides ? u->length : 1.0, u);
    scale_softness(&joint->softness.friction, slides ? u->length : 1.0, u);
}

static void scale_state(const ts_model* model, const double* qpos, const double* qvel, const units* u) {
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        int moves = joint->type == TS_JOINT_FREE ? 3 : joint->type == TS_JOINT_SLIDE;
        scale_numbers(qpos + joint->qpos_first, moves, u->length);
        if (!qvel) continue;
        scale_numbers(qvel + joint->dof_first, moves, factor(u, 0, 1, -1));
        scale_numbers(qvel + joint->dof_first + moves, ts_joint_type_nv(joint->type) - moves, 1.0 / u->time);
    }
}

static void scale_model(ts_model* model, const units* u) {
    scale_options(&model->options, u);
    for (int b = 0; b < model->body_count; ++b) {
        ts_body* body = (ts_body*)(uintptr_t)&model->body[b];
        scale_vec(&body->pose.position, u->length);
        scale_vec(&body->centre, u->length);
        body->mass *= u->mass;
        body->inertia = ts_mat3_scale(factor(u, 1, 2, 0), body->inertia);
    }
    for (int j = 0; j < model->joint_count; ++j) scale_joint((ts_joint*)(uintptr_t)&model->joint[j], u);
    for (int d = 0; d < model->nv; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        ts_dof* dof = (ts_dof*)(uintptr_t)&model->dof[d];
        dof->damping = joint->damping;
        dof->armature = joint->armature;
        dof->friction = joint->friction;
    }
    for (int g = 0; g < model->geom_count; ++g) {
        ts_geom* geom = (ts_geom*)(uintptr_t)&model->geom[g];
        cr_assert_lt(geom->shape.kind, TS_SHAPE_TRIANGLE + 2 * (geom->shape.kind == TS_SHAPE_BOX), "made of numbers");
        scale_vec(&geom->pose.position, u->length);
        scale_vec(&geom->shape.half, u->length);
        geom->shape.radius *= u->length;
        scale_surface(&geom->surface, u);
    }
    scale_state(model, model->qpos_rest, NULL, u);
    if (model->qpos0 != model->qpos_rest) scale_state(model, model->qpos0, model->qvel0, u);
}

// --- the scenes ------------------------------------------------------------------------------------------------------

// Of every kind of shape, thrown and turning, rolling with friction, bouncing off a floor and off each other.
static const char heap[] =
    "<mujoco><option timestep='0.004'/><default><geom friction='0.7 0.01 0.002' condim='6'/></default><worldbody>"
    "<geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .11'><freejoint/><geom type='box' size='.2 .15 .1'/></body>"
    "<body pos='.05 .02 .32' euler='0 0 30'><freejoint/><geom type='cylinder' size='.12 .1' mass='2'/></body>"
    "<body pos='.5 0 .099'><freejoint/><geom type='sphere' size='.1' mass='.3'/></body>"
    "<body pos='.51 .21 .12' euler='0 85 10'><freejoint/><geom type='capsule' size='.1 .2' condim='4'/></body>"
    "<body pos='-.4 0 .1' euler='10 5 0'><freejoint/><geom type='ellipsoid' size='.2 .15 .09' mass='5'/></body>"
    "<body pos='-.4 .02 .3' euler='40 5 0'><freejoint/><geom type='box' size='.1 .1 .1' condim='1'/></body>"
    "</worldbody></mujoco>";

// A tree of all joints with springs, dampers and armature, with limits and dry friction where they are lengths and forces, its foot on
// the floor and a block on its back.
#define MACHINE(turning)                                                                                     \
    "<mujoco><option timestep='0.003'/><default><joint damping='.3' armature='.02'/></default><worldbody>"   \
    "<geom type='plane' size='5 5 .1'/>"                                                                     \
    "<body pos='0 0 .6'><freejoint/><geom type='box' size='.2 .15 .1'/>"                                     \
    "<body pos='.1 0 -.1'><joint type='hinge' axis='0 1 0' stiffness='5' " turning "/>"                      \
    "<geom type='capsule' fromto='0 0 0 .05 0 -.2' size='.04'/>"                                             \
    "<body pos='.05 0 -.2'><joint type='slide' axis='0 0 1' range='-.01 .2' limited='true' stiffness='200' " \
    "frictionloss='.1'/>"                                                                                    \
    "<geom type='box' size='.1 .08 .03' pos='0 0 -.266'/></body></body>"                                     \
    "<body pos='-.15 0 -.1'><joint type='ball' " turning "/>"                                                \
    "<geom type='capsule' fromto='0 0 0 -.05 0 -.36' size='.04'/></body></body>"                             \
    "<body pos='0 0 .76'><freejoint/><geom type='box' size='.05 .05 .06'/></body>"                           \
    "</worldbody></mujoco>"
static const char machine[] = MACHINE("");

// The same with limits on angles, and dry friction that is a couple. Judging compares newtons with newton metres there, by one number:
// only masses and times have other units.
static const char bent_machine[] = MACHINE("frictionloss='.1' range='0 20' limited='true'");

// A top on its tip and a coin on its rim.
static const char spinners[] =
    "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .0099' euler='0 20 0'><freejoint/><geom type='sphere' size='.01' mass='.01'/>"
    "<geom type='cylinder' pos='0 0 .1' size='.08 .01'/></body>"
    "<body pos='.5 0 .099' euler='80 0 0'><freejoint/><geom type='cylinder' size='.1 .01'/></body>"
    "</worldbody></mujoco>";

static const char* const scenes[] = {
    "sliding-cube",  "sliding-cube-rotated", "fast-cube", "dragged-cube", "stack-10", "unequal-cubes",
    "tonne-on-gram", "double-pendulum",      "incline",   heap,           machine,    spinners,
    bent_machine};

static int is_file(int scene) { return scenes[scene][0] == '<'; }

static const char* name_of(int scene) {
    return !is_file(scene)                 ? scenes[scene]
           : scenes[scene] == heap         ? "heap"
           : scenes[scene] == machine      ? "machine"
           : scenes[scene] == bent_machine ? "bent machine"
                                           : "spinners";
}

typedef struct run {
    ts_loaded_scene scene;
    ts_sim* sim;
    units u;
    // Of every step.
    ts_solve_status status[STEPS];
    int iterations[STEPS], contacts[STEPS];
    ts_contact_mode mode[STEPS][MOST_CONTACTS];
    double qpos[STEPS][128];
} run;

// Speeds in the heap and of the spinners; everything bounces a little.
static void set_going(ts_model* model, int scene) {
    double* qvel = (double*)(uintptr_t)model->qvel0;
    for (int g = 0; g < model->geom_count && scenes[scene] == heap; ++g)
        ((ts_geom*)(uintptr_t)&model->geom[g])->surface.restitution = 0.4;
    for (int d = 0; d < model->nv; ++d) qvel[d] = scenes[scene] == heap ? 0.3 * sin(7.0 * d) - 0.2 * (d % 6 == 2) : 0.0;
    if (scenes[scene] != spinners) return;
    qvel[5] = 150.0;
    qvel[6] = 0.8;
    qvel[11] = 8.0;
}

static void load(int scene, const units* u, run* out) {
    ts_status status;
    memset(out, 0, sizeof *out);
    if (is_file(scene)) {
        out->scene.model = mjcf_read(scenes[scene]);
        set_going(out->scene.model, scene);
    } else {
        cr_assert_eq(ts_scene_load(scenes[scene], NULL, &out->scene, &status), TS_OK, "%s", status.message);
    }
    out->u = *u;
    if (scenes[scene] == bent_machine) out->u.length = 1.0;
    scale_model(out->scene.model, &out->u);
    cr_assert_leq(out->scene.model->nq, 128);
}

// A scene's controller reads the clock and writes newtons.
static void control(run* r) {
    if (!r->scene.control.controller) return;
    double time = r->sim->time;
    r->sim->time = time / r->u.time;
    ts_controller_act(&r->scene.control, r->sim);
    r->sim->time = time;
    for (int b = 0; b < r->scene.model->body_count; ++b) {
        scale_vec(&r->sim->wrench_applied[b].force, factor(&r->u, 1, 1, -2));
        scale_vec(&r->sim->wrench_applied[b].couple, factor(&r->u, 1, 2, -2));
    }
}

static void note_step(run* r, int step) {
    ts_arena arena = {0};
    ts_contact_certificate c;
    r->status[step] = r->sim->info.solve.status;
    r->iterations[step] = r->sim->info.solve.iterations;
    r->contacts[step] = r->sim->contact_count;
    cr_assert_leq(r->sim->problem.block_count, MOST_CONTACTS, "%d", r->sim->problem.block_count);
    if (r->sim->problem.block_count > 0) {
        cr_assert_eq(ts_certify_step(r->sim, TS_CERTIFICATE_FAST, &arena, &c), TS_OK);
        for (int b = 0; b < c.block_count; ++b) r->mode[step][b] = c.verdict[b].mode;
    }
    // In the scene's own units.
    const units back = {1.0 / r->u.mass, 1.0 / r->u.length, 1.0 / r->u.time};
    memcpy(r->qpos[step], r->sim->qpos, (size_t)r->scene.model->nq * sizeof(double));
    scale_state(r->scene.model, r->qpos[step], NULL, &back);
    ts_arena_free(&arena);
}

static void run_through(int scene, const char* solver, const units* u, run* out) {
    ts_status status;
    load(scene, u, out);
    cr_assert_eq(ts_sim_create(out->scene.model, 1, &out->sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(out->sim, solver, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set(out->sim, "iterations", "300", &status), TS_OK, "%s", status.message);
    for (int k = 0; k < STEPS; ++k) {
        control(out);
        ts_code code = ts_sim_step(out->sim, &status);
        cr_assert_eq(code, TS_OK, "%s under %s, step %d: %s", name_of(scene), solver, k, status.message);
        note_step(out, k);
    }
    ts_sim_free(out->sim);
    ts_loaded_scene_free(&out->scene);
}

// The first step in which two runs come to something else, or STEPS. Where stacks give more pivots than are needed, rounding picks among
// them, and of 200 scalings of a stack nearly every one has another number of pivots in some step: pivots are not counted unless
// nothing is rounded.
static int parting(const run* a, const run* b, int counts) {
    for (int k = 0; k < STEPS; ++k)
        if (a->status[k] != b->status[k] || (counts && a->iterations[k] != b->iterations[k]) ||
            a->contacts[k] != b->contacts[k] || memcmp(a->mode[k], b->mode[k], sizeof a->mode[k]) != 0)
            return k;
    return STEPS;
}

enum { SCENES = (int)(sizeof scenes / sizeof scenes[0]) };

static const units none = {1.0, 1.0, 1.0};

static void expect_same(int scene, const char* solver, const units* by, const run* one, const run* other, int at) {
    int k = at % STEPS;
    cr_expect_eq(at, STEPS, "%s under %s, %g kg %g m %g s, step %d: %s after %d, not %s after %d", name_of(scene),
                 solver, by->mass, by->length, by->time, at, ts_solve_status_name(other->status[k]),
                 other->iterations[k], ts_solve_status_name(one->status[k]), one->iterations[k]);
}

Test(units, powers_of_two_change_no_bit, .timeout = 600) {
    static run one, other;
    // Even powers, so that square roots of masses are exact, too.
    static const units u[] = {{0x1p20, 1, 1}, {0x1p-20, 1, 1}, {1, 0x1p20, 1},           {1, 0x1p-20, 1},
                              {1, 1, 0x1p20}, {1, 1, 0x1p-20}, {0x1p20, 0x1p-20, 0x1p2}, {0x1p-10, 0x1p16, 0x1p-18}};
    for (int scene = 0; scene < SCENES; ++scene)
        for (int i = 0; i < ts_solver_count(); ++i) {
            const units* by = &u[(scene + i) % 8];
            const char* solver = ts_solver_at(i)->name;
            run_through(scene, solver, &none, &one);
            run_through(scene, solver, by, &other);
            expect_same(scene, solver, by, &one, &other, parting(&one, &other, 1));
            cr_expect_eq(memcmp(one.qpos, other.qpos, sizeof one.qpos), 0, "%s under %s, %g kg %g m %g s: other bits",
                         name_of(scene), solver, by->mass, by->length, by->time);
        }
}

Test(units, powers_of_ten_change_no_verdict, .timeout = 600) {
    static run one, other, close;
    static const units u[] = {{1e6, 1, 1}, {1e-6, 1, 1}, {1, 1e6, 1},      {1, 1e-6, 1},
                              {1, 1, 1e6}, {1, 1, 1e-6}, {1e3, 1e-6, 1e2}, {1e-5, 1e4, 1e-6}};
    int runs = 0, ties = 0;
    for (int scene = 0; scene < SCENES; ++scene)
        for (int i = 0; i < ts_solver_count(); ++i)
            for (int k = 0; k < 2; ++k) {
                const units* by = &u[(scene + i + 3 * k) % 8];
                const char* solver = ts_solver_at(i)->name;
                run_through(scene, solver, &none, &one);
                run_through(scene, solver, by, &other);
                int counts = !ts_solver_at(i)->pivots, at = parting(&one, &other, counts), tied = 0;
                ++runs;
                for (int n = 1; n <= NEAR && at < STEPS && !tied; ++n) {
                    const units near = {1.0 + n / 1009.0, 1.0 + n / 1013.0, 1.0 + n / 1019.0};
                    run_through(scene, solver, &near, &close);
                    tied = parting(&one, &close, counts) <= at;
                }
                ties += tied;
                if (!tied) expect_same(scene, solver, by, &one, &other, at);
            }
    cr_expect_leq(8 * ties, runs, "%d ties in %d runs", ties, runs);
}
