// <texture> and <material>: what surfaces look like. They move nothing, so a file of a picture that is not there, or of a kind that is not
// read, leaves its texture out, with a finding; everything else that is wrong is refused.
#include "engine/read/mjcf/assets_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// --- textures ---

// A picture's path, or NULL with a finding about its texture.
static const char* find_picture(ts_mjcf_reader* reader, const ts_xml_node* node, const char* file) {
    struct stat info;
    char what[96];
    const ts_mjcf_document* d = ts_mjcf_document_of(reader, node);
    const char* path = d->directory ? ts_mjcf_asset_path(reader, node, d->compiler.texture_directory, file) : NULL;
    int is_png = ts_mjcf_names_png(node, file);
    if (is_png && path && stat(path, &info) == 0 && S_ISREG(info.st_mode)) return path;
    snprintf(what, sizeof what, "texture %.60s", file);
    if (!reader->xml.code)
        ts_mjcf_report(reader, node, TS_IMPORT_IGNORED, 0, what,
                       is_png ? "there is no such file; what wears it keeps its colour"
                              : "pictures are read from PNG only; what wears it keeps its colour");
    return NULL;
}

// Files of all faces or of each. Returns 0 when one of them cannot be had.
static int take_files(const ts_mjcf_element* e, ts_texture* texture) {
    static const char* const names[TS_TEXTURE_FACES] = {"fileright", "fileleft",  "fileup",
                                                        "filedown",  "filefront", "fileback"};
    const char* whole = ts_mjcf_text(e, "file", NULL);
    for (int f = 0; f < TS_TEXTURE_FACES; ++f) {
        const char* file = f == 0 && whole ? whole : ts_mjcf_text(e, names[f], NULL);
        if (whole && ts_mjcf_text(e, names[f], NULL))
            ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "texture has a file of all faces and one of a face");
        if (!file) continue;
        texture->file[f] = find_picture(e->reader, e->node, file);
        if (!texture->file[f]) return 0;
    }
    return 1;
}

static void take_colour(const ts_mjcf_element* e, const char* name, float out_colour[3]) {
    double rgb[3];
    if (!ts_mjcf_reals(e, name, rgb, 3, 3)) return;
    for (int i = 0; i < 3; ++i) out_colour[i] = (float)rgb[i];
}

static void take_grid(const ts_mjcf_element* e, ts_texture* texture) {
    double grid[2] = {1.0, 1.0};
    const char* layout = ts_mjcf_text(e, "gridlayout", NULL);
    ts_mjcf_reals(e, "gridsize", grid, 2, 2);
    for (int i = 0; i < 2; ++i) texture->grid[i] = grid[i] >= 1.0 && grid[i] <= TS_TEXTURE_CELLS ? (int)grid[i] : 0;
    if (layout && strlen(layout) > TS_TEXTURE_CELLS)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "gridlayout of texture has more than %d letters",
                     TS_TEXTURE_CELLS);
    else if (layout)
        memcpy(texture->layout, layout, strlen(layout));
}

static ts_texture read_texture(const ts_mjcf_element* e, const char* name) {
    static const char* const kinds[] = {"2d", "cube", "skybox"};
    static const char* const patterns[] = {"none", "gradient", "checker", "flat"};
    static const char* const marks[] = {"none", "edge", "cross", "random"};
    ts_texture texture = ts_texture_default();
    texture.name = name;
    texture.source = e->node->file;
    texture.line = e->node->line;
    texture.kind = (ts_texture_kind)ts_mjcf_word(e, "type", kinds, TS_TEXTURE_KIND_COUNT, TS_TEXTURE_CUBE);
    texture.pattern = (ts_texture_pattern)ts_mjcf_word(e, "builtin", patterns, TS_TEXTURE_PATTERN_COUNT, 0);
    texture.mark = (ts_texture_mark)ts_mjcf_word(e, "mark", marks, TS_TEXTURE_MARK_COUNT, 0);
    texture.color[0][0] = texture.color[0][1] = texture.color[0][2] = 0.8f;
    texture.color[1][0] = texture.color[1][1] = texture.color[1][2] = 0.5f;
    take_colour(e, "rgb1", texture.color[0]);
    take_colour(e, "rgb2", texture.color[1]);
    take_colour(e, "markrgb", texture.mark_color);
    texture.random = ts_mjcf_real(e, "random", texture.random);
    texture.width = ts_mjcf_integer(e, "width", 0);
    texture.height = ts_mjcf_integer(e, "height", 0);
    texture.flip[0] = ts_mjcf_bool(e, "hflip", 0);
    texture.flip[1] = ts_mjcf_bool(e, "vflip", 0);
    if (texture.pattern == TS_TEXTURE_FILE) take_grid(e, &texture);
    return texture;
}

void ts_mjcf_add_texture(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "texture");
    ts_mjcf_element e = ts_mjcf_element_plain(reader, node);
    const char* name = ts_xml_value(node, "name");
    if (!name && ts_xml_value(node, "file")) name = ts_mjcf_asset_name(reader, node);
    ts_texture texture = read_texture(&e, name);
    ts_name_table* names = &ts_mjcf_document_of(reader, node)->texture_name;
    if (reader->xml.code) return;
    int is_there = texture.pattern != TS_TEXTURE_FILE || take_files(&e, &texture);
    if (reader->xml.code) return;
    const char* why = is_there ? ts_texture_fault(&texture) : NULL;
    if (name && ts_name_table_find(names, name) != -1)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "another texture is named '%.80s'", name);
    else if (texture.kind != TS_TEXTURE_SKY && (!name || !name[0]))
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "a texture needs a name or a file");
    else if (why)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "texture: %s", why);
    if (reader->xml.code) return;
    int index = is_there ? ts_builder_add_texture(reader->builder, &texture) : TS_MJCF_LEFT_OUT;
    if (index == -1 || (name && name[0] && !ts_name_table_put(names, name, index)))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

// --- materials ---

// The texture of the colour: an attribute, or a layer of that role. Other layers are for looks that are not drawn.
static const char* find_texture(const ts_mjcf_element* e) {
    const char* texture = ts_mjcf_text(e, "texture", NULL);
    for (const ts_xml_node* child = e->node->child; child && !e->reader->xml.code; child = child->next) {
        const char* role = strcmp(child->name, "layer") == 0 ? ts_xml_value(child, "role") : NULL;
        if (role && (strcmp(role, "rgb") == 0 || strcmp(role, "rgba") == 0))
            texture = ts_xml_value(child, "texture");
        else if (!ts_mjcf_report_element(e->reader, child, "material"))
            ts_mjcf_unknown_element(e->reader, child);
    }
    return texture;
}

void ts_mjcf_add_material(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "material");
    const char* name = ts_xml_value(node, "name");
    ts_mjcf_element e = ts_mjcf_element_make(reader, node, TS_MJCF_MATERIAL, 0);
    double rgba[4] = {1.0, 1.0, 1.0, 1.0};
    ts_mjcf_material material = {node, ts_visual_material_default(), NULL, {0.0f, 0.0f, 0.0f, 0.0f}};
    ts_mjcf_reals(&e, "rgba", rgba, 4, 4);
    for (int i = 0; i < 4; ++i) material.rgba[i] = (float)rgba[i];
    material.is.name = name;
    ts_mjcf_take(&e, "material", &material.is);
    material.texture = find_texture(&e);
    ts_name_table* names = &ts_mjcf_document_of(reader, node)->material_name;
    if (!name || !name[0])
        ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "a material needs a name");
    else if (ts_name_table_find(names, name) >= 0)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "another material is named '%.80s'", name);
    else if (!ts_mjcf_material_array_push(&reader->materials, material) ||
             !ts_name_table_put(names, name, reader->materials.count - 1))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_settle_materials(ts_mjcf_reader* reader) {
    for (int i = 0; i < reader->materials.count && !reader->xml.code; ++i) {
        ts_mjcf_material* m = &reader->materials.data[i];
        const ts_name_table* names = &ts_mjcf_document_of(reader, m->node)->texture_name;
        int texture = m->texture && m->texture[0] ? ts_name_table_find(names, m->texture) : TS_MJCF_LEFT_OUT;
        if (texture == -1)
            ts_mjcf_fail(reader, m->node, TS_ERROR_VALUE, "material: there is no texture '%.80s'", m->texture);
        m->is.texture = texture >= 0 ? texture : -1;
        if (ts_builder_add_material(reader->builder, &m->is, m->node->file, m->node->line) < 0)
            ts_mjcf_fail(reader, m->node, TS_ERROR_MEMORY, "out of memory");
    }
}
