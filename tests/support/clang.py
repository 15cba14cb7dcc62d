"""The clang that the OpenCL emulator uses: CLANG, else clang, else the newest clang-N."""
import os
import re
import shutil
import subprocess

NEWEST, OLDEST = 30, 14


def _major(command):
    """The major version of a clang; 0: another program, or none."""
    try:
        text = subprocess.run([command, "--version"], capture_output=True, text=True,
                              check=False).stdout
    except OSError:
        return 0
    found = re.search(r"clang version (\d+)", text)
    return int(found[1]) if found else 0


def find():
    """The path, or None."""
    named = os.environ.get("CLANG")
    names = ["clang", *("clang-%d" % number for number in range(NEWEST, OLDEST - 1, -1))]
    for name in [named] if named else names:
        path = shutil.which(name)
        if path and _major(path) >= OLDEST:
            return path
    return None
