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

from . import _distance, _library
from ._contact_log import ContactLog
from ._distance import Distance, DistanceCertificate, DistanceDerivative, Shape, distance
from ._dynamics import Centroidal, Dynamics
from ._gradient import Block, Gradient, Gradients, Jacobian, Pull, Rollout, RolloutReport, StepReport

_c = _library.load()


class TouchstoneError(RuntimeError):
    """What the library said was wrong: a bad file (with file:line), name or number, or a run that left finite numbers."""


_distance.library, _distance.error = _c, TouchstoneError


@dataclass(frozen=True)
class Report:
    """Numbers of the last step. natural: share of the exact law on rigid contacts that is unmet; own_unmet: of the law that the
    solver claims, which decides status (both without unit). penetration in m, energies of the present state in J."""

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
    """Contacts of the last step, one row each, world axes. The impulse (N s) acts on geom B. names and bodies: of geoms A and B and
    of what they are on, a pair for each contact; "geom 3" for what has no name."""

    position: numpy.ndarray
    normal: numpy.ndarray
    impulse: numpy.ndarray
    velocity: numpy.ndarray
    gap: numpy.ndarray
    geoms: numpy.ndarray
    names: list
    bodies: list

    def __len__(self):
        return len(self.gap)


@dataclass(frozen=True)
class Forces:
    """Generalised forces (nv each, N or N m) of the step that begins in a state, by where they come from. Together they are
    M @ acceleration + bias. passive: springs and dampers."""

    acceleration: numpy.ndarray
    applied: numpy.ndarray
    actuator: numpy.ndarray
    fluid: numpy.ndarray
    constraint: numpy.ndarray
    passive: numpy.ndarray
    bias: numpy.ndarray
    names: list

    def of(self, joint):
        """All of them at a joint, by name: {"actuator": array, ...}."""
        places = [i for i, name in enumerate(self.names) if name == joint]
        if not places:
            raise KeyError(joint)
        return {key: value[places] for key, value in vars(self).items() if key != "names"}


@dataclass(frozen=True)
class Ledger:
    """Where energy came from and went, J, by account (touchstone run --ledger): work in the last step, sums over all steps, sums of
    magnitudes. turned_over: the energy that the remainder, a sum of magnitudes, is to be measured by; outside: set between steps."""

    work: dict
    total: dict
    in_and_out: dict
    turned_over: float
    remainder: float
    outside: float
    steps: int


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


def _value_text(value):
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return " ".join(repr(float(v)) for v in value).encode()
    return str(value).encode()


def _result(name, meaning):
    return property(lambda self: self._array(name).copy(), doc=meaning + ", a copy.")


def _state(name, meaning):
    return property(
        lambda self: self._array(name).copy(),
        lambda self, values: self._write(name, values),
        doc=meaning + ", a copy; assign to change them.",
    )


def _finite(name, values, shape):
    """`values` as numbers of that shape; who assigns anything else is told what is wrong with it."""
    values = numpy.asarray(values, dtype=float)
    if values.shape != shape:
        raise ValueError(f"{name}: expected numbers of shape {shape}, got shape {values.shape}")
    if not numpy.isfinite(values).all():
        raise ValueError(f"{name}: not a finite number at {tuple(int(i) for i in numpy.argwhere(~numpy.isfinite(values))[0])}")
    return values


class World:
    """A scene (by name), a model file (by path) or MJCF text (mjcf=...) with a simulation on it."""

    def __init__(self, scene=None, *, mjcf=None, solver=None, threads=1):
        if (scene is None) == (mjcf is None):
            raise TypeError("give either a scene or mjcf text")
        self._handle = None
        self._error = ctypes.create_string_buffer(1024)
        opener, source = (_c.ts_python_open, str(scene)) if mjcf is None else (_c.ts_python_open_text, mjcf)
        self._source = source if mjcf is None else "MJCF text"
        self._handle = opener(source.encode(), threads, self._error, len(self._error))
        if not self._handle:
            raise TouchstoneError(self._error.value.decode())
        sizes = _c.ts_python_get_sizes(self._handle)
        self.nq, self.nv, self.body_count = sizes.nq, sizes.nv, sizes.bodies
        self.body_names = self.names("body")
        self.dynamics = Dynamics(_c, self, TouchstoneError)
        self._gradients = Gradients(_c, self, TouchstoneError)
        if solver is not None:
            self.set("solver", solver)

    def __repr__(self):
        what = f"time={self.time:g}, nq={self.nq}, nv={self.nv}, bodies={self.body_count}" if self._handle else "closed"
        return f"<touchstone.World {self._source!r}: {what}>"

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

    def names(self, kind):
        """Names of all things of a kind, in order: "body", "joint", "dof" (called by its joint), "geom", "site", "tendon",
        "equality", "actuator", "sensor", "keyframe"."""
        if kind not in ("body", "joint", "dof", "geom", "site", "tendon", "equality", "actuator", "sensor", "keyframe"):
            raise ValueError(f"no kind of things is called {kind!r}")
        return _names(lambda i: _c.ts_python_name(self._live(), kind.encode(), i))

    def _array(self, name):
        count = ctypes.c_int()
        data = _c.ts_python_array(self._live(), name.encode(), ctypes.byref(count))
        if not data:
            return numpy.zeros(count.value)
        return numpy.ctypeslib.as_array(data, (max(count.value, 1),))[: count.value]

    def _write(self, name, values):
        target = self._array(name)
        target[:] = _finite(name, values, target.shape)

    @property
    def time(self):
        """Simulated time, s."""
        return _c.ts_python_time(self._live())

    qpos = _state("qpos", "Generalised positions (nq)")
    qvel = _state("qvel", "Generalised velocities (nv)")
    ctrl = _state("ctrl", "Controls, one for each actuator")
    act = _state("act", "Activations of those actuators that have one")
    force = _state("force", "Generalised forces from outside (nv), kept until changed")
    mocap = _state("mocap", "Position and quaternion (w first) of each body that is moved from outside, seven numbers each, in the "
                   "order of the bodies")
    @property
    def equality_active(self):
        """Which equalities hold (bool), a copy; assign to let some go or take them up again."""
        return self._equality_flags() != 0

    @equality_active.setter
    def equality_active(self, values):
        target = self._equality_flags()
        values = numpy.asarray(values)
        if values.shape != target.shape or values.dtype != bool:
            raise ValueError(f"equality_active: expected {len(target)} truth values, got {values.dtype} of shape {values.shape}")
        target[:] = values

    def _equality_flags(self):
        count = ctypes.c_int()
        data = _c.ts_python_equality_active(self._live(), ctypes.byref(count))
        if count.value == 0:
            return numpy.zeros(0, dtype=ctypes.c_int)
        if not data:
            return numpy.zeros(count.value)
        return numpy.ctypeslib.as_array(data, (count.value,))

    bias = _result("bias", "Coriolis, centrifugal and gravity forces (nv)")
    tendon_length = _result("tendon_length", "Lengths of the tendons when the step began")
    tendon_velocity = _result("tendon_velocity", "Their rates")
    actuator_length = _result("actuator_length", "Lengths of the transmissions when the step began")
    actuator_velocity = _result("actuator_velocity", "Their rates")
    actuator_force = _result("actuator_force", "Forces of the actuators in the last step; after forward() at the state")
    force_actuator = _result("force_actuator", "Generalised forces of all actuators together (nv)")
    force_fluid = _result("force_fluid", "Generalised forces of the surrounding medium (nv)")

    @property
    def sensor(self):
        """What the sensors show, one after the other, a copy: positions and velocities of the present state; accelerations and
        forces of contacts and constraints of the last step (or of forward(solve=True))."""
        _c.ts_python_measure(self._live())
        return self._array("sensor").copy()

    @property
    def sensors(self):
        """The same by the names of the sensors; those without a name are left out."""
        values, found = self.sensor, {}
        first, size = ctypes.c_int(), ctypes.c_int()
        for i, name in enumerate(self.names("sensor")):
            _c.ts_python_sensor_range(self._live(), i, ctypes.byref(first), ctypes.byref(size))
            if name:
                found[name] = values[first.value : first.value + size.value]
        return found

    @property
    def qfrc(self):
        """Generalised forces of the step that begins in the present state, by where they come from (Forces). Contacts and what sensors
        show of a step are then those of that step; state and time stay."""
        rows = numpy.empty((6, max(self.nv, 1)))[:, : self.nv].copy()
        pointer = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        if _c.ts_python_forces(self._live(), pointer, self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())
        return Forces(*rows, self.bias, self.names("dof"))

    def keep_ledger(self, keep=True):
        """Has every step from now on booked in a new ledger, or none."""
        _c.ts_python_keep_ledger(self._live(), int(keep))

    @property
    def ledger(self):
        """The Ledger of the steps since keep_ledger(); None where none is kept."""
        count = _c.ts_python_ledger(self._live(), None)
        if count == 0:
            return None
        numbers = numpy.empty(3 * count + 4)
        _c.ts_python_ledger(self._live(), numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        names, values = _names(_c.ts_python_ledger_name), numbers.tolist()
        accounts = [dict(zip(names, values[k * count : (k + 1) * count])) for k in range(3)]
        return Ledger(*accounts, *values[3 * count : -1], int(values[-1]))

    def save(self):
        """The state with all that the future depends on, as bytes; options and solver are not part of it."""
        size = _c.ts_python_save(self._live(), None, 0)
        data = ctypes.create_string_buffer(max(size, 1))
        if size == 0 or _c.ts_python_save(self._live(), data, size) != size:
            raise MemoryError("no memory for a state")
        return data.raw[:size]

    def restore(self, state):
        """Puts a saved state back, bit for bit; of a world with the same model."""
        if _c.ts_python_restore(self._live(), state, len(state), self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())

    def forward(self, solve=False):
        """Finds everything that follows from the present state, without a step. With `solve` contacts and all other forces are
        found as well, as a step would: state and time stay."""
        find = _c.ts_python_foresee if solve else _c.ts_python_forward
        if find(self._live(), self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())

    def step(self, n=1):
        """Steps n times."""
        if n < 0:
            raise ValueError("cannot step backwards")
        if _c.ts_python_step(self._live(), n, self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())

    def jacobian(self, wrt=("qpos", "qvel", "ctrl"), *, of=None, method="implicit", tolerance=1e-12, increment=1.0, nearness=10.0):
        """The Jacobian of the step that would come next: of position (tangent, nv), velocity and activations after it by the inputs `wrt`; or
        of what sensors show after it, of="gyro" or a list of their names.

        Each is one of "qpos" (tangent), "qvel", "ctrl", "act", "force", "wrench", "friction", "restitution", "mass", "inertia", "time_step",
        "gravity", "compliance", all of it or a part: "ctrl[hip]", "qvel[0:3]", "friction[floor]", "qpos[root]", "qvel[root.2]". Controls are
        those in ctrl: a controller of the scene is not asked. method: "implicit" (by the equations) or "difference" (central
        differences of the whole step). tolerance: what may stay unmet of the contact problem; increment: scale of increments where something is
        differenced; nearness: a change of mode that is no more roundings away is near. The world stays as it is. docs/gradients.md."""
        settings = dict(method=method, tolerance=tolerance, increment=increment, nearness=nearness)
        return self._gradients.jacobian(wrt, settings) if of is None else self._gradients.jacobian_of_sensors(of, wrt, settings)

    def jvp(self, change, wrt=("qpos", "qvel", "ctrl"), *, method="implicit", tolerance=1e-12, increment=1.0, nearness=10.0):
        """Jacobian times `change` of the inputs (an array, or a dict of parts named as in `wrt`): a Gradient with "qpos", "qvel", "act"."""
        return self._gradients.jvp(change, wrt, dict(method=method, tolerance=tolerance, increment=increment, nearness=nearness))

    def vjp(self, gradient, wrt=("qpos", "qvel", "ctrl"), *, method="implicit", tolerance=1e-12, increment=1.0, nearness=10.0):
        """`gradient` of a loss by the state after the step (an array over the Jacobian's rows, or a dict with some of "qpos", "qvel",
        "act") times the Jacobian: a Gradient of that loss, a dict keyed as `wrt`."""
        return self._gradients.vjp(gradient, wrt, dict(method=method, tolerance=tolerance, increment=increment, nearness=nearness))

    def rollout(self, steps, loss, *, ctrl=None, force=None, wrt=(), gradient=True, method="implicit", tolerance=1e-12, increment=1.0,
                nearness=10.0):
        """A loss over the next `steps` steps and its gradients, backward from the last (Rollout); the world stays where it is.

        loss(world, k, pull) returns what state k (0: now, steps: the end) adds to the loss; world shows that state and must not be changed.
        When gradients are wanted it is asked a second time, with a Pull to be filled in place, in any order. ctrl (steps, actuators) and force
        (steps, nv) of each step; None: as they are now. wrt: inputs that are the same in all steps: "friction[floor]", "mass", ...
        With gradient=False only the loss."""
        settings = dict(method=method, tolerance=tolerance, increment=increment, nearness=nearness)
        return self._gradients.rollout(steps, loss, ctrl, force, wrt, gradient, settings)

    def reset(self):
        """Back to the initial state; options stay."""
        _c.ts_python_reset(self._live())

    def set(self, name, value):
        """Sets an option ("contact_margin"), the solver ("solver"), or a setting of it ("solver.tolerance")."""
        if _c.ts_python_set(self._live(), name.encode(), _value_text(value), self._error, len(self._error)):
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
        geom_names, bodies = self.names("geom"), self.names("body")
        on = _c.ts_python_geom_body
        names = [tuple(geom_names[g] or f"geom {g}" for g in pair) for pair in geoms.tolist()]
        owners = [tuple(bodies[on(self._live(), g)] or f"body {on(self._live(), g)}" for g in pair) for pair in geoms.tolist()]
        return Contacts(rows[:, 0:3], rows[:, 3:6], rows[:, 6:9], rows[:, 9:12], rows[:, 12], geoms, names, owners)

    def sleep(self, body):
        """Why a body (name or number) is awake, or that it sleeps: a word such as "asleep", "moves" or "settles", and a sentence. Option "sleep"."""
        text = ctypes.create_string_buffer(256)
        word = _c.ts_python_sleep(self._live(), self._body(body), text, len(text))
        return word.decode(), text.value.decode()

    def wake(self, body):
        """Wakes the island of a body (name or number)."""
        _c.ts_python_wake(self._live(), self._body(body))

    def _body(self, body):
        names = self.names("body")
        if isinstance(body, str):
            if body not in names:
                raise TouchstoneError(f"no body '{body}'")
            return names.index(body)
        if not 0 <= body < len(names):
            raise TouchstoneError(f"no body {body}: there are {len(names)}")
        return int(body)

    @property
    def hash(self):
        """64-bit hash of everything the future depends on."""
        return _c.ts_python_hash(self._live())


class Batch:
    """Many simulations of one scene at once, on several threads; each has the bits that it would have alone.

        with touchstone.Batch(count=256, scene="sliding-cube", threads=8) as batch:
            batch.qvel = batch.qvel + 0.1 * numpy.random.standard_normal(batch.qvel.shape)
            batch.step(100)

    The scene is given as to World.
    """

    def __init__(self, scene=None, *, count, threads=1, mjcf=None, solver=None):
        self._handle = None
        self.world = World(scene, mjcf=mjcf, solver=solver)
        self._error = ctypes.create_string_buffer(1024)
        self._handle = _c.ts_python_batch_open(self.world._live(), count, threads, self._error, len(self._error))
        if not self._handle:
            raise TouchstoneError(self._error.value.decode())
        self.count, self.nq, self.nv = count, self.world.nq, self.world.nv
        self.nu, self.na = len(self.world.ctrl), len(self.world.act)
        self.ns = len(self.world.sensor)

    def __repr__(self):
        what = f"{self.count} simulations, nq={self.nq}, nv={self.nv}" if self._handle else "closed"
        return f"<touchstone.Batch of {self.world._source!r}: {what}>"

    def close(self):
        """Releases the simulations. Arrays taken from it before are copies and stay valid."""
        if self._handle:
            _c.ts_python_batch_close(self._handle)
            self._handle = None
            self.world.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def __len__(self):
        return self.count

    def _live(self):
        if not self._handle:
            raise TouchstoneError("this batch was closed")
        return self._handle

    def _array(self, function, width):
        return numpy.ctypeslib.as_array(function(self._live()), (self.count * max(width, 1),))[: self.count * width]

    def _read(self, function, width):
        return self._array(function, width).reshape(self.count, width).copy()

    def _write(self, name, width, values):
        function = getattr(_c, "ts_python_batch_" + name)
        self._array(function, width)[:] = _finite(name, values, (self.count, width)).ravel()

    @property
    def qpos(self):
        """Generalised positions (count, nq), a copy; assign to change them."""
        return self._read(_c.ts_python_batch_qpos, self.nq)

    @qpos.setter
    def qpos(self, values):
        self._write("qpos", self.nq, values)

    @property
    def qvel(self):
        """Generalised velocities (count, nv), a copy; assign to change them."""
        return self._read(_c.ts_python_batch_qvel, self.nv)

    @qvel.setter
    def qvel(self, values):
        self._write("qvel", self.nv, values)

    @property
    def ctrl(self):
        """Controls (count, nu), kept until changed."""
        return self._read(_c.ts_python_batch_ctrl, self.nu)

    @ctrl.setter
    def ctrl(self, values):
        self._write("ctrl", self.nu, values)

    @property
    def act(self):
        """Activations (count, na) of those actuators that have one."""
        return self._read(_c.ts_python_batch_act, self.na)

    @act.setter
    def act(self, values):
        self._write("act", self.na, values)

    @property
    def sensor(self):
        """What the sensors show (count, ns), measured now; see World.sensor."""
        return self._read(_c.ts_python_batch_sensor, self.ns)

    @property
    def force(self):
        """Generalised forces from outside (count, nv), kept until changed."""
        return self._read(_c.ts_python_batch_force, self.nv)

    @force.setter
    def force(self, values):
        self._write("force", self.nv, values)

    def step(self, n=1):
        """Steps all n times. One that fails stays behind, see failures; returns how many have failed so far."""
        if n < 0:
            raise ValueError("cannot step backwards")
        return _c.ts_python_batch_step(self._live(), n)

    @property
    def failures(self):
        """What went wrong, by the index of the simulation."""
        reasons = ((i, _c.ts_python_batch_failure(self._live(), i)) for i in range(self.count))
        return {i: reason.decode() for i, reason in reasons if reason}

    def reset(self):
        """All back to the initial state, failures forgotten; options stay."""
        _c.ts_python_batch_reset(self._live())

    def set(self, name, value, index=None):
        """Sets an option, as World.set does, of one simulation or (index None) of all."""
        if index is not None and not 0 <= index < self.count:
            raise IndexError(f"simulation {index} of {self.count}")
        arguments = -1 if index is None else index, name.encode(), _value_text(value)
        if _c.ts_python_batch_set(self._live(), *arguments, self._error, len(self._error)):
            raise TouchstoneError(self._error.value.decode())

    def hash(self, index):
        """64-bit hash of everything the future of one simulation depends on."""
        if not 0 <= index < self.count:
            raise IndexError(f"simulation {index} of {self.count}")
        return _c.ts_python_batch_hash(self._live(), index)
