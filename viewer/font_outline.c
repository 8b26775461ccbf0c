// Problem: letters as people know them, at any size, from the font that the system has. Rule: FreeType reads the outlines and says what is inside;
// they are strokes without thickness in a field of distances like that of the viewer's own letters, and from then on drawn alike. Guaranteed: letters keep their shapes and distances at any size. Known to fail:
// outlines are not fitted to pixels, so that strokes of small text are softer than those of the viewer's own typeface.
#include "viewer/font_internal.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

const char* ts_typeface_installed(void) {
    static const char* const files[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf"};
    struct stat about;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
        if (stat(files[i], &about) == 0 && S_ISREG(about.st_mode)) return files[i];
    return NULL;
}

void ts_typeface_free(ts_typeface* typeface) { free(typeface); }

ts_typeface* ts_typeface_usual(void) {
    ts_status status;
    ts_typeface* typeface = NULL;
    const char* path = ts_typeface_installed();
    if (path) (void)ts_typeface_open(path, &typeface, &status);
    return typeface;
}

#if !TS_HAVE_FREETYPE

ts_code ts_typeface_open(const char* path, ts_typeface** out_typeface, ts_status* out_status) {
    *out_typeface = NULL;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                         "this build reads no fonts (Debian: libfreetype-dev)");
}

#else

#include "base/scalar.h"

#include <ft2build.h>

#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <string.h>

enum { UNIT = 64 };  // FreeType's lengths are 64ths of a pixel, here of a texel

// The character's number in Unicode.
static unsigned long code_of(int character) {
    if (character == TS_FONT_DEGREE) return 0xB0;
    if (character == TS_FONT_MICRO) return 0xB5;
    if (character == TS_FONT_TIMES) return 0xD7;
    return (unsigned long)character;
}

// Em over the height of a capital, and small letters over capitals. Zero when a letter is missing or flat.
static double measure(FT_Face face, double* out_small) {
    double height[2] = {0.0, 0.0};
    for (int i = 0; i < 2; ++i)
        if (!FT_Load_Char(face, i ? 'x' : 'H', FT_LOAD_NO_SCALE)) height[i] = (double)face->glyph->metrics.horiBearingY;
    *out_small = height[0] > 0.0 ? height[1] / height[0] : 0.0;
    return height[0] > 0.0 && height[1] > 0.0 ? (double)face->units_per_EM / height[0] : 0.0;
}

// The largest em, units, at which every character fits into its place, capitals being 7 high at most.
static double choose_em(FT_Face face, double em_per_capital) {
    double em = 7.0 * em_per_capital;
    const double room = TS_FONT_CELL_WIDTH - 2.0 * TS_FONT_CELL_LEFT;
    for (int c = TS_FONT_FIRST; c < TS_FONT_FIRST + TS_FONT_COUNT; ++c) {
        if (FT_Load_Char(face, code_of(c), FT_LOAD_NO_SCALE)) continue;
        double wide = (double)face->glyph->metrics.horiAdvance / (double)face->units_per_EM;
        if (wide > 0.0) em = fmin(em, room / wide);
    }
    return em;
}

// An outline on its way into a cell.
typedef struct outline_pen {
    ts_font_cell cell;
    double at[2];
} outline_pen;

static void to_units(const FT_Vector* point, double out[2]) {
    out[0] = (double)point->x / (UNIT * TS_FONT_TEXELS);
    out[1] = (double)point->y / (UNIT * TS_FONT_TEXELS);
}

static int move_to(const FT_Vector* to, void* user) {
    to_units(to, ((outline_pen*)user)->at);
    return 0;
}

// A curve of up to two control points as straight pieces, by the weights of a cubic; a line has its own ends as control points.
static int curve_to(outline_pen* pen, const double one[2], const double two[2], const FT_Vector* to, int pieces) {
    double start[2] = {pen->at[0], pen->at[1]}, end[2];
    to_units(to, end);
    for (int i = 1; i <= pieces; ++i) {
        double t = (double)i / pieces, u = 1.0 - t, next[2];
        for (int k = 0; k < 2; ++k)
            next[k] = u * u * u * start[k] + 3.0 * u * u * t * one[k] + 3.0 * u * t * t * two[k] + t * t * t * end[k];
        ts_font_add_stroke(&pen->cell, pen->at, next);
        memcpy(pen->at, next, sizeof next);
    }
    return 0;
}

static int line_to(const FT_Vector* to, void* user) {
    outline_pen* pen = user;
    double end[2];
    to_units(to, end);
    return curve_to(pen, pen->at, end, to, 1);
}

enum { PIECES = 6 };  // of a curve

static int conic_to(const FT_Vector* control, const FT_Vector* to, void* user) {
    outline_pen* pen = user;
    double c[2], end[2], one[2], two[2];
    to_units(control, c);
    to_units(to, end);
    for (int k = 0; k < 2; ++k) {
        one[k] = (pen->at[k] + 2.0 * c[k]) / 3.0;
        two[k] = (end[k] + 2.0 * c[k]) / 3.0;
    }
    return curve_to(pen, one, two, to, PIECES);
}

static int cubic_to(const FT_Vector* first, const FT_Vector* second, const FT_Vector* to, void* user) {
    double one[2], two[2];
    to_units(first, one);
    to_units(second, two);
    return curve_to(user, one, two, to, PIECES);
}

// Draws the character that was loaded into its place.
static int draw_glyph(FT_GlyphSlot glyph, unsigned char* place) {
    static const FT_Outline_Funcs funcs = {move_to, line_to, conic_to, cubic_to, 0, 0};
    outline_pen pen;
    ts_font_begin(&pen.cell);
    pen.at[0] = pen.at[1] = 0.0;
    if (FT_Outline_Decompose(&glyph->outline, &funcs, &pen)) return 0;
    if (FT_Render_Glyph(glyph, FT_RENDER_MODE_NORMAL)) return 0;
    const FT_Bitmap* b = &glyph->bitmap;
    int left = TS_FONT_CELL_LEFT * TS_FONT_TEXELS + glyph->bitmap_left;
    int top = (TS_FONT_CELL_HEIGHT - TS_FONT_CELL_BELOW) * TS_FONT_TEXELS - glyph->bitmap_top;
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
        for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column) {
            int x = column - left, y = row - top, covered = 0;
            if (x >= 0 && x < (int)b->width && y >= 0 && y < (int)b->rows) covered = b->buffer[y * b->pitch + x];
            double away = sqrt(pen.cell.square[row][column]);
            place[row * TS_FONT_FIELD_WIDTH + column] = ts_font_byte(covered < 128 ? away : -away);
        }
    return 1;
}

// How thick the upright of a capital I is half-way up, units: from its field.
static double stem_of(ts_typeface* face) {
    int row = (int)((TS_FONT_CELL_HEIGHT - TS_FONT_CELL_BELOW - 3.5) * TS_FONT_TEXELS);
    const unsigned char* at = ts_font_place(face, 'I' - TS_FONT_FIRST) + row * TS_FONT_FIELD_WIDTH;
    const double edge = 255.0 * ts_font_inside / ts_font_range;
    int inside = 0;
    for (int x = 0; x < TS_FONT_CELL_COLUMNS; ++x) inside += (double)at[x] < edge;
    return (double)inside / TS_FONT_TEXELS;
}

static ts_code fill(FT_Face face, const char* path, ts_typeface* out, ts_status* out_status) {
    double em_per_capital = measure(face, &out->small);
    if (em_per_capital <= 0.0)
        return ts_status_set(out_status, TS_ERROR_PARSE, path, 0, "a font without the letters H and x");
    double em = choose_em(face, em_per_capital) * TS_FONT_TEXELS;  // texels
    if (FT_Set_Char_Size(face, 0, (FT_F26Dot6)(em * UNIT + 0.5), 72, 72))
        return ts_status_set(out_status, TS_ERROR_PARSE, path, 0, "a font without outlines");
    memset(out->field, 255, sizeof out->field);
    for (int c = 0; c < TS_FONT_COUNT; ++c) {
        FT_Error fault = FT_Load_Char(face, code_of(TS_FONT_FIRST + c), FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
        if (fault)
            return ts_status_set(out_status, TS_ERROR_PARSE, path, 0, "character %d cannot be read", TS_FONT_FIRST + c);
        // Before it is drawn, which changes it.
        out->advance[c] = (double)face->glyph->linearHoriAdvance / 65536.0 / TS_FONT_TEXELS;
        if (!face->glyph->outline.n_points) continue;
        if (!draw_glyph(face->glyph, ts_font_place(out, c)))
            return ts_status_set(out_status, TS_ERROR_PARSE, path, 0, "character %d cannot be drawn",
                                 TS_FONT_FIRST + c);
    }
    out->stem = stem_of(out);
    return TS_OK;
}

ts_code ts_typeface_open(const char* path, ts_typeface** out_typeface, ts_status* out_status) {
    *out_typeface = NULL;
    FT_Library library;
    ts_typeface* made = calloc(1, sizeof *made);
    if (!made) return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "no memory for the typeface");
    if (FT_Init_FreeType(&library)) {
        free(made);
        return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "FreeType does not start");
    }
    FT_Face face = NULL;
    FT_Error fault = FT_New_Face(library, path, 0, &face);
    ts_code code = TS_OK;
    if (fault == FT_Err_Cannot_Open_Resource)
        code = ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot be opened");
    else if (fault)
        code = ts_status_set(out_status, TS_ERROR_PARSE, path, 0, "not a font that FreeType knows");
    if (!code) code = fill(face, path, made, out_status);
    if (face) FT_Done_Face(face);
    FT_Done_FreeType(library);
    if (code)
        free(made);
    else
        *out_typeface = made;
    return code ? code : ts_status_ok(out_status);
}

#endif
