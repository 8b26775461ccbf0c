// Contacts of the step, in so many slots: those between two objects, or of one, or of all, or within a site.
//
// A contact counts while the geoms overlap or press on each other; what is only near does not. Slots take them in the order in which the step
// has them, or the deepest first, or the strongest first; those that are left are zero. Or all of them become one ("netforce"): at the
// centroid of their forces' lengths, with the force and the torque that have their effect, in world axes.
// Forces, velocities and torques are along the normal, the tangent, and their cross product; the normal points from the first object to
// the second, and the force is what the first does to the second. Velocities are those at the end of the step, of the second against the first.
#include <math.h>

#include "collision/distance/proximity.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sim_internal.h"

enum { FOUND, FORCE, TORQUE, DISTANCE, POSITION, NORMAL, TANGENT, VELOCITY, TURNING, FIELDS };

static const char* const field_name[FIELDS] = {"found",  "force",   "torque", "dist",  "pos",
                                               "normal", "tangent", "linvel", "angvel"};
static const int field_size[FIELDS] = {1, 3, 3, 1, 3, 3, 3, 3, 3};

enum { IN_ORDER, DEEPEST, STRONGEST, TOGETHER, ORDERS };

static const char* const order_name[ORDERS] = {"none", "mindist", "maxforce", "netforce"};

// What a slot is filled from.
typedef struct slot {
    double found;
    double distance;
    ts_vec3 value[FIELDS];  // of the fields of three numbers
} slot;

static int count(const ts_sensor* sensor) {
    return sensor->slots * ts_sensor_fields_size(sensor->fields, field_size, FIELDS);
}

static const char* fault(const ts_model* model, const ts_sensor* sensor) {
    for (int k = 0; k < 2; ++k)
        if (sensor->object[k].type == TS_SENSOR_SITE &&
            ts_shape_validate(&model->site[sensor->object[k].index].shape, NULL))
            return "its site has no volume";
    if (sensor->order == TOGETHER && (sensor->fields >> VELOCITY || sensor->slots != 1))
        return "netforce has one slot and no velocities";
    return NULL;
}

static int hangs_on(const ts_model* model, int body, int root) {
    while (body > root) body = model->body[body].parent;
    return body == root;
}

static int is_in_site(const ts_sim* sim, const ts_sensor_object* object, ts_vec3 point) {
    ts_transform site = ts_sensor_frame(sim, object), at = {ts_mat3_identity(), point};
    const ts_shape dot = ts_shape_sphere(0.0);
    ts_proximity found;
    ts_proximity_query(&dot, &at, &sim->model->site[object->index].shape, &site, NULL, NULL, &found);
    return found.reason == TS_PROXIMITY_FINE && found.distance <= 0.0;
}

// Whether side (0: A, 1: B) of a contact is the object.
static int is_side(const ts_sim* sim, const ts_contact* contact, const ts_sensor_object* object, int side) {
    int geom = side ? contact->geom_b : contact->geom_a, body = side ? contact->body_b : contact->body_a;
    switch (object->type) {
    case TS_SENSOR_GEOM: return object->index == geom;
    case TS_SENSOR_BODY: return object->index == body;
    case TS_SENSOR_SUBTREE: return hangs_on(sim->model, body, object->index);
    default: return 1;
    }
}

static double strength(const ts_contact* contact) { return ts_vec3_norm(contact->impulse); }

// Nonzero when the contact is one of the sensor's; -1: seen from B to A.
static int match(const ts_sim* sim, const ts_sensor* sensor, const ts_contact* contact) {
    const ts_sensor_object* object = sensor->object;
    if ((contact->block < 0 && !contact->asleep) || (contact->gap > 0.0 && strength(contact) == 0.0)) return 0;
    for (int k = 0; k < 2; ++k)
        if (object[k].type == TS_SENSOR_SITE && !is_in_site(sim, &object[k], contact->position)) return 0;
    if (is_side(sim, contact, &object[0], 0) && is_side(sim, contact, &object[1], 1)) return 1;
    return is_side(sim, contact, &object[0], 1) && is_side(sim, contact, &object[1], 0) ? -1 : 0;
}

// By which the slots are filled, the smallest first.
static double rank_of(const ts_sensor* sensor, const ts_contact* contact) {
    return sensor->order == DEEPEST ? contact->gap : sensor->order == STRONGEST ? -strength(contact) : 0.0;
}

// The contact that follows number `last` (-1: the first) in the sensor's order, or -1.
static int next_match(const ts_sim* sim, const ts_sensor* sensor, int last) {
    int best = -1;
    double least = 0.0, after = last < 0 ? -HUGE_VAL : rank_of(sensor, &sim->contact[last]);
    for (int i = 0; i < sim->contact_count; ++i) {
        double rank = rank_of(sensor, &sim->contact[i]);
        if (rank < after || (rank == after && i <= last) || (best >= 0 && rank >= least)) continue;
        if (!match(sim, sensor, &sim->contact[i])) continue;
        best = i;
        least = rank;
    }
    return best;
}

static ts_vec3 new_turning(const ts_sim* sim, int body) {
    const double* v = ts_sim_storage_of(sim)->new_velocity;
    ts_vec3 turning = ts_vec3_zero();
    for (int d = sim->model->body[body].dof_last; d >= 0; d = sim->model->dof[d].parent)
        turning = ts_vec3_add_scaled(turning, v[d], ts_kinematics_axis(sim->model, &sim->kinematics, d).angular);
    return turning;
}

// From tangent, tangent, normal to normal, tangent, cross product, seen from the side that `sign` says: what turns round are the normal
// and the first tangent, and the vector itself.
static ts_vec3 in_order(ts_vec3 v, int sign) { return ts_vec3_make(v.z, v.x, sign * v.y); }

static slot slot_of(const ts_sim* sim, const ts_contact* contact, int sign, int matches) {
    double rate = 1.0 / sim->options.time_step;
    ts_vec3 turning = ts_vec3_sub(new_turning(sim, contact->body_b), new_turning(sim, contact->body_a));
    slot s = {.found = matches, .distance = contact->gap};
    s.value[FORCE] = in_order(ts_vec3_scale(rate, contact->impulse), sign);
    s.value[TORQUE] =
        in_order(ts_vec3_scale(rate, ts_sim_contact_rare(sim, (int)(contact - sim->contact))->angular_impulse), sign);
    s.value[POSITION] = contact->position;
    s.value[NORMAL] = ts_vec3_scale(sign, ts_mat3_column(&contact->frame, 2));
    s.value[TANGENT] = ts_vec3_scale(sign, ts_mat3_column(&contact->frame, 0));
    s.value[VELOCITY] = in_order(contact->velocity, sign);
    s.value[TURNING] = in_order(ts_mat3_mul_vec_transposed(&contact->frame, turning), sign);
    return s;
}

static slot all_together(const ts_sim* sim, const ts_sensor* sensor, int matches) {
    double rate = 1.0 / sim->options.time_step, weight = 0.0;
    slot s = {.found = matches};
    for (int i = 0; i < sim->contact_count; ++i) {
        if (!match(sim, sensor, &sim->contact[i])) continue;
        double length = strength(&sim->contact[i]);
        s.value[POSITION] = ts_vec3_add_scaled(s.value[POSITION], length, sim->contact[i].position);
        weight += length;
    }
    if (weight > 0.0) s.value[POSITION] = ts_vec3_scale(1.0 / weight, s.value[POSITION]);
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        int sign = match(sim, sensor, contact);
        ts_vec3 force = ts_vec3_scale(sign * rate, ts_mat3_mul_vec(&contact->frame, contact->impulse));
        ts_vec3 torque = ts_vec3_scale(
            sign * rate,
            ts_mat3_mul_vec(&contact->frame, ts_sim_contact_rare(sim, (int)(contact - sim->contact))->angular_impulse));
        ts_vec3 arm = ts_vec3_sub(contact->position, s.value[POSITION]);
        s.value[FORCE] = ts_vec3_add(s.value[FORCE], force);
        s.value[TORQUE] = ts_vec3_add(s.value[TORQUE], ts_vec3_add(torque, ts_vec3_cross(arm, force)));
    }
    s.value[NORMAL] = ts_vec3_axis(0);
    s.value[TANGENT] = ts_vec3_axis(1);
    return s;
}

static double* store(const ts_sensor* sensor, const slot* s, double* out_values) {
    for (int k = 0; k < FIELDS; ++k) {
        if (!(sensor->fields >> k & 1u)) continue;
        if (field_size[k] == 1)
            *out_values = k == FOUND ? s->found : s->distance;
        else
            ts_vec3_store(s->value[k], out_values);
        out_values += field_size[k];
    }
    return out_values;
}

static void measure(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    int matches = 0;
    for (int i = 0; i < sim->contact_count; ++i) matches += match(sim, sensor, &sim->contact[i]) != 0;
    for (int k = 0, last = -1; k < sensor->slots; ++k) {
        slot s = {0};
        if (sensor->order == TOGETHER && matches > 0) {
            s = all_together(sim, sensor, matches);
        } else if (k < matches) {
            last = next_match(sim, sensor, last);
            s = slot_of(sim, &sim->contact[last], match(sim, sensor, &sim->contact[last]), matches);
        }
        out_values = store(sensor, &s, out_values);
    }
}

#define SIDE \
    (TS_SENSOR_IS(GEOM) | TS_SENSOR_IS(BODY) | TS_SENSOR_IS(SUBTREE) | TS_SENSOR_IS(SITE) | TS_SENSOR_IS(NOTHING))

const ts_sensor_kind ts_sensor_contact = {.name = "contact",
                                          .summary = "contacts between two objects, in slots of chosen fields",
                                          .time = TS_SENSOR_OF_STEP,
                                          .values = TS_SENSOR_EXACT,
                                          .object = {SIDE, SIDE & ~TS_SENSOR_IS(SITE)},
                                          .field = field_name,
                                          .field_count = FIELDS,
                                          .order = order_name,
                                          .order_count = ORDERS,
                                          .count = count,
                                          .fault = fault,
                                          .measure = measure};
