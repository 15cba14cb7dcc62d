"""AMD's GPUs: clang and AMD's device libraries (Debian: clang-14, clang-19, rocm-device-libs)."""
import glob
import os
import re
import shutil
import subprocess

from offline.programs import Unavailable, files_identity, run

# Target -> (width of a wave, the clang that is used if it is installed, the oldest that has the
# target). LLVM's release notes name the first version of a target.
TARGETS = {
    "gfx90a": (64, 14, 14),
    "gfx942": (64, 19, 17),
    "gfx1030": (32, 19, 14),
    "gfx1100": (32, 19, 15),
    "gfx1200": (32, 19, 19),
}
NEWEST = 30
LDS_BYTES = 64 << 10  # of one block, on every target of the table

# Where packages of Debian, Ubuntu and AMD have the libraries. PMPP_AMDGCN_BITCODE replaces the list.
FOLDERS = ["/usr/lib/*/amdgcn/bitcode", "/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode",
           "/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode",
           "/opt/rocm/lib/llvm/lib/clang/*/lib/amdgcn/bitcode"]
# The libraries, and the switches that AMD's OpenCL links for its default options.
LIBRARIES = ["opencl", "ocml", "ockl", "oclc_correctly_rounded_sqrt_off", "oclc_daz_opt_off",
             "oclc_finite_only_off", "oclc_unsafe_math_off"]
ABI_CLANG = 17  # from here on, clang itself defines the version of its object format

LDS_ERROR = re.compile(r"local memory (?:limit exceeded )?\((\d+)\) exceeds limit \(\d+\)")
BEGIN = re.compile(r"; -- Begin function (\w+)")
NOTE = re.compile(r"^; ([A-Za-z]\w*)\s*: (\d+)", re.M)
# Comments of the assembly text -> figures.
NOTES = {"NumVgprs": "vgprs", "NumAgprs": "agprs", "TotalNumVgprs": "total_vgprs",
         "NumSgprs": "sgprs", "TotalNumSgprs": "sgprs", "ScratchSize": "scratch_bytes",
         "LDSByteSize": "lds_bytes", "codeLenInByte": "code_bytes", "Occupancy": "occupancy"}
# Keys of the metadata -> figures.
METADATA = {"max_flat_workgroup_size": "block_threads", "vgpr_spill_count": "vgpr_spills",
            "sgpr_spill_count": "sgpr_spills", "wavefront_size": "wave"}


def clang_of(preferred, oldest):
    """(command, version)"""
    for version in [preferred] + [v for v in range(NEWEST, oldest - 1, -1) if v != preferred]:
        path = shutil.which("clang-%d" % version)
        if path:
            return path, version
    raise Unavailable("no clang-%d (package clang-%d)" % (preferred, preferred))


def library_folders():
    named = os.environ.get("PMPP_AMDGCN_BITCODE")
    found = []
    for pattern in [named] if named else FOLDERS:
        found += [path for path in sorted(glob.glob(pattern))
                  if os.path.exists(os.path.join(path, "opencl.bc"))]
    if not found:
        raise Unavailable("no device libraries of AMD (package rocm-device-libs)")
    return found


def isa_version(target):
    """The value of __oclc_ISA_version: gfx90a is 9, 0, 10."""
    major, minor, stepping = target[3:-2], target[-2], int(target[-1], 16)
    return int(major) * 1000 + int(minor, 16) * 100 + stepping


def kernel_figures(assembly):
    """{entry: {figure: number}} from the text of `clang -S`."""
    found = {}
    for part in assembly.split("; -- Begin function ")[1:]:
        name = re.match(r"\w+", part)[0]
        if "; Kernel info:" not in part:
            continue
        body = part[part.index("; Kernel info:"):]
        found[name] = {NOTES[key]: int(value) for key, value in NOTE.findall(body) if key in NOTES}
    for part in assembly.split(".amdgpu_metadata")[1:2]:
        # Keys are in alphabetic order: those of one kernel begin with its arguments.
        for part in re.split(r"^  - (?=\.ag|\.args)", part, flags=re.M)[1:]:
            keys = dict(re.findall(r"^    \.(\w+):\s*(\S+)", part, flags=re.M))
            for key, figure in METADATA.items():
                found[keys["name"]][figure] = int(keys[key])
    for figures in found.values():
        figures.setdefault("agprs", 0)
        figures.setdefault("total_vgprs", figures["vgprs"])
    return found


class Amdgcn:
    """Compiles for one of TARGETS. Raises Unavailable."""

    def __init__(self, target):
        self.name = target
        self.lanes, preferred, oldest = TARGETS[target]
        self.clang, self.version = clang_of(preferred, oldest)
        self.flags, reason = None, None
        for folder in library_folders():
            flags = self.all_flags(folder)
            status, text = self.run(flags, "__kernel void probe(__global int *a) "
                                    "{ a[get_global_id(0)] = 1; }")
            if status == 0:
                self.flags, self.folder = flags, folder
                break
            reason = text.strip().splitlines()[0]
        if not self.flags:
            raise Unavailable("clang-%d cannot use the device libraries (package "
                              "rocm-device-libs): %s" % (self.version, reason))
        version = subprocess.run([self.clang, "--version"], capture_output=True, text=True,
                                 check=True).stdout
        self.identity = "%s %s %s" % (version, self.flags, files_identity(
            glob.glob(os.path.join(self.folder, "*.bc"))))

    def all_flags(self, folder):
        names = LIBRARIES + ["oclc_wavefrontsize64_" + ("on" if self.lanes == 64 else "off")]
        if self.version < ABI_CLANG:
            names.append("oclc_abi_version_400")
        flags = ["-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + self.name, "-nogpulib", "-O3",
                 "-S", "-fno-color-diagnostics"]
        if self.version == 14:
            flags += ["-mllvm", "-opaque-pointers"]  # Debian's libraries are of LLVM 15.
        for name in names:
            flags += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                      os.path.join(folder, name + ".bc")]
        return flags

    def run(self, flags, text):
        """Compiles a text. The libraries read the target's version from a constant. Older libraries
        do not have it for newer targets."""
        constant = "const __constant int __oclc_ISA_version = %d;\n" % isa_version(self.name)
        return run([self.clang] + flags + ["-cl-std=CL1.2", "-o", os.devnull, "-"],
                   input=constant + text)

    def compile(self, program, source, folder):
        constant = os.path.join(folder, "target.h")
        output = os.path.join(folder, "program.s")
        with open(constant, "w", encoding="utf-8") as file:
            file.write("const __constant int __oclc_ISA_version = %d;\n" % isa_version(self.name))
        status, text = run([self.clang] + self.flags + program.options()
                           + ["-include", constant, "-o", output, source])
        too_large = LDS_ERROR.search(text)
        if status != 0 and too_large:
            return {"too_large": int(too_large[1]), "warnings": [], "kernels": {}}
        if status != 0:
            return {"error": text.strip(), "warnings": [], "kernels": {}}
        with open(output, encoding="utf-8") as file:
            kernels = kernel_figures(file.read())
        warnings = [line for line in text.splitlines() if "warning:" in line]
        return {"warnings": warnings, "kernels": kernels}
