// Problem: the pixels of a texture, from a few words or from files. Rule: patterns are closed formulas of the pixel's place on its
// face, so that the same words give the same picture as in MuJoCo; a gradient goes by p in [-1, 1], which is 2 r - 1 with r the distance from the
// middle of a flat texture (1 at the middle of an edge), or the elevation above the horizon of a face's pixel over a right angle, and mixes by
// (1 + sqrt(2) p / sqrt(1 + p^2)) / 2, cut to [0, 1]. Files are read when pixels are wanted and not before: who only computes may lack
// them. Guaranteed: same description and files, same pixels. Known to fail: random marks are in other places than MuJoCo's.
#include "engine/model/texture.h"

#include "base/scalar.h"
#include "engine/read/png_file_internal.h"
#include "engine/read/xml_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

ts_texture ts_texture_default(void) {
    ts_texture texture;
    memset(&texture, 0, sizeof texture);
    texture.kind = TS_TEXTURE_CUBE;
    texture.pattern = TS_TEXTURE_PLAIN;
    texture.random = 0.01;
    texture.grid[0] = texture.grid[1] = 1;
    return texture;
}

ts_visual_material ts_visual_material_default(void) {
    ts_visual_material material = {NULL, -1, 0, {1.0, 1.0}, 0.0, 0.5, 0.5};
    return material;
}

static int is_share(double value) { return value >= 0.0 && value <= 1.0; }

static const char* pattern_fault(const ts_texture* t) {
    long long height = t->kind == TS_TEXTURE_FLAT ? t->height : (long long)TS_TEXTURE_FACES * t->width;
    for (int i = 0; i < 3; ++i)
        if (!is_share((double)t->color[0][i]) || !is_share((double)t->color[1][i]) ||
            !is_share((double)t->mark_color[i]))
            return "a colour is not within 0 and 1";
    if (t->width < 1 || height < 1) return "a pattern needs a width and, unless it is of six faces, a height";
    if (t->width * height > TS_PNG_PIXEL_LIMIT) return "it has too many pixels";
    return is_share(t->random) ? NULL : "the share of random marks is not within 0 and 1";
}

const char* ts_texture_fault(const ts_texture* t) {
    if (t->kind < 0 || t->kind >= TS_TEXTURE_KIND_COUNT || t->pattern < 0 || t->pattern >= TS_TEXTURE_PATTERN_COUNT ||
        t->mark < 0 || t->mark >= TS_TEXTURE_MARK_COUNT)
        return "there is no such kind of texture";
    if (t->pattern != TS_TEXTURE_FILE) return pattern_fault(t);
    int files = 0;
    for (int f = 0; f < TS_TEXTURE_FACES; ++f) files += t->file[f] && t->file[f][0];
    int rows = t->grid[0], columns = t->grid[1], cells = rows * columns;
    if (rows < 1 || columns < 1 || rows > TS_TEXTURE_CELLS || columns > TS_TEXTURE_CELLS || cells > TS_TEXTURE_CELLS)
        return "a grid has from 1 to 12 cells";
    if (cells > 1 && strlen(t->layout) != (size_t)cells)
        return "the layout of a grid has a letter for each of its cells";
    if (strspn(t->layout, "RLUDFB.") != strlen(t->layout)) return "a layout is made of the letters RLUDFB and dots";
    if (t->kind == TS_TEXTURE_FLAT && (files != 1 || cells != 1)) return "a texture of one face has one file";
    return files == 1 || files == TS_TEXTURE_FACES ? NULL : "it needs one file, or one for each of six faces";
}

static ts_code short_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
}

static ts_code make_picture(int width, int height, int faces, ts_texture_picture* out_picture, ts_status* out_status) {
    *out_picture = (ts_texture_picture){width, height, faces, NULL};
    out_picture->rgb = (unsigned char*)calloc((size_t)width * (size_t)height * (size_t)faces, 3);
    return out_picture->rgb ? TS_OK : short_memory(out_status);
}

static unsigned char* pixel_at(const ts_texture_picture* p, int face, int row, int column) {
    return p->rgb + 3 * (((size_t)face * (size_t)p->height + (size_t)row) * (size_t)p->width + (size_t)column);
}

// --- patterns ---

// From -1 to 1 over the pixels of a side.
static double across(int i, int count) { return count > 1 ? 2.0 * i / (count - 1) - 1.0 : 0.0; }

// The sine of a pixel's elevation, as seen from the middle of the cube.
static double elevation(int face, double x, double y) {
    double up = face == 2 ? 1.0 : face == 3 ? -1.0 : y;
    return up / sqrt(1.0 + x * x + y * y);
}

// The share of the second colour in a pixel.
static double share_of_second(const ts_texture* t, const ts_texture_picture* p, int face, int row, int column) {
    double x = across(column, p->width), y = -across(row, p->height), place;
    switch (t->pattern) {
    case TS_TEXTURE_CHECKER:
        // Those that look along z are turned, so that colours change at every edge of the cube.
        return (double)(((row < p->height / 2) == (column < p->width / 2)) == (face >= 4));
    case TS_TEXTURE_GRADIENT:
        place = p->faces == 1 ? 2.0 * sqrt(x * x + y * y) - 1.0 : -asin(elevation(face, x, y)) / (0.5 * TS_PI);
        return ts_clamp(0.5 + sqrt(0.5) * place / sqrt(1.0 + place * place), 0.0, 1.0);
    default: return (double)(face == 3);
    }
}

// A number from 0 to 1 that depends on the pixel alone (the mixing function of SplitMix64, Steele et al. 2014).
static double chance(uint64_t pixel) {
    uint64_t z = (pixel + 1u) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int is_marked(const ts_texture* t, const ts_texture_picture* p, int face, int row, int column) {
    switch (t->mark) {
    case TS_TEXTURE_EDGE: return row == 0 || column == 0 || row == p->height - 1 || column == p->width - 1;
    case TS_TEXTURE_CROSS: return row == p->height / 2 || column == p->width / 2;
    case TS_TEXTURE_RANDOM:
        return chance(((uint64_t)face * (uint64_t)p->height + (uint64_t)row) * (uint64_t)p->width + (uint64_t)column) <
               t->random;
    default: return 0;
    }
}

static void paint_pattern(const ts_texture* t, ts_texture_picture* p) {
    for (int face = 0; face < p->faces; ++face)
        for (int row = 0; row < p->height; ++row)
            for (int column = 0; column < p->width; ++column) {
                double share = share_of_second(t, p, face, row, column);
                int marked = is_marked(t, p, face, row, column);
                unsigned char* out = pixel_at(p, face, row, column);
                for (int c = 0; c < 3; ++c) {
                    double value = (1.0 - share) * (double)t->color[0][c] + share * (double)t->color[1][c];
                    out[c] = (unsigned char)(255.0 * (marked ? (double)t->mark_color[c] : value) + 0.5);
                }
            }
}

// --- files ---

static ts_code read_file(const char* path, ts_png* out_png, ts_status* out_status) {
    ts_text bytes = {0};
    memset(out_png, 0, sizeof *out_png);
    ts_code code = ts_xml_read_file(path, &bytes, out_status);
    if (!code) code = ts_png_decode(&bytes, out_png, out_status);
    ts_text_free(&bytes);
    return code;
}

// A part of a file's picture, which begins there, onto a face.
static void copy_face(const ts_texture* t, const ts_png* png, const int begin[2], int face, ts_texture_picture* p) {
    for (int row = 0; row < p->height; ++row)
        for (int column = 0; column < p->width; ++column) {
            int y = begin[0] + (t->flip[1] ? p->height - 1 - row : row);
            int x = begin[1] + (t->flip[0] ? p->width - 1 - column : column);
            const unsigned char* from =
                png->pixel + ((size_t)y * (size_t)png->width + (size_t)x) * (size_t)png->channels;
            unsigned char* out = pixel_at(p, face, row, column);
            for (int c = 0; c < 3; ++c) out[c] = from[png->channels == 3 ? c : 0];
        }
}

static ts_code take_png(const ts_texture* t, const ts_png* png, int file, ts_texture_picture* p,
                        ts_status* out_status) {
    static const char letters[] = "RLUDFB";
    int rows = t->grid[0], columns = t->grid[1], faces = t->kind == TS_TEXTURE_FLAT ? 1 : TS_TEXTURE_FACES;
    int height = png->height / rows, width = png->width / columns;
    if (faces > 1 && (width != height || width * columns != png->width || height * rows != png->height))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d x %d pixels are no %d x %d squares", png->width,
                             png->height, columns, rows);
    ts_code code = TS_OK;
    if (!p->rgb) code = make_picture(width, height, faces, p, out_status);
    if (!code && (p->width != width || p->height != height))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the faces differ in size");
    int alone = !t->file[1] || !t->file[1][0];
    for (int face = 0; face < faces && !code; ++face) {
        const char* cell = rows * columns > 1 ? strchr(t->layout, letters[face]) : t->layout;
        int at = cell ? (int)(cell - t->layout) : 0;
        const int begin[2] = {rows * columns > 1 ? at / columns * height : 0,
                              rows * columns > 1 ? at % columns * width : 0};
        if (cell && (alone || face == file)) copy_face(t, png, begin, face, p);
    }
    return code;
}

static ts_code read_files(const ts_texture* t, ts_texture_picture* p, ts_status* out_status) {
    ts_code code = TS_OK;
    for (int f = 0; f < TS_TEXTURE_FACES && !code; ++f) {
        if (!t->file[f] || !t->file[f][0]) continue;
        ts_png png;
        ts_status why;
        memset(&why, 0, sizeof why);
        code = read_file(t->file[f], &png, &why);
        if (!code) code = take_png(t, &png, f, p, &why);
        ts_png_free(&png);
        if (code)
            ts_status_set(out_status, code, t->source && t->source[0] ? t->source : NULL, t->line,
                          "texture '%.60s': %.300s: %s", t->name ? t->name : "", t->file[f], why.message);
    }
    return code;
}

ts_code ts_texture_paint(const ts_texture* texture, ts_texture_picture* out_picture, ts_status* out_status) {
    memset(out_picture, 0, sizeof *out_picture);
    const char* why = ts_texture_fault(texture);
    ts_code code = TS_OK;
    if (why) {
        code = ts_status_set(out_status, TS_ERROR_VALUE, texture->source && texture->source[0] ? texture->source : NULL,
                             texture->line, "texture '%.60s': %s", texture->name ? texture->name : "", why);
    } else if (texture->pattern == TS_TEXTURE_FILE) {
        code = read_files(texture, out_picture, out_status);
    } else {
        int faces = texture->kind == TS_TEXTURE_FLAT ? 1 : TS_TEXTURE_FACES;
        code =
            make_picture(texture->width, faces == 1 ? texture->height : texture->width, faces, out_picture, out_status);
        if (!code) paint_pattern(texture, out_picture);
    }
    if (code) ts_texture_picture_free(out_picture);
    return code ? code : ts_status_ok(out_status);
}

void ts_texture_picture_mean(const ts_texture_picture* picture, float out_color[3]) {
    double sum[3] = {0.0, 0.0, 0.0};
    size_t count = (size_t)picture->width * (size_t)picture->height * (size_t)picture->faces;
    for (size_t i = 0; i < 3 * count; ++i) sum[i % 3] += (double)picture->rgb[i];
    for (int c = 0; c < 3; ++c) out_color[c] = count ? (float)(sum[c] / (255.0 * (double)count)) : 1.0f;
}

void ts_texture_picture_free(ts_texture_picture* picture) {
    free(picture->rgb);
    memset(picture, 0, sizeof *picture);
}
