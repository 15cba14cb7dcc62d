"""`report` of files of `explain`: annotated sources with drawings."""
import html.parser
import json

from command import expect, json_file, kernel_tree, need, new_file, new_path, read_text
import browser
from page_checks import check_page, figures_of
import page_scripts
import rows

HOSTILE = ("</code></script><script>alert(1)</script><img src=x onerror=alert(1)>"
           "\"'`&amp;\x01\u202e\x7f")


def explained(*arguments):
    """The document of explain --json, and its path."""
    need("cuda-emu")
    path = new_path("explained.json")
    expect(0, "explain", *arguments, "--json=" + path)
    return json_file(path), path


def page_of(path):
    page = new_path("page.html")
    expect(0, "report", path, "-o", page)
    return read_text(page)


def write(document):
    return new_file("document.json", json.dumps(document))


def drawings(page):
    """The figures of the drawings. Each has a place in the page."""
    check_page(page)
    found = figures_of(page)["drawings"]
    rows.equal(page.count('data-draw="lanes"'), len(found), "places of drawings")
    return found


class Structure(html.parser.HTMLParser):
    """Elements with their attributes' names, in order."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open, self.ids = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag != "meta" and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        rows.equal(self.open.pop(), tag, "the element that is closed")


# ---- Drawings ----------------------------------------------------------------------------------

VARIANTS = ("transpose/naive-strided-store", "transpose/tiled", "transpose/padded",
            "reduce/interleaved", "histogram/private", "coalesce/misaligned")


def drawn_figures():
    """The drawings agree with the costs of the requests in the file."""
    document, path = explained(*VARIANTS)
    found = drawings(page_of(path))
    sectors, passes, splits = [], [], 0
    for entry in document["explanations"]:
        seen = []
        for access in entry["accesses"]:
            active = [o for o in access["request"]["offsets"] if o >= 0]
            if access in seen:
                continue
            seen.append(access)
            if access["space"] == "global":
                touched = {(o + i) // 32 for o in active for i in range(access["width_bytes"])}
                sectors.append(len(touched))
            elif access["width_bytes"] <= 4:
                words = {o // 4 for o in active}
                passes.append(max(sum(w % 32 == bank for w in words) for bank in range(32)))
        splits += len({b["line"] for b in entry["branches"] if b["divergent"]})
    of_memory = [d for d in found if "first" not in d and "passes" not in d]
    rows.equal(sorted(len({(a + i) // d["sector"] for a in d["address"] for i in range(d["width"])})
                      for d in of_memory), sorted(sectors), "sectors")
    rows.equal(sorted(len(d["passes"]) for d in found if "passes" in d), sorted(passes), "passes")
    rows.equal(len(found), len(sectors) + len(passes) + splits, "drawings")
    rows.check(32 in sectors and 5 in sectors and 32 in passes, "%r %r" % (sectors, passes))


# ---- Sources -----------------------------------------------------------------------------------

def whole_source():
    """The text of the file, with the counts beside its lines."""
    document, path = explained("transpose/tiled")
    page = page_of(path)
    rows.check("__shared__" in page and "only the counted lines" not in page, "not the whole file")
    count = document["explanations"][0]["lines"][0]["warp_executions"]
    rows.check(">%d<" % count in page, "no count")


def other_source():
    """For a kernel that the program does not have, the page has the counted lines."""
    need("cuda-emu")
    root = kernel_tree({"cuda_kernels/transpose/tiled.cu": lambda source: "/* mine */\n" + source})
    document, path = explained("transpose/tiled", "--kernel-dir=" + root)
    page = page_of(path)
    rows.check("only the counted lines" in page and "__shared__" not in page, "another file")
    for line in document["explanations"][0]["lines"]:
        rows.check('<th scope="row" class="number">%d</th>' % line["line"] in page,
                   "no line %d" % line["line"])


def older_file():
    """A file of an older version has no requests and no hash. The page has lines, counts and the reason."""
    document, _ = explained("transpose/tiled", "reduce/interleaved")
    for entry in document["explanations"]:
        del entry["source_sha256"]
        for access in entry["accesses"]:
            del access["request"]
        for branch in entry["branches"]:
            branch.pop("split", None)
    page = page_of(write(document))
    rows.equal(drawings(page), [], "drawings")
    rows.check("the file has no example" in page and "only the counted lines" in page, "the reason")


def no_trace():
    """Without a compiler there is no annotated source. The page has the reason and the models."""
    path = new_path("explained.json")
    expect(0, "explain", "transpose/tiled", "--json=" + path,
           env={"PATH": "/nonexistent", "CXX": None})
    page = page_of(path)
    rows.check("no trace" in page and "<table class=\"source\">" not in page, page[-2000:])


# ---- Hostile files -----------------------------------------------------------------------------

def each_text(value, change):
    """The document with a change of every text that a file can choose."""
    fixed = ("schema", "space", "kind", "coalescing", "state", "item", "limited_by", "status")
    if isinstance(value, dict):
        return {k: v if k in fixed else each_text(v, change) for k, v in value.items()}
    if isinstance(value, list):
        return [each_text(v, change) for v in value]
    return change(value) if isinstance(value, str) else value


def hostile_texts():
    """Texts change no element and no attribute of the page."""
    document, _ = explained("transpose/tiled", "reduce/interleaved", "histogram/private")
    found = []
    for text in ("harmless", HOSTILE):
        page = page_of(write(each_text(document, lambda _: text)))
        found.append(Structure(page).found)
    rows.equal(found[0], found[1], "elements")


# Invalid requests: a name in words, and the change of the request.
ODD_REQUESTS = [
    ("no lanes", lambda a: a["request"].update(offsets=[])),
    ("a lane too few", lambda a: a["request"]["offsets"].pop()),
    ("1000 lanes", lambda a: a["request"].update(offsets=[0] * 1000)),
    ("no active lane", lambda a: a["request"].update(offsets=[-1] * 32)),
    ("far offsets", lambda a: a["request"].update(offsets=[2 ** 53 - 1] * 32)),
    ("a negative offset", lambda a: a["request"].update(offsets=[-5] * 32)),
    ("no width", lambda a: a.update(width_bytes=0)),
    ("a wide lane", lambda a: a.update(width_bytes=2 ** 40)),
]


def odd_request(change):
    document, _ = explained("transpose/tiled")
    accesses = document["explanations"][0]["accesses"]
    for access in accesses:
        change(access)
    page = page_of(write(document))
    rows.equal(drawings(page), [], "drawings")
    rows.check("the file has no usable example" in page, "no reason")


def odd_lines():
    """Line numbers that are out of range and not in order."""
    document, _ = explained("transpose/tiled")
    entry = document["explanations"][0]
    entry["lines"].reverse()
    entry["accesses"][0]["line"] = -3
    entry["accesses"][1]["line"] = 2 ** 53 - 1
    entry["branches"][0]["line"] = 0
    Structure(page_of(write(document)))
    del entry["source_sha256"]
    Structure(page_of(write(document)))


# ---- Browser -----------------------------------------------------------------------------------

# Drawings whose numbers of boxes differ from the figures.
WRONG_BOXES = """(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    return [...document.querySelectorAll('[data-draw=lanes]')].map(figure => {
        const drawing = data.drawings[figure.dataset.drawing], count = s => figure.querySelectorAll(s).length;
        const texts = [...figure.querySelectorAll('text')].map(t => t.textContent);
        const lanes = drawing.lanes - drawing.active.length;
        if (drawing.first)
            return count('.waits') === drawing.active.length - drawing.first.length && count('.inactive') === lanes;
        if (drawing.passes)
            return texts.filter(t => t.startsWith('pass ')).length === drawing.passes.length;
        const bytes = drawing.address.flatMap(a => [...Array(drawing.width).keys()].map(i => a + i));
        return count('.sector') === new Set(bytes.map(b => Math.floor(b / drawing.sector))).size;
    }).map((ok, i) => ok ? null : i).filter(i => i !== null);
})()"""


def in_browser():
    """At three widths, light and dark: no message, no horizontal scrolling, enough contrast."""
    path = browser.find()
    if not path:
        raise rows.Skip("no Chromium is installed")
    _, explanation = explained("transpose/naive-strided-store", "transpose/tiled",
                               "reduce/interleaved")
    page = new_path("page.html")
    expect(0, "report", explanation, "-o", page)
    with browser.Browser(path) as window:
        for width, dark in ((360, False), (800, True), (1400, False)):
            window.open(page, width, dark)
            window.run("document.querySelectorAll('details').forEach(d => d.open = true)")
            rows.equal(window.messages(), [], "messages")
            rows.equal(window.run("document.documentElement.scrollWidth"), width, "width")
            found = window.run(page_scripts.CONTRAST)
            rows.equal(found["wrong"], {}, "contrast")
            rows.check(found["texts"] > 500 and found["marks"] > 100, "%r" % found)
            rows.equal(window.run(page_scripts.EMPTY_CHARTS), [], "without a drawing")
            rows.equal(window.run(page_scripts.OVERLAPS), [], "texts of drawings")
            rows.equal(window.run(WRONG_BOXES), [], "boxes of sectors, passes and lanes")


def predicted_limit():
    """A limit without a time is a prediction, in the file and on the page."""
    document, _ = explained("vecadd/fine")
    entry = document["explanations"][0]
    rows.equal(entry.get("limit_predicted", False), "; measured " not in entry["limit_text"])
    entry.update(limited_by="l2", limit_text="floors at n=5")
    for predicted, text in ((True, "predicted: l2; floors at n=5"), (False, "l2: floors at n=5")):
        entry["limit_predicted"] = predicted
        page = page_of(write(document))
        rows.check(text in page, "no " + text)
        rows.equal("predicted: " in page, predicted)


rows.row("drawings: costs", drawn_figures)
rows.row("the whole source", whole_source)
rows.row("another source", other_source)
rows.row("a file of an older version", older_file)
rows.row("no trace", no_trace)
rows.row("a predicted limit", predicted_limit)
rows.row("hostile texts", hostile_texts)
for bar in ODD_REQUESTS:
    rows.row("a request with " + bar[0], odd_request, bar[1])
rows.row("odd lines", odd_lines)
rows.row("Chromium: widths, dark mode and contrast", in_browser)
rows.finish()
