"""The cache of programs, roofs and probes: a folder or file that other users can write is not used."""
import os
import shutil

from command import describe, expect, json_file, kernel_tree, need, new_path, pmpp, read_text
import rows

CUDA_FILE = "cuda_kernels/vecadd/fine.cu"
OTHER_USER = 65534


def run(cache, tree=None, backend="cuda-emu", code=0, **changes):
    """The result and the row of vecadd/fine."""
    path = new_path("r.json")
    result = expect(code, "vecadd/fine", "--size=100", "--min-time=1", "--backend=" + backend,
                    "--json=" + path, *(["--kernel-dir=" + tree] if tree else []),
                    env=dict({"XDG_CACHE_HOME": cache}, **changes))
    return result, json_file(path)["results"][0]


def notes(result):
    return [line for line in result.stderr.split("\n") if line.startswith("note:")]


def new_cache():
    return os.path.dirname(new_path("x"))


def entries(cache):
    folder = os.path.join(cache, "pmpp", "programs")
    return [os.path.join(folder, name) for name in os.listdir(folder)]


def works():
    """A cache that can be used causes no note."""
    need("cuda-emu")
    cache = new_cache()
    for outcome in ("miss", "hit"):
        result, row = run(cache)
        rows.equal(row["build"]["cache"], outcome)
        rows.equal(notes(result), [])


def one_note(result, *parts):
    found = [line for line in notes(result) if "the cache is not used" in line]
    rows.equal(len(found), 1, "notes about the cache: " + result.stderr)
    for part in parts:
        rows.check(part in found[0], "the note lacks %r: %s" % (part, found[0]))


def untrusted_folder():
    """The folder is neither read nor written. There is one note, although several programs are built."""
    need("cuda-emu")
    cache = new_cache()
    run(cache)
    before = entries(cache)
    for folder in (cache, os.path.join(cache, "pmpp"), os.path.join(cache, "pmpp", "programs")):
        os.chmod(folder, 0o777)
        result, row = run(cache)
        rows.equal((row["status"], row["build"]["cache"]), ("ok", "miss"), "untrusted " + folder)
        one_note(result, folder, "other users can write", "go-w" if folder != cache else "")
        result = expect(0, "verify", "vecadd", "--size=100", "--backend=cuda-emu",
                        env={"XDG_CACHE_HOME": cache})
        one_note(result, folder)
        os.chmod(folder, 0o700)
    rows.equal(entries(cache), before, "the entries")
    rows.equal(run(cache)[1]["build"]["cache"], "hit")


def hostile_object(change):
    """An undamaged entry with the right name, but of a wrong kernel, is not loaded."""
    need("cuda-emu")
    cache, other = new_cache(), new_cache()
    wrong = kernel_tree({CUDA_FILE: lambda text: text.replace("LOAD(A, i) +", "LOAD(A, i) -")})
    run(cache)
    run(other, tree=wrong, code=3)
    mine, = entries(cache)
    # The failed kernel is also built with another fill, later.
    hostile = min(entries(other), key=os.path.getmtime)
    shutil.copyfile(hostile, mine)
    rows.equal(run(cache, code=3)[1]["status"], "failed", "the script did not replace the folder")
    change(mine)
    result, row = run(cache)
    rows.equal((row["status"], row["build"]["cache"]), ("ok", "rebuilt"), describe(result))
    one_note(result, os.path.join(cache, "pmpp", "programs"))
    result, row = run(cache)
    rows.equal((row["status"], row["build"]["cache"]), ("ok", "hit"), describe(result))
    rows.equal(notes(result), [])


def of_another_user(path):
    if os.geteuid() != 0:
        raise rows.Skip("only root can give a file to another user")
    os.chown(path, OTHER_USER, OTHER_USER)


def link(path):
    target = new_path("object")
    os.rename(path, target)
    os.symlink(target, path)


def no_folder():
    """No cache without both variables, with a folder that cannot be made, and with PMPP_NO_CACHE."""
    need("cuda-emu")
    result, row = run(None, HOME=None)
    rows.equal((row["status"], row["build"]["cache"]), ("ok", "miss"))
    one_note(result, "XDG_CACHE_HOME", "HOME")
    result, row = run("/proc/nowhere")
    rows.equal((row["status"], row["build"]["cache"]), ("ok", "miss"))
    one_note(result, "/proc/nowhere")
    result, row = run("/proc/nowhere", PMPP_NO_CACHE="1")
    rows.equal(row["status"], "ok")
    rows.equal(notes(result), [])


def hostile_roofs():
    """Roofs in a file that other users can write are measured again."""
    need("opencl")
    cache = new_cache()
    run(cache, backend="opencl")
    folder = os.path.join(cache, "pmpp", "roofs")
    path, = [os.path.join(folder, name) for name in os.listdir(folder)]
    text = read_text(path)
    for change, part in ((lambda: os.chmod(path, 0o666), "other users can write"),
                         (lambda: link(path), "a link")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"copy_gbps": ', '"copy_gbps": 9999'))
        change()
        result, row = run(cache, backend="opencl")
        one_note(result, folder, part)
        rows.check("9999" not in result.stdout, "the hostile roof is used: " + result.stdout)
        rows.equal(row["status"], "ok")
    rows.check(not os.path.islink(path), "the link is still there")


OPENCL_FILE = "cl_kernels/vecadd/fine.cl"


def tree_with_header(path, line):
    """A folder whose vecadd/fine takes its operator from a header."""
    return kernel_tree({path: lambda text: text.replace("#if defined", line + "\n#if defined", 1)
                        .replace("LOAD(A, i) +", "LOAD(A, i) OP")})


def write_header(path, operator):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#pragma once\n#define OP %s\n" % operator)


def changed_header(backend, place):
    """Each change of a header (right, wrong, right) gives a new program. place: where the header is,
    relative to the kernel or to --kernel-dir, or the variable with its folder."""
    need(backend)
    source = CUDA_FILE if backend == "cuda-emu" else OPENCL_FILE
    cache, folder = new_cache(), new_cache()
    line, variable = {"beside": ('#include "part.h"', None), "root": ('# include "part.h"', None),
                      "below": ('#include "../common/part.h"', None),
                      "CPATH": ('#include "part.h"', "CPATH"),
                      "C_INCLUDE_PATH": ("#include <part.h>", "C_INCLUDE_PATH"),
                      "CPLUS_INCLUDE_PATH": ("#include <part.h>", "CPLUS_INCLUDE_PATH"),
                      "absolute": ('#include <%s/part.h>' % folder, None)}[place]
    tree = tree_with_header(source, line)
    beside = os.path.dirname(os.path.join(tree, source))
    if place != "absolute" and not variable:
        folder = {"beside": beside, "root": tree, "below": os.path.join(beside, "../common")}[place]
        os.makedirs(folder, exist_ok=True)
    changes = dict({variable: folder} if variable else {}, POCL_CACHE_DIR=new_cache())
    for operator, code in (("+", 0), ("-", 3), ("+", 0)):
        write_header(os.path.join(folder, "part.h"), operator)
        result, row = run(cache, tree, backend, code, **changes)
        rows.equal(row["status"], "failed" if code else "ok", describe(result))
    if backend != "opencl":
        rows.equal(run(cache, tree, backend, **changes)[1]["build"]["cache"],
                   "miss" if variable else "hit", "unchanged header")


def hiding_header(backend, variable):
    """A new header hides the header that the compiler has read in a later folder of the variable. A
    program without such headers is kept."""
    need(backend)
    source = CUDA_FILE if backend == "cuda-emu" else OPENCL_FILE
    cache, first, second = new_cache(), new_cache(), new_cache()
    tree = tree_with_header(source, "#include <part.h>")
    changes = {variable: "%s::%s/" % (first, second)}
    write_header(os.path.join(second, "part.h"), "+")
    rows.equal(run(cache, tree, backend, **changes)[1]["status"], "ok")
    write_header(os.path.join(first, "part.h"), "-")
    rows.equal(run(cache, tree, backend, 3, **changes)[1]["status"], "failed")
    for outcome in ("miss", "hit"):
        rows.equal(run(cache, None, backend, **changes)[1]["build"]["cache"], outcome)


def added_header(backend, variable):
    """The program is compiled again after a header is added that the source tests with __has_include."""
    need(backend)
    source = CUDA_FILE if backend == "cuda-emu" else OPENCL_FILE
    cache, folder = new_cache(), new_cache()
    tree = tree_with_header(source, "#if __has_include(<part.h>)\n#include <part.h>\n#else\n"
                            "#define OP +\n#endif")
    changes = {variable: folder}
    rows.equal(run(cache, tree, backend, **changes)[1]["status"], "ok")
    write_header(os.path.join(folder, "part.h"), "-")
    rows.equal(run(cache, tree, backend, 3, **changes)[1]["status"], "failed")


def doctor():
    need("cuda-emu")
    cache = new_cache()
    text = expect(0, "doctor", env={"XDG_CACHE_HOME": cache}).stdout
    rows.check("ok   cache of programs: " + os.path.join(cache, "pmpp", "programs") in text, text)
    os.chmod(os.path.join(cache, "pmpp"), 0o777)
    result = expect(0, "doctor", env={"XDG_CACHE_HOME": cache})
    for name in ("programs", "roofs", "probes"):
        rows.check("no   cache of %s: none: %s: other users can write" %
                   (name, os.path.join(cache, "pmpp")) in result.stdout, result.stdout)
    rows.check("works without" not in result.stderr, result.stderr)


# Only a folder that was made for the compiler is replaced. Some calls run in the caller's folder.
SWAP = """#!/bin/sh
case "$PWD" in "%s"/*) ;; *) exec c++ "$@";; esac
c++ "$@" || exit 1
mv "$PWD" "$PWD.real"
cp -r "$PWD.real" "$PWD"
cd "$PWD" || exit 1
sed -i 's/LOAD(A, i) + LOAD(B, i)/LOAD(A, i) - LOAD(B, i)/' *
c++ "$@"
touch "%s"
"""


def swapped_folder():
    """The compiler's folder is replaced by one with a hostile object before the object is read."""
    need("cuda-emu")
    folder = os.path.realpath(new_cache())
    script = os.path.join(folder, "compiler")
    swapped = os.path.join(folder, "swapped")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SWAP % (folder, swapped))
    os.chmod(script, 0o755)
    here = os.getcwd()
    _, row = run(new_cache(), CXX=script, TMPDIR=folder)
    rows.check(os.path.samefile(here, "."), "the test's own folder was replaced")
    rows.check(os.path.exists(swapped), "the script did not replace the folder")
    rows.equal(row["status"], "ok", "the hostile object was loaded")


def pocl_without_cache():
    """PoCL has no device without its own cache: the message names the variables, not the driver."""
    need("opencl")
    path = new_path("file")
    with open(path, "w", encoding="utf-8"):
        pass
    result = pmpp("vecadd/fine", "--size=5", "--backend=opencl",
                  env={"XDG_CACHE_HOME": path, "POCL_CACHE_DIR": None})
    if result.returncode == 0:
        raise rows.Skip("PoCL works without a cache, or another OpenCL device is present")
    rows.equal(result.returncode, 2, describe(result))
    rows.check("POCL_CACHE_DIR" in result.stderr and "install" not in result.stderr, result.stderr)


rows.row("a cache that works", works)
rows.row("a folder that other users can write", untrusted_folder)
rows.row("a hostile object that other users can write",
         hostile_object, lambda path: os.chmod(path, 0o666))
rows.row("a hostile object of another user", hostile_object, of_another_user)
rows.row("a hostile object behind a link", hostile_object, link)
rows.row("a hostile object in the compiler's folder", swapped_folder)
rows.row("no folder for a cache", no_folder)
rows.long_row("hostile roofs", hostile_roofs)
for _backend, _places in (
        ("cuda-emu", ("beside", "root", "below", "CPATH", "CPLUS_INCLUDE_PATH", "absolute")),
        ("opencl-emu", ("beside", "root", "CPATH", "C_INCLUDE_PATH")),
        ("opencl", ("beside", "root", "absolute"))):
    for _place in _places:
        rows.row("a changed header: %s, %s" % (_backend, _place), changed_header, _backend, _place)
for _backend, _variable in (("cuda-emu", "CPATH"), ("cuda-emu", "CPLUS_INCLUDE_PATH"),
                            ("opencl-emu", "CPATH"), ("opencl-emu", "C_INCLUDE_PATH")):
    rows.row("a header that hides another: %s, %s" % (_backend, _variable), hiding_header, _backend, _variable)
for _backend in ("cuda-emu", "opencl-emu"):
    rows.row("a header that is added: " + _backend, added_header, _backend, "CPATH")
rows.row("doctor", doctor)
rows.row("PoCL without its cache", pocl_without_cache)
rows.finish()
