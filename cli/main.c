// The program `touchstone`: finds the command, parses its arguments, runs it.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/guard_internal.h"
#include "cli/gradient/expression_internal.h"
#include "cli/ranks.h"
#include "cli/shape_text.h"
#include "collision/distance/proximity.h"
#include "engine/model/options.h"

#include <stdio.h>
#include <string.h>

static const char* command_name(const void* context, int i) {
    (void)context;
    return ts_cli_command_at(i)->name;
}

static const ts_command* find_command(const char* name) {
    for (int i = 0; i < ts_cli_command_count(); ++i)
        if (strcmp(ts_cli_command_at(i)->name, name) == 0) return ts_cli_command_at(i);
    return NULL;
}

static void add_program_help(ts_text* text) {
    ts_text_add(text, "touchstone " TS_VERSION " - a rigid-body simulator that judges its own contacts\n\n"
                      "usage: touchstone COMMAND [ARGUMENTS]\n\ncommands:\n");
    for (int i = 0; i < ts_cli_command_count(); ++i)
        ts_text_add(text, "  %-9s %s\n", ts_cli_command_at(i)->name, ts_cli_command_at(i)->summary);
    ts_text_add(text, "\n'touchstone COMMAND --help' explains a command. 'touchstone --version' tells the version.\n\n"
                      "exit codes: 0 done; 1 the run failed or a file is bad; 2 wrong use; 130 stopped by Ctrl-C\n");
}

// The names that --set knows, from the table of options.
static void add_options_help(const ts_command* command, ts_text* text) {
    int settable = 0;
    if (command->run == ts_cmd_solve) return;  // there is no simulation to set options of
    for (int i = 0; i < command->flag_count; ++i) settable |= command->flag[i].kind == TS_FLAG_PAIR;
    if (!settable) return;
    ts_text_add(text, "\noptions for --set ('touchstone list solvers' shows the settings of solvers):\n");
    for (int i = 0; i < ts_option_count(); ++i) {
        const ts_option* option = ts_option_at(i);
        ts_text_add(text, "  %-19s  %s%s%s%s\n", option->name, option->summary, option->unit[0] ? " [" : "",
                    option->unit, option->unit[0] ? "]" : "");
    }
}

static void add_distance_help(ts_text* text) {
    ts_text_add(text, "\nshapes (lengths in m):\n");
    ts_shape_text_add_help(text);
    ts_text_add(text, "\nmethods:\n");
    for (int i = 0; i < TS_PROXIMITY_METHOD_COUNT; ++i)
        ts_text_add(text, "  %-12s  %s\n", ts_proximity_method_name((ts_proximity_method)i),
                    ts_proximity_method_summary((ts_proximity_method)i));
}

static int wants_json(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--json") == 0) return 1;
    return 0;
}

// Where --json takes a file, standard output is not for JSON.
static int prints_json(const ts_command* command) {
    for (int i = 0; i < command->flag_count; ++i)
        if (strcmp(command->flag[i].name, "--json") == 0) return command->flag[i].kind == TS_FLAG_SWITCH;
    return 0;
}

static int print_version(int json) {
    ts_text text = {0};
    if (json) {
        ts_json writer = ts_json_begin(&text);
        ts_json_object(&writer);
        ts_json_add_string(&writer, "touchstone", TS_VERSION);
        ts_json_object_end(&writer);
        ts_text_add(&text, "\n");
    } else {
        ts_text_add(&text, "touchstone " TS_VERSION "\n");
    }
    return ts_console_print(&text, TS_EXIT_DONE);
}

static int unknown_command(const char* name, int json) {
    ts_status status;
    char room[TS_ARGS_HINT];
    ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "there is no %s '%s'%s", name[0] == '-' ? "flag" : "command", name,
                  ts_args_hint(name, command_name, NULL, ts_cli_command_count(), "", room));
    return ts_console_error(NULL, json, TS_EXIT_USAGE, &status);
}

static int print_help(const ts_command* command) {
    ts_text text = {0};
    ts_args_help(command, &text);
    add_options_help(command, &text);
    if (command->run == ts_cmd_distance) add_distance_help(&text);
    if (command->run == ts_cmd_gradient) ts_expression_add_help(&text);
    return ts_console_print(&text, TS_EXIT_DONE);
}

// A command and what it was told.
typedef struct order {
    const ts_command* command;
    const ts_args* args;
} order;

static int obey(const void* context) {
    const order* given = (const order*)context;
    return given->command->run(given->args);
}

// With an HDF5 file among its words, a command runs where a crash of HDF5 takes nobody along.
static int run_guarded(const ts_command* command, const ts_args* args, int json, const char* file) {
    order given = {command, args};
    ts_status status;
    int crash, exit_code = ts_guard_run(obey, &given, &crash);
    if (!crash) return exit_code;
    ts_status_set(&status, TS_ERROR_FILE, file, 0, "not readable: the HDF5 library failed on it (%s)",
                  strsignal(crash));
    return ts_console_error(command->name, json, TS_EXIT_FAILED, &status);
}

static int run_command(const ts_command* command, int argc, char** argv, int json, int speaks, int alone) {
    ts_args args;
    ts_status status;
    char file[TS_GUARD_NAME];
    // Before files are gathered at the front of the words.
    int guarded = alone && ts_guard_finds(argc, argv, file);
    if (ts_args_parse(command, argc, argv, &args, &status))
        return speaks ? ts_console_error(command->name, json, TS_EXIT_USAGE, &status) : TS_EXIT_USAGE;
    if (args.help) return speaks ? print_help(command) : TS_EXIT_DONE;
    return guarded ? run_guarded(command, &args, json, file) : command->run(&args);
}

int main(int argc, char** argv) {
    int json = wants_json(argc, argv);
    ts_text text = {0};
    ts_status status;
    if (argc < 2) {
        char known[256];
        ts_text_list(command_name, NULL, ts_cli_command_count(), sizeof known, known);
        ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "what shall be done? %s", known);
        return ts_console_error(NULL, json, TS_EXIT_USAGE, &status);
    }
    const char* name = argv[1];
    if (strcmp(name, "--version") == 0) return print_version(json);
    int help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (help && argc == 2) {
        add_program_help(&text);
        return ts_console_print(&text, TS_EXIT_DONE);
    }
    const char* wanted = help ? argv[2] : name;
    const ts_command* command = find_command(wanted);
    if (!command) return unknown_command(wanted, json);
    if (help) return print_help(command);
    json = json && prints_json(command);
    // The ranks of a job are joined before anything can go wrong, since only one of them speaks.
    int alone = command->run != ts_cmd_compare && command->run != ts_cmd_study;
    ts_ranks ranks = ts_ranks_here();
    if (!alone && ts_ranks_begin(&ranks, &status))
        return ranks.rank ? TS_EXIT_FAILED : ts_console_error(name, json, TS_EXIT_FAILED, &status);
    int exit_code = run_command(command, argc - 2, argv + 2, json, ranks.rank == 0, alone);
    ts_ranks_end();
    return exit_code;
}
