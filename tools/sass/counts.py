"""Counts of ncu for launches of pmpp-run, from the machine code and without a GPU."""
import os

from sass import record
from sass.record import Failure
from sass.warp import Unknown

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Instructions of a counter. A name ends before the first point.
NAMES = {"global load": ("LDG", "LDGSTS"), "global store": ("STG",),
         "global atomic": ("ATOMG", "RED", "REDG"), "shared load": ("LDS", "LDSM"),
         "shared store": ("STS",), "shared atomic": ("ATOMS",), "divergent": ("BRA",)}


def check_launch(launch, expected):
    """Checks that the executed launch is the expected one {kernel, grid, block}."""
    found = {"kernel": launch.name, "grid": launch.grid, "block": launch.block}
    for field, extent in found.items():
        if extent != expected[field]:
            raise Failure("%s is %s, and not %s" % (field, extent, expected[field]))


def count(command, nvdisasm, folder, expected):
    """The counts of the first launches of a command of pmpp-run. expected: these launches"""
    driver = os.path.join(folder, "driver")
    if not os.path.exists(driver):
        record.make_driver(SOURCE, driver)
    path = os.path.join(folder, "record")
    record.make_record(command, driver, path)
    try:
        found = list(record.launches(path, record.Disassembler(nvdisasm, folder), len(expected)))
    except (Unknown, ValueError, KeyError, IndexError) as error:
        raise Failure("%s: %s" % (type(error).__name__, error)) from error
    if len(found) < len(expected):
        raise Failure("%d of %d launches" % (len(found), len(expected)))
    for launch, wanted in zip(found, expected):
        check_launch(launch, wanted)
    return [launch.counts for launch in found]


def value(counts, name):
    """The value of a counter of ncu_compare.py."""
    threads = {"threads an instruction": "threads", "threads predicated on": "threads on"}
    if name in threads:
        return counts[threads[name]] / counts["instructions"]
    return counts.get(name, 0)


def instructions(counts, name):
    """" (LDS.128 2048, LDS 512)": the executed instructions of a counter."""
    names = next((names for start, names in NAMES.items() if name.startswith(start)), ())
    found = [(number, opcode) for opcode, number in counts.items()
             if opcode.split(".")[0] in names]
    text = ", ".join("%s %d" % (opcode, number) for number, opcode in sorted(found, reverse=True))
    return " (%s)" % (text or "no %s" % " or ".join(names)) if names else ""
