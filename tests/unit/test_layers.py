"""Layers: the headers, functions and libraries that files of common/ and host/ may use.

usage: test_layers.py SOURCE_ROOT

A module is a .c file with the .h file of the same name. The rules:
  up       a file includes headers and calls functions of its own layer and of the layers that USES
           lists, and of no other layer
  backend  no file above host/gpu includes a header of a backend
  cycle    modules include and call each other in one direction only
  io       common/ has no input, no output and no call of a GPU
  json     only host/record uses the JSON library, and host/page/page for the figures of charts
  layer    every file belongs to a layer
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

# Prefixes of paths. The longest matching prefix decides.
LAYERS = {
    "cli": ["host/cli/"],
    "run": ["host/run/"],
    "page": ["host/page/"],
    "report": ["host/report/"],
    "contribute": ["host/contribute/"],
    "explain": ["host/explain/"],
    "selftest": ["host/selftest/"],
    "suite": ["host/suite/"],
    "gpu": ["host/gpu/"],
    "sensors": ["host/sensors/"],
    "compare": ["host/compare/"],
    "record": ["host/record/"],
    "io": ["host/io/"],
    "families": ["common/families/", "common/family", "common/check_sizes", "common/symptoms", "common/own/"],
    "model": ["common/model/"],
    "common": ["common/"],
}
COMMON = ["families", "model", "common"]
BELOW_SUITE = ["record", "io"] + COMMON
# Each folder of host/gpu is a backend. It implements the contract of host/gpu, which calls it only
# through a table.
BACKEND_FOLDER = re.compile(r"(host/gpu/\w+)/")
BACKEND = ["gpu", "io", "model", "common"]
# The front ends of the emulator use the emulator.
FRONT_ENDS = {folder: BACKEND + ["host/gpu/emu"]
              for folder in ("host/gpu/cuda_emu", "host/gpu/opencl_emu")}
USES = {
    "cli": ["page", "run", "report", "contribute", "explain", "selftest", "suite", "gpu", "compare"] + BELOW_SUITE,
    "page": ["report", "compare", "record", "io"] + COMMON,
    "run": ["report", "explain", "selftest", "suite", "gpu", "compare"] + BELOW_SUITE,
    "report": ["contribute", "explain", "suite", "gpu", "compare"] + BELOW_SUITE,
    "contribute": ["suite", "compare"] + BELOW_SUITE,
    "explain": ["suite", "gpu"] + BELOW_SUITE,
    "selftest": ["suite", "gpu"] + BELOW_SUITE,
    "suite": ["gpu", "sensors"] + BELOW_SUITE,
    "gpu": ["io", "model", "common"],
    "compare": ["record"] + COMMON,
    "sensors": ["record"] + COMMON,
    "record": ["io"] + COMMON,
    "io": COMMON,
    "families": ["model", "common"],
    "model": ["common"],
    "common": [],
}
ABOVE_GPU = ["cli", "page", "run", "report", "contribute", "explain", "selftest", "suite", "record"]

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)
# Comments, strings and characters.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
# A name that is not a member of a struct.
NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
TAG = re.compile(r"\b(struct|union|enum)\s+\w+")
CALL = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(")
DEFINITION = re.compile(r"^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w \t\n*]*?\b([A-Za-z_]\w*)\s*"
                        r"\([^;{}]*?\)\s*\{", re.M)
SYSTEM_HEADERS = re.compile(r"sys/|netinet/|arpa/|CL/|cuda|nvrtc|(fcntl|unistd|dirent|poll|netdb|"
                            r"dlfcn|termios)\.h$")
IO_CALLS = set("""fopen fdopen freopen fclose fread fwrite fgets fgetc getc getchar fputs fputc puts
    putc putchar printf vprintf fprintf vfprintf dprintf perror scanf fscanf fflush fseek ftell
    rewind tmpfile open openat creat read write pread pwrite close lseek mmap stat fstat lstat
    access mkdir rmdir unlink remove rename opendir readdir socket connect bind listen accept send
    recv poll select ioctl fork execv execvp popen system dlopen getenv""".split())
IO_NAMES = {"stdin", "stdout", "stderr"}
GPU_CALL = re.compile(r"(gpu_|nvrtc)\w+|(cl|cu)[A-Z]\w*")


class Tree:
    """The files of common/ and host/ below a root: text, code (text without comments and strings)
    and includes by path."""

    def __init__(self, root):
        self.text, self.code, self.quoted, self.system = {}, {}, {}, {}
        for top in ("common", "host"):
            for folder, _, names in os.walk(os.path.join(root, top)):
                # Compiled with the kernels, by a C++ compiler.
                if folder.endswith("emu/runtime"):
                    continue
                for name in names:
                    if name.endswith((".c", ".h")):
                        path = os.path.relpath(os.path.join(folder, name), root)
                        with open(os.path.join(root, path), encoding="utf-8") as file:
                            self.add(path, file.read())

    def add(self, path, text):
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        found = INCLUDE.findall(bare)
        self.text[path] = text
        self.code[path] = NO_CODE.sub(" ", text)
        self.quoted[path] = [name for kind, name in found if kind == '"']
        self.system[path] = [name for kind, name in found if kind == "<"]


def layer_of(path):
    backend = BACKEND_FOLDER.match(path)
    if backend:
        return backend.group(1)
    best = max(((len(prefix), layer) for layer, prefixes in LAYERS.items() for prefix in prefixes
                if path.startswith(prefix)), default=(0, None))
    return best[1]


def is_backend(layer):
    return "/" in layer


def layers_below(layer):
    return FRONT_ENDS.get(layer, BACKEND) if is_backend(layer) else USES[layer]


def module_of(path):
    return os.path.splitext(path)[0]


# ---- Rules ------------------------------------------------------------------------------------


def wrong_includes(tree):
    for path, headers in tree.quoted.items():
        layer = layer_of(path)
        if not layer:
            yield "layer: " + path
        for header in headers + [name for name in tree.system[path]
                                 if name.startswith(("common/", "host/")) or ".." in name]:
            if not header.startswith(("common/", "host/")) or ".." in header:
                yield "include: %s -> %s (write the path from the root)" % (path, header)
            other = layer_of(header)
            if not layer or not other or other == layer:
                continue
            if is_backend(other) and layer in ABOVE_GPU:
                yield "backend: %s -> %s" % (path, header)
            elif other not in layers_below(layer):
                yield "up: %s -> %s" % (path, header)


def definitions(tree):
    """The .c files that define each function that others may call."""
    defined = {}
    for path, code in sorted(tree.code.items()):
        if path.endswith(".c"):
            flat = re.sub(r"^\s*#(.*\\\n)*.*$", "", code, flags=re.M)
            for name in DEFINITION.findall(flat):
                defined.setdefault(name, []).append(path)
    return defined


def visible_names(tree, path):
    """The names in the headers that a file includes, directly or not."""
    seen, left = set(), [path]
    while left:
        for header in tree.quoted.get(left.pop(), ()):
            if header not in seen:
                seen.add(header)
                left.append(header)
    return set().union(*(NAME.findall(tree.code[header]) for header in seen if header in tree.code))


def calls(tree):
    """For each .c file, (function, the file that defines it) of the functions of other files that
    it uses."""
    defined = definitions(tree)
    for path, code in tree.code.items():
        if path.endswith(".c"):
            names = set(NAME.findall(TAG.sub(" ", code))) & visible_names(tree, path) & set(defined)
            yield path, [(name, defined[name][0]) for name in names if path not in defined[name]]


def wrong_calls(tree):
    for path, used in calls(tree):
        layer = layer_of(path)
        for name, definer in used:
            other = layer_of(definer)
            if layer and other and layer != other and other not in layers_below(layer):
                yield "up: %s calls %s" % (path, name)


def arrows(tree):
    """The modules that each module includes or calls. A header without a .c file of its name only
    declares: a .c file that includes it depends on what it calls."""
    result = {module_of(path): set() for path in tree.code}
    for path, headers in tree.quoted.items():
        result[module_of(path)].update(
            module_of(header) for header in headers
            if path.endswith(".h") or module_of(header) + ".c" in tree.code)
    for path, used in calls(tree):
        result[module_of(path)].update(module_of(definer) for _, definer in used)
    for module, targets in result.items():
        targets.discard(module)
    return result


def components(graph):
    """Groups of nodes that reach each other (Tarjan)."""
    index, low, stack, groups = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node):]
            del stack[stack.index(node):]
            groups.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return [group for group in groups if len(group) > 1]


def cycles(tree):
    for group in components(arrows(tree)):
        for module in group:
            yield "cycle: " + module


def io_in_common(tree):
    for path, code in tree.code.items():
        if not path.startswith("common/"):
            continue
        used = set(NAME.findall(code)) & IO_NAMES
        used |= {name for name in CALL.findall(code)
                 if name in IO_CALLS or GPU_CALL.fullmatch(name)}
        used |= {"<%s>" % name for name in tree.system[path] if SYSTEM_HEADERS.match(name)}
        for name in sorted(used):
            yield "io: %s %s" % (path, name)


# The figures of the page's charts are no record: they are computed for the script.
JSON_IN_PAGE = "host/page/page.c"


def json_outside(tree):
    for path, text in tree.text.items():
        if path.startswith("host/record/") or path == JSON_IN_PAGE:
            continue
        if "json_" in text or "jansson.h" in tree.system[path] + tree.quoted[path]:
            yield "json: " + path


def breaks(tree):
    found = set()
    for rule in (wrong_includes, wrong_calls, cycles, io_in_common, json_outside):
        found.update(rule(tree))
    return found


# ---- Planted trees: the checker finds each violation --------------------------------------------

CLEAN = {
    "common/status.h": "enum status { OK };\n",
    "common/model/limit.c": '#include "common/model/limit.h"\n#include <stdio.h>\n'
                            "int limit(char *text)\n{\n"
                            "\treturn snprintf(text, 1, \"printf(\");\n}\n",
    "common/model/limit.h": '/* #include "host/cli/main.h" */\nint limit(char *text);\n',
    "common/families/sum.c": '#include "common/model/limit.h"\n',
    "host/gpu/gpu.h": '#include "common/status.h"\nstruct device;\n',
    "host/gpu/opencl/device.c": '#include "host/gpu/gpu.h"\n'
                                "int opencl_open(void)\n{\n\treturn 0;\n}\n",
    "host/gpu/opencl/device.h": "int opencl_open(void);\n",
    "host/record/json.c": "#include <jansson.h>\n"
                          "void *encode(void)\n{\n\treturn json_object();\n}\n",
    "host/suite/suite.c": '#include "host/suite/suite.h"\n#include "host/gpu/gpu.h"\n'
                          "int suite(struct verify *v)\n{\n\treturn verify() + v->job();\n}\n",
    "host/suite/suite.h": "int suite(struct verify *v);\nint verify(void);\n",
    "host/suite/verify.c": '#include "common/model/limit.h"\nint verify(void)\n{\n\treturn 0;\n}\n',
    "host/cli/job.c": '#include "host/suite/suite.h"\nint job(void)\n{\n\treturn suite(0);\n}\n',
}

PLANTED = [
    ("a clean tree", {}, []),
    ("up: suite -> cli", {"host/suite/suite.h": '#include "host/cli/job.h"\n'},
     ["cycle: host/cli/job", "cycle: host/suite/suite",
      "up: host/suite/suite.h -> host/cli/job.h"]),
    ("include: in angle brackets", {"host/suite/suite.h": "#include <host/cli/job.h>\n"},
     ["up: host/suite/suite.h -> host/cli/job.h"]),
    ("include: by a relative path", {"host/suite/suite.c": '#include "../cli/job.h"\n'},
     ["include: host/suite/suite.c -> ../cli/job.h (write the path from the root)"]),
    ("up: common -> host", {"common/bound.c": '#include "host/io/npy.h"\n'},
     ["up: common/bound.c -> host/io/npy.h"]),
    ("up: model -> family", {"common/model/limit.h": '#include "common/family.h"\n'},
     ["up: common/model/limit.h -> common/family.h"]),
    ("up: record -> suite", {"host/record/row.c": '# include "host/suite/suite.h"\n'},
     ["up: host/record/row.c -> host/suite/suite.h"]),
    ("up: gpu -> backend", {"host/gpu/table.c": '#include "host/gpu/opencl/device.h"\n'},
     ["up: host/gpu/table.c -> host/gpu/opencl/device.h"]),
    ("up: a call of a function of a higher layer",
     {"common/a.h": "int verify(void);\n",
      "common/a.c": '#include "common/a.h"\nint a(void)\n{\n\treturn verify();\n}\n'},
     ["up: common/a.c calls verify"]),
    ("up: a call of a backend",
     {"host/gpu/ptx.h": "int opencl_open(void);\n",
      "host/cli/ptx.c": '#include "host/gpu/ptx.h"\n'
                        "int ptx(void)\n{\n\treturn opencl_open();\n}\n"},
     ["up: host/cli/ptx.c calls opencl_open"]),
    ("backend: suite -> opencl", {"host/suite/suite.h": '#include "host/gpu/opencl/device.h"\n'},
     ["backend: host/suite/suite.h -> host/gpu/opencl/device.h"]),
    ("backend: cuda -> opencl", {"host/gpu/cuda/load.c": '#include "host/gpu/opencl/device.h"\n'},
     ["up: host/gpu/cuda/load.c -> host/gpu/opencl/device.h"]),
    ("layer: a new folder", {"host/misc/a.c": "\n"}, ["layer: host/misc/a.c"]),
    ("a new backend", {"host/gpu/null/a.c": '#include "host/gpu/gpu.h"\n'}, []),
    ("up: a new backend -> opencl", {"host/gpu/null/a.c": '#include "host/gpu/opencl/device.h"\n'},
     ["up: host/gpu/null/a.c -> host/gpu/opencl/device.h"]),
    ("cycle of headers", {"host/io/a.h": '#include "host/io/b.h"\n',
                          "host/io/b.h": '#include "host/io/a.h"\n'},
     ["cycle: host/io/a", "cycle: host/io/b"]),
    ("cycle of modules", {"host/io/a.h": "\n", "host/io/b.h": "\n",
                          "host/io/a.c": '#include "host/io/b.h"\n',
                          "host/io/b.c": '#include "host/io/a.h"\n'},
     ["cycle: host/io/a", "cycle: host/io/b"]),
    ("cycle of three", {"host/io/a.h": '#include "host/io/b.h"\n',
                        "host/io/b.h": '#include "host/io/c.h"\n',
                        "host/io/c.h": '#include "host/io/a.h"\n'},
     ["cycle: host/io/a", "cycle: host/io/b", "cycle: host/io/c"]),
    ("no cycle: a header without a source", {
        "host/io/a.h": "\n", "host/io/a.c": '#include "host/io/types.h"\n',
        "host/io/types.h": '#include "host/io/a.h"\n'}, []),
    ("cycle of calls", {"host/suite/verify.c": '#include "host/suite/suite.h"\n'
                                              "int verify(void)\n{\n\treturn suite(0);\n}\n"},
     ["cycle: host/suite/suite", "cycle: host/suite/verify"]),
    ("fopen in common", {"common/data.c": 'void *f(void)\n{\n\treturn fopen("a", "r");\n}\n'},
     ["io: common/data.c fopen"]),
    ("stderr in common", {"common/model/a.c": "void *f(void)\n{\n\treturn stderr;\n}\n"},
     ["io: common/model/a.c stderr"]),
    ("a system header in common", {"common/a.h": "#include <sys/socket.h>\n#include <math.h>\n"},
     ["io: common/a.h <sys/socket.h>"]),
    ("a GPU call in common", {"common/a.c": "int f(void)\n{\n\treturn clFinish(0);\n}\n"},
     ["io: common/a.c clFinish"]),
    ("JSON in suite", {"host/suite/roofs.c": "#include <jansson.h>\n"},
     ["json: host/suite/roofs.c"]),
    ("a JSON call in cli", {"host/cli/job.c": "int job(void)\n{\n\treturn json_true();\n}\n"},
     ["json: host/cli/job.c"]),
]


def planted(files, want):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**CLEAN, **files}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        rows.equal(sorted(breaks(Tree(root))), sorted(want), "breaks")


# ---- This tree ----------------------------------------------------------------------------------

def this_tree(root):
    found = sorted(breaks(Tree(root)))
    for line in found:
        rows.note(line)
    rows.check(not found, "%d breaks" % len(found))


for title, changed, expected in PLANTED:
    rows.row("planted: " + title, planted, changed, expected)
rows.row("this tree", this_tree, sys.argv[1])
rows.finish()
