// Claims: every character has a shape of its own inside its place, letters that should be symmetrical are, text is one rectangle per visible character inside its own
// width, and the panel stays inside pictures of usual sizes.
#include "tests/viewer/viewer_fixture.h"

#include <stdlib.h>

#include "viewer/font_internal.h"
#include "viewer/overlay.h"
#include "viewer/session/command_internal.h"
#include "viewer/ui.h"

static const float white[4] = {1.0f, 1.0f, 1.0f, 1.0f};

enum { CELL_COLUMNS = TS_FONT_CELL_WIDTH * TS_FONT_TEXELS, CELL_ROWS = TS_FONT_CELL_HEIGHT * TS_FONT_TEXELS };

static unsigned char field[TS_FONT_FIELD_HEIGHT][TS_FONT_FIELD_WIDTH];

// How far texel (row, column) of a character's place is from its strokes, in 255ths of the reach.
static int away(int character, int row, int column) {
    int place = character - TS_FONT_FIRST;
    return field[place / TS_FONT_CELLS * CELL_ROWS + row][place % TS_FONT_CELLS * CELL_COLUMNS + column];
}

// Texels where one character has ink and the other has none even nearby.
static int ink_alone(int character, int other) {
    int count = 0;
    for (int row = 0; row < CELL_ROWS; ++row)
        for (int column = 0; column < CELL_COLUMNS; ++column)
            count += away(character, row, column) < 70 && away(other, row, column) > 100;
    return count;
}

Test(overlay, characters_differ) {
    ts_font_fill(&field[0][0]);
    for (int a = TS_FONT_FIRST; a < TS_FONT_FIRST + TS_FONT_COUNT; ++a) {
        cr_expect((ink_alone(a, ' ') == 0) == (a == ' '), "'%c'", a);
        for (int b = TS_FONT_FIRST; b < a; ++b)
            cr_expect(ink_alone(a, b) + ink_alone(b, a) > 10, "'%c' looks like '%c'", a, b);
    }
    cr_expect(ts_font_advance(200) == ts_font_advance('?'));
}

Test(overlay, characters_stay_in_their_place) {
    ts_font_fill(&field[0][0]);
    int half_stroke = (int)(255.0 * 0.5 * ts_font_stroke / ts_font_reach);
    for (int c = TS_FONT_FIRST; c < TS_FONT_FIRST + TS_FONT_COUNT; ++c)
        for (int row = 0; row < CELL_ROWS; ++row)
            for (int column = 0; column < CELL_COLUMNS; ++column) {
                double x = (column + 0.5) / TS_FONT_TEXELS;
                int inside = row > 0 && row < CELL_ROWS - 1 && x > 0.1 && x < ts_font_advance(c) - 0.1;
                cr_expect(inside || away(c, row, column) > half_stroke, "'%c' at %d, %d", c, row, column);
            }
}

// Letters that are their own mirror image show a slip of the pen.
Test(overlay, symmetrical_letters_are_symmetrical) {
    ts_font_fill(&field[0][0]);
    for (const char* c = "AHIMOTUVWXYovwx08!|+-=^_:.*\"'"; *c; ++c) {
        int columns = (int)floor(ts_font_advance(*c) * TS_FONT_TEXELS + 0.5);
        for (int row = 0; row < CELL_ROWS; ++row)
            for (int column = 0; column < columns; ++column) {
                int difference = away(*c, row, column) - away(*c, row, columns - 1 - column);
                cr_expect(abs(difference) <= 255 / TS_FONT_TEXELS, "'%c' at %d, %d: %d", *c, row, column, difference);
            }
    }
}

Test(overlay, text_is_one_rectangle_per_character) {
    ts_overlay overlay;
    memset(&overlay, 0, sizeof overlay);
    ts_overlay_begin(&overlay, 720);
    double width = ts_overlay_add_text(&overlay, 10.0, 20.0, "a b\x80\xC2\xB5", white);
    cr_assert(overlay.quads.count == 4);
    cr_assert(overlay.quads.data[0].character == 'a' && overlay.quads.data[1].character == 'b');
    cr_assert(overlay.quads.data[2].character == '?' && overlay.quads.data[3].character == TS_FONT_MICRO);
    for (int i = 0; i < 4; ++i) {
        const ts_overlay_quad* q = &overlay.quads.data[i];
        // A rectangle has half a character's distance to its neighbours in it.
        cr_assert((double)q->x > 10.0 - overlay.unit && (double)(q->x + q->width) < 10.01 + width);
        if (i) cr_assert(q->x >= overlay.quads.data[i - 1].x + overlay.quads.data[i - 1].width - 0.01f);
    }
    cr_assert(fabs(ts_overlay_text_width(&overlay, "a b?\xC2\xB5") - width) < 1e-9);
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
    ts_ui_set_title(&ui, &f.scene);
    ui.panel = ui.window = ui.legend = 1;
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
        if (sizes[s][0] >= 800) ts_command_help(sizes[s][0], sizes[s][1], &overlay);
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

// The characters of an overlay in the order they were added, spaces left out.
static void letters_of(const ts_overlay* overlay, char out_letters[4096]) {
    int n = 0;
    for (int i = 0; i < overlay->quads.count && n < 4095; ++i)
        if (overlay->quads.data[i].character) out_letters[n++] = (char)overlay->quads.data[i].character;
    out_letters[n] = 0;
}

// Without the panel, help still says how to get it back.
Test(overlay, help_is_there_without_the_panel_and_names_its_key) {
    fixture f = fixture_start(fixture_floor(0.5));
    ts_ui ui;
    ts_overlay overlay;
    char letters[4096];
    memset(&ui, 0, sizeof ui);
    memset(&overlay, 0, sizeof overlay);
    ts_ui_set_title(&ui, &f.scene);
    ui.window = ui.legend = 1;
    ts_ui_fill(&ui, f.sim, 1280, 720, &overlay);
    cr_expect_eq(overlay.quads.count, 0);
    ts_command_help(1280.0, 720.0, &overlay);
    letters_of(&overlay, letters);
    cr_expect(strstr(letters, "F2figures") && strstr(letters, "F1thishelp"), "%s", letters);
    cr_expect_null(strstr(letters, "solver("), "%s", letters);
    ts_overlay_free(&overlay);
    fixture_end(&f);
}

Test(overlay, robots_are_titled_by_their_name_and_folder) {
    ts_builder* builder = ts_builder_create("panda scene");
    fixture f = fixture_start(builder);
    ts_ui ui;
    memset(&ui, 0, sizeof ui);
    memcpy(f.scene.name, "franka_emika_panda/scene.xml", 29);
    ts_ui_set_title(&ui, &f.scene);
    cr_expect_str_eq(ui.title, "panda scene (franka_emika_panda/scene.xml)");
    memcpy(f.scene.name, "stack-10", 9);
    ts_ui_set_title(&ui, &f.scene);
    cr_expect_str_eq(ui.title, "stack-10");
    fixture_end(&f);
}

// Contrast by the rule of the web's guidelines: of relative luminances, with 0.05 for stray light.
static double luminance(const float rgb[3]) {
    static const double share[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        double v = (double)rgb[c];
        sum += share[c] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

Test(overlay, readable_colours_show_on_light_and_dark_pages) {
    static const float page[2][3] = {{1.0f, 1.0f, 1.0f}, {0.114f, 0.129f, 0.149f}};
    double light = luminance(page[0]) + 0.05, dark = luminance(page[1]) + 0.05;
    for (int i = 0; i < 8; ++i) {
        float asked[3] = {i & 1 ? 1.0f : 0.05f, i & 2 ? 1.0f : 0.05f, i & 4 ? 1.0f : 0.05f}, color[4];
        ts_overlay_readable(i ? asked : NULL, color);
        double mine = luminance(color) + 0.05;
        cr_expect(light / mine > 4.0 && mine / dark > 3.0, "%d: %g on light, %g on dark", i, light / mine, mine / dark);
        for (int c = 0; c < 3 && i > 0 && i < 7; ++c)
            cr_expect(color[c] <= 1.0f &&
                          (asked[c] < 0.5f || color[c] > color[(c + 1) % 3] - 0.01f || asked[(c + 1) % 3] > 0.5f),
                      "%d: its hue", i);
    }
}
