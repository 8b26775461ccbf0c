// <hfield>: ground as a grid of elevations. A field is made when the first geom wants it.
//
// Elevations come from a file, from the attribute `elevation`, or are zero; as in MuJoCo they are single-precision numbers, brought to
// 0..1 and multiplied by size[2]. Two entries of <custom> say other things about the field NAME: the text touchstone.elevation.NAME,
// whose data is "metres", that `elevation` is in metres and stays as it is; and the numeric touchstone.waves.NAME, that the ground is a
// sum of waves, in metres, that begin where x is `begin` and have grown to their full height at begin + length:
//
//     data = begin length, then of each wave: a m n     z(x, y) = s((x - begin) / length) sum a sin(2 pi (m x + n y)),
//
// with s(t) = t^2 (3 - 2 t), a in metres, m and n in waves per metre.
#include "engine/read/elevation_file_internal.h"
#include "engine/read/mjcf/assets_internal.h"

#include "base/scalar.h"
#include "collision/shape/height_field.h"

#include <math.h>
#include <string.h>

void ts_mjcf_add_height_field(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "hfield");
    ts_mjcf_height_field entry = {.node = node};
    const char* name = ts_mjcf_asset_name(reader, node);
    if (!name) return;
    if (ts_name_table_find(&ts_mjcf_document_of(reader, node)->height_field_name, name) >= 0)
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "another hfield is named '%.80s'", name);
    else if (!ts_mjcf_height_field_array_push(&reader->height_fields, entry) ||
             !ts_name_table_put(&ts_mjcf_document_of(reader, node)->height_field_name, name,
                                reader->height_fields.count - 1))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

// The entry of <custom> about a field, or NULL.
static const ts_xml_node* find_note(const ts_mjcf_reader* reader, const char* subject, const char* field) {
    size_t length = strlen(subject);
    for (int i = 0; i < reader->height_notes.count; ++i) {
        const char* name = ts_xml_value(reader->height_notes.data[i], "name");
        if (strncmp(name, subject, length) == 0 && strcmp(name + length, field) == 0)
            return reader->height_notes.data[i];
    }
    return NULL;
}

// --- elevations ---

int ts_mjcf_names_png(const ts_xml_node* node, const char* file) {
    const char* type = ts_xml_value(node, "content_type");
    const char* dot = strrchr(file, '.');
    if (type) return strcmp(type, "image/png") == 0;
    return dot && strlen(dot) == 4 && dot[1] != '\0' && strchr("pP", dot[1]) && dot[2] != '\0' &&
           strchr("nN", dot[2]) && dot[3] != '\0' && strchr("gG", dot[3]);
}

static void load_elevations(const ts_mjcf_element* e, const char* file, ts_elevation* out_elevation) {
    ts_status status;
    memset(&status, 0, sizeof status);
    const char* folder = ts_mjcf_compiler_of(e->reader, e->node)->mesh_directory;
    const char* path = ts_mjcf_asset_path(e->reader, e->node, folder, file);
    ts_code code = path ? ts_elevation_load(path, ts_mjcf_names_png(e->node, file), out_elevation, &status) : TS_OK;
    if (code) ts_mjcf_fail(e->reader, e->node, code, "%.200s: %s", status.file, status.message);
}

// Most samples of a field that has no file: few characters can ask for any number.
enum { GRID_LIMIT = 1 << 20 };

// nrow, ncol and elevation; rows of the file go from the greatest y to the least.
static void take_elevations(const ts_mjcf_element* e, ts_elevation* out_elevation) {
    ts_builder_number_array value = {NULL, 0, 0};
    ts_status status;
    int rows = ts_mjcf_integer(e, "nrow", 0), columns = ts_mjcf_integer(e, "ncol", 0);
    if (!e->reader->xml.code && (long long)rows * columns > GRID_LIMIT)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "nrow x ncol of hfield is more than the %d that fit",
                     GRID_LIMIT);
    if (e->reader->xml.code) return;
    ts_code code = ts_elevation_make(rows, columns, out_elevation, &status);
    if (code) ts_mjcf_fail(e->reader, e->node, code, "%s", status.message);
    int given = !code && ts_mjcf_real_array(e, "elevation", &value);
    if (given && value.count != rows * columns)
        ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "elevation of hfield has %d numbers, but nrow x ncol is %d",
                     value.count, rows * columns);
    for (int r = 0; given && !e->reader->xml.code && r < rows; ++r)
        memcpy(out_elevation->value + (size_t)r * (size_t)columns,
               value.data + (size_t)(rows - 1 - r) * (size_t)columns, (size_t)columns * sizeof(double));
    ts_builder_number_array_free(&value);
}

// Brings elevations to 0..1 in single precision, as MuJoCo does, and multiplies them by `most`.
static void scale_elevations(const ts_mjcf_element* e, double most, ts_elevation* elevation) {
    int count = elevation->rows * elevation->columns;
    float low = HUGE_VALF, high = 0.0f;
    for (int i = 0; i < count && !e->reader->xml.code; ++i) {
        float value = (float)elevation->value[i];
        if (!isfinite(value)) ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "elevation %d is not finite", i);
        low = fminf(low, value);
    }
    for (int i = 0; i < count; ++i) high = fmaxf(high, (float)elevation->value[i] - low);
    for (int i = 0; i < count; ++i) {
        float value = (float)elevation->value[i] - low;
        elevation->value[i] = most * (double)(high > 0.0f ? value / high : value);
    }
}

// touchstone.waves.NAME; `size` as the field has it.
static void make_waves(ts_mjcf_reader* reader, const ts_xml_node* note, const double size[4], ts_elevation* elevation) {
    ts_mjcf_element e = ts_mjcf_element_plain(reader, note);
    ts_builder_number_array data = {NULL, 0, 0};
    ts_mjcf_real_array(&e, "data", &data);
    if (data.count < 2 || data.count % 3 != 2 || !(data.data[1] >= 0.0))
        ts_mjcf_fail(reader, note, TS_ERROR_VALUE,
                     "waves are where they begin, along which length they grow, and three numbers for each");
    for (int r = 0; r < elevation->rows && !reader->xml.code; ++r)
        for (int c = 0; c < elevation->columns; ++c) {
            double x = size[0] * (2.0 * c / (elevation->columns - 1) - 1.0);
            double y = size[1] * (2.0 * r / (elevation->rows - 1) - 1.0), z = 0.0, beyond = x - data.data[0];
            double t = data.data[1] > 0.0 ? ts_clamp(beyond / data.data[1], 0.0, 1.0) : (double)(beyond >= 0.0);
            for (int k = 2; k < data.count; k += 3)
                z += data.data[k] * sin(2.0 * TS_PI * (data.data[k + 1] * x + data.data[k + 2] * y));
            elevation->value[r * elevation->columns + c] = t * t * (3.0 - 2.0 * t) * z;
        }
    ts_builder_number_array_free(&data);
}

// --- fields ---

static void make_field(ts_mjcf_reader* reader, const char* name, ts_mjcf_height_field* entry) {
    ts_mjcf_element e = ts_mjcf_element_plain(reader, entry->node);
    const char* file = ts_xml_value(entry->node, "file");
    const ts_xml_node* metres = find_note(reader, "touchstone.elevation.", name);
    const ts_xml_node* waves = find_note(reader, "touchstone.waves.", name);
    ts_elevation elevation = {0, 0, NULL};
    ts_height_field* field = NULL;
    double size[4] = {0.0};
    ts_status status;
    memset(&status, 0, sizeof status);
    if (ts_mjcf_reals(&e, "size", size, 4, 4) != 4 && !reader->xml.code)
        ts_mjcf_fail(reader, entry->node, TS_ERROR_PARSE, "hfield needs a size of four numbers");
    for (int k = 0; k < 4 && !reader->xml.code; ++k)
        if (!(size[k] > 0.0)) ts_mjcf_fail(reader, entry->node, TS_ERROR_VALUE, "size of hfield must be positive");
    if (metres && strcmp(ts_xml_value(metres, "data"), "metres") != 0)
        ts_mjcf_fail(reader, metres, TS_ERROR_VALUE, "elevations are in metres, or nothing is said of them");
    if (reader->xml.code) return;
    if (file)
        load_elevations(&e, file, &elevation);
    else
        take_elevations(&e, &elevation);
    if (waves && !reader->xml.code) make_waves(reader, waves, size, &elevation);
    if (!metres && !waves && !reader->xml.code) scale_elevations(&e, size[2], &elevation);
    if (!reader->xml.code) {
        double across = 2.0 * size[0] / (elevation.columns - 1), along = 2.0 * size[1] / (elevation.rows - 1);
        ts_code code = ts_height_field_build(elevation.value, elevation.rows, elevation.columns, across, along,
                                             -size[3], &field, &status);
        if (code) ts_mjcf_fail(reader, entry->node, code, "%s", status.message);
    }
    if (field && !ts_builder_add_height_field(reader->builder, field)) {
        ts_height_field_free(field);
        field = NULL;
        ts_mjcf_fail(reader, entry->node, TS_ERROR_MEMORY, "out of memory");
    }
    entry->field = field;
    ts_elevation_free(&elevation);
}

const ts_height_field* ts_mjcf_find_height_field(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name) {
    int index = ts_name_table_find(&ts_mjcf_document_of(reader, node)->height_field_name, name);
    if (index < 0) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "geom: there is no hfield '%.80s'", name);
        return NULL;
    }
    ts_mjcf_height_field* entry = &reader->height_fields.data[index];
    if (!entry->field) make_field(reader, name, entry);
    return entry->field;
}
