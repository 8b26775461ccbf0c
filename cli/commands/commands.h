// The commands: one file each. Every one returns the exit code.
#ifndef TS_CLI_COMMANDS_H
#define TS_CLI_COMMANDS_H

#include "cli/args.h"

#ifndef TS_VERSION
#define TS_VERSION "unknown"
#endif

/// How many commands there are.
int ts_cli_command_count(void);

/// Command number i, as it stands in the help.
const ts_command* ts_cli_command_at(int i);

/// Scenes, solvers, integrators, shapes or experiments.
int ts_cmd_list(const ts_args* args);

/// One scene under one solver.
int ts_cmd_run(const ts_args* args);

/// Many simulations of one scene at once: run with --batch.
int ts_cmd_run_batch(const ts_args* args);

/// One scene under several solvers, with a report.
int ts_cmd_compare(const ts_args* args);

/// Every experiment under every solver.
int ts_cmd_scorecard(const ts_args* args);

/// One scene under every combination of settings.
int ts_cmd_study(const ts_args* args);

/// A contact's material in every model's parameters.
int ts_cmd_material(const ts_args* args);

/// What a run owes its difference from the exact one to.
int ts_cmd_explain(const ts_args* args);

/// The gradient of a loss over a run, and whether to trust it.
int ts_cmd_gradient(const ts_args* args);

/// What contact forces of a step could be, and which each solver picks.
int ts_cmd_forces(const ts_args* args);

/// Where two recordings part. Returns 0 when they do not, 1 when they do, 2 when it cannot be told.
int ts_cmd_diff(const ts_args* args);

/// Certifies contacts that somebody has told of.
int ts_cmd_judge(const ts_args* args);

/// What a model file contains and whether it is plausible.
int ts_cmd_check(const ts_args* args);

/// A model file as clean MJCF.
int ts_cmd_convert(const ts_args* args);

/// Measurements: tables, JSON and figures.
int ts_cmd_bench(const ts_args* args);

/// The signed distance of two shapes, or of many pairs from a file.
int ts_cmd_distance(const ts_args* args);

/// Contact problems from files under chosen solvers.
int ts_cmd_solve(const ts_args* args);

/// A window, or a picture.
int ts_cmd_view(const ts_args* args);

#endif
