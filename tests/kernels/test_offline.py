"""Compilers for GPUs that this machine does not have (tools/compile_check.py): every kernel of the
suite compiles, and the occupancy model agrees with clang.

usage: test_offline.py SOURCE_ROOT BUILD_ROOT amdgcn|spirv|ocloc

A missing compiler is a skip; PMPP_REQUIRE=amdgcn,spirv,ocloc makes it a failure. PMPP_COMPILERS is
the folder of tools/compilers.sh. The short form compiles the first row of each family for one
target.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "..", "tools"), HERE]
import amd_occupancy
import compile_check
import rows
from offline import amdgcn, intel, programs
from offline.model import Model

ROOT, BUILD, KIND = sys.argv[1:]
TARGETS = {"amdgcn": ["gfx90a", "gfx942", "gfx1100"], "spirv": ["spirv"],
           "ocloc": ["acm-g10", "tgllp", "pvc"]}
# Remarks about speed, not about the program. A note has the bytes that a kernel spills.
HARMLESS = ("[-Wpass-failed=", "regs and spilled around")
MODEL = Model(os.path.join(BUILD, "pmpp-run"))
OPTIONS = argparse.Namespace(build=BUILD, patterns=[], tunables=False)


def is_sample(program):
    """The first row of each family: for the short form, and for targets that share a compiler."""
    family = program.rows[0].split("/")[0]
    first = next(p for p in LISTED if p.rows[0].startswith(family + "/"))
    return program is first


def compiles(compiler, program, reason, result):
    """The program compiles without a warning, has its kernels, and fits the model."""
    if reason:
        raise rows.Skip(reason)
    found = compile_check.problems_of(MODEL, compiler, program, result)
    rows.check(not found, "\n".join(found)[:2000])
    rows.check("too_large" not in result,
               "needs %d bytes of shared memory" % result.get("too_large", 0))
    warnings = [text for text in result["warnings"] if not any(part in text for part in HARMLESS)]
    rows.check(not warnings, "\n".join(warnings))
    for entry, figures in result["kernels"].items():
        if figures.get("scratch_bytes") or figures.get("spill_bytes"):
            rows.note("%s spills: %d bytes per thread" % (
                entry, figures.get("scratch_bytes") or figures["spill_bytes"]))
        if compiler.name in intel.TARGETS:
            rows.check(figures["grf"] in (128, 256), figures)
            if "model" in figures:
                rows.check(figures["model"] > 0, figures)
            else:
                rows.note("%s: the block is larger than %d threads" % (entry,
                                                                      compiler.block_threads))


def unavailable(reason):
    rows.skip_backend(KIND, reason)


def add_target(target):
    global LISTED
    try:
        compiler = compile_check.compiler_of(target)
    except programs.Unavailable as reason:
        rows.row(target, unavailable, str(reason))
        return
    chosen = compile_check.selected(OPTIONS, compiler)
    LISTED = [program for program, _ in chosen]
    if target in ("tgllp", "pvc"):
        # The front end is that of acm-g10: one choice of each row.
        chosen = [pair for pair in chosen if pair[0].is_first]
    samples = {id(program) for program in LISTED if is_sample(program)}
    runs = [pair for pair in chosen if not rows.is_short()
            or (target == TARGETS[KIND][0] and id(pair[0]) in samples)]
    wanted = [program for program, reason in runs if not reason]
    results = {id(p): r for p, r in programs.compile_all(ROOT, compiler, wanted)}
    print("%s: %s" % (target, compiler.text), flush=True)
    run = {id(program) for program, _ in runs}
    for program, reason in chosen:
        add = rows.row if id(program) in run else rows.long_row
        add("%s %s" % (target, program.name), compiles, compiler, program, reason,
            results.get(id(program)))


def has_every_file():
    """Each .cl file is in the list of programs."""
    listed = {program.path for program in LISTED}
    for directory, _, names in os.walk(os.path.join(ROOT, "cl_kernels")):
        for name in names:
            path = os.path.relpath(os.path.join(directory, name), ROOT)
            rows.check(path in listed or not name.endswith(".cl"), path)


def occupancy(target, lanes, oldest):
    """clang's occupancy is the model's, for each number of registers, bytes of LDS and threads."""
    try:
        kernels, version = amd_occupancy.compiled(target, lanes, oldest)
    except programs.Unavailable as reason:
        unavailable(str(reason))
    wrong = []
    for entry, figures in sorted(kernels.items()):
        rows.equal(figures["wave"], lanes, entry)
        found = MODEL.amd(target, figures, version)
        if found != figures["occupancy"]:
            wrong.append("%s: clang %d, model %d (%s)" % (entry, figures["occupancy"], found, figures))
    rows.check(not wrong, "%d of %d kernels differ\n%s" % (len(wrong), len(kernels),
                                                          "\n".join(wrong[:20])))
    for registers, waves in amd_occupancy.LLVM_TABLE.get((target, lanes), {}).items():
        rows.equal(kernels["vector_%d" % registers]["occupancy"], waves, "%d registers" % registers)
    for threads, waves in amd_occupancy.LLVM_LDS.get((target, lanes), {}).items():
        rows.equal(kernels["lds_8252_%d" % threads]["occupancy"], waves, "%d threads" % threads)
    rows.note("%d kernels, clang-%d" % (len(kernels), version))


for name in TARGETS[KIND]:
    LISTED = []
    add_target(name)
    if LISTED:
        rows.row(name + ": every file", has_every_file)
if KIND == "amdgcn":
    for name, width, clang in amd_occupancy.SWEEPS:
        # The short form has one target of each family.
        sample = (name, clang) in (("gfx90a", 19), ("gfx1100", 19))
        (rows.row if sample else rows.long_row)(
            "occupancy of %s, waves of %d, clang-%d" % (name, width, clang), occupancy, name, width,
            clang)
rows.finish()
