#!/usr/bin/env python3
"""Adds up the rows of a `meson test` run.

usage: count_tests.py TESTLOG.json NAMES [ALL-NAMES]

NAMES: a file with the name of each test that should have run (`meson test --list`).
ALL-NAMES: the same, of all tests. Prints which of them the short form leaves out.

Every test ends with "N passed, N failed, N skipped". A test without this line has crashed or run
out of time; it counts as a failed row. A test without a result in the log also counts as a failed
row: `meson test` ended early. Prints the counts of each suite and test, the reasons of skips, the
failed rows with their output, and the slowest ten tests.
"""
import json
import re
import sys

CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped\s*$", re.M)
ROW = re.compile(r"^\[\s*(RUN|OK|FAILED|SKIPPED|ERROR)\s*\] (.*)$")
SHORT = re.compile(r"^short form: (\d+) of (\d+) rows\s*$", re.M)
MAX_FAILED_ROWS = 40
MAX_LINES = 12


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_names(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if " / " in line]


def not_run(tests, names):
    """A result for each test that has none."""
    there = {test["name"] for test in tests}
    return [{"name": name, "result": "no result", "duration": 0} for name in names
            if name not in there]


def counts(test):
    """[passed, failed, skipped] of one test."""
    found = CLOSING.findall(test.get("stdout") or "")
    if not found:
        return [0, 1, 0]
    result = [int(n) for n in found[-1]]
    if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL") and result[1] == 0:
        result[1] = 1  # ended badly after its rows: a sanitizer, a signal
    return result


def reasons(test):
    """{reason: rows} of what was skipped."""
    found = {}
    for line in (test.get("stdout") or "").splitlines():
        text = line.strip()
        if text.startswith("skipped: "):
            found[text[9:]] = found.get(text[9:], 0) + 1
    return found


def failed_rows(test):
    """[(row, what it said)]."""
    found, name, said = [], None, []
    for line in (test.get("stdout") or "").splitlines():
        match = ROW.match(line)
        if match and match.group(1) == "RUN":
            name, said = match.group(2), []
        elif name and match and match.group(2) == name:
            if match.group(1) == "FAILED":
                found.append((name, said))
            name = None
        elif name:
            said.append(line)
    if name:
        found.append((name + " (the test ended here)", said))
    return found


def show_failures(test):
    print("\n%s: %s" % (test["name"], test["result"]))
    for name, said in failed_rows(test)[:MAX_FAILED_ROWS]:
        print("  FAILED  %s" % name)
        for line in said[-MAX_LINES:]:
            print("          %s" % line.strip())
    for line in (test.get("stderr") or "").splitlines()[-40:]:
        print("          | %s" % line)


def suite_of(name):
    """The first suite of "PROJECT:SUITE+SUITE / TEST"."""
    return name.split(" / ")[0].split(":")[-1].split("+")[0]


def short_of(name):
    return name.split(" / ")[-1]


def show_left_out(tests, names, all_names):
    """The tests and rows that the short form leaves out."""
    shortened = []
    for test in tests:
        for ran, rows in SHORT.findall(test.get("stdout") or ""):
            shortened.append("%s (%s of %s rows)" % (short_of(test["name"]), ran, rows))
    left_out = [short_of(name) for name in all_names if name not in names]
    print()
    if shortened:
        print("in their short form: %s" % ", ".join(shortened))
    if left_out:
        print("not in the short form: %s" % ", ".join(left_out))
    print("sh tools/test.sh --all runs all tests and rows, except the suite faults")


def main():
    tests = read(sys.argv[1])
    names = read_names(sys.argv[2])
    tests += not_run(tests, names)
    total, suites = [0, 0, 0], {}
    for test in tests:
        test["counts"] = counts(test)
        suite = suite_of(test["name"])
        suites.setdefault(suite, []).append(test)
        total = [a + b for a, b in zip(total, test["counts"])]
    for test in tests:
        if test["counts"][1]:
            show_failures(test)
    skips = {}
    for test in tests:
        for reason, rows in reasons(test).items():
            skips[reason] = skips.get(reason, 0) + rows
    if skips:
        print("\nskipped rows, by reason:")
        for reason, rows in sorted(skips.items(), key=lambda item: -item[1]):
            print("  %5d  %s" % (rows, reason))
    print("\nslowest:")
    for test in sorted(tests, key=lambda t: -t["duration"])[:10]:
        print("  %6.1f s  %s" % (test["duration"], short_of(test["name"])))
    if len(sys.argv) > 3:
        show_left_out(tests, names, read_names(sys.argv[3]))
    print()
    for suite, members in sorted(suites.items()):
        sums = [sum(t["counts"][i] for t in members) for i in range(3)]
        print("%-8s %5d passed %4d failed %4d skipped   %s" % (
            suite, *sums, ", ".join(short_of(t["name"]) for t in members)))
    print("%d passed, %d failed, %d skipped" % tuple(total))
    sys.exit(1 if total[1] or not tests else 0)


main()
