"""Problems of the user: C files with comments and a reference. Right ones, and bad input."""
import os

from command import expect, json_of, need, new_path, npy, refused
import rows

KERNEL = """__global__ void k(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 2 * x[i];
}
"""
CL_KERNEL = """__kernel void k(__global const float *x, __global float *y, int n)
{
	int i = get_global_id(0);
	if (i < n)
		y[i] = 2 * x[i];
}
"""
COMMENTS = "//pmpp: sizes = n\n//pmpp: in = x[n] f32\n//pmpp: out = y[n] f32\n//pmpp: check = 1, 300\n"
HEAD = "void reference(const real *x, real *y, int n)\n{\n\tfor (int i = 0; i < n; i++)\n\t\ty[i] = 2 * x[i];\n"
PROBLEM = COMMENTS + HEAD + "%s}\n"

ROWS = """#include <stdio.h>
//pmpp: sizes = m, k
//pmpp: in = A[m][k] f32
//pmpp: in = x[k] f32
//pmpp: out = y[m] f32
//pmpp: check = 1x3, 5x7, 130x40
void reference(const real *A, const real *x, real *y, int m, int k)
{
	printf("this is no part of the output\\n");
	for (int i = 0; i < m; i++) {
		y[i] = 0;
		for (int j = 0; j < k; j++)
			y[i] += A[i * k + j] * x[j];
	}
}
"""
ROWS_KERNEL = """__global__ void rows(const float *A, const float *x, float *y, int m, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int j = 1; i < m && j < k; j++)
		sum += A[i * k + j] * x[j];
	if (i < m)
		y[i] = sum;
}
"""
VALID = """//pmpp: sizes = n, k
//pmpp: in = x[n] f32
//pmpp: in = w[k] f32
//pmpp: out = y[n - k + 1] f32
//pmpp: check = 5x2, 300x64
void reference(const real *x, const real *w, real *y, int n, int k)
{
	for (int i = 0; i + k <= n; i++) {
		y[i] = 0;
		for (int j = 0; j < k; j++)
			y[i] += x[i + j] * w[j];
	}
}
"""
VALID_KERNEL = """__global__ void valid(const float *x, const float *w, float *y, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int j = 0; i + k <= n && j < k; j++)
		sum += x[i + j] * w[k - 1 - j];
	if (i + k <= n)
		y[i] = sum;
}
"""

def problem_files(problem, kernel=KERNEL, name="twice.c"):
    """The paths of a problem and of a kernel, in a folder of their own."""
    path = new_path(name)
    other = os.path.join(os.path.dirname(path), "k.cu")
    for target, text in ((path, problem), (other, kernel)):
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
    return path, other


def right(problem, kernel, *parts):
    need("cuda-emu")
    path, other = problem_files(problem, kernel)
    result = expect(0, "try", "--problem=" + path, other, "--backend=cuda-emu")
    for part in parts:
        rows.check(part in result.stdout, "no '%s' in: %s" % (part, result.stdout))


def wrong(problem, kernel, *parts):
    need("cuda-emu")
    path, other = problem_files(problem, kernel)
    result = expect(3, "try", "--problem=" + path, other, "--backend=cuda-emu")
    rows.check("no part of the output" not in result.stdout, result.stdout)
    for part in parts:
        rows.check(part in result.stdout, "no '%s' in: %s" % (part, result.stdout))


def bad(problem, *parts):
    """The problem is refused, before a kernel runs."""
    path, other = problem_files(problem)
    refused(1, parts, "try", "--problem=" + path, other, "--backend=cuda-emu")


def ends(body, *parts, timeout=120):
    """The reference does not end well: the job ends with one line."""
    need("cuda-emu")
    path, other = problem_files(PROBLEM % ("\t" + body + "\n"))
    result = expect(1, "try", "--problem=" + path, other, "--backend=cuda-emu", "--timeout=%d" % timeout)
    lines = [line for line in result.stderr.splitlines() if line]
    rows.equal(len(lines), 1, "lines of the message %r" % result.stderr)
    for part in parts:
        rows.check(part in lines[0], "no '%s' in: %s" % (part, lines[0]))


def ends_late():
    """The time limit of the reference is lower than that of the kernel, so the error names the reference."""
    ends("for (volatile int i = 0;; i = 1);", "takes more than 4 s", timeout=5)


def ends_unset():
    """No integer is NaN: the element is found by a second call."""
    need("cuda-emu")
    integers = (PROBLEM % "").replace("f32", "i32").replace("real", "int").replace("int i = 0", "int i = n > 1")
    path, other = problem_files(integers, KERNEL.replace("float", "int"))
    message = expect(1, "try", "--problem=" + path, other, "--backend=cuda-emu").stderr
    rows.check("the function 'reference' does not set y[0]" in message and "(n=300)" in message, message)


def pair():
    """The paths of a problem, and of its kernel in both languages."""
    path, cuda = problem_files(PROBLEM % "")
    opencl = cuda[:-1] + "l"
    with open(opencl, "w", encoding="utf-8") as file:
        file.write(CL_KERNEL)
    return path, cuda, opencl


def commands():
    """Problem files in place of families. Two files of one name are one variant."""
    need("cuda-emu")
    need("opencl-emu")
    path, cuda, opencl = pair()
    result = expect(0, "verify", path, cuda, opencl, "--backend=opencl-emu")
    rows.check("twice/k" in result.stdout and "2 ok" in result.stdout and "skipped" not in result.stdout, result.stdout)
    why = new_path("why.json")
    expect(0, "explain", path, cuda, opencl, "--json=" + why)
    rows.check("no count differs" in expect(0, "compare", why, why).stdout, "compare")
    result = expect(0, "parity", path, opencl, cuda, "--backend=opencl-emu")
    rows.check("bits identical in 1 of 1" in result.stdout, result.stdout)
    result = expect(0, "try", path, opencl, cuda, "--size=5")
    rows.equal([line.split()[1] for line in result.stdout.splitlines() if line[:1] == "/"], ["ok", "ok"])


def runs():
    """Kernels of the user on a ladder of their own."""
    need("opencl")
    path, _, opencl = pair()
    page = new_path("page.html")
    env = {"PMPP_STORE": new_path("results.db")}
    document = json_of(expect(0, "run", "--problem=" + path, opencl, "--device=cpu", "--no-roofs", "--json", "--report=" + page,
                              "--save", env=env))
    rows.equal([(row["family"], row["variant"], row["status"]) for row in document["results"]], [("twice", "k", "ok")])
    rows.check(os.path.exists(page), "no page")
    size = document["results"][0]["problem"]["n"]
    rows.check("1 result" in expect(0, "history", "twice/k", "--size=%d" % size, env=env).stdout, "no history")
    expect(1, "history", "twice/k", "--size=n=%d" % (size + 1), env=env)


def expected():
    """The user's inputs, and the right output for them, in place of a function."""
    need("cuda-emu")
    path, other = problem_files(VALID[:VALID.index("void reference")], VALID_KERNEL.replace("w[k - 1 - j]", "w[j]"))
    x, w = [i % 7 + 0.5 for i in range(300)], [3, 1, 0.25]
    y = [sum(x[i + j] * w[j] for j in range(3)) for i in range(298)]
    files = {}
    for name, values in (("x", x), ("w", w), ("y", y), ("wrong", y[:200] + [y[200] + 0.5] + y[201:]), ("long", x)):
        files[name] = new_path(name + ".npy")
        with open(files[name], "wb") as file:
            file.write(npy(values))
    inputs = ["--in", "x=" + files["x"], "--in", "w=" + files["w"]]
    result = expect(0, "try", path, other, "--backend=cuda-emu", *inputs, "--expect", "y=" + files["y"])
    rows.check("1 ok" in result.stdout and "load w:" in result.stdout, result.stdout)
    result = expect(3, "verify", path, other, "--backend=cuda-emu", *inputs, "--expect", "y=" + files["wrong"])
    rows.check("1 wrong" in result.stdout and "y[200,0]" in result.stdout, result.stdout)
    expect(0, "verify", path, other, "--backend=cuda-emu", *inputs, "--expect", "y=" + files["wrong"], "--tolerance=1")
    for arguments, part in ((inputs + ["--expect", "y=" + files["long"]], "the shape is (300, 1, 1), but y has 298 rows of 1"),
                            (["--expect", "y=" + files["y"]], "--expect is the output for the inputs of --in"),
                            (inputs, "write it, or give --in and --expect"),
                            (inputs[:2] + ["--expect", "y=" + files["y"]], "w is missing"),
                            (inputs + ["--expect", "name_of_24_characters_xx=" + files["y"]], "no output 'name_of_24_characters_xx'")):
        rows.check(part in expect(1, "verify", path, other, *arguments).stderr, "no '%s'" % part)
    path, other = problem_files(VALID, VALID_KERNEL)
    rows.check("leave out --expect" in expect(1, "run", path, other, *inputs, "--expect", "y=" + files["y"]).stderr, "both")


def refused_files():
    path, cuda, opencl = pair()
    refused(1, ["twice.c is the problem of a kernel file: give a FILE.cu or FILE.cl too"], "verify", path, "matmul")
    refused(1, ["are two problems: give one"], "verify", path, cuda, "--problem=other.c")
    refused(1, ["give a FILE.cu or FILE.cl too"], "verify", path, "--problem=" + path)
    for arguments, part in ((("parity", path, cuda), "parity: k.cu needs a kernel of the same name in the other language: give k.cl"),
                            (("run", path, cuda, cuda), "two files have the name k.cu"),
                            (("run", path, opencl, "--kernel-dir=."), "leave it out or leave out k.cl"),
                            (("verify", path, opencl, "--json=" + opencl), "is a kernel or its problem and would be replaced"),
                            (("run", path, opencl, "--report=" + path), "is a kernel or its problem and would be replaced"),
                            (("try", path, opencl, "--json=" + path), "is a kernel or its problem and would be replaced")):
        rows.check(part in expect(1, *arguments).stderr, "no '%s'" % part)


def named_twice():
    """A file with the name of a built-in problem."""
    path, other = problem_files(PROBLEM % "", name="vecadd.c")
    refused(1, ["'vecadd' is the name of a problem of pmpp-run"], "try", "--problem=" + path, other)


def in_comment():
    """The kernel names the problem: the path is relative to the kernel's folder. The file may include others."""
    need("cuda-emu")
    path, other = problem_files('#include "factor.h"\n' + (PROBLEM % "").replace("2 *", "FACTOR *"),
                                "//pmpp: problem = twice.c\n" + KERNEL)
    header = os.path.join(os.path.dirname(path), "factor.h")
    for factor, code in ((2, 0), (3, 3)):
        with open(header, "w", encoding="utf-8") as file:
            file.write("#define FACTOR %d\n" % factor)
        expect(code, "try", other, "--backend=cuda-emu")


def no_compiler():
    path, other = problem_files(PROBLEM % "")
    refused(1, ["no-such-cc", "set CC"], "try", "--problem=" + path, other, env={"CC": "no-such-cc"})


def element_types():
    """Kernels with elements of each type, and references with real or with the same type."""
    need("cuda-emu")
    for dtype, kernel, own in (("f64", "double", "real"), ("i32", "int", "int"), ("u32", "unsigned", "unsigned"),
                               ("u8", "unsigned char", "unsigned char"), ("f32", "float", "float")):
        path, other = problem_files((PROBLEM % "").replace("f32", dtype).replace("real", own),
                                    KERNEL.replace("float", kernel))
        expect(0, "try", "--problem=" + path, other, "--backend=cuda-emu")


DOUBLE_SUM = COMMENTS.replace("y[n]", "y[1]") + """//pmpp: tolerance = 1e-4
void reference(const real *x, real *y, int n)
{
	y[0] = 0;
	for (int i = 0; i < n; i++)
		y[0] += x[i];
}
"""
TWO_STEPS = """//pmpp: scratch = part[ceil(n / 32)] f32
//pmpp: launch = parts block = 32 grid = ceil(n / 32)
//pmpp: launch = total block = 1 grid = 1 count = %s
__global__ void parts(const float *x, float *part, int n)
{
	float sum = 0;
	for (int i = blockIdx.x * 32; threadIdx.x == 0 && i < n && i < blockIdx.x * 32 + 32; i++)
		sum += x[i];
	if (threadIdx.x == 0)
		part[blockIdx.x] = sum;
}
__global__ void total(const float *part, float *y, int count)
{
	float sum = 0;
	for (int i = 0; i < count; i++)
		sum += part[i];
	y[0] = sum;
}
"""
CUBE = """//pmpp: sizes = a, b, c
//pmpp: in = x[a][b][c] f32
//pmpp: inout = y[a][b][c] f32
//pmpp: scalars = factor = 0.5
//pmpp: check = 1x1x1, 3x5x7, 4x4x33
void reference(int a, int b, int c, const float x[a][b][c], real *y, real factor)
{
	for (int i = 0; i < a * b * c; i++)
		y[i] += factor * x[i / (b * c)][i / c % b][i % c];
}
"""
CUBE_KERNEL = """//pmpp: block = 8x4x2
//pmpp: grid = ceil(c / 8), ceil(b / 4), ceil(a / 2)
__global__ void k(const float *x, float *y, int a, int b, int c, float factor)
{
	int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z * 2 + threadIdx.z;
	if (i < c && j < b && k < a)
		y[(k * b + j) * c + i] += factor * x[(k * b + j) * c + i];
}
"""

rows.row("a right kernel", right, PROBLEM % "", KERNEL, "twice by k(x, y, n)", "2 ok")
rows.row("a wrong kernel", wrong, PROBLEM % "", KERNEL.replace("2 *", "3 *"), "failed at n=1")
rows.row("small numbers", wrong, (PROBLEM % "").replace("2 * x", "x[i] / 20000; // x"), KERNEL.replace("2 * x[i]", "0"), "failed at")
rows.row("the first term missing", wrong, ROWS, ROWS_KERNEL, "loop bound too short: first term missing in each sum; line 5")
rows.row("an output that grows when a size shrinks", wrong, VALID, VALID_KERNEL, "failed at")
rows.row("a store out of bounds", wrong, PROBLEM % "", KERNEL.replace("i < n", "i <= n"), "out-of-bounds")
rows.row("element types", element_types)
rows.row("several launches", right, DOUBLE_SUM, TWO_STEPS % "ceil(n / 32)", "launch      2 of 2: total")
rows.row("a wrong argument of a launch", wrong, DOUBLE_SUM, TWO_STEPS % "n / 32", "failed at")
rows.row("in place, a 3-D grid, a scalar", right, CUBE, CUBE_KERNEL, "3 ok")
rows.row("in place, wrong", wrong, CUBE, CUBE_KERNEL.replace("+=", "="), "failed at")
rows.row("the problem in a comment, an included file", in_comment)

rows.row("verify, explain, compare and parity", commands)
rows.row("run, a page", runs)
rows.row("refused files", refused_files)
rows.row("an expected output in place of a reference", expected)

rows.row("a crash", ends, "*(volatile int *)0 = 1;", "SIGSEGV", "(n=1)")
rows.row("a write after the output", ends, "y[n] = 0;", "SIGSEGV", "outside of its operands")
rows.row("a write to an input", ends, "((real *)x)[0] = 0;", "SIGSEGV", "writes to an input")
rows.row("abort", ends, "abort();", "SIGABRT")
rows.row("exit", ends, "exit(0);", "ended the process with status 0")
rows.row("a division by 0", ends, "volatile int zero = 0; y[0] = n / zero;", "SIGFPE")
rows.row("no memory", ends, "for (;;) memset(malloc(1 << 28), 1, 1 << 28);", "SIGSEGV", "too much memory")
rows.row("an element that is not set", ends, "y[n / 2] = NAN;", "y[0] = nan", "does not set")
rows.row("an integer that is not set", ends_unset)
rows.long_row("an endless loop", ends_late)

rows.row("a syntax error", bad, PROBLEM % "\tint 1;\n", "twice.c:9:", "error")
rows.row("an unknown function", bad, PROBLEM % "\ty[0] = frobnicate(1);\n", "twice.c:9:", "frobnicate")
rows.row("an unknown function of a library", bad, PROBLEM % "\textern int frob(void);\n\ty[0] = frob();\n", "frob")
rows.row("no reference", bad, COMMENTS, "no function 'reference'")
rows.row("an unknown operand", bad, (PROBLEM % "").replace("const real *x", "const real *z"),
         "twice.c:5: parameter 'z' of the reference is no operand")
rows.row("the output of a problem of the project", named_twice)
rows.row("no compiler", no_compiler)
rows.row("no file", refused, 1, ["no-such.c"], "try", "--problem=no-such.c", problem_files("")[1])
rows.finish()
