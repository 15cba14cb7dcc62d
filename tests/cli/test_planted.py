"""Defects planted in an OpenCL kernel (planted_cl.py): opencl-emu and Oclgrind report those that the
table of docs/verification.md says, with a line of the defect, and no others."""
import os
import re
import shutil

from command import ROOT, expect, kernel_tree, pmpp
import planted_cl
import rows

FILE = "cl_kernels/vecadd/fine.cl"
TABLE = "| planted defect | `opencl-emu` | Oclgrind |"
BOTH, EXPLAIN, VERIFY, NOTHING = "both", "`explain`", "`verify`", "-"


def documented():
    """By name of the defect: what the emulator reports it with, whether Oclgrind reports it."""
    with open(os.path.join(ROOT, "docs/verification.md"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    table = {}
    for line in lines[lines.index(TABLE) + 2:]:
        if not line.startswith("|"):
            break
        name, emulator, oclgrind = [cell.strip() for cell in line.strip("|").split("|")]
        table[name] = (emulator, oclgrind)
    return table


def documented_are_planted():
    rows.equal(set(documented()), set(planted_cl.BODIES) - set(planted_cl.RIGHT), "defects")


def tree_of(name):
    return kernel_tree({FILE: lambda text: planted_cl.text_of(name)})


def ask(name, *arguments):
    env = {"PMPP_EMU_WORKERS": "1"}
    if name == "endless loop":
        env["PMPP_EMU_TIMEOUT_S"] = "3"
    result = pmpp(*arguments, "vecadd/fine", "--size=300", "--kernel-dir=" + tree_of(name), env=env)
    return result.returncode, result.stdout


def with_emulator(name, reported_by):
    code, text = ask(name, "explain", "--backend=opencl-emu")
    if code == 2:
        rows.skip_backend("opencl-emu", "no clang")
    rows.note(re.sub(r"\s+", " ", text[text.find("DEFECT"):][:200]) if "DEFECT" in text else "no defect")
    lines = [int(n) for found in re.findall(r"DEFECT +[a-z-]+, lines? ([0-9]+)(?: and ([0-9]+))?", text)
             for n in found if n]
    if reported_by in (BOTH, EXPLAIN):
        rows.check(code in (3, 5), "exit %d: %s" % (code, text))
        rows.check(set(lines) & set(planted_cl.lines_of(name)), "lines %s" % lines)
        code, text = ask(name, "verify", "--backend=opencl-emu", "--dtype=f32")
        lines = [int(n) for n in re.findall(r"fine\.cl:([0-9]+)", text)]
        rows.check(code in (3, 5), "exit %d: %s" % (code, text))
        rows.check(set(lines) & set(planted_cl.lines_of(name)) or reported_by == EXPLAIN, text)
        return
    rows.check("DEFECT" not in text, text)
    code, text = ask(name, "verify", "--backend=opencl-emu", "--dtype=f32")
    rows.equal(code, 3 if reported_by == VERIFY else 0, text)


def with_oclgrind(name, reported):
    if not shutil.which("oclgrind"):
        rows.skip_backend("oclgrind", "not installed (package oclgrind)")
    code, text = ask(name, "verify", "--engine=oclgrind", "--dtype=f32", "--timeout=20")
    rows.note(text.split("\n")[1][:300])
    found = [int(n) for n in re.findall(re.escape(FILE) + ":([0-9]+)", text)]
    if reported:
        rows.equal(code, 3, text)
        wanted = set(planted_cl.lines_of(name))
        if "uninitialized value written" in text:  # Oclgrind reports where the value leaves the kernel
            wanted.add(planted_cl.store_line(name))
        rows.check("Oclgrind: " in text and set(found) & wanted, text)
    else:
        rows.check("Oclgrind: " not in text, text)


def orders_of_blocks():
    """Atomic operations order two blocks if their order and their scope do."""
    for old, new, code in (("acq_rel,", "seq_cst,", 0), ("acq_rel,", "relaxed,", 3),
                           ("scope_device)", "scope_work_group)", 3)):
        tree = kernel_tree({"cl_kernels/reduce/single_pass.cl":
                            lambda text, old=old, new=new: text.replace(old, new)})
        result = pmpp("explain", "reduce/single-pass", "--backend=opencl-emu", "--kernel-dir=" + tree)
        if result.returncode == 2:
            rows.skip_backend("opencl-emu", "no clang")
        rows.equal(result.returncode, code, "%s: %s" % (new, result.stdout[:600]))
        rows.check(("another block" in result.stdout) == (code == 3), result.stdout[:600])


def many_bytes():
    """A grid of few steps and many bytes is not watched as a whole."""
    result = pmpp("explain", "coalesce/cpu-stream", "--backend=opencl-emu", "--size=2^24")
    if result.returncode == 2:
        rows.skip_backend("opencl-emu", "no clang")
    rows.equal(result.returncode, 0, result.stderr)
    rows.check("3 of 4096 blocks traced" in result.stdout, result.stdout)


rows.row("the table of docs/verification.md", documented_are_planted)
for defect, (by_emulator, by_oclgrind) in sorted(documented().items()):
    rows.row("opencl-emu: " + defect, with_emulator, defect, by_emulator)
    rows.long_row("Oclgrind: " + defect, with_oclgrind, defect, by_oclgrind != NOTHING)
for right in planted_cl.RIGHT:
    rows.row("opencl-emu, right: " + right, with_emulator, right, NOTHING)
    rows.long_row("Oclgrind, right: " + right, with_oclgrind, right, False)
rows.row("orders of blocks", orders_of_blocks)
rows.row("many bytes", many_bytes)
rows.finish()
