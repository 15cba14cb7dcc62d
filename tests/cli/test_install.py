"""meson install into a folder, and the installed program from another folder.

usage: test_install.py PMPP_RUN SOURCE_ROOT MESON
"""
import os
import re
import shutil
import subprocess
import sys

from command import FOLDER, PROGRAM, describe, environment, json_file
import rows

BUILD = os.path.dirname(os.path.abspath(PROGRAM))
TARGET = os.path.join(FOLDER, "installed")
ELSEWHERE = os.path.join(FOLDER, "elsewhere")


def found(*ends):
    """The installed path that ends in ENDS."""
    end = os.path.join("", *ends)
    paths = [os.path.join(folder, name) for folder, folders, names in os.walk(TARGET)
             for name in names + folders]
    paths = [path for path in paths if path.endswith(os.sep + end)]
    rows.equal(len(paths), 1, end)
    return paths[0]


def run(code, *arguments):
    done = subprocess.run([found("bin", "pmpp-run"), *arguments], capture_output=True, text=True,
                          check=False, env=environment(PMPP_DEVICES_DIR=None), cwd=ELSEWHERE,
                          timeout=600)
    rows.equal(done.returncode, code, describe(done))
    return done


def install():
    """Everything that users need is installed."""
    os.mkdir(ELSEWHERE)
    subprocess.run([sys.argv[3], "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir",
                    TARGET], check=True, stdout=subprocess.DEVNULL, env=environment())
    for path in (("bin", "pmpp-run"), ("share", "man", "man1", "pmpp-run.1"),
                 ("share", "bash-completion", "completions", "pmpp-run.bash"),
                 ("share", "zsh", "site-functions", "_pmpp-run"),
                 ("share", "doc", "pmpp", "docs", "measuring.md"),
                 ("share", "pmpp", "devices", "h100.json")):
        rows.check(os.path.getsize(found(*path)) > 0, "%s is empty" % os.path.join(*path))


def links():
    """All relative links of the pages lead to installed files or folders."""
    root = os.path.dirname(os.path.dirname(found("pmpp", "docs", "measuring.md")))
    pages = [os.path.join(folder, name) for folder, _, names in os.walk(root)
             for name in names if name.endswith(".md")]
    rows.check(os.path.join(root, "README.md") in pages, "no README.md in %s" % root)
    count, dead = 0, []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            targets = re.findall(r"\]\(([^)\s#]+)[^)]*\)", file.read())
        for target in targets:
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            if not os.path.exists(os.path.join(os.path.dirname(page), target)):
                dead.append("%s: %s" % (os.path.relpath(page, root), target))
    rows.equal(dead, [], "dead links")
    rows.check(count > 100, "only %d links" % count)


def lists():
    rows.check("matmul" in run(0, "list").stdout, "list")
    rows.check(run(0, "matmul", "--help").stdout.startswith("Usage: pmpp-run run"), "help")
    rows.check("__kernel" in run(0, "show", "vecadd/fine").stdout, "show")


def verifies():
    """The kernels and the headers of the emulator are part of the program."""
    done = run(0, "verify", "vecadd/fine", "--backend=cuda-emu", "--size=100", "--json=r.json")
    rows.check("r.json" in os.listdir(ELSEWHERE), describe(done))
    statuses = {row["status"] for row in json_file(os.path.join(ELSEWHERE, "r.json"))["results"]}
    rows.equal(statuses, {"ok"}, "statuses")


def reports():
    """The files of the shipped devices are found beside the program."""
    run(0, "compare", "--with=h100,h200", "-q")
    run(0, "report", "--with=h100", "-o", "page.html")
    with open(os.path.join(ELSEWHERE, "page.html"), encoding="utf-8") as file:
        rows.check("NVIDIA H100" in file.read(), "the page lacks the device")


def man_finds_the_page():
    program = shutil.which("man")
    if not program:
        raise rows.Skip("man is not installed")
    pages = os.path.dirname(os.path.dirname(found("man1", "pmpp-run.1")))
    done = subprocess.run([program, "-M", pages, "-w", "pmpp-run"], capture_output=True, text=True,
                          check=False)
    rows.equal(done.stdout.strip(), found("man1", "pmpp-run.1"), "man -w: " + done.stderr)


def bash_loads_the_completion():
    """bash-completion finds the file by the name of the command."""
    loader = "/usr/share/bash-completion/bash_completion"
    if not os.path.exists(loader):
        raise rows.Skip("bash-completion is not installed")
    share = os.path.dirname(os.path.dirname(os.path.dirname(
        found("completions", "pmpp-run.bash"))))
    done = subprocess.run(["bash", "-c", 'source "$1"; _completion_loader pmpp-run; complete -p pmpp-run',
                           "bash", loader], capture_output=True, text=True, check=False,
                          env=environment(XDG_DATA_DIRS=share, XDG_DATA_HOME=FOLDER))
    rows.check("-F _pmpp_run pmpp-run" in done.stdout, done.stdout + done.stderr)


rows.row("meson install", install)
rows.row("installed: links of the pages", links)
rows.row("installed: list, help, show", lists)
rows.row("installed: verify", verifies)
rows.row("installed: compare, report", reports)
rows.row("installed: man", man_finds_the_page)
rows.row("installed: bash-completion", bash_loads_the_completion)
rows.finish()
