"""The texts of --help fit on the screen and have exactly the options that a command reads. The program
accepts their examples."""
import os
import re
import shlex

from command import ROOT, expect, new_path, pmpp, refused
import rows

MAX_COLUMNS = 79
MAX_LINES, MAX_LINES_OF_COMMAND = 60, 40


def main_help():
    return expect(0, "--help").stdout


def commands():
    """("run",), ("model", "dram"): the commands of pmpp-run --help."""
    part = main_help().split("\n\n")[1]
    names = [re.match(r"  ([a-z]+(?: [a-z]+)?)", line).group(1) for line in part.splitlines()
             if line.startswith("  ")]
    return [tuple(name.split()) for name in names]


def help_of(command):
    return expect(0, *command, "--help").stdout


def fits(text, max_lines):
    lines = text.splitlines()
    rows.check(len(lines) <= max_lines, "%d lines, not %d" % (len(lines), max_lines))
    wide = [line for line in lines if len(line) > MAX_COLUMNS]
    rows.check(not wide, "over %d columns: %r" % (MAX_COLUMNS, wide))
    rows.check(text.isascii() and "\t" not in text, "characters: %r" % text)
    rows.check(not [line for line in lines if line != line.rstrip()], "blanks at the end of a line")
    rows.check(lines[0].startswith("Usage: pmpp-run ") and text.endswith("\n"), lines[0])


def options_of(text):
    """The names of options that a help describes or lists."""
    text = text.split("\n\nExamples:")[0]
    names = set()
    for line in text.splitlines():
        if re.match(r"  -", line):
            line = re.split(r"(?<=\S)  ", line.strip())[0]
        elif not line.startswith("General:"):
            continue
        names.update(re.findall(r"(?<![\w-])--([a-z-]+)", line))
        names.update({"-q": "quiet", "-v": "verbose", "-h": "help"}[letter]
                     for letter in re.findall(r"(?<=[ ,])-[qvh]\b", line))
    return names


def all_options():
    names = set()
    for command in commands():
        names |= options_of(help_of(command))
    return sorted(names - {"help", "version"})


def is_read(command, option):
    """--color=? is a bad value, which is reported only if the command reads all given options."""
    for value in ("", "=1"):
        message = pmpp(*command, "--%s%s" % (option, value), "--color=?").stderr
        if "is not an option of" in message:
            return False
        if "needs a value" not in message and "takes no value" not in message:
            return True
    raise rows.Failure("--%s: %s" % (option, message))


# ---- Rows -----------------------------------------------------------------------------------


def main_fits():
    text = main_help()
    fits(text, MAX_LINES)
    # The groups of commands come before the options.
    rows.check(text.index("  run FAMILY") < text.index("Common options:"), text)
    common = text.split("Common options:\n")[1].split("All options:")[0].splitlines()
    rows.check(10 <= len(common) <= 14, "%d lines of common options" % len(common))
    rows.check("pmpp-run COMMAND --help" in text and "man pmpp-run" in text, "no reference to more help")
    flat = " ".join(text.split())
    for part in ("1 usage, a rejected output path, or a too large problem",
                 "crash, or a write error",
                 "77 no variant was verified", "`model occupancy`", "PMPP_BACKEND", "Examples:"):
        rows.check(part in flat, "the help lacks: " + part)
    for word, names in (("model", ["occupancy", "dram", "boundary", "warps", "reduce"]),
                        ("store", ["export", "import", "list", "remove"])):
        lines = help_of((word,)).splitlines()
        rows.equal([line.split()[1] for line in lines if line.startswith("  " + word + " ")], names, word + " --help")


def as_words():
    """`help` and `version` are words too. The help of a family is its list."""
    version = expect(0, "--version").stdout
    for words, text in ((["help"], main_help()), (["help", "help"], main_help()),
                        (["help", "version"], main_help()), (["version"], version),
                        (["help", "verify"], help_of(("verify",))),
                        (["help", "model", "dram"], help_of(("model", "dram"))),
                        (["help", "matmul"], expect(0, "list", "matmul").stdout),
                        (["help", "matmul/tiled32"], expect(0, "list", "matmul/tiled32").stdout)):
        rows.equal(expect(0, *words).stdout, text, "pmpp-run " + " ".join(words))


def command_fits(command):
    text = help_of(command)
    fits(text, MAX_LINES_OF_COMMAND)
    rows.check(text.startswith("Usage: pmpp-run " + " ".join(command) + " [OPTION...]"), text)
    rows.check("exit status: pmpp-run --help" in text and "man pmpp-run" in text, text)


def names_its_options(command):
    """The help names an option if and only if the command reads it."""
    named = options_of(help_of(command))
    for option in ALL_OPTIONS:
        rows.equal(is_read(command, option), option in named, "--%s is read" % option)
    rows.check({"help", "version"} <= named, "help and version")


def examples_of(text):
    part = text.split("Examples:")[1]
    return re.findall(r"^(?:\s*)pmpp-run ([^\n]*?)(?:   .*)?$", part, re.M)


def accepted(example):
    """The command line is right up to --color=?. Families and variants exist."""
    words = shlex.split(example)
    refused(1, ["--color=?: give one of auto, yes, no"], *words, "--color=?")
    for word in words:
        if re.fullmatch(r"[a-z]+/[a-z0-9-]+", word):
            expect(0, "show", word, "-q")


def examples(command):
    text = help_of(command) if command else main_help()
    found = [line for line in examples_of(text) if not line.startswith("--help")]
    rows.check(len(found) >= 2, "%d examples" % len(found))
    for line in found:
        if command:
            rows.equal(tuple(line.split()[:len(command)]), command, "example")
        accepted(line)


def harmless_examples():
    """Examples that need no device and write no file."""
    for command in (("list",), ("show",), ("model", "occupancy"), ("model", "dram"),
                    ("model", "boundary")):
        for line in examples_of(help_of(command)):
            if "--ptx" not in line:
                expect(0, *shlex.split(line))


# (command, parts of its help, parts that belong to other commands)
HELP_PARTS = (
    ("parity", ("Backend to compare: cuda, cuda-emu or opencl-emu", "docs/parity.md"),
     ("opencl, cuda,", "gpu, all")),
    ("run", ("docs/measuring.md", "opencl, cuda,", "Limits of the number of samples", "gpu, all"), ()),
    ("explain", ("Explain the kernels of both languages", "Backend that measures, or emulator that only traces"),
     ("show: the two", "with --ptx", "gpu, all", "or all ")),
    ("show", ("with --ptx",), ("two variants",)),
    ("compare", ("nothing (default)",), ("--size", "--repeat")),
    ("report", ("report.html",), ("contribution",)),
    ("contribute", ("contribution.json",), ("gpu, all", "report.html")),
    ("selftest", ("cuda-emu or opencl-emu", "docs/verification.md"), ("or all", "gpu, all")),
    ("history", ("Only results of this backend",), ("or all ",)),
)


def help_of_command(command, parts, others):
    """The help of a command has no value that the command rejects."""
    text = " ".join(help_of((command,)).split())
    for part in parts:
        rows.check(part in text, "the help of %s lacks %r" % (command, part))
    for part in others:
        rows.check(part not in text, "the help of %s has %r" % (command, part))


def many_shipped_devices(command):
    """The list of shipped devices does not make a help too long."""
    folder = os.path.dirname(new_path("x"))
    for number in range(100):
        with open(os.path.join(folder, "device-%02d.json" % number), "w", encoding="utf-8") as file:
            file.write("{}")
    text = expect(0, command, "--help", env={"PMPP_DEVICES_DIR": folder}).stdout
    fits(text, MAX_LINES_OF_COMMAND)
    flat = " ".join(text.split())
    rows.check("(--with): device-00, device-01," in flat and "pmpp-run devices lists all" in flat, text)
    rows.check("device-99" not in flat, text)


def page_exists(command):
    """A page that the help names is in the documentation."""
    for page in re.findall(r"docs/[\w-]+\.md", help_of(command)):
        rows.check(os.path.exists(os.path.join(ROOT, page)), page + " does not exist")


ALL_OPTIONS = all_options()
rows.row("pmpp-run --help", main_fits)
rows.row("help and version without dashes", as_words)
rows.row("examples of --help", examples, ())
for name in commands():
    rows.row("%s --help" % " ".join(name), command_fits, name)
    rows.row("options of %s" % " ".join(name), names_its_options, name)
    rows.row("examples of %s" % " ".join(name), examples, name)
    rows.row("page of %s" % " ".join(name), page_exists, name)
rows.row("examples that need no device", harmless_examples)
for name in ("compare", "report"):
    rows.row("%s --help with 100 shipped devices" % name, many_shipped_devices, name)
for row in HELP_PARTS:
    rows.row("help of " + row[0], help_of_command, *row)
rows.finish()
