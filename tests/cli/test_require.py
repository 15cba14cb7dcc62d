"""--require: conditions of `try` and `explain`."""
from command import expect, need, need_nvrtc, new_file, refused
import rows

PRODUCT = """//pmpp: problem = matmul
#define TILE 16
__global__ void product(const float *A, const float *B, float *C, int m, int n, int k)
{
	int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
	if (row >= m || col >= n)
		return;
	float sum = 0;
	for (int i = 0; i < k; i++)
		sum += A[row * k + i] * B[i * n + col];
	C[row * n + col] = sum;
}
"""
LOAD = "sum += A[row * k + i] * B[i * n + col];"


def printed(code, conditions, text=PRODUCT, *arguments):
    """All lines."""
    need("cuda-emu")
    path = new_file("mine.cu", text)
    options = ["--require=" + conditions] if conditions else []
    result = expect(code, "try", path, "--backend=cuda-emu", *options, *arguments)
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def conditions_of(lines):
    """The lines of the conditions, without the page before them."""
    return lines[lines.index("condition value line source or reason") + 1:]


def tried(*arguments):
    return conditions_of(printed(*arguments))


def holds():
    rows.equal(tried(0, "correct; no defects; sectors(A) <= 2; bank_ways <= 1"),
               ["holds correct yes", "holds no defects 0", "holds sectors(A) <= 2 2", "holds bank_ways <= 1 1",
                "4 of 4 conditions hold"])


def resources():
    """Figures of the compiler."""
    need_nvrtc()
    lines = tried(0, "occupancy >= 50 %; registers <= 64; spilled_bytes <= 0; shared_bytes <= 0")
    rows.equal((lines[0], lines[-1]), ("holds occupancy >= 50 % 100 %", "4 of 4 conditions hold"))


def floors():
    """The floors of a product without tiles are those of `naive`."""
    rows.equal(tried(4, "floor <= 0.7 * floor(naive); floor <= 1.1 * floor(naive)")[-1], "1 of 2 conditions hold")


def fails():
    """The value, and the line with the worst value."""
    rows.equal(tried(4, "correct; sectors(A) <= 1; divergence <= 10 %; step(naive) >= 1.5"),
               ["holds correct yes", "FAILS sectors(A) <= 1 2 10 " + LOAD, "holds divergence <= 10 % 0 %",
                "skipped step(naive) >= 1.5 - no device", "2 of 4 conditions hold, 1 skipped"])


def wrong():
    """A wrong kernel is exit status 3, whatever else fails. It has no points, and the row of `correct` has the mistake."""
    lines = tried(3, "3 points: correct; registers <= 1; 2 points: sectors(A) <= 2", PRODUCT.replace("i < k", "i < k - 1"))
    rows.equal((lines[0], lines[-1]), ("FAILS correct no 9 loop bound too short",
                                       "1 of 3 conditions hold: 0 of 5 points: the kernel is not correct"))


def not_compiled():
    lines = tried(5, "correct; registers <= 64", PRODUCT.replace("sum +=", "nothing +="))
    rows.equal(lines, ["FAILS correct no build_error", "FAILS registers <= 64 - it was not traced", "0 of 2 conditions hold"])


def unread():
    """A file without a kernel: no figure is known, not even whether the argument of a figure is an operand."""
    lines = tried(5, "2 points: correct; 1 point: sectors(Q) <= 2", PRODUCT.replace("int k)", "int k"))
    rows.check(lines[0].startswith("FAILS correct no ") and lines[0].endswith("mine.cu has no __global__ function with a body"),
               lines)
    rows.equal(lines[1:], ["FAILS sectors(Q) <= 2 - it was not traced",
                           "0 of 2 conditions hold: 0 of 3 points: the kernel is not correct"])


def defect():
    """Of a check run; the traced size is a multiple of the block."""
    text = PRODUCT.replace("if (row >= m || col >= n)", "if (row > m || col >= n)")
    lines = tried(3, "no defects; sectors(A) <= 4", text)
    rows.check(lines[0].startswith("FAILS no defects 1 10 out-of-bounds load "), lines)
    rows.equal(lines[1:], ["holds sectors(A) <= 4 2", "1 of 2 conditions hold"])


def comments():
    text = "//pmpp: require = 4 points: correct; no defects\n//pmpp: require = 2 points: sectors(A) <= 1\n" + PRODUCT
    lines = printed(4, None, text.replace("= matmul", "= coalesce"), "--problem=matmul")
    rows.equal(lines[-1], "2 of 3 conditions hold")
    rows.check("note: mine.cu: the comment '//pmpp: problem = coalesce' has no effect: the problem is matmul" in lines, lines)


def file():
    path = new_file("requirements.txt", "# the grade\n4 points: correct\n2 points: sectors(B) <= 2   # coalesced\n")
    rows.equal(tried(0, "@" + path)[-1], "2 of 2 conditions hold: 6 of 6 points")


def explained():
    need("cuda-emu")
    result = expect(4, "explain", "transpose/tiled", "transpose/padded", "--backend=cuda-emu",
                    "--require=bank_ways <= 1; barriers <= 1")
    rows.equal(result.stdout.count("conditions hold"), 2)
    rows.check("transpose/tiled" in result.stdout and "1 of 2 conditions hold" in result.stdout, result.stdout)
    expect(0, "explain", "reduce/unrolled", "--backend=cuda-emu", "-q", "--require=barriers <= 9")


def refusals():
    need("cuda-emu")
    path = new_file("mine.cu", PRODUCT)
    for conditions, part in (("sector(A) < 4", "no figure 'sector'"), ("sectors(D) < 4", "no operand 'D'"),
                             ("step(fast) > 1", "no variant 'fast'"), ("fast", "is no condition"),
                             ("@no-such-file", "cannot be read")):
        result = expect(1, "try", path, "--require=" + conditions)
        rows.check(part in result.stderr, result.stderr)
    refused(1, ["give the condition to `pmpp-run try`"], "explain", "matmul/naive", "--require=correct")
    refused(1, ["one family"], "explain", "matmul/naive", "reduce/strided", "--require=no defects")


rows.row("conditions that hold", holds)
rows.row("conditions on resources", resources)
rows.row("floors", floors)
rows.row("conditions that fail", fails)
rows.row("a wrong kernel", wrong)
rows.row("a kernel that does not compile", not_compiled)
rows.row("a file without a kernel", unread)
rows.row("a defect", defect)
rows.row("conditions in comments", comments)
rows.row("conditions in a file", file)
rows.row("conditions of explain", explained)
rows.row("refused conditions", refusals)
rows.finish()
