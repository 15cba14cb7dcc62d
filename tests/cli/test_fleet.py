"""--fleet: several ranks that a launcher starts. The other ranks keep their results if a rank dies.

Called as SCRIPT PMPP_RUN SOURCE_ROOT. Each launcher is one of: Open MPI, MPICH, and processes with --rank. A row
stops the worker of the rank that runs (SIGSTOP), so no rank is complete before the row sends its signal, on a
fast or a slow machine. The ranks of a CPU run one after another, so only one of them has a worker.
"""
import copy
import csv
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from command import (
    LIMIT_S, PROGRAM, ROOT, environment, expect, json_file, need, new_path, pmpp, read_process, refused,
    statuses)
import rows

MARKER = "PMPP_TEST_FLEET"
LAUNCHERS = {"Open MPI": "Open MPI", "MPICH": "HYDRA"}  # a text that their --version prints
RUN = ["run", "vecadd/fine", "--size=1000", "--max-samples=6", "--min-time=1", "--backend=opencl"]
VERIFY = ["verify", "vecadd", "--size=100", "--backend=opencl"]
# No variable of a launcher that started this test.
CLEAN = {name: None for name in os.environ
         if re.match(r"(OMPI|PMI|PMIX|SLURM|TORCHELASTIC|MPI)_|(RANK|WORLD_SIZE|LOCAL_RANK)$", name)}
VERIFIED = None  # the number of rows that VERIFY makes: count_rows()


def mpirun(launcher):
    """The command of a launcher. Debian has mpirun.openmpi and mpirun.mpich beside mpirun."""
    for name in ("mpirun.openmpi", "mpirun.mpich", "mpirun"):
        if not shutil.which(name):
            continue
        text = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
        if LAUNCHERS[launcher] in text:
            return [name, *(["--allow-run-as-root", "--oversubscribe"] if launcher == "Open MPI" else [])]
    return rows.skip_backend("mpi", "no mpirun of " + launcher)


# ---- Processes -----------------------------------------------------------------------------------

def prepare(ignored):
    """Runs in the new process: sets its signals, and prevents a core file at SIGQUIT."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if ignored:
        signal.signal(ignored, signal.SIG_IGN)


class Fleet:
    """Ranks in the background, with output files and a TMPDIR of their own.

    launcher: "Open MPI", "MPICH" or "--rank". chosen: the ranks that start; only for --rank. old: the texts of
    files that the ranks must replace or remove. ignored: a signal that all processes ignore.
    """
    number = 0

    def __init__(self, launcher, ranks, *arguments, chosen=None, old=None, ignored=None, env=None):
        Fleet.number += 1
        self.ranks = ranks
        self.mark = "%d-%d" % (os.getpid(), Fleet.number)
        self.path = new_path("out.json")
        self.folder = os.path.dirname(self.path)
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)
        self.texts = [open(os.path.join(self.folder, name), "a+", encoding="utf-8")
                      for name in ("stdout", "stderr")]
        for rank in range(ranks if old else 0):
            with open(self.file(rank), "w", encoding="utf-8") as file:
                file.write(old)
        command = [PROGRAM, "--fleet", *arguments, "--json=" + self.path]
        if launcher == "--rank":
            commands = [[*command, "--rank=%d/%d" % (rank, ranks), "--label=" + self.mark]
                        for rank in (range(ranks) if chosen is None else chosen)]
        else:
            commands = [[*mpirun(launcher), "-n", str(ranks), *command, "--label=" + self.mark]]
        variables = environment(**{**CLEAN, **(env or {}), "TMPDIR": self.temporary, "COLUMNS": "200",
                                   MARKER: self.mark})
        self.started = [subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=self.texts[0],
                                         stderr=self.texts[1], preexec_fn=lambda: prepare(ignored), env=variables)
                        for line in commands]

    def file(self, rank):
        return self.path.replace("out.json", "out.%d.json" % rank)

    def processes(self, name):
        """{rank: pid} of the processes with a name, without those that have ended."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if read_process("/proc/%s/comm" % pid).strip() != name.encode():
                continue
            variables = read_process("/proc/%s/environ" % pid)
            if ("%s=%s\0" % (MARKER, self.mark)).encode() not in variables:
                continue
            rank = (re.search(rb"--rank=(\d+)/", read_process("/proc/%s/cmdline" % pid)) or
                    re.search(rb"\b(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)", variables))
            state = read_process("/proc/%s/stat" % pid).rpartition(b")")[2].split()
            if rank and state and state[0] != b"Z":
                found[int(rank[1])] = int(pid)
        return found

    def wait(self, condition, what):
        limit = time.monotonic() + LIMIT_S
        while not condition():
            rows.check(time.monotonic() < limit, "%s: %s" % (what, self.describe()))
            time.sleep(0.01)

    def hold(self):
        """Stops the first worker; returns its rank and its number. All ranks have started their jobs."""
        self.wait(lambda: self.processes("pmpp-worker"), "no worker")
        rank, pid = next(iter(self.processes("pmpp-worker").items()))
        os.kill(pid, signal.SIGSTOP)
        self.wait(lambda: len(self.processes("pmpp-run")) == self.ranks, "not all ranks have started")
        return rank, pid

    def text(self, index):
        return read_process(self.texts[index].name).decode("utf-8", "replace")

    def end(self):
        """Waits for all processes; returns the exit codes of those that this test started."""
        codes = [process.wait(timeout=LIMIT_S) for process in self.started]
        self.wait(lambda: not any(self.processes(name) for name in ("pmpp-run", "pmpp-worker", "pmpp-guard")),
                  "processes still run")
        left = [path for path in glob.glob(os.path.join(self.temporary, "pmpp-*")) if "pmpp-devices-" not in path]
        rows.check(not left, "temporary folders are left: %s" % left)
        for file in self.texts:
            file.close()
        return codes

    def document(self, rank):
        rows.check(os.path.exists(self.file(rank)), "no file of rank %d: %s" % (rank, self.describe()))
        document = json_file(self.file(rank))
        rows.equal((document["run"]["rank"], document["run"]["ranks"]), (rank, self.ranks), "rank and ranks")
        return document

    def compare(self, *codes):
        """The table of all files."""
        result = pmpp("compare", "--fleet", *sorted(glob.glob(os.path.join(self.folder, "out.*.json"))))
        rows.check(result.returncode in codes, "exit %d: %s" % (result.returncode, result.stderr))
        return result.stdout

    def describe(self):
        return "stdout: %s\nstderr: %s" % (self.text(0)[-1500:], self.text(1)[-1500:])


# ---- Results -------------------------------------------------------------------------------------

def count_rows():
    """Sets the number of rows that VERIFY makes."""
    global VERIFIED
    need("opencl")
    path = new_path("all.json")
    expect(0, *VERIFY, "--json=" + path, env=CLEAN)
    VERIFIED = len(json_file(path)["results"])
    rows.check(VERIFIED >= 2, "%d rows" % VERIFIED)


def no_rank():
    """Without --fleet the variables of a launcher do not make a process a rank."""
    need("opencl")
    path = new_path("plain.json")
    expect(0, *VERIFY, "--json=" + path, env={"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "RANK": "1",
                                              "WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1",
                                              "OMPI_COMM_WORLD_SIZE": "2"})
    rows.check("rank" not in json_file(path)["run"], "a plain run is a rank")


def timed(row):
    """On a busy machine the timer of a CPU may fail its check. No other reason leaves out the times."""
    rows.check(row.get("timing") or "cannot be calibrated" in row["reason"], "no times: %s" % row["reason"])


def alone():
    """A single rank shows its table."""
    need("opencl")
    fleet = Fleet("--rank", 1, *RUN)
    rows.equal(fleet.end(), [0], fleet.describe())
    rows.check("fine " in fleet.text(0) and "rank 0" not in fleet.text(0), fleet.text(0))
    timed(fleet.document(0)["results"][0])
    rows.check(not os.path.exists(fleet.path), "a file without the number of the rank")


def turns():
    """Ranks that share a device wait for each other, and measure times."""
    need("opencl")
    fleet = Fleet("--rank", 2, *RUN)
    first, held = fleet.hold()
    fleet.wait(lambda: "waiting for " in fleet.text(1), "no rank waits")
    rows.equal(list(fleet.processes("pmpp-worker")), [first], "ranks with a worker")
    os.kill(held, signal.SIGCONT)
    rows.equal(fleet.end(), [0, 0], fleet.describe())
    for rank in (0, 1):
        timed(fleet.document(rank)["results"][0])
        rows.check("rank %d, " % rank in fleet.text(0), fleet.text(0))
    table = fleet.compare(0, 4)  # 4: on a busy machine a rank can be slow
    rows.equal([line.split()[0] for line in table.splitlines()[:3]], ["rank", "0", "1"], table)


def other_outputs():
    """--csv and --md have the number of the rank too."""
    need("opencl")
    table, text = new_path("out.csv"), new_path("out.md")
    fleet = Fleet("--rank", 1, *RUN, "--csv=" + table, "--md=" + text, old="old")
    rows.equal(fleet.end(), [0], fleet.describe())
    with open(table.replace(".csv", ".0.csv"), encoding="utf-8") as file:
        rows.equal([line["variant"] for line in csv.DictReader(file)], ["fine"], "--csv")
    rows.check(b"fine" in read_process(text.replace(".md", ".0.md")), "--md")


def every_backend():
    """A rank on the CPU verifies with every backend, as without --fleet."""
    need("opencl")
    need("cuda-emu")
    arguments = ["verify", "vecadd/fine", "--size=100"]
    path = new_path("alone.json")
    expect(0, *arguments, "--json=" + path, env=CLEAN)
    want = sorted({row["backend"] for row in json_file(path)["results"]})
    rows.check("cuda-emu" in want, "without --fleet: %s" % want)
    if any(device["type"] == "gpu" for device in json_file(path)["devices"]):
        raise rows.Skip("the ranks of this machine run on a GPU")
    fleet = Fleet("--rank", 1, *arguments)
    rows.equal(fleet.end(), [0], fleet.describe())
    rows.equal(sorted({row["backend"] for row in fleet.document(0)["results"]}), want, "backends")


def failed_rank():
    """A rank without a device has no file, and exit code 0: mpirun does not end the other ranks."""
    need("opencl")
    fleet = Fleet("--rank", 1, *VERIFY, old="old", env={"OCL_ICD_VENDORS": "/dev/null", "OCL_ICD_FILENAMES": ""})
    rows.equal(fleet.end(), [0], fleet.describe())
    rows.check("rank 0: " in fleet.text(1), fleet.text(1))
    rows.check(not os.path.exists(fleet.file(0)), "a file")


def no_folder():
    """A folder of locks that cannot be made."""
    need("opencl")
    fleet = Fleet("--rank", 1, *VERIFY)
    fleet.end()
    folder = os.path.join(fleet.temporary, "pmpp-devices-%s-%d" % (os.uname().nodename, os.geteuid()))
    rows.check(os.path.isdir(folder), "%s: %s" % (folder, os.listdir(fleet.temporary)))
    os.chmod(folder, 0o755)
    for temporary, part in ((fleet.temporary, "is not a private folder"), (fleet.file(0), "Not a directory"),
                            ("/nonexistent", "TMPDIR")):
        refused(5, [part], "--fleet", *VERIFY, "--json=" + fleet.path, "--rank=0/1", "--label=x",
                env={**CLEAN, "TMPDIR": temporary})


def like_is_kept():
    """The file of --like is not an old file that a rank removes."""
    path = new_path("out.json")
    for rank in (0, 1):
        shutil.copy(os.path.join(ROOT, "docs", "results", "pocl", "matmul.json"), path.replace(".", ".%d." % rank))
    like = path.replace("out.", "out.0.")
    refused(1, ["--like=" + like, "would be removed"], "run", "matmul/naive", "--fleet", "--json=" + path,
            "--rank=0/2", "--label=x", "--like=" + like, env=CLEAN)
    rows.check(os.path.exists(like), "the file of --like is removed")


def fleet_files(*factors):
    """Make the files of ranks from a real file. factors: for each rank, the factor of the time of each row."""
    path = new_path("out.json")
    paths = [path.replace("out.json", "out.%d.json" % rank) for rank in range(len(factors))]
    for rank, of_rows in enumerate(factors):
        with open(os.path.join(ROOT, "docs/results/nvidia-h200/fleet/two-ranks.rank0.json"), encoding="utf-8") as file:
            document = json.load(file)
        document["run"].update(fleet="job", rank=rank, ranks=len(factors))
        document["results"] = [copy.deepcopy(document["results"][0]) for _ in of_rows]
        for row, factor in zip(document["results"], of_rows):
            samples = row["timing"]["cold"]
            samples["median"] *= factor
            samples["ci95"] = [factor * x for x in samples["ci95"]]
        with open(paths[rank], "w", encoding="utf-8") as file:
            file.write(json.dumps(document))
    return paths


def no_straggler():
    """The table of a fleet without a slow rank has one line about it. If the ranks have two equal rows, the second
    rows are compared with each other."""
    for factors, part in (([[1]] * 4, "no rank is slow: 4 ranks, 3 times compared"),
                          ([[1, 9]] * 3, "no rank is slow: 3 ranks, 4 times compared"),
                          ([[1, 9]], "no rank is judged")):
        table = expect(0, "compare", "--fleet", *fleet_files(*factors)).stdout
        rows.check(part in table, table)


def straggler():
    """A slow rank: exit code 4. A fast rank is not a straggler."""
    table = expect(4, "compare", "--fleet", *fleet_files([1], [1], [9], [0.5])).stdout
    rows.check(re.search(r"rank 2, .*: matmul/tiled16 \(cuda, m=2048 n=2048 k=2048\)  9\.000 ", table), table)
    rows.equal(table.count("matmul/"), 1, table)


# ---- Signals -------------------------------------------------------------------------------------

def kill(launcher):
    """SIGKILL of the rank that runs: its file is missing, also if it had one of yesterday."""
    need("opencl")
    fleet = Fleet(launcher, 4, *VERIFY, old="yesterday")
    killed, _ = fleet.hold()
    os.kill(fleet.processes("pmpp-run")[killed], signal.SIGKILL)
    codes = fleet.end()
    rows.equal(codes, [0] * len(codes), fleet.describe())
    rows.check("rank %d was killed by SIGKILL" % killed in fleet.text(1), fleet.text(1))
    rows.check(not os.path.exists(fleet.file(killed)), "the old file of the killed rank")
    ids = set()
    for rank in set(range(4)) - {killed}:
        document = fleet.document(rank)
        rows.equal(len(document["results"]), VERIFIED, "rows of rank %d" % rank)
        rows.equal(set(statuses(document).values()) - {"skipped"}, {"ok"}, "status")
        ids.add(document["run"]["fleet"])
    rows.equal(len(ids), 1, "names of the run")
    rows.check("ranks without a file: %d (" % killed in fleet.compare(5), "the table does not name rank %d" % killed)


def interrupted(sign):
    """A signal to a rank keeps its finished rows."""
    need("opencl")
    fleet = Fleet("--rank", 1, *VERIFY)
    _, held = fleet.hold()
    fleet.started[0].send_signal(sign)
    rows.equal(fleet.end(), [130], fleet.describe())
    rows.check(not glob.glob("/proc/%d" % held), "the worker is left")
    rows.check(len(fleet.document(0)["results"]) < VERIFIED, "the job was not interrupted")
    rows.check("rank 0 failed: it was interrupted after " in fleet.compare(5), "the table does not name the rank")


def killed_parent():
    """SIGKILL of the process that the launcher started ends the job, which keeps its finished rows."""
    need("opencl")
    fleet = Fleet("--rank", 1, *VERIFY)
    fleet.hold()
    os.kill(fleet.started[0].pid, signal.SIGKILL)
    rows.equal(fleet.end(), [-signal.SIGKILL], fleet.describe())
    rows.check(len(fleet.document(0)["results"]) < VERIFIED, "the job was not interrupted")


def ignored_signal():
    """A signal that the caller ignores does not end a rank (nohup)."""
    need("opencl")
    fleet = Fleet("--rank", 1, *VERIFY, ignored=signal.SIGHUP)
    _, held = fleet.hold()
    fleet.started[0].send_signal(signal.SIGHUP)
    os.kill(held, signal.SIGCONT)
    rows.equal(fleet.end(), [0], fleet.describe())
    rows.equal(len(fleet.document(0)["results"]), VERIFIED, "rows")


def quit_signal():
    """SIGQUIT ends the job at once and without files."""
    need("opencl")
    fleet = Fleet("--rank", 1, *VERIFY)
    fleet.hold()
    fleet.started[0].send_signal(signal.SIGQUIT)
    rows.equal(fleet.started[0].wait(timeout=LIMIT_S), 130, "exit")
    fleet.wait(lambda: not fleet.processes("pmpp-worker"), "the worker is left")
    rows.check(not os.path.exists(fleet.file(0)), "a file was written")


# ---- Refused -------------------------------------------------------------------------------------

def store_is_kept():
    """The store is not an old file that a rank removes."""
    need("cuda-emu")
    store = new_path("st.0.db")
    env = {**CLEAN, "PMPP_STORE": store}
    run = ("run", "vecadd/fine", "--backend=cuda-emu", "--size=100", "--save")
    rows.equal(pmpp(*run, env=env).returncode, 0, "the store is made")
    result = pmpp(*run, "--fleet", "--rank=0/1", "--label=x", "--json=" + store.replace(".0.", "."), env=env)
    rows.equal(result.returncode, 1, result.stderr)
    rows.check("would be replaced" in result.stderr and os.path.exists(store), result.stderr)


ONE = ("vecadd/fine", "--fleet", "--json=x.json")
REFUSED = [
    (["--fleet"], ["list", "--fleet"]),
    (["--fleet"], ["explain", "vecadd/fine", "--fleet"]),
    (["--fleet", "--json=FILE"], ["run", "vecadd/fine", "--fleet", "--csv=x.csv"]),
    (["--fleet", "FILE"], ["run", "vecadd/fine", "--fleet", "--json"]),
    (["--engine=oclgrind", "--fleet"], ["verify", "--engine=oclgrind", *ONE]),
    (["--report", "--fleet"], ["run", "--report=x.html", *ONE]),
    (["vecadd"], ["run", "vecadd/fin", "--fleet", "--json=x.json", "--rank=0/1", "--label=x"]),
    (["no launcher has set a rank", "--rank=I/N"], ["run", *ONE]),
    (["--label=TEXT"], ["run", *ONE, "--rank=0/2"]),
    (["--rank=2/2", "0 <= I < N"], ["run", *ONE, "--rank=2/2", "--label=x"]),
    (["--rank=0/65537", "N <= 65536"], ["run", *ONE, "--rank=0/65537", "--label=x"]),
    (["/nonexistent/x.0.json"], ["run", "vecadd/fine", "--fleet", "--json=/nonexistent/x.json", "--rank=0/2",
                                 "--label=x"]),
    (["--rank needs --fleet"], ["run", "vecadd/fine", "--rank=0/2"]),
    (["is not a file of `run --fleet`"], ["compare", "--fleet", "H100"]),
    (["missing BASE.json"], ["compare", "--fleet"]),
    (["--json is not possible with --fleet"], ["compare", "--fleet", "H100", "--json"]),
    (["--by is not possible with --fleet"], ["compare", "--fleet", "H100", "--by=host"]),
    (["--fail-on is not possible with --fleet"], ["compare", "--fleet", "H100", "--fail-on=slow"]),
]


def wrong_use(parts, arguments):
    file = os.path.join(ROOT, "docs", "results", "devices", "h100.json")
    refused(1, parts, *[file if word == "H100" else word for word in arguments], env=CLEAN)


for parts_, arguments_ in REFUSED:
    rows.row("refused: " + " ".join(arguments_), wrong_use, parts_, arguments_)
rows.row("the store is kept", store_is_kept)
rows.row("one process", count_rows)
rows.row("a plain run is no rank", no_rank)
rows.row("a single rank", alone)
rows.row("two ranks share the CPU", turns)
rows.row("a rank without a device", failed_rank)
rows.row("--csv and --md", other_outputs)
rows.row("a rank on the CPU verifies every backend", every_backend)
rows.row("no folder for the locks", no_folder)
rows.row("the file of --like is kept", like_is_kept)
rows.row("no straggler", no_straggler)
rows.row("a straggler", straggler)
for launcher_ in ("--rank", *LAUNCHERS):
    rows.row("SIGKILL of a rank: " + launcher_, kill, launcher_)
rows.row("SIGTERM to a rank", interrupted, signal.SIGTERM)
rows.row("SIGINT to a rank", interrupted, signal.SIGINT)
rows.row("SIGKILL of the launcher's process", killed_parent)
rows.row("a signal that is ignored", ignored_signal)
rows.row("SIGQUIT", quit_signal)
rows.finish()
