"""Robots of the folder TOUCHSTONE_DATA: standing without creeping, loops that stay closed, energy of free motion.

Standing: position servos hold a pose for a minute on level ground and on a slope of ten degrees (gravity is turned, the
floor stays level); feet may not move by a thousandth of a millimetre in the second half. Two-legged robots lean into the
slope by their ankles. Their torques are motors in their files, so the servos with the gains below take their place."""

import math
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import numpy

import touchstone

DATA = os.environ.get("TOUCHSTONE_DATA", "")
ROBOTS = os.path.join(DATA, "robots")
if not DATA or not os.path.isdir(ROBOTS):
    print("skipped: TOUCHSTONE_DATA names no folder with robots")
    sys.exit(77)

SECONDS = 60.0
CREEP = 1e-6  # m in the second half
GRAVITY = 9.81


def resolved(path):
    """The document with its includes in place."""
    root = xml.parse(path).getroot()
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "include":
                at = list(parent).index(child)
                parent.remove(child)
                for i, part in enumerate(resolved(os.path.join(os.path.dirname(path), child.get("file")))):
                    parent.insert(at + i, part)
    return root


def document(path):
    """The model of a file, with asset folders that hold from anywhere."""
    root = resolved(path)
    folder = os.path.dirname(path)
    for compiler in root.iter("compiler"):
        if compiler.get("meshdir"):
            compiler.set("meshdir", os.path.join(folder, compiler.get("meshdir")))
    return root


def world(root):
    """A world of a document; its file is gone at once."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml", delete=False) as file:
        file.write(xml.tostring(root, encoding="unicode"))
    try:
        return touchstone.World(file.name)
    finally:
        os.unlink(file.name)


def servos(root, gains):
    """Position servos, gains by joint (kp N m/rad, kv N m s/rad), in place of the file's actuators."""
    for old in ("actuator", "sensor"):
        for part in root.findall(old):
            root.remove(part)
    for key in root.iter("key"):
        key.attrib.pop("ctrl", None)
    actuators = xml.SubElement(root, "actuator")
    for name, (kp, kv) in gains.items():
        xml.SubElement(actuators, "position", name=name, joint=name, kp=str(kp), kv=str(kv))


def four_legs(names, angles):
    return {leg + joint: angle for leg in names for joint, angle in angles.items()}


def sides(angles):
    return {f"{side}_{joint}": angle for side in ("left", "right") for joint, angle in angles.items()}


H1_LEGS = sides({"hip_yaw": 0, "hip_roll": 0, "hip_pitch": -0.4, "knee": 0.8, "ankle": -0.4}) | {"torso": 0}
H1_ARMS = sides({"shoulder_pitch": 0, "shoulder_roll": 0, "shoulder_yaw": 0, "elbow": 0})
GO2 = four_legs(("FL_", "FR_", "RL_", "RR_"), {"hip_joint": 0, "thigh_joint": 0.9, "calf_joint": -1.8})
ANYMAL = four_legs(("LF_", "RF_"), {"HAA": 0, "HFE": 0.5236, "KFE": -0.7854}) | four_legs(
    ("LH_", "RH_"), {"HAA": 0, "HFE": -0.5236, "KFE": 0.7854}
)


class Stander:
    def __init__(self, file, feet, pose, gains=None, ankles=()):
        self.file, self.feet, self.pose, self.gains, self.ankles = file, feet, pose, gains, ankles


STANDERS = {
    "go2": Stander("unitree_go2/scene.xml", ("FL_calf", "FR_calf", "RL_calf", "RR_calf"), GO2, dict.fromkeys(GO2, (100, 2))),
    "anymal_c": Stander("anybotics_anymal_c/scene.xml", ("LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK"), ANYMAL),
    "h1": Stander(
        "unitree_h1/scene.xml",
        ("left_ankle_link", "right_ankle_link"),
        H1_LEGS | H1_ARMS,
        dict.fromkeys(H1_LEGS, (20000, 400)) | dict.fromkeys(H1_ARMS, (500, 20)),
        ("left_ankle", "right_ankle"),
    ),
    "talos": Stander(
        "pal_talos/scene_position.xml",
        ("leg_left_6_link", "leg_right_6_link"),
        {},
        None,
        ("leg_left_5_joint", "leg_right_5_joint"),
    ),
}


def put_on_the_ground(w, q):
    """Lowers a robot, whose first joint is free, to where it begins to touch."""
    floor = w.names("geom").index("floor")
    low, high = 0.0, 3.0
    for _ in range(40):
        q[2] = 0.5 * (low + high)
        w.qpos = q
        w.forward()
        low, high = (q[2], high) if (w.contacts.geoms == floor).any() else (low, q[2])
    q[2] = low
    w.qpos = q


def start(robot, slope):
    root = document(os.path.join(ROBOTS, robot.file))
    xml.SubElement(root, "option", gravity=f"{GRAVITY * math.sin(slope)!r} 0 {-GRAVITY * math.cos(slope)!r}")
    if robot.gains:
        servos(root, robot.gains)
    w = world(root)
    q = w.qpos
    place = {name: 6 + i for i, name in enumerate(w.names("joint")) if i > 0}  # a free joint, then hinges
    for joint, angle in robot.pose.items():
        q[place[joint]] = angle
    lean = slope if robot.ankles else 0.0
    q[3:7] = [math.cos(lean / 2), 0, -math.sin(lean / 2), 0]
    for joint in robot.ankles:
        q[place[joint]] += lean
    put_on_the_ground(w, q)
    ctrl = w.ctrl
    for i, name in enumerate(w.names("actuator")):
        ctrl[i] = q[place[name.removesuffix("_position")]]
    w.ctrl = ctrl
    return w


class Standing(unittest.TestCase):
    def stand(self, name, degrees):
        robot = STANDERS[name]
        if not os.path.exists(os.path.join(ROBOTS, robot.file)):
            self.skipTest(f"no {robot.file}")
        with start(robot, math.radians(degrees)) as w:
            feet = [w.body_names.index(foot) for foot in robot.feet]
            height = w.body_poses[1, 2]
            while w.time < 0.5 * SECONDS:
                w.step(100)
                self.assertEqual(w.report.status, "converged")
            before, creep = w.body_poses[feet, :3], 0.0
            while w.time < SECONDS:
                w.step(100)
                creep = max(creep, numpy.linalg.norm(w.body_poses[feet, :3] - before, axis=1).max())
            print(f"{name}, {degrees} degrees: {1e3 * creep:.1e} mm")
            self.assertLess(creep, CREEP)
            self.assertGreater(w.body_poses[1, 2], 0.8 * height)  # it has not fallen


for robot_name in STANDERS:
    for slope_degrees in (0, 10):
        setattr(
            Standing,
            f"test_{robot_name}_{slope_degrees}",
            lambda self, n=robot_name, d=slope_degrees: self.stand(n, d),
        )


def rotation(q):
    w, x, y, z = q
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Holding(unittest.TestCase):
    def test_a_hand_holds_a_ball_under_itself(self):
        """Fingers close around a ball of 100 g in the palm; then down is where the palm looks."""
        path = os.path.join(ROBOTS, "wonik_allegro", "scene_right.xml")
        if not os.path.exists(path):
            self.skipTest("no allegro hand")
        root = document(path)
        (ball,) = (body for body in root.iter("body") if body.get("name") == "object")
        ball.set("pos", "0.02 0 0.05")
        ball.find("geom").attrib.update(type="sphere", size="0.035", mass="0.1")
        bend = {"th": (1.3, 0.4, 0.6, 0.8)} | dict.fromkeys(("ff", "mf", "rf"), (0, 1.4, 1.4, 0.98))
        with world(root) as w:
            w.ctrl = [bend[name[:2]][int(name[3])] for name in w.names("actuator")]
            w.set("gravity", (0, 0, 0))
            while w.time < 1.0:
                w.step(50)
            w.set("gravity", (0, 0, GRAVITY))
            body, floor = w.body_names.index("object"), w.names("geom").index("floor")
            while w.time < 0.5 * SECONDS:
                w.step(100)
                self.assertEqual(w.report.status, "converged")
            before, creep = w.body_poses[body, :3], 0.0
            while w.time < SECONDS:
                w.step(100)
                creep = max(creep, numpy.linalg.norm(w.body_poses[body, :3] - before))
            print(f"allegro: {1e3 * creep:.1e} mm")
            self.assertLess(creep, CREEP)
            self.assertGreaterEqual(len(w.contacts), 3)
            self.assertFalse((w.contacts.geoms == floor).any())
            self.assertLess(numpy.linalg.norm(before), 0.1)


class Loops(unittest.TestCase):
    def test_cassie_stays_closed(self):
        """The four rods of its legs, while it falls and for a minute: within 1e-8 m."""
        path = os.path.join(ROBOTS, "agility_cassie", "scene.xml")
        if not os.path.exists(path):
            self.skipTest("no cassie")
        root = document(path)
        (home,) = (key for keys in root.findall("keyframe") for key in keys if key.get("name") == "home")
        for keys in root.findall("keyframe"):
            root.remove(keys)
        with world(root) as w:
            names, poses = list(w.body_names), w.body_poses
            loops = []
            for connect in root.iter("connect"):
                a, b = names.index(connect.get("body1")), names.index(connect.get("body2"))
                anchor = numpy.array([float(x) for x in connect.get("anchor").split()])
                place = poses[a, :3] + rotation(poses[a, 3:]) @ anchor
                loops.append((a, anchor, b, rotation(poses[b, 3:]).T @ (place - poses[b, :3])))
            self.assertEqual(len(loops), 4)

            def widest():
                p = w.body_poses
                return max(
                    numpy.linalg.norm(p[a, :3] + rotation(p[a, 3:]) @ x - p[b, :3] - rotation(p[b, 3:]) @ y)
                    for a, x, b, y in loops
                )

            w.qpos = [float(x) for x in home.get("qpos").split()]
            given, late = widest(), 0.0
            unsolved = 0
            while w.time < SECONDS:
                w.step(20)
                unsolved += w.report.status != "converged"
                if w.time > 1.0:  # the keyframe itself is open by two millimetres
                    late = max(late, widest())
            print(f"cassie: {given:.1e} m in the keyframe, {late:.1e} m after a second and on; {unsolved} unsolved")
            self.assertLess(late, 1e-8)
            self.assertEqual(unsolved, 0)


def free(root):
    """Takes away all that takes energy, and what gives some."""
    for joint in root.iter("joint"):
        for loss in ("damping", "frictionloss", "range", "limited", "margin"):
            joint.attrib.pop(loss, None)
    for geom in root.iter("geom"):
        geom.attrib.update(contype="0", conaffinity="0")
    for tag in ("actuator", "equality", "contact", "sensor", "tendon", "keyframe", "custom"):
        for part in root.findall(tag):
            root.remove(part)


class Energy(unittest.TestCase):
    """Robots in free motion keep their energy to the order of the integrator: halving the step divides the error by 2 under
    euler and by 16 under rk4, to where rounding begins."""

    def drift(self, root, integrator, step):
        with world(root) as w:
            w.set("integrator", integrator)
            w.set("time_step", step)
            w.qvel = numpy.clip(numpy.random.default_rng(3).standard_normal(w.nv), -2, 2)
            w.forward()
            before = w.report
            w.step(round(0.1 / step))
            w.forward()
            after = w.report
            change = after.kinetic + after.potential - before.kinetic - before.potential
            return abs(change) / max(before.kinetic, after.kinetic)

    def test_all(self):
        found = 0
        for folder in sorted(os.listdir(ROBOTS)):
            inside = os.path.join(ROBOTS, folder)
            for file in sorted(os.listdir(inside)) if os.path.isdir(inside) else ():
                if not (file.startswith("scene") and file.endswith(".xml")):
                    continue
                root = document(os.path.join(inside, file))
                free(root)
                with self.subTest(robot=folder, file=file):
                    found += 1
                    euler = [self.drift(root, "euler", h) for h in (5e-4, 2.5e-4)]
                    rk4 = [self.drift(root, "rk4", h) for h in (5e-4, 2.5e-4)]
                    print(f"{folder}/{file}: euler {euler[0]:.1e} {euler[1]:.1e}, rk4 {rk4[0]:.1e} {rk4[1]:.1e}")
                    self.assertLess(abs(euler[0] / euler[1] - 2), 0.2)
                    self.assertTrue(rk4[1] < 1e-12 or rk4[0] / rk4[1] > 10)
        self.assertGreater(found, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
