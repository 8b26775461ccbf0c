// Problem: one mouse turns the camera, picks bodies and throws them. Rule: buttons, with control a body is held instead of the camera; what
// is held moves in the plane parallel to the picture through its point, or along the ground. Guaranteed: while nothing else moves, the
// held point stays under the mouse.
#include "viewer/session/session_internal.h"

#include "base/scalar.h"
#include "viewer/session/pick_internal.h"

#include <math.h>

static const double double_click_time = 0.35;  // s
static const double click_slip = 4.0;          // pixels a click may slip

static void ray_at(const ts_session* s, double x, double y, ts_vec3* out_from, ts_vec3* out_direction) {
    double pixel[2] = {x, y};
    ts_camera_ray(&s->view.camera, s->pane_width, s->pane_height, pixel, out_from, out_direction);
}

// The simulation in the pane where the mouse is.
static const ts_sim* sim_here(const ts_session* s) {
    int i = s->ghosts ? s->shadow->chosen : s->mouse.pane;
    return &s->shadow->look[i >= 0 && i < s->shadow->look_count ? i : s->shadow->chosen].sim;
}

static ts_pick pick_at(const ts_session* s, double x, double y) {
    ts_vec3 from, direction;
    ray_at(s, x, y, &from, &direction);
    return ts_pick_ray(sim_here(s), from, direction, !(s->view.show & TS_SHOW_COLLISION));
}

static int can_move(const ts_model* model, int body) {
    return body > 0 && (model->body[body].tree >= 0 || model->body[body].mocap >= 0);
}

// --- holding a body ------------------------------------------------------------------------------------------------

// 1/s: a spring that a body's own weight stretches by a tenth of its radius.
static double spring_rate(const ts_session* s) {
    double g = ts_vec3_norm(s->shadow->sim.options.gravity);
    double rate = sqrt((g > 1.0 ? g : 9.81) / (0.1 * fmax(s->view.sizes.body_radius, 1e-6)));
    return fmin(fmax(rate, 5.0), 80.0);
}

static void ask_grab(ts_session* s) {
    ts_ask ask = {.kind = TS_ASK_GRAB, .grab = s->grab};
    (void)ts_worker_ask(s->worker, &ask);
}

void ts_session_let_go(ts_session* s) {
    if (s->grab.kind == TS_GRAB_NONE) return;
    s->grab.kind = TS_GRAB_NONE;
    ask_grab(s);
}

static void begin_grab(ts_session* s, ts_grab_kind kind) {
    const ts_sim* sim = sim_here(s);
    ts_pick pick = pick_at(s, s->mouse.x, s->mouse.y);
    int on_body = pick.geom >= 0 && can_move(sim->model, pick.body);
    if (on_body) ts_session_select(s, pick.body);
    if (s->selected <= 0 || !can_move(sim->model, s->selected)) {
        ts_session_say(s, "there is nothing here that can move");
        return;
    }
    const ts_transform* pose = &sim->kinematics.body_pose[s->selected];
    ts_vec3 point = on_body ? pick.point : sim->kinematics.body_centre[s->selected];
    ts_mat3 axes = ts_camera_axes(&s->view.camera);
    s->grab.kind = kind;
    s->grab.body = s->selected;
    s->grab.local = ts_transform_point_inverse(pose, point);
    s->grab.target = point;
    s->grab.rotation = ts_quat_from_mat3(&pose->R);
    s->grab.rate = spring_rate(s);
    s->grab_depth = ts_vec3_dot(ts_vec3_sub(ts_camera_eye(&s->view.camera), point), ts_mat3_column(&axes, 2));
    s->mouse.drag = TS_DRAG_GRAB;
    ask_grab(s);
}

// Where the mouse's ray is as deep as the held point, or as high.
static void pull(ts_session* s, double x, double y) {
    ts_vec3 from, direction, normal = ts_vec3_axis(2);
    ray_at(s, x, y, &from, &direction);
    if (!s->mouse.flat) {
        ts_mat3 axes = ts_camera_axes(&s->view.camera);
        normal = ts_mat3_column(&axes, 2);
    }
    double down = ts_vec3_dot(normal, direction);
    double t = ts_vec3_dot(normal, ts_vec3_sub(s->grab.target, from)) / down;
    // A ray along the plane meets it nowhere, or far beyond what anybody means.
    if (!(fabs(down) > 0.02) || !(t > 0.0)) return;
    s->grab.target = ts_vec3_add_scaled(from, t, direction);
}

static void twist(ts_session* s, double dx, double dy) {
    ts_mat3 axes = ts_camera_axes(&s->view.camera);
    double per_pixel = 2.0 * TS_PI / (double)(s->pane_height > 0 ? s->pane_height : 1);
    ts_vec3 turn = ts_vec3_add(ts_vec3_scale(dx * per_pixel, ts_mat3_column(&axes, 1)),
                               ts_vec3_scale(dy * per_pixel, ts_mat3_column(&axes, 0)));
    s->grab.rotation = ts_quat_normalize(ts_quat_mul(ts_quat_from_rotation_vector(turn), s->grab.rotation));
}

// --- the ruler -----------------------------------------------------------------------------------------------------

void ts_session_measure(ts_session* session) {
    ts_ruler* ruler = &session->ruler;
    ts_pick pick = pick_at(session, session->mouse.x, session->mouse.y);
    session->dirty = 1;
    if (ruler->count == 2) {
        ruler->count = 0;
    } else if (!session->mouse.inside || pick.geom < 0) {
        ts_session_say(session, "point at what is to be measured from, then at where to");
    } else {
        ruler->body[ruler->count] = pick.body;
        ruler->local[ruler->count++] =
            ts_transform_point_inverse(&sim_here(session)->kinematics.body_pose[pick.body], pick.point);
        ts_session_say(session, ruler->count == 1 ? "and where to? (shift + R)" : "measured; shift + R ends it");
    }
}

int ts_session_ruler(const ts_session* session, const ts_sim* sim, ts_vec3 out_end[2]) {
    const ts_ruler* ruler = &session->ruler;
    for (int k = 0; k < 2; ++k) {
        int at = k < ruler->count ? k : 0;
        // Another scene may have fewer bodies.
        if (ruler->count && ruler->body[at] >= sim->model->body_count) return 0;
        if (ruler->count)
            out_end[k] = ts_transform_point(&sim->kinematics.body_pose[ruler->body[at]], ruler->local[at]);
    }
    return ruler->count;
}

// --- buttons -------------------------------------------------------------------------------------------------------

// Selects a body that can move, or nothing, and keeps the point.
static void select_at(ts_session* s, const ts_pick* pick) {
    const ts_sim* sim = sim_here(s);
    int found = pick->geom >= 0 && can_move(sim->model, pick->body);
    ts_session_select(s, found ? pick->body : -1);
    s->clicked_body = found ? pick->body : 0;
    if (found) s->clicked = ts_transform_point_inverse(&sim->kinematics.body_pose[pick->body], pick->point);
}

static void double_click(ts_session* s, const ts_event* event) {
    ts_pick pick = pick_at(s, event->x, event->y);
    if (event->code == TS_BUTTON_LEFT) {
        select_at(s, &pick);
        return;
    }
    if (pick.geom < 0) return;
    s->view.camera.target = pick.point;
    if (event->mods & TS_MOD_CONTROL && can_move(s->shadow->sim.model, pick.body)) ts_session_track(s, pick.body);
}

static void press(ts_session* s, const ts_event* event) {
    ts_mouse* mouse = &s->mouse;
    if (mouse->button >= 0) return;
    int again = event->code == mouse->click_button && event->time - mouse->click_time < double_click_time &&
                fabs(event->x - mouse->click_x) + fabs(event->y - mouse->click_y) < click_slip;
    mouse->button = event->code;
    mouse->x = mouse->click_x = event->x;
    mouse->y = mouse->click_y = event->y;
    mouse->click_time = again ? -1.0 : event->time;
    mouse->click_button = event->code;
    mouse->flat = (event->mods & TS_MOD_SHIFT) != 0;
    mouse->drag = TS_DRAG_NONE;
    if (again && event->code != TS_BUTTON_MIDDLE) {
        double_click(s, event);
        return;
    }
    if (event->mods & TS_MOD_CONTROL && event->code != TS_BUTTON_MIDDLE)
        begin_grab(s, event->code == TS_BUTTON_LEFT ? TS_GRAB_TURN : TS_GRAB_MOVE);
    else if (event->code == TS_BUTTON_LEFT)
        mouse->drag = mouse->flat ? TS_DRAG_MOVE : TS_DRAG_TURN;
    else
        mouse->drag = event->code == TS_BUTTON_RIGHT ? TS_DRAG_MOVE : TS_DRAG_ZOOM;
    // With shift the right button moves along the ground, the left one as the right one without.
    if (event->code == TS_BUTTON_LEFT && mouse->drag == TS_DRAG_MOVE) mouse->flat = 0;
}

static void release(ts_session* s, const ts_event* event) {
    ts_mouse* mouse = &s->mouse;
    if (event->code != mouse->button) return;
    int still = fabs(event->x - mouse->click_x) + fabs(event->y - mouse->click_y) < click_slip;
    if (mouse->drag == TS_DRAG_TURN && still) {
        mouse->button = -1;
        // Of a crowd seen from far hardly a pixel is without a contact: the body there is meant, too.
        int c = ts_session_hovered(s);
        uint64_t key = c >= 0 ? ts_sim_contact(sim_here(s), c).key : 0;
        if (c >= 0) s->view.filter.pinned = s->view.filter.pinned == key ? 0 : key;
        ts_pick pick = pick_at(s, event->x, event->y);
        if (pick.geom >= 0 && can_move(s->shadow->sim.model, pick.body)) select_at(s, &pick);
    }
    mouse->button = -1;
    mouse->drag = TS_DRAG_NONE;
    ts_session_let_go(s);
}

static void move_camera(ts_session* s, double dx, double dy) {
    ts_camera* camera = &s->view.camera;
    if (!s->mouse.flat) {
        ts_camera_pan(camera, dx, dy, s->pane_height);
        return;
    }
    // Along the ground: up the picture is away.
    ts_vec3 before = camera->target;
    ts_camera_pan(camera, dx, 0.0, s->pane_height);
    double metres =
        2.0 * camera->distance * tan(0.5 * camera->field_of_view) / (double)(s->pane_height > 0 ? s->pane_height : 1);
    ts_vec3 away = ts_vec3_make(-cos(camera->azimuth), -sin(camera->azimuth), 0.0);
    camera->target = ts_vec3_add_scaled(camera->target, dy * metres, away);
    camera->target.z = before.z;
}

static void move(ts_session* s, const ts_event* event) {
    ts_mouse* mouse = &s->mouse;
    // One of the model's cameras is left by a drag, from where it is.
    if (mouse->drag == TS_DRAG_TURN || mouse->drag == TS_DRAG_MOVE || mouse->drag == TS_DRAG_ZOOM)
        s->view.model_camera = 0;
    double dx = event->x - mouse->x, dy = event->y - mouse->y;
    mouse->x = event->x;
    mouse->y = event->y;
    switch (mouse->drag) {
    case TS_DRAG_TURN: ts_camera_orbit(&s->view.camera, dx, dy, s->pane_height); break;
    case TS_DRAG_MOVE: move_camera(s, dx, dy); break;
    case TS_DRAG_ZOOM:
        ts_camera_zoom(&s->view.camera, -20.0 * dy / (double)(s->pane_height > 0 ? s->pane_height : 1));
        break;
    case TS_DRAG_GRAB:
        if (s->grab.kind == TS_GRAB_MOVE)
            pull(s, event->x, event->y);
        else
            twist(s, dx, dy);
        ask_grab(s);
        break;
    default:
        // The card of the contact under the mouse comes and goes.
        if (s->shadow->sim.contact_count) s->dirty = 1;
        return;
    }
    s->dirty = 1;
}

// A drag goes on in the pane where it began; a press chooses the pane's simulation.
static void find_pane(ts_session* s, const ts_event* event) {
    if (s->mouse.button >= 0 || event->kind == TS_EVENT_SCROLL) return;
    ts_panes panes = ts_session_cut(s);
    int pane = ts_panes_at(&panes, event->x, event->y);
    s->mouse.inside = pane >= 0;
    if (pane < 0) pane = 0;
    s->mouse.pane = pane;
    int pressed = event->kind == TS_EVENT_BUTTON && event->action == TS_ACTION_PRESS;
    if (pressed && panes.count > 1 && pane != s->shadow->chosen) ts_session_ask(s, TS_ASK_CHOOSE, pane, 0.0, NULL);
}

void ts_session_mouse(ts_session* session, const ts_event* event) {
    if (session->width < 1 || session->height < 1) return;
    find_pane(session, event);
    ts_panes panes = ts_session_cut(session);
    ts_device_place place = ts_panes_place(&panes, session->mouse.pane < panes.count ? session->mouse.pane : 0);
    ts_event here = *event;
    here.x -= (double)place.left;
    if (event->kind != TS_EVENT_SCROLL) here.y -= (double)place.top;
    if (event->kind == TS_EVENT_MOVE) {
        move(session, &here);
        return;
    }
    session->dirty = 1;
    if (event->kind == TS_EVENT_SCROLL) {
        session->view.model_camera = 0;
        ts_camera_zoom(&session->view.camera, event->y);
    } else if (event->action == TS_ACTION_PRESS)
        press(session, &here);
    else
        release(session, &here);
}
