// What is drawn at contacts, and the figures behind it.
#ifndef TS_VIEWER_SCENE_CONTACTS_INTERNAL_H
#define TS_VIEWER_SCENE_CONTACTS_INTERNAL_H

#include "viewer/overlay.h"
#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the judge says about every contact of a simulation, in memory of the arena; the internal forces only where `show` asks for them and the
/// problem is small enough. Nothing but the modes of a recording.
ts_contact_facts ts_scene_contacts_judge(const ts_sim* sim, unsigned show, ts_arena* arena);

/// Draws the contacts that the style's `show` and `filter` leave.
void ts_scene_contacts_draw(const ts_sim* sim, const ts_contact_facts* facts, const ts_scene_style* style,
                            ts_draw_list* list);

/// Nonzero when a filter lets contact c of a simulation through. NULL lets everything through.
int ts_scene_contacts_passes(const ts_contact_filter* filter, const ts_sim* sim, const ts_contact_facts* facts, int c);

/// The contact nearest to a pixel of a picture of that size, within `reach` pixels; -1: none.
int ts_scene_contacts_at(const ts_sim* sim, const ts_contact_facts* facts, const ts_contact_filter* filter,
                         const ts_camera* camera, const int size[2], const double pixel[2], double reach);

/// Adds a card with what is known of contact c, its upper left corner there if it fits a picture of that size.
void ts_scene_contacts_card(const ts_sim* sim, const ts_contact_facts* facts, int c, const int size[2],
                            const double at[2], ts_overlay* overlay);

/// The contact that leaves most of the exact law unmet, or -1.
int ts_scene_contacts_worst(const ts_sim* sim, const ts_contact_facts* facts);

/// Adds a bar as long as a round force at the camera's target, in the lower right corner, and of heat what its colours mean.
void ts_scene_contacts_scale(const ts_scene_sizes* sizes, const ts_camera* camera, unsigned show, const int size[2],
                             ts_overlay* overlay);

#ifdef __cplusplus
}
#endif
#endif
