"""docs/results/report.html, the page of the committed results (tools/results-page.sh)."""
import glob
import json
import os
import re
import resource
import shutil
import subprocess

from command import PROGRAM, ROOT, environment, new_path, read_text
from page_checks import check_contrast, check_page, check_tidy, check_views, need_browser
import rows

PAGE = os.path.join(ROOT, "docs", "results", "report.html")
DEVICES = os.path.join(ROOT, "docs", "results", "devices")
MAX_BYTES = 2000000
MAX_SECONDS = 3


def is_complete():
    """The page has the right structure, policy and size, and names every shipped device."""
    text = read_text(PAGE)
    check_page(text)
    rows.check(len(text.encode()) < MAX_BYTES, "%d bytes" % len(text.encode()))
    for path in glob.glob(os.path.join(DEVICES, "*.json")):
        name = json.loads(read_text(path))["devices"][0]["name"].replace("(R)", "")
        rows.check(name in text, "no device " + name)
    for section in ("devices", "overview", "ladders", "rooflines", "parity", "sweeps", "claims",
                    "explained", "skipped"):
        rows.check('id="%s"' % section in text, "no section " + section)


def without_end(text):
    """Removes the end, which has the version of pmpp."""
    return re.sub(r"<footer>.*</footer>", "", text, flags=re.S)


def is_current():
    """The program makes the same page from the committed files in less than 3 s of processor time."""
    path = new_path("page.html")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["sh", os.path.join(ROOT, "tools", "results-page.sh"), path], check=True,
                   env=environment(PMPP_BUILD=os.path.dirname(os.path.abspath(PROGRAM))),
                   stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows.note("%.2f s of a core" % used)
    rows.check(used < MAX_SECONDS, "%.2f s of a core" % used)
    made, committed = (without_end(read_text(page)).split("\n") for page in (path, PAGE))
    rows.equal(len(made), len(committed), "lines; run tools/results-page.sh")
    for number, (new, old) in enumerate(zip(made, committed)):
        rows.equal(new, old, "line %d; run tools/results-page.sh" % (number + 1))


def is_valid():
    if not shutil.which("tidy"):
        rows.skip_backend("tidy", "not installed")
    check_tidy(read_text(PAGE))


def in_browser():
    need_browser()
    check_views(PAGE)


def accessible():
    need_browser()
    check_contrast(PAGE)


rows.row("the committed page", is_complete)
rows.row("the same page again", is_current)
rows.row("tidy", is_valid)
rows.row("Chromium: widths and dark mode", in_browser)
rows.row("Chromium: contrast and labels", accessible)
rows.finish()
