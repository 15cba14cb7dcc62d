"""`explain`: its command line, and what it finds, by --json."""
import os

from command import expect, json_of, json_file, new_path, refused
import rows

# ---- Command line ------------------------------------------------------------------------------

PAIR = ("transpose/tiled", "transpose/padded")

# (arguments behind `explain`, exit code, parts of the message)
REFUSED = [
    ((), 1, ["FAMILY"]),
    (("transpos",), 1, ["transpos", "did you mean transpose"]),
    (("transpose/tild",), 1, ["tild", "tiled"]),
    (("transpose", "reduc"), 1, ["reduce"]),
    (("transpose/tiled", "--blocks="), 1, ["--blocks", "all", "N,N"]),
    (("transpose/tiled", "--blocks=some"), 1, ["--blocks=some"]),
    (("transpose/tiled", "--blocks=1,,2"), 1, ["--blocks=1,,2"]),
    (("transpose/tiled", "--blocks=1,"), 1, ["--blocks=1,"]),
    (("transpose/tiled", "--blocks=-1"), 1, ["--blocks=-1"]),
    (("transpose/tiled", "--blocks=0:3"), 1, ["--blocks=0:3"]),
    (("transpose/tiled", "--blocks=99999999999999999999999"), 1, ["--blocks="]),
    (("transpose/tiled", "--blocks=" + ",".join(map(str, range(257)))), 1, ["more than 256"]),
    (("transpose/tiled", "--block=3"), 1, ["--block", "explain"]),
    (("transpose/tiled", "--step-limit=0"), 1, ["--step-limit=0"]),
    (("transpose/tiled", "--step-limit=many"), 1, ["--step-limit=many"]),
    (("transpose/tiled", "--cc=1.0"), 1, ["--cc=1.0", "9.0"]),
    (("transpose/tiled", "--set", "TILE=5"), 1, ["TILE=5"]),
    (("transpose/tiled", "--set", "TIL=16"), 1, ["TILE"]),
    (("transpose/tiled", "--size=0"), 1, ["--size"]),
    (("transpose/tiled", "--size=k=5"), 1, ["k"]),
    (("transpose/tiled", "--csv"), 1, ["--csv", "explain"]),
    (("transpose/tiled", "--in", "A=x.npy"), 1, ["--in", "explain"]),
    (("transpose/tiled", "--backend=all"), 1, ["one device"]),
    (("transpose/tiled", "--device=all"), 1, ["one device"]),
    (("transpose/tiled", "--backend=opncl"), 2, ["opncl", "opencl"]),
    (("transpose/tiled", "--device=nosuchdevice"), 2, ["nosuchdevice"]),
    (("transpose/tiled", "--json=/nonexistent/x.json"), 1, ["/nonexistent"]),
    (("--diff",), 1, ["FAMILY"]),
    (("--diff", "transpose/tiled"), 1, ["two variants"]),
    (("--diff", "transpose"), 1, ["two variants"]),
    (("--diff", "transpose", "reduce"), 1, ["two variants"]),
    (("--diff", "transpose/tiled", "transpose/tiled"), 1, ["two variants"]),
    (("--diff", "transpose/tiled", "transpose/padded", "reduce/strided"), 1, ["two variants"]),
    (("--diff", "audit", "transpose/tiled"), 1, ["two variants"]),
    (("--diff", *PAIR, "--size=32,64"), 1, ["one --size"]),
    (("--diff", *PAIR, "--set", "TILE=16,32"), 1, ["TILE"]),
    (("--diff", *PAIR, "--shard=1/2"), 1, ["--shard"]),
]

# Options of explain are not those of other commands.
ELSEWHERE = [
    (("run", "transpose", "--blocks=all"), ["--blocks", "run"]),
    (("verify", "transpose", "--step-limit=5"), ["--step-limit", "verify"]),
    (("run", "transpose", "--diff"), ["--diff", "run"]),
    (("run", "transpose", "--cc=9.0"), ["--cc", "run"]),
]


def refuses(arguments, code, parts):
    refused(code, parts, "explain", *arguments)


def help_text():
    text = " ".join(expect(0, "explain", "--help").stdout.split())
    for part in ("--blocks=", "--step-limit=", "--diff", "--cc=", "Exit status 3"):
        rows.check(part in text, "%r is missing: %s" % (part, text))
    rows.check("explain" in expect(0, "--help").stdout, "the help of all lacks explain")


def document():
    """JSON alone on stdout; a file whole; the page beside it; nothing with -q."""
    result = expect(0, "explain", "transpose/tiled", "--json")
    found = json_of(result)
    rows.equal(found["schema"], "pmpp-explain/1")
    rows.equal(found["tool"]["name"], "pmpp-run")
    rows.equal([(e["family"], e["variant"]) for e in found["explanations"]],
               [("transpose", "tiled")])
    rows.check("transpose/tiled" in result.stderr, "the page is not on stderr: " + result.stderr)
    path = new_path("explain.json")
    result = expect(0, "explain", "transpose/tiled", "--json=" + path)
    rows.check(result.stdout.startswith("transpose/tiled"), "no page: " + result.stdout)
    rows.equal(json_file(path)["explanations"][0]["variant"], "tiled")
    rows.equal(os.listdir(os.path.dirname(path)), ["explain.json"], "left behind")
    rows.equal(expect(0, "-q", "explain", "transpose/tiled").stdout, "", "-q")


def sweep():
    """A page for each point and size."""
    found = json_of(expect(0, "explain", "transpose/copy", "--size=32,64", "--set",
                           "TILE=16,32", "--json"))["explanations"]
    rows.equal(len(found), 4, "pages")


def no_measurement():
    """Without a GPU nothing is measured unless a device is named, and the page says so."""
    text = expect(0, "explain", "transpose/tiled", "--backend=cuda-emu").stdout
    rows.check("cuda-emu traces" in text, text)


def shards():
    """Together the shards are the whole."""
    whole = json_of(expect(0, "explain", "coalesce", "--json"))["explanations"]
    parts = []
    for i in (1, 2):
        parts += json_of(expect(0, "explain", "coalesce", "--shard=%d/2" % i,
                                "--json"))["explanations"]
    rows.equal(sorted(e["variant"] for e in parts), sorted(e["variant"] for e in whole))


def side_by_side():
    """In the order of the command line, whatever the ladder's is."""
    for pair in (PAIR, PAIR[::-1]):
        lines = expect(0, "explain", "--diff", *pair).stdout.splitlines()
        rows.equal(lines[0].split(), list(pair))
        rows.check(max(map(len, lines)) <= 100, "a line is too long: %r" % max(lines, key=len))


def no_compiler():
    """The trace needs a C++ compiler: its place has one line, and the rest stands."""
    result = expect(0, "explain", "transpose/tiled", env={"PATH": "/nonexistent", "CXX": None})
    rows.check("no trace" in result.stdout and "compiler" in result.stdout, result.stdout)


def in_process():
    rows.equal(expect(0, "explain", "transpose/tiled", "--no-isolate").stdout,
               expect(0, "explain", "transpose/tiled").stdout, "--no-isolate")


for number, (arguments, code, parts) in enumerate(REFUSED):
    rows.row("refused %d: explain %s" % (number, " ".join(arguments)[:60]), refuses, arguments, code,
             parts)
for arguments, parts in ELSEWHERE:
    rows.row("refused: " + " ".join(arguments), refused, 1, parts, *arguments)
rows.row("--help", help_text)
rows.row("--json", document)
rows.row("a sweep", sweep)
rows.row("cuda-emu measures nothing", no_measurement)
rows.row("shards", shards)
rows.row("--diff", side_by_side)
rows.row("no C++ compiler", no_compiler)
rows.row("--no-isolate", in_process)
rows.finish()
