// The page around the motions: data as JSON, style and scripts as they stand in this folder (cmake/TouchstoneText.cmake brings them here).
#include "cli/replay/replay_page_internal.h"

#include "scenes/scene_look.h"

#include <math.h>
#include <string.h>

/// The text of replay.css, and of the scripts, terminated.
extern const unsigned char ts_replay_style[];
extern const unsigned char ts_replay_decode_script[];
extern const unsigned char ts_replay_mesh_script[];
extern const unsigned char ts_replay_draw_script[];
extern const unsigned char ts_replay_page_script[];

// Without lines that only explain.
static void add_file(const unsigned char* bytes, ts_text* html) {
    const char* line = (const char*)bytes;
    while (*line) {
        line += strspn(line, " \n");
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "//", 2) != 0 && length > 0) ts_text_add(html, "%.*s\n", (int)length, line);
        line += length;
    }
}

static void add_escaped(const char* text, ts_text* html) {
    for (const char* c = text; *c; ++c) switch (*c) {
        case '&': ts_text_add(html, "&amp;"); break;
        case '<': ts_text_add(html, "&lt;"); break;
        case '>': ts_text_add(html, "&gt;"); break;
        case '"': ts_text_add(html, "&quot;"); break;
        default: ts_text_add_bytes(html, c, 1);
        }
}

static void add_vector(ts_json* json, const char* key, ts_vec3 v) {
    ts_json_add_array(json, key);
    for (int i = 0; i < 3; ++i) ts_json_number(json, ts_vec3_get(v, i));
    ts_json_array_end(json);
}

static void add_base64(ts_json* json, const char* key, const ts_text* bytes) {
    ts_text text = {0};
    ts_text_add_base64(&text, ts_text_get(bytes), bytes->length);
    ts_json_add_string(json, key, ts_text_get(&text));
    json->text->failed |= text.failed || bytes->failed;
    ts_text_free(&text);
}

static size_t coded_size(const ts_replay_page* replay, int stride) {
    size_t size = 0;
    for (int r = 0; r < replay->count; ++r) {
        ts_text bytes = {0}, numbers = {0};
        ts_reel_encode(&replay->reel[r], stride, &bytes, &numbers);
        size += 4 * (bytes.length + numbers.length) / 3;
        ts_text_free(&bytes);
        ts_text_free(&numbers);
    }
    return size;
}

static void add_runs(const ts_replay_page* replay, int stride, ts_json* json) {
    ts_json_add_array(json, "runs");
    for (int r = 0; r < replay->count; ++r) {
        const ts_reel* reel = &replay->reel[r];
        ts_text bytes = {0}, numbers = {0};
        ts_reel_encode(reel, stride, &bytes, &numbers);
        ts_json_object(json);
        ts_json_add_string(json, "name", reel->name);
        ts_json_add_string(json, "law", reel->law);
        ts_json_add_number(json, "length", reel->length);
        ts_json_add_number(json, "force", reel->force);
        ts_json_add_number(json, "spacing", reel->spacing * stride);
        add_base64(json, "motion", &bytes);
        add_base64(json, "numbers", &numbers);
        ts_json_object_end(json);
        ts_text_free(&bytes);
        ts_text_free(&numbers);
    }
    ts_json_array_end(json);
}

static void add_modes(ts_json* json) {
    ts_json_add_array(json, "modes");
    for (int m = 0; m < TS_MODE_COUNT; ++m) {
        const float* color = ts_scene_look_mode_color((ts_contact_mode)m);
        ts_json_object(json);
        ts_json_add_string(json, "name", ts_contact_mode_name((ts_contact_mode)m));
        ts_json_add_array(json, "color");
        for (int i = 0; i < 3; ++i) ts_json_number(json, (double)color[i]);
        ts_json_array_end(json);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

// Sizes of marks are those of the first run's start; the box is around all that any run did.
static void add_sizes(const ts_replay_page* replay, ts_json* json) {
    const ts_scene_sizes* sizes = &replay->reel[0].sizes;
    ts_scene_box box = ts_scene_box_empty();
    for (int r = 0; r < replay->count; ++r)
        if (replay->reel[r].box.count) ts_scene_box_add(&box, replay->reel[r].box.low, replay->reel[r].box.high);
    ts_json_add_object(json, "sizes");
    add_vector(json, "low", box.count ? box.low : sizes->low);
    add_vector(json, "high", box.count ? box.high : sizes->high);
    ts_json_add_number(json, "radius", sizes->radius);
    ts_json_add_number(json, "body", sizes->body_radius);
    ts_json_add_number(json, "metres_per_newton", sizes->metres_per_newton);
    ts_json_add_number(json, "longest_arrow", sizes->longest_arrow);
    ts_json_add_number(json, "grid", sizes->grid_cell);
    ts_json_object_end(json);
}

static void add_look(const ts_replay_look* look, ts_json* json) {
    if (!look) return;
    ts_json_add_object(json, "look");
    if (look->is_turned) {
        ts_json_add_number(json, "azimuth", look->azimuth);
        ts_json_add_number(json, "elevation", look->elevation);
        ts_json_add_number(json, "distance", look->distance);
        add_vector(json, "target", look->target);
    }
    ts_json_add_object(json, "show");
    ts_json_add_bool(json, "contacts", look->contacts);
    ts_json_add_bool(json, "forces", look->forces);
    ts_json_add_bool(json, "glass", look->glass);
    ts_json_add_bool(json, "grid", look->grid);
    ts_json_object_end(json);
    ts_json_add_string(json, "layout", look->ghosts ? "ghost" : "panes");
    ts_json_add_string(json, "theme", look->dark ? "dark" : NULL);
    ts_json_object_end(json);
}

static ts_code add_data(const ts_replay_page* replay, ts_text* text, ts_status* out_status) {
    ts_json json = ts_json_begin(text);
    const ts_model* model = replay->scene->model;
    int stride = 1;
    while (coded_size(replay, stride) > TS_REPLAY_BYTES && stride < replay->reel[0].frames.count) stride *= 2;
    ts_json_object(&json);
    ts_json_add_string(&json, "format", "touchstone replay");
    ts_json_add_integer(&json, "format_version", 1);
    ts_json_add_string(&json, "touchstone", TS_VERSION);
    ts_json_add_string(&json, "scene", replay->scene->name);
    ts_json_add_string(&json, "command", replay->command);
    ts_json_add_string(&json, "note", replay->note);
    ts_json_add_integer(&json, "focus", replay->scene->focus);
    ts_json_add_integer(&json, "turn", TS_REEL_TURN);
    ts_json_add_integer(&json, "normal", TS_REEL_NORMAL);
    ts_json_add_integer(&json, "contacts_at_most", TS_REEL_CONTACTS);
    ts_json_add_number(&json, "length_error", ts_reel_length_error(&replay->reel[0]));
    ts_json_add_number(&json, "turn_error", ts_reel_turn_error());
    ts_json_add_object(&json, "mark");
    ts_json_add_number(&json, "time", replay->mark);
    ts_json_add_string(&json, "text", replay->mark_text);
    ts_json_object_end(&json);
    add_look(replay->look, &json);
    add_modes(&json);
    add_sizes(replay, &json);
    ts_json_add_array(&json, "moving");
    for (int i = 0; i < replay->reel[0].moving; ++i) ts_json_integer(&json, replay->reel[0].body[i]);
    ts_json_array_end(&json);
    ts_code code = ts_replay_page_geometry(model, &json, out_status);
    add_runs(replay, stride, &json);
    ts_json_object_end(&json);
    return code;
}

ts_code ts_replay_page_html(const ts_replay_page* replay, ts_text* html, ts_status* out_status) {
    ts_text data = {0};
    ts_code code = add_data(replay, &data, out_status);
    ts_text_add(html, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
    add_escaped(replay->scene->name, html);
    ts_text_add(html, " - replay</title>\n<style>\n");
    add_file(ts_replay_style, html);
    ts_text_add(html, "</style></head>\n<body><noscript>This page needs its script to show the motion.</noscript>\n"
                      "<script type=\"application/json\" id=\"data\">");
    // Within strings only, where the escape means the same, so that no name ends the element.
    for (const char *at = ts_text_get(&data), *next; *at; at = next) {
        next = at + strcspn(at, "<");
        ts_text_add_bytes(html, at, (size_t)(next - at));
        if (*next) ts_text_add(html, "\\u003c"), ++next;
    }
    ts_text_add(html, "</script>\n<script>\n");
    add_file(ts_replay_decode_script, html);
    add_file(ts_replay_mesh_script, html);
    add_file(ts_replay_draw_script, html);
    add_file(ts_replay_page_script, html);
    ts_text_add(html, "</script>\n</body></html>\n");
    if (!code && (data.failed || html->failed))
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for a page");
    ts_text_free(&data);
    return code;
}
