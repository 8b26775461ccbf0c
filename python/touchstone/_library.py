"""The shared library and the signatures of its functions (python/facade_internal.h)."""

import ctypes
import os

_HERE = os.path.dirname(os.path.abspath(__file__))


class Sizes(ctypes.Structure):
    _fields_ = [("nq", ctypes.c_int), ("nv", ctypes.c_int), ("bodies", ctypes.c_int), ("geoms", ctypes.c_int)]


class Report(ctypes.Structure):
    _fields_ = [
        ("natural", ctypes.c_double),
        ("own_unmet", ctypes.c_double),
        ("penetration", ctypes.c_double),
        ("kinetic", ctypes.c_double),
        ("potential", ctypes.c_double),
        ("seconds", ctypes.c_double),
        ("contacts", ctypes.c_int),
        ("iterations", ctypes.c_int),
        ("status", ctypes.c_int),
    ]


class Settings(ctypes.Structure):
    _fields_ = [("method", ctypes.c_int), ("tolerance", ctypes.c_double), ("increment", ctypes.c_double), ("nearness", ctypes.c_double)]


class DerivativeReport(ctypes.Structure):
    _fields_ = [
        ("verdict", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("column_changed", ctypes.POINTER(ctypes.c_ubyte)),
        ("column_verdict", ctypes.POINTER(ctypes.c_ubyte)),
        ("mismatch", ctypes.c_double),
        ("unmet", ctypes.c_double),
        ("rows", ctypes.c_int),
        ("columns", ctypes.c_int),
        ("block_count", ctypes.c_int),
        ("nearest", ctypes.c_int),
        ("unknowns", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("differenced", ctypes.c_uint),
    ]


class Block(ctypes.Structure):
    _fields_ = [
        ("who", ctypes.c_char_p),
        ("mode", ctypes.c_char_p),
        ("change", ctypes.c_char_p),
        ("impulse", ctypes.c_double),
        ("speed", ctypes.c_double),
        ("gap", ctypes.c_double),
        ("roundings", ctypes.c_double),
    ]


_doubles = ctypes.POINTER(ctypes.c_double)
LOSS = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.POINTER(_doubles))


class Rollout(ctypes.Structure):
    _fields_ = [
        ("steps", ctypes.c_int),
        ("value_only", ctypes.c_int),
        ("settings", Settings),
        ("ctrl", _doubles),
        ("force", _doubles),
        ("range", ctypes.POINTER(ctypes.c_int)),
        ("range_count", ctypes.c_int),
        ("loss", LOSS),
        ("by_qpos", _doubles),
        ("by_qvel", _doubles),
        ("by_act", _doubles),
        ("by_ctrl", _doubles),
        ("by_force", _doubles),
        ("by_parameter", _doubles),
        ("total", ctypes.c_double),
        ("roundings", ctypes.c_double),
        ("unmet", ctypes.c_double),
        ("verdict", ctypes.c_int),
        ("step", ctypes.c_int),
        ("nearest_step", ctypes.c_int),
        ("differenced", ctypes.c_uint),
        ("count", ctypes.c_int * 5),
        ("reason", ctypes.c_char * 200),
    ]


class Distance(ctypes.Structure):
    _fields_ = [
        ("method", ctypes.c_char_p),
        ("increment", ctypes.c_double),
        ("spread", ctypes.c_double),
        ("temperature", ctypes.c_double),
        ("seed", ctypes.c_uint64),
        ("samples", ctypes.c_int),
        ("rings", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("status", ctypes.c_char_p),
        ("answer", ctypes.c_double * 12),
        ("derivative", ctypes.c_double * 100),
    ]


def load():
    library = ctypes.CDLL(os.path.join(_HERE, "libtouchstone_python.so"))
    world = ctypes.c_void_p
    text = ctypes.c_char_p
    number = ctypes.c_int
    size = ctypes.c_ulong
    doubles = _doubles
    integers = ctypes.POINTER(ctypes.c_int)
    signatures = {
        "open": (world, [text, number, text, size]),
        "open_text": (world, [text, number, text, size]),
        "close": (None, [world]),
        "get_sizes": (Sizes, [world]),
        "name": (text, [world, text, number]),
        "array": (doubles, [world, text, integers]),
        "equality_active": (integers, [world, integers]),
        "measure": (None, [world]),
        "sensor_range": (number, [world, number, integers, integers]),
        "foresee": (number, [world, text, size]),
        "forces": (number, [world, doubles, text, size]),
        "keep_ledger": (None, [world, number]),
        "ledger": (number, [world, doubles]),
        "ledger_name": (text, [number]),
        "save": (size, [world, text, size]),
        "restore": (number, [world, text, size, text, size]),
        "forward": (number, [world, text, size]),
        "time": (ctypes.c_double, [world]),
        "step": (number, [world, number, text, size]),
        "reset": (None, [world]),
        "set": (number, [world, text, text, text, size]),
        "get_report": (Report, [world]),
        "body_poses": (None, [world, doubles]),
        "contacts": (None, [world, doubles, integers]),
        "sleep": (ctypes.c_char_p, [world, ctypes.c_int, ctypes.c_char_p, ctypes.c_ulong]),
        "wake": (None, [world, ctypes.c_int]),
        "geom_body": (number, [world, number]),
        "hash": (ctypes.c_uint64, [world]),
        "mass_matrix": (number, [world, doubles]),
        "inverse_dynamics": (number, [world, doubles, doubles]),
        "forward_dynamics": (number, [world, doubles, doubles]),
        "inverse_derivatives": (number, [world, doubles, doubles, doubles, doubles]),
        "forward_derivatives": (number, [world, doubles, doubles, doubles, doubles]),
        "jacobian": (number, [world, text, number, number, doubles, doubles]),
        "jacobian_bias": (number, [world, text, number, doubles]),
        "centroidal": (number, [world, doubles, doubles, doubles]),
        "input_name": (text, [number]),
        "input_size": (number, [world, number]),
        "verdict_name": (text, [number]),
        "derivative_make": (world, [world, ctypes.POINTER(Settings), integers, number, text, size]),
        "derivative_close": (None, [world]),
        "derivative_get_report": (DerivativeReport, [world]),
        "derivative_block": (number, [world, number, ctypes.POINTER(Block)]),
        "derivative_matrix": (number, [world, doubles]),
        "derivative_sensors": (number, [world, integers, number, doubles, text, text, size]),
        "derivative_forward": (number, [world, doubles, doubles]),
        "derivative_reverse": (number, [world, doubles, doubles]),
        "rollout_run": (number, [world, ctypes.POINTER(Rollout), text, size]),
        "shape_open": (world, [text, doubles, number, ctypes.c_double, text, size]),
        "shape_close": (None, [world]),
        "distance_find": (number, [world, doubles, world, doubles, ctypes.POINTER(Distance), text, size]),
        "batch_open": (world, [world, number, number, text, size]),
        "batch_close": (None, [world]),
        "batch_qpos": (doubles, [world]),
        "batch_qvel": (doubles, [world]),
        "batch_ctrl": (doubles, [world]),
        "batch_act": (doubles, [world]),
        "batch_force": (doubles, [world]),
        "batch_sensor": (doubles, [world]),
        "batch_step": (number, [world, number]),
        "batch_failure": (text, [world, number]),
        "batch_reset": (None, [world]),
        "batch_set": (number, [world, number, text, text, text, size]),
        "batch_hash": (ctypes.c_uint64, [world, number]),
        "solver_name": (text, [number]),
        "scene_name": (text, [number]),
        "status_name": (text, [number]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, "ts_python_" + name)
        function.restype = result
        function.argtypes = arguments
    return library
