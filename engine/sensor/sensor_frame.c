// Sensors of frames: where an object is, how it lies, how it moves; in the world, or as seen from another one.
//
// Of an object seen from a reference that moves: position and axes in its axes, from its origin; velocities as an observer
// in it sees them, which turns with it: R^T (v - v_ref - w_ref x (p - p_ref)) and R^T (w - w_ref).
// Accelerations are in world axes, against free fall: of what is at rest it is -g, as an accelerometer at it would show.
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"

// A frame with its velocities.
typedef struct moving_frame {
    ts_transform at;
    ts_vec3 linear;   // m/s, of its origin, world axes
    ts_vec3 angular;  // rad/s, world axes
} moving_frame;

static moving_frame frame_of(const ts_sim* sim, const ts_sensor_object* object) {
    moving_frame frame = {ts_transform_identity(), ts_vec3_zero(), ts_vec3_zero()};
    if (object->body < 0) return frame;
    frame.at = ts_sensor_frame(sim, object);
    frame.linear = ts_kinematics_point_velocity(sim->model, &sim->kinematics, object->body, frame.at.p);
    frame.angular = ts_sensor_turning(sim, object->body);
    return frame;
}

static ts_transform seen(const ts_sim* sim, const ts_sensor* sensor) {
    ts_transform object = ts_sensor_frame(sim, &sensor->object[0]);
    if (sensor->object[1].body < 0) return object;
    ts_transform reference = ts_sensor_frame(sim, &sensor->object[1]);
    ts_transform relative = {ts_mat3_transposed_mul(reference.R, object.R),
                             ts_transform_point_inverse(&reference, object.p)};
    return relative;
}

static void measure_position(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_vec3_store(seen(sim, sensor).p, out_values);
}

// How a joint turns its body against where the joints before have left it.
static ts_quat turn_of(const ts_sim* sim, const ts_joint* joint) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    const double* q = sim->qpos + joint->qpos_first;
    if (traits->quaternion) return ts_quat_normalize(ts_quat_load(q + traits->numbers));
    return traits->is_angle ? ts_quat_from_axis_angle(joint->axis, q[0] - joint->reference) : ts_quat_identity();
}

// Of the two quaternions of a frame the product of those along the chain: it moves on steadily, as one out of a matrix does not.
static ts_quat rotation_of(const ts_sim* sim, const ts_sensor_object* object) {
    ts_quat rotation = object->pose.rotation;
    for (int b = object->body; b > 0; b = sim->model->body[b].parent) {
        const ts_body* body = &sim->model->body[b];
        int floats = 0;
        for (int j = body->joint_first + body->joint_count - 1; j >= body->joint_first; --j) {
            rotation = ts_quat_mul(turn_of(sim, &sim->model->joint[j]), rotation);
            floats = ts_joint_traits_of(sim->model->joint[j].type)->floats;
        }
        if (!floats) rotation = ts_quat_mul(body->pose.rotation, rotation);
    }
    return ts_quat_normalize(rotation);
}

static void measure_rotation(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_quat rotation = rotation_of(sim, &sensor->object[0]);
    if (sensor->object[1].body >= 0)
        rotation = ts_quat_mul(ts_quat_conjugate(rotation_of(sim, &sensor->object[1])), rotation);
    ts_quat_store(rotation, out_values);
}

static void measure_axis(ts_sim* sim, const ts_sensor* sensor, int axis, double* out_values) {
    ts_transform at = seen(sim, sensor);
    ts_vec3_store(ts_mat3_column(&at.R, axis), out_values);
}

static void measure_x(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    measure_axis(sim, sensor, 0, out_values);
}

static void measure_y(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    measure_axis(sim, sensor, 1, out_values);
}

static void measure_z(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    measure_axis(sim, sensor, 2, out_values);
}

static void measure_velocity(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    moving_frame object = frame_of(sim, &sensor->object[0]), reference = frame_of(sim, &sensor->object[1]);
    ts_vec3 carried = ts_vec3_cross(reference.angular, ts_vec3_sub(object.at.p, reference.at.p));
    ts_vec3 velocity = ts_vec3_sub(ts_vec3_sub(object.linear, reference.linear), carried);
    if (sensor->object[1].body < 0) velocity = object.linear;
    ts_vec3_store(ts_mat3_mul_vec_transposed(&reference.at.R, velocity), out_values);
}

static void measure_turning(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    moving_frame object = frame_of(sim, &sensor->object[0]), reference = frame_of(sim, &sensor->object[1]);
    ts_vec3 turning = ts_vec3_sub(object.angular, reference.angular);
    ts_vec3_store(ts_mat3_mul_vec_transposed(&reference.at.R, turning), out_values);
}

static void measure_acceleration(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_vec3 point = ts_sensor_frame(sim, &sensor->object[0]).p;
    ts_vec3_store(ts_sensor_point_acceleration(sim, sensor->object[0].body, point), out_values);
}

static void measure_turning_acceleration(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_vec3_store(ts_sensor_accelerations(sim)->acceleration[sensor->object[0].body].angular, out_values);
}

#define OF_FRAME .object = {TS_SENSOR_HAS_FRAME}
#define OF_TWO_FRAMES .object = {TS_SENSOR_HAS_FRAME, TS_SENSOR_HAS_FRAME}

const ts_sensor_kind ts_sensor_framepos = {
    .name = "framepos", .summary = "position of a frame, m", .size = 3, OF_TWO_FRAMES, .measure = measure_position};

const ts_sensor_kind ts_sensor_framequat = {.name = "framequat",
                                            .summary = "quaternion of a frame",
                                            .size = 4,
                                            .values = TS_SENSOR_EXACT,
                                            OF_TWO_FRAMES,
                                            .measure = measure_rotation};

const ts_sensor_kind ts_sensor_framexaxis = {.name = "framexaxis",
                                             .summary = "x axis of a frame",
                                             .size = 3,
                                             .values = TS_SENSOR_EXACT,
                                             OF_TWO_FRAMES,
                                             .measure = measure_x};

const ts_sensor_kind ts_sensor_frameyaxis = {.name = "frameyaxis",
                                             .summary = "y axis of a frame",
                                             .size = 3,
                                             .values = TS_SENSOR_EXACT,
                                             OF_TWO_FRAMES,
                                             .measure = measure_y};

const ts_sensor_kind ts_sensor_framezaxis = {.name = "framezaxis",
                                             .summary = "z axis of a frame",
                                             .size = 3,
                                             .values = TS_SENSOR_EXACT,
                                             OF_TWO_FRAMES,
                                             .measure = measure_z};

const ts_sensor_kind ts_sensor_framelinvel = {.name = "framelinvel",
                                              .summary = "velocity of a frame's origin, m/s",
                                              .size = 3,
                                              OF_TWO_FRAMES,
                                              .measure = measure_velocity};

const ts_sensor_kind ts_sensor_frameangvel = {.name = "frameangvel",
                                              .summary = "angular velocity of a frame, rad/s",
                                              .size = 3,
                                              OF_TWO_FRAMES,
                                              .measure = measure_turning};

const ts_sensor_kind ts_sensor_framelinacc = {.name = "framelinacc",
                                              .summary = "acceleration of a frame's origin against free fall, m/s^2",
                                              .size = 3,
                                              .time = TS_SENSOR_OF_STEP,
                                              OF_FRAME,
                                              .measure = measure_acceleration};

const ts_sensor_kind ts_sensor_frameangacc = {.name = "frameangacc",
                                              .summary = "angular acceleration of a frame, rad/s^2",
                                              .size = 3,
                                              .time = TS_SENSOR_OF_STEP,
                                              OF_FRAME,
                                              .measure = measure_turning_acceleration};
