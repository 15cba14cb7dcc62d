"""Draws the pictures of README.md and docs/guide.md from committed result files.

usage: python3 tools/pictures.py

Reads docs/results, and docs/architecture.svg, which Graphviz makes from docs/architecture.dot. Writes
docs/pictures/*.svg, and the title, description and colours of docs/architecture.svg. The same files give
the same bytes. docs/results/README.md has the commands that make docs/results/pictures.
"""
import html
import json
import math
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
WIDTH, LEFT = 760, 16
# Blue and orange differ in hue and in lightness, so readers with any colour vision tell them apart.
COLOURS = {
    "light": {"page": "#ffffff", "ink": "#1f2328", "soft": "#57606a", "line": "#8c959f", "one": "#0b5cad",
              "two": "#d98200", "pale": "#b5d4f2", "on": "#ffffff", "black": "#0d1117"},
    "dark": {"page": "#0d1117", "ink": "#e6edf3", "soft": "#9da7b3", "line": "#6e7681", "one": "#58a6ff",
             "two": "#f0a030", "pale": "#27507c", "on": "#0d1117", "black": "#0d1117"},
}
WORDS_ON = {"one": "on", "two": "black", "pale": "ink"}  # colour of a box: colour of its words


# ---- Drawing ---------------------------------------------------------------------------------

def scheme(colours):
    fills = "".join(".%s{fill:%s}" % item for item in colours.items())
    return fills + ".grid,.rule,.away{stroke:%s}.fan,.pale{stroke:%s}.many{stroke:%s}.roof{stroke:%s}" % (
        colours["line"], colours["one"], colours["two"], colours["ink"])


def style():
    return ("<style>text{font:12px system-ui,sans-serif}.head{font-weight:600}.name{font:600 15px system-ui,sans-serif}"
            ".small{font-size:11px}.grid,.rule,.away,.fan,.many,.roof{fill:none}.away{stroke-dasharray:2 2}"
            ".roof{stroke-width:1.5}.pale{stroke-width:.6}%s@media(prefers-color-scheme:dark){%s}</style>\n" %
            (scheme(COLOURS["light"]), scheme(COLOURS["dark"])))


def place(value):
    """A coordinate."""
    return ("%.1f" % value).removesuffix(".0")


def figure(value):
    """A number with three digits, or with all digits before the point."""
    return "%.*f" % (max(0, 2 - math.floor(math.log10(value))), value)


def percent(share):
    return "%g %%" % round(100 * share, 1)


def times(count, noun, nouns=None):
    return "%d %s" % (count, noun if count == 1 else nouns or noun + "s")


def text(x, y, words, classes="ink", anchor="start"):
    at = "" if anchor == "start" else ' text-anchor="%s"' % anchor
    return '<text class="%s" x="%s" y="%s"%s>%s</text>\n' % (classes, place(x), place(y), at, html.escape(words))


def path(classes, steps):
    return '<path class="%s" d="%s"/>\n' % (classes, steps)


def line(classes, x1, y1, x2, y2):
    return path(classes, "M%s %sL%s %s" % tuple(map(place, (x1, y1, x2, y2))))


def boxes(classes, places, width, height):
    """Rectangles of one size, as one path. places: the upper left corners."""
    return path(classes, "".join("M%s %sh%sv%sh-%sz" % tuple(map(place, (x, y, width, height, width)))
                                 for x, y in places)) if places else ""


def cells(x, y, step, height, marks):
    """A row of boxes: (class, word) for each; None leaves a dashed box."""
    body = ""
    for name in sorted({mark[0] if mark else "away" for mark in marks}):
        body += boxes(name, [(x + index * step, y) for index, mark in enumerate(marks)
                             if (mark[0] if mark else "away") == name], step - 2, height)
    return body + "".join(
        text(x + (index + 0.5) * step - 1, y + height / 2 + 4, str(mark[1]),
             "small " + WORDS_ON[mark[0]], "middle")
        for index, mark in enumerate(marks) if mark and mark[1] != "")


def legend(y, items):
    """Boxes with their meanings: (class, words)."""
    body, x = "", LEFT
    for name, words in items:
        body += boxes(name, [(x, y - 10)], 12, 12) + text(x + 18, y, words, "small ink")
        x += 18 + 6.2 * len(words) + 24
    return body


def picture(name, title, description, height, body, sources):
    """The text of an SVG file. sources: the last lines, with device, date, driver and file."""
    height += 14 * len(sources) + 20
    notes = "".join(text(LEFT, height - 12 - 14 * (len(sources) - 1 - index), words, "small soft")
                    for index, words in enumerate(sources))
    return name, (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" '
        'aria-labelledby="title description">\n<title id="title">%s</title>\n<desc id="description">%s</desc>\n' %
        (WIDTH, height, WIDTH, height, html.escape(title), html.escape(description)) + style() +
        '<rect class="page" width="%d" height="%d" rx="6"/>\n' % (WIDTH, height) +
        text(LEFT, 26, title, "name ink") + body + notes + "</svg>\n")


# ---- Files -----------------------------------------------------------------------------------

def read(name):
    with open(os.path.join(ROOT, "docs/results", name), encoding="utf-8") as file:
        return json.load(file)


def the_one(rows, **wanted):
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    if len(found) != 1:
        raise SystemExit("%d rows for %s" % (len(found), wanted))
    return found[0]


def measured_source(name, document):
    device = document["devices"][0]
    drivers = sorted({view["driver"].split(",")[0] for view in device["views"].values()})
    return ["Measured on %s, driver %s, on %s with pmpp-run %s (%s)." % (
        device["name"], ", ".join(drivers), document["run"]["started_utc"][:10], document["tool"]["version"],
        document["tool"]["git"]), "File: docs/results/%s" % name]


TRACED = "pictures/traced.json"


def traced(family, variant):
    return the_one(read(TRACED)["explanations"], family=family, variant=variant)


def traced_source():
    document = read(TRACED)
    backends = sorted({row["traced"] for row in document["explanations"]})
    return ["Traced on the emulator %s (compute capability 9.0; no GPU) with pmpp-run %s (%s)." % (
        ", ".join(backends), document["tool"]["version"], document["tool"]["git"]), "File: docs/results/" + TRACED]


# ---- The ladder and the roofline -------------------------------------------------------------

DEVICE = "devices/h200.json"


def ladder_rows():
    """(document, {backend: {variant: row}}) of the rows of matmul in full precision, without those for CPUs."""
    document, sides = read(DEVICE), {}
    for row in document["results"]:
        if row["family"] == "matmul" and not re.match("t?f(16|32)|cpu-", row["variant"]):
            sides.setdefault(row["backend"], {})[row["variant"]] = row
    return document, sides


def ladder():
    document, sides = ladder_rows()
    cuda, opencl = sides["cuda"], sides["opencl"]
    roof = document["devices"][0]["roofs"]["fma_gflops"]["f32"]
    left, step, top = 258, 24, 76
    columns, scale = (636, 694, 744), 310 / roof
    body = legend(50, [("one", "CUDA"), ("two", "OpenCL")])
    body += "".join(text(x, top - 12, words, "soft", "end") for x, words in zip(columns, ("CUDA", "OpenCL", "total")))
    body += text(columns[1], top - 26, "TFLOP/s", "soft", "end")
    for index, (name, row) in enumerate(cuda.items()):
        y, rates = top + index * step, [(side[name]["derived"] or {}).get("gflops") for side in (cuda, opencl)]
        body += text(LEFT, y + 13, name, "ink head") + text(136, y + 13, row["technique"].strip("-"), "soft")
        for place_of, (colour, rate) in enumerate(zip(("one", "two"), rates)):
            body += boxes(colour, [(left, y + 9 * place_of)], rate * scale, 9 - 2 * place_of) if rate else ""
            body += text(columns[place_of], y + 12, figure(rate / 1000) if rate else "-", "ink", "end")
        body += text(columns[2], y + 12, figure(row["derived"]["total"]) + "x", "ink", "end")
    bottom = top + len(cuda) * step
    body += line("roof", left, top - 6, left, bottom)
    body += line("away", left + roof * scale, top - 6, left + roof * scale, bottom)
    body += text(left + roof * scale, top - 12, "f32 roof: %s TFLOP/s" % figure(roof / 1000), "soft", "end")
    rows = list(cuda.values())
    ends = ["%s reaches %s TFLOP/s" % (row["variant"], figure(row["derived"]["gflops"] / 1000))
            for row in (rows[0], rows[-1])]
    describe = "Rates of %d variants in CUDA and OpenCL on an %s. In CUDA %s, and %s: %s times as fast." % (
        len(rows), document["devices"][0]["name"], *ends, figure(rows[-1]["derived"]["total"]))
    return picture("ladder", "The ladder of matmul: C = A B, f32, m = n = k = %d" % rows[0]["problem"]["n"], describe,
                   bottom, body, measured_source(DEVICE, document))


def log_scale(low, high, start, end):
    return lambda value: start + (end - start) * math.log(value / low) / math.log(high / low)


# Points with a name: the distance of the name below the point.
NAMES = {"naive-uncoalesced": 12, "naive": 4, "tiled16": 13, "tiled32": 13, "coarse8": 6, "thread-column": 6,
         "thread-tile": 12, "registers": 9, "best": -2}


def roofline():
    document, sides = ladder_rows()
    roofs = document["devices"][0]["roofs"]
    compute, left, right, top, bottom = roofs["fma_gflops"]["f32"], 56, 736, 60, 410
    x, y = log_scale(1 / 8, 128, left, right), log_scale(500, 100000, bottom, top)
    body = line("rule", left, bottom, right, bottom)
    for rate in (1000, 10000, 100000):
        body += line("rule", left, y(rate), right, y(rate))
        body += text(left - 6, y(rate) + 4, str(rate // 1000), "soft", "end")
    for intensity in (2.0 ** power for power in range(-3, 8)):
        body += line("rule", x(intensity), bottom, x(intensity), bottom + 5)
        body += text(x(intensity), bottom + 18, "%g" % intensity, "soft", "middle")
    slope = math.degrees(math.atan2(y(2) - y(1), x(2) - x(1)))
    for words, rate, above in (("first-level cache", roofs["shared_gbps"], -6),
                               ("second-level cache", roofs["l2_gbps"], -6),
                               ("device memory (copy)", roofs["copy_gbps"], 16)):
        knee = compute / rate
        at = knee / 5
        body += line("roof", left, y(rate / 8), x(knee), y(compute))
        body += '<g transform="translate(%s %s) rotate(%s)">%s</g>\n' % (
            place(x(at)), place(y(at * rate)), place(slope),
            text(0, above, "%s: %s TB/s" % (words, figure(rate / 1000)), "soft", "middle"))
    body += line("roof", x(compute / roofs["shared_gbps"]), y(compute), right, y(compute))
    body += text(right, y(compute) - 6, "f32 multiply-add: %s TFLOP/s" % figure(compute / 1000), "soft", "end")
    for name, row in sides["cuda"].items():
        at, rate = x(row["work"]["flops"] / row["work"]["bytes_issued"]), y(row["derived"]["gflops"])
        body += '<circle class="one" cx="%s" cy="%s" r="4"/>\n' % (place(at), place(rate))
        if name in NAMES:
            body += text(at + 8, rate + NAMES[name], name)
    body += text(LEFT, top - 12, "TFLOP/s", "soft")
    body += text(right, bottom + 34, "FLOP per byte that the kernel requests from global memory", "soft", "end")
    naive = sides["cuda"]["naive"]
    bound = naive["work"]["flops"] / naive["work"]["bytes_issued"] * roofs["copy_gbps"]
    describe = ("Rates of the CUDA variants of matmul below the roofs of the device. naive needs %s times the rate of "
                "device memory, so caches serve most of its loads." % figure(naive["derived"]["gflops"] / bound))
    return picture("roofline", "The roofline of matmul in CUDA, f32, m = n = k = %d" % naive["problem"]["n"], describe,
                   bottom + 40, body, measured_source(DEVICE, document))


# ---- Lanes of a warp -------------------------------------------------------------------------

def fan(top, height, x_of_lane, targets, many):
    """Lines from the lanes to their targets; a second line to a target has the class "many"."""
    body, seen = {"fan": "", "many": ""}, set()
    for lane, target in enumerate(targets):
        body["many" if many and target in seen else "fan"] += "M%s %sL%s %s" % tuple(
            map(place, (x_of_lane(lane), top, target, top + height)))
        seen.add(target)
    return path("fan", body["fan"]) + (path("many", body["many"]) if body["many"] else "")


def lane_row(y, lanes):
    return text(LEFT, y + 13, "lanes") + cells(76, y, 21, 18, [("one", lane) for lane in range(lanes)])


def access(row, space, kind, **wanted):
    return the_one([found for found in row["accesses"] if found["space"] == space and found["kind"] == kind], **wanted)


def sectors():
    rows = [traced("coalesce", variant) for variant in ("contiguous", "stride2", "stride8")]
    loads = [access(row, "global", "load") for row in rows]
    end = max(max(load["request"]["offsets"]) + load["width_bytes"] for load in loads)
    end = math.ceil(end / 128) * 128
    scale, body, told = 672 / end, "", []
    for index, (row, load) in enumerate(zip(rows, loads)):
        y, offsets = 56 + index * 124, load["request"]["offsets"]
        asked, moved = load["bytes_requested"] // load["requests"], load["bytes_moved"] // load["requests"]
        told.append("%s: %d sectors of 32 bytes; %d bytes transferred, %d bytes requested (%s)" % (
            row["variant"], load["sectors_per_request"], moved, asked, percent(load["efficiency"])))
        touched = {offset // 32 for offset in offsets}
        body += text(LEFT, y, told[-1], "ink head") + lane_row(y + 8, len(offsets))
        body += fan(y + 26, 40, lambda lane: 76 + lane * 21 + 9.5,
                    [76 + (offset + load["width_bytes"] / 2) * scale for offset in offsets], False)
        body += text(LEFT, y + 80, "memory")
        body += cells(76, y + 66, 32 * scale, 18, [("pale", "") if i in touched else None for i in range(end // 32)])
        body += boxes("one", [(76 + at * scale, y + 66) for at in offsets], load["width_bytes"] * scale - 0.5, 18)
    bottom = 56 + 3 * 124
    body += legend(bottom, [("one", "bytes that a lane requests"), ("pale", "transferred, but not requested"),
                            ("away", "sector that is not transferred")])
    return picture("sectors", "Lanes over sectors: one load of a warp, coalesced and strided (coalesce)",
                   ". ".join(told) + ".", bottom, body, traced_source())


def banks():
    body, told = "", []
    for index, variant in enumerate(("tiled", "padded")):
        row, y = traced("transpose", variant), 56 + index * 158
        load = access(row, "shared", "load")
        of_lane, passes = load["request"]["banks"], load["wavefronts_per_request"]
        tile = row["macros"]["TILE"]
        apart = (load["request"]["offsets"][1] - load["request"]["offsets"][0]) // load["width_bytes"]
        told.append("%s, tile[%d][%d]: neighbouring lanes are %d words apart: %s" % (
            variant, tile, tile + row["macros"]["PADDING"], apart, times(passes, "pass", "passes")))
        body += text(LEFT, y, told[-1], "ink head") + lane_row(y + 8, len(of_lane))
        body += fan(y + 26, 40, lambda lane: 76 + lane * 21 + 9.5, [76 + bank * 21 + 9.5 for bank in of_lane], True)
        body += text(LEFT, y + 80, "banks") + cells(76, y + 66, 21, 18, [
            ("pale", bank) if bank in of_lane else None for bank in range(32)])
        body += text(LEFT, y + 109, "passes") + cells(76, y + 95, 21, 18, [
            ("two" if number else "one", number + 1) for number in range(int(passes))])
    y = 56 + 2 * 158 - 16
    body += legend(y, [("one", "first pass"), ("two", "further passes: a bank serves one word at a time"),
                       ("pale", "bank in use"), ("away", "idle bank")])
    return picture("banks", "Lanes over banks: a warp reads a column of a tile in shared memory (transpose)",
                   ". ".join(told) + ".", y, body, traced_source())


def loop_of(row):
    return next(found for found in row["lines"] if found["text"].startswith("for (int trip"))


def trips_of(row):
    """The iterations of each lane of the traced request, from the expression of the traced line. The elements of a
    warp begin at a multiple of 32, and the values of the expression repeat after 8 elements."""
    load = access(row, "global", "load")
    words = next(found["text"] for found in row["lines"] if found["text"].startswith("int trips = "))
    expression = re.sub(r"\((int|unsigned)\)", "", words[len("int trips = "):-1]).replace("/", "//")
    trips = [eval(expression, dict(row["macros"], i=offset // load["width_bytes"]))
             for offset in load["request"]["offsets"]]
    if sum(trips) != loop_of(row)["simt"] * max(trips) * len(trips):
        raise SystemExit("the iterations of %s are not those of the trace" % row["variant"])
    return trips


def masks():
    body, told, y = "", [], 56
    for variant in ("ragged-loop", "sorted-loop"):
        row = traced("divergence", variant)
        trips = trips_of(row)
        told.append("%s: the warp runs %d iterations (mean of all warps: %g); %s of its lanes are active" % (
            variant, max(trips), loop_of(row)["warp_executions"] / row["warps"], percent(loop_of(row)["simt"])))
        body += text(LEFT, y, told[-1], "ink head") + text(70, y + 21, "lane", "small soft", "end")
        for lane in range(len(trips)):
            body += text(76 + lane * 21 + 9.5, y + 21, str(lane), "small soft", "middle")
        for trip in range(max(trips)):
            row_y = y + 27 + trip * 18
            body += text(70, row_y + 12, ("" if trip else "iteration ") + str(trip + 1), "small soft", "end")
            body += cells(76, row_y, 21, 15, [("one", "") if trip < own else None for own in trips])
        y += 27 + max(trips) * 18 + 30
    body += legend(y - 6, [("one", "active lane"), ("away", "lane that has left the loop and waits")])
    return picture("masks", "Masks over time: a loop that lanes leave at different times (divergence)",
                   ". ".join(told) + ".", y - 6, body, traced_source())


# ---- Tiles -----------------------------------------------------------------------------------

def tiles():
    row = traced("matmul", "tiled16")
    tile, problem, blocks = row["macros"]["TILE"], row["problem"], row["sampled"]
    load = access(row, "global", "load", operand="A")
    warps = row["launch"]["block"][0] * row["launch"]["block"][1] // 32
    phases = load["requests"] // blocks["blocks"] // warps
    loaded = load["bytes_requested"] // blocks["blocks"] * blocks["total"]
    count, step, top, gap = problem["n"] // tile, 9, 66, 16
    side = count * step
    down, along = divmod(load["request"]["block"], count)
    body = ""
    for panel, phase in enumerate((0, 1, 2, phases - 1)):
        left = LEFT + panel * 188
        right, lower = left + side + gap, top + side + gap
        places = {"A": (left, lower), "B": (right, top), "C": (right, lower)}
        body += text(left, top + 10, "phase %d of %d" % (phase + 1, phases), "small ink head")
        for name, (x, y) in places.items():
            body += text(x, y - 3, name)
            body += boxes("grid", [(x + i * step, y + j * step) for i in range(count) for j in range(count)],
                          step, step)
        walk = [at for p in range(phase + 1)
                for at in ((left + p * step, lower + down * step), (right + along * step, top + p * step))]
        body += boxes("pale", walk[:-2], step, step) + boxes("one", walk[-2:], step, step)
        body += boxes("two", [(right + along * step, lower + down * step)], step, step)
    bottom = top + 2 * side + gap + 24
    told = "Each element of A is loaded %d times; without tiles, %d times." % (
        loaded // (problem["m"] * problem["k"] * load["width_bytes"]), problem["n"])
    body += legend(bottom, [("one", "tiles in shared memory"), ("pale", "tiles of earlier phases"),
                            ("two", "tile of C that the block computes")]) + text(LEFT, bottom + 22, told)
    title = "Tiles walk through A and B: one block of matmul/tiled16, n = %d, tiles of %d x %d" % (
        problem["n"], tile, tile)
    describe = "In phase p the block loads tile p of a row of A and tile p of a column of B. " + told
    return picture("tiles", title, describe, bottom + 24, body, traced_source())


# ---- Memory ----------------------------------------------------------------------------------

def bank_times(ratio, count, end):
    """(start, bank, burst) of each transfer: the banks take turns on the bus."""
    ready, bus, found = [ratio] * count, 0, []
    while bus < end:
        burst = len(found)
        start = max(bus, ready[burst % count])
        found.append((start, burst % count, burst + 1))
        bus, ready[burst % count] = start + 1, start + 1 + ratio
    return [entry for entry in found if entry[0] < end]


def dram():
    body, told, y, step = "", [], 56, 40
    for count in (1, 2, 5):
        bus = read("pictures/dram-banks%d.json" % count)["bus"]
        ratio = int(bus["latency_ratio"])
        end = 3 * (ratio + 1)
        moves = bank_times(ratio, bus["banks"], end)
        told.append("%s: from the first burst on, the bus is busy %s of the time" % (
            times(bus["banks"], "bank"), percent(bus["busy"])))
        body += text(LEFT, y, told[-1], "ink head")
        for bank in range(bus["banks"]):
            starts = [start for start, of, _ in moves if of == bank]
            body += text(LEFT, y + 19, "bank %d" % bank)
            body += boxes("pale", [(96 + (start - ratio) * step, y + 8) for start in starts], ratio * step - 2, 14)
            y += 17
        body += text(LEFT, y + 19, "bus")
        marks = [None] * end
        for start, _, burst in moves:
            marks[start] = ("one", burst)
        body += cells(96, y + 8, step, 14, marks)
        y += 46
    body += legend(y - 6, [("pale", "a bank reads a burst"), ("one", "the bus transfers a burst"),
                           ("away", "idle bus")])
    y += 24
    for size in (4, 8):
        uses = read("pictures/dram-product%d.json" % size)["tiles"]
        channels = 1 + max(max(use["channels"]) for use in uses)
        body += text(LEFT, y, "Product of %d x %d floats in tiles of 2 x 2: channels in use" % (size, size), "ink head")
        for channel in range(channels):
            body += text(LEFT, y + 50 + channel * 17, "channel %d" % channel)
        for index, use in enumerate(uses):
            x = 96 + index // 2 * 158 + index % 2 * 64
            body += text(x, y + 33, use["matrix"], "small soft")
            body += "" if index % 2 else text(x, y + 19, "phase %d" % use["phase"], "small soft")
            for channel in range(channels):
                used = ("one", "") if channel in use["channels"] else None
                body += cells(x, y + 39 + channel * 17, 60, 14, [used])
        y += 39 + channels * 17 + 28
    describe = ("A bank needs %d times as long to read a burst as the bus to transfer it. %s. Below: the channels that "
                "each phase of two tiled products uses." % (ratio, ". ".join(told)))
    return picture("dram", "Banks and channels over time: a bank is %d times as slow as the bus" % ratio, describe,
                   y - 20, body, ["Computed with pmpp-run model dram; no device.",
                                  "Files: docs/results/pictures/dram-*.json"])


# ---- Files that are written ------------------------------------------------------------------

def architecture():
    """Graphviz's picture of the folders, with a title, a description and the colours of both schemes."""
    with open(os.path.join(ROOT, "docs/architecture.svg"), encoding="utf-8") as file:
        made = file.read()
    grey = 'text[fill="#808080"]{fill:%s}'
    head = ("<title>Folders of the code</title>\n<desc>Arrows from each folder to the folders that it may use.</desc>\n"
            "<style>%s@media(prefers-color-scheme:dark){%s}</style>\n" % (
                grey % COLOURS["light"]["soft"], grey % COLOURS["dark"]["soft"]))
    if head not in made:
        made = re.sub(r"(<svg[^>]*>\n)", lambda found: found[1] + head, made, count=1)
    return "../architecture", made


PICTURES = (ladder, roofline, sectors, banks, masks, tiles, dram, architecture)


def main():
    for draw in PICTURES:
        name, made = draw()
        with open(os.path.join(ROOT, "docs/pictures", name + ".svg"), "w", encoding="utf-8") as file:
            file.write(made)


if __name__ == "__main__":
    main()
