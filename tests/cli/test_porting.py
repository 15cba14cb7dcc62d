"""The steps of docs/porting.md: its two kernels and its commands, as the page prints them."""
import os
import re
import shutil
import textwrap

from command import ROOT, expect, need, new_path, pmpp
import rows

KERNELS = ("mine/cuda_kernels/transpose/tiled.cu", "mine/cl_kernels/transpose/tiled.cl")


def section():
    with open(os.path.join(ROOT, "docs/porting.md"), encoding="utf-8") as file:
        return file.read().split("\n## How to port a kernel\n")[1].split("\n## ")[0]


def block_after(text):
    """The indented text that follows a line of the section."""
    rest = section().split(text, 1)[1].lstrip("\n").split("\n")
    end = next(i for i, line in enumerate(rest) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(rest[:end])).strip("\n") + "\n"


def folder(**changes):
    """A new folder with the page's kernels in `mine`; `changes`: text to replace in both."""
    root = os.path.dirname(new_path("x"))
    for path in KERNELS:
        os.makedirs(os.path.join(root, os.path.dirname(path)))
        text = block_after("`%s`:\n" % path)
        for before, after in changes.get("replace", ()):
            text = text.replace(before, after)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    return root


def commands():
    """Arguments of the commands of the section, in its order."""
    return [line.split()[1:] for line in section().split("\n") if line.startswith("    pmpp-run ")]


def steps():
    """Each command has exit status 0. Oclgrind and NVIDIA's driver may be absent."""
    need("opencl")
    need("cuda-emu")
    root = folder()
    found = commands()
    rows.check(len(found) >= 10, found)
    rows.check(sum("--kernel-dir=mine" in words for words in found) >= 7, "kernels of the reader")
    for words in found:
        if "--engine=oclgrind" in words and not shutil.which("oclgrind"):
            rows.note("Oclgrind is not installed: its command is left out")
        elif "--ptx" in words:
            code = pmpp(*words, cwd=root).returncode
            rows.check(code in (0, 2), "%s: exit %d" % (words, code))
        else:
            expect(0, *words, cwd=root)


def original():
    """The table of changes has the launch and the macros that `show` prints."""
    shown = expect(0, "show", "transpose/padded").stdout
    for part in ("transpose_tiled: block 32 x 8 x 1, grid ", "TILE=32", "BLOCK_ROWS=8", "PADDING=1",
                 "DIAGONAL=0", "transpose/tiled.cu", "transpose/tiled.cl"):
        rows.check(part in shown, "show: no %s" % part)
    for part in ("32 x 8 x 1 threads", "`TILE=32`, `BLOCK_ROWS=8`, `PADDING=1`, `DIAGONAL=0`"):
        rows.check(part in section(), "page: no %s" % part)


def output():
    """The printed lines of the check on the emulator."""
    need("cuda-emu")
    words = next(w for w in commands() if "--backend=cuda-emu" in w)
    printed = expect(0, *words, cwd=folder()).stdout
    for line in block_after("The output for the\nexample:\n").strip().split("\n"):
        parts = re.split(r"\s*\.\.\.\s*", line)
        for part in parts:
            rows.check(part in printed, "not printed: %r in %s" % (part, printed))


def wrong(replacement, parts):
    """The checks find a mistake in the reader's kernels."""
    need("opencl")
    need("cuda-emu")
    root = folder(replace=replacement)
    for backend in ("cuda-emu", "opencl"):
        result = expect(3, "verify", "transpose/padded", "--backend=" + backend, "--kernel-dir=mine",
                        cwd=root)
        for part in parts:
            rows.check(part in result.stdout, "%s: %s" % (backend, result.stdout))


def other_name():
    """If the kernel's name differs from the entry, the rows have the reasons of the page. cuda-emu
    accepts a kernel without extern "C", as the page states."""
    need("opencl")
    need("cuda-emu")
    root = folder(replace=[("transpose_tiled(", "transpose(")])
    for backend, part in (("cuda-emu", "the file has no kernel of this name"),
                          ("opencl", "clCreateKernel failed: CL_INVALID_KERNEL_NAME")):
        result = expect(5, "verify", "transpose/padded", "--backend=" + backend, "--kernel-dir=mine",
                        cwd=root)
        rows.check(part in result.stdout, "%s: %s" % (backend, result.stdout))
        rows.check("| `%s` |" % part in section(), part)
    expect(0, "verify", "transpose/padded", "--backend=cuda-emu", "--kernel-dir=mine",
           cwd=folder(replace=[('extern "C" ', "")]))
    rows.check('`cuda-emu` accepts a kernel without `extern "C"`' in section(), "no extern C")


rows.row("the commands of the page", steps)
rows.row("launch and macros of the variant", original)
rows.row("printed lines of the check", output)
rows.row("another name of the kernel", other_name)
rows.row("a wrong index is found", wrong, [("tile[x][j]", "tile[j][x]")], ["failed"])
rows.finish()
