"""The Python package as its user meets it."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)

import touchstone

BALL = """<mujoco><option timestep="0.001" gravity="0 0 -10"/><worldbody>
<geom type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""

# Two boxes on each other, an island, and one that its file keeps awake.
SLEEPERS = """<mujoco><option timestep="0.002" gravity="0 0 -10" sleep_tolerance="0.002"><flag sleep="enable"/></option><worldbody>
<geom type="plane" size="9 9 1"/>
<body name="low" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
<body name="high" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
<body name="guard" pos="3 0 0.1" sleep="never"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
</worldbody></mujoco>"""


def slide(log, steps):
    """A box that rests on each of four feet for a second step and creeps at 2 mm/s in the others."""
    for i in range(steps):
        log.step(0.01 * (i + 1), 0.01)
        for foot in range(4):
            log.add((0, 0, 1), 0.0, 0.5, (0, 0, 0.1), (0.002 * (i % 2), 0, 0), "flöor", f"foot, {foot}", position=(foot, 0, 0))


class ContactLogTest(unittest.TestCase):
    def judge(self, path):
        program = os.environ.get("TOUCHSTONE_PROGRAM", "touchstone")
        done = subprocess.run([program, "judge", path, "--json"], capture_output=True, text=True)
        if "TS_HDF5" in done.stderr:
            self.skipTest("touchstone is built without HDF5")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["judged"]

    def test_both_formats_are_judged_alike(self):
        try:
            import h5py  # noqa: F401
        except ImportError as missing:
            self.skipTest(str(missing))
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for name in ("log.csv", "log.h5", "log.HDF5"):
                path = os.path.join(folder, name)
                with touchstone.ContactLog(path) as log:
                    slide(log, 2501)  # more than is written at once
                found.append(self.judge(path))
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertEqual((found[0]["steps"], found[0]["contacts"], found[0]["obeyed_by"]["ncp"]), (2501, 10004, 5004))
        creep = next(f for f in found[0]["findings"] if f["finding"] == "creep")
        self.assertAlmostEqual(creep["worst"], 0.002, places=12)
        self.assertEqual(creep["who"], "flöor - foot_ 0")

    def test_without_h5py_it_says_so(self):
        hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "h5py"}
        sys.modules["h5py"] = None
        try:
            with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(ImportError, "h5py"):
                touchstone.ContactLog(os.path.join(folder, "log.h5"))
        finally:
            del sys.modules["h5py"]
            sys.modules.update(hidden)


class TouchstoneTest(unittest.TestCase):
    def test_lists(self):
        self.assertIn("ncp-pgs", touchstone.solvers())
        self.assertIn("sliding-cube", touchstone.scenes())

    def test_free_fall_is_the_discrete_parabola(self):
        with touchstone.World(mjcf=BALL) as world:
            n = 300
            world.step(n)
            self.assertAlmostEqual(world.time, 0.3, places=12)
            # Semi-implicit: z_n = 1 - g h^2 n (n + 1) / 2.
            self.assertAlmostEqual(world.qpos[2], 1.0 - 10e-6 * n * (n + 1) / 2, places=12)
            self.assertEqual(len(world.contacts), 0)

    def test_a_tie_is_let_go_and_taken_up_again(self):
        tied = BALL.replace("</mujoco>", "<equality><connect body1='ball' anchor='0 0 0'/></equality></mujoco>")
        with touchstone.World(mjcf=tied) as world:
            world.step(100)
            self.assertAlmostEqual(world.qpos[2], 1.0, places=6)
            held = world.save()
            start, world.equality_active = world.qpos[2], numpy.array([False])
            n = 200
            speed = world.qvel[2]
            world.step(n)
            self.assertAlmostEqual(world.qpos[2], start + n * 1e-3 * speed - 10e-6 * n * (n + 1) / 2, places=12)
            world.restore(held)
            self.assertEqual(world.equality_active.tolist(), [True])
            world.step(100)
            self.assertAlmostEqual(world.qpos[2], 1.0, places=6)
            for wrong in ([1], [True, True], 1.0):
                with self.assertRaises(ValueError):
                    world.equality_active = wrong
        with touchstone.World(mjcf=BALL) as world:
            self.assertEqual(len(world.equality_active), 0)

    def test_a_resting_ball_is_carried_by_its_weight(self):
        with touchstone.World(mjcf=BALL, solver="ncp-pgs") as world:
            q = world.qpos
            q[2] = 0.1
            world.qpos = q
            world.step(10)
            contacts = world.contacts
            self.assertEqual(len(contacts), 1)
            self.assertTrue(numpy.isfinite(world.body_poses).all())
            self.assertEqual(len(world.contacts), 1)  # looking at poses forgets nothing
            numpy.testing.assert_allclose(contacts.normal[0], [0, 0, 1], atol=1e-12)
            numpy.testing.assert_allclose(contacts.impulse[0], [0, 0, 2 * 10 * 0.001], atol=1e-9)
            numpy.testing.assert_allclose(world.body_poses[1, :3], [0, 0, 0.1], atol=1e-9)
            self.assertLess(world.report.natural, 1e-6)
            self.assertEqual(world.body_names[1], "ball")
            # Of what there is nothing of there are zeros.
            numpy.testing.assert_array_equal(world.force_actuator, numpy.zeros(6))
            numpy.testing.assert_array_equal(world.force_fluid, numpy.zeros(6))

    def test_what_is_quiet_for_ten_steps_sleeps_where_its_file_says_so(self):
        with touchstone.World(mjcf=SLEEPERS) as world:
            world.step(5)
            self.assertEqual([world.sleep(b)[0] for b in ("low", "high", "guard")], ["settles", "settles", "never"])
            world.step(5)
            self.assertEqual([world.sleep(b)[0] for b in ("low", "high", "guard")], ["asleep", "asleep", "never"])
            where = world.qpos.tolist()
            world.step(50)
            self.assertEqual(world.qpos.tolist()[:14], where[:14])
            world.wake("low")
            world.step(1)
            for body in ("low", "high"):  # the island wakes as a whole
                word, why = world.sleep(body)
                self.assertEqual(word, "settles", why)
                self.assertIn("woken at", why)
        with touchstone.World(mjcf=SLEEPERS.replace('sleep="enable"', 'sleep="disable"')) as world:
            world.step(50)
            self.assertEqual(world.sleep("low")[0], "off")
        # A box that slides is awake because it moves.
        with touchstone.World(mjcf=SLEEPERS) as world:
            v = world.qvel
            v[0] = 0.5
            world.qvel = v
            world.step(2)
            self.assertEqual([world.sleep(b)[0] for b in ("low", "guard")], ["moves", "never"])

    def test_the_program_says_who_sleeps(self):
        program = os.environ.get("TOUCHSTONE_PROGRAM", "touchstone")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sleepers.xml")
            with open(path, "w") as file:
                file.write(SLEEPERS)
            done = subprocess.run([program, "run", path, "--time", "0.1", "--json"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = json.loads(done.stdout)["sleep"]
        self.assertEqual((told["trees"], told["asleep"], told["awake"]), (3, 2, {"never": 1}))
        self.assertEqual([(b["body"], b["reason"]) for b in told["bodies_awake"]], [("guard", "never")])

    def test_sliding_cube_decelerates_by_mu_g(self):
        with touchstone.World("sliding-cube", solver="ncp-pgs") as world:
            world.step(100)
            self.assertAlmostEqual(world.qvel[1], 1.0 - 0.4 * 9.81 * 0.1, places=8)

    def test_reset_repeats_the_same_bits(self):
        with touchstone.World("sliding-cube-rotated", solver="lcp-pgs") as world:
            world.step(50)
            first = world.hash
            world.reset()
            world.step(50)
            self.assertEqual(world.hash, first)

    def test_dynamics_of_a_pendulum(self):
        """A point mass of 2 kg, 0.5 m below a hinge, at 0.3 rad: textbook formulas."""
        text = """<mujoco><option gravity="0 0 -10"/><worldbody><body name="arm"><joint axis="0 -1 0" armature="0.1"/>
        <inertial pos="0 0 -0.5" mass="2" diaginertia="1e-9 1e-9 1e-9"/><site name="tip" pos="0 0 -1"/></body></worldbody></mujoco>"""
        with touchstone.World(mjcf=text) as world:
            q, v, inertia = 0.3, 2.0, 2 * 0.25 + 0.1
            world.qpos, world.qvel = [q], [v]
            d, weight = world.dynamics, 2 * 10 * 0.5 * numpy.sin(q)
            near = lambda a, b: numpy.testing.assert_allclose(a, b, rtol=0, atol=1e-8)
            near(d.mass_matrix(), [[inertia]])
            near(d.inverse(), [weight])
            near(d.inverse([3.0]), [weight + 3.0 * inertia])
            near(d.forward([4.0]), [(4.0 - weight) / inertia])
            near(d.inverse_derivatives()[0], [[2 * 10 * 0.5 * numpy.cos(q)]])
            near(d.forward_derivatives()[0], -numpy.linalg.solve(d.mass_matrix(), d.inverse_derivatives()[0]))
            near(d.forward_derivatives()[2] @ d.mass_matrix(), [[1]])
            linear, angular = d.jacobian(site="tip")
            near(linear, [[numpy.cos(q)], [0], [numpy.sin(q)]])
            near(angular, [[0], [-1], [0]])
            near(d.jacobian(site="tip", rate=True)[0], [[-v * numpy.sin(q)], [0], [v * numpy.cos(q)]])
            near(d.jacobian_bias(site=0)[0], [-v * v * numpy.sin(q), 0, v * v * numpy.cos(q)])
            near(d.jacobian(centre="arm")[0], linear / 2)
            c = d.centroidal()
            near(c.mass, 2)
            near(c.centre, [0.5 * numpy.sin(q), 0, -0.5 * numpy.cos(q)])
            near(c.momentum[3:], 2 * 0.5 * v * numpy.array([numpy.cos(q), 0, numpy.sin(q)]))
            near(c.matrix @ world.qvel, c.momentum)
            near(c.jacobian @ world.qvel, c.velocity)
            near(c.bias[3:], 2 * 0.5 * v * v * numpy.array([-numpy.sin(q), 0, numpy.cos(q)]))
            with self.assertRaises(touchstone.TouchstoneError):
                d.jacobian(body="leg")
            with self.assertRaises(TypeError):
                d.jacobian()
            with self.assertRaises(ValueError):
                d.inverse([1.0, 2.0])

    def test_controllers_are_chosen_and_set(self):
        far = []
        for speed in (0.2, 0.4):
            with touchstone.World("quadruped") as world:
                world.set("controller.speed", speed)
                world.step(1000)
                far.append(world.qpos[0])
        self.assertGreater(far[1], 1.7 * far[0])
        with touchstone.World("quadruped") as world:
            world.set("controller", "hold")
            world.step(1000)
            self.assertLess(abs(world.qpos[0]), 1e-3)
            for name, value in (("controller", "gallop"), ("controller.speed", 1), ("controller", "turn")):
                with self.assertRaises(touchstone.TouchstoneError):
                    world.set(name, value)

    def test_a_batch_is_each_alone(self):
        speeds = numpy.linspace(-1.0, 1.0, 5)
        for threads in 1, 2:
            with touchstone.Batch(mjcf=BALL, count=5, threads=threads) as batch:
                qpos, qvel = batch.qpos, batch.qvel
                qpos[:, 2], qvel[:, 0] = 0.12, speeds
                batch.qpos, batch.qvel = qpos, qvel
                batch.set("gravity", [0, 0, -1.6], index=3)
                self.assertEqual(batch.step(100), 0)
                self.assertEqual(batch.failures, {})
                for i, speed in enumerate(speeds):
                    with touchstone.World(mjcf=BALL) as world:
                        world.qpos, world.qvel = qpos[i], qvel[i]
                        if i == 3:
                            world.set("gravity", [0, 0, -1.6])
                        world.step(100)
                        self.assertEqual(world.hash, batch.hash(i))
                        numpy.testing.assert_array_equal(world.qpos, batch.qpos[i])

    def test_a_batch_is_driven(self):
        text = """<mujoco><worldbody><body><joint name="j" type="slide"/><geom size="0.1" mass="1"/></body></worldbody>
        <actuator><position name="p" joint="j" kp="30" kv="2" timeconst="0.05"/></actuator></mujoco>"""
        with touchstone.Batch(mjcf=text, count=4, threads=2) as batch:
            ctrl, act = numpy.array([[0.1], [0.2], [-0.4], [0.0]]), numpy.array([[0.0], [0.3], [0.0], [0.1]])
            batch.ctrl, batch.act = ctrl, act
            self.assertEqual(batch.step(50), 0)
            for i in range(4):
                with touchstone.World(mjcf=text) as world:
                    world.ctrl, world.act = ctrl[i], act[i]
                    world.step(50)
                    self.assertEqual(world.hash, batch.hash(i))
                    numpy.testing.assert_array_equal(world.act, batch.act[i])
            with self.assertRaises(ValueError):
                batch.ctrl = numpy.zeros((4, 2))

    def test_sensors_by_name_and_in_batches(self):
        text = BALL.replace("</body></worldbody>", """<site name="s"/></body></worldbody><sensor><accelerometer name="a" site="s"/>
        <velocimeter name="v" site="s"/><clock/></sensor>""").replace('type="sphere"', 'name="g" type="sphere"')
        with touchstone.World(mjcf=text) as world:
            world.step(10)
            self.assertEqual(world.names("sensor"), ["a", "v", ""])
            with self.assertRaisesRegex(ValueError, "'sensors'"):
                world.names("sensors")
            numpy.testing.assert_allclose(world.sensors["a"], 0, atol=1e-9)
            numpy.testing.assert_allclose(world.sensors["v"], [0, 0, -0.1], atol=1e-12)
            numpy.testing.assert_allclose(world.sensor[6], 0.01, atol=1e-15)
            world.qpos = [0, 0, 0.1, 1, 0, 0, 0]
            world.qvel = numpy.zeros(6)
            world.forward(solve=True)
            numpy.testing.assert_allclose(world.sensors["a"], [0, 0, 10], atol=1e-6)
            self.assertAlmostEqual(world.time, 0.01)
        with touchstone.Batch(mjcf=text, count=3, threads=2) as batch:
            batch.qvel = numpy.outer([1, 2, 3], [1, 0, 0, 0, 0, 0])
            self.assertEqual(batch.sensor.shape, (3, 7))
            numpy.testing.assert_allclose(batch.sensor[:, 3], [1, 2, 3], atol=1e-15)

    def test_forces_by_where_they_come_from(self):
        text = """<mujoco><option gravity="0 0 -10"/><worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="box" pos="0 0 0.1">
        <freejoint name="root"/><geom type="box" size="0.1 0.1 0.1" mass="3"/></body><body name="cart" pos="5 0 1"><joint name="x" type="slide"
        axis="1 0 0" damping="2"/><geom size="0.1" mass="1"/></body></worldbody><actuator><motor joint="x"/></actuator></mujoco>"""
        with touchstone.World(mjcf=text) as world:
            world.step(500)
            world.ctrl = [4.0]
            world.force = [0, 0, 0, 0, 0, 0, 1.0]
            forces = world.qfrc
            self.assertEqual(forces.names, ["root"] * 6 + ["x"])
            numpy.testing.assert_allclose(forces.constraint, [0, 0, 30, 0, 0, 0, 0], atol=1e-5)
            at = forces.of("x")
            self.assertAlmostEqual(at["actuator"][0], 4.0)
            self.assertAlmostEqual(at["applied"][0], 1.0)
            self.assertAlmostEqual(at["passive"][0], -2.0 * 0.002 * at["acceleration"][0])
            numpy.testing.assert_allclose(forces.bias[:6], [0, 0, 30, 0, 0, 0], atol=1e-12)
            contacts = world.contacts
            self.assertEqual(set(contacts.names), {("floor", "geom 1")})
            self.assertEqual(set(contacts.bodies), {("world", "box")})
            with self.assertRaises(KeyError):
                forces.of("y")

    def test_a_ledger_of_a_sliding_cube(self):
        with touchstone.World("sliding-lift", solver="ncp") as world:
            self.assertIsNone(world.ledger)
            world.keep_ledger()
            world.step(200)
            ledger = world.ledger
            self.assertEqual(ledger.steps, 200)
            self.assertAlmostEqual(ledger.total["contact_friction"], world.report.kinetic - 18.0, places=9)
            self.assertAlmostEqual(ledger.in_and_out["contact_friction"], -ledger.total["contact_friction"])
            self.assertAlmostEqual(ledger.work["contact_friction"], -0.5 * 9.81e-3 * (world.qvel[0] + 0.5 * 0.5 * 9.81e-3), places=9)
            self.assertEqual(ledger.total["actuator"], 0.0)
            self.assertLess(ledger.remainder, 1e-12 * ledger.turned_over)
            self.assertEqual(ledger.outside, 0.0)
            world.keep_ledger(False)
            self.assertIsNone(world.ledger)

    def test_a_saved_state_goes_on_bit_by_bit(self):
        with touchstone.World("sliding-cube-rotated") as world, touchstone.World("sliding-cube-rotated") as other:
            world.step(30)
            state = world.save()
            world.step(40)
            later = world.hash
            world.restore(state)
            world.step(40)
            self.assertEqual(world.hash, later)
            other.restore(state)
            other.step(40)
            self.assertEqual(other.hash, later)
            with self.assertRaisesRegex(touchstone.TouchstoneError, "snapshot"):
                world.restore(b"nothing")
            with touchstone.World(mjcf=BALL) as ball, self.assertRaises(touchstone.TouchstoneError):
                ball.restore(state[: len(state) // 2])

    def test_wrong_use_of_a_batch_raises(self):
        with self.assertRaisesRegex(touchstone.TouchstoneError, "0 simulations"):
            touchstone.Batch("sliding-cube", count=0)
        with touchstone.Batch("sliding-cube", count=2) as batch:
            with self.assertRaises(ValueError):
                batch.qpos = numpy.zeros((3, 7))
            with self.assertRaises(IndexError):
                batch.set("gravity", [0, 0, 0], index=2)
            with self.assertRaises(touchstone.TouchstoneError):
                batch.set("gravty", [0, 0, 0])
        with self.assertRaisesRegex(touchstone.TouchstoneError, "closed"):
            batch.step()

    def test_things_say_what_they_are(self):
        with touchstone.World("stack-10") as world, touchstone.Batch("stack-10", count=3) as batch:
            self.assertEqual(repr(world), "<touchstone.World 'stack-10': time=0, nq=70, nv=60, bodies=11>")
            self.assertEqual(repr(batch), "<touchstone.Batch of 'stack-10': 3 simulations, nq=70, nv=60>")
        self.assertEqual(repr(world), "<touchstone.World 'stack-10': closed>")
        self.assertEqual(repr(batch), "<touchstone.Batch of 'stack-10': closed>")

    def test_wrong_numbers_are_named(self):
        with touchstone.World(mjcf=BALL) as world, touchstone.Batch(mjcf=BALL, count=2) as batch:
            for thing, shape, odd in ((world, (6,), (2,)), (batch, (2, 6), (1, 2))):
                with self.assertRaisesRegex(ValueError, re.escape(f"qvel: expected numbers of shape {shape}, got shape (5,)")):
                    thing.qvel = numpy.zeros(5)
                values = numpy.zeros(shape)
                values[odd] = numpy.nan
                with self.assertRaisesRegex(ValueError, re.escape(f"qvel: not a finite number at {odd}")):
                    thing.qvel = values
                self.assertEqual(thing.qvel.shape, shape)
                self.assertFalse(thing.qvel.any())

    def test_shapes_by_word(self):
        found = touchstone.distance("box:0.1,0.2,0.3", "sphere:0.1+0.05", pose_b=(1, 0, 0))
        self.assertAlmostEqual(found.distance, 1 - 0.1 - 0.15, places=14)
        for wrong, what in (("box:1,2", "box"), ("box:1,two,3", "'box:1,two,3'"), ("bix:1", "bix"), ("sphere:1+x", "x")):
            with self.assertRaisesRegex((ValueError, touchstone.TouchstoneError), what):
                touchstone.distance(wrong, "sphere:1")
        with self.assertRaisesRegex(TypeError, "int"):
            touchstone.distance(3, "sphere:1")

    def test_wrong_use_raises_with_the_reason(self):
        with self.assertRaisesRegex(touchstone.TouchstoneError, "sliding-cube"):
            touchstone.World("no-such-scene")
        with self.assertRaisesRegex(touchstone.TouchstoneError, "text:1"):
            touchstone.World(mjcf="<mujoco><worldbody>")
        with touchstone.World(mjcf=BALL) as world:
            with self.assertRaisesRegex(touchstone.TouchstoneError, "ncp-pgs"):
                world.set("solver", "magic")
            with self.assertRaises(ValueError):
                world.qpos = [1.0]
            with self.assertRaises(ValueError):
                world.qvel = [float("nan")] * world.nv
        with self.assertRaisesRegex(touchstone.TouchstoneError, "closed"):
            world.step()


if __name__ == "__main__":
    unittest.main()
