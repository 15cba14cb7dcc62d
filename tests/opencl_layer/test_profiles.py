"""The program on devices that this machine does not have: profiles over PoCL (layer.h).

usage: test_profiles.py PMPP_RUN SOURCE_ROOT LAYER PROFILE

A profile changes answers, not execution. The rows check what the program reports of the device, and
that each row of `verify all` and `run all` is right or has a reason that the device's limits give.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import command
import rows
from command import json_of, pmpp

ROOT, LAYER, NAME = sys.argv[2:5]
FOLDER = os.path.join(ROOT, "tests", "opencl_layer")
# `verify` chooses sizes by the speed of a GPU: PoCL would take hours.
SIZE = "--size=37"
QUICK = ["--size=64", "--min-time=1", "--min-samples=2", "--max-samples=2", "--flush=no"]
# `run` differs from `verify` by the device's timer: the profiles have four kinds. Under the others, and in the
# short form, some rows are timed.
RUN_ALL = {"rx-7900-xtx", "rusticl-rx-6700-xt", "arc-a770", "apple-m1-max", "unknown-16"}
# The short form: one row with a block of 1024, tiles in local memory, atomics, a macro LANES, language 2.0.
FEW = ["coalesce/contiguous", "matmul/tiled32", "reduce/single-pass", "histogram/private",
       "divergence/warp-aligned"]

# The figures of the shape that `devices -v` must show. None: neither the driver nor a table has the
# figure. The sources are those of the profiles; widths: vendors' documents (common/model/chip.c).
EXPECTED = {
    "rx-7900-xtx": dict(lanes=32, block_threads=1024, units=48, fp64=1, fp16=1, shuffle=0,
                        last_cache_bytes=96 << 20, line_bytes=128),
    "rx-6800-xt": dict(lanes=32, block_threads=1024, units=36, fp64=1, fp16=1, shuffle=0,
                       last_cache_bytes=128 << 20, line_bytes=128),
    "radeon-vii": dict(lanes=64, block_threads=1024, units=60, fp64=1, fp16=1, shuffle=0,
                       last_cache_bytes=4 << 20, line_bytes=64),
    "mi250": dict(lanes=64, units=110, fp64=1, fp16=1, shuffle=0, last_cache_bytes=8 << 20,
                  line_bytes=128),
    "rusticl-rx-6700-xt": dict(lanes=32, block_threads=1024, units=20, fp64=0, fp16=0, shuffle=0,
                               last_cache_bytes=96 << 20, timer_ns=None, line_bytes=128),
    "arc-a770": dict(lanes=16, block_threads=1024, units=32, fp64=0, fp16=1, shuffle=1,
                     last_cache_bytes=16 << 20, timer_ns=52, line_bytes=64),
    "arc-b580": dict(lanes=16, block_threads=1024, units=20, fp64=1, fp16=1, shuffle=1,
                     last_cache_bytes=18 << 20, line_bytes=64),
    "iris-xe": dict(lanes=16, block_threads=512, units=6, fp64=0, fp16=1, shuffle=1, line_bytes=64),
    "uhd-630": dict(lanes=16, block_threads=256, units=3, fp64=1, fp16=1, shuffle=1, line_bytes=64,
                    clock_mhz=None),
    "apple-m1-max": dict(lanes=32, block_threads=256, units=32, fp64=0, fp16=0, shuffle=0,
                         last_cache_bytes=None, timer_ns=1000, clock_mhz=None, line_bytes=128),
    "mali-g610": dict(lanes=16, block_threads=1024, units=4, fp64=0, fp16=1, shuffle=0,
                      shared_on_chip=0, line_bytes=64),
    "adreno-650": dict(lanes=128, block_threads=1024, units=3, fp64=0, fp16=1, clock_mhz=None,
                       line_bytes=64),
    "unknown-16": dict(lanes=None, sector_bytes=None, block_threads=192, units=6, fp64=0, fp16=0,
                       shuffle=0, l2_bytes=None, timer_ns=None, clock_mhz=800, line_bytes=32),
}[NAME]


def read_profile():
    profile = {}
    with open(os.path.join(FOLDER, "profiles", NAME + ".profile"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                key, value = line.split("=", 1)
                profile[key.strip()] = value.strip().strip('"')
    return profile


PROFILE = read_profile()
DEVICE = PROFILE["CL_DEVICE_NAME"].strip()
SHARED = int(PROFILE["CL_DEVICE_LOCAL_MEM_SIZE"])
KERNEL_BLOCK = int(PROFILE["CL_KERNEL_WORK_GROUP_SIZE"])
BLOCK = int(PROFILE.get("CL_KERNEL_WORK_GROUP_SIZE.required", KERNEL_BLOCK))


def under(*arguments, answers=False, expected=(0,)):
    """The finished process under the profile. answers: also what PoCL cannot execute, and the sizes of
    the real device."""
    env = {"OPENCL_LAYERS": LAYER,
           "PMPP_PROFILE": os.path.join(FOLDER, "profiles", NAME + ".profile"),
           "PMPP_PROFILE_ANSWERS": "1" if answers else None,
           "PMPP_PROFILE_LIMITS": None if answers else os.path.join(FOLDER, "limits")}
    result = pmpp(*arguments, env=env)
    rows.check(result.returncode in expected, "%s: exit code %d: %s" % (
        " ".join(arguments), result.returncode, command.describe(result)))
    return result


def need_pocl():
    """Skips the row where there is no PoCL: the layer then leaves no platform."""
    if not pmpp_devices():
        rows.skip_backend("opencl", "no PoCL for the layer")


_devices = None


def pmpp_devices():
    """The OpenCL device of `devices --json`; None without PoCL."""
    global _devices
    if _devices is None:
        document = json_of(under("devices", "--json", answers=True))
        _devices = [d for d in document["devices"] if "opencl" in d["views"]]
    return _devices


def check_devices():
    need_pocl()
    rows.equal(len(pmpp_devices()), 1, "OpenCL devices")
    device = pmpp_devices()[0]
    shape = {v["name"]: v for v in device["views"]["opencl"]["shape"]["values"]}
    rows.equal(device["name"], DEVICE, "name")
    rows.equal(device["vendor"], PROFILE["CL_DEVICE_VENDOR"].strip(), "vendor")
    rows.equal(device["type"], "gpu", "type")
    rows.equal(shape["block_shared_bytes"]["value"], SHARED, "block_shared_bytes")
    for name, value in EXPECTED.items():
        rows.equal(shape[name].get("value"), value, name)
        rows.check((shape[name]["source"] == "unknown") == (value is None),
                   "%s: source %s" % (name, shape[name]["source"]))
    text = under("devices", "-v", answers=True).stdout
    width = EXPECTED["lanes"]
    want = r"lanes +%s" % ("%d threads" % width if width else "- +unknown")
    rows.check(DEVICE in text and re.search(want, text), "devices -v: no %r in %s" % (want, text))


def check_doctor():
    need_pocl()
    result = under("doctor", answers=True)
    rows.check("opencl:0.0 " + DEVICE in result.stdout, command.describe(result))
    rows.check("fail" not in result.stdout.lower(), command.describe(result))


def check_list():
    need_pocl()
    families = json_of(under("list", "--json", answers=True))["families"]
    rows.check(len(families) > 10, "families: %d" % len(families))


def check_explain():
    need_pocl()
    result = under("explain", "coalesce/contiguous", "--device=opencl:0.0", SIZE, "--json")
    explanation = json_of(result)["explanations"][0]
    widths = pmpp_devices()[0]["views"]["opencl"]["shape"]["widths"]
    if EXPECTED["lanes"]:
        rows.check(explanation["model"]["width"] in widths, "%r of widths %r" %
                   (explanation["model"], widths))
    else:  # the reference's model, with a note
        rows.check("no access model" in result.stderr, "no note: %s" % result.stderr)
    block = explanation["launch"]["block"]
    rows.check(block[0] <= BLOCK, "block %r" % block)


# ---- Reasons --------------------------------------------------------------------------------------

def larger(limit):
    """A check of "A ...; this device has B": A is larger, B is a limit of the device."""
    def check(found):
        need, has = int(found.group(1)), int(found.group(2))
        return need > has and has in limit
    return check


# The reasons that a row may have, and when: all come from the device, the domain of a row, or PoCL.
REASONS = [
    (r"needs an OpenCL CPU device \(kernel written for CPUs\)", None),
    (r"needs inline PTX \(an NVIDIA GPU\)", None),
    (r"needs asynchronous copies to shared memory \(NVIDIA: compute capability 8\.0\)", None),
    (r"needs tensor cores by mma\.sync \(compute capability 8\.0, or an emulator\)", None),
    (r"needs wgmma or setmaxnreg \(only compute capability 9\.0, CUDA 12\)", None),
    # The layer leaves out extensions that PoCL's compiler lacks.
    (r"needs half precision arithmetic", None),
    (r"needs reduction within a warp \(shuffles, or sub_group_reduce\)", None),
    (r"needs double precision", lambda found: EXPECTED["fp64"] == 0),
    (r"out of its domain: .*", None),
    (r"(\d+) bytes of (?:dynamic|static) shared memory per block; this device has (\d+)",
     larger([SHARED])),
    (r"kernel \w+: (\d+) bytes of shared memory per block, opencl:0\.0 has (\d+)", larger([SHARED])),
    (r"a block (?:of another kernel of the file )?has (\d+) threads(?: along [xyz])?; this device allows at most (\d+)",
     larger([BLOCK])),
    (r"a block has (\d+) threads; on this device the kernel allows at most (\d+)",
     larger([BLOCK, KERNEL_BLOCK])),
]


def is_hardware(reason):
    """Whether a reason is one of REASONS, or two of them: at the default tile and at the smallest."""
    parts = re.fullmatch(r"(.*); no smaller tile fits \([^)]*\): (.*)", reason or "")
    if parts:
        return is_hardware(parts.group(1)) and is_hardware(parts.group(2))
    for pattern, check in REASONS:
        found = re.fullmatch(pattern, reason or "")
        if found and (not check or check(found)):
            return True
    return False


def check_results(document):
    """No row is wrong; each skip has a hardware reason; the width is the device's."""
    wrong = []
    ran = 0
    for row in document["results"]:
        name = "%s/%s" % (row["family"], row["variant"])
        skips = row["status"] in ("skipped", "unsupported")
        ran += row["status"] == "ok"
        if row["status"] != "ok" and not (skips and is_hardware(row["reason"])):
            wrong.append("%s: %s: %s" % (name, row["status"], row["reason"]))
        lanes = row.get("lanes")
        if lanes is not None and EXPECTED["lanes"] and lanes != EXPECTED["lanes"]:
            wrong.append("%s: %d lanes" % (name, lanes))
        assumed = any("LANES" in note for note in row.get("notes", []))
        if lanes is not None and not EXPECTED["lanes"] and not assumed:
            wrong.append("%s: %d lanes without a note" % (name, lanes))
    rows.check(not wrong, "%d rows:\n%s" % (len(wrong), "\n".join(sorted(set(wrong)))))
    rows.check(ran > 0, "no row ran")
    rows.note("%d rows ran" % ran)


def check_verify(names):
    need_pocl()
    path = command.new_path("verify.json")
    result = under("verify", *names, SIZE, "--backend=opencl", "--json=" + path, expected=(0, 3))
    check_results(command.json_file(path)) # names the wrong rows
    rows.equal(result.returncode, 0, "exit code")


def check_run(names):
    need_pocl()
    path = command.new_path("run.json")
    result = under("run", *names, *QUICK, "--backend=opencl", "--json=" + path, expected=(0, 3))
    document = command.json_file(path)
    check_results(document)
    rows.equal(result.returncode, 0, "exit code")
    timed = [r for r in document["results"] if r["status"] == "ok" and r["timing"]]
    rows.check(timed, "no row has a time")


for title, check in [("devices", check_devices), ("doctor", check_doctor), ("list", check_list),
                     ("explain", check_explain)]:
    rows.row("%s: %s" % (NAME, title), check)
if rows.is_short():
    rows.row("%s: verify some" % NAME, check_verify, FEW)
rows.long_row("%s: verify all" % NAME, check_verify, ["all"])
if rows.is_short() or NAME not in RUN_ALL:
    rows.row("%s: run some" % NAME, check_run, FEW[:2])
if NAME in RUN_ALL:
    rows.long_row("%s: run all" % NAME, check_run, ["all"])
rows.finish()
