"""How the CUDA backend finds NVRTC, and what it says where something is missing: with a fake driver and
fake NVRTCs, on a machine without a GPU.

usage: test_cuda_setup.py PMPP_RUN SOURCE_ROOT COMPILER...
"""
import os
import re
import shutil
import subprocess
import sys

from command import FOLDER, PROGRAM, ROOT, describe, environment, pmpp
import rows

COMPILER = sys.argv[3:]
DRIVER = os.path.join(FOLDER, "driver")
# Where the fake NVRTCs are made; files are linked from here.
STOCK = os.path.join(FOLDER, "stock")
VARIABLES = ("CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE", "LD_LIBRARY_PATH")
_folders = 0


# ---- Fake libraries ----------------------------------------------------------------------------------------


def compile_library(name, soname, folder, *flags):
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(ROOT, "tests", "support", name) if name else os.devnull
    subprocess.run(COMPILER + ["-shared", "-fPIC", "-I", ROOT, "-Wl,-soname," + soname, *flags, "-x", "c",
                               source, "-o", os.path.join(folder, soname)], check=True)


def stock(major, minor):
    """The folder of NVRTC major.minor: its two libraries."""
    folder = os.path.join(STOCK, "%d.%d" % (major, minor))
    if not os.path.exists(folder):
        soname = "libnvrtc.so.11.2" if major == 11 else "libnvrtc.so.%d" % major
        compile_library("fake_nvrtc.c", soname, folder, "-DMAJOR=%d" % major, "-DMINOR=%d" % minor)
        compile_library(None, "libnvrtc-builtins.so.%d.%d" % (major, minor), folder)
    return folder


def fill(lib, include, version=(13, 0), without=""):
    """Puts NVRTC into the folder `lib` and its headers into `include`, without "headers" or "builtins"."""
    os.makedirs(lib)
    for name in os.listdir(stock(*version)):
        if without != "builtins" or "builtins" not in name:
            shutil.copy(os.path.join(stock(*version), name), lib)
    if without != "headers":
        os.makedirs(include)
        with open(os.path.join(include, "cuda_fp16.h"), "w", encoding="utf-8"):
            pass
    return lib


def toolkit(root, lib="lib64", **options):
    return fill(os.path.join(root, lib), os.path.join(root, "include"), **options)


def packages(folder, version=(13, 0), **options):
    """NVIDIA's packages in a folder of packages."""
    if version[0] >= 13:
        return toolkit(os.path.join(folder, "nvidia", "cu%d" % version[0]), "lib", version=version, **options)
    return fill(os.path.join(folder, "nvidia", "cuda_nvrtc", "lib"),
                os.path.join(folder, "nvidia", "cuda_runtime", "include"), version=version, **options)


def prefix(folder, **options):
    return packages(os.path.join(folder, "lib", "python3.11", "site-packages"), **options)


# ---- The program -------------------------------------------------------------------------------------------


def new_folder():
    global _folders
    _folders += 1
    return os.path.join(FOLDER, "setup%d" % _folders)


def clean(folder, **changes):
    """The environment of a user whose folders are below `folder`, with the fake driver."""
    env = dict.fromkeys(VARIABLES)
    env.update({"HOME": folder, "XDG_CACHE_HOME": os.path.join(folder, "cache"), "PATH": "/usr/bin:/bin",
                "LD_LIBRARY_PATH": DRIVER})
    # Other backends would only take time.
    env.update({"OCL_ICD_VENDORS": folder, "OCL_ICD_FILENAMES": folder, "CXX": "/none", "CLANG": "/none"})
    env.update(changes)
    os.makedirs(env["XDG_CACHE_HOME"], exist_ok=True)
    return env


HIDE = 'for folder in $HIDDEN; do mount -t tmpfs none "$folder" || exit 99; done; exec "$@"'
_hidden = []
_wrapper = []


def hidden(*arguments, env):
    """Runs the program where no NVRTC of this machine is visible."""
    env = dict(env, HIDDEN=" ".join(_hidden))
    return subprocess.run(_wrapper + [os.path.abspath(PROGRAM), *arguments], capture_output=True, text=True,
                          check=False, env=environment(**env), timeout=600)


def hide_toolkits():
    """Finds how to hide the NVRTCs of this machine. Returns why that is not possible; None: it is."""
    for _ in range(8):
        found = re.search(r"libcuda\.so\.1, (\S+)", hidden("doctor", env=clean(new_folder())).stdout)
        if not found:
            return None
        folder = os.path.dirname(os.path.realpath(found.group(1)))
        if "cuda" not in folder:
            return "this machine has %s" % found.group(1)
        if folder in _hidden:
            return "%s cannot be hidden: needs unshare -m" % folder
        _hidden.append(folder)
        for options in (["-m"], ["-rm"]):
            _wrapper[:] = ["unshare", *options, "sh", "-c", HIDE, "sh"]
            if shutil.which("unshare") and subprocess.run(
                    _wrapper + ["true"], env=dict(os.environ, HIDDEN=" ".join(_hidden)),
                    capture_output=True, check=False).returncode == 0:
                break
        else:
            _wrapper.clear()
            return "%s cannot be hidden: needs unshare -m" % folder
    return "too many NVRTCs"


def alone(function, *arguments):
    """A row that needs a machine without another NVRTC."""
    if WHY_VISIBLE:
        raise rows.Skip(WHY_VISIBLE)
    function(*arguments)


def doctor(env, *parts):
    """doctor's lines about cuda."""
    result = hidden("doctor", env=env)
    text = result.stdout[result.stdout.find("cuda") - 5:result.stdout.find("cuda-emu")]
    for part in parts:
        rows.check(part in text, "doctor lacks %r: %s" % (part, describe(result)))
    return text


def calls(env, variant="vecadd/fine"):
    """The lines of the driver's log, and the result. One kernel is compiled and loaded. It leaves its output
    as it is, so verification fails. The kernel of vecadd includes a header of CUDA."""
    log = os.path.join(new_folder() + ".log")
    result = hidden("verify", variant, "--size=1", "--backend=cuda", env=dict(env, FAKE_CUDA_LOG=log))
    if not os.path.exists(log):
        return [], result
    with open(log, encoding="utf-8") as file:
        return file.read().split(), result


def run(env, variant="vecadd/fine"):
    """What the driver gets first, and the result."""
    lines, result = calls(env, variant)
    return lines[0] if lines else "", result


def command(folder, suffix, bounds, crt=True):
    text = ("python3 -m pip install --upgrade --target '%s/cache/pmpp/cuda' 'nvidia-cuda-nvrtc%s%s' "
            "'nvidia-cuda-runtime%s%s'" % (folder, suffix, bounds, suffix, bounds))
    return text + (" 'nvidia-cuda-crt%s'" % bounds if crt else "")


# ---- Rows --------------------------------------------------------------------------------------------------


def without_driver():
    env = clean(new_folder(), LD_LIBRARY_PATH=None)
    result = pmpp("doctor", env=env)
    if "ok   cuda\n" in result.stdout or "ok   cuda;" in result.stdout:
        raise rows.Skip("this machine has an NVIDIA driver")
    rows.check("no   cuda: no NVIDIA driver: libcuda.so.1 not found" in result.stdout, describe(result))
    result = pmpp("run", "vecadd", "--backend=cuda", env=env)
    rows.check(result.returncode == 2 and "; verify and explain need no GPU: use --backend=cuda-emu there" in result.stderr,
               describe(result))
    result = pmpp("list", env=env)
    rows.check(result.returncode == 0 and "built without" not in result.stdout, describe(result))


def without_nvrtc(version, suffix, bounds):
    folder = new_folder()
    want = command(folder, suffix, bounds, crt=not suffix)
    env = clean(folder, FAKE_CUDA_VERSION=version)
    doctor(env, "no   cuda: no CUDA compiler", want)
    result = hidden("verify", "vecadd/fine", "--backend=cuda", env=env)
    rows.check(result.returncode == 2 and want in result.stderr and result.stderr.count("\n") == 1,
               describe(result))


def places(folder):
    """(origin, environment, function that fills it) in the order of the search."""
    def below(name):
        return os.path.join(folder, name)
    return [
        ("CUDA_HOME", {"CUDA_HOME": below("home")}, lambda: toolkit(below("home"))),
        ("CUDA_PATH", {"CUDA_PATH": below("path")}, lambda: toolkit(below("path"))),
        ("the dynamic linker", {"LD_LIBRARY_PATH": DRIVER + ":" + below("linker/lib")},
         lambda: toolkit(below("linker"), "lib")),
        ("VIRTUAL_ENV", {"VIRTUAL_ENV": below("venv")}, lambda: prefix(below("venv"))),
        ("CONDA_PREFIX", {"CONDA_PREFIX": below("conda")}, lambda: toolkit(below("conda"), "lib")),
        ("packages of python3 in PATH", {"PATH": below("python/bin") + ":/usr/bin:/bin"},
         lambda: prefix(below("python"))),
        ("Python packages of the user", {}, lambda: prefix(below(".local"), version=(12, 8))),
        ("the cache directory", {}, lambda: packages(below("cache/pmpp/cuda"))),
    ]


def order():
    """With all places filled the first one is used; then it is removed."""
    folder = new_folder()
    env = clean(folder)
    os.makedirs(os.path.join(folder, "python", "bin"))
    os.symlink("/bin/true", os.path.join(folder, "python", "bin", "python3"))
    filled = []
    for origin, change, make in places(folder):
        env.update(change)
        filled.append((origin, make()))
    for origin, lib in filled:
        text = doctor(env, "ok   cuda; uses libcuda.so.1, %s/libnvrtc.so.1" % lib,
                      "found through %s; headers in " % origin)
        rows.check("missing" not in text, text)
        rows.equal(run(env)[0], "cubin", "what the driver gets from " + origin)
        shutil.rmtree(lib)
    doctor(env, "no CUDA compiler")


def suits_driver():
    """The newest version that is not newer than the driver's."""
    folder = new_folder()
    prefix(os.path.join(folder, "venv"), version=(13, 5))
    prefix(os.path.join(folder, "venv"), version=(12, 8))
    env = clean(folder, VIRTUAL_ENV=os.path.join(folder, "venv"))
    doctor(env, "NVRTC 13.5")
    doctor(dict(env, FAKE_CUDA_VERSION="12040"), "NVRTC 12.8")


def newer_than_driver():
    """It makes machine code, not PTX. If the driver rejects the code, the message says what to do."""
    folder = new_folder()
    prefix(os.path.join(folder, "venv"), version=(13, 5))
    env = clean(folder, VIRTUAL_ENV=os.path.join(folder, "venv"))
    rows.equal(run(env)[0], "cubin", "NVRTC 13.5 and CUDA 13.0")
    env["FAKE_CUDA_VERSION"] = "12040"
    rows.equal(run(env)[0], "cubin", "NVRTC 13.5 and CUDA 12.4")
    want = "NVRTC 13.5 is newer than the driver (CUDA 12.4)"
    loaded, result = run(dict(env, FAKE_CUDA_REJECT="209"))
    rows.check(result.returncode == 5 and want in result.stdout + result.stderr, describe(result))
    rows.check(command(folder, "-cu12", ">=12,<12.5", crt=False) in result.stdout + result.stderr,
               describe(result))
    # A device that this NVRTC does not know gets PTX.
    loaded, result = run(dict(env, FAKE_CUDA_ARCH="121"))
    rows.equal(loaded, "PTX", "sm_121")
    rows.check(want in result.stdout + result.stderr, describe(result))


def too_old_device():
    folder = new_folder()
    prefix(os.path.join(folder, "venv"))
    result = run(clean(folder, VIRTUAL_ENV=os.path.join(folder, "venv"), FAKE_CUDA_ARCH="70"))[1]
    rows.check("not sm_70" in result.stdout + result.stderr and
               "'nvidia-cuda-nvrtc-cu12>=12,<12.10'" in result.stdout + result.stderr, describe(result))


def too_old_for_hopper():
    """NVRTC 11.8 compiles for sm_90, but not the instructions of CUDA 12: these rows are skipped."""
    folder = new_folder()
    prefix(os.path.join(folder, "venv"), version=(11, 8))
    env = clean(folder, VIRTUAL_ENV=os.path.join(folder, "venv"), FAKE_CUDA_VERSION="11080")
    rows.equal(run(env, "matmul/naive")[0], "cubin", "sm_90")
    for variant, reason in (
            ("matmul/bulk-copies", "needs bulk copies to shared memory (compute capability 9.0, CUDA 12)"),
            ("matmul/best", "needs wgmma or setmaxnreg (only compute capability 9.0, CUDA 12)")):
        loaded, result = run(env, variant)
        rows.check(loaded == "" and reason in " ".join(result.stdout.split()), describe(result))


def broken():
    """A file that is no library: the next place is used. The reason is given if there is none."""
    folder = new_folder()
    lib = os.path.join(folder, "home", "lib")
    os.makedirs(lib)
    os.makedirs(os.path.join(folder, "home", "include"))
    for name in (os.path.join(lib, "libnvrtc.so.13"), os.path.join(folder, "home/include/cuda_fp16.h")):
        with open(name, "w", encoding="utf-8") as file:
            file.write("no library\n" * 500)
    env = clean(folder, CUDA_HOME=os.path.join(folder, "home"))
    text = doctor(env, "no   cuda: no usable CUDA compiler: ", "libnvrtc.so.13 (CUDA_HOME): ", "ELF",
                  command(folder, "", ">=13,<13.1"))
    rows.equal(text.count("\n"), 1, "lines")
    packages(os.path.join(folder, "cache", "pmpp", "cuda"))
    doctor(env, "ok   cuda", "found through the cache directory")


def without_builtins():
    folder = new_folder()
    toolkit(os.path.join(folder, "home"), without="builtins")
    env = clean(folder, CUDA_HOME=os.path.join(folder, "home"))
    doctor(env, "no usable CUDA compiler", "libnvrtc-builtins.so.13.0 is missing")
    packages(os.path.join(folder, "cache", "pmpp", "cuda"))
    doctor(env, "ok   cuda", "found through the cache directory")


def without_headers():
    """Kernels without includes are compiled. A complete set in a later place is preferred."""
    folder = new_folder()
    python = os.path.join(folder, "venv", "bin", "python3")
    prefix(os.path.join(folder, "venv"), without="headers")
    os.makedirs(os.path.dirname(python))
    os.symlink("/bin/true", python)
    env = clean(folder, VIRTUAL_ENV=os.path.join(folder, "venv"))
    want = "(cuda_fp16.h) are missing: '%s' -m pip install 'nvidia-cuda-runtime==13.0.*'" % python
    doctor(env, "ok   cuda", "no   the CUDA headers of NVRTC 13.0 " + want)
    rows.equal(run(env, "matmul/naive")[0], "cubin", "without includes")
    loaded, result = run(env)
    rows.check(loaded == "" and result.returncode == 5 and want in result.stdout + result.stderr,
               describe(result))
    packages(os.path.join(folder, "cache", "pmpp", "cuda"))
    doctor(env, "found through the cache directory; headers in ")


def parameters():
    """A checker of memory reports each call of the driver that fails. The number of parameters is known from
    the image; the fake NVRTC writes it for one kernel only."""
    folder = new_folder()
    prefix(os.path.join(folder, "venv"))
    env = clean(folder, VIRTUAL_ENV=os.path.join(folder, "venv"))
    for build, variant, known in (("new", "vecadd/fine", True), ("cached", "vecadd/fine", True),
                                  ("unknown number", "vecadd/vector4", False)):
        lines, result = calls(env, variant)
        rows.check(result.returncode == 3 and "cubin" in lines, describe(result))
        rows.equal(lines.count("failed"), 0 if known else lines.count("cubin"), "failed calls, " + build)
    lines, result = calls(env, "matmul/naive")
    rows.check("4 parameters; expected" in " ".join(result.stdout.split()) and result.returncode == 5, describe(result))


compile_library("fake_cuda.c", "libcuda.so.1", DRIVER, "-DPARAMETERS=4")  # as vecadd/fine
WHY_VISIBLE = hide_toolkits()
rows.row("no driver", without_driver)
for row in (("13000", "", ">=13,<13.1"), ("12040", "-cu12", ">=12,<12.5"), ("11040", "-cu11", ">=11,<12")):
    rows.row("no NVRTC, CUDA %s" % row[0], alone, without_nvrtc, *row)
rows.row("order of places", alone, order)
rows.row("the version suits the driver", alone, suits_driver)
rows.row("newer than the driver", alone, newer_than_driver)
rows.row("a device that is too old", alone, too_old_device)
rows.row("too old for the instructions of Hopper", alone, too_old_for_hopper)
rows.row("a broken library", alone, broken)
rows.row("no builtins", alone, without_builtins)
rows.row("no headers", alone, without_headers)
rows.row("no failed query of a parameter", alone, parameters)
rows.finish()
