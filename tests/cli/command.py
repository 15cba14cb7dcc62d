"""Running pmpp-run from tests: a caller's arguments, what came back, and what it must look like.

Each script of this folder is called as SCRIPT PMPP_RUN SOURCE_ROOT.
"""
import atexit
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows
from schemas import best_error, jsonschema, need_jsonschema  # noqa: F401 (need_jsonschema: for tests)

PROGRAM, ROOT = sys.argv[1:3]
FOLDER = tempfile.mkdtemp(prefix="pmpp-cli-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
# Shells and nohup start background jobs with ignored signals, and programs keep them ignored. The
# tests reset them, so that signals end the programs.
signal.signal(signal.SIGINT, signal.default_int_handler)
for _sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(_sign, signal.SIG_DFL)
LIMIT_S = 900  # ends a program that hangs, however slow the machine is
_number = 0


def environment(**changes):
    """The tests', without what would choose a backend; a change to None removes a variable."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("PMPP_BACKEND", "PMPP_DEVICE", "PMPP_DEVICES_DIR", "NO_COLOR",
                        "PMPP_REQUIRE", "COLUMNS")}
    for name, value in changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


def pmpp(*arguments, env=None, timeout=LIMIT_S, cwd=None):
    """The finished process, texts decoded; returncode, stdout, stderr. PROGRAM may be relative to the
    folder of this process."""
    program = os.path.abspath(PROGRAM) if cwd else PROGRAM
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False,
                          env=environment(**(env or {})), timeout=timeout, cwd=cwd)


def describe(result):
    return "exit %d\nstdout: %s\nstderr: %s" % (result.returncode, result.stdout[-1500:],
                                                result.stderr[-1500:])


def expect(code, *arguments, **options):
    result = pmpp(*arguments, **options)
    rows.check(result.returncode == code, "%s: expected exit %d, got %s" %
               (" ".join(arguments), code, describe(result)))
    return result


def refused(code, parts, *arguments, **options):
    """Exit code, nothing on stdout, and every part in the message on stderr."""
    result = expect(code, *arguments, **options)
    rows.check(result.stderr.strip(), "exit %d without a message" % code)
    rows.equal(result.stdout, "", "stdout of a refused command")
    for part in parts:
        rows.check(part in result.stderr, "the message lacks %r: %s" % (part, result.stderr))
    return result


def new_path(name):
    """A path that no other row uses, in a folder of its own."""
    global _number
    _number += 1
    folder = os.path.join(FOLDER, str(_number))
    os.mkdir(folder)
    return os.path.join(folder, name)


def new_file(name, content):
    """The path of a new file with a text or with bytes."""
    path = new_path(name)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_process(path):
    """The content of a file of a process in /proc; b"" if the process has ended."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def validated(document):
    """The document. If it has a key "schema", it fits the file in docs/schema. Without the Python
    module jsonschema nothing is checked: the row "documents against docs/schema" reports that."""
    if jsonschema and isinstance(document, dict) and "schema" in document:
        error = best_error(ROOT, document)
        if error:
            raise rows.Failure("%s: %s: %s" % (document["schema"], list(error.absolute_path),
                                               error.message[:500]))
    return document


def npy(matrix, fortran=False, descr="<f4", shape=None, version=1):
    """The bytes of a .npy file as NumPy writes it. matrix: list of rows, or of numbers."""
    two = isinstance(matrix[0], list)
    if shape is None:
        shape = "(%d, %d)" % (len(matrix), len(matrix[0])) if two else "(%d,)" % len(matrix)
    numbers = matrix
    if two and fortran:
        numbers = [row[j] for j in range(len(matrix[0])) for row in matrix]
    elif two:
        numbers = [x for row in matrix for x in row]
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    prefix = 10 if version == 1 else 12
    length = (prefix + len(text) + 1 + 63) // 64 * 64 - prefix
    head = b"\x93NUMPY" + bytes([version, 0]) + length.to_bytes(prefix - 8, "little")
    code = {"<f4": "<%df", ">f4": ">%df", "<f8": "<%dd", "<i4": "<%di", "<u4": "<%dI"}[descr]
    if descr in ("<i4", "<u4"):
        numbers = [int(x) for x in numbers]
    return head + text.ljust(length - 1).encode() + b"\n" + struct.pack(code % len(numbers), *numbers)


def json_of(result):
    try:
        document = json.loads(result.stdout)
    except ValueError as error:
        raise rows.Failure("no JSON on stdout (%s): %s" % (error, describe(result)))
    return validated(document)


def json_file(path):
    with open(path, encoding="utf-8") as file:
        return validated(json.load(file))


def devices():
    """{backend: [index, ...]} of what is there."""
    found = {}
    for device in json_of(expect(0, "devices", "--json"))["devices"]:
        for backend, view in device["views"].items():
            found.setdefault(backend, []).append(view["index"])
    return found


_found = None


def need(backend):
    """Skips the row where the backend has no device."""
    global _found
    if _found is None:
        _found = devices()
    if backend not in _found:
        rows.skip_backend(backend, "no device (pmpp-run devices)")


def need_nvrtc():
    """Skips the row where NVRTC is missing."""
    if pmpp("show", "vecadd/fine", "--ptx").returncode == 2:
        raise rows.Skip("no NVRTC")


def kernel_tree(edits):
    """A copy of the kernel folders for --kernel-dir; edits: {path: function of the text}."""
    root = os.path.dirname(new_path("x"))
    for folder in ("cl_kernels", "cuda_kernels"):
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(root, folder))
    for path, change in edits.items():
        full = os.path.join(root, path)
        with open(full, encoding="utf-8") as file:
            text = file.read()
        changed = change(text)
        rows.check(changed != text, "the edit of %s changes nothing" % path)
        with open(full, "w", encoding="utf-8") as file:
            file.write(changed)
    return root


def statuses(document):
    return {r["variant"]: r["status"] for r in document["results"]}
