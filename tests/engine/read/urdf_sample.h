// Helpers of the URDF tests: reading from a string, expecting success or a message.
#ifndef TS_TESTS_URDF_SAMPLE_H
#define TS_TESTS_URDF_SAMPLE_H

#include "base/text.h"
#include "engine/read/urdf/urdf.h"
#include "tests/engine/read/mjcf_sample.h"

/// A link of mass 1 kg with unit inertia and nothing else.
#define LINK(name)                                                                                                \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>" \
    "</inertial></link>"

/// A joint with some contents.
#define JOINT(name, type, parent, child, contents) \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" contents "</joint>"

/// Reads a robot from its contents, which must be fine. Free with ts_model_free.
static inline ts_model* urdf_read_as(const char* contents, ts_root_choice root, ts_import_report* report) {
    ts_model_file_options options = {.root = root};
    ts_text text = {0};
    ts_model* model = NULL;
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_text_add(&text, "<robot name='r'>");
    ts_text_add_bytes(&text, contents, strlen(contents));
    ts_text_add(&text, "</robot>");
    ts_code code = ts_urdf_parse(ts_text_get(&text), text.length, "t.urdf", NULL, &options, report, &model, &status);
    ts_text_free(&text);
    cr_assert_eq(code, TS_OK, "%s:%d: %s", status.file, status.line, status.message);
    cr_assert_not_null(model);
    return model;
}

/// See urdf_read_as.
static inline ts_model* urdf_read(const char* contents) { return urdf_read_as(contents, TS_ROOT_BY_FILE, NULL); }

/// A robot that must be refused at `line` of its contents, with `wanted` in the message.
static inline void urdf_refuse(const char* contents, int line, const char* wanted) {
    ts_text text = {0};
    ts_model* model = NULL;
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_text_add(&text, "<robot name='r'>");
    ts_text_add_bytes(&text, contents, strlen(contents));
    ts_text_add(&text, "</robot>");
    ts_code code = ts_urdf_parse(ts_text_get(&text), text.length, "t.urdf", NULL, NULL, NULL, &model, &status);
    ts_text_free(&text);
    cr_assert_neq(code, TS_OK, "taken, but wanted '%s' for: %.200s", wanted, contents);
    cr_assert_null(model);
    cr_assert(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
    cr_assert_str_eq(status.file, "t.urdf");
    cr_assert_eq(status.line, line, "line %d, not %d: %s", status.line, line, status.message);
}

#endif
