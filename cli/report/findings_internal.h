// What can be seen in a comparison, in numbers and in words: how each run departs from the reference, which is the first
// run under the exact law (NCP) whose every step converged, or failing that the one nearest to the exact law. Measured from the motion only; nothing depends on a solver's name.
#ifndef TS_CLI_FINDINGS_INTERNAL_H
#define TS_CLI_FINDINGS_INTERNAL_H

#include "cli/report/series_internal.h"

/// How one run departs from the reference. Lengths in m, seen from the reference: positive along means farther in the
/// direction of motion, positive side means to the left of it, positive height means higher.
typedef struct ts_finding {
    int is_reference;
    int group;  // from 0, in the order of their first members: runs that cannot be told apart
    int reached_end;
    double along;        // at the end
    double side;         // at the end
    double side_most;    // largest magnitude at any time, with its sign
    double rise_most;    // most above the reference at any time
    double rise_time;    // s
    double climb_most;   // m, most above its own start
    double sink_most;    // most below the reference at any time, >= 0
    double away_most;    // largest distance at any time
    double away_time;    // s
    double turn;         // rad, angle between the final orientations
    double sink_time;    // s
    double energy_more;  // J, most above the reference at any time
    double energy_less;  // J, most below it, >= 0
    double energy_less_time;
    double energy_more_time;
    double opening;       // m/s, impulse-weighted mean normal speed of contacts that push
    double opening_part;  // opening as a part of mu times slip speed; NAN where nothing slips
    double slip_angle;    // rad, between friction and the opposite of slip at sliding contacts, by the work it could do
    double slip_across;   // J, what friction across slip could have done
    double inner_friction;  // N, most at any time
} ts_finding;

/// What is large and small in a scene: thresholds are parts of these.
typedef struct ts_scene_scale {
    ts_vec3 gravity;   // m/s^2
    double mass;       // kg, of all that moves
    double size;       // m, of the body in focus: the diagonal of its box; without one of the smallest body
    double time_step;  // s
    double duration;   // s
    int on_floor;      // nonzero when the body in focus slides on level ground at the start
} ts_scene_scale;

/// What the findings are measured against.
typedef struct ts_frame_of_reference {
    int reference;      // series, or -1 when no run reached its end
    int exact;          // nonzero when the reference solves the exact law
    int has_direction;  // nonzero when the focus body moves along something
    ts_vec3 forward;    // unit, horizontal: initial direction of motion
    ts_vec3 left;       // unit, horizontal
    ts_vec3 up;         // unit, against gravity
    double length;      // m, path of the reference
    double noise;       // m: departures below it are not worth a word
    double energy;      // J: energies that differ by less are called equal
    double size;        // m, as in ts_scene_scale; so is on_floor
    double speed;       // m/s: slower is not worth a word
    double weight;      // N, of all that moves
    int on_floor;
} ts_frame_of_reference;

/// Chooses the reference, the directions and what is worth a word.
ts_frame_of_reference ts_findings_frame(const ts_series* series, int count, const ts_scene_scale* scale);

/// Measures one run.
ts_finding ts_findings_measure(const ts_series* series, const ts_frame_of_reference* frame, int index);

/// Puts runs that move alike, within a tenth of what is worth a word, into groups. Returns how many there are.
int ts_findings_group(const ts_series* series, const ts_frame_of_reference* frame, int count, ts_finding* findings);

/// The finding in plain sentences.
void ts_findings_words(const ts_series* series, const ts_frame_of_reference* frame, int index,
                       const ts_finding* finding, ts_text* text);

/// The finding in a few words for a list: "6.18 mm higher, 24.4 mm to the left".
void ts_findings_headline(const ts_series* self, const ts_frame_of_reference* frame, const ts_finding* finding,
                          ts_text* text);

#endif
