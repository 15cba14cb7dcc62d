"""The kernel files against the tables: every row has its files, every file has a row, and a pair has
the same entries with the same arguments.

usage: test_pairs.py SOURCE_ROOT DUMP_ROWS CC...

CC is the command of a C compiler, whose preprocessor gives an entry its parameters for the macros of
a row.
"""
import functools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

root, dump, *compiler = sys.argv[1:]
variants = json.loads(subprocess.run([dump], capture_output=True, check=True, text=True).stdout)
SIDES = {"cl": "cl_kernels", "cu": "cuda_kernels"}
ENTRY = {
    "cl": re.compile(r"__kernel\s+void\s+(\w+)\s*\(([^)]*)\)"),
    "cu": re.compile(r'extern\s+"C"\s+__global__\s+void\s+(\w+)\s*\(([^)]*)\)'),
}
SCALARS = {"int": "int", "uint": "uint", "unsigned": "uint", "unsigned int": "uint",
           "ulong": "ulong", "unsigned long long": "ulong", "float": "float",
          "tensor_map": "tensor_map"}


def file_of(variant, side):
    return os.path.join(SIDES[side], variant["family"], variant["file"] + "." + side)


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as source:
        return source.read()


def included(path):
    """A kernel file with its own include files in their places. It has no files of the compiler and no
    #error: the preprocessor has no macros of a device."""
    folder = os.path.dirname(path)
    text = re.sub(r'^#include "([^"]+)"$', lambda found: included(os.path.join(folder, found[1])),
                  read(path), flags=re.M)
    return re.sub(r"^#\s*(?:include\s*<[^>]+>|error\b.*)$", "", text, flags=re.M)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


@functools.lru_cache(maxsize=None)
def preprocessed(path, macros):
    """The text that the compiler gets for a row: an attribute can be a macro, and a parameter can be
    under a condition."""
    options = ["-D%s=%s" % macro for macro in macros]
    done = subprocess.run([*compiler, "-E", "-P", "-w", "-undef", "-x", "c", *options, "-"],
                          input=included(path), capture_output=True, text=True, check=False)
    rows.check(done.returncode == 0, "%s: %s" % (path, done.stderr))
    return done.stdout


def parameter(text, side, path):
    """(name, kind): in, out, shared, int, uint, ulong or float."""
    words = re.sub(r"\b(restrict|__restrict__|__restrict|__global)\b", " ", text)
    name = re.search(r"(\w+)\s*$", words).group(1)
    kind = re.sub(r"\s+", " ", words[:words.rindex(name)]).strip()
    if "__local" in kind:
        return name, "shared"
    if "*" in kind:
        if side == "cl":
            rows.check("__global" in text or "__constant" in text,
                       "%s: %s is no global pointer" % (path, name))
        return name, "in" if re.search(r"\bconst\b", kind) else "out"
    kind = kind.replace("const ", "").replace("__grid_constant__ ", "")
    rows.check(kind in SCALARS, "%s: argument %s is of type '%s'" % (path, name, kind))
    return name, SCALARS[kind]


def without_attributes(text):
    """Parentheses of an attribute can be nested."""
    while found := re.search(r"\b(?:__attribute__|__launch_bounds__|__cluster_dims__)\s*\(", text):
        end, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:found.start()] + text[end:]
    return text


def entries(variant, side):
    path, found = file_of(variant, side), {}
    text = without_attributes(preprocessed(path, tuple(variant["macros"].items())))
    for name, parameters in ENTRY[side].findall(text):
        rows.check(name not in found, "%s: entry %s twice" % (path, name))
        found[name] = [parameter(p, side, path) for p in parameters.split(",")]
    rows.check(found, "%s: no entry found" % path)
    return found


# ---- Rows -----------------------------------------------------------------------------------

def has_files(variant):
    twin = os.path.isfile(os.path.join(root, file_of(variant, "cl")))
    if variant["cuda_only"]:
        rows.check(variant["needs"] != 0, "only in CUDA without a need of the hardware")
        paired = any(not v["cuda_only"] and file_of(v, "cl") == file_of(variant, "cl") for v in variants)
        rows.check(twin == paired, "only in CUDA, but %s is there" % file_of(variant, "cl"))
    else:
        rows.check(twin, "no " + file_of(variant, "cl"))
    twin = os.path.isfile(os.path.join(root, file_of(variant, "cu")))
    if variant["one_sided"]:
        rows.check(variant["needs"] != 0, "one-sided without a need of the hardware")
        rows.check(not twin, "one-sided, but %s is there" % file_of(variant, "cu"))
    else:
        rows.check(twin, "no " + file_of(variant, "cu"))


def matches_plan(variant, side):
    """What the plan passes is what the entry takes."""
    path, found = file_of(variant, side), entries(variant, side)
    for step in variant["steps"]:
        rows.check(step["entry"] in found, "%s has no entry %s" % (path, step["entry"]))
        kinds = [kind for _, kind in found[step["entry"]]]
        passed = list(step["args"])
        if step["shared"] and side == "cl":
            passed.append("shared")
        rows.check(len(kinds) == len(passed), "%s takes %d arguments, the plan passes %d" %
                   (step["entry"], len(kinds), len(passed)))
        for index, (kind, given) in enumerate(zip(kinds, passed)):
            if given == "scratch" and kind in ("in", "out"):
                continue
            rows.check(kind == given, "%s, argument %d is '%s', the plan passes '%s'" %
                       (step["entry"], index, kind, given))


def same_entries(variant):
    cl, cu = entries(variant, "cl"), entries(variant, "cu")
    rows.equal(sorted(cl), sorted(cu), "entries of the pair")
    for name in cl:
        shared = [p for p in cl[name] if p[1] != "shared"]
        rows.equal(shared, cu[name], "arguments of %s (OpenCL, CUDA)" % name)


def pragmas(path):
    """(pragma, condition and step of its loop), in order. OpenCL's own pragmas are left out."""
    text = without_comments(included(path)).replace("unsigned long long", "ulong")
    text = text.replace("unsigned", "uint")
    found = re.findall(r"#\s*pragma\s+(?!OPENCL\b)([^\n]*)\n\s*([^\n]*)", text)
    for pragma, loop in found:
        rows.check(loop.count(";") >= 2, "%s: no loop follows #pragma %s" % (path, pragma))
    return [(pragma.strip(), loop[loop.index(";"):loop.rindex(")")]) for pragma, loop in found]


def same_pragmas(path, twin):
    """Both sides unroll the same loops."""
    rows.equal(pragmas(path), pragmas(twin), "pragmas of %s" % path)


def uses_macros(variant, side):
    text = without_comments(included(file_of(variant, side)))
    for macro in variant["macros"]:
        rows.check(re.search(r"\b%s\b" % macro, text),
                   "%s does not use the macro %s of its row" % (file_of(variant, side), macro))


# Words of the two languages that macros of the kernels use. Some are joined with a number (vload16).
WORDS = set("""asm static inline always_inline __device__ __forceinline__ unsigned char int float
               half uchar uint4 uint16 ushort16 float16 __half vload vstore
               convert_float convert_double double""".split())


def captures_nothing(path):
    """A macro uses its parameters, other macros and functions, and no variable of the place where it
    is used."""
    text = without_comments(read(path)).replace("\\\n", " ")
    for name, arguments, body in re.findall(
            r"^\s*#\s*define\s+(\w+)(?:\(([^)]*)\))?(.*)$", text, flags=re.M):
        parameters = {word.strip() for word in arguments.split(",")}
        body = re.sub(r'"(?:\\.|[^"])*"', " ", body)
        # Not a member, a number's suffix or a call. Variables are lower-case, operands one letter.
        used = set(re.findall(r"(?<![\w.>])(?:[a-z_]\w*|[A-Z])\b(?!\s*\()", body))
        captured = used - parameters - WORDS
        rows.check(not captured, "the macro %s uses %s, which is no parameter of it"
                   % (name, ", ".join(sorted(captured))))


def documented(path):
    text = read(path)
    rows.check(text.startswith("/*"), "does not open with a comment")
    head = text[:text.index("*/")]
    rows.check(len(head.split()) >= 20, "its opening comment says too little")
    rows.check(len(text.splitlines()) < 600, "600 lines or more")


def has_row(path):
    family, name = path.split(os.sep)[1:3]
    stem, side = os.path.splitext(name)
    used = [v for v in variants if v["family"] == family and v["file"] == stem]
    rows.check(used, "no row of family %s has the file %s" % (family, stem))
    steps = {step["entry"] for v in used for step in v["steps"]}
    for entry in {entry for v in used for entry in entries(v, side[1:])}:
        rows.check(entry in steps, "no row launches the entry %s" % entry)


def has_kernel(path):
    """A kernel file of the folder includes the include file."""
    folder, name = os.path.split(path)
    lines = [line for other in os.listdir(os.path.join(root, folder))
             for line in read(os.path.join(folder, other)).splitlines()]
    rows.check('#include "%s"' % name in lines, "no file of the folder includes it")


def include_files():
    for folder in SIDES.values():
        for directory, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith(".inc"):
                    yield os.path.relpath(os.path.join(directory, name), root)


def kernel_files():
    for side, folder in sorted(SIDES.items()):
        for directory, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(directory, name), root)
                if name.endswith("." + side):
                    yield path
                elif not name.endswith((".h", ".inc")):
                    rows.row(path, lambda: rows.check(False, "what is this file?"))


for v in variants:
    title = "%s/%s" % (v["family"], v["name"])
    rows.row(title + ": files", has_files, v)
    if not v["cuda_only"]:
        rows.row(title + ": plan and OpenCL entry", matches_plan, v, "cl")
        rows.row(title + ": macros in OpenCL", uses_macros, v, "cl")
    if not v["one_sided"]:
        rows.row(title + ": plan and CUDA entry", matches_plan, v, "cu")
        rows.row(title + ": macros in CUDA", uses_macros, v, "cu")
    if not v["one_sided"] and not v["cuda_only"]:
        rows.row(title + ": the same entries on both sides", same_entries, v)
for kernel in sorted(kernel_files()):
    rows.row(kernel + ": has a row", has_row, kernel)
    rows.row(kernel + ": is documented", documented, kernel)
    rows.row(kernel + ": macros capture no variable", captures_nothing, kernel)
for include in sorted(include_files()):
    rows.row(include + ": has a kernel", has_kernel, include)
    rows.row(include + ": is documented", documented, include)
    rows.row(include + ": macros capture no variable", captures_nothing, include)
for kernel in sorted(kernel_files()):
    twin = os.path.splitext(kernel.replace(SIDES["cl"], SIDES["cu"]))[0] + ".cu"
    if kernel.endswith(".cl") and os.path.isfile(os.path.join(root, twin)):
        rows.row(kernel + ": the pragmas of its twin", same_pragmas, kernel, twin)
rows.finish()
