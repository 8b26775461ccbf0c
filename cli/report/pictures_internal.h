// The pictures of a comparison: all solvers side by side, and a close-up of each for the report.
#ifndef TS_CLI_PICTURES_INTERNAL_H
#define TS_CLI_PICTURES_INTERNAL_H

#include "cli/args.h"
#include "cli/report/comparison_internal.h"

/// Takes the pictures that --png, --video and --out ask for. For the report alone they are a bonus: runs that took long, or a
/// machine that cannot draw, leave it without. An error is one of --png or --video.
ts_code ts_pictures_take(const ts_args* args, ts_comparison* comparison, ts_status* out_status);

#endif
