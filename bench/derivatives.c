// Derivatives: how fast they are, and what they are good for. Each part is a file of its own (derivative_parts.h).
#include "bench/bench_list.h"
#include "bench/derivative_parts.h"

// A part; adding one: its file, its declaration in derivative_parts.h, and a line here.
static const struct {
    const char* name;  // NULL: it has parts of its own, and asks for each whether it is wanted
    int (*run)(const ts_bench_options* options, ts_bench_report* report);
} parts[] = {
    {"collision", ts_bench_derivative_collision}, {"pairs", ts_bench_derivative_pairs},
    {NULL, ts_bench_derivative_accuracy},         {"poses", ts_bench_derivative_poses},
    {"dynamics", ts_bench_derivative_dynamics},   {"step", ts_bench_derivative_step},
};

int ts_bench_derivatives(const ts_bench_options* options, ts_bench_report* report) {
    int worst = TS_BENCH_DONE;
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; ++k) {
        if (parts[k].name && !ts_bench_wanted(report, options, parts[k].name)) continue;
        int result = parts[k].run(options, report);
        if (result > TS_BENCH_WRONG) return result;
        if (result > worst) worst = result;
    }
    return worst;
}
