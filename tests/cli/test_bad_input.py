"""Bad input: the exit code, parts of the message, and nothing on stdout."""
import os

from command import expect, need, new_path, refused
import rows

EMULATOR = "--backend=cuda-emu"
BACKENDS = ["opencl", "cuda", "cuda-emu", "opencl-emu", "all"]

# (arguments, exit code, parts of the message)
TABLE = [
    # Unknown names; the message has the nearest name
    (["matmull"], 1, ["matmull", "matmul"]),
    (["run", "vecad"], 1, ["vecad", "vecadd"]),
    (["verify", "matmull"], 1, ["matmul"]),
    (["parity", "matmull"], 1, ["matmul"]),
    (["show", "matmull/naive"], 1, ["matmul"]),
    (["list", "vecad"], 1, ["vecadd"]),
    (["matmul/tield16"], 1, ["tield16", "tiled16"]),
    (["matmul/naiv"], 1, ["naive"]),
    (["matmul/"], 1, ["matmul"]),
    (["/naive"], 1, []),
    (["matmul/naive/x"], 1, []),
    (["show", "matmul/tiled1"], 1, ["tiled16"]),
    (["show", "matmul"], 1, []),
    (["show"], 1, []),
    (["show", "matmul/tiled16", "--arch=sm_90"], 1, ["--arch", "--ptx"]),
    (["show", "matmul/tiled16", "--math=fast"], 1, ["--math", "--ptx"]),
    (["show", "matmul/tiled16", "--ptx", "--arch="], 1, ["empty"]),
    (["show", "matmul/cpu-packed", "--ptx"], 1, ["matmul/cpu-packed", "no CUDA twin"]),
    (["show", "matmul/cpu-packed", "--diff"], 1, ["matmul/cpu-packed", "no CUDA twin"]),
    (["show", "matmul/tiled16", "--set", "TILE=8,16"], 1, ["--set", "2 points"]),
    (["show", "matmul/tiled16", "--set", "TILE=5"], 1, ["TILE=5", "16"]),
    (["show", "matmul/tiled16", "--dtype=f32"], 1, ["--dtype", "no selected family"]),
    (["show", "reduce/first-add", "--op=summ"], 1, ["summ", "did you mean sum"]),
    (["show", "matmul/tiled16", "matmul/naiv"], 1, ["naiv", "naive"]),
    (["matmul", "--ptx"], 1, ["--ptx", "run"]),
    (["list", "--diff"], 1, ["--diff", "list"]),
    (["verify"], 1, []),
    (["parity"], 1, []),
    (["roof"], 1, ["roof"]),
    (["--bakend=cuda", "matmul"], 1, ["--bakend", "--backend"]),
    (["--sise=5", "matmul"], 1, ["'--sise' (did you mean --size?)"]),
    (["--like=h300", "vecadd"], 1, ["--like=h300: no device 'h300' ships"]),
    (["run", "--like", "vecadd"], 1, ["--like takes the next word as its value"]),
    (["verify", "--label", "vecadd"], 1, ["--label takes the next word as its value"]),
    (["run", "--like", "vecadd", "matmul"], 1, ["--like=vecadd: vecadd is a family: give --like=FILE"]),
    (["-Z", "matmul"], 1, ["Z"]),
    (["matmul", "--size"], 1, ["size"]),
    (["report", "x.json", "-o"], 1, ["-o needs a value: -o FILE"]),
    (["matmul", "vecad"], 1, ["vecadd"]),
    (["matmul", "--set", "TIL=8"], 1, ["TIL", "TILE"]),
    (["vecadd", "--set", "TILE=8"], 1, ["TILE"]),
    (["matmul/cpu-packed", "--set", "TILE_M=8"], 1, ["the tunables are PART_M, TILE_K, TILE_N"]),
    (["matmul/f16-tensor", "--set", "TILE=8"], 1, ["'TILE' is not a tunable: the selected variants have none"]),
    (["matmul/tiled16", "--set", "TILE"], 1, ["TILE"]),
    (["matmul/tiled16", "--set", "TILE="], 1, ["TILE"]),
    (["matmul/tiled16", "--set", "TILE=5"], 1, ["5", "16"]),
    (["matmul/tiled16", "--set", "TILE=abc"], 1, ["abc"]),
    (["matmul/tiled16", "--set", "TILE=-16"], 1, ["-16"]),
    (["matmul/tiled16", "--set", "TILE=99999999999"], 1, ["99999999999", "from 1 to 2147483647"]),
    (["matmul/tiled16", "--set", "=16"], 1, []),
    # Unknown backends: exit 1, with the names that exist
    (["--backend=opncl", "matmul"], 1, ["--backend=opncl", "did you mean opencl?"] + BACKENDS),
    (["--backend=nosuch", "matmul"], 1, ["--backend=nosuch"] + BACKENDS),
    (["verify", "matmul", "--backend=nosuch"], 1, ["--backend=nosuch"] + BACKENDS),
    (["parity", "matmul", "--backend=nosuch"], 1, ["--backend=nosuch"] + BACKENDS),
    (["explain", "matmul/naive", "--backend=nosuch"], 1, ["--backend=nosuch"] + BACKENDS),
    (["roofline", "--backend=nosuch"], 1, ["--backend=nosuch"] + BACKENDS),
    (["--backend=opencl,cuda", "matmul"], 1, ["--backend=opencl,cuda"] + BACKENDS),
    (["--backend=fake", "matmul"], 1, ["--backend=fake"] + BACKENDS),
    (["--backend=OpenCL", "matmul"], 1, ["--backend=OpenCL"] + BACKENDS),
    (["--backend=", "matmul"], 1, ["empty"]),
    (["--device=nosuch:0", "matmul"], 1, ["--device=nosuch:0", "uuid", "pci"] + BACKENDS[:-1]),
    (["--device=opncl:0.0", "matmul"], 1, ["--device=opncl:0.0", "did you mean opencl?"]),
    (["--device=0000:3b:00.0", "matmul"], 1, ["--device=0000:3b:00.0", "pci"]),
    # Commands for one device and one backend
    (["parity", "vecadd", "--device=all"], 1, ["--device=all", "--device=0", "pmpp-run devices"]),
    (["selftest", "--device=all"], 1, ["--device=all", "--device=0", "pmpp-run devices"]),
    (["selftest", "--backend=all"], 1, ["--backend=all", "--backend=cuda"]),
    (["selftest", "nosuch"], 1, ["no family 'nosuch'"]),
    (["selftest", "cuda:0"], 1, ["no family 'cuda:0': for a device use --device=cuda:0"]),
    (["run", "all", "--size=1:10000:+1", "--backend=cuda-emu"], 1, ["more than 1000000 tasks: choose fewer variants"]),
    (["run", "opencl-emu"], 1, ["no family 'opencl-emu': for a backend use --backend=opencl-emu"]),
    (["explain", "vecadd/fine", "--device=all"], 1, ["--device=all", "--device=0", "pmpp-run devices"]),
    (["parity", "vecadd", "--backend=all"], 1, ["--backend=all", "cuda-emu", "opencl-emu"]),
    (["explain", "vecadd/fine", "--backend=all"], 1, ["--backend=all", "--backend=cuda"]),
    # Devices that do not exist: exit 2
    (["--device=nosuch: x", "matmul"], 2, ["nosuch: x"]),
    (["--device=nosuchdevice", "matmul"], 2, ["nosuchdevice"]),
    (["--device=opencl:99.0", "matmul"], 2, ["opencl:99.0"]),
    (["--device=cuda-emu:7", "matmul"], 2, ["cuda-emu:7"]),
    (["--device=99", "matmul"], 2, ["99"]),
    (["--device=uuid:ffffffff-ffff-ffff-ffff-ffffffffffff", "matmul"], 2, ["uuid"]),
    (["--device=pci:ffff:ff:ff.7", "matmul"], 2, ["pci"]),
    # Sizes
    (["matmul", "--size=0"], 1, ["at least 1"]),
    (["matmul", "--size=-1"], 1, ["-1"]),
    (["matmul", "--size=5x0x5"], 1, ["at least 1"]),
    (["matmul", "--size=m=0"], 1, ["at least 1"]),
    (["matmul", "--size="], 1, ["size"]),
    (["matmul", "--size=abc"], 1, ["abc"]),
    (["matmul", "--size=1.5e0"], 1, ["1.5e0 is not an integer"]),
    (["matmul", "--size=99999999999999999999"], 1, ["overflow"]),
    (["matmul", "--size=2^70"], 1, ["overflow"]),
    (["matmul", "--size=3x4"], 1, ["m x n x k"]),
    (["matmul", "--size=1x2x3x4"], 1, ["m x n x k"]),
    (["vecadd", "--size=3x4"], 1, ["vecadd"]),
    (["vecadd", "--size=m=5"], 1, ["'m'"]),
    (["matmul", "--size=m=5,m=6"], 1, ["twice"]),
    (["matmul", "--size=9:1:+1"], 1, ["9"]),
    (["matmul", "--size=1:9"], 1, ["range"]),
    (["matmul", "--size=2147483648"], 1, ["2147483648"]),
    (["vecadd", "--size=2^41"], 1, ["too large"]),
    (["window", "--size=n=100,width=4"], 1, ["odd"]),
    (["window", "--size=100x31x5"], 1, ["n x width"]),
    (["histogram", "--size=n=100,bins=300"], 1, ["256", "u32"]),
    (["prefetch", "--size=5x5000"], 1, ["4096"]),
    # Types, operations and data; the message has the nearest name and all names
    (["reduce", "--dtype=f33"], 1, ["f33", "did you mean f32", "i32"]),
    (["reduce", "--dtype=f16"], 1, ["f16", "f32, i32"]),
    (["reduce", "--dtype="], 1, ["empty"]),
    (["reduce", "--op=summ"], 1, ["summ", "did you mean sum"]),
    (["verify", "reduce", "--op=mean"], 1, ["mean", "sum, max, min"]),
    (["matmul", "--op=sum"], 1, ["--op=sum", "no selected family"]),
    (["coalesce", "--dtype=f16"], 1, ["no selected family"]),
    (["parity", "histogram", "--data=skewd"], 1, ["skewd", "skewed"]),
    (["list", "--data=uniform"], 1, ["--data", "list"]),
    # Too large for the device; the message has the needed and the available amount
    (["matmul", EMULATOR, "--size=1000000"], 1, ["12000.0 GB", "has"]),
    (["vecadd", EMULATOR, "--size=2^40"], 1, ["GB", "has"]),
    (["matmul", EMULATOR, "--size=2147479552x2147479552x1"], 1, ["GB", "has"]),
    (["verify", "matmul/naive", EMULATOR, "--size=1000000"], 1, ["GB", "has"]),
    # Values
    (["matmul", "--seed=x"], 1, ["seed"]),
    (["matmul", "--seed=-1"], 1, ["seed"]),
    (["matmul", "--seed=99999999999999999999"], 1, ["seed"]),
    (["matmul", "--math=loose"], 1, ["strict"]),
    (["matmul", "--min-time=-5"], 1, ["min-time"]),
    (["matmul", "--min-time=abc"], 1, ["min-time"]),
    (["matmul", "--min-time=nan"], 1, ["min-time"]),
    (["matmul", "--min-samples=0"], 1, ["min-samples"]),
    (["matmul", "--max-samples=0"], 1, ["max-samples"]),
    (["matmul", "--max-samples=x"], 1, ["max-samples"]),
    (["matmul", "--timeout=0"], 1, ["--timeout=0", "0.1 to 1000000 s"]),
    (["matmul", "--min-samples=9", "--max-samples=8"], 1, ["--min-samples=9", "--max-samples=8"]),
    (["parity", "matmul", "--tolerance=x"], 1, ["tolerance"]),
    (["parity", "matmul", "--tolerance=-0.1"], 1, ["tolerance"]),
    (["parity", "matmul", "--tolerance=1.5"], 1, ["tolerance", "0 to 1"]),
    (["matmul", "--tolerance=0.1"], 1, ["--tolerance", "run"]),
    (["matmul", "--tolerance=x"], 1, ["--tolerance is not an option of run; verify, parity, try and compare read it",
                                      "pmpp-run run --help"]),
    (["list", "--min-time=y", "--tolerance=x"], 1, ["--tolerance is not an option of list"]),
    (["-v"], 1, ["no command and no family"]),
    (["--size=64"], 1, ["no command and no family"]),
    (["list", "--repeat=3"], 1, ["--repeat is not an option of list; run and contribute read "
                                 "it (pmpp-run list --help)"]),
    (["run", "matmul", "--check"], 1, ["--check is not an option of run; contribute reads it"]),
    (["model", "dram", "--cc=9.0"], 1, ["--cc is not an option of model dram; explain and model "
                                        "occupancy read it (pmpp-run model dram --help)"]),
    (["no-such-family", "--tolerance=x"], 1, ["--tolerance=x: give a number from 0 to 1"]),
    (["matmul", "--min-time=y"], 1, ["from 0 to 3600000 ms"]),
    (["matmul", "--timeout=x"], 1, ["timeout"]),
    (["matmul", "--flush=maybe"], 1, ["flush"]),
    (["matmul", "--color=maybe"], 1, ["color"]),
    (["matmul", "--progress=maybe"], 1, ["progress"]),
    (["verify", "matmul", "--shard=3/2"], 1, ["shard"]),
    (["verify", "matmul", "--shard=0/2"], 1, ["shard"]),
    (["verify", "matmul", "--shard=1"], 1, ["shard"]),
    # Models
    (["model"], 1, ["model occupancy", "model dram", "model boundary"]),
    (["model", "drma", "--banks=3"], 1, ["'model drma' is not a command (did you mean model dram?)"]),
    (["model", "boundar"], 1, ["'model boundar' is not a command (did you mean model boundary?)"]),
    (["model", "occupancy", "--regs=3"], 1, ["did you mean --registers"]),
    (["model", "occupancy", "--cc=9.0", "--regs=3"], 1, ["did you mean --registers"]),
    (["dram", "--banks=3"], 1, ["model dram"]),
    (["model", "boundary", "--size=9", "--block=2x2x2"], 1, ["--block has three numbers"]),
    (["model", "warps", "--block=64x64"], 1, ["1 to 1024 threads in total"]),
    (["model", "reduce"], 1, ["needs --size=N"]),
    (["model", "dram", "--latency-ratio=3", "--map"], 1, ["--map is for the tiled product"]),
    (["model", "dram", "--size=128", "--block=2", "--map"], 1, ["at most 64 rows, not 128"]),
    (["model", "dram", "extra", "--latency-ratio=3"], 1, ["extra", "too many"]),
    (["model", "occupancy", "--cc=9.0"], 1, ["--threads"]),
    (["model", "occupancy", "--threads=256"], 1, ["--cc"]),
    (["model", "occupancy", "--threads=256", "--cc=9.1"], 1, ["9.1", "9.0, 10.0"]),
    (["model", "occupancy", "--threads=256", "--model=gfx94"], 1,
     ["--model=gfx94: give one of sm_75", "gfx942", "xe-hpg", "xe2"]),
    (["model", "occupancy", "--threads=256", "--model="], 1, ["--model is empty"]),
    (["model", "occupancy", "--threads=256", "--model=sm_90", "--cc=9.0"], 1, ["give only one of"]),
    (["model", "occupancy", "--threads=256", "--model=gfx942", "--width=32"], 1,
     ["--width=32: gfx942 has 64"]),
    (["model", "occupancy", "--threads=256", "--model=xe2", "--width=8"], 1, ["xe2 has 16, 32"]),
    (["model", "occupancy", "--threads=256", "--cc=9.0", "--width=64"], 1, ["sm_90 has 32"]),
    (["model", "occupancy", "--threads=256", "--model=gfx942", "--cu-mode"], 1, ["not a pair"]),
    (["model", "occupancy", "--threads=256", "--cc=9.0", "--sgprs=40"], 1, ["--sgprs", "AMD"]),
    (["model", "occupancy", "--threads=256", "--model=gfx942", "--barrier"], 1, ["--barrier", "Intel"]),
    (["model", "occupancy", "--threads=256", "--threads-per-sm=1536", "--width=32"], 1, ["--model"]),
    (["model", "occupancy", "--threads=256", "--model=gfx90a", "--registers=300", "--accvgprs=256"], 1,
     ["at most 512 registers"]),
    (["model", "occupancy", "--threads=0", "--cc=9.0"], 1, ["1 to 1024"]),
    (["model", "occupancy", "--threads=1025", "--cc=9.0"], 1, ["1 to 1024"]),
    (["model", "occupancy", "--threads=x", "--cc=9.0"], 1, ["--threads=x"]),
    (["model", "occupancy", "--threads=256", "--registers=0", "--cc=9.0"], 1, ["1 to 512"]),
    (["model", "occupancy", "--threads=256", "--registers=256", "--cc=9.0"], 1, ["at most 255"]),
    (["model", "occupancy", "--threads=256", "--shared=-1", "--cc=9.0"], 1, ["--shared"]),
    (["model", "occupancy", "--threads=256", "--shared=232449", "--cc=9.0"], 1, ["232448"]),
    (["model", "occupancy", "--threads=256", "--cc=9.0", "--regs-per-sm=5"], 1, ["give only one of"]),
    (["model", "occupancy", "--threads=256", "--blocks-per-sm=8"], 1, ["--threads-per-sm"]),
    (["model", "occupancy", "--threads=256", "--threads-per-sm=1536", "--registers=10"], 1,
     ["--regs-per-sm"]),
    (["model", "occupancy", "--threads=256", "--threads-per-sm=1536", "--shared=10"], 1,
     ["--shared-per-sm"]),
    (["model", "occupancy", "--threads=256", "--cc=9.0", "--banks=3"], 1,
     ["--banks", "model occupancy"]),
    (["occupancy", "--threads=256"], 1, ["--cc"]),
    (["occupancy", "--threads=256", "--cc=9.0", "--size=64"], 1, ["--size", "model occupancy"]),
    (["occupancy", "--banks=4"], 1, ["--banks", "run"]),
    (["run", "occupancy", "--threads=256"], 1, ["--threads", "run"]),
    (["matmul", "--cc=9.0"], 1, ["--cc"]),
    (["model", "dram"], 1, ["--latency-ratio"]),
    (["model", "dram", "--latency-ratio=-1"], 1, ["latency-ratio"]),
    (["model", "dram", "--latency-ratio=nan"], 1, ["latency-ratio"]),
    (["model", "dram", "--latency-ratio=20", "--banks=0"], 1, ["banks"]),
    (["model", "dram", "--latency-ratio=20", "--channels=65"], 1, ["1 to 64"]),
    (["model", "dram", "--latency-ratio=20", "--burst=8"], 1, ["--size"]),
    (["model", "dram", "--size=4"], 1, ["--block"]),
    (["model", "dram", "--block=2"], 1, ["--size"]),
    (["model", "dram", "--size=4x4", "--block=2"], 1, ["--size=N"]),
    (["model", "dram", "--size=4,8", "--block=2"], 1, ["--size=N"]),
    (["model", "dram", "--size=n=4", "--block=2"], 1, ["--size=N"]),
    (["model", "dram", "--size=4", "--block=3"], 1, ["divide"]),
    (["model", "dram", "--size=4", "--block=2x4"], 1, ["square"]),
    (["model", "dram", "--size=8192", "--block=2"], 1, ["4096"]),
    (["model", "dram", "--size=4", "--block=2", "--banks=65"], 1, ["64 banks"]),
    (["model", "boundary"], 1, ["--size"]),
    (["model", "boundary", "--size=76x62"], 1, ["--block"]),
    (["model", "boundary", "--size=76x62x3", "--block=16x16"], 1, ["WIDTHxHEIGHT"]),
    (["model", "boundary", "--size=width=76,height=62", "--block=16x16"], 1, ["WIDTHxHEIGHT"]),
    (["model", "boundary", "--size=1003", "--block=16x16"], 1, ["WIDTHxHEIGHT"]),
    (["model", "boundary", "--size=0", "--block=64"], 1, ["at least 1"]),
    (["model", "boundary", "--size=2^40", "--block=64"], 1, ["2147483647"]),
    (["model", "boundary", "--size=76x62", "--block=0x16"], 1, ["--block"]),
    (["model", "boundary", "--size=76x62", "--block=16x"], 1, ["--block"]),
    (["model", "boundary", "--size=76x62", "--block=16x16x1"], 1, ["--block"]),
    (["model", "boundary", "--size=76x62", "--block=99999999999"], 1, ["--block"]),
    (["model", "boundary", "--size=76x62", "--block=64x64"], 1, ["1024"]),
    (["model", "boundary", "--size=76x62", "--block=16x16", "--json=/nonexistent/r.json"], 1,
     ["/nonexistent/r.json"]),
    # Kernel files in place of families
    (["verify", "mine/mm.cu"], 1, ["mine/mm.cu: cannot be read"]),
    (["mm.cl"], 1, ["'mm.cl' is a file", "pmpp-run try mm.cl"]),
    (["try"], 1, ["FILE"]),
    (["try", "no-such-file.cu"], 1, ["no-such-file.cu: cannot be read: No such file"]),
    (["try", "/tmp"], 1, ["/tmp: cannot be read as text"]),
    (["explain", "matmul/tiled16", "x.cu"], 1, ["x.cu: cannot be read"]),
    (["verify", "mine/mm"], 1, ["no family 'mine'"]),
    (["version", "x"], 1, ["version: 'x' is one argument too many"]),
    (["help", "matmull"], 1, ["'matmull'", "did you mean matmul?"]),
    # Files
    (["matmul", "--in", "A"], 1, ["--in"]),
    (["matmul", "--in", "Z=a.npy"], 1, ["Z", "use one of A, B"]),
    (["matmul", "--out", "A=a.npy"], 1, ["A"]),
    (["matmul", "--out", "C=c.npy"], 1, ["--out"]),
    (["matmul", EMULATOR, "--json=/nonexistent/folder/r.json"], 1, ["/nonexistent/folder/r.json"]),
    (["matmul", EMULATOR, "--json=/"], 1, ["/"]),
    (["matmul", EMULATOR, "--csv=/nonexistent/r.csv"], 1, ["/nonexistent/r.csv"]),
    (["matmul", EMULATOR, "--md=/nonexistent/r.md"], 1, ["/nonexistent/r.md"]),
    (["matmul", EMULATOR, "--json", "--csv"], 1, ["stdout"]),
    (["matmul", EMULATOR, "--kernel-dir=/nonexistent"], 1, ["/nonexistent"]),
    (["matmul", EMULATOR, "--shared=64"], 1, ["--shared needs --kernel-dir"]),
]


def bad(arguments, code, parts):
    if EMULATOR in arguments:
        need("cuda-emu")
    refused(code, parts, *arguments)


def named_by_variable():
    """A bad value of PMPP_BACKEND or PMPP_DEVICE: the message names the variable. Options have priority."""
    bad_backend = {"PMPP_BACKEND": "nosuch"}
    bad_device = {"PMPP_DEVICE": "nosuch:0"}
    for command in ([], ["verify"], ["parity"], ["explain"]):
        words = command + ["vecadd/fine", "--size=5"]
        result = refused(1, ["PMPP_BACKEND=nosuch"] + BACKENDS, *words, env=bad_backend)
        rows.check("--backend" not in result.stderr, "an option that was not given: " +
                   result.stderr)
        refused(1, ["PMPP_DEVICE=nosuch:0"] + BACKENDS[:-1], *words, env=bad_device)
        if command in (["parity"], ["explain"]):
            refused(1, ["PMPP_DEVICE=all"], *words, env={"PMPP_DEVICE": "all"})
    refused(1, ["--backend=nosuhc"], "vecadd", "--backend=nosuhc", env=bad_backend)
    need("cuda-emu")
    expect(0, "vecadd/fine", "--size=5", EMULATOR, env=bad_backend)
    expect(0, "vecadd/fine", "--size=5", "--device=cuda-emu:0", env=bad_device)
    expect(0, "list", env=bad_backend)


# (variable, value, range that the message names)
ENVIRONMENT = [
    ("PMPP_EMU_TIMEOUT_S", "", "0.001 to 86400"),
    ("PMPP_EMU_TIMEOUT_S", "abc", "0.001 to 86400"),
    ("PMPP_EMU_TIMEOUT_S", "0", "0.001 to 86400"),
    ("PMPP_EMU_TIMEOUT_S", "-1", "0.001 to 86400"),
    ("PMPP_EMU_TIMEOUT_S", "1e400", "0.001 to 86400"),
    ("PMPP_EMU_TIMEOUT_S", "5x", "0.001 to 86400"),
    ("PMPP_EMU_WORKERS", "0", "1 to 16"),
    ("PMPP_EMU_WORKERS", "1000", "1 to 16"),
    ("PMPP_EMU_WORKERS", "two", "1 to 16"),
]


def bad_environment(name, value, limits):
    """A bad variable of the emulator is a usage error of every command, with one line."""
    need("cuda-emu")
    for arguments in (["run", "vecadd/fine"], ["verify", "vecadd"], ["explain", "vecadd/fine"]):
        result = refused(1, [name, "'%s'" % value, limits], *arguments, EMULATOR, "--size=5",
                         env={name: value})
        rows.equal(len(result.stderr.strip().splitlines()), 1, "lines on stderr")


def absent_backend():
    """A requested backend that is absent is an error. The program uses no other backend."""
    from command import devices
    absent = [b for b in ("cuda", "opencl", "cuda-emu", "opencl-emu") if b not in devices()]
    if not absent:
        raise rows.Skip("every backend is present")
    for backend in absent:
        result = refused(2, [backend], "--backend=" + backend, "vecadd", "--size=5")
        rows.check(len(result.stderr.strip()) > 20, "no reason: " + result.stderr)


def no_file_is_made():
    """A refused run writes no result file and does not change an old one."""
    need("cuda-emu")
    path = new_path("r.json")
    refused(1, [], "matmul", EMULATOR, "--size=0", "--json=" + path)
    rows.equal(os.listdir(os.path.dirname(path)), [], "files made")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    refused(1, [], "matmul", EMULATOR, "--size=abc", "--json=" + path)
    refused(2, [], "matmul", "--device=nosuchdevice", "--json=" + path)
    with open(path, encoding="utf-8") as file:
        rows.equal(file.read(), "old", "the old file")
    rows.equal(os.listdir(os.path.dirname(path)), ["r.json"], "files made")


def one_file_for_two():
    """Two outputs in one file are refused, because the second would replace the first. A device like
    /dev/null is accepted for both."""
    need("cuda-emu")
    path = new_path("r.json")
    folder = os.path.dirname(path)
    os.symlink("r.json", os.path.join(folder, "link"))
    run = ["matmul/naive", EMULATOR, "--size=5"]
    for first, second in (("--json=", "--csv="), ("--csv=", "--md="), ("--json=", "--out=C=")):
        for other in (path, os.path.join(folder, ".", "r.json")):
            refused(1, [first[:-1], second.split("=")[0], "the same file", other], *run,
                    first + path, second + other)
    rows.equal(os.listdir(folder), ["link"], "files made")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    refused(1, ["the same file"], *run, "--json=" + path, "--md=" + os.path.join(folder, "link"))
    expect(0, *run, "--json=/dev/null", "--csv=/dev/null")


for case in TABLE:
    rows.row("refused: " + " ".join(case[0]), bad, *case)
rows.row("an unknown backend in a variable", named_by_variable)
for case in ENVIRONMENT:
    rows.row("refused: %s='%s'" % case[:2], bad_environment, *case)
rows.row("an absent backend", absent_backend)
rows.row("no file is made", no_file_is_made)
rows.row("one file for two outputs", one_file_for_two)
rows.finish()
