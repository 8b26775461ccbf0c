// Problem: shapes and poses from short texts. Rule: a known kind and a colon, its dimensions separated by commas, then
// perhaps `+radius`; whatever has no known kind is the path of a mesh, of which the convex hull counts. Guaranteed: a text
// that is not understood is refused with what would have been; every number is finite; dimensions are those that
// ts_shape_validate allows.
#include "cli/shape_text.h"

#include "base/hash.h"
#include "cli/args.h"
#include "collision/shape/mesh_file.h"
#include "collision/distance/proximity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 9, LONGEST_NUMBER = 63, MOST_FORMS = TS_SHAPE_KIND_COUNT };

// A kind that can be written: one made of numbers, or a triangle by its corners.
typedef struct shape_form {
    const char* name;
    const char* help;
    ts_shape_kind kind;
    int numbers;
    char dimensions[64];  // "HX,HY,HZ"
} shape_form;

// The forms there are, in the order of the kinds. Returns how many.
static int list_forms(shape_form* out_form) {
    int count = 0;
    for (int k = 0; k < TS_SHAPE_KIND_COUNT; ++k) {
        const ts_shape_kind_info* info = ts_shape_kind_info_of((ts_shape_kind)k);
        shape_form form = {info->name, info->help, (ts_shape_kind)k, info->parameter_count, ""};
        for (int i = 0, used = 0; i < info->parameter_count; ++i)
            used += snprintf(form.dimensions + used, sizeof form.dimensions - (size_t)used, "%s%s", i ? "," : "",
                             info->parameter[i].letters);
        if (k == TS_SHAPE_TRIANGLE) {
            form.numbers = 9;
            form.help = "three corners";
            snprintf(form.dimensions, sizeof form.dimensions, "X,Y,Z,X,Y,Z,X,Y,Z");
        } else if (info->made_of) {
            continue;
        }
        out_form[count++] = form;
    }
    return count;
}

void ts_shape_text_add_help(ts_text* text) {
    shape_form form[MOST_FORMS];
    int count = list_forms(form);
    for (int i = 0; i < count; ++i) {
        char written[96];
        snprintf(written, sizeof written, "%s%s%s", form[i].name, form[i].numbers ? ":" : "", form[i].dimensions);
        ts_text_add(text, "  %-26s  %s\n", written, form[i].help);
    }
    ts_text_add(text, "  FILE.obj, FILE.stl          the convex hull of a mesh\n"
                      "  any of these but plane with +R: grown by a ball, e.g. box:1,2,3+0.1\n");
}

static const char* form_name(const void* context, int i) { return ((const shape_form*)context)[i].name; }

// The number in [from, end), which must be all of it.
static int read_number(const char* from, const char* end, double* out_value) {
    char word[LONGEST_NUMBER + 1];
    size_t length = (size_t)(end - from);
    if (length == 0 || length > LONGEST_NUMBER) return 0;
    memcpy(word, from, length);
    word[length] = 0;
    return ts_args_number(word, out_value);
}

// Where `+radius` starts in [from, end): a plus that belongs to no number. `end` when there is none.
static const char* find_rounding(const char* from, const char* end) {
    for (const char* c = from + 1; c < end; ++c)
        if (*c == '+' && c[-1] != 'e' && c[-1] != 'E' && c[-1] != ',') return c;
    return end;
}

// Numbers separated by commas. Returns how many, or -1 with *out_bad at what is none.
static int read_numbers(const char* from, const char* end, double* out_number, int capacity, const char** out_bad) {
    int count = 0;
    while (from < end || count > 0) {
        const char* stop = from;
        while (stop < end && *stop != ',') ++stop;
        double value = 0.0;
        *out_bad = from;
        if (!read_number(from, stop, &value)) return -1;
        if (count < capacity) out_number[count] = value;
        ++count;
        if (stop == end) break;
        from = stop + 1;
    }
    return count;
}

static ts_code no_such_form(const char* text, size_t length, ts_status* out_status) {
    char word[32], names[256], room[TS_ARGS_HINT];
    shape_form form[MOST_FORMS];
    int count = list_forms(form), used = 0;
    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), text);
    for (int i = 0; i < count && used < (int)sizeof names; ++i)
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", i ? ", " : ": ", form[i].name);
    if (used < (int)sizeof names)
        snprintf(names + used, sizeof names - (size_t)used, ", or the path of an .obj or .stl mesh");
    const char* hint = ts_args_hint(word, form_name, form, count, names, room);
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s' is no shape%s", hint == room ? word : text, hint);
}

static void make_shape(const shape_form* form, const double* n, ts_written_shape* out) {
    if (form->kind != TS_SHAPE_TRIANGLE) {
        out->shape = ts_shape_make(form->kind, n);
        return;
    }
    for (int i = 0; i < 3; ++i) out->corner[i] = ts_vec3_load(n + 3 * i);
    out->shape = ts_shape_triangle(out->corner);
}

// A text with a known kind; `dimensions` is what follows the colon.
static ts_code read_form(const shape_form* form, const char* dimensions, double* out_rounding, ts_written_shape* out,
                         ts_status* out_status) {
    double number[MOST_NUMBERS];
    const char *end = dimensions + strlen(dimensions), *bad = dimensions;
    const char* plus = form->numbers ? find_rounding(dimensions, end) : end;
    if (plus < end && !read_number(plus + 1, end, out_rounding))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s': '%s' is no radius", out->text, plus + 1);
    int count = read_numbers(dimensions, plus, number, form->numbers, &bad);
    if (count < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s': '%.40s' is no number; it is %s:%s", out->text,
                             bad, form->name, form->dimensions);
    if (count != form->numbers)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s': %s takes %d number%s%s%s, not %d", out->text,
                             form->name, form->numbers, form->numbers == 1 ? "" : "s", form->numbers ? ": " : "",
                             form->dimensions, count);
    make_shape(form, number, out);
    return TS_OK;
}

// Whether [text, end) ends like a mesh file.
static int names_mesh(const char* text, const char* end) {
    if (end - text < 5 || end[-4] != '.') return 0;
    char word[4];
    for (int i = 0; i < 3; ++i) word[i] = (char)(end[i - 3] | 0x20);
    word[3] = 0;
    return strcmp(word, "obj") == 0 || strcmp(word, "stl") == 0;
}

static ts_code read_mesh(double* out_rounding, ts_written_shape* out, ts_status* out_status) {
    const char* end = out->text + strlen(out->text);
    const char* plus = end;
    // A plus counts only behind the file's ending, since a name may have one too.
    for (const char* c = end - 1; c > out->text && !names_mesh(out->text, end); --c)
        if (*c == '+' && names_mesh(out->text, c)) {
            plus = c;
            break;
        }
    if (!names_mesh(out->text, plus)) return no_such_form(out->text, strlen(out->text), out_status);
    if (plus < end && !read_number(plus + 1, end, out_rounding))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s': '%s' is no radius", out->text, plus + 1);
    char path[4096];
    int length = snprintf(path, sizeof path, "%.*s", (int)(plus - out->text), out->text);
    if (length < 0 || (size_t)length >= sizeof path)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the path of a mesh is too long");
    ts_mesh mesh;
    ts_code code = ts_mesh_load(path, &mesh, out_status);
    if (code) return code;
    out->points_read = mesh.vertex_count;
    ts_status why;
    code = ts_hull_build_any(mesh.vertex, mesh.vertex_count, &out->hull, NULL, &why);
    ts_mesh_free(&mesh);
    if (code) return ts_status_set(out_status, TS_ERROR_PARSE, path, 0, "no convex hull: %s", why.message);
    out->shape = ts_shape_hull(out->hull);
    return TS_OK;
}

static ts_code read_shape(ts_written_shape* out, ts_status* out_status) {
    double rounding = 0.0;
    size_t length = strcspn(out->text, ":");
    shape_form forms[MOST_FORMS];
    const shape_form* form = NULL;
    int count = list_forms(forms);
    for (int i = 0; i < count && !form; ++i)
        if (strlen(forms[i].name) == length && strncmp(forms[i].name, out->text, length) == 0) form = &forms[i];
    ts_code code;
    if (form && (out->text[length] == ':' || !form->numbers))
        code = read_form(form, out->text + length + (out->text[length] == ':'), &rounding, out, out_status);
    else if (form)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%s needs its dimensions: %s:%s", form->name,
                             form->name, form->dimensions);
    else if (out->text[length] == ':' && !names_mesh(out->text, out->text + strlen(out->text)))
        return no_such_form(out->text, length, out_status);
    else
        code = read_mesh(&rounding, out, out_status);
    if (code) return code;
    ts_status why;
    if (!(rounding >= 0.0))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s': a rounding radius cannot be negative",
                             out->text);
    if (rounding > 0.0) out->shape = ts_shape_rounded(out->shape, rounding);
    if (ts_shape_validate(&out->shape, &why))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%s': %s", out->text, why.message);
    return ts_status_ok(out_status);
}

// --- the store -------------------------------------------------------------------------------------------------------

static void free_shape(ts_written_shape* shape) {
    if (!shape) return;
    ts_hull_free(shape->hull);
    free(shape->text);
    free(shape);
}

static int find_slot(const ts_shape_store* store, const char* text) {
    int mask = store->slot_count - 1;
    int at = (int)(ts_hash_bytes(TS_HASH_START, text, strlen(text)) & (unsigned)mask);
    while (store->slot[at] && strcmp(store->slot[at]->text, text) != 0) at = (at + 1) & mask;
    return at;
}

static int make_room(ts_shape_store* store) {
    if (2 * (store->count + 1) <= store->slot_count) return 1;
    ts_shape_store larger = {NULL, store->slot_count ? 2 * store->slot_count : 16, store->count};
    larger.slot = (ts_written_shape**)calloc((size_t)larger.slot_count, sizeof(ts_written_shape*));
    if (!larger.slot) return 0;
    for (int i = 0; i < store->slot_count; ++i)
        if (store->slot[i]) larger.slot[find_slot(&larger, store->slot[i]->text)] = store->slot[i];
    free(store->slot);
    *store = larger;
    return 1;
}

ts_code ts_shape_store_get(ts_shape_store* store, const char* text, const ts_written_shape** out_shape,
                           ts_status* out_status) {
    if (!make_room(store)) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    int at = find_slot(store, text);
    if (!store->slot[at]) {
        ts_written_shape* made = (ts_written_shape*)calloc(1, sizeof *made);
        if (made) made->text = (char*)malloc(strlen(text) + 1);
        if (!made || !made->text) {
            free_shape(made);
            return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
        }
        memcpy(made->text, text, strlen(text) + 1);
        ts_code code = read_shape(made, out_status);
        if (code) {
            free_shape(made);
            return code;
        }
        store->slot[at] = made;
        ++store->count;
    }
    *out_shape = store->slot[at];
    return ts_status_ok(out_status);
}

void ts_shape_store_free(ts_shape_store* store) {
    for (int i = 0; i < store->slot_count; ++i) free_shape(store->slot[i]);
    free(store->slot);
    store->slot = NULL;
    store->slot_count = store->count = 0;
}

// "half extents 1, 2, 3 m": numbers that have the same name stand together.
static void describe_numbers(const ts_shape* shape, const ts_shape_kind_info* info, ts_text* text) {
    for (int i = 0, j; i < info->parameter_count; i = j) {
        const char* name = info->parameter[i].name;
        size_t length = strlen(name);
        for (j = i + 1; j < info->parameter_count && strcmp(info->parameter[j].name, name) == 0;) ++j;
        // An axis, two axes.
        if (j > i + 1 && length > 2 && strcmp(name + length - 2, "is") == 0)
            ts_text_add(text, ", %.*ses", (int)length - 2, name);
        else
            ts_text_add(text, ", %s%s", name, j > i + 1 ? "s" : "");
        for (int k = i; k < j; ++k) ts_text_add(text, "%s %.10g", k > i ? "," : "", ts_shape_value(shape, k));
        ts_text_add(text, " m");
    }
}

void ts_shape_text_describe(const ts_written_shape* written, ts_text* text) {
    const ts_shape* s = &written->shape;
    const ts_shape_kind_info* info = ts_shape_kind_info_of(s->kind);
    double ball = s->radius;
    for (int i = 0; i < info->parameter_count; ++i)
        if (info->parameter[i].place == TS_SHAPE_AT_RADIUS) ball = 0.0;
    if (s->kind == TS_SHAPE_HULL)
        ts_text_add(text, "%s: hull of %d vertices (of %d read)", written->text, s->hull->vertex_count,
                    written->points_read);
    else if (s->kind == TS_SHAPE_PLANE)
        ts_text_add(text, "half-space below its xy plane");
    else
        ts_text_add(text, "%s", info->name);
    describe_numbers(s, info, text);
    if (ball > 0.0) ts_text_add(text, ", rounded by %.10g m", ball);
}

// --- poses -----------------------------------------------------------------------------------------------------------

ts_code ts_pose_numbers(const double* n, int count, ts_transform* out_placed, int* out_mended, ts_status* out_status) {
    if (count != 3 && count != 7)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "a pose has 3 numbers (x,y,z) or 7 (x,y,z,qw,qx,qy,qz), not %d", count);
    ts_pose pose = ts_pose_identity();
    pose.position = ts_vec3_load(n);
    if (count == 7) pose.rotation = ts_quat_load(n + 3);
    switch (ts_proximity_place(pose, out_placed)) {
    case TS_PROXIMITY_PLACED: break;
    case TS_PROXIMITY_MADE_UNIT: *out_mended = 1; break;
    case TS_PROXIMITY_NOT_FINITE: return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a pose must be finite");
    case TS_PROXIMITY_NOT_A_ROTATION:
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "the quaternion (%.10g, %.10g, %.10g, %.10g) is no rotation: its length is %.10g, not 1",
                             n[3], n[4], n[5], n[6], ts_quat_norm(pose.rotation));
    }
    return ts_status_ok(out_status);
}

ts_code ts_pose_text_parse(const char* text, ts_transform* out_placed, int* out_mended, ts_status* out_status) {
    double number[7];
    const char* bad = text;
    int count = read_numbers(text, text + strlen(text), number, 7, &bad);
    if (count < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "pose '%s': '%.40s' is no number; it is x,y,z or x,y,z,qw,qx,qy,qz", text, bad);
    return ts_pose_numbers(number, count, out_placed, out_mended, out_status);
}
