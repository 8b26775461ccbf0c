// Problem: a window in which a running simulation can be looked at, paused, stepped, rewound and re-solved. Rule: callbacks
// only note what was asked; the loop then steps as many times as the wall clock owes, but never longer than a picture may
// take, and draws. Guaranteed: stepping is that of the headless runner; a failed step pauses and says why. Known to fail:
// a scene whose single step takes longer than a second answers the mouse as slowly.
#include "viewer/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "base/clock.h"
#include "engine/step/step.h"
#include "scenes/run.h"
#include "viewer/capture.h"
#include "viewer/device_gl.h"
#include "viewer/playback.h"
#include "viewer/ui.h"
#include "viewer/view.h"

// s: the longest a picture may wait for steps.
static const double step_budget = 0.040;
// s: how long a message stays.
static const double message_time = 4.0;
// Bytes kept for going back.
static const unsigned long history_bytes = 64ul << 20;

typedef struct app {
    const ts_view_request* request;
    ts_sim* sim;
    GLFWwindow* window;
    ts_view view;
    ts_ui ui;
    ts_overlay overlay;
    ts_playback playback;
    ts_history history;
    int width, height;  // framebuffer, pixels
    int drag;           // mouse button that is down, or -1
    int drag_pans;
    double mouse_x, mouse_y;
    double last_click;     // s
    double message_until;  // s
    int steps_back;
    int want_reset;
    int want_picture;
} app;

static double aspect(const app* a) { return (double)a->width / (double)(a->height > 0 ? a->height : 1); }

static void aim_at_scene(app* a) { ts_view_frame_scene(&a->view, a->width, a->height, a->ui.panel); }

static void say(app* a, const char* text) {
    strncpy(a->ui.message, text, sizeof a->ui.message - 1);
    a->ui.message[sizeof a->ui.message - 1] = '\0';
    a->message_until = ts_clock_seconds() + message_time;
}

static void say_status(app* a, const ts_status* status) {
    char text[sizeof a->ui.message];
    ts_status_format(status, text, sizeof text);
    say(a, text);
}

// --- what keys ask for ---------------------------------------------------------------------------------------------

static void change_solver(app* a, int direction) {
    int count = ts_solver_count();
    int present = -1;
    for (int i = 0; i < count; ++i)
        if (ts_solver_at(i) == a->sim->solver) present = i;
    if (count < 1) return;
    const ts_solver* next = ts_solver_at((present + direction + count) % count);
    ts_status status;
    if (ts_sim_set_solver(a->sim, next->name, &status))
        say_status(a, &status);
    else
        say(a, next->summary);
}

// Keys that only switch something on or off; returns 0 for others.
static int toggle_key(app* a, int key) {
    switch (key) {
    case GLFW_KEY_C: a->view.show ^= TS_SHOW_CONTACTS; return 1;
    case GLFW_KEY_V: a->view.show ^= TS_SHOW_FORCES; return 1;
    case GLFW_KEY_K: a->view.show ^= TS_SHOW_CONES; return 1;
    case GLFW_KEY_B: a->view.show ^= TS_SHOW_FRAMES; return 1;
    case GLFW_KEY_M: a->view.show ^= TS_SHOW_CENTRES; return 1;
    case GLFW_KEY_T: a->view.show ^= TS_SHOW_GLASS; return 1;
    case GLFW_KEY_X: a->view.show ^= TS_SHOW_COLLISION; return 1;
    case GLFW_KEY_G: a->view.show ^= TS_SHOW_GRID; return 1;
    case GLFW_KEY_W: a->view.wireframe = !a->view.wireframe; return 1;
    case GLFW_KEY_L: a->ui.legend = !a->ui.legend; return 1;
    case GLFW_KEY_F2: a->ui.panel = !a->ui.panel; return 1;
    case GLFW_KEY_H:
    case GLFW_KEY_F1: a->ui.help = !a->ui.help; return 1;
    default: return 0;
    }
}

static void action_key(app* a, int key, int modifiers) {
    switch (key) {
    case GLFW_KEY_ESCAPE: glfwSetWindowShouldClose(a->window, GLFW_TRUE); break;
    case GLFW_KEY_Q:
        if (modifiers & GLFW_MOD_CONTROL) glfwSetWindowShouldClose(a->window, GLFW_TRUE);
        break;
    case GLFW_KEY_SPACE: a->playback.paused = !a->playback.paused; break;
    case GLFW_KEY_RIGHT:
    case GLFW_KEY_S:
        a->playback.paused = 1;
        ++a->playback.single_steps;
        break;
    case GLFW_KEY_LEFT:
    case GLFW_KEY_A:
        a->playback.paused = 1;
        ++a->steps_back;
        break;
    case GLFW_KEY_R:
    case GLFW_KEY_BACKSPACE: a->want_reset = 1; break;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD: ts_playback_change_speed(&a->playback, 1); break;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT: ts_playback_change_speed(&a->playback, -1); break;
    case GLFW_KEY_TAB: change_solver(a, modifiers & GLFW_MOD_SHIFT ? -1 : 1); break;
    case GLFW_KEY_RIGHT_BRACKET: change_solver(a, 1); break;
    case GLFW_KEY_LEFT_BRACKET: change_solver(a, -1); break;
    case GLFW_KEY_F: aim_at_scene(a); break;
    case GLFW_KEY_O: ts_view_frame_body(&a->view, a->request->scene->focus, aspect(a)); break;
    case GLFW_KEY_P: a->want_picture = 1; break;
    default: break;
    }
}

static void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    app* a = glfwGetWindowUserPointer(window);
    (void)scancode;
    if (action == GLFW_RELEASE) return;
    if (action == GLFW_PRESS && !(modifiers & GLFW_MOD_CONTROL) && toggle_key(a, key)) return;
    // Held down, only steps, speed and solvers repeat.
    int repeats = key == GLFW_KEY_RIGHT || key == GLFW_KEY_LEFT || key == GLFW_KEY_S || key == GLFW_KEY_A;
    if (action == GLFW_PRESS || repeats) action_key(a, key, modifiers);
}

// --- the mouse -----------------------------------------------------------------------------------------------------

static void on_button(GLFWwindow* window, int button, int action, int modifiers) {
    app* a = glfwGetWindowUserPointer(window);
    if (action == GLFW_RELEASE) {
        if (button == a->drag) a->drag = -1;
        return;
    }
    if (a->drag >= 0) return;
    a->drag = button;
    a->drag_pans = button != GLFW_MOUSE_BUTTON_LEFT || (modifiers & GLFW_MOD_SHIFT);
    glfwGetCursorPos(window, &a->mouse_x, &a->mouse_y);
    if (button == GLFW_MOUSE_BUTTON_LEFT) {
        double now = ts_clock_seconds();
        if (now - a->last_click < 0.35) aim_at_scene(a);
        a->last_click = now;
    }
}

static void on_cursor(GLFWwindow* window, double x, double y) {
    app* a = glfwGetWindowUserPointer(window);
    if (a->drag < 0) return;
    int height = 1;
    glfwGetWindowSize(window, NULL, &height);
    if (a->drag_pans)
        ts_camera_pan(&a->view.camera, x - a->mouse_x, y - a->mouse_y, height);
    else
        ts_camera_orbit(&a->view.camera, x - a->mouse_x, y - a->mouse_y, height);
    a->mouse_x = x;
    a->mouse_y = y;
}

static void on_scroll(GLFWwindow* window, double dx, double dy) {
    app* a = glfwGetWindowUserPointer(window);
    (void)dx;
    ts_camera_zoom(&a->view.camera, dy);
}

// --- the loop ------------------------------------------------------------------------------------------------------

static void fail(app* a, const ts_status* status) {
    a->playback.paused = 1;
    say_status(a, status);
}

static void reset(app* a) {
    ts_status status;
    a->want_reset = 0;
    ts_sim_reset(a->sim);
    ts_history_clear(&a->history);
    ts_ui_clear(&a->ui);
    a->playback.owed = 0.0;
    if (ts_sim_forward(a->sim, &status)) fail(a, &status);
}

static void advance(app* a, double elapsed) {
    ts_status status;
    if (a->want_reset) reset(a);
    for (; a->steps_back > 0; --a->steps_back)
        if (ts_history_back(&a->history, a->request->scene, a->sim, &status)) {
            fail(a, &status);
            a->steps_back = 0;
            return;
        }
    double start = ts_clock_seconds();
    int due = ts_playback_due(&a->playback, elapsed, a->sim->options.time_step);
    for (int i = 0; i < due && ts_clock_seconds() - start < step_budget; ++i) {
        if (ts_history_step(&a->history, a->request->scene, a->sim, &status)) {
            fail(a, &status);
            return;
        }
        ts_ui_note_step(&a->ui, a->sim);
    }
}

static void take_picture(app* a) {
    a->want_picture = 0;
    char path[256];
    ts_status status;
    // A title is a name and perhaps the file in parentheses; the name, fit for a file, is enough here.
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(a->ui.title, "("), a->ui.title);
    for (size_t i = strlen(name); i > 0 && name[i - 1] == ' ';) name[--i] = '\0';
    for (char* c = name; *c; ++c)
        if (strchr(" /\\:", *c)) *c = '-';
    snprintf(path, sizeof path, "%s-%06lld.png", name, a->sim->step_count);
    if (ts_capture_device(a->view.device, a->width, a->height, path, &status)) {
        say_status(a, &status);
        return;
    }
    char text[300];
    snprintf(text, sizeof text, "saved %s", path);
    say(a, text);
}

static void show_title(app* a) {
    char title[256];
    snprintf(title, sizeof title, "%.100s - %s - %.0f fps%s", a->ui.title,
             a->sim->solver ? a->sim->solver->name : a->sim->options.solver, a->ui.frames_per_second,
             a->playback.paused ? " - paused" : "");
    glfwSetWindowTitle(a->window, title);
}

static ts_code draw(app* a, ts_status* out_status) {
    glfwGetFramebufferSize(a->window, &a->width, &a->height);
    if (a->width < 1 || a->height < 1) return TS_OK;  // minimised
    a->ui.paused = a->playback.paused;
    a->ui.speed = a->playback.speed;
    if (ts_clock_seconds() > a->message_until) a->ui.message[0] = '\0';
    ts_ui_fill(&a->ui, a->sim, a->width, a->height, &a->overlay);
    ts_code code = ts_view_draw(&a->view, a->width, a->height, &a->overlay, out_status);
    if (code) return code;
    if (a->want_picture) take_picture(a);
    ts_device_show(a->view.device, a->width, a->height);
    glfwSwapBuffers(a->window);
    return TS_OK;
}

static ts_code loop(app* a, ts_status* out_status) {
    double last = ts_clock_seconds();
    double title_at = last;
    int frames = 0;
    while (!glfwWindowShouldClose(a->window)) {
        if (a->request->stop && a->request->stop(a->request->user))
            return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "the window was closed from outside");
        glfwPollEvents();
        double now = ts_clock_seconds();
        advance(a, now - last);
        last = now;
        ts_code code = draw(a, out_status);
        if (code) return code;
        ++frames;
        if (now - title_at > 0.5) {
            a->ui.frames_per_second = (double)frames / (now - title_at);
            show_title(a);
            title_at = now;
            frames = 0;
        }
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
    a->window = glfwCreateWindow(a->request->width, a->request->height, a->ui.title, NULL, NULL);
    if (!a->window) return glfw_error("no window with OpenGL 3.3 can be opened", out_status);
    glfwSetWindowUserPointer(a->window, a);
    glfwSetKeyCallback(a->window, on_key);
    glfwSetMouseButtonCallback(a->window, on_button);
    glfwSetCursorPosCallback(a->window, on_cursor);
    glfwSetScrollCallback(a->window, on_scroll);
    glfwMakeContextCurrent(a->window);
    glfwSwapInterval(1);
    return TS_OK;
}

static ts_code first_state(app* a, ts_status* out_status) {
    double left = a->request->time - a->sim->time;
    if (left > 0.0) return ts_run_scene(a->request->scene, a->sim, left, NULL, NULL, out_status);
    return a->sim->step_count > 0 ? TS_OK : ts_sim_forward(a->sim, out_status);
}

static ts_code run_in_window(app* a, ts_status* out_status) {
    ts_device* device = NULL;
    ts_code code = open_window(a, out_status);
    if (!code) code = first_state(a, out_status);
    if (!code)
        code = ts_device_gl_create(glfwGetProcAddress, a->request->samples, TS_DEVICE_GL_FITTING, &device, out_status);
    if (!code) code = ts_history_open(&a->history, a->sim, history_bytes, out_status);
    if (!code) {
        code = ts_view_open(&a->view, a->sim, device, out_status);
        a->view.show = a->request->show;
        glfwGetFramebufferSize(a->window, &a->width, &a->height);
        ts_view_aim(&a->view, a->request->camera, a->width, a->height, a->ui.panel);
    }
    if (!code) code = loop(a, out_status);
    ts_view_close(&a->view);
    ts_history_free(&a->history);
    ts_overlay_free(&a->overlay);
    ts_device_destroy(device);
    if (a->window) glfwDestroyWindow(a->window);
    return code;
}

ts_code ts_window_run(const ts_view_request* request, ts_status* out_status) {
    if (!glfwInit()) return glfw_error("there is no display to open a window on", out_status);
    app* a = calloc(1, sizeof *a);
    ts_code code;
    if (!a) {
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a window");
    } else {
        a->request = request;
        a->sim = request->sim;
        a->playback.speed = request->speed > 0.0 ? request->speed : 1.0;
        a->playback.paused = request->paused;
        a->drag = -1;
        a->last_click = -1.0;
        a->ui.panel = request->overlay;
        ts_ui_set_title(&a->ui, request->scene);
        a->ui.window = 1;
        a->ui.legend = 1;
        code = run_in_window(a, out_status);
        free(a);
    }
    glfwTerminate();
    return code;
}
