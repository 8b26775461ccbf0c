// A trot for quadrupeds with three servos a leg: diagonal pairs of feet swing in turn.
//
// Problem: keep a body at its height and level, and move it at a commanded velocity, with two feet on the ground at a time.
// Rule: a clock says which pair swings. A foot that swings is put down where the body's velocity asks for it (Raibert, Legged Robots
// That Balance, 1986, ch. 2: half of what a stance covers, and a share of the velocity's error), over the inverse kinematics of its
// leg. Feet that stand share the wrench that keeps the body up, level and on its way: least squares over their forces, friction
// bounded, and from there to torques by the legs' Jacobians. What servos add by themselves is taken off, so that of their law kp (u - q) - kv q'
// what was wanted is left.
// Guaranteed: it depends on time, qpos and qvel only. Known to fail: on slopes steeper than friction holds, and where
// a step of the ground is higher than feet are lifted.
#include "base/linear/dense.h"
#include "base/scalar.h"
#include "scenes/controllers/controller.h"

#include <stdio.h>
#include <string.h>

enum { LEGS = 4, JOINTS = 3, SPEED = 0, SIDEWAYS = 1, TURNING = 2, GRIP = 3 };

static const double period = 0.32;       // s, of a stride, as published for Solo-12's trot
static const double lift = 0.06;         // m, of a swinging foot
static const double raibert = 0.03;      // s, share of the velocity's error in where a foot lands, as published
static const double ramp = 1.0;          // s, until the commanded velocity is reached
static const double height_rate = 14.0;  // 1/s, frequencies of the body's errors
static const double speed_rate = 8.0;
static const double level_rate = 16.0;
static const double heading_rate = 8.0;
static const double most_out = 0.98;  // 1: share of a leg's length that a foot may be away from its hip

// What a leg is, out of the model, and where it is.
typedef struct leg {
    int actuator[JOINTS];
    double sign;   // of the knee
    double side;   // m, from abduction axis to foot, along y
    double upper;  // m
    double lower;  // m
    ts_vec3 hip;   // m, in the body
    double q[JOINTS];
    double qd[JOINTS];
    ts_vec3 foot;  // m, from the hip, body axes
    double J[3][JOINTS];
    int stands;
    double phase;  // 1: of its swing or stance
} leg;

typedef struct body_state {
    double mass;
    ts_vec3 position;
    ts_vec3 velocity;  // world
    ts_vec3 spin;      // world, rad/s
    ts_mat3 R;
    ts_mat3 heading;       // about z only
    ts_vec3 wanted;        // velocity, in the heading's axes
    double turning;        // rad/s
    double heading_error;  // rad
} body_state;

static const char* const leg_names[LEGS] = {"FL", "FR", "HL", "HR"};
static const char* const joint_names[JOINTS] = {"abduction", "hip", "knee"};

static int find_part(int find(const ts_model*, const char*), const ts_model* model, int i, const char* part) {
    char name[32];
    snprintf(name, sizeof name, "%s-%s", leg_names[i], part);
    return find(model, name);
}

static const char* fault(const ts_model* model) {
    static const char* const why =
        "it needs a free body 'base', legs FL, FR, HL and HR with bodies -shoulder, -thigh and -shank, "
        "a geom -foot, and position servos -abduction, -hip and -knee of joints of these names";
    int base = ts_model_find_body(model, "base");
    if (base < 0 || model->body[base].joint_count != 1 ||
        model->joint[model->body[base].joint_first].type != TS_JOINT_FREE)
        return why;
    for (int i = 0; i < LEGS; ++i) {
        if (find_part(ts_model_find_body, model, i, "shoulder") < 0 ||
            find_part(ts_model_find_body, model, i, "thigh") < 0 ||
            find_part(ts_model_find_body, model, i, "shank") < 0 || find_part(ts_model_find_geom, model, i, "foot") < 0)
            return why;
        for (int k = 0; k < JOINTS; ++k) {
            int actuator = find_part(ts_model_find_actuator, model, i, joint_names[k]);
            if (actuator < 0 || find_part(ts_model_find_joint, model, i, joint_names[k]) < 0) return why;
            if (!(model->actuator[actuator].gain[0] > 0.0)) return why;
        }
    }
    return NULL;
}

// The foot from the hip, in the body's axes, and how it moves with the joints.
static void place_foot(leg* l) {
    double ca = cos(l->q[0]), sa = sin(l->q[0]), both = l->q[1] + l->q[2];
    double x = -l->upper * sin(l->q[1]) - l->lower * sin(both), z = -l->upper * cos(l->q[1]) - l->lower * cos(both);
    double knee_x = -l->lower * cos(both), knee_z = l->lower * sin(both);
    l->foot = ts_vec3_make(x, l->side * ca - z * sa, l->side * sa + z * ca);
    const double J[3][JOINTS] = {
        {0.0, z, knee_x}, {-l->foot.z, x * sa, -knee_z * sa}, {l->foot.y, -x * ca, knee_z * ca}};
    memcpy(l->J, J, sizeof J);
}

// The joints that put the foot there, as near as the leg reaches.
static void reach(const leg* l, ts_vec3 foot, double out_q[JOINTS]) {
    double down = sqrt(fmax(foot.y * foot.y + foot.z * foot.z - l->side * l->side, 1e-6));
    double most = most_out * (l->upper + l->lower), length = sqrt(foot.x * foot.x + down * down);
    double scale = length > most ? most / length : 1.0, x = foot.x * scale, z = -down * scale;
    double cosine = (x * x + z * z - l->upper * l->upper - l->lower * l->lower) / (2.0 * l->upper * l->lower);
    double knee = l->sign * acos(ts_clamp(cosine, -1.0, 1.0));
    out_q[0] = atan2(foot.z, foot.y) - atan2(-down, l->side);
    if (out_q[0] > 3.141592653589793) out_q[0] -= 2.0 * 3.141592653589793;
    if (out_q[0] < -3.141592653589793) out_q[0] += 2.0 * 3.141592653589793;
    out_q[1] = atan2(-x, -z) - atan2(l->lower * sin(knee), l->upper + l->lower * cos(knee));
    out_q[2] = knee;
}

static void times_transposed(const leg* l, ts_vec3 f, double out[JOINTS]) {
    for (int k = 0; k < JOINTS; ++k) out[k] = l->J[0][k] * f.x + l->J[1][k] * f.y + l->J[2][k] * f.z;
}

// Joint velocities that move the foot so; where the leg is stretched, as far as they can (damped least squares).
static void joint_rates(const leg* l, ts_vec3 v, double out[JOINTS]) {
    const double damping = 1e-5;  // m^2: three millimetres of lever
    double A[9], b[JOINTS];
    times_transposed(l, v, b);
    for (int i = 0; i < JOINTS; ++i)
        for (int j = 0; j < JOINTS; ++j)
            A[3 * i + j] =
                l->J[0][i] * l->J[0][j] + l->J[1][i] * l->J[1][j] + l->J[2][i] * l->J[2][j] + (i == j ? damping : 0.0);
    int whole = ts_cholesky_factor(A, JOINTS, JOINTS);
    if (whole) ts_cholesky_solve(A, JOINTS, JOINTS, b);
    for (int k = 0; k < JOINTS; ++k) out[k] = whole ? b[k] : 0.0;
}

static void look_at_leg(const ts_sim* sim, int i, leg* l) {
    const ts_model* model = sim->model;
    const ts_body* shoulder = &model->body[find_part(ts_model_find_body, model, i, "shoulder")];
    const ts_body* thigh = &model->body[find_part(ts_model_find_body, model, i, "thigh")];
    const ts_body* shank = &model->body[find_part(ts_model_find_body, model, i, "shank")];
    const ts_geom* foot = &model->geom[find_part(ts_model_find_geom, model, i, "foot")];
    l->hip = shoulder->pose.position;
    l->side = thigh->pose.position.y + shank->pose.position.y + foot->pose.position.y;
    l->upper = -shank->pose.position.z;
    l->lower = -foot->pose.position.z;
    for (int k = 0; k < JOINTS; ++k) {
        const ts_joint* joint = &model->joint[find_part(ts_model_find_joint, model, i, joint_names[k])];
        l->actuator[k] = find_part(ts_model_find_actuator, model, i, joint_names[k]);
        l->q[k] = sim->qpos[joint->qpos_first];
        l->qd[k] = sim->qvel[joint->dof_first];
    }
    // Knees bend towards the middle.
    l->sign = l->hip.x > 0.0 ? -1.0 : 1.0;
    place_foot(l);
    double clock = sim->time / period + (i == 0 || i == 3 ? 0.0 : 0.5);
    double phase = 2.0 * (clock - floor(clock));
    l->stands = phase >= 1.0;
    l->phase = l->stands ? phase - 1.0 : phase;
}

static body_state look_at_body(const ts_sim* sim, const double* value) {
    const ts_model* model = sim->model;
    const ts_body* base = &model->body[ts_model_find_body(model, "base")];
    const double* q = sim->qpos + model->joint[base->joint_first].qpos_first;
    const double* v = sim->qvel + base->dof_first;
    double share = sim->time < ramp ? sim->time / ramp : 1.0;
    body_state s = {.mass = ts_model_total_mass(model), .position = ts_vec3_load(q), .velocity = ts_vec3_load(v)};
    s.R = ts_quat_to_mat3(ts_quat_load(q + 3));
    s.spin = ts_mat3_mul_vec(&s.R, ts_vec3_load(v + 3));
    double yaw = atan2(s.R.m[1][0], s.R.m[0][0]), c = cos(yaw), n = sin(yaw);
    s.heading = ts_mat3_from_columns(ts_vec3_make(c, n, 0.0), ts_vec3_make(-n, c, 0.0), ts_vec3_axis(2));
    s.wanted = ts_vec3_make(share * value[SPEED], share * value[SIDEWAYS], 0.0);
    s.turning = share * value[TURNING];
    // The angle that a turn about z has come to while the command grew and since.
    double turned = value[TURNING] * (sim->time < ramp ? 0.5 * sim->time * share : sim->time - 0.5 * ramp) - yaw;
    s.heading_error = atan2(sin(turned), cos(turned));
    return s;
}

// --- feet that swing ---

static double smooth(double s) { return s * s * (3.0 - 2.0 * s); }

// Where a foot is to be at that share of its swing, from its hip, in the body's axes.
static ts_vec3 swing_point(const body_state* s, const leg* l, double height, double share) {
    double stance = 0.5 * period;
    ts_vec3 now = ts_mat3_mul_vec_transposed(&s->heading, s->velocity);
    ts_vec3 around = ts_vec3_make(-s->turning * (l->hip.y + l->side), s->turning * l->hip.x, 0.0);
    ts_vec3 half = ts_vec3_scale(0.5 * stance, ts_vec3_add(now, around));
    ts_vec3 land = ts_vec3_add_scaled(half, raibert, ts_vec3_sub(now, s->wanted));
    ts_vec3 at = ts_vec3_lerp(ts_vec3_neg(half), land, smooth(share));
    // Up fast, down at the end; 16 s^2 (1 - s)^2 is level at both.
    double up = 16.0 * share * share * (1.0 - share) * (1.0 - share);
    ts_vec3 hip = ts_mat3_mul_vec(&s->R, l->hip);
    at = ts_vec3_add(at, ts_vec3_make(0.0, l->side, 0.0));
    ts_vec3 world = ts_mat3_mul_vec(&s->heading, at);
    world.z = -height - hip.z + lift * up;
    return ts_mat3_mul_vec_transposed(&s->R, world);
}

// The controls of one leg for torques beside what its servos would do at (q, qd).
static void command(ts_sim* sim, const leg* l, const double q[JOINTS], const double qd[JOINTS],
                    const double torque[JOINTS]) {
    for (int k = 0; k < JOINTS; ++k) {
        const ts_actuator* servo = &sim->model->actuator[l->actuator[k]];
        sim->ctrl[l->actuator[k]] = q[k] + (torque[k] - servo->bias[2] * qd[k]) / servo->gain[0];
    }
}

static void swing(ts_sim* sim, const body_state* s, const leg* l, double height) {
    const double little = 1e-3, none[JOINTS] = {0.0};
    double q[JOINTS], later[JOINTS], qd[JOINTS];
    reach(l, swing_point(s, l, height, l->phase), q);
    reach(l, swing_point(s, l, height, l->phase + little), later);
    for (int k = 0; k < JOINTS; ++k) qd[k] = (later[k] - q[k]) / (little * 0.5 * period);
    command(sim, l, q, qd, none);
}

// --- feet that stand ---

// What the body needs: force, then moment about its origin, in the world.
static void wanted_wrench(const body_state* s, double gravity, double height, double wanted_height, double out[6]) {
    ts_vec3 speed = ts_mat3_mul_vec(&s->heading, s->wanted), up = ts_mat3_column(&s->R, 2);
    ts_vec3 lean = ts_vec3_cross(up, ts_vec3_axis(2));
    // Inertia about the body's origin, legs in: about a quarter of a metre's square along, a tenth across.
    double along = 0.012 * s->mass, across = 0.035 * s->mass;
    out[0] = s->mass * speed_rate * (speed.x - s->velocity.x);
    out[1] = s->mass * speed_rate * (speed.y - s->velocity.y);
    out[2] =
        s->mass * (gravity + height_rate * height_rate * (wanted_height - height) - 1.4 * height_rate * s->velocity.z);
    ts_vec3 spin = ts_mat3_mul_vec_transposed(&s->heading, s->spin);
    lean = ts_mat3_mul_vec_transposed(&s->heading, lean);
    ts_vec3 moment =
        ts_vec3_make(along * level_rate * (level_rate * lean.x - 1.6 * spin.x),
                     across * level_rate * (level_rate * lean.y - 1.6 * spin.y),
                     across * heading_rate * (heading_rate * s->heading_error + 2.0 * (s->turning - spin.z)));
    ts_vec3_store(ts_mat3_mul_vec(&s->heading, moment), out + 3);
}

// Forces of the feet that stand, least squares with a little for their size: f = A' (A A' + E)^-1 w, A = [1; r x].
static void share_wrench(const body_state* s, const leg* l, const double wrench[6], double grip,
                         ts_vec3 out_force[LEGS]) {
    double A[36] = {0.0}, y[6];
    ts_vec3 r[LEGS];
    for (int i = 0; i < LEGS; ++i) {
        r[i] = ts_mat3_mul_vec(&s->R, ts_vec3_add(l[i].hip, l[i].foot));
        if (!l[i].stands) continue;
        ts_mat3 X = ts_mat3_skew(r[i]), XX = ts_mat3_mul_transposed(X, X);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                A[6 * a + b] += a == b;
                A[6 * (a + 3) + b] += X.m[a][b];
                A[6 * a + b + 3] += X.m[b][a];
                A[6 * (a + 3) + b + 3] += XX.m[a][b];
            }
    }
    // Moments about the line between two feet cannot be had.
    for (int a = 0; a < 6; ++a) A[7 * a] += a < 3 ? 1e-3 : 1e-4;
    memcpy(y, wrench, sizeof y);
    int whole = ts_cholesky_factor(A, 6, 6);
    if (whole) ts_cholesky_solve(A, 6, 6, y);
    for (int i = 0; i < LEGS; ++i) {
        ts_vec3 f = ts_vec3_sub(ts_vec3_load(y), ts_vec3_cross(r[i], ts_vec3_load(y + 3)));
        f.z = ts_clamp(f.z, 0.0, 2.0 * wrench[2]);
        double side = sqrt(f.x * f.x + f.y * f.y), most = grip * f.z;
        double scale = side > most ? most / side : 1.0;
        out_force[i] = l[i].stands && whole ? ts_vec3_make(scale * f.x, scale * f.y, f.z) : ts_vec3_zero();
    }
}

static void stand(ts_sim* sim, const body_state* s, const leg* l, ts_vec3 force) {
    double torque[JOINTS], qd[JOINTS];
    times_transposed(l, ts_mat3_mul_vec_transposed(&s->R, ts_vec3_neg(force)), torque);
    // Servos brake what differs from a foot at rest in the world.
    ts_vec3 arm = ts_vec3_add(l->hip, l->foot), spin = ts_mat3_mul_vec_transposed(&s->R, s->spin);
    ts_vec3 body = ts_mat3_mul_vec_transposed(&s->R, s->velocity);
    joint_rates(l, ts_vec3_neg(ts_vec3_add(body, ts_vec3_cross(spin, arm))), qd);
    command(sim, l, l->q, qd, torque);
}

static void act(ts_sim* sim, const double* value) {
    leg l[LEGS];
    ts_vec3 force[LEGS];
    double wrench[6], height = 0.0, wanted_height = 0.0;
    body_state s = look_at_body(sim, value);
    for (int i = 0; i < LEGS; ++i) {
        look_at_leg(sim, i, &l[i]);
        ts_vec3 foot = ts_mat3_mul_vec(&s.R, ts_vec3_add(l[i].hip, l[i].foot));
        if (l[i].stands) height -= 0.5 * foot.z;
        // Knees at right angles and a little more: between stretched and squatting.
        wanted_height += 0.25 * 0.77 * (l[i].upper + l[i].lower);
    }
    wanted_wrench(&s, -sim->options.gravity.z, height, wanted_height, wrench);
    share_wrench(&s, l, wrench, value[GRIP], force);
    for (int i = 0; i < LEGS; ++i)
        if (l[i].stands)
            stand(sim, &s, &l[i], force[i]);
        else
            swing(sim, &s, &l[i], height);
}

static const ts_controller_setting settings[] = {
    {"speed", "velocity forward, m/s", 0.3, -1.0, 1.0},
    {"sideways", "velocity to the left, m/s", 0.0, -0.5, 0.5},
    {"turning", "rate of turning to the left, rad/s", 0.0, -2.0, 2.0},
    {"grip", "largest share of a foot's load that is asked of friction", 0.6, 0.05, 2.0},
};

const ts_controller ts_controller_trot = {.name = "trot",
                                          .summary = "a quadruped trots at a commanded velocity",
                                          .setting = settings,
                                          .setting_count = (int)(sizeof settings / sizeof settings[0]),
                                          .fault = fault,
                                          .act = act};
