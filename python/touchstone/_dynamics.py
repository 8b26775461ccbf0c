"""Rigid-body dynamics of a world's present state (docs/dynamics.md)."""

import ctypes
from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Centroidal:
    """Everything that can move as one body. momentum and matrix: angular about the centre of mass first, then linear; bias is the rate of
    momentum at constant qvel, without gravity. matrix @ qvel is the momentum, jacobian @ qvel the velocity of the centre."""

    mass: float
    centre: numpy.ndarray
    velocity: numpy.ndarray
    momentum: numpy.ndarray
    bias: numpy.ndarray
    matrix: numpy.ndarray
    jacobian: numpy.ndarray


class Dynamics:
    """Asks about the state that its world has at the time; changes nothing of the simulation. Arrays are over the world's qvel."""

    def __init__(self, library, world, error):
        self._c, self._world, self._error = library, world, error

    def _call(self, name, *arguments):
        code = getattr(self._c, "ts_python_" + name)(self._world._live(), *arguments)
        if code:
            raise self._error({1: "out of memory"}.get(code, f"{name}: there is no answer"))

    def _numbers(self, values):
        values = numpy.ascontiguousarray(values, dtype=float)
        if values.shape != (self._world.nv,):
            raise ValueError(f"expected {self._world.nv} numbers, got shape {values.shape}")
        return values

    def mass_matrix(self):
        """M (nv, nv), armature included."""
        M = numpy.empty((self._world.nv, self._world.nv))
        self._call("mass_matrix", _pointer(M))
        return M

    def inverse(self, acceleration=None):
        """M a + b: the forces (nv) that an acceleration takes, against gravity and velocities. None: the bias b."""
        force = numpy.empty(self._world.nv)
        given = None if acceleration is None else self._numbers(acceleration)
        self._call("inverse_dynamics", None if given is None else _pointer(given), _pointer(force))
        return force

    def forward(self, force=None):
        """The acceleration a with M a + b = force (None: zero): what moves when nothing else acts."""
        acceleration = numpy.empty(self._world.nv)
        given = self._numbers(numpy.zeros(self._world.nv) if force is None else force)
        self._call("forward_dynamics", _pointer(given), _pointer(acceleration))
        return acceleration

    def inverse_derivatives(self, acceleration=None):
        """Of inverse(acceleration): by configuration along qvel, by velocity, by acceleration (M); three (nv, nv)."""
        out = numpy.empty((3, self._world.nv, self._world.nv))
        given = None if acceleration is None else self._numbers(acceleration)
        self._call("inverse_derivatives", None if given is None else _pointer(given), *(_pointer(m) for m in out))
        return tuple(out)

    def forward_derivatives(self, force=None):
        """Of forward(force): by configuration along qvel, by velocity, by force (the inverse of M); three (nv, nv)."""
        out = numpy.empty((3, self._world.nv, self._world.nv))
        given = self.forward(force)
        self._call("forward_derivatives", _pointer(given), *(_pointer(m) for m in out))
        return tuple(out)

    def _find(self, body, site, centre):
        given = [(kind, thing) for kind, thing in (("body", body), ("site", site), ("centre", centre)) if thing is not None]
        if len(given) != 1:
            raise TypeError("give one of body, site, centre: a name or a number")
        kind, thing = given[0]
        if isinstance(thing, str):
            names = self._world.names("site" if kind == "site" else "body")
            if thing not in names:
                raise self._error(f"no {kind} '{thing}'")
            thing = names.index(thing)
        return kind.encode(), int(thing)

    def jacobian(self, *, body=None, site=None, centre=None, rate=False):
        """Of the frame of a body, of a site, or of a body's centre of mass: linear (3, nv) and angular (3, nv), world axes; with `rate`
        their time derivatives."""
        kind, index = self._find(body, site, centre)
        J = numpy.empty((2, 3, self._world.nv))
        self._call("jacobian", kind, index, int(rate), _pointer(J[0]), _pointer(J[1]))
        return J[0], J[1]

    def jacobian_bias(self, *, body=None, site=None, centre=None):
        """(dJ/dt) qvel: linear (3) and angular (3) acceleration at constant qvel."""
        kind, index = self._find(body, site, centre)
        six = numpy.empty(6)
        self._call("jacobian_bias", kind, index, _pointer(six))
        return six[:3], six[3:]

    def centroidal(self):
        """Centre of mass, momentum, and how they hang on qvel."""
        numbers, matrix, jacobian = numpy.empty(19), numpy.empty((6, self._world.nv)), numpy.empty((3, self._world.nv))
        self._call("centroidal", _pointer(numbers), _pointer(matrix), _pointer(jacobian))
        return Centroidal(numbers[0], numbers[1:4], numbers[4:7], numbers[7:13], numbers[13:19], matrix, jacobian)


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
