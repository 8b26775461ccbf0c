// A contact point between two geoms, as the narrow phase found it and the solver answered it. World coordinates.
#ifndef TS_ENGINE_CONTACT_H
#define TS_ENGINE_CONTACT_H

#include "base/mat.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What two surfaces make of a contact, as far as all its laws ask; how soft it is says ts_model_surface_between.
typedef struct ts_contact_surface {
    double friction;     // mu
    double restitution;  // 0..1
    int dimension;       // 1 frictionless, 3 resists sliding, 4 spinning as well, 6 rolling as well
} ts_contact_surface;

/// One contact point. Geom A has the smaller shape kind (or index, for equal kinds); the normal points from A to B and the
/// impulse acts on B, its opposite on A. What solves read and write of it comes first: piles have many.
typedef struct ts_contact {
    int geom_a;
    int geom_b;
    int body_a;
    int body_b;
    uint64_t key;             // persistent id: the same while the same features of the same geoms touch
    ts_vec3 position;         // m, midway between the surfaces
    ts_mat3 frame;            // columns: tangent 1, tangent 2, normal
    double gap;               // m: > 0 apart, < 0 overlapping
    ts_vec3 impulse;          // N s, contact frame
    ts_vec3 velocity;         // m/s, contact frame: relative velocity of the surfaces after the step
    ts_vec3 velocity_before;  // m/s, contact frame: the same when the step began
    ts_contact_surface surface;
    int block;                 // its block in the contact problem, or -1
    unsigned char persistent;  // nonzero when it was there last step
    unsigned char
        asleep;  // nonzero: its bodies sleep, and all that stands here is of the step in which they fell asleep
} ts_contact;

/// What few contacts have beside that: those that resist spinning or rolling, or whose surfaces run or stick. All zero of others.
typedef struct ts_contact_rare {
    double friction_spin;  // m
    double friction_roll;  // m
    ts_vec3 drift;  // m/s along both tangents, rad/s about the normal: how B's surface runs against A's, geoms at rest
    double adhesion;  // N: pulls both together; what the surfaces do to each other is impulse less its normal impulse
    ts_vec3
        angular_impulse;  // N m s, contact frame: of rolling friction about the tangents, of spinning about the normal
} ts_contact_rare;

#ifdef __cplusplus
}
#endif
#endif
