"""--in and --out: products of a user's matrices are checked against Python's arithmetic; wrong files are
refused."""
import os
import struct

from command import expect, json_of, need, new_file, new_path, npy, refused
import rows

EMULATOR = "--backend=cuda-emu"


def save(content):
    return new_file("x.npy", content)


def load(path, descr="<f4"):
    """(shape, numbers) of a C-order file."""
    with open(path, "rb") as file:
        content = file.read()
    rows.equal(content[:8], b"\x93NUMPY\x01\x00", "magic and version")
    length = int.from_bytes(content[8:10], "little")
    rows.equal((10 + length) % 64, 0, "alignment of the data")
    header = eval(content[10:10 + length].decode())  # pylint: disable=eval-used
    rows.equal(header["descr"], descr)
    rows.equal(header["fortran_order"], False)
    data = content[10 + length:]
    count = 1
    for extent in header["shape"]:
        count *= extent
    code, size = {"<f4": ("f", 4), "<u4": ("I", 4), "|u1": ("B", 1)}[descr]
    rows.equal(len(data), size * count, "bytes of data")
    return header["shape"], struct.unpack("<%d%s" % (count, code), data)


def matrix_of(m, n, seed):
    """Small integers, so that every product is exact."""
    return [[float((i * 7 + j * 13 + seed * (i + 3 * j)) % 17 - 8) for j in range(n)]
            for i in range(m)]


def product(a, b):
    return [sum(x * b[k][j] for k, x in enumerate(row)) for row in a for j in range(len(b[0]))]


def multiply(backend, variant, fortran_a, fortran_b, shape):
    need(backend)
    m, n, k = shape
    a, b = matrix_of(m, k, 1), matrix_of(k, n, 2)
    out = new_path("c.npy")
    expect(0, "matmul/" + variant, "--backend=" + backend, "--min-time=1",
           "--in", "A=" + save(npy(a, fortran_a)), "--in", "B=" + save(npy(b, fortran_b)),
           "--out", "C=" + out)
    got_shape, numbers = load(out)
    rows.equal(got_shape, (m, n), "shape")
    rows.equal(list(numbers), product(a, b), "product")
    rows.equal(os.listdir(os.path.dirname(out)), ["c.npy"], "files left")


def vectors(backend):
    need(backend)
    a, b = [float(i) for i in range(1000)], [float(3 * i - 500) for i in range(1000)]
    out = new_path("c.npy")
    expect(0, "vecadd/vector4", "--backend=" + backend, "--min-time=1", "--in", "A=" + save(npy(a)),
           "--in", "B=" + save(npy(b)), "--out", "C=" + out)
    shape, numbers = load(out)
    rows.check(shape in ((1000,), (1000, 1)), "shape %s" % (shape,))
    rows.equal(list(numbers), [x + y for x, y in zip(a, b)], "sum")


LINES = 50


def lines_of(words, leads_to=lambda line: 7 * line % LINES):
    """The operand `next` of the family latency: the first word of a line is the number of the next line."""
    return [[leads_to(line)] + [line] * (words - 1) for line in range(LINES)]


def fixed_extents(backend):
    """Lines of the operand have 32 words, and the answer has 32, for every size."""
    need(backend)
    out = new_path("r.npy")
    expect(0, "latency/chains", "--backend=" + backend, "--min-time=1", "--size=hops=9",
           "--in", "next=" + save(npy(lines_of(32), descr="<u4")), "--out", "R=" + out)
    shape, numbers = load(out, "<u4")
    rows.equal(shape, (32,))
    rows.equal(list(numbers), [c * LINES // 32 * 7 ** 9 % LINES for c in range(32)], "ends")


def wrong_extent(words):
    need("cuda-emu")
    refused(1, ["(50, %d)" % words, "next"], "latency/chase", EMULATOR,
            "--in", "next=" + save(npy(lines_of(words), descr="<u4")))


def out_of_range():
    need("cuda-emu")
    path = save(npy(lines_of(32, lambda line: 50 if line == 17 else 0), descr="<u4"))
    refused(1, ["next[17][0]", "50"], "latency/chase", EMULATOR, "--in", "next=" + path)


def column_of(*values):
    return [[value] for value in values]


# Numbers that a family refuses: (name, variant, matrix, type, parts of the message)
JUDGED = [
    ("a value beyond the bins", "histogram/private", column_of(1, 255, 256), "<u4",
     ["A[2]", "256", "bins"]),
    ("NaN in a row", "softmax/safe", [[1, 2, 3], [4, float("nan"), 6]], "<f4", ["A[1,1]", "NaN"]),
    ("infinity in a row", "softmax/fused", [[1, float("inf"), 3]], "<f4", ["A[0,1]", "inf"]),
    ("a row of -inf", "softmax/online", [[1, 2], [-float("inf")] * 2], "<f4", ["row 1", "-inf"]),
    ("an infinite element", "transpose/tiled", [[1, float("inf")]], "<f4", ["[0, 1]", "inf"]),
]


def judged(variant, matrix, descr, parts):
    need("cuda-emu")
    shape = "(%d,)" % len(matrix) if len(matrix[0]) == 1 else None
    path = save(npy(matrix, descr=descr, shape=shape))
    refused(1, parts, variant, EMULATOR, "--in", "A=" + path)


OVERFLOWS = [  # name, variant and options, operands, parts of the message
    ("a sum", ["vecadd/fine"], {"A": [1, 2, 3e38], "B": [1, 2, 3e38]},
     ["--in: C[2,0] overflows f32", "6e+38"]),
    ("a product", ["matmul/naive"], {"A": [[1, 2], [1e38, 1]], "B": [[1, 4], [3, 1]]},
     ["--in: C[1,1] overflows f32", "the right value is 4e+38"]),
    ("terms that cancel", ["matmul/naive"], {"A": [[3e38, -3e38]], "B": [[10], [10]]},
     ["--in: C[0,0] overflows f32", "terms add up to 6e+39"]),
    ("a reduction", ["reduce/sequential", "--op=sum", "--dtype=f32"], {"A": [3e38, 3e38, 1]},
     ["--in: B[0,0] overflows f32"]),
]


def overflows(words, operands, parts, backend):
    """A right answer that its type cannot hold is an error of the data, not of the kernel."""
    need(backend)
    files = ["--in=%s=%s" % (name, save(npy(values))) for name, values in operands.items()]
    refused(1, parts, *words, "--backend=" + backend, *files)


def too_large_for_f16():
    """A row that rounds its inputs to f16 cannot hold 1e5. The other rows can."""
    need("cuda-emu")
    files = ["--in=A=" + save(npy([[1e5]])), "--in=B=" + save(npy([[1.0]]))]
    document = json_of(expect(0, "matmul/naive", "matmul/f16-mma", EMULATOR, "--json", *files))
    rows.equal([(row["status"], row["reason"]) for row in document["results"]],
               [("ok", "emulated: times are not performance"),
                ("unsupported", "A[0,0] of --in is too large for f16")])


def masked_row():
    """-inf in a row that has a finite element is 0 in the answer, not NaN."""
    need("cuda-emu")
    for variant in ("safe", "online", "fused"):
        out = new_path("y.npy")
        expect(0, "softmax/" + variant, EMULATOR, "--in",
               "A=" + save(npy([[-float("inf"), 0.0, 0.0]])), "--out", "B=" + out)
        rows.equal([round(y, 6) for y in load(out)[1]], [0.0, 0.5, 0.5], variant)


def type_from_file():
    """The problem has the type of the file. A file with another type than --dtype is refused."""
    need("cuda-emu")
    numbers = npy(column_of(5, -7, 3), descr="<i4", shape="(3,)")
    out = new_path("b.npy")
    expect(0, "reduce/sequential", EMULATOR, "--op=max", "--in", "A=" + save(numbers),
           "--out", "B=" + out)
    with open(out, "rb") as file:
        content = file.read()
    rows.check(b"'<i4'" in content, "the answer's type")
    rows.equal(content[-4:], (5).to_bytes(4, "little"), "the largest")
    refused(1, ["<i4", "<f4"], "reduce/sequential", EMULATOR, "--dtype=f32",
            "--in", "A=" + save(numbers))


def every_variant():
    need("opencl")
    a, b = save(npy(matrix_of(37, 43, 1))), save(npy(matrix_of(43, 41, 2), True))
    document = json_of(expect(0, "matmul", "--backend=opencl", "--min-time=1", "--in", "A=" + a,
                              "--in", "B=" + b, "--json"))
    needs = {v["name"]: ["needs " + need for need in v["needs"]]
             for family in json_of(expect(0, "list", "matmul", "--json"))["families"]
             for v in family["variants"]}
    rows.equal([row["variant"] for row in document["results"]], list(needs), "variants")
    # Only a need that the variant declares is a reason to skip it.
    for row in document["results"]:
        if row["status"] == "skipped":
            rows.check(row["reason"] in needs[row["variant"]],
                       "%s: %s" % (row["variant"], row["reason"]))
        else:
            rows.equal(row["status"], "ok", row["variant"])
    rounded = [name for name in needs if name.startswith(("f16", "tf32"))]
    done = [row for row in document["results"] if row["status"] == "ok"]
    rows.check(len([row for row in done if row["variant"] not in rounded]) > 15, "%d rows" % len(done))
    rows.equal(document["results"][0]["problem"], {"m": 37, "n": 41, "k": 43})
    rows.equal(document["results"][0]["data"], "user")
    rows.equal(len({r["verify"]["output_sha256"] for r in done if r["variant"] not in rounded}), 1,
               "outputs")


def out_without_in():
    need("cuda-emu")
    out = new_path("c.npy")
    expect(0, "matmul/naive", EMULATOR, "--size=5x6x7", "--out", "C=" + out)
    rows.equal(load(out)[0], (5, 6))


# ---- Pictures

def pixels_of(width, height):
    return bytes((i * i // 7 + 3 * i) % 256 for i in range(3 * width * height))


def npy_pixels(shape, pixels):
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" % (shape,)
    length = (10 + len(text) + 1 + 63) // 64 * 64 - 10
    return (b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little")
            + text.ljust(length - 1).encode() + b"\n" + pixels)


def picture(backend, variant, content, width, height):
    """The luminance is rounded to nearest. Both results are accepted for ties."""
    need(backend)
    pixels = pixels_of(width, height)
    out = new_path("gray.npy")
    expect(0, "grayscale/" + variant, "--backend=" + backend, "--min-time=1",
           "--in", "RGB=" + save(content(width, height, pixels)), "--out", "GRAY=" + out)
    shape, grey = load(out, "|u1")
    rows.equal(shape, (height, width), "shape")
    for i, value in enumerate(grey):
        red, green, blue = pixels[3 * i:3 * i + 3]
        exact = 0.21 * red + 0.72 * green + 0.07 * blue
        rows.check(abs(value - exact) <= 0.5 + 1e-4, "pixel %d is %d, not %f" % (i, value, exact))


PICTURES = [
    (".npy of three dimensions", lambda w, h, p: npy_pixels((h, w, 3), p)),
    (".npy of two dimensions", lambda w, h, p: npy_pixels((h, 3 * w), p)),
]

# name, the file for RGB, parts of the message
HOSTILE_PICTURES = [
    ("a binary .ppm file", b"P6\n1 1\n255\n123", ["not a .npy file"]),
    ("two channels", npy_pixels((2, 3, 2), b"123456789012"), ["3 dimensions"]),
    ("five columns", npy_pixels((2, 5), b"1234567890"), ["(2, 5)"]),
]


def hostile_picture(content, parts):
    need("cuda-emu")
    path = save(content)
    result = refused(1, parts + [path], "grayscale/coarse4", EMULATOR, "--in", "RGB=" + path)
    rows.equal(len(result.stderr.strip().splitlines()), 1, "lines of the message")


GOOD = matrix_of(4, 3, 1)


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ 0xff]) + content[at + 1:]


def replaced_number(bits):
    content = npy(GOOD)
    return content[:-8] + struct.pack("<I", bits) + content[-4:]


# name, the file for A, parts of the message
HOSTILE = [
    ("no file", None, ["cannot be read"]),
    ("empty", b"", ["not a .npy file"]),
    ("text", b"1 2 3\n4 5 6\n", ["not a .npy file"]),
    ("magic broken", flipped(npy(GOOD), 0), ["not a .npy file"]),
    ("version 9", npy(GOOD)[:6] + b"\x09\x00" + npy(GOOD)[8:], ["9.0"]),
    ("cut in the prefix", npy(GOOD)[:8], ["truncated"]),
    ("cut in the header", npy(GOOD)[:40], ["truncated"]),
    ("cut in the data", npy(GOOD)[:-1], ["truncated", "byte"]),
    ("no data", npy(GOOD)[:-48], ["truncated", "byte"]),
    ("too long", npy(GOOD) + b"x", ["byte"]),
    ("float64", npy(GOOD, descr="<f8"), ["'<f8'", "astype"]),
    ("int32", npy(GOOD, descr="<i4"), ["'<i4'", "astype"]),
    ("big-endian", npy(GOOD, descr=">f4"), ["'>f4'", "astype"]),
    ("three dimensions", npy(GOOD, shape="(2, 2, 3)"), ["3 dimensions"]),
    ("a promise of 40 TB", npy(GOOD, shape="(1000000, 10000000)"), ["truncated"]),
    ("a shape over 64 bits", npy(GOOD, shape="(99999999999999999999, 3)"), ["overflow"]),
    ("negative shape", npy(GOOD, shape="(-4, 3)"), ["shape"]),
    ("empty array", npy(GOOD, shape="(0, 3)"), ["extent 0"]),
    ("header is no dict", npy(GOOD).replace(b"{'descr'", b"['descr'"), ["header"]),
    ("NaN", replaced_number(0x7fc00000), ["[3, 1]"]),
    ("infinity", replaced_number(0xff800000), ["[3, 1]"]),
]


def hostile(content, parts):
    need("cuda-emu")
    path = new_path("none.npy") if content is None else save(content)
    out = new_path("c.npy")
    refused(1, parts + [path], "matmul/naive", EMULATOR, "--in", "A=" + path,
            "--in", "B=" + save(npy(matrix_of(3, 5, 2))), "--out", "C=" + out)
    rows.equal(os.listdir(os.path.dirname(out)), [], "files made")


def mismatch():
    need("cuda-emu")
    a, b = "A=" + save(npy(matrix_of(4, 3, 1))), "B=" + save(npy(matrix_of(4, 3, 1)))
    refused(1, ["k"], "matmul/naive", EMULATOR, "--in", a, "--in", b)


def vector_for_matrix():
    need("cuda-emu")
    refused(1, ["B"], "matmul/naive", EMULATOR, "--in", "A=" + save(npy(matrix_of(4, 3, 1))),
            "--in", "B=" + save(npy([1.0, 2.0])))


def one_missing():
    need("cuda-emu")
    refused(1, ["B"], "matmul/naive", EMULATOR, "--in", "A=" + save(npy(GOOD)))


def contradiction():
    need("cuda-emu")
    arguments = ["matmul/naive", EMULATOR, "--in", "A=" + save(npy(matrix_of(4, 3, 1))),
                 "--in", "B=" + save(npy(matrix_of(3, 5, 1)))]
    refused(1, ["--size"], *arguments, "--size=9")
    expect(0, *arguments, "--size=4x5x3")


def given_twice():
    need("cuda-emu")
    a = "A=" + save(npy(GOOD))
    refused(1, ["A"], "matmul/naive", EMULATOR, "--in", a, "--in", a, "--in",
            "B=" + save(npy(matrix_of(3, 5, 1))))


def several_variants():
    need("cuda-emu")
    out = new_path("c.npy")
    refused(1, ["--out"], "matmul", EMULATOR, "--size=5", "--out", "C=" + out)
    refused(1, ["--out"], "matmul/naive", "matmul/tiled16", EMULATOR, "--size=5", "--out", "C=" + out)
    rows.equal(os.listdir(os.path.dirname(out)), [], "files made")


def unwritable():
    need("cuda-emu")
    refused(1, ["/nonexistent/c.npy"], "matmul/naive", EMULATOR, "--size=5", "--out",
            "C=/nonexistent/c.npy")


ORDERS = [(False, False), (True, False), (False, True), (True, True)]
for engine in ("opencl", "cuda", "cuda-emu"):
    for first, second in ORDERS:
        rows.row("%s: naive, A in %s order, B in %s order" %
                 (engine, "C" if not first else "Fortran", "C" if not second else "Fortran"),
                 multiply, engine, "naive", first, second, (5, 7, 3))
    for name in ("corner-turned", "registers"):
        rows.row("%s: %s, 33 x 18 x 20" % (engine, name), multiply, engine, name, False, True,
                 (33, 18, 20))
    rows.row("%s: a row times a column" % engine, multiply, engine, "tiled16", False, False,
             (1, 1, 50))
    rows.row("%s: vectors" % engine, vectors, engine)
    rows.row("%s: fixed extents" % engine, fixed_extents, engine)
    for case in PICTURES:
        rows.row("%s: grayscale of a picture as %s" % (engine, case[0]), picture, engine,
                 "coarse4", case[1], 37, 11)
    rows.row("%s: grayscale by blocks" % engine, picture, engine, "block32x8", PICTURES[0][1], 33, 9)
rows.row("every variant on the user's matrices", every_variant)
rows.row("--out without --in", out_without_in)
for case in HOSTILE:
    rows.row("refused: " + case[0], hostile, *case[1:])
for case in HOSTILE_PICTURES:
    rows.row("refused: picture, " + case[0], hostile_picture, *case[1:])
rows.row("refused: shapes that do not match", mismatch)
rows.row("refused: a vector for a matrix", vector_for_matrix)
for count in (1, 31, 64):
    rows.row("refused: lines of %d words" % count, wrong_extent, count)
rows.row("refused: an index out of range", out_of_range)
for case in JUDGED:
    rows.row("refused: " + case[0], judged, *case[1:])
for case in OVERFLOWS:
    for engine in ("opencl", "cuda-emu"):
        rows.row("refused: %s overflows, %s" % (case[0], engine), overflows, *case[1:], engine)
rows.row("inputs that f16 cannot hold", too_large_for_f16)
rows.row("softmax of a row with -inf in it", masked_row)
rows.row("the type of a file", type_from_file)
rows.row("refused: one input is missing", one_missing)
rows.row("--size beside --in", contradiction)
rows.row("refused: an input given twice", given_twice)
rows.row("refused: --out with several variants", several_variants)
rows.row("refused: --out that cannot be written", unwritable)
rows.finish()
