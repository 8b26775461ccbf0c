// What every step came to, over time: the numbers behind the charts.
#ifndef TS_VIEWER_SESSION_STRIP_INTERNAL_H
#define TS_VIEWER_SESSION_STRIP_INTERNAL_H

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
    TS_QUANTITY_HEIGHT,
    TS_QUANTITY_SPEED,
    TS_QUANTITY_FORCE,
    TS_QUANTITY_WATCHED,  // the first number that is watched; more follow
    TS_QUANTITY_COUNT = TS_QUANTITY_WATCHED + 4
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

enum { TS_STRIP_SAMPLES = 4000 };

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

/// From now on other numbers are watched; of past steps they are not known.
void ts_strip_watch(ts_strip* strip, const char* watched);

/// The name of a number, for people: of one that is watched the word.
void ts_strip_name(const ts_strip* strip, int quantity, char out_name[TS_GAUGE_WORDS]);

/// Adds it; what was known of that step and later ones is forgotten.
void ts_strip_add(ts_strip* strip, ts_sample sample);

/// Sample number i, from the oldest.
const ts_sample* ts_strip_at(const ts_strip* strip, int i);

/// Writes all samples as CSV with names and units in the first line.
ts_code ts_strip_write_csv(const ts_strip* strip, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
