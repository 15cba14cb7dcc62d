"""The store from the command line: --save and --label, history, store export and import.

usage: test_store.py PMPP_RUN SOURCE_ROOT
"""
import os
import signal
import sqlite3
import stat
import subprocess
import time

from command import (PROGRAM, describe, environment, expect, json_file, json_of, need,
                     new_path, pmpp, refused, rows)
from stores import (RUN, example, imported, series_document, store_env, stored, stored_series,
                    write)

# ---- --save ------------------------------------------------------------------------------------


def save():
    """The store has the same results as the JSON file, and one note names the store."""
    need("opencl")
    env, path = store_env(), new_path("r.json")
    result = expect(0, "matmul/naive", "matmul/tiled16", *RUN, "--save", "--label=before",
                    "--json=" + path, env=env)
    rows.equal(result.stderr.count("results are saved in " + env["PMPP_STORE"]), 1, "notes")
    document = json_file(path)
    rows.equal(document["run"]["label"], "before", "label of the file")
    rows.equal(stored(env), [document], "the stored documents")


def save_parity():
    need("opencl")
    need("cuda-emu")
    env, path = store_env(), new_path("r.json")
    expect(0, "parity", "matmul/naive", "--backend=cuda-emu", "--size=32", "--save",
           "--progress=no", "--json=" + path, env=env)
    document = json_file(path)
    rows.check(len(document["results"]) == 2 and len(document["parity"]) == 1,
               "the command has no parity row")
    rows.equal(stored(env), [document], "the stored documents")


def save_equal_sizes():
    """A size that is given twice makes two rows: both are kept."""
    need("opencl")
    env = store_env()
    arguments = [a if not a.startswith("--size") else "--size=64,64" for a in RUN]
    expect(0, "matmul/naive", *arguments, "--save", env=env)
    rows.equal(len(stored(env)[0]["results"]), 2, "stored rows")


def default_path():
    """Without PMPP_STORE the store is below XDG_DATA_HOME, in a folder with mode 0700."""
    data = os.path.join(os.path.dirname(new_path("x")), "data")
    env = {"PMPP_STORE": None, "XDG_DATA_HOME": data}
    expect(0, "store", "import", write(example()), env=env)
    rows.check(os.path.isfile(os.path.join(data, "pmpp", "results.db")), "no file")
    mode = stat.S_IMODE(os.stat(os.path.join(data, "pmpp")).st_mode)
    rows.equal(mode, 0o700, "mode of the folder")


def quiet_label():
    """--label alone names the run in the file."""
    need("opencl")
    path = new_path("r.json")
    expect(0, "matmul/naive", *RUN, "--label", "a \x1b b", "--json=" + path)
    rows.equal(json_file(path)["run"]["label"], "a \\x1b b", "label")


def wait_for_rows(process, path, count):
    """Waits until the store has this many rows. The process runs until then."""
    while True:
        ended = process.poll() is not None
        if os.path.exists(path):
            database = sqlite3.connect(path, timeout=30)
            try:
                if database.execute("SELECT count(*) FROM results").fetchone()[0] >= count:
                    return
            except sqlite3.OperationalError:  # no tables yet, or a writer
                pass
            finally:
                database.close()
        rows.check(not ended, "the process ended before the store had %d rows" % count)
        time.sleep(0.05)


def stopped(sign):
    """A signal during a run: the rows that were finished are in the store."""
    need("opencl")
    env, path = store_env(), new_path("r.json")
    process = subprocess.Popen(
        [PROGRAM, "run", "matmul", *RUN[:1], "--size=64,65,66,67,68,69,70", "--save",
         "--progress=no", "--json=" + path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(**env))
    wait_for_rows(process, env["PMPP_STORE"], 2)
    process.send_signal(sign)
    errors = process.communicate()[1]
    documents = stored(env)
    rows.equal(len(documents), 1, "stored runs")
    kept = documents[0]["results"]
    rows.check(len(kept) >= 2, "%d rows are stored" % len(kept))
    if sign == signal.SIGKILL:
        rows.equal(process.returncode, -sign, "exit")
        return
    # 0: on a busy machine the run may be complete before the signal arrives.
    complete = {row["problem"]["m"] for row in kept if row["status"] == "ok"} == set(range(64, 71))
    rows.check(process.returncode == 130 or complete and process.returncode == 0,
               "exit %d: %s" % (process.returncode, errors))
    rows.equal(json_file(path), documents[0], "the file and the store")


# ---- history -----------------------------------------------------------------------------------


def history():
    """A table, and a change with its ratio."""
    env = stored_series([1e6] * 6 + [2e6] * 6, label="a")
    text = expect(0, "history", "matmul/naive", env=env).stdout
    lines = text.splitlines()
    rows.check("12 results, 1 change" in lines[-1], "closing line: " + lines[-1])
    marked = [line for line in lines if "2.00x slower" in line]
    rows.check(len(marked) == 1 and "2026-01-01 06:00:00" in marked[0], "change: %r" % marked)


def same_model():
    """Two cards of one model are two series, and their titles differ."""
    env = store_env()
    for name, uuid in (("x", "0123456789abcdef"), ("y", "fedcba9876543210")):
        document = next(series_document([1e6], name=name))
        document["devices"][0]["uuid"] = uuid
        imported(env, document, 1, 0)
    text = expect(0, "history", "matmul/naive", env=env).stdout
    for title in ("(uuid:01234567)", "(uuid:fedcba98)"):
        rows.equal(text.count(title), 1, title)


def history_faster():
    env = stored_series([2e6] * 6 + [1e6] * 6)
    text = expect(0, "history", "matmul/naive", env=env).stdout
    rows.check("2.00x faster" in text, text)


def history_json():
    env = stored_series([1e6] * 6 + [2e6] * 6, label="a")
    document = json_of(expect(0, "history", "matmul/naive", "--json", env=env))
    rows.equal(document["schema"], "pmpp-history/1", "schema")
    rows.equal(len(document["series"]), 1, "series")
    series = document["series"][0]
    rows.equal([c["point"] for c in series["changes"]], [6], "changes")
    rows.check(abs(series["changes"][0]["ratio"] - 2) < 1e-9, "ratio")
    rows.equal([p["median_ns"] for p in series["points"]], [1e6] * 6 + [2e6] * 6, "medians")


def new_driver(document):
    """A device is the same after an update of its driver. Keys of older files contain the driver."""
    device = document["devices"][0]
    device["views"]["opencl"]["driver"] += " newer"
    device["key"] += " newer"
    for row in document["results"]:
        row["device"] = device["key"]


def one_series(change):
    """The number of series of two runs, the second one changed."""
    env = store_env()
    first, second = series_document([1e6, 1e6])
    change(second)
    imported(env, first, 1, 0)
    imported(env, second, 1, 0)
    document = json_of(expect(0, "history", "matmul/naive", "--json", env=env))
    return len(document["series"])


def edit_row(**changes):
    def change(document):
        document["results"][0].update(changes)
    return change


def not_built(document):
    row = document["results"][0]
    for key in ("launches", "build", "resources", "verify", "timing", "work", "derived", "peer",
                "claim", "device_state"):
        row.pop(key, None)
    row.update(status="crashed", reason="the worker died")


def other_name(document):
    document["devices"][0]["name"] = "another"
    new_driver(document)


def edit_timing(document):
    document["results"][0]["timing"]["contract"] = "pmpp-timing/9"


SERIES = (
    ("unchanged", lambda document: None, 1),
    ("a new driver", new_driver, 1),
    ("another seed", edit_row(seed=7), 1),
    ("a row that was not built", not_built, 1),
    ("macros in another order", lambda d: d["results"][0].update(
        macros=dict(reversed(d["results"][0]["macros"].items()))), 1),
    ("another device", other_name, 2),
    ("another problem", edit_row(problem={"m": 5, "n": 5, "k": 5}), 2),
    ("other macros", edit_row(macros={"BLOCK_X": 8, "BLOCK_Y": 8}), 2),
    ("another type", edit_row(dtype="f64"), 2),
    ("another backend", edit_row(backend="cuda"), 2),
    ("another contract", edit_timing, 2),
    ("a kernel of the user", edit_row(own_kernel=True), 2),
)


def series(change, count):
    rows.equal(one_series(change), count, "series")


def history_status():
    """A row that is not ok is shown with its reason."""
    env = store_env()
    first, second = series_document([1e6, 1e6])
    not_built(second)
    imported(env, first, 1, 0)
    imported(env, second, 1, 0)
    text = expect(0, "history", "matmul/naive", env=env).stdout
    rows.check("crashed" in text and "the worker died" in text, text)


# (option, the number of points that it chooses, from a run with label a and a run without a label)
FILTERS = (
    ("--label=a", 1),
    ("--backend=opencl", 2),
    ("--device=cpu", 2),
    ("--device=skylake", 2),
)


OTHERS = "`pmpp-run history matmul/naive` shows its other results"


def history_filter(option, count):
    env = store_env()
    for label, name in (("a", "x"), (None, "y")):
        imported(env, next(series_document([1e6], label=label, name=name)), 1, 0)
    document = json_of(expect(0, "history", "matmul/naive", option, "--json", env=env))
    rows.equal(sum(len(s["points"]) for s in document["series"]), count, "points")


def history_size():
    env = stored_series([1e6])
    size = example()["results"][0]["problem"]
    whole = "x".join(str(size[name]) for name in ("m", "n", "k"))
    expect(0, "history", "matmul/naive", "--size=" + whole, env=env)
    refused(1, ["no results of matmul/naive at this --size", OTHERS], "history", "matmul/naive",
            "--size=7", env=env)


def environment_is_no_filter():
    env = stored_series([1e6])
    expect(0, "history", "matmul/naive",
           env=dict(env, PMPP_BACKEND="cuda", PMPP_DEVICE="nothing"))


# (name, arguments, parts of the message)
NOTHING = (
    ("no results", ("matmul/tiled32",), ["no results of matmul/tiled32", "--save"]),
    ("unknown variant", ("matmul/naiv",), ["matmul has no variant 'naiv'", "naive"]),
    ("unknown family", ("matmull/naive",), ["no family 'matmull'", "matmul"]),
    ("no variant", ("matmul",), ["'matmul' is not FAMILY/VARIANT"]),
    ("another label", ("matmul/naive", "--label=x"), ["no results", "--label=x", OTHERS]),
    ("another backend", ("matmul/naive", "--backend=cuda"), ["no results", "--backend=cuda", OTHERS]),
    ("another device", ("matmul/naive", "--device=H200"), ["no results", "--device=H200", OTHERS]),
)


def nothing(arguments, parts):
    refused(1, parts, "history", *arguments, env=stored_series([1e6]))


def no_store():
    env = store_env()
    refused(1, ["there is no store yet", "--save"], "history", "matmul/naive", env=env)
    refused(1, ["there is no store yet"], "store", "export", new_path("e.json"), env=env)
    rows.check("has no results: `run --save`" in expect(0, "store", "list", env=env).stdout, "store list")
    rows.check(not os.path.exists(env["PMPP_STORE"]), "reading made a store")


# ---- Export and import -------------------------------------------------------------------------


def round_trip():
    """Unknown keys and words survive import, export and import into another store."""
    document = example()
    document["newer"] = {"a": [1, None, "x"]}
    document["run"]["newer"] = 2.5
    document["results"][0]["newer"] = [1.5]
    document["results"][1]["status"] = "half_done"
    document["devices"][0]["newer"] = "y"
    first, second = store_env(), store_env()
    imported(first, document, len(document["results"]), 0)
    rows.equal(stored(first), [document], "the document")
    path = new_path("e.json")
    expect(0, "store", "export", path, env=first)
    expect(0, "store", "import", path, env=second)
    rows.equal(stored(second), [document], "the document in another store")


def duplicates():
    env, document = store_env(), example()
    count = len(document["results"])
    half = dict(document, results=document["results"][:count // 2])
    imported(env, half, count // 2, 0)
    imported(env, document, count - count // 2, count // 2)
    imported(env, document, 0, count)
    path = new_path("e.json")
    expect(0, "store", "export", path, env=env)
    result = expect(0, "store", "import", path, path, env=env)
    rows.equal(result.stdout.count("0 new rows, %d known" % count), 2, "lines")
    rows.equal(len(stored(env)[0]["results"]), count, "stored rows")


def repeated_document(runs):
    """A document of one row with this many runs."""
    document = next(series_document([1e6]))
    row = document["results"][0]
    row["repetitions"] = {"runs": [row["timing"]] * runs, "ci95": [0.9e6, 1.1e6],
                          "half_width": 0.1, "noise_sd": 0.002}
    return document


def more_runs():
    """A file with more runs of a stored row completes the row; a file with fewer runs does not."""
    env = store_env()
    imported(env, next(series_document([1e6])), 1, 0)
    for runs in (2, 3):
        result = expect(0, "store", "import", write(repeated_document(runs)), env=env)
        rows.check(": 0 new rows, 0 known, 1 completed with more runs" in result.stdout,
                   describe(result))
    for document in (repeated_document(3), repeated_document(2), next(series_document([1e6]))):
        imported(env, document, 0, 1)
    rows.equal(stored(env), [repeated_document(3)], "the stored documents")


def older_state():
    """An older state of a run does not mark the stored run as interrupted. A complete file removes the mark."""
    env, document = store_env(), next(series_document([1e6]))
    older = dict(document, run=dict(document["run"], interrupted=True))
    for state, interrupted in ((older, True), (document, None), (older, None)):
        imported(env, state, *((1, 0) if state is older and interrupted else (0, 1)))
        rows.equal(stored(env)[0]["run"].get("interrupted"), interrupted, "interrupted")


def export_to_stdout():
    env = stored_series([1e6, 2e6])
    document = json_of(expect(0, "store", "export", "-", env=env))
    rows.equal(len(document["documents"]), 2, "runs")
    document = json_of(expect(0, "store", "export", "-", "--label=x", env=stored_series(
        [1e6], label="x")))
    rows.equal(len(document["documents"]), 1, "runs of a label")


def truncated(path):
    with open(path, "r+", encoding="utf-8") as file:
        file.truncate(os.path.getsize(path) // 2)


def bad_import(name, change, parts):
    """A bad file adds nothing, not even the good rows before the bad row."""
    env, document = store_env(), example()
    path = write(document)
    imported(env, next(series_document([1e6])), 1, 0)
    if change:
        change(document)
        path = write(document)
    else:
        truncated(path)
    result = pmpp("store", "import", path, env=env)
    rows.equal(result.returncode, 1, name + ": " + describe(result))
    rows.equal(len(result.stderr.strip().splitlines()), 1, "lines: " + result.stderr)
    for part in parts:
        rows.check(part in result.stderr, "%r is not in %s" % (part, result.stderr))
    rows.equal(sum(len(d["results"]) for d in stored(env)), 1, "stored rows")


# (name, change of a result file, or None for a truncated one, parts of the message)
BAD_FILES = (
    ("truncated", None, ["JSON"]),
    ("newer schema", lambda d: d.update(schema="pmpp-result/2"), ["newer version", "update"]),
    ("another schema", lambda d: d.update(schema="pmpp-list/1"), ["pmpp-result/1"]),
    ("the last row lacks a key", lambda d: d["results"][-1].pop("family"),
     ["results[11].family", "missing"]),
    ("no run.id", lambda d: d["run"].update(id=""), ["run.id is empty"]),
)


def good_before_bad():
    """The files before a bad file are added to the store."""
    env = store_env()
    good, bad = write(example()), write({"schema": "pmpp-result/9"})
    result = pmpp("store", "import", good, bad, env=env)
    rows.equal(result.returncode, 1, describe(result))
    rows.check("12 new rows" in result.stdout, describe(result))
    rows.equal(len(stored(env)), 1, "stored runs")


# ---- Bad stores --------------------------------------------------------------------------------


def text_store(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("no database " * 40)


def newer_store(path):
    env = {"PMPP_STORE": path}
    imported(env, example(), 12, 0)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 9")
    database.close()


def other_store(path):
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE songs(title TEXT)")
    database.close()


def edited_store(sql):
    """A store that someone has edited."""
    def make(path):
        imported({"PMPP_STORE": path}, example(), 12, 0)
        database = sqlite3.connect(path)
        database.execute(sql)
        database.commit()
        database.close()
    return make


# Results cannot be read. Adding rows works, or fails with a one-line error.
EDITED = (
    ("no JSON in a row", "UPDATE results SET record = 'x'", "JSON"),
    ("a row lacks a key", "UPDATE results SET record = '{}'", "missing"),
    ("no JSON in a run", "UPDATE runs SET head = zeroblob(9)", "JSON"),
    ("another value in a run", "UPDATE runs SET head = '[]'", "expected"),
    ("a table is missing", "DROP TABLE results", "no such table"),
    ("a column is missing", "ALTER TABLE results DROP COLUMN family", "no such column"),
)


def edited(sql, part):
    env = store_env()
    edited_store(sql)(env["PMPP_STORE"])
    for arguments in (("history", "matmul/naive"), ("store", "export", new_path("e.json"))):
        result = refused(1, [env["PMPP_STORE"], part], *arguments, env=env)
        rows.equal(len(result.stderr.strip().splitlines()), 1, "lines: " + result.stderr)
    result = pmpp("store", "import", write(example()), env=env)
    rows.check(result.returncode in (0, 1), describe(result))
    rows.equal(len(result.stderr.strip().splitlines()), result.returncode, result.stderr)


BAD_STORES = (
    ("a text", text_store, "not a SQLite database"),
    ("a folder", os.mkdir, "not a regular file"),
    ("a newer version", newer_store, "newer than 1: update pmpp"),
    ("another program's database", other_store, "a database of another program"),
)


def bad_store(make, part):
    """One line, exit 1, before anything runs; the file stays as it is."""
    env = store_env()
    path = env["PMPP_STORE"]
    make(path)
    before = None if os.path.isdir(path) else open(path, "rb").read()
    for arguments in (("history", "matmul/naive"), ("store", "export", new_path("e.json")),
                      ("store", "import", write(example())),
                      ("run", "matmul/naive", *RUN, "--save")):
        result = refused(1, [path, part], *arguments, env=env)
        rows.equal(len(result.stderr.strip().splitlines()), 1, "lines: " + result.stderr)
    rows.check(before is None or open(path, "rb").read() == before, "the file changed")


def special_name(name):
    """A name that SQLite does not open as a file."""
    for arguments in (("store", "import", write(example())), ("store", "list"),
                      ("run", "matmul/naive", *RUN, "--save")):
        refused(1, ["PMPP_STORE=%s is not the path of a file" % name, "./" + name], *arguments,
                env={"PMPP_STORE": name})


def unwritable():
    """The folder of the store cannot be made."""
    path = os.path.join(write({}), "results.db")
    refused(1, [path, "Not a directory"], "run", "matmul/naive", *RUN, "--save",
            env={"PMPP_STORE": path})


def locked():
    """If rows cannot be saved, the table and the files are still complete."""
    need("opencl")
    env, path = store_env(), new_path("r.json")
    imported(env, next(series_document([1e6])), 1, 0)
    database = sqlite3.connect(env["PMPP_STORE"], isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    result = expect(5, "matmul/naive", *RUN, "--save", "--json=" + path, env=env)
    database.execute("COMMIT")
    database.close()
    for part in ("not saved yet: ", "1 of 1 rows are not saved: ", "another process"):
        rows.check(part in result.stderr, describe(result))
    rows.check("naive" in result.stdout, "no table: " + describe(result))
    rows.equal(len(json_file(path)["results"]), 1, "rows of the file")
    expect(0, "store", "import", path, env=env)
    rows.equal(len(stored(env)), 2, "stored runs after store import")


def help_of(*words):
    text = expect(0, *words, "--help").stdout
    rows.check(" ".join(words) in text, text)


def list_and_remove():
    """A line for each run; a run is removed by its name, the runs of a label by --label."""
    env = stored_series([1000, 1100], label="before")
    other = example()
    other["run"]["label"] = None
    imported(env, other, len(other["results"]), 0)
    text = expect(0, "store", "list", env=env).stdout
    lines = text.splitlines()
    rows.equal(len(lines), 4, "lines of " + text)
    rows.equal(lines[0].split(), "run started (UTC) label rows backend device".split())
    rows.equal([line.split()[2] for line in lines[1:3]], ["before"] * 2, text)
    rows.equal(len(expect(0, "store", "list", "--label=before", env=env).stdout.splitlines()), 3)
    for arguments, part in (((), "--label"), (("before",), "--label=before"), (("zzz",), "zzz: 0 stored runs"),
                            (("run-",), "run-: 2 stored runs")):
        refused(1, [part], "store", "remove", *arguments, env=env)
    rows.equal(len(stored(env)), 3, "runs after refused commands")
    result = expect(0, "store", "remove", other["run"]["id"][:12], env=env)
    rows.check(result.stdout.startswith("removed run " + other["run"]["id"][:8]), describe(result))
    rows.equal([d["run"]["label"] for d in stored(env)], ["before"] * 2, "the runs that are left")
    expect(0, "store", "remove", "--label=before", env=env)
    for words, part in (((), "has no results: `run --save`"), (("--label=x",), "--label=x: `store list`")):
        rows.check(part in expect(0, "store", "list", *words, env=env).stdout, "no %r" % part)
    refused(1, ["--label=x: `store list` lists"], "store", "remove", "--label=x", env=env)


rows.row("--save", save)
rows.row("parity --save", save_parity)
rows.row("--save of equal sizes", save_equal_sizes)
rows.row("default path", default_path)
rows.row("--label", quiet_label)
for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
    rows.row("--save and %s" % sign.name, stopped, sign)
rows.row("history", history)
rows.row("history: faster", history_faster)
rows.row("history: two cards of one model", same_model)
rows.row("history --json", history_json)
for name, change, count in SERIES:
    rows.row("series: " + name, series, change, count)
rows.row("history: status", history_status)
for option, count in FILTERS:
    rows.row("history " + option, history_filter, option, count)
rows.row("history --size", history_size)
rows.row("history: the environment is no filter", environment_is_no_filter)
for name, arguments, parts in NOTHING:
    rows.row("history: " + name, nothing, arguments, parts)
rows.row("no store", no_store)
rows.row("export and import", round_trip)
rows.row("duplicates", duplicates)
rows.row("store import: more runs", more_runs)
rows.row("store import: an older state", older_state)
rows.row("store export -", export_to_stdout)
for row in BAD_FILES:
    rows.row("store import: " + row[0], bad_import, *row)
rows.row("store import: a bad file after a good one", good_before_bad)
for name, make, part in BAD_STORES:
    rows.row("bad store: " + name, bad_store, make, part)
for name, sql, part in EDITED:
    rows.row("edited store: " + name, edited, sql, part)
rows.row("bad store: no folder", unwritable)
for name in (":memory:", "file:x.db?mode=memory"):
    rows.row("bad store: " + name, special_name, name)
rows.row("store list, store remove", list_and_remove)
rows.row("a locked store", locked)
for words in (("history",), ("store", "export"), ("store", "import"), ("store", "list"), ("store", "remove")):
    rows.row("%s --help" % " ".join(words), help_of, *words)
rows.finish()
