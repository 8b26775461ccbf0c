// Problem: a film that every program shows, without libraries. Rule: of every picture the rectangle that changed, what did not being
// see-through, in up to 255 colours of its own (median cut over colours of five bits each), compressed by LZW. Source: the GIF89a
// specification; Heckbert, Color image quantization for frame buffer display (1982); Welch, A technique for high-performance data
// compression (1984). Guaranteed: what stands still does not flicker, since it is not written again; the same pictures give the same
// bytes. Known to fail: more than 255 colours in what changes are rounded; times are rounded to hundredths of a second, without drift.
#include "cli/video/video_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 32 * 32 * 32, COLORS = 255, CLEAR_BITS = 8 };

// --- colours ---------------------------------------------------------------------------------------------------------

// What is known of colours that agree in five bits of each part.
typedef struct cell {
    unsigned count;
    unsigned long sum[3];
    unsigned char color;  // of the palette
} cell;

typedef struct box {
    int first;  // of the list of cells
    int count;
} box;

typedef struct palette {
    cell cells[CELLS];
    int list[CELLS];  // cells in use, box by box
    box boxes[COLORS];
    int count;
    unsigned char rgb[3 * 256];
} palette;

static int cell_of(const unsigned char* p) { return p[0] >> 3 << 10 | p[1] >> 3 << 5 | p[2] >> 3; }

static int axis_value(int cell_index, int axis) { return cell_index >> (10 - 5 * axis) & 31; }

// How far a box reaches along each part of a colour, as its longest axis; -1 for a single cell.
static int longest_axis(const palette* p, const box* b, int* out_length) {
    int best = -1;
    *out_length = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int low = 31, high = 0;
        for (int i = 0; i < b->count; ++i) {
            int v = axis_value(p->list[b->first + i], axis);
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (high - low > *out_length) {
            *out_length = high - low;
            best = axis;
        }
    }
    return best;
}

// Sorts the cells of a box along an axis, by counting, and cuts it where half of its pixels are on either side.
static box cut(palette* p, box* b, int axis, int* scratch) {
    int start[33] = {0};
    unsigned long total = 0, sum = 0;
    for (int i = 0; i < b->count; ++i) {
        start[axis_value(p->list[b->first + i], axis) + 1]++;
        total += p->cells[p->list[b->first + i]].count;
    }
    for (int v = 0; v < 32; ++v) start[v + 1] += start[v];
    for (int i = 0; i < b->count; ++i) {
        int c = p->list[b->first + i];
        scratch[start[axis_value(c, axis)]++] = c;
    }
    memcpy(p->list + b->first, scratch, (size_t)b->count * sizeof *scratch);
    int half = 1;
    for (int i = 0; i < b->count - 1; ++i) {
        sum += p->cells[p->list[b->first + i]].count;
        half = i + 1;
        if (2 * sum >= total) break;
    }
    box rest = {b->first + half, b->count - half};
    b->count = half;
    return rest;
}

// The box that is worth cutting most: many pixels over a long way.
static int widest(const palette* p, int* out_axis) {
    int best = -1;
    double worth = 0.0;
    for (int i = 0; i < p->count; ++i) {
        double pixels = 0.0;
        int length, axis = longest_axis(p, &p->boxes[i], &length);
        if (axis < 0) continue;
        for (int k = 0; k < p->boxes[i].count; ++k) pixels += p->cells[p->list[p->boxes[i].first + k]].count;
        if (sqrt(pixels) * length <= worth) continue;
        worth = sqrt(pixels) * length;
        best = i;
        *out_axis = axis;
    }
    return best;
}

static void mix(palette* p, int b) {
    unsigned long sum[3] = {0, 0, 0}, count = 0;
    for (int i = 0; i < p->boxes[b].count; ++i) {
        cell* c = &p->cells[p->list[p->boxes[b].first + i]];
        for (int k = 0; k < 3; ++k) sum[k] += c->sum[k];
        count += c->count;
        c->color = (unsigned char)b;
    }
    if (count == 0) return;
    for (int k = 0; k < 3; ++k) p->rgb[3 * b + k] = (unsigned char)((sum[k] + count / 2) / count);
}

static int make_palette(palette* p) {
    int* scratch = (int*)malloc(CELLS * sizeof *scratch);
    int used = 0;
    if (!scratch) return 0;
    for (int c = 0; c < CELLS; ++c)
        if (p->cells[c].count) p->list[used++] = c;
    p->boxes[0] = (box){0, used};
    p->count = 1;
    while (p->count < COLORS) {
        int axis = 0, b = widest(p, &axis);
        if (b < 0) break;
        p->boxes[p->count] = cut(p, &p->boxes[b], axis, scratch);
        p->count++;
    }
    for (int b = 0; b < p->count; ++b) mix(p, b);
    free(scratch);
    return 1;
}

// --- LZW -------------------------------------------------------------------------------------------------------------

enum { SLOTS = 8192, MOST_CODES = 4096 };

// Codes of varying width in blocks of at most 255 bytes.
typedef struct packer {
    ts_text* text;
    unsigned long bits;
    int bit_count;
    unsigned char block[255];
    int block_size;
    int width;  // of a code, bits
    int next;   // code
    int key[SLOTS];
    short code[SLOTS];
} packer;

static void flush(packer* p) {
    char size = (char)p->block_size;
    if (p->block_size == 0) return;
    ts_text_add_bytes(p->text, &size, 1);
    ts_text_add_bytes(p->text, (const char*)p->block, (size_t)p->block_size);
    p->block_size = 0;
}

static void put(packer* p, int code) {
    p->bits |= (unsigned long)code << p->bit_count;
    p->bit_count += p->width;
    while (p->bit_count >= 8) {
        p->block[p->block_size++] = (unsigned char)(p->bits & 255u);
        p->bits >>= 8;
        p->bit_count -= 8;
        if (p->block_size == 255) flush(p);
    }
    // The reader learns a code one later than we do.
    if (p->next > (1 << p->width) - 1 && p->width < 12) p->width++;
}

static void forget(packer* p) {
    memset(p->key, 0xFF, sizeof p->key);
    p->width = CLEAR_BITS + 1;
    p->next = (1 << CLEAR_BITS) + 2;
}

// Where a code followed by a byte is, or would be.
static int slot_of(const packer* p, int key) {
    unsigned slot = (unsigned)key * 2654435761u >> 19;
    while (p->key[slot] != -1 && p->key[slot] != key) slot = (slot + 1u) % SLOTS;
    return (int)slot;
}

static void compress(packer* p, const unsigned char* index, size_t count) {
    int prefix = index[0], clear = 1 << CLEAR_BITS;
    forget(p);
    put(p, clear);
    for (size_t i = 1; i < count; ++i) {
        int key = prefix << 8 | index[i], slot = slot_of(p, key);
        if (p->key[slot] == key) {
            prefix = p->code[slot];
            continue;
        }
        put(p, prefix);
        if (p->next < MOST_CODES) {
            p->key[slot] = key;
            p->code[slot] = (short)p->next++;
        } else {
            put(p, clear);
            forget(p);
        }
        prefix = index[i];
    }
    put(p, prefix);
    put(p, clear + 1);
    while (p->bit_count > 0) {
        p->block[p->block_size++] = (unsigned char)(p->bits & 255u);
        p->bits >>= 8;
        p->bit_count -= 8;
        if (p->block_size == 255) flush(p);
    }
    flush(p);
}

// --- the file --------------------------------------------------------------------------------------------------------

static void add_word(ts_text* text, unsigned value) {
    char two[2] = {(char)(value & 255u), (char)(value >> 8 & 255u)};
    ts_text_add_bytes(text, two, 2);
}

static ts_code begin(ts_video* video, ts_status* out_status) {
    ts_text* text = &video->bytes;
    ts_text_add_bytes(text, "GIF89a", 6);
    add_word(text, (unsigned)video->format.width);
    add_word(text, (unsigned)video->format.height);
    ts_text_add_bytes(text, "\x70\0\0", 3);
    // For ever.
    ts_text_add_bytes(text, "\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);
    return ts_status_ok(out_status);
}

// The time of the picture that was written last, now that it is known how long it is shown.
static void tell_delay(ts_video* video) {
    if (video->shown == 0 || video->bytes.failed) return;
    double begins = (double)(video->count - video->shown), ends = (double)video->count;
    long long delay = llround(100.0 * ends / video->format.rate) - llround(100.0 * begins / video->format.rate);
    if (delay > 65535) delay = 65535;
    video->bytes.data[video->delay] = (char)(delay & 255);
    video->bytes.data[video->delay + 1] = (char)(delay >> 8);
}

// Colours of what changed, by which pixels become indices; 255 is see-through.
static int make_indices(const ts_video* video, const unsigned char* rgb, ts_video_part part, palette* p,
                        unsigned char* out_index) {
    size_t row = (size_t)video->format.width, count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int y = part.y; y < part.y + part.height; ++y) {
            for (int x = part.x; x < part.x + part.width; ++x) {
                size_t at = 3 * ((size_t)y * row + (size_t)x);
                int same = video->count > 0 && memcmp(rgb + at, video->before + at, 3) == 0;
                cell* c = &p->cells[cell_of(rgb + at)];
                if (pass == 1) out_index[count++] = same ? COLORS : c->color;
                if (pass == 1 || same) continue;
                c->count++;
                for (int k = 0; k < 3; ++k) c->sum[k] += rgb[at + (size_t)k];
            }
        }
        if (pass == 0 && !make_palette(p)) return 0;
    }
    return 1;
}

static void add_picture(ts_video* video, ts_video_part part, const palette* p, packer* pack,
                        const unsigned char* index) {
    ts_text* text = &video->bytes;
    // Left in place, with a see-through colour.
    ts_text_add_bytes(text, "\x21\xF9\x04\x05", 4);
    video->delay = text->length;
    add_word(text, 0);
    ts_text_add_bytes(text, "\xFF\0\x2C", 3);
    add_word(text, (unsigned)part.x);
    add_word(text, (unsigned)part.y);
    add_word(text, (unsigned)part.width);
    add_word(text, (unsigned)part.height);
    ts_text_add_bytes(text, "\x87", 1);
    ts_text_add_bytes(text, (const char*)p->rgb, sizeof p->rgb);
    ts_text_add_bytes(text, "\x08", 1);
    pack->text = text;
    compress(pack, index, (size_t)part.width * (size_t)part.height);
    ts_text_add_bytes(text, "\0", 1);
}

static ts_code add(ts_video* video, const unsigned char* rgb, ts_status* out_status) {
    ts_video_part part = ts_video_changed(video, rgb);
    if (part.width == 0) {
        video->shown++;
        return TS_OK;
    }
    palette* p = (palette*)calloc(1, sizeof *p);
    packer* pack = (packer*)calloc(1, sizeof *pack);
    unsigned char* index = (unsigned char*)calloc((size_t)part.width, (size_t)part.height);
    ts_code code = TS_OK;
    if (p && pack && index && make_indices(video, rgb, part, p, index)) {
        tell_delay(video);
        add_picture(video, part, p, pack, index);
        video->shown = 1;
    } else {
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a film");
    }
    free(index);
    free(pack);
    free(p);
    return code;
}

static ts_code end(ts_video* video, int keep, ts_status* out_status) {
    if (keep) tell_delay(video);
    ts_text_add_bytes(&video->bytes, "\x3B", 1);
    return ts_status_ok(out_status);
}

const ts_video_kind ts_video_gif = {begin, add, end};
