"""Runs a test program with chosen OpenCL implementations under a chosen ICD loader.

usage: implementations.py LOADER IMPLEMENTATIONS PROGRAM [ARGUMENT...]

LOADER: ocl-icd (the system's loader must be this one), khronos (from tools/vendors.sh), any (the
system's loader).
IMPLEMENTATIONS: pocl, rusticl, intel, separated by commas. No other one is visible to the program.

PMPP_VENDORS is the folder of tools/vendors.sh. A missing part is a skipped row with the reason, or a
failed row if PMPP_REQUIRE names it (pocl, rusticl, intel, ocl-icd, khronos-loader). The program
checks its loader and its implementations itself (tests/support/loader.h).
"""
import ctypes
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rows

LOADER = sys.argv[1]
NAMES = sys.argv[2].split(",")
COMMAND = sys.argv[3:]
VENDORS = os.environ.get("PMPP_VENDORS")
NOT_ASKED = "PMPP_VENDORS is not set; sh tools/test.sh --vendors sets it"
ICDL_VENDOR = 4


def system_loader():
    """The vendor of the system's ICD loader; "" without one."""
    try:
        find = ctypes.CDLL("libOpenCL.so.1").clGetExtensionFunctionAddress
    except (OSError, AttributeError):
        return ""
    find.argtypes, find.restype = [ctypes.c_char_p], ctypes.c_void_p
    call = find(b"clGetICDLoaderInfoOCLICD")
    if not call:
        return ""
    info = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_char_p,
                            ctypes.c_void_p)(call)
    text = ctypes.create_string_buffer(100)
    return text.value.decode() if info(ICDL_VENDOR, len(text), text, None) == 0 else ""


def missing():
    """[(name in PMPP_REQUIRE, reason)] of the missing parts."""
    loader = {"khronos": "khronos-loader"}.get(LOADER, LOADER)
    if not VENDORS:
        return [(name, NOT_ASKED) for name in NAMES + [loader] * (LOADER != "any")]
    found = [(name, "not installed (no %s)" % icd(name)) for name in NAMES
             if not os.path.exists(icd(name))]
    if LOADER == "khronos" and not os.path.exists(khronos_folder()):
        found.append((loader, "not installed (no %s)" % khronos_folder()))
    if LOADER == "ocl-icd":
        vendor = system_loader()
        if "OCL Icd" not in vendor:
            found.append((loader, "the vendor of this system's ICD loader is %s" %
                          (vendor or "unknown")))
    return found


def icd(name):
    return os.path.join(VENDORS, "icd", name + ".icd")


def khronos_folder():
    return os.path.join(VENDORS, "khronos")


def environment():
    """Variables that select the chosen parts. Both loaders accept a folder of .icd files in
    OCL_ICD_VENDORS."""
    name = "-".join(["icd", LOADER, *NAMES, os.path.basename(COMMAND[0])])
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME", tempfile.gettempdir()), name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for implementation in NAMES:
        shutil.copy(icd(implementation), folder)
    env = dict(os.environ, OCL_ICD_VENDORS=folder, RUSTICL_ENABLE="llvmpipe",
               PMPP_TEST_IMPLEMENTATIONS=",".join(NAMES))
    for variable in ("OCL_ICD_FILENAMES", "OPENCL_LAYERS"):
        env.pop(variable, None)
    if LOADER != "any":
        env["PMPP_TEST_LOADER"] = LOADER
    if LOADER == "khronos":
        others = env.get("LD_LIBRARY_PATH")
        env["LD_LIBRARY_PATH"] = khronos_folder() + (":" + others if others else "")
    return env


lacks = missing()
for name, reason in lacks:
    rows.row("%s for %s" % (name, " ".join([os.path.basename(COMMAND[0])] + COMMAND[1:])),
             rows.skip_backend, name, reason)
if lacks:
    rows.finish()
os.execve(COMMAND[0], COMMAND, environment())
