"""What `touchstone judge` finds in contacts that Pinocchio has solved: none breaks the exact law where its own solver has converged, and what is
taken away from its impulses is found. A box of 1 kg on four feet, on a slope on which it slides."""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    import pinocchio
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
if not hasattr(pinocchio, "PointContactConstraintModel"):
    print("skipped: Pinocchio is older than 4")
    sys.exit(77)

import touchstone

PROGRAM = os.environ.get("TOUCHSTONE_PROGRAM", "touchstone")
G, MU, HALF, DT, SLOPE = 9.81, 0.5, 0.1, 0.001, math.radians(30.0)


class Box:
    """The box, and a step of it."""

    def __init__(self):
        self.model = pinocchio.Model()
        self.model.gravity.linear = G * numpy.array([math.sin(SLOPE), 0.0, -math.cos(SLOPE)])
        self.joint = self.model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "box")
        inertia = pinocchio.Inertia(1.0, numpy.zeros(3), numpy.eye(3) * (2.0 * HALF) ** 2 / 6.0)
        self.model.appendBodyToJoint(self.joint, inertia, pinocchio.SE3.Identity())
        self.data = self.model.createData()
        self.q = pinocchio.neutral(self.model)
        self.q[2] = HALF
        self.v = numpy.zeros(6)

    def contacts(self):
        at = self.data.oMi[self.joint]
        for x in (-HALF, HALF):
            for y in (-HALF, HALF):
                foot = at.act(numpy.array([x, y, -HALF]))
                below = pinocchio.SE3(numpy.eye(3), numpy.array([foot[0], foot[1], 0.0]))
                here = pinocchio.SE3(at.rotation.T, numpy.array([x, y, -HALF]))
                contact = pinocchio.PointContactConstraintModel(self.model, 0, below, self.joint, here)
                contact.setFriction(MU)
                yield contact

    def step(self):
        """Returns the constraints, their data and the impulses; q and v move on."""
        model, data = self.model, self.data
        pinocchio.computeJointJacobians(model, data, self.q)
        constraints, kept = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
        for contact in self.contacts():
            constraints.append(pinocchio.ConstraintModel(contact))
            kept.append(constraints[-1].createData())
        for contact, values in zip(constraints, kept):
            contact.calc(model, data, values)
        J = pinocchio.getConstraintsJacobian(model, data, constraints, kept)
        free = self.v + DT * pinocchio.aba(model, data, self.q, self.v, numpy.zeros(6))
        M = pinocchio.crba(model, data, self.q, pinocchio.Convention.WORLD)
        operator = J @ numpy.linalg.solve(M, J.T)
        g = J @ free
        g[2::3] += [values.extract().constraint_position_error[2] / DT for values in kept]
        settings, result = pinocchio.ADMMSolverSettings(), pinocchio.ADMMSolverResult()
        settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = 1e-12
        settings.relative_feasibility_tol = settings.relative_complementarity_tol = 1e-12
        settings.max_iterations = 10000
        solver = pinocchio.ADMMConstraintSolver(len(g))
        solver.solve(pinocchio.DelassusOperatorDense(operator), g, constraints, kept, settings, result)
        impulses = numpy.asarray(result.retrieveConstraintImpulses())
        self.v = free + numpy.linalg.solve(M, J.T @ impulses)
        self.q = pinocchio.integrate(model, self.q, DT * self.v)
        return constraints, kept, impulses


def judged(scale):
    """The verdicts on 100 steps, friction written down `scale` times as large as it was; and the speed at their end."""
    box = Box()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "contacts.csv")
        with touchstone.ContactLog(path) as log:
            for i in range(100):
                constraints, kept, impulses = box.step()
                told = impulses.copy()
                told[0::3] *= scale
                told[1::3] *= scale
                pinocchio.computeJointJacobians(box.model, box.data, pinocchio.integrate(box.model, box.q, -DT * box.v))
                log.pinocchio(box.model, box.data, constraints, kept, told, box.v, (i + 1) * DT, DT)
        text = subprocess.run([PROGRAM, "judge", path, "--json"], capture_output=True, text=True, check=True).stdout
    found = json.loads(text)["judged"]
    return found, {f["finding"]: f for f in found["findings"]}, box.v


class Judge(unittest.TestCase):
    def test_what_is_solved_is_obeyed(self):
        found, by, v = judged(1.0)
        self.assertEqual(found["contacts"], 400)
        self.assertEqual(found["obeyed_by"]["ncp"], 400, by)
        self.assertAlmostEqual(v[0], 0.1 * G * (math.sin(SLOPE) - MU * math.cos(SLOPE)), delta=1e-6)

    def test_too_little_friction_is_short(self):
        found, by, _ = judged(0.75)
        self.assertEqual(found["obeyed_by"]["ncp"], 0)
        self.assertAlmostEqual(by["short"]["median"], 25.0, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
