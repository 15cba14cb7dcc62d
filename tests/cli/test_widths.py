"""Tables on terminals of several widths: no line is wider than the terminal, and a wide terminal has
more columns. In a pipe no line is broken, unless COLUMNS is set."""
import fcntl
import os
import pty
import re
import shutil
import struct
import sys
import termios

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import PROGRAM, ROOT, environment, expect, need, new_path, read_text, rows

RESULTS = os.path.join(ROOT, "docs", "results")
QUICK = ("--max-samples=10", "--min-time=0")
PROGRESS = re.compile("\r\x1b\\[K[^\r\n]*")
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def terminal(columns, *arguments, code=0, **changes):
    """What the program writes to a terminal: all lines of stdout and stderr, without colours and
    without lines of progress."""
    pid, terminal_fd = pty.fork()
    if pid == 0:
        # The terminal has its width before the program starts.
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(PROGRAM, [PROGRAM, *arguments], environment(**changes))
    output = b""
    while True:
        try:
            part = os.read(terminal_fd, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.close(terminal_fd)
    _, status = os.waitpid(pid, 0)
    text = output.decode("utf-8").replace("\r\n", "\n")
    rows.equal(os.waitstatus_to_exitcode(status), code, "exit code of %s: %s" % (arguments, text))
    return COLOUR.sub("", PROGRESS.sub("", text).replace("\r", ""))


def widest(text):
    return max((len(line) for line in text.split("\n")), default=0)


def fits(columns, *arguments, **options):
    text = terminal(columns, *arguments, **options)
    for line in text.split("\n"):
        rows.check(len(line) <= columns, "%d columns: %r in\n%s" % (len(line), line, text))
    return text


def ladder(name, *arguments):
    """80 columns have what matters most, 160 columns have everything."""
    need("opencl")
    command = (name, "--backend=opencl", *arguments, *QUICK)
    narrow, wide = fits(80, *command), fits(160, *command)
    for word in ("variant", "technique", "check", "median", "step"):
        rows.check(word in narrow and word in wide, "no %s in:\n%s" % (word, narrow))
    for word in ("%roof", "limited by", "total", "claim"):
        rows.check(word in wide, "no %s in:\n%s" % (word, wide))
    left_out = re.search("^columns left out: (.*)", narrow, re.M)
    rows.check(left_out and "total" in left_out.group(1), "left out: " + narrow)
    rows.check("columns left out" not in wide, wide)
    rows.check(widest(wide) > 100, "160 columns are not used:\n%s" % wide)
    titles = [re.search("^variant .*", text, re.M).group(0) for text in (narrow, wide)]
    for column in ("GB/s", "GFLOP/s"):
        rows.equal(column in titles[0], column in titles[1], column)


def every_width(name, *arguments, **options):
    for columns in (80, 160):
        fits(columns, *arguments, **options)


def matrix():
    """The tables of six devices have a line for each side of a variant."""
    files = sorted(os.path.join(RESULTS, "devices", name)
                   for name in os.listdir(os.path.join(RESULTS, "devices")))
    for text in (fits(80, "compare", *files), fits(160, "compare", *files)):
        rows.check("variant" in text and " side " in text, "no column of the sides")
        for letter in "BCDEF":
            rows.check(re.search(r"^[\w-]+ +%s +\S" % letter, text, re.M), "no line of %s" % letter)


def pipes():
    """A file or a pipe gets every column, and COLUMNS limits it."""
    files = [os.path.join(RESULTS, name, "run-cuda.json") for name in ("nvidia-h100", "nvidia-h200")]
    piped = expect(0, "compare", *files, env={"COLUMNS": None}).stdout
    rows.check(widest(piped) > 100, "a line is broken in a pipe")
    limited = expect(0, "compare", *files, env={"COLUMNS": "80"}).stdout
    rows.check(widest(limited) <= 80, "COLUMNS=80: %d columns" % widest(limited))
    for bad in ("", "x", "-1", "0", "99999999999999999999"):
        rows.equal(expect(0, "compare", *files, env={"COLUMNS": bad}).stdout, piped,
                   "COLUMNS=%s" % bad)


def history():
    """The table of saved results leaves out columns where the terminal is narrow."""
    need("opencl")
    store = {"XDG_DATA_HOME": os.path.dirname(new_path("x"))}
    for label in ("a-label-that-is-rather-long", "another-label-that-is-rather-long"):
        expect(0, "vecadd/fine", "--size=1000", "--backend=opencl", *QUICK, "--save",
               "--label=" + label, env=store)
    narrow = fits(80, "history", "vecadd/fine", **store)
    wide = fits(160, "history", "vecadd/fine", **store)
    for word in ("started", "median", "change"):
        rows.check(word in narrow, "no %s in:\n%s" % (word, narrow))
    for word in ("host", "git", "label", "driver"):
        rows.check(" %s" % word in wide, "no %s in:\n%s" % (word, wide))


def messages():
    """Messages on a terminal fit it as well, and in a pipe they are one line."""
    fits(80, "vecadd", "--backend=cuda-emu", "--size=10", "--set", "NOTHING=1", code=1)
    result = expect(1, "vecadd", "--backend=cuda-emu", "--size=10", "--set", "NOTHING=1")
    rows.equal(result.stderr.count("\n"), 1, "lines of " + result.stderr)


def copies(count):
    """Copies of a result file, in folders with long names."""
    paths = [os.path.join(os.path.dirname(new_path("x")), "a-folder-with-a-long-name-%d" % i)
             for i in range(count)]
    for path in paths:
        os.mkdir(path)
        shutil.copy(os.path.join(RESULTS, "nvidia-h100", "run-cuda.json"), path)
    return [os.path.join(path, "run-cuda.json") for path in paths]


def closing(word, columns, *arguments, **options):
    """A line of a command that is longer than the terminal: broken on a terminal, one line in a
    pipe."""
    rows.check(word in " ".join(fits(columns, *arguments, **options).split()),
               "no %r on the terminal" % word)
    changes = {name: value for name, value in options.items() if name != "code"}
    result = expect(options.get("code", 0), *arguments, env=changes)
    lines = [line for line in (result.stdout + result.stderr).split("\n") if word in line]
    rows.check(any(len(line) > columns for line in lines), "%r in a pipe: %r" % (word, lines))


def closing_lines():
    """A warning of `compare`, the files that `contribute`, `report` and `store export` wrote, and the
    details of -v."""
    first, second = copies(2)
    closing("have the same run: equal", 80, "compare", first, second)
    closing("rows timed,", 60, "contribute", first, "-o", new_path("contribution.json"))
    closing(": ok: ", 60, "contribute", "--check", os.path.join(RESULTS, "devices", "h100.json"))
    closing(" MB", 40, "report", first, "-o", first + ".html")
    need("cuda-emu")
    store = {"XDG_DATA_HOME": os.path.dirname(new_path("x"))}
    run = ("vecadd/fine", "--size=100", "--backend=cuda-emu", *QUICK)
    closing("build: ", 80, *run, "-v", "--save", **store)
    closing("rows of 2 runs", 60, "store", "export", first + ".store.json", **store)


def each_width(*command, code=0):
    """No line of a narrow terminal is wider than the terminal. In a pipe no line ends in a blank, and
    no line is broken."""
    for columns in (40, 60, 80):
        text = fits(columns, *command, code=code)
    piped = expect(code, *command, env={"COLUMNS": None}).stdout
    rows.check(piped.count("\n") < text.count("\n"), "no line is broken on a terminal:\n" + text)
    rows.check(not re.search(" $", piped, re.M), "a line ends in a blank:\n" + piped)


def facts():
    """The facts of `show` fit the terminal. Its source is unchanged."""
    for columns in (40, 80):
        text, source = terminal(columns, "show", "matmul/tiled32").split("---- cl_kernels", 1)
        rows.check(widest(text) <= columns, text)
        rows.check("\n" + kernel_file() in source, "the source is changed:\n" + source)


def kernel_file():
    return read_text(os.path.join(ROOT, "cl_kernels", "matmul", "tiled.cl"))


def cliffs():
    """The table of `model occupancy` leaves out a column where the terminal is narrow."""
    command = ("model", "occupancy", "--cc=9.0", "--threads=256", "--registers=40")
    narrow, wide = fits(80, *command), fits(120, *command)
    for text in (narrow, wide):
        rows.check(re.search(r"^> +256 .* registers .*cliff$", text, re.M), text)
    rows.check("columns left out" not in wide, wide)
    rows.check(narrow.endswith("\ncolumns left out: with more registers\n"), narrow)


def verify_titles():
    """The titles of `verify` fit a narrow terminal too."""
    need("cuda-emu")
    for columns in (40, 66, 67):
        text = expect(0, "verify", "vecadd/fine", "--backend=cuda-emu",
                      env={"COLUMNS": str(columns)}).stdout
        rows.check(widest(text) <= columns, text)
        rows.equal(text.split()[:6], "device variant sizes ok error checked".split(), "titles")


def matrix_ends():
    """No line of a matrix ends in a blank."""
    files = [os.path.join(RESULTS, "devices", name + ".json")
             for name in ("h100", "pocl-epyc", "pocl-xeon")]
    for columns in (None, "80", "160"):
        text = expect(0, "compare", *files, env={"COLUMNS": columns}).stdout
        rows.check("variant " in text, text)
        rows.check(not re.search(" $", text, re.M), "a line ends in a blank:\n" + text)


def checked_sizes():
    """verify -v has a line for each size of a variant, as many as the column counts without -v."""
    need("cuda-emu")
    command = ("verify", "vecadd/fine", "reduce/interleaved", "--backend=cuda-emu")
    counts = re.findall(r"^cuda-emu:0 +(\S+) +(\d+)  ", expect(0, *command).stdout, re.M)
    rows.equal(len(counts), 2, "lines of variants: %s" % counts)
    text = expect(0, *command, "-v").stdout
    for name, count in counts:
        rows.equal(len(re.findall("^cuda-emu:0 +%s n=" % name, text, re.M)), int(count), text)
    rows.check(re.search("^cuda-emu:0 +reduce/interleaved n=1 f32 sum random +1 ", text, re.M), text)
    fits(80, *command, "-v")


rows.row("vecadd", ladder, "vecadd", "--size=100000")
rows.long_row("matmul", ladder, "matmul/naive-uncoalesced", "matmul/naive", "matmul/f16-tensor",
              "matmul/cpu-packed", "--size=64")
rows.long_row("verify", every_width, "verify", "verify", "vecadd/fine", "matmul/f16-tensor")
rows.long_row("parity", every_width, "parity", "parity", "transpose", "--size=64")
rows.long_row("explain", every_width, "explain", "explain", "matmul/tiled16", "histogram/private",
              "--size=64")
rows.row("compare", every_width, "compare", "compare",
         os.path.join(RESULTS, "nvidia-h100/run-cuda.json"),
         os.path.join(RESULTS, "nvidia-h100/run-opencl.json"))
rows.row("compare --with", every_width, "compare", "compare", "--with=h200,pocl-epyc",
         os.path.join(RESULTS, "nvidia-h100/run-cuda.json"))
rows.row("compare, a matrix", matrix)
rows.row("compare, ends of lines", matrix_ends)
rows.row("list", each_width, "list", "matmul", "reduce")
rows.row("devices", each_width, "devices")
rows.row("doctor", each_width, "doctor")
rows.row("show", facts)
rows.row("model boundary", each_width, "model", "boundary", "--size=76x62", "--block=16x16")
rows.row("model occupancy", each_width, "model", "occupancy", "--cc=9.0", "--threads=256",
         "--registers=40")
rows.row("model occupancy, columns", cliffs)
rows.row("model dram", each_width, "model", "dram", "--latency-ratio=5", "--size=4", "--block=2")
rows.long_row("titles of verify", verify_titles)
rows.long_row("history", history)
rows.long_row("pipes", pipes)
rows.long_row("messages", messages)
rows.long_row("closing lines", closing_lines)
rows.long_row("verify -v", checked_sizes)
rows.finish()
