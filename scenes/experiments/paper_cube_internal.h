// The cube of "Contact Models in Robotics": edge 0.2 m, touching through spheres of 4 mm on its corners, so that its centre is 0.104 m high.
#ifndef TS_SCENES_PAPER_CUBE_INTERNAL_H
#define TS_SCENES_PAPER_CUBE_INTERNAL_H

#include "base/text.h"

/// Its half height on its spheres, m.
#define TS_PAPER_CUBE_HEIGHT 0.104

/// Appends <body name="NAME"> at the height z of its centre, with that mass (kg) and the friction of its lower and its upper corners.
void ts_paper_cube_add(const char* name, double z, double mass, double mu_below, double mu_above, ts_text* mjcf);

/// Appends the floor, of that friction.
void ts_paper_cube_floor(double mu, ts_text* mjcf);

#endif
