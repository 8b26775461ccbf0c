// FCLIB files through HDF5: shapes first, then numbers.
//
// Problem: a file from anywhere may be cut short, damaged, or claim sizes that no memory holds, and HDF5 would print its
// own story about it. Rule: HDF5 is silenced for the time of a call; every dataset must have exactly the size that the
// others ask for, and the file must really hold about as much, before memory is taken for it. A file is written in memory
// first, because HDF5 cannot close a file whose disk is full, and then reaches its place in one piece.
// Known limit: a damaged file that makes HDF5 itself fail in a bad way cannot be kept from it.
#include "contact/file/fclib_internal.h"

#ifndef TS_HAVE_HDF5

ts_code ts_fclib_load(const char* path, ts_arena* arena, ts_fclib_raw* out_raw, ts_status* out_status) {
    (void)arena;
    (void)out_raw;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                         "this build has no HDF5 and cannot read FCLIB files (build with TS_HDF5=ON)");
}

ts_code ts_fclib_save(const char* path, const char* title, const ts_fclib_raw* raw, ts_status* out_status) {
    (void)title;
    (void)raw;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0,
                         "this build has no HDF5 and cannot write FCLIB files (build with TS_HDF5=ON)");
}

#else

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

// Most contacts and entries that are read: 4 GiB of numbers.
enum { ROWS_MOST = 1 << 27, ENTRIES_MOST = 1 << 29 };
// Deflate shrinks by 1032 at most: a dataset that claims more than this over what is stored was never written.
static const double shrink_most = 1100.0;

// A file being read, and where messages go.
typedef struct reader {
    const char* path;
    hid_t file;
    ts_arena* arena;
    ts_status* out_status;
} reader;

static ts_code wrong(const reader* r, const char* dataset, const char* what) {
    return ts_status_set(r->out_status, TS_ERROR_PARSE, r->path, 0, "%s: %s", dataset, what);
}

// --- reading -----------------------------------------------------------------------------------------------------------

// Whether something of that name is there: every part of the path has to be asked for.
static int is_there(const reader* r, const char* name) {
    char part[128];
    size_t length = strlen(name);
    for (size_t i = 1; i <= length && length < sizeof part; ++i) {
        if (name[i] != '/' && name[i]) continue;
        snprintf(part, sizeof part, "%.*s", (int)i, name);
        if (H5Lexists(r->file, part, H5P_DEFAULT) <= 0 || H5Oexists_by_name(r->file, part, H5P_DEFAULT) <= 0) return 0;
    }
    return 1;
}

// Checks that a dataset is a vector of numbers and really stored. Returns its length.
static ts_code measure(const reader* r, const char* name, hid_t dataset, int whole, hsize_t* out_length) {
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
    H5T_class_t class_of = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    hsize_t extent[1] = {1};
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    int outside = creation >= 0 && (H5Pget_external_count(creation) != 0 || H5Pget_layout(creation) == H5D_VIRTUAL);
    if (rank == 1) H5Sget_simple_extent_dims(space, extent, NULL);
    int none = space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    double stored = (double)H5Dget_storage_size(dataset);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (creation >= 0) H5Pclose(creation);
    if (class_of != H5T_INTEGER && (whole || class_of != H5T_FLOAT))
        return wrong(r, name, whole ? "it does not hold whole numbers" : "it does not hold numbers");
    if (rank < 0 || rank > 1 || none) return wrong(r, name, "it is not a plain list of numbers");
    if (outside) return wrong(r, name, "its numbers are kept in another file");
    if ((double)extent[0] * (double)size > shrink_most * stored)
        return wrong(r, name, "it claims more numbers than the file holds");
    *out_length = extent[0];
    return TS_OK;
}

// Opens a dataset and reads `length` numbers of it, all it may have, into new memory. A scalar counts as one.
static ts_code read_vector(const reader* r, const char* name, int whole, hsize_t length, void** out_data) {
    if (!is_there(r, name)) return wrong(r, name, "it is missing");
    hid_t dataset = H5Dopen2(r->file, name, H5P_DEFAULT);
    if (dataset < 0) return wrong(r, name, "it is no dataset, or damaged");
    hsize_t found = 0;
    ts_code code = measure(r, name, dataset, whole, &found);
    if (!code && found != length)
        code = ts_status_set(r->out_status, TS_ERROR_PARSE, r->path, 0, "%s: it holds %llu numbers, not %llu", name,
                             (unsigned long long)found, (unsigned long long)length);
    if (!code) {
        size_t size = whole ? sizeof(int) : sizeof(double);
        *out_data = ts_arena_alloc(r->arena, (size_t)length * size);
        if (!*out_data)
            code = ts_status_set(r->out_status, TS_ERROR_MEMORY, r->path, 0, "%s: out of memory", name);
        else if (length > 0 && H5Dread(dataset, whole ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                       H5P_DEFAULT, *out_data) < 0)
            code = wrong(r, name, "its numbers cannot be read: the file is damaged or cut short");
    }
    H5Dclose(dataset);
    return code;
}

static ts_code read_integer(const reader* r, const char* name, int* out_value) {
    void* data = NULL;
    ts_code code = read_vector(r, name, 1, 1, &data);
    if (!code && data) *out_value = *(int*)data;
    return code;
}

static ts_code check_sizes(const reader* r, int m, int n, int nz, int nzmax, const ts_fclib_raw* raw) {
    if (raw->spacedim == 2)
        return ts_status_set(r->out_status, TS_ERROR_UNSUPPORTED, r->path, 0,
                             "/fclib_local/spacedim: planar problems (2) are not solved, only spatial ones (3)");
    if (raw->spacedim != 3)
        return ts_status_set(r->out_status, TS_ERROR_VALUE, r->path, 0, "/fclib_local/spacedim: it is %d, not 3",
                             raw->spacedim);
    if (m != n || m < 0)
        return ts_status_set(r->out_status, TS_ERROR_VALUE, r->path, 0, "/fclib_local/W: %d rows and %d columns", m, n);
    if (m == 0)
        return ts_status_set(r->out_status, TS_ERROR_VALUE, r->path, 0, "/fclib_local/W: the problem has no contacts");
    if (m % 3 != 0)
        return ts_status_set(r->out_status, TS_ERROR_VALUE, r->path, 0,
                             "/fclib_local/W/m: %d rows are no whole number of contacts of 3", m);
    if (nz < TS_FCLIB_ROWS)
        return ts_status_set(r->out_status, TS_ERROR_VALUE, r->path, 0,
                             "/fclib_local/W/nz: %d is no form of storage (-1 columns, -2 rows, else entries)", nz);
    if (nzmax < 0 || nz > nzmax)
        return ts_status_set(r->out_status, TS_ERROR_VALUE, r->path, 0, "/fclib_local/W/nzmax: %d with nz %d", nzmax,
                             nz);
    if (m > ROWS_MOST || nzmax > ENTRIES_MOST)
        return ts_status_set(r->out_status, TS_ERROR_MEMORY, r->path, 0,
                             "/fclib_local/W: %d rows and %d entries are more than are read (%d and %d)", m, nzmax,
                             ROWS_MOST, ENTRIES_MOST);
    return TS_OK;
}

static ts_code read_problem(const reader* r, ts_fclib_raw* raw) {
    int m = 0, n = 0, nz = 0, nzmax = 0;
    if (!is_there(r, "/fclib_local"))
        return wrong(r, "/fclib_local",
                     is_there(r, "/fclib_global") ? "it is missing: only local problems are read, this is a global one"
                                                  : "it is missing: this is no FCLIB file of a local problem");
    if (is_there(r, "/fclib_local/V") || is_there(r, "/fclib_local/R"))
        return ts_status_set(r->out_status, TS_ERROR_UNSUPPORTED, r->path, 0,
                             "/fclib_local/V: problems with bilateral rows beside contacts are not read");
    ts_code code = read_integer(r, "/fclib_local/spacedim", &raw->spacedim);
    if (!code) code = read_integer(r, "/fclib_local/W/m", &m);
    if (!code) code = read_integer(r, "/fclib_local/W/n", &n);
    if (!code) code = read_integer(r, "/fclib_local/W/nz", &nz);
    if (!code) code = read_integer(r, "/fclib_local/W/nzmax", &nzmax);
    if (!code) code = check_sizes(r, m, n, nz, nzmax, raw);
    if (code) return code;
    raw->rows = m;
    raw->contacts = m / 3;
    raw->form = nz;
    raw->entries = nzmax;
    hsize_t pointers = nz >= 0 ? (hsize_t)nz : (hsize_t)m + 1, indices = nz >= 0 ? (hsize_t)nz : (hsize_t)nzmax;
    void* data[5] = {NULL};
    code = read_vector(r, "/fclib_local/W/p", 1, pointers, &data[0]);
    if (!code) code = read_vector(r, "/fclib_local/W/i", 1, indices, &data[1]);
    if (!code) code = read_vector(r, "/fclib_local/W/x", 0, (hsize_t)nzmax, &data[2]);
    if (!code) code = read_vector(r, "/fclib_local/vectors/q", 0, (hsize_t)m, &data[3]);
    if (!code) code = read_vector(r, "/fclib_local/vectors/mu", 0, (hsize_t)raw->contacts, &data[4]);
    raw->p = (int*)data[0];
    raw->i = (int*)data[1];
    raw->x = (double*)data[2];
    raw->q = (double*)data[3];
    raw->mu = (double*)data[4];
    return code;
}

// Opening by the C library first tells what HDF5 would not: that it does not exist, or may not be read.
static ts_code open_file(reader* r) {
    FILE* file = fopen(r->path, "rb");
    if (!file) return ts_status_set(r->out_status, TS_ERROR_FILE, r->path, 0, "cannot read: %s", strerror(errno));
    char byte;
    int readable = fread(&byte, 1, 1, file) == 1, problem = ferror(file) ? errno : 0;
    fclose(file);
    if (problem) return ts_status_set(r->out_status, TS_ERROR_FILE, r->path, 0, "cannot read: %s", strerror(problem));
    if (!readable) return ts_status_set(r->out_status, TS_ERROR_PARSE, r->path, 0, "the file is empty");
    if (H5Fis_hdf5(r->path) <= 0) return ts_status_set(r->out_status, TS_ERROR_PARSE, r->path, 0, "not an HDF5 file");
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r->file < 0)
        return ts_status_set(r->out_status, TS_ERROR_PARSE, r->path, 0,
                             "an HDF5 file that cannot be opened: damaged or cut short");
    return TS_OK;
}

ts_code ts_fclib_load(const char* path, ts_arena* arena, ts_fclib_raw* out_raw, ts_status* out_status) {
    memset(out_raw, 0, sizeof *out_raw);
    reader r = {path, -1, arena, out_status};
    ts_code code;
    // In these braces HDF5 does not print its errors.
    H5E_BEGIN_TRY {
        code = open_file(&r);
        if (!code) code = read_problem(&r, out_raw);
        if (r.file >= 0) H5Fclose(r.file);
    }
    H5E_END_TRY
    return code;
}

// --- writing -----------------------------------------------------------------------------------------------------------

static int write_numbers(hid_t file, const char* name, hid_t type, int count, const void* data) {
    hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    if (space >= 0) H5Sclose(space);
    return ok;
}

static int write_integer(hid_t file, const char* name, int value) {
    return write_numbers(file, name, H5T_NATIVE_INT, 1, &value);
}

// Strings of fixed length, terminated: what the format's own library reads.
static int write_string(hid_t file, const char* name, const char* text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    int ok = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0;
    hid_t dataset = ok ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0) H5Dclose(dataset);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

static int make_group(hid_t file, const char* name) {
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group >= 0) H5Gclose(group);
    return group >= 0;
}

static int write_all(hid_t file, const char* title, const ts_fclib_raw* raw) {
    int pointers = raw->form >= 0 ? raw->form : raw->rows + 1, indices = raw->form >= 0 ? raw->form : raw->entries;
    return make_group(file, "/fclib_local") && write_integer(file, "/fclib_local/spacedim", raw->spacedim) &&
           make_group(file, "/fclib_local/W") && write_integer(file, "/fclib_local/W/nzmax", raw->entries) &&
           write_integer(file, "/fclib_local/W/m", raw->rows) && write_integer(file, "/fclib_local/W/n", raw->rows) &&
           write_integer(file, "/fclib_local/W/nz", raw->form) &&
           write_numbers(file, "/fclib_local/W/p", H5T_NATIVE_INT, pointers, raw->p) &&
           write_numbers(file, "/fclib_local/W/i", H5T_NATIVE_INT, indices, raw->i) &&
           write_numbers(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, raw->entries, raw->x) &&
           make_group(file, "/fclib_local/vectors") &&
           write_numbers(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, raw->rows, raw->q) &&
           write_numbers(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, raw->contacts, raw->mu) &&
           make_group(file, "/fclib_local/info") && write_string(file, "/fclib_local/info/title", title) &&
           write_string(file, "/fclib_local/info/description", "written by Touchstone; normal component first") &&
           write_string(file, "/fclib_local/info/math_info", "");
}

// The bytes of the file, made in memory. 0 when that fails: memory is the only thing that can.
static int make_image(const char* title, const ts_fclib_raw* raw, ts_text* out_image) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_fapl_core(access, (size_t)1 << 20, 0) >= 0)
        file = H5Fcreate("touchstone-fclib", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    int ok = file >= 0 && write_all(file, title, raw) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t size = ok ? H5Fget_file_image(file, NULL, 0) : 0;
    out_image->data = size > 0 ? (char*)malloc((size_t)size + 1) : NULL;
    ok = out_image->data && H5Fget_file_image(file, out_image->data, (size_t)size) == size;
    if (ok) {
        out_image->data[size] = '\0';
        out_image->length = (size_t)size;
        out_image->capacity = (size_t)size + 1;
    }
    if (file >= 0) H5Fclose(file);
    if (access >= 0) H5Pclose(access);
    return ok;
}

ts_code ts_fclib_save(const char* path, const char* title, const ts_fclib_raw* raw, ts_status* out_status) {
    ts_text image;
    memset(&image, 0, sizeof image);
    int made;
    H5E_BEGIN_TRY { made = make_image(title, raw, &image); }
    H5E_END_TRY
    ts_code code = made ? ts_text_write_file(&image, path, out_status)
                        : ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    ts_text_free(&image);
    return code;
}

#endif
