// Words beside things in the picture: names of what has one, numbers of what has none, and how large contact forces are. Where things stand
// close, words lie on one another.
#include "viewer/session/session_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/model_camera_internal.h"
#include "viewer/scene_contacts_internal.h"

static const double contact_reach = 9.0;  // pixels from a contact that count as on it, on a plain screen

// Where words go.
typedef struct place_of_words {
    const ts_session* session;
    ts_overlay* overlay;
} place_of_words;

static void label(place_of_words w, ts_vec3 at, const char* text) {
    const ts_session* s = w.session;
    static const float ink[2][4] = {{0.10f, 0.12f, 0.15f, 1.0f}, {0.92f, 0.94f, 0.96f, 1.0f}};
    const float* color = ink[w.session->view.dark != 0];
    double pixel[2];
    if (!ts_vec3_is_finite(at) || !ts_camera_project(&s->view.camera, s->pane_width, s->pane_height, at, pixel)) return;
    if (pixel[0] < 0.0 || pixel[1] < 0.0 || pixel[0] > (double)s->pane_width || pixel[1] > (double)s->pane_height)
        return;
    ts_overlay_add_text(w.overlay, pixel[0], pixel[1], text, color);
}

static void label_name(place_of_words w, ts_vec3 at, const char* name, const char* kind, int number) {
    char text[64];
    if (name[0])
        snprintf(text, sizeof text, "%.60s", name);
    else
        snprintf(text, sizeof text, "%s %d", kind, number);
    label(w, at, text);
}

static void label_forces(place_of_words w, const ts_sim* sim) {
    char text[32];
    for (int c = 0; c < sim->contact_count && sim->options.time_step > 0.0; ++c) {
        double force = ts_vec3_norm(sim->contact[c].impulse) / sim->options.time_step;
        snprintf(text, sizeof text, "%.3g N", force);
        if (force > 0.0) label(w, sim->contact[c].position, text);
    }
}

// Where a tendon first meets a site; its words stand there.
static int start_of(const ts_sim* sim, int tendon, ts_vec3* out_place) {
    const ts_tendon* t = &sim->model->tendon[tendon];
    for (int k = t->part_first; k < t->part_first + t->part_count; ++k) {
        const ts_tendon_part* part = &sim->model->tendon_part[k];
        if (part->kind != TS_TENDON_SITE && part->kind != TS_TENDON_JOINT) continue;
        *out_place = part->kind == TS_TENDON_SITE ? ts_kinematics_site(sim->model, &sim->kinematics, part->index).p
                                                  : sim->kinematics.joint_anchor[part->index];
        return 1;
    }
    return 0;
}

// Where an actuator pulls.
static int target_of(const ts_sim* sim, const ts_actuator* actuator, ts_vec3* out_place) {
    const char* transmission = ts_transmission_name(actuator->transmission);
    if (strcmp(transmission, "tendon") == 0) return start_of(sim, actuator->target, out_place);
    if (strncmp(transmission, "joint", 5) == 0)
        *out_place = sim->kinematics.joint_anchor[actuator->target];
    else if (strcmp(transmission, "body") == 0)
        *out_place = sim->kinematics.body_centre[actuator->target];
    else
        *out_place = ts_kinematics_site(sim->model, &sim->kinematics, actuator->target).p;
    return 1;
}

static void label_pulls(place_of_words w, const ts_sim* sim, unsigned wanted) {
    const ts_model* model = sim->model;
    ts_vec3 place;
    for (int t = 0; t < model->tendon_count && wanted & TS_LABEL_TENDONS; ++t)
        if (start_of(sim, t, &place)) label_name(w, place, model->tendon[t].name, "tendon", t);
    for (int a = 0; a < model->actuator_count && wanted & TS_LABEL_ACTUATORS; ++a)
        if (target_of(sim, &model->actuator[a], &place)) label_name(w, place, model->actuator[a].name, "actuator", a);
}

static void label_cameras(place_of_words w, const ts_sim* sim) {
    for (int i = 0; i < sim->model->camera_count; ++i) {
        ts_camera camera = ts_camera_default();
        ts_model_camera_look(sim, i, &camera);
        label_name(w, ts_camera_eye(&camera), sim->model->camera[i].name, "camera", i);
    }
}

int ts_session_hovered(const ts_session* session) {
    const ts_shadow* shadow = session->shadow;
    if (!session->mouse.inside || session->mouse.button >= 0) return -1;
    const ts_look* look =
        &shadow->look[session->mouse.pane < shadow->look_count ? session->mouse.pane : shadow->chosen];
    const int size[2] = {session->pane_width, session->pane_height};
    const double pixel[2] = {session->mouse.x, session->mouse.y};
    return ts_scene_contacts_at(&look->sim, &look->facts, &session->view.filter, &session->view.camera, size, pixel,
                                fmin(contact_reach * session->scale, (double)session->pane_width / 70.0));
}

void ts_session_cards(ts_session* session, int pane, ts_overlay* overlay) {
    const ts_look* look = &session->shadow->look[pane];
    const ts_sim* sim = &look->sim;
    const int size[2] = {session->pane_width, session->pane_height};
    unsigned shown = TS_SHOW_CONTACTS | TS_SHOW_FORCES | TS_SHOW_CONES | TS_SHOW_SPLIT | TS_SHOW_GAPS;
    int hovered = pane == session->mouse.pane && session->view.show & shown ? ts_session_hovered(session) : -1;
    for (int c = 0; look->facts.mode && c < sim->contact_count; ++c) {
        double at[2];
        if (c != hovered && (!session->view.filter.pinned || sim->contact[c].key != session->view.filter.pinned))
            continue;
        if (ts_camera_project(&session->view.camera, size[0], size[1], sim->contact[c].position, at))
            ts_scene_contacts_card(sim, &look->facts, c, size, at, overlay);
    }
}

static void label_ruler(place_of_words w, const ts_sim* sim) {
    ts_vec3 end[2];
    char text[128];
    if (ts_session_ruler(w.session, sim, end) < 2) return;
    ts_vec3 way = ts_vec3_sub(end[1], end[0]);
    snprintf(text, sizeof text, "%.6g m (%.4g, %.4g, %.4g)", ts_vec3_norm(way), way.x, way.y, way.z);
    label(w, ts_vec3_lerp(end[0], end[1], 0.5), text);
}

void ts_session_labels(ts_session* session, const ts_sim* sim, ts_overlay* overlay) {
    place_of_words words = {session, overlay};
    const ts_model* model = sim->model;
    unsigned wanted = session->panels.labels;
    for (int b = 1; b < model->body_count && wanted & TS_LABEL_BODIES; ++b)
        if (model->body[b].tree >= 0) label_name(words, sim->kinematics.body_centre[b], model->body[b].name, "body", b);
    for (int j = 0; j < model->joint_count && wanted & TS_LABEL_JOINTS; ++j)
        label_name(words, sim->kinematics.joint_anchor[j], model->joint[j].name, "joint", j);
    for (int g = 0; g < model->geom_count && wanted & TS_LABEL_GEOMS; ++g)
        label_name(words, sim->kinematics.geom_pose[g].p, model->geom[g].name, "geom", g);
    for (int i = 0; i < model->site_count && wanted & TS_LABEL_SITES; ++i)
        label_name(words, ts_kinematics_site(model, &sim->kinematics, i).p, model->site[i].name, "site", i);
    label_ruler(words, sim);
    label_pulls(words, sim, wanted);
    if (wanted & TS_LABEL_CAMERAS) label_cameras(words, sim);
    if (wanted & TS_LABEL_FORCES) label_forces(words, sim);
}
