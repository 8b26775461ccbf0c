// What every step came to, over time: the numbers behind the charts.
#ifndef TS_VIEWER_SESSION_STRIP_INTERNAL_H
#define TS_VIEWER_SESSION_STRIP_INTERNAL_H

#include "base/text.h"
#include "engine/sim.h"
#include "viewer/session/gauge_internal.h"
#include "viewer/session/theme_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Numbers of a step.
typedef enum ts_quantity {
    TS_QUANTITY_KINETIC,
    TS_QUANTITY_POTENTIAL,
    TS_QUANTITY_TOTAL,
    TS_QUANTITY_OWN,
    TS_QUANTITY_EXACT,
    TS_QUANTITY_ITERATIONS,
    TS_QUANTITY_COLLISION,
    TS_QUANTITY_ASSEMBLE,
    TS_QUANTITY_SOLVE,
    TS_QUANTITY_STEP,
    TS_QUANTITY_PENETRATION,
    TS_QUANTITY_CONTACTS,
    TS_QUANTITY_ROWS,
    TS_QUANTITY_HEIGHT,  // what follows is of a body or a number that somebody asks for
    TS_QUANTITY_SPEED,
    TS_QUANTITY_FORCE,
    TS_QUANTITY_WATCHED,  // the first number that is watched; more follow
    TS_QUANTITY_COUNT = TS_QUANTITY_WATCHED + TS_GAUGE_MOST
} ts_quantity;

/// What a number is. Those of one chart follow each other.
typedef struct ts_quantity_row {
    const char* chart;  // what it is drawn in: "energy"
    const char* name;   // "kinetic"
    const char* unit;   // "J"; "" for none
    int logarithmic;    // nonzero: powers of ten
    ts_ink color;
} ts_quantity_row;

/// Row of a number.
const ts_quantity_row* ts_quantity_at(int quantity);

/// Most samples of a strip, and strips side by side.
enum { TS_STRIP_SAMPLES = 4000, TS_STRIPS = 9 };

/// A step.
typedef struct ts_sample {
    long long step;
    double time;                     // s
    float value[TS_QUANTITY_COUNT];  // NaN where there is none
} ts_sample;

/// Past steps, in order, the oldest forgotten first.
typedef struct ts_strip {
    ts_sample sample[TS_STRIP_SAMPLES];  // ring
    int first;
    int count;
    char watched[TS_GAUGE_WORDS];  // the numbers that are watched, by words (ts_gauge_read)
} ts_strip;

/// The step that was just made. `body` (or -1) is the one whose height, speed and contact force are noted, `watched` names the numbers that are
/// watched; of more than there is room for the first ones. Recomputes kinematics, and sensors where something is watched.
ts_sample ts_strip_measure(ts_sim* sim, int body, const char* watched);

/// Of that only what is asked for, into places TS_QUANTITY_HEIGHT and on; NaN where there is none. Takes the kinematics as they are.
void ts_strip_measure_asked(ts_sim* sim, int body, const char* watched, float out_value[TS_QUANTITY_COUNT]);

/// From now on other numbers are watched; of past steps they are not known.
void ts_strip_watch(ts_strip* strip, const char* watched);

/// From now on another body is charted, or none; of past steps its numbers are not known.
void ts_strip_forget_body(ts_strip* strip);

/// The name of a number, for people: of one that is watched the word; "" where there is no such word.
void ts_strip_name(const ts_strip* strip, int quantity, char out_name[TS_GAUGE_WORD]);

/// Nonzero for a number that is drawn by powers of ten.
int ts_strip_is_logarithmic(const ts_strip* strip, int quantity);

/// The number of the sample of that step, or where there is none the latest one before it; -1: there is none before.
int ts_strip_find(const ts_strip* strip, long long step);

/// Adds it; what was known of that step and later ones is forgotten.
void ts_strip_add(ts_strip* strip, ts_sample sample);

/// Sample number i, from the oldest.
const ts_sample* ts_strip_at(const ts_strip* strip, int i);

/// Strips side by side. Zero-initialised: none.
typedef struct ts_strips {
    const ts_strip* strip[TS_STRIPS];
    const char* name[TS_STRIPS];  // of the simulations
    int count;
    int chosen;  // whose all charts are; of the others only what is watched is shown
} ts_strips;

/// The chosen strip.
static inline const ts_strip* ts_strips_chosen(const ts_strips* strips) { return strips->strip[strips->chosen]; }

/// A number of strip i at sample `at` of the chosen one: that of the same time, NaN where there is none.
float ts_strips_value(const ts_strips* strips, int i, int at, int quantity);

/// Adds a heading of a table of comma-separated values, in quotes where it needs them.
void ts_strip_add_heading(ts_text* text, const char* name);

/// Writes all samples of the chosen strip as CSV with names and units in the first line, and of the others the numbers that are watched.
ts_code ts_strip_write_csv(const ts_strips* strips, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
