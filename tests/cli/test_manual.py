"""The man page and the completions of bash and zsh, which the build makes beside the program."""
import json
import os
import re
import shutil
import subprocess

from command import FOLDER, PROGRAM, environment, expect
from shells import Shell
import rows

BUILD = os.path.dirname(os.path.abspath(PROGRAM))
MAN_PAGE = os.path.join(BUILD, "pmpp-run.1")
COMPLETION = {"bash": os.path.join(BUILD, "pmpp-run.bash"), "zsh": os.path.join(BUILD, "_pmpp-run")}


# ---- Man page -------------------------------------------------------------------------------

def formatted():
    """The printed page, with one blank between words."""
    program = shutil.which("groff")
    if not program:
        raise rows.Skip("groff is not installed")
    done = subprocess.run([program, "-man", "-ww", "-Tascii", "-P-cbou", MAN_PAGE],
                          capture_output=True, text=True, check=False)
    rows.equal((done.returncode, done.stderr), (0, ""), "groff -ww")
    return " ".join(done.stdout.split())


def man_has_no_warnings():
    program = shutil.which("man")
    if not program:
        raise rows.Skip("man is not installed")
    done = subprocess.run([program, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", MAN_PAGE],
                          capture_output=True, text=True, check=False)
    rows.equal((done.returncode, done.stderr), (0, ""), "man --warnings")


def man_has_everything():
    """The page has each command with its examples, each option, and texts that are too long for --help."""
    page = formatted()
    for title in ("NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT"):
        rows.check(" %s " % title in page, "no section " + title)
    text = expect(0, "--help").stdout.split("\n\n")[1]
    for name in re.findall(r"^  ([a-z]+(?: [a-z]+)?)", text, re.M):
        help_text = expect(0, *name.split(), "--help").stdout
        for option in re.findall(r"(?<![\w-])--[a-z-]+(?:=[A-Z]+)?", help_text.split("Examples:")[0]):
            rows.check(option in page, "%s: %s is missing" % (name, option))
        for example in re.findall(r"pmpp-run (.*)", help_text.split("Examples:")[1].split("\nMore")[0]):
            rows.check("pmpp-run " + example in page, "%s: %s is missing" % (name, example))
    for part in ("Sampling always ends at this number", "never take more than --max-samples samples",
                 "Default: nothing.",
                 "Explain the CUDA kernel of each variant on cuda-emu",
                 "all GPUs of the same name as one", "PMPP_EMU_TIMEOUT_S"):
        rows.check(part in page, "the man page lacks: " + part)


# ---- Completions ----------------------------------------------------------------------------

def bash_answers(line):
    """The completions of bash for a command line."""
    script = 'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _pmpp_run; printf "%s\\n" "${COMPREPLY[@]}"'
    if not shutil.which("bash"):
        raise rows.Skip("bash is not installed")
    done = subprocess.run(["bash", "-c", script, "bash", COMPLETION["bash"], line], check=False,
                          capture_output=True, text=True, env=environment(), cwd=FOLDER)
    rows.equal((done.returncode, done.stderr), (0, ""), "bash: " + line)
    return done.stdout.split()


# (command line, completions that must exist, completions that must not exist)
BASH = (
    ("pmpp-run ", "run verify store model matmul all", "export boundary fine"),
    ("pmpp-run ver", "verify", "run"),
    ("pmpp-run model ", "occupancy dram boundary", "matmul run"),
    ("pmpp-run store ", "export import", "run"),
    ("pmpp-run run vec", "vecadd", "verify"),
    ("pmpp-run vecadd/", "vecadd/fine vecadd/vector4", "vecadd"),
    ("pmpp-run run --kernel", "--kernel-dir=", "--kernel-dir"),
    ("pmpp-run run --js", "--json --json=", ""),
    ("pmpp-run matmul -", "--size= -v --verbose --save", "--engine="),
    ("pmpp-run list -", "--json --color=", "--size= --repeat="),
    ("pmpp-run model dram --l", "--latency-ratio=", "--label="),
    ("pmpp-run run --backend=", "opencl cuda cuda-emu opencl-emu all", "gpu"),
    ("pmpp-run run --backend cu", "cuda cuda-emu", "opencl"),
    ("pmpp-run --backend cuda ver", "verify", ""),
    ("pmpp-run run --color=", "auto yes no", "always"),
    ("pmpp-run run --math=s", "strict", "fast"),
    ("pmpp-run verify --engine=o", "oclgrind", "devices"),
    ("pmpp-run compare --fail-on=", "nothing slow missing", ""),
    ("pmpp-run compare --by=", "device backend driver run label", "model"),
    ("pmpp-run report --by=", "device model", "backend run label"),
    ("pmpp-run --by=", "device label model", ""),
    ("pmpp-run run --device=", "gpu cpu all opencl:0.0 cuda:0 cuda-emu:0 opencl-emu:0", "opencl:0"),
    ("pmpp-run explain --device=", "gpu cpu opencl:0.0 cuda:0", "all"),
    ("pmpp-run contribute --device=", "gpu cpu opencl:0.0 cuda:0", "all cuda-emu:0 opencl-emu:0"),
    ("pmpp-run history --device=", "gpu cpu all", "opencl:0.0 cuda:0"),
    ("pmpp-run store export --device=", "gpu cpu all", "opencl:0.0 cuda:0"),
    ("pmpp-run parity --backend=", "cuda cuda-emu opencl-emu", "opencl all"),
    ("pmpp-run explain --backend=", "opencl cuda cuda-emu opencl-emu", "all"),
    ("pmpp-run contribute --backend=", "opencl cuda", "cuda-emu opencl-emu all"),
    ("pmpp-run compare x --with=h100,", "h100,h200 h100,all", ""),
    ("pmpp-run run matmul --set TI", "TILE= TILE_M=", "BLOCK="),
    ("pmpp-run run reduce --op=m", "max min", "sum"),
    ("pmpp-run model occupancy --cc=9", "9.0", "8.0"),
    ("pmpp-run run --dtype=f", "f32 f16", "i32"),
    ("pmpp-run run --device=g", "gpu", "cpu"),
    ("pmpp-run compare ba", "base.json", "vecadd"),
    ("pmpp-run report ba", "base.json", "matmul"),
    ("pmpp-run report --output ba", "base.json", "matmul"),
    ("pmpp-run report -o ba", "base.json", "matmul"),
    ("pmpp-run run --json=ba", "base.json", ""),
    ("pmpp-run run --in A=ba", "base.json", "folder/"),
    ("pmpp-run run --in=A=ba", "base.json", ""),
    ("pmpp-run run --kernel-dir=fold", "folder/", "base.json"),
    ("pmpp-run show matmul/tiled16 --arch=", "", "sm_90"),
    ("pmpp-run doctor ", "", "matmul base.json"),
)


def bash_completes(line, there, absent):
    got = bash_answers(line)
    for word in there.split():
        rows.check(word in got, "%r is not in %s" % (word, got))
    for word in absent.split():
        rows.check(word not in got, "%r is in %s" % (word, got))


def bash_names():
    """All families and variants of `list`, and all commands and options of --help."""
    families = json.loads(expect(0, "list", "--json").stdout)["families"]
    first = bash_answers("pmpp-run run ")
    rows.equal(sorted(first), sorted([f["name"] for f in families] + ["all"]), "families")
    for family in families:
        names = ["%s/%s" % (family["name"], v["name"]) for v in family["variants"]]
        rows.equal(bash_answers("pmpp-run run %s/" % family["name"]), names, family["name"])
    text = expect(0, "--help").stdout.split("\n\n")[1]
    for name in re.findall(r"^  ([a-z]+(?: [a-z]+)?)", text, re.M):
        help_text = expect(0, *name.split(), "--help").stdout.split("Examples:")[0]
        got = {word.rstrip("=") for word in bash_answers("pmpp-run %s -" % name)}
        want = set(re.findall(r"(?<![\w-])--[a-z-]+", "\n".join(
            line for line in help_text.splitlines() if line.startswith(("  -", "General:")))))
        rows.check(want <= got, "%s: %s" % (name, want - got))


# (typed text, the line after Tab), the same in both shells
TYPED = (
    ("pmpp-run verif", "pmpp-run verify "),
    ("pmpp-run model dr", "pmpp-run model dram "),
    ("pmpp-run run --kernel-d", "pmpp-run run --kernel-dir="),
    ("pmpp-run run --backend=cuda-e", "pmpp-run run --backend=cuda-emu"),
    ("pmpp-run run --device=cuda-emu:", "pmpp-run run --device=cuda-emu:0"),
    ("pmpp-run matmul/nai", "pmpp-run matmul/naive"),
    ("pmpp-run verify matmul/nai", "pmpp-run verify matmul/naive"),
    ("pmpp-run compare --with=h100,h20", "pmpp-run compare --with=h100,h200"),
    ("pmpp-run report bas", "pmpp-run report base.json"),
    ("pmpp-run run --json=bas", "pmpp-run run --json=base.json"),
    ("pmpp-run run --kernel-dir=fol", "pmpp-run run --kernel-dir=folder/"),
    ("pmpp-run run --in A=bas", "pmpp-run run --in A=base.json"),
    ("pmpp-run doctor --js", "pmpp-run doctor --js"),
    ("pmpp-run list --colo", "pmpp-run list --color="),
)


def interactive(name):
    """The completion in a shell on a terminal."""
    path = COMPLETION[name]
    if name == "zsh":
        path = os.path.join(FOLDER, "zsh")
        os.mkdir(path)
        shutil.copy(COMPLETION[name], path)
    shell = Shell(name, path, environment(), FOLDER)
    try:
        for typed, want in TYPED:
            rows.equal(shell.complete(typed).rstrip(), want.rstrip(), typed)
    finally:
        shell.close()


def syntax(name):
    program = shutil.which(name)
    if not program:
        raise rows.Skip("%s is not installed" % name)
    subprocess.run([program, "-n", COMPLETION[name]], check=True)


def make_files():
    with open(os.path.join(FOLDER, "base.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    os.mkdir(os.path.join(FOLDER, "folder"))


make_files()
rows.row("man --warnings", man_has_no_warnings)
rows.row("man page: commands, options, long texts", man_has_everything)
for shell_name in ("bash", "zsh"):
    rows.row("syntax of the completion: " + shell_name, syntax, shell_name)
for row in BASH:
    rows.row("bash: " + row[0], bash_completes, *row)
rows.row("bash: names of the tables", bash_names)
for shell_name in ("bash", "zsh"):
    rows.row("interactive " + shell_name, interactive, shell_name)
rows.finish()
