"""try names a mistake and its line: tests/mistakes/cases.txt.

Each case is a right kernel with an edit, in CUDA and, where it can be translated, in OpenCL. The table of expected
and found names is printed at the end; PMPP_MISTAKES=FILE writes the cases as CSV.
"""
import os
import re
from collections import Counter

from command import ROOT, need, new_file, pmpp, read_text
import rows

FOLDER = os.path.join(ROOT, "tests", "mistakes")
RATE = 0.95
FAMILIES = {"matmul": "matmul", "transpose": "transpose", "reduce": "reduce, histogram", "histogram": "reduce, histogram",
            "window": "window, softmax", "softmax": "window, softmax", "conv2d": "window, softmax"}
# Kernels of problem files.
PROBLEMS = {"conv2d": "conv2d.c"}
# From CUDA to OpenCL. The texts keep their lines.
WORDS = [(r"//opencl: pmpp ", "//pmpp: "), (r"__global__ void", "__kernel void"), (r"__syncthreads\(\)", "barrier(CLK_LOCAL_MEM_FENCE)"),
         (r"__shared__", "__local"), (r"threadIdx\.x", "(int)get_local_id(0)"), (r"threadIdx\.y", "(int)get_local_id(1)"),
         (r"blockIdx\.x", "(int)get_group_id(0)"), (r"blockIdx\.y", "(int)get_group_id(1)"),
         (r"blockDim\.x", "(int)get_local_size(0)"), (r"blockDim\.y", "(int)get_local_size(1)"),
         (r"gridDim\.x", "(int)get_num_groups(0)"), (r"\bfmaxf\(", "fmax("), (r"\bexpf\(", "exp("),
         (r"\batomicAdd\(", "atomic_add(")]
ONLY_CUDA = ("float4", "__syncwarp", "atomicAdd(&C", "atomicAdd(result", "extern __shared__", "signed char")


class Case:
    def __init__(self, base, number, line):
        name, lines, edits = line.split(" | ", 2)
        self.base, self.number = base, number
        self.held_out = name.startswith("* ")
        self.cuda_only = name.endswith(" cu")
        self.name = name.removeprefix("* ").removesuffix(" cu")
        self.fragments = [text.strip() for text in lines.split("~")]
        self.edits = [edit.replace("\\n", "\n").split(" => ") for edit in edits.split(" ;; ")]

    def family(self):
        return self.base.split("_")[0]


def read_cases():
    cases, base = [], None
    with open(os.path.join(FOLDER, "cases.txt"), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("= "):
                base = line[2:]
            elif line and not line.startswith("#"):
                cases.append(Case(base, len(cases) + 1, line))
    return cases


def source(base):
    folder = os.path.join(ROOT, "examples") if base.split("_")[0] in PROBLEMS else FOLDER
    return read_text(os.path.join(folder, base + ".cu"))


def apply(edit, text):
    search, replacement = edit
    if search.startswith("~"):
        lines = text.split("\n")
        first = [i for i, line in enumerate(lines) if line.strip().startswith(search[1:])]
        rows.check(first, "no line begins with " + search)
        lines[first[0]] = replacement
        return "\n".join(lines)
    rows.check(text.count(search) == 1, "%d times: %s" % (text.count(search), search))
    return text.replace(search, replacement)


def edited(case):
    text = source(case.base)
    for edit in case.edits:
        text = apply(edit, text)
    return text


def right_lines(case, text):
    found = set()
    for number, line in enumerate(text.split("\n"), 1):
        for fragment in case.fragments:
            if line.strip() == fragment or (len(fragment) > 1 and fragment in line):
                found.add(number)
    rows.check(found, "no right line")
    return found


def opencl(text):
    """The kernel in OpenCL, without the host code."""
    head, body = re.split(r"(?=__global__ void)", text, maxsplit=1)
    parameters, rest = body.split(")", 1)
    parameters = re.sub(r"((?:const )?(?:unsigned )?(?:float|int|char) \*)", r"__global \1", parameters)
    text = head + parameters + ")" + rest
    text = re.sub(r"(?m)^void \w+\(.*?^}", lambda m: re.sub(r"(?m)^", "//", m.group(0)), text, flags=re.S)
    for search, replacement in WORDS:
        text = re.sub(search, replacement, text)
    return text


def run(base, number, text, cuda):
    path = new_file("%s_%d.%s" % (base, number, "cu" if cuda else "cl"), text if cuda else opencl(text))
    problem = PROBLEMS.get(base.split("_")[0])
    options = ["--problem=" + os.path.join(ROOT, "examples", problem)] if problem else []
    return pmpp("try", path, "--backend=" + ("cuda-emu" if cuda else "opencl-emu"), *options, env={"COLUMNS": "1000"})


def told(result):
    """Name and line of the mistake."""
    last = ([""] + [line for line in result.stdout.split("\n") if line.startswith("mistake ")])[-1]
    match = re.match(r"mistake +([^:]*)(?:: .*?)?(?:; lines? (\d+).*)?$", last)
    return (match.group(1), int(match.group(2) or 0), last) if match else ("", 0, last)


records = []


def case_row(case, cuda):
    need("cuda-emu" if cuda else "opencl-emu")
    text = edited(case)
    lines = right_lines(case, text)
    result = run(case.base, case.number, text, cuda)
    name, line, last = told(result)
    records.append((case, cuda, name, line, name == case.name and line in lines, lines))
    rows.note("%s  want: %s, %s" % (last, case.name, sorted(lines)))
    if os.environ.get("PMPP_MISTAKES_SHOW"):
        rows.note("\n".join(l for l in result.stdout.split("\n") if "-emu:" in l or l.startswith("DEFECT")))


def right_row(base, cuda):
    need("cuda-emu" if cuda else "opencl-emu")
    result = run(base, 0, source(base), cuda)
    rows.check(result.returncode == 0, result.stdout + result.stderr)
    rows.check("\nmistake" not in result.stdout, result.stdout)


def put_table():
    pairs = Counter((c.name, name or "nothing") for c, _, name, *_ in records)
    for (want, got), count in sorted(pairs.items()):
        print("%4d  %-42s %s" % (count, want, "=" if want == got else got))
    for title in sorted(set(FAMILIES.values())) + ["held out", "all"]:
        some = [r for r in records if title in ("all", FAMILIES[r[0].family()]) or (title == "held out" and r[0].held_out)]
        print("%-20s %d of %d with the right name and a right line" % (title, sum(r[4] for r in some), len(some)))


def write_csv(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("case,kernel,language,held_out,expected,found,line,right_lines,right\n")
        for case, cuda, name, line, right, lines in records:
            file.write("%d,%s,%s,%d,%s,%s,%d,%s,%d\n" % (case.number, case.base, "cuda" if cuda else "opencl",
                       case.held_out, case.name, name, line, " ".join(map(str, sorted(lines))), right))


def rate_row():
    good = sum(r[4] for r in records)
    rows.check(good >= RATE * len(records), "%d of %d" % (good, len(records)))


def main():
    seen = set()
    cases = read_cases()
    for base in sorted({case.base for case in cases}):
        for cuda in (True, False):
            if cuda or not any(word in source(base) for word in ONLY_CUDA):
                rows.long_row("right %s.%s" % (base, "cu" if cuda else "cl"), right_row, base, cuda)
    for case in cases:
        for cuda in (True, False):
            if not cuda and (case.cuda_only or any(word in edited(case) for word in ONLY_CUDA)):
                continue
            key = (FAMILIES[case.family()], case.name)
            add = rows.row if cuda and key not in seen else rows.long_row
            seen.add(key)
            add("%d %s %s.%s" % (case.number, case.name, case.base, "cu" if cuda else "cl"), case_row, case, cuda)
    put_table()
    if os.environ.get("PMPP_MISTAKES"):
        write_csv(os.environ["PMPP_MISTAKES"])
    if records:
        rows.row("rate", rate_row)


main()
rows.finish()
