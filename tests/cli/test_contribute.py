"""`contribute`: files of one device that can be sent, and what they must not have.

The sources are committed result files of an H200 and of PoCL.
"""
import copy
import hashlib
import json
import os
import signal
import subprocess

from command import (
    LIMIT_S, PROGRAM, environment, expect, json_file, need, new_file, new_path, read_text, refused, statuses)
from contributions import (CUDA, H100, MAX_BYTES, OLD, OPENCL, RESULTS, contributed, edited, load, timed,
                           identity, primary, set_failed, set_emulated, add_samples,
                           halve_times)
import rows


# ---- Make ------------------------------------------------------------------------------------

def is_anonymous():
    """Nothing that identifies machine, user or device is left."""
    sources = [load(path) for path in (CUDA, OPENCL)]
    path, document = contributed(CUDA, OPENCL)
    text = read_text(path)
    for source in sources:
        device = source["devices"][0]
        secrets = [device["uuid"], device["pci"], source["run"]["host_id"], source["run"]["id"],
                   source["host"]["kernel"], source["run"]["started_utc"]]
        secrets += [word for word in source["tool"]["argv"] if "/" in word]
        for secret in secrets:
            rows.check(secret and secret not in text, "%r is in the file" % secret)
    rows.equal(document["tool"]["argv"], [])
    rows.equal(document["run"]["started_utc"], sources[0]["run"]["started_utc"][:10])
    rows.equal(document["run"]["label"], None)
    rows.equal(document["parity"], [])
    for row in timed(document):
        rows.equal(row["device_state"]["other_processes"], None)
        rows.equal(row["device_state"]["load_average"], None)
        rows.check(row["device_state"]["sm_clock_mhz"] > 0, "no clock")
    device = document["devices"][0]
    digest = hashlib.sha256(b"pmpp device uuid:" + sources[0]["devices"][0]["uuid"].encode())
    rows.equal(device["uuid"], digest.hexdigest()[:32] + "-sha256")
    rows.equal(device["key"], "uuid:" + device["uuid"])
    rows.equal({row["device"] for row in document["results"]}, {device["key"]})
    for key in ("cpu", "cores", "memory_bytes", "system", "machine"):
        rows.equal(document["host"][key], sources[0]["host"][key], key)
    rows.equal(device["views"]["cuda"]["driver"], sources[0]["devices"][0]["views"]["cuda"]["driver"])


def is_complete():
    """All rows of both backends, with their samples to 0.1 ns; a line for each row; under 1 MB."""
    path, document = contributed(CUDA, OPENCL)
    sources = {identity(row): row for file in (CUDA, OPENCL) for row in load(file)["results"]}
    rows.equal({identity(row) for row in document["results"]}, set(sources), "rows")
    rows.equal(sorted(document["devices"][0]["views"]), ["cuda", "opencl"])
    for row in document["results"]:
        source = sources[identity(row)]
        rows.equal((row["status"], row["reason"]), (source["status"], source["reason"]))
        if not row.get("timing"):
            continue
        rows.equal(len(primary(row)["ns"]), len(primary(source)["ns"]), "samples")
        for got, want in zip(primary(row)["ns"], primary(source)["ns"]):
            rows.check(abs(got - want) <= 0.0501, "%r became %r" % (want, got))
        rows.check(abs(primary(row)["median"] - primary(source)["median"]) <= 0.0501, "median")
    text = read_text(path)
    rows.check(len(text.encode()) <= MAX_BYTES, "%d bytes" % len(text.encode()))
    for line in text.splitlines():
        if line.startswith('{"family"'):
            json.loads(line.rstrip(","))
    rows.equal(sum(line.startswith('{"family"') for line in text.splitlines()), len(sources))


def is_stable():
    """The same input gives the same bytes; a file of one backend has the same device."""
    first, document = contributed(CUDA, OPENCL)
    second, _ = contributed(CUDA, OPENCL)
    with open(first, "rb") as one, open(second, "rb") as two:
        rows.check(one.read() == two.read(), "two files of the same results differ")
    _, alone = contributed(CUDA)
    rows.equal(alone["devices"][0]["key"], document["devices"][0]["key"])
    _, again = contributed(first)
    rows.equal(again["results"], document["results"], "rows of a file that was made twice")
    rows.equal(again["devices"], document["devices"], "device of a file that was made twice")
    path, _ = contributed(contributed(CUDA)[0], OPENCL)
    expect(0, "contribute", "--check", path)


def broken_rows_stay():
    """A crash is kept with its reason, without paths, logs and errors."""
    def crash(document):
        row = timed(document)[0]
        for key in ("launches", "build", "resources", "verify", "timing", "work", "derived",
                    "device_state", "peer"):
            row.pop(key, None)
        row.update(status="build_error", reason="/home/ann/k.cl:3: no such name",
                   log="/home/ann/k.cl:3: no such name")
    path, document = contributed(edited(CUDA, crash))
    row = [row for row in document["results"] if row["status"] == "build_error"][0]
    rows.equal(row["reason"], "PATH:3: no such name")
    rows.check("log" not in row and not row.get("timing"), row)
    result = expect(0, "contribute", "--check", path)
    rows.check("1 without a result" in result.stdout, result.stdout)


def keep_two_families(document):
    document["results"] = [row for row in document["results"]
                           if row["family"] in ("vecadd", "reduce")]


def set_other_sizes(document):
    for row in document["results"]:
        if row["family"] == "vecadd":
            row["problem"]["n"] += 1


def set_noisy(document):
    for row in timed(document):
        row["timing"]["flags"] = ["noisy"]
        if row.get("claim") and row["claim"]["verdict"]:
            row["claim"].update(verdict="undecided", holds=None)


def has_warnings():
    """A file that says little about the device is written, with a warning."""
    rows.equal(expect(0, "contribute", CUDA, "-o", new_path("x.json")).stderr, "")
    for change, parts in ((keep_two_families, ["2 of 17 families", "without files"]),
                          (set_other_sizes, ["16 of 17 families"]),
                          (set_noisy, ["119 of 119 times are noisy or throttled"])):
        path = new_path("x.json")
        result = expect(0, "contribute", edited(CUDA, change), "-o", path)
        rows.check(os.path.exists(path), "no file")
        for part in parts:
            rows.check(part in result.stderr, result.stderr)


def to_stdout():
    result = expect(0, "contribute", CUDA, "-o", "-")
    rows.equal(len(json.loads(result.stdout)["results"]), len(load(CUDA)["results"]))
    rows.check("wrote -" in result.stderr, result.stderr)
    rows.equal(expect(0, "contribute", CUDA, "-q", "-o", new_path("x.json")).stdout, "")


# ---- Refused ---------------------------------------------------------------------------------

def set_unverified(document):
    timed(document)[0].update(status="unverified", reason="not checked")


def set_untimed(document):
    timed(document)[0].update(timing=None, reason="another process uses the device")


def add_device(document):
    device = copy.deepcopy(document["devices"][0])
    device.update(key="name:other", name="other", uuid=None, pci=None)
    document["devices"].append(device)
    document["results"][-1]["device"] = "name:other"


def no_rows(document):
    document["results"] = []


def set_own_kernel(document):
    timed(document)[0].update(own_kernel=True)


# (row, arguments, exit code, parts of the message)
REFUSED = [
    ("many rows that failed", lambda: [edited(CUDA, set_failed(20))], 1,
     ["20 of ", "wrong results", "the limit is one of 20"]),
    ("an unverified row", lambda: [OPENCL, edited(CUDA, set_unverified)], 1,
     ["the row was not verified", "matmul/naive-uncoalesced (cuda"]),
    ("two devices", lambda: [CUDA, H100], 1, ["NVIDIA H200", "NVIDIA H100", "one device"]),
    ("two devices in a file", lambda: [edited(CUDA, add_device)], 1, ["several devices", "name:other"]),
    ("an emulator", lambda: [edited(CUDA, set_emulated)], 1, ["emulator"]),
    ("a row without a time", lambda: [edited(CUDA, set_untimed)], 1,
     ["matmul/naive-uncoalesced", "no time: another process uses the device"]),
    ("a file twice", lambda: [CUDA, CUDA], 1, ["matmul/naive-uncoalesced", "twice"]),
    ("a file by two names", lambda: [CUDA, os.path.join(os.path.dirname(CUDA), ".", "run-cuda.json")],
     1, ["matmul/naive-uncoalesced", "twice"]),
    ("a copy of a file", lambda: [CUDA, edited(CUDA, lambda document: None)], 1,
     ["matmul/naive-uncoalesced", "twice"]),
    ("an unknown key", lambda: [edited(CUDA, lambda d: d["results"][0].update(newer="ann"))], 1,
     ["unknown key", "newer"]),
    ("a kernel of the user", lambda: [OPENCL, edited(CUDA, set_own_kernel)], 1,
     ["matmul/naive-uncoalesced (cuda", "own_kernel", "leave out --kernel-dir"]),
    ("an old contract", lambda: [OLD], 1, ["pmpp-timing/1", "not pmpp-timing/2"]),
    ("a file that is too large", lambda: [edited(CUDA, add_samples)], 1,
     ["MB; the limit is 1 MB", "--max-samples"]),
    ("faster than its roofs", lambda: [edited(CUDA, halve_times)], 1, ["plausible"]),
    ("no rows", lambda: [edited(CUDA, no_rows)], 1, ["no row", "run --json"]),
    ("no file", lambda: ["/nonexistent/x.json"], 1, ["/nonexistent/x.json"]),
    ("another kind of file", lambda: [os.path.join(RESULTS, "nvidia-h200", "summary.json")], 1,
     ["summary.json"]),
    ("a family", lambda: ["matmul"], 1, ["matmul"]),
    ("an option of a run", lambda: [CUDA, "--repeat=3"], 1, ["--repeat", "leave out the files"]),
    ("all devices", lambda: ["--device=all"], 1, ["--device=all", "one device"]),
    ("all backends", lambda: ["--backend=all"], 1, ["--backend=all", "every backend"]),
    ("an emulator by name", lambda: ["--backend=cuda-emu"], 1, ["cuda-emu is an emulator"]),
    ("the other emulator", lambda: ["--backend=opencl-emu"], 1, ["opencl-emu is an emulator"]),
    ("an unknown option", lambda: ["--size=64"], 1, ["--size", "contribute"]),
]


def is_refused(arguments, code, parts):
    """The file that was there stays."""
    path = new_file("out.json", "mine")
    refused(code, parts, "contribute", *arguments(), "-o", path)
    with open(path, encoding="utf-8") as file:
        rows.equal(file.read(), "mine", "the output file")
    rows.equal(os.listdir(os.path.dirname(path)), ["out.json"], "files left")


def name_of_file():
    """A file that the folder of devices would not show."""
    for name in ("h200", "h200.txt"):
        path = new_path(name)
        refused(1, ["--output=" + path, ".json"], "contribute", CUDA, "-o", path)
        rows.check(not os.path.exists(path), "a file was written")


def replaced_input():
    path = edited(CUDA, lambda document: None)
    refused(1, [path, "-o"], "contribute", path, "-o", path)
    refused(1, ["/nonexistent/x.json"], "contribute", CUDA, "-o", "/nonexistent/x.json")


def interrupt(path):
    """Interrupts a run after its first family. Returns the lines of stderr."""
    process = subprocess.Popen([PROGRAM, "contribute", "--backend=opencl", "--min-time=0",
                                "--max-samples=3", "-o", path], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment())
    for line in process.stdout:
        if b"ok 0" in line:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LIMIT_S)
    rows.equal(process.returncode, 130)
    return errors


def interrupted():
    """A run that is interrupted writes no contribution. The finished rows are kept in another file."""
    need("opencl")
    path = new_path("out.json")
    errors = interrupt(path)
    kept = path.replace(".json", "-not-sent.json")
    rows.equal(os.listdir(os.path.dirname(path)), [os.path.basename(kept)], "files left")
    rows.check("the results of the run are in " + kept in errors.decode(), errors)
    rows.check("ok" in statuses(json_file(kept)).values(), "no finished row in " + kept)
    first = read_text(kept)
    errors = interrupt(path)
    again = path.replace(".json", "-not-sent-2.json")
    rows.check("the results of the run are in " + again in errors.decode(), errors)
    rows.check("ok" in statuses(json_file(again)).values(), "no finished row in " + again)
    with open(kept, encoding="utf-8") as file:
        rows.equal(file.read(), first, "the rows of the earlier run")


# ---- Rows ------------------------------------------------------------------------------------

rows.row("a contributed file is anonymous", is_anonymous)
rows.row("a contributed file is complete", is_complete)
rows.row("a contributed file is stable", is_stable)
rows.row("rows without a result stay", broken_rows_stay)
rows.row("a contribution on stdout", to_stdout)
rows.row("warnings of incomplete or noisy results", has_warnings)
for name, arguments, code, parts in REFUSED:
    rows.row("refused: " + name, is_refused, arguments, code, parts)
rows.row("refused: an output without .json", name_of_file)
rows.row("refused: an output that is an input", replaced_input)
rows.row("an interrupted run", interrupted)
rows.finish()
