"""Kinematics, inertia, bias, Jacobians and momentum of robots against MuJoCo, at 100 random states each, to 1e-9."""

import glob
import os
import sys
import unittest

try:
    import mujoco
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

STATES = 100
TOLERANCE = 1e-9

# All types of joints, several on a body, references, armature, a body that weighs less, one that cannot move.
TREE = """<mujoco><option gravity="1 -2 -9"/><worldbody>
<body pos="0.3 0.2 1" euler="10 20 30"><geom size="0.1" mass="7"/></body>
<body name="base" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.05" pos="0.03 0.01 0.02" mass="3"/>
 <body pos="0.1 0.2 0" euler="10 20 30"><joint axis="1 2 3" ref="20" armature="0.1" pos="0.1 0 0.05"/><geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0.1" mass="1"/>
  <body pos="0.3 0 0.1"><joint type="slide" axis="0 1 1"/><joint axis="0 0 1" pos="0 0.1 0"/><geom size="0.1" pos="0.05 0 0" mass="0.5"/><site name="tip" pos="0.1 0.2 0.3"/>
   <body pos="0 0 0.2"><geom type="box" size="0.05 0.06 0.07" mass="0.4"/></body></body></body>
 <body pos="-0.1 0 0.1" euler="0 0 90" gravcomp="0.7"><joint type="ball" pos="0.02 0.03 0.04"/><geom type="ellipsoid" size="0.05 0.06 0.2" pos="0 0 0.2" mass="0.8"/></body></body>
<body pos="2 0 1"><joint type="slide" axis="1 0 0" armature="0.3"/><joint axis="0 1 0"/><joint axis="0 0 1" damping="2"/><geom size="0.1" pos="0.2 0 0" mass="2"/></body>
</worldbody></mujoco>"""


def without_looks(path):
    """The model without geoms that have neither weight nor contacts: the data has no meshes that only serve looks."""
    spec = mujoco.MjSpec.from_file(path)
    paired = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    for geom in list(spec.geoms):
        if geom.contype == 0 and geom.conaffinity == 0 and geom.parent.explicitinertial and geom.name not in paired:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    for thing in list(spec.geoms) + list(spec.sites):
        thing.material = ""
    for thing in list(spec.materials) + list(spec.textures):
        spec.delete(thing)
    return spec.compile()


def robots():
    """Robots below TOUCHSTONE_DATA/robots."""
    folder = os.path.join(os.environ.get("TOUCHSTONE_DATA", ""), "robots")
    for path in sorted(glob.glob(os.path.join(folder, "*", "*.xml"))):
        model = without_looks(path)
        with touchstone.World(path) as world:
            yield os.path.relpath(path, folder), model, world


def random_state(model, data, rng):
    data.qpos[:] = model.qpos0 + rng.uniform(-1, 1, size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = rng.normal(size=model.nv)


class DynamicsAgainstMujoco(unittest.TestCase):
    def near(self, what, here, there, tolerance):
        scale = max(numpy.abs(there).max(initial=0.0), 1e-6)
        self.assertLessEqual(numpy.abs(here - there).max(initial=0.0) / scale, tolerance, what)

    def compare(self, model, world, tolerance):
        """At one state after the other. What mass has no part in must agree to 1e-9 always; `tolerance` is that of the rest."""
        data, rng, nv = mujoco.MjData(model), numpy.random.default_rng(model.nv), model.nv
        self.assertEqual((world.nq, nv, world.body_count), (model.nq, model.nv, model.nbody))
        ask, moving = world.dynamics, model.body_treeid >= 0
        mass = model.body_mass * moving
        for _ in range(STATES):
            random_state(model, data, rng)
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            world.qpos, world.qvel = data.qpos, data.qvel
            self.near("body poses", world.body_poses[:, :3], data.xpos, TOLERANCE)
            M, bias = numpy.zeros((nv, nv)), data.qfrc_bias - data.qfrc_gravcomp
            mujoco.mj_fullM(model, data, M)
            self.near("M", ask.mass_matrix(), M, tolerance)
            self.near("bias", ask.inverse(), bias, tolerance)
            a = rng.normal(size=nv)
            self.near("inverse dynamics", ask.inverse(a), M @ a + bias, tolerance)
            # As good as M's own inverse: its condition may be large.
            forward = ask.forward(M @ a + bias)
            self.near("forward dynamics", M @ forward, M @ a, 10 * tolerance)
            J, body = numpy.zeros((2, 3, nv)), rng.integers(1, model.nbody)
            mujoco.mj_jacBody(model, data, J[0], J[1], body)
            self.near("Jacobian", numpy.array(ask.jacobian(body=body)), J, TOLERANCE)
            mujoco.mj_jacDot(model, data, J[0], J[1], data.xpos[body], body)
            self.near("rate of the Jacobian", numpy.array(ask.jacobian(body=body, rate=True)), J, TOLERANCE)
            six = numpy.concatenate(ask.jacobian_bias(body=body))
            self.near("bias of the Jacobian", six, J.reshape(6, nv) @ data.qvel, TOLERANCE)
            mujoco.mj_jacBodyCom(model, data, J[0], J[1], body)
            # Where nothing has mass, nothing has a centre.
            if model.body_mass[body] > 0:
                self.near("Jacobian of a centre", ask.jacobian(centre=body)[0], J[0], max(TOLERANCE, tolerance))
            if model.nsite:
                site = rng.integers(model.nsite)
                mujoco.mj_jacSite(model, data, J[0], J[1], site)
                self.near("Jacobian of a site", numpy.array(ask.jacobian(site=site)), J, TOLERANCE)
            self.compare_whole(model, data, ask.centroidal(), mass, tolerance)

    def compare_whole(self, model, data, whole, mass, tolerance):
        """Sums over bodies, of MuJoCo's numbers."""
        centre = mass @ data.xipos / mass.sum()
        self.near("mass", whole.mass, mass.sum(), tolerance)
        self.near("centre of mass", whole.centre, centre, max(TOLERANCE, tolerance))
        momentum, A = numpy.zeros(6), numpy.zeros((6, model.nv))
        for b in numpy.flatnonzero(mass):
            J = numpy.zeros((2, 3, model.nv))
            mujoco.mj_jacBodyCom(model, data, J[0], J[1], b)
            R = data.ximat[b].reshape(3, 3)
            A[:3] += R @ numpy.diag(model.body_inertia[b]) @ R.T @ J[1]
            A[:3] += mass[b] * numpy.cross(data.xipos[b] - centre, J[0].T).T
            A[3:] += mass[b] * J[0]
        momentum = A @ data.qvel
        self.near("centroidal matrix", whole.matrix, A, tolerance)
        self.near("momentum", whole.momentum, momentum, tolerance)
        self.near("Jacobian of the centre of mass", whole.jacobian, A[3:] / mass.sum(), tolerance)

    def test_all_joints(self):
        with touchstone.World(mjcf=TREE) as world:
            self.compare(mujoco.MjModel.from_xml_string(TREE), world, 1e-12)

    @unittest.skipUnless(os.environ.get("TOUCHSTONE_DATA"), "TOUCHSTONE_DATA is not set")
    def test_robots(self):
        compared = 0
        for name, model, world in robots():
            with self.subTest(robot=name):
                # MuJoCo keeps the vertices of meshes, of which some bodies have their mass, in single precision.
                given = all(body.explicitinertial for body in mujoco.MjSpec.from_file(self.path_of(name)).bodies[1:])
                self.compare(model, world, TOLERANCE if given else 1e-6)
                compared += 1
        self.assertGreater(compared, 0)

    @staticmethod
    def path_of(name):
        return os.path.join(os.environ["TOUCHSTONE_DATA"], "robots", name)


if __name__ == "__main__":
    unittest.main()
