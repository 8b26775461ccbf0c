"""Equalities against MuJoCo, on the same model text: what both define alike must come out alike. MuJoCo's softness acts under the
solver "mujoco", to rounding; hard equalities are compared with MuJoCo at its stiffest, to what its softness leaves."""

import sys
import unittest

try:
    import mujoco
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'
SOFT = 'solref="0.03 0.8" solimp="0.7 0.95 0.02 0.4 3"'

PENDULUM = """<mujoco><option timestep="0.001" integrator="Euler"/><worldbody>
<body name="p" pos="0.1 0.2 0"><freejoint/><geom type="box" size="0.1 0.05 0.02" mass="1"/></body></worldbody>
<equality><connect body1="p" anchor="0.3 0 0.4" {softness}/></equality></mujoco>"""

# Two arms, the first of two links; their ends are connected: a loop whose rows across the plane hold nothing.
LOOP = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default><worldbody>
<body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom fromto="0 0 0 0.3 0 0"/>
 <body name="b" pos="0.3 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0.1 0 -0.4"/></body></body>
<body name="c" pos="0.6 0 1"><joint axis="0 1 0"/><geom fromto="0 0 0 -0.2 0 -0.4"/></body></worldbody>
<equality><connect body1="b" body2="c" anchor="0.1 0 -0.4" {softness}/></equality></mujoco>"""

SITES = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default><worldbody>
<site name="hook" pos="0.5 0.1 0.8"/>
<body pos="0 0 1"><joint type="ball"/><geom fromto="0 0 0 0.3 0 0"/>
 <body pos="0.3 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0.1 0 -0.4"/><site name="tip" pos="0.1 0 -0.4"/></body></body>
</worldbody><equality><connect site1="tip" site2="hook" {softness}/></equality></mujoco>"""

GEAR = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default><worldbody>
<body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0" ref="10" armature="0.01"/><geom fromto="0 0 0 0.3 0 0"/></body>
<body name="b" pos="0 1 0"><joint name="jb" axis="0 1 0" ref="-20"/><geom fromto="0 0 0 0.2 0 -0.4"/>
 <body pos="0.2 0 -0.4"><joint name="jc" type="slide" axis="1 0 0"/><geom fromto="0 0 0 0.2 0 0"/></body></body></worldbody>
<equality><joint joint1="ja" joint2="jb" polycoef="0.1 2 0.3 -0.1 0.05" {softness}/>
<joint joint1="jc" polycoef="0.05" {softness}/></equality></mujoco>"""

# A box that spins freely, and an arm with a spring, dampers and a ball joint; nothing touches anything.
MOTION = """<mujoco><option timestep="0.001" integrator="{integrator}"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="1"/></body>
<body pos="3 0 2"><joint axis="0 1 0" damping="0.3" stiffness="20"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" mass="1"/>
<body pos="0.5 0 0"><joint type="ball" damping="0.05"/><geom type="box" size="0.05 0.1 0.2" pos="0 0 -0.2" mass="0.7"/></body></body>
</worldbody><keyframe><key name="home" qvel="0 0 0 3 5 -2 2 3 4 -5"/></keyframe></mujoco>"""


def theirs(text, steps):
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance = 1e-16
    model.opt.iterations = 200
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    acceleration = data.qacc.copy()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return acceleration, data.qpos.copy()


def ours(text, steps, solver):
    with touchstone.World(mjcf=text, solver=solver) as world:
        world.set("tolerance", 1e-11)
        world.step(1)
        acceleration = world.qvel / world.time
        world.step(steps - 1)
        return acceleration, world.qpos.copy()


def knows_curvature():
    """From version 4 on a connection's acceleration is asked for less (dJ/dt) v, as it is here."""
    return int(mujoco.__version__.split(".")[0]) >= 4


class AgainstMujoco(unittest.TestCase):
    def follow(self, text, softness, steps, tolerance):
        text = text.format(softness=softness)
        _, there = theirs(text, steps)
        _, here = ours(text, steps, "mujoco")
        numpy.testing.assert_allclose(here, there, rtol=0, atol=tolerance)
        self.assertGreater(numpy.abs(here - ours(text, 1, "mujoco")[1]).max(), 0.05, "it must have moved")

    @unittest.skipUnless(knows_curvature(), "MuJoCo before version 4 leaves (dJ/dt) v out")
    def test_connections_as_soft_as_the_model_says(self):
        for text in (PENDULUM, LOOP, SITES):
            for softness in (STIFF, SOFT, 'solref="-4000 -50"'):
                with self.subTest(text=text[60:90], softness=softness):
                    self.follow(text, softness, 300, 1e-9)

    def test_gears_as_soft_as_the_model_says(self):
        for softness in (STIFF, SOFT, ""):
            with self.subTest(softness=softness):
                self.follow(GEAR, softness, 300, 1e-9)

    def test_integrators(self):
        """But for the spin of a lone body under implicitfast, which keeps its energy here."""
        names = ["Euler", "RK4", "implicit", "implicitfast"] + (["discrete"] if knows_curvature() else [])
        for name in names:
            with self.subTest(integrator=name):
                model = mujoco.MjModel.from_xml_string(MOTION.format(integrator=name))
                data = mujoco.MjData(model)
                mujoco.mj_resetDataKeyframe(model, data, 0)
                for _ in range(500):
                    mujoco.mj_step(model, data)
                with touchstone.World(mjcf=MOTION.format(integrator=name)) as world:
                    world.step(500)
                    first = 7 if name == "implicitfast" else 0
                    numpy.testing.assert_allclose(world.qpos[first:], data.qpos[first:], rtol=0, atol=1e-12)

    def test_hard_equalities_against_stiff_ones(self):
        """From rest, where curvature plays no part: the first step's acceleration to the 1e-4 that impedance 0.9999 leaves. SITES
        starts apart and GEAR off its curve: MuJoCo pulls them together at once, we at our own rate."""
        for text in (PENDULUM, LOOP):
            with self.subTest(text=text[60:90]):
                text = text.format(softness=STIFF)
                there, there_later = theirs(text, 100)
                here, here_later = ours(text, 100, "ncp")
                numpy.testing.assert_allclose(here, there, rtol=0, atol=1e-3 * numpy.abs(there).max())
                numpy.testing.assert_allclose(here_later, there_later, rtol=0, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
