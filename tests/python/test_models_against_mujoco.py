"""Every MJCF model below the folder TOUCHSTONE_DATA that MuJoCo loads, against MuJoCo: it loads, with the same sizes and names, mass, centre of
mass, poses, inertia, bias, lengths of tendons and forces of actuators at random states.

MuJoCo keeps the vertices of meshes in single precision: where bodies weigh what their meshes do, 1e-6 is asked instead of 1e-9."""

import glob
import os
import sys
import tempfile
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

    @unittest.skipUnless(os.environ.get("TOUCHSTONE_DATA"), "TOUCHSTONE_DATA is not set")
    def test_models(self):
        compared = 0
        for path, model in models():
            with self.subTest(model=os.path.relpath(path, os.environ["TOUCHSTONE_DATA"])):
                self.compare(path, model)
                compared += 1
        self.assertGreater(compared, 0)


FORMS = {
    "sphere": ("0", "1", "2.7", "3"),
    "hemisphere": ("0", "2", "5"),
    "cone": ("3 1", "5 .5", "7 0", "12 .3"),
    "supersphere": ("10 .4 1", "12 2 .4", "8 1 1", "3 1 1", "6 0 1"),
    "supertorus": ("10 .5 .4 1", "8 1 2 2", "3 .2 1 1"),
    "wedge": ("3 4 45 20 0", "5 6 90 90 .5", "30 30 45 20 0", "8 8 180 90 1"),
}


class Forms(unittest.TestCase):
    """Meshes that are made from parameters, by all four ways to weigh them."""

    def compare(self, text):
        model = mujoco.MjModel.from_xml_string(text)
        data, mass = mujoco.MjData(model), numpy.zeros((6, 6))
        data.qpos[3:] = numpy.array([0.8, 0.1, -0.5, 0.3]) / numpy.linalg.norm([0.8, 0.1, -0.5, 0.3])
        data.qvel[:] = [0.1, 0.2, 0.3, 1, 2, 3]
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, mass)
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text)
            file.flush()
            with touchstone.World(file.name) as w:
                w.qpos, w.qvel = data.qpos, data.qvel
                w.forward()
                self.assertLess(abs(w.dynamics.mass_matrix() - mass).max() / abs(mass).max(), 1e-6)
                self.assertLess(abs(w.bias - data.qfrc_bias).max() / abs(data.qfrc_bias).max(), 2e-6)

    def test_forms(self):
        for form, many in FORMS.items():
            for params in many:
                for inertia in ("legacy", "shell", "convex", "exact"):
                    for scale in ("1 1 1", ".3 .5 -.7"):
                        with self.subTest(form=form, params=params, inertia=inertia, scale=scale):
                            self.compare(
                                f"<mujoco><asset><mesh name='m' builtin='{form}' params='{params}' scale='{scale}' "
                                f"inertia='{inertia}'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m'/>"
                                "</body></worldbody></mujoco>"
                            )

    def test_short_keyframes(self):
        text = (
            "<mujoco><worldbody><body mocap='true' pos='1 2 3'><geom size='.1'/></body><body mocap='true' pos='4 5 6'>"
            "<geom size='.1'/></body><body><freejoint/><geom size='.1'/><body><joint name='a'/><geom size='.1'/></body>"
            "</body></worldbody><actuator><motor joint='a'/><motor joint='a'/></actuator><keyframe>"
            "<key name='home' qpos='1 2 3' qvel='4' ctrl='5' mpos='7 8 9' mquat='0 1 0 0'/></keyframe></mujoco>"
        )
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text)
            file.flush()
            with touchstone.World(file.name) as w:
                self.assertEqual(list(w.qpos), list(data.qpos))
                self.assertEqual(list(w.qvel), list(data.qvel))
                self.assertEqual(list(w.ctrl), list(data.ctrl))
                self.assertEqual(list(w.mocap), list(numpy.hstack([data.mocap_pos, data.mocap_quat]).ravel()))


if __name__ == "__main__":
    unittest.main()
