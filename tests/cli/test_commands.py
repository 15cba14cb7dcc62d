"""Every command, its exit code and the files for programs that it writes."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from command import (LIMIT_S, PROGRAM, devices, environment, expect, json_file, json_of, need,
                     need_jsonschema, new_path, pmpp, refused, validated)
import rows

EMULATOR = ("--backend=cuda-emu",)
STATUS = {"ok", "unverified", "failed", "unsupported", "skipped", "build_error", "launch_error",
          "timeout", "crashed"}


def fields(value, names, what):
    missing = [name for name in names.split() if name not in value]
    rows.check(not missing, "%s lacks %s" % (what, ", ".join(missing)))


def no_infinities(value, path="$"):
    if isinstance(value, dict):
        for name, item in value.items():
            no_infinities(item, "%s.%s" % (path, name))
    elif isinstance(value, list):
        for item in value:
            no_infinities(item, path + "[]")
    elif isinstance(value, float):
        rows.check(value == value and abs(value) != float("inf"), "%s is %r" % (path, value))


# ---- Documents ------------------------------------------------------------------------------

BACKEND = {"name": "x", "usable": True, "reason": "", "library": ""}
# (schema, the rest of the document, part of the message; None: the document is valid)
DOCUMENTS = (
    ("pmpp-devices/1", {"devices": [], "backends": [BACKEND]}, None),
    ("pmpp-devices/1", {"devices": [], "backends": [BACKEND], "newer": 1}, None),
    ("pmpp-devices/1", {"backends": []}, "'devices' is a required property"),
    ("pmpp-devices/1", {"devices": [], "backends": [{**BACKEND, "usable": 1}]},
     "['backends', 0, 'usable']: 1 is not of type 'boolean'"),
    ("pmpp-devices/1", {"devices": [], "backends": [{**BACKEND, "reason": None}]},
     "['backends', 0, 'reason']: None is not of type 'string'"),
    ("pmpp-devices/2", {"devices": [], "backends": []}, "pmpp-devices/2 has no file"),
)


def schemas():
    """json_of and json_file refuse what does not fit docs/schema."""
    need_jsonschema()
    for schema, rest, want in DOCUMENTS:
        try:
            validated({"schema": schema, **rest})
            got = None
        except rows.Failure as failure:
            got = str(failure)
        rows.check(want in got if want and got else want == got, "%r: %s" % (rest, got))


# ---- Version, lists --------------------------------------------------------------------------

def version():
    text = expect(0, "--version").stdout
    rows.check(text.startswith("pmpp-run ") and len(text.splitlines()) <= 3, repr(text))


def nothing_to_do():
    result = expect(1)
    rows.check("--help" in result.stderr, result.stderr)


def list_text():
    text = expect(0, "list").stdout
    for word in ("matmul", "vecadd", "tiled32", "grid-stride", "cpu-packed"):
        rows.check(word in text, "list lacks " + word)
    rows.check("roof" not in text.split(), "list shows the internal family")
    one = expect(0, "list", "vecadd").stdout
    rows.check("vector4" in one and "tiled32" not in one, "list vecadd: " + one)
    two = expect(0, "list", "matmul/tiled16", "matmul/coarse2").stdout.splitlines()
    rows.equal([line.split()[0] for line in two[2:]], ["tiled16", "coarse2"], "list of two variants")


def list_json():
    document = json_of(expect(0, "list", "--json"))
    rows.equal(document["schema"], "pmpp-list/1")
    names = [f["name"] for f in document["families"]]
    rows.check("matmul" in names and "vecadd" in names and "roof" not in names, names)
    for family in document["families"]:
        fields(family, "name title problem book variants", "family")
        for variant in family["variants"]:
            fields(variant, "name technique file needs tunables repro one_sided", "variant")
            rows.check(variant["repro"] in ("bitwise", "run", "bound"), variant["repro"])
    matmul = document["families"][names.index("matmul")]["variants"]
    rows.equal(len(matmul), 31, "variants of matmul")
    rows.equal([v["name"] for v in matmul if v["one_sided"]], ["cpu-packed"], "one-sided")
    shuffle = [v for v in document["families"][names.index("reduce")]["variants"] if v["name"] == "shuffle"]
    rows.check("reduction within a warp" in " ".join(shuffle[0]["needs"]), shuffle)


def list_one_json():
    families = json_of(expect(0, "list", "matmul/tiled16", "--json"))["families"]
    rows.equal([[v["name"] for v in f["variants"]] for f in families], [["tiled16"]], "variants")


def devices_json():
    document = json_of(expect(0, "devices", "--json"))
    rows.equal(document["schema"], "pmpp-devices/1")
    for device in document["devices"]:
        fields(device, "key uuid pci vendor name type views limits", "device")
        rows.check(device["views"], "a device without a view")
        for view in device["views"].values():
            fields(view, "driver compiler", "view")
    no_infinities(document)


def devices_text():
    text = expect(0, "devices").stdout
    rows.check(all(word in text for word in ("cuda", "opencl", "cuda-emu", "opencl-emu")),
               "a backend is not mentioned: " + text)


def show():
    text = expect(0, "show", "matmul/tiled16").stdout
    rows.check("__kernel" in text and "__global__" in text, "not both sources")
    rows.check("matmul/tiled.cl" in text and "matmul/tiled.cu" in text, "not both names")
    text = expect(0, "show", "matmul/cpu-packed").stdout
    rows.check("__kernel" in text and "__global__" not in text, "a one-sided variant")


def doctor():
    result = expect(0, "doctor")
    for word in ("opencl", "cuda", "cuda-emu", "opencl-emu", "cache"):
        rows.check(word in result.stdout, "doctor says nothing of " + word)
    rows.check("timer: resolution" not in result.stdout, "the resolution of the driver or a measured one?")
    # Every build has the CUDA backend. A machine without a toolkit (tools/bare.sh) shows it.
    rows.check(re.search(r"^(ok|no)   cuda[;:]", result.stdout, re.M), result.stdout)


SELFTEST = ["selftest", "prefetch/async-copy", *EMULATOR]


def selftest():
    """Nothing gets through, and the user's caches and temporary files stay as they are."""
    need("cuda-emu")
    temporary, cache = new_path("tmp"), new_path("cache")
    os.mkdir(temporary)
    result = expect(0, *SELFTEST, "-v", env={"TMPDIR": temporary, "XDG_CACHE_HOME": cache})
    found = re.fullmatch(r"(\d+) of (\d+) wrong kernels rejected, (\d+) of (\d+) right kernels ok",
                         result.stdout.splitlines()[-1])
    rows.check(found, result.stdout)
    rejected, wrong, passed, right = map(int, found.groups())
    rows.check(rejected == wrong >= 4 and passed == right >= 1, result.stdout)
    rows.equal(len(re.findall("^rejected: ", result.stdout, re.M)), rejected, "lines of kernels")
    rows.equal(len(re.findall("^ok: ", result.stdout, re.M)), right, "lines of right kernels")
    rows.check("choice" not in result.stdout and "not run:" not in result.stdout, result.stdout)
    rows.equal(os.listdir(temporary), [], "temporary files")
    rows.check(not os.path.exists(os.path.join(cache, "pmpp", "programs")), "programs in the cache")


def selftest_of_nothing():
    """No kernel is made from this variant."""
    need("cuda-emu")
    result = expect(77, "selftest", "vecadd/coarse2", *EMULATOR)
    rows.check("0 of 0 wrong kernels" in result.stdout, result.stdout)
    rows.check("no kernels of these variants: name a whole family" in result.stdout, result.stdout)


def interrupted_selftest():
    need("cuda-emu")
    temporary = new_path("tmp")
    os.mkdir(temporary)
    process = subprocess.Popen([PROGRAM, *SELFTEST], env=environment(TMPDIR=temporary), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    rows.check("selftest on cuda-emu" in process.stdout.readline(), "no first line")
    rows.check(os.listdir(temporary), "no temporary files: where are the kernels?")
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=LIMIT_S)[1]
    rows.equal(process.returncode, 130, "exit status")
    rows.check("SIGINT" in text, text)
    rows.equal(os.listdir(temporary), [], "temporary files")


def roofline(backend):
    need(backend)
    result = expect(0, "roofline", "--backend=" + backend)
    rows.check("GB/s" in result.stdout and "measured resolution" in result.stdout, result.stdout)


def emulated_roofline():
    need("cuda-emu")
    result = pmpp("roofline", *EMULATOR)
    rows.check(result.returncode in (0, 2, 77), "exit %d" % result.returncode)
    rows.check(not re.search(r"\d (GB|GFLOP)/s", result.stdout),
               "a roof of an emulated device: " + result.stdout)


# ---- run ------------------------------------------------------------------------------------

def check_timed(result):
    timing = result["timing"]
    fields(timing, "contract cold hot host flags", "timing")
    rows.equal(timing["contract"], "pmpp-timing/2")
    cold = timing["cold"]
    fields(cold, "ns n min q1 median q3", "cold")
    rows.equal(len(cold["ns"]), cold["n"], "samples kept")
    rows.check(0 < cold["min"] <= cold["q1"] <= cold["median"] <= cold["q3"], "quartiles")
    rows.equal(min(cold["ns"]), cold["min"], "least sample")
    derived = result["derived"]
    fields(derived, "gflops gbps intensity pct_roof limited_by", "derived")
    primary = timing[timing.get("primary", "cold")]["median"]
    rows.check(abs(derived["gflops"] * primary / result["work"]["flops"] - 1) < 1e-9, "GFLOP/s")
    fields(result["device_state"], "sm_clock_mhz memory_clock_mhz temperature_c power_limit_w "
           "other_processes load_average", "device_state")
    rows.check(result["device_state"]["load_average"] >= 0, "load of the machine")


def check_document(document, backend, timed):
    rows.equal(document["schema"], "pmpp-result/1")
    fields(document, "schema tool run host devices results", "result file")
    fields(document["tool"], "name version git compiler argv", "tool")
    fields(document["run"], "id started_utc host_id label", "run")
    keys = set()
    for device in document["devices"]:
        fields(device, "key uuid pci vendor name type views limits roofs", "device")
        keys.add(device["key"])
    for result in document["results"]:
        fields(result, "family variant technique backend device dtype op data problem seed launches "
               "macros build resources status reason verify timing work derived claim peer", "row")
        rows.equal(result["backend"], backend)
        rows.check(result["device"] in keys, "a row's device is not in the file")
        rows.check(result["status"] in STATUS, result["status"])
        fields(result["build"], "source_sha256 code_sha256 options math compile_ms cache", "build")
        fields(result["resources"], "registers shared_bytes spill_bytes max_block", "resources")
        fields(result["work"], "flops bytes_compulsory bytes_issued", "work")
        if result["status"] != "ok":
            rows.check(result["reason"], "%s without a reason" % result["status"])
            continue
        fields(result["verify"], "coverage max_ratio nan mismatches first canary_ok inputs_intact",
               "verify")
        for launch in result["launches"]:
            fields(launch, "kernel grid block shared_bytes", "launch")
        if timed:
            check_timed(result)
        else:
            rows.check(result["timing"] is None, "an emulated row has times")
            rows.check("device_state" not in result, "a row without times has a state")
            rows.check(result["reason"], "no times, and no reason")
    no_infinities(document)


def run_json(backend):
    need(backend)
    path = new_path("r.json")
    result = expect(0, "matmul/naive", "matmul/tiled16", "vecadd/fine", "--backend=" + backend,
                    "--size=64", "--min-time=5", "-v",
                    "--json=" + path)
    rows.check("tiled16" in result.stdout, "no table beside the file")
    states = re.findall(r"^    device_state: .*load_average [\d.]+$", result.stderr, re.M)
    rows.equal(len(states), 3 if backend != "cuda-emu" else 0, "states of -v")
    document = json_file(path)
    rows.equal(len(document["results"]), 3)
    rows.equal(document["results"][0]["problem"], {"m": 64, "n": 64, "k": 64})
    check_document(document, backend, backend != "cuda-emu")
    rows.equal(os.listdir(os.path.dirname(path)), ["r.json"], "files left")


def json_on_stdout():
    need("cuda-emu")
    for option in ("--json", "--json=-"):
        result = expect(0, "vecadd/fine", "--size=100", *EMULATOR, option)
        check_document(json_of(result), "cuda-emu", False)


def tables():
    need("cuda-emu")
    csv = expect(0, "vecadd", "--size=100", *EMULATOR, "--csv").stdout.splitlines()
    rows.equal(len(csv), 7, "lines of CSV")
    rows.check(len({line.count(",") for line in csv[:1]}) == 1 and "variant" in csv[0], csv[0])
    markdown = expect(0, "vecadd", "--size=100", *EMULATOR, "--md").stdout
    rows.check(markdown.count("|") > 20 and "vector4" in markdown, markdown)


def table(backend):
    need(backend)
    result = expect(0, "vecadd/fine", "vecadd/coarse2", "vecadd/grid-stride", "--size=1000", "--backend=" + backend,
                    "--min-time=5", "--no-roofs")
    for word in ("vecadd", "n=1000", "variant", "fine", "coarse2", "grid-stride", "ok 0."):
        rows.check(word in result.stdout, "the table lacks %r: %s" % (word, result.stdout))


def sizes():
    need("cuda-emu")
    document = json_of(expect(0, "matmul/naive", *EMULATOR, "--size=8,3x4x5", "--json"))
    rows.equal([r["problem"] for r in document["results"]],
               [{"m": 8, "n": 8, "k": 8}, {"m": 3, "n": 4, "k": 5}])
    document = json_of(expect(0, "matmul/naive", *EMULATOR, "--size=m=2,n=3,k=4", "--json"))
    rows.equal(document["results"][0]["problem"], {"m": 2, "n": 3, "k": 4})
    document = json_of(expect(0, "vecadd/fine", *EMULATOR, "--size=2^3:2^7:*4", "--json"))
    rows.equal([r["problem"]["n"] for r in document["results"]], [8, 32, 128])


def sweep():
    need("cuda-emu")
    document = json_of(expect(0, "matmul/tiled16", *EMULATOR, "--size=40", "--set", "TILE=8,16,32",
                              "--json"))
    rows.equal([r["macros"]["TILE"] for r in document["results"]], [8, 16, 32])
    rows.equal({r["status"] for r in document["results"]}, {"ok"})


def seeds():
    need("cuda-emu")
    shas = []
    for seed in ("1", "2", "1"):
        document = json_of(expect(0, "matmul/naive", *EMULATOR, "--size=9", "--seed", seed, "--json"))
        rows.equal(document["results"][0]["seed"], int(seed))
        shas.append(document["results"][0]["verify"]["output_sha256"])
    rows.check(shas[0] == shas[2] != shas[1], "seeds: %s" % shas)


def options_anywhere():
    need("cuda-emu")
    for arguments in (("--size=5", *EMULATOR, "vecadd/fine", "--json"),
                      ("vecadd/fine", "--json", "--size=5", *EMULATOR),
                      ("run", "--json", "vecadd/fine", *EMULATOR, "--size", "5")):
        rows.equal(len(json_of(expect(0, *arguments))["results"]), 1)


def environment_chooses():
    need("cuda-emu")
    result = expect(0, "vecadd/fine", "--size=5", "--json", env={"PMPP_BACKEND": "cuda-emu"})
    rows.equal(json_of(result)["results"][0]["backend"], "cuda-emu")
    result = expect(0, "vecadd/fine", "--size=5", "--json", env={"PMPP_DEVICE": "cuda-emu:0"})
    rows.equal(json_of(result)["results"][0]["backend"], "cuda-emu")
    rows.equal(pmpp("vecadd/fine", env={"PMPP_BACKEND": "none"}).returncode, 1)


def quiet():
    need("cuda-emu")
    result = expect(0, "-q", "vecadd/fine", "--size=5", *EMULATOR)
    rows.equal(result.stdout + result.stderr, "", "output of -q")


def all_skipped():
    need("cuda-emu")
    result = expect(77, "matmul/cpu-packed", "--size=8", *EMULATOR)
    rows.check("OpenCL CPU" in result.stdout + result.stderr, "no reason")


def no_cache():
    need("cuda-emu")
    expect(0, "vecadd/fine", "--size=5", *EMULATOR, env={"XDG_CACHE_HOME": "/proc/1/none"})


# ---- verify, parity -------------------------------------------------------------------------

def verify(backend):
    need(backend)
    expect(0, "verify", "vecadd/fine", "matmul/tiled16", "--size=37", "--backend=" + backend)
    document = json_of(expect(0, "verify", "window/direct", "--backend=" + backend, "--json"))
    rows.check(len(document["results"]) >= 5, "few check sizes")
    rows.equal({r["status"] for r in document["results"]}, {"ok"})
    rows.check(all(r["timing"] is None for r in document["results"]), "verify has times")


def shards():
    need("cuda-emu")

    def names(*options):
        document = json_of(expect(0, "verify", "vecadd", *EMULATOR, "--json", *options))
        return sorted((r["variant"], r["problem"]["n"]) for r in document["results"])

    whole = names()
    parts = names("--shard=1/3"), names("--shard=2/3"), names("--shard=3/3")
    rows.equal(sorted(sum(parts, [])), whole, "the shards together")
    rows.check(all(parts), "an empty shard")


def parity():
    need("opencl")
    need("cuda-emu")
    document = json_of(expect(0, "parity", "vecadd/fine", "matmul/tiled16", "--size=50", "--json"))
    rows.equal(len(document["parity"]), 2)
    for row in document["parity"]:
        fields(row, "family variant device ratio ci95 verdict bit_identical", "parity")
        rows.equal(row["bit_identical"], True)
    table = expect(0, "parity", "vecadd/fine", "--size=50", *EMULATOR).stdout.splitlines()
    rows.check(" against cuda-emu:0 CUDA emulator" in table[0], "the second device: " + table[0])
    rows.equal(table[1].split(), ["variant", "bits"], "the columns: there are no times")


def parity_summary():
    """Without a common device there are no times, no verdicts and no counts of instructions."""
    need("opencl")
    need("cuda-emu")
    command = ("parity", "vecadd/fine", "matmul/tiled16", "reduce/cpu-wide", "--size=50", *EMULATOR)
    path = new_path("parity.json")
    done = expect(0, *command, "--json=" + path)
    rows.equal(done.stdout.splitlines()[-3:-1],
               ["", "parity: no times; bits identical in 2 of 2"], "the summary")
    found = json_file(path)["parity"]
    rows.equal([row["verdict"] for row in found], ["RESULTS_ONLY"] * 3, "verdicts")
    rows.check(not any("ptx" in row for row in found), "PTX of rows without times")
    rows.equal(expect(0, *command, "-q").stdout, "", "stdout with -q")


def errors_in_ulp():
    """The bounds of `instructions` differ, so its rows also have errors in ulp; other families have none."""
    need("cuda-emu")
    for name, has in (("instructions/sin-native", True), ("vecadd/fine", False)):
        found = json_of(expect(0, "verify", name, "--size=100", *EMULATOR, "--json"))["results"]
        rows.equal({"max_ulps" in row["verify"] for row in found}, {has}, name)
    need("opencl")
    table = expect(0, "run", "instructions/sin", "--size=n=100,trips=8", "--backend=opencl", "--no-roofs").stdout
    rows.check(re.search(r"check +ulp +median", table), table)


def one_table():
    """The sizes of one variant are rows of one table."""
    need("cuda-emu")
    table = expect(0, "vecadd/fine", "--size=100,200", *EMULATOR).stdout.splitlines()
    rows.check(re.search(r"^vecadd/fine  .*  several sizes  ", table[0]), table[0])
    rows.equal([line.split()[0] for line in table[1:4]], ["size", "n=100", "n=200"])


# ---- Terminals ------------------------------------------------------------------------------

def on_terminal(*arguments, **changes):
    """What the program writes to a terminal."""
    try:
        main, side = pty.openpty()
    except OSError as error:
        raise rows.Skip("no pseudo-terminal: %s" % error) from error
    process = subprocess.Popen([PROGRAM, *arguments], stdout=side, stderr=side,
                               env=environment(**{"TERM": "xterm", **changes}))
    os.close(side)
    output = b""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        ready, _, _ = select.select([main], [], [], 1)
        if not ready:
            continue
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        output += chunk
    rows.equal(process.wait(timeout=LIMIT_S), 0, "exit code on a terminal")
    os.close(main)
    return output


def gpu_beside():
    """On a terminal, `run` on a CPU ends with the ladder of a shipped GPU, and the command to type next."""
    need("opencl")
    arguments = ("run", "camping", "--size=rows=64,width=64", "--no-roofs", "--min-time=0")
    text = re.sub(r"\x1b\[[0-9;]*[mK]", "", on_terminal(*arguments, "--progress=no", COLUMNS="100").decode())
    if "PoCL" not in text:
        raise rows.Skip("the first device is no CPU")
    row = re.search(r"^padded +padded rows +[0-9.]+ [µm]s +([0-9.]+)x +[0-9.]+ [nµm]s", text, re.MULTILINE)
    rows.check(row and "camping on a GPU: NVIDIA H200, measured 20" in text, text)
    rows.check(text.endswith("next: pmpp-run explain camping/padded\r\n"), text[-300:])
    stored = expect(0, "show", "--results=h200", "camping").stdout
    rows.check(re.search(r"^padded .* %sx" % row[1], stored, re.MULTILINE), stored)
    rows.check(" on a GPU: " not in expect(0, *arguments).stdout, "not only on terminals")
    refused(1, ["--results=h20", "did you mean h200"], "show", "--results=h20", "camping")


def colour():
    need("cuda-emu")
    arguments = ("vecadd/fine", "vecadd/cpu-stream", "--size=20", *EMULATOR)
    plain = expect(0, *arguments)
    rows.check("\033" not in plain.stdout + plain.stderr, "colour in a pipe")
    rows.check("\r" not in plain.stdout + plain.stderr, "progress in a pipe")
    rows.check("\033[" in expect(0, *arguments, "--color=yes").stdout, "no colour with --color=yes")
    rows.check(b"\033[" in on_terminal(*arguments), "no colour on a terminal")
    for changes in ({"NO_COLOR": "1"}, {}):
        extra = () if changes else ("--color=no",)
        text = on_terminal(*arguments, "--progress=no", *extra, **changes)
        rows.check(b"\033[3" not in text and b"\033[1m" not in text,
                   "colour on a terminal although it was refused: %r" % text[:300])


def dumb():
    """A terminal without escape sequences gets none, on stdout and on stderr."""
    need("cuda-emu")
    for term in ("dumb", ""):
        for arguments in (("vecadd/fine", "--size=20", *EMULATOR), ("doctor",)):
            rows.check(b"\033" not in on_terminal(*arguments, TERM=term),
                       "escape sequences of %s with TERM=%s" % (arguments[0], term))


def no_platform():
    """One binary starts without any OpenCL platform, and says so."""
    env = {"OCL_ICD_VENDORS": "/nonexistent", "OCL_ICD_FILENAMES": ""}
    rows.check("opencl" in expect(0, "doctor", env=env).stdout, "doctor")
    result = expect(2, "vecadd", "--backend=opencl", env=env)
    rows.check("opencl" in result.stderr, result.stderr)
    expect(0, "list", env=env)
    expect(0, "devices", env=env)


rows.row("documents against docs/schema", schemas)
rows.row("--version", version)
rows.row("no arguments", nothing_to_do)
rows.row("list", list_text)
rows.row("list --json", list_json)
rows.row("list --json of a variant", list_one_json)
rows.row("devices", devices_text)
rows.row("devices --json", devices_json)
rows.row("show", show)
rows.row("doctor", doctor)
rows.row("selftest", selftest)
rows.row("selftest of nothing", selftest_of_nothing)
rows.row("selftest: SIGINT", interrupted_selftest)
for name in ("opencl", "cuda"):
    rows.long_row("roofline " + name, roofline, name)
rows.row("roofline of an emulated device", emulated_roofline)
for name in ("opencl", "cuda", "cuda-emu"):
    rows.row("run --json=FILE " + name, run_json, name)
    rows.row("run: table " + name, table, name)
    rows.row("verify " + name, verify, name)
rows.row("--json on stdout", json_on_stdout)
rows.row("--csv, --md", tables)
rows.row("--size", sizes)
rows.row("--set sweeps", sweep)
rows.row("--seed", seeds)
rows.row("options anywhere", options_anywhere)
rows.row("PMPP_BACKEND, PMPP_DEVICE", environment_chooses)
rows.row("-q", quiet)
rows.row("everything skipped: exit 77", all_skipped)
rows.row("no folder for the cache", no_cache)
rows.long_row("verify --shard", shards)
rows.row("parity", parity)
rows.row("parity: the summary", parity_summary)
rows.row("errors in ulp", errors_in_ulp)
rows.row("several sizes of a variant", one_table)
rows.row("the ladder of a GPU beside a CPU", gpu_beside)
rows.row("colour and progress", colour)
rows.row("no escape sequences on a terminal without them", dumb)
rows.row("no OpenCL platform", no_platform)
rows.finish()
