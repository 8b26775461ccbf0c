// Problem: say on a command line what a person does with keys and mouse: what is shown, and from where. Rule: one table of layers, whose bits are
// those of the keys; a camera is a direction, or numbers, or a body to aim at. Guaranteed: what is misspelt is refused, with what there is.
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/scalar.h"
#include "viewer/viewer.h"

// --- layers ----------------------------------------------------------------------------------------------------------

// `inverse`: the bit hides it.
static const struct {
    const char* name;
    unsigned bit;
    int inverse;
} layer[] = {
    {"shapes", TS_SHOW_GEOMS, 0},
    {"contacts", TS_SHOW_CONTACTS, 0},
    {"forces", TS_SHOW_FORCES, 0},
    {"split", TS_SHOW_SPLIT, 0},
    {"cones", TS_SHOW_CONES, 0},
    {"heat", TS_SHOW_HEAT, 0},
    {"gaps", TS_SHOW_GAPS, 0},
    {"internal", TS_SHOW_INTERNAL, 0},
    {"patches", TS_SHOW_PATCHES, 0},
    {"islands", TS_SHOW_ISLANDS, 0},
    {"joints", TS_SHOW_JOINTS, 0},
    {"equalities", TS_SHOW_EQUALITIES, 0},
    {"tendons", TS_SHOW_TENDONS, 0},
    {"actuators", TS_SHOW_ACTUATORS, 0},
    {"rays", TS_SHOW_RAYS, 0},
    {"cameras", TS_SHOW_CAMERAS, 0},
    {"inertia", TS_SHOW_INERTIA, 0},
    {"centres", TS_SHOW_CENTRES, 0},
    {"applied", TS_SHOW_APPLIED, 0},
    {"links", TS_SHOW_LINKS, 0},
    {"frames", TS_SHOW_FRAMES, 0},
    {"geom-frames", TS_SHOW_GEOM_FRAMES, 0},
    {"site-frames", TS_SHOW_SITE_FRAMES, 0},
    {"contact-frames", TS_SHOW_CONTACT_FRAMES, 0},
    {"world-frame", TS_SHOW_WORLD_FRAME, 0},
    {"glass", TS_SHOW_GLASS, 0},
    {"collision", TS_SHOW_COLLISION, 0},
    {"still", TS_SHOW_ONLY_MOVING, 1},
    {"shadows", TS_SHOW_NO_SHADOWS, 1},
    {"pattern", TS_SHOW_PATTERN, 0},
    {"grid", TS_SHOW_GRID, 0},
};

enum { LAYERS = sizeof layer / sizeof layer[0] };

// Words beside things.
static const struct {
    const char* name;
    unsigned bit;
} label[] = {
    {"body-names", TS_LABEL_BODIES},    {"joint-names", TS_LABEL_JOINTS},        {"geom-names", TS_LABEL_GEOMS},
    {"site-names", TS_LABEL_SITES},     {"tendon-names", TS_LABEL_TENDONS},      {"actuator-names", TS_LABEL_ACTUATORS},
    {"camera-names", TS_LABEL_CAMERAS}, {"force-words", TS_LABEL_FORCES},        {"contact-names", TS_LABEL_CONTACTS},
    {"island-names", TS_LABEL_ISLANDS}, {"equality-names", TS_LABEL_EQUALITIES},
};

enum { LABELS = sizeof label / sizeof label[0] };

// The bit of that label, or 0.
static unsigned label_of(const char* name, size_t length) {
    for (int i = 0; i < LABELS; ++i)
        if (strlen(label[i].name) == length && strncmp(label[i].name, name, length) == 0) return label[i].bit;
    return 0;
}

const char* ts_viewer_layer_name(int i) {
    if (i >= LAYERS && i < LAYERS + LABELS) return label[i - LAYERS].name;
    return i >= 0 && i < LAYERS ? layer[i].name : NULL;
}

static ts_code unknown_layer(const char* name, size_t length, ts_status* out_status) {
    char known[600] = "";
    for (int i = 0; ts_viewer_layer_name(i); ++i)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", ts_viewer_layer_name(i));
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "there is no layer '%.*s', but words, card, dark, textures, group0 to group5, %s", (int)length,
                         name, known);
}

static void hide(ts_view_request* request, unsigned group, int hidden) {
    request->hidden_groups = hidden ? request->hidden_groups | group : request->hidden_groups & ~group;
}

ts_code ts_viewer_read_layers(const char* list, ts_view_request* request, ts_status* out_status) {
    const char* at = list;
    for (;;) {
        int sign = *at == '-' || *at == '+' ? *at++ : '+';
        size_t length = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < LAYERS; ++i)
            if (strlen(layer[i].name) == length && strncmp(layer[i].name, at, length) == 0) found = i;
        if (length == 5 && strncmp(at, "words", length) == 0)
            request->overlay = sign == '+';
        else if (length == 4 && strncmp(at, "dark", length) == 0)
            request->dark = sign == '+';
        else if (length == 8 && strncmp(at, "textures", length) == 0)
            request->untextured = sign == '-';
        else if (length == 4 && strncmp(at, "card", length) == 0)
            request->card = sign == '+';
        else if (length == 6 && strncmp(at, "group", 5) == 0 && at[5] >= '0' && at[5] <= '5')
            hide(request, 1u << (at[5] - '0'), sign == '-');
        else if (length == 4 && strncmp(at, "none", length) == 0 && sign == '+')
            request->show = TS_SHOW_GEOMS | TS_SHOW_PATTERN | TS_SHOW_GRID;
        else if (label_of(at, length))
            request->labels =
                sign == '+' ? request->labels | label_of(at, length) : request->labels & ~label_of(at, length);
        else if (found < 0)
            return unknown_layer(at, length, out_status);
        else if ((sign == '+') != layer[found].inverse)
            request->show |= layer[found].bit;
        else
            request->show &= ~layer[found].bit;
        at += length;
        if (!*at) return ts_status_ok(out_status);
        ++at;
    }
}

ts_code ts_viewer_read_layout(const char* name, ts_layout* out_layout, ts_status* out_status) {
    if (strcmp(name, "panes") == 0)
        *out_layout = TS_LAYOUT_PANES;
    else if (strcmp(name, "ghost") == 0)
        *out_layout = TS_LAYOUT_GHOSTS;
    else
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a layout is 'panes' or 'ghost', not '%s'", name);
    return ts_status_ok(out_status);
}

// --- camera ----------------------------------------------------------------------------------------------------------

// Degrees.
static const struct {
    const char* name;
    double azimuth, elevation;
} side[] = {{"front", -90.0, 8.0}, {"back", 90.0, 8.0},     {"left", 180.0, 8.0},   {"right", 0.0, 8.0},
            {"top", -90.0, 89.0},  {"corner", -60.0, 20.0}, {"below", -60.0, -20.0}};

static ts_code refuse_camera(const char* text, const ts_model* model, ts_status* out_status) {
    char own[200] = "";
    for (int i = 0; model && i < model->camera_count && strlen(own) < 120; ++i)
        snprintf(own + strlen(own), sizeof own - strlen(own), "%s%.40s", i ? ", " : "; the model's own are ",
                 model->camera[i].name);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "a camera is front, back, left, right, top, corner or below, or AZIMUTH,ELEVATION in degrees, "
                         "perhaps with ,DISTANCE,X,Y,Z of what it looks at in m; '%s' is not%s",
                         text, own);
}

ts_code ts_viewer_read_camera(const char* text, const ts_model* model, ts_camera* out_camera, int* out_number,
                              ts_status* out_status) {
    double number[6];
    *out_camera = ts_camera_default();
    out_camera->distance = 0.0;
    *out_number = model ? 1 + ts_model_find_camera(model, text) : 0;
    if (*out_number > 0) return ts_status_ok(out_status);
    for (size_t i = 0; i < sizeof side / sizeof side[0]; ++i) {
        if (strcmp(side[i].name, text) != 0) continue;
        out_camera->azimuth = side[i].azimuth * TS_PI / 180.0;
        out_camera->elevation = side[i].elevation * TS_PI / 180.0;
        return ts_status_ok(out_status);
    }
    char spaced[200], why[120];
    snprintf(spaced, sizeof spaced, "%s", strlen(text) < sizeof spaced && !strchr(text, ' ') ? text : "?");
    for (char* c = spaced; *c; ++c)
        if (*c == ',') *c = ' ';
    int count = ts_number_list(spaced, number, 6, why, sizeof why);
    if (count != 2 && count != 6) return refuse_camera(text, model, out_status);
    if (fabs(number[1]) > 89.0 || (count > 2 && !(number[2] > 0.0)))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "a camera's elevation is from -89 to 89 degrees, its distance above 0: '%s'", text);
    out_camera->azimuth = remainder(number[0] * TS_PI / 180.0, 2.0 * TS_PI);
    out_camera->elevation = number[1] * TS_PI / 180.0;
    if (count > 2) out_camera->distance = number[2];
    if (count > 3) out_camera->target = ts_vec3_make(number[3], number[4], number[5]);
    return ts_status_ok(out_status);
}
