"""tools/ncu_limits.py on made-up tables of ncu and result rows.

usage: test_ncu_limits.py SOURCE_ROOT
"""
import contextlib
import io
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

sys.path.insert(0, os.path.join(sys.argv[1], "tools"))
sys.dont_write_bytecode = True
import ncu_compare as ncu
import ncu_limits as limits

HEAD = ["ID", "Kernel Name", "Block Size", "Grid Size"]
PIPE = "l1tex__data_pipe_lsu_wavefronts"
FMA = "sm__pipe_fma_cycles_active"
ALU = "sm__pipe_alu_cycles_active"
DRAM = "dram__throughput"


def table(launches):
    """ncu's raw page of launches (ns, {metric: percent}). Metrics that are not given are 0."""
    text = ",".join('"%s"' % f for f in HEAD + list(limits.METRICS)) + "\n"
    for index, (time, use) in enumerate(launches):
        values = [time] + [use.get(name[:-len(limits.PERCENT)], 0) for name in limits.METRICS[1:]]
        fields = [index, "k(int)", "(256, 1, 1)", "(4, 1, 1)"] + values
        text += ",".join('"%s"' % f for f in fields) + "\n"
    return text


def result(variant="naive", limit="shared", launches=1, resource="shared", share=0.8):
    step = {"kernel": "k", "grid": [4, 1, 1], "block": [256, 1, 1]}
    return {"family": "matmul", "variant": variant, "backend": "cuda", "status": "ok",
            "problem": {"m": 8, "n": 8, "k": 8}, "dtype": "f32", "op": None, "data": "random",
            "launches": [{"fill": 0}] + [step] * launches,
            "derived": {"limited_by": limit,
                        "floor": {"resource": resource, "ns": 1, "share": share}}}


def answer(launches):
    return limits.answer_of(limits.use_of(ncu.parse_table(table(launches), limits.METRICS)))


def answers():
    for use, want in (({DRAM: 91, PIPE: 30}, "memory"), ({DRAM: 40, PIPE: 60}, "l1, shared"),
                      ({"lts__t_sectors": 70}, "l2"), ({FMA: 20, ALU: 95}, "compute"),
                      ({"sm__pipe_tensor_cycles_active": 51}, "tensor"),
                      ({DRAM: 49.9, FMA: 49}, "latency"), ({DRAM: 50}, "memory"), ({}, "latency")):
        rows.equal(answer([(100, use)]), want, str(use))


def weights():
    """A long launch counts more than a short one."""
    rows.equal(answer([(900, {DRAM: 60}), (100, {PIPE: 100})]), "memory")
    rows.equal(answer([(100, {DRAM: 60}), (900, {PIPE: 100})]), "l1, shared")


def no_figures():
    for text in (table([]), table([(0, {DRAM: 60})])):
        try:
            limits.use_of(ncu.parse_table(text, limits.METRICS))
        except ncu.Failure:
            continue
        raise rows.Failure("no failure for a table without times")


def compares():
    got = limits.compare(result(), ncu.parse_table(table([(5, {PIPE: 80})]), limits.METRICS))
    rows.equal((got["pmpp"], got["ncu"], got["limited_by"]), ("l1, shared", "l1, shared", "shared"))
    for limit, word in (("launch", "latency"), ("cache", "cache"), (None, "unknown"),
                        ("compute", "compute")):
        rows.equal(limits.ours(result(limit=limit)), word)
    try:
        limits.compare(result(launches=2), ncu.parse_table(table([(5, {})]), limits.METRICS))
    except ncu.Failure:
        return
    raise rows.Failure("no failure for a missing launch")


def judged(pairs):
    return limits.is_good([{"pmpp": a, "ncu": b} for a, b in pairs])


def judges():
    same = [("memory", "memory")]
    rows.equal(judged(9 * same + [("memory", "l2")]), True, "9 of 10")
    rows.equal(judged(8 * same + 2 * [("memory", "l2")]), False, "8 of 10")
    rows.equal(judged(9 * same + [("latency", "l2")]), False, "more latency than ncu reports")
    rows.equal(judged(9 * same + [("l2", "latency")]), True, "less latency than ncu reports")
    rows.equal(judged([]), False, "nothing")


def whole():
    """The tool works on an existing result file and tables, without a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "ncu"))
        run = os.path.join(folder, "run.json")
        results = [result(), result("other", "latency", resource="memory", share=0.3),
                   dict(result("failed"), status="failed"),
                   dict(result("elsewhere"), backend="opencl")]
        with open(run, "w", encoding="utf-8") as file:
            json.dump({"results": results}, file)
        for variant, use in (("naive", {PIPE: 90}), ("other", {DRAM: 70})):
            with open(os.path.join(folder, "ncu", "matmul-%s.csv" % variant), "w",
                      encoding="utf-8") as file:
                file.write(table([(100, use)]))
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            status = limits.main(["--run=" + run, "--results=" + folder, "--reuse"])
        rows.equal(status, 1, "exit status")
        text = out.getvalue()
        for part in ("1 of 2 agree; 0 not counted", "latency (memory 30 %)", "differs"):
            rows.check(part in text, "%r is not in %s" % (part, text))
        with open(os.path.join(folder, "limits.txt"), encoding="utf-8") as file:
            rows.equal(file.read(), text, "limits.txt")
        with open(os.path.join(folder, "limits.json"), encoding="utf-8") as file:
            rows.equal(len(json.load(file)["rows"]), 2, "rows in limits.json")


rows.row("ncu's answer", answers)
rows.row("weights of launches", weights)
rows.row("no figures", no_figures)
rows.row("a variant", compares)
rows.row("nine of ten", judges)
rows.row("the whole tool", whole)
rows.finish()
