"""Sensors against MuJoCo 4.0's at random states; skipped without its Python package."""

import glob
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import unittest

try:
    import mujoco
    import numpy
except ImportError:
    print("skipped: mujoco or numpy is not installed")
    sys.exit(77)

if int(mujoco.__version__.split(".")[0]) < 4:
    print("skipped: not MuJoCo 4")
    sys.exit(77)

import touchstone

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_against_mujoco import random_state

# Joints of all types, tendons of both, actuators on all of them; nothing touches anything.
MACHINE = """<option timestep="0.001" magnetic="0.1 -0.5 0.3"/><compiler angle="radian"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody><site name="post" pos="0 -0.2 1.3" euler="0.1 0.2 0.3"/>
<body name="a" pos="0 0 1"><joint name="ball" type="ball" range="0 1"/>
 <geom name="rod" type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/><site name="upper" pos="0.1 0.1 0" euler="1 2 3"/>
 <camera name="eye" pos="0.1 0.2 0.3" xyaxes="0 1 0 0 0 1"/>
 <body name="b" pos="0.4 0 0"><joint name="h" axis="0 1 0" range="-0.5 0.5" ref="0.1"/>
  <geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.02" mass="1"/><site name="lower" pos="0.3 0.02 0.15" quat="1 2 3 4"/>
  <body name="tip" pos="0.4 0 0.1" euler="0.3 0.4 0.5"><inertial pos="0.1 0.2 0.3" quat="1 0.2 0.3 0.4" mass="0.5" diaginertia="0.03 0.02 0.04"/>
  <site name="end" pos="0.1 0 0"/></body></body></body>
<body name="c" pos="0.7 0 1.4"><joint name="s" type="slide" axis="1 2 3" stiffness="10"/>
 <geom name="bob" size="0.05" mass="0.6"/><site name="cart" pos="0.1 0 0"/></body>
<body name="loose" pos="0 1 2"><freejoint/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0.05 0" mass="0.8"/><site name="free" pos="0.2 0 0.1"/></body>
<body name="fixed" pos="0 0 5"><geom size="0.1"/></body></worldbody><tendon>
<fixed name="sum" range="-0.5 0.5"><joint joint="h" coef="1.5"/><joint joint="s" coef="-2"/></fixed>
<spatial name="plain" stiffness="30" range="0.2 1.5"><site site="post"/><site site="lower"/><site site="cart"/></spatial></tendon>
<actuator><motor name="m" joint="h" gear="3"/><position name="p" tendon="plain" kp="30" kv="2" gear="2"/>
<velocity name="v" tendon="sum" kv="2" forcerange="-1 1"/><motor name="bm" joint="ball" gear="1 2 3"/></actuator>"""

SCALARS = """<jointpos joint="h"/><jointvel joint="h" cutoff="0.5"/><jointpos joint="s"/><jointactuatorfrc joint="h"/>
<jointactuatorfrc joint="s"/><jointlimitpos joint="h"/><jointlimitvel joint="h"/><jointlimitpos joint="ball"/>
<jointlimitvel joint="ball"/><ballquat joint="ball"/><ballangvel joint="ball"/><tendonpos tendon="sum"/><tendonvel tendon="sum"/>
<tendonpos tendon="plain"/><tendonvel tendon="plain"/><tendonactuatorfrc tendon="plain"/><tendonlimitpos tendon="plain"/>
<tendonlimitvel tendon="plain"/><tendonlimitpos tendon="sum"/><actuatorpos actuator="m"/><actuatorpos actuator="p"/>
<actuatorvel actuator="p"/><actuatorpos actuator="v"/><actuatorfrc actuator="v" cutoff="0.3"/><actuatorfrc actuator="p"/>
<actuatorpos actuator="bm"/><clock/><e_potential/><e_kinetic/>"""


FRAMES = (
    'objtype="site" objname="lower"',
    'objtype="site" objname="end"',
    'objtype="xbody" objname="b"',
    'objtype="body" objname="tip"',
    'objtype="body" objname="a"',
    'objtype="geom" objname="rod"',
    'objtype="camera" objname="eye"',
    'objtype="site" objname="free"',
    'objtype="xbody" objname="fixed"',
    'objtype="site" objname="post"',
)
REFERENCES = (
    "",
    'reftype="site" refname="upper"',
    'reftype="body" refname="tip"',
    'reftype="camera" refname="eye"',
    'reftype="xbody" refname="loose"',
)

# Shapes for rays and distances around an arm; the geoms of a ghost cannot be seen, a large box is met from inside.
GALLERY = """<option timestep="0.001"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<geom name="floor" type="plane" size="0 0 1" pos="0 0 -1"/><geom name="ball" size="0.3" pos="1 0 0.5"/>
<geom name="cap" type="capsule" size="0.1 0.3" pos="0 1 0.5" euler="20 30 40"/>
<geom name="ell" type="ellipsoid" size="0.3 0.2 0.1" pos="-1 0 0.5" euler="20 30 40"/>
<geom name="cyl" type="cylinder" size="0.2 0.4" pos="0 -1 0.5" euler="50 30 40"/>
<geom name="box" type="box" size="0.2 0.3 0.15" pos="1 1 0.5" euler="20 70 40"/>
<geom name="ghost" size="0.5" pos="0 0 1" rgba="1 1 1 0"/><geom name="around" type="box" size="3 3 3" pos="0 0 1"/>
<site name="zone" type="box" size="0.4 0.3 0.2" pos="0 0 0.5" euler="10 20 30"/><site name="zball" size="0.5"/>
<site name="zcyl" type="cylinder" size="0.4 0.3"/><site name="zell" type="ellipsoid" size="0.6 0.3 0.4"/>
<site name="zcap" type="capsule" size="0.3 0.4"/>
<body name="gun" pos="0 0 0.5" gravcomp="0.7"><joint type="ball"/><joint type="slide" axis="1 0 0"/>
 <geom name="g1" type="capsule" fromto="0 0 0 0.2 0 0" size="0.03" mass="1"/><geom name="g2" size="0.05" pos="0 0.3 0"/>
 <site name="muzzle" pos="0.1 0.1 0.1" euler="30 40 50"/><body name="arm" pos="0.2 0 0"><joint axis="0 1 0"/>
  <geom name="g3" type="box" size="0.1 0.02 0.02" pos="0.1 0 0" mass="0.5"/><geom name="g4" size="0.05" pos="0.2 0 0"/>
  <site name="wrist"/></body></body></worldbody>"""


def model_of(sensors, world=MACHINE):
    return f"<mujoco>{world}<sensor>{sensors}</sensor></mujoco>"


CORNERS = ((0, 0, 0), (0.01, 0, 0), (0, 0.01, 0), (0, 0, 0.01))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def write_mesh(path):
    """A small tetrahedron as OBJ or binary STL."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if path.lower().endswith(".stl"):
        body = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for i in face for x in CORNERS[i]), 0) for face in FACES)
        data = bytes(80) + struct.pack("<I", len(FACES)) + body
    else:
        lines = ["v %g %g %g" % corner for corner in CORNERS] + ["f %d %d %d" % tuple(i + 1 for i in face) for face in FACES]
        data = "\n".join(lines).encode()
    with open(path, "wb") as file:
        file.write(data)


def robots():
    """Model files with sensors below TOUCHSTONE_DATA/robots, with small stand-ins for meshes that did not come with them."""
    root = os.path.join(os.environ.get("TOUCHSTONE_DATA", ""), "robots")
    for folder in sorted(glob.glob(os.path.join(root, "*", ""))):
        texts = {str(path): path.read_text() for path in pathlib.Path(folder).glob("*.xml")}
        if not any("<sensor>" in text for text in texts.values()):
            continue
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            for text in texts.values():
                directory = re.search(r'meshdir="([^"]*)"', text)
                for name in re.findall(r'<mesh[^>]*file="([^"]*)"', text):
                    path = os.path.join(copy, directory.group(1) if directory else "", name)
                    if not os.path.exists(path):
                        write_mesh(path)
            for path in sorted(texts):
                path = os.path.join(copy, os.path.basename(path))
                try:
                    model = mujoco.MjModel.from_xml_path(path)
                    world = touchstone.World(path)
                except (ValueError, touchstone.TouchstoneError):
                    continue
                with world:
                    if model.nsensor > 0 and len(world.qpos) == model.nq:
                        yield os.path.join(os.path.basename(folder[:-1]), os.path.basename(path)), model, world


class SensorsAgainstMujoco(unittest.TestCase):
    def compare(self, model, world, states, which=lambda kind: True, solve=False):
        """The largest difference of all numbers of sensors that `which` picks, relative to the sensor's largest, at most 1e-9."""
        data, rng, kinds = mujoco.MjData(model), numpy.random.default_rng(3), world.names("sensor")
        self.assertEqual(len(kinds), model.nsensor)
        self.assertEqual(len(world.sensor), model.nsensordata)
        picked = [i for i in range(model.nsensor) if which(mujoco.mjtSensor(model.sensor_type[i]).name)]
        for _ in range(states if picked else 0):
            random_state(model, data, rng)
            mujoco.mj_forward(model, data)
            world.qpos, world.qvel, world.ctrl, world.act = data.qpos, data.qvel, data.ctrl, data.act
            world.forward(solve=solve)
            here = world.sensor
            for i in picked:
                span = slice(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i])
                there = data.sensordata[span]
                numpy.testing.assert_allclose(
                    here[span],
                    there,
                    rtol=0,
                    atol=1e-9 * max(1.0, numpy.abs(there).max()),
                    err_msg=f"{mujoco.mjtSensor(model.sensor_type[i]).name} {i} {kinds[i]}",
                )
        return len(picked)

    def compare_text(self, text, states=100, **how):
        with touchstone.World(mjcf=text) as world:
            self.compare(mujoco.MjModel.from_xml_string(text), world, states, **how)

    def test_joints_tendons_actuators_and_energies(self):
        self.compare_text(model_of(SCALARS))

    def test_frames(self):
        seen = [
            f"<{kind} {frame} {reference}/>"
            for kind in ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
            for frame in FRAMES
            for reference in REFERENCES
        ]
        self.compare_text(model_of("".join(seen)))

    def test_instruments_and_subtrees(self):
        sites = [
            f'<{kind} site="{site}"/>'
            for kind in ("gyro", "velocimeter", "magnetometer")
            for site in ("lower", "end", "upper", "cart", "free", "post")
        ]
        bodies = [
            f'<{kind} body="{body}"/>'
            for kind in ("subtreecom", "subtreelinvel", "subtreeangmom")
            for body in ("world", "a", "b", "tip", "c", "loose", "fixed")
        ]
        self.compare_text(model_of("".join(sites + bodies)))

    def test_accelerations_and_forces(self):
        """Where no force depends on the velocity at the end of the step: without dampers, springs of joints, and limits."""
        world = MACHINE
        for gone in ('range="-0.5 0.5"', 'range="0.2 1.5"', 'range="0 1"', ' kv="2"', ' stiffness="10"'):
            world = world.replace(gone, "")
        world = world.replace("<velocity", "<motor").replace("<option", '<option integrator="Euler"')
        sensors = [f"<{kind} {frame}/>" for kind in ("framelinacc", "frameangacc") for frame in FRAMES] + [
            f'<{kind} site="{site}"/>'
            for kind in ("accelerometer", "force", "torque")
            for site in ("lower", "end", "upper", "cart", "free")
        ]
        with touchstone.World(mjcf=model_of("".join(sensors), world)) as ours:
            self.compare(mujoco.MjModel.from_xml_string(model_of("".join(sensors), world)), ours, 100, solve=True)
        arm = [f'<{kind} site="{site}"/>' for kind in ("force", "torque") for site in ("muzzle", "wrist")]
        arm = model_of("".join(arm), GALLERY.replace("<option", '<option integrator="Euler"'))
        self.compare_text(arm, solve=True)

    def test_rays_sites_and_distances(self):
        """Distances where both have formulas: what MuJoCo iterates is good to its own tolerance only."""
        sensors = ['<rangefinder site="muzzle"/>', '<rangefinder site="wrist" cutoff="0.5"/>', '<e_potential/>']
        sensors += ['<rangefinder site="muzzle" data="dist dir origin point normal depth"/>', '<rangefinder site="zone" data="dist normal"/>']
        for zone in ("zone", "zball", "zcyl", "zell", "zcap"):
            for what in ('site" objname="muzzle', 'geom" objname="g3', 'body" objname="arm', 'xbody" objname="arm'):
                sensors.append(f'<insidesite site="{zone}" objtype="{what}"/>')
        pairs = [("ball", "g1"), ("ball", "g2"), ("ball", "g3"), ("cap", "g1"), ("cap", "g2"), ("box", "g2"), ("g2", "floor"), ("g1", "floor")]
        for kind in ("distance", "normal", "fromto"):
            sensors += [f'<{kind} geom1="{a}" geom2="{b}" cutoff="3"/>' for a, b in pairs]
        sensors += ['<distance body1="arm" geom2="floor" cutoff="0.6"/>', '<normal body1="arm" geom2="floor" cutoff="3"/>']
        self.compare_text(model_of("".join(sensors), GALLERY))

    @unittest.skipUnless(os.environ.get("TOUCHSTONE_DATA"), "TOUCHSTONE_DATA is not set")
    def test_robots(self):
        """What robots have, but for what follows from contacts, and rays, which planes with an end stop here only."""
        of_steps = ("TOUCH", "ACCELEROMETER", "FORCE", "TORQUE", "FRAMELINACC", "FRAMEANGACC", "CONTACT", "LIMITFRC", "RANGE")
        found = 0
        for name, model, world in robots():
            with self.subTest(robot=name):
                found += self.compare(model, world, 100, which=lambda kind: not any(word in kind for word in of_steps))
        self.assertGreater(found, 20)


if __name__ == "__main__":
    unittest.main()
