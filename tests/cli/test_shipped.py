"""Devices that ship with the program: names, `compare --with`, and the page of a run."""
import copy
import glob
import json
import os
import re
import shutil
import subprocess

from command import (
    PROGRAM, ROOT, environment, expect, json_file, json_of, need, new_file, new_path, read_text, refused)
import rows

RESULTS = os.path.join(ROOT, "docs", "results")
DEVICES = os.path.join(RESULTS, "devices")
H100 = os.path.join(RESULTS, "nvidia-h100", "run-cuda.json")
H200 = os.path.join(RESULTS, "nvidia-h200", "compare", "run-cuda.json")


def stems():
    return sorted(os.path.basename(path)[:-len(".json")]
                  for path in glob.glob(os.path.join(DEVICES, "*.json")))


def folder(**files):
    """A folder of devices: {name: path of a file, or a document}."""
    path = os.path.dirname(new_path("x"))
    for name, content in files.items():
        target = os.path.join(path, name + ".json")
        if isinstance(content, str):
            shutil.copyfile(content, target)
        else:
            with open(target, "w", encoding="utf-8") as file:
                file.write(json.dumps(content))
    return path


def use(path):
    return {"PMPP_DEVICES_DIR": path}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# ---- Names -----------------------------------------------------------------------------------

def committed_names():
    """The program in its build folder finds the folder of the source tree."""
    rows.check({"h100", "h200", "intel-epyc", "pocl-epyc", "pocl-xeon", "rusticl-epyc"} <= set(stems()), stems())
    help_text = " ".join(expect(0, "compare", "--help").stdout.split())
    rows.check("(--with): " + ", ".join(stems()) in help_text, help_text[-600:])
    listed = expect(0, "devices").stdout.splitlines()[-1]
    rows.equal(listed, "results that ship with pmpp (compare --with): " + ", ".join(stems()))


def roofs_of_views():
    """A roof is the largest rate of a device, so all views of a device have the same roofs."""
    for name in stems():
        device = load(os.path.join(DEVICES, name + ".json"))["devices"][0]
        views = [view["roofs"] for view in device["views"].values()]
        for roofs in views + [device["roofs"]]:
            rows.equal(roofs["integer_gops"], views[0]["integer_gops"], name + ": roof of integers")


def other_folder():
    path = folder(b=H200, a=H100)
    for name in (".hidden.json", "with blank.json", "text.txt", ".json"):
        with open(os.path.join(path, name), "w", encoding="utf-8") as file:
            file.write("no JSON")
    help_text = expect(0, "compare", "--help", env=use(path)).stdout
    rows.check("(--with): a, b\n" in help_text, help_text[-600:])


def no_folder():
    help_text = expect(0, "compare", "--help", env=use("/nonexistent")).stdout
    rows.check("(--with): none are installed\n" in help_text, help_text[-600:])
    refused(1, ["PMPP_DEVICES_DIR=/nonexistent", "unset"], "compare", H200, "--with=a",
            env=use("/nonexistent"))
    refused(1, ["--with=all", "has no result file"], "compare", H200, "--with=all",
            env=use(folder()))


def installed():
    """PREFIX/bin/pmpp-run reads PREFIX/share/pmpp/devices for every PREFIX."""
    prefix = os.path.dirname(new_path("x"))
    program = os.path.join(prefix, "bin", "pmpp-run")
    os.mkdir(os.path.join(prefix, "bin"))
    shutil.copy(PROGRAM, program)
    command = [program, "compare", H100, "--with=mine"]
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env=environment(PMPP_DEVICES_DIR=None))
    rows.equal(result.returncode, 1)
    for part in ("are not installed", os.path.join(prefix, "share", "pmpp", "devices"),
                 "PMPP_DEVICES_DIR"):
        rows.check(part in result.stderr, result.stderr)
    os.makedirs(os.path.join(prefix, "share", "pmpp", "devices"))
    shutil.copy(H200, os.path.join(prefix, "share", "pmpp", "devices", "mine.json"))
    result = subprocess.run(command, capture_output=True, text=True, check=True,
                            env=environment(PMPP_DEVICES_DIR=""))
    rows.check("\ncompare by device: NVIDIA H100 80GB HBM3 (base), NVIDIA H200" in result.stdout,
               result.stdout[:200])


def is_installed():
    """meson installs every file of the folder."""
    plan = os.path.join(os.path.dirname(PROGRAM), "meson-info", "intro-installed.json")
    if not os.path.exists(plan):
        raise rows.Skip("no meson-info beside the program")
    target = load(plan).get(os.path.realpath(DEVICES), "")
    rows.equal(target.split(os.sep)[-3:], ["share", "pmpp", "devices"])


# ---- compare ---------------------------------------------------------------------------------

def by_name():
    """The files of the command line come first, then the devices in the order of --with."""
    path = folder(fast=H200, slow=H100)
    want = json_of(expect(0, "compare", H100, H200, "--json"))
    got = json_of(expect(0, "compare", H100, "--with=fast", "--json", env=use(path)))
    for key in ("by", "counts", "rows"):
        rows.equal(got[key], want[key], key)
    both = json_of(expect(0, "compare", "--with=fast,slow", "--json", env=use(path)))
    rows.equal([side["name"] for side in both["sides"]], ["NVIDIA H200", "NVIDIA H100 80GB HBM3"])
    every = json_of(expect(0, "compare", "--with=all", "--json", env=use(path)))
    rows.equal([side["name"] for side in every["sides"]], ["NVIDIA H200", "NVIDIA H100 80GB HBM3"])
    twice = json_of(expect(0, "compare", "--with=fast,slow,fast", "--json", env=use(path)))
    rows.equal(twice["counts"], both["counts"], "a name that is given twice")


def keep(*families):
    def change(document):
        document["results"] = [row for row in document["results"] if row["family"] in families]
    return change


def edited(path, change):
    document = load(path)
    change(document)
    return new_file("mine.json", json.dumps(document))


def one_family():
    """Only the family of the user is shown. --json and the exit code have all rows."""
    path = folder(a=H200)
    own = edited(H100, keep("vecadd"))
    result = expect(0, "compare", own, "--with=a", env=use(path))
    tables = [line.split()[0] for line in result.stdout.splitlines() if re.match(r"\w+  \w+ .*=", line)]
    rows.equal(tables, ["vecadd"])
    left = [line for line in result.stdout.splitlines() if line.startswith("left out: ")]
    document = json_of(expect(0, "compare", own, "--with=a", "--json", env=use(path)))
    missing = sum(row["family"] != "vecadd" and row["cells"][1]["median_ns"] is not None
                  for row in document["rows"])
    families = {row["family"] for row in document["rows"]} - {"vecadd"}
    rows.equal(left, ["left out: %d rows that only shipped devices have; --json writes all rows" % missing])
    rows.check(missing > 90 and len(families) == 16, "%d rows, %s" % (missing, families))
    rows.equal(document["counts"][0]["missing"], missing)
    rows.equal([side["shipped"] for side in document["sides"]], [False, True])
    expect(4, "compare", H200, own, "--fail-on=missing")
    lost = edited(H200, keep("vecadd"))
    expect(4, "compare", H100, "--with=lost", "--fail-on=missing", env=use(folder(lost=load(lost))))


def set_size(document):
    for row in document["results"]:
        row["problem"]["n"] = 1024


def other_sizes():
    """One line has the rows and the command to run, and the program accepts the command."""
    own = edited(H100, keep("vecadd", "reduce"))
    own = edited(own, set_size)
    devices = use(folder(a=H200))
    lines = expect(0, "compare", own, "--with=a", env=devices).stdout.splitlines()
    found = [line for line in lines if line.startswith("not compared, ")]
    rows.equal(found, ["not compared, because the shipped devices have other sizes: 14 rows of vecadd, reduce; "
                       "to compare, run `pmpp-run vecadd reduce --like=a --json=FILE`"])
    rows.check(len(lines) < 20, "%d lines" % len(lines))
    command = re.search("`pmpp-run (.*?) --json", found[0]).group(1).split()
    refused(2, ["nosuchdevice"], "run", *command, "--device=nosuchdevice", env=devices)


def committed_devices():
    for name in stems():
        result = json_of(expect(0, "compare", H100, "--with=" + name, "--json"))
        rows.equal(len(result["sides"]), 2, name)


def same_card():
    """The file of a card joins the shipped file of the same card, whose UUID is a hash."""
    own = os.path.join(RESULTS, "nvidia-h200", "compare", "run-opencl.json")
    path = folder()
    expect(0, "contribute", H200, "-o", os.path.join(path, "h200.json"))
    got = json_of(expect(0, "compare", own, "--with=h200", "--json", env=use(path)))
    rows.equal(got["by"], ["backend"], "the compared field")
    page = new_path("page.html")
    expect(0, "report", own, "--with=h200", "-o", page, env=use(path))
    with open(page, encoding="utf-8") as file:
        rows.check("NVIDIA H200 #2" not in file.read(), "the page has the card twice")


def cpu_apart():
    """A shipped CPU is a separate side, even if it has the identity of the user's CPU. Each side has the
    platform in its name."""
    for stem, name, platform in (("intel-epyc", "AMD EPYC", "Intel(R) OpenCL"),
                                 ("pocl-epyc", "pthread-skylake-avx512-AMD EPYC", "PoCL")):
        names = ["%s (%s)" % (title, platform) for title in (name, "%s (%s)" % (name, stem))]
        own = edited(os.path.join(DEVICES, stem + ".json"), keep("vecadd"))
        timed = sum(bool(row["timing"]) for row in load(own)["results"])
        got = json_of(expect(0, "compare", own, "--with=" + stem, "--json"))
        rows.equal([side["name"] for side in got["sides"]], names)
        rows.equal([side["shipped"] for side in got["sides"]], [False, True], stem)
        rows.equal(got["sides"][0]["rows"], timed, "rows of the user")
        rows.check(all(row["cells"][0]["runs"] < 2 for row in got["rows"]), "a shared row: " + stem)
        page = new_path("page.html")
        expect(0, "report", own, "--with=" + stem, "-o", page)
        text = read_text(page)
        for side in (title.replace("(R)", "") for title in names):
            rows.check("<bdi>%s, OpenCL</bdi>" % side in text, "no side " + side)


def gpu_without_identity():
    """The name of a GPU is not an identity: without a UUID the shipped GPU is a separate side."""
    def change(document):
        device = document["devices"][0]
        device.update(key="name:" + device["name"], uuid=None, pci=None)
        for row in document["results"]:
            row["device"] = device["key"]
    own = edited(H200, change)
    got = json_of(expect(0, "compare", own, "--with=gpu", "--json", env=use(folder(gpu=own))))
    rows.equal([side["shipped"] for side in got["sides"]], [False, True])


def far_ratios():
    """Ratios far from 1 are factors, and an interval beyond a factor of 10 is not shown."""
    def change(document):
        document["devices"][0].update(key="uuid:GPU-other", uuid="GPU-other", pci=None)
        for row in document["results"]:
            row["device"] = "uuid:GPU-other"
            if not row.get("timing"):
                continue
            samples = row["timing"][row["timing"]["primary"]]
            factor = {"fine": 6.13e-4, "coarse2": 2e-3}.get(row["variant"], 12.3)
            samples["median"] *= factor
            if row["variant"] == "coarse2":
                samples["half_width"] = 20
    own = edited(H200, keep("vecadd"))
    devices = use(folder(b=edited(own, change), c=edited(H100, keep("vecadd"))))
    pair = expect(0, "compare", own, "--with=b", env=devices).stdout
    matrix = expect(0, "compare", own, "--with=b,c", env=devices).stdout
    for line, want in (("fine", r" 163\d x faster  \[16\d\d, 16\d\d\] x +FAST"),
                       ("coarse2", r" 500 x faster  unknown +\w+"),
                       ("coarse4", r" 12\.3 x slower  \[12\.\d, 12\.\d\] x +SLOW")):
        found = [text for text in pair.splitlines() if text.startswith(line + " ")]
        rows.check(found and re.search(want, found[0]), found)
        found = [text for text in matrix.splitlines() if text.startswith(line + " ")]
        rows.check(found and re.search(want, found[0]), found)


def like():
    """run --like runs the problems of a device, so that compare has rows of both. What takes too long is
    skipped."""
    need("opencl")
    target = new_path("like.json")
    run = ("run", "vecadd/fine", "vecadd/coarse2", "reduce/interleaved", "--backend=opencl", "--max-samples=3",
           "--min-time=0", "--progress=no")

    def change(document):
        document["results"] = [dict(row, problem={"n": 3000}) for row in document["results"]
                               if row["family"] == "vecadd" and row["timing"]]
    devices = folder(a=edited(H200, change))
    expect(0, *run, "--like=a", "--json=" + target, env=use(devices))
    rows.equal({(row["family"], row["problem"]["n"]) for row in load(target)["results"]}, {("vecadd", 3000)})
    counts = json_of(expect(0, "compare", target, "--with=a", "--json", "--by=device,backend",
                            env=use(devices)))["counts"][0]
    rows.check(counts["mean_ratio"], "no row is on both sides")
    refused(1, ["--like", "--size"], *run, "--like=a", "--size=5", env=use(devices))
    refused(1, ["no timed row"], "run", "matmul", "--like=a", env=use(devices))
    refused(1, ["nosuch"], *run, "--like=nosuch", env=use(devices))

    def enlarge(document):
        document["results"] = [dict(row, problem={"n": 2 ** 27}) for row in document["results"]
                               if row["variant"] == "fine" and row["timing"]]
    expect(77, "run", "vecadd/fine", "--backend=opencl", "--timeout=0.1", "--progress=no",
           "--like=" + edited(H200, enlarge), "--json=" + target)
    row = load(target)["results"][0]
    rows.equal((row["status"], row["reason"]), ("skipped", "its check and times take longer than --timeout: raise it"))


WRONG = [
    ("an unknown name", ["--with=h20"], ["--with=h20", "'h20'", "did you mean h200?", "a, bad, h200"]),
    ("an unknown name among others", ["--with=a,x"], ["'x'"]),
    ("an empty name", ["--with=a,"], ["''", "a, bad, h200"]),
    ("no name", ["--with="], ["--with is empty"]),
    ("a path", ["--with=../a"], ["'../a'"]),
    ("a bad file", ["--with=bad"], ["bad.json", "schema"]),
]


def wrong(arguments, parts):
    path = folder(a=H100, h200=H200, bad={"schema": "other/1"})
    refused(1, parts, "compare", H200, *arguments, env=use(path))


def replaced_device():
    path = folder(a=H100)
    target = os.path.join(path, "a.json")
    refused(1, [target, "would be replaced"], "compare", H200, "--with=a", "--json=" + target,
            env=use(path))
    rows.equal(load(target), load(H100), "the file of the device")


# ---- run -------------------------------------------------------------------------------------

RUN = ("vecadd", "reduce/coarse", "--backend=opencl", "--size=4096", "--min-time=1",
       "--max-samples=3")
_mine = []


def mine():
    """Results of this machine."""
    need("opencl")
    if not _mine:
        path = new_path("mine.json")
        expect(0, *RUN, "--json=" + path, env=use(folder()))
        _mine.append(json_file(path))
    return copy.deepcopy(_mine[0])


def other(factor, name="another device"):
    """A device whose times are those of this machine times a factor."""
    document = mine()
    document["devices"][0].update(key="name:" + name, name=name, uuid=None, pci=None)
    for row in document["results"]:
        row["device"] = "name:" + name
        if row.get("timing"):
            samples = row["timing"][row["timing"]["primary"]]
            samples["median"] *= factor
    return document


def bad_files():
    """A bad file causes a note on the page of a run, and the other files are used."""
    path = folder(quick=other(1e-3), bad={"schema": "pmpp-result/9"})
    page = "--report=" + new_path("page.html")
    result = expect(0, *RUN, page, env=use(path))
    rows.check("note: " + os.path.join(path, "bad.json") + ": schema" in result.stderr, result.stderr)


def no_rank():
    """A run says nothing about the shipped devices."""
    result = expect(0, *RUN, env=use(folder(quick=other(1e-3))))
    rows.check("ship with" not in result.stdout + result.stderr, result.stdout)


# ---- Rows ------------------------------------------------------------------------------------

rows.row("names of the committed devices", committed_names)
rows.row("roofs of the views of a committed device", roofs_of_views)
rows.row("names of another folder", other_folder)
rows.row("no folder", no_folder)
rows.row("beside an installed program", installed)
rows.row("meson installs the files", is_installed)
rows.row("compare --with", by_name)
rows.long_row("compare with each committed device", committed_devices)
rows.row("compare --with: a file of one family", one_family)
rows.row("compare --with: other sizes", other_sizes)
rows.row("a card and its shipped file are one device", same_card)
rows.row("a shipped CPU is a side of its own", cpu_apart)
rows.row("a shipped GPU without a UUID is a side of its own", gpu_without_identity)
rows.row("ratios far from 1", far_ratios)
rows.row("run --like", like)
for title, arguments, parts in WRONG:
    rows.row("refused: " + title, wrong, arguments, parts)
rows.row("refused: an output that is a device", replaced_device)
rows.row("run: nothing about other devices", no_rank)
rows.row("run: bad files", bad_files)
rows.finish()
