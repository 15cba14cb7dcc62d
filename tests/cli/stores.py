"""Stores for tests of the command line."""
import copy
import json
import os

from command import ROOT, describe, expect, json_file, new_file, new_path, rows

RUN = ("--backend=opencl", "--size=64", "--min-samples=3", "--max-samples=6", "--min-time=0",
       "--progress=no")


def example():
    with open(os.path.join(ROOT, "docs", "results", "pocl", "matmul.json"),
              encoding="utf-8") as file:
        return json.load(file)


def write(document):
    return new_file("r.json", json.dumps(document))


def store_env():
    """The environment of a new store."""
    return {"PMPP_STORE": new_path("results.db")}


def stored(env):
    """The documents of the store, read by store export."""
    path = new_path("export.json")
    expect(0, "store", "export", path, env=env)
    return json_file(path)["documents"]


def imported(env, document, new, known):
    result = expect(0, "store", "import", write(document), env=env)
    rows.check("%d new rows, %d known" % (new, known) in result.stdout, describe(result))


def series_document(medians, first=None, **changes):
    """Documents of one row each, an hour apart, with these medians in ns."""
    base = first or example()
    for number, median in enumerate(medians):
        document = copy.deepcopy(base)
        document["run"].update(id="run-%s-%d" % (changes.get("name", ""), number),
                               started_utc="2026-01-01T%02d:00:00Z" % number,
                               label=changes.get("label"))
        row = next(r for r in document["results"] if r["variant"] == "naive")
        row["timing"]["primary"] = "cold"
        row["timing"]["cold"]["median"] = median
        document["results"] = [row]
        yield document


def stored_series(medians, **changes):
    env = store_env()
    for document in series_document(medians, **changes):
        imported(env, document, 1, 0)
    return env
