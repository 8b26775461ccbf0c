"""Every MJCF model below the folder TOUCHSTONE_DATA that MuJoCo loads, against MuJoCo: it loads, with the same sizes and names, mass, centre of
mass, poses, inertia, bias, lengths of tendons and forces of actuators at random states.

MuJoCo keeps the vertices of meshes in single precision: where bodies weigh what their meshes do, 1e-6 is asked instead of 1e-9."""

import glob
import os
import sys
import unittest
import xml.etree.ElementTree

try:
    import mujoco
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

STATES = 3

KINDS = {
    "body": (mujoco.mjtObj.mjOBJ_BODY, "nbody"),
    "joint": (mujoco.mjtObj.mjOBJ_JOINT, "njnt"),
    "site": (mujoco.mjtObj.mjOBJ_SITE, "nsite"),
    "tendon": (mujoco.mjtObj.mjOBJ_TENDON, "ntendon"),
    "actuator": (mujoco.mjtObj.mjOBJ_ACTUATOR, "nu"),
    "keyframe": (mujoco.mjtObj.mjOBJ_KEY, "nkey"),
}


def is_model(path):
    """Files that serve as includes alone have bodies at their root, which MuJoCo passes over."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except xml.etree.ElementTree.ParseError:
        return False
    return root.tag == "mujoco" and root.find("body") is None


def models():
    """Paths of what MuJoCo takes for a model, with the model. Parts that others include mostly are none."""
    folder = os.environ.get("TOUCHSTONE_DATA", "")
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.xml"), recursive=True)):
        if folder and is_model(path):
            try:
                yield path, mujoco.MjModel.from_xml_path(path)
            except ValueError:
                continue


def random_state(model, data, rng):
    mujoco.mj_resetData(model, data)
    data.qpos[:] = model.qpos0 + rng.uniform(-1, 1, size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = rng.normal(size=model.nv)
    data.ctrl[:] = rng.uniform(-1, 1, size=model.nu)
    data.act[:] = rng.uniform(size=model.na)


class ModelsAgainstMujoco(unittest.TestCase):
    def near(self, what, here, there, tolerance):
        here, there = numpy.asarray(here), numpy.asarray(there)
        self.assertEqual(here.shape, there.shape, what)
        scale = max(numpy.abs(there).max(initial=0.0), 1e-6)
        self.assertLessEqual(numpy.abs(here - there).max(initial=0.0) / scale, tolerance, what)

    def compare_state(self, model, data, world, tolerance):
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_fwdActuation(model, data)
        world.qpos, world.qvel, world.ctrl, world.act = data.qpos, data.qvel, data.ctrl, data.act
        world.forward()
        self.near("poses", world.body_poses[:, :3], data.xpos, 1e-9)
        M = numpy.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        self.near("M", world.dynamics.mass_matrix(), M, tolerance)
        self.near("bias", world.dynamics.inverse(), data.qfrc_bias - data.qfrc_gravcomp, tolerance)
        mass = model.body_mass * (model.body_treeid >= 0)
        if mass.sum() > 0:
            whole = world.dynamics.centroidal()
            self.near("mass", whole.mass, mass.sum(), tolerance)
            self.near("centre", whole.centre, mass @ data.xipos / mass.sum(), max(1e-9, tolerance))
        self.near("tendons", world.tendon_length, data.ten_length, 1e-9)
        self.near("actuators", world.actuator_force, data.actuator_force, 1e-9)
        # What holds on to contacts acts along those that were found, which are not the same.
        if not (model.actuator_trntype == mujoco.mjtTrn.mjTRN_BODY).any():
            self.near("actuators at joints", world.force_actuator, data.qfrc_actuator, 1e-9)

    def compare(self, path, model):
        with touchstone.World(path) as world:
            self.assertEqual((world.nq, world.nv, world.body_count), (model.nq, model.nv, model.nbody))
            for kind, (what, count) in KINDS.items():
                there = [mujoco.mj_id2name(model, what, i) or "" for i in range(getattr(model, count))]
                here = world.names(kind)
                # MuJoCo makes empty keyframes for <size nkey>; sites are ordered as they stand in the file here, by bodies there.
                if kind == "keyframe":
                    there = there[: len(here)]
                if kind == "site":
                    here, there = sorted(here), sorted(there)
                self.assertEqual(here, there, kind)
            given = all(body.explicitinertial for body in mujoco.MjSpec.from_file(path).bodies[1:])
            data, rng = mujoco.MjData(model), numpy.random.default_rng(model.nv)
            for _ in range(STATES):
                random_state(model, data, rng)
                self.compare_state(model, data, world, 1e-9 if given or not model.nmesh else 1e-6)

    def test_models(self):
        for path, model in models():
            with self.subTest(model=os.path.relpath(path, os.environ["TOUCHSTONE_DATA"])):
                self.compare(path, model)


if __name__ == "__main__":
    unittest.main()
