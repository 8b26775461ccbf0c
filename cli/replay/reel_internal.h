// A reel: what of a run is shown again. Frames at equal distances in time, each with the poses of what moves, the contacts that matter
// most, and the numbers of its step; all in whole multiples of quanta that are powers of two.
#ifndef TS_CLI_REEL_INTERNAL_H
#define TS_CLI_REEL_INTERNAL_H

#include "base/array.h"
#include "base/text.h"
#include "engine/sim.h"
#include "scenes/scene_sizes.h"

/// Quanta of what has no unit, as parts of one; most contacts of a frame; numbers of a frame.
enum { TS_REEL_TURN = 16384, TS_REEL_NORMAL = 127, TS_REEL_CONTACTS = 300, TS_REEL_NUMBERS = 14 };

/// A contact of a frame.
typedef struct ts_reel_contact {
    uint64_t key;  // the same while the same features touch
    int32_t geom[2];
    int32_t place[3];  // quanta of length
    int32_t force[3];  // quanta of force, on the body of ts_scene_look_side, world axes
    int32_t normal[3];
    int32_t mode;  // ts_contact_mode
} ts_reel_contact;

/// A frame. Its numbers: time, step, share unmet of the own law and of the exact one, kinetic and potential energy, worst penetration, iterations,
/// status of the solve, contacts, and how many of these are open, stick, slide, violate the exact law.
typedef struct ts_reel_frame {
    double number[TS_REEL_NUMBERS];
    long long first;  // of its contacts
    int contacts;     // that are kept of them
} ts_reel_frame;

TS_ARRAY_DECLARE(ts_reel_frames, ts_reel_frame);
TS_ARRAY_DECLARE(ts_reel_contacts, ts_reel_contact);
TS_ARRAY_DECLARE(ts_reel_poses, int32_t);

/// A reel. Begin with ts_reel_begin; free with ts_reel_free.
typedef struct ts_reel {
    char name[160];         // of the run
    char law[8];            // that its solver claims
    const ts_model* model;  // borrowed
    int* body;              // (moving) those that can move
    double length;          // m: the quantum
    double force;           // N: the quantum
    double spacing;         // s between frames
    double due;             // s, when the next one is
    ts_reel_frames frames;
    ts_reel_poses poses;  // (frames x moving x 7) position in quanta, quaternion in 1/TS_REEL_TURN
    ts_reel_contacts contacts;
    ts_scene_box box;  // around all that was worth looking at
    ts_scene_sizes sizes;
    ts_arena arena;  // of certificates
    int moving;      // bodies that can move
    int failed;      // memory ran out
} ts_reel;

/// Nonzero for a body that the world does not hold still: of a tree, or moved from outside, or fixed to such a one.
int ts_reel_moves(const ts_model* model, int body);

/// Frames a second for a run of that length, s: sixty of simulated time, more for what is over in less than two seconds.
double ts_reel_rate(double duration);

/// An empty reel of a simulation that stands where it begins, `rate` frames a second.
void ts_reel_begin(ts_reel* reel, ts_sim* sim, const char* name, double rate);

/// Looks at a simulation after a step, or at its start: takes a frame when one is due, or anyway when `last` is nonzero. A reel
/// that would take more memory than it may goes on with half as many frames. Returns 0 when memory is short.
int ts_reel_add(ts_reel* reel, ts_sim* sim, int last);

/// Every `stride`th frame and the last one: motion as bytes (see reel_code.c), and the numbers of these frames.
void ts_reel_encode(const ts_reel* reel, int stride, ts_text* out_bytes, ts_text* out_numbers);

/// The largest distance by which a stored place is off, m, while it is within 10^8 quanta of the origin.
double ts_reel_length_error(const ts_reel* reel);

/// The largest angle by which a stored orientation is off, rad.
double ts_reel_turn_error(void);

/// Releases the memory.
void ts_reel_free(ts_reel* reel);

#endif
