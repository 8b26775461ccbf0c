// Problem: few bytes for many frames. Rule: a frame is told by how it departs from what the two before it foretell.
//
//   frame     bits, one per moving body, the lowest first: set where the body departs; then of each such body seven numbers, those of its pose
//             less those foretold: as before in frame 0 of zeros, as in frame 0 in frame 1, 2 x last - last but one after it. Then the number
//             of contacts, and the contacts
//   contact   4 x link + mode. link 0: new; then its two geoms. Else the same as a contact of the frame before, `link` places
//             behind the one that the last link led to (-1 at first). Then place, normal and force, less those of that contact (zeros for a new one)
//   number    seven bits to a byte, lowest first, the eighth says that more follow; where it can be negative 2 x or -2 x - 1 stands for x
//
// Guaranteed: decoding gives the same whole numbers. The numbers of frames stand beside it as doubles, row by row.
#include "cli/replay/reel_internal.h"

#include <string.h>

static void put(ts_text* out, uint64_t value) {
    char byte[10];
    size_t length = 0;
    do {
        byte[length++] = (char)((value & 127) | (value > 127 ? 128 : 0));
        value >>= 7;
    } while (value);
    ts_text_add_bytes(out, byte, length);
}

static void put_signed(ts_text* out, int64_t value) {
    put(out, value < 0 ? 2 * (uint64_t)(-(value + 1)) + 1 : 2 * (uint64_t)value);
}

// The bodies of frame `f`, foretold from `last` and the one before (either may be -1).
static void put_poses(const ts_reel* reel, int f, int last, int before, ts_text* out) {
    if (reel->moving == 0) return;
    const int32_t* now = reel->poses.data + 7 * (size_t)reel->moving * (size_t)f;
    const int32_t* one = last < 0 ? NULL : reel->poses.data + 7 * (size_t)reel->moving * (size_t)last;
    const int32_t* two = before < 0 ? NULL : reel->poses.data + 7 * (size_t)reel->moving * (size_t)before;
    for (int pass = 0; pass < 2; ++pass) {
        unsigned bits = 0;
        for (int i = 0; i < reel->moving; ++i) {
            int64_t off[7];
            int departs = 0;
            for (int k = 0; k < 7; ++k) {
                size_t at = 7 * (size_t)i + (size_t)k;
                int64_t foretold = two ? 2 * (int64_t)one[at] - two[at] : (one ? one[at] : 0);
                off[k] = now[at] - foretold;
                departs |= off[k] != 0;
            }
            for (int k = 0; k < 7 && pass == 1 && departs; ++k) put_signed(out, off[k]);
            bits |= (unsigned)departs << (i % 8);
            if (pass == 0 && (i % 8 == 7 || i + 1 == reel->moving)) {
                char byte = (char)bits;
                ts_text_add_bytes(out, &byte, 1);
                bits = 0;
            }
        }
    }
}

static void put_contacts(const ts_reel* reel, const ts_reel_frame* now, const ts_reel_frame* last, ts_text* out) {
    static const ts_reel_contact none;
    const ts_reel_contact* contact = now->contacts ? reel->contacts.data + now->first : &none;
    const ts_reel_contact* old = last && last->contacts ? reel->contacts.data + last->first : &none;
    int linked = -1, at = 0, old_count = last ? last->contacts : 0;
    put(out, (uint64_t)now->contacts);
    for (int c = 0; c < now->contacts; ++c) {
        // Both lists are sorted by key.
        while (at < old_count && old[at].key < contact[c].key) ++at;
        int same = at < old_count && old[at].key == contact[c].key;
        const ts_reel_contact* from = same ? &old[at] : &none;
        put(out, 4 * (uint64_t)(same ? at - linked : 0) + (uint64_t)contact[c].mode);
        for (int k = 0; k < 2 && !same; ++k) put(out, (uint64_t)contact[c].geom[k]);
        for (int k = 0; k < 3; ++k) put_signed(out, (int64_t)contact[c].place[k] - from->place[k]);
        for (int k = 0; k < 3; ++k) put_signed(out, (int64_t)contact[c].normal[k] - from->normal[k]);
        for (int k = 0; k < 3; ++k) put_signed(out, (int64_t)contact[c].force[k] - from->force[k]);
        if (same) linked = at++;
    }
}

void ts_reel_encode(const ts_reel* reel, int stride, ts_text* out_bytes, ts_text* out_numbers) {
    int last = -1, before = -1, end = reel->frames.count - 1;
    for (int f = 0; f <= end; f = f < end && f + stride > end ? end : f + stride) {
        const ts_reel_frame* frame = &reel->frames.data[f];
        put_poses(reel, f, last, before, out_bytes);
        put_contacts(reel, frame, last < 0 ? NULL : &reel->frames.data[last], out_bytes);
        ts_text_add_bytes(out_numbers, (const char*)frame->number, sizeof frame->number);
        before = last;
        last = f;
    }
}
