// Contacts over a whole run, certified one by one: those of a run of ours, or those that another engine has told. A log of contacts is a CSV
// or an HDF5 file, a line for each contact of each step (docs/laboratory.md); `run --certificates` writes one, `judge` reads anybody's.
#ifndef TS_CLI_JUDGE_INTERNAL_H
#define TS_CLI_JUDGE_INTERNAL_H

#include "base/array.h"
#include "base/text.h"
#include "engine/step/certify.h"

/// Room for what a side of a contact is called, terminator included; longer names are cut.
enum { TS_LOG_NAME = 64 };

/// A contact of a step. World axes.
typedef struct ts_logged_contact {
    char a[TS_LOG_NAME];
    char b[TS_LOG_NAME];
    ts_vec3 position;  // m
    ts_vec3 tangent;   // the first one: what pyramids are along
    ts_vec3 normal;    // from A to B
    double gap;        // m, when the step began
    double mu;
    ts_vec3 impulse;   // N s, on B
    ts_vec3 velocity;  // m/s, of B's surface against A's, after the step
    ts_contact_verdict verdict;
} ts_logged_contact;

TS_ARRAY_DECLARE(ts_logged_contact_array, ts_logged_contact);

/// A step's contacts. Zero-initialised; free with ts_logged_step_free.
typedef struct ts_logged_step {
    long long step;
    double time;  // s, at its end
    double dt;    // s
    ts_logged_contact_array contact;
    ts_arena arena;  // of who judges it
} ts_logged_step;

/// What is large in a step: gravity's gain of speed in it, at least.
typedef struct ts_logged_scale {
    double speed;    // m/s
    double impulse;  // N s
} ts_logged_scale;

/// The largest velocity and impulse of a step's contacts.
ts_logged_scale ts_logged_step_scale(const ts_logged_step* step);

/// Writes the name of a side into a log's contact: cut to its room, without what would be more fields of CSV than one.
void ts_logged_contact_name(char out_name[TS_LOG_NAME], const char* name);

/// Releases the memory.
void ts_logged_step_free(ts_logged_step* step);

/// Takes the contacts of the last step of a simulation, with their certificates. TS_ERROR_MEMORY.
ts_code ts_logged_step_take(ts_logged_step* step, const ts_sim* sim, ts_status* out_status);

/// Certifies contacts that were told: the same yardstick, on a problem with the velocities that were told. Without bodies there is no inertia;
/// how much impulse a velocity is worth is taken from the largest of both in the step. TS_ERROR_MEMORY.
ts_code ts_logged_step_certify(ts_logged_step* step, ts_status* out_status);

// --- reading a log -----------------------------------------------------------------------------------------------------

typedef struct ts_contact_log ts_contact_log;

/// Reads the file and its first line: HDF5 where it begins as such files do or is called .h5 or .hdf5, else CSV. Close with
/// ts_contact_log_close. TS_ERROR_FILE, TS_ERROR_VALUE (line or entry, and reason), TS_ERROR_MEMORY, TS_ERROR_UNSUPPORTED (HDF5 in a
/// build without it).
ts_code ts_contact_log_open(const char* file, ts_contact_log** out_log, ts_status* out_status);

/// The next step; *out_more is 0 at the end.
ts_code ts_contact_log_next(ts_contact_log* log, ts_logged_step* out_step, int* out_more, ts_status* out_status);

/// Releases it; NULL is ignored.
void ts_contact_log_close(ts_contact_log* log);

// --- writing one -------------------------------------------------------------------------------------------------------

typedef struct ts_contact_sheet_hdf5 ts_contact_sheet_hdf5;

/// A log that is being written. Zero-initialised: none.
typedef struct ts_contact_sheet {
    const char* file;  // borrowed
    int fd;
    int open;
    long long lines;
    ts_text text;                 // CSV, not written yet
    ts_contact_sheet_hdf5* hdf5;  // NULL: CSV
} ts_contact_sheet;

/// Begins the file with its headings: HDF5 where it is called .h5 or .hdf5, else CSV. TS_ERROR_FILE, TS_ERROR_UNSUPPORTED.
ts_code ts_contact_sheet_open(ts_contact_sheet* sheet, const char* file, ts_status* out_status);

/// Adds a line for each contact, with its verdict. TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_contact_sheet_add(ts_contact_sheet* sheet, const ts_logged_step* step, ts_status* out_status);

/// Writes the rest and closes the file; nothing when it is not open. TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_contact_sheet_close(ts_contact_sheet* sheet, ts_status* out_status);

// --- what was found ----------------------------------------------------------------------------------------------------

/// What can be wrong with a contact, each in its own unit.
typedef enum ts_finding {
    TS_FINDING_APPROACH,
    TS_FINDING_PULL,
    TS_FINDING_LIFT,
    TS_FINDING_OFF_CONE,
    TS_FINDING_CREEP,
    TS_FINDING_SHORT,
    TS_FINDING_OFF_SLIP,
    TS_FINDING_POWER,
    TS_FINDING_COUNT
} ts_finding;

/// One thing that was found, over all steps: each step counts with its worst contact.
typedef struct ts_found {
    long long steps;
    long long contacts;
    long long first_step;
    double first_time;   // s
    double worst;        // in the finding's unit
    double worst_share;  // 1: off_cone, of the friction that is admissible; else 0
    long long worst_step;
    double worst_time;
    char who[2 * TS_LOG_NAME + 4];  // at worst
    double* value;                  // (steps) of every step in which it was found, for the median
    size_t room;
} ts_found;

/// All that was found. Zero-initialised; free with ts_findings_free.
typedef struct ts_findings {
    long long steps;  // that were judged
    long long contacts;
    int most;            // contacts of a step
    long long holds[3];  // contacts of which LCP, CCP, NCP hold
    double last_time;    // s
    double deepest;      // m, overlap
    ts_found found[TS_FINDING_COUNT];
} ts_findings;

/// Adds a step whose contacts are certified. TS_ERROR_MEMORY.
ts_code ts_findings_add(ts_findings* findings, const ts_logged_step* step, ts_status* out_status);

/// A summary of some lines, and the same as the next value of a JSON text.
void ts_findings_text(const ts_findings* findings, const char* indent, ts_text* text);

/// See ts_findings_text.
void ts_findings_json(const ts_findings* findings, ts_json* json);

/// The first step in which anything was wrong; 0: none.
long long ts_findings_first(const ts_findings* findings);

/// Releases the memory.
void ts_findings_free(ts_findings* findings);

#endif
