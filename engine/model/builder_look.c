// Textures and materials of a model under construction. They change nothing that moves, but what is wrong with them is said all the same.
#include "engine/model/builder_internal.h"

#include <math.h>
#include <string.h>

int ts_builder_add_texture(ts_builder* builder, const ts_texture* texture) {
    ts_builder_texture entry;
    memset(&entry, 0, sizeof entry);
    entry.is = *texture;
    entry.label = ts_builder_make_label(builder, texture->name, texture->source, texture->line);
    for (int f = 0; f < TS_TEXTURE_FACES; ++f) entry.file[f] = ts_builder_pool_add(builder, texture->file[f]);
    if (builder->pool.failed || !ts_builder_texture_array_push(&builder->texture, entry)) {
        builder->pool.failed = 1;
        return -1;
    }
    return builder->texture.count - 1;
}

int ts_builder_add_material(ts_builder* builder, const ts_visual_material* material, const char* file, int line) {
    ts_builder_material entry = {*material, ts_builder_make_label(builder, material->name, file, line)};
    if (builder->pool.failed || !ts_builder_material_array_push(&builder->material, entry)) {
        builder->pool.failed = 1;
        return -1;
    }
    return builder->material.count - 1;
}

// A texture with its text where it lies in `names`.
static ts_texture texture_at(const ts_builder_texture* entry, const char* names) {
    ts_texture texture = entry->is;
    texture.name = names + entry->label.name;
    texture.source = names + entry->label.file;
    texture.line = entry->label.line;
    for (int f = 0; f < TS_TEXTURE_FACES; ++f) texture.file[f] = names + entry->file[f];
    return texture;
}

static const char* material_fault(const ts_builder* builder, const ts_visual_material* m) {
    double sum = m->emission + m->specular + m->shininess + m->repeat[0] + m->repeat[1];
    if (!isfinite(sum) || m->emission < 0.0 || m->specular < 0.0) return "a number is negative or not finite";
    if (!(m->repeat[0] > 0.0) || !(m->repeat[1] > 0.0)) return "its texture must lie there more than zero times";
    if (!(m->shininess >= 0.0 && m->shininess <= 1.0)) return "its shininess is not within 0 and 1";
    return m->texture < -1 || m->texture >= builder->texture.count ? "there is no such texture" : NULL;
}

ts_code ts_builder_check_looks(const ts_builder* builder, ts_status* out_status) {
    for (int i = 0; i < builder->texture.count; ++i) {
        const ts_builder_texture* t = &builder->texture.data[i];
        ts_texture texture = texture_at(t, builder->pool.data);
        const char* why = ts_texture_fault(&texture);
        if (why) return ts_builder_refuse(builder, &t->label, "texture", i, out_status, "%s", why);
    }
    for (int i = 0; i < builder->material.count; ++i) {
        const ts_builder_material* m = &builder->material.data[i];
        const char* why = material_fault(builder, &m->is);
        if (why) return ts_builder_refuse(builder, &m->label, "material", i, out_status, "%s", why);
    }
    for (int i = 0; i < builder->geom.count; ++i) {
        const ts_geom_def* def = &builder->geom.data[i].def;
        if (def->material < -1 || def->material >= builder->material.count)
            return ts_builder_refuse(builder, &builder->geom.data[i].label, "geom", i, out_status,
                                     "there is no such material");
        if (!(def->plane_half[0] >= 0.0) || !(def->plane_half[1] >= 0.0) ||
            !isfinite(def->plane_half[0] + def->plane_half[1]))
            return ts_builder_refuse(builder, &builder->geom.data[i].label, "geom", i, out_status,
                                     "its extent as a plane must be finite and not negative");
    }
    return TS_OK;
}

int ts_builder_lay_out_looks(const ts_builder* builder, ts_arena* arena, const char* names, ts_model* model) {
    ts_texture* texture = TS_ARENA_ARRAY(arena, ts_texture, builder->texture.count);
    ts_visual_material* material = TS_ARENA_ARRAY(arena, ts_visual_material, builder->material.count);
    if (arena->failed) return 0;
    for (int i = 0; i < builder->texture.count; ++i) texture[i] = texture_at(&builder->texture.data[i], names);
    for (int i = 0; i < builder->material.count; ++i) {
        material[i] = builder->material.data[i].is;
        material[i].name = names + builder->material.data[i].label.name;
    }
    model->texture = texture;
    model->texture_count = builder->texture.count;
    model->material = material;
    model->material_count = builder->material.count;
    return 1;
}
