// Every extent is asked for before anything is read, so that a damaged file ends in an error and never in memory that is not there.
#include "engine/record/record_read_internal.h"

#ifdef TS_HAVE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <math.h>
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

// Deflate shrinks by 1032 at most: a dataset that claims more than this over what is stored was never written.
static const double shrink_most = 1100.0;

// How its numbers are stored. 0 when the file cannot hold as many as it claims, or cuts rows into pieces.
static int look_at_storage(ts_record_numbers* n, int rank, const hsize_t extent[3]) {
    hid_t type = H5Dget_type(n->dataset), creation = H5Dget_create_plist(n->dataset);
    hsize_t chunk[3] = {0, 1, 1};
    double bytes = type >= 0 ? (double)H5Tget_size(type) : (double)INFINITY;
    int ok = creation >= 0 && bytes * (double)extent[0] * (double)extent[1] * (double)extent[2] <=
                                  shrink_most * (double)H5Dget_storage_size(n->dataset);
    if (ok && H5Pget_layout(creation) == H5D_CHUNKED) {
        ok = H5Pget_chunk(creation, rank, chunk) == rank && chunk[0] > 0 && chunk[1] >= extent[1] &&
             chunk[2] >= extent[2];
        double whole = bytes * (double)chunk[0] * (double)chunk[1] * (double)chunk[2];
        ok = ok && whole < 4294967296.0;
        n->piece = chunk[0];
        n->bytes = ok ? (uint64_t)whole : 0;
        n->filters = H5Pget_nfilters(creation);
    }
    if (creation >= 0) H5Pclose(creation);
    if (type >= 0) H5Tclose(type);
    return ok;
}

// Whether the chunks of these rows are as long as they have to be. HDF5 1.10 reads a whole chunk out of one that the file says
// is shorter, when it also says that it was not packed.
static int chunks_are_whole(const ts_record_numbers* n, uint64_t first, uint64_t count) {
#if H5_VERSION_GE(1, 10, 5)
    for (uint64_t row = n->piece ? first - first % n->piece : first; n->piece && row < first + count; row += n->piece) {
        hsize_t offset[3] = {row, 0, 0}, size = 0;
        haddr_t address;
        unsigned skipped = 0;
        if (H5Dget_chunk_info_by_coord(n->dataset, offset, &skipped, &address, &size) < 0) return 0;
        if (size > 0 && size != n->bytes && (n->filters < 1 || skipped != 0)) return 0;
    }
#else
    (void)n;
    (void)first;
    (void)count;
#endif
    return 1;
}

ts_record_numbers ts_record_numbers_open(int64_t file, const char* path) {
    ts_record_numbers n = {.dataset = -1, .extent = {0, 1, 1}};
    hsize_t extent[3] = {0, 1, 1};
    n.dataset = H5Lexists(file, path, H5P_DEFAULT) > 0 ? H5Dopen2(file, path, H5P_DEFAULT) : -1;
    hid_t space = n.dataset >= 0 ? H5Dget_space(n.dataset) : -1;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if (rank >= 1 && rank <= 3)
        H5Sget_simple_extent_dims(space, extent, NULL);
    else
        ts_record_numbers_close(&n);
    if (space >= 0) H5Sclose(space);
    if (n.dataset >= 0 && !look_at_storage(&n, rank, extent)) ts_record_numbers_close(&n);
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
    if (!chunks_are_whole(n, first, count)) return 0;
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
    if (n->dataset < 0 || n->extent[0] == 0) return NULL;
    void* list = malloc((size_t)n->extent[0] * size_of(type));
    if (list && ts_record_numbers_read(n, 0, n->extent[0], 1, type, list)) return list;
    free(list);
    return NULL;
}

// Bytes of a text of that type; 0 when it is of none that is read.
static size_t text_bytes(hid_t type, hid_t space, hsize_t stored) {
    if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    size_t bytes = H5Tget_size(type);
    return H5Sget_simple_extent_npoints(space) == 1 && bytes <= stored ? bytes : 0;
}

char* ts_record_read_text(int64_t file, const char* path, const char* attribute) {
    if (strcmp(path, "/") != 0 && H5Lexists(file, path, H5P_DEFAULT) <= 0) return NULL;
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    hid_t from = attribute && object >= 0 ? H5Aopen(object, attribute, H5P_DEFAULT) : -1;
    hid_t type = attribute ? (from >= 0 ? H5Aget_type(from) : -1) : (object >= 0 ? H5Dget_type(object) : -1);
    hid_t space = attribute ? (from >= 0 ? H5Aget_space(from) : -1) : (object >= 0 ? H5Dget_space(object) : -1);
    size_t bytes = text_bytes(type, space, attribute ? H5Aget_storage_size(from) : H5Dget_storage_size(object));
    hid_t wanted = bytes ? ts_record_text_type(bytes + 1) : -1;
    char* text = wanted >= 0 ? (char*)calloc(bytes + 1, 1) : NULL;
    int ok =
        text && H5Tset_cset(wanted, H5Tget_cset(type)) >= 0 &&
        (attribute ? H5Aread(from, wanted, text) : H5Dread(object, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)) >= 0;
    if (!ok) {
        free(text);
        text = NULL;
    }
    if (wanted >= 0) H5Tclose(wanted);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (from >= 0) H5Aclose(from);
    if (object >= 0) H5Oclose(object);
    return text;
}

int ts_record_read_number(int64_t object, const char* name, ts_record_type type, void* out) {
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    int ok = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type_of(type), out) >= 0;
    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    return ok;
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

int64_t ts_record_read_open(const char* path, int64_t access, ts_status* out_status) {
    char why[256] = "damaged", byte;
    reason r = {why, sizeof why};
    FILE* stream = fopen(path, "rb");
    int problem = stream ? 0 : errno;
    if (stream && fread(&byte, 1, 1, stream) != 1 && ferror(stream)) problem = errno;
    if (stream) fclose(stream);
    if (problem) {
        ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot read: %s", strerror(problem));
        return -1;
    }
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file >= 0) return file;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_first, &r);
    ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot read this as an HDF5 recording: %s", why);
    return -1;
}

#else
typedef int record_read_empty;
#endif
