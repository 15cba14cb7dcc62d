"""The committed pictures are what tools/pictures.py makes from the committed files, and pages show each of them
with an alternative text.

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


for function in pictures.PICTURES:
    rows.row(function.__name__, test_picture, function)
rows.finish()
