"""Occupancy by `pmpp-run model occupancy`, for the figures that a compiler prints."""
import json
import subprocess

FIGURES = {"block_threads": "--threads", "vgprs": "--registers", "agprs": "--accvgprs",
           "sgprs": "--sgprs", "lds_bytes": "--shared"}


# Up to this version clang compares the waves of a whole unit with the slots of one SIMD. Its figure is
# too high if LDS or the size of the block limits a kernel. Registers have the same effect in all
# versions.
LDS_BY_SIMD = 16
LDS_BYTES, UNIT_WAVES, SIMD_WAVES, BARRIERS = 64 << 10, 32, 8, 16  # gfx90a


# Before this version clang has a table for scalar registers, and does not count the 16 registers of
# ROCm's trap handler. The model follows LLVM's later test (occupancy-levels.ll), which does.
NEW_SCALARS = 23


def old_scalar_waves(sgprs):
    """GCNSubtarget::getOccupancyWithNumSGPRs of LLVM 14 to 19, for GCN and CDNA."""
    return next((waves for limit, waves in ((80, 10), (88, 9), (100, 8)) if sgprs <= limit), 7)


def old_lds_waves(figures):
    """AMDGPUSubtarget::getOccupancyWithLocalMemSize of LLVM 14, for gfx90a."""
    waves = -(-figures["block_threads"] // figures["wave"])
    groups = UNIT_WAVES if waves == 1 else min(UNIT_WAVES // waves, BARRIERS)
    return min(SIMD_WAVES, min(groups, LDS_BYTES // max(figures["lds_bytes"], 1)) * waves)


class Model:
    """Calls the program once for each set of figures."""

    def __init__(self, program):
        self.program, self.known = program, {}

    def call(self, options):
        key = tuple(options)
        if key not in self.known:
            done = subprocess.run([self.program, "model", "occupancy", "--json=-", *options],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ValueError("model occupancy %s: %s" % (" ".join(options),
                                                             done.stderr.strip()))
            self.known[key] = json.loads(done.stdout)["result"]
        return self.known[key]

    def amd(self, model, figures, clang):
        """The figure that this version of clang prints as "Occupancy"."""
        if clang < NEW_SCALARS and model.startswith("gfx9") and figures["sgprs"]:
            scalars = old_scalar_waves(figures["sgprs"])
            return min(scalars, self.amd(model, dict(figures, sgprs=0), clang))
        if clang >= LDS_BY_SIMD:
            return self.waves(model, figures)
        alone = dict(figures, block_threads=figures["wave"], lds_bytes=0)
        return min(self.waves(model, alone), old_lds_waves(figures))

    def waves(self, model, figures):
        options = ["--model=" + model, "--width=%d" % figures["wave"]]
        options += ["%s=%d" % (option, figures[name]) for name, option in FIGURES.items()
                    if figures[name]]
        return self.call(options)["compiler_warps"]

    def intel(self, model, figures, threads):
        options = ["--model=" + model, "--width=%d" % figures["simd"], "--threads=%d" % threads,
                   "--registers=%d" % figures["grf"], "--shared=%d" % figures["slm_bytes"]]
        return self.call(options + (["--barrier"] if figures["barriers"] else []))
