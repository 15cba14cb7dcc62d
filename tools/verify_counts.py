#!/usr/bin/env python3
"""Counts checks of variants by variant, status and reason, and writes them as CSV:

    pmpp-run verify all --backend=opencl --device=cpu --json=checks.json
    python3 tools/verify_counts.py checks.json >docs/results/pocl/verify-5.0.csv
    build/tests/test_kernels opencl >checks.log
    python3 tools/verify_counts.py checks.log >docs/results/pocl/kernels-3.1.csv

A file is a result file of `verify`, or the output of the test `kernels`. Several files (of shards) are
counted as one. tests/unit/test_ci.py compares docs/ci.md with these files.
"""
import collections
import csv
import json
import re
import sys

STATUSES = {"OK": "ok", "SKIPPED": "skipped", "FAILED": "failed"}


def checks_of_results(text):
    for row in json.loads(text)["results"]:
        yield "%(family)s/%(variant)s" % row, row["status"], "" if row["status"] == "ok" else row["reason"] or ""


def checks_of_test(text):
    """The rows have names such as "opencl:0.0 matmul/naive f32 m=n=k=1"; the reason is above the last line."""
    for name, lines, status in re.findall(r"^\[ RUN +\] (.*)\n((?:(?!\[).*\n)*)\[ *(\w+) +\] \1$", text, re.M):
        variant = re.match(r"\S+:\S+ (\w+/\S+)", name)
        if variant:
            reason = re.sub("^skipped: ", "", " ".join(lines.split()))
            yield variant[1], STATUSES[status], "" if status == "OK" else reason


def main():
    counts = collections.Counter()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        counts.update((checks_of_results if text.startswith("{") else checks_of_test)(text))
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["variant", "status", "checks", "reason"])
    for (variant, status, reason), count in sorted(counts.items()):
        table.writerow([variant, status, count, reason])


if __name__ == "__main__":
    sys.exit(main())
