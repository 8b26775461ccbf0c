// `touchstone check`: what a model file contains, what was not taken over, and whether it can be right.
//
// Inertia. The principal moments I1 <= I2 <= I3 of any mass distribution satisfy I1 + I2 >= I3. Its radius of gyration
// k = sqrt(tr I / 2 m) cannot exceed the distance to its farthest point; one far below (a hundredth of the extent) or
// above the reach of the body's geoms is not impossible, but nearly always a unit mistake.
#include "cli/commands/commands.h"

#include "cli/check/check_internal.h"
#include "cli/console.h"
#include "cli/setup.h"
#include "cli/report/stats_internal.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Relative slack of the triangle inequality: rounding in files with four or five digits.
static const double triangle_slack = 1e-4;

// A radius of gyration below this part of the extent is called implausible.
static const double gyration_low = 0.02;

// m: a smaller gap is rounding.
static const double touching = 1e-9;

typedef struct body_facts {
    int body;
    double mass;      // kg
    ts_vec3 moments;  // kg m^2, principal, ascending
    double gyration;  // m
    double reach;     // m: farthest geom point from the centre of mass, bounded from above; 0 without geoms
    char doubt[160];  // "" when plausible
} body_facts;

typedef struct touching_pair {
    int geom_a;
    int geom_b;
    int points;
    double gap;  // m, smallest
} touching_pair;

TS_ARRAY_DECLARE(pair_array, touching_pair);

typedef struct check_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_sim* sim;
    body_facts* body;  // (body_count - 1) of bodies with mass, body_total of them
    int body_total;
    pair_array pair;
    int doubts;
    ts_check_loop_array loop;
    ts_check_note_array doubt;
    ts_check_note_array mujoco;
} check_job;

static double body_reach(const ts_model* model, const ts_body* body) {
    double reach = 0.0;
    for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g) {
        const ts_geom* geom = &model->geom[g];
        double radius = ts_shape_bounding_radius(&geom->shape);
        if (isfinite(radius)) reach = fmax(reach, ts_vec3_distance(geom->pose.position, body->centre) + radius);
    }
    return reach;
}

static body_facts judge_body(const ts_model* model, int b) {
    const ts_body* body = &model->body[b];
    body_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.body = b;
    facts.mass = body->mass;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(&body->inertia, &facts.moments, &axes);
    facts.reach = body_reach(model, body);
    if (!(body->mass > 0.0)) return facts;
    facts.gyration = sqrt(fmax(0.0, ts_mat3_trace(&body->inertia)) / (2.0 * body->mass));
    ts_vec3 m = facts.moments;
    if (m.x < 0.0 || m.x + m.y < m.z * (1.0 - triangle_slack))
        snprintf(facts.doubt, sizeof facts.doubt, "impossible: the two smaller moments sum to %.3g, less than %.3g",
                 m.x + m.y, m.z);
    else if (facts.reach > 0.0 && facts.gyration > facts.reach)
        snprintf(facts.doubt, sizeof facts.doubt,
                 "too large: radius of gyration %.3g m, but no geom reaches farther than %.3g m from the centre",
                 facts.gyration, facts.reach);
    else if (facts.reach > 0.0 && facts.gyration < gyration_low * facts.reach)
        snprintf(facts.doubt, sizeof facts.doubt, "very small: radius of gyration %.3g m in a body that reaches %.3g m",
                 facts.gyration, facts.reach);
    return facts;
}

static int judge_bodies(check_job* job) {
    const ts_model* model = job->scene.model;
    job->body = (body_facts*)calloc((size_t)model->body_count, sizeof *job->body);
    if (!job->body) return 0;
    for (int b = 1; b < model->body_count; ++b) {
        if (!(model->body[b].mass > 0.0) && model->body[b].joint_count == 0) continue;
        body_facts facts = judge_body(model, b);
        job->doubts += facts.doubt[0] != '\0';
        job->body[job->body_total++] = facts;
    }
    return 1;
}

// Contacts come sorted by pair, so the points of a pair follow one another.
static int find_pairs(check_job* job) {
    for (int i = 0; i < job->sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(job->sim, i);
        touching_pair* last = job->pair.count ? &job->pair.data[job->pair.count - 1] : NULL;
        if (last && last->geom_a == contact.geom_a && last->geom_b == contact.geom_b) {
            last->points++;
            last->gap = fmin(last->gap, contact.gap);
            continue;
        }
        touching_pair pair = {contact.geom_a, contact.geom_b, 1, contact.gap};
        if (!pair_array_push(&job->pair, pair)) return 0;
    }
    return 1;
}

static void body_name(const ts_model* model, int b, char out_name[128]) {
    if (b == 0)
        snprintf(out_name, 128, "world");
    else if (model->body[b].name[0])
        snprintf(out_name, 128, "%s", model->body[b].name);
    else
        snprintf(out_name, 128, "body%d", b);
}

// "floor (plane of world)" or "geom3 (box of cube)".
static void geom_name(const ts_model* model, int g, char out_name[320]) {
    char body[128];
    body_name(model, model->geom[g].body, body);
    const char* kind = ts_shape_kind_name(model->geom[g].shape.kind);
    if (model->geom[g].name[0])
        snprintf(out_name, 320, "%s (%s of %s)", model->geom[g].name, kind, body);
    else
        snprintf(out_name, 320, "geom%d (%s of %s)", g, kind, body);
}

static int is_lost_looks(const ts_import_item* item) {
    return item->level >= TS_IMPORT_APPROXIMATED && !item->affects_physics;
}

// What is lost without a trace in the physics: by its meaning, a line of names each.
static void add_lost_looks(ts_text* text, const ts_import_report* report) {
    enum { WIDTH = 110 };
    for (int i = 0; i < report->count; ++i) {
        int first = 1, column = 0;
        if (!is_lost_looks(&report->item[i])) continue;
        for (int k = 0; k < i; ++k)
            if (is_lost_looks(&report->item[k]) && strcmp(report->item[k].meaning, report->item[i].meaning) == 0)
                first = 0;
        if (!first) continue;  // its line is written
        ts_text_add(text, "  nothing physical, left out: %s\n", report->item[i].meaning);
        for (int k = i; k < report->count; ++k) {
            const ts_import_item* item = &report->item[k];
            if (!is_lost_looks(item) || strcmp(item->meaning, report->item[i].meaning) != 0) continue;
            int breaks = column == 0 || column + (int)strlen(item->what) > WIDTH;
            ts_text_add(text, "%s%s", column == 0 ? "      " : breaks ? ",\n      " : ", ", item->what);
            column = (breaks ? 6 : column + 2) + (int)strlen(item->what);
        }
        ts_text_add(text, "\n");
    }
}

static void add_report(ts_text* text, const ts_import_report* report) {
    static const ts_import_level levels[] = {TS_IMPORT_IGNORED, TS_IMPORT_APPROXIMATED, TS_IMPORT_KEPT,
                                             TS_IMPORT_HONOURED};
    for (int l = 0; l < 4; ++l) {
        for (int i = 0; i < report->count; ++i) {
            const ts_import_item* item = &report->item[i];
            if (item->level != levels[l] || is_lost_looks(item)) continue;
            ts_text_add(text, "  %s: %s (%d x, first at %s:%d)\n      %s\n", ts_import_level_name(item->level),
                        item->what, item->count, item->file, item->line, item->meaning);
        }
    }
    add_lost_looks(text, report);
    if (report->count == 0) ts_text_add(text, "  everything was taken over exactly\n");
}

static void add_bodies(ts_text* text, const check_job* job) {
    const ts_model* model = job->scene.model;
    ts_text_add(text, "\nMasses and inertias\n  %-24s %12s   %-36s %s\n", "body", "mass [kg]",
                "principal moments [kg m^2]", "verdict");
    for (int i = 0; i < job->body_total; ++i) {
        const body_facts* facts = &job->body[i];
        char name[128];
        char moments[64];
        body_name(model, facts->body, name);
        snprintf(moments, sizeof moments, "%.4g, %.4g, %.4g", facts->moments.x, facts->moments.y, facts->moments.z);
        ts_text_add(text, "  %-24s %12.6g   %-36s %s\n", name, facts->mass, moments,
                    facts->doubt[0] ? facts->doubt : (facts->mass > 0.0 ? "plausible" : "massless"));
    }
    ts_text_add(text, "  total mass %.6g kg\n", ts_model_total_mass(model));
}

// "2.5 - 3 q - 0.1 q'", of a law's three numbers; without what is zero.
static void add_law(ts_text* text, const double law[3]) {
    static const char* const factor[3] = {"", " l", " l'"};
    const char* plus = "";
    for (int k = 0; k < 3; ++k) {
        if (law[k] == 0.0) continue;
        ts_text_add(text, "%s%.4g%s", plus, law[k], factor[k]);
        plus = " + ";
    }
    if (!plus[0]) ts_text_add(text, "0");
}

static void add_limits(ts_text* text, const char* what, const ts_limits* limits) {
    if (limits->limited) ts_text_add(text, "; %s %.4g to %.4g", what, limits->range[0], limits->range[1]);
}

static void add_actuators(ts_text* text, const ts_model* model) {
    if (model->actuator_count == 0) return;
    ts_text_add(text, "\nActuators (u the control, l the length that it pulls along, l' its rate)\n");
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* a = &model->actuator[i];
        ts_text law = {0};
        if (a->gain_is_muscle) {
            ts_text_add(&law, "of a muscle, %.4g at its strongest, l %.4g to %.4g", a->pull.force, a->length_range[0],
                        a->length_range[1]);
        } else {
            ts_text_add(&law, "(");
            add_law(&law, a->gain);
            ts_text_add(&law, ") u + ");
            add_law(&law, a->bias);
        }
        ts_text_add(text, "  %3d %-24s %s %s: force %s", i, a->name, ts_transmission_name(a->transmission),
                    ts_actuator_target_name(model, a), ts_text_get(&law));
        ts_text_free(&law);
        if (a->gear[0] != 1.0) ts_text_add(text, "; gear %.4g", a->gear[0]);
        add_limits(text, "u", &a->control);
        add_limits(text, "force", &a->force);
        if (a->act >= 0)
            ts_text_add(text, "; activation %s, %.4g s", ts_activation_name(a->activation), a->time_constant);
        ts_text_add(text, "%s\n", a->active ? "" : "; switched off");
    }
}

static void add_pairs(ts_text* text, const check_job* job) {
    ts_text_add(text, "\nGeoms that touch at the start (margin ");
    ts_stats_add_quantity(text, job->sim->options.contact_margin, "m");
    ts_text_add(text, ")\n");
    for (int i = 0; i < job->pair.count; ++i) {
        const touching_pair* pair = &job->pair.data[i];
        char a[320];
        char b[320];
        geom_name(job->scene.model, pair->geom_a, a);
        geom_name(job->scene.model, pair->geom_b, b);
        ts_text_add(text, "  %s - %s: %d point%s, ", a, b, pair->points, pair->points == 1 ? "" : "s");
        if (fabs(pair->gap) < touching) {
            ts_text_add(text, "just touching\n");
            continue;
        }
        ts_stats_add_quantity(text, fabs(pair->gap), "m");
        ts_text_add(text, " %s\n", pair->gap < 0.0 ? "deep" : "apart");
    }
    if (job->pair.count == 0) ts_text_add(text, "  none\n");
}

static void add_text(ts_text* text, const check_job* job) {
    const ts_model* model = job->scene.model;
    ts_text_add(text, "%s: %d bod%s, %d joint%s, %d degrees of freedom, %d geom%s; time step %g s, solver %s\n",
                job->scene.name, model->body_count - 1, model->body_count == 2 ? "y" : "ies", model->joint_count,
                model->joint_count == 1 ? "" : "s", model->nv, model->geom_count, model->geom_count == 1 ? "" : "s",
                model->options.time_step, model->options.solver);
    ts_text_add(text, "\nWhat was taken over\n");
    add_report(text, &job->report);
    add_bodies(text, job);
    add_actuators(text, model);
    ts_check_add_sensors(text, model);
    ts_check_add_tendons(text, job->sim);
    ts_check_add_loops(text, model, &job->loop);
    add_pairs(text, job);
    ts_check_add_notes(text, "Doubts", &job->doubt, "none");
    ts_check_add_notes(text, "What MuJoCo would compute otherwise", &job->mujoco, "nothing that is known of");
}

static void json_report(ts_json* json, const ts_import_report* report) {
    ts_json_add_array(json, "import");
    for (int i = 0; i < report->count; ++i) {
        const ts_import_item* item = &report->item[i];
        ts_json_object(json);
        ts_json_add_string(json, "level", ts_import_level_name(item->level));
        ts_json_add_bool(json, "affects_physics", item->affects_physics);
        ts_json_add_integer(json, "count", item->count);
        ts_json_add_string(json, "what", item->what);
        ts_json_add_string(json, "meaning", item->meaning);
        ts_json_add_string(json, "file", item->file);
        ts_json_add_integer(json, "line", item->line);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

static void json_bodies(ts_json* json, const check_job* job) {
    ts_json_add_array(json, "bodies");
    for (int i = 0; i < job->body_total; ++i) {
        const body_facts* facts = &job->body[i];
        char name[128];
        body_name(job->scene.model, facts->body, name);
        ts_json_object(json);
        ts_json_add_string(json, "name", name);
        ts_json_add_number(json, "mass", facts->mass);
        ts_json_add_array(json, "principal_moments");
        ts_json_number(json, facts->moments.x);
        ts_json_number(json, facts->moments.y);
        ts_json_number(json, facts->moments.z);
        ts_json_array_end(json);
        ts_json_add_number(json, "radius_of_gyration", facts->gyration);
        ts_json_add_number(json, "reach", facts->reach);
        ts_json_add_bool(json, "plausible", !facts->doubt[0]);
        ts_json_add_string(json, "doubt", facts->doubt[0] ? facts->doubt : NULL);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

static void json_range(ts_json* json, const char* key, const ts_limits* limits) {
    if (!limits->limited) return;
    ts_json_add_array(json, key);
    ts_json_number(json, limits->range[0]);
    ts_json_number(json, limits->range[1]);
    ts_json_array_end(json);
}

static void json_actuators(ts_json* json, const ts_model* model) {
    ts_json_add_array(json, "actuators");
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* a = &model->actuator[i];
        ts_json_object(json);
        ts_json_add_string(json, "name", a->name);
        ts_json_add_string(json, "transmission", ts_transmission_name(a->transmission));
        ts_json_add_string(json, "target", ts_actuator_target_name(model, a));
        ts_json_add_string(json, "activation", ts_activation_name(a->activation));
        ts_json_add_bool(json, "active", a->active);
        ts_json_add_number(json, "muscle_force", a->gain_is_muscle ? a->pull.force : 0.0);
        ts_json_add_array(json, "gain");
        for (int k = 0; k < 3; ++k) ts_json_number(json, a->gain[k]);
        ts_json_array_end(json);
        ts_json_add_array(json, "bias");
        for (int k = 0; k < 3; ++k) ts_json_number(json, a->bias[k]);
        ts_json_array_end(json);
        json_range(json, "control_range", &a->control);
        json_range(json, "force_range", &a->force);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

static void json_pairs(ts_json* json, const check_job* job) {
    ts_json_add_array(json, "contacts");
    for (int i = 0; i < job->pair.count; ++i) {
        const touching_pair* pair = &job->pair.data[i];
        char name[320];
        ts_json_object(json);
        geom_name(job->scene.model, pair->geom_a, name);
        ts_json_add_string(json, "geom_a", name);
        geom_name(job->scene.model, pair->geom_b, name);
        ts_json_add_string(json, "geom_b", name);
        ts_json_add_integer(json, "points", pair->points);
        ts_json_add_number(json, "gap", pair->gap);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

static void add_json(ts_text* text, const check_job* job, const ts_status* strict) {
    const ts_model* model = job->scene.model;
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "touchstone", TS_VERSION);
    ts_json_add_string(&json, "scene", job->scene.name);
    ts_json_add_integer(&json, "body_count", model->body_count - 1);
    ts_json_add_integer(&json, "joint_count", model->joint_count);
    ts_json_add_integer(&json, "degrees_of_freedom", model->nv);
    ts_json_add_integer(&json, "geom_count", model->geom_count);
    ts_json_add_number(&json, "time_step", model->options.time_step);
    ts_json_add_string(&json, "solver", model->options.solver);
    ts_json_add_number(&json, "total_mass", ts_model_total_mass(model));
    ts_json_add_integer(&json, "doubtful_inertias", job->doubts);
    json_report(&json, &job->report);
    json_bodies(&json, job);
    json_actuators(&json, model);
    ts_check_json_sensors(&json, model);
    ts_check_json_tendons(&json, job->sim);
    ts_check_json_loops(&json, model, &job->loop);
    json_pairs(&json, job);
    ts_check_json_notes(&json, "doubts", &job->doubt);
    ts_check_json_notes(&json, "mujoco_differs", &job->mujoco);
    ts_json_key(&json, "error");
    ts_console_json_error(&json, strict->code ? strict : NULL, TS_EXIT_FAILED);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

static void free_job(check_job* job) {
    ts_sim_free(job->sim);
    ts_loaded_scene_free(&job->scene);
    ts_import_report_free(&job->report);
    free(job->body);
    pair_array_free(&job->pair);
    ts_check_loop_array_free(&job->loop);
    ts_check_note_array_free(&job->doubt);
    ts_check_note_array_free(&job->mujoco);
}

// Who only computes never reads pictures: whether they are sound is found out here.
static ts_code paint_textures(const ts_model* model, ts_status* status) {
    ts_code code = TS_OK;
    for (int i = 0; i < model->texture_count && !code; ++i) {
        ts_texture_picture picture;
        code = ts_texture_paint(&model->texture[i], &picture, status);
        ts_texture_picture_free(&picture);
    }
    return code;
}

static int examine(check_job* job, ts_status* status) {
    int exit_code = ts_setup_load(job->args, job->args->subject, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (ts_sim_create(job->scene.model, 1, &job->sim, status)) return TS_EXIT_FAILED;
    if (ts_sim_forward(job->sim, status)) return TS_EXIT_FAILED;
    if (paint_textures(job->scene.model, status)) return TS_EXIT_FAILED;
    if (!judge_bodies(job) || !find_pairs(job)) {
        ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
        return TS_EXIT_FAILED;
    }
    if (job->args->write_srdf && ts_check_write_srdf(job->scene.model, job->args->write_srdf, status))
        return TS_EXIT_FAILED;
    (void)ts_check_loops_find(job->scene.model, &job->loop);
    ts_check_doubts_find(job->sim, &job->doubt);
    ts_check_mujoco_find(job->sim, &job->mujoco);
    return TS_EXIT_DONE;
}

int ts_cmd_check(const ts_args* args) {
    check_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    ts_status status;
    ts_status_ok(&status);
    int exit_code = examine(&job, &status);
    ts_text text = {0};
    if (exit_code) {
        // What a refused file contained is still worth seeing.
        if (!args->json && job.report.count > 0) {
            ts_text_add(&text, "%s could not be loaded. What was found until then:\n", args->subject);
            add_report(&text, &job.report);
            ts_console_print(&text, exit_code);
        }
        free_job(&job);
        return ts_console_error("check", args->json, exit_code, &status);
    }
    if (ts_setup_strict(args, &job.report, args->subject, &status)) exit_code = TS_EXIT_FAILED;
    if (args->json)
        add_json(&text, &job, &status);
    else
        add_text(&text, &job);
    free_job(&job);
    exit_code = ts_console_print(&text, exit_code);
    if (status.code) ts_console_error("check", 0, exit_code, &status);
    return exit_code;
}
