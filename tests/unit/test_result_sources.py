"""Results of earlier kernels: rows of docs/results that were measured with an older kernel file.

EARLIER lists these rows and the files that have them. All other rows have the current kernels. After a
change of a kernel, add its rows and files to EARLIER and to the pages. After a new measurement of a file,
remove the file.

Comments do not count: a row has the digest of its kernel file, and the digest of the code of this file.

usage: test_result_sources.py FORMATS SOURCE_ROOT
"""
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from parity_pages import CARDS, joined, refused, says, tables, text_lines
import rows

FORMATS, ROOT = (os.path.abspath(path) for path in sys.argv[1:])
FOLDERS = {"opencl": "cl_kernels", "cuda": "cuda_kernels"}
DEVICES = "docs/results/devices/%s.json"
FILES = ["docs/" + path for path in CARDS] + sorted(
    os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, DEVICES % "*")))
CARD_FILES = {"docs/" + path for path in CARDS}
OLDEST = {DEVICES % name for name in ("pocl-xeon", "rusticl-epyc")}
# (files, family, backend, what changed after the measurement, variants)
EARLIER = tuple((OLDEST, *row) for row in (
    ("camping", "opencl", "unrolling pragmas", ("aligned", "padded", "skewed")),
    ("transpose", "opencl", "unrolling pragmas",
     ("copy", "naive-strided-store", "naive-strided-load", "tiled", "padded", "diagonal", "vector")),
    ("traverse", "opencl", "unrolling pragmas", ("column-walk", "row-walk")),
    ("reduce", "opencl", "device-scope atomics", ("single-pass",)),
    ("reduce", "opencl", "lane numbers", ("shuffle",)),
    ("prefetch", "opencl", "a form without PTX", ("async-copy",)),
)) + (
    (OLDEST | {DEVICES % "pocl-epyc", DEVICES % "intel-epyc"}, "matmul", "opencl",
     "larger tiles, prefetches, a wide micro-tile", ("cpu-packed",)),
) + tuple((OLDEST, family, backend, "the device's width", variants) for backend in ("opencl", "cuda")
          for family, variants in (
              ("camping", ("aligned", "padded", "skewed")),
              ("divergence", ("branchy", "warp-aligned", "ragged-loop", "sorted-loop")),
              ("reduce", ("unrolled", "shuffle")),
          )) + tuple((OLDEST, "matmul", backend, change, variants)
                     for backend in ("opencl", "cuda") for change, variants in (
                         ("accesses of 16 bytes, tiles of A by columns", ("registers", "prefetch")),
                         ("a name for a constant, a register limit", ("f16",)),
                     )) + (
    (set(FILES), "matmul", "opencl", "selects instead of branches at the edges",
     ("vector-loads", "a-transposed", "registers", "prefetch", "async-tiles", "block-order", "split-k")),
    (set(FILES), "transpose", "opencl", "a loop at the edges unrolled by four", ("vector",)),
    (set(FILES), "transpose", "cuda", "a loop at the edges unrolled by four", ("vector",)),
) + tuple((set(FILES), "matmul", backend, "tiles with TILE_K=8", ("f16",)) for backend in ("opencl", "cuda")) + tuple(
    (set(FILES), family, backend, change, variants) for backend in ("opencl", "cuda")
    for family, change, variants in (
        ("softmax", "smaller blocks for rows that fit them", ("fused",)),
        ("reduce", "the last block resets the counter", ("single-pass",)),
        ("histogram", "a counter for each byte, several loads", ("replicated",)))) + (
    (set(FILES), "matmul", "cuda", "instructions for smaller tiles in a shared file",
     ("best", "bulk-copies", "f16-wgmma", "tf32-wgmma")),
)
EARLIER_FILES = set().union(*(files for files, *_ in EARLIER))
PORTING, README = "docs/porting.md", "docs/results/README.md"


def digests(folder, paths):
    """(digest of the file, digest of its code) of all paths, as the program computes them: with the
    include files in their places."""
    done = subprocess.run([FORMATS, "code"] + paths, cwd=folder, capture_output=True,
                          encoding="utf-8", check=False)
    rows.check(done.returncode == 0, done.stderr)
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    rows.equal([path for _, _, path in lines], paths, "files of `formats code`")
    for file_digest, _, path in lines:
        text = kernel_text(path, folder)
        if '#include "' not in text:
            rows.equal(file_digest, hashlib.sha256(text.encode()).hexdigest(), "digest of the file")
    return [tuple(line[:2]) for line in lines]


def changed_digests(paths):
    """The digests of the files in a copy of the kernel folders, with changed tokens in each file."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (os.path.relpath(path, ROOT) for kernels in FOLDERS.values()
                     for path in glob.glob(os.path.join(ROOT, kernels, "*", "*"))):
            os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(re.sub(r"\breturn\b|\bif\b|\bfor\b|=", "!", kernel_text(path)))
        return digests(folder, paths)


def kernel_paths():
    return [os.path.relpath(path, ROOT) for folder in FOLDERS.values()
            for path in glob.glob(os.path.join(ROOT, folder, "*", "*.c[lu]"))]


def kernel_text(path, folder=ROOT):
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        return file.read()


def kernel_digests():
    """{folder: digests of its kernel files and of their code}"""
    paths, found = kernel_paths(), {}
    for path, both in zip(paths, digests(ROOT, paths)):
        found.setdefault(os.path.dirname(path), set()).update(both)
    return found


DIGESTS = kernel_digests()


def built_rows(document):
    """The rows with a source. Without sub-groups a device has no kernel of reduce/shuffle, and a file
    of a CPU has no rows of CUDA."""
    built = [r for r in document["results"] if (r.get("build") or {}).get("source_sha256")]
    rows.check(len(built) > 100, "%d rows with a source" % len(built))
    return built


def earlier_rows(document):
    """(FAMILY/VARIANT, backend) of all rows whose source is not a current kernel file of the family."""
    built = built_rows(document)
    return {("%s/%s" % (r["family"], r["variant"]), r["backend"]) for r in built
            if not {r["build"]["source_sha256"], r["build"].get("code_sha256")} &
            DIGESTS["%s/%s" % (FOLDERS[r["backend"]], r["family"])]}


def document_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return json.load(file)


def listed(path, document):
    """The listed rows that the file has."""
    return {("%s/%s" % (family, name), backend)
            for files, family, backend, _, variants in EARLIER if path in files
            for name in variants} & {
                ("%s/%s" % (r["family"], r["variant"]), r["backend"])
                for r in built_rows(document)}


def same_list(path):
    document = document_of(path)
    found, want = earlier_rows(document), listed(path, document)
    rows.equal(sorted(found - want), [], "rows of an older source that no list has")
    rows.equal(sorted(want - found), [], "listed rows with the current source")


def changed_source():
    """A row with another digest is found."""
    document = document_of(FILES[0])
    row = next(r for r in document["results"] if r["family"] == "vecadd" and r["build"])
    row["build"].update(source_sha256="0" * 64, code_sha256="0" * 64)
    rows.equal(earlier_rows(document) - listed(FILES[0], document),
               {("vecadd/" + row["variant"], row["backend"])}, "rows found")


def changed_token():
    """A changed token changes the digest of the code of each file."""
    paths = kernel_paths()
    rows.equal([path for path, (_, code), (_, changed) in
                zip(paths, digests(ROOT, paths), changed_digests(paths)) if code == changed], [],
               "files whose changed token is not found")


def same_kernels(page, body, earlier):
    """The rows of a table have the kernels and the reasons of the list."""
    rows.equal({cells[1] for cells in body}, {reason for _, _, _, reason, _ in earlier}, page)
    for _, family, _, reason, variants in earlier:
        text = " ".join(cells[0] for cells in body if cells[1] == reason)
        for variant in variants:
            rows.check("`%s`" % family in text or "`%s/%s`" % (family, variant) in text,
                       "%s: no %s/%s" % (page, family, variant))


def table(earlier):
    """The page has a table of the kernels and reasons of its files, if there are any."""
    lines = text_lines(ROOT, PORTING)
    earlier = [entry for entry in earlier if entry[0] & CARD_FILES]
    found = [body for _, titles, body in tables(lines) if titles == ["kernels", "change"]]
    rows.equal(len(found), 1 if earlier else 0, "tables of earlier kernels in " + PORTING)
    if earlier:
        says(lines, "older than the last change of the kernels in this table")
        same_kernels(PORTING, found[0], earlier)


def missing_table():
    """With an earlier row in a file of the page, the page needs the table."""
    refused(table, [(CARD_FILES, "reduce", "opencl", "lane numbers", ("shuffle",))])


def section():
    """The section has the files in its first paragraph, and a table of the kernels and reasons."""
    lines = text_lines(ROOT, README)
    lines = lines[lines.index("## Results of earlier kernels") + 2:]
    text = joined(lines[:lines.index("")])
    rows.equal("both `parity-all.json`" in text, bool(EARLIER_FILES & CARD_FILES), text)
    for path in EARLIER_FILES - CARD_FILES:
        name = os.path.basename(path)[:-len(".json")]
        rows.check("`%s`" % name in text, "%s: no %s" % (README, name))
    for files, family, _, _, variants in EARLIER:
        for variant in variants if files != OLDEST else ():
            rows.check("`%s/%s`" % (family, variant) in text, "%s: no %s" % (README, variant))
    _, titles, body = next(tables(lines))
    rows.equal(titles, ["older than the last change of the kernels", "what changed"], README)
    same_kernels(README, body, EARLIER)


def same_files():
    """Each listed file exists."""
    rows.equal(sorted(EARLIER_FILES - set(FILES)), [], "no such files")


rows.row("listed files", same_files)
for file_name in FILES:
    rows.row(file_name, same_list, file_name)
rows.row("a changed source is found", changed_source)
rows.row("a changed token is found", changed_token)
rows.row("the table of " + PORTING, table, EARLIER)
rows.row("without its table, %s is refused" % PORTING, missing_table)
rows.row("the section of " + README, section)
rows.finish()
