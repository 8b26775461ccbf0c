"""Signed distances of two shapes, and their derivatives (docs/collision.md)."""

import ctypes
from dataclasses import dataclass

import numpy

from . import _library

_FLAGS = {1: "singular", 2: "border", 4: "unknown", 8: "smoothed"}


@dataclass(frozen=True)
class DistanceCertificate:
    """Where a derivative holds. flags: empty where it is the derivative of the answer, else some of "singular" (several answers are as
    good), "border" (a feature ends here), "unknown" (nothing could be said: zero), "smoothed". curvature (m): least eigenvalue of K over the
    directions in which the normal is free; crossing: sine between two edges that hold it; room (m) and turn (rad): how far points and normal
    may move before they leave their features; in an overlap room is also how far before another way out is as good."""

    flags: tuple
    curvature: float
    crossing: float
    room: float
    turn: float

    @property
    def regular(self):
        """Whether the derivative is that of the answer."""
        return not self.flags


@dataclass(frozen=True)
class DistanceDerivative:
    """By the pose of B in A's frame, T -> T Exp(xi): a column for each number of xi, B's own axes. Everything else is in A's frame: distance
    (6), normal, point_a and point_b (3, 6), tangent (2, 3, 6): the contact frame's other axes."""

    distance: numpy.ndarray
    normal: numpy.ndarray
    point_a: numpy.ndarray
    point_b: numpy.ndarray
    tangent: numpy.ndarray
    certificate: DistanceCertificate
    columns = ("vx", "vy", "vz", "wx", "wy", "wz")


@dataclass(frozen=True)
class Distance:
    """The signed distance (m) between two shapes, with lower <= distance <= upper certified, the unit normal from A to B and the points
    that are nearest (deepest), in world coordinates. derivative: a DistanceDerivative, or None."""

    distance: float
    normal: numpy.ndarray
    point_a: numpy.ndarray
    point_b: numpy.ndarray
    lower: float
    upper: float
    status: str
    derivative: DistanceDerivative = None


class Shape:
    """A convex shape by its kind and numbers (m): Shape("sphere", 0.1), Shape("box", 0.1, 0.2, 0.3), Shape("capsule", 0.1, 0.5), ..., as
    `touchstone distance --help` lists them; Shape("triangle", corners) and Shape("hull", points) take rows of three. rounding: the
    radius of a ball that it is grown by."""

    def __init__(self, kind, *numbers, rounding=0.0):
        self._handle = None
        flat = numpy.ascontiguousarray(numpy.concatenate([numpy.ravel(n) for n in numbers]) if numbers else [], dtype=float)
        if kind in ("triangle", "hull") and len(flat) % 3:
            raise ValueError(f"{kind}: expected rows of three numbers")
        text = ctypes.create_string_buffer(1024)
        self._handle = library.ts_python_shape_open(kind.encode(), _pointer(flat), len(flat), rounding, text, len(text))
        if not self._handle:
            raise error(text.value.decode())
        self.kind = kind

    @classmethod
    def of(cls, given):
        """A Shape as it is, or one by its word on the command line: "box:0.1,0.2,0.3", grown "box:0.1,0.2,0.3+0.01"."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, str):
            raise TypeError(f"expected a Shape or text as 'box:0.1,0.2,0.3', got {type(given).__name__}")
        kind, _, numbers = given.partition(":")
        numbers, _, rounding = numbers.partition("+")
        try:
            return cls(kind, *(float(n) for n in numbers.split(",") if numbers), rounding=float(rounding or 0))
        except ValueError as reason:
            raise ValueError(f"shape {given!r}: {reason}") from None

    def __repr__(self):
        return f"<touchstone.Shape {self.kind}>"

    def __del__(self):
        if self._handle:
            library.ts_python_shape_close(self._handle)
            self._handle = None


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _pose(given):
    pose = numpy.array([0, 0, 0, 1, 0, 0, 0], dtype=float)
    given = numpy.ravel(numpy.zeros(3) if given is None else given)
    if len(given) not in (3, 7):
        raise ValueError("a pose is a position (3), or a position and a quaternion, w first (7)")
    pose[: len(given)] = given
    return pose


def distance(a, b, pose_a=None, pose_b=None, *, derivative=False, method="exact", increment=1e-6, samples=50, spread=1e-2,
             seed=1, rings=1, temperature=1e-2):
    """The Distance between Shapes a and b at poses in the world: a position, or a position and a quaternion (w first). A shape may be
    given as text, too: distance("box:0.1,0.2,0.3", "sphere:0.1", pose_b=(1, 0, 0)).

    With derivative=True its derivative by the pose of B: method "exact", "difference" (central, by `increment`), "gaussian-0" (of the
    answer averaged over `samples` poses scattered by `spread`), "gaussian-1" (of directions) or "gumbel" (corners up to `rings` edges away,
    softened by `temperature`), see docs/collision.md."""
    ask = _library.Distance(method.encode() if derivative else None, increment, spread, temperature, seed, samples, rings)
    text = ctypes.create_string_buffer(1024)
    a, b = Shape.of(a), Shape.of(b)
    pose_a, pose_b = _pose(pose_a), _pose(pose_b)
    if library.ts_python_distance_find(a._handle, _pointer(pose_a), b._handle, _pointer(pose_b), ctypes.byref(ask), text, len(text)):
        raise error(text.value.decode())
    answer, found = numpy.array(ask.answer), None
    if derivative:
        d = numpy.array(ask.derivative)
        flags = tuple(name for bit, name in _FLAGS.items() if ask.flags & bit)
        found = DistanceDerivative(d[:6], *(d[6 + 18 * k : 24 + 18 * k].reshape(3, 6) for k in range(3)),
                                   d[60:96].reshape(2, 3, 6), DistanceCertificate(flags, *d[96:].tolist()))
    return Distance(float(answer[0]), answer[3:6], answer[6:9], answer[9:12], float(answer[1]), float(answer[2]), ask.status.decode(), found)


library = error = None  # set by the package
