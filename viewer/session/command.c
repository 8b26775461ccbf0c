// Problem: keys, menus, help and the manual say the same. Rule: one table, which all of them read; keys are those of MuJoCo's simulate
// wherever they have a meaning here. Guaranteed: no key is given twice (a test looks).
#include "viewer/session/command_internal.h"

#include "base/scalar.h"
#include "viewer/scene_draw.h"
#include "viewer/session/convergence_internal.h"

#include <stdio.h>
#include <string.h>

// --- run -----------------------------------------------------------------------------------------------------------

static void run_pause(ts_session* s, int argument) { ts_session_ask(s, TS_ASK_RUN, argument, 0.0, NULL); }
static int is_paused(const ts_session* s, int argument) {
    (void)argument;
    return s->shadow->paused;
}
static void run_step(ts_session* s, int steps) { ts_session_ask(s, TS_ASK_STEP, steps, 0.0, NULL); }
static void run_end(ts_session* s, int last) {
    ts_session_ask(s, TS_ASK_SEEK, last ? s->shadow->last : s->shadow->first, 0.0, NULL);
}
static void run_speed(ts_session* s, int up) { ts_session_ask(s, TS_ASK_SPEED, up, 0.0, NULL); }
static void run_reset(ts_session* s, int argument) {
    (void)argument;
    ts_session_ask(s, TS_ASK_RESET, 0, 0.0, NULL);
}
static void run_reload(ts_session* s, int keep) { ts_session_ask(s, TS_ASK_RELOAD, keep, 0.0, NULL); }
static void run_clear(ts_session* s, int argument) {
    (void)argument;
    ts_session_ask(s, TS_ASK_CLEAR, 0, 0.0, NULL);
}

static void run_keyframe(ts_session* s, int argument) {
    (void)argument;
    const ts_sim* sim = &s->shadow->sim;
    int count = sim->model->keyframe_count;
    if (!count) {
        ts_session_say(s, "this model has no keyframes");
        return;
    }
    s->keyframe = (s->keyframe + 1) % count;
    char text[160];
    snprintf(text, sizeof text, "keyframe %d of %d: %.100s", s->keyframe + 1, count,
             sim->model->keyframe[s->keyframe].name);
    ts_session_ask(s, TS_ASK_KEYFRAME, s->keyframe, 0.0, NULL);
    ts_session_say(s, text);
}

static void run_solver(ts_session* s, int direction) {
    int count = ts_solver_count();
    int present = 0;
    for (int i = 0; i < count; ++i)
        if (ts_solver_at(i) == s->shadow->sim.solver) present = i;
    ts_session_ask(s, TS_ASK_SOLVER, 0, 0.0, ts_solver_at((present + direction + count) % count)->name);
}

static void run_ruler(ts_session* s, int argument) {
    (void)argument;
    ts_session_measure(s);
}

// The contact that is pinned, or under the mouse; -1: none.
static int meant_contact(const ts_session* s, const ts_sim* sim) {
    int contact = ts_session_hovered(s);
    for (int c = 0; c < sim->contact_count && s->view.filter.pinned; ++c)
        if (ts_sim_contact(sim, c).key == s->view.filter.pinned) contact = c;
    return contact < sim->contact_count ? contact : -1;
}

// It is watched and so charted; once more, no longer.
static void run_contact_charts(ts_session* s, int argument) {
    (void)argument;
    const ts_sim* sim = &s->shadow->look[s->shadow->chosen].sim;
    int contact = meant_contact(s, sim);
    char word[TS_GAUGE_WORD];
    if (contact < 0) {
        ts_session_say(s, "point at a contact, or click one: its numbers are charted");
        return;
    }
    ts_gauge_contact_word(sim, contact, word);
    if (ts_gauge_toggle_contact(s->watched, word))
        s->panels.charts |= s->kit != NULL;
    else
        ts_session_say(s, "as many numbers are watched as there is room for: right panel, Watch");
    s->dirty = 1;
    s->panels_dirty = 2;
}

// The contact is walked through; once more, by portals; a third time ends it.
static void run_stepper(ts_session* s, int argument) {
    (void)argument;
    const ts_sim* sim = &s->shadow->look[s->shadow->chosen].sim;
    int contact = meant_contact(s, sim);
    if (!s->stepper_device) {
        ts_session_say(s, "this needs panels (Dear ImGui)");
    } else if (s->stepper && strcmp(s->stepper->method, "gjk") != 0) {
        ts_session_step_through(s, -1, 0);
    } else if (contact < 0 && s->stepper) {
        ts_session_step_through(s, -1, 0);
    } else if (contact < 0) {
        ts_session_say(s, "point at a contact, or click one: its narrow phase is shown step by step");
    } else {
        ts_session_step_through(s, contact, s->stepper != NULL);
    }
}
// --- several simulations -------------------------------------------------------------------------------------------

static void compare_part(ts_session* s, int argument) {
    (void)argument;
    ts_session_ask(s, TS_ASK_PART, 0, 0.0, NULL);
}

// One simulation of every law that is not there yet, under the first solver of it in the table.
static void compare_laws(ts_session* s, int argument) {
    (void)argument;
    const ts_shadow* shadow = s->shadow;
    unsigned there = 0;
    for (int i = 0; i < shadow->look_count; ++i) there |= 1u << shadow->look[i].sim.solver->law;
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        if (there & 1u << solver->law) continue;
        there |= 1u << solver->law;
        ts_session_ask(s, TS_ASK_CHOOSE, shadow->chosen, 0.0, NULL);
        ts_session_ask(s, TS_ASK_PART, 0, 0.0, NULL);
        ts_session_ask(s, TS_ASK_SOLVER, 0, 0.0, solver->name);
    }
    ts_session_ask(s, TS_ASK_CHOOSE, shadow->chosen, 0.0, NULL);
}

static void compare_leave(ts_session* s, int argument) {
    (void)argument;
    ts_session_ask(s, TS_ASK_LEAVE, 0, 0.0, NULL);
}

static void compare_next(ts_session* s, int direction) {
    int count = s->shadow->look_count;
    ts_session_ask(s, TS_ASK_CHOOSE, (s->shadow->chosen + direction + count) % count, 0.0, NULL);
}

static void compare_ghosts(ts_session* s, int argument) {
    (void)argument;
    s->ghosts = !s->ghosts;
}
static int is_ghosts(const ts_session* s, int argument) {
    (void)argument;
    return s->ghosts;
}

// --- camera and selection ------------------------------------------------------------------------------------------

static void camera_align(ts_session* s, int argument) {
    (void)argument;
    ts_session_free_camera(s);
    if (s->width > 0 && s->height > 0)
        ts_view_frame_scene(&s->view, s->pane_width, s->pane_height, s->panels.info && s->shadow->look_count == 1);
}

static void camera_body(ts_session* s, int argument) {
    (void)argument;
    int body = s->selected > 0 ? s->selected : s->shadow->world->scene->focus;
    s->view.model_camera = 0;
    ts_view_frame_body(&s->view, body, (double)s->pane_width / (double)(s->pane_height > 0 ? s->pane_height : 1));
}

// Who wants to get out of something may as well mean the help that lies over it.
static void camera_free(ts_session* s, int argument) {
    (void)argument;
    s->panels.help = 0;
    ts_session_free_camera(s);
}

// As an element of MJCF, which a file can take; it looks from where the eye is now.
static void camera_copy(ts_session* s, int argument) {
    (void)argument;
    char text[400];
    const ts_camera* camera = &s->view.camera;
    ts_vec3 eye = ts_camera_eye(camera);
    ts_mat3 axes = ts_camera_axes(camera);
    ts_vec3 x = ts_mat3_column(&axes, 0), y = ts_mat3_column(&axes, 1);
    snprintf(text, sizeof text,
             "<camera pos=\"%.6g %.6g %.6g\" xyaxes=\"%.6g %.6g %.6g %.6g %.6g %.6g\" fovy=\"%.6g\"/>", eye.x, eye.y,
             eye.z, x.x, x.y, x.z, y.x, y.y, y.z, camera->field_of_view * 180.0 / TS_PI);
    ts_session_copy(s, text, "camera copied, as a <camera> of MJCF");
}

// Free, then each tree in turn, followed by its root, then the model's own.
static void camera_next(ts_session* s, int direction) {
    const ts_model* model = s->shadow->sim.model;
    int trees = model->tree_count, count = 1 + trees + model->camera_count, present = 0;
    if (s->view.model_camera > 0)
        present = trees + s->view.model_camera;
    else if (s->camera_mode == TS_CAMERA_TRACK)
        present = model->body[s->tracked].tree + 1;
    int next = (present + direction + count) % count;
    char text[160] = "camera: free";
    ts_session_free_camera(s);
    if (next > trees) {
        s->view.model_camera = next - trees;
        snprintf(text, sizeof text, "the model's camera %d %.100s", next - trees, model->camera[next - trees - 1].name);
    } else if (next > 0) {
        ts_session_track(s, model->tree[next - 1].root);
        snprintf(text, sizeof text, "camera follows body %d %.100s", s->tracked, model->body[s->tracked].name);
    }
    ts_session_say(s, text);
}

static void select_parent(ts_session* s, int argument) {
    (void)argument;
    if (s->selected > 0) ts_session_select(s, s->shadow->sim.model->body[s->selected].parent);
}

static void select_none(ts_session* s, int argument) {
    (void)argument;
    ts_session_select(s, -1);
}

// --- what is shown -------------------------------------------------------------------------------------------------

static void show_toggle(ts_session* s, int bit) { s->view.show ^= (unsigned)bit; }
static int is_shown(const ts_session* s, int bit) { return (s->view.show & (unsigned)bit) != 0; }
static int is_not_shown(const ts_session* s, int bit) { return !is_shown(s, bit); }
static void show_textures(ts_session* s, int argument) {
    (void)argument;
    s->view.untextured = !s->view.untextured;
}
static int is_textured(const ts_session* s, int argument) {
    (void)argument;
    return !s->view.untextured;
}
static void show_wireframe(ts_session* s, int argument) {
    (void)argument;
    s->view.wireframe = !s->view.wireframe;
}
static int is_wireframe(const ts_session* s, int argument) {
    (void)argument;
    return s->view.wireframe;
}

static void show_group(ts_session* s, int group) { s->view.hidden_groups ^= 1u << group; }
static int is_group_shown(const ts_session* s, int group) { return !(s->view.hidden_groups >> group & 1u); }

static void filter_body(ts_session* s, int argument) {
    (void)argument;
    s->only_selected = !s->only_selected;
    if (s->only_selected && s->selected <= 0) ts_session_say(s, "select a body: a click on it");
}
static int is_filter_body(const ts_session* s, int argument) {
    (void)argument;
    return s->only_selected;
}
static void filter_mode(ts_session* s, int argument) {
    (void)argument;
    s->view.filter.hidden_modes = s->view.filter.hidden_modes ? 0u : ~(1u << TS_MODE_VIOLATED);
}
static int is_filter_mode(const ts_session* s, int argument) {
    (void)argument;
    return s->view.filter.hidden_modes != 0;
}

// Parts of the window, by number.
enum { PART_LEFT, PART_RIGHT, PART_INFO, PART_CHARTS, PART_SENSORS, PART_HELP, PART_LEGEND, PART_HELD };

static int* part_of(ts_session* s, int part) {
    switch (part) {
    case PART_LEFT: return &s->panels.left;
    case PART_RIGHT: return &s->panels.right;
    case PART_INFO: return &s->panels.info;
    case PART_CHARTS: return &s->panels.charts;
    case PART_SENSORS: return &s->panels.sensors;
    case PART_HELP: return &s->panels.help;
    case PART_HELD: return &s->panels.held;
    default: return &s->ui.legend;
    }
}

static void part_toggle(ts_session* s, int part) {
    int* shown = part_of(s, part);
    *shown = !*shown;
}
// Where one page of help does not hold all of it, the key turns the page before it puts the help away.
static void help_turn(ts_session* s, int part) {
    (void)part;
    s->panels.help = s->panels.help < ts_session_help_pages(s) ? s->panels.help + 1 : 0;
}
static void label_toggle(ts_session* s, int bit) { s->panels.labels ^= (unsigned)bit; }
static int label_is_on(const ts_session* s, int bit) { return (s->panels.labels & (unsigned)bit) != 0; }
static int part_is_on(const ts_session* s, int part) { return *part_of((ts_session*)s, part); }

// A chart of its own; who asks for it wants to see it.
static int convergence_is_on(const ts_session* s, int argument) {
    (void)argument;
    return s->panels.charts && s->charts & ts_convergence_bit();
}

static void convergence_toggle(ts_session* s, int argument) {
    int on = convergence_is_on(s, argument);
    s->charts = on ? s->charts & ~ts_convergence_bit() : s->charts | ts_convergence_bit();
    if (!on) s->panels.charts = s->kit != NULL;
}

// --- files and window ----------------------------------------------------------------------------------------------

static void file_picture(ts_session* s, int argument) {
    (void)argument;
    s->want_picture = 1;
}

static void file_charts(ts_session* s, int argument) {
    (void)argument;
    ts_session_write_csv(s);
}

// As a keyframe of MJCF, which a file can take.
static void file_copy_state(ts_session* s, int argument) {
    (void)argument;
    const ts_sim* sim = &s->shadow->sim;
    ts_text text = {0};
    ts_text_add(&text, "<key time=\"%.17g\" qpos=\"", sim->time);
    for (int i = 0; i < sim->model->nq; ++i) ts_text_add(&text, i ? " %.17g" : "%.17g", sim->qpos[i]);
    ts_text_add(&text, "\" qvel=\"");
    for (int i = 0; i < sim->model->nv; ++i) ts_text_add(&text, i ? " %.17g" : "%.17g", sim->qvel[i]);
    ts_text_add(&text, "\"/>");
    ts_session_copy(s, text.failed ? NULL : text.data, "state copied, as a <key> of MJCF");
    ts_text_free(&text);
}

static void add_row(ts_text* text, const char* name, const double* x, int count) {
    if (!count || !x) return;
    ts_text_add(text, "%s", name);
    for (int i = 0; i < count; ++i) ts_text_add(text, " %.17g", x[i]);
    ts_text_add(text, "\n");
}

static void add_contact(ts_text* text, const ts_sim* sim, const ts_contact* c) {
    ts_text_add(text, "contact \"%s\" \"%s\" at %.17g %.17g %.17g gap %.17g impulse %.17g %.17g %.17g\n",
                sim->model->body[c->body_a].name, sim->model->body[c->body_b].name, c->position.x, c->position.y,
                c->position.z, c->gap, c->impulse.x, c->impulse.y, c->impulse.z);
}

// Everything about the step that is shown, to be read by people and by scripts: a name and its numbers per line.
static void file_state(ts_session* s, int argument) {
    (void)argument;
    const ts_sim* sim = &s->shadow->sim;
    const ts_model* m = sim->model;
    char path[256], said[300];
    ts_status status;
    ts_text text = {0};
    ts_session_file_name(s, ".txt", path, sizeof path);
    ts_text_add(&text, "step %lld\n", sim->step_count);
    add_row(&text, "time", &sim->time, 1);
    add_row(&text, "qpos", sim->qpos, m->nq);
    add_row(&text, "qvel", sim->qvel, m->nv);
    add_row(&text, "ctrl", sim->ctrl, m->actuator_count);
    add_row(&text, "act", sim->act, m->act_count);
    add_row(&text, "actuator_force", sim->actuator_force, m->actuator_count);
    for (int i = 0; i < m->sensor_count && sim->sensor; ++i) {
        char name[128];
        snprintf(name, sizeof name, "sensor \"%.100s\"", m->sensor[i].name);
        add_row(&text, name, sim->sensor + m->sensor[i].first, m->sensor[i].size);
    }
    for (int c = 0; c < sim->contact_count; ++c) {
        const ts_contact contact = ts_sim_contact(sim, c);
        add_contact(&text, sim, &contact);
    }
    if (ts_text_write_file(&text, path, &status))
        ts_status_format(&status, said, sizeof said);
    else
        snprintf(said, sizeof said, "saved %s", path);
    ts_text_free(&text);
    ts_session_say(s, said);
}

static void window_full(ts_session* s, int argument) {
    (void)argument;
    s->wishes.full_screen = 1;
}

static void window_dark(ts_session* s, int argument) {
    (void)argument;
    s->view.dark = !s->view.dark;
}
static int is_dark(const ts_session* s, int argument) {
    (void)argument;
    return s->view.dark;
}

static void window_close(ts_session* s, int argument) {
    (void)argument;
    s->wishes.over = 1;
}

// --- the table -----------------------------------------------------------------------------------------------------

enum { CTRL = TS_MOD_CONTROL, SHIFT = TS_MOD_SHIFT };

static const ts_command command[] = {
    {"Run", "pause", TS_KEY_SPACE, 0, -1, 0, "pause, run", run_pause, is_paused},
    {"Run", "step", TS_KEY_RIGHT, 0, 1, 1, "one step", run_step, NULL},
    {"Run", "step back", TS_KEY_LEFT, 0, -1, 1, "one step back", run_step, NULL},
    {"Run", "ten steps", TS_KEY_RIGHT, SHIFT, 10, 1, "ten steps", run_step, NULL},
    {"Run", "ten steps back", TS_KEY_LEFT, SHIFT, -10, 1, "ten steps back", run_step, NULL},
    {"Run", "to the earliest step", TS_KEY_HOME, 0, 0, 0, "to the earliest step that is remembered", run_end, NULL},
    {"Run", "to the latest step", TS_KEY_END, 0, 1, 0, "to the latest step that is remembered", run_end, NULL},
    {"Run", "faster", '=', 0, 1, 1, "faster", run_speed, NULL},
    {"Run", "slower", '-', 0, -1, 1, "slower", run_speed, NULL},
    {"Run", "start again", TS_KEY_BACKSPACE, 0, 0, 0, "start again", run_reset, NULL},
    {"Run", "load again", 'L', CTRL, 0, 0, "load the scene again from its file", run_reload, NULL},
    {"Run", "load again at this state", 'L', CTRL | SHIFT, 1, 0, "the same, going on from the state now", run_reload,
     NULL},
    {"Run", "next keyframe", 'K', CTRL, 0, 0, "next keyframe of the model", run_keyframe, NULL},
    {"Run", "next solver", TS_KEY_DOWN, CTRL, 1, 1, "next solver", run_solver, NULL},
    {"Run", "previous solver", TS_KEY_UP, CTRL, -1, 1, "previous solver", run_solver, NULL},
    {"Run", "let everything go", TS_KEY_DELETE, 0, 0, 0, "controls and forces from outside to zero", run_clear, NULL},

    {"Compare", "part here", 'B', CTRL, 0, 0, "a second future from here: what is changed next is changed in it",
     compare_part, NULL},
    {"Compare", "every contact law", 'B', CTRL | SHIFT, 0, 0, "a future under every other contact law", compare_laws,
     NULL},
    {"Compare", "next simulation", 'N', CTRL, 1, 0, "the next one is charted and changed (also: click in its pane)",
     compare_next, NULL},
    {"Compare", "take away", 'W', CTRL, 0, 0, "take that one away", compare_leave, NULL},
    {"Compare", "over each other", 'G', CTRL, 0, 0, "panes, or ghosts over each other", compare_ghosts, is_ghosts},

    {"Camera", "whole scene", 'A', CTRL, 0, 0, "aim at the whole scene", camera_align, NULL},
    {"Camera", "selected body", 'F', CTRL, 0, 0, "aim at the selected body, or the one that matters", camera_body,
     NULL},
    {"Camera", "free", TS_KEY_ESCAPE, 0, 0, 0, "camera that follows nothing; no help", camera_free, NULL},
    {"Camera", "next", ']', 0, 1, 1, "next camera: free, following a robot or body, the model's own", camera_next,
     NULL},
    {"Camera", "previous", '[', 0, -1, 1, "previous camera", camera_next, NULL},
    {"Camera", "copy", 'C', CTRL | SHIFT, 0, 0, "copy the camera, as one of MJCF", camera_copy, NULL},
    {"Camera", "select parent", TS_KEY_PAGE_UP, 0, 0, 0, "select the parent of the selected body", select_parent, NULL},
    {"Camera", "select nothing", TS_KEY_PAGE_DOWN, 0, 0, 0, "select nothing", select_none, NULL},

    {"Show", "contact points", 'C', 0, TS_SHOW_CONTACTS, 0, "contact points", show_toggle, is_shown},
    {"Show", "contact forces", 'F', 0, TS_SHOW_FORCES, 0, "contact forces", show_toggle, is_shown},
    {"Show", "split forces", 'P', 0, TS_SHOW_SPLIT, 0, "forces as normal part and friction", show_toggle, is_shown},
    {"Show", "friction cones", 'K', 0, TS_SHOW_CONES, 0, "friction cones", show_toggle, is_shown},
    {"Show", "heat", 'R', 0, TS_SHOW_HEAT, 0, "contacts in the colour of what they leave unmet", show_toggle, is_shown},
    {"Show", "gaps", 'C', SHIFT, TS_SHOW_GAPS, 0, "normals, and the nearest points of both surfaces", show_toggle,
     is_shown},
    {"Show", "internal forces", 'F', SHIFT, TS_SHOW_INTERNAL, 0, "what of a force moves nothing", show_toggle,
     is_shown},
    {"Show", "patches", 'P', SHIFT, TS_SHOW_PATCHES, 0,
     "outlines around contacts of two bodies, and where their force is", show_toggle, is_shown},
    {"Show", "only its contacts", 'X', 0, 0, 0, "only contacts of the selected body", filter_body, is_filter_body},
    {"Show", "ruler", 'R', SHIFT, 0, 0, "measures from the point under the mouse; again: to there; again: no more",
     run_ruler, NULL},
    {"Show", "narrow phase", 'Z', 0, 0, 0,
     "how the narrow phase found the contact under the mouse, step by step; again: by portals", run_stepper, NULL},
    {"Show", "charts of a contact", 'Z', SHIFT, 0, 0,
     "gap, forces, slip and what is unmet of the contact under the mouse, over time; again: no more",
     run_contact_charts, NULL},
    {"Show", "only violated contacts", 'X', SHIFT, 0, 0, "only contacts that break the exact law", filter_mode,
     is_filter_mode},
    {"Show", "islands", 'N', 0, TS_SHOW_ISLANDS, 0, "one colour for all that push each other", show_toggle, is_shown},
    {"Show", "joints", 'J', 0, TS_SHOW_JOINTS, 0, "axes of joints", show_toggle, is_shown},
    {"Show", "equalities", 'E', 0, TS_SHOW_EQUALITIES, 0, "what equalities tie together", show_toggle, is_shown},
    {"Show", "inertia", 'I', 0, TS_SHOW_INERTIA, 0, "boxes with the inertia of bodies", show_toggle, is_shown},
    {"Show", "centres of mass", 'M', 0, TS_SHOW_CENTRES, 0, "centres of mass", show_toggle, is_shown},
    {"Show", "forces from outside", 'B', 0, TS_SHOW_APPLIED, 0, "forces from outside", show_toggle, is_shown},
    {"Show", "what is held", 'O', 0, PART_HELD, 0, "outline of the selected body, and its spring", part_toggle,
     part_is_on},
    {"Show", "links", 'A', 0, TS_SHOW_LINKS, 0, "lines from bodies to their parents", show_toggle, is_shown},
    {"Show", "see-through", 'T', 0, TS_SHOW_GLASS, 0, "see-through bodies", show_toggle, is_shown},
    {"Show", "shapes for contacts", 'H', 0, TS_SHOW_COLLISION, 0, "shapes for contacts instead of shapes for looks",
     show_toggle, is_shown},
    {"Show", "still bodies", 'D', 0, TS_SHOW_ONLY_MOVING, 0, "what cannot move", show_toggle, is_not_shown},
    {"Show", "group 0", '0', 0, 0, 0, "geoms of group 0, as models number them", show_group, is_group_shown},
    {"Show", "group 1", '1', 0, 1, 0, "geoms of group 1, as models number them", show_group, is_group_shown},
    {"Show", "group 2", '2', 0, 2, 0, "geoms of group 2, as models number them", show_group, is_group_shown},
    {"Show", "group 3", '3', 0, 3, 0, "geoms of group 3, as models number them", show_group, is_group_shown},
    {"Show", "group 4", '4', 0, 4, 0, "geoms of group 4, as models number them", show_group, is_group_shown},
    {"Show", "group 5", '5', 0, 5, 0, "geoms of group 5, as models number them", show_group, is_group_shown},
    {"Show", "shadows", 'S', 0, TS_SHOW_NO_SHADOWS, 0, "shadows", show_toggle, is_not_shown},
    {"Show", "wireframe", 'W', 0, 0, 0, "wireframe", show_wireframe, is_wireframe},
    {"Show", "textures", 'T', SHIFT, 0, 0, "textures of the model, and its sky", show_textures, is_textured},
    {"Show", "grid", 'G', 0, TS_SHOW_GRID, 0, "grid", show_toggle, is_shown},
    {"Show", "frames", TS_KEY_F6, 0, TS_SHOW_FRAMES, 0, "body frames: x red, y green, z blue", show_toggle, is_shown},
    {"Show", "frames of contacts", TS_KEY_F6, SHIFT, TS_SHOW_CONTACT_FRAMES, 0, "contact frames: the normal is blue",
     show_toggle, is_shown},
    {"Show", "frames of geoms", TS_KEY_F6, CTRL, TS_SHOW_GEOM_FRAMES, 0, "geom frames", show_toggle, is_shown},
    {"Show", "frames of sites", TS_KEY_F6, CTRL | SHIFT, TS_SHOW_SITE_FRAMES, 0, "site frames", show_toggle, is_shown},
    {"Show", "frame of the world", TS_KEY_F8, 0, TS_SHOW_WORLD_FRAME, 0, "world frame", show_toggle, is_shown},
    {"Show", "names", TS_KEY_F7, 0, TS_LABEL_BODIES, 0, "names of bodies", label_toggle, label_is_on},
    {"Show", "sizes of forces", TS_KEY_F7, SHIFT, TS_LABEL_FORCES, 0, "contact forces in N", label_toggle, label_is_on},
    {"Show", "names of joints", TS_KEY_F7, CTRL, TS_LABEL_JOINTS, 0, "names of joints", label_toggle, label_is_on},
    {"Show", "names of geoms", TS_KEY_F7, CTRL | SHIFT, TS_LABEL_GEOMS, 0, "names of geoms", label_toggle, label_is_on},
    {"Show", "names of sites", TS_KEY_F8, CTRL, TS_LABEL_SITES, 0, "names of sites", label_toggle, label_is_on},
    {"Show", "names of tendons", TS_KEY_F8, SHIFT, TS_LABEL_TENDONS, 0, "names of tendons", label_toggle, label_is_on},
    {"Show", "names of actuators", TS_KEY_F9, 0, TS_LABEL_ACTUATORS, 0, "names of actuators", label_toggle,
     label_is_on},
    {"Show", "names of cameras", TS_KEY_F9, SHIFT, TS_LABEL_CAMERAS, 0, "names of cameras", label_toggle, label_is_on},
    {"Show", "names of contacts", TS_KEY_F9, CTRL, TS_LABEL_CONTACTS, 0, "numbers of contacts, with what touches",
     label_toggle, label_is_on},
    {"Show", "names of islands", TS_KEY_F9, CTRL | SHIFT, TS_LABEL_ISLANDS, 0, "numbers of islands", label_toggle,
     label_is_on},
    {"Show", "names of equalities", TS_KEY_F8, CTRL | SHIFT, TS_LABEL_EQUALITIES, 0, "names of equalities",
     label_toggle, label_is_on},
    {"Show", "name of the selected", 'O', CTRL, TS_LABEL_SELECTED, 0,
     "name of the selected body, and the point that was clicked", label_toggle, label_is_on},
    {"Show", "tendons", 'V', 0, TS_SHOW_TENDONS, 0, "the way of tendons", show_toggle, is_shown},
    {"Show", "actuators", 'U', 0, TS_SHOW_ACTUATORS, 0, "what motors pull with", show_toggle, is_shown},
    {"Show", "range finders", 'Y', 0, TS_SHOW_RAYS, 0, "what range finders measure", show_toggle, is_shown},
    {"Show", "cameras", 'Q', 0, TS_SHOW_CAMERAS, 0, "the model's cameras", show_toggle, is_shown},
    {"Show", "legend", 'L', 0, PART_LEGEND, 0, "legend of contact colours", part_toggle, part_is_on},

    {"Window", "help", TS_KEY_F1, 0, PART_HELP, 0, "this help", help_turn, part_is_on},
    {"Window", "figures", TS_KEY_F2, 0, PART_INFO, 0, "figures on the picture", part_toggle, part_is_on},
    {"Window", "charts", TS_KEY_F3, 0, PART_CHARTS, 0, "timeline and charts", part_toggle, part_is_on},
    {"Window", "convergence", TS_KEY_F3, SHIFT, 0, 0, "how the solve of the step got to its answer", convergence_toggle,
     convergence_is_on},
    {"Window", "sensors", TS_KEY_F4, 0, PART_SENSORS, 0, "sensors as bars", part_toggle, part_is_on},
    {"Window", "dark theme", 'D', SHIFT, 0, 0, "dark theme", window_dark, is_dark},
    {"Window", "full screen", TS_KEY_F5, 0, 0, 0, "full screen", window_full, NULL},
    {"Window", "left panel", TS_KEY_TAB, 0, PART_LEFT, 0, "panel of scenes, solver, settings", part_toggle, part_is_on},
    {"Window", "right panel", TS_KEY_TAB, SHIFT, PART_RIGHT, 0, "panel of what is selected, joints, controls",
     part_toggle, part_is_on},
    {"Window", "picture", 'P', CTRL, 0, 0, "picture, as SCENE-STEP.png", file_picture, NULL},
    {"Window", "charts to a file", 'E', CTRL, 0, 0, "numbers of the charts as SCENE-STEP.csv", file_charts, NULL},
    {"Window", "copy state", 'C', CTRL, 0, 0, "copy the state, as a keyframe of MJCF", file_copy_state, NULL},
    {"Window", "state to a file", 'S', CTRL, 0, 0, "state, sensors and contacts as SCENE-STEP.txt", file_state, NULL},
    {"Window", "quit", 'Q', CTRL, 0, 0, "quit", window_close, NULL},
};

static const ts_gesture gesture[] = {
    {"left drag", "turn the camera"},
    {"right drag", "move the camera (also shift + left drag)"},
    {"wheel, middle drag", "zoom"},
    {"click", "select a body that can move; pin the card of a contact"},
    {"double click", "select the body, or nothing"},
    {"right double click", "turn about that point; with ctrl follow that body"},
    {"ctrl + right drag", "pull a body by a spring; while paused, move it"},
    {"ctrl + left drag", "turn a body likewise"},
    {"shift + right drag", "move camera, or with ctrl a body, along the ground"},
    {"drop a file", "load that model"},
};

int ts_command_count(void) { return (int)(sizeof command / sizeof command[0]); }
const ts_command* ts_command_at(int i) { return &command[i]; }
int ts_gesture_count(void) { return (int)(sizeof gesture / sizeof gesture[0]); }
const ts_gesture* ts_gesture_at(int i) { return &gesture[i]; }

const ts_command* ts_command_of_key(int key, unsigned mods) {
    for (int i = 0; i < ts_command_count(); ++i)
        if (command[i].key == key && command[i].mods == mods) return &command[i];
    // Shift makes a plus of the key that has it on some keyboards.
    return key == '=' && mods == TS_MOD_SHIFT ? ts_command_of_key('=', 0) : NULL;
}

void ts_command_run(ts_session* session, const ts_command* command_row) {
    command_row->run(session, command_row->argument);
    session->dirty = 1;
}

void ts_command_key_text(const ts_command* command_row, char* out_text, size_t size) {
    static const struct {
        int key;
        const char* name;
    } named[] = {{TS_KEY_SPACE, "space"},
                 {TS_KEY_ESCAPE, "Esc"},
                 {TS_KEY_TAB, "Tab"},
                 {TS_KEY_BACKSPACE, "backspace"},
                 {TS_KEY_DELETE, "delete"},
                 {TS_KEY_RIGHT, "right arrow"},
                 {TS_KEY_LEFT, "left arrow"},
                 {TS_KEY_DOWN, "down arrow"},
                 {TS_KEY_UP, "up arrow"},
                 {TS_KEY_PAGE_UP, "page up"},
                 {TS_KEY_PAGE_DOWN, "page down"},
                 {TS_KEY_HOME, "home"},
                 {TS_KEY_END, "end"},
                 {'=', "+"}};
    int key = command_row->key;
    char name[24] = "";
    if (key >= TS_KEY_F1 && key <= TS_KEY_F12)
        snprintf(name, sizeof name, "F%d", key - TS_KEY_F1 + 1);
    else if (key != TS_KEY_NONE && key < 128)
        snprintf(name, sizeof name, "%c", key);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; ++i)
        if (named[i].key == key) snprintf(name, sizeof name, "%s", named[i].name);
    snprintf(out_text, size, "%s%s%s", command_row->mods & TS_MOD_CONTROL ? "ctrl + " : "",
             command_row->mods & TS_MOD_SHIFT ? "shift + " : "", name);
}
