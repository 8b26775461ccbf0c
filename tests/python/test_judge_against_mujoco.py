"""What `touchstone judge` finds in a recording of MuJoCo at its defaults, against what its soft law says must be there, for a box of 1 kg on four feet.

MuJoCo's friction cone is a pyramid: each contact has four edges, normal plus or minus mu times a tangent, and edge e carries
f = max(0, (-b J v - k d r - J a) / R), with b = 2 / (dw tc), k = 1 / (dw tc)^2 (solref tc = 0.02 s; d, dw of solimp), r the gap, a the acceleration,
R = 2 mu^2 (1 - d) / d (1 + mu^2) / m. Everything below follows from that, not from what MuJoCo has computed on the way."""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import mujoco
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

try:
    import h5py  # noqa: F401
    HAS_HDF5 = True
except ImportError:
    HAS_HDF5 = False

PROGRAM = os.environ.get("TOUCHSTONE_PROGRAM", "touchstone")
G, MU, HALF, DT = 9.81, 0.5, 0.1, 0.001
TC, D0, DW, WIDTH = 0.02, 0.9, 0.95, 0.001

BOX = """<mujoco><option timestep="{dt}" gravity="{gx} 0 {gz}"/><worldbody>
<geom name="floor" type="plane" size="9 9 .1" friction="{mu}"/>
<body name="box" pos="0 0 {half}"><freejoint/><geom name="box" type="box" size="{half} {half} {half}" mass="1" friction="{mu}"/></body>
</worldbody></mujoco>"""


def impedance(depth):
    x = min(depth / WIDTH, 1.0)
    y = 2.0 * x * x if x < 0.5 else 1.0 - 2.0 * (1.0 - x) ** 2
    return D0 + y * (DW - D0)


def softness(depth):
    d = impedance(depth)
    return 2.0 * MU**2 * (1.0 - d) / d * (1.0 + MU**2)


def judged(suffix, slope, velocity, seconds, skip=0.0):
    """Findings by name, and the states before each step that was logged."""
    angle = math.radians(slope)
    model = mujoco.MjModel.from_xml_string(
        BOX.format(dt=DT, gx=G * math.sin(angle), gz=-G * math.cos(angle), mu=MU, half=HALF))
    data = mujoco.MjData(model)
    data.qvel[:3] = velocity
    before = [None]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "contacts" + suffix)
        with touchstone.ContactLog(path) as log:
            while data.time < seconds:
                state = data.qpos.copy(), data.qvel.copy()
                mujoco.mj_step(model, data)
                if data.time > skip:
                    log.mujoco(model, data)
                    before.append(state)
        text = subprocess.run([PROGRAM, "judge", path, "--json"], capture_output=True, text=True, check=True).stdout
    found = json.loads(text)["judged"]
    return found, {f["finding"]: f for f in found["findings"]}, before


def lift_after(state):
    """The largest normal velocity of a corner that touches, after a step of the soft law from this state (the box not turned by much)."""
    position, velocity = state
    rotation = numpy.zeros(9)
    mujoco.mju_quat2Mat(rotation, position[3:7])
    rotation = rotation.reshape(3, 3)
    inertia = 2.0 / 3.0 * HALF**2
    M = numpy.diag([1.0, 1.0, 1.0, inertia, inertia, inertia])
    free = numpy.array([0.0, 0.0, -G, 0.0, 0.0, 0.0])
    rows, wanted, R, normals = [], [], [], []
    for x in (-HALF, HALF):
        for y in (-HALF, HALF):
            arm = rotation @ numpy.array([x, y, -HALF])
            gap = position[2] + arm[2]
            if gap > 0.0:
                continue
            # A contact is midway between the surfaces; turning is told in the body's axes.
            arm = arm - numpy.array([0.0, 0.0, 0.5 * gap])
            cross = numpy.array([[0, arm[2], -arm[1]], [-arm[2], 0, arm[0]], [arm[1], -arm[0], 0]])
            point = numpy.hstack([numpy.eye(3), cross @ rotation])
            normals.append(point[2])
            for edge in ([MU, 0, 1], [-MU, 0, 1], [0, MU, 1], [0, -MU, 1]):
                J = numpy.array(edge) @ point
                rows.append(J)
                R.append(softness(-gap))
                wanted.append(-2.0 / (DW * TC) * (J @ velocity) - impedance(-gap) / (DW * TC) ** 2 * gap)
    if not rows:
        return 0.0
    J, wanted, R = numpy.array(rows), numpy.array(wanted), numpy.array(R)
    A = J @ numpy.linalg.solve(M, J.T) + numpy.diag(R)
    lack, force = wanted - J @ free, numpy.zeros(len(rows))
    for _ in range(5000):
        for i in range(len(force)):
            force[i] = max(0.0, force[i] + (lack[i] - A[i] @ force) / A[i, i])
    after = velocity + DT * (free + numpy.linalg.solve(M, J.T @ force))
    return max(n @ after for n in normals)


class Judge(unittest.TestCase):
    suffix = ".csv"

    def test_creep_on_a_slope(self):
        """At rest on 20 degrees the edges that point downhill carry nothing. With S what depth alone presses on the feet and c = b mu v / R:
        3 S + 4 c = m g cos a, mu (S + 4 c) = m g sin a."""
        slope = math.radians(20.0)
        pressed = 0.5 * G * (math.cos(slope) - math.sin(slope) / MU)
        c = 0.25 * (G * math.sin(slope) / MU - pressed)
        theory = c * softness(0.0) * DW * TC / (2.0 * MU)
        found, by, _ = judged(self.suffix, 20.0, (0, 0, 0), 3.0, skip=1.0)
        self.assertEqual(found["obeyed_by"]["ncp"], 0)
        self.assertLess(abs(by["creep"]["median"] - theory), 0.05 * theory)
        short = 100.0 * (1.0 - math.tan(slope) / MU)
        self.assertGreater(by["short"]["worst"], short)  # the feet do not share the load alike
        self.assertNotIn("off_cone", by)

    def test_cone_of_a_pyramid(self):
        """Sliding along the bisector of two edges, both are at work alike: 1 / sqrt 2 of what the cone asks for."""
        _, by, _ = judged(self.suffix, 0.0, (6 / math.sqrt(2), 6 / math.sqrt(2), 0), 0.1)
        theory = 100.0 * (1.0 - 1.0 / math.sqrt(2.0))
        self.assertLess(abs(by["short"]["worst"] - theory), 0.05 * theory)
        self.assertGreater(by["short"]["median"], 0.95 * theory)

    def test_lift_of_what_slides(self):
        """The relaxation lifts what slides. Where it does so most, the soft law, solved from the state before that step, says by how much."""
        _, by, before = judged(self.suffix, 0.0, (6, 0, 0), 0.1)
        theory = lift_after(before[by["lift"]["worst_step"]])
        self.assertGreater(theory, 0.1)
        self.assertLess(abs(by["lift"]["worst"] - theory), 0.05 * theory)


@unittest.skipUnless(HAS_HDF5, "needs h5py")
class JudgeHdf5(Judge):
    """The same through HDF5."""

    suffix = ".h5"


if __name__ == "__main__":
    unittest.main()
