"""The tables of docs/parity.md against the committed result files.

The columns of figures name their file by a link, and each table is complete. No other text has
ratios, except for the printed summary: the test parity_summary compares it with its file.

usage: test_doc_parity.py SOURCE_ROOT
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows
from parity_pages import (CARDS, RESOURCES, VERDICTS, ParityFile, links,
                          no_figures_beside, refused, says, tables, text_lines)

ROOT = sys.argv[1]
PAGE = [line for line in text_lines(ROOT, "docs/parity.md") if not line.startswith("    ")]
FILES = [ParityFile(ROOT, card) for card in CARDS]
FAR = 0.05
FAMILY_TITLES = ["ratios, %s" % device.split()[1] for device in CARDS.values()]


def distance(row):
    return abs(row["round_ratio"] - 1)


def far_pairs():
    """Names of the pairs beyond 5 % on at least one card."""
    return [name for name in FILES[0].timed
            if any(distance(file.timed[name]) > FAR for file in FILES)]


# ---- Tables ------------------------------------------------------------------------------------

def is_counts(titles):
    return titles[0] == "card" and len(titles) == 9


def counts(titles, body):
    rows.equal(titles[4:8], list(VERDICTS), "verdicts")
    want = []
    for card, file in zip(CARDS, FILES):
        timed = file.timed.values()
        want.append(["[%s](%s)" % (CARDS[card].split()[1], card), str(len(timed)),
                     *(str(sum(distance(r) <= d for r in timed)) for d in (0.03, FAR)),
                     *(str(number) for number in file.verdicts().values()),
                     str(sum(r["bit_identical"] is True for r in timed))])
    rows.equal(body, want, "counts")


def is_families(titles):
    return titles[0] == "family"


def extremes(file, family):
    """The range of ratios, as "0.955 (vector-loads) to 1.030 (thread-tile)". A single pair is named once."""
    found = sorted((r["round_ratio"], r["variant"]) for r in file.timed.values()
                   if r["family"] == family)
    return " to ".join("%.3f (%s)" % pair for pair in dict.fromkeys((found[0], found[-1])))


def families(titles, body):
    rows.equal(re.findall(r"\(([^)]+)\)", " ".join(titles[2:4])), list(CARDS), "links")
    rows.equal(titles[4:], FAMILY_TITLES, "titles")
    names = dict.fromkeys(r["family"] for r in FILES[0].timed.values())
    want = [["`%s`" % name, str(sum(FILES[0].verdicts(name).values())),
             *(str(file.verdicts(name)["SAME"]) for file in FILES),
             *(extremes(file, name) for file in FILES)] for name in names]
    rows.equal(body, want, "families")


def is_ratios(titles):
    return titles[0] == "pair" and len(titles) == 3 and links(titles) == list(CARDS)


def ratios(titles, body):
    """The table has exactly the pairs that are not SAME, by falling ratio of the first file."""
    names = [name for name in FILES[0].timed
             if any(file.timed[name]["verdict"] != "SAME" for file in FILES)]
    names.sort(key=lambda name: -FILES[0].timed[name]["round_ratio"])
    rows.equal(body, [["`%s`" % name, *(file.ratio(name) for file in FILES)] for name in names],
               titles[0])


def is_resources(titles):
    return titles[:2] == ["pair", "resource"] and links(titles) == list(CARDS)


def resources(titles, body):
    """The table has exactly the resources of the far pairs that differ between the sides."""
    found = {(name, title): [file.resource(name, title) for file in FILES]
             for name in far_pairs() for title in RESOURCES}
    want = [["`%s`" % name, title, *cells] for (name, title), cells in found.items()
            if any(len(set(cell.split(" / "))) > 1 for cell in cells)]
    rows.equal(sorted(body), sorted(want), titles[1])


def is_causes(titles):
    return titles == ["pair", "difference", "source"]


def causes(titles, body):
    want = ["`%s`" % name for name in far_pairs()]
    rows.equal(sorted(cells[0] for cells in body), sorted(want), titles[0])


def is_untimed(titles):
    return titles[1:3] == ["OpenCL", "CUDA"]


def untimed(titles, body):
    """The table has each variant without times once, with the status of both sides."""
    said = {name: cells[1:3] for cells in body
            for name in re.findall(r"`([\w-]+/[\w-]+)`", cells[0])}
    for file in FILES:
        want = {name: [side["status"] for side in file.sides(name)] for name in file.pairs
                if name not in file.timed}
        rows.equal(said, want, titles[0])


KINDS = {"counts": (is_counts, counts), "families": (is_families, families),
         "pairs that are not SAME": (is_ratios, ratios), "resources": (is_resources, resources),
         "causes": (is_causes, causes), "pairs without times": (is_untimed, untimed)}


def tables_of(kind):
    return [(titles, body) for _, titles, body in tables(PAGE) if KINDS[kind][0](titles)]


def one_table(kind):
    found = tables_of(kind)
    rows.equal(len(found), 1, "tables")
    KINDS[kind][1](*found[0])


def is_measured(titles):
    return is_families(titles) or is_ratios(titles)


# ---- The text ----------------------------------------------------------------------------------

def contract():
    for card, file in zip(CARDS, FILES):
        file.check_contract()
        rows.equal({r["n"] for r in file.timed.values()}, {10, 20}, "samples of %s" % card)
        says(PAGE, "(%s)" % card, CARDS[card])
        rows.equal(set(file.timed), set(FILES[0].timed), "timed pairs of %s" % card)
    says(PAGE, "580.159.04", "NVRTC 13.0", "`pmpp-timing/2`", "10 or 20 rounds")


def numbers_of(name, prefix):
    """[OpenCL, CUDA] of each instruction with the prefix; only unequal numbers are in a file."""
    found = [[i["counts"] for i in file.pairs[name]["ptx"]["instructions"]
              if i["name"].startswith(prefix)] for file in FILES if "ptx" in file.pairs[name]]
    rows.check(found and all(f == found[0] for f in found), "%s of %s: %s" % (prefix, name, found))
    return found[0]


def ptx():
    """The page has the numbers of instructions of the files."""
    says(PAGE, "These %s pairs differ" % {8: "eight"}[len(far_pairs())])
    for name, prefixes in (("audit/foo", ("ld",)),
                           ("matmul/vector-loads", ("fma", "ld.global", "ld.shared", "st")),
                           ("window/coarse", ("ld",)), ("traverse/padded", ("ld", "st"))):
        for prefix in prefixes:
            rows.equal(numbers_of(name, prefix), [], "%s of %s" % (prefix, name))
    numbers = [n for n in numbers_of("histogram/replicated", "ld.param") if n[0]]
    says(PAGE, "`ld.param` %d / %d" % tuple(numbers[0]))
    for name, text in (("instructions/cos", "more instructions (%d / %d)"),
                       ("matmul/vector-loads", "(%d / %d instructions in all)")):
        totals = [file.pairs[name]["ptx"]["totals"] for file in FILES]
        rows.equal(totals[0], totals[1], "totals of " + name)
        says(PAGE, text % tuple(totals[0]))


def one_card():
    """Two pairs differ on one card only."""
    for name, verdicts in (("window/coarse", ["SLOW", "SAME"]),
                           ("occupancy/bounded", ["SAME", "FAST"])):
        rows.equal([file.timed[name]["verdict"] for file in FILES], verdicts, name)


def other_pages():
    """README.md has counts of the first file."""
    timed = FILES[0].timed.values()
    says(text_lines(ROOT, "README.md"), "%d of %d variants are within 5 %% on an H200"
         % (sum(distance(r) <= FAR for r in timed), len(timed)))


# ---- Wrong tables are refused ------------------------------------------------------------------

def wrong_figures(kind):
    """Tables with a changed cell in a column, or without a row, are refused."""
    titles, body = tables_of(kind)[0]
    check = KINDS[kind][1]
    for column in range(len(titles) if kind != "causes" else 1):
        if titles[column] == "reason":
            continue
        changed = body[0][:column] + ["`matmul/naive`"] + body[0][column + 1:]
        refused(check, titles, [changed, *body[1:]])
    refused(check, titles, body[1:])


for kind_name in KINDS:
    rows.row("table: " + kind_name, one_table, kind_name)
rows.row("cards, compilers and contract", contract)
rows.row("numbers of instructions", ptx)
rows.row("differences on one card", one_card)
rows.row("no figures beside the tables", no_figures_beside, PAGE, is_measured)
rows.row("counts in README.md", other_pages)
for kind_name in KINDS:
    rows.row("wrong figures: " + kind_name, wrong_figures, kind_name)
rows.finish()
