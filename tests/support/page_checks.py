"""Checks of a page of `report`: structure, policy, tidy, and how Chromium shows it."""
import base64
import hashlib
import html.parser
import re
import shutil
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
    section article footer div span figure figcaption svg g path text desc details summary table caption
    thead tbody tr th td bdi dl dt dd br""".split())
ATTRIBUTES = set("""lang charset http-equiv content name id class href tabindex role scope aria-label
    aria-labelledby aria-hidden viewbox d points x y text-anchor transform stroke-width
    stroke-dasharray open colspan width height""".split())


def check_policy(page, text):
    """The page loads nothing, and its policy allows only its own style."""
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode()
    policies = [value for value in page.values("content") if value and "default-src" in value]
    rows.equal(policies, ["default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; "
                          "form-action 'none'" % digest], "policy")
    rows.check("url(" not in style and "@import" not in style, "the style loads something")
    for target in page.values("href"):
        rows.check(target.startswith("#"), "a link to %r" % target)
        rows.check(target[1:] in page.values("id"), "a link without a target: %r" % target)


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
    for _, attrs, _ in page.tags("svg"):
        attrs = dict(attrs)
        labels = (attrs.get("aria-labelledby") or "").split()
        rows.check(attrs.get("aria-hidden") == "true" or
                   attrs.get("role") == "img" and len(labels) == 2 and set(labels) <= set(ids),
                   "a drawing without a name")
    return page


def need_gnuplot():
    if not shutil.which("gnuplot"):
        rows.skip_backend("gnuplot", "not installed (package gnuplot-nox)")


def check_tidy(text):
    """tidy finds no error; the caller has checked that it is installed."""
    result = subprocess.run(["tidy", "-q", "-e", "-utf8"], input=text, capture_output=True,
                            text=True, check=False)
    errors = [line for line in result.stderr.splitlines() if " - Error: " in line]
    rows.check(result.returncode < 2 and not errors, "\n".join(errors[:5]))


# (width in pixels, dark mode)
VIEWS = [(360, False), (800, False), (1400, False), (360, True), (1400, True)]


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
    """The file `page` has no message and no horizontal scrolling at three widths and in dark mode."""
    with browser.Browser(need_browser()) as window:
        for width, dark in VIEWS:
            window.open(page, width, dark)
            what = "%d pixels%s" % (width, ", dark" if dark else "")
            rows.equal(window.messages(), [], what + ": messages")
            rows.equal(window.run("document.documentElement.scrollWidth"), width,
                       what + ": width of the page")
            colours = window.run("getComputedStyle(document.body).backgroundColor")
            rows.equal(colours == "rgb(255, 255, 255)", not dark, what + ": background")
            picture = window.picture()
            rows.check(len(picture) > 15000, "%s: a picture of %d bytes" % (what, len(picture)))


def check_contrast(page):
    """Contrast and labels of the file `page`, with all tables open."""
    with browser.Browser(need_browser()) as window:
        for dark in (False, True):
            window.open(page, 1400, dark)
            window.run("document.querySelectorAll('details').forEach(d => d.open = true)")
            found = window.run(page_scripts.CONTRAST)
            rows.equal(found["wrong"], {}, "contrast%s" % (", dark" if dark else ""))
            rows.check(found["texts"] > 1000 and found["marks"] > 500, "%r" % found)
            rows.equal(window.run(page_scripts.LANE_CONTRAST)["wrong"], {}, "contrast of lanes")
        rows.equal(window.run(page_scripts.LABELS), [], "without a name")
