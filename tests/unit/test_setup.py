"""tools/setup.sh on a machine that lacks programs and cannot install them.

usage: test_setup.py SOURCE_ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT = sys.argv[1]
# Programs that setup.sh looks for, as scripts. There is no apt-get.
PROGRAMS = {
    "cc": "exit 0",
    "c++": "exit 0",
    "meson": "echo 1.0.0",
    "ninja": "exit 0",
    "pkg-config": "exit 0",
    "python3": "exit 0",
    "clang": "echo clang version 14.0.6",
    "tidy": "exit 0",
    "chromium": "exit 0",
}


COMMANDS = {
    "program": "install_missing program",
    "tests": "install_missing tests",
    "all tests": "install_missing tests; install_for_all_tests",
}


def install(what, without=(), variables=None, files=None):
    """Installs for a purpose without some of the programs; returns the exit code and stderr. files:
    names and texts, in the folder FOLDER of the values in `variables`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (files or {}).items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for name, text in PROGRAMS.items():
            if name not in without:
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n%s\n" % text)
                os.chmod(path, 0o755)
        script = "set -eu; root=%s; . %s/tools/setup.sh; %s" % (ROOT, ROOT, COMMANDS[what])
        result = subprocess.run([shutil.which("sh"), "-c", script], capture_output=True, text=True,
                                check=False, env={"PATH": folder, **{
                                    name: value.replace("FOLDER", folder)
                                    for name, value in (variables or
                                                        {"OCL_ICD_VENDORS": "x"}).items()}})
        return result.returncode, result.stderr


def complete():
    rows.equal(install("program"), (0, ""), "exit and stderr")


def without_python():
    """A system without Python also lacks the modules, which are installed with Python."""
    code, text = install("tests", without=["python3"])
    rows.equal(code, 1, text)
    for name in ("python3", "python3-jsonschema", "python3-yaml"):
        rows.check(name in text.split("\n", 1)[0].split(), text)


def without_launchers():
    """Launchers of ranks are optional. Only --all installs them."""
    code, text = install("all tests")
    rows.equal(code, 0, text)
    for name in ("openmpi-bin", "mpich"):
        rows.check("no %s: its test of --fleet is skipped" % name in text, text)
    rows.equal(install("tests"), (0, ""), "the short form")


def without_browser():
    """The checkers of pages are optional, and only --all installs them."""
    code, text = install("all tests", without=["tidy", "chromium"])
    rows.equal(code, 0, text)
    rows.check("no tidy" in text and "no chromium" in text, text)
    rows.equal(install("program", without=["tidy", "chromium"]), (0, ""), "program")
    rows.equal(install("tests", without=["tidy", "chromium"]), (0, ""), "the short form")


def without_clang():
    """The program needs no clang. The tests of the OpenCL emulator use it."""
    code, text = install("tests", without=["clang"])
    rows.equal(code, 1, text)
    rows.check("missing" in text and " clang" in text.splitlines()[0], text)
    rows.equal(install("program", without=["clang"]), (0, ""), "program")


def without_ninja(what):
    code, text = install(what, without=["ninja"])
    rows.equal(code, 1, text)
    rows.check("missing" in text and "ninja-build" in text, text)


# ---- NVRTC -------------------------------------------------------------------------------------------------

COMMAND = "python3 -m pip install --target 'a folder' 'nvidia-cuda-nvrtc>=13,<13.1'"
# python3 as install_nvrtc() uses it: it looks for the driver, for pip, and calls pip.
PYTHON = """case "$*" in
*ctypes*) exit %d ;;
"-m pip --version") exit %d ;;
"-m pip install --target a folder nvidia-cuda-nvrtc>=13,<13.1") echo "pip, retries $PIP_RETRIES"; exit %d ;;
esac
exit 9"""


def nvrtc(folder, driver=0, has_pip=0, pip=0, line="-  cuda: no CUDA compiler (NVRTC); install NVRTC with: " + COMMAND):
    """The exit code and stderr of install_nvrtc. The folder keeps the cache directory between calls."""
    programs = {"python3": PYTHON % (driver, has_pip, pip), "pmpp-run": "cat <<'END'\n-  opencl: none\n%s\nEND" % line}
    for name, text in programs.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n%s\n" % text)
        os.chmod(os.path.join(folder, name), 0o755)
    for name in ("cat", "sed", "sh", "mkdir", "mktemp", "rm", "id"):
        if not os.path.exists(os.path.join(folder, name)):
            os.symlink(shutil.which(name), os.path.join(folder, name))
    script = "set -eu; root=%s; . %s/tools/setup.sh; install_nvrtc" % (ROOT, ROOT)
    result = subprocess.run([shutil.which("sh"), "-c", script], capture_output=True, text=True, check=False,
                            env={"PATH": folder, "PMPP_BUILD": folder, "HOME": folder})
    return result.returncode, result.stderr


def nvrtc_cases():
    with tempfile.TemporaryDirectory() as folder:
        rows.equal(nvrtc(folder, driver=1), (0, ""), "without a driver")
        rows.equal(nvrtc(folder, line="-  cuda: no CUDA device"), (0, ""), "with another reason")
        code, text = nvrtc(folder, has_pip=1)
        rows.check(code == 0 and "no pip" in text and COMMAND in text, text)
        rows.check(not os.path.exists(os.path.join(folder, ".cache")), "a folder without pip")
        code, text = nvrtc(folder)
        rows.check(code == 0 and text.count("\n") == 1 and "installing NVRTC" in text, text)


def nvrtc_fails():
    """The output of pip and the command are shown, and the command is not tried again."""
    with tempfile.TemporaryDirectory() as folder:
        code, text = nvrtc(folder, pip=1)
        rows.check(code == 0 and "pip, retries 1" in text and "To try again: " + COMMAND in text, text)
        code, text = nvrtc(folder, pip=1)
        rows.check(code == 0 and "retries" not in text and "failed before" in text and COMMAND in text, text)


rows.row("NVRTC is installed", nvrtc_cases)
rows.row("NVRTC cannot be installed", nvrtc_fails)
# ---- Other systems -----------------------------------------------------------------------------

RELEASES = {
    "debian": "ID=debian\n",
    "mint": "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
    "fedora": "NAME=\"Fedora Linux\"\nID=fedora\n",
    "rocky": "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
    "arch": "ID=arch\n",
    "alpine": "ID=alpine\n",
}


def names(system, expected):
    """The missing packages have the names of the system."""
    code, text = install("program", without=["ninja", "cc"],
                         variables={"PMPP_OS_RELEASE": "FOLDER/release", "OCL_ICD_VENDORS": "x"},
                         files={"release": RELEASES[system]})
    rows.equal(code, 1, text)
    rows.check("build-essential" in text.splitlines()[0], text)
    found = [line for line in text.splitlines() if line.startswith(("on ", "with "))]
    rows.check([line for line in found if line.startswith(expected)] if expected else not found, text)


def macos():
    """macOS has OpenCL."""
    PROGRAMS["uname"] = "echo Darwin"
    try:
        code, text = install("program", without=["cc", "ninja"], variables={"X": ""})
    finally:
        del PROGRAMS["uname"]
    rows.equal(code, 1, text)
    rows.check("brew install xcode ninja" in text, text)
    rows.check("opencl" not in text.splitlines()[0], text)


def gpu(vendor, icd, system, expected):
    """A GPU without an OpenCL driver is named, with the package. Nothing is installed."""
    code, text = install("program", files={
        "drm/card0/device/vendor": vendor + "\n", "drm/card1/device/vendor": vendor + "\n",
        "icds/" + icd: "", "release": RELEASES[system]},
        variables={"PMPP_DRM": "FOLDER/drm", "PMPP_ICDS": "FOLDER/icds",
                   "PMPP_OS_RELEASE": "FOLDER/release"})
    rows.check(code == 0 or "missing" in text, text)
    found = [line for line in text.splitlines() if "GPU" in line and "without" in line]
    rows.equal(len(found), 1 if expected else 0, text)
    rows.check(not expected or expected in found[0], text)


rows.row("the program needs no launcher", complete)
rows.row("tests without launchers", without_launchers)
rows.row("tests without Python", without_python)
rows.row("tests without browser or tidy", without_browser)
rows.row("tests without clang", without_clang)
rows.row("the program without ninja", without_ninja, "program")
rows.row("tests without ninja", without_ninja, "tests")
rows.row("names of Debian", names, "debian", None)
rows.row("names of Linux Mint", names, "mint", None)
rows.row("names of Fedora", names, "fedora", "on Fedora: dnf install gcc gcc-c++ ninja-build")
rows.row("names of Rocky Linux", names, "rocky", "on Fedora: dnf install gcc gcc-c++ ninja-build")
rows.row("names of Arch Linux", names, "arch", "on Arch Linux: pacman -S base-devel ninja")
rows.row("an unknown system", names, "alpine", None)
rows.row("macOS", macos)
rows.row("AMD GPU", gpu, "0x1002", "pocl.icd", "debian", "rocm-opencl-icd")
rows.row("AMD GPU, Fedora", gpu, "0x1002", "pocl.icd", "fedora", "install rocm-opencl (")
rows.row("AMD GPU with its driver", gpu, "0x1002", "amdocl64_60000.icd", "debian", None)
rows.row("Intel GPU", gpu, "0x8086", "pocl.icd", "debian", "intel-opencl-icd")
rows.row("Intel GPU, Arch Linux", gpu, "0x8086", "pocl.icd", "arch", "intel-compute-runtime")
rows.row("Intel GPU with its driver", gpu, "0x8086", "intel.icd", "debian", None)
rows.row("NVIDIA GPU", gpu, "0x10de", "pocl.icd", "debian", None)
rows.finish()
