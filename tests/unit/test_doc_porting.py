"""The tables of docs/porting.md against the sources and the committed result files.

A table of forms has text of a kernel file on each side. A table of measurements has ratios,
resources or launch times of the two files that its header links. No other text has such figures.

usage: test_doc_porting.py SOURCE_ROOT
"""
import glob
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT = sys.argv[1]
PAGE = "docs/porting.md"
CARDS = {"results/nvidia-h200/parity-all.json": "NVIDIA H200",
         "results/nvidia-h100/parity-all.json": "NVIDIA H100 80GB HBM3"}
LINK = re.compile(r"^\[([^\]]+)\]\(([^)]+)\)$")
RATIO = re.compile(r"\b\d\.\d{3}\b")
RESOURCES = {"registers": "registers", "spilled bytes": "spill_bytes",
             "shared bytes": "shared_bytes"}


# ---- The page ----------------------------------------------------------------------------------

def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read().split("\n")


def cells_of(line):
    """Cells of a row; a bar in a cell is written with a backslash."""
    cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [cell.strip().replace("\\|", "|") for cell in cells]


def tables():
    """(line number, titles, rows of cells) of all tables."""
    lines = lines_of(PAGE)
    for number, line in enumerate(lines):
        if re.match(r"\|[-|]+\|$", line):
            body = lines[number + 1:lines.index("", number)]
            yield number, cells_of(lines[number - 1]), [cells_of(row) for row in body]


def links(titles):
    """Targets of the titles that are links."""
    return [match.group(2) for match in map(LINK.match, titles) if match]


def is_forms(titles):
    targets = links(titles)
    return len(titles) == len(targets) == 2 and all("_kernels/" in target for target in targets)


def is_measured(titles):
    return len(titles) == 4 and links(titles) == list(CARDS)


# ---- Tables of forms ---------------------------------------------------------------------------

def code(cell):
    match = re.match(r"^`([^`]+)`$", cell)
    rows.check(match, "a cell is not code: %s" % cell)
    return match.group(1)


def joined(lines):
    return " ".join(" ".join(lines).split())


def forms(titles, body):
    """Both links are a pair of kernel files, and each cell has text of its file, from the beginning
    of a word on. The number of blanks and line breaks does not count."""
    targets = [target[len("../"):] for target in links(titles)]
    stems = [os.path.splitext(target.split("/", 1)[1])[0] for target in targets]
    rows.equal([os.path.dirname(t).split("/")[0] for t in targets], ["cl_kernels", "cuda_kernels"])
    rows.equal(stems[0], stems[1], "the pair")
    rows.equal([LINK.match(title).group(1) for title in titles], targets, "names of the links")
    rows.check(body, "no lines are quoted")
    for cells in body:
        rows.equal(len(cells), 2, "cells of %s" % cells)
        for cell, target in zip(cells, targets):
            text = joined([code(cell)])
            source = joined(lines_of(target))
            rows.check(" " + text in " " + source, "%s has no %s" % (target, text))


# ---- Tables of measurements --------------------------------------------------------------------

def document_of(card):
    with open(os.path.join(ROOT, "docs", card), encoding="utf-8") as file:
        return json.load(file)


def sizes(text):
    return {name: int(value) for name, value in (word.split("=") for word in text.split())}


def parity_of(card, name):
    family, variant = name.split("/")
    found = [r for r in DOCUMENTS[card]["parity"]
             if r["family"] == family and r["variant"] == variant]
    rows.equal(len(found), 1, "rows of %s in %s" % (name, card))
    return found[0]


def results_of(card, name):
    """The rows of OpenCL and of CUDA."""
    family, variant = name.split("/")
    found = {r["backend"]: r for r in DOCUMENTS[card]["results"]
             if r["family"] == family and r["variant"] == variant}
    return found["opencl"], found["cuda"]


def ratio(card, name):
    """1.091 [1.088, 1.093] SLOW: the median of the rounds, and the verdict if it is not SAME."""
    row = parity_of(card, name)
    if row["round_ratio"] is None:
        return next(r["status"] for r in results_of(card, name) if r["status"] != "ok")
    text = "%.3f [%.3f, %.3f]" % (row["round_ratio"], *row["ci95"])
    return text if row["verdict"] == "SAME" else "%s %s" % (text, row["verdict"])


def resource(card, name, field):
    return "%d / %d" % tuple(r["resources"][field] for r in results_of(card, name))


def next_launch(card, backend):
    view = DOCUMENTS[card]["devices"][0]["views"][backend]
    return "%.2f" % (view["timer"]["next_launch_ns"] / 1e3)


def measured(titles, body):
    """Problem and figures of each row."""
    rows.check(body, "no rows")
    for cells in body:
        rows.equal(len(cells), 4, "cells of %s" % cells)
        name = re.match(r"`([^`]+)`", cells[0])
        for card, cell in zip(CARDS, cells[2:]):
            if titles[0] == "empty launch":
                rows.equal(cells[1], "µs", cells[0])
                want = next_launch(card, cells[0].lower())
            elif titles[1] == "resource":
                want = resource(card, name.group(1), RESOURCES[cells[1]])
            else:
                rows.equal(sizes(cells[1]), parity_of(card, name.group(1))["problem"], cells[0])
                want = ratio(card, name.group(1))
            rows.equal(cell, want, "%s in %s" % (cells[0], card))


# ---- The text ----------------------------------------------------------------------------------

def text_has(*parts):
    text = " ".join(" ".join(lines_of(PAGE)).split())
    for part in parts:
        rows.check(part in text, "the page does not say: %s" % part)


def files():
    """The files are runs of one contract on the cards and with the options that the page names."""
    for card, device in CARDS.items():
        document = DOCUMENTS[card]
        rows.equal([d["name"] for d in document["devices"]], [device], card)
        views = document["devices"][0]["views"]
        rows.check(views["opencl"]["driver"].startswith("580.159.04"), card)
        rows.equal(views["cuda"]["compiler"], "NVRTC 13.0", card)
        timed = [r["timing"]["contract"] for r in document["results"] if r.get("timing")]
        rows.equal(set(timed), {"pmpp-timing/2"}, card)
        text_has(device, "580.159.04", "NVRTC 13.0", "`pmpp-timing/2`")
        for row in document["results"]:
            build = row.get("build")
            if build and row["status"] == "ok":
                want = {"opencl": "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt "
                                  "-cl-nv-verbose", "cuda": "-arch=sm_90 --std=c++17"}
                rows.check(build["options"].startswith(want[row["backend"]]), build["options"])
                text_has("`%s`" % want[row["backend"]])


def counts():
    """Timed pairs, their verdicts, equal bits and numbers of samples."""
    for card, device in CARDS.items():
        timed = [r for r in DOCUMENTS[card]["parity"] if r["round_ratio"] is not None]
        of = {name: sum(r["verdict"] == name for r in timed)
              for name in ("SAME", "SLOW", "FAST", "AMBG")}
        text_has("| %s | %d | %d | %d | %d |" % (device.split()[1], *of.values()))
        rows.equal(sum(of.values()), len(timed), "verdicts of %s" % card)
        text_has("On each card %d pairs are timed, and both sides of each pair give the same bits"
                 % len(timed))
        rows.check(all(r["bit_identical"] is True for r in timed), "bits differ in %s" % card)
        rows.equal({r["n"] for r in timed}, {10, 20}, "samples of %s" % card)
    text_has("10 or 20 rounds")


def read_only_loads():
    """Both compilers use the read-only cache in a kernel with `restrict`."""
    for card in CARDS:
        counted = parity_of(card, "prefetch/plain")["ptx"]["instructions"]
        loads = [i["counts"] for i in counted if i["name"] == "ld.global.nc"]
        rows.check(loads and all(loads[0]), "%s: %s" % (card, loads))


def same_barriers():
    """The PTX of the trees of `reduce` has the same number of barriers on both sides."""
    for card in CARDS:
        for name in ("reduce/interleaved", "reduce/strided", "reduce/sequential"):
            differs = {i["name"] for i in parity_of(card, name)["ptx"]["instructions"]}
            rows.equal(differs, {"add", "mov", "cvta"}, "%s in %s" % (name, card))


def sources():
    """What the page says about all kernel files."""
    paths = [os.path.relpath(path, ROOT) for folder in ("cl_kernels", "cuda_kernels")
             for path in glob.glob(os.path.join(ROOT, folder, "*", "*.c[lu]"))]
    rows.check(len(paths) > 100, "%d kernel files" % len(paths))
    for path in paths:
        text = joined(lines_of(path))
        rows.check("restrict" in text, "%s has no restrict" % path)
        rows.check(not re.search(r"\b(printf|assert)\(", text), "%s prints or asserts" % path)


def measured_earlier():
    """The page says of two kernels that the results are older than the file."""
    for name, file in (("traverse/column-walk", "traverse/walk"),
                       ("reduce/single-pass", "reduce/single_pass")):
        with open(os.path.join(ROOT, "cl_kernels", file + ".cl"), "rb") as source:
            now = hashlib.sha256(source.read()).hexdigest()
        for card in CARDS:
            built = results_of(card, name)[0]["build"]["source_sha256"]
            rows.check(built != now, "%s has results of the current %s" % (card, name))


def rest_has_no_figure():
    """A ratio with three decimals or an interval outside the tables of measurements."""
    measurements = {line for number, titles, body in tables() if is_measured(titles)
                    for line in lines_of(PAGE)[number + 1:number + 1 + len(body)]}
    for line in lines_of(PAGE):
        rows.check(line in measurements or not RATIO.search(line), "no file has: %s" % line)


# ---- Wrong tables are refused ------------------------------------------------------------------

def refused(function, *arguments):
    try:
        function(*arguments)
    except (rows.Failure, KeyError, ValueError):
        return
    raise rows.Failure("a wrong table is accepted")


def wrong_figures():
    """One changed cell of each column, in a table of each kind."""
    found = [(titles, body) for _, titles, body in tables() if is_measured(titles)]
    for kind in ("pair problem", "pair resource", "empty launch unit"):
        titles, body = next(f for f in found if " ".join(f[0][:2]) == kind)
        for column in range(4):
            changed = body[0][:column] + ["`matmul/naive`" if column == 0 else "7"]
            refused(measured, titles, [changed + body[0][column + 1:]])


def wrong_forms():
    """Lines of the other side, an altered line, and files that are no pair."""
    titles, body = next((t, b) for _, t, b in tables() if is_forms(t))
    other = next(t for _, t, b in tables() if is_forms(t) and t != titles)
    refused(forms, titles, [body[0][::-1]])
    refused(forms, titles, [[body[0][0].replace("BLOCK", "BLOCKS"), body[0][1]]])
    refused(forms, [titles[0], other[1]], body)


DOCUMENTS = {card: document_of(card) for card in CARDS}
seen = {"forms": 0, "measured": 0}
for line, header, content in tables():
    if is_forms(header):
        seen["forms"] += 1
        rows.row("line %d: %s" % (line, header[0]), forms, header, content)
    elif is_measured(header):
        seen["measured"] += 1
        rows.row("line %d: %s" % (line, content[0][0]), measured, header, content)
rows.row("17 tables of forms", rows.equal, seen["forms"], 17)
rows.row("17 tables of measurements", rows.equal, seen["measured"], 17)
rows.row("files, cards and options", files)
rows.row("pairs and samples", counts)
rows.row("loads through the read-only cache", read_only_loads)
rows.row("barriers in the PTX", same_barriers)
rows.row("kernel files", sources)
rows.row("results of earlier sources", measured_earlier)
rows.row("no figures outside the tables of measurements", rest_has_no_figure)
rows.row("a wrong figure is refused", wrong_figures)
rows.row("a wrong line is refused", wrong_forms)
rows.finish()
