// `run --certificate WHEN:FILE`: the certificate of one step as a JSON file, with the names of what touches.
#ifndef TS_CLI_STEP_CERTIFICATE_INTERNAL_H
#define TS_CLI_STEP_CERTIFICATE_INTERNAL_H

#include "base/text.h"
#include "engine/step/certify.h"

/// Which step is told about.
typedef enum ts_certificate_when {
    TS_CERTIFICATE_NEVER,
    TS_CERTIFICATE_STEP,
    TS_CERTIFICATE_LAST,
    TS_CERTIFICATE_WORST
} ts_certificate_when;

/// The request, and the text so far. Zero-initialised asks for nothing; free with ts_step_certificate_free.
typedef struct ts_step_certificate {
    ts_certificate_when when;
    long long step;     // wanted (TS_CERTIFICATE_STEP), or that of `text`
    double worst;       // natural map of that step
    const char* file;   // borrowed
    const char* scene;  // borrowed
    ts_text text;
    int found;  // nonzero once `text` is the certificate of a step
    ts_arena arena;
} ts_step_certificate;

/// Reads "STEP:FILE", "last:FILE" or "worst:FILE" (the step with the largest natural map). TS_ERROR_VALUE.
ts_code ts_step_certificate_parse(const char* text, ts_step_certificate* out_request, ts_status* out_status);

/// Looks at the state after a step. TS_ERROR_MEMORY.
ts_code ts_step_certificate_see(ts_step_certificate* request, const ts_sim* sim, ts_status* out_status);

/// Writes the file, in one piece. TS_ERROR_VALUE when there was no such step, TS_ERROR_FILE.
ts_code ts_step_certificate_write(ts_step_certificate* request, const ts_sim* sim, ts_status* out_status);

/// An object that sums up the last step: step, contacts, lcp, ccp, ncp (which laws hold), natural, modes. Null before
/// the first step.
void ts_step_certificate_summary(const ts_sim* sim, ts_json* json);

/// Adds to the message of a step that ended in TS_ERROR_NUMERIC which contact or joint row to look at; other statuses stay.
void ts_step_certificate_blame(const ts_sim* sim, ts_status* status);

/// Releases the memory.
void ts_step_certificate_free(ts_step_certificate* request);

#endif
