"""`show --ptx` and `show --diff`."""
import os
import re

from command import ROOT, devices, expect, json_of, kernel_tree, pmpp, refused
import rows


def have_nvrtc():
    """Skips the row without NVRTC, after a check that the message names the package to install."""
    result = pmpp("show", "matmul/tiled16", "--ptx")
    if result.returncode != 2:
        return
    rows.equal(result.stdout, "", "stdout without NVRTC")
    rows.equal(len(result.stderr.strip().splitlines()), 1, "lines of the message")
    rows.check("-m pip install" in result.stderr, result.stderr)
    raise rows.Skip("no NVRTC")


def target(text):
    """The architecture of the CUDA file's PTX, which comes last."""
    return re.findall(r"^\.target (sm_\d+)", text, re.M)[-1]


def show_ptx():
    have_nvrtc()
    text = expect(0, "show", "matmul/tiled16", "--ptx", "--arch=sm_90").stdout
    rows.check(".entry matmul_tiled" in text and "__global__" not in text, "no PTX: " + text[:900])
    rows.equal(target(text), "sm_90", "target")
    rows.check("[1024]" in text, "tiles of 16 x 16 floats: " + text[:900])
    rows.equal(target(expect(0, "show", "vecadd/fine", "--ptx", "--arch=sm_80").stdout), "sm_80")
    if not {"cuda", "opencl"} & set(devices()):
        rows.equal(target(expect(0, "show", "vecadd/fine", "--ptx").stdout), "sm_90", "default")
    # The OpenCL side is present, or a line has the reason.
    rows.check("PTX of cl_kernels/matmul/tiled.cl" in text or
               re.search(r"^---- no PTX of the OpenCL file: .*\bno\b", text, re.M), text[:900])


def show_ptx_macros():
    """Tunables, choices and --math reach the compiler."""
    have_nvrtc()
    text = expect(0, "show", "matmul/tiled16", "--ptx", "--set", "TILE=32").stdout
    rows.check("[4096]" in text and "TILE=32" in text and "32 x 32 x 1" in text, text[:900])
    text = expect(0, "show", "reduce/first-add", "--ptx", "--dtype=f32").stdout
    rows.check("add.f32" in text, "no sum of f32")
    text = expect(0, "show", "reduce/first-add", "--ptx", "--dtype=i32", "--op=max").stdout
    rows.check("max.s32" in text and "add.f32" not in text and "i32 max" in text, text[:900])
    text = expect(0, "show", "softmax/naive", "--ptx", "--math=fast").stdout
    rows.check("ex2.approx.ftz" in text, "no fast exponential")


def show_ptx_every():
    """The PTX of each family's first rung, and the instructions counted."""
    have_nvrtc()
    for family in json_of(expect(0, "list", "--json"))["families"]:
        name = "%s/%s" % (family["name"], family["variants"][0]["name"])
        text = expect(0, "show", name, "--ptx", "--diff").stdout
        counts = dict((n, int(c)) for n, c in
                      re.findall(r"^[* ] ([a-z][\w.]*) +[\d-]+ +(\d+)$", text, re.M))
        every = counts.pop("all")
        rows.check(every > 5 and every == sum(counts.values()), "%s: %r" % (name, counts))
        rows.check(counts.get("ret", 0) >= 1, "%s returns: %r" % (name, counts))


def show_ptx_counts():
    """The table of a file with one kernel against the text below it."""
    have_nvrtc()
    text = expect(0, "show", "matmul/tiled16", "--ptx", "--diff").stdout
    table, ptx = text.split("---- PTX of cuda_kernels/")
    for name, pattern in (("fma.f32", r"^\s*fma\.rn\.f32"), ("bar", r"^\s*bar\.sync"),
                          ("ld.shared.v4", r"^\s*ld\.shared\.v4"),
                          ("st.shared", r"^\s*st\.shared\.f32")):
        want = len(re.findall(pattern, ptx, re.M))
        got = re.search(r"^[* ] %s +[\d-]+ +(\d+)$" % re.escape(name), table, re.M)
        rows.check(want > 0 and got and int(got.group(1)) == want,
                   "%s: %d in the text, but %s" % (name, want, got and got.group(0)))


def show_diff():
    """The unified diff has both files completely."""
    text = expect(0, "show", "matmul/tiled16", "--diff").stdout
    head, body = text.split("\n+++ cuda_kernels/matmul/tiled.cu\n")
    rows.check(head.endswith("\n--- cl_kernels/matmul/tiled.cl"), head[-200:])
    first, *lines = body.splitlines()
    for sign, other, path in (("-", "+", "cl_kernels/matmul/tiled.cl"),
                              ("+", "-", "cuda_kernels/matmul/tiled.cu")):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            want = file.read().splitlines()
        rows.equal([line[1:] for line in lines if line[0] != other], want, path)
        rows.check("%s1,%d " % (sign, len(want)) in first, first)
    rows.check(" \tfloat sum = 0.0f;" in lines, "a line of both is told apart")
    rows.check("-\tint tx = get_local_id(0);" in lines and "+\tint tx = threadIdx.x;" in lines,
               "no changed line")


def show_change():
    """Two variants: the facts of both, and what the first changes in the files of the second."""
    text = expect(0, "show", "--diff", "vecadd/coarse2", "vecadd/fine").stdout
    rows.check(text.index("vecadd/coarse2  ") < text.index("vecadd/fine  "), text[:900])
    for language, end in (("cl_kernels", "cl"), ("cuda_kernels", "cu")):
        rows.check("--- %s/vecadd/fine.%s\n+++ %s/vecadd/coarse.%s\n" % (language, end, language, end)
                   in text, "no diff of " + language)
    text = expect(0, "show", "--diff", "matmul/tiled32", "matmul/tiled16").stdout
    rows.check("both use cuda_kernels/matmul/tiled.cu" in text and "\n+" not in text, text[-300:])
    refused(1, ["have no language in common"], "show", "--diff", "matmul/cpu-packed", "matmul/best")
    refused(1, ["--results prints times: leave out --diff"], "show", "--results=h200", "matmul", "--diff")
    text = expect(0, "show", "--diff", "matmul/best", "matmul/bulk-copies").stdout
    rows.check("+++ cuda_kernels/matmul/best.cu" in text and "+++ cl_kernels" not in text, text[:900])


def show_broken():
    """NVRTC's messages have file and line, and stdout is empty."""
    have_nvrtc()
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu":
                        lambda text: "int x = no_such_name;\n" + text})
    result = expect(5, "show", "vecadd/fine", "--ptx", "--kernel-dir=" + tree)
    rows.check("vecadd/fine.cu(1)" in result.stderr, result.stderr)
    rows.equal(result.stdout, "", "stdout")


def show_your_kernel():
    """Only the source that is not the project's is marked."""
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda text: text.replace(
        "LOAD(A, i) + LOAD(B, i)", "LOAD(B, i) + LOAD(A, i)")})
    text = expect(0, "show", "vecadd/fine", "--kernel-dir=" + tree).stdout
    rows.equal(re.findall(r"^---- (.*)$", text, re.M),
               ["cl_kernels/vecadd/fine.cl", "cuda_kernels/vecadd/fine.cu (your kernel)"], "sources")


def show_header():
    """NVRTC compiles a kernel that includes headers beside it and in the folder of --kernel-dir."""
    have_nvrtc()
    tree = kernel_tree({"cuda_kernels/vecadd/fine.cu": lambda text: text.replace(
        "#if defined", '#include "beside.h"\n#include "root.h"\n#if defined', 1)
        .replace("LOAD(A, i) +", "BESIDE LOAD(A, i) ROOT")})
    for path, text in (("cuda_kernels/vecadd/beside.h", "#define BESIDE -\n"),
                       ("root.h", "#define ROOT -\n")):
        with open(os.path.join(tree, path), "w", encoding="utf-8") as file:
            file.write(text)
    text = expect(0, "show", "vecadd/fine", "--ptx", "--kernel-dir=" + tree).stdout
    rows.check("sub" in text, text)


def show_bad_arch():
    have_nvrtc()
    for arch, parts in (("sm_91", ["sm_91", "did you mean sm_90", "sm_75"]), ("90", ["sm_90"]),
                        ("compute_90", ["sm_90"]), ("sm_9", ["sm_90"]), ("sm_-90", ["sm_90"])):
        refused(1, ["--arch"] + parts, "show", "matmul/tiled16", "--ptx", "--arch=" + arch)
    refused(1, ["--arch=sm_75", "matmul/tf32-tensor", "sm_80"], "show", "matmul/tf32-tensor", "--ptx",
            "--arch=sm_75")


rows.row("show --ptx", show_ptx)
rows.row("show --ptx: macros", show_ptx_macros)
rows.row("show --ptx --diff: every family", show_ptx_every)
rows.row("show --ptx --diff: counts", show_ptx_counts)
rows.row("show --ptx: a kernel that does not build", show_broken)
rows.row("show --ptx: headers beside the kernel", show_header)
rows.row("show --ptx --arch: bad ones", show_bad_arch)
rows.row("show: your kernel", show_your_kernel)
rows.row("show --diff", show_diff)
rows.row("show --diff: two variants", show_change)
rows.finish()
