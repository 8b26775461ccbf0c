// Problem: when a write fails, the HDF5 library (1.10) cannot close the file any more. It keeps it until the program ends
// and then complains on standard error or crashes in its exit handler: a full disk would take the program down.
// Rule: a file driver of our own. The first write that fails is remembered with its errno, and from then on nothing is
// written and HDF5 is told that all went well; it closes cleanly, and whoever records asks `problem` after each flush.
// Guaranteed: what is on the disk stays as the last successful write left it. Reads come back as far as the disk has them,
// then as zeros; a recording reads nothing back, since its metadata are never evicted and its chunks are written whole.
#ifdef TS_HAVE_HDF5

#include "engine/record/record_output_internal.h"

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct driver_file {
    H5FD_t common;  // first: HDF5 knows the file by this part
    ts_record_output* output;
    haddr_t allocated;  // "end of allocation": what HDF5 has given out
    haddr_t end;        // of what was written
} driver_file;

// What a property list carries: HDF5 copies it byte by byte.
typedef struct driver_settings {
    ts_record_output* output;
} driver_settings;

static H5FD_t* driver_open(const char* name, unsigned flags, hid_t properties, haddr_t limit) {
    (void)name;
    (void)flags;
    (void)limit;
    const driver_settings* settings = (const driver_settings*)H5Pget_driver_info(properties);
    driver_file* file = (driver_file*)calloc(1, sizeof *file);
    if (!file || !settings) {
        free(file);
        return NULL;
    }
    file->output = settings->output;
    return &file->common;
}

static herr_t driver_close(H5FD_t* common) {
    free(common);
    return 0;
}

// As the library's own driver for plain files says of itself.
static herr_t driver_query(const H5FD_t* common, unsigned long* out_flags) {
    (void)common;
    if (out_flags)
        *out_flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                     H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t* common, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file*)common)->allocated;
}

static herr_t driver_set_eoa(H5FD_t* common, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((driver_file*)common)->allocated = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t* common, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file*)common)->end;
}

static herr_t driver_read(H5FD_t* common, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void* bytes) {
    (void)type;
    (void)transfer;
    const ts_record_output* output = ((driver_file*)common)->output;
    char* into = (char*)bytes;
    while (size > 0) {
        ssize_t got = pread(output->fd, into, size, (off_t)address);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        into += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    memset(into, 0, size);
    return 0;
}

static herr_t driver_write(H5FD_t* common, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void* bytes) {
    (void)type;
    (void)transfer;
    driver_file* file = (driver_file*)common;
    const char* from = (const char*)bytes;
    if (file->end < address + size) file->end = address + size;
    while (size > 0 && !file->output->problem) {
        ssize_t put = pwrite(file->output->fd, from, size, (off_t)address);
        if (put < 0) {
            if (errno != EINTR) file->output->problem = errno;
            continue;
        }
        from += put;
        address += (haddr_t)put;
        size -= (size_t)put;
    }
    return 0;
}

// HDF5 may have given out more than it wrote; readers refuse a file that is shorter than it says.
static herr_t driver_truncate(H5FD_t* common, hid_t transfer, hbool_t closing) {
    (void)transfer;
    (void)closing;
    driver_file* file = (driver_file*)common;
    if (file->end == file->allocated) return 0;
    if (!file->output->problem && ftruncate(file->output->fd, (off_t)file->allocated) != 0)
        file->output->problem = errno;
    file->end = file->allocated;
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600,  // from the range HDF5 leaves to drivers that are not registered with it
#endif
    .name = "touchstone_recording",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(driver_settings),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

int ts_record_output_open(const char* path, ts_record_output* out_output) {
    out_output->problem = 0;
    out_output->driver = -1;
    out_output->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out_output->fd < 0) return errno;
    struct stat about;
    int problem = fstat(out_output->fd, &about) == 0 ? 0 : errno;
    if (!problem && !S_ISREG(about.st_mode)) problem = EINVAL;
    // File systems without locks are no reason to refuse.
    if (!problem && flock(out_output->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) problem = errno;
    if (!problem && ftruncate(out_output->fd, 0) != 0) problem = errno;
    if (problem) close(out_output->fd);
    return problem;
}

int ts_record_output_use(ts_record_output* output, int64_t properties) {
    driver_settings settings = {output};
    output->driver = H5FDregister(&driver_class);
    return output->driver >= 0 && H5Pset_driver(properties, output->driver, &settings) >= 0;
}

int ts_record_output_close(ts_record_output* output) {
    if (output->driver >= 0) H5FDunregister(output->driver);
    if (close(output->fd) != 0 && !output->problem) output->problem = errno;
    return output->problem;
}

#else
typedef int ts_record_output_unused;  // a translation unit may not be empty
#endif
