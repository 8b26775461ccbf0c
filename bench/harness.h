// What every benchmark program shares: flags, medians with spread, and a table that is also written as JSON.
#ifndef TS_BENCH_HARNESS_H
#define TS_BENCH_HARNESS_H

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Flags of a benchmark program.
typedef struct ts_bench_flags {
    const char* json_path;  // NULL: no file
    const char* only;       // substring of the cases to run; NULL: all
    int quick;              // nonzero: a tenth of the work, to see that it runs
} ts_bench_flags;

/// Median and spread of a sample.
typedef struct ts_bench_sample {
    double p10;
    double median;
    double p90;
} ts_bench_sample;

/// Reads --json FILE, --only NAME, --quick, --help. Returns 1 to go on; 0 when the program should end with *out_exit.
int ts_bench_parse(int argc, char** argv, const char* summary, ts_bench_flags* out_flags, int* out_exit);

/// Median and 10 % / 90 % points; sorts `value`.
ts_bench_sample ts_bench_summarise(double* value, int count);

/// Writes the JSON to the flag's path, if any. Returns the exit code.
int ts_bench_write_json(const ts_bench_flags* flags, const ts_text* json);

#ifdef __cplusplus
}
#endif
#endif
