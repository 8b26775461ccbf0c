// A log of contacts in HDF5: for each column a list of that name at the root of the file, all as long as each other, an entry for each
// contact of each step. What else the file has is passed over.
//
// Problem: a file from anywhere may be cut short, damaged, claim sizes that no memory holds, or point at other files; and HDF5 would print
// its own story about it. Rule: HDF5 is silenced for the time of a call; lists are read in pieces of a few thousand entries, and
// only where the file really holds about as much as it claims. Texts of variable length are refused unread: HDF5 1.10 trusts the lengths
// that the file gives for them.
// Known limit: a damaged file that makes HDF5 itself fail in a bad way cannot be kept from it here; a crash is told of by cli/guard.c.
#include "cli/judge/log_format_internal.h"

#ifndef TS_HAVE_HDF5

ts_code ts_log_hdf5_open(const char* file, ts_log_reader* reader, ts_status* out_status) {
    (void)reader;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, file, 0,
                         "this build has no HDF5 and cannot read such logs (build with TS_HDF5=ON); judge a .csv file");
}

#else

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Entries that are read at once.
enum { PIECE = 4096 };
// Deflate shrinks by 1032 at most: a list that claims more than this over what is stored was never written.
static const double shrink_most = 1100.0;
// Bytes of a piece of storage, which HDF5 takes into memory whole.
static const double chunk_most = 268435456.0;

typedef struct hdf5_log {
    const char* file;  // borrowed
    hid_t id;
    hid_t list[TS_LOG_COLUMNS];  // negative: none
    hsize_t count;
    hsize_t begin, end;  // the piece in memory
    hsize_t at;
    double number[TS_LOG_COLUMNS][PIECE];
    char name[2][PIECE][TS_LOG_NAME];
} hdf5_log;

static ts_code wrong(const hdf5_log* log, ts_log_column column, const char* what, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0, "/%s: %s", ts_log_column_at(column)->name, what);
}

// Whether the pieces are as long as they have to be, `bytes` where they are not packed. HDF5 1.10 reads a whole piece out of one that the file
// says is shorter, when it also says that it was not packed.
static int pieces_are_whole(hid_t list, hsize_t length, hsize_t piece, double bytes, int filters) {
#if H5_VERSION_GE(1, 10, 5)
    for (hsize_t at = 0; piece > 0 && at < length; at += piece) {
        hsize_t size = 0;
        haddr_t address;
        unsigned skipped = 0;
        if (H5Dget_chunk_info_by_coord(list, &at, &skipped, &address, &size) < 0) return 0;
        if (size > 0 && (double)size != bytes && (filters < 1 || skipped != 0)) return 0;
    }
#else
    (void)list, (void)length, (void)piece, (void)bytes, (void)filters;
#endif
    return 1;
}

// What keeps a list from being read; NULL: nothing. Its length goes to out_length.
static const char* find_fault(hid_t list, int is_name, hsize_t* out_length) {
    hid_t space = H5Dget_space(list), type = H5Dget_type(list), creation = H5Dget_create_plist(list);
    H5T_class_t class_of = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    int is_variable = class_of == H5T_STRING && H5Tis_variable_str(type) != 0;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    int outside = creation >= 0 && (H5Pget_external_count(creation) != 0 || H5Pget_layout(creation) == H5D_VIRTUAL);
    double chunk_bytes = 0.0;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int filters = creation >= 0 ? H5Pget_nfilters(creation) : 0;
    if (creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED && rank == 1 && H5Pget_chunk(creation, 1, chunk) == 1)
        chunk_bytes = (double)chunk[0] * (double)size;
    if (rank == 1) H5Sget_simple_extent_dims(space, out_length, NULL);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (creation >= 0) H5Pclose(creation);
    if (is_name && class_of != H5T_STRING) return "it does not hold names";
    if (!is_name && class_of != H5T_INTEGER && class_of != H5T_FLOAT) return "it does not hold numbers";
    if (is_variable)
        return "its names are of variable length, which HDF5 cannot read safely from a damaged file; write them with a "
               "fixed one (h5py: dtype='S64')";
    if (rank != 1) return "it is not a plain list";
    if (outside) return "its entries are kept in another file";
    if ((double)*out_length * (double)size > shrink_most * (double)H5Dget_storage_size(list))
        return "it claims more entries than the file holds";
    if (chunk_bytes > chunk_most) return "it is stored in pieces of more than 256 MiB";
    if (chunk_bytes > 0.0 && !pieces_are_whole(list, *out_length, chunk[0], chunk_bytes, filters))
        return "its pieces are shorter than they should be: the file is damaged";
    return NULL;
}

static ts_code open_list(hdf5_log* log, ts_log_column column, int* out_has, ts_status* out_status) {
    const ts_log_column_info* info = ts_log_column_at(column);
    H5L_info_t link;
    hsize_t length = 0;
    *out_has = H5Lexists(log->id, info->name, H5P_DEFAULT) > 0;
    if (!*out_has && info->needed)
        return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0,
                             "no list is called '/%s'; 'touchstone judge --help' tells what a log needs", info->name);
    if (!*out_has) return TS_OK;
    if (H5Lget_info(log->id, info->name, &link, H5P_DEFAULT) < 0)
        return wrong(log, column, "it is damaged", out_status);
    if (link.type == H5L_TYPE_EXTERNAL) return wrong(log, column, "it is kept in another file", out_status);
    log->list[column] = H5Dopen2(log->id, info->name, H5P_DEFAULT);
    if (log->list[column] < 0) return wrong(log, column, "it is no list, or damaged", out_status);
    const char* fault = find_fault(log->list[column], ts_log_column_is_name(column), &length);
    if (fault) return wrong(log, column, fault, out_status);
    if (column == TS_LOG_TIME) log->count = length;
    if (length == log->count) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0, "/%s: it has %llu entries, /time has %llu",
                         info->name, (unsigned long long)length, (unsigned long long)log->count);
}

// Opening by the C library first tells what HDF5 would not: that it does not exist, or may not be read.
static ts_code open_file(hdf5_log* log, ts_status* out_status) {
    char byte;
    FILE* stream = fopen(log->file, "rb");
    if (!stream) return ts_status_set(out_status, TS_ERROR_FILE, log->file, 0, "cannot read: %s", strerror(errno));
    int readable = fread(&byte, 1, 1, stream) == 1, problem = ferror(stream) ? errno : 0;
    fclose(stream);
    if (problem) return ts_status_set(out_status, TS_ERROR_FILE, log->file, 0, "cannot read: %s", strerror(problem));
    if (!readable) return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0, "the file is empty");
    if (H5Fis_hdf5(log->file) <= 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0, "this is no HDF5 file, whatever its name");
    log->id = H5Fopen(log->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (log->id >= 0) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0,
                         "an HDF5 file that cannot be opened: damaged, cut short, or still being written");
}

// Lists of text of fixed length. Nonzero when it worked.
static int read_names(hid_t list, hid_t there, hid_t here, int count, char out[PIECE][TS_LOG_NAME]) {
    hid_t stored = H5Dget_type(list), type = H5Tcopy(H5T_C_S1);
    int ok = stored >= 0 && type >= 0 && H5Tset_cset(type, H5Tget_cset(stored)) >= 0 &&
             H5Tset_size(type, TS_LOG_NAME) >= 0 && H5Dread(list, type, here, there, H5P_DEFAULT, out) >= 0;
    for (int i = 0; ok && i < count; ++i) {
        char whole[TS_LOG_NAME];
        memcpy(whole, out[i], sizeof whole);
        whole[TS_LOG_NAME - 1] = '\0';
        ts_logged_contact_name(out[i], whole);
    }
    if (type >= 0) H5Tclose(type);
    if (stored >= 0) H5Tclose(stored);
    return ok;
}

// The next piece of every list.
static ts_code read_piece(hdf5_log* log, ts_status* out_status) {
    hsize_t start = log->end, size = log->count - log->end < PIECE ? log->count - log->end : PIECE;
    log->begin = start;
    log->end = start + size;
    for (int k = 0; k < TS_LOG_COLUMNS; ++k) {
        if (log->list[k] < 0) continue;
        hid_t there = H5Dget_space(log->list[k]), here = H5Screate_simple(1, &size, NULL);
        int ok = there >= 0 && here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0;
        if (ok && ts_log_column_is_name((ts_log_column)k))
            ok = read_names(log->list[k], there, here, (int)size, log->name[k == TS_LOG_B]);
        else if (ok)
            ok = H5Dread(log->list[k], H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, log->number[k]) >= 0;
        if (here >= 0) H5Sclose(here);
        if (there >= 0) H5Sclose(there);
        if (!ok)
            return ts_status_set(out_status, TS_ERROR_VALUE, log->file, 0,
                                 "/%s: entries %llu to %llu cannot be read: the file is damaged or cut short, or "
                                 "packed by a filter that is not here",
                                 ts_log_column_at((ts_log_column)k)->name, (unsigned long long)start,
                                 (unsigned long long)(start + size - 1));
    }
    return TS_OK;
}

static ts_code hdf5_next(void* handle, ts_log_line* line, int* out_more, ts_status* out_status) {
    hdf5_log* log = (hdf5_log*)handle;
    ts_code code = TS_OK;
    line->entry = (long long)log->at;
    *out_more = log->at < log->count;
    if (!*out_more) return TS_OK;
    if (log->at == log->end) {
        // In these braces HDF5 does not print its errors.
        H5E_BEGIN_TRY { code = read_piece(log, out_status); }
        H5E_END_TRY
    }
    if (code) return code;
    size_t i = (size_t)(log->at - log->begin);
    for (int k = 0; k < TS_LOG_COLUMNS; ++k) line->number[k] = log->number[k][i];
    memcpy(line->a, log->name[0][i], sizeof line->a);
    memcpy(line->b, log->name[1][i], sizeof line->b);
    ++log->at;
    return TS_OK;
}

static void hdf5_close(void* handle) {
    hdf5_log* log = (hdf5_log*)handle;
    H5E_BEGIN_TRY {
        for (int k = 0; k < TS_LOG_COLUMNS; ++k)
            if (log->list[k] >= 0) H5Dclose(log->list[k]);
        if (log->id >= 0) H5Fclose(log->id);
    }
    H5E_END_TRY
    free(log);
}

ts_code ts_log_hdf5_open(const char* file, ts_log_reader* reader, ts_status* out_status) {
    static const ts_log_format format = {hdf5_next, hdf5_close};
    hdf5_log* log = (hdf5_log*)calloc(1, sizeof *log);
    if (!log) return ts_status_set(out_status, TS_ERROR_MEMORY, file, 0, "out of memory");
    ts_code code;
    log->file = file;
    log->id = -1;
    for (int k = 0; k < TS_LOG_COLUMNS; ++k) log->list[k] = -1;
    H5E_BEGIN_TRY {
        code = open_file(log, out_status);
        // The length of all is that of the times.
        if (!code) code = open_list(log, TS_LOG_TIME, &reader->has[TS_LOG_TIME], out_status);
        for (int k = 0; k < TS_LOG_COLUMNS && !code; ++k)
            if (k != TS_LOG_TIME) code = open_list(log, (ts_log_column)k, &reader->has[k], out_status);
    }
    H5E_END_TRY
    if (code) {
        hdf5_close(log);
        return code;
    }
    reader->file = file;
    reader->format = &format;
    reader->handle = log;
    return TS_OK;
}

#endif
