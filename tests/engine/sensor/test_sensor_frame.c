// Frames, instruments and subtrees on arms that turn steadily: closed forms.
#include "tests/engine/sensor/sensor_sample.h"

// Two arms about z, with a frame at the end of each, and a reference that turns; no gravity.
#define ARMS                                                                                                          \
    "<compiler angle='radian'/><option timestep='0.001' gravity='0 0 0' integrator='Euler' magnetic='0.3 0.4 0.5'/>"  \
    "<worldbody><body name='a'><joint name='ja' axis='0 0 1'/><inertial pos='0.5 0 0' mass='2' diaginertia='1 1 1'/>" \
    "<site name='s' pos='0.8 0 0' euler='0 0 0.2'/><geom name='g' size='0.1' pos='0 0.3 0'/>"                         \
    "<camera name='c' pos='0.8 0 0'/></body><body name='b'><joint name='jb' axis='0 0 1'/><inertial pos='0 0 0' "     \
    "mass='1' diaginertia='1 1 1'/><site name='r' pos='0 0.2 0'/></body></worldbody>"

static const double a = 0.7, b = -0.4, w = 1.3, u = 0.6, reach = 0.8;

static sensed start(const char* sensors) {
    static char text[8192];
    snprintf(text, sizeof text, ARMS "<sensor>%s</sensor>", sensors);
    sensed s = sensed_start(text);
    s.sim->qpos[0] = a;
    s.sim->qpos[1] = b;
    s.sim->qvel[0] = w;
    s.sim->qvel[1] = u;
    return s;
}

Test(sensor_frame, in_the_world) {
    sensed s = start(
        "<framepos name='p' objtype='site' objname='s'/><framequat name='q' objtype='site' objname='s'/><framexaxis "
        "name='x' objtype='site' objname='s'/><frameyaxis name='y' objtype='site' objname='s'/><framezaxis name='z' "
        "objtype='site' objname='s'/><framelinvel name='v' objtype='site' objname='s'/><frameangvel name='w' "
        "objtype='site' objname='s'/><framepos name='body' objtype='body' objname='a'/><framepos name='xbody' "
        "objtype='xbody' objname='a'/><framepos name='geom' objtype='geom' objname='g'/><framepos name='camera' "
        "objtype='camera' objname='c'/>");
    const double position[] = {reach * cos(a), reach * sin(a), 0.0};
    const double turn[] = {cos(0.5 * (a + 0.2)), 0.0, 0.0, sin(0.5 * (a + 0.2))};
    const double x[] = {cos(a + 0.2), sin(a + 0.2), 0.0}, y[] = {-sin(a + 0.2), cos(a + 0.2), 0.0},
                 z[] = {0.0, 0.0, 1.0};
    const double velocity[] = {-reach * w * sin(a), reach * w * cos(a), 0.0}, turning[] = {0.0, 0.0, w};
    const double body[] = {0.5 * cos(a), 0.5 * sin(a), 0.0}, origin[] = {0.0, 0.0, 0.0};
    const double geom[] = {-0.3 * sin(a), 0.3 * cos(a), 0.0};
    sensed_expect(&s, "p", position, 3, 1e-15);
    sensed_expect(&s, "q", turn, 4, 1e-15);
    sensed_expect(&s, "x", x, 3, 1e-15);
    sensed_expect(&s, "y", y, 3, 1e-15);
    sensed_expect(&s, "z", z, 3, 1e-15);
    sensed_expect(&s, "v", velocity, 3, 1e-15);
    sensed_expect(&s, "w", turning, 3, 1e-15);
    sensed_expect(&s, "body", body, 3, 1e-15);
    sensed_expect(&s, "xbody", origin, 3, 0.0);
    sensed_expect(&s, "geom", geom, 3, 1e-15);
    sensed_expect(&s, "camera", position, 3, 1e-15);
    sensed_end(&s);
}

// Seen from an arm that turns, too: as if that stood and the world turned the other way.
Test(sensor_frame, seen_from_a_frame_that_turns) {
#define SEEN " objtype='site' objname='s' reftype='site' refname='r'/>"
    sensed s = start("<framepos name='p'" SEEN "<framequat name='q'" SEEN "<framexaxis name='x'" SEEN
                     "<framelinvel name='v'" SEEN "<frameangvel name='w'" SEEN);
    double c = a - b;
    const double position[] = {reach * cos(c), reach * sin(c) - 0.2, 0.0};
    const double turn[] = {cos(0.5 * (c + 0.2)), 0.0, 0.0, sin(0.5 * (c + 0.2))},
                 x[] = {cos(c + 0.2), sin(c + 0.2), 0.0};
    const double velocity[] = {-reach * (w - u) * sin(c), reach * (w - u) * cos(c), 0.0}, turning[] = {0.0, 0.0, w - u};
    sensed_expect(&s, "p", position, 3, 1e-15);
    sensed_expect(&s, "q", turn, 4, 1e-15);
    sensed_expect(&s, "x", x, 3, 1e-15);
    sensed_expect(&s, "v", velocity, 3, 1e-15);
    sensed_expect(&s, "w", turning, 3, 1e-15);
    sensed_end(&s);
}

// A torque about z: inertia 1 + 2 * 0.5^2. Tangential and centripetal acceleration of the site.
Test(sensor_frame, accelerations_of_an_arm_that_is_driven) {
    sensed s = start("<framelinacc name='acc' objtype='site' objname='s'/><frameangacc name='alpha' objtype='site' "
                     "objname='s'/><accelerometer name='local' site='s'/>");
    double alpha = 3.0 / 1.5, radial = -reach * w * w, tangential = reach * alpha;
    s.sim->force_applied[0] = 3.0;
    sensed_run(&s, 1);
    const double acceleration[] = {radial * cos(a) - tangential * sin(a), radial * sin(a) + tangential * cos(a), 0.0};
    const double angular[] = {0.0, 0.0, alpha};
    const double local[] = {radial * cos(0.2) + tangential * sin(0.2), -radial * sin(0.2) + tangential * cos(0.2), 0.0};
    sensed_expect(&s, "acc", acceleration, 3, 1e-11);
    sensed_expect(&s, "alpha", angular, 3, 1e-11);
    sensed_expect(&s, "local", local, 3, 1e-11);
    sensed_end(&s);
}

Test(sensor_frame, instruments_show_in_their_own_axes) {
    sensed s = start("<gyro name='w' site='s'/><velocimeter name='v' site='s'/><magnetometer name='m' site='s'/>");
    double t = a + 0.2;
    const double turning[] = {0.0, 0.0, w}, velocity[] = {reach * w * sin(0.2), reach * w * cos(0.2), 0.0};
    const double flux[] = {0.3 * cos(t) + 0.4 * sin(t), -0.3 * sin(t) + 0.4 * cos(t), 0.5};
    sensed_expect(&s, "w", turning, 3, 1e-15);
    sensed_expect(&s, "v", velocity, 3, 1e-15);
    sensed_expect(&s, "m", flux, 3, 1e-15);
    sensed_end(&s);
}

Test(sensor_frame, what_hangs_on_a_body) {
    sensed s = start("<subtreecom name='com' body='world'/><subtreelinvel name='v' body='world'/><subtreeangmom "
                     "name='L' body='world'/><subtreecom name='own' body='a'/><subtreeangmom name='spin' body='a'/>");
    // 2 kg at 0.5 along the arm a, 1 kg at the origin.
    const double com[] = {cos(a) / 3.0, sin(a) / 3.0, 0.0}, own[] = {0.5 * cos(a), 0.5 * sin(a), 0.0};
    const double velocity[] = {-w * sin(a) / 3.0, w * cos(a) / 3.0, 0.0}, spin[] = {0.0, 0.0, w};
    // Spins, and both masses about their common centre: reduced mass 2/3 kg at 0.5 m.
    const double momentum[] = {0.0, 0.0, w + u + 2.0 / 3.0 * 0.25 * w};
    sensed_expect(&s, "com", com, 3, 1e-15);
    sensed_expect(&s, "own", own, 3, 1e-15);
    sensed_expect(&s, "v", velocity, 3, 1e-15);
    sensed_expect(&s, "L", momentum, 3, 1e-15);
    sensed_expect(&s, "spin", spin, 3, 1e-15);
    sensed_end(&s);
}

// The frame of a body without one of its own: principal axes, the largest moment first.
Test(sensor_frame, principal_axes) {
    sensed s = sensed_start(
        "<worldbody><body name='given'><freejoint/><inertial pos='1 2 3' mass='1' diaginertia='1 2 2.5' "
        "axisangle='0 0 1 30'/></body><body name='found'><freejoint/><geom type='box' size='0.3 0.2 0.1'/><geom "
        "size='0.05'/></body>"
        "</worldbody><sensor><framexaxis name='gx' objtype='body' objname='given'/><framepos name='gp' objtype='body' "
        "objname='given'/><framexaxis name='fx' objtype='body' objname='found'/></sensor>");
    const double x[] = {cos(asin(0.5)), 0.5, 0.0}, centre[] = {1.0, 2.0, 3.0};
    sensed_expect(&s, "gx", x, 3, 1e-15);
    sensed_expect(&s, "gp", centre, 3, 0.0);
    // The box turns hardest about its shortest side.
    cr_expect_float_eq(fabs(sensed_now(&s, "fx")[2]), 1.0, 1e-12);
    sensed_end(&s);
}

Test(sensor_frame, what_cannot_be_is_refused) {
    mjcf_refuse("<mujoco><sensor><framepos objtype='site'/></sensor></mujoco>", 1, "objtype and objname");
    mjcf_refuse("<mujoco><sensor><framepos objtype='joint' objname='a'/></sensor></mujoco>", 1, "must be one of");
    mjcf_refuse("<mujoco><sensor><framepos objtype='xbody' objname='a'/></sensor></mujoco>", 1, "no body 'a'");
    mjcf_refuse("<mujoco><sensor><framepos objtype='xbody' objname='world' refname='world'/></sensor></mujoco>", 1,
                "reftype and refname");
    mjcf_refuse("<mujoco><sensor><framelinacc objtype='xbody' objname='world' reftype='xbody'/></sensor></mujoco>", 1,
                "no attribute 'reftype'");
}
