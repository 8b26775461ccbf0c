// Attributes to values: defaults looked up class by class, numbers read strictly, orientations in their five spellings.
//
// Where a class gives one spelling of the orientation and the element another, the element's own wins: the nearest node
// that has any of them decides.
#include "engine/read/mjcf/mjcf_internal.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ts_mjcf_element ts_mjcf_element_plain(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_element element = {reader, node, TS_MJCF_KIND_COUNT, -1};
    return element;
}

ts_mjcf_element ts_mjcf_element_make(ts_mjcf_reader* reader, const ts_xml_node* node, ts_mjcf_kind kind,
                                     int childclass) {
    const char* name = ts_xml_value(node, "class");
    if (childclass == 0) childclass = ts_mjcf_document_of(reader, node)->main_class;
    ts_mjcf_element element = {reader, node, kind, name ? ts_mjcf_find_class(reader, node, name) : childclass};
    return element;
}

// An attribute of blanks says nothing, as if it were not there.
static const char* said(const ts_xml_node* node, const char* name) {
    const char* value = ts_xml_value(node, name);
    return value && value[strspn(value, " \t\r\n")] ? value : NULL;
}

const char* ts_mjcf_text(const ts_mjcf_element* element, const char* name, const ts_xml_node** out_node) {
    const char* value = said(element->node, name);
    const ts_xml_node* node = element->node;
    ts_mjcf_default_cursor cursor = {element->class_index, 0};
    while (!value && node) {
        node = ts_mjcf_next_default(element, &cursor);
        value = node ? said(node, name) : NULL;
    }
    if (out_node) *out_node = node ? node : element->node;
    return value;
}

int ts_mjcf_reals(const ts_mjcf_element* element, const char* name, double* out_values, int least, int most) {
    const ts_xml_node* node;
    const char* text = ts_mjcf_text(element, name, &node);
    if (!text) return 0;
    char why[100] = "";
    int count = ts_number_list(text, out_values, most, why, sizeof why);
    if (count < 0) {
        ts_mjcf_fail(element->reader, node, TS_ERROR_PARSE, "%s of %s: %s", name, node->name, why);
        return 0;
    }
    if (count < least) {
        ts_mjcf_fail(element->reader, node, TS_ERROR_PARSE, "%s of %s needs %d number%s, not %d", name, node->name,
                     least, least == 1 ? "" : "s", count);
        return 0;
    }
    return count;
}

double ts_mjcf_real(const ts_mjcf_element* element, const char* name, double fallback) {
    double value = fallback;
    return ts_mjcf_reals(element, name, &value, 1, 1) ? value : fallback;
}

int ts_mjcf_integer(const ts_mjcf_element* element, const char* name, int fallback) {
    double value = 0.0;
    const ts_xml_node* node;
    if (!ts_mjcf_text(element, name, &node) || !ts_mjcf_reals(element, name, &value, 1, 1)) return fallback;
    if (value != floor(value) || fabs(value) > 2147483647.0) {
        ts_mjcf_fail(element->reader, node, TS_ERROR_PARSE, "%s of %s must be a whole number", name, node->name);
        return fallback;
    }
    return (int)value;
}

static const char* word_at(const void* words, int i) { return ((const char* const*)words)[i]; }

int ts_mjcf_word(const ts_mjcf_element* element, const char* name, const char* const* words, int count, int fallback) {
    const ts_xml_node* node;
    const char* text = ts_mjcf_text(element, name, &node);
    if (!text) return fallback;
    for (int i = 0; i < count; ++i)
        if (strcmp(words[i], text) == 0) return i;
    char known[200];
    ts_text_list(word_at, words, count, sizeof known, known);
    ts_mjcf_fail(element->reader, node, TS_ERROR_VALUE, "%s of %s is '%.60s', but must be one of %s", name, node->name,
                 text, known);
    return fallback;
}

int ts_mjcf_bool(const ts_mjcf_element* element, const char* name, int fallback) {
    static const char* const words[] = {"false", "true"};
    return ts_mjcf_word(element, name, words, 2, fallback);
}

int ts_mjcf_real_array(const ts_mjcf_element* element, const char* name, ts_builder_number_array* out_values) {
    const ts_xml_node* node;
    const char* text = ts_mjcf_text(element, name, &node);
    if (!text) return 0;
    const char* end = text + strlen(text);
    for (;;) {
        double value = 0.0;
        ts_number_result result = ts_number_scan(&text, end, &value);
        if (result == TS_NUMBER_END) return 1;
        if (result != TS_NUMBER_OK) {
            ts_mjcf_fail(element->reader, node, TS_ERROR_PARSE, "%s of %s: '%.40s' is not a %snumber", name, node->name,
                         text, result == TS_NUMBER_NOT_FINITE ? "finite " : "");
            return 0;
        }
        if (!ts_builder_number_array_push(out_values, value)) {
            ts_mjcf_fail(element->reader, node, TS_ERROR_MEMORY, "out of memory");
            return 0;
        }
    }
}

// --- orientations ---

static ts_quat refuse_orientation(const ts_mjcf_element* element, const char* why) {
    ts_mjcf_fail(element->reader, element->node, TS_ERROR_VALUE, "%s: %s", element->node->name, why);
    return ts_quat_identity();
}

static ts_quat from_quat(const ts_mjcf_element* element) {
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    if (!ts_mjcf_reals(element, "quat", q, 4, 4)) return ts_quat_identity();
    ts_quat rotation = ts_quat_load(q);
    double n = ts_quat_norm(rotation);
    if (n < 1e-10 || !isfinite(n)) return refuse_orientation(element, "the quaternion is zero");
    return fabs(n - 1.0) > 1e-15 ? ts_quat_normalize(rotation) : rotation;
}

static ts_quat from_axis_angle(const ts_mjcf_element* element) {
    double a[4] = {0.0, 0.0, 1.0, 0.0};
    if (!ts_mjcf_reals(element, "axisangle", a, 4, 4)) return ts_quat_identity();
    ts_vec3 axis = ts_vec3_load(a);
    if (ts_vec3_norm(axis) < 1e-10) return refuse_orientation(element, "the axis of axisangle is zero");
    return ts_quat_from_axis_angle(axis, a[3] * ts_mjcf_compiler_of(element->reader, element->node)->angle);
}

static ts_quat from_xy_axes(const ts_mjcf_element* element) {
    double a[6] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    if (!ts_mjcf_reals(element, "xyaxes", a, 6, 6)) return ts_quat_identity();
    ts_vec3 x = ts_vec3_load(a), y = ts_vec3_load(a + 3);
    if (ts_vec3_norm(x) < 1e-10) return refuse_orientation(element, "the x axis of xyaxes is zero");
    x = ts_vec3_unit_or(x, x);
    y = ts_vec3_add_scaled(y, -ts_vec3_dot(x, y), x);
    if (ts_vec3_norm(y) < 1e-10) return refuse_orientation(element, "the axes of xyaxes are parallel");
    y = ts_vec3_unit_or(y, y);
    ts_mat3 R = ts_mat3_from_columns(x, y, ts_vec3_cross(x, y));
    return ts_quat_normalize(ts_quat_from_mat3(&R));
}

static ts_quat from_z_axis(const ts_mjcf_element* element) {
    double a[3] = {0.0, 0.0, 1.0};
    if (!ts_mjcf_reals(element, "zaxis", a, 3, 3)) return ts_quat_identity();
    ts_vec3 z = ts_vec3_load(a);
    if (ts_vec3_norm(z) < 1e-10) return refuse_orientation(element, "zaxis is zero");
    return ts_quat_between(ts_vec3_axis(2), ts_vec3_unit_or(z, z));
}

// Lower-case letters turn about the axes that moved along (each turn acts before the ones already there), upper-case ones
// about the parent's.
ts_quat ts_mjcf_euler(const ts_mjcf_element* element, double times) {
    double a[3] = {0.0, 0.0, 0.0};
    if (!ts_mjcf_reals(element, "euler", a, 3, 3)) return ts_quat_identity();
    const ts_mjcf_compiler* c = ts_mjcf_compiler_of(element->reader, element->node);
    ts_quat q = ts_quat_identity();
    for (int i = 0; i < 3; ++i) {
        char letter = c->euler[i];
        int moving = letter >= 'x';
        ts_vec3 axis = ts_vec3_axis(letter - (moving ? 'x' : 'X'));
        ts_quat turn = ts_quat_from_axis_angle(axis, times * a[i] * c->angle);
        q = moving ? ts_quat_mul(q, turn) : ts_quat_mul(turn, q);
    }
    return ts_quat_normalize(q);
}

static ts_quat from_euler(const ts_mjcf_element* element) { return ts_mjcf_euler(element, 1.0); }

// The element narrowed to its nearest node that has an orientation; out_spelling is the index in the table below.
static ts_mjcf_element nearest_orientation(const ts_mjcf_element* element, int* out_spelling) {
    static const char* const spelling[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    *out_spelling = -1;
    ts_mjcf_default_cursor cursor = {element->class_index, 0};
    for (const ts_xml_node* node = element->node; node; node = ts_mjcf_next_default(element, &cursor)) {
        for (int s = 0; s < 5; ++s) {
            if (!ts_xml_value(node, spelling[s])) continue;
            if (*out_spelling >= 0)
                ts_mjcf_fail(element->reader, node, TS_ERROR_VALUE, "%s has its orientation twice: %s and %s",
                             node->name, spelling[*out_spelling], spelling[s]);
            *out_spelling = s;
        }
        if (*out_spelling >= 0) return ts_mjcf_element_plain(element->reader, node);
    }
    return *element;
}

ts_pose ts_mjcf_pose(const ts_mjcf_element* element) {
    static ts_quat (*const read[])(const ts_mjcf_element*) = {from_quat, from_axis_angle, from_xy_axes, from_z_axis,
                                                              from_euler};
    ts_pose pose = ts_pose_identity();
    double p[3] = {0.0, 0.0, 0.0};
    if (ts_mjcf_reals(element, "pos", p, 3, 3)) pose.position = ts_vec3_load(p);
    int spelling;
    ts_mjcf_element from = nearest_orientation(element, &spelling);
    if (spelling >= 0) pose.rotation = read[spelling](&from);
    return pose;
}

int ts_mjcf_from_to(const ts_mjcf_element* element, ts_pose* out_pose, double* out_half_length) {
    double e[6];
    if (!ts_mjcf_reals(element, "fromto", e, 6, 6)) return 0;
    ts_vec3 from = ts_vec3_load(e), to = ts_vec3_load(e + 3);
    double length = ts_vec3_distance(from, to);
    if (!(length > 1e-10) || !isfinite(length)) {
        refuse_orientation(element, "the points of fromto are the same");
        return 0;
    }
    out_pose->position = ts_vec3_lerp(from, to, 0.5);
    out_pose->rotation = ts_quat_between(ts_vec3_axis(2), ts_vec3_scale(1.0 / length, ts_vec3_sub(from, to)));
    *out_half_length = 0.5 * length;
    return 1;
}
