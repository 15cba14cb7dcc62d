"""Each table of figures in README.md and docs/guide.md has a committed result file with the same
figures. A table of pmpp-run has a file with its family, problem, choices, device, driver and every
cell of every row. Each Markdown table is listed here, with its check or as a table without measurements.

usage: test_doc_tables.py SOURCE_ROOT
"""
import glob
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT = sys.argv[1]
PAGES = ("README.md", "docs/guide.md")
HEADER = re.compile(r"^    (?P<family>\w+)  \S.*?  (?P<choices>\S+(?: \S+)*)"
                    r"  (?P<problem>\w+=\S+(?: \w+=\S+)*)"
                    r" {6}(?P<backend>[a-z-]+)(?::\S+)? (?P<device>.+?)(?:, measured (?P<date>\S+))? \((?P<driver>[^()]*)\)"
                    r"(?: {6}roofs: (?P<copy>\S+) GB/s copy, (?P<fma>\S+) GFLOP/s fma \(.*\))?$")
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


# ---- Pages -----------------------------------------------------------------------------------

def tables():
    """(page, line number, match of the header, titles, cells of each row) of all tables."""
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines):
            header = HEADER.match(line)
            if not header:
                continue
            body = lines[number + 1:lines.index("", number)]
            cells = [re.split(r" {2,}", text.strip()) for text in body]
            yield page, number + 1, header, cells[0], cells[1:]


def sizes(text):
    """{"m": 7, "n": 7} of "m=n=7"."""
    found = {}
    for word in text.split():
        *names, value = word.split("=")
        found.update({name: int(value) for name in names})
    return found


# ---- Result files ----------------------------------------------------------------------------

def documents():
    for path in sorted(glob.glob(os.path.join(ROOT, "docs/results/**/*.json"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document.get("schema") == "pmpp-result/1":
            yield os.path.relpath(path, ROOT), document


def choices(row):
    words = [row["dtype"], row["op"], row["data"]]
    return " ".join(word for word in words if word and word != "random")


def device_of(document, row):
    return next(d for d in document["devices"] if d["key"] == row["device"])


def has_device(document, row, header):
    device = device_of(document, row)
    view = device["views"].get(row["backend"], {})
    return (row["backend"] == header["backend"]
            and header["device"] in (device["name"], view.get("name"))
            and header["driver"] in view.get("driver", "")
            and document["run"]["started_utc"].startswith(header["date"] or ""))


def rows_of(document, header):
    """{variant: row} of the table's problem on the table's device."""
    return {row["variant"]: row for row in document["results"]
            if row["family"] == header["family"] and row["problem"] == sizes(header["problem"])
            and choices(row) == header["choices"].replace(" random", "")
            and has_device(document, row, header)}


# ---- Cells, as host/report/format.c prints them ------------------------------------------------

def number_text(value):
    if value is None:
        return "-"
    size = abs(value)
    return "%.*f" % (0 if size >= 99.95 else 1 if size >= 9.995 else 2, value)


def time_text(ns):
    unit, name = next((u for u in UNITS if ns >= u[0]), UNITS[-1])
    return "%s %s" % (number_text(ns / unit), name)


def percent_text(value):
    return "-" if value is None else "%.1f%%" % value


def factor_text(value):
    return "-" if value is None else number_text(value) + "x"


def claim_text(claim):
    if not claim:
        return ""
    return claim.get("verdict") or {True: "holds", False: "does not hold", None: "n/a"}[
        claim["holds"]]


def limit_text(derived):
    """The limit, and the largest floor with its share if the limit has another name."""
    limit, floor = derived["limited_by"], derived.get("floor")
    if not floor or limit == floor["resource"] or floor["share"] is None:
        return limit or "-"
    share = floor["share"]
    return "%s (%s %.*f %%)" % (limit or "unknown", floor["resource"], 1 if share < 0.0995 else 0,
                                100 * share)


def half_width(summary):
    """The half-width in percent. None: unknown, as with fewer than 6 samples."""
    width = summary["half_width"]
    return None if width is None else 100 * width


def primary(row):
    """The primary samples' summary, or None for a row without times."""
    return row["timing"] and row["timing"][row["timing"]["primary"]]


MARKS = {"below_resolution": "^", "throttled": "!", "host_clock": "@", "noisy": "~", "unflushed": "*"}


def marks(row):
    """The marks of the flags. Tables of the older contract are printed without them."""
    new = row["timing"]["contract"] == "pmpp-timing/2"
    return "".join(mark for flag, mark in MARKS.items() if new and flag in row["timing"]["flags"])


def peer_of(row):
    """The first library that was timed in turn with the row; without one, a ratio that no table has."""
    return (row.get("peers") or [{"ratio": 0, "ci95": [0, 0]}])[0]


CELLS = {
    "technique": lambda row: row["technique"],
    "check": lambda row: "ok %.2f" % row["verify"]["max_ratio"],
    "ulp": lambda row: number_text(row["verify"].get("max_ulps")),
    "median": lambda row: time_text(primary(row)["median"]) + marks(row),
    "±": lambda row: percent_text(half_width(primary(row))),
    "GB/s": lambda row: number_text(row["derived"]["gbps"]),
    "GFLOP/s": lambda row: number_text(row["derived"]["gflops"]),
    "%roof": lambda row: percent_text(row["derived"]["pct_roof"]),
    "limited by": lambda row: limit_text(row["derived"]),
    "x peer": lambda row: "%.3f" % peer_of(row)["ratio"],
    "95 %": lambda row: "[%.3f, %.3f]" % tuple(peer_of(row)["ci95"]),
    "step": lambda row: factor_text(row["derived"].get("step")),
    "total": lambda row: factor_text(row["derived"].get("total")),
    "claim": lambda row: claim_text(row.get("claim")),
}


def cells_of(row, titles):
    """Cells of a row of a file, without empty ones at the end."""
    if row["status"] == "ok" and not primary(row):
        return [row["variant"], "not timed"]
    if row["status"] != "ok":
        return [row["variant"], row["technique"], "%s: %s" % (row["status"], row["reason"])]
    cells = [row["variant"]]
    for title in titles[1:]:
        cells.append(CELLS[title](row) if title in CELLS else number_text(row["derived"]["metric"]))
    return cells if cells[-1] else cells[:-1]


def differences(document, header, titles, table):
    """One line for each difference of the file from the table. None if the file has other rows."""
    found = rows_of(document, header)
    if not found:
        return None
    lines = []
    for cells in table:
        want = cells_of(found[cells[0]], titles) if cells[0] in found else "no row"
        if want != cells:
            lines.append("the table has %s, the file %s" % (cells, want))
    return lines


def has_file(header, titles, table):
    rows.check(table, "the table has no row")
    nearest = None
    for path, document in ALL:
        lines = differences(document, header, titles, table)
        if lines == []:
            return
        if lines is not None and (nearest is None or len(lines) < len(nearest[1])):
            nearest = (path, lines)
    if nearest:
        raise rows.Failure("no file has these figures. Nearest: %s: %s"
                           % (nearest[0], "; ".join(nearest[1])))
    raise rows.Failure("no file has this family, problem, device and driver")


# ---- Markdown tables --------------------------------------------------------------------------

INSTRUCTIONS = "docs/results/devices/h200.json"
OPERATIONS = {
    "FMA, f32": "fma", "add, multiply, f32": "add", "integer multiply": "int-mul",
    "f64 FMA": "f64-fma", "divide": "divide", "square root": "sqrt", "sine, native": "sin-native",
    "sine, precise": "sin", "exp": "exp", "f16, two at once": "f16-fma",
}


def operations(cells):
    """Operations per cycle in the second column: whole numbers from 10 on."""
    with open(os.path.join(ROOT, INSTRUCTIONS), encoding="utf-8") as file:
        found = {row["variant"]: row["derived"]["metric"] for row in json.load(file)["results"]
                 if row["family"] == "instructions" and row["backend"] == "cuda"}
    rows.equal([c[0] for c in cells], list(OPERATIONS), "operations")
    for name, printed, *_ in cells:
        metric = found[OPERATIONS[name]]
        rows.equal(printed, "%.*f" % (0 if metric >= 9.95 else 1, metric), name)


def document_of(name):
    with open(os.path.join(ROOT, "docs/results/nvidia-h200", name), encoding="utf-8") as file:
        return json.load(file)


def results_of(name):
    return document_of(name)["results"]


def chains(cells):
    """Chains, ns/hop in whole ns, and the gain over one chain."""
    found = {row["macros"]["CHAINS"]: row["derived"]["metric"]
             for row in results_of("latency-chains-cuda.json")}
    want = [[str(n), "%.0f" % ns, number_text(found[1] / ns)] for n, ns in sorted(found.items())]
    rows.equal(cells, want, "chains")


def working_sets(titles, cells):
    """ns/hop in whole ns, beside the number of lines."""
    found = {row["problem"]["n"]: row["derived"]["metric"]
             for row in results_of("latency-sizes-cuda.json") if row["variant"] == "chase"}
    want = [[str(n) for n in sorted(found)], ["%.0f" % found[n] for n in sorted(found)]]
    rows.equal([titles[1:], cells[0][1:]], want, "sets")


def shapes(cells):
    """GB/s of each variant, by rows x columns."""
    found = {}
    for row in results_of("softmax-sizes-cuda.json"):
        if row["status"] != "ok":
            continue
        name = "%(rows)d x %(columns)d" % row["problem"]
        found.setdefault(name, {})[row["variant"]] = number_text(row["derived"]["gbps"])
    want = [[n] + [f[v] for v in ("safe", "online", "fused")] for n, f in found.items()]
    rows.equal(cells, want, "shapes")


def fastest(cells):
    """Ratio to cuBLAS: timed in turn with CUDA; the time of cuBLAS in CUDA / the time in OpenCL."""
    def times(backend):
        return {row["variant"]: row for row in results_of("matmul/ladder-%s.json" % backend)
                if row["status"] == "ok" and set(row["problem"].values()) == {4096}}

    cuda, opencl = times("cuda"), times("opencl")
    want = []
    for peer, first, second in (("cublas-f32", "best", "bulk-copies"), ("cublas-tf32", "tf32-wgmma", "tf32-mma"),
                                ("cublas-f16", "f16-wgmma", "f16-mma")):
        ratio = [p["ratio"] for p in cuda[first]["peers"] if p["variant"] == peer][0]
        other = [row["timing"]["cold"]["median"] for row in (cuda[peer], opencl[second])]
        want.append(["`%s`: %.2f" % (first, ratio), "`%s`: %.2f" % (second, other[0] / other[1])])
    rows.equal([c[1:] for c in cells], want, "the fastest variants")


def strides(cells):
    """Moves of a sector, expected MB for all sectors of A and B, and MB that ncu counts."""
    document = document_of("strided-dram.json")
    both = 2 * 4 * document["elements"] / 1e6
    want = []
    for row in document["rows"]:
        moves = min(row["stride"], 8)  # elements of a sector
        want.append([str(row["stride"]), str(moves), "%.0f" % (moves * both),
                     "%.0f" % row["dram_mb"], "%.2f" % (row["dram_mb"] / (moves * both))])
    rows.equal(cells, want, "strides")


def function_errors(cells):
    """Errors of precise and fast functions, as fractions of their bounds and in ulp."""
    found = [{row["variant"]: row["verify"] for row in results_of("choices/verify-instructions-%s.json" % backend)}
             for backend in ("cuda", "opencl")]
    want = [["`%s`" % name, *("%.2f" % f[name]["max_ratio"] for f in found),
             *("%.0f" % f[name]["max_ulps"] for f in found)]
            for function in ("sin", "cos", "exp") for name in (function, function + "-native")]
    rows.equal(cells, want, "errors")


def rungs(cells):
    """Base, sizes and registers of each rung of matmul. The sizes are those of the measured rows."""
    with open(os.path.join(ROOT, "docs/results/nvidia-h100/matmul/ladder-4096-cuda.json"), encoding="utf-8") as file:
        found = {row["variant"]: row for row in json.load(file)["results"] if row["status"] == "ok"}
    bases = {}
    for path in glob.glob(os.path.join(ROOT, "common/families/matmul*.c")):
        with open(path, encoding="utf-8") as file:
            bases.update(re.findall(r'\.name = "([\w-]+)",(?:(?!\.name = ).)*?\.base = "([\w-]+)"', file.read(), re.S))
    want = []
    for name, *_ in cells:
        row = found[name.strip("`")]
        macros = row["macros"]
        want.append([name, "`%s`" % bases[name.strip("`")], str(macros.get("TILE_K", macros.get("TILE"))),
                     str(math.prod(row["launches"][-1]["block"])), str(row["resources"]["registers"])])
    rows.equal([c[:5] for c in cells], want, "rungs")
    # A rung whose tile differs from that of the variant that it builds on says so.
    for name, base, *_, also in cells:
        tiles = [[found[v.strip("`")]["macros"].get(macro) for macro in ("TILE_M", "TILE_N")] for v in (name, base)]
        rows.check(tiles[0] == tiles[1] or "tile" in also or name == "`coarse8`", "the tile of " + name)


def rounds(cells):
    """Warps that add, and warps that diverge, in each round of a block of 256 threads."""
    interleaved, halves, divergent = [], [], []
    for number in range(1, 9):
        adding = [t for t in range(256) if t % 2 ** number == 0]
        interleaved.append(len({t // 32 for t in adding}))
        rows.check(all(sum(t // 32 == w for t in adding) < 32 for w in range(8)), "a whole warp")
        active = 256 >> number
        halves.append((active + 31) // 32)
        divergent.append(int(active % 32 > 0))
    rows.equal([list(map(int, c[1:])) for c in cells], [interleaved, halves, divergent], "rounds")
    # The counts of `explain`, in the next table of the page.
    rows.equal([sum(interleaved), sum(halves), sum(divergent)], [47, 12, 5], "warp-executions")


# Titles of each Markdown table, and its check; None: a table without measurements
MARKDOWN = {
    "| family | what it shows |": None,
    "| column | meaning |": None,
    "| for | needed |": None,
    "| column | what it is |": None,
    "| limit | next step | variant before -> after |": None,
    "| system | state |": None,
    "| devices | state |": None,
    "| command | runs on | without a GPU |": None,
    "| place | libraries and headers |": None,
    "| to | read |": None,
    "| elements | blocks | warps launched | warps with data | warps that diverge |": None,
    "| optimisation | what it is for | try |": None,
    "| | measured | guide | notes, to FMA |": operations,
    "| chains | ns/hop | gain |": chains,
    "| stride | moves per sector | MB moved, expected | MB counted | counted / expected |": strides,
    "| rows x columns | safe | online | fused |": shapes,
    "| kernel | a step of one block | operations / bytes |": None,
    "| A and B | CUDA | OpenCL |": fastest,
    "| command | shows |": None,
    "| variant | what neighbouring threads load | sectors per load | bank conflicts |": None,
    "| variant | how it reads B | sectors per request for B |": None,
    "| variant | count |": None,
    "| variant | what it adds | tile of C, per thread | FLOP per byte loaded | passes per multiply-add |": None,
    "| variant | builds on | steps of k in a tile | threads per block | registers per thread | what else changes |": rungs,
    "| round | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |": rounds,
    "| variant | error / bound, CUDA | error / bound, OpenCL | error in ulp, CUDA | error in ulp, OpenCL |":
        function_errors,
    "| technique | what it gains |": None,
    "| word | what it is |": None,
    "| variants | what they add | need |": None,
    "| variant | prediction |": None,
    "| limit, on an H200 | time |": None,
    "| image | blocks | warps | warps that diverge | share |": None,
    "| variant | warp-executions | active lanes | divergent branches | bank conflicts |": None,
    "| variant | memory | uniform data | `--data=constant` |": None,
    "| access | answer | why | explain |": None,
    "| given | arithmetic | answer |": None,
    "| registers per thread | 32 | 64 | 128 | 255 |": None,
}


def markdown_tables():
    """(page, line number, titles, cells of each row) of all Markdown tables."""
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        for number, line in enumerate(lines):
            if re.match(r"\|[-|]+\|$", line):
                body = lines[number + 1:lines.index("", number)]
                cells = [[c.strip() for c in text.strip("|").split("|")] for text in body]
                yield page, number, lines[number - 1], cells


def markdown(titles, cells):
    if titles.startswith("| lines of 128 bytes |"):
        working_sets([t.strip() for t in titles.strip("|").split("|")], cells)
        return
    rows.check(titles in MARKDOWN, "a table that this test does not list: %s" % titles)
    if MARKDOWN[titles]:
        MARKDOWN[titles](cells)


# ---- docs/performance.md ----------------------------------------------------------------------

PERFORMANCE = "docs/performance.md"
WITH_INTERVAL = re.compile(r"^\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]$")


def matmul_rows(card):
    """Rows of full squares of all files of a card: (backend, variant, n, row)."""
    for path, document in ALL:
        if path.startswith("docs/results/nvidia-%s/matmul/" % card):
            for row in document["results"]:
                if row["status"] == "ok" and row["timing"] and len(set(row["problem"].values())) == 1:
                    yield row["backend"], row["variant"], row["problem"]["n"], row


def ratio_texts(row):
    return {text for peer in row.get("peers") or [] if peer["ratio"]
            for text in ("%.3f" % peer["ratio"], "%.3f [%.3f, %.3f]" % (peer["ratio"], *peer["ci95"]))}


def time_of(row):
    return {"%.3g ms" % (primary(row)["median"] / 1e6)}


def rate_of(row):
    return {"%.1f" % (row["derived"]["gflops"] / 1e3)}


def expected_cells(titles, cells, cards):
    """(variant, n, function of a row to texts, text, cards) of each cell with a figure of one row."""
    for title, cell in zip(titles[1:], cells[1:]):
        size = re.match(r"^n = (\d+)$", title)
        card = re.match(r"^(ratio|time), (H\d00)$", title)
        if size and WITH_INTERVAL.match(cell):
            yield cells[0], int(size[1]), ratio_texts, cell, cards
        elif card and cell != "-":
            yield cells[0], 4096, ratio_texts if card[1] == "ratio" else time_of, cell, [card[2].lower()]
        elif titles[0] == "n" and title.startswith("`") and cell != "-":
            yield title, int(cells[0]), rate_of, cell.replace(" `!`", ""), cards


def performance():
    """Each time, ratio and rate of the tables of matmul is that of a row with the variant and the size."""
    with open(os.path.join(ROOT, PERFORMANCE), encoding="utf-8") as file:
        lines = file.read().split("\n")
    count, missing = 0, []
    for number, line in enumerate(lines):
        if not re.match(r"\|[-|]+\|$", line):
            continue
        titles = [t.strip() for t in lines[number - 1].strip("|").split("|")]
        for text in lines[number + 1:lines.index("", number)]:
            cells = [c.strip() for c in text.strip("|").split("|")]
            for name, size, texts, want, cards in expected_cells(titles, cells, ["h200", "h100"]):
                count += 1
                if not any(want in texts(row) for card in cards for backend, variant, n, row in MATMUL[card]
                           if backend == "cuda" and variant == name.strip("`") and n == size):
                    missing.append("%s, n = %d: %s" % (name, size, want))
    rows.check(not missing, "no row has: " + "; ".join(missing))
    rows.check(count > 150, "%d figures" % count)


def rated(name, variant, problem):
    """The row with the sizes; None if the file does not exist, or has none that passed."""
    path = "peers/%s.json" % name
    found = [row for row in results_of(path) if row["variant"] == variant and row["status"] == "ok"
             and list(row["problem"].values())[:len(problem)] == problem]
    return found[0] if found else None


def rate_text(row):
    """GB/s; "-" without a row."""
    return "%.0f" % row["derived"]["gbps"] if row else "-"


def sizes_of(text):
    return [1 << int(size[6:]) if size.startswith("n = 2^") else int(size) for size in text.split(" x ")]


def lines_like(pattern):
    with open(os.path.join(ROOT, PERFORMANCE), encoding="utf-8") as file:
        return [[cell.strip().strip("`") for cell in line.strip().strip("|").split("|")] for line in file
                if re.match(pattern, line)]


def other_peers():
    """The table of reduce, histogram, transpose and copies: rates of the peers and of the variants, and their ratios."""
    cells = lines_like(r"\| `(reduce|histogram|transpose|coalesce)`.*\|$")
    for problem, size, peer, peer_rate, variant, cuda, opencl, ratio in cells:
        family, data = re.match(r"(\w+)`?(?:, \w+ (\w+))?$", problem).groups()
        name, sizes = family + ("-" + data if family == "histogram" else ""), sizes_of(size)
        row = rated(name + "-cuda", variant, sizes)
        want = [rate_text(rated(name + "-cuda", peer, sizes)), rate_text(row),
                rate_text(rated(name + "-opencl", variant, sizes)), "%.3f [%.3f, %.3f]" % (
                    peer_of(row)["ratio"], *peer_of(row)["ci95"])]
        rows.equal([peer_rate, cuda, opencl, ratio], want, problem + size)
    rows.equal(len(cells), 11, "rows of peers")


def softmax_rates():
    """The table of softmax: rates, and their ratio to a copy."""
    cells = lines_like(r"\| \d+ x \d+ \| `(fused|cluster)` .*\|$")
    best = rated("coalesce-cuda", "driver-copy", [1 << 28])["derived"]["gbps"]
    for size, variant, cuda, opencl, ratio in cells:
        sizes = sizes_of(size)
        files = [name for name in ("softmax", "softmax-sizes") if rated(name + "-cuda", variant, sizes)]
        row = rated(files[0] + "-cuda", variant, sizes)
        want = [rate_text(row), rate_text(rated(files[0] + "-opencl", variant, sizes)),
                "%.2f" % (row["derived"]["gbps"] / best)]
        rows.equal([cuda, opencl, ratio], want, variant + size)
    rows.equal(len(cells), 6, "rows of softmax")


# ---- README.md -------------------------------------------------------------------------------

def readme_has(*parts):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = " ".join(file.read().split())
    for part in parts:
        rows.check(part in text, "README.md lacks %r" % part)
    return text


def installed_size():
    """The size of the installed result files, within 5 %."""
    size = sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(os.path.join(ROOT, "docs/results")) for name in names)
    stated = int(re.search(r"result files \(about (\d+) MB\)", readme_has("result files"))[1])
    rows.check(abs(stated - size / 1e6) < 0.05 * stated, "%d MB, not %.1f MB" % (stated, size / 1e6))


def page_devices():
    """The devices of report.html are those of docs/results/devices."""
    names, platforms = [], []
    for path in glob.glob(os.path.join(ROOT, "docs/results/devices/*.json")):
        with open(path, encoding="utf-8") as file:
            device = json.load(file)["devices"][0]
        names.append(device["name"])
        if "cuda" not in device["views"]:
            platforms.append(device["views"]["opencl"]["platform"])
    numbers = {2: "two", 3: "three", 6: "six"}
    readme_has("all ladders on %s devices" % numbers[len(names)],
               "CPUs with %s OpenCL implementations: PoCL (%s CPUs)"
               % (numbers[len(set(platforms))], numbers[platforms.count("PoCL")]))


def parity_range():
    """The smallest and the largest ratio of matmul on an H100."""
    path = "docs/results/nvidia-h100/matmul/parity.json"
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        ratios = [pair["ratio"] for pair in json.load(file)["parity"] if pair["ratio"]]
    readme_has("%.2f to %.2f of CUDA's time" % (min(ratios), max(ratios)), "[parity.json](%s)" % path)


# ---- Wrong tables have no file -----------------------------------------------------------------

def refused(header, titles, table):
    try:
        has_file(header, titles, table)
    except rows.Failure:
        return
    raise rows.Failure("a table with a wrong figure has a file")


def with_share(table):
    """Whether a cell shows a floor and its share: a table of pmpp-timing/2."""
    return any(re.search(r"\(\w+ [0-9.]+ %\)$", cell) for cells in table for cell in cells)


def wrong_cells():
    """No file matches a table of a contract with one changed cell in a column."""
    found = list(tables())
    newer = [f for f in found if with_share(f[4])]
    rows.check(newer, "no table shows a share of a floor")
    for _, _, header, titles, table in (found[0], newer[0]):
        for column in range(1, len(table[1])):
            changed = table[1][:column] + ["1.23"] + table[1][column + 1:]
            refused(header, titles, [table[0], changed, *table[2:]])
        refused(header, titles, [*table, ["absent", *table[0][1:]]])


def wrong_shares():
    """No file matches a table with another share of the floor and the same limit."""
    _, _, header, titles, table = next(f for f in tables() if with_share(f[4]))
    changed = [[re.sub(r" [0-9.]+ %\)$", " 12 %)", cell) for cell in cells] for cells in table]
    refused(header, titles, changed)


def wrong_headers():
    _, _, header, titles, table = next(tables())
    for field in ("family", "choices", "problem", "backend", "device", "driver"):
        fields = header.groupdict()
        fields[field] = "m=7" if field == "problem" else "other"
        refused(fields, titles, table)


ALL = list(documents())
for page, line, header, titles, table in tables():
    rows.row("%s:%d %s on %s" % (page, line, header["family"], header["device"]), has_file, header,
             titles, table)
for page, line, titles, cells in markdown_tables():
    rows.row("%s:%d %s" % (page, line, titles), markdown, titles, cells)
MATMUL = {card: list(matmul_rows(card)) for card in ("h200", "h100")}
rows.row("figures of " + PERFORMANCE, performance)
rows.row("peers of " + PERFORMANCE, other_peers)
rows.row("softmax of " + PERFORMANCE, softmax_rates)
rows.row("README.md: size of the installed result files", installed_size)
rows.row("README.md: devices of report.html", page_devices)
rows.row("README.md: OpenCL / CUDA", parity_range)
rows.row("a changed cell has no file", wrong_cells)
rows.row("a changed share of a floor has no file", wrong_shares)
rows.row("a changed header has no file", wrong_headers)
rows.finish()
