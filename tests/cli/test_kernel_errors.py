"""Kernels that do not build, are wrong, crash or hang; interruption. The others go on."""
import os
import re
import signal
import subprocess
import time

from command import (
    LIMIT_S, PROGRAM, ROOT, environment, expect, json_file, json_of, kernel_tree, need, new_path, pmpp,
    read_text, statuses)
import rows

SIDE = {"opencl": ("cl_kernels", ".cl"), "cuda": ("cuda_kernels", ".cu"),
        "cuda-emu": ("cuda_kernels", ".cu"), "opencl-emu": ("cl_kernels", ".cl")}
ADD = "STORE(C, i, LOAD(A, i) + LOAD(B, i));"


def kernel(backend, stem):
    folder, extension = SIDE[backend]
    return "%s/%s%s" % (folder, stem, extension)


def broken(text):
    return text.replace(ADD, "C[i] = A[i] + NO_SUCH_NAME;")


def wrong(text):
    return text.replace(ADD, "C[i] = A[i] - B[i];")


def endless(text):
    return text.replace(ADD, "while (1)\n\t\t\t((volatile float *)0 == 0) ? "
                        "C[i] += 1.0f : 0.0f;")


def never_set(text):
    return text.replace("\tif (i < n)", "\tunsigned never;\n\n\tif (i + never < n)")


# What is wrong with the parameters of vecadd_fine, by language: the text before and after, and the
# parts of the message. The project has (A, B, C, n).
PARAMETERS = {
    "opencl": [
        ("size", "ulong n)", "ushort n)", "argument 4: expected ulong; "),
        ("kind", "__global ELEMENT *restrict C, ulong n)", "ulong n, __global ELEMENT *restrict C)",
         "argument 3: expected __global pointer C; "),
        ("one more", "ulong n)", "ulong n, int more)",
         "5 parameters; expected 4: __global pointer A, __global pointer B, __global pointer C, "
         "ulong; ")],
    "cuda-emu": [
        ("size", "unsigned long long n)", "float n)",
         "argument 4: expected unsigned long long; the kernel has a float; "),
        ("kind", "ELEMENT *__restrict__ C, unsigned long long n)",
         "unsigned long long n, ELEMENT *__restrict__ C)", "argument 3: expected pointer C; "),
        ("one more", "unsigned long long n)", "unsigned long long n, int more)",
         "5 parameters; expected 4: pointer A, pointer B, pointer C, unsigned long long; ")]}


# Kernels of the kind that people publish, and the cause that the message names: title, variant, backends,
# name of the file, source, part of the output.
ADDED = """extern "C" __global__ void matmul_naive(const float *A, const float *B, float *C, int m, int n, int k)
{
	int groups = (n + BLOCK_X - 1) / BLOCK_X;
	int column = blockIdx.x %% groups * BLOCK_X + threadIdx.x, row = blockIdx.x / groups * BLOCK_Y + threadIdx.y;
	if (row >= m || column >= n)
		return;
	float sum = 0.0f, beta = %s;
	for (int i = 0; i < k; i++)
		sum += A[(size_t)row * k + i] * B[(size_t)i * n + column];
	C[(size_t)row * n + column] = sum + beta * C[(size_t)row * n + column];
}
"""
DYNAMIC = """extern "C" __global__ void reduce_tree(const float *A, float *B, unsigned long long n)
{
	extern __shared__ float part[];
	part[threadIdx.x] = A[threadIdx.x];
}
"""
LOCAL = """__kernel void reduce_tree(__global const float *A, __global float *B, ulong n, __local float *part)
{
	part[get_local_id(0)] = A[0];
}
"""
# Right only if n is a multiple of BLOCK: otherwise the last block stores nothing.
WHOLE_BLOCKS = """extern "C" __global__ void vecadd_fine(const float *A, const float *B, float *C, unsigned long long n)
{
	size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	if ((size_t)blockIdx.x * BLOCK + BLOCK <= n)
		C[i] = A[i] + B[i];
}
"""
LOCAL_SIZE = """__kernel void reduce_tree(__global const float *A, __global float *B, ulong n)
{
	__local float part[BLOCK];
	uint t = get_local_id(0);
	ulong i = get_global_id(0);

	part[t] = i < n ? A[i] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 1; s < get_local_size(0); s *= 2) {
		if (t % (2 * s) == 0)
			part[t] += part[t + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		B[get_group_id(0)] = part[0];
}
"""
CAUSES = [
    ("beta * C", "matmul/naive", ["cuda-emu"], "matmul/naive", ADDED % "0.0f",
     "; reads its output before writing it: the result is right if the output is 0"),
    ("added to C", "matmul/naive", ["cuda-emu"], "matmul/naive", ADDED % "1.0f",
     "; reads its output before writing it: the result is right if the output is 0"),
    ("no dynamic shared memory", "reduce/sequential", ["cuda-emu"], "reduce/tree", DYNAMIC,
     "of dynamic shared memory of 0 bytes: the launch has none"),
    ("no dynamic local memory", "reduce/sequential", ["opencl-emu"], "reduce/tree", LOCAL,
     "argument 4 is a pointer to dynamic shared memory of 0 bytes: the launch has none"),
    ("multiples of the block", "vecadd/fine", ["cuda-emu"], "vecadd/fine", WHOLE_BLOCKS,
     "vecadd/fine on cuda-emu: right only where n is a multiple of BLOCK=256."),
    ("a fault of PoCL", "reduce/interleaved", ["opencl"], "reduce/tree", LOCAL_SIZE,
     "; perhaps a fault of PoCL (3.1 compiles get_local_size()"),
    ("a fault of one engine", "reduce/interleaved", ["opencl", "opencl-emu"], "reduce/tree", LOCAL_SIZE,
     "but right on opencl-emu with the same source: the compiler of opencl is suspected."),
]


def line_of(text, part):
    return text[:text.index(part)].count("\n") + 1


def run(code, backend, tree, *arguments, **options):
    return expect(code, "vecadd", "--size=1000", "--backend=" + backend, "--min-time=1",
                  "--kernel-dir=" + tree, *arguments, **options)


def others_went_on(found, note=""):
    """The variant for CPUs is skipped where there is no OpenCL CPU device."""
    found = {name: status for name, status in found.items()
             if (name, status) != ("cpu-stream", "skipped")}
    rows.equal(set(found.values()), {"ok"}, "the others" + note)


def origin():
    """The driver's function, its code and the place reach -v and the file, typed."""
    need("opencl")
    tree = kernel_tree({kernel("opencl", "vecadd/fine"): broken})
    json_path = new_path("r.json")
    quiet = run(5, "opencl", tree)
    result = run(5, "opencl", tree, "-v", "--json=" + json_path)
    rows.check("clBuildProgram(" not in result.stdout + result.stderr, "arguments are quoted")
    line = "clBuildProgram returned CL_BUILD_PROGRAM_FAILURE (-11); at host/gpu/opencl/program.c:"
    rows.check(line in result.stderr, "-v lacks the origin: " + result.stderr)
    rows.check(line not in quiet.stderr, "the origin is shown without -v")
    row = [row for row in json_file(json_path)["results"] if row["variant"] == "fine"][0]
    rows.equal(row["error"]["call"], "clBuildProgram", "call")
    rows.equal(row["error"]["code"], -11, "code")
    rows.equal(row["error"]["symbol"], "CL_BUILD_PROGRAM_FAILURE", "symbol")
    rows.equal(row["error"]["file"], "host/gpu/opencl/program.c", "file")
    rows.check(row["error"]["line"] > 0, "line")
    large = expect(1, "matmul/naive", "--size=2147479552", "--backend=opencl", "-v")
    rows.check("too large; at host/suite/" in large.stderr, "no origin: " + large.stderr)


def unchanged(backend):
    need(backend)
    run(0, backend, kernel_tree({}))


def does_not_build(backend):
    """Exit 5, the compiler's log with file and line, the other variants go on."""
    need(backend)
    path = kernel(backend, "vecadd/fine")
    tree = kernel_tree({path: broken})
    json_path = new_path("r.json")
    result = run(5, backend, tree, "--json=" + json_path)
    document = json_file(json_path)
    found = statuses(document)
    rows.equal(found.pop("fine"), "build_error")
    others_went_on(found)
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        line = line_of(file.read(), "NO_SUCH_NAME")
    name = "vecadd/fine" + SIDE[backend][1]
    text = result.stdout + result.stderr
    rows.check("NO_SUCH_NAME" in text, "the log is not shown: " + text)
    rows.check(any("%s%s%d" % (name, before, line) in text for before in (":", "(")),
               "neither file nor line %d: %s" % (line, text))
    row = [r for r in document["results"] if r["variant"] == "fine"][0]
    rows.check(row["reason"] and row["timing"] is None, "reason and timing of a build error")


def error_with_the_attribute():
    """A message that has the attribute of a block is no limit of the device."""
    need("opencl")
    tree = kernel_tree({kernel("opencl", "vecadd/fine"): "#error no reqd_work_group_size\n{}".format})
    json_path = new_path("r.json")
    run(5, "opencl", tree, "--json=" + json_path)
    rows.equal(statuses(json_file(json_path)).pop("fine"), "build_error")


def verify_two(backend, change, status, part, advice):
    """A kernel that does not fit its launch is a row; the next variant is checked; exit 5."""
    tree = kernel_tree({kernel(backend, "vecadd/fine"): change})
    json_path, table_path = new_path("v.json"), new_path("v.md")
    result = expect(5, "verify", "vecadd/fine", "vecadd/grid-stride", "--size=100",
                    "--backend=" + backend, "--kernel-dir=" + tree, "--json=" + json_path,
                    "--md=" + table_path)
    found = {}
    for row in json_file(json_path)["results"]:
        found.setdefault(row["variant"], []).append(row)
    rows.equal({row["status"] for row in found["fine"]}, {status}, "status")
    rows.equal({row["status"] for row in found["grid-stride"]}, {"ok"}, "the next variant")
    for row in found["fine"]:
        reason = row["reason"]
        rows.check(part in reason and reason.endswith(advice), "reason: " + reason)
        rows.equal(reason.count("vecadd_fine"), 1, "the kernel's name in: " + reason)
    counts = "%d ok, %d broken" % (len(found["grid-stride"]), len(found["fine"]))
    rows.check(counts in result.stdout, "counts: " + result.stdout)
    table = read_text(table_path)
    rows.check(status.replace("_", " ") in table or status in table, "no row: " + table)
    rows.check("grid-stride" in table, "no next row: " + table)


def wrong_parameters(backend, before, after, part):
    need(backend)
    verify_two(backend, lambda text: text.replace(before, after), "launch_error",
               "kernel vecadd_fine: " + part, "; use the parameter list of the project's kernel")


def stray(backend, index):
    """A store behind the guards of the operands, without checks of accesses: the row has its line."""
    need(backend)
    stem = "vecadd/fine"
    with open(os.path.join(ROOT, kernel(backend, stem)), encoding="utf-8") as file:
        line = line_of(file.read(), ADD)
    verify_two(backend, lambda text: text.replace(ADD, "C[%s] = 1;" % index), "launch_error",
               "%s%s:%d: out-of-bounds " % (stem, SIDE[backend][1], line), "thread (0,0,0)")


def no_such_kernel(backend):
    need(backend)
    verify_two(backend, lambda text: text.replace("vecadd_fine(", "my_add("), "build_error",
               "the file has no kernel of this name, only my_add; ",
               "; use the name of the project's kernel")


def later_kernel():
    """Only the second kernel of a run has wrong parameters; the scratch buffer has a name."""
    need("cuda-emu")
    before = ("const float *__restrict__ pairs, float *__restrict__ B,\n"
              "\tint columns, int part, int parts)")
    after = ("int columns, const float *__restrict__ pairs,\n"
             "\tfloat *__restrict__ B, int part, int parts)")
    tree = kernel_tree({"cuda_kernels/softmax/fused.cu": lambda text: text.replace(before, after)})
    json_path = new_path("r.json")
    expect(5, "run", "softmax/fused", "softmax/safe", "--size=1x50000", "--backend=cuda-emu",
           "--kernel-dir=" + tree, "--json=" + json_path)
    document = json_file(json_path)
    rows.equal(statuses(document), {"fused": "launch_error", "safe": "ok"}, "statuses")
    reason = [row["reason"] for row in document["results"] if row["variant"] == "fused"][0]
    part = "kernel softmax_fused_write: argument 2: expected pointer scratch 1; "
    rows.check(reason.startswith(part), "reason: " + reason)


def is_wrong(backend):
    """Exit 3; no pass, no time."""
    need(backend)
    tree = kernel_tree({kernel(backend, "vecadd/fine"): wrong})
    json_path = new_path("r.json")
    result = run(3, backend, tree, "--json=" + json_path)
    found = statuses(json_file(json_path))
    rows.equal(found.pop("fine"), "failed")
    others_went_on(found)
    row = [r for r in json_file(json_path)["results"] if r["variant"] == "fine"][0]
    rows.equal(row["timing"], None, "the time of a wrong kernel")
    rows.check(row["verify"]["mismatches"] > 0 and row["verify"]["first"], "no first mismatch")
    rows.check("FAIL" in result.stdout.upper(), "the table hides it: " + result.stdout)
    expect(3, "verify", "vecadd/fine", "--size=100", "--backend=" + backend, "--kernel-dir=" + tree)


def changes_inputs(backend):
    """Exit 3, and the next variants get the right inputs."""
    need(backend)
    cast = "(__global ELEMENT *)" if backend == "opencl" else "(ELEMENT *)"
    tree = kernel_tree({kernel(backend, "vecadd/fine"): lambda text: text.replace(
        ADD, "{ %s (%sA)[i] = 0; }" % (ADD, cast))})
    json_path = new_path("r.json")
    run(3, backend, tree, "--json=" + json_path)
    document = json_file(json_path)
    found = statuses(document)
    rows.equal(found.pop("fine"), "failed")
    others_went_on(found)
    reason = [r for r in document["results"] if r["variant"] == "fine"][0]["reason"]
    rows.equal(reason, "changes its inputs")


def is_warned(backend):
    """An uninitialised variable: exit 3 for any answer; one note on stderr, with the line."""
    need(backend)
    path = kernel(backend, "vecadd/fine")
    tree = kernel_tree({path: never_set})
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        place = "%s:%d" % (path, line_of(file.read(), "+ never"))
    json_path = new_path("r.json")
    for command in ([], ["verify"]):
        result = expect(3, *command, "vecadd/fine", "--size=1000,1001,1002", "--backend=" + backend,
                        "--kernel-dir=" + tree, "--json=" + json_path)
        reason = 'uninitialised: "never" is used before its value is set (%s)' % place
        for row in json_file(json_path)["results"]:
            rows.equal((row["status"], row["reason"]), ("failed", reason))
            rows.equal(row["timing"], None, "the time of a wrong kernel")
            rows.check(place in row["build"]["warnings"][0], "warnings: %s" % row["build"])
        rows.equal(result.stderr.count("note: the compiler warns: %s: " % place), 1, result.stderr)
        rows.check("compiler warns" not in result.stdout, "stdout: " + result.stdout)
        rows.check(reason in result.stdout, "the table hides it: " + result.stdout)


def narrow(backend):
    """An `int` parameter accepts a size of 64 bits, and a 64-bit parameter accepts a size of 32 bits."""
    need(backend)
    edits = {"vecadd/fine": lambda text: re.sub(r"(unsigned long long|ulong) n\)", "int n)", text),
             "matmul/naive": lambda text: re.sub(r"int k\)", "size_t k)" if backend == "cuda-emu" else "long k)",
                                                 text)}
    tree = kernel_tree({kernel(backend, stem): change for stem, change in edits.items()})
    for variant in edits:
        expect(0, "verify", variant, "--size=37", "--backend=" + backend, "--kernel-dir=" + tree)


def cause(variant, backends, stem, source, part):
    """The output names the cause of a wrong result. The right kernel of another engine has no cause."""
    for backend in backends:
        need(backend)
    tree = kernel_tree({kernel(backends[0], stem): lambda _: source})
    choices = ["--dtype=f32"] if variant.startswith(("vecadd", "reduce")) else []
    choices += ["--op=sum"] if variant.startswith("reduce") else []
    result = pmpp("verify", variant, *choices, *(["--backend=" + backends[0]] if len(backends) == 1 else []), "--kernel-dir=" + tree)
    rows.check(result.returncode in (3, 5), "exit %d: %s" % (result.returncode, result.stderr))
    rows.check(part in " ".join(result.stdout.split()), "no cause: " + result.stdout)


def shared_without_parameter(backend):
    """--shared needs a parameter for the memory in OpenCL."""
    need(backend)
    tree = kernel_tree({kernel(backend, "vecadd/fine"): lambda text: text.replace("i < n", "n > i")})
    result = expect(5, "verify", "vecadd/fine", "--size=100", "--dtype=f32", "--shared=64", "--backend=" + backend,
                    "--kernel-dir=" + tree)
    rows.check("; add a __local pointer as the last parameter, or leave out --shared" in " ".join(result.stdout.split()),
               result.stdout)


def not_tried():
    """The search for an uninitialised variable does not delay the report of a long wrong row."""
    need("cuda-emu")
    tree = kernel_tree({"cuda_kernels/camping/walk.cu": lambda text: text.replace(
        "float sum = 0.0f;", "float sum;")})
    json_path = new_path("r.json")
    expect(3, "verify", "camping/aligned", "--backend=cuda-emu", "--size=19x7,100003x1",
           "--timeout=600", "--kernel-dir=" + tree, "--json=" + json_path)
    found = [(row["status"], row["reason"].startswith("uninitialised local variable"))
             for row in json_file(json_path)["results"]]
    rows.equal(found, [("failed", True), ("failed", False)], "status, and whether it was tried")


def not_filled():
    """A compiler that cannot fill variables: one note."""
    need("cuda-emu")
    path = new_path("compiler")
    with open(path, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nfor word; do case $word in -ftrivial*) exit 1;; esac; done\n'
                   'exec c++ "$@"\n')
    os.chmod(path, 0o700)
    for compiler, count in ((path, 1), (None, 0)):
        result = expect(0, "vecadd", "--size=100,101", "--backend=cuda-emu",
                        env={"CXX": compiler})
        rows.equal(result.stderr.count("note: cuda-emu: "), count, result.stderr)
        rows.equal(result.stderr.count("has no -ftrivial-auto-var-init"), count, result.stderr)


def wrong_before_broken(backend):
    """Where several exit codes apply: 3, then 5."""
    need(backend)
    tree = kernel_tree({kernel(backend, "vecadd/fine"): broken,
                        kernel(backend, "vecadd/vector4"):
                        lambda text: text.replace("+ as_float4", "- as_float4").replace(
                            "+ __uint_as_float", "- __uint_as_float")})
    run(3, backend, tree)


def crashes():
    """A kernel that follows a wild pointer ends as an error with its line; the others go on."""
    need("cuda-emu")
    path = kernel("cuda-emu", "vecadd/fine")
    tree = kernel_tree({path: lambda text: text.replace(
        ADD, "C[i] = A[i] + ((const float *)8)[i];")})
    json_path = new_path("r.json")
    run(5, "cuda-emu", tree, "--json=" + json_path)
    document = json_file(json_path)
    found = statuses(document)
    rows.check(found.pop("fine") in ("launch_error", "crashed"), "status of a crash")
    others_went_on(found)
    reason = [r for r in document["results"] if r["variant"] == "fine"][0]["reason"]
    rows.check("vecadd/fine.cu" in reason, reason)


def crashes_on_opencl():
    """A wild pointer on a CPU device takes the process down: not the whole run."""
    need("opencl")
    tree = kernel_tree({kernel("opencl", "vecadd/fine"): lambda text: text.replace(
        ADD, "C[i] = A[i] + ((__global const float *)8)[i];")})
    json_path = new_path("r.json")
    result = run(5, "opencl", tree, "--json=" + json_path)
    found = statuses(json_file(json_path))
    rows.check(found.pop("fine") in ("launch_error", "crashed"), "status of a crash")
    others_went_on(found, ": " + result.stderr)


def hangs(backend):
    """--timeout ends a variant that hangs, and not before its time has passed."""
    need(backend)
    tree = kernel_tree({kernel(backend, "vecadd/fine"): endless})
    json_path = new_path("r.json")
    begin = time.monotonic()
    run(5, backend, tree, "--timeout=10", "--json=" + json_path)
    passed_s = time.monotonic() - begin
    document = json_file(json_path)
    found = statuses(document)
    rows.equal(found.pop("fine"), "timeout")
    rows.equal([r["reason"] for r in document["results"] if r["variant"] == "fine"],
               ["no end after 10 s"], "the limit that ended the variant")
    rows.check(passed_s >= 10, "the variant ended after %g s" % passed_s)
    others_went_on(found)


def stopped_early():
    """A launch over the emulator's time limit skips blocks: its output is never judged."""
    need("cuda-emu")
    found = {}
    for _ in range(40):
        result = pmpp("run", "vecadd/fine", "--backend=cuda-emu", "--size=2^20", "--json",
                      env={"PMPP_EMU_WORKERS": "1", "PMPP_EMU_TIMEOUT_S": "0.001"})
        status = json_of(result)["results"][0]["status"]
        found[status] = found.get(status, 0) + 1
        rows.equal(result.returncode, 5 if status == "timeout" else 0, "exit code of " + status)
    rows.check(set(found) <= {"timeout", "ok"} and "timeout" in found, "statuses: %s" % found)


def interrupted():
    """Ctrl-C keeps what was finished: exit 130, the finished rows in the file, a note that the page
    is not written."""
    need("opencl")
    json_path = new_path("r.json")
    page = os.path.join(os.path.dirname(json_path), "page.html")
    process = subprocess.Popen(
        [PROGRAM, "matmul", "--backend=opencl", "--size=200", "--min-time=2500",
         "--json=" + json_path, "--report=" + page, "--progress=no"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(), start_new_session=True)
    rows.check(any("ok 0" in line for line in process.stdout), "no row is ok")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
    _, errors = process.communicate(timeout=LIMIT_S)
    rows.equal(process.returncode, 130, "exit code")
    rows.check("note: %s is not written, because the run was interrupted\n" % page in errors, errors)
    document = json_file(json_path)
    found = [r["status"] for r in document["results"]]
    rows.check("ok" in found, "no finished row was kept: %s" % found)
    rows.check(found.count("ok") < 12, "nothing was left to interrupt")
    rows.equal(os.listdir(os.path.dirname(json_path)), ["r.json"], "files left")


def catches(pid, number):
    """Whether a process has a handler for a signal."""
    with open("/proc/%d/status" % pid, encoding="utf-8") as file:
        caught, = [line.split()[1] for line in file if line.startswith("SigCgt:")]
    return int(caught, 16) >> (number - 1) & 1


def interrupted_at_once():
    need("cuda-emu")
    process = subprocess.Popen([PROGRAM, "verify", "all", "--backend=cuda-emu"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment(), start_new_session=True)
    deadline = time.monotonic() + LIMIT_S
    while not catches(process.pid, signal.SIGINT):
        rows.check(time.monotonic() < deadline, "SIGINT is not caught")
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    rows.equal(process.wait(timeout=LIMIT_S), 130, "exit code")


def broken_pipe():
    """`pmpp-run list | head -1` ends quietly."""
    process = subprocess.Popen("%s list | head -1; exit ${PIPESTATUS[0]}" % PROGRAM, shell=True,
                               executable="/bin/bash", stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment())
    _, errors = process.communicate(timeout=LIMIT_S)
    rows.check("Traceback" not in errors and "Segmentation" not in errors, errors)


def full_disk():
    """/dev/full takes no byte: the user hears of it."""
    need("cuda-emu")
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = subprocess.run([PROGRAM, "vecadd/fine", "--size=10", "--backend=cuda-emu",
                                  "--json"], stdout=full, stderr=subprocess.PIPE, text=True,
                                 check=False, env=environment(), timeout=LIMIT_S)
    rows.check(process.returncode != 0, "exit 0 although nothing could be written")


for engine in ("opencl", "cuda", "cuda-emu"):
    rows.row(engine + ": the real kernels from a folder", unchanged, engine)
    rows.row(engine + ": a kernel that does not build", does_not_build, engine)
    rows.row(engine + ": a wrong kernel", is_wrong, engine)
    rows.row(engine + ": a kernel that changes its inputs", changes_inputs, engine)
    rows.row(engine + ": an uninitialised variable", is_warned, engine)
    rows.row(engine + ": wrong beats broken", wrong_before_broken, engine)
rows.long_row("cuda-emu: an uninitialised variable in a long row", not_tried)
for engine in ("opencl", "cuda", "cuda-emu", "opencl-emu"):
    rows.row(engine + ": integer parameters of another size", narrow, engine)
for title, *arguments in CAUSES:
    rows.row("the cause: " + title, cause, *arguments)
for engine in ("opencl", "opencl-emu"):
    rows.row(engine + ": --shared without a parameter", shared_without_parameter, engine)
rows.row("cuda-emu: a compiler that cannot fill variables", not_filled)
for engine, mistakes in PARAMETERS.items():
    for what, old, new, message in mistakes:
        rows.row("%s: wrong parameters: %s" % (engine, what), wrong_parameters, engine, old, new,
                 message)
    rows.row(engine + ": no kernel of the name", no_such_kernel, engine)
rows.row("cuda-emu: wrong parameters of a later kernel", later_kernel)
for engine in ("cuda-emu", "opencl-emu"):
    for where, index in (("behind", "i + 100000"), ("before", "(long)i - 100000"),
                         ("far behind", "i + 4000000000u")):
        rows.row("%s: a store %s an operand" % (engine, where), stray, engine, index)
rows.long_row("the origin of an error", origin)
rows.row("cuda-emu: a kernel that crashes", crashes)
rows.row("opencl: a kernel that crashes", crashes_on_opencl)
for engine in ("opencl", "cuda-emu"):
    rows.long_row(engine + ": a kernel that hangs", hangs, engine)
rows.row("opencl: an error with the attribute of a block", error_with_the_attribute)
rows.row("a launch that was stopped has no result", stopped_early)
rows.row("Ctrl-C", interrupted)
rows.row("Ctrl-C at once", interrupted_at_once)
rows.row("a broken pipe", broken_pipe)
rows.row("a full disk", full_disk)
rows.finish()
