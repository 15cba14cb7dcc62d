"""The OpenCL programs of the suite, compiled for one target: their list, a cache of results, and the
loop that compiles them.

A compiler is an object with these members:

    name       "gfx90a"
    text       "clang-14, libclc"
    lanes      the width of a warp, for the macro LANES
    lacks      {need: text}: programs with this need are not compiled
    identity   a text that changes if the compiler or its libraries change
    language(newer) -> "CL1.2"; newer: with sub-groups, and atomic functions of device scope
    compile(program, source, folder) -> result

A result is a dictionary that JSON can hold:

    error      text of the compiler if the program does not compile; absent otherwise
    too_large  bytes of shared memory, if the program needs more than a block of the target has
    warnings   lines of warnings
    kernels    {entry: {figure: number}}
"""
import concurrent.futures
import functools
import hashlib
import inspect
import json
import os
import re
import subprocess
import tempfile

# Needs of rows that other vendors' compilers do not compile (common/capability.h).
EXCLUDED = {
    "NVIDIA_PTX": "inline PTX",
    "TENSOR": "inline PTX",
    "OPENCL_CPU": "a kernel for CPUs",
}
SUB_GROUPS, F64 = {"SHUFFLE", "WARP_REDUCE"}, "FP64"
NEWER = "newer"  # a newer language than OpenCL C 1.2: not in the table of capabilities
COMPILE_SECONDS = 300  # ends a compiler that hangs


class Unavailable(Exception):
    """A compiler, or a part of it, is not installed. The text says what to install."""


class Program:
    """One text with its macros. Several rows and choices can share it."""

    def __init__(self, entry):
        self.path, self.macros = entry["path"], entry["macros"]
        self.needs, self.device_scope = set(entry["needs"]), entry["device_scope"]
        self.rows, self.launches = [], []
        # Whether a row has this program without --set.
        self.is_default = False
        self.is_first = False

    def add(self, entry):
        name = " ".join(text for text in (entry["row"], entry["choice"], entry["set"]) if text)
        self.rows.append(name)
        self.is_default = self.is_default or not entry["set"]
        for launch in entry["launches"]:
            if launch not in self.launches:
                self.launches.append(launch)

    @property
    def name(self):
        more = len(self.rows) - 1
        return self.rows[0] + (" (and %d more)" % more if more else "")

    def exclusion(self, compiler):
        """Why the program is not for this compiler; None if it is."""
        needs = self.needs | ({NEWER} if self.is_newer else set())
        reasons = [text for need, text in {**EXCLUDED, **compiler.lacks}.items() if need in needs]
        return reasons[0] if reasons else None

    @property
    def is_newer(self):
        """Whether it needs sub-groups, or atomic functions of device scope."""
        return self.device_scope or bool(SUB_GROUPS & self.needs)

    def options(self, compiler):
        """Flags of the compiler: the language, then the macros."""
        return ["-cl-std=" + compiler.language(self.is_newer)] + [
            "-D%s=%d" % (name, value) for name, value in sorted(self.macros.items())]


def user_cache():
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def compilers_folder():
    """The folder of tools/compilers.sh."""
    return os.environ.get("PMPP_COMPILERS") or os.path.join(user_cache(), "pmpp-compilers")


def cache_folder():
    """The folder of results and of compiled headers."""
    return os.path.join(user_cache(), "pmpp", "offline")


def programs(dump, lanes, tunables=False):
    """The list from the executable dump_programs. is_first: the first choice of a row."""
    command = [dump, str(lanes)] + (["tunables"] if tunables else [])
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    found, seen = {}, set()
    for entry in json.loads(text):
        key = json.dumps([entry["path"], entry["macros"], entry["device_scope"]], sort_keys=True)
        program = found.setdefault(key, Program(entry))
        program.needs |= set(entry["needs"])
        program.add(entry)
        program.is_first = program.is_first or entry["row"] not in seen
        seen.add(entry["row"])
    return list(found.values())


def run(command, **more):
    """(exit status, stdout and stderr) of a command that ends within COMPILE_SECONDS."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=COMPILE_SECONDS, check=False, errors="replace", **more)
    except subprocess.TimeoutExpired:
        return 1, "the compiler did not end within %d s" % COMPILE_SECONDS
    return done.returncode, done.stdout


def files_identity(paths):
    """Changes if one of the files is replaced."""
    stats = [(path, os.stat(path)) for path in sorted(paths)]
    return " ".join("%s:%d:%d" % (path, stat.st_size, stat.st_mtime_ns) for path, stat in stats)


def compile_header(base, standard, header, path):
    """Writes the compiled header, or nothing. Renamed into place: a reader never gets a part of a file."""
    os.makedirs(cache_folder(), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        part = os.path.join(folder, "header.pch")
        status, _ = run(base + ["-cl-no-stdinc", standard, "-Xclang", "-emit-pch", "-x", "cl-header",
                                "-o", part, header])
        if status == 0:
            os.replace(part, path)


@functools.lru_cache(maxsize=None)
def compiled_header(base, standard):
    """The path of clang's header with all declarations, compiled; None if that is not possible."""
    try:
        resources = subprocess.run([base[0], "-print-resource-dir"], capture_output=True, text=True,
                                   check=True).stdout.strip()
        header = os.path.join(resources, "include", "opencl-c.h")
        inputs = [header, os.path.join(resources, "include", "opencl-c-base.h"),
                  os.path.realpath(base[0])]
        key = json.dumps([base, standard, files_identity(inputs)])
        path = os.path.join(cache_folder(), hashlib.sha256(key.encode()).hexdigest() + ".pch")
        if not os.path.exists(path):
            compile_header(list(base), standard, header, path)
    except (OSError, subprocess.CalledProcessError):
        return None
    return path


def header_flags(version, base, standard):
    """clang 14 declares wait_group_events() with pointers that OpenCL C 1.2 does not have, but not in
    the header with all declarations. clang needs more time for this header than for a kernel, so the
    header is compiled once. base: a tuple of clang's path, the target and all flags that change
    declarations. standard: the flag with the language."""
    if version != 14:
        return []
    path = compiled_header(base, standard)
    if path and os.path.exists(path):
        return ["-cl-no-stdinc", "-Xclang", "-include-pch", "-Xclang", path]
    return ["-cl-no-stdinc", "-Xclang", "-finclude-default-header"]


class Cache:
    """Results by the content of their inputs, in the user's cache folder."""

    def __init__(self):
        self.folder = cache_folder()

    def path(self, compiler, program, source):
        key = json.dumps([compiler.name, compiler.identity, program.options(compiler), source])
        return os.path.join(self.folder, hashlib.sha256(key.encode()).hexdigest() + ".json")

    def read(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def write(self, path, result):
        """Renamed into place: a reader never gets a part of a file."""
        try:
            os.makedirs(self.folder, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(result, file)
            os.replace(part, path)
        except OSError:
            pass  # Without the cache the result is the same, but needs more time.


def code_identity(compiler):
    """The text of the compiler's module: a change of how results are read makes new results."""
    with open(inspect.getfile(type(compiler)), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def with_includes(path):
    """The text of a kernel file with the files that it includes from its folder in their places."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(path)
    return re.sub(r'^#include "([^"]+)"$',
                  lambda found: with_includes(os.path.join(folder, found[1])), text, flags=re.M)


def compile_one(root, compiler, program, cache, code):
    path = cache.path(compiler, program, code + with_includes(os.path.join(root, program.path)))
    result = cache.read(path)
    if result is None:
        with tempfile.TemporaryDirectory(prefix="pmpp-offline-") as folder:
            result = compiler.compile(program, os.path.join(root, program.path), folder)
        cache.write(path, result)
    return result


def compile_all(root, compiler, chosen, jobs=2):
    """[(program, result)] in the order of `chosen`."""
    cache, code = Cache(), code_identity(compiler)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda p: compile_one(root, compiler, p, cache, code), chosen)
        return list(zip(chosen, results))
