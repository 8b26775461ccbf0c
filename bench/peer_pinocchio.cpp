// Pinocchio behind the face of dynamics. The model is handed over joint by joint, several joints of a body one after the other with nothing
// between them. Its quaternions have w last, and its free joints move along body axes: answers are turned into ours.
#include "bench/dynamics_peer.h"

#include <cstdio>
#include <exception>
#include <vector>

// Before all others of it.
#include <pinocchio/fwd.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

using pinocchio::SE3;

namespace {

Eigen::Vector3d vec(const ts_vec3& v) { return Eigen::Vector3d(v.x, v.y, v.z); }

SE3 pose_of(const ts_pose& p) {
    Eigen::Quaterniond q(p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
    return SE3(q.normalized().toRotationMatrix(), vec(p.position));
}

SE3 shift(const Eigen::Vector3d& by) { return SE3(Eigen::Matrix3d::Identity(), by); }

// What belongs to a state.
struct Place {
    pinocchio::Data data;
    Eigen::VectorXd q, v, a, tau;
    Eigen::MatrixXd jacobian, solved;
    explicit Place(const pinocchio::Model& model) : data(model) {}
};

}  // namespace

struct ts_bench_dynamics {
    const ts_model* ours = nullptr;
    pinocchio::Model model;
    std::vector<pinocchio::JointIndex> joint_of;  // of every body: the joint that carries it
    std::vector<SE3> seat;                        // where the body's frame is in that joint's
    std::vector<Place> place;
};

namespace {

pinocchio::JointIndex add_turn(ts_bench_dynamics& d, pinocchio::JointIndex parent, const SE3& at, const ts_vec3& axis,
                               const char* name) {
    if (axis.x == 1.0) return d.model.addJoint(parent, pinocchio::JointModelRX(), at, name);
    if (axis.y == 1.0) return d.model.addJoint(parent, pinocchio::JointModelRY(), at, name);
    if (axis.z == 1.0) return d.model.addJoint(parent, pinocchio::JointModelRZ(), at, name);
    return d.model.addJoint(parent, pinocchio::JointModelRevoluteUnaligned(vec(axis)), at, name);
}

// Adds a joint to what carries the body so far.
void add_joint(ts_bench_dynamics& d, const ts_joint& joint, const char* name, pinocchio::JointIndex& carrier,
               SE3& seat) {
    Eigen::Vector3d anchor = vec(joint.anchor);
    SE3 at = seat * shift(anchor);
    switch (joint.type) {
    case TS_JOINT_FREE:
        carrier = d.model.addJoint(0, pinocchio::JointModelFreeFlyer(), SE3::Identity(), name);
        seat = SE3::Identity();
        return;
    case TS_JOINT_BALL: carrier = d.model.addJoint(carrier, pinocchio::JointModelSpherical(), at, name); break;
    case TS_JOINT_HINGE: carrier = add_turn(d, carrier, at, joint.axis, name); break;
    default:
        carrier = d.model.addJoint(carrier, pinocchio::JointModelPrismaticUnaligned(vec(joint.axis)), at, name);
        break;
    }
    seat = shift(-anchor);
}

void build(ts_bench_dynamics& d, const ts_model* ours) {
    d.ours = ours;
    d.joint_of.assign(static_cast<size_t>(ours->body_count), 0);
    d.seat.assign(static_cast<size_t>(ours->body_count), SE3::Identity());
    d.model.gravity.linear(vec(ours->options.gravity));
    // What cannot move first, then tree by tree: joints get their coordinates in our order.
    std::vector<int> order;
    for (int b = 0; b < ours->body_count; ++b)
        if (ours->body[b].tree < 0) order.push_back(b);
    for (int t = 0; t < ours->tree_count; ++t)
        for (int i = 0; i < ours->tree[t].body_count; ++i)
            order.push_back(ours->tree_body[ours->tree[t].body_first + i]);
    for (int b : order) {
        const ts_body& body = ours->body[b];
        size_t parent = body.parent >= 0 ? static_cast<size_t>(body.parent) : 0, own = static_cast<size_t>(b);
        pinocchio::JointIndex carrier = d.joint_of[parent];
        SE3 seat = b == 0 ? SE3::Identity() : d.seat[parent] * pose_of(body.pose);
        for (int j = body.joint_first; j < body.joint_first + body.joint_count; ++j) {
            char name[32];
            std::snprintf(name, sizeof name, "joint %d", j);
            add_joint(d, ours->joint[j], name, carrier, seat);
        }
        d.joint_of[own] = carrier;
        d.seat[own] = seat;
        Eigen::Matrix3d inertia;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) inertia(r, c) = body.inertia.m[r][c];
        if (b > 0 && body.mass > 0.0)
            d.model.appendBodyToJoint(carrier, pinocchio::Inertia(body.mass, vec(body.centre), inertia), seat);
    }
    for (int i = 0; i < ours->nv; ++i) d.model.armature[i] = ours->dof[i].armature;
}

// Coordinates and velocities in its conventions.
void convert(const ts_model* ours, const double* qpos, const double* qvel, Eigen::VectorXd& q, Eigen::VectorXd& v) {
    v = Eigen::Map<const Eigen::VectorXd>(qvel, ours->nv);
    q = Eigen::Map<const Eigen::VectorXd>(qpos, ours->nq);
    for (int j = 0; j < ours->joint_count; ++j) {
        const ts_joint& joint = ours->joint[j];
        int at = joint.qpos_first;
        if (joint.type == TS_JOINT_HINGE || joint.type == TS_JOINT_SLIDE) q[at] -= joint.reference;
        if (joint.type == TS_JOINT_FREE) at += 3;
        if (joint.type != TS_JOINT_FREE && joint.type != TS_JOINT_BALL) continue;
        Eigen::Quaterniond turn(qpos[at], qpos[at + 1], qpos[at + 2], qpos[at + 3]);
        turn.normalize();
        q.segment<4>(at) = turn.coeffs();
        if (joint.type == TS_JOINT_FREE)
            v.segment<3>(joint.dof_first) = turn.toRotationMatrix().transpose() * v.segment<3>(joint.dof_first);
    }
}

// The axes of a free joint's body, of a state.
Eigen::Matrix3d axes_of(const Place& p, const ts_joint& joint) {
    return Eigen::Quaterniond(p.q.segment<4>(joint.qpos_first + 3)).toRotationMatrix();
}

// Accelerations of our free joints in its body axes, or back: the rate of R^T u is R^T (u' - w x u), w in body axes R^T w.
void turn_accelerations(const ts_model* ours, const Place& p, bool to_theirs, Eigen::VectorXd& a) {
    for (int j = 0; j < ours->joint_count; ++j) {
        const ts_joint& joint = ours->joint[j];
        if (joint.type != TS_JOINT_FREE) continue;
        Eigen::Matrix3d R = axes_of(p, joint);
        Eigen::Vector3d w = p.v.segment<3>(joint.dof_first + 3), u = p.v.segment<3>(joint.dof_first);
        if (to_theirs)
            a.segment<3>(joint.dof_first) = R.transpose() * a.segment<3>(joint.dof_first) - w.cross(u);
        else
            a.segment<3>(joint.dof_first) = R * (a.segment<3>(joint.dof_first) + w.cross(u));
    }
}

// Rows over its dofs into rows over ours: J_ours = J_theirs T, T = R^T for the translations of free joints.
void turn_columns(const ts_model* ours, const Place& p, Eigen::MatrixXd& J) {
    for (int j = 0; j < ours->joint_count; ++j) {
        const ts_joint& joint = ours->joint[j];
        if (joint.type != TS_JOINT_FREE) continue;
        J.middleCols<3>(joint.dof_first) = (J.middleCols<3>(joint.dof_first) * axes_of(p, joint).transpose()).eval();
    }
}

int give(const Eigen::MatrixXd& M, double* out) {
    for (Eigen::Index r = 0; r < M.rows(); ++r)
        for (Eigen::Index c = 0; c < M.cols(); ++c) out[r * M.cols() + c] = M(r, c);
    return static_cast<int>(M.size());
}

int find_jacobian(ts_bench_dynamics& d, Place& p) {
    // It has no function for one point alone that starts from poses: the joint's own, then the body's frame.
    size_t body = static_cast<size_t>(d.ours->dof[d.ours->nv - 1].body);
    p.jacobian.setZero();
    pinocchio::computeJointJacobian(d.model, p.data, p.q, d.joint_of[body], p.jacobian);
    return 1;
}

int run(ts_bench_dynamics* d, ts_bench_dynamics_item item, int state) {
    Place& p = d->place[static_cast<size_t>(state)];
    switch (item) {
    case TS_BENCH_TWISTS_FROM_Q: pinocchio::forwardKinematics(d->model, p.data, p.q, p.v); return 1;
    case TS_BENCH_FACTOR: pinocchio::cholesky::decompose(d->model, p.data); return 1;
    case TS_BENCH_JACOBIAN: return find_jacobian(*d, p);
    case TS_BENCH_SOLVE:
        p.solved = p.jacobian.topRows<3>().transpose();
        pinocchio::cholesky::solve(d->model, p.data, p.solved);
        return 1;
    case TS_BENCH_INVERSE_DYNAMICS: pinocchio::rnea(d->model, p.data, p.q, p.v, p.a); return 1;
    case TS_BENCH_INERTIA_FROM_Q: pinocchio::crba(d->model, p.data, p.q, pinocchio::Convention::WORLD); return 1;
    case TS_BENCH_FORWARD_DYNAMICS:
        pinocchio::aba(d->model, p.data, p.q, p.v, p.tau, pinocchio::Convention::WORLD);
        return 1;
    case TS_BENCH_CENTROIDAL: pinocchio::computeCentroidalMap(d->model, p.data, p.q); return 1;
    case TS_BENCH_INVERSE_DERIVATIVES: pinocchio::computeRNEADerivatives(d->model, p.data, p.q, p.v, p.a); return 1;
    case TS_BENCH_FORWARD_DERIVATIVES: pinocchio::computeABADerivatives(d->model, p.data, p.q, p.v, p.tau); return 1;
    default: return 0;
    }
}

Eigen::Matrix3d cross_with(const Eigen::Vector3d& x) {
    Eigen::Matrix3d m;
    m << 0.0, -x.z(), x.y(), x.z(), 0.0, -x.x(), -x.y(), x.x(), 0.0;
    return m;
}

// How its velocities, accelerations and forces follow ours: v' = T v, a' = T a + c(q, v), f' = T f, with the derivatives of each by our
// configuration at our constant others. Only the rotation R of a free joint is in them: d(R^T x) = (R^T x) x dturn.
struct Change {
    Eigen::MatrixXd T, velocity, acceleration, acceleration_by_velocity, force;

    Change(const ts_model* ours, const Place& p, const Eigen::VectorXd& a, const Eigen::VectorXd& f) {
        T.setIdentity(ours->nv, ours->nv);
        velocity.setZero(ours->nv, ours->nv);
        acceleration = acceleration_by_velocity = force = velocity;
        for (int j = 0; j < ours->joint_count; ++j) {
            const ts_joint& joint = ours->joint[j];
            if (joint.type != TS_JOINT_FREE) continue;
            int at = joint.dof_first, turn = at + 3;
            Eigen::Matrix3d R = axes_of(p, joint), W = cross_with(p.v.segment<3>(turn));
            Eigen::Matrix3d U = cross_with(p.v.segment<3>(at));
            Eigen::Vector3d turned = a.segment<3>(at) + W * p.v.segment<3>(at);  // R^T of our acceleration
            T.block<3, 3>(at, at) = R.transpose();
            velocity.block<3, 3>(at, turn) = U;
            acceleration.block<3, 3>(at, turn) = cross_with(turned) - W * U;
            acceleration_by_velocity.block<3, 3>(at, at) = -W * R.transpose();
            acceleration_by_velocity.block<3, 3>(at, turn) = U;
            force.block<3, 3>(at, turn) = cross_with(f.segment<3>(at));
        }
    }
};

Eigen::MatrixXd whole(const Eigen::MatrixXd& upper) {
    Eigen::MatrixXd M = upper;
    M.triangularView<Eigen::StrictlyLower>() = M.transpose().triangularView<Eigen::StrictlyLower>();
    return M;
}

int give_derivatives(const Eigen::MatrixXd& by_q, const Eigen::MatrixXd& by_v, const Eigen::MatrixXd& by_input,
                     double* out) {
    int count = give(by_q, out);
    count += give(by_v, out + count);
    return count + give(by_input, out + count);
}

// tau = T^T tau'(q', T v, T a + c).
int give_inverse_derivatives(const ts_bench_dynamics& d, const Place& p, double* out) {
    Change c(d.ours, p, p.a, p.data.tau);
    const pinocchio::Data& data = p.data;
    Eigen::MatrixXd M = whole(data.M), back = c.T.transpose();
    return give_derivatives(back * (data.dtau_dq * c.T + data.dtau_dv * c.velocity + M * c.acceleration - c.force),
                            back * (data.dtau_dv * c.T + M * c.acceleration_by_velocity), back * M * c.T, out);
}

// a = T^T (a'(q', T v, T tau) - c).
int give_forward_derivatives(const ts_bench_dynamics& d, const Place& p, double* out) {
    Change c(d.ours, p, p.data.ddq, p.tau);
    const pinocchio::Data& data = p.data;
    Eigen::MatrixXd inverse = whole(data.Minv), back = c.T.transpose();
    return give_derivatives(back * (data.ddq_dq * c.T + data.ddq_dv * c.velocity + inverse * c.force - c.acceleration),
                            back * (data.ddq_dv * c.T - c.acceleration_by_velocity), back * inverse * c.T, out);
}

// Where the bodies' frames are and how fast their origins move.
int give_twists(const ts_bench_dynamics& d, const Place& p, double* out) {
    for (size_t b = 0; b < d.joint_of.size(); ++b) {
        const SE3& joint = p.data.oMi[d.joint_of[b]];
        pinocchio::Motion moves = p.data.v[d.joint_of[b]];
        Eigen::Map<Eigen::Vector3d>(out + 6 * b) = (joint * d.seat[b]).translation();
        Eigen::Map<Eigen::Vector3d>(out + 6 * b + 3) =
            joint.rotation() * (moves.linear() + moves.angular().cross(d.seat[b].translation()));
    }
    return 6 * static_cast<int>(d.joint_of.size());
}

int answer(ts_bench_dynamics* d, ts_bench_dynamics_item item, int state, double* out) {
    Place& p = d->place[static_cast<size_t>(state)];
    Eigen::MatrixXd M;
    switch (item) {
    case TS_BENCH_TWISTS_FROM_Q: return give_twists(*d, p, out);
    case TS_BENCH_INVERSE_DYNAMICS: {
        M = p.data.tau.transpose();
        turn_columns(d->ours, p, M);
        return give(M, out);
    }
    case TS_BENCH_INERTIA_FROM_Q:
        M = whole(p.data.M);
        turn_columns(d->ours, p, M);
        M.transposeInPlace();
        turn_columns(d->ours, p, M);
        return give(M, out);
    case TS_BENCH_FORWARD_DYNAMICS: {
        Eigen::VectorXd a = p.data.ddq;
        turn_accelerations(d->ours, p, false, a);
        return give(a.transpose(), out);
    }
    case TS_BENCH_CENTROIDAL:
        M.resize(6, d->model.nv);
        M.topRows<3>() = p.data.Ag.bottomRows<3>();
        M.bottomRows<3>() = p.data.Ag.topRows<3>();
        turn_columns(d->ours, p, M);
        return give(M, out);
    case TS_BENCH_INVERSE_DERIVATIVES: return give_inverse_derivatives(*d, p, out);
    case TS_BENCH_FORWARD_DERIVATIVES: return give_forward_derivatives(*d, p, out);
    default: return 0;
    }
}

ts_bench_dynamics* open_dynamics(const ts_model* model, const ts_bench_states* states, char error[200]) {
    for (int b = 0; b < model->body_count; ++b)
        if (model->body[b].buoyancy != 0.0) {
            std::snprintf(error, 200, "it knows no bodies that weigh less than they should");
            return nullptr;
        }
    try {
        ts_bench_dynamics* d = new ts_bench_dynamics;
        build(*d, model);
        for (int i = 0; i < states->count; ++i) {
            d->place.emplace_back(d->model);
            Place& p = d->place.back();
            convert(model, states->qpos + i * model->nq, states->qvel + i * model->nv, p.q, p.v);
            p.a = Eigen::Map<const Eigen::VectorXd>(states->acceleration + i * model->nv, model->nv);
            turn_accelerations(model, p, true, p.a);
            Eigen::MatrixXd force =
                Eigen::Map<const Eigen::VectorXd>(states->force + i * model->nv, model->nv).transpose();
            // Forces turn as velocities do.
            for (int j = 0; j < model->joint_count; ++j)
                if (model->joint[j].type == TS_JOINT_FREE)
                    force.middleCols<3>(model->joint[j].dof_first) =
                        (force.middleCols<3>(model->joint[j].dof_first) * axes_of(p, model->joint[j])).eval();
            p.tau = force.transpose();
            p.jacobian.resize(6, model->nv);
            p.solved.resize(model->nv, 3);
            // The inertia that the factor is asked about.
            pinocchio::crba(d->model, p.data, p.q, pinocchio::Convention::WORLD);
        }
        return d;
    } catch (const std::exception& e) {
        std::snprintf(error, 200, "%.199s", e.what());
        return nullptr;
    }
}

void close_dynamics(ts_bench_dynamics* d) { delete d; }

}  // namespace

extern "C" const ts_bench_dynamics_engine* ts_bench_dynamics_pinocchio(void) {
    static const ts_bench_dynamics_engine engine = {"pinocchio", open_dynamics, close_dynamics, run, answer};
    return &engine;
}
