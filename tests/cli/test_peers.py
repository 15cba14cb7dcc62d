"""run --peers: libraries that are verified and timed in turn with our kernels.

usage: test_peers.py PMPP_RUN SOURCE_ROOT COMPILER...

OpenBLAS and CLBlast run on PoCL, where they are installed.
"""
import csv
import io
import json
import os
import sys

from command import expect, json_file, json_of, need, new_path, pmpp, refused
import rows

COMPILER = sys.argv[3:]
QUICK = ("--max-samples=10", "--min-time=0")
OWN = ("matmul/tiled16", "matmul/cpu-packed")


def peers_of(document):
    return [r for r in document["results"] if r.get("peer") or r["technique"] == "library"]


def run(*arguments, code=0, **options):
    """The result file of a run on PoCL."""
    need("opencl")
    path = new_path("run.json")
    expect(code, *OWN, "--backend=opencl", "--peers", *QUICK, "--json=" + path, *arguments, **options)
    return json_file(path)


def installed(variant, document):
    """The rows of a peer; the test is skipped if its library is not installed."""
    found = [r for r in document["results"] if r["variant"] == variant]
    rows.check(found, "no row of " + variant)
    for row in found:
        if row["status"] == "unsupported" and "is not installed" in row["reason"]:
            rows.skip_backend(variant.split("-")[0], row["reason"])
    return found


def library(variant, text, function, sizes):
    """Verified at all sizes, timed, and beside our rows."""
    document = run("--size=" + sizes)
    for row in installed(variant, document):
        rows.equal(row["status"], "ok", "%s at %s: %s" % (variant, row["problem"], row["reason"]))
        rows.check(row["peer"].startswith(text), "peer: %r" % row["peer"])
        rows.equal(row["launches"], [{"function": function}], "launches")
        timing = row["timing"]
        rows.check(0 < timing["cold"]["min"] < 60e9, "times: %r" % timing)
        rows.check("peers" not in row, "a peer has peers")
    own = [r for r in document["results"] if r["variant"] == "tiled16"]
    rows.equal(len(own), len(sizes.split(",")), "rows of tiled16")
    for row in own:
        rows.equal(row["peer"], None, "peer of our row")
        found = [p for p in row["peers"] if p["variant"] == variant]
        rows.equal(len(found), 1, "peers of our row")
        rows.equal(found[0]["library"], text.split(" ")[0], "library")
        low, high = found[0]["ci95"]
        rows.check(low <= found[0]["ratio"] <= high and found[0]["median_ns"] > 0, "ratio: %r" % found)


def core():
    """The user's core type is kept, and reported with the threads."""
    document = run("--size=64", env={"OPENBLAS_CORETYPE": "Haswell"})
    row = installed("openblas-f32", document)[0]
    rows.check(", core Haswell, " in row["peer"] and " thread" in row["peer"], row["peer"])


def hidden():
    """Without --peers there is neither a row nor a column."""
    need("opencl")
    path = new_path("run.json")
    shown = expect(0, "matmul/tiled16", "--backend=opencl", "--size=32", *QUICK, "--json=" + path).stdout
    rows.check("x peer" not in shown, shown)
    rows.equal([r["variant"] for r in json_file(path)["results"]], ["tiled16"], "rows")


def broken():
    """A library that cannot be used is one line; all other rows run, and the exit code stays 0."""
    folder = os.path.dirname(new_path("x"))
    for name in ("libopenblas.so.0", "libclblast.so.1"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("not a library")
    path = new_path("run.json")
    need("opencl")
    shown = expect(0, *OWN, "--backend=opencl", "--peers", "--size=32", *QUICK, "--json=" + path,
                   env={"LD_LIBRARY_PATH": folder}).stdout
    document = json_file(path)
    rows.check(len(peers_of(document)) >= 1, "no row of a peer")
    for row in peers_of(document):
        rows.equal(row["status"], "unsupported", row["variant"])
        rows.check("cannot be used: " in row["reason"], row["reason"])
        rows.equal(shown.count(row["variant"]), 1, "lines of " + row["variant"])
    for row in document["results"][-len(OWN):]:
        rows.equal(row["status"], "ok", row["variant"])
        rows.check("peers" not in row, "peers without a library")


def table():
    """The column and its interval, in a table, in CSV, Markdown and a page."""
    page = new_path("page.html")
    need("opencl")
    arguments = ("matmul/tiled16", "--backend=opencl", "--peers", "--size=64", *QUICK)
    shown = expect(0, *arguments, "--report=" + page, env={"COLUMNS": "200"}).stdout
    if "is not installed" in shown:
        raise rows.Skip("a library is not installed")
    line = [text for text in shown.split("\n") if text.startswith("tiled16")][0]
    rows.check("  x peer  95 %" in shown and " [" in line, shown)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    rows.check(": peer</th>" in text and "Libraries timed in turn" in text, "the page lacks the peers")
    table_rows = list(csv.DictReader(io.StringIO(expect(0, *arguments, "--csv").stdout)))
    own = [r for r in table_rows if r["variant"] == "tiled16"][0]
    rows.check(float(own["peer_ratio"]) > 0 and own["peer_variant"] and own["peer_ci95"], str(own))
    rows.check("| peer (x) |" in expect(0, *arguments, "--md").stdout, "no column in Markdown")


def narrow():
    """80 columns have the ratio and the step."""
    need("opencl")
    shown = expect(0, "matmul/naive-uncoalesced", "matmul/naive", "--backend=opencl", "--peers", "--size=32",
                   *QUICK, env={"COLUMNS": "80"}).stdout
    rows.check("x peer" in shown and "step" in shown, shown)
    for line in shown.split("\n"):
        rows.check(len(line) <= 80, line)


def files():
    """compare joins the rows of both files; peers are no variants of the lists of the fastest."""
    paths = [new_path("a.json"), new_path("b.json")]
    need("opencl")
    for path, peers in zip(paths, (("--peers", "--repeat=2"), ())):
        expect(0, *OWN, "--backend=opencl", "--size=48", *QUICK, *peers, "--json=" + path)
    merged = json_file(paths[0])
    own = [r for r in merged["results"] if r["variant"] == "cpu-packed"][0]
    if not own.get("peers"):
        raise rows.Skip("no library is installed")
    rows.check("repetitions" in own and own["peers"][0]["ratio"] > 0, "merged: %r" % own["peers"])
    result = pmpp("compare", *paths, "--by=run", "--json")
    document = json_of(result)
    joined = {r["variant"] for r in document["rows"] if all(c["status"] == "ok" for c in r["cells"])}
    rows.equal(joined, {"tiled16", "cpu-packed"}, "joined rows")
    best = {v for b in document["best"] for v in b["variants"]}
    rows.check(best and best <= {"tiled16", "cpu-packed"}, "fastest: %r" % best)
    expect(0, "report", paths[0], "-o", new_path("page.html"))


def store():
    """A row with peers goes through the store."""
    environment = {"PMPP_STORE": new_path("results.db")}
    run("--size=48", "--save", env=environment)
    expect(0, "history", "matmul/tiled16", env=environment)
    exported = new_path("export.json")
    expect(0, "store", "export", exported, env=environment)
    rows.check("tiled16" in json.dumps(json_file(exported)), "exported rows")


rows.row("OpenBLAS", library, "openblas-f32", "OpenBLAS ", "cblas_sgemm", "1,37x41x43,129")
rows.row("CLBlast", library, "clblast-f32", "CLBlast", "CLBlastSgemm", "1,37x41x43,129")
rows.row("OpenBLAS's core", core)
rows.row("hidden without --peers", hidden)
rows.row("a broken library", broken)
rows.row("the column", table)
rows.row("80 columns", narrow)
rows.row("files with peers", files)
rows.row("the store", store)
rows.row("a family without peers", refused, 1, ["no library is known for reduce"], "reduce", "--peers")
rows.row("a command without peers", refused, 1, ["--peers"], "verify", "matmul", "--peers")
rows.finish()
