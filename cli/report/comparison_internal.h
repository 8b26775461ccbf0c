// A finished comparison: all that the report, the table and summary.json are made from.
#ifndef TS_CLI_COMPARISON_INTERNAL_H
#define TS_CLI_COMPARISON_INTERNAL_H

#include "cli/args.h"
#include "cli/controls.h"
#include "cli/report/convergence_internal.h"
#include "cli/report/findings_internal.h"
#include "cli/report/page_plot_internal.h"
#include "cli/report/series_internal.h"
#include "scenes/experiments/experiment.h"
#include "scenes/scene_table.h"

/// The closed-form speed of a body that slides on a fixed plane: initial_speed - deceleration * t, then 0.
typedef struct ts_sliding_law {
    int known;
    double initial_speed;  // m/s
    double deceleration;   // m/s^2: mu g
    double mu;
} ts_sliding_law;

/// A comparison. `series` and `finding` have `count` entries.
typedef struct ts_comparison {
    const ts_args* args;  // borrowed: what was asked for
    const ts_loaded_scene* scene;
    const ts_controls* controls;      // borrowed; NULL: none
    const ts_experiment* experiment;  // NULL for a plain scene
    char focus[128];                  // name of the body in focus, "" when there is none
    ts_options options;               // in force, apart from the solver
    double duration;                  // s
    int planned;                      // solvers asked for; more than count when the comparison was cut
    int interrupted;
    ts_series* series;
    ts_finding* finding;
    int count;
    int groups;  // of runs that cannot be told apart, see ts_finding
    ts_frame_of_reference frame;
    ts_sliding_law sliding;
    ts_text command;      // how to repeat it
    ts_text row_picture;  // data URI of the picture of all groups side by side, empty where there is none
    ts_text* picture;     // (groups) the same of close-ups
    double picture_time;  // s, the moment they show
    ts_text loop;         // the same of a moving picture of all groups, a GIF
    double loop_slow;     // how many times slower than life it is
    ts_text replay;       // a page that shows all groups' motion, empty where there is none
    ts_convergence_panel panel[TS_CONVERGENCE_PANELS];
    int panel_count;
} ts_comparison;

/// The run that stands for a group: the reference, or the first of those that converged most often.
int ts_comparison_leader(const ts_comparison* comparison, int group);

/// The finding of a group in plain sentences: its leader's, and what its other members do not share.
void ts_comparison_words(const ts_comparison* comparison, int group, ts_text* text);

/// A fresh simulation of run i, at its start. Free it with ts_sim_free.
ts_code ts_comparison_start(const ts_comparison* comparison, int i, ts_sim** out_sim, ts_status* out_status);

/// The command that shows run i at that moment in the viewer.
void ts_comparison_replay(const ts_comparison* comparison, int i, double time, ts_text* text);

/// "ncp, ncp-newton": the solvers of a group.
void ts_comparison_members(const ts_comparison* comparison, int group, ts_text* text);

/// How many runs reached their end.
int ts_comparison_finished(const ts_comparison* comparison);

/// The table and the findings as plain text.
void ts_comparison_text(const ts_comparison* comparison, ts_text* text);

/// The same as JSON: summary.json.
void ts_comparison_json(const ts_comparison* comparison, ts_text* text);

/// Makes the page that shows the motion of all groups' leaders, for which they run again. Long runs, and what goes wrong, leave the report
/// without it.
void ts_comparison_take_replay(ts_comparison* comparison);

/// report.html: one page with plots, without anything from elsewhere; and the files of its plots.
void ts_report_html(const ts_comparison* comparison, ts_page_files* files, ts_text* text);

#endif
