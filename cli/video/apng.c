// Problem: a film without loss that browsers show. Rule: every picture is a PNG of the rectangle that changed, its data taken over into
// the chunks of an animated one. Source: PNG specification, third edition (acTL, fcTL, fdAT). Guaranteed: colours are exact; a reader
// that knows no animation shows the first picture. Known to fail: programs that show no animated PNG.
#include "cli/video/video_internal.h"

#include "cli/report/picture_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_number(ts_text* text, unsigned value) {
    char four[4] = {(char)(value >> 24), (char)(value >> 16 & 255u), (char)(value >> 8 & 255u), (char)(value & 255u)};
    ts_text_add_bytes(text, four, 4);
}

static unsigned number_at(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

// The cyclic redundancy check of PNG, bit by bit.
static unsigned check_of(const char* bytes, size_t count) {
    unsigned crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; ++i) {
        crc ^= (unsigned char)bytes[i];
        for (int k = 0; k < 8; ++k) crc = crc & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

// A chunk is begun by its length and name, filled, and ended.
static size_t begin_chunk(ts_text* text, const char* name) {
    size_t at = text->length;
    add_number(text, 0);
    ts_text_add_bytes(text, name, 4);
    return at;
}

static void set_number(ts_text* text, size_t at, unsigned value) {
    for (int i = 0; i < 4 && !text->failed; ++i) text->data[at + (size_t)i] = (char)(value >> (24 - 8 * i) & 255u);
}

static void end_chunk(ts_text* text, size_t at) {
    if (text->failed) return;
    size_t length = text->length - at - 8;
    set_number(text, at, (unsigned)length);
    add_number(text, check_of(text->data + at + 4, length + 4));
}

// Time is told in thousandths of a second, once it is known how long a picture is shown.
static void tell_delay(ts_video* video) {
    ts_text* text = &video->bytes;
    if (video->shown == 0 || text->failed) return;
    double begins = (double)(video->count - video->shown), ends = (double)video->count;
    long long delay = llround(1000.0 * ends / video->format.rate) - llround(1000.0 * begins / video->format.rate);
    if (delay > 65535) delay = 65535;
    text->data[video->delay + 20] = (char)(delay >> 8);
    text->data[video->delay + 21] = (char)(delay & 255);
    set_number(text, video->delay + 26, check_of(text->data + video->delay - 4, 30));
}

static void add_control(ts_video* video, ts_video_part part) {
    ts_text* text = &video->bytes;
    size_t at = begin_chunk(text, "fcTL");
    video->delay = at + 8;
    add_number(text, video->sequence++);
    add_number(text, (unsigned)part.width);
    add_number(text, (unsigned)part.height);
    add_number(text, (unsigned)part.x);
    add_number(text, (unsigned)part.y);
    // So many of 1000, left in place, in place of what is there.
    ts_text_add_bytes(text, "\0\0\x03\xE8\0\0", 6);
    end_chunk(text, at);
}

// What of a PNG belongs into the film: of the first all up to its data, of every one the data.
static void take_over(ts_video* video, ts_video_part part, const ts_text* png) {
    ts_text* text = &video->bytes;
    int first = video->written == 0, begun = 0;
    if (first) ts_text_add_bytes(text, png->data, 8);
    for (size_t at = 8; at + 12 <= png->length; at += 12 + number_at(png->data + at)) {
        const char* name = png->data + at + 4;
        size_t length = number_at(png->data + at);
        if (strncmp(name, "IDAT", 4) != 0) {
            if (first && strncmp(name, "IEND", 4) != 0) ts_text_add_bytes(text, png->data + at, length + 12);
            if (first && strncmp(name, "IHDR", 4) == 0) {
                video->control = begin_chunk(text, "acTL");
                add_number(text, 0);
                add_number(text, 0);
                end_chunk(text, video->control);
            }
            continue;
        }
        if (!begun) add_control(video, part);
        begun = 1;
        size_t chunk = begin_chunk(text, first ? "IDAT" : "fdAT");
        if (!first) add_number(text, video->sequence++);
        ts_text_add_bytes(text, png->data + at + 8, length);
        end_chunk(text, chunk);
    }
}

static ts_code begin(ts_video* video, ts_status* out_status) {
    (void)video;
    return ts_status_ok(out_status);
}

static ts_code add(ts_video* video, const unsigned char* rgb, ts_status* out_status) {
    ts_video_part part = ts_video_changed(video, rgb);
    if (part.width == 0) {
        video->shown++;
        return TS_OK;
    }
    ts_text png = {0};
    size_t row = 3u * (size_t)part.width;
    unsigned char* pixels = (unsigned char*)malloc(row * (size_t)part.height);
    for (int y = 0; pixels && y < part.height; ++y)
        memcpy(pixels + row * (size_t)y,
               rgb + 3 * ((size_t)(part.y + y) * (size_t)video->format.width + (size_t)part.x), row);
    ts_code code = pixels ? ts_picture_encode(part.width, part.height, 3, pixels, &png, out_status)
                          : ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a film");
    if (!code) {
        tell_delay(video);
        take_over(video, part, &png);
        video->written++;
        video->shown = 1;
    }
    ts_text_free(&png);
    free(pixels);
    return code;
}

static ts_code end(ts_video* video, int keep, ts_status* out_status) {
    ts_text* text = &video->bytes;
    if (!keep || video->written == 0) return ts_status_ok(out_status);
    tell_delay(video);
    set_number(text, video->control + 8, video->written);
    if (!text->failed) set_number(text, video->control + 16, check_of(text->data + video->control + 4, 12));
    end_chunk(text, begin_chunk(text, "IEND"));
    return ts_status_ok(out_status);
}

const ts_video_kind ts_video_apng = {begin, add, end};
