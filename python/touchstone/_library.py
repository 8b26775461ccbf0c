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


def load():
    library = ctypes.CDLL(os.path.join(_HERE, "libtouchstone_python.so"))
    world = ctypes.c_void_p
    text = ctypes.c_char_p
    number = ctypes.c_int
    size = ctypes.c_ulong
    doubles = ctypes.POINTER(ctypes.c_double)
    integers = ctypes.POINTER(ctypes.c_int)
    signatures = {
        "open": (world, [text, number, text, size]),
        "open_text": (world, [text, number, text, size]),
        "close": (None, [world]),
        "get_sizes": (Sizes, [world]),
        "name": (text, [world, text, number]),
        "array": (doubles, [world, text, integers]),
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
