"""Derivatives of a world's steps and rollouts (docs/gradients.md)."""

import ctypes
from dataclasses import dataclass

import numpy

from . import _library

_METHODS = ("implicit", "difference", "cascade")  # ts_step_method
_COLUMN_VERDICTS = ("exact", "difference", "one-sided", "useless")
_PARTS = {1: "step", 2: "inputs", 4: "collision"}


@dataclass(frozen=True)
class Block:
    """What a block of rows does in the step ("open", "stick", "slide"), which change is nearest ("closes", "opens", "slips", "sticks",
    "is pushed", "none") and how far that is away: impulse (N s), speed (m/s), gap (m), roundings (in units of what solves leave open)."""

    who: str
    mode: str
    change: str
    impulse: float
    speed: float
    gap: float
    roundings: float


@dataclass(frozen=True)
class StepReport:
    """Whether to trust a derivative. verdict: "regular", "near a change", "rank-deficient", "one-sided", "unsupported"; reason: why, empty
    when regular. nearest: the Block nearest to a change, or None. differenced: parts that were found by differences at frozen
    impulses. changed: columns in whose differences a contact, its feature or a mode changed. columns: of each column by name "exact" (by equations),
    "difference", "one-sided" (the input ends here) or "useless" (a difference across a change, or where the law jumps)."""

    verdict: str
    reason: str
    blocks: list
    nearest: Block
    unknowns: int
    rank: int
    mismatch: float
    unmet: float
    differenced: tuple
    changed: tuple
    columns: dict

    @property
    def regular(self):
        """Whether it is the derivative."""
        return self.verdict in ("regular", "near a change")


@dataclass(frozen=True)
class RolloutReport:
    """What the reports of all steps come to: the worst verdict, the step that has it first and why; how many steps have each;
    roundings: the least of any block of any step to a change of its mode, at nearest_step (-1: nowhere)."""

    verdict: str
    step: int
    reason: str
    count: dict
    roundings: float
    nearest_step: int
    unmet: float
    differenced: tuple

    @property
    def regular(self):
        """Whether all steps have a derivative."""
        return self.verdict in ("regular", "near a change")


@dataclass(frozen=True)
class Jacobian:
    """The Jacobian of a step, with the names of its rows and columns. Rows: tangent position, velocity and activations after the
    step, or what sensors show; columns: the inputs that were asked for, in their order. sensors: of each number of a sensor how it was found, apart from the
    columns of the step: "exact", "difference", or "useless" where a contact changes within the difference."""

    matrix: numpy.ndarray
    rows: list
    columns: list
    report: StepReport
    sensors: dict = None

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self.matrix, dtype=dtype, copy=True if copy is None else copy)

    def block(self, row, column):
        """The part of some rows and columns, called as in `wrt`: block("qvel", "ctrl"), block("qpos[elbow]", "friction")."""
        return self.matrix[numpy.ix_(_places(self.rows, row), _places(self.columns, column))]


class Gradient(dict):
    """Gradients by what was asked for: gradient["qvel"]; report: whether to trust them."""

    def __init__(self, values, report=None):
        super().__init__(values)
        self.report = report


@dataclass(frozen=True)
class Pull:
    """How a loss answers to one state, zero until it is filled in place: by position (tangent), velocity, activations, controls of the step
    that follows, and by parameters (what does not go through the state; a dict as asked for)."""

    qpos: numpy.ndarray
    qvel: numpy.ndarray
    act: numpy.ndarray
    ctrl: numpy.ndarray
    parameter: dict


@dataclass(frozen=True)
class Rollout:
    """A loss over many steps and its gradients: by the first state (qpos tangent), by the controls (steps, actuators) and forces
    (steps, nv) of every step, and by parameters (a dict as asked for). None throughout where only the loss was wanted."""

    loss: float
    qpos: numpy.ndarray = None
    qvel: numpy.ndarray = None
    act: numpy.ndarray = None
    ctrl: numpy.ndarray = None
    force: numpy.ndarray = None
    parameter: dict = None
    report: RolloutReport = None


def _places(labels, wanted):
    """Where labels lie that are `wanted`, begin with it as a kind ("qvel"), or belong to it as a thing ("qvel[root]")."""
    thing = wanted[:-1] + "." if wanted.endswith("]") else None
    found = [i for i, name in enumerate(labels)
             if name == wanted or name.startswith(wanted + "[") or (thing and name.startswith(thing))]
    if not found:
        raise KeyError(wanted)
    return found


def _parts(bits):
    return tuple(name for bit, name in _PARTS.items() if bits & bit)


def _pointer(array, kind=ctypes.c_double):
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(kind))


class Gradients:
    """Differentiates the steps of a world. State, contacts and warm starts of it are left as they were."""

    def __init__(self, library, world, error):
        self._c, self._world, self._error = library, world, error
        self._text = ctypes.create_string_buffer(1024)
        kinds = []
        while (name := library.ts_python_input_name(len(kinds))) is not None:
            kinds.append(name.decode())
        self.kinds = kinds

    def _fail(self):
        raise self._error(self._text.value.decode())

    def labels(self, kind):
        """The names of all inputs of a kind: ["ctrl[hip]", "ctrl[knee]"], ["qvel[root.0]", ...]; numbers for what has no name."""
        size = self._c.ts_python_input_size(self._world._live(), self.kinds.index(kind))
        names, each = {
            "qpos": ("dof", 1), "qvel": ("dof", 1), "force": ("dof", 1), "ctrl": ("actuator", 1), "wrench": ("body", 6),
            "friction": ("geom", 1), "restitution": ("geom", 1), "mass": ("body", 1), "inertia": ("body", 10),
        }.get(kind, (None, 1))
        if kind == "time_step":
            return [kind]
        if names is None:
            things = {"gravity": ["x", "y", "z"], "compliance": ["normal", "tangent"]}.get(kind, [""] * size)
        else:
            things = [name for name in self._world.names(names) for _ in range(each)]
        seen, labels = {}, []
        for i, name in enumerate(things):
            place = seen[name] = seen.get(name, -1) + 1
            labels.append(f"{kind}[{i}]" if not name else f"{kind}[{name}.{place}]" if things.count(name) > 1 else f"{kind}[{name}]")
        return labels

    def _range(self, wanted):
        kind, bracket, inside = wanted.partition("[")
        if kind not in self.kinds or (bracket and not inside.endswith("]")):
            raise self._error(f"'{wanted}' is no input of a step: one of {', '.join(self.kinds)}, or one of them with [...]")
        labels, inside = self.labels(kind), inside[:-1]
        if not bracket:
            return self.kinds.index(kind), 0, len(labels)
        try:
            first, colon, last = inside.partition(":")
            places = list(range(len(labels)))[int(first or 0) : int(last or len(labels))] if colon else [range(len(labels))[int(first)]]
        except ValueError:
            try:
                places = _places(labels, wanted)
            except KeyError:
                places = []
        except IndexError:
            places = []
        if not places or places[-1] - places[0] + 1 != len(places):
            raise self._error(f"there is no {wanted}; there are: {', '.join(labels[:40]) or 'none'}")
        return self.kinds.index(kind), places[0], len(places)

    def _ranges(self, wrt):
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        ranges = [self._range(name) for name in names]
        return names, ranges, numpy.array(ranges, dtype=numpy.intc).reshape(-1, 3).copy()

    def _settings(self, method, tolerance, increment, nearness):
        if method not in _METHODS:
            raise self._error(f"'{method}' is no method: one of {', '.join(_METHODS)}")
        return _library.Settings(_METHODS.index(method), tolerance, increment, nearness)

    def _report(self, handle, columns):
        r = self._c.ts_python_derivative_get_report(handle)
        blocks, block = [], _library.Block()
        for i in range(r.block_count):
            self._c.ts_python_derivative_block(handle, i, ctypes.byref(block))
            texts = (block.who.decode(), block.mode.decode(), block.change.decode())
            blocks.append(Block(*texts, block.impulse, block.speed, block.gap, block.roundings))
        changed = tuple(name for i, name in enumerate(columns) if r.column_changed and r.column_changed[i])
        worth = {name: _COLUMN_VERDICTS[r.column_verdict[i]] for i, name in enumerate(columns)} if r.column_verdict else {}
        return StepReport(r.verdict.decode(), r.reason.decode(), blocks, blocks[r.nearest] if r.nearest >= 0 else None,
                          r.unknowns, r.rank, r.mismatch, r.unmet, _parts(r.differenced), changed, worth)

    def _with(self, wrt, settings, ask):
        """What `ask` makes of the derivative by `wrt`: ask(handle, names, ranges, column labels, report)."""
        names, ranges, numbers = self._ranges(wrt)
        settings = self._settings(**settings)
        columns = [name for kind, first, count in ranges for name in self.labels(self.kinds[kind])[first : first + count]]
        handle = self._c.ts_python_derivative_make(self._world._live(), ctypes.byref(settings), _pointer(numbers, ctypes.c_int),
                                                   len(ranges), self._text, len(self._text))
        if not handle:
            self._fail()
        try:
            return ask(handle, names, ranges, columns, self._report(handle, columns))
        finally:
            self._c.ts_python_derivative_close(handle)

    def rows(self):
        """The names of what a step leads to."""
        return self.labels("qpos") + self.labels("qvel") + self.labels("act")

    def _sensors(self, of):
        """Numbers of the sensors `of` and the names of what they show."""
        known, numbers, rows = list(self._world.names("sensor")), [], []
        first, size = ctypes.c_int(), ctypes.c_int()
        for name in [of] if isinstance(of, str) else list(of):
            if name not in known:
                raise self._error(f"there is no sensor {name}; there are: {', '.join(n for n in known if n) or 'none with a name'}")
            numbers.append(known.index(name))
            self._c.ts_python_sensor_range(self._world._live(), numbers[-1], ctypes.byref(first), ctypes.byref(size))
            rows += [f"sensor[{name}]"] if size.value == 1 else [f"sensor[{name}.{i}]" for i in range(size.value)]
        return numpy.array(numbers, dtype=numpy.intc), rows

    def jacobian_of_sensors(self, of, wrt, settings):
        numbers, rows = self._sensors(of)

        def ask(handle, _names, _ranges, columns, report):
            matrix, worth = numpy.empty((len(rows), len(columns))), ctypes.create_string_buffer(len(rows) + 1)
            if self._c.ts_python_derivative_sensors(handle, _pointer(numbers, ctypes.c_int), len(numbers), _pointer(matrix), worth,
                                                    self._text, len(self._text)):
                self._fail()
            return Jacobian(matrix, rows, columns, report, {name: _COLUMN_VERDICTS[worth.raw[i]] for i, name in enumerate(rows)})

        return self._with(wrt, settings, ask)

    def jacobian(self, wrt, settings):
        def ask(handle, _names, _ranges, columns, report):
            rows = self.rows()
            matrix = numpy.empty((len(rows), len(columns)))
            if self._c.ts_python_derivative_matrix(handle, _pointer(matrix)):
                raise MemoryError("no memory for a Jacobian")
            return Jacobian(matrix, rows, columns, report)

        return self._with(wrt, settings, ask)

    def _apply(self, name, wrt, settings, given, share):
        def ask(handle, names, ranges, columns, report):
            sizes = [count for _, _, count in ranges]
            bounds = dict(zip(names, zip(numpy.cumsum([0] + sizes), sizes)))
            forward = name == "forward"
            into = self._flatten(given, bounds if forward else share, len(columns) if forward else len(self.rows()))
            out = numpy.empty(len(self.rows()) if forward else len(columns))
            if getattr(self._c, "ts_python_derivative_" + name)(handle, _pointer(into), _pointer(out)):
                raise MemoryError("no memory for a derivative")
            return Gradient({key: out[at : at + size] for key, (at, size) in (share if forward else bounds).items()}, report)

        return self._with(wrt, settings, ask)

    @staticmethod
    def _flatten(given, bounds, size):
        """An array as it is, or a dict of parts; those that are not named are zero."""
        if not isinstance(given, dict):
            given = numpy.ascontiguousarray(given, dtype=float)
            if given.shape != (size,):
                raise ValueError(f"expected {size} numbers, got shape {given.shape}")
            return given
        flat = numpy.zeros(size)
        for key, values in given.items():
            if key not in bounds:
                raise KeyError(f"{key}: one of {', '.join(bounds)}")
            at, count = bounds[key]
            values = numpy.asarray(values, dtype=float)
            if values.shape not in ((), (count,)):
                raise ValueError(f"{key}: expected {count} numbers, got shape {values.shape}")
            flat[at : at + count] = values
        return flat

    def _state(self):
        nv = self._world.nv
        na = len(self._world.act)
        return {"qpos": (0, nv), "qvel": (nv, nv), "act": (2 * nv, na)}

    def jvp(self, change, wrt, settings):
        return self._apply("forward", wrt, settings, change, self._state())

    def vjp(self, gradient, wrt, settings):
        return self._apply("reverse", wrt, settings, gradient, self._state())

    def _wide(self, values, steps, width, name):
        if values is None:
            return None
        values = numpy.ascontiguousarray(values, dtype=float)
        if values.shape != (steps, width) or not numpy.isfinite(values).all():
            raise ValueError(f"{name}: expected finite numbers of shape {(steps, width)}, got shape {values.shape}")
        return values

    def rollout(self, steps, loss, ctrl, force, wrt, gradient, settings):
        if steps < 0:
            raise ValueError("cannot step backwards")
        nv, nu, na = self._world.nv, len(self._world.ctrl), len(self._world.act)
        names, ranges, numbers = self._ranges(wrt)
        sizes = [count for _, _, count in ranges]
        starts = numpy.cumsum([0] + sizes)
        out = {"qpos": numpy.zeros(nv), "qvel": numpy.zeros(nv), "act": numpy.zeros(na), "ctrl": numpy.zeros((steps, nu)),
               "force": numpy.zeros((steps, nv)), "parameter": numpy.zeros(starts[-1])}
        raised = []

        def parts(array):
            return {name: array[at : at + size] for name, at, size in zip(names, starts, sizes)}

        def pull_of(pull):
            widths = nv, nv, na, nu, int(starts[-1])
            arrays = [numpy.ctypeslib.as_array(p, (n,)) if n else numpy.zeros(0) for p, n in zip(pull[:5], widths)]
            return Pull(*arrays[:4], parts(arrays[4]))

        def ask(state, pull):
            if raised:
                return 0.0
            try:
                return float(loss(self._world, state, pull_of(pull) if pull else None))
            except BaseException as error:  # it must not pass through C; it is raised again when the rollout has ended
                raised.append(error)
                return 0.0

        ctrl, force = self._wide(ctrl, steps, nu, "ctrl"), self._wide(force, steps, nv, "force")
        r = _library.Rollout(steps, int(not gradient), self._settings(**settings), _pointer(ctrl), _pointer(force),
                             _pointer(numbers, ctypes.c_int), len(ranges), _library.LOSS(ask))
        for name, array in out.items():
            setattr(r, "by_" + name, _pointer(array))
        failed = self._c.ts_python_rollout_run(self._world._live(), ctypes.byref(r), self._text, len(self._text))
        if raised:
            raise raised[0]
        if failed:
            self._fail()
        if not gradient:
            return Rollout(r.total)
        verdict = lambda i: self._c.ts_python_verdict_name(i).decode()
        report = RolloutReport(verdict(r.verdict), r.step, r.reason.decode(), {verdict(i): n for i, n in enumerate(r.count)},
                               r.roundings, r.nearest_step, r.unmet, _parts(r.differenced))
        return Rollout(r.total, *(out[key] for key in ("qpos", "qvel", "act", "ctrl", "force")), parts(out["parameter"]), report)
