"""Signals at random moments of `run` and `verify`. Every row on the screen is in the result file, and no
temporary file or process is left.

Called as SCRIPT PMPP_RUN SOURCE_ROOT [KILLS [SEED]]. Each moment is a random fraction of the time
that the command takes without a kill, so it does not depend on the speed of the machine.
"""
import collections
import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import time

from command import LIMIT_S, PROGRAM, environment, json_file, need, new_path, read_process
import rows

KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
MARKER = "PMPP_TEST_KILL"

COMMANDS = {
    "run, emulator": ["run", "vecadd/fine", "vecadd/coarse2", "transpose/tiled", "--size=100",
                      "--backend=cuda-emu"],
    "verify, emulator": ["verify", "vecadd/fine", "transpose/tiled", "--size=33",
                         "--backend=cuda-emu"],
    "run, OpenCL": ["run", "vecadd/fine", "vecadd/coarse2", "--size=100", "--backend=opencl", "--min-time=1",
                    "--max-samples=10"],
    "verify, OpenCL": ["verify", "vecadd/fine", "vecadd/coarse2", "--size=33", "--backend=opencl"],
}
# Ways to end a command, and its exit codes. A job that was already complete keeps its own code.
INTERRUPTED = {130}
WAYS = {
    "SIGINT": INTERRUPTED,
    "SIGTERM": INTERRUPTED,
    "SIGHUP": INTERRUPTED,
    "SIGPIPE": {141},
    "SIGINT twice": INTERRUPTED,
    "a closed stdout": {141},
    "SIGKILL of the worker": {5},
    "SIGKILL": {-signal.SIGKILL},
}
# A row of the table of `run`; the line of a variant of `verify`.
RUN_LINE = re.compile(r"^(?P<variant>[\w-]+) .*  ok \d\.\d\d ")
VERIFY_LINE = re.compile(r"^\S+ +\w+/(?P<variant>[\w-]+) +(?P<ok>\d+)(?: of \d+)? ")


# ---- Processes -----------------------------------------------------------------------------------

def parent_and_state(pid):
    text = read_process("/proc/%d/stat" % pid).decode(errors="replace")
    fields = text[text.rfind(")") + 1:].split()
    return (int(fields[1]), fields[0]) if len(fields) > 1 else (0, "Z")


def marked(mark):
    """Running processes with the mark in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and ("%s=%s" % (MARKER, mark)).encode() in \
                read_process("/proc/%s/environ" % name).split(b"\0") and \
                parent_and_state(int(name))[1] != "Z":
            found.append(int(name))
    return found


def command_line(pid):
    return "%d %s: %s" % (pid, read_process("/proc/%d/comm" % pid).decode().strip(), read_process(
        "/proc/%d/cmdline" % pid).replace(b"\0", b" ").decode(errors="replace")[:200])


def wait_for_handler(process):
    """Waits until the job handles its signals, or has ended. A program that is still starting is
    ended by the signal itself: it has written nothing, and it has the exit code of no interrupted job.
    SIGINT has no handler before that."""
    limit = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < limit:
        found = re.search(rb"^SigCgt:\s*([0-9a-f]+)", read_process("/proc/%d/status" % process.pid), re.M)
        if found and int(found[1], 16) >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.001)


def worker_of(pid, mark):
    """The worker process; None before it starts and after it ends."""
    for child in marked(mark):
        name = read_process("/proc/%d/comm" % child).decode().strip()
        if parent_and_state(child)[0] == pid and name != "pmpp-guard":
            return child
    return None


# ---- One command ---------------------------------------------------------------------------------

class Command:
    """A command with its own folders. cache: a folder to copy, or None for an empty one."""

    def __init__(self, arguments, mark, cache=None):
        self.mark = mark
        self.json_path = new_path("r.json")
        self.folders = {name: os.path.dirname(new_path("x")) for name in ("tmp", "cache")}
        if cache:
            shutil.copytree(cache, self.folders["cache"], dirs_exist_ok=True)
        self.screen = ""
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [PROGRAM, *arguments, "--json=" + self.json_path, "--progress=no"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
            env=environment(TMPDIR=self.folders["tmp"], XDG_CACHE_HOME=self.folders["cache"],
                            CCACHE_DISABLE="1", **{MARKER: mark}))
        os.set_blocking(self.process.stdout.fileno(), False)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.errors = ""

    def read_some(self, until):
        """Reads both streams until a moment. Returns False if both have ended."""
        streams = [s for s in (self.process.stdout, self.process.stderr) if not s.closed]
        if not streams:
            return False
        ready, _, _ = select.select(streams, [], [], max(0, until - time.monotonic()))
        for stream in ready:
            text = stream.read().decode(errors="replace")
            if not text:
                stream.close()
            elif stream is self.process.stdout:
                self.screen += text
            else:
                self.errors += text
        return True

    def read_for(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.read_some(until):
            pass

    def end(self):
        """Waits for the end of the streams and returns the exit code."""
        limit = time.monotonic() + LIMIT_S
        while self.read_some(limit):
            rows.check(time.monotonic() < limit, "no end after %d s" % LIMIT_S)
        return self.process.wait(timeout=LIMIT_S)

    def seconds(self):
        return time.monotonic() - self.started

    def remove(self):
        for folder in (*self.folders.values(), os.path.dirname(self.json_path)):
            shutil.rmtree(folder, ignore_errors=True)


def shown(screen):
    """Number of results of each variant on the screen."""
    counts = collections.Counter()
    for line in screen.splitlines():
        found = RUN_LINE.match(line) or VERIFY_LINE.match(line)
        if found:
            counts[found["variant"]] += int(found.groupdict().get("ok") or 1)
    return counts


def check_file(command):
    """Checks that the rows on the screen are in the file; returns their number."""
    rows.check(os.path.exists(command.json_path), "no file; the screen: " + command.screen)
    kept = collections.Counter(r["variant"] for r in json_file(command.json_path)["results"]
                               if r["status"] == "ok")
    lost = shown(command.screen) - kept
    rows.check(not lost, "lost %s; the file has %s" % (dict(lost), dict(kept)))
    return sum(kept.values())


def check_nothing_left(command):
    limit = time.monotonic() + LIMIT_S
    while marked(command.mark) and time.monotonic() < limit:
        time.sleep(0.01)
    left = [command_line(pid) for pid in marked(command.mark)]
    for pid in marked(command.mark):
        os.kill(pid, signal.SIGKILL)
    rows.check(not left, "processes left: " + "; ".join(left))
    rows.equal(os.listdir(command.folders["tmp"]), [], "left in TMPDIR")
    beside = set(os.listdir(os.path.dirname(command.json_path)))
    rows.check(beside <= {os.path.basename(command.json_path)}, "beside the file: %s" % beside)
    for folder, _, files in os.walk(os.path.join(command.folders["cache"], "pmpp")):
        for name in files:
            rows.check(re.fullmatch("[0-9a-f]{64}(.json)?", name),
                       "left in the cache: %s/%s" % (folder, name))


# ---- Kills ---------------------------------------------------------------------------------------

def end_it(command, way):
    """Ends a command in one of WAYS."""
    pid = command.process.pid
    if way == "a closed stdout":
        command.process.stdout.close()
    elif way == "SIGKILL of the worker":
        worker = worker_of(pid, command.mark)
        if worker:
            try:
                os.kill(worker, signal.SIGKILL)
            except ProcessLookupError:  # the process has ended
                pass
    else:
        name, *times = way.split()
        sign = getattr(signal, name)
        if sign != signal.SIGKILL:
            wait_for_handler(command.process)
        for _ in range(2 if times else 1):
            command.process.send_signal(sign)


class Plan(collections.namedtuple("Plan", "name cache seconds")):
    """A command, its cache (None: empty), and its duration without a kill in seconds."""

    def __str__(self):
        return "`%s` with %s cache" % (self.name, "a full" if self.cache else "an empty")


def kill_one(number, plan, way, part):
    command = Command(COMMANDS[plan.name], "%d-%d" % (os.getpid(), number), plan.cache)
    try:
        command.read_for(part * plan.seconds)
        early = command.process.poll() is None
        if early:
            end_it(command, way)
        code = command.end()
        check_nothing_left(command)
        allowed = {0} | WAYS[way]
        rows.check(code in allowed, "exit %d: %s" % (code, command.errors))
        # SIGKILL leaves no time to write the file.
        return (check_file(command) if way != "SIGKILL" else 0), early
    finally:
        if command.process.poll() is None:
            command.process.kill()
            command.process.wait()
        command.remove()


def whole(name, cache):
    """Runs a command without a kill: its plan, and the folder of its cache."""
    command = Command(COMMANDS[name], "%d-whole" % os.getpid(), cache)
    code = command.end()
    plan = Plan(name, cache, command.seconds())
    rows.equal(code, 0, "exit code of %s: %s" % (name, command.errors))
    kept = check_file(command)
    rows.check(kept >= sum(shown(command.screen).values()) > 0,
               "nothing is shown: " + command.screen)
    check_nothing_left(command)
    return plan, command.folders["cache"]


def plans():
    """Each command with an empty and with a full cache, if its backend is available."""
    found = []
    for name, arguments in COMMANDS.items():
        backend = [a for a in arguments if a.startswith("--backend=")][0].split("=")[1]
        try:
            need(backend)
        except rows.Skip:
            continue
        plan, cache = whole(name, None)
        found += [plan, whole(name, cache)[0]]
    return found


def kills():
    chance = random.Random(SEED)
    choices = plans()
    if not choices:
        raise rows.Skip("neither opencl nor cuda-emu is there")
    for plan in choices:
        rows.note("%s: %.1f s" % (plan, plan.seconds))
    counts = collections.Counter()
    bad = []
    for number in range(KILLS):
        way = list(WAYS)[number % len(WAYS)]
        plan = chance.choice(choices)
        part = chance.random()
        try:
            kept, early = kill_one(number, plan, way, part)
        except rows.Failure as failure:
            bad.append("kill %d of seed %d, %s at %.0f %% of %s: %s" %
                       (number, SEED, way, 100 * part, plan, failure))
            rows.note(bad[-1])
            continue
        counts["%s%s" % (way, "" if early else " (was complete)")] += 1
        counts["rows kept"] += kept
    rows.note(", ".join("%s: %d" % item for item in sorted(counts.items())))
    rows.check(not bad, "%d of %d kills lost or left something: %s" % (len(bad), KILLS,
                                                                     bad[0] if bad else ""))


rows.row("%d kills" % KILLS, kills)
rows.finish()
