"""Rows of tests in Python, as in tests/support/test.h: names, reasons of skips, counts, exit code.

A script calls row(NAME, FUNCTION, ARGUMENTS...) and ends with finish(). The closing line is
"N passed, N failed, N skipped". The exit code is 1 if a row failed or no row ran, 77 if all were
skipped, else 0. PMPP_TEST_SHORT selects the short form: the rows of long_row() do not run, and the
line "short form: N of M rows" counts them. PMPP_TEST_ROWS is a pattern of the names of the rows that
run, in either form.
"""
import fnmatch
import os
import sys
import traceback

_counts = {"passed": 0, "failed": 0, "skipped": 0}
_pattern = os.environ.get("PMPP_TEST_ROWS")
_left_out = 0


class Skip(Exception):
    """A row that cannot run here raises this exception."""


class Failure(AssertionError):
    """A row that finds an error raises this exception."""


def check(condition, text):
    if not condition:
        raise Failure(text)


def equal(got, want, what=""):
    check(got == want, "%s: got %r, want %r" % (what or "value", got, want))


def skip_backend(name, reason):
    if name in os.environ.get("PMPP_REQUIRE", "").split(","):
        raise Failure("PMPP_REQUIRE requires %s, but: %s" % (name, reason))
    raise Skip("%s: %s" % (name, reason))


def note(text):
    print("             %s" % text)


def row(name, function, *arguments):
    if not fnmatch.fnmatch(name, _pattern or "*"):
        return
    print("[ RUN      ] %s" % name, flush=True)
    try:
        function(*arguments)
    except Skip as skip:
        _counts["skipped"] += 1
        note("skipped: %s" % skip)
        print("[  SKIPPED ] %s" % name, flush=True)
    except Exception as error:  # an unexpected exception fails the row; the next row runs
        _counts["failed"] += 1
        if not isinstance(error, Failure):
            traceback.print_exc(file=sys.stdout)
        print("ERROR: %s" % error)
        print("[  FAILED  ] %s" % name, flush=True)
    else:
        _counts["passed"] += 1
        print("[       OK ] %s" % name, flush=True)


def is_short():
    """Whether the short form runs."""
    return bool(os.environ.get("PMPP_TEST_SHORT")) and not _pattern


def long_row(name, function, *arguments):
    """A row that the short form leaves out."""
    global _left_out
    if is_short():
        _left_out += 1
    else:
        row(name, function, *arguments)


def sampled_row(number, every, name, function, *arguments):
    """A row of a list of similar rows: the short form has each row whose number is divisible by `every`."""
    (row if number % every == 0 else long_row)(name, function, *arguments)


def finish():
    total = sum(_counts.values())
    if _left_out:
        print("short form: %d of %d rows" % (total, total + _left_out))
    if total == 0:
        print("no row ran")
        _counts["failed"] = 1
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % _counts, flush=True)
    if _counts["failed"]:
        sys.exit(1)
    sys.exit(77 if _counts["skipped"] == total else 0)
