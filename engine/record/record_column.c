// Rows of a recording into chunks of an HDF5 dataset.
//
// Problem: appending must be cheap, and what a flush wrote must stay readable if the program is killed later.
// Rule: rows collect in memory, one chunk. A chunk that is full (or the last one) before any flush is deflated and
// written once; one that a flush meets half full is stored plain, at its full size, and rewritten in its place as it
// fills. So deflating never moves a chunk that a reader may see. Such chunks are one per dataset and flush: little
// against a fast run's data, and a slow run has little data.
// Guarantee: a row that was flushed is found where it was. Known failure: a kill in the middle of a flush.
#include "engine/record/record_column_internal.h"

#ifdef TS_HAVE_HDF5

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

// The byte order of this machine: it is written into the file, and chunks can then be stored without conversion.
static hid_t number_type(ts_record_type type) {
    switch (type) {
    case TS_RECORD_DOUBLE: return H5T_NATIVE_DOUBLE;
    case TS_RECORD_INT32: return H5T_NATIVE_INT32;
    case TS_RECORD_INT64: return H5T_NATIVE_INT64;
    case TS_RECORD_UINT64: return H5T_NATIVE_UINT64;
    case TS_RECORD_UINT8: return H5T_NATIVE_UINT8;
    }
    return H5T_NATIVE_DOUBLE;
}

int64_t ts_record_text_type(size_t bytes) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    if (H5Tset_size(type, bytes) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0) return type;
    H5Tclose(type);
    return -1;
}

int ts_record_text_attribute(int64_t object, const char* name, const char* text) {
    hid_t type = ts_record_text_type(strlen(text) + 1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

// Wide rows and contacts are worth deflating; single numbers are not.
static hid_t creation_properties(const char* path, int rank, const hsize_t* chunk) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties < 0) return properties;
    int contact_list = strncmp(path, "/contacts/", 10) == 0;
    int ok = H5Pset_chunk(properties, rank, chunk) >= 0;
    if (ok && (rank > 1 || contact_list) && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        ok = H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, 4) >= 0;
    if (ok) return properties;
    H5Pclose(properties);
    return -1;
}

int ts_record_column_create(ts_record_column* self, int64_t file, const char* path, const char* unit,
                            ts_record_type type, int rank, const uint64_t row[2]) {
    self->type = type;
    self->rank = 1 + rank;
    self->row_bytes = (size_t)(row[0] * row[1]) * H5Tget_size(number_type(type));
    // Chunks of about 64 KiB, 8 KiB for scalars: small files stay small, long ones have few chunks.
    size_t rows = (self->rank == 1 ? 8192u : 65536u) / (self->row_bytes ? self->row_bytes : 1u);
    self->capacity = (int)(rows < 1 ? 1 : (rows > 1024 ? 1024 : rows));
    hsize_t extent[3] = {0, row[0], row[1]};
    hsize_t limit[3] = {H5S_UNLIMITED, row[0], row[1]};
    hsize_t chunk[3] = {(hsize_t)self->capacity, row[0], row[1]};
    for (int i = 1; i < 3; ++i) {
        if (row[i - 1] != 0) continue;
        limit[i] = H5S_UNLIMITED;  // a model without degrees of freedom: an empty dimension, which a chunk may not have
        chunk[i] = 1;
    }
    for (int i = 0; i < 3; ++i) self->extent[i] = extent[i];
    self->buffer = (unsigned char*)calloc(self->row_bytes * (size_t)self->capacity + 1, 1);
    if (!self->buffer) return 0;
    hid_t space = H5Screate_simple(self->rank, extent, limit);
    hid_t properties = creation_properties(path, self->rank, chunk);
    self->dataset = H5Dcreate2(file, path, number_type(type), space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (properties >= 0) H5Pclose(properties);
    if (space >= 0) H5Sclose(space);
    return self->dataset >= 0 && ts_record_text_attribute(self->dataset, "unit", unit);
}

// Writes a chunk through the filters. It must be new to the file, and full or the last one.
static int write_deflated(const ts_record_column* self) {
    hsize_t start[3] = {self->extent[0], 0, 0};
    hsize_t count[3] = {(hsize_t)self->buffered, self->extent[1], self->extent[2]};
    hid_t target = H5Dget_space(self->dataset);
    hid_t source = H5Screate_simple(self->rank, count, NULL);
    int ok = target >= 0 && source >= 0 && H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
             H5Dwrite(self->dataset, number_type(self->type), source, target, H5P_DEFAULT, self->buffer) >= 0;
    if (source >= 0) H5Sclose(source);
    if (target >= 0) H5Sclose(target);
    return ok;
}

// Writes a chunk as it is, past the filters: always at the same size, hence always in the same place.
static int write_plain(const ts_record_column* self) {
    hsize_t start[3] = {self->extent[0], 0, 0};
    const uint32_t skip_all_filters = UINT32_MAX;
    return H5Dwrite_chunk(self->dataset, H5P_DEFAULT, skip_all_filters, start, self->row_bytes * (size_t)self->capacity,
                          self->buffer) >= 0;
}

int ts_record_column_flush(ts_record_column* self, int last) {
    if (self->buffered == 0) return 1;
    int full = self->buffered == self->capacity;
    hsize_t extent[3] = {self->extent[0] + (hsize_t)self->buffered, self->extent[1], self->extent[2]};
    int ok = H5Dset_extent(self->dataset, extent) >= 0;
    if (ok && self->row_bytes > 0) ok = (full || last) && !self->stored ? write_deflated(self) : write_plain(self);
    if (!ok) return 0;
    self->stored = !full;
    if (!full) return 1;
    self->extent[0] = extent[0];
    self->buffered = 0;
    return 1;
}

void* ts_record_column_row(ts_record_column* self, int* out_failed) {
    if (self->buffered == self->capacity && !ts_record_column_flush(self, 0)) {
        *out_failed = 1;
        self->buffered = 0;
    }
    return self->buffer + self->row_bytes * (size_t)self->buffered++;
}

int ts_record_column_close(ts_record_column* self) {
    int ok = self->dataset < 0 || H5Dclose(self->dataset) >= 0;
    free(self->buffer);
    self->dataset = -1;
    self->buffer = NULL;
    return ok;
}

#endif
