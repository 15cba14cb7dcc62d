"""Bars on the CPU time of commands. Nothing else runs beside this test."""
import os
import resource

from command import expect, json_file, need, new_path
import rows


def cpu_seconds():
    """CPU time of all ended child processes. Other programs do not delay it."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def best_time(limit, attempts, *arguments):
    """Least CPU time of up to `attempts` runs, in s. A run whose threads share a core is slower."""
    best = 1e9
    for _ in range(attempts):
        start = cpu_seconds()
        expect(0, *arguments)
        best = min(best, cpu_seconds() - start)
        if best < limit:
            break
    rows.note("%.3f s" % best)
    rows.check(best < limit, "%.3f s" % best)


def list_is_quick():
    best_time(0.030, 30, "list")


def runs_of(row):
    """Runs of a variant in a result file: verification, warm-up and samples. Noise makes more
    samples."""
    ms = row["timing"]["cold"]["median"] * 1e-6
    samples = sum(row["timing"][kind]["n"] for kind in ("cold", "hot", "host")
                  if row["timing"][kind])
    return 2 + (3 if ms < 5 else 1) + samples


def quick_run():
    """(CPU seconds, allowed CPU seconds). Other programs do not delay CPU time. Allowed are one second,
    and 1.25 times the time of these runs on every core."""
    path = new_path("quick.json")
    start = cpu_seconds()
    expect(0, "--backend=opencl", "matmul", "--size=256", "--json=" + path)
    used = cpu_seconds() - start
    kernels = sum(row["timing"]["cold"]["median"] * 1e-9 * runs_of(row)
                  for row in json_file(path)["results"] if row["timing"])
    return used, 1 + 1.25 * kernels * len(os.sched_getaffinity(0))


def warm_run_is_quick():
    """A small ladder with warm caches needs little more than its kernels, with the default flush,
    whatever the size of the CPU's cache: under 3 s on two cores that do nothing else."""
    need("opencl")
    for _ in range(4):
        used, limit = quick_run()
        rows.note("%.2f s of %.2f" % (used, limit))
        if used < limit:
            return
    rows.check(False, "%.2f s, not under %.2f" % (used, limit))


def warm_explain_is_quick():
    """The bar for one variant, with a warm cache."""
    need("cuda-emu")
    best_time(2, 4, "explain", "matmul/tiled32", "--backend=cuda-emu")


def warm_explain_of_all_is_quick():
    """The bar for all variants, with a warm cache. The first run fills the cache, if other tests have not."""
    need("cuda-emu")
    best_time(60, 3, "explain", "all", "--backend=cuda-emu", "-q")


rows.row("list: under 30 ms", list_is_quick)
rows.long_row("matmul n = 256 on opencl: little more than the kernels", warm_run_is_quick)
rows.row("explain of one variant: under 2 s", warm_explain_is_quick)
rows.long_row("explain of all variants: under 60 s", warm_explain_of_all_is_quick)
rows.finish()
