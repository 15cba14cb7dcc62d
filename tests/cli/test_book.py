"""docs/book.md: each command that needs no GPU prints the line of its row; the figures of the rows are
those of the result files; every item of the readers' notes is in a row."""
import json
import os
import re
import struct

from command import ROOT, need_nvrtc, pmpp
import rows

SHORT = 8  # the short form runs every eighth command
ITEMS = 299  # items of five notes by readers of the chapter; a comment in each row has their numbers
WITHOUT_GPU = ("explain", "model", "show", "list", "verify", "try")
BOOK = os.path.join(ROOT, "docs", "book.md")


def table_rows():
    """(command or None, lines to expect, cell of figures)"""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and "<!--" in line and len(cells) == 5:
            command = re.search(r"`pmpp-run ([^`]*)`", cells[1])
            found.append((command and command.group(1), re.findall("`([^`]*)`", cells[2]), cells[3]))
    return found


def items():
    numbers = {int(n) for comment in re.findall("<!--([ \\d]*)-->", text) for n in comment.split()}
    rows.equal(sorted(set(range(1, ITEMS + 1)) - numbers), [], "items without a row")
    rows.equal(len(table), text.count(" --> |"), "rows of five columns")


def output(command, parts):
    """All rows of one command. Resources of explanations come from NVRTC."""
    if command.split()[0] in ("explain", "try") and re.search("shared_bytes|registers|occupancy", " ".join(parts)):
        need_nvrtc()
    result = pmpp(*command.split(), cwd=ROOT)
    flat = " ".join((result.stdout + result.stderr).split())
    for part in parts:
        rows.check(part in flat, "%s lacks: %s\n%s" % (command, part, flat[:6000]))


def stored(command, cell):
    """A stored ladder has each figure of the row in the line of its variant."""
    lines = {line.split()[0]: re.split("[ x%~!]+", line) for line in pmpp(*command.split()).stdout.splitlines() if line}
    for name, _, value in re.findall(r"`\w+/([\w-]+)(?: \w+=\d+)? (step|total|metric|pct_roof) ([\d.]+)`", cell):
        rows.check(value in lines.get(name, []), "%s: %s lacks %s" % (command, name, value))


def result_files():
    """{name of a link: rows}. Only the rows of CUDA."""
    return {name: [r for r in json.load(open(os.path.join(ROOT, "docs", path), encoding="utf-8"))["results"]
                   if r["backend"] == "cuda"]
            for name, path in re.findall(r"^\[(\w+)\]: (\S+\.json)$", text, re.M)}


def figures():
    """`FAMILY/VARIANT [SIZE] FIELD VALUE` and the file that follows."""
    files, count = result_files(), 0
    for _, _, cell in table:
        for group, name in re.findall(r"((?:`[^`]*` ?)+)\[[^]]*\]\[(\w+)\]", cell):
            for figure in re.findall("`([^`]*)`", group):
                name_of, *size, field, value = figure.split()
                family, variant = name_of.split("/")
                key, wanted = size[0].split("=") if size else (None, 0)
                found = [r for r in files[name] if r["family"] == family and r["variant"] == variant
                         and r["timing"] and (not key or r["problem"][key] == int(wanted))]
                rows.check(found, "no row: " + figure)
                row = found[0]
                got = (row["timing"][row["timing"]["primary"]]["median"] / 1000 if field == "us"
                       else row["derived"][field])
                digits = len(value.partition(".")[2])
                rows.check(abs(got - float(value)) <= 0.5001 * 10 ** -digits, "%s: %r" % (figure, got))
                count += 1
    rows.check(count > 50, "%d figures" % count)


def coarsening():
    """The table of times and blocks of small products."""
    found = result_files()["small"]
    names = re.search(r"^\| n \|(.*)\|$", text, re.M).group(1).replace("`", "").replace("|", " ").split()
    lines = re.findall(r"^\| (\d+) \|((?: [\d.]+ \(\d+\) \|){4})$", text, re.M)
    rows.equal([line[0] for line in lines], ["128", "256", "512", "1024", "2048"])
    for n, cells in lines:
        want = []
        for name in names:
            row = next(r for r in found if r["variant"] == name and r["problem"]["n"] == int(n))
            want.append(" %.2f (%d) " % (row["timing"][row["timing"]["primary"]]["median"] / 1000,
                                         row["launches"][0]["grid"][0]))
        rows.equal(cells.split("|")[:-1], want, "n = " + n)


def bits(value):
    """The bits of the f32 that is nearest to a double."""
    return "%08x" % struct.unpack("<I", struct.pack("<f", value))[0]


def thirds():
    """x / 3 and x * (1/3) in f32. A double holds the product exactly, and is exact enough for the
    quotient."""
    third = struct.unpack("<f", struct.pack("<f", 1 / 3))[0]
    for x, quotient, product in re.findall(r"^\| (\d+) \| \S+ \((\w+)\) \| \S+ \((\w+)\) \|$", text, re.M):
        rows.equal((bits(int(x) / 3), bits(int(x) * third)), (quotient, product), x)
    every = range(1 << 23, 1 << 24, 997)
    share = sum(bits(x / 3) != bits(x * third) for x in every) / len(every)
    rows.check(abs(share - 2796202 / 8388608) < 0.02, share)


with open(BOOK, encoding="utf-8") as file:
    text = file.read()
table = table_rows()
commands = {}
for command, parts, _ in table:
    if command and command.split()[0] in WITHOUT_GPU and not command.startswith("show --results="):
        commands.setdefault(command, []).extend(parts)
rows.row("every item is in a row", items)
rows.row("figures of the result files", figures)
rows.row("coarsening of small products", coarsening)
rows.row("thirds", thirds)
for number, command in enumerate(commands):
    (rows.row if number % SHORT == 0 else rows.long_row)(command, output, command, commands[command])
for command, _, cell in table:
    if command and command.startswith("show --results="):
        rows.long_row(command, stored, command, cell)
rows.finish()
