"""tools/gpu-check.sh on machines with other GPUs than NVIDIA's: pmpp-run and the tests are scripts that
answer as on such a machine.

usage: test_gpu_check.py SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import gpu_roofs
import rows

GIB = 1 << 30
RUNGS = ["naive-uncoalesced", "naive", "tiled16", "tiled32", "colmajor-naive", "corner-turned",
         "coarse2", "coarse4", "coarse8", "registers", "prefetch", "best"]
SKIPPED = ["f16-tensor", "tf32-tensor"]

# In place of pmpp-run. MACHINE has the devices, and the rows that fail.
PMPP_RUN = r'''
import json, os, sys
machine = json.load(open(os.environ["MACHINE"]))
command, arguments = sys.argv[1], sys.argv[2:]
options = dict(a[2:].split("=", 1) for a in arguments if a.startswith("--") and "=" in a)
names = [a for a in arguments if not a.startswith("--")]
with open(os.environ["MACHINE"] + ".calls", "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\n")

def view(of):
    return {"index": of["index"], "limits": {"global_bytes": of["memory"],
                                             "max_buffer_bytes": of["buffer"]}}

def device(of):
    return {"key": of["key"], "name": of["name"], "type": "gpu",
            "views": {name: view(v) for name, v in of["views"].items()}}

if command == "devices":
    print(json.dumps({"devices": [device(d) for d in machine["devices"]]}))
    sys.exit()
spec = options.get("device", "gpu")
chosen = [d for d in machine["devices"] if spec == "gpu" or spec in d["name"] or spec in
          ["%s:%s" % (name, v["index"]) for name, v in d["views"].items()]]
if command != "doctor" and not chosen:
    sys.exit(2)

if command == "selftest":
    sys.exit(machine["statuses"].get("selftest", 0))

def row(variant, size):
    status = machine["statuses"].get(variant, "ok")
    return {"family": "matmul", "variant": variant, "status": status,
            "reason": "needs inline PTX" if status == "skipped" else "not requested",
            "problem": {"m": size, "n": size, "k": size}, "timing": None, "claim": None,
            "derived": {"gflops": 100.0}}

def with_peer(found):
    """cuBLAS: its own rows, and a ratio for each row of `best`."""
    for own in [row(v, s) for v, s in found if v == "prefetch"]:
        yield dict(own, variant="cublas-f32", peer="cuBLAS", derived={"gflops": 110.0})
    for variant, size in found:
        peer = {"variant": "cublas-f32", "ratio": machine["ratio"], "ci95": [0.5, 1.5]}
        yield dict(row(variant, size), peers=[peer] if variant == "best" else None)

if "json" in options:
    sizes = [int(s) for s in options.get("size", "64").split(",") if s.isdigit()]
    found = [(v, s) for v in machine["variants"] for s in sizes]
    found = list(with_peer(found)) if "--peers" in arguments and "cuda" in spec else [
        row(v, s) for v, s in found]
    pairs = [{"family": "matmul", "variant": v, "ratio": 1.0, "ci95": None, "bit_identical": True}
             for v in machine["variants"]] if command == "parity" else []
    json.dump({"devices": [device(chosen[0])], "results": found, "parity": pairs},
              open(options["json"], "w"))
'''
# In place of the test programs: which devices are tested.
TEST = "import os\nprint('devices', os.environ['PMPP_TEST_DEVICES'])\n" \
       "print('7 passed, 0 failed, 1 skipped')\n"


def gpu(name, key, memory=16, buffer=4, **views):
    return {"name": name, "key": key, "views": {
        backend: {"index": index, "memory": memory * GIB, "buffer": buffer * GIB}
        for backend, index in views.items()}}


def write_script(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def start(devices, arguments=(), statuses=None, small=False, cmocka=True, ratio=1.02):
    """Runs the script; returns the exit code, stdout, stderr and the calls of pmpp-run."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("meson", "ninja", "cc", "c++", "nvcc"):
            write_script(os.path.join(folder, "bin", name),
                         "#!/bin/sh\necho 1.0\n")
        no_cmocka = "" if cmocka else "case $* in *cmocka*) exit 1;; esac\n"
        write_script(os.path.join(folder, "bin", "pkg-config"), "#!/bin/sh\n" + no_cmocka)
        build = os.path.join(folder, "build")
        python = "#!%s\n" % sys.executable
        write_script(os.path.join(build, "pmpp-run"), python + PMPP_RUN)
        write_script(os.path.join(build, "build.ninja"), "pmpp_test\n")
        if cmocka:
            for name in ("test_conformance", "test_kernels", "test_mutants", "test_tunables",
                         "self_parity"):
                write_script(os.path.join(build, "tests", name), python + TEST)
        machine = os.path.join(folder, "machine")
        statuses = dict({name: "skipped" for name in SKIPPED}, **(statuses or {}))
        with open(machine, "w", encoding="utf-8") as file:
            json.dump({"devices": devices, "variants": RUNGS + SKIPPED, "statuses": statuses,
                       "ratio": ratio}, file)
        env = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"],
                   PMPP_BUILD=build, MACHINE=machine, CUDA_HOME="/nonexistent")
        if small:
            env["PMPP_CHECK_SIZES"] = "small"
        result = subprocess.run(
            ["sh", os.path.join(ROOT, "tools/gpu-check.sh"), *arguments, os.path.join(folder, "out")],
            capture_output=True, text=True, check=False, env=env)
        calls = ""
        if os.path.exists(machine + ".calls"):
            with open(machine + ".calls", encoding="utf-8") as file:
                calls = file.read()
        return result.returncode, result.stdout, result.stderr, calls


def counts(stdout):
    found = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", stdout.splitlines()[-1])
    rows.check(found, stdout[-600:])
    return [int(number) for number in found.groups()]


def reasons(stdout):
    return [line for line in stdout.splitlines() if line.startswith("skipped")]


AMD = gpu("gfx1100", "pci:3", 24, 20, opencl="0.0")
INTEL = gpu("Intel(R) Arc(TM) A770", "pci:4", 16, 4, opencl="1.0")
BOTH = gpu("NVIDIA H100", "uuid:1", 80, 20, opencl="0.0", cuda="0")


def only_opencl():
    """No step needs CUDA. Each skip has a reason."""
    code, stdout, stderr, calls = start([AMD])
    rows.equal(code, 0, stdout[-1500:] + stderr[-1500:])
    rows.equal(counts(stdout)[1], 0, "failed")
    rows.check("cuda:" not in calls and "parity" not in calls, calls)
    for text in ("no CUDA device", "needs OpenCL and CUDA; the device has opencl",
                 "opencl: matmul/f16-tensor: needs inline PTX"):
        rows.check([line for line in reasons(stdout) if text in line], text + ":\n" + stdout)
    rows.equal([line for line in stderr.splitlines() if line.startswith("FAILED")], [], "tests")


def other_device():
    """--device chooses the device of every step and of the tests."""
    code, stdout, stderr, calls = start([AMD, INTEL], ["--device=Arc"])
    rows.equal(code, 0, stdout[-1500:] + stderr[-1500:])
    rows.equal(set(re.findall(r"--device=(\S+)", calls)), {"Arc", "opencl:1.0"}, "devices")
    rows.check("Arc(TM) A770" in stderr, stderr[-800:])


def no_device():
    code, stdout, stderr, _ = start([AMD], ["--device=absent"])
    rows.equal((code, stdout), (2, ""), "exit and stdout")
    rows.check("no device 'absent' that works" in stderr, stderr)


def memory(device, expected):
    """The large sizes derive from the memory of the device and from its largest buffer."""
    _, stdout, stderr, calls = start([device])
    sizes = re.findall(r"verify vecadd/fine .*--size=(\d{6,})", calls)
    rows.equal(sizes, expected, "sizes; " + stderr[-300:])
    if not expected:
        rows.check([line for line in reasons(stdout) if "2^31 bytes" in line], stdout)


def small():
    code, stdout, stderr, calls = start([AMD], small=True)
    rows.equal(code, 0, stdout[-1500:] + stderr[-1500:])
    sizes = {int(s) for text in re.findall(r"--size=(\S+)", calls) for s in text.split(",")}
    rows.check(max(sizes) <= 1000, sizes)
    rows.check([line for line in reasons(stdout) if "PMPP_CHECK_SIZES=small" in line], stdout)


def failure():
    """A wrong result is a failure, also on a device without CUDA."""
    code, stdout, _, _ = start([AMD], statuses={"tiled16": "failed"})
    rows.equal(code, 1, stdout[-600:])
    rows.check("failed  opencl: all verified at n = 37" in stdout, stdout)
    rows.check("matmul/tiled16 failed" in stdout, stdout)


def gets_through():
    """A wrong kernel that verify calls ok is a failure."""
    code, stdout, _, calls = start([AMD], statuses={"selftest": 3})
    rows.equal(code, 1, stdout[-600:])
    rows.check("failed  selftest opencl (exit 3)" in stdout, stdout)
    rows.check("selftest --device=opencl:" in calls, calls)


def without_cmocka():
    code, stdout, stderr, _ = start([AMD], cmocka=False)
    rows.equal(code, 0, stdout[-1500:] + stderr[-1500:])
    rows.check([line for line in reasons(stdout) if "no CMocka" in line], stdout)


def both():
    """Both backends of one device are compared."""
    _, stdout, stderr, calls = start([BOTH])
    for text in ("parity matmul --device=cuda:0", "parity all --device=cuda:0",
                 "run all --device=opencl:0.0", "run all --device=cuda:0",
                 "verify vecadd/fine --device=cuda:0 --size=2200000003"):
        rows.check(text in calls, text + ":\n" + calls + stderr[-600:])
    rows.check("passed  parity tiled16" in stdout, stdout[-1500:])
    rows.check("passed  best / cublas-f32 at n = 4096: 1.020, 95 %: 0.500 to 1.500" in stdout, stdout)
    rows.check("passed  opencl: share of cuBLAS at n = 4096: 0.1 of 0.1 TFLOP/s, 0.909" in stdout, stdout)
    rows.equal([line for line in stdout.splitlines() if line.startswith("failed")], [], "failed")


def slower_than_cublas():
    """Only the large size is checked."""
    code, stdout, _, _ = start([BOTH], ratio=0.98)
    rows.equal(code, 1, stdout[-600:])
    rows.equal([line.split(":")[0] for line in stdout.splitlines() if line.startswith("failed")],
               ["failed  best / cublas-f32 at n = 4096"], "failed")


def without_ratio():
    """cuBLAS is timed, but a rung has no ratio to it."""
    code, stdout, _, _ = start([BOTH], ratio=None)
    rows.equal(code, 1, stdout[-600:])
    rows.equal([line for line in stdout.splitlines() if line.startswith("failed")],
               ["failed  best / cuBLAS at n = 4096: no ratio"], "failed")


# An H200: units x clock x 0.97, and the memory peers of one session.
GOOD = {"copy_gbps": 4250, "read_gbps": 4500, "l2_gbps": 9500, "shared_gbps": 32450,
        "fma_gflops": {"f32": 64900, "f16": 129800, "f64": 32450}, "integer_gops": 32450,
        "special_gops": 4056, "tensor_gflops": {"f16": 959700, "tf32": 479900}}


def checked(changes, shares=(99.0,), cache=False):
    """The checks of gpu_roofs.py that did not pass. changes: of the second measurement of OpenCL."""
    with tempfile.TemporaryDirectory() as folder:
        for backend in ("cuda", "opencl"):
            for number in (1, 2):
                roofs = dict(GOOD, **(changes if (backend, number) == ("opencl", 2) else {}))
                view = {"arch": "sm_90", "limits": {"clock_mhz": 1980, "compute_units": 132},
                        "roofs": roofs}
                with open(os.path.join(folder, "roofs-%s-%d.json" % (backend, number)), "w",
                          encoding="utf-8") as file:
                    json.dump({"devices": [{"views": {backend: view}}]}, file)
            results = [{"family": "f", "variant": "v", "status": "ok",
                        "derived": {"pct_roof": value, "floor": {"share": 0.5},
                                    "limited_by": "cache" if cache else "compute"}}
                       for value in shares]
            with open(os.path.join(folder, "families-%s.json" % backend), "w",
                      encoding="utf-8") as file:
                json.dump({"results": results}, file)
        with open(os.path.join(folder, "memory-peers.json"), "w", encoding="utf-8") as file:
            json.dump({"results": [{"variant": name, "peer": name, "status": "ok", "derived": {"gbps": rate}}
                                   for name, rate in (("driver-copy", 4250.0), ("cub", 4500.0))]}, file)
        return [("skipped" if passed is None else "failed") + " " + name for passed, name, _ in
                gpu_roofs.check(folder, ["cuda", "opencl"]) if not passed]


def roofs_of(changes, wanted, *shares):
    rows.equal(checked(changes, *shares), wanted, "checks that did not pass")


rows.row("roofs at their rates", roofs_of, {}, [])
rows.row("roofs: integers at 59 % of units x clock", roofs_of, {"integer_gops": 19732},
         ["failed opencl: roof of integer_gops / (units x clock)"])
rows.row("roofs: no tensor cores through OpenCL", roofs_of,
         {"tensor_gflops": {"f16": None, "tf32": None}},
         ["skipped opencl: roof of tensor_gflops.%s / (units x clock)" % t for t in ("f16", "tf32")])
rows.row("roofs: no f16 through OpenCL", roofs_of,
         {"fma_gflops": dict(GOOD["fma_gflops"], f16=None)},
         ["skipped opencl: roof of fma_gflops.f16 / (units x clock)"])
rows.row("roofs: mma.sync in place of wgmma", roofs_of, {"tensor_gflops": {"f16": 566368, "tf32": None}},
         ["failed opencl: roof of tensor_gflops.f16 / (units x clock)",
          "skipped opencl: roof of tensor_gflops.tf32 / (units x clock)"])
rows.row("roofs: an unknown rate", roofs_of, {"shared_gbps": None},
         ["failed opencl: roof of shared_gbps / (units x clock)"])
rows.row("roofs: reads slower than CUB", roofs_of, {"read_gbps": 4400},
         ["failed opencl: roof of read / best peer"])
rows.row("roofs: two rates of L2", roofs_of, {"l2_gbps": 8700},
         ["failed roof of the second-level cache: spread"])
rows.row("roofs: a row at 113 %", roofs_of, {},
         ["failed %s: no %%roof above 102" % b for b in ("cuda", "opencl")], (99.0, 113.3))
rows.row("roofs: a row that a cache limits", roofs_of, {}, [], (140.0,), True)
rows.row("a GPU with OpenCL only", only_opencl)
rows.row("the second GPU", other_device)
rows.row("no such device", no_device)
rows.row("large sizes, 80 GiB", memory, gpu("a", "b", 80, 20, opencl="0.0"), ["2200000003"])
rows.row("large sizes, 24 GiB", memory, AMD, ["606000001"])
rows.row("large sizes, buffers of 2 GiB", memory, gpu("a", "b", 64, 2, opencl="0.0"), [])
rows.row("large sizes, 8 GiB", memory, gpu("a", "b", 8, 8, opencl="0.0"), [])
rows.row("small sizes", small)
rows.row("a row that fails", failure)
rows.row("a wrong kernel gets through", gets_through)
rows.row("no CMocka", without_cmocka)
rows.row("OpenCL and CUDA", both)
rows.row("slower than cuBLAS", slower_than_cublas)
rows.row("no ratio to cuBLAS", without_ratio)
rows.finish()
