"""The declarations of host/gpu/cuda/driver_api.h, nvrtc_api.h and cublas_api.h against the headers of a
CUDA Toolkit.

usage: test_cuda_api.py SOURCE_ROOT COMPILER...

Skipped without a toolkit: CUDA_HOME, CUDA_PATH, /usr/local/cuda or /usr; cuBLAS also without its header. A
C file includes both. The project's names get a prefix first, so that they do not collide with those of the
toolkit.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT, *COMPILER = sys.argv[1:]
NAME = re.compile(r"\b(?:CU\w*|cu(?:da|blas)?[A-Z]\w+|NVRTC_\w+|nvrtc[A-Z]\w+)\b")
CONSTANT = re.compile(r"\b((?:CU|CUDA|NVRTC|CUBLAS)_\w+)(?: =|,) -?\d+")
TYPE = re.compile(r"^(?:typedef .*?|\} )\*?(\w+);", re.M)
# What a row of each map declares.
ROWS = {
    "driver_api.h": "#define XX(name, symbol, older, since, parameters) typedef CUresult (*want_##name) "
                    "parameters; static const char *const symbols_##name[] = {symbol, older};",
    "nvrtc_api.h": "#define XX(name, parameters) typedef nvrtcResult (*want_##name) parameters;",
    "cublas_api.h": "#define XX(name, symbol, parameters) typedef cublasStatus_t (*want_##name) "
                    "parameters; static const char *const symbols_##name[] = {symbol, NULL};",
}
TEXTS = r"""
#define TEXT_OF(name) #name
#define TEXT_OF_EXPANDED(name) TEXT_OF(name)
#include <stdio.h>
#include <string.h>
static int wrong;
#define REPORT(bad, ...) do { if (bad) { printf(__VA_ARGS__); wrong = 1; } } while (0)
"""


def toolkit():
    """The include folder of a toolkit."""
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", "/usr"):
        include = os.path.join(root or "/nowhere", "include")
        if all(os.path.exists(os.path.join(include, name)) for name in ("cuda.h", "nvrtc.h")):
            return include
    raise rows.Skip("no cuda.h and nvrtc.h of a CUDA Toolkit")


def header(name):
    with open(os.path.join(ROOT, "host", "gpu", "cuda", name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def functions(text):
    """(name, first CUDA version with the function) of each row of the map."""
    return [(name, int(since or 0)) for name, since in
            re.findall(r'XX\(((?:cu|cublas|nvrtc)[A-Z]\w+), (?:"\w+", (?:NULL|"\w+"), (\d+), )?', text)]


def program(ours, theirs):
    """The C file. Its lines on stdout name what differs."""
    text = header(ours)
    names = sorted(set(NAME.findall(text)) - set(re.findall(r"#define (\w+)", text)))
    lines = [TEXTS]
    lines += ["#define %s own_%s" % (name, name) for name in names]
    lines.append('#include "host/gpu/cuda/%s"' % ours)
    lines += ["#undef %s" % name for name in names]
    lines.append("#include <%s>" % theirs)
    # Parameters of a map are replaced by the toolkit's types, because its macro is expanded here.
    lines.append(ROWS[ours])
    lines += [re.search(r"#define (\w+_FUNCTION_MAP)", text).group(1) + "(XX)", "int main(void)", "{"]
    for name in CONSTANT.findall(text):
        lines.append('REPORT((int)own_%s != (int)%s, "%s: %%d, toolkit %%d\\n", (int)own_%s, (int)%s);' %
                     ((name,) * 5))
    for name in TYPE.findall(text):
        lines.append('REPORT(sizeof(own_%s) != sizeof(%s), "%s: %%zu bytes, toolkit %%zu\\n", '
                     'sizeof(own_%s), sizeof(%s));' % ((name,) * 5))
    for name, since in functions(text):
        if since:
            lines.append("#if CUDA_VERSION >= %d" % since)
        lines.append('REPORT(!__builtin_types_compatible_p(__typeof__(&%s), want_%s), '
                     '"%s: other parameters than in the toolkit\\n");' % ((name,) * 3))
        if "symbols_" in ROWS[ours]:
            lines.append('{ const char *const *own = symbols_%s; const char *name = TEXT_OF_EXPANDED(%s);'
                         'REPORT(strcmp(name, own[0]) != 0 && (!own[1] || strcmp(name, own[1]) != 0), '
                         '"%s: symbol %%s, toolkit %%s\\n", own[0], name); }' % ((name,) * 3))
        if since:
            lines.append("#endif")
    return "\n".join(lines + ["return wrong;", "}", ""])


def differences(text, include):
    """What the program prints, or the compiler's errors."""
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "compare")
        command = COMPILER + ["-std=gnu11", "-I", ROOT, "-idirafter", include, "-x", "c", "-", "-o", binary]
        result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if result.returncode:
            return result.stderr
        return subprocess.run([binary], capture_output=True, text=True, check=False).stdout


def same(ours, theirs, least):
    text = program(ours, theirs)
    if not os.path.exists(os.path.join(toolkit(), theirs)):
        raise rows.Skip("the toolkit has no " + theirs)
    rows.check(text.count("REPORT(") >= least, "only %d comparisons" % text.count("REPORT("))
    rows.equal(differences(text, toolkit()), "", "differences")


def finds(change, want):
    """A wrong declaration is found."""
    include = toolkit()
    text = program("driver_api.h", "cuda.h")
    own = header("driver_api.h")
    wrong = re.sub(*change, own)
    rows.check(wrong != own, "nothing was changed")
    text = text.replace('#include "host/gpu/cuda/driver_api.h"', wrong)
    got = differences(text, include)
    rows.check(want in got and got.count("\n") == 1, "got: " + got)


rows.row("driver", same, "driver_api.h", "cuda.h", 140)
rows.row("NVRTC", same, "nvrtc_api.h", "nvrtc.h", 20)
rows.row("cuBLAS", same, "cublas_api.h", "cublas_v2.h", 28)
rows.row("a wrong value", finds, (r"(CUDA_ERROR_ASSERT,) \d+", r"\1 711"), "CUDA_ERROR_ASSERT: 711")
rows.row("a wrong size", finds, ("char bytes.16.", "char bytes[32]"), "CUuuid: 32 bytes")
rows.row("wrong parameters", finds, (r"\(size_t .free_bytes", "(unsigned *free_bytes"),
         "cuMemGetInfo: other parameters")
rows.row("a wrong symbol", finds, ("cuMemFree_v2", "cuMemFree"), "cuMemFree: symbol cuMemFree, ")
rows.finish()
