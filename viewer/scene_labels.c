// Words beside things in the picture: names of what has one, numbers of what has none, and how large contact forces are. Where things stand
// close, words lie on one another.
#include "viewer/scene_labels_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "viewer/model_camera_internal.h"
#include "viewer/scene_marks_internal.h"

void ts_scene_label(const ts_scene_paper* paper, ts_vec3 at, const char* text) {
    static const float ink[2][4] = {{0.10f, 0.12f, 0.15f, 1.0f}, {0.92f, 0.94f, 0.96f, 1.0f}};
    static const float behind[2][4] = {{0.97f, 0.97f, 0.97f, 0.55f}, {0.08f, 0.10f, 0.13f, 0.55f}};
    const float* color = ink[paper->dark != 0];
    double pixel[2];
    if (!ts_vec3_is_finite(at) || !ts_camera_project(paper->camera, paper->width, paper->height, at, pixel)) return;
    if (pixel[0] < 0.0 || pixel[1] < 0.0 || pixel[0] > (double)paper->width || pixel[1] > (double)paper->height) return;
    const float* shade = behind[paper->dark != 0];
    double line = ts_overlay_line_height(paper->overlay), wide = ts_overlay_text_width(paper->overlay, text);
    // What reaches over the edge is left out with its shade.
    wide = fmin(wide, (double)paper->width - pixel[0]);
    line = fmin(line, (double)paper->height - pixel[1]);
    ts_overlay_add_rectangle(paper->overlay, pixel[0], pixel[1], wide, line, shade);
    ts_overlay_add_text(paper->overlay, pixel[0], pixel[1], text, color);
}

static const char* name_or_number(const char* name, const char* kind, int number, char out_text[64]) {
    if (name[0])
        snprintf(out_text, 64, "%.60s", name);
    else
        snprintf(out_text, 64, "%s %d", kind, number);
    return out_text;
}

static void label_name(const ts_scene_paper* paper, ts_vec3 at, const char* name, const char* kind, int number) {
    char text[64];
    ts_scene_label(paper, at, name_or_number(name, kind, number, text));
}

static void label_forces(const ts_scene_paper* paper, const ts_sim* sim) {
    char text[32];
    for (int c = 0; c < sim->contact_count && sim->options.time_step > 0.0; ++c) {
        double force = ts_vec3_norm(ts_sim_contact(sim, c).impulse) / sim->options.time_step;
        snprintf(text, sizeof text, "%.3g N", force);
        if (force > 0.0) ts_scene_label(paper, ts_sim_contact(sim, c).position, text);
    }
}

// Where a tendon first meets a site; its words stand there.
static int start_of(const ts_sim* sim, int tendon, ts_vec3* out_place) {
    const ts_tendon* t = &sim->model->tendon[tendon];
    for (int k = t->part_first; k < t->part_first + t->part_count; ++k) {
        const ts_tendon_part* part = &sim->model->tendon_part[k];
        if (part->kind != TS_TENDON_SITE && part->kind != TS_TENDON_JOINT) continue;
        *out_place = part->kind == TS_TENDON_SITE ? ts_kinematics_site(sim->model, &sim->kinematics, part->index).p
                                                  : ts_kinematics_anchor(sim->model, &sim->kinematics, part->index);
        return 1;
    }
    return 0;
}

// Where an actuator pulls.
static int target_of(const ts_sim* sim, const ts_actuator* actuator, ts_vec3* out_place) {
    const char* transmission = ts_transmission_name(actuator->transmission);
    if (strcmp(transmission, "tendon") == 0) return start_of(sim, actuator->target, out_place);
    if (strncmp(transmission, "joint", 5) == 0)
        *out_place = ts_kinematics_anchor(sim->model, &sim->kinematics, actuator->target);
    else if (strcmp(transmission, "body") == 0)
        *out_place = sim->kinematics.body_centre[actuator->target];
    else
        *out_place = ts_kinematics_site(sim->model, &sim->kinematics, actuator->target).p;
    return 1;
}

static void label_pulls(const ts_scene_paper* paper, const ts_sim* sim, unsigned wanted) {
    const ts_model* model = sim->model;
    ts_vec3 place;
    for (int t = 0; t < model->tendon_count && wanted & TS_LABEL_TENDONS; ++t)
        if (start_of(sim, t, &place)) label_name(paper, place, model->tendon[t].name, "tendon", t);
    for (int a = 0; a < model->actuator_count && wanted & TS_LABEL_ACTUATORS; ++a)
        if (target_of(sim, &model->actuator[a], &place))
            label_name(paper, place, model->actuator[a].name, "actuator", a);
}

static void label_cameras(const ts_scene_paper* paper, const ts_sim* sim) {
    for (int i = 0; i < sim->model->camera_count; ++i) {
        ts_camera camera = ts_camera_default();
        ts_model_camera_look(sim, i, &camera);
        label_name(paper, ts_camera_eye(&camera), sim->model->camera[i].name, "camera", i);
    }
}

// By number, with what touches.
static void label_contacts(const ts_scene_paper* paper, const ts_sim* sim) {
    const ts_model* model = sim->model;
    char text[160], name[2][64];
    for (int c = 0; c < sim->contact_count; ++c) {
        const ts_contact contact = ts_sim_contact(sim, c);
        snprintf(text, sizeof text, "%d %s-%s", c,
                 name_or_number(model->body[contact.body_a].name, "body", contact.body_a, name[0]),
                 name_or_number(model->body[contact.body_b].name, "body", contact.body_b, name[1]));
        ts_scene_label(paper, contact.position, text);
    }
}

// The lowest tree of those that push each other is their number.
static void label_islands(const ts_scene_paper* paper, const ts_sim* sim) {
    ts_arena arena = {0};
    const int* island = ts_scene_marks_islands(sim, &arena);
    char text[32];
    for (int t = 0; island && t < sim->model->tree_count; ++t) {
        snprintf(text, sizeof text, "island %d", island[t]);
        ts_scene_label(paper, sim->kinematics.body_centre[sim->model->tree[t].root], text);
    }
    ts_arena_free(&arena);
}

static void label_equalities(const ts_scene_paper* paper, const ts_sim* sim) {
    for (int e = 0; e < sim->model->equality_count; ++e) {
        const ts_equality* tie = &sim->model->equality[e];
        if (!sim->equality_active[e] || tie->body[0] < 0) continue;
        ts_vec3 at = ts_transform_point(&sim->kinematics.body_pose[tie->body[0]], tie->frame[0].position);
        label_name(paper, at, tie->name, "equality", e);
    }
}

void ts_scene_labels(const ts_scene_paper* paper, const ts_sim* sim, unsigned wanted) {
    const ts_model* model = sim->model;
    for (int b = 1; b < model->body_count && wanted & TS_LABEL_BODIES; ++b)
        if (model->body[b].tree >= 0) label_name(paper, sim->kinematics.body_centre[b], model->body[b].name, "body", b);
    for (int j = 0; j < model->joint_count && wanted & TS_LABEL_JOINTS; ++j)
        label_name(paper, ts_kinematics_anchor(model, &sim->kinematics, j), model->joint[j].name, "joint", j);
    for (int g = 0; g < model->geom_count && wanted & TS_LABEL_GEOMS; ++g)
        label_name(paper, ts_kinematics_geom(&sim->kinematics, g)->p, model->geom[g].name, "geom", g);
    for (int i = 0; i < model->site_count && wanted & TS_LABEL_SITES; ++i)
        label_name(paper, ts_kinematics_site(model, &sim->kinematics, i).p, model->site[i].name, "site", i);
    label_pulls(paper, sim, wanted);
    if (wanted & TS_LABEL_CAMERAS) label_cameras(paper, sim);
    if (wanted & TS_LABEL_FORCES) label_forces(paper, sim);
    if (wanted & TS_LABEL_CONTACTS) label_contacts(paper, sim);
    if (wanted & TS_LABEL_ISLANDS) label_islands(paper, sim);
    if (wanted & TS_LABEL_EQUALITIES) label_equalities(paper, sim);
}
