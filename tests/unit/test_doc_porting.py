"""The tables of docs/porting.md against the sources and the committed result files.

A table of forms has text of a kernel file on each side. A table of measurements has ratios,
resources or launch times of the two files that its header links. No other text has such figures.

usage: test_doc_porting.py SOURCE_ROOT
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows
from parity_pages import (CARDS, LINK, VERDICTS, ParityFile, joined, links, no_figures_beside,
                          refused, says, tables, text_lines)

ROOT = sys.argv[1]


def lines_of(path):
    return text_lines(ROOT, path)


PAGE = lines_of("docs/porting.md")
FILES = {card: ParityFile(ROOT, card) for card in CARDS}
# Variants of CUDA that need instructions of compute capability 9.0 only
HOPPER = ("matmul/best", "matmul/f16-wgmma", "matmul/tf32-wgmma")


# ---- Kinds of tables ---------------------------------------------------------------------------

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


def forms(titles, body):
    """Both links name a pair of kernel files. Each cell has text of its file that starts at a word.
    The number of blanks and line breaks is ignored."""
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

def sizes(text):
    return {name: int(value) for name, value in (word.split("=") for word in text.split())}


def next_launch(card, backend):
    view = FILES[card].document["devices"][0]["views"][backend]
    return "%.2f" % (view["timer"]["next_launch_ns"] / 1e3)


def measured(titles, body):
    """Each row has the problem and the figures of its files."""
    rows.check(body, "no rows")
    for cells in body:
        rows.equal(len(cells), 4, "cells of %s" % cells)
        name = re.match(r"`([^`]+)`", cells[0])
        for card, cell in zip(CARDS, cells[2:]):
            if titles[0] == "empty launch":
                rows.equal(cells[1], "µs", cells[0])
                want = next_launch(card, cells[0].lower())
            elif titles[1] == "resource":
                want = FILES[card].resource(name.group(1), cells[1])
            else:
                rows.equal(sizes(cells[1]), FILES[card].pairs[name.group(1)]["problem"], cells[0])
                want = FILES[card].ratio(name.group(1))
            rows.equal(cell, want, "%s in %s" % (cells[0], card))


# ---- The text ----------------------------------------------------------------------------------

def files():
    """The files are runs of one contract on the cards and with the options that the page names."""
    for card, device in CARDS.items():
        FILES[card].check_contract()
        says(PAGE, device, "580.159.04", "NVRTC 13.0", "`pmpp-timing/2`")
        for row in FILES[card].document["results"]:
            build, variant = row.get("build"), "%s/%s" % (row["family"], row["variant"])
            if build and row["status"] == "ok":
                want = {"opencl": "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt "
                                  "-cl-nv-verbose",
                        "cuda": "-arch=%s --std=c++17" % ("sm_90a" if variant in HOPPER
                                                          else "sm_90")}
                rows.check(build["options"].startswith(want[row["backend"]]), build["options"])
                if variant not in HOPPER:
                    says(PAGE, "`%s`" % want[row["backend"]])
                limit = re.search(r"-cl-nv-maxrregcount=\d+", build["options"])
                if limit:
                    says(PAGE, "`%s`" % variant, "`%s`" % limit.group())


def counts():
    """The page has the numbers of timed pairs, verdicts, equal bits and samples."""
    for card, device in CARDS.items():
        timed, of = FILES[card].timed.values(), FILES[card].verdicts()
        rows.equal(list(of), list(VERDICTS), "order")
        says(PAGE, "| %s | %d | %d | %d | %d |" % (device.split()[1], *of.values()))
        rows.equal(sum(of.values()), len(timed), "verdicts of %s" % card)
        says(PAGE, "On each card %d pairs are timed, and both sides of each pair give the same bits"
             % len(timed))
        rows.check(all(r["bit_identical"] is True for r in timed), "bits differ in %s" % card)
        rows.equal({r["n"] for r in timed}, {10, 20}, "samples of %s" % card)
    says(PAGE, "10 or 20 rounds")


def read_only_loads():
    """Both compilers use the read-only cache in a kernel with `restrict`."""
    for card in CARDS:
        counted = FILES[card].pairs["prefetch/plain"]["ptx"]["instructions"]
        loads = [i["counts"] for i in counted if i["name"] == "ld.global.nc"]
        rows.check(loads and all(loads[0]), "%s: %s" % (card, loads))


def same_barriers():
    """The PTX of the trees of `reduce` has the same number of barriers on both sides."""
    for card in CARDS:
        for name in ("reduce/interleaved", "reduce/strided", "reduce/sequential"):
            differs = {i["name"] for i in FILES[card].pairs[name]["ptx"]["instructions"]}
            rows.equal(differs, {"add", "mov", "cvta"}, "%s in %s" % (name, card))


def sources():
    """The statements of the page about all kernel files are true."""
    paths = [os.path.relpath(path, ROOT) for folder in ("cl_kernels", "cuda_kernels")
             for path in glob.glob(os.path.join(ROOT, folder, "*", "*.c[lu]"))]
    rows.check(len(paths) > 100, "%d kernel files" % len(paths))
    for path in paths:
        text = joined(lines_of(path))
        if "restrict" not in text:
            entries = re.findall(r"(?:__global__|__kernel) [^{]*\(([^()]*)\) \{", text)
            rows.check(entries and "*" not in "".join(entries), "%s has no restrict" % path)
            kernel = "/".join(path.split(os.sep)[1:])
            says(PAGE, "`%s`" % os.path.splitext(kernel)[0].replace("_", "-"))
        rows.check(not re.search(r"\b(printf|assert)\(", text), "%s prints or asserts" % path)


# ---- Wrong tables are refused ------------------------------------------------------------------

def wrong_figures():
    """A table of each kind with one changed cell in a column is refused."""
    found = [(titles, body) for _, titles, body in tables(PAGE) if is_measured(titles)]
    for kind in ("pair problem", "pair resource", "empty launch unit"):
        titles, body = next(f for f in found if " ".join(f[0][:2]) == kind)
        for column in range(4):
            changed = body[0][:column] + ["`matmul/naive`" if column == 0 else "7"]
            refused(measured, titles, [changed + body[0][column + 1:]])


def wrong_forms():
    """Lines of the other side, a changed line, and files that are not a pair are refused."""
    titles, body = next((t, b) for _, t, b in tables(PAGE) if is_forms(t))
    other = next(t for _, t, b in tables(PAGE) if is_forms(t) and t != titles)
    refused(forms, titles, [body[0][::-1]])
    refused(forms, titles, [[body[0][0].replace("BLOCK", "BLOCKS"), body[0][1]]])
    refused(forms, [titles[0], other[1]], body)


# ---- Constructs ----------------------------------------------------------------------------------

VERDICTS_OF = {"TAKEN": ("yes", "yes"), "NOTED": ("yes, with a note", "no"), "REFUSED": ("no", "no"),
               "LACK": ("no: %s", "yes")}


def constructs():
    """docs/cuda-emu.md has each construct of the emulator's tests. To make the table again, put the rows
    that the message prints into the page."""
    wanted = []
    text = "\n".join(lines_of("tests/emulator/constructs.def"))
    for verdict, first, second in re.findall(r'^([A-Z]+)\("([^"]*)", "([^"]*)"', text, re.M):
        name = re.sub(r"(?<!`)(\b__\w+|<[^>]+>)", r"`\1`", second if verdict == "LACK" else first)
        emulator, nvrtc = VERDICTS_OF[verdict]
        wanted.append("| %s | %s | %s |" % (name.replace("|", "\\|"), emulator % first if "%" in emulator else emulator, nvrtc))
    found = [line for line in lines_of("docs/cuda-emu.md") if re.fullmatch(r"\|.*\| (yes|no) \|", line)]
    rows.check(len(wanted) > 100, "constructs in constructs.def: %d" % len(wanted))
    rows.check(found == wanted, "docs/cuda-emu.md; the table is\n" + "\n".join(wanted))


rows.row("constructs of CUDA C", constructs)
seen = {"forms": 0, "measured": 0}
for line, header, content in tables(PAGE):
    if is_forms(header):
        seen["forms"] += 1
        rows.row("line %d: %s" % (line, header[0]), forms, header, content)
    elif is_measured(header):
        seen["measured"] += 1
        rows.row("line %d: %s" % (line, content[0][0]), measured, header, content)
rows.row("18 tables of forms", rows.equal, seen["forms"], 18)
rows.row("17 tables of measurements", rows.equal, seen["measured"], 17)
rows.row("files, cards and options", files)
rows.row("pairs and samples", counts)
rows.row("loads through the read-only cache", read_only_loads)
rows.row("barriers in the PTX", same_barriers)
rows.row("kernel files", sources)
rows.row("no figures outside the tables of measurements", no_figures_beside, PAGE, is_measured)
rows.row("a wrong figure is refused", wrong_figures)
rows.row("a wrong line is refused", wrong_forms)
rows.finish()
