"""--fleet: several ranks that mpirun starts. The other ranks keep their results if a rank dies.

Called as SCRIPT PMPP_RUN SOURCE_ROOT. A row stops the workers of all ranks (SIGSTOP) while it sends
its signal. So no rank is complete before the signal, on a fast or a slow machine.
"""
import csv
import glob
import io
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from command import (LIMIT_S, PROGRAM, environment, expect, json_file, need, new_path, pmpp, refused,
                     statuses)
import rows

MARKER = "PMPP_TEST_FLEET"
REPEATS = 3
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
RUN = ["run", "vecadd/fine", "--size=1000", "--max-samples=6", "--min-time=1", "--backend=opencl"]
VERIFY = ["verify", "vecadd", "--size=100", "--backend=opencl"]
VERIFIED = None  # the number of rows that VERIFY makes: count_rows()


def need_fleet():
    need("opencl")
    if not shutil.which("mpirun"):
        rows.skip_backend("mpi", "no mpirun (openmpi-bin)")
    if "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True,
                                        check=False).stdout:
        rows.skip_backend("mpi", "mpirun is not Open MPI's: its options differ")
    doctor = pmpp("doctor", timeout=LIMIT_S).stdout
    if "ok   --fleet" not in doctor:
        reason = [line for line in doctor.splitlines() if "--fleet" in line]
        rows.skip_backend("mpi", reason[0].strip() if reason else "doctor does not show --fleet")


# ---- Processes -----------------------------------------------------------------------------------

def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # the process has ended
        return b""


def prepare(ignored):
    """Runs in the new process: sets its signals, and prevents a core file at SIGQUIT."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if ignored:
        signal.signal(ignored, signal.SIG_IGN)


class Fleet:
    """mpirun with N ranks, in the background. Each fleet has its own output files and TMPDIR.

    prefix: in place of mpirun. ignored: a signal that all processes ignore.
    """
    number = 0

    def __init__(self, ranks, *arguments, prefix=None, ignored=None):
        Fleet.number += 1
        self.ranks = ranks
        self.mark = "%d-%d" % (os.getpid(), Fleet.number)
        self.path = new_path("out.json")
        self.folder = os.path.dirname(self.path)
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)
        self.texts = [open(os.path.join(self.folder, name), "w+", encoding="utf-8")
                      for name in ("stdout", "stderr")]
        mpirun = [*MPIRUN, "-n", str(ranks)]
        self.process = subprocess.Popen(
            [*(mpirun if prefix is None else prefix), PROGRAM, "--fleet", *arguments,
             "--json=" + self.path],
            stdin=subprocess.DEVNULL, stdout=self.texts[0], stderr=self.texts[1],
            preexec_fn=lambda: prepare(ignored),
            env=environment(TMPDIR=self.temporary, COLUMNS="200", **{MARKER: self.mark}))

    def processes(self, name):
        """{rank: [pid, ...]} of the processes with a name, without those that have ended."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if read("/proc/%s/comm" % pid).strip() != name.encode():
                continue
            variables = read("/proc/%s/environ" % pid).split(b"\0")
            if ("%s=%s" % (MARKER, self.mark)).encode() not in variables:
                continue
            rank = [v for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=")] or [b"=0"]
            state = read("/proc/%s/stat" % pid).rpartition(b")")[2].split()
            if state and state[0] != b"Z":
                found.setdefault(int(rank[0].split(b"=")[1]), []).append(int(pid))
        return found

    def hold(self):
        """Stops the worker of each rank as soon as it starts; returns their numbers."""
        held = {}
        limit = time.monotonic() + LIMIT_S
        while len(held) < self.ranks:
            rows.check(time.monotonic() < limit, "workers of %s only" % sorted(held))
            for rank, pids in self.processes("pmpp-worker").items():
                for pid in pids:
                    if rank not in held:
                        os.kill(pid, signal.SIGSTOP)
                        held[rank] = pid
            time.sleep(0.005)
        return held

    def text(self, index):
        with open(self.texts[index].name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self):
        """Waits for mpirun and for all processes of the ranks; returns mpirun's exit code."""
        code = self.process.wait(timeout=LIMIT_S)
        limit = time.monotonic() + LIMIT_S
        while any(self.processes(name) for name in ("pmpp-run", "pmpp-worker", "pmpp-guard")):
            rows.check(time.monotonic() < limit, "processes still run: %s" % self.describe())
            time.sleep(0.05)
        left = glob.glob(os.path.join(self.temporary, "pmpp-*"))
        rows.check(not left, "temporary folders are left: %s" % left)
        for file in self.texts:
            file.close()
        return code

    def document(self, rank):
        path = self.path.replace("out.json", "out.rank%d.json" % rank)
        rows.check(os.path.exists(path), "no file of rank %d: %s" % (rank, self.describe()))
        document = json_file(path)
        rows.equal((document["run"]["rank"], document["run"]["ranks"]), (rank, self.ranks),
                   "rank and ranks")
        return document

    def summary(self):
        path = self.path.replace("out.json", "out.fleet.txt")
        rows.check(os.path.exists(path), "no summary: %s" % self.describe())
        with open(path, encoding="utf-8") as file:
            return file.read()

    def describe(self):
        return "stdout: %s\nstderr: %s" % (self.text(0)[-1500:], self.text(1)[-1500:])


def line_of(summary, rank):
    found = [line for line in summary.splitlines() if line.split()[:1] == [str(rank)]]
    rows.equal(len(found), 1, "lines of rank %d in %s" % (rank, summary))
    return found[0]


def failure_of(summary, rank):
    """The reason in brackets after the rank; "" = the rank is not listed."""
    failed = "".join(line for line in summary.splitlines()
                     if line.startswith("ranks that failed: "))
    found = re.search(r"[:,] %d \(([^)]*)\)" % rank, failed)
    return found[1] if found else ""


def write_script(text):
    path = new_path("script.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n%s\n" % text)
    os.chmod(path, 0o755)
    return path


def run_ranks(ranks, *command):
    """Runs a command that contains PROGRAM under mpirun. Adds --fleet after PROGRAM."""
    place = command.index(PROGRAM) + 1
    return subprocess.run([*MPIRUN, "-n", str(ranks), *command[:place], "--fleet",
                           *command[place:]], capture_output=True, text=True, check=False,
                          timeout=LIMIT_S, env=environment(COLUMNS="200"))


# ---- Results -------------------------------------------------------------------------------------

def alone():
    """A single rank has its device: it is timed, and the table is shown."""
    need_fleet()
    for prefix in ([], [*MPIRUN, "-n", "1"]):
        path = new_path("one.json")
        result = subprocess.run([*prefix, PROGRAM, *RUN, "--fleet", "--json=" + path],
                                capture_output=True, text=True, check=False, timeout=LIMIT_S,
                                env=environment())
        rows.equal(result.returncode, 0, result.stderr)
        row = json_file(path.replace(".json", ".rank0.json"))["results"][0]
        rows.check(row["timing"], "no times: %s" % row["reason"])
        rows.check("fine " in result.stdout and "rank" in result.stdout, result.stdout)
        rows.check(not os.path.exists(path), "a file without the number of the rank")


def shared():
    """All CPU devices of a host are one device: ranks on them measure no times."""
    need_fleet()
    fleet = Fleet(2, *RUN)
    rows.equal(fleet.end(), 0, fleet.describe())
    for rank in (0, 1):
        row = fleet.document(rank)["results"][0]
        rows.equal((row["status"], row["timing"]), ("ok", None), "status and timing")
        rows.check("ranks 0, 1 share this device" in row["reason"], row["reason"])
        rows.check(line_of(fleet.summary(), rank).split()[-4:] == ["1", "0", "0", "0"],
                   fleet.summary())
    rows.equal(fleet.text(0), fleet.summary(), "stdout")
    rows.equal(fleet.summary().count("untimed: "), 1, fleet.summary())
    rows.check(not re.search(r"[0-9] *(ns|µs|ms|s|GB/s)\b", fleet.text(0)), "times: " + fleet.text(0))


def other_outputs(option):
    """The summary is saved without --json too, and the tables of ranks that share a device have no
    times."""
    need_fleet()
    path = new_path("out.csv")
    result = run_ranks(2, PROGRAM, *RUN, "--%s=%s" % (option, path))
    rows.equal(result.returncode, 0, result.stderr)
    with open(path.replace(".csv", ".fleet.txt"), encoding="utf-8") as file:
        rows.equal(file.read(), result.stdout, "summary")
    for rank in (0, 1):
        with open(path.replace(".csv", ".rank%d.csv" % rank), encoding="utf-8") as file:
            text = file.read()
        rows.check("fine" in text, text)
        if option == "csv":
            rows.equal(next(csv.DictReader(io.StringIO(text)))["median_ns"], "", "median")


def every_backend():
    """Ranks on the CPU verify with every backend, as without --fleet."""
    need_fleet()
    need("cuda-emu")
    arguments = ["verify", "vecadd/fine", "--size=100"]
    path = new_path("alone.json")
    expect(0, *arguments, "--json=" + path, timeout=LIMIT_S)
    want = sorted({row["backend"] for row in json_file(path)["results"]})
    rows.check("cuda-emu" in want, "without --fleet: %s" % want)
    if any(device["type"] == "gpu" for device in json_file(path)["devices"]):
        raise rows.Skip("the ranks of this machine run on a GPU")
    fleet = Fleet(2, *arguments)
    rows.equal(fleet.end(), 0, fleet.describe())
    for rank in (0, 1):
        rows.equal(sorted({row["backend"] for row in fleet.document(rank)["results"]}), want,
                   "backends of rank %d" % rank)


def skipping(ranks, code):
    """ranks: the ranks that skip everything. The exit code is 77 only if all ranks do so."""
    need_fleet()
    script = write_script("case \"%s\" in *$OMPI_COMM_WORLD_RANK*) exec \"$@\" matmul/f16-tensor;; esac\n"
                          "exec \"$@\" vecadd/fine" % ranks)
    result = run_ranks(2, script, PROGRAM, "verify", "--size=64", "--backend=opencl")
    rows.equal(result.returncode, code, result.stdout + result.stderr)
    rows.check("ranks that failed" not in result.stdout, result.stdout)
    for rank in ranks:
        rows.check(line_of(result.stdout, int(rank)).split()[-1] == "77", result.stdout)


def no_folder():
    """Without a folder for the fleet there is a warning, and all results are kept."""
    need_fleet()
    script = write_script("export TMPDIR=/dev/null\nexec \"$@\"")
    path = new_path("out.json")
    result = run_ranks(2, script, PROGRAM, *VERIFY, "--json=" + path)
    rows.equal(result.returncode, 0, result.stderr)
    for rank in (0, 1):
        rows.check("rank %d: /dev/null/pmpp-fleet-" % rank in result.stderr, result.stderr)
        rows.equal(len(json_file(path.replace(".json", ".rank%d.json" % rank))["results"]),
                   VERIFIED, "rows of rank %d" % rank)
        rows.check(line_of(result.stdout, rank), result.stdout)


def failed_rank():
    """A rank without a device: exit code 2, and the others have their results."""
    need_fleet()
    script = write_script("[ $OMPI_COMM_WORLD_RANK = 1 ] && export OCL_ICD_VENDORS=/dev/null "
                          "OCL_ICD_FILENAMES=\nexec \"$@\"")
    path = new_path("out.json")
    result = run_ranks(3, script, PROGRAM, *VERIFY, "--json=" + path)
    rows.equal(result.returncode, 2, result.stderr)
    rows.check("ranks that failed: 1 (" in result.stdout, result.stdout + result.stderr)
    for rank in (0, 2):
        rows.check(json_file(path.replace(".json", ".rank%d.json" % rank))["results"],
                   "rank %d has no results" % rank)
    rows.check(not os.path.exists(path.replace(".json", ".rank1.json")), "a file of rank 1")


# ---- Kills ---------------------------------------------------------------------------------------

def kill(rank, names):
    need_fleet()
    for _ in range(REPEATS):
        fleet = Fleet(4, *VERIFY)
        held = fleet.hold()
        pids = [pid for name in names for pid in fleet.processes(name)[rank]]
        rows.equal(len(pids), len(names), "processes of rank %d" % rank)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        # If an agent is killed, mpirun ends all agents. Their jobs are still stopped then.
        if "pmpp-fleet-agen" in names:
            fleet.process.wait(timeout=LIMIT_S)
        for worker, pid in held.items():
            if worker != rank or "pmpp-run" not in names:
                os.kill(pid, signal.SIGCONT)
        code = fleet.end()
        rows.check(code != 0, "exit code 0")
        counts = [len(fleet.document(other)["results"]) for other in range(4) if other != rank]
        rows.check(counts == 3 * [VERIFIED], "rows: %s" % counts)
        for other in range(4):
            if other != rank:
                rows.equal(set(statuses(fleet.document(other)).values()) - {"skipped"}, {"ok"},
                           "status")
                rows.equal(failure_of(fleet.summary(), other), "", fleet.summary())
        rows.check("killed" in failure_of(fleet.summary(), rank), fleet.summary())


def interrupted(sign):
    """A signal to mpirun ends all ranks. Their finished rows are kept."""
    need_fleet()
    fleet = Fleet(2, *VERIFY)
    held = fleet.hold()
    fleet.process.send_signal(sign)
    fleet.process.wait(timeout=LIMIT_S)
    for pid in held.values():
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
    fleet.end()
    for rank in (0, 1):
        rows.check(len(fleet.document(rank)["results"]) < VERIFIED, "the job was not interrupted")
        rows.check("interrupted by SIGTERM" in failure_of(fleet.summary(), rank), fleet.summary())


def ignored_signal():
    """A signal that the caller ignores does not end a rank (nohup)."""
    need_fleet()
    fleet = Fleet(1, *VERIFY, prefix=[], ignored=signal.SIGHUP)
    held = fleet.hold()
    fleet.process.send_signal(signal.SIGHUP)
    os.kill(held[0], signal.SIGCONT)
    rows.equal(fleet.end(), 0, fleet.describe())
    rows.equal(len(fleet.document(0)["results"]), VERIFIED, "rows")


def quit_signal():
    """SIGQUIT ends the job with its MPI process, at once and without files."""
    need_fleet()
    fleet = Fleet(1, *VERIFY, prefix=[])
    held = fleet.hold()
    fleet.process.send_signal(signal.SIGQUIT)
    rows.equal(fleet.process.wait(timeout=LIMIT_S), -signal.SIGQUIT, "exit")
    limit = time.monotonic() + LIMIT_S
    while fleet.processes("pmpp-run"):
        # The job waits for its worker, so it does not end by itself while the worker is stopped.
        rows.check(time.monotonic() < limit, "the job still runs")
        time.sleep(0.05)
    rows.check(held[0] not in fleet.processes("pmpp-worker").get(0, []), "the worker is left")
    rows.check(not glob.glob(os.path.join(fleet.folder, "out.rank*")), "a file was written")
    # MPI's processes may still be removing their files.
    while os.path.exists(fleet.temporary):
        rows.check(time.monotonic() < limit, "the folder of MPI stays")
        shutil.rmtree(fleet.temporary, ignore_errors=True)
        time.sleep(0.05)
    os.mkdir(fleet.temporary)


# ---- Refused -------------------------------------------------------------------------------------

def wrong_use():
    refused(1, ["--fleet"], "list", "--fleet")
    refused(1, ["--fleet"], "explain", "vecadd/fine", "--fleet")
    refused(1, ["--fleet", "FILE"], "run", "vecadd/fine", "--fleet", "--json")
    refused(1, ["--engine=oclgrind", "--fleet"], "verify", "vecadd/fine", "--engine=oclgrind",
            "--fleet")
    refused(1, ["vecadd"], "run", "vecadd/fin", "--fleet")


def without_agent():
    """Without the MPI process the message names the package to install."""
    folder = os.path.dirname(new_path("x"))
    lonely = os.path.join(folder, "pmpp-run")
    shutil.copy(PROGRAM, lonely)
    result = subprocess.run([lonely, "vecadd/fine", "--fleet"], capture_output=True, text=True,
                            check=False, env=environment(), timeout=LIMIT_S)
    rows.equal(result.returncode, 1, result.stderr)
    # A program built with MPI does not find the agent; a program built without MPI lacks MPI.
    parts = (["pmpp-fleet-agent is not in the folder of pmpp-run", "ninja program"]
             if os.path.exists(os.path.join(os.path.dirname(PROGRAM), "pmpp-fleet-agent"))
             else ["libopenmpi-dev", "reconfigure the build"])
    for part in ["--fleet needs MPI", *parts]:
        rows.check(part in result.stderr, result.stderr)
    doctor = subprocess.run([lonely, "doctor"], capture_output=True, text=True, check=False,
                            env=environment(), timeout=LIMIT_S)
    rows.check("no   --fleet: " in doctor.stdout, doctor.stdout)


def count_rows():
    """Sets the number of rows that VERIFY makes."""
    global VERIFIED
    need("opencl")
    path = new_path("all.json")
    expect(0, *VERIFY, "--json=" + path, timeout=LIMIT_S)
    VERIFIED = len(json_file(path)["results"])
    rows.check(VERIFIED >= 2, "%d rows" % VERIFIED)


rows.row("wrong use", wrong_use)
rows.row("without the MPI process", without_agent)
rows.row("one process", count_rows)
rows.row("a single rank", alone)
rows.row("two ranks share the CPU", shared)
rows.row("a rank without a device", failed_rank)
rows.row("--csv without --json", other_outputs, "csv")
rows.row("--md without --json", other_outputs, "md")
rows.row("ranks on the CPU verify every backend", every_backend)
rows.row("one rank skips everything", skipping, "1", 0)
rows.row("all ranks skip everything", skipping, "01", 77)
rows.row("no folder for the fleet", no_folder)
rows.row("SIGKILL of an MPI process", kill, 2, ["pmpp-fleet-agen"])
rows.row("SIGKILL of a job", kill, 1, ["pmpp-run"])
rows.row("SIGKILL of the job of rank 0", kill, 0, ["pmpp-run"])
rows.row("SIGKILL of all of rank 0", kill, 0, ["pmpp-fleet-agen", "pmpp-run"])
rows.row("SIGINT to mpirun", interrupted, signal.SIGINT)
rows.row("SIGTERM to mpirun", interrupted, signal.SIGTERM)
rows.row("a signal that is ignored", ignored_signal)
rows.row("SIGQUIT", quit_signal)
rows.finish()
