// Flags, medians, JSON: the dull part of every benchmark.
#include "bench/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(FILE* file, const char* program, const char* summary) {
    fprintf(file, "usage: %s [--json FILE] [--only NAME] [--quick]\n\n%s\n\n", program, summary);
    fprintf(file, "  --json FILE   also write the table as JSON\n");
    fprintf(file, "  --only NAME   only cases whose name contains NAME\n");
    fprintf(file, "  --quick       a tenth of the work: to see that it runs, not to quote\n");
    return file == stdout ? 0 : 2;
}

int ts_bench_parse(int argc, char** argv, const char* summary, ts_bench_flags* out_flags, int* out_exit) {
    memset(out_flags, 0, sizeof *out_flags);
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0) {
            *out_exit = usage(stdout, argv[0], summary);
            return 0;
        }
        if (strcmp(argv[i], "--quick") == 0) {
            out_flags->quick = 1;
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            out_flags->json_path = argv[++i];
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            out_flags->only = argv[++i];
        } else {
            fprintf(stderr, "%s: do not know what to do with '%s'\n", argv[0], argv[i]);
            *out_exit = usage(stderr, argv[0], summary);
            return 0;
        }
    }
    return 1;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

ts_bench_sample ts_bench_summarise(double* value, int count) {
    ts_bench_sample s = {0.0, 0.0, 0.0};
    if (count < 1) return s;
    qsort(value, (size_t)count, sizeof *value, ascending);
    s.p10 = value[(count - 1) / 10];
    s.median = count % 2 ? value[count / 2] : 0.5 * (value[count / 2 - 1] + value[count / 2]);
    s.p90 = value[(count - 1) - (count - 1) / 10];
    return s;
}

int ts_bench_write_json(const ts_bench_flags* flags, const ts_text* json) {
    if (!flags->json_path) return 0;
    ts_status status;
    if (ts_text_write_file(json, flags->json_path, &status)) {
        char line[900];
        ts_status_format(&status, line, sizeof line);
        fprintf(stderr, "%s\n", line);
        return 1;
    }
    return 0;
}
