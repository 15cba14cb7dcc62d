#!/usr/bin/env python3
"""Counts the checks of `verify` by variant, status and reason, and writes them as CSV:

    pmpp-run verify all --backend=opencl --device=cpu --json=checks.json
    python3 tools/verify_counts.py checks.json >docs/results/pocl/verify-5.0.csv

Several files (of shards) are counted as one. tests/unit/test_ci.py compares docs/ci.md with this file.
"""
import collections
import csv
import json
import sys


def main():
    counts = collections.Counter()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for row in json.load(file)["results"]:
                reason = "" if row["status"] == "ok" else row["reason"] or ""
                counts["%(family)s/%(variant)s" % row, row["status"], reason] += 1
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["variant", "status", "checks", "reason"])
    for (variant, status, reason), count in sorted(counts.items()):
        table.writerow([variant, status, count, reason])


if __name__ == "__main__":
    sys.exit(main())
