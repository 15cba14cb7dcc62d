"""Checks of a page of `report`: structure, policy, tidy, and how Chromium shows it."""
import base64
import hashlib
import html.parser
import json
import re
import subprocess

from command import new_path
import browser
import page_scripts
import rows

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Structure(html.parser.HTMLParser):
    """Elements with their attributes, and their nesting."""

    # Elements whose text is from files.
    TEXTS = ("aria-label",)

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.wrong, self.content = [], [], [], {}
        self.feed(text)
        self.close()
        self.wrong += ["<%s> is not closed" % tag for tag in self.open]

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.wrong.append("<%s> has an attribute twice" % tag)
        self.elements.append((tag, tuple((name, None if name in self.TEXTS else value)
                                         for name, value in attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append("</%s> inside %s" % (tag, self.open[-3:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        key = self.open[-1] if self.open else ""
        self.content[key] = self.content.get(key, "") + data

    def handle_comment(self, data):
        self.wrong.append("comment %r" % data[:40])

    def values(self, name):
        return [value for _, attrs, _ in self.elements for key, value in attrs if key == name]

    def tags(self, *names):
        return [element for element in self.elements if element[0] in names]


ELEMENTS = set("""html head meta title style body a header h1 h2 h3 h4 p em b strong code pre nav ul ol li main
    section article footer div span figure details summary table caption thead tbody tr th td bdi br meter
    noscript script""".split())
ATTRIBUTES = set("""lang charset http-equiv content name id class href tabindex role scope aria-label
    aria-hidden open colspan type max value data-draw data-problem data-side data-device data-family
    data-drawing data-key data-unit data-value""".split())


def digest_of(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def check_policy(page, text):
    """The page loads nothing, and its policy allows only its own style and script."""
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
    policies = [value for value in page.values("content") if value and "default-src" in value]
    rows.equal(policies, ["default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri "
                          "'none'; form-action 'none'" % (digest_of(style), digest_of(script))], "policy")
    rows.equal(page.values("type"), ["application/json"], "types of scripts")
    rows.equal(len(page.tags("script")), 2, "scripts")
    rows.check("url(" not in style and "@import" not in style, "the style loads something")
    for target in page.values("href"):
        rows.check(target.startswith("#"), "a link to %r" % target)
        rows.check(target[1:] in page.values("id"), "a link without a target: %r" % target)


def figures_of(text):
    """The JSON object with the figures of the charts."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text,
                                re.S).group(1))


def check_figures(page, text):
    """The figures have a row for each row of the tables, and the charts name existing figures."""
    figures = figures_of(text)
    rows.equal(figures["schema"], "pmpp-page/1", "schema")
    for row in figures["rows"]:
        rows.equal(len(row), len(figures["columns"]), "values of a row")
    numbers = {int(value[1:]) for value in page.values("id") if re.fullmatch(r"r\d+", value)}
    rows.equal(numbers, set(range(len(figures["rows"]))), "rows of the tables")
    lists = {"problem": "problems", "side": "sides", "device": "devices", "family": "families",
             "drawing": "drawings"}
    for name, of in lists.items():
        for value in page.values("data-" + name):
            rows.check(int(value) < len(figures[of]), "data-%s=%s" % (name, value))
    for key in ("samples", "source", "ns_list"):
        rows.check(key not in figures, key)


def check_page(text):
    """The properties that every page has."""
    page = Structure(text)
    rows.check(not page.wrong, "; ".join(page.wrong[:5]))
    rows.equal({tag for tag, _, _ in page.elements} - ELEMENTS, set(), "unknown elements")
    names = {name for _, attrs, _ in page.elements for name, _ in attrs}
    rows.equal(names - ATTRIBUTES, set(), "unknown attributes")
    ids = page.values("id")
    rows.equal(len(ids), len(set(ids)), "different ids")
    check_policy(page, text)
    level = 0
    for tag, _, _ in page.tags("h1", "h2", "h3", "h4"):
        rows.check(int(tag[1]) <= level + 1, "<%s> after level %d" % (tag, level))
        level = int(tag[1])
    rows.equal(len(page.tags("h1")), 1, "h1")
    rows.equal(len(page.tags("table")), len(page.tags("caption")), "captions")
    for _, attrs, _ in page.tags("th"):
        rows.check(dict(attrs).get("scope") in ("row", "col"), "a heading without scope")
    check_figures(page, text)
    return page


def check_tidy(text):
    """tidy finds no error; the caller has checked that it is installed."""
    result = subprocess.run(["tidy", "-q", "-e", "-utf8"], input=text, capture_output=True,
                            text=True, check=False)
    errors = [line for line in result.stderr.splitlines() if " - Error: " in line]
    rows.check(result.returncode < 2 and not errors, "\n".join(errors[:5]))


# (width in pixels, dark mode)
VIEWS = [(400, False), (800, False), (1280, False), (400, True), (1280, True)]
# Processor time of the script and of the layout of its drawings, in seconds
MAX_DRAWING = 0.5


def need_browser():
    path = browser.find()
    if not path:
        rows.skip_backend("chromium", "not installed")
    return path


def written(text):
    path = new_path("page.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_views(page):
    """At three widths and in dark mode: no message, no horizontal scrolling, all charts are drawn, and no text
    of a chart overlaps another one or is cut."""
    with browser.Browser(need_browser()) as window:
        window.call("Performance.enable", timeDomain="threadTicks")
        for width, dark in VIEWS:
            window.open(page, width, dark)
            what = "%d pixels%s" % (width, ", dark" if dark else "")
            rows.equal(window.messages(), [], what + ": messages")
            rows.equal(window.run("document.documentElement.scrollWidth"), width,
                       what + ": width of the page")
            colours = window.run("getComputedStyle(document.body).backgroundColor")
            rows.equal(colours == "rgb(255, 255, 255)", not dark, what + ": background")
            spent = {m["name"]: m["value"] for m in window.call("Performance.getMetrics")["metrics"]}
            rows.note("%s: %.2f s" % (what, spent["ScriptDuration"]))
            rows.check(spent["ScriptDuration"] < MAX_DRAWING, "%s: %s" % (what, spent))
            rows.equal(window.run(page_scripts.EMPTY_CHARTS), [], what + ": charts without a drawing")
            window.run("document.querySelectorAll('main details').forEach(d => d.open = true)")
            rows.equal(window.run(page_scripts.OVERLAPS), [], what + ": texts")
            rows.check(len(window.picture()) > 15000, what + ": an empty picture")


def check_contrast(page):
    """Contrast and labels of the file `page`, with all tables open."""
    with browser.Browser(need_browser()) as window:
        for dark in (False, True):
            window.open(page, 1280, dark)
            window.run("document.querySelectorAll('details').forEach(d => d.open = true)")
            found = window.run(page_scripts.CONTRAST)
            rows.equal(found["wrong"], {}, "contrast%s" % (", dark" if dark else ""))
            rows.check(found["texts"] > 1000 and found["marks"] > 500, "%r" % found)
        rows.equal(window.run(page_scripts.LABELS), [], "without a name")
