"""The file formats: docs/ agrees with the tables of fields, and every committed file of
results is read into records and written back equal.

usage: test_formats.py FORMATS SOURCE_ROOT
"""
import copy
import functools
import glob
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows
from schemas import best_error, need_jsonschema

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
    with open(path, "wb") as file:
        if isinstance(document, bytes):
            file.write(document)
        else:
            text = document if isinstance(document, str) else json.dumps(document)
            file.write(text.encode())
    return run("rewrite", path)


# ---- Documentation ---------------------------------------------------------------------------

def test_generated():
    """docs/schema and docs/result-format.md agree with the current tables."""
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


def test_links():
    """Each kind of file and each kind of object has one heading, and each link has its heading."""
    lines = text_of(os.path.join(DOCS, "result-format.md")).splitlines()
    anchors = [re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
               for line in lines if line.startswith("##")]
    rows.equal(sorted(set(anchors)), sorted(anchors), "headings")
    links = {link for line in lines for link in re.findall(r"\]\(#([^)]*)\)", line)}
    rows.check(len(links) > 50, "%d links" % len(links))
    rows.equal(sorted(links - set(anchors)), [], "links without a heading")
    for path in re.findall(r"\]\((schema/[^)]*)\)", "\n".join(lines)):
        rows.check(os.path.exists(os.path.join(DOCS, path)), path)


def test_unknown_limit():
    """limited_by has three values besides the resource of a floor, in this order."""
    line = next(line for key, line in keys() if key == "limited_by" and "floor.share" in line)
    found = [line.find(word) for word in ("(1) floor.share", "(2) An unknown floor",
                                          "larger: null", "send them: `cache`",
                                          "(4) Else: `latency`")]
    rows.check(-1 not in found and found == sorted(found), "the cases of limited_by: " + line)


# ---- Files -----------------------------------------------------------------------------------

def test_round_trip(name, document):
    result = rewrite(document)
    rows.equal(result.returncode, 0, "%s: %s" % (name, result.stderr))
    rows.check(json.loads(result.stdout) == document, "%s: the rewritten file differs" % name)


def test_schema(name, document):
    need_jsonschema()
    error = best_error(ROOT, document)
    if error:
        raise rows.Failure("%s: %s: %s" % (name, list(error.absolute_path), error.message))


def first_document():
    for name, document in documents():
        if document["schema"] == "pmpp-result/1" and document["results"]:
            return document
    raise rows.Failure("there is no committed result file")


def test_whole_reals():
    """JSON Schema accepts 1.0 as an integer, and so does the reader."""
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


def add_unknown(schema, value):
    """Adds a member that is not in the tables to each object of a schema. Returns their number."""
    count = 0
    if isinstance(value, list):
        return sum(add_unknown(schema["items"], item) for item in value)
    if not isinstance(value, dict):
        return 0
    for key, item in value.items():
        inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        count += add_unknown(inner, item)
    if "properties" in schema:
        value["newer than this version"] = {"a": [1, None, {"b": "x"}]}
        count += 1
    return count


def test_unknown_everywhere(name, document):
    document = copy.deepcopy(document)
    objects = add_unknown(schema_of(document), document)
    rows.check(objects >= 10, "%s: %d objects" % (name, objects))
    test_round_trip("unknown members in %d objects of %s" % (objects, name), document)


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
    ("too many sizes", lambda d: d["results"][0].update(macros={str(i): i for i in range(257)}),
     ["results[0].macros", "257 keys", "the limit is 256"]),
    ("control characters in a size", lambda d: d["results"][0].update(problem={"\x1b[31m": 1}),
     ["results[0].problem.\\x1b[31m", "control characters"]),
    ("control characters in a backend",
     lambda d: d["devices"][0].update(views={"\n": {}}), ["devices[0].views.\\x0a", "control"]),
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


HEAD = '{"schema": "pmpp-result/1", "x": '
TEXTS = (
    ("nested 10,000 deep", '{"schema": "pmpp-result/1", "deep": ' + "[" * 10000 + "]" * 10000 + "}",
     ["deep", "depth"]),
    ("cut in the middle", '{"schema": "pmpp-result/1", "results": [', ["results"]),
    ("no JSON", "GIF89a", ["line 1"]),
    ("empty", "", [" is empty: write it again"]),
    ("key twice", '{"schema": "pmpp-result/1", "schema": "pmpp-result/1"}', ["schema"]),
    ("an array", "[]", ["an array"]),
    ("NaN", '{"schema": "pmpp-result/1", "x": NaN}', ["x"]),
    ("infinity", HEAD + "-Infinity}", ["key x"]),
    ("a number beyond double", HEAD + "1e999}", ["key x", "overflow"]),
    ("an integer beyond int64", HEAD + "9223372036854775808}", ["key x", "too big integer"]),
    ("the character 0 in a text", HEAD + r'"a\u0000b"}', ["key x", r"\u0000 is not allowed"]),
    ("the character 0 in a key", HEAD + r'{"a\u0000b": 1}}', ["NUL byte in object key"]),
    ("the byte 0 in a text", HEAD + '"a\0b"}', ["key x", "0x0"]),
    ("half a surrogate pair", HEAD + r'"\ud800"}', ["key x", r"\uD800"]),
    ("Latin-1", (HEAD + '"caf\xe9"}').encode("latin-1"), ["key x", "unable to decode byte 0xe9"]),
    ("UTF-16", (HEAD + "1}").encode("utf-16"), ["line 1", "unable to decode byte 0xff"]),
    ("text after the end", HEAD + "1} y", ["line 1", "end of file expected"]),
    ("nested 33 deep", HEAD + "[" * 32 + "]" * 32 + "}", ["key x", "more than 32 levels"]),
    ("nested too deep in line 3", HEAD + "\n[\n" + "[" * 40 + "}", ["line 3", "32 levels"]),
    ("too many values", HEAD + "[" + "0," * (32 << 20) + "0]}", ["33554", "limit is 33554432"]),
)


def unread(path, parts, setup=None):
    """A refused file has a message of one line with its name, and needs little memory."""
    result = subprocess.run([FORMATS, "rewrite", path], capture_output=True, text=True,
                            check=False, preexec_fn=setup)
    rows.equal(result.returncode, 1, "exit")
    rows.equal(result.stdout, "", "stdout")
    rows.equal(result.stderr.count("\n"), 1, "lines of the message")
    for part in parts + [path]:
        rows.check(part in result.stderr, "the message lacks %r: %s" % (part, result.stderr))


def is_sanitized():
    """Whether the program has sanitizers, which need terabytes of address space."""
    with open(FORMATS, "rb") as file:
        return b"__asan_init" in file.read()


def memory_limit(megabytes):
    if is_sanitized():
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10**6,) * 2)


def test_missing_file():
    unread(os.path.join(FOLDER.name, "none.json"), ["No such file"])


def test_folder():
    unread(FOLDER.name, [" is a folder: give the files in it"])


def test_unreadable_file():
    if os.geteuid() == 0:
        raise rows.Skip("root may read every file")
    path = os.path.join(FOLDER.name, "secret.json")
    with open(path, "w", encoding="utf-8"):
        os.chmod(path, 0)
    unread(path, ["Permission denied"])


def test_large_file():
    """The size of the file is known, so nothing is read."""
    path = os.path.join(FOLDER.name, "large.json")
    with open(path, "wb") as file:
        file.truncate(10**9)
    unread(path, ["1000.0 MB", "the limit is 256 MB"], memory_limit(100))
    os.remove(path)


def test_endless_device():
    unread("/dev/zero", ["more than 256.0 MB", "the limit is 256 MB"], memory_limit(1000))


def test_endless_pipe():
    path = os.path.join(FOLDER.name, "pipe.json")
    os.mkfifo(path)
    with subprocess.Popen(["sh", "-c", "yes '     ' >%s" % path]) as writer:
        unread(path, ["more than 256.0 MB", "the limit is 256 MB"], memory_limit(1000))
        writer.wait(60)
    os.remove(path)


def test_pipe():
    """A pipe is read to its end."""
    path = os.path.join(FOLDER.name, "pipe.json")
    os.mkfifo(path)
    with subprocess.Popen(["sh", "-c", "printf '[%%s' 1 >%s" % path]):
        unread(path, ["near end of file"])
    os.remove(path)


def test_memory():
    """The tree of a small file does not fit in the memory of the process."""
    if is_sanitized():
        raise rows.Skip("a build with sanitizers has no limit of memory")
    path = os.path.join(FOLDER.name, "objects.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "[" + "{}," * 1000000 + "{}]}")
    unread(path, ["MB of memory"], memory_limit(250))


def test_mark():
    """A byte order mark is ignored, and is not written again."""
    document = first_document()
    result = rewrite("\ufeff" + json.dumps(document))
    rows.equal(result.returncode, 0, result.stderr)
    rows.check(json.loads(result.stdout) == document, "the rewritten file differs")


def test_depth():
    document = first_document()
    document["deep"] = functools.reduce(lambda inner, _: [inner], range(30), [])
    test_round_trip("nested 32 deep", document)


def test_clean_texts():
    """A text of a file cannot control a terminal."""
    document = first_document()
    document["devices"][0]["name"] = "a\x1b[31m\x9bx"
    result = rewrite(document)
    rows.equal(json.loads(result.stdout)["devices"][0]["name"], r"a\x1b[31m\xc2\x9bx", "name")


def cpu_seconds(document):
    """Processor time of a rewrite in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    rows.equal(rewrite(document).returncode, 0, "exit")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def bare_row(document):
    """A result without the keys that may be absent."""
    required = schema_of(document)["properties"]["results"]["items"]["required"]
    return {key: document["results"][0][key] for key in required}


def test_linear(name, most, change):
    """16 times the items need about 16 times the processor time; a factor of 256 would be quadratic.
    The limit is between both, because other programs that use the caches slow the larger text."""
    times = []
    for count in (most // 16, most):
        document = first_document()
        change(document, count)
        times.append(min(cpu_seconds(document) for _ in range(2)))
    rows.check(times[1] < 64 * times[0], "%s: %s s" % (name, times))


LONG = (
    ("rows", 80000, lambda d, count: d.update(results=[bare_row(d)] * count)),
    ("unknown keys", 160000, lambda d, count: d.update({"k%d" % i: i for i in range(count)})),
    ("samples", 160000,
     lambda d, count: d["results"][0]["timing"]["cold"].update(ns=[float(i) for i in range(count)])),
    ("a text", 160000, lambda d, count: d["tool"].update(name="x" * 20 * count)),
)


# The short form has one file of each kind.
KINDS = set()
rows.row("docs are generated", test_generated)
rows.row("a page in the meaning of a key has the words of the key", test_named_pages)
rows.row("links of the page", test_links)
rows.row("limited_by: the cases", test_unknown_limit)
for name, document in documents():
    add = rows.long_row if document["schema"] in KINDS else rows.row
    KINDS.add(document["schema"])
    add("round trip: " + name, test_round_trip, name, document)
    add("schema: " + name, test_schema, name, document)
    add("unknown members everywhere: " + name, test_unknown_everywhere, name, document)
rows.row("unknown members survive", test_unknown_survives)
rows.row("whole reals are integers", test_whole_reals)
rows.row("byte order mark", test_mark)
rows.row("nested 32 deep", test_depth)
rows.row("control characters in a text", test_clean_texts)
for name, most, change in LONG:
    rows.long_row("linear time: " + name, test_linear, name, most, change)
for name, change, parts in BAD:
    rows.row("refused: " + name, test_bad, change, parts)
for name, text, parts in TEXTS:
    rows.row("refused: " + name, refused, text, parts)
rows.row("refused: no such file", test_missing_file)
rows.row("refused: a folder", test_folder)
rows.row("refused: unreadable", test_unreadable_file)
rows.row("refused: 1 GB", test_large_file)
rows.row("refused: a device that does not end", test_endless_device)
rows.row("refused: a pipe that does not end", test_endless_pipe)
rows.row("refused: a pipe with half a text", test_pipe)
rows.row("refused: more memory than available", test_memory)
rows.finish()
