"""`contribute --check` finds changes in files that were edited after they were made."""
import glob
import os

from command import expect, json_file, new_file, new_path, pmpp, refused
from contributions import (CUDA, DEVICES, add_samples, contributed, edited, halve_times, load, primary,
                           set_emulated, set_failed, store, timed)
import rows


def first_timed(change):
    def edit(document):
        change(timed(document)[0])
    return edit


def shift_sample(row):
    primary(row)["ns"] = [value * 1.01 for value in primary(row)["ns"]]


def faster(row):
    """Half of the time, with all figures that follow from it."""
    halve_times({"results": [row]})


def cached_row(document, limit):
    """A row that is faster than the memory, with figures that agree with each other."""
    row = [r for r in timed(document) if r["family"] == "vecadd"][0]
    faster(row)
    row["derived"]["limited_by"] = limit
    for key in ("ns", "share"):
        row["derived"]["floor"][key] /= 2
    row["derived"]["pct_roof"] /= 2
    row["work"]["bytes_compulsory"] *= 1.2
    row["derived"]["gbps"] *= 1.2


def claimed(document):
    """The first claim that holds."""
    return [row["claim"] for row in timed(document) if row.get("claim") and
            row["claim"]["verdict"] == "holds"][0]


def unknown_cache(document):
    cached_row(document, "cache")
    for view in document["devices"][0]["views"].values():
        view["roofs"]["l2_gbps"] = None


def keep_copy_roof(document):
    for view in document["devices"][0]["views"].values():
        roofs = view["roofs"]
        for key, value in roofs.items():
            if isinstance(value, dict):
                roofs[key] = dict.fromkeys(value)
            elif key not in ("copy_gbps", "age_s", "flags"):
                roofs[key] = None


# (row, change of a contributed file, exit code, part of a line of stdout)
BAD = [
    ("a UUID", lambda d: d["devices"][0].update(uuid="d1830a82-2491-d9b7-4397-db63ce07d8ac"), 1,
     "devices[0].uuid is private"),
    ("a PCI address", lambda d: d["devices"][0].update(pci="0000:3b:00.0"), 1,
     "'pci' is private"),
    ("another key", lambda d: d["devices"][0].update(key="uuid:x"), 1, "devices[0].key must be"),
    ("a command line", lambda d: d["tool"].update(argv=["pmpp-run"]), 1, "'argv' is private"),
    ("a label", lambda d: d["run"].update(label="ann"), 1, "'label' is private"),
    ("a time of day", lambda d: d["run"].update(started_utc="2026-11-22T10:00:00Z"), 1,
     "'started_utc' must be a day"),
    ("a day that does not exist", lambda d: d["run"].update(started_utc="2026-02-30"), 1,
     "'started_utc' must be a day"),
    ("a day in the future", lambda d: d["run"].update(started_utc="2999-01-01"), 1,
     "not in the future"),
    ("a month that does not exist", lambda d: d["run"].update(started_utc="2026-13-01"), 1,
     "'started_utc' must be a day"),
    ("a run", lambda d: d["run"].update(id="6dc8a3f2-ann"), 1, "run.id must be a digest"),
    ("a long run", lambda d: d["run"].update(id=d["run"]["id"] + "0"), 1, "run.id must be a digest"),
    ("another program", lambda d: d["tool"].update(name="pmpp-walk"), 1, "tool.name is 'pmpp-walk'"),
    ("an unknown family", first_timed(lambda r: r.update(family="matmol")), 1,
     "the family is unknown"),
    ("an unknown variant", first_timed(lambda r: r.update(variant="fastest")), 1,
     "the variant is unknown"),
    ("an unknown type of device", lambda d: d["devices"][0].update(type="fpga"), 1,
     "devices[0].type is 'fpga'"),
    ("a CPU with CUDA", lambda d: d["devices"][0].update(type="cpu"), 1, "must be gpu"),
    ("a machine", lambda d: d["run"].update(host_id="0123456789abcdef"), 1, "run.host_id must be"),
    ("a kernel of a distribution", lambda d: d["host"].update(kernel="6.1.0-ann"), 1,
     "host.kernel must be"),
    ("a rank", lambda d: d["run"].update(rank=0, ranks=2), 1, "'rank' is private"),
    ("a path", lambda d: d["devices"][0].update(vendor="/home/ann/x"), 1, "the path of a file"),
    ("an unknown key", lambda d: d["host"].update(owner="ann"), 1, "unknown key or word in a host"),
    ("two devices", lambda d: d["devices"].append(d["devices"][0]), 1, "2 devices"),
    ("an emulator", set_emulated, 1, "an emulator has no times"),
    ("a log", first_timed(lambda r: r.update(log="x")), 1, "'log' is private"),
    ("a text of the driver", first_timed(lambda r: r.update(driver_text="x")), 1,
     "'driver_text' is private"),
    ("processes", first_timed(lambda r: r["device_state"].update(other_processes=3)), 1,
     "'other_processes' is private"),
    ("a load", first_timed(lambda r: r["device_state"].update(load_average=3)), 1,
     "'load_average' is private"),
    ("a warning", first_timed(lambda r: r["build"].update(warnings=["x"])), 1, "'warnings' is private"),
    ("an error", first_timed(lambda r: r.update(error={"status": "usage", "message": "x", "code": 0, "line": 1})), 1,
     "'error' is private"),
    ("a fleet", lambda d: d["run"].update(fleet="x"), 1, "'fleet' is private"),
    ("a failed row with times", first_timed(lambda r: r.update(status="failed", reason="x")), 1,
     "a row with the status failed has times"),
    ("a failed row without a reason", first_timed(lambda r: r.update(
        status="failed", reason=None, timing=None)), 1, "a row with the status failed has no reason"),
    ("an unverified row", first_timed(lambda r: r.update(status="unverified", reason="x")), 3,
     "the row was not verified"),
    ("a mismatch", first_timed(lambda r: r["verify"].update(mismatches=1)), 3,
     "the verification did not pass"),
    ("an error above its bound", first_timed(lambda r: r["verify"].update(max_ratio=1.5)), 3,
     "the verification did not pass"),
    ("no verification", first_timed(lambda r: r.update(verify=None)), 3,
     "the verification did not pass"),
    ("no time", first_timed(lambda r: r.update(timing=None)), 1, "no time"),
    ("a skipped row with times", first_timed(lambda r: r.update(status="skipped", reason="x")), 1,
     "has times"),
    ("a skipped row without a reason", lambda d: [r for r in d["results"]
     if r["status"] == "skipped"][0].update(reason=None), 1, "has no reason"),
    ("another contract", first_timed(lambda r: r["timing"].update(contract="pmpp-timing/1")), 1,
     "the timing contract is pmpp-timing/1"),
    ("a row twice", lambda d: d["results"].append(d["results"][0]), 1, "the file has this row twice"),
    ("another device", first_timed(lambda r: r.update(device="name:x")), 1, "the device must be"),
    ("another backend", first_timed(lambda r: r.update(backend="vulkan")), 1, "no view"),
    ("a median", first_timed(lambda r: primary(r).update(median=primary(r)["median"] * 0.99)), 1,
     "cold.median is"),
    ("a quartile", first_timed(lambda r: primary(r).update(q1=1.0)), 1, "cold.q1 is"),
    ("an interval", first_timed(lambda r: primary(r).update(ci95=[1.0, 2.0])), 1, "cold.ci95[0] is"),
    ("a half-width", first_timed(lambda r: primary(r).update(half_width=0.5)), 1,
     "cold.half_width is"),
    ("samples", first_timed(shift_sample), 1, "but the samples give"),
    ("a number of samples", first_timed(lambda r: primary(r).update(n=3)), 1, "n is 3"),
    ("a negative sample", first_timed(lambda r: primary(r)["ns"].append(-1.0)), 1, "above 0"),
    ("GFLOP/s", first_timed(lambda r: r["derived"].update(gflops=1e6)), 1, "derived.gflops is"),
    ("GB/s", first_timed(lambda r: r["derived"].update(gbps=1e6)), 1, "derived.gbps is"),
    ("a share", first_timed(lambda r: r["derived"]["floor"].update(share=0.1)), 1,
     "derived.floor.share is"),
    ("a time under its floor", first_timed(faster), 1, "shorter than the floor of"),
    ("a rate above the memory", lambda d: faster([r for r in timed(d) if r["family"] == "vecadd" and
     r["variant"] == "vector4"][0]), 1, "the largest memory roof"),
    ("a rate above the arithmetic", first_timed(lambda r: r["work"].update(flops=1e15)), 1,
     "the roof of its operations"),
    ("no roofs", lambda d: d["devices"][0]["views"]["cuda"].update(roofs=None), 1,
     "no measured roofs"),
    ("a share in percent", first_timed(lambda r: r["derived"].update(pct_roof=99.0)), 1,
     "derived.pct_roof is 99"),
    ("a figure that the family has not", first_timed(lambda r: r["derived"].update(metric=2.0,
     metric_name="ns/hop")), 1, "the figure of the family is none"),
    ("a verdict", lambda d: claimed(d).update(verdict="does not hold", holds=False), 1,
     "claim.verdict is 'does not hold', but its interval gives 'holds'"),
    ("no verdict", lambda d: claimed(d).update(verdict=None, holds=None), 1, "claim.verdict is ''"),
    ("a verdict beside its interval", lambda d: claimed(d).update(ci95=[0.5, 0.6], observed=0.55), 1,
     "its interval gives 'does not hold'"),
    ("an undecided claim", lambda d: claimed(d).update(verdict="undecided", holds=None), 1,
     "claim.verdict is 'undecided'"),
    ("a limit of a claim", lambda d: claimed(d).update(expected=1.0), 1,
     "claim is not the claim of this variant"),
    ("no work", first_timed(lambda r: r.pop("work")), 1, "work must have flops"),
    ("unknown operations", first_timed(lambda r: r["work"].update(flops=None)), 1,
     "work must have flops"),
    ("negative operations", first_timed(lambda r: r["work"].update(flops=-1)), 1,
     "work must have flops"),
    ("negative bytes without a floor", first_timed(lambda r: (r["work"].update(bytes_compulsory=-1),
     r["derived"].update(floor=None))), 1, "work must have flops and bytes_compulsory"),
    ("negative bytes issued", first_timed(lambda r: r["work"].update(bytes_issued=-1)), 1,
     "work must have"),
    ("no derived figures", first_timed(lambda r: r.pop("derived")), 1, "must have 'derived'"),
    ("no floor", first_timed(lambda r: r["derived"].update(floor=None)), 1,
     "derived.floor must have a resource"),
    ("a negative floor", first_timed(lambda r: r["derived"]["floor"].update(ns=-1, share=-1)), 1,
     "derived.floor must have a resource"),
    ("no roofs but one", lambda d: keep_copy_roof(d), 1,
     "no measured roof of the operations 'f32'"),
    ("a rate of the cache without a roof", lambda d: unknown_cache(d), 1,
     "the largest memory roof"),
    ("no timed row", lambda d: d.update(results=[r for r in d["results"] if not r.get("timing")]), 1,
     "no row has a time"),
    ("too many samples", add_samples, 1, "the limit is 1 MB"),
]
_good = []


def good_file():
    if not _good:
        _good.append(contributed(CUDA)[0])
    return _good[0]


def is_bad(change, code, part):
    path = edited(good_file(), change)
    result = expect(code, "contribute", "--check", good_file(), path)
    lines = result.stdout.splitlines()
    rows.check(lines[0].startswith(good_file() + ": ok: NVIDIA H200, "), lines[0])
    found = [line for line in lines if part in line]
    rows.check(found and found[0].startswith(path + ": "), "no line has %r: %s" % (part, lines[1:4]))
    rows.check("1 of 2 files cannot be accepted" in result.stderr, result.stderr)


def cached_rate():
    """A rate above the memory is possible if the row is limited by the cache, up to its roof."""
    expect(0, "contribute", "--check", edited(good_file(), lambda d: cached_row(d, "cache")))
    expect(1, "contribute", "--check", edited(good_file(), lambda d: cached_row(d, "latency")))


WGMMA = 1 << 8  # common/capability.h


def tensor_roof(arch, wgmma, found):
    """Where mma.sync does not reach the rate of the tensor cores, only wgmma measures their roof."""
    def change(document):
        view = document["devices"][0]["views"]["cuda"]
        view["roofs"]["tensor_gflops"] = {"f16": None, "tf32": None}
        view["arch"] = arch
        view["capabilities"] = (view["capabilities"] | WGMMA) if wgmma else (view["capabilities"] & ~WGMMA)
    result = pmpp("contribute", "--check", edited(good_file(), change))
    rows.equal("no measured roof of the operations 'tensor-f16'" in result.stdout, found)


def other_words():
    """The limits are the claim: another version of the program may word it differently."""
    expect(0, "contribute", "--check",
           edited(good_file(), lambda d: claimed(d).update(text="another version")))


def failed_rows_stay():
    """A few rows with wrong results stay in the file, without times."""
    source = edited(CUDA, set_failed(2))
    path = new_path("out.json")
    result = expect(3, "contribute", source, "-o", path)
    rows.check("2 with wrong results" in result.stdout, result.stdout)
    rows.check("warning: 2 rows with wrong results" in result.stderr, result.stderr)
    failed = [row for row in json_file(path)["results"] if row["status"] == "failed"]
    rows.equal([(row["reason"], row["timing"]) for row in failed], [("9 wrong", None)] * 2)
    result = expect(0, "contribute", "--check", path)
    rows.check("2 with wrong results" in result.stdout, result.stdout)


def cpu_memory(factor, problem):
    """The memory of a virtual machine may be faster than its roof, which is measured once."""
    document = load(os.path.join(DEVICES, "pocl-xeon.json"))
    row = [row for row in timed(document) if (row["family"], row["variant"]) == ("coalesce", "cpu-stream")][0]
    roofs = document["devices"][0]["views"]["opencl"]["roofs"]
    roofs["copy_gbps"] = roofs["read_gbps"] = row["derived"]["gbps"] / factor
    result = pmpp("contribute", "--check", store(document))
    rows.equal("coalesce/cpu-stream" in result.stdout, problem, "problem of the row")


def large_roof():
    """A roof is too large if no row of all families is near it."""
    def change(factor):
        def scale(document):
            for view in document["devices"][0]["views"].values():
                view["roofs"]["copy_gbps"] *= factor
        return scale
    source = os.path.join(DEVICES, "h100.json")
    for factor, found in ((3, False), (1e4, True)):
        result = pmpp("contribute", "--check", edited(source, change(factor)))
        rows.equal("the roof is too large" in result.stdout, found, "a roof times %g" % factor)


def rates_without_roof():
    """A CPU has no roofs of integers and f16, so the roof of f32 is used."""
    def change(document):
        row = [row for row in timed(document) if row["work"]["operations"] == "f32"][0]
        row["work"]["operations"] = "f16"
    path = edited(os.path.join(DEVICES, "pocl-xeon.json"), change)
    result = pmpp("contribute", "--check", path)
    rows.check("no measured roof" not in result.stdout, result.stdout)


def check_usage():
    refused(1, ["--check", "FILE"], "contribute", "--check")
    refused(1, ["--output"], "contribute", "--check", CUDA, "-o", new_path("x.json"))
    rows.equal(expect(0, "contribute", "--check", "-q", good_file()).stdout, "")
    refused(1, ["x.json"], "contribute", "--check", "/nonexistent/x.json")


def check_warns():
    """--check has the warnings of contribute, with the name of the file."""
    document = load(os.path.join(DEVICES, "pocl-xeon.json"))
    document["results"] = [row for row in document["results"] if row["family"] == "vecadd"]
    path = store(document)
    out = new_path("out.json")
    made = expect(0, "contribute", path, "-o", out).stderr.splitlines()
    made = [line for line in made if line.startswith("warning: ")]
    rows.check(len(made) == 2 and "families" in made[0] and "noisy" in made[1], made)
    got = expect(0, "contribute", "--check", good_file(), out).stderr.splitlines()
    rows.equal([line for line in got if out in line],
               [line.replace("warning: ", "warning: %s: " % out) for line in made])


def one_line_for_rows():
    """If many rows have the same problem, one line has their number."""
    document = load(CUDA)
    for row in document["results"]:
        row["log"] = "a log"
    result = expect(1, "contribute", "--check", store(document))
    lines = [line for line in result.stdout.splitlines() if "'log' is private" in line]
    rows.check(len(lines) == 1 and lines[0].endswith(" (and %d more rows)" % (len(document["results"]) - 1)),
               lines)
    texts = [line.split("): ", 1)[-1] for line in result.stdout.splitlines()]
    rows.equal(len(texts), len(set(texts)), "different texts")


def unreadable_files():
    """A file that cannot be read is bad, and the files after it are checked."""
    failed = edited(good_file(), first_timed(lambda r: r.update(status="unverified", reason="x")))
    broken = new_file("broken.json", "{")
    for path, code in ((good_file(), 1), (failed, 3)):
        result = expect(code, "contribute", "--check", "/nonexistent/x.json", broken, path)
        rows.check("/nonexistent/x.json" in result.stdout and broken in result.stdout, result.stdout)
        rows.check(path in result.stdout, result.stdout)
        rows.check("%d of 3 files" % (2 if code == 1 else 3) in result.stderr, result.stderr)


def null_figures():
    """The message has null for a null, not nan."""
    def change(document):
        row = timed(document)[0]
        primary(row)["min"] = primary(row)["half_width"] = row["derived"]["gbps"] = None
    result = expect(1, "contribute", "--check", edited(good_file(), change))
    rows.check("min is null, but" in result.stdout and "gbps is null, but" in result.stdout and
               "nan" not in result.stdout.replace("nanosecond", ""), result.stdout)


LONG_TEXT_S = 60  # more than 20 times a linear search; a quadratic search takes 25 minutes


def long_text(part):
    """The time to search a text for paths is linear in its length."""
    def change(document):
        document["results"][0]["reason"] = part * (1000000 // len(part))
    pmpp("contribute", "--check", edited(good_file(), change), timeout=LONG_TEXT_S)


def committed(path):
    """A committed file of a device can be accepted, and contribute writes it unchanged."""
    result = expect(0, "contribute", "--check", path)
    rows.check(result.stdout.startswith(path + ": ok: "), result.stdout)
    copy_path, _ = contributed(path, code=3 if " with wrong results" in result.stdout else 0)
    rows.equal(load(copy_path)["results"], load(path)["results"], "rows after another pass")


# ---- Rows ------------------------------------------------------------------------------------

rows.row("rows with wrong results stay", failed_rows_stay)
rows.row("the memory of a CPU: 1.8 times its roof", cpu_memory, 1.8, False)
rows.row("the memory of a CPU: 3 times its roof", cpu_memory, 3, True)
rows.row("a roof that no row reaches", large_roof)
rows.row("f16 on a CPU", rates_without_roof)
for name, change, code, part in BAD:
    rows.row("--check finds " + name, is_bad, change, code, part)
rows.row("--check: rates of the cache", cached_rate)
rows.row("no tensor roof: compute capability 9.0", tensor_roof, "sm_90", True, True)
rows.row("no tensor roof: compute capability 10.0", tensor_roof, "sm_100", False, False)
rows.row("no tensor roof: compute capability 8.6", tensor_roof, "sm_86", False, True)
rows.row("--check: a claim in other words", other_words)
rows.row("--check: usage", check_usage)
rows.row("--check: warnings", check_warns)
rows.row("--check: a problem of many rows", one_line_for_rows)
rows.row("--check: files that cannot be read", unreadable_files)
rows.row("--check: null figures", null_figures)
for number, part in enumerate(("../", "/", "-a", "a", "~/", "/tmp/x ", "\\", "C:/", "file://")):
    rows.sampled_row(number, 4, "--check: a long text of %r" % part, long_text, part)
for device in sorted(glob.glob(os.path.join(DEVICES, "*.json"))):
    (rows.long_row if "h100" in device else rows.row)("committed: " + os.path.basename(device), committed, device)
rows.finish()
