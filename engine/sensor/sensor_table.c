// The one list of kinds of sensors: one line each.
#include <string.h>

#include "engine/sensor/sensor_kind_internal.h"

// X(name) stands for the ts_sensor_kind called ts_sensor_name.
#define KINDS(X)         \
    X(jointpos)          \
    X(jointvel)          \
    X(jointactuatorfrc)  \
    X(jointlimitpos)     \
    X(jointlimitvel)     \
    X(jointlimitfrc)     \
    X(ballquat)          \
    X(ballangvel)        \
    X(tendonpos)         \
    X(tendonvel)         \
    X(tendonactuatorfrc) \
    X(tendonlimitpos)    \
    X(tendonlimitvel)    \
    X(tendonlimitfrc)    \
    X(actuatorpos)       \
    X(actuatorvel)       \
    X(actuatorfrc)       \
    X(framepos)          \
    X(framequat)         \
    X(framexaxis)        \
    X(frameyaxis)        \
    X(framezaxis)        \
    X(framelinvel)       \
    X(frameangvel)       \
    X(framelinacc)       \
    X(frameangacc)       \
    X(gyro)              \
    X(velocimeter)       \
    X(accelerometer)     \
    X(magnetometer)      \
    X(force)             \
    X(torque)            \
    X(touch)             \
    X(rangefinder)       \
    X(subtreecom)        \
    X(subtreelinvel)     \
    X(subtreeangmom)     \
    X(insidesite)        \
    X(distance)          \
    X(normal)            \
    X(fromto)            \
    X(contact)           \
    X(clock)             \
    X(e_potential)       \
    X(e_kinetic)

#define DECLARE(name) extern const ts_sensor_kind ts_sensor_##name;
#define ADDRESS(name) &ts_sensor_##name,

KINDS(DECLARE)

static const ts_sensor_kind* const kind_table[] = {KINDS(ADDRESS)};

int ts_sensor_kind_count(void) { return (int)(sizeof kind_table / sizeof kind_table[0]); }

const ts_sensor_kind* ts_sensor_kind_at(int i) { return kind_table[i]; }

int ts_sensor_fields_size(unsigned fields, const int* size, int count) {
    int sum = 0;
    for (int k = 0; k < count; ++k)
        if (fields >> k & 1u) sum += size[k];
    return sum;
}

const char* ts_sensor_kind_name(int i) { return kind_table[i]->name; }

const char* ts_sensor_kind_summary(int i) { return kind_table[i]->summary; }

ts_sensor_time ts_sensor_kind_time(int i) { return kind_table[i]->time; }

int ts_sensor_kind_stands(int i) { return kind_table[i]->stands; }

int ts_sensor_kind_find(const char* name) {
    for (int i = 0; i < ts_sensor_kind_count(); ++i)
        if (strcmp(kind_table[i]->name, name) == 0) return i;
    return -1;
}

const char* ts_sensor_object_type_name(ts_sensor_object_type type) {
    static const char* const name[TS_SENSOR_OBJECT_TYPE_COUNT] = {
        "", "joint", "tendon", "actuator", "body", "body inertial", "subtree", "geom", "site", "camera"};
    return name[type];
}
