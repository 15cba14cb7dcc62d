"""SPIR-V: clang, the translator llvm-spirv of the same version, and spirv-val (Debian: clang-14,
llvm-spirv-14, spirv-tools)."""
import os
import re
import shutil
import subprocess

from offline.programs import Unavailable, header_flags, run

OLDEST, NEWEST = 14, 30
# Language -> (newest SPIR-V that the translator may write, environment of spirv-val). OpenCL 1.2
# reads SPIR-V 1.0 (OpenCL SPIR-V Environment Specification, "Version"). Shuffles need SPIR-V 1.3.
RULES = {"CL1.2": ("1.0", "opencl1.2"), "CL2.0": ("1.3", "spv1.3")}


def tools():
    """(clang, llvm-spirv, version)"""
    for version in range(OLDEST, NEWEST + 1):
        clang = shutil.which("clang-%d" % version)
        translator = shutil.which("llvm-spirv-%d" % version)
        if clang and translator:
            return clang, translator, version
    raise Unavailable("no clang with a translator of the same version (packages clang-14, "
                      "llvm-spirv-14)")


class Spirv:
    """Translates to SPIR-V, and validates. Raises Unavailable."""

    name, lanes, lacks = "spirv", 32, {}

    def __init__(self):
        self.clang, self.translator, self.version = tools()
        self.validator = shutil.which("spirv-val")
        if not self.validator:
            raise Unavailable("no spirv-val (package spirv-tools)")
        self.text = "clang-%d, llvm-spirv-%d, spirv-val" % (self.version, self.version)
        self.identity = "\n".join(
            subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
            for tool in (self.clang, self.translator, self.validator))

    def language(self, newer):
        return "CL2.0" if newer else "CL1.2"

    def hidden(self, folder):
        """clang's header defines cl_intel_subgroups, but declares the functions of sub-groups only
        from OpenCL C 2.0 on: without the macro, 1.2 is as on a device without sub-groups."""
        path = os.path.join(folder, "hidden.h")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#if __OPENCL_C_VERSION__ < 200\n#undef cl_intel_subgroups\n#endif\n")
        return ["-include", path]

    def compile(self, program, source, folder):
        version, environment = RULES[self.language(program.is_newer)]
        bitcode, module = os.path.join(folder, "a.bc"), os.path.join(folder, "a.spv")
        options = program.options(self)
        # The translator expects the unoptimised calls of OpenCL's functions.
        base = (self.clang, "-target", "spir64", "-O0")
        commands = [
            [*base, "-x", "cl", "-emit-llvm", "-c", "-Xclang", "-disable-O0-optnone",
             "-fno-color-diagnostics"]
            + header_flags(self.version, base, options[0]) + options
            + self.hidden(folder) + ["-o", bitcode, source],
            [self.translator, "--spirv-max-version=" + version, bitcode, "-o", module],
            [self.validator, "--target-env", environment, module],
        ]
        output = ""
        for command in commands:
            status, text = run(command)
            output += text
            if status != 0:
                return {"error": "%s: %s" % (os.path.basename(command[0]), text.strip()),
                        "warnings": [], "kernels": {}}
        warnings = [line for line in output.splitlines() if "warning:" in line]
        with open(module, "rb") as file:
            names = entry_points(file.read())
        return {"warnings": warnings, "kernels": {name: {} for name in names}}


def entry_points(module):
    """The names of a module's OpEntryPoint instructions (opcode 15)."""
    words = memoryview(module).cast("I")
    names, at = [], 5  # words of the header
    while at < len(words) and words[at] >> 16:
        count, opcode = words[at] >> 16, words[at] & 0xffff
        if opcode == 15:
            text = bytes(words[at + 3:at + count])
            names.append(re.match(rb"[^\0]*", text)[0].decode())
        at += count
    return names
