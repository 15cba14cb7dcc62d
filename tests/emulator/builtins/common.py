"""What the files of the built-ins' test share."""

import atexit
import os
import shutil
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import clang
import machine
import rows
from cases import BYTES, CODES

ROOT = sys.argv[1]
FOLDER = tempfile.mkdtemp(prefix="pmpp-builtins-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
CLANG = clang.find()
_made = {}


def made(key, make):
    if key not in _made:
        _made[key] = make()
    return _made[key]


def host(traced=False):
    if not CLANG:
        raise rows.Skip("no clang")
    folder = os.path.join(FOLDER, str(int(traced)))
    os.makedirs(folder, exist_ok=True)
    return made(("host", traced), lambda: machine.Host(CLANG, ROOT, folder, traced))


def bytes_of(name, values):
    return bytearray(struct.pack(f"<{len(values)}{CODES[name]}", *values))


def values_of(name, data):
    return list(struct.unpack(f"<{len(data) // BYTES[name]}{CODES[name]}", data))
