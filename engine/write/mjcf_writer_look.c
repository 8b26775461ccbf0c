// Textures and materials of <asset>.
#include "engine/write/mjcf_writer_internal.h"

#include <stdio.h>

static void texture_name(int texture, char out_name[32]) { snprintf(out_name, 32, "texture %d", texture); }

void ts_mjcf_writer_material_name(int material, char out_name[32]) { snprintf(out_name, 32, "material %d", material); }

static void write_colour(ts_mjcf_writer* w, const char* name, const float colour[3]) {
    char text[64];
    // Nine digits give a float back.
    snprintf(text, sizeof text, "%.9g %.9g %.9g", (double)colour[0], (double)colour[1], (double)colour[2]);
    ts_mjcf_writer_string(w, name, text);
}

static void write_pattern(ts_mjcf_writer* w, const ts_texture* t) {
    static const char* const patterns[TS_TEXTURE_PATTERN_COUNT] = {"none", "gradient", "checker", "flat"};
    static const char* const marks[TS_TEXTURE_MARK_COUNT] = {"none", "edge", "cross", "random"};
    ts_mjcf_writer_string(w, "builtin", patterns[t->pattern]);
    write_colour(w, "rgb1", t->color[0]);
    write_colour(w, "rgb2", t->color[1]);
    ts_mjcf_writer_whole(w, "width", t->width);
    ts_mjcf_writer_whole(w, "height", t->kind == TS_TEXTURE_FLAT ? t->height : TS_TEXTURE_FACES * t->width);
    if (t->mark == TS_TEXTURE_NO_MARK) return;
    ts_mjcf_writer_string(w, "mark", marks[t->mark]);
    write_colour(w, "markrgb", t->mark_color);
    if (t->mark == TS_TEXTURE_RANDOM) ts_mjcf_writer_numbers(w, "random", &t->random, 1);
}

static void write_files(ts_mjcf_writer* w, const ts_texture* t) {
    static const char* const names[TS_TEXTURE_FACES] = {"fileright", "fileleft",  "fileup",
                                                        "filedown",  "filefront", "fileback"};
    int alone = !t->file[1][0];
    for (int f = 0; f < (alone ? 1 : TS_TEXTURE_FACES); ++f)
        if (!ts_mjcf_writer_file(w, alone ? "file" : names[f], t->file[f]))
            ts_mjcf_writer_refuse(w, "'%.300s' of a texture is gone", t->file[f]);
    if (t->grid[0] * t->grid[1] > 1) {
        const double grid[2] = {t->grid[0], t->grid[1]};
        ts_mjcf_writer_numbers(w, "gridsize", grid, 2);
        ts_mjcf_writer_string(w, "gridlayout", t->layout);
    }
    // What is a PNG by its content need not be called one.
    ts_mjcf_writer_string(w, "content_type", "image/png");
    if (t->flip[0]) ts_mjcf_writer_string(w, "hflip", "true");
    if (t->flip[1]) ts_mjcf_writer_string(w, "vflip", "true");
}

static void write_texture(ts_mjcf_writer* w, int index) {
    static const char* const kinds[TS_TEXTURE_KIND_COUNT] = {"2d", "cube", "skybox"};
    const ts_texture* t = &w->model->texture[index];
    char name[32];
    texture_name(index, name);
    ts_mjcf_writer_open(w, "texture");
    ts_mjcf_writer_string(w, "name", name);
    ts_mjcf_writer_string(w, "type", kinds[t->kind]);
    if (t->pattern == TS_TEXTURE_FILE)
        write_files(w, t);
    else
        write_pattern(w, t);
    ts_mjcf_writer_end(w);
}

static void write_material(ts_mjcf_writer* w, int index) {
    const ts_visual_material* m = &w->model->material[index];
    const ts_visual_material usual = ts_visual_material_default();
    char name[32];
    ts_mjcf_writer_material_name(index, name);
    ts_mjcf_writer_open(w, "material");
    ts_mjcf_writer_string(w, "name", name);
    if (m->texture >= 0) {
        texture_name(m->texture, name);
        ts_mjcf_writer_string(w, "texture", name);
        ts_mjcf_writer_numbers(w, "texrepeat", m->repeat, 2);
        if (m->uniform) ts_mjcf_writer_string(w, "texuniform", "true");
    }
    if (m->emission != usual.emission) ts_mjcf_writer_numbers(w, "emission", &m->emission, 1);
    if (m->specular != usual.specular) ts_mjcf_writer_numbers(w, "specular", &m->specular, 1);
    if (m->shininess != usual.shininess) ts_mjcf_writer_numbers(w, "shininess", &m->shininess, 1);
    ts_mjcf_writer_end(w);
}

void ts_mjcf_writer_looks(ts_mjcf_writer* w) {
    for (int i = 0; i < w->model->texture_count; ++i) write_texture(w, i);
    for (int i = 0; i < w->model->material_count; ++i) write_material(w, i);
}
