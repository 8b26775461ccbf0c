"""Kinematics, inertia, bias, Jacobians and momentum of robots in URDF against Pinocchio, at 100 random states each, to 1e-9."""

import glob
import os
import sys
import unittest

try:
    import numpy
    import pinocchio
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

DATA = os.environ.get("TOUCHSTONE_DATA", "")
if not os.path.isdir(os.path.join(DATA, "robots")):
    print("skipped: TOUCHSTONE_DATA names no folder with robots")
    sys.exit(77)

STATES = 100
TOLERANCE = 1e-9


def robots():
    """URDF files below TOUCHSTONE_DATA/robots that both take, with their trees."""
    folder = os.path.join(DATA, "robots")
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.urdf"), recursive=True)):
        try:
            world = touchstone.World(path)
        except touchstone.TouchstoneError:
            continue
        with world:
            theirs = pinocchio.buildModelFromUrdf(path)
            floats = world.nv == theirs.nv + 6
            if floats:
                theirs = pinocchio.buildModelFromUrdf(path, pinocchio.JointModelFreeFlyer())
            # Joints that mimic others are free there, tied together here.
            if world.nv == theirs.nv and all(joint.nq == joint.nv or joint.nq == 7 for joint in theirs.joints[1:]):
                yield os.path.relpath(path, folder), theirs, world, floats


class State:
    """A state in both conventions. Free joints: theirs move along body axes, their quaternion has w last."""

    def __init__(self, theirs, world, floats, place, rng):
        nv = world.nv
        qpos, qvel, acceleration = rng.uniform(-1, 1, world.nq), rng.normal(size=nv), rng.normal(size=nv)
        self.q, self.v, self.a, self.T = numpy.zeros(theirs.nq), numpy.zeros(nv), numpy.zeros(nv), numpy.zeros((nv, nv))
        first = 6 if floats else 0
        if floats:
            qpos[3:7] /= numpy.linalg.norm(qpos[3:7])
            self.q[:7] = [*qpos[:3], *qpos[4:7], qpos[3]]
            R = pinocchio.Quaternion(qpos[3], *qpos[4:7]).toRotationMatrix()
            self.T[:3, :3], self.T[3:6, 3:6] = R.T, numpy.eye(3)
        for i, d in enumerate(place):
            self.T[d + first, i + first] = 1.0
            self.q[d + first + floats] = qpos[i + first + floats]
        self.v = self.T @ qvel
        self.a = self.T @ acceleration
        if floats:
            self.a[:3] -= numpy.cross(self.v[3:6], self.v[:3])
        self.qpos, self.qvel, self.acceleration = qpos, qvel, acceleration


class DynamicsAgainstPinocchio(unittest.TestCase):
    def near(self, what, here, there):
        scale = max(numpy.abs(there).max(initial=0.0), 1e-6)
        self.assertLessEqual(numpy.abs(here - there).max(initial=0.0) / scale, TOLERANCE, what)

    def compare(self, theirs, world, floats):
        data, rng = theirs.createData(), numpy.random.default_rng(world.nv)
        joints = world.names("joint")[1 if floats else 0 :]
        # Theirs are sorted by name where ours follow the file.
        place = [theirs.joints[theirs.getJointId(name)].idx_v - (6 if floats else 0) for name in joints]
        bodies = [(i, theirs.getBodyId(name)) for i, name in enumerate(world.body_names) if i and theirs.existBodyName(name)]
        ask = world.dynamics
        for _ in range(STATES):
            s = State(theirs, world, floats, place, rng)
            world.qpos, world.qvel = s.qpos, s.qvel
            pinocchio.forwardKinematics(theirs, data, s.q, s.v)
            pinocchio.updateFramePlacements(theirs, data)
            poses = world.body_poses
            for i, frame in bodies:
                self.near("pose", poses[i, :3], data.oMf[frame].translation)
            M = pinocchio.crba(theirs, data, s.q)
            M = numpy.triu(M) + numpy.triu(M, 1).T
            self.near("M", ask.mass_matrix(), s.T.T @ M @ s.T)
            tau = s.T.T @ pinocchio.rnea(theirs, data, s.q, s.v, s.a)
            self.near("inverse dynamics", ask.inverse(s.acceleration), tau)
            found = s.T @ ask.forward(tau)
            if floats:
                found[:3] -= numpy.cross(s.v[3:6], s.v[:3])
            self.near("forward dynamics", M @ found, M @ pinocchio.aba(theirs, data, s.q, s.v, pinocchio.rnea(theirs, data, s.q, s.v, s.a)))
            if not floats:
                self.compare_derivatives(theirs, data, ask, s, tau)
            i, frame = bodies[rng.integers(len(bodies))]
            J = pinocchio.computeFrameJacobian(theirs, data, s.q, frame, pinocchio.LOCAL_WORLD_ALIGNED)
            linear, angular = ask.jacobian(body=i)
            self.near("Jacobian", numpy.vstack((linear, angular)), J @ s.T)
            pinocchio.computeJointJacobiansTimeVariation(theirs, data, s.q, s.v)
            rate = pinocchio.getFrameJacobianTimeVariation(theirs, data, frame, pinocchio.LOCAL_WORLD_ALIGNED)
            whole = ask.centroidal()
            if not floats:
                linear, angular = ask.jacobian(body=i, rate=True)
                self.near("rate of the Jacobian", numpy.vstack((linear, angular)), rate @ s.T)
            pinocchio.ccrba(theirs, data, s.q, s.v)
            A = data.Ag @ s.T
            if floats:
                self.near("centre of mass", whole.centre, data.com[0])
                self.near("centroidal matrix", numpy.roll(whole.matrix, 3, axis=0), A)
                self.near("momentum", numpy.roll(whole.momentum, 3), A @ s.qvel)
                self.near("bias of momentum", numpy.roll(whole.bias, 3), self.momentum_bias(theirs, data, s))

    def compare_derivatives(self, theirs, data, ask, s, tau):
        """Of a fixed base, whose joints are but in another order."""
        there = [s.T.T @ m @ s.T for m in pinocchio.computeRNEADerivatives(theirs, data, s.q, s.v, s.a)[:2]]
        here = ask.inverse_derivatives(s.acceleration)
        self.near("inverse dynamics by configuration", here[0], there[0])
        self.near("inverse dynamics by velocity", here[1], there[1])
        # As forces, since M may be nearly singular.
        M = ask.mass_matrix()
        here = ask.forward_derivatives(tau)
        self.near("forward dynamics by configuration", -M @ here[0], there[0])
        self.near("forward dynamics by velocity", -M @ here[1], there[1])
        self.near("forward dynamics by force", M @ here[2], numpy.eye(len(tau)))

    @staticmethod
    def momentum_bias(theirs, data, s):
        """The rate of momentum when our qvel is constant: theirs change, since their free joint moves along axes that turn."""
        a = numpy.zeros(theirs.nv)
        a[:3] = -numpy.cross(s.v[3:6], s.v[:3])
        pinocchio.dccrba(theirs, data, s.q, s.v)
        return data.dAg @ s.v + data.Ag @ a

    def test_robots(self):
        compared = 0
        for name, theirs, world, floats in robots():
            with self.subTest(robot=name):
                self.compare(theirs, world, floats)
                compared += 1
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
