"""verify --engine=oclgrind finds planted defects with file and line. It reports nothing about right
kernels: a third of the kernels of each family."""
import os
import shutil

from command import expect, json_file, json_of, kernel_tree, new_file, new_path, read_text, refused
import rows

# Families that launch one block at every size, so there are no races between blocks.
ONE_BLOCK = {"latency"}


def need_oclgrind():
    if not shutil.which("oclgrind"):
        rows.skip_backend("oclgrind", "not installed (package oclgrind)")


def verify(code, *arguments, **options):
    return expect(code, "verify", "--engine=oclgrind", *arguments, **options)


def line_of(tree, path, part):
    text = read_text(os.path.join(tree, path))
    return text[:text.index(part)].count("\n") + 1


def right_kernels():
    """Exit 0, and only the device of Oclgrind is used, even if others are installed or preferred."""
    need_oclgrind()
    document = json_of(verify(0, "vecadd/fine", "reduce/interleaved", "--json",
                              env={"PMPP_BACKEND": "cuda", "PMPP_DEVICE": "gpu"}))
    rows.equal([d["name"] for d in document["devices"]], ["Oclgrind Simulator"], "devices")
    rows.equal({r["status"] for r in document["results"]}, {"ok"}, "statuses")
    rows.equal({r["verify"]["coverage"] for r in document["results"]}, {"all elements", "all elements; all on integers"})


def asked_size():
    need_oclgrind()
    document = json_of(verify(0, "vecadd/fine", "--size=300", "--dtype=f32", "--json"))
    rows.equal([r["problem"] for r in document["results"]], [{"n": 300}], "problems")


def finds(variant, path, edit, what, at):
    """Exit 3, and the reason has the report of Oclgrind, the kernel's file and the line of `at`."""
    need_oclgrind()
    tree = kernel_tree({path: edit})
    json_path = new_path("r.json")
    result = verify(3, variant, "--kernel-dir=" + tree, "--json=" + json_path)
    place = "%s:%d" % (path, line_of(tree, path, at))
    # Oclgrind limits its reports. Reports of one row must not reduce those of the next row.
    judged = [r for r in json_file(json_path)["results"] if r["status"] != "skipped"]
    accused = [r for r in judged if "Oclgrind: " in (r["reason"] or "")]
    rows.check(accused, "nothing was reported: " + result.stdout)
    for row in accused:
        rows.equal(row["status"], "failed", "status")
    rows.check(any(what in r["reason"] and place in r["reason"] for r in accused),
               "no %r at %s: %s" % (what, place, accused[0]["reason"]))
    rows.check("Oclgrind: " in result.stdout and path in result.stdout, result.stdout)
    return judged, accused


def reads_past_the_end():
    judged, accused = finds("vecadd/fine", "cl_kernels/vecadd/fine.cl",
                            lambda text: text.replace("LOAD(B, i))", "LOAD(B, i + 1))"),
                            "invalid read of size 4 at global memory", "LOAD(B, i + 1)")
    rows.equal(len(accused), len(judged), "sizes reported")


def writes_past_the_end():
    finds("vecadd/fine", "cl_kernels/vecadd/fine.cl",
          lambda text: text.replace("if (i < n)", "if (i <= n)"),
          "invalid write of size 4 at global memory", "STORE(C, i, LOAD")


def lacks_a_barrier():
    part = "parts[lane] += parts[lane + step];"
    finds("softmax/naive", "cl_kernels/softmax/naive.cl",
          lambda text: text.replace("\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n", ""),
          "data race at local memory", part)


def has_a_divergent_barrier():
    judged, accused = finds("reduce/interleaved", "cl_kernels/reduce/tree.cl",
                            lambda text: text.replace("\t\tbarrier(", "\t\tif (adds)\n\t\t\tbarrier("),
                            "divergence detected (barrier)", "\t\t\tbarrier(")
    rows.equal(len(accused), len(judged), "sizes reported")


def reads_what_nobody_wrote():
    finds("histogram/private", "cl_kernels/histogram/private.cl",
          lambda text: text.replace("\t\tcounts[b] = 0;\n", "\t\t;\n"),
          "uninitialized value", "atomic_add(&counts[value], 1u);")


def others_go_on():
    need_oclgrind()
    tree = kernel_tree({"cl_kernels/vecadd/fine.cl":
                        lambda text: text.replace("LOAD(B, i))", "LOAD(B, i + 1))")})
    document = json_of(verify(3, "vecadd", "--kernel-dir=" + tree, "--json"))
    found = {}
    for row in document["results"]:
        found.setdefault(row["variant"], set()).add(row["status"])
    rows.equal(found.pop("fine"), {"failed"}, "the wrong one")
    rows.check(len(found) > 3 and set.union(*found.values()) == {"ok"}, "the others: %s" % found)


def absent():
    result = refused(2, ["install the package oclgrind"], "verify", "--engine=oclgrind", "vecadd",
                     env={"PATH": "/nonexistent"})
    rows.equal(len(result.stderr.strip().splitlines()), 1, "lines of the message")


def behind_a_folder_of_its_name():
    need_oclgrind()
    folder = new_path("oclgrind")
    os.mkdir(folder)
    verify(0, "vecadd/fine", env={"PATH": os.path.dirname(folder) + ":" + os.environ["PATH"]})


def without_its_library():
    """A program with the name of Oclgrind, but without its ICD."""
    program = new_file("oclgrind", "#!/bin/sh\n")
    os.chmod(program, 0o755)
    refused(2, [program, "liboclgrind-rt-icd.so", "install"], "verify", "--engine=oclgrind", "vecadd",
            env={"PATH": os.path.dirname(program)})


def with_a_library_that_cannot_be_loaded():
    program = os.path.join(os.path.dirname(new_path("x")), "bin", "oclgrind")
    library = os.path.join(os.path.dirname(os.path.dirname(program)), "lib",
                           "liboclgrind-rt-icd.so")
    for path in (program, library):
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write("no library\n")
        os.chmod(path, 0o755)
    refused(2, [library], "verify", "--engine=oclgrind", "vecadd",
            env={"PATH": os.path.dirname(program)})


def bad_usage():
    refused(1, ["devices, oclgrind", "did you mean oclgrind"], "verify", "--engine=oclgrnd", "vecadd")
    for option in ("--backend=opencl", "--device=0"):
        refused(1, ["--engine=oclgrind", "does not use --backend and --device"], "verify",
                "--engine=oclgrind", option, "vecadd")
    refused(1, ["--no-isolate"], "verify", "--engine=oclgrind", "--no-isolate", "vecadd")
    refused(1, ["--engine is not an option of run; verify reads it"], "run", "--engine=oclgrind", "vecadd")
    refused(1, ["no family 'vecaddd'"], "verify", "--engine=oclgrind", "vecaddd")


# Oclgrind needs up to 20 s for a size with tiles of 128 x 128 sums, and a quarter for 64 x 64. Both have
# THREAD_M x THREAD_N sums per thread, so that only the number of threads differs.
SMALL_TILE = {"TILE_M": 64, "TILE_N": 64}


def takes_small_tile(variant):
    return "THREAD_M" in variant["tunables"] and all(
        value in variant["tunables"].get(name, {"choices": []})["choices"]
        for name, value in SMALL_TILE.items())


def kernels_of(family):
    """The first variant of each third kernel. kernels-opencl-emu-traced checks all variants for the same
    defects; Oclgrind takes minutes for them."""
    first = {}
    for variant in family["variants"]:
        first.setdefault((variant["file"], variant["entry"]), variant)
    return list(first.values())[::3]


def run_kernels(families, is_small):
    """Returns the rows of the kernels whose tile can be small, or of the others."""
    names = ["%s/%s" % (family["name"], variant["name"]) for family in families
             for variant in kernels_of(family) if takes_small_tile(variant) == is_small]
    small = ["--set=%s=%d" % pair for pair in SMALL_TILE.items()] if is_small else []
    path = new_path("rows.json")
    # The limits end a test that hangs; on a busy machine a variant takes minutes.
    result = verify(0, *names, *small, "--timeout=900", "--json=" + path, timeout=1500)
    for line in result.stderr.splitlines():
        rows.note(line)
    return json_file(path)["results"]


def has_several_blocks(row):
    return any(launch["grid"][0] * launch["grid"][1] * launch["grid"][2] > 1
               for launch in row["launches"] if "grid" in launch)


def right_kernels_of_each_family():
    """No kernel has a report. Each kernel is checked with several blocks, or is listed here."""
    need_oclgrind()
    families = json_of(expect(0, "list", "--json"))["families"]
    by_variant = {}
    for row in run_kernels(families, True) + run_kernels(families, False):
        by_variant.setdefault((row["family"], row["variant"]), []).append(row)
    listed = {(family["name"], variant["name"])
              for family in families for variant in kernels_of(family)}
    rows.equal(set(by_variant), listed, "variants seen")
    checked = skipped = sizes = 0
    for (family, variant), found in sorted(by_variant.items()):
        good = [row for row in found if row["status"] == "ok"]
        sizes += len(good)
        rows.check(all(row["status"] in ("ok", "skipped") for row in found),
                   "%s/%s: %s" % (family, variant, {row["status"] for row in found}))
        if not good:
            skipped += 1
            rows.note("%s/%s is skipped: %s" % (family, variant, found[0]["reason"]))
            continue
        checked += 1
        if family in ONE_BLOCK:
            rows.note("%s/%s: one block at every size" % (family, variant))
        else:
            rows.check(any(map(has_several_blocks, good)),
                       "%s/%s: no size of several blocks" % (family, variant))
    rows.note("%d variants checked at %d sizes, %d skipped" % (checked, sizes, skipped))
    rows.check(checked > 5 * skipped, "most are skipped")


rows.row("right kernels", right_kernels)
rows.row("a requested size", asked_size)
rows.row("a read past the end", reads_past_the_end)
rows.row("a write past the end", writes_past_the_end)
rows.row("a missing barrier", lacks_a_barrier)
rows.row("a divergent barrier", has_a_divergent_barrier)
rows.row("uninitialised local memory", reads_what_nobody_wrote)
rows.row("other variants run after a report", others_go_on)
rows.row("no Oclgrind", absent)
rows.row("a folder of its name in PATH", behind_a_folder_of_its_name)
rows.row("no library beside it", without_its_library)
rows.row("a library that cannot be loaded", with_a_library_that_cannot_be_loaded)
rows.row("bad usage", bad_usage)
rows.row("right kernels of each family", right_kernels_of_each_family)
rows.finish()
