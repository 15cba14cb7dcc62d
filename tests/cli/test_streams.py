"""Closed descriptors, full disks, pipes in place of files, and signals at known moments."""
import json
import os
import re
import signal
import subprocess
import threading

from command import (
    LIMIT_S, PROGRAM, ROOT, describe, environment, json_file, kernel_tree, need, new_file, new_path,
    read_text)
import rows

FINE = ["vecadd/fine", "--size=10", "--backend=cuda-emu"]


def shell(script, *arguments, **options):
    """bash runs the script; $0 is the program, "$@" the arguments."""
    return subprocess.run(["bash", "-c", script, PROGRAM, *arguments], capture_output=True,
                          text=True, check=False, env=environment(), timeout=LIMIT_S, **options)


# ---- Closed descriptors --------------------------------------------------------------------------

def closed(redirection, code, isolation):
    """A closed descriptor is not given to a file or pipe of the job."""
    need("cuda-emu")
    json_path, csv_path = new_path("r.json"), new_path("r.csv")
    # -v: messages on stderr.
    result = shell('"$0" "$@" ' + redirection, *FINE, "-v", "--json=" + json_path,
                   "--csv=" + csv_path, *isolation)
    rows.equal(result.returncode, code, "exit code; stderr: " + result.stderr)
    if code and "2>&-" not in redirection:
        rows.check("stdout cannot be written" in result.stderr, result.stderr)
    rows.equal([r["status"] for r in json_file(json_path)["results"]], ["ok"], "rows")
    rows.equal(len(read_text(csv_path).splitlines()), 2, "lines of the CSV file")


def closed_in_list():
    result = shell('"$0" list >&-')
    rows.equal(result.returncode, 5, "exit code; stderr: " + result.stderr)
    rows.check("stdout cannot be written" in result.stderr, result.stderr)


# ---- Full disks ----------------------------------------------------------------------------------

def full_stdout(arguments, code):
    """If the table is lost, there is a message and an exit code, and the file is complete."""
    need("cuda-emu")
    json_path = new_path("r.json")
    result = shell('"$0" "$@" >/dev/full', *arguments, "--json=" + json_path)
    rows.equal(result.returncode, code, "exit code; stderr: " + result.stderr)
    rows.check("stdout cannot be written" in result.stderr, result.stderr)
    rows.equal(len(json_file(json_path)["results"]), 1, "rows")


def wrong_and_full():
    """A wrong kernel sets the exit code, not a full disk. Both are reported."""
    need("cuda-emu")
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda text: text.replace(
        "LOAD(A, i) + LOAD(B, i)", "LOAD(A, i) - LOAD(B, i)")})
    full_stdout([*FINE, "--kernel-dir=" + tree], 3)


def full_file():
    """One file cannot be written: the other files are written."""
    need("cuda-emu")
    json_path, md_path = new_path("r.json"), new_path("r.md")
    result = shell('"$0" "$@"', *FINE, "--json=/dev/full", "--csv=/dev/full", "--md=" + md_path)
    rows.equal(result.returncode, 5, "exit code")
    rows.check("/dev/full" in result.stderr, result.stderr)
    rows.check("fine" in read_text(md_path), "the other file")
    result = shell('"$0" "$@"', *FINE, "--out", "C=/dev/full", "--json=" + json_path)
    rows.equal(result.returncode, 5, "exit code of --out")
    rows.check("/dev/full" in result.stderr, result.stderr)
    rows.equal([r["status"] for r in json_file(json_path)["results"]], ["ok"], "rows")


def file_limit():
    """If the limit on file sizes truncates a file, the row and the other files stay."""
    need("cuda-emu")
    json_path, out = new_path("r.json"), new_path("c.npy")
    result = shell('ulimit -f 600; "$0" "$@"', FINE[0], FINE[2], "--size=300000", "--out",
                   "C=" + out, "--json=" + json_path)
    rows.equal(result.returncode, 5, "exit code; stderr: " + result.stderr)
    rows.check("File too large" in result.stderr, result.stderr)
    rows.equal([r["status"] for r in json_file(json_path)["results"]], ["ok"], "rows")
    rows.check(not os.path.exists(out), "half a file was left")


def no_temporary_space():
    """If kernels cannot be built, each row has the reason, and the next row runs."""
    need("cuda-emu")
    result = shell('ulimit -f 6; XDG_CACHE_HOME=%s "$0" "$@"' % new_path("cache"), "vecadd/fine",
                   "vecadd/vector4", *FINE[1:], "--json")
    rows.equal(result.returncode, 5, "exit code; stderr: " + result.stderr)
    found = json.loads(result.stdout)["results"]
    rows.equal([r["status"] for r in found], ["build_error"] * 2, "rows")
    rows.check("TMPDIR" in found[1]["reason"], found[1]["reason"])
    # The flags of the compiler are known without a temporary file.
    result = shell('TMPDIR=/proc XDG_CACHE_HOME=%s "$0" "$@"' % new_path("cache"), *FINE, "--json")
    rows.equal(result.returncode, 5, "exit code; stderr: " + result.stderr)
    rows.check("TMPDIR" in json.loads(result.stdout)["results"][0]["reason"], result.stdout)
    known = shell('"$0" "$@"', *FINE)
    flag = "-ftrivial-auto-var-init"
    rows.equal(flag in result.stderr, flag in known.stderr, "a note about the flag")


# ---- Signals at known moments --------------------------------------------------------------------

def start(*arguments, **options):
    return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=environment(), start_new_session=True, **options)


def first_row(process):
    for line in process.stdout:
        if "  ok 0" in line:
            return
    rows.check(False, "no row: " + process.stderr.read())


def job(json_path, *arguments):
    """Several variants; the second never ends by itself."""
    tree = kernel_tree({"cuda_kernels/vecadd/coarse.cu": lambda text: text.replace(
        "\t\tif (i < n)\n", "\t\tfor (volatile long z = 0; z >= 0; z = 0)\n\t\t\tif (i < n)\n")})
    return ["vecadd", "--size=10", "--backend=cuda-emu", "--kernel-dir=" + tree,
            "--json=" + json_path, "--csv=" + json_path + ".csv", "--progress=no", *arguments]


def signalled(number, times):
    need("cuda-emu")
    json_path = new_path("r.json")
    process = start(*job(json_path))
    first_row(process)
    for _ in range(times):
        os.kill(process.pid, number)
    _, errors = process.communicate(timeout=LIMIT_S)
    rows.equal(process.returncode, 141 if number == signal.SIGPIPE else 130, "exit code")
    rows.equal(errors, "" if number == signal.SIGPIPE else "pmpp-run: interrupted by %s\n" % number.name,
               "stderr")
    rows.equal([r["status"] for r in json_file(json_path)["results"]][:1], ["ok"], "first row")
    rows.check("fine" in read_text(json_path + ".csv"), "the CSV file")


def reader_left():
    """`pmpp-run ... | head`: the next line ends the job, and its files are written."""
    need("cuda-emu")
    json_path = new_path("r.json")
    process = start(*job(json_path, "--timeout=3"))
    first_row(process)
    process.stdout.close()
    errors = process.stderr.read()
    rows.equal(process.wait(timeout=LIMIT_S), 141, "exit code; stderr: " + errors)
    rows.equal(errors, "", "stderr")
    rows.equal([r["status"] for r in json_file(json_path)["results"]][:2], ["ok", "timeout"], "rows")


def closed_pipe(arguments, ignored, needed=None):
    """The reader closed the pipe before the first line: each command ends with the same exit code,
    also if the caller ignores SIGPIPE."""
    if needed:
        need(needed)
    reader, writer = os.pipe()
    os.close(reader)
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        result = subprocess.run([PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True,
                                env=environment(), timeout=LIMIT_S, check=False,
                                restore_signals=False)
    finally:
        signal.signal(signal.SIGPIPE, before)
        os.close(writer)
    rows.equal(result.returncode, 141, "exit code; stderr: " + result.stderr)
    rows.check(not re.search("^(pmpp-run|warning): ", result.stderr, re.M), result.stderr)


def interrupted_and_closed(output, message):
    """Ctrl-C ends all programs of `pmpp-run ... | head`: the first signal decides, and only it is reported."""
    need("cuda-emu")
    path = new_path("r.json")
    arguments = [output if word == "--json=" + path else word for word in job(path)]
    process = start(*arguments)
    table = process.stderr if output == "--json" else process.stdout
    for line in table:
        if "  ok 0" in line:
            break
    os.kill(process.pid, signal.SIGINT)
    process.stdout.close()
    errors = process.stderr.read()
    rows.equal(process.wait(timeout=LIMIT_S), 130, "exit code; stderr: " + errors)
    rows.equal([line for line in errors.splitlines() if line.startswith("pmpp-run: ")], [message], "messages")


def ignored_hangup():
    """nohup: a signal that the caller ignores stays ignored."""
    need("cuda-emu")
    json_path = new_path("r.json")
    process = subprocess.Popen(
        ["bash", "-c", "trap '' HUP; exec \"$0\" \"$@\"", PROGRAM, "vecadd", "--size=10",
         "--backend=cuda-emu", "--json=" + json_path], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=environment())
    first_row(process)
    os.kill(process.pid, signal.SIGHUP)
    process.communicate(timeout=LIMIT_S)
    rows.equal(process.returncode, 0, "exit code")
    rows.check(len(json_file(json_path)["results"]) > 4, "rows")


# ---- Pipes in place of files ---------------------------------------------------------------------

def npy(count):
    """A vector of f32: 1.0, 1.0, ..."""
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % count
    length = (10 + len(text) + 1 + 63) // 64 * 64 - 10
    return (b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text.ljust(length - 1).encode()
            + b"\n" + b"\x00\x00\x80\x3f" * count)


def save(content):
    return new_file("x.npy", content)


def status_of(result, json_path):
    rows.equal(result.returncode, 0, "exit code; stderr: " + result.stderr)
    rows.equal({r["status"] for r in json_file(json_path)["results"]} - {"skipped"}, {"ok"}, "rows")


def in_substitution():
    need("cuda-emu")
    path, json_path = save(npy(100000)), new_path("r.json")
    status_of(shell('"$0" "$@" --in A=<(cat %s) --in B=<(cat %s)' % (path, path), *FINE[:1],
                    *FINE[2:], "--json=" + json_path), json_path)


def in_stdin():
    need("cuda-emu")
    path, json_path = save(npy(1000)), new_path("r.json")
    status_of(shell('cat %s | "$0" "$@"' % path, *FINE[:1], *FINE[2:], "--in", "A=/dev/stdin",
                    "--in", "B=" + path, "--json=" + json_path), json_path)


def in_after_crash():
    """A pipe is read once: the new worker after a crash has its content."""
    need("cuda-emu")
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda text: text.replace(
        "__global__", "extern \"C\" void abort();\n__global__", 1).replace("{", "{ abort();", 1)})
    path, json_path = save(npy(1000)), new_path("r.json")
    result = shell('"$0" "$@" --in A=<(cat %s) --in B=<(cat %s)' % (path, path), "vecadd",
                   "--backend=cuda-emu", "--kernel-dir=" + tree, "--json=" + json_path)
    rows.equal(result.returncode, 5, "exit code; stderr: " + result.stderr)
    found = {r["variant"]: r["status"] for r in json_file(json_path)["results"]}
    rows.equal(found.pop("fine"), "crashed")
    rows.equal(set(found.values()) - {"skipped"}, {"ok"}, "the others")


def in_endless():
    """More data than the header declares is an error, and the rest is not read."""
    need("cuda-emu")
    path = save(npy(1000))
    result = shell('"$0" "$@" --in A=<(cat %s /dev/zero) --in B=%s' % (path, path), *FINE[:1],
                   *FINE[2:])
    rows.equal(result.returncode, 1, "exit code; stderr: " + result.stderr)
    rows.check("unexpected bytes after the data" in result.stderr, result.stderr)


def in_huge():
    """A header that declares more than the machine's memory is refused before the data are read."""
    need("cuda-emu")
    path = save(npy(0).replace(b"(0,), }" + b" " * 14, b"(400000000000000,), }"))
    result = shell('ulimit -v 8000000; "$0" "$@" --in A=<(cat %s /dev/zero) --in B=%s' %
                   (path, path), *FINE[:1], *FINE[2:])
    rows.equal(result.returncode, 1, "exit code; stderr: " + result.stderr)
    rows.check("the header declares 1600000000000000 bytes" in result.stderr, result.stderr)


def out_substitution():
    need("cuda-emu")
    path, out = save(npy(1000)), new_path("c.npy")
    result = shell('"$0" "$@" --out C=>(cat >%s.part; mv %s.part %s); '
                   'code=$?; while [ ! -e %s ]; do sleep 0.05; done; exit $code' %
                   (out, out, out, out), *FINE[:1], *FINE[2:], "--in", "A=" + path, "--in",
                   "B=" + path)
    rows.equal(result.returncode, 0, "exit code; stderr: " + result.stderr)
    with open(out, "rb") as file:
        rows.equal(file.read()[-4000:], b"\x00\x00\x00\x40" * 1000, "the sum")


def fifo(option):
    """A named pipe is opened once: its reader gets all data."""
    need("cuda-emu")
    path = new_path("fifo")
    os.mkfifo(path)
    got = []

    def read():
        with open(path, "rb") as file:
            got.append(file.read())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    result = shell('"$0" "$@"', *FINE, *[part.replace("PATH", path) for part in option], "--timeout=60")
    rows.equal(result.returncode, 0, "exit code; stderr: " + result.stderr)
    reader.join(LIMIT_S)
    rows.check(got and len(got[0]) > 100, "the reader got %r" % got)
    if "--json=PATH" in option:
        json.loads(got[0])


def fifo_without_reader(sign, extra):
    """The wait for the reader of a named pipe ends with a signal."""
    need("cuda-emu")
    path = new_path("fifo")
    os.mkfifo(path)
    process = subprocess.Popen([PROGRAM, *FINE, "--json=" + path, *extra], env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while True:
            line = process.stdout.readline()
            rows.check(line, "the end of stdout, before the counts")
            if line.startswith("1 ok"):
                break
        process.send_signal(sign)
        _, errors = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
        process.communicate()
    rows.equal(process.returncode, 130, "exit code; stderr: " + errors)
    rows.check(path in errors, "no path: " + errors)


def out_to_stdout():
    """stdout has the tables, so --out to stdout is a usage error."""
    for path in ("/dev/stdout", "-"):
        result = shell('"$0" "$@"', *FINE, "--out", "C=" + path)
        rows.equal(result.returncode, 1, "exit code of --out C=%s" % path)
        rows.check("stdout" in result.stderr, result.stderr)


def small_stack():
    """If the stack is too small for drivers and compilers, every command ends with a message."""
    for words in (["list"], ["devices"], FINE, ["verify", "vecadd/fine", "--size=100"]):
        result = shell('ulimit -s 64; "$0" "$@"', *words)
        rows.equal(result.returncode, 1, describe(result))
        rows.check("the stack limit is 64 KiB" in result.stderr and "ulimit -s 8192" in result.stderr,
                   result.stderr)
    rows.equal(shell('ulimit -s 64; "$0" "$@"', "list", "--help").returncode, 0)



DEVICES = ["docs/results/devices/%s.json" % name for name in ("h100", "h200")]
# Commands whose reader closed the pipe, and the backend that they need
PIPED = (
    (["--help"], None), (["--version"], None), (["list"], None), (["list", "--json"], None),
    (["devices"], None), (["show", "matmul/tiled16"], None), (["doctor"], None),
    (["show", "matmul/tiled16", "--diff"], None),
    (["model", "occupancy", "--cc=9.0", "--threads=256", "--registers=32"], None),
    (["compare", *(os.path.join(ROOT, path) for path in DEVICES)], None),
    (["report", os.path.join(ROOT, DEVICES[0]), "-o", "-"], None),
    (FINE, "cuda-emu"), (FINE + ["--json"], "cuda-emu"), (FINE + ["--no-isolate"], "cuda-emu"),
    (["verify", *FINE], "cuda-emu"), (["explain", *FINE[:2]], "cuda-emu"),
)

for streams, want in (("<&-", 0), (">&-", 5), ("2>&-", 0), ("<&- >&-", 5), ("<&- >&- 2>&-", 5)):
    rows.row("closed: " + streams, closed, streams, want, [])
    rows.row("closed, in one process: " + streams, closed, streams, want, ["--no-isolate"])
rows.row("closed: list >&-", closed_in_list)
rows.row("a full disk under stdout", full_stdout, FINE, 5)
rows.row("a full disk under stdout, and a wrong kernel", wrong_and_full)
rows.row("a full disk under a file", full_file)
rows.row("a limit on file sizes", file_limit)
rows.row("no space for temporary files", no_temporary_space)
for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
    rows.row(sign.name, signalled, sign, 1)
rows.row("SIGINT, three times", signalled, signal.SIGINT, 3)
rows.row("a reader that closes stdout", reader_left)
rows.row("SIGINT, then a closed pipe", interrupted_and_closed, "--progress=no", "pmpp-run: interrupted by SIGINT")
rows.row("SIGINT, then a closed pipe: --json", interrupted_and_closed, "--json",
         "pmpp-run: stdout: interrupted: no process reads the pipe")
for words, backend in PIPED:
    name = " ".join(os.path.basename(word) for word in words)
    rows.row("a closed pipe: " + name, closed_pipe, words, False, backend)
for words, backend in ((["list"], None), (FINE, "cuda-emu")):
    rows.row("a closed pipe, SIGPIPE ignored: " + words[0], closed_pipe, words, True, backend)
rows.row("SIGHUP, ignored by the caller", ignored_hangup)
rows.row("--in: process substitution", in_substitution)
rows.row("--in: /dev/stdin", in_stdin)
rows.row("--in: a pipe, and a crash", in_after_crash)
rows.row("--in: a pipe without an end", in_endless)
rows.row("--in: a header that declares too much", in_huge)
rows.row("--out: process substitution", out_substitution)
rows.row("--out: a named pipe", fifo, ["--out", "C=PATH"])
rows.row("--json: a named pipe", fifo, ["--json=PATH"])
for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    rows.row("a named pipe without a reader, %s" % sign.name, fifo_without_reader, sign, [])
rows.row("a named pipe without a reader, in one process", fifo_without_reader, signal.SIGINT,
         ["--no-isolate"])
rows.row("--out: stdout", out_to_stdout)
rows.row("a small stack", small_stack)
rows.finish()
