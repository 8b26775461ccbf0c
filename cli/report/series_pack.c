// A series as bytes and back, for the way from one rank to another. Both ends are the same program, so a struct travels as it
// lies in memory, and its arrays behind it.
#include "cli/report/series_internal.h"

#include <string.h>

void ts_series_pack(const ts_series* series, ts_text* text) {
    ts_text_add_bytes(text, (const char*)series, sizeof *series);
    ts_text_add_bytes(text, (const char*)series->stats.seconds.data,
                      (size_t)series->stats.seconds.count * sizeof *series->stats.seconds.data);
    ts_text_add_bytes(text, (const char*)series->sample.data,
                      (size_t)series->sample.count * sizeof *series->sample.data);
    ts_text_add_bytes(text, (const char*)series->worst.row.data,
                      (size_t)series->worst.row.count * sizeof *series->worst.row.data);
}

// What is left to read.
typedef struct rest {
    const char* bytes;
    size_t length;
} rest;

// Moves `count` things of that size to `target`, which has room for them. Returns 0 when they are not all there.
static int take(rest* from, int count, size_t size, void* target) {
    if (count < 0 || !target || from->length / size < (size_t)count) return count == 0;
    memcpy(target, from->bytes, (size_t)count * size);
    from->bytes += (size_t)count * size;
    from->length -= (size_t)count * size;
    return 1;
}

size_t ts_series_unpack(const char* bytes, size_t length, ts_series* out_series) {
    static const ts_series empty;
    ts_series sent;
    rest from = {bytes, length};
    *out_series = empty;
    if (!take(&from, 1, sizeof sent, &sent)) return 0;
    int times = sent.stats.seconds.count, samples = sent.sample.count, rows = sent.worst.row.count;
    // The arrays of this process, not those that the other one points to.
    sent.stats.seconds = empty.stats.seconds;
    sent.sample = empty.sample;
    sent.worst.row = empty.worst.row;
    int whole = times >= 0 && samples >= 0 && rows >= 0 && ts_number_array_resize(&sent.stats.seconds, times) &&
                ts_sample_array_resize(&sent.sample, samples) && ts_contact_row_array_resize(&sent.worst.row, rows) &&
                take(&from, times, sizeof *sent.stats.seconds.data, sent.stats.seconds.data) &&
                take(&from, samples, sizeof *sent.sample.data, sent.sample.data) &&
                take(&from, rows, sizeof *sent.worst.row.data, sent.worst.row.data);
    if (!whole) {
        ts_series_free(&sent);
        return 0;
    }
    *out_series = sent;
    return length - from.length;
}
