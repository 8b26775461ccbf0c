// Claims: every character has a shape of its own inside its place, an outline font's fields are distances to its outlines, letters that should be symmetrical are, text is one rectangle per visible character inside its own
// width, and the panel stays inside pictures of usual sizes.
#include "tests/viewer/viewer_fixture.h"

#include <stdlib.h>

#include "viewer/font_internal.h"
#include "viewer/overlay.h"
#include "viewer/session/command_internal.h"
#include "viewer/ui_internal.h"

static const float white[4] = {1.0f, 1.0f, 1.0f, 1.0f};

static ts_typeface face;

// How far texel (row, column) of a character's place is from its strokes, in 255ths of the reach.
static int away(int character, int row, int column) {
    return ts_font_place(&face, character - TS_FONT_FIRST)[row * TS_FONT_FIELD_WIDTH + column];
}

// Texels where one character has ink and the other has none even nearby.
static int ink_alone(int character, int other) {
    int count = 0;
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
        for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column)
            count += away(character, row, column) < 70 && away(other, row, column) > 100;
    return count;
}

// Texels in which two characters differ by more than rounding.
static int unlike(int character, int other) {
    int count = 0;
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
        for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column)
            count += abs(away(character, row, column) - away(other, row, column)) > 25;
    return count;
}

Test(overlay, characters_differ) {
    ts_font_draw(&face);
    for (int a = TS_FONT_FIRST; a < TS_FONT_FIRST + TS_FONT_COUNT; ++a) {
        cr_expect((ink_alone(a, ' ') == 0) == (a == ' '), "'%c'", a);
        for (int b = TS_FONT_FIRST; b < a; ++b)
            cr_expect(ink_alone(a, b) + ink_alone(b, a) > 10, "'%c' looks like '%c'", a, b);
    }
    cr_expect(ts_font_advance(NULL, 200) == ts_font_advance(NULL, '?'));
}

Test(overlay, characters_stay_in_their_place) {
    ts_font_draw(&face);
    int half_stroke = (int)(255.0 * ts_font_inside / ts_font_range);
    for (int c = TS_FONT_FIRST; c < TS_FONT_FIRST + TS_FONT_COUNT; ++c)
        for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
            for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column) {
                double x = (column + 0.5) / TS_FONT_TEXELS;
                int inside = row > 0 && row < TS_FONT_CELL_ROWS - 1 && x > 0.1 && x < ts_font_advance(NULL, c) - 0.1;
                cr_expect(inside || away(c, row, column) > half_stroke, "'%c' at %d, %d", c, row, column);
            }
}

// Letters that are their own mirror image show a slip of the pen.
Test(overlay, symmetrical_letters_are_symmetrical) {
    ts_font_draw(&face);
    for (const char* c = "AHIMOTUVWXYovwx08!|+-=^_:.*\"'"; *c; ++c) {
        int columns = (int)floor(ts_font_advance(NULL, *c) * TS_FONT_TEXELS + 0.5);
        for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
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

// A field of an outline font: every letter is where it belongs, has a shape of its own, and lies right of the pen by about what its advance leaves.
Test(overlay, an_outline_font_is_read) {
    const char* path = ts_typeface_installed();
    ts_typeface* outline = NULL;
    ts_status status;
    if (!path) cr_skip_test("DejaVu Sans is not installed (Debian: fonts-dejavu-core)");
    ts_code code = ts_typeface_open(path, &outline, &status);
    if (code == TS_ERROR_UNSUPPORTED) cr_skip_test("%s", status.message);
    cr_assert(code == TS_OK, "%s", status.message);
    face = *outline;
    int ink = (int)(255.0 * ts_font_inside / ts_font_range);
    for (int c = TS_FONT_FIRST; c < TS_FONT_FIRST + TS_FONT_COUNT; ++c) {
        cr_expect((ink_alone(c, ' ') == 0) == (c == ' '), "'%c'", c);
        // 'I' and 'l' are the likeliest twins: one is a little higher.
        for (int b = TS_FONT_FIRST; b < c; ++b) cr_expect(unlike(c, b) > 5, "'%c' looks like '%c'", c, b);
    }
    // Heights, in units: capitals stand on the base line and are seven high; tails hang below it. In DejaVu Sans, 1 em = 2048, a capital is 1493 high, a
    // small letter 1120, and a zero 1303 wide.
    int base = (TS_FONT_CELL_HEIGHT - TS_FONT_CELL_BELOW) * TS_FONT_TEXELS, column = 3 * TS_FONT_TEXELS;
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row) {
        int left_of_h = 0;
        for (int x = 0; x < column; ++x) left_of_h |= away('H', row, x) < ink;
        double height = (base - row - 0.5) / TS_FONT_TEXELS;
        cr_expect(left_of_h == (height > 0.0 && height < 7.0), "H at height %g", height);
    }
    double em = 7.0 * 2048.0 / 1493.0;
    cr_expect(fabs(ts_font_advance(outline, '0') - 1303.0 / 2048.0 * em) < 0.01);
    cr_expect(fabs(ts_font_small(outline) - 1120.0 / 1493.0) < 1e-3);
    cr_expect(fabs(outline->stem - 201.0 / 2048.0 * em) < 1.5 / TS_FONT_TEXELS, "%g", outline->stem);
    ts_typeface_free(outline);
}

// The distance that the field tells is that to the outline: a full stop of DejaVu Sans is a square from (219, 0) to (430, 254).
Test(overlay, an_outline_field_tells_distances) {
    const char* path = ts_typeface_installed();
    ts_typeface* outline = NULL;
    ts_status status;
    if (!path || ts_typeface_open(path, &outline, &status)) cr_skip_test("no outline font here");
    face = *outline;
    double unit = 7.0 / 1493.0, low[2] = {219.0 * unit, 0.0}, high[2] = {430.0 * unit, 254.0 * unit};
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
        for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column) {
            double at[2] = {(column + 0.5) / TS_FONT_TEXELS - TS_FONT_CELL_LEFT,
                            (TS_FONT_CELL_ROWS - row - 0.5) / TS_FONT_TEXELS - TS_FONT_CELL_BELOW};
            double out[2], most = -HUGE_VAL;
            for (int k = 0; k < 2; ++k) {
                out[k] = fmax(low[k] - at[k], at[k] - high[k]);
                most = fmax(most, out[k]);
            }
            double edge = most < 0.0 ? most : hypot(fmax(out[0], 0.0), fmax(out[1], 0.0));
            double said = away('.', row, column) / 255.0 * ts_font_range - ts_font_inside;
            double known = fmin(fmax(edge, -ts_font_inside), ts_font_range - ts_font_inside);
            cr_expect(fabs(said - known) < 0.03, "%d, %d: %g, not %g", row, column, said, known);
        }
    ts_typeface_free(outline);
}

Test(overlay, what_is_no_font_is_refused) {
    ts_typeface* typeface = (ts_typeface*)&face;
    ts_status status;
    cr_expect(ts_typeface_open("/nowhere/font.ttf", &typeface, &status) != TS_OK && !typeface);
    cr_expect(strcmp(status.file, "/nowhere/font.ttf") == 0);
    ts_code code = ts_typeface_open("/dev/null", &typeface, &status);
    cr_expect((code == TS_ERROR_PARSE || code == TS_ERROR_FILE || code == TS_ERROR_UNSUPPORTED) && !typeface);
}

Test(overlay, the_panel_stays_inside_the_picture) {
    static const int sizes[][2] = {{640, 360}, {800, 600}, {1280, 720}, {1920, 1080}, {3840, 2160},
                                   {640, 360}, {800, 600}, {1280, 720}, {1920, 1080}, {3840, 2160}};
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
    ts_typeface* outline = ts_typeface_usual();
    for (int step = 0; step < 2 * TS_UI_HISTORY; ++step) {
        fixture_run(&f, 1);
        ts_ui_note_step(&ui, f.sim);
    }
    cr_assert(ui.history_count == TS_UI_HISTORY);
    for (int s = 0; s < 10; ++s) {
        if (s == 5) overlay.typeface = outline;
        ts_ui_fill(&ui, f.sim, sizes[s][0], sizes[s][1], &overlay);
        int pages = sizes[s][0] >= 800 ? ts_command_help_pages(sizes[s][0], sizes[s][1], &overlay) : 0;
        for (int page = 1; page <= pages; ++page) ts_command_help(sizes[s][0], sizes[s][1], page, &overlay);
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
    ts_typeface_free(outline);
    fixture_end(&f);
}

// The characters of an overlay in the order they were added, spaces left out.
static void letters_of(const ts_overlay* overlay, char out_letters[4096]) {
    int n = 0;
    for (int i = 0; i < overlay->quads.count && n < 4095; ++i)
        if (overlay->quads.data[i].character) out_letters[n++] = (char)overlay->quads.data[i].character;
    out_letters[n] = 0;
}

// In any window every line stands on one page and no word is much smaller than the picture's others.
Test(overlay, help_can_be_read_in_a_small_window) {
    static const int sizes[][2] = {{640, 400}, {900, 600}, {1280, 720}, {1920, 1080}};
    ts_overlay overlay = {0};
    for (int s = 0; s < 4; ++s) {
        int seen = 0, footers = 0;
        ts_overlay_begin(&overlay, sizes[s][1]);
        ts_overlay_add_text(&overlay, 0.0, 0.0, "x", (float[4]){1.0f, 1.0f, 1.0f, 1.0f});
        double letter = (double)overlay.quads.data[0].height;
        int pages = ts_command_help_pages(sizes[s][0], sizes[s][1], &overlay);
        for (int page = 1; page <= pages; ++page) {
            ts_overlay_begin(&overlay, sizes[s][1]);
            ts_command_help(sizes[s][0], sizes[s][1], page, &overlay);
            double smallest = HUGE_VAL;
            for (int i = 0; i < overlay.quads.count; ++i)
                if (overlay.quads.data[i].character) smallest = fmin(smallest, (double)overlay.quads.data[i].height);
            cr_expect(smallest > 0.85 * letter, "%d x %d, page %d: letters of %g, others of %g", sizes[s][0],
                      sizes[s][1], page, smallest, letter);
            char letters[4096];
            letters_of(&overlay, letters);
            footers += strstr(letters, "F1forthenext") != NULL || strstr(letters, "F1endsit") != NULL;
            for (int c = 0; c < ts_command_count(); ++c) {
                char text[96] = "", *at = text;
                for (const char* h = ts_command_at(c)->help; *h; ++h)
                    if (*h != ' ' && at < text + 90) *at++ = *h;
                seen += strstr(letters, text) != NULL;
            }
        }
        cr_expect_geq(seen, ts_command_count(), "%d x %d", sizes[s][0], sizes[s][1]);
        cr_expect_eq(footers, pages > 1 ? pages : 0);
        cr_expect(s > 0 || pages > 1, "no page of %d x %d holds all", sizes[0][0], sizes[0][1]);
    }
    ts_overlay_free(&overlay);
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
    int pages = ts_command_help_pages(1280.0, 720.0, &overlay);
    for (int page = 1; page <= pages; ++page) ts_command_help(1280.0, 720.0, page, &overlay);
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
