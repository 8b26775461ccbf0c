// Problem: a window in which a running simulation can be looked at, held, stopped and taken back. Rule: this file knows GLFW and nothing of
// simulations: it translates what GLFW tells into events, lets the session draw when there is something new, and does what the
// session wishes. Guaranteed: nothing here waits for a step.
#include "viewer/window_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "base/clock.h"
#include "scenes/experiments/experiment.h"
#include "scenes/run.h"
#include "viewer/device_gl.h"
#ifdef TS_HAVE_PANELS
#include "viewer/panel_imgui_internal.h"
#endif
#include "viewer/session/session_internal.h"

// s: how long to wait for an event when there was nothing new to draw.
static const double idle_time = 0.008;

typedef struct app {
    const ts_view_request* request;
    GLFWwindow* window;
    ts_device* device;
    ts_device* small_device[2];  // of pictures in panels: scenes, the narrow phase
    ts_kit* kit;
    ts_session* session;
    double panels_at;  // s, when panels were drawn last
    int windowed[4];   // where it was before it filled the screen
    int frames;
    double title_at;  // s
} app;

// --- from GLFW -----------------------------------------------------------------------------------------------------

static int key_of(int key) {
    static const struct {
        int glfw;
        int key;
    } table[] = {{GLFW_KEY_ESCAPE, TS_KEY_ESCAPE},
                 {GLFW_KEY_ENTER, TS_KEY_ENTER},
                 {GLFW_KEY_KP_ENTER, TS_KEY_ENTER},
                 {GLFW_KEY_TAB, TS_KEY_TAB},
                 {GLFW_KEY_BACKSPACE, TS_KEY_BACKSPACE},
                 {GLFW_KEY_DELETE, TS_KEY_DELETE},
                 {GLFW_KEY_RIGHT, TS_KEY_RIGHT},
                 {GLFW_KEY_LEFT, TS_KEY_LEFT},
                 {GLFW_KEY_DOWN, TS_KEY_DOWN},
                 {GLFW_KEY_UP, TS_KEY_UP},
                 {GLFW_KEY_PAGE_UP, TS_KEY_PAGE_UP},
                 {GLFW_KEY_PAGE_DOWN, TS_KEY_PAGE_DOWN},
                 {GLFW_KEY_HOME, TS_KEY_HOME},
                 {GLFW_KEY_END, TS_KEY_END},
                 {GLFW_KEY_KP_ADD, '='},
                 {GLFW_KEY_KP_SUBTRACT, '-'}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        if (table[i].glfw == key) return table[i].key;
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return TS_KEY_F1 + key - GLFW_KEY_F1;
    // GLFW numbers printable keys as ASCII does.
    return key >= ' ' && key < 128 ? key : TS_KEY_NONE;
}

static unsigned mods_of(int mods) {
    return (mods & GLFW_MOD_SHIFT ? (unsigned)TS_MOD_SHIFT : 0u) |
           (mods & GLFW_MOD_CONTROL ? (unsigned)TS_MOD_CONTROL : 0u) |
           (mods & GLFW_MOD_ALT ? (unsigned)TS_MOD_ALT : 0u);
}

static ts_event_action action_of(int action) {
    if (action == GLFW_REPEAT) return TS_ACTION_REPEAT;
    return action == GLFW_PRESS ? TS_ACTION_PRESS : TS_ACTION_RELEASE;
}

static void tell(GLFWwindow* window, ts_event event) {
    const app* a = glfwGetWindowUserPointer(window);
    event.time = ts_clock_seconds();
    if (a->session) ts_session_event(a->session, &event);
}

// Where the mouse is in pixels: windows count in points where screens have more of those.
static void place_of(GLFWwindow* window, ts_event* event) {
    int width = 1, height = 1, pixels_wide = 1, pixels_high = 1;
    glfwGetWindowSize(window, &width, &height);
    glfwGetFramebufferSize(window, &pixels_wide, &pixels_high);
    glfwGetCursorPos(window, &event->x, &event->y);
    if (width > 0) event->x *= (double)pixels_wide / (double)width;
    if (height > 0) event->y *= (double)pixels_high / (double)height;
}

static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    (void)scancode;
    ts_event event = {.kind = TS_EVENT_KEY, .code = key_of(key), .action = action_of(action), .mods = mods_of(mods)};
    tell(window, event);
}

static void on_character(GLFWwindow* window, unsigned code) {
    ts_event event = {.kind = TS_EVENT_CHARACTER, .code = (int)code};
    tell(window, event);
}

static void on_button(GLFWwindow* window, int button, int action, int mods) {
    static const int buttons[3] = {TS_BUTTON_LEFT, TS_BUTTON_RIGHT, TS_BUTTON_MIDDLE};
    if (button < 0 || button > 2) return;
    ts_event event = {
        .kind = TS_EVENT_BUTTON, .code = buttons[button], .action = action_of(action), .mods = mods_of(mods)};
    place_of(window, &event);
    tell(window, event);
}

static void on_cursor(GLFWwindow* window, double x, double y) {
    (void)x;
    (void)y;
    ts_event event = {.kind = TS_EVENT_MOVE};
    place_of(window, &event);
    tell(window, event);
}

static void on_scroll(GLFWwindow* window, double dx, double dy) {
    (void)dx;
    ts_event event = {.kind = TS_EVENT_SCROLL, .y = dy};
    tell(window, event);
}

static void on_drop(GLFWwindow* window, int count, const char** paths) {
    if (count < 1) return;
    ts_event event = {.kind = TS_EVENT_DROP, .path = paths[0]};
    tell(window, event);
}

static void on_size(GLFWwindow* window, int width, int height) {
    float scale = 1.0f, unused;
    glfwGetWindowContentScale(window, &scale, &unused);
    ts_event event = {.kind = TS_EVENT_RESIZE, .width = width, .height = height, .scale = (double)scale};
    tell(window, event);
}

static void on_close(GLFWwindow* window) {
    ts_event event = {.kind = TS_EVENT_CLOSE};
    tell(window, event);
}

// --- the loop ------------------------------------------------------------------------------------------------------

static void show_title(app* a, double now) {
    const ts_shadow* shadow = a->session->shadow;
    char title[256];
    if (now - a->title_at < 0.5) return;
    a->session->ui.frames_per_second = (double)a->frames / (now - a->title_at);
    a->title_at = now;
    a->frames = 0;
    snprintf(title, sizeof title, "%.100s - %s%s", a->session->ui.title,
             shadow->sim.solver ? shadow->sim.solver->name : shadow->sim.options.solver,
             shadow->paused ? " - paused" : "");
    glfwSetWindowTitle(a->window, title);
}

static void fill_screen(app* a) {
    if (glfwGetWindowMonitor(a->window)) {
        glfwSetWindowMonitor(a->window, NULL, a->windowed[0], a->windowed[1], a->windowed[2], a->windowed[3], 0);
        return;
    }
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    if (!mode) return;
    glfwGetWindowPos(a->window, &a->windowed[0], &a->windowed[1]);
    glfwGetWindowSize(a->window, &a->windowed[2], &a->windowed[3]);
    glfwSetWindowMonitor(a->window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

static void grant(app* a) {
    ts_wishes* wishes = &a->session->wishes;
    if (wishes->full_screen) fill_screen(a);
    wishes->full_screen = 0;
    if (wishes->clipboard[0]) glfwSetClipboardString(a->window, wishes->clipboard);
    wishes->clipboard[0] = '\0';
}

static ts_code draw(app* a, ts_redraw what, ts_status* out_status) {
    const ts_session* s = a->session;
    ts_code code = what == TS_REDRAW_ALL ? ts_session_draw(a->session, out_status) : TS_OK;
    if (code || s->width < 1 || s->height < 1) return code;
    double now = ts_clock_seconds();
    ts_device_show(a->device, s->left, s->window_height - s->top - s->height);
    ts_session_panels(a->session, now - a->panels_at);
    a->panels_at = now;
    glfwSwapBuffers(a->window);
    ++a->frames;
    return TS_OK;
}

static ts_code loop(app* a, ts_status* out_status) {
    a->title_at = ts_clock_seconds();
    while (!a->session->wishes.over) {
        if (a->request->stop && a->request->stop(a->request->user))
            return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "the window was closed from outside");
        glfwPollEvents();
        double now = ts_clock_seconds();
        ts_redraw what = ts_session_tick(a->session, now);
        grant(a);
        ts_code code = what != TS_REDRAW_NOTHING ? draw(a, what, out_status) : TS_OK;
        if (code) return code;
        if (what == TS_REDRAW_NOTHING) glfwWaitEventsTimeout(idle_time);
        show_title(a, now);
    }
    return ts_status_ok(out_status);
}

// --- opening and closing -------------------------------------------------------------------------------------------

static ts_code glfw_error(const char* what, ts_status* out_status) {
    const char* why = NULL;
    glfwGetError(&why);
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "%s (%s); --png FILE makes a picture without a window", what, why ? why : "no reason given");
}

static ts_code open_window(app* a, ts_status* out_status) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    // The device multisamples itself; the window only receives the finished picture.
    glfwWindowHint(GLFW_SAMPLES, 0);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    a->window = glfwCreateWindow(a->request->width, a->request->height, a->request->scene->name, NULL, NULL);
    if (!a->window) return glfw_error("no window with OpenGL 3.3 can be opened", out_status);
    glfwSetWindowUserPointer(a->window, a);
    glfwSetKeyCallback(a->window, on_key);
    glfwSetCharCallback(a->window, on_character);
    glfwSetMouseButtonCallback(a->window, on_button);
    glfwSetCursorPosCallback(a->window, on_cursor);
    glfwSetScrollCallback(a->window, on_scroll);
    glfwSetDropCallback(a->window, on_drop);
    glfwSetFramebufferSizeCallback(a->window, on_size);
    glfwSetWindowCloseCallback(a->window, on_close);
    glfwMakeContextCurrent(a->window);
    glfwSwapInterval(1);
    return TS_OK;
}

static ts_code first_state(const ts_view_request* request, ts_status* out_status) {
    double left = request->time - request->sim->time;
    if (left > 0.0) return ts_run_scene(request->scene, request->sim, left, NULL, NULL, out_status);
    return request->sim->step_count > 0 ? TS_OK : ts_sim_forward(request->sim, out_status);
}

// Pictures in panels, on the window's own context; without them there are still names and words.
static void open_small_devices(app* a) {
    enum { SAMPLES = 4 };
    ts_status status;
    for (int k = 0; k < 2; ++k)
        if (ts_device_gl_create(glfwGetProcAddress, SAMPLES, TS_DEVICE_GL_FINE, &a->small_device[k], &status)) return;
    a->session->thumbs = ts_thumbs_create(a->small_device[0], ts_scene_count() + ts_experiment_count());
    a->session->stepper_device = a->small_device[1];
}

static ts_code run_in_window(app* a, ts_status* out_status) {
    ts_code code = open_window(a, out_status);
    if (!code) code = first_state(a->request, out_status);
    if (!code)
        code =
            ts_device_gl_create(glfwGetProcAddress, a->request->samples, TS_DEVICE_GL_FITTING, &a->device, out_status);
#ifdef TS_HAVE_PANELS
    float scale = 1.0f, unused;
    if (!code) glfwGetWindowContentScale(a->window, &scale, &unused);
    // Without panels there are still keys.
    if (!code) a->kit = ts_panel_imgui_create((double)scale);
#endif
    if (!code) code = ts_session_open(a->request, a->device, a->kit, 1, &a->session, out_status);
    if (!code && a->kit) open_small_devices(a);
    if (!code) {
        int width, height;
        glfwGetFramebufferSize(a->window, &width, &height);
        on_size(a->window, width, height);
        code = loop(a, out_status);
    }
    // A step that takes long shall not keep a dead window on the screen.
    if (a->window) glfwHideWindow(a->window);
    ts_session_close(a->session);
    if (a->kit) a->kit->ops->destroy(a->kit);
    for (int k = 0; k < 2; ++k) ts_device_destroy(a->small_device[k]);
    ts_device_destroy(a->device);
    if (a->window) glfwDestroyWindow(a->window);
    return code;
}

ts_code ts_window_run(const ts_view_request* request, ts_status* out_status) {
    if (!glfwInit()) return glfw_error("there is no display to open a window on", out_status);
    app a;
    memset(&a, 0, sizeof a);
    a.request = request;
    ts_code code = run_in_window(&a, out_status);
    glfwTerminate();
    return code;
}
