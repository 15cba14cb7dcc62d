"""tools/pictures.py makes the committed pictures from the committed files. A page shows each of them with an
alternative text.

usage: test_pictures.py SOURCE_ROOT
"""
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(sys.argv[1], "tools"))
sys.dont_write_bytecode = True
import pictures
import rows

ROOT = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"


def text_of(name):
    with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
        return file.read()


def test_picture(draw):
    name, made = draw()
    path = os.path.normpath(os.path.join("pictures", name + ".svg"))
    rows.check(text_of(path) == made, "docs/%s: run python3 tools/pictures.py" % path)
    rows.check(len(made.encode()) < 40000, "%s has %d bytes" % (path, len(made.encode())))
    root = xml.etree.ElementTree.fromstring(made)
    for part in ("title", "desc"):
        rows.check(root.findtext(SVG + part), "%s has no <%s>" % (path, part))
    rows.check("prefers-color-scheme:dark" in made, "%s has no colours for dark pages" % path)
    pages = text_of("../README.md").replace("](docs/", "](") + text_of("guide.md") + text_of("architecture.md")
    rows.check(re.search(r"!\[[^\]]{20,}\]\(%s\)" % re.escape(path), pages), "no page shows %s" % path)


def test_traced():
    """The kernels still have the source lines of the trace."""
    for row in pictures.read(pictures.TRACED)["explanations"]:
        source = text_of("../" + row["file"])
        for line in row["lines"]:
            rows.check(line["text"] in source, "%s lacks %r: trace it again (docs/results/README.md)" % (
                row["file"], line["text"]))


def test_contrast():
    """The luminance of words and of their background differs by a factor of at least 4.5."""
    def luminance(colour):
        parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    for name, colours in pictures.COLOURS.items():
        for back, word in [("page", "ink"), ("page", "soft"), *pictures.WORDS_ON.items()]:
            ratio = luminance(colours[word]) / luminance(colours[back])
            rows.check(max(ratio, 1 / ratio) >= 4.5, "%s: %s on %s: %.1f" % (name, word, back, ratio))


rows.row("the traced kernels", test_traced)
rows.row("contrast", test_contrast)
for function in pictures.PICTURES:
    rows.row(function.__name__, test_picture, function)
rows.finish()
