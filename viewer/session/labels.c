// Words beside things in the window: those of pictures (scene_labels.c), cards of contacts, and the ruler's length.
#include "viewer/session/session_internal.h"

#include <math.h>
#include <stdio.h>

#include "viewer/scene_contacts_internal.h"
#include "viewer/scene_labels_internal.h"

static const double contact_reach = 9.0;  // pixels from a contact that count as on it, on a plain screen

int ts_session_hovered(const ts_session* session) {
    const ts_shadow* shadow = session->shadow;
    unsigned shown = TS_SHOW_CONTACTS | TS_SHOW_FORCES | TS_SHOW_CONES | TS_SHOW_SPLIT | TS_SHOW_GAPS;
    if (!session->mouse.inside || session->mouse.button >= 0 || !(session->view.show & shown)) return -1;
    const ts_look* look =
        &shadow->look[session->mouse.pane < shadow->look_count ? session->mouse.pane : shadow->chosen];
    const int size[2] = {session->pane_width, session->pane_height};
    const double pixel[2] = {session->mouse.x, session->mouse.y};
    return ts_scene_contacts_at(&look->sim, &look->facts, &session->view.filter, &session->view.camera, size, pixel,
                                fmin(contact_reach * session->scale, (double)session->pane_width / 70.0));
}

void ts_session_cards(ts_session* session, int pane, ts_overlay* overlay) {
    // What is held would be hidden by them.
    if (session->grab.kind != TS_GRAB_NONE) return;
    const ts_look* look = &session->shadow->look[pane];
    const ts_sim* sim = &look->sim;
    const int size[2] = {session->pane_width, session->pane_height};
    int hovered = pane == session->mouse.pane ? ts_session_hovered(session) : -1;
    for (int c = 0; look->facts.mode && c < sim->contact_count; ++c) {
        double at[2];
        if (c != hovered && (!session->view.filter.pinned || ts_sim_contact(sim, c).key != session->view.filter.pinned))
            continue;
        if (ts_camera_project(&session->view.camera, size[0], size[1], ts_sim_contact(sim, c).position, at))
            ts_scene_contacts_card(sim, &look->facts, c, size, at, overlay);
    }
}

// Its name, and the clicked point in its frame.
static void label_selected(const ts_session* session, const ts_scene_paper* paper, const ts_sim* sim) {
    int body = session->selected;
    char text[96];
    if (body <= 0 || body >= sim->model->body_count) return;
    if (sim->model->body[body].name[0])
        snprintf(text, sizeof text, "%.80s", sim->model->body[body].name);
    else
        snprintf(text, sizeof text, "body %d", body);
    ts_scene_label(paper, sim->kinematics.body_centre[body], text);
    if (session->clicked_body != body) return;
    ts_vec3 local = session->clicked;
    snprintf(text, sizeof text, "(%.4g, %.4g, %.4g)", local.x, local.y, local.z);
    ts_scene_label(paper, ts_transform_point(&sim->kinematics.body_pose[body], local), text);
}

void ts_session_labels(ts_session* session, const ts_sim* sim, ts_overlay* overlay) {
    const ts_scene_paper paper = {&session->view.camera, session->pane_width, session->pane_height, session->view.dark,
                                  overlay};
    ts_vec3 end[2];
    ts_scene_labels(&paper, sim, session->panels.labels);
    if (session->panels.labels & TS_LABEL_SELECTED) label_selected(session, &paper, sim);
    if (ts_session_ruler(session, sim, end) < 2) return;
    char text[128];
    ts_vec3 way = ts_vec3_sub(end[1], end[0]);
    snprintf(text, sizeof text, "%.6g m (%.4g, %.4g, %.4g)", ts_vec3_norm(way), way.x, way.y, way.z);
    ts_scene_label(&paper, ts_vec3_lerp(end[0], end[1], 0.5), text);
}
