// Problem: what a window shows and does, without the window. Rule: events change the session or ask the worker; a tick takes the newest
// shadow; a picture is drawn from the shadow with the session's own camera, so that turning it never waits for a step. Guaranteed: the same
// events and ticks with a worker without a thread give the same states and the same draw lists. Known to fail: only the file that
// was named is watched, not what it includes.
#include "viewer/session/session_internal.h"

#include "viewer/capture.h"
#include "viewer/session/convergence_internal.h"
#include "viewer/scene_contacts_internal.h"
#include "viewer/session/command_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// s: how long a message stays, and how often a file is looked at.
static const double message_time = 5.0, watch_time = 0.5;

// --- asking and telling --------------------------------------------------------------------------------------------

void ts_session_say(ts_session* session, const char* text) {
    snprintf(session->ui.message, sizeof session->ui.message, "%s", text);
    session->message_until = session->now + message_time;
    session->dirty = 1;
}

void ts_session_ask(ts_session* session, ts_ask_kind kind, long long index, double value, const char* text) {
    ts_ask ask = {.kind = kind, .index = index, .value = value};
    if (text) snprintf(ask.text, sizeof ask.text, "%s", text);
    if (!ts_worker_ask(session->worker, &ask)) ts_session_say(session, "no memory for what you asked");
}

void ts_session_select(ts_session* session, int body) {
    session->selected = body > 0 ? body : -1;
    // Who selects something wants to know about it.
    if (session->kit && body > 0 && !session->panels_offered++) session->panels.right = 1;
    session->dirty = 1;
    ts_session_ask(session, TS_ASK_WATCH, session->selected, 0.0, NULL);
}

void ts_session_free_camera(ts_session* session) {
    session->camera_mode = TS_CAMERA_FREE;
    session->view.model_camera = 0;
}

void ts_session_track(ts_session* session, int body) {
    ts_session_free_camera(session);
    session->camera_mode = TS_CAMERA_TRACK;
    session->tracked = body;
    session->tracked_at = session->shadow->sim.kinematics.body_centre[body];
    session->view.camera.target = session->tracked_at;
    session->dirty = 1;
}

void ts_session_copy(ts_session* session, const char* text, const char* said) {
    if (!text || strlen(text) >= sizeof session->wishes.clipboard) {
        ts_session_say(session, "that is too long to copy");
        return;
    }
    snprintf(session->wishes.clipboard, sizeof session->wishes.clipboard, "%s", text);
    ts_session_say(session, said);
}

void ts_session_file_name(const ts_session* session, const char* ending, char* out_name, size_t size) {
    // A title is a name and perhaps the file in parentheses; the name, fit for a file, is enough here.
    char name[100];
    const char* title = session->ui.title;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(title, "("), title);
    for (size_t i = strlen(name); i > 0 && name[i - 1] == ' ';) name[--i] = '\0';
    for (char* c = name; *c; ++c)
        if (strchr(" /\\:", *c)) *c = '-';
    snprintf(out_name, size, "%s-%06lld%s", name, session->shadow->sim.step_count, ending);
}

// --- events --------------------------------------------------------------------------------------------------------

static void key(ts_session* s, const ts_event* event) {
    if (event->action == TS_ACTION_RELEASE) return;
    const ts_command* command = ts_command_of_key(event->code, event->mods);
    if (!command || (event->action == TS_ACTION_REPEAT && !command->repeats)) return;
    ts_command_run(s, command);
}

// Panels come first, but a drag of the camera or of a body goes on over them, and one of a slider over the picture.
static int is_for_panels(ts_session* s, const ts_event* event) {
    int wanted = s->kit->ops->event(s->kit, event);
    unsigned bit = 1u << (event->code & 7);
    int outside =
        event->x < s->left || event->y < s->top || event->x >= s->left + s->width || event->y >= s->top + s->height;
    switch (event->kind) {
    case TS_EVENT_MOVE: return s->kit_held != 0;
    case TS_EVENT_BUTTON:
        if (event->action == TS_ACTION_PRESS && s->mouse.button < 0 && (wanted || outside)) s->kit_held |= bit;
        if (!(s->kit_held & bit)) return 0;
        if (event->action == TS_ACTION_RELEASE) s->kit_held &= ~bit;
        return 1;
    case TS_EVENT_SCROLL:
    case TS_EVENT_KEY:
    case TS_EVENT_CHARACTER: return wanted;
    default: return 0;
    }
}

void ts_session_event(ts_session* session, const ts_event* event) {
    session->now = event->time > session->now ? event->time : session->now;
    if (session->kit) {
        // Drawn more than once: to find out what was done to them, to see a click end, and to show what came of it.
        session->panels_dirty = 3;
        if (is_for_panels(session, event)) return;
    }
    switch (event->kind) {
    case TS_EVENT_KEY: key(session, event); break;
    case TS_EVENT_BUTTON:
    case TS_EVENT_MOVE:
    case TS_EVENT_SCROLL: {
        ts_event there = *event;
        there.x -= (double)session->left;
        if (event->kind != TS_EVENT_SCROLL) there.y -= (double)session->top;
        ts_session_mouse(session, &there);
        break;
    }
    case TS_EVENT_DROP:
        ts_session_say(session, "loading");
        ts_session_ask(session, TS_ASK_LOAD, 0, 0.0, event->path);
        break;
    case TS_EVENT_RESIZE:
        session->window_width = event->width;
        session->window_height = event->height;
        session->scale = event->scale;
        session->dirty = 1;
        break;
    case TS_EVENT_CLOSE: session->wishes.over = 1; break;
    default: break;
    }
}

// --- what comes from the worker ------------------------------------------------------------------------------------

// The view of a world that was not shown yet. The camera stays when it is the same scene again.
static ts_code show_world(ts_session* s, ts_status* out_status) {
    const ts_world* world = s->shadow->world;
    int again = s->shown_world >= 0 && world->subject[0] && strcmp(world->subject, s->subject) == 0;
    ts_view before = s->view;
    if (s->shown_world >= 0) ts_view_close(&s->view);
    s->shown_world = -1;
    ts_code code = ts_view_open_within(&s->view, &s->shadow->sim, world->reach, s->device, out_status);
    if (code) return code;
    s->view.show = again || s->subject[0] ? before.show : s->request->show;
    s->view.wireframe = before.wireframe;
    s->view.untextured = again || s->subject[0] ? before.untextured : s->request->untextured;
    s->view.dark = again || s->subject[0] ? before.dark : s->request->dark;
    s->view.hidden_groups = again || s->subject[0] ? before.hidden_groups : s->request->hidden_groups;
    if (again)
        s->view.camera = before.camera;
    else
        ts_view_aim(&s->view, s->subject[0] ? NULL : s->request->camera, s->pane_width, s->pane_height,
                    s->panels.info && s->shadow->look_count == 1);
    if (!again) s->camera_mode = TS_CAMERA_FREE;
    s->view.model_camera = again ? before.model_camera : s->subject[0] ? 0 : s->request->model_camera;
    if (s->view.model_camera > world->scene->model->camera_count) s->view.model_camera = 0;
    s->shown_world = world->number;
    s->arrows = 1.0;
    s->clicked_body = 0;
    snprintf(s->subject, sizeof s->subject, "%s", world->subject[0] ? world->subject : " ");
    memset(&s->view.filter, 0, sizeof s->view.filter);
    if (s->selected >= world->scene->model->body_count || !again) ts_session_select(s, -1);
    s->grab.kind = TS_GRAB_NONE;
    s->mouse.drag = TS_DRAG_NONE;
    s->keyframe = -1;
    s->strip_step = -1;
    ts_ui_set_title(&s->ui, world->scene);
    return TS_OK;
}

static void follow(ts_session* s) {
    if (s->camera_mode != TS_CAMERA_TRACK) return;
    ts_vec3 centre = s->shadow->sim.kinematics.body_centre[s->tracked];
    s->view.camera.target = ts_vec3_add(s->view.camera.target, ts_vec3_sub(centre, s->tracked_at));
    s->tracked_at = centre;
}

// Charts go by the chosen simulation, and what is watched is compared with the others.
static void copy_strips(ts_session* s) {
    const ts_shadow* shadow = s->shadow;
    memset(&s->strips, 0, sizeof s->strips);
    s->strips.chosen = shadow->chosen;
    for (int i = 0; i < shadow->look_count && i < TS_RUNS; ++i) {
        if (i != shadow->chosen && !s->watched[0]) continue;
        if (!s->strip[i]) s->strip[i] = calloc(1, sizeof *s->strip[i]);
        // Without memory, and of one that was just taken away, there is nothing to see.
        if (!s->strip[i] || !ts_worker_strip(s->worker, i, s->strip[i])) {
            s->strips.chosen = 0;
            s->strips.count = 0;
            return;
        }
    }
    int all = s->watched[0] != 0;
    s->strips.count = all ? shadow->look_count : 1;
    s->strips.chosen = all ? shadow->chosen : 0;
    for (int k = 0; k < s->strips.count; ++k) {
        int i = all ? k : shadow->chosen;
        s->strips.strip[k] = s->strip[i];
        s->strips.name[k] = shadow->look[i].name;
    }
}

void ts_session_take_strips(ts_session* session, int again) {
    ts_session* s = session;
    const ts_strip* known = s->strips.count ? ts_strips_chosen(&s->strips) : NULL;
    int same = s->strip_step == s->shadow->sim.step_count && s->strip_of == s->shadow->chosen && known && known->count;
    if (same && !again && !s->strip_partial && !s->shadow->recalling) return;
    s->strip_of = s->shadow->chosen;
    s->strip_partial = s->shadow->recalling;
    copy_strips(s);
    s->strip_step = s->shadow->sim.step_count;
    ts_ui_clear(&s->ui);
    // What lies ahead of the step that is shown is in the charts, not among the words.
    const ts_strip* strip = s->strips.count ? ts_strips_chosen(&s->strips) : NULL;
    int count = strip ? strip->count : 0;
    while (count && ts_strip_at(strip, count - 1)->step > s->strip_step) --count;
    for (int i = count > TS_UI_HISTORY ? count - TS_UI_HISTORY : 0; i < count; ++i) {
        const float* value = ts_strip_at(strip, i)->value;
        double own = (double)value[TS_QUANTITY_OWN], exact = (double)value[TS_QUANTITY_EXACT];
        ts_ui_note(&s->ui, isnan(own) ? 0.0 : own, isnan(exact) ? 0.0 : exact);
    }
}

// Asks for the scene again when its file has changed.
static void watch(ts_session* s) {
    struct stat info;
    if (s->now < s->watch.next) return;
    s->watch.next = s->now + watch_time;
    if (stat(s->subject, &info) != 0 || !S_ISREG(info.st_mode)) return;
    long long stamp = (long long)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec + (long long)info.st_size;
    int same_file = s->watch.world == s->shown_world || s->watch.stamp == 0;
    if (s->watch.stamp && s->watch.stamp != stamp && same_file) ts_session_ask(s, TS_ASK_RELOAD, 1, 0.0, NULL);
    s->watch.stamp = stamp;
    s->watch.world = s->shown_world;
}

ts_redraw ts_session_tick(ts_session* session, double now) {
    session->now = now > session->now ? now : session->now;
    int news = ts_worker_has_news(session->worker);
    session->shadow = ts_worker_shadow(session->worker);
    if (news && session->shadow->world->number == session->shown_world) follow(session);
    if (session->shadow->message_number != session->message_number) {
        session->message_number = session->shadow->message_number;
        ts_session_say(session, session->shadow->message);
    }
    if (session->ui.message[0] && session->now > session->message_until) {
        session->ui.message[0] = '\0';
        session->dirty = 1;
    }
    // Who asked for a step that takes long shall see that it is being made.
    int waiting = (int)ts_worker_step_time(session->worker);
    if (waiting != session->ui.waiting) session->dirty = 1;
    session->ui.waiting = waiting;
    watch(session);
    // Notes cost a little: they are made while their chart is shown.
    int traced = session->panels.charts && session->charts & ts_convergence_bit();
    if (traced != session->traced) ts_session_ask(session, TS_ASK_TRACE, traced, 0.0, NULL);
    session->traced = traced;
    if (strcmp(session->charted, session->watched) != 0 || session->charted_world != session->shadow->world->number) {
        memcpy(session->charted, session->watched, sizeof session->charted);
        session->charted_world = session->shadow->world->number;
        ts_session_ask(session, TS_ASK_NUMBERS, 0, 0.0, session->watched);
    }
    if (ts_thumbs_draw(session->thumbs) | ts_stepper_draw(session->stepper)) session->panels_dirty = 2;
    ts_session_layout(session);
    if (news || session->dirty) return TS_REDRAW_ALL;
    return session->panels_dirty ? TS_REDRAW_PANELS : TS_REDRAW_NOTHING;
}

void ts_session_step_through(ts_session* session, int contact, int portals) {
    ts_session* s = session;
    const ts_sim* sim = &s->shadow->look[s->shadow->chosen].sim;
    ts_status status;
    ts_stepper_close(s->stepper);
    s->stepper = NULL;
    s->panels_dirty = 2;
    if (contact < 0 || contact >= sim->contact_count || !s->stepper_device) return;
    s->stepper = ts_stepper_open(sim, contact, portals, s->stepper_device, s->request->typeface, &status);
    if (!s->stepper) {
        ts_session_say(s, status.message);
        return;
    }
    s->stepper->dark = s->view.dark != 0;
    s->panels.right = 1;
}

// --- drawing -------------------------------------------------------------------------------------------------------

static void take_picture(ts_session* s) {
    char path[256], text[300];
    ts_status status;
    s->want_picture = 0;
    ts_session_file_name(s, ".png", path, sizeof path);
    if (ts_capture_device(s->device, s->width, s->height, path, &status))
        ts_status_format(&status, text, sizeof text);
    else
        snprintf(text, sizeof text, "saved %s", path);
    ts_session_say(s, text);
}

ts_charted ts_session_charted(const ts_session* session) {
    const ts_session* s = session;
    int solves = (s->charts & ts_convergence_bit()) != 0;
    return (ts_charted){s->strips, s->shadow->sim.step_count, ts_theme_of(s->view.dark), solves ? s->shadow : NULL};
}

void ts_session_write_csv(ts_session* session) {
    ts_session* s = session;
    const ts_charted all = ts_session_charted(s);
    char path[256], text[300];
    ts_status status;
    ts_session_file_name(s, ".csv", path, sizeof path);
    ts_session_take_strips(s, 1);
    ts_code code = s->strips.count ? ts_strip_write_csv(&s->strips, path, &status)
                                   : ts_status_set(&status, TS_ERROR_MEMORY, NULL, 0, "no memory for charts");
    snprintf(text, sizeof text, "saved %s", path);
    if (!code && all.shadow && ts_convergence_has_values(all.shadow)) {
        ts_session_file_name(s, "-convergence.csv", path, sizeof path);
        code = ts_convergence_write_csv(all.shadow, path, &status);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " and %s", path);
    }
    if (code) ts_status_format(&status, text, sizeof text);
    ts_session_say(s, text);
}

// The charts alone, drawn over an empty picture of the same device.
static void take_charts(ts_session* s) {
    char path[256], text[300];
    ts_status status;
    s->want_charts = 0;
    ts_session_file_name(s, "-charts.png", path, sizeof path);
    const ts_charted all = ts_session_charted(s);
    ts_chart_fill_overlay(&all, s->width, s->height, &s->overlay);
    ts_code code = ts_view_draw(&s->view, s->width, s->height, &s->overlay, &status);
    if (!code) code = ts_capture_device(s->device, s->width, s->height, path, &status);
    if (code)
        ts_status_format(&status, text, sizeof text);
    else
        snprintf(text, sizeof text, "saved %s", path);
    ts_session_say(s, text);
}

// Whether anything that can move has its middle in the picture; so it is where nothing moves.
static int is_in_view(const ts_session* s) {
    const ts_sim* sim = &s->shadow->look[s->shadow->chosen].sim;
    int moving = 0;
    double at[2];
    for (int b = 1; b < sim->model->body_count; ++b) {
        if (sim->model->body[b].tree < 0) continue;
        ++moving;
        if (ts_camera_project(&s->view.camera, s->pane_width, s->pane_height, sim->kinematics.body_centre[b], at) &&
            at[0] >= 0.0 && at[0] < s->pane_width && at[1] >= 0.0 && at[1] < s->pane_height)
            return 1;
    }
    return !moving;
}

// Who sees nothing hears how to find it again; a body that is selected says what can be done with it.
static void add_hint(ts_session* s) {
    if (s->ui.message[0]) return;
    if (!is_in_view(s)) {
        snprintf(s->ui.message, sizeof s->ui.message,
                 "all that moves is out of sight: ctrl + A looks at it, ] follows it");
        return;
    }
    if (s->selected <= 0) return;
    const char* name = s->shadow->sim.model->body[s->selected].name;
    char text[48];
    snprintf(text, sizeof text, "%.40s", name);
    if (!text[0]) snprintf(text, sizeof text, "body %d", s->selected);
    snprintf(s->ui.message, sizeof s->ui.message, "%s: ctrl + right drag pulls, ctrl + left drag turns; F1 help", text);
}

// Whose size pages of help have.
static void help_size(const ts_session* s, double out_size[2]) {
    int alone = s->shadow->look_count == 1;
    out_size[0] = (double)(alone ? s->width : s->pane_width);
    out_size[1] = (double)(alone ? s->height : s->pane_height);
}

int ts_session_help_pages(const ts_session* session) {
    double size[2];
    ts_overlay words = {.typeface = session->overlay.typeface};
    help_size(session, size);
    ts_overlay_begin(&words, (int)size[1]);
    int pages = ts_command_help_pages(size[0], size[1], &words);
    ts_overlay_free(&words);
    return pages;
}

// A window that grew may have less pages than the one that is open.
static void add_help(ts_session* s, ts_overlay* overlay) {
    double size[2];
    if (!s->panels.help) return;
    help_size(s, size);
    int pages = ts_command_help_pages(size[0], size[1], overlay);
    if (s->panels.help > pages) s->panels.help = pages;
    ts_command_help(size[0], size[1], s->panels.help, overlay);
}

static void fill_words(ts_session* s) {
    const ts_shadow* shadow = s->shadow;
    s->ui.paused = shadow->paused;
    s->ui.speed = shadow->speed;
    s->ui.rate = shadow->rate;
    s->ui.memory = (double)shadow->look[shadow->chosen].memory;
    s->ui.panel = s->panels.info;
    s->ui.mode_count = shadow->mode_count;
    int hint = !s->ui.message[0];
    add_hint(s);
    ts_ui_fill(&s->ui, &shadow->sim, s->width, s->height, &s->overlay);
    if (hint) s->ui.message[0] = '\0';
    ts_session_labels(s, &shadow->sim, &s->overlay);
    const int size[2] = {s->width, s->height};
    if (s->panels.info && shadow->sim.contact_count)
        ts_scene_contacts_scale(&s->view.sizes, &s->view.camera, s->view.show, size, &s->overlay);
    ts_session_cards(s, shadow->chosen, &s->overlay);
    add_help(s, &s->overlay);
}

static void place_marks(ts_session* s) {
    const ts_shadow* shadow = s->shadow;
    const ts_sim* chosen = &shadow->look[shadow->chosen].sim;
    s->view.sim = s->view.layer[0].sim = chosen;
    s->view.layer[0].facts = &shadow->facts;
    s->view.filter.body = s->only_selected && s->selected > 0 ? s->selected : 0;
    s->view.selected = s->panels.held ? s->selected : -1;
    s->view.ruler.shown = ts_session_ruler(s, chosen, s->view.ruler.end) > 0;
    s->view.spring.shown =
        s->panels.held && s->grab.kind == TS_GRAB_MOVE && s->grab.body < shadow->sim.model->body_count;
    if (!s->view.spring.shown) return;
    s->view.spring.end[0] = ts_transform_point(&shadow->sim.kinematics.body_pose[s->grab.body], s->grab.local);
    s->view.spring.end[1] = s->grab.target;
}

// Words in a pane beside its card: of the chosen one those that stand in the corner of the only picture otherwise.
static void add_pane_words(void* user, int pane, ts_overlay* overlay) {
    ts_session* s = user;
    ts_session_labels(s, &s->shadow->look[pane].sim, overlay);
    ts_session_cards(s, pane, overlay);
    if (pane != s->shadow->chosen) return;
    int panel = s->ui.panel;
    s->ui.panel = 0;
    s->ui.paused = s->shadow->paused;
    add_hint(s);
    ts_ui_add_note(&s->ui, s->pane_width, s->pane_height, overlay);
    s->ui.panel = panel;
    add_help(s, overlay);
}

// Several simulations.
static ts_code draw_looks(ts_session* s, ts_status* out_status) {
    const ts_shadow* shadow = s->shadow;
    ts_panes_look look[TS_RUNS];
    for (int i = 0; i < shadow->look_count; ++i) {
        const ts_look* from = &shadow->look[i];
        ts_panes_look to = {&from->sim, &from->facts, from->name, from->fault[0] ? from->fault : NULL};
        look[i] = to;
    }
    char before[sizeof s->ui.message];
    memcpy(before, s->ui.message, sizeof before);
    ts_panes_picture picture = {look,     shadow->look_count, shadow->chosen, s->ghosts, s->panels.info,
                                s->width, s->height,          add_pane_words, s};
    ts_code code = ts_panes_draw(&picture, &s->view, &s->overlay, out_status);
    memcpy(s->ui.message, before, sizeof before);
    return code;
}

ts_code ts_session_draw(ts_session* session, ts_status* out_status) {
    if (session->width < 1 || session->height < 1) return ts_status_ok(out_status);
    if (session->shadow->world->number != session->shown_world) {
        ts_code code = show_world(session, out_status);
        if (code) return code;
    }
    session->dirty = 0;
    ts_session_take_strips(session, 0);
    place_marks(session);
    ts_view_follow(&session->view);
    if (session->want_charts) take_charts(session);
    ts_code code;
    if (session->shadow->look_count > 1) {
        code = draw_looks(session, out_status);
    } else {
        fill_words(session);
        code = ts_view_draw(&session->view, session->width, session->height, &session->overlay, out_status);
    }
    if (!code && session->want_picture) take_picture(session);
    return code;
}

// --- opening and closing -------------------------------------------------------------------------------------------

ts_code ts_session_open(const ts_view_request* request, ts_device* device, ts_kit* kit, int threaded,
                        ts_session** out_session, ts_status* out_status) {
    ts_session* s = calloc(1, sizeof *s);
    ts_world* world = NULL;
    *out_session = NULL;
    if (!s) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a window");
    s->request = request;
    s->device = device;
    s->kit = kit;
    s->window_width = request->width;
    s->window_height = request->height;
    s->scale = 1.0;
    s->overlay.typeface = request->typeface;
    s->shown_world = -1;
    s->selected = s->mouse.button = s->mouse.click_button = s->keyframe = -1;
    s->mouse.click_time = -1.0;
    s->panels.info = request->overlay;
    s->panels.held = 1;
    s->panels.left = s->panels.charts = kit != NULL;
    s->pointed = -1;
    s->charts = ts_chart_usual();
    ts_session_layout(s);
    s->ui.window = s->ui.legend = 1;
    s->panels.labels = request->labels;
    if (request->watched) snprintf(s->watched, sizeof s->watched, "%s", request->watched);
    ts_code code = ts_world_borrow(request->scene, request->sim, request->subject, &world, out_status);
    ts_sim* beside[TS_RUNS];
    int count = request->companion_count < TS_RUNS ? request->companion_count : TS_RUNS - 1;
    const char* title[1 + TS_RUNS] = {request->name};
    for (int i = 0; i < count; ++i) {
        beside[i] = request->companion[i].sim;
        title[1 + i] = request->companion[i].name;
    }
    ts_worker_start start = {request->speed, request->paused, threaded, beside, request->companion_scene, title, count};
    s->ghosts = request->layout == TS_LAYOUT_GHOSTS;
    if (!code) code = ts_worker_create(world, &start, &s->worker, out_status);
    if (!code) {
        s->shadow = ts_worker_shadow(s->worker);
        ts_session_layout(s);
        code = show_world(s, out_status);
        if (request->mark_text) ts_session_say(s, request->mark_text);
    }
    if (code)
        ts_session_close(s);
    else
        *out_session = s;
    return code;
}

void ts_session_close(ts_session* session) {
    if (!session) return;
    ts_thumbs_destroy(session->thumbs);
    ts_stepper_close(session->stepper);
    ts_worker_destroy(session->worker);
    if (session->shown_world >= 0) ts_view_close(&session->view);
    ts_overlay_free(&session->overlay);
    for (int i = 0; i < TS_RUNS; ++i) free(session->strip[i]);
    free(session);
}
