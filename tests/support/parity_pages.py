"""Pages with figures of `pmpp-run parity`, and the committed files that have these figures."""
import json
import os
import re

import rows

# Targets of links below docs, and the device of each file
CARDS = {"results/nvidia-h200/parity-all.json": "NVIDIA H200",
         "results/nvidia-h100/parity-all.json": "NVIDIA H100 80GB HBM3"}
VERDICTS = ("SAME", "SLOW", "FAST", "AMBG")
RESOURCES = {"registers": "registers", "spilled bytes": "spill_bytes",
             "shared bytes": "shared_bytes"}
LINK = re.compile(r"^\[([^\]]+)\]\(([^)]+)\)$")
RATIO = re.compile(r"\b\d\.\d{3}\b")


# ---- Pages -------------------------------------------------------------------------------------

def text_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read().split("\n")


def joined(lines):
    """The text with single blanks in place of line breaks."""
    return " ".join(" ".join(lines).split())


def cells_of(line):
    """Cells of a row. In a cell, a backslash is before each bar."""
    cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [cell.strip().replace("\\|", "|") for cell in cells]


def tables(lines):
    """(line number, titles, rows of cells) of all tables."""
    for number, line in enumerate(lines):
        if re.match(r"\|[-|]+\|$", line):
            body = lines[number + 1:lines.index("", number)]
            yield number, cells_of(lines[number - 1]), [cells_of(row) for row in body]


def links(titles):
    """Targets of the titles that are links."""
    return [match.group(2) for match in map(LINK.match, titles) if match]


def says(lines, *parts):
    for part in parts:
        rows.check(part in joined(lines), "the page lacks: %s" % part)


def no_figures_beside(lines, is_measured):
    """Ratios with three decimals are only in tables of measurements."""
    measured = {line for number, titles, body in tables(lines) if is_measured(titles)
                for line in lines[number + 1:number + 1 + len(body)]}
    for line in lines:
        rows.check(line in measured or not RATIO.search(line), "no file has: %s" % line)


def refused(function, *arguments):
    """Fails the row if the function accepts a wrong table."""
    try:
        function(*arguments)
    except (rows.Failure, KeyError, ValueError):
        return
    raise rows.Failure("a wrong table is accepted")


# ---- Result files ------------------------------------------------------------------------------

class ParityFile:
    """A committed file of `parity all`; `card` is a key of CARDS, names are FAMILY/VARIANT."""

    def __init__(self, root, card):
        self.card = card
        with open(os.path.join(root, "docs", card), encoding="utf-8") as file:
            self.document = json.load(file)
        self.pairs = {"%s/%s" % (r["family"], r["variant"]): r for r in self.document["parity"]}
        rows.equal(len(self.pairs), len(self.document["parity"]), "variants of " + card)
        self.timed = {name: r for name, r in self.pairs.items() if r["round_ratio"] is not None}

    def sides(self, name):
        """The rows of OpenCL and of CUDA."""
        family, variant = name.split("/")
        found = {r["backend"]: r for r in self.document["results"]
                 if r["family"] == family and r["variant"] == variant}
        return found["opencl"], found["cuda"]

    def ratio(self, name):
        """A cell like "1.091 [1.088, 1.093] SLOW": the median of the rounds, its interval, and the
        verdict if it is not SAME. Without times: the status of the side that did not pass."""
        row = self.pairs[name]
        if row["round_ratio"] is None:
            return next(r["status"] for r in self.sides(name) if r["status"] != "ok")
        text = "%.3f [%.3f, %.3f]" % (row["round_ratio"], *row["ci95"])
        return text if row["verdict"] == "SAME" else "%s %s" % (text, row["verdict"])

    def resource(self, name, title):
        """A cell like "154 / 128": OpenCL / CUDA."""
        return "%d / %d" % tuple(r["resources"][RESOURCES[title]] for r in self.sides(name))

    def verdicts(self, family=None):
        """Number of timed pairs by verdict."""
        found = [r["verdict"] for r in self.timed.values() if family in (None, r["family"])]
        rows.check(set(found) <= set(VERDICTS), found)
        return {name: found.count(name) for name in VERDICTS}

    def check_contract(self):
        """The file has one card, one pair of compilers and the timing contract `pmpp-timing/2`."""
        rows.equal([d["name"] for d in self.document["devices"]], [CARDS[self.card]], self.card)
        views = self.document["devices"][0]["views"]
        rows.check(views["opencl"]["driver"].startswith("580.159.04"), self.card)
        rows.equal(views["cuda"]["compiler"], "NVRTC 13.0", self.card)
        timed = [r["timing"]["contract"] for r in self.document["results"] if r.get("timing")]
        rows.equal(set(timed), {"pmpp-timing/2"}, self.card)
