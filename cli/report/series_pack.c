// A series as bytes and back, field by field, for the way from one rank to another. The same functions write and read, so
// that neither can forget what the other does. Numbers keep their bits; both ends are the same program.
#include "cli/report/series.h"

#include <string.h>

// Writes to `out`, or, where that is NULL, reads from `in`.
typedef struct wire {
    ts_text* out;
    const char* in;
    size_t left;
    int failed;
} wire;

static void carry(wire* w, void* field, size_t size) {
    if (w->out) {
        ts_text_add_bytes(w->out, (const char*)field, size);
    } else if (w->failed || size > w->left) {
        w->failed = 1;
    } else {
        memcpy(field, w->in, size);
        w->in += size;
        w->left -= size;
    }
}

static void carry_int(wire* w, int* value) { carry(w, value, sizeof *value); }

static void carry_long(wire* w, long long* value) { carry(w, value, sizeof *value); }

static void carry_double(wire* w, double* value) { carry(w, value, sizeof *value); }

static void carry_vec3(wire* w, ts_vec3* v) {
    carry_double(w, &v->x);
    carry_double(w, &v->y);
    carry_double(w, &v->z);
}

static void carry_energy(wire* w, ts_energy* energy) {
    carry_double(w, &energy->kinetic);
    carry_double(w, &energy->potential);
}

static void carry_status(wire* w, ts_status* status) {
    int code = (int)status->code;
    carry_int(w, &code);
    carry_int(w, &status->line);
    carry(w, status->file, sizeof status->file);
    carry(w, status->message, sizeof status->message);
    status->code = (ts_code)code;
}

// The number of entries of an array that is about to be carried; reading, not more than can be left.
static int carry_count(wire* w, int count) {
    carry_int(w, &count);
    if (!w->out && (count < 0 || (size_t)count > w->left)) w->failed = 1;
    return w->failed ? 0 : count;
}

static void carry_stats(wire* w, ts_stats* stats) {
    carry_long(w, &stats->steps);
    for (int i = 0; i < 4; ++i) carry_long(w, &stats->status_count[i]);
    for (int i = 0; i <= TS_STATS_STAGES; ++i) carry_long(w, &stats->stage_count[i]);
    carry_int(w, &stats->contacts_most);
    carry_int(w, &stats->iterations_most);
    carry_double(w, &stats->iterations_sum);
    carry_double(w, &stats->worst_penetration);
    carry_double(w, &stats->worst_ncp);
    carry_double(w, &stats->worst_natural);
    carry_double(w, &stats->worst_own);
    carry_long(w, &stats->narrow_failures);
    carry_energy(w, &stats->energy_first);
    carry_energy(w, &stats->energy_last);
    carry_double(w, &stats->energy_gained);
    carry_double(w, &stats->energy_highest);
    carry_double(w, &stats->time_last);
    carry_double(w, &stats->opening_sum);
    carry_double(w, &stats->slip_sum);
    carry_double(w, &stats->cone_sum);
    carry_double(w, &stats->impulse_sum);
    carry_double(w, &stats->askew_sum);
    carry_double(w, &stats->sliding_sum);
    carry_int(w, &stats->started);
    int count = carry_count(w, stats->seconds.count);
    if (!w->out && !ts_number_array_resize(&stats->seconds, count)) w->failed = 1;
    for (int i = 0; i < count && !w->failed; ++i) carry_double(w, &stats->seconds.data[i]);
}

static void carry_sample(wire* w, ts_sample* sample) {
    carry_long(w, &sample->step);
    carry_double(w, &sample->time);
    carry_vec3(w, &sample->position);
    carry_double(w, &sample->rotation.w);
    carry_double(w, &sample->rotation.x);
    carry_double(w, &sample->rotation.y);
    carry_double(w, &sample->rotation.z);
    carry_vec3(w, &sample->velocity);
    carry_vec3(w, &sample->spin);
    carry_double(w, &sample->kinetic);
    carry_double(w, &sample->potential);
    carry_int(w, &sample->contacts);
    carry_int(w, &sample->iterations);
    carry_int(w, &sample->status);
    carry_double(w, &sample->penetration);
    carry_double(w, &sample->ncp);
    carry_double(w, &sample->natural);
    carry_double(w, &sample->own);
    carry_double(w, &sample->motion.impulse);
    carry_double(w, &sample->motion.opening);
    carry_double(w, &sample->motion.slip);
    carry_double(w, &sample->motion.cone);
    carry_double(w, &sample->motion.sliding);
    carry_double(w, &sample->motion.askew);
    carry_double(w, &sample->inner_friction);
    carry_double(w, &sample->seconds);
}

static void carry_series(wire* w, ts_series* series) {
    int law = (int)series->law;
    int code = (int)series->code;
    carry(w, series->solver, sizeof series->solver);
    carry_int(w, &law);
    carry_int(w, &series->focus);
    carry_stats(w, &series->stats);
    carry_int(w, &series->stride);
    carry_double(w, &series->wall);
    carry_int(w, &code);
    carry_status(w, &series->status);
    series->law = (ts_contact_law)law;
    series->code = (ts_code)code;
    int count = carry_count(w, series->sample.count);
    if (!w->out && !ts_sample_array_resize(&series->sample, count)) w->failed = 1;
    for (int i = 0; i < count && !w->failed; ++i) carry_sample(w, &series->sample.data[i]);
}

void ts_series_pack(const ts_series* series, ts_text* text) {
    wire w = {text, NULL, 0, 0};
    // Carrying writes where it reads and nowhere else, so the series stays as it is.
    ts_series copy = *series;
    carry_series(&w, &copy);
}

size_t ts_series_unpack(const char* bytes, size_t length, ts_series* out_series) {
    wire w = {NULL, bytes, length, 0};
    memset(out_series, 0, sizeof *out_series);
    carry_series(&w, out_series);
    if (!w.failed) return length - w.left;
    ts_series_free(out_series);
    memset(out_series, 0, sizeof *out_series);
    return 0;
}
