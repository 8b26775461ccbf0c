// The links of a model that never touch, as an SRDF: what `check --write-srdf FILE` writes.
//
// Pairs that touch never anyway, parents and children, are left out; MoveIt calls the others' reason "Default".
#include "cli/check/check_internal.h"
#include "cli/report/svg_internal.h"

ts_code ts_check_write_srdf(const ts_model* model, const char* path, ts_status* out_status) {
    ts_text text = {0};
    ts_text_add(&text, "<?xml version=\"1.0\"?>\n<robot name=\"");
    ts_svg_escape(&text, model->name);
    ts_text_add(&text, "\">\n");
    for (int i = 0; i < model->exclusion_count; ++i) {
        const char* name[2] = {model->body[model->exclusion[i].body_a].name,
                               model->body[model->exclusion[i].body_b].name};
        if (!name[0][0] || !name[1][0]) continue;
        ts_text_add(&text, "  <disable_collisions link1=\"");
        ts_svg_escape(&text, name[0]);
        ts_text_add(&text, "\" link2=\"");
        ts_svg_escape(&text, name[1]);
        ts_text_add(&text, "\" reason=\"Default\"/>\n");
    }
    ts_text_add(&text, "</robot>\n");
    ts_code code = ts_text_write_file(&text, path, out_status);
    ts_text_free(&text);
    return code;
}
