"""What `touchstone judge` finds in contacts of Newton's XPBD solver, a box of 8 kg on four feet that slides at 1 m/s: friction on the cone, against the
slip; and what is taken away from it. Newton works in single precision, and compiles for minutes when it first runs."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import newton
    import warp

    KIND = newton.solvers.SolverBase.ObservableKind
except (ImportError, AttributeError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

PROGRAM = os.environ.get("TOUCHSTONE_PROGRAM", "touchstone")
MU, DT, STEPS = 0.5, 0.001, 50


def judged(scale):
    """The verdicts, friction written down `scale` times as large as it was; and the speed at the end."""
    builder = newton.ModelBuilder(gravity=(0, 0, -9.81))
    builder.default_shape_cfg.mu = MU
    builder.add_ground_plane()
    box = builder.add_body(xform=warp.transform((0, 0, 0.1), warp.quat_identity()), label="box")
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, iterations=20)
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    observed = solver.observables([KIND.CONTACT_F], contacts=contacts)
    before, after = model.state(), model.state()
    rate = before.body_qd.numpy()
    rate[0, 0] = 1.0
    before.body_qd.assign(rate)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "contacts.csv")
        with touchstone.ContactLog(path) as log:
            for i in range(STEPS):
                before.clear_forces()
                pipeline.collide(before, contacts)
                solver.step(before, after, None, contacts, DT, observables=observed)
                told = observed.contact_f.numpy()
                told[:, :2] *= scale
                log.newton(model, before, after, contacts, warp.array(told, dtype=warp.spatial_vector, device="cpu"), (i + 1) * DT, DT)
                before, after = after, before
        text = subprocess.run([PROGRAM, "judge", path, "--json"], capture_output=True, text=True, check=True).stdout
    found = json.loads(text)["judged"]
    return found, {f["finding"]: f for f in found["findings"]}, before.body_qd.numpy()[0]


class Judge(unittest.TestCase):
    def test_friction_is_on_the_cone(self):
        found, by, rate = judged(1.0)
        self.assertGreaterEqual(found["contacts"], 3 * STEPS)
        self.assertAlmostEqual(rate[0], 1.0 - MU * 9.81 * DT * STEPS, delta=0.01)
        self.assertNotIn("pull", by)
        self.assertLess(by["short"]["median"] if "short" in by else 0.0, 0.1)

    def test_too_little_friction_is_short(self):
        _, by, _ = judged(0.75)
        self.assertAlmostEqual(by["short"]["median"], 25.0, delta=0.1)


if __name__ == "__main__":
    unittest.main()
