"""AMD's GPUs: clang with a library of OpenCL C's functions.

Two libraries exist: AMD's own (rocm-device-libs), which the OpenCL of ROCm links too, and LLVM's
libclc. A clang reads the bitcode of its own version and of older ones. Debian 12 has AMD's library of
LLVM 15 for clang-19, and libclc of LLVM 14 for clang-14.
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile

from offline.programs import NEWER, Unavailable, compilers_folder, files_identity, header_flags, run

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

# Where packages of Debian, Ubuntu and AMD have AMD's library. PMPP_AMDGCN_BITCODE replaces the list.
ROCM_FOLDERS = ["/usr/lib/*/amdgcn/bitcode", "/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode",
                "/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode",
                "/opt/rocm/lib/llvm/lib/clang/*/lib/amdgcn/bitcode"]
# The library, and the switches that AMD's OpenCL links for its default options.
ROCM_FILES = ["opencl", "ocml", "ockl", "oclc_correctly_rounded_sqrt_off", "oclc_daz_opt_off",
              "oclc_finite_only_off", "oclc_unsafe_math_off"]
ROCM_OLDEST = 15  # of clang
ABI_CLANG = 17  # from here on, clang itself defines the version of its object format
LIBCLC_FILE = "amdgcn--amdhsa.bc"

PROBE = "__kernel void probe(__global float *a) { a[get_global_id(0)] = sqrt(a[get_local_id(0)]); }\n"
MISSING = re.compile(r"(\w+)@(?:gotpcrel32|rel32)@lo")
LDS_ERROR = re.compile(r"local memory (?:limit exceeded )?\((\d+)\) exceeds limit \(\d+\)")
NOTE = re.compile(r"^; ([A-Za-z]\w*)\s*: (\d+)", re.M)
# Comments of the assembly text -> figures.
NOTES = {"NumVgprs": "vgprs", "NumAgprs": "agprs", "TotalNumVgprs": "total_vgprs",
         "NumSgprs": "sgprs", "TotalNumSgprs": "sgprs", "ScratchSize": "scratch_bytes",
         "LDSByteSize": "lds_bytes", "codeLenInByte": "code_bytes", "Occupancy": "occupancy"}
# Keys of the metadata -> figures.
METADATA = {"max_flat_workgroup_size": "block_threads", "vgpr_spill_count": "vgpr_spills",
            "sgpr_spill_count": "sgpr_spills", "wavefront_size": "wave"}


def clangs(preferred, oldest):
    """[(command, version)], the preferred one first."""
    versions = [preferred] + [v for v in range(NEWEST, oldest - 1, -1) if v != preferred]
    found = [(shutil.which("clang-%d" % version), version) for version in versions]
    return [(path, version) for path, version in found if path]


def existing(patterns, name):
    """The folders of the patterns that have the file."""
    folders = [path for pattern in patterns for path in sorted(glob.glob(pattern))]
    return [path for path in folders if os.path.exists(os.path.join(path, name))]


def rocm_files(folder, lanes, clang):
    names = ROCM_FILES + ["oclc_wavefrontsize64_" + ("on" if lanes == 64 else "off")]
    if clang < ABI_CLANG:
        names.append("oclc_abi_version_400")
    return [os.path.join(folder, name + ".bc") for name in names]


def libraries(lanes, clang):
    """[(name, files)] of what this clang may be able to read."""
    named = os.environ.get("PMPP_AMDGCN_BITCODE")
    found = []
    if clang >= ROCM_OLDEST:
        found += [("rocm-device-libs", rocm_files(folder, lanes, clang))
                  for folder in existing([named] if named else ROCM_FOLDERS, "opencl.bc")]
    places = [os.path.join(compilers_folder(), "libclc-%d" % clang, "usr/lib/clc"), "/usr/lib/clc",
              "/usr/lib/llvm-%d/lib/clc" % clang]
    found += [("libclc", [os.path.join(folder, LIBCLC_FILE)])
              for folder in existing(places, LIBCLC_FILE)]
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


def missing_functions(assembly):
    """Functions that are called but not defined. They are not in the library."""
    defined = set(re.findall(r"^(\w+):", assembly, flags=re.M))
    return sorted(set(MISSING.findall(assembly)) - defined)


class Amdgcn:
    """Compiles for one of TARGETS. Raises Unavailable."""

    def __init__(self, target):
        self.name = target
        self.lanes, preferred, oldest = TARGETS[target]
        reason = "no clang-%d (package clang-%d)" % (preferred, preferred)
        for self.clang, self.version in clangs(preferred, oldest):
            found = libraries(self.lanes, self.version)
            if not found:
                reason = ("no library for clang-%d: tools/compilers.sh installs it" % self.version)
            for self.library, self.files in found:
                reason = self.probe()
                if not reason:
                    break
            else:
                continue
            break
        else:
            raise Unavailable(reason)
        self.lacks = {}
        if self.library == "libclc":
            self.lacks[NEWER] = "libclc has no functions of OpenCL C 2.0"
        version = subprocess.run([self.clang, "--version"], capture_output=True, text=True,
                                 check=True).stdout
        self.identity = "%s %s" % (version, files_identity(self.files))
        self.text = "clang-%d, %s" % (self.version, self.library)

    def language(self, newer):
        """AMD's driver reports OpenCL C 2.0."""
        return "CL2.0" if newer else "CL1.2"

    def command(self, options, source, output, folder):
        """AMD's library reads the target from a constant. Older libraries have no file with the
        constant of newer targets."""
        constant = os.path.join(folder, "target.h")
        with open(constant, "w", encoding="utf-8") as file:
            file.write("const __constant int __oclc_ISA_version = %d;\n" % isa_version(self.name))
        base = (self.clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + self.name, "-nogpulib", "-O3")
        command = [*base, "-x", "cl", "-S", "-fno-color-diagnostics", "-Wno-linker-warnings"]
        command += header_flags(self.version, base, options[0])
        for path in self.files:
            command += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", path]
        return command + options + ["-include", constant, "-o", output, source]

    def probe(self):
        """Why the library cannot be used; None if it can."""
        with tempfile.TemporaryDirectory(prefix="pmpp-offline-") as folder:
            source = os.path.join(folder, "probe.cl")
            with open(source, "w", encoding="utf-8") as file:
                file.write(PROBE)
            result = self.build(["-cl-std=CL1.2"], source, folder)
        if "error" in result:
            return "clang-%d, %s: %s" % (self.version, self.library,
                                         result["error"].splitlines()[0])
        return None

    def build(self, options, source, folder):
        output = os.path.join(folder, "program.s")
        status, text = run(self.command(options, source, output, folder))
        too_large = LDS_ERROR.search(text)
        if status != 0 and too_large:
            return {"too_large": int(too_large[1]), "warnings": [], "kernels": {}}
        if status != 0:
            return {"error": text.strip(), "warnings": [], "kernels": {}}
        with open(output, encoding="utf-8") as file:
            assembly = file.read()
        missing = missing_functions(assembly)
        if missing:
            return {"error": "not in the library: " + ", ".join(missing), "warnings": [],
                    "kernels": {}}
        warnings = [line for line in text.splitlines() if "warning:" in line]
        return {"warnings": warnings, "kernels": kernel_figures(assembly)}

    def compile(self, program, source, folder):
        return self.build(program.options(self), source, folder)
