// Contact problems of robots, cold and warm: "Contact Models in Robotics", Fig. 16, on Solo-12, Talos and the Allegro hand.
//
// A robot stands (servos hold its pose) while a force shakes its base, or a hand has a ball dropped into it; `ncp` drives. In steps along the way every solver is
// given that step's problem, from nothing and from the impulses the step before ended with, ten times each; the fastest eight are averaged, as the
// paper does. Once articulated, and once locked: all bodies one, as in the paper's program. All solvers see the same problems, so that none is slow because it
// has fallen over; one that would take longer than its patience over all of them is asked about every second, fourth, ... along the whole way, and a solve that
// takes a tenth of the patience alone is not repeated. An answer counts as solved when its solver says so, which tests certify from outside.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_list.h"
#include "bench/stopwatch.h"
#include "engine/model/builder.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/read/model_file.h"
#include "engine/step/step.h"
#include "engine/write/mjcf_writer.h"
#include "scenes/scene_table.h"

enum { REPEATS = 10, COUNTED = 8, STEPS = 400, SAMPLES = 100, QUICK_SAMPLES = 4 };

// What a robot does.
typedef struct robot_case {
    const char* name;
    const char* file;  // under TOUCHSTONE_DATA/robots
    ts_root_choice root;
    const char* wrap;   // a body around all of it, or NULL
    const char* extra;  // bodies beside it, or ""
    double shake;       // N, amplitude at the base; 0: none
    double stiffness;   // N m/rad of the servos, for robots whose file has none; 0: their own
    double damping;     // N m s/rad
    int lift;           // nonzero: put on the floor, its lowest point a micrometre in it
} robot_case;

static const robot_case cases[] = {
    {"solo12", "solo12/robots/solo12.urdf", TS_ROOT_FLOATING, NULL, "", 12.0, 3.0, 0.3, 1},
    {"talos", "pal_talos/talos_position.xml", TS_ROOT_BY_FILE, NULL, "", 75.0, 0.0, 0.0, 1},
    {"allegro", "allegro_hand/urdf/allegro_right_hand.urdf", TS_ROOT_FIXED,
     "<body pos=\"0 0 0.2\" quat=\"0.7606 -0.1055 0.6333 -0.0961\">",
     "<body name=\"ball\" pos=\"-0.05 -0.04 0.27\"><freejoint/><geom type=\"sphere\" size=\"0.05\" mass=\"1\"/></body>",
     0.0, 3.0, 0.1, 0},
};

// What each solver did.
typedef struct tally {
    double seconds[2][SAMPLES];  // cold, warm
    double iterations[2];        // sums
    int solved[2];
    int count;
    int stride;    // problems from one that it is asked about to the next
    double spent;  // s of processor time, all repeats
} tally;

// How far all of it is.
typedef struct journey {
    const ts_bench_options* options;
    ts_bench_report* report;
    ts_bench_table* table;
    int done, steps;  // of all stands together
    int stopped;      // somebody has had enough
} journey;

typedef struct stand {
    const robot_case* robot;
    ts_sim* sim;
    double* rest;  // (nq) where servos hold it
    int base;      // the body that is shaken, or -1
} stand;

// s of processor time that a solver may take of a robot.
static const double patience = 1.5;

// --- the scene -----------------------------------------------------------------------------------------------------------

// Takes the element that gives each geom a number of its own out of the text: there will be more of them.
static void drop_element(char* text, const char* name) {
    char* at = strstr(text, name);
    if (!at) return;
    while (*at != '<') --at;
    memset(at, ' ', strcspn(at, ">") + 1);
}

// The robot with a floor under it, and what lies on it, as one model.
static ts_code furnish(const robot_case* c, const ts_model* robot, ts_model** out_model, ts_status* status) {
    ts_text text = {0}, all = {0};
    ts_code code = ts_mjcf_writer_text(robot, NULL, &text, status);
    if (!code) drop_element(text.data, "touchstone.restitution");
    const char* head = code ? NULL : strstr(ts_text_get(&text), "<worldbody>");
    const char* tail = head ? strstr(head, "</worldbody>") : NULL;
    if (!code && !tail) code = ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s has no bodies", c->name);
    if (!code) {
        head += strlen("<worldbody>");
        ts_text_add_bytes(&all, ts_text_get(&text), (size_t)(head - ts_text_get(&text)));
        ts_text_add(&all, "<geom name=\"ground\" type=\"plane\" size=\"5 5 0.1\" friction=\"0.9\"/>%s",
                    c->wrap ? c->wrap : "");
        ts_text_add_bytes(&all, head, (size_t)(tail - head));
        ts_text_add(&all, "%s%s%s", c->wrap ? "</body>" : "", c->extra, tail);
        code = all.failed ? ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory")
                          : ts_mjcf_parse(ts_text_get(&all), all.length, c->name, NULL, NULL, out_model, status);
    }
    ts_text_free(&text);
    ts_text_free(&all);
    return code;
}

// The body that everything below b moves with when all joints but free ones are locked: b's highest ancestor that moves, or the world.
static int locked_to(const ts_model* m, int b) {
    int top = b;
    while (m->body[top].parent > 0) top = m->body[top].parent;
    const ts_body* body = &m->body[top];
    return body->joint_count > 0 && m->joint[body->joint_first].type == TS_JOINT_FREE ? top : 0;
}

// Mass, centre and inertia of all that is locked to `top`, in its frame.
static void gather(const ts_sim* sim, int top, ts_body_def* def) {
    const ts_model* m = sim->model;
    ts_transform home = ts_transform_inverse(&sim->kinematics.body_pose[top]);
    ts_vec3 moment = ts_vec3_zero();
    def->mass = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1) def->centre = ts_vec3_scale(1.0 / def->mass, moment);
        for (int b = 1; b < m->body_count; ++b) {
            const ts_body* body = &m->body[b];
            if (locked_to(m, b) != top || !(body->mass > 0.0)) continue;
            ts_transform at = ts_transform_mul(&home, &sim->kinematics.body_pose[b]);
            ts_vec3 centre = ts_transform_point(&at, body->centre);
            if (pass == 0) {
                def->mass += body->mass;
                moment = ts_vec3_add(moment, ts_vec3_scale(body->mass, centre));
                continue;
            }
            ts_vec3 r = ts_vec3_sub(centre, def->centre);
            ts_mat3 spread = ts_mat3_sub(ts_mat3_scale(ts_vec3_dot(r, r), ts_mat3_identity()), ts_mat3_outer(r, r));
            def->inertia = ts_mat3_add(def->inertia, ts_mat3_add(ts_mat3_rotate_tensor(at.R, body->inertia),
                                                                 ts_mat3_scale(body->mass, spread)));
        }
    }
}

// The model with every joint but free ones locked where the simulation stands.
static ts_code lock_all(const ts_sim* sim, ts_model** out_model, ts_status* status) {
    const ts_model* m = sim->model;
    int* made = (int*)calloc((size_t)m->body_count, sizeof *made);
    ts_builder* builder = ts_builder_create("locked");
    if (!made || !builder) return free(made), ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    *ts_builder_options(builder) = m->options;
    for (int b = 1; b < m->body_count; ++b) {
        if (locked_to(m, b) != b) continue;
        ts_body_def def = ts_body_def_default();
        ts_joint_def joint = ts_joint_def_default();
        def.name = m->body[b].name;
        def.inertia = ts_mat3_zero();
        gather(sim, b, &def);
        def.pose = ts_pose_from_transform(&sim->kinematics.body_pose[b]);
        made[b] = ts_builder_add_body(builder, &def);
        joint.type = TS_JOINT_FREE;
        joint.body = made[b];
        ts_builder_add_joint(builder, &joint);
    }
    for (int g = 0; g < m->geom_count; ++g) {
        const ts_geom* geom = &m->geom[g];
        ts_geom_def def = ts_geom_def_default();
        int top = geom->body ? locked_to(m, geom->body) : 0;
        ts_transform at = sim->kinematics.geom_pose[g];
        def.body = top ? made[top] : 0;
        def.shape = geom->shape;
        if (top) {
            ts_transform home = ts_transform_inverse(&sim->kinematics.body_pose[top]);
            at = ts_transform_mul(&home, &at);
        }
        def.pose = ts_pose_from_transform(&at);
        def.surface = geom->surface;
        // One body does not touch itself, and nothing else that it is locked to.
        def.category = geom->category;
        def.mask = geom->mask;
        def.mass = 0.0;
        if (geom->category || geom->mask) ts_builder_add_geom(builder, &def);
    }
    free(made);
    return ts_builder_finish(builder, out_model, status);
}

// --- the run ---------------------------------------------------------------------------------------------------------------

static void open_stand(stand* s, const robot_case* c, ts_sim* sim) {
    const ts_model* m = sim->model;
    s->robot = c;
    s->sim = sim;
    s->base = -1;
    for (int b = 1; b < m->body_count && s->base < 0; ++b)
        if (m->body[b].joint_count > 0 && m->joint[m->body[b].joint_first].type == TS_JOINT_FREE) s->base = b;
    s->rest = (double*)malloc(((size_t)m->nq + 1) * sizeof(double));
    if (s->rest) memcpy(s->rest, sim->qpos, (size_t)m->nq * sizeof(double));
}

// Puts what floats on the floor.
static void put_down(const stand* s) {
    ts_sim* sim = s->sim;
    double low = HUGE_VAL;
    ts_sim_update_kinematics(sim);
    for (int g = 0; g < sim->model->geom_count; ++g) {
        const ts_geom* geom = &sim->model->geom[g];
        ts_vec3 least, most;
        if (!geom->body || !(geom->category || geom->mask)) continue;
        ts_shape_bounds(&geom->shape, &sim->kinematics.geom_pose[g], &least, &most);
        low = fmin(low, least.z);
    }
    if (s->base < 0 || !isfinite(low)) return;
    int q = sim->model->joint[sim->model->body[s->base].joint_first].qpos_first;
    sim->qpos[q + 2] -= low + 1e-6;
    s->rest[q + 2] = sim->qpos[q + 2];
}

// Servos where the file has none, and what shakes the base.
static void drive(const stand* s) {
    const ts_model* m = s->sim->model;
    double t = s->sim->time;
    for (int j = 0; j < m->joint_count && s->robot->stiffness > 0.0; ++j) {
        const ts_joint* joint = &m->joint[j];
        if (joint->type != TS_JOINT_HINGE && joint->type != TS_JOINT_SLIDE) continue;
        s->sim->force_applied[joint->dof_first] =
            s->robot->stiffness * (s->rest[joint->qpos_first] - s->sim->qpos[joint->qpos_first]) -
            s->robot->damping * s->sim->qvel[joint->dof_first];
    }
    if (s->base >= 0 && s->robot->shake > 0.0)
        s->sim->wrench_applied[s->base].force =
            ts_vec3_scale(s->robot->shake, ts_vec3_make(sin(2.0 * t), sin(2.0 * t + 1.0), sin(2.0 * t + 2.0)));
}

// The mean of the fastest eight of ten solves from that start, s. The last answer is left in `impulse`.
static double solve_repeatedly(const ts_solver* solver, const ts_contact_problem* problem, const double* start,
                               ts_arena* scratch, double* impulse, tally* t, ts_solve_report* out_report) {
    double seconds[REPEATS], sum = 0.0;
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(solver, settings);
    ts_solver_set(solver, settings, "tolerance", 1e-6, NULL);
    int repeats = REPEATS, counted = COUNTED;
    double start_of_all = ts_clock_thread_seconds();
    for (int k = 0; k < repeats; ++k) {
        memcpy(impulse, start, (size_t)problem->row_count * sizeof(double));
        ts_stopwatch watch = ts_stopwatch_begin();
        *out_report = ts_solver_solve(solver, problem, settings, scratch, impulse);
        seconds[k] = ts_stopwatch_seconds(watch);
        if (seconds[0] > 0.1 * patience) repeats = counted = 1;
    }
    t->spent += ts_clock_thread_seconds() - start_of_all;
    for (int k = 0; k < counted; ++k) {
        int least = k;
        for (int i = k + 1; i < repeats; ++i) least = seconds[i] < seconds[least] ? i : least;
        double swap = seconds[k];
        seconds[k] = seconds[least];
        seconds[least] = swap;
        sum += seconds[k];
    }
    return sum / counted;
}

// Lets it skip problems so that all that are left of its share are answered in time.
static void plan(tally* t, int left) {
    if (t->stride == 0) t->stride = 1;
    while (t->count > 0 && t->spent + t->spent / t->count * left / t->stride > patience && t->stride < 2 * SAMPLES)
        t->stride *= 2;
}

// All solvers on the problem that the simulation stands before, number `which` of `samples`. `warm` (row_count) and `cold`, zeros, are starts.
static void ask_all(const ts_sim* sim, const int which[2], double* numbers, ts_arena* scratch, tally* all) {
    int n = sim->problem.row_count;
    double *warm = numbers, *cold = numbers + n, *impulse = numbers + 2 * n;
    memcpy(warm, sim->impulse, (size_t)n * sizeof(double));
    memset(cold, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < ts_solver_count(); ++k) {
        tally* t = &all[k];
        plan(t, which[1] - which[0]);
        if (which[0] % t->stride != 0 || t->count == SAMPLES) continue;
        for (int is_warm = 0; is_warm < 2; ++is_warm) {
            ts_solve_report report;
            t->seconds[is_warm][t->count] =
                solve_repeatedly(ts_solver_at(k), &sim->problem, is_warm ? warm : cold, scratch, impulse, t, &report);
            t->iterations[is_warm] += report.iterations;
            t->solved[is_warm] += report.status == TS_SOLVE_CONVERGED;
        }
        ++t->count;
    }
}

static int samples_of(const journey* trip) { return trip->options->quick ? QUICK_SAMPLES : SAMPLES; }

// Along the way; returns the contacts of the steps that were asked about, summed, or -1.
static double run_stand(const stand* s, journey* trip, tally* all, ts_status* status) {
    ts_arena scratch = {0};
    double *numbers = NULL, contacts = 0.0;
    int room = 0, samples = samples_of(trip);
    for (int step = 0; step < STEPS && contacts >= 0.0 && !trip->stopped; ++step) {
        drive(s);
        if (step % (STEPS / samples) == STEPS / samples - 1) {
            if (ts_sim_forward(s->sim, status)) contacts = -1.0;
            int n = contacts < 0.0 ? 0 : s->sim->problem.row_count;
            if (n > room) {
                free(numbers);
                numbers = (double*)calloc(3 * (size_t)n, sizeof *numbers);
                room = numbers ? n : 0;
            }
            if (n > 0 && n <= room) {
                const int which[2] = {step / (STEPS / samples), samples};
                ask_all(s->sim, which, numbers, &scratch, all);
                contacts += s->sim->contact_count;
            }
            trip->stopped = ts_bench_progress(trip->report, trip->done + step, trip->steps);
        }
        if (contacts >= 0.0 && ts_sim_step(s->sim, status)) contacts = -1.0;
    }
    trip->done += STEPS;
    free(numbers);
    ts_arena_free(&scratch);
    return contacts;
}

static void add_rows(ts_bench_table* t, const char* name, tally* all) {
    for (int k = 0; k < ts_solver_count(); ++k) {
        tally* a = &all[k];
        if (a->count == 0) continue;
        ts_bench_sample cold = ts_bench_summarise(a->seconds[0], a->count);
        ts_bench_sample warm = ts_bench_summarise(a->seconds[1], a->count);
        ts_bench_row(t);
        ts_bench_text(t, "%s", name);
        ts_bench_text(t, "%s", ts_solver_at(k)->name);
        const double numbers[] = {a->count,
                                  1e6 * cold.median,
                                  1e6 * cold.p90,
                                  a->iterations[0] / a->count,
                                  (double)a->solved[0] / a->count,
                                  1e6 * warm.median,
                                  1e6 * warm.p90,
                                  a->iterations[1] / a->count,
                                  (double)a->solved[1] / a->count,
                                  cold.median / warm.median};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) ts_bench_number(t, numbers[i]);
    }
}

static void race(journey* trip, const robot_case* c, const char* name, ts_sim* sim) {
    stand s;
    ts_status status;
    tally* all = (tally*)calloc((size_t)ts_solver_count(), sizeof *all);
    memset(&s, 0, sizeof s);
    ts_status_ok(&status);
    open_stand(&s, c, sim);
    if (all && s.rest) {
        if (c->lift) put_down(&s);
        double contacts = run_stand(&s, trip, all, &status);
        if (contacts < 0.0)
            ts_bench_note(trip->report, "%s: %s", name, status.message);
        else if (!trip->stopped)
            ts_bench_note(trip->report, "%s: %d degrees of freedom, %.1f contacts on average.", name, sim->model->nv,
                          contacts / samples_of(trip));
        if (!trip->stopped) add_rows(trip->table, name, all);
    }
    free(all);
    free(s.rest);
}

// One robot, articulated and then locked.
static void try_robot(journey* trip, const robot_case* c, const ts_model* model) {
    char name[64];
    ts_status status;
    ts_sim *sim = NULL, *locked_sim = NULL;
    ts_model* locked = NULL;
    if (ts_sim_create(model, 1, &sim, &status)) {
        ts_bench_note(trip->report, "%s: %s", c->name, status.message);
        return;
    }
    ts_sim_update_kinematics(sim);
    ts_code code = lock_all(sim, &locked, &status);
    sim->options.time_step = 1e-3;
    race(trip, c, c->name, sim);
    if (!code) code = ts_sim_create(locked, 1, &locked_sim, &status);
    snprintf(name, sizeof name, "%s, locked", c->name);
    if (code) {
        ts_bench_note(trip->report, "%s: %s", name, status.message);
    } else {
        locked_sim->options.time_step = 1e-3;
        race(trip, c, name, locked_sim);
    }
    ts_sim_free(locked_sim);
    ts_model_free(locked);
    ts_sim_free(sim);
}

// A robot of the folder, furnished. NULL, and a note, where it is not there.
static ts_model* open_robot(const ts_bench_options* options, ts_bench_report* report, const robot_case* c) {
    char path[4200], packages[4200];
    ts_status status;
    ts_model *robot = NULL, *model = NULL;
    ts_model_file_options how;
    memset(&how, 0, sizeof how);
    snprintf(packages, sizeof packages, "%s/robots", options->data_folder);
    snprintf(path, sizeof path, "%s/robots/%s", options->data_folder, c->file);
    how.package_path = packages;
    how.root = c->root;
    ts_code code = ts_model_file_load(path, &how, NULL, &robot, &status);
    if (!code) code = furnish(c, robot, &model, &status);
    if (code) ts_bench_note(report, "%s: %s", c->name, status.message);
    ts_model_free(robot);
    return model;
}

// Scenes of our own, where there is no folder of robots.
static void try_own(journey* trip) {
    static const char* const own[] = {"quadruped", "biped", "hand"};
    for (int i = 0; i < 3 && !trip->stopped; ++i) {
        robot_case c = {.name = own[i], .extra = "", .shake = i < 2 ? 5.0 : 0.0};
        ts_loaded_scene scene;
        ts_status status;
        if (!ts_bench_wanted(trip->report, trip->options, own[i])) continue;
        if (ts_scene_load(own[i], NULL, &scene, &status)) {
            ts_bench_note(trip->report, "%s: %s", own[i], status.message);
            continue;
        }
        try_robot(trip, &c, scene.model);
        ts_loaded_scene_free(&scene);
    }
}

static void try_all(journey* trip) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && !trip->stopped; ++i) {
        if (!ts_bench_wanted(trip->report, trip->options, cases[i].name)) continue;
        ts_model* model = open_robot(trip->options, trip->report, &cases[i]);
        if (model) try_robot(trip, &cases[i], model);
        ts_model_free(model);
    }
}

int ts_bench_robot_contacts(const ts_bench_options* options, ts_bench_report* report) {
    ts_bench_table* t =
        ts_bench_add_table(report, "robot-contacts", "Contact problems of robots, share of the problem unmet 1e-6");
    static const char* const names[] = {"robot", "solver", "problems"};
    for (int i = 0; i < 3; ++i) ts_bench_add_column(t, names[i], "");
    for (int i = 0; i < 2; ++i) {
        ts_bench_add_column(t, i ? "warm" : "cold", "us");
        ts_bench_add_column(t, "90 %", "us");
        ts_bench_add_column(t, "iterations", "");
        ts_bench_add_column(t, "solved", "");
    }
    ts_bench_add_column(t, "cold / warm", "");
    journey trip = {.options = options, .report = report, .table = t, .steps = 3 * 2 * STEPS};
    if (options->data_folder) {
        try_all(&trip);
    } else {
        try_own(&trip);
        ts_bench_note(
            report,
            "TOUCHSTONE_DATA names no folder: our own robots stand in for Solo-12, Talos and the Allegro hand.");
    }
    ts_bench_note(
        report,
        "Every %d-th of %d steps of 1 ms, the same problem for all; means of the fastest %d of %d solves. Who "
        "would take longer than %g s of processor time over a robot's problems is asked about a part of them, evenly "
        "along the way.",
        STEPS / SAMPLES, STEPS, COUNTED, REPEATS, patience);
    return trip.stopped ? TS_BENCH_STOPPED : TS_BENCH_DONE;
}
