// A series as bytes and back, for the way from one rank to another. Both ends are the same program, so a struct travels as it
// lies in memory, and its arrays behind it.
#include "cli/report/series.h"

#include <string.h>

void ts_series_pack(const ts_series* series, ts_text* text) {
    ts_text_add_bytes(text, (const char*)series, sizeof *series);
    ts_text_add_bytes(text, (const char*)series->stats.seconds.data,
                      (size_t)series->stats.seconds.count * sizeof *series->stats.seconds.data);
    ts_text_add_bytes(text, (const char*)series->sample.data,
                      (size_t)series->sample.count * sizeof *series->sample.data);
}

size_t ts_series_unpack(const char* bytes, size_t length, ts_series* out_series) {
    static const ts_series empty;
    ts_series sent;
    *out_series = empty;
    if (length < sizeof sent) return 0;
    memcpy(&sent, bytes, sizeof sent);
    int times = sent.stats.seconds.count, samples = sent.sample.count;
    if (times < 0 || samples < 0) return 0;
    size_t time_bytes = (size_t)times * sizeof *sent.stats.seconds.data;
    size_t sample_bytes = (size_t)samples * sizeof *sent.sample.data;
    if (length - sizeof sent < time_bytes || length - sizeof sent - time_bytes < sample_bytes) return 0;
    // The arrays of this process, not those that the other one points to.
    sent.stats.seconds = empty.stats.seconds;
    sent.sample = empty.sample;
    int room = ts_number_array_resize(&sent.stats.seconds, times) && ts_sample_array_resize(&sent.sample, samples);
    if (!room) {
        ts_series_free(&sent);
        return 0;
    }
    if (times > 0) memcpy(sent.stats.seconds.data, bytes + sizeof sent, time_bytes);
    if (samples > 0) memcpy(sent.sample.data, bytes + sizeof sent + time_bytes, sample_bytes);
    *out_series = sent;
    return sizeof sent + time_bytes + sample_bytes;
}
