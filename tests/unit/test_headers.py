"""Every header of common/ and host/ compiles by itself, twice in one file.

usage: test_headers.py SOURCE_ROOT BUILD_ROOT COMPILER...
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

root, build, *compiler = sys.argv[1:]
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
         "-Wmissing-prototypes", "-Wstrict-prototypes", "-Wundef", "-Werror", "-x", "c", "-"]


def headers():
    for folder in ("common", "host"):
        for directory, _, names in os.walk(os.path.join(root, folder)):
            # Compiled with the kernels, by a C++ compiler.
            if "emu/runtime" in directory:
                continue
            for name in sorted(names):
                if name.endswith(".h"):
                    yield os.path.relpath(os.path.join(directory, name), root)


def compiles(header):
    text = '#include "%s"\n#include "%s"\n' % (header, header)
    command = compiler + ["-I", root, "-I", build]
    result = subprocess.run(command + FLAGS, input=text, capture_output=True, text=True, check=False)
    rows.check(result.returncode == 0, result.stderr.strip())


for path in sorted(headers()):
    rows.row(path, compiles, path)
rows.finish()
