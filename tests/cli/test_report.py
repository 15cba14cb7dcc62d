"""`report`: the page of committed result files, of edited copies, and of files with hostile texts.

The pages are parsed (html.parser), checked by tidy, and opened in a headless Chromium.
"""
import importlib.util
import json
import os
import re
import resource
import shutil
import subprocess
import xml.etree.ElementTree

from command import PROGRAM, ROOT, describe, environment, expect, need, new_file, new_path, read_text, refused
import browser
from page_checks import (Structure, check_contrast, check_page, check_tidy, check_views, figures_of,
                         need_browser, written)
import page_scripts
import rows

RESULTS = os.path.join(ROOT, "docs", "results")
H100 = [os.path.join(RESULTS, "nvidia-h100", "run-%s.json" % name) for name in ("cuda", "opencl")]
H200 = [os.path.join(RESULTS, "nvidia-h200", "compare", "run-%s.json" % name)
        for name in ("cuda", "opencl")]
POCL = os.path.join(RESULTS, "devices", "pocl-epyc.json")
SMALL = os.path.join(RESULTS, "pocl", "matmul.json")
PARITY = os.path.join(RESULTS, "nvidia-h200", "parity.json")
SIZES = os.path.join(RESULTS, "nvidia-h200", "sizes-cuda.json")
EXPLAINED = os.path.join(RESULTS, "nvidia-h200", "explain-all.json")


def report(*files, env=None):
    """The text of the page of these files."""
    path = new_path("page.html")
    result = expect(0, "report", *files, "-o", path, env=env)
    rows.equal(result.stdout, "", "stdout")
    return read_text(path), result.stderr


def edited(path, change, name="edited.json"):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    document = change(document) or document
    return new_file(name, json.dumps(document))


# ---- Pages ---------------------------------------------------------------------------------------

def committed_page():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text, stderr = report(*H200, *H100, POCL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    page = check_page(text)
    rows.check(len(text.encode()) < 2000000, "%d bytes" % len(text.encode()))
    rows.check(re.fullmatch(r"wrote \S+page\.html: \d+\.\d\d MB\n", stderr), stderr)
    rows.note(stderr.strip())
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows.note("%.2f s of a core" % used)
    rows.check(used < 3, "%.2f s of a core" % used)
    rows.check(len(page.tags("figure")) > 30, "%d charts" % len(page.tags("figure")))
    for name in ("NVIDIA H200, CUDA", "NVIDIA H100 80GB HBM3, OpenCL", "matmul", "f16-tensor"):
        rows.check("<bdi>%s</bdi>" % name in text, "no " + name)
    for word in ("nan", "inf", "NaN"):
        rows.check(not re.search(r'="[^"]*\b%s\b' % word, text), word + " in an attribute")


def renamed(path, number):
    def change(document):
        device = document["devices"][0]
        old, new = device["key"], "name:device %d" % number
        device.update(key=new, name="device %d" % number, uuid=None, pci=None)
        for row in document["results"]:
            if row["device"] == old:
                row["device"] = new
    return edited(path, change)


def same_device_twice():
    """Two runs of a device count each variant once. The driver is that of the file."""
    def another_run(document):
        document["run"]["id"] = "f" * 32

    def cells(*files):
        table = report(*files)[0].split("<caption>Devices, and their measured limits")[1]
        row = table.split("<tbody>")[1].split("</tr>")[0]
        return [re.sub(r"<[^>]*>", "", cell) for cell in re.split(r"</t[hd]>", row)]

    once = cells(H200[0])
    rows.equal(cells(H200[0], edited(H200[0], another_run)), once, "two runs")
    with open(H200[0], encoding="utf-8") as file:
        document = json.load(file)
    timed = sum(bool(row["timing"]) for row in document["results"])
    rows.check(str(timed) in [cell.strip() for cell in once], "%d timed: %s" % (timed, once))
    driver = document["devices"][0]["views"]["cuda"]["driver"].split(",")[0]
    rows.check(driver in [cell.strip() for cell in once], "%s: %s" % (driver, once))


def six_devices():
    """The largest page in this test: six devices with two backends each."""
    files = H200 + H100 + [renamed(path, number) for number in range(4) for path in H200]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text, stderr = report(*files)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows.note("%s %.2f s of a core" % (stderr.strip().split(": ")[-1], used))
    check_page(text)
    rows.check(len(text.encode()) < 2000000, "%d bytes" % len(text.encode()))
    rows.check(used < 3, "%.2f s of a core" % used)


def by_model():
    """GPUs of one name are one side on request; machines with the same CPU can differ."""
    other = edited(H200[0], renamed_card)
    cards = report(H200[0], other)[0]
    rows.check("<bdi>NVIDIA H200 #2, CUDA</bdi>" in cards, "two cards are one side")
    for value, number in (("model", False), ("device", True)):
        text = report(H200[0], other, "--by=" + value)[0]
        rows.equal("NVIDIA H200 #2" in text, number, "--by=" + value)
    refused(1, ["--by=driver", "--by=model"], "report", SMALL, "--by=driver", "-o", new_path("page.html"))
    machine = edited(SMALL, lambda d: d["run"].update(host_id="0123456789abcdef0123456789abcdef"))
    rows.check(" #2, OpenCL" in report(SMALL, machine, "--by=model")[0], "two machines are one side")


def renamed_card(document):
    device = document["devices"][0]
    old, new = device["key"], "uuid:00000000-0000-4000-8000-000000000001"
    device.update(key=new, uuid=new[5:], pci=None)
    for row in document["results"]:
        row["device"] = new if row["device"] == old else row["device"]


def section(text, name):
    """The text of a section of a page."""
    return re.search(r'<section[^>]* id="?%s"?.*?</section>|id="%s".*?(?=<h2|</main>)' % (name, name),
                     text, re.S).group(0)


def sweep_beside_ladders():
    """A sweep of one variant changes neither the claims nor the problem of the comparison."""
    sweep = os.path.join(RESULTS, "sizes", "h200-memory-cuda.json")
    plain, swept = (report(H200[0], POCL, *more, "--by=model")[0] for more in ([], [sweep]))
    for name in ("claims", "overview"):
        lines = [set(re.findall(r"<tr>.*?</tr>", section(text, name), re.S)) for text in (swept, plain)]
        rows.equal(sorted(lines[0] ^ lines[1])[:4], [], "lines of the tables of " + name)
    rows.check("sweeps" in swept, "no sweep")


def rows_in_several_files():
    """With two or three runs, a ladder has the rows of the newest run with at least half of the times, and other
    rows of the other runs. The table names the files. With four runs or more, the page shows their median."""
    def slower(factor, day, variants=None):
        def change(document):
            document["run"].update(id="%032x" % int(1000 * factor), started_utc="20%sT00:00:00Z" % day)
            document["results"] = [row for row in document["results"]
                                   if variants is None or row["variant"] in variants]
            for row in document["results"]:
                row["technique"] = "of " + day
                for kind in ("cold", "hot", "host"):
                    timing = row["timing"] and row["timing"][kind]
                    if not timing:
                        continue
                    for key in ("min", "q1", "median", "q3"):
                        timing[key] *= factor
                    timing["ns"] = [ns * factor for ns in timing["ns"]]
                    if timing.get("ci95"):
                        timing["ci95"] = [ns * factor for ns in timing["ci95"]]
        return edited(SMALL, change, day + ".json")

    def ladder(*files):
        text = section(report(*files)[0], "ladders")
        names = {name for name in map(os.path.basename, files) if "<bdi>%s</bdi></td></tr>" % name in text}
        return re.findall(r"of (\d\d-\d\d-\d\d)", text), names, text

    with open(SMALL, encoding="utf-8") as file:
        variants = [row["variant"] for row in json.load(file)["results"] if row["timing"]]
    old, new = slower(1, "10-01-01"), slower(2, "10-01-02", variants[1:])
    one, many = slower(3, "10-01-03", variants[:1]), [slower(4 + i, "10-01-0%d" % i) for i in range(4, 7)]
    for files, day, other in (([old, new], "10-01-02", "10-01-01"), ([new, old], "10-01-02", "10-01-01"),
                              ([old, one], "10-01-01", None), ([one, old, new], "10-01-02", "10-01-01")):
        days, names, text = ladder(*files)
        rows.equal(set(days), {day, other or day}, "the days of the rows of a ladder")
        rows.equal(days.count(other), 1 if other else 0, "rows that only another run has")
        rows.check("<bdi>%s</bdi>" % variants[0] in text, "no " + variants[0])
        rows.equal(names, {day + ".json", other + ".json"} if other else set(), "files of the rows")
    sizes = edited(slower(2, "10-01-02"), other_sizes, "sizes.json")
    days, names, text = ladder(old, sizes)
    rows.equal(set(days), {"10-01-01", "10-01-02"}, "days of two problems")
    rows.equal(names, set(map(os.path.basename, (old, sizes))), "the files of the ladders")
    devices = section(report(old, new)[0], "devices")
    hidden = re.search(r"Rows of the files that are hidden: (\d+)\.", devices)
    rows.check(hidden, "no note on the hidden rows")
    name = re.escape(os.path.basename(old))
    line = re.search(r"<tr><th[^>]*><bdi>%s</bdi></th>.*?</tr>" % name, devices, flags=re.S)
    rows.check(line and re.search(r">%s</bdi></td>" % hidden[1], line[0]), "hidden rows: %s" % (line and line[0]))
    rows.check("files that are hidden" not in report(SMALL)[0], "a note without hidden rows")
    rows.check("4 runs (median)" in ladder(old, *many)[2], "four runs show one of them")


def other_sizes(document):
    for row in document["results"]:
        row["problem"] = {key: 2 * value for key, value in row["problem"].items()}


def your_kernel():
    """The time of a kernel of the user has a mark, and its line says so."""
    def change(document):
        row = next(row for row in document["results"] if row["variant"] == "tiled16")
        row.update(own_kernel=True, technique="your kernel")
    text = report(edited(SMALL, change))[0]
    ladder = section(text, "ladders")
    rows.check(re.search(r"tiled16</bdi></a></th><td><bdi>your kernel</bdi></td>"
                         r"<td class=\"number\" data-value=\"[\d.]+\">[\d.]+ ms=", ladder), ladder[-3000:])
    rows.check("= your kernel: a kernel of yours" in ladder, "no legend")
    rows.check("your kernel" not in section(report(SMALL)[0], "ladders"), "a mark without your kernel")


def deterministic():
    first = report(*H200)[0]
    second = report(*H200)[0]
    hide = lambda text: re.sub(r"<footer>.*</footer>", "", text, flags=re.S)
    rows.equal(hide(first), hide(second), "the page")


# ---- Hostile texts -------------------------------------------------------------------------------

# Words that are not free text: the reader has a list of them.
WORDS = {"schema", "status", "primary", "flags", "limited_by", "resource", "operations", "verdict"}
# Objects whose keys are names of their own.
NAMED = {"views", "problem", "macros"}

HOSTILE = [
    "<script>alert(1)</script>",
    "</script></style></svg></title></table><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x='y' `z` ",
    "`touch /tmp/pmpp-hostile` $(touch /tmp/pmpp-hostile) ",
    "'\nsystem('touch /tmp/pmpp-hostile')\n!touch /tmp/pmpp-hostile\n",
    "{/=50 x}_{2}^{3} @x %s%n%h \\n\\001 &lt; &#60; &amp;",
    "\x01\x07\x1b[31m\x7f\x9b\t\r\n",
    "\u202e\u2066\u200f evil \u202d",
    "]]><!-- --><![CDATA[ <?xml ?> <!DOCTYPE x>",
    "</script><!-- <script> \\u003c \u2028 \u2029 ]]> \\ ",
    "__proto__ constructor toString ",
]


def printable(text):
    """The reader refuses names of keys with control characters."""
    return re.sub("[\\x00-\\x1f\\x7f-\\x9f]", "-", text)


def substituted(make):
    """A change of a document that replaces each text by make(number); equal texts stay equal."""
    numbers = {}

    def name(text):
        return make(numbers.setdefault(text, len(numbers)))

    def walk(value, key=None):
        if isinstance(value, dict):
            return {printable(name(k)) if key in NAMED else k: walk(v, k)
                    for k, v in value.items()}
        if isinstance(value, list):
            return [walk(v, key) for v in value]
        return name(value) if isinstance(value, str) and key not in WORDS else value
    return walk


def long_text(unit, number):
    """A text longer than every limit, so that its width in a chart does not depend on the unit."""
    return unit * (400 // len(unit) + 1) + str(number)


def same_structure(plain, text, what):
    page = check_page(text)
    for number, (got, want) in enumerate(zip(page.elements, plain.elements)):
        rows.equal(got, want, "%s: element %d" % (what, number))
    rows.equal(len(page.elements), len(plain.elements), "elements")


_plain = {}


def plain_page(path):
    if path not in _plain:
        _plain[path] = Structure(report(edited(path, substituted(
            lambda number: long_text("x", number))))[0])
        count = len(_plain[path].elements)
        rows.check(count > (1500 if path == H200[0] else 400), "%d elements" % count)
    return _plain[path]


def hostile(unit, path=H200[0]):
    text = report(edited(path, substituted(lambda number: long_text(unit, number))))[0]
    same_structure(plain_page(path), text, repr(unit))
    for character in map(chr, (0x202e, 0x202d, 0x2066, 0x200f, 1, 7, 27, 127, 0x9b)):
        rows.check(character not in text, "the page has U+%04X" % ord(character))


def hostile_sections(path, section):
    """Hostile texts in a rarely used section."""
    for unit in HOSTILE[:2]:
        hostile(unit, path)
    rows.check(section in plain_page(path).values("id"), "no section %r" % section)


def set_text(path, value):
    """A change of the text at "devices.0.name"."""
    def change(document):
        target = document
        *folders, last = path.split(".")
        for part in folders:
            target = target[int(part) if part.isdigit() else part]
        target[last] = value
    return change


LARGE = ["devices.0.name", "run.label", "run.started_utc", "tool.version", "tool.git",
         "results.0.variant", "results.0.family", "results.0.technique", "results.0.reason",
         "devices.0.views.opencl.driver"]


def large(path):
    """A text of 1 MB gives the same page as a text of 400 characters."""
    pages = [report(edited(SMALL, set_text(path, text)))[0]
             for text in (400 * "<", 1000000 * "<")]
    same_structure(Structure(pages[0]), pages[1], path)
    rows.check(len(pages[1]) < 6000000, "%d bytes" % len(pages[1]))


# ---- The command ---------------------------------------------------------------------------------

def outputs():
    folder = os.path.dirname(new_path("x"))
    subprocess.run([os.path.abspath(PROGRAM), "report", os.path.abspath(SMALL)], cwd=folder,
                   env=environment(), check=True, capture_output=True)
    rows.equal(os.listdir(folder), ["report.html"], "files")
    result = expect(0, "report", SMALL, "-o", "-")
    check_page(result.stdout)
    rows.check(result.stderr.startswith("stdout: "), result.stderr)
    rows.equal(expect(0, "report", SMALL, "--quiet", "--output=" + new_path("p")).stderr, "")


def explanations():
    """Files in any order; explanations alone. `compare` takes result files only."""
    hide = lambda text: re.sub(r"<footer>.*</footer>", "", text, flags=re.S)
    first = report(SMALL, EXPLAINED)[0]
    rows.equal(hide(report(EXPLAINED, SMALL)[0]), hide(first), "the page in another order")
    alone = report(EXPLAINED)[0]
    page = check_page(alone)
    rows.equal(page.values("id").count("devices"), 1, "section of files")
    rows.check("explains why kernels are fast or slow" in alone, "introduction")
    refused(1, ["counts are compared in two files of `explain --json`"], "compare", SMALL, EXPLAINED)


def no_folders():
    """Users send pages to other people, so the page has no names of folders."""
    path = new_path("page.html")
    expect(0, "report", os.path.abspath(SMALL), "--output=" + path)
    text = read_text(path)
    rows.check("<bdi>%s</bdi>" % os.path.basename(SMALL) in text, "no name of the file")
    for folder in (os.path.dirname(os.path.abspath(SMALL)), os.path.dirname(path)):
        rows.check(folder not in text, "the page has the folder " + folder)


def page_of_run():
    """run --report compares the run with the shipped devices and keeps the other outputs."""
    need("opencl")
    path, data = new_path("page.html"), new_path("mine.json")
    devices = os.path.dirname(new_path("x"))
    shutil.copyfile(H200[0], os.path.join(devices, "card.json"))
    shutil.copyfile(os.path.join(RESULTS, "devices", "pocl-epyc.json"), os.path.join(devices, "server.json"))
    result = expect(0, "run", "vecadd", "--size=1000", "--device=cpu", "--report=" + path,
                    "--json=" + data, env={"PMPP_DEVICES_DIR": devices})
    rows.check("wrote %s: " % path in result.stderr, result.stderr)
    text = read_text(path)
    check_page(text)
    for name in ("NVIDIA H200", "n=1000", "this run", " (this device) (",
                 "<bdi>pthread-skylake-avx512-AMD EPYC (server) (PoCL), OpenCL</bdi>"):
        rows.check(name in text, "no " + name)
    rows.equal(len(json.loads(read_text(data))["results"]) > 3, True, "rows of --json")
    # A shipped CPU of the same name is another device: it may be in another machine.
    shutil.copyfile(data, os.path.join(devices, "twin.json"))
    expect(0, "run", "vecadd/fine", "--size=1000", "--device=cpu", "--report=" + path,
           env={"PMPP_DEVICES_DIR": devices})
    rows.check(" (twin) (" in read_text(path) and "(this device) #2" not in read_text(path), "the twin is this device")
    same = new_path("x.html")
    for arguments, parts in ((["--report=-"], ["stdout"]), (["--report=/nonexistent/x.html"], ["/nonexistent"]),
                             (["--report=" + same, "--csv=" + same], ["another output"]),
                             (["--report=" + same, "--out", "C=" + same], ["another output"]),
                             (["--report=" + same, "--fleet", "--json=" + new_path("f.json")],
                              ["--fleet", "report"])):
        refused(1, parts, "run", "vecadd/fine", "--size=100", *arguments)
    rows.check(not os.path.exists(same), "a file is written")


def page_of_run_and_bad_devices():
    """Despite a bad file of a shipped device the page is written. No file of a device is replaced."""
    need("opencl")
    path = new_path("page.html")
    devices = os.path.dirname(new_path("x"))
    card = os.path.join(devices, "card.json")
    shutil.copyfile(H200[0], card)
    with open(os.path.join(devices, "broken.json"), "w", encoding="utf-8") as file:
        file.write("{")
    command = ("run", "vecadd/fine", "--size=1000", "--device=cpu")
    result = expect(0, *command, "--report=" + path, env={"PMPP_DEVICES_DIR": devices})
    rows.check("note: " in result.stderr and "broken.json" in result.stderr, result.stderr)
    for name in ("NVIDIA H200", "this run"):
        rows.check(name in read_text(path), "no " + name)
    before = read_text(card)
    refused(1, [card, "would be replaced"], *command, "--report=" + card, env={"PMPP_DEVICES_DIR": devices})
    rows.equal(read_text(card), before, "the file of a shipped device")
    refused(1, ["/nonexistent"], *command, "--report=" + path, env={"PMPP_DEVICES_DIR": "/nonexistent"})


def refusals():
    copy = edited(SMALL, lambda document: None)
    before = read_text(copy)
    for option in ("-o", "--output"):
        refused(1, [copy, "is an input and would be replaced"], "report", copy, option, copy)
    rows.equal(read_text(copy), before, "the input")
    link = new_path("link.json")
    os.symlink(copy, link)
    refused(1, ["would be replaced"], "report", link, "-o", copy)
    page = new_path("page.html")
    other = new_file("other.json", '{"schema": "pmpp-list/1"}')
    for files, parts in (([new_path("none.json")], ["none.json"]),
                         ([SMALL, other], [other, "pmpp-list/1"]),
                         ([edited(SMALL, lambda document: document.update(results=[]))],
                          ["has no results"])):
        refused(1, parts, "report", *files, "-o", page)
        rows.check(not os.path.exists(page), "a page of refused files")
    refused(1, ["page.html"], "report", SMALL, "-o", os.path.join(new_path("none"), "page.html"))
    refused(1, ["report"], "report")
    refused(1, ["--output"], "compare", SMALL, "--output=x")


def stays_whole():
    """If the page cannot be written, the old page stays."""
    page = new_file("page.html", "old")
    result = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", PROGRAM,
                             "report", SMALL, "-o", page], capture_output=True, text=True,
                            env=environment(), check=False)
    rows.equal(result.returncode, 5, describe(result))
    rows.equal(read_text(page), "old", "the page")
    rows.equal(os.listdir(os.path.dirname(page)), ["page.html"], "files")


# ---- Other programs ------------------------------------------------------------------------------

def tidy():
    if not shutil.which("tidy"):
        rows.skip_backend("tidy", "not installed")
    for text in (report(*H200, *H100, POCL)[0], report(SMALL)[0],
                 report(edited(SMALL, substituted(lambda n: long_text(HOSTILE[1], n))))[0]):
        check_tidy(text)


def in_browser():
    need_browser()
    check_views(written(report(*H200, *H100, POCL)[0]))


def accessible():
    need_browser()
    check_contrast(written(report(*H200, *H100, POCL)[0]))


def printed():
    """The printed page has open tables and the colours of the light page."""
    path = need_browser()
    page = written(report(SMALL)[0])
    with browser.Browser(path) as window:
        window.open(page, 1000, dark=True, media="print")
        rows.equal(window.run("getComputedStyle(document.body).backgroundColor"),
                   "rgb(255, 255, 255)", "background")
        rows.check(window.run("[...document.querySelectorAll('main table')].every(t => "
                              "t.checkVisibility({contentVisibilityAuto: true}))"),
                   "a table is hidden")
        rows.check(window.run("document.querySelectorAll('.chart svg').length") > 0, "no chart")


def without_script():
    """Without scripts the tables have the figures, and a note says why there are no charts."""
    path = need_browser()
    page = written(report(*H200)[0])
    with browser.Browser(path) as window:
        window.call("Emulation.setScriptExecutionDisabled", value=True)
        window.open(page, 1280)
        window.call("Emulation.setScriptExecutionDisabled", value=False)
        rows.equal(window.messages(), [], "messages")
        rows.equal(window.run("document.querySelectorAll('svg').length"), 0, "drawings")
        rows.check(window.run("document.querySelector('noscript p').offsetHeight") > 0, "no note")
        rows.check(window.run("[...document.querySelectorAll('#ladders table')].every(t => "
                              "t.offsetHeight > 0)"), "a table is hidden")


def key(window, name):
    for kind in ("keyDown", "keyUp"):
        window.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                    **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))


def by_keyboard():
    """The arrow keys show the figures of marks, Enter jumps to the row, and a title sorts its table."""
    path = need_browser()
    page = written(report(*H200)[0])
    with browser.Browser(path) as window:
        window.open(page, 1280)
        window.run("document.querySelector('#ladders svg').focus()")
        rows.check(window.run("document.getElementById('tip').hidden"), "figures without a key")
        key(window, "ArrowRight")
        key(window, "ArrowRight")
        figures = window.run("document.getElementById('tip').textContent")
        for part in ("matmul, f32 ", "\nvariant: naive-uncoalesced\n", "\ntime: 17.6 ms ± ", "\nrate: 974 GFLOP/s",
                     "\nFLOP/byte: ", "\nlimited by: ", "\nfloor: "):
            rows.check(part in figures, "%r: %s" % (part, figures))
        rows.check(not window.run("document.getElementById('tip').hidden"), "hidden figures")
        key(window, "Enter")
        rows.equal(window.run("location.hash"), "#r1", "link")
        rows.equal(window.run("document.querySelector(':target').cells[0].textContent.trim()"),
                   "naive-uncoalesced", "row of the link")
        key(window, "Escape")
        rows.check(window.run("document.getElementById('tip').hidden"), "figures after Escape")
        times = ("[...document.querySelector('#ladders tbody').rows].filter(r => page_row(r) > 0)"
                 ".map(r => page_row(r))")
        window.run("window.page_row = (row) => page_rows[row.id.slice(1)].ns; window.page_rows = "
                   "page_data(JSON.parse(document.getElementById('data').textContent)).rows; 0")
        window.run("[...document.querySelectorAll('#ladders th button')].find(b => "
                   "b.textContent.startsWith('time')).focus()")
        for down in (False, True):
            key(window, "Enter")
            got = window.run(times)
            rows.check(len(got) > 20, "%d times" % len(got))
            rows.equal(got, sorted(got, reverse=down), "times")


def without_figures():
    """A chart with nothing to show is removed, and a section that is then empty."""
    def change(document, roofs, floors, work):
        for row in document["results"]:
            if row["timing"] and not floors:
                row["derived"].pop("floor", None)
            if row["timing"] and not work:
                row["work"]["flops"] = 0
        for part in (document["devices"][0], document["devices"][0]["views"]["cuda"]):
            if not roofs:
                part["roofs"] = None
    look = ("[[...document.querySelectorAll('#rooflines .chart')].map(c => c.dataset.draw), "
            "document.querySelectorAll('[href=\"#rooflines\"]').length]")
    with browser.Browser(need_browser()) as window:
        for known, want in (((True, True, True), [["roofline", "shares"], 1]), ((False, True, True), [["shares"], 1]),
                            ((True, False, True), [["roofline"], 1]), ((True, True, False), [["shares"], 1]),
                            ((True, False, False), [[], 0])):
            window.open(written(report(edited(H200[0], lambda document: change(document, *known)))[0]), 1280)
            rows.equal(window.run(look), want, "roofs, floors, work: %r" % (known,))
            rows.equal(window.messages(), [], "messages")


def switched_off():
    """A backend that is switched off is in no chart and no table of rows; then it is there again."""
    path = need_browser()
    page = written(report(*H200, *H100)[0])
    shown = ("(() => { const all = page_data(JSON.parse(document.getElementById('data').textContent)).rows; "
             "const of = i => all[i].backend; return [new Set([...document.querySelectorAll('.point')]"
             ".filter(p => p.dataset.row >= 0).map(p => of(p.dataset.row))), new Set(all.filter(r => "
             "!document.getElementById('r' + r.index).hidden).map(r => r.backend))].map(s => [...s].sort()); })()")
    with browser.Browser(path) as window:
        window.open(page, 1280)
        rows.equal(window.run(shown), [["CUDA", "OpenCL"]] * 2, "backends")
        click = ("document.querySelector('.switches').open = true; [...document.querySelectorAll("
                 "'.switches label')].find(l => l.textContent.trim() === 'OpenCL').click()")
        window.run(click)
        rows.equal(window.run(shown), [["CUDA"], ["CUDA"]], "backends that are on")
        window.run(click)
        rows.equal(window.run(shown), [["CUDA", "OpenCL"]] * 2, "backends again")


def from_the_command_line():
    """The drawing functions need no document: the same script makes the same picture in a bare engine."""
    path = need_browser()
    text = report(*H200)[0]
    script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
    call = "pmpp_page.draw.ladder(pmpp_page.page_data(%s), {problem: 0, width: 500, show: () => true})" % (
        json.dumps(figures_of(text)))
    with browser.Browser(path) as window:
        picture = window.run("(() => { const document = undefined, globalThis = {}; %s; const pmpp_page = "
                             "globalThis.pmpp_page; return %s; })()" % (script, call))
        rows.check(picture.startswith("<svg ") and picture.endswith("</svg>"), picture[:200])
        xml.etree.ElementTree.fromstring(picture)
        rows.check(" · 1.49x · claim ✓" in picture and "; step over naive" in picture, "no step or no claim")


def far_from_the_bars():
    """Neither a very wide interval nor a claim far above the rates shortens the bars or leaves the chart."""
    def change(document):
        timed = [row for row in document["results"] if row["timing"] and row["family"] == "matmul"]
        for row, width in ((timed[1], 9), (timed[3], 5), (timed[10], 4)):
            row["timing"]["cold"]["half_width"] = width
        for row, least in ((timed[2], 40), (timed[4], 0.3)):
            row["claim"] = {"text": "a claim", "expected": least, "at_most": None, "observed": 1.25, "holds": False,
                            "ci95": None, "verdict": "does not hold"}
    look = """(() => {
        const svg = document.querySelector('#ladders svg'), edge = svg.getBoundingClientRect();
        const boxes = (part) => [...svg.querySelectorAll(part)].map(e => e.getBoundingClientRect());
        return {bars: Math.max(...boxes('.bar').map(b => b.width)) / edge.width, claims: boxes('.claim').length,
                goals: page_data(JSON.parse(document.getElementById('data').textContent)).rows.filter(
                    r => r.problem === 0 && r.verdict && r.observed > 0 && r.expected > 0).length,
                outside: boxes('.bar, .claim, .interval, text').filter(
                    b => b.left < edge.left - 1 || b.right > edge.right + 1).length};
    })()"""
    page = written(report(edited(H200[0], change))[0])
    with browser.Browser(need_browser()) as window:
        for width in (400, 1280):
            window.open(page, width)
            found = window.run(look)
            rows.check(found["bars"] > 0.7, "%d pixels: the longest bar: %r" % (width, found))
            rows.check(found["goals"] >= 2, "%r" % found)
            rows.equal(found["claims"], found["goals"], "%d pixels: marks of claims" % width)
            rows.equal(found["outside"], 0, "%d pixels: parts outside of the chart" % width)


def named_bases():
    """A step and the ratio of a claim name the variant that they compare with: in the figures and the table."""
    text = report(H200[0])[0]
    ladder = re.sub("<[^>]*>", " ", section(text, "ladders"))
    rows.check(re.search(r"tiled16 .* 1\.49 x of naive .* naive: holds, 1\.488 \[[\d., ]*\] x of naive", ladder),
               ladder[:3000])
    with browser.Browser(need_browser()) as window:
        window.open(written(text), 1280)
        tip = window.run("(() => { const d = page_data(JSON.parse(document.getElementById('data').textContent));"
                         "return figures(d.rows.findIndex(r => r.name === 'tiled16')); })()")
        for part in ("\nstep: 1.49 x of naive\n", "naive: holds, 1.488 ["):
            rows.check(part in tip, "%r: %s" % (part, tip))


def nothing_is_cut():
    """At 1280 pixels a table has all its columns, even with a long name of a device; at 400 pixels no cell or
    caption is wider than the screen, and the texts of the axes end inside the chart."""
    long_name = edited(POCL, lambda document: document["devices"][0].update(name="EPYC with a " + 7 * "long name "))
    device = os.path.join(RESULTS, "devices", "h100.json")
    look = ("document.querySelectorAll('main details').forEach(d => d.open = true); "
            "[...document.querySelectorAll(%s)].map(%s).filter(Boolean).slice(0, 5)")
    page = written(report(long_name, H200[0], EXPLAINED)[0])
    with browser.Browser(need_browser()) as window:
        window.open(page, 1280)
        rows.equal(window.run(look % ("'#ladders .scroll'", "s => s.scrollWidth > s.clientWidth + 1 && "
                                      "s.getAttribute('aria-label') + ' ' + s.scrollWidth")), [], "wide tables")
        window.open(page, 400)
        rows.equal(window.run(look % (
            "'caption, table:not(.source) td, table:not(.source) th'", "e => { const r = document.createRange(); "
            "r.selectNodeContents(e); return r.getBoundingClientRect().width > 368 && e.textContent; }")), [], "cells")
        window.open(written(report(device)[0]), 400)
        rows.equal(window.run(page_scripts.OVERLAPS), [], "texts of charts")


def hostile_in_browser():
    """Scripts in texts do not run, and nothing is loaded."""
    path = need_browser()
    unit = "".join(HOSTILE)
    page = written(report(edited(SMALL, substituted(lambda n: long_text(unit, n))))[0])
    with browser.Browser(path) as window:
        window.open(page, 400)
        rows.equal(window.messages(), [], "messages")
        rows.equal(window.run("document.documentElement.scrollWidth"), 400, "width")
        rows.check(window.run("document.querySelectorAll('.chart svg').length") > 0, "no drawing")
        rows.equal(window.run("document.querySelectorAll('svg script, img, svg [onload], svg style').length"),
                   0, "markup in texts of charts")


def axe():
    """axe-core of the Python package axe-core-python, or the file that PMPP_AXE names."""
    package = importlib.util.find_spec("axe_core_python")
    source = os.environ.get("PMPP_AXE") or package and os.path.join(
        os.path.dirname(package.origin or ""), "axe.min.js")
    if not source or not os.path.exists(source):
        raise rows.Skip("axe-core is not installed (pip install axe-core-python)")
    path = need_browser()
    page = written(report(H200[0], SMALL)[0])
    with browser.Browser(path) as window:
        for dark in (False, True):
            window.open(page, 1400, dark)
            window.run(read_text(source) + "; 0")
            found = window.run("axe.run().then(r => r.violations.map(v => [v.id, v.help, "
                               "v.nodes.slice(0, 3).map(n => n.html.slice(0, 120))]))")
            rows.equal(found, [], "violations")


rows.row("five sides", committed_page)
rows.row("six devices with two backends", six_devices)
rows.row("two cards of a model", by_model)
rows.row("a sweep beside ladders", sweep_beside_ladders)
rows.row("rows in several files", rows_in_several_files)
rows.row("your kernel", your_kernel)
rows.row("the same page again", deterministic)
rows.row("two runs of a device", same_device_twice)
for text_ in HOSTILE:
    rows.row("hostile: %s" % ascii(text_[:40]), hostile, text_)
rows.row("hostile: parity", hostile_sections, PARITY, "parity")
rows.row("hostile: sizes", hostile_sections, SIZES, "sweeps")
for path_ in LARGE:
    rows.row("1 MB: " + path_, large, path_)
rows.row("outputs", outputs)
rows.row("explanations", explanations)
rows.row("no folders in the page", no_folders)
rows.row("run --report", page_of_run)
rows.row("run --report and bad files of devices", page_of_run_and_bad_devices)
rows.row("refusals", refusals)
rows.row("a page that cannot be written", stays_whole)
rows.row("tidy", tidy)
rows.row("Chromium: widths and dark mode", in_browser)
rows.row("Chromium: contrast and labels", accessible)
rows.row("Chromium: print", printed)
rows.row("Chromium: scripts off", without_script)
rows.row("Chromium: keyboard, links and sorting", by_keyboard)
rows.row("Chromium: charts without figures", without_figures)
rows.row("Chromium: rows switched off", switched_off)
rows.row("Chromium: a picture without a document", from_the_command_line)
rows.row("Chromium: wide intervals and far claims", far_from_the_bars)
rows.row("Chromium: bases of steps and claims", named_bases)
rows.row("Chromium: nothing is cut", nothing_is_cut)
rows.row("Chromium: hostile texts", hostile_in_browser)
rows.row("axe-core", axe)
rows.finish()
