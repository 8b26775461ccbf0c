// Problem: the same scene looks the same in a window, in a picture and on a page. Rule: a colour that the model chose stays; a moving body
// without one gets the next of eight, well apart in hue and equal in weight; what stands still is grey. Robots come with shapes for looks
// and coarser ones for contacts, in the same places: one kind is shown. Known to fail: more than eight uncoloured bodies share colours.
#include "scenes/scene_look.h"

#include "engine/model/builder.h"

#include <string.h>

// Told apart by people who see fewer colours, too (a test looks).
static const float mode_color[TS_MODE_COUNT][4] = {
    {0.42f, 0.44f, 0.48f, 1.0f},
    {0.00f, 0.66f, 0.48f, 1.0f},
    {0.95f, 0.67f, 0.05f, 1.0f},
    {0.84f, 0.12f, 0.14f, 1.0f},
};

static const float palette[8][4] = {
    {0.26f, 0.50f, 0.86f, 1.0f}, {0.93f, 0.66f, 0.20f, 1.0f}, {0.30f, 0.67f, 0.56f, 1.0f}, {0.85f, 0.38f, 0.34f, 1.0f},
    {0.56f, 0.46f, 0.80f, 1.0f}, {0.55f, 0.70f, 0.28f, 1.0f}, {0.88f, 0.50f, 0.66f, 1.0f}, {0.36f, 0.68f, 0.82f, 1.0f},
};
static const float still_color[4] = {0.72f, 0.73f, 0.75f, 1.0f};
static const float floor_color[4] = {0.86f, 0.88f, 0.90f, 1.0f};

const float* ts_scene_look_mode_color(ts_contact_mode mode) { return mode_color[mode]; }

// Nonzero when the model chose a colour for the geom.
static int has_color(const ts_geom* geom) {
    if (geom->material >= 0) return 1;
    ts_geom_def unset = ts_geom_def_default();
    const float *a = geom->rgba, *b = unset.rgba;
    return a[0] != b[0] || a[1] != b[1] || a[2] != b[2] || a[3] != b[3];
}

const float* ts_scene_look_palette(int i) { return palette[i % 8]; }

void ts_scene_look_geom_color(const ts_model* model, int g, float out_color[4]) {
    const ts_geom* geom = &model->geom[g];
    const ts_body* body = &model->body[geom->body];
    const float* color = geom->rgba;
    if (!has_color(geom)) {
        if (geom->shape.kind == TS_SHAPE_PLANE)
            color = floor_color;
        else
            color = body->tree >= 0 ? palette[body->weld % 8] : still_color;
    }
    memcpy(out_color, color, 4 * sizeof *out_color);
}

static int geom_collides(const ts_geom* geom) { return geom->category != 0 || geom->mask != 0; }

int ts_scene_look_is_hidden(const ts_model* model, int g, int contacts) {
    const ts_geom* geom = &model->geom[g];
    const ts_body* body = &model->body[geom->body];
    int looks = 0;
    int collides = 0;
    if (!(geom->rgba[3] > 0.0f)) return 1;
    for (int i = body->geom_first; i < body->geom_first + body->geom_count; ++i) {
        collides += geom_collides(&model->geom[i]);
        looks += !geom_collides(&model->geom[i]);
    }
    if (!looks || !collides || geom->body == 0) return 0;
    // Shapes for contacts that somebody gave a colour are meant to be seen anyway.
    return contacts ? !geom_collides(geom) : geom_collides(geom) && !has_color(geom);
}

double ts_scene_look_side(const ts_model* model, int body_a, int body_b) {
    return model->body[body_a].tree >= 0 && model->body[body_b].tree < 0 ? -1.0 : 1.0;
}
