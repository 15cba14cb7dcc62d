"""Helpers of the tests of `contribute`: its source files, and changes of them."""
import json
import os

from command import ROOT, expect, json_file, new_path
import rows

RESULTS = os.path.join(ROOT, "docs", "results")
DEVICES = os.path.join(RESULTS, "devices")
CUDA = os.path.join(RESULTS, "nvidia-h200", "compare", "run-cuda.json")
OPENCL = os.path.join(RESULTS, "nvidia-h200", "compare", "run-opencl.json")
H100 = os.path.join(RESULTS, "nvidia-h100", "run-cuda.json")
OLD = os.path.join(RESULTS, "nvidia-h200", "families-cuda.json")
MAX_BYTES = 1000000


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def store(document, name="edited.json"):
    path = new_path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(document))  # json.dump() is ten times as slow
    return path


def edited(path, change):
    document = load(path)
    change(document)
    return store(document)


def contributed(*files, code=0):
    """(path, document) of the file that contribute writes."""
    path = new_path("out.json")
    expect(code, "contribute", *files, "-o", path)
    rows.equal(os.listdir(os.path.dirname(path)), ["out.json"], "files left")
    return path, json_file(path)


def timed(document):
    return [row for row in document["results"] if row.get("timing")]


def identity(row):
    return json.dumps([row[key] for key in ("family", "variant", "backend", "dtype", "op", "data",
                                            "problem", "macros")], sort_keys=True)


def primary(row):
    return row["timing"][row["timing"]["primary"]]


def set_failed(count):
    """Rows with wrong results have no times."""
    def change(document):
        for row in timed(document)[:count]:
            row.update(status="failed", reason="9 wrong", timing=None)
            row["verify"].update(mismatches=9)
    return change


def set_emulated(document):
    document["devices"][0]["type"] = "emulated"


def add_samples(document):
    for row in timed(document):
        primary(row)["ns"] *= 20
        primary(row)["n"] *= 20


def halve_times(document):
    """Makes a card twice as fast as its own roofs, with consistent figures."""
    for row in timed(document):
        for kind in ("cold", "hot", "host"):
            samples = row["timing"][kind]
            for key in ("min", "q1", "median", "q3") if samples else ():
                samples[key] /= 2
            for key in ("ns", "ci95") if samples else ():
                samples[key] = samples[key] and [value / 2 for value in samples[key]]
        for key in ("gflops", "gbps"):
            row["derived"][key] = row["derived"][key] and row["derived"][key] * 2
        if row["derived"]["floor"]:
            row["derived"]["floor"]["share"] *= 2
            row["derived"]["pct_roof"] *= 2
