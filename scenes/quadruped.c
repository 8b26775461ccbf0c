// The quadruped on other ground: its file, with another floor in the place of its own.
//
// The waves are z = s(x) 0.05 (0.6 sin(2 pi x / 0.55) cos(2 pi y / 0.7) + 0.4 sin(2 pi (x + 0.37 y) / 0.31)) m, s growing smoothly
// from 0 to 1 behind a level pad of half a metre; the product of sine and cosine is half the sum of two sines.
#include "scenes/quadruped_internal.h"

#include "base/text.h"
#include "engine/read/mjcf/mjcf.h"
#include "scenes/scene_files_internal.h"

#include <string.h>

static const char floor_begin[] = "<geom name=\"floor\"";

static const char slippery_floor[] = "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" priority=\"1\" "
                                     "friction=\"0.3\" contype=\"1\" conaffinity=\"1\" "
                                     "rgba=\"0.62 0.74 0.84 1\"/>";

static const char bumpy_floor[] =
    "<geom name=\"floor\" type=\"hfield\" hfield=\"waves\" pos=\"5.5 0 0\" contype=\"1\" conaffinity=\"1\" "
    "rgba=\"0.62 0.66 0.55 1\"/>";

// 14 m by 3 m, samples 0.02 m apart. The field's own x is that of the world less 5.5 m.
static const char bumpy_assets[] =
    "<asset><hfield name=\"waves\" nrow=\"151\" ncol=\"701\" size=\"7 1.5 1 0.3\"/></asset>"
    "<custom><numeric name=\"touchstone.waves.waves\" data=\"-5 0.5  0.015 1.8181818181818181 1.4285714285714286 "
    "0.015 1.8181818181818181 -1.4285714285714286  0.02 3.2258064516129035 1.1935483870967742\"/></custom>";

// The file's text with `assets` in front of <worldbody> and `ground` for its floor.
static ts_code build(const char* name, const char* assets, const char* ground, ts_model** out_model,
                     ts_status* out_status) {
    const ts_scene_file* file = NULL;
    for (int i = 0; i < ts_scene_file_count; ++i)
        if (strcmp(ts_scene_files[i].name, "quadruped") == 0) file = &ts_scene_files[i];
    const char* world = file ? strstr(file->text, "<worldbody>") : NULL;
    const char* floor = world ? strstr(world, floor_begin) : NULL;
    const char* floor_end = floor ? strstr(floor, "/>") : NULL;
    if (!floor_end)
        return ts_status_set(out_status, TS_ERROR_FILE, NULL, 0, "the quadruped's file has no floor to replace");
    ts_text text = {0};
    ts_text_add_bytes(&text, file->text, (size_t)(world - file->text));
    ts_text_add(&text, "%s", assets);
    ts_text_add_bytes(&text, world, (size_t)(floor - world));
    ts_text_add(&text, "%s%s", ground, floor_end + 2);
    ts_code code = ts_mjcf_parse(ts_text_get(&text), text.length, name, NULL, NULL, out_model, out_status);
    ts_text_free(&text);
    return code;
}

ts_code ts_quadruped_build_slippery(ts_model** out_model, ts_status* out_status) {
    return build("quadruped-slippery", "", slippery_floor, out_model, out_status);
}

ts_code ts_quadruped_build_bumpy(ts_model** out_model, ts_status* out_status) {
    return build("quadruped-bumpy", bumpy_assets, bumpy_floor, out_model, out_status);
}
