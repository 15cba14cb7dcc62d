"""The store and other files: it is never an output, and its exports can be compared.

usage: test_store_files.py PMPP_RUN SOURCE_ROOT
"""
import os

from command import expect, json_of, new_path, refused, rows
from stores import RUN, imported, series_document, store_env, stored, stored_series, write

STORE_AS_OUTPUT = (
    ("store export", lambda path: ["store", "export", path]),
    ("history --json", lambda path: ["history", "matmul/naive", "--json=" + path]),
    ("run --save --json", lambda path: ["run", "matmul/naive", *RUN, "--save", "--json=" + path]),
    ("run --save --csv", lambda path: ["run", "matmul/naive", *RUN, "--save", "--csv=" + path]),
    ("run --save --md", lambda path: ["run", "matmul/naive", *RUN, "--save", "--md=" + path]),
)


def store_as_output(arguments):
    """An output that would replace the store is refused, also through a link; the store stays."""
    env = stored_series([1e6])
    path = env["PMPP_STORE"]
    link = path + ".link"
    os.symlink(os.path.basename(path), link)
    before = stored(env)
    for output in (path, link):
        refused(1, [output, "is the store", "give another output file"], *arguments(output),
                env=env)
    rows.equal(stored(env), before, "the store")


def compare_export():
    """An export of the store is compared run by run; with one run, a message says what to do."""
    env = store_env()
    first, second = series_document([1e6, 2e6])
    for label, document in (("before", first), ("after", second)):
        document["run"]["label"] = label
        imported(env, document, 1, 0)
    export = new_path("export.json")
    expect(0, "store", "export", export, env=env)
    document = json_of(expect(0, "compare", export, "--json"))
    rows.equal(document["by"], ["run"], "compared field")
    rows.equal([side["name"] for side in document["sides"]], ["before", "after"], "sides")
    rows.check(abs(document["rows"][0]["cells"][1]["ratio"] - 2) < 1e-9, "ratio")
    # Compared by label, a copy of a run in the export is not another repetition.
    document = json_of(expect(0, "compare", export, write(second), "--by=label", "--json"))
    rows.equal([side["doubled"] for side in document["sides"]], [0, 1], "rows left out")
    rows.equal([cell["runs"] for cell in document["rows"][0]["cells"]], [1, 1], "runs")
    expect(0, "store", "export", export, "--label=after", env=env)
    refused(1, [export, "one device and one backend, in one run", "give a second file"], "compare",
            export)
    document = json_of(expect(0, "compare", write(first), export, "--json"))
    rows.equal(len(document["sides"]), 2, "sides of two files")


for name, arguments in STORE_AS_OUTPUT:
    rows.row("the store as an output: " + name, store_as_output, arguments)
rows.row("compare of an export", compare_export)
rows.finish()
