// The file under an HDF5 recording: a driver for the HDF5 library that it never sees fail.
#ifndef TS_ENGINE_RECORD_OUTPUT_INTERNAL_H
#define TS_ENGINE_RECORD_OUTPUT_INTERNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An open file. Its address is known to the driver: it must not move while the HDF5 file is open.
typedef struct ts_record_output {
    int fd;
    int problem;     // errno of the first write that failed; nothing is written after it
    int64_t driver;  // its registration with HDF5 (a hid_t, whose header need not be there)
} ts_record_output;

/// Opens and empties `path` and takes the lock under which HDF5 readers expect a writer. Returns 0, or an errno:
/// EWOULDBLOCK when another program has the file open, EINVAL when it is not a regular file.
int ts_record_output_open(const char* path, ts_record_output* out_output);

/// Tells a list of access properties to write through `output`. Nonzero when it worked.
int ts_record_output_use(ts_record_output* output, int64_t properties);

/// Closes; returns output->problem, or the errno of closing.
int ts_record_output_close(ts_record_output* output);

#ifdef __cplusplus
}
#endif
#endif
