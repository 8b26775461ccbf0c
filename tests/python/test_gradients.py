"""Derivatives from Python: closed forms, central differences of steps, and the examples of the documentation."""

import os
import re
import sys
import unittest

try:
    import numpy
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)

import touchstone

H = 0.002
SLED = """<mujoco><option timestep="0.002" gravity="0 0 -10"/><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.3"/>
<body name="sled" pos="0 0 0.1"><joint name="along" type="slide" axis="1 0 0"/><joint name="up" type="slide" axis="0 0 1"/>
<geom name="runner" type="sphere" size="0.1" mass="2" friction="0.2"/></body></worldbody>
<actuator><motor name="push" joint="along" gear="3"/></actuator></mujoco>"""
ARM = """<mujoco><option timestep="0.002"/><worldbody><body><joint name="hip" type="ball"/><geom type="capsule" size="0.05 0.2" mass="1"/>
<body pos="0 0 -0.4"><joint name="knee" axis="0 1 0" damping="0.1"/><geom type="capsule" size="0.04 0.2" mass="0.5"/></body></body></worldbody>
<actuator><position name="servo" joint="knee" kp="20" timeconst="0.1"/></actuator></mujoco>"""


def near(found, wanted, tolerance=1e-9):
    numpy.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


def sled(speed=1.0):
    world = touchstone.World(mjcf=SLED, solver="ncp")
    world.set("solver.tolerance", 1e-14)
    world.qvel = [speed, 0.0]
    return world


def turned(q, w):
    """Quaternion q after a turn by the vector w in body axes."""
    angle = numpy.linalg.norm(w)
    x, y, z = numpy.sinc(angle / 2 / numpy.pi) / 2 * w
    c = numpy.cos(angle / 2)
    a, b, d, e = q
    return numpy.array([a * c - b * x - d * y - e * z, a * x + b * c + d * z - e * y, a * y + d * c + e * x - b * z,
                        a * z + e * c + b * y - d * x])


class StepTest(unittest.TestCase):
    def test_a_sled_that_slides(self):
        """v' = v - mu N h / m + gear u h / m with N = m g: its derivatives by hand. Friction is the floor's and the runner's by the larger."""
        with sled() as world:
            before = world.hash
            J = world.jacobian(["qvel", "ctrl[push]", "friction[floor]", "mass", "gravity[z]"])
            self.assertEqual(set(J.report.columns.values()), {"exact"})
            self.assertEqual(world.hash, before)
            self.assertEqual(J.rows, ["qpos[along]", "qpos[up]", "qvel[along]", "qvel[up]"])
            self.assertEqual(J.columns[2:], ["ctrl[push]", "friction[floor]", "mass[world]", "mass[sled]", "gravity[z]"])
            near(J.block("qvel[along]", "qvel"), [[1, 0.3]], 1e-8)  # what presses harder rubs harder
            near(J.block("qvel[up]", "qvel"), [[0, 0]], 1e-8)
            near(J.block("qvel[along]", "ctrl"), [[3 * H / 2]], 1e-8)
            near(J.block("qvel[along]", "friction[floor]"), [[-10 * H]], 1e-7)
            near(J.block("qvel[along]", "gravity[z]"), [[0.3 * H]], 1e-8)
            near(J.block("qvel[along]", "mass[sled]"), [[0]], 1e-8)
            near(J.block("qpos", "qvel"), H * J.block("qvel", "qvel"), 1e-10)
            near(numpy.asarray(J), J.matrix, 0)
            [block] = J.report.blocks
            self.assertEqual(block.mode, "slide")
            self.assertIn("floor", block.who)
            self.assertEqual(J.report.nearest, block)
            with self.assertRaises(KeyError):
                J.block("qvel", "ctrl[pull]")

    def test_what_sticks_says_so(self):
        with sled(0.0) as world:
            world.ctrl = [0.5]  # 1.5 N of the 6 that friction can hold
            report = world.jacobian("ctrl").report
            self.assertEqual(report.blocks[0].mode, "stick")
            near(world.jacobian("ctrl").matrix, numpy.zeros((4, 1)), 1e-9)

    def test_all_inputs_against_differences_of_steps(self):
        """Central differences of World.step itself, positions moved as a step moves them."""
        wrt = ["qpos", "qvel", "ctrl", "act", "force"]
        with touchstone.World(mjcf=ARM) as world:
            world.qpos, world.qvel = [*turned([1, 0, 0, 0], numpy.array([0.4, -0.3, 0.2])), 0.7], [0.5, -1.0, 0.8, 2.0]
            world.ctrl, world.act = [0.3], [0.1]
            start, q0, J = world.save(), world.qpos, world.jacobian(wrt)
            self.assertTrue(J.report.regular)
            self.assertEqual(J.rows[:5], ["qpos[hip.0]", "qpos[hip.1]", "qpos[hip.2]", "qpos[knee]", "qvel[hip.0]"])

            def after(column, amount):
                world.restore(start)
                names = [(name, i) for name, size in zip(wrt, (4, 4, 1, 1, 4)) for i in range(size)]
                name, i = names[column]
                if name == "qpos":
                    q = q0.copy()
                    if i < 3:
                        q[:4] = turned(q[:4], amount * numpy.eye(3)[i])
                    else:
                        q[4] += amount
                    world.qpos = q
                else:
                    values = getattr(world, name)
                    values[i] += amount
                    setattr(world, name, values)
                world.step()
                return world.qpos, world.qvel, world.act

            world.restore(start)
            world.step()
            end = world.qpos
            for column in range(14):
                (qa, va, aa), (qb, vb, ab) = after(column, 1e-5), after(column, -1e-5)
                a, b, c, d = end[:4]
                # Twice the vector part of conj(end) q: a small turn in the axes of the end.
                back = 2 * numpy.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])
                difference = numpy.concatenate([back @ (qa - qb)[:4], (qa - qb)[4:], va - vb, aa - ab]) / 2e-5
                near(J.matrix[:, column], difference, 1e-7 * max(1, abs(difference).max()))
            world.restore(start)
            reference = world.jacobian(wrt, method="difference")
            near(reference.matrix, J.matrix, 1e-6)
            self.assertEqual(reference.report.differenced, ("step",))
            self.assertNotIn("step", J.report.differenced)
            self.assertEqual(set(J.report.columns), set(J.columns))
            self.assertEqual(set(reference.report.columns.values()), {"difference"})

    def test_products_are_those_of_the_matrix(self):
        with sled() as world:
            wrt = ["qvel", "friction[floor]", "ctrl"]
            J = world.jacobian(wrt).matrix
            y, x = numpy.array([0.3, -1.0, 2.0, 0.7]), numpy.array([1.0, -0.5, 0.2, 3.0])
            back, forth = world.vjp(y, wrt), world.jvp(x, wrt)
            near(numpy.concatenate([back[k] for k in wrt]), y @ J, 1e-12)
            near(numpy.concatenate([forth[k] for k in ("qpos", "qvel", "act")]), J @ x, 1e-12)
            near(world.vjp({"qvel": [0, 1]}, "qvel")["qvel"], J[3, :2], 1e-12)
            near(world.jvp({"ctrl": [1]}, wrt)["qvel"], J[2:, 3], 1e-12)
            self.assertEqual(back.report.verdict, world.jacobian(wrt).report.verdict)
            with self.assertRaises(KeyError):
                world.vjp({"speed": [1]}, wrt)
            with self.assertRaises(ValueError):
                world.vjp([1.0], wrt)
            with self.assertRaises(ValueError):
                world.vjp({"qvel": [1.0]}, wrt)  # two of them: one number in brackets is none for each
            near(world.vjp({"qvel": 1.0}, "qvel")["qvel"], J[2:, :2].sum(axis=0), 1e-12)

    def test_what_sensors_show(self):
        # A slide of 2 kg: a = F / m, v+ = v + h a, x+ = x + h v+; an accelerometer shows a - g.
        text = SLED.replace('<geom name="runner"', '<site name="s"/><geom name="runner"').replace('type="sphere" size="0.1" mass', 'type="sphere" size="0.01" mass')
        text = text.replace("</mujoco>", """<sensor><jointpos name="x" joint="along"/><velocimeter name="v" site="s"/>
            <accelerometer name="a" site="s"/></sensor></mujoco>""")
        with touchstone.World(mjcf=text) as world:
            world.qvel, world.ctrl, world.qpos = [1.0, 0.0], [0.5], [0.0, 1.0]
            before = world.hash
            J = world.jacobian(["qpos[along]", "qvel[along]", "ctrl", "mass[sled]", "gravity"], of=["x", "v", "a"])
            self.assertEqual(world.hash, before)
            self.assertEqual(J.rows, ["sensor[x]"] + [f"sensor[v.{i}]" for i in range(3)] + [f"sensor[a.{i}]" for i in range(3)])
            self.assertEqual([J.sensors[name] for name in J.rows], ["exact"] * 7)
            other = world.jacobian("ctrl", of="a", method="difference")
            self.assertEqual([other.sensors[name] for name in other.rows], ["difference"] * 3)
            near(J.matrix[0], [1, H, H * H * 1.5, -H * H * 0.375, H * H, 0, 0])
            near(J.matrix[1], [0, 1, H * 1.5, -H * 0.375, H, 0, 0])
            near(J.matrix[3], [0, 0, 0, 0, 0, 0, H])
            near(J.matrix[4], [0, 0, 1.5, -0.375, 0, 0, 0])
            near(J.matrix[6], [0, 0, 0, 0, 0, 0, 0])
            near(world.jacobian("qvel", of="v").matrix[0], [1, 0])
            with self.assertRaisesRegex(touchstone.TouchstoneError, "no sensor gyro; there are: x, v, a"):
                world.jacobian("qvel", of="gyro")

    def test_a_world_stays_as_it_is(self):
        with touchstone.World("stack-10") as world:
            world.step(5)
            before = world.save()
            for method in "implicit", "difference":
                world.jacobian("qvel[0:2]", method=method)
                self.assertEqual(world.save(), before)

    def test_parts_are_named_or_refused(self):
        with touchstone.World(mjcf=ARM) as world:
            J = world.jacobian
            self.assertEqual(J("qvel[hip]").columns, ["qvel[hip.0]", "qvel[hip.1]", "qvel[hip.2]"])
            self.assertEqual(J("qvel[1:3]").columns, ["qvel[hip.1]", "qvel[hip.2]"])
            self.assertEqual(J("qvel[-1]").columns, ["qvel[knee]"])
            self.assertEqual(J(["time_step", "gravity[2]"]).columns, ["time_step", "gravity[z]"])
            for wrong in "speed", "qvel[ankle]", "qvel[7]", "qvel[2:2]", "qvel[hip", "friction[]":
                with self.assertRaises(touchstone.TouchstoneError, msg=wrong):
                    J(wrong)
            with self.assertRaises(touchstone.TouchstoneError):
                J("qvel", method="guess")


class RolloutTest(unittest.TestCase):
    STEPS = 100

    def end(self, world, k, pull):
        if k < self.STEPS:
            return 0.0
        if pull:
            pull.qpos[0] = 1
        return world.qpos[0]

    def test_a_sled_that_is_pushed(self):
        """x = sum of h v: by the first speed n h, by friction -g h^2 n (n + 1) / 2, by the push of step k what is left of the way."""
        n = self.STEPS
        with sled() as world:
            before = world.hash
            run = world.rollout(n, self.end, ctrl=numpy.zeros((n, 1)), wrt=["friction[floor]", "gravity[z]"])
            self.assertEqual(world.hash, before)
            near(run.loss, n * H - 0.5 * 3 * H * H * n * (n + 1), 1e-9)
            near(run.qvel[0], n * H, 1e-8)
            near(run.qpos, [1, 0], 1e-8)
            near(run.parameter["friction[floor]"], [-0.5 * 10 * H * H * n * (n + 1)], 1e-7)
            near(run.parameter["gravity[z]"], [0.5 * 0.3 * H * H * n * (n + 1)], 1e-8)
            near(run.ctrl[:, 0], 1.5 * H * H * (n - numpy.arange(n)), 1e-9)
            near(run.force[:, 0], run.ctrl[:, 0] / 3, 1e-9)
            self.assertEqual(sum(run.report.count.values()), n)
            near(world.rollout(n, self.end, gradient=False).loss, run.loss, 0)

    def test_losses_of_parameters_and_controls(self):
        with sled() as world:
            def loss(_world, k, pull):
                if pull:
                    pull.parameter["friction[floor]"][0] = 7.0
                    pull.ctrl[0] = 2.0
                return 0.0

            run = world.rollout(3, loss, ctrl=numpy.zeros((3, 1)), wrt=["friction[floor]"])
            near(run.parameter["friction[floor]"], [4 * 7.0], 0)
            near(run.ctrl[:, 0], [2, 2, 2], 0)

    def test_wrong_use_raises(self):
        with sled() as world:
            before = world.hash
            with self.assertRaisesRegex(RuntimeError, "mine"):
                world.rollout(5, lambda *_: (_ for _ in ()).throw(RuntimeError("mine")))
            self.assertEqual(world.hash, before)
            with self.assertRaises(touchstone.TouchstoneError):
                world.rollout(5, self.end, wrt=["qvel"])
            with self.assertRaises(ValueError):
                world.rollout(5, self.end, ctrl=numpy.zeros((4, 1)))


class DistanceTest(unittest.TestCase):
    def test_two_balls(self):
        """d = |c| - r: n, and how n turns with 1 / |c|."""
        c = numpy.array([0.6, 0.0, 0.8])
        found = touchstone.distance(touchstone.Shape("sphere", 0.2), touchstone.Shape("sphere", 0.3), None, c, derivative=True)
        near(found.distance, 0.5, 1e-15)
        near(found.normal, c, 1e-15)
        d = found.derivative
        self.assertTrue(d.certificate.regular)
        near(d.certificate.curvature, 1.0, 1e-12)
        near(d.distance, [*c, 0, 0, 0], 1e-14)
        across = numpy.eye(3) - numpy.outer(c, c)
        near(d.normal, numpy.hstack([across, numpy.zeros((3, 3))]), 1e-14)
        near(d.point_a, numpy.hstack([0.2 * across, numpy.zeros((3, 3))]), 1e-14)
        near(d.point_b, numpy.hstack([numpy.eye(3) - 0.3 * across, numpy.zeros((3, 3))]), 1e-14)
        for frame in d.tangent:  # stays across the normal: n . dt + t . dn = 0 needs t, which is unit: t . dt = 0
            self.assertEqual(frame.shape, (3, 6))
        self.assertIsNone(touchstone.distance(touchstone.Shape("sphere", 1), touchstone.Shape("plane")).derivative)

    def test_methods_and_certificate(self):
        box, hull = touchstone.Shape("box", 0.1, 0.2, 0.3), touchstone.Shape("hull", numpy.vstack([numpy.eye(3), -numpy.eye(3)]) * 0.2)
        at = [0.35, 0.02, 0.05, *turned([1, 0, 0, 0], numpy.array([0.2, 0.5, -0.1]))]
        exact = touchstone.distance(box, hull, None, at, derivative=True).derivative
        differences = touchstone.distance(box, hull, None, at, derivative=True, method="difference").derivative
        for name in "distance", "normal", "point_a", "point_b", "tangent":
            near(getattr(exact, name), getattr(differences, name), 1e-8)
        smoothed = touchstone.distance(box, hull, None, at, derivative=True, method="gumbel").derivative
        self.assertEqual(smoothed.certificate.flags, ("smoothed",))
        two = touchstone.distance(box, box, None, [0.2, 0, 0], derivative=True).derivative
        self.assertIn("singular", two.certificate.flags)

    def test_wrong_use_raises(self):
        ball = touchstone.Shape("sphere", 0.1)
        for arguments in ("box", 1.0), ("sphere", -1.0), ("blob", 1.0), ("plane",):
            with self.assertRaises(touchstone.TouchstoneError, msg=str(arguments)):
                touchstone.Shape(*arguments, rounding=0.1 if arguments == ("plane",) else 0.0)
        with self.assertRaises(ValueError):
            touchstone.Shape("hull", [1.0, 2.0])
        with self.assertRaises(ValueError):
            touchstone.distance(ball, ball, [1.0])
        with self.assertRaises(touchstone.TouchstoneError):
            touchstone.distance(ball, ball, [0, 0, 0, 2, 0, 0, 0])
        with self.assertRaises(touchstone.TouchstoneError):
            touchstone.distance(ball, ball, derivative=True, method="guess")


class PageTest(unittest.TestCase):
    def test_the_examples_of_the_documentation_run(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "gradients.md")
        with open(page, encoding="utf-8") as file:
            examples = re.findall(r"^```python\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(examples), 2)
        names = {}
        exec(compile(examples[0], page, "exec"), names)  # what there is to ask
        self.assertTrue(names["J"].report.regular)
        try:
            import scipy  # noqa: F401
        except ImportError as missing:
            self.skipTest(f"{missing}: the example with scipy's optimiser")
        names = {}
        exec(compile(examples[1], page, "exec"), names)
        found = names["found"]
        # Judged by stepping, without any derivative.
        world = touchstone.World(mjcf=names["COURT"], solver="ncp")
        world.qvel = [*found.x, 2, 0, 0, 0]
        world.step(names["steps"])
        near(world.qpos[:2], names["target"], 1e-6)
        self.assertLess(found.nfev, 50)


if __name__ == "__main__":
    unittest.main()
