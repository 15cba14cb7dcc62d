#!/usr/bin/env python3
"""Compiles the OpenCL kernels of the suite for GPUs that this machine does not have.

usage: compile_check.py [--build=FOLDER] [--target=NAME,...] [--tunables] [--json=FILE] [PATTERN...]

Every row is compiled with its macros, once for each choice of type, operation and data. A PATTERN
selects rows: "matmul/*". The program prints a table for each target: registers, shared memory,
spills and occupancy of each kernel. It needs neither a GPU nor a driver.

targets: gfx90a, gfx942, gfx1030, gfx1100, gfx1200 (AMD: clang), spirv (SPIR-V: clang, llvm-spirv,
spirv-val), acm-g10, tgllp, pvc (Intel: ocloc). Default: all but gfx1030 and gfx1200.

--build     the build folder, with pmpp-run and tests/dump_programs (default: build)
--tunables  also compile each other value of each tunable
--json      write all figures to a file

exit status: 0; 1 a program does not compile, or a figure differs from `pmpp-run model occupancy`;
2 a compiler is not installed. tools/compilers.sh installs the compilers (Debian).
"""
import argparse
import fnmatch
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from offline import amdgcn, intel, programs, spirv  # noqa: E402
from offline.model import Model  # noqa: E402

DEFAULT = ["gfx90a", "gfx942", "gfx1100", "spirv", "acm-g10", "tgllp", "pvc"]

AMD_COLUMNS = [("vgprs", "VGPR"), ("agprs", "AccVGPR"), ("sgprs", "SGPR"), ("lds_bytes", "LDS"),
               ("scratch_bytes", "scratch"), ("vgpr_spills", "spills"), ("block_threads", "block"),
               ("occupancy", "waves/SIMD"), ("model", "model")]
INTEL_COLUMNS = [("simd", "SIMD"), ("grf", "GRF"), ("slm_bytes", "SLM"), ("spill_bytes", "spills"),
                 ("barriers", "barriers"), ("model", "threads/EU")]


def compiler_of(target):
    """Raises programs.Unavailable; ValueError for an unknown target."""
    if target in amdgcn.TARGETS:
        return amdgcn.Amdgcn(target)
    if target in intel.TARGETS:
        return intel.Intel(target)
    if target == spirv.Spirv.name:
        return spirv.Spirv()
    raise ValueError("--target=%s: give some of %s" % (
        target, ", ".join([*amdgcn.TARGETS, spirv.Spirv.name, *intel.TARGETS])))


def block_of(program, entry):
    """Threads of the launch; the largest, if there are several."""
    return max((launch["threads"] for launch in program.launches if launch["entry"] == entry),
               default=1)


def add_model(model, compiler, program, entry, figures):
    """Adds the model's figure. Returns an error text or None."""
    try:
        if compiler.name in amdgcn.TARGETS:
            figures["model"] = model.amd(compiler.name, figures, compiler.version)
            if figures["model"] != figures["occupancy"]:
                return "%s: clang's occupancy is %d, the model's is %d" % (
                    entry, figures["occupancy"], figures["model"])
        if compiler.name in intel.TARGETS:
            threads = block_of(program, entry)
            if threads > compiler.block_threads:
                return None
            figures["model"] = model.intel(compiler.model, figures, threads)["simd_warps"]
    except ValueError as error:
        return "%s: %s" % (entry, error)
    return None


def problems_of(model, compiler, program, result):
    """Error texts of one program. Adds the model's figures to the result."""
    if "error" in result:
        return [result["error"]]
    found = [add_model(model, compiler, program, entry, figures)
             for entry, figures in sorted(result["kernels"].items())]
    missing = {launch["entry"] for launch in program.launches} - set(result["kernels"])
    if missing and "too_large" not in result:
        found.append("no kernel " + ", ".join(sorted(missing)))
    return [text for text in found if text]


def print_table(compiler, results):
    columns = AMD_COLUMNS if compiler.name in amdgcn.TARGETS else INTEL_COLUMNS
    if compiler.name == spirv.Spirv.name:
        columns = []
    width = max([20] + [len(program.name) for program, _ in results])
    print("%-*s  %-34s" % (width, compiler.name, "kernel")
          + "".join(" %*s" % (max(8, len(title)), title) for _, title in columns))
    for program, result in results:
        if "too_large" in result:
            print("%-*s  needs %d bytes of shared memory: too large" %
                  (width, program.name, result["too_large"]))
        for entry, figures in sorted(result["kernels"].items()):
            print("%-*s  %-34s" % (width, program.name, entry) + "".join(
                " %*s" % (max(8, len(title)), figures.get(key, "-")) for key, title in columns))


def selected(options, compiler):
    """[(program, reason why it is left out or None)]"""
    found = programs.programs(os.path.join(options.build, "tests", "dump_programs"), compiler.lanes,
                              options.tunables)
    if options.patterns:
        found = [program for program in found if any(
            fnmatch.fnmatch(row.split()[0], pattern)
            for row in program.rows for pattern in options.patterns)]
    return [(program, program.exclusion(compiler)) for program in found]


def check(options, compiler, model):
    """(JSON of the target, error texts)"""
    chosen = selected(options, compiler)
    results = programs.compile_all(ROOT, compiler, [p for p, reason in chosen if not reason])
    errors = []
    for program, result in results:
        errors += ["%s %s: %s" % (compiler.name, program.name, text)
                   for text in problems_of(model, compiler, program, result)]
    print_table(compiler, results)
    left_out = {}
    for _, reason in chosen:
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
    warnings = sum(len(result["warnings"]) for _, result in results)
    print("%s (%s): %d programs, %d left out%s, %d warnings, %d errors\n" % (
        compiler.name, compiler.text, len(results), sum(left_out.values()),
        "".join(" (%s: %d)" % item for item in sorted(left_out.items())), warnings, len(errors)))
    document = {"target": compiler.name, "compiler": compiler.text, "left_out": left_out,
                "programs": [{"rows": program.rows, "path": program.path, "macros": program.macros,
                              **result} for program, result in results]}
    return document, errors


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--target", default=",".join(DEFAULT))
    parser.add_argument("--tunables", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("patterns", nargs="*")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    model = Model(os.path.join(options.build, "pmpp-run"))
    documents, errors, absent = [], [], []
    for target in options.target.split(","):
        try:
            document, found = check(options, compiler_of(target), model)
        except programs.Unavailable as reason:
            absent.append("%s: %s" % (target, reason))
            continue
        except ValueError as error:
            sys.exit(str(error))
        documents.append(document)
        errors += found
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"targets": documents}, file, indent=1)
    for text in errors + absent:
        print(text, file=sys.stderr)
    sys.exit(1 if errors else 2 if absent else 0)


if __name__ == "__main__":
    main()
