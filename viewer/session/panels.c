// Problem: everything that can be changed is to be found without a manual. Rule: menus come from the table of commands, sliders from the tables
// of solvers, integrators and options, so that what is added there is here. Guaranteed: whatever is done here is asked of the worker as a key
// would ask.
#include "viewer/session/panels_internal.h"

#include "viewer/session/command_internal.h"

#include <math.h>
#include <string.h>

static void menus(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    char key[48];
    for (int i = 0; i < ts_command_count();) {
        const char* group = ts_command_at(i)->group;
        int open = ops->menu_begin(s->kit, group);
        for (; i < ts_command_count() && strcmp(ts_command_at(i)->group, group) == 0; ++i) {
            const ts_command* command = ts_command_at(i);
            if (!open) continue;
            int on = command->is_on ? command->is_on(s, command->argument) : -1;
            ts_command_key_text(command, key, sizeof key);
            if (ops->menu_item(s->kit, command->name, key, on)) ts_command_run(s, command);
        }
        if (open) ops->menu_end(s->kit);
    }
}

// What of the window the panels cover: left, top, right, bottom, pixels.
static void measure(const ts_session* s, double out_inset[4]) {
    double line = s->kit->ops->size(s->kit), wide = floor(20.0 * line);
    if (wide > 0.28 * (double)s->window_width) wide = floor(0.28 * (double)s->window_width);
    out_inset[0] = s->panels.left ? wide : 0.0;
    out_inset[1] = floor(1.3 * line);
    out_inset[2] = s->panels.right || s->panels.sensors ? wide : 0.0;
    out_inset[3] = s->panels.charts ? ts_panel_charts_height(s) : 0.0;
}

void ts_session_layout(ts_session* session) {
    ts_session* s = session;
    double inset[4] = {0.0, 0.0, 0.0, 0.0};
    if (s->kit) measure(s, inset);
    int width = s->window_width - (int)(inset[0] + inset[2]), height = s->window_height - (int)(inset[1] + inset[3]);
    s->left = (int)inset[0];
    s->top = (int)inset[1];
    int before[3] = {s->width, s->height, s->pane_width};
    s->width = width > 0 ? width : 0;
    s->height = height > 0 ? height : 0;
    ts_panes panes = ts_session_cut(s);
    s->pane_width = panes.width;
    s->pane_height = panes.height;
    if (before[0] != s->width || before[1] != s->height || before[2] != s->pane_width) s->dirty = 1;
}

ts_panes ts_session_cut(const ts_session* session) {
    int count = session->shadow && !session->ghosts ? session->shadow->look_count : 1;
    return ts_panes_cut(count, session->width, session->height);
}

void ts_session_panels(ts_session* session, double seconds) {
    ts_session* s = session;
    if (!s->kit || s->window_width < 1 || s->window_height < 1) return;
    const ts_kit_ops* ops = s->kit->ops;
    double inset[4];
    ops->begin(s->kit, s->window_width, s->window_height, s->view.dark, seconds);
    measure(s, inset);
    menus(s);
    double high = (double)s->window_height - inset[1] - inset[3];
    const double left[4] = {0.0, inset[1], inset[0], high};
    const double right[4] = {(double)s->window_width - inset[2], inset[1], inset[2], high};
    const double below[4] = {0.0, (double)s->window_height - inset[3], (double)s->window_width, inset[3]};
    if (inset[0] > 0.0) {
        if (ops->panel_begin(s->kit, "settings", left)) ts_panel_settings(s);
        ops->panel_end(s->kit);
    }
    if (inset[2] > 0.0) {
        if (ops->panel_begin(s->kit, "body", right)) ts_panel_body(s);
        ops->panel_end(s->kit);
    }
    if (inset[3] > 0.0) {
        if (ops->panel_begin(s->kit, "charts", below)) ts_panel_charts(s);
        ops->panel_end(s->kit);
    }
    ops->end(s->kit);
    if (s->panels_dirty > 0) --s->panels_dirty;
}
