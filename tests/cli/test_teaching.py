"""docs/teaching.md: its files are those of examples/assignment, its commands run, and print what the page quotes."""
import os
import re
import shutil
import subprocess
import textwrap

from command import PROGRAM, ROOT, environment, need, new_path, read_text
import rows

FOLDER = os.path.join(ROOT, "examples", "assignment")
FILES = {"The starting point:\n": "transpose.cu", "The requirements:\n": "requirements.txt",
         "in a repository that students cannot change.\n": "grade.yml"}


def page():
    return read_text(os.path.join(ROOT, "docs", "teaching.md"))


def block_after(text):
    """The indented text that follows a text of the page."""
    rest = page().split(text, 1)[1].lstrip("\n").split("\n")
    end = next(i for i, line in enumerate(rest) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(rest[:end])).strip("\n") + "\n"


def files():
    for text, name in FILES.items():
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            rows.equal(block_after(text), file.read(), name)
    rows.equal(sorted(os.listdir(FOLDER)), sorted(re.findall(r"^\| `(\S+)` \| ", page().split("The starting point:")[0], re.M)))


def solution():
    """The kernel, and the command behind it."""
    text = block_after("`solution.cu` copies a tile through shared memory:\n")
    return text.split("pmpp-run try")[0]


def run(command, **kernels):
    """stdout of a command of the page, in a folder with `assignment` and these files. The script of the first build is
    the program itself."""
    need("cuda-emu")
    root = os.path.dirname(new_path("x"))
    shutil.copytree(FOLDER, os.path.join(root, "assignment"))
    for name, kernel in kernels.items():
        path = os.path.join(root, name.replace("__", "/") + ".cu")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(kernel)
    os.makedirs(os.path.join(root, "bin"))
    os.symlink(os.path.abspath(PROGRAM), os.path.join(root, "bin", "pmpp-run"))
    command = command.replace("sh pmpp/tools/run.sh", "pmpp-run")
    path = os.path.join(root, "bin") + ":" + os.environ["PATH"]
    return subprocess.run(["sh", "-c", command], cwd=root, env=environment(PATH=path), capture_output=True, text=True,
                          check=False, timeout=900)


def three_commands():
    commands = block_after("From an empty folder to a graded kernel:\n").splitlines()
    rows.equal(len(commands), 3)
    rows.equal(commands[1], "cp -r pmpp/examples/assignment .")
    result = run(commands[2])
    grade = block_after("The\nlast lines are the grade:\n")
    rows.equal(result.returncode, 4)
    rows.equal([line.rstrip() for line in result.stdout.splitlines()][-7:], textwrap.dedent(grade).splitlines()[-7:])


def grade(kernel):
    command = re.search(r"^    (pmpp-run try solution.cu .*)$", page(), re.M).group(1)
    result = run(command, solution=kernel)
    return result.returncode, result.stdout.splitlines()[-1]


def best():
    rows.equal(grade(solution()), (0, "5 of 5 conditions hold: 10 of 10 points"))


def change(before, after, code, cell):
    text = solution()
    rows.check(before in text, before)
    lost = re.search(r"^\| %s \| `(.*)` \|$" % re.escape(cell), page(), re.M).group(1)
    rows.equal(grade(text.replace(before, after)), (code, lost))


def submissions():
    with open(os.path.join(FOLDER, "transpose.cu"), encoding="utf-8") as file:
        result = run(block_after("## Grade a folder of submissions\n"), submissions__ada=solution(), submissions__bob=file.read(),
                     submissions__eve="")
    rows.equal(result.stdout, block_after("prints a line for each student:\n"))


rows.row("files of the page", files)
rows.row("the three commands", three_commands)
rows.row("the solution", best)
rows.row("a bank conflict", change, "[TILE + 1]", "[TILE]", 4, "`tile[TILE][TILE]`")
rows.row("a missing barrier", change, "\t__syncthreads();\n", "", 3, "no `__syncthreads()`")
rows.row("a folder of submissions", submissions)
rows.finish()
