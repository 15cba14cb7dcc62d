"""Files that commands read and write: messages about wrong files, replaced files, exit codes.

An output that is rejected before the command begins is a usage error (1). If the writing fails later,
the exit code is 5.
"""
import os
import shutil
import subprocess

from command import LIMIT_S, PROGRAM, ROOT, describe, environment, expect, need, new_file, new_path, refused
import rows

RESULTS = os.path.join(ROOT, "docs", "results")
CUDA = os.path.join(RESULTS, "nvidia-h200", "compare", "run-cuda.json")
FINE = ["vecadd/fine", "--backend=cuda-emu", "--size=10"]


def text_file(text, name="wrong.json"):
    return new_file(name, text)


# ---- Read ------------------------------------------------------------------------------------

# (command, arguments before the file, option of its output)
READERS = [
    ("compare", [CUDA], "--json="),
    ("contribute", [], "--output="),
    ("contribute", ["--check"], None),
    ("report", [], "--output="),
    ("store import", [], None),
]

FROM_RUN = "`pmpp-run run FAMILY --json=FILE`"

# (row, makes the file, end of the message after the path)
WRONG_FILES = [
    ("a folder", lambda: os.path.dirname(new_path("x")), " is a folder: give the files in it"),
    ("an empty file", lambda: text_file(""), " is empty: write it again (%s)" % FROM_RUN),
    ("an object without keys", lambda: text_file("{}"),
     ": the key 'schema' is missing: give a file of " + FROM_RUN),
    ("an array", lambda: text_file("[]"),
     ": the document is an array; expected an object: give a file of " + FROM_RUN),
]


def wrong_file(make, end):
    """The message is one line with the file, the error and the remedy. There is no output."""
    for command, arguments, option in READERS:
        path, output = make(), new_path("none.json")
        result = refused(1, [], *command.split(), *arguments, path,
                         *([option + output] if option else []),
                         env={"PMPP_STORE": new_path("results.db")})
        rows.equal(result.stderr, "pmpp-run: %s%s\n" % (path, end), command)
        rows.equal(os.listdir(os.path.dirname(output)), [], "files made by " + command)


# ---- Replaced --------------------------------------------------------------------------------

def replaced(command, name, stream):
    """The message shows whether a file was replaced."""
    path = new_path(name)
    for verb in ("wrote", "replaced"):
        result = expect(0, command, CUDA, "-o", path)
        text = getattr(result, stream)
        rows.check(text.startswith("%s %s: " % (verb, path)), text)
    rows.equal(os.listdir(os.path.dirname(path)), [name], "files left")
    result = expect(0, command, CUDA, "-o", "/dev/null" if command == "report" else "-")
    rows.check("replaced" not in result.stderr + result.stdout[:20], "no file is replaced")


def link_without_target():
    """A link to a file that does not exist stays a link: the program creates its target."""
    link, target = new_path("link.json"), new_path("target.json")
    os.symlink(os.path.basename(target), os.path.join(os.path.dirname(target), "second.json"))
    os.symlink(os.path.join(os.path.dirname(target), "second.json"), link)
    for verb in ("first", "again"):
        expect(0, "list", "vecadd", "--json=" + link)
        rows.check(os.path.islink(link) and os.path.isfile(target), verb)
        rows.equal(sorted(os.listdir(os.path.dirname(target))), ["second.json", "target.json"], verb)
    loop = new_path("loop.json")
    os.symlink("loop.json", loop)
    refused(1, [loop, "Too many levels"], "list", "vecadd", "--json=" + loop)


# ---- Exit codes ------------------------------------------------------------------------------

# (command, its arguments, options of output files)
WRITERS = [
    ("report", [CUDA], ["--output="]),
    ("compare", [CUDA, CUDA], ["--json=", "--csv=", "--md="]),
    ("list", ["vecadd"], ["--json="]),
    ("devices", [], ["--json="]),
    ("model", ["boundary", "--size=76x62", "--block=16x16"], ["--json="]),
    ("run", FINE, ["--json=", "--csv=", "--md=", "--out=C="]),
    ("explain", FINE[:1], ["--json="]),
]


def unwritable(command, arguments, options):
    """1 for a path that cannot be a file, before anything runs; 5 for a full disk."""
    if command in ("run", "explain"):
        need("cuda-emu")
    for option in options:
        for path in (new_path("none") + "/x.json", os.path.dirname(new_path("x"))):
            refused(1, [path], command, *arguments, option + path)
        result = expect(5, command, *arguments, option + "/dev/full")
        rows.check("/dev/full" in result.stderr, result.stderr)


def unwritable_contribution():
    """The name of a contribution ends in .json."""
    full = new_path("full.json")
    os.symlink("/dev/full", full)
    refused(1, ["none/x.json"], "contribute", CUDA, "-o", new_path("none") + "/x.json")
    result = refused(5, [full], "contribute", CUDA, "-o", full)
    rows.equal(len(result.stderr.strip().splitlines()), 1, result.stderr)


def unwritable_store():
    """--save: 1 if the store cannot be made."""
    need("cuda-emu")
    path = text_file("") + "/results.db"
    refused(1, [path], "run", *FINE, "--save", env={"PMPP_STORE": path})


def started(arguments, pipe):
    """The process, and its pipe, as soon as the process opens it."""
    process = subprocess.Popen([PROGRAM, *arguments], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    return process, pipe()


def ended(process, parts):
    stdout, stderr = process.communicate(timeout=LIMIT_S)
    result = subprocess.CompletedProcess([], process.returncode, stdout, stderr)
    rows.equal(result.returncode, 5, describe(result))
    for part in parts:
        rows.check(part in stderr, "the message lacks %r: %s" % (part, stderr))


def folder_removed(command, option, name):
    """The folder of the output disappears while the command reads its input from a pipe."""
    output, pipe = new_path(name), new_path("pipe.json")
    os.mkfifo(pipe)
    process, file = started([command, pipe, "--with=h100", option + output] if command == "compare"
                            else [command, pipe, option + output], lambda: open(pipe, "wb"))
    with file:
        os.rmdir(os.path.dirname(output))
        with open(CUDA, "rb") as source:
            shutil.copyfileobj(source, file)
    ended(process, [output, "cannot be written"])


def folder_removed_in_run():
    """The same while a run writes --out to a pipe."""
    need("cuda-emu")
    output, pipe, csv = new_path("r.json"), new_path("pipe"), new_path("r.csv")
    os.mkfifo(pipe)
    process, file = started([FINE[0], FINE[1], "--size=300000", "--out=C=" + pipe,
                             "--json=" + output, "--csv=" + csv], lambda: open(pipe, "rb"))
    with file:
        os.rmdir(os.path.dirname(output))
        rows.check(len(file.read()) > 1200000, "the output")
    ended(process, [output, "cannot be written"])
    rows.check(os.path.exists(csv), "the other file")


for title, make, end in WRONG_FILES:
    rows.row("refused: " + title, wrong_file, make, end)
rows.row("a link without a target", link_without_target)
rows.row("contribute replaces a file", replaced, "contribute", "x.json", "stdout")
rows.row("report replaces a file", replaced, "report", "x.html", "stderr")
for writer in WRITERS:
    rows.row("an output that cannot be written: " + writer[0], unwritable, *writer)
rows.row("an output that cannot be written: contribute", unwritable_contribution)
rows.row("an output that cannot be written: --save", unwritable_store)
for case in (("report", "--output=", "x.html"), ("compare", "--json=", "x.json"),
             ("contribute", "--output=", "x.json")):
    rows.row("a folder that is removed: " + case[0], folder_removed, *case)
rows.row("a folder that is removed: run", folder_removed_in_run)
rows.finish()
