// Writing a log of contacts as HDF5: a list for each column, in pieces that are packed.
//
// Problem: HDF5 cannot close a file whose disk is full. Rule: the file is made in memory, and reaches its place in one piece at the end;
// nothing is there before. Packed, a contact is about a hundred bytes. Known limit: what does not fit in memory; CSV has none.
#include "cli/judge/log_format_internal.h"

#ifndef TS_HAVE_HDF5

ts_code ts_sheet_hdf5_open(const char* file, const ts_sheet_column* column, int count,
                           ts_contact_sheet_hdf5** out_sheet, ts_status* out_status) {
    (void)column;
    (void)count;
    *out_sheet = NULL;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, file, 0,
                         "this build has no HDF5 (build with TS_HDF5=ON); write a .csv file instead");
}

ts_code ts_sheet_hdf5_add(ts_contact_sheet_hdf5* sheet, const ts_sheet_value* value, ts_status* out_status) {
    (void)sheet;
    (void)value;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "this build has no HDF5");
}

ts_code ts_sheet_hdf5_close(ts_contact_sheet_hdf5* sheet, ts_status* out_status) {
    (void)sheet;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0, "this build has no HDF5");
}

#else

#include "cli/setup.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Entries of a piece, and columns at most.
enum { PIECE = 1024, COLUMNS = 64 };

struct ts_contact_sheet_hdf5 {
    const char* file;  // borrowed
    hid_t id;
    hid_t name_type;
    int count;
    int is_text[COLUMNS];
    hid_t list[COLUMNS];
    hsize_t before;  // entries in the file
    int kept;        // and in memory
    double number[COLUMNS][PIECE];
    char text[COLUMNS][PIECE][TS_LOG_NAME];
};

static ts_code no_memory(const char* file, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, file, 0, "out of memory");
}

static int write_text_attribute(hid_t object, const char* name, const char* text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    int ok = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    hid_t attribute = ok ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return ok;
}

static hid_t make_list(const ts_contact_sheet_hdf5* sheet, const ts_sheet_column* column) {
    hsize_t extent = 0, limit = H5S_UNLIMITED, piece = PIECE;
    hid_t space = H5Screate_simple(1, &extent, &limit), creation = H5Pcreate(H5P_DATASET_CREATE), list = -1;
    hid_t type = column->is_text ? sheet->name_type : H5T_NATIVE_DOUBLE;
    int ok = space >= 0 && creation >= 0 && H5Pset_chunk(creation, 1, &piece) >= 0;
    if (ok && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        ok = H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, 4) >= 0;
    if (ok) list = H5Dcreate2(sheet->id, column->name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (list >= 0 && column->unit[0] && !write_text_attribute(list, "unit", column->unit)) {
        H5Dclose(list);
        list = -1;
    }
    if (creation >= 0) H5Pclose(creation);
    if (space >= 0) H5Sclose(space);
    return list;
}

// The file in memory, with empty lists. Nonzero when it worked.
static int begin(ts_contact_sheet_hdf5* sheet, const ts_sheet_column* column) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    // The format of HDF5 1.8: its headers carry checksums, which a damaged file does not pass.
    if (access >= 0 && H5Pset_fapl_core(access, (size_t)1 << 20, 0) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
        sheet->id = H5Fcreate("touchstone-contacts", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0) H5Pclose(access);
    sheet->name_type = H5Tcopy(H5T_C_S1);
    int ok = sheet->id >= 0 && sheet->name_type >= 0 && H5Tset_size(sheet->name_type, TS_LOG_NAME) >= 0 &&
             H5Tset_cset(sheet->name_type, H5T_CSET_UTF8) >= 0 &&
             write_text_attribute(sheet->id, "format", "touchstone contact log");
    for (int k = 0; ok && k < sheet->count; ++k) {
        sheet->is_text[k] = column[k].is_text;
        sheet->list[k] = make_list(sheet, &column[k]);
        ok = sheet->list[k] >= 0;
    }
    return ok;
}

static void release(ts_contact_sheet_hdf5* sheet) {
    for (int k = 0; k < sheet->count; ++k)
        if (sheet->list[k] >= 0) H5Dclose(sheet->list[k]);
    if (sheet->name_type >= 0) H5Tclose(sheet->name_type);
    if (sheet->id >= 0) H5Fclose(sheet->id);
    free(sheet);
}

ts_code ts_sheet_hdf5_open(const char* file, const ts_sheet_column* column, int count,
                           ts_contact_sheet_hdf5** out_sheet, ts_status* out_status) {
    *out_sheet = NULL;
    if (ts_setup_writable(file, out_status)) return out_status->code;
    ts_contact_sheet_hdf5* sheet = (ts_contact_sheet_hdf5*)calloc(1, sizeof *sheet);
    if (!sheet || count > COLUMNS) {
        free(sheet);
        return no_memory(file, out_status);
    }
    int ok;
    sheet->file = file;
    sheet->count = count;
    sheet->id = sheet->name_type = -1;
    for (int k = 0; k < count; ++k) sheet->list[k] = -1;
    // In these braces HDF5 does not print its errors.
    H5E_BEGIN_TRY {
        ok = begin(sheet, column);
        if (!ok) release(sheet);
    }
    H5E_END_TRY
    if (!ok) return no_memory(file, out_status);
    *out_sheet = sheet;
    return TS_OK;
}

// Puts what is kept into the file. Nonzero when it worked.
static int flush(ts_contact_sheet_hdf5* sheet) {
    hsize_t start = sheet->before, size = (hsize_t)sheet->kept, extent = start + size;
    int ok = 1;
    for (int k = 0; ok && size > 0 && k < sheet->count; ++k) {
        const void* data = sheet->is_text[k] ? (const void*)sheet->text[k] : (const void*)sheet->number[k];
        hid_t type = sheet->is_text[k] ? sheet->name_type : H5T_NATIVE_DOUBLE;
        ok = H5Dset_extent(sheet->list[k], &extent) >= 0;
        hid_t there = ok ? H5Dget_space(sheet->list[k]) : -1, here = H5Screate_simple(1, &size, NULL);
        ok = there >= 0 && here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0 &&
             H5Dwrite(sheet->list[k], type, here, there, H5P_DEFAULT, data) >= 0;
        if (here >= 0) H5Sclose(here);
        if (there >= 0) H5Sclose(there);
    }
    sheet->before = extent;
    sheet->kept = 0;
    return ok;
}

ts_code ts_sheet_hdf5_add(ts_contact_sheet_hdf5* sheet, const ts_sheet_value* value, ts_status* out_status) {
    int ok = 1, at = sheet->kept++;
    for (int k = 0; k < sheet->count; ++k) {
        sheet->number[k][at] = value[k].number;
        if (!sheet->is_text[k]) continue;
        memset(sheet->text[k][at], 0, TS_LOG_NAME);
        snprintf(sheet->text[k][at], TS_LOG_NAME, "%s", value[k].text);
    }
    if (sheet->kept < PIECE) return TS_OK;
    H5E_BEGIN_TRY { ok = flush(sheet); }
    H5E_END_TRY
    return ok ? TS_OK : no_memory(sheet->file, out_status);
}

ts_code ts_sheet_hdf5_close(ts_contact_sheet_hdf5* sheet, ts_status* out_status) {
    ts_text image = {0};
    const char* file = sheet->file;
    int ok;
    H5E_BEGIN_TRY {
        // The memory of the file as it is: H5Fget_file_image tells its length, but changes a byte of its header without the checksum.
        void** memory = NULL;
        ok = flush(sheet) && H5Fflush(sheet->id, H5F_SCOPE_GLOBAL) >= 0 &&
             H5Fget_vfd_handle(sheet->id, H5P_DEFAULT, (void**)&memory) >= 0;
        ssize_t size = ok ? H5Fget_file_image(sheet->id, NULL, 0) : 0;
        ok = size > 0;
        if (ok) ts_text_add_bytes(&image, (const char*)*memory, (size_t)size);
        ok = ok && !image.failed;
        release(sheet);
    }
    H5E_END_TRY
    ts_code code = ok ? ts_text_write_file(&image, file, out_status) : no_memory(file, out_status);
    ts_text_free(&image);
    return code;
}

#endif
