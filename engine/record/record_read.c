// Every extent is asked for before anything is read, so that a damaged file ends in an error and never in memory that is not there.
#include "engine/record/record_read_internal.h"

#ifdef TS_HAVE_HDF5

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t type_of(ts_record_type type) {
    switch (type) {
    case TS_RECORD_INT32: return H5T_NATIVE_INT32;
    case TS_RECORD_INT64: return H5T_NATIVE_INT64;
    case TS_RECORD_UINT64: return H5T_NATIVE_UINT64;
    case TS_RECORD_UINT8: return H5T_NATIVE_UINT8;
    case TS_RECORD_DOUBLE: break;
    }
    return H5T_NATIVE_DOUBLE;
}

static size_t size_of(ts_record_type type) { return type == TS_RECORD_UINT8 ? 1 : (type == TS_RECORD_INT32 ? 4 : 8); }

ts_record_numbers ts_record_numbers_open(int64_t file, const char* path) {
    ts_record_numbers n = {-1, {0, 1, 1}};
    hsize_t extent[3] = {0, 1, 1};
    n.dataset = H5Lexists(file, path, H5P_DEFAULT) > 0 ? H5Dopen2(file, path, H5P_DEFAULT) : -1;
    hid_t space = n.dataset >= 0 ? H5Dget_space(n.dataset) : -1;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if (rank >= 1 && rank <= 3)
        H5Sget_simple_extent_dims(space, extent, NULL);
    else
        ts_record_numbers_close(&n);
    if (space >= 0) H5Sclose(space);
    for (int i = 0; i < 3; ++i) n.extent[i] = extent[i];
    return n;
}

void ts_record_numbers_close(ts_record_numbers* n) {
    if (n->dataset >= 0) H5Dclose(n->dataset);
    n->dataset = -1;
}

uint64_t ts_record_numbers_width(const ts_record_numbers* n) { return n->extent[1] * n->extent[2]; }

int ts_record_numbers_read(const ts_record_numbers* n, uint64_t first, uint64_t count, uint64_t width,
                           ts_record_type type, void* out) {
    if (n->dataset < 0 || ts_record_numbers_width(n) != width || first > n->extent[0] || count > n->extent[0] - first)
        return 0;
    if (count == 0 || width == 0) return 1;
    hid_t there = H5Dget_space(n->dataset);
    int rank = H5Sget_simple_extent_ndims(there);
    hsize_t start[3] = {first, 0, 0}, size[3] = {count, n->extent[1], n->extent[2]};
    hid_t here = H5Screate_simple(rank, size, NULL);
    int ok = there >= 0 && here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
             H5Dread(n->dataset, type_of(type), here, there, H5P_DEFAULT, out) >= 0;
    if (there >= 0) H5Sclose(there);
    if (here >= 0) H5Sclose(here);
    return ok;
}

void* ts_record_numbers_list(const ts_record_numbers* n, ts_record_type type) {
    // A file cannot hold more than its size, but its header can say so.
    if (n->dataset < 0 || n->extent[0] == 0 || n->extent[0] > ((uint64_t)1 << 40)) return NULL;
    void* list = malloc((size_t)n->extent[0] * size_of(type));
    if (list && ts_record_numbers_read(n, 0, n->extent[0], 1, type, list)) return list;
    free(list);
    return NULL;
}

char* ts_record_read_text(int64_t file, const char* path, const char* attribute) {
    if (strcmp(path, "/") != 0 && H5Lexists(file, path, H5P_DEFAULT) <= 0) return NULL;
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    hid_t from = attribute && object >= 0 ? H5Aopen(object, attribute, H5P_DEFAULT) : -1;
    hid_t type = attribute ? (from >= 0 ? H5Aget_type(from) : -1) : (object >= 0 ? H5Dget_type(object) : -1);
    hid_t space = attribute ? (from >= 0 ? H5Aget_space(from) : -1) : (object >= 0 ? H5Dget_space(object) : -1);
    hid_t wanted = ts_record_text_type();
    char* text = NULL;
    if (type >= 0 && space >= 0 && wanted >= 0 && H5Tis_variable_str(type) > 0 &&
        H5Sget_simple_extent_npoints(space) == 1) {
        char* raw = NULL;
        int ok = attribute ? H5Aread(from, wanted, &raw) >= 0
                           : H5Dread(object, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, &raw) >= 0;
        if (ok && raw) text = strdup(raw);
        if (raw) H5free_memory(raw);
    }
    if (wanted >= 0) H5Tclose(wanted);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (from >= 0) H5Aclose(from);
    if (object >= 0) H5Oclose(object);
    return text;
}

typedef struct reason {
    char* text;
    size_t size;
} reason;

// The first entry is where it went wrong.
static herr_t note_first(unsigned n, const H5E_error2_t* error, void* user) {
    reason* r = (reason*)user;
    if (n == 0) snprintf(r->text, r->size, "%s", error->desc);
    return 0;
}

void ts_record_read_why(char* out_text, size_t size) {
    reason r = {out_text, size};
    snprintf(out_text, size, "damaged");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_first, &r);
}

#else
typedef int record_read_empty;
#endif
