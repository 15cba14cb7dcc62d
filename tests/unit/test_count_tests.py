"""tools/count_tests.py on made-up logs of `meson test`.

usage: test_count_tests.py SOURCE_ROOT
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

PROGRAM = os.path.join(sys.argv[1], "tools", "count_tests.py")
GOOD = "[ RUN      ] a\n[       OK ] a\n3 passed, 0 failed, 1 skipped\n"


def test(name, stdout=GOOD, result="OK"):
    return {"name": "pmpp:unit / " + name, "stdout": stdout, "result": result, "duration": 1}


def printed(log, names, *more):
    """The finished process for a log, and for the names of the tests of each run."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "log")]
        with open(paths[0], "w", encoding="utf-8") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in log)
        for list_of_names in (names, *more):
            paths.append(os.path.join(folder, "names%d" % len(paths)))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.writelines("pmpp:unit / %s\n" % name for name in list_of_names)
                file.write("ninja: no work to do.\n")
        return subprocess.run([sys.executable, PROGRAM, *paths], capture_output=True, text=True,
                              check=False)


def closing(log, names, code, expected):
    """The exit code and the last line for a log."""
    result = printed(log, names)
    rows.equal(result.stdout.splitlines()[-1:], [expected], "the last line; " + result.stderr)
    rows.equal(result.returncode, code, "exit code")


def short_form():
    """The short form names the tests and rows that it leaves out; the full form names nothing."""
    log = [test("a", "short form: 3 of 7 rows\n" + GOOD), test("b")]
    text = printed(log, ["a", "b"], ["a", "b", "c", "d"]).stdout
    rows.check("in their short form: a (3 of 7 rows)\n" in text, text)
    rows.check("not in the short form: c, d\n" in text, text)
    rows.check("sh tools/test.sh --all" in text, text)
    rows.check("short form" not in printed(log, ["a", "b"]).stdout, "full form")


def suites():
    """A test of two suites counts in its first suite."""
    entry = test("a")
    entry["name"] = "pmpp:cli+long / a"
    text = printed([entry], ["b"]).stdout
    rows.check("\ncli          3 passed" in text, text)


rows.row("all passed", closing, [test("a"), test("b")], ["a", "b"], 0,
         "6 passed, 0 failed, 2 skipped")
rows.row("a failed row", closing,
         [test("a", "[ RUN      ] x\n[  FAILED  ] x\n1 passed, 2 failed, 0 skipped\n", "FAIL")],
         ["a"], 1, "1 passed, 2 failed, 0 skipped")
rows.row("no closing line", closing, [test("a", "[ RUN      ] x\n", "TIMEOUT"), test("b")],
         ["a", "b"], 1, "3 passed, 1 failed, 1 skipped")
rows.row("an end after the rows", closing, [test("a", GOOD, "FAIL")], ["a"], 1,
         "3 passed, 1 failed, 1 skipped")
rows.row("tests that are not in the log", closing, [test("a")], ["a", "b", "c"], 1,
         "3 passed, 2 failed, 1 skipped")
rows.row("an empty log", closing, [], ["a"], 1, "0 passed, 1 failed, 0 skipped")
rows.row("the short form", short_form)
rows.row("two suites", suites)
rows.finish()
