"""Intel's GPUs: ocloc, the compiler of Intel's driver (Debian: intel-opencl-icd; tools/compilers.sh
unpacks it without its OpenCL driver)."""
import os
import re
import shutil
import struct
import subprocess

from offline.programs import F64, Unavailable, compilers_folder, files_identity, run

# Device of ocloc -> (model of pmpp-run, language with sub-groups, threads of the largest block, needs
# that its compiler rejects). ocloc compiles larger blocks too.
# The driver reports OpenCL C 3.0. For pvc, which has no images, the header of ocloc 22.43 does not
# compile in 3.0.
TARGETS = {
    "acm-g10": ("xe-hpg", "CL3.0", 1024, {F64: "Arc has no double precision"}),
    "tgllp": ("xe-lp", "CL3.0", 512, {F64: "Xe-LP has no double precision"}),
    "pvc": ("xe-hpc", "CL2.0", 1024, {}),
}
# The format of the binary whose section .ze_info is text.
INTERNAL = "-cl-intel-allow-zebin"
SLM_ERROR = re.compile(r"(?:SLM|shared local memory|local memory).*?(\d{5,})", re.I)
FIGURES = {"simd_size": "simd", "grf_count": "grf", "slm_size": "slm_bytes",
           "barrier_count": "barriers"}


def installed():
    """(command, library folder or None)"""
    folder = os.path.join(compilers_folder(), "ocloc")
    command = os.path.join(folder, "usr/bin/ocloc")
    if os.path.exists(command):
        return command, os.path.join(folder, "usr/lib/x86_64-linux-gnu")
    command = shutil.which("ocloc")
    if command:
        return command, None
    raise Unavailable("no ocloc (in Debian's package intel-opencl-icd: tools/compilers.sh unpacks it)")


def section(path, name):
    """The bytes of a section of a 64-bit ELF file; None if it is not there."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\x02":
        return None
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    text = headers[names][4]
    for header in headers:
        at = text + header[0]
        if data[at:data.index(b"\0", at)].decode() == name:
            return data[header[4]:header[4] + header[5]]
    return None


def kernel_figures(info):
    """{entry: {figure: number}} from the text of .ze_info."""
    found = {}
    for part in re.split(r"^  - name:\s*", info, flags=re.M)[1:]:
        name = re.match(r"\S+", part)[0].strip("'\"")
        keys = dict(re.findall(r"^      (\w+):\s*(\d+)\s*$", part, flags=re.M))
        figures = {figure: int(keys.get(key, 0)) for key, figure in FIGURES.items()}
        # Memory of a thread for registers that do not fit.
        figures["spill_bytes"] = sum(int(size) for size in re.findall(
            r"usage:\s*spill_fill_space\s+size:\s*(\d+)", part))
        if figures["simd"]:
            found[name] = figures
    return found


class Intel:
    """Compiles for one of TARGETS. Raises Unavailable."""

    lanes = 16  # in every list of Intel's sub-group sizes

    def __init__(self, target):
        self.name = target
        self.model, self.newer, self.block_threads, self.lacks = TARGETS[target]
        self.command, folder = installed()
        self.environment = dict(os.environ)
        files = [self.command]
        if folder:
            self.environment["LD_LIBRARY_PATH"] = folder
            files += [os.path.join(folder, name) for name in os.listdir(folder)
                      if name.startswith(("libocloc", "libigc", "libigdfcl"))]
        done = subprocess.run([self.command, "--help"], capture_output=True, text=True, check=False,
                              env=self.environment)
        if "compile" not in done.stdout:
            raise Unavailable("ocloc does not start: %s" % (done.stdout + done.stderr).strip())
        self.text = "ocloc"
        self.identity = files_identity(files)

    def language(self, newer):
        return self.newer if newer else "CL1.2"

    def compile(self, program, source, folder):
        # ocloc reads the text of the file: the folder of its own include files has to be named.
        options = program.options(self) + ["-I", os.path.dirname(source)]
        status, text = run(
            [self.command, "compile", "-file", source, "-device", self.name, "-options",
             " ".join(options), "-internal_options", INTERNAL, "-out_dir", folder, "-output",
             "program", "-output_no_suffix"], env=self.environment, cwd=folder)
        output = os.path.join(folder, "program")
        info = section(output, ".ze_info") if status == 0 and os.path.exists(output) else None
        too_large = SLM_ERROR.search(text)
        if info is None and too_large:
            return {"too_large": int(too_large[1]), "warnings": [], "kernels": {}}
        if info is None:
            return {"error": text.strip() or "no binary", "warnings": [], "kernels": {}}
        warnings = [line for line in text.splitlines() if "warning:" in line]
        return {"warnings": warnings, "kernels": kernel_figures(info.decode())}
