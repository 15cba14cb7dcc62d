"""The file formats: docs/ agrees with the tables of fields, and every committed file of
results is read into records and written back equal.

usage: test_formats.py FORMATS SOURCE_ROOT
"""
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

try:
    import jsonschema
except ImportError:
    jsonschema = None

FORMATS, ROOT = sys.argv[1:3]
DOCS = os.path.join(ROOT, "docs")
RESULTS = os.path.join(DOCS, "results")
FOLDER = tempfile.TemporaryDirectory(prefix="pmpp-formats-")
SCHEMAS = ("pmpp-result/1", "pmpp-explain/1")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*arguments):
    return subprocess.run([FORMATS, *arguments], capture_output=True, text=True, check=False)


def documents():
    """(path below docs/results, document) of every committed file of these schemas."""
    for path in sorted(glob.glob(os.path.join(RESULTS, "**", "*.json"), recursive=True)):
        document = json.loads(text_of(path))
        if isinstance(document, dict) and document.get("schema") in SCHEMAS:
            yield os.path.relpath(path, RESULTS), document


def schema_of(document):
    name = document["schema"].replace("/", "-") + ".schema.json"
    return json.loads(text_of(os.path.join(DOCS, "schema", name)))


def rewrite(document):
    path = os.path.join(FOLDER.name, "document.json")
    with open(path, "w", encoding="utf-8") as file:
        if isinstance(document, str):
            file.write(document)
        else:
            json.dump(document, file)
    return run("rewrite", path)


# ---- Documentation ---------------------------------------------------------------------------

def test_generated():
    """docs/schema and docs/result-format.md are generated from the current tables."""
    rows.equal(run(FOLDER.name).returncode, 0, "exit of formats")
    made = sorted(glob.glob(os.path.join(FOLDER.name, "**", "*.*"), recursive=True))
    rows.check(len(made) >= 2, "formats wrote %r" % made)
    for path in made:
        name = os.path.relpath(path, FOLDER.name)
        committed = os.path.join(DOCS, name)
        rows.check(os.path.exists(committed) and text_of(committed) == text_of(path),
                   "docs/%s is out of date: run build/formats docs" % name)


def keys():
    """(key, its row of a table) of docs/result-format.md."""
    for line in text_of(os.path.join(DOCS, "result-format.md")).splitlines():
        if line.startswith("| `"):
            yield line.split("`")[1], line


def test_named_pages():
    """If the meaning of a key names a page, the page has the words of the key."""
    for key, line in keys():
        for page in re.findall(r"docs/([\w-]+\.md)", line):
            text = text_of(os.path.join(DOCS, page))
            for word in re.findall(r"`([^`]+)`", line)[1:]:
                rows.check(word in text, "%s: docs/%s lacks %r" % (key, page, word))


def test_unknown_limit():
    """limited_by of a row has three answers besides the resource of a floor."""
    line = next(line for key, line in keys() if key == "limited_by" and "floor.share" in line)
    found = [line.find(word) for word in ("floor.share", "null: unknown, if", "Else cache, if",
                                          "else latency")]
    rows.check(-1 not in found and found == sorted(found), "the cases of limited_by: " + line)


# ---- Files -----------------------------------------------------------------------------------

def test_round_trip(name, document):
    result = rewrite(document)
    rows.equal(result.returncode, 0, "%s: %s" % (name, result.stderr))
    rows.check(json.loads(result.stdout) == document, "%s: the rewritten file differs" % name)


def test_schema(name, document):
    if not jsonschema:
        raise rows.Skip("the Python module jsonschema is not installed")
    try:
        jsonschema.validate(document, schema_of(document))
    except jsonschema.ValidationError as error:
        raise rows.Failure("%s: %s: %s" % (name, list(error.absolute_path), error.message))


def first_document():
    for name, document in documents():
        if document["schema"] == "pmpp-result/1" and document["results"]:
            return document
    raise rows.Failure("there is no committed result file")


def test_whole_reals():
    """JSON Schema takes 1.0 for an integer, and so does the reader."""
    document = first_document()
    document["results"][0]["seed"] = 1.0
    document["devices"][0]["limits"]["max_block"] = [1024.0, 8.0, 1.0]
    test_round_trip("whole reals", document)


def test_unknown_survives():
    document = first_document()
    document["newer"] = {"a": [1, None, "x"]}
    document["results"][0]["newer"] = 1.5
    document["results"][0]["status"] = "half_done"
    if document["results"][0]["timing"]:
        document["results"][0]["timing"]["flags"] += ["tired"]
    test_round_trip("unknown members", document)


# (row, change of the document, parts of the message)
BAD = (
    ("missing key", lambda d: d["results"][0].pop("family"), ["results[0].family", "missing"]),
    ("missing key in an object", lambda d: d["devices"][0]["limits"].pop("warp_size"),
     ["devices[0].limits.warp_size", "missing"]),
    ("text for a number", lambda d: d["results"][0]["work"].update(flops="many"),
     ["results[0].work.flops", "a text"]),
    ("number for a text", lambda d: d["results"][0].update(variant=3),
     ["results[0].variant", "an integer"]),
    ("null for a text", lambda d: d["results"][0].update(dtype=None),
     ["results[0].dtype", "null"]),
    ("array for an object", lambda d: d.update(host=[]), ["host", "an array"]),
    ("object for an array", lambda d: d.update(results={}), ["results", "an object"]),
    ("real for an integer", lambda d: d["results"][0].update(seed=1.5),
     ["results[0].seed", "a number"]),
    ("text in samples", lambda d: d["results"][0]["timing"]["cold"]["ns"].append("x"),
     ["results[0].timing.cold.ns", "a text"]),
    ("negative count", lambda d: d["results"][0]["resources"].update(registers=-4),
     ["results[0].resources.registers", "-4"]),
    ("two numbers for three", lambda d: d["devices"][0]["limits"].update(max_block=[1, 2]),
     ["devices[0].limits.max_block", "3 integers"]),
    ("text in sizes", lambda d: d["results"][0]["problem"].update(m="x"),
     ["results[0].problem.m", "a text"]),
    ("newer major version", lambda d: d.update(schema="pmpp-result/2"),
     ["schema", "pmpp-result/2", "newer"]),
    ("another schema", lambda d: d.update(schema="cookbook/1"),
     ["schema", "cookbook/1", "pmpp-result/1"]),
    ("an older version", lambda d: d.update(schema="pmpp-result/0"),
     ["schema", "pmpp-result/0", "expected 'pmpp-result/1'"]),
    ("a schema with control characters", lambda d: d.update(schema="a\n\x1b[31m/1"),
     ["schema", "a??[31m/1"]),
    ("a fraction for an integer", lambda d: d["results"][0]["problem"].update(m=1.5),
     ["results[0].problem.m", "a number"]),
    ("no schema", lambda d: d.pop("schema"), ["schema", "missing"]),
)


def refused(document, parts):
    result = rewrite(document)
    rows.equal(result.returncode, 1, "exit")
    rows.equal(result.stdout, "", "stdout")
    rows.equal(result.stderr.count("\n"), 1, "lines of the message")
    for part in parts + ["document.json"]:
        rows.check(part in result.stderr, "the message lacks %r: %s" % (part, result.stderr))


def test_bad(change, parts):
    document = copy.deepcopy(first_document())
    change(document)
    refused(document, parts)


TEXTS = (
    ("nested 10,000 deep", '{"schema": "pmpp-result/1", "deep": ' + "[" * 10000 + "]" * 10000 + "}",
     ["deep", "depth"]),
    ("cut in the middle", '{"schema": "pmpp-result/1", "results": [', ["results"]),
    ("no JSON", "GIF89a", ["line 1"]),
    ("empty", "", ["line 1"]),
    ("key twice", '{"schema": "pmpp-result/1", "schema": "pmpp-result/1"}', ["schema"]),
    ("an array", "[]", ["an array"]),
    ("NaN", '{"schema": "pmpp-result/1", "x": NaN}', ["x"]),
)


def test_missing_file():
    result = run("rewrite", os.path.join(FOLDER.name, "none.json"))
    rows.equal(result.returncode, 1, "exit")
    rows.check("none.json" in result.stderr, result.stderr)


rows.row("docs are generated", test_generated)
rows.row("a page in the meaning of a key has the words of the key", test_named_pages)
rows.row("limited_by: the cases", test_unknown_limit)
for name, document in documents():
    rows.row("round trip: " + name, test_round_trip, name, document)
    rows.row("schema: " + name, test_schema, name, document)
rows.row("unknown members survive", test_unknown_survives)
rows.row("whole reals are integers", test_whole_reals)
for name, change, parts in BAD:
    rows.row("refused: " + name, test_bad, change, parts)
for name, text, parts in TEXTS:
    rows.row("refused: " + name, refused, text, parts)
rows.row("refused: no such file", test_missing_file)
rows.finish()
