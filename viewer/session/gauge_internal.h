// Numbers of a simulation by name, for whoever wants to watch them.
#ifndef TS_VIEWER_SESSION_GAUGE_INTERNAL_H
#define TS_VIEWER_SESSION_GAUGE_INTERNAL_H

#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most characters of one word that is watched, and of all of them, the end included; and words of them that are charted.
enum { TS_GAUGE_WORD = 128, TS_GAUGE_WORDS = 640, TS_GAUGE_MOST = 10 };

/// Reads "time", "FIELD[NUMBER]" or "FIELD[NAME]" of what a shadow has: qpos and qvel by joint, ctrl and actuator_force by actuator, sensor by
/// sensor, tendon_length by tendon, act; or "contact[A,B].PART", "contact[A].PART", "contact[A,B:LABEL].PART" with geoms, bodies ("world") or numbers of
/// geoms, and PART of gap (m), normal, friction (N), normal_impulse, friction_impulse (N s), slip (m/s), own and exact (shares of either law that
/// are unmet) and count. Without such a contact that is NaN (count: 0), and so are shares where `facts` (may be NULL) does not know them. Returns NULL,
/// or what is wrong with the text.
const char* ts_gauge_read(const ts_sim* sim, const ts_contact_facts* facts, const char* text, double* out_value);

/// The last of these, from the bracket on.
const char* ts_gauge_read_contact(const ts_sim* sim, const ts_contact_facts* facts, const char* text,
                                  double* out_value);

/// The word of a contact of the last step, without its part: it is read there as long as the same features touch.
void ts_gauge_contact_word(const ts_sim* sim, int contact, char out_word[TS_GAUGE_WORD]);

/// Adds gap, normal, friction, slip and exact of a contact, by that word, to the words that are watched; where any number of it is among them, takes all
/// of those away. Returns 0 when there is no room.
int ts_gauge_toggle_contact(char io_words[TS_GAUGE_WORDS], const char* contact);

/// Nonzero for a word that needs `facts`: a share of a law.
int ts_gauge_is_share(const char* word);

/// Copies word number n (from 0) of words separated by spaces; one that is too long counts for none. Returns 0 when there is none.
int ts_gauge_word(const char* words, int n, char out_word[TS_GAUGE_WORD]);

#ifdef __cplusplus
}
#endif
#endif
