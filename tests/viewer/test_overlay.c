// Claims: every printable character has a shape of its own, text is one rectangle per visible character inside its own
// width, and the panel stays inside pictures of usual sizes.
#include "tests/viewer/viewer_fixture.h"

#include "viewer/font_internal.h"
#include "viewer/overlay.h"
#include "viewer/ui.h"

static const float white[4] = {1.0f, 1.0f, 1.0f, 1.0f};

Test(overlay, characters_differ) {
    for (int a = TS_FONT_FIRST; a < TS_FONT_FIRST + TS_FONT_COUNT; ++a) {
        int dots = 0;
        for (int row = 0; row < TS_FONT_ROWS; ++row) {
            cr_assert(ts_font_rows(a)[row] < 32);
            dots += ts_font_rows(a)[row] != 0;
        }
        cr_assert((dots == 0) == (a == ' '), "'%c'", a);
        for (int b = TS_FONT_FIRST; b < a; ++b)
            cr_assert(memcmp(ts_font_rows(a), ts_font_rows(b), TS_FONT_ROWS) != 0, "'%c' looks like '%c'", a, b);
    }
    cr_assert(ts_font_rows(200) == ts_font_rows('?'));
}

Test(overlay, text_is_one_rectangle_per_character) {
    ts_overlay overlay;
    memset(&overlay, 0, sizeof overlay);
    ts_overlay_begin(&overlay, 720);
    double width = ts_overlay_add_text(&overlay, 10.0, 20.0, "a b\x80", white);
    cr_assert(overlay.quads.count == 3);
    cr_assert(overlay.quads.data[0].character == 'a' && overlay.quads.data[1].character == 'b');
    cr_assert(overlay.quads.data[2].character == '?');
    for (int i = 0; i < 3; ++i) {
        const ts_overlay_quad* q = &overlay.quads.data[i];
        cr_assert((double)q->x >= 10.0 && (double)(q->x + q->width) <= 10.0 + width);
        if (i) cr_assert(q->x >= overlay.quads.data[i - 1].x + overlay.quads.data[i - 1].width);
    }
    cr_assert(fabs(ts_overlay_text_width(&overlay, "abcd") - width) < 1e-9);
    ts_overlay_begin(&overlay, 720);
    cr_assert(overlay.quads.count == 0);
    ts_overlay_free(&overlay);
}

Test(overlay, the_panel_stays_inside_the_picture) {
    static const int sizes[][2] = {{640, 360}, {800, 600}, {1280, 720}, {1920, 1080}, {3840, 2160}};
    ts_builder* builder = fixture_floor(0.5);
    fixture_body(builder, ts_shape_sphere(0.1), ts_vec3_make(0, 0, 0.1), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder);
    ts_ui ui;
    memset(&ui, 0, sizeof ui);
    ui.scene = "test";
    ui.window = ui.help = ui.legend = 1;
    ui.speed = 1.0;
    memcpy(ui.message, "hello", 6);
    ts_overlay overlay;
    memset(&overlay, 0, sizeof overlay);
    for (int step = 0; step < 2 * TS_UI_HISTORY; ++step) {
        fixture_run(&f, 1);
        ts_ui_note_step(&ui, f.sim);
    }
    cr_assert(ui.history_count == TS_UI_HISTORY);
    for (int s = 0; s < 5; ++s) {
        ts_ui_fill(&ui, f.sim, sizes[s][0], sizes[s][1], &overlay);
        cr_assert(overlay.quads.count > 2 * TS_UI_HISTORY && !overlay.failed);
        for (int i = 0; i < overlay.quads.count; ++i) {
            const ts_overlay_quad* q = &overlay.quads.data[i];
            cr_assert(q->x >= 0.0f && q->x + q->width <= (float)sizes[s][0], "%d: x %g + %g", sizes[s][0], (double)q->x,
                      (double)q->width);
            cr_assert(q->y >= 0.0f && q->y + q->height <= (float)sizes[s][1], "%d: y %g + %g", sizes[s][1],
                      (double)q->y, (double)q->height);
        }
    }
    ts_overlay_free(&overlay);
    fixture_end(&f);
}
