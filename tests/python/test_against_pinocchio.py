"""URDF against Pinocchio: poses of links, and accelerations (which take the mass matrix and the bias) at random states."""

import os
import sys
import tempfile
import unittest

try:
    import numpy
    import pinocchio
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone


def link(name, mass, centre, turn, moments):
    xx, yy, zz, xy, xz, yz = moments
    return (
        f'<link name="{name}"><inertial><origin xyz="{centre}" rpy="{turn}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial></link>'
    )


def joint(name, kind, parent, child, origin, turn, axis):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{origin}" rpy="{turn}"/><axis xyz="{axis}"/><limit lower="-9" upper="9" effort="0" velocity="0"/></joint>'
    )


# A tree with two arms, turned frames, tilted axes, a fixed link in the middle, and a link without mass.
ROBOT = (
    '<robot name="tree">'
    + link("base", 3, "0.1 0 0.2", "0 0 0", (1, 2, 2.5, 0, 0, 0))
    + link("a", 2, "0.1 0.2 0.3", "0.3 0.2 0.1", (0.2, 0.3, 0.4, 0.01, 0.02, 0.03))
    + link("b", 1, "-0.1 0 0.1", "1 -2 3", (0.1, 0.15, 0.2, 0, 0.01, 0))
    + link("c", 0.5, "0 0.05 0", "0 0 0", (0.03, 0.02, 0.04, 0, 0, 0))
    + '<link name="bare"/>'
    + link("d", 0.7, "0.2 0 0", "0 1 0", (0.05, 0.06, 0.07, 0.001, 0, 0))
    + joint("ja", "revolute", "base", "a", "0 0 0.5", "0.1 0.2 0.3", "0 0 1")
    + joint("jb", "prismatic", "a", "b", "0.3 0 0", "-1 0.5 2", "1 2 -0.5")
    + joint("jf", "fixed", "a", "c", "0 0.4 0.1", "0.7 0.8 0.9", "1 0 0")
    + joint("jn", "revolute", "c", "bare", "0 0 0.2", "0 0 1", "0 1 0")
    + joint("jd", "revolute", "bare", "d", "0.1 0.1 0.1", "0 0.4 0", "1 1 1")
    + "</robot>"
)

STEP = 1e-4


class Pinocchio(unittest.TestCase):
    def test_tree(self):
        random = numpy.random.default_rng(3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tree.urdf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ROBOT)
            theirs = pinocchio.buildModelFromUrdf(path)
            data = theirs.createData()
            with touchstone.World(path) as ours:
                ours.set("integrator", "euler")
                ours.set("time_step", STEP)
                bodies = ours.body_names
                joints = ours.names("joint")
                # Theirs are sorted by name where ours follow the file.
                place = [theirs.joints[theirs.getJointId(name)].idx_v for name in joints]
                for _ in range(100):
                    q, v = random.normal(size=len(place)), random.normal(size=len(place))
                    ours.reset()
                    ours.qpos, ours.qvel = q, v
                    p, w = numpy.zeros(theirs.nq), numpy.zeros(theirs.nv)
                    p[place], w[place] = q, v
                    pinocchio.framesForwardKinematics(theirs, data, p)
                    ours.forward()
                    for index, name in enumerate(bodies):
                        if name == "world":
                            continue
                        frame = data.oMf[theirs.getBodyId(name)]
                        pose = ours.body_poses[index]
                        numpy.testing.assert_allclose(pose[:3], frame.translation, atol=1e-14)
                    bias = pinocchio.rnea(theirs, data, p, w, numpy.zeros(theirs.nv))[place]
                    numpy.testing.assert_allclose(ours.bias, bias, rtol=1e-9, atol=1e-9 * abs(bias).max())
                    expected = pinocchio.aba(theirs, data, p, w, numpy.zeros(theirs.nv))[place]
                    ours.step()
                    found = (numpy.array(ours.qvel) - v) / STEP
                    numpy.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


if __name__ == "__main__":
    unittest.main()
