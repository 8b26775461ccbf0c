// Sensors of frames: where an object is, how it lies, how it moves; in the world, or as seen from another one.
//
// Of an object seen from a reference that moves: position and axes in its axes, from its origin; velocities as an observer
// in it sees them, which turns with it: R^T (v - v_ref - w_ref x (p - p_ref)) and R^T (w - w_ref).
// Accelerations are in world axes, against free fall: of what is at rest it is -g, as an accelerometer at it would show.
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sensor/sensor_slope_internal.h"

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

// --- slopes ---

// The object and what it is seen from.
typedef struct view {
    moving_frame object, reference;
    ts_sensor_point of, from;
    int nv;
} view;

static int view_of(const ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, view* out) {
    out->nv = sim->model->nv;
    out->object = frame_of(sim, &sensor->object[0]);
    out->reference = frame_of(sim, &sensor->object[1]);
    return ts_sensor_point_find(sim, sensor->object[0].body, out->object.at.p, scratch, &out->of) &&
           ts_sensor_point_find(sim, sensor->object[1].body, out->reference.at.p, scratch, &out->from);
}

static ts_vec3 relative(const view* w, const double* of, const double* from, int d) {
    return ts_vec3_sub(ts_sensor_column(of, w->nv, d), ts_sensor_column(from, w->nv, d));
}

// What the reference sees of a change of x in the world as it turns itself.
static ts_vec3 as_seen(const view* w, int d, ts_vec3 change, ts_vec3 x) {
    ts_vec3 turn = ts_sensor_column(w->from.J_w, w->nv, d);
    return ts_mat3_mul_vec_transposed(&w->reference.at.R, ts_vec3_sub(change, ts_vec3_cross(turn, x)));
}

static ts_vec3 apart(const view* w) { return ts_vec3_sub(w->object.at.p, w->reference.at.p); }

static int slope_position(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    view w;
    if (!view_of(sim, sensor, scratch, &w)) return 0;
    for (int d = 0; d < w.nv; ++d)
        ts_sensor_set_column(by->q, w.nv, d, as_seen(&w, d, relative(&w, w.of.J, w.from.J, d), apart(&w)));
    return 1;
}

static int slope_rotation(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    view w;
    if (!view_of(sim, sensor, scratch, &w)) return 0;
    ts_quat back = ts_quat_identity(), rotation = rotation_of(sim, &sensor->object[0]);
    if (sensor->object[1].body >= 0) back = ts_quat_conjugate(rotation_of(sim, &sensor->object[1]));
    for (int d = 0; d < w.nv; ++d) {
        double change[4];
        ts_quat turned = ts_sensor_turned(relative(&w, w.of.J_w, w.from.J_w, d), rotation);
        ts_quat_store(ts_quat_mul(back, turned), change);
        for (int r = 0; r < 4; ++r) by->q[r * w.nv + d] = change[r];
    }
    return 1;
}

static int slope_axis(ts_sim* sim, const ts_sensor* sensor, int axis, ts_arena* scratch, double* by_q) {
    view w;
    if (!view_of(sim, sensor, scratch, &w)) return 0;
    ts_vec3 x = ts_mat3_column(&w.object.at.R, axis);
    for (int d = 0; d < w.nv; ++d) {
        ts_vec3 change = ts_vec3_cross(ts_sensor_column(w.of.J_w, w.nv, d), x);
        ts_sensor_set_column(by_q, w.nv, d, as_seen(&w, d, change, x));
    }
    return 1;
}

static int slope_x(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    return slope_axis(sim, sensor, 0, scratch, by->q);
}

static int slope_y(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    return slope_axis(sim, sensor, 1, scratch, by->q);
}

static int slope_z(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    return slope_axis(sim, sensor, 2, scratch, by->q);
}

static int slope_velocity(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    view w;
    if (!view_of(sim, sensor, scratch, &w)) return 0;
    ts_vec3 arm = apart(&w), spin = w.reference.angular, velocity = ts_vec3_sub(w.object.linear, w.reference.linear);
    if (sensor->object[1].body < 0) arm = spin = ts_vec3_zero();
    velocity = ts_vec3_sub(velocity, ts_vec3_cross(spin, arm));
    for (int d = 0; d < w.nv; ++d) {
        ts_vec3 moved = ts_vec3_cross(spin, relative(&w, w.of.J, w.from.J, d));
        moved = ts_vec3_add(moved, ts_vec3_cross(ts_sensor_column(w.from.w_by_q, w.nv, d), arm));
        ts_vec3 change = ts_vec3_sub(relative(&w, w.of.by_q, w.from.by_q, d), moved);
        ts_sensor_set_column(by->q, w.nv, d, as_seen(&w, d, change, velocity));
        ts_vec3 carried = ts_vec3_cross(ts_sensor_column(w.from.J_w, w.nv, d), arm);
        change = ts_vec3_sub(relative(&w, w.of.J, w.from.J, d), carried);
        ts_sensor_set_column(by->v, w.nv, d, ts_mat3_mul_vec_transposed(&w.reference.at.R, change));
    }
    return 1;
}

static int slope_turning(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    view w;
    if (!view_of(sim, sensor, scratch, &w)) return 0;
    ts_vec3 turning = ts_vec3_sub(w.object.angular, w.reference.angular);
    for (int d = 0; d < w.nv; ++d) {
        ts_vec3 change = relative(&w, w.of.w_by_q, w.from.w_by_q, d);
        ts_sensor_set_column(by->q, w.nv, d, as_seen(&w, d, change, turning));
        change = relative(&w, w.of.J_w, w.from.J_w, d);
        ts_sensor_set_column(by->v, w.nv, d, ts_mat3_mul_vec_transposed(&w.reference.at.R, change));
    }
    return 1;
}

static int slope_acceleration(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    return ts_sensor_acceleration_slope(sim, sensor, TS_SENSOR_OF_POINT, scratch, by);
}

static int slope_turning_acceleration(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch,
                                      const ts_sensor_step_slope* by) {
    return ts_sensor_acceleration_slope(sim, sensor, TS_SENSOR_OF_TURNING, scratch, by);
}

#define OF_FRAME .object = {TS_SENSOR_HAS_FRAME}
#define OF_TWO_FRAMES .object = {TS_SENSOR_HAS_FRAME, TS_SENSOR_HAS_FRAME}

const ts_sensor_kind ts_sensor_framepos = {.name = "framepos",
                                           .summary = "position of a frame, m",
                                           .size = 3,
                                           OF_TWO_FRAMES,
                                           .measure = measure_position,
                                           .slope = slope_position};

const ts_sensor_kind ts_sensor_framequat = {.name = "framequat",
                                            .summary = "quaternion of a frame",
                                            .size = 4,
                                            .values = TS_SENSOR_EXACT,
                                            OF_TWO_FRAMES,
                                            .measure = measure_rotation,
                                            .slope = slope_rotation};

const ts_sensor_kind ts_sensor_framexaxis = {.name = "framexaxis",
                                             .summary = "x axis of a frame",
                                             .size = 3,
                                             .values = TS_SENSOR_EXACT,
                                             OF_TWO_FRAMES,
                                             .measure = measure_x,
                                             .slope = slope_x};

const ts_sensor_kind ts_sensor_frameyaxis = {.name = "frameyaxis",
                                             .summary = "y axis of a frame",
                                             .size = 3,
                                             .values = TS_SENSOR_EXACT,
                                             OF_TWO_FRAMES,
                                             .measure = measure_y,
                                             .slope = slope_y};

const ts_sensor_kind ts_sensor_framezaxis = {.name = "framezaxis",
                                             .summary = "z axis of a frame",
                                             .size = 3,
                                             .values = TS_SENSOR_EXACT,
                                             OF_TWO_FRAMES,
                                             .measure = measure_z,
                                             .slope = slope_z};

const ts_sensor_kind ts_sensor_framelinvel = {.name = "framelinvel",
                                              .summary = "velocity of a frame's origin, m/s",
                                              .size = 3,
                                              OF_TWO_FRAMES,
                                              .measure = measure_velocity,
                                              .slope = slope_velocity};

const ts_sensor_kind ts_sensor_frameangvel = {.name = "frameangvel",
                                              .summary = "angular velocity of a frame, rad/s",
                                              .size = 3,
                                              OF_TWO_FRAMES,
                                              .measure = measure_turning,
                                              .slope = slope_turning};

const ts_sensor_kind ts_sensor_framelinacc = {.name = "framelinacc",
                                              .summary = "acceleration of a frame's origin against free fall, m/s^2",
                                              .size = 3,
                                              .time = TS_SENSOR_OF_STEP,
                                              OF_FRAME,
                                              .measure = measure_acceleration,
                                              .step_slope = slope_acceleration};

const ts_sensor_kind ts_sensor_frameangacc = {.name = "frameangacc",
                                              .summary = "angular acceleration of a frame, rad/s^2",
                                              .size = 3,
                                              .time = TS_SENSOR_OF_STEP,
                                              OF_FRAME,
                                              .measure = measure_turning_acceleration,
                                              .step_slope = slope_turning_acceleration};
