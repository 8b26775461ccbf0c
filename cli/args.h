// The command line: one table of flags per command, from which both parsing and --help come.
#ifndef TS_CLI_ARGS_H
#define TS_CLI_ARGS_H

#include "base/status.h"
#include "base/text.h"

/// What a flag takes.
typedef enum ts_flag_kind {
    TS_FLAG_SWITCH,   // nothing
    TS_FLAG_TEXT,     // any text
    TS_FLAG_PICTURE,  // a file whose name, if it has a suffix, ends in .png
    TS_FLAG_PAGE,     // a file whose name ends in .html
    TS_FLAG_SHEET,    // a file whose name, if it has a suffix, ends in .csv
    TS_FLAG_LOG,      // a file whose name, if it has a suffix, ends in .csv, .h5 or .hdf5
    TS_FLAG_VIDEO,    // a file whose name ends as one of a film
    TS_FLAG_NUMBER,   // a finite number between low and high
    TS_FLAG_INTEGER,  // a whole number between low and high
    TS_FLAG_PAIR,     // KEY=VALUE of --set, may be repeated
    TS_FLAG_CONTROL,  // NAME=VALUE of --ctrl, likewise
    TS_FLAG_VARY,     // KEY=A,B,... of --vary, KEY=VALUE of --against, likewise
    TS_FLAG_SIZE      // WIDTHxHEIGHT in pixels
} ts_flag_kind;

/// Most --set pairs, and most --ctrl, on one command line.
enum { TS_ARGS_PAIRS = 128 };

/// Everything any command can be told. NULL, NAN and 0 mean "not given".
typedef struct ts_args {
    const char* subject;  // SCENE, FILE or the topic of list
    const char* second;   // distance: shape B
    char** word;          // all that was given to the command, word_count of them
    int word_count;
    char** file;  // solve, view: file_count of them, the first being `subject`
    int file_count;
    const char* method;  // distance, gradient
    const char* of;      // gradient: an expression
    const char* wrt;     // gradient: a list
    const char* pose_a;  // distance
    const char* pose_b;  // distance
    const char* batch;   // distance: a file, or "-"
    int explain;         // distance: the steps
    const char* solver;
    const char* key;   // a keyframe, or "none"
    const char* from;  // "RECORDING" or "RECORDING@TIME"
    const char* solvers;
    const char* integrators;   // compare
    const char* package_path;  // folders, separated by colons
    const char* srdf;          // a file
    const char* root;          // "fixed", "floating"
    const char* overlaps;      // "exclude", "keep"
    const char* write_srdf;    // where `check` writes who never touches
    const char* out;
    const char* png;
    const char* video;
    const char* html;          // view: a file
    const char* charts;        // view: a file
    const char* watch;         // view: numbers, between blanks
    const char* camera;        // view
    const char* layers;        // view: a list
    const char* layout;        // view: "panes", "ghost"
    const char* font;          // view: a file, or "own"
    const char* json_file;     // bench
    const char* svg;           // bench: a folder
    const char* only;          // bench
    const char* model;         // bench; view, diff: of a recording
    const char* impulses;      // solve: a file
    const char* dump;          // run: "STEP:FILE"
    const char* certificate;   // run: "WHEN:FILE"
    const char* certificates;  // run: of all steps
    const char* ledger;        // run: a file
    double time;               // s
    double dt;                 // s
    int substeps;              // 0: not given
    double png_time;           // s
    double rate;               // of --video, pictures per second
    double slow;               // of --video, 1: how many times slower than life
    double tolerance;          // solve
    double time_limit;         // s, solve
    double spread;             // m/s or rad/s, run
    double stiffness;          // N/m, material; so are those that follow
    double damping;            // N s/m
    double restitution;        // 1
    double mu;                 // 1
    double mass;               // kg
    double span;               // gradient: of the line, 1
    int measure;               // view: frames
    int verify;
    int threads;
    int width;
    int height;
    int json;
    int copies;  // run: simulations of a batch
    int seed;    // bench, run; < 0: not given
    int quick;   // bench, scorecard
    int peers;   // scorecard
    int strict;
    int still;        // compare: no animation in the report
    int no_pictures;  // compare: none of the scene in the report
    int help;
    int pair_count;
    const char* pair[TS_ARGS_PAIRS];  // of --set: "KEY=VALUE"
    int ctrl_count;
    const char* ctrl[TS_ARGS_PAIRS];  // of --ctrl: "NAME=VALUE"
    int vary_count;
    const char* vary[TS_ARGS_PAIRS];  // study, of --vary: "KEY=A,B,..."; explain, of --against: "KEY=VALUE"
    const char* ctrl_file;
    const char* controller;  // of the table, or "none"
} ts_args;

/// One flag of a command.
typedef struct ts_flag {
    const char* name;   // "--time"
    const char* value;  // "S", NULL for a switch
    ts_flag_kind kind;
    unsigned long offset;  // of the value within ts_args
    double low;
    double high;
    const char* summary;
} ts_flag;

/// A command. `flag` has flag_count entries; --json and --help are among them.
typedef struct ts_command {
    const char* name;
    const char* summary;      // one line
    const char* subject;      // "SCENE", "[SCENE]" when optional, "[A B]" for two, "FILE..." for any number, NULL: none
    const char* description;  // paragraphs for --help
    const char* examples;     // lines for --help
    const ts_flag* flag;
    int flag_count;
    int (*run)(const ts_args* args);  // returns the exit code
} ts_command;

/// Room for a hint at a name.
enum { TS_ARGS_HINT = 96 };

/// Exit codes: done, the run failed or a file is bad, wrong use.
enum { TS_EXIT_DONE = 0, TS_EXIT_FAILED = 1, TS_EXIT_USAGE = 2 };

/// Reads argv[0..argc) (after the command's name) into *out_args. TS_ERROR_VALUE says what is wrong and, for an unknown
/// flag, which one is nearest. With --help, missing arguments are no error. Reorders argv where a command takes any
/// number of files.
ts_code ts_args_parse(const ts_command* command, int argc, char** argv, ts_args* out_args, ts_status* out_status);

/// The help page of a command.
void ts_args_help(const ts_command* command, ts_text* text);

/// A finite number, or a ratio of two such as 1/60, that takes up the whole text. Returns 0 when it is not one.
int ts_args_number(const char* text, double* out_value);

/// What ends the refusal of a name: "; did you mean 'NAME'?" with the one of `count` names nearest to `wanted` by edit
/// distance, in `room`; `otherwise` where none is near.
const char* ts_args_hint(const char* wanted, ts_text_name name, const void* context, int count, const char* otherwise,
                         char room[TS_ARGS_HINT]);

#endif
