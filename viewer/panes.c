// Problem: compare what several contact models make of one scene, at the same moment and from the same side. Rule: one camera; panes are cut
// equal, so that lengths can be compared across them; ghosts are glass in the colour of their simulation over the chosen one, which alone
// keeps its contacts. A card says what is left unmet of either law, what contacts do and how far bodies are from the first simulation.
// Guaranteed: every look is drawn once; the first frame of a picture begins it. Known to fail: from nine panes on a small picture the cards
// hide much; they are left out where a pane is less than 160 pixels wide.
#include "viewer/panes_internal.h"

#include "scenes/scene_look.h"
#include "viewer/ui_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 3, NARROWEST = 160 };  // pixels

static const float run_color[9][4] = {
    {0.00f, 0.45f, 0.70f, 1.0f}, {0.84f, 0.37f, 0.00f, 1.0f}, {0.00f, 0.62f, 0.45f, 1.0f},
    {0.80f, 0.47f, 0.65f, 1.0f}, {0.90f, 0.62f, 0.00f, 1.0f}, {0.34f, 0.71f, 0.91f, 1.0f},
    {0.60f, 0.55f, 0.00f, 1.0f}, {0.48f, 0.32f, 0.58f, 1.0f}, {0.33f, 0.37f, 0.44f, 1.0f},
};

const float* ts_panes_color(int i) { return run_color[i % 9]; }

ts_panes ts_panes_cut(int count, int width, int height) {
    ts_panes best = {count, 1, 1, width, height, width, height};
    double largest = -1.0;
    for (int columns = 1; columns <= count; ++columns) {
        int rows = (count + columns - 1) / columns;
        ts_panes panes = {
            count, columns, rows, (width - (columns - 1) * GAP) / columns, (height - (rows - 1) * GAP) / rows,
            width, height};
        // By the largest scene four wide and three high that fits.
        double size = fmin((double)panes.width / 4.0, (double)panes.height / 3.0);
        if (size <= largest) continue;
        largest = size;
        best = panes;
    }
    if (best.width < 1) best.width = 1;
    if (best.height < 1) best.height = 1;
    return best;
}

ts_device_place ts_panes_place(const ts_panes* panes, int i) {
    ts_device_place place = {i % panes->columns * (panes->width + GAP), i / panes->columns * (panes->height + GAP),
                             panes->whole_width, panes->whole_height, i > 0};
    return place;
}

int ts_panes_at(const ts_panes* panes, double x, double y) {
    for (int i = 0; i < panes->count; ++i) {
        ts_device_place place = ts_panes_place(panes, i);
        double dx = x - (double)place.left, dy = y - (double)place.top;
        if (dx >= 0.0 && dy >= 0.0 && dx < (double)panes->width && dy < (double)panes->height) return i;
    }
    return -1;
}

double ts_panes_distance(const ts_sim* sim, const ts_sim* other) {
    double most = 0.0;
    for (int b = 1; b < sim->model->body_count; ++b) {
        double d = ts_vec3_distance(sim->kinematics.body_centre[b], other->kinematics.body_centre[b]);
        if (!(d <= most)) most = d;
    }
    return most;
}

// --- cards -----------------------------------------------------------------------------------------------------------

static void count_modes(const ts_panes_look* look, int out_count[TS_MODE_COUNT]) {
    ts_arena arena = {0};
    memset(out_count, 0, TS_MODE_COUNT * sizeof *out_count);
    const ts_contact_mode* mode = look->facts ? look->facts->mode : ts_certify_contacts(look->sim, &arena);
    for (int c = 0; mode && c < look->sim->contact_count; ++c) ++out_count[mode[c]];
    ts_arena_free(&arena);
}

// Lines of a card: name, laws, contacts, distance or what went wrong.
enum { CARD_LINES = 4, CARD_TEXT = 96 };

static int card_text(const ts_panes_picture* p, int i, char text[CARD_LINES][CARD_TEXT]) {
    const ts_panes_look* look = &p->look[i];
    const ts_sim* sim = look->sim;
    const ts_sim* first = p->look[0].sim;
    int count[TS_MODE_COUNT], n = 0;
    snprintf(text[n++], CARD_TEXT, "%.90s", look->name);
    if (sim->info.row_count > 0)
        snprintf(text[n++], CARD_TEXT, "own law %.0e  exact %.0e", sim->info.unmet, sim->info.residual.natural);
    else
        snprintf(text[n++], CARD_TEXT, "nothing to solve");
    if (look->fault) {
        snprintf(text[n++], CARD_TEXT, "stopped at %.4g s: %.60s", sim->time, look->fault);
        return n;
    }
    count_modes(look, count);
    snprintf(text[n++], CARD_TEXT, "%d stick, %d slide, %d violated", count[TS_MODE_STICK], count[TS_MODE_SLIDE],
             count[TS_MODE_VIOLATED]);
    double apart = 0.51 * fmax(sim->options.time_step, first->options.time_step);
    if (fabs(sim->time - first->time) > apart)
        snprintf(text[n++], CARD_TEXT, "at %.4g s, not %.4g s", sim->time, first->time);
    else if (i > 0)
        snprintf(text[n++], CARD_TEXT, "%.2g m from the first", ts_panes_distance(sim, first));
    return n;
}

// Draws a card with its upper left corner there; returns its height.
static double add_card(const ts_panes_picture* p, int i, double x, double y, ts_overlay* overlay) {
    static const float back[4] = {0.07f, 0.09f, 0.12f, 0.72f}, back_chosen[4] = {0.07f, 0.09f, 0.12f, 0.90f},
                       title[4] = {1.0f, 1.0f, 1.0f, 1.0f}, plain[4] = {0.84f, 0.87f, 0.91f, 1.0f},
                       bad[4] = {1.0f, 0.62f, 0.45f, 1.0f};
    char text[CARD_LINES][CARD_TEXT];
    int n = card_text(p, i, text);
    double s = overlay->unit, line = ts_overlay_line_height(overlay), width = 0.0;
    for (int k = 0; k < n; ++k) width = fmax(width, ts_overlay_text_width(overlay, text[k]));
    int chosen = p->count > 1 && i == p->chosen;
    double height = (double)n * line + 6.0 * s;
    ts_overlay_add_rectangle(overlay, x, y, width + 14.0 * s, height, chosen ? back_chosen : back);
    ts_overlay_add_rectangle(overlay, x, y, chosen ? 5.0 * s : 3.0 * s, height, ts_panes_color(i));
    for (int k = 0; k < n; ++k) {
        const float* color = k == 0 ? title : (p->look[i].fault && k == n - 1 ? bad : plain);
        ts_overlay_add_text(overlay, x + 8.0 * s, y + 3.0 * s + (double)k * line, text[k], color);
    }
    return height;
}

static void begin_words(const ts_panes_picture* p, int pane_width, int pane_height, ts_overlay* overlay) {
    ts_overlay_begin(overlay, p->height);
    // Cards take up a third of a pane's width or so.
    double most = fmin((double)pane_width / 55.0, (double)pane_height / 24.0);
    ts_overlay_set_size(overlay, fmin(7.0 * overlay->unit, fmax(7.0, most)));
}

// --- drawing ---------------------------------------------------------------------------------------------------------

static ts_view_layer layer_of(const ts_panes_look* look) {
    ts_view_layer layer = {look->sim, {0.0, 0.0, 0.0}, NULL, NULL, TS_VIEW_PLAIN, look->facts};
    return layer;
}

static void show_only(ts_view* view, const ts_panes_look* look) {
    view->sim = look->sim;
    view->layer[0] = layer_of(look);
    view->layer_count = 1;
}

static ts_code draw_panes(const ts_panes_picture* p, ts_view* view, ts_overlay* overlay, ts_status* out_status) {
    ts_panes panes = ts_panes_cut(p->count, p->width, p->height);
    int selected = view->selected, spring = view->spring.shown;
    ts_code code = TS_OK;
    for (int i = 0; i < p->count && !code; ++i) {
        ts_device_place place = ts_panes_place(&panes, i);
        show_only(view, &p->look[i]);
        view->spring.shown = spring && i == p->chosen;
        begin_words(p, panes.width, panes.height, overlay);
        double margin = 5.0 * overlay->unit;
        if (p->cards && panes.width >= NARROWEST) (void)add_card(p, i, margin, margin, overlay);
        if (p->words) p->words(p->user, i, overlay);
        code = ts_view_draw_pane(view, panes.width, panes.height, &place, overlay, out_status);
    }
    view->selected = selected;
    view->spring.shown = spring;
    return code;
}

static ts_code draw_ghosts(const ts_panes_picture* p, ts_view* view, ts_overlay* overlay, ts_status* out_status) {
    ts_device_place whole = {0, 0, p->width, p->height, 0};
    show_only(view, &p->look[p->chosen]);
    view->layer[0].color = ts_panes_color(p->chosen);
    for (int i = 0; i < p->count; ++i) {
        if (i == p->chosen) continue;
        ts_view_layer layer = layer_of(&p->look[i]);
        layer.color = ts_panes_color(i);
        layer.ghost = TS_VIEW_GLASS;
        ts_view_add_layer(view, layer);
    }
    begin_words(p, p->width / 2, p->height, overlay);
    double margin = 5.0 * overlay->unit, y = margin;
    for (int i = 0; i < p->count && p->cards; ++i) y += add_card(p, i, margin, y, overlay) + 0.5 * margin;
    if (p->words) p->words(p->user, p->chosen, overlay);
    return ts_view_draw_pane(view, p->width, p->height, &whole, overlay, out_status);
}

ts_code ts_panes_draw(const ts_panes_picture* picture, ts_view* view, ts_overlay* overlay, ts_status* out_status) {
    ts_code code = picture->ghosts ? draw_ghosts(picture, view, overlay, out_status)
                                   : draw_panes(picture, view, overlay, out_status);
    show_only(view, &picture->look[picture->chosen]);
    return code;
}
