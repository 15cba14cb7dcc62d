"""`devices -v` and the shape in `devices --json`: the same figures, each with its source. The test also
runs under other vendors' OpenCL for the CPU (tests/support/implementations.py)."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import expect, json_of, need_jsonschema, rows

NAMES = """lanes line_bytes sector_bytes banks bank_bytes block_threads block_shared_bytes
shared_on_chip units unit_threads unit_shared_bytes l1_bytes l2_bytes last_cache_bytes unified_memory
fp64 fp16 shuffle sub_group_reduce timer_ns clock_mhz""".split()
SOURCES = ("query", "table", "unknown")
FIGURE = re.compile(r"^     ([a-z0-9_]+) +(-|\d+)( [a-zA-Z]+)? +(query|table|unknown)(: .+)?$")
# By implementation: a field of its device with a text in it, and what is known, {figure: value}; None is
# unknown. Intel's device has the name of the CPU, PoCL's has the CPU's vendor.
KNOWN = {
    "intel": ("vendor", "Intel(R) Corporation",
              {"shuffle": 1, "sub_group_reduce": 1, "shared_on_chip": 0, "unified_memory": 1}),
    "rusticl": ("name", "llvmpipe", {"lanes": None, "timer_ns": None, "shuffle": 0, "shared_on_chip": 0,
                                     "line_bytes": None}),
    "pocl": ("name", "pthread", {"shuffle": 0, "shared_on_chip": 0, "unified_memory": 1}),
}


def views():
    """{"opencl:0.0": view} of the machine."""
    found = {}
    for device in json_of(expect(0, "devices", "--json"))["devices"]:
        for backend, view in device["views"].items():
            found[backend + ":" + view["index"]] = view
    return found


def figures(view):
    return {value["name"]: value.get("value") for value in view["shape"]["values"]}


def records():
    for label, view in views().items():
        shape = view["shape"]
        rows.equal([value["name"] for value in shape["values"]], NAMES, label)
        for value in shape["values"]:
            rows.check(value["source"] in SOURCES, "%s: %r" % (label, value))
            rows.equal("value" in value, value["source"] != "unknown", value["name"])
            rows.check(value["source"] == "unknown" or value["origin"], "no origin: %r" % value)
        rows.equal(shape["widths"], sorted(set(shape["widths"])), "widths")
        rows.equal(len(shape["widths"]) <= 8, True, "widths")
        rows.check(not shape["widths"] or figures(view)["lanes"] in [None, *shape["widths"]], label)


def texts():
    found = views()
    label, seen = None, {}
    for line in expect(0, "devices", "-v").stdout.splitlines():
        begin = re.match(r"^   ([a-z-]+:[0-9.]+) ", line)
        if begin:
            label = begin.group(1)
            seen[label] = {}
        figure = FIGURE.match(line)
        if figure:
            value = figure.group(2)
            seen[label][figure.group(1)] = None if value == "-" else int(value)
        elif line.startswith("     "):
            rows.check(line.split()[0] in ("widths", "unit", "model"), line)
            seen[label][line.split()[0]] = line.split(None, 1)[1]
    rows.equal(sorted(seen), sorted(found), "views")
    for label, view in found.items():
        rows.equal({name: seen[label][name] for name in NAMES}, figures(view), label)
        rows.equal(seen[label]["widths"], ", ".join(map(str, view["shape"]["widths"])) + " threads"
                   if view["shape"]["widths"] else "unknown", label)
        rows.equal(seen[label]["model"], view["shape"].get("model", "none"), label)


def brief():
    text = expect(0, "devices").stdout
    rows.check("line_bytes" not in text, "figures without -v: " + text)


def platforms():
    """The platform of an OpenCL device is shown, and selects the device."""
    text = expect(0, "devices").stdout
    found = {label: view["platform"] for label, view in views().items() if label.startswith("opencl:")}
    if not found:
        raise rows.Skip("no OpenCL device")
    for label, platform in found.items():
        rows.check(re.search(r"^   %s +%s, " % (re.escape(label), re.escape(platform)), text, re.M), text)
        word = re.match(r"\w+", platform)[0].lower()
        table = expect(0, "verify", "vecadd/fine", "--size=10", "--device=" + word, "--md").stdout
        rows.check(platform in table, table)
    for device in json_of(expect(0, "devices", "--json"))["devices"]:
        if device["type"] == "cpu":
            rows.check("%s (%s)  cpu" % (device["name"], device["views"]["opencl"]["platform"]) in text, text)


def limits():
    """The limits and the shape do not contradict each other."""
    for label, view in views().items():
        lanes = figures(view)["lanes"]
        if view["limits"]["warp_size"] > 1:
            rows.equal(view["limits"]["warp_size"], lanes, label)
        rows.equal(view["limits"]["clock_mhz"], figures(view)["clock_mhz"] or 0, label)


def shared_memory():
    """The line of a device has the figure of -v."""
    for line in expect(0, "devices").stdout.splitlines():
        begin = re.match(r"^   ([a-z-]+:[0-9.]+) ", line)
        whole = begin and figures(views()[begin.group(1)])["block_shared_bytes"]
        if whole:
            rows.check(" %.0f kB" % (whole / 1e3) in line, "no %d bytes: %s" % (whole, line))


def emulators():
    for label, view in views().items():
        if "-emu:" in label:
            rows.equal(view["shape"]["model"], "sm_90", label)
            rows.equal(view["shape"]["widths"], [32], label)
            rows.equal(figures(view)["sector_bytes"], 32, label)


def schema():
    need_jsonschema()
    json_of(expect(0, "devices", "--json"))


def implementation(name):
    field, text, known = KNOWN[name]
    found = [view for device in json_of(expect(0, "devices", "--json"))["devices"] if text in device[field]
             for view in device["views"].values()]
    rows.equal(len(found), 1, "devices of " + name)
    got = figures(found[0])
    rows.equal({figure: got[figure] for figure in known}, known, name)
    if name == "intel":
        # The driver takes the clock from the CPU's name, "... @ 2.50GHz". Not every name has one.
        clock = re.search(r"@ (\d\.\d\d)GHz", found[0]["name"])
        rows.equal(got["clock_mhz"], round(1000 * float(clock[1])) if clock else None, "intel's clock")
        rows.check(found[0]["shape"]["widths"][-3:] == [16, 32, 64], found[0]["shape"]["widths"])


rows.row("shape in devices --json", records)
rows.row("devices -v prints the record's figures", texts)
rows.row("devices without -v is short", brief)
rows.row("the platform is shown and selects a device", platforms)
rows.row("limits agree with the shape", limits)
rows.row("shared memory of devices and devices -v", shared_memory)
rows.row("emulators have the shape of their model", emulators)
rows.row("devices --json fits the schema", schema)
for wanted in filter(None, os.environ.get("PMPP_TEST_IMPLEMENTATIONS", "").split(",")):
    rows.row("figures of " + wanted, implementation, wanted)
rows.finish()
