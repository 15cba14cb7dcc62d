"""The built-in functions of the emulator's OpenCL front end (host/gpu/opencl_emu/runtime/builtins.cl), without
the emulator: compiled as the front end compiles them, and run by stub.c.

usage: test_builtins.py SOURCE_ROOT
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import host, made, rows
import cases
import conversions
import groups
import machine
import mathematics
from cases import FLOATS, INTEGERS, ITEMS, SIZES


def equal_to_pocl(calls):
    pocl = made("pocl", machine.Pocl)
    program = host()
    if not pocl.usable:
        raise rows.Skip("no OpenCL CPU")
    text = cases.source(calls)
    data = cases.inputs()
    ours, theirs = bytearray(ITEMS * len(calls) * 128), bytearray(ITEMS * len(calls) * 128)
    program.build(text).run("k", [data, ours], ITEMS)
    pocl.run(text, "k", [data, theirs], ITEMS)
    wrong = []
    for number, call in enumerate(calls):
        for item in range(ITEMS):
            at = (item * len(calls) + number) * 128
            if not cases.same(call.result, call.size, ours[at:at + 128], theirs[at:at + 128]):
                wrong.append(f"{call.text()}, item {item}: {ours[at:at + 16].hex()}, "
                             f"PoCL {theirs[at:at + 16].hex()}")
                break
    rows.note(f"{len(calls)} overloads")
    rows.check(not wrong, "%d overloads differ: %s" % (len(wrong), "; ".join(wrong[:8])))


def rotated(number):
    """The scalar and one vector size."""
    return (1, SIZES[1 + number % 5])


MODES = ("", "rte", "rtz", "rtp", "rtn")
rows.row("special values", mathematics.check_special)
rows.row("atomics of OpenCL C 1.2", groups.check_old_atomics)
rows.row("atomics of OpenCL C 2.0", groups.check_new_atomics)
for name in ("int", "ulong", "float"):
    (rows.row if name == "int" else rows.long_row)("groups, " + name, groups.check_groups, name)
rows.long_row("intel", groups.check_intel)
for name in ("uchar", "float", "float4", "double8"):
    rows.long_row("copies of " + name, groups.check_copies, name)
rows.row("accesses", groups.check_accesses)
rows.long_row("printf", groups.check_print)
for space in ("__global", "__local", "__private"):
    rows.long_row("vectors in " + space, conversions.check_memory, space)
rows.long_row("half in memory", conversions.check_half_memory)
for target in (*INTEGERS, *FLOATS, "half"):
    sats = (False, True) if target in INTEGERS else (False, )
    rows.long_row("conversions to " + target, conversions.check_conversions, target, MODES, sats, 1)
    rows.long_row("conversions to vectors of " + target, conversions.check_conversions, target, ("", "rtp"),
                  sats, 3)
rows.row("conversions, some", conversions.check_conversions, "uchar", ("rte", ), (True, ), 4)
for name in (*FLOATS, "half"):
    rows.long_row("mathematics, " + name, mathematics.check_math, name)
rows.long_row("as PoCL", equal_to_pocl, cases.exact_calls(rotated))
rows.long_row("shuffles as PoCL", equal_to_pocl, cases.shuffle_calls())
rows.finish()
