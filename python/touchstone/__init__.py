"""Touchstone from Python: load a scene or an MJCF file, step it, read state and contacts as numpy arrays.

    import touchstone
    world = touchstone.World("sliding-cube", solver="ncp-pgs")
    while world.time < 0.3:
        world.step()
    print(world.qpos, world.report.natural)
"""

import ctypes
from dataclasses import dataclass

import numpy

from . import _library

_c = _library.load()


class TouchstoneError(RuntimeError):
    """What the library said was wrong: a bad file (with file:line), name or number, or a run that left finite numbers."""


@dataclass(frozen=True)
class Report:
    """Numbers of the last step. Residuals are in force units (N, m/s^2, N m/s^2); energies are of the present state."""

    natural: float
    own_unmet: float
    penetration: float
    kinetic: float
    potential: float
    seconds: float
    contacts: int
    iterations: int
    status: str


@dataclass(frozen=True)
class Contacts:
    """Contacts of the last step, one row each, world axes. The impulse (N s) acts on geom B."""

    position: numpy.ndarray
    normal: numpy.ndarray
    impulse: numpy.ndarray
    velocity: numpy.ndarray
    gap: numpy.ndarray
    geoms: numpy.ndarray

    def __len__(self):
        return len(self.gap)


def _names(function):
    names = []
    while (name := function(len(names))) is not None:
        names.append(name.decode())
    return names


def solvers():
    """Names of the contact solvers."""
    return _names(_c.ts_python_solver_name)


def scenes():
    """Names of the built-in scenes."""
    return _names(_c.ts_python_scene_name)


class World:
    """A scene (by name), a model file (by path) or MJCF text (mjcf=...) with a simulation on it."""

    def __init__(self, scene=None, *, mjcf=None, solver=None, threads=1):
        if (scene is None) == (mjcf is None):
            raise TypeError("give either a scene or mjcf text")
        self._handle = None
        self._error = ctypes.create_string_buffer(1024)
        opener, source = (_c.ts_python_open, str(scene)) if mjcf is None else (_c.ts_python_open_text, mjcf)
        self._handle = opener(source.encode(), threads, self._error, len(self._error))
        if not self._handle:
            raise TouchstoneError(self._error.value.decode())
        sizes = _c.ts_python_get_sizes(self._handle)
        self.nq, self.nv, self.body_count = sizes.nq, sizes.nv, sizes.bodies
        self.body_names = [_c.ts_python_body_name(self._handle, b).decode() for b in range(sizes.bodies)]
        if solver is not None:
            self.set("solver", solver)

    def close(self):
        """Releases the simulation. Arrays taken from it before are copies and stay valid."""
        if self._handle:
            _c.ts_python_close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def _live(self):
        if not self._handle:
            raise TouchstoneError("this world was closed")
        return self._handle

    def _read(self, function, count):
        return numpy.ctypeslib.as_array(function(self._live()), (max(count, 1),))[:count].copy()

    def _write(self, function, count, values):
        values = numpy.asarray(values, dtype=float)
        if values.shape != (count,) or not numpy.isfinite(values).all():
            raise ValueError(f"expected {count} finite numbers, got shape {values.shape}")
        numpy.ctypeslib.as_array(function(self._live()), (max(count, 1),))[:count] = values

    @property
    def time(self):
        """Simulated time, s."""
        return _c.ts_python_time(self._live())

    @property
    def qpos(self):
        """Generalised positions (nq), a copy; assign to change them."""
        return self._read(_c.ts_python_qpos, self.nq)

    @qpos.setter
    def qpos(self, values):
        self._write(_c.ts_python_qpos, self.nq, values)

    @property
    def qvel(self):
        """Generalised velocities (nv), a copy; assign to change them."""
        return self._read(_c.ts_python_qvel, self.nv)

    @qvel.setter
    def qvel(self, values):
        self._write(_c.ts_python_qvel, self.nv, values)

    @property
    def force(self):
        """Generalised forces from outside (nv), kept until changed."""
        return self._read(_c.ts_python_force, self.nv)

    @force.setter
    def force(self, values):
        self._write(_c.ts_python_force, self.nv, values)

    def step(self, n=1):
        """Steps n times."""
        if n < 0:
            raise ValueError("cannot step backwards")
        if _c.ts_python_step(self._live(), n, self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())

    def reset(self):
        """Back to the initial state; options stay."""
        _c.ts_python_reset(self._live())

    def set(self, name, value):
        """Sets an option ("contact_margin"), the solver ("solver"), or a setting of it ("solver.tolerance")."""
        text = " ".join(repr(float(v)) for v in value) if isinstance(value, (list, tuple, numpy.ndarray)) else str(value)
        if _c.ts_python_set(self._live(), name.encode(), text.encode(), self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())

    @property
    def report(self):
        """Numbers of the last step."""
        r = _c.ts_python_get_report(self._live())
        values = {name: getattr(r, name) for name, _ in r._fields_}
        values["status"] = _c.ts_python_status_name(r.status).decode()
        return Report(**values)

    @property
    def body_poses(self):
        """Position and quaternion (w first) of every body: (body_count, 7)."""
        poses = numpy.empty((self.body_count, 7))
        _c.ts_python_body_poses(self._live(), poses.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return poses

    @property
    def contacts(self):
        """Contacts of the last step."""
        count = _c.ts_python_get_report(self._live()).contacts
        rows = numpy.empty((count, 13))
        geoms = numpy.empty((count, 2), dtype=numpy.intc)
        _c.ts_python_contacts(
            self._live(),
            rows.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
            geoms.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
        )
        return Contacts(rows[:, 0:3], rows[:, 3:6], rows[:, 6:9], rows[:, 9:12], rows[:, 12], geoms)

    @property
    def hash(self):
        """64-bit hash of everything the future depends on."""
        return _c.ts_python_hash(self._live())
